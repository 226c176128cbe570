# SPDX-License-Identifier: BSD-2-Clause
"""What servers do with values of any type: persistence, copies, memory, events,
settings."""
import subprocess

import pytest
import redis
from servers import COMMAND, LIMIT_SECONDS, VERSION, Server, info_of, wait_until

KEYS = [f"key-{i}" for i in range(3000)]
NEW = [
    f"new-{i}" for i in range(30)
]  # at 1%, all 30 are false positives with probability 1e-60


def fill(r, folder):
    """Creates filters of every kind, some grown, one larger than a string in an RDB file.
    Returns name -> image."""
    for name, options in {
        "bitmap": "kind=bitmap bits=100000",
        "classic": "kind=classic capacity=5000 fpr=1e-6",
        "partitioned": "kind=partitioned capacity=5000",
        "blocked": "capacity=5000",
        "split": "kind=split capacity=5000",
        "counting": "kind=counting capacity=5000",
        "large": "capacity=2e6",
        "url": "form=url capacity=5000",
    }.items():
        r.execute_command("PETAL.RESERVE", name, options)
        r.execute_command("PETAL.ADD", name, *(range(3000) if name == "bitmap" else KEYS))
    r.execute_command("BF.MADD", "scalable", *KEYS)
    r.execute_command("BF.ADD", "tiny", "rose")
    r.execute_command("BF.RESERVE", "fixed", "0.01", "10", "NONSCALING")
    subprocess.run(
        [COMMAND, "build", "--quiet", "-k", "ribbon", "-o", folder / "r.petal"],
        check=True,
        input="\n".join(KEYS).encode(),
    )
    r.execute_command("PETAL.LOAD", "ribbon", (folder / "r.petal").read_bytes())
    return images(r)


def images(r):
    return {key.decode(): r.execute_command("PETAL.DUMP", key) for key in r.keys()}


def test_rdb(start, tmp_path):
    server = start()
    before = fill(server.client(), tmp_path)
    server.client().save()
    server.kill()
    r = server.start().client()
    assert images(r) == before
    assert all(r.execute_command("BF.MEXISTS", "scalable", *KEYS))
    assert any(r.execute_command("BF.MADD", "scalable", *NEW))  # and it can still grow


@pytest.mark.parametrize("preamble", ["yes", "no"])
def test_aof(start, tmp_path, preamble):
    """Kills a server that has written everything to disk.  Nothing is lost, before and
    after a rewrite."""
    server = start(
        "--appendonly", "yes", "--appendfsync", "always", "--aof-use-rdb-preamble", preamble
    )
    before = fill(server.client(), tmp_path)
    server.kill()
    r = server.start().client()
    assert images(r) == before
    r.bgrewriteaof()
    wait_until(
        lambda: not r.info("persistence")["aof_rewrite_in_progress"]
        and not r.info("persistence")["aof_rewrite_scheduled"],
        "the rewrite ends",
    )
    for i in range(100):
        r.execute_command("BF.ADD", "scalable", f"late-{i}")
    r.execute_command("PETAL.REMOVE", "counting", KEYS[0])
    before = images(r)
    server.kill()
    r = server.start().client()
    assert images(r) == before
    assert all(
        r.execute_command(
            "BF.MEXISTS", "scalable", *KEYS, *(f"late-{i}" for i in range(100))
        )
    )


def test_a_load_in_chunks_is_restored_from_the_aof(start):
    server = start("--appendonly", "yes", "--appendfsync", "always")
    r = server.client()
    r.execute_command("PETAL.RESERVE", "k", "capacity=200000")
    r.execute_command("PETAL.ADD", "k", *KEYS)
    image = r.execute_command("PETAL.DUMP", "k")
    for at in range(0, len(image), 100000):
        r.execute_command("PETAL.LOADCHUNK", "new", at, len(image), image[at : at + 100000])
    r.execute_command("PETAL.LOADCHUNK", "half", 0, len(image), image[:100000])
    server.kill()
    r = server.start().client()
    assert images(r) == {"k": image, "new": image}


