#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""run.py: breaks petal on purpose, and checks that a test fails.

    run.py                 runs every mutant in list.py; 20 minutes on two processors
    run.py ID...           runs only these
    run.py --sample N      runs N of them, evenly spread over the list; always the same
    run.py --fit [BUILD]   only checks that each row still fits the code; takes seconds

A mutant is one small change to the code, such as a missing condition or a limit that is off by one.
If all tests still pass, they would not detect that mistake.  For each mutant, list.py names the test
that must fail.

The tree is copied to build/mutants/tree-1, tree-2 and so on, and built there, so that the working copy
never changes and several mutants run at the same time.  Then for each mutant its file is changed, the
program of its test is built, and the test is run.  The result is one of

    noticed      the test failed
    timed out    the test ran ten times as long as without the mutant (see LONGEST)
    SURVIVED     the test passed: write a better one
    NOT FOUND    the text to replace does not occur exactly once in the file: update list.py
    NO BUILD     the changed file does not compile, so the test says nothing
    skipped      this machine lacks the compiler for the mutant's preset

run.py fails after SURVIVED, NOT FOUND or NO BUILD, and if a test fails without any mutant.
build/mutants/results has a line for each row, in the order of list.py, to compare with those of another
run.  build/mutants/said has the output of each test.

--fit finds rows that are NOT FOUND.  With the folder of a build it also finds those that name no test
of that build (NO TEST) and those that are NO BUILD: it compiles each changed file.  The build must have
been configured with CMAKE_EXPORT_COMPILE_COMMANDS=ON, as the presets do.  Nothing in it needs to be built.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import queue
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # write no files into the tree
from list import MUTANTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACE = ROOT / "build/mutants"
PROCESSORS = (
    len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
)

# Building a copy of the tree takes about as long as running so many mutants.
TREE_MUTANTS = 60

# A mutant may loop forever, or wait forever.  Time on a processor hardly depends on what else runs on
# this machine, so a test is stopped when one of its processes has used this many times what the test
# used without the mutant.  The limits of the time that passes are for tests that wait.
LONGEST = 10
SECONDS_MIN = {"used": 60, "passed": 600}

# smaller numbers for the long tests
OPTIONS = ["-DPETAL_SLOWER=5"]

# tests whose program has another name
PROGRAMS = {
    "golden": ["images"],
    "reader": ["images"],
    "ribbon_threads": ["ribbon"],
    "load_table": [],
}

# presets for other machines, and their compilers
COMPILERS = {"i686": "i686-linux-gnu-gcc"}

GOOD = ("noticed", "timed out", "skipped")


def stop(*message):
    print(*message, file=sys.stderr)
    sys.exit(1)


def mutated(mutant, text):
    """The text with the mistake, or None if the mutant does not fit it."""
    fits = text.count(mutant["old"]) == 1 and mutant["new"] != mutant["old"]
    return text.replace(mutant["old"], mutant["new"]) if fits else None


# ---- Does each row fit the code? ----

FOLDERS = sorted({mutant["file"].partition("/")[0] for mutant in MUTANTS})


