# import.bats: tests of petal import.
#
# tests/parquet/golden has files that DuckDB and hyparquet-writer wrote; tests/parquet/make.mjs
# says what is in them.
load common

golden=$BATS_TEST_DIRNAME/../parquet/golden

@test "a column whose filters have one size becomes one filter" {
    cp "$golden/events.parquet" .
    run --separate-stderr petal import events.parquet --column small -o small.petal
    is "$status $output" "0 "
    is "$stderr" "petal: small.petal: about 96 keys of form int32 from column small of events.parquet, 3 row groups; split filter, 392 B, rate 0.68%"
    is "$(seq -50 49 | petal check -c small.petal)" 100
    is "$(petal check -v small.petal <<<1000)" 1000
    petal verify small.petal
    has "$(petal info small.petal)" "form       int32"
}

@test "filters of different sizes are not merged" {
    cp "$golden/events.parquet" .
    run --separate-stderr petal import events.parquet --column id -o id.petal
    is "$status $output" "2 "
    is "$stderr" "petal: events.parquet: the filters of column id have different sizes, 4,096 and 256 bytes, and cannot be merged; choose one with --row-group, or write each to a file: -o NAME-%d.petal"
    [ ! -e id.petal ]
}

@test "--row-group imports one filter" {
    cp "$golden/events.parquet" .
    petal import --quiet events.parquet --column id --row-group 1 -o id.petal
    is "$(seq 6144 3 12285 | petal check -c id.petal)" 2048
    is "$(petal check -c id.petal <<<0)" 0
    run --separate-stderr petal import events.parquet --column id --row-group 3 --force -o id.petal
    is "$status $stderr" "2 petal: --row-group 3: events.parquet has 3 row groups, numbered from 0"
    for wrong in x -1 1x "" 99999999999999999999; do
        run --separate-stderr petal import events.parquet --column id --row-group "$wrong" --force -o id.petal
        is "$status" 2
        is "$stderr" "petal: --row-group $wrong: not a number of a row group, from 0 on"
    done
    is "$(petal check -c id.petal <<<6144)" 1 # it was not overwritten
}

@test "%d in the name writes a filter for each row group" {
    cp "$golden/events.parquet" "$golden/mixed.parquet" .
    run --separate-stderr petal import events.parquet --column id -o id-%d.petal
    is "$status" 0
    is "$(ls id-*)" $'id-0.petal\nid-1.petal\nid-2.petal'
    is "$(seq 0 3 12897 | petal check -F id-1.petal -F id-2.petal id-0.petal | wc -l)" 4300
    run --separate-stderr petal import mixed.parquet -o mixed-%d.petal
    is "$(ls mixed-*)" "mixed-0.petal"
    has "$stderr" "mixed.parquet: column id has no filter in 1 row group"
    run --separate-stderr petal import events.parquet --column id -o id-%d.petal
    is "$status $stderr" "2 petal: id-0.petal: file exists; use --force to overwrite it"
}

@test "the keys of a row group without a filter are unknown" {
    cp "$golden/mixed.parquet" .
    run --separate-stderr petal import mixed.parquet -o f.petal
    is "$status" 2
    is "$stderr" "petal: mixed.parquet: column id has no filter in row group 1, so its keys are unknown; import others with --row-group"
    run --separate-stderr petal import mixed.parquet --row-group 1 -o f.petal
    is "$stderr" "petal: --row-group 1: no filter for column id there; petal parquet mixed.parquet lists those that there are"
    petal import --quiet mixed.parquet --row-group 0 -o f.petal
    is "$(seq 0 19 | petal check -c f.petal)" 20
}

@test "an imported filter takes keys, merges, and is as good as one that was built" {
    cp "$golden/events.parquet" .
    petal import --quiet events.parquet --column small -o a.petal
    seq 1000 1010 | petal add --quiet a.petal
    is "$(seq 1000 1010 | petal check -c a.petal)" 11
    seq 5000 5009 | petal build --quiet -k split --form int32 -m 128B -o b.petal
    petal merge --quiet -o c.petal a.petal b.petal
    is "$( (seq -50 49; seq 1000 1010; seq 5000 5009) | petal check -c c.petal)" 121
}

@test "import --json describes the filter" {
    run --separate-stderr petal import --json "$golden/single.parquet" -o f.petal
    is "$stderr" ""
    is_json "$output"
    has "$output" '"file": "f.petal", "from": "column word of '
    has "$output" '"kind": "split"'
    has "$output" '"form": "raw"'
}

