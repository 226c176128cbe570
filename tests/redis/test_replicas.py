# SPDX-License-Identifier: BSD-2-Clause
"""Replicas: every command that changes a filter on the master gives the same bytes on its
replicas.

A case is a list of commands and the members that its filters then have.  Each case runs as
plain commands, in MULTI and EXEC, and from a script.  Then the images of all filters are
compared.
"""
import contextlib
import hashlib
import os
import resource
import signal
import subprocess

import pytest
import redis
from servers import COMMAND, PRELOAD, VALKEY, Server, info_of, wait_until

WORDS = [f"word-{i}" for i in range(6400)]
ITEMS = () if VALKEY else ("ITEMS", "x")  # Valkey can do without
NUMBERS = [str(i) for i in range(0, 4000, 17)]
PART = 16 << 20  # the largest chunk that the module sends, in bytes


# ---- Comparing ----


def info(server, section, field):
    return server.client().info(section).get(field)


def synced(master, replica):
    """Has the replica received all that the master sent?"""
    return info(replica, "replication", "master_link_status") == "up" and info(
        replica, "replication", "slave_repl_offset"
    ) == info(master, "replication", "master_repl_offset")


def wait_synced(master, *replicas):
    for replica in replicas:
        wait_until(
            lambda: synced(master, replica), f"the replica is in sync\n{replica.log()}"
        )


def databases(server):
    return [int(name[2:]) for name in server.client().info("keyspace")]


def contents(server):
    """All keys of all databases: images, digests, and whether they expire."""
    found = {}
    for db in databases(server):
        r = server.client(db=db)
        for key in r.keys():
            image = r.execute_command("PETAL.DUMP", key)
            found[db, key] = (
                len(image),
                hashlib.sha256(image).hexdigest(),
                r.execute_command("DEBUG", "DIGEST-VALUE", key),
                r.ttl(key) > 0,
            )
    return found


def assert_members(server, members, db=0):
    r = server.client(db=db)
    for key, items in members.items():
        assert all(r.execute_command("BF.MEXISTS", key, *items)), key


def assert_same(master, *replicas):
    """Checks that all filters are identical and that the replica refused no command."""
    wait_synced(master, *replicas)
    expected = contents(master)
    for replica in replicas:
        assert contents(replica) == expected
        assert "CRITICAL" not in replica.log()  # logged by a replica that refuses a command


# ---- Cases ----


def petal(*words, text=""):
    subprocess.run(
        [COMMAND, *words], input=text, text=True, check=True, capture_output=True
    )


def build(folder, kind, *options, words=WORDS[:1000]):
    """The filter file that the command builds from these words."""
    path = folder / "f.petal"
    petal(
        "build",
        "-k",
        kind,
        *options,
        "--force",
        "--quiet",
        "-o",
        str(path),
        text="\n".join(words) + "\n",
    )
    return path.read_bytes()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    made = {
        kind: build(folder, kind)
        for kind in (
            "classic",
            "partitioned",
            "blocked",
            "split",
            "counting",
            "scalable",
            "ribbon",
        )
    }
    made["bitmap"] = build(folder, "bitmap", "-m", "8000", words=NUMBERS)
    made["keyed ribbon"] = build(folder, "ribbon", "-O", "hash=keyed")
    return made


def parts(image, n):
    """Splits an image into n parts, each with its offset."""
    step = len(image) // n + 1
    return [(at, image[at : at + step]) for at in range(0, len(image), step)]


def load_in_parts(key, image, n):
    return [("PETAL.LOADCHUNK", key, at, len(image), part) for at, part in parts(image, n)]


def load_in_pieces(key, image, n):
    """Chunks as BF.SCANDUMP returns them: first the length, then parts numbered by their
    end."""
    return [
        ("BF.LOADCHUNK", key, 1, len(image).to_bytes(8, "little")),
        *(
            ("BF.LOADCHUNK", key, at + len(piece) + 1, piece)
            for at, piece in parts(image, n)
        ),
    ]


def case_reserve(files):
    a, b = WORDS[:50], WORDS[40:300]
    return [
        ("BF.RESERVE", "plain", "0.01", "1000"),
        ("BF.RESERVE", "wide", "0.001", "50", "EXPANSION", "4"),
        ("BF.RESERVE", "capped", "0.9", "100", "NONSCALING"),
        ("BF.RESERVE", "fixed", "1e-6", "300", "EXPANSION", "0"),
        ("BF.MADD", "plain", *a),
        ("BF.MADD", "wide", *b),
        ("BF.MADD", "capped", *a),
        ("BF.MADD", "fixed", *b),
    ], {"plain": a, "wide": b, "capped": a, "fixed": b}


def case_add(files):
    return [("BF.ADD", "k", w) for w in ("rose", "tulip", "rose", "")], {
        "k": ["rose", "tulip", ""]
    }


