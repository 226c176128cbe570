# SPDX-License-Identifier: BSD-2-Clause
"""CF.* commands: the exact replies and errors, in RESP2 and RESP3, and filters that are
about to grow."""
import collections
import contextlib
import json
import os
import random

import pytest
import redis
from servers import LIMIT_SECONDS, VERSION, wait_until
from test_bf import FALSE, NOT_FOUND, NULL, OK, TRUE, WRONGTYPE, array
from test_replicas import assert_same, following, offset, wait_synced

COPIES_MAX = 15  # further copies are not counted, and none of them can be deleted
TITLES = [
    "Size",
    "Number of buckets",
    "Number of filters",
    "Number of items inserted",
    "Number of items deleted",
    "Bucket size",
    "Expansion rate",
    "Max iterations",
]


def number(n):
    return b":%d\r\n" % n


def info(r, key):
    reply = r.execute_command("CF.INFO", key)
    return {title.decode(): value for title, value in zip(*[iter(reply)] * 2)}


def stats(r, key):
    return json.loads(r.execute_command("PETAL.STATS", key))


def dump(r, key):
    return r.execute_command("PETAL.DUMP", key)


def names(first, last):
    return [f"item-{i}" for i in range(first, last)]


def insert(r, key, items, size=1000):
    for at in range(0, len(items), size):
        assert set(
            r.execute_command("CF.INSERT", key, "ITEMS", *items[at : at + size])
        ) == {1}


def all_exist(r, key, items, size=1000):
    return all(
        all(r.execute_command("CF.MEXISTS", key, *items[at : at + size]))
        for at in range(0, len(items), size)
    )


# ---- Replies ----


def test_each_addition_is_a_copy_and_each_deletion_removes_one(wire, protocol):
    t, f = TRUE[protocol], FALSE[protocol]
    assert wire("CF.ADD", "k", "rose") == t
    assert wire("CF.ADD", "k", "rose") == t
    assert wire("CF.EXISTS", "k", "rose") == t
    assert wire("CF.COUNT", "k", "rose") == number(2)
    assert wire("CF.DEL", "k", "rose") == t
    assert wire("CF.COUNT", "k", "rose") == number(1)
    assert wire("CF.DEL", "k", "rose") == t
    assert wire("CF.DEL", "k", "rose") == f
    assert wire("CF.EXISTS", "k", "rose") == f
    assert wire("CF.COUNT", "k", "rose") == number(0)


def test_addnx_adds_an_item_once(wire, protocol):
    assert wire("CF.ADDNX", "k", "rose") == TRUE[protocol]
    assert wire("CF.ADDNX", "k", "rose") == FALSE[protocol]
    assert wire("CF.COUNT", "k", "rose") == number(1)
    assert wire("CF.ADD", "k", "rose") == TRUE[protocol]
    assert wire("CF.COUNT", "k", "rose") == number(2)


def test_many_items_in_one_command(wire, protocol):
    t, f = TRUE[protocol], FALSE[protocol]
    assert wire("cf.insert", "k", "items", "a", "b", "a") == array(t, t, t)
    assert wire("CF.COUNT", "k", "a") == number(2)
    # CF.INSERTNX replies with numbers in both protocols
    assert wire("cf.insertnx", "k", "nocreate", "items", "a", "c", "c") == array(
        number(0), number(1), number(0)
    )
    assert wire("CF.MEXISTS", "k", "a", "x", "c") == array(t, f, t)


def test_a_missing_key_has_no_members(wire, protocol):
    assert wire("CF.EXISTS", "none", "a") == FALSE[protocol]
    assert wire("CF.MEXISTS", "none", "a", "b") == array(FALSE[protocol], FALSE[protocol])
    assert wire("CF.COUNT", "none", "a") == number(0)
    assert wire("EXISTS", "none") == number(0)


CHANGES = [
    ["CF.ADD", "key", "a"],
    ["CF.ADDNX", "key", "a"],
    ["CF.INSERT", "key", "ITEMS", "a"],
    ["CF.INSERTNX", "key", "ITEMS", "a"],
    ["CF.RESERVE", "key", "100"],
    ["CF.DEL", "key", "a"],
    ["CF.COMPACT", "key"],
    ["CF.INFO", "key"],
    ["CF.SCANDUMP", "key", "0"],
]


def test_a_wrong_type(wire, protocol):
    wire("SET", "key", "x")
    assert wire("CF.EXISTS", "key", "a") == FALSE[protocol]
    assert wire("CF.MEXISTS", "key", "a") == array(FALSE[protocol])
    assert wire("CF.COUNT", "key", "a") == number(0)
    for command in [*CHANGES, ["CF.LOADCHUNK", "key", "1", "x"]]:
        assert wire(*command) == WRONGTYPE, command


