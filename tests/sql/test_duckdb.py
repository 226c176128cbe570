# SPDX-License-Identifier: BSD-2-Clause
"""The extension for DuckDB, in the oldest and the newest version that npm has of it.

PETAL_DUCKDB is the extension, PETAL_DUCKDB_SLOTS the one that checks the interface,
PETAL_NODE_PATH the folder of npm's packages, PETAL the command.
"""
import json
import os
import pathlib
import subprocess
import sys
import uuid

import pytest
from duckdb import Duck, Refused

sys.path.append(str(pathlib.Path(__file__).parent.parent / "format"))
sys.path.append(str(pathlib.Path(__file__).parent.parent))
import damage
from limits import wait_until

COMMAND = os.environ["PETAL"]
N = 20000


def started(package="duckdb-new", **settings):
    return Duck(
        package, os.environ["PETAL_NODE_PATH"], os.environ["PETAL_DUCKDB"], **settings
    )


@pytest.fixture(scope="module", params=["duckdb-new", "duckdb-old"])
def duck(request):
    duck = started(request.param)
    duck.rows(f"CREATE TABLE t AS SELECT 'key-' || i AS k, i AS id FROM range({N}) AS r(i)")
    duck.rows("SELECT petal_load('f', petal_build(k, 'fpr=0.1%')) FROM t")
    yield duck
    assert duck.close() == 0


def test_every_slot_is_the_function_of_that_name(duck):
    assert duck.rows(f"LOAD '{os.environ['PETAL_DUCKDB_SLOTS']}'") is not None


def test_every_member_is_found_and_few_others(duck):
    assert duck.one("SELECT count(*) FROM t WHERE petal_contains('f', k)") == N
    assert (
        duck.one("SELECT count(*) FROM t WHERE petal_contains('f', 'x' || k)") < 60
    )  # 20 expected
    assert duck.one("SELECT count(*) FROM t WHERE NOT petal_contains('f', k)") == 0


def test_keys_of_every_type_follow_one_rule(duck):
    """An integer of any width is its decimal text, a uuid its lower-case text."""
    number = (
        "[(-128)::TINYINT, 127::TINYINT]",
        "[(-32768)::SMALLINT]",
        "[(-2147483648)::INTEGER, 7]",
        "[(-9223372036854775808)::BIGINT]",
        "[255::UTINYINT]",
        "[65535::USMALLINT]",
        "[4294967295::UINTEGER]",
        "[18446744073709551615::UBIGINT]",
        "[(-170141183460469231731687303715884105727)::HUGEINT]",
        "[340282366920938463463374607431768211455::UHUGEINT, 0::UHUGEINT]",
        "['Gänseblümchen', '', 'abcdefghijkl', 'abcdefghijklm']",
        f"['{uuid.UUID(int=7)}'::UUID, 'FFEEDDCC-BBAA-9988-7766-554433221100'::UUID]",
    )
    for values in number:
        both = (
            duck.rows(
                f"SELECT petal_build(k), petal_build(lower(k::VARCHAR)) FROM (SELECT unnest({values}) AS k)"
            )
            if "Gän" not in values
            else duck.rows(
                f"SELECT petal_build(k), petal_build(k::BLOB) FROM (SELECT unnest({values}) AS k) WHERE k <> 'Gänseblümchen'"
            )
        )
        assert both[0][0] == both[0][1], values
    f = duck.one("SELECT petal_build('Gänseblümchen')")
    assert (
        duck.one(f"SELECT petal_contains(from_hex('{f}'), encode('Gänseblümchen'))") is True
    )


def test_other_types_are_refused_and_null_gives_null(duck):
    for value in ("1.5", "1.5::DOUBLE", "DATE '2024-01-01'", "true", "[1]", "{'a': 1}"):
        for sql in (f"SELECT petal_contains('f', {value})", f"SELECT petal_build({value})"):
            assert "a key must be an integer, text, a blob or a uuid, not " in duck.refused(
                sql
            ), sql
    assert "not DOUBLE" in duck.refused("SELECT petal_contains('f', 1.5::DOUBLE)")
    assert duck.one("SELECT petal_contains('f', NULL)") is None
    assert duck.one("SELECT petal_contains(NULL, 'x')") is None
    assert duck.rows(
        "SELECT petal_contains('f', k) FROM (VALUES ('key-1'), (NULL), ('key-2')) AS v(k)"
    ) == [[True], [None], [True]]
    assert duck.one(
        "SELECT petal_build(k) = petal_build(n) FROM (SELECT k, CASE WHEN id % 2 = 0 THEN k END AS n FROM t) WHERE n = k"
    )
    assert duck.one("SELECT petal_contains(petal_build(NULL::VARCHAR), 'x')") is False
    assert duck.one("SELECT petal_union_agg(NULL::BLOB)") is None


