#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make-libbloom.sh SOURCE: makes libbloom* again.  SOURCE is a folder with the source code of libbloom 2.0.
set -eu
source=$(realpath "$1")
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
version="-DBLOOM_VERSION=2.0 -DBLOOM_VERSION_MAJOR=2 -DBLOOM_VERSION_MINOR=0"
# shellcheck disable=SC2086 # several arguments
cc -O2 $version -I"$source" -I"$source/murmur2" -o "$folder/make" \
    make-libbloom.c "$source/bloom.c" "$source/murmur2/MurmurHash2.c" -lm
"$folder/make"
