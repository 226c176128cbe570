#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# clean_test.sh ROOT: `make clean` removes the folder build, and nothing else.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$1/Makefile" "$folder"
mkdir -p "$folder/build/deep" "$folder/include"
cp "$1/include/petal.h" "$folder/include"
touch "$folder/build/deep/file"
make -s -C "$folder" clean
[ "$(cd "$folder" && echo *)" = "Makefile include" ]
echo "1 passed, 0 failed"
