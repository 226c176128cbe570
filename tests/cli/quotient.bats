# quotient.bats: what the command does with filters of fingerprints, which remove, count, grow
# and shrink: petal compact, diff --exact, and the other commands where such filters differ.
load common

# quotient NAME OPTIONS...: builds NAME.petal from standard input.
quotient() {
    local name=$1
    shift
    petal build --quiet -k quotient -o "$name.petal" "$@"
}

# copies N KEY: prints the key N times.
copies() {
    yes "$2" | head -"$1"
}

# refuses MESSAGE COMMAND...: fails with this message alone.
refuses() {
    local message=$1
    shift
    run --separate-stderr petal "$@"
    is "$status $output" "2 "
    is "$stderr" "petal: $message"
}

# ---- Building ----

@test "build counts the keys and makes a filter of that size" {
    keys in 20000 >in
    run --separate-stderr petal build -k quotient -o f.petal in
    is "$stderr" "petal: f.petal: 20,000 keys from 20,000 lines; quotient filter, 24.3 kB, 9.63 bits per key, rate 1%"
    quotient g -n 20000 in
    cmp f.petal g.petal
    is "$(petal check -c f.petal in)" 20000
}

@test "build makes room for copies, but not for those beyond 15" {
    (keys in 1000; keys in 1000) | quotient twice
    is "$(figure "$(petal info --json twice.petal)" "r['capacity'], r['keys_added'], r['bits'] < 2000 * 11")" "2000 2000 True"
    copies 100000 rose | quotient many
    is "$(figure "$(petal info --json many.petal)" "r['capacity'], r['keys_added'], r['saturated']")" "15 15 1"
    keys in 2000 >in
    cat in in | petal shard --quiet -k quotient -N 2 -o s-%d.petal
    is "$(figure "$(petal info --json s-0.petal)" "r['capacity'] == r['keys_added'], r['bits'] < r['capacity'] * 11")" "True True"
}

@test "build with growth makes a filter that keeps its rate" {
    keys in 50000 | quotient f -O growth=4
    is "$(figure "$(petal info --json f.petal)" "r['growth'], r['stages'], r['fpr_estimate'] < 0.01")" "4 2 True"
    petal verify f.petal
}

@test "info shows what there is instead of bits that are set" {
    (keys in 100; copies 20 rose) | quotient f -n 200
    run petal info f.petal
    is "${lines[1]}" "  kind       quotient: 3,072 bits, 6-bit remainders, 1 stage"
    is "${lines[2]}" "  size       648 bytes, 26.71 bits per key now"
    is "${lines[3]}" "  keys       115 added, 100 estimated, capacity 200"
    is "${lines[4]}" "  fill       57.50% of the capacity"
    has "$output" "  range      20,224 fingerprints"
    has "$output" "  saturated  1 fingerprint with 15 copies, which can no longer change"
    keys in 50000 | quotient g -O growth=4
    has "$(petal info g.petal)" " fingerprints in the first stage, 64 times as many in each further one"
}

@test "plan --plot has no curve for k" {
    run petal plan -k quotient -n 1000 --plot
    is "$status" 0
    is "$(grep -c 'Rate against' <<<"$output")" 1
    has "$output" "Rate against keys added: quotient"$'\n'
}

# ---- Adding, removing, counting ----

@test "counts are exact up to 14 copies, and 15 means at least" {
    (copies 14 rose; copies 20 tulip; echo daisy) | quotient f
    is "$(printf 'rose\ntulip\ndaisy\noak\n' | petal count f.petal)" \
        "$(printf '14\trose\n15+\ttulip\n1\tdaisy\n0\toak')"
    is "$(echo tulip | petal count --json f.petal)" '{"key": "tulip", "count": 15, "at_least": true}'
}

