#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# need.sh: install the packages that a job needs and that are missing on this machine.
#
#     need.sh PACKAGE... COMMAND=PACKAGE...
#
# COMMAND=PACKAGE installs the package only if the command is missing, since it may have been
# installed in another way.  On Debian and related systems this script uses apt-get, with sudo
# if it does not run as root.  On other systems it only prints the names of the packages.
set -eu

if ! command -v dpkg-query >/dev/null; then
    echo "petal: this needs these packages (Debian's names): $*" >&2
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
# shellcheck disable=SC2086 # one word per package
if ! $as_root apt-get update -qq ||
    ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; then
    echo "petal: apt-get failed; install these packages in another way:$missing" >&2
    exit 1
fi
