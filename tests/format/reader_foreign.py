# SPDX-License-Identifier: BSD-2-Clause
"""The filters of other programs, kinds 16 to 20, for reader.py.

Like reader.py, this file was written from docs/format.md alone. It has the hash functions
of these programs, the headers that they keep in the tail, and the probes of a key.
"""

import math
import struct
from typing import NamedTuple

REDISBLOOM, GUAVA, SPARK, DCSO, LIBBLOOM = range(16, 21)
ARRAYS = (GUAVA, SPARK, DCSO, LIBBLOOM)
KINDS = (REDISBLOOM, *ARRAYS)

PROBES_LIMIT = 64
WORDS_LIMIT = (1 << 31) - 1
ARRAY_TAIL_SIZE = 128

MASK32 = (1 << 32) - 1
MASK64 = (1 << 64) - 1
M2_SEED = 0x9747B28C
M64_SEED = 0xC6A4A7935BD1E995
DCSO_PRIME = (1 << 64) - 59
DCSO_FACTOR = 18446744073709550147


# Hash functions


def murmur2(key, seed):
    """MurmurHash2, 32 bits."""
    factor = 0x5BD1E995
    h = seed ^ len(key) & MASK32
    whole = len(key) & ~3
    for (word,) in struct.iter_unpack("<I", key[:whole]):
        word = word * factor & MASK32
        word = (word ^ word >> 24) * factor & MASK32
        h = (h * factor & MASK32) ^ word
    if key[whole:]:
        h = (h ^ int.from_bytes(key[whole:], "little")) * factor & MASK32
    h = (h ^ h >> 13) * factor & MASK32
    return h ^ h >> 15


def murmur64a(key, seed):
    """MurmurHash64A."""
    factor = 0xC6A4A7935BD1E995
    h = seed ^ len(key) * factor & MASK64
    whole = len(key) & ~7
    for (word,) in struct.iter_unpack("<Q", key[:whole]):
        word = word * factor & MASK64
        word = (word ^ word >> 47) * factor & MASK64
        h = (h ^ word) * factor & MASK64
    if key[whole:]:
        h = (h ^ int.from_bytes(key[whole:], "little")) * factor & MASK64
    h = (h ^ h >> 47) * factor & MASK64
    return h ^ h >> 47


def rotated(number, places, bits):
    return (number << places | number >> bits - places) & (1 << bits) - 1


def murmur3_x64_128(key):
    """MurmurHash3_x64_128 with seed 0: h1 and h2."""
    factor_1, factor_2 = 0x87C37B91114253D5, 0x4CF5AD432745937F

    def scrambled_1(word):
        return rotated(word * factor_1 & MASK64, 31, 64) * factor_2 & MASK64

    def scrambled_2(word):
        return rotated(word * factor_2 & MASK64, 33, 64) * factor_1 & MASK64

    def final(h):
        h = (h ^ h >> 33) * 0xFF51AFD7ED558CCD & MASK64
        h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53 & MASK64
        return h ^ h >> 33

    h1 = h2 = 0
    whole = len(key) & ~15
    for word_1, word_2 in struct.iter_unpack("<QQ", key[:whole]):
        h1 ^= scrambled_1(word_1)
        h1 = (rotated(h1, 27, 64) + h2) * 5 + 0x52DCE729 & MASK64
        h2 ^= scrambled_2(word_2)
        h2 = (rotated(h2, 31, 64) + h1) * 5 + 0x38495AB5 & MASK64
    rest = key[whole:]
    h2 ^= scrambled_2(int.from_bytes(rest[8:], "little"))
    h1 ^= scrambled_1(int.from_bytes(rest[:8], "little"))
    h1 ^= len(key)
    h2 ^= len(key)
    h1 = h1 + h2 & MASK64
    h2 = h1 + h2 & MASK64
    h1, h2 = final(h1), final(h2)
    h1 = h1 + h2 & MASK64
    return h1, h1 + h2 & MASK64


