# compare.bats: tests of petal compare.
load common

# figure JSON EXPRESSION: prints a Python expression of the report `r`.
figure() {
    printf '%s\n' "$1" | /usr/bin/python3 -c "
import json, sys
r = json.load(sys.stdin)
s = {x['structure']: x for x in r['structures']}
measured = [x for x in r['structures'] if 'error' not in x]
print($2)"
}

words() {
    seq "$1" | sed 's/^/word number /'
}

@test "the table has every structure with its textbook cost" {
    words 3000 >words
    run --separate-stderr petal compare words
    is "$status" 0
    is "$stderr" ""
    is "${lines[0]}" "3,000 keys, average length 15.6 B; filters have a rate of 1%:"
    is "${lines[1]}" \
        "structure      lookup      size  per key          build         member     non-member    rate"
    has "$output" "linear list    O(n)"
    has "$output" "balanced tree  O(log n)"
    has "$output" "hash table     O(1)"
    for kind in classic partitioned blocked split counting scalable ribbon; do
        printf '%s\n' "$output" | grep -Eq "^$kind +O\(1\) .*%$"
    done
    is "$(printf '%s\n' "$output" | grep "O(" |
        grep -Ev " B( +[0-9.e+]+ [nµm]?s +(±[0-9]{1,2}|>99)%){3} +(exact|[0-9.]+%)$")" ""
    has "$output" "100,000"
}

@test "exact sets count nodes, pointers and keys, and filters are far smaller" {
    words 4096 >words
    run --separate-stderr petal compare --json words
    is "$status" 0
    is_json "$output"
    text=$(($(wc -c <words) - 4096))
    is "$(figure "$output" "s['linear list']['bytes']")" $((16 + 4096 * 16 + text))
    is "$(figure "$output" "s['balanced tree']['bytes']")" $((24 + 4096 * 24 + text))
    is "$(figure "$output" "s['hash table']['bytes']")" $((32 + 4096 * (8 + 16) + text))
    is "$(figure "$output" "s['blocked']['bytes_per_key'] < 1.5 <
        s['counting']['bytes_per_key'] < s['linear list']['bytes_per_key'] <
        s['balanced tree']['bytes_per_key']")" "True"
}

@test "the size of a filter is the planned one" {
    words 5000 >words
    report=$(petal compare --json -p 0.1% words)
    for kind in classic blocked split; do
        is "$(figure "$report" "s['$kind']['bytes']")" \
            "$(petal plan -n 5000 -p 0.1% -k $kind --json |
                sed 's/.*"image_bytes": \([0-9]*\).*/\1/')"
    done
}

@test "times are positive, and measured rates are near the planned one" {
    words 5000 >words
    run --separate-stderr petal compare --json -p 5% words
    is "$status" 0
    is "$(figure "$output" "all(x[t + '_seconds']['low'] > 0 for x in measured
        for t in ('build', 'member', 'nonmember'))")" "True"
    is "$(figure "$output" "r['rounds'] >= 3, r['nonmembers']")" "True 100000"
    # 5% of 100,000, and five standard deviations of both the non-members and the filter; a kind
    # with few possible rates may be lower
    is "$(figure "$output" "[x['structure'] for x in measured if not x['exact']
        and not 0 < x['fpr_measured'] < 0.056]")" "[]"
    is "$(figure "$output" "sum(0.02 < x['fpr_measured'] for x in measured) >= 5")" "True"
    is "$(figure "$output" "[x['structure'] for x in measured if x['exact']
        and x['fpr_measured'] != 0]")" "[]"
}

