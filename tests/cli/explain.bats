# petal explain: which cells a lookup reads, and why the answer follows.
load common

# filter NAME OPTIONS...: the keys 1 to 200 in NAME.petal.
filter() {
    local name=$1
    shift
    seq 1 200 | petal build --quiet -o "$name.petal" "$@"
}

@test "a classic filter: every probe, the cells around it, and the verdict" {
    printf 'rose\ntulip\n' | petal build --quiet -k classic -n 5 -p 10% -o f.petal
    run --separate-stderr petal explain f.petal rose lily
    is "$status" 0
    is "$stderr" ""
    is "$output" "rose
  hash     0xd6ea2b8b8a72aca7
    probe              cell         in byte  bit  value
        1                20               2    4      1
        2                21               2    5      1
        3                16               2    0      1

  cells around the probes (probed: ● 1, ○ 0; others: ▪ 1, · 0)
               0  ··▪·····▪·····▪·●···●●···

  verdict  maybe: no cell is 0

lily
  hash     0xfe0ba0e7e7510653
    probe              cell         in byte  bit  value
        1                24               3    0      0  no
        2                23               2    7      0
        3                24               3    0      0

  cells around the probes (probed: ● 1, ○ 0; others: ▪ 1, · 0)
               0  ··▪·····▪·····▪·▪···▪▪·○○

  verdict  no: the cell of probe 1 is 0"
}

@test "a blocked filter: the block of 512 bits in eight rows of 64" {
    printf 'rose\ntulip\n' | petal build --quiet -n 20 -o f.petal
    run --separate-stderr petal explain f.petal lily
    is "$status" 1
    is "$output" "lily
  hash     0xfe0ba0e7e7510653
    probe              cell         in byte  bit  value
        1               377              47    1      0  no
        2               432              54    0      0
        3               452              56    4      0
        4                51               6    3      0
        5               102              12    6      0
        6               179              22    3      0
        7               230              28    6      0
        8               291              36    3      0

  cells around the probes (probed: ● 1, ○ 0; others: ▪ 1, · 0)
               0  ···············▪··························▪········○············
              64  ·································▪····○······▪··················
             128  ··························▪·······················▪○············
             192  ······································○·············▪··········▪
             256  ·····▪········▪····················○····························
             320  ··················································▪▪·····○······
             384  ··········▪·····································○········▪······
             448  ·▪··○·············▪·············································

  verdict  no: the cell of probe 1 is 0"
}

@test "a partitioned filter: its rows, with one probe in each" {
    printf 'rose\ntulip\n' | petal build --quiet -k partitioned -n 5 -p 10% -o f.petal
    run --separate-stderr petal explain f.petal rose
    is "$status" 0
    has "$output" "
    row 1          0  ··▪····●·
    row 2          9  ·····▪·●·
    row 3         18  ▪····●···
"
}

