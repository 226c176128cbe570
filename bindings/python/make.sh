#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make.sh OUT [PYTHON]: build the sdist, build the wheel from it, and try the wheel.
#
# OUT/dist receives both.  The wheel is tried in OUT/clean, a new virtual environment with nothing
# else in it.  OUT/venv is another one, which also sees the packages of the system: for the tests.
# No package index is used.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
to=$1
mkdir -p "$to"
out=$(cd "$to" && pwd)
python=${2:-/usr/bin/python3}
xxhash=${XXHASH:-}
for folder in /usr /usr/local /opt/homebrew "${MINGW_PREFIX:-/usr}"; do # Debian, the BSDs, macOS, Windows
    [ -n "$xxhash" ] || [ ! -f "$folder/include/xxhash.h" ] || xxhash=$folder/include/xxhash.h
done
if [ ! -f "$xxhash" ]; then
    echo "petal: no xxhash.h: install libxxhash-dev, or give its path in XXHASH" >&2
    exit 1
fi
cd "$out"
rm -rf source dist unpacked venv clean
mkdir source dist unpacked

quietly() {
    if ! "$@" >log 2>&1; then
        cat log >&2
        exit 1
    fi
}

# setuptools writes into the folder of its sources, so it gets a copy
for name in README.md MANIFEST.in pyproject.toml setup.py petal src tests; do
    cp -R "$here/$name" source
done
find source -name __pycache__ -prune -exec rm -rf {} +
cp "$root/LICENSE" source
"$root/tools/amalgamate.py" source/library
cp "$xxhash" source/library
cd source
quietly "$python" setup.py -q sdist -d "$out/dist"
cd "$out"

# the sdist must have all that the wheel needs
tar -xzf dist/*.tar.gz -C unpacked
quietly "$python" -m pip wheel --quiet --no-index --no-deps --no-build-isolation --disable-pip-version-check \
    -w dist unpacked/*

install() { # FOLDER [OPTION]
    folder=$1
    shift
    quietly "$python" -m venv "$@" "$folder"
    quietly "$folder/bin/pip" install --quiet --no-index --no-deps --disable-pip-version-check dist/*.whl
}
install clean
install venv --system-site-packages
# -I: neither the environment nor the current folder may help
clean/bin/python -I -c '
import petal
f = petal.Filter(capacity=1000, fpr=0.01)
assert f.add("rose") and "rose" in f and "tulip" not in f
print("petal", petal.__version__, "in a new virtual environment:", f)'
for file in dist/*; do
    echo "$to/$file"
done
