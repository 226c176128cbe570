# plan.bats: tests of petal plan.
load common

# figure JSON EXPRESSION: prints a Python expression of the report `r`.
figure() {
    printf '%s\n' "$1" | /usr/bin/python3 -c "
import json, sys
r = json.load(sys.stdin)
kinds = {k['kind']: k for k in r.get('kinds', [])}
print($2)"
}

# is_svg FILE: fails unless the file is well-formed SVG.
is_svg() {
    is "$(/usr/bin/python3 -c '
import sys, xml.etree.ElementTree as tree
print(tree.parse(sys.argv[1]).getroot().tag)' "$1")" "{http://www.w3.org/2000/svg}svg"
}

@test "the table has every kind and the lower bound" {
    run --separate-stderr petal plan -n 1e6 -p 1%
    is "$status" 0
    is "$stderr" ""
    is "${lines[0]}" "Filters for 1,000,000 keys at a rate of 1%:"
    is "${lines[1]}" \
        "kind                   keys  bits/key      size   k      rate  can"
    is "${lines[2]}" \
        "bitmap            1,000,000         1    125 kB   1        0%  remove, merge, exact, share"
    is "${lines[3]}" \
        "classic           1,000,000      9.59    1.2 MB   7        1%  merge, share"
    has "$output" "No filter of this rate can be smaller than 6.64 bits per key, 830 kB."
    has "$output" "A bitmap takes only the integers 0 to 999,999."
}

@test "the default rate is 1%" {
    has "$(petal plan -n 1e6)" "at a rate of 1%"
    is "$(petal plan -n 1e6)" "$(petal plan -n 1e6 -p 1%)"
}

@test "without -n and -m the plan is for a million keys" {
    run --separate-stderr petal plan
    is "$status" 0
    is "$stderr" "petal: planned for 1,000,000 keys; use -n or -m for other figures"
    is "$output" "$(petal plan -n 1e6)"
    run --separate-stderr petal plan --quiet
    is "$stderr" ""
}

@test "keys and a size give the rate" {
    run --separate-stderr petal plan -n 1M -m 10Mb -k classic
    is "$status" 0
    has "$output" "Filters for 1,000,000 keys in 1.25 MB:"
    has "$output" \
        "classic           1,000,000        10   1.25 MB   7    0.819%  merge, share"
    has "$output" "No filter of this size for this many keys can have a rate below 0.0977%."
}

@test "a size and a rate give the keys" {
    run --separate-stderr petal plan -m 1MiB -p 1% -k classic
    is "$status" 0
    has "$output" "Filters of 1.05 MB at a rate of 1%:"
    has "$output" "classic             874,382      9.59   1.05 MB   7        1%  merge, share"
    has "$output" "No filter of this size and rate can hold more than 1,262,611 keys."
}

@test "a size and k, as in the notes' initialize(k, m), give keys and rate" {
    run --separate-stderr petal plan -m 8Mb -O hashes=7 -k classic
    is "$status" 0
    has "$output" "Filters of 1 MB:"
    has "$output" "classic"
}

@test "the row of an impossible kind has the reason" {
    run --separate-stderr petal plan -n 1e6 -p 1e-12
    is "$status" 0
    has "$output" "blocked      fpr must be at least 0.0001 with this kind; leave the kind out to go lower"
    has "$output" "bitmap            1,000,000"
}

@test "build makes the planned filter" {
    report=$(petal plan -n 5000 -p 0.1% -k blocked --json)
    seq 5000 | petal build -n 5000 -p 0.1% -k blocked -o built.petal --quiet -
    is "$(figure "$report" "kinds['blocked']['image_bytes']")" "$(stat -c %s built.petal)"
}

