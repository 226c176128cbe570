#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# command_test.sh PETAL: what is different on Windows, for the command.
#
# Names of files, ends of lines, bytes that text files cannot have there, files that are
# replaced while others have them open, locks, exit status.
# shellcheck disable=SC2094 # "keys" is a named pipe
set -eu
petal=$1
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
passed=0

petal() {
    "$petal" "$@"
}

# is NAME WHAT SHOULD-BE
is() {
    if [ "$2" != "$3" ]; then
        printf 'failed: %s\nis:        %s\nshould be: %s\n' "$1" "$2" "$3" >&2
        exit 1
    fi
    passed=$((passed + 1))
    echo "ok: $1"
}

# ends STATUS COMMAND...: prints standard error if the command ends with this status.
ends() {
    local wanted=$1 status=0 said
    shift
    said=$("$@" 2>&1 >/dev/null) || status=$?
    [ "$status" = "$wanted" ] && echo "$said" || echo "status $status: $said"
}

# waits PROCESS COMMAND...: until the command succeeds, which it may as long as this process runs.
waits() {
    local process=$1
    shift
    until "$@" >/dev/null 2>&1; do
        kill -0 "$process"
        sleep 0.05
    done
}

printf 'rose\r\ntulip\r\n' >dos.txt
printf 'rose\ntulip\n' >unix.txt
petal build --quiet -o dos.petal dos.txt
petal build --quiet -o unix.petal unix.txt
is "the end of a line is no part of a key" "$(cmp dos.petal unix.petal && echo same)" same
is "lines are printed as they came" "$(petal check dos.petal dos.txt | od -c)" "$(od -c dos.txt)"
is "lines come from standard input" "$(petal check dos.petal <unix.txt)" "$(cat unix.txt)"
is "lines come through a pipe" "$(printf 'lily\nrose\n' | petal check dos.petal)" rose
is "wildcards are expanded" "$(petal check -c dos.petal '*.txt')" 4

printf 'a\032b\nc\000d\n\r\r\n\377\n' >bytes
petal build --quiet -o bytes.petal <bytes
is "bytes pass as they are" "$(petal check bytes.petal <bytes | od -c)" "$(od -c bytes)"
petal build --quiet -o - <bytes >out.petal
is "a filter passes through standard output" "$(cmp bytes.petal out.petal && echo same)" same
is "and through standard input" "$(petal check -c - bytes <out.petal)" 4

name='Blüte 花.petal'
petal build --quiet -o "$name" unix.txt
is "a name may have any letter" "$([ -f "$name" ] && petal check "$name" unix.txt)" "$(cat unix.txt)"
deep=$(printf '%0100d' 1)/$(printf '%0100d' 2)/$(printf '%0100d' 3)
mkdir -p "$deep"
petal build --quiet -o "$deep/f.petal" unix.txt
is "a path may be long" "$(petal check -c "$deep/f.petal" "$deep/../../../unix.txt")" 2

is "a file that is missing" "$(ends 2 petal check none.petal unix.txt)" \
    "petal: none.petal: No such file or directory"
is "a folder is no filter" "$(ends 2 petal check . unix.txt)" "petal: .: Is a directory"
is "a folder is no input" "$(ends 2 petal check dos.petal .)" "petal: .: Is a directory"
is "nothing found is status 1" "$(printf 'lily\n' | ends 1 petal check dos.petal)" ""
petal build --quiet -o old.petal unix.txt
[ -n "$(ends 2 petal build --quiet -o old.petal bytes)" ]
is "an existing file is kept" "$(cmp old.petal unix.petal && echo same)" same

# A reader has the old file mapped while another takes its place.
mkfifo keys
petal check old.petal <keys >found &
reader=$!
exec 3>keys
printf 'rose\n' >&3
waits "$reader" grep -q rose found
petal build --quiet --force -o old.petal bytes
is "a file that is mapped can be replaced" "$(cmp old.petal bytes.petal && echo same)" same
printf 'tulip\nlily\n' >&3
exec 3>&-
wait "$reader"
is "its reader keeps the old one" "$(cat found)" "$(cat unix.txt)"
petal build --quiet --force -o old.petal unix.txt
is "nothing is left behind" "$(find . -name '.petal-*')" ""

# Somebody changes the filter, and has not finished.
petal seen --quiet seen.petal <keys >seen &
writer=$!
exec 3>keys
printf 'rose\nrose\n' >&3
waits "$writer" grep -q rose seen
exec 3>&-
wait "$writer"
petal seen --quiet seen.petal <keys >seen &
writer=$!
exec 3>keys
printf 'rose\nlily\n' >&3
waits "$writer" grep -q lily seen
is "a filter that is being changed is locked" "$(printf 'x\n' | ends 2 petal seen seen.petal)" \
    "petal: seen.petal: another petal is changing it; try again later"
is "but it can be read" "$(printf 'rose\nlily\n' | petal check seen.petal)" rose
exec 3>&-
wait "$writer"
is "and it is saved" "$(cat seen; printf 'rose\nlily\n' | petal check -c seen.petal)" $'lily\n2'

status=0
{ seq 100000 | petal build --quiet -o - && echo 0 >status || echo $? >status; } 2>errors | true
is "nobody reading is no error" "$(cat errors)" ""
echo "$passed passed, 0 failed"
