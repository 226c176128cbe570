# SPDX-License-Identifier: BSD-2-Clause
"""_filter.py: the class Filter, and the functions that make filters."""
import json
from collections.abc import Mapping

from petal import _petal, _text


class Info(Mapping):
    """What a filter or a plan looks like: a mapping whose items are also attributes.

    >>> import petal
    >>> petal.plan(capacity=1000, fpr=0.01).hashes
    8
    """

    __slots__ = ("_items",)

    def __init__(self, items):
        self._items = items

    def __getitem__(self, name):
        return self._items[name]

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)

    def __getattr__(self, name):
        if name in Info.__slots__:  # not set yet: while it is unpickled
            raise AttributeError(name)
        try:
            return self._items[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r} here") from None

    def __reduce__(self):
        return Info, (self._items,)

    def __dir__(self):
        return [*super().__dir__(), *self._items]

    def __repr__(self):
        return (
            "Info("
            + ", ".join(f"{name}={value!r}" for name, value in self._items.items())
            + ")"
        )


class Filter(_petal.Filter):
    """A set that takes about ten bits per key and is sometimes wrong: Filter(capacity, fpr,
    **options).

    A key that was added is always found.  Any other key is found at the false positive rate
    `fpr`.

    >>> import petal
    >>> f = petal.Filter(capacity=1000, fpr=0.01)
    >>> f.add("rose")
    True
    >>> "rose" in f, "tulip" in f
    (True, False)

    A key is a str (its UTF-8), a bytes-like object, or an int (its decimal text).  The
    options are those of petal_options in petal.h, such as kind, form, hash, seed, bits and
    threads.
    """

    __slots__ = ("__weakref__",)

    def __new__(cls, capacity=None, fpr=None, **options):
        return super().__new__(
            cls, _text.options({"capacity": capacity, "fpr": fpr, **options})
        )

    def update(self, *sources, as_bytes=False, threads=1):
        """Add all keys of iterables, of columns as for contains_many(), or of other
        filters.

        >>> import petal
        >>> f = petal.Filter(100)
        >>> f.update(["rose", "tulip"], range(3))
        >>> len(f)
        5
        """
        for source in sources:
            if isinstance(source, _petal.Filter):
                self |= source
            else:
                self._update(source, as_bytes=as_bytes, threads=threads)

    def union(self, *others):
        """A new filter with the keys of this one and of all others."""
        result = self.copy()
        result.update(*others)
        return result

    def intersection(self, *others):
        """A new filter with the keys that this one and all other filters have."""
        result = self.copy()
        for other in others:
            result &= other
        return result

    @property
    def info(self):
        """Shape and contents as a mapping with attributes.  Reads the whole filter.

        >>> import petal
        >>> petal.Filter(1000, 0.01, kind="classic").info.kind
        'classic'
        """
        return Info(json.loads(self._describe()))

    def __repr__(self):
        if self.closed:
            return "<petal.Filter, closed>"
        info = self.info
        name = type(self).__name__
        what = [f"kind={info.kind!r}"]
        if info.form != "raw":
            what.append(f"form={info.form!r}")
        what += [
            f"{info.capacity:,} capacity",
            f"{info.fpr:.3g} fpr",
            f"{len(self):,} keys",
            f"{info.image_bytes:,} bytes",
        ]
        if not info.writable:
            what.append("read-only")
        return f"<petal.{name} {', '.join(what)}>"

    def __reduce__(self):
        if self._unsealed:
            raise _petal.Error(
                "this filter is built once from all its keys; call seal() before you pickle it"
            )
        return _restore, (type(self), bytes(self))


def _restore(cls, image):
    return _petal.view(cls, image, True, False)


def open(path, *, copy=False, trust=False):
    """Open a filter file.

    Without `copy` the file is mapped and read-only, so processes share its memory.  With
    `copy` it is read into memory and can be changed.  The whole file is checked unless you
    `trust` it.
    """
    return _petal.open(Filter, path, copy, trust)


def view(image, *, copy=False, trust=False):
    """A filter from the bytes of a file, in any object with a buffer.

    Without `copy` the bytes are used in place, which is read-only, and the object is kept.
    """
    return _petal.view(Filter, image, copy, trust)


def plan(capacity=None, fpr=None, **options):
    """What Filter() with these options would be, without creating it.

    >>> import petal
    >>> round(petal.plan(capacity=1_000_000, fpr=0.01).bits_per_key, 1)
    9.9
    """
    return Info(
        json.loads(
            _petal.plan(_text.options({"capacity": capacity, "fpr": fpr, **options}))
        )
    )


kinds, forms, hashes = (tuple(names) for names in _petal.names())