def test_a_load_in_chunks_continues_after_a_restart_from_a_snapshot(start):
    """For servers in which a module can save optional data beside its keys (Redis 7.2,
    Valkey)."""
    server = start("--save", "", "--dbfilename", "dump.rdb")
    r = server.client()
    r.execute_command("PETAL.RESERVE", "k", "capacity=2e6")
    r.execute_command("PETAL.ADD", "k", *KEYS)
    image = r.execute_command("PETAL.DUMP", "k")
    half = len(image) // 2
    r.execute_command("PETAL.LOADCHUNK", "new", 0, len(image), image[:half])
    r.execute_command("PETAL.LOADCHUNK", "begun", 0, len(image), b"")
    r.save()
    server.kill()
    r = server.start().client()
    if "Redis" in VERSION and any(f"v={old}" in VERSION for old in ("6.", "7.0")):
        assert r.info("bf_filters")["bf_loads_in_progress"] == 0
        return
    assert r.info("bf_filters")["bf_loads_in_progress"] == 2
    r.execute_command("PETAL.LOADCHUNK", "new", half, len(image), image[half:])
    assert r.execute_command("PETAL.DUMP", "new") == image
    r.flushall()
    r.save()
    server.module = ()  # the file has no data of the module, so it loads without it
    assert server.restart().client().dbsize() == 0


def test_merging_needs_only_read_permission_for_the_sources(server, r):
    if "v=6." in VERSION:
        pytest.skip("makes no sense: this server has no read-only key permissions")
    r.execute_command("ACL", "SETUSER", "reader", "on", "nopass", "+@all", "~d*", "%R~src")
    mine = server.client(username="reader", password="x")
    r.execute_command("PETAL.RESERVE", "src", "capacity=100")
    assert mine.execute_command("PETAL.MERGE", "dest", "src")
    assert mine.execute_command("PETAL.RESERVE", "d", "LIKE", "src")
    for words in (
        "PETAL.MERGE src dest",
        "PETAL.RESERVE other LIKE src",
        "BF.ADD src x",
        "PETAL.RESERVE x LIKE other",
    ):
        with pytest.raises(redis.ResponseError, match="permission"):
            mine.execute_command(*words.split())
    r.execute_command("ACL", "DELUSER", "reader")


def test_too_few_arguments_do_no_harm(server, r):
    """The user may use only some keys, so the server asks the module which arguments are
    keys."""
    r.execute_command("ACL", "SETUSER", "some", "on", "nopass", "+@all", "~some*")
    some = server.client(username="some", password="x")
    for name in [n for n in r.command() if n.lower().startswith(("bf.", "petal."))]:
        for words in ([], ["some"], ["some", "x"], ["some", "LIKE", "some", "more"]):
            with pytest.raises(redis.ResponseError):
                some.execute_command(name, *words)
                raise redis.ResponseError("the command succeeded")
    r.execute_command("ACL", "DELUSER", "some")
    assert server.lives()


def test_filters_above_the_limit_load_from_files_only(start, tmp_path):
    """Filters in a file were accepted once.  Lowering the limit loses none of them."""
    server = start()
    before = fill(server.client(), tmp_path)
    server.client().save()
    server.kill()
    server.module += ("bf-max-filter-bytes", "2048")
    r = server.start().client()
    assert images(r) == before
    with pytest.raises(redis.ResponseError, match="would exceed bf-max-filter-bytes"):
        r.execute_command("PETAL.LOAD", "new", before["large"])
    payload = r.dump("large")
    with pytest.raises(redis.ResponseError, match="Bad data format"):
        r.restore("new", 0, payload)
    assert "cannot load a filter: filter would exceed" in server.log()


def test_dump_and_restore(r, tmp_path):
    before = fill(r, tmp_path)
    payloads = {key: r.dump(key) for key in before}
    r.flushall()
    for key, payload in payloads.items():
        r.restore(key, 0, payload)
    assert images(r) == before