@test "a key that was added too often is not removed, and remove says so" {
    (copies 14 rose; copies 20 tulip) | quotient f
    run --separate-stderr petal remove f.petal - <<<"$(copies 14 rose; echo tulip; echo oak)"
    is "$status" 0
    is "${stderr_lines[0]}" "petal: f.petal: 14 keys removed, 1 not found; 15 left"
    is "${stderr_lines[1]}" "petal: f.petal: 1 key not removed: added 15 times or more, so the filter has lost count; rebuild it without them"
    cp f.petal before
    run --separate-stderr petal remove --json f.petal - <<<"$(copies 3 tulip)"
    is "$status" 1
    is "$output" '{"file": "f.petal", "removed": 0, "absent": 0, "stuck": 3, "keys": 15, "skipped": {}}'
    cmp f.petal before
}

@test "keys are removed from every stage, and the file stays valid" {
    keys in 50000 >in
    quotient f -O growth=4 in
    head -20000 in | petal remove --quiet f.petal
    petal verify f.petal
    is "$(petal info f.petal | grep 'keys  ' | cut -d, -f1,2)" "  keys       30,000 added"
    keys new 10 | petal add --quiet f.petal
    tail -n +20001 in | petal remove --quiet f.petal
    is "$(keys new 10 | petal check -c f.petal)" 10
    run --separate-stderr petal remove f.petal - <<<"$(keys new 10)"
    is "$stderr" "petal: f.petal: 10 keys removed, 0 not found; 0 left"
}

@test "a fixed filter takes several times its capacity, then says what to do" {
    keys in 1000 | quotient f
    run --separate-stderr petal add f.petal - <<<"$(keys more 1000)"
    is "$status" 0
    has "$stderr" "petal: f.petal: more keys than planned: the rate is 1."
    cp f.petal before
    keys many 50000 >many
    refuses "f.petal: the filter cannot grow any further at this rate; rebuild it with a larger -n" \
        add f.petal many
    cmp f.petal before
}

@test "with insert_only, keys are added once and not counted" {
    (keys in 100; keys in 100) | quotient f -O insert_only=1
    run petal info f.petal
    has "$output" "  keys       99 new when added, "
    is "${lines[-2]}" "  can        merge, grow, compact"
    is "$(echo in-1 | petal count f.petal 2>remark)" "$(printf '1\tin-1')"
    is "$(cat remark)" "petal: f.petal: a quotient filter built with insert_only does not count; 1 means maybe, 0 means no"
    refuses "f.petal: cannot remove keys from a quotient filter built with insert_only; build it with -k quotient" \
        remove f.petal /dev/null
    refuses "f.petal: a quotient filter built with insert_only does not count, which --nth needs; use a filter of kind quotient" \
        seen --nth 2 f.petal /dev/null
}

# ---- Seen ----

@test "seen --nth needs no size, and repeats do not make the filter larger" {
    for _ in 1 2 3 4 5 6; do keys in 2000; done >in
    run --separate-stderr petal seen --nth 2 -p 1e-6 f.petal in
    is "$status" 0
    is "$output" "$(keys in 2000)"
    is "$(figure "$(petal info --json f.petal)" "r['kind'], r['keys_added']")" "quotient 4000"
    run --separate-stderr petal seen --nth 2 -p 1e-6 f.petal in
    is "$status$output" 1
    is "$(figure "$(petal info --json f.petal)" "r['keys_added']")" 4000
}

@test "seen adds a line to such a filter once, whole or as a field" {
    for _ in 1 2 3; do keys in 2000; done >in
    is "$(petal seen --quiet -k quotient -p 1e-6 whole.petal in)" "$(keys in 2000)"
    is "$(sed 's/^/x /' in | petal seen --quiet -k quotient -p 1e-6 -f 2 field.petal | cut -c3-)" "$(keys in 2000)"
    for f in whole field; do
        is "$(figure "$(petal info --json $f.petal)" "r['keys_added']")" 2000
    done
}

