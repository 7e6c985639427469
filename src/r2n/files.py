"""Tables in files: CSV and Parquet."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from r2n.errors import SchemaError

if TYPE_CHECKING:
    import pandas as pd

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
# What counts as missing in a text file. "None" and the like may be categories, and stay what they are.
MISSING = ("", "NA", "NaN", "nan", "null", "NULL")


Texts: TypeAlias = Sequence[str]


def read_table(path: Path, missing: Texts | Mapping[str, Texts] = (), text: Collection[str] = ()) -> pd.DataFrame:
    """A CSV (.csv, .tsv, also .gz) or Parquet (.parquet) file as a frame.

    In a CSV, more texts may stand for missing values, in every column or by column: what is left may then be numbers.
    Columns named as `text` hold texts, also where all of these could be read as numbers.
    """
    import pandas as pd  # only those who read files need it

    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    kind = suffixes[-1] if suffixes else ""
    if not path.exists():
        raise SchemaError(f"there is no file {path}. Give the path of a CSV or Parquet file.")
    try:
        if kind == ".parquet":
            return pd.read_parquet(path)
        if kind in _SEPARATORS:
            return _read_text(path, _SEPARATORS[kind], missing, text)
    except SchemaError:
        raise
    except (ValueError, OSError) as error:  # pandas' parser errors and pyarrow's are ValueErrors
        raise SchemaError(f"{path} could not be read: {error}") from error
    raise SchemaError(f"{path} ends in {kind or 'nothing'!r}; expected .csv, .tsv or .parquet.")


def _read_text(path: Path, separator: str, missing: Texts | Mapping[str, Texts], text: Collection[str]) -> pd.DataFrame:
    import pandas as pd

    header = _header(path, separator)
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise SchemaError(f"{path} has columns of the same name: {', '.join(map(repr, repeated))}. Rename them.")
    if len(header) == 1 and ";" in header[0]:
        raise SchemaError(f"{path} seems to be separated by semicolons. Save it with commas.")
    frame: pd.DataFrame = pd.read_csv(
        path, sep=separator, skipinitialspace=True, index_col=False, keep_default_na=False,
        na_values={name: [*MISSING, *_of_column(missing, name)] for name in header}, on_bad_lines="error",
        dtype={name: str for name in header if name in text},
    )  # fmt: skip
    return frame


def _of_column(missing: Texts | Mapping[str, Texts], name: str) -> Texts:
    return missing.get(name, ()) if isinstance(missing, Mapping) else missing


def _header(path: Path, separator: str) -> list[str]:
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    with opener(path, "rt", encoding="utf-8", newline="") as file:
        return next(csv.reader(file, delimiter=separator, skipinitialspace=True), [])
