# SPDX-License-Identifier: BSD-2-Clause
"""hooks.py: what mkdocs does beyond its own work, so that the pages read well on GitHub and here.

- A <picture> with a light and a dark image follows the reader's system on GitHub.  The site has a
  switch of its own, so here it becomes two images, of which the style sheet shows one.
- A browser does not let a page that is opened as a file fetch the search index.  It may load a
  script, so the index is also written as one (tools/site/main.html uses it).
"""
import pathlib
import re

PICTURE = re.compile(r'<picture>\s*<source [^>]*srcset="([^"]+)"[^>]*>\s*'
                     r'<img alt="([^"]*)" src="([^"]+)"[^>]*>\s*</picture>')


def on_page_markdown(markdown, **_):
    return PICTURE.sub(r"![\2](\3#only-light)![\2](\1#only-dark)", markdown)


def on_post_build(config, **_):
    index = pathlib.Path(config["site_dir"], "search/search_index.json")
    script = f"var __search = {{index: Promise.resolve({index.read_text()})}};\n"
    index.with_suffix(".js").write_text(script)
