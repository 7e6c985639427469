"""Tables in files: CSV and Parquet."""

from __future__ import annotations

import csv
import gzip
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from r2n.errors import RepeatedColumns, SchemaError
from r2n.words import count

if TYPE_CHECKING:
    import pandas as pd

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
# What counts as missing in a text file. "None" and the like may be categories, and stay what they are.
MISSING = ("", "NA", "NaN", "nan", "null", "NULL")


Texts: TypeAlias = Sequence[str]


class Cells(NamedTuple):
    """How the cells of one column of a CSV are read, where its values are known."""

    read: Callable[[str], object]
    """The value that a text stands for, None if it is missing."""
    blank: frozenset[str] = frozenset()
    """The texts that are values with their leading blanks; before all others blanks mean nothing."""


def read_table(
    path: Path, missing: Texts | Mapping[str, Texts] = (), cells: Mapping[str, Cells] | None = None
) -> pd.DataFrame:
    """Read a CSV (.csv, .tsv, also .gz) or Parquet (.parquet) file as a frame.

    In a CSV, more texts may stand for missing values, in every column or by column: what is left may then be numbers.
    Columns named in `cells` hold what these read, and nothing else is missing there.
    """
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    kind = suffixes[-1] if suffixes else ""
    if not path.exists():
        raise SchemaError(f"there is no file {path}. Give the path of a CSV or Parquet file.")
    try:
        if kind == ".parquet":
            return _read_parquet(path)
        if kind in _SEPARATORS:
            return _read_text(path, _SEPARATORS[kind], missing, cells or {})
    except SchemaError:
        raise
    except (EOFError, zlib.error) as error:
        raise SchemaError(f"{path} is not a whole gzip file: {error}. Copy or compress it again.") from error
    except (ValueError, OSError, csv.Error) as error:  # pandas' parser errors and pyarrow's are ValueErrors
        raise SchemaError(f"{path} could not be read: {error}") from error
    raise SchemaError(f"{path} ends in {kind or 'nothing'!r}; expected .csv, .tsv or .parquet.")


def holds_integers(path: Path, name: str, missing: Texts = ()) -> bool:
    """Check whether a column with gaps, which pandas reads as floats, holds whole numbers as they are written."""
    import pandas as pd

    separator = next((_SEPARATORS[suffix.lower()] for suffix in path.suffixes if suffix.lower() in _SEPARATORS), None)
    if separator is None:
        frame = pd.read_parquet(path, dtype_backend="numpy_nullable")
    else:
        codes = [*MISSING, *missing]
        frame = _parse(path, separator, na_values=codes, dtype_backend="numpy_nullable")
    return name in frame.columns and pd.api.types.is_integer_dtype(frame[name].dtype)


def _read_text(
    path: Path, separator: str, missing: Texts | Mapping[str, Texts], cells: Mapping[str, Cells]
) -> pd.DataFrame:
    header = next((cells for _, cells in _lines(path, separator) if cells), [])
    if len(header) == 1 and ";" in header[0]:
        raise SchemaError(f"{path} seems to be separated by semicolons. Save it with commas.")
    names = [str(name) for name in _parse(path, separator, nrows=0, dtype=str).columns]
    _say_repeated(path, header, names)
    codes = {name: [*MISSING, *_of_column(missing, name)] for name in names if name not in cells}
    frame = _parse(path, separator, na_values=codes, dtype=dict.fromkeys(cells, str))
    places = {name: place for place, name in enumerate(frame.columns) if name in cells}
    blank = any(cells[name].blank for name in places)
    # Blanks are skipped where a quote may follow them. Only where some may be part of a value all is read again.
    whole = _parse(path, separator, skipinitialspace=False, na_filter=False, dtype=str) if blank else frame
    if len(whole) != len(frame):
        raise SchemaError(f"{path} has blanks before quotes that hold line breaks. Save it without these blanks.")
    for name, place in places.items():
        texts, kept = frame[name], whole.iloc[:, place]
        frame[name] = _each(texts.where(~kept.isin(cells[name].blank), kept), cells[name].read)
    return frame


