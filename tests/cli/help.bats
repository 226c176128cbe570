# help.bats: petal help, for people, for man and for shells.
load common

# names: every command, as the list has them.
names() {
    petal help | sed '/^To start/,$d' | sed -n 's/^  \([a-z]*\)  *[^ ].*/\1/p' | grep -v '^petal$'
}

@test "petal help lists the commands, and how to begin" {
    run --separate-stderr petal help
    is "$status" 0
    is "$stderr" ""
    for name in plan build add remove count check seen guard info verify measure merge shard \
        push pull diff missing join spell explain lab compare help; do
        has "$output" "$(printf '\n  %-9s ' $name)"
    done
    is "$(names | wc -l)" 28
    has "$output" "petal build -p 1% -o bad.petal bad-urls.txt"
    is "$(petal --help)" "$output"
    is "$(petal -h)" "$output"
}

@test "a missing command is an error" {
    run --separate-stderr petal
    is "$status $output" "2 "
    is "$stderr" "petal: no command given; run petal help for the list of commands"
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
    petal help | sed -n '/^To start/,/^petal help/p' | grep '^  petal ' | sed 's/    .*//' >lines
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
summaries = dict(re.findall(r"^  ([a-z]+) +(\S.*)", open("list").read().split("To start")[0], re.M))
for name, options in re.findall(r"^    ([a-z]+)\) options='(.*?)' operands='", open("completion").read(), re.M):
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
        assert re.match(r"  (-., |    )--[a-z-]+( [A-Z=]+|\[=\w+\])? +\S", row), row
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

@test "an unknown command is an error" {
    run --separate-stderr petal help nope
    is "$status $output$stderr" "2 petal: nope: unknown command; run petal help for the list of commands"
    run --separate-stderr petal nope
    is "$status $output$stderr" "2 petal: nope: unknown command; run petal help for the list of commands"
    run --separate-stderr petal ''
    is "$status" 2
    one_sentence "$stderr"
    run --separate-stderr petal help build check
    is "$status $output$stderr" "2 petal: too many arguments; usage: petal help [COMMAND | TOPIC]"
    run --separate-stderr petal help --bogus
    is "$status $stderr" "2 petal: --bogus: no such option; see petal help help"
}

@test "the version is a number" {
    run --separate-stderr petal --version
    is "$status $stderr" "0 "
    is "$(printf '%s\n' "$output" | grep -Ec '^petal [0-9]+\.[0-9]+\.[0-9]+$')" 1
}

@test "the manual page has no faults, and describes shared options once" {
    petal help --man >petal.1
    is "$(head -c 4 petal.1)" ".TH "
    command -v groff >/dev/null || skip "no groff"
    run --separate-stderr groff -K utf8 -man -Tutf8 -ww petal.1
    is "$status" 0
    is "$stderr" ""
    page=$(printf '%s\n' "$output" | sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g')
    for name in $(names); do
        has "$page" "petal $name"
    done
    has "$page" "--intersect"
    has "$page" "-o bad.petal bad-urls.txt"
    for section in NAME SYNOPSIS DESCRIPTION COMMANDS OPTIONS KINDS FORMS "LIBRARY OPTIONS" \
        EXAMPLES ENVIRONMENT "EXIT STATUS" "SEE ALSO"; do
        is "$(printf '%s\n' "$page" | grep -c "^$section$")" 1
    done
    has "$page" "PETAL_REDIS_PASSWORD"
    for option in --json --quiet --threads --strict --null --kind; do
        is "$(printf '%s\n' "$page" | grep -cE "^ {7}(-., )?$option\b[^,.]*\$")" 1
    done
    command -v mandoc >/dev/null || skip "no mandoc"
    is "$(mandoc -Tlint petal.1)" ""
}

@test "every environment variable that the command reads is in the manual page" {
    page=$(petal help --man)
    for name in $(sed -n 's/.*getenv("\([A-Z_]*\)").*/\1/p' "$BATS_TEST_DIRNAME"/../../cli/*.c); do
        has "$page" "$name"
    done
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
try petal build --form ur
try petal help mis
try petal merge --inter
try petal info some-f
try petal lab poi
try petal help opt
try petal join --type an
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
    is "${lines[8]}" poisson
    is "${lines[9]}" options
    is "${lines[10]}" anti
    is "${lines[11]}" "complete -o filenames -F _petal petal"
}

@test "the completion for fish completes the same, with the help of each option" {
    command -v fish >/dev/null || skip "no fish"
    petal help --fish >petal.fish
    fish --no-config -n petal.fish
    : >some-file
    try() {
        HOME=$PWD fish --no-config -c "source ./petal.fish; complete -C '$1'" | tr '\t' '|'
    }
    is "$(try 'petal che')" "check|$(petal help | sed -n 's/^  check *//p')"
    is "$(try 'petal build --thr')" "--threads|threads to use (default: one per processor)"
    has "$(try 'petal build --kind cou')" "counting|"
    has "$(try 'petal build --form ur')" "url|"
    has "$(try 'petal join --type an')" "anti"
    has "$(try 'petal lab poi')" "poisson|how the binomial distribution becomes Poisson's"
    has "$(try 'petal help opt')" "options|"
    has "$(try 'petal info some-f')" "some-file"
    is "$(try 'petal info --thr')" ""
    is "$(try 'petal some-f')" ""
}

@test "the completion for zsh completes the same" {
    command -v zsh >/dev/null || skip "no zsh"
    petal help --zsh >_petal
    zsh -f -n _petal
    has "$(cat _petal)" "--threads'[threads to use (default: one per processor)]:N: '"
    has "$(head -1 _petal)" "#compdef petal"
    /usr/bin/python3 -c 'import os; os.openpty()' 2>/dev/null || skip "no terminals to be had"
    : >some-file
    # A terminal with zsh in it: Tab completes, ^X writes down the line and empties it.
    cat >try.py <<'END'
import os, pty, select, signal, sys
from limits import LIMIT_SECONDS
signal.alarm(LIMIT_SECONDS)
child, terminal = pty.fork()
if child == 0:
    os.environ.update(TERM="dumb", HOME=os.getcwd())
    os.execvp("zsh", ["zsh", "-f", "-i"])
lines = sys.argv[1:]
os.write(terminal, b"""PS1=; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D
zstyle ':completion:*' menu no; setopt no_beep
note() { print -r -- $BUFFER >>lines; BUFFER= }; zle -N note; bindkey '^X' note; bindkey '^I' complete-word; : >ready
""")
def wait(good):
    while not good():
        if select.select([terminal], [], [], 0.05)[0]:
            os.read(terminal, 65536)
wait(lambda: os.path.exists("ready"))
for i, line in enumerate(lines, 1):
    os.write(terminal, line.encode() + b"\t\x18")
    wait(lambda: os.path.exists("lines") and len(open("lines").readlines()) >= i)
os.kill(child, signal.SIGKILL)
END
    /usr/bin/python3 try.py 'petal che' 'petal build --thr' 'petal build --kind cou' \
        'petal build --form ur' 'petal lab poi' 'petal help opt' 'petal merge --inter' \
        'petal info some-f' 'petal spell --kin'
    is "$(sed 's/ *$//' lines)" "petal check
petal build --threads
petal build --kind counting
petal build --form url
petal lab poisson
petal help options
petal merge --intersect
petal info some-file
petal spell --kin"
}

@test "a closed pipe is not an error" {
    closed_pipe help
    closed_pipe help build
    closed_pipe help --man
    closed_pipe help --bash
    closed_pipe help --zsh
    closed_pipe help --fish
    closed_pipe --version
}
