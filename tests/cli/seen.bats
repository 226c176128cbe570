# seen.bats: tests of petal seen.
load common

# interrupted SIGNAL COMMAND...: sends the signal to the command when it has read most of a
# megabyte of lines and waits for more; prints what ended it.  Python starts the command,
# because the shell makes background processes ignore SIGINT.
interrupted() {
    /usr/bin/python3 - "$@" <<'PYTHON'
import signal, subprocess, sys
from limits import LIMIT_SECONDS
number = getattr(signal, sys.argv[1])
p = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                     preexec_fn=lambda: number == signal.SIGKILL or
                     signal.signal(number, signal.SIG_DFL))
lines = b"".join(b"line %d\n" % i for i in range(100000))
p.stdin.write(lines)        # returns when all but the pipe's buffer was read
p.stdin.flush()
p.send_signal(number)
print(signal.Signals(-p.wait(LIMIT_SECONDS)).name)
PYTHON
}

@test "seen prints each line once and reports the expected number of hidden ones" {
    run --separate-stderr petal seen s.petal - <<<"$(printf 'a\nb\na\nc\nb\n')"
    is "$status" 0
    is "$output" "$(printf 'a\nb\nc')"
    is "$stderr" "petal: s.petal: 5 lines, 3 printed; about 0 new lines hidden by false positives"
    petal verify s.petal
}

@test "lines are remembered from run to run" {
    printf 'a\nb\n' | petal seen --quiet s.petal >first
    is "$(printf 'b\nc\na\nd\n' | petal seen --quiet s.petal)" "$(printf 'c\nd')"
    run --separate-stderr petal seen s.petal - <<<"$(printf 'a\nd\n')"
    is "$status" 1
    is "$output" ""
    is "$stderr" "petal: s.petal: 2 lines, 0 printed; about 0 new lines hidden by false positives"
}

@test "empty input creates a filter" {
    run --separate-stderr petal seen s.petal /dev/null
    is "$status" 1
    is "$output" ""
    is "$stderr" "petal: s.petal: 0 lines, 0 printed; about 0 new lines hidden by false positives"
    petal verify s.petal
}

@test "a new filter grows, except with -n" {
    keys in 20000 | petal seen --quiet s.petal >/dev/null
    has "$(petal info s.petal)" "scalable"
    keys in 100 | petal seen --quiet -n 100 -p 0.1% t.petal >/dev/null
    has "$(petal info t.petal)" "blocked"
    has "$(petal info t.petal)" "0.1% promised at capacity"
}

@test "the number of hidden lines is that of the formula, within its error" {
    keys in 100000 >in
    for how in "-k scalable" "-n 100000" "-n 100000 -p 5%"; do
        rm -f s.petal
        petal seen --json $how s.petal in | tail -1 >account
        /usr/bin/python3 - <<'PYTHON'
import json
a = json.load(open("account"))["account"]
assert a["lines"] == 100000, a
passed_over = a["lines"] - a["printed"]
expected = a["hidden_expected"]
assert 0 <= a["printed"] - a["keys"] < 20, a    # a key can be hidden by others of its group
assert expected > 10, a
assert abs(passed_over - expected) < 6 * expected ** 0.5, (passed_over, expected)
PYTHON
    done
}

@test "--json prints each new line, then the report" {
    printf 'a\n' | petal seen --quiet s.petal >/dev/null
    run --separate-stderr petal seen --json s.petal - <<<"$(printf 'a\nd"\nd"\n')"
    is "$status" 0
    is "$stderr" ""
    is_json "$output"
    is "${lines[0]}" '{"file": "standard input", "line": 2, "text": "d\u0022", "key": "d\u0022"}'
    has "${lines[1]}" '{"account": {"lines": 3, "printed": 1, "hidden_expected": '
    has "${lines[1]}" '"keys": 2}}'
    is "${#lines[@]}" 2
}

@test "--nth 2 prints a line the second time it occurs, even in another run" {
    run --separate-stderr petal seen --nth 2 -n 100 -p 1e-6 c.petal - <<<"$(printf 'a\nb\na\na\nb\nc\n')"
    is "$status" 0
    is "$output" "$(printf 'a\nb')"
    is "$stderr" "petal: c.petal: 6 lines, 2 printed at occurrence 2; at most about 0 wrong because of false positives"
    is "$(printf 'a\nc\nc\n' | petal seen --quiet --nth 2 c.petal)" c
    is "$(printf 'd\nd\nd\nd\n' | petal seen --quiet --nth 3 c.petal)" d
}