def _read_parquet(path: Path) -> pd.DataFrame:
    import pandas as pd
    import pyarrow.parquet as pq

    header: list[str] = pq.read_schema(path).names if path.is_file() else []
    if len(set(header)) == len(header):
        return pd.read_parquet(path)
    names = suffix_repeats(header)
    _say_repeated(path, header, names)
    frame: pd.DataFrame = pq.ParquetFile(path).read().rename_columns(names).to_pandas()  # pandas reads each name once
    return frame


def suffix_repeats(names: Sequence[str]) -> list[str]:
    """Add a suffix to each repeated name, as pandas does with a CSV's.

    >>> suffix_repeats(["a", "b", "a", "a"]), suffix_repeats(["a", "a", "a.1"])
    (['a', 'b', 'a.1', 'a.2'], ['a', 'a.2', 'a.1'])
    """
    taken, times, found = set(names), dict.fromkeys(names, 0), []
    for name in names:
        new = name
        while times[name] and new in taken:
            new = f"{name}.{times[name]}"
            times[name] += 1
        times[name] = max(times[name], 1)
        taken.add(new)
        found.append(new)
    return found


def _say_repeated(path: Path, header: Sequence[str], names: Sequence[str]) -> None:
    changed = [name for own, name in zip(header, names, strict=False) if own and own != name]
    if changed:
        shown = ", ".join(map(repr, changed[:10])) + (f" and {len(changed) - 10} more" if len(changed) > 10 else "")
        warnings.warn(f"{path} has columns of the same name; the later ones are called {shown}.", RepeatedColumns,
                      stacklevel=4)  # fmt: skip


def _parse(path: Path, separator: str, **how: Any) -> pd.DataFrame:
    """Parse the file with pandas; a column is of one type throughout, however long it is."""
    import pandas as pd

    usual = {"skipinitialspace": True, "index_col": False, "keep_default_na": False, "on_bad_lines": "error"}
    how = {**usual, **how}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", pd.errors.ParserWarning)
        frame: pd.DataFrame = pd.read_csv(path, sep=separator, low_memory=False, **how)
    # pandas refuses a line that has more cells than the one before it, but cuts the first lines with a warning.
    if any(issubclass(each.category, pd.errors.ParserWarning) for each in caught):
        _refuse_long_lines(path, separator, how["skipinitialspace"])
    return frame


def _refuse_long_lines(path: Path, separator: str, skip: bool) -> None:
    """Refuse cells beyond the header's, which say that a line is shifted; empty ones at its end say nothing."""
    lines = ((number, cells) for number, cells in _lines(path, separator, skip) if cells)
    _, header = next(lines)
    for number, cells in lines:
        if any(cells[len(header) :]):
            raise SchemaError(
                f"{path} has {len(cells)} cells in line {number}, but {count(len(header), 'column')} in its header. "
                f"Give every line as many cells as there are columns; put a cell that holds {separator!r} in quotes."
            )


def _each(column: pd.Series[Any], read: Callable[[str], object]) -> pd.Series[Any]:
    """Read every text of a column, each distinct one once."""
    import pandas as pd

    found = {text: read(text) for text in column.unique()}
    return pd.Series([found[text] for text in column], index=column.index, dtype=object)


def _of_column(missing: Texts | Mapping[str, Texts], name: str) -> Texts:
    return missing.get(name, ()) if isinstance(missing, Mapping) else missing


def _lines(path: Path, separator: str, skip: bool = True) -> Iterator[tuple[int, list[str]]]:
    """Yield each line's number and its cells, none of them where it is empty."""
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    # With -sig, because some programs start a file with a mark that is no part of the first name.
    with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
        lines = csv.reader(file, delimiter=separator, skipinitialspace=skip)
        for cells in lines:
            yield lines.line_num, cells