def test_a_copy_is_independent(r, tmp_path):
    before = fill(r, tmp_path)
    for key in before:
        assert r.copy(key, "copy")
        assert r.execute_command("PETAL.DUMP", "copy") == before[key]
        if key not in ("ribbon", "bitmap"):
            r.execute_command("PETAL.ADD", "copy", *NEW)
            assert (
                r.execute_command("PETAL.DUMP", key)
                == before[key]
                != r.execute_command("PETAL.DUMP", "copy")
            )
        r.delete("copy")


def test_the_digest_depends_on_the_image_only(r, tmp_path):
    digest = lambda key: r.execute_command("DEBUG", "DIGEST-VALUE", key)[0]
    before = fill(r, tmp_path)
    seen = {digest(key) for key in before}
    assert len(seen) == len(before)
    r.copy("scalable", "copy")
    assert digest("copy") == digest("scalable")
    r.execute_command("BF.MADD", "copy", *NEW)
    assert digest("copy") != digest("scalable")
    r.execute_command("BF.MADD", "scalable", *NEW)
    assert digest("copy") == digest("scalable")


def test_an_empty_filter_takes_at_most_1_kib(r):
    r.execute_command("BF.INSERT", "k", "ITEMS", "a")
    assert dict(zip(*[iter(r.execute_command("BF.INFO", "k"))] * 2))[b"Size"] <= 1024
    assert info_of(r, "k", "CAPACITY") == 100


def test_memory_usage_is_exact(r):
    """The sizes of all filters add up to what the library allocated.  BF.INFO reports the
    size of each."""
    r.execute_command("BF.MADD", "grown", *KEYS)
    r.execute_command("PETAL.RESERVE", "large", "capacity=2e6")
    r.execute_command("PETAL.LOAD", "loaded", r.execute_command("PETAL.DUMP", "large"))
    r.copy("grown", "copied")
    size = lambda key: info_of(r, key, "SIZE")
    assert sum(size(key) for key in r.keys()) == r.info("bf_filters")["bf_bytes"]
    for key in r.keys():
        # MEMORY USAGE also counts the key's name and entry
        assert 0 <= r.memory_usage(key) - size(key) < 200
    used = r.info("memory")["used_memory"]
    freed = size(b"large")
    r.execute_command("DEL", "large")
    wait_until(
        lambda: r.info("bf_filters")["bf_filters"] == 3,
        "the filter is freed, possibly in the background",
    )
    assert abs(used - r.info("memory")["used_memory"] - freed) < 16384


def test_large_filters_are_freed_in_the_background(r):
    before = r.info("memory")["lazyfreed_objects"]
    r.execute_command("BF.ADD", "small", "x")
    r.execute_command("PETAL.RESERVE", "large", "capacity=2e6")
    r.unlink("small")
    assert r.info("memory")["lazyfreed_objects"] == before
    r.unlink("large")
    wait_until(
        lambda: r.info("memory")["lazyfreed_objects"] == before + 1, "the filter is freed"
    )
    wait_until(lambda: r.info("bf_filters")["bf_bytes"] == 0, "its memory is freed")
    assert r.info("bf_filters")["bf_filters"] == 0


def test_keyspace_events(server, r):
    r.config_set("notify-keyspace-events", "Kd")
    listener = server.client().pubsub()
    listener.psubscribe("__keyspace@0__:*")
    assert listener.get_message(timeout=LIMIT_SECONDS)["type"] == "psubscribe"
    for words in (
        "BF.ADD k a",
        "BF.ADD k a",
        "BF.MADD k a b",
        "PETAL.RESERVE c kind=counting capacity=10",
        "PETAL.ADD c x",
        "PETAL.REMOVE c x",
        "PETAL.RESERVE d LIKE c",
        "PETAL.MERGE c d",
        "BF.EXISTS k a",
    ):
        r.execute_command(*words.split())
    r.execute_command("PETAL.LOAD", "l", r.execute_command("PETAL.DUMP", "k"))
    r.publish("__keyspace@0__:end", "of the events")  # after all others
    heard = []
    while (message := listener.get_message(timeout=LIMIT_SECONDS))[
        "channel"
    ] != b"__keyspace@0__:end":
        heard.append((message["channel"].split(b":")[1].decode(), message["data"].decode()))
    r.config_set("notify-keyspace-events", "")
    assert heard == [
        ("k", "bf.reserve"),
        ("k", "bf.add"),
        ("k", "bf.add"),
        ("c", "bf.reserve"),
        ("c", "bf.add"),
        ("c", "petal.remove"),
        ("d", "bf.reserve"),
        ("c", "petal.merge"),
        ("l", "petal.load"),
    ]


