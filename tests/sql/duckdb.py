# SPDX-License-Identifier: BSD-2-Clause
"""duckdb.py: DuckDB in a Node process, for tests and benchmarks."""
import json
import os
import pathlib
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent))
from limits import LIMIT_SECONDS


class Refused(Exception):
    """DuckDB reported an error."""


class Duck:
    def __init__(self, package, node_path, extension=None, **settings):
        wanted = {"allow_unsigned_extensions": "true", "threads": "2", **settings}
        environment = {**os.environ, "NODE_PATH": str(node_path)}
        self.process = subprocess.Popen(
            ["node", HERE / "duck.cjs", package, json.dumps(wanted)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        self.answers = {}
        self.next = 0
        if extension:
            self.rows(f"LOAD '{extension}'")

    def send(self, sql, connection=0):
        """Starts a statement, and returns its number."""
        self.next += 1
        self.write({"id": self.next, "sql": sql, "connection": connection})
        return self.next

    def write(self, request):
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()

    def interrupt(self, connection=0):
        self.write({"interrupt": True, "connection": connection})

    def wait(self, number):
        while number not in self.answers:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"DuckDB ended with {self.process.wait()}")
            said = json.loads(line)
            self.answers[said["id"]] = said
        said = self.answers.pop(number)
        if "error" in said:
            raise Refused(said["error"])
        return said["rows"]

    def rows(self, sql, connection=0):
        return self.wait(self.send(sql, connection))

    def one(self, sql):
        rows = self.rows(sql)
        assert len(rows) == 1 and len(rows[0]) == 1, rows
        return rows[0][0]

    def each(self, sql, blobs):
        """Runs a prepared statement with each blob.  Gives its value, or a Refused, for
        each."""
        self.next += 1
        self.write({"id": self.next, "sql": sql, "blobs": [blob.hex() for blob in blobs]})
        return [
            Refused(said["error"]) if "error" in said else said["value"]
            for said in self.wait(self.next)
        ]

    def refused(self, sql):
        try:
            rows = self.rows(sql)
        except Refused as error:
            return str(error)
        raise AssertionError(f"not refused: {sql[:200]}: {rows[:3]}")

    def close(self):
        self.process.stdin.close()
        killer = threading.Timer(LIMIT_SECONDS, self.process.kill)
        killer.start()
        status = self.process.wait()
        killer.cancel()
        self.process.stdout.close()
        return status
