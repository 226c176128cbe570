# SPDX-License-Identifier: BSD-2-Clause
"""Commands on large filters, which do not stop the server: their replies are those of the
same command in a transaction, where it is carried out at once, and anything may happen to
the filter while they wait.

No test depends on how far a command has got when something happens.  To make it likely that
it is in the middle, several clients send the same command, and the server has begun with
them.
"""
import contextlib

import pytest
import redis
from servers import info_of, wait_until

KINDS = {
    "bitmap": "kind=bitmap bits=20000000",
    "classic": "kind=classic capacity=2M",
    "partitioned": "kind=partitioned capacity=2M",
    "blocked": "kind=blocked capacity=2M",
    "split": "kind=split capacity=2M",
    "counting": "kind=counting capacity=300k",
    "scalable": "kind=scalable capacity=2M",
    "quotient": "kind=quotient capacity=2M",
    "grown": "kind=quotient capacity=2k growth=2 insert_only=yes",  # what BF.ADD creates
    "redisbloom": "kind=redisbloom capacity=2M",
}
MERGE = [kind for kind in KINDS if kind != "scalable"]
MEMBERS = [str(i * 7) for i in range(5000)]
MANY = 6  # clients that send the same command


def add(r, key, items):
    for at in range(0, len(items), 50000):
        r.execute_command("PETAL.ADD", key, *items[at : at + 50000])


def reserve(r, key, kind):
    """A filter of more than 1 MiB.  Below that, commands are carried out at once."""
    r.execute_command("PETAL.RESERVE", key, KINDS[kind])
    if kind == "grown":
        add(r, key, [f"more-{i}" for i in range(600000)])
    add(r, key, MEMBERS)
    assert r.memory_usage(key) > 1 << 20


def tasks(r, field="bf_tasks"):
    return r.info("bf_filters")[field]


def idle(r):
    wait_until(lambda: tasks(r, "bf_tasks_in_progress") == 0, "no tasks in progress")


def in_transaction(wire, *words):
    """The raw reply of a command that is carried out at once."""
    assert wire("MULTI") == b"+OK\r\n"
    assert wire(*words) == b"+QUEUED\r\n"
    reply = wire("EXEC")
    assert reply[:4] == b"*1\r\n"
    return reply[4:]


def send(wire, *words):
    """Sends a command and does not wait for the reply."""
    parts = [w if isinstance(w, bytes) else str(w).encode() for w in words]
    wire.socket.sendall(
        b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts)
    )


@contextlib.contextmanager
def waiting(server, *words):
    """Many clients that have sent this command.  Gives a function that returns their
    replies."""
    wires = [server.wire() for _ in range(MANY)]
    before = tasks(server.client())
    for wire in wires:
        send(wire, *words)
    wait_until(lambda: tasks(server.client()) > before, "a task has begun")
    yield lambda: [wire.reply() for wire in wires]
    for wire in wires:
        wire.close()
    idle(server.client())


def bulk(reply):
    """The bytes of a raw bulk string."""
    head, _, rest = reply.partition(b"\r\n")
    assert head[:1] == b"$", reply[:100]
    return rest[: int(head[1:])]


@pytest.mark.parametrize("kind", KINDS)
def test_replies_are_those_of_a_transaction(r, wire, kind):
    reserve(r, "k", kind)
    n, at_once = tasks(r), tasks(r, "bf_tasks_at_once")
    whole = wire("PETAL.DUMP", "k")
    assert tasks(r) == n + 1
    total = len(bulk(whole))
    cases = (
        ("PETAL.STATS", "k"),
        ("PETAL.DUMP", "k"),
        ("PETAL.DUMP", "k", 0, 10 << 20),
        ("PETAL.DUMP", "k", 12345, 1234567),
        ("PETAL.DUMP", "k", total - 5, 10),
        ("PETAL.DUMP", "k", total, 10),
        ("BF.SCANDUMP", "k", 0),
        ("BF.SCANDUMP", "k", 1),
        ("BF.SCANDUMP", "k", 1000001),
        ("BF.SCANDUMP", "k", total + 1),
        ("BF.SCANDUMP", "k", total + 100),
        ("BF.SCANDUMP", "k", -1),
        ("CF.SCANDUMP", "k", 0),
        ("CF.SCANDUMP", "k", 1),
        ("CF.SCANDUMP", "k", total + 1),
    )
    for i, words in enumerate(cases):
        add(
            r, "k", [str(1000001 + 7 * (20 * i + j)) for j in range(20)]
        )  # it has to be sealed again
        fresh = wire(*words)
        n = tasks(r)
        assert in_transaction(wire, *words) == fresh, words
        assert tasks(r) == n
        r.execute_command("PETAL.DUMP", "k", 0, 1)  # sealed
        sealed = wire(*words)
        assert in_transaction(wire, *words) == sealed, words
        if words[0] != "PETAL.STATS":
            assert sealed == fresh
    assert tasks(r, "bf_tasks_at_once") == at_once


