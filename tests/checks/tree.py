#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tree.py: checks the rules that can be verified by reading the source tree.

- Every #include "..." in the library follows the table of layers in docs/layout.md, and
  there are no cycles. Programs that use the library include only the headers in include/.
- No kind and no form is named outside of its own files, except where docs/layout.md allows
  it.
- Names of static functions in the library begin with their file, folder or struct, and no
  file of the library has more than 500 lines.
- Every test that docs/promises.md names exists.
- The comment for each error in petal.h is the text that petal_strerror() returns.
- Every C file begins with its licence line and a comment that names the file.
- Every file and folder on the map in docs/layout.md exists, and every folder is on the map.
- Topic numbers of the lecture notes (an S and digits) appear only in docs/students.md.
- The Debian packages have the version of petal.h.
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(
    os.environ.get("PETAL_TREE") or pathlib.Path(__file__).resolve().parents[2]
)
passed = 0
failures = []

# folders in which no kind or form may be named outside of its own files
FOLDERS = ("src", "cli", "modules", "bindings")
# tests that apply to every kind
GENERIC = (
    "tests/support.h",
    "tests/kinds/contract_test.c",
    "tests/kinds/property.c",
    "tests/kinds/batch_test.c",
    "tests/kinds/probes_test.c",
    "tests/kinds/relocate_test.c",
    "tests/rates/rates.c",
    "tests/unit/names_test.c",
    "fuzz/open.c",
    "fuzz/program.c",
)
# names that are also ordinary words
ENGLISH = ("classic", "blocked", "split", "counting", "quotient", "word")


def check(good, message):
    global passed
    if good:
        passed += 1
    else:
        failures.append(message)


def includes_of(path):
    """The headers of petal that a file includes, in quotes or angle brackets."""
    found = re.findall(
        r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', path.read_text(), re.M
    )
    return [
        name for bracket, name in found if bracket == '"' or (ROOT / "src" / name).exists()
    ]


def fenced(name):
    """The lines of a fenced block of docs/layout.md."""
    text = (ROOT / "docs/layout.md").read_text()
    return re.search(rf"```{name}\n(.*?)```", text, re.S).group(1).splitlines()


def rows(name):
    """The rows "left : right" of such a block."""
    return [tuple(side.strip() for side in line.split(" :", 1)) for line in fenced(name)]


def glob_matches(pattern, path):
    """A final /* also matches files in subfolders.  Any other * does not match a slash."""
    regex = re.escape(pattern).replace(r"\*", "[^/]*")
    if pattern.endswith("/*"):
        regex = re.escape(pattern[:-1]) + ".*"
    return re.fullmatch(regex, path)


def folder_of(path):
    """The folder of a file."""
    return str(pathlib.PurePosixPath(path).parent)


def may_include(table, path, include):
    row = next(
        ((left, right.split()) for left, right in table if glob_matches(left, path)), None
    )
    if row is None:
        return False
    left, allowed = row
    stem = include.rsplit(".", 1)[0] == path.rsplit(".", 1)[0]
    own = stem or (left.endswith("/*") and folder_of(include) == folder_of(path))
    return own or any(glob_matches(pattern, include) for pattern in allowed)


def check_layers():
    table = rows("layers")
    src = ROOT / "src"
    graph = {}
    for path in sorted(src.rglob("*.[ch]")):
        name = path.relative_to(src).as_posix()
        check(
            any(glob_matches(left, name) for left, _ in table),
            f"src/{name}: no row in docs/layout.md",
        )
        graph[name] = includes_of(path)
        for include in graph[name]:
            there = (src / include).exists() or (ROOT / "include" / include).exists()
            check(there, f"src/{name} includes {include}: name its folder")
            check(
                may_include(table, name, include), f"src/{name} must not include {include}"
            )
    check_cycles(graph)
    public = {p.name for p in (ROOT / "include").glob("*.h")}
    for folder in (
        "cli",
        "modules/redis",
        "modules/sql",
        "modules/sqlite",
        "modules/postgres",
        "modules/duckdb",
        "bindings/js/c",
        "bench",
    ):
        own_headers = {p.name for p in (ROOT / folder).glob("*.h")} | public
        if folder in ("modules/sqlite", "modules/postgres", "modules/duckdb"):
            own_headers |= {"sql/sql.h"}
        if folder.startswith("bench"):
            own_headers |= {"peer.h"}
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            for include in includes_of(path):
                own = include in own_headers or (path.parent / include).exists()
                check(own, f"{folder}/{path.name} must not include {include}")
    for path in sorted((ROOT / "examples").glob("*.c")):
        check(
            not includes_of(path),
            f"{path.name}: an example must include only public headers of petal",
        )