@test "seen with a large input starts larger, and still grows" {
    seq 1 400000 >in
    petal seen --quiet -k quotient f.petal in >/dev/null
    is "$(figure "$(petal info --json f.petal)" "r['growth'], r['capacity_first'] > 1024, r['fpr_estimate'] < 0.01")" \
        "4 True True"
}

@test "seen says which filter counts as far as --nth needs" {
    echo a | quotient f
    refuses "--nth 15: this filter only counts up to 14; build it with -k counting -O counter_bits=8" \
        seen --nth 15 f.petal /dev/null
}

# ---- Compacting ----

@test "compact makes a filter smaller, which keeps its keys and grows again" {
    keys in 20000 >in
    head -1000 in >left
    tail -n +1001 in >gone
    for options in growth=4 capacity_max=100000; do
        quotient f --force -O $options in
        petal remove --quiet f.petal gone
        run --separate-stderr petal compact f.petal
        is "$status $output" "0 "
        one_sentence "$stderr"
        has "$stderr" "petal: f.petal: 1,000 keys in "
        [ "$(wc -c <f.petal)" -lt 6000 ]
        petal verify f.petal
        is "$(petal check -c f.petal left)" 1000
        petal add --quiet f.petal gone
        is "$(petal check -c f.petal in)" 20000
    done
}

@test "compact halves a filter of fixed size" {
    seq 1 100000 | quotient f
    seq 1 90000 | petal remove --quiet f.petal
    run --separate-stderr petal compact f.petal
    is "$stderr" "petal: f.petal: 10,000 keys in 30.3 kB instead of 119 kB"
    is "$(seq 90001 100000 | petal check -c f.petal)" 10000
}

@test "compact reports the sizes, and leaves alone what is small already" {
    keys in 20000 | quotient f -O growth=4
    keys in 19000 | petal remove --quiet f.petal
    run --separate-stderr petal compact --json -o small.petal f.petal
    is "$status $stderr" "0 "
    is "$output" "{\"file\": \"small.petal\", \"keys\": 1000, \"bytes_before\": $(wc -c <f.petal), \"bytes\": $(wc -c <small.petal)}"
    [ "$(wc -c <small.petal)" -lt "$(wc -c <f.petal)" ]
    touch -d 2000-01-01 small.petal
    run --separate-stderr petal compact small.petal
    is "$status $stderr" "0 petal: small.petal: 1,000 keys in $(petal info small.petal | sed -n 's/.*(\(.*\)).*now/\1/p'); it cannot be made smaller"
    is "$(date -r small.petal +%Y)" 2000
    petal compact --quiet - <f.petal | cmp - small.petal
    refuses "small.petal: file exists; use --force to overwrite it" compact -o small.petal f.petal
}

@test "compact fails for a kind that cannot shrink, and for what is no filter" {
    for kind in blocked counting ribbon; do
        keys in 10 | petal build --quiet --force -k $kind -o f.petal
        cp f.petal before
        refuses "f.petal: a $kind filter cannot shrink; rebuild it from its keys, or use -k quotient" \
            compact f.petal
        cmp f.petal before
    done
    refuses "none.petal: No such file or directory" compact none.petal
    echo text >text
    run --separate-stderr petal compact text
    is "$status" 2
    one_sentence "$stderr"
}

# ---- Exact differences ----

@test "diff --exact counts the fingerprints of each side, and their copies" {
    seq 1 100 | quotient a -n 200 -p 1e-9
    (seq 91 120; copies 2 95) | quotient b -n 200 -p 1e-9
    run --separate-stderr petal diff --exact a.petal b.petal
    is "$status $stderr" "0 "
    is "$output" "                            fingerprints        copies
  a.petal                            100           100
  b.petal                             30            32
  in both                             10            10
  only in the first                   90            90
  only in the second                  20            22
  1 fingerprint in both, but with different numbers of copies"
    is "$(petal diff --exact --json a.petal b.petal)" '{"a": {"fingerprints": 100, "copies": 100}, "b": {"fingerprints": 30, "copies": 32}, "both": {"fingerprints": 10, "copies": 10}, "only_a": {"fingerprints": 90, "copies": 90}, "only_b": {"fingerprints": 20, "copies": 22}, "counts_differ": 1}'
}

