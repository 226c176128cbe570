#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# help_test.sh ROOT NAME...: `make help` lists exactly these targets, and its own two: help and clean.
set -eu
root=$1
shift
named=$(make -s -C "$root" help | sed -n 's/^make \([a-z-]\{1,\}\) .*/\1/p' | sort)
tested=$(printf '%s\n' "$@" help clean | grep -vx all | sort)
if [ "$named" != "$tested" ]; then
    printf 'named by make help:\n%s\n\ntested:\n%s\n' "$named" "$tested" >&2
    exit 1
fi
echo "$(echo "$named" | wc -l) passed, 0 failed"
