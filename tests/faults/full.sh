#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# full.sh PROGRAM: runs full.c on a file system of 1 MiB, if it may mount one.
set -eu
folder=$(mktemp -d)
trap 'umount "$folder" 2>/dev/null || :; rmdir "$folder"' EXIT
if mount -t tmpfs -o size=1m petal-test "$folder" 2>/dev/null; then
    "$1" "$folder"
else
    echo "skipped: a full disk: cannot mount a file system here"
    "$1"
fi