@test "the expected number of wrong lines depends on keys, not on repeats" {
    yes a | head -10000 >in
    run --separate-stderr petal seen --nth 2 -n 1000 c.petal in
    is "$output" a
    is "$stderr" "petal: c.petal: 10,000 lines, 1 printed at occurrence 2; at most about 0 wrong because of false positives"
}

@test "a counting filter saves the counts of repeated lines" {
    printf 'a\na\nb\n' | petal seen --quiet -k counting -n 100 --save-every 0s c.petal >/dev/null
    printf 'a\n' | petal seen --quiet c.petal >/dev/null || true
    is "$(echo a | petal count c.petal)" "$(printf '3\ta')"
    echo a >again # saved after each file
    petal seen --quiet --save-every 0s c.petal again again || is "$?" 1
    is "$(echo a | petal count c.petal)" "$(printf '5\ta')"
}

@test "with --to, lines count as seen only if the command exits with 0" {
    keys in 50000 >in # more than a pipe holds
    run --separate-stderr petal seen -n 50000 -p 1e-9 --to 'cat >got; exit 3' s.petal in
    is "$status $output" "2 "
    is "$stderr" "petal: cat >got; exit 3: failed; no line of this run counts as seen"
    cmp got in
    [ ! -e s.petal ]
    run --separate-stderr petal seen -n 50000 -p 1e-9 --to 'head -1 >got' s.petal in
    is "$status" 2
    has "$stderr" "no line of this run counts as seen"
    [ ! -e s.petal ]
    run --separate-stderr petal seen -n 50000 -p 1e-9 --to 'cat >got' s.petal in
    is "$status" 0
    cmp got in
    run --separate-stderr petal seen --quiet --to 'cat >got' s.petal in
    is "$status$(cat got)" 1
}

@test "--nth fails without counters, or if they are too small" {
    echo a | petal seen --quiet s.petal >/dev/null
    cp s.petal before
    run --separate-stderr petal seen --nth 2 s.petal - <<<"a"
    is "$status $output$stderr" "2 petal: s.petal: a scalable filter does not count, which --nth needs; use a filter of kind quotient"
    cmp s.petal before
    run --separate-stderr petal seen --nth 15 new.petal - <<<"a"
    is "$status $output$stderr" "2 petal: new.petal: no such file; to create a counting filter, give the expected number of keys with -n"
    run --separate-stderr petal seen --nth 15 -n 100 new.petal - <<<"a"
    is "$status $output$stderr" "2 petal: --nth 15: this filter only counts up to 14; build it with -O counter_bits=8"
    run --separate-stderr petal seen --nth 0 new.petal - <<<"a"
    is "$status $output" "2 "
    one_sentence "$stderr"
    has "$stderr" "--nth 0"
    [ ! -e new.petal ]
}

@test "keys can be fields, NUL-separated, and in compressed files" {
    printf 'x,one\ny,one\nz\nx,two\n' >in.csv
    run --separate-stderr petal seen -f 2 -d , s.petal in.csv
    is "$output" "$(printf 'x,one\nx,two')"
    is "${stderr_lines[0]}" "petal: in.csv:3: the line has no field 2; skipped"
    printf 'a\nb\0c\0a\nb\0' | petal seen --quiet -0 t.petal >found
    printf 'a\nb\0c\0' | cmp - found
    printf 'a\nb\n' | gzip >a.gz
    printf 'b\nc' | zstd -q >b.zst
    is "$(petal seen --quiet u.petal a.gz b.zst)" "$(printf 'a\nb\nc')"
    is "$(printf 'a\r\na\nb' | petal seen --quiet v.petal | tr -d '\r')" "$(printf 'a\nb')"
}

@test "all spellings of a URL are one line, and other lines are reported" {
    printf 'http://Evil.com/\nevil.com\nno url\nevil.com/x\n' >in
    run --separate-stderr petal seen --form url s.petal in
    is "$status" 0
    is "$output" "$(printf 'http://Evil.com/\nevil.com/x')"
    is "${stderr_lines[0]}" "petal: in:3: not a URL: no url; skipped"
    run --separate-stderr petal seen --strict s.petal in
    is "$status $stderr" "2 petal: in:3: not a URL: no url; omit --strict to skip such lines"
}

@test "a line is printed before the next is read" {
    /usr/bin/python3 - "$PETAL" <<'PYTHON'
import subprocess, sys
from limits import LIMIT_SECONDS
p = subprocess.Popen([sys.argv[1], "seen", "--quiet", "s.petal"], stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE)
for line in b"first\n", b"second\n":
    p.stdin.write(line)
    p.stdin.flush()
    assert p.stdout.readline() == line
p.stdin.close()
assert p.wait(LIMIT_SECONDS) == 0
PYTHON
}

