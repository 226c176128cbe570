#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# need.sh: install what a job needs and this machine lacks.
#
#     need.sh PACKAGE... COMMAND=PACKAGE...
#
# The second form is for what may have come by another way than a package.
# On Debian and its relatives, through apt-get, and sudo where we are not root.
# Elsewhere it names the packages and leaves the rest to the reader.
set -eu

if ! command -v dpkg-query >/dev/null; then
    echo "petal: this needs (by Debian's names): $*" >&2
    exit 0
fi

missing=
for package in "$@"; do
    case $package in
    *=*)
        command -v "${package%%=*}" >/dev/null && continue
        package=${package#*=}
        ;;
    esac
    status=$(dpkg-query -W -f '${Status}' "$package" 2>&1) || status=none
    case $status in
    *' installed') ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
if [ -n "$as_root" ] && ! command -v sudo >/dev/null; then
    echo "petal: as root, run: apt-get install$missing" >&2
    exit 1
fi
echo "petal: installing$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086 # one word a package
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