def test_watch_notices_changes_only(server, r):
    r.execute_command("BF.ADD", "k", "a")
    for words, changes in (
        ("BF.ADD k b", True),
        ("BF.ADD k a", False),
        ("BF.EXISTS k a", False),
        ("BF.MADD k a b", False),
        ("BF.MADD k a c", True),
    ):
        with r.pipeline() as transaction:
            transaction.watch("k")
            server.client().execute_command(*words.split())
            transaction.multi()
            transaction.ping()
            if changes:
                with pytest.raises(redis.WatchError):
                    transaction.execute()
            else:
                assert transaction.execute() == [True]


def test_info_counters(start):
    r = start(
        module_arguments=("bf-keyed", "no")
    ).client()  # the same false positives in every run
    r.execute_command("BF.MADD", "k", *KEYS)
    r.execute_command("BF.MEXISTS", "k", KEYS[0], "x", "y")
    with pytest.raises(redis.ResponseError):
        r.execute_command("PETAL.LOAD", "l", "rose")
    info = r.info("bf_filters")
    assert info.pop("bf_bytes") == info_of(r, "k", "SIZE")
    assert info == {
        "bf_filters": 1,
        "bf_adds": 3000,
        "bf_lookups": 3,
        "bf_found": 1,
        "bf_growths": 1,
        "bf_refused": 0,
        "bf_loads": 0,
        "bf_loads_refused": 1,
        "bf_loads_in_progress": 0,
        "bf_loads_bytes": 0,
        "bf_tasks": 0,
        "bf_tasks_at_once": 0,
        "bf_tasks_in_progress": 0,
    }


def test_out_of_memory_refuses_only_commands_that_need_memory(start):
    r = start().client()
    r.execute_command("BF.MADD", "k", *KEYS)
    r.execute_command("PETAL.RESERVE", "c", "kind=counting capacity=100")
    r.execute_command("PETAL.ADD", "c", "x")
    r.config_set("maxmemory", "1")
    for words in (
        "BF.ADD k new",
        "BF.MADD k new",
        "BF.INSERT k ITEMS new",
        "BF.RESERVE n 0.01 100",
        "BF.LOADCHUNK n 1 12345678",
        "PETAL.ADD c y",
        "PETAL.RESERVE n capacity=10",
        "PETAL.LOAD n x",
        "PETAL.LOADCHUNK n 0 9 x",
        "PETAL.MERGE c c",
    ):
        with pytest.raises(redis.ResponseError, match="OOM|command not allowed"):
            r.execute_command(*words.split())
    assert r.execute_command("BF.EXISTS", "k", KEYS[0]) == 1
    assert r.execute_command("PETAL.REMOVE", "c", "x") == [1]


def test_the_size_limit(start):
    r = start(module_arguments=("bf-max-filter-bytes", "20000")).client()
    with pytest.raises(redis.ResponseError, match="Insufficient memory to create filter"):
        r.execute_command("BF.RESERVE", "k", "0.01", "100000")
    replies = r.execute_command("BF.MADD", "k", *(f"key-{i}" for i in range(100000)))
    full = "filter would exceed bf-max-filter-bytes; raise it or use a smaller filter"
    assert str(replies[-1]) == full and len(replies) < 100000
    assert info_of(r, "k", "SIZE") <= 20000 * 1.25 + 1024  # the server rounds blocks up
    assert all(
        r.execute_command("BF.MEXISTS", "k", *(f"key-{i}" for i in range(len(replies) - 1)))
    )
    with pytest.raises(redis.ResponseError, match=full):
        for key in NEW:
            r.execute_command("BF.ADD", "k", key)
    assert r.execute_command("BF.ADD", "k", "key-0") == 0
    assert r.execute_command("BF.CARD", "k") == sum(replies[:-1])


