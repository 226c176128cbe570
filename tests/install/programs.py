#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""programs.py: compiles and runs the programs of a page.

    programs.py PAGE FLAG...

Each must print what the page says.  With PETAL_UPDATE=1 what they print is written into the
page, to be read over.

Every ```c or ```cpp block of the page is a complete program, which must compile.  If a
```text block comes next, the program must print just that, where "…" stands for any text.
The flags are for the compiler.  All programs run in one folder, which is empty at first.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

COMPILERS = {"c": ["cc", "-std=c11"], "cpp": ["c++", "-std=c++11"]}
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
PROGRAM = re.compile(r"^```(c|cpp)\n(.*?)^```\n(?:\n```text\n(.*?)```\n)?", re.S | re.M)


def compiles(language, program, flags, folder):
    source = folder / f"program.{language}"
    source.write_text(program)
    command = [*COMPILERS[language], *WARNINGS, "-o", "program", source, *flags]
    return subprocess.run(command, cwd=folder).returncode == 0


def printed_by(program, folder):
    done = subprocess.run([program], cwd=folder, stdout=subprocess.PIPE, text=True)
    return (
        done.stdout if done.returncode == 0 else f"{done.stdout}status {done.returncode}\n"
    )


def main():
    update = os.environ.get("PETAL_UPDATE") == "1"
    if len(sys.argv) < 2:
        sys.exit("usage: programs.py PAGE FLAG...")
    page, *flags = sys.argv[1:]
    page = pathlib.Path(page)
    text = page.read_text()
    failures = []
    found = list(PROGRAM.finditer(text))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for match in found:
            language, program, wanted = match.groups()
            place = f"{page}:{text.count(chr(10), 0, match.start()) + 1}"
            if not compiles(language, program, flags, folder):
                failures.append(f"{place}: does not compile")
            elif wanted is not None:
                printed = printed_by(folder / "program", folder)
                if re.fullmatch(".*".join(map(re.escape, wanted.split("…"))), printed):
                    continue
                failures.append(f"{place}: should print\n{wanted}--- printed\n{printed}")
                if update:
                    new = match.group(0).replace(
                        f"```text\n{wanted}", f"```text\n{printed}"
                    )
                    page.write_text(page.read_text().replace(match.group(0), new))
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{page.name}: {len(found)} programs, {len(failures)} failed")
    sys.exit(1 if failures or not found else 0)


main()