def murmur3_spark(key, seed):
    """MurmurHash3_x86_32 with a round for each byte of the rest."""
    whole = len(key) & ~3
    words = [word for (word,) in struct.iter_unpack("<I", key[:whole])]
    words += [byte & MASK32 for (byte,) in struct.iter_unpack("<b", key[whole:])]
    h = seed
    for word in words:
        word = rotated(word * 0xCC9E2D51 & MASK32, 15, 32) * 0x1B873593 & MASK32
        h = rotated(h ^ word, 13, 32) * 5 + 0xE6546B64 & MASK32
    h ^= len(key) & MASK32
    h = (h ^ h >> 16) * 0x85EBCA6B & MASK32
    h = (h ^ h >> 13) * 0xC2B2AE35 & MASK32
    return h ^ h >> 16


def fnv1(key):
    h = 0xCBF29CE484222325
    for byte in key:
        h = (h * 0x100000001B3 & MASK64) ^ byte
    return h


# Guava, Spark, DCSO, libbloom: one array. The tail is the header of the other program.


class ArrayHeader(NamedTuple):
    """What the tail says; `variant` is the strategy of guava and the version of spark."""

    variant: int
    hashes: int
    bits: int
    seed: int


def read_guava(tail):
    strategy, hashes, words = struct.unpack_from(">BBI", tail)
    sound = strategy <= 1 and words <= WORDS_LIMIT
    return ArrayHeader(strategy, hashes, 64 * words, 0), 6, sound


def read_spark(tail):
    version, hashes, first, second = struct.unpack_from(">4I", tail)
    seed, words, size = (first, second, 16) if version == 2 else (0, first, 12)
    sound = version in (1, 2) and words <= WORDS_LIMIT
    return ArrayHeader(version, hashes, 64 * words, seed), size, sound


def read_dcso(tail):
    flags, capacity, rate, hashes, bits, _ = struct.unpack_from("<QQdQQQ", tail)
    sound = flags & 0xFF == 1 and capacity >= 1 and 0 < rate < 1
    return ArrayHeader(0, hashes, bits, 0), 48, sound