@pytest.mark.parametrize(
    "options",
    [
        "kind=scalable",
        "kind=blocked capacity=100",
        "kind=counting capacity=100 insert_only=1",
        "kind=quotient capacity=100 insert_only=1",
    ],
)
def test_a_filter_that_does_not_count_copies_is_a_wrong_type_except_for_lookups(
    wire, protocol, r, options
):
    wire("PETAL.RESERVE", "key", options)
    wire("PETAL.ADD", "key", "a")
    before = dump(r, "key")
    for command in CHANGES:
        assert wire(*command) == WRONGTYPE, command
    assert wire("CF.EXISTS", "key", "a") == TRUE[protocol]
    assert wire("CF.MEXISTS", "key", "a", "b") == array(TRUE[protocol], FALSE[protocol])
    assert wire("CF.COUNT", "key", "a") == number(1)
    assert dump(r, "key") == before


def test_a_filter_of_bf_add_is_a_wrong_type(wire):
    wire("BF.ADD", "key", "a")
    for command in CHANGES:
        assert wire(*command) == WRONGTYPE, command


def test_a_counting_filter_suits_all_commands(r):
    r.execute_command("PETAL.RESERVE", "k", "kind=counting", "capacity=1000")
    assert r.execute_command("CF.INSERT", "k", "ITEMS", "a", "a", "b") == [1, 1, 1]
    assert r.execute_command("CF.ADDNX", "k", "a") == 0
    assert r.execute_command("CF.COUNT", "k", "a") == 2
    assert r.execute_command("CF.DEL", "k", "a") == 1
    assert r.execute_command("CF.COMPACT", "k") == b"OK"
    assert info(r, "k")["Number of items inserted"] == 2


def test_bf_commands_on_such_a_filter_add_copies(r):
    """They reply whether the item is new, and count it all the same."""
    assert r.execute_command("CF.ADD", "k", "a") == 1
    assert r.execute_command("BF.ADD", "k", "a") == 0
    assert r.execute_command("BF.MADD", "k", "a", "b") == [0, 1]
    assert r.execute_command("CF.COUNT", "k", "a") == 3
    assert r.execute_command("BF.CARD", "k") == 4
    assert r.execute_command("BF.EXISTS", "k", "b") == 1
    assert [r.execute_command("CF.DEL", "k", "a") for _ in range(4)] == [1, 1, 1, 0]
    assert r.execute_command("PETAL.REMOVE", "k", "b") == [1]
    with pytest.raises(redis.ResponseError, match="item exists"):
        r.execute_command("BF.RESERVE", "k", "0.01", "100")


RANGE = "Capacity must be in the range [2 * BUCKETSIZE, 1073741824]"
INSERT_RANGE = "Capacity must be in the range [cf-bucket-size * 2, 1073741824]"


@pytest.mark.parametrize(
    "words, error",
    [
        ("CF.RESERVE k x", "Bad capacity"),
        ("CF.RESERVE k 1.5", "Bad capacity"),
        ("CF.RESERVE k 3", RANGE),
        ("CF.RESERVE k -1", RANGE),
        ("CF.RESERVE k 0", RANGE),
        ("CF.RESERVE k 1073741825", RANGE),
        ("CF.RESERVE k 19 BUCKETSIZE 10", RANGE),
        ("CF.RESERVE k 100 BUCKETSIZE x", "Couldn't parse BUCKETSIZE"),
        (
            "CF.RESERVE k 100 BUCKETSIZE 0",
            "BUCKETSIZE: value must be in the range [1, 255]",
        ),
        (
            "CF.RESERVE k 1000 BUCKETSIZE 256",
            "BUCKETSIZE: value must be in the range [1, 255]",
        ),
        ("CF.RESERVE k 100 MAXITERATIONS x", "Couldn't parse MAXITERATIONS"),
        (
            "CF.RESERVE k 100 MAXITERATIONS 0",
            "MAXITERATIONS: value must be in the range [1, 65535]",
        ),
        (
            "CF.RESERVE k 100 MAXITERATIONS 65536",
            "MAXITERATIONS: value must be in the range [1, 65535]",
        ),
        ("CF.RESERVE k 100 EXPANSION x", "Couldn't parse EXPANSION"),
        (
            "CF.RESERVE k 100 EXPANSION -1",
            "EXPANSION: value must be in the range [0, 32768]",
        ),
        (
            "CF.RESERVE k 100 EXPANSION 32769",
            "EXPANSION: value must be in the range [0, 32768]",
        ),
        ("CF.RESERVE k 100 FASTER 1", "ERR unknown argument received"),
        ("CF.INSERT k CAPACITY x ITEMS a", "Bad capacity"),
        ("CF.INSERT k CAPACITY 3 ITEMS a", INSERT_RANGE),
        ("CF.INSERT k CAPACITY -1 ITEMS a", INSERT_RANGE),
        ("CF.INSERTNX k CAPACITY 1073741825 ITEMS a", INSERT_RANGE),
        ("CF.INSERT k FASTER ITEMS a", "Unknown argument received"),
        ("CF.INSERT k NOCREATED ITEMS a", "Unknown argument received"),
        ("CF.INSERT k NOCREATE ITEMS a", "ERR not found"),
        ("CF.INSERTNX k NOCREATE ITEMS a", "ERR not found"),
        ("CF.DEL k a", "Not found"),
        ("CF.COMPACT k", "Cuckoo filter was not found"),
        ("CF.INFO k", "ERR not found"),
        ("CF.SCANDUMP k 0", "ERR not found"),
        ("CF.LOADCHUNK k x data", "Invalid position"),
        ("CF.LOADCHUNK k 0 data", "Invalid position"),
        ("CF.LOADCHUNK k -1 data", "Invalid position"),
        ("CF.LOADCHUNK k 1 data", "ERR received bad data"),
        ("CF.LOADCHUNK k 2 data", "ERR not found"),
    ],
)
def test_errors(wire, words, error):
    assert wire(*words.split()) == f"-{error}\r\n".encode()
    assert wire("EXISTS", "k") == number(0)


