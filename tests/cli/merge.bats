# merge.bats: tests of petal merge and diff.
load common

# one OPTION...: builds $name.petal with one key.
one() {
    echo "${key:-1}" | petal build --quiet "$@" -o "$name.petal"
}

@test "the union gives the same answers as a filter of all keys" {
    keys a 300 >a
    keys b 300 >b
    keys c 300 >c
    for set in a b c; do
        petal build --quiet -n 1000 -o $set.petal $set
    done
    petal build --quiet -n 1000 -o all.petal a b c
    run --separate-stderr petal merge -o merged.petal a.petal b.petal c.petal
    is "$status" 0
    is "$output" ""
    is "$stderr" "petal: merged.petal: about 897 keys from 3 filters, rate 0.46%"
    petal verify merged.petal
    keys out 20000 >out
    petal check all.petal a b c out >all
    petal check merged.petal a b c out >merged
    cmp all merged
}

@test "the intersection has every key that is in all filters" {
    keys a 400 >a
    (keys a 100; keys b 300) >b
    petal build --quiet -n 1000 -p 0.1% -o a.petal a
    petal build --quiet -n 1000 -p 0.1% -o b.petal b
    petal merge --quiet --intersect -o both.petal a.petal b.petal
    is "$(keys a 100 | petal check -c both.petal)" 100
    others=$(keys a 400 | tail -300 | petal check -c both.petal) || true
    of_b=$(keys a 400 | tail -300 | petal check -c b.petal) || true
    [ "$others" -le "$of_b" ]
}

@test "a union adds counts, an intersection keeps the smaller one" {
    printf 'x\nx\ny\n' | petal build --quiet -k counting -n 100 -o a.petal
    printf 'x\n' | petal build --quiet -k counting -n 100 -o b.petal
    petal merge --quiet -o union.petal a.petal b.petal
    petal merge --quiet --intersect -o both.petal a.petal b.petal
    printf 'x\ny\n' >in
    is "$(petal count union.petal in)" "$(printf '3\tx\n1\ty')"
    is "$(petal count both.petal in)" "$(printf '1\tx\n0\ty')"
}

@test "bitmaps merge exactly" {
    seq 0 5 | petal build --quiet -k bitmap -m 10 -o a.petal
    seq 4 9 | petal build --quiet -k bitmap -m 10 -o b.petal
    petal merge --quiet -o union.petal a.petal b.petal
    petal merge --quiet --intersect -o both.petal a.petal b.petal
    is "$(seq 0 9 | petal check -c union.petal)" 10
    is "$(seq 0 9 | petal check both.petal)" "$(printf '4\n5')"
}

@test "a union of filters of addresses matches what either matches" {
    echo 10.0.0.0/8 | petal build --quiet --form ip -n 100 -o a.petal
    echo 2001:db8::/32 | petal build --quiet --form ip -n 100 -o b.petal
    petal merge --quiet -o ab.petal a.petal b.petal
    is "$(printf '10.1.2.3\n2001:db8::1\n11.0.0.1\n' | petal check --why ab.petal)" \
        "$(printf '10.1.2.3\t10.0.0.0/8\n2001:db8::1\t2001:db8::/32')"
}

@test "merge --json prints the figures" {
    keys a 100 | petal build --quiet -n 200 -o a.petal
    keys b 100 | petal build --quiet -n 200 -o b.petal
    run --separate-stderr petal merge --json -o m.petal a.petal b.petal
    is "$status" 0
    is "$stderr" ""
    is_json "$output"
    is "$(figure "$output" "r['file'], r['merged'], r['capacity'], abs(r['keys_estimate'] - 200) < 20")" \
        "m.petal 2 200 True"
}

@test "a union with more keys than planned is reported" {
    keys a 100 | petal build --quiet -n 100 -o a.petal
    keys b 100 | petal build --quiet -n 100 -o b.petal
    run --separate-stderr petal merge -o m.petal a.petal b.petal
    is "$status" 0
    is "${stderr_lines[1]}" "petal: m.petal: more keys than planned: the rate is 15%, planned was 1% for 100 keys"
}

