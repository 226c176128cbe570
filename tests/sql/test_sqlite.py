# SPDX-License-Identifier: BSD-2-Clause
"""The extension for SQLite, from Python's sqlite3 and in the sqlite3 shell.

PETAL_SQLITE is the extension without ".so", PETAL the command.
"""
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import threading
import uuid

import pytest

sys.path.append(str(pathlib.Path(__file__).parent.parent / "format"))
import damage

EXTENSION = os.environ["PETAL_SQLITE"]
COMMAND = os.environ["PETAL"]
PRELOAD = os.environ.pop(
    "LD_PRELOAD", ""
)  # a sanitizer, for programs that load the extension
MEMBERS = [f"key-{i}" for i in range(2000)]
OTHERS = [f"other-{i}" for i in range(2000)]


def connect(path=":memory:"):
    db = sqlite3.connect(path)
    db.enable_load_extension(True)
    db.load_extension(EXTENSION)
    return db


@pytest.fixture
def db():
    db = connect()
    db.execute("CREATE TABLE t(k)")
    db.executemany("INSERT INTO t VALUES (?)", [(k,) for k in MEMBERS])
    yield db
    db.close()


def one(db, sql, *values):
    rows = db.execute(sql, values).fetchall()
    assert len(rows) == 1 and len(rows[0]) == 1
    return rows[0][0]


def built(db, options=""):
    return one(db, "SELECT petal_build(k, ?) FROM t", options)


def refused(db, sql, *values):
    with pytest.raises(sqlite3.OperationalError) as error:
        db.execute(sql, values).fetchall()
    return str(error.value)


# ---- Keys ----


def test_every_member_is_found_and_few_others(db):
    f = built(db, "fpr=0.1%")
    assert one(db, "SELECT sum(petal_contains(?, k)) FROM t", f) == len(MEMBERS)
    found = sum(one(db, "SELECT petal_contains(?, ?)", f, k) for k in OTHERS)
    assert found < 20  # 2 are expected; 20 have a chance below 10^-12


