#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# wine.sh PROGRAM [ARGUMENT...]: run a program for Windows under Wine.
#
# Wine's settings are in the folder of this build, and not in your home.  It says nothing of
# its own.
here=$(cd "$(dirname "$0")/../.." && pwd)
export WINEPREFIX="${WINEPREFIX:-$here/build/windows/wine}" WINEDEBUG=-all
export LC_ALL=C.UTF-8 # the character set of arguments
exec wine "$@"
