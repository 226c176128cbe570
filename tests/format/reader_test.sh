#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# reader_test.sh IMAGES COUNT: the reader in Python, which shares no code with the library, opens and
# rebuilds every golden file and COUNT random files, and rejects COUNT damaged files for the same
# reason as the library.
set -eu
here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=/usr/bin/python3 # Debian's own, which has python3-xxhash
[ -x "$python" ] || python=python3
"$python" "$here/reader.py" check "$here/golden"
"$1" random "$folder" "$2"
"$python" "$here/reader.py" check "$folder"
