# petal lab: the worked examples of the lecture notes.
load common

@test "the bitmap of capacity 10 has sizes 0, 1, 2, 3, 2, 2, as in the notes" {
    run --separate-stderr petal lab bitmap
    is "$status" 0
    is "$stderr" ""
    is "$output" "A bitmap of capacity 10: one bit for each of the numbers 0 to 9.

  new: all bits are 0
    bits  0 0 0 0 0 0 0 0 0 0    size 0
          0 1 2 3 4 5 6 7 8 9

  add 4: its bit becomes 1
    bits  0 0 0 0 1 0 0 0 0 0    size 1
          0 1 2 3 4 5 6 7 8 9

  add 8: its bit becomes 1
    bits  0 0 0 0 1 0 0 0 1 0    size 2
          0 1 2 3 4 5 6 7 8 9

  add 1: its bit becomes 1
    bits  0 1 0 0 1 0 0 0 1 0    size 3
          0 1 2 3 4 5 6 7 8 9

  remove 8: its bit becomes 0
    bits  0 1 0 0 1 0 0 0 0 0    size 2
          0 1 2 3 4 5 6 7 8 9

  add 4: its bit is 1 already
    bits  0 1 0 0 1 0 0 0 0 0    size 2
          0 1 2 3 4 5 6 7 8 9"
}

@test "in the filter of three rows verynormalsite.com is a false positive" {
    run --separate-stderr petal lab rows
    is "$status" 0
    is "$output" "A Bloom filter of k = 3 rows of m = 5 bits.  (A model: the hash values are those
of the lecture, not petal's.)

  initialize(3, 5)
          0  1  2  3  4
    t1    0  0  0  0  0
    t2    0  0  0  0  0
    t3    0  0  0  0  0

  add thisisavirus.com: h1 = 2, h2 = 1, h3 = 4
          0  1  2  3  4
    t1    0  0 [1] 0  0
    t2    0 [1] 0  0  0
    t3    0  0  0  0 [1]

  contains thisisavirus.com: h1 = 2, h2 = 1, h3 = 4
          0  1  2  3  4
    t1    0  0 [1] 0  0
    t2    0 [1] 0  0  0
    t3    0  0  0  0 [1]
    maybe: it was added

  add totallynotsuspicious.com: h1 = 1, h2 = 0, h3 = 4
          0  1  2  3  4
    t1    0 [1] 1  0  0
    t2   [1] 1  0  0  0
    t3    0  0  0  0 [1]

  contains verynormalsite.com: h1 = 2, h2 = 0, h3 = 4
          0  1  2  3  4
    t1    0  1 [1] 0  0
    t2   [1] 1  0  0  0
    t3    0  0  0  0 [1]
    maybe: a false positive: it was never added"
}

@test "of the eight subsets of {0, 1, 7} only {0, 7} has a false positive, 1" {
    run --separate-stderr petal lab subsets
    is "$status" 0
    is "$output" "Every set of keys from {0, 1, 7} on four bits, with h0(k) = (k + 1) mod 3 and
h1(k) = k mod 4.  (A model: the hash functions are those of the lecture.)

  key  h0  h1  bits
    0   1   0  0011
    1   2   1  0110
    7   2   3  1100

  keys added   bits      0?      1?      7?
  {}           0000      no      no      no
  {0}          0011   maybe      no      no
  {1}          0110      no   maybe      no
  {7}          1100      no      no   maybe
  {0, 1}       0111   maybe   maybe      no
  {0, 7}       1111   maybe  maybe!   maybe  ! a false positive
  {1, 7}       1110      no   maybe   maybe
  {0, 1, 7}    1111   maybe   maybe   maybe"
}

