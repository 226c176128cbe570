# change.bats: tests of petal add, remove and count.
load common

# unchanged COMMAND...: fails with one message, keeps f.petal unchanged and creates no file.
unchanged() {
    cp f.petal before
    run --separate-stderr petal "$@"
    is "$status" 2
    is "$output" ""
    one_sentence "$stderr"
    cmp f.petal before
    is "$(ls -A | grep -c '^\.')" 0
}

@test "add adds keys and reports how full the filter is" {
    keys in 500 | petal build --quiet -n 1000 -o f.petal
    keys new 100 >new
    run --separate-stderr petal add f.petal new
    is "$status" 0
    is "$output" ""
    is "$stderr" "petal: f.petal: 100 new keys from 100 lines; now about 593 keys (capacity 1,000), rate 0.0648%"
    is "$(petal check -c f.petal new)" 100
    is "$(keys in 500 | petal check -c f.petal)" 500
    petal verify f.petal
}

@test "add and build give the same filter" {
    keys in 1000 >in
    petal build --quiet -n 1000 -o whole.petal in
    head -400 in | petal build --quiet -n 1000 -o parts.petal
    tail -600 in | petal add --quiet parts.petal
    cmp whole.petal parts.petal
}

@test "add --json prints the figures" {
    printf 'a\nb\n' | petal build --quiet -n 100 -o f.petal
    run --separate-stderr petal add --json f.petal - <<<"$(printf 'b\nc\n')"
    is "$status" 0
    is "$stderr" ""
    is_json "$output"
    has "$output" '{"file": "f.petal", "lines": 2, "new": 1, "skipped": {}, "keys_estimate": '
    has "$output" '"capacity": 100, "fpr_estimate": '
}

@test "add of nothing exits with 1 and keeps the filter" {
    echo a | petal build --quiet -n 100 -o f.petal
    cp f.petal before
    run --separate-stderr petal add f.petal /dev/null
    is "$status" 1
    has "$stderr" "petal: f.petal: 0 new keys from 0 lines; now about "
    cmp f.petal before
}

@test "add reads several files, compressed files, fields and NUL-separated keys" {
    echo start | petal build --quiet -n 100 -o f.petal
    printf 'x,one\nx,two\n' >plain
    printf 'x,three\n' | gzip >packed.gz
    printf 'x,four' | zstd -q >packed.zst
    petal add --quiet -f 2 -d , f.petal plain packed.gz packed.zst
    printf 'five\nsix\0' | petal add --quiet -0 f.petal
    is "$(printf 'one\ntwo\nthree\nfour\nfive\nx\n' | petal check f.petal)" \
        "$(printf 'one\ntwo\nthree\nfour')"
    is "$(printf 'five\nsix\0' | petal check -0 f.petal | tr '\0' .)" "$(printf 'five\nsix.')"
}

@test "add reports a filter with more keys than planned, unless it grows" {
    echo a | petal build --quiet -n 100 -o f.petal
    keys in 1000 >in
    run --separate-stderr petal add f.petal in
    is "$status" 0
    is "${stderr_lines[1]}" "petal: f.petal: so full that it answers maybe to everything; it was planned for 100 keys, so rebuild it with a larger -n"
    echo a | petal build --quiet -k scalable -o g.petal
    run --separate-stderr petal add g.petal in
    is "${#stderr_lines[@]}" 1
    is "$(petal check -c g.petal in)" 1000
}

@test "add reports lines that are not keys; --strict keeps the filter unchanged" {
    echo 10.0.0.0/8 | petal build --quiet --form ip -n 10 -o f.petal
    printf '1.2.3.4\nfoo\n' >in
    unchanged add --strict f.petal in
    is "$stderr" "petal: in:2: not an address: foo; omit --strict to skip such lines"
    run --separate-stderr petal add f.petal in
    is "$status" 0
    is "${stderr_lines[0]}" "petal: in:2: not an address: foo; skipped"
    is "$(echo 1.2.3.4 | petal check f.petal)" 1.2.3.4
}

