#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# without_test.sh: builds the command without each of its optional libraries.
#
# CMake is told that a library is missing.  It must print one line about what is left out, and build
# the command.  Then all of them are missing, and only POSIX functions are used, as on an unknown
# system.  Last, the command is built with all of them, but they are not there when it runs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# builds OPTION...: builds the command with these options for CMake.
builds() {
    if ! { cmake -S "$root" -B build -DPETAL_BENCH=OFF -DPETAL_MODULE=OFF -DPETAL_SQL=OFF -DPETAL_EXAMPLES=OFF \
        -DPETAL_STRICT=ON -DCMAKE_BUILD_TYPE=Debug "$@" && cmake --build build; } >log 2>&1
    then
        cat log >&2
        exit 1
    fi
}

# refuses ARGUMENT...: without.sh with these arguments.
refuses() {
    "$here/without.sh" "$@" >without.log || {
        cat without.log >&2
        exit 1
    }
    sed -n '/^ok/p' without.log
}

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
    builds $options
    for library in $missing; do
        if [ "$(grep -c "^petal: built without $library: .*; PETAL_.* is off$" log)" != 1 ]; then
            cat log >&2
            echo "CMake does not report that $library is off" >&2
            exit 1
        fi
    done
    [ "$(grep -c '^petal: built without' log)" = "$(echo "$missing" | wc -w)" ]
    # shellcheck disable=SC2086 # libraries are words
    refuses "$folder/build/cli/petal" $missing
}

for library in zlib zstd sqlite hiredis pcre2 simdjson; do
    tries $library
done
all="zlib zstd sqlite hiredis pcre2 simdjson"
tries "$all"
needed=$(ldd build/cli/petal)
case $needed in
*libz* | *sqlite* | *hiredis* | *pcre2* | *simdjson* | *stdc++*)
    echo "still linked: $needed" >&2
    exit 1
    ;;
esac
tries "$all" -DCMAKE_C_FLAGS=-DPETAL_POSIX_ONLY
others=$(nm -D build/cli/petal | grep -E 'getrandom|madvise|sched_getaffinity' || true)
if [ -n "$others" ]; then
    echo "uses functions that are not in POSIX: $others" >&2
    exit 1
fi
echo "ok: POSIX only"

# Where the command loads its libraries, none of them is linked.  A library that does not exist stands
# for one that was removed.
options=
for library in $all; do
    name=$(echo "$library" | tr '[:lower:]' '[:upper:]')
    options="$options -DPETAL_$name=ON -D${name}_SONAME=libremoved.so.3"
done
# shellcheck disable=SC2086 # options are words
builds -DCMAKE_C_FLAGS= $options
needed=$(ldd build/cli/petal)
case $needed in
*libz* | *sqlite* | *hiredis* | *pcre2* | *simdjson* | *stdc++*)
    echo "linked, not loaded: $needed" >&2
    exit 1
    ;;
esac
# shellcheck disable=SC2086 # libraries are words
refuses --load "libremoved.so.3 (Debian package libremoved3)" "$folder/build/cli/petal" $all

# With the libraries, but without the module for JSON.
options=
for library in $all; do
    options="$options -U$(echo "$library" | tr '[:lower:]' '[:upper:]')_SONAME"
done
# shellcheck disable=SC2086 # options are words
builds $options
echo '{"name": "rose"}' >rose.json
build/cli/petal build --quiet -f .name -o rose.petal rose.json
[ "$(echo rose | build/cli/petal check rose.petal)" = rose ]
find build -name json.so -delete
message=$(build/cli/petal check -f .name rose.petal rose.json 2>&1) && exit 1
[ "$message" = "petal: this petal cannot load its module json.so (install petal again), so it cannot read JSON" ]
echo "ok: $message"

# All of them can be linked.
builds -DPETAL_LOAD=OFF
ldd build/cli/petal | grep -q sqlite
[ "$(build/cli/petal check -f .name rose.petal rose.json)" = '{"name": "rose"}' ]
echo "ok: linked"
echo "12 passed, 0 failed"
