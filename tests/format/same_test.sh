#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# same_test.sh IMAGES COUNT COMMAND...: makes COUNT random filters and COUNT damaged ones with the
# IMAGES program of this machine, and with that of another machine, which COMMAND runs under an
# emulator.  All files must be identical (G7).
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