def test_threads_and_groups_give_the_same_bytes_as_one_thread(duck):
    duck.rows(
        "CREATE OR REPLACE TABLE big AS SELECT 'key-' || (i * 7919) % 70000 AS k, i % 5 AS g FROM range(200000) AS r(i)"
    )
    for options in (
        "",
        "capacity=70000",
        "kind=ribbon",
        "kind=counting",
        "kind=scalable",
        "form=word",
        "kind=quotient capacity=1000 growth=1",
        "hash=keyed seed=0x1f:0x2e",
    ):
        sums = set()
        for threads in (1, 2):
            duck.rows(f"SET threads = {threads}")
            sums.add(duck.one(f"SELECT md5(hex(petal_build(k, '{options}'))) FROM big"))
            sums.add(
                duck.one(
                    f"SELECT md5(hex(petal_build(k, '{options}'))) FROM (SELECT k FROM big ORDER BY k DESC)"
                )
            )
        assert len(sums) == 1, options
    parts = duck.one(
        "SELECT md5(hex(petal_union_agg(b))) FROM (SELECT petal_build(k, 'capacity=70000') AS b FROM big GROUP BY g)"
    )
    assert parts == duck.one("SELECT md5(hex(petal_build(k, 'capacity=70000'))) FROM big")


def test_windows_combine_without_consuming(duck):
    """Each frame has exactly its own keys, although frames share parts."""
    for options in ("fpr=0.0001%", "capacity=50 fpr=0.0001%"):
        rows = duck.rows(
            f"""SELECT id, petal_contains(b, id), petal_contains(b, id - 20), petal_contains(b, id - 21), petal_contains(b, id + 1)
            FROM (SELECT id, petal_build(id, '{options}') OVER (ORDER BY id ROWS BETWEEN 20 PRECEDING AND CURRENT ROW) AS b
                  FROM t WHERE id < 600) WHERE id >= 21"""
        )
        assert len(rows) == 600 - 21
        assert all(row[1] and row[2] for row in rows), options
        assert sum(row[3] + row[4] for row in rows) < 5, options


def test_windows_over_whole_partitions(duck):
    """Here DuckDB passes one state for all rows, without saying so
    (modules/duckdb/states.c)."""
    for groups in (1, 2, 3, 7, 900):
        rows = duck.rows(
            f"""SELECT count(*), sum(petal_contains(b, k)::INT), sum(petal_contains(b, 'x' || k)::INT), count(DISTINCT b)
            FROM (SELECT k, petal_build(k, 'fpr=0.0001%') OVER (PARTITION BY id % {groups}) AS b FROM t WHERE id < 1800)"""
        )
        assert (
            rows[0][:2] == [1800, 1800] and rows[0][2] < 3 and rows[0][3] == groups
        ), groups
    for _ in range(40):  # states of several threads and functions, next to each other
        assert (
            duck.rows(
                """SELECT sum(petal_contains(b, k)::INT), sum(petal_contains(c, id)::INT) FROM (SELECT k, id,
            petal_build(k, 'fpr=0.0001%') OVER (PARTITION BY id % 900) AS b, petal_build(id, 'fpr=0.01%') OVER (PARTITION BY id % 450) AS c
            FROM t WHERE id < 1800)"""
            )
            == [[1800, 1800]]
        )
    whole = duck.one("SELECT petal_build(k, 'capacity=100') FROM t WHERE id < 100")
    assert (
        duck.one(
            f"""SELECT count(*) FROM (SELECT petal_union_agg(b) OVER () AS u FROM (SELECT petal_build(k, 'capacity=100') AS b
        FROM t WHERE id < 100 GROUP BY id)) WHERE u = from_hex('{whole}')"""
        )
        == 100
    )