def case_madd(files):
    a = WORDS[:150]
    return [
        ("BF.MADD", "k", *a, *a),
        ("BF.MADD", "k", *a[:10], "new", *a[:10]),
        ("BF.MADD", "other", "one"),
    ], {"k": [*a, "new"], "other": ["one"]}


def case_growth(files):
    """Commands with many keys fill seven stages.  Single keys start a fifth stage.  Five
    stages are equally large."""
    return [
        *(("BF.MADD", "many", *WORDS[at : at + 800]) for at in range(0, 6400, 800)),
        ("BF.MADD", "single", *WORDS[:1450]),
        *(("BF.ADD", "single", w) for w in WORDS[1450:1600]),
        ("BF.INSERT", "even", "CAPACITY", "20", "EXPANSION", "1", "ITEMS", *WORDS[:95]),
    ], {"many": WORDS, "single": WORDS[:1600], "even": WORDS[:95]}


def case_large(files):
    """More than 1 MiB, the size of one string in an RDB file."""
    return [
        ("BF.RESERVE", "k", "0.0001", "600000", "NONSCALING"),
        ("BF.MADD", "k", *WORDS),
    ], {"k": WORDS}


def case_insert(files):
    a, seed = WORDS[:30], "0123456789abcdefghijklmnopqrstuv"
    options = {
        "none": (),
        "capacity": ("CAPACITY", "500"),
        "error": ("ERROR", "0.0001"),
        "expansion": ("EXPANSION", "8"),
        "fixed": ("NONSCALING", "CAPACITY", "40"),
        "seed": ("SEED", seed),
        "fixed seed": ("NONSCALING", "SEED", seed),
        "tightening": ("TIGHTENING", "0.5"),
        "scale": ("VALIDATESCALETO", "10000"),
        "all": (
            "CAPACITY",
            "10",
            "ERROR",
            "0.02",
            "EXPANSION",
            "3",
            "TIGHTENING",
            "0.4",
            "SEED",
            seed,
            "VALIDATESCALETO",
            "1000",
        ),
    }
    return [
        *(("BF.INSERT", key, *words, "ITEMS", *a) for key, words in options.items()),
        ("BF.INSERT", "all", "NOCREATE", "ITEMS", *WORDS[20:60]),
        ("BF.INSERT", "empty", "CAPACITY", "7", *ITEMS),
    ], {**{key: a for key in options}, "all": WORDS[:60]}


def case_full(files):
    return [
        ("BF.RESERVE", "k", "0.000001", "4", "NONSCALING"),
        ("BF.MADD", "k", "a", "b", "c"),
        ("BF.MADD", "k", "a", "d", "b", "e", "f", "a"),
        ("BF.INSERT", "k", "ITEMS", "b", "g"),
        ("BF.INSERT", "new", "CAPACITY", "2", "NONSCALING", "ITEMS", "x", "y", "z"),
    ], {"k": ["a", "b", "c", "d"], "new": ["x", "y"]}


def case_kinds(files):
    """Every kind that can be reserved, keyed unless the kind has no secret or the options
    say otherwise."""
    kinds = {
        kind: (f"kind={kind}", "capacity=500", "fpr=0.01")
        for kind in ("classic", "partitioned", "blocked", "split", "counting", "scalable")
    }
    kinds.update(
        {
            "default": ("capacity=500",),
            "one text": ("kind=classic capacity=500 fpr=0.1%",),
            "seeded": ("kind=classic", "capacity=500", "hash=fast", "seed=77"),
            "seed": ("capacity=500", "hash=keyed", "seed=0x1f:0x2e"),
            "counters": (
                "kind=counting",
                "capacity=500",
                "counter_bits=8",
                "insert_only=1",
            ),
            "max": ("kind=scalable", "capacity=20", "capacity_max=1000", "growth=3"),
            "words": ("form=word", "capacity=500"),
            "threads": ("capacity=500", "threads=2"),
        }
    )
    return [
        *(("PETAL.RESERVE", key, *words) for key, words in kinds.items()),
        ("PETAL.RESERVE", "bitmap", "kind=bitmap", "bits=4000"),
        ("PETAL.ADD", "bitmap", *NUMBERS),
        *(("PETAL.ADD", key, *WORDS[:400]) for key in kinds),
        *(("BF.MADD", key, *WORDS[300:450], *WORDS[300:310]) for key in kinds),
    ], {**{key: WORDS[:450] for key in kinds}, "bitmap": NUMBERS}


def case_like(files):
    """Also LIKE a filter that has grown."""
    a, b = WORDS[:400], WORDS[300:800]
    return [
        ("BF.MADD", "model", *a),
        ("PETAL.RESERVE", "twin", "LIKE", "model"),
        ("BF.MADD", "twin", *b),
        ("PETAL.LOAD", "file", files["counting"]),
        ("PETAL.RESERVE", "counts", "LIKE", "file"),
        ("PETAL.ADD", "counts", *a),
        ("PETAL.RESERVE", "empty", "like", "twin"),
        ("DEL", "model"),
    ], {"twin": b, "counts": a}


