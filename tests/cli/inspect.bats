# inspect.bats: tests of petal info, verify and measure.
load common

# flip FILE BYTE BIT: flips that bit.
flip() {
    /usr/bin/python3 - "$@" <<'PYTHON'
import sys
path, byte, bit = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(path, "r+b") as f:
    f.seek(byte)
    old = f.read(1)[0]
    f.seek(byte)
    f.write(bytes([old ^ 1 << bit]))
PYTHON
}

@test "info prints the kind, size, keys, fill and rate of a filter" {
    keys in 1000 | petal build --quiet -o f.petal
    run --separate-stderr petal info f.petal
    is "$status" 0
    is "$stderr" ""
    is "$output" "f.petal
  kind       blocked: 10,240 bits, 8 probes per key
  size       1,544 bytes (1.54 kB), 10.24 bits per key at capacity
  keys       1,000 new when added, 994 estimated, capacity 1,000
  fill       54.03% of the cells
  rate       0.941% now, 1% promised at capacity
  form       raw
  hash       fast (XXH3)
  can        merge, share
  id         790936f029ab45de"
}

@test "info prints what each kind can do" {
    for kind in classic partitioned blocked split counting scalable; do
        echo 1 | petal build --quiet -k $kind -n 100 -o $kind.petal
    done
    echo 1 | petal build --quiet -k bitmap -o bitmap.petal
    has "$(petal info partitioned.petal)" "kind       partitioned: "
    has "$(petal info split.petal)" "hash       XXH64"
    has "$(petal info counting.petal)" "in 4-bit counters"
    has "$(petal info counting.petal)" "can        remove, count, merge"
    has "$(petal info scalable.petal)" "1 stage"
    has "$(petal info scalable.petal)" "can        grow"
    has "$(petal info bitmap.petal)" "rate       0: exact, no false positives"
    has "$(petal info bitmap.petal)" "can        remove, merge, exact, share"
}

@test "info does not call repeats new" {
    printf 'a\na\na\n' | petal build --quiet -k counting -o f.petal
    has "$(petal info f.petal)" "keys       3 added, 1 estimated"
    run grep new <<<"$(petal info f.petal)"
    is "$output" ""
}

@test "info prints the form and the hash" {
    echo 10.0.0.0/8 | petal build --quiet --form ip -O hash=keyed -o i.petal
    has "$(petal info i.petal)" "form       ip"
    has "$(petal info i.petal)" "hash       keyed (SipHash-1-3)"
    echo a | petal build --quiet -O seed=0x2a -o s.petal
    has "$(petal info s.petal)" "hash       fast (XXH3), seed 0x2a"
}

@test "info --json prints every figure, one object per line" {
    keys in 100 | petal build --quiet -o a.petal
    seq 0 9 | petal build --quiet -k bitmap -o b.petal
    run --separate-stderr petal info --json a.petal b.petal
    is "$status" 0
    is "$stderr" ""
    is_json "$output"
    is "${#lines[@]}" 2
    is "$(figure "${lines[0]}" "r['file'], r['kind'], r['capacity'], r['keys_added'], r['fpr'], r['form'], r['hash'], r['sealed']")" \
        "a.petal blocked 100 100 0.01 raw fast True"
    is "$(figure "${lines[0]}" "r['image_bytes']")" "$(wc -c <a.petal)"
    is "$(figure "${lines[1]}" "r['kind'], r['bits'], r['keys_added'], r['cells_set']")" \
        "bitmap 10 10 10"
}

@test "info reads standard input" {
    keys in 100 | petal build --quiet -o f.petal
    is "$(petal info - <f.petal | tail -n +2)" "$(petal info f.petal | tail -n +2)"
    run --separate-stderr petal info - <<<"text of more than eight bytes"
    is "$status $stderr" "2 petal: standard input: not a petal filter"
    run --separate-stderr petal info - </dev/null
    is "$status" 2
    one_sentence "$stderr"
}

@test "the results of the first files are printed before an error" {
    keys in 100 | petal build --quiet -o f.petal
    run --separate-stderr petal info f.petal nope
    is "$status" 2
    is "${lines[0]}" f.petal
    is "$stderr" "petal: nope: No such file or directory"
    run --separate-stderr petal measure -n 1000 f.petal nope
    is "$status" 2
    is "${lines[0]}" f.petal
    run --separate-stderr petal verify f.petal nope
    is "$status" 2
    is "${lines[0]}" "f.petal: OK"
    is "$stderr" "petal: nope: No such file or directory"
}