def test_parquet_scans(duck, tmp_path):
    duck.rows(f"COPY t TO '{tmp_path}/t.parquet' (FORMAT parquet, ROW_GROUP_SIZE 4096)")
    assert (
        duck.one(
            f"SELECT count(*) FROM read_parquet('{tmp_path}/t.parquet') WHERE petal_contains('f', k)"
        )
        == N
    )
    built = duck.one(
        f"SELECT petal_build(k, 'fpr=0.1%') = (SELECT petal_build(k, 'fpr=0.1%') FROM t) FROM read_parquet('{tmp_path}/t.parquet')"
    )
    assert built is True


def test_files_come_and_go_through_the_engine(duck, tmp_path):
    lines = "".join(f"key-{i}\n" for i in range(1000))
    subprocess.run(
        [COMMAND, "build", "--quiet", "-o", tmp_path / "x.petal", "-"],
        input=lines,
        text=True,
        check=True,
    )
    assert (
        duck.one(f"SELECT petal_load('file', content) FROM read_blob('{tmp_path}/x.petal')")
        == (tmp_path / "x.petal").stat().st_size
    )
    assert (
        duck.one("SELECT count(*) FROM t WHERE id < 1000 AND petal_contains('file', k)")
        == 1000
    )
    if not duck.one("SELECT version()").startswith("v1.3"):  # FORMAT blob came later
        duck.rows(
            f"COPY (SELECT petal_build(k) FROM t WHERE id < 1000) TO '{tmp_path}/y.petal' (FORMAT blob)"
        )
        said = subprocess.run(
            [COMMAND, "check", tmp_path / "y.petal", "-"],
            input=lines,
            capture_output=True,
            text=True,
            check=True,
        )
        assert said.stdout == lines


def test_a_large_blob_must_be_loaded_by_name(duck):
    said = duck.refused(
        "SELECT count(*) FROM t WHERE petal_contains((SELECT petal_build('x', 'capacity=2M')), k)"
    )
    assert "load it once with petal_load(name, blob)" in said
    assert (
        duck.one(
            "SELECT count(*) FROM t WHERE petal_contains((SELECT petal_build(k) FROM t), k)"
        )
        == N
    )
    assert "no filter is loaded as 'none'" in duck.refused(
        "SELECT petal_contains('none', 'x')"
    )


def test_names_are_loaded_listed_replaced_and_unloaded(duck):
    duck.rows(
        "SELECT petal_load('n' || id, petal_build(k)) FROM t WHERE id < 30 GROUP BY id"
    )
    rows = duck.rows(
        "SELECT name, kind, form, capacity, bytes FROM petal_info() WHERE name LIKE 'n%'"
    )
    assert (
        len(rows) == 30
        and rows == sorted(rows)
        and rows[0] == ["n0", "blocked", "raw", 1, 328]
    )
    assert (
        duck.one("SELECT count(*) FROM t WHERE id < 30 AND petal_contains('n' || id, k)")
        == 30
    )
    duck.rows("SELECT petal_load('n0', petal_build('other', 'fpr=0.0001%'))")
    assert duck.rows(
        "SELECT petal_contains('n0', 'other'), petal_contains('n0', 'key-0')"
    ) == [[True, False]]
    assert duck.one("SELECT sum(petal_unload('n' || id)::INT) FROM t WHERE id < 30") == 30
    assert duck.one("SELECT count(*) FROM petal_info() WHERE name LIKE 'n%'") == 0
    assert duck.one("SELECT petal_unload('n0')") is False


def test_filters_may_be_replaced_while_others_look_up(duck):
    """Two connections: one replaces a filter again and again, the other scans."""
    duck.rows("SELECT petal_load('swap', petal_build(k)) FROM t")
    for _ in range(10):
        scan = duck.send(
            "SELECT count(*) FROM t, range(20) WHERE petal_contains('swap', k)",
            connection=1,
        )
        for _ in range(5):
            duck.rows("SELECT petal_load('swap', petal_build(k)) FROM t")
        assert duck.wait(scan) == [[20 * N]]


