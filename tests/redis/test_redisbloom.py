# SPDX-License-Identifier: BSD-2-Clause
"""Filters that RedisBloom wrote: chunks, DUMP payloads, RDB files and AOFs
(tests/redis/redisbloom).

Set PETAL_REDISBLOOM to the module redisbloom.so to test also what RedisBloom does with
filters that petal wrote.
"""
import os
import pathlib
import shutil
import sys

import pytest
import redis
from servers import LIMIT_SECONDS, info_of, wait_until
from test_aof import AOF, started_with
from test_damage import crc64

GOLDEN = pathlib.Path(__file__).parent / "redisbloom"
sys.path.insert(0, str(GOLDEN))
import make

NAMES = list(make.FILTERS)
TYPE = b"MBbloom--"
HEAD, LINK = 20, 53


def golden(name, kind):
    return (GOLDEN / f"{name}.{kind}").read_bytes()


def numbered(dump):
    """The chunks of a dump with their numbers, as RedisBloom numbers them."""
    links = int.from_bytes(dump[8:12], "little")
    head = HEAD + LINK * links
    found, number, at = [(1, dump[:head])], 1, head
    for i in range(links):
        size = int.from_bytes(dump[HEAD + LINK * i :][:8], "little")
        number += size
        found.append((number, dump[at : at + size]))
        at += size
    assert at == len(dump)
    return found


def load(r, key, dump):
    for number, data in numbered(dump):
        r.execute_command("BF.LOADCHUNK", key, number, data)


def has_all(r, key, name):
    items = make.members(name)
    return r.type(key) == TYPE and (
        not items or all(r.execute_command("BF.MEXISTS", key, *items))
    )


def is_golden(r, key, name):
    """Are members and bytes those that RedisBloom wrote?"""
    return has_all(r, key, name) and b"".join(
        data for _, data in make.chunks(r, key)
    ) == golden(name, "chunks")


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


# ---- Chunks ----


def test_chunks_are_loaded_and_returned(r, name):
    chunks = numbered(golden(name, "chunks"))
    for number, data in chunks:
        assert not r.exists("k")
        assert r.execute_command("BF.LOADCHUNK", "k", number, data) == b"OK"
    assert is_golden(r, "k", name)
    assert make.chunks(r, "k") == chunks
    assert b"".join(
        b"%s\n" % line for line in r.execute_command("BF.DEBUG", "k")
    ) == golden(name, "debug")


def test_smaller_chunks_are_loaded(r):
    dump = golden("three", "chunks")
    (_, head), *_ = numbered(dump)
    r.execute_command("BF.LOADCHUNK", "k", 1, head)
    for at in range(len(head), len(dump), 50):
        some = dump[at : at + 50]
        r.execute_command("BF.LOADCHUNK", "k", 1 + at - len(head) + len(some), some)
    assert is_golden(r, "k", "three")


def test_info_of_a_chain(r):
    load(r, "k", golden("three", "chunks"))
    assert info_of(r, "k", "CAPACITY") == 350 and info_of(r, "k", "FILTERS") == 3
    assert (
        info_of(r, "k", "ITEMS") == 300 == r.execute_command("BF.CARD", "k")
        and info_of(r, "k", "EXPANSION") == 2
    )
    load(r, "f", golden("fixed", "chunks"))
    assert info_of(r, "f", "EXPANSION") is None


def test_a_chain_grows_as_it_does_there(r):
    """RedisBloom added the same items to the same filter, and wrote these bytes."""
    load(r, "k", golden("three", "chunks"))
    for item in make.members("grown"):
        r.execute_command("BF.ADD", "k", item)
    assert is_golden(r, "k", "grown")


def test_a_fixed_filter_is_full(r):
    load(r, "k", golden("fixed", "chunks"))
    with pytest.raises(redis.ResponseError, match="non scaling filter is full"):
        r.execute_command("BF.ADD", "k", "new")
    assert r.execute_command("BF.ADD", "k", "fixed-1") == 0
    assert is_golden(r, "k", "fixed")


def test_chunks_in_the_wrong_order(r):
    (_, head), first, second, third = numbered(golden("three", "chunks"))
    for wrong in ([second], [first, first], [first, third], [(first[0] + 1, first[1])]):
        r.execute_command("BF.LOADCHUNK", "k", 1, head)
        with pytest.raises(redis.ResponseError, match="received bad data"):
            for number, data in wrong:
                r.execute_command("BF.LOADCHUNK", "k", number, data)
        assert not r.exists("k")


def damaged(dump):
    """Dumps with fields of the header that are wrong, each alone."""
    fields = [(8, 4), (12, 4), (16, 4)] + [
        (HEAD + LINK + at, size)
        for at, size in ((0, 8), (8, 8), (32, 8), (40, 4), (44, 8), (52, 1))
    ]
    for at, size in fields:
        for number in (0, 1 << 8 * size - 1, (1 << 8 * size) - 1):
            bad = dump[:at] + number.to_bytes(size, "little") + dump[at + size :]
            possible = at == 12 and number == 0 or at == 16 or bad == dump
            if not possible:
                yield at, number, bad


