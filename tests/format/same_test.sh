#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# same_test.sh HERE THERE EMULATOR COUNT: makes COUNT random filters and COUNT damaged ones with HERE, the
# program `images` of this machine, and with THERE, that of another machine, which EMULATOR runs.  All
# files must be identical (G7).
set -eu
here=$1
there=$2
emulator=$3
count=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/here" "$folder/there"
"$here" random "$folder/here" "$count"
"$emulator" "$there" random "$folder/there" "$count"
diff -r "$folder/here" "$folder/there"
echo "$count passed, 0 failed"