def compile_commands(build):
    """The first command for each file of the tree, as (file, folder, arguments without the output)."""
    path = build / "compile_commands.json"
    if not path.exists():
        stop(f"{path}: does not exist; configure with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    first = {}
    for entry in json.loads(path.read_text()):
        file = pathlib.Path(entry["file"])
        if file.is_relative_to(ROOT) and not file.is_relative_to(ROOT / "build"):
            arguments = shlex.split(entry["command"])
            at = arguments.index("-o")
            del arguments[at : at + 2]
            first.setdefault(file, (file, entry["directory"], arguments))
    if not first:
        stop(f"{build}: is not a build of {ROOT}")
    return first


def compiling(name, commands):
    """The command that compiles this file.  For a header, that of a file that includes it, if possible
    directly."""
    path = ROOT / name
    if path in commands or path.suffix != ".h":
        return commands.get(path)
    direct = [
        command for file, command in commands.items() if path.name in file.read_text()
    ]
    for file, folder, arguments in direct + list(commands.values()):
        made = subprocess.run(
            [*arguments, "-MM"], cwd=folder, text=True, capture_output=True
        )
        if str(path) in made.stdout.split():
            return file, folder, arguments
    return None


def compiler_error(mutant, command, copy):
    """The first error, or None if the mutant compiles.  `copy` is a folder with copies of FOLDERS."""
    _, folder, arguments = command
    path = copy / mutant["file"]
    text = path.read_text()
    at_root = re.compile(re.escape(str(ROOT)) + "/(?=(" + "|".join(FOLDERS) + ")(/|$))")
    arguments = [at_root.sub(lambda _: f"{copy}/", word) for word in arguments]
    try:
        path.write_text(mutated(mutant, text))
        # some warnings are given only when code is generated, such as that of unused functions
        arguments[arguments.index("-c")] = "-S"
        done = subprocess.run(
            [*arguments, "-O0", "-o", os.devnull],
            cwd=folder,
            text=True,
            errors="replace",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        errors = [line for line in done.stdout.splitlines() if "error" in line] + [
            done.stdout
        ]
        return errors[0].removeprefix(f"{copy}/") if done.returncode else None
    finally:
        path.write_text(text)


def compiler_errors(mutants, commands):
    """Returns the mutants that do not compile, with the error, and those that no command compiles."""
    by_file = {
        name: compiling(name, commands) for name in {mutant["file"] for mutant in mutants}
    }
    known = [mutant for mutant in mutants if by_file[mutant["file"]]]
    copies = queue.Queue()

    def one(mutant):
        copy = copies.get()
        try:
            return compiler_error(mutant, by_file[mutant["file"]], copy)
        finally:
            copies.put(copy)

    with contextlib.ExitStack() as stack:
        for _ in range(PROCESSORS):
            copy = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
            for folder in FOLDERS:
                shutil.copytree(ROOT / folder, copy / folder)
            copies.put(copy)
        with concurrent.futures.ThreadPoolExecutor(PROCESSORS) as pool:
            errors = list(pool.map(one, known))
    return [(mutant, error) for mutant, error in zip(known, errors) if error], [
        mutant for mutant in mutants if mutant not in known
    ]


def tests_of(build):
    said = subprocess.run(
        ["ctest", "--test-dir", str(build), "--show-only=json-v1"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return {test["name"] for test in json.loads(said)["tests"]}


def fit(build):
    """Fails, and names the rows, unless all fit."""
    started = time.time()
    fitting, bad, skipped = [], [], []
    for mutant in MUTANTS:
        path = ROOT / mutant["file"]
        if path.is_file() and mutated(mutant, path.read_text()) is not None:
            fitting.append(mutant)
        else:
            bad.append(
                (
                    "NOT FOUND",
                    mutant,
                    f"{mutant['file']} does not have the text to replace exactly once",
                )
            )
    if build:
        build = pathlib.Path(build).resolve()
        commands, tests = compile_commands(build), tests_of(build)
        bad += [
            ("NO TEST", mutant, mutant["test"])
            for mutant in MUTANTS
            if mutant["test"] not in tests
        ]
        errors, skipped = compiler_errors(fitting, commands)
        bad += [("NO BUILD", mutant, error) for mutant, error in errors]
    for verdict, mutant, why in bad:
        print(f"{verdict:9}  {mutant['id']:28}  {why}")
    good = len(MUTANTS) - len({mutant["id"] for _, mutant, _ in bad})
    for mutant in skipped:
        print(f"skipped: {mutant['id']}: this build does not have {mutant['file']}")
    print(
        f"{good} of {len(MUTANTS)} mutants {'fit and compile' if build else 'fit'}; "
        f"{time.time() - started:.0f} s",
        flush=True,
    )
    if bad:
        stop("tests/mutants/list.py: update these rows; run.py explains the words")


# ---- A copy of the tree, with its builds ----


def programs(test):
    """The programs that a test runs."""
    if test.startswith("cli_"):
        return ["petal"]
    if test.startswith("redis_"):
        return ["petal", "petal_redis"]
    if test == "sqlite":
        return ["petal", "petal_sqlite"]
    return PROGRAMS.get(test, [test])


def available(preset):
    return preset not in COMPILERS or shutil.which(COMPILERS[preset])


class Tree:
    def __init__(self, number, jobs):
        self.path = PLACE / f"tree-{number}"
        self.jobs = jobs
        self.changed = None  # the file that has a mistake at the moment, and its own text

    def run(self, *command):
        """Returns the exit status and the output."""
        done = subprocess.run(
            command,
            cwd=self.path,
            text=True,
            errors="replace",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return done.returncode, done.stdout

    def copy(self, names):
        """Copies only files that have changed, so that little is built again."""
        for name in names:
            source, copy = ROOT / name, self.path / name
            if not copy.exists() or copy.read_bytes() != source.read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, copy)
        for path in list(self.path.rglob("*")):
            name = path.relative_to(self.path).as_posix()
            if not name.startswith("build/") and name not in names and path.is_file():
                path.unlink()

    def build(self, preset, tests):
        """Builds the programs of these tests."""
        targets = sorted({program for test in tests for program in programs(test)})
        if not targets:
            return 0, ""
        return self.run(
            "cmake",
            "--build",
            f"build/{preset}",
            "-j",
            str(self.jobs),
            "--target",
            *targets,
        )

    def prepare(self, tests):
        """Builds everything, without mutants."""
        for preset in sorted({preset for preset, _ in tests}):
            status, said = self.run("cmake", "--preset", preset, *OPTIONS)
            if status == 0:
                status, said = self.build(
                    preset, [test for of, test in tests if of == preset]
                )
            if status != 0:
                raise RuntimeError(f"{said}\nthe {preset} build fails without any mutant")

    def restore(self):
        if self.changed:
            path, text = self.changed
            path.write_text(text)
            self.changed = None

    def change(self, mutant):
        """Changes the file of this mutant, and restores all others.  Returns whether it fits.  The next
        mutant is often in the same file, which is then compiled once less."""
        path = self.path / mutant["file"]
        if self.changed and self.changed[0] != path:
            self.restore()
        if not path.is_file():
            return False
        own = self.changed[1] if self.changed else path.read_text()
        text = mutated(mutant, own)
        if text is None:
            return False
        self.changed = path, own
        path.write_text(text)
        return True

    def test(self, preset, test, limits, log):
        """Runs a test.  Returns whether it passed, and the seconds that it used and that passed."""
        started = time.time()
        with open(log, "wb") as said:
            done = subprocess.Popen(
                [
                    "sh",
                    "-c",
                    f'ulimit -t {limits["used"]:.0f} && exec "$@"',
                    "sh",
                    "ctest",
                    "--test-dir",
                    f"build/{preset}",
                    "-R",
                    f"^{test}$",
                    "--timeout",
                    f'{limits["passed"]:.0f}',
                    "--no-tests=error",
                    "--output-on-failure",
                ],
                cwd=self.path,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                # cmocka ends at the first failure: later tests would wait for a lock that this one left
                env={**os.environ, "CMOCKA_TEST_ABORT": "1"},
            )
            _, status, usage = os.wait4(done.pid, 0)
            done.returncode = os.waitstatus_to_exitcode(status)
        return done.returncode == 0, {
            "used": usage.ru_utime + usage.ru_stime,
            "passed": time.time() - started,
        }


# ---- All of them ----


def judge(tree, mutant, limits):
    """Tests a mutant and returns the result."""
    preset, test = mutant["preset"], mutant["test"]
    if not available(preset):
        return "skipped"
    if not tree.change(mutant):
        return "NOT FOUND"
    log = PLACE / "said" / mutant["id"]
    status, said = tree.build(preset, [test])
    if status != 0:
        log.write_text(said)
        return "NO BUILD"
    limit = limits[preset, test]
    passed, took = tree.test(preset, test, limit, log)
    if passed:
        return "SURVIVED"
    return "timed out" if any(took[name] >= limit[name] for name in limit) else "noticed"


def measure(tree, preset, test):
    """Runs a test without any mutant.  Returns the limits for its mutants."""
    log = PLACE / "said" / f"without-{preset}-{test}"
    passed, took = tree.test(preset, test, {"used": 3600, "passed": 3600}, log)
    if not passed:
        raise RuntimeError(
            f"{log.read_text(errors='replace')}\n{test} fails without any mutant"
        )
    return {name: max(least, LONGEST * took[name]) for name, least in SECONDS_MIN.items()}


def in_turn(trees, work, items):
    """Calls work(tree, item) for all items, in a thread for each tree.  Yields (item, result)."""
    free = queue.Queue()
    for tree in trees:
        free.put(tree)

    def one(item):
        tree = free.get()
        try:
            return item, work(tree, item)
        finally:
            free.put(tree)

    with concurrent.futures.ThreadPoolExecutor(len(trees)) as pool:
        waiting = [pool.submit(one, item) for item in items]
        try:
            for done in concurrent.futures.as_completed(waiting):
                yield done.result()
        except BaseException:
            for other in waiting:
                other.cancel()
            raise


def prepare(trees, mutants):
    """Builds all, and runs all tests without mutants.  Returns their limits."""
    tests = sorted(
        {
            (mutant["preset"], mutant["test"])
            for mutant in mutants
            if available(mutant["preset"])
        }
    )
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    names = {name for name in listed if (ROOT / name).is_file()}
    for tree in trees:
        tree.copy(names)
    with concurrent.futures.ThreadPoolExecutor(len(trees)) as pool:
        for _ in pool.map(lambda tree: tree.prepare(tests), trees):
            pass
    return dict(in_turn(trees, lambda tree, test: measure(tree, *test), tests))


def run(mutants):
    started = time.time()
    n = min(PROCESSORS, 1 + len(mutants) // TREE_MUTANTS)
    trees = [Tree(number, PROCESSORS // n) for number in range(1, n + 1)]
    shutil.rmtree(PLACE / "said", ignore_errors=True)
    (PLACE / "said").mkdir(parents=True)
    try:
        limits = prepare(trees, mutants)
    except RuntimeError as error:
        stop(error)
    print(f"{len(mutants)} mutants; built in {time.time() - started:.0f} s", flush=True)

    # The mutants of a file run in one tree, one after the other; those of the longest lists first.
    files = collections.defaultdict(list)
    for mutant in mutants:
        files[mutant["file"]].append(mutant)
    verdicts = {}

    def work(tree, file):
        for mutant in files[file]:
            verdict = verdicts[mutant["id"]] = judge(tree, mutant, limits)
            print(
                f"{verdict:9}  {mutant['id']:28}  {mutant['test']:20}  {mutant['breaks']}",
                flush=True,
            )

    try:
        for _ in in_turn(trees, work, sorted(files, key=lambda file: -len(files[file]))):
            pass
    finally:
        for tree in trees:
            tree.restore()
    (PLACE / "results").write_text(
        "".join(f"{verdicts[mutant['id']]:9}  {mutant['id']}\n" for mutant in mutants)
    )
    counts = collections.Counter(verdicts.values())
    for mutant in mutants:
        if verdicts[mutant["id"]] == "skipped":
            print(f"skipped: {mutant['id']}: no {COMPILERS[mutant['preset']]}")
    print(
        f"{len(mutants)} mutants: "
        + ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())
        + f"; {time.time() - started:.0f} s"
    )
    sys.exit(any(verdict not in GOOD for verdict in counts))


# ---- The command ----


def chosen(ids, sample):
    known = {mutant["id"]: mutant for mutant in MUTANTS}
    for name in ids:
        if name not in known:
            stop(f"{name}: not in list.py")
    if ids:
        return [known[name] for name in ids]
    n = min(sample or len(MUTANTS), len(MUTANTS))
    return [MUTANTS[i * len(MUTANTS) // n] for i in range(n)]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.partition("A mutant")[0])
    parser.add_argument("ids", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument("--sample", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--fit", nargs="?", const="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    twice = [
        name
        for name, n in collections.Counter(mutant["id"] for mutant in MUTANTS).items()
        if n > 1
    ]
    if twice:
        stop("list.py: several rows have the id", *twice)
    if arguments.fit is not None:
        fit(arguments.fit)
    else:
        run(chosen(arguments.ids, arguments.sample))


if __name__ == "__main__":
    main()