@test "the binomial comes closer to Poisson with every try" {
    run --separate-stderr petal lab poisson
    is "$status" 0
    is "$(printf '%s\n' "$output" | sed -n '3p;9p' | sed 's/ *$//')" \
"   i  n = 10             n = 15             n = 20             Poisson
   5  0.2461 █████████▉  0.2143 ████████▋   0.2023 ████████▏   0.1755 ███████"
    has "$output" "With np = 5 that is the case from n = 101 on."
    has "$output" "the mean of Poisson(5) is 5.0000 and its variance 5.0000."
    petal lab poisson --json | /usr/bin/python3 -c '
import json, math, sys
rows = [json.loads(line) for line in sys.stdin]
assert [r["i"] for r in rows] == list(range(13))
farthest = {}
for r in rows:
    i, poisson = r["i"], math.exp(-5) * 5 ** r["i"] / math.factorial(r["i"])
    assert abs(r["poisson"] - poisson) < 1e-8
    for n, value in r["binomial"].items():
        p = 5 / int(n)
        exact = math.comb(int(n), i) * p ** i * (1 - p) ** (int(n) - i)
        assert abs(value - exact) < 1e-8, (i, n, value, exact)
        farthest[int(n)] = max(farthest.get(int(n), 0), abs(value - poisson))
assert farthest[10] > farthest[15] > farthest[20], farthest'
}

@test "Poisson takes any mean" {
    for lambda in 0.01 0.5 3.5 40 999; do
        petal lab poisson --lambda $lambda --json | /usr/bin/python3 -c '
import json, math, sys
mean = float(sys.argv[1])
rows = [json.loads(line) for line in sys.stdin]
for r in rows:
    i = r["i"]
    poisson = math.exp(i * math.log(mean) - mean - math.lgamma(i + 1))
    assert abs(r["poisson"] - poisson) < 1e-8, (i, r, poisson)
    for n, value in r["binomial"].items():
        p, n = mean / int(n), int(n)
        exact = 0 if i > n else math.exp(math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1)
                                         + i * math.log(p) + (n - i) * math.log1p(-p))
        assert abs(value - exact) < 1e-8, (i, n, value, exact)
assert sum(r["poisson"] for r in rows) > 0.98' $lambda
        has "$(petal lab poisson --lambda $lambda)" "the mean of Poisson($lambda"
    done
    for lambda in 0 -1 1001 x 3x nan; do
        run --separate-stderr petal lab poisson --lambda=$lambda
        is "$status $stderr" "2 petal: --lambda $lambda: not a number from 0.01 to 1000"
    done
    run --separate-stderr petal lab poisson --lambda 1 --lambda 2
    is "$status $stderr" "2 petal: --lambda: this example takes at most 1"
}

@test "the sum of two Poissons, added up, is the Poisson of the sum" {
    run --separate-stderr petal lab sum
    is "$status" 0
    has "$output" "0.03032 + 0.04043 + 0.01348 = 0.08422"
    has "$output" "e^-5 * 5^2 / 2 = 0.08422"
    for lambdas in "" "--lambda 0.5 --lambda 40" "--lambda 1 --lambda 2 --lambda 3 --lambda 4"; do
        petal lab sum --json $lambdas | grep '"z"' | /usr/bin/python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
assert len(rows) > 10
for r in rows: assert abs(r["sum"] - r["poisson"]) < 1e-9, r'
    done
    run --separate-stderr petal lab sum --lambda 1
    is "$status $stderr" "2 petal: --lambda: sum takes 2 to 4 of them, up to 1000 in all"
}

# values LAB OPTION...: name and value of each step that has one.
values() {
    petal lab --json "$@" | /usr/bin/python3 -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    if "value" in row: print("%s: %.6g" % (row["operation"], row["value"]))'
}

@test "2^128 bits are more than there can be, and 1,000 strings take 16 kB" {
    is "$(values naive)" "array: 4.25353e+37
disks: 2.12676e+24
mass: 0.249369
list: 16000
tree: 32000
table: 32000
filter: 1198.13"
}

@test "the notes' rate is 1.27%, step by step, and other numbers can be put in" {
    is "$(values rate)" "miss: 1
zero: 0.135335
one: 0.864665
rate: 0.0127477
bits per key: 15"
    has "$(petal lab rate)" "The lecture notes print 1.28%.  The value is 1.27477%, which rounds to 1.27%."
    run petal lab rate -n 5000 -m 2500 --hashes 30
    has "$output" "0.864719^30 = 0.0127717 = 1.27717%"
    lacks=$(printf '%s' "$output" | grep -c "lecture notes") || true
    is "$lacks" 0
    run --separate-stderr petal lab rate -m 1
    is "$status $stderr" "2 petal: -m 1: a row needs at least 2 bits"
}

