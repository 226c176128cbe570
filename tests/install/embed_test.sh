#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# embed_test.sh: petal's source as part of another CMake project.
#
# Builds a project that includes petal by add_subdirectory(), and again by FetchContent.  The library
# must be available, nothing else may be built or installed, and the project's settings must not change.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
passed=0

# run COMMAND...: shows the output only if the command fails.
run() {
    if ! "$@" >log 2>&1; then
        cat log >&2
        exit 1
    fi
}

for how in subdirectory fetch; do
    run cmake -S "$here/embed" -B $how "-DPETAL=$root" -DHOW=$how -DCMAKE_BUILD_TYPE=Debug
    run cmake --build $how
    for program in with_shared with_static; do
        got=$($how/$program)
        [ "$got" = "1 0" ] || { echo "$how: $program printed '$got'" >&2; exit 1; }
        passed=$((passed + 1))
        echo "ok: $how, $program"
    done
    run cmake --install $how --prefix "$folder/installed-$how"
    got=$(cd "installed-$how" && find . -type f)
    [ "$got" = ./bin/with_static ] || { echo "$how: also installed: $got" >&2; exit 1; }
    passed=$((passed + 1))
    echo "ok: $how installs nothing of petal"
done
echo "$passed passed, 0 failed"
