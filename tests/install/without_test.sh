#!/bin/sh
# without_test.sh: the command, built without each of the libraries that it can do without.
#
# CMake is told that one is missing; it says in one line what is left out, and the command is
# built all the same.  Then all of them are missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# tries LIBRARY...: builds without these, and all others.
tries() {
    options=
    for library in zlib zstd sqlite hiredis; do
        on=ON
        case " $* " in *" $library "*) on=OFF ;; esac
        options="$options -DPETAL_$(echo $library | tr '[:lower:]' '[:upper:]')=$on"
    done
    # shellcheck disable=SC2086 # options are words
    if ! { cmake -S "$root" -B build -DPETAL_BENCH=OFF -DPETAL_MODULE=OFF -DPETAL_EXAMPLES=OFF \
        -DPETAL_STRICT=ON -DCMAKE_BUILD_TYPE=Debug $options && cmake --build build; } >log 2>&1
    then
        cat log >&2
        exit 1
    fi
    for library in "$@"; do
        if [ "$(grep -c "^petal: no $library: .*; PETAL_.* is off$" log)" != 1 ]; then
            cat log >&2
            echo "CMake does not say that there is no $library" >&2
            exit 1
        fi
    done
    [ "$(grep -c '^petal: no' log)" = $# ]
    "$here/without.sh" "$folder/build/cli/petal" "$@" >without.log || {
        cat without.log >&2
        exit 1
    }
    sed -n '/^ok/p' without.log
}

for library in zlib zstd sqlite hiredis; do
    tries $library
done
tries zlib zstd sqlite hiredis
needed=$(ldd build/cli/petal)
case $needed in
*libz* | *sqlite* | *hiredis*)
    echo "needs, all the same: $needed" >&2
    exit 1
    ;;
esac
echo "6 passed, 0 failed"
