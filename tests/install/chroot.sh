#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# chroot.sh [--short] ARCHIVE PACKAGES: petal in a new Debian system, with nothing of this machine.
#
# debootstrap makes a small Debian in a folder, from the mirror that this machine's apt uses.  It is
# kept beside the folder PACKAGES and used again by the next run.  In one copy of it, the packages in
# PACKAGES are installed, used and removed (packages.sh).  In another, which has only gcc and make,
# the source archive is built as the README says.  --short leaves that out.
#
# This needs root and the network, so only `make test-all` runs it.  The systems have processes
# and mounts of their own, which end with this script, however it ends.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

if [ "${1:-}" != --alone ]; then
    [ "$(id -u)" = 0 ] || exec sudo "$0" "$@"
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    unshare --mount --pid --fork --kill-child --mount-proc "$0" --alone "$folder" "$@" &
    trap 'kill -KILL $!; wait $! || exit 1' INT TERM HUP
    wait $!
    exit
fi
folder=$2
shift 2
short=
if [ "$1" = --short ]; then
    short=yes
    shift
fi
archive=$1
packages=$2

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
    if [ -d "$folder/root" ]; then
        umount "$folder/root/proc"
        rm -rf "$folder/root"
    fi
    mkdir "$folder/root"
    tar -x -f "$base" -C "$folder/root"
    printf '#!/bin/sh\nexit 101\n' >"$folder/root/usr/sbin/policy-rc.d" # start no services
    chmod +x "$folder/root/usr/sbin/policy-rc.d"
    mount -t proc proc "$folder/root/proc"
    run inside apt-get update # the base may be old
}

release=bookworm
base=$(dirname "$packages")/debian-$release.tar
if ! [ -e "$base" ]; then
    mirror=$("$here/../../tools/mirror.sh")
    if [ -z "$mirror" ]; then
        run apt-get update
        mirror=$("$here/../../tools/mirror.sh")
    fi
    run debootstrap --variant=minbase $release "$folder/debian" "$mirror"
    tar -c -f "$base.new" --one-file-system -C "$folder/debian" .
    mv "$base.new" "$base"
    rm -rf "$folder/debian"
fi
new_system
echo "ok: a new Debian"

mkdir "$folder/root/petal"
cp "$packages"/*.deb "$here/program.c" "$here/packages.sh" "$folder/root/petal"
inside sh /petal/packages.sh
[ -z "$short" ] || exit 0

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
