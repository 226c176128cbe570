# SPDX-License-Identifier: BSD-2-Clause
"""The extension for PostgreSQL, in a server that the test starts.

PETAL_POSTGRES is the module, PETAL_POSTGRES_FILES the folder of its SQL files, PG_CONFIG
the program, PETAL the command.
"""
import concurrent.futures
import itertools
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import pytest
from postgres import LIMIT_SECONDS, Server, asked

sys.path.append(str(pathlib.Path(__file__).parent.parent / "format"))
import damage

COMMAND = os.environ["PETAL"]
CONFIG = os.environ["PG_CONFIG"]
FILES = pathlib.Path(os.environ["PETAL_POSTGRES_FILES"])


def started(folder, **how):
    return Server(
        folder,
        CONFIG,
        os.environ["PETAL_POSTGRES"],
        [FILES / "petal.control", *FILES.glob("petal--*.sql")],
        **how,
    )


@pytest.fixture(scope="module")
def folder():
    """A folder with a short name, for sockets, that another user can reach."""
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder)


@pytest.fixture(scope="module")
def server(folder):
    server = started(folder / "a")
    server.psql("CREATE DATABASE test", database="postgres")
    server.psql(
        """CREATE EXTENSION petal;
        CREATE TABLE t AS SELECT 'key-' || i AS k, i AS id FROM generate_series(1, 20000) AS i;
        CREATE TABLE f AS SELECT petal_build(k, 'fpr=0.1%') AS b FROM t;
        ANALYZE t;"""
    )
    yield server
    assert server.stop() == 0
    assert "terminated by signal" not in (server.folder / "log").read_text()