@test "printed lines are saved when the pipe is closed" {
    keys in 100000 | petal seen --quiet s.petal 2>errors | head -1 >first
    is "$(cat first)" in-1
    is "$(cat errors)" ""
    petal verify s.petal
    run petal seen --quiet s.petal - <<<"in-1"
    is "$status $output" "1 "
    is "$(ls -A | grep -c '^\.')" 0
}

@test "printed lines are saved after a signal, without temporary files" {
    echo before | petal seen --quiet s.petal >/dev/null
    for signal in SIGINT SIGTERM; do
        is "$(interrupted $signal "$PETAL" seen s.petal)" $signal
        is "$(interrupted $signal "$PETAL" seen new.petal)" $signal
        for filter in s.petal new.petal; do
            petal verify $filter
            petal check -q $filter - <<<"line 1"
        done
        petal check -q s.petal - <<<"before"
        rm -f new.petal
        is "$(ls -A)" s.petal
    done
}

@test "a filter saved at an interval survives SIGKILL" {
    is "$(interrupted SIGKILL "$PETAL" seen --save-every 0s s.petal)" SIGKILL
    petal verify s.petal
    run petal check -q s.petal - <<<"line 1"
    is "$status" 0
}

@test "a filter that cannot be saved is an error before any line is printed" {
    run --separate-stderr petal seen nowhere/s.petal - <<<"a"
    is "$status" 2
    is "$output" ""
    is "$stderr" "petal: nowhere/s.petal: No such file or directory"
}

@test "the filter cannot be standard input" {
    run --separate-stderr petal seen - - <<<"a"
    is "$status" 2
    is "$output" ""
    one_sentence "$stderr"
    [ ! -e ./- ]
}

@test "a damaged filter or another file is an error and stays unchanged" {
    echo text >text
    run --separate-stderr petal seen text - <<<"a"
    is "$status $output$stderr" "2 petal: text: not a petal filter"
    is "$(cat text)" text
    echo a | petal seen --quiet s.petal >/dev/null
    head -c 300 s.petal >cut.petal
    cp cut.petal before
    run --separate-stderr petal seen cut.petal - <<<"a"
    is "$status $output$stderr" "2 petal: cut.petal: truncated: bytes are missing at the end; rebuild it or restore a copy"
    cmp cut.petal before
    run --separate-stderr petal seen . - <<<"a"
    is "$status $output$stderr" "2 petal: .: Is a directory"
}

@test "a missing input is an error before a filter is created" {
    run --separate-stderr petal seen s.petal nope
    is "$status $output$stderr" "2 petal: nope: No such file or directory"
    [ ! -e s.petal ]
}

@test "an invalid option is an error that names it" {
    run --separate-stderr petal seen
    is "$status $stderr" "2 petal: an argument is missing; usage: petal seen [options] FILTER [FILE...]"
    run --separate-stderr petal seen --save-every 5 s.petal
    is "$status $stderr" "2 petal: --save-every 5: not a time such as 500ms, 0.5s or 20us"
    run --separate-stderr petal seen --nth two s.petal
    is "$status" 2
    has "$stderr" "petal: --nth two: not a number"
    run --separate-stderr petal seen --nth
    is "$status $stderr" "2 petal: --nth: needs a value; see petal help seen"
    run --separate-stderr petal seen --bogus s.petal
    is "$status $stderr" "2 petal: --bogus: no such option; see petal help seen"
    [ ! -e s.petal ]
}

@test "a closed pipe is not an error" {
    seq 100000 >in
    closed_pipe seen --quiet s.petal in
    closed_pipe seen --quiet --json t.petal in
}

@test "a signal never splits a line" {
    /usr/bin/python3 - "$PETAL" <<'PYTHON'
import os, signal, subprocess, sys
from limits import LIMIT_SECONDS
with open("in", "w") as file:
    file.writelines("line-number-%012d-end\n" % i for i in range(1000000))
for part in (1, 1000000, 10000000):         # of 29,000,000 bytes
    with open("out", "wb") as out:
        p = subprocess.Popen([sys.argv[1], "seen", "--quiet", "s%s.petal" % part, "in"], stdout=out)
        while p.poll() is None and os.path.getsize("out") < part:
            pass
        p.send_signal(signal.SIGINT)
        p.wait(LIMIT_SECONDS)
    for line in open("out"):
        assert len(line) == 29 and line.endswith("-end\n"), line
PYTHON
}

