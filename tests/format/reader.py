#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""An independent reader and builder of the petal filter file format.

This file was written from docs/format.md alone and shares no code with the C library. If
both agree on every byte and every result, the specification is complete enough to write
another reader. If they differ, one of the three is wrong. reader_foreign.py has the filters
of other programs.

    open_image(data)             returns a Filter, or raises Refused with the specification's reason
    Filter.count(key)            how often the key is in the set (1 or 0 for all kinds except counting
                                 and quotient)
    Filter.match(key)            1 if the key or one of its parents is in the set
    Filter.sections              the data of each section, by its type
    content_id(data)             the content id of an image
    rebuild(...)                 the image that operations give in an empty filter of that shape

    reader.py check DIR

This opens every DIR/NAME.petal and compares it with DIR/NAME.ops, which lists the
operations that made it, one per line:

    a HEX        the key was added
    r HEX        the key was removed
    x HEX        the key was rejected, because it is invalid for the filter's form
    q HEX N      the finished filter returned N as the count of the key
    m HEX N      the finished filter returned N for a match of the key, 1 or 0
    n NAME HEX   the note was set to this text, or removed if that is empty
    s TYPE HEX   a section with this data was added, as a later version of petal may do
    i HEX        the content id of the finished filter, 16 digits

HEX is the key's bytes and may be empty, with single spaces around it. Every query must give
the same N here, and the changes must give the same file, byte for byte. That last check is
skipped if the file says that its keys were not counted. Every DIR/NAME.bad must be refused
for the reason in DIR/NAME.reason, which is one word: format, truncated, newer or corrupt.

It needs Python 3.10 or later, and xxhash (Debian: python3-xxhash). Keys with letters beyond
ASCII that depend on case need the table of Unicode 15.0 (Debian 12: unicode-data), and are
skipped without it.
"""

import functools
import math
import re
import struct
import sys
from collections import Counter
from fractions import Fraction
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from pathlib import Path
from typing import NamedTuple

from xxhash import xxh3_64_intdigest, xxh64_intdigest

import reader_foreign as foreign

MAGIC = bytes.fromhex("89 50 45 54 41 4C 0D 0A")
VERSION = 1
BITMAP, CLASSIC, PARTITIONED, BLOCKED, SPLIT, COUNTING, SCALABLE, RIBBON, QUOTIENT = range(
    1, 10
)
(
    FORM_RAW,
    FORM_URL,
    FORM_IP,
    FORM_WORD,
    FORM_INT32,
    FORM_INT64,
    FORM_FLOAT,
    FORM_DOUBLE,
    FORM_UTF16,
) = range(9)
HASH_XXH3, HASH_SIPHASH13, HASH_XXH64, HASH_FOREIGN = range(4)
FLAG_NOT_COUNTED = 1

HEADER_FORMAT = struct.Struct("<8sHBBBBHQQQQQQdIIIIQQB3sII4sQQIi32s32s32sQQ")
HEADER_SIZE = 256
HEADER_SUMMED = 248
STAGE_FORMAT = struct.Struct("<QQQII")
LAYERS_FORMAT = struct.Struct("<IHH")
TABLE_FORMAT = struct.Struct("<QQIIQ")
ALIGNMENT = 64
CHUNK_SIZE = 1 << 20
MAX_BITS = 1 << 43
CAPACITY_LIMIT = 1 << 62

SECTION_FORMAT = struct.Struct("<II")
SECTIONS_LIMIT = 32768
TYPE_NOTES = 1
NOTES_LIMIT = 4096
NOTE_NAME = re.compile(rb"[a-z_]{1,32}")
NOTE_CONTROL = re.compile("[\0-\x1f\x7f-\x9f]")

MASK32 = (1 << 32) - 1
MASK64 = (1 << 64) - 1
NEXT_PROBE = 0xF1357AEA2E62A9C5
SPREAD = 0x9E3779B97F4A7C15
SPREAD_SECOND = 0xD6E8FEB86659FD93
SPLIT_SALTS = (
    0x47B6137B,
    0x44974D91,
    0x8824AD5B,
    0xA2B7289D,
    0x705495C7,
    0x2DF1424B,
    0x9EFC4947,
    0x5C6BFB31,
)

RIBBON_BASES = 8
RIBBON_LAYERS = 16
RIBBON_ATTEMPTS = 256
LAYER_KEYS_LIMIT = 1 << 40
LAST_LAYER_KEYS = 1024
SEGMENT_STARTS = 1 << 16
BUCKET_STARTS = 128
BUMPED_BELOW = (0, 19, 40, 128)

LINE_SIZE = 64
FINGERPRINTS_LIMIT = 1 << 57
QUOTIENT_CAPACITY_LIMIT = 1 << 50
STAGE_SHARES = (7 / 16, 3 / 16, 3 / 16, 2 / 16, 1 / 16)
QUOTIENT_STAGES = len(STAGE_SHARES)
QUOTIENT_STEPS = 28
QUOTIENT_GROWTH_LIMIT = 32768
FULL_COPIES = 15
GREATEST_DELTA = 511
SMALL_CAPACITY = 128
ODD_PART_DIVISORS = {105: 4, 21: 5, 35: 6, 15: 7}

# A bitmap has at most 2^43 bits, so an integer in one has at most 13 digits.
BITMAP_KEY = re.compile(rb"0|[1-9][0-9]{0,12}")


class Refused(Exception):
    """This reader cannot read the bytes; `reason` is the word of the specification."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


class Header(NamedTuple):
    """The first 256 bytes, field by field, in order."""

    magic: bytes
    version: int
    kind: int
    form: int
    hash: int
    counter_bits: int
    hashes: int
    length: int
    bits: int
    capacity: int
    keys: int
    seed_0: int
    seed_1: int
    fpr: float
    features: int
    flags: int
    growth: int
    stages: int
    capacity_first: int
    capacity_max: int
    insert_only: int
    reserved_1: bytes
    match_lookups: int
    sections_size: int
    reserved_2: bytes
    sections_sum: int
    fingerprints: int
    quotients: int
    steps: int
    reserved_3: bytes
    mask: bytes
    reserved_4: bytes
    table_sum: int
    header_sum: int


class Stage(NamedTuple):
    """One entry in the table of stages of a scalable filter."""

    blocks: int
    capacity: int
    keys: int
    hashes: int
    zero: int


class LayerTable(NamedTuple):
    """The tail of a ribbon; `keys` has the number of keys of each layer, first to last."""

    share: int
    base: int
    attempt: int
    keys: list


class Layer(NamedTuple):
    """The description of one layer in the tail of a ribbon; a word is a u64 of the
    cells."""

    seed: int
    starts: int
    blocks: int
    low_blocks: int
    words: int
    code_bytes: int


class TableEntry(NamedTuple):
    """One entry in the table of stages of a quotient filter."""

    homes: int
    elements: int
    quotients: int
    remainder_bits: int
    zero: int


class Table(NamedTuple):
    """The sizes of one table of a quotient filter: H, Q, r, and what follows from them."""

    homes: int
    quotients: int
    remainder_bits: int
    slots: int
    symbols: int
    remainders_bit: int
    lines: int
    room: int


EMPTY_LAYERS = LayerTable(share=0, base=0, attempt=0, keys=[0])


# Sizes