@test "add reads a filter from standard input and writes it to standard output" {
    printf 'a\n' | petal build --quiet -n 100 -o f.petal
    echo b >b
    petal add --quiet - b <f.petal >g.petal
    is "$(printf 'a\nb\nc\n' | petal check g.petal)" "$(printf 'a\nb')"
    run petal add --quiet - /dev/null <f.petal
    is "$status" 1
    petal add --quiet - /dev/null <f.petal >h.petal || is "$?" 1
    cmp f.petal h.petal
}

@test "standard input cannot be both the filter and the keys" {
    echo a | petal build --quiet -k counting -n 100 -o f.petal
    for command in add remove count; do
        run --separate-stderr petal $command - <f.petal
        is "$command $status" "$command 2"
        is "$stderr" "petal: standard input can be read only once"
    done
}

@test "remove undoes one addition per line" {
    printf 'a\nb\na\n' | petal build --quiet -k counting -o f.petal
    run --separate-stderr petal remove f.petal - <<<"$(printf 'a\nc\n')"
    is "$status" 0
    is "$output" ""
    is "$stderr" "petal: f.petal: 1 key removed, 1 not found; 2 left"
    is "$(printf 'a\nb\nc\n' | petal count f.petal)" "$(printf '1\ta\n1\tb\n0\tc')"
    petal verify f.petal
}

@test "adding and removing a key leaves the filter unchanged" {
    keys in 300 | petal build --quiet -k counting -n 1000 -o f.petal
    cp f.petal before
    keys more 200 >more
    petal add --quiet f.petal more
    petal remove --quiet f.petal more
    cmp f.petal before
}

@test "remove --json prints the figures" {
    printf 'a\nb\n' | petal build --quiet -k counting -o f.petal
    run --separate-stderr petal remove --json f.petal - <<<"$(printf 'a\nc\n')"
    is "$status" 0
    is "$stderr" ""
    is_json "$output"
    is "$output" '{"file": "f.petal", "removed": 1, "absent": 1, "stuck": 0, "keys": 1, "skipped": {}}'
}

@test "remove of nothing exits with 1 and keeps the filter" {
    echo a | petal build --quiet -k counting -o f.petal
    cp f.petal before
    run --separate-stderr petal remove f.petal - <<<"c"
    is "$status" 1
    is "$stderr" "petal: f.petal: 0 keys removed, 1 not found; 1 left"
    run --separate-stderr petal remove f.petal /dev/null
    is "$status" 1
    cmp f.petal before
}

@test "remove removes integers from a bitmap" {
    seq 0 9 | petal build --quiet -k bitmap -o f.petal
    run --separate-stderr petal remove f.petal - <<<"$(printf '3\n4\n4\n')"
    is "$status" 0
    is "$stderr" "petal: f.petal: 2 keys removed, 1 not found; 8 left"
    is "$(seq 2 5 | petal check f.petal)" "$(printf '2\n5')"
    run --separate-stderr petal remove f.petal - <<<"100"
    is "$status" 1
    is "${stderr_lines[0]}" "petal: standard input:1: not an integer that the bitmap can hold: 100; skipped"
}

@test "remove fails for a kind that cannot remove" {
    echo a | petal build --quiet -o f.petal
    unchanged remove f.petal /dev/null
    is "$stderr" "petal: f.petal: cannot remove keys from a blocked filter; build it with -k quotient"
    echo a | petal build --quiet --force -k counting -O insert_only=true -o f.petal
    unchanged remove f.petal /dev/null
    is "$stderr" "petal: f.petal: cannot remove keys from a counting filter built with insert_only; build it with -k quotient"
}

@test "remove reads a filter from standard input and writes it to standard output" {
    printf 'a\nb\n' | petal build --quiet -k counting -n 100 -o f.petal
    echo b >b
    petal remove --quiet - b <f.petal | petal count - b >counts || is "$?" 1
    is "$(cat counts)" "$(printf '0\tb')"
    petal remove --quiet - /dev/null <f.petal >same.petal || is "$?" 1
    cmp f.petal same.petal
}

