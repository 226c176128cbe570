#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""lists_model.py: compare how petal reads a list with what the list was made from.

    lists_model.py PETAL SAMPLE   checks one sample, in the current folder
    lists_model.py PETAL          checks all samples

A sample is a list of thousands of lines, random with a fixed seed.  It is made from
templates, such as

    "0.0.0.0 <l>.example <m>.example # why"    "<l>.example/ <m>.example/"    ""

which are the text of a line, the normalized keys that it must give, and the reasons for
which parts of it must be skipped.  So the model never parses a list.  <l> and <m> are new
labels in every line, <p> and <q> the start of a new IPv4 network, <s> of a new IPv6
network, <x> and <y> numbers with x < y.  The keys of addresses are ranges, first~last;
Python's ipaddress says which prefixes they make up.

In every sample
- petal normalize prints exactly these keys, in this order, with and without --list;
- petal build counts exactly these keys and skips, and writes the same bytes with 1 or 4
  threads, from a compressed file, from a pipe, with byte order mark and carriage returns;
- petal check finds all keys, what is below them, and both ends of every range;
- it finds nothing that was skipped, and no address just outside a range;
- --strict refuses every template that has something skipped that no correct list has.
"""
import bisect
import collections
import gzip
import ipaddress
import json
import os
import random
import re
import subprocess
import sys

RATE = "1e-9"  # no false positive among some 10^4 probes
HARMLESS = {"blank", "comment", "header", "local_name"}  # what --strict accepts
BLOCK = 65536  # petal reads files in blocks; every sample has several

Row = collections.namedtuple("Row", "text keys reasons absent")

# ---- Templates: the text, its keys, and why parts of it are skipped ----

SPACE = [("", "", "blank"), ("  \t", "", "blank"), ("# <l>.example", "", "comment")]

NAMES = [
    ("<l>.example", "<l>.example/", ""),
    ("<L>.EXAMPLE", "<l>.example/", ""),
    ("*.<l>.example", "<l>.example/", ""),
    (".<l>.example", "<l>.example/", ""),
    ("<l>.example.", "<l>.example/", ""),
    ("<l>.example/ads/*", "<l>.example/ads/", ""),
    ("http://www.<l>.example/a/page.html", "www.<l>.example/a/page.html", ""),
    ("hxxp://<l>[.]example/x", "<l>.example/x", ""),
    ("hxxps[:]//<l>(.)example/x", "<l>.example/x", ""),
    ("hxxps[://]<l>[dot]example[/]x", "<l>.example/x", ""),
    ("<l>{.}example", "<l>.example/", ""),
    ("a.<l>(dot)example", "a.<l>.example/", ""),
    ('<l>.b"d.example', "", "impossible_host"),
    ("<l>." + 64 * "a" + ".example", "", "impossible_host"),
    ("<l>." + 63 * "a" + ".example", "<l>." + 63 * "a" + ".example/", ""),
    ("<l>.*.example", "", "wildcard"),
    ("b*d.<l>.example", "", "wildcard"),
]

DOMAINS = NAMES + [
    ("<l>.example # why", "<l>.example/", ""),
    ("*.<l>.example\t# see <m>.example", "<l>.example/", ""),
    ("  <l>.example  ", "<l>.example/", ""),
    ("http://", "", "not_a_key"),
]

HOSTS = [
    ("0.0.0.0 <l>.example", "<l>.example/", ""),
    ("127.0.0.1\t<l>.example\t<m>.example", "<l>.example/ <m>.example/", ""),
    (
        "0.0.0.0 <L>.Example www.<l>.example # see ad.example",
        "<l>.example/ www.<l>.example/",
        "",
    ),
    ("  ::  <l>.example", "<l>.example/", ""),
    ("::1 <l>.example", "<l>.example/", ""),
    ("192.0.2.1 <l>.example. <m>.example", "<l>.example/ <m>.example/", ""),
    ("127.0.0.1 localhost", "", "local_name"),
    ("::1 localhost ip6-loopback", "", "local_name local_name"),
    ("255.255.255.255\tbroadcasthost", "", "local_name"),
    ("127.0.0.1 localhost <l>.example", "<l>.example/", "local_name"),
    ("0.0.0.0 b*d.<l>.example", "", "wildcard"),
    ('0.0.0.0 <l>.example <m>.b"d.example', "<l>.example/", "impossible_host"),
]

ADBLOCK = [
    ("||<l>.example^", "<l>.example/", ""),
    ("||<l>.example", "<l>.example/", ""),
    ("||<L>.Example^", "<l>.example/", ""),
    ("||<l>.example/track/", "<l>.example/track/", ""),
    ("||<l>.example/pixel.gif^", "<l>.example/pixel.gif", ""),
    ("|https://<l>.example/pixel.gif|", "<l>.example/pixel.gif", ""),
    ("||<l>.example^$important", "<l>.example/", ""),
    ("||<l>.example^$all", "<l>.example/", ""),
    ("||<l>.example^$doc,important", "<l>.example/", ""),
    ("||<l>.example/track/$document", "<l>.example/track/", ""),
    ("! <l>.example", "", "comment"),
    ("@@||<l>.example^", "", "exception"),
    ("@@||<l>.example^$document", "", "exception"),
    ("<l>.example##.ad", "", "cosmetic"),
    ("##.ad-<l>", "", "cosmetic"),
    ("<l>.example,<m>.example#@#.ad", "", "cosmetic"),
    ("<l>.example#?#div:has(> .ad)", "", "cosmetic"),
    ("/^https?:\\/\\/<l>\\.example\\//", "", "regex"),
    ("||<l>.example/pixel.gif", "", "pattern"),  # also pixel.gifs
    ("||<l>.example/*/ad^", "", "pattern"),
    ("||<l>.example:8080^", "", "pattern"),
    ("-<l>-banner.", "", "pattern"),
    ("||<l>.example^$third-party", "", "options"),
    ("||<l>.example^$important,domain=<m>.example", "", "options"),
    ("||<l>.example/track/$script", "", "options"),
]

DNSMASQ = [
    ("address=/<l>.example/0.0.0.0", "<l>.example/", ""),
    ("address=/<l>.example/<m>.example/::", "<l>.example/ <m>.example/", ""),
    ("address=/<L>.Example/", "<l>.example/", ""),
    ("address=/.<l>.example/#", "<l>.example/", ""),
    ("local=/<l>.example/", "<l>.example/", ""),
    ("server=/<l>.example/", "<l>.example/", ""),
    ("address=/<l>.example/127.0.0.1 # why", "<l>.example/", ""),
    ("server=/<l>.example/192.0.2.1", "", "forward"),
    ("address=/b*d.<l>.example/0.0.0.0", "", "wildcard"),
]

UNBOUND = [
    ('local-zone: "<l>.example" always_nxdomain', "<l>.example/", ""),
    ('\tlocal-zone:\t"<l>.example."\tstatic', "<l>.example/", ""),
    ("    local-zone: <L>.Example refuse # why", "<l>.example/", ""),
    ('local-data: "<l>.example A 0.0.0.0"', "<l>.example/", ""),
    ('local-data: "<l>.example. 3600 IN AAAA ::"', "<l>.example/", ""),
    ('local-zone: "<l>.example" transparent', "", "passthru"),
    ('local-zone: "<l>.example" typetransparent', "", "passthru"),
    ('local-zone: "b*d.<l>.example" static', "", "wildcard"),
]

RPZ = [
    ("<l>.example CNAME .", "<l>.example/", ""),
    ("*.<l>.example IN CNAME .", "<l>.example/", ""),
    ("<L>.Example 300 IN CNAME *.", "<l>.example/", ""),
    ("<l>.example\tCNAME\trpz-drop.", "<l>.example/", ""),
    ("<l>.example A 192.0.2.1 ; why", "<l>.example/", ""),
    ("; <l>.example", "", "comment"),
    ("<l>.example CNAME rpz-passthru.", "", "passthru"),
    ("32.7.<x>.0.192.rpz-ip CNAME .", "", "trigger"),
    ("24.0.<x>.0.192.rpz-client-ip CNAME .", "", "trigger"),
    ("ns.<l>.example.rpz-nsdname CNAME .", "", "trigger"),
    ("b*d.<l>.example CNAME .", "", "wildcard"),
]

ADDRESSES = [
    ("<p>.7", "<p>.7~<p>.7", ""),
    ("<p>.0/24", "<p>.0~<p>.255", ""),
    ("<s>::<x>", "<s>::<x>~<s>::<x>", ""),
    ("<S>::/48", "<s>::~<s>:ffff:ffff:ffff:ffff:ffff", ""),
    ("<p>.<x> - <p>.<y>", "<p>.<x>~<p>.<y>", ""),
    ("<p>.<x>-<y>", "<p>.<x>~<p>.<y>", ""),
    ("<q>.<x>.<y>-<q>.<y>.<x>", "<q>.<x>.<y>~<q>.<y>.<x>", ""),
    ("<s>::<x>-<s>::<y>", "<s>::<x>~<s>::<y>", ""),
    ("<q>.0.0 255.255.0.0", "<q>.0.0~<q>.255.255", ""),
    ("<p>.128/255.255.255.192", "<p>.128~<p>.191", ""),
    ("<q>.*.*", "<q>.0.0~<q>.255.255", ""),
    ("<p>.*", "<p>.0~<p>.255", ""),
    ("<p>.7:443", "<p>.7~<p>.7", ""),
    ("[<s>::1]:443", "<s>::1~<s>::1", ""),
    ("<s>::1%eth0", "<s>::1~<s>::1", ""),
    ("<p>.0/25 ; SBL<x>", "<p>.0~<p>.127", ""),
    ("<p>.7 # why", "<p>.7~<p>.7", ""),
    ("<p>.7 12 2026-11-01", "<p>.7~<p>.7", ""),
    ("<p>[.]7", "<p>.7~<p>.7", ""),
    ("; <p>.7", "", "comment"),
    ("<p>.7 <l>.example", "", "text_after"),
    ("<p>.7 <l>.example # why", "", "text_after"),
    ("<p>.<y>-<p>.<x>", "", "bad_range"),
    ("<p>.<y>-<x>", "", "bad_range"),
    ("<p>.0/0.0.0.255", "", "bad_mask"),
    ("<m>.example", "", "not_a_key"),
    ("<p>.7/33", "", "not_a_key"),
    ("<p>.256", "", "not_a_key"),
]

FIREHOL = [
    ("<p>.0/24", "<p>.0~<p>.255", ""),
    ("<p>.7", "<p>.7~<p>.7", ""),
    ("<q>.0.0/16", "<q>.0.0~<q>.255.255", ""),
]

SPAMHAUS = [
    ("<p>.0/24 ; SBL<x>", "<p>.0~<p>.255", ""),
    ("<q>.0.0/16 ; SBL<x>", "<q>.0.0~<q>.255.255", ""),
    ("<s>::/48 ; SBL<x>", "<s>::~<s>:ffff:ffff:ffff:ffff:ffff", ""),
]

CSV = [
    ("2026-11-01,<l>.example,<x>", "<l>.example/", ""),
    ('2026-11-01,"http://<l>.example/a,b",<x>', "<l>.example/a,b", ""),
    ('"a ""note"", and\nanother line",<l>.example,<x>', "<l>.example/", ""),
    ("2026-11-01,*.<l>.example,<m>.example", "<l>.example/", ""),
    ("2026-11-01,hxxp://<l>[.]example/x,<x>", "<l>.example/x", ""),
    ("2026-11-01,b*d.<l>.example,<x>", "", "wildcard"),
    ("2026-11-01", "", "no_field"),
    ("", "", "blank"),
]

MISP_HEAD = "uuid,event_id,category,type,value,comment,to_ids,date\n"
MISP_ROW = '"<x>-<y>",<x>,"Network activity","%s","%s","a ""note"", <m>.example",1,20261101'
MISP = [
    (MISP_ROW % (kind, value), urls, ips, url_skips, ip_skips)
    for kind, value, urls, ips, url_skips, ip_skips in [
        ("domain", "<l>.example", "<l>.example/", "", "", "other_type"),
        ("hostname", "www.<l>.example", "www.<l>.example/", "", "", "other_type"),
        ("url", "http://<l>.example/a,b", "<l>.example/a,b", "", "", "other_type"),
        ("ip-dst", "<p>.7", "<p>.7/", "<p>.7~<p>.7", "", ""),
        ("ipv4", "<p>.7", "<p>.7/", "<p>.7~<p>.7", "", ""),
        (
            "domain|ip",
            "<l>.example|<p>.7",
            "<l>.example/ <p>.7/",
            "<p>.7~<p>.7",
            "",
            "other_type",
        ),
        ("md5", "<l>0123", "", "", "other_type", "other_type"),
        ("email-src", "mail@<l>.example", "", "", "other_type", "other_type"),
    ]
]
MISP_URL = [(text, urls, skips) for text, urls, _, skips, _ in MISP]
MISP_IP = [(text, ips, skips) for text, _, ips, _, skips in MISP]

URLHAUS_HEAD = """\
################################################################
# abuse.ch URLhaus Database Dump (CSV - recent URLs only)      #
# Terms Of Use: https://urlhaus.abuse.ch/api/                  #
################################################################
#
# id,dateadded,url,url_status,last_online,threat,tags,urlhaus_link,reporter
"""
URLHAUS = [
    (
        '"<x><y>","2026-11-01 00:00:00","%s","online","","malware","elf,<x>",'
        '"https://urlhaus.abuse.ch/url/<x><y>/","<m>"' % url,
        key,
        "",
    )
    for url, key in [
        ("http://<p>.7/bin.sh", "<p>.7/bin.sh"),
        ("https://<l>.example/a,b.exe", "<l>.example/a,b.exe"),
        ("http://www.<l>.example/x/?id=<x>", "www.<l>.example/x/?id=<x>"),
    ]
]

STIX_CSV = [
    ("<x>,[domain-name:value = '<l>.example'],<m>", "<l>.example/", ""),
    ("<x>,\"[url:value = 'http://<l>.example/a,b']\",<m>", "<l>.example/a,b", ""),
    (
        "<x>,[domain-name:value = '<l>.example' OR domain-name:value = '<m>.example'],2",
        "<l>.example/ <m>.example/",
        "",
    ),
    ("<x>,[ipv4-addr:value = '<p>.7'],<m>", "<p>.7/", ""),
]

STIX = [
    (
        '    {\n      "type": "indicator",\n      "id": "indicator--<x>",\n      "pattern": "%s"\n    }'
        % pattern,
        key,
        reasons,
    )
    for pattern, key, reasons in [
        ("[ipv4-addr:value = '<p>.7']", "<p>.7~<p>.7", ""),
        ("[ipv4-addr:value = '<p>.0/24']", "<p>.0~<p>.255", ""),
        ("[ipv6-addr:value = '<s>::1']", "<s>::1~<s>::1", ""),
        ("[domain-name:value = '<l>.example']", "", "other_type"),
    ]
]

JSONL = [
    ('{"url": "http://<l>.example/"}', "<l>.example/", ""),
    (
        '{"id": <x>, "url":"http:\\/\\/<l>.example\\/x", "note": "<m>.example"}',
        "<l>.example/x",
        "",
    ),
    ('{"type": "x", "in": {"domain": "*.<l>.example"}}', "<l>.example/", ""),
    ('{"hostname": "<l>\\u002eexample"}', "<l>.example/", ""),
    ('{"indicator": "hxxp://<l>[.]example/x"}', "<l>.example/x", ""),
    ('{"url": "b*d.<l>.example"}', "", "wildcard"),
    ('{"url": "http://<l>.example/"', "", "bad_json"),
    ("", "", "blank"),
]

JSON = [
    ('    {\n      "id": <x>,\n      "url": "%s"\n    }' % url, key, reasons)
    for url, key, reasons in [
        ("http://<l>.example/x", "<l>.example/x", ""),
        ("*.<l>.example", "<l>.example/", ""),
        ("b*d.<l>.example", "", "wildcard"),
    ]
]

AWS = [
    (
        '    {\n      "%s": "%s",\n      "region": "<l>-<x>"\n    }' % (member, prefix),
        key,
        "",
    )
    for member, prefix, key in [
        ("ip_prefix", "<p>.0/24", "<p>.0~<p>.255"),
        ("ip_prefix", "<p>.7/32", "<p>.7~<p>.7"),
        ("ipv6_prefix", "<s>::/48", "<s>::~<s>:ffff:ffff:ffff:ffff:ffff"),
    ]
]

GCP = [
    (
        '    {\n      "%s": "%s",\n      "scope": "<l>-<x>"\n    }' % (member, prefix),
        key,
        "",
    )
    for member, prefix, key in [
        ("ipv4Prefix", "<p>.0/24", "<p>.0~<p>.255"),
        ("ipv6Prefix", "<s>::/48", "<s>::~<s>:ffff:ffff:ffff:ffff:ffff"),
    ]
]


MIXED = [
    template
    for template in NAMES + HOSTS + ADBLOCK + DNSMASQ + UNBOUND + RPZ + SPACE
    if template[0] != "-<l>-banner."
]  # alone, it could be a name


def lines(head=""):
    return lambda rows: head + "".join(row.text + "\n" for row in rows)


def document(head, tail):
    return lambda rows: head + ",\n".join(row.text for row in rows) + tail


def aws(rows):
    v4 = [row.text for row in rows if "ipv6_prefix" not in row.text]
    v6 = [row.text for row in rows if "ipv6_prefix" in row.text]
    return (
        '{\n  "syncToken": "1",\n  "prefixes": [\n'
        + ",\n".join(v4)
        + '\n  ],\n  "ipv6_prefixes": [\n'
        + ",\n".join(v6)
        + "\n  ]\n}\n"
    )


# ---- Samples: form, --list, templates, how rows become text, reasons of the head ----

RPZ_HEAD = "$TTL 300\n@ IN SOA localhost. root.localhost. 1 3600 600 86400 300\n@ IN NS localhost.\n"
Sample = collections.namedtuple("Sample", "form format templates render head_reasons")
SAMPLES = {
    "plain": Sample("url", "plain", NAMES + SPACE, lines(), ""),
    "domains": Sample("url", "domains", DOMAINS + SPACE, lines(), ""),
    "hosts": Sample("url", "hosts", HOSTS + SPACE, lines("# hosts\n"), "comment"),
    "adblock": Sample(
        "url", "adblock", ADBLOCK + SPACE[:1], lines("[Adblock Plus 2.0]\n"), "header"
    ),
    "dnsmasq": Sample("url", "dnsmasq", DNSMASQ + SPACE, lines(), ""),
    "unbound": Sample("url", "unbound", UNBOUND + SPACE, lines("server:\n"), "header"),
    "rpz": Sample("url", "rpz", RPZ + SPACE[:2], lines(RPZ_HEAD), "header header header"),
    "mixed": Sample("url", "auto", MIXED, lines(), ""),
    "ip": Sample("ip", "ip", ADDRESSES + SPACE, lines(), ""),
    "firehol": Sample(
        "ip", "ip", FIREHOL, lines("#\n# firehol_level1\n#\n"), "comment comment comment"
    ),
    "spamhaus": Sample(
        "ip", "ip", SPAMHAUS, lines("; Spamhaus DROP List 2026/11/01\n"), "comment"
    ),
    "csv": Sample("url", "csv", CSV, lines("date,domain,score\n"), ""),
    "misp": Sample("url", "csv", MISP_URL, lines(MISP_HEAD), ""),
    "misp_ip": Sample("ip", "csv", MISP_IP, lines(MISP_HEAD), ""),
    "urlhaus": Sample(
        "url",
        "csv",
        URLHAUS,
        lines(URLHAUS_HEAD),
        "comment comment comment comment comment",
    ),
    "stix_csv": Sample("url", "csv", STIX_CSV, lines("id,pattern,name\n"), ""),
    "stix": Sample(
        "ip",
        "json",
        STIX,
        document('{\n  "type": "bundle",\n  "objects": [\n', "\n  ]\n}\n"),
        "",
    ),
    "jsonl": Sample("url", "jsonl", JSONL, lines(), ""),
    "json": Sample("url", "json", JSON, document('{\n  "data": [\n', "\n  ]\n}\n"), ""),
    "aws": Sample("ip", "json", AWS, aws, ""),
    "gcp": Sample(
        "ip",
        "json",
        GCP,
        document('{\n  "syncToken": "1",\n  "prefixes": [\n', "\n  ]\n}\n"),
        "",
    ),
}
FORM_FOLLOWS = {"domains", "hosts", "adblock", "dnsmasq", "unbound", "rpz", "ip"}


# ---- Rows ----


def fields(r, n):
    """The fields of row n: no other row has its names and networks."""
    first = r.choice(["evil", "ads", "track", "login-bank", "cdn"])
    q = f"{11 + n // 200}.{n % 200}"
    s = f"2001:db8:{n + 1:x}"
    return {
        "l": f"{first}{n}",
        "L": f"{first}{n}".upper(),
        "m": f"more{n}",
        "q": q,
        "p": f"{q}.{r.randrange(1, 255)}",
        "s": s,
        "S": s.upper(),
        "x": str(r.randrange(10, 99)),
        "y": str(r.randrange(100, 250)),
    }


def prefixes(span):
    """The normalized prefixes that make up the range first~last."""
    first, last = map(ipaddress.ip_address, span.split("~"))
    return [
        str(net.network_address if net.num_addresses == 1 else net)
        for net in ipaddress.summarize_address_range(first, last)
    ]


def row(form, template, r, n):
    of = fields(r, n)
    text, keys, reasons = (
        re.sub("<([a-zA-Z])>", lambda found: of[found[1]], part) for part in template
    )
    absent = [f"{of[name]}.example" for name in "lm" if of[name] not in keys]
    if form == "ip":
        absent = [f"{of['p']}.7", f"{of['s']}::1"] if not keys else []
    return Row(text, keys.split(), reasons.split(), absent)


def rows_of(sample, seed):
    """Every template once, then at random, until the file has several blocks."""
    r = random.Random(seed)
    rows = [row(sample.form, template, r, n) for n, template in enumerate(sample.templates)]
    size = 0
    while size < 2.2 * BLOCK or len(rows) < 2000:
        rows.append(row(sample.form, r.choice(sample.templates), r, len(rows)))
        size += len(rows[-1].text) + 1
        if rows[-1].keys and r.random() < 0.05:
            rows.append(rows[-1])  # a duplicate
    return sorted(rows, key=lambda row: "ipv6_prefix" in row.text)  # as in the file of AWS


def keys_of(sample, rows):
    keys = [key for row in rows for key in row.keys]
    return (
        [prefix for span in keys for prefix in prefixes(span)]
        if sample.form == "ip"
        else keys
    )


# ---- Probes: what a filter of these rows must find, and must not find ----


def url_probes(rows):
    inside = []
    for key in keys_of(SAMPLES["domains"], rows):
        inside += [key, "HTTPS://" + key]
        if key.endswith("/"):
            inside.append(f"http://{key}deep/page?q=1")
            if key.count("/") == 1 and not key[0].isdigit():
                inside.append(f"http://www.{key}")
    return inside, [name for row in rows for name in row.absent]


def ip_probes(rows):
    spans = [
        tuple(map(ipaddress.ip_address, span.split("~")))
        for row in rows
        for span in row.keys
    ]
    starts = sorted((a.version, int(a), int(b)) for a, b in set(spans))

    def covered(address):
        at = bisect.bisect(starts, (address.version, int(address), float("inf"))) - 1
        return (
            at >= 0 and starts[at][0] == address.version and int(address) <= starts[at][2]
        )

    around = [near for a, b in spans for near in (a - 1, b + 1)]
    around += [ipaddress.ip_address(text) for row in rows for text in row.absent]
    return [str(end) for span in spans for end in span], [
        str(a) for a in around if not covered(a)
    ]


# ---- The command ----


def run(petal, *args, status=0):
    ran = subprocess.run([petal, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert ran.returncode == status, (args, ran.returncode, ran.stderr.decode()[-2000:])
    return ran.stdout.decode()


def save(name, text):
    with open(name, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())


def load(name):
    with open(name, "rb") as f:
        return f.read()


def same(got, want, what):
    """Fails with the first difference of two lists."""
    for i, (one, other) in enumerate(zip(got, want)):
        assert one == other, f"{what} {i + 1}: got {one!r}, expected {other!r}"
    extra = (got[len(want) :] + want[len(got) :])[:1]
    assert not extra, f"{what}: got {len(got)}, expected {len(want)}: {extra[0]!r}"


def choices(sample):
    """The options that must all have the same result."""
    given = [["--form", sample.form], ["--form", sample.form, "--list", sample.format]]
    if sample.format == "plain":
        return given[1:]  # auto would read more than plain does
    return given + [["--list", sample.format]] if sample.format in FORM_FOLLOWS else given


def check_normalize(petal, sample, rows):
    for options in choices(sample):
        got = run(petal, "normalize", "--quiet", *options, "list.txt").splitlines()
        same(got, keys_of(sample, rows), f"normalize {' '.join(options)}: key")


def check_build(petal, sample, rows):
    skipped = collections.Counter(sample.head_reasons.split())
    for row in rows:
        skipped.update(row.reasons)
    for options in choices(sample):
        report = json.loads(
            run(
                petal,
                "build",
                "--json",
                "--force",
                "-p",
                RATE,
                "--threads",
                "1",
                "-o",
                "one.petal",
                *options,
                "list.txt",
            )
        )
        assert report["skipped"] == skipped, (options, report["skipped"], dict(skipped))
        assert report["keys_added"] == len(set(keys_of(sample, rows))), (
            options,
            report["keys_added"],
        )
        assert report["form"] == sample.form, (options, report["form"])


def piped(petal, data, *args):
    """Builds from a pipe, in pieces that end in the middle of lines."""
    process = subprocess.Popen(
        [petal, "build", *args], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with process.stdin:
        for at in range(0, len(data), 7001):
            process.stdin.write(data[at : at + 7001])
            process.stdin.flush()
    errors = process.stderr.read().decode()
    assert process.wait() == 0, errors[-2000:]


def check_sources(petal, sample):
    """one.petal comes from list.txt and one thread; all others must be the same, byte for
    byte."""
    options = [*choices(sample)[0], "--force", "-p", RATE, "-o", "other.petal"]
    data = load("list.txt")
    save("list.gz", gzip.compress(data, 1))
    save("dos.txt", b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))
    want = load("one.petal")
    for name in ("list.txt", "list.gz", "dos.txt"):
        run(petal, "build", "--threads", "4", *options, name)
        assert load("other.petal") == want, f"{name} with 4 threads: another filter"
    piped(petal, data, *options)
    assert load("other.petal") == want, "from a pipe: another filter"


def check_lookups(petal, sample, rows):
    inside, outside = ip_probes(rows) if sample.form == "ip" else url_probes(rows)
    save("inside", "".join(text + "\n" for text in inside))
    save("outside", "".join(text + "\n" for text in outside))
    same(
        run(petal, "check", "-v", "one.petal", "inside", status=1).splitlines(),
        [],
        "not found",
    )
    if outside:
        same(
            run(petal, "check", "one.petal", "outside", status=1).splitlines(), [], "found"
        )


def strict(petal, sample, rows, what):
    fails = any(set(row.reasons) - HARMLESS for row in rows)
    for options in choices(sample):
        save("strict.txt", sample.render(rows))
        if os.path.exists("strict.petal"):
            os.remove("strict.petal")
        ran = subprocess.run(
            [petal, "build", "--strict", "-o", "strict.petal", *options, "strict.txt"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert ran.returncode == (2 if fails else 0), (
            what,
            options,
            ran.returncode,
            ran.stderr.decode()[-500:],
        )
        assert os.path.exists("strict.petal") != fails, (what, options)


def check_strict(petal, sample, rows):
    strict(petal, sample, rows, "all")
    strict(
        petal, sample, [row for row in rows if not set(row.reasons) - HARMLESS], "harmless"
    )
    for row in rows[: len(sample.templates)]:
        if set(row.reasons) - HARMLESS:
            strict(petal, sample, [rows[0], row], row.text)


def check(petal, name):
    sample = SAMPLES[name]
    rows = rows_of(sample, seed=name)
    save("list.txt", sample.render(rows))
    assert os.path.getsize("list.txt") > 2 * BLOCK
    check_normalize(petal, sample, rows)
    check_build(petal, sample, rows)
    check_sources(petal, sample)
    check_lookups(petal, sample, rows)
    check_strict(petal, sample, rows)


for chosen in sys.argv[2:] or SAMPLES:
    try:
        check(sys.argv[1], chosen)
    except AssertionError as error:
        sys.exit(f"{chosen}: {error}")
