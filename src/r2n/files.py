"""Tables in files: CSV and Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from r2n.errors import SchemaError

if TYPE_CHECKING:
    import pandas as pd

_SEPARATORS = {".csv": ",", ".tsv": "\t"}


def read_table(path: Path) -> pd.DataFrame:
    """A CSV (.csv, .tsv, also .gz) or Parquet (.parquet) file as a frame."""
    import pandas as pd  # only those who read files need it

    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    kind = suffixes[-1] if suffixes else ""
    if not path.exists():
        raise SchemaError(f"there is no file {path}. Give the path of a CSV or Parquet file.")
    try:
        if kind == ".parquet":
            return pd.read_parquet(path)
        if kind in _SEPARATORS:
            return pd.read_csv(path, sep=_SEPARATORS[kind], skipinitialspace=True)
    except (ValueError, OSError) as error:  # pandas' parser errors and pyarrow's are ValueErrors
        raise SchemaError(f"{path} could not be read: {error}") from error
    raise SchemaError(f"{path} ends in {kind or 'nothing'!r}; expected .csv, .tsv or .parquet.")
