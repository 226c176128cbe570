# SPDX-License-Identifier: BSD-2-Clause
"""Arrow columns: from a producer that follows the specification, and from pyarrow where it
is installed."""
import gc

import arrow_producer as arrow
import petal
import pytest

WORDS = [
    "rose",
    None,
    "",
    "tulip",
    "a text that is longer than twelve bytes",
    "Straße",
    None,
    "x" * 13,
    "y" * 12,
]


@pytest.fixture(autouse=True)
def everything_is_released():
    yield
    gc.collect()
    assert not arrow.alive and not arrow.structs


@pytest.fixture
def known():
    f = petal.Filter(1000, 1e-4)
    f.update(["rose", "", "x" * 13, "Straße", 5, -7, 2**63, 200])
    return f


def expected(f, values):
    return [value is not None and value in f for value in values]


def check(f, column, values):
    """Lookups and additions of a column are those of its values."""
    assert list(f.contains_many(column)) == expected(f, values)
    assert list(f.match_many(column, threads=2)) == expected(f, values)
    empty, single = petal.Filter(1000, 1e-4), petal.Filter(1000, 1e-4)
    assert list(empty.add_many(column)) == [v is not None and single.add(v) for v in values]
    assert empty == single
    empty.clear()
    empty.update(column, threads=2)
    assert empty == single


@pytest.mark.parametrize("offset", [0, 1, 3])
@pytest.mark.parametrize(
    "format, make",
    [
        ("u", arrow.text),
        ("z", arrow.text),
        ("vu", arrow.views),
        ("vz", arrow.views),
        ("U", lambda v, offset: arrow.text(v, True, offset)),
        ("Z", lambda v, offset: arrow.text(v, True, offset)),
    ],
)
def test_strings_and_bytes(known, format, make, offset):
    for values in (WORDS, [w or "" for w in WORDS], ["", "", "", ""]):
        check(
            known,
            arrow.OneArray(
                lambda: arrow.schema(format), lambda: make(values, offset=offset)
            ),
            values[offset:],
        )


@pytest.mark.parametrize("format", "cCsSiIlL")
def test_integers(known, format):
    bits = 8 * arrow.ctypes.sizeof(arrow.CODES[format])
    low, high = (
        (0, 2**bits - 1)
        if format.isupper()
        else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    )
    values = [
        v if v is None or low <= v <= high else 1
        for v in (5, None, -7, low, high, 200, 0, 2**63, 6)
    ]
    for offset in (0, 2):
        check(
            known,
            arrow.OneArray(
                lambda: arrow.schema(format), lambda: arrow.numbers(format, values, offset)
            ),
            values[offset:],
        )


def test_numbers_as_bytes(known):
    values = [1, 2, None, 4]
    column = arrow.OneArray(lambda: arrow.schema("l"), lambda: arrow.numbers("l", values))
    f = petal.Filter(10)
    f.update(column, as_bytes=True)
    assert all(v.to_bytes(8, "little") in f for v in (1, 2, 4)) and "1" not in f
    assert list(f.contains_many(column, as_bytes=True)) == [True, True, False, True]
    whole = arrow.OneArray(
        lambda: arrow.schema("g"), lambda: arrow.numbers("g", [1.5, 2.5, 3.5], 1)
    )
    f.update(whole, as_bytes=True)
    assert list(f.contains_many(whole, as_bytes=True)) == [True, True]
    fixed = arrow.OneArray(
        lambda: arrow.schema("w:4"), lambda: arrow.array(2, [None, b"junkroseluck"], 1)
    )
    assert list(known.contains_many(fixed)) == [True, False]


@pytest.mark.parametrize("index", "cCsSiIlL")
def test_dictionaries(known, index):
    words = ["rose", None, "lily", "x" * 13]
    indices = [0, 3, None, 2, 1, 0, 0, 3, 99]  # 99 is out of range, so it is nothing
    values = [None if i in (None, 99) else words[i] for i in indices]
    for offset in (0, 2):
        column = arrow.OneArray(
            lambda: arrow.schema(index, arrow.schema("u")),
            lambda: arrow.numbers(
                index, indices, offset, arrow.text(["other", *words], offset=1)
            ),
        )
        check(known, column, values[offset:])


def test_streams(known):
    parts = [WORDS, [], ["rose"] * 3000, [None] * 5]
    column = arrow.Chunks(
        lambda: arrow.schema("u"), *[lambda p=p: arrow.text(p) for p in parts]
    )
    check(known, column, sum(parts, []))
    empty = arrow.Chunks(lambda: arrow.schema("u"))
    assert list(known.contains_many(empty)) == []
    failing = arrow.Chunks(
        lambda: arrow.schema("u"), lambda: arrow.text(["a"]), error="disk on fire"
    )
    with pytest.raises(OSError, match="disk on fire"):
        known.contains_many(failing)


