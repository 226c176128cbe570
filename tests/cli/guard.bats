# guard.bats: tests of petal guard.
load common

# A store of the even numbers below 200, and a filter of them with a rate of 10%.
setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    seq 0 2 198 >members
    seq 0 999 >asked
    petal build --quiet -k classic -p 10% -o f.petal members
    /usr/bin/python3 -c '
import sqlite3
db = sqlite3.connect("store.db")
db.execute("CREATE TABLE store (key TEXT PRIMARY KEY, value)")
db.executemany("INSERT INTO store VALUES (?, ?)", [(str(n), n * n) for n in range(0, 200, 2)])
db.executemany("UPDATE store SET value = ? WHERE key = ?",
               [(None, "0"), ("two", "2"), (2.5, "4"), (b"six", "6"), (0, "8")])
db.commit()'
    query='SELECT value FROM store WHERE key = ?'
}

guard() {
    petal guard f.petal --sqlite store.db --query "$query" "$@"
}

# account FIELD: prints a field of the report, the last line of the JSON on standard input.
account() {
    tail -n 1 | /usr/bin/python3 -c '
import json, sys
print(json.loads(sys.stdin.read())["account"][sys.argv[1]])' "$1"
}

@test "only lines that the store confirms are printed" {
    run --separate-stderr guard asked
    is "$status" 0
    is "$output" "$(cat members)"
    noes=$(guard --json asked | account certainly_not)
    [ "$noes" -gt 700 ] && [ "$noes" -lt 900 ]
    is "${stderr_lines[0]}" \
        "petal: 1,000 lookups: $noes certainly not, 100 confirmed, $((900 - noes)) false positives"
    is "${stderr_lines[1]}" "petal: $((1000 - noes)) queries to the store, $noes saved"
    has "${stderr_lines[2]}" " in the store, "
    has "${stderr_lines[3]}" "petal: without the filter: about "
    is "${#stderr_lines[@]}" 4
}

@test "a row counts even if its first column is 0 or NULL" {
    is "$(seq 0 9 | guard --quiet)" "0
2
4
6
8"
    is "$(seq 0 9 | guard --quiet --values)" "$(printf '0\t\n2\ttwo\n4\t2.5\n6\tsix\n8\t0')"
}

@test "--json prints each confirmed line, and the report last" {
    run --separate-stderr guard --json --values <members
    is "$status" 0
    is "$stderr" ""
    is_json "$output"
    is "${#lines[@]}" 101
    is "${lines[0]}" '{"line": "0", "value": null}'
    is "${lines[1]}" '{"line": "2", "value": "two"}'
    is "${lines[2]}" '{"line": "4", "value": 2.5}'
    is "${lines[3]}" '{"line": "6", "value": "six"}'
    is "${lines[5]}" '{"line": "10", "value": 100}'
    has "${lines[100]}" '{"account": {"lookups": 100, "certainly_not": 0, "confirmed": 100, "false_positives": 0, "queries": 100, "saved": 0, "filter_seconds": '
}

@test "the figures of the report add up, and --slow delays each query" {
    guard --json --slow 1ms asked | tail -n 1 >account.json
    /usr/bin/python3 -c '
import json
a = json.load(open("account.json"))["account"]
near = lambda x, y: abs(x - y) <= 1e-6 * y
assert a["lookups"] == a["certainly_not"] + a["confirmed"] + a["false_positives"] == 1000
assert a["queries"] == a["confirmed"] + a["false_positives"] and a["saved"] == a["certainly_not"]
assert a["slow_seconds"] == 0.001 and a["store_seconds"] >= 0.001 * a["queries"]
assert near(a["lookup_seconds"], a["store_seconds"] / a["queries"])
assert near(a["always_seconds"], a["lookups"] * a["lookup_seconds"])
assert near(a["factor"], a["always_seconds"] / (a["filter_seconds"] + a["store_seconds"]))
assert 3 < a["lookups"] / a["queries"] < 6, a      # one query per four or five lookups
assert 0 < a["factor"] < a["lookups"] / a["queries"], a    # the filter takes time too'
    echo 2 >two
    run --separate-stderr guard --slow 1ms two
    has "$stderr" ", including 1 ms of --slow"
}

@test "only --verify finds keys that an old filter lacks" {
    sqlite3 store.db "INSERT INTO store VALUES ('red', 1), ('pink', 2), ('blue', 3)"
    printf '2\nred\npink\n3\nblue\n' >asked
    is "$(guard --quiet asked)" 2
    run --separate-stderr guard --quiet --verify asked
    is "$status" 2
    is "$output" "2
red
pink
blue"
    is "$stderr" "petal: f.petal: the filter lacks 3 keys of the store; rebuild it"
    run --separate-stderr guard --json --verify asked
    is "$status" 2
    is "${lines[0]}" '{"line": "2", "missed": false}'
    is "${lines[1]}" '{"line": "red", "missed": true}'
    has "${lines[4]}" '"missed": 3, "queries": 5, "saved": 0, '
    echo red >asked
    run --separate-stderr guard --verify asked
    is "${stderr_lines[0]}" \
        "petal: 1 lookup: 0 certainly not, 0 confirmed, 0 false positives, 1 missed by the filter"
    run --separate-stderr guard --quiet --verify asked
    is "$status" 2
    is "$stderr" "petal: f.petal: the filter lacks 1 key of the store; rebuild it"
    run --separate-stderr guard --quiet --verify members
    is "$status" 0
    is "$stderr" ""
}