def round_up(size, unit):
    return -(-size // unit) * unit


def cells_size(header):
    return round_up(-(-header.bits // 8), ALIGNMENT)


def tail_size(header):
    if header.kind == RIBBON:
        return round_up(LAYERS_FORMAT.size + 8 * header.stages, ALIGNMENT)
    if header.kind == QUOTIENT and header.stages == 1:
        return 0
    if header.kind == foreign.REDISBLOOM:
        return foreign.CHAIN_FORMAT.size + foreign.LINK_FORMAT.size * header.stages
    if header.kind in foreign.ARRAYS:
        return foreign.ARRAY_TAIL_SIZE
    return round_up(STAGE_FORMAT.size * header.stages, ALIGNMENT)


def image_size(header):
    body_size = cells_size(header) + tail_size(header)
    return HEADER_SIZE + body_size + 8 * -(-body_size // CHUNK_SIZE) + header.sections_size


def chunk_table(body):
    chunks = (body[start : start + CHUNK_SIZE] for start in range(0, len(body), CHUNK_SIZE))
    sums = [xxh3_64_intdigest(chunk, seed) for seed, chunk in enumerate(chunks)]
    return struct.pack(f"<{len(sums)}Q", *sums)


# Sections, as a dict of their data by type. Notes are a dict of texts by name.


def sections_sum(data):
    return xxh3_64_intdigest(data, 0) if data else 0


def read_sections(data):
    """Step 7 for the sections, without their sum; their total size is a multiple of 8."""
    sections = {}
    while data:
        number, size = SECTION_FORMAT.unpack_from(data)
        end = SECTION_FORMAT.size + size
        demand(number > max(sections, default=0) and end <= len(data), "corrupt")
        sections[number] = bytes(data[SECTION_FORMAT.size : end])
        demand(not any(data[end : round_up(end, 8)]), "corrupt")
        data = data[round_up(end, 8) :]
    if TYPE_NOTES in sections:
        read_notes(sections[TYPE_NOTES])
    return sections


def read_notes(data):
    demand(1 <= len(data) <= NOTES_LIMIT and data.endswith(b"\0"), "corrupt")
    strings = data[:-1].split(b"\0")
    names, texts = strings[::2], strings[1::2]
    demand(len(names) == len(texts) and names == sorted(set(names)), "corrupt")
    demand(all(NOTE_NAME.fullmatch(name) for name in names) and all(texts), "corrupt")
    for text in texts:
        try:
            demand(not NOTE_CONTROL.search(text.decode("utf-8")), "corrupt")
        except UnicodeDecodeError:
            raise Refused("corrupt") from None
    return dict(zip(names, texts))


def notes_data(notes):
    return b"".join(name + b"\0" + text + b"\0" for name, text in sorted(notes.items()))


def sections_data(sections):
    parts = [
        SECTION_FORMAT.pack(number, len(data)) + data + bytes(-len(data) % 8)
        for number, data in sorted(sections.items())
    ]
    return b"".join(parts)


def content_id(data):
    header = Header(*HEADER_FORMAT.unpack_from(data))
    seed = bytes(16) if header.hash == HASH_SIPHASH13 else data[48:64]
    quotient_fields = data[128:144] if header.kind == QUOTIENT else b""
    return xxh3_64_intdigest(
        data[8:16]
        + data[24:48]
        + seed
        + data[64:112]
        + data[176:208]
        + data[240:248]
        + quotient_fields,
        0,
    )


# Hashes


def siphash(key_0, key_1, data, word_rounds=1, final_rounds=3):
    """SipHash-c-d; the rounds are parameters so that the published 2-4 vectors can be
    tested."""
    v0 = key_0 ^ 0x736F6D6570736575
    v1 = key_1 ^ 0x646F72616E646F6D
    v2 = key_0 ^ 0x6C7967656E657261
    v3 = key_1 ^ 0x7465646279746573

    def rounds(number):
        nonlocal v0, v1, v2, v3
        for _ in range(number):
            v0 = (v0 + v1) & MASK64
            v1 = ((v1 << 13 | v1 >> 51) & MASK64) ^ v0
            v0 = (v0 << 32 | v0 >> 32) & MASK64
            v2 = (v2 + v3) & MASK64
            v3 = ((v3 << 16 | v3 >> 48) & MASK64) ^ v2
            v0 = (v0 + v3) & MASK64
            v3 = ((v3 << 21 | v3 >> 43) & MASK64) ^ v0
            v2 = (v2 + v1) & MASK64
            v1 = ((v1 << 17 | v1 >> 47) & MASK64) ^ v2
            v2 = (v2 << 32 | v2 >> 32) & MASK64

    # The last word has the rest of the data, zeros, and the low byte of the length.
    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 0xFF])
    for (word,) in struct.iter_unpack("<Q", padded):
        v3 ^= word
        rounds(word_rounds)
        v0 ^= word
    v2 ^= 0xFF
    rounds(final_rounds)
    return v0 ^ v1 ^ v2 ^ v3


def hash_key(header, key):
    if header.hash == HASH_XXH3:
        return xxh3_64_intdigest(key, header.seed_0)
    if header.hash == HASH_SIPHASH13:
        return siphash(header.seed_0, header.seed_1, key)
    return xxh64_intdigest(key, 0)


def high64(product):
    return product >> 64


# Forms. Each of the functions at the end yields the normalized bytes of a key and their
# class, then the same for all of its parents. It yields nothing if the key is invalid. Keys
# of other forms than url and ip have no class.

CLASSES = {FORM_URL: 224, FORM_IP: 162}
MAX_LOOKUPS = 256
MAX_TEXT = 8192

CASE_FOLDING = Path("/usr/share/unicode/CaseFolding.txt")

BLANKS = bytes(range(0x21))
URL_SCHEME = re.compile(rb"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//")
URL_BLANK_FIRST = re.compile(rb"[^/?]*[\0-\x20]")
URL_PARTS = re.compile(rb"([^/?]*)([^?]*)(.*)", re.DOTALL)
URL_PORT = re.compile(rb":[0-9]*\Z")
URL_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
URL_ESCAPED = re.compile(rb"[\0-\x20\x7F-\xFF#%]")
URL_DOT = re.compile("|".join("\u3002\uff0e\uff61").encode("utf-8"))
IPV4_NUMBERS = (
    (re.compile(rb"0x[0-9a-f]+"), 16),
    (re.compile(rb"0[0-7]*"), 8),
    (re.compile(rb"[1-9][0-9]{0,9}"), 10),
)
IPV6_ZEROS = re.compile(rb"\b0(?::0)+\b")
INTEGER = re.compile(rb"0|-?[1-9][0-9]*")
REAL = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
REAL_WORD = re.compile(rb"nan|-?inf(?:inity)?", re.IGNORECASE)
MAX_REAL = 1100
IP_LENGTH = re.compile(rb"0|[1-9][0-9]{0,2}")


class FoldingUnknown(Exception):
    """A key needs the table of Unicode 15.0, which is not installed."""


@functools.cache
def folding_table():
    """Simple case folding; None, and a message, if this machine has no table."""
    text = CASE_FOLDING.read_text("utf-8") if CASE_FOLDING.exists() else ""
    if not text.startswith("# CaseFolding-15.0."):
        print(f"skipped: letters beyond ASCII: {CASE_FOLDING} is not Unicode 15.0")
        return None
    simple = re.findall(r"^([0-9A-F]+); [CS]; ([0-9A-F]+);", text, re.MULTILINE)
    return {int(code, 16): int(mapping, 16) for code, mapping in simple}


def fold(text):
    if text.isascii():
        return text.lower()
    if folding_table() is None:
        raise FoldingUnknown
    return text.translate(folding_table())


def ip_bytes(address_type, text):
    """The 4 or 16 bytes of an address; None if it is invalid."""
    try:
        return None if b"%" in text else address_type(text.decode("latin-1")).packed
    except AddressValueError:
        return None


def ipv6_text(address):
    """As in RFC 5952: the first of the longest runs of zeros, if longer than one, becomes
    `::`."""
    text = b":".join(b"%x" % group for group in struct.unpack(">8H", address))
    run = max(IPV6_ZEROS.finditer(text), key=lambda found: len(found[0]), default=None)
    return (
        text[: run.start()].rstrip(b":") + b"::" + text[run.end() :].lstrip(b":")
        if run
        else text
    )


def url_unescaped(text):
    while URL_ESCAPE.search(text):
        text = URL_ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode("ascii")), text)
    return text


def url_escaped(text):
    return URL_ESCAPED.sub(lambda found: b"%%%02X" % ord(found[0]), text)


def ipv4_number(text):
    return next(
        (int(text, base) for digits, base in IPV4_NUMBERS if digits.fullmatch(text)), None
    )


def ipv4_of_numbers(host):
    """The four decimal numbers; None if the host is not an IPv4 address in any notation."""
    numbers = [ipv4_number(text) for text in host.split(b".")]
    if len(numbers) > 4 or None in numbers or any(number > 255 for number in numbers[:-1]):
        return None
    if numbers[-1] >= 256 ** (5 - len(numbers)):
        return None
    address = bytes(numbers[:-1]) + numbers[-1].to_bytes(5 - len(numbers), "big")
    return b"%d.%d.%d.%d" % tuple(address)


def url_label(label):
    """The normalized label; None if it is invalid."""
    try:
        text = label.decode("utf-8")
    except UnicodeDecodeError:
        return url_escaped(label)
    if text.isascii():
        return url_escaped(label)
    if len(text) > 63:
        return None
    text = fold(text)
    if text.isascii():
        return url_escaped(text.encode("ascii"))
    if URL_ESCAPED.search(
        bytes(ord(character) for character in text if character.isascii())
    ):
        return None
    return b"xn--" + text.encode("punycode")


def url_name(host):
    """The normalized name of a host that is not an address; None or empty if it is
    invalid."""
    labels = [url_label(label) for label in host.split(b".")]
    return None if None in labels else b".".join(labels)


def url_host(host):
    """The normalized host; None or empty if it is invalid."""
    if host.startswith(b"["):
        address = ip_bytes(IPv6Address, host[1:-1]) if host.endswith(b"]") else None
        return address and b"[%s]" % ipv6_text(address)
    if any(byte in host for byte in (b":", b"[", b"]")):
        return None
    host = URL_DOT.sub(b".", host)
    host = re.sub(rb"\.+", b".", host.strip(b".")).lower()
    return ipv4_of_numbers(host) or url_name(host)


def url_path(path):
    kept = []
    parts = path.split(b"/")
    for part in parts:
        if part == b"..":
            del kept[-1:]
        elif part not in (b"", b"."):
            kept.append(part)
    at_end = b"/" if kept and parts[-1] in (b"", b".", b"..") else b""
    return b"/" + b"/".join(kept) + at_end


def url_parts(text):
    """The normalized host, path and query; None if the key is invalid."""
    text = text.split(b"#")[0].strip(BLANKS).translate(None, b"\t\r\n")
    scheme = URL_SCHEME.match(text)
    if not scheme and URL_BLANK_FIRST.match(text):
        return None
    text = url_unescaped(text)
    authority, path, query = URL_PARTS.match(text, scheme.end() if scheme else 0).groups()
    if b"@" in authority and not scheme:
        return None
    host = url_host(URL_PORT.sub(b"", authority.split(b"@")[-1]))
    if not host:
        return None
    return host, url_escaped(url_path(path)), url_escaped(query)


def url_components(host):
    """The number of components of a normalized host, 0 for an address."""
    # Only an IPv6 address can contain a colon.
    return 0 if b":" in host or ip_bytes(IPv4Address, host) else host.count(b".") + 1


def url_class(components, path, query):
    is_file = not path.endswith(b"/")
    depth = min(path.count(b"/") - 1, 7)
    return 32 * min(components, 6) + 16 * bool(query) + 8 * is_file + depth


def raw_parents(key):
    yield key, None


def url_parents(key):
    parts = url_parts(key) if len(key) <= MAX_TEXT else None
    if not parts or len(b"".join(parts)) > MAX_TEXT:
        return
    host, path, query = parts
    labels = host.split(b".")
    components = url_components(host)
    hosts = [(host, components)]
    # The last components of a name are a name, even if they look like an IPv4 address.
    hosts += [(b".".join(labels[-n:]), n) for n in (5, 4, 3, 2) if n < components]
    slashes = [slash.end() for slash in re.finditer(b"/", path)][:4]
    paths = [(path, query), (path, b"")]
    paths += [(path[:end], b"") for end in slashes if end < len(path)]
    for host, components in hosts:
        for path, query in paths:
            yield host + path + query, url_class(components, path, query)


