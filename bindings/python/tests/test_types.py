# SPDX-License-Identifier: BSD-2-Clause
"""The type stubs name what there is, and nothing else."""
import ast
import pathlib

import petal
import pytest

FOLDER = pathlib.Path(petal.__file__).parent


def names(body):
    """The public names that a stub defines."""
    for item in body:
        if isinstance(item, (ast.FunctionDef, ast.ClassDef)):
            yield item.name
        elif isinstance(item, ast.AnnAssign):
            yield item.target.id
        elif isinstance(item, (ast.Import, ast.ImportFrom)):
            yield from (
                alias.asname
                for alias in item.names
                if alias.asname and not alias.asname.startswith("_")
            )


def stub(name):
    return ast.parse((FOLDER / name).read_text()).body


def test_the_package():
    assert (FOLDER / "py.typed").exists()
    assert set(names(stub("__init__.pyi"))) - {"__version__"} == set(petal.__all__)
    assert set(names(stub("math.pyi"))) == set(petal.math.__all__)


@pytest.mark.parametrize(
    "file, parent", [("__init__.pyi", petal.Filter), ("_petal.pyi", petal.Filter.__base__)]
)
def test_methods_of_filter(file, parent):
    body = next(
        item.body
        for item in stub(file)
        if isinstance(item, ast.ClassDef) and item.name == "Filter"
    )
    stubbed = {name for name in names(body) if not name.startswith("_")}
    assert stubbed == {name for name in vars(parent) if not name.startswith("_")}


@pytest.mark.pypi
def test_mypy_accepts_a_program(tmp_path):
    api = pytest.importorskip("mypy.api")
    program = tmp_path / "program.py"
    program.write_text(
        "import petal\n"
        "f = petal.Filter(1000, 0.01, kind='blocked')\n"
        "new: bool = f.add('rose')\n"
        "with petal.open('x') as g:\n    h: petal.Filter = f | g\n"
        "petal.build(range(5), fpr=0.1).update(['a'], [1], b'')\n"
        "reveal: str | None = f.match('x')\n"
    )
    report, errors, status = api.run(
        [
            "--strict",
            "--no-incremental",
            "--cache-dir",
            str(tmp_path / "cache"),
            str(program),
        ]
    )
    assert status == 0, report + errors
    program.write_text("import petal\npetal.Filter(1000).add(1.5)\n")
    report, errors, status = api.run(
        ["--no-incremental", "--cache-dir", str(tmp_path / "cache"), str(program)]
    )
    assert status == 1 and "float" in report
