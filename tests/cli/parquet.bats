# parquet.bats: tests of petal parquet, and of Parquet files in petal check.
#
# tests/parquet/golden has files that DuckDB and hyparquet-writer wrote; tests/parquet/make.mjs
# says what is in them.
load common

golden=$BATS_TEST_DIRNAME/../parquet/golden

# bytes FILE: the file as hexadecimal digits.
bytes() {
    od -An -v -tx1 "$1" | tr -d ' \n'
}

@test "parquet lists columns, row groups and their filters" {
    cp "$golden/mixed.parquet" .
    run --separate-stderr petal parquet mixed.parquet
    is "$status" 0
    is "$stderr" ""
    is "$output" "mixed.parquet: 4,096 rows in 2 row groups, written by DuckDB version v1.5.5 (build d8cdaa33fd)

  id: INT64, keys of form int64
  row group          rows         bytes          offset          keys  rate
          0         2,048            32           2,332            19  0.15%
          1         2,048  no filter"
    has "$(petal parquet "$golden/events.parquet")" "address.city: BYTE_ARRAY, keys of form raw"
    has "$(petal parquet "$golden/events.parquet")" "flag: BOOLEAN, no filters"
}

@test "parquet --json has the same figures" {
    run --separate-stderr petal parquet --json "$golden/hyparquet.parquet" "$golden/mixed.parquet"
    is "$status" 0
    is_json "$output"
    printf '%s\n' "${lines[0]}" | /usr/bin/python3 -c '
import json, sys
all = json.load(sys.stdin)
assert all["rows"] == 250 and all["filters"] == 12 and all["writer"] == "hyparquet"
column = all["columns"][3]
assert (column["column"], column["type"], column["form"]) == ("y", "FLOAT", "float")
group = column["row_groups"][2]
assert group["rows"] == 50 and group["filter"]["bytes"] == 64 and group["filter"]["offset"] == 7063
assert 0.005 < group["filter"]["fpr_estimate"] < 0.02 and 40 < group["filter"]["keys_estimate"] < 60'
    has "${lines[1]}" '{"row_group": 1, "rows": 2048, "values": 2048, "filter": null}'
}

@test "the exit status of parquet is 1 without filters" {
    run --separate-stderr petal parquet "$golden/plain.parquet"
    is "$status" 1
    has "$output" "id: INT64, no filters"
    run --separate-stderr petal parquet "$golden/plain.parquet" "$golden/single.parquet"
    is "$status" 0
}

# all_in FILE OPTIONS: fails if a line of standard input is certainly not in the file.
all_in() {
    run --separate-stderr petal check -v "$@"
    is "$status $output" "1 "
}

@test "check finds every value of every column in its row group" {
    seq 0 3 12897 >in && all_in "$golden/events.parquet" --column id in
    seq -50 49 >in && all_in "$golden/events.parquet" --column small in
    seq 0 67 | sed 's/^/name-/' >in && all_in "$golden/events.parquet" --column name in
    seq 0 0.25 21.25 >in && all_in "$golden/events.parquet" --column price in
    seq 0 0.125 1.125 >in && all_in "$golden/events.parquet" --column weight in
    seq 0 4 | sed 's/^/city-/' >in && all_in "$golden/events.parquet" --column address.city in
    seq 0 7 1743 >in && all_in "$golden/hyparquet.parquet" --column id in
    seq 0 249 | sed 's/^/näme-/' >in && all_in "$golden/hyparquet.parquet" --column name in
    seq 0 0.125 31.125 >in && all_in "$golden/hyparquet.parquet" --column x in
    seq -31.125 0.125 -0.125 >in && all_in "$golden/hyparquet.parquet" --column y in
    is "$(seq 6144 3 12285 | petal check --quiet -c "$golden/events.parquet" --column id | grep '#1:')" \
        "$golden/events.parquet#1:2048"
}

