# SPDX-License-Identifier: BSD-2-Clause
"""Bloom filters and their relatives that feel like a set.

>>> import petal
>>> seen = petal.Filter(capacity=1_000_000, fpr=0.01)
>>> seen.add("rose")            # True: it was new
True
>>> "rose" in seen
True
>>> "tulip" in seen
False

Filter is the class.  open() maps a filter file, view() uses one that is in memory, build()
makes a filter from an iterable or from the lines of a file, and plan() says how large a
filter would be.  `kinds`, `forms` and `hashes` are the names that these options take.
petal.math has the formulas.
"""
from petal import math
from petal._build import build
from petal._filter import Filter, Info, forms, hashes, kinds, open, plan, view
from petal._petal import Error, FileError, InvalidError, OutOfMemoryError
from petal._petal import version as __version__  # noqa: F401

__all__ = [
    "Error",
    "FileError",
    "Filter",
    "Info",
    "InvalidError",
    "OutOfMemoryError",
    "build",
    "forms",
    "hashes",
    "kinds",
    "math",
    "open",
    "plan",
    "view",
]
