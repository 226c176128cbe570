#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sql.py: joins, scans and builds in SQLite, PostgreSQL and DuckDB, with and without
filters.

    sql.py BUILD-FOLDER [--rows N] [--engines sqlite,postgres,duckdb] [--rounds N] [--only join,list,scan,build]

Makes two tables in each engine: `visits` with N rows (10^7) and `suspects` with a tenth as
many (10^6).  Keys are texts of 17 bytes.  One visit in a hundred is to a suspect.  Then it
measures, taking turns:

- the join of the two, alone and with a filter of the suspects in front of it;
- visits on a list: IN (SELECT ...) and a filter that was built before;
- a scan with a trivial function of the engine's own, and with petal_contains();
- count(DISTINCT key), the engine's estimate if it has one, and petal_build(key).

Times are CPU time of the engine, in one thread, the least of several rounds: other programs
can only make it longer.  Both ways must give the same result.
"""
import os
import pathlib
import re
import resource
import sqlite3
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.append(str(ROOT / "tests" / "sql"))
import duckdb
import postgres
from options import BenchOptions


SLOW = 20  # seconds: a query that takes longer runs only once


def padded(number):
    """SQL of a key for a number, in all three engines."""
    return f"'key-' || substr(CAST(10000000000000 + {number} AS TEXT), 2)"


class SQLite:
    name = "SQLite"
    extension = "modules/sqlite/petal.so"
    estimate = None
    filtered = "petal_contains((SELECT petal_of(f) FROM filter), v.key)"

    def __init__(self, build, folder):
        self.db = sqlite3.connect(folder / "sqlite.db")
        if not hasattr(self.db, "enable_load_extension"):
            sys.exit(
                "sql.py: this Python cannot load SQLite's extensions; run it with Debian's, /usr/bin/python3"
            )
        self.db.enable_load_extension(True)
        self.db.load_extension(str(build / self.extension))
        self.db.execute("PRAGMA synchronous = OFF")
        self.db.execute("PRAGMA journal_mode = OFF")
        self.db.execute("PRAGMA cache_size = -2000000")

    def make(self, rows):
        series = "WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < {} - 1) "
        self.db.execute("CREATE TABLE visits (key TEXT, size INTEGER)")
        self.db.execute(
            "CREATE TABLE suspects (key TEXT PRIMARY KEY, label INTEGER) WITHOUT ROWID"
        )
        self.db.execute(
            "INSERT INTO visits "
            + series.format(rows)
            + f"SELECT {padded(f'(i * 7368787) % {rows}')}, i % 1000 FROM s"
        )
        self.db.execute(
            "INSERT INTO suspects "
            + series.format(rows // 10)
            + f"SELECT {padded(f'{rows - rows // 100} + i')}, i % 10 FROM s"
        )
        self.db.execute(
            "CREATE TABLE filter AS SELECT petal_build(key, 'fpr=0.1%') AS f FROM suspects"
        )
        self.db.commit()

    def run(self, sql):
        before = resource.getrusage(resource.RUSAGE_SELF)
        rows = self.db.execute(sql).fetchall()
        after = resource.getrusage(resource.RUSAGE_SELF)
        return rows, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def close(self):
        self.db.close()


class PostgreSQL:
    name = "PostgreSQL"
    extension = "modules/postgres/petal.so"
    estimate = None
    filtered = "(SELECT f FROM filter) @> v.key"

    def __init__(self, build, folder):
        files = ROOT / "modules" / "postgres"
        self.server = postgres.Server(
            folder / "pg",
            os.environ.get("PG_CONFIG", "pg_config"),
            build / self.extension,
            [files / "petal.control", *files.glob("petal--*.sql")],
            shared_buffers="1GB",
            work_mem="'512MB'",
            jit="off",
            max_parallel_workers_per_gather=0,
        )
        self.server.psql("CREATE DATABASE test", database="postgres")
        self.server.psql("CREATE EXTENSION petal")

    def make(self, rows):
        self.server.psql(
            f"""
            CREATE UNLOGGED TABLE visits AS SELECT {padded(f'(i::bigint * 7368787) % {rows}')} AS key, i % 1000 AS size
                FROM generate_series(0, {rows} - 1) AS i;
            CREATE UNLOGGED TABLE suspects AS SELECT {padded(f'({rows - rows // 100} + i)')} AS key, i % 10 AS label
                FROM generate_series(0, {rows // 10} - 1) AS i;
            CREATE INDEX ON suspects (key);
            CREATE TABLE filter AS SELECT petal_build(key, 'fpr=0.1%') AS f FROM suspects;
            VACUUM ANALYZE visits; VACUUM ANALYZE suspects;"""
        )

    def run(self, sql):
        done = self.server.psql(
            f"SET client_min_messages = log; SET log_statement_stats = on;\n{sql};"
        )
        cpu = [
            float(a) + float(b)
            for a, b in re.findall(
                r"!\t([0-9.]+) s user, ([0-9.]+) s system, [0-9.]+ s elapsed", done.stderr
            )
        ]
        return [line.split("|") for line in done.stdout.splitlines()], cpu[-1]

    def close(self):
        self.server.stop()


class DuckDB:
    name = "DuckDB"
    extension = "modules/duckdb/petal.duckdb_extension"
    estimate = "approx_count_distinct(key)"
    filtered = "petal_contains('suspects', v.key)"

    def __init__(self, build, folder):
        self.duck = duckdb.Duck(
            "duckdb-new",
            ROOT / "build" / "npm-sql" / "node_modules",
            build / self.extension,
            threads="1",
        )

    def make(self, rows):
        self.duck.rows(
            f"CREATE TABLE visits AS SELECT {padded(f'(i * 7368787) % {rows}')} AS key, i % 1000 AS size FROM range({rows}) AS r(i)"
        )
        self.duck.rows(
            f"CREATE TABLE suspects AS SELECT {padded(f'({rows - rows // 100} + i)')} AS key, i % 10 AS label "
            f"FROM range({rows // 10}) AS r(i)"
        )
        self.duck.rows(
            "SELECT petal_load('suspects', petal_build(key, 'fpr=0.1%')) FROM suspects"
        )

    def cpu(self):
        fields = (
            pathlib.Path(f"/proc/{self.duck.process.pid}/stat")
            .read_text()
            .rsplit(")", 1)[1]
            .split()
        )
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def run(self, sql):
        before = self.cpu()
        rows = self.duck.rows(sql)
        return rows, self.cpu() - before

    def close(self):
        self.duck.close()


def measured(engine, queries, rounds):
    """The time of each query.  They take turns, and give the same result."""
    times = {}
    for _ in range(rounds):
        results = set()
        for name, sql in queries.items():
            if times.get(name, 0) > SLOW:
                continue
            rows, seconds = engine.run(sql)
            times[name] = min(seconds, times.get(name, seconds))
            results.add(str(rows))
        if len(results) > 1:
            raise SystemExit(f"{engine.name}: different results: {results}")
    return times


def show(engine, what, times, note=""):
    first, (name, second) = next(iter(times.values())), list(times.items())[-1]
    ratio = f"{first / second:.2f} times as fast" if second else "too fast to measure"
    all_times = ", ".join(f"{n} {t:.2f} s" for n, t in times.items())
    print(f"{engine.name:10}  {what:6}  {all_times}: {name} is {ratio}{note}", flush=True)


def compare_joins(engine, _rows, rounds):
    join = "SELECT count(*), sum(size), sum(label) FROM visits AS v JOIN suspects AS s ON s.key = v.key"
    show(
        engine,
        "join",
        measured(
            engine,
            {"plain": join, "with a filter": f"{join} WHERE {engine.filtered}"},
            rounds,
        ),
    )


def compare_lists(engine, _rows, rounds):
    listed = "SELECT count(*) > 0 FROM visits AS v WHERE {}"
    times = measured(
        engine,
        {
            "IN (SELECT)": listed.format("v.key IN (SELECT key FROM suspects)"),
            "filter": listed.format(engine.filtered),
        },
        rounds,
    )
    show(engine, "list", times)


def compare_scans(engine, rows, rounds):
    times = measured(
        engine,
        {
            "scan": "SELECT count(size) FROM visits AS v",
            "length()": "SELECT count(length(v.key)) FROM visits AS v",
            "petal_contains()": f"SELECT count({engine.filtered}) FROM visits AS v",
        },
        rounds,
    )
    more = 1e9 * (times["petal_contains()"] - times["length()"]) / rows
    show(engine, "scan", times, f"; it adds {more:.0f} ns per row to length()")


def compare_builds(engine, rows, rounds):
    builds = {
        "count(DISTINCT)": "SELECT count(DISTINCT key) > 0 FROM visits",
        "petal_build()": "SELECT petal_estimate(petal_build(key)) > 0 FROM visits",
        "with a capacity": f"SELECT petal_estimate(petal_build(key, 'capacity={rows}')) > 0 FROM visits",
    }
    if engine.estimate:
        builds = {
            "count(DISTINCT)": builds.pop("count(DISTINCT)"),
            "estimate": f"SELECT {engine.estimate} > 0 FROM visits",
            **builds,
        }
    show(engine, "build", measured(engine, builds, rounds))


COMPARED = {
    "join": compare_joins,
    "list": compare_lists,
    "scan": compare_scans,
    "build": compare_builds,
}


def main():
    engines = {"sqlite": SQLite, "postgres": PostgreSQL, "duckdb": DuckDB}
    options = BenchOptions(__doc__)
    options.build()
    options.number("--rows", 10_000_000, quick=1_000)
    options.number("--rounds", 5, quick=1)
    options.words("--engines", engines)
    options.words("--only", COMPARED)
    chosen = options.read()
    print(f"{chosen.rows:,} visits, {chosen.rows // 10:,} suspects; CPU time in one thread")
    for name in chosen.engines:
        if not (chosen.build / engines[name].extension).exists():
            print(
                f"{engines[name].name}: not measured: {chosen.build / engines[name].extension} was not built"
            )
            continue
        with tempfile.TemporaryDirectory(prefix="pg") as folder:
            os.chmod(folder, 0o755)
            engine = engines[name](chosen.build, pathlib.Path(folder))
            try:
                engine.make(chosen.rows)
                for what in chosen.only:
                    COMPARED[what](engine, chosen.rows, chosen.rounds)
            finally:
                engine.close()


if __name__ == "__main__":
    main()
