# ribbon.bats: tests of all commands with a ribbon, which is built once.
load common

# ribbon NAME N OPTION...: builds NAME.petal from the keys NAME-1 to NAME-N.
ribbon() {
    keys "$1" "$2" | petal build --quiet -k ribbon -o "$1.petal" "${@:3}"
}

# refuses REASON COMMAND...: fails with status 2 and one message that ends with REASON, keeps
# f.petal unchanged and creates no file.
refuses() {
    cp f.petal before
    run --separate-stderr petal "${@:2}"
    is "$status" 2
    is "$output" ""
    is "$stderr" "petal: f.petal: a ribbon is built once: $1"
    cmp f.petal before
    is "$(ls -A | grep -c '^\.')" 0
}

# ---- Building ----

@test "a ribbon is built without -n" {
    keys in 10000 >in
    run --separate-stderr petal build -k ribbon -p 0.1% -o f.petal in
    is "$status" 0
    is "$output" ""
    is "$stderr" "petal: f.petal: 10,000 keys from 10,000 lines; ribbon filter, 13.1 kB, 10.17 bits per key, rate 0.1%"
    is "$(petal check -c f.petal in)" 10000
    petal verify f.petal
}

@test "a ribbon is near the bound and far smaller than other kinds" {
    keys in 100000 >in
    petal build --quiet -k ribbon -p 0.1% -o ribbon.petal in
    petal build --quiet -k classic -p 0.1% -o classic.petal in
    is "$(figure "$(petal info --json ribbon.petal)" "r['bits_per_key'] < 1.01 * math.log2(1000)")" True
    is "$(figure "$(petal info --json classic.petal)" "r['bits_per_key'] > 1.43 * math.log2(1000)")" True
}

@test "repeated keys count once and do not change the file" {
    keys in 3000 >in
    run --separate-stderr petal build -k ribbon -o twice.petal in in - <<<"in-1"
    is "$status" 0
    has "$stderr" "petal: twice.petal: 3,000 keys from 6,001 lines; ribbon filter"
    petal build --quiet -k ribbon -o once.petal in
    cmp once.petal twice.petal
    run --separate-stderr petal build --json -k ribbon -o json.petal in in
    is "$(figure "$output" "r['lines'], r['keys_added'], r['capacity'], r['sealed']")" \
        "6000 3000 3000 True"
}

@test "-n makes no difference, and a ribbon is never overfull" {
    keys in 5000 >in
    petal build --quiet -k ribbon -o f.petal in
    for n in 1 100 5000 1e6; do
        run --separate-stderr petal build --force -k ribbon -n $n -o n.petal in
        is "$status" 0
        one_sentence "$stderr"
        has "$stderr" "5,000 keys"
        cmp f.petal n.petal
    done
}

@test "the file is the same for any order and any number of threads" {
    keys in 200000 >in
    petal build --quiet -k ribbon --threads 1 -o f.petal in
    petal build --quiet -k ribbon --threads 2 -o two.petal in
    sort -r in | petal build --quiet -k ribbon --threads 8 -o reversed.petal
    cmp f.petal two.petal
    cmp f.petal reversed.petal
}

@test "keys can be fields, NUL-separated, and from files, compressed or not" {
    keys in 2000 >in
    petal build --quiet -k ribbon -o f.petal in
    gzip -k in
    petal build --quiet -k ribbon -o g.petal in.gz
    petal build --quiet -k ribbon -o h.petal - <in
    sed 's/^/x,/' in | petal build --quiet -k ribbon -f 2 -d , -o i.petal
    tr '\n' '\0' <in | petal build --quiet -k ribbon -0 -o j.petal
    petal build --quiet -k ribbon -o - in >k.petal
    for f in g h i j k; do
        cmp f.petal $f.petal
    done
}