def test_the_session_is_as_expected(server, tmp_path):
    """pg_regress compares modules/postgres/sql/ with modules/postgres/expected/."""
    pgxs = asked(CONFIG, "pgxs").parent
    server.psql("CREATE DATABASE regress", database="postgres")
    tmp_path.chmod(0o777)
    done = subprocess.run(
        [
            pgxs / ".." / "test" / "regress" / "pg_regress",
            "--use-existing",
            "--dbname=regress",
            f"--inputdir={FILES}",
            f"--outputdir={tmp_path}",
            f"--bindir={server.bin}",
            f"--host={server.sockets}",
            f"--port={server.port}",
            "--user=tester",
            "petal",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    differences = tmp_path / "regression.diffs"
    assert done.returncode == 0, (
        done.stdout
        + done.stderr
        + (differences.read_text() if differences.exists() else "")
    )


def test_every_member_is_found_once_parsed(server):
    """However many rows: a query parses a filter once, in a subquery, in a join and as a
    constant."""
    for query in (
        "SELECT count(*) FROM t WHERE (SELECT b FROM f) @> k",
        "SELECT count(*) FROM t JOIN f ON b @> k",
        "SELECT count(*) FROM f, t WHERE petal_contains(b, k)",
        "SELECT count(*) FILTER (WHERE b @> k) FROM (SELECT b FROM f OFFSET 0) AS f, t",
    ):
        before, found, after = server.lines(
            "SET max_parallel_workers_per_gather = 0; SELECT petal_parsed();"
            f"{query}; SELECT petal_parsed();"
        )
        assert found == "20000" and int(after) - int(before) == 1, query
    small = server.one(
        "SELECT petal_build(k, 'fpr=0.1%') FROM t WHERE id <= 300"
    )  # in line
    before, found, after = server.lines(
        f"""SELECT petal_parsed(); SELECT count(*) FROM t
        WHERE id <= 300 AND '{small}'::petal @> k; SELECT petal_parsed();"""
    )
    assert found == "300" and int(after) - int(before) <= 4  # the planner reads it too


def test_filters_that_alternate_are_parsed_once_each(server):
    server.psql(
        """CREATE TABLE many AS SELECT id % 6 AS g, petal_build(k, 'fpr=0.001%') AS b FROM t GROUP BY 1;
        ALTER TABLE many ADD CONSTRAINT one UNIQUE (g)"""
    )
    before, found, after = server.lines(
        """SELECT petal_parsed();
        SELECT count(*) FROM (SELECT * FROM t ORDER BY id OFFSET 0) AS t, LATERAL (SELECT b FROM many
            WHERE g = id % 6 OFFSET 0) AS f WHERE b @> k; SELECT petal_parsed();"""
    )
    assert found == "20000" and int(after) - int(before) == 6


def test_a_value_that_changes_is_never_mistaken(server):
    """Filters in line and on disk with the same size, one after the other in the same
    place."""
    server.psql(
        "CREATE TABLE own AS SELECT id, k, petal_build(k, 'fpr=0.0001%') AS b FROM t WHERE id <= 3000 GROUP BY id, k"
    )
    assert server.one("SELECT count(*) FROM own WHERE b @> k") == "3000"
    assert (
        int(
            server.one(
                "SELECT count(*) FROM (SELECT b, lead(k) OVER (ORDER BY id) AS k FROM own) AS x WHERE b @> k"
            )
        )
        < 5
    )


def test_serial_and_parallel_plans_give_the_same_bytes(server):
    server.psql(
        "CREATE TABLE big AS SELECT 'key-' || i % 150000 AS k, i % 7 AS g FROM generate_series(1, 300000) AS i; ANALYZE big"
    )
    parallel = """SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
        SET max_parallel_workers_per_gather = 2; SET max_parallel_workers = 2;"""
    for options in (
        "",
        "capacity=150000",
        "kind=ribbon",
        "kind=counting",
        "kind=scalable",
        "kind=scalable capacity=500",
        "kind=quotient growth=1",
        "kind=quotient capacity=1000 growth=1",
        "kind=classic bits=2M capacity=150000",
        "hash=keyed seed=0x1f:0x2e",
        "form=word",
    ):
        query = f"SELECT md5(petal_build(k, '{options}')::bytea) FROM big"
        assert "Partial Aggregate" in server.one(parallel + "EXPLAIN " + query)
        serial = server.one("SET max_parallel_workers_per_gather = 0;" + query)
        assert server.one(parallel + query) == serial, options
    query = "SELECT md5(petal_union(b)::bytea) FROM parts"
    server.psql(
        "CREATE TABLE parts AS SELECT petal_build(k, 'capacity=150000') AS b FROM big GROUP BY g; ANALYZE parts"
    )
    assert server.one(parallel + query) == server.one(
        "SET max_parallel_workers_per_gather = 0;" + query
    )
    assert server.one(query) == server.one(
        "SELECT md5(petal_build(k, 'capacity=150000')::bytea) FROM big"
    )


def test_the_planner_estimates_rows(server):
    """A tenth of the keys, none of them, and keys of which some are very common."""
    server.psql(
        """CREATE TABLE c AS SELECT CASE WHEN i % 2 = 0 THEN 'common' ELSE 'key-' || i END AS k
        FROM generate_series(1, 40000) AS i;
        CREATE TABLE m AS SELECT md5(i::text) AS k, i AS id FROM generate_series(1, 20000) AS i; ANALYZE c, m"""
    )

    def estimated(query):
        return json.loads(server.one(f"EXPLAIN (FORMAT json) {query}"))[0]["Plan"][
            "Plan Rows"
        ]

    tenth = server.one("SELECT petal_build(k, 'fpr=0.1%') FROM m WHERE id <= 2000")
    for clause in (f"'{tenth}'::petal @> k", f"petal_contains('{tenth}'::petal, k)"):
        assert 1000 < estimated(f"SELECT * FROM m WHERE {clause}") < 3000
    other = server.one("SELECT petal_build('x' || id, 'fpr=0.1%') FROM t WHERE id <= 2000")
    assert estimated(f"SELECT * FROM m WHERE '{other}'::petal @> k") < 1000
    common = server.one(
        "SELECT petal_build(k, 'fpr=0.001%') FROM (VALUES ('common'), ('rare')) AS v(k)"
    )
    assert 19000 < estimated(f"SELECT * FROM c WHERE '{common}'::petal @> k") < 22000
    assert 500 < estimated("SELECT * FROM t WHERE (SELECT b FROM f) @> k") < 5000


def test_dump_restore_and_binary_copy_keep_the_bytes(server):
    server.psql("CREATE TABLE g (LIKE f)")
    folder = server.sockets  # the server may write there
    server.psql(
        f"COPY f TO '{folder}/f' (FORMAT binary); COPY g FROM '{folder}/f' (FORMAT binary);"
        f"COPY f TO '{folder}/t'; COPY g FROM '{folder}/t'"
    )
    assert server.one("SELECT count(*) FROM f, g WHERE f.b::bytea = g.b::bytea") == "2"
    assert (
        server.one(
            "SELECT attstorage FROM pg_attribute WHERE attrelid = 'f'::regclass AND attname = 'b'"
        )
        == "e"
    )


def test_damaged_filters_are_refused_in_every_way_in(server, tmp_path):
    corpus = damage.corpus_of(damage.images_in(tmp_path, COMMAND))
    rows = "".join(
        f"{number}\t\\\\x{item.image.hex()}\n" for number, item in enumerate(corpus)
    )
    server.psql(
        f"""CREATE TABLE corpus (id integer, image bytea);
COPY corpus FROM STDIN;
{rows}\\.
CREATE FUNCTION by_cast(b bytea) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
    PERFORM b::petal @> 'x'; RETURN 'whole'; EXCEPTION WHEN OTHERS THEN RETURN SQLERRM; END $$;
CREATE FUNCTION by_text(b bytea) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
    PERFORM b::text::petal @> 'x'; RETURN 'whole'; EXCEPTION WHEN OTHERS THEN RETURN SQLERRM; END $$;"""
    )
    for way in ("by_cast", "by_text"):
        said = server.lines(f"SELECT {way}(image) FROM corpus ORDER BY id")
        assert len(said) == len(corpus)
        for item, sentence in zip(corpus, said):
            assert sentence.endswith(damage.SENTENCES.get(item.verdict, "whole")), (
                way,
                item.name,
                sentence,
            )
    # binary receive: a file for COPY with one row of one column
    some = corpus[::9]
    folder = server.sockets
    for number, item in enumerate(some):
        (folder / f"b{number}").write_bytes(
            b"PGCOPY\n\xff\r\n\0"
            + struct.pack(">iihi", 0, 0, 1, len(item.image))
            + item.image
            + struct.pack(">h", -1)
        )
        (folder / f"p{number}").write_bytes(item.image)
    script = "CREATE TEMP TABLE r (b petal);\n"
    for number in range(len(some)):
        script += (
            f"\\warn item {number}\nCOPY r FROM '{folder}/b{number}' (FORMAT binary);\n"
        )
        script += f"\\warn file {number}\nSELECT length(petal_read('{folder}/p{number}')::bytea) > 0;\n"
    said = server.psql(script, check=False).stderr
    for part in (
        said.split("\nitem ") if said.startswith("item") else said.split("item ")[1:]
    ):
        number = int(part.removeprefix("item ").split("\n")[0])
        binary, file = part.split("file ")
        for way in (binary, file):
            assert damage.SENTENCES.get(some[number].verdict, "") in way, (
                some[number].name,
                way,
            )
            assert ("ERROR" in way) == (some[number].verdict != "whole"), (
                some[number].name,
                way,
            )


def test_files_need_a_role(server):
    folder = server.sockets
    assert (
        int(server.one(f"SELECT petal_write('{folder}/w.petal', b) FROM f"))
        == (folder / "w.petal").stat().st_size
    )
    assert (
        server.one(f"SELECT petal_read('{folder}/w.petal')::bytea = b::bytea FROM f") == "t"
    )
    assert "No such file" in server.refused(f"SELECT petal_read('{folder}/none')")
    server.psql("CREATE ROLE someone LOGIN; GRANT SELECT ON f TO someone")
    for query in (
        f"SELECT petal_read('{folder}/w.petal')",
        f"SELECT petal_write('{folder}/v.petal', b) FROM f",
    ):
        assert "permission denied" in server.refused(query, user="someone")
    server.psql("GRANT EXECUTE ON FUNCTION petal_read(text) TO someone")
    assert "pg_read_server_files" in server.refused(
        f"SELECT petal_read('{folder}/w.petal')", user="someone"
    )
    server.psql("GRANT pg_read_server_files TO someone")
    assert (
        server.one(f"SELECT petal_read('{folder}/w.petal') @> 'key-1'", user="someone")
        == "t"
    )


LOCKS = itertools.count(20)  # a session that has ended may keep its lock for a moment


def rows_until(lock, at, rows):
    """Rows with the numbers up to `rows`.  The one `at` takes the lock."""
    return f"""(SELECT CASE WHEN i = {at} AND pg_try_advisory_lock({lock}) THEN 0 ELSE i END AS k
        FROM (SELECT generate_series(1, {rows}) AS i) AS s) AS s"""


def cancelled_at(server, lock, query):
    """Runs a query, and after it another one.  Another session cancels the first when it
    has taken the lock."""
    cancel = f"""DO $$ DECLARE found integer; BEGIN LOOP
        SELECT pid INTO found FROM pg_locks WHERE locktype = 'advisory' AND objid = {lock};
        EXIT WHEN found IS NOT NULL; END LOOP; PERFORM pg_cancel_backend(found); END $$"""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        other = pool.submit(server.psql, cancel, timeout=LIMIT_SECONDS)
        done = server.psql(
            f"{query}; SELECT count(*) FROM t WHERE (SELECT b FROM f) @> k", check=False
        )
        other.result()
    return (
        "canceling statement due to user request" in done.stderr
        and done.stdout.strip() == "20000"
    )


def test_a_query_can_be_cancelled_and_the_session_goes_on(server):
    """These would take many minutes."""
    for query in (
        "SELECT count(*) FROM {} WHERE (SELECT b FROM f) @> k::text",
        "SELECT petal_build(k) @> 1 FROM {}",
    ):
        lock = next(LOCKS)
        assert cancelled_at(server, lock, query.format(rows_until(lock, 1000, 10**9)))


@pytest.mark.parametrize("kind", ["ribbon", "quotient"])
def test_a_long_seal_can_be_cancelled(server, kind):
    """The aggregate `cancel` ends first, and cancels its own query.  From then until
    nextval() only the other aggregate can notice it.  count() does not."""
    server.psql(
        """CREATE OR REPLACE AGGREGATE cancel(int)
            (SFUNC = int4larger, STYPE = int, FINALFUNC = pg_cancel_backend)"""
    )
    for aggregate, called in ("count(k)", "t"), (f"petal_build(k, 'kind={kind}')", "f"):
        server.psql("DROP SEQUENCE IF EXISTS after; CREATE SEQUENCE after")
        done = server.psql(
            f"""SELECT nextval('after'), c, a FROM (
                SELECT cancel(pg_backend_pid()) AS c, {aggregate} AS a
                FROM generate_series(1, 1000000) AS k OFFSET 0) AS s""",
            check=False,
        )
        assert "canceling statement due to user request" in done.stderr
        assert server.one("SELECT is_called FROM after") == called, aggregate


def test_a_filter_that_is_no_value_is_refused_before_it_is_made(server):
    for options in ("capacity=2G", "capacity=1G fpr=0.1%", "kind=bitmap bits=1T"):
        said = server.psql(
            f"SELECT petal_build(id, '{options}') FROM t; SELECT 7", check=False
        )
        assert (
            "bytes, and a value can have 1073741819" in said.stderr
            and said.stdout.strip() == "7"
        )


def test_row_level_security_can_use_a_filter(server):
    server.psql(
        """CREATE TABLE visits AS SELECT * FROM t; CREATE ROLE reader LOGIN; GRANT SELECT ON visits, f TO reader;
        ALTER TABLE visits ENABLE ROW LEVEL SECURITY;
        CREATE POLICY listed ON visits FOR SELECT TO reader USING ((SELECT b FROM f) @> k AND id <= 100)"""
    )
    assert server.one("SELECT count(*) FROM visits", user="reader") == "100"


# ---- Another server: a Latin-1 database and little memory ----


@pytest.fixture(scope="module")
def narrow(folder):
    server = started(
        folder / "b", encoding="LATIN1", limit=256 << 20, shared_buffers="16MB"
    )
    yield server
    server.stop()


def test_other_encodings_have_the_same_keys(narrow):
    """In a Latin-1 database, keys are converted to UTF-8 first."""
    narrow.psql(
        "CREATE EXTENSION petal; CREATE TABLE t AS SELECT 'Gänseblümchen' || i AS k FROM generate_series(1, 500) AS i",
        database="postgres",
    )
    assert narrow.one("SHOW server_encoding", database="postgres") == "LATIN1"
    image = narrow.one("SELECT petal_build(k, 'fpr=0.0001%') FROM t", database="postgres")
    path = narrow.folder / "x.petal"
    path.write_bytes(bytes.fromhex(image[2:]))
    lines = "".join(f"Gänseblümchen{i}\n" for i in range(1, 501))
    said = subprocess.run(
        [COMMAND, "check", path, "-"],
        input=lines,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == lines


def test_running_out_of_memory_is_an_error(narrow):
    """The session gets an error and goes on: for the filter, and for keys that are
    collected."""
    for query in (
        "SELECT petal_build('x', 'capacity=500M')",
        "SELECT petal_build(a * 5000 + b) @> 1 FROM generate_series(1, 5000) AS a, generate_series(1, 5000) AS b",
    ):
        said = narrow.psql(f"{query}; SELECT 7", check=False, database="postgres")
        assert "out of memory" in said.stderr and said.stdout.strip() == "7", said
