# SPDX-License-Identifier: BSD-2-Clause
"""One filter in every engine: built in one, used in all the others, in the shell and in C.

For each type of key there are 100,000 members and as many other keys.  SQLite, PostgreSQL
and DuckDB must build the same bytes from them.  Then each of them, the command and a C
program build a filter of a different kind, and all six give the same answer for every key:
the same false positives too.
"""
import os
import pathlib
import random
import sqlite3
import subprocess
import tempfile
import uuid

import pytest
from duckdb import Duck
from postgres import Server

N = 100_000
COMMAND = os.environ["PETAL"]
CROSS = os.environ["PETAL_CROSS"]
FILES = pathlib.Path(os.environ["PETAL_POSTGRES_FILES"])


# ---- Keys: the value in SQL, and its bytes ----


def of_text(chance, i):
    text = (
        chance.choice(["rose", "Gänseblümchen", "百合", "🌹 garden", ""])
        + f"-{i}"
        + "x" * chance.randrange(20)
    )
    return text, text.encode()


def of_integers(chance, i):
    number = chance.randrange(-(2**63), 2**63) if i % 2 else i // 2 - N // 2
    return number, str(number).encode()


def of_blobs(chance, i):
    data = (
        bytes(b for b in chance.randbytes(chance.randrange(4, 40)) if b != 10)
        + str(i).encode()
    )
    return data, data


def of_uuids(chance, _):
    value = uuid.UUID(int=chance.getrandbits(128))
    return value, str(value).encode()


TYPES = {  # the type in PostgreSQL and in DuckDB
    "text": (of_text, "text", "VARCHAR"),
    "integers": (of_integers, "bigint", "BIGINT"),
    "blobs": (of_blobs, "bytea", "BLOB"),
    "uuids": (of_uuids, "uuid", "UUID"),
}


# ---- The engines: keys(), build() and ask(), which gives the numbers of the keys that are found ----


class InSQLite:
    def __init__(self, folder):
        self.db = sqlite3.connect(":memory:")
        self.db.enable_load_extension(True)
        self.db.load_extension(os.environ["PETAL_SQLITE"])

    def keys(self, kind, values, _path):
        self.db.execute("DROP TABLE IF EXISTS k")
        self.db.execute("CREATE TABLE k(id INTEGER PRIMARY KEY, key)")
        rows = ((i, str(v) if kind == "uuids" else v) for i, v in enumerate(values))
        self.db.executemany("INSERT INTO k VALUES (?, ?)", rows)

    def build(self, options):
        return self.db.execute(
            f"SELECT petal_build(key, ?) FROM k WHERE id < {N}", (options,)
        ).fetchone()[0]

    def ask(self, path):
        return [
            i
            for i, in self.db.execute(
                "SELECT id FROM k WHERE petal_contains(petal(?), key) ORDER BY id",
                (str(path),),
            )
        ]

    def close(self):
        self.db.close()


class InPostgres:
    def __init__(self, folder):
        self.server = Server(
            folder / "pg",
            os.environ["PG_CONFIG"],
            os.environ["PETAL_POSTGRES"],
            [FILES / "petal.control", *FILES.glob("petal--*.sql")],
        )
        self.server.psql("CREATE DATABASE test", database="postgres")
        self.server.psql("CREATE EXTENSION petal")

    def keys(self, kind, _values, path):
        decoded = {
            "text": "convert_from(decode(h, 'hex'), 'UTF8')",
            "integers": "convert_from(decode(h, 'hex'), 'UTF8')::bigint",
            "blobs": "decode(h, 'hex')",
            "uuids": "convert_from(decode(h, 'hex'), 'UTF8')::uuid",
        }[kind]
        self.server.psql(
            f"""DROP TABLE IF EXISTS k, h; CREATE TABLE h (id integer, h text);
            COPY h FROM '{path}' (FORMAT csv); CREATE TABLE k AS SELECT id, {decoded} AS key FROM h"""
        )
        assert self.server.one("SELECT pg_typeof(key) FROM k LIMIT 1") == TYPES[kind][1]

    def build(self, options):
        return bytes.fromhex(
            self.server.one(f"SELECT petal_build(key, '{options}') FROM k WHERE id < {N}")[
                2:
            ]
        )

    def ask(self, path):
        return [
            int(i)
            for i in self.server.lines(
                f"SELECT id FROM k WHERE (SELECT petal_read('{path}')) @> key ORDER BY id"
            )
        ]

    def close(self):
        assert self.server.stop() == 0


