#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""report_test.py: what run.sh refuses, and when report.py says that a run has failed.

A mistake there would hide failures of all other tests.
"""
import json
import os
import pathlib
import subprocess
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]


def case(name, status="run", said="", because=""):
    """What CTest writes about a test."""
    return (
        f'<testcase name="{name}" time="1.5" status="{status}">'
        f'<skipped message="{because}"/><system-out>{said}</system-out></testcase>'
    )


PASSED = case("good")
LACKING = case("poor", "notrun", "skipped: no musl-gcc", "SKIP_RETURN_CODE=77")
SENSELESS = case(
    "odd", "notrun", "skipped: makes no sense: big-endian", "SKIP_RETURN_CODE=77"
)
WITHIN = case("partly", said="SKIPPED [2] test_one.py:7: no redis-cli")
FAILED = case("bad", "fail")
NOT_STARTED = case("gone", "notrun", because="Unable to find executable")

# tests, further failures, is nothing to be skipped, status, lines that must be printed
RUNS = [
    ([PASSED], "", True, 0, ["1 passed, 0 failed, 0 skipped"]),
    ([], "", False, 1, ["Failed: no test ran."]),
    ([LACKING], "", False, 1, ["Failed: no test ran."]),
    ([PASSED, LACKING], "", False, 0, ["    check: poor: no musl-gcc"]),
    ([PASSED, LACKING], "", True, 1, ["1 passed, 1 failed, 1 skipped"]),
    ([PASSED, SENSELESS], "", True, 0, ["    check: odd: big-endian"]),
    ([WITHIN], "", False, 0, ["    check: partly: test_one.py: no redis-cli"] * 2),
    ([WITHIN], "", True, 1, ["1 passed, 2 failed, 2 skipped"]),
    (
        [PASSED, FAILED, NOT_STARTED],
        "",
        False,
        1,
        [
            "    cmake --build --preset test",
            "    ctest --preset check -R '^(bad|gone)$'",
            "1 passed, 2 failed, 0 skipped",
        ],
    ),
    ([PASSED], "building asan\n", False, 1, ["Failed: building asan"]),
]


def report(cases, failures, strict):
    """Runs report.py.  Returns its status and what it printed."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        names = ["good", "poor", "odd", "partly", "bad", "gone"]
        tests = [{"name": name, "properties": []} for name in names]
        (folder / "check.json").write_text(json.dumps({"tests": tests}))
        (folder / "check.xml").write_text(f"<testsuite>{''.join(cases)}</testsuite>")
        if failures:
            (folder / "failed").write_text(failures)
        done = subprocess.run(
            [TESTS / "report.py", folder],
            env={**os.environ, "PETAL_SKIP_NOTHING": "1" if strict else ""},
            stdout=subprocess.PIPE,
            text=True,
        )
    return done.returncode, done.stdout.splitlines()


def main():
    for cases, failures, strict, status, wanted in RUNS:
        got, printed = report(cases, failures, strict)
        assert got == status, (cases, got, printed)
        for line in wanted:
            assert line in printed, (line, printed)
            printed.remove(line)
    for argument in ("../../examples", "--help", ""):
        done = subprocess.run(
            [TESTS / "run.sh", argument], stderr=subprocess.PIPE, text=True
        )
        assert done.returncode == 2 and done.stderr.startswith("usage: run.sh check")
    assert not (TESTS.parent / "build/results/--help").exists()
    assert (TESTS.parent / "examples/demo.sh").exists()
    print(f"{len(RUNS) + 1} passed, 0 failed")


main()
