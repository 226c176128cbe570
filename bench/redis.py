#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""redis.py: compares filters in a server with the server's own sets: speed and memory.

    redis.py BUILD-FOLDER [KEYS] [SERVER]

Measures commands per second with redis-benchmark, 32 in a pipeline: BF.ADD and SADD, then
BF.EXISTS and SISMEMBER, alternating in one server with the same random keys, and BF.MEXISTS
with 100 keys.  Then measures the memory of a filter and of a set with the same KEYS keys
(10^7).
"""
import re
import socket
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
from options import BenchOptions
from server import command, encode, started, used

RANGE = 1_000_000  # number of different keys


def rate(port, requests, *words, pipeline=32):
    """Commands per second."""
    out = subprocess.run(
        [
            "redis-benchmark",
            "-p",
            str(port),
            "-P",
            str(pipeline),
            "-n",
            str(requests),
            "-r",
            str(RANGE),
            "--csv",
            *words,
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return float(re.findall(r'^"[^"]*","([^"]+)"', out, re.M)[-1])


def speed(port, rounds, requests):
    key = "key:__rand_int__"
    pairs = [
        (["SADD", "set", key], ["BF.ADD", "filter", key]),
        (["SISMEMBER", "set", key], ["BF.EXISTS", "filter", key]),
    ]
    command(port, "BF.RESERVE", "filter", "0.01", RANGE)
    for set_words, filter_words in pairs:
        ratios, last = [], None
        for _ in range(rounds):
            last = rate(port, requests, *set_words), rate(port, requests, *filter_words)
            ratios.append(last[1] / last[0])
        print(
            f"{filter_words[0]} compared with {set_words[0]}: {statistics.median(ratios):.2f} of its rate "
            f"({min(ratios):.2f} to {max(ratios):.2f}; last {last[1]:,.0f} and {last[0]:,.0f} per second)"
        )
    one = [rate(port, requests, "BF.EXISTS", "filter", key) for _ in range(rounds)]
    many = [
        100 * rate(port, requests // 50, "BF.MEXISTS", "filter", *[key] * 100)
        for _ in range(rounds)
    ]
    print(
        f"BF.MEXISTS of 100 keys: {statistics.median(many):,.0f} keys per second, "
        f"{statistics.median(many) / statistics.median(one):.1f} times BF.EXISTS"
    )


def fill(port, command, name, n):
    """Adds n keys, a thousand per command, through one connection."""
    with socket.create_connection(("127.0.0.1", port)) as s:
        replies = s.makefile("rb")
        for at in range(0, n, 1000):
            words = [command, name] + [b"%d" % i for i in range(at, min(at + 1000, n))]
            s.sendall(encode(*words))
            line = replies.readline()
            if line[:1] == b"*":
                for _ in range(int(line[1:])):
                    replies.readline()


def memory(port, n):
    command(port, "FLUSHALL")
    before = used(port)
    fill(port, b"SADD", b"set", n)
    in_set = used(port) - before
    empty = used(port)
    command(port, "BF.RESERVE", "filter", "0.01", n)
    fill(port, b"BF.MADD", b"filter", n)
    in_filter = used(port) - empty
    fill(port, b"BF.MADD", b"grown", n)
    in_grown = used(port) - empty - in_filter
    print(
        f"bytes per key for {n:,} keys: a set {in_set / n:.1f}; a filter at 1% {in_filter / n:.2f} "
        f"({in_filter / in_set:.3f} of it); one that grew from 100 keys {in_grown / n:.2f} ({in_grown / in_set:.3f})"
    )


def main():
    options = BenchOptions(__doc__)
    options.build()
    options.number("keys", 10_000_000, quick=10_000)
    options.add_argument("server", nargs="?", default="redis-server")
    wanted = options.read()
    rounds, requests = (1, 10_000) if wanted.quick else (5, 1_000_000)
    with started(wanted.build / "modules/redis/petal.so", server=wanted.server) as port:
        speed(port, rounds, requests)
        memory(port, wanted.keys)


if __name__ == "__main__":
    main()
