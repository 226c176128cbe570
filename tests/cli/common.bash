# common.bash: what every transcript of the command begins with.
#
# A test works in a folder of its own.  `petal` is the command that was built; PETAL says
# where it is.  `run --separate-stderr` gives $status, $output (standard output), $stderr.
bats_require_minimum_version 1.5.0
export LC_ALL=C.UTF-8 # so that \u in a test is a letter, wherever it is run

petal() {
    "$PETAL" "$@"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# is WHAT SHOULD-BE: compares, and shows both when they differ.
is() {
    if [ "$1" != "$2" ]; then
        printf 'is:        %s\nshould be: %s\n' "$1" "$2"
        return 1
    fi
}

# has TEXT PART
has() {
    case $1 in
    *"$2"*) ;;
    *)
        printf 'text:    %s\nlacks:   %s\n' "$1" "$2"
        return 1
        ;;
    esac
}

# one_sentence TEXT: an error is one line that begins "petal: ".
one_sentence() {
    is "$(printf '%s\n' "$1" | wc -l)" 1
    has "$1" "petal: "
}

# is_json TEXT: every line is JSON.
is_json() {
    printf '%s\n' "$1" | /usr/bin/python3 -c '
import json, sys
for line in sys.stdin:
    json.loads(line)'
}

# closed_pipe COMMAND...: the command, when nobody reads its output: no message, and
# no status but that of success, of nothing selected, or of the closed pipe.
closed_pipe() {
    { "$PETAL" "$@" 2>errors && echo 0 >status || echo $? >status; } | true
    is "$(cat errors)" ""
    case $(cat status) in
    0 | 1 | 141) ;;
    *)
        echo "status $(cat status)"
        return 1
        ;;
    esac
}

# keys WORD N: WORD-1 to WORD-N, a line each.
keys() {
    seq -f "$1-%.0f" "$2"
}

# figure JSON EXPRESSION: what python makes of the report `r`.
figure() {
    printf '%s\n' "$1" | /usr/bin/python3 -c "
import json, math, sys
r = json.load(sys.stdin)
print($2)"
}
