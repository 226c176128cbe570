#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# reproducible_test.sh: one commit gives the same files wherever it is built.
#
# Two clones of this repository are built one after the other, in different folders, at different times,
# and with different umasks, time zones, locales and numbers of jobs.  The builds are those that
# users get, plus debug information, because that is where folders show up.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ ! -e "$root/.git" ]; then
    echo "skipped: makes no sense: not a git repository"
    exit 77
fi
unset MAKEFLAGS MAKELEVEL

# builds FOLDER UMASK TZ LOCALE JOBS
builds() (
    umask "$2"
    export TZ="$3" LC_ALL="$4"
    export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=tar.umask GIT_CONFIG_VALUE_0=user
    git clone -q "$root" "$1"
    cd "$1"
    make -s dist
    cmake -B build -DPETAL_BENCH=OFF -DPETAL_SQL=OFF -DPETAL_EXAMPLES=OFF -DCMAKE_C_FLAGS=-g
    cmake --build build -j "$5"
)

first=$folder/first
second=$folder/a/longer/path/second
builds "$first" 022 UTC0 C 1 >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
}
ended=$(date +%s)
while [ "$(date +%s)" = "$ended" ]; do # so that every time of day differs
    sleep 0.1
done
builds "$second" 077 JST-9 C.UTF-8 2 >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
}

passed=0
for file in libpetal.a libpetal.so.1 cli/petal cli/petal.1 cli/petal.bash cli/_petal \
    cli/petal.fish lib/petal/json.so man3/petal.3 modules/redis/petal.so \
    "$(cd "$first/build" && echo petal-*.tar.gz)"; do
    cmp "$first/build/$file" "$second/build/$file"
    passed=$((passed + 1))
    echo "ok: $file"
done
echo "$passed passed, 0 failed"
