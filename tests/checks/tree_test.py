#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tree_test.py: every rule of tree.py and site.py can fail.

In a copy of the tree, it breaks rules in different files at the same time.  The checker
must report each with the expected message, and must report nothing for the unchanged copy.
"""
import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# file, text to append (or a pair: text to replace and its replacement), expected message
WRONG = [
    (
        "src/api/errors.c",
        '#include "kinds/ribbon/ribbon.h"\n',
        "api/errors.c must not include kinds/ribbon/ribbon.h",
    ),
    ("src/core/bits.c", '#include "os/os.h"\n', "core/bits.c must not include os/os.h"),
    (
        "src/core/bits.c",
        '#include "core/filter.h"\n',
        "core/bits.c must not include core/filter.h",
    ),
    (
        "src/api/errors.c",
        '#include "api/api.h"\n',
        "api/errors.c must not include api/api.h",
    ),
    (
        "src/forms/ip.c",
        "# include <core/kind.h>\n",
        "forms/ip.c must not include core/kind.h",
    ),
    (
        "bench/bench.c",
        '#include "core/filter.h"\n',
        "bench/bench.c must not include core/filter.h",
    ),
    (
        "examples/demo.c",
        '#include "support.h"\n',
        "an example must include only public headers",
    ),
    (
        "docs/layout.md",
        ("```layers\nsimd/*", "```layers\nother/*"),
        "no row in docs/layout.md",
    ),
    (
        "docs/layout.md",
        ("```exceptions\n", "```exceptions\nsrc/gone.c : for no reason\n"),
        "but there is no such file",
    ),
    (
        "docs/layout.md",
        ("README.md    ", "NOTHING.md   "),
        "docs/layout.md shows NOTHING.md",
    ),
    (
        "src/kinds/classic.c",
        '#include "kinds/blocked/blocked.h"\n',
        "must not include kinds/blocked/blocked.h",
    ),
    (
        "src/forms/ip.c",
        '#include "core/kind.h"\n',
        "forms/ip.c must not include core/kind.h",
    ),
    ("src/kinds/bitmap.c", '#include "sizing.h"\n', "name its folder"),
    ("src/core/kind.h", '#include "core/filter.h"\n', "includes form a cycle"),
    (
        "cli/info.c",
        '#include "core/filter.h"\n',
        "cli/info.c must not include core/filter.h",
    ),
    (
        "src/bulk/batch.c",
        "int batch_is(int kind) { return kind == PETAL_BLOCKED; }\n",
        "src/bulk/batch.c names the kind blocked",
    ),
    (
        "src/core/image.c",
        "/* ribbons are different */\n",
        "src/core/image.c names the kind ribbon",
    ),
    (
        "src/api/use.c",
        "int use_url(int form) { return form == PETAL_FORM_URL; }\n",
        "src/api/use.c names the form url",
    ),
    (
        "cli/info.c",
        'const char *kind = "scalable";\n',
        "cli/info.c names the kind scalable",
    ),
    (
        "modules/redis/filter.c",
        "int f(int kind) { return kind == PETAL_SPLIT; }\n",
        "modules/redis/filter.c names the kind split",
    ),
    (
        "tests/kinds/property.c",
        "int f(int kind) { return kind == PETAL_SPLIT; }\n",
        "tests/kinds/property.c names the kind split",
    ),
    (
        "docs/layout.md",
        ("```exceptions\n", "```exceptions\nsrc/core/bits.c : for no reason\n"),
        "but it names no kind or form",
    ),
    (
        "src/core/bits.c",
        "static int other(void)\n{\n    return 0;\n}\n",
        "does not begin with the name of its file",
    ),
    ("src/core/bits.c", "\n" * 500, "more than 500"),
    ("include/petal.h", "\n" * 100, "it must have fewer than 500"),
    (
        "src/api/errors.c",
        ('"out of memory"', '"no memory"'),
        "PETAL_E_MEMORY: petal.h says",
    ),
    (
        "docs/promises.md",
        ("`contract_test`", "`no_such_test`"),
        "but there is no such test",
    ),
    (
        "src/core/bits.c",
        ("/*\n * bits.c:", "/*\n * whole arrays:"),
        "the first comment must name the file",
    ),
    ("src/core/bits.c", ("/* SPDX", "/* Licence"), "the first line must be the licence"),
    (
        "debian/changelog",
        ("petal (", "petal (9"),
        "debian/changelog: its first line is not for",
    ),
    (
        "docs/math.md",
        "Topic " "S" "7 of the notes.\n",
        "docs/math.md: S" "7 is for docs/students.md",
    ),
]

WRONG_SITE = [
    ("docs/math.md", "\n[gone](gone.md)\n", "docs/math.md: no such file: gone.md"),
    (
        "docs/math.md",
        "\n[gone](choosing.md#gone)\n",
        "docs/math.md: no such heading: choosing.md#gone",
    ),
    (
        "docs/math.md",
        "\n[gone](choosing.md#gone)\n",
        "math.html: dead anchor: choosing.html#gone",
    ),
    ("docs/math.md", "\n[license](../LICENSE)\n", "the site has no ../LICENSE"),
    (
        "docs/math.md",
        '\n<img src="https://example.com/x.png">\n',
        "math.html loads https://example.com/x.png",
    ),
    (
        "README.md",
        "\n[gone](docs/math.md#gone)\n",
        "README.md: no such heading: docs/math.md#gone",
    ),
    ("mkdocs.yml", ("  - Math: math.md\n", ""), "docs/math.md is not in the nav"),
    ("mkdocs.yml", ("  - Math: math.md\n", "  - Math: maths.md\n"), "WARNING"),
    (
        "tools/site/assets/petal.css",
        '@import "https://example.com/font.css";\n',
        "petal.css loads https://example.com/font.css",
    ),
]


def say(checker, tree):
    env = dict(os.environ, PETAL_TREE=str(tree))
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/checks" / checker)],
        env=env,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


def broken(path, change):
    """The text of a file with this change."""
    before = path.read_text()
    if isinstance(change, tuple):
        assert change[0] in before, f"{path}: does not contain {change[0]}"
        return before.replace(*change, 1)
    return before + change


def rounds(rows):
    """The rows in rounds, so that each round changes a file only once."""
    seen, by_round = collections.Counter(), collections.defaultdict(list)
    for row in rows:
        by_round[seen[row[0]]].append(row)
        seen[row[0]] += 1
    return by_round.values()


def try_round(checker, tree, rows):
    """Breaks the rules of these rows, and returns how many the checker does not report."""
    before = {name: (tree / name).read_text() for name, _, _ in rows}
    for name, change, _ in rows:
        (tree / name).write_text(broken(tree / name, change))
    status, said = say(checker, tree)
    for name, text in before.items():
        (tree / name).write_text(text)
    missing = [
        (name, expected)
        for name, _, expected in rows
        if status == 0 or expected not in said
    ]
    for name, expected in missing:
        print(f"{name}: {checker} did not say '{expected}', but:\n{said}", file=sys.stderr)
    return len(missing)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "petal"
        shutil.copytree(
            ROOT, tree, ignore=shutil.ignore_patterns("build", ".git", "golden", "corpus")
        )
        for checker, wrong in (("tree.py", WRONG), ("site.py", WRONG_SITE)):
            status, said = say(checker, tree)
            if status != 0:
                sys.exit(f"{checker} fails without any change:\n{said}")
            failed += sum(try_round(checker, tree, rows) for rows in rounds(wrong))
    print(f"{len(WRONG) + len(WRONG_SITE) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