def test_damaged_headers_are_refused(r):
    dump = golden("three", "chunks")
    head = HEAD + 3 * LINK
    for at, number, bad in damaged(dump):
        with pytest.raises(redis.ResponseError, match="received bad data|not found|exceed"):
            r.execute_command("BF.LOADCHUNK", "k", 1, bad[:head])
            for number, data in numbered(dump)[1:]:
                r.execute_command("BF.LOADCHUNK", "k", number, data)
        assert not r.exists("k"), (at, number)


# ---- Values ----


def test_restore_and_dump(r, name):
    payload = golden(name, "dump")
    r.restore("k", 0, payload)
    assert is_golden(r, "k", name)
    assert (
        r.dump("k")[:-10] == payload[:-10]
    )  # then come the version of the format and a checksum
    r.restore("again", 0, r.dump("k"))
    assert is_golden(r, "again", name)


def framed(body, like):
    """The payload of DUMP with this value, and the version and checksum that belong to
    it."""
    body += like[-10:-8]
    return body + crc64(body).to_bytes(8, "little")


def test_payloads_cut_at_every_byte_are_refused(r):
    payload = golden("three", "dump")
    assert framed(payload[:-10], payload) == payload
    for n in range(len(payload) - 20):  # the server reads on in the checksum
        with pytest.raises(redis.ResponseError, match="Bad data format"):
            r.restore("k", 0, framed(payload[:n], payload))
    assert not r.exists("k")


def test_payloads_with_changed_bytes_do_no_harm(r, server):
    payload = golden("three", "dump")
    for at in range(10, len(payload) - 10):
        body = payload[:at] + bytes([payload[at] ^ 1 << at % 8]) + payload[at + 1 : -10]
        try:
            r.restore("k", 0, framed(body, payload), replace=True)
        except redis.ResponseError:
            continue
        r.execute_command("BF.MADD", "k", *range(1000))
        make.chunks(r, "k")
    assert server.lives()


def test_copies_and_other_commands(r, server):
    load(r, "k", golden("three", "chunks"))
    assert r.execute_command("COPY", "k", "copy") and is_golden(r, "copy", "three")
    assert r.execute_command("PETAL.EXISTS", "k", "three-1", "no") == [1, 0]
    assert b'"kind": "redisbloom"' in r.execute_command("PETAL.STATS", "k")
    r.execute_command("PETAL.LOAD", "loaded", r.execute_command("PETAL.DUMP", "k"))
    assert is_golden(r, "loaded", "three")
    r.execute_command("PETAL.RESERVE", "empty", "LIKE", "k")
    assert r.type("empty") == TYPE and r.execute_command("BF.CARD", "empty") == 0
    r.execute_command("PETAL.MERGE", "copy", "k")
    assert has_all(r, "copy", "three")
    r.execute_command("PETAL.ADD", "copy", "another")
    with pytest.raises(redis.ResponseError, match="have no notes"):
        r.execute_command("PETAL.NOTE", "k", "label", "mine")
    assert r.execute_command("MEMORY", "USAGE", "k") < 3000 and server.lives()


def test_a_filter_that_is_reserved_has_the_type_too(r):
    r.execute_command("PETAL.RESERVE", "k", "kind=redisbloom capacity=100")
    r.execute_command("BF.MADD", "k", *range(500))
    assert r.type("k") == TYPE and all(r.execute_command("BF.MEXISTS", "k", *range(500)))


# ---- Files ----


def all_golden(r, names=NAMES):
    return all(is_golden(r, name, name) for name in names)


def test_a_server_starts_with_the_rdb_file_of_redisbloom(start, tmp_path):
    server = start("--dbfilename", "filters.rdb")
    server.stop()
    shutil.copy(GOLDEN / "filters.rdb", server.folder)
    r = server.start().client()
    assert all_golden(r)
    r.execute_command("BF.ADD", "one", "rose")
    r.save()
    r = server.restart().client()
    assert all_golden(r, [name for name in NAMES if name != "one"]) and r.execute_command(
        "BF.EXISTS", "one", "rose"
    )


def test_values_of_its_other_types_are_not_lost_silently(start):
    server = start("--dbfilename", "all.rdb")
    server.stop()
    shutil.copy(GOLDEN / "all.rdb", server.folder)
    server.start(wait=False)
    wait_until(lambda: server.process.poll() is not None, "the server ends")
    assert "no matching module type" in server.log()


def commands_of(path):
    words, data = [], path.read_bytes()
    while data:
        n, data = data.split(b"\r\n", 1)
        command = []
        for _ in range(int(n[1:])):
            size, data = data.split(b"\r\n", 1)
            command.append(data[: int(size[1:])])
            data = data[int(size[1:]) + 2 :]
        words.append(tuple(command))
    return words