@test "diff --exact exits with 1 if nothing differs, and with 0 if only counts do" {
    seq 1 100 | quotient a -n 200
    (seq 1 100; echo 7) | quotient b -n 200
    run --separate-stderr petal diff --exact a.petal a.petal
    is "$status" 1
    run --separate-stderr petal diff --exact a.petal b.petal
    is "$status" 0
    is "$(figure "$(petal diff --exact --json a.petal b.petal)" "r['only_b']['fingerprints'], r['only_b']['copies'], r['counts_differ']")" "0 1 1"
}

@test "diff --exact compares filters that have grown or shrunk differently" {
    keys in 5000 >in
    quotient a -n 1000 -O capacity_max=10000 in
    head -4990 in | quotient b -n 1000 -O capacity_max=10000
    keys new 20000 >new
    petal add --quiet b.petal new
    petal remove --quiet b.petal new
    is "$(figure "$(petal diff --exact --json a.petal b.petal)" "r['only_a']['copies'], r['only_b']['copies']")" "10 0"
    petal compact --quiet b.petal
    is "$(figure "$(petal diff --exact --json a.petal b.petal)" "r['only_a']['copies'], r['only_b']['copies']")" "10 0"
    is "$(petal missing --quiet b.petal in | wc -l)" 10
}

@test "diff --exact of filters that do not fit together is an error with the reason" {
    seq 1 10 | quotient a -n 1000
    seq 1 10 | quotient b -n 5000
    seq 1 10 | quotient c -n 1000 -p 0.1%
    seq 1 10 | quotient d -n 1000 -O growth=4
    seq 1 10 | quotient e -n 1000 -O seed=7
    seq 1 50000 | quotient f -O growth=4
    seq 1 10 | petal build --quiet -o g.petal
    refuses "a.petal: built for 1,000 keys, b.petal for 5,000; build both with the same -n to compare them" \
        diff --exact a.petal b.petal
    run --separate-stderr petal diff --exact a.petal c.petal
    has "$stderr" "; build both with the same -p or -m to compare them"
    refuses "a.petal: does not grow, d.petal grows; build both with the same -O growth to compare them" \
        diff --exact a.petal d.petal
    refuses "a.petal: built with one seed, e.petal with another; build both with the same -O seed to compare them" \
        diff --exact a.petal e.petal
    refuses "f.petal: has 2 stages, whose fingerprints cannot be compared; leave out --exact, or build both with the same -n or -O capacity_max" \
        diff --exact f.petal f.petal
    refuses "g.petal: a blocked filter stores no fingerprints to compare; leave out --exact, or build both with -k quotient" \
        diff --exact a.petal g.petal
    refuses "a.petal: built for 1,000 keys, b.petal for 5,000; build both with the same -n to merge them" \
        merge -o m.petal a.petal b.petal
}

@test "diff estimates the common keys of filters whose stages differ" {
    seq 1 20000 | quotient a -O growth=4
    seq 20000 -1 1 | quotient b -O growth=4
    is "$(figure "$(petal diff --json a.petal b.petal)" "r['both'] > 19900")" True
    seq 10001 30000 | quotient c -O growth=4
    is "$(figure "$(petal diff --json a.petal c.petal)" "9900 < r['both'] < 10300")" True
}

# ---- Explaining ----