@test "rows that are too long for a line are cut off around the probe" {
    seq 1 1000 | petal build --quiet -k partitioned -o f.petal
    petal explain f.petal 3 lily >text
    petal explain --json f.petal 3 lily >json
    is "$(grep -c '^    row [1-7] ' text)" 14
    /usr/bin/python3 - <<'END'
import json, re
cells = open("f.petal", "rb").read()[256:]
bit = lambda c: cells[c // 8] >> c % 8 & 1
probes = [p for line in open("json") for p in json.loads(line)["probes"]]
drawn = re.findall(r"^    row (\d) +([\d,]+)  (.)([·▪○●]+)(…?)$", open("text").read(), re.M)
assert len(drawn) == len(probes) == 14
for p, (row, first, before, signs, after) in zip(probes, drawn):
    first = int(first.replace(",", ""))
    assert int(row) == p["row"] and len(signs) == 56
    assert [s in "▪●" for s in signs] == [bool(bit(first + i)) for i in range(56)]
    assert [i for i, s in enumerate(signs) if s in "○●"] == [p["cell"] - first]
    assert "…" in (before, after)
END
}

@test "a counting filter: the counters, and how high they are" {
    printf 'rose\ntulip\nrose\n' | petal build --quiet -k counting -n 5 -o f.petal
    run --separate-stderr petal explain f.petal rose
    is "$status" 0
    is "$output" "rose
  hash     0xd6ea2b8b8a72aca7
    probe              cell         in byte  bit  value
        1                13               6    4      2
        2                31              15    4      2
        3                37              18    4      2
        4                60              30    0      2
        5                76              38    0      3
        6                90              45    0      2
        7               104              52    0      2
        8               116              58    0      2

  cells around the probes (probed: *n)
               0    0  0  0  1  0  0  0  0  0  0  0  0  0 *2  0  0
              16    0  0  0  0  0  0  0  0  0  0  0  0  0  1  0 *2
              32    0  0  0  0  0 *2  0  0  0  0  0  0  0  0  1  0
              48    0  0  0  0  0  0  0  0  1  0  0  0 *2  0  0  0
              64    0  0  0  0  0  0  0  0  0  0  0  0 *3  0  0  0
              80    0  0  0  0  0  0  0  0  0  1 *2  0  0  0  0  0
              96    0  0  0  0  0  0  0  1 *2  0  0  0  0  0  0  0
             112    1  0  0  0 *2  0  0  0  0  0  0  0  0  0  0  0

  verdict  maybe: no cell is 0"
}

@test "a bitmap: an integer is its bit, and nothing else is a key" {
    echo 4 | petal build --quiet -k bitmap -m 10 -o f.petal
    run --separate-stderr petal explain f.petal 5 10 x
    is "$status" 1
    is "$output" "5
    probe              cell         in byte  bit  value
        1                 5               0    5      0  no

  cells around the probes (probed: ● 1, ○ 0; others: ▪ 1, · 0)
               0  ····▪○····

  verdict  no: the cell of probe 1 is 0

10
  verdict  no: the key must be an integer below the filter's size

x
  verdict  no: the key must be an integer below the filter's size"
    petal explain f.petal 4
}

@test "a scalable filter: stage after stage, and which one has the key" {
    filter f -k scalable -n 60
    run petal explain f.petal 7
    is "$status" 0
    has "$output" $'\n\n  stage 3\n    probe '
    is "${lines[-1]}" "  verdict  maybe: no cell of stage 1 is 0"
    run petal explain f.petal bad
    is "$status" 1
    is "${lines[-1]}" "  verdict  no: every stage has a cell that is 0"
}

@test "filters of a form show the key as they take it" {
    echo 'http://A.com/x/../y' | petal build --quiet -n 20 --form url -o f.petal
    run petal explain f.petal 'https://a.com:443/./y'
    is "$status" 0
    is "${lines[1]}" "  key      a.com/y"
    run petal explain f.petal ''
    is "$status" 1
    is "$output" "
  verdict  no: the key is not valid for the filter's form"
}

@test "every probe is where docs/format.md says, with the value the file has there" {
    filter classic -k classic
    filter partitioned -k partitioned
    filter blocked -n 2000
    filter split -k split -n 2000
    for bits in 4 8 16 32; do
        filter "counting$bits" -k counting -O counter_bits=$bits
    done
    filter scalable -k scalable -n 60
    for f in *.petal; do
        petal explain --json "$f" $(seq 190 210) >"$f.json"
    done
    /usr/bin/python3 - <<'END'
import glob, json, struct

MASK = 2**64 - 1
high = lambda a, b: a * b >> 64

def row(h, k):
    for i in range(k):
        yield h
        h = h * 0xF1357AEA2E62A9C5 & MASK

def blocked(h, m, k):
    block, r = high(h, m), (h * 0x9E3779B97F4A7C15 & MASK) >> 13 & 7
    for i in range(k):
        x = h * (0x9E3779B97F4A7C15 if i < 8 else 0xD6E8FEB86659FD93) & MASK
        j = (r + i) & 7
        yield 512 * block + 64 * j + (x >> (16 + 6 * j) & 63)

def split(h, z):
    salts = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D,
             0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)
    for i, salt in enumerate(salts):
        yield 256 * ((h >> 32) * z >> 32) + 32 * i + ((h & 0xFFFFFFFF) * salt % 2**32 >> 27)

def counting(h, m):
    v = (h * 0x9E3779B97F4A7C15 & MASK) >> 32
    return [128 * high(h, m) + 16 * i + (v >> 4 * i & 15) for i in range(8)]

def stages(image, bits):
    first, tail = 0, 256 + (bits // 8 + 63) // 64 * 64
    for i in range(struct.unpack_from("<I", image, 84)[0]):
        m, k = struct.unpack_from("<QQQI", image, tail + 32 * i)[::3]
        yield first, m, k
        first += 512 * m

def probes(image, h):
    kind, w, k, bits = image[10], image[13], *struct.unpack_from("<H8xQ", image, 14)
    if kind == 2:
        return [(1, high(x, bits)) for x in row(h, k)]
    if kind == 3:
        return [(i + 1, i * (bits // k) + high(x, bits // k)) for i, x in enumerate(row(h, k))]
    if kind == 4:
        return [(1, c) for c in blocked(h, bits // 512, k)]
    if kind == 5:
        return [(1, c) for c in split(h, bits // 256)]
    if kind == 6:
        return [(1, c) for c in counting(h, bits // w // 128)]
    return [(s, first + c) for s, (first, m, k) in enumerate(stages(image, bits), 1)
            for c in blocked(h, m, k)]

files = glob.glob("*.petal")
assert len(files) == 9
for name in files:
    image = open(name, "rb").read()
    w, cells = image[13], int.from_bytes(image[256:], "little")
    answers = [json.loads(line) for line in open(name + ".json")]
    assert [a["key"] for a in answers] == [str(i) for i in range(190, 211)]
    for a in answers:
        said = a["probes"]
        group = "row" if image[10] == 3 else "stage"
        assert [(p[group], p["cell"]) for p in said] == probes(image, int(a["hash"], 16)), name
        for p in said:
            assert p["byte"] * 8 + p["bit"] == p["cell"] * w and p["bit"] < 8
            assert p["value"] == cells >> p["cell"] * w & 2**w - 1, (name, p)
        stage = lambda s: [p["value"] for p in said if group == "row" or p["stage"] == s]
        maybe = any(all(stage(s)) for s in {p[group] for p in said})
        assert a["verdict"] == ("maybe" if maybe else "no")
        assert maybe or int(a["key"]) > 200
END
}

@test "explain: JSON, and the status when one key of several is a maybe" {
    echo 4 | petal build --quiet -k bitmap -m 10 -o f.petal
    run --separate-stderr petal explain --json f.petal 4 x
    is "$status" 0
    is "$stderr" ""
    is_json "$output"
    is "$output" \
'{"key": "4", "probes": [{"stage": 1, "cell": 4, "byte": 0, "bit": 4, "value": 1}], "verdict": "maybe"}
{"key": "x", "probes": [], "verdict": "no"}'
}

@test "explain: the filter may come from standard input, and the key be empty" {
    printf '\n' | petal build --quiet -n 10 -o f.petal
    petal explain - "" <f.petal >from-input
    petal explain f.petal "" | cmp - from-input
}

@test "explain: no key, no file, no filter" {
    filter f
    run petal explain f.petal
    is "$status" 2
    is "$output" "petal: an argument is missing; usage: petal explain FILTER KEY..."
    run petal explain missing.petal rose
    is "$status" 2
    is "$output" "petal: missing.petal: No such file or directory"
    echo "not a filter, but long enough to have been one" >text
    run petal explain text rose
    is "$status" 2
    is "$output" "petal: text: not a petal filter"
    run petal explain --rows f.petal rose
    is "$status" 2
    is "$output" "petal: --rows: no such option; see petal help explain"
}

@test "explain ends quietly when nobody reads" {
    filter f
    closed_pipe explain f.petal $(seq 1 300)
    closed_pipe explain --json f.petal $(seq 1 300)
}

@test "the parent of a URL is shown if a match finds it" {
    echo http://example.com/ | petal build --quiet --form url -o u.petal
    run --separate-stderr petal explain u.petal http://www.example.com/a
    is "$status" 0
    has "$output" "key      www.example.com/a"
    has "$output" "match    1 lookup; found the parent example.com/"
    has "$output" "verdict  maybe: no cell is 0"
    run --separate-stderr petal explain --json u.petal http://www.example.com/a http://x.org/
    is "$(printf '%s\n' "$output" | /usr/bin/python3 -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    print(row["verdict"], row["lookups"], row.get("matched"))')" "$(printf 'maybe 1 example.com/\nno 1 None')"
}