def ip_parents(key):
    text, slash, length = key.partition(b"/")
    address = ip_bytes(IPv4Address, text) or ip_bytes(IPv6Address, text)
    if not address or (slash and not IP_LENGTH.fullmatch(length)):
        return
    length = int(length) if slash else 8 * len(address)
    if length > 8 * len(address):
        return
    if len(address) == 16 and length >= 96 and address[:12] == bytes(10) + b"\xff\xff":
        address, length = address[12:], length - 96
    bits = 8 * len(address)
    for shorter in range(length, -1, -1):
        number = int.from_bytes(address, "big") >> (bits - shorter) << (bits - shorter)
        yield (
            number.to_bytes(len(address), "big") + bytes([shorter]),
            shorter if bits == 32 else 33 + shorter,
        )


def word_parents(key):
    text = fold(key.decode("utf-8", "surrogateescape")).replace("\u2019", "'")
    word = text.encode("utf-8", "surrogateescape")
    if 1 <= len(key) <= MAX_TEXT and len(word) <= MAX_TEXT:
        yield word, None


def integer_parents(size, key):
    if (
        INTEGER.fullmatch(key)
        and len(key) <= 20
        and -(1 << 8 * size - 1) <= int(key) < 1 << 8 * size - 1
    ):
        yield int(key).to_bytes(size, "little", signed=True), None


def real_rounded(value, precision, least):
    """The integer n for which n * 2^exponent is nearest to the value, and the exponent."""
    exponent = max(
        value.numerator.bit_length() - value.denominator.bit_length() - precision, least
    )
    if value / Fraction(2) ** exponent >= 1 << precision:
        exponent += 1
    return round(value / Fraction(2) ** exponent), exponent  # round() chooses the even one


def real_parents(size, precision, least, key):
    pack = struct.Struct("<f" if size == 4 else "<d").pack
    if len(key) > MAX_REAL:
        return
    if REAL_WORD.fullmatch(key):
        yield pack(float(key)), None
    elif REAL.fullmatch(key):
        number, power = re.fullmatch(rb"(.*?)(?:[eE](.*))?", key).groups()
        number = Fraction(number.decode("ascii"))
        power = max(min(int(power or 0), 10000), -10000)
        bits = (
            number.numerator.bit_length()
            - number.denominator.bit_length()
            + power * math.log2(10)
        )
        if number and abs(bits) > 1200:
            return
        rounded, exponent = real_rounded(
            abs(number) * Fraction(10) ** power, precision, least
        )
        if (rounded == 0) == (
            number == 0
        ) and rounded.bit_length() + exponent <= 3 - least - precision:
            value = math.ldexp(rounded, exponent)
            yield pack(math.copysign(value, -1 if key.startswith(b"-") else 1)), None


def utf16_parents(key):
    try:
        text = key.decode("utf-8").encode("utf-16-le")
    except UnicodeDecodeError:
        return
    if len(key) <= MAX_TEXT and len(text) <= MAX_TEXT:
        yield text, None


PARENTS = {
    FORM_RAW: raw_parents,
    FORM_URL: url_parents,
    FORM_IP: ip_parents,
    FORM_WORD: word_parents,
    FORM_INT32: functools.partial(integer_parents, 4),
    FORM_INT64: functools.partial(integer_parents, 8),
    FORM_FLOAT: functools.partial(real_parents, 4, 24, -149),
    FORM_DOUBLE: functools.partial(real_parents, 8, 53, -1074),
    FORM_UTF16: utf16_parents,
}


# The probes of a key, for each kind: each function returns the numbers of the bits (in a
# counting filter, of the cells). From here on keys are normalized, except for those of
# `Filter`.


def bitmap_probes(header, key):
    """The bit of an integer; no bit if the bitmap cannot hold the key."""
    if not BITMAP_KEY.fullmatch(key) or int(key) >= header.bits:
        return []
    return [int(key)]


def classic_probes(header, key):
    x = hash_key(header, key)
    probes = []
    for _ in range(header.hashes):
        probes.append(high64(x * header.bits))
        x = x * NEXT_PROBE & MASK64
    return probes


def partitioned_probes(header, key):
    part_bits = header.bits // header.hashes
    x = hash_key(header, key)
    probes = []
    for i in range(header.hashes):
        probes.append(i * part_bits + high64(x * part_bits))
        x = x * NEXT_PROBE & MASK64
    return probes


def probes_in_blocks(h, blocks, hashes):
    first_bit = 512 * high64(h * blocks)
    g = h * SPREAD & MASK64
    g2 = h * SPREAD_SECOND & MASK64
    r = (g >> 13) & 7
    probes = []
    for i in range(hashes):
        j = (r + i) & 7
        x = g if i < 8 else g2
        probes.append(first_bit + 64 * j + ((x >> (16 + 6 * j)) & 63))
    return probes


