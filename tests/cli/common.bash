# common.bash: shared by all tests of the command.
#
# Each test runs in its own temporary folder.  `petal` runs the built command, whose path is in
# PETAL.  `run --separate-stderr` gives $status, $output (standard output), $stderr.
bats_require_minimum_version 1.5.0
export LC_ALL=C.UTF-8 # \u in a test is a letter, in any locale
export PYTHONPATH=$BATS_TEST_DIRNAME/.. # where limits.py is
# shellcheck disable=SC2034 # the transcripts use it
LIMIT_SECONDS=$(sed -n 's/^LIMIT_SECONDS = //p' "$PYTHONPATH/limits.py")

petal() {
    "$PETAL" "$@"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    if [ -n "${PETAL_SKIPPED:-}" ] && grep -qxF -- "$BATS_TEST_DESCRIPTION" "$PETAL_SKIPPED"; then
        skip "makes no sense: not on this system"
    fi
}

# is ACTUAL EXPECTED: fails and prints both if they differ.
is() {
    if [ "$1" != "$2" ]; then
        printf 'actual:   %s\nexpected: %s\n' "$1" "$2"
        [ -z "${stderr-}" ] || printf 'errors:   %s\n' "$stderr"
        return 1
    fi
}

# has TEXT PART: fails unless TEXT contains PART.
has() {
    case $1 in
    *"$2"*) ;;
    *)
        printf 'actual:  %s\nmissing: %s\n' "$1" "$2"
        return 1
        ;;
    esac
}

# one_sentence TEXT: fails unless TEXT is one line that contains "petal: ".
one_sentence() {
    is "$(printf '%s\n' "$1" | wc -l)" 1
    has "$1" "petal: "
}

# is_json TEXT: fails unless every line is JSON.
is_json() {
    printf '%s\n' "$1" | /usr/bin/python3 -c '
import json, sys
for line in sys.stdin:
    json.loads(line)'
}

# closed_pipe COMMAND...: runs the command with a closed pipe as output.  It must print no
# message, and exit with 0, 1 (nothing selected) or 141 (SIGPIPE).
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

# keys WORD N: prints the lines WORD-1 to WORD-N.
keys() {
    seq -f "$1-%.0f" "$2"
}

# figure JSON EXPRESSION: prints a Python expression of the report `r`.
figure() {
    printf '%s\n' "$1" | /usr/bin/python3 -c "
import json, math, sys
r = json.load(sys.stdin)
print($2)"
}