def read_libbloom(tail):
    magic, size = struct.unpack_from("<9sH", tail)
    entries, bits, length, hashes, error, ready, major = struct.unpack_from(
        "<I4xQQB7xdBB", tail, 11
    )
    sound = (
        magic == b"libbloom2"
        and size == 64
        and entries >= 1
        and length == -(-bits // 8)
        and 0 < error < 1
        and ready != 0
        and major == 2
    )
    return ArrayHeader(0, hashes, bits, 0), 75, sound


READ_TAIL = {GUAVA: read_guava, SPARK: read_spark, DCSO: read_dcso, LIBBLOOM: read_libbloom}


def read_array_tail(kind, tail):
    """The header in the tail; None if it is unsound."""
    header, size, sound = READ_TAIL[kind](tail)
    return header if sound and not any(tail[size:]) else None


def new_array_tail(header, variant, seed):
    """The tail of a new filter; `header` is that of the image."""
    words = header.bits // 64
    if header.kind == GUAVA:
        tail = struct.pack(">BBI", variant, header.hashes, words)
    elif header.kind == SPARK:
        numbers = (variant, header.hashes, *((seed,) if variant == 2 else ()), words)
        tail = struct.pack(f">{len(numbers)}I", *numbers)
    elif header.kind == DCSO:
        tail = struct.pack(
            "<QQdQQQ", 1, header.capacity, header.fpr, header.hashes, header.bits, 0
        )
    else:
        tail = b"libbloom2" + struct.pack(
            "<HI4xQQB7xdBB6xd8x",
            64,
            header.capacity,
            header.bits,
            -(-header.bits // 8),
            header.hashes,
            header.fpr,
            1,
            2,
            header.bits / header.capacity,
        )
    return tail.ljust(ARRAY_TAIL_SIZE, b"\0")


def folded_probes(a, b, hashes, bits):
    """Strategy 0 of guava and version 1 of spark."""
    for i in range(1, hashes + 1):
        c = a + i * b & MASK32
        yield (c if c < 1 << 31 else MASK32 - c) % bits


def guava_probes(key, array):
    h1, h2 = murmur3_x64_128(key)
    if array.variant == 0:
        return folded_probes(h1 & MASK32, h1 >> 32, array.hashes, array.bits)
    return ((h1 + i * h2 & MASK64 >> 1) % array.bits for i in range(array.hashes))


def signed32(number):
    return number - (number >> 31 << 32)


def spark_probes(key, array):
    a = murmur3_spark(key, array.seed)
    b = murmur3_spark(key, a)
    if array.variant == 1:
        yield from folded_probes(a, b, array.hashes, array.bits)
        return
    c = signed32(a) * ((1 << 31) - 1) & MASK64
    for _ in range(array.hashes):
        c = c + signed32(b) & MASK64
        yield (c if c < 1 << 63 else MASK64 - c) % array.bits


def dcso_probes(key, array):
    h = fnv1(key) % DCSO_PRIME
    for _ in range(array.hashes):
        h = (h * DCSO_FACTOR & MASK64) % DCSO_PRIME
        yield h % array.bits


def libbloom_probes(key, array):
    a = murmur2(key, M2_SEED)
    b = murmur2(key, a)
    return ((a + i * b) % array.bits for i in range(array.hashes))


PROBES = {
    GUAVA: guava_probes,
    SPARK: spark_probes,
    DCSO: dcso_probes,
    LIBBLOOM: libbloom_probes,
}


def array_probes(kind, key, array):
    return list(PROBES[kind](key, array))


# RedisBloom: a chain of links

CHAIN_FORMAT = struct.Struct("<II56s")
LINK_FORMAT = struct.Struct("<QQQddII16s")
LINKS_LIMIT = 64
LINK_LIMIT = 1 << 43
OPTIONS_NEW = 5
OPTION_HASH_64 = 4
OPTION_FIXED = 8


class Link(NamedTuple):
    """One entry of the tail."""

    bits: int
    capacity: int
    keys: int
    error: float
    bits_per_key: float
    hashes: int
    n2: int
    zero: bytes


class Chain(NamedTuple):
    """The tail: the options, the growth and the links."""

    options: int
    growth: int
    links: list


def link_sound(link):
    return (
        1 <= link.bits <= LINK_LIMIT
        and 1 <= link.capacity <= LINK_LIMIT
        and link.keys <= LINK_LIMIT
        and 0 < link.error < 1
        and 0 < link.bits_per_key < 1e6
        and 1 <= link.hashes <= PROBES_LIMIT
        and (link.n2 == 0 or link.n2 < 44 and 1 << link.n2 <= link.bits)
        and not any(link.zero)
    )


def read_chain(header, tail):
    """The chain; None if it is unsound or does not agree with the header of the image."""
    options, growth, zero = CHAIN_FORMAT.unpack_from(tail)
    links = [Link(*entry) for entry in LINK_FORMAT.iter_unpack(tail[CHAIN_FORMAT.size :])]
    sound = (
        options <= 15
        and not any(zero)
        and all(map(link_sound, links))
        and header.growth == (0 if options & OPTION_FIXED else growth)
        and header.bits == sum(64 * -(-link.bits // 64) for link in links)
        and header.capacity == sum(link.capacity for link in links) <= LINK_LIMIT
        and header.capacity_first == links[0].capacity
        and header.hashes == links[0].hashes
    )
    return Chain(options, growth, links) if sound else None


def chain_tail(chain):
    return CHAIN_FORMAT.pack(chain.options, chain.growth, b"") + b"".join(
        LINK_FORMAT.pack(*link) for link in chain.links
    )


def new_link(capacity, error):
    bits_per_key = -math.log(error) / 0.480453013918201
    bits = max(64, 64 * -(-math.floor(capacity * bits_per_key) // 64))
    return Link(
        bits,
        capacity,
        0,
        error,
        bits_per_key,
        math.ceil(0.693147180559945 * bits_per_key),
        0,
        b"",
    )


def chain_hashes(chain, key):
    if chain.options & OPTION_HASH_64:
        a = murmur64a(key, M64_SEED)
        return a, murmur64a(key, a)
    a = murmur2(key, M2_SEED)
    return a, murmur2(key, a)


def link_probes(link, a, b):
    size = 1 << link.n2 if link.n2 else link.bits
    return [(a + i * b & MASK64) % size for i in range(link.hashes)]
