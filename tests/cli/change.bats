# change.bats: add, remove and count: a filter that is there, changed or asked for counts.
load common

# unchanged COMMAND...: it fails with one sentence, and f.petal is as it was, alone.
unchanged() {
    cp f.petal before
    run --separate-stderr petal "$@"
    is "$status" 2
    is "$output" ""
    one_sentence "$stderr"
    cmp f.petal before
    is "$(ls -A | grep -c '^\.')" 0
}

@test "add puts more keys into a filter, and says how full it is" {
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

@test "add --json gives the figures" {
    printf 'a\nb\n' | petal build --quiet -n 100 -o f.petal
    run --separate-stderr petal add --json f.petal - <<<"$(printf 'b\nc\n')"
    is "$status" 0
    is "$stderr" ""
    is_json "$output"
    has "$output" '{"file": "f.petal", "lines": 2, "new": 1, "keys_estimate": '
    has "$output" '"capacity": 100, "fpr_estimate": '
}

@test "nothing to add is status 1, and the filter stays" {
    echo a | petal build --quiet -n 100 -o f.petal
    cp f.petal before
    run --separate-stderr petal add f.petal /dev/null
    is "$status" 1
    has "$stderr" "petal: f.petal: 0 new keys from 0 lines; now about "
    cmp f.petal before
}

@test "add reads several files, packed ones, fields and NULs" {
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

@test "a filter that fills up beyond its plan says so, and one that grows does not" {
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

@test "add names lines that are no keys; --strict leaves the filter as it was" {
    echo 10.0.0.0/8 | petal build --quiet --form ip -n 10 -o f.petal
    printf '1.2.3.4\nfoo\n' >in
    unchanged add --strict f.petal in
    is "$stderr" "petal: in:2: not an address; omit --strict to skip such lines"
    run --separate-stderr petal add f.petal in
    is "$status" 0
    is "${stderr_lines[0]}" "petal: in:2: not an address; skipped"
    is "$(echo 1.2.3.4 | petal check f.petal)" 1.2.3.4
}

@test "a filter on standard input goes to standard output, with what was added" {
    printf 'a\n' | petal build --quiet -n 100 -o f.petal
    echo b >b
    petal add --quiet - b <f.petal >g.petal
    is "$(printf 'a\nb\nc\n' | petal check g.petal)" "$(printf 'a\nb')"
    run petal add --quiet - /dev/null <f.petal
    is "$status" 1
    petal add --quiet - /dev/null <f.petal >h.petal || is "$?" 1
    cmp f.petal h.petal
}

@test "a filter and keys cannot both come from standard input" {
    echo a | petal build --quiet -k counting -n 100 -o f.petal
    for command in add remove count; do
        run --separate-stderr petal $command - <f.petal
        is "$command $status" "$command 2"
        is "$stderr" "petal: standard input can be read only once"
    done
}

@test "remove takes back one addition a line" {
    printf 'a\nb\na\n' | petal build --quiet -k counting -o f.petal
    run --separate-stderr petal remove f.petal - <<<"$(printf 'a\nc\n')"
    is "$status" 0
    is "$output" ""
    is "$stderr" "petal: f.petal: 1 key removed, 1 not found; 2 left"
    is "$(printf 'a\nb\nc\n' | petal count f.petal)" "$(printf '1\ta\n1\tb\n0\tc')"
    petal verify f.petal
}

@test "what was added and removed leaves no trace" {
    keys in 300 | petal build --quiet -k counting -n 1000 -o f.petal
    cp f.petal before
    keys more 200 >more
    petal add --quiet f.petal more
    petal remove --quiet f.petal more
    cmp f.petal before
}

@test "remove --json gives the figures" {
    printf 'a\nb\n' | petal build --quiet -k counting -o f.petal
    run --separate-stderr petal remove --json f.petal - <<<"$(printf 'a\nc\n')"
    is "$status" 0
    is "$stderr" ""
    is_json "$output"
    is "$output" '{"file": "f.petal", "removed": 1, "absent": 1, "keys": 1}'
}

@test "nothing removed is status 1, and the filter stays" {
    echo a | petal build --quiet -k counting -o f.petal
    cp f.petal before
    run --separate-stderr petal remove f.petal - <<<"c"
    is "$status" 1
    is "$stderr" "petal: f.petal: 0 keys removed, 1 not found; 1 left"
    run --separate-stderr petal remove f.petal /dev/null
    is "$status" 1
    cmp f.petal before
}

@test "integers are taken out of a bitmap" {
    seq 0 9 | petal build --quiet -k bitmap -o f.petal
    run --separate-stderr petal remove f.petal - <<<"$(printf '3\n4\n4\n')"
    is "$status" 0
    is "$stderr" "petal: f.petal: 2 keys removed, 1 not found; 8 left"
    is "$(seq 2 5 | petal check f.petal)" "$(printf '2\n5')"
    run --separate-stderr petal remove f.petal - <<<"100"
    is "$status" 1
    is "${stderr_lines[0]}" "petal: standard input:1: not an integer that the bitmap can hold; skipped"
}

@test "a kind that cannot remove says so" {
    echo a | petal build --quiet -o f.petal
    unchanged remove f.petal /dev/null
    is "$stderr" "petal: f.petal: cannot remove keys from a blocked filter; build it with -k counting"
    echo a | petal build --quiet --force -k counting -O insert_only=true -o f.petal
    unchanged remove f.petal /dev/null
    is "$stderr" "petal: f.petal: cannot remove keys from a counting filter built with insert_only; build it with -k counting"
}

@test "a removed filter on standard input goes to standard output" {
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

@test "count prints whole lines, by the count of a field" {
    printf 'a\nb\na\n' | petal build --quiet -k counting -o f.petal
    is "$(printf 'x,a\nnone\ny,c\n' | petal count -f 2 -d , f.petal 2>remarks)" \
        "$(printf '2\tx,a\n0\ty,c')"
    is "$(cat remarks)" "petal: standard input:2: the line has no field 2; skipped"
    printf 'a\0c\0' | petal count -0 f.petal >counts
    printf '2\ta\0000\tc\0' | cmp - counts
}

@test "count --json gives each key and its count" {
    printf 'a"\nb\na"\n' | petal build --quiet -k counting -o f.petal
    run --separate-stderr petal count --json f.petal - <<<"$(printf 'a"\nc\n')"
    is "$status" 0
    is_json "$output"
    is "${lines[0]}" '{"key": "a\u0022", "count": 2}'
    is "${lines[1]}" '{"key": "c", "count": 0}'
}

@test "no count is too low, and counters that are full mean at least" {
    (keys in 300; keys in 200; yes in-1 | head -40) | petal build --quiet -k counting -o f.petal
    is "$(keys in 200 | petal count f.petal | awk '$1 + 0 < 2' | wc -l)" 0
    is "$(echo in-1 | petal count f.petal)" "$(printf '15+\tin-1')"
    has "$(petal info f.petal)" "which can no longer change"
    yes in-1 | head -40 | petal build --quiet -k counting -O counter_bits=8 -o g.petal
    is "$(echo in-1 | petal count g.petal)" "$(printf '40\tin-1')"
}

@test "a kind that does not count answers 1 for maybe, 0 for no, and says so" {
    echo a | petal build --quiet -o f.petal
    run --separate-stderr petal count f.petal - <<<"$(printf 'a\nc\n')"
    is "$status" 0
    is "$stderr" "petal: f.petal: a blocked filter has no counters; 1 means maybe, 0 means no"
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

@test "a missing, broken or foreign filter is refused by name" {
    echo a | petal build --quiet -k counting -o f.petal
    head -c 300 f.petal >cut.petal
    echo text >text
    for command in add remove count; do
        unchanged $command nope f.petal
        is "$stderr" "petal: nope: No such file or directory"
        unchanged $command text f.petal
        is "$stderr" "petal: text: not a petal filter"
        unchanged $command cut.petal f.petal
        is "$stderr" "petal: cut.petal: truncated: shorter than its header says"
        unchanged $command
        is "$stderr" "petal: usage: petal $command [options] FILTER [FILE...]"
    done
}

@test "a missing or broken input leaves the filter as it was" {
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
    is "$stderr" "petal: -f 0: not a number from 1 up"
    unchanged add f.petal -f
    is "$stderr" "petal: -f: needs a value; see petal help add"
    unchanged remove f.petal -f x
    is "$stderr" "petal: -f x: not a number from 1 up"
}

@test "the mode of a changed filter and a link to it stay" {
    echo a | petal build --quiet -n 100 -o f.petal
    chmod 640 f.petal
    ln -s f.petal link.petal
    petal add --quiet link.petal - <<<"b"
    [ -L link.petal ]
    is "$(stat -c %a f.petal)" 640
    is "$(echo b | petal check f.petal)" b
}

@test "nobody reading is no error" {
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

@test "two that add at once lose nothing of each other" {
    petal build --quiet -n 40000 -o f.petal </dev/null
    for i in 1 2 3 4; do
        keys $i 10000 | petal add --quiet f.petal &
    done
    wait
    for i in 1 2 3 4; do
        is "$(keys $i 10000 | petal check -c f.petal)" 10000
    done
}

@test "who has waited for a filter that was replaced waits for the new one" {
    for command in add remove; do
        for name in f second third; do
            printf 'rose\n%s\n' $name | petal build --quiet --force -k counting -n 100 -o $name.petal
        done
        /usr/bin/python3 - "$PETAL" $command <<'PYTHON'
import fcntl, os, subprocess, sys, time
petal, command = sys.argv[1:]

def locked(name):
    file = open(name)
    fcntl.flock(file, fcntl.LOCK_EX)
    return file

def waits():
    """Until the command waits for a lock; not if it ends."""
    end = time.monotonic() + 30
    while p.poll() is None and time.monotonic() < end:
        with open("/proc/locks") as locks:
            if any("->" in line and f" {p.pid} " in line for line in locks):
                return True
        time.sleep(0.01)
    return False

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
assert p.wait(30) == 0
PYTHON
        printf 'rose\nthird\n' | petal count f.petal >$command.counts
    done
    is "$(cat add.counts)" "$(printf '2\trose\n1\tthird')"
    is "$(cat remove.counts)" "$(printf '0\trose\n1\tthird')"
}

@test "a counter that is full says so" {
    yes a | head -20 | petal build --quiet -k counting -n 10 -o f.petal
    is "$(echo a | petal count f.petal)" "$(printf '15+\ta')"
    is "$(echo a | petal count --json f.petal)" '{"key": "a", "count": 15, "at_least": true}'
}