def check_cycles(graph):
    done = set()

    def visit(name, trail):
        if name in trail:
            check(
                False,
                "includes form a cycle: "
                + " -> ".join(trail[trail.index(name) :] + [name]),
            )
        elif name not in done:
            for include in graph.get(name, ()):
                visit(include, trail + [name])
            done.add(name)

    for name in graph:
        visit(name, [])


def listed(path, prefix):
    """The names in EVERY_KIND or EVERY_FORM."""
    return re.findall(
        r"X\((\w+)\)",
        re.search(
            rf"#define {prefix}\(X\)(.*?)\n\n", (ROOT / path).read_text(), re.S
        ).group(1),
    )


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def check_names():
    """No kind and no form is named outside of its own files: neither its enumerator, its
    functions nor its name as a string; nor in a comment, unless the name is an ordinary
    word."""
    kinds = listed("src/kinds/list.c", "EVERY_KIND")
    forms = listed("src/forms/list.c", "EVERY_FORM")
    check(len(kinds) >= 8 and len(forms) >= 3, "cannot find the lists of kinds and forms")
    exceptions = dict(rows("exceptions"))
    for name in exceptions:
        check(
            (ROOT / name).exists(),
            f"docs/layout.md lists {name} as an exception, but there is no such file",
        )
    used = set()
    paths = [p for folder in FOLDERS for p in sorted((ROOT / folder).rglob("*.[ch]"))]
    for path in paths + sorted((ROOT / "include").glob("*.h")):
        name = path.relative_to(ROOT).as_posix()
        code = without_comments(path.read_text())
        lower = path.read_text().lower()
        for kind in [kind for kind in kinds if kind in lower]:
            if name.startswith(
                (f"src/kinds/{kind}/", f"src/kinds/{kind}.", f"src/kinds/foreign/{kind}")
            ):
                continue
            spelt = (
                name.startswith("src/")
                and kind not in ENGLISH
                and re.search(rf"\b{kind}s?\b", path.read_text(), re.I)
            )
            if spelt or re.search(
                rf'\bPETAL_{kind.upper()}\b|\bpetal__{kind}(_|\b)|"{kind}"|kinds/{kind}\b',
                code,
            ):
                used.add(name)
                check(name in exceptions, f"{name} names the kind {kind}")
        for form in [form for form in forms if form in lower]:
            if name.startswith((f"src/forms/{form}/", f"src/forms/{form}.")):
                continue
            text = re.search(rf'"{form}"', code) and form not in ENGLISH
            if text or re.search(
                rf"\bPETAL_FORM_{form.upper()}\b|\bpetal__(form_)?{form}_", code
            ):
                used.add(name)
                check(name in exceptions, f"{name} names the form {form}")
    for name in GENERIC:
        for kind in kinds:
            check(
                not re.search(
                    rf"\bPETAL_{kind.upper()}\b",
                    without_comments((ROOT / name).read_text()),
                ),
                f"{name} names the kind {kind}",
            )
    for name in exceptions:
        check(
            name in used,
            f"docs/layout.md lists {name} as an exception, but it names no kind or form",
        )


def check_statics():
    """The name of a static function begins with its file, folder or struct."""
    for path in sorted((ROOT / "src").rglob("*.c")):
        nearby = path.read_text() + "".join(p.read_text() for p in path.parent.glob("*.h"))
        structs = set(re.findall(r"(?:struct|enum|union) (\w+)", nearby))
        nouns = (
            {path.stem, path.parent.name}
            | structs
            | {w for s in structs for w in s.split("_")}
        )
        nouns |= {noun.removesuffix("s") for noun in nouns}
        functions = re.findall(
            r"^(?:FLAT |APART |TARGET )?(?:static|INLINE)(?: inline)?(?: TARGET)? "
            r"[\w \*]*?\b(\w+)\(",
            path.read_text(),
            re.M,
        )
        for function in functions:
            good = any(
                function == noun or function.startswith(noun + "_")
                for noun in nouns
                if noun
            )
            check(
                good,
                f"{path.name}: {function}() does not begin with the name of its file, folder or a struct",
            )


def check_lengths():
    for path in sorted((ROOT / "src").rglob("*.[ch]")):
        n = len(path.read_text().splitlines())
        check(n <= 500, f"{path.name} has {n} lines: more than 500")
    n = len((ROOT / "include/petal.h").read_text().splitlines())
    check(n < 500, f"petal.h has {n} lines; it must have fewer than 500")


