# SPDX-License-Identifier: BSD-2-Clause
"""Hostile and damaged data, for every command and file that can load a filter.

The corpus is tests/format/damage.py.

In all cases the server survives, reports what is wrong, keeps its data and frees all
memory.
"""
import collections
import contextlib
import itertools
import json
import pathlib
import random
import socket
import struct
import subprocess
import sys
import threading

import pytest
import redis
from servers import COMMAND, LIMIT_SECONDS, PRELOAD, Server, wait_until

sys.path.append(str(pathlib.Path(__file__).parent.parent / "format"))
import damage
import reader
from damage import FIELDS, URLS, Item, repaired, verdict, with_number

OK = b"+OK\r\n"
NOT_FOUND = b"-ERR not found\r\n"
NOT_LOADED = "cannot load a filter: "
SENTENCES = {
    **damage.SENTENCES,
    "limit": "filter would exceed bf-max-filter-bytes; raise it or use a smaller filter",
}
LIMIT = 1 << 20  # bf-max-filter-bytes of the shared server
LIMIT_DEFAULT = 128 << 20
LOADS_MAX = 32  # the module's maximum of loads in progress
ROOM_MIN = 16 << 10  # the smallest buffer of a load
KEYS = [b"%d" % i for i in range(1, 21)]


# ---- The corpus ----


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    return damage.images_in(tmp_path_factory.mktemp("images"), COMMAND)


@pytest.fixture(scope="module")
def corpus(images):
    return damage.corpus_of(images)


def test_the_corpus_has_every_verdict_for_every_kind(corpus, images):
    words = collections.Counter(item.verdict for item in corpus)
    assert set(words) == {"whole", "format", "truncated", "newer", "corrupt"}
    assert min(words.values()) > 10 and words["corrupt"] > 1000
    for name, image in images.items():
        of_kind = {item.verdict for item in corpus if item.name.startswith(name + ": ")}
        assert of_kind >= {"whole", "truncated", "newer", "corrupt"}, name
        assert verdict(repaired(image)) == "whole" and repaired(image) == image


