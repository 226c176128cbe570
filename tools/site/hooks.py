# SPDX-License-Identifier: BSD-2-Clause
"""hooks.py: adapts the pages, which are written for GitHub, to the site.

- A <picture> with a light and a dark image follows the reader's system on GitHub.  The site
  has a switch of its own, so here it becomes two images, of which the style sheet shows
  one.
- In tables a range such as 1.2–1.4 stays on one line, long names break after an underscore,
  and `\\|` in code is a bar, as on GitHub.
- Short code in a sentence, such as an option, stays on one line.
- A browser does not let a page that is opened as a file fetch the search index.  It may
  load a script, so the index is also written as one (tools/site/main.html uses it).
- The page reference.md is not in docs/: tools/reference.py makes it from the headers.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATED = tempfile.TemporaryDirectory()  # pages that are made here; removed at the end

PICTURE = re.compile(
    r'<picture>\s*<source [^>]*srcset="([^"]+)"[^>]*>\s*'
    r'<img alt="([^"]*)" src="([^"]+)"[^>]*>\s*</picture>'
)


def on_files(files, config, **_):
    headers = sorted((ROOT / "include").glob("*.h"))  # petal.h comes first
    page = subprocess.run(
        [sys.executable, ROOT / "tools/reference.py", *headers],
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    pathlib.Path(GENERATED.name, "reference.md").write_bytes(page)
    files.append(
        File(
            "reference.md", GENERATED.name, config["site_dir"], config["use_directory_urls"]
        )
    )
    return files


def on_page_markdown(markdown, **_):
    return PICTURE.sub(r"![\2](\3#only-light)![\2](\1#only-dark)", markdown)


def table_cell(match):
    cell = re.sub(r"\(?\d[\d.]*–\d[\d.]*\)?", r'<span class="range">\g<0></span>', match[0])
    return re.sub(
        r"<code>.*?</code>",
        lambda code: code[0].replace("\\|", "|").replace("_", "_<wbr>"),
        cell,
    )


def on_post_page(output, **_):  # after the search has read the page
    output = re.sub(
        r"<code>([^<\n]{1,24})</code>", r'<code class="short">\1</code>', output
    )
    return re.sub(r"<t[dh][ >].*?</t[dh]>", table_cell, output, flags=re.S)


def on_post_build(config, **_):
    index = pathlib.Path(config["site_dir"], "search/search_index.json")
    script = f"var __search = {{index: Promise.resolve({index.read_text()})}};\n"
    index.with_suffix(".js").write_text(script)
