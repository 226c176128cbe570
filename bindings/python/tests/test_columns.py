# SPDX-License-Identifier: BSD-2-Clause
"""Many keys at once: lists, NumPy arrays, and whatever else has keys."""
import array
import subprocess
import sys
from collections import deque

import petal
import pytest
from samples import empty

numpy = pytest.importorskip("numpy")


def expected(f, keys):
    return [key in f for key in keys]


@pytest.fixture
def thirds():
    """The numbers from -3000 to 3000 that are divisible by 3."""
    f = petal.Filter(3000, 0.001)
    f.update(range(-3000, 3000, 3))
    return f


@pytest.mark.parametrize(
    "kind",
    [
        "i1",
        "u1",
        "i2",
        "u2",
        "i4",
        "u4",
        "i8",
        "u8",
        ">i2",
        ">u4",
        ">i8",
        "<i4",
        "<u8",
        "q",
        "Q",
        "l",
        "L",
        "intp",
        "longlong",
    ],
)
def test_integers_are_their_decimal_text(thirds, kind):
    limits = numpy.iinfo(numpy.dtype(kind))
    values = sorted(
        {
            v
            for v in (*range(-300, 300), limits.min, limits.max)
            if limits.min <= v <= limits.max
        }
    )
    column = numpy.array(values, dtype=kind)
    found = thirds.contains_many(column)
    assert found.dtype == bool and found.tolist() == expected(thirds, values)
    f = petal.Filter(10_000)
    assert f.add_many(column).all()
    assert all(v in f for v in values)
    assert f.contains_many([str(v) for v in values]).all()


def test_text_and_bytes_of_fixed_width():
    words = ["rose", "", "tulip", "Straße", "日本語", "🌷" * 3, "a\0b", "x" * 50]
    f = petal.Filter(100)
    f.update(words[::2])
    for column in (
        numpy.array(words),
        numpy.array(words).astype(">U50"),
        numpy.array(words, dtype=object),
    ):
        assert f.contains_many(column).tolist() == expected(f, words)
    column = numpy.array([w.encode() for w in words])
    assert column.dtype.kind == "S"
    assert f.contains_many(column).tolist() == expected(f, words)
    g = petal.Filter(100)
    g.update(numpy.array(words))
    assert all(w in g for w in words)
    assert f.contains_many(numpy.array([], dtype="U5")).tolist() == []
    with pytest.raises(UnicodeError, match="row 1"):
        f.contains_many(numpy.array(["a", "\ud800"]))


def test_strides_and_slices(thirds):
    column = numpy.arange(-900, 900)
    for part in (column[::2], column[::-1], column[5:-5:7], column.reshape(30, 60)[:, 3]):
        assert thirds.contains_many(part).tolist() == expected(thirds, part.tolist())
        assert (
            thirds.contains_many(part, as_bytes=True).tolist()
            == thirds.contains_many(numpy.ascontiguousarray(part), as_bytes=True).tolist()
        )


@pytest.mark.parametrize("kind", ["i8", "u4", "f8", "S3", "?", "U2", "i2,f4"])
def test_as_bytes(kind):
    column = numpy.zeros(500, dtype=kind)
    column.view("u1")[:] = numpy.random.default_rng(1).integers(0, 255, column.nbytes)
    if kind == "U2":
        column = numpy.array([f"{i % 89}" for i in range(500)], dtype="U2")
    raw, width = column.tobytes(), column.itemsize
    keys = [raw[i : i + width] for i in range(0, len(raw), width)]
    f = petal.Filter(500)
    added = f.add_many(column[:250], as_bytes=True)
    assert added.sum() == len(f)
    assert all(key in f for key in keys[:250])
    assert f.contains_many(column, as_bytes=True).tolist() == expected(f, keys)


def test_what_is_no_column_of_keys():
    f = petal.Filter(10)
    for bad in (
        numpy.zeros(3),
        numpy.zeros(3, dtype=bool),
        numpy.zeros(3, dtype=complex),
        numpy.zeros((2, 2), int),
        numpy.array(3),
        numpy.zeros(3, dtype="i2,i4"),
        numpy.zeros(3, dtype="M8[s]"),
        "rose",
        b"rose",
        bytearray(b"rose"),
        5,
        None,
        [1.5],
        numpy.array([None]),
        numpy.array([[1, 2]], dtype=object),
    ):
        for use in (f.contains_many, f.add_many, f.update):
            with pytest.raises(TypeError):
                use(bad)
    with pytest.raises(TypeError):
        f.contains_many(numpy.array([1], dtype=object).astype("O,i4"), as_bytes=True)
    assert len(f) == 0


def test_other_sequences(thirds):
    numbers = list(range(-50, 50))
    for keys in (
        tuple(numbers),
        deque(numbers),
        iter(numbers),
        (n for n in numbers),
        array.array("h", numbers),
        memoryview(array.array("q", numbers)),
        range(-50, 50),
        dict.fromkeys(numbers),
    ):
        assert thirds.contains_many(keys).tolist() == expected(thirds, numbers)
    assert thirds.contains_many([]).tolist() == [] and thirds.add_many(()).tolist() == []


