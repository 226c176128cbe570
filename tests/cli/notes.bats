# notes.bats: tests of --label and --source, and of what petal info prints about them.
load common
export SOURCE_DATE_EPOCH=1795000000
created=2026-11-18T11:06:40Z

# notes FILE: prints the notes as petal info shows them.
notes() {
    petal info "$1" | grep -E '^  (created|label|source) ' || true
}

id() {
    petal info "$1" | grep '^  id '
}

@test "build stores a label, a source and the time" {
    keys in 100 | petal build --quiet --label 'Bad hosts' --source 'list "1", é' -o f.petal
    is "$(petal info f.petal | head -n 4)" "f.petal
  created    $created
  label      Bad hosts
  source     list \"1\", é"
    run --separate-stderr petal info --json f.petal
    is_json "$output"
    is "$(figure "$output" "r['notes']")" \
        "{'created': '$created', 'label': 'Bad hosts', 'source': 'list \"1\", é'}"
    for options in "-k ribbon" "-k scalable" "-n 100" "-k bitmap"; do
        seq 50 | petal build --quiet $options --force --label x -o f.petal
        is "$(notes f.petal)" "  created    $created
  label      x"
        is "$(petal verify f.petal)" "f.petal: OK"
    done
}

@test "without --label and --source, nothing is stored" {
    keys in 100 | petal build --quiet -o f.petal
    SOURCE_DATE_EPOCH=1 petal build --quiet -o g.petal <<<"$(keys in 100)"
    cmp f.petal g.petal
    is "$(notes f.petal)" ""
    keys in 100 | petal build --quiet --label '' -o h.petal
    cmp f.petal h.petal
    is "$(figure "$(petal info --json f.petal)" "'notes' in r")" False
}

@test "the id depends on the contents alone" {
    keys in 100 | petal build --quiet -o f.petal
    keys in 100 | petal build --quiet --label x -o g.petal
    keys in 101 | petal build --quiet -o h.petal
    is "$(id f.petal)" "$(id g.petal)"
    [ "$(id f.petal)" != "$(id h.petal)" ]
    is "$(id f.petal)" "  id         $(figure "$(petal info --json g.petal)" "r['content_id']")"
    [[ $(id f.petal) =~ ^\ \ id\ {9}[0-9a-f]{16}$ ]]
}

@test "the time is the current one without SOURCE_DATE_EPOCH" {
    unset SOURCE_DATE_EPOCH
    before=$(date -u +%Y-%m-%dT%H:%M:%SZ)
    echo a | petal build --quiet --label x -o f.petal
    after=$(date -u +%Y-%m-%dT%H:%M:%SZ)
    noted=$(figure "$(petal info --json f.petal)" "r['notes']['created']")
    [[ ! $noted < $before && ! $noted > $after ]]
}

@test "SOURCE_DATE_EPOCH must be a time" {
    for time in '' x -1 1.5 '1 ' 253402300800 99999999999999999999; do
        SOURCE_DATE_EPOCH=$time run --separate-stderr petal build --label x -o f.petal <<<a
        is "$status $stderr" "2 petal: SOURCE_DATE_EPOCH: '$time' is not a time in seconds since 1970"
    done
    SOURCE_DATE_EPOCH=253402300799 petal build --quiet --label x -o f.petal <<<a
    has "$(notes f.petal)" 9999-12-31T23:59:59Z
    SOURCE_DATE_EPOCH=x petal build --quiet -o g.petal <<<a # it is not used
}

@test "invalid texts are rejected before any work" {
    for text in $'two\nlines' $'\e[31m' $'\xff' $'\u0085'; do
        for command in "build -o f.petal" "shard -N 2 -o f-%d.petal" "merge -o f.petal nope" "seen f.petal"; do
            for option in label source; do
                run --separate-stderr petal $command --$option "$text" </dev/null
                is "$status $stderr" \
                    "2 petal: --$option: must be one line of UTF-8 text without control characters"
            done
        done
    done
    run --separate-stderr petal build -o f.petal --label "$(printf '%3000s' x)" --source "$(printf '%1001s' x)"
    is "$status $stderr" "2 petal: --source: too long; --label and --source have room for 4,000 bytes"
    echo a | petal build --quiet -o f.petal --label "$(printf '%3000s' x)" --source "$(printf '%1000s' x)"
    is "$(petal verify f.petal)" "f.petal: OK"
    run --separate-stderr petal info --label x f.petal
    is "$status $stderr" "2 petal: --label: no such option; see petal help info"
}

