"""Data sets: the known rules, and the real tables wherever a copy of them is at hand."""

import os
from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets
import sklearn.utils

from r2n import datasets
from r2n.datasets import real
from r2n.errors import DataUnavailable, ParameterError

DATA = Path(os.environ.get("R2N_DATA", "."))

TRUTHS = {
    1: lambda x: (x[0] > 0.25) | (x[1] < 0.5),
    2: lambda x: (x[0] / x[1] > 0.5) | (x[4] < 0.25),
    3: lambda x: (x[0] + 0.5 * x[1] > 0.5) | (x[4] < 0.25),
    4: lambda x: ((x[0] < 0.2) & (x[1] + x[2] > 0.5)) | ((x[4] / x[3] > 1) & (x[1] < 0.5)),
    5: lambda x: ((x[4] < 0.2) & (x[0] / x[1] > 0.5)) | (0.5 * x[3] + 0.2 * x[1] > 0.5) | (x[0] < 0.2),
}
COUNTS = {1: (2, 1.0), 2: (2, 1.0), 3: (2, 1.0), 4: (2, 2.0), 5: (3, 4 / 3)}


@pytest.mark.parametrize("number", TRUTHS)
def test_examples_are_the_papers(number: int) -> None:
    known = datasets.example(number)
    X, y = known.sample(10_000, random_state=number)
    assert X.shape == (10_000, 5)
    assert X.min() > 0
    assert X.max() <= 1
    np.testing.assert_array_equal(y, TRUTHS[number](X.T))
    assert (known.rules.n_rules, known.rules.literals_per_rule) == pytest.approx(COUNTS[number])


def test_the_toy_rule() -> None:
    X, y = datasets.toy().sample(1_000, random_state=0)
    np.testing.assert_array_equal(y, (X[:, 0] / X[:, 1] > 1) & (X[:, 0] > 0.5))


def test_samples_repeat_with_their_seed_and_flips_are_counted() -> None:
    known = datasets.example(1)
    (X, y), (again, _), (other, _) = (known.sample(2_000, random_state=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(X, again)
    assert not np.array_equal(X, other)
    noisy_X, noisy_y = known.sample(2_000, random_state=0, flip=0.1)
    np.testing.assert_array_equal(X, noisy_X)
    assert 0.07 < np.mean(noisy_y != y) < 0.13


@pytest.mark.parametrize("bad", [0, 6, "1"])
def test_there_are_five_examples(bad: object) -> None:
    with pytest.raises(ParameterError, match="there are examples 1 to 5"):
        datasets.example(bad)


def test_shares_are_between_nought_and_one() -> None:
    with pytest.raises(ParameterError, match="flip must be a share"):
        datasets.toy().sample(10, flip=2)


REAL = {
    "magic": (19_020, 10, 0.648),
    "house": (22_784, 16, 0.704),
    "heloc": (10_459, 23, 0.522),
    "adult": (32_561, 14, 0.241),
}


@pytest.mark.parametrize("name", REAL)
def test_real_tables(name: str) -> None:
    if not datasets.available(name):
        pytest.skip(f"no copy of {name}: R2N_DATA does not name a folder with it, and the cache has none")
    table = datasets.load_table(name)
    rows, columns, share = REAL[name]
    assert table.X.shape == (rows, columns)
    assert len(table.y) == rows
    assert np.mean(table.y == table.positive) == pytest.approx(share, abs=1e-3)


def test_adult_knows_what_is_missing() -> None:
    if not datasets.available("adult"):
        pytest.skip("no copy of adult: R2N_DATA does not name a folder with it, and the cache has none")
    table = datasets.load_table("adult")
    assert int(table.X.isna().sum().sum()) == 4_262
    assert len(table.complete().y) == 30_162


def test_unknown_tables_are_refused() -> None:
    with pytest.raises(ParameterError, match="there are the tables 'magic', 'heloc', 'adult', 'house', not 'iris'"):
        datasets.load_table("iris")


def test_a_folder_without_the_file_says_which_whatever_is_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("R2N_DATA", str(tmp_path))
    cached = tmp_path / "magic.parquet"
    cached.touch()
    monkeypatch.setattr(real, "_cache_path", lambda name: cached)
    with pytest.raises(DataUnavailable, match=r"has no magic04\.data"):
        datasets.load_table("magic")
    assert not datasets.available("magic")


def test_a_changed_copy_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "house_16H.csv").write_text("P1,binaryClass\n1,P\n2,N\n")
    monkeypatch.setenv("R2N_DATA", str(tmp_path))
    with pytest.raises(DataUnavailable, match="the copy of house that was found is not the known one"):
        datasets.load_table("house")


@pytest.fixture
def no_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("R2N_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def test_offline_the_error_says_what_to_do(no_copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def offline(**_: object) -> None:
        raise OSError("Name or service not known")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", offline)
    with pytest.raises(DataUnavailable, match=r"could not be fetched from OpenML .*name that folder in R2N_DATA"):
        datasets.load_table("magic")
    with pytest.raises(DataUnavailable, match="heloc cannot be fetched"):
        datasets.load_table("heloc")
    assert not real._cache_path("magic").exists()


def test_a_fetched_table_is_checked_and_cached(no_copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real table stands in for OpenML's answer, with OpenML's names, extra rows and extra column."""
    source = real._SOURCES["magic"]
    original = DATA / source.file
    if not original.is_file():
        pytest.skip("no copy of magic: R2N_DATA does not name a folder with it")
    frame = source.read(original)
    answer = sklearn.utils.Bunch(
        data=frame.drop(columns="class:").rename(columns=lambda name: f"{name}:").assign(ID=range(len(frame))),
        target=frame["class:"].astype("category"),
    )
    asked: list[object] = []
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **how: asked.append(how) or answer)
    first, second = datasets.load_table("magic"), datasets.load_table("magic")
    assert len(asked) == 1
    assert list(first.X.columns) == [name for name in frame.columns if name != "class:"]
    np.testing.assert_array_equal(first.y, second.y)
    assert [path.name for path in real._cache_path("magic").parent.iterdir()] == ["magic.parquet"]
    answer.data.iloc[0, 0] += 1
    real._cache_path("magic").unlink()
    with pytest.raises(DataUnavailable, match="differs from the known table"):
        datasets.load_table("magic")
    assert not real._cache_path("magic").exists()
