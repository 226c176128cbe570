# SPDX-License-Identifier: BSD-2-Clause
"""Options as keywords, plans, formulas, errors."""
import fractions
import pickle

import petal
import pytest


def test_every_option_of_the_library_is_a_keyword():
    f = petal.Filter(
        capacity=1000,
        fpr=0.02,
        kind="counting",
        counter_bits=8,
        insert_only=True,
        hash="keyed",
        seed="0x1:0x2",
        threads=2,
        form="word",
    )
    assert (f.info.counter_bits, f.info.insert_only, f.info.form) == (8, True, "word")
    assert petal.Filter(bits="8Ki", hashes=5, kind="classic").info.bits == 8192
    assert petal.Filter(kind="scalable", growth=4, capacity_max="1M").info.growth == 4
    assert petal.Filter(100, form="url", match_lookups=5).info.match_lookups == 5
    assert petal.Filter("1M", "0.1%").info.capacity == 1_000_000
    assert petal.Filter(100, kind=None, fpr=None).info.fpr == 0.01
    assert petal.Filter(100, fractions.Fraction(1, 50)).info.fpr == 0.02


def test_numbers_of_numpy_are_options():
    numpy = pytest.importorskip("numpy")
    assert petal.Filter(numpy.int64(100), numpy.float32(0.5)).info.capacity == 100


@pytest.mark.parametrize(
    "options, error, says",
    [
        ({"capacity": -1}, petal.InvalidError, "capacity must be"),
        ({"capacity": 100, "fpr": 2}, ValueError, "fpr must be"),
        (
            {"capacity": 100, "colour": "red"},
            ValueError,
            "colour is not one of petal's options",
        ),
        ({"capacity": 100, "kind": "cuckoo"}, ValueError, "kind"),
        ({"capacity": 100, "kind": "blocked bits=9"}, ValueError, "one word"),
        ({"capacity": 100, "kind": ""}, ValueError, "one word"),
        ({"capacity": 100, "fpr": float("nan")}, ValueError, "fpr must be"),
        ({"capacity": b"100"}, TypeError, "must be a str or a number"),
        ({}, ValueError, "capacity"),
        ({"capacity": 10**30}, ValueError, "capacity"),
        ({"capacity": 2**62}, (MemoryError, ValueError), "memory|capacity|bits"),
        (
            {"bits": 2**50, "kind": "bitmap"},
            (MemoryError, ValueError),
            "memory|capacity|bits",
        ),
    ],
)
def test_bad_options_say_which_one_and_why(options, error, says):
    with pytest.raises(error, match=says):
        petal.Filter(**options)


def test_errors_are_petals_and_pythons():
    for error, builtin in (
        (petal.InvalidError, ValueError),
        (petal.FileError, OSError),
        (petal.OutOfMemoryError, MemoryError),
    ):
        assert issubclass(error, petal.Error) and issubclass(error, builtin)
    with pytest.raises(petal.Error) as caught:
        petal.Filter(capacity=100, fpr=2)
    assert caught.value.code < 0 and caught.value.rejected == 0
    with pytest.raises(petal.Error) as caught:
        petal.view(b"not a filter")
    assert isinstance(caught.value, ValueError) and "not a petal filter" in str(
        caught.value
    )
    assert isinstance(pickle.loads(pickle.dumps(caught.value)), petal.InvalidError)


def test_a_plan_is_what_you_get():
    for kind in petal.kinds:
        options = {"bits": 1000} if kind == "bitmap" else {"capacity": 1000, "fpr": 0.01}
        plan, info = (
            petal.plan(kind=kind, **options),
            petal.Filter(kind=kind, **options).info,
        )
        assert {name: info[name] for name in plan} == dict(plan)
    assert petal.plan("1G", 0.01).image_bytes > 10**9
    with pytest.raises(ValueError, match="fpr must be"):
        petal.plan(100, 3)


def test_formulas():
    assert petal.math.fpr_best(10) == pytest.approx(0.0082, abs=1e-4)
    assert petal.math.lookup_time(102000, 2000, 0.5, 0.001, 0.03) == pytest.approx(
        0.02551, abs=1e-5
    )
    assert petal.math.fpr_partitioned(2_500_000, 30, 5_000_000) == pytest.approx(
        0.0127, abs=1e-4
    )
    assert petal.math.k(0.01) == 7
    assert petal.math.poisson_fits(200, 0.04) is True
    assert petal.math.fpr_exact(1000, 7, 100) == pytest.approx(
        petal.math.fpr(1000, 7, 100), rel=0.05
    )
    assert len(petal.math.__all__) == 18
    for name in petal.math.__all__:
        assert getattr(petal.math, name).__doc__
        with pytest.raises(TypeError):
            getattr(petal.math, name)("x")


def test_names_come_from_the_library():
    assert "blocked" in petal.kinds and "url" in petal.forms and "keyed" in petal.hashes
    for kind in petal.kinds:
        assert isinstance(kind, str)


def test_everything_has_a_docstring():
    for name in petal.__all__:
        if name not in ("kinds", "forms", "hashes"):
            assert getattr(petal, name).__doc__, name
    for name in dir(petal.Filter):
        if not name.startswith("_"):
            assert getattr(petal.Filter, name).__doc__, name
