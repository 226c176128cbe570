#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# need-npm.sh: install npm packages, as a package-lock.json lists them, into a build folder.
#
#     need-npm.sh FOLDER-WITH-THE-LOCK TO
#
# Does nothing if they are already installed.
set -eu
lock=$1/package-lock.json
to=$2
cmp -s "$lock" "$to/package-lock.json" && [ -f "$to/done" ] && exit 0
echo "petal: installing npm's packages into $to"
rm -rf "$to"
mkdir -p "$to"
cp "$1/package.json" "$lock" "$to"
npm ci --prefix "$to" --no-audit --no-fund --loglevel=error >/dev/null
touch "$to/done"
