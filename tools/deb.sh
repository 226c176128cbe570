#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# deb.sh ARCHIVE TO: Debian packages from a source archive, checked by lintian.
#
# The packages, and the source package that they come from, are in the folder TO afterwards.
# An error or a warning of lintian is a failure.
set -eu
archive=$1
to=$2
name=$(basename "$archive" .tar.gz)
rm -rf "$to"
mkdir -p "$to"
tar -x -z -f "$archive" -C "$to"
if ! (cd "$to/$name" && dpkg-buildpackage --no-sign) >"$to/build.log" 2>&1; then
    cat "$to/build.log" >&2
    exit 1
fi
rm -rf "${to:?}/$name"
lintian --fail-on error,warning --allow-root "$to"/*.changes
ls "$to"/*.deb
