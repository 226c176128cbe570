# SPDX-License-Identifier: BSD-2-Clause
"""Tests with real clients: redis-py from Debian, redis from npm, redis-cli."""
import os
import pathlib
import shutil
import subprocess

import pytest
import redis
from servers import LIMIT_SECONDS, VALKEY

NODE_PATH = os.environ.get("PETAL_NODE_PATH", "")


def test_redis_py(r):
    bf = r.bf()
    assert bf.create("bloom", 0.01, 1000)
    assert bf.create("bloom_e", 0.01, 1000, expansion=1)
    assert bf.create("bloom_ns", 0.01, 1000, noScale=True)
    assert bf.add("bloom", "foo") == 1 and bf.add("bloom", "foo") == 0
    assert bf.madd("bloom", "bar", "foo") == [1, 0]
    assert bf.insert("new", ["foo", "bar"], capacity=1000, error=0.001, expansion=1) == [
        1,
        1,
    ]
    with pytest.raises(redis.ResponseError, match="not found"):
        bf.insert("none", ["foo"], noCreate=True)
    assert bf.exists("bloom", "foo") == 1 and bf.mexists("bloom", "foo", "noexist") == [
        1,
        0,
    ]
    info = bf.info("bloom")
    assert (info.capacity, info.filterNum, info.insertedNum, info.expansionRate) == (
        1000,
        1,
        2,
        2,
    )
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


def test_redis_py_with_deletions(r):
    cf = r.cf()
    assert cf.create("cuckoo", 1000)
    assert cf.create("cuckoo_all", 1000, expansion=2, bucket_size=4, max_iterations=10)
    assert (
        cf.add("cuckoo", "foo") == 1
        and cf.addnx("cuckoo", "foo") == 0
        and cf.addnx("cuckoo", "bar") == 1
    )
    assert cf.insert("new", ["foo", "foo"], capacity=1000) == [1, 1]
    assert cf.insertnx("new", ["foo", "bar"], nocreate=True) == [0, 1]
    with pytest.raises(redis.ResponseError, match="not found"):
        cf.insert("none", ["foo"], nocreate=True)
    assert cf.exists("cuckoo", "foo") == 1 and cf.exists("cuckoo", "noexist") == 0
    assert (
        cf.count("new", "foo") == 2
        and cf.delete("new", "foo") == 1
        and cf.count("new", "foo") == 1
    )
    info = cf.info("cuckoo_all")
    assert (
        info.insertedNum,
        info.deletedNum,
        info.filterNum,
        info.bucketSize,
        info.expansionRate,
        info.maxIteration,
    ) == (0, 0, 1, 4, 2, 10)
    pieces, number = [], 0
    while True:
        number, data = cf.scandump("new", number)
        if number == 0:
            break
        pieces.append((number, data))
    for piece in pieces:
        assert cf.loadchunk("loaded", *piece)
    assert cf.count("loaded", "foo") == 1 and cf.exists("loaded", "bar") == 1


def test_node(server):
    if not shutil.which("node") or not os.path.isdir(NODE_PATH):
        pytest.fail("node or npm's redis is missing; make check installs both")
    result = subprocess.run(
        ["node", "--test", pathlib.Path(__file__).parent / "clients.cjs"],
        text=True,
        capture_output=True,
        env=dict(os.environ, NODE_PATH=NODE_PATH, PORT=str(server.port)),
        timeout=LIMIT_SECONDS,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "pass 12" in result.stdout


def cli(server, *words, protocol="-2"):
    return subprocess.run(
        ["redis-cli", protocol, "-p", str(server.port), "--no-raw", *words],
        check=True,
        text=True,
        capture_output=True,
    ).stdout


def test_redis_cli(server):
    assert cli(server, "BF.ADD", "k", "rose") == "(integer) 1\n"
    assert cli(server, "BF.ADD", "k", "tulip", protocol="-3") == "(true)\n"
    assert (
        cli(server, "BF.MEXISTS", "k", "rose", "oak", protocol="-3")
        == "1) (true)\n2) (false)\n"
    )
    assert cli(server, "BF.INFO", "k", "CAPACITY", protocol="-3") == (
        "(integer) 100\n" if VALKEY else "1# Capacity => (integer) 100\n"
    )
    assert cli(server, "CF.ADD", "c", "rose") == "(integer) 1\n"
    assert cli(server, "CF.DEL", "c", "rose", protocol="-3") == "(true)\n"
    assert cli(server, "CF.DEL", "none", "rose") == "(error) Not found\n"
    assert cli(server, "PETAL.STATS", "none") == "(error) ERR not found\n"
    assert cli(server, "BF.RESERVE", "k", "0.01", "100") == "(error) ERR item exists\n"
