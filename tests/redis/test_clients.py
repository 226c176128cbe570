# SPDX-License-Identifier: BSD-2-Clause
"""Tests with real clients: redis-py from Debian, redis from npm, redis-cli."""
import os
import pathlib
import shutil
import subprocess

import pytest
import redis

NODE_PATH = os.environ.get("PETAL_NODE_PATH", "")


def test_redis_py(r):
    bf = r.bf()
    assert bf.create("bloom", 0.01, 1000)
    assert bf.create("bloom_e", 0.01, 1000, expansion=1)
    assert bf.create("bloom_ns", 0.01, 1000, noScale=True)
    assert bf.add("bloom", "foo") == 1 and bf.add("bloom", "foo") == 0
    assert bf.madd("bloom", "bar", "foo") == [1, 0]
    assert bf.insert("new", ["foo", "bar"], capacity=1000, error=0.001, expansion=1) == [1, 1]
    with pytest.raises(redis.ResponseError, match="not found"):
        bf.insert("none", ["foo"], noCreate=True)
    assert bf.exists("bloom", "foo") == 1 and bf.mexists("bloom", "foo", "noexist") == [1, 0]
    info = bf.info("bloom")
    assert (info.capacity, info.filterNum, info.insertedNum, info.expansionRate) == (1000, 1, 2, 2)
    assert bf.info("bloom_ns").expansionRate is None


def test_redis_py_dumps_and_loads(server):
    bf = server.client().bf()
    bf.create("k", 0.0001, 1000)
    for i in range(1000):
        bf.add("k", i)
    pieces, number = [], 0
    while True:
        number, data = bf.scandump("k", number)
        if number == 0:
            break
        pieces.append((number, data))
    before = bf.execute_command("BF.DEBUG", "k")
    bf.client.delete("k")
    for piece in pieces:
        assert bf.loadchunk("k", *piece)
    assert bf.execute_command("BF.DEBUG", "k") == before
    assert all(bf.mexists("k", *range(1000)))


def test_node(server):
    if not shutil.which("node") or not os.path.isdir(NODE_PATH):
        pytest.fail("node or npm's redis is missing; make check installs both")
    result = subprocess.run(["node", "--test", pathlib.Path(__file__).parent / "clients.cjs"], text=True, capture_output=True,
                            env=dict(os.environ, NODE_PATH=NODE_PATH, PORT=str(server.port)), timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "pass 8" in result.stdout


def cli(server, *words, protocol="-2"):
    return subprocess.run(["redis-cli", protocol, "-p", str(server.port), "--no-raw", *words], check=True, text=True,
                          capture_output=True).stdout


def test_redis_cli(server):
    assert cli(server, "BF.ADD", "k", "rose") == "(integer) 1\n"
    assert cli(server, "BF.ADD", "k", "tulip", protocol="-3") == "(true)\n"
    assert cli(server, "BF.MEXISTS", "k", "rose", "oak", protocol="-3") == "1) (true)\n2) (false)\n"
    assert cli(server, "BF.INFO", "k", "CAPACITY", protocol="-3") == "1# Capacity => (integer) 100\n"
    assert cli(server, "PETAL.STATS", "none") == "(error) ERR not found\n"
    assert cli(server, "BF.RESERVE", "k", "0.01", "100") == "(error) ERR item exists\n"
