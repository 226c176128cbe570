#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dist_test.sh: the source archive can be built, installed and uninstalled.
#
# `make dist` writes the archive.  It is unpacked outside of the repository, built, installed by
# `make install` and removed by `make uninstall`, which must not touch files of other packages.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0

ok() {
    passed=$((passed + 1))
    echo "ok: $*"
}

# run COMMAND...: shows the output only if the command fails.
run() {
    if ! "$@" >"$folder/log" 2>&1; then
        cat "$folder/log" >&2
        exit 1
    fi
}

if [ ! -e "$root/.git" ]; then
    echo "skipped: makes no sense: not a git repository"
    exit 77
fi
unset MAKEFLAGS MAKELEVEL
archive=$(make -s -C "$root" dist)
first=$(sha256sum <"$root/$archive")
make -s -C "$root" dist >"$folder/log"
[ "$(sha256sum <"$root/$archive")" = "$first" ]
ok "make dist gives the same archive twice"

tar -x -z -f "$root/$archive" -C "$folder"
cd "$folder/$(basename "$archive" .tar.gz)"
if make install "PREFIX=$folder/to/usr" 2>"$folder/log"; then
    echo "make install succeeded before make" >&2
    exit 1
fi
grep -q '^petal: nothing to install yet: run make first$' "$folder/log"
ok "make install does not build"

run cmake -B build/default -DPETAL_BENCH=OFF -DPETAL_SQL=OFF -DPETAL_EXAMPLES=OFF -DPETAL_STRICT=ON \
    -DCMAKE_BUILD_TYPE=Debug
run cmake --build build/default
ok "the archive builds"

mkdir -p "$folder/to/usr/bin" "$folder/to/usr/include"
touch "$folder/to/usr/bin/another" "$folder/to/usr/include/petal-another.h"
(cd "$folder/to" && find . ! -type d | sort) >"$folder/before"
run make install PREFIX=/usr "DESTDIR=$folder/to"
for file in bin/petal include/petal.h share/man/man1/petal.1 share/man/man3/petal.3 \
    share/man/man3/petal_add.3 share/doc/petal/LICENSE \
    share/bash-completion/completions/petal share/zsh/site-functions/_petal \
    share/fish/vendor_completions.d/petal.fish \
    share/doc/petal/README.md share/doc/petal/docs/format.md; do
    [ -f "$folder/to/usr/$file" ] || { echo "not installed: $file" >&2; exit 1; }
done
ok "make install"
run make uninstall "DESTDIR=$folder/to"
(cd "$folder/to" && find . ! -type d | sort) >"$folder/after"
cmp "$folder/before" "$folder/after"
left=$(find "$folder/to" -name petal)
[ -z "$left" ] || { echo "left behind: $left" >&2; exit 1; }
ok "make uninstall"
echo "$passed passed, 0 failed"
