# SPDX-License-Identifier: BSD-2-Clause
"""What is a key, and what is not."""
import array
import enum
import mmap
import sys

import petal
import pytest
from hypothesis import given, settings, strategies as st
from petal import _text

SETTINGS = settings(max_examples=300, deadline=None, derandomize=True, database=None)


def same(a, b):
    """Whether two objects are the same key."""
    f = petal.Filter(10)
    return f.hash(a) == f.hash(b)


@given(st.text())
@SETTINGS
def test_text_is_utf_8(text):
    assert same(text, text.encode())


@given(st.integers() | st.integers(-(2**70), 2**70))
@SETTINGS
def test_an_int_is_its_decimal_text(number):
    assert same(number, str(number)) and same(number, str(number).encode())


@pytest.mark.parametrize(
    "number",
    [0, 9, 10, 99, 100, -1, -10, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64],
)
def test_limits_of_machine_integers(number):
    assert same(number, str(number))


def test_an_int_may_have_more_digits_than_python_prints():
    number = 10**20000 + 7
    text = "1" + "0" * 19999 + "7"
    assert len(text) > sys.get_int_max_str_digits()
    assert same(number, text) and same(-number, "-" + text)
    assert (
        _text.decimal(0) == "0"
        and _text.decimal(-12) == "-12"
        and _text.decimal(number) == text
    )


def test_bytes_like_objects_are_bytes():
    for key in (
        bytearray(b"rose"),
        memoryview(b"rose"),
        memoryview(b"xroseX")[1:5],
        array.array("B", b"rose"),
        mmap.mmap(-1, 4),
    ):
        if isinstance(key, mmap.mmap):
            key[:] = b"rose"
        assert same(key, "rose")
    assert same(b"", "") and same(bytearray(), "")


def test_kinds_of_integers():
    class Colour(enum.IntEnum):
        RED = 3

    class Index:
        def __index__(self):
            return 3

    assert same(Colour.RED, "3") and same(Index(), 3)


def test_numbers_of_numpy_are_integers():
    numpy = pytest.importorskip("numpy")
    for kind in ("int8", "uint8", "int64", "uint64"):
        assert same(numpy.dtype(kind).type(5), 5)
    assert same(numpy.array(5), 5)
    assert same(numpy.str_("rose"), "rose") and same(numpy.bytes_(b"rose"), "rose")


@pytest.mark.parametrize(
    "key",
    [
        None,
        1.5,
        True,
        False,
        [],
        ("a",),
        {},
        object(),
        1j,
        array.array("i", [1]),
        memoryview(b"abcdefgh").cast("d"),
    ],
    ids=repr,
)
def test_everything_else_is_a_type_error(key):
    f = petal.Filter(10, kind="counting")
    for use in (
        f.add,
        f.__contains__,
        f.remove,
        f.discard,
        f.count,
        f.match,
        f.normalize,
        f.hash,
    ):
        with pytest.raises(TypeError, match="str, bytes or int"):
            use(key)
    for use in (f.add_many, f.contains_many, f.update, f.match_many):
        with pytest.raises(TypeError, match="row 1: a key must be str, bytes or int"):
            use(["good", key])


def test_numpy_scalars_that_are_no_integers():
    numpy = pytest.importorskip("numpy")
    f = petal.Filter(10)
    for key in (
        numpy.float64(1),
        numpy.bool_(True),
        numpy.datetime64(0, "s"),
        numpy.arange(3),
    ):
        with pytest.raises(TypeError):
            f.add(key)


def test_a_lone_surrogate_has_no_utf_8():
    f = petal.Filter(10)
    for use in (f.add, f.__contains__, lambda key: f.update([key])):
        with pytest.raises(UnicodeEncodeError):
            use("a\ud800")


def test_an_error_in_index_comes_through():
    class Bad:
        def __index__(self):
            raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        petal.Filter(10).add(Bad())


def test_forms():
    f = petal.Filter(100, form="url")
    f.add("http://evil.example/")
    assert f.match("https://www.evil.example/a/b") == "evil.example/"
    assert f.match("good.example") is None
    assert list(f.match_many(["www.evil.example", "good.example", ""])) == [1, 0, 0]
    assert f.normalize("HTTP://Evil.Example:80/#x") == "evil.example/"
    with pytest.raises(ValueError, match="not valid"):
        f.normalize("")
    with pytest.raises(petal.InvalidError, match="not valid"):
        f.add("")
    addresses = petal.Filter(100, form="ip")
    addresses.add("203.0.113.0/24")
    assert addresses.match("203.0.113.9") == "203.0.113.0/24"
    assert petal.Filter(10).normalize("Rose") == "Rose"
    long = "x" * 100_000
    g = petal.Filter(10)
    g.add(long)
    assert g.match(long) == long