class InDuckDB:
    def __init__(self, folder):
        self.duck = Duck(
            "duckdb-new", os.environ["PETAL_NODE_PATH"], os.environ["PETAL_DUCKDB"]
        )

    def keys(self, kind, _values, path):
        decoded = (
            "from_hex(h)" if kind == "blobs" else f"decode(from_hex(h))::{TYPES[kind][2]}"
        )
        self.duck.rows(
            f"""CREATE OR REPLACE TABLE k AS SELECT id, {decoded} AS key
            FROM read_csv('{path}', header = false, columns = {{'id': 'INTEGER', 'h': 'VARCHAR'}})"""
        )
        assert self.duck.one("SELECT typeof(key) FROM k LIMIT 1") == TYPES[kind][2]

    def build(self, options):
        return bytes.fromhex(
            self.duck.one(f"SELECT petal_build(key, '{options}') FROM k WHERE id < {N}")
        )

    def ask(self, path):
        self.duck.rows(f"SELECT petal_load('asked', content) FROM read_blob('{path}')")
        return [
            i
            for i, in self.duck.rows(
                "SELECT id FROM k WHERE petal_contains('asked', key) ORDER BY id"
            )
        ]

    def close(self):
        assert self.duck.close() == 0


class InProgram:
    """The command and the C program: keys are lines."""

    def __init__(self, build, ask):
        self.commands = build, ask

    def keys(self, _kind, _values, path):
        self.lines = [
            bytes.fromhex(line.split(",")[1]) for line in path.read_text().splitlines()
        ]
        assert len(set(self.lines)) == len(self.lines)
        self.number = {line: i for i, line in enumerate(self.lines)}

    def build(self, options):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.petal"
            subprocess.run(
                self.commands[0](options, path),
                input=b"".join(x + b"\n" for x in self.lines[:N]),
                check=True,
            )
            return path.read_bytes()

    def ask(self, path):
        said = subprocess.run(
            self.commands[1](path),
            input=b"".join(x + b"\n" for x in self.lines),
            check=True,
            capture_output=True,
        )
        return [self.number[line] for line in said.stdout.split(b"\n")[:-1]]

    def close(self):
        pass


def in_shell(_folder):
    return InProgram(
        lambda options, path: [
            COMMAND,
            "build",
            "--quiet",
            "-o",
            path,
            "-O",
            options.replace(" ", ","),
            "-",
        ],
        lambda path: [COMMAND, "check", path, "-"],
    )


def in_c(_folder):
    return InProgram(
        lambda options, path: [CROSS, "build", options, path],
        lambda path: [CROSS, "ask", path],
    )


BUILDS = {  # who builds which kind
    InSQLite: "fpr=1%",
    InPostgres: "kind=ribbon fpr=2%",
    InDuckDB: "kind=split capacity=100000 fpr=1%",
    in_shell: "kind=classic capacity=100000 fpr=3%",
    in_c: "kind=partitioned capacity=100000 fpr=1%",
}


@pytest.fixture(scope="module")
def folder():
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder)


@pytest.fixture(scope="module")
def engines(folder):
    engines = {make: make(folder) for make in BUILDS}
    yield engines
    for engine in engines.values():
        engine.close()


@pytest.mark.parametrize("kind", TYPES)
def test_all_engines_give_the_same_answers(engines, folder, kind):
    chance = random.Random(kind)
    pairs = {}
    i = 0
    while len(pairs) < 2 * N:
        value, data = TYPES[kind][0](chance, i)
        pairs.setdefault(data, value)
        i += 1
    path = folder / f"{kind}.csv"
    path.write_text("".join(f"{i},{data.hex()}\n" for i, data in enumerate(pairs)))
    path.chmod(0o644)
    for engine in engines.values():
        engine.keys(kind, list(pairs.values()), path)
    for options in ("", "fpr=0.1% kind=ribbon", "capacity=100000 kind=classic"):
        same = {engines[make].build(options) for make in (InSQLite, InPostgres, InDuckDB)}
        assert len(same) == 1, options
    for number, (maker, options) in enumerate(BUILDS.items()):
        file = folder / f"{kind}-{number}.petal"
        file.write_bytes(engines[maker].build(options))
        file.chmod(0o644)
        answers = [engine.ask(file) for engine in engines.values()]
        assert answers[0][:N] == list(range(N)), (maker, "a member was not found")
        assert 0 < len(answers[0]) - N < 0.04 * N
        for asked, answer in zip(BUILDS, answers):
            assert answer == answers[0], (maker, asked)
