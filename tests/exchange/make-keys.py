#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes the lists of keys in this folder: 100 members, 50 keys to add later, 450 that are
never added.

The lengths of texts cover every remainder mod 16, because the hashes differ in how they
treat the last bytes of a key. The keys in fours.keys have a multiple of four bytes: for
these, Spark's hash is the standard one.
"""

from pathlib import Path

WORDS = (
    "r",
    "tulip",
    "é",
    "chrysanthemum-",
    "漢字",
    "😀",
    "Löwenzahn ",
    "a key with several words ",
)
NUMBER = 600
here = Path(__file__).parent


def write(name, keys):
    keys = [str(key) for key in keys]
    assert len(set(keys)) == NUMBER
    (here / f"{name}.keys").write_text("".join(f"{key}\n" for key in keys), "utf-8")


texts = [WORDS[i % len(WORDS)] + str(i * 7919 % 10007) for i in range(NUMBER)]
write("text", texts)
write("fours", [text + "." * (-len(text.encode("utf-8")) % 4) for text in texts])
write("int32", [(i * 2654435761 & 0xFFFFFFFF) - (1 << 31) for i in range(NUMBER)])
write(
    "int64",
    [
        i if i % 2 else (i * 0x9E3779B97F4A7C15 & (1 << 64) - 1) - (1 << 63)
        for i in range(NUMBER)
    ],
)