@test "count prints the count, a tab and the line" {
    printf 'a\nb\na\n' | petal build --quiet -k counting -o f.petal
    run --separate-stderr petal count f.petal - <<<"$(printf 'b\nc\na\n')"
    is "$status" 0
    is "$stderr" ""
    is "$output" "$(printf '1\tb\n0\tc\n2\ta')"
    run petal count f.petal - <<<"c"
    is "$status" 1
    run petal count f.petal /dev/null
    is "$status $output" "1 "
}

@test "count prints whole lines with the count of a field" {
    printf 'a\nb\na\n' | petal build --quiet -k counting -o f.petal
    is "$(printf 'x,a\nnone\ny,c\n' | petal count -f 2 -d , f.petal 2>remarks)" \
        "$(printf '2\tx,a\n0\ty,c')"
    is "$(cat remarks)" "petal: standard input:2: the line has no field 2; skipped"
    printf 'a\0c\0' | petal count -0 f.petal >counts
    printf '2\ta\0000\tc\0' | cmp - counts
}

@test "count --json prints each key and its count" {
    printf 'a"\nb\na"\n' | petal build --quiet -k counting -o f.petal
    run --separate-stderr petal count --json f.petal - <<<"$(printf 'a"\nc\n')"
    is "$status" 0
    is_json "$output"
    is "${lines[0]}" '{"key": "a\u0022", "count": 2}'
    is "${lines[1]}" '{"key": "c", "count": 0}'
}

@test "no count is too low, and a full counter means at least" {
    (keys in 300; keys in 200; yes in-1 | head -40) | petal build --quiet -k counting -o f.petal
    is "$(keys in 200 | petal count f.petal | awk '$1 + 0 < 2' | wc -l)" 0
    is "$(echo in-1 | petal count f.petal)" "$(printf '15+\tin-1')"
    has "$(petal info f.petal)" "which can no longer change"
    yes in-1 | head -40 | petal build --quiet -k counting -O counter_bits=8 -o g.petal
    is "$(echo in-1 | petal count g.petal)" "$(printf '40\tin-1')"
}

@test "count of a kind without counters prints 1 for maybe and 0 for no" {
    echo a | petal build --quiet -o f.petal
    run --separate-stderr petal count f.petal - <<<"$(printf 'a\nc\n')"
    is "$status" 0
    is "$stderr" "petal: f.petal: a blocked filter does not count; 1 means maybe, 0 means no"
    is "$output" "$(printf '1\ta\n0\tc')"
    run --separate-stderr petal count --quiet f.petal - <<<"a"
    is "$stderr" ""
}

@test "counts made before an error are printed" {
    echo a | petal build --quiet -k counting -o f.petal
    echo a >a
    seq 1000 | gzip | head -c 1000 >cut.gz
    run --separate-stderr petal count f.petal a cut.gz
    is "$status" 2
    is "$stderr" "petal: cut.gz: the compressed file is truncated"
    is "${lines[0]}" "$(printf '1\ta')"
}

@test "a missing or damaged filter, or another file, is an error" {
    echo a | petal build --quiet -k counting -o f.petal
    head -c 300 f.petal >cut.petal
    echo text >text
    for command in add remove count; do
        unchanged $command nope f.petal
        is "$stderr" "petal: nope: No such file or directory"
        unchanged $command text f.petal
        is "$stderr" "petal: text: not a petal filter"
        unchanged $command cut.petal f.petal
        is "$stderr" "petal: cut.petal: truncated: bytes are missing at the end; rebuild it or restore a copy"
        unchanged $command
        is "$stderr" "petal: an argument is missing; usage: petal $command [options] FILTER [FILE...]"
    done
}

@test "a missing or damaged input keeps the filter unchanged" {
    printf 'a\nb\n' | petal build --quiet -k counting -n 100000 -o f.petal
    seq 20000 >numbers
    gzip -c numbers | head -c 30000 >cut.gz
    for command in add remove; do
        unchanged $command f.petal numbers nope
        is "$stderr" "petal: nope: No such file or directory"
        unchanged $command f.petal numbers cut.gz
        is "$stderr" "petal: cut.gz: the compressed file is truncated"
        unchanged $command --bogus f.petal
        is "$stderr" "petal: --bogus: no such option; see petal help $command"
    done
    unchanged add f.petal -f 0 numbers
    is "$stderr" "petal: -f 0: fields are numbered from 1"
    unchanged add f.petal -f
    is "$stderr" "petal: -f: needs a value; see petal help add"
    unchanged remove f.petal -f x
    is "$stderr" "petal: -f x: fields have numbers; use --csv for columns with names, or a dot before a name in JSON (-f .x)"
}