def test_settings_from_load_arguments(start):
    r = start(
        module_arguments=(
            "bf-error-rate",
            "0.002",
            "BF-INITIAL-SIZE",
            "777",
            "bf-expansion-factor",
            "0",
            "bf-keyed",
            "no",
            "bf-max-filter-bytes",
            "2kb",
        )
    ).client()
    with pytest.raises(redis.ResponseError, match="Insufficient memory"):
        r.execute_command("BF.RESERVE", "large", "0.01", "10000")
    r.execute_command("BF.ADD", "k", "a")
    stats = r.execute_command("PETAL.STATS", "k")
    assert (
        b'"fpr": 0.002' in stats
        and b'"capacity": 777' in stats
        and b'"hash": "fast"' in stats
    )
    assert info_of(r, "k", "EXPANSION") is None


def test_the_load_arguments_of_other_modules(start):
    """RedisBloom has these three; names with dashes are those of its settings since version
    8."""
    server = start(
        module_arguments=(
            "ERROR_RATE",
            "0.002",
            "INITIAL_SIZE",
            "777",
            "CF_MAX_EXPANSIONS",
            "16",
            "bf-expansion-factor",
            "4",
            "cf-bucket-size",
            "4",
        )
    )
    r = server.client()
    r.execute_command("BF.ADD", "k", "a")
    assert b'"fpr": 0.002' in r.execute_command("PETAL.STATS", "k")
    assert info_of(r, "k", "CAPACITY") == 777
    assert info_of(r, "k", "EXPANSION") == 4
    for name in ("CF_MAX_EXPANSIONS", "cf-bucket-size"):
        assert f"{name}: has no effect" in server.log()


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (
            ("bf-error-rate", "2"),
            "bf-error-rate: invalid value; expected a number between 0 and 1",
        ),
        (
            ("bf-initial-size", "0"),
            "bf-initial-size: invalid value; expected a number from 1 to 1073741824",
        ),
        (("bf-keyed", "perhaps"), "bf-keyed: invalid value; expected yes or no"),
        (
            ("bf-max-filter-bytes", "2tb"),
            "bf-max-filter-bytes: invalid value; expected a number of bytes such as 512mb, or 0 for the memory of the machine",
        ),
        (
            ("bf-max-filter-bytes", "kb"),
            "bf-max-filter-bytes: invalid value; expected a number of bytes such as 512mb, or 0 for the memory of the machine",
        ),
        (("bf-keyed",), "bf-keyed: missing value; expected yes or no"),
        (("bf-colour", "red"), "bf-colour: unknown setting"),
        (
            ("ERROR_RATE", "x"),
            "ERROR_RATE: invalid value; expected a number between 0 and 1",
        ),
        (("keyed_", "yes"), "keyed_: unknown setting"),
    ],
)
def test_an_invalid_load_argument_is_logged(tmp_path, arguments, sentence):
    with pytest.raises(AssertionError):
        Server(tmp_path, module_arguments=arguments)
    assert sentence in (tmp_path / "log").read_text()


def test_settings_in_config(server, r, start):
    names = [name for name in r.config_get("bf*")]
    if not names:
        pytest.skip("makes no sense: this server has no module settings")
    dash = "bf-" if "bf-error-rate" in names else "bf."
    shown = {
        name: value for name, value in r.config_get("bf*").items() if "cf-" not in name
    }  # test_cf.py has those
    assert shown == {
        dash + "error-rate": "0.01",
        dash + "initial-size": "100",
        dash + "expansion-factor": "2",
        dash + "max-filter-bytes": "0",
        dash + "keyed": "yes",
    }
    server = start()
    r = server.client()
    r.config_set(dash + "error-rate", "0.003")
    r.config_set(dash + "initial-size", "5000")
    r.config_set(dash + "max-filter-bytes", "1mb")
    r.execute_command("BF.ADD", "k", "a")
    assert b'"fpr": 0.003' in r.execute_command("PETAL.STATS", "k")
    assert info_of(r, "k", "CAPACITY") == 5000
    assert r.config_get(dash + "error-rate") == {dash + "error-rate": "0.003"}
    for name, value in (
        ("error-rate", "1.5"),
        ("error-rate", "x"),
        ("initial-size", "0"),
        ("expansion-factor", "40000"),
    ):
        with pytest.raises(redis.ResponseError):
            r.config_set(dash + name, value)
    assert r.config_get(dash + "error-rate") == {dash + "error-rate": "0.003"}