def blocked_probes(header, key):
    return probes_in_blocks(hash_key(header, key), header.bits // 512, header.hashes)


def split_probes(header, key):
    h = hash_key(header, key)
    first_bit = 256 * ((h >> 32) * (header.bits // 256) >> 32)
    low = h & MASK32
    return [
        first_bit + 32 * i + ((low * salt & MASK32) >> 27)
        for i, salt in enumerate(SPLIT_SALTS)
    ]


def counting_probes(header, key):
    h = hash_key(header, key)
    blocks = header.bits // (128 * header.counter_bits)
    first_cell = 128 * high64(h * blocks)
    v = (h * SPREAD & MASK64) >> 32
    return [first_cell + 16 * i + ((v >> 4 * i) & 15) for i in range(8)]


BIT_PROBES = {
    BITMAP: bitmap_probes,
    CLASSIC: classic_probes,
    PARTITIONED: partitioned_probes,
    BLOCKED: blocked_probes,
    SPLIT: split_probes,
}


# Ribbons: the layers, and the place of a key in one. x, here and below, is x_l in the
# specification.


def mix(a, b):
    product = a * b
    return product >> 64 ^ product & MASK64


def layer_seed(base, number, attempt):
    z = (256 * (16 * base + number) + attempt + 1) * SPREAD & MASK64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK64
    return z ^ z >> 31


def layer_starts(keys, attempt):
    if keys == 0:
        return 0
    if keys <= LAST_LAYER_KEYS:
        return 64 * (max(2, -(-((105 + 5 * (attempt // 4)) * keys + 1600) // 6400)) - 1)
    blocks = 925 * keys // 64000
    return 64 * (blocks - -(-blocks // 1025))


def layer_of(columns, table, number):
    keys = table.keys[number]
    attempt = table.attempt if number + 1 == len(table.keys) else 0
    starts = layer_starts(keys, attempt)
    blocks = starts // 64 + -(-starts // SEGMENT_STARTS)
    low_starting = table.share * max(starts // 64 - 1, 0) >> 32
    low_blocks = low_starting + low_starting // 1024
    return Layer(
        seed=layer_seed(table.base, number, attempt),
        starts=starts,
        blocks=blocks,
        low_blocks=low_blocks,
        words=blocks * columns - low_blocks,
        code_bytes=-(-starts // 512) if keys > LAST_LAYER_KEYS else 0,
    )


def layers_of(columns, table):
    return [layer_of(columns, table, number) for number in range(len(table.keys))]


def layers_size(layers):
    return sum(8 * layer.words + layer.code_bytes for layer in layers)


def first_entry(start):
    return start + 64 * (start // SEGMENT_STARTS)


def coefficients_of(x):
    return mix(x ^ NEXT_PROBE, SPREAD_SECOND) | 1


def fingerprint_of(x):
    return (x * NEXT_PROBE & MASK64) >> 32


# Ribbons: building. A row is a pair (C, y), stored in a dict by its entry.


class Failed(Exception):
    """An equation contradicts earlier ones."""


def store_equation(rows, i, coefficients, y):
    """The entry at which the equation was stored as a row; None if it follows from the
    others."""
    while i in rows:
        coefficients ^= rows[i][0]
        y ^= rows[i][1]
        if coefficients == 0:
            if y != 0:
                raise Failed
            return None
        zeros = (coefficients & -coefficients).bit_length() - 1
        coefficients >>= zeros
        i += zeros
    rows[i] = coefficients, y
    return i


def store_group(rows, group, starts, columns):
    """True if the whole group can be stored; otherwise the rows are unchanged."""
    stored = []
    try:
        for x in group:
            i = first_entry(high64(x * starts))
            y = fingerprint_of(x) & (1 << columns) - 1
            stored.append(store_equation(rows, i, coefficients_of(x), y))
    except Failed:
        for i in stored:
            rows.pop(i, None)
        return False
    return True


def bucket_groups(xs, starts):
    """For each bucket its three groups of keys, in the order in which they are stored."""
    buckets = [([], [], []) for _ in range(-(-starts // BUCKET_STARTS))]
    for x in xs:
        start = high64(x * starts)
        place = start % BUCKET_STARTS
        number = next(n for n, limit in enumerate((40, 19, 0)) if place >= limit)
        buckets[start // BUCKET_STARTS][number].append(x)
    return buckets


def store_layer(xs, starts, columns):
    """The rows, the code of each bucket, and the keys that are bumped.

    The segments need no special handling: no bucket is in two of them, and no row extends
    past its own.
    """
    rows, codes, bumped = {}, [], []
    for groups in bucket_groups(xs, starts):
        stored = 0
        while stored < 3 and store_group(rows, groups[stored], starts, columns):
            stored += 1
        codes.append(3 - stored)
        bumped += [x for group in groups[stored:] for x in group]
    return rows, codes, bumped


def solve(rows, entries):
    """The values of the entries; bit j is that of column j."""
    values = [0] * entries
    for i in sorted(rows, reverse=True):
        coefficients, value = rows[i]
        for distance in range(1, coefficients.bit_length()):
            if coefficients >> distance & 1:
                value ^= values[i + distance]
        values[i] = value
    return values


def blocks_bytes(layer, columns, rows):
    values = solve(rows, 64 * layer.blocks)
    words = []
    for block in range(layer.blocks):
        entries = values[64 * block : 64 * block + 64]
        for j in range(columns - (block < layer.low_blocks)):
            words.append(sum((value >> j & 1) << i for i, value in enumerate(entries)))
    return struct.pack(f"<{layer.words}Q", *words)


def codes_bytes(layer, codes):
    packed = sum(code << 2 * bucket for bucket, code in enumerate(codes))
    return packed.to_bytes(layer.code_bytes, "little")


def following(xs, seed):
    """x_l of all keys from x_(l-1), or from h."""
    return [mix(x ^ seed, SPREAD) for x in xs]


def store_last_layer(before, base, number, columns):
    """The attempt that succeeds, and its rows; None if none does."""
    for attempt in range(RIBBON_ATTEMPTS):
        xs = following(before, layer_seed(base, number, attempt))
        rows, _, bumped = store_layer(xs, layer_starts(len(xs), attempt), columns)
        if not bumped:
            return attempt, rows
    return None


def store_layers(hashes, columns, share, base):
    """The table of the layers, and the rows and codes of each; None if this base fails."""
    before, keys, stored = hashes, [], []
    for number in range(RIBBON_LAYERS):
        keys.append(len(before))
        if len(before) <= LAST_LAYER_KEYS:
            last = (
                store_last_layer(before, base, number, columns)
                if before or not number
                else None
            )
            return last and (
                LayerTable(share, base, last[0], keys),
                stored + [(last[1], [])],
            )
        xs = following(before, layer_seed(base, number, 0))
        rows, codes, before = store_layer(xs, layer_starts(len(xs), 0), columns)
        stored.append((rows, codes))
    return None


def build_layers(hashes, columns, share):
    """The table of the layers, and the cells without padding."""
    found = (store_layers(hashes, columns, share, base) for base in range(RIBBON_BASES))
    table, stored = next(filter(None, found), (None, None))
    if table is None:
        raise ValueError("all bases fail")
    layers = layers_of(columns, table)
    blocks = [
        blocks_bytes(layer, columns, rows) for layer, (rows, _) in zip(layers, stored)
    ]
    codes = [codes_bytes(layer, codes) for layer, (_, codes) in zip(layers, stored)]
    return table, b"".join(blocks + codes)


def lookup_rate(header):
    return header.fpr / (header.match_lookups or 1)


def columns_and_share(rate):
    # The rate is a double of at least 2^-32, so nothing is rounded here.
    columns = next(c for c in range(1, 33) if 2.0**-c <= rate)
    return columns, int((rate * 2.0**columns - 1) * 2.0**32)


# Quotient filters: the tables of a stage


def slots_per_line(quotients, remainder_bits):
    """S, or 0 if there is none."""
    fitting = [
        slots
        for slots in range(8, 121)
        if (remainder_bits + 1) * slots + quotients + math.isqrt(2 * slots) <= 501
        and slots + quotients + math.isqrt(2 * slots) <= 190
    ]
    return max(fitting, default=0)


@functools.cache
def table_of(homes, quotients, remainder_bits):
    """The table; None if there is no such table."""
    slots = slots_per_line(quotients, remainder_bits)
    if not (homes >= 1 and 4 <= quotients <= 180 and 4 <= remainder_bits <= 32 and slots):
        return None
    remainders_bit = 512 - remainder_bits * slots
    log_homes = homes.bit_length() - 1
    more_lines = 0 if homes == 1 else 1 + -(-29 * min(8, log_homes) // slots)
    room_of_64 = 64 * slots - math.isqrt(1129 * slots)
    return Table(
        homes=homes,
        quotients=quotients,
        remainder_bits=remainder_bits,
        slots=slots,
        symbols=min(remainders_bit - 11, 190),
        remainders_bit=remainders_bit,
        lines=homes + more_lines,
        room=homes // 64 * room_of_64 + homes % 64 * room_of_64 // 64,
    )


def fingerprints_of(table):
    """U_e of the stage."""
    return table.homes * table.quotients << table.remainder_bits


def table_of_homes(fingerprints, homes):
    """With growth, the table of so many homes; None if there is none."""
    tables = [
        table_of(homes, fingerprints // (homes << remainder_bits), remainder_bits)
        for remainder_bits in range(4, 33)
        if fingerprints % (homes << remainder_bits) == 0
    ]
    # Of several tables with the most slots, max() takes the first, so the one with the
    # smallest r.
    return max(filter(None, tables), key=lambda table: table.slots, default=None)


def odd_part(number):
    return number // (number & -number)


def homes_after(table):
    """With growth, the homes of the next larger table; 0 if there are none."""
    m = ODD_PART_DIVISORS.get(odd_part(table.quotients), 0)
    even = table.homes % 2 == 0
    divisors = {4: (4, 2 if even else 1), 5: (5,), 6: (6, 3), 7: (7,)}.get(m, ())
    d = next((d for d in divisors if table.homes % d == 0), 0)
    return table.homes + table.homes // d if d else 0


def doubled(table):
    return table_of(2 * table.homes, table.quotients, table.remainder_bits - 1)


def halved(table):
    if table.homes % 2:
        return None
    return table_of(table.homes // 2, table.quotients, table.remainder_bits + 1)


def larger_table(header, table):
    """None if there is no larger one."""
    if header.growth == 0:
        return doubled(table)
    homes = homes_after(table)
    return table_of_homes(fingerprints_of(table), homes) if homes else None


def smaller_table(table):
    """With growth, the table whose next larger one this is; None if there is none."""
    homes = (
        table.homes * d // (d + 1) for d in range(1, 8) if table.homes * d % (d + 1) == 0
    )
    tables = (table_of_homes(fingerprints_of(table), fewer) for fewer in homes)
    return next(
        (found for found in tables if found and homes_after(found) == table.homes), None
    )


def smallest_table(table):
    """With growth, the smallest of all tables from which this one can grow."""
    while smaller := smaller_table(table):
        table = smaller
    return table


def planned_table(header, table):
    """Without growth, the table before its `steps`; None if there is none."""
    for _ in range(abs(header.steps)):
        table = table and (halved(table) if header.steps > 0 else doubled(table))
    return table


def first_table(header, table):
    """With growth, the first table of a filter, of which `table` is the first stage."""
    table = smallest_table(table)
    while header.capacity_first > SMALL_CAPACITY and table.room < header.capacity_first:
        table = larger_table(header, table)
    return table


def first_table_after(table):
    """The first table of the stage after one with this table."""
    first = table_of_homes(64 * fingerprints_of(table), table.homes)
    if first is None:
        raise ValueError("more keys than fit into the stages of the filter")
    while (smaller := smaller_table(first)) and (
        smaller.room >= table.room // 16 or first.homes > 4096
    ):
        first = smaller
    return first


def stage_limits(header):
    """L_e of all stages that a filter may have."""
    rates = [min(lookup_rate(header) * share, 1 / 16) for share in STAGE_SHARES]
    return [
        max(1, int(header.fingerprints * 64**stage * rate))
        for stage, rate in enumerate(rates)
    ]


def has_stages(header):
    return header.growth != 0 and header.capacity_max == 0


def stages_for(header):
    """The number of stages that follows from the capacity."""
    stages, left = 1, header.capacity
    if has_stages(header):
        for limit in stage_limits(header)[:-1]:
            if left <= limit:
                break
            left -= limit
            stages += 1
    return stages


# Quotient filters: the layout. A place in the sequence of symbols is a pair: a quotient,
# and how many of its elements are before this place.


class Elements:
    """The elements of a table; `starts` has the place at which each line begins, and that
    of the end."""

    def __init__(self, table, fingerprints=()):
        self.table = table
        self.runs = {}
        for fingerprint in sorted(fingerprints):
            quotient, remainder = divmod(fingerprint, 1 << table.remainder_bits)
            self.runs.setdefault(quotient, []).append(remainder)
        self.starts = [(0, 0)]
        for line in range(table.lines):
            self.starts.append(self.next_start(line))

    def fingerprints(self):
        return [
            quotient << self.table.remainder_bits | remainder
            for quotient, run in sorted(self.runs.items())
            for remainder in run
        ]

    def number(self):
        return sum(map(len, self.runs.values()))

    def symbols_of(self, line):
        """Yields each symbol and the place after it; a symbol is a remainder, or None for a
        0."""
        quotient, before = self.starts[line]
        symbols = elements = 0
        while (
            quotient < (line + 1) * self.table.quotients
            and symbols < self.table.symbols
            and elements < self.table.slots
        ):
            run = self.runs.get(quotient, ())
            symbol = run[before] if before < len(run) else None
            quotient, before = (
                (quotient + 1, 0) if symbol is None else (quotient, before + 1)
            )
            symbols += 1
            elements += symbol is not None
            yield symbol, (quotient, before)

    def next_start(self, line):
        *_, (_, place) = self.symbols_of(line)
        return place

    def arrange(self, quotient):
        """Finds the starts again after a change in the run of this quotient."""
        for line in range(quotient // self.table.quotients, self.table.lines):
            start = self.next_start(line)
            if start == self.starts[line + 1] and start[0] > quotient:
                break
            self.starts[line + 1] = start

    def delta(self, line):
        return line * self.table.quotients - self.starts[line][0]

    def fit(self):
        return self.starts[-1][0] == self.table.lines * self.table.quotients and all(
            self.delta(line) <= GREATEST_DELTA for line in range(self.table.lines)
        )

    def run_of(self, fingerprint):
        """The quotient, the run and the remainder of a fingerprint."""
        quotient, remainder = divmod(fingerprint, 1 << self.table.remainder_bits)
        return quotient, self.runs.setdefault(quotient, []), remainder

    def copies(self, fingerprint):
        _, run, remainder = self.run_of(fingerprint)
        return run.count(remainder)

    def add(self, fingerprint):
        """False, and nothing changes, if the fingerprint does not fit."""
        quotient, run, remainder = self.run_of(fingerprint)
        run.append(remainder)
        run.sort()
        self.arrange(quotient)
        if self.fit():
            return True
        self.remove(fingerprint)
        return False

    def remove(self, fingerprint):
        quotient, run, remainder = self.run_of(fingerprint)
        run.remove(remainder)
        self.arrange(quotient)

    def line_bytes(self, line):
        symbols = [symbol for symbol, _ in self.symbols_of(line)]
        remainders = [symbol for symbol in symbols if symbol is not None]
        bits = self.delta(line) << self.table.remainders_bit - 9
        bits |= sum(1 << bit for bit, symbol in enumerate(symbols, 1) if symbol is not None)
        bits |= sum(
            remainder << self.table.remainders_bit + i * self.table.remainder_bits
            for i, remainder in enumerate(remainders)
        )
        return bits.to_bytes(LINE_SIZE, "little")

    def cells(self):
        return b"".join(self.line_bytes(line) for line in range(self.table.lines))


class Lines:
    """The lines of a table in the cells of a filter."""

    def __init__(self, table, cells):
        self.table = table
        self.cells = cells

    def line(self, number):
        return int.from_bytes(
            self.cells[LINE_SIZE * number : LINE_SIZE * (number + 1)], "little"
        )

    def remainder(self, line, element):
        first_bit = self.table.remainders_bit + element * self.table.remainder_bits
        return line >> first_bit & (1 << self.table.remainder_bits) - 1

    def run_in(self, number, quotient):
        """The remainders of a run in one line, and whether it goes on in the next line."""
        line = self.line(number)
        bits = [line >> bit & 1 for bit in range(self.table.symbols + 1)]
        zeros = [bit for bit, symbol in enumerate(bits) if symbol == 0]
        delta = line >> self.table.remainders_bit - 9 & GREATEST_DELTA
        d = quotient - number * self.table.quotients + delta
        if d < 0:
            return [], False
        if d >= len(zeros):
            return [], True
        end = zeros[d + 1] if d + 1 < len(zeros) else len(bits)
        elements = range(zeros[d] - d, end - d - 1)
        run = [self.remainder(line, element) for element in elements]
        return run, elements.stop >= self.table.slots or end > self.table.symbols

    def copies(self, fingerprint):
        quotient, remainder = divmod(fingerprint, 1 << self.table.remainder_bits)
        copies = 0
        for number in range(quotient // self.table.quotients, self.table.lines):
            run, goes_on = self.run_in(number, quotient)
            copies += run.count(remainder)
            if not goes_on:
                break
        return copies

    def fingerprints(self):
        """All of them, if the lines have the layout that their elements give; otherwise any
        numbers."""
        quotient, found = 0, []
        for number in range(self.table.lines):
            line, symbols, elements = self.line(number), 0, 0
            while (
                quotient < (number + 1) * self.table.quotients
                and symbols < self.table.symbols
                and elements < self.table.slots
            ):
                symbols += 1
                if line >> symbols & 1:
                    remainder = self.remainder(line, elements)
                    found.append(quotient << self.table.remainder_bits | remainder)
                    elements += 1
                else:
                    quotient += 1
        return found


# Filters


class Filter:
    """A filter in memory; `keys` is its number of keys, and `cells` can be changed only
    while building."""

    def __init__(self, header, cells, stages):
        self.header = header
        self.cells = cells
        self.stages = stages
        self.keys = header.keys
        self.mask = int.from_bytes(header.mask, "little")
        self.sections = {}

    def lookups(self, key):
        return PARENTS[self.header.form](key)

    def normalized(self, key):
        """The normalized bytes and their class."""
        found = next(self.lookups(key), None)
        if found is None:
            raise ValueError(f"invalid key of form {self.header.form}: '{key.hex()}'")
        return found

    def count(self, key):
        return next((self.count_of(normalized) for normalized, _ in self.lookups(key)), 0)

    def match(self, key):
        return int(
            any(
                self.count_of(normalized)
                for normalized, number in self.lookups(key)
                if number is None or self.mask >> number & 1
            )
        )

    def add(self, key):
        normalized, number = self.normalized(key)
        self.add_one(normalized)
        if number is not None:
            self.mask |= 1 << number

    def remove(self, key):
        self.remove_one(self.normalized(key)[0])

    def refuse(self, key):
        for normalized, _ in self.lookups(key):
            raise ValueError(f"'{key.hex()}' is a key, '{normalized.hex()}'")

    def emptied(self):
        """An empty filter of the same shape."""
        header = self.header._replace(keys=0, flags=0, mask=b"")
        stages = [stage._replace(keys=0) for stage in self.stages]
        return type(self)(header, bytearray(cells_size(header)), stages)

    def finish(self):
        """Called after the last addition, for kinds that are built from all keys at
        once."""

    def remove_one(self, key):
        raise ValueError(f"keys cannot be removed from kind {self.header.kind}")

    def tail(self):
        return b""

    def all_bits_set(self, probes):
        return all(self.cells[bit >> 3] >> (bit & 7) & 1 for bit in probes)

    def set_bits(self, probes):
        for bit in probes:
            self.cells[bit >> 3] |= 1 << (bit & 7)


class BitFilter(Filter):
    """Bitmap, classic, partitioned, blocked and split, which differ only in their
    probes."""

    def probes(self, key):
        return BIT_PROBES[self.header.kind](self.header, key)

    def count_of(self, key):
        probes = self.probes(key)
        return int(bool(probes) and self.all_bits_set(probes))

    def add_one(self, key):
        # A key without probes, which is possible only in a bitmap, sets no bit.
        probes = self.probes(key)
        if not self.all_bits_set(probes):
            self.set_bits(probes)
            self.keys += 1


class BitmapFilter(BitFilter):
    def remove_one(self, key):
        if self.count_of(key):
            (bit,) = self.probes(key)
            self.cells[bit >> 3] &= ~(1 << (bit & 7))
            self.keys -= 1


class CountingFilter(Filter):
    def __init__(self, header, cells, stages):
        super().__init__(header, cells, stages)
        self.full = (1 << header.counter_bits) - 1

    def cell_place(self, cell):
        """The bytes that contain the cell, and the position of its first bit in them."""
        bit = cell * self.header.counter_bits
        return slice(bit // 8, -(-(bit + self.header.counter_bits) // 8)), bit % 8

    def cell(self, cell):
        place, shift = self.cell_place(cell)
        return int.from_bytes(self.cells[place], "little") >> shift & self.full

    def change_cell(self, cell, difference):
        """Adds to a cell; the sum must fit, so that neighbours in the byte do not
        change."""
        place, shift = self.cell_place(cell)
        old = self.cells[place]
        new = int.from_bytes(old, "little") + (difference << shift)
        self.cells[place] = new.to_bytes(len(old), "little")

    def count_of(self, key):
        return min(self.cell(cell) for cell in counting_probes(self.header, key))

    def add_one(self, key):
        probes = counting_probes(self.header, key)
        values = [self.cell(cell) for cell in probes]
        highest_raised = min(values) if self.header.insert_only else self.full
        for cell, value in zip(probes, values):
            if value <= highest_raised and value != self.full:
                self.change_cell(cell, 1)
        self.keys += 1

    def remove_one(self, key):
        probes = counting_probes(self.header, key)
        values = [self.cell(cell) for cell in probes]
        if self.header.insert_only or min(values) == 0:
            return
        for cell, value in zip(probes, values):
            if value != self.full:
                self.change_cell(cell, -1)
        # A full cell allows a key to be removed more often than it was added, but a
        # negative number of keys cannot be written.
        self.keys = max(self.keys - 1, 0)


class ScalableFilter(Filter):
    def __init__(self, header, cells, stages):
        super().__init__(header, cells, stages)
        self.stage_in_use = 0
        self.first_bits = []
        first_bit = 0
        for stage in stages:
            self.first_bits.append(first_bit)
            first_bit += 512 * stage.blocks

    def probes(self, h, number):
        stage = self.stages[number]
        first_bit = self.first_bits[number]
        return [first_bit + bit for bit in probes_in_blocks(h, stage.blocks, stage.hashes)]

    def any_stage_has(self, h):
        return any(self.all_bits_set(self.probes(h, i)) for i in range(len(self.stages)))

    def count_of(self, key):
        return int(self.any_stage_has(hash_key(self.header, key)))

    def add_one(self, key):
        h = hash_key(self.header, key)
        if self.any_stage_has(h):
            return
        stage = self.stages[self.stage_in_use]
        if stage.keys == stage.capacity:
            self.stage_in_use += 1
            if self.stage_in_use == len(self.stages):
                raise ValueError("more keys than fit into the stages of the table")
            stage = self.stages[self.stage_in_use]
        self.set_bits(self.probes(h, self.stage_in_use))
        self.stages[self.stage_in_use] = stage._replace(keys=stage.keys + 1)
        self.keys += 1

    def tail(self):
        if self.stage_in_use + 1 != len(self.stages):
            raise ValueError(
                f"only {self.stage_in_use + 1} of {len(self.stages)} stages are used"
            )
        table = b"".join(STAGE_FORMAT.pack(*stage) for stage in self.stages)
        return table.ljust(tail_size(self.header), b"\0")


class RibbonFilter(Filter):
    def __init__(self, header, cells, table):
        super().__init__(header, cells, [])
        self.table = table
        self.layers = layers_of(header.hashes, table)
        self.hashes_added = set()

    def word(self, offset):
        return int.from_bytes(self.cells[offset : offset + 8], "little")

    def code(self, codes_start, bucket):
        return self.cells[codes_start + bucket // 4] >> 2 * (bucket % 4) & 3

    def bumps(self, layer, codes_start, start):
        if layer.code_bytes == 0:
            return False
        code = self.code(codes_start, start // BUCKET_STARTS)
        return start % BUCKET_STARTS < BUMPED_BELOW[code]

    def layer_has(self, layer, blocks_start, x):
        entry = first_entry(high64(x * layer.starts))
        columns = self.header.hashes

        def block_place(block):
            words_before = block * columns - min(block, layer.low_blocks)
            return blocks_start + 8 * words_before

        block = entry // 64
        here, there = block_place(block), block_place(block + 1)
        for j in range(columns - (block < layer.low_blocks)):
            bits = self.word(here + 8 * j) | self.word(there + 8 * j) << 64
            met = bits >> entry % 64 & coefficients_of(x)
            if met.bit_count() & 1 != fingerprint_of(x) >> j & 1:
                return False
        return True

    def count_of(self, key):
        if self.keys == 0:
            return 0
        x = hash_key(self.header, key)
        blocks_start = 0
        codes_start = 8 * sum(layer.words for layer in self.layers)
        for layer in self.layers:
            x = mix(x ^ layer.seed, SPREAD)
            if not self.bumps(layer, codes_start, high64(x * layer.starts)):
                return int(self.layer_has(layer, blocks_start, x))
            blocks_start += 8 * layer.words
            codes_start += layer.code_bytes
        raise AssertionError("the last layer bumps no key")

    def emptied(self):
        header = self.header._replace(bits=0, capacity=1, keys=0, stages=1, mask=b"")
        return RibbonFilter(header, b"", EMPTY_LAYERS)

    def add_one(self, key):
        self.hashes_added.add(hash_key(self.header, key))

    def finish(self):
        columns, share = columns_and_share(lookup_rate(self.header))
        self.table, cells = build_layers(self.hashes_added, columns, share)
        self.layers = layers_of(columns, self.table)
        self.keys = self.table.keys[0]
        self.header = self.header._replace(
            hashes=columns,
            bits=8 * len(cells),
            capacity=max(self.keys, 1),
            stages=len(self.layers),
        )
        self.cells = cells.ljust(cells_size(self.header), b"\0")

    def tail(self):
        share, base, attempt, keys = self.table
        table = LAYERS_FORMAT.pack(share, base, attempt) + struct.pack(
            f"<{len(keys)}Q", *keys
        )
        return table.ljust(tail_size(self.header), b"\0")


class QuotientFilter(Filter):
    """`lines` has the tables of an opened filter, `built` those of a filter while it is
    built."""

    def __init__(self, header, cells, stages):
        super().__init__(header, cells, stages)
        self.lines = lines_of(stages, cells)
        self.first_table = None
        self.built = []

    def fingerprint(self, key, stage):
        return high64(hash_key(self.header, key) * self.header.fingerprints * 64**stage)

    def count_of(self, key):
        return sum(
            lines.copies(self.fingerprint(key, stage))
            for stage, lines in enumerate(self.lines)
        )

    def emptied(self):
        empty = QuotientFilter(self.header._replace(keys=0, mask=b"", steps=0), b"", [])
        first = first_table if self.header.growth else planned_table
        empty.first_table = first(self.header, self.lines[0].table)
        empty.built = [Elements(empty.first_table)]
        return empty

    def grow(self, table):
        self.built[-1] = Elements(table, self.built[-1].fingerprints())
        if self.header.growth == 0:
            self.header = self.header._replace(steps=self.header.steps + 1)

    def add_stage_if_due(self):
        stage, limits = len(self.built), stage_limits(self.header)
        if (
            has_stages(self.header)
            and stage < QUOTIENT_STAGES
            and self.built[-1].number() >= limits[stage - 1]
        ):
            self.built.append(Elements(first_table_after(self.built[-1].table)))

    def add_one(self, key):
        copies = [
            elements.copies(self.fingerprint(key, stage))
            for stage, elements in enumerate(self.built)
        ]
        if copies[-1] == FULL_COPIES or self.header.insert_only and any(copies):
            return
        self.add_stage_if_due()
        fingerprint = self.fingerprint(key, len(self.built) - 1)
        larger = larger_table(self.header, self.built[-1].table)
        if larger and self.built[-1].number() >= self.built[-1].table.room:
            self.grow(larger)
        while not self.built[-1].add(fingerprint):
            larger = larger_table(self.header, self.built[-1].table)
            if larger is None:
                raise ValueError("more keys than fit into the largest table")
            self.grow(larger)
        self.keys += 1

    def remove_one(self, key):
        if self.header.insert_only:
            return
        for stage in reversed(range(len(self.built))):
            fingerprint = self.fingerprint(key, stage)
            copies = self.built[stage].copies(fingerprint)
            if copies:
                if copies != FULL_COPIES:
                    self.built[stage].remove(fingerprint)
                    self.keys -= 1
                return

    def capacity(self):
        if self.header.growth == 0:
            return self.header.capacity
        table = self.built[-1].table
        limits = stage_limits(self.header)[: len(self.built)]
        if len(self.built) > 1:
            return sum(limits[:-1]) + min(table.room, limits[-1])
        if table.homes <= self.first_table.homes:
            return self.header.capacity_first
        return max(
            min(table.room, self.header.capacity_max or limits[0]),
            self.header.capacity_first,
        )

    def finish(self):
        table = self.built[-1].table
        self.header = self.header._replace(
            hashes=table.remainder_bits,
            bits=512 * sum(elements.table.lines for elements in self.built),
            capacity=self.capacity(),
            stages=len(self.built),
            quotients=table.quotients,
        )
        self.cells = b"".join(elements.cells() for elements in self.built)

    def tail(self):
        entries = [
            (
                elements.table.homes,
                elements.number(),
                elements.table.quotients,
                elements.table.remainder_bits,
                0,
            )
            for elements in self.built
        ]
        table = b"".join(TABLE_FORMAT.pack(*entry) for entry in entries)
        return table.ljust(tail_size(self.header), b"\0") if len(entries) > 1 else b""


def lines_of(stages, cells):
    """The lines of each stage."""
    lines, first = [], 0
    for stage in stages:
        table = table_of(stage.homes, stage.quotients, stage.remainder_bits)
        end = first + LINE_SIZE * table.lines
        lines.append(Lines(table, cells[first:end]))
        first = end
    return lines


class ArrayFilter(BitFilter):
    """Guava, Spark, DCSO and libbloom; `array` is what the tail says."""

    def __init__(self, header, cells, array):
        super().__init__(header, cells, [])
        self.array = array

    def probes(self, key):
        return foreign.array_probes(self.header.kind, key, self.array)

    def emptied(self):
        header = self.header._replace(keys=0, flags=0)
        return ArrayFilter(header, bytearray(cells_size(header)), self.array)

    def tail(self):
        return foreign.new_array_tail(self.header, self.array.variant, self.array.seed)


class ChainFilter(Filter):
    """RedisBloom; the links have their cells in `cells`, one after the other."""

    def __init__(self, header, cells, chain):
        super().__init__(header, cells, [])
        self.chain = chain

    def probes(self, key):
        """For each link the bits in the cells of all links."""
        a, b = foreign.chain_hashes(self.chain, key)
        first, probes = 0, []
        for link in self.chain.links:
            probes.append([first + bit for bit in foreign.link_probes(link, a, b)])
            first += round_up(link.bits, 64)
        return probes

    def count_of(self, key):
        return int(any(self.all_bits_set(probes) for probes in self.probes(key)))

    def emptied(self):
        # The plan of the filter chose how large the first link is.
        planned = foreign.new_link(self.header.capacity_first, self.header.fpr / 2)
        link = planned._replace(bits=self.chain.links[0].bits)
        header = self.header._replace(keys=0, flags=0)
        chain = foreign.Chain(foreign.OPTIONS_NEW, self.header.growth, [link])
        return ChainFilter(header, bytearray(link.bits // 8), chain)

    def add_one(self, key):
        if self.count_of(key):
            return
        links = self.chain.links
        if links[-1].keys == links[-1].capacity:
            capacity = links[-1].capacity * self.chain.growth
            links.append(foreign.new_link(capacity, links[-1].error / 2))
            self.cells += bytes(links[-1].bits // 8)
        self.set_bits(self.probes(key)[-1])
        links[-1] = links[-1]._replace(keys=links[-1].keys + 1)
        self.keys += 1

    def finish(self):
        links = self.chain.links
        self.header = self.header._replace(
            hashes=links[0].hashes,
            bits=8 * len(self.cells),
            capacity=sum(link.capacity for link in links),
            stages=len(links),
        )
        self.cells = self.cells.ljust(cells_size(self.header), b"\0")

    def tail(self):
        return foreign.chain_tail(self.chain)


FILTER_CLASSES = {
    BITMAP: BitmapFilter,
    COUNTING: CountingFilter,
    SCALABLE: ScalableFilter,
    RIBBON: RibbonFilter,
    QUOTIENT: QuotientFilter,
    foreign.REDISBLOOM: ChainFilter,
}
FILTER_CLASSES |= {kind: ArrayFilter for kind in foreign.ARRAYS}


# Opening: the checks have the order of the section "What a reader checks", because that
# order determines the reason for which a file with several errors is refused.


def demand(condition, reason):
    if not condition:
        raise Refused(reason)


def nothing_unknown(header):
    """Kind 0 passes here: it is not a kind of a later version, so it is refused as
    corrupt."""
    return (
        header.features == 0
        and header.flags & ~FLAG_NOT_COUNTED == 0
        and header.form <= FORM_UTF16
        and header.hash <= HASH_FOREIGN
        and (header.kind <= QUOTIENT or header.kind in foreign.KINDS)
    )


def seeds_fit_hash(header):
    if header.hash == HASH_XXH3:
        return header.seed_1 == 0
    if header.kind == foreign.SPARK:
        return header.seed_0 <= MASK32 and header.seed_1 == 0
    return header.hash == HASH_SIPHASH13 or header.seed_0 == header.seed_1 == 0


def common_figures_sound(header):
    # NaN is not in the range from 0 to 1.
    least_bits = 0 if header.kind == RIBBON and header.keys == 0 else 1
    return (
        least_bits <= header.bits <= MAX_BITS
        and header.capacity >= 1
        and 0 <= header.fpr <= 1
        and (header.keys == 0 or not header.flags & FLAG_NOT_COUNTED)
        and (header.hash == HASH_FOREIGN) == (header.kind in foreign.KINDS)
        and seeds_fit_hash(header)
    )


def foreign_figures_absent(header):
    """Fields that the kind does not use are 0, or 1 for counter_bits."""
    if header.kind != COUNTING and header.counter_bits != 1:
        return False
    if header.kind not in (COUNTING, QUOTIENT) and header.insert_only:
        return False
    if (
        header.kind not in (SCALABLE, RIBBON, QUOTIENT, foreign.REDISBLOOM)
        and header.stages != 0
    ):
        return False
    if (
        header.kind != QUOTIENT
        and not header.fingerprints == header.quotients == header.steps == 0
    ):
        return False
    return header.kind in (SCALABLE, QUOTIENT, foreign.REDISBLOOM) or (
        header.growth == header.capacity_first == header.capacity_max == 0
    )


def form_figures_sound(header):
    classes = CLASSES.get(header.form, 0)
    lookups_sound = (
        1 <= header.match_lookups <= MAX_LOOKUPS if classes else header.match_lookups == 0
    )
    return (
        lookups_sound
        and int.from_bytes(header.mask, "little") >> classes == 0
        and (header.form == FORM_RAW or header.kind != BITMAP)
        and (classes == 0 or header.kind not in foreign.KINDS)
    )


def blocks_sound(header, block_bits):
    return header.bits % block_bits == 0 and 1 <= header.bits // block_bits < 1 << 32


def bitmap_figures_sound(header):
    # A bitmap uses no hash, so neither hash nor seed may be set.
    return (
        header.capacity == header.bits
        and header.hashes == 1
        and header.fpr == 0
        and header.hash == header.seed_0 == header.seed_1 == 0
    )


def classic_figures_sound(header):
    return 1 <= header.hashes <= 64


def partitioned_figures_sound(header):
    return 1 <= header.hashes <= 64 and header.bits % header.hashes == 0


def blocked_figures_sound(header):
    return blocks_sound(header, 512) and 1 <= header.hashes <= 16


def split_figures_sound(header):
    return blocks_sound(header, 256) and header.hashes == 8 and header.hash == HASH_XXH64


def counting_figures_sound(header):
    return (
        header.counter_bits in (4, 8, 16, 32)
        and header.bits % (128 * header.counter_bits) == 0
        and header.hashes == 8
    )


def scalable_figures_sound(header):
    return (
        header.fpr > 0
        and header.bits % 512 == 0
        and 1 <= header.hashes <= 16
        and header.capacity < CAPACITY_LIMIT
        and 1 <= header.growth <= 32768
        and 1 <= header.stages <= 40
        and 1 <= header.capacity_first < CAPACITY_LIMIT
        and header.capacity_max < CAPACITY_LIMIT
    )


def ribbon_figures_sound(header):
    return (
        1 <= header.hashes <= 32
        and header.capacity <= LAYER_KEYS_LIMIT
        and 2.0**-32 <= lookup_rate(header) < 1
        and 1 <= header.stages <= RIBBON_LAYERS
    )


def quotient_figures_sound(header):
    return (
        header.fpr > 0
        and header.bits % 512 == 0
        and 4 <= header.hashes <= 32
        and 4 <= header.quotients <= 180
        and 1 <= header.fingerprints
        and header.capacity <= QUOTIENT_CAPACITY_LIMIT
        and 1 <= header.stages <= len(STAGE_SHARES)
        and last_table_sound(header)
        and (
            growing_figures_sound(header) if header.growth else fixed_figures_sound(header)
        )
    )


def last_table_sound(header):
    """The header has Q and r of the last table.  A filter that has no other has all its
    bits there."""
    homes, rest = divmod(
        header.fingerprints * 64 ** (stages_for(header) - 1),
        header.quotients << header.hashes,
    )
    table = table_of(homes, header.quotients, header.hashes)
    return (
        table is not None
        and rest == 0
        and homes * header.quotients << header.hashes <= FINGERPRINTS_LIMIT
        and (
            header.bits >= 512 * table.lines
            if has_stages(header)
            else header.bits == 512 * table.lines
        )
    )


def fixed_figures_sound(header):
    homes = header.fingerprints // (header.quotients << header.hashes)
    table = table_of(homes, header.quotients, header.hashes)
    return (
        header.capacity_first == header.capacity_max == 0
        and -QUOTIENT_STEPS <= header.steps <= QUOTIENT_STEPS
        and planned_table(header, table) is not None
    )


def growing_figures_sound(header):
    return (
        header.growth <= QUOTIENT_GROWTH_LIMIT
        and header.steps == 0
        and 1 <= header.capacity_first <= QUOTIENT_CAPACITY_LIMIT
        and (not has_stages(header) or header.capacity_first <= stage_limits(header)[0])
        and header.capacity_max <= QUOTIENT_CAPACITY_LIMIT
        and odd_part(header.quotients) in ODD_PART_DIVISORS
    )


def array_figures_sound(header):
    whole_words = header.kind in (foreign.GUAVA, foreign.SPARK)
    return 1 <= header.hashes <= foreign.PROBES_LIMIT and (
        not whole_words or header.bits % 64 == 0
    )


def chain_figures_sound(header):
    return (
        0 < header.fpr < 1
        and header.bits % 64 == 0
        and 1 <= header.hashes <= foreign.PROBES_LIMIT
        and header.growth <= 32768
        and 1 <= header.stages <= foreign.LINKS_LIMIT
        and 1 <= header.capacity_first <= header.capacity
        and header.capacity_max == 0
    )


KIND_FIGURES_SOUND = {
    BITMAP: bitmap_figures_sound,
    CLASSIC: classic_figures_sound,
    PARTITIONED: partitioned_figures_sound,
    BLOCKED: blocked_figures_sound,
    SPLIT: split_figures_sound,
    COUNTING: counting_figures_sound,
    SCALABLE: scalable_figures_sound,
    RIBBON: ribbon_figures_sound,
    QUOTIENT: quotient_figures_sound,
    foreign.REDISBLOOM: chain_figures_sound,
} | {kind: array_figures_sound for kind in foreign.ARRAYS}


def read_header(data):
    """Steps 1 to 5."""
    demand(data[: len(MAGIC)] == MAGIC, "format")
    demand(len(data) >= HEADER_SIZE, "truncated")
    header = Header(*HEADER_FORMAT.unpack_from(data))
    demand(header.version <= VERSION, "newer")
    demand(header.header_sum == xxh3_64_intdigest(data[:HEADER_SUMMED], 0), "corrupt")
    demand(nothing_unknown(header), "newer")
    demand(header.version != 0 and header.kind != 0, "corrupt")
    reserved = header.reserved_1 + header.reserved_2 + header.reserved_3 + header.reserved_4
    demand(header.insert_only <= 1 and not any(reserved), "corrupt")
    demand(
        header.sections_size % 8 == 0 and header.sections_size <= SECTIONS_LIMIT, "corrupt"
    )
    demand(header.sections_size > 0 or header.sections_sum == 0, "corrupt")
    demand(common_figures_sound(header), "corrupt")
    demand(form_figures_sound(header), "corrupt")
    demand(foreign_figures_absent(header), "corrupt")
    demand(KIND_FIGURES_SOUND[header.kind](header), "corrupt")
    return header


def check_length(header, size):
    """Step 6."""
    demand(header.length == image_size(header), "corrupt")
    demand(size >= header.length, "truncated")
    demand(size == header.length, "corrupt")


def padding_is_zero(header, cells):
    last_bytes = int.from_bytes(cells[header.bits // 8 :], "little")
    return last_bytes >> header.bits % 8 == 0


def read_stages(header, tail):
    """Step 7 for scalable filters; no stages and no tail for other kinds."""
    table_size = STAGE_FORMAT.size * header.stages
    stages = [Stage(*entry) for entry in STAGE_FORMAT.iter_unpack(tail[:table_size])]
    demand(not any(tail[table_size:]), "corrupt")
    if stages:
        demand(all(stage_sound(stage) for stage in stages), "corrupt")
        demand(512 * sum(stage.blocks for stage in stages) == header.bits, "corrupt")
        demand(sum(stage.capacity for stage in stages) == header.capacity, "corrupt")
        demand(stages[0].capacity == header.capacity_first, "corrupt")
        demand(stages[0].hashes == header.hashes, "corrupt")
    return stages


def stage_sound(stage):
    return (
        1 <= stage.blocks < 1 << 32
        and 1 <= stage.capacity <= 131072 * stage.blocks
        and 1 <= stage.hashes <= 16
        and stage.zero == 0
    )


def read_layers(header, tail):
    """Step 7 for ribbons."""
    table_size = LAYERS_FORMAT.size + 8 * header.stages
    keys = list(struct.unpack_from(f"<{header.stages}Q", tail, LAYERS_FORMAT.size))
    table = LayerTable(*LAYERS_FORMAT.unpack_from(tail), keys)
    demand(not any(tail[table_size:]), "corrupt")
    demand(table.base < RIBBON_BASES and table.attempt < RIBBON_ATTEMPTS, "corrupt")
    demand(not header.flags & FLAG_NOT_COUNTED, "corrupt")
    demand(keys[0] == header.keys and header.capacity == max(header.keys, 1), "corrupt")
    demand(
        all(LAST_LAYER_KEYS < number <= LAYER_KEYS_LIMIT for number in keys[:-1]), "corrupt"
    )
    demand(keys[-1] <= LAST_LAYER_KEYS, "corrupt")
    demand(all(number != 0 for number in keys[1:]), "corrupt")
    demand(8 * layers_size(layers_of(header.hashes, table)) == header.bits, "corrupt")
    return table


def read_tables(header, tail):
    """Step 7 for quotient filters."""
    table_size = TABLE_FORMAT.size * header.stages
    if header.stages == 1:
        homes = header.fingerprints // (header.quotients << header.hashes)
        stages = [TableEntry(homes, header.keys, header.quotients, header.hashes, 0)]
    else:
        stages = [
            TableEntry(*entry) for entry in TABLE_FORMAT.iter_unpack(tail[:table_size])
        ]
    demand(header.stages == stages_for(header), "corrupt")
    demand(not any(tail[table_size:]), "corrupt")
    demand(not header.flags & FLAG_NOT_COUNTED, "corrupt")
    demand(stages[-1].quotients == header.quotients, "corrupt")
    demand(stages[-1].remainder_bits == header.hashes, "corrupt")
    for number, stage in enumerate(stages):
        demand(table_sound(stage, header.fingerprints * 64**number), "corrupt")
    tables = [
        table_of(stage.homes, stage.quotients, stage.remainder_bits) for stage in stages
    ]
    demand(sum(stage.elements for stage in stages) == header.keys, "corrupt")
    demand(512 * sum(table.lines for table in tables) == header.bits, "corrupt")
    return stages


def table_sound(stage, fingerprints):
    table = table_of(stage.homes, stage.quotients, stage.remainder_bits)
    return (
        table is not None
        and stage.homes * stage.quotients << stage.remainder_bits == fingerprints
        and stage.elements <= table.slots * table.lines
        and stage.zero == 0
    )


def read_array(header, tail):
    """Step 7 for the kinds of other programs that are one array."""
    array = foreign.read_array_tail(header.kind, tail)
    demand(array is not None, "corrupt")
    demand(
        (array.bits, array.hashes, array.seed)
        == (header.bits, header.hashes, header.seed_0),
        "corrupt",
    )
    return array


def read_chain(header, tail):
    """Step 7 for redisbloom."""
    chain = foreign.read_chain(header, tail)
    demand(chain is not None, "corrupt")
    return chain


def link_padding_is_zero(header, cells, chain):
    """The bits of each link after its last one, up to a multiple of 64, are 0."""
    if header.kind != foreign.REDISBLOOM:
        return True
    first = 0
    for link in chain.links:
        end = first + round_up(link.bits, 64) // 8
        if int.from_bytes(cells[first + link.bits // 8 : end], "little") >> link.bits % 8:
            return False
        first = end
    return True


def quotient_layout_right(header, cells, stages):
    if header.kind != QUOTIENT:
        return True
    most = 1 if header.insert_only else FULL_COPIES
    return all(
        stage_layout_right(lines, stage.elements, most)
        for lines, stage in zip(lines_of(stages, cells), stages)
    )


def stage_layout_right(lines, number, copies):
    found = lines.fingerprints()
    elements = Elements(lines.table, found)
    largest = lines.table.homes * lines.table.quotients << lines.table.remainder_bits
    return (
        len(found) == number
        and all(fingerprint < largest for fingerprint in found)
        and all(count <= copies for count in Counter(found).values())
        and elements.fit()
        and elements.cells() == lines.cells
    )


def bitmap_keys_right(header, cells):
    if header.kind != BITMAP or header.flags & FLAG_NOT_COUNTED:
        return True
    return int.from_bytes(cells, "little").bit_count() == header.keys


READ_TAIL = {RIBBON: read_layers, QUOTIENT: read_tables, foreign.REDISBLOOM: read_chain}
READ_TAIL |= {kind: read_array for kind in foreign.ARRAYS}


def open_image(data, trust=False):
    """The filter in these bytes; `trust` skips step 8, the only one that reads all of
    them."""
    header = read_header(data)
    check_length(header, len(data))
    tail_start = HEADER_SIZE + cells_size(header)
    table_start = tail_start + tail_size(header)
    sections_start = len(data) - header.sections_size
    view = memoryview(data)
    cells = view[HEADER_SIZE:tail_start]
    demand(padding_is_zero(header, cells), "corrupt")
    tail = READ_TAIL.get(header.kind, read_stages)(header, view[tail_start:table_start])
    demand(link_padding_is_zero(header, cells, tail), "corrupt")
    demand(sections_sum(view[sections_start:]) == header.sections_sum, "corrupt")
    sections = read_sections(view[sections_start:])
    if not trust:
        table = view[table_start:sections_start]
        demand(xxh3_64_intdigest(table, 0) == header.table_sum, "corrupt")
        demand(chunk_table(view[HEADER_SIZE:table_start]) == table, "corrupt")
        demand(bitmap_keys_right(header, cells), "corrupt")
        demand(quotient_layout_right(header, cells, tail), "corrupt")
    opened = FILTER_CLASSES.get(header.kind, BitFilter)(header, cells, tail)
    opened.sections = sections
    return opened


# Building


def seal(built):
    """The whole image of a filter: everything that can be computed is computed, not
    copied."""
    body = bytes(built.cells) + built.tail()
    table = chunk_table(body)
    sections = sections_data(built.sections)
    sized = built.header._replace(sections_size=len(sections))
    header = sized._replace(
        magic=MAGIC,
        version=VERSION,
        length=image_size(sized),
        keys=built.keys,
        reserved_1=b"",
        reserved_2=b"",
        sections_sum=sections_sum(sections),
        reserved_3=b"",
        mask=built.mask.to_bytes(32, "little"),
        reserved_4=b"",
        table_sum=xxh3_64_intdigest(table, 0),
    )
    summed = HEADER_FORMAT.pack(*header)[:HEADER_SUMMED]
    return (
        summed + struct.pack("<Q", xxh3_64_intdigest(summed, 0)) + body + table + sections
    )


def with_note(sections, name, text):
    notes = read_notes(sections[TYPE_NOTES]) if TYPE_NOTES in sections else {}
    notes.pop(name, None)
    notes |= {name: text} if text else {}
    others = {number: data for number, data in sections.items() if number != TYPE_NOTES}
    return others | ({TYPE_NOTES: notes_data(notes)} if notes else {})


def build_sections(operations):
    sections = {}
    for operation, what, data in operations:
        sections = (
            with_note(sections, what.encode("ascii"), data)
            if operation == "n"
            else sections | {int(what): data}
        )
    return sections


def rebuild(shape, operations, sections):
    """The image that the operations, pairs of "a", "r" or "x" and a key, give in an empty
    filter.

    Of `shape`, an opened filter, only the shape is used, not its cells and numbers of keys.
    Raises ValueError if the operations cannot have made a filter of this shape.
    """
    built = shape.emptied()
    change = {"a": built.add, "r": built.remove, "x": built.refuse}
    for operation, key in operations:
        change[operation](key)
    built.finish()
    built.sections = sections
    return seal(built)


# The command


def read_operations(path):
    """The changes [(operation, key)], the queries [(operation, key, N)], what was done to
    the sections [(operation, what, data)] and the content ids in an .ops file."""
    changes, queries, about, ids = [], [], [], []
    for number, line in enumerate(path.read_text("ascii").splitlines(), 1):
        match line.split(" "):
            case ["a" | "r" | "x" as operation, key]:
                changes.append((operation, bytes.fromhex(key)))
            case ["q" | "m" as operation, key, answer]:
                queries.append((operation, bytes.fromhex(key), int(answer)))
            case ["n" | "s" as operation, what, data]:
                about.append((operation, what, bytes.fromhex(data)))
            case ["i", number]:
                ids.append(int(number, 16))
            case _:
                raise ValueError(f"{path.name}, line {number}: not an operation: {line!r}")
    return changes, queries, about, ids


def folding_known(opened, operation):
    try:
        next(opened.lookups(operation[1]), None)
    except FoldingUnknown:
        return False
    return True


def query_failures(opened, queries):
    """Yields at most one line, because queries mostly differ for the same reason."""
    ask = {"q": opened.count, "m": opened.match}
    wrong = [
        (operation, key, expected, got)
        for operation, key, expected in queries
        if (got := ask[operation](key)) != expected
    ]
    if wrong:
        operation, key, expected, got = wrong[0]
        yield (
            f"{len(wrong)} of {len(queries)} queries differ, first '{operation} {key.hex()}': "
            f"{got} here, {expected} in the operations"
        )


def byte_failures(image, rebuilt):
    if len(image) != len(rebuilt):
        yield f"{len(image)} bytes in the file, {len(rebuilt)} rebuilt"
    if image == rebuilt:
        return
    for offset, (stored, built) in enumerate(zip(image, rebuilt)):
        if stored != built:
            yield f"offset {offset}: {stored:#04x} in the file, {built:#04x} rebuilt"
            return


def petal_failures(path):
    image = path.read_bytes()
    try:
        opened = open_image(image)
    except Refused as refused:
        hint = " (a kind, form or hash that reader.py does not know yet?)"
        yield f"refused as {refused.reason}{hint if refused.reason == 'newer' else ''}"
        return
    changes, queries, about, ids = read_operations(path.with_suffix(".ops"))
    yield from query_failures(
        opened, [query for query in queries if folding_known(opened, query)]
    )
    counted = not opened.header.flags & FLAG_NOT_COUNTED
    if counted and all(folding_known(opened, change) for change in changes):
        yield from byte_failures(image, rebuild(opened, changes, build_sections(about)))
    if any(number != content_id(image) for number in ids):
        yield f"the content id is {content_id(image):016x}"


def bad_failures(path):
    expected = path.with_suffix(".reason").read_text("ascii").strip()
    try:
        open_image(path.read_bytes())
    except Refused as refused:
        if refused.reason != expected:
            yield f"refused as {refused.reason}, not as {expected}"
    else:
        yield f"opened, not refused as {expected}"


def report_failures(path, failures):
    """Prints the failures of one file; True if there were none."""
    passed = True
    try:
        for failure in failures(path):
            passed = False
            print(f"{path}: {failure}", file=sys.stderr)
    except (OSError, ValueError) as error:
        passed = False
        print(f"{path}: {error}", file=sys.stderr)
    return passed


def check(directory):
    """Checks all files of a directory; returns the exit status."""
    results = [
        report_failures(path, failures)
        for pattern, failures in (("*.petal", petal_failures), ("*.bad", bad_failures))
        for path in sorted(directory.glob(pattern))
    ]
    passed = sum(results)
    failed = len(results) - passed
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def main(arguments):
    if len(arguments) != 2 or arguments[0] != "check":
        print("usage: reader.py check DIR", file=sys.stderr)
        return 2
    return check(Path(arguments[1]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