@test "the key can be a field, end in NUL, and match an integer in the store" {
    is "$(printf 'a,2,x\nb,3,y\nc\nd,4,z\r\n' | guard --quiet -f 2 -d , | tr -d '\r')" "a,2,x
d,4,z"
    is "$(printf '2\0003\0004\0' | guard --quiet -0 | tr '\0' '\n')" "2
4"
    sqlite3 store.db 'CREATE TABLE numbers (n INTEGER PRIMARY KEY); INSERT INTO numbers VALUES (2)'
    query='SELECT 1 FROM numbers WHERE n = ?'
    is "$(guard --quiet members)" 2
}

@test "a line that is not a key is reported and skipped, or fails with --strict" {
    petal build --quiet --force -k bitmap -m 200 -o f.petal members
    printf '2\nrose\n4\n' >asked
    run --separate-stderr guard asked
    is "$status" 0
    is "$output" "2
4"
    is "$(printf '%s\n' "$stderr" | grep -c '^petal: asked:2: .*; skipped$')" 1
    run --separate-stderr guard --strict asked
    is "$status" 2
    one_sentence "$stderr"
    has "$stderr" "petal: asked:2: "
}

@test "no confirmed line, or empty input, exits with 1" {
    run --separate-stderr guard <<<rose
    is "$status" 1
    is "$output" ""
    run --separate-stderr guard </dev/null
    is "$status" 1
    is "$output" ""
    is "$stderr" "petal: 0 lookups: 0 certainly not, 0 confirmed, 0 false positives
petal: 0 queries to the store, 0 saved"
    run --separate-stderr guard --json </dev/null
    is "$status" 1
    is_json "$output"
    has "$output" '"lookup_seconds": null, "slow_seconds": 0, "always_seconds": null, "factor": null'
}

# refused QUERY MESSAGE: fails with this message and keeps the store unchanged.
refused() {
    query=$1
    cp store.db before.db
    run guard members
    is "$status" 2
    is "$output" "petal: $2"
    cmp store.db before.db
}

@test "a query that is not one SELECT with one parameter is an error" {
    refused 'SELEC value' '--query: near "SELEC": syntax error'
    refused 'SELECT 1 FROM nowhere WHERE key = ?' '--query: no such table: nowhere'
    refused 'SELECT 1 FROM store' '--query: the statement has 0 parameters; it needs one ? for the key'
    refused 'SELECT 1 FROM store WHERE key = ? OR key = ?' \
        '--query: the statement has 2 parameters; it needs one ? for the key'
    refused 'DELETE FROM store WHERE key = ?' \
        '--query: only a SELECT statement is allowed'
    refused 'DELETE FROM store WHERE key = ? RETURNING 1' \
        '--query: only a SELECT statement is allowed'
    refused 'ATTACH ? AS other' '--query: only a SELECT statement is allowed'
    refused '' '--query: only a SELECT statement is allowed'
    refused 'SELECT 1 FROM store WHERE key = ?; DROP TABLE store' \
        '--query: only one SQL statement is allowed'
    [ ! -e 0 ]
}

@test "a failed query is an error after the lines confirmed before it" {
    query='SELECT CASE WHEN key = 8 THEN abs(-9223372036854775808) END FROM store WHERE key = ?'
    run --separate-stderr guard members
    is "$status" 2
    is "$output" "0
2
4
6"
    is "$stderr" "petal: store.db: integer overflow"
}

@test "a missing file or option is an error" {
    run petal guard f.petal --query "$query" members
    is "$status" 2
    is "$output" "petal: --sqlite DB is required; see petal help guard"
    run petal guard f.petal --sqlite store.db members
    is "$status" 2
    is "$output" "petal: --query SQL is required; see petal help guard"
    run petal guard f.petal --sqlite missing.db --query "$query" members
    is "$status" 2
    is "$output" "petal: missing.db: No such file or directory"
    [ ! -e missing.db ]
    run petal guard f.petal --sqlite asked --query "$query" members
    is "$status" 2
    is "$output" "petal: asked: file is not a database"
    run petal guard --sqlite store.db --query "$query"
    is "$status" 2
    is "$output" \
        "petal: an argument is missing; usage: petal guard [options] FILTER --sqlite DB --query SQL [FILE...]"
    run petal guard missing.petal --sqlite store.db --query "$query" members
    is "$status" 2
    is "$output" "petal: missing.petal: No such file or directory"
    run guard missing
    is "$status" 2
    is "$output" "petal: missing: No such file or directory"
    run guard --slow 5 members
    is "$status" 2
    is "$output" "petal: --slow 5: not a time such as 500ms, 0.5s or 20us"
}

@test "a closed pipe is not an error" {
    for i in $(seq 1 50); do cat members; done >many
    closed_pipe guard f.petal --sqlite store.db --query "$query" --quiet many
    closed_pipe guard f.petal --sqlite store.db --query "$query" --json many
}

@test "a URL with a parent in the filter is a maybe, except with --exact" {
    /usr/bin/python3 -c "
import sqlite3
db = sqlite3.connect('store.db')
db.execute('CREATE TABLE t (url TEXT)')
db.execute(\"INSERT INTO t VALUES ('http://www.example.com/a')\")
db.commit()"
    echo http://example.com/ | petal build --quiet --form url -o u.petal
    run --separate-stderr petal guard u.petal --sqlite store.db \
        --query 'SELECT 1 FROM t WHERE url = ?' - <<<"http://www.example.com/a"
    is "$status $output" "0 http://www.example.com/a"
    run --separate-stderr petal guard --exact u.petal --sqlite store.db \
        --query 'SELECT 1 FROM t WHERE url = ?' - <<<"http://www.example.com/a"
    is "$status $output" "1 "
}
