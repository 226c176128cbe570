#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# without_test.sh: builds the command without each of its optional libraries.
#
# CMake is told that a library is missing.  It must print one line about what is left out, and build
# the command.  Then all of them are missing, and only POSIX functions are used, as on an unknown
# system.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# tries "LIBRARY..." [OPTION]: builds without these libraries and with all others, with an additional
# option for CMake.
tries() {
    missing=$1
    options=${2:-}
    for library in zlib zstd sqlite hiredis pcre2 simdjson; do
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
        if [ "$(grep -c "^petal: built without $library: .*; PETAL_.* is off$" log)" != 1 ]; then
            cat log >&2
            echo "CMake does not report that $library is off" >&2
            exit 1
        fi
    done
    [ "$(grep -c '^petal: built without' log)" = "$(echo "$missing" | wc -w)" ]
    # shellcheck disable=SC2086 # libraries are words
    "$here/without.sh" "$folder/build/cli/petal" $missing >without.log || {
        cat without.log >&2
        exit 1
    }
    sed -n '/^ok/p' without.log
}

for library in zlib zstd sqlite hiredis pcre2 simdjson; do
    tries $library
done
tries "zlib zstd sqlite hiredis pcre2 simdjson"
needed=$(ldd build/cli/petal)
case $needed in
*libz* | *sqlite* | *hiredis* | *pcre2* | *simdjson* | *stdc++*)
    echo "still linked: $needed" >&2
    exit 1
    ;;
esac
tries "zlib zstd sqlite hiredis pcre2 simdjson" -DCMAKE_C_FLAGS=-DPETAL_POSIX_ONLY
others=$(nm -D build/cli/petal | grep -E 'getrandom|madvise|sched_getaffinity' || true)
if [ -n "$others" ]; then
    echo "uses functions that are not in POSIX: $others" >&2
    exit 1
fi
echo "ok: POSIX only"
echo "9 passed, 0 failed"