@test "filters that do not fit together are an error with the reason" {
    name=plain one -n 1000
    name=larger one -n 2000
    name=lower one -n 1000 -p 0.1%
    name=ten key=1 one -k bitmap -m 10
    name=twenty key=1 one -k bitmap -m 20
    name=classic one -n 1000 -k classic
    name=address key=10.0.0.1 one -n 1000 --form ip
    name=seeded one -n 1000 -O seed=7
    name=keyed one -n 1000 -O hash=keyed
    name=keyed2 one -n 1000 -O hash=keyed
    name=counting one -n 1000 -k counting
    name=inserting one -n 1000 -k counting -O insert_only=true
    name=eight one -n 1000 -k counting -O counter_bits=8
    name=three one -k classic -m 10000 -O hashes=3
    name=four one -k classic -m 10000 -O hashes=4
    while read -r a b this that option; do
        run --separate-stderr petal merge -o m.petal $a.petal $b.petal
        is "$status $output" "2 "
        is "$stderr" "petal: $a.petal: ${this//\~/ }, $b.petal ${that//\~/ }; build both with the same $option to merge them"
        [ ! -e m.petal ]
        run --separate-stderr petal diff $a.petal $b.petal
        is "$status $output" "2 "
        is "$stderr" "petal: $a.petal: ${this//\~/ }, $b.petal ${that//\~/ }; build both with the same $option to compare them"
    done <<'REASONS'
plain larger built~for~1,000~keys for~2,000 -n
plain lower 10,240~bits 15,872~bits -p or -m
ten twenty integers~below~10 below~20 -m
plain classic a~blocked~filter a~classic~one -k
plain address keys~of~form~raw of~form~ip --form
plain seeded built~with~one~seed with~another -O seed
plain keyed the~fast~hash the~keyed~hash -O hash
keyed keyed2 built~with~one~seed with~another -O seed
counting inserting not~insert_only insert_only -O insert_only
counting eight 4-bit~counters 8-bit~counters -O counter_bits
three four 3~probes~per~key 4 -p and -O hashes
REASONS
}

@test "scalable filters cannot be merged" {
    name=s one -k scalable
    run --separate-stderr petal merge -o m.petal s.petal s.petal
    is "$status $stderr" "2 petal: s.petal: cannot merge scalable filters; build both with another -k"
    [ ! -e m.petal ]
    run --separate-stderr petal diff s.petal s.petal
    is "$status" 2
    one_sentence "$stderr"
}

@test "an existing output is replaced only with --force, even if it is an input" {
    keys a 10 | petal build --quiet -n 100 -o a.petal
    keys b 10 | petal build --quiet -n 100 -o b.petal
    cp a.petal before
    run --separate-stderr petal merge -o a.petal a.petal b.petal
    is "$status $stderr" "2 petal: a.petal: file exists; use --force to overwrite it"
    cmp a.petal before
    petal merge --quiet --force -o a.petal a.petal b.petal
    is "$(keys b 10 | petal check -c a.petal)" 10
    cp a.petal before
    run --separate-stderr petal merge --force -o a.petal b.petal nope
    is "$status $stderr" "2 petal: nope: No such file or directory"
    cmp a.petal before
    is "$(ls -A | grep -c '^\.')" 0
}

@test "merge reads standard input and writes standard output" {
    keys a 10 | petal build --quiet -n 100 -o a.petal
    keys b 10 | petal build --quiet -n 100 -o b.petal
    petal merge --quiet -o m.petal a.petal b.petal
    petal merge --quiet -o - a.petal - <b.petal | cmp - m.petal
    run --separate-stderr petal merge -o x.petal - - <a.petal
    is "$status $stderr" "2 petal: standard input can be read only once"
    petal merge --json -o - a.petal b.petal >m2.petal 2>errors || is "$?" 2
    [ ! -s m2.petal ] || petal verify m2.petal
}

@test "merging one filter copies it" {
    keys a 10 | petal build --quiet -n 100 -o a.petal
    petal merge --quiet -o m.petal a.petal
    is "$(keys a 10 | petal check -c m.petal)" 10
    is "$(keys out 1000 | petal check -c m.petal)" "$(keys out 1000 | petal check -c a.petal)"
}