@test "notes are stored, and --form overrules the type of the column" {
    petal import --quiet --label words --source here "$golden/single.parquet" --form utf16 -o f.petal
    has "$(petal info f.petal)" "label      words"
    has "$(petal info f.petal)" "source     here"
    has "$(petal info f.petal)" "form       utf16"
}

@test "header and bitset of Parquet are recognized, also compressed" {
    petal import --quiet "$golden/single.parquet" -o f.petal
    petal export --quiet f.petal -o f.bloom
    gzip -k f.bloom
    for file in f.bloom f.bloom.gz; do
        petal import --quiet "$file" --force -o g.petal
        cmp f.petal g.petal
    done
    petal import --quiet --from parquet - --force -o g.petal <f.bloom
    cmp f.petal g.petal
    is "$(petal import --quiet f.bloom -o - | petal check -c - <(printf '%s\n' rose tulip daisy))" 3
}

@test "a filter of Parquet that is truncated at any byte is refused" {
    petal import --quiet "$golden/single.parquet" -o f.petal
    petal export --quiet f.petal -o f.bloom
    for ((n = 0; n < 47; n++)); do
        head -c $n f.bloom >cut
        run --separate-stderr petal import --from parquet cut -o g.petal
        is "$status $output" "2 "
        is "$stderr" "petal: cut: truncated: bytes are missing at the end"
    done
    (cat f.bloom && printf x) >longer
    run --separate-stderr petal import --from parquet longer -o g.petal
    is "$stderr" "petal: longer: not a filter of parquet"
    [ ! -e g.petal ]
}

@test "what is exported for any program is recognized, and exported again with the same bytes" {
    for kind in split redisbloom guava spark dcso libbloom; do
        seq 1000 | petal build --quiet -k $kind -n 1000 --form int64 -o $kind.petal
        petal export --quiet $kind.petal -o $kind.bloom
        petal import --quiet --form int64 $kind.bloom -o $kind-2.petal
        has "$(petal info $kind-2.petal)" "kind       $kind: "
        petal export --quiet $kind-2.petal -o $kind-2.bloom
        cmp $kind.bloom $kind-2.bloom
        is "$(seq 1000 | petal check -c $kind-2.petal)" 1000
        is "$(seq 1001 3000 | petal check -c $kind-2.petal)" "$(seq 1001 3000 | petal check -c $kind.petal)"
        gzip $kind.bloom
        petal import --quiet --form int64 $kind.bloom.gz --force -o $kind-2.petal
    done
}

@test "what is not a filter is refused" {
    echo hello >text
    : >empty
    echo x | petal build --quiet -o f.petal
    run --separate-stderr petal import text -o g.petal
    is "$stderr" "petal: text: not a filter that petal recognizes; use --from NAME if you know the program that wrote it"
    run --separate-stderr petal import empty -o g.petal
    is "$stderr" "petal: empty: not a filter that petal recognizes; use --from NAME if you know the program that wrote it"
    run --separate-stderr petal import f.petal -o g.petal
    is "$stderr" "petal: f.petal: a filter of petal already"
    run --separate-stderr petal import --from parquet text -o g.petal
    is "$stderr" "petal: text: not a filter of parquet"
    run --separate-stderr petal import none -o g.petal
    is "$stderr" "petal: none: No such file or directory"
    run --separate-stderr petal import --from nope text -o g.petal
    is "$status" 2
    has "$stderr" "petal: --from nope: not a format that petal can import: parquet"
    run --separate-stderr petal import --column id text -o g.petal
    is "$stderr" "petal: --column is for Parquet files, and text is none"
    run --separate-stderr petal import text
    is "$stderr" "petal: -o FILE is required"
    run --separate-stderr petal import --form url text -o g.petal
    is "$stderr" "petal: --form url: other programs have no filters of such keys"
    [ ! -e g.petal ]
}

@test "the filters of an RDB file are listed, and one is imported" {
    rdb=$BATS_TEST_DIRNAME/../redis/redisbloom/filters.rdb
    run --separate-stderr petal import "$rdb"
    is "$status" 0
    has "$output" "grown"
    petal import --from rdb "$rdb" --key grown -o grown.petal
    has "$(petal info grown.petal)" "redisbloom"
    petal export --to redisbloom grown.petal -o grown.dump
    run --separate-stderr petal import "$rdb" --key none -o none.petal
    is "$status" 2
    one_sentence "$stderr"
    run --separate-stderr petal import --from rdb grown.dump -o x.petal
    is "$status $stderr" "2 petal: grown.dump: not an RDB file"
    run --separate-stderr petal import --key x grown.dump -o x.petal
    is "$status $stderr" "2 petal: --key is for RDB files, and grown.dump is none"
}
