#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""report.py RESULTS: prints what was tested, with what, and how long it took.

tests/run.sh leaves in the folder RESULTS, for each test preset, what CTest knows of its
tests (PRESET.json) and what came of them (PRESET.xml).  Three files have a line for
everything else: `steps` what took time, `skipped` what was left out, `failed` what failed.

A test that was skipped is listed with its name and the reason.  If the reason begins with
SENSELESS, it is not about this machine.  All others are skipped because this machine lacks
something.  With PETAL_SKIP_NOTHING=1, as .ci/run has it, that is a failure.

The status is 1 if anything failed or if no test passed.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]

# label: its row in the table
PARTS = {
    "unit": "library",
    "portable": "library",
    "sample": "library",
    "door:command": "command",
    "door:redis": "Redis",
    "door:valkey": "Valkey",
    "door:sqlite": "SQLite",
    "door:postgres": "PostgreSQL",
    "door:duckdb": "DuckDB",
    "door:python": "Python",
    "door:node": "JavaScript",
    "door:browser": "browser and lab",
    "example": "examples",
    "docs": "pages",
    "tree": "tree, installing",
    "target": "make targets",
    "registry": "other programs",
}
# presets whose tests are all in one row
BUILDS = {
    "asan": "address sanitizer, fuzzing",
    "tsan": "thread sanitizer",
    "msan": "memory sanitizer",
    "s390x": "s390x (big-endian)",
    "aarch64": "ARM",
    "i686": "32 bits",
    "musl": "musl",
    "wasm": "WebAssembly",
    "windows": "Windows",
    "coverage": "coverage",
}
# row: the command that prints the version of what petal was tested with, or its
# package.json
WITH = {
    "Redis": ["redis-server", "--version"],
    "Valkey": [ROOT / "build/valkey/root/usr/bin/valkey-server", "--version"],
    "SQLite": ["sqlite3", "--version"],
    "PostgreSQL": ["pg_config", "--version"],
    "DuckDB": ROOT / "build/npm-sql/node_modules/duckdb-new/package.json",
    "Python": ["/usr/bin/python3", "--version"],
    "JavaScript": ["node", "--version"],
    "browser and lab": ["chromium", "--version"],
    "Windows": ["wine", "--version"],
}
# how bats and node's test runner, pytest, and all other programs say that they left out a
# test, and why
SKIPPED = [
    re.compile(r"^ *ok \d+ (?P<name>.*?) # skip ?(?P<why>.*)$", re.M | re.I),
    re.compile(
        r"^SKIPPED \[(?P<times>\d+)\] (?:\S*/)?(?P<name>[^\s:]+)(?:::?\S*)?: (?P<why>.*)$",
        re.M,
    ),
    re.compile(r"^skipped: (?P<why>.*)$", re.M),
]
SENSELESS = "makes no sense: "


def version(row):
    """What petal was tested with, such as 7.0.15."""
    where = WITH.get(row)
    try:
        if isinstance(where, pathlib.Path):
            return json.loads(where.read_text())["version"]
        said = (
            subprocess.run(where, capture_output=True, text=True, check=True).stdout
            if where
            else ""
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    found = re.search(r"\d+(\.\d+)+", said)
    return found[0] if found else ""


class Row:
    def __init__(self):
        self.tests = self.passed = self.failed = self.skipped = 0
        self.seconds = 0.0


def labels_of(listing):
    """The labels of each test of a preset."""
    return {
        test["name"]: next(
            (p["value"] for p in test["properties"] if p["name"] == "LABELS"), []
        )
        for test in json.loads(listing.read_text())["tests"]
    }


def row_of(preset, labels):
    return BUILDS.get(preset) or next(
        (PARTS[label] for label in PARTS if label in labels), "other"
    )


def skips_in(test, output):
    """What a test says that it left out: (name, reason)."""
    for pattern in SKIPPED:
        for found in pattern.finditer(output):
            its = found.groupdict()
            name = f"{test}: {its['name']}" if "name" in its else test
            for _ in range(int(its.get("times", 1))):
                yield name, its["why"]


def outcome(case):
    """Whether a test failed, and what it left out."""
    skips = list(skips_in(case.get("name"), case.findtext("system-out") or ""))
    status = case.get("status")
    if status == "notrun" and "SKIP_RETURN_CODE" in case.find("skipped").get("message"):
        return False, skips or [(case.get("name"), "it does not say why")]
    return status != "run", skips


def lines(file):
    return file.read_text().splitlines() if file.exists() else []


def read(results):
    """Returns the rows of the table, all that was skipped, and which tests failed."""
    rows, skips, failures = {}, [], {}
    for file in sorted(results.glob("*.xml"), key=lambda path: path.stat().st_mtime_ns):
        preset = file.stem
        labels = labels_of(file.with_suffix(".json"))
        for case in xml.etree.ElementTree.parse(file).getroot().iter("testcase"):
            row = rows.setdefault(row_of(preset, labels[case.get("name")]), Row())
            row.tests += 1
            row.seconds += float(case.get("time"))
            failed, here = outcome(case)
            row.failed += failed
            row.skipped += len(here)
            if failed:
                failures.setdefault(preset, []).append(case.get("name"))
            row.passed += not failed and case.get("status") == "run"
            skips += [(preset, *skip) for skip in here]
    skips += [line.split(": ", 2) for line in lines(results / "skipped")]
    return rows, skips, failures


def again(preset, names):
    """The commands that run these tests of a test preset again."""
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["testPresets"]
    build = next(p for p in presets if p["name"] == preset)["configurePreset"]
    return (
        f"    cmake --build --preset {build}\n"
        f"    ctest --preset {preset} -R '^({'|'.join(sorted(names))})$'"
    )


def main():
    results = pathlib.Path(sys.argv[1])
    rows, skips, failures = read(results)
    print(
        f"\n{'tested':28}{'with':16}{'tests':>6}{'failed':>8}{'skipped':>9}{'seconds':>9}"
    )
    for name, row in rows.items():
        print(
            f"{name:28}{version(name):16}{row.tests:6}{row.failed:8}{row.skipped:9}"
            f"{row.seconds:9.0f}"
        )
    for line in lines(results / "steps"):
        seconds, what = line.split(" ", 1)
        print(f"{what:67}{seconds:>9}")
    print(
        "Tests run in parallel, so their seconds add up to more than the time that passed."
    )
    lacking = [skip for skip in skips if not skip[2].startswith(SENSELESS)]
    for title, some in (
        ("Skipped, because this machine lacks something:", lacking),
        (
            "Skipped, because it makes no sense here:",
            [skip for skip in skips if skip not in lacking],
        ),
    ):
        if some:
            print(f"\n{title}")
        for preset, name, why in some:
            print(f"    {preset}: {name}: {why.removeprefix(SENSELESS)}")
    failed = sum(row.failed for row in rows.values())
    passed = sum(row.passed for row in rows.values())
    for preset, names in failures.items():
        print(f"\nFailed; run them again by\n{again(preset, names)}")
    for line in lines(results / "failed"):
        print(f"\nFailed: {line}")
        failed += 1
    if lacking and os.environ.get("PETAL_SKIP_NOTHING") == "1":
        print("\nHere no test may be skipped because something is lacking.")
        failed += len(lacking)
    if not failed and not passed:
        print("\nFailed: no test ran.")
    print(f"\n{passed} passed, {failed} failed, {len(skips)} skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
