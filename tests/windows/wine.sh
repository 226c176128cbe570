#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# wine.sh PROGRAM [ARGUMENT...]: run a program for Windows under Wine.
# wine.sh --begin: start Wine's server, before a run of the tests.
# wine.sh --end: stop it.
#
# Without a server, a program starts one, which ends soon after the program.  Programs that
# start while a server is ending wait for it only for a while, and then fail.  So the tests
# have one server from the beginning to the end.  If nobody stops it, it ends by itself ten
# minutes after the last program.
#
# Wine's settings are in the folder of this build, whatever yours are.  Nothing is written to
# your home, no window appears, and Wine says nothing of its own.
set -eu
folder=$(cd "$(dirname "$0")/../.." && pwd)/build/windows
export WINEPREFIX="$folder/wine" HOME="$folder/wine"
export WINEDEBUG=-all WINEDLLOVERRIDES='winemenubuilder.exe,mscoree,mshtml='
export LC_ALL=C.UTF-8 # the character set of arguments
unset DISPLAY WAYLAND_DISPLAY

# stop_server: also one whose folder was removed, if the new folder has its inode number.
stop_server() {
    wineserver -k >/dev/null 2>&1 || true # there may be none
    wineserver -w
}

# The settings are written once.  Programs that start meanwhile wait for that.
if ! [ -e "$WINEPREFIX/ready" ]; then
    (
        flock 9
        if ! [ -e "$WINEPREFIX/ready" ]; then
            rm -rf "$WINEPREFIX"
            mkdir -p "$WINEPREFIX"
            stop_server
            wine wineboot --init >"$folder/wine.log" 2>&1 9>&- </dev/null
            wineserver -w # it writes them when it ends
            touch "$WINEPREFIX/ready"
        fi
    ) 9>"$folder/wine.lock"
fi

case $1 in
--begin) # ctest would wait until nobody has the pipe that it gave to this script
    exec >"$folder/wine.log" 2>&1 </dev/null
    stop_server
    wineserver -p600
    exec wine wineboot
    ;;
--end)
    stop_server
    ;;
*)
    # Wine needs some addresses.  If the kernel places memory at random, one of them is taken in a
    # few of 10,000 runs, and Wine ends with status 1.
    fixed='setarch -R'
    $fixed true 2>/dev/null || fixed=
    exec $fixed wine "$@"
    ;;
esac
