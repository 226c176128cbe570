#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""reference.py: the reference of the library, made from its headers.

    reference.py HEADER...                 one page of Markdown, on standard output
    reference.py --man FOLDER HEADER...    manual pages: HEADER.3, and one for each function and type

A header is an opening comment, then sections ("/* ---- 3. Using it ---- */").  A section is made of
paragraphs between blank lines: a comment and the declarations below it, or a comment alone, which is
about the whole section.  Within a comment, lines that are indented by four columns after a colon are
code (also after a blank line), and paragraphs that are indented by two columns are items of a list.
What follows the section "Implementation" is left out.
"""
import pathlib
import re
import sys

DATE = "2026-11-17"  # of the last change to what the headers say
SECTION = re.compile(r"/\* ---- (?:\d+\. )?(.*?) -+ \*/")
NAMED = re.compile(
    r"\b(petal_\w+)\(|typedef (?:struct|enum) (petal_\w+)|typedef void \*(petal_\w+)\("
)


class Item:
    """A paragraph of a header: its comment as blocks, and its code."""

    def __init__(self, comment, code):
        self.blocks = blocks_of(comment)
        self.code = code
        found = [
            name for groups in NAMED.findall(declared(code)) for name in groups if name
        ]
        self.names = list(dict.fromkeys(found))


class Section:
    def __init__(self, title):
        self.title = title
        self.items = []


class Header:
    def __init__(self, path):
        self.name = pathlib.Path(path).name
        text = pathlib.Path(path).read_text().split("/* ---- Implementation ")[0]
        opening, rest = re.match(
            r"/\* SPDX.*?\*/\n/\*\n(.*?) \*/\n(.*)", text, re.S
        ).groups()
        lines = [re.sub(r"^ \* ?", "", line) for line in opening.splitlines()]
        self.summary = re.sub(r"^\S+: ", "", lines[0]).rstrip(".")
        self.opening = blocks_of(lines[1:])
        self.sections = [Section("Declarations")]
        for paragraph in paragraphs_of(rest):
            self.read(paragraph)
        self.sections = [s for s in self.sections if s.items]

    def read(self, paragraph):
        heading = SECTION.fullmatch(paragraph[0])
        if heading:
            self.sections.append(Section(heading.group(1)))
            paragraph = paragraph[1:]
        if not paragraph or re.match(r"#(if|endif|ifn?def|include)|extern|}", paragraph[0]):
            return
        end = 0
        if paragraph[0].startswith("/*"):
            end = next(i for i, line in enumerate(paragraph) if line.endswith("*/")) + 1
        comment = [re.sub(r"^/?[ *]\*? ?| ?\*/$", "", line) for line in paragraph[:end]]
        self.sections[-1].items.append(Item(comment, without_export(paragraph[end:])))


def paragraphs_of(text):
    """Lines between blank lines; a comment and a pair of braces hold lines together."""
    found, depth = [[]], 0
    for line in text.splitlines():
        if not line.strip() and depth == 0:
            found.append([])
            continue
        found[-1].append(line)
        depth += line.count("{") - line.count("}") if not line.startswith("extern") else 0
        depth = max(depth, 0)
    return [paragraph for paragraph in found if paragraph]


def declared(code):
    """The code without its comments, bodies of structs and parameters."""
    text = re.sub(r"/\*.*?\*/", "", "\n".join(code), flags=re.S)
    text = re.sub(r"\{.*?\}", "", text, flags=re.S)
    return re.sub(r"\(([^()]*)\)", "()", text)


def without_export(lines):
    """Declarations as a program uses them: without PETAL_API or static inline, and still
    aligned."""
    prefix = re.compile(r"(?:PETAL_API|static inline) ")
    alone = sum(bool(prefix.match(line)) for line in lines) == 1
    out, cut = [], 0
    for line in lines:
        if prefix.match(line):
            whole = line
            line = prefix.sub("", line, count=1)
            if alone:  # nothing to be aligned with
                line = re.sub(r"(?<=\w) {2,}(?=\*?petal_)", " ", line)
            cut = len(whole) - len(line)
        elif line.startswith(" " * cut):
            line = line[cut:]
        out.append(line)
    return out


def blocks_of(lines):
    """A comment as (style, text): "text", "item" or "code"."""
    blocks, fresh, before = [], True, 0
    for line in lines:
        indent = len(line) - len(line.lstrip())
        last = blocks[-1] if blocks else None
        if not line.strip():
            fresh = True
            if last and last[0] == "code":
                last[1].append("")
        elif indent >= 4 and (fresh or last[0] == "code" or last[1][-1].endswith(":")):
            if not last or last[0] != "code":
                blocks.append(("code", []))
            blocks[-1][1].append(line[4:])
            fresh = False
        elif indent in (2, 3) and (
            not last or last[0] != "item" or indent == 2 and line[3] != " "
        ):
            blocks.append(("item", [line.strip()]))
            fresh = False
        elif fresh or not last or last[0] == "code" or (last[0] == "item" and indent == 0):
            blocks.append(("text", [line.strip()]))
            fresh = False
        else:  # a table of results, such as "<0 if it fails", keeps its lines
            row = last[0] == "text" and (
                re.match(r" {6,}[\d<]|Returns \d+ if", line) or indent == 0 < before
            )
            last[1].append(("\n" if row else "") + line.strip())
        before = indent
    for style, content in blocks:
        while style == "code" and content and not content[-1]:
            content.pop()
    return blocks


# ---- Markdown ----


def marked(text, names):
    """Names as code, those of this page as links."""
    text = re.sub(r"`(\w+)`", r"\1", text)
    text = re.sub(
        r"([*_<>|])", lambda m: m.group(0) if m.group(1) == "_" else "\\" + m.group(1), text
    )

    def link(match):
        name = match.group(1)
        shown = f"`{match.group(0)}`"
        return f"[{shown}](#{name})" if name in names else shown

    text = re.sub(r"\b(petal_\w+)\b(?!\.h)(?:\(\)|\.\w+\b)?", link, text)
    return re.sub(r"\b(PETAL_[A-Z_0-9]*\w)", r"`\1`", text)


def markdown_blocks(blocks, names):
    for style, lines in blocks:
        if style == "code":
            yield from ["```c", *lines, "```", ""]
        else:
            text = re.sub(
                r" *\n *", "  \n", re.sub("  +", " ", marked(" ".join(lines), names))
            )
            yield from [("- " if style == "item" else "") + text, ""]


def markdown(headers):
    names = {n for h in headers for s in h.sections for i in s.items for n in i.names}
    out = [
        "# Reference of the C library",
        "",
        "Every function and type, from the comments of the headers. `man 3 petal` shows the same.",
        "",
    ]
    for header in headers:
        out += [
            f"## {header.name}",
            "",
            marked(header.summary, names).capitalize() + ".",
            "",
        ]
        out += markdown_blocks(header.opening, names)
        for section in header.sections:
            out += [f"### {section.title}", ""]
            for item in section.items:
                out += [f'<a id="{name}"></a>' for name in item.names]
                out += [""] if item.names else []
                if item.code:
                    out += ["```c", *item.code, "```", ""]
                out += markdown_blocks(item.blocks, names)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip() + "\n"


# ---- Manual pages ----


def troff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return re.sub(r"^\.", r"\\&.", text, flags=re.M)


def wrapped(text):
    """Each sentence, and what is too long for a line of the source, on the next line."""
    for piece in re.split(r"(?<=[.:?!])  +", text):
        line = ""
        for word in piece.split(" "):
            if len(line) + len(word) > 68:
                yield line
                line = ""
            line += (" " if line else "") + word
        yield line


def man_code(lines):
    return [".PP", ".nf", *[troff(line.rstrip()) for line in lines], ".fi"]


def man_blocks(blocks):
    for style, lines in blocks:
        if style == "code":
            yield from man_code(lines)
            continue
        yield ".IP \\(bu 2" if style == "item" else ".PP"
        for i, part in enumerate(" ".join(lines).split("\n")):
            if i:
                yield ".br"
            for line in wrapped(part.strip()):
                yield re.sub(r"`(\w+)`", r"\\fI\1\\fR", troff(line.strip()))


def page(name, version, body):
    lines = [f'.TH {name.upper()} 3 {DATE} "petal {version}" "Library Functions"', *body]
    text = "\n".join(lines) + "\n"
    text = re.sub(r"(\.S[HS] .*\n)\.PP\n", r"\1", text)  # a heading begins a paragraph
    return re.sub(r"\.PP\n(?=\.PP\n|\.S[HS] )", "", text)


def first_sentence(item, section):
    for style, lines in item.blocks:
        if style == "text":
            sentence = re.split(r"(?<=[.?])\s|\n", " ".join(lines))[0]
            return (sentence[0].lower() + sentence[1:]).rstrip(".").replace("`", "")
    return section.title[0].lower() + section.title[1:]


def man_name(names, summary):
    return [".SH NAME", *wrapped(f"{', '.join(names)} \\- {troff(summary)}")]


def item_page(header, section, item, version):
    body = [
        *man_name(item.names, first_sentence(item, section)),
        ".SH SYNOPSIS",
        ".nf",
        f"#include <{header.name}>",
        ".fi",
        *man_code(item.code),
    ]
    about = list(man_blocks(item.blocks))
    for other in section.items:
        if not other.code:
            about += man_blocks(other.blocks)
    body += [".SH DESCRIPTION", *about] if about else []
    return page(
        item.names[0], version, body + [".SH SEE ALSO", f".BR {header.name[:-2]} (3)"]
    )


def header_page(header, headers, version):
    name = header.name.removesuffix(".h")
    body = [
        *man_name([name], header.summary),
        ".SH SYNOPSIS",
        ".nf",
        f"#include <{header.name}>",
        ".fi",
        ".PP",
        "Link with \\-lpetal.",
        ".SH DESCRIPTION",
        *man_blocks(header.opening),
    ]
    for section in header.sections:
        body.append(f".SH {troff(section.title.upper())}")
        for item in section.items:
            body += man_code(item.code) if item.code else []
            body += man_blocks(item.blocks)
    others = [h.name.removesuffix(".h") for h in headers if h is not header]
    body += [".SH SEE ALSO", ".BR petal (1)" + ("," if others else "")]
    body += [f".BR {other} (3){',' if other != others[-1] else ''}" for other in others]
    return page(name, version, body)


def write_man(folder, headers):
    version = ".".join(
        re.findall(
            r"#define PETAL_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)",
            pathlib.Path(sys.argv[3]).read_text(),
        )
    )
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for header in headers:
        name = header.name.removesuffix(".h")
        (folder / f"{name}.3").write_text(header_page(header, headers, version))
        for section in header.sections:
            for item in section.items:
                if not item.names:
                    continue
                first = item.names[0]
                (folder / f"{first}.3").write_text(
                    item_page(header, section, item, version)
                )
                for other in item.names[1:]:
                    (folder / f"{other}.3").write_text(f".so man3/{first}.3\n")


def main():
    if sys.argv[1:2] == ["--man"]:
        write_man(sys.argv[2], [Header(path) for path in sys.argv[3:]])
    else:
        sys.stdout.write(markdown([Header(path) for path in sys.argv[1:]]))


main()
