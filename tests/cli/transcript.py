#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""transcript.py: run the examples of a page and compare their output.

    transcript.py [--with FOLDER]... PETAL PAGE...

It fails if the output differs from the page.  With PETAL_UPDATE=1 it writes the output into
the page, to be read over.  The examples find the files of FOLDER.

In a ```console block, a line that starts with "$ " is a bash command, lines that start with
"> " continue it, and the lines after it are its output, including standard error.  The line
"..." stands for any number of lines, and "…" within a line for any text.  An update
replaces both in an example whose output differs.  All blocks of a page run in one folder,
which is empty at first, or has copies of the files of FOLDER.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def commands_of(block):
    """Returns pairs of a command, possibly of several lines, and its output lines."""
    pairs = []
    for line in block.splitlines():
        if line.startswith("$ "):
            pairs.append([line[2:], []])
        elif line.startswith("> ") and not pairs[-1][1]:
            pairs[-1][0] += "\n" + line[2:]
        else:
            pairs[-1][1].append(line)
    return pairs


def pattern_of(lines):
    parts = []
    for line in lines:
        if line == "...":
            parts.append(r"(?:.*\n)*")
        else:
            parts.append(".*".join(re.escape(piece) for piece in line.split("…")) + r"\n")
    return "".join(parts)


def run_page(page, environment, update, folders):
    text = page.read_text()
    failures = commands = 0
    with tempfile.TemporaryDirectory() as folder:
        for given in folders:
            shutil.copytree(given, folder, dirs_exist_ok=True)
        for match in list(re.finditer(r"```console\n(.*?)```", text, re.S)):
            new = []
            for command, lines in commands_of(match.group(1)):
                done = subprocess.run(
                    ["bash", "-c", command],
                    cwd=folder,
                    env=environment,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
                commands += 1
                output = done.stdout
                good = re.fullmatch(pattern_of(lines), output) is not None
                if not good and not update:
                    failures += 1
                    print(
                        f"{page.name}: $ {command}\n--- expected\n"
                        + "\n".join(lines)
                        + f"\n--- actual\n{output}",
                        file=sys.stderr,
                    )
                new += ["$ " + command.replace("\n", "\n> ")] + (
                    lines if good else output.splitlines()
                )
            if update:
                text = text.replace(
                    match.group(0), "```console\n" + "\n".join(new) + "\n```"
                )
    if update:
        page.write_text(text)
    print(f"{page.name}: {commands} commands, {failures} failed")
    return failures == 0 and commands > 0


def main():
    arguments = sys.argv[1:]
    folders = []
    update = os.environ.get("PETAL_UPDATE") == "1"
    while arguments[:1] == ["--with"]:
        folders += arguments[1:2]
        del arguments[:2]
    if len(arguments) < 2:
        sys.exit("usage: transcript.py [--with FOLDER]... PETAL PAGE...")
    petal, *pages = arguments
    with tempfile.TemporaryDirectory() as tools:
        os.symlink(pathlib.Path(petal).resolve(), pathlib.Path(tools) / "petal")
        environment = dict(
            os.environ, PATH=f"{tools}:{os.environ['PATH']}", LC_ALL="C.UTF-8"
        )
        good = [
            run_page(pathlib.Path(page), environment, update, folders) for page in pages
        ]
    sys.exit(0 if all(good) else 1)


main()
