# SPDX-License-Identifier: BSD-2-Clause
"""Random programs on filters of every kind, with a Counter as the model.

What was added and not removed must be found.  What else is found must be rare: the filters
are large for so few keys, so that a false positive has a probability of less than 1e-6 in
each run, and seeds are fixed.
"""
import pickle
from collections import Counter

import petal
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from samples import empty, kinds_that

KEYS = st.one_of(
    st.text(max_size=8), st.binary(max_size=8), st.integers(), st.integers(-10, 10)
)
SMALL = st.integers(0, 4095)
STEPS = st.sampled_from(
    [
        "add",
        "add_many",
        "update",
        "remove",
        "discard",
        "copy",
        "pickle",
        "bytes",
        "merge",
        "intersect",
        "clear",
        "seal",
    ]
)


def text_of(key):
    """The key as bytes: what the filter sees."""
    return (
        key.encode()
        if isinstance(key, str)
        else key
        if isinstance(key, bytes)
        else str(key).encode()
    )


class Run:
    def __init__(self, kind):
        self.kind, self.exact = kind, kind in kinds_that("exact")
        self.options = {"bits": 4096} if self.exact else {"capacity": 1000, "fpr": 1e-4}
        self.f, self.model, self.sealed = (
            petal.Filter(kind=kind, **self.options),
            Counter(),
            False,
        )
        self.can = self.f.abilities

    def takes_keys(self):
        return not (self.sealed and "static" in self.can)

    def added(self, keys):
        for key in map(text_of, keys):
            self.model[key] = self.model[key] + 1 if "count" in self.can else 1

    def step(self, name, keys):
        if name in ("add", "add_many", "update", "merge") and not self.takes_keys():
            with pytest.raises(petal.Error):
                self.f.update(keys or [1])
            return
        getattr(self, "do_" + name)(keys)

    def do_add(self, keys):
        for key in keys:
            new = self.f.add(key)
            if "static" not in self.can:
                assert new or self.model[text_of(key)] or not self.exact
            self.added([key])

    def do_add_many(self, keys):
        assert len(self.f.add_many(keys)) == len(keys)
        self.added(keys)

    def do_update(self, keys):
        self.f.update(iter(keys))
        self.added(keys)

    def do_discard(self, keys):
        if "remove" not in self.can:
            return
        for key in keys:
            if self.model[text_of(key)] > 0:  # removing others could remove these
                assert self.f.discard(key)
                self.model[text_of(key)] -= 1

    def do_remove(self, keys):
        if "remove" not in self.can:
            with pytest.raises(petal.Error):
                self.f.remove("x")
        for key in keys:
            if "remove" in self.can and self.model[text_of(key)] > 0:
                self.f.remove(key)
                self.model[text_of(key)] -= 1

    def do_copy(self, keys):
        self.f = self.f.copy()

    def do_pickle(self, keys):
        if self.takes_keys() and "static" in self.can:
            return
        self.f = pickle.loads(pickle.dumps(self.f))

    def do_bytes(self, keys):
        self.do_seal(keys)
        self.f = petal.view(bytes(self.f), copy=True)

    def do_merge(self, keys):
        if "merge" not in self.can:
            return
        other = petal.Filter(kind=self.kind, **self.options)
        other.update(keys)
        self.f |= other
        self.added(keys)

    def do_intersect(self, keys):
        """With itself, and some keys more."""
        if "merge" not in self.can:
            return
        other = self.f.copy()
        other.update(keys)
        self.f = other & self.f

    def do_clear(self, keys):
        self.f.clear()
        self.model.clear()
        self.sealed = False

    def do_seal(self, keys):
        self.f.seal()
        self.sealed = True

    def check(self):
        f = self.f
        if "static" in self.can and not self.sealed:
            f = f.copy()
            f.seal()
        present = [key for key, n in self.model.items() if n > 0]
        assert all(key in f for key in present)
        assert all(f.contains_many(present))
        assert all(f.count(key) >= self.model[key] for key in present)
        others = [
            key for key in (str(i).encode() for i in range(2000)) if not self.model[key]
        ]
        limit = 0 if self.exact else 8  # the chance of 9 at 1e-4 is 1e-12
        assert sum(f.contains_many(others)) <= limit
        assert bool(present) <= bool(f)


@pytest.mark.parametrize("kind", petal.kinds)
def test_a_filter_is_a_set_that_is_rarely_wrong(kind):
    keys = SMALL if kind in kinds_that("exact") else KEYS

    @given(st.lists(st.tuples(STEPS, st.lists(keys, max_size=20)), max_size=12))
    @settings(
        max_examples=60,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def programs(program):
        run = Run(kind)
        for name, some in program:
            run.step(name, some)
        run.check()

    programs()


@pytest.mark.parametrize("kind", kinds_that("merge"))
def test_operators_are_those_of_sets(kind):
    keys = SMALL if kind in kinds_that("exact") else KEYS
    ordered = "ordered" in empty(kind).abilities

    @given(st.sets(keys, max_size=30), st.sets(keys, max_size=30))
    @settings(max_examples=60, deadline=None, derandomize=True, database=None)
    def pairs(a, b):
        options = (
            {"bits": 4096}
            if kind in kinds_that("exact")
            else {"capacity": 1000, "fpr": 1e-4}
        )
        f, g, h = (petal.Filter(kind=kind, **options) for _ in range(3))
        f.update(a)
        g.update(b)
        assert all(key in f | g for key in a | b)
        assert all(key in f & g for key in a & b)
        assert (f | g) == (g | f) or ordered
        h.update(a)
        assert h == f or ordered
        if "count" not in f.abilities:
            h.update(b)
            assert h == f | g or ordered

    pairs()
