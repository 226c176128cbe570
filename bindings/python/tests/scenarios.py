# SPDX-License-Identifier: BSD-2-Clause
"""scenarios.py: calls of everything, for the tests of leaks and of failing allocations.

Each scenario prepares something and then does it; what it returns is dropped.
"""
import ctypes
import gc
import itertools
import os
import pickle
import sys

import arrow_producer as arrow
import petal


class Quiet:
    """Ignores the exception that a scenario is about."""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return kind is not None and not issubclass(kind, MemoryError)


def words(n=3000):
    return [f"key-{i}" if i % 3 else i * 10**18 if i % 2 else b"%d" % i for i in range(n)]


KEYS = words()
FULL = {
    kind: petal.Filter(
        kind=kind,
        **({"bits": 1000} if kind == "bitmap" else {"capacity": 1000, "fpr": 0.01}),
    )
    for kind in petal.kinds
}
for _f in FULL.values():
    _f.update(range(900))
    _f.seal()
ONE = FULL["blocked"]
IMAGE = bytes(ONE)
BUFFER = memoryview(b"\1\2\3\4" * 2500).cast("i")
URLS = petal.Filter(100, form="url")
URLS.add("evil.example")


def fail(call, *args, **more):
    with Quiet():
        call(*args, **more)


SCENARIOS = {
    "create": lambda: [
        petal.Filter(1000, 0.01, kind=kind) for kind in petal.kinds if kind != "bitmap"
    ],
    "bad options": lambda: [
        fail(petal.Filter, 10, fpr=3),
        fail(petal.Filter, colour=1),
        fail(petal.Filter, kind=b""),
    ],
    "single keys": lambda: [
        x in ONE for x in ("a", "日本", b"b", 5, 10**30, 10**5000, bytearray(b"x"))
    ],
    "bad keys": lambda: [
        fail(ONE.__contains__, x) for x in (None, 1.5, "\ud800", True, [])
    ],
    "count and match": lambda: [
        ONE.count("a"),
        URLS.match("www.evil.example"),
        URLS.match("good.example"),
        URLS.normalize("A.B/c"),
        fail(URLS.normalize, ""),
        ONE.hash("a"),
    ],
    "lookups": lambda: ONE.contains_many(KEYS),
    "lookups in threads": lambda: ONE.contains_many(BUFFER, threads=3),
    "match_many": lambda: URLS.match_many(["www.evil.example", ""] * 600),
    "additions": lambda: petal.Filter(5000).add_many(KEYS),
    "additions in threads": lambda: petal.Filter(5000).add_many(BUFFER, threads=2),
    "growth": lambda: petal.Filter(kind="scalable").update(range(20_000)),
    "static": lambda: petal.build(range(2000), kind="ribbon"),
    "columns that are none": lambda: [
        fail(ONE.contains_many, x)
        for x in ("x", 5, [None], ["a", 1.5], BUFFER[:0].cast("B"))
    ],
    "rejected": lambda: fail(FULL["bitmap"].copy().update, [1, 5000, "x"]),
    "copies": lambda: [f.copy() for f in FULL.values()],
    "merge": lambda: [
        ONE | ONE,
        ONE & ONE.copy(),
        fail(lambda: ONE | FULL["classic"]),
        fail(lambda: ONE | 3),
    ],
    "equality": lambda: [f == f.copy() for f in FULL.values()]
    + [ONE == 3, ONE != FULL["classic"]],
    "bytes": lambda: [bytes(f) for f in FULL.values()],
    "memoryview": lambda: [
        memoryview(ONE).nbytes,
        fail(memoryview(ONE.copy()).obj.add, "x"),
    ],
    "pickle": lambda: pickle.loads(pickle.dumps(ONE)),
    "view": lambda: [
        petal.view(IMAGE),
        petal.view(IMAGE, copy=True),
        fail(petal.view, b"x"),
        fail(petal.view, "x"),
    ],
    "close": lambda: petal.view(IMAGE).close(),
    "missing file": lambda: fail(petal.open, "/missing/file"),
    "info": lambda: [ONE.info, repr(ONE), ONE.abilities, petal.plan(1000)],
    "notes": lambda: [
        ONE.copy().set_note("label", "x"),
        fail(ONE.copy().set_note, "A", "x"),
    ],
    "formulas": lambda: [petal.math.fpr(10, 2, 3), fail(petal.math.fpr, "x")],
    "arrow": lambda: ONE.contains_many(
        arrow.OneArray(lambda: arrow.schema("u"), lambda: arrow.text(["a", None, "b"]))
    ),
    "arrow stream": lambda: petal.Filter(100).update(
        arrow.Chunks(
            lambda: arrow.schema("l"), *[lambda: arrow.numbers("l", list(range(10)))] * 3
        )
    ),
    "arrow errors": lambda: [
        fail(
            ONE.contains_many,
            arrow.OneArray(lambda: arrow.schema("+l"), lambda: arrow.array(1, [])),
        ),
        fail(ONE.contains_many, arrow.Chunks(lambda: arrow.schema("u"), error="no")),
    ],
}


