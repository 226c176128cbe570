# SPDX-License-Identifier: BSD-2-Clause
"""_build.py: build(): a filter from an iterable, a column or the lines of a file."""
import io
import os
import sys
import warnings
from contextlib import contextmanager

from petal import _text
from petal._filter import Filter
from petal._petal import InvalidError

CHUNK = 1 << 22  # bytes of a file at a time
KEYS = 1 << 16  # keys of an iterable at a time


class _Adder:
    """Adds keys, and counts those that are not valid for the filter's form if they may be
    skipped."""

    def __init__(self, result, skip, **how):
        self.result, self.skip, self.how, self.skipped = result, skip, how, 0

    def add(self, keys):
        try:
            self.result.update(keys, **self.how)
        except InvalidError as error:
            if not self.skip or not error.rejected:
                raise
            self.skipped += error.rejected

    def end(self):
        if self.skipped:
            warnings.warn(
                f"{self.skipped:,} keys were not valid and were skipped", stacklevel=4
            )
        self.result.seal()
        return self.result


class _Counter:
    """What tqdm does, in one line, for terminals without it."""

    def __init__(self, total, unit):
        self.total, self.unit, self.done, self.shown = total, unit, 0, -1

    def update(self, n):
        self.done += n
        share = 100 * self.done // self.total if self.total else self.done // 1_000_000
        if share != self.shown:
            self.shown = share
            of = f" of {self.total:,}" if self.total else ""
            print(f"\r{self.done:,}{of} {self.unit}", end="", file=sys.stderr, flush=True)

    def close(self):
        print(file=sys.stderr)


@contextmanager
def _progress(wanted, total, unit):
    """Calls of the function that this yields move the bar, if there is one."""
    if not wanted or not sys.stderr.isatty():
        yield lambda n: None
        return
    try:
        from tqdm import tqdm

        bar = tqdm(total=total, unit=unit, unit_scale=True, file=sys.stderr)
    except ImportError:
        bar = _Counter(total, unit)
    try:
        yield bar.update
    finally:
        bar.close()


def _lines(file, tell):
    """Blocks of whole lines, without the last newline of each block."""
    rest = b""
    while block := file.read(CHUNK):
        tell(len(block))
        end = block.rfind(b"\n") + 1
        if not end:
            rest += block
            continue
        yield rest + block[: end - 1]
        rest = block[end:]
    if rest:
        yield rest


def _keys_of(block):
    """The lines of a block, as the petal command reads them: without the \\r before a
    newline."""
    return block.replace(b"\r\n", b"\n").removesuffix(b"\r").split(b"\n")


def _count_lines(file):
    start = file.tell()
    n, last = 0, b"\n"
    while block := file.read(CHUNK):
        n += block.count(b"\n")
        last = block[-1:]
    file.seek(start)
    return n + (last != b"\n")


def _batches(iterable, tell):
    batch = []
    for key in iterable:
        batch.append(key)
        if len(batch) == KEYS:
            yield batch
            tell(KEYS)
            batch = []
    yield batch
    tell(len(batch))


def _needs_capacity(options):
    return options.get("capacity") is None and options.get("bits") is None


def _from_file(file, options, progress, adder):
    seekable = file.seekable()
    if _needs_capacity(options):
        if not seekable:
            raise ValueError(
                "capacity is required for a stream: its lines cannot be counted first"
            )
        options["capacity"] = max(1, _count_lines(file))
    total = (
        os.fstat(file.fileno()).st_size
        if seekable and isinstance(file, io.BufferedReader)
        else None
    )
    adding = adder(options)
    with _progress(progress, total, "B") as tell:
        for block in _lines(file, tell):
            adding.add(_keys_of(block))
    return adding.end()


def _from_keys(source, options, progress, adder):
    is_column = any(
        hasattr(source, name)
        for name in ("__arrow_c_array__", "__arrow_c_stream__", "__array__")
    )
    if _needs_capacity(options):
        if not hasattr(source, "__len__"):
            source = list(source)
        options["capacity"] = max(1, len(source))
    adding = adder(options)
    with _progress(
        progress, len(source) if hasattr(source, "__len__") else None, "keys"
    ) as tell:
        if is_column or not progress:
            adding.add(source)
        else:
            for batch in _batches(source, tell):
                adding.add(batch)
    return adding.end()


def build(
    source,
    *,
    progress=False,
    threads=1,
    as_bytes=False,
    skip_invalid=False,
    cls=Filter,
    **options,
):
    """Build and seal a filter from all keys of an iterable or column, or from the lines of
    a file.

    `source` is an iterable of keys, a column as for contains_many(), the path of a file, or
    a file opened in binary mode.  A file is read as the petal command does: each line is a
    key.  Without `capacity`, the keys are counted first.  An iterator is then read into a
    list; give `capacity` to avoid that.

    With `progress`, a terminal shows a bar, by tqdm if it is installed.  With
    `skip_invalid`, keys that are not valid for the form are skipped and a warning says how
    many; otherwise they raise an error.

    >>> import petal
    >>> f = petal.build(["rose", "tulip"], fpr=0.001, kind="ribbon")
    >>> len(f), "rose" in f
    (2, True)
    """
    if threads > 1:
        options.setdefault("threads", threads)

    def adder(options):
        return _Adder(cls(**options), skip_invalid, threads=threads, as_bytes=as_bytes)

    if _text.is_path(source):
        with io.open(source, "rb") as file:
            return _from_file(file, options, progress, adder)
    make = _from_file if hasattr(source, "read") else _from_keys
    return make(source, options, progress, adder)