def test_an_empty_filter_has_no_chunks(r, wire):
    r.execute_command("CF.RESERVE", "k", 2000000)
    for _ in range(2):
        assert wire("CF.SCANDUMP", "k", 0) == in_transaction(wire, "CF.SCANDUMP", "k", 0)
        r.execute_command("PETAL.DUMP", "k")


def test_clients_that_cannot_wait_do_not(r):
    reserve(r, "k", "blocked")
    n = tasks(r)
    dump = r.eval("return redis.call('PETAL.DUMP', 'k')", 0)
    assert r.eval("return redis.call('PETAL.STATS', 'k')", 0)
    assert r.eval("return redis.call('PETAL.MERGE', 'new', 'k')", 0)
    assert tasks(r) == n
    assert r.execute_command("PETAL.DUMP", "k") == dump
    small = r.execute_command("BF.ADD", "small", "rose") and tasks(r)
    for words in (
        ("PETAL.STATS", "small"),
        ("PETAL.DUMP", "small"),
        ("BF.SCANDUMP", "small", 0),
        ("PETAL.MERGE", "other", "small"),
    ):
        r.execute_command(*words)
    assert tasks(r) == small


def test_a_dump_in_chunks_copies_the_filter_once(r):
    """The first chunk needs all checksums.  After that they are there, and short replies do
    not wait."""
    reserve(r, "k", "grown")
    n = tasks(r)
    assert r.execute_command("BF.SCANDUMP", "k", 0)[0] == 1
    assert tasks(r) == n + 1
    assert r.execute_command("BF.SCANDUMP", "k", 0)[0] == 1
    assert r.execute_command("PETAL.DUMP", "k", 100, 100000)
    assert tasks(r) == n + 1
    assert (
        sum(r.execute_command("PETAL.ADD", "k", *[f"new-{i}" for i in range(20)])) > 0
    )  # not all are false positives
    assert r.execute_command("BF.SCANDUMP", "k", 0)[0] == 1
    assert tasks(r) == n + 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_dump_has_all_members_that_were_there_when_it_was_sent(server, r, kind):
    reserve(r, "k", kind)
    with waiting(server, "PETAL.DUMP", "k") as replies:
        for i in range(200):
            r.execute_command("PETAL.ADD", "k", str(1000003 + 7 * i))
        for reply in replies():
            assert r.execute_command("PETAL.LOAD", "copy", bulk(reply))
            assert all(r.execute_command("PETAL.EXISTS", "copy", *MEMBERS))
    assert all(
        r.execute_command(
            "PETAL.EXISTS", "k", *MEMBERS, *[str(1000003 + 7 * i) for i in range(200)]
        )
    )


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize("kind", ["blocked", "quotient"])
def test_a_dump_that_takes_many_slices_is_valid(server, r, kind, sealed):
    r.execute_command("PETAL.RESERVE", "k", f"kind={kind} capacity=20M")
    add(r, "k", MEMBERS)
    if sealed:
        r.execute_command("PETAL.DUMP", "k", 0, 1)
    with waiting(server, "PETAL.DUMP", "k") as replies:
        for i in range(100):
            r.execute_command("PETAL.ADD", "k", f"new-{i}")
        for reply in replies():
            assert r.execute_command("PETAL.LOAD", "copy", bulk(reply))
            assert all(r.execute_command("PETAL.EXISTS", "copy", *MEMBERS))


@pytest.mark.parametrize("kind", ["blocked", "grown"])
def test_statistics_of_a_filter_that_is_used(server, r, kind):
    reserve(r, "k", kind)
    with waiting(server, "PETAL.STATS", "k") as replies:
        for i in range(200):
            r.execute_command("PETAL.ADD", "k", f"new-{i}")
        assert all(b'"keys_estimate"' in bulk(reply) for reply in replies())