def test_keys_of_every_type_follow_one_rule(db, tmp_path):
    """An integer is its decimal text, a text is UTF-8, a blob is its bytes, as in a file of
    lines."""
    numbers = [0, -1, 42, 2**63 - 1, -(2**63)]
    texts = ["", "rose", "Gänseblümchen", "🌹", "a" * 5000, str(uuid.UUID(int=7))]
    blobs = [b"\x00\x01", b"\xff", b"rose2"]
    db.execute("CREATE TABLE mixed(k)")
    db.executemany("INSERT INTO mixed VALUES (?)", [(k,) for k in numbers + texts + blobs])
    f = one(db, "SELECT petal_build(k, 'fpr=0.0001%') FROM mixed")
    path = tmp_path / "mixed.petal"
    path.write_bytes(f)
    for number in numbers:
        assert one(db, "SELECT petal_contains(?, ?)", f, str(number)) == 1
        assert one(db, "SELECT petal_contains(?, ?)", f, str(number).encode()) == 1
    for text in texts:
        assert one(db, "SELECT petal_contains(?, ?)", f, text.encode()) == 1
    lines = [str(n) for n in numbers] + texts[1:]
    said = subprocess.run(
        [COMMAND, "check", path, "-"],
        input="".join(x + "\n" for x in lines),
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.splitlines() == lines


def test_a_real_is_refused_and_null_gives_null(db):
    f = built(db)
    for function in ("petal_contains", "petal_match", "petal_count", "petal_add"):
        assert "not a REAL" in refused(db, f"SELECT {function}(?, 1.5)", f)
        assert one(db, f"SELECT {function}(?, NULL)", f) is None
    assert "not a REAL" in refused(db, "SELECT petal_build(1.5)")
    with_nulls = one(
        db, "SELECT petal_build(k) FROM (SELECT k FROM t UNION ALL SELECT NULL FROM t)"
    )
    assert with_nulls == built(db)


def test_a_database_in_utf_16_has_the_same_keys(db):
    wide = connect()
    wide.execute("PRAGMA encoding = 'UTF-16le'")
    wide.execute("CREATE TABLE t(k TEXT)")
    wide.executemany("INSERT INTO t VALUES (?)", [(k,) for k in MEMBERS])
    assert one(wide, "PRAGMA encoding") == "UTF-16le"
    assert built(wide) == built(db)
    assert one(wide, "SELECT sum(petal_contains(?, k)) FROM t", built(db)) == len(MEMBERS)


# ---- Building ----


def test_every_kind_can_be_built(db):
    kinds = db.execute("SELECT kind, abilities FROM petal_kinds()").fetchall()
    assert len(kinds) >= 9
    for kind, abilities in kinds:
        if "keys" in abilities.split():  # of another program: takes no hashes
            assert "take no hashes" in refused(
                db, "SELECT petal_build(k, ?) FROM t", f"kind={kind}"
            )
            if "grow" not in abilities.split():
                f = built(db, f"kind={kind} capacity=2000")
                assert one(db, "SELECT sum(petal_contains(?, k)) FROM t", f) == len(
                    MEMBERS
                ), kind
                assert (
                    one(
                        db,
                        "SELECT count(*) > 0 AND min(found) FROM petal_probes(?, 'key-7')",
                        f,
                    )
                    == 1
                )
            continue
        if kind == "bitmap":
            f = one(db, "SELECT petal_build(rowid, 'kind=bitmap bits=3000') FROM t")
            assert one(db, "SELECT sum(petal_contains(?, rowid)) FROM t", f) == len(MEMBERS)
            continue
        f = built(db, f"kind={kind}")
        assert json.loads(one(db, "SELECT petal_describe(?)", f))["kind"] == kind
        assert one(db, "SELECT sum(petal_contains(?, k)) FROM t", f) == len(MEMBERS), kind


def test_the_filter_depends_on_the_set_of_keys_alone(db):
    """Neither the order nor duplicates change a byte, with and without a capacity."""
    for options in (
        "",
        "fpr=0.5%",
        "capacity=2000",
        "kind=ribbon",
        "kind=scalable",
        "kind=classic",
    ):
        f = built(db, options)
        assert f == one(
            db, "SELECT petal_build(k, ?) FROM (SELECT k FROM t ORDER BY k DESC)", options
        )
        twice = one(
            db,
            "SELECT petal_build(k, ?) FROM (SELECT k FROM t UNION ALL SELECT k FROM t)",
            options,
        )
        assert f == twice, options


def test_many_duplicates_take_no_more_memory_than_distinct_keys(db):
    distinct = "SELECT length(petal_build(value % 100)) FROM generate_series"
    rows = "WITH RECURSIVE s(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM s WHERE value < {}) "
    few = one(db, rows.format(1000) + distinct.replace("generate_series", "s"))
    assert few == one(db, rows.format(200000) + distinct.replace("generate_series", "s"))


def test_counts_are_kept(db):
    f = one(
        db,
        "SELECT petal_build(k, 'kind=counting') FROM (SELECT k FROM t UNION ALL SELECT k FROM t)",
    )
    assert one(db, "SELECT min(petal_count(?, k)) FROM t", f) == 2
    assert one(db, "SELECT petal_count(?, 'key-1')", built(db)) == 1


def test_no_keys_give_an_empty_filter(db):
    f = one(db, "SELECT petal_build(k) FROM t WHERE 0")
    assert one(db, "SELECT sum(petal_contains(?, k)) FROM t", f) == 0
    assert one(db, "SELECT petal_build(NULL)") == f
    assert one(db, "SELECT petal_union(k) FROM t WHERE 0") is None


def test_groups_have_a_filter_each(db):
    rows = db.execute(
        "SELECT rowid % 3 AS g, petal_of(petal_build(k, 'fpr=0.01%')) FROM t GROUP BY g"
    ).fetchall()
    assert len(rows) == 3
    db.execute(
        "CREATE TABLE f AS SELECT rowid % 3 AS g, petal_build(k, 'fpr=0.001%') AS b FROM t GROUP BY g"
    )
    assert one(
        db, "SELECT count(*) FROM t JOIN f ON f.g = t.rowid % 3 AND petal_contains(b, k)"
    ) == len(MEMBERS)
    assert (
        one(
            db,
            "SELECT count(*) FROM t JOIN f ON f.g <> t.rowid % 3 AND petal_contains(b, k)",
        )
        < 10
    )


def test_filters_are_united(db):
    db.execute(
        "CREATE TABLE f AS SELECT rowid % 4 AS g, petal_build(k, 'capacity=2000') AS b FROM t GROUP BY g"
    )
    whole = built(db, "capacity=2000")
    assert one(db, "SELECT petal_union(b) FROM f") == whole
    assert one(db, "SELECT petal_union_agg(b) FROM f") == whole
    a, b = (one(db, "SELECT b FROM f WHERE g = ?", g) for g in (0, 1))
    both = one(db, "SELECT petal_union(?, ?)", a, b)
    assert (
        one(db, "SELECT sum(petal_contains(?, k)) FROM t WHERE rowid % 4 < 2", both)
        == len(MEMBERS) / 2
    )
    said = refused(db, "SELECT petal_union(?, ?)", a, built(db, "capacity=5000"))
    assert (
        "differ" in said
        and "capacity 2000" in said
        and "capacity 5000" in said
        and "same options" in said
    )
    assert "does not support" in refused(
        db, "SELECT petal_union(?, ?)", built(db, "kind=ribbon"), built(db, "kind=ribbon")
    )


def test_adding_gives_a_new_filter(db):
    f = built(db, "capacity=3000 fpr=0.001%")
    more = one(db, "SELECT petal_add(?, 'new')", f)
    assert one(db, "SELECT petal_contains(?, 'new')", f) == 0
    assert one(db, "SELECT petal_contains(?, 'new')", more) == 1
    assert "built once" in refused(
        db, "SELECT petal_add(?, 'new')", built(db, "kind=ribbon")
    )


def test_urls_match_their_parents(db):
    f = one(db, "SELECT petal_build('http://bad.example/', 'form=url')")
    assert (
        one(db, "SELECT petal_match(?, 'https://www.bad.example/x?y=1')", f)
        == "bad.example/"
    )
    assert one(db, "SELECT petal_match(?, 'https://good.example/')", f) is None
    assert one(db, "SELECT petal_match(?, 'key-7')", built(db)) == "key-7"
    assert one(db, "SELECT petal_match(petal_build(x'00ff'), x'00ff')") == b"\x00\xff"
    assert "not valid for the filter's form" in refused(
        db, "SELECT petal_build('not an address', 'form=ip')"
    )


def test_wrong_options_are_refused_with_a_sentence(db):
    for options, sentence in {
        "fpr=2": "fpr must be above 0 and below 1",
        "size=7": "size is not one of petal's options",
        "capacity=": "capacity needs a value",
        "kind=bitmap": "bits",
        "threads=4": "threads cannot be set",
        "x" * 600: "unknown option",
    }.items():
        assert sentence in refused(db, "SELECT petal_build(k, ?) FROM t", options)
    assert "text" in refused(db, "SELECT petal_build(k, 7) FROM t")
    assert "same for all rows" in refused(
        db, "SELECT petal_build(k, 'capacity=' || rowid) FROM t"
    )
    assert "fpr must be" in refused(db, "SELECT petal_plan('capacity=10 fpr=2')")


def test_a_secret_seed_is_random_and_not_shown(db):
    a, b = built(db, "hash=keyed"), built(db, "hash=keyed")
    assert a != b and "seed" not in json.loads(one(db, "SELECT petal_describe(?)", a))
    assert one(db, "SELECT sum(petal_contains(?, k)) FROM t", a) == len(MEMBERS)


# ---- Descriptions ----


def test_a_description_has_the_estimates(db):
    f = built(db)
    about = json.loads(one(db, "SELECT petal_describe(?)", f))
    assert about["capacity"] == len(MEMBERS) and about["image_bytes"] == len(f)
    assert one(db, "SELECT petal_estimate(?)", f) == pytest.approx(
        about["keys_estimate"], rel=1e-6
    )
    assert one(db, "SELECT petal_fpr(?)", f) == pytest.approx(
        about["fpr_estimate"], rel=1e-6
    )
    assert abs(about["keys_estimate"] - len(MEMBERS)) < len(MEMBERS) / 10
    plan = json.loads(one(db, "SELECT petal_plan('capacity=2000 fpr=1%')"))
    assert plan["image_bytes"] == len(f)


def test_probes_are_those_of_the_lookup(db):
    f = built(db)
    rows = db.execute(
        "SELECT lookup, cell, found FROM petal_probes(?, 'key-3')", (f,)
    ).fetchall()
    assert len(rows) == json.loads(one(db, "SELECT petal_describe(?)", f))["hashes"]
    assert {row[0] for row in rows} == {"key-3"} and {row[2] for row in rows} == {1}
    cells = f[256:]
    assert all(cells[cell // 8] >> cell % 8 & 1 for _, cell, _ in rows)
    per_key = one(db, "SELECT count(*) FROM t, petal_probes(?, t.k)", f)
    assert per_key == len(rows) * len(MEMBERS)
    assert "needs a filter and a key" in refused(db, "SELECT * FROM petal_probes(1)")
    assert "must be a blob" in refused(db, "SELECT * FROM petal_probes(1, 2)")


# ---- Files and pointers ----


def test_files_are_those_of_the_command(db, tmp_path):
    path = tmp_path / "x.petal"
    assert (
        one(db, "SELECT petal_write(?, petal_build(k)) FROM t", str(path))
        == path.stat().st_size
    )
    assert path.read_bytes() == built(db) == one(db, "SELECT petal_read(?)", str(path))
    said = subprocess.run(
        [COMMAND, "check", "-c", path, "-"],
        input="".join(k + "\n" for k in MEMBERS),
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split()[0].replace(",", "") == str(len(MEMBERS))
    subprocess.run(
        [COMMAND, "build", "--quiet", "-o", tmp_path / "y.petal", "-"],
        input="".join(k + "\n" for k in MEMBERS),
        text=True,
        check=True,
    )
    assert one(
        db, "SELECT sum(petal_contains(petal(?), k)) FROM t", str(tmp_path / "y.petal")
    ) == len(MEMBERS)
    said = refused(db, "SELECT petal(?)", str(tmp_path / "none"))
    assert "none: the file or its folder could not be opened: No such file" in said
    assert "cannot write the filter" in refused(
        db, "SELECT petal_write(?, ?)", "/nowhere/x", built(db)
    )


def test_pointers_survive_a_scalar_subquery_and_are_reported_where_they_do_not(db):
    db.execute("CREATE TABLE f AS SELECT petal_build(k) AS b FROM t")
    assert one(
        db, "SELECT sum(petal_contains((SELECT petal_of(b) FROM f), k)) FROM t"
    ) == len(MEMBERS)
    assert one(db, "SELECT sum(petal_contains(petal_of(petal_of(b)), 'key-1')) FROM f") == 1
    for sql in (
        "WITH x AS MATERIALIZED (SELECT petal_of(b) AS p FROM f) SELECT petal_contains(p, 'a') FROM x",
        "SELECT petal_contains(NULL, 'a')",
    ):
        assert "the filter is NULL" in refused(db, sql) and "scalar subquery" in refused(
            db, sql
        )
    assert "must be a blob" in refused(db, "SELECT petal_contains('x.petal', 'a')")


def test_a_file_is_opened_once_per_query(db, tmp_path):
    """The file is removed by the first row: later rows still find their keys."""
    path = tmp_path / "once.petal"
    path.write_bytes(built(db))
    removed = []

    def remove(value):
        if not removed:
            path.unlink()
            removed.append(value)
        return value

    db.create_function("remove", 1, remove)
    rows = db.execute(
        "SELECT petal_contains(petal(?), k), remove(k) FROM t", (str(path),)
    ).fetchall()
    assert len(rows) == len(MEMBERS) and all(row[0] for row in rows) and removed


def test_stored_views_and_indexes_cannot_open_files(db, tmp_path):
    path = str(tmp_path / "x.petal")
    db.execute("SELECT petal_write(?, petal_build(k)) FROM t", (path,)).fetchall()
    db.execute(f"CREATE VIEW v AS SELECT petal_contains(petal('{path}'), k) FROM t")
    assert "unsafe use of petal" in refused(db, "SELECT * FROM v")
    db.execute(f"CREATE VIEW w AS SELECT petal_write('{path}', x'00')")
    assert "unsafe use of petal_write" in refused(db, "SELECT * FROM w")
    db.execute(
        f"CREATE TEMP VIEW u AS SELECT petal_contains(petal('{path}'), k) AS c FROM t"
    )
    assert one(db, "SELECT sum(c) FROM u") == len(MEMBERS)
    db.execute("PRAGMA trusted_schema = OFF")  # innocuous functions still work
    db.execute("CREATE TABLE f AS SELECT petal_build(k) AS b FROM t")
    db.execute(
        "CREATE VIEW x AS SELECT petal_contains(b, 'key-1') AS c, (SELECT count(*) FROM petal_kinds()) FROM f"
    )
    assert db.execute("SELECT c FROM x").fetchall() == [(1,)]


def test_a_guard_in_the_schema_keeps_rows_out(db):
    """petal_contains() is deterministic, so it may be in a CHECK constraint and in a
    trigger."""
    f = built(db, "fpr=0.001%").hex()
    db.execute(f"CREATE TABLE guarded(k CHECK (NOT petal_contains(x'{f}', k)))")
    db.execute("INSERT INTO guarded VALUES ('fresh')")
    with pytest.raises(sqlite3.IntegrityError):
        db.execute("INSERT INTO guarded VALUES ('key-5')")


# ---- Damage, cancelling, the shell ----


def test_damaged_filters_are_refused_in_every_way_in(db, tmp_path):
    """Blobs and pointers get the whole corpus, the other ways a share of it each."""
    corpus = damage.corpus_of(damage.images_in(tmp_path, COMMAND))
    path = tmp_path / "item"
    ways = [
        "SELECT petal_contains(?, 'x') IS NOT NULL",
        "SELECT petal_contains(petal_of(?), 'x') IS NOT NULL",
    ]
    others = [
        "SELECT petal_contains(petal(?), 'x') IS NOT NULL",
        "SELECT length(petal_read(?)) > 0",
        "SELECT petal_union(?) IS NOT NULL",
        "SELECT petal_describe(?) IS NOT NULL",
        "SELECT petal_match(?, '1') IS NOT 7",
        "SELECT petal_count(?, '1') IS NOT NULL",
        "SELECT count(*) >= 0 FROM petal_probes(?, '1')",
    ]
    for number, item in enumerate(corpus):
        for way in ways + [others[number % len(others)]]:
            value = item.image
            if "petal(?)" in way or "petal_read" in way:
                path.write_bytes(item.image)
                value = str(path)
            try:
                assert one(db, way, value) == 1 and item.verdict == "whole", (
                    way,
                    item.name,
                )
            except sqlite3.OperationalError as error:
                assert item.verdict != "whole", (way, item.name, error)
                assert damage.SENTENCES[item.verdict] in str(error), (way, item.name, error)


def test_a_query_can_be_interrupted(db):
    """By another thread, at the 1,000th row.  No more rows are passed after that."""
    passed = 0

    def counted(value):
        nonlocal passed
        passed += 1
        if passed == 1000:
            other = threading.Thread(target=db.interrupt)
            other.start()
            other.join()
        return value

    db.create_function("counted", 1, counted)
    for sql in (
        "SELECT count(petal_contains(?, counted(value))) FROM s",
        "SELECT length(?), length(petal_build(counted(value))) FROM s",
    ):
        passed = 0
        endless = "WITH RECURSIVE s(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM s WHERE value < 1e12) "
        assert refused(db, endless + sql, built(db)) == "interrupted"
        assert passed == 1000
    assert one(db, "SELECT sum(petal_contains(?, k)) FROM t", built(db)) == len(MEMBERS)


@pytest.mark.parametrize("options", ["kind=ribbon", "", "kind=quotient growth=1"])
@pytest.mark.parametrize("way", ["interrupt", "progress"])
def test_a_long_seal_can_be_interrupted(db, way, options):
    """After the last row, by sqlite3_interrupt() or by the progress handler, which is
    called meanwhile."""
    rows = 600_000
    passed = calls = 0

    def counted(value):
        nonlocal passed
        passed += 1
        return value

    def handler():
        nonlocal calls
        calls += passed == rows  # the statement itself has few steps left
        if calls >= 3 and way == "interrupt":
            db.interrupt()
        return calls >= 3 and way == "progress"

    db.create_function("counted", 1, counted)
    db.set_progress_handler(handler, 1000)
    series = f"WITH RECURSIVE s(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM s WHERE value < {rows}) "
    assert (
        refused(
            db, series + "SELECT length(petal_build(counted(value), ?)) FROM s", options
        )
        == "interrupted"
    )
    assert passed == rows and calls == 3
    db.set_progress_handler(None, 0)
    assert (
        one(db, series + "SELECT petal_contains(petal_build(value, ?), 7) FROM s", options)
        == 1
    )
    assert one(db, "SELECT sum(petal_contains(?, k)) FROM t", built(db)) == len(MEMBERS)


def test_random_arguments_never_crash(db):
    chance = random.Random(20)
    values = [
        None,
        0,
        -1,
        1.5,
        "",
        "x",
        b"",
        b"\x89PETAL\r\n",
        built(db),
        built(db, "kind=ribbon"),
        "fpr=1%",
    ]
    functions = [
        ("petal_of", 1),
        ("petal_contains", 2),
        ("petal_match", 2),
        ("petal_count", 2),
        ("petal_add", 2),
        ("petal_union", 2),
        ("petal_union", 1),
        ("petal_describe", 1),
        ("petal_estimate", 1),
        ("petal_fpr", 1),
        ("petal_plan", 1),
        ("petal_build", 1),
        ("petal_build", 2),
    ]
    for _ in range(3000):
        name, n = chance.choice(functions)
        try:
            db.execute(
                f"SELECT {name}({', '.join('?' * n)})", chance.choices(values, k=n)
            ).fetchall()
        except sqlite3.Error as error:
            assert len(str(error)) > 5


def test_the_shell_loads_it(tmp_path):
    script = f""".load {EXTENSION}
CREATE TABLE t(k); INSERT INTO t VALUES ('rose'), (42);
SELECT petal_write('{tmp_path}/s.petal', petal_build(k)) > 0 FROM t;
SELECT petal_contains(petal('{tmp_path}/s.petal'), '42'), petal_version();"""
    said = subprocess.run(
        ["sqlite3", "-batch", ":memory:"],
        input=script,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "LD_PRELOAD": PRELOAD},
    )
    assert said.stdout.splitlines()[0] == "1" and said.stdout.splitlines()[1].startswith(
        "1|0."
    )
    assert said.stderr == ""