def case_refused_items(files):
    return [
        ("PETAL.RESERVE", "ip", "form=ip", "capacity=100"),
        (
            "PETAL.ADD",
            "ip",
            "10.0.0.0/8",
            "no address",
            "2001:db8::1",
            "300.1.1.1",
            "10.0.0.0/8",
        ),
        ("PETAL.RESERVE", "bits", "kind=bitmap", "bits=100"),
        ("PETAL.ADD", "bits", "1", "100", "x", "99", "1"),
        ("PETAL.RESERVE", "url", "kind=scalable", "form=url", "capacity=1"),
        (
            "PETAL.ADD",
            "url",
            "http://a.example/",
            "http://" + "x" * 9000,
            "http://b.example/",
            "HTTP://A.example:80/",
        ),
        (
            "BF.MADD",
            "url",
            "http://c.example/",
            "http://" + "x" * 9000,
            "http://d.example/",
        ),
    ], {
        "ip": ["10.0.0.0/8", "2001:db8::1"],
        "bits": ["1", "99"],
        "url": [f"http://{x}.example/" for x in "abcd"],
    }


def case_remove(files):
    """With a fixed secret: if a key that is not there were a false positive, removing it
    would remove members."""
    return [
        ("PETAL.RESERVE", "k", "kind=counting", "capacity=500", "hash=keyed", "seed=1:2"),
        ("PETAL.ADD", "k", *WORDS[:300], *WORDS[:50]),
        ("BF.ADD", "k", WORDS[0]),
        ("BF.MADD", "k", *WORDS[:20]),  # counts keys that were added before
        ("PETAL.REMOVE", "k", *WORDS[:100], "never added", *WORDS[90:110]),
        ("PETAL.RESERVE", "bits", "kind=bitmap", "bits=100"),
        ("PETAL.ADD", "bits", "1", "2", "3"),
        ("PETAL.REMOVE", "bits", "2", "4", "2", "x"),
    ], {"k": [*WORDS[:50], *WORDS[110:300]], "bits": ["1", "3"]}


def case_cuckoo(files):
    """With a fixed secret, for the same reason.  Items are added, counted and deleted, and
    notes are set."""
    a, b = WORDS[:2000], WORDS[1500:2000]
    return [
        (
            "PETAL.RESERVE",
            "odd",
            "kind=quotient growth=1 capacity=500 fpr=1e-6 hash=keyed seed=1:2",
        ),
        ("CF.INSERT", "odd", "ITEMS", *a, *a[:10]),
        *(("CF.DEL", "odd", word) for word in a[:1500]),
        ("CF.COMPACT", "odd"),
        ("CF.RESERVE", "plain", "1000", "BUCKETSIZE", "4", "MAXITERATIONS", "50"),
        ("CF.ADD", "plain", "a"),
        ("CF.ADD", "plain", "a"),
        ("CF.ADDNX", "plain", "a"),
        ("CF.ADDNX", "plain", "b"),
        ("CF.DEL", "plain", "a"),
        ("CF.RESERVE", "fixed", "30", "EXPANSION", "0", "BUCKETSIZE", "3"),
        ("CF.INSERT", "fixed", "ITEMS", *a[:40]),
        ("CF.INSERTNX", "fixed", "ITEMS", *a[:40]),
        ("CF.INSERTNX", "new", "CAPACITY", "10", "ITEMS", "x", "y", "x"),
        ("CF.ADD", "made", "x"),
        ("CF.INSERT", "made", "ITEMS", *["x"] * 20),
        ("CF.DEL", "made", "x"),
        ("PETAL.NOTE", "new", "label", "x"),
        ("COPY", "odd", "copy"),
        ("BF.MADD", "copy", "more", "bf", "more"),
        ("PETAL.REMOVE", "copy", "more"),
        ("CF.ADD", "copy", "x"),
    ], {
        "odd": [*a[:10], *b],
        "plain": ["a", "b"],
        "fixed": a[:30],
        "new": ["x", "y"],
        "made": ["x"],
        "copy": [*b, "more", "bf", "x"],
    }