@pytest.mark.parametrize(
    "words",
    [
        "CF.RESERVE",
        "CF.RESERVE k",
        "CF.RESERVE k 100 BUCKETSIZE",
        "CF.RESERVE k 100 EXPANSION",
        "CF.ADD k",
        "CF.ADD k a b",
        "CF.ADDNX k",
        "CF.ADDNX k a b",
        "CF.INSERT",
        "CF.INSERT k",
        "CF.INSERT k ITEMS",
        "CF.INSERT k NOCREATE ITEMS",
        "CF.INSERT k NOCREATE CAPACITY",
        "CF.INSERT k CAPACITY 10",
        "CF.INSERTNX k ITEMS",
        "CF.EXISTS k",
        "CF.EXISTS k a b",
        "CF.MEXISTS k",
        "CF.COUNT k",
        "CF.COUNT k a b",
        "CF.DEL k",
        "CF.DEL k a b",
        "CF.COMPACT",
        "CF.COMPACT k x",
        "CF.INFO",
        "CF.INFO k SIZE",
        "CF.SCANDUMP k",
        "CF.LOADCHUNK k 1",
        "PETAL.NOTE k a",
    ],
)
def test_a_wrong_number_of_arguments(wire, words):
    name = words.split()[0]
    reply = wire(*words.split()).decode()
    assert (
        reply.lower() == f"-err wrong number of arguments for '{name.lower()}' command\r\n"
    )
    assert wire("EXISTS", "k") == number(0)


def test_a_position_that_is_not_one(wire):
    wire("CF.ADD", "k", "a")
    for position in ("x", "-1", "", "1.5"):
        assert wire("CF.SCANDUMP", "k", position) == b"-Invalid position\r\n"


def test_info_has_eight_pairs_in_order(wire, protocol, r):
    assert wire("CF.RESERVE", "k", "1000") == OK
    assert wire("CF.RESERVE", "k", "1000") == b"-ERR item exists\r\n"
    wire("CF.INSERT", "k", "ITEMS", "a", "b", "b")
    wire("CF.DEL", "k", "b")
    lines = wire("CF.INFO", "k").split(b"\r\n")
    assert lines[0] == {2: b"*16", 3: b"%8"}[protocol]
    assert [line.decode() for line in lines[1:-1:2]] == ["+" + title for title in TITLES]
    values = dict(zip(TITLES, (int(line[1:]) for line in lines[2::2])))
    assert 0 <= r.memory_usage("k") - values.pop("Size") < 200
    assert values.pop("Number of buckets") == stats(r, "k")["bits"] // 512
    assert values == {
        "Number of filters": 1,
        "Number of items inserted": 2,
        "Number of items deleted": 0,
        "Bucket size": 2,
        "Expansion rate": 1,
        "Max iterations": 20,
    }


@pytest.mark.parametrize("expansion", [0, 3])
def test_info_shows_what_was_reserved(start, expansion):
    """After a restart, and in a copy, too."""
    server = start()
    r = server.client()
    r.execute_command(
        "cf.reserve",
        "k",
        "100000",
        "bucketsize",
        "255",
        "maxiterations",
        "65535",
        "expansion",
        expansion,
    )
    r.execute_command("CF.ADD", "k", "a")
    r.copy("k", "copy")
    r.save()
    server.kill()
    r = server.start().client()
    for key in ("k", "copy"):
        shown = info(r, key)
        assert (shown["Bucket size"], shown["Max iterations"], shown["Expansion rate"]) == (
            255,
            65535,
            expansion,
        )
        assert r.execute_command("CF.COUNT", key, "a") == 1
    assert stats(r, "k")["notes"] == {"bucket_size": "255", "max_iterations": "65535"}


def test_an_empty_filter_is_small_and_has_no_notes(r):
    r.execute_command("CF.ADD", "k", "a")
    assert info(r, "k")["Size"] <= 4096
    assert "notes" not in stats(r, "k")