@test "a changed filter keeps its mode and stays a symbolic link" {
    echo a | petal build --quiet -n 100 -o f.petal
    chmod 640 f.petal
    ln -s f.petal link.petal
    petal add --quiet link.petal - <<<"b"
    [ -L link.petal ]
    is "$(stat -c %a f.petal)" 640
    is "$(echo b | petal check f.petal)" b
}

@test "a closed pipe is not an error" {
    seq 100000 >in
    petal build --quiet -k counting -o f.petal in
    closed_pipe count f.petal in
    closed_pipe count --json f.petal in
    closed_pipe add --json f.petal /dev/null
    closed_pipe remove --json f.petal /dev/null
    cp f.petal g.petal
    echo a >a
    { petal add --quiet - a <g.petal 2>errors; } | true
    is "$(cat errors)" ""
}

@test "two processes that add at once lose no keys" {
    petal build --quiet -n 40000 -o f.petal </dev/null
    for i in 1 2 3 4; do
        keys $i 10000 | petal add --quiet f.petal &
    done
    wait
    for i in 1 2 3 4; do
        is "$(keys $i 10000 | petal check -c f.petal)" 10000
    done
}

@test "a process that waited for a replaced filter locks the new one" {
    for command in add remove; do
        for name in f second third; do
            printf 'rose\n%s\n' $name | petal build --quiet --force -k counting -n 100 -o $name.petal
        done
        /usr/bin/python3 - "$PETAL" $command <<'PYTHON'
import fcntl, os, subprocess, sys
from limits import LIMIT_SECONDS, wait_until
petal, command = sys.argv[1:]

def locked(name):
    file = open(name)
    fcntl.flock(file, fcntl.LOCK_EX)
    return file

def waits():
    """Until the command waits for a lock; not if it ends."""
    def one():
        with open("/proc/locks") as locks:
            return p.poll() is not None or any("->" in line and f" {p.pid} " in line for line in locks)
    return wait_until(one, "it waits") and p.poll() is None

lock = locked("f.petal")
p = subprocess.Popen([petal, command, "--quiet", "f.petal"], stdin=subprocess.PIPE)
p.stdin.write(b"rose\n")
p.stdin.close()
assert waits(), "not for the first"
for name in "second.petal", "third.petal":
    following = locked(name)
    os.rename(name, "f.petal")
    lock.close()
    lock = following
    assert waits(), "not for " + name
lock.close()
assert p.wait(LIMIT_SECONDS) == 0
PYTHON
        printf 'rose\nthird\n' | petal count f.petal >$command.counts
    done
    is "$(cat add.counts)" "$(printf '2\trose\n1\tthird')"
    is "$(cat remove.counts)" "$(printf '0\trose\n1\tthird')"
}

@test "a full counter is shown with +" {
    yes a | head -20 | petal build --quiet -k counting -n 10 -o f.petal
    is "$(echo a | petal count f.petal)" "$(printf '15+\ta')"
    is "$(echo a | petal count --json f.petal)" '{"key": "a", "count": 15, "at_least": true}'
}

@test "adding prefixes of another length says that the rate rises" {
    seq -f '10.0.%.0f.1' 0 255 | petal build --quiet --form ip -o ip.petal
    run --separate-stderr petal add ip.petal <<<"$(printf '172.16.0.0/12\n192.168.0.0/16\n')"
    is "$status" 0
    has "$stderr" "petal: ip.petal: a match now takes 3 lookups instead of the planned 1, so its rate is "
    run petal measure ip.petal
    is "$status" 1
    has "$output" "above the promised rate: a match takes more lookups than planned; rebuild the filter"
}
