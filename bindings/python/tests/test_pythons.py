# SPDX-License-Identifier: BSD-2-Clause
"""The same wheel in every Python from 3.11 on that this machine has."""
import os
import pathlib
import subprocess
import sys

import petal
import pytest

HERE = pathlib.Path(__file__).parent
FILES = ["test_set.py", "test_files.py", "test_options.py", "test_arrow.py", "test_docs.py"]
ABOUT = "import sys, sysconfig; print(*sys.version_info[:3], sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"


def other_pythons():
    """One interpreter of each version, except this one; free-threaded ones need a wheel of
    their own."""
    folders = [pathlib.Path(folder) for folder in os.get_exec_path()]
    folders += sorted(pathlib.Path.home().glob(".pyenv/versions/*/bin"))
    found = {}
    for path in sorted(
        {
            p
            for folder in folders
            for p in folder.glob("python3*")
            if p.name.replace(".", "").isalnum()
        }
    ):
        try:
            done = subprocess.run([path, "-I", "-c", ABOUT], capture_output=True, text=True)
        except OSError:
            continue
        numbers = done.stdout.split()
        if done.returncode == 0 and len(numbers) == 4:
            version = tuple(map(int, numbers[:3]))
            if version >= (3, 11) and version != sys.version_info[:3] and numbers[3] == "0":
                found.setdefault(version, path)
    return list(found.values())


def runs(python):
    """With the pytest of this one, which is written in Python alone."""
    path = os.pathsep.join(
        str(pathlib.Path(module.__file__).parents[1]) for module in (petal, pytest)
    )
    done = subprocess.run(
        [
            python,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:hypothesispytest",
            *(HERE / name for name in FILES),
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path, "PETAL_NESTED": "1"},
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr
    print(done.stdout.splitlines()[-1])


def test_other_pythons():
    """However many there are: this machine may have none."""
    for python in other_pythons():
        runs(python)