@test "a missing or damaged file is an error that names it" {
    echo a | petal build --quiet -o f.petal
    head -c 100 f.petal >cut.petal
    echo text >text
    for command in info measure; do
        run --separate-stderr petal $command nope
        is "$status $output$stderr" "2 petal: nope: No such file or directory"
        run --separate-stderr petal $command text
        is "$status $output$stderr" "2 petal: text: not a petal filter"
        run --separate-stderr petal $command cut.petal
        is "$status $output$stderr" "2 petal: cut.petal: truncated: bytes are missing at the end; rebuild it or restore a copy"
        run --separate-stderr petal $command .
        is "$status $output$stderr" "2 petal: .: Is a directory"
        run --separate-stderr petal $command --bogus f.petal
        is "$status $stderr" "2 petal: --bogus: no such option; see petal help $command"
    done
    run --separate-stderr petal info
    is "$status $stderr" "2 petal: an argument is missing; usage: petal info FILTER..."
    run --separate-stderr petal measure
    is "$status $stderr" "2 petal: an argument is missing; usage: petal measure [options] FILTER..."
}

@test "verify reports whether files are intact" {
    keys in 1000 | petal build --quiet -o f.petal
    head -c 1000 f.petal >cut.petal
    echo text >text
    : >empty
    run --separate-stderr petal verify f.petal f.petal
    is "$status $stderr" "0 "
    is "$output" "$(printf 'f.petal: OK\nf.petal: OK')"
    run --separate-stderr petal verify cut.petal f.petal text empty
    is "$status $stderr" "1 "
    is "${lines[0]}" "cut.petal: truncated: bytes are missing at the end"
    is "${lines[1]}" "f.petal: OK"
    is "${lines[2]}" "text: not a petal filter"
    has "${lines[3]}" "empty: "
}

@test "verify --json reports the same" {
    keys in 1000 | petal build --quiet -o f.petal
    cp f.petal bad.petal
    flip bad.petal 700 3
    run --separate-stderr petal verify --json f.petal bad.petal
    is "$status" 1
    is_json "$output"
    is "${lines[0]}" '{"file": "f.petal", "ok": true}'
    is "$(figure "${lines[1]}" "r['file'], r['ok'], r['error']")" \
        "bad.petal False corrupt: header, contents and checksums do not agree"
    is "$(figure "${lines[1]}" "0 < r['damaged_from'] <= 700")" True
}

@test "verify finds any flipped bit" {
    keys in 300 >in
    for kind in blocked counting scalable; do
        petal build --quiet -k $kind -o $kind.petal in
        /usr/bin/python3 - $kind.petal "$PETAL" <<'PYTHON'
import subprocess, sys
image = open(sys.argv[1], "rb").read()
last = len(image) - 1
places = {0, 9, 13, 20, 40, 63, 64, 100, 128, 200, 255, 256, 257, 300, 400, last // 2,
          last - 64, last - 9, last - 8, last - 1, last}
names = []
for byte in sorted(places):
    name = "bad-%d.petal" % byte
    damaged = bytearray(image)
    damaged[byte] ^= 1 << byte % 8
    open(name, "wb").write(damaged)
    names.append(name)
run = subprocess.run([sys.argv[2], "verify"] + names, capture_output=True, text=True)
assert run.returncode == 1, run
lines = run.stdout.splitlines()
assert len(lines) == len(names), run
for name, line in zip(names, lines):
    assert line.startswith(name + ": ") and not line.endswith("OK"), line
    assert "corrupt" in line or name in ("bad-0.petal", "bad-9.petal", "bad-13.petal"), line
PYTHON
    done
}

@test "verify reports where the damage starts" {
    keys in 5000 | petal build --quiet -o f.petal
    flip f.petal 5000 0
    run --separate-stderr petal verify f.petal
    is "$status" 1
    has "$output" "f.petal: corrupt: header, contents and checksums do not agree (in the section that starts at byte "
}

@test "verify finds appended bytes" {
    keys in 100 | petal build --quiet -o f.petal
    printf x >>f.petal
    run petal verify f.petal
    is "$status" 1
}

@test "verify reads standard input, and a missing file is an error" {
    keys in 100 | petal build --quiet -o f.petal
    run --separate-stderr petal verify - <f.petal
    is "$status" 0
    has "$output" ": OK"
    flip f.petal 300 0
    run --separate-stderr petal verify - <f.petal
    is "$status" 1
    has "$output" ": corrupt"
    run --separate-stderr petal verify nope
    is "$status $output$stderr" "2 petal: nope: No such file or directory"
    run --separate-stderr petal verify .
    is "$status $output$stderr" "2 petal: .: Is a directory"
    run --separate-stderr petal verify
    is "$status $stderr" "2 petal: an argument is missing; usage: petal verify FILTER..."
}

