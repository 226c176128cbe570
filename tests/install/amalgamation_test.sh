#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# amalgamation_test.sh XXHASH COMPILER...: petal.c and petal.h, as tools/amalgamate.py writes them.
#
# XXHASH is a folder with xxhash.h, which is all that petal.c needs.  Every compiler must accept it
# without a warning.  Programs in C and C++ use what gcc and clang make of it, and one of them builds
# all golden files again.  A shared library exports what petal.h declares and nothing else.  The
# compilers for other machines only read petal.c; the one for ARM must not fuse multiplications.
set -eu
xxhash=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
passed=0
warnings="-Wall -Wextra -pedantic -Werror"
libraries="-lm -pthread"

ok() {
    passed=$((passed + 1))
    echo "ok: $*"
}

# expect WANTED COMMAND...: runs the command, which must print just this.
expect() {
    wanted=$1
    shift
    got=$("$@")
    if [ "$got" != "$wanted" ]; then
        echo "$*: printed '$got', not '$wanted'" >&2
        exit 1
    fi
}

# compile COMPILER OPTION...: petal.c, alone.
compile() {
    compiler=$1
    shift
    # shellcheck disable=SC2086 # warnings are words
    "$compiler" $warnings -isystem "$xxhash" "$@" petal.c
    ok "$compiler $*"
}

"$root/tools/amalgamate.py" .
"$root/tools/amalgamate.py" again
cmp petal.c again/petal.c
cmp petal.h again/petal.h
expect '#include "petal.h"' grep '^#[ ]*include *"' petal.c
expect "" sed -n '/^# *include *"/p' petal.h
if grep -n -F -e "$root" -e "$folder" petal.c petal.h; then
    echo "a path of this machine" >&2
    exit 1
fi
ok "tools/amalgamate.py, twice the same"

# use COMPILER: petal.c in programs and in a shared library.
use() {
    compiler=$1
    compile "$compiler" -std=c11 -O2 -fPIC -c -o petal.o
    # shellcheck disable=SC2086
    {
        $compiler -std=c11 $warnings -I. -o program "$here/program.c" petal.o $libraries
        expect "1 0" ./program
        $compiler -std=c11 -D_DEFAULT_SOURCE -I. -I"$root/tests" -I"$root/src" -I"$root/include" \
            -isystem "$xxhash" -o images "$root/tests/format/images.c" petal.o $libraries
        ./images check "$root/tests/format/golden" >log || { cat log >&2; exit 1; }
        ok "$compiler: golden files: $(tail -n 1 log)"
        for standard in c++11 c++20; do
            c++ -std=$standard $warnings -I. -o program "$here/program.cc" petal.o $libraries
            expect "1 0" ./program
        done
        ok "$compiler: C++"
        $compiler -std=c11 $warnings -O2 -I. -o program "$here/inline.c" petal.o $libraries
        expect "1 0" ./program
        if grep -q avx2 /proc/cpuinfo; then
            $compiler -std=c11 $warnings -O2 -mavx2 -I. -o program "$here/inline.c" petal.o $libraries
            expect "1 0" ./program
        else
            echo "skipped: petal_inline.h with AVX2: this processor has none"
        fi
        ok "$compiler: petal_inline.h"
        $compiler -shared -o libpetal.so petal.o $libraries
    }
    nm -D --defined-only libpetal.so | awk '{print $3}' | sort >exported
    sed -n 's/^PETAL_API [^(]*\<\(petal_[a-z0-9_]*\)(.*/\1/p' petal.h | sort >declared
    diff declared exported
    ok "$compiler: exports what petal.h declares, $(wc -l <declared) functions"
}

# include COMPILER: petal.c in another file, with every function static, and with other settings.
include() {
    {
        echo '#define PETAL_API static'
        echo '#include "petal.c"'
        cat "$here/program.c"
    } >one.c
    # shellcheck disable=SC2086
    "$1" -std=c11 $warnings -isystem "$xxhash" -I. -o one one.c $libraries
    expect "1 0" ./one
    ok "$1: PETAL_API is static"
    compile "$1" -std=gnu11 -fsyntax-only -DPETAL_NO_OS
    compile "$1" -std=c11 -fsyntax-only -DPETAL_POSIX_ONLY -DPETAL_PLAIN
}

for compiler in "$@"; do
    case $compiler in
    gcc)
        use gcc
        include gcc
        ;;
    clang)
        use clang
        compile clang --target=wasm32-wasi -std=c11 -fsyntax-only
        ;;
    aarch64-*)
        # With -std=gnu11, gcc would fuse multiplications and additions on ARM.
        compile "$compiler" -std=gnu11 -O1 -c -o arm.o
        "${compiler%gcc}objdump" -d arm.o >arm.s
        if grep -E -m 5 '[[:space:]]fn?m(add|sub)[[:space:]]' arm.s; then
            echo "a multiplication and an addition are fused" >&2
            exit 1
        fi
        ;;
    *) compile "$compiler" -std=c11 -fsyntax-only ;;
    esac
done
echo "$passed passed, 0 failed"
