# export.bats: tests of petal export.
load common

golden=$BATS_TEST_DIRNAME/../parquet/golden

@test "a filter from a Parquet file is exported with the bytes that it had" {
    petal import --quiet "$golden/events.parquet" --column id --row-group 1 -o id.petal
    run --separate-stderr petal export --to parquet id.petal -o id.bloom
    is "$status $output" "0 "
    is "$stderr" "petal: id.bloom: 4,112 bytes for parquet, keys of form int64"
    cmp id.bloom <(tail -c +20163 "$golden/events.parquet" | head -c 4112)
    cmp id.bloom <(petal export --quiet id.petal -o -)
    is "$(petal export --json id.petal -o again.bloom)" '{"file": "again.bloom", "to": "parquet", "bytes": 4112}'
}

@test "the header has the size of the bitset" {
    hex() {
        petal build --quiet -k split -m "$1" --force -o f.petal </dev/null
        petal export --quiet f.petal -o - | head -c "$2" | od -An -v -tx1 | tr -d ' \n'
    }
    is "$(hex 32B 15)" 15401c1c00001c1c00001c1c000000
    is "$(hex 64B 16)" 1580011c1c00001c1c00001c1c000000
    is "$(hex 1MiB 18)" 15808080011c1c00001c1c00001c1c000000
}

@test "only a filter of the other program can be exported" {
    seq 10 | petal build --quiet -o blocked.petal
    seq 10 | petal build --quiet -k split -o split.petal
    run --separate-stderr petal export blocked.petal -o f
    is "$status $output" "2 "
    is "$stderr" "petal: blocked.petal: a blocked filter, which only petal can read"
    run --separate-stderr petal export --to parquet blocked.petal -o f
    is "$stderr" "petal: blocked.petal: a blocked filter, whose keys parquet cannot find; build it with -k split"
    run --separate-stderr petal export --to guava split.petal -o f
    is "$stderr" "petal: split.petal: a filter of parquet, whose keys guava cannot find; build it with -k guava"
    run --separate-stderr petal export --to nope split.petal -o f
    has "$stderr" "petal: --to nope: not a format that petal can export: parquet"
    run --separate-stderr petal export split.petal
    is "$stderr" "petal: -o FILE is required"
    run --separate-stderr petal export none.petal -o f
    is "$stderr" "petal: none.petal: No such file or directory"
    [ ! -e f ]
}

@test "an existing file is overwritten only with --force" {
    seq 10 | petal build --quiet -k split -o f.petal
    echo precious >f.bloom
    run --separate-stderr petal export f.petal -o f.bloom
    is "$status $stderr" "2 petal: f.bloom: file exists; use --force to overwrite it"
    is "$(cat f.bloom)" precious
    petal export --quiet --force f.petal -o f.bloom
    petal import --quiet f.bloom -o g.petal
    is "$(seq 20 | petal check -v g.petal)" "$(seq 20 | petal check -v f.petal)"
}
