"""The four real tables of the paper's evaluation: from a folder, from the user's cache or from OpenML."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from r2n.errors import DataUnavailable, ParameterError
from r2n.runtime.outputs import write_file

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class RealTable:
    """A real table with its labels.

    Parameters
    ----------
    name : str
        What the table is called.
    X : DataFrame
        The rows.
    y : array
        The label of each row.
    positive : str
        The label that the rules should describe.

    Examples
    --------
    >>> import pandas as pd
    >>> table = RealTable("two rows", pd.DataFrame({"x": [1.0, None]}), np.array(["a", "b"], dtype=object), "a")
    >>> table.complete().y.tolist()
    ['a']
    """

    name: str
    X: pd.DataFrame
    y: NDArray[np.object_]
    positive: str

    def complete(self) -> RealTable:
        """Leave out the rows with a missing value.

        Returns
        -------
        RealTable
            The other rows.

        Examples
        --------
        >>> import pandas as pd
        >>> table = RealTable("two rows", pd.DataFrame({"x": [1.0, None]}), np.array(["a", "b"], dtype=object), "a")
        >>> len(table.complete().X)
        1
        """
        whole = self.X.notna().all(axis=1).to_numpy()
        return RealTable(self.name, self.X[whole].reset_index(drop=True), self.y[whole], self.positive)


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a table comes from, and how to know that it is the right one."""

    file: str
    target: str
    positive: str
    digest: str  # of the values, whatever file they came in
    openml: int | None
    read: Callable[[Path], pd.DataFrame]
    rows: int | None = None  # OpenML's copy has more rows after these
    drop: tuple[str, ...] = ()  # and other columns


def load_table(name: str) -> RealTable:
    """Read a real table: from the folder `$R2N_DATA`, else from the user's cache, else from OpenML.

    HELOC is not on OpenML as a whole (only its cleaned part): its owner gives it out on request.

    Parameters
    ----------
    name : {'magic', 'heloc', 'adult', 'house'}
        The table.

    Returns
    -------
    RealTable
        The rows and their labels.

    Raises
    ------
    ParameterError
        If there is no such table.
    DataUnavailable
        If the table is not here and cannot be fetched, or a copy is not the known one.

    Examples
    --------
    >>> load_table("titanic")
    Traceback (most recent call last):
    r2n.errors.ParameterError: there are the tables 'magic', 'heloc', 'adult', 'house', not 'titanic'.
    >>> load_table("adult").X.shape if available("adult") else (32561, 14)
    (32561, 14)
    """
    if name not in _SOURCES:
        raise ParameterError(f"there are the tables {', '.join(map(repr, _SOURCES))}, not {name!r}.")
    source = _SOURCES[name]
    frame = _read(name, source)
    if _digest(frame) != source.digest:
        raise DataUnavailable(
            f"the copy of {name} that was found is not the known one: its values differ. "
            f"Delete it, or put the original {source.file} into the folder that R2N_DATA names."
        )
    y = frame[source.target].astype(object).to_numpy()
    return RealTable(name, frame.drop(columns=source.target), y, source.positive)


def available(name: str) -> bool:
    """Check whether a real table can be read without fetching it.

    Parameters
    ----------
    name : {'magic', 'heloc', 'adult', 'house'}
        The table.

    Returns
    -------
    bool
        Whether it is in the folder `$R2N_DATA`; if that is not set, in the user's cache.

    Examples
    --------
    >>> table = load_table("magic") if available("magic") else None
    """
    folder = os.environ.get("R2N_DATA")
    return (Path(folder) / _SOURCES[name].file if folder else _cache_path(name)).exists()


def _read(name: str, source: _Source) -> pd.DataFrame:
    folder = os.environ.get("R2N_DATA")
    if folder:
        path = Path(folder) / source.file
        if not path.exists():
            raise DataUnavailable(f"R2N_DATA names the folder {folder}, which has no {source.file}. Put it there.")
        return source.read(path)
    if not _cache_path(name).exists():
        _fetch(name, source)
    import pandas as pd  # only those who read tables need it

    return pd.read_parquet(_cache_path(name))