def test_options_and_descriptions(duck):
    for options, sentence in {
        "fpr=2": "fpr must be above 0 and below 1",
        "colour=red": "colour is not one of petal's options",
        "threads=2": "threads cannot be set",
        "hash=keyed": "hash=keyed needs a seed",
        "capacity=100G": "a value can have",
    }.items():
        assert sentence in duck.refused(f"SELECT petal_build(k, '{options}') FROM t")
    assert "same for all rows" in duck.refused(
        "SELECT petal_build(k, 'capacity=' || id) FROM t"
    )
    about = json.loads(duck.one("SELECT petal_describe('f')"))
    assert about["capacity"] == N and about["fpr"] == 0.001
    assert duck.one("SELECT petal_estimate('f')") == pytest.approx(
        about["keys_estimate"], rel=1e-6
    )
    assert duck.one("SELECT petal_fpr('f')") == pytest.approx(
        about["fpr_estimate"], rel=1e-6
    )
    assert (
        json.loads(duck.one(f"SELECT petal_plan('capacity={N} fpr=0.1%')"))["image_bytes"]
        == about["image_bytes"]
    )
    assert "fpr must be" in duck.refused("SELECT petal_plan('fpr=7')")
    assert (
        duck.one(
            "SELECT petal_count(petal_build(k, 'kind=counting'), 'a') FROM (VALUES ('a'), ('a'), ('b')) AS v(k)"
        )
        == 2
    )
    assert duck.one("SELECT petal_contains(petal_add(petal_build('a'), 'b'), 'b')") is True
    assert (
        duck.one(
            "SELECT petal_contains(petal_union(petal_build('a'), petal_build('b')), 'b')"
        )
        is True
    )
    assert "capacity 1," in duck.refused(
        "SELECT petal_union(petal_build('a'), petal_build('b', 'capacity=1000'))"
    )
    assert (
        duck.one(
            "SELECT petal_match(petal_build('http://bad.example/', 'form=url'), 'http://www.bad.example/x')"
        )
        == "bad.example/"
    )
    assert duck.one("SELECT petal_match('f', 'nothing')") is None


def test_damaged_filters_are_refused_in_every_way_in(duck, tmp_path):
    """petal_load() and lookups get the whole corpus, the other ways a share of it each."""
    corpus = damage.corpus_of(damage.images_in(tmp_path, COMMAND))
    others = [
        "SELECT petal_union_agg(?::BLOB) IS NOT NULL",
        "SELECT petal_describe(?::BLOB) IS NOT NULL",
        "SELECT petal_union(b, b) IS NOT NULL FROM (SELECT ?::BLOB AS b)",
        "SELECT petal_count(?::BLOB, 1) IS NOT NULL",
    ]
    ways = {
        "SELECT petal_load('damaged', ?::BLOB) > 0": corpus,
        "SELECT petal_contains(?::BLOB, 'x') IS NOT NULL": corpus,
        **{way: corpus[number :: len(others)] for number, way in enumerate(others)},
    }
    for way, items in ways.items():
        answers = duck.each(way, [item.image for item in items])
        assert len(answers) == len(items)
        for item, said in zip(items, answers):
            cannot = (
                "petal_union(" in way
                and "does not support" in str(said)
                or "differ" in str(said)
            )
            if item.verdict == "whole":
                assert said is True or cannot, (way, item.name, said)
            else:
                assert isinstance(said, Refused) and damage.SENTENCES[item.verdict] in str(
                    said
                ), (way, item.name, said)


def test_a_query_can_be_interrupted(duck):
    """It takes numbers from a sequence, so another connection sees that it has begun."""
    for sql in (
        "SELECT count(*) FROM range(100000000000) AS r(i) WHERE petal_contains('f', i + 0 * nextval('passed'))",
        "SELECT petal_contains(petal_build(i + 0 * nextval('passed'), 'capacity=1000'), 1) FROM range(100000000000) AS r(i)",
    ):
        duck.rows("CREATE OR REPLACE SEQUENCE passed")
        number = duck.send(sql, connection=2)
        wait_until(
            lambda: duck.one(
                "SELECT last_value FROM duckdb_sequences() WHERE sequence_name = 'passed'"
            ),
            "the query has begun",
        )
        duck.interrupt(connection=2)
        with pytest.raises(Refused, match="INTERRUPT"):
            duck.wait(number)
    assert duck.one("SELECT count(*) FROM t WHERE petal_contains('f', k)") == N


def test_the_setting_for_external_access_is_obeyed(tmp_path):
    (tmp_path / "x.petal").write_bytes(b"x")
    duck = started()
    duck.rows("SET enable_external_access = false")
    assert "disabled" in duck.refused(
        f"SELECT petal_load('x', content) FROM read_blob('{tmp_path}/x.petal')"
    )
    assert duck.close() == 0