@test "five million URLs: 200 MB against 9.4 MB" {
    is "$(values space)" "table: 2e+08
filter: 9.375e+06
ratio: 21.3333
cost: 0.0438272"
}

@test "the best k, 0.6185^10, 2e-7, and 4.8 bits for a tenth of the rate" {
    is "$(values optimum)" "best k: 6.93147
rate: 0.00819255
10 bits: 0.00819372
32 bits: 2.10416e-07
k for 1%: 7
bits for a tenth: 4.79253"
    has "$(petal lab optimum)" "    7         0.4966     0.819%  lowest"
    has "$(petal lab optimum -n 1000 -m 1200)" "    1         0.4346      56.5%  lowest"
    run --separate-stderr petal lab optimum -n 1000 -m 900
    is "$status $stderr" "2 petal: -m and -n make 0.9 bits per key; this example takes 1 to 100"
}

@test "chains: 7 and 12 collide with 2; lengths are Binomial(m, 1/m)" {
    run --separate-stderr petal lab chaining
    is "$status" 0
    has "$output" "    2  2 -> 7 -> 12"
    has "$output" "contains 7: h = 2, 2 comparisons: found"
    has "$output" "contains 10: h = 0, 2 comparisons: no, the chain has other keys"
    has "$output" "   1                  0.3681      0.3679"
}

@test "the crawler skips AAA, which it never crawled" {
    petal lab crawler --json | /usr/bin/python3 -c '
import json, sys
bits, added = 0, set()
for line in sys.stdin:
    row = json.loads(line)
    mask = sum(1 << h for h in row["hashes"])
    if row["operation"] == "add":
        bits |= mask
        added.add(row["key"])
    else:
        assert row["verdict"] == ("maybe" if bits & mask == mask else "no"), row
    assert row["bits"] == format(bits, "010b")[::-1]
assert row["key"] == "AAA" and row["verdict"] == "maybe" and "AAA" not in added'
    has "$(petal lab crawler)" "maybe: a false positive."
}

@test "counters: lookup gives the smallest, never too low until a non-member is deleted" {
    petal lab counting --json | /usr/bin/python3 -c '
import json, sys
counters, times, wrong = [0] * 8, {}, []
for line in sys.stdin:
    row = json.loads(line)
    key, change = row["key"], {"insert": 1, "delete": -1}.get(row["operation"], 0)
    for h in row["hashes"]: counters[h] += change
    if change == 1 or key in times: times[key] = times.get(key, 0) + change
    assert row["counters"] == counters, row
    if row["operation"] == "lookup":
        assert row["count"] == min(counters[h] for h in row["hashes"])
        wrong.append(row["count"] - times.get(key, 0))
assert wrong == [0, 0, 1, 0, -1], wrong'
    has "$(petal lab counting)" "lookup rose: min(C[1], C[3], C[6]) = min(2, 3, 2) = 2"
}

@test "bits of an integer, and the operators of Java" {
    is "$(values bits)" "bit 4: 1
bit 3: 0
off: 2
on: 26
ints: 32
bytes: 125
int of 37: 1
mask of 37: 32
32 >> 4: 2
-1 >>> 30: 3
3 << 3: 24
5 & 3: 1
5 | 3: 7
5 ^ 3: 6
~0: -1"
}

@test "without a name the examples are listed, and all of them run" {
    run --separate-stderr petal lab
    is "$status $stderr" "0 "
    is "${#lines[@]}" 13
    petal lab --json >list
    is_json "$(cat list)"
    for name in $(petal lab | awk '{print $1}'); do
        grep -q "^{\"lab\": \"$name\", \"summary\": " list
        petal lab $name >text 2>errors
        is "$(cat errors)" ""
        is "$(/usr/bin/python3 -c '
for line in open("text", encoding="utf-8"):
    if len(line) > 81: print(line, end="")')" ""
        petal lab --json $name >steps
        is_json "$(cat steps)"
        is "$(head -1 steps | cut -d, -f1-2)" "{\"lab\": \"$name\", \"step\": 1"
    done
}

