#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""load_table.py: writes src/core/load_table.h: the rate of a 512-bit block by its load.

    tools/load_table.py > src/core/load_table.h

A block is eight words of 64 bits.  A key probes one bit in every word, and for k > 8 a second one
in k - 8 words from a random one on.  f(k, j) is the probability that all probes of a random key
are set in a block that holds j keys.  By inclusion and exclusion over the probed bits that are left
clear it is a sum of weight * a^j, where a is the probability that a key misses the chosen bits.
The terms cancel, so that they are summed here, with 60 digits, and not in the library.

With up to 7 probes, a key probes words from a random one on, one bit in each.  Then only the number
of chosen words matters that another key probes as well, from each of its eight first words: that
is a subset, of which there are few.
"""
import struct
from collections import Counter
from decimal import Decimal, getcontext
from itertools import product

getcontext().prec = 60
WORDS, BITS, LOADS = 8, 64, 280


def classes(k):
    """From the probability that a key misses the chosen bits, times 8 * 64^16, to the weight."""
    twice, found = k - WORDS, Counter()
    for clear in product(*[range(3) if word < twice else range(2) for word in range(WORDS)]):
        weight = Decimal(1)
        for word, n in enumerate(clear):
            if word < twice:
                weight *= [Decimal(1), Decimal(1) / BITS - 2, 1 - Decimal(1) / BITS][n]
            elif n:
                weight = -weight
        missed = 0
        for start in range(WORDS):
            product_ = 1
            for word, n in enumerate(clear):
                probes = 1 + ((word - start) % WORDS < twice)
                product_ *= (BITS - n) ** probes * BITS ** (2 - probes)
            missed += product_
        found[missed] += weight
    return found


def rates(k):
    terms = [(Decimal(missed) / (WORDS * BITS ** (2 * WORDS)), weight) for missed, weight in classes(k).items()]
    powers = [Decimal(1)] * len(terms)
    for _ in range(LOADS):
        yield sum(weight * power for (_, weight), power in zip(terms, powers))
        powers = [power * a for power, (a, _) in zip(powers, terms)]


def rounded_up(rate):
    """The least single-precision number that is not below."""
    bits = struct.unpack("<I", struct.pack("<f", float(rate)))[0]
    while Decimal(struct.unpack("<f", struct.pack("<I", bits))[0]) < rate:
        bits += 1
    while bits and Decimal(struct.unpack("<f", struct.pack("<I", bits - 1))[0]) >= rate:
        bits -= 1
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def subsets(k):
    """From how many first words have 0, 1, 2 .. chosen words in their reach, to the weight."""
    found = Counter()
    for chosen in product(range(2), repeat=k):
        reached = [sum(chosen[word] for word in range(k) if (word - start) % WORDS < k) for start in range(WORDS)]
        found[tuple(reached.count(n) for n in range(WORDS))] += (-1) ** sum(chosen)
    return [(weight, starts) for starts, weight in found.items() if weight]


print(f"""/* SPDX-License-Identifier: BSD-2-Clause */
/* load_table.h: the rate of a 512-bit block by its load; written by tools/load_table.py. */

#include <stdint.h>

#define LOAD_BITS 512 /* in a block */
#define LOADS     {LOADS}

/* For 9 to 16 probes, and 0 to {LOADS - 1} keys in the block; rounded up. */
static const float load_table[8][LOADS] = {{""")
for k in range(9, 17):
    print("    {")
    line = "       "
    for rate in rates(k):
        text = f" {rounded_up(max(rate, Decimal(0))):.9g}f,".replace(" 0f,", " 0,")
        if "." not in text and "e" not in text:
            text = text.replace("f,", ",")
        if len(line + text) > 92:
            print(line)
            line = "       "
        line += text
    print(line)
    print("    },")
print("};")

print("""
/* For 1 to 7 probes: `starts[i]` of the eight first words reach i of the chosen ones. */
struct load_subset {
    int     weight;
    uint8_t starts[8];
};

static const struct load_subset load_subsets[7][14] = {""")
for k in range(1, WORDS):
    rows = [f"{{ {weight}, {{ {', '.join(map(str, starts))} }} }}" for weight, starts in subsets(k)]
    assert len(rows) <= 13  # and one with no weight, which ends them
    print("    { " + ",\n      ".join(rows) + " },")
print("};")
