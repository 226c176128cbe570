# petal lab: the worked examples of the lecture notes (S16, S6).
load common

@test "the bitmap of capacity 10 has sizes 0, 1, 2, 3, 2, 2, as in the notes" {
    run --separate-stderr petal lab bitmap
    is "$status" 0
    is "$stderr" ""
    is "$output" "A bitmap: the numbers 0 to 9, one bit each (petal's own kind bitmap).

  new: no bit is set
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

  add 4: nothing changes
    bits  0 1 0 0 1 0 0 0 0 0    size 2
          0 1 2 3 4 5 6 7 8 9"
}

@test "in the filter of three rows verynormalsite.com is a false positive" {
    run --separate-stderr petal lab rows
    is "$status" 0
    is "$output" "A Bloom filter of k = 3 rows of m = 5 bits.  (A model to learn from: the hash
values are those of the notes, not petal's.)

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

@test "of the eight subsets of {0, 1, 7} only {0, 7} lies, about 1" {
    run --separate-stderr petal lab subsets
    is "$status" 0
    is "$output" "Every set of keys from {0, 1, 7} on four bits, with h0(k) = (k + 1) mod 3 and
h1(k) = k mod 4.  (A model to learn from: the hash functions of the notes.)

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
    is "$(printf '%s\n' "$output" | sed -n '4p;10p' | sed 's/ *$//')" \
"   i  n = 10             n = 15             n = 20             Poisson
   5  0.2461 █████████▉  0.2143 ████████▋   0.2023 ████████▏   0.1755 ███████"
    has "$output" "With np = 5 that begins at n = 101: here it is too early."
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

@test "without a name the three worked examples come one after the other" {
    is "$(petal lab)" "$(petal lab bitmap; petal lab rows; petal lab subsets)"
}

@test "every step is there as JSON" {
    run --separate-stderr petal lab --json
    is "$status" 0
    is "$stderr" ""
    is_json "$output"
    is "${#lines[@]}" 19
    is "${lines[5]}" \
        '{"lab": "bitmap", "step": 6, "operation": "add", "key": 4, "bits": "0100100000", "size": 2}'
    is "${lines[6]}" \
        '{"lab": "rows", "step": 1, "operation": "initialize", "rows": ["00000", "00000", "00000"]}'
    is "${lines[10]}" \
        '{"lab": "rows", "step": 5, "operation": "contains", "key": "verynormalsite.com", "hashes": [2, 0, 4], "rows": ["01100", "11000", "00001"], "verdict": "maybe"}'
    is "${lines[16]}" \
        '{"lab": "subsets", "step": 6, "bits": "1111", "keys": [0, 7], "maybe": [0, 1, 7], "false_positives": [1]}'
}

@test "on a terminal each step waits for Enter, and the end of input ends the waiting" {
    /usr/bin/python3 -c 'import os; os.openpty()' 2>/dev/null || skip "no terminals to be had"
    /usr/bin/python3 - "$PETAL" <<'END'
import os, select, signal, subprocess, sys

signal.alarm(20)
master, slave = os.openpty()
process = subprocess.Popen([sys.argv[1], "lab", "bitmap"], stdin=slave, stdout=slave,
                           stderr=subprocess.DEVNULL)
os.close(slave)

def step(*texts):
    """What is printed until all of these texts have come, and nothing more does."""
    got = b""
    while not all(text in got for text in texts):
        got += os.read(master, 4096)
    assert not select.select([master], [], [], 0.2)[0], got
    return got

assert b"add" not in step(b"size 0", b"8 9\r\n")
os.write(master, b"\n")
assert b"size 2" not in step(b"add 4", b"size 1", b"8 9\r\n")
os.write(master, b"\x04")
got = b""
while b"nothing changes" not in got:
    got += os.read(master, 4096)
process.wait()
assert process.returncode == 0
END
}

@test "lab: a name that is no example, and too many" {
    run petal lab trees
    is "$status" 2
    is "$output" \
        "petal: trees: no such example; there are bitmap, rows, subsets and poisson"
    run petal lab rows subsets
    is "$status" 2
    is "$output" "petal: usage: petal lab [bitmap|rows|subsets|poisson]"
    run petal lab --bits
    is "$status" 2
    one_sentence "$output"
}

@test "lab ends quietly when nobody reads" {
    closed_pipe lab
    closed_pipe lab --json
}
