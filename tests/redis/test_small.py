# SPDX-License-Identifier: BSD-2-Clause
"""Many small filters.  The module packs those that are not in use, so every test uses more
than it keeps awake.

Answers are compared with Python sets, and images with those of filters that were built at
once.
"""
import collections
import random

import pytest
import redis
from servers import PRELOAD, wait_until

AWAKE = 128  # small filters that are ready for use: HELD_OTHERS + 1 in modules/redis/held.h
MANY = 8 * AWAKE


def all_replies(r, commands):
    """The replies to many commands, which are sent in pieces."""
    replies, commands = [], list(commands)
    for at in range(0, len(commands), 1000):
        with r.pipeline(transaction=False) as pipe:
            for words in commands[at : at + 1000]:
                pipe.execute_command(*words)
            replies += pipe.execute()
    return replies


def fill(r, number=MANY, keys=12000, seed=1, name="f{}", command="BF.ADD"):
    """Adds keys to filters in random order.  Some filters get many, most get few.  Returns
    the keys of each filter."""
    rng = random.Random(seed)
    sets, steps = collections.defaultdict(set), []
    for _ in range(keys):
        filter = name.format(int(number * rng.random() ** 3))
        steps.append((filter, f"key-{rng.randrange(keys)}"))
    replies = all_replies(r, ((command, *step) for step in steps))
    for (filter, key), reply in zip(steps, replies):
        assert reply in (0, 1) and not (reply == 1 and key in sets[filter])
        sets[filter].add(key)
    return sets


def check(r, sets, rate=0.01):
    """All keys are found, and not too many others."""
    found = all_replies(
        r, (("BF.MEXISTS", filter, *sorted(keys)) for filter, keys in sets.items())
    )
    assert all(all(flags) for flags in found)
    others = [f"other-{i}" for i in range(10)]
    wrong = sum(
        map(sum, all_replies(r, (("BF.MEXISTS", filter, *others) for filter in sets)))
    )
    expected = 10 * len(sets) * rate
    assert wrong < expected + 7 * expected**0.5 + 7  # seven standard deviations
    for filter, size in zip(sets, all_replies(r, (("BF.CARD", filter) for filter in sets))):
        assert len(sets[filter]) * (1 - 8 * rate) - 1 <= size <= len(sets[filter])


def images(r, names):
    return dict(zip(names, all_replies(r, (("PETAL.DUMP", name) for name in names))))


def digests(r, names):
    return dict(
        zip(names, all_replies(r, (("DEBUG", "DIGEST-VALUE", name) for name in names)))
    )


def test_filters_that_sleep_and_wake_keep_their_keys(r):
    sets = fill(r)
    assert len(sets) > 5 * AWAKE
    check(r, sets)
    check(r, sets)
    assert r.info("bf_filters")["bf_filters"] == len(sets)


def test_images_are_those_of_filters_that_never_slept(start):
    r = start(module_arguments=("bf-keyed", "no")).client()
    sets = fill(r, number=6 * AWAKE)
    kept = images(r, sets)
    r.flushall()
    for filter, keys in sets.items():
        r.execute_command("BF.MADD", filter, *keys)
        assert r.execute_command("PETAL.DUMP", filter) == kept[filter]


def test_a_default_filter_with_one_key_takes_at_most_331_bytes(start, r):
    same = start(
        module_arguments=("bf-keyed", "no")
    ).client()  # all filters have the same cells
    for r in (r, same):
        names = [f"f{100 + i}" for i in range(2 * AWAKE)]
        for name in names:
            r.execute_command("BF.ADD", name, "a")
        sizes = [r.memory_usage(name) for name in names]
        assert (
            max(sizes[:AWAKE]) <= 331 < min(sizes[AWAKE:])
        )  # the last ones are still awake
    assert len(set(sizes[:AWAKE])) == len(set(sizes[AWAKE:])) == 1
    before = r.info("bf_filters")["bf_bytes"]
    assert (
        r.execute_command("BF.EXISTS", names[0], "a") == 1
    )  # wakes one, and another goes to sleep
    assert (
        r.memory_usage(names[0]) == sizes[-1] and r.memory_usage(names[AWAKE]) == sizes[0]
    )
    assert r.info("bf_filters")["bf_bytes"] == before
    r.flushall()
    wait_until(lambda: r.info("bf_filters")["bf_bytes"] == 0, "all memory is freed")


