# help.bats: petal help, for people, for man and for bash.
load common

# names: every command, as the list has them.
names() {
    petal help | sed -n 's/^  \([a-z]*\)  *[^ ].*/\1/p' | grep -v '^petal$'
}

@test "petal help lists the commands, and how to begin" {
    run --separate-stderr petal help
    is "$status" 0
    is "$stderr" ""
    for name in plan build add remove count check seen guard info verify measure merge shard \
        push pull diff missing join spell explain lab compare help; do
        has "$output" "$(printf '\n  %-9s ' $name)"
    done
    is "$(names | wc -l)" 23
    has "$output" "petal build -p 1% -o bad.petal bad-urls.txt"
    is "$(petal --help)" "$output"
    is "$(petal -h)" "$output"
}

@test "without a command there is nothing to do" {
    run --separate-stderr petal
    is "$status $output" "2 "
    is "$stderr" "petal: a command must be given; petal help lists them"
    is "$(petal -V)" "$(petal --version)"
}

@test "kinds, forms and options are explained" {
    petal help kinds >kinds
    for kind in $(petal plan --json | /usr/bin/python3 -c '
import json, sys
for row in json.load(sys.stdin)["kinds"]: print(row["kind"])'); do
        has "$(cat kinds)" "  $kind "
    done
    has "$(petal help forms)" "  ip "
    has "$(petal help options)" "  seed=N "
    petal help --man >man
    has "$(cat man)" "counter_bits=N"
}

@test "the lines to begin with work as they stand" {
    printf 'http://evil.com/\nhttp://worse.org/\n' >bad-urls.txt
    printf 'http://good.net/\nhttp://evil.com/\n' >visited.txt
    petal help | sed -n '/^To begin/,/^petal help/p' | grep '^  petal ' | sed 's/    .*//' >lines
    is "$(wc -l <lines)" 3
    while read -r _ rest; do
        petal $rest >>shown
    done <lines
    is "$(head -1 shown)" http://evil.com/
    has "$(cat shown)" "promised at capacity"
}

@test "every command has help, with examples of its own and every option" {
    for name in $(names); do
        petal help $name >$name.help 2>>errors
        petal $name --help | cmp - $name.help
    done
    petal help -h | cmp - help.help
    is "$(cat errors)" ""
    petal help --bash >completion
    petal help >list
    /usr/bin/python3 - <<'PYTHON'
import re
summaries = dict(re.findall(r"^  ([a-z]+) +(\S.*)", open("list").read(), re.M))
for name, options in re.findall(r"^    ([a-z]+)\) options='(.*)' ;;", open("completion").read(), re.M):
    text = open(name + ".help", encoding="utf-8").read()
    before, _, table = text.partition("Options:\n")
    lines = before.splitlines()
    assert lines[0] == "petal %s: %s" % (name, summaries[name]), lines[0]
    assert lines[2].startswith("  petal " + name), lines[2]
    examples = [l for l in lines[3:] if l.startswith("  ") and "petal " + name in l]
    assert examples, name
    for option in options.split():
        assert option == "--help" or re.search("^  .*%s\\b" % option, table, re.M), (name, option)
    for row in table.splitlines():
        if row.startswith(29 * " "):    # goes on with the row before
            continue
        assert re.match(r"  (-., |    )--[a-z-]+( [A-Z=]+)? +\S", row), row
    for example in examples:        # what they use, there is
        for option in re.findall(r" (--[a-z][a-z-]+)", example.split("petal " + name)[1].split("|")[0]):
            assert option in options.split(), (name, option)
PYTHON
}

@test "every line of the help fits a screen of 80 columns" {
    for name in "" $(names); do
        petal help $name
    done >all
    is "$(/usr/bin/python3 -c '
for line in open("all", encoding="utf-8"):
    if len(line) > 82: print(line, end="")')" ""
}

@test "options the help shows are accepted, and those of others are not" {
    echo a | petal build --quiet -o f.petal
    petal check --no --count --line-number --exact --why --null --strict --threads 1 --quiet \
        f.petal - <<<"b" >/dev/null
    run --separate-stderr petal info --threads 2 f.petal
    is "$status $stderr" "2 petal: --threads: no such option; see petal help info"
}

@test "no answer is ever yes" {
    for name in $(names); do
        petal help $name
    done >all
    petal help --man >>all
    is "$(grep -iw yes all)" ""
}

@test "what is no command is an error" {
    run --separate-stderr petal help nope
    is "$status $output$stderr" "2 petal: nope: no such command; petal help lists them"
    run --separate-stderr petal nope
    is "$status $output$stderr" "2 petal: nope: no such command; petal help lists them"
    run --separate-stderr petal ''
    is "$status" 2
    one_sentence "$stderr"
    run --separate-stderr petal help build check
    is "$status $output$stderr" "2 petal: usage: petal help [COMMAND]"
    run --separate-stderr petal help --bogus
    is "$status $stderr" "2 petal: --bogus: no such option; see petal help help"
}

@test "the version is a number" {
    run --separate-stderr petal --version
    is "$status $stderr" "0 "
    is "$(printf '%s\n' "$output" | grep -Ec '^petal [0-9]+\.[0-9]+\.[0-9]+$')" 1
}

@test "the manual page is one that man accepts" {
    petal help --man >petal.1
    is "$(head -c 4 petal.1)" ".TH "
    command -v groff >/dev/null || command -v mandoc >/dev/null || skip "no groff, no mandoc"
    if command -v groff >/dev/null; then
        run --separate-stderr groff -K utf8 -man -Tutf8 -ww petal.1
    else
        run --separate-stderr mandoc -W warning petal.1
    fi
    is "$status" 0
    is "$stderr" ""
    page=$(printf '%s\n' "$output" | sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g')
    for name in $(names); do
        has "$page" "petal $name"
    done
    has "$page" "--intersect"
    has "$page" "-o bad.petal bad-urls.txt"
    has "$page" "EXIT STATUS"
}

@test "the completion is bash, and completes commands, options, kinds and files" {
    petal help --bash >completion
    bash -n completion
    cat >try <<'BASH'
source ./completion
try() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _petal
    echo "${COMPREPLY[*]}"
}
try petal me
try petal che
try petal build --thr
try petal build --kind cou
try petal build --form u
try petal help mis
try petal merge --inter
try petal info some-f
complete -p petal
BASH
    : >some-file
    run --separate-stderr bash --norc try
    is "$stderr" ""
    is "${lines[0]}" "measure merge"
    is "${lines[1]}" check
    is "${lines[2]}" --threads
    is "${lines[3]}" counting
    is "${lines[4]}" url
    is "${lines[5]}" missing
    is "${lines[6]}" --intersect
    is "${lines[7]}" some-file
    is "${lines[8]}" "complete -o filenames -F _petal petal"
}

@test "nobody reading is no error" {
    closed_pipe help
    closed_pipe help build
    closed_pipe help --man
    closed_pipe help --bash
    closed_pipe --version
}