@test "explain draws the run of a key, and the remainders in it" {
    printf 'rose\ntulip\nrose\n' | quotient f
    run --separate-stderr petal explain f.petal rose daisy
    is "$status $stderr" "0 "
    is "$output" "rose
  hash     0xd6ea2b8b8a72aca7
  block    0
  quotient 3 of the block; remainder 0x5ba8ae2e, of 32 bits

  symbols of the block (the run: ● element, ○ end; other quotients: ▪ element, · end)
               0  ·▪··●●○··············································

  run      after 3 ends
  elements [0x5ba8ae2e] [0x5ba8ae2e]

  verdict  maybe: a remainder of the run is that of the key

daisy
  hash     0x6a3ee53c9ed8acd3
  block    0
  quotient 1 of the block; remainder 0xa8fb94f2, of 32 bits

  symbols of the block (the run: ● element, ○ end; other quotients: ▪ element, · end)
               0  ·●○·▪▪···············································

  run      after 1 end
  elements 0x5127120b

  verdict  no: no remainder of the run is that of the key"
}

@test "explain draws each stage, empty runs, and what is not a key" {
    seq 1 50000 | quotient f -O growth=4
    run petal explain f.petal 7
    is "$status" 0
    has "$output" $'\n\n  stage 2\n  block    '
    is "${lines[-1]}" "  verdict  maybe: a remainder of the run of stage 1 is that of the key"
    run petal explain f.petal none
    is "${lines[-1]}" "  verdict  no: no remainder of any run is that of the key"
    quotient e -n 10 </dev/null
    run petal explain e.petal rose
    is "$status" 1
    is "${lines[-2]}" "  elements none"
    echo http://evil.example/ | quotient u --form url
    run petal explain u.petal ''
    is "$output" "
  verdict  no: the key is not valid for the filter's form"
    run petal explain u.petal http://www.evil.example/a
    is "${lines[2]}" "  match    1 lookup; found the parent evil.example/"
    is "${lines[-1]}" "  verdict  maybe: a remainder of the run is that of the key"
}

@test "the run is where the hash and the symbols say, and decides" {
    seq 1 3000 | quotient one
    seq 1 3000 | quotient two -p 20%
    seq 1 20000 | quotient staged -O growth=4
    for f in one two staged; do
        petal info --json $f.petal >$f.info
        petal explain --json $f.petal $(seq 2001 3500) >$f.runs || true
    done
    /usr/bin/python3 - <<'END'
import json
behind = later = 0
for name in "one", "two", "staged":
    info = json.load(open(name + ".info"))
    for line in open(name + ".runs"):
        a = json.loads(line)
        assert len(a["runs"]) == info["stages"]
        for e, run in enumerate(a["runs"]):
            f = int(a["hash"], 16) * info["fingerprints"] * 64**e >> 64
            r = run["remainder_bits"]
            assert run["remainder"] == f % 2**r
            if info["stages"] == 1:
                assert r == info["hashes"]
                assert f >> r == run["block"] * info["quotients"] + run["quotient"]
            symbols, first = run["symbols"], run["first"]
            ends = run["behind"] + run["quotient"]
            behind += run["behind"] > 0
            later += first == len(symbols)
            assert symbols[:first].count("0") == ends or first == len(symbols)
            here = symbols[first:].split("0")[0]
            assert len(here) <= run["len"]
            assert len(here) == run["len"] or first + len(here) == len(symbols) or "1" not in symbols[first + len(here):]
            assert run["remainders"] == sorted(run["remainders"]) and len(run["remainders"]) == run["len"]
            assert run["equal"] == run["remainders"].count(run["remainder"])
        assert a["verdict"] == ("maybe" if any(run["equal"] for run in a["runs"]) else "no")
        assert a["verdict"] == "maybe" or int(a["key"]) > 3000
assert behind > 100 and later > 10, (behind, later)
END
}

@test "a closed pipe is not an error" {
    keys a 100 | quotient a -n 1000000
    closed_pipe compact --quiet -o - a.petal
    closed_pipe diff --exact a.petal a.petal
    closed_pipe explain a.petal a-1
}