def test_notes(r, wire):
    r.execute_command("CF.ADD", "k", "a")
    assert wire("PETAL.NOTE", "k", "label", "grün") == OK
    assert stats(r, "k")["notes"] == {"label": "grün"}
    bad = b"-ERR not a valid note; use up to 32 of a-z and _ as its name, and a short line of text\r\n"
    for name, text in (
        ("Label", "x"),
        ("", "x"),
        ("a" * 33, "x"),
        ("label", "x" * 4096),
        ("label", "a\nb"),
        (b"la\0", "x"),
        ("label", b"x\0y"),
        ("label", b"\xff"),
    ):
        assert wire("PETAL.NOTE", "k", name, text) == bad
    assert wire("PETAL.NOTE", "k", "label", "") == OK
    assert "notes" not in stats(r, "k")
    assert wire("PETAL.NOTE", "none", "label", "x") == NOT_FOUND


def test_a_full_filter_of_fixed_size(wire, protocol, r):
    t, full = TRUE[protocol], {2: number(-1), 3: FALSE[3]}[protocol]
    assert wire("CF.RESERVE", "k", "4", "EXPANSION", "0") == OK
    assert wire("CF.INSERT", "k", "ITEMS", "a", "b", "b") == array(t, t, t)
    assert wire("CF.INSERT", "k", "ITEMS", "c", "d", "a") == array(t, full, full)
    assert wire("CF.ADD", "k", "d") == b"-Filter is full\r\n"
    assert wire("CF.ADD", "k", "a") == b"-Filter is full\r\n"
    assert wire("CF.ADDNX", "k", "d") == b"-Filter is full\r\n"
    assert wire("CF.ADDNX", "k", "a") == FALSE[protocol]
    assert wire("CF.INSERTNX", "k", "ITEMS", "a", "d") == array(number(0), number(-1))
    assert wire("BF.ADD", "k", "d") == b"-ERR non scaling filter is full\r\n"
    assert (
        info(r, "k")["Number of items inserted"] == 4
        and info(r, "k")["Expansion rate"] == 0
    )
    assert wire("CF.DEL", "k", "b") == t  # makes room
    assert wire("CF.ADD", "k", "d") == t
    assert wire("CF.MEXISTS", "k", "a", "b", "c", "d") == array(t, t, t, t)


def test_a_fixed_filter_takes_exactly_its_capacity(r):
    r.execute_command("CF.RESERVE", "k", "5000", "EXPANSION", "0")
    assert (
        r.execute_command("CF.INSERT", "k", "ITEMS", *names(0, 6000))
        == [1] * 5000 + [-1] * 1000
    )
    assert all_exist(r, "k", names(0, 5000))


def test_the_sixteenth_copy_is_not_counted_and_fifteen_stay(r):
    assert r.execute_command("CF.INSERT", "k", "ITEMS", *["a"] * 20, "b") == [1] * 21
    assert r.execute_command("CF.COUNT", "k", "a") == COPIES_MAX
    assert info(r, "k")["Number of items inserted"] == COPIES_MAX + 1
    assert [r.execute_command("CF.DEL", "k", "a") for _ in range(20)] == [1] * 20
    assert r.execute_command("CF.COUNT", "k", "a") == COPIES_MAX
    r.execute_command("CF.INSERT", "k", "ITEMS", *["a"] * 100000)
    assert info(r, "k")["Size"] <= 4096


def test_any_bytes_are_a_key(wire, protocol):
    keys = [b"", b"\0", b"\xff" * 300, b"a\r\nb", "grün".encode(), b"x" * 100000]
    assert wire("CF.INSERT", "k", "ITEMS", *keys) == array(*[TRUE[protocol]] * len(keys))
    assert wire("CF.MEXISTS", "k", *keys) == array(*[TRUE[protocol]] * len(keys))


def test_an_item_that_is_rejected_is_an_error_in_its_place(wire, protocol):
    wire("PETAL.RESERVE", "k", "kind=quotient", "form=ip", "capacity=100")
    bad = wire("CF.ADD", "k", "no address")
    assert bad.startswith(b"-ERR the key is not valid")
    assert wire("CF.INSERT", "k", "ITEMS", "10.0.0.1", "no address", "10.0.0.2") == array(
        TRUE[protocol], bad, TRUE[protocol]
    )
    assert wire("CF.INSERTNX", "k", "ITEMS", "10.0.0.1", "no address") == array(
        number(0), bad
    )
    assert wire("CF.DEL", "k", "no address") == bad


# ---- Against a model ----


