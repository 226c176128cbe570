#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""command.py: compares the speed of the petal command with `wc -l` on the same file.

    bench/command.py BUILD [LINES [ROUNDS]]      default: 37,000,000 lines, 5 rounds

Writes lines that look like URLs into a temporary folder (TMPDIR).  In each round it runs
every contestant once, in random order, and reads the lines once before each.  It prints the
median time, the lowest and highest, the ratio to wc, and the peak memory.  One core means
`taskset -c 0`.  The filter contains half of the lines.  If Debian's
golang-github-dcso-bloom-cli is installed, its `bloom` is compared with petal too, on a
tenth of the lines.

At the end it compares the time from start to end of runs that have next to nothing to do
with those of grep, which most people run without thinking of its time.
"""
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from options import BenchOptions, installed

GOALS = {"check -c": 3, "check, half printed": 4, "build -n": 4, "build, exactly sized": 8}


def run(command, stdin=None):
    """Seconds, and peak memory in MB."""
    with open(stdin or os.devnull, "rb") as source, open(os.devnull, "wb") as sink:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdin=source, stdout=sink, stderr=subprocess.PIPE)
        message = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1):
            sys.exit(f"{command}: {message.decode()}")
        return time.perf_counter() - start, usage.ru_maxrss / 1000


def measure(contestants, rounds, lines):
    """Reads the lines before each run, so that they are in memory whatever the host
    does."""
    results = {name: [] for name in contestants}
    chance = random.Random(1)
    for _ in range(rounds):
        names = list(contestants)
        chance.shuffle(names)
        for name in names:
            run(["cat", lines])
            results[name].append(run(*contestants[name]))
    return results


def start(command, environment):
    """Seconds until a command that was started by posix_spawn, as shells do it, has
    ended."""
    sink = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    begun = time.perf_counter()
    child = os.posix_spawn(command[0], command, environment, file_actions=sink)
    _, status = os.waitpid(child, 0)
    seconds = time.perf_counter() - begun
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{command}: failed")
    return seconds


def start_up(petal, folder, rounds):
    """Prints the lowest and the median time of each run, and its ratio to the run of grep
    below it."""
    line, small, grep = (
        str(folder / "line"),
        str(folder / "small.petal"),
        shutil.which("grep"),
    )
    pathlib.Path(line).write_text("rose\n")
    subprocess.run([petal, "build", "--quiet", "-o", small, line], check=True)
    pairs = {
        "--version": ([petal, "--version"], [grep, "--version"]),
        "one line": ([petal, "check", small, line], [grep, "rose", line]),
    }
    print(f"\nstart-up over grep, {rounds} runs each:")
    print(f"{'':32}  {'petal':>19}  {'grep':>19}  {'ratio':>11}  {'goal':>5}")
    print(
        f"{'':32}  {'lowest':>8}  {'median':>9}  {'lowest':>8}  {'median':>9}  {'of each':>11}"
    )
    for locale in ("C.UTF-8", "C"):
        environment = {**os.environ, "LC_ALL": locale}
        for name, commands in pairs.items():
            times = ([], [])
            for _ in range(rounds):
                for i in random.sample((0, 1), 2):
                    times[i].append(start(commands[i], environment) * 1e3)
            low, middle = [min(t) for t in times], [statistics.median(t) for t in times]
            print(
                f"{f'{name}, LC_ALL={locale}':32}  {low[0]:5.2f} ms  {middle[0]:6.2f} ms  {low[1]:5.2f} ms  "
                f"{middle[1]:6.2f} ms  {low[0] / low[1]:5.2f} {middle[0] / middle[1]:5.2f}  {1:5}"
            )


def median(results, name):
    return statistics.median(seconds for seconds, _ in results[name])


def table(results, to):
    base = median(results, to)
    print(
        f"{'':32}  {'median':>8}  {'from - to':>15}  {'ratio':>6}  {'goal':>5}  {'memory':>8}"
    )
    for name, values in results.items():
        times = [seconds for seconds, _ in values]
        one_core = name.removesuffix(", 2 threads")
        goal = GOALS.get(one_core, 0) * (0.6 if one_core != name else 1)
        memory = max(memory for _, memory in values)
        print(
            f"{name:32}  {median(results, name):6.2f} s  {min(times):6.2f} - {max(times):4.2f} s  "
            f"{median(results, name) / base:6.2f}  {f'{goal:.3g}' if goal else '':>5}  {memory:5.0f} MB"
        )


def main():
    options = BenchOptions(__doc__)
    options.build()
    options.number("lines", 37_000_000, quick=10_000)
    options.number("rounds", 5, quick=1)
    wanted = options.read()
    build, lines, rounds = wanted.build, wanted.lines, wanted.rounds
    petal = str(build / "cli/petal")
    core = ["taskset", "-c", "0"]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        urls, half = str(folder / "urls"), str(folder / "half.petal")
        with open(urls, "wb") as file:
            subprocess.run([str(build / "bench/urls"), str(lines)], stdout=file, check=True)
        subprocess.run(
            f"head -n {lines // 2} {urls} | {petal} build --quiet -o {half}",
            shell=True,
            check=True,
        )
        out = str(folder / "out.petal")
        model = (
            subprocess.run(
                "grep -m1 'model name' /proc/cpuinfo",
                shell=True,
                capture_output=True,
                text=True,
            )
            .stdout.partition(": ")[2]
            .strip()
        )
        print(
            f"{lines:,} lines, {os.path.getsize(urls):,} bytes; filter of half of them: "
            f"{os.path.getsize(half):,} bytes; {model}, {os.cpu_count()} processors"
        )
        contestants = {"wc -l": ([*core, "wc", "-l", urls],)}
        for threads in (1, 2):
            pin = core if threads == 1 else []
            more = "" if threads == 1 else ", 2 threads"
            each = ["--threads", str(threads)]
            build_it = [*pin, petal, "build", *each, "--quiet", "--force", "-o", out, urls]
            contestants["check -c" + more] = (
                [*pin, petal, "check", "-c", *each, half, urls],
            )
            contestants["check, half printed" + more] = (
                [*pin, petal, "check", *each, half, urls],
            )
            contestants["build -n" + more] = ([*build_it, "-n", str(lines)],)
            contestants["build, exactly sized" + more] = (build_it,)
        table(measure(contestants, rounds, urls), "wc -l")
        if installed("bloom", "DCSO's bloom is not compared"):
            peer(petal, core, folder, urls, lines // 10)
        start_up(petal, folder, 5 if wanted.quick else 500)


def peer(petal, core, folder, urls, lines):
    """Compares with DCSO's bloom, which reads standard input only and changes its file in
    place."""
    some, theirs, ours = (
        str(folder / "some"),
        str(folder / "some.bloom"),
        str(folder / "some.petal"),
    )
    subprocess.run(f"head -n {lines} {urls} > {some}", shell=True, check=True)
    subprocess.run(["bloom", "create", "-p", "0.01", "-n", str(lines), theirs], check=True)
    print(f"\n{lines:,} lines, compared with DCSO's bloom:")
    results = measure(
        {
            "bloom insert": ([*core, "bloom", "insert", theirs], some),
            "bloom check": ([*core, "bloom", "check", theirs], some),
            "petal build -n": (
                [
                    *core,
                    petal,
                    "build",
                    "--threads",
                    "1",
                    "--quiet",
                    "--force",
                    "-n",
                    str(lines),
                    "-o",
                    ours,
                ],
                some,
            ),
            "petal check": (
                [*core, petal, "check", "--threads", "1", str(folder / "half.petal")],
                some,
            ),
        },
        3,
        some,
    )
    table(results, "petal check")
    print(
        f"insert: {median(results, 'bloom insert') / median(results, 'petal build -n'):.1f} times, "
        f"check: {median(results, 'bloom check') / median(results, 'petal check'):.1f} times"
    )


if __name__ == "__main__":
    main()