def test_an_aof_that_redisbloom_rewrote(start):
    server = started_with(
        start,
        *commands_of(GOLDEN / "base.aof"),
        ("BF.ADD", "one", "rose"),
        ("BF.MADD", "fixed", "too", "many"),
        ("BF.ADD", "fixed", "again"),
    )
    wait_until(server.answers, server.log())
    r = server.client()
    assert all_golden(r, [name for name in NAMES if name != "one"])
    assert has_all(r, "one", "one") and r.execute_command("BF.EXISTS", "one", "rose")


def test_an_aof_with_an_rdb_file_before_it(start):
    server = started_with(
        start,
        ("SELECT", 0),
        ("BF.ADD", "one", "rose"),
        ("BF.MADD", "fixed", "too", "many"),
        before=(GOLDEN / "filters.rdb").read_bytes(),
    )
    wait_until(server.answers, server.log())
    r = server.client()
    assert all_golden(r, [name for name in NAMES if name != "one"])
    assert has_all(r, "one", "one") and r.execute_command("BF.EXISTS", "one", "rose")


def test_an_aof_with_the_commands_as_they_came(start):
    server = started_with(start, *commands_of(GOLDEN / "log.aof"))
    wait_until(server.answers, server.log())
    r = server.client()
    for name in NAMES:
        items = make.members(name)
        assert not items or all(r.execute_command("BF.MEXISTS", name, *items))


@pytest.mark.parametrize("preamble", ["yes", "no"])
def test_the_aof_of_petal_has_these_filters(start, preamble):
    server = start(*AOF, "--aof-use-rdb-preamble", preamble)
    r = server.client()
    for name in NAMES:
        load(r, name, golden(name, "chunks"))
    assert all_golden(server.restart().client())
    r = server.client()
    r.execute_command("BGREWRITEAOF")
    wait_until(
        lambda: not r.info("persistence")["aof_rewrite_in_progress"], "the AOF is written"
    )
    assert all_golden(server.restart().client())


def test_an_addition_between_chunks_in_an_aof_ends_the_server(start):
    """RedisBloom has the key from the first chunk on."""
    (_, head), *_ = numbered(golden("one", "chunks"))
    server = started_with(start, ("BF.LOADCHUNK", "k", 1, head), ("BF.ADD", "k", "rose"))
    wait_until(lambda: server.process.poll() is not None, "the server ends")
    assert "a load of this key is in progress" in server.log()


def test_a_replica_has_the_same_filters(start):
    master = start()
    r = master.client()
    load(r, "early", golden("three", "chunks"))
    replica = start("--replicaof", f"127.0.0.1 {master.port}")
    s = replica.client()
    wait_until(
        lambda: s.info("replication")["master_link_status"] == "up", "the link is up"
    )
    load(r, "late", golden("three", "chunks"))
    r.restore("restored", 0, golden("low", "dump"))
    r.execute_command("PETAL.RESERVE", "reserved", "kind=redisbloom capacity=100")
    r.execute_command("BF.RESERVE", "rate", "1e-10", 100)
    for key in ("early", "late", "reserved", "rate"):
        r.execute_command("BF.MADD", key, *range(500))
    assert r.wait(1, 1000 * LIMIT_SECONDS) == 1
    for key in r.keys():
        assert s.type(key) == r.type(key)
        assert s.execute_command("PETAL.DUMP", key) == r.execute_command(
            "PETAL.DUMP", key
        ), key
        assert s.execute_command("DEBUG", "DIGEST-VALUE", key) == r.execute_command(
            "DEBUG", "DIGEST-VALUE", key
        )


# ---- With the real RedisBloom ----


@pytest.mark.skipif(
    "PETAL_REDISBLOOM" not in os.environ,
    reason="makes no sense: no package has RedisBloom; PETAL_REDISBLOOM can name it",
)
def test_redisbloom_reads_what_petal_wrote(start):
    server = start("--dbfilename", "back.rdb")
    r = server.client()
    for name in NAMES:
        r.restore(name, 0, golden(name, "dump"))
    r.execute_command("BF.MADD", "one", *range(1000))
    r.execute_command("PETAL.RESERVE", "ours", "kind=redisbloom capacity=100")
    r.execute_command("BF.MADD", "ours", *range(1000))
    chunks = {key: make.chunks(r, key) for key in r.keys()}
    r.save()
    server.stop()
    server.module = ("--loadmodule", os.environ["PETAL_REDISBLOOM"])
    r = server.start().client()
    for key in chunks:
        assert make.chunks(r, key) == chunks[key]
        for number, data in chunks[key]:
            r.execute_command("BF.LOADCHUNK", b"copy of " + key, number, data)
        assert make.chunks(r, b"copy of " + key) == chunks[key]
    for key in ("one", "ours", "copy of one", "copy of ours"):
        assert all(r.execute_command("BF.MEXISTS", key, *range(1000)))