def case_merge(files):
    """Into an existing filter, and into a new one."""
    commands, members = [], {}
    for kind in ("classic", "partitioned", "blocked", "split", "counting"):
        a, b, c, into = (f"{x} {kind}" for x in ("a", "b", "c", "into"))
        commands += [
            ("PETAL.RESERVE", a, f"kind={kind}", "capacity=300"),
            ("PETAL.RESERVE", b, "LIKE", a),
            ("PETAL.RESERVE", c, "LIKE", a),
            ("PETAL.ADD", a, *WORDS[:100]),
            ("PETAL.ADD", b, *WORDS[100:200]),
            ("PETAL.ADD", c, *WORDS[200:300]),
            ("EXPIRE", a, "1000"),
            ("PETAL.MERGE", a, b),
            ("PETAL.MERGE", into, a, b, c),
            ("BF.MADD", into, *WORDS[290:310]),
        ]
        members.update({a: WORDS[:200], into: WORDS[:310]})
    return commands, members


def case_load(files):
    """New filters, and one that replaces another.  Loaded filters accept more keys."""
    more = WORDS[1000:1500]
    return [
        ("BF.MADD", "ribbon", "another filter"),
        *(("PETAL.LOAD", kind, image) for kind, image in files.items()),
        ("PETAL.ADD", "scalable", *more),
        ("PETAL.ADD", "blocked", *more),
    ], {
        **{kind: WORDS[:1000] for kind in files},
        "bitmap": NUMBERS,
        "scalable": WORDS[:1500],
        "blocked": WORDS[:1500],
    }


def case_load_in_parts(files):
    return [
        ("BF.MADD", "blocked", "another filter"),
        ("EXPIRE", "blocked", "1000"),
        *(c for kind, image in files.items() for c in load_in_parts(kind, image, 5)),
    ], {kind: WORDS[:1000] for kind in files if kind != "bitmap"}


def case_load_in_pieces(files):
    return [
        ("BF.MADD", "blocked", "another filter"),
        *(c for kind, image in files.items() for c in load_in_pieces(kind, image, 4)),
    ], {kind: WORDS[:1000] for kind in files if kind != "bitmap"}


def case_keys(files):
    """Commands for keys of any type."""
    return [
        ("BF.MADD", "a", *WORDS[:200]),
        ("COPY", "a", "b"),
        ("BF.MADD", "b", *WORDS[200:400]),
        ("RENAME", "a", "c"),
        ("PEXPIRE", "c", "1000000"),
        ("BF.ADD", "c", "more"),
        ("BF.ADD", "gone", "x"),
        ("DEL", "gone"),
        ("BF.ADD", "anew", "x"),
        ("UNLINK", "anew"),
        ("BF.ADD", "anew", "y"),
    ], {"b": WORDS[:400], "c": [*WORDS[:200], "more"], "anew": ["y"]}


CASES = [
    case_reserve,
    case_add,
    case_madd,
    case_growth,
    case_large,
    case_insert,
    case_full,
    case_kinds,
    case_like,
    case_refused_items,
    case_remove,
    case_cuckoo,
    case_merge,
    case_load,
    case_load_in_parts,
    case_load_in_pieces,
    case_keys,
]


def run_plainly(r, commands):
    for command in commands:
        r.execute_command(*command)


def run_in_transaction(r, commands):
    pipeline = r.pipeline(transaction=True)
    for command in commands:
        pipeline.execute_command(*command)
    pipeline.execute()


def run_from_script(r, commands):
    """pcall, because an error in place of an item ends redis.call() in Valkey 9, though not
    in others."""
    words = [w for command in commands for w in (len(command), *command)]
    r.eval(
        """local at = 1
              while at <= #ARGV do
                  local n = tonumber(ARGV[at])
                  redis.pcall(unpack(ARGV, at + 1, at + n))
                  at = at + n + 1
              end""",
        0,
        *words,
    )


# ---- A master and a replica that many tests share ----


@contextlib.contextmanager
def stopped_at_the_end():
    """A list of servers that run until the fixture ends.  They are stopped in reverse
    order, because a master that stops waits for its replicas."""
    servers = []
    try:
        yield servers
        assert all(server.lives() for server in servers)
    finally:
        for server in reversed(servers):
            server.stop()