@test "measure prints the rate with its interval, and the promised rate" {
    keys in 1000 | petal build --quiet -o f.petal
    run --separate-stderr petal measure -n 10000 f.petal
    is "$status" 0
    is "$stderr" ""
    is "${lines[0]}" "f.petal"
    has "${lines[1]}" "  measured   "
    has "${lines[1]}" " maybes out of 10,000 random keys)"
    is "${lines[2]}" "  promised   1%  at 1,000 keys"
    is "${lines[3]}" "  estimated  0.941%  from its current contents"
    is "${#lines[@]}" 4
    is "$(petal measure -n 1e4 f.petal)" "$output"
    is "$(petal measure --queries 10K --seed 1 f.petal)" "$output"
    [ "$(petal measure -n 10000 --seed 2 f.petal)" != "$output" ]
}

@test "the interval is Wilson's, and contains the rate of the formula" {
    keys in 1000 >in
    for kind in classic partitioned counting; do
        petal build --quiet -k $kind -p 2% -o $kind.petal in
        run --separate-stderr petal measure --json -n 100000 $kind.petal
        is "$status" 0
        is_json "$output"
        is "$(figure "$output" "r['queries'], r['promised'], r['measured'] == r['maybes'] / 1e5")" \
            "100000 0.02 True"
        is "$(figure "$output" "r['low'] < r['measured'] < r['high']")" True
        is "$(figure "$output" "abs(r['low'] + r['high'] - 2 * (r['measured'] + 1.9207e-5) / 1.000038415) < 1e-7")" True
        is "$(figure "$output" "r['low'] < r['estimated'] < r['high']")" True
    done
    m=$(figure "$(petal info --json classic.petal)" "r['bits']")
    k=$(figure "$(petal info --json classic.petal)" "r['hashes']")
    fill=$(figure "$(petal info --json classic.petal)" "r['fill']")
    is "$(figure "$(petal measure --json -n 100000 classic.petal)" \
        "r['low'] < $fill ** $k < r['high'] and abs($fill - (1 - math.exp(-$k * 1000 / $m))) < 6 / math.sqrt($m)")" True
}

@test "filters of URLs and addresses keep the promised rate for matches" {
    seq -f 'host%.0f.example.org/a/' 300 | petal build --quiet --form url -p 2% -o u.petal
    seq -f '10.1.%.0f.0/24' 0 255 | petal build --quiet --form ip -p 2% -o i.petal
    keys word 300 | petal build --quiet --form word -p 2% -o w.petal
    for f in u i w; do
        run --separate-stderr petal measure --json -n 20000 $f.petal
        is "$f $status" "$f 0"
        is "$(figure "$output" "r['low'] < 0.02 and r['maybes'] > 0")" True
    done
}

@test "measure of an overfull filter exits with 1" {
    keys in 1000 | petal build --quiet -n 100 -o f.petal
    run --separate-stderr petal measure -n 10000 f.petal
    is "$status" 1
    is "${lines[4]}" "  above the promised rate: the filter has more keys than it was planned for"
    keys in 100 | petal build --quiet -o good.petal
    run petal measure -n 10000 f.petal good.petal
    is "$status" 1
}

@test "an empty filter has rate 0, and a bitmap cannot be measured" {
    petal build --quiet -o e.petal /dev/null
    run --separate-stderr petal measure -n 1000 --json e.petal
    is "$status" 0
    is "$(figure "$output" "r['maybes'], r['measured'], r['low'], r['high'] < 0.005")" "0 0 0 True"
    seq 9 | petal build --quiet -k bitmap -o b.petal
    run --separate-stderr petal measure b.petal
    is "$status $output$stderr" "2 petal: b.petal: a bitmap is exact and has no false positives to measure"
    run --separate-stderr petal measure -n some e.petal
    is "$status" 2
    has "$stderr" "petal: -n some: not a number"
    is "$(petal measure -n 1000 - <e.petal | tail -n +2)" "$(petal measure -n 1000 e.petal | tail -n +2)"
}

@test "a closed pipe is not an error" {
    keys in 100 | petal build --quiet -o f.petal
    closed_pipe info f.petal
    closed_pipe info --json f.petal
    closed_pipe verify f.petal
    closed_pipe measure -n 1000 f.petal
}

@test "a member of a prefix is not a false positive" {
    printf '128.0.0.0/1\n10.0.0.0/8\n' | petal build --quiet --form ip -o i.petal
    run --separate-stderr petal measure -n 100000 i.petal
    is "$status" 0
    has "$output" "measured   0%"
}

@test "filters of URLs are measured with as many lookups as a match makes" {
    seq -f 'http://10.0.%.0f.7/a' 0 255 >urls
    seq -f 'http://intranet/%.0f' 1 255 >>urls
    petal build --quiet --form url -p 2% -o u.petal urls
    figures=$(petal measure --json -n 200000 u.petal)
    is_json "$figures"
    printf '%s\n' "$figures" | /usr/bin/python3 -c '
import json, sys
r = json.load(sys.stdin)
assert r["low"] <= r["estimated"] <= r["high"], r'
}
