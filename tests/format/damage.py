# SPDX-License-Identifier: BSD-2-Clause
"""damage.py: hostile and damaged images, for the tests of every way into the library.

The corpus consists of small real images of every kind that are cut, lengthened or have bits
flipped.  In others, each field is set to extreme values and all checksums are repaired, so
that only that field is wrong.  The expected result for each item comes from an independent
reader, which was written from docs/format.md alone (reader.py).  Some changes only make a
different filter, which must then load everywhere.
"""
import collections
import itertools
import random
import struct
import subprocess

import reader
import xxhash

SENTENCES = {
    "format": "not a petal filter",
    "truncated": "truncated: bytes are missing at the end",
    "newer": "written by a newer version of petal",
    "corrupt": "corrupt: header, contents and checksums do not agree",
}
URLS = [b"http://a.example/", b"http://b.example/x/y?z=1"]


# ---- The corpus: valid images ----

KEYED = "hash=keyed,seed=0x1f:0x2e"
BUILT = {  # options, and number of keys
    "bitmap": ("-k bitmap -m 100", 20),
    "classic": ("-k classic", 20),
    "classic keyed": (f"-k classic -O {KEYED}", 20),
    "partitioned keyed": (f"-k partitioned -O {KEYED}", 20),
    "blocked": ("-k blocked -O seed=7", 20),
    "blocked keyed": (f"-k blocked -O {KEYED}", 20),
    "split": ("-k split", 20),
    "counting": ("-k counting", 20),
    "counting keyed": (f"-k counting -O counter_bits=32,insert_only=1,{KEYED}", 5),
    "scalable 1": ("-k scalable -n 20", 20),
    "scalable 5": ("-k scalable -n 1 -O growth=1", 5),
    "scalable 5 keyed": (f"-k scalable -n 1 -O growth=2,capacity_max=1000,{KEYED}", 20),
    "ribbon": ("-k ribbon", 20),
    "ribbon keyed": (f"-k ribbon -O {KEYED}", 20),
    "ribbon 2": ("-k ribbon -p 50%", 3000),  # two layers
    "quotient": ("-k quotient", 20),
    "quotient keyed": (f"-k quotient -O insert_only=1,{KEYED}", 20),
    "quotient 3": ("-k quotient -n 4 -O growth=1", 100),  # grown
    "redisbloom": ("-k redisbloom -n 20", 20),
    "guava": ("-k guava -n 20", 20),
    "spark": ("-k spark -n 20", 20),
    "dcso": ("-k dcso -n 20", 20),
    "libbloom": ("-k libbloom -n 20", 20),
    "url": ("-k blocked --form url", None),
    "url scalable": ("-k scalable -n 1 --form url", None),
    "url ribbon": ("-k ribbon --form url", None),
}


def images_in(folder, command):
    """Valid images by name, each less than 1 KiB."""
    made = {}
    for name, (options, keys) in BUILT.items():
        lines = URLS if keys is None else [b"%d" % i for i in range(1, keys + 1)]
        path = folder / name
        subprocess.run(
            [command, "build", "--quiet", "-o", path, *options.split(), "-"],
            input=b"".join(line + b"\n" for line in lines),
            check=True,
        )
        made[name] = path.read_bytes()
        assert len(made[name]) < 1024
    assert reader.open_image(made["scalable 5"]).header.stages == 5
    assert reader.open_image(made["ribbon 2"]).header.stages == 2
    return made


# ---- The corpus: damage ----

FIELDS = {  # name: offset, size in bytes
    "version": (8, 2),
    "kind": (10, 1),
    "form": (11, 1),
    "hash": (12, 1),
    "counter_bits": (13, 1),
    "hashes": (14, 2),
    "length": (16, 8),
    "bits": (24, 8),
    "capacity": (32, 8),
    "keys": (40, 8),
    "seed 0": (48, 8),
    "seed 1": (56, 8),
    "fpr": (64, 8),
    "features": (72, 4),
    "flags": (76, 4),
    "growth": (80, 4),
    "stages": (84, 4),
    "capacity_first": (88, 8),
    "capacity_max": (96, 8),
    "insert_only": (104, 1),
    "reserved 105": (105, 1),
    "reserved 107": (107, 1),
    "match_lookups": (108, 4),
    "sections": (112, 4),
    "reserved 116": (116, 4),
    "sum of sections": (120, 8),
    "fingerprints": (128, 8),
    "quotients": (136, 4),
    "steps": (140, 4),
    "reserved 168": (168, 8),
    "mask": (176, 8),
    "mask end": (200, 8),
    "reserved 208": (208, 8),
    "reserved 232": (232, 8),
}
SUM_OF_TABLE, SUM_OF_HEADER, HEADER = 240, 248, 256
RATES = [
    float("nan"),
    -float("nan"),
    float("inf"),
    -float("inf"),
    0.0,
    -0.0,
    -1e-300,
    -1.0,
    5e-324,
    1e-12,
    1.0,
    1.0000000000000002,
    2.0,
    1e308,
]


def with_number(image, at, size, number):
    return (
        image[:at]
        + (number % (1 << 8 * size)).to_bytes(size, "little")
        + image[at + size :]
    )


def number_in(image, at, size):
    return int.from_bytes(image[at : at + size], "little")