@test "every form can be a ribbon, as small as its parents allow" {
    seq -f 'http://host%.0f.example.org/a/b?c' 2000 >url
    (seq -f '10.1.%.0f.0/24' 0 255; seq -f '10.2.%.0f.0/24' 0 255) >ip
    seq -f 'wort%.0fß' 2000 >word
    for form in url ip word; do
        petal build --quiet -k ribbon --form $form -o $form.petal $form
        petal build --quiet -k ribbon --form $form -n 7 -o n.petal --force $form
        cmp $form.petal n.petal
        is "$form $(petal check -c $form.petal $form)" "$form $(wc -l <$form)"
        petal measure -n 100000 $form.petal
        is "$(figure "$(petal info --json $form.petal)" "r['bits_per_key'] < 8")" True
    done
    is "$(echo 10.1.7.9 | petal check --why ip.petal)" "$(printf '10.1.7.9\t10.1.7.0/24')"
    printf 'evil.com\nno url\n' >urls
    run --separate-stderr petal build -k ribbon --form url -o u.petal urls
    is "${stderr_lines[0]}" "petal: urls:2: not a URL: no url; skipped"
    has "${stderr_lines[1]}" "petal: u.petal: 1 key from 2 lines; ribbon filter"
    run --separate-stderr petal build -k ribbon --form ip -o v.petal urls
    is "$status" 2
    is "${stderr_lines[2]}" "petal: v.petal: not written: no line of the input is a key"
}

@test "with -m a ribbon has the best rate that fits" {
    keys in 5000 >in
    petal build --quiet -k ribbon -m 50000 -o f.petal in
    is "$(figure "$(petal info --json f.petal)" "49000 < r['bits'] <= 50000, r['fpr'] < 0.002")" \
        "True True"
    is "$(petal check -c f.petal in)" 5000
    run --separate-stderr petal build -k ribbon -m 50000 -p 1% -o g.petal in
    is "$status $stderr" \
        "2 petal: -m and -p cannot be combined for a ribbon; give one, the other follows from it"
    keys in 100000 >in
    run --separate-stderr petal build -k ribbon -m 1000 -o g.petal in
    is "$status $stderr" \
        "2 petal: -m 1,000: is too small for the other options; raise it or fpr"
    [ ! -e g.petal ]
}

@test "impossible options are an error before anything is read" {
    for options in "-p 2" "-p 1e-12" "-n 1e15" "-O hashes=4" "-O growth=3" "-m 1"; do
        run --separate-stderr petal build -k ribbon $options -o f.petal nowhere
        is "$status" 2
        one_sentence "$stderr"
        [[ $stderr != *nowhere* ]]
        [ ! -e f.petal ]
    done
}

@test "a keyed hash has a random seed, for every form" {
    keys word 100 >in
    for form in raw word; do
        petal build --quiet -k ribbon -O hash=keyed --form $form -o a.petal --force in
        petal build --quiet -k ribbon -O hash=keyed --form $form -o b.petal --force in
        run cmp -s a.petal b.petal
        is "$status" 1
        is "$(petal check -c a.petal in)" 100
    done
    echo evil.com | petal build --quiet -k ribbon -O hash=keyed --form url -o u.petal
    is "$(echo http://www.evil.com/a | petal check -c u.petal)" 1
}

@test "too little memory is an error and leaves no file" {
    seq 3000000 >in
    limited() {
        (ulimit -v "$1" && exec "$PETAL" "${@:2}")
    }
    [ -z "$SANITIZED" ] || skip "makes no sense: a sanitizer takes all the room there is"
    for room in 30000 50000; do
        run --separate-stderr limited $room build -k ribbon --threads 1 -o f.petal in
        is "$status" 2
        is "$output" ""
        one_sentence "$stderr"
        has "$stderr" "out of memory"
        is "$(ls -A | grep -E '^\.|petal')" ""
    done
}

@test "an empty ribbon answers no to everything" {
    run --separate-stderr petal build -k ribbon -o f.petal /dev/null
    is "$status" 0
    has "$stderr" "petal: f.petal: 0 keys from 0 lines; ribbon filter, 328 B"
    run petal check f.petal <<<"a"
    is "$status" 1
    has "$(petal info f.petal)" "keys       0; none can be added"
    petal verify f.petal
    run --separate-stderr petal explain f.petal a
    is "$status" 1
    has "$output" "verdict  no: the filter was built from no keys"
}

# ---- Planning ----

@test "plan shows a ribbon and how near the bound it is" {
    run --separate-stderr petal plan -n 1e6 -p 0.1%
    has "$output" "ribbon            1,000,000        10   1.25 MB   -      0.1%  built once"
    has "$output" "No filter of this rate can be smaller than 9.97 bits per key, 1.25 MB.
A ribbon comes within 0.34% of that.  It is built once from all keys; none can be added later."
    has "$(petal plan -m 1MiB -p 0.1% -k ribbon)" "A ribbon comes within 0.34% of that"
    has "$(petal plan -n 10 -k ribbon)" "
A ribbon is built once from all keys; none can be added later."
    [[ $(petal plan -n 1e6 -k classic) != *ribbon* ]]
    is "$(figure "$(petal plan -n 1e6 --json)" \
        "[k['can'] for k in r['kinds'] if k['kind'] == 'ribbon']")" "[['static', 'staged']]"
}

