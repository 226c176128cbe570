#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""join_model.py: compare petal join with a join of a few lines of Python.

    join_model.py PETAL types     every type of join is exact, and its report is true
    join_model.py PETAL headless  the same for tables without a header
    join_model.py PETAL reduce    --reduce drops no row that has a partner

The tables are random, with fixed seeds.  Their fields have delimiters, quotes and newlines,
keys repeat in both tables, names of columns clash, and some tables have no rows.  Half of
the joins run with a rate so high that most rows pass the filter by a false positive.
"""
import csv
import io
import itertools
import json
import random
import subprocess
import sys

SIZES = [(300, 150), (150, 300), (40, 40), (1, 1), (0, 30), (30, 0), (0, 0)]
KEYS = ["k", "k,l", "l=k,k=l", "x=y"]
PAIRS = ("inner", "left", "right", "outer")  # the types that print the columns of B
A_ALONE = ("left", "outer", "anti")  # the types that print rows only A has
B_ALONE = ("right", "outer")


# ---- Tables ----


def value(r):
    if r.random() < 0.5:
        return r.choice(["", "1", "2", "a", "é🌹", "a,b", '"', "\n", "x\r\ny"])
    return "".join(r.choice('ab,"\n\r;é ') for _ in range(r.randrange(6)))


def quoted(r, text):
    if any(c in text for c in ',"\r\n') or r.random() < 0.3:
        return '"' + text.replace('"', '""') + '"'
    return text


def write(r, path, header, n, headless):
    end = r.choice(["\n", "\r\n"])
    rows = [[value(r) for _ in header] for _ in range(n)]
    with open(path, "w", newline="", encoding="utf-8") as f:
        for row in rows if headless else [header] + rows:
            f.write(",".join(quoted(r, text) for text in row) + end)
    return header, rows


def tables(seed, headless=False):
    r = random.Random(seed)
    a_rows, b_rows = SIZES[seed % len(SIZES)]
    return (
        write(r, "a.csv", ["x", "k", "two\nlines", "l"], a_rows, headless),
        write(r, "b.csv", ["k", "l_2", "y", "m", "l", "m"], b_rows, headless),
    )


# ---- The model ----


class Model:
    def __init__(self, a, b, on):
        (self.a_header, self.a), (self.b_header, self.b) = a, b
        pairs = [pair.split("=") for pair in on.split(",")]
        self.on_a = [self.a_header.index(pair[0]) for pair in pairs]
        self.on_b = [self.b_header.index(pair[-1]) for pair in pairs]
        self.rest = [i for i in range(len(self.b_header)) if i not in self.on_b]
        self.partners = [[t for t in self.b if self.same(s, t)] for s in self.a]
        self.only_a = [s for s, found in zip(self.a, self.partners) if not found]
        self.only_b = [t for t in self.b if not any(self.same(s, t) for s in self.a)]
        self.b_keys = {tuple(t[i] for i in self.on_b) for t in self.b}

    def same(self, s, t):
        return all(s[i] == t[j] for i, j in zip(self.on_a, self.on_b))

    def header(self, kind):
        header = list(self.a_header)
        rest = [self.b_header[i] for i in self.rest if kind in PAIRS]
        for i, name in enumerate(rest):
            if name in header or name in rest[:i]:
                name = next(
                    new
                    for new in (f"{name}_{n}" for n in itertools.count(2))
                    if new not in header + rest
                )
            header.append(name)
        return header

    def rows(self, kind):
        rows = []
        for s, found in zip(self.a, self.partners):
            if kind in PAIRS:
                rows += [s + [t[i] for i in self.rest] for t in found]
            if kind == "semi" and found:
                rows.append(s)
            if kind in A_ALONE and not found:
                rows.append(s + [""] * (len(self.rest) if kind in PAIRS else 0))
        for t in self.only_b if kind in B_ALONE else []:
            row = [""] * len(self.a_header)
            for i, j in zip(self.on_a, self.on_b):
                row[i] = t[j]
            rows.append(row + [t[i] for i in self.rest])
        return rows


# ---- The command ----


def joined(petal, on, *options):
    """The status, the rows and the report of petal join."""
    ran = subprocess.run(
        [petal, "join", "--json", "--on", on, *options, "a.csv", "b.csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    if ran.returncode not in (0, 1):
        return ran.returncode, [], ran.stderr.decode()
    rows = csv.reader(io.StringIO(ran.stdout.decode(), newline=""))
    return ran.returncode, list(rows), json.loads(ran.stderr)


def check_report(model, kind, both, report):
    assert report["type"] == kind, report
    assert report["a_rows"] == len(model.a) and report["b_rows"] == len(model.b), report
    assert report["ruled_out"] + report["false_positives"] == len(model.only_a), report
    assert report["dropped"] == (0 if kind in A_ALONE else report["ruled_out"]), report
    assert report["only_a"] == (len(model.only_a) if kind in A_ALONE else 0), report
    assert report["only_b"] == (len(model.only_b) if kind in B_ALONE else 0), report
    assert report["printed"] == len(model.rows(kind)), report
    most = len(model.b) if kind in PAIRS else len(model.b_keys)
    assert report["b_kept"] <= most if both else report["b_kept"] == most, report


def check_types(petal):
    false_positives = dict.fromkeys(PAIRS + ("semi", "anti"), 0)
    for seed in range(2 * len(SIZES)):
        a, b = tables(seed)
        for on in KEYS:
            model = Model(a, b, on)
            for kind in false_positives:
                for both in [[]] if kind in B_ALONE else [[], ["--both"]]:
                    rate = "90%" if (seed + len(both)) % 2 else "1%"
                    got = joined(petal, on, "--type", kind, "-p", rate, *both)
                    want = [model.header(kind)] + model.rows(kind)
                    assert got[1] == want, (seed, on, kind, both, got[1], want)
                    assert got[0] == (len(want) == 1), (seed, on, kind, got[0])
                    check_report(model, kind, both, got[2])
                    false_positives[kind] += got[2]["false_positives"]
    assert min(false_positives.values()) > 100, false_positives  # they were put to the test


def check_headless(petal):
    refused = 0
    for seed in range(len(SIZES)):
        a, b = tables(seed, headless=True)
        for on in KEYS:
            model = Model(a, b, on)
            numbers = ",".join(f"{i + 1}={j + 1}" for i, j in zip(model.on_a, model.on_b))
            for kind in PAIRS + ("semi", "anti"):
                options = ["--both"] if seed % 2 and kind not in B_ALONE else []
                status, rows, report = joined(
                    petal, numbers, "--no-header", "--type", kind, *options
                )
                lacks_a = kind in B_ALONE and not model.a
                if lacks_a or (kind in ("left", "outer") and not model.b):
                    assert status == 2 and report.startswith(
                        f"petal: {'a' if lacks_a else 'b'}.csv: the file is empty"
                    ), report
                    refused += 1
                    continue
                assert rows == model.rows(kind), (seed, on, kind, rows)
                assert status == (not rows), (seed, on, kind, status)
                check_report(model, kind, options, report)
    assert refused == len(KEYS) * 7, refused


def check_reduce(petal):
    for seed in range(len(SIZES)):
        a, b = tables(seed)
        for on, both in [("k", []), ("k,l", ["--both"])]:
            model = Model(a, b, on)
            _, got, _ = joined(petal, on, "--reduce", *both)
            assert got[0] == model.a_header, got
            rows = iter(model.a)
            assert all(s in rows for s in got[1:])  # rows of A, in A's order
            rows = iter(got[1:])
            assert all(s in rows for s in model.rows("semi"))
            assert len(got) - 1 - len(model.rows("semi")) <= len(model.a) // 10


{"types": check_types, "headless": check_headless, "reduce": check_reduce}[sys.argv[2]](
    sys.argv[1]
)