def test_a_hundred_thousand_items_agree_with_an_exact_multiset(start):
    """At this rate, and with a fixed secret, no two of these items have the same
    fingerprint."""
    r = start(
        module_arguments=(
            "cf-error-rate",
            "1e-6",
            "cf-initial-size",
            "100",
            "bf-keyed",
            "no",
        )
    ).client()
    choose, model, items = random.Random(1), collections.Counter(), names(0, 100000)
    insert(r, "k", items)
    model.update(items)
    for _ in range(40):
        some = choose.sample(items, 5000)
        pipeline = r.pipeline(transaction=False)
        expected = []
        for item in some:
            command = choose.choice(["CF.ADD", "CF.DEL", "CF.DEL", "CF.ADDNX"])
            pipeline.execute_command(command, "k", item)
            expected.append(
                int(command == "CF.ADD" or (model[item] > 0) == (command == "CF.DEL"))
            )
            model[item] += {"CF.ADD": 1, "CF.DEL": -expected[-1], "CF.ADDNX": expected[-1]}[
                command
            ]
        assert pipeline.execute() == expected
    pipeline = r.pipeline(transaction=False)
    for item in items:
        pipeline.execute_command("CF.COUNT", "k", item)
    assert max(model.values()) < COPIES_MAX
    assert pipeline.execute() == [model[item] for item in items]
    assert info(r, "k")["Number of items inserted"] == sum(model.values())
    assert info(r, "k")["Number of filters"] > 1
    before = info(r, "k")["Size"]
    for item in items[5000:]:
        for _ in range(model[item]):
            pipeline.execute_command("CF.DEL", "k", item)
    assert set(pipeline.execute()) == {1}
    assert r.execute_command("CF.COMPACT", "k") == b"OK"
    assert info(r, "k")["Size"] < before / 4
    assert all_exist(r, "k", [item for item in items[:5000] if model[item]])


@pytest.mark.parametrize(
    "rate, found_max", [(0.01, 2274), (0.001, 288)]
)  # exceeded once in 10^9 runs
def test_a_filter_that_grows_keeps_every_item_and_its_rate(start, rate, found_max):
    r = start(
        module_arguments=("cf-error-rate", str(rate), "cf-initial-size", "10")
    ).client()
    insert(r, "k", names(0, 100000))
    assert all_exist(r, "k", names(0, 100000))
    others = [f"out-{i}" for i in range(200000)]
    found = sum(
        sum(r.execute_command("CF.MEXISTS", "k", *others[at : at + 1000]))
        for at in range(0, len(others), 1000)
    )
    assert found < found_max


# ---- Filters that are growing ----


def is_moving(r, key):
    """Has the filter two tables, because its items are being moved to the larger one?"""
    return info(r, key)["Size"] > 1.5 * stats(r, key)["bits"] / 8


def grow_until_moving(r, key):
    """A filter with two stages.  Some items of the second are in a table that is being
    replaced.  Returns the items."""
    assert (
        r.execute_command("CF.RESERVE", key, "4", "BUCKETSIZE", "1", "EXPANSION", "2")
        == b"OK"
    )
    insert(r, key, names(0, 30000))
    for n in range(30000, 60000, 10):
        insert(r, key, names(n, n + 10))
        if is_moving(r, key):
            break
    assert is_moving(r, key) and info(r, key)["Number of filters"] == 2
    return names(0, n + 10)


def use(r, key, items):
    """Adds and deletes items while others are moved.  Returns those that remain."""
    more = [f"more-{i}" for i in range(3000)]
    insert(r, key, more, 100)
    for item in items[:1000]:
        assert r.execute_command("CF.DEL", key, item) == 1
    return items[1000:] + more


def test_rdb_of_a_filter_that_is_growing(start):
    server = start()
    r = server.client()
    items = grow_until_moving(r, "k")
    saved = r.lastsave()
    r.bgsave()
    wait_until(
        lambda: not r.info("persistence")["rdb_bgsave_in_progress"], "the file is written"
    )
    assert r.lastsave() >= saved and is_moving(r, "k")
    server.kill()
    loaded = server.start().client()
    assert all_exist(loaded, "k", items)
    assert info(loaded, "k")["Number of items inserted"] == len(items)
    for _ in range(2):  # also in a filter that was loaded, changed, saved and changed again
        items = use(loaded, "k", items)
        before = dump(loaded, "k")
        loaded.save()
        server.kill()
        loaded = server.start().client()
        assert dump(loaded, "k") == before and all_exist(loaded, "k", items)
        assert info(loaded, "k")["Number of items inserted"] == len(items)


@pytest.mark.parametrize("preamble", ["yes", "no"])
def test_aof_of_a_filter_that_is_growing(start, preamble):
    server = start(
        "--appendonly", "yes", "--appendfsync", "always", "--aof-use-rdb-preamble", preamble
    )
    r = server.client()
    items = grow_until_moving(r, "k")
    r.execute_command("CF.RESERVE", "fixed", "100", "EXPANSION", "0", "MAXITERATIONS", "7")
    r.execute_command("CF.INSERT", "fixed", "ITEMS", *names(0, 200))
    r.execute_command(
        "CF.INSERTNX", "nx", "CAPACITY", "50", "ITEMS", *names(0, 20), *names(0, 20)
    )
    server.kill()
    r = server.start().client()  # from the commands
    before = {key: dump(r, key) for key in ("k", "fixed", "nx")}
    assert all_exist(r, "k", items)
    assert (
        info(r, "fixed")["Number of items inserted"] == 100
        and info(r, "nx")["Number of items inserted"] == 20
    )
    r.bgrewriteaof()
    wait_until(
        lambda: not r.info("persistence")["aof_rewrite_in_progress"]
        and not r.info("persistence")["aof_rewrite_scheduled"],
        "the rewrite ends",
    )
    server.kill()
    r = server.start().client()  # from the rewritten file
    assert {key: dump(r, key) for key in ("k", "fixed", "nx")} == before
    items = use(r, "k", items)
    after = dump(r, "k")
    server.kill()
    r = server.start().client()  # from both
    assert dump(r, "k") == after and all_exist(r, "k", items)


