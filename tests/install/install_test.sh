#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# install_test.sh BUILD: uses an installed petal from outside of its source tree.
#
# Installs into an empty folder.  Then it builds a program with pkg-config (shared and static),
# one with CMake's find_package, one in C++, and one with petal_inline.h, and runs the programs in petal.h, README.md,
# docs/c.md and docs/guide.md.  Finally it moves the whole installation elsewhere and builds again.
# The command must work there too.
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cmake --install "$build" --prefix "$folder/first" >/dev/null
passed=0

ok() {
    passed=$((passed + 1))
    echo "ok: $*"
}

# expect WANTED COMMAND...: runs the command, which must print exactly this.
expect() {
    wanted=$1
    shift
    got=$("$@")
    if [ "$got" != "$wanted" ]; then
        echo "$*: printed '$got', not '$wanted'" >&2
        exit 1
    fi
}

# Extracts a C program from a fenced block of a Markdown file, or from the comment in petal.h.
# shellcheck disable=SC2016 # the backquotes of Markdown
from_readme() { sed -n '/^```c$/,/^```$/p' "$root/README.md" | sed '/^```/d'; }
from_header() { sed -n '/^ \*     #include <petal.h>/,/^ \*     }$/s/^ \*     \{0,1\}//p' "$root/include/petal.h"; }

use() { # use PREFIX: tests the installation in this folder
    prefix=$1
    lib=$(dirname "$(find "$prefix" -name libpetal.so)")
    export PKG_CONFIG_PATH="$lib/pkgconfig" LD_LIBRARY_PATH="$lib"
    from_header >header.c
    from_readme >readme.c
    flags=$(pkg-config --cflags --libs petal)
    for program in header readme; do
        # shellcheck disable=SC2086 # flags are words
        cc -std=c11 -Wall -Wextra -Werror -o $program $program.c $flags
    done
    expect "1
0" ./header
    ok "pkg-config, shared: the example of petal.h"
    expect "rose: maybe
tulip: certainly not" ./readme
    ok "pkg-config, shared: the example of the README"
    for page in c guide; do
        # shellcheck disable=SC2086
        "$here/programs.py" "$root/docs/$page.md" $flags
        ok "pkg-config, shared: the programs of docs/$page.md"
    done

    # shellcheck disable=SC2046 # flags are words
    cc -std=c11 -o static header.c $(pkg-config --cflags petal) "$lib/libpetal.a" \
        $(pkg-config --static --libs-only-l petal | sed 's/-lpetal//')
    expect "1
0" env LD_LIBRARY_PATH= ./static
    ok "pkg-config, static"

    # shellcheck disable=SC2086
    c++ -std=c++11 -Wall -Wextra -Werror -pedantic -o cpp "$here/program.cc" $flags
    expect "1 0" ./cpp
    ok "C++"

    # with the warnings that strict programs have, since the code is compiled into them
    strict="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Werror"
    for option in -O2 "-O2 -mavx2"; do
        if [ "$option" != -O2 ] && ! grep -q avx2 /proc/cpuinfo; then
            echo "skipped: petal_inline.h with AVX2: this processor has none"
            continue
        fi
        # shellcheck disable=SC2086
        {
            cc -std=c11 $strict $option -o inline "$here/inline.c" $flags
            expect "1 0" ./inline
            c++ -x c++ -std=c++11 $strict $option -o inline "$here/inline.c" -x none $flags
            expect "1 0" ./inline
        }
        ok "petal_inline.h in C and C++, $option"
    done

    rm -rf cmake && mkdir cmake
    cmake -S "$here" -B cmake -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
    cmake --build cmake >/dev/null
    expect "1 0" cmake/with_shared
    expect "1 0" cmake/with_static
    ok "find_package, shared and static"
}

use "$folder/first"
mv first second
use "$folder/second"

# The command reads JSON with a module, which it finds where it was moved.  Without /proc it finds
# the one in the folder for which it was built, which is this installation in a system of its own.
echo '{"name": "rose"}' >rose.json
petal=$folder/second/bin/petal
"$petal" build --quiet -f .name -o rose.petal rose.json
expect '{"name": "rose"}' "$petal" check -f .name rose.petal rose.json
ok "the command finds its module"
built_for=$(sed -n 's/^CMAKE_INSTALL_PREFIX:[A-Z]*=//p' "$build/CMakeCache.txt")
alone() { # alone COMMAND...: there is no /proc, and the installation is where it belongs
    # shellcheck disable=SC2016 # for the other shell
    unshare --map-root-user --mount sh -c 'mount --bind "$1" "$2" && mount -t tmpfs none /proc &&
        shift 2 && exec "$@"' sh "$folder/second" "$built_for" "$@"
}
if alone true 2>alone.log; then
    expect '{"name": "rose"}' alone "$built_for/bin/petal" check -f .name rose.petal rose.json
    ok "the command finds its module without /proc"
else
    echo "skipped: a system without /proc: $(head -n 1 alone.log)"
fi

# The library exports what the headers declare, and nothing else.
nm -D --defined-only "$lib/libpetal.so" | awk '{print $3}' | LC_ALL=C sort >exported
sed -n 's/^PETAL_API [^(]*\<\(petal_[a-z0-9_]*\)(.*/\1/p' second/include/petal*.h |
    LC_ALL=C sort | diff - exported
ok "exports what the headers declare"
# Programs rely on every function in the list, so none may go without a new soname.
sed -n 's/^ \(petal_[a-z0-9_]*\)@.*/\1/p' "$root/debian/libpetal1.symbols" | diff - exported
ok "exports what debian/libpetal1.symbols lists"
# The allocator is the library's only global state.
kept=$(nm -f sysv "$lib/libpetal.a" |
    awk -F'|' '$4 ~ /OBJECT/ && $7 ~ /^ *\.(data|bss)$/ {gsub(/ /, "", $1); print $1}')
if [ "$kept" != memory_host ]; then
    echo "globals other than the allocator: $kept" >&2
    exit 1
fi
ok "no globals but the allocator"
objdump -p "$lib/libpetal.so" | grep -q 'SONAME *libpetal.so.1$'
ok "has a soname"

# The module, in a server without a port, with a socket in this folder.
redis-server --port 0 --unixsocket "$folder/socket" --save '' --dir "$folder" \
    --loadmodule "$(find "$folder/second" -path '*/redis/modules/petal.so')" >server.log 2>&1 &
server=$!
trap 'kill "$server"; rm -rf "$folder"' EXIT
until redis-cli -s "$folder/socket" PING >ping.log 2>&1; do
    if ! kill -0 "$server"; then
        cat server.log >&2
        exit 1
    fi
    sleep 0.1
done
expect 1 redis-cli -s "$folder/socket" BF.ADD k rose
ok "a server loads the module"
echo "$passed passed, 0 failed"
