# SPDX-License-Identifier: BSD-2-Clause
"""The examples in docstrings and in docs/python.md."""
import doctest
import os
import pathlib
import re
import subprocess

import petal
import pytest
from petal import _build, _filter, _text

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/python.md"


@pytest.mark.parametrize(
    "module", [petal, petal.math, _filter, _build, _text], ids=lambda m: m.__name__
)
def test_docstrings(module):
    result = doctest.testmod(module)
    assert result.failed == 0
    assert result.attempted or module is _text


@pytest.mark.skipif(not PAGE.exists(), reason="the sdist does not contain docs/python.md")
def test_the_manual(tmp_path, monkeypatch):
    """What begins with >>> gives what follows it; then the commands about its file give
    what they say."""
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text()
    text = re.sub(r"^```.*$", "", page, flags=re.M)  # the end of a block is not output
    test = doctest.DocTestParser().get_doctest(text, {}, "python.md", str(PAGE), 0)
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert result.failed == 0 and result.attempted > 20
    if "PETAL" in os.environ:
        commands = re.search(r"^```sh\n(printf.*?)^```", page, re.M | re.S).group(1)
        path = f"{pathlib.Path(os.environ['PETAL']).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["sh", "-e", "-c", commands],
            text=True,
            capture_output=True,
            env={**os.environ, "PATH": path},
        )
        assert (done.returncode, done.stdout) == (0, "rose\n"), done.stderr
        assert "dahlia" in petal.open("seen.petal")