@pytest.mark.parametrize(
    "words",
    [
        "PETAL.STATS k",
        "PETAL.DUMP k",
        "PETAL.DUMP k 0 4000000",
        "BF.SCANDUMP k 0",
        "PETAL.MERGE k other",
        "PETAL.MERGE other k",
        "PETAL.MERGE new k other",
    ],
)
@pytest.mark.parametrize(
    "event",
    [
        "DEL k",
        "SET k text",
        "RENAME k away",
        "FLUSHALL",
        "PETAL.LOAD k",
        "RENAME like k",
        "SWAPDB 0 1",
    ],
)
def test_a_key_that_is_gone_or_replaced(server, r, words, event):
    reserve(r, "k", "blocked")
    for key in ("other", "like"):
        r.execute_command("PETAL.RESERVE", key, "LIKE", "k")
    r.execute_command("BF.ADD", "small", "rose")
    event = event.split() + (
        [r.execute_command("PETAL.DUMP", "small")] if "LOAD" in event else []
    )
    with waiting(server, *words.split()) as replies:
        r.execute_command(*event)
        for reply in replies():
            assert reply[:1] in b"$+*" or reply.startswith(
                (b"-ERR not found", b"-WRONGTYPE", b"-ERR the filters differ")
            ), reply
    assert r.ping()


def test_clients_that_leave(server, r):
    reserve(r, "k", "grown")
    r.execute_command("PETAL.RESERVE", "other", "LIKE", "k")
    image = r.execute_command("PETAL.DUMP", "k")
    for words in (
        ("PETAL.STATS", "k"),
        ("PETAL.DUMP", "k"),
        ("PETAL.MERGE", "new", "k", "other"),
    ):
        with waiting(server, *words):
            pass  # they leave without having read the reply
    if r.exists("new"):
        r.delete("new")
    assert r.execute_command("PETAL.DUMP", "k") == image
    size = sum(info_of(r, key, "SIZE") for key in ("k", "other"))
    wait_until(lambda: r.info("bf_filters")["bf_bytes"] == size, "all copies are freed")


# ---- PETAL.MERGE ----


def model(r, wire, target, *sources):
    """What the merge gives at once."""
    r.delete("model")
    if r.exists(target):
        assert r.copy(target, "model")
    assert in_transaction(wire, "PETAL.MERGE", "model", *sources) == b"+OK\r\n"
    return in_transaction(wire, "PETAL.DUMP", "model")


@pytest.mark.parametrize("kind", MERGE)
def test_a_merge_is_that_of_a_transaction(server, r, kind):
    wire = server.wire()
    reserve(r, "a", kind)
    for i, key in enumerate(("b", "c")):
        r.execute_command("PETAL.RESERVE", key, "LIKE", "a")
        add(r, key, [str(i + 7 * j) for j in range(3000)])
        if kind in ("grown", "redisbloom"):
            r.delete(key)
            r.copy("a", key)
            r.execute_command("PETAL.ADD", key, f"9{i}")
    expected, fresh = model(r, wire, "a", "b", "c"), model(r, wire, "new", "b", "c")
    n, at_once = tasks(r), tasks(r, "bf_tasks_at_once")
    r.expire("a", 1_000_000)
    assert wire("PETAL.MERGE", "a", "b", "c") == b"+OK\r\n"
    assert wire("PETAL.MERGE", "new", "b", "c") == b"+OK\r\n"
    assert tasks(r) == n + 2 and tasks(r, "bf_tasks_at_once") == at_once
    assert in_transaction(wire, "PETAL.DUMP", "a") == expected
    assert in_transaction(wire, "PETAL.DUMP", "new") == fresh
    assert r.ttl("a") > 900_000
    assert wire("PETAL.MERGE", "a", "a", "a") == b"+OK\r\n"
    if kind != "counting" and kind not in ("quotient", "grown"):  # they count how often
        assert in_transaction(wire, "PETAL.DUMP", "a")[300:] == expected[300:]
    wire.close()


def test_a_merge_that_is_refused_copies_nothing(r):
    reserve(r, "a", "blocked")
    reserve(r, "b", "blocked")  # with another secret
    reserve(r, "s", "scalable")
    r.execute_command("PETAL.RESERVE", "t", "LIKE", "s")
    n = tasks(r)
    for words, sentence in (
        ("PETAL.MERGE a b", "differ in kind"),
        ("PETAL.MERGE s t", "cannot be merged"),
        ("PETAL.MERGE a none", "not found"),
        ("PETAL.MERGE new none", "not found"),
        ("PETAL.MERGE new a none", "not found"),
    ):
        with pytest.raises(redis.ResponseError, match=sentence):
            r.execute_command(*words.split())
    assert tasks(r) == n and not r.exists("new")


