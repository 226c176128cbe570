#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""python.py: measures the Python package beside a set and beside other packages, in one
run.

    bench/python.py [N]             # default: 1,000,000 keys
    PETAL_LIBRARY=build/default/libpetal.so bench/python.py   # beside the library's batches

petal must be importable: run it with the Python of build/python/venv.  Other packages are
measured if they can be imported: rbloom, pybloomfilter (pybloomfiltermmap3), pybloom_live,
flor.  Every time is the best of several rounds, in which the contestants take turns, so
that a slow moment hits all of them.
"""
import ctypes
import importlib
import os
import random
import sys
import timeit

import petal

sys.dont_write_bytecode = True
from options import BenchOptions

FPR = 0.01
ROUNDS = 7


# ---- Contestants: a name, and an empty container for n keys ----


def contestants(n):
    yield "set", set()
    yield "petal", petal.Filter(n, FPR)
    for name, make in (
        ("rbloom", lambda m: m.Bloom(n, FPR)),
        ("pybloomfilter", lambda m: m.BloomFilter(n, FPR)),
        ("pybloom_live", lambda m: m.BloomFilter(n, FPR)),
        ("flor", lambda m: m.BloomFilter(n=2 * n, p=FPR)),
    ):
        try:
            yield name, make(importlib.import_module(name))
        except ImportError:
            missing.add(name)


missing = set()
quick = False


def keys_of(name, keys):
    return [key.encode() for key in keys] if name == "flor" else keys  # it takes only bytes


# ---- Measuring ----


def best(statements, number, rounds=ROUNDS):
    """Nanoseconds per run of each statement: {name: (statement, variables)}."""
    rounds = 1 if quick else rounds
    timers = {
        name: timeit.Timer(code, globals=variables)
        for name, (code, variables) in statements.items()
    }
    times = {name: [] for name in timers}
    for _ in range(rounds):
        for name, timer in timers.items():
            times[name].append(timer.timeit(number))
    return {name: min(some) / number * 1e9 for name, some in times.items()}


def show(title, times, unit="ns", base=None):
    base = base or next(iter(times))
    print(f"\n{title}")
    for name, time in times.items():
        print(f"  {name:30} {time:10.1f} {unit} {time / times[base]:8.2f} x {base}")


def single(n, keys, others, size):
    """One lookup or addition per call, in containers of `size` keys, with the cost of the
    loop."""
    sets = dict(contestants(n))
    for name, f in sets.items():
        for key in keys_of(name, keys[:size]):
            f.add(key)
    for what, some in (
        ("that is there", keys[:size]),
        ("that is not there", others[:size]),
    ):
        variables = {
            name: {"f": f, "keys": keys_of(name, some[:1000])} for name, f in sets.items()
        }
        show(
            f"`key in f`, a short str {what}; {size:,} keys, walking over 1,000 of them",
            {
                name: t / 1000
                for name, t in best(
                    {name: ("for k in keys: k in f", v) for name, v in variables.items()},
                    5,
                    40,
                ).items()
            },
        )
    variables = {
        name: {"f": f, "keys": keys_of(name, keys[:1000])} for name, f in sets.items()
    }
    show(
        "f.add(key), 1,000 keys that are there",
        {
            name: t / 1000
            for name, t in best(
                {name: ("for k in keys: f.add(k)", v) for name, v in variables.items()},
                5,
                40,
            ).items()
        },
    )


def one_key(n, keys):
    """The shortest statement: one key, again and again."""
    sets = dict(contestants(n))
    for name, f in sets.items():
        f.update(keys_of(name, keys[:1000])) if hasattr(f, "update") else [
            f.add(k) for k in keys_of(name, keys[:1000])
        ]
    show(
        "`k in f`, one key again and again",
        best(
            {
                name: ("k in f", {"f": f, "k": keys_of(name, keys[:1])[0]})
                for name, f in sets.items()
            },
            10_000,
            40,
        ),
    )


def batches(n, keys):
    sets = dict(contestants(n))
    statements = {
        "set: list comprehension": (
            "[k in f for k in keys]",
            {"f": sets["set"], "keys": keys},
        ),
        "petal: contains_many(list)": (
            "f.contains_many(keys)",
            {"f": sets["petal"], "keys": keys},
        ),
    }
    if "rbloom" in sets:
        statements["rbloom: list comprehension"] = (
            "[k in f for k in keys]",
            {"f": sets["rbloom"], "keys": keys},
        )
    for f in sets.values():
        if hasattr(f, "update"):
            f.update(keys)
    try:
        import pyarrow

        column = pyarrow.array(keys)
        statements["petal: Arrow column of text"] = (
            "f.contains_many(keys)",
            {"f": sets["petal"], "keys": column},
        )
    except ImportError:
        missing.add("pyarrow")
    try:
        import numpy

        statements["petal: NumPy column of text"] = (
            "f.contains_many(keys)",
            {"f": sets["petal"], "keys": numpy.array(keys)},
        )
    except ImportError:
        pass
    show(
        f"{n:,} lookups of short strings, per key",
        {k: t / n for k, t in best(statements, 1).items()},
    )


def columns(n):
    """int64 columns; as bytes also by the library itself, called with ctypes."""
    try:
        import numpy
    except ImportError:
        missing.add("numpy")
        return
    column = numpy.random.default_rng(1).integers(0, 1 << 62, n)
    f = petal.Filter(n, FPR)
    f.update(column, as_bytes=True)
    f.update(column)
    statements = {
        "petal: as_bytes": (
            "f.contains_many(column, as_bytes=True)",
            {"f": f, "column": column},
        )
    }
    path = os.environ.get("PETAL_LIBRARY")
    if path:
        library = ctypes.CDLL(path)
        library.petal_contains_column.restype = ctypes.c_size_t
        handle, image = ctypes.c_void_p(), bytes(f)
        library.petal_view(image, ctypes.c_size_t(len(image)), 1, ctypes.byref(handle))
        found = numpy.zeros(n, dtype=bool)
        arguments = (
            handle,
            ctypes.c_void_p(column.ctypes.data),
            ctypes.c_size_t(8),
            ctypes.c_size_t(n),
            ctypes.c_void_p(found.ctypes.data),
        )
        statements = {
            "the library": (
                "call(*arguments)",
                {"call": library.petal_contains_column, "arguments": arguments},
            ),
            **statements,
        }
    statements["petal: as_bytes, 2 threads"] = (
        "f.contains_many(column, as_bytes=True, threads=2)",
        {"f": f, "column": column},
    )
    statements["petal: as decimal text"] = (
        "f.contains_many(column)",
        {"f": f, "column": column},
    )
    statements["petal: text, 2 threads"] = (
        "f.contains_many(column, threads=2)",
        {"f": f, "column": column},
    )
    statements["numpy.isin(column, sorted)"] = (
        "numpy.isin(column, other)",
        {"numpy": numpy, "column": column, "other": column[: n // 10]},
    )
    show(
        f"{n:,} lookups of int64, per key",
        {k: t / n for k, t in best(statements, 3).items()},
    )


def main():
    global quick
    options = BenchOptions(__doc__)
    options.number("keys", 1_000_000, quick=2_000)
    wanted = options.read()
    n, quick = wanted.keys, wanted.quick
    dice = random.Random(1)
    keys = [f"key-{dice.randrange(10**9)}" for _ in range(n)]
    others = [f"other-{dice.randrange(10**9)}" for _ in range(n)]
    print(f"Python {sys.version.split()[0]}, petal {petal.__version__}, rate {FPR}")
    one_key(n, keys)
    for size in (1000, n):
        single(size, keys, others, size)
    batches(n, keys)
    columns(n)
    print("\nnot installed:", ", ".join(sorted(missing)) or "nothing")


main()
