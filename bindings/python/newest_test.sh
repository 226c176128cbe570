#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# newest_test.sh DIST FOLDER: the wheel in DIST, with the newest packages that PyPI has.
#
# make test uses Debian's packages.  This makes a virtual environment in FOLDER with today's NumPy,
# pandas, Polars, Scrapy, Django and others, and runs the tests in it that need one of them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dist=$(cd "$1" && pwd)
folder=$2
[ -f "$folder/done" ] || /usr/bin/python3 -m venv --clear "$folder"
touch "$folder/done"
pip="$folder/bin/pip --disable-pip-version-check"
$pip install --quiet --upgrade pytest hypothesis numpy pandas pyarrow polars mypy tqdm scrapy django flask fastapi httpx \
    redis
$pip install --quiet --no-index --no-deps --force-reinstall "$dist"/*.whl
$pip list | grep -iE '^(numpy|pandas|pyarrow|polars|scrapy|django|flask|fastapi|redis) '
cd "$here/tests"
"$folder/bin/python" -m pytest -q -rs -p no:cacheprovider test_keys.py test_columns.py test_arrow.py test_build.py \
    test_options.py test_types.py test_examples.py