@test "a ribbon has the planned size" {
    for n in 500 3000 100000; do
        planned=$(figure "$(petal plan -n $n -k ribbon --json)" "r['kinds'][0]['image_bytes']")
        keys in $n | petal build --quiet --force -k ribbon -o f.petal
        is "$(figure "$planned" "abs(r / $(wc -c <f.petal) - 1) < 0.01")" True
    done
}

@test "the rate of a ribbon cannot be plotted" {
    for how in --plot "--svg x.svg"; do
        run --separate-stderr petal plan -n 1e6 -k ribbon $how
        is "$status $stderr" \
            "2 petal: -k ribbon: its rate does not depend on the number of keys, so there is no curve to plot; choose another kind"
        [ ! -e x.svg ]
    done
}

# ---- Lookups ----

@test "check, missing and count work with a ribbon" {
    ribbon f 3000 -p 0.1%
    keys f 3000 >in
    keys out 2000 >out
    is "$(petal check -c f.petal in)" 3000
    is "$(petal check -n f.petal in | wc -l)" 3000
    is "$(printf 'f-7\nrose\n' | petal check --why f.petal)" "$(printf 'f-7\tf-7')"
    is "$(printf 'f-7\nrose\n' | petal check --json f.petal | grep -c maybe)" 1
    keys g 10 | petal build --quiet -o g.petal
    is "$(printf 'f-7\ng-7\n' | petal check -F g.petal f.petal)" \
        "$(printf 'f.petal\tf-7\ng.petal\tg-7')"
    is "$(petal check -c - in <f.petal)" 3000
    is "$(petal missing --quiet f.petal in out | wc -l)" "$(petal check -vc f.petal out)"
    run --separate-stderr petal count f.petal - <<<"$(printf 'f-7\nrose\n')"
    is "$output" "$(printf '1\tf-7\n0\trose')"
    is "$stderr" "petal: f.petal: a ribbon filter does not count; 1 means maybe, 0 means no"
}

@test "spell and guard work with a ribbon" {
    printf '%s\n' the quick brown fox | petal build --quiet -k ribbon -p 0.01% --form word -o w.petal
    is "$(echo The quick brwon fox | petal spell --quiet --list w.petal)" brwon
    /usr/bin/python3 -c '
import sqlite3
db = sqlite3.connect("store.db")
db.execute("CREATE TABLE t (k TEXT PRIMARY KEY)")
db.executemany("INSERT INTO t VALUES (?)", [("the",), ("fox",)])
db.commit()'
    is "$(printf 'fox\nhen\n' | petal guard --quiet w.petal --sqlite store.db \
        --query 'SELECT 1 FROM t WHERE k = ?')" fox
}

@test "info describes a ribbon" {
    ribbon f 3000
    run --separate-stderr petal info f.petal
    is "$status" 0
    is "$output" "f.petal
  kind       ribbon: 20,848 bits, 7 columns, 2 layers
  size       2,952 bytes (2.95 kB), 6.949 bits per key
  keys       3,000; none can be added
  rate       0.969%, 1% promised
  form       raw
  hash       fast (XXH3)
  can        built once
  id         fff1f8611549333f"
    is "$(figure "$(petal info --json f.petal)" "r['kind'], r['stages'], r['keys_added']")" \
        "ribbon 2 3000"
}

@test "verify finds any flipped bit" {
    ribbon f 3000
    /usr/bin/python3 - "$PETAL" <<'PYTHON'
import subprocess, sys
image = open("f.petal", "rb").read()
for byte in list(range(0, len(image), 97)) + [len(image) - 1]:
    damaged = bytearray(image)
    damaged[byte] ^= 1 << byte % 8
    open("bad.petal", "wb").write(damaged)
    run = subprocess.run([sys.argv[1], "verify", "bad.petal"], capture_output=True, text=True)
    assert run.returncode == 1 and run.stdout.startswith("bad.petal: "), (byte, run)
PYTHON
    head -c 2000 f.petal >cut.petal
    run petal info cut.petal
    is "$status $output" "2 petal: cut.petal: truncated: bytes are missing at the end; rebuild it or restore a copy"
}

