#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# search.sh FOUND COMMAND...: runs a search that begins with nothing in the folder FOUND.
set -eu
rm -rf "$1"
mkdir "$1"
shift
exec "$@"
