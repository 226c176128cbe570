#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""goals.py: measures the goals for speed in one go, and prints them as a Markdown table.

    bench/goals.py [--build build/default] [--peer DIR|FILE.so]... [--scale 1] [--quick]

Every row is measured beside what it is compared with, in the same run: other libraries are
plug-ins of the benchmark (bench/peer.h), and a row whose plug-in is missing shows a dash.
One thread each, unless a row says otherwise.  Commands run in random order, round after
round; figures are medians of processor time, or of wall time for two threads.  What is
measured:

- Links are realistic URLs, 63 bytes on average; addresses are IPv4 (bench/texts.c).  A file
  has 5,000,000 lines.  One line in a hundred is one of 1,000,000 listed keys, which are in
  the filter.
- For `check -c`, half of the lines are in the filter: of 37,000,000 lines of 47 bytes
  (`urls N`, 1.7 GB, as in bench/command.py), and of 5,000,000 links.
- For `seen`, half of 7,500,000 links are drawn from 1,000,000 popular ones, so 37% of the
  lines are repeats.
- In C, keys are 8 bytes at 12 bits per key: 100,000 of them are in the cache, 10,000,000
  are not.  Half of the lookups are of members.  Matches are of links and words that are not
  listed, in a filter of 1,000,000.

All files are in a temporary folder, in memory if there is /dev/shm, and are removed at the
end.  --scale 0.1 makes files a tenth as long.  --seconds is for each trial of the benchmark
in C.
"""
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from figures import short
from options import BenchOptions, existing_folder

LINES, LISTED, SEEN, PLAIN = 5_000_000, 1_000_000, 7_500_000, 37_000_000
INSIDE, BEYOND, MATCHED = (
    10**5,
    10**7,
    10**6,
)  # keys: in the cache, not in the cache, for matches
ROUNDS, STARTS = 7, 300
BOOST32, BOOST64, FAST512 = (
    "Boost fast_multiblock32",
    "Boost fast_multiblock64",
    "FastFilter 512",
)
COUNTING, QUOTIENT, CUCKOO, VQF = (
    "petal counting, 1%",
    "petal quotient, 1%",
    "FastFilter cuckoo 12",
    "VQF 8-bit",
)


# ---- Commands ----


def run(command, fresh=None):
    """Processor and wall time in seconds.  `fresh` is removed before."""
    if fresh:
        pathlib.Path(fresh).unlink(missing_ok=True)
    with open(os.devnull, "r+b") as null:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdin=null, stdout=null, stderr=subprocess.PIPE)
        message = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        sys.exit(f"goals.py: {' '.join(command)}: {message.decode()}")
    return usage.ru_utime + usage.ru_stime, wall


def compare(commands, rounds=None, fresh=None):
    """{name: (processor, wall)} of {name: command}, medians of the rounds after the
    first."""
    rounds = rounds or ROUNDS
    times, chance = {name: [] for name in commands}, random.Random(1)
    for turn in range(rounds + 1):
        for name in chance.sample(list(commands), len(commands)):
            times[name].append(run(commands[name], fresh))
    return {
        name: tuple(statistics.median(t[i] for t in taken[1:]) for i in (0, 1))
        for name, taken in times.items()
    }


def shown(command, folder):
    """As a reader would type it."""
    return "`" + " ".join(command).replace(str(folder) + "/", "") + "`"


class Commands:
    """The rows that run the command, and the files that they read."""

    def __init__(self, build, folder, scale):
        self.petal, self.urls, self.folder = (
            str(build / "cli/petal"),
            str(build / "bench/urls"),
            folder,
        )
        self.lines, self.listed, self.seen_lines, self.plain = (
            int(n * scale) for n in (LINES, LISTED, SEEN, PLAIN)
        )

    def file(self, name, *arguments):
        path = self.folder / name
        if not path.exists():
            with open(path, "wb") as file:
                subprocess.run([self.urls, *map(str, arguments)], stdout=file, check=True)
        return str(path)

    def filter(self, name, source, *options):
        path = self.folder / name
        if not path.exists():
            subprocess.run(
                [self.petal, "build", "--quiet", *options, "-o", str(path), source],
                check=True,
            )
        return str(path)

    def ns(self, seconds):
        return seconds * 1e9 / self.lines

    def form(self, form, keys):
        """The list and the traffic of a form: a filter of that form, a raw one, and the
        lines."""
        source = self.file(f"{keys}-listed", self.listed, 1, keys)
        return (
            self.filter(f"{form}.petal", source, "--form", form),
            self.filter(f"{form}-raw.petal", source),
            self.file(keys, self.lines, 1, keys, self.listed),
        )

    def check(self, form, keys):
        """{"one", "two", "raw": (processor, wall)}, and the command"""
        made, raw, lines = self.form(form, keys)
        command = [self.petal, "check", "--quiet", "--threads", "1", made, lines]
        return compare(
            {
                "one": command,
                "raw": [*command[:5], raw, lines],
                "two": [*command[:4], "2", made, lines],
            }
        ), shown(command, self.folder)

    def check_url(self):
        times, command = self.check("url", "links")
        gain = times["one"][1] / times["two"][1]
        return (
            f"{self.ns(times['one'][0]):.0f} ns a line, {times['one'][0] / times['raw'][0]:.1f} × raw; "
            f"× {gain:.2f} with two threads",
            command,
        )

    def check_others(self):
        (ip, command), (word, _) = self.check("ip", "addresses"), self.check(
            "word", "words"
        )
        return (
            f"{self.ns(ip['one'][0]):.0f} / {self.ns(word['one'][0]):.0f} ns",
            command + " and word.petal",
        )

    def build_url(self):
        lines, out = self.form("url", "links")[2], str(self.folder / "built.petal")
        command = [
            self.petal,
            "build",
            "--quiet",
            "--force",
            "--threads",
            "1",
            "--form",
            "url",
            "-n",
            str(self.lines),
            "-o",
            out,
            lines,
        ]
        raw = [word for word in command if word not in ("--form", "url")]
        times = compare({"url": command, "raw": raw})
        return (
            f"{self.ns(times['url'][0]):.0f} ns a line, {times['url'][0] / times['raw'][0]:.1f} × raw",
            shown(command, self.folder),
        )

    def seen(self):
        lines = self.file("popular", self.seen_lines, 1, "links", self.listed, 50)
        state = str(self.folder / "seen.petal")
        known = [self.petal, "seen", "--quiet", "-n", str(self.seen_lines), state, lines]
        grown = [self.petal, "seen", "--quiet", state, lines]
        times = compare(
            {"known": known, "grown": grown, "wc": ["wc", "-l", lines]}, fresh=state
        )
        return (
            f"{times['known'][0]:.2f} s, {times['known'][0] / times['wc'][0]:.1f} × `wc -l`; without -n "
            f"{times['grown'][0]:.2f} s",
            shown(known, self.folder),
        )

    def count(self, lines, half):
        """check -c over wc -l"""
        command = [self.petal, "check", "-c", "--quiet", "--threads", "1", half, lines]
        times = compare({"petal": command, "wc": ["wc", "-l", lines]})
        return times["petal"][0] / times["wc"][0], shown(command, self.folder)

    def count_both(self):
        ratios = []
        for name, n, arguments in (
            ("plain", self.plain, (1,)),
            ("urls", self.lines, (1, "links")),
        ):
            lines = self.file(name, n, *arguments)
            half = self.filter(
                f"{name}-half.petal", self.file(f"{name}-half", n // 2, *arguments)
            )
            ratios.append(self.count(lines, half))
        return (
            " / ".join(f"{ratio:.2f}" for ratio, _ in ratios),
            ratios[0][1] + " over `wc -l plain`",
        )

    def start(self):
        one = self.file("one", 1)
        made = self.filter("one.petal", one)
        petal = [self.petal, "check", "-c", made, one]
        times = compare({"petal": petal, "grep": ["grep", "-c", "https", one]}, STARTS)
        return (
            f"{times['petal'][0] / times['grep'][0]:.2f} ({times['petal'][0] * 1e3:.2f} over "
            f"{times['grep'][0] * 1e3:.2f} ms)",
            shown(petal, self.folder) + " over `grep -c https one`",
        )


# ---- The library ----


class Library:
    """The rows that the benchmark measures."""

    def __init__(self, build, folder, plugins, seconds):
        self.bench, self.folder, self.plugins, self.seconds = (
            str(build / "bench/bench"),
            folder,
            plugins,
            seconds,
        )
        self.results, self.parameters = {}, {}
        self.both_sizes = f"{short(INSIDE)},{short(BEYOND)}"

    def measure(self, names, *options):
        """{(keys, n): {contestant: result}}, measured at the first call with these
        names."""
        if names not in self.results:
            path = self.folder / "bench.json"
            peers = [word for plugin in self.plugins for word in ("--peer", plugin)]
            only = [word for name in names for word in ("--only", "=" + name)]
            rounds = ["--rounds", "1"] if ROUNDS == 1 else ["--seconds", str(self.seconds)]
            subprocess.run(
                [self.bench, *peers, *only, *options, *rounds, "--json", str(path)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=True,
            )
            self.results[names] = {
                (case["keys"], case["n"]): {
                    r["name"]: r for r in case["contestants"] if "ns" in r
                }
                for case in json.loads(path.read_text())["cases"]
            }
            for contestants in self.results[names].values():
                self.parameters |= {
                    name: r["parameters"] for name, r in contestants.items()
                }
        only = " ".join(f"--only '={name}'" for name in names)
        return self.results[names], f"`bench {only} {' '.join(options)}`"

    def all_keys(self):
        return self.measure(
            ("petal", "petal inline", BOOST32, BOOST64, FAST512),
            "--keys",
            "ints",
            "--n",
            self.both_sizes,
        )

    def ratio(self, n, op, ours, theirs, results=None):
        """Our time over theirs; a reason where one of them is missing."""
        contestants = (results or self.all_keys()[0])["ints", n]
        times = []
        for name in (ours, theirs):
            if op not in contestants.get(name, {}).get("ns", {}):
                return f"– ({name} is not there)"
            times.append(contestants[name]["ns"][op]["median"])
        return f"{times[0] / times[1]:.2f}"

    def both(self, ours, theirs):
        found = [self.ratio(n, "mixed", ours, theirs) for n in (INSIDE, BEYOND)]
        return (
            found[0]
            if found[0].startswith("–")
            else f"{found[0]} in cache, {found[1]} beyond"
        )

    def contains(self):
        return (
            f"opaque call {self.both('petal', BOOST64)}; header {self.both('petal inline', BOOST64)}",
            self.all_keys()[1] + ", mixed",
        )

    def contains_512(self):
        return (
            f"header {self.both('petal inline', FAST512)}; opaque call {self.both('petal', FAST512)}",
            "the same",
        )

    def add(self):
        return self.ratio(BEYOND, "add", "petal", BOOST64), "the same, add"

    def lookups(self):
        found = self.ratio(INSIDE, "mixed_many", "petal", BOOST32)
        if not found.startswith("–"):
            cached = self.all_keys()[0]["ints", INSIDE]
            found += f" at {cached['petal']['rate'] / cached[BOOST32]['rate']:.2f} of its false positives"
        return found, "the same, mixed_many"

    def adds(self):
        return self.ratio(INSIDE, "add_many", "petal", BOOST64), "the same, add_many"

    def ribbons(self):
        names = ("petal ribbon, 7 columns", "petal ribbon", "petal ribbon, 8 columns")
        results, command = self.measure(names, "--n", short(BEYOND), "--bits", "12")
        times = [
            results["ints", BEYOND][name]["ns"]["mixed_many"]["median"] for name in names
        ]
        return (
            f"{times[0] / times[2]:.2f} / {times[1] / times[2]:.2f} ({times[0]:.1f} / {times[1]:.1f} ns; "
            f"8 columns: {times[2]:.1f})",
            command + ", mixed_many",
        )

    def quotient(self, op, theirs):
        """Ratios in cache and beyond, with half of the keys present."""
        results, command = self.measure(
            (COUNTING, QUOTIENT, CUCKOO, VQF),
            "--n",
            self.both_sizes,
            "--ops",
            "mixed,mixed_many,whole",
        )
        return (
            " / ".join(
                self.ratio(n, op, QUOTIENT, theirs, results) for n in (INSIDE, BEYOND)
            ),
            f"{command}, {op}",
        )

    def quotient_lookups(self):
        return self.quotient("mixed_many", COUNTING)

    def quotient_contains(self):
        return self.quotient("mixed", VQF)

    def quotient_adds(self):
        return self.quotient("whole", CUCKOO)

    def matches(self):
        results, command = self.measure(
            ("petal url", "petal word"), "--keys", "links,words", "--n", short(MATCHED)
        )
        times = [
            results[keys, MATCHED][name]["ns"]
            for keys, name in (("links", "petal url"), ("words", "petal word"))
        ]
        one, many = (
            " / ".join(f"{t[op]['median']:.0f}" if op in t else "–" for t in times)
            for op in ("miss", "miss_many")
        )
        return f"{one} ns; batches {many}", command + ", miss"


# ---- The table ----


def rows(commands, library):
    """What, goal, and the function that measures it."""
    return (
        (
            "`check --form url`",
            "≤ 350 ns a line, × 1.8 with two threads",
            commands.check_url,
        ),
        ("`build --form url -n`", "≤ 300 ns", commands.build_url),
        ("`check --form ip` / `word`", "≤ 120 / 90 ns", commands.check_others),
        ("`petal_match` of a URL / a word", "≤ 250 / 40 ns; batches less", library.matches),
        (
            "`petal_contains` over " + BOOST64,
            "opaque call ≤ 1.4, header ≤ 1.05",
            library.contains,
        ),
        ("the same over " + FAST512, "header ≤ 1", library.contains_512),
        ("`petal_add` over " + BOOST64 + ", 1e7 keys", "≤ 1.2", library.add),
        (
            "batched lookups in cache over " + BOOST32,
            "≤ 0.95 at 0.79 of its false positives",
            library.lookups,
        ),
        ("batched adds in cache over " + BOOST64, "≤ 1.2", library.adds),
        ("`seen`, 7.5M lines", "≤ 0.45 s", commands.seen),
        (
            "ribbon of 7 / 12 columns over 8, batches, 1e7 keys",
            "≤ 1.5 / 1.5",
            library.ribbons,
        ),
        (
            "quotient, batched lookups over counting, 1e5 / 1e7",
            "≤ 1.8 / 1.3",
            library.quotient_lookups,
        ),
        (
            "quotient, single lookups over " + VQF + ", 1e5 / 1e7",
            "≤ 1.0",
            library.quotient_contains,
        ),
        (
            "quotient, batched adds over single ones of " + CUCKOO + ", 1e5 / 1e7",
            "≤ 0.25 from 1e7",
            library.quotient_adds,
        ),
        (
            "`check -c` over `wc -l`, 47-byte lines / links",
            "≤ 2.6 / 2.2",
            commands.count_both,
        ),
        ("start-up over `grep`", "≤ 1.0", commands.start),
    )


def plugins_in(places):
    found = []
    for place in map(pathlib.Path, places):
        found += sorted(place.glob("*.so")) if place.is_dir() else [place]
    return [str(path.resolve()) for path in found]


def main():
    global INSIDE, BEYOND, MATCHED, ROUNDS, STARTS
    options = BenchOptions(__doc__)
    options.add_argument(
        "--build",
        type=existing_folder,
        default="build/default",
        help="default: build/default",
    )
    options.add_argument(
        "--peer",
        action="append",
        default=[],
        help="a plug-in, or a folder of plug-ins; repeatable",
    )
    options.number("--scale", 1, 0.001, float)
    options.number("--seconds", 10, 10, float)
    wanted = options.read()
    if wanted.quick:
        INSIDE, BEYOND, MATCHED, ROUNDS, STARTS = 10**3, 10**4, 10**4, 1, 1
    build, memory = wanted.build, "/dev/shm"
    with tempfile.TemporaryDirectory(
        dir=memory if os.access(memory, os.W_OK) else None
    ) as name:
        commands = Commands(build, pathlib.Path(name), wanted.scale)
        library = Library(
            build, pathlib.Path(name), plugins_in(wanted.peer), wanted.seconds
        )
        print("| what | goal | measured | command |\n|---|---|---|---|")
        for what, goal, measure in rows(commands, library):
            print(
                f"| {what} | {goal} | "
                + " | ".join(measure()).replace(str(build) + "/cli/", "")
                + " |",
                flush=True,
            )
    print(
        "\nParameters: "
        + "; ".join(f"{name}: {told}" for name, told in library.parameters.items())
        + "."
    )


if __name__ == "__main__":
    main()