@pytest.fixture(scope="module")
def shared_pair(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pair")
    with stopped_at_the_end() as servers:
        servers.append(Server(folder / "master"))
        servers.append(Server(folder / "replica", *following(servers[0])))
        wait_synced(*servers)
        yield servers


def following(master):
    return "--replicaof", "127.0.0.1", str(master.port)


@pytest.fixture
def pair(shared_pair):
    shared_pair[0].client().flushall()
    return shared_pair


@pytest.mark.parametrize("run", [run_plainly, run_in_transaction, run_from_script])
@pytest.mark.parametrize("case", CASES)
def test_a_replica_has_the_same_filters(pair, files, case, run):
    master, replica = pair
    commands, members = case(files)
    run(master.client(), commands)
    assert_same(master, replica)
    assert_members(master, members)
    assert_members(replica, members)


def test_an_expired_filter_is_created_again_on_both(pair, files):
    """Nobody has used the key since it expired, so the command itself notices that."""
    master, replica = pair
    r = master.client()
    again = [
        ("BF.ADD", "a", "x"),
        ("BF.MADD", "b", "x"),
        ("BF.INSERT", "c", "ITEMS", "x"),
        ("BF.RESERVE", "d", "0.1", "9"),
        ("PETAL.RESERVE", "e", "capacity=9"),
        ("PETAL.LOAD", "f", files["ribbon"]),
        ("PETAL.MERGE", "g", "model"),
        *load_in_parts("h", files["classic"], 2),
        ("PETAL.RESERVE", "i", "LIKE", "model"),
    ]
    r.execute_command("PETAL.RESERVE", "model", "capacity=100")
    for key in "abcdefghi":
        r.execute_command("BF.MADD", key, *WORDS[:300])
    r.execute_command("DEBUG", "SET-ACTIVE-EXPIRE", "0")
    try:
        for key in "abcdefghi":
            r.pexpire(key, 5)
        seconds, micros = r.time()
        end = seconds * 1000 + micros // 1000 + 5
        wait_until(
            lambda: r.time()[0] * 1000 + r.time()[1] // 1000 > end + 1, "time passes"
        )
        run_plainly(r, again)
    finally:
        r.execute_command("DEBUG", "SET-ACTIVE-EXPIRE", "1")
    assert_same(master, replica)
    assert_members(
        replica, {"a": ["x"], "b": ["x"], "c": ["x"], "f": WORDS[:1000], "h": WORDS[:1000]}
    )
    assert (
        replica.client().execute_command("BF.CARD", "a") == 1
        and replica.client().ttl("h") == -1
    )


@pytest.fixture
def silent(pair):
    """The same pair without pings, so that the master's offset counts only commands."""
    r = pair[0].client()
    period = r.config_get("repl-ping-replica-period")["repl-ping-replica-period"]
    r.config_set("repl-ping-replica-period", 3600)
    yield pair
    r.config_set("repl-ping-replica-period", period)


def offset(server):
    return info(server, "replication", "master_repl_offset")


def test_keys_that_are_not_new_are_not_replicated(silent, files):
    master, replica = silent
    r = master.client()
    r.execute_command("BF.MADD", "grown", *WORDS[:1000])
    r.execute_command(
        "BF.INSERT", "fixed", "CAPACITY", "3", "NONSCALING", "ITEMS", *WORDS[:3]
    )
    r.execute_command("PETAL.LOAD", "loaded", files["blocked"])
    r.execute_command("PETAL.RESERVE", "counting", "kind=counting", "capacity=10")
    wait_synced(master, replica)
    before = offset(master)
    for key in ("grown", "fixed"):
        assert r.execute_command("BF.ADD", key, WORDS[0]) == 0
        assert r.execute_command("BF.MADD", key, *WORDS[:3]) == [0, 0, 0]
        assert r.execute_command("BF.INSERT", key, "ITEMS", *WORDS[:3]) == [0, 0, 0]
    for key in ("grown", "fixed", "loaded"):
        assert r.execute_command("PETAL.ADD", key, *WORDS[:3]) == [0, 0, 0]
    assert r.execute_command("PETAL.REMOVE", "counting", "none", "of", "these") == [0, 0, 0]
    assert offset(master) == before
    # a counting filter counts keys again, so they are sent; of many keys, only the new ones
    # are sent
    r.execute_command("PETAL.ADD", "counting", "a", "a")
    assert offset(master) > before
    before = offset(master)
    r.execute_command("BF.MADD", "grown", *WORDS[:1000], "new")
    sent = offset(master) - before
    assert sent < sum(map(len, WORDS[:1000]))
    assert_same(master, replica)


def test_an_error_changes_nothing_on_the_replica(silent, files):
    master, replica = silent
    r = master.client()
    image = files["blocked"]
    run_plainly(
        r,
        [
            ("BF.MADD", "grown", *WORDS[:500]),
            ("BF.RESERVE", "full", "0.000001", "1", "NONSCALING"),
            ("BF.ADD", "full", "a"),
            ("PETAL.LOAD", "ribbon", files["ribbon"]),
            ("PETAL.RESERVE", "bits", "kind=bitmap", "bits=9"),
            ("PETAL.RESERVE", "a", "capacity=100"),
            ("PETAL.RESERVE", "b", "capacity=100"),
            ("PETAL.RESERVE", "like a", "LIKE", "a"),
            ("PETAL.ADD", "like a", "x"),
            ("PETAL.LOADCHUNK", "begun", 0, len(image), image[:100]),
        ],
    )
    wait_synced(master, replica)
    before, at = contents(master), offset(master)
    for command in [
        ("BF.RESERVE", "grown", "0.01", "100"),
        ("BF.RESERVE", "new", "2", "100"),
        ("BF.ADD", "full", "b"),
        ("BF.INSERT", "new", "NOCREATE", "ITEMS", "x"),
        ("BF.INSERT", "new", "CAPACITY", "0", "ITEMS", "x"),
        ("BF.RESERVE", "new", "x", "100"),
        ("BF.LOADCHUNK", "new", 2, b"x"),
        ("PETAL.RESERVE", "new", "kind=ribbon"),
        ("PETAL.RESERVE", "new", "LIKE", "ribbon"),
        ("PETAL.RESERVE", "new", "LIKE", "none"),
        ("PETAL.ADD", "ribbon", "x"),
        ("PETAL.REMOVE", "a", "x"),
        ("PETAL.ADD", "none", "x"),
        ("PETAL.MERGE", "a", "like a", "b"),
        ("PETAL.MERGE", "a", "like a", "none"),
        ("PETAL.MERGE", "new", "like a", "grown"),
        ("PETAL.LOAD", "a", image[:-1]),
        ("PETAL.LOAD", "a", b""),
        ("PETAL.LOADCHUNK", "begun", 101, len(image), image[101:]),
        ("PETAL.LOADCHUNK", "begun", 100, len(image), image[100:]),
    ]:
        with pytest.raises(redis.ResponseError):
            r.execute_command(*command)
    for command in [
        ("BF.MADD", "full", "b", "c"),
        ("PETAL.ADD", "bits", "9", "x"),
        ("BF.INSERT", "full", "ITEMS", "d"),
    ]:
        assert all(
            isinstance(reply, redis.ResponseError) for reply in r.execute_command(*command)
        )
    assert offset(master) == at
    assert contents(master) == before
    assert_same(master, replica)


def test_an_interrupted_link_continues_where_it_stopped(pair, files):
    master, replica = pair
    r = master.client()
    full, partial = info(master, "stats", "sync_full"), info(
        master, "stats", "sync_partial_ok"
    )
    cuts = 0
    for at in range(0, 3000, 500):
        r.execute_command("BF.MADD", "grown", *WORDS[at : at + 250])
        if at % 1000:
            cuts += r.execute_command("CLIENT", "KILL", "TYPE", "replica")
        else:
            cuts += replica.client().execute_command("CLIENT", "KILL", "TYPE", "master")
        r.execute_command("BF.MADD", "grown", *WORDS[at + 250 : at + 500])
        run_plainly(r, load_in_parts("loaded", files["scalable"], 3))
        r.execute_command("PETAL.ADD", "loaded", *WORDS[at : at + 500])
        wait_synced(master, replica)
    assert cuts == 6
    assert info(master, "stats", "sync_partial_ok") == partial + cuts
    assert info(master, "stats", "sync_full") == full
    assert_same(master, replica)
    assert_members(
        replica, {"grown": WORDS[:3000], "loaded": [*WORDS[:1000], *WORDS[2500:3000]]}
    )


# ---- A master with filters of all kinds, and replicas that come and go ----


def plant(server, files):
    """Runs every case, each in its own database.  Returns all members."""
    members = {}
    for db, case in enumerate(CASES):
        commands, members[db] = case(files)
        run_plainly(server.client(db=db), commands)
    return members


def assert_planted(server, members):
    for db, some in members.items():
        assert_members(server, some, db)


@pytest.fixture(scope="module")
def garden(tmp_path_factory, files):
    with stopped_at_the_end() as servers:
        servers.append(Server(tmp_path_factory.mktemp("garden")))
        yield servers[0], plant(servers[0], files)


# Settings of a replica that differ: a limit too small for most of the filters, and other
# defaults.
OTHERWISE = (
    "bf-max-filter-bytes",
    "2048",
    "bf-error-rate",
    "0.2",
    "bf-initial-size",
    "7",
    "bf-expansion-factor",
    "5",
    "bf-keyed",
    "no",
)


@pytest.mark.parametrize("load", ["disabled", "swapdb"])
@pytest.mark.parametrize("diskless", ["yes", "no"])
def test_a_replica_that_connects_late_gets_all_filters(garden, start, diskless, load):
    master, members = garden
    master.client().config_set("repl-diskless-sync", diskless)
    replica = start("--repl-diskless-load", load, module_arguments=OTHERWISE)
    replica.client().execute_command("BF.ADD", "of its own", "x")
    replica.client().replicaof("127.0.0.1", master.port)
    assert_same(master, replica)
    assert_planted(replica, members)


def test_a_replica_of_a_replica_gets_all_filters(garden, start):
    """Filters from before it connected, and changes after that."""
    master, members = garden
    middle = start(*following(master))
    last = start(*following(middle), module_arguments=OTHERWISE)
    wait_synced(master, middle, last)
    r = master.client()
    r.execute_command("BF.MADD", "late", *WORDS)
    r.execute_command("BF.MADD", "late", *WORDS, "again")
    assert_same(master, middle, last)
    assert_planted(last, members)
    assert_members(last, {"late": [*WORDS, "again"]})


@pytest.mark.parametrize("diskless", ["yes", "no"])
def test_a_replica_that_connects_between_two_chunks_gets_the_filter(start, files, diskless):
    master = start("--repl-diskless-sync", diskless)
    r = master.client()
    loads = [
        load_in_parts("parts", files["ribbon"], 4),
        load_in_pieces("pieces", files["scalable"], 4),
    ]
    for load in loads:
        run_plainly(r, load[:2])
    replica = start(*following(master))
    wait_synced(master, replica)
    assert not replica.client().exists("parts", "pieces")
    for load in loads:
        run_plainly(r, load[2:])
    assert_same(master, replica)
    assert_members(replica, {"parts": WORDS[:1000], "pieces": WORDS[:1000]})


def test_a_replica_accepts_everything_that_its_master_accepted(start, files):
    """The replica has other settings, and receives all changes as commands."""
    master = start()
    replica = start(*following(master), module_arguments=OTHERWISE)
    wait_synced(master, replica)
    members = plant(master, files)
    assert_same(master, replica)
    assert_planted(replica, members)


def test_a_replica_accepts_restored_filters_above_its_limit(start):
    master = start()
    replica = start(*following(master), module_arguments=OTHERWISE)
    wait_synced(master, replica)
    r = master.client()
    r.execute_command("BF.MADD", "k", *WORDS)
    r.restore("restored", 0, r.dump("k"))
    assert_same(master, replica)
    assert_members(replica, {"k": WORDS, "restored": WORDS})


def test_keys_that_the_master_refused_are_not_on_the_replica(start):
    """The master's limit stops growth in the middle of a command."""
    master = start(module_arguments=("bf-max-filter-bytes", "4096"))
    replica = start(*following(master))
    wait_synced(master, replica)
    r = master.client()
    members = {}
    for command in ("BF.MADD", "PETAL.ADD"):
        key = f"by {command}"
        r.execute_command("BF.RESERVE", key, "0.01", "50")
        replies = r.execute_command(command, key, *WORDS[:4000])
        members[key] = [
            w
            for w, reply in zip(WORDS, replies)
            if not isinstance(reply, redis.ResponseError)
        ]
        assert 0 < len(members[key]) < 4000
        r.execute_command(command, key, *WORDS[:4000])
        with pytest.raises(redis.ResponseError):
            run_plainly(r, [("BF.ADD", key, w) for w in WORDS[4000:]])
    assert_same(master, replica)
    assert_members(replica, members)


def test_a_replica_that_fell_behind_does_a_full_sync(start, files):
    """With swapdb the replica serves its old data meanwhile.  The server has a separate
    state for this, in which the replica's limits must not apply either."""
    master = start("--repl-backlog-size", "16384")
    replica = start(
        *following(master), "--repl-diskless-load", "swapdb", module_arguments=OTHERWISE
    )
    wait_synced(master, replica)
    members = plant(master, files)
    wait_synced(master, replica)
    full = info(master, "stats", "sync_full")
    r = master.client()
    os.kill(replica.process.pid, signal.SIGSTOP)
    try:
        assert r.execute_command("CLIENT", "KILL", "TYPE", "replica") == 1
        r.execute_command("BF.MADD", "late", *WORDS)
        r.set("filler", b"x" * (1 << 20))
        r.delete("filler")
    finally:
        os.kill(replica.process.pid, signal.SIGCONT)
    assert_same(master, replica)
    assert info(master, "stats", "sync_full") == full + 1
    assert_planted(replica, members)


def test_a_filter_of_several_chunks(start, tmp_path):
    """Larger than one command: by PETAL.LOAD, in chunks, and from the AOF."""
    image = build(tmp_path, "blocked", "-n", "7e6", "-p", "1e-4")
    assert PART < len(image) < 2 * PART
    master = start()
    replica = start(*following(master), "--appendonly", "yes", module_arguments=OTHERWISE)
    wait_synced(master, replica)
    r = master.client()
    r.execute_command("PETAL.LOAD", "whole", image)
    run_plainly(r, load_in_parts("parts", image, 3))
    r.execute_command("PETAL.ADD", "whole", "more")
    r.execute_command("PETAL.ADD", "parts", "more")
    assert_same(master, replica)
    assert_members(
        replica, {"whole": [*WORDS[:1000], "more"], "parts": [*WORDS[:1000], "more"]}
    )
    assert_alone_as_before(replica)


def assert_alone_as_before(replica):
    """Restarts a replica without its master, from its own AOF."""
    wait_until(
        lambda: not info(replica, "persistence", "aof_rewrite_in_progress"),
        "the AOF file is written",
    )
    before = contents(replica)
    replica.options = ("--appendonly", "yes")
    replica.restart()
    assert info(replica, "replication", "role") == "master"
    assert contents(replica) == before


def test_a_replica_restarts_from_its_own_aof(start, files):
    master = start()
    replica = start(*following(master), "--appendonly", "yes", module_arguments=OTHERWISE)
    wait_synced(master, replica)
    wait_until(
        lambda: not info(replica, "persistence", "aof_rewrite_in_progress"),
        "the AOF file is written",
    )
    members = plant(master, files)
    assert_same(master, replica)
    master.kill()
    assert_alone_as_before(replica)
    assert_planted(replica, members)


def test_a_replica_becomes_the_master(start, files):
    master = start()
    heir, other = start(*following(master)), start(*following(master))
    wait_synced(master, heir, other)
    members = plant(master, files)
    wait_synced(master, heir, other)
    master.kill()
    heir.client().replicaof("NO", "ONE")
    other.client().replicaof("127.0.0.1", heir.port)
    assert_planted(heir, members)
    r = heir.client(db=CASES.index(case_growth))
    r.execute_command("BF.MADD", "single", *WORDS)
    r.execute_command("BF.MADD", "new", *WORDS)
    assert_same(heir, other)
    assert (
        info(heir, "stats", "sync_partial_ok") == 1
        and info(heir, "stats", "sync_full") == 0
    )
    master.options = following(heir)
    master.start()
    assert_same(heir, other, master)
    for server in (heir, other, master):
        assert_planted(server, members)
        assert_members(server, {"single": WORDS, "new": WORDS}, db=CASES.index(case_growth))


@pytest.mark.parametrize("add", ["PETAL.ADD", "BF.ADD", "BF.MADD"])
def test_a_false_positive_adds_its_class_on_the_replica_too(start, add):
    """Such a key sets no bit, but if its prefix length is new, matches must look that
    length up from now on."""
    master = start()
    replica = start(*following(master))
    wait_synced(master, replica)
    r = master.client()
    r.execute_command("PETAL.RESERVE", "k", "form=ip bits=512 hashes=2 match_lookups=8")
    r.execute_command(
        "PETAL.ADD", "k", *(f"203.0.{i // 250}.{i % 250}" for i in range(3000))
    )  # full: finds everything
    added = r.execute_command(add, "k", "10.0.0.0/16")
    assert added in (0, [0])
    assert r.execute_command("PETAL.MATCH", "k", "10.0.3.4") != [None]
    assert_same(master, replica)
    assert replica.client().execute_command(
        "PETAL.MATCH", "k", "10.0.3.4"
    ) == r.execute_command("PETAL.MATCH", "k", "10.0.3.4")


def test_a_full_filter_accepts_keys_that_it_already_has(start):
    master = start()
    replica = start(*following(master))
    wait_synced(master, replica)
    r = master.client()
    r.execute_command("PETAL.RESERVE", "k", "form=ip capacity=1 fpr=0.9 match_lookups=1")
    full = [f"203.0.113.{i}" for i in range(200)]
    r.execute_command("PETAL.ADD", "k", *full)
    seen = [
        i
        for i in range(200)
        if r.execute_command("PETAL.EXISTS", "k", f"10.{i}.0.0/16") == [1]
    ]
    assert seen and r.execute_command("BF.ADD", "k", f"10.{seen[0]}.0.0/16") == 0
    assert r.execute_command("PETAL.MATCH", "k", f"10.{seen[0]}.3.4") != [None]
    assert_same(master, replica)


@pytest.mark.skipif(bool(PRELOAD), reason="a sanitizer reserves terabytes of address space")
def test_a_replica_out_of_memory_exits_and_skips_no_write(start):
    """As for all other data, a replica that cannot apply a write exits."""
    master = start()
    replica = start(*following(master))
    r = master.client()
    capacity = 1000000
    r.execute_command(
        "PETAL.RESERVE", "k", "kind=scalable", "growth=20", f"capacity={capacity}"
    )
    for at in range(0, capacity, 10000):
        if r.execute_command("BF.CARD", "k") < capacity - 20000:
            r.execute_command("BF.MADD", "k", *range(at, at + 10000))
    wait_synced(master, replica)
    status = dict(
        line.split(":", 1) for line in open(f"/proc/{replica.process.pid}/status")
    )
    most = (
        int(status["VmSize"].split()[0]) * 1024 + 300000
    )  # the next stage needs a hundred times as much
    resource.prlimit(replica.process.pid, resource.RLIMIT_AS, (most, most))
    with r.pipeline(transaction=False) as adding:
        for i in range(60000):
            adding.execute_command("BF.ADD", "k", f"more-{i}")
        adding.execute()
    assert info_of(r, "k", "FILTERS") == 2
    wait_until(lambda: replica.process.poll() is not None, "the replica ends")
    assert "Out Of Memory" in replica.log() and "CRITICAL" not in replica.log()