def test_copy_dump_and_restore_of_a_filter_that_is_growing(r):
    items = grow_until_moving(r, "k")
    r.copy("k", "copy")
    r.restore("restored", 0, r.dump("k"))
    assert r.execute_command("PETAL.LOAD", "loaded", dump(r, "k")) == b"OK"
    for key in ("k", "copy", "restored", "loaded"):
        assert all_exist(r, key, items)
        assert all_exist(r, key, use(r, key, items))
    assert len({dump(r, key) for key in ("k", "copy", "restored", "loaded")}) == 1


def test_memory_of_a_filter_that_is_growing_is_counted(r):
    grow_until_moving(r, "k")
    assert info(r, "k")["Size"] == r.info("bf_filters")["bf_bytes"]
    assert 0 <= r.memory_usage("k") - info(r, "k")["Size"] < 200
    use(r, "k", names(0, 1000))
    assert info(r, "k")["Size"] == r.info("bf_filters")["bf_bytes"]
    r.delete("k")
    wait_until(lambda: r.info("bf_filters")["bf_bytes"] == 0, "its memory is freed")


# ---- Chunks ----


def pieces_of(r, key):
    pieces, position = [], 0
    while True:
        position, data = r.execute_command("CF.SCANDUMP", key, position)
        if position == 0:
            assert data is None
            return pieces
        pieces.append((position, data))


def test_a_filter_dumped_and_loaded_in_chunks_is_the_same(r, wire, protocol):
    items = grow_until_moving(r, "k")
    before = dump(r, "k"), info(r, "k")
    pieces = pieces_of(r, "k")
    assert wire("CF.SCANDUMP", "k", pieces[-1][0]) == array(number(0), NULL[protocol])
    r.delete("k")
    for piece in pieces:
        assert not r.exists("k")
        assert r.execute_command("CF.LOADCHUNK", "k", *piece) == b"OK"
    after = dump(r, "k"), info(r, "k")
    assert after[0] == before[0]
    assert {**after[1], "Size": 0} == {**before[1], "Size": 0}  # one block now
    assert all_exist(r, "k", items)


def test_an_empty_filter_has_no_chunks(wire, protocol):
    wire("CF.RESERVE", "k", "100")
    assert wire("CF.SCANDUMP", "k", "0") == array(number(0), NULL[protocol])
    wire("CF.ADD", "k", "a")
    assert wire("CF.SCANDUMP", "k", "0").startswith(b"*2\r\n:1\r\n$8\r\n")
    wire("CF.DEL", "k", "a")
    assert wire("CF.SCANDUMP", "k", "0") == array(number(0), NULL[protocol])


def test_damaged_chunks_are_refused_and_the_old_filter_stays(r, wire):
    bad = b"-ERR received bad data\r\n"
    insert(r, "source", names(0, 2000))
    first, rest = pieces_of(r, "source")
    r.execute_command("CF.ADD", "k", "old")
    old = dump(r, "k")
    choose = random.Random(2)
    for at in [*range(0, 256, 8), *(choose.randrange(len(rest[1])) for _ in range(200))]:
        damaged = bytearray(rest[1])
        damaged[at] ^= 1 << choose.randrange(8)
        assert wire("CF.LOADCHUNK", "k", *first) == OK
        assert wire("CF.LOADCHUNK", "k", rest[0], bytes(damaged)) == bad, at
    for position, data in (
        (rest[0] + 1, rest[1]),
        (rest[0] - 1, rest[1]),
        (2, b""),
        (1 << 62, rest[1]),
        (rest[0], os.urandom(len(rest[1]))),
    ):
        assert wire("CF.LOADCHUNK", "k", *first) == OK
        assert wire("CF.LOADCHUNK", "k", position, data) == bad
    for data in (b"", b"1234567", b"123456789", b"\0" * 8, b"\xff" * 8):
        wire("CF.LOADCHUNK", "k", 1, data)
        assert wire("CF.LOADCHUNK", "k", *rest) == bad
    assert dump(r, "k") == old
    for piece in (first, rest):
        assert wire("CF.LOADCHUNK", "k", *piece) == OK
    assert dump(r, "k") == dump(r, "source")


# ---- Replicas ----


@pytest.fixture
def silent(start):
    """A master, which sends no pings, and a replica."""
    master = start("--repl-ping-replica-period", "3600")
    replica = start(*following(master))
    wait_synced(master, replica)
    return master, replica


