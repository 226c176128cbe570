#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make-dcso.sh [TO]: makes dcso* again, in this folder or in TO, which has the keys.  Needs
# golang-github-dcso-bloom-cli, or its program `bloom` in PATH.
set -eu
cd "$(dirname "$0")"
[ $# = 0 ] || cd "$1"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
head -100 text.keys >"$folder/members"
sed -n 101,150p text.keys >"$folder/more"
sed -n '151,$p' text.keys >"$folder/others"

bloom create -n 100 -p 0.1 "$folder/plain"
bloom insert "$folder/plain" <"$folder/members"
cp "$folder/plain" dcso.filter
bloom check "$folder/plain" <"$folder/others" >dcso.found
bloom insert "$folder/plain" <"$folder/more"
cp "$folder/plain" dcso-more.filter

# with data of the user, and the same in gzip
cp dcso.filter "$folder/data"
printf '{"source": "flowers"}' >"$folder/text"
bloom set-data "$folder/data" <"$folder/text"
cp "$folder/data" dcso-data.filter
cp dcso.found dcso-data.found
bloom insert "$folder/data" <"$folder/more"
cp "$folder/data" dcso-data-more.filter
bloom --gzip create -n 100 -p 0.1 "$folder/gzip"
bloom --gzip insert "$folder/gzip" <"$folder/members"
bloom --gzip set-data "$folder/gzip" <"$folder/text"
cp "$folder/gzip" dcso-data.filter.gz
gunzip -c dcso-data.filter.gz | cmp - dcso-data.filter
