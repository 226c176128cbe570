# SPDX-License-Identifier: BSD-2-Clause
"""Writes the files in this folder with the real RedisBloom, which is not part of petal.

    python3 make.py redis-server redisbloom.so FOLDER

NAME.chunks is what BF.SCANDUMP returns: the header, then the bits of all links.  NAME.dump
is the payload of DUMP, and NAME.debug what BF.DEBUG says.  filters.rdb has these filters,
and all.rdb has them among values of other types.  base.aof is an AOF that was rewritten
without an RDB preamble, and log.aof has the commands as they came.  members() says which
items a filter has.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parents[2]))
from limits import wait_until

FILTERS = {  # name: arguments of BF.RESERVE, number of items
    "one": ("0.01 100", 80),
    "three": ("0.01 50", 300),  # 50 + 100 + 200
    "fixed": ("0.001 100 NONSCALING", 100),
    "empty": ("0.02 10 EXPANSION 4", 0),
    "grown": ("0.01 50", 600),  # like "three", with more items
    "low": ("1e-9 20", 100),
}
SAME = {"grown": "three"}  # these two have the same items, as far as they go


def members(name):
    return [b"%s-%d" % (SAME.get(name, name).encode(), i) for i in range(FILTERS[name][1])]


def fill(r):
    for name, (arguments, _) in FILTERS.items():
        r.execute_command("BF.RESERVE", name, *arguments.split())
        items = members(name)
        for at in range(0, len(items), 50):
            r.execute_command("BF.MADD", name, *items[at : at + 50])


def chunks(r, name):
    """All chunks with their numbers."""
    found, number = [], 0
    while True:
        number, data = r.execute_command("BF.SCANDUMP", name, number)
        if number == 0:
            return found
        found.append((number, data))


def fill_others(r):
    """Values of all types and encodings that a reader must skip."""
    r.set("text", "x" * 1000)  # compressed
    r.set("short", "hello")
    for n in (0, -1, 127, -128, 32767, -32768, 2147483647, -2147483648, 1 << 40):
        r.set(f"number{n}", n)
    r.set("expires", "v", px=10**9)
    r.rpush("list", *range(10)), r.rpush("long-list", *["y" * 100] * 300)
    r.sadd("integers", 1, 2, 3), r.sadd("set", *(f"m{i}" for i in range(300))), r.sadd(
        "small-set", "a", "b"
    )
    r.zadd("sorted", {"a": 1, "b": 2.5}), r.zadd(
        "large-sorted", {f"m{i}": i / 7 for i in range(140)}
    )
    r.hset("hash", mapping={"a": 1}), r.hset(
        "large-hash", mapping={f"f{i}": "v" * 70 for i in range(5)}
    )
    for i in range(110):
        r.xadd("stream", {"field": i})
    r.xgroup_create("stream", "group", 0), r.xreadgroup(
        "group", "consumer", {"stream": ">"}, count=5
    )
    for command in (
        "CF.ADD cuckoo a",
        "CMS.INITBYDIM cms 20 3",
        "CMS.INCRBY cms a 4",
        "TOPK.RESERVE topk 3 8 7 0.9",
        "TOPK.ADD topk a b",
        "TDIGEST.CREATE digest",
        "TDIGEST.ADD digest 1 2 3.5",
    ):
        r.execute_command(*command.split())
    r.execute_command(
        "FUNCTION",
        "LOAD",
        "#!lua name=lib\nredis.register_function('f', function() return 1 end)",
    )
    other = type(r)(port=r.connection_pool.connection_kwargs["port"], db=3)
    other.execute_command("BF.ADD", "elsewhere", "rose")
    other.set("text", "in another database")


def answers(r):
    import redis

    try:
        return r.ping()
    except redis.ConnectionError:
        return False


def write(server, module, folder):
    import redis

    with tempfile.TemporaryDirectory() as work:
        process = subprocess.Popen(
            [
                server,
                "--port",
                "17171",
                "--bind",
                "127.0.0.1",
                "--dir",
                work,
                "--save",
                "",
                "--appendonly",
                "yes",
                "--aof-use-rdb-preamble",
                "no",
                "--set-max-intset-entries",
                "16",
                "--loadmodule",
                module,
            ],
            stdout=subprocess.DEVNULL,
        )
        try:
            r = redis.Redis(port=17171)
            wait_until(lambda: answers(r), "the server answers")
            fill(r)
            for name in FILTERS:
                (folder / f"{name}.chunks").write_bytes(
                    b"".join(data for _, data in chunks(r, name))
                )
                (folder / f"{name}.dump").write_bytes(r.dump(name))
                (folder / f"{name}.debug").write_bytes(
                    b"".join(b"%s\n" % x for x in r.execute_command("BF.DEBUG", name))
                )
            r.execute_command("BF.MADD", "fixed", "too", "many")
            r.save()
            shutil.copy(pathlib.Path(work) / "dump.rdb", folder / "filters.rdb")
            shutil.copy(
                next(pathlib.Path(work).glob("appendonlydir/*.incr.aof")),
                folder / "log.aof",
            )
            r.execute_command("BGREWRITEAOF")
            wait_until(
                lambda: not any(
                    r.info("persistence")[f"aof_rewrite_{state}"]
                    for state in ("in_progress", "scheduled")
                ),
                "the file is written",
            )
            shutil.copy(
                next(pathlib.Path(work).glob("appendonlydir/*.base.aof")),
                folder / "base.aof",
            )
            fill_others(r)
            r.save()
            shutil.copy(pathlib.Path(work) / "dump.rdb", folder / "all.rdb")
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]))