def test_name_and_version_are_those_that_clients_expect(r):
    modules = [
        m if isinstance(m, dict) else dict(zip(*[iter(m)] * 2))
        for m in r.execute_command("MODULE", "LIST")
    ]
    versions = {m.get("name", m.get(b"name")): m.get("ver", m.get(b"ver")) for m in modules}
    assert versions[b"bf"] >= 20400
    commands = r.execute_command(
        "COMMAND", "INFO", "BF.ADD", "BF.EXISTS", "PETAL.MERGE", "PETAL.RESERVE"
    )
    assert all(commands)


def test_flags_of_each_command(r):
    for name, command in r.command().items():
        if not name.lower().startswith(("bf.", "petal.")):
            continue
        flags = {f.decode() if isinstance(f, bytes) else f for f in command["flags"]}
        reads = name.split(".")[1].lower() in (
            "exists",
            "mexists",
            "card",
            "info",
            "debug",
            "scandump",
            "dump",
            "match",
            "count",
            "stats",
        )
        grows = not reads and name.lower() != "petal.remove"
        assert ("readonly" in flags, "write" in flags, "denyoom" in flags) == (
            reads,
            not reads,
            grows,
        ), name


def test_command_docs_and_arity(server):
    if "v=6." in VERSION:
        pytest.skip("makes no sense: this server has no COMMAND DOCS")
    wire = server.wire()
    assert b"Adds an item, and creates the filter if needed" in wire(
        "COMMAND", "DOCS", "BF.ADD"
    )
    assert b"summary" in wire("COMMAND", "DOCS", "PETAL.MATCH")
    insert = wire("COMMAND", "DOCS", "BF.INSERT")
    for word in (
        b"key_spec_index",
        b"CAPACITY",
        b"integer",
        b"double",
        b"NOCREATE",
        b"pure-token",
        b"optional",
        b"ITEMS",
        b"multiple",
    ):
        assert word in insert
    assert b"oneof" in wire("COMMAND", "DOCS", "BF.INFO") and b"block" in wire(
        "COMMAND", "DOCS", "PETAL.DUMP"
    )
    wire("MULTI")
    assert wire("BF.ADD", "k").startswith(
        b"-ERR wrong number of arguments"
    )  # when it is queued
    wire.close()


def test_commands_are_shown_in_lower_case(server, r):
    r.execute_command("Bf.AdD", "k", "a")
    assert "cmdstat_bf.add" in r.info("commandstats")
    r.execute_command("ACL", "SETUSER", "u", "+bf.add", "+PETAL.ADD")
    assert b"bf.add" in b" ".join(str(x).encode() for x in r.execute_command("ACL", "LIST"))
    wire = server.wire()
    assert wire("BF.ADD", "k") == b"-ERR wrong number of arguments for 'bf.add' command\r\n"
    wire.close()


def test_a_second_module_of_the_same_name_is_refused(server, r):
    with pytest.raises(redis.ResponseError):
        r.execute_command("MODULE", "LOAD", server.module[1])
    assert server.lives()


def test_expiry(r):
    r.execute_command("BF.ADD", "k", "a")
    r.pexpire("k", 30)
    wait_until(lambda: r.execute_command("BF.EXISTS", "k", "a") == 0, "the key has expired")
    assert not r.exists("k")
    r.execute_command("BF.ADD", "k", "a")
    assert r.ttl("k") == -1