def _cache_path(name: str) -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("r2n") / "tables" / f"{name}.parquet"


def _fetch(name: str, source: _Source) -> None:
    """Bring a table from OpenML into the cache; a broken download leaves nothing behind."""
    by_hand = f"Get {source.file} from its publisher, put it into a folder, and name that folder in R2N_DATA."
    if source.openml is None:
        raise DataUnavailable(f"{name} cannot be fetched. {by_hand}")
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(data_id=source.openml, as_frame=True, parser="auto")
    except (OSError, ValueError) as error:
        raise DataUnavailable(f"{name} could not be fetched from OpenML ({error}). {by_hand}") from error
    frame = _like_the_file(bunch.data, bunch.target, source)
    if _digest(frame) != source.digest:
        raise DataUnavailable(f"OpenML's copy of {name} differs from the known table. {by_hand}")
    path = _cache_path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO()
    frame.to_parquet(content)
    write_file(path, content.getvalue())


def _like_the_file(X: pd.DataFrame, y: pd.Series[Any], source: _Source) -> pd.DataFrame:
    """Name and order the columns as in the publisher's file: OpenML has its own way."""
    X = X.drop(columns=[name for name in X.columns if name in source.drop]).iloc[: source.rows]
    names = [name for name in _COLUMNS[source.file] if name != source.target]
    frame = X.set_axis(names, axis=1) if len(names) == X.shape[1] else X
    return frame.assign(**{source.target: y.iloc[: source.rows].astype(str)})


def _digest(frame: pd.DataFrame) -> str:
    """Compute a checksum of the values, column by column in the order of their names."""
    digest = hashlib.sha256()
    for name in sorted(frame.columns):
        column = frame[name]
        digest.update(f"{name}\0{len(column)}\0".encode())
        if column.dtype.kind in "fiu":
            digest.update(column.to_numpy(np.float64).tobytes())
        else:
            digest.update("\0".join(column.astype(object).where(column.notna(), "").astype(str)).encode())
    return digest.hexdigest()


def _read_csv(path: Path, **how: Any) -> pd.DataFrame:
    import pandas as pd

    frame: pd.DataFrame = pd.read_csv(path, skipinitialspace=True, **how)
    return frame.rename(columns=str.strip)


_COLUMNS = {
    file: tuple(names.split())
    for file, names in {
        "magic04.data": "fLength fWidth fSize fConc fConc1 fAsym fM3Long fM3Trans fAlpha fDist class:",
        "house_16H.csv": "P1 P5p1 P6p2 P11p4 P14p9 P15p1 P15p3 P16p2 P18p2 P27p4 "
        "H2p2 H8p2 H10p1 H13p1 H18pA H40p4 binaryClass",
        "adult.data": "age workclass fnlwgt education education_num marital-status occupation relationship race "
        "sex capital-gain capital-loss hours-per-week native-country label",
    }.items()
}

_MAGIC = "deb3ad1f198743f96e455e3c64016c14db18722b277fd456811313059b21426b"
_HELOC = "38c4e68ee9e1be9bd6499150eec3885a37fbd9637cf302dbfde00f921613a1b3"
_ADULT = "464af7a1f9002715c125764f05b97281f580a2945ee2e704a6a08c419d0e6335"
_HOUSE = "4e499a529179920523967103e8c86aa3aee8205e3836b8010d1e7262c6eed048"

_SOURCES = {
    "magic": _Source("magic04.data", "class:", "g", _MAGIC, 1120, _read_csv, drop=("ID",)),
    "heloc": _Source("heloc_dataset_v1.csv", "RiskPerformance", "Bad", _HELOC, None, _read_csv),
    "adult": _Source(
        "adult.data", "label", ">50K", _ADULT, 1590, lambda path: _read_csv(path, na_values="?"), rows=32_561
    ),
    "house": _Source("house_16H.csv", "binaryClass", "P", _HOUSE, 821, _read_csv),
}

TABLES = tuple(_SOURCES)