def test_what_changes_nothing_is_not_replicated(silent):
    master, replica = silent
    r = master.client()
    r.execute_command("CF.RESERVE", "full", "4", "EXPANSION", "0")
    r.execute_command("CF.INSERT", "full", "ITEMS", *"abcd")
    r.execute_command("BF.ADD", "bloom", "a")
    wait_synced(master, replica)
    before = offset(master)
    for words in (
        "CF.ADDNX full a",
        "CF.DEL full x",
        "CF.INSERTNX full ITEMS a b",
        "CF.INSERT full ITEMS x y",
        "CF.EXISTS full a",
        "CF.INFO full",
        "CF.SCANDUMP full 0",
    ):
        r.execute_command(*words.split())
    for words in (
        "CF.ADD full x",
        "CF.ADDNX full x",
        "CF.ADD bloom x",
        "CF.DEL bloom a",
        "CF.DEL none a",
        "CF.COMPACT none",
        "CF.RESERVE full 10",
        "CF.RESERVE new 3",
        "CF.INSERT new NOCREATE ITEMS a",
        "CF.LOADCHUNK new 2 x",
        "PETAL.NOTE full A x",
    ):
        with pytest.raises(redis.ResponseError):
            r.execute_command(*words.split())
    assert offset(master) == before
    assert_same(master, replica)


def test_a_replica_that_connects_while_a_filter_grows(start):
    master = start()
    r = master.client()
    items = grow_until_moving(r, "k")
    replica = start(*following(master))
    wait_synced(master, replica)
    assert all_exist(replica.client(), "k", items)
    assert is_moving(r, "k")
    items = use(r, "k", items)
    assert_same(master, replica)
    insert(r, "k", names(100000, 160000))  # it grows several times on both
    assert_same(master, replica)
    assert all_exist(replica.client(), "k", items + names(100000, 160000))


@pytest.mark.parametrize("size", [1, 1000])
def test_a_filter_at_its_limit_is_full_and_its_replica_does_not_grow(start, size):
    """The replica has no limit.  The master could add items without growing, but the
    replica would grow."""
    limit = 40000
    too_large = "Insufficient memory to create filter"
    master = start(module_arguments=("bf-max-filter-bytes", str(limit)))
    replica = start(*following(master))
    wait_synced(master, replica)
    r, items, added = master.client(), names(0, 40000), 0
    for words in ("CF.RESERVE n 1000000", "CF.INSERT n CAPACITY 1000000 ITEMS a"):
        with pytest.raises(redis.ResponseError, match=too_large):
            r.execute_command(*words.split())
    for at in range(0, len(items), size):
        replies = r.execute_command("CF.INSERT", "k", "ITEMS", *items[at : at + size])
        added += replies.count(1)
        if replies.count(-1):
            break
    assert 15000 < added == info(r, "k")["Number of items inserted"]
    assert stats(r, "k")["image_bytes"] <= limit
    sentence = "filter would exceed bf-max-filter-bytes; raise it or use a smaller filter"
    with pytest.raises(redis.ResponseError, match=sentence):
        r.execute_command("CF.ADD", "k", "new")
    assert [str(reply) for reply in r.execute_command("PETAL.ADD", "k", "x", "y")] == [
        sentence
    ] * 2
    assert_same(master, replica)
    for item in items[
        added - 50 : added
    ]:  # they are in the newest stage, so they make room there
        assert r.execute_command("CF.DEL", "k", item) == 1
    assert (
        r.execute_command("CF.INSERT", "k", "ITEMS", *items[added - 50 : added + 10])
        == [1] * 50 + [-1] * 10
    )
    assert_same(master, replica)
    assert all_exist(replica.client(), "k", items[:added])


# ---- The server ----


def test_keyspace_events(server, r):
    r.config_set("notify-keyspace-events", "Kd")
    listener = server.client().pubsub()
    listener.psubscribe("__keyspace@0__:*")
    assert listener.get_message(timeout=LIMIT_SECONDS)["type"] == "psubscribe"
    for words in (
        "CF.ADD k a",
        "CF.ADDNX k a",
        "CF.RESERVE r 100 BUCKETSIZE 4",
        "CF.INSERT r ITEMS a b",
        "CF.INSERTNX r ITEMS a",
        "CF.DEL r a",
        "CF.DEL r x",
        "CF.COMPACT r",
        "CF.EXISTS r a",
        "PETAL.NOTE r label x",
    ):
        r.execute_command(*words.split())
    r.publish("__keyspace@0__:end", "of the events")  # after all others
    heard = []
    while (message := listener.get_message(timeout=LIMIT_SECONDS))[
        "channel"
    ] != b"__keyspace@0__:end":
        heard.append((message["channel"].split(b":")[1].decode(), message["data"].decode()))
    r.config_set("notify-keyspace-events", "")
    assert heard == [
        ("k", "cf.reserve"),
        ("k", "cf.add"),
        ("r", "cf.reserve"),
        ("r", "cf.add"),
        ("r", "cf.del"),
        ("r", "cf.compact"),
        ("r", "petal.note"),
    ]


