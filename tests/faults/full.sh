#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# full.sh PROGRAM: gives full.c a file system of one mebibyte, if we may mount one.
set -eu
folder=$(mktemp -d)
trap 'umount "$folder" 2>/dev/null || :; rmdir "$folder"' EXIT
if mount -t tmpfs -o size=1m petal-test "$folder" 2>/dev/null; then
    "$1" "$folder"
else
    echo "no file system can be mounted here: the full disk was not tried, only the limits"
    "$1"
fi
