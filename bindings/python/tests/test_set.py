# SPDX-License-Identifier: BSD-2-Clause
"""A filter behaves like a set, as far as its kind can."""
import copy
import pickle
import weakref

import petal
import pytest
from samples import empty, filled, kinds_that


@pytest.mark.parametrize("kind", petal.kinds)
def test_every_kind_finds_what_was_added(kind):
    f = empty(kind)
    for i in range(500):
        assert f.add(i) in (True, False)
    f.seal()
    assert all(i in f for i in range(500))
    assert all(f.contains_many(list(range(500))))
    assert 450 <= len(f) <= 500
    assert sum(i in f for i in range(500, 1000)) < 50
    assert f
    assert f.info.kind == kind


@pytest.mark.parametrize("kind", petal.kinds)
def test_copies_pickles_and_bytes_are_equal(kind):
    f = filled(kind)
    for other in (
        f.copy(),
        copy.copy(f),
        copy.deepcopy(f),
        pickle.loads(pickle.dumps(f)),
        petal.view(bytes(f)),
        petal.view(memoryview(f), copy=True),
    ):
        assert other == f and not other != f
        assert type(other) is petal.Filter
        assert all(i in other for i in range(100))
    assert f != filled(kind, range(50))
    assert f != "a filter" and not f == 1


@pytest.mark.parametrize("kind", petal.kinds)
def test_clear_makes_it_empty(kind):
    f = filled(kind)
    f.clear()
    assert len(f) == 0 and not f
    f.add(5)
    f.seal()
    assert 5 in f and len(f) == 1


@pytest.mark.parametrize("kind", petal.kinds)
def test_repr_says_what_it_is(kind):
    f = filled(kind)
    assert (
        kind in repr(f) and "keys" in repr(f) and f"{f.info.image_bytes:,} bytes" in repr(f)
    )
    assert "read-only" in repr(petal.view(bytes(f)))
    f.close()
    assert "closed" in repr(f)


@pytest.mark.parametrize("kind", kinds_that("merge"))
def test_union_and_intersection(kind):
    f, g = filled(kind, range(60)), filled(kind, range(40, 100))
    union = f | g
    assert all(i in union for i in range(100))
    assert all(i in f & g for i in range(40, 60))
    h = f.copy()
    h |= g
    assert h == union and h == f.union(g)
    h = f.copy()
    h &= g
    assert h == f & g == f.intersection(g)
    h = f.copy()
    h.update(g)
    assert h == union
    h = f
    h |= h
    assert h is f and all(i in f for i in range(60))
    with pytest.raises(TypeError):
        f | {1, 2}
    with pytest.raises(TypeError):
        f & 3


def test_filters_that_differ_cannot_be_merged():
    with pytest.raises(ValueError, match="differ"):
        petal.Filter(1000) | petal.Filter(5000)
    with pytest.raises(petal.Error):
        filled("ribbon") | filled("ribbon")


@pytest.mark.parametrize("kind", kinds_that("remove"))
def test_remove_and_discard(kind):
    f = empty(kind)
    f.add(7)
    f.remove(7)
    assert 7 not in f and len(f) == 0
    with pytest.raises(KeyError):
        f.remove(7)
    assert f.discard(7) is False
    f.add(8)
    assert f.discard(8) is True


@pytest.mark.parametrize("kind", sorted(set(petal.kinds) - set(kinds_that("remove"))))
def test_what_a_kind_cannot_do_is_an_error(kind):
    f = empty(kind)
    f.add(7)
    with pytest.raises(petal.Error, match="does not support|built once"):
        f.remove(7)


@pytest.mark.parametrize("kind", kinds_that("count"))
def test_count_is_never_too_low(kind):
    f = empty(kind)
    for _ in range(3):
        f.add("rose")
    assert f.count("rose") >= 3
    assert f.count("tulip") == 0