def test_a_merge_is_noticed_by_watch(r):
    reserve(r, "a", "blocked")
    r.execute_command("PETAL.RESERVE", "b", "LIKE", "a")
    with r.pipeline() as transaction:
        transaction.watch("a")
        r.execute_command("PETAL.MERGE", "a", "b")
        transaction.multi()
        transaction.ping()
        with pytest.raises(redis.WatchError):
            transaction.execute()


def equal(master, replica):
    wait_until(
        lambda: replica.client().info("replication").get("slave_repl_offset")
        == master.client().info("replication").get("master_repl_offset"),
        "the replica is in sync",
    )
    for key in master.client().keys():
        assert master.client().execute_command(
            "PETAL.DUMP", key
        ) == replica.client().execute_command("PETAL.DUMP", key), key


@pytest.mark.parametrize("kind", ["blocked", "counting", "quotient", "grown"])
def test_merges_while_the_filters_change_are_the_same_on_a_replica_and_in_the_aof(
    start, kind
):
    """Whether they are carried out at once in the end or not."""
    master = start("--appendonly", "yes")
    replica = start("--replicaof", f"127.0.0.1 {master.port}")
    r = master.client()
    wait_until(
        lambda: replica.client().info("replication")["master_link_status"] == "up",
        "the replica is up",
    )
    reserve(r, "a", kind)
    for key in ("b", "c"):
        r.copy("a", key)
        r.execute_command("PETAL.ADD", key, "7" + key)
    for rounds in range(2):
        for words in (
            ("PETAL.MERGE", "a", "b", "c"),
            ("PETAL.MERGE", f"new-{rounds}", "b", "c"),
        ):
            with waiting(master, *words) as replies:
                for i in range(60 * rounds):
                    r.execute_command("PETAL.ADD", "abc"[i % 3], f"{rounds}{i}")
                assert set(replies()) == {b"+OK\r\n"}
        equal(master, replica)
    assert all(r.execute_command("PETAL.EXISTS", "a", *MEMBERS))
    before = {key: r.execute_command("PETAL.DUMP", key) for key in r.keys()}
    master.restart()
    assert {
        key: master.client().execute_command("PETAL.DUMP", key)
        for key in master.client().keys()
    } == before


def test_a_snapshot_during_a_merge_has_all_or_nothing(start):
    server = start()
    r = server.client()
    reserve(r, "a", "blocked")
    r.execute_command("PETAL.RESERVE", "b", "LIKE", "a")
    add(r, "b", [f"b-{i}" for i in range(1000)])
    before = r.execute_command("PETAL.DUMP", "a")
    with waiting(server, "PETAL.MERGE", "a", "b") as replies:
        r.save()
        assert set(replies()) == {b"+OK\r\n"}
    after = r.execute_command("PETAL.DUMP", "a")
    server.kill()
    server.start()
    assert server.client().execute_command("PETAL.DUMP", "a") in (before, after)


def test_replicas_reply_to_their_clients_too(start):
    master = start()
    replica = start("--replicaof", f"127.0.0.1 {master.port}")
    reserve(master.client(), "k", "grown")
    wait_until(lambda: replica.client().exists("k"), "the replica has the filter")
    equal(master, replica)
    assert tasks(replica.client()) > 0
    with waiting(replica, "PETAL.STATS", "k") as replies:
        replica.client().execute_command("REPLICAOF", "NO", "ONE")
        assert all(b'"kind": "quotient"' in reply for reply in replies())


def test_a_server_that_becomes_a_replica_drops_merges(start):
    one, two = start(), start()
    r = one.client()
    reserve(r, "a", "counting")
    r.execute_command("PETAL.RESERVE", "b", "LIKE", "a")
    with waiting(one, "PETAL.MERGE", "a", "b") as replies:
        r.execute_command("REPLICAOF", "127.0.0.1", two.port)
        assert all(
            reply == b"+OK\r\n" or reply.startswith(b"-UNBLOCKED") for reply in replies()
        )
    assert one.lives()
