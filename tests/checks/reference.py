#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""reference.py: the reference that tools/reference.py makes has everything that the headers
declare.

- every function and every type that programs use has a manual page, and mandoc finds no
  fault with it;
- the page of a function shows its declaration and its comment;
- the Markdown page has an anchor for each, all its links lead to one, and no word of a
  comment is lost.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = str(ROOT / "tools/reference.py")
HEADERS = sorted((ROOT / "include").glob("*.h"))  # petal.h comes first
LICENCE = "SPDX-License-Identifier: BSD-2-Clause"
passed = 0
failures = []


def check(good, message):
    global passed
    if good:
        passed += 1
    else:
        failures.append(message)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def declared(text):
    functions = re.findall(
        r"^(?:PETAL_API|static inline) [^;]*?\b(petal_\w+)\(", text, re.M
    )
    return functions + re.findall(r"^typedef (?:struct|enum) (petal_\w+)", text, re.M)


def words(text):
    return re.findall(r"\w+", re.sub(r"\\\\f[IRB]|\\\\&", "", text))


def check_man(folder, text):
    run(TOOL, "--man", str(folder / "man3"), *map(str, HEADERS))
    for name in declared(text):
        path = folder / "man3" / f"{name}.3"
        check(path.exists(), f"{name} has no manual page")
        page = path.read_text() if path.exists() else ""
        page = (folder / page[4:].strip()).read_text() if page.startswith(".so ") else page
        check(name in page.split(".SH SYNOPSIS")[0], f"{path.name}: NAME does not have it")
    add = (folder / "man3/petal_add.3").read_text()
    check("\npetal_add \\- " in add, "petal_add.3: no summary")
    check(
        "petal_add(petal_filter *filter, const void *key, size_t len);" in add,
        "petal_add.3: no declaration",
    )
    pages = sorted(
        p for p in (folder / "man3").iterdir() if not p.read_text().startswith(".so ")
    )
    if shutil.which("mandoc"):
        lint = subprocess.run(
            ["mandoc", "-Tlint", *map(str, pages)], capture_output=True, text=True
        )
        check(lint.stdout == "", lint.stdout[:2000])
    else:
        print("skipped: the look of manual pages: no mandoc")


def check_markdown(text):
    page = run(TOOL, *map(str, HEADERS))
    anchors = re.findall(r'<a id="(\w+)">', page)
    check(len(anchors) == len(set(anchors)), "an anchor is there twice")
    check(
        set(declared(text)) <= set(anchors),
        f"no anchor: {set(declared(text)) - set(anchors)}",
    )
    check(set(re.findall(r"\]\(#(\w+)\)", page)) <= set(anchors), "a link leads nowhere")
    check(
        "PETAL_API" not in page and "static inline" not in page,
        "the page shows how functions are exported",
    )
    there = set(words(page))
    comments = " ".join(
        re.findall(r"/\*.*?\*/", text.split("#define PETAL_VERSION_MAJOR")[1], re.S)
    )
    gone = (
        set(words(comments)) - there - {"exports", *words(LICENCE)}
    )  # the first is about PETAL_API
    gone = {word for word in gone if not re.fullmatch(r"PETAL\w*_H", word)}
    check(not gone, f"words that are lost: {sorted(gone)}")


def main():
    text = "".join(path.read_text().split("/* ---- Implementation ")[0] for path in HEADERS)
    check(len(declared(text)) > 80, "no declarations were found")
    with tempfile.TemporaryDirectory() as folder:
        check_man(pathlib.Path(folder), text)
    check_markdown(text)
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{passed} passed, {len(failures)} failed")
    sys.exit(1 if failures or not passed else 0)


main()
