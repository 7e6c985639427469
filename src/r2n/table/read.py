"""From whatever the caller has (numpy, lists, a dict, a frame) to columns by name.

Nothing is converted here: a column is a promise to give its numpy array when it is first needed,
so that a rule set over two columns of a wide frame reads two columns. Nothing is written to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from r2n.errors import SchemaError
from r2n.table.cells import COMPLEX_ADVICE, DATE_ADVICE, EXACT_INTEGERS, AnyArray

if TYPE_CHECKING:
    import narwhals as nw

# "mixed" columns hold Python objects, and their values decide what they are.
RawKind = Literal["numeric", "categorical", "mixed"]


@dataclass(frozen=True, slots=True)
class RawColumn:
    """A column that has not been read yet; `load` is no closure, so that tables can be pickled."""

    kind: RawKind
    n_rows: int
    load: Callable[[], AnyArray]
    matrix: AnyArray | None = None  # of numbers, rows one after the other, that it is a column of
    place: int = 0  # in the matrix
    stored: np.dtype[Any] | None = None  # floats of less than double precision, if it is of these


def read_columns(X: object, names: Sequence[str] | None = None) -> dict[str, RawColumn]:
    """Read the columns of X by name; `names` are for tables without names of their own."""
    if hasattr(type(X), "toarray") and hasattr(type(X), "nnz"):
        raise SchemaError("sparse matrices are not read: 0 and missing differ here. Pass X.toarray().")
    if isinstance(X, list | tuple) and X and isinstance(X[0], Mapping):
        raise SchemaError("a list of dicts is not read. Pass a frame of it, or a dict with a list for each column.")
    if isinstance(X, Mapping):
        columns = _from_mapping(X)
    elif isinstance(X, np.ndarray | list | tuple):
        columns = _from_array(_as_array(X), names)
    else:
        columns = _from_frame_or_array(X, names)
    _check_shape(columns)
    return columns


def has_names(X: object) -> bool:
    """Check whether X names its columns itself (a frame or a dict), so that they are taken by name.

    >>> has_names({"age": [1, 2]}), has_names(np.zeros((2, 1)))
    (True, False)
    """
    if isinstance(X, np.ndarray | list | tuple):
        return False
    return isinstance(X, Mapping) or hasattr(X, "columns") or hasattr(X, "column_names")


def has_text_names(X: Any) -> bool:
    """Check whether a table names its columns by text.

    pandas numbers the columns of what has no names, so numbers do not count as names here.

    Parameters
    ----------
    X : table
        A frame, a dict of columns or a two-dimensional array.

    Returns
    -------
    bool
        Whether every column has a name that is text.

    Examples
    --------
    >>> has_text_names({"age": [1, 2]}), has_text_names(np.zeros((2, 1)))
    (True, False)
    """
    if not has_names(X):
        return False
    return all(isinstance(name, str) for name in _names_of(X))


def same_names(X: Any, names: Iterable[str]) -> bool:
    """Check whether a table has exactly these column names, in any order, by text or not.

    Parameters
    ----------
    X : table
        A frame, a dict of columns or a two-dimensional array.
    names : iterable of str
        The names.

    Returns
    -------
    bool
        Whether they are the same; False for an array, which has none.

    Examples
    --------
    >>> same_names({7: [1], 5: [2]}, ["5", "7"]), same_names(np.zeros((1, 2)), ["5", "7"])
    (True, False)
    """
    return has_names(X) and sorted(map(str, _names_of(X))) == sorted(names)


def _names_of(X: Any) -> Iterable[Any]:
    """List the names that a frame or a dict has for its columns; to pyarrow, `columns` are the columns themselves."""
    return X if isinstance(X, Mapping) else X.column_names if hasattr(X, "column_names") else X.columns


def _check_shape(columns: Mapping[str, RawColumn]) -> None:
    lengths = {name: column.n_rows for name, column in columns.items()}
    if not lengths:
        raise SchemaError("the table has no columns: 0 feature(s) (shape=(0, 0)) while a minimum of 1 is required.")
    if len(set(lengths.values())) > 1:
        raise SchemaError(f"the columns have unequal lengths: {lengths}. Give each one value for every row.")
    if 0 in lengths.values():
        raise SchemaError("the table has no rows: 0 sample(s) while a minimum of 1 is required.")


def _unique(names: Iterable[object]) -> list[str]:
    found = [str(name) for name in names]
    repeated = [name for name, times in Counter(found).items() if times > 1]
    if repeated:
        raise SchemaError(f"column names are repeated: {repeated}. Rename them: each must name one column.")
    return found


# -- numpy arrays, lists, dicts ---------------------------------------------------------------------


def _as_array(X: object) -> AnyArray:
    if isinstance(X, np.ma.MaskedArray):
        raise SchemaError("masked arrays are not read. Pass X.filled(numpy.nan), where NaN means missing.")
    if isinstance(X, np.ndarray):
        return np.asarray(X)
    try:
        array: AnyArray = np.asarray(X)
        # numpy turns numbers beside text into text, Booleans beside numbers into numbers, long whole numbers beside
        # others into floats that are only near them; as objects, each column keeps its own.
        long = array.dtype.kind == "f" and bool((np.abs(array) > EXACT_INTEGERS).any()) and _holds(X, int)
        mixed = array.dtype.kind in "US" or (array.dtype.kind in "fiu" and _holds(X, bool | np.bool_))
        return np.asarray(X, dtype=object) if mixed or long else array
    except ValueError:
        raise SchemaError("the rows have unequal lengths. Give each one value for every column.") from None


def _holds(cells: Any, kind: Any) -> bool:
    """Whether a list, or a list of lists, has cells of this type in it."""
    if not isinstance(cells, list | tuple):
        return isinstance(cells, kind)
    return any(_holds(cell, kind) for cell in cells)


def _from_array(array: AnyArray, names: Sequence[str] | None) -> dict[str, RawColumn]:
    if array.dtype.names is not None:
        raise SchemaError("structured arrays are not read. Pass {name: X[name] for name in X.dtype.names}.")
    width = _width(array)
    found = _unique(names if names is not None else (f"x{i}" for i in range(width)))
    if len(found) != width:
        raise wrong_width(width, found)
    columns = {name: _from_vector(array[:, i]) for i, name in enumerate(found)}
    if array.dtype.kind in "fiu" and array.flags.c_contiguous and width > 1:
        columns = {name: replace(columns[name], matrix=array, place=i) for i, name in enumerate(found)}
    return columns


def wrong_width(width: int, names: Sequence[str]) -> SchemaError:
    """Refuse in scikit-learn's words, which its users (and its checks) know."""
    return SchemaError(
        f"X has {width} features, but r2n is expecting {len(names)} features as input: {list(names)}. "
        f"Pass the same columns in the same order."
    )