def test_a_table_with_one_column(known):
    valid = arrow.bitmap([1, 1, 1, 0, 1, 1])

    def table():
        return arrow.array(
            4,
            [valid],
            1,
            children=[
                arrow.text(["junk", "a", "rose", "b", "rose", None, "rose"], offset=1)
            ],
        )

    column = arrow.Chunks(lambda: arrow.schema("+s", children=[arrow.schema("u")]), table)
    assert list(known.contains_many(column)) == [True, False, False, False]
    two = arrow.Chunks(
        lambda: arrow.schema("+s", children=[arrow.schema("u"), arrow.schema("u")]),
        lambda: arrow.array(0, [None], children=[arrow.text([]), arrow.text([])]),
    )
    with pytest.raises(TypeError, match="2 columns"):
        known.contains_many(two)


@pytest.mark.parametrize(
    "format, hint",
    [
        ("f", "as_bytes"),
        ("b", "integers or text"),
        ("tdD", "as_bytes"),
        ("+l", "text"),
        ("d:10,2", "as_bytes"),
        ("", "text"),
        ("+r", "text"),
    ],
)
def test_what_holds_no_keys(known, format, hint):
    column = arrow.OneArray(
        lambda: arrow.schema(format), lambda: arrow.array(1, [None, bytes(32)])
    )
    for use in (known.contains_many, known.add_many, known.update):
        with pytest.raises(TypeError, match=hint):
            use(column)


def test_nulls_alone(known):
    column = arrow.OneArray(lambda: arrow.schema("n"), lambda: arrow.array(3, []))
    check(known, column, [None] * 3)


def test_objects_that_break_the_protocol(known):
    class Bad:
        def __arrow_c_array__(self):
            return self.answer

    bad = Bad()
    for answer in (None, (), (1, 2), 5):
        bad.answer = answer
        with pytest.raises((TypeError, ValueError)):
            known.contains_many(bad)

    class Missing:
        """What pandas does without pyarrow."""

        def __arrow_c_stream__(self):
            raise ImportError("pyarrow is required")

        def __array__(self):
            return pytest.importorskip("numpy").array(["rose"])

    assert list(known.contains_many(Missing())) == [True]
    del Missing.__array__
    with pytest.raises(ImportError):
        known.contains_many(Missing())


@pytest.mark.pypi
def test_pyarrow(known):
    pa = pytest.importorskip("pyarrow")
    for type in (
        pa.string(),
        pa.large_string(),
        pa.binary(),
        pa.large_binary(),
        pa.string_view(),
        pa.binary_view(),
        pa.dictionary(pa.int8(), pa.string()),
    ):
        whole = (
            pa.array(WORDS, pa.string()).cast(type)
            if "binary" in str(type)
            else pa.array(WORDS, type)
        )
        check(known, whole, WORDS)
        check(known, whole[2:7], WORDS[2:7])
        check(known, pa.chunked_array([whole, whole[1:], whole[:0]]), WORDS + WORDS[1:])
    for type in (pa.int8(), pa.int64(), pa.uint64(), pa.uint16()):
        check(known, pa.array([5, None, 100, 6], type), [5, None, 100, 6])
    check(known, pa.array([b"rose", b"lily"], pa.binary(4)), ["rose", "lily"])
    check(known, pa.table({"a": WORDS}), WORDS)
    check(known, pa.record_batch({"a": [5, 6]}), [5, 6])
    for bad in (
        pa.array([1.5]),
        pa.array([True]),
        pa.array([[1]]),
        pa.table({"a": [1], "b": [2]}),
    ):
        with pytest.raises(TypeError):
            known.contains_many(bad)
    reader = pa.RecordBatchReader.from_batches(
        pa.schema([("a", pa.string())]), iter([pa.record_batch({"a": ["rose"]})])
    )
    assert list(known.contains_many(reader)) == [True]


@pytest.mark.pypi
def test_pandas_with_pyarrow(known):
    pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    check(
        known, pandas.DataFrame({"a": pandas.Series(WORDS, dtype="string[pyarrow]")}), WORDS
    )
    column = pandas.Series(WORDS, dtype="string[pyarrow]")
    if hasattr(column, "__arrow_c_stream__"):  # since pandas 3
        check(known, column, WORDS)


@pytest.mark.pypi
def test_polars(known):
    polars = pytest.importorskip("polars")
    check(known, polars.Series(WORDS), WORDS)
    check(known, polars.Series([5, None, 6]), [5, None, 6])