def test_out_of_memory_refuses_only_commands_that_need_memory(start):
    r = start().client()
    r.execute_command("CF.INSERT", "k", "ITEMS", "a", "b")
    r.config_set("maxmemory", "1")
    for words in (
        "CF.ADD k new",
        "CF.ADDNX k new",
        "CF.INSERT k ITEMS new",
        "CF.INSERTNX k ITEMS new",
        "CF.RESERVE n 100",
        "CF.LOADCHUNK n 1 12345678",
    ):
        with pytest.raises(redis.ResponseError, match="OOM|command not allowed"):
            r.execute_command(*words.split())
    assert r.execute_command("CF.EXISTS", "k", "a") == 1
    assert r.execute_command("CF.DEL", "k", "a") == 1
    assert r.execute_command("CF.COMPACT", "k") == b"OK"


def test_settings_from_load_arguments(start):
    r = start(
        module_arguments=(
            "cf-error-rate",
            "0.002",
            "CF-INITIAL-SIZE",
            "777",
            "cf-expansion-factor",
            "5",
            "cf-bucket-size",
            "3",
            "cf-max-iterations",
            "30",
            "cf-max-expansions",
            "64",
        )
    ).client()
    r.execute_command("CF.ADD", "k", "a")
    assert stats(r, "k")["fpr"] == 0.002 and stats(r, "k")["capacity"] == 777
    shown = info(r, "k")
    assert (shown["Expansion rate"], shown["Bucket size"], shown["Max iterations"]) == (
        5,
        3,
        30,
    )
    r.execute_command(
        "CF.RESERVE",
        "own",
        "100",
        "EXPANSION",
        "0",
        "BUCKETSIZE",
        "2",
        "MAXITERATIONS",
        "20",
    )
    assert stats(r, "own")["fpr"] == 0.002 and "notes" not in stats(r, "own")
    r.execute_command("BF.ADD", "bloom", "a")
    assert stats(r, "bloom")["fpr"] == 0.01


def test_settings_in_config(start):
    r = start().client()
    if not r.config_get("bf*"):
        pytest.skip("makes no sense: this server has no module settings")
    prefix = "" if r.config_get("cf-error-rate") else "bf."
    shown = {
        name[len(prefix) :]: value for name, value in r.config_get(prefix + "cf-*").items()
    }
    assert shown == {
        "cf-error-rate": "0.01",
        "cf-initial-size": "1024",
        "cf-expansion-factor": "1",
        "cf-bucket-size": "2",
        "cf-max-iterations": "20",
        "cf-max-expansions": "32",
    }
    for name, value in (
        ("cf-error-rate", "0.003"),
        ("cf-initial-size", "5000"),
        ("cf-expansion-factor", "0"),
    ):
        r.config_set(prefix + name, value)
        assert r.config_get(prefix + name) == {prefix + name: value}
    r.execute_command("CF.ADD", "k", "a")
    assert (
        stats(r, "k")["fpr"] == 0.003
        and stats(r, "k")["capacity"] == 5000
        and info(r, "k")["Expansion rate"] == 0
    )
    r.execute_command("BF.ADD", "bloom", "a")
    assert stats(r, "bloom")["fpr"] == 0.01
    for name, value in (
        ("cf-error-rate", "1"),
        ("cf-error-rate", "0"),
        ("cf-initial-size", "0"),
        ("cf-initial-size", 2**32),
        ("cf-expansion-factor", "32769"),
        ("cf-bucket-size", "0"),
        ("cf-bucket-size", "256"),
        ("cf-max-iterations", "0"),
        ("cf-max-iterations", "65536"),
        ("cf-max-expansions", "0"),
        ("cf-max-expansions", "65537"),
    ):
        with pytest.raises(redis.ResponseError):
            r.config_set(prefix + name, value)
    assert r.config_get(prefix + "cf-error-rate") == {prefix + "cf-error-rate": "0.003"}


def test_flags_docs_and_categories(server, r):
    commands = {
        name.lower(): command
        for name, command in r.command().items()
        if name.lower().startswith("cf.")
    }
    assert len(commands) == 13
    for name, command in commands.items():
        flags = {f.decode() if isinstance(f, bytes) else f for f in command["flags"]}
        reads = name[3:] in ("exists", "mexists", "count", "info", "scandump")
        grows = not reads and name[3:] not in ("del", "compact")
        assert ("readonly" in flags, "write" in flags, "denyoom" in flags) == (
            reads,
            not reads,
            grows,
        ), name
    with contextlib.closing(server.wire()) as wire:
        if "v=6." not in VERSION:
            assert b"Deletes one copy of an item" in wire("COMMAND", "DOCS", "CF.DEL")
        if b"cuckoo" in wire("ACL", "CAT"):
            assert all(b"@cuckoo" in wire("COMMAND", "INFO", name) for name in commands)