@test "--json prints all kinds and the bound" {
    run --separate-stderr petal plan -n 1e6 -p 1% --json
    is "$status" 0
    is_json "$output"
    is "$(figure "$output" "kinds['classic']['hashes'], kinds['classic']['capacity']")" \
        "7 1000000"
    is "$(figure "$output" "'remove' in kinds['counting']['can']")" "True"
    is "$(figure "$output" "'%.4f %.0f' % (r['bound']['bits_per_key'], r['bound']['bytes'])")" \
        "6.6439 830482"
    is "$(figure "$output" "all(k['fpr_expected'] <= 0.01 for k in kinds.values())")" "True"
    is "$(figure "$output" "min(k['bits_per_key'] for k in kinds.values()
        if k['kind'] != 'bitmap') > r['bound']['bits_per_key']")" "True"
    run --separate-stderr petal plan -m 1MiB --json
    has "$(figure "$output" "kinds['scalable']['error']")" "bits does not apply to this kind, which grows"
}

@test "the notes' 5,000,000 URLs of 40 bytes take 4.38% of a table" {
    run --separate-stderr petal plan -n 5M -m 75Mb -k classic --key-len 40
    is "$status" 0
    has "$output" \
        "A table of these keys takes 342.3 bits per key; a classic filter takes 4.38% of that."
    run --separate-stderr petal plan -n 5M -m 75Mb -k classic --key-len 40 --json
    is "$(figure "$output" "'%.4f' % r['part_of_a_table']")" "0.0438"
}

@test "the notes' lookup takes 25.51 ms at a rate of 3%, instead of 500 ms" {
    run --separate-stderr petal plan --cost -p 3%
    is "$status" 0
    is "$stderr" ""
    is "$output" "$(
        cat <<'TEXT'
102,000 lookups, 2,000 of them of members; the store takes 500 ms, the filter 1 ms, at a rate of 3%:

without the filter       500 ms per lookup
with the filter        25.51 ms per lookup

The filter makes lookups 19.6 times as fast.
TEXT
    )"
}

@test "--cost uses the given figures" {
    run --separate-stderr petal plan --cost -p 1% --visits 1000 --hits 0 --slow 10ms --fast 1us \
        --json
    is "$status" 0
    is_json "$output"
    is "$(figure "$output" "'%.3e %.2f' % (r['cost']['with_seconds'],
        r['cost']['times_as_fast'])")" "1.010e-04 99.01"
    is "$(figure "$output" "'kinds' in r")" "False"
}

@test "a filter that saves no time is reported" {
    run --separate-stderr petal plan --cost -p 50% --visits 10 --hits 10 --slow 1ms --fast 1ms
    is "$status" 0
    has "$output" "The filter does not save time."
}

@test "with -n and -m, --cost uses the rate that follows" {
    run --separate-stderr petal plan -n 1M -m 10Mb -k classic --cost
    is "$status" 0
    has "$output" "classic "
    has "$output" "at a rate of 0.819%:"
}

@test "more hits than visits, or no visits, are an error" {
    run --separate-stderr petal plan --cost --visits 10 --hits 11
    is "$status" 2
    is "$stderr" "petal: --hits 11: must not exceed --visits, 10"
    run --separate-stderr petal plan --cost --visits 0 --hits 0
    is "$status" 2
    is "$stderr" "petal: --visits 0: the mean needs at least one lookup"
    run --separate-stderr petal plan --cost --slow 5
    is "$status" 2
    is "$stderr" "petal: --slow 5: not a time such as 500ms, 0.5s or 20us"
}

@test "the plots have 72 columns, the best k and the capacity" {
    run --separate-stderr petal plan -n 1e6 -p 1% --plot
    is "$status" 0
    is "$stderr" ""
    has "$output" "Rate against k: 9.59 bits per key"
    has "$output" "┊  best k: 7, rate 1%"
    has "$output" "Rate against keys added: classic, k = 7"
    has "$output" "┊  capacity: 1,000,000 keys, rate 1%"
    has "$output" "          └┬──────────────┬──────────────┬─────────────┬──────────────┬"
    has "$output" "           0            500k            1M           1.5M            2M"
    has "$output" "●"
    printf '%s\n' "$output" | sed -n '/against k:/,$p' | /usr/bin/python3 -c '
import sys
lines = sys.stdin.buffer.read().decode().split("\n")
assert max(map(len, lines)) <= 72, max(lines, key=len)
assert not [line for line in lines if line != line.rstrip()]
assert any(0x2800 < ord(c) < 0x2900 for line in lines for c in line)'
}