@test "an ignored signal has no effect" {
    /usr/bin/python3 - "$PETAL" <<'PYTHON'
import signal, subprocess, sys
from limits import LIMIT_SECONDS
p = subprocess.Popen([sys.argv[1], "seen", "--quiet", "s.petal"], stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE, bufsize=0,
                     preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
p.stdin.write(b"a\n")
assert p.stdout.read(2) == b"a\n"
p.send_signal(signal.SIGHUP)
p.stdin.write(b"b\n")
assert p.stdout.read(2) == b"b\n"
p.stdin.close()
assert p.wait(LIMIT_SECONDS) == 0
PYTHON
}

@test "two processes cannot use one filter at the same time" {
    echo a | petal seen --quiet s.petal >/dev/null
    mkfifo in
    petal seen --quiet s.petal in >first &
    exec 7>in # when it has its input open, it has the filter
    run --separate-stderr timeout "$LIMIT_SECONDS" "$PETAL" seen --quiet s.petal - <<<"b"
    is "$status $stderr" "2 petal: s.petal: another petal is changing it; try again later"
    echo c >&7
    exec 7>&-
    wait
    is "$(cat first)" c
}

@test "two processes cannot create one filter at the same time" {
    mkfifo in
    petal seen --quiet s.petal in >first &
    exec 7>in # when it has its input open, it has locked the new filter
    run --separate-stderr timeout "$LIMIT_SECONDS" "$PETAL" seen --quiet s.petal - <<<"b"
    is "$status $stderr" "2 petal: s.petal: another petal is changing it; try again later"
    echo c >&7
    exec 7>&-
    wait
    is "$(cat first)" c
    is "$(printf 'b\nc\n' | petal check s.petal)" c
}

@test "a run that ends with an error leaves no empty filter, and one that was left is used" {
    run --separate-stderr petal seen --quiet --form ip --strict s.petal - <<<"rose"
    is "$status" 2
    [ ! -e s.petal ]
    : >s.petal
    is "$(echo a | petal seen --quiet s.petal)" a
    is "$(echo a | petal check s.petal)" a
}

@test "a filter saved at an interval stays locked, with one lock" {
    /usr/bin/python3 - "$PETAL" <<'PYTHON'
import subprocess, sys
from limits import LIMIT_SECONDS, wait_until
command = [sys.argv[1], "seen", "--quiet", "--save-every", "0s", "s.petal"]
p = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

def locks():
    """Those that it has, by file."""
    with open("/proc/locks") as lines:
        return [line.split()[-3] for line in lines if f" {p.pid} " in line]

wait_until(lambda: len(locks()) == 1, "the new filter is an empty file, and locked")
before = locks()
for line in b"a\n", b"b\n", b"c\n":
    p.stdin.write(line)
    p.stdin.flush()
    assert p.stdout.readline() == line
    wait_until(lambda: len(now := locks()) == 1 and now != before, f"it is saved, which replaces the file: {before}")
    before = locks()
    other = subprocess.run(command, input=b"d\n", capture_output=True, timeout=LIMIT_SECONDS)
    assert other.returncode == 2 and other.stdout == b""
    assert other.stderr == b"petal: s.petal: another petal is changing it; try again later\n"
p.stdin.close()
assert p.wait(LIMIT_SECONDS) == 0
PYTHON
    is "$(printf 'a\nb\nc\nd\n' | petal check s.petal)" "$(printf 'a\nb\nc')"
}

@test "an overfull filter reports how many lines it hid" {
    seq 1 100000 | petal seen --json -n 10000 s.petal | tail -1 >account
    /usr/bin/python3 -c '
import json
a = json.load(open("account"))["account"]
wrong = a["lines"] - a["printed"]
assert abs(a["hidden_expected"] - wrong) < 0.05 * wrong, a'
}

@test "lines that occur again, in the same group or later, are printed once, as by a model" {
    /usr/bin/python3 - "$PETAL" <<'PYTHON'
import random, subprocess, sys
from limits import LIMIT_SECONDS
chance = random.Random(3)

def line(kinds, longest):
    number = chance.randrange(kinds)
    return b"%d %s" % (number, b"x" * (number * 7919 % (longest + 1)))

exact = ["-k", "classic", "-n", "100000", "-p", "1e-9"]     # no line is hidden
for kinds, longest, n in [(1, 0, 5000), (10, 70, 3000), (3000, 130, 9000), (50000, 60, 60000),
                          (100000, 5, 60000), (300, 9000, 1000), (3, 200000, 30)]:
    lines = [line(kinds, longest) for _ in range(n)]
    text = b"\n".join(lines)                # the last one lacks its newline
    want, known = [], set()
    for each in lines:
        if each not in known:
            want.append(each)
        known.add(each)
    with open("in", "wb") as file:
        file.write(text)
    for how in exact, ["-k", "counting", "-n", "1000000", "-p", "1e-4"]:
        for source in ["in"], []:
            subprocess.run(["rm", "-f", "s.petal"])
            command = [sys.argv[1], "seen", "--quiet", *how, "s.petal", *source]
            got = subprocess.run(command, input=text, capture_output=True, timeout=LIMIT_SECONDS)
            assert got.stdout == b"".join(each + b"\n" for each in want), (kinds, longest, how)
            again = subprocess.run(command, input=text, capture_output=True, timeout=LIMIT_SECONDS)
            assert again.stdout == b"" and again.returncode == 1
            with open("once", "wb") as file:
                file.writelines(each + b"\n" for each in known)
            count = subprocess.run([sys.argv[1], "check", "-c", "s.petal", "once"], capture_output=True)
            assert count.stdout == b"%d\n" % len(known)
PYTHON
}

# It takes some of the output, then closes the pipe.  The next run must print exactly the lines
# that are new after the position that was reported.
@test "after a reader has gone, the next run prints exactly the rest" {
    /usr/bin/python3 - "$PETAL" <<'PYTHON'
import os, random, re, subprocess, sys
from limits import LIMIT_SECONDS
chance = random.Random(4)
lines = ["line-%d one\n" % chance.randrange(40000) for i in range(60000)]
with open("in", "w") as file:
    file.writelines(lines)
exact = ["-k", "classic", "-n", "100000", "-p", "1e-9"]
for options in [], ["-f", "1"], ["-f", "1", "--json"]:
    for most in 0, 1, 5000, 70000, 200000, 400000:
        subprocess.run(["rm", "-f", "s.petal"])
        p = subprocess.Popen([sys.argv[1], "seen", *exact, *options, "s.petal", "in"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        got = b""
        while len(got) < most:
            got += os.read(p.stdout.fileno(), most - len(got))
        p.stdout.close()
        said = p.stderr.read().decode()
        p.wait(LIMIT_SECONDS)
        found = re.search(r"up to line ([\d,]+) of in counts as seen; go on with line ([\d,]+)", said)
        assert found or "no line counts as seen" in said, said
        counted = int(found[1].replace(",", "")) if found else 0
        assert not found or int(found[2].replace(",", "")) == counted + 1, said
        known, want = set(lines[:counted]), []
        for line in lines[counted:]:
            if line not in known:
                want.append(line)
            known.add(line)
        second = subprocess.run([sys.argv[1], "seen", "--quiet", *options[:2], "s.petal", "in"],
                                capture_output=True, text=True, timeout=LIMIT_SECONDS)
        assert second.stdout == "".join(want), (options, most, counted, len(want))
        if "--json" not in options:     # what was read is a part of what counted as seen
            assert got.decode().count("\n") <= len(set(lines[:counted])), (options, most)
PYTHON
}

@test "keys of a form are added as petal add adds them, with their classes" {
    printf 'http://Evil.com/a/\nb.example.org\nevil.com/a\nx.org/p/q?r\nno url\n' >in
    petal seen --quiet --form url -n 1000 s.petal in 2>/dev/null >/dev/null
    petal build --quiet --form url -n 1000 -o b.petal /dev/null
    petal add --quiet b.petal in 2>/dev/null
    is "$(petal info s.petal | grep ' id ')" "$(petal info b.petal | grep ' id ')"
    is "$(petal info s.petal | grep -i lookups)" "$(petal info b.petal | grep -i lookups)"
    is "$(printf 'www.evil.com/a/deep/page\nevil.com/b\n' | petal check s.petal)" www.evil.com/a/deep/page
}

@test "a large file starts with a larger stage, so that there are fewer" {
    seq -f 'https://example.org/%060.0f' 400000 >in # 32 MB
    petal seen --quiet piped.petal < <(cat in) | wc -l >piped
    petal seen --quiet s.petal in | wc -l >file
    stages() { petal info --json "$1" | /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["stages"])'; }
    [ "$(stages s.petal)" -lt "$(stages piped.petal)" ]
    [ "$(cat file)" -gt 396000 ] # at a rate of 1%
    [ "$(cat piped)" -gt 396000 ]
    yes | head -c 20000000 >one
    petal seen --quiet t.petal one >/dev/null
    [ "$(stat -c %s t.petal)" -lt 40000 ] # 0.2% of the input
    petal seen --quiet -O capacity_max=10000 u.petal one >/dev/null
    has "$(petal info u.petal)" "capacity 10,000"
}
