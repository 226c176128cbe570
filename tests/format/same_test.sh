#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# same_test.sh IMAGES COUNT COMMAND...: the same COUNT random filters, and as many damaged
# ones, from the IMAGES program of this machine and from that of another, which COMMAND runs
# under an emulator: no byte differs (G7).
set -eu
here=$1
count=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/here" "$folder/there"
"$here" random "$folder/here" "$count"
"$@" random "$folder/there" "$count"
diff -r "$folder/here" "$folder/there"
echo "$count passed, 0 failed"