@test "an invalid file or option is an error that names it" {
    keys a 10 | petal build --quiet -n 100 -o a.petal
    head -c 300 a.petal >cut.petal
    echo text >text
    run --separate-stderr petal merge a.petal
    is "$status $stderr" "2 petal: -o FILE is required"
    run --separate-stderr petal merge -o m.petal
    is "$status $stderr" "2 petal: an argument is missing; usage: petal merge -o FILE [options] FILTER..."
    run --separate-stderr petal merge -o
    is "$status $stderr" "2 petal: -o: needs a value; see petal help merge"
    run --separate-stderr petal merge --bogus
    is "$status $stderr" "2 petal: --bogus: no such option; see petal help merge"
    run --separate-stderr petal merge -o nowhere/m.petal a.petal
    is "$status $stderr" "2 petal: nowhere/m.petal: No such file or directory"
    run --separate-stderr petal diff a.petal
    is "$status $stderr" "2 petal: an argument is missing; usage: petal diff [options] OLD NEW"
    run --separate-stderr petal diff a.petal a.petal a.petal
    is "$status $stderr" "2 petal: too many arguments; usage: petal diff [options] OLD NEW"
    for command in "merge -o m.petal" diff; do
        run --separate-stderr petal $command a.petal text
        is "$status $output" "2 "
        has "$stderr" "petal: text: not a "
        run --separate-stderr petal $command a.petal cut.petal
        is "$status $output$stderr" "2 petal: cut.petal: truncated: bytes are missing at the end; rebuild it or restore a copy"
        run --separate-stderr petal $command nope a.petal
        is "$status $output$stderr" "2 petal: nope: No such file or directory"
    done
    [ ! -e m.petal ]
}

@test "diff estimates the common keys within the expected error" {
    seq 1 3000 | petal build --quiet -k classic -n 5000 -o a.petal
    seq 2001 5000 | petal build --quiet -k classic -n 5000 -o b.petal
    run --separate-stderr petal diff --json a.petal b.petal
    is "$status" 0
    is "$stderr" ""
    is_json "$output"
    printf '%s\n' "$output" >report
    petal info --json a.petal >shape
    /usr/bin/python3 - <<'PYTHON'
import json, math
r, s = json.load(open("report")), json.load(open("shape"))
m, k = s["bits"], s["hashes"]
def error(n):                   # standard deviation of n, estimated from the bits that are set
    t = k * n / m
    return math.sqrt(m * (math.exp(t) - 1 - t)) / k
for name, truth, parts in (("a", 3000, [3000]), ("b", 3000, [3000]), ("any", 5000, [5000]),
                           ("both", 1000, [3000, 3000, 5000]),
                           ("only_a", 2000, [5000, 3000]), ("only_b", 2000, [5000, 3000])):
    bound = 6 * math.sqrt(sum(error(n) ** 2 for n in parts))
    assert bound < 0.15 * 5000
    assert abs(r[name] - truth) < bound, (name, r[name], truth, bound)
assert abs(r["jaccard"] - r["both"] / r["any"]) < 1e-6
assert abs(r["jaccard"] - 0.2) < 0.1
PYTHON
}

@test "diff prints a table" {
    seq 0 5 | petal build --quiet -k bitmap -m 10 -o a.petal
    seq 4 9 | petal build --quiet -k bitmap -m 10 -o b.petal
    run --separate-stderr petal diff a.petal b.petal
    is "$status" 0
    is "$stderr" ""
    is "$output" "estimated keys
  a.petal                                6   60.0%
  b.petal                                6   60.0%
  in both                                2   20.0%
  only in the first                      4   40.0%
  only in the second                     4   40.0%
  in either                             10  100.0%
  Jaccard index 0.2000"
}

@test "diff compares a filter with itself, and two empty filters" {
    keys a 100 | petal build --quiet -o a.petal
    is "$(figure "$(petal diff --json a.petal a.petal)" "r['jaccard'], r['only_a'], r['only_b'], r['both'] == r['any']")" \
        "1 0 0 True"
    petal build --quiet -o e.petal /dev/null
    is "$(figure "$(petal diff --json e.petal e.petal)" "r['any'], r['both'], r['jaccard']")" "0 0 1"
    is "$(petal diff e.petal - <e.petal | tail -1)" "  Jaccard index 1.0000"
}

@test "diff reports filters that are too full to compare" {
    keys a 1000 | petal build --quiet -m 512 -o a.petal
    keys b 1000 | petal build --quiet -m 512 -o b.petal
    run --separate-stderr petal diff a.petal b.petal
    has "$stderr" "full"
    run --separate-stderr petal diff --json a.petal b.petal
    is_json "$output"
}

@test "a closed pipe is not an error" {
    keys a 100 | petal build --quiet -m 1MiB -o a.petal
    closed_pipe merge --quiet -o - a.petal a.petal
    closed_pipe merge --json -o m.petal a.petal a.petal
    closed_pipe diff a.petal a.petal
    closed_pipe diff --json a.petal a.petal
}
