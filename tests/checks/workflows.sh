#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# workflows.sh: checks .github/workflows with actionlint, and that all they run are targets of make.
#
# actionlint is run with go if it is not installed.  Without both the test is skipped: status 77.
set -eu
cd "$(dirname "$0")/../.."
set -- .github/workflows/*.yml
version=v1.7.12 # of actionlint

sed -n 's/^ *- run: make \([a-z-]*\).*/\1/p' "$@" | sort -u | while read -r target; do
    if ! grep -q "^$target:" Makefile; then
        echo "the workflows run make $target, which the Makefile does not have" >&2
        exit 1
    fi
done
# A step without a name is a target; one with a name prepares the machine.
if grep -n '^ *- run:' "$@" | grep -v -- '- run: make '; then
    echo "these steps are no targets of make" >&2
    exit 1
fi
if grep -n 'secrets\.\|write-all\|: write' "$@"; then
    echo "the workflows need no secrets, and write nothing" >&2
    exit 1
fi
if command -v actionlint >/dev/null; then
    actionlint
elif command -v go >/dev/null; then
    go run github.com/rhysd/actionlint/cmd/actionlint@$version
else
    echo "skipped: no actionlint, and no go to run it with"
    exit 77
fi
echo "ok: $# workflows"
