#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""run.py: breaks petal on purpose, and checks that a test fails.

    run.py              runs every mutant in list.py
    run.py ID...        runs only these

A mutant is one small change to the code, such as a missing condition or a limit that is off
by one.  If all tests still pass, they would not detect that mistake.  For each mutant,
list.py names the test that must fail.

The tree is copied to build/mutants/tree and built there, so that the working copy never
changes.  Then for each mutant its file is changed, the program of its test is built, the
test is run, and the file is restored.  The result is one of

    noticed      the test failed or timed out
    SURVIVED     the test passed: write a better one
    NOT FOUND    the text to replace does not occur exactly once in the file: update list.py
    NO BUILD     the changed file does not compile, so the test says nothing
    skipped      this machine lacks the compiler for the mutant's preset

run.py fails after SURVIVED, NOT FOUND or NO BUILD, and if a test fails without any mutant.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # write no files into the tree
from list import MUTANTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
TREE = ROOT / "build/mutants/tree"
JOBS = str(os.cpu_count())
LONGEST = "120"  # seconds per test: a mutant may loop forever

# smaller numbers for the long tests
OPTIONS = [
    "-DPETAL_PROGRAMS=20000",
    "-DPETAL_QUERIES=5",
    "-DPETAL_KILLS=50",
    "-DPETAL_FILES=100",
    "-DPETAL_RIBBON=300",
]

# tests whose program has another name
PROGRAMS = {
    "golden": ["images"],
    "reader": ["images"],
    "ribbon_threads": ["ribbon"],
    "load_table": [],
}

# presets for other machines, and their compilers
COMPILERS = {"i686": "i686-linux-gnu-gcc"}

GOOD = ("noticed", "skipped")


def run(*command):
    """Returns the exit status and the output."""
    done = subprocess.run(
        command,
        cwd=TREE,
        text=True,
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return done.returncode, done.stdout


def stop(*message):
    print(*message, file=sys.stderr)
    sys.exit(1)


# ---- The copy of the tree ----


def copy_tree():
    """Copies only files that have changed, so that little is built again."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    names = {name for name in listed if (ROOT / name).is_file()}
    for name in names:
        source, copy = ROOT / name, TREE / name
        if not copy.exists() or copy.read_bytes() != source.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)
    for path in list(TREE.rglob("*")):
        name = path.relative_to(TREE).as_posix()
        if path.is_file() and not name.startswith("build/") and name not in names:
            path.unlink()


def available(preset):
    return preset not in COMPILERS or shutil.which(COMPILERS[preset])


def programs(test):
    """The programs that a test runs."""
    if test.startswith("cli_"):
        return ["petal"]
    if test.startswith("redis_"):
        return ["petal", "petal_redis"]
    if test == "sqlite":
        return ["petal", "petal_sqlite"]
    return PROGRAMS.get(test, [test])


def build(preset, tests):
    """Builds the programs of these tests."""
    targets = sorted({program for test in tests for program in programs(test)})
    if not targets:
        return 0, ""
    return run("cmake", "--build", f"build/{preset}", "-j", JOBS, "--target", *targets)


def passes(preset, test):
    status, said = run(
        "ctest",
        "--test-dir",
        f"build/{preset}",
        "-R",
        f"^{test}$",
        "--timeout",
        LONGEST,
        "--no-tests=error",
        "--output-on-failure",
    )
    return status == 0, said


def prepare(mutants):
    """Builds everything, and checks that all tests pass without mutants."""
    copy_tree()
    for preset in sorted({mutant["preset"] for mutant in mutants}):
        if not available(preset):
            continue
        tests = sorted({mutant["test"] for mutant in mutants if mutant["preset"] == preset})
        status, said = run("cmake", "--preset", preset, *OPTIONS)
        if status == 0:
            status, said = build(preset, tests)
        if status != 0:
            stop(said, f"the {preset} build fails without any mutant")
        for test in tests:
            good, said = passes(preset, test)
            if not good:
                stop(said, f"{test} fails without any mutant")


# ---- One mutant ----


def judge(mutant):
    """Tests a mutant and returns the result."""
    if not available(mutant["preset"]):
        return "skipped"
    path = TREE / mutant["file"]
    text = path.read_text()
    if text.count(mutant["old"]) != 1:
        return "NOT FOUND"
    try:
        path.write_text(text.replace(mutant["old"], mutant["new"]))
        status, _ = build(mutant["preset"], [mutant["test"]])
        if status != 0:
            return "NO BUILD"
        return "SURVIVED" if passes(mutant["preset"], mutant["test"])[0] else "noticed"
    finally:
        path.write_text(text)


def chosen(ids):
    known = [mutant["id"] for mutant in MUTANTS]
    for name in ids:
        if name not in known:
            stop(f"{name}: not in list.py")
    if len(known) != len(set(known)):
        stop("list.py has an id twice")
    return [mutant for mutant in MUTANTS if not ids or mutant["id"] in ids]


def main():
    mutants = chosen(sys.argv[1:])
    started = time.time()
    prepare(mutants)
    print(f"{len(mutants)} mutants; built in {time.time() - started:.0f} s")
    bad = 0
    for mutant in mutants:
        verdict = judge(mutant)
        bad += verdict not in GOOD
        print(
            f"{verdict:9}  {mutant['id']:28}  {mutant['test']:20}  {mutant['breaks']}",
            flush=True,
        )
    print(
        f"{len(mutants) - bad} of {len(mutants)} as expected, in {time.time() - started:.0f} s"
    )
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
