#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# golden.sh IMAGES: writes golden files of the sample kinds and reads them back, and random files of
# every kind.
set -eu
images=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/golden" "$folder/random"
"$images" write "$folder/golden" >"$folder/log"
find "$folder/golden" -name 'sorted-full*' | grep -q .
find "$folder/golden" -name 'recent-full*' | grep -q .
"$images" check "$folder/golden"
"$images" random "$folder/random" 200
echo "1 passed, 0 failed"