@test "add and remove keep the notes" {
    seq 50 | petal build --quiet -k counting -n 100 --label x -o f.petal
    before=$(notes f.petal)
    has "$before" "label      x"
    echo 51 | SOURCE_DATE_EPOCH=1 petal add --quiet f.petal
    is "$(notes f.petal)" "$before"
    echo 51 | petal remove --quiet f.petal
    is "$(notes f.petal)" "$before"
    seq 9 | petal build --quiet -k scalable -n 10 --source y -o s.petal
    before=$(notes s.petal)
    keys more 1000 | petal add --quiet s.petal
    is "$(notes s.petal)" "$before"
}

@test "seen stores notes in the filter that it creates" {
    keys in 10 | petal seen --quiet --label x f.petal >/dev/null
    has "$(notes f.petal)" "label      x"
    keys in 500 | petal seen --quiet f.petal >/dev/null # it grows
    has "$(notes f.petal)" "label      x"
    run --separate-stderr petal seen --label y f.petal <<<z
    has "$stderr" "f.petal: the filter exists; --label and --source are ignored"
    has "$(notes f.petal)" "label      x"
}

@test "shard stores notes in every filter" {
    keys in 100 | petal shard --quiet -N 3 --label x --source y -o f-%d.petal
    for i in 0 1 2; do
        is "$(notes f-$i.petal)" "  created    $created
  label      x
  source     y"
    done
    keys in 100 | petal shard --quiet -N 3 -o g-%d.petal
    is "$(id f-1.petal)" "$(id g-1.petal)"
    is "$(notes g-1.petal)" ""
}

@test "merge joins notes that differ" {
    for name in a b c d; do
        echo $name | petal build --quiet -n 100 --label Flowers --source $name.txt -o $name.petal
    done
    echo e | petal build --quiet -n 100 -o e.petal
    petal merge --quiet -o m.petal e.petal a.petal b.petal a.petal c.petal
    is "$(notes m.petal)" "  created    $created
  label      Flowers
  source     a.txt, b.txt, c.txt"
    petal merge --quiet -o n.petal d.petal m.petal
    has "$(notes n.petal)" "source     d.txt, a.txt, b.txt, c.txt"
    petal merge --quiet -o o.petal --label Roses a.petal b.petal
    is "$(notes o.petal)" "  created    $created
  label      Roses
  source     a.txt, b.txt"
    petal merge --quiet -o p.petal --source '' --label '' a.petal b.petal
    is "$(notes p.petal)" "  created    $created"
    petal merge --quiet -o q.petal e.petal e.petal
    is "$(notes q.petal)" ""
    petal merge --quiet -o r.petal --intersect --label x e.petal e.petal
    has "$(notes r.petal)" "label      x"
    SOURCE_DATE_EPOCH=0 petal merge --quiet -o s.petal a.petal
    has "$(notes s.petal)" "created    1970-01-01T00:00:00Z"
}

@test "merge reports notes that are too long to be joined" {
    for name in a b c; do
        echo $name | petal build --quiet -n 100 --label "$name$(printf '%1500s' x)" -o $name.petal
    done
    petal merge --quiet -o ab.petal a.petal b.petal
    run --separate-stderr petal merge -o abc.petal a.petal b.petal c.petal
    is "$status $stderr" \
        "2 petal: the labels of these filters are too long to be joined; give one with --label"
    [ ! -e abc.petal ]
    petal merge --quiet --label abc -o abc.petal a.petal b.petal c.petal
    has "$(notes abc.petal)" "label      abc"
}

@test "the report of build has the notes" {
    run --separate-stderr petal build --json --label "$(printf '%4000s' '"')" -o f.petal <<<a
    is_json "$output"
    is "$(figure "$output" "len(r['notes']['label']), len(r['content_id'])")" "4000 16"
}
