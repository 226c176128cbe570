#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# uninstall.sh MANIFEST: remove the files that CMake has installed.
#
# The manifest lists the installed files, one per line.  Folders of petal are removed too when
# they are empty.  Use the same DESTDIR as for the installation.
set -eu
manifest=$1
if [ ! -f "$manifest" ]; then
    echo "petal: $manifest not found: nothing was installed from this build" >&2
    exit 1
fi
# The last line may lack a newline.
{ cat "$manifest" && echo; } | while IFS= read -r file; do
    [ -n "$file" ] || continue
    rm -f "${DESTDIR:-}$file"
    folder=${DESTDIR:-}${file%/*}
    while case $folder in
        */petal | */petal/* | */redis/modules | */redis) rmdir "$folder" 2>/dev/null ;;
        *) false ;;
        esac
    do
        folder=${folder%/*}
    done
done
rm -f "$manifest"
