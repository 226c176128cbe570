# manners.bats: tests of all commands: exit status, signals, progress, full disks.
load common

# A folder is clean if it contains no temporary files.
clean() {
    is "$(ls -A | grep -E '^\.|XXXX|tmp')" ""
}

# interrupted SIGNAL COMMAND...: sends the signal to the command when it has read most of a
# megabyte and waits for more; prints what ended it.  See seen.bats.
interrupted() {
    /usr/bin/python3 - "$@" <<'PYTHON'
import signal, subprocess, sys
from limits import LIMIT_SECONDS
number = getattr(signal, sys.argv[1])
p = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                     preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
p.stdin.write(b"".join(b"line %d\n" % i for i in range(100000)))
p.stdin.flush()
p.send_signal(number)
print(signal.Signals(-p.wait(LIMIT_SECONDS)).name)
PYTHON
}

@test "the exit status is 0 for results, 1 for none, 2 for an error" {
    echo a | petal build --quiet -k counting -o f.petal
    for command in check count missing seen remove; do
        cp f.petal g.petal
        run petal $command --quiet nope - <<<"a"
        [ "$command" = seen ] || is "$command $status" "$command 2"
        rm -f nope
        run petal $command --quiet g.petal /dev/null
        is "$command $status" "$command 1"
    done
    for command in check count remove; do
        run petal $command --quiet f.petal - <<<"a"
        is "$command $status" "$command 0"
    done
}

@test "Ctrl-C during reading keeps the old file and leaves no temporary file" {
    echo old | petal build --quiet -o old.petal
    cp old.petal before
    for signal in SIGINT SIGTERM; do
        is "$(interrupted $signal "$PETAL" build -o new.petal)" $signal
        is "$(interrupted $signal "$PETAL" build -n 1000000 -o new.petal)" $signal
        is "$(interrupted $signal "$PETAL" build --force -o old.petal)" $signal
        is "$(interrupted $signal "$PETAL" add --quiet old.petal)" $signal
        is "$(interrupted $signal "$PETAL" check -c old.petal)" $signal
        [ ! -e new.petal ]
        cmp old.petal before
    done
    is "$(ls -A)" "$(printf 'before\nold.petal')"
}