def test_saving_and_loading(start):
    server = start("--appendonly", "no")
    r = server.client()
    sets = fill(r)
    before = images(r, sets)
    assert r.save()
    server.restart()
    r = server.client()
    assert images(r, sets) == before
    check(r, sets)
    assert r.info("bf_filters")["bf_filters"] == len(sets)


@pytest.mark.parametrize("preamble", ["yes", "no"])
def test_append_only_files(start, preamble):
    server = start("--appendonly", "yes", "--aof-use-rdb-preamble", preamble)
    r = server.client()
    sets = fill(r, keys=6000)
    r.bgrewriteaof()
    wait_until(
        lambda: not r.info("persistence")["aof_rewrite_in_progress"]
        and not r.info("persistence")["aof_rewrite_scheduled"],
        "the file is written",
    )
    assert r.info("persistence")["aof_last_bgrewrite_status"] == "ok"
    for filter in list(sets)[: 2 * AWAKE]:
        r.execute_command("BF.ADD", filter, "later")
        sets[filter].add("later")
    before = images(r, sets)
    server.restart()
    r = server.client()
    assert images(r, sets) == before
    check(r, sets)


def test_copies_and_digests(r):
    sets = fill(r, keys=6000)
    before = digests(r, sets)
    assert all(all_replies(r, (("COPY", filter, "copy-" + filter) for filter in sets)))
    assert digests(r, sets) == before
    assert list(digests(r, ["copy-" + filter for filter in sets]).values()) == list(
        before.values()
    )
    for filter in sets:  # neither changes with the other
        r.execute_command("BF.ADD", "copy-" + filter, "only in the copy")
    assert digests(r, sets) == before
    check(
        r, {"copy-" + filter: keys | {"only in the copy"} for filter, keys in sets.items()}
    )


def test_background_threads_free_filters_while_others_are_made(r):
    """And the server forks to save them, at any moment."""
    kept = fill(r, number=3 * AWAKE, keys=3000)
    one = redis.Redis(
        connection_pool=redis.ConnectionPool(
            **{**r.connection_pool.connection_kwargs, "db": 1}
        )
    )
    for turn in range(15):
        fill(one, keys=2000, seed=turn)
        one.flushdb(asynchronous=True)
        if PRELOAD:  # after a fork, clang 14's sanitizer waits for threads that free memory
            wait_until(
                lambda: r.info("memory")["lazyfree_pending_objects"] == 0,
                "the background threads have freed all others",
            )
        if turn % 3 == 0:
            r.bgsave()
        more = fill(r, number=3 * AWAKE, keys=500, seed=turn)
        for filter, keys in more.items():
            kept[filter] |= keys
        wait_until(
            lambda: not r.info("persistence")["rdb_bgsave_in_progress"],
            "the keys are saved",
        )
        assert r.info("persistence")["rdb_last_bgsave_status"] == "ok"
    check(r, kept)
    wait_until(
        lambda: r.info("bf_filters")["bf_filters"] == len(kept), "all others are freed"
    )
    before = images(r, kept)
    r.execute_command("DEBUG", "RELOAD")
    assert images(r, kept) == before


def test_merging_more_filters_than_are_awake(start):
    r = start(module_arguments=("bf-keyed", "no")).client()
    number = 200
    for i in range(number):
        r.execute_command("BF.MADD", f"f{i}", *(f"key-{i}-{k}" for k in range(3)))
    assert (
        r.execute_command("PETAL.MERGE", "all", *(f"f{i}" for i in range(number))) == b"OK"
    )
    assert (
        r.execute_command("PETAL.MERGE", "f7", *(f"f{i}" for i in range(number))) == b"OK"
    )
    keys = {f"key-{i}-{k}" for i in range(number) for k in range(3)}
    check(r, {"all": keys, "f7": keys})
    check(r, {f"f{i}": {f"key-{i}-{k}" for k in range(3)} for i in range(number) if i != 7})


