# SPDX-License-Identifier: BSD-2-Clause
"""The shell, C and Python give the same answers for 10^5 keys of all sorts, in filters that
each has built."""
import ctypes
import random
import subprocess

import petal
import pytest

N = 100_000


def some_keys(seed):
    """Keys of all sorts, none with a newline, which the shell cannot have in a line."""
    dice = random.Random(seed)
    alphabet = [chr(c) for c in range(1, 0x250) if chr(c) not in "\n\r"] + list("日本語🌷ǅ")
    keys = []
    for i in range(N):
        sort = i % 8
        if sort == 0:
            key = i
        elif sort == 1:
            key = dice.randrange(-(2**80), 2**80)
        elif sort == 2:
            key = "".join(dice.choices(alphabet, k=dice.randrange(40)))
        elif sort == 3:
            key = bytes(b for b in dice.randbytes(dice.randrange(30)) if b not in (10, 13))
        elif sort == 4:
            key = f"https://www.site-{i % 777}.example/{dice.randrange(1000)}?q={i}"
        elif sort == 5:
            key = f"{dice.randrange(256)}.{dice.randrange(256)}.{i % 256}.{dice.randrange(256)}"
        elif sort == 6:
            key = dice.randrange(-(2**63), 2**63)
        else:
            key = "x" * dice.randrange(300)
        keys.append(key)
    return keys


def as_bytes(key):
    return (
        key.encode()
        if isinstance(key, str)
        else key
        if isinstance(key, bytes)
        else str(key).encode()
    )


class Key(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("len", ctypes.c_size_t)]


def in_c(library, path, lines):
    """petal_contains() of the shared library, for each line."""
    c = ctypes.CDLL(library)
    c.petal_contains.restype = ctypes.c_bool
    c.petal_contains.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
    c.petal_open.argtypes = [ctypes.c_char_p, ctypes.c_uint, ctypes.c_void_p]
    c.petal_free.argtypes = [ctypes.c_void_p]
    f = ctypes.c_void_p()
    assert c.petal_open(bytes(path), 0, ctypes.byref(f)) == 0
    found = [c.petal_contains(f, line, len(line)) for line in lines]
    c.petal_free(f)
    return found


def in_the_shell(command, path, lines):
    """petal check prints the lines that are found, in their order."""
    answer = subprocess.run(
        [command, "check", path], input=b"\n".join(lines) + b"\n", capture_output=True
    )
    assert answer.returncode < 2, answer.stderr
    printed = answer.stdout.split(b"\n")[:-1]
    found, at = [], 0
    for line in lines:
        there = at < len(printed) and printed[at] == line
        found.append(there)
        at += there
    assert at == len(printed)
    return found


@pytest.mark.parametrize(
    "options",
    [["-p", "1%"], ["-p", "0.1%", "--kind", "ribbon"], ["-p", "5%", "-O", "seed=77"]],
)
def test_shell_c_and_python_agree(command, library, tmp_path, options):
    keys, others = some_keys(1), some_keys(2)
    lines = [as_bytes(key) for key in keys + others]
    path, words = tmp_path / "a.petal", tmp_path / "words"
    words.write_bytes(b"\n".join(lines[:N]) + b"\n")
    subprocess.run(
        [command, "build", "--quiet", "-n", str(N), *options, "-o", path, words], check=True
    )
    shell_built = petal.open(path)
    here = list(shell_built.contains_many(keys + others))
    assert here == [key in shell_built for key in keys + others]
    assert all(here[:N]) and sum(here[N:]) < N
    assert here == in_c(library, path, lines)
    assert here == in_the_shell(command, path, lines)
    info = shell_built.info
    built = petal.build(keys, capacity=N, fpr=info.fpr, kind=info.kind, seed=info.seed)
    assert built == shell_built
    built.save(path)
    assert here == in_c(library, path, lines) == in_the_shell(command, path, lines)