@test "measure finds the promised rate, and chance alone is no alarm" {
    for n in 300 5000 50000; do
        keys in $n | petal build --quiet --force -k ribbon -o f.petal
        for seed in 1 2 3 4; do
            run --separate-stderr petal measure --json -n 100000 --seed $seed f.petal
            is "$status" 0
            is "$(figure "$output" "0.9 < r['estimated'] / 0.01 < 1.001 or $n < 1000")" True
            is "$(figure "$output" "abs(r['measured'] - r['estimated']) < 6 * (0.01 / 1e5) ** 0.5")" \
                True
        done
    done
}

# ---- Commands that fail ----

@test "add and seen fail for a ribbon and say what to do" {
    ribbon f 100
    refuses "no keys can be added; rebuild it from all keys with petal build" \
        add f.petal - <<<"rose"
    refuses "no keys can be added; rebuild it from all keys with petal build" \
        add --json f.petal /dev/null
    refuses "no keys can be added, but petal seen adds keys; choose another file" \
        seen f.petal - <<<"rose"
    refuses "no keys can be added, but petal seen adds keys; choose another file" \
        seen -k blocked -n 10 --nth 2 f.petal - <<<"rose"
    echo rose >rose
    run --separate-stderr petal add - rose <f.petal
    is "$status $output" "2 "
    has "$stderr" "petal: standard input: a ribbon is built once: "
}

@test "seen cannot create a ribbon" {
    run --separate-stderr petal seen -k ribbon f.petal - <<<"rose"
    is "$status $output" "2 "
    is "$stderr" \
        "petal: -k ribbon: built once from all keys, but petal seen adds keys one by one; choose another kind"
    [ ! -e f.petal ]
}

@test "remove, merge and diff fail for a ribbon" {
    ribbon f 100
    keys g 100 | petal build --quiet -o g.petal
    refuses "no keys can be removed; build it with -k quotient" remove f.petal - <<<"f-1"
    for files in "f.petal f.petal" "f.petal g.petal" "g.petal f.petal" f.petal; do
        refuses "it cannot be merged; build one from all keys" merge -o m.petal $files
        [ ! -e m.petal ]
    done
    for files in "f.petal f.petal" "f.petal g.petal" "g.petal f.petal"; do
        refuses "it cannot be compared with another; use petal missing to find keys that it lacks" \
            diff $files
    done
}

# ---- Explaining ----

@test "explain draws the columns, and their parities" {
    ribbon f 20
    run --separate-stderr petal explain f.petal f-1 rose
    is "$status" 0
    is "$stderr" ""
    is "$output" "f-1
  hash     0x56a05a0a0afd18f9
  entries  33 of 64, starting at cell 10, in each of 7 columns: 231 bits

  columns (added: ● 1, ○ 0; others: ▪ 1, · 0; │ next block) and parities
     1  ○○○··○·○··○··▪●○·●···○○···○▪▪▪○○··○○○○○··●○○·●○○●○○○▪○│○··○··○···  1
     2  ○○○··○·○··○··▪○○▪●···○○·▪·○▪··○○··○○○○○··○○○·○○○○●○○▪○│○··○··○···  0
     3  ○○○··○·○··○···●○·○▪··○○···○▪▪▪○○··○○○○○··○○○·○○○○○○○·●│○··○··○···  0
     4  ●○○▪·○·○··○···○○·○···○○▪··○·▪·○○··○○○○○··○○○·●○○●●○○▪○│○··○··○···  0
     5  ●○○▪·○·○··○···●○·●···○○·▪·○···○○··○○○○○··○○○·○○○○●○○·●│○··○··○···  1
     6  ○○○▪·○·○··○··▪○○▪○···○○···○▪·▪○○··○○○○○··●○○·○○○●○○○▪●│○··○··○···  1
     7  ○○○▪·○·○··○···●○·●···○○▪··○·▪▪○○··○○○○○··●○○·○○○○○○○▪●│○··○··○···  0

  verdict  maybe: the parities equal the fingerprint of the key

rose
  hash     0xd6ea2b8b8a72aca7
  entries  31 of 64, starting at cell 2, in each of 7 columns: 217 bits

  columns (added: ● 1, ○ 0; others: ▪ 1, · 0; │ next block) and parities
     1  ○··▪·○·○○○○··○○···○○○▪●··●·○○·○○○·○●●▪··○○○·○·○··●···●··▪○··●·│·○  1
     2  ○··▪·○▪○○○○··○○···○○○▪○·▪●·○○·○○●·○●○···○○○·○·○··○···○···●··●·│·○  1
     3  ○··▪·○▪○○○○··○○···○○○·●··○▪○○·○○○·○●●▪··○○○·○·○··○···○···○··○▪│·○  1
     4  ○··▪·○▪○●○○▪·○○···○○○·○··○·○○·○●○·○○●···○○○·○·○··○···●··▪●··●·│·○  0
     5  ○····○·○●○○▪·○○···○○○·●··●·○○·○○●·○○○···○○○·○·○··○···○···●··○▪│·○  1
     6  ○····○▪○○○○▪·○○···○○○▪○·▪○·○○·○○○·○●○▪··○○○·○·○··●···○··▪○··●▪│·○  1
     7  ○··▪·○▪○○○○▪·○○···○○○·●··●·○○·○●○·○○●▪··○○○·○·○··●···○···○··●▪│·○  0

  verdict  no: the parities differ from the fingerprint of the key"
}