def _width(array: AnyArray) -> int:
    match array.shape:
        case (_, 0):
            raise SchemaError(
                f"the table has no columns: 0 feature(s) (shape={array.shape}) while a minimum of 1 is required."
            )
        case (_, width):
            return int(width)
        case _:
            raise SchemaError(
                f"Expected 2D array, got {array.ndim}D array instead. Reshape your data to rows and columns, "
                f"for example with X.reshape(-1, 1) for one column."
            )


def _from_mapping(columns: Mapping[Any, object]) -> dict[str, RawColumn]:
    return {name: _from_column(name, column) for name, column in zip(_unique(columns), columns.values(), strict=True)}


def _from_column(name: str, column: Any) -> RawColumn:
    if hasattr(column, "dtype") and not isinstance(column.dtype, np.dtype):  # a frame's column, of its own types
        import narwhals as nw

        if type(column).__module__.split(".")[0] == "pandas":  # an array, or an index: what stands inside a Series
            import pandas as pd

            column = pd.Series(column)
        return _from_series(nw.from_native(column, series_only=True))
    array = _as_array(column) if isinstance(column, np.ndarray | list | tuple) else np.asarray(column)
    if array.ndim != 1:
        raise SchemaError(f"column {name!r} has {array.ndim} dimensions. Give one value for every row.")
    return _from_vector(array)