def test_add_returns_whether_the_key_was_new():
    f = petal.Filter(1000)
    assert f.add("rose") is True
    assert f.add("rose") is False
    assert f.count("rose") == 1


def test_a_filter_is_not_hashable_but_can_be_referred_to_weakly():
    f = petal.Filter(10)
    with pytest.raises(TypeError):
        hash(f)
    ref = weakref.ref(f)
    assert ref() is f
    del f
    assert ref() is None


def test_subclasses_stay_what_they_are():
    class Seen(petal.Filter):
        """With an attribute."""

    f = Seen(100)
    f.label = "x"
    f.add("a")
    for other in (f.copy(), f | f.copy(), petal.build(["a"], capacity=100, cls=Seen)):
        assert type(other) is Seen and other == f


def test_with_closes():
    with petal.Filter(10) as f:
        f.add("a")
    assert f.closed
    f.close()
    for use in (
        lambda: "a" in f,
        lambda: f.add("a"),
        lambda: len(f),
        lambda: bytes(f),
        lambda: f.copy(),
        lambda: f.contains_many(["a"]),
        lambda: f.update(["a"]),
        lambda: f.info,
        lambda: f.abilities,
        lambda: f == petal.Filter(10),
        lambda: f.save("x"),
    ):
        with pytest.raises(ValueError, match="closed"):
            use()


def test_a_filter_that_is_built_once_says_so():
    f = petal.Filter(100, kind="ribbon")
    f.update(range(50))
    for use in (
        lambda: 1 in f,
        lambda: f.contains_many([1]),
        lambda: f.count(1),
        lambda: pickle.dumps(f),
    ):
        with pytest.raises(petal.Error, match=r"seal\(\)"):
            use()
    assert f == f and f != f.copy()
    g = f.copy()
    g.seal()
    f.add(50)
    f.seal()
    assert 50 in f and len(f) == 51 and len(g) == 50
    with pytest.raises(petal.Error, match="takes no more keys"):
        f.add(51)


def test_info_is_a_mapping_with_attributes():
    info = petal.Filter(1000, 0.01, kind="classic").info
    assert info["kind"] == info.kind == "classic"
    assert dict(info)["capacity"] == 1000
    assert "fpr" in info and len(info) > 20 and "fpr" in dir(info)
    assert pickle.loads(pickle.dumps(info)) == info
    with pytest.raises(AttributeError):
        info.colour
    with pytest.raises(KeyError):
        info["colour"]


def test_a_secret_seed_is_not_shown():
    f = petal.Filter(1000, hash="keyed")
    assert f.info.hash == "keyed" and "seed" not in f.info
    assert f != petal.Filter(1000, hash="keyed")
    assert petal.Filter(10, hash="keyed", seed=(1, 2)) == petal.Filter(
        10, hash="keyed", seed="1:2"
    )


@pytest.mark.parametrize("kind", petal.kinds)
def test_hashes_are_those_of_the_library_or_refused(kind):
    f = empty(kind)
    if "keys" in f.abilities:
        with pytest.raises(petal.Error, match="does not support"):
            f.hash(5)
    else:
        assert f.hash(5) == f.hash("5")


def test_notes():
    f = petal.Filter(10)
    f.set_note("label", "Straßen")
    assert f.info.notes == {"label": "Straßen"}
    assert petal.view(bytes(f)).info.notes == {"label": "Straßen"}
    f.set_note("label", None)
    assert "notes" not in f.info
    with pytest.raises(ValueError, match="a-z"):
        f.set_note("A name!", "x")
    with pytest.raises(petal.Error, match="read-only"):
        petal.view(bytes(f)).set_note("label", "x")


def test_verify_and_compact():
    f = petal.Filter(1000, kind="quotient")
    f.update(range(1000))
    with pytest.raises(petal.Error, match="checksums"):
        f.verify()
    f.seal()
    f.verify()
    f.compact()
    assert all(i in f for i in range(1000))
    with pytest.raises(petal.Error):
        petal.Filter(10).compact()