@test "check says which row groups can be skipped" {
    cp "$golden"/*.parquet .
    run --separate-stderr petal check events.parquet --column id <<<$'0\n3\n1'
    is "$status" 0
    is "$output" $'events.parquet#0\t0\nevents.parquet#0\t3'
    is "$stderr" "petal: events.parquet: 2 of 3 row groups can be skipped: 1-2"
    run --separate-stderr petal check events.parquet --column id <<<1
    is "$status $output" "1 "
    is "$stderr" "petal: events.parquet: 3 of 3 row groups can be skipped: 0-2"
    run --separate-stderr petal check -v events.parquet --column id <<<1
    is "$status $output" "0 1"
    run --separate-stderr petal check events.parquet --column small <<<0
    is "$stderr" "petal: events.parquet: no row group can be skipped"
    is "$(petal check -q events.parquet --column id <<<3 && echo found)" found
}

@test "a row group without a filter may have any key" {
    cp "$golden/mixed.parquet" .
    run --separate-stderr petal check mixed.parquet <<<12345
    is "$status" 0
    is "$output" $'mixed.parquet#1\t12345'
    is "${stderr_lines[0]}" "petal: mixed.parquet: column id has no filter in 1 row group, which may have any key: 1"
    is "${stderr_lines[1]}" "petal: mixed.parquet: 1 of 2 row groups can be skipped: 0"
}

@test "the options of check work with row groups" {
    cp "$golden/single.parquet" .
    printf 'word,n\nrose,1\noak,2\n' >t.csv
    is "$(petal check --quiet single.parquet --csv -f word t.csv)" $'filter,word,n\nsingle.parquet#0,rose,1'
    is "$(petal check --quiet --why -n single.parquet <<<tulip)" $'single.parquet#0\t1:tulip\ttulip'
    is "$(petal check --quiet --json -c single.parquet <<<tulip)" \
        '{"lines": 1, "maybe": 1, "no": 0, "filters": [{"file": "single.parquet#0", "maybe": 1}], "skipped": {}}'
    printf '%s\n' rose oak | petal build --quiet -o f.petal
    is "$(printf '%s\n' rose oak | petal check --quiet -F single.parquet f.petal)" \
        $'f.petal,single.parquet#0\trose\nf.petal\toak'
}

@test "what is not a key of the column is skipped with a remark" {
    run --separate-stderr petal check "$golden/events.parquet" --column id <<<$'3\nrose\n007'
    is "${#lines[@]}" 1
    has "$stderr" "standard input:2: not an integer of 64 bits: rose; skipped"
    has "$stderr" "standard input:3: not an integer of 64 bits: 007; skipped"
}

@test "a column that is not there, or not chosen, is an error that lists those with filters" {
    cp "$golden"/*.parquet .
    run --separate-stderr petal check events.parquet <<<1
    is "$status $output" "2 "
    is "$stderr" "petal: events.parquet: several columns have filters: choose one with --column: id, small, name, price, weight, address.city"
    run --separate-stderr petal check events.parquet --column nope <<<1
    is "$stderr" "petal: events.parquet: no column nope; filters have id, small, name, price, weight, address.city"
    run --separate-stderr petal check events.parquet --column flag <<<1
    is "$stderr" "petal: events.parquet: column flag has no filters; petal parquet events.parquet lists those that there are"
    run --separate-stderr petal check plain.parquet <<<1
    is "$stderr" "petal: plain.parquet: no column has filters"
    echo x | petal build --quiet -o f.petal
    run --separate-stderr petal check f.petal --column id <<<1
    is "$status $stderr" "2 petal: --column is for Parquet files, and f.petal is none"
}

@test "what is not a Parquet file is refused" {
    echo hello >text
    : >empty
    printf 'PAR1' >short
    printf 'PAR1....PAR2' >end
    printf 'PAR1\xff\xff\xff\x7fPAR1' >long
    printf 'PARE....PARE' >secret
    for row in "text:text: not a Parquet file" "empty:empty: not a Parquet file" \
        "short:short: truncated: bytes are missing at the end" \
        "end:end: truncated: a Parquet file ends with PAR1" \
        "long:long: corrupt: its footer would have 2,147,483,647 of the 12 bytes" \
        "secret:secret: the footer is encrypted, so its filters cannot be found" \
        ".:.: Is a directory" "none:none: No such file or directory" \
        "-:a Parquet file is read from its end, so it cannot come from standard input"; do
        run --separate-stderr petal parquet "${row%%:*}"
        is "$status $output" "2 "
        is "$stderr" "petal: ${row#*:}"
    done
}

@test "a file that is truncated at any byte is refused with one sentence" {
    /usr/bin/python3 - "$PETAL" "$golden/single.parquet" <<'PYTHON'
import pathlib, subprocess, sys
petal, path = sys.argv[1:]
whole = pathlib.Path(path).read_bytes()
for n in range(len(whole)):
    pathlib.Path("cut.parquet").write_bytes(whole[:n])
    done = subprocess.run([petal, "parquet", "cut.parquet"], capture_output=True, text=True)
    assert done.returncode == 2 and not done.stdout, n
    assert done.stderr.startswith("petal: cut.parquet: ") and done.stderr.count("\n") == 1, n
PYTHON
}

# The filter of single.parquet is at byte 55: a header of 15 bytes, and 32 bytes.
@test "a filter that is damaged is refused with one sentence" {
    is "$(bytes "$golden/single.parquet" | cut -c 111-142)" 15401c1c00001c1c00001c1c00000000
    damaged() { # AT BYTES REASON
        cp "$golden/single.parquet" bad.parquet
        printf "$2" | dd of=bad.parquet bs=1 seek="$1" conv=notrunc status=none
        run --separate-stderr petal parquet bad.parquet
        is "$status" 2
        is "$stderr" "petal: bad.parquet: the filter of column word in row group 0, at byte 55, cannot be used: $3"
    }
    damaged 58 '\x2c' "it is not a split-block filter"
    damaged 62 '\x2c' "its hash is not XXH64"
    damaged 66 '\x2c' "it is compressed"
    damaged 56 '\x00' "its size is not a multiple of 32 bytes"
    damaged 56 '\x41' "a number that must not be negative is"
    damaged 55 '\x0e' "a field has a type that does not exist"
    # a size of 64 MiB, which takes two more bytes
    damaged 55 '\x15\x80\x80\x80\x40\x1c\x1c\x00\x00\x1c\x1c\x00\x00\x1c\x1c\x00\x00\x00' \
        "it is larger than the rest of the file"
}
