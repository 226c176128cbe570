#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""logs_model.py: compare how petal reads logs with a model of a few lines of Python.

    logs_model.py PETAL squid      columns that are padded with blanks
    logs_model.py PETAL apache     the combined log of Apache, also split at its quotes
    logs_model.py PETAL jsonl      JSON, one object per line
    logs_model.py PETAL csv        a table with quotes, newlines in fields and malformed rows
    logs_model.py PETAL delimited  tabs, and a delimiter of several characters
    logs_model.py PETAL text       --extract url, ip, domain and regular expressions
    logs_model.py PETAL within     --extract inside of fields
    logs_model.py PETAL within-json  --extract inside of values in JSON

The logs are random, with a fixed seed.  The model knows the keys of each record because it
made them.  For each way to select keys, petal normalize must print exactly these keys, and
petal check exactly the records that have one of them in a set.  The filters have a rate so
low that no false positive is expected in any of the runs.

The files are written to a temporary folder.  Each log has 2,000 records and at least three
blocks of 64 KiB, so that records cross the boundaries of the blocks in which petal reads.
"""
import csv
import functools
import io
import ipaddress
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

LINES = 2000
BLOCK = 64 << 10
RATE = "1e-6"
THREADS = ("1", "4")


# ---- What a key is ----


def raw_normal(key):
    return key


@functools.cache
def url_normal(key):
    """A URL as the generator below writes it."""
    text = re.sub(r"^[A-Za-z]+://", "", key.split("#")[0])
    host, slash, path = text.partition("/")
    host = re.sub(r":\d+$", "", host).lower()
    if not re.fullmatch(r"[a-z0-9.-]+", host):
        return None
    path = re.sub(r"/(\./)+", "/", slash + path)
    return host + (path or "/")


@functools.cache
def ip_normal(key):
    try:
        net = ipaddress.ip_network(key, strict=False)
    except ValueError:
        return None
    whole = net.prefixlen == net.max_prefixlen
    return str(net.network_address) if whole else str(net)


@functools.cache
def url_lookups(normal):
    """The URL and its parents: each host, the shortest parent first, with each path."""
    host, _, rest = normal.partition("/")
    path, question, _ = rest.partition("?")
    labels = host.split(".")
    hosts = [host]
    if not re.fullmatch(r"[\d.]+", host):
        hosts += [".".join(labels[-n:]) for n in range(2, min(6, len(labels)))]
    folders = path.split("/")[:-1]
    paths = ["/" + rest] + ["/" + path] * bool(question)
    paths += ["/" + "".join(f + "/" for f in folders[:n]) for n in range(len(folders) + 1)][
        :4
    ]
    return list(dict.fromkeys(h + p for h in hosts for p in paths))


@functools.cache
def ip_lookups(normal):
    net = ipaddress.ip_network(normal)
    return [normal] + [
        str(net.supernet(new_prefix=n)) for n in range(net.prefixlen - 1, -1, -1)
    ]


FORMS = {
    "raw": (raw_normal, lambda normal: [normal]),
    "url": (url_normal, url_lookups),
    "ip": (ip_normal, ip_lookups),
}


# ---- Keys to choose from ----


class Pool:
    def __init__(self, r):
        self.r = r
        word = lambda: "".join(
            r.choice("abcdefghijklmnop") for _ in range(r.randrange(3, 9))
        )
        self.words = [word() for _ in range(400)]
        self.hosts = [
            ".".join(r.choice(self.words) for _ in range(r.choice([1, 1, 2, 2, 3, 6])))
            + "."
            + r.choice(["com", "org", "example", "co.uk"])
            for _ in range(300)
        ]
        self.pages = [self.page() for _ in range(900)]

    def page(self):
        r = self.r
        path = "".join("/" + r.choice(self.words) for _ in range(r.choice([0, 1, 2, 3, 7])))
        return (
            r.choice(self.hosts),
            path + r.choice(["/", "", ".html"] if path else ["/", ""]),
            r.choice(["", "", "?q=1&x=a/b", "?" + r.choice(self.words)]),
        )

    def url(self, scheme=None):
        """A page in one of many spellings."""
        r = self.r
        host, path, query = r.choice(self.pages)
        path = path or "/" * bool(query)
        if r.random() < 0.2:
            host = host.title()
        if r.random() < 0.2:
            host += r.choice([":80", ":443", ":8080"])
        if r.random() < 0.1:
            path = path.replace("/", "/./", 1)
        return (
            (scheme or r.choice(["http://", "https://", "HTTP://"]))
            + host
            + path
            + query
            + r.choice(["", "", "", "#top" if path else ""])
        )

    def ip4(self):
        r = self.r
        return f"{r.choice([10, 11, 192, 203])}.{r.randrange(40)}.{r.randrange(4)}.{r.randrange(256)}"

    def ip6(self):
        r = self.r
        text = f"2001:db8:{r.randrange(64):x}::{r.randrange(99):x}:{r.randrange(1, 9999):x}"
        return r.choice([text, text.upper(), ipaddress.ip_address(text).exploded])

    def ip(self):
        return self.ip4() if self.r.random() < 0.8 else self.ip6()

    def subset(self, form, normals):
        """Some of the keys, and some of their parents; never so many that most lines
        match."""
        r = self.r
        normals = [
            key for key in normals if "\0" not in key
        ]  # which ends a key in the file
        some = set(r.sample(normals, max(1, len(normals) // 25)))
        for key in r.sample(normals, max(1, len(normals) // 50)):
            above = FORMS[form][1](key)
            if form == "url":
                some.add(r.choice(above))
            elif form == "ip":
                some.add(r.choice(above[1:13]))
        return some


# ---- Records ----


@dataclass
class Record:
    raw: bytes  # as in the file, without the end of the line
    line: int
    columns: dict = field(default_factory=dict)  # name of a field: the texts that it has
    row: list = None  # of a table
    broken: bool = False


@dataclass
class Log:
    path: str
    records: list
    header: list = None
    objects: bool = False


class Writer:
    """Writes the lines of a log, and counts them as an editor does."""

    def __init__(self, path, end=b"\n"):
        self.path, self.end, self.records, self.line, self.out = path, end, [], 1, []

    def put(self, raw, columns=None, end=None, record=True, **more):
        raw = raw.encode() if isinstance(raw, str) else raw
        end = self.end if end is None else end
        if record:
            self.records.append(Record(raw + end[:-1], self.line, columns or {}, **more))
        self.out.append(raw + end)
        self.line += (raw + end).count(b"\n")

    def log(self, **more):
        data = b"".join(self.out)
        assert len(data) > 3 * BLOCK, self.path
        with open(self.path, "wb") as f:
            f.write(data)
        return Log(self.path, self.records, **more)


def selected(record, fields, extract):
    """The keys of a record, as (field, key); None if it has none of the fields."""
    found = [(name, text) for name in fields for text in record.columns.get(name, [])]
    if record.broken or not found:
        return None
    return (
        found
        if not extract
        else [(name, key) for name, text in found for key in extract(text)]
    )


# ---- The checks ----


def run(*args, status=(0, 1)):
    done = subprocess.run([PETAL, *args], stdin=subprocess.DEVNULL, capture_output=True)
    assert done.returncode in status, (args, done)
    return done.stdout


def same(actual, expected, what):
    if actual == expected:
        return
    a, e = actual, expected
    if isinstance(a, bytes):
        a, e = a.split(b"\n"), e.split(b"\n")
    for i, (x, y) in enumerate(zip(a, e)):
        if x != y:
            sys.exit(f"{what}\nat {i}\nactual:   {x!r:.1500}\nexpected: {y!r:.1500}")
    sys.exit(
        f"{what}\n{len(a)} instead of {len(e)}; the next is "
        f"{(a[len(e):] or e[len(a):])[0]!r:.1500}"
    )


def unique(pairs):
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), names
    return dict(pairs)


def parse(text):
    return json.loads(text, object_pairs_hook=unique)


class Case:
    """One log, one way to select keys, one form."""

    def __init__(self, log, args, fields, form, extract=None):
        self.log, self.args, self.form = log, [*args, log.path], form
        self.normal, self.lookups = FORMS[form]
        self.many = len(fields) > 1
        self.extracts = bool(extract)
        self.rows = []  # (record, [(field, key, normalized)])
        for record in log.records:
            keys = selected(record, fields, extract)
            if keys is None:
                continue
            good = [
                (f, k, n)
                for f, k, n in ((f, k, self.normal(k)) for f, k in keys)
                if n is not None
            ]
            if good or (not keys and self.extracts):
                self.rows.append((record, good))
        self.what = f"{log.path} {' '.join(args)} --form {form}"

    def normals(self):
        return sorted({n for _, keys in self.rows for _, _, n in keys})

    def hits(self, keys, members):
        return [(f, k, n, m) for f, k, n in keys for m in self.lookups(n) if m in members]

    def check(self, pool):
        a, b = (pool.subset(self.form, self.normals()) for _ in range(2))
        b |= set(pool.r.sample(sorted(a), len(a) // 3))
        for path, members in ("a.petal", a), ("b.petal", b):
            with open("members", "wb") as f:
                f.write(b"".join(m.encode() + b"\0" for m in sorted(members)))
            run(
                "build",
                "--quiet",
                "--force",
                "-0",
                "--list",
                "plain",
                "--form",
                self.form,
                "-p",
                RATE,
                "-o",
                path,
                "members",
                status=[0],
            )
        found = [(r, keys, self.hits(keys, a), self.hits(keys, b)) for r, keys in self.rows]
        maybe = [(r, keys, hits) for r, keys, hits, _ in found if hits]
        no = [(r, keys) for r, keys, hits, _ in found if not hits]
        assert 20 < len(maybe) < len(found) / 2 and len(no) > 20, (
            self.what,
            len(maybe),
            len(no),
        )
        self.check_keys()
        self.check_lines(maybe, no)
        self.check_json(maybe, no)
        self.check_filters(found)

    def petal(self, *args, threads="4"):
        return run("check", "--quiet", "--threads", threads, *args, *self.args)

    def check_keys(self):
        args = ["normalize", "--quiet", "--form", self.form, *self.args]
        expected = b"".join(n.encode() + b"\n" for _, keys in self.rows for _, _, n in keys)
        same(run(*args), expected, f"normalize {self.what}")
        if not self.extracts and all(k for _, keys in self.rows for _, k, _ in keys):
            same(
                run(*args, "--list", "plain"),
                expected,
                f"normalize --list plain {self.what}",
            )
        same(
            [parse(line) for line in run(*args, "--json").splitlines()],
            [
                {"file": self.log.path, "line": r.line, "key": k, "normalized": n}
                for r, keys in self.rows
                for _, k, n in keys
            ],
            f"normalize --json {self.what}",
        )

    # -- As text --

    def label(self, name, matched):
        return f"{name}={matched}" if self.many else matched

    def whys(self, hits):
        return list(dict.fromkeys(self.label(f, m) for f, _, _, m in hits))

    def check_lines(self, maybe, no):
        for options in [], ["-v"]:
            same(
                self.petal(*options, "a.petal", threads="1"),
                self.petal(*options, "a.petal", threads="4"),
                f"threads {self.what}",
            )
        same(self.petal("-c", "a.petal"), b"%d\n" % len(maybe), f"-c {self.what}")
        same(self.petal("-vc", "a.petal"), b"%d\n" % len(no), f"-vc {self.what}")
        if self.log.header:
            return self.check_table(maybe, no)
        path = self.log.path.encode()
        text = (
            lambda r, before=b"", why=(): before
            + (
                r.raw[:-1] + why[0].encode() + b"\r"
                if why and r.raw.endswith(b"\r")
                else r.raw + b"".join(w.encode() for w in why)
            )
            + b"\n"
        )
        for options, expected in (
            ([], [text(r) for r, _, _ in maybe]),
            (["-v"], [text(r) for r, _ in no]),
            (["-n"], [text(r, b"%d:" % r.line) for r, _, _ in maybe]),
            (["-H"], [text(r, path + b":") for r, _, _ in maybe]),
            (["-nH"], [text(r, path + b":%d:" % r.line) for r, _, _ in maybe]),
            (["-vn"], [text(r, b"%d:" % r.line) for r, _ in no]),
            (["--why"], [text(r, why=["\t" + self.whys(h)[0]]) for r, _, h in maybe]),
            (
                ["--why=all"],
                [
                    text(r, why=["".join("\t" + w for w in self.whys(h))])
                    for r, _, h in maybe
                ],
            ),
        ):
            same(
                self.petal(*options, "a.petal"),
                b"".join(expected),
                f"check {' '.join(options)} {self.what}",
            )

    def check_table(self, maybe, no):
        """As text, rows are the same bytes; with more columns, the table has the same
        fields."""
        header, path = self.log.header, self.log.path
        head = self.log.head + b"\n"
        same(
            self.petal("a.petal"),
            head + b"".join(r.raw + b"\n" for r, _, _ in maybe),
            f"check {self.what}",
        )
        same(
            self.petal("-v", "a.petal"),
            head + b"".join(r.raw + b"\n" for r, _ in no),
            f"check -v {self.what}",
        )
        for options, before, after in (
            (["-n"], ["line"], None),
            (["-H"], ["file"], None),
            (["-nH"], ["file", "line"], None),
            (["--why"], [], lambda h: self.whys(h)[0]),
            (["--why=all"], [], lambda h: " ".join(self.whys(h))),
        ):
            rows = [before + header + ["matched"] * bool(after)]
            for r, _, hits in maybe:
                values = {"line": str(r.line), "file": path}
                rows.append(
                    [values[name] for name in before]
                    + r.row
                    + ([after(hits)] if after else [])
                )
            table = self.petal(*options, "a.petal").decode()
            same(
                list(
                    csv.reader(
                        io.StringIO(table, newline=""),
                        delimiter=self.log.delimiter,
                        strict=True,
                    )
                ),
                rows,
                f"check {' '.join(options)} {self.what}",
            )

    # -- As JSON --

    def report(self, record, answer, hits, keys, filters, every=False):
        r = {"file": self.log.path, "line": record.line}
        if not self.log.objects:
            r["text"] = record.raw.removesuffix(b"\r").decode()
        r["answer"] = answer
        first = hits[0][:3] if hits else keys[0] if keys else None
        if first:
            if first[0]:
                r["field"] = first[0]
            r["key"], r["normalized"] = first[1:3]
        if hits:
            r["matched"] = hits[0][3]
            r["filters"] = filters
        if every:
            r["matches"] = [
                {
                    **({"field": f} if f else {}),
                    "key": k,
                    "matched": m,
                    "filter": filters[0],
                }
                for f, k, _, m in hits
            ]
        return r

    def check_json(self, maybe, no):
        for options, rows in (
            (["--json"], [(r, "maybe", h, keys, ["a.petal"]) for r, keys, h in maybe]),
            (
                ["--json", "--why=all"],
                [(r, "maybe", h, keys, ["a.petal"], True) for r, keys, h in maybe],
            ),
            (["--json", "-v"], [(r, "no", [], keys, []) for r, keys in no]),
        ):
            out = self.petal(*options, "a.petal").split(b"\n")[:-1]
            same(len(out), len(rows), f"{options} {self.what}")
            for line, row in zip(out, rows):
                actual = parse(line)
                if self.log.objects:
                    report = actual.pop("petal")
                    same(actual, parse(row[0].raw), f"{options} {self.what}")
                    actual = report
                if "text" in actual:
                    actual["text"] = actual["text"].removesuffix("\r")
                same(
                    sorted(actual.items()),
                    sorted(self.report(*row).items()),
                    f"check {' '.join(options)} {self.what}",
                )
        count = parse(self.petal("--json", "-c", "a.petal"))
        same((count["maybe"], count["no"]), (len(maybe), len(no)), f"--json -c {self.what}")

    # -- Several filters --

    def check_filters(self, found):
        both = [
            (r, keys, one, two, ["a.petal"] * bool(one) + ["b.petal"] * bool(two))
            for r, keys, one, two in found
            if one or two
        ]
        assert len({tuple(names) for *_, names in both}) == 3, self.what
        options = ["-F", "b.petal", "a.petal"]
        same(
            self.petal("-c", *options),
            b"a.petal:%d\nb.petal:%d\n"
            % (sum(bool(row[2]) for row in both), sum(bool(row[3]) for row in both)),
            f"-F -c {self.what}",
        )
        if self.log.header:
            table = list(
                csv.reader(
                    io.StringIO(self.petal(*options).decode(), newline=""),
                    delimiter=self.log.delimiter,
                    strict=True,
                )
            )
            same(
                table,
                [["filter", *self.log.header]]
                + [[",".join(names), *r.row] for r, _, _, _, names in both],
                f"-F {self.what}",
            )
        else:
            same(
                self.petal(*options),
                b"".join(
                    ",".join(names).encode() + b"\t" + r.raw + b"\n"
                    for r, _, _, _, names in both
                ),
                f"-F {self.what}",
            )
            neither = b"".join(
                r.raw + b"\n" for r, _, one, two in found if not one and not two
            )
            same(self.petal("-v", *options), neither, f"-F -v {self.what}")
        out = [
            parse(line) for line in self.petal("--json", "--why=all", *options).splitlines()
        ]
        out = [line["petal"] if self.log.objects else line for line in out]
        same(
            [line["filters"] for line in out],
            [names for *_, names in both],
            f"-F {self.what}",
        )
        for line, (_, _, one, two, _) in zip(out, both):
            every = {
                (m.get("field"), m["key"], m["matched"], m["filter"])
                for m in line["matches"]
            }
            same(
                sorted(every, key=str),
                sorted(
                    {
                        (f or None, k, m, name)
                        for name, hits in (("a.petal", one), ("b.petal", two))
                        for f, k, _, m in hits
                    },
                    key=str,
                ),
                f"-F --why=all {self.what}",
            )


# ---- Logs ----


def squid(pool):
    r, w = pool.r, Writer("squid.log")
    for i in range(LINES):
        ip = pool.ip()
        if r.random() < 0.2:
            method, url = "CONNECT", r.choice(pool.hosts) + ":443"
        else:
            method, url = r.choice(["GET", "POST"]), pool.url()
        fields = [
            f"{1700000000 + i}.{r.randrange(1000):03}",
            str(r.randrange(99999)),
            ip,
            f"TCP_MISS/{r.choice([200, 304, 404])}",
            str(r.randrange(10 ** r.randrange(1, 8))),
            method,
            url,
            "-",
            "HIER_DIRECT/192.0.2.1",
            "text/html",
        ]
        line = r.choice(["", "", " ", "\t"]) + "".join(
            f + " " * r.choice([1, 1, 2, 7]) + "\t" * (r.random() < 0.02) for f in fields
        )
        line = line.rstrip() + r.choice(["", "", " "])
        if r.random() < 0.01:  # cut off before the URL
            w.put(" ".join(fields[: r.randrange(6)]))
        else:
            w.put(
                line,
                {"3": [ip], "6": [method], "7": [url]},
                end=r.choice([b"\n", b"\n", b"\r\n"]),
            )
    log = w.log()
    for record in log.records:  # lines that are cut off have fewer fields
        words = record.raw.decode().split()
        if len(words) < 7:
            record.columns = {
                str(i + 1): [t] for i, t in enumerate(words) if i + 1 in (3, 6)
            }
    yield Case(log, ["-f", "7"], ["7"], "raw")
    yield Case(log, ["-f", "7"], ["7"], "url")
    yield Case(log, ["-f", "3"], ["3"], "ip")
    yield Case(log, ["-f", "3,7"], ["3", "7"], "raw")


def apache(pool):
    r, w = pool.r, Writer("access.log")
    for _ in range(LINES):
        ip, page = (
            pool.ip(),
            pool.url("x://").partition("://")[2].partition("/")[2].split("#")[0],
        )
        request = f"{r.choice(['GET', 'HEAD'])} /{page} HTTP/1.1"
        referer = r.choice([pool.url(), pool.url()])
        agent = r.choice(["Mozilla/5.0 (X11; Linux)", "curl/8.5", "ü £"])
        w.put(
            f'{ip} - - [17/Nov/2026:21:36:00 +0100] "{request}" 200 {r.randrange(99999)} '
            f'"{referer}" "{agent}"',
            {"1": [ip], "7": ["/" + page], "quoted 2": [request], "quoted 4": [referer]},
        )
    log = w.log()
    quoted = Log(
        log.path,
        [
            Record(
                x.raw,
                x.line,
                {k[-1]: v for k, v in x.columns.items() if k.startswith("quoted")},
            )
            for x in log.records
        ],
    )
    yield Case(log, ["-f", "1"], ["1"], "ip")
    yield Case(log, ["-f", "1,7"], ["1", "7"], "raw")
    yield Case(quoted, ["-f", "4", "-d", '"'], ["4"], "url")
    yield Case(quoted, ["-f", "2,4", "-d", '"'], ["2", "4"], "raw")


def escaped(r, text):
    """A JSON string in one of the spellings that mean the same."""
    out = json.dumps(text, ensure_ascii=r.random() < 0.5)
    if r.random() < 0.4:
        out = out.replace("/", "\\/")
    if r.random() < 0.3:
        out = re.sub(r"(?<!\\)[g-m]", lambda m: f"\\u{ord(m[0]):04X}", out)
    return out


ODD = ["", "", "tab\t", "two\nlines", 'quote"', "\\", "é🌹", "a\0b"]


def jsonl(pool):
    r, w = pool.r, Writer("events.jsonl")
    for i in range(LINES):
        columns = {}
        url, ip, tags = (
            pool.url(),
            pool.ip(),
            [r.choice(pool.words) for _ in range(r.randrange(4))],
        )
        value = {".request.url": escaped(r, url), ".client.ip": json.dumps(ip)}
        columns = {".request.url": [url], ".client.ip": [ip]}
        kind = r.random()
        if kind < 0.1:
            name = r.choice([".request.url", ".client.ip"])
            value[name] = r.choice(["null", "true", "false", "{}", '["a"]', "[]"])
            columns.pop(name)
        elif kind < 0.2:
            name = r.choice([".request.url", ".client.ip"])
            value.pop(name), columns.pop(name)
        number = str(r.choice([0, -5, 10**15 + i, r.randrange(50)]))
        columns[".n"], columns[".tags[]"] = [number], tags
        columns['."odd name"'] = [odd := r.choice(ODD) + r.choice(pool.words)]
        if not tags:
            columns.pop(".tags[]")
        padding = r.choice(pool.words) * r.choice([1, 1, 20, 300 if i % 7 else 20000])
        members = [
            '"url": "http://decoy.example/"',
            f'"n":{number}',
            f'"padding": "{padding}"',
            f'"tags" : {json.dumps(tags)}',
            f'"odd name": {escaped(r, odd)}',
            '"request": {"a": [{"url": 1}]'
            + "".join(f', "url": {value[k]}' for k in value if k == ".request.url")
            + "}",
        ]
        if ".client.ip" in value:
            members.append(f'"client" : {{"ip": {value[".client.ip"]} , "port": 80 }}')
        r.shuffle(members)
        line = (
            r.choice(["", " "])
            + "{"
            + r.choice([",", " , "]).join(members)
            + r.choice(["}", " } "])
        )
        if r.random() < 0.02:
            w.put(
                r.choice(
                    [
                        line.strip()[:-1],
                        "not json",
                        line + "}",
                        '{"request": {"url": "a',
                        "{'request': {'url': 'a'}}",
                        "\xff",
                    ]
                ),
                broken=True,
            )
        else:
            w.put(line, columns, end=r.choice([b"\n", b"\n", b"\r\n"]))
    log = w.log(objects=True)
    yield Case(log, ["-f", ".request.url"], [".request.url"], "raw")
    yield Case(log, ["-f", ".request.url"], [".request.url"], "url")
    yield Case(log, ["-f", ".client.ip"], [".client.ip"], "ip")
    yield Case(log, ["-f", ".tags[]"], [".tags[]"], "raw")
    yield Case(log, ["-f", ".request.url,.n"], [".request.url", ".n"], "raw")
    yield Case(log, ["-f", '."odd name"'], ['."odd name"'], "raw")


def quoted(r, text, delimiter):
    if r.random() < 0.3 or any(c in text for c in delimiter + '"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def table(pool, path, delimiter, end):
    r, w = pool.r, Writer(path, end)
    header = ["time", "url", "src", "a note", "dst"]
    head = delimiter.join(quoted(r, name, delimiter) for name in header)
    w.put(head, record=False)
    for i in range(LINES):
        note = r.choice(
            [
                "",
                "plain",
                "a,b;c",
                'say "hi"',
                "two\nlines",
                "two\r\nlines",
                '"',
                "é" * r.randrange(200),
                "\n" * 5,
                '","',
            ]
        )
        row = [str(i), pool.url(), pool.ip(), note, pool.ip()]
        line = delimiter.join(quoted(r, text, delimiter) for text in row)
        kind = r.random()
        if kind < 0.01:
            w.put(
                r.choice([f'{i}{delimiter}"bad"x', f'{i}{delimiter}a"b"c{delimiter}d']),
                broken=True,
            )
        elif kind < 0.02:
            w.put(str(i), {"time": [str(i)]}, row=[str(i)])
        else:
            w.put(line, dict(zip(header, ([text] for text in row))), row=row)
    log = w.log(header=header)
    log.head, log.delimiter = head.encode() + end[:-1], delimiter
    return log


def tables(pool):
    log = table(pool, "log.csv", ",", b"\r\n")
    yield Case(log, ["--csv", "-f", "url"], ["url"], "raw")
    yield Case(log, ["--csv", "-f", "url"], ["url"], "url")
    yield Case(log, ["--csv", "-f", "src,dst"], ["src", "dst"], "ip")
    log = table(pool, "semicolons.csv", ";", b"\n")
    yield Case(log, ["--csv", "-d", ";", "-f", "url,a note"], ["url", "a note"], "raw")
    yield Case(log, ["--csv", "-d", ";", "-f", "dst"], ["dst"], "ip")


def delimited(pool):
    r = pool.r
    for path, option, delimiter in (
        ("tabs.log", "\\t", "\t"),
        ("colons.log", " :: ", " :: "),
        ("a.log", "<|>", "<|>"),
    ):
        w = Writer(path)
        for i in range(LINES):
            row = [
                r.choice(["", " padded ", str(i)]),
                pool.url(),
                r.choice(["", ":", "<|", "x  y"]),
                pool.ip(),
                "é" * r.randrange(100),
            ]
            if r.random() < 0.02:
                row = row[: r.randrange(1, 4)]
            w.put(delimiter.join(row), {str(n + 1): [text] for n, text in enumerate(row)})
        log = w.log()
        fields, form = {"tabs.log": ("4", "ip"), "colons.log": ("2", "url")}.get(
            path, ("2,4", "raw")
        )
        yield Case(log, ["-f", fields, "-d", option], fields.split(","), form)


AROUND = [
    ("", ""),
    ("(", ")"),
    ("<", ">"),
    ('"', '"'),
    ("", ","),
    ("", "."),
    ("", ";"),
    ("[", "]"),
    ("see: ", "!"),
    ("'", "'"),
    ('href="', '">'),
    ("", "?"),
]
PLAIN = {
    "url": ["", "a://", "://", "http:", "//", "word", "1.2.3.4", "evil.example"],
    "ip": [
        "1.2.3",
        "300.1.1.1",
        "21:36:00",
        "1.2.3.4.5",
        "v1.2",
        "2026-11-17",
        "word",
        "10",
    ],
    "domain": ["word", "3.14", "1.2.3.4", "2026-11-17", "...", "end.", "a-b"],
}


def prose(pool, path, kind):
    r, w = pool.r, Writer(path)
    one = {
        "url": lambda: pool.url(),
        "ip": pool.ip,
        "domain": lambda: r.choice(pool.hosts),
    }[kind]
    for _ in range(LINES):
        keys, words = [], []
        for _ in range(r.choice([0, 1, 1, 2, 3])):
            key, (before, after) = one(), r.choice(AROUND)
            keys.append(key)
            words += [r.choice(PLAIN[kind] + pool.words) for _ in range(r.randrange(9))]
            words.append(before + key + after)
        words += [r.choice(pool.words) for _ in range(r.randrange(30))]
        w.put(" ".join(words), {"": keys or [None]})
    return w.log()


def text(pool):
    for kind, forms in (
        ("url", ["raw", "url"]),
        ("ip", ["raw", "ip"]),
        ("domain", ["raw", "url"]),
    ):
        log = prose(pool, f"{kind}s.txt", kind)
        for form in forms:
            yield Case(
                log, ["--extract", kind], [""], form, lambda key: [key] * (key is not None)
            )
    r, w = pool.r, Writer("words.txt")
    for i in range(LINES):
        words = [
            r.choice(["user=", "USER=", "user=é", "", "id:", "user"]) + r.choice(pool.words)
            for _ in range(r.randrange(20))
        ]
        line = " ".join(words + ["x" * r.randrange(100)])
        w.put(line, {"": [line]})
    log = w.log()
    for expression in (
        r"user=(\w+)",
        r"user=\w+",
        r"\b[a-l]{3,6}\b",
        r"(?i)user=([a-h]+)([a-p]*)",
    ):
        yield Case(
            log,
            ["--extract", expression],
            [""],
            "raw",
            lambda line, e=expression: [
                m[1] if m.re.groups else m[0] for m in re.finditer(e, line, re.ASCII)
            ],
        )


def within(pool):
    r = pool.r
    w = Writer("mixed.log")
    for _ in range(LINES):
        decoy, urls, ips = (
            pool.url(),
            [pool.url() for _ in range(r.randrange(3))],
            [pool.ip4()],
        )
        w.put(
            "\t".join([decoy, " and ".join(urls), f"from ({ips[0]})"]),
            {"2": urls or [None], "3": ips},
        )
    log = w.log()
    one = lambda key: [key] * (key is not None)
    yield Case(log, ["-f", "2", "-d", "\\t", "--extract", "url"], ["2"], "url", one)
    yield Case(log, ["-f", "3", "-d", "\\t", "--extract", "ip"], ["3"], "ip", one)


def within_json(pool):
    r = pool.r
    one = lambda key: [key] * (key is not None)
    w = Writer("messages.jsonl")
    for _ in range(LINES):
        urls = [pool.url() for _ in range(r.randrange(3))]
        w.put(
            json.dumps(
                {
                    "other": pool.url(),
                    "message": f"went to {' then '.join(urls)} today",
                    "padding": "x" * r.randrange(200),
                }
            ),
            {".message": urls or [None]},
        )
    yield Case(
        w.log(objects=True),
        ["-f", ".message", "--extract", "url"],
        [".message"],
        "url",
        one,
    )


LOGS = {
    "squid": squid,
    "apache": apache,
    "jsonl": jsonl,
    "csv": tables,
    "delimited": delimited,
    "text": text,
    "within": within,
    "within-json": within_json,
}

if __name__ == "__main__":
    PETAL = sys.argv[1]
    pool = Pool(random.Random(sys.argv[2]))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for case in LOGS[sys.argv[2]](pool):
            case.check(pool)
        os.chdir("/")
