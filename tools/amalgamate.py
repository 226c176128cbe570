#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""amalgamate.py DIR: writes the library as two files, DIR/petal.c and DIR/petal.h.

petal.h is the public headers, one after the other.  petal.c is everything in src/: first
the headers with include guards, each once and after those that it includes, then the .c
files in the order of their paths.  A header without a guard is a template, and is repeated
wherever it is included.

In one file, the .c files share one scope.  So the script changes four things:

- A static function, type or enumerator that several files define gets the name of its file
  as a suffix, in that file only.  Only tokens are renamed, not comments or strings.
- The macros that a .c file defines are undefined at its end.
- Feature test macros, which must precede the first system header, move to the top.
- Functions and data that files share become hidden, so a shared library exports petal.h
  alone.
"""
import pathlib
import re
import sys
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parents[1]
SRC = ROOT / "src"
PUBLIC = ["petal.h"] + sorted(p.name for p in (ROOT / "include").glob("petal_*.h"))
LICENCE_LINE = "/* SPDX-License-Identifier: BSD-2-Clause */\n"

INCLUDE = re.compile(r'^#[ \t]*include[ \t]*"([^"]+)"[^\n]*\n', re.M)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:\\\n|[^\n])*)", re.M)
GUARD = re.compile(
    r"((?:\s|/\*.*?\*/)*)^#ifndef (\w+)\n#define \2\n(.*)^#endif[^\n]*\s*\Z", re.M | re.S
)
TOKEN = re.compile(
    r"""
    (?P<comment> /\*.*?\*/ | //[^\n]* )
  | (?P<directive> ^[ \t]*\#(?: \\\n | /\*.*?\*/ | [^\n] )* )
  | (?P<text> "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
  | (?P<name> [A-Za-z_]\w* )
  | (?P<number> \.?\d(?:[eEpP][+-]|[\w.])* )
  | (?P<space> \s+ )
  | (?P<mark> -> | . )
""",
    re.X | re.S | re.M,
)


def read(path):
    return path.read_text().removeprefix(LICENCE_LINE)


def tidy(text):
    return re.sub(r"\n{3,}", "\n\n", text.strip("\n")) + "\n"


# ---- Includes ----


def banner(name, more=""):
    return f"/* ---- src/{name}{more} ---- */\n"


def expand(name, text, headers):
    """The text with its templates in place, and without the headers, which are
    collected."""

    def put(match):
        other = match.group(1)
        if other in PUBLIC or other in headers:
            return ""
        inner = read(SRC / other)
        guard = GUARD.match(inner)
        if not guard:
            return f"\n{banner(other)}\n{expand(other, inner, headers)}\n{banner(name, ', continued')}\n"
        headers[other] = None  # from now on it is known
        body = expand(other, guard.group(1) + guard.group(3), headers)
        del headers[other]
        headers[other] = body  # after those that it includes
        return ""

    return INCLUDE.sub(put, text)


def take_features(text):
    """The text without its feature test macros, and those."""
    first = re.search(r"^#[ \t]*include", text, re.M)
    head = text[: first.start()] if first else ""
    lines = re.sub(r"[ \t]*/\*.*?\*/", "", head, flags=re.S).strip() + "\n"
    if not re.search(r"^#define _[A-Z]", lines, re.M):
        return text, ""
    comment = re.match(r"/\*.*?\*/\n", head, re.S).group()
    features = re.sub(r"^(#define (\w+).*)$", r"#ifndef \2\n\1\n#endif", lines, flags=re.M)
    return comment + text[first.start() :], features


# ---- Declarations ----


def tokens_of(text):
    """(kind, word, offset), without comments and spaces."""
    return [
        (t.lastgroup, t.group(), t.start())
        for t in TOKEN.finditer(text)
        if t.lastgroup not in ("comment", "space")
    ]


def nested(words):
    """The words as a tree: whatever is in brackets is a list, which begins with the
    bracket."""
    stack = [[]]
    for word in words:
        if word in ("(", "[", "{"):
            stack.append([word])
        elif word in (")", "]", "}"):
            group = stack.pop()
            stack[-1].append(group)
        else:
            stack[-1].append(word)
    return stack[0]


def declarations(text):
    """(offset, tree) of what is declared or defined at file scope."""
    depth, words, before = 0, [], ""
    for kind, word, offset in tokens_of(text):
        if kind == "directive":
            if depth == 0:
                words = []  # a macro without a semicolon ended here
            continue
        if not words:
            begin = offset
        if depth == 0 and word == "{":
            before = words[-1]
        words.append(word)
        depth += (word in ("(", "[", "{")) - (word in (")", "]", "}"))
        if depth == 0 and (word == ";" or (word == "}" and before == ")")):
            yield begin, nested(words)
            words = []
    assert depth == 0, "brackets do not match: does an #if divide them?"


def is_group(item, bracket):
    return isinstance(item, list) and item[0] == bracket


def is_name(item):
    return isinstance(item, str) and re.fullmatch(r"[A-Za-z_]\w*", item)


class Declaration:
    """The tags and enumerators it defines, the names it declares, and how."""

    def __init__(self, tree):
        self.tags, self.enumerators, self.names = set(), set(), set()
        items = self.without_types(tree)
        self.words = {item for item in items if is_name(item)}
        declarators = [[]]
        for item in items:
            if item == ",":
                declarators.append([])
            elif item != ";" and not is_group(item, "{"):
                declarators[-1].append(item)
        for number, items in enumerate(declarators):
            self.names |= {self.name_in(items, first=number == 0)} - {None}

    def without_types(self, tree):
        """The items, with TYPE for each struct, union or enum, and without attributes."""
        items, i = [], 0
        while i < len(tree):
            if tree[i] in ("struct", "union", "enum"):
                tag = tree[i + 1] if is_name(tree[i + 1]) else None
                enum = tree[i] == "enum"
                i += 1 + (tag is not None)
                if i < len(tree) and is_group(tree[i], "{"):
                    self.tags |= {tag} - {None}
                    if enum:
                        body = [","] + tree[i][1:]
                        self.enumerators |= {
                            b for a, b in zip(body, body[1:]) if a == "," and is_name(b)
                        }
                    i += 1
                items.append("TYPE")
            elif tree[i] in ("__attribute__", "_Alignas", "__extension__"):
                i += 1 + is_group(tree[i + 1], "(")
            else:
                items.append(tree[i])
                i += 1
        return items

    @staticmethod
    def name_in(items, first):
        """The name that a declarator declares; the first one follows its type."""
        if "=" in items:
            items = items[: items.index("=")]
        for i, item in enumerate(items):
            if is_group(item, "("):
                pointer = item[1:2] == ["*"]
                return (
                    next(reversed([x for x in item if is_name(x)]))
                    if pointer
                    else items[i - 1]
                )
        names = [item for item in items if is_name(item)]
        return names[-1] if len(names) > first else None


class Scope:
    """What a text defines at file scope."""

    def __init__(self, text, static_words):
        self.macros = {name for name, _ in DEFINE.findall(text)}
        static_words = static_words | static_macros(text)
        self.tags, self.own, self.shared = set(), set(), []
        for offset, tree in declarations(text):
            d = Declaration(tree)
            self.tags |= d.tags
            self.own |= d.enumerators
            if "typedef" in d.words or d.words & static_words:
                self.own |= d.names - self.macros
            elif d.names and "_Static_assert" not in d.names:
                self.shared.append((offset, d.names))


def static_macros(text):
    return {name for name, body in DEFINE.findall(text) if re.search(r"\bstatic\b", body)}


# ---- Changes ----


def hide(text, scope, public):
    for offset, names in reversed(scope.shared):
        if not names & public:
            text = text[:offset] + "PETAL_INTERNAL " + text[offset:]
    return text


def rename(text, names, tags, suffix):
    """Members keep their names: what follows a dot or an arrow, and what a struct
    declares."""
    tokens = tokens_of(text)
    words = [word for _, word, _ in tokens] + [""]
    pieces, done, bodies = [], 0, []
    for i, (kind, word, offset) in enumerate(tokens):
        before = words[i - 1] if i else ""
        if word == "{":
            bodies.append({"struct", "union"} & set(words[max(i - 2, 0) : i]))
        elif word == "}":
            bodies.pop()
        new = word
        if kind == "directive":
            hash_sign = word.index("#") + 1
            new = word[:hash_sign] + rename(word[hash_sign:], names, tags, suffix)
        elif before in ("struct", "union", "enum"):
            new = word + suffix if word in tags else word
        elif word in names and before not in (".", "->"):
            member = bodies and bodies[-1] and words[i + 1] in (";", ",", "[", ":", ")")
            new = word if member else word + suffix
        pieces += [text[done:offset], new]
        done = offset + len(word)
    return "".join(pieces) + text[done:]


def finish(name, text, scope, taken, taken_tags, public):
    """A .c file whose names are its own."""
    path = pathlib.PurePosixPath(name)
    text = tidy(hide(text, scope, public)) + "".join(
        f"#undef {macro}\n" for macro in sorted(scope.macros)
    )
    return rename(
        text,
        (scope.own | scope.macros) & taken,
        scope.tags & taken_tags,
        f"_{path.parent.name}_{path.stem}",
    )


def taken_twice(headers, units, what):
    """The names that are defined by two files, or by a header."""
    counted = Counter(name for scope in units for name in what(scope))
    return {name for name, n in counted.items() if n > 1}.union(*map(what, headers))


# ---- The two files ----


def opening(title, says):
    licence = (ROOT / "LICENSE").read_text().strip()
    lines = [title, "", *says, "", *licence.splitlines()]
    return (
        LICENCE_LINE
        + "/*\n"
        + "".join(f" * {line}".rstrip() + "\n" for line in lines)
        + " */\n"
    )


def header_file(version):
    says = [
        "Written by tools/amalgamate.py of petal: do not change it here.  It contains",
        f"{', '.join(PUBLIC[:-1])} and {PUBLIC[-1]}.",
    ]
    parts = [opening(f"petal.h: the interface of petal {version} in one file.", says)]
    for name in PUBLIC:
        parts.append(
            f"/* ---- include/{name} ---- */\n\n"
            + tidy(INCLUDE.sub("", read(ROOT / "include" / name)))
        )
    return "\n".join(parts)


SETTINGS = """\
/* Not every file uses every static function of its headers. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"

/* Never fuse a multiplication and an addition: all machines must compute the same sizes. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__FP_FAST_FMA)
#pragma GCC optimize("fp-contract=off")
#endif

/* For functions and data that the files below share.  A shared library does not export them. */
#define PETAL_INTERNAL __attribute__((visibility("hidden")))
"""


def source_file(version):
    headers, units, features = {}, {}, {}
    for path in sorted(SRC.rglob("*.c")):
        name = path.relative_to(SRC).as_posix()
        text, feature = take_features(read(path))
        features[feature] = None
        units[name] = expand(name, text, headers)
    static_words = {"static"}.union(*map(static_macros, headers.values()))
    header_scopes = {name: Scope(text, static_words) for name, text in headers.items()}
    unit_scopes = {name: Scope(text, static_words) for name, text in units.items()}
    both = header_scopes.values(), unit_scopes.values()
    taken = taken_twice(*both, lambda scope: scope.own) | {
        m for s in both[0] for m in s.macros
    }
    taken_tags = taken_twice(*both, lambda scope: scope.tags)
    public = {
        word
        for name in PUBLIC
        for kind, word, _ in tokens_of(read(ROOT / "include" / name))
        if kind == "name"
    }

    says = [
        "Written by tools/amalgamate.py of petal, from src/: do not change it here.  It needs petal.h,",
        "which belongs beside it, and xxhash.h 0.8 or later on the include path.",
        "",
        "    cc -std=c11 -O3 -DNDEBUG -c petal.c     # link with -lm -pthread",
    ]
    parts = [
        opening(f"petal.c: petal {version} in one file.", says),
        "\n".join(features).strip() + "\n",
        SETTINGS,
        '#include "petal.h"\n',
    ]
    for name, text in headers.items():
        parts.append(banner(name) + "\n" + tidy(hide(text, header_scopes[name], public)))
    for name, text in units.items():
        parts.append(
            banner(name)
            + "\n"
            + finish(name, text, unit_scopes[name], taken, taken_tags, public)
        )
    parts.append("#pragma GCC diagnostic pop\n")
    return "\n".join(parts)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: amalgamate.py DIR")
    folder = pathlib.Path(sys.argv[1])
    numbers = re.findall(
        r"^#define PETAL_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)",
        read(ROOT / "include/petal.h"),
        re.M,
    )
    version = ".".join(numbers)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "petal.h").write_text(header_file(version))
    (folder / "petal.c").write_text(source_file(version))


main()
