# missing.bats: tests of petal missing.
load common

figure() {
    printf '%s\n' "$1" | /usr/bin/python3 -c "
import json, sys
r = json.loads(sys.stdin.read().splitlines()[-1])
print($2)"
}

# apple and pear are theirs; we also have plum.
fruit() {
    printf 'apple\npear\n' | petal build --quiet -o theirs.petal
    printf 'plum\napple\npear\nplum\n' >ours
}

@test "missing prints the missing keys and the expected number of hidden ones" {
    fruit
    run --separate-stderr petal missing theirs.petal ours
    is "$status" 0
    is "$output" "$(printf 'plum\nplum')"
    is "$stderr" "petal: 2 of 4 keys certainly not in theirs.petal; about 0 more hidden by false positives"
    is "$(petal missing --quiet theirs.petal <ours)" "$output"
    run --separate-stderr petal missing --quiet theirs.petal ours
    is "$stderr" ""
}

@test "no missing key exits with 1, also for empty input" {
    fruit
    run --separate-stderr petal missing theirs.petal - <<<"pear"
    is "$status $output" "1 "
    is "$stderr" "petal: 0 of 1 key certainly not in theirs.petal; about 0 more hidden by false positives"
    run --separate-stderr petal missing theirs.petal /dev/null
    is "$status $output" "1 "
    has "$stderr" "petal: 0 of 0 keys "
}

@test "no key of theirs is printed, and the expected number is hidden" {
    keys theirs 5000 >theirs
    keys ours 20000 >only_ours
    cat theirs only_ours >ours
    petal build --quiet -p 5% -o theirs.petal theirs
    petal missing --json theirs.petal ours | tail -1 >account
    petal missing --quiet theirs.petal ours >found
    is "$(grep -c theirs found)" 0
    /usr/bin/python3 - <<'PYTHON'
import json
a = json.load(open("account"))["account"]
found = len(open("found").read().splitlines())
assert a["keys"] == 25000 and a["missing"] == found, a
overlooked = 20000 - found
assert abs(a["hidden_expected"] - found * a["rate"] / (1 - a["rate"])) < 0.01, a
assert overlooked > 0
assert abs(overlooked - a["hidden_expected"]) < 6 * a["hidden_expected"] ** 0.5, (overlooked, a)
PYTHON
}

@test "an empty filter lacks every key, and a full one may hide every key" {
    petal build --quiet -o none.petal /dev/null
    is "$(keys in 10 | petal missing --quiet none.petal | wc -l)" 10
    keys in 5000 | petal build --quiet -m 512 -o full.petal
    run --separate-stderr petal missing --json full.petal - <<<"$(keys out 10)"
    is "$status" 1
    is "$(figure "$output" "r['account']['hidden_expected']")" 10
}

@test "--json prints each missing key, then the report" {
    fruit
    run --separate-stderr petal missing --json theirs.petal ours
    is "$status" 0
    is "$stderr" ""
    is_json "$output"
    is "${lines[0]}" '{"file": "ours", "line": 1, "text": "plum", "answer": "no", "key": "plum", "normalized": "plum"}'
    is "${lines[1]}" '{"file": "ours", "line": 4, "text": "plum", "answer": "no", "key": "plum", "normalized": "plum"}'
    is "$(figure "$output" "r['account']['keys'], r['account']['missing'], r['account']['hidden_expected'] < 1e-6")" \
        "4 2 True"
    is "${#lines[@]}" 3
}

@test "an address inside one of their prefixes is missing" {
    echo 10.0.0.0/8 | petal build --quiet --form ip -o theirs.petal
    run --separate-stderr petal missing theirs.petal - <<<"$(printf '10.1.2.3\n10.0.0.0/8\nfoo\n')"
    is "$output" 10.1.2.3
    is "${stderr_lines[0]}" "petal: standard input:3: not an address: foo; skipped"
    has "${stderr_lines[1]}" "petal: 1 of 2 keys certainly not in theirs.petal"
    run --separate-stderr petal missing --strict theirs.petal - <<<foo
    is "$status $stderr" "2 petal: standard input:1: not an address: foo; omit --strict to skip such lines"
}

@test "integers beyond the size of a bitmap are missing" {
    seq 0 9 | petal build --quiet -k bitmap -o theirs.petal
    is "$(seq 8 12 | petal missing --quiet theirs.petal)" "$(printf '10\n11\n12')"
}

@test "keys can be fields, NUL-separated, and in several files, compressed or not" {
    fruit
    is "$(printf '1,plum\n2,pear\n' | petal missing --quiet -f 2 -d , theirs.petal)" 1,plum
    printf 'pear\0pl\num\0' | petal missing --quiet -0 theirs.petal >found
    printf 'pl\num\0' | cmp - found
    printf 'pear\nfig' | gzip >a.gz
    printf 'plum\r\napple\r\n' | zstd -q >b.zst
    is "$(petal missing --quiet theirs.petal a.gz b.zst ours | tr -d '\r')" \
        "$(printf 'fig\nplum\nplum\nplum')"
}

@test "the output is the same for any number of threads" {
    seq 2 2 200000 | petal build --quiet -o theirs.petal
    seq 200000 >ours
    for threads in 1 2 8; do
        petal missing --quiet --threads $threads theirs.petal ours >found$threads
    done
    cmp found1 found2
    cmp found1 found8
    is "$(awk '$1 % 2 == 0' found1)" ""
}

@test "their filter can come from standard input" {
    fruit
    is "$(petal missing --quiet - ours <theirs.petal)" "$(printf 'plum\nplum')"
    run --separate-stderr petal missing - <theirs.petal
    is "$status $stderr" "2 petal: standard input can be read only once"
}

@test "an invalid file or option is an error that names it" {
    fruit
    head -c 300 theirs.petal >cut.petal
    run --separate-stderr petal missing
    is "$status $stderr" "2 petal: an argument is missing; usage: petal missing [options] THEIRS [FILE...]"
    run --separate-stderr petal missing nope ours
    is "$status $output$stderr" "2 petal: nope: No such file or directory"
    run --separate-stderr petal missing theirs.petal nope
    is "$status $output$stderr" "2 petal: nope: No such file or directory"
    run --separate-stderr petal missing ours ours
    is "$status $output$stderr" "2 petal: ours: not a petal filter"
    run --separate-stderr petal missing cut.petal ours
    is "$status $output$stderr" "2 petal: cut.petal: truncated: bytes are missing at the end; rebuild it or restore a copy"
    run --separate-stderr petal missing --bogus theirs.petal
    is "$status $stderr" "2 petal: --bogus: no such option; see petal help missing"
    run --separate-stderr petal missing theirs.petal --threads
    is "$status $stderr" "2 petal: --threads: needs a value; see petal help missing"
    run --separate-stderr petal missing --threads x theirs.petal
    is "$status" 2
    has "$stderr" "petal: --threads x: not a number"
}

@test "a closed pipe is not an error" {
    fruit
    seq 200000 >in
    closed_pipe missing --quiet theirs.petal in
    closed_pipe missing --quiet --json theirs.petal in
}
