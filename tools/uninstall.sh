#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# uninstall.sh MANIFEST: remove what CMake has installed.
#
# CMake lists the files that it installs, one on each line.  Folders that are petal's own go
# too, when they are empty.  DESTDIR is the same as for the installation.
set -eu
manifest=$1
if [ ! -f "$manifest" ]; then
    echo "petal: $manifest is not there: nothing was installed from here" >&2
    exit 1
fi
# The last line may have no end.
{ cat "$manifest" && echo; } | while IFS= read -r file; do
    [ -n "$file" ] || continue
    rm -f "${DESTDIR:-}$file"
    folder=${DESTDIR:-}${file%/*}
    while case $folder in
        */petal | */petal/docs | */redis/modules | */redis) rmdir "$folder" 2>/dev/null ;;
        *) false ;;
        esac
    do
        folder=${folder%/*}
    done
done
rm -f "$manifest"
