#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# without_test.sh: the command, built without each of the libraries that it can do without.
#
# CMake is told that one is missing; it says in one line what is left out, and the command is
# built all the same.  Then all of them are missing, and the system has nothing but what POSIX
# describes, as on one that we do not know.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# tries "LIBRARY..." [OPTION]: builds without these and with all others, and maybe an option
# more for CMake.
tries() {
    missing=$1
    options=${2:-}
    for library in zlib zstd sqlite hiredis; do
        on=ON
        case " $missing " in *" $library "*) on=OFF ;; esac
        options="$options -DPETAL_$(echo $library | tr '[:lower:]' '[:upper:]')=$on"
    done
    # shellcheck disable=SC2086 # options are words
    if ! { cmake -S "$root" -B build -DPETAL_BENCH=OFF -DPETAL_MODULE=OFF -DPETAL_EXAMPLES=OFF \
        -DPETAL_STRICT=ON -DCMAKE_BUILD_TYPE=Debug $options && cmake --build build; } >log 2>&1
    then
        cat log >&2
        exit 1
    fi
    for library in $missing; do
        if [ "$(grep -c "^petal: no $library: .*; PETAL_.* is off$" log)" != 1 ]; then
            cat log >&2
            echo "CMake does not say that there is no $library" >&2
            exit 1
        fi
    done
    [ "$(grep -c '^petal: no' log)" = "$(echo "$missing" | wc -w)" ]
    # shellcheck disable=SC2086 # libraries are words
    "$here/without.sh" "$folder/build/cli/petal" $missing >without.log || {
        cat without.log >&2
        exit 1
    }
    sed -n '/^ok/p' without.log
}

for library in zlib zstd sqlite hiredis; do
    tries $library
done
tries "zlib zstd sqlite hiredis"
needed=$(ldd build/cli/petal)
case $needed in
*libz* | *sqlite* | *hiredis*)
    echo "needs, all the same: $needed" >&2
    exit 1
    ;;
esac
tries "zlib zstd sqlite hiredis" -DCMAKE_C_FLAGS=-DPETAL_POSIX_ONLY
others=$(nm -D build/cli/petal | grep -E 'getrandom|madvise|sched_getaffinity' || true)
if [ -n "$others" ]; then
    echo "uses what POSIX does not have: $others" >&2
    exit 1
fi
echo "ok: POSIX alone"
echo "7 passed, 0 failed"