@test "steps as JSON" {
    run --separate-stderr petal lab --json bitmap
    is "${lines[5]}" \
        '{"lab": "bitmap", "step": 6, "operation": "add", "key": 4, "bits": "0100100000", "size": 2}'
    run --separate-stderr petal lab --json rows
    is "${lines[0]}" \
        '{"lab": "rows", "step": 1, "operation": "initialize", "rows": ["00000", "00000", "00000"]}'
    is "${lines[4]}" \
        '{"lab": "rows", "step": 5, "operation": "contains", "key": "verynormalsite.com", "hashes": [2, 0, 4], "rows": ["01100", "11000", "00001"], "verdict": "maybe"}'
    run --separate-stderr petal lab --json subsets
    is "${lines[5]}" \
        '{"lab": "subsets", "step": 6, "bits": "1111", "keys": [0, 7], "maybe": [0, 1, 7], "false_positives": [1]}'
}

@test "on a terminal each step waits for Enter, and the end of input ends the waiting" {
    /usr/bin/python3 -c 'import os; os.openpty()' 2>/dev/null || skip "no terminals to be had"
    /usr/bin/python3 - "$PETAL" <<'END'
import os, select, signal, subprocess, sys
from limits import LIMIT_SECONDS, wait_until

signal.alarm(LIMIT_SECONDS)
master, slave = os.openpty()
process = subprocess.Popen([sys.argv[1], "lab", "bitmap"], stdin=slave, stdout=slave,
                           stderr=subprocess.DEVNULL)
os.close(slave)

def sleeps():
    """Does the process wait for something, or has it ended?"""
    with open(f"/proc/{process.pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0] in "SZ"

def step(*texts):
    """What is printed until all of these texts have come, and nothing more does before Enter."""
    got = b""
    while not all(text in got for text in texts):
        got += os.read(master, 4096)
    wait_until(sleeps, "it waits")
    assert not select.select([master], [], [], 0)[0], got
    return got

assert b"add" not in step(b"size 0", b"8 9\r\n")
os.write(master, b"\n")
assert b"size 2" not in step(b"add 4", b"size 1", b"8 9\r\n")
os.write(master, b"\x04")
got = b""
while b"1 already" not in got:
    got += os.read(master, 4096)
process.wait()
assert process.returncode == 0
END
}

@test "lab: an unknown example, too many, and options that do not apply" {
    run petal lab trees
    is "$status" 2
    is "$output" "petal: trees: no such example; petal lab lists them"
    run petal lab rows subsets
    is "$status" 2
    is "$output" "petal: too many arguments; usage: petal lab [EXAMPLE] | --web"
    run petal lab --bits
    is "$status" 2
    one_sentence "$output"
    for option in "--lambda 3" "-n 3" "-m 3" "--hashes 3"; do
        run --separate-stderr petal lab rows $option
        is "$status $stderr" \
            "2 petal: ${option% *}: the example rows does not use it; see petal help lab"
    done
}

@test "lab --web writes the page, once" {
    echo '<!doctype html><title>petal lab</title>' > page.html
    export PETAL_LAB=$PWD/page.html
    run --separate-stderr petal lab --web
    is "$status" 0
    is "$output" ""
    is "$stderr" "petal: petal-lab.html: open this page in a browser; it needs no server"
    cmp page.html petal-lab.html
    petal lab --web 2>/dev/null                 # the same page again
    petal lab --web -o - | cmp - page.html
    is "$(petal lab --web --json -o other.html)" '{"file": "other.html", "bytes": 40}'
    echo mine > petal-lab.html
    run --separate-stderr petal lab --web
    is "$status $stderr" "2 petal: petal-lab.html: file exists; use --force to overwrite it"
    is "$(cat petal-lab.html)" mine
    petal lab --web --force 2>/dev/null
    cmp page.html petal-lab.html
}

@test "lab --web: no page, and what does not go together" {
    PETAL_LAB=$PWD/none.html run --separate-stderr petal lab --web
    is "$status" 2
    one_sentence "$stderr"
    [ ! -e petal-lab.html ]
    run petal lab --web rows
    is "$status $output" "2 petal: too many arguments; usage: petal lab [EXAMPLE] | --web"
    run petal lab -o x.html rows
    is "$status $output" "2 petal: -o FILE: only --web writes a file"
}

@test "lab ends quietly when nobody reads" {
    closed_pipe lab
    closed_pipe lab bits
    closed_pipe lab --json poisson
}