def _from_vector(array: AnyArray) -> RawColumn:
    kinds: dict[str, RawKind] = {"b": "categorical", "U": "categorical", "T": "categorical", "O": "mixed"}
    refused = {
        "c": COMPLEX_ADVICE,
        "M": f"dates are not read. {DATE_ADVICE}, or drop the column.",
        "m": f"durations are not read. {DATE_ADVICE}, or drop the column.",
        "S": "bytes are not read. Decode them to text.",
        "V": "raw memory is not read. Pass numbers or text.",
    }
    if (reason := refused.get(array.dtype.kind)) is not None:
        return _refuse(len(array), reason)
    stored = array.dtype if array.dtype.kind == "f" and array.dtype.itemsize < 8 else None
    return RawColumn(kinds.get(array.dtype.kind, "numeric"), len(array), partial(np.asarray, array), stored=stored)


def _refuse(n_rows: int, reason: str) -> RawColumn:
    """Make a column that only fails where it is used: a date column beside the ones needed does no harm."""
    return RawColumn("mixed", n_rows, partial(_fail, reason))


def _fail(reason: str) -> NoReturn:
    raise SchemaError(reason)


# -- frames, through narwhals -----------------------------------------------------------------------


def _from_frame_or_array(X: Any, names: Sequence[str] | None) -> dict[str, RawColumn]:
    if hasattr(type(X), "collect"):  # of the type: a frame has its columns for attributes, whatever they are called
        raise SchemaError(f"a {type(X).__name__} holds no rows yet. Pass X.collect().")
    if not has_names(X):
        return _from_array(np.asarray(_array_like(X)), names)
    # Imported here: a shipped rule set that is fed numpy arrays must run with numpy alone.
    import narwhals as nw

    if type(X).__name__ == "RecordBatch":  # a piece of a pyarrow table
        import pyarrow as pa

        X = pa.Table.from_batches([X])
    try:
        frame = nw.from_native(X, eager_only=True)
    except nw.exceptions.DuplicateError:
        _unique(_names_of(X))  # says which
        raise
    except TypeError:
        return _from_array(np.asarray(_array_like(X)), names)
    found = _unique(frame.columns)
    return {name: _from_series(frame.get_column(own))
            for name, own in zip(found, frame.columns, strict=True)}  # fmt: skip


def _array_like(X: object) -> Any:
    if not hasattr(X, "__array__"):
        raise SchemaError(
            f"a table was expected, not {type(X).__name__}. Pass a frame (pandas, polars, pyarrow), "
            f"a two-dimensional numpy array, or a dict of columns."
        )
    return X


def _from_series(series: nw.Series[Any]) -> RawColumn:
    dtype = series.dtype
    if dtype.is_numeric():
        stored = np.dtype(np.float32) if str(dtype) == "Float32" else None
        return RawColumn("numeric", len(series), partial(_numbers_of, series), stored=stored)
    if dtype.is_temporal():
        return _refuse(len(series), f"dates are not read. {DATE_ADVICE}, or drop the column.")
    if dtype.is_nested():
        return _refuse(len(series), f"cells of type {dtype} are not read. Unpack them into columns.")
    kind: RawKind = "mixed" if str(dtype) in {"Object", "Unknown"} else "categorical"
    return RawColumn(kind, len(series), partial(_objects_of, series))


def _numbers_of(series: nw.Series[Any]) -> AnyArray:
    import narwhals as nw

    # As they are where that can be: to a category the last digit counts.
    if series.dtype.is_integer() and (str(series.dtype).endswith("128") or _long_beside_missing(series)):
        return _objects_of(series)
    array = series.to_numpy() if series.dtype.is_integer() or series.dtype == nw.Float32 else None
    whole = array is not None and (array.dtype.kind in "iu" or array.dtype == np.float32)
    return array if array is not None and whole else series.cast(nw.Float64).to_numpy()


def _long_beside_missing(series: nw.Series[Any]) -> bool:
    """Whether some are missing, so that the others would become floats, and some too long to be floats."""
    if not 0 < series.null_count() < len(series):
        return False
    return max(abs(int(series.min())), abs(int(series.max()))) > EXACT_INTEGERS


def _objects_of(series: nw.Series[Any]) -> AnyArray:
    # Filled rather than converted: np.array would take cells that are sequences apart.
    cells = series.to_list()
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array