@test "the parities are those of the cells, and a maybe's are its fingerprint" {
    ribbon f 1000
    petal explain --json f.petal $(keys f 20) $(keys out 300) >answers
    /usr/bin/python3 - <<'PYTHON'
import json, struct
MASK = 2**64 - 1
K0, K1, K2 = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xF1357AEA2E62A9C5

def mix(a, b):
    return (a * b ^ a * b >> 64) & MASK

def seed(n):                            # splitmix64
    z = (n + 1) * K0 & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31

image = open("f.petal", "rb").read()
bits = struct.unpack_from("<Q", image, 24)[0]
cells = int.from_bytes(image[256:], "little")
base, attempt = struct.unpack_from("<HH", image, 260 + (bits // 8 + 63) // 64 * 64)
verdicts = {"maybe": 0, "no": 0}
for line in open("answers"):
    a = json.loads(line)
    x = mix(int(a["hash"], 16) ^ seed(256 * 16 * base + attempt), K0)
    coefficients, fingerprint = mix(x ^ K2, K1) | 1, (x * K2 & MASK) >> 32
    columns = len(a["parities"])
    assert a["layers"] == 1 and columns in (6, 7)
    sums = [0] * columns
    for p in a["probes"]:
        assert p["byte"] * 8 + p["bit"] == p["cell"] and p["value"] == cells >> p["cell"] & 1
        sums[p["column"] - 1] ^= p["value"]
    assert sums == a["parities"]
    assert len(a["probes"]) == columns * bin(coefficients).count("1")
    is_it = all(bit == fingerprint >> i & 1 for i, bit in enumerate(sums))
    assert a["verdict"] == ("maybe" if is_it else "no"), a
    assert is_it or a["key"].startswith("out")
    verdicts[a["verdict"]] += 1
assert 20 <= verdicts["maybe"] < 40, verdicts
PYTHON
}

@test "explain of low rates and high ones, of layers, and of what covers" {
    ribbon f 2000 -p 1e-9
    run petal explain f.petal f-1
    is "$status" 0
    has "$output" "layers   2; the hash selects one of them"
    has "$output" "verdict  maybe: the parities equal the fingerprint of the key"
    is "$(printf '%s\n' "$output" | grep -c '[●○]')" 31
    keys in 100 | petal build --quiet -k ribbon -p 50% -o half.petal
    run petal explain half.petal in-1
    has "$output" "verdict  maybe: the parity equals the fingerprint of the key"
    keys in 3000 | petal build --quiet -k ribbon -p 90% -o most.petal
    has "$(petal explain most.petal $(keys in 9))" \
        "verdict  maybe: no bit is read; at such a high rate some keys need none"
    echo http://example.com/ | petal build --quiet -k ribbon --form url -o u.petal
    run petal explain u.petal http://www.example.com/a
    has "$output" "match    1 lookup; found the parent example.com/"
    has "$output" "verdict  maybe: the "
}

@test "a closed pipe is not an error" {
    ribbon f 1000
    closed_pipe explain f.petal $(keys f 100)
    closed_pipe info f.petal
    keys f 1000 >list
    closed_pipe build --quiet -k ribbon -o - list
}