def test_mixed_lists(thirds):
    keys = [
        3,
        "3",
        b"3",
        bytearray(b"3"),
        4,
        "4",
        10**30,
        memoryview(b"6"),
        "",
        "-3",
        numpy.int8(9),
        "x" * 10000,
    ]
    assert thirds.contains_many(keys * 1000).tolist() == expected(thirds, keys) * 1000


@pytest.mark.parametrize("kind", petal.kinds)
@pytest.mark.parametrize("threads", [1, 4])
def test_batches_give_the_same_filter(kind, threads):
    keys = numpy.arange(900)
    one, many, quiet = empty(kind), empty(kind), empty(kind)
    singly = [one.add(int(key)) for key in keys]
    assert many.add_many(keys, threads=threads).tolist() == singly
    quiet.update(keys, threads=threads)
    for f in (one, many, quiet):
        f.seal()
    assert one == many == quiet
    assert one.contains_many(keys, threads=threads).all()


def test_threads_give_the_same_answers():
    f = petal.Filter(200_000, 0.01)
    keys = numpy.arange(200_000, dtype="i8")
    f.add_many(keys[::2], threads=4)
    g = petal.Filter(200_000, 0.01)
    g.update(keys[::2])
    assert f == g
    for as_bytes in (False, True):
        once = f.contains_many(keys, as_bytes=as_bytes)
        assert (f.contains_many(keys, as_bytes=as_bytes, threads=7) == once).all()
        assert (f.match_many(keys, as_bytes=as_bytes, threads=3) == once).all()
    h = petal.Filter(200_000, 0.01)
    assert (
        h.add_many(keys, as_bytes=True, threads=3)
        == petal.Filter(200_000, 0.01).add_many(keys, as_bytes=True)
    ).all()
    for bad in (0, -1, 1000):
        with pytest.raises(ValueError, match="threads"):
            f.contains_many(keys, threads=bad)


def test_rejected_keys_are_an_error_and_the_others_are_added():
    f = petal.Filter(bits=100, kind="bitmap")
    with pytest.raises(
        ValueError, match="2 of 5 keys were rejected and the others were added; row 1"
    ) as caught:
        f.add_many([1, 100, 2, "x", 3])
    assert caught.value.rejected == 2 and len(f) == 3
    with pytest.raises(ValueError, match="row 1"):
        f.update(numpy.array([1, 500, 2]), threads=2)
    assert f.contains_many([1, 100, "x"]).tolist() == [True, False, False]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_full_filter_rejects_the_rest(threads):
    f = petal.Filter(capacity=1000, fpr=0.9, kind="quotient")
    with pytest.raises(petal.Error, match="cannot grow any further") as caught:
        f.add_many(numpy.arange(20_000), threads=threads)
    assert caught.value.rejected > 10_000
    with pytest.raises(petal.Error, match="cannot grow"):
        f.update(numpy.arange(20_000), threads=threads)


def test_an_iterator_that_fails_comes_through():
    def keys():
        yield "a"
        raise RuntimeError("no more")

    f = petal.Filter(10)
    with pytest.raises(RuntimeError, match="no more"):
        f.update(keys())
    with pytest.raises(RuntimeError):
        f.contains_many(keys())


def test_an_iterator_may_use_the_filter():
    f = petal.Filter(10_000)

    def keys():
        for i in range(5000):
            f.add(f"inner-{i}")
            yield f"outer-{i}"

    f.update(keys())
    assert all(f"inner-{i}" in f and f"outer-{i}" in f for i in range(5000))


def test_a_closed_filter_in_the_middle():
    f = petal.Filter(10_000)

    def keys():
        for i in range(5000):
            if i == 4500:
                f.close()
            yield i

    with pytest.raises(ValueError, match="closed"):
        f.update(keys())


def test_results_without_numpy():
    program = """
import sys, petal
f = petal.Filter(10)
f.add("a")
assert f.contains_many(["a", "b"]) == bytearray(b"\\1\\0")
assert f.add_many(["a", "b"]) == bytearray(b"\\0\\1") and isinstance(f.add_many([]), bytearray)
assert "numpy" not in sys.modules and "pyarrow" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_pandas_columns():
    pandas = pytest.importorskip("pandas")
    f = petal.Filter(100)
    f.update(["rose", 3])
    assert f.contains_many(pandas.Series(["rose", "tulip"])).tolist() == [True, False]
    assert f.contains_many(pandas.Series([3, 4, 5])).tolist() == [True, False, False]
    assert f.contains_many(pandas.Index([3, 4])).tolist() == [True, False]
    assert f.contains_many(pandas.DataFrame({"a": [3, 4]})["a"]).tolist() == [True, False]
    missing = pandas.Series(["rose", None])
    if hasattr(missing, "__arrow_c_stream__"):  # since pandas 3, a column of Arrow
        assert f.contains_many(missing).tolist() == [True, False]
        missing = missing.to_numpy()
    with pytest.raises(TypeError, match="row 1"):
        f.contains_many(missing)
    with pytest.raises(TypeError):
        f.contains_many(pandas.Series([1.5]))