@test "every kind with a rate can be plotted, at any size" {
    for kind in classic partitioned blocked split counting scalable; do
        petal plan -n 1000 -k $kind --plot --svg $kind.svg >drawn
        is_svg $kind.svg
        grep -q "against keys added: $kind" drawn
    done
    for figures in "-n 1 -p 50%" "-n 3 -m 1Gb" "-n 1M -m 1000" "-n 1e10 -p 1e-6" "-m 100" \
        "-n 10 -p 99.9%" "-n 1G -p 1e-8"; do
        petal plan $figures -k classic --plot >drawn
        run ! grep -Eq -- "nan|inf|-0 " drawn
    done
}

@test "the SVG file is well-formed and replaced only with --force" {
    run --separate-stderr petal plan -n 1e6 --svg rates.svg
    is "$status" 0
    is_svg rates.svg
    has "$(cat rates.svg)" "<polyline"
    has "$(cat rates.svg)" "best k: 7, rate 1%"
    run ! grep -Eq "nan|inf" rates.svg
    run --separate-stderr petal plan -n 1e5 --svg rates.svg
    is "$status" 2
    is "$stderr" "petal: rates.svg: file exists; use --force to overwrite it"
    has "$(cat rates.svg)" "1,000,000 keys"
    petal plan -n 1e5 --svg rates.svg --force
    has "$(cat rates.svg)" "100,000 keys"
}

@test "--svg - prints only the SVG" {
    petal plan -n 1e6 --svg - >alone.svg
    petal plan -n 1e6 --svg file.svg >/dev/null
    cmp alone.svg file.svg
    run --separate-stderr petal plan -n 1e6 --svg - --json
    is "$status" 2
    is "$stderr" "petal: --json cannot be combined with a plot on standard output; use --svg FILE"
}

@test "a kind without a rate cannot be plotted" {
    run --separate-stderr petal plan -n 100 -k bitmap --plot
    is "$status" 2
    is "$stderr" "petal: -k bitmap: it is exact, so there is no rate to plot; choose another kind"
    run --separate-stderr petal plan -n 100 --svg no/such/folder.svg
    is "$status" 2
    is "$stderr" "petal: no/such/folder.svg: No such file or directory"
}

@test "impossible figures are an error" {
    run --separate-stderr petal plan -n 1e6 -p 200%
    is "$status" 2
    is "$stderr" "petal: -p 2: must be above 0 and below 1"
    is "$output" ""
    run --separate-stderr petal plan -n 1e18
    is "$status" 2
    is "$stderr" "petal: -n 1,000,000,000,000,000,000: is too large: the filter would exceed 2199023255040 bits"
    run --separate-stderr petal plan -n 1e6 -p 1e-12 -k blocked
    is "$status" 2
    is "$stderr" "petal: -p 1e-12: must be at least 0.0001 with this kind; leave the kind out to go lower"
}

@test "an invalid option is an error that names it" {
    run --separate-stderr petal plan -n many
    is "$status" 2
    is "$stderr" "petal: -n many: not a number from 1 to 1.8e19, such as 1000000, 1e6 or 1M"
    run --separate-stderr petal plan -k rose
    is "$status" 2
    one_sentence "$stderr"
    run --separate-stderr petal plan --colour
    is "$status" 2
    one_sentence "$stderr"
    run --separate-stderr petal plan -n 1e6 file.txt
    is "$status" 2
    is "$stderr" "petal: too many arguments; usage: petal plan -n N [-p RATE | -m SIZE] | -m SIZE -p RATE"
}

@test "a closed pipe is not an error" {
    closed_pipe plan -n 1e6 --plot
    closed_pipe plan -n 1e6 --json
}