def repaired(image):
    """The image with correct checksums.  (There is one chunk: the images are small.)"""
    body = image[HEADER:-8]
    table = struct.pack("<Q", xxhash.xxh3_64_intdigest(body, 0))
    image = with_number(
        image[:-8] + table, SUM_OF_TABLE, 8, xxhash.xxh3_64_intdigest(table, 0)
    )
    return with_number(
        image, SUM_OF_HEADER, 8, xxhash.xxh3_64_intdigest(image[:SUM_OF_HEADER], 0)
    )


def extremes(number, size):
    most = (1 << 8 * size) - 1
    powers = [1 << power for power in (8, 16, 32, 43, 62, 63) if power < 8 * size]
    near = [number - 1, number + 1, number + 64, number + 512, 2 * number, 7]
    candidates = {0, 1, 2, 3, most, most - 1, *powers, *(p - 1 for p in powers), *near}
    return sorted(n for n in candidates if 0 <= n <= most and n != number)


def fields_changed(image):
    for name, (at, size) in FIELDS.items():
        if name == "fpr":
            numbers = [struct.unpack("<Q", struct.pack("<d", rate))[0] for rate in RATES]
        else:
            numbers = extremes(number_in(image, at, size), size)
        for number in numbers:
            yield f"{name} {number}", repaired(with_number(image, at, size, number))


def sizes_that_agree(image):
    """Sizes up to the format's limits and beyond, with a length that agrees."""
    for bits in (512 * 8, 1 << 32, 1 << 43, (1 << 43) + 512, 1 << 62, (1 << 64) - 512):
        cells = -(-bits // 512) * 64
        body = (
            cells
            + len(image)
            - HEADER
            - 8
            - 64 * -(-number_in(image, *FIELDS["bits"]) // 512)
        )
        length = HEADER + body + 8 * -(-body // (1 << 20))
        changed = with_number(
            with_number(image, *FIELDS["bits"], bits), *FIELDS["length"], length
        )
        yield f"bits {bits} and length", repaired(changed)
        for name in ("capacity", "keys", "capacity_first"):
            yield (
                f"bits {bits}, length and {name}",
                repaired(with_number(changed, *FIELDS[name], bits)),
            )


def tables_changed(image):
    """Changes every number in the table of stages or layers, and in the padding after
    it."""
    header = reader.open_image(image).header
    start = HEADER + reader.cells_size(header)
    size = reader.tail_size(header)
    if not size:
        return
    for at in range(start, start + size, 4):
        for number in (0, 1, 2, 8, 16, 17, 1024, 1025, 1 << 20, 1 << 31, (1 << 32) - 1):
            changed = repaired(with_number(image, at, 4, number))
            if changed != image:
                yield f"tail {at - start} {number}", changed
    # sums that are correct only modulo 2^64
    if header.stages > 1 and header.kind == reader.SCALABLE:
        for at, step in itertools.product(
            (0, 8), (1 << 55, 1 << 62, 1 << 63, (1 << 64) - 1)
        ):
            first, second = start + at, start + 32 + at
            changed = with_number(image, first, 8, number_in(image, first, 8) + step)
            changed = with_number(changed, second, 8, number_in(image, second, 8) - step)
            yield f"tail {at} sums to the same {step}", repaired(changed)


def cells_changed(image):
    """Gives another valid filter, unless padding is no longer zero or a bitmap's number of
    bits is wrong."""
    for at in {HEADER, HEADER + 13, HEADER + 63}:
        yield f"cells {at}", repaired(with_number(image, at, 1, image[at] ^ 0x81))


def lengths_changed(image):
    for length in {
        0,
        1,
        7,
        8,
        9,
        100,
        255,
        256,
        257,
        319,
        320,
        len(image) // 2,
        len(image) - 64,
        len(image) - 9,
        len(image) - 8,
        len(image) - 1,
    }:
        yield f"cut to {length}", image[:length]
        said = with_number(image, *FIELDS["length"], length)
        if len(said) >= HEADER:
            yield f"claims length {length}", repaired(said)
    for more in (b"\0", b"\n", bytes(8), bytes(64), image):
        yield f"{len(more)} more", image + more
        yield (
            f"{len(more)} more, claimed",
            repaired(with_number(image + more, *FIELDS["length"], len(image + more))),
        )
    yield "zeros", bytes(len(image))
    yield "ones", b"\xff" * len(image)


def bits_flipped(image, seed):
    chance = random.Random(seed)
    for _ in range(24):
        flipped = bytearray(image)
        for at in chance.sample(range(8 * len(image)), chance.choice([1, 1, 1, 2, 5, 50])):
            flipped[at // 8] ^= 1 << at % 8
        yield "bits flipped", bytes(flipped)


def verdict(image):
    """ "whole", or the word of the specification for the error."""
    try:
        reader.open_image(image)
    except reader.Refused as refused:
        return refused.reason
    return "whole"


Item = collections.namedtuple("Item", "name image verdict")


def corpus_of(images):
    """Every damaged image once, with its verdict."""
    items = {}
    for seed, (name, image) in enumerate(images.items()):
        damage = itertools.chain(
            [("whole", image)],
            fields_changed(image),
            sizes_that_agree(image),
            tables_changed(image),
            cells_changed(image),
            lengths_changed(image),
            bits_flipped(image, seed),
        )
        for what, changed in damage:
            items.setdefault(changed, f"{name}: {what}")
    chance = random.Random(1)
    for length in (1, 8, 256, 328, 4096):
        items.setdefault(chance.randbytes(length), f"{length} random bytes")
        items.setdefault(
            images["classic"][:8] + chance.randbytes(length),
            "the magic bytes, then random bytes",
        )
    return [Item(name, image, verdict(image)) for image, name in items.items()]