def test_scripts_and_transactions(r):
    script = """for round = 1, 3 do for i = 1, tonumber(ARGV[1]) do
                    redis.call('BF.ADD', 'f' .. i, 'key-' .. round) redis.call('BF.EXISTS', 'f' .. (i * 7 % 100 + 1), 'key-1')
                end end return redis.call('BF.CARD', 'f1')"""
    assert r.eval(script, 0, 3 * AWAKE) == 3
    sets = {f"f{i}": {"key-1", "key-2", "key-3"} for i in range(1, 3 * AWAKE + 1)}
    check(r, sets)
    with r.pipeline(transaction=True) as pipe:
        for i in range(1, 3 * AWAKE + 1):
            pipe.execute_command("BF.ADD", f"f{i}", "key-4")
        pipe.execute()
    check(r, {filter: keys | {"key-4"} for filter, keys in sets.items()})


def test_filters_that_count_keys(r):
    """Filters of CF.* commands are packed in the same way."""
    rng = random.Random(3)
    counts = collections.defaultdict(collections.Counter)
    for _ in range(40):
        steps = [
            (f"f{rng.randrange(3 * AWAKE)}", f"key-{rng.randrange(20)}", rng.random() < 0.3)
            for _ in range(200)
        ]
        # a key is deleted only if it was added: other deletions may hit another key
        commands = []
        for filter, key, deletes in steps:
            deletes = deletes and counts[filter][key] > 0
            counts[filter][key] += -1 if deletes else 1
            commands.append(("CF.DEL" if deletes else "CF.ADD", filter, key))
        assert all(all_replies(r, commands))
    for filter, keys in counts.items():
        for key, n in keys.items():
            assert r.execute_command("CF.COUNT", filter, key) >= min(n, 15)
        assert r.execute_command("CF.INFO", filter)[7] == sum(keys.values())


def test_filters_of_many_shapes(r):
    """More shapes than there are places for: those that find none stay awake."""
    names = [f"f{i}" for i in range(300)]
    for i, name in enumerate(names):
        assert r.execute_command("BF.RESERVE", name, 0.001 + i / 1e5, 100) == b"OK"
        r.execute_command("BF.ADD", name, f"key-{i}")
    assert all_replies(
        r, (("BF.EXISTS", name, f"key-{i}") for i, name in enumerate(names))
    ) == [1] * len(names)
    r.flushall()
    check(r, fill(r, keys=3000))  # places are free again


def test_filters_that_cannot_be_packed(r):
    """Other kinds, and filters with notes, beside those that can."""
    for i in range(3 * AWAKE):
        r.execute_command("BF.ADD", f"plain{i}", f"key-{i}")
        r.execute_command("CF.RESERVE", f"noted{i}", 100, "BUCKETSIZE", 4)
        r.execute_command("CF.ADD", f"noted{i}", f"key-{i}")
        r.execute_command("BF.RESERVE", f"fixed{i}", 0.01, 50, "NONSCALING")
        r.execute_command("BF.ADD", f"fixed{i}", f"key-{i}")
        r.execute_command(
            "PETAL.RESERVE", f"urls{i}", "kind=quotient form=url growth=2 capacity=10"
        )
        r.execute_command("PETAL.ADD", f"urls{i}", f"site-{i}.example/page")
    for i in range(3 * AWAKE):
        for name in ("plain", "noted", "fixed"):
            assert r.execute_command("BF.EXISTS", f"{name}{i}", f"key-{i}") == 1
        assert r.execute_command("PETAL.MATCH", f"urls{i}", f"site-{i}.example/page") != [
            None
        ]
        assert r.execute_command("CF.INFO", f"noted{i}")[11] == 4
    r.execute_command("PETAL.NOTE", "plain0", "label", "noted")
    r.execute_command("BF.ADD", "plain0", "more")
    before = images(r, [key.decode() for key in r.keys()])
    r.execute_command("DEBUG", "RELOAD")
    assert images(r, before) == before


def test_a_small_filter_that_becomes_large(r):
    """It stays awake from then on."""
    sets = fill(r, number=2 * AWAKE, keys=500)
    r.execute_command("BF.MADD", "f0", *range(20000))
    sets["f0"] |= {str(i) for i in range(20000)}
    check(r, sets)
    r.execute_command("BF.ADD", "f0", "one more")
    assert r.execute_command("BF.EXISTS", "f0", "one more") == 1
    assert r.memory_usage("f0") > 20000
