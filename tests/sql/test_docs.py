# SPDX-License-Identifier: BSD-2-Clause
"""Runs every example in docs/sql.md: each block in the engine that its first line names, in
order.

The tables `visits` and `suspects` are those of bench/sql.py, with fewer rows.  PETAL_BUILD
is the build.
"""
import os
import pathlib
import re
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))
import sql

BLOCKS = re.findall(
    r"```sql\n-- (\w+)\n(.*?)```", (ROOT / "docs" / "sql.md").read_text(), re.S
)
ROWS = 20000


@pytest.fixture(scope="module")
def results():
    """The rows that each statement gives, by engine."""
    said = {}
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        os.chmod(folder, 0o777)
        engines = {}
        try:
            for make in (sql.SQLite, sql.PostgreSQL, sql.DuckDB):
                engines[make.name] = make(
                    pathlib.Path(os.environ["PETAL_BUILD"]), pathlib.Path(folder)
                )
                engines[make.name].make(ROWS)
            for name, block in BLOCKS:
                for statement in block.split(";\n"):
                    if statement.strip():
                        rows, _ = engines[name].run(
                            statement.replace("/srv/", f"{folder}/")
                        )
                        said.setdefault(name, []).append(
                            (statement.strip(), [[str(v) for v in row] for row in rows])
                        )
        finally:
            for engine in engines.values():
                engine.close()
    return said


def found(results, engine, begins):
    return next(rows for statement, rows in results[engine] if statement.startswith(begins))


def test_every_block_names_its_engine():
    text = (ROOT / "docs" / "sql.md").read_text()
    assert len(BLOCKS) == text.count("```sql") >= 10
    assert {name for name, _ in BLOCKS} == {"SQLite", "PostgreSQL", "DuckDB"}


def test_the_joins_give_the_same_rows(results):
    joins = {
        str(found(results, engine, "SELECT count(*), sum(size)")) for engine in results
    }
    assert len(joins) == 1 and f"'{ROWS // 100}'" in joins.pop()


def test_what_the_other_shop_lacks(results):
    missing = int(found(results, "SQLite", "SELECT count(*) FROM customers")[0][0])
    assert 990 <= missing <= 1000


def test_filters_are_listed_and_unloaded(results):
    assert ["blocklist", "suspects"] == [
        row[0] for row in found(results, "DuckDB", "SELECT name")
    ]
    assert found(results, "DuckDB", "SELECT petal_unload")[0][0] == "True"
    assert int(found(results, "DuckDB", "SELECT count(*) FROM visits")[0][0]) >= ROWS // 100
    assert len(found(results, "SQLite", "SELECT kind, summary")) >= 9
    assert all(row[3] == "1" for row in found(results, "SQLite", "SELECT lookup"))
