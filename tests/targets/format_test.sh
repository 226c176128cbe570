#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# format_test.sh ROOT: `make format` mends what `make lint` finds, and changes nothing else.
#
# It works on a copy of the source tree in which a file of each language is badly formatted.
set -eu
root=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tree" "$folder/tree/build"
cd "$folder/tree"
git -C "$root" ls-files -co --exclude-standard | (cd "$root" && tar -c -f - -T -) | tar -x -f -
ln -s "$root/build/npm-lint" build/npm-lint
git init -q
git add -A

for file in src/core/bits.c src/simd/avx2.h tests/limits.py web/src/main.js; do
    cp --parents "$file" "$folder"
    sed -i 's/ = /  =  /' "$file"
    if cmp -s "$file" "$folder/$file"; then
        echo "format_test.sh: found nothing to change in $file" >&2
        exit 1
    fi
done
if make -s lint >"$folder/log" 2>&1; then
    echo "make lint finds nothing wrong" >&2
    exit 1
fi
for file in bits.c avx2.h limits.py main.js; do
    grep -q "$file" "$folder/log" || {
        cat "$folder/log" >&2
        echo "make lint does not name $file" >&2
        exit 1
    }
done
make -s format
git diff --exit-code
echo "1 passed, 0 failed"