@test "a time has a median and the range of the middle half of its rounds" {
    words 1000 >words
    run --separate-stderr petal compare --json words
    is "$status" 0
    times="[(x[t + '_seconds'], sorted(x[t + '_seconds']['rounds'])) for x in measured
        for t in ('build', 'member', 'nonmember')]"
    is "$(figure "$output" "{len(s) for t, s in $times} == {r['rounds']}")" "True"
    is "$(figure "$output" "[t for t, s in $times if t['median'] != s[len(s) // 2]]")" "[]"
    # the narrowest range with as many rounds outside on either side, and at least half inside
    outside="max(d for d in range(r['rounds']) if r['rounds'] - 2 * d >= r['rounds'] / 2)"
    is "$(figure "$output" "[(t, d) for d in [$outside] for t, s in $times
        if (t['low'], t['high']) != (s[d], s[-1 - d])]")" "[]"
}

@test "a bitmap of close integers is the smallest structure" {
    seq 0 9999 >numbers
    run --separate-stderr petal compare --json numbers
    is "$status" 0
    is "$(figure "$output" "min(measured, key=lambda x: x['bytes'])['structure']")" bitmap
    is "$(figure "$output" "s['bitmap']['exact'], s['bitmap']['fpr_measured']")" "True 0"
    is "$(figure "$output" "s['bitmap']['bytes']")" \
        "$(petal plan -n 10000 -k bitmap --json | sed 's/.*"image_bytes": \([0-9]*\).*/\1/')"
}

@test "a bitmap of other keys is impossible, with a reason" {
    printf '1\n2\nthree\n' >keys
    has "$(petal compare keys)" "bitmap         takes only integers; some of these keys are not"
    printf '1\n-2\n' | petal compare | grep -q "^bitmap  *takes only integers"
    printf '1\n2\n191\n' | petal compare | grep -q "^bitmap .* exact$"
    printf '1\n2\n192\n' >keys
    has "$(petal compare keys)" \
        "bitmap         would take more than 64 bits per key for these integers"
    printf '18446744073709551615\n99999999999999999999999\n' >keys
    has "$(petal compare keys)" "bitmap         takes only integers; some of these keys are not"
}

@test "duplicates are dropped" {
    printf 'a\nb\na\na\n' >keys
    run --separate-stderr petal compare --json keys
    is "$status" 0
    is "$stderr" "petal: 2 duplicates dropped"
    is "$(figure "$output" "r['keys'], r['duplicates']")" "2 2"
    run --separate-stderr petal compare --quiet keys
    is "$stderr" ""
}

@test "keys can be fields, NUL-separated, and in several files, compressed or not" {
    printf 'a,x\nb,y\nc,x\n' >table
    is "$(figure "$(petal compare --json -f 2 -d , --quiet table)" "r['keys']")" 2
    printf 'one\nline\0two\0' >null
    is "$(figure "$(petal compare --json -0 null)" "r['keys']")" 2
    printf 'd\ne\n' | gzip >packed.gz
    is "$(figure "$(printf 'f\n' | petal compare --json packed.gz - table)" "r['keys']")" 6
}

@test "non-members are found even if all similar keys are members" {
    printf '\n' >empty-key
    is "$(figure "$(petal compare --json empty-key)" "r['keys'], r['nonmembers']")" "1 100000"
    /usr/bin/python3 -c '
import sys
sys.stdout.buffer.write(b"".join(bytes([i]) + b"\n" for i in range(256) if i not in (10, 13)))' >bytes
    is "$(figure "$(petal compare --json bytes)" "r['keys'], r['nonmembers']")" "254 100000"
}

@test "fewer long keys are looked up" {
    /usr/bin/python3 -c '
for c in "ab":
    print(c * 8000000)' >long
    run --separate-stderr petal compare --json long
    is "$status" 0
    is "$(figure "$output" "1 <= r['nonmembers'] < 20")" "True"
}

@test "sorted keys do not make the tree deep" {
    seq -f %06g 20000 >sorted
    (ulimit -s 512 && petal compare --json sorted >report)
    is_json "$(cat report)"
}

@test "the SVG file is well-formed and replaced only with --force" {
    words 500 >words
    run --separate-stderr petal compare --svg picture.svg words
    is "$status" 0
    has "$output" "hash table"
    is "$(/usr/bin/python3 -c '
import xml.etree.ElementTree as tree
print(tree.parse("picture.svg").getroot().tag)')" "{http://www.w3.org/2000/svg}svg"
    has "$(cat picture.svg)" "<rect x="
    has "$(cat picture.svg)" ">balanced tree</text>"
    run ! grep -Eq "nan|inf" picture.svg
    run --separate-stderr petal compare --svg picture.svg words
    is "$status" 2
    is "$output" ""
    is "$stderr" "petal: picture.svg: file exists; use --force to overwrite it"
    run --separate-stderr petal compare --svg - --force words
    is "$status" 0
    has "${lines[0]}" "<svg "
    run --separate-stderr petal compare --svg - --json words
    is "$status" 2
    is "$stderr" "petal: --json and --svg - both write to standard output; write the chart to a file"
}

@test "empty input exits with 1" {
    : >empty
    run --separate-stderr petal compare --svg picture.svg empty
    is "$status" 1
    is "$output" ""
    is "$stderr" "petal: the input is empty: no keys to compare"
    [ ! -e picture.svg ]
    run --separate-stderr petal compare --json --quiet empty
    is "$status" 1
    is "$output$stderr" ""
}

@test "a missing file is an error that names it" {
    run --separate-stderr petal compare nowhere
    is "$status" 2
    is "$stderr" "petal: nowhere: No such file or directory"
    run --separate-stderr petal compare .
    is "$status" 2
    is "$stderr" "petal: .: Is a directory"
}

@test "an invalid option is an error that names it" {
    run --separate-stderr petal compare -p 100%
    is "$status" 2
    is "$stderr" "petal: -p 1: must be above 0 and below 1"
    run --separate-stderr petal compare -p often
    is "$status" 2
    is "$stderr" "petal: -p often: not a rate such as 0.01, 1% or 1e-2"
    run --separate-stderr petal compare --colour
    is "$status" 2
    one_sentence "$stderr"
}

@test "a rate too low for a kind is reported in its row" {
    words 1000 >words
    run --separate-stderr petal compare -p 1e-12 words
    is "$status" 0
    has "$output" "blocked        the rate is too low for this kind of filter"
    printf '%s\n' "$output" | grep -q "^classic .* 0%$"
}

@test "a closed pipe is not an error" {
    words 100 >words
    closed_pipe compare words
    closed_pipe compare --json words
}
