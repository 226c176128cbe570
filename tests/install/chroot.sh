#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# chroot.sh ARCHIVE PACKAGES: petal in a new Debian system, with nothing of this machine.
#
# debootstrap makes a small Debian 12 in a folder, from the mirror that this machine's apt uses.
# In one copy of it, the packages in the folder PACKAGES are installed, used and removed
# (packages.sh).  In another, which has only gcc and make, the source archive is built as the
# README says.  This needs root and the network.
set -eu
[ "$(id -u)" = 0 ] || exec sudo "$0" "$@"
here=$(cd "$(dirname "$0")" && pwd)
archive=$1
packages=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM

# run COMMAND...: its output is shown only if it fails.
run() {
    if ! "$@" >"$folder/log" 2>&1; then
        cat "$folder/log" >&2
        exit 1
    fi
}

# inside COMMAND...: in the system in the folder root, with none of our settings.
inside() {
    env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive http_proxy="${http_proxy:-}" chroot "$folder/root" "$@"
}

new_system() {
    rm -rf "$folder/root"
    cp -a "$folder/debian" "$folder/root"
}

mirror=$("$here/../../tools/mirror.sh")
if [ -z "$mirror" ]; then
    run apt-get update
    mirror=$("$here/../../tools/mirror.sh")
fi
run debootstrap --variant=minbase bookworm "$folder/debian" "$mirror"
printf '#!/bin/sh\nexit 101\n' >"$folder/debian/usr/sbin/policy-rc.d" # start no services
chmod +x "$folder/debian/usr/sbin/policy-rc.d"
echo "ok: a new Debian"

new_system
mkdir "$folder/root/petal"
cp "$packages"/*.deb "$here/program.c" "$here/packages.sh" "$folder/root/petal"
inside sh /petal/packages.sh

new_system
run inside apt-get install -y --no-install-recommends gcc make
tar -x -z -f "$archive" -C "$folder/root/root"
source=/root/$(basename "$archive" .tar.gz)
run inside make -C "$source" demo
grep -q 'petal check --why bad.petal visits.txt' "$folder/log"
echo "ok: with gcc and make, make demo builds the archive and runs"
run inside make -C "$source" install
[ "$(inside sh -c 'echo rose >f && petal build --quiet -o f.petal f && petal check f.petal f')" = rose ]
echo "ok: make install"
