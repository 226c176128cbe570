# SPDX-License-Identifier: BSD-2-Clause
"""What the tests share.  CTest sets PETAL, the command; PETAL_LIBRARY, the shared library;
and PETAL_GOLDEN, the folder of golden files.  Tests that need one of them are skipped
without it."""
import os
import pathlib

import pytest


def pytest_configure(config):
    for marker in (
        "pypi: needs a package that Debian does not have",
        "long: takes too long for make test",
    ):
        config.addinivalue_line("markers", marker)


def from_environment(name):
    value = os.environ.get(name)
    if not value:
        pytest.skip(f"{name} is not set")
    return value


@pytest.fixture
def command():
    return from_environment("PETAL")


@pytest.fixture
def library():
    return from_environment("PETAL_LIBRARY")


@pytest.fixture
def golden():
    return pathlib.Path(from_environment("PETAL_GOLDEN"))