@test "Ctrl-C during saving leaves the old file or the complete new one" {
    echo old | petal build --quiet -m 8MiB -o f.petal
    /usr/bin/python3 - "$PETAL" <<'PYTHON'
import os, signal, subprocess, sys
from limits import LIMIT_SECONDS
command = [sys.argv[1], "build", "--quiet", "--force", "-m", "8MiB", "-o", "f.petal"]
for attempt in range(4):
    p = subprocess.Popen(command, stdin=subprocess.PIPE,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    p.stdin.write(b"new\n")
    p.stdin.close()
    while p.poll() is None and not any(n.startswith(".") for n in os.listdir(".")):
        pass
    if p.poll() is None:
        p.send_signal(signal.SIGINT)
    p.wait(LIMIT_SECONDS)
    assert [n for n in os.listdir(".") if n != "f.petal"] == [], os.listdir(".")
    subprocess.run([sys.argv[1], "verify", "f.petal"], check=True)
PYTHON
}

@test "an error keeps the old file and leaves no temporary file" {
    keys in 1000 | petal build --quiet -k counting -o f.petal
    cp f.petal before
    seq 20000 >numbers
    gzip -c numbers | head -c 20000 >cut.gz
    for command in "build --force -o f.petal" "build --force -n 100000 -o f.petal" \
        "add f.petal" "remove f.petal"; do
        run petal $command numbers cut.gz
        is "$status" 2
        cmp f.petal before
    done
    clean
}

# user COMMAND...: without the right of root to write everywhere.
user() {
    local rights=-dac_override,-dac_read_search
    if [ "$(id -u)" -ne 0 ]; then
        "$@"
    else
        setpriv "--inh-caps=$rights" "--bounding-set=$rights" "$@"
    fi
}

@test "a file that cannot be written is an error that names it" {
    user true 2>/dev/null || skip "no setpriv, and root may write everywhere"
    mkdir locked
    echo a | petal build --quiet -n 10 -o locked/f.petal
    chmod 555 locked
    run --separate-stderr user "$PETAL" add locked/f.petal - <<<"b"
    chmod 755 locked
    is "$status" 2
    one_sentence "$stderr"
    has "$stderr" "locked/f.petal: "
}

@test "only regular files are replaced" {
    mkfifo pipe
    mkdir folder
    for output in pipe folder; do
        run --separate-stderr petal build --force -o $output - <<<"a"
        is "$status" 2
        one_sentence "$stderr"
        has "$stderr" "$output: "
    done
    [ -p pipe ]
    [ -d folder ]
    clean
}

@test "a full disk is an error" {
    [ -w /dev/full ] || skip "no /dev/full"
    keys in 10 >in
    petal build --quiet -k counting -o f.petal in
    for command in "check f.petal in" "check -c f.petal in" "check --json f.petal in" \
        "count f.petal in" "info f.petal" "verify --json f.petal" "measure -n 100 f.petal" \
        "diff f.petal f.petal" "merge -o - f.petal" "build -o - in" \
        "missing f.petal numbers" "help" "help --man" "--version"; do
        seq 5 >numbers
        run --separate-stderr bash -c "\"$PETAL\" $command --quiet 2>&1 >/dev/full"
        [ "$command" != "help" ] && [ "$command" != "help --man" ] && [ "$command" != --version ] ||
            run --separate-stderr bash -c "\"$PETAL\" $command 2>&1 >/dev/full"
        is "$command: $status" "$command: 2"
        is "$output" "petal: standard output: No space left on device"
    done
    petal verify f.petal
}

@test "seen saves what it printed, even if the disk of the output is full" {
    [ -w /dev/full ] || skip "no /dev/full"
    run bash -c "echo a | \"$PETAL\" seen --quiet s.petal >/dev/full"
    is "$status" 2
    petal verify s.petal
}

@test "closed standard input or output is an error" {
    keys in 10 >in
    petal build --quiet -o f.petal in
    run --separate-stderr bash -c "\"$PETAL\" check f.petal <&-"
    is "$status $stderr" "2 petal: standard input: Bad file descriptor"
    run --separate-stderr bash -c "\"$PETAL\" check f.petal in >&-"
    is "$status $stderr" "2 petal: standard output: Bad file descriptor"
    run bash -c "\"$PETAL\" build -o g.petal in 2>&- >&- <&-"
    is "$status" 0
    cmp f.petal g.petal
}

@test "a filter is not written to a terminal" {
    command -v script >/dev/null || skip "no script"
    script -qec true /dev/null >/dev/null 2>&1 || skip "no terminals to be had"
    echo a >in
    run script -qec "\"$PETAL\" build -o - in" /dev/null
    is "$status" 2
    has "$output" "petal: a filter is not text, and standard output is a terminal; use -o FILE or redirect it"
    run script -qec "\"$PETAL\" build --quiet -o f.petal in; \"$PETAL\" merge -o - f.petal" /dev/null
    is "$status" 2
}

# on_terminal OUT ARGUMENTS: runs petal on a new terminal and writes its screen to OUT.
on_terminal() {
    script -qec "\"$PETAL\" $2" /dev/null >"$1"
}

# late FIFO SCREEN: reads a little from it, until SCREEN shows something, and then the rest.
late() {
    /usr/bin/python3 - "$@" <<'PYTHON'
import os, sys, time
with open(sys.argv[1], "rb", buffering=0) as file:
    while os.path.getsize(sys.argv[2]) == 0 and file.read(1000):
        time.sleep(0.02)
    while file.read(1 << 16):
        pass
PYTHON
}

# paused FIFO LINES SCREEN: writes them again and again until SCREEN shows something.  Prints how often.
paused() {
    /usr/bin/python3 - "$@" <<'PYTHON'
import os, sys, time
lines, times = open(sys.argv[2], "rb").read(), 0
with open(sys.argv[1], "wb", buffering=0) as file:
    while os.path.getsize(sys.argv[3]) == 0:
        file.write(lines)
        times += 1
        time.sleep(0.02)
print(times)
PYTHON
}

# progress_test.c has when it is shown.
@test "progress is shown on a terminal, except with --quiet" {
    command -v script >/dev/null || skip "no script"
    script -qec true /dev/null >/dev/null 2>&1 || skip "no terminals to be had"
    keys in 200000 >in
    petal build --quiet -o f.petal in
    head -10 in >ten
    mkfifo bar quiet slow piped
    : >bar.screen
    : >slow.screen
    late bar bar.screen &
    late quiet bar.screen &
    paused slow ten slow.screen >slow.times &
    paused piped ten slow.screen >piped.times &
    on_terminal quiet.screen "check --quiet f.petal in >quiet" &
    on_terminal bar.screen "check f.petal in >bar" &
    on_terminal slow.screen "check -c f.petal slow" &
    petal check -c f.petal piped >piped.count 2>piped.errors
    wait

    for part in █ "%  " "/s" " left"; do
        has "$(cat bar.screen)" "$part"
    done
    is "$(tail -c 4 bar.screen)" "$(printf '\r\033[K')" # wiped in the end
    is "$(cat quiet.screen)" ""
    has "$(cat slow.screen)" "B/s" # of a pipe, nobody knows the end
    is "$(tail -1 slow.screen | tr -d '\r' | sed 's/^.*\[K//')" "$(cat slow.times)0"
    is "$(cat piped.count)$(cat piped.errors)" "$(cat piped.times)0"
}

@test "lines from a slow pipe are answered immediately" {
    printf '1\nsecond\n' | petal build --quiet -k counting -o f.petal
    petal build --quiet -o none.petal /dev/null
    /usr/bin/python3 - "$PETAL" <<'PYTHON'
import select, subprocess, sys
from limits import LIMIT_SECONDS
for arguments in (["check", "f.petal"], ["check", "--json", "f.petal"], ["count", "f.petal"],
                  ["missing", "--quiet", "none.petal"], ["seen", "--quiet", "new.petal"]):
    p = subprocess.Popen(sys.argv[1:] + arguments, stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
    for line in b"1\n", b"second\n":
        p.stdin.write(line)
        p.stdin.flush()
        assert select.select([p.stdout], [], [], LIMIT_SECONDS)[0], (arguments, line)
        p.stdout.readline()
    p.stdin.close()
    assert p.wait(LIMIT_SECONDS) == 0
PYTHON
}

@test "--quiet hides remarks, but not errors" {
    printf '10.0.0.0/8\nfoo\n' >in
    run petal build --quiet --form ip -o f.petal in
    is "$status $output" "0 "
    run petal check --quiet nope in
    is "$status $output" "2 petal: nope: No such file or directory"
}

@test "long options may be abbreviated, and take = or the next argument" {
    keys in 10 >in
    petal build --qui --out=f.petal in
    petal build --quiet --output f2.petal in
    cmp f.petal f2.petal
    run --separate-stderr petal build --f -o g.petal in
    is "$status" 2
    one_sentence "$stderr"
}

@test "file names may start with a dash, contain spaces, or be long" {
    keys in 10 >'a b'
    petal build --quiet -o './-f g.petal' 'a b'
    is "$(petal check -c -- '-f g.petal' 'a b')" 10
    long=$(head -c 200 /dev/zero | tr '\0' x)
    petal build --quiet -o "$long" 'a b'
    is "$(petal check -c "$long" 'a b')" 10
    longer=$(head -c 5000 /dev/zero | tr '\0' x)
    run --separate-stderr petal build -o "$longer" 'a b'
    is "$status" 2
    run --separate-stderr petal check "$longer" 'a b'
    is "$status" 2
    one_sentence "$stderr"
}

@test "numbers do not depend on the locale" {
    keys in 1000 >in
    petal build --quiet -o f.petal in
    is "$(LC_ALL=de_DE.UTF-8 petal info --json f.petal)" "$(LC_ALL=C petal info --json f.petal)"
}

@test "no answer is ever yes" {
    printf 'a\nb\n' | petal build --quiet -k counting -o f.petal
    for command in "check --json" "check --json -v" "check --why" "count --json" \
        "missing --json" "explain"; do
        petal $command f.petal ${command/explain/a} 2>&1 <<<"$(printf 'a\nc\n')" >>all || true
        [ "$command" != explain ] || petal explain f.petal a >>all
    done
    petal info f.petal >>all
    petal measure -n 100 f.petal >>all
    is "$(grep -iw yes all)" ""
}

@test "zeros after a gzip file are ignored, other bytes are an error" {
    printf 'a\nb\n' | gzip >in.gz
    printf 'a\n' | petal build --quiet -o f.petal
    head -c 1000 /dev/zero >>in.gz
    is "$(petal check f.petal in.gz)" a
    printf 'what is this, after all?' >>in.gz
    run --separate-stderr petal check f.petal in.gz
    is "$status $output $stderr" "2 a petal: in.gz: the compressed data is damaged"
}

@test "the output must be a regular file, even with --force" {
    mkdir folder
    run --separate-stderr petal build --force -o folder - <<<"a"
    is "$status $stderr" "2 petal: folder: Is a directory"
    run --separate-stderr petal build --force -o /dev/full - <<<"a"
    is "$status $stderr" "2 petal: /dev/full: not a regular file"
}

@test "an ambiguous option and an unknown option have different messages" {
    echo a | petal build --quiet -o f.petal
    run --separate-stderr petal check --f 1 f.petal
    is "$status $stderr" "2 petal: --f: ambiguous option; see petal help check"
    run --separate-stderr petal build -O hashes=x -o g.petal /dev/null
    is "$stderr" "petal: -O hashes=x: hashes must be a whole number that fits, such as 1000000, 1e6 or 1M; see petal help options"
}