def blocks():
    """What the interpreter has allocated: exact references in a debug build, else blocks of
    memory."""
    gc.collect()
    return (
        sys.gettotalrefcount()
        if hasattr(sys, "gettotalrefcount")
        else sys.getallocatedblocks()
    )


def check_leaks(names=None, rounds=int(os.environ.get("PETAL_ROUNDS", 30))):
    """Runs each scenario many times.  Returns those after which more is allocated each
    time.  What the interpreter keeps for itself stops to grow after some hundred calls; a
    leak, of at least one block in every call, never does."""
    leaks = {}
    for name in names or SCENARIOS:
        scenario = SCENARIOS[name]
        growth = [rounds]
        while growth[-1] >= rounds and len(growth) <= (100 if rounds > 1 else 1):
            before = blocks()
            for _ in itertools.repeat(None, rounds):
                scenario()
            growth.append(blocks() - before)
        if growth[-1] >= rounds > 1:
            leaks[name] = growth[1:]
    return leaks


def watched():
    """faults.c, watching the extension."""
    faults = ctypes.CDLL(None)
    faults.faults_watch.argtypes = [ctypes.c_size_t] * 2
    faults.faults_live.restype = faults.faults_calls.restype = ctypes.c_long
    faults.faults_fail.argtypes = [ctypes.c_long]
    with open("/proc/self/maps") as maps:
        lines = [line.split()[0].split("-") for line in maps if "_petal" in line]
    faults.faults_watch(
        min(int(a, 16) for a, _ in lines), max(int(b, 16) for _, b in lines)
    )
    return faults


def check_memory():
    """The extension's own memory: nothing is left, and every allocation may fail."""
    faults = watched()
    tried = 0
    for name, scenario in SCENARIOS.items():
        scenario()
        before = faults.faults_live()
        scenario()
        assert faults.faults_live() == before, f"{name}: memory is not freed"
        faults.faults_fail(-1)
        scenario()
        allocations = faults.faults_calls()
        for at in range(min(allocations, 400)):
            faults.faults_fail(at)
            try:
                scenario()
            except MemoryError:
                pass
            faults.faults_fail(-1)
            assert (
                faults.faults_live() == before
            ), f"{name}: allocation {at} failed, and memory is not freed"
            tried += 1
        assert all(i in f for f in FULL.values() for i in range(0, 900, 100)), name
    print(f"{tried} failed allocations")
    assert tried > 100


def check_interpreter():
    """Every allocation of the interpreter may fail: MemoryError, and nothing worse."""
    import _testcapi

    tried = 0
    simple = [
        "single keys",
        "lookups",
        "additions",
        "copies",
        "merge",
        "equality",
        "bytes",
        "count and match",
        "notes",
        "formulas",
        "rejected",
        "match_many",
        "lookups in threads",
        "missing file",
        "info",
    ]
    for name in simple:
        scenario = SCENARIOS[name]
        for at in range(150):
            _testcapi.set_nomemory(at, at + 1)
            try:
                scenario()
            except MemoryError:
                pass
            finally:
                _testcapi.remove_mem_hooks()
            tried += 1
    assert all(i in f for f in FULL.values() for i in range(0, 900, 100))
    print(f"{tried} runs")


if __name__ == "__main__":
    if sys.argv[1] == "leaks":
        found = check_leaks()
        print(found)
        sys.exit(bool(found))
    {"memory": check_memory, "interpreter": check_interpreter}[sys.argv[1]]()
