#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# programs_test.sh PETAL PACKAGES: compares petal with DuckDB and hyparquet, which npm installed in
# the folder PACKAGES.  Node finds packages only beside a program, so the programs are copied.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$2/node_modules" "$folder/node_modules"
cp "$here/make.mjs" "$here/programs.mjs" "$folder"
mkdir "$folder/files"
node "$folder/make.mjs" "$folder/files"
node "$folder/programs.mjs" "$1" "$folder/files"