def check_promises():
    text = "".join(
        p.read_text()
        for folder in ("tests", "fuzz")
        for p in (ROOT / folder).rglob("*")
        if p.suffix in (".c", ".txt", ".py", ".sh")
        and p != pathlib.Path(__file__).resolve()
    )
    tests = {
        name
        for names in re.findall(
            r"\b(\w+)\(void|def (\w+)\(|petal_(?:test|scaled)\((\w+)", text
        )
        for name in names
    }
    rows = [
        line
        for line in (ROOT / "docs/promises.md").read_text().splitlines()
        if line.startswith("| G")
    ]
    check(len(rows) == 8, "docs/promises.md must have eight promises, G1 to G8")
    for row in rows:
        held_by = row.split("|")[3]
        names = re.findall(r"`(\w+)`", held_by)
        check(names, f"{row.split('|')[1].strip()}: no test is named for it")
        for name in names:
            stem = name.removeprefix("fuzz_")
            there = (
                name in tests
                or list(ROOT.glob(f"tests/*/{name}.c"))
                or (ROOT / f"tests/redis/{name.replace('redis_', 'test_')}.py").exists()
                or (name.startswith("fuzz_") and (ROOT / f"fuzz/{stem}.c").exists())
            )
            check(there, f"docs/promises.md names {name}, but there is no such test")


def check_errors():
    header = (ROOT / "include/petal.h").read_text()
    source = (ROOT / "src/api/errors.c").read_text()
    said = dict(re.findall(r'case (PETAL_E_\w+):\s*return "([^"]+)";', source))
    listed = dict(re.findall(r"(PETAL_E_\w+) += +-\d+,? +/\* (.*?) \*/", header))
    check(
        len(listed) > 20 and said.keys() == listed.keys(),
        "errors.c and petal.h have different error codes",
    )
    for code, sentence in listed.items():
        check(said.get(code) == sentence, f"{code}: petal.h says '{sentence}'")


def check_openings():
    for path in (
        sorted(ROOT.glob("src/**/*.[ch]"))
        + sorted(ROOT.glob("tests/**/*.[ch]"))
        + sorted(ROOT.glob("fuzz/*.c"))
        + sorted(ROOT.glob("examples/*.c"))
        + sorted(ROOT.glob("cli/**/*.[ch]"))
        + sorted(ROOT.glob("modules/**/*.[ch]"))
        + sorted(ROOT.glob("bindings/**/*.[ch]"))
    ):
        licence, _, opening = path.read_text()[:500].partition("\n")
        check(
            licence == "/* SPDX-License-Identifier: BSD-2-Clause */",
            f"{path.name}: the first line must be the licence",
        )
        check(
            opening.startswith("/*"),
            f"{path.name} must begin with a comment that explains it",
        )
        if "install" not in path.parts:
            check(
                f" {path.name}:" in opening,
                f"{path.name}: the first comment must name the file",
            )


def check_map():
    drawing = re.search(
        r"```\n(.*?)```", (ROOT / "docs/layout.md").read_text(), re.S
    ).group(1)
    names = [line.split()[0] for line in drawing.splitlines() if not line.startswith("  ")]
    for name in names:
        check(
            (ROOT / name).exists(),
            f"docs/layout.md shows {name} on the map, but it does not exist",
        )
    drawn = {name.split("/")[0] for name in names}
    for path in ROOT.iterdir():
        if (
            path.is_dir()
            and not path.name.startswith(".")
            and path.name not in ("build", "tools", "cmake")
        ):
            check(
                path.name in drawn, f"docs/layout.md does not show {path.name}/ on the map"
            )


def check_topics():
    for folder in ("docs", "cli", "src", "include", "tests", "examples"):
        for path in sorted((ROOT / folder).rglob("*")):
            if (
                path.suffix in (".c", ".h", ".md", ".bats", ".sh", ".py")
                and path.name != "students.md"
            ):
                found = re.search(r"\bS\d+\b", path.read_text())
                check(
                    not found,
                    f"{path.relative_to(ROOT)}: {found and found.group(0)} is for docs/students.md",
                )


def check_version():
    numbers = re.findall(
        r"#define PETAL_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)",
        (ROOT / "include/petal.h").read_text(),
    )
    version = ".".join(numbers)
    newest = (ROOT / "debian/changelog").read_text().split("\n")[0]
    check(
        newest.startswith(f"petal ({version}) "),
        f"debian/changelog: its first line is not for {version}",
    )


check_layers()
check_names()
check_statics()
check_lengths()
check_promises()
check_errors()
check_openings()
check_map()
check_topics()
check_version()
for failure in failures:
    print(failure, file=sys.stderr)
print(f"{passed} passed, {len(failures)} failed")
sys.exit(1 if failures or not passed else 0)
