#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""logs.py: compares petal on raw logs and lists with the tools that people use for them.

    bench/logs.py BUILD [LINES [LISTED [ROUNDS]]]    default: 5,000,000 lines, 2,000,000 URLs, 3 rounds

Writes a list of URLs and a log of JSON events into a temporary folder (TMPDIR); one visit
in a hundred is to a listed page.  In each round it runs every contestant once: `petal check
-f .request.url` on all of the list, `jq` alone, which only prints the URLs, and `grep -F
-f` with a tenth of the list.  It also reads the same visits as a Squid log and as a CSV
table.  It prints the median time, the lowest and highest, and the ratio to petal.  Before
that it makes sure that petal prints every line of a listed page.
"""
import json
import os
import pathlib
import random
import sys
import tempfile

sys.dont_write_bytecode = True
from command import median, run
from options import BenchOptions, installed

WORDS = "news shop mail login index view item photo blog cart user page track media".split()


def url(r, i):
    path = "/".join(r.choice(WORDS) for _ in range(r.randrange(1, 4)))
    return f"https://{r.choice(WORDS)}{i}.{r.choice(['com', 'net', 'org', 'example'])}/{path}/{i}.html?id={r.randrange(1000)}"


def write(folder, lines, listed):
    """The list, a tenth of it, and the visits as JSON, in columns and as a table."""
    r = random.Random(7)
    bad = [url(r, i) for i in range(listed)]
    (folder / "list.txt").write_text("".join(u + "\n" for u in bad))
    (folder / "tenth.txt").write_text("".join(u + "\n" for u in bad[: listed // 10]))
    hits = 0
    with open(folder / "log.jsonl", "w") as events, open(
        folder / "squid.log", "w"
    ) as squid, open(folder / "log.csv", "w") as table:
        table.write("time,client,url,agent\n")
        for i in range(lines):
            hit = r.random() < 0.01
            hits += hit
            visited = r.choice(bad) if hit else url(r, listed + i)
            client, agent = f"10.0.{i >> 8 & 255}.{i & 255}", 'Mozilla/5.0 (X11; "Linux")'
            events.write(
                json.dumps(
                    {
                        "time": 1700000000 + i,
                        "client": client,
                        "request": {"method": "GET", "url": visited},
                        "agent": agent,
                    }
                )
                + "\n"
            )
            squid.write(
                f"{1700000000 + i}.123 {i % 9999:6} {client} TCP_MISS/200 {i % 7777} GET {visited} - DIRECT/1 text/html\n"
            )
            quoted = agent.replace('"', '""')
            table.write(f'{1700000000 + i},{client},"{visited}","{quoted}"\n')
    return hits


def main():
    options = BenchOptions(__doc__)
    options.build()
    options.number("lines", 5_000_000, quick=10_000)
    options.number("listed", 2_000_000, quick=2_000)
    options.number("rounds", 3, quick=1)
    wanted = options.read()
    lines, listed = wanted.lines, wanted.listed
    petal = str(wanted.build / "cli" / "petal")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        hits = write(folder, lines, listed)
        seconds, _ = run(
            [
                petal,
                "build",
                "--form",
                "url",
                "-p",
                "0.1%",
                "-o",
                name + "/list.petal",
                name + "/list.txt",
            ]
        )
        print(f"petal build --form url of {listed:,} URLs: {seconds:.2f} s")
        check = [
            petal,
            "check",
            "-f",
            ".request.url",
            "-c",
            name + "/list.petal",
            name + "/log.jsonl",
        ]
        found = int(os.popen(" ".join(check)).read())
        if not hits <= found <= hits + lines * 0.0013 + 100:
            sys.exit(f"{found} lines found, but {hits} visits are to listed pages")
        contestants = {
            "petal check -f .request.url": (
                [
                    petal,
                    "check",
                    "-f",
                    ".request.url",
                    name + "/list.petal",
                    name + "/log.jsonl",
                ],
            ),
            "the same, one thread": (
                [
                    petal,
                    "check",
                    "--threads",
                    "1",
                    "-f",
                    ".request.url",
                    name + "/list.petal",
                    name + "/log.jsonl",
                ],
            ),
            "petal check -f 7, Squid": (
                [petal, "check", "-f", "7", name + "/list.petal", name + "/squid.log"],
            ),
            "petal check --csv -f url": (
                [
                    petal,
                    "check",
                    "--csv",
                    "-f",
                    "url",
                    name + "/list.petal",
                    name + "/log.csv",
                ],
            ),
            "petal check --extract url": (
                [
                    petal,
                    "check",
                    "--extract",
                    "url",
                    name + "/list.petal",
                    name + "/log.jsonl",
                ],
            ),
            "jq -r .request.url": (["jq", "-r", ".request.url", name + "/log.jsonl"],),
            "grep -F -f, a tenth of the list": (
                ["grep", "-F", "-f", name + "/tenth.txt", name + "/log.jsonl"],
            ),
        }
        if not installed("jq", "it is not compared"):
            contestants = {
                name: command
                for name, command in contestants.items()
                if command[0][0] != "jq"
            }
        results = {name: [] for name in contestants}
        for _ in range(wanted.rounds):
            for name, command in contestants.items():
                results[name].append(run(*command))
        base = median(results, "petal check -f .request.url")
        print(f"\n{lines:,} lines, {hits:,} of listed pages; {found:,} found\n")
        print(f"{'':34}{'median':>8}  {'from - to':>15}  {'ratio':>6}")
        for name, values in results.items():
            times = [s for s, _ in values]
            print(
                f"{name:34}{median(results, name):7.2f}s  {min(times):6.2f} - {max(times):5.2f}s  "
                f"{median(results, name) / base:6.2f}"
            )


main()
