#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""report.py: makes tables and charts from the figures of bench --json.

    bench --json one.json; bench --json two.json --seed 2
    bench/report.py one.json two.json > figures.md
    bench/report.py --svg charts growth.json

Prints a table of times and a table of ratios for each trial, in Markdown.  Times are
medians over all runs, in processor time; a line says so if wall times differ by more than a
tenth.  Ratios are computed within each run: the time of a contestant divided by that of
petal's default kind (or --base), with the lowest and the highest of the runs.  If a
contestant has no batches, the columns for batches show single keys instead, marked with *.
--svg DIR draws lookups against the number of keys, bars at 12 bits, and rates against the
size, if the runs have them, and summary-light.svg and summary-dark.svg, one chart of what
matters most (summary.py).
"""
import pathlib
import signal
import statistics
import sys

sys.dont_write_bytecode = True
import figures
from figures import best_time, load, middle, number, percent, short, time_of
from options import Options
from pictures import draw
from summary import summary

OPS = [
    ("add", "add"),
    ("add_many", "batched"),
    ("whole", "whole"),
    ("bulk", "bulk"),
    ("hit", "hit"),
    ("hit_many", "batched"),
    ("miss", "miss"),
    ("miss_many", "batched"),
    ("mixed", "mixed"),
    ("mixed_many", "batched"),
]


def ratios(results, base, op):
    """The ratios within each run; and whether all of them compare like with like."""
    found, alike = [], True
    for result in results:
        own, same = best_time(result, op)
        reference = next((time_of(b, op) for b in base if b["run"] == result["run"]), None)
        if own and reference:
            found.append(own / reference)
            alike &= same
    return found, alike


def row(cells):
    print("| " + " | ".join(cells) + " |")


def head(columns):
    row(columns)
    print("|---" + "|---:" * (len(columns) - 1) + "|")


def print_times(contestants, ops):
    head(["ns per key"] + [name for _, name in ops] + ["rate", "bits", "parameters"])
    for name, results in contestants.items():
        rate = middle(r.get("rate") for r in results)
        bits = middle(r.get("bits") or None for r in results)
        row(
            [name]
            + [number(middle(time_of(r, op) for r in results)) for op, _ in ops]
            + [percent(rate), number(bits), results[0].get("parameters", "")]
        )


def print_wall(contestants):
    """Where wall time was much longer than processor time, the machine was busy."""
    longest = max(
        (
            (figure["wall"] / figure["median"], name, op)
            for name, results in contestants.items()
            for r in results
            for op, figure in r["ns"].items()
            if figure.get("wall")
        ),
        default=(0, "", ""),
    )
    if longest[0] > 1.1:
        print(
            f"\nThe machine was busy: wall times were up to {longest[0]:.2f} times as long as these "
            f"processor times ({longest[1]}, {longest[2]})."
        )


def print_ratios(contestants, ops, base):
    head([f"times {base}"] + [name for _, name in ops])
    for name, results in contestants.items():
        cells = []
        for op, _ in ops:
            found, alike = ratios(results, contestants[base], op)
            cell = f"{statistics.median(found):.2f}" if found else ""
            if len(found) > 1:
                cell += f" ({min(found):.2f}–{max(found):.2f})"
            cells.append(cell + ("" if alike else " *"))
        if name != base and any(cells):
            row([name] + cells)


def print_case(case, contestants, base):
    keys, n, bits, pages = case
    print(f"\n### {keys}, n = {short(n)}, {bits:g} bits per key, pages: {pages}\n")
    left_out = {
        name: results[0]["left_out"]
        for name, results in contestants.items()
        if all("left_out" in r for r in results)
    }
    there = {
        name: [r for r in results if "ns" in r]
        for name, results in contestants.items()
        if name not in left_out
    }
    ops = [
        (op, name)
        for op, name in OPS
        if any(time_of(r, op) for results in there.values() for r in results)
    ]
    print_times(there, ops)
    if base in there:
        print()
        print_ratios(there, ops, base)
    print_wall(there)
    for name, results in there.items():
        ready = middle(time_of(r, "ready") for r in results)
        if ready:
            print(
                f"\n{name}: {number(ready)} ns per key for building, not included in add."
            )
    if left_out:
        print(
            "\nNot measured: "
            + "; ".join(f"{name} ({why})" for name, why in left_out.items())
            + "."
        )


def print_head(runs):
    machine, versions = runs[0]["machine"], runs[0]["versions"]
    if any(run.get("plan") == "quick" for run in runs):
        print("--quick: this shows that the benchmark works; its figures mean nothing\n")
    flags = [
        name for name, key in (("AVX2", "avx2"), ("AVX-512", "avx512")) if machine[key]
    ]
    print(
        f"{machine['processor']}, {machine['processors']} processors, "
        f"{' and '.join(flags) or 'no AVX2'}, {', '.join(machine['caches'])}; "
        f"Linux {machine['kernel']}, huge pages: {machine['huge_pages']}; "
        f"{versions['compiler']}, glibc {versions['libc']}; petal {versions['petal']}. "
        f"{len(runs)} {'run' if len(runs) == 1 else 'runs'}, {runs[0]['date'][:10]}."
    )


def main():
    parser = Options(__doc__)
    parser.add_argument(
        "files",
        nargs="+",
        help="files of bench --json; several files are runs of the same plan",
    )
    parser.add_argument(
        "--base", default="petal", help="the contestant that the others are compared with"
    )
    parser.add_argument(
        "--figure",
        default="median",
        choices=["median", "min", "q1", "q3"],
        help="which figure of the rounds; min is the steadiest on a noisy machine",
    )
    parser.add_argument("--svg", metavar="DIR", help="draw charts into this folder")
    wanted = parser.parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # for `| head`
    figures.figure = wanted.figure
    runs, cases = load(wanted.files)
    print_head(runs)
    for case, contestants in sorted(cases.items()):
        print_case(case, contestants, wanted.base)
    if wanted.svg:
        draw(cases, pathlib.Path(wanted.svg))
        for path in summary(runs, cases, pathlib.Path(wanted.svg)):
            print(path, file=sys.stderr)


if __name__ == "__main__":
    main()
