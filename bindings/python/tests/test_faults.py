# SPDX-License-Identifier: BSD-2-Clause
"""Nothing leaks, and any allocation may fail.  scenarios.py has the calls."""
import os
import pathlib
import shutil
import subprocess
import sys

import petal
import pytest

HERE = pathlib.Path(__file__).parent


def python(*command, interpreter=sys.executable, **environment):
    path = os.pathsep.join([str(pathlib.Path(petal.__file__).parents[1]), str(HERE)])
    done = subprocess.run(
        [*command[:-1], interpreter, HERE / "scenarios.py", command[-1]],
        text=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    return done.stdout


def test_no_references_leak():
    assert python("leaks").strip() == "{}"


@pytest.mark.long
def test_no_references_leak_in_a_debug_build():
    """It counts references exactly, but only if the extension is compiled for it:
    PETAL_DEBUG is such a folder."""
    debug = shutil.which(f"python{sys.version_info[0]}.{sys.version_info[1]}-dbg")
    if not debug or not os.environ.get("PETAL_DEBUG"):
        pytest.skip("no debug build of this Python (python3-dbg)")
    path = os.pathsep.join([os.environ["PETAL_DEBUG"], str(HERE)])
    assert python("leaks", interpreter=debug, PYTHONPATH=path).strip() == "{}"


def test_any_allocation_of_the_extension_may_fail(tmp_path):
    compiler = shutil.which("cc")
    if not compiler or sys.platform != "linux":
        pytest.skip("needs a C compiler, and Linux")
    library = tmp_path / "faults.so"
    subprocess.run(
        [compiler, "-O1", "-shared", "-fPIC", "-o", library, HERE / "faults.c"], check=True
    )
    print(python("memory", LD_PRELOAD=str(library)))


def test_any_allocation_of_the_interpreter_may_fail():
    pytest.importorskip("_testcapi")
    print(python("interpreter"))


@pytest.mark.long
def test_valgrind_sees_no_invalid_access():
    valgrind = shutil.which("valgrind")
    if not valgrind or os.environ.get("PETAL_VALGRIND", "1") == "0":
        pytest.skip("no valgrind")
    python(
        valgrind,
        "-q",
        "--error-exitcode=99",
        "--undef-value-errors=yes",
        "leaks",
        PYTHONMALLOC="malloc",
        PETAL_ROUNDS="1",
    )
