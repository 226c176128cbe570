#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""site.py: checks the documentation, as GitHub shows it and as `make site` builds it.

- mkdocs builds the site without a warning, and mkdocs.yml lists every page of docs/;
- every link and every anchor in the built pages leads somewhere;
- the built pages load nothing from another host: no fonts, scripts, styles or images;
- every link and anchor in docs/, README.md and CONTRIBUTING.md works on GitHub too.  A page
  of docs/ links only to docs/, since the site has nothing else.
"""
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(
    os.environ.get("PETAL_TREE") or pathlib.Path(__file__).resolve().parents[2]
)
passed = 0
failures = []


def check(good, message):
    global passed
    if good:
        passed += 1
    else:
        failures.append(message)


def is_external(target):
    return re.match(r"[a-z]+:|//", target) is not None


# ---- As GitHub shows it ----


def without_code(text):
    text = re.sub(r"^( *)```.*?^\1```", "", text, flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", "", text)


def github_anchors(path):
    """The anchors of a page's headings, by GitHub's rules."""
    text = re.sub(r"^( *)```.*?^\1```", "", path.read_text(), flags=re.S | re.M)
    anchors = set()
    for heading in re.findall(r"^#{1,6} +(.*?) *$", text, re.M):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        number = 0
        while anchor + (f"-{number}" if number else "") in anchors:
            number += 1
        anchors.add(anchor + (f"-{number}" if number else ""))
    return anchors


def check_source(page):
    name = page.relative_to(ROOT)
    text = without_code(page.read_text())
    targets = re.findall(r"\]\(<?([^)\s>]+)", text) + re.findall(
        r'(?:href|src|srcset)="([^"]+)"', text
    )
    for target in targets:
        if is_external(target):
            continue
        place, _, anchor = target.partition("#")
        to = (page.parent / place).resolve() if place else page
        check(to.exists(), f"{name}: no such file: {target}")
        if name.parts[0] == "docs":
            check(
                ROOT / "docs" in to.parents,
                f"{name}: the site has no {target}: link to a page of docs/",
            )
        if anchor and to.suffix == ".md" and to.exists():
            check(anchor in github_anchors(to), f"{name}: no such heading: {target}")


# ---- As the site ----


class Page(html.parser.HTMLParser):
    """The anchors of a page, its links, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = {"", "__top"}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors.update(
            attributes[key] for key in ("id", "name") if attributes.get(key)
        )
        for key in ("href", "src", "srcset"):
            if attributes.get(key):
                (self.links if tag == "a" else self.loads).append(attributes[key])


def build(folder):
    if not shutil.which("mkdocs"):
        sys.exit("site.py: mkdocs is not installed; make site installs it")
    done = subprocess.run(
        ["mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    warnings = [
        line for line in done.stdout.splitlines() if "WARNING" in line or "ERROR" in line
    ]
    check(
        done.returncode == 0 and not warnings,
        "mkdocs: " + ("\n".join(warnings) or done.stdout),
    )


def check_built(site):
    pages = {path: Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    check(len(pages) > 5, "the site has hardly any page")
    for path, page in pages.items():
        name = path.relative_to(site)
        for target in page.loads:
            check(
                not is_external(target) or target.startswith("data:"),
                f"{name} loads {target}",
            )
        for target in page.links + page.loads:
            if is_external(target):
                continue
            place, _, anchor = urllib.parse.unquote(target).partition("#")
            to = (
                site / place[1:]
                if place.startswith("/")
                else path.parent / place
                if place
                else path
            )
            to = to.resolve() / "index.html" if to.is_dir() else to.resolve()
            check(to.exists(), f"{name}: dead link: {target}")
            if to in pages:
                check(anchor in pages[to].anchors, f"{name}: dead anchor: {target}")
    for path in site.rglob("*.css"):
        for target in re.findall(
            r"(?:url\(|@import)\s*[\"']?([^\"')\s;]+)", path.read_text()
        ):
            check(not re.match(r"https?:|//", target), f"{path.name} loads {target}")


def check_nav():
    listed = re.findall(r"^ +- .*?([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M)
    for path in sorted((ROOT / "docs").rglob("*.md")):
        check(
            path.name in listed, f"{path.relative_to(ROOT)} is not in the nav of mkdocs.yml"
        )


def main():
    for page in [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    ]:
        check_source(page)
    check_nav()
    with tempfile.TemporaryDirectory() as folder:
        build(folder)
        check_built(pathlib.Path(folder).resolve())
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{passed} passed, {len(failures)} failed")
    sys.exit(1 if failures or not passed else 0)


main()
