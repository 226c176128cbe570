# SPDX-License-Identifier: BSD-2-Clause
"""Commands from an AOF or from a master that cannot be applied: the server ends with a
sentence.

Such a command was carried out once, so skipping it would lose data, and nobody would
notice.
"""
import pytest
from servers import LIMIT_SECONDS, wait_until

AOF = ("--appendonly", "yes", "--appendfsync", "always")


def command(*words):
    parts = [w if isinstance(w, bytes) else str(w).encode() for w in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts)


def started_with(start, *commands, before=b""):
    """A server that starts from an AOF with these commands, perhaps after an RDB file.  It
    may have ended."""
    server = start(*AOF)
    server.stop()
    folders = [f for f in (server.folder / "appendonlydir", server.folder) if f.exists()]
    for path in folders[0].glob("appendonly.aof*"):
        path.unlink()
    (server.folder / "appendonly.aof").write_bytes(
        before + b"".join(command(*c) for c in commands)
    )
    (server.folder / "log").write_bytes(b"")
    server.start(wait=False)
    return server


def ended(server):
    return wait_until(lambda: server.process.poll() is not None, "the server ends")


def wait_for(server):
    wait_until(server.answers, server.log())
    return server.client()


REFUSED = {
    "a chunk that is none": [("BF.LOADCHUNK", "k", 1, "not a header")],
    "a chunk without a header": [("BF.LOADCHUNK", "k", 500, "bits")],
    "a chunk for cuckoo filters": [("CF.LOADCHUNK", "k", 1, b"\1" + bytes(37))],
    "a value of another type": [("SET", "k", "v"), ("BF.ADD", "k", "rose")],
    "an addition by PETAL.ADD to a missing key": [("PETAL.ADD", "k", "rose")],
    "too few arguments": [("BF.ADD", "k")],
    "a rate that is none": [("BF.RESERVE", "k", "x", 100)],
    "a word in a bitmap": [
        ("PETAL.RESERVE", "k", "kind=bitmap bits=100"),
        ("BF.MADD", "k", 1, "rose"),
    ],
    "a merge of filters that differ": [
        ("PETAL.RESERVE", "a", "capacity=100"),
        ("PETAL.RESERVE", "b", "capacity=20k"),
        ("PETAL.MERGE", "a", "b"),
    ],
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_command_in_the_aof_that_fails_ends_the_server(start, case):
    server = started_with(start, *REFUSED[case], ("BF.ADD", "k", "later"))
    assert ended(server)
    assert "from the AOF cannot be applied here: " in server.log(), server.log()
    assert "Ready to accept connections" not in server.log()


def test_a_client_gets_the_same_errors_and_the_server_lives(server):
    wire = server.wire()
    for commands in REFUSED.values():
        for words in commands:
            reply = wire(*words)
        assert b"-" in reply
        wire("FLUSHALL")
    wire.close()
    assert server.lives()


@pytest.mark.parametrize("rate", ["0.01", "1e-4", "1e-5", "1e-6"])
def test_all_additions_in_the_aof_are_members_afterwards(start, rate):
    keys = [b"k%d" % i for i in range(10000)]
    server = started_with(
        start,
        ("BF.RESERVE", "k", rate, 1000),
        *[("BF.MADD", "k", *keys[i : i + 100]) for i in range(0, 10000, 100)],
    )
    r = wait_for(server)
    assert all(r.execute_command("BF.MEXISTS", "k", *keys))


def test_a_fixed_filter_takes_what_the_aof_has_beyond_its_capacity(start):
    """Another module may have counted differently."""
    server = started_with(
        start,
        ("BF.RESERVE", "k", 0.01, 10, "NONSCALING"),
        ("BF.MADD", "k", *range(12)),
        *[("BF.ADD", "k", i) for i in range(12, 15)],
    )
    r = wait_for(server)
    assert all(r.execute_command("BF.MEXISTS", "k", *range(15)))


def test_limits_of_other_modules_are_wider(start):
    server = started_with(
        start,
        ("BF.RESERVE", "word", 0.01, 100, "FASTER"),
        ("BF.ADD", "word", "rose"),
        ("BF.RESERVE", "expansion", 0.01, 100, "EXPANSION", 40000),
        ("BF.INSERT", "insert", "EXPANSION", 40000, "ITEMS", "rose"),
    )
    r = wait_for(server)
    assert (
        r.execute_command("BF.EXISTS", "word", "rose")
        == r.execute_command("BF.EXISTS", "insert", "rose")
        == 1
    )
    assert r.exists("expansion")


def test_a_command_from_the_master_that_fails_ends_the_replica(start):
    master = start()
    replica = start("--replicaof", f"127.0.0.1 {master.port}", "--replica-read-only", "no")
    m, s = master.client(), replica.client()
    wait_until(
        lambda: s.info("replication")["master_link_status"] == "up", "the link is up"
    )
    m.execute_command("BF.ADD", "k", "rose")
    assert m.wait(1, 1000 * LIMIT_SECONDS) == 1
    s.set("other", "v")  # replicas that can be written may disagree
    m.execute_command("BF.ADD", "other", "rose")
    assert ended(replica)
    assert " from the master cannot be applied here: WRONGTYPE" in replica.log()
    assert master.lives()


def test_a_writable_replica_refuses_bad_commands_of_its_clients(start):
    master = start()
    replica = start("--replicaof", f"127.0.0.1 {master.port}", "--replica-read-only", "no")
    s = replica.client()
    wait_until(
        lambda: s.info("replication")["master_link_status"] == "up", "the link is up"
    )
    wire = replica.wire()
    wire("SET", "k", "v")
    assert wire("BF.ADD", "k", "rose").startswith(b"-WRONGTYPE")
    wire.close()
    assert replica.lives()
