"""Tables and schemas: one meaning for every kind of table, and errors that say what to do."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from r2n.errors import ModelFileError, SchemaError
from r2n.rules import RuleSet
from r2n.table import Column, Schema, Table
from r2n.table.raw import BLOCK

NAN = math.nan

NUMBERS = [1, None, 3, 2]
FLOATS = [0.5, 1.5, None, -2.0]
WORDS = ["b", None, "a", "b"]
FLAGS = [True, False, None, True]

FRAMES = {
    "dict": lambda: {"n": NUMBERS, "f": FLOATS, "w": WORDS, "b": FLAGS},
    "dict of arrays": lambda: {
        "n": np.array([1, NAN, 3, 2]), "f": np.array([0.5, 1.5, NAN, -2.0], dtype=np.float32),
        "w": np.array(WORDS, dtype=object), "b": np.array(FLAGS, dtype=object),
    },
    "pandas": lambda: pd.DataFrame({"n": NUMBERS, "f": FLOATS, "w": WORDS, "b": FLAGS}),
    "pandas objects": lambda: pd.DataFrame({"n": NUMBERS, "f": FLOATS, "w": WORDS, "b": FLAGS}, dtype=object),
    "pandas nullable": lambda: pd.DataFrame({
        "n": pd.array(NUMBERS, dtype="Int64"), "f": pd.array(FLOATS, dtype="Float32"),
        "w": pd.array(WORDS, dtype="string"), "b": pd.array(FLAGS, dtype="boolean"),
    }),
    "pandas arrow": lambda: pd.DataFrame({
        "n": pd.array(NUMBERS, dtype="int64[pyarrow]"), "f": pd.array(FLOATS, dtype="float[pyarrow]"),
        "w": pd.array(WORDS, dtype="string[pyarrow]"), "b": pd.array(FLAGS, dtype="bool[pyarrow]"),
    }),
    "pandas categorical": lambda: pd.DataFrame({
        "n": NUMBERS, "f": FLOATS, "w": pd.Categorical(WORDS), "b": pd.Categorical(FLAGS),
    }),
    "polars": lambda: pl.DataFrame({"n": NUMBERS, "f": FLOATS, "w": WORDS, "b": FLAGS}),
    "polars categorical": lambda: pl.DataFrame(
        {"n": NUMBERS, "f": FLOATS, "w": pl.Series(WORDS, dtype=pl.Categorical), "b": FLAGS}
    ),
    "pyarrow": lambda: pa.table({"n": NUMBERS, "f": FLOATS, "w": WORDS, "b": FLAGS}),
    "numpy objects": lambda: np.array(list(zip(NUMBERS, FLOATS, WORDS, FLAGS, strict=True)), dtype=object),
    "rows": lambda: [list(row) for row in zip(NUMBERS, FLOATS, WORDS, FLAGS, strict=True)],
}  # fmt: skip


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_every_kind_of_table_is_read_alike(make: Any) -> None:
    X = make()
    schema, table = Schema.learn(X)
    n, f, w, b = table.names
    assert table.n_rows == 4
    assert_array_equal(table.numeric(n), [1, NAN, 3, 2])
    assert_array_equal(table.numeric(f), [0.5, 1.5, NAN, -2])
    assert (table.codes(w)[0].tolist(), table.codes(w)[1]) == ([1, -1, 0, 1], ("a", "b"))
    assert (table.codes(b)[0].tolist(), table.codes(b)[1]) == ([1, 0, -1, 1], (False, True))
    assert [table.known(name).tolist().index(False) for name in (n, f, w, b)] == [1, 2, 1, 2]
    assert schema.columns == (
        Column(n, "numeric", 1.0, 3.0, (), True, integer=True),
        Column(f, "numeric", -2.0, 1.5, (), True),
        Column(w, "categorical", -math.inf, math.inf, ("a", "b"), True),
        Column(b, "categorical", -math.inf, math.inf, (False, True), True),
    )
    assert [type(value) for value in schema.columns[3].categories] == [bool, bool]
    assert table.codes(w)[0].dtype == np.int32
    again = schema.table(X)
    assert_array_equal(again.numeric(n), table.numeric(n))


# -- reading ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16, np.float32, np.float64, np.longdouble])
def test_numbers_of_every_type_are_float64(dtype: type) -> None:
    assert Table.read(np.array([[1], [2]], dtype=dtype)).numeric("x0").dtype == np.float64


def test_arrays_name_their_columns_by_position() -> None:
    table = Table.read(np.arange(6).reshape(2, 3))
    assert table.names == ("x0", "x1", "x2")
    assert table.numeric("x1").tolist() == [1.0, 4.0]
    assert Table.read(np.zeros((2, 2)), names=["a", "b"]).names == ("a", "b")


def test_text_and_boolean_arrays_are_categorical() -> None:
    assert Table.read(np.array([["b"], ["a"]])).codes("x0")[1] == ("a", "b")
    schema, _ = Schema.learn(np.array([[True, False], [False, False]]))
    assert [column.categories for column in schema.columns] == [(False, True), (False,)]


def test_numbers_as_categories_keep_their_type() -> None:
    values = Table.read({"c": np.array([2.0, 1.0, 0.5, NAN])}).codes("c")[1]
    assert values == (0.5, 1, 2)
    assert [type(value) for value in values] == [float, int, int]
    assert Table.read({"c": [Decimal("1.5"), np.float32(2), None]}).codes("c")[1] == (1.5, 2)


def test_names_that_are_not_text_become_text() -> None:
    frame = pd.DataFrame(np.zeros((2, 2)), columns=[0, ("a", 1)])
    assert Table.read(frame).names == ("0", "('a', 1)")
    assert list(frame.columns) == [0, ("a", 1)]


def test_float_arrays_are_not_copied_and_cannot_be_written_to() -> None:
    array = np.zeros((3, 2))
    column = Table.read(array).numeric("x1")
    assert np.shares_memory(column, array)
    with pytest.raises(ValueError, match="read-only"):
        column[0] = 1.0
    array[0, 1] = 5.0  # the caller's own array is still theirs
    assert array.flags.writeable


def test_columns_are_read_when_needed_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table.read({"good": [1.0, 2.0], "when": np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]")})
    assert table.numeric("good") is table.numeric("good")
    with pytest.raises(SchemaError, match="column 'when': dates are not read"):
        table.numeric("when")


def test_array_likes_are_read() -> None:
    class Wrapped:
        def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
            return np.array([[1.0, 2.0]])

    assert Table.read(Wrapped()).numeric("x1").tolist() == [2.0]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_take(make: Any) -> None:
    table = Table.read(make())
    n, _, w, _ = table.names
    assert_array_equal(table.take([3, 1]).numeric(n), [2, NAN])
    masked = table.take(np.array([True, False, True, False]))
    assert masked.n_rows == 2
    assert masked.codes(w)[0].tolist() == [1, 0]
    assert masked.take([1]).numeric(n).tolist() == [3.0]
    assert masked.take([1]).known(w).tolist() == [True]
    assert table.take([]).n_rows == 0


@pytest.mark.parametrize("name", ["dict", "pandas", "polars", "numpy objects"])
def test_tables_can_be_pickled(name: str) -> None:
    table = Table.read(FRAMES[name]())
    again = pickle.loads(pickle.dumps(table.take([3, 0])))
    assert again.numeric(table.names[0]).tolist() == [2.0, 1.0]


@settings(deadline=None)  # the first example imports and compiles more than the others
@given(st.lists(st.none() | st.sampled_from(["a", "b", True, 1, 2.5]) | st.text() | st.integers(), min_size=1))
def test_codes_and_values_give_the_cells_back(cells: list[object]) -> None:
    codes, values = Table.read({"c": np.array([*cells, None], dtype=object)[:-1]}).codes("c")
    assert [None if code < 0 else values[code] for code in codes] == cells
    assert len(set(values)) == len(values)


# -- errors: what came, what was expected, what to do ---------------------------------------------------

UNREADABLE = [
    (np.zeros(3), "Expected 2D array, got 1D array instead. Reshape your data to rows and columns, for example "
                  "with X.reshape(-1, 1) for one column."),
    (np.zeros((1, 1, 1)), "Expected 2D array, got 3D array instead. Reshape your data to rows and columns, for "
                          "example with X.reshape(-1, 1) for one column."),
    (np.zeros((0, 2)), "the table has no rows: 0 sample(s) while a minimum of 1 is required."),
    (np.zeros((2, 0)), "the table has no columns: 0 feature(s) (shape=(2, 0)) while a minimum of 1 is required."),
    (pd.DataFrame(), "the table has no columns: 0 feature(s) (shape=(0, 0)) while a minimum of 1 is required."),
    (pd.DataFrame({"a": []}), "the table has no rows: 0 sample(s) while a minimum of 1 is required."),
    ({"a": [1, 2], "b": [1]}, "the columns have unequal lengths: {'a': 2, 'b': 1}. Give each one value for every "
                              "row."),
    ({"a": 3}, "column 'a' has 0 dimensions. Give one value for every row."),
    ([[1, 2], [1]], "the rows have unequal lengths. Give each one value for every column."),
    (scipy.sparse.eye(3), "sparse matrices are not read: 0 and missing differ here. Pass X.toarray()."),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), "column names are repeated: ['a']. Rename them: each must name "
                                                 "one column."),
    (pd.DataFrame([[1, 2]], columns=[1, "1"]), "column names are repeated: ['1']. Rename them: each must name one "
                                               "column."),
    (pl.LazyFrame({"a": [1]}), "a LazyFrame holds no rows yet. Pass X.collect()."),
    (3, "a table was expected, not int. Pass a frame (pandas, polars, pyarrow), a two-dimensional numpy array, or "
        "a dict of columns."),
    (np.ma.zeros((2, 2)), "masked arrays are not read. Pass X.filled(numpy.nan), where NaN means missing."),
    (np.zeros(2, dtype=[("a", float)]), "structured arrays are not read. Pass {name: X[name] for name in "
                                        "X.dtype.names}."),
]  # fmt: skip


@pytest.mark.parametrize(("X", "message"), UNREADABLE, ids=[message[:35] for _, message in UNREADABLE])
def test_what_is_no_table_is_refused(X: object, message: str) -> None:
    with pytest.raises(SchemaError) as error:
        Schema.learn(X)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (np.array([1.0, math.inf]), "column 'c' holds inf (infinity) in row 1. Replace infinite values by missing "
                                    "ones (NaN) or by a finite bound."),
        (np.array([1j, 2]), "column 'c': Complex data not supported. Pass the real and imaginary parts as two "
                            "columns."),
        (np.array([b"a", b"b"]), "column 'c': bytes are not read. Decode them to text."),
        ([1, date(2020, 1, 1)], "column 'c': the value datetime.date(2020, 1, 1) in row 1 is a date. Convert dates "
                                "to numbers, such as days since a fixed date."),
        (pd.Series(pd.to_datetime(["2020-01-01", None])), "column 'c': dates are not read. Convert dates to numbers, "
                                                          "such as days since a fixed date, or drop the column."),
        (np.array(["a", {}], dtype=object), "column 'c': the value {} in row 1 is of type dict. Only plain values are "
                                            "read."),
        (np.array([1, 2j], dtype=object), "column 'c': the value 2j in row 1 is complex. Complex data not supported. "
                                          "Pass the real and imaginary parts as two columns."),
        (np.array([1, b"x"], dtype=object), "column 'c': the value b'x' in row 1 is of type bytes. Only numbers, "
                                            "text, Booleans and missing values are read."),
        (np.array([1, 10**400], dtype=object), "column 'c': the value of about 400 digits in row 1 is too "
                                               "large for a float. Rescale the column, or turn it into text."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("frame", [dict, pd.DataFrame])
def test_unreadable_columns_are_named(frame: type, column: object, message: str) -> None:
    with pytest.raises(SchemaError) as error:
        Schema.learn(frame({"c": column}))
    got = str(error.value)
    assert got == message or (frame is pd.DataFrame and got.startswith("column 'c': "))


@pytest.mark.parametrize("frame", [pl.DataFrame({"c": [[1], [2]]}), pl.DataFrame({"c": [date(2020, 1, 1)]})])
def test_nested_and_date_columns_of_polars_are_refused(frame: pl.DataFrame) -> None:
    with pytest.raises(SchemaError, match=r"column 'c': .* not read"):
        Schema.learn(frame)


def test_unknown_columns_are_named_with_near_ones() -> None:
    table = Table.read({"income": [1], "age": [2]})
    for read in (table.numeric, table.codes, table.known, table.kind):
        with pytest.raises(SchemaError) as error:
            read("incom")
        assert str(error.value) == (
            "the table has no column 'incom'. Did you mean 'income'? Its columns are: 'income', 'age'."
        )


def test_text_where_a_number_is_asked_for() -> None:
    with pytest.raises(SchemaError) as error:
        Table.read({"age": [1, 2, "abc"]}).numeric("age")
    assert str(error.value) == (
        "column 'age' holds 'abc' in row 2 where a number was expected. Convert the column to numbers."
    )


# -- learning a schema ------------------------------------------------------------------------------


def test_categorical_overrides_the_type() -> None:
    schema, _ = Schema.learn({"zip": [10001, 94103], "age": [1, 2]}, categorical=["zip"])
    assert schema.column("zip") == Column("zip", "categorical", categories=(10001, 94103))
    assert (schema.numeric, schema.categorical) == (("age",), ("zip",))
    assert schema == Schema.learn({"zip": [10001, 94103], "age": [1, 2]}, categorical="zip")[0]


def test_unknown_categorical_names_are_refused() -> None:
    with pytest.raises(SchemaError) as error:
        Schema.learn({"zip code": [1]}, categorical=["zip-code"])
    assert str(error.value) == (
        "categorical: the table has no column 'zip-code'. Did you mean 'zip code'? Its columns are: 'zip code'."
    )


def test_columns_without_a_value() -> None:
    schema, table = Schema.learn({"n": np.array([NAN, NAN]), "o": [None, None]})
    assert schema.columns == (Column("n", "numeric", missing=True), Column("o", "numeric", missing=True))
    assert_array_equal(table.numeric("o"), [NAN, NAN])


# -- reading against a schema -----------------------------------------------------------------------

SCHEMA, _ = Schema.learn({"age": [31, 58, 40, 20], "region": ["n", "w", "n", None]})


def test_frames_are_selected_by_name_and_may_have_more() -> None:
    frame = pd.DataFrame({"other": [1], "region": ["e"], "age": [9]})
    table = SCHEMA.table(frame)
    assert table.numeric("age").tolist() == [9.0]
    assert table.codes("region")[1] == ("e",)


def test_arrays_are_taken_by_position() -> None:
    table = SCHEMA.table(np.array([[1, "n"]], dtype=object))
    assert table.names == ("age", "region")
    with pytest.raises(SchemaError) as error:
        SCHEMA.table(np.zeros((1, 3)))
    assert str(error.value) == (
        "X has 3 features, but r2n is expecting 2 features as input: ['age', 'region']. "
        "Pass the same columns in the same order."
    )


def test_missing_columns_are_named() -> None:
    with pytest.raises(SchemaError) as error:
        SCHEMA.table({"region": ["n"], "Age": [1]})
    assert str(error.value) == (
        "columns that were there at fit are missing: ['age']. The table has: ['region', 'Age']. "
        "Add them, or rename yours."
    )
    assert SCHEMA.table({"region": ["n"]}, only=["region"]).names == ("region",)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["region", "age"], "Feature names must be in the same order as they were in fit.\n"
                            "Where 'age' was expected, 'region' came.\n"),
        (["age", "region", "extra"], "Feature names unseen at fit time:\n- extra\n"),
        (["age"], "Feature names seen at fit time, yet now missing:\n- region\n"),
    ],
)  # fmt: skip
def test_same_order_says_which_names_differ(names: list[str], message: str) -> None:
    cells = {"age": [1], "region": ["n"], "extra": [0]}
    with pytest.raises(SchemaError) as error:
        SCHEMA.table({name: cells[name] for name in names}, same_order=True)
    assert str(error.value) == f"The feature names should match those that were passed during fit.\n{message}"


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, lambda d: pl.DataFrame(d, strict=False)])
def test_text_in_a_numeric_column(frame: Any) -> None:
    with pytest.raises(SchemaError) as error:
        SCHEMA.table(frame({"age": ["1", "2", "x", "abc"], "region": ["n"] * 4}))
    assert str(error.value) == (
        "column 'age' was numeric at fit but holds '1' in row 0. Convert it, or fit again with categorical=['age']."
    )
    with pytest.raises(SchemaError, match="column 'age' was numeric at fit but holds 'abc' in row 3"):
        SCHEMA.table({"age": np.array([1, 2, 3, "abc"], dtype=object), "region": ["n"] * 4})


def test_numbers_in_a_column_of_text_and_the_reverse() -> None:
    with pytest.raises(SchemaError) as error:
        SCHEMA.table({"age": [1, 1], "region": [NAN, 10001]})
    assert str(error.value) == (
        "column 'region' held text at fit (such as 'n') but holds 10001 in row 1. Convert it to text."
    )
    schema, _ = Schema.learn({"zip": [10001]}, categorical=["zip"])
    with pytest.raises(SchemaError) as error:
        schema.table({"zip": ["10001"]})
    assert str(error.value) == (
        "column 'zip' held numbers at fit (such as 10001) but holds '10001' in row 0. Convert it to numbers."
    )


BOOLEANS = [True, False, True]
STRANGERS = {
    "Booleans for text": (["n", "w", "n"], BOOLEANS),
    "numbers of a categorical type for text": (["n", "w", "n"], pd.Categorical([1, 2, 1])),
    "a number among text": (["n", "w", "n"], ["n", "w", 3]),
    "a dictionary of numbers for text": (["n", "w", "n"], pa.array([1, 2, 1]).dictionary_encode()),
    "numbers for Booleans": (BOOLEANS, [1, 2, 1]),
    "text for Booleans": (BOOLEANS, ["True", "False", "True"]),
}


@pytest.mark.parametrize(("then", "now"), STRANGERS.values(), ids=STRANGERS)
def test_values_of_another_sort_are_refused_when_they_are_read(then: object, now: object) -> None:
    """Each row would silently be a category never seen."""
    schema, _ = Schema.learn({"k": then})
    with pytest.raises(SchemaError, match=r"column 'k' held (text|Booleans) at fit \(such as .*\) but holds"):
        schema.table({"k": now}).codes("k")


def test_what_no_rule_reads_may_be_strange() -> None:
    schema, _ = Schema.learn({"k": ["n", "w"], "x": [1.0, 2.0]})
    rules = RuleSet.parse("yes if x > 1.5 else no", schema)
    assert rules.predict({"k": [True, False], "x": [1.0, 2.0]}).tolist() == ["no", "yes"]


def test_what_equals_a_category_is_no_stranger() -> None:
    schema, _ = Schema.learn({"k": BOOLEANS})
    rules = RuleSet.parse("yes if k in {True} else no", schema)
    assert rules.predict({"k": [1, 0, 1.0]}).tolist() == ["yes", "no", "yes"]
    schema, _ = Schema.learn({"k": ["n", "w"]})
    assert RuleSet.parse("yes if k in {n} else no", schema).predict({"k": ["n", "new"]}).tolist() == ["yes", "no"]


LONG = [2**60, 2**60 + 1, 2**60, 2**60 + 1]
LONG_FRAMES = {
    "numpy": lambda: np.array(LONG).reshape(-1, 1),
    "lists beside floats": lambda: [[number, 0.5] for number in LONG],
    "pandas": lambda: pd.DataFrame({"x0": LONG}),
    "pandas, some missing": lambda: pd.DataFrame({"x0": pd.array([*LONG, None], dtype="Int64")}),
    "polars": lambda: pl.DataFrame({"x0": LONG}),
    "polars, some missing": lambda: pl.DataFrame({"x0": [*LONG, None]}),
    "pyarrow, some missing": lambda: pa.table({"x0": [*LONG, None]}),
}


@pytest.mark.parametrize("make", LONG_FRAMES.values(), ids=LONG_FRAMES)
def test_long_numbers_that_are_categories_stay_apart(make: Any) -> None:
    schema, table = Schema.learn(make(), categorical=["x0"])
    assert schema.column("x0").categories == (2**60, 2**60 + 1)
    assert table.codes("x0")[0][:4].tolist() == [0, 1, 0, 1]


ARRAYS = {
    "categories": pd.Categorical,
    "strings": lambda words: pd.array(words, dtype="string"),
    "an index": pd.Index,
    "an index of categories": pd.CategoricalIndex,
    "values": lambda words: pd.DataFrame({"w": words})["w"].values,
    "an array": lambda words: pd.Series(words).array,
}


@pytest.mark.parametrize("make", ARRAYS.values(), ids=ARRAYS)
def test_what_stands_inside_a_frame_may_stand_in_a_dict(make: Any) -> None:
    schema, _ = Schema.learn({"w": make(["b", "a", "b"]), "n": pd.array([1.5, None, 3.0], dtype="Float64")})
    assert schema.column("w").categories == ("a", "b")
    assert (schema.column("n").low, schema.column("n").high, schema.column("n").missing) == (1.5, 3.0, True)


SINGLE = np.array([-9.9, 0.1, 0.3], dtype=np.float32)
SINGLES = {
    "numpy": lambda: SINGLE.reshape(-1, 1),
    "numpy, half": lambda: SINGLE.reshape(-1, 1).astype(np.float16),
    "pandas": lambda: pd.DataFrame({"x0": SINGLE}),
    "polars": lambda: pl.DataFrame({"x0": SINGLE}),
    "pyarrow": lambda: pa.table({"x0": SINGLE}),
}


@pytest.mark.parametrize("make", SINGLES.values(), ids=SINGLES)
def test_codes_and_categories_are_found_in_single_precision(make: Any) -> None:
    _, table = Schema.learn(make(), missing_values=[-9.9])
    assert np.isnan(table.numeric("x0")).tolist() == [True, False, False]
    schema, _ = Schema.learn(make(), categorical=["x0"], missing_values=[-9.9])
    assert schema.column("x0").categories == (0.1, 0.3)
    rules = RuleSet.parse("yes if x0 in {0.1} else no", schema)
    assert rules.predict(make()).tolist() == rules.predict([[-9.9], [0.1], [0.3]]).tolist() == ["no", "yes", "no"]


@pytest.mark.parametrize("codes", [[-9], {"x1": [-9, 0.25]}])
def test_pieces_know_what_stands_for_missing_values(codes: object) -> None:
    X = np.random.default_rng(0).integers(-9, 9, (BLOCK + 10, 3)) / 4.0
    X[:, 1] = np.where(X[:, 1] < -2, -9, X[:, 1])
    schema, table = Schema.learn(X, missing_values=codes)
    pieces = list(schema.table(X).pieces(["x1", "x2"]))
    assert len(pieces) == 2
    for name in ("x1", "x2"):
        assert_array_equal(np.concatenate([piece.numeric(name) for piece in pieces]), table.numeric(name))
    assert np.isnan(table.numeric("x1")).any()


def test_rows_of_a_matrix_taken_alone_have_no_pieces_of_the_others() -> None:
    X = np.arange(20.0).reshape(10, 2)
    alone = Table.read(X).take([7, 3], alone=True)
    assert [piece.numeric("x0").tolist() for piece in alone.pieces(["x0", "x1"])] == [[14.0, 6.0]]


NULLABLE = {
    "Int64": pd.array([None, None], dtype="Int64"),
    "Int64, the least of all": pd.array([None, -(2**63)], dtype="Int64"),
    "pyarrow's integers": pd.array([None, None], dtype="int64[pyarrow]"),
    "Int128": pl.Series([None, 2**100], dtype=pl.Int128),
    "Float32": pd.array([None, 0.5], dtype="Float32"),
    "polars' floats": pl.Series([None, 0.5], dtype=pl.Float32),
}


@pytest.mark.parametrize("column", NULLABLE.values(), ids=NULLABLE)
def test_numbers_of_which_some_or_all_are_missing(column: object) -> None:
    cells = (
        [None if cell is None or cell is pd.NA else cell for cell in column.to_list()]
        if isinstance(column, pl.Series)
        else [None if cell is pd.NA else cell for cell in column]  # type: ignore[attr-defined]
    )
    table = Table.read({"c": column})
    assert_array_equal(table.numeric("c"), [NAN if cell is None else float(cell) for cell in cells])
    assert table.codes("c")[1] == tuple(cell for cell in cells if cell is not None)


@pytest.mark.parametrize("name", ["collect", "toarray", "nnz", "columns"])
def test_columns_may_be_called_like_what_frames_can_do(name: str) -> None:
    assert Table.read(pd.DataFrame({name: [1, 2], "b": [1, 2]})).numeric(name).tolist() == [1.0, 2.0]


def test_another_schema_asks_its_own_questions() -> None:
    text, flags = (Schema.learn({"k": values})[0] for values in (["a", "b"], [True, False]))
    with pytest.raises(SchemaError, match="held Booleans at fit"):
        flags.table(text.table({"k": ["a", "b"]})).codes("k")


def test_rows_taken_alone_are_read_alone() -> None:
    """What stands in the others decides nothing, and rows are told by where the caller has them."""
    frame = pd.DataFrame({"a": [1, "oops", 3], "b": [math.inf, 1.0, 2.0], "c": [(1, [2]), 1, {}]})
    table = Table.read(frame).take([1, 2], alone=True)
    assert table.take([1], alone=True).kind("a") == "numeric"
    assert table.numeric("b").tolist() == [1.0, 2.0]
    with pytest.raises(SchemaError, match="in row 2 is of type dict"):
        table.codes("c")
    with pytest.raises(SchemaError, match="'oops' in row 1"):
        table.numeric("a")


def test_a_column_that_is_missing_throughout_is_of_any_kind() -> None:
    table = SCHEMA.table({"age": [None], "region": [NAN]})
    assert not table.known("age").any()
    assert not table.known("region").any()


def test_booleans_count_as_numbers_in_a_numeric_column() -> None:
    schema, _ = Schema.learn(np.array([[0.0], [1.0]]))
    assert schema.table(np.array([[True]])).numeric("x0").tolist() == [1.0]


def test_infinite_values_are_found_when_they_are_read() -> None:
    table = SCHEMA.table({"age": [math.inf], "region": ["n"]})
    with pytest.raises(SchemaError, match="column 'age' holds inf"):
        table.numeric("age")


def test_the_callers_frames_are_untouched() -> None:
    pandas = pd.DataFrame({"age": [31, None], "region": pd.Categorical(["n", None])})
    polars = pl.DataFrame({"age": [31, None], "region": ["n", None]})
    array = np.array([[31, "n"], [None, None]], dtype=object)
    before = pandas.copy(deep=True), polars.clone(), array.copy()
    for X in (pandas, polars, array):
        schema, table = Schema.learn(X)
        schema.table(X).take([0]).known(table.names[0])
    pd.testing.assert_frame_equal(pandas, before[0])
    assert polars.equals(before[1])
    assert_array_equal(array, before[2])


# -- JSON -------------------------------------------------------------------------------------------


def test_json_is_plain_and_exact() -> None:
    schema, _ = Schema.learn({"x": [0.1, 1e-300], "z": ["a", None], "e": np.array([NAN, NAN])})
    assert schema.to_json() == [
        {
            "name": "x",
            "kind": "numeric",
            "low": 1e-300,
            "high": 0.1,
            "categories": [],
            "missing": False,
            "missing_values": [],
            "integer": False,
        },
        {
            "name": "z",
            "kind": "categorical",
            "low": None,
            "high": None,
            "categories": ["a"],
            "missing": True,
            "missing_values": [],
            "integer": False,
        },
        {
            "name": "e",
            "kind": "numeric",
            "low": None,
            "high": None,
            "categories": [],
            "missing": True,
            "missing_values": [],
            "integer": False,
        },
    ]
    assert Schema.from_json(schema.to_json()) == schema


GOOD = {"name": "x", "kind": "numeric", "low": 0.0, "high": 1, "categories": [], "missing": False, "missing_values": []}


@pytest.mark.parametrize(
    "items",
    [
        {}, None, [1], [[]], [{}], [GOOD | {"extra": 1}], [GOOD, GOOD],
        [GOOD | {"name": 1}], [GOOD | {"kind": "date"}], [GOOD | {"kind": []}], [GOOD | {"low": "0"}],
        [GOOD | {"low": True}], [GOOD | {"high": math.inf}], [GOOD | {"high": NAN}], [GOOD | {"missing": 0}],
        [GOOD | {"categories": "ab"}], [GOOD | {"categories": [None]}], [GOOD | {"categories": [[]]}],
        [GOOD | {"categories": [math.inf]}], [GOOD | {"low": 10**400}],
    ],
    ids=str,
)  # fmt: skip
def test_odd_json_is_refused(items: object) -> None:
    with pytest.raises(ModelFileError):
        Schema.from_json(items)


# -- what a shipped rule set needs -------------------------------------------------------------------


def test_rules_over_arrays_need_numpy_alone() -> None:
    code = (
        "import sys, numpy as np; from r2n.rules import RuleSet; from r2n.errors import SchemaError; "
        "rules = RuleSet.parse('yes if x0 > 1 else no'); "
        "rules.predict(np.zeros((2, 1))); "
        "told = []\n"
        "for X in (5, 'abc', None):\n"
        "    try: rules.predict(X)\n"
        "    except SchemaError as error: told.append(str(error).startswith('a table was expected, not'))\n"
        "assert told == [True] * 3\n"
        "heavy = {'narwhals', 'pandas', 'polars', 'pyarrow', 'scipy', 'sklearn', 'jax'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_values_can_stand_for_missing_ones_now_and_later() -> None:
    table = {"x": [1.0, -9, 3], "k": ["a", "?", "b"], "n": [1, -9, 2]}
    schema, read = Schema.learn(table, categorical=["n"], missing_values=[-9, "?"])
    assert [column.missing for column in schema.columns] == [True, True, True]
    assert schema.column("x").low == 1.0
    assert schema.column("k").categories == ("a", "b")
    assert schema.column("n").categories == (1, 2)
    np.testing.assert_array_equal(read.numeric("x"), [1, NAN, 3])
    assert read.codes("k")[0].tolist() == [0, -1, 1]
    later = Schema.from_json(schema.to_json()).table({"x": [-9, 2], "k": ["?", None], "n": [-9, 1]})
    assert [later.known(name).tolist() for name in ("x", "k", "n")] == [[False, True], [False, False], [False, True]]
    one, _ = Schema.learn(table, missing_values={"x": [-9]})
    assert [column.missing for column in one.columns] == [True, False, False]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (-9, "missing_values must be a list such as"),
        ("?", "missing_values must be a list such as"),
        ({"z": [-9]}, "missing_values: the table has no column 'z'"),
        ([None], "missing_values: None is no text"),
        ([[1]], "is no text, number or Boolean"),
    ],
)
def test_bad_missing_values_are_refused(given: object, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        Schema.learn({"x": [1.0, 2.0]}, missing_values=given)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
@pytest.mark.parametrize("n_rows", [1, 1024, BLOCK, BLOCK + 1, 2 * BLOCK + 1500])
def test_pieces_together_are_the_table(dtype: type, n_rows: int) -> None:
    matrix: np.ndarray = np.random.default_rng(0).integers(0, 200, (n_rows, 5)).astype(dtype)
    table, names = Table.read(matrix), ["x3", "x1", "x4"]
    renamed = Table.read(matrix).renamed({f"x{k}": f"y{k}" for k in range(5)})
    for whole, mine in ((table, names), (renamed, [name.replace("x", "y") for name in names])):
        pieces = list(whole.pieces(mine))
        assert len(pieces) == -(-n_rows // BLOCK)
        for name in mine:
            assert_array_equal(np.concatenate([piece.numeric(name) for piece in pieces]), whole.numeric(name))
        assert list(whole.pieces(mine)) == [whole]  # it has been read by now


def test_infinity_in_a_piece_is_refused_by_its_name_and_row() -> None:
    matrix = np.zeros((BLOCK + 10, 3))
    matrix[BLOCK + 7, 1] = -np.inf
    with pytest.raises(SchemaError, match=rf"column 'x1' holds -inf \(infinity\) in row {BLOCK + 7}"):
        RuleSet.parse("yes if x0 > 1 and x1 > 2 else no").predict(matrix)


def test_numbers_with_a_code_among_them_are_numbers() -> None:
    cells = np.array([1, 2.5, "?", None, -9], dtype=object)
    schema, table = Schema.learn({"a": cells, "b": np.array(["x", "?", "y", "y", "x"])}, missing_values=["?", -9])
    assert schema.numeric == ("a",)
    assert_array_equal(table.numeric("a"), [1, 2.5, np.nan, np.nan, np.nan])
    assert schema.column("b").categories == ("x", "y")
    later = schema.table({"a": np.array(["?", 3], dtype=object), "b": np.array(["?", "x"])})
    assert_array_equal(later.numeric("a"), [np.nan, 3])


def test_kinds_do_not_depend_on_the_container() -> None:
    rows = [[True, 0.3, "a"], [False, 0.7, "b"]]
    frame = pd.DataFrame(rows, columns=["x0", "x1", "x2"])
    assert Schema.learn(rows)[0] == Schema.learn(frame)[0]
    assert Schema.learn([row[:2] for row in rows])[0].categorical == ("x0",)
    column = pd.Series(pd.Categorical([1, 2]))
    assert Schema.learn({"c": column})[0] == Schema.learn(pd.DataFrame({"c": column}))[0]
    batch = pa.RecordBatch.from_pandas(frame)
    assert Schema.learn(batch)[0] == Schema.learn(frame)[0]


def test_a_code_is_a_number_whether_it_is_written_whole_or_not() -> None:
    for code, cells in ((0.0, [0, 3]), (0, [0.0, 3.5]), (0.0, [0.0, None])):
        schema = Schema((Column("x", "numeric", missing_values=(code,)),))
        table = schema.table({"x": cells})
        codes, _ = table.codes("x")
        assert codes[0] == -1
        assert np.isnan(table.numeric("x")[0])


def test_a_column_of_nothing_but_codes_is_missing() -> None:
    schema, _ = Schema.learn({"x": [1, "?", 3], "f": [True, False, True]}, missing_values={"x": ["?"], "f": [True]})
    table = schema.table({"x": ["?"], "f": [True]})
    assert np.isnan(table.numeric("x")).all()
    assert np.isnan(table.numeric("f")).all()
    assert RuleSet.parse("yes if x is missing else no", schema).predict({"x": ["?"]}).tolist() == ["yes"]
    with pytest.raises(SchemaError, match="was numeric at fit but holds 'a' in row 1"):
        schema.table({"x": ["?", "a"], "f": [True, True]})
