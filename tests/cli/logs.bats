# logs.bats: tests of reading logs, and of petal check, seen, diff and normalize on them.
#
# logs_model.py makes logs and knows their keys.  The tests below it compare the rest with sets.
load common

# model TYPE: compares petal with the model on one type of log.
model() {
    /usr/bin/python3 "$BATS_TEST_DIRNAME/logs_model.py" "$PETAL" "$1"
}

# python: runs the Python program on standard input, with a few helpers before it.
python() {
    { helpers && cat; } >program.py
    MODEL=$BATS_TEST_DIRNAME/logs_model.py timeout $((5 * LIMIT_SECONDS)) /usr/bin/python3 program.py "$PETAL"
}

helpers() {
    cat <<'PYTHON'
import fcntl, json, os, random, re, select, signal, subprocess, sys
from limits import LIMIT_SECONDS, wait_until
PETAL = sys.argv[1]
PIPE = fcntl.fcntl(os.pipe()[1], fcntl.F_GETPIPE_SZ)     # so much a pipe holds

def petal(*args, status=(0, 1), **more):
    done = subprocess.run([PETAL, *args], capture_output=True, text=True, timeout=LIMIT_SECONDS, **more)
    assert done.returncode in status, done
    return done

def build(path, keys, *args):
    """Takes the place of the file by a rename, as a program that updates a filter does."""
    petal("build", "--quiet", "--force", *args, "-o", "new", "-",
          input="".join(k + "\n" for k in keys), status=[0])
    os.rename("new", path)

class Running:
    """A petal that reads from a pipe."""
    def __init__(self, *args):
        self.rest = {}
        self.p = subprocess.Popen([PETAL, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
    def write(self, data):
        self.p.stdin.write(data)
        self.p.stdin.flush()
    def read(self, file):
        """The next line of the output, or None at its end."""
        while b"\n" not in self.rest.get(file, b""):
            data = os.read(file.fileno(), 65536)
            if not data:
                return None
            self.rest[file] = self.rest.get(file, b"") + data
        line, _, self.rest[file] = self.rest[file].partition(b"\n")
        return line
    def answer(self, line):
        self.write(line + b"\n")
        return self.read(self.p.stdout)
    def prints(self, line, known):
        """Is the line printed?  The one after it is `known` to be."""
        self.write(line + b"\n")
        answer = self.answer(known)
        if answer == known:
            return False
        assert (answer, self.read(self.p.stdout)) == (line, known), answer
        return True
    def until(self, line, known):
        """Writes both lines until the first one is printed."""
        wait_until(lambda: self.prints(line, known), line)
    def warned(self, line):
        """Writes the line, which is printed each time, until there is a message."""
        def warns():
            assert self.answer(line) == line
            return select.select([self.p.stderr], [], [], 0)[0]
        wait_until(warns, "a message")
        return self.read(self.p.stderr).decode()
    def close(self):
        out, err = self.p.communicate(timeout=LIMIT_SECONDS)
        return self.rest.get(self.p.stdout, b"") + out, \
            (self.rest.get(self.p.stderr, b"") + err).decode(errors="replace"), self.p.returncode
PYTHON
}

# ---- The model ----

@test "a Squid log: keys and lines are those of the model" {
    model squid
}

@test "an Apache log: keys and lines are those of the model" {
    model apache
}

@test "a log of JSON: keys, lines and objects are those of the model" {
    model jsonl
}

@test "a CSV log: keys and rows are those of the model, and the output is a table again" {
    model csv
}

@test "tabs and long delimiters: keys and lines are those of the model" {
    model delimited
}

@test "--extract finds what the model has put into a text" {
    model text
}

@test "--extract looks only into the fields of -f" {
    model within
}

@test "--extract looks into values in JSON, and a value without a match is a no" {
    model within-json
}

# ---- Fields ----

@test "a line with only some of the fields is used, and not reported as skipped" {
    echo rose | petal build --quiet -o f.petal
    run --separate-stderr petal check -f 1,3 f.petal - <<<"rose"
    is "$status $output" "0 rose"
    is "$stderr" ""
}

@test "a number in JSON is a key as it is written, however long it is" {
    printf '{"a":0.1}\n{"a":12345678901234567890123}\n{"a":1.50}\n{"a":1e400}\n{"a":-7}\n' >in
    run --separate-stderr petal normalize --form raw -f .a in
    is "$output" "$(printf '0.1\n12345678901234567890123\n1.50\n1e400\n-7')"
    is "$stderr" ""
}

@test "a quote in the middle of a CSV field does not hide the rows after it" {
    echo rose | petal build --quiet -p 1e-6 -o f.petal
    { printf 'a,b\n5" disk,oak\n'; seq -f '%.0f,rose' 50; } >in.csv
    is "$(petal check --quiet --csv -f b -c f.petal in.csv)" 50
}

@test "a quote that is never closed does not hide the rows after it" {
    echo rose | petal build --quiet -p 1e-6 -o f.petal
    { printf 'a,b\n"x,oak\n'; seq -f '%.0f,rose' 50; } >in.csv
    is "$(petal check --quiet --csv -f b -c f.petal in.csv)" 50
}

@test "a row with too few columns has what matched in its own column" {
    echo rose | petal build --quiet -p 1e-6 -o f.petal
    printf 'a,b,c\n1,rose\n2,rose,x\n' >in.csv
    petal check --quiet --csv -f b --why f.petal in.csv >out.csv
    python <<'PYTHON'
import csv
for row in csv.DictReader(open("out.csv", newline="")):
    assert row["matched"] == "rose", row
PYTHON
}

@test "the header of a table ends as it did in the file" {
    echo rose | petal build --quiet -o f.petal
    printf 'a,b\r\n1,rose\r\n' >in.csv
    petal check --csv -f b f.petal in.csv | cmp - in.csv
}

@test "the header of several tables is printed once" {
    echo rose | petal build --quiet -o f.petal
    printf 'a,b\n1,rose\n' >1.csv
    printf 'a,b\n2,rose\n' >2.csv
    is "$(petal check --csv -f b f.petal 1.csv 2.csv)" "$(printf 'a,b\n1,rose\n2,rose')"
}

@test "an object that has a member petal keeps it, and no name occurs twice" {
    echo rose | petal build --quiet -o f.petal
    echo '{"a": "rose", "petal": 1}' >in
    petal check --json -f .a f.petal in >out
    python <<'PYTHON'
def unique(pairs):
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)
json.loads(open("out").read(), object_pairs_hook=unique)
PYTHON
}

@test "a message prints no control characters of a log" {
    echo rose | petal build --quiet -o f.petal
    printf '{bad \033[31m\n' >in
    run --separate-stderr petal check -f .a f.petal in
    has "$stderr" "in:1: not valid JSON"
    [[ $stderr != *$'\033'* ]]
    printf 'a,b\n1,"x\n2,y\n' >in.csv
    run --separate-stderr petal check --csv -f b f.petal in.csv
    one_sentence "$stderr"
}

@test "plain is the default for keys that are bytes: an empty field is the same with both" {
    printf '1,\n2,x\n' >in
    is "$(petal normalize --quiet --form raw -d , -f 2 in | od -c)" \
        "$(petal normalize --quiet --form raw -d , -f 2 --list plain in | od -c)"
}

@test "several fields are read in the order in which they are given" {
    printf 'a b\n' >in
    is "$(petal normalize --form raw -f 2,1 in)" "$(printf 'b\na')"
    echo '{"a": "a", "b": "b"}' >in
    is "$(petal normalize --form raw -f .b,.a in)" "$(printf 'b\na')"
    printf 'x,y\na,b\n' >in
    is "$(petal normalize --form raw --csv -f y,x in)" "$(printf 'b\na')"
}

@test "help lists, which the options refer to, is there" {
    petal help lists
}

# ---- --confirm ----

@test "--confirm leaves exactly the lines that are in the list, for raw keys" {
    python <<'PYTHON'
members = [f"in-{i}" for i in range(500)]
build("f.petal", members, "-p", "20%")
for name, part in ("one", members[:250]), ("two", members[250:]):
    open(name, "w").write("".join(k + "\n" for k in part))
log = members[::7] + [f"out-{i}" for i in range(2000)]
random.Random(1).shuffle(log)
open("log", "w").write("".join(k + "\n" for k in log))
true = [k for k in log if k in set(members)]
maybe = int(petal("check", "-c", "f.petal", "log").stdout)
assert maybe > len(true) + 200, maybe
lists = ["--confirm", "one", "--confirm", "two"]
done = petal("check", *lists, "f.petal", "log", status=[0])
assert done.stdout.splitlines() == true
assert done.stderr == f"petal: {len(true)} lines confirmed, {maybe - len(true)} false positives dropped\n", done.stderr
half = [k for k in true if k in set(members[:250])]
assert petal("check", "--confirm", "one", "f.petal", "log").stdout.splitlines() == half
assert petal("check", "-c", *lists, "f.petal", "log").stdout == f"{len(true)}\n"
rows = [json.loads(l) for l in petal("check", "--json", *lists, "f.petal", "log").stdout.splitlines()]
assert [(r["line"], r["key"]) for r in rows] == [(i + 1, k) for i, k in enumerate(log) if k in true]
s = json.loads(petal("check", "--json", "--summary=1000", *lists, "f.petal", "log").stdout)
assert s["maybe"] == len(true) and {m["text"] for m in s["matched"]} == set(true), s
only = petal("check", *lists, "f.petal", "-", input="".join(f"out-{i}\n" for i in range(50)), status=[1])
assert only.stdout == "" and only.stderr.startswith("petal: 0 lines confirmed"), only
petal("check", "-q", *lists, "f.petal", "log", status=[0])
petal("check", "--confirm", "absent", "f.petal", "log", status=[2])
petal("check", "-v", *lists, "f.petal", "log", status=[2])
PYTHON
}

@test "--confirm finds the true parent, also after a false one" {
    python <<'PYTHON'
r = random.Random(2)
hosts = [f"host{i}.example" for i in range(400)]
bad = hosts[:120]
# Only parents of a shape that the filter has are looked up, so it gets keys of every shape.
other = [f"{h}n{i}.test{p}" for i in range(60) for h in ("", "x.", "x.y.")
         for p in ("/p/", "/p/q/", "/p/q/r.html", "/p/q/r.html?s=0")]
build("u.petal", bad + other, "--form", "url", "-p", "20%")
open("hosts", "w").write("# a list\n" + "".join(f"0.0.0.0 {h}\n" for h in bad))
open("other", "w").write("".join(k + "\n" for k in other))
log = [f"x http://a.b.{r.choice(hosts)}/p/q/r.html?s={i}" for i in range(1500)]
open("log", "w").write("".join(l + "\n" for l in log))
of = lambda l: re.search(r"host\d+\.example", l)[0]
true = [l for l in log if of(l) in bad]
why = petal("check", "--why", "-f", "2", "u.petal", "log").stdout.splitlines()
false_first = sum(l.split("\t")[1] != of(l) + "/" for l in why if of(l) in bad)
assert false_first > 5 and len(why) > len(true) + 20, (false_first, len(why), len(true))
done = petal("check", "--quiet", "--why", "-f", "2", "--confirm", "other", "--confirm", "hosts",
             "u.petal", "log")
assert done.stdout.splitlines() == [f"{l}\t{of(l)}/" for l in true]

nets = [f"10.{i}.{j}.0/24" for i in range(40) for j in range(0, 256, 4)]
one = [f"172.16.{i % 250}.{i // 10}" for i in range(900)]
build("i.petal", nets + one, "--form", "ip", "-p", "20%")
open("ranges", "w").write("".join(f"{n[:-3]} - {n[:-4]}255 ; why\n" for n in nets) + "\n".join(one) + "\n")
log = [f"{r.choice([10, 10, 11])}.{r.randrange(256)}.{r.randrange(256)}.{r.randrange(256)}" for _ in range(2000)]
part = lambda l, i: int(l.split(".")[i])
true = [l for l in log if part(l, 0) == 10 and part(l, 1) < 40 and part(l, 2) % 4 == 0]
assert true
done = petal("check", "--quiet", "--confirm", "ranges", "i.petal", "-", input="\n".join(log) + "\n")
assert int(petal("check", "-c", "i.petal", "-", input="\n".join(log) + "\n").stdout) > len(true) + 20
assert done.stdout.splitlines() == true
PYTHON
}

@test "--confirm: the key, its normalized text and what matched belong together" {
    python <<'PYTHON'
hosts = [f"host{i}.example" for i in range(100)]
build("u.petal", hosts, "--form", "url", "-p", "20%")
open("list", "w").write("".join(h + "\n" for h in hosts))
log = "".join(f"http://no{i}.invalid/ http://w.host{i % 100}.example/{i}\n" for i in range(1000))
out = petal("check", "--quiet", "--json", "-f", "1,2", "--confirm", "list", "u.petal", "-", input=log).stdout
rows = [json.loads(l) for l in out.splitlines()]
assert len(rows) == 1000
for i, r in enumerate(rows):
    assert r["field"] == "2" and r["key"] == f"http://w.host{i % 100}.example/{i}", r
    assert r["matched"] == f"host{i % 100}.example/", r
    assert r["normalized"] == f"w.host{i % 100}.example/{i}", r
PYTHON
}

@test "--confirm counts confirmed lines for each filter of -F" {
    seq -f 'in-%.0f' 300 >list
    petal build --quiet -p 20% -o a.petal list
    petal build --quiet -p 25% -o b.petal list
    { seq -f 'in-%.0f' 5; seq -f 'out-%.0f' 500; } >log
    is "$(petal check --quiet -c -F b.petal --confirm list a.petal log)" \
        "$(printf 'a.petal:5\nb.petal:5')"
}

@test "--confirm keeps a true line, in whatever order filters of different forms are given" {
    echo rose | petal build --quiet -p 1e-6 -o raw.petal
    echo evil.example | petal build --quiet -p 1e-6 --form url -o url.petal
    echo evil.example >list
    echo http://a.evil.example/ >log
    is "$(petal check --quiet -c -q -F raw.petal --confirm list url.petal log; echo $?)" 0
    is "$(petal check --quiet -c -q -F url.petal --confirm list raw.petal log; echo $?)" 0
}

@test "--confirm reports a missing list before it reads the log" {
    python <<'PYTHON'
build("f.petal", ["rose"])
p = Running("check", "--confirm", "absent", "f.petal")
try:
    assert p.p.wait(LIMIT_SECONDS) == 2
finally:
    p.p.kill()
PYTHON
}

# ---- --summary ----

@test "--summary counts lines, by what matched and by key" {
    python <<'PYTHON'
from collections import Counter
r = random.Random(3)
hosts = [f"h{i}.example" for i in range(30)]
build("u.petal", hosts[:15], "--form", "url", "-p", "1e-6")
log = [(f"http://{r.choice('ab')}.{hosts[min(int(r.expovariate(0.1)), 29)]}/") for _ in range(3000)]
text = "".join(f"GET {u}\n" for u in log)
true = [u for u in log if u.split("/")[2][2:] in hosts[:15]]
matched = Counter(u.split("/")[2][2:] + "/" for u in true)
keys = Counter(true)
def counted(rows, counts, n):
    got = [(row["text"], row["lines"]) for row in rows]
    assert len(got) == min(n, len(counts)), got
    assert all(counts[t] == c for t, c in got), got
    assert [c for _, c in got] == sorted(counts.values(), reverse=True)[:n], got
for option, n in ("--summary", 10), ("--summary=3", 3), ("--summary=100", 100):
    s = json.loads(petal("check", "--json", option, "-f", "2", "u.petal", "-", input=text, status=[0]).stdout)
    assert (s["lines"], s["maybe"], s["no"]) == (3000, len(true), 3000 - len(true)), s
    counted(s["matched"], matched, n)
    counted(s["keys"], keys, n)
    plain = petal("check", option, "-f", "2", "u.petal", "-", input=text).stdout
    rows = re.findall(r"^ *([\d,]+) +([\d.]+)% +(\S+)$", plain, re.M)
    assert len(rows) == min(n, len(matched)) + min(n, len(keys)), plain
    for count, share, what in rows:
        count = int(count.replace(",", ""))
        assert count == (keys[what] or matched[what]), (what, count)
        assert abs(float(share) - 100 * count / len(true)) <= 0.051, (what, share)
assert petal("check", "--summary", "-v", "-f", "2", "u.petal", "-", input=text, status=[2]).stdout == ""
petal("check", "--summary=0", "u.petal", "-", input=text, status=[2])
petal("check", "--summary", "u.petal", "-", input="ok.example\n", status=[1])
PYTHON
}

@test "--summary counts a line once, whatever the number of keys and filters" {
    printf 'rose\nelm\n' | petal build --quiet -p 1e-6 -o a.petal
    printf 'tulip\nelm\n' | petal build --quiet -p 1e-6 -o b.petal
    printf 'rose elm rose\nelm tulip oak\n' >in
    petal check --json --summary -f 1,2,3 -F b.petal a.petal in >out
    is "$(figure "$(cat out)" 'sorted((m["text"], m["lines"]) for m in r["matched"])')" \
        "[('elm', 2), ('rose', 1), ('tulip', 1)]"
    is "$(figure "$(cat out)" 'sorted((m["text"], m["lines"]) for m in r["keys"])')" \
        "[('elm', 2), ('rose', 1), ('tulip', 1)]"
}

# ---- A check that runs for long ----

@test "a line is answered before the next one is written" {
    python <<'PYTHON'
build("f.petal", ["rose"], "-p", "1e-6")
for options in [], ["--json"], ["--why"], ["-f", "1"], ["--csv", "--no-header", "-f", "1"], ["--extract", "[a-z]+"]:
    p = Running("check", *options, "f.petal")
    for i in range(5):
        p.write(b"oak\n")
        line = p.answer(b"rose")
        assert line and b"rose" in line, (options, i, line)
    assert p.close()[2] == 0
p = Running("check", "--json", "-f", ".a", "f.petal")
for i in range(5):
    line = p.answer(b'{"a": "rose"}')
    assert line and json.loads(line)["petal"]["line"] == i + 1, line
p.close()
PYTHON
}

# live_test.c has how soon.
@test "a filter that is replaced is used, and after SIGHUP too" {
    python <<'PYTHON'
build("f.petal", ["rose", "daisy"], "-p", "1e-6")
p = Running("check", "f.petal")
assert p.prints(b"rose", b"daisy") and not p.prints(b"tulip", b"daisy")
build("f.petal", ["tulip", "daisy"], "-p", "1e-6")
p.until(b"tulip", b"daisy")
assert not p.prints(b"rose", b"daisy")
for name in b"elm", b"oak":
    build("f.petal", [name.decode(), "daisy"], "-p", "1e-6")
    p.p.send_signal(signal.SIGHUP)
    p.until(name, b"daisy")
assert not p.prints(b"tulip", b"daisy")
p.close()
PYTHON
}

@test "a damaged new filter is reported, and the old one stays in use" {
    python <<'PYTHON'
build("f.petal", ["rose"], "-p", "1e-6")
good = open("f.petal", "rb").read()
p = Running("check", "f.petal")
assert p.answer(b"rose") == b"rose"
for damage in (good[:-1] + bytes([good[-1] ^ 255]), good[:40], b"no filter\n", b""):
    open("new", "wb").write(damage)
    os.rename("new", "f.petal")
    p.p.send_signal(signal.SIGHUP)
    line = p.warned(b"rose")
    assert line and line.startswith("petal: ") and "f.petal" in line, (damage[:20], line)
build("f.petal", ["tulip", "rose"], "-p", "1e-6")
p.until(b"tulip", b"rose")
p.close()
PYTHON
}

@test "a missing filter is reported, and the old one stays in use until there is a new one" {
    python <<'PYTHON'
build("f.petal", ["rose"], "-p", "1e-6")
p = Running("check", "f.petal")
assert p.answer(b"rose") == b"rose"
os.unlink("f.petal")
p.p.send_signal(signal.SIGHUP)
line = p.warned(b"rose")
build("f.petal", ["tulip", "rose"], "-p", "1e-6")
p.until(b"tulip", b"rose")
p.close()
assert line and "f.petal" in line, line
PYTHON
}

@test "bad lines never stop it" {
    python <<'PYTHON'
build("f.petal", ["rose"], "-p", "1e-6")
bad = [b"x" * 20_000_000, b"\xff\xfe\xc3", b"a\0b\0", b"\0" * 1000, b"{", b'"', b""]
p = Running("check", "f.petal")
for line in bad:
    p.write(line + b"\n")
    assert p.answer(b"rose") == b"rose", line[:20]
assert p.close()[2] == 0
p = Running("check", "-f", ".a", "f.petal")
for line in bad + [b'{"a":' * 5000, b'{"a": "\\ud800"}', b'{"a": "\xff"}', b'["a"]', b'{"a": {"a": 1}}']:
    p.write(line + b"\n")
    assert p.answer(b'{"a": "rose"}') == b'{"a": "rose"}', line[:20]
assert p.close()[2] == 0
p = Running("check", "--csv", "-f", "a", "f.petal")
p.write(b"a,b\n")
assert p.answer(b"rose,x") == b"a,b"
assert p.read(p.p.stdout) == b"rose,x"
for line in [b"x" * 20_000_000 + b",y", b'"bad"x,y', b'a"b"c,y', b"\xff,\0", b"", b"1,2,3,4", b","]:
    p.write(line + b"\n")
    assert p.answer(b"rose,x") == b"rose,x", line[:20]
assert p.close()[2] == 0
PYTHON
}

# ---- seen ----

@test "seen: lines that the consumer did not take are printed by the next run" {
    python <<'PYTHON'
keys = [f"line {i}" for i in range(60000)]
open("big", "w").write("".join(k + "\n" for k in keys))
shell = subprocess.run(["bash", "-c", '"$0" seen --quiet -n 100000 -p 1e-6 g.petal big | head -3', PETAL],
                       capture_output=True, text=True, timeout=LIMIT_SECONDS)
assert shell.stdout.splitlines() == keys[:3], shell
second = petal("seen", "--quiet", "g.petal", "big").stdout.splitlines()
# What head took from the pipe, or what the pipe held, may be missing; nothing after it.
assert second == keys[len(keys) - len(second):] and second, second[:3]
lost = sum(len(k) + 1 for k in keys[:len(keys) - len(second)])
assert lost <= 2 * PIPE, lost
PYTHON
}

@test "seen: a reader that closes the pipe loses only what was written to it" {
    python <<'PYTHON'
keys = [f"line {i}" for i in range(60000)]
open("big", "w").write("".join(k + "\n" for k in keys))
p = subprocess.Popen([PETAL, "seen", "--quiet", "-n", "100000", "-p", "1e-6", "f.petal", "big"],
                     stdout=subprocess.PIPE)
got = os.read(p.stdout.fileno(), 5000)
while len(got) < 300000:
    got += os.read(p.stdout.fileno(), 5000)
p.stdout.close()
p.wait(LIMIT_SECONDS)
whole = got.count(b"\n")
second = petal("seen", "--quiet", "f.petal", "big").stdout.splitlines()
missing = keys[whole:len(keys) - len(second)]       # neither read here nor printed again
assert second == keys[len(keys) - len(second):]
assert sum(len(k) + 1 for k in missing) <= PIPE + 20, len(missing)
PYTHON
}

@test "seen: after SIGTERM, going on with the line that it prints loses and repeats nothing" {
    python <<'PYTHON'
keys = [f"line {i}" for i in range(100000)]
data = "".join(k + "\n" for k in keys).encode()
open("big", "wb").write(data)
os.mkfifo("fifo")
out = open("out", "wb")
p = subprocess.Popen([PETAL, "seen", "-n", "200000", "-p", "1e-6", "f.petal", "fifo"], stdout=out,
                     stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))
fifo = open("fifo", "wb", buffering=0)
sent = fifo.write(data[:len(data) // 2])
p.send_signal(signal.SIGTERM)
err = p.communicate(timeout=LIMIT_SECONDS)[1].decode()
assert p.returncode == -signal.SIGTERM, p.returncode
at = re.search(r"go on with line ([\d,]+)", err)
assert at, err
n = int(at[1].replace(",", ""))
first = open("out").read().splitlines()
rest = "".join(k + "\n" for k in keys[n - 1:])
second = petal("seen", "--quiet", "f.petal", "-", input=rest, status=[0]).stdout.splitlines()
assert 1 < n <= len(keys), n
assert first == keys[:n - 1], (n, len(first))
assert first + second == keys, (n, len(first), first[-1:], second[:1])
PYTHON
}

@test "seen prints duplicates once, within and across batches" {
    python <<'PYTHON'
r = random.Random(4)
log = [f"k{r.randrange(4000)}" if i % 3 else f"near{i // 9}" for i in range(30000)]
text = "".join(k + "\n" for k in log)
for size in "-n 20000 -p 1e-6", "-p 1e-5":
    done = petal("seen", "--quiet", *size.split(), size[1] + ".petal", "-", input=text)
    assert done.stdout.splitlines() == list(dict.fromkeys(log)), size
lines = [f"{r.randrange(9)}  {k}" for k in log]
done = petal("seen", "--quiet", "-f", "2", "-n", "20000", "-p", "1e-6", "f.petal", "-", input="\n".join(lines))
first = {}
for line, key in zip(lines, log):
    first.setdefault(key, line)
assert done.stdout.splitlines() == list(first.values())
PYTHON
}

@test "seen --nth prints a line exactly at its Nth occurrence, in one run or several" {
    python <<'PYTHON'
from collections import Counter
r = random.Random(5)
for nth in 2, 3, 7:
    log = [f"k{int(r.expovariate(0.0005))}" for _ in range(20000)] + ["same"] * 20
    counts, expected = Counter(), []
    for key in log:
        counts[key] += 1
        if counts[key] == nth:
            expected.append(key)
    out, f = [], f"{nth}.petal"
    for part in log[:5000], log[5000:5003], log[5003:]:
        out += petal("seen", "--quiet", "--nth", str(nth), "-n", "20000", "-p", "1e-6", f, "-",
                     input="".join(k + "\n" for k in part)).stdout.splitlines()
    assert out == expected, (nth, len(out), len(expected))
PYTHON
}

# ---- diff ----

@test "diff prints what only one of two lists has, as sets do" {
    python <<'PYTHON'
r = random.Random(6)
old, new = ([f"k{r.randrange(3000)}" for _ in range(2500)] for _ in range(2))
for name, keys in ("old", old), ("new", new):
    open(name, "w").write("".join(k + "\n" for k in keys))
added = [k for k in dict.fromkeys(new) if k not in set(old)]
removed = [k for k in dict.fromkeys(old) if k not in set(new)]
done = petal("diff", "old", "new", status=[0])
lines = done.stdout.splitlines()
assert sorted(lines) == sorted([f"+ {k}" for k in added] + [f"- {k}" for k in removed])
assert [l[0] for l in lines] == ["+"] * len(added) + ["-"] * len(removed)
rows = [json.loads(l) for l in petal("diff", "--json", "old", "new").stdout.splitlines()]
account = rows.pop()["account"]
assert sorted((x["change"], x["key"]) for x in rows) == \
    sorted([("added", k) for k in added] + [("removed", k) for k in removed])
assert account == {"old": len(set(old)), "new": len(set(new)), "added": len(added),
                   "removed": len(removed), "both": len(set(old) & set(new))}, account
assert petal("diff", "old", "-", input=open("new").read()).stdout == done.stdout
assert petal("diff", "old", "old").stdout == ""
PYTHON
}

@test "diff reads lists of different formats, and refuses what it cannot compare" {
    printf '# ads\n0.0.0.0 evil.example ads.example\n' >hosts
    printf '||EVIL.example^\n||new.example^\n' >rules
    is "$(petal diff --quiet --form url hosts rules)" "$(printf '+ new.example/\n- ads.example/')"
    printf '10.0.0.0 - 10.0.0.255\n' >ranges
    printf '10.0.0.0/24\n192.0.2.1\n' >prefixes
    is "$(petal diff --quiet --form ip ranges prefixes)" "+ 192.0.2.1"
    run --separate-stderr petal diff - rules <hosts
    is "$status $output" "2 "
    one_sentence "$stderr"
    echo rose | petal build --quiet -o f.petal
    run --separate-stderr petal diff f.petal hosts
    is "$status $output" "2 "
    one_sentence "$stderr"
    run --separate-stderr petal diff hosts f.petal
    is "$status $output" "2 "
    one_sentence "$stderr"
}

# ---- normalize ----

@test "normalize --parents prints what a match looks up, for URLs and addresses" {
    python <<'PYTHON'
import importlib.util
spec = importlib.util.spec_from_file_location("model", os.environ["MODEL"])
model = importlib.util.module_from_spec(spec)
sys.modules["model"] = model
spec.loader.exec_module(model)
pool = model.Pool(random.Random(7))
for form, keys in ("url", [pool.url() for _ in range(300)] + ["http://192.0.2.7/a/b?c"]), \
                  ("ip", [pool.ip() for _ in range(60)] + ["10.0.0.0/8", "0.0.0.0/0"]):
    normal, lookups = model.FORMS[form]
    text = "".join(k + "\n" for k in keys)
    expected = [lookups(normal(k)) for k in keys]
    out = petal("normalize", "--quiet", "--form", form, "--parents", "-", input=text).stdout
    actual = [[l.strip() for l in block.split("\n\t")] for block in re.split(r"\n(?!\t)", out.strip())]
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected):
        assert a[0] == e[0] and sorted(a) == sorted(e), (a, e)
    rows = petal("normalize", "--quiet", "--json", "--form", form, "--parents", "-", input=text).stdout
    assert [sorted(json.loads(l)["lookups"]) for l in rows.splitlines()] == [sorted(e) for e in expected]
PYTHON
}
