"""Tables in files: columns of the same name."""

import io
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r2n import RuleSet
from r2n.errors import RepeatedColumns
from r2n.table.files import read_table, suffix_repeats
from tests.cli.test_cli import run


@given(st.lists(st.sampled_from(["a", "b", "a.1", "a.2", "a.1.1", "b.1", "c"]), min_size=1, max_size=8))
def test_suffixes_are_those_of_pandas(header: list[str]) -> None:
    read = pd.read_csv(io.StringIO(",".join(header) + "\n" + ",".join("1" * len(header))))
    assert suffix_repeats(header) == read.columns.tolist()


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet"])
def test_columns_of_the_same_name_get_suffixes_with_a_word(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{kind}"
    if kind == "parquet":
        columns = [pa.array([1.0, None]), pa.array(["?", "b"]), pa.array([5.0, 6.0])]
        pq.write_table(pa.Table.from_arrays(columns, names=["x", "c", "x"]), path)
    else:
        path.write_text("x,c,x\n1,?,5\nNA,b,6\n".replace(",", "\t" if kind == "tsv" else ","))
    with pytest.warns(RepeatedColumns, match=r"has columns of the same name; the later ones are called 'x\.1'\.$"):
        frame = read_table(path, ["?"])
    assert frame.columns.tolist() == ["x", "c", "x.1"]
    assert frame["x"].isna().tolist() == [False, True]
    assert frame["x.1"].tolist() == [5, 6]
    if kind != "parquet":
        assert frame["c"].isna().tolist() == [True, False]


def test_a_value_that_stands_for_a_missing_one_does_so_in_both(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,x\n1,-9\n-9,2\n")
    with pytest.warns(RepeatedColumns):
        frame = read_table(path, {"x.1": ["-9"]})
    assert frame.isna().to_numpy().tolist() == [[False, True], [False, False]]


def test_very_many_are_not_all_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(",".join(["x"] * 3_000) + "\n" + ",".join("1" * 3_000) + "\n")
    with pytest.warns(RepeatedColumns, match="and 2989 more") as caught:
        read_table(path)
    assert len(str(caught[0].message)) < 500


def test_every_command_calls_them_by_the_same_names(tmp_path: Path) -> None:
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    table.write_text("x,x,y\n" + "".join(f"{k % 7},{k},{'yes' if k > 100 else 'no'}\n" for k in range(300)))
    RuleSet.parse('yes if "x.1" > 100 else no').save(model)
    done = run("predict", model, table)
    assert done.stdout.split()[1:] == ["no"] * 101 + ["yes"] * 199
    assert "warning: " in done.stderr
    assert "the later ones are called 'x.1'" in done.stderr
    assert '"x.1" > 100' in run("explain", model, table, "--row", 150).stdout
    assert "300" in run("check", model, table, "--target", "y").stdout
    done = run("fit", table, "--target", "y", "--ignore", "x", "--seed", 1)
    assert '"x.1" > 1' in done.stdout or '"x.1" >= 1' in done.stdout
    assert "'x.2'" in run("fit", table, "--target", "y", "--ignore", "x.2", ok=False).stderr
