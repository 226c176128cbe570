#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""add_kind.py TREE TO: makes a copy of the library and adds the sample kinds as
docs/layout.md says: a folder, an enumerator, a line in the list and a golden recipe each.
Nothing else is changed.  Unchanged files are not written again, so that a second run builds
nothing."""
import pathlib
import re
import sys

tree, to = map(pathlib.Path, sys.argv[1:])
samples = sorted(
    path.parent
    for path in (tree / "tests/sample").glob("*/*.c")
    if path.stem == path.parent.name
)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def replace_once(text, pattern, new):
    text, n = re.subn(pattern, new, text)
    assert n == 1, f"{pattern} occurs {n} times"
    return text


def enumerator(text, name):
    """Adds an enumerator after the last kind."""
    last = re.search(r"(PETAL_\w+ += (\d+)) ( */\*[^/]*\*/\n)\} petal_kind;", text)
    number = int(last.group(2)) + 1
    return text.replace(
        last.group(0),
        f"{last.group(1)}, {last.group(3)}"
        f"    PETAL_{name.upper()} = {number}  /* a sample kind */\n}} petal_kind;",
    )


wanted = {}
for folder in ("src", "include", "tests", "fuzz"):
    for path in (tree / folder).rglob("*.[ch]"):
        if "sample" not in path.parts:
            wanted[path.relative_to(tree)] = path.read_text()

header, kinds = pathlib.Path("include/petal.h"), pathlib.Path("src/kinds/list.c")
images = pathlib.Path("tests/format/images.c")
for sample in samples:
    name = sample.name
    for path in sample.iterdir():
        wanted[pathlib.Path("src/kinds") / name / path.name] = path.read_text()
    wanted[header] = enumerator(wanted[header], name)
    wanted[kinds] = replace_once(
        wanted[kinds], r"(    X\(\w+\))\n\n", rf"\1 \\\n    X({name})\n\n"
    )
    wanted[images] = replace_once(
        wanted[images],
        r"(\} recipes\[\] = \{\n)",
        rf'\1    {{ "{name}", "kind={name} capacity=300 fpr=1%", 300 }},\n',
    )

for path, text in wanted.items():
    write(to / path, text)
for path in [
    p
    for folder in ("src", "include", "tests", "fuzz")
    for p in (to / folder).rglob("*.[ch]")
]:
    if path.relative_to(to) not in wanted:
        path.unlink()
