#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mirror.sh [APT-GET [OPTION...]]: the address of this machine's mirror of Debian.
#
# It is the one that the machine's own package sources name for its release.  Prints nothing if
# apt has no lists yet.
set -eu
[ $# -gt 0 ] || set -- apt-get
# shellcheck disable=SC1091,SC2154 # a file of every Debian
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck disable=SC2016 # for apt-get, not for the shell
"$@" indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' \
    "Codename: $release" 'Component: main' 2>/dev/null | head -n 1
