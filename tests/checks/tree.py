#!/usr/bin/env python3
"""tree.py: what can be checked by looking at the tree.

- every #include "..." of the library keeps to the table of layers in docs/LAYOUT.md, and
  what uses the library includes petal.h alone;
- every test that docs/PROMISES.md names exists;
- the sentence beside each error in petal.h is the one that petal_strerror() gives;
- every C file opens with a comment, which in src/ begins with its name;
- every file and folder that docs/LAYOUT.md draws is there, and every folder is drawn;
- clang-format would change nothing (where it is installed).
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
passed = 0
failures = []


def check(good, message):
    global passed
    if good:
        passed += 1
    else:
        failures.append(message)


def includes_of(path):
    return re.findall(r'^#include "([^"]+)"', path.read_text(), re.M)


def layers():
    """From a part of the library to the parts it may include."""
    block = re.search(r"```layers\n(.*?)```", (ROOT / "docs/LAYOUT.md").read_text(), re.S).group(1)
    table = {}
    for line in block.splitlines():
        name, allowed = line.split(":")
        table[name.strip().removesuffix(".h")] = set(allowed.split())
    return table


def part_of(path):
    folder = path.parent.name
    return f"{folder}/*" if folder in ("kinds", "forms", "kernels") else path.stem


def check_layers():
    table = layers()
    sources = sorted((ROOT / "src").rglob("*.[ch]"))
    own_headers = {p.name for p in (ROOT / "src").glob("*/*.h")}
    for path in sources:
        part = part_of(path)
        check(part in table, f"{path.name}: no layer in docs/LAYOUT.md")
        for include in includes_of(path):
            stem = include.removesuffix(".h")
            own = stem == path.stem or include in own_headers
            check(own or stem in table.get(part, ()), f"{path.name} must not include {include}")
    for folder in ("cli", "modules/redis"):
        own_headers = {p.name for p in (ROOT / folder).glob("*.h")} | {"petal.h", "petal_math.h"}
        for path in sorted((ROOT / folder).glob("*.[ch]")):
            for include in includes_of(path):
                check(include in own_headers, f"{folder}/{path.name} must not include {include}")
    for path in sorted((ROOT / "examples").glob("*.c")):
        check(not includes_of(path), f"{path.name}: an example includes <petal.h> and nothing of ours")


def check_promises():
    text = "".join(
        p.read_text() for folder in ("tests", "fuzz") for p in (ROOT / folder).rglob("*")
        if p.suffix in (".c", ".txt", ".py", ".sh") and p != pathlib.Path(__file__).resolve())
    rows = [line for line in (ROOT / "docs/PROMISES.md").read_text().splitlines()
            if line.startswith("| G")]
    check(len(rows) == 8, "docs/PROMISES.md: eight promises, G1 to G8")
    for row in rows:
        held_by = row.split("|")[3]
        names = re.findall(r"`(\w+)`", held_by)
        check(names, f"{row.split('|')[1].strip()}: no test holds it")
        for name in names:
            stem = name.removeprefix("fuzz_")
            there = (re.search(rf"\b{name}\(void|def {name}\(", text) or re.search(rf"NAME {name}\b", text)
                     or list(ROOT.glob(f"tests/*/{name}.c"))
                     or (ROOT / f"tests/redis/{name.replace('redis_', 'test_')}.py").exists()
                     or (name.startswith("fuzz_") and (ROOT / f"fuzz/{stem}.c").exists()))
            check(there, f"docs/PROMISES.md names {name}, which is no test")


def check_errors():
    header = (ROOT / "include/petal.h").read_text()
    source = (ROOT / "src/errors.c").read_text()
    said = dict(re.findall(r'case (PETAL_E_\w+):\s*return "([^"]+)";', source))
    listed = dict(re.findall(r"(PETAL_E_\w+) += +-\d+,? +/\* (.*?) \*/", header))
    check(len(listed) > 20 and said.keys() == listed.keys(), "errors.c and petal.h differ in codes")
    for code, sentence in listed.items():
        check(said.get(code) == sentence, f"{code}: petal.h says '{sentence}'")


def check_openings():
    for path in sorted(ROOT.glob("src/**/*.[ch]")) + sorted(ROOT.glob("tests/**/*.[ch]")) + \
            sorted(ROOT.glob("fuzz/*.c")) + sorted(ROOT.glob("examples/*.c")) + \
            sorted(ROOT.glob("cli/*.[ch]")) + sorted(ROOT.glob("modules/**/*.[ch]")):
        opening = path.read_text()[:400]
        check(opening.startswith("/*"), f"{path.name} does not open by explaining itself")
        if "install" not in path.parts:
            check(f" {path.name}:" in opening, f"{path.name}: its opening does not name it")


def check_drawing():
    drawing = re.search(r"```\n(.*?)```", (ROOT / "docs/LAYOUT.md").read_text(), re.S).group(1)
    names = [line.split()[0] for line in drawing.splitlines() if not line.startswith("  ")]
    for name in names:
        check((ROOT / name).exists(), f"docs/LAYOUT.md draws {name}, which is not there")
    drawn = {name.split("/")[0] for name in names}
    for path in ROOT.iterdir():
        if path.is_dir() and not path.name.startswith(".") and path.name not in ("build", "tools", "cmake"):
            check(path.name in drawn, f"docs/LAYOUT.md does not draw {path.name}/")


def check_format():
    if not shutil.which("clang-format"):
        print("clang-format is not installed: layout not checked")
        return
    files = [str(p) for folder in ("src", "cli", "modules", "tests", "fuzz", "examples")
             for p in sorted((ROOT / folder).rglob("*.c"))]
    result = subprocess.run(["clang-format", "--dry-run", "-Werror", *files],
                            capture_output=True, text=True, cwd=ROOT)
    check(result.returncode == 0, "make format would change:\n" + result.stderr[:2000])


check_layers()
check_promises()
check_errors()
check_openings()
check_drawing()
check_format()
for failure in failures:
    print(failure, file=sys.stderr)
print(f"{passed} passed, {len(failures)} failed")
sys.exit(1 if failures or not passed else 0)