def test_the_command_gives_the_same_verdict(corpus, tmp_path):
    for number, item in enumerate(corpus):
        (tmp_path / str(number)).write_bytes(item.image)
    said = subprocess.run(
        [COMMAND, "verify", *map(str, range(len(corpus)))],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.splitlines()
    assert len(said) == len(corpus)
    for number, (item, line) in enumerate(zip(corpus, said)):
        assert line.startswith(f"{number}: {SENTENCES.get(item.verdict, 'OK')}"), item.name


# ---- DUMP payloads and RDB files ----


def crc64_table():
    """CRC-64 "Jones", reflected, as in the servers."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x95AC9329AC4BC9B5 if byte & 1 else 0)
        table.append(byte)
    return table


CRC64 = crc64_table()


def crc64(data, crc=0):
    for byte in data:
        crc = CRC64[(crc ^ byte) & 255] ^ crc >> 8
    return crc


def rdb_length(n):
    if n < 1 << 6:
        return bytes([n])
    if n < 1 << 14:
        return struct.pack(">H", 0x4000 | n)
    return b"\x80" + struct.pack(">I", n) if n < 1 << 32 else b"\x81" + struct.pack(">Q", n)


def rdb_string(data):
    return rdb_length(len(data)) + data


END, SIGNED, UNSIGNED, FLOAT, DOUBLE, STRING = (bytes([code]) for code in range(6))
MODULE_AUX, AFTER_KEYS = b"\xf7", UNSIGNED + rdb_length(
    2
)  # data of a module beside its keys, and its place


class Frame:
    """The parts of a DUMP payload around a filter: type, module, version and footer."""

    def __init__(self, dump):
        self.head, self.version = dump[:10], dump[-10:-8]
        assert self.head[:2] == b"\x07\x81"  # a module type; its 64-bit id follows

    def values(self, image, size=1 << 20, total=None):
        parts = (image[at : at + size] for at in range(0, len(image), size))
        return (
            UNSIGNED
            + rdb_length(len(image) if total is None else total)
            + b"".join(STRING + rdb_string(part) for part in parts)
            + END
        )

    def sealed(self, body):
        body += self.version
        return body + struct.pack("<Q", crc64(body))

    def payload(self, image, **how):
        return self.sealed(self.head + self.values(image, **how))

    def rdb(self, filters):
        """An RDB file with checksum 0, which means that it is not checked."""
        return (
            b"REDIS0009\xfe\0"
            + b"".join(
                self.head[:1] + rdb_string(name) + self.head[1:] + values
                for name, values in filters
            )
            + b"\xff"
            + bytes(8)
        )

    def rdb_of_loads(self, loads):
        """An RDB file of loads in progress: database, name, total, length and strings of
        each."""
        values = b"".join(
            UNSIGNED
            + rdb_length(db)
            + STRING
            + rdb_string(name)
            + UNSIGNED
            + rdb_length(total)
            + UNSIGNED
            + rdb_length(length)
            + b"".join(STRING + rdb_string(part) for part in parts)
            for db, name, total, length, parts in loads
        )
        return (
            b"REDIS0009"
            + MODULE_AUX
            + self.head[1:]
            + AFTER_KEYS
            + UNSIGNED
            + rdb_length(len(loads))
            + values
            + END
            + b"\xff"
            + bytes(8)
        )


@pytest.fixture(scope="module")
def frame(started, images):
    r = started.client()
    r.execute_command("PETAL.LOAD", "k", images["ribbon"])
    frame = Frame(r.dump("k"))
    for name, image in images.items():  # payload() makes the same bytes as the server
        r.execute_command("PETAL.LOAD", "k", image)
        # filters of RedisBloom are dumped as that module does
        assert (frame.payload(image) == r.dump("k")) == (name != "redisbloom")
    r.delete("k")
    return frame


# ---- Servers ----


def quiet(server):
    """Turns off statistics that take memory for new or slow commands."""
    r = server.client()
    r.config_set("slowlog-log-slower-than", "-1")
    with contextlib.suppress(redis.ResponseError):  # servers before 7.0 have no histograms
        r.config_set("latency-tracking", "no")
    return server


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    server = quiet(
        Server(
            tmp_path_factory.mktemp("damage"),
            "--rdbcompression",
            "no",
            module_arguments=("bf-max-filter-bytes", str(LIMIT)),
        )
    )
    yield server
    assert server.lives()
    server.stop()


@pytest.fixture
def target(started):
    process = started.process.pid
    started.client().execute_command("FLUSHALL", "SYNC")
    yield started
    assert started.lives() and started.process.pid == process
    assert "BUG REPORT" not in started.log()


@contextlib.contextmanager
def connected(server):
    wire = server.wire()
    yield wire
    wire.close()


def talk(wire, commands):
    """Sends all commands at once and returns the raw replies."""
    commands, message = list(commands), []
    for words in commands:
        message.append(b"*%d\r\n" % len(words))
        for word in words:
            word = word if isinstance(word, bytes) else str(word).encode()
            message.append(b"$%d\r\n%s\r\n" % (len(word), word))
    wire.socket.sendall(b"".join(message))
    return [wire.reply() for _ in commands]


def bulk(data):
    return b"$%d\r\n%s\r\n" % (len(data), data)


def contents(reply):
    """The contents of a bulk string.  For other replies, bytes that are no filter."""
    return reply.partition(b"\r\n")[2][:-2]


def fields(server, section):
    with connected(server) as wire:
        lines = wire("INFO", section).decode().split("\r\n")
    return {name: value for name, _, value in (line.partition(":") for line in lines)}


def filters(server):
    return int(fields(server, "bf_filters")["bf_filters"])


def filter_bytes(server):
    return int(fields(server, "bf_filters")["bf_bytes"])


def used_memory(server):
    return int(fields(server, "memory")["used_memory"])


def peak_of_addresses(server):
    """The largest address space that the process ever had, used or not."""
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return 1024 * int(status.split("VmPeak:")[1].split()[0])


# Memory may differ by the buffers of one connection.
NOISE = 64 << 10


@contextlib.contextmanager
def memory_returns(server):
    """Checks that the filters take exactly as much memory as before, and all else at most
    NOISE more."""
    before = filters(server), filter_bytes(server)
    memory = used_memory(server)
    yield
    wait_until(
        lambda: (filters(server), filter_bytes(server)) == before,
        f"{before} filters and bytes, now {filters(server)} and {filter_bytes(server)}",
    )
    if not PRELOAD:
        wait_until(
            lambda: used_memory(server) <= memory + NOISE,
            f"at most {memory} + {NOISE} bytes, now {used_memory(server)}",
        )


class Log:
    """The text that is logged from now on."""

    def __init__(self, server):
        self.server, self.start = server, len(server.log())

    def text(self):
        return self.server.log()[self.start :]

    def refusals(self):
        """Counts the reasons for which filters were not loaded."""
        return collections.Counter(
            line.split(NOT_LOADED)[1]
            for line in self.text().splitlines()
            if NOT_LOADED in line
        )


# ---- The loaders ----


def uneven(image, n):
    """Splits an image into n parts of different sizes.  None is empty unless the image
    is."""
    bounds = sorted({len(image) * i * i // (n * n) for i in range(1, n)} - {0, len(image)})
    return [image[a:b] for a, b in zip([0, *bounds], [*bounds, len(image)])]


def chunks(key, image, n):
    at = 0
    for part in uneven(image, n):
        yield "PETAL.LOADCHUNK", key, at, len(image), part
        at += len(part)


def pieces(command, key, image, n):
    number = 1
    yield command, key, number, struct.pack("<Q", len(image))
    for part in uneven(image, n) if image else []:
        number += len(part)
        yield command, key, number, part


LOADERS = {
    "PETAL.LOAD": lambda frame, key, image: [("PETAL.LOAD", key, image)],
    "PETAL.LOADCHUNK": lambda frame, key, image: chunks(key, image, 1),
    "PETAL.LOADCHUNK, parts": lambda frame, key, image: chunks(key, image, 4),
    "BF.LOADCHUNK": lambda frame, key, image: pieces("BF.LOADCHUNK", key, image, 1),
    "BF.LOADCHUNK, pieces": lambda frame, key, image: pieces("BF.LOADCHUNK", key, image, 3),
    "CF.LOADCHUNK, pieces": lambda frame, key, image: pieces("CF.LOADCHUNK", key, image, 2),
    "RESTORE": lambda frame, key, image: [
        ("RESTORE", key, 0, frame.payload(image), "REPLACE")
    ],
    "RESTORE, parts": lambda frame, key, image: [
        ("RESTORE", key, 0, frame.payload(image, size=100), "REPLACE")
    ],
}
loaders = pytest.mark.parametrize("loader", LOADERS)


def refusal(loader, item):
    """The reply of a loader to a bad item."""
    if loader.startswith("RESTORE"):
        return b"-ERR Bad data format\r\n"
    if loader.startswith("BF."):
        return b"-ERR received bad data\r\n"
    if loader.startswith("CF."):
        return b"-ERR received bad data\r\n"
    if loader.startswith("PETAL.LOADCHUNK") and not item.image:
        return b"-ERR offset must be an integer >= 0 and total an integer >= 1\r\n"
    return f"-ERR {SENTENCES[item.verdict]}\r\n".encode()


def load_each(wire, frame, loader, key, items):
    """Loads each item.  Returns the replies to the last commands; those to all others are
    OK."""
    steps = [list(LOADERS[loader](frame, key(item), item.image)) for item in items]
    replies = iter(talk(wire, itertools.chain.from_iterable(steps)))
    heard = [[next(replies) for _ in step] for step in steps]
    assert all(reply == OK for parts in heard for reply in parts[:-1])
    return [parts[-1] for parts in heard]


def batches(items, size=250):
    return (items[at : at + size] for at in range(0, len(items), size))


@loaders
def test_every_loader_gives_the_same_verdict(target, corpus, frame, loader):
    log = Log(target)
    with memory_returns(target), connected(target) as wire:
        keys = {item: b"key-%d" % i for i, item in enumerate(corpus)}
        for batch in batches(corpus):
            replies = load_each(wire, frame, loader, keys.get, batch)
            there = talk(wire, [("PETAL.DUMP", keys[item]) for item in batch])
            for item, reply, dump in zip(batch, replies, there):
                whole = item.verdict == "whole"
                assert reply == (OK if whole else refusal(loader, item)), item.name
                assert dump == (bulk(item.image) if whole else NOT_FOUND), item.name
            whole = sum(item.verdict == "whole" for item in batch)
            assert wire("DBSIZE") == b":%d\r\n" % whole and filters(target) == whole
            assert fields(target, "bf_filters")["bf_loads_in_progress"] == "0"
            assert wire("FLUSHALL", "SYNC") == OK
    if loader.startswith("RESTORE"):  # it replies with no reason, but logs one
        assert log.refusals() == collections.Counter(
            SENTENCES[item.verdict] for item in corpus if item.verdict != "whole"
        )


@loaders
def test_a_refused_load_leaves_the_old_filter(target, corpus, images, frame, loader):
    bad = [item for item in corpus if item.verdict != "whole"][::7]
    with connected(target) as wire:
        assert wire("PETAL.LOAD", "k", images["ribbon"]) == OK
        assert wire("PEXPIRE", "k", 1 << 40) == b":1\r\n"
        with memory_returns(target):
            for batch in batches(bad):
                assert OK not in load_each(wire, frame, loader, lambda item: b"k", batch)
        assert wire("PETAL.DUMP", "k") == bulk(images["ribbon"])
        assert wire("PTTL", "k") != b":-1\r\n"


@pytest.mark.parametrize(
    "loader", [loader for loader in LOADERS if not loader.startswith("RESTORE")]
)
def test_a_value_of_another_type_is_not_replaced(target, images, frame, loader):
    with connected(target) as wire:
        wire("SET", "k", "text")
        wrong = talk(wire, LOADERS[loader](frame, b"k", images["blocked"]))
        assert {reply.split()[0] for reply in wrong} == {b"-WRONGTYPE"}
        assert wire("GET", "k") == bulk(b"text")


def test_every_filter_that_loads_can_be_used(target, corpus):
    """It gives the same answers as the reader, and is still valid after every command that
    can use it."""
    asked = KEYS[:3] + URLS + [b"", b"none", b"10.0.0.1"]
    taken = [item for item in corpus if item.verdict == "whole"]
    assert len(taken) > 300
    uses = [
        ("PETAL.MATCH", "k", *asked),
        ("PETAL.COUNT", "k", *asked),
        ("PETAL.STATS", "k"),
        ("BF.INFO", "k"),
        ("BF.CARD", "k"),
        ("BF.DEBUG", "k"),
        ("BF.SCANDUMP", "k", 1),
        ("MEMORY", "USAGE", "k"),
        ("DEBUG", "DIGEST-VALUE", "k"),
        ("COPY", "k", "copy"),
        ("PETAL.RESERVE", "like", "LIKE", "k"),
        ("PETAL.MERGE", "k", "copy"),
        ("PETAL.ADD", "k", *asked),
        ("BF.MADD", "k", *KEYS),
        ("BF.INSERT", "k", "ITEMS", *asked),
        ("PETAL.REMOVE", "k", *asked),
        ("BF.ADD", "k", "more"),
        ("PETAL.ADD", "like", *KEYS),
        ("PETAL.MERGE", "like", "k"),
        ("BF.INFO", "like"),
        ("DUMP", "k"),
    ]
    with memory_returns(target), connected(target) as wire:
        for item in taken:
            opened = reader.open_image(item.image)
            exists = wire("PETAL.LOAD", "k", item.image) and wire(
                "PETAL.EXISTS", "k", *asked
            )
            told = [opened.count(key) > 0 for key in asked]
            assert exists == b"*%d\r\n" % len(asked) + b"".join(
                b":%d\r\n" % t for t in told
            ), item.name
            replies = talk(
                wire, uses + [("PETAL.DUMP", name) for name in ("copy", "k", "like")]
            )
            assert not any(
                b"no such error" in r or b"no error" in r for r in replies
            ), item.name
            json.loads(
                contents(replies[uses.index(("PETAL.STATS", "k"))]),
                parse_constant=pytest.fail,
            )
            copy, k, like = map(contents, replies[-3:])
            assert copy == item.image and verdict(k) == verdict(like) == "whole", item.name
            now = reader.open_image(k)
            assert all(
                now.count(key)
                for key, t in zip(asked, told)
                if t and now.header.kind not in (reader.COUNTING, reader.BITMAP)
            ), item.name
            assert len(k) <= LIMIT
            wire("DEL", "k", "copy", "like")


# ---- Cut at every byte ----


def test_an_image_cut_at_every_byte(target, images):
    with memory_returns(target), connected(target) as wire:
        for image in images.values():
            replies = talk(
                wire, [("PETAL.LOAD", "k", image[:n]) for n in range(len(image))]
            )
            not_ours = f"-ERR {SENTENCES['format']}\r\n".encode()
            short = f"-ERR {SENTENCES['truncated']}\r\n".encode()
            assert replies == [not_ours] * 8 + [short] * (len(image) - 8)
            assert wire("DBSIZE") == b":0\r\n"


@pytest.mark.parametrize("name", ["scalable 5", "scalable 5 keyed", "ribbon", "counting"])
@pytest.mark.parametrize("size", [1 << 20, 50], ids=["whole", "parts"])
def test_a_payload_cut_at_every_byte(target, images, frame, name, size):
    body = frame.payload(images[name], size=size)[:-10]
    commands, crc = [], 0
    for n in range(len(body)):
        sealed = crc64(frame.version, crc)
        commands.append(
            ("RESTORE", "k", 0, body[:n] + frame.version + struct.pack("<Q", sealed))
        )
        crc = crc64(body[n : n + 1], crc)
    with memory_returns(target), connected(target) as wire:
        replies = talk(wire, commands)
        assert set(replies) == {b"-ERR Bad data format\r\n"}
        assert wire("DBSIZE") == b":0\r\n" and filters(target) == 0
        # one more byte makes it valid
        assert wire("RESTORE", "k", 0, frame.sealed(body)) == OK
        assert wire("PETAL.DUMP", "k") == bulk(images[name])
        wire("DEL", "k")


def misshapen(frame, image):
    """Payloads that are no filter, with what is wrong."""
    head, values = frame.head, frame.values
    lead = UNSIGNED + rdb_length(len(image))
    half = len(image) // 2
    yield "nothing", head
    yield "an end marker only", head + END
    yield "no length", head + STRING + rdb_string(image) + END
    yield "no parts", head + lead + END
    yield "a length that is signed", head + SIGNED + values(image)[1:]
    yield "a length that is a double", head + DOUBLE + struct.pack("<d", 1.5) + END
    yield "a length that is a float", head + FLOAT + struct.pack("<f", 1.5) + END
    yield "parts that are numbers", head + lead + UNSIGNED + rdb_length(7) + END
    yield "a part that is empty", head + lead + STRING + rdb_string(
        b""
    ) + STRING + rdb_string(image) + END
    yield "one part too many", head + values(image)[:-1] + STRING + rdb_string(b"x") + END
    yield "one part too few", head + lead + STRING + rdb_string(image[:half]) + END
    yield "two filters", head + values(image)[:-1] + values(image)
    yield "no end marker", head + values(image)[:-1]
    yield "a wrong end marker", head + values(image)[:-1] + UNSIGNED
    yield "another version", head[:-1] + bytes([head[-1] + 1]) + values(image)
    yield "the last version", head[:-2] + bytes([head[-2] | 3, 255]) + values(image)
    for total in (
        0,
        1,
        half,
        len(image) - 1,
        len(image) + 1,
        2 * len(image),
        LIMIT,
        LIMIT + 1,
        1 << 31,
        1 << 32,
        1 << 40,
        (1 << 63) - 1,
        1 << 63,
        (1 << 64) - 1,
    ):
        for size in (1 << 20, 10):
            yield f"claims length {total}, {size} bytes per part", head + values(
                image, total=total, size=size
            )
    for length in (1 << 31, (1 << 32) - 1, 1 << 48, (1 << 63) - 1, (1 << 64) - 1):
        yield f"a part of {length}", head + lead + STRING + rdb_length(length) + image + END
    # strings compressed with LZF, with false lengths
    for packed, unpacked in ((1, 1 << 20), (1 << 20, 1), (20, len(image)), (0, 0)):
        yield (
            f"a compressed part, {packed} for {unpacked}",
            head
            + lead
            + STRING
            + b"\xc3"
            + rdb_length(packed)
            + rdb_length(unpacked)
            + image
            + END,
        )


def test_malformed_payloads_are_refused(target, images, frame):
    for name in ("scalable 5", "ribbon"):
        with memory_returns(target), connected(target) as wire:
            for what, body in misshapen(frame, images[name]):
                assert (
                    wire("RESTORE", "k", 0, frame.sealed(body))
                    == b"-ERR Bad data format\r\n"
                ), what
            assert wire("DBSIZE") == b":0\r\n"


def test_payloads_with_flipped_bits_are_refused(target, images, frame):
    """Flips bits after the type and the module.  Every such payload is refused."""
    chance = random.Random(2)
    with memory_returns(target), connected(target) as wire:
        for name in ("scalable 5", "ribbon", "url", "counting keyed"):
            body = frame.payload(images[name], size=90)[:-10]
            for _ in range(300):
                flipped = bytearray(body)
                for at in chance.sample(
                    range(8 * len(frame.head), 8 * len(body)), chance.choice([1, 1, 2, 8])
                ):
                    flipped[at // 8] ^= 1 << at % 8
                reply = wire("RESTORE", "k", 0, frame.sealed(bytes(flipped)), "REPLACE")
                assert reply == b"-ERR Bad data format\r\n"
                assert wire("EXISTS", "k") == b":0\r\n"


# ---- RDB files that a server reads when it starts ----


def starts_with(server, rdb, between=False):
    """Returns the exit status and the log.  The status is None if the server started.

    A server that refuses a file runs its own check on it and exits, with 0 if that found
    nothing.  If the file ends `between` two values of a module, the check never ends: this
    is a bug of all servers (rdb.c, rdbLoadCheckModuleValue).  Then the logged refusal is
    enough."""
    (server.folder / "dump.rdb").write_bytes(rdb)
    log = Log(server)
    server.start(wait=False)

    def settled():
        return (
            server.process.poll() is not None or "Ready to accept connections" in log.text()
        )

    def refused():
        return between and "Unexpected EOF reading RDB file" in log.text()

    try:
        wait_until(
            lambda: settled() or refused(),
            f"the server has started or exited: {log.text()}",
        )
    finally:
        if not settled():
            server.kill()
    return 1 if refused() else server.process.poll(), log.text()


def damaged(corpus):
    """Three damaged items of each verdict, of different kinds, in random order."""
    chance, chosen = random.Random(3), []
    for word in ("format", "truncated", "newer", "corrupt"):
        items = [item for item in corpus if item.verdict == word and item.image]
        by_kind = {
            item.name.split(":")[0]: item for item in chance.sample(items, len(items))
        }
        chosen += chance.sample(sorted(by_kind.values()), 3)
    chance.shuffle(chosen)
    return chosen


@pytest.fixture
def stopped(start):
    server = start()
    server.stop()
    return server


def test_a_server_does_not_start_with_a_damaged_filter(stopped, images, corpus, frame):
    good = b"good", frame.values(images["blocked"])
    for item in damaged(corpus):
        status, said = starts_with(
            stopped, frame.rdb([good, (b"bad", frame.values(item.image))])
        )
        assert status in (0, 1), (item.name, said)
        assert NOT_LOADED + SENTENCES[item.verdict] in said, item.name
    status, said = starts_with(stopped, frame.rdb([good]))
    assert status is None, said
    assert stopped.client().execute_command("PETAL.DUMP", "good") == images["blocked"]


def test_a_server_does_not_start_with_a_truncated_file(stopped, images, frame):
    size = 300
    values = frame.values(images["scalable 5"], size=size)
    rdb = frame.rdb([(b"one", values), (b"two", frame.values(images["ribbon"]))])
    first = rdb.index(values)
    parts = [
        first + 3 + n * (3 + size) for n in range(3)
    ]  # their offsets, after the length
    assert all(rdb[at : at + 1] == STRING for at in parts)
    inside = {
        first - 1,
        first + 1,
        first + 2,
        parts[0] + 1,
        parts[0] + 2,
        parts[0] + 3,
        parts[1] - 1,
        parts[1] + 1,
        parts[2] + 5,
        first + len(values) + 3,
        len(rdb) - 20,
        len(rdb) - 8,
        len(rdb) - 1,
    }
    between = {first, *parts, first + len(values) - 1}
    for n in sorted(inside | between | {0, 8, 11, 12}):
        status, said = starts_with(stopped, rdb[:n], between=n in between)
        assert status == 1, (n, said)
    status, said = starts_with(stopped, rdb)
    assert status is None and stopped.client().dbsize() == 2, said


def test_a_false_length_in_a_file_is_not_trusted(stopped, images, frame):
    """Filters in files have no size limit, but memory is taken only for data that is
    there."""
    for total in (1 << 40, (1 << 64) - 1):
        values = frame.values(images["ribbon"], total=total)
        status, said = starts_with(stopped, frame.rdb([(b"k", values)]))
        assert status in (0, 1) and NOT_LOADED + SENTENCES["truncated"] in said, said


def test_a_load_in_a_file_can_be_continued(stopped, images, frame):
    """Servers before Redis 7.2 cannot write such files, but they read them."""
    image = images["ribbon"]
    total, half = len(image), len(image) // 2
    loads = [
        (0, b"k%d" % i, total, half, [image[:100], image[100:half]])
        for i in range(LOADS_MAX)
    ]
    status, said = starts_with(stopped, frame.rdb_of_loads(loads))
    assert status is None, said
    r = stopped.client()
    assert r.info("bf_filters")["bf_loads_in_progress"] == LOADS_MAX
    for _, name, *_ in loads:
        assert r.execute_command("PETAL.LOADCHUNK", name, half, total, image[half:])
        assert r.execute_command("PETAL.DUMP", name) == image


def damaged_loads(image):
    total, half = len(image), len(image) // 2
    good = 0, b"k", total, half, [image[:half]]
    yield "too many loads", [
        (0, b"k%d" % i, total, half, [image[:half]]) for i in range(LOADS_MAX + 1)
    ]
    yield "an impossible database number", [(1 << 31, b"k", total, half, [image[:half]])]
    yield "longer than the total", [(0, b"k", half, total, [image])]
    yield "longer than the total by a part", [
        (0, b"k", half, total, [image[:half], image[half:]])
    ]
    yield "a part longer than the length", [(0, b"k", total, half, [image[: half + 1]])]
    yield "more parts than the length", [
        (0, b"l", total, half, [image[:half], image[half:]]),
        good,
    ]
    yield "fewer parts than the length", [(0, b"k", total, half, [image[: half - 1]]), good]
    yield "a part that is empty", [(0, b"k", total, half, [b"", image[:half]])]


def test_a_server_does_not_start_with_damaged_loads(stopped, images, frame):
    for what, loads in damaged_loads(images["ribbon"]):
        status, said = starts_with(stopped, frame.rdb_of_loads(loads))
        assert status in (0, 1), (what, said)
        assert "cannot read the filter loads in progress: bad data" in said, what


# ---- Full syncs ----


class Master(threading.Thread):
    """A fake master that sends an RDB file to each replica that requests a sync.

    wait() waits for a request, send() answers it.  If the file is cut, it closes the
    connection."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.asked, self.may = threading.Semaphore(0), threading.Semaphore(0)
        self.answer = self.connection = None
        self.start()

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                with contextlib.suppress(OSError, ValueError), connection:
                    self.serve(connection)

    def serve(self, connection):
        self.connection = connection
        file = connection.makefile("rb")
        while True:
            words = self.words(file)
            if not words:
                return
            if words[0] == b"PSYNC":
                self.asked.release()
                self.may.acquire()
                rdb, length = self.answer
                connection.sendall(
                    b"+FULLRESYNC %s 0\r\n$%d\r\n%s" % (b"a" * 40, length, rdb)
                )
                if len(rdb) < length:
                    return
            elif words[0] == b"PING":
                connection.sendall(b"+PONG\r\n")
            elif words[:2] != [b"REPLCONF", b"ACK"]:
                connection.sendall(b"+OK\r\n")

    @staticmethod
    def words(file):
        number = int(file.readline()[1:] or 0)
        return [file.read(int(file.readline()[1:]) + 2)[:-2] for _ in range(number)]

    def wait(self):
        """Waits until a replica requests a sync.  It has then processed the previous
        one."""
        assert self.asked.acquire(timeout=LIMIT_SECONDS), "no replica requested a sync"

    def send(self, rdb, cut=None):
        self.answer = rdb if cut is None else rdb[:cut], len(rdb)
        self.may.release()

    def hang_up(self):
        self.connection.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.may.release()
        with contextlib.suppress(OSError):
            self.hang_up()


@pytest.fixture
def master():
    master = Master()
    yield master
    master.close()


def same(server, before):
    """Are the server's filters exactly these?"""
    r = server.client()
    keys = sorted(r.keys())
    return (
        keys == sorted(before)
        and filters(server) == len(before)
        and all(
            r.execute_command("PETAL.DUMP", key) == image for key, image in before.items()
        )
    )


def test_a_replica_keeps_its_filters_when_a_sync_is_interrupted(
    start, images, frame, master
):
    replica = start("--repl-diskless-load", "swapdb")
    r = replica.client()
    old = {b"old": images["counting"]}
    r.execute_command("PETAL.LOAD", "old", images["counting"])
    had = filter_bytes(replica)
    r.replicaof("127.0.0.1", master.port)
    sets = [
        {b"one": images["scalable 5"], b"two": images["ribbon"]},
        {b"three": images["url scalable"], b"two": images["bitmap"]},
    ]
    for new in sets:
        # in the second round the replica knows this master and serves the old data while it
        # loads
        rdb = frame.rdb(
            [(name, frame.values(image, size=300)) for name, image in new.items()]
        )
        first = rdb.index(frame.head[1:]) + 9
        for cut in (
            first,
            first + 1,
            first + 3,
            first + 5,
            first + 250,
            first + 400,
            len(rdb) // 2,
            rdb.rindex(frame.head[1:]) + 20,
            len(rdb) - 10,
            len(rdb) - 9,
        ):
            master.wait()
            wait_until(lambda: same(replica, old), f"the old filters, before {cut}")
            assert filter_bytes(replica) == had
            master.send(rdb, cut)
        master.wait()
        wait_until(lambda: same(replica, old), "the old filters")
        assert filter_bytes(replica) == had
        master.send(rdb)
        wait_until(lambda: same(replica, new), "the new filters")
        old, had = new, filter_bytes(replica)
        master.hang_up()
    assert replica.lives() and "crashed by signal" not in replica.log()
    assert "to parser" in replica.log()  # the sync was diskless


def test_a_replica_exits_when_a_sync_is_damaged(start, images, corpus, frame, master):
    """By design of the servers, a replica exits if its sync is corrupt and not merely cut
    (rdb.c, rdbReportError).  It logs the reason, and its own file is unchanged."""
    replica = start("--repl-diskless-load", "swapdb")
    for item in damaged(corpus)[:3]:
        r = replica.client()
        r.execute_command("PETAL.LOAD", "old", images["counting"])
        r.save()
        log = Log(replica)
        r.replicaof("127.0.0.1", master.port)
        master.wait()
        master.send(
            frame.rdb(
                [
                    (b"good", frame.values(images["blocked"])),
                    (b"bad", frame.values(item.image)),
                ]
            )
        )
        assert replica.process.wait(timeout=LIMIT_SECONDS) == 1, item.name
        assert NOT_LOADED + SENTENCES[item.verdict] in log.text(), item.name
        assert "crashed by signal" not in log.text()
        replica.start()
        assert same(replica, {b"old": images["counting"]})


# ---- False lengths ----

CLAIMS = [
    LIMIT_DEFAULT,
    LIMIT_DEFAULT - 1,
    LIMIT_DEFAULT + 1,
    10**12,
    1 << 40,
    (1 << 63) - 1,
]


@contextlib.contextmanager
def memory_is_not_taken(server, most=128 << 10):
    """Checks the memory that is in use afterwards, and the largest address space."""
    memory, peak = used_memory(server), peak_of_addresses(server)
    yield
    if not PRELOAD:
        wait_until(
            lambda: used_memory(server) <= memory + most,
            f"at most {memory} + {most} bytes, now {used_memory(server)}",
        )
        assert peak_of_addresses(server) <= peak + LIMIT_DEFAULT // 4


def test_a_false_length_is_not_trusted(start, images, frame):
    server = quiet(start(module_arguments=("bf-max-filter-bytes", str(LIMIT_DEFAULT))))
    too_large = f"-ERR {SENTENCES['limit']}\r\n".encode()
    log = Log(server)
    for claim in CLAIMS:
        allowed = claim <= LIMIT_DEFAULT
        for byte in (b"", b"x", images["ribbon"]):
            with memory_is_not_taken(server), connected(server) as wire:
                assert wire("PETAL.LOADCHUNK", "a", 0, claim, byte) == (
                    OK if allowed else too_large
                )
                first = wire("BF.LOADCHUNK", "b", 1, struct.pack("<Q", claim))
                assert first == (OK if allowed else b"-ERR received bad data\r\n")
                under_way = int(fields(server, "bf_filters")["bf_loads_in_progress"])
                assert under_way == (2 if allowed else 0)
                assert (
                    wire("RESTORE", "c", 0, frame.payload(byte, total=claim))
                    == b"-ERR Bad data format\r\n"
                )
                assert wire("DBSIZE") == b":0\r\n"
                wire("FLUSHALL", "SYNC")
                assert fields(server, "bf_filters")["bf_loads_in_progress"] == "0"
    allowed = sum(claim <= LIMIT_DEFAULT for claim in CLAIMS)
    assert log.refusals() == {
        SENTENCES["limit"]: 3 * (len(CLAIMS) - allowed),
        SENTENCES["truncated"]: 3 * allowed,
    }
    with memory_is_not_taken(server), connected(server) as wire:
        assert (
            wire("PETAL.LOADCHUNK", "a", 0, 1 << 63, "x")
            == b"-ERR offset must be an integer >= 0 and total an integer >= 1\r\n"
        )
        for claim in (1 << 63, (1 << 64) - 1):
            assert (
                wire("BF.LOADCHUNK", "b", 1, struct.pack("<Q", claim))
                == b"-ERR received bad data\r\n"
            )
            assert (
                wire("RESTORE", "c", 0, frame.payload(b"x", total=claim))
                == b"-ERR Bad data format\r\n"
            )


def test_abandoned_loads_take_little_memory(start, images):
    server = quiet(start())
    part = images["ribbon"] * 2 + bytes(1024 - 2 * len(images["ribbon"]))
    # a load takes ROOM_MIN, its name and the allocator's overhead
    with memory_is_not_taken(server, LOADS_MAX * (ROOM_MIN + 128) + NOISE), connected(
        server
    ) as wire:
        for i in range(100):
            assert wire("PETAL.LOADCHUNK", f"key-{i}", 0, 100_000_000, part) == OK
            assert fields(server, "bf_filters")["bf_loads_in_progress"] == str(
                min(i + 1, LOADS_MAX)
            )
        for i in range(100):
            assert wire("BF.LOADCHUNK", f"key-{i}", 1, struct.pack("<Q", 100_000_000)) == OK
            assert fields(server, "bf_filters")["bf_loads_in_progress"] == str(LOADS_MAX)
        # the oldest loads were dropped
        none = b"-ERR no load of this key is in progress; start at offset 0\r\n"
        assert wire("PETAL.LOADCHUNK", "key-0", 1024, 100_000_000, part) == none
        assert wire("DBSIZE") == b":0\r\n"
    with memory_is_not_taken(server, 0), connected(server) as wire:
        wire("FLUSHALL", "SYNC")
        assert fields(server, "bf_filters")["bf_loads_in_progress"] == "0"
        assert wire("DBSIZE") == b":0\r\n" and filter_bytes(server) == 0


def test_chunks_that_do_not_continue_the_load(target, images):
    """Wrong order, overlaps, gaps and another total are errors, and end the load."""
    image = images["ribbon"]
    total, half = len(image), len(image) // 2
    none = b"-ERR no load of this key is in progress; start at offset 0\r\n"
    order = b"-ERR chunk does not continue the load; start again at offset 0\r\n"
    too_large = f"-ERR {SENTENCES['limit']}\r\n".encode()
    seconds = [
        ((half + 1, total, image[half + 1 :]), order),
        ((half - 1, total, image[half - 1 :]), order),
        ((half, total + 1, image[half:]), order),
        ((half, total - 1, image[half:]), order),
        ((half, total, image[half:] + b"x"), order),
        ((total, total, b""), order),
        (((1 << 63) - 1, total, b"x"), order),
        ((half, 1 << 62, image[half:]), too_large),
    ]
    with memory_returns(target), connected(target) as wire:
        for second, error in seconds:
            assert wire("PETAL.LOADCHUNK", "k", 0, total, image[:half]) == OK
            assert wire("PETAL.LOADCHUNK", "k", *second) == error, second[:2]
            assert wire("PETAL.LOADCHUNK", "k", half, total, image[half:]) == none, second[
                :2
            ]
        for numbers in (
            ("x", total),
            (0, "x"),
            (-1, total),
            (0, 0),
            (0, -1),
            (1 << 63, total),
            ("", ""),
        ):
            error = b"-ERR offset must be an integer >= 0 and total an integer >= 1\r\n"
            assert wire("PETAL.LOADCHUNK", "k", *numbers, image) == error
        assert wire("DBSIZE") == b":0\r\n"


# ---- The size limit ----

SMALL = 264 + 64000  # bf-max-filter-bytes: exactly a bitmap of 512,000 bits


@pytest.fixture
def limited(start):
    return quiet(
        start(
            "--rdbcompression", "no", module_arguments=("bf-max-filter-bytes", str(SMALL))
        )
    )


def test_the_limit_is_the_same_for_every_loader(start, limited, frame):
    free = start().client()
    for bits, allowed in ((512_000, True), (512_001, False)):
        free.execute_command("PETAL.RESERVE", f"bitmap-{bits}", f"kind=bitmap bits={bits}")
        image = free.execute_command("PETAL.DUMP", f"bitmap-{bits}")
        assert len(image) == SMALL + 64 * (not allowed)
        item = Item("bitmap", image, "whole" if allowed else "limit")
        with memory_returns(limited), connected(limited) as wire:
            for loader in LOADERS:
                replies = talk(wire, LOADERS[loader](frame, b"k", image))
                assert (
                    replies[-1] == OK if allowed else refusal(loader, item) in replies
                ), loader
                assert wire("EXISTS", "k") == b":%d\r\n" % allowed, loader
                wire("DEL", "k")
            reserved = wire("PETAL.RESERVE", "k", f"kind=bitmap bits={bits}")
            assert reserved == (
                OK if allowed else f"-ERR {SENTENCES['limit']}\r\n".encode()
            )
            assert wire("EXISTS", "k") == b":%d\r\n" % allowed
            wire("FLUSHALL", "SYNC")


def test_a_payload_that_claims_to_be_too_large_is_not_decompressed(start, limited):
    """A payload of zeros is compressed to a hundredth of its size."""
    free = start().client()
    free.execute_command("PETAL.RESERVE", "k", "kind=bitmap bits=1e9")
    payload = free.dump("k")
    assert len(payload) < 2 << 20
    with memory_is_not_taken(limited), connected(limited) as wire:
        assert wire("RESTORE", "k", 0, payload) == b"-ERR Bad data format\r\n"


def test_the_limit_when_reserving(limited):
    too_large = b"-ERR Insufficient memory to create filter\r\n"
    with memory_returns(limited), connected(limited) as wire:
        for capacity, reply in ((10_000, OK), (100_000, too_large), (1 << 30, too_large)):
            for words in (["NONSCALING"], ["EXPANSION", "2"], []):
                assert wire("BF.RESERVE", "k", "0.01", capacity, *words) == reply
                wire("DEL", "k")
        assert wire("BF.INSERT", "k", "CAPACITY", 1 << 30, "ITEMS", "a") == too_large
        for capacity in (10**6, 10**12, (1 << 62) - 1):
            for kind in ("classic", "partitioned", "counting", "scalable"):
                reply = wire("PETAL.RESERVE", "k", f"kind={kind}", f"capacity={capacity}")
                assert reply.startswith(b"-ERR "), (kind, capacity)
        assert wire("DBSIZE") == b":0\r\n"


def test_a_filter_grows_to_the_limit_and_keeps_its_keys(limited):
    too_large = f"-ERR {SENTENCES['limit']}\r\n".encode()
    n = 100_000  # more than 64 kB can hold at 1%
    keys = [b"key-%d" % i for i in range(n)]
    with memory_returns(limited), connected(limited) as wire:
        lines = wire("BF.MADD", "k", *keys).split(b"\r\n")
        results = lines[1:-1]
        assert lines[0] == b"*%d" % len(results) and len(results) < n
        assert results[-1] + b"\r\n" == too_large and set(results[:-1]) <= {b":1", b":0"}
        added = results.count(b":1")
        told = keys[: len(results) - 1]
        assert wire("BF.CARD", "k") == b":%d\r\n" % added
        found = b"*%d\r\n" % len(told) + b":1\r\n" * len(told)
        assert wire("BF.MEXISTS", "k", *told) == found
        # the key that did not fit is not in the filter, nor are new keys after it
        new = keys[len(told)]
        assert wire("BF.ADD", "k", new) == too_large
        assert (
            wire("BF.INSERT", "k", "ITEMS", keys[0], new, keys[1])
            == b"*2\r\n:0\r\n" + too_large
        )
        assert (
            wire("PETAL.ADD", "k", keys[0], new, keys[1])
            == b"*3\r\n:0\r\n" + too_large + b":0\r\n"
        )
        assert wire("BF.ADD", "k", keys[0]) == b":0\r\n"
        assert wire("BF.EXISTS", "k", new) == b":0\r\n"
        assert wire("BF.CARD", "k") == b":%d\r\n" % added
        assert wire("BF.MEXISTS", "k", *told) == found
        image = contents(wire("PETAL.DUMP", "k"))
        assert verdict(image) == "whole" and len(image) <= SMALL
        # it did not stop early: the next stage would be as large as all others together
        assert 4 * len(image) > SMALL
        wire("DEL", "k")


def test_a_refusal_does_not_affect_later_commands(limited):
    with memory_returns(limited), connected(limited) as wire:
        wire("PETAL.RESERVE", "a", "kind=scalable capacity=100")
        wire("BF.ADD", "a", "rose")
        for name in ("b", "c", "d"):
            wire("PETAL.RESERVE", name, "LIKE", "a")
        for refused in (
            ("BF.RESERVE", "big", "0.01", 1 << 30),
            ("PETAL.RESERVE", "big", "capacity=1e9"),
            ("PETAL.LOADCHUNK", "big", 0, 1 << 40, "x"),
        ):
            assert wire(*refused).startswith(b"-ERR")
            assert wire("COPY", "a", "copy", "REPLACE") == b":1\r\n"
            assert wire(*refused).startswith(b"-ERR")
            merged = wire("PETAL.MERGE", "b", "c")
            assert (
                merged
                == b"-ERR a scalable filter cannot be merged; reserve one with kind=blocked\r\n"
            )
            assert wire("PETAL.RESERVE", "e", "capacity=100 kind=blocked") == OK
            assert wire("PETAL.RESERVE", "f", "LIKE", "e") == OK
            assert wire(*refused).startswith(b"-ERR")
            assert wire("PETAL.MERGE", "e", "f") == OK
            assert wire("DEL", "e", "f") == b":2\r\n"
            assert filters(limited) == 5
        wire("FLUSHALL", "SYNC")


def test_a_merge_that_fails_leaves_nothing(limited):
    """Filters of fingerprints match, but may have too many keys for their rate.  That is only known afterwards."""
    keys = [b"%d" % i for i in range(50_000)]
    with connected(limited) as wire:
        assert wire("PETAL.RESERVE", "a", "kind=quotient capacity=20000 fpr=0.5") == OK
        assert wire("PETAL.RESERVE", "b", "LIKE", "a") == OK
        wire("PETAL.ADD", "a", *keys[:25_000])
        wire("PETAL.ADD", "b", *keys[25_000:])
    with memory_returns(limited), connected(limited) as wire:
        for _ in range(20):  # together more than NOISE
            assert (
                wire("PETAL.MERGE", "a", "b")
                == b"-ERR the filter cannot grow any further at this rate\r\n"
            )
    with connected(limited) as wire:
        wire("FLUSHALL", "SYNC")


# ---- Random commands ----


class Chance:
    """Random commands for a few keys, from a fixed seed."""

    def __init__(self, seed, images, frame):
        self.random = random.Random(seed)
        self.images, self.frame = list(images.values()), frame

    def key(self):
        return self.random.choice(["k0", "k1", "k2", "k3", "k4", "k5"])

    def number(self):
        return self.random.choice(
            [
                0,
                1,
                2,
                3,
                7,
                10,
                100,
                1000,
                5000,
                -1,
                "x",
                "",
                "1e3",
                "0x10",
                " 1",
                1 << 31,
                1 << 32,
                1 << 62,
                (1 << 63) - 1,
                -(1 << 63),
                1 << 64,
                "9" * 40,
                b"\0",
                32768,
            ]
        )

    def rate(self):
        return self.random.choice(
            [
                "0.01",
                "0.1",
                "1e-5",
                "0.5",
                "0",
                "1",
                "-1",
                "nan",
                "inf",
                "-inf",
                "1e-320",
                "1e999",
                "x",
                "",
                b"\0\xff",
                "0.2500001",
                "1%",
            ]
        )

    def word(self):
        return self.random.choice(
            [
                "CAPACITY",
                "ERROR",
                "EXPANSION",
                "NOCREATE",
                "NONSCALING",
                "ITEMS",
                "items",
                "TIGHTENING",
                "SEED",
                "VALIDATESCALETO",
                "LIKE",
                "SIZE",
                "FILTERS",
                "",
                b"\0",
            ]
        )

    def item(self):
        return self.random.choice(
            [
                b"%d" % self.random.randrange(100),
                self.random.randbytes(8),
                b"",
                b"http://a.example/%d" % self.random.randrange(9),
                b"10.0.0.0/8",
                b"x" * 9000,
                b"\0",
                b"%%%00",
            ]
        )

    def items(self):
        return [self.item() for _ in range(self.random.choice([1, 1, 2, 5, 70]))]

    def image(self):
        image = bytearray(self.random.choice(self.images))
        match self.random.randrange(6):
            case 0:
                image = bytes(image[: self.random.randrange(len(image))])
            case 1:
                image[self.random.randrange(len(image))] ^= 1 << self.random.randrange(8)
            case 2:
                at, size = self.random.choice(list(FIELDS.values()))
                image = repaired(
                    with_number(
                        image,
                        at,
                        size,
                        self.random.getrandbits(self.random.randrange(1, 65)),
                    )
                )
            case 3:
                image = self.random.randbytes(self.random.randrange(400))
        return bytes(image)

    def option(self):
        name = self.random.choice(
            [
                "capacity",
                "fpr",
                "bits",
                "hashes",
                "kind",
                "form",
                "hash",
                "seed",
                "growth",
                "capacity_max",
                "counter_bits",
                "insert_only",
                "match_lookups",
                "threads",
                "x",
            ]
        )
        value = self.random.choice(
            [
                self.number(),
                self.rate(),
                "blocked",
                "classic",
                "counting",
                "scalable",
                "bitmap",
                "ribbon",
                "url",
                "ip",
                "word",
                "keyed",
                "fast",
                "1:2",
            ]
        )
        return f"{name}={value}"

    def options(self):
        return self.random.choice(
            [
                [self.option() for _ in range(self.random.randrange(1, 5))],
                ["capacity=100", self.option()],
                ["kind=counting capacity=50", self.option()],
                ["kind=bitmap bits=1000"],
                ["capacity=100 hash=fast seed=1"],
                ["LIKE", self.key()],
                ["kind=scalable", self.option()],
                [b"capacity=1\0" + self.random.randbytes(30)],
                ["x" * 5000],
            ]
        )

    def insert(self):
        words = [
            self.random.choice([self.word(), self.number(), self.rate()])
            for _ in range(self.random.choice([0, 0, 1, 2, 4]))
        ]
        return self.random.choice(
            [
                ["BF.INSERT", self.key(), *words, "ITEMS", *self.items()],
                ["BF.INSERT", self.key(), *words],
                [
                    "BF.INSERT",
                    self.key(),
                    "CAPACITY",
                    self.number(),
                    "ERROR",
                    self.rate(),
                    "ITEMS",
                    *self.items(),
                ],
                [
                    "BF.INSERT",
                    self.key(),
                    "SEED",
                    self.random.randbytes(32),
                    "VALIDATESCALETO",
                    self.number(),
                ],
            ]
        )

    def loadchunk(self):
        image, key = self.image(), self.key()
        n = self.random.choice([1, 1, 2, 3])
        piece = self.random.choice(["BF.LOADCHUNK", "CF.LOADCHUNK"])
        commands = list(
            self.random.choice([chunks(key, image, n), pieces(piece, key, image, n)])
        )
        return self.random.choice(
            [
                commands,
                commands,
                commands[1:],
                commands[:-1],
                [["PETAL.LOADCHUNK", key, self.number(), self.number(), image]],
                [[piece, key, self.number(), image[: self.random.choice([8, 9, 400])]]],
            ]
        )

    def cuckoo(self):
        key, items = self.key(), self.items()
        words = [
            self.random.choice([self.word(), self.number()])
            for _ in range(self.random.choice([0, 0, 1, 2, 4]))
        ]
        name = self.random.choice(["CF.INSERT", "CF.INSERTNX"])
        return [
            self.random.choice(
                [
                    ["CF.RESERVE", key, self.number(), *words],
                    ["CF.RESERVE", key, self.number(), "BUCKETSIZE", self.number()],
                    ["CF.RESERVE", key, 100, "EXPANSION", self.number()],
                    ["CF.RESERVE", key, 100, "MAXITERATIONS", self.number()],
                    ["CF.ADD", key, items[0]],
                    ["CF.ADDNX", key, items[0]],
                    ["CF.DEL", key, items[0]],
                    ["CF.DEL", key, items[0]],
                    [name, key, *words, "ITEMS", *items],
                    [name, key, "ITEMS", *items * 9],
                    [name, key, "CAPACITY", self.number(), *words],
                    ["CF.EXISTS", key, items[0]],
                    ["CF.MEXISTS", key, *items],
                    ["CF.COUNT", key, items[0]],
                    ["CF.COMPACT", key],
                    ["CF.INFO", key],
                    ["CF.SCANDUMP", key, self.number()],
                    [
                        "PETAL.NOTE",
                        key,
                        self.random.choice(["label", "bucket_size", "", b"\0"]),
                        items[0],
                    ],
                ]
            )
        ]

    def commands(self):
        """One command, or a few that belong together."""
        key, other, items = self.key(), self.key(), self.items()
        body = self.frame.head + self.frame.values(
            self.image(), size=self.random.choice([64, 1 << 20])
        )
        return self.random.choice(
            [
                lambda: [["BF.RESERVE", key, self.rate(), self.number()]],
                lambda: [
                    [
                        "BF.RESERVE",
                        key,
                        self.rate(),
                        self.number(),
                        self.word(),
                        self.number(),
                    ]
                ],
                lambda: [["BF.ADD", key, items[0]]],
                lambda: [["BF.MADD", key, *items]],
                lambda: [self.insert()],
                lambda: [self.insert()],
                lambda: [["BF.EXISTS", key, items[0]]],
                lambda: [["BF.MEXISTS", key, *items]],
                lambda: [["BF.CARD", key]],
                lambda: [["BF.INFO", key]],
                lambda: [["BF.INFO", key, self.word()]],
                lambda: [["BF.DEBUG", key]],
                lambda: [["BF.SCANDUMP", key, self.number()]],
                self.loadchunk,
                self.loadchunk,
                self.loadchunk,
                *[self.cuckoo] * 12,
                lambda: [["PETAL.LOAD", key, self.image()]],
                lambda: [["PETAL.DUMP", key]],
                lambda: [["PETAL.DUMP", key, self.number(), self.number()]],
                lambda: [["PETAL.RESERVE", key, *self.options()]],
                lambda: [["PETAL.RESERVE", key, *self.options()]],
                lambda: [["PETAL.ADD", key, *items]],
                lambda: [["PETAL.EXISTS", key, *items]],
                lambda: [["PETAL.MATCH", key, *items]],
                lambda: [["PETAL.COUNT", key, *items]],
                lambda: [["PETAL.REMOVE", key, *items]],
                lambda: [["PETAL.STATS", key]],
                lambda: [
                    ["PETAL.MERGE", key, other, *[self.key()] * self.random.randrange(3)]
                ],
                lambda: [
                    ["PETAL.RESERVE", "k5", "LIKE", key],
                    ["PETAL.ADD", "k5", *items],
                    ["PETAL.MERGE", key, "k5"],
                    ["PETAL.MERGE", key, key],
                ],
                lambda: [
                    ["BF.RESERVE", "k0", "0.01", 1 << 30],
                    ["PETAL.MERGE", key, other],
                ],
                lambda: [["DEL", key], ["BF.RESERVE", key, "0.01", 100]],
                lambda: [["DEL", key]],
                lambda: [["DEL", key, other]],
                lambda: [["UNLINK", key]],
                lambda: [["RENAME", key, other]],
                lambda: [["COPY", key, other]],
                lambda: [["COPY", key, other, "REPLACE"]],
                lambda: [["EXPIRE", key, 0]],
                lambda: [
                    ["PEXPIRE", key, 1],
                    ["DEBUG", "SLEEP", "0.003"],
                ],  # it has expired, on any machine
                lambda: [["SET", key, "text"]],
                lambda: [["DUMP", key]],
                lambda: [["RESTORE", key, 0, self.frame.sealed(body), "REPLACE"]],
                lambda: [["MEMORY", "USAGE", key]],
                lambda: [["DEBUG", "DIGEST-VALUE", key]],
                lambda: [
                    ["MULTI"],
                    ["PETAL.LOAD", key, self.image()],
                    ["BF.MADD", key, *items],
                    ["EXEC"],
                ],
                lambda: [
                    [
                        "EVAL",
                        "return redis.pcall(unpack(ARGV))",
                        1,
                        key,
                        "BF.MADD",
                        key,
                        *items,
                    ]
                ],
                lambda: [
                    [
                        self.random.choice(
                            ["BF.ADD", "BF.INSERT", "PETAL.LOAD", "PETAL.MERGE", "BF.INFO"]
                        ),
                        *self.items(),
                    ]
                ],
            ]
        )()


@pytest.mark.parametrize("seed", range(4))
def test_random_commands_do_not_crash_the_server_or_break_its_counters(
    target, images, frame, seed
):
    chance = Chance(seed, images, frame)
    with memory_returns(target):
        with connected(target) as wire:
            heard = collections.Counter()
            for _ in range(200):
                commands = list(
                    itertools.chain.from_iterable(chance.commands() for _ in range(25))
                )
                for words, reply in zip(commands, talk(wire, commands)):
                    heard[str(words[0]).upper(), reply[:1] != b"-"] += 1
                    assert (
                        b"no such error" not in reply and b"-ERR no error" not in reply
                    ), words
                    assert (
                        not reply.startswith(b"-")
                        or reply.count(b"\r\n") == 1
                        and len(reply) < 200
                    ), words
                wait_until(
                    lambda: counts_agree(target, wire), "INFO counts the filters that exist"
                )
            names = {name for name, _ in heard if name.startswith(("BF.", "CF.", "PETAL."))}
            assert len(names) == 36
            never_fails = {"BF.EXISTS", "BF.MEXISTS", "CF.EXISTS", "CF.MEXISTS", "CF.COUNT"}
            assert {
                (name, good)
                for name in names
                for good in (True, False)
                if not heard[name, good]
            } == {(name, False) for name in never_fails}
            # all filters are valid, and survive a reload from a file
            talk(wire, [("PERSIST", name) for name in target.client().keys()])
            before = dumps(target, wire)
            assert all(verdict(contents(dump)) == "whole" for dump in before.values())
            assert wire("DEBUG", "RELOAD") == OK
            assert dumps(target, wire) == before and counts_agree(target, wire)
            assert wire("FLUSHALL", "SYNC") == OK
        with connected(target) as wire:
            wait_until(
                lambda: filters(target) == 0 and filter_bytes(target) == 0,
                "no filters, no bytes",
            )


def dumps(server, wire):
    names = server.client().keys()
    types = talk(wire, [("TYPE", name) for name in names])
    there = [
        name
        for name, kind in zip(names, types)
        if kind in (b"+petal-set\r\n", b"+MBbloom--\r\n")
    ]
    return dict(zip(there, talk(wire, [("PETAL.DUMP", name) for name in there])))


def counts_agree(server, wire):
    """Does INFO count all keys of this type, and the sum of their sizes?

    (It does not while a filter expires or is being freed.)"""
    there = dumps(server, wire)
    sizes = talk(wire, [("BF.INFO", name, "SIZE") for name in there])
    return (
        NOT_FOUND not in sizes
        and filters(server) == len(there)
        and filter_bytes(server) == sum(int(size.split(b":")[1]) for size in sizes)
    )
