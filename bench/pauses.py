#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""pauses.py: how long does a server pause while filters grow in it?

    pauses.py BUILD-FOLDER [KEYS] [MODULE]

Adds KEYS keys (10^7), one per command, in two rounds, and prints how long the longest
command took.  The server measures each command itself (SLOWLOG).  On a busy machine many
commands take long because the server has to wait for a processor.  A pause that the filter
causes comes with the same key in both rounds, because its hash is not keyed here.  So a
command counts with the shorter of its two times.  MODULE is another module with the same
commands, to compare with.

After that, it measures how long another client has to wait at most while a command works on
a whole filter of LARGE keys.  It repeats each command, because that client may also wait
for a processor, and takes the shortest time.

Before all that, it makes many small filters and prints what each takes.  Then it adds a key
to them in random order: the module packs small filters that are not in use, and has to
unpack nearly all of these.
"""
import multiprocessing
import random
import re
import socket
import sys
import time

sys.dont_write_bytecode = True
from options import BenchOptions
from server import command, encode, started, used

BATCH = 200  # commands that are sent together
SMALL = 100_000  # small filters with one key, and additions in random order
FEWEST = 1000  # small filters with many keys
SLOW = 200_000  # commands that the server remembers, if they take longer than:
SLOW_US = 200
LARGE = 100_000_000  # keys of the filters that whole commands work on
KINDS = ("blocked", "quotient", "scalable")
REPEATS = 3
TOUCHED = 1_000_000  # keys that are added to each of them


def send(connection, replies, commands):
    connection.sendall(b"".join(commands))
    for _ in commands:
        if replies.readline()[:1] == b"-":
            sys.exit("the server rejects a key")


def add(port, pairs):
    """Adds an item to a filter for each pair, BATCH at a time."""
    with socket.create_connection(("127.0.0.1", port)) as s:
        replies, commands = s.makefile("rb"), []
        for name, item in pairs:
            commands.append(encode(b"BF.ADD", name, item))
            if len(commands) == BATCH:
                send(s, replies, commands)
                commands = []
        send(s, replies, commands)


def microseconds(port):
    """The processor time of all BF.ADD so far."""
    return int(
        re.search(
            r"cmdstat_bf.add:.*?usec=(\d+)", command(port, "INFO", "commandstats"), re.I
        ).group(1)
    )


def slow(port):
    """The time of each slow command, in microseconds, by its key."""
    log = command(port, "SLOWLOG", "GET", SLOW)
    return {
        key: int(us)
        for us, key in re.findall(r"^\d+\n\d+\n(\d+)\nBF\.ADD\nfilter\n(\d+)\n", log, re.M)
    }


def grow(port, n):
    """Yields the slow commands, and the bits per key, for each power of ten."""
    command(port, "FLUSHALL")
    first = 1
    while first < n:
        last = min(n, 10 * first)
        command(port, "SLOWLOG", "RESET")
        add(port, ((b"filter", b"%d" % i) for i in range(first, last)))
        yield last, slow(port), 8 * int(command(port, "BF.INFO", "filter", "SIZE")) / last
        first = last


def pauses(port, n):
    command(port, "CONFIG", "SET", "slowlog-log-slower-than", SLOW_US)
    command(port, "CONFIG", "SET", "slowlog-max-len", SLOW)
    for (last, once, bits), (_, again, _) in zip(list(grow(port, n)), list(grow(port, n))):
        both = sorted(
            (min(us, again[key]) for key, us in once.items() if key in again), reverse=True
        )
        print(
            f"up to {last:>11,} keys: {bits:6.2f} bits per key; longest BF.ADD "
            + (
                ", ".join(f"{us / 1000:.2f} ms" for us in both[:3])
                or f"below {SLOW_US / 1000} ms"
            )
            + f" ({len(once)} and {len(again)} commands took longer than that, {len(both)} of them twice)",
            flush=True,
        )


def ask(port, *words):
    """Sends a command and reads its reply, however long it is."""
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.sendall(encode(*(str(word).encode() for word in words)) + encode(b"QUIT"))
        while s.recv(1 << 20):
            pass


def waits(port, *words):
    """The longest time that a PING takes while another client waits for this command, and
    the time of that one."""
    other = multiprocessing.Process(target=ask, args=(port, *words))
    with socket.create_connection(("127.0.0.1", port)) as s:
        longest, begin = 0, time.perf_counter()
        other.start()
        while other.is_alive():
            sent = time.perf_counter()
            s.sendall(b"PING\r\n")
            s.recv(64)
            longest = max(longest, time.perf_counter() - sent)
        return longest, time.perf_counter() - begin


def large(port):
    """Whole filters.  An item is added before each command, so that no result of the one
    before can be used."""
    for kind in KINDS:
        command(port, "FLUSHALL", "SYNC")
        command(port, "PETAL.RESERVE", "x", f"kind={kind} capacity={LARGE} fpr=1%")
        with socket.create_connection(("127.0.0.1", port)) as s:  # touches nearly all pages
            replies = s.makefile("rb")
            for first in range(0, TOUCHED, 1000):
                s.sendall(
                    encode(
                        b"BF.MADD", b"x", *(b"%d" % i for i in range(first, first + 1000))
                    )
                )
                for _ in range(1001):
                    replies.readline()
        command(port, "PETAL.RESERVE", "y", "LIKE", "x")
        merge = () if kind == "scalable" else (("PETAL.MERGE", "x", "y"),)
        for words in (
            ("PETAL.STATS", "x"),
            ("BF.SCANDUMP", "x", 0),
            ("BF.SCANDUMP", "x", 1),
            ("PETAL.DUMP", "x"),
            *merge,
        ):
            found = []
            for i in range(REPEATS):
                if words[-1] != 1:
                    command(port, "BF.ADD", "x", f"{words} {i}")
                found.append(waits(port, *words))
            print(
                f"{kind}: during {' '.join(map(str, words))}, which takes {min(t for _, t in found) * 1000:,.0f} ms, others wait "
                f"{min(w for w, _ in found) * 1000:,.1f} ms at most",
                flush=True,
            )


def small(port):
    for keys in (1, 100, 1000):
        number = max(SMALL // keys, FEWEST)
        command(port, "FLUSHALL")
        command(port, "CONFIG", "RESETSTAT")
        before = used(port)
        add(
            port,
            ((b"filter-%d" % i, b"%d" % k) for i in range(number) for k in range(keys)),
        )
        size, made_us = used(port) - before, microseconds(port)
        chosen = random.Random(keys)
        add(port, ((b"filter-%d" % chosen.randrange(number), b"0") for _ in range(SMALL)))
        print(
            f"{number:,} filters of {keys:,} keys: {size / number:,.0f} bytes and {made_us / number:,.1f} µs each, "
            f"and {(microseconds(port) - made_us) / SMALL:,.1f} µs for a key in one of them",
            flush=True,
        )


def main():
    global SMALL, FEWEST, LARGE, REPEATS, TOUCHED
    options = BenchOptions(__doc__)
    options.build()
    options.number("keys", 10_000_000, quick=10_000)
    options.add_argument("module", nargs="?")
    wanted = options.read()
    if wanted.quick:
        SMALL, FEWEST, LARGE, REPEATS, TOUCHED = 1_000, 10, 100_000, 1, 10_000
    ours = [wanted.build / "modules/redis/petal.so", "bf-keyed", "no"]
    with started(*([wanted.module] if wanted.module else ours)) as port:
        small(port)
        pauses(port, wanted.keys)
        if not wanted.module:
            large(port)


if __name__ == "__main__":
    main()
