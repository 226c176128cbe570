#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# need-valkey.sh: unpack Debian's Valkey 8 into a build folder, without installing it.
#
#     need-valkey.sh TO
#
# Valkey 8 is in the backports of Debian 12.  It is downloaded from the mirror in the package
# sources of this machine.  If they do not have it, the script prints one line, and the tests
# that need Valkey are skipped.
set -u
here=$(dirname "$0")
mkdir -p "$1"
to=$(cd "$1" && pwd)
server=$to/root/usr/bin/valkey-server
[ -x "$server" ] && exit 0

leave_out() {
    echo "petal: this machine's package sources have no Valkey 8; skipping its tests"
    rm -rf "$to"
    exit 0
}

# shellcheck disable=SC1091,SC2154 # every Debian has this file
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
mkdir -p "$to/lists/partial" "$to/cache/archives/partial" "$to/deb" "$to/root"
apt="apt-get -qq -o Dir::State::Lists=$to/lists -o Dir::Cache=$to/cache -o APT::Sandbox::User="

{
    uri=$("$here/mirror.sh")
    if [ -z "$uri" ]; then # this machine has no package lists yet
        $apt update
        # shellcheck disable=SC2086 # options
        uri=$("$here/mirror.sh" $apt)
    fi
    [ -n "$uri" ] || leave_out
    key=/usr/share/keyrings/debian-archive-keyring.gpg
    echo "deb [signed-by=$key] $uri $release-backports main" >"$to/backports.list"
    apt="$apt -o Dir::Etc::SourceList=$to/backports.list -o Dir::Etc::SourceParts=-"
    # shellcheck disable=SC2015 # leave_out ends this script
    $apt update && (cd "$to/deb" && $apt download valkey-tools valkey-server) || leave_out
    for package in "$to"/deb/*.deb; do
        dpkg-deb -x "$package" "$to/root" || leave_out
    done
} 2>"$to/errors"
"$server" --version >/dev/null 2>&1 || leave_out
