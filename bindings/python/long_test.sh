#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# long_test.sh OUT: the tests that take too long for make test.
#
# OUT is the folder of make.sh.  The package is also compiled for Python's debug build, if this
# machine has it with its headers: only that counts references exactly.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "$1" && pwd)
debug=python3-dbg
if command -v $debug >/dev/null; then
    rm -rf "$out/debug"
    mkdir "$out/debug"
    tar -xzf "$out"/dist/*.tar.gz -C "$out/debug"
    cd "$out"/debug/petal*
    $debug setup.py -q build --build-lib "$out/debug/built" >../log 2>&1 || {
        cat ../log >&2
        exit 1
    }
    PETAL_DEBUG=$out/debug/built
    export PETAL_DEBUG
fi
cd "$here/tests"
"$out/venv/bin/python" -m pytest -q -rs -p no:cacheprovider -m long
