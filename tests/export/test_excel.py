"""The formula and the workbook, recalculated by LibreOffice (or the package formulas), say what the rules say."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import time
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from r2n.errors import ParameterError
from r2n.export import excel, workbook
from r2n.rules import ClassRules, Halfspace, Membership, Rule, RuleSet
from tests.export.typed_worlds import NUMBERS, ORDINARY, TypedWorld, adult, decisions, schema
from tests.strategies import CATEGORICAL, CATEGORIES, NUMERIC, ODD_NAMES, UNSEEN, memberships

T = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}t"
LABELS = st.sampled_from(["yes", "no", "3", "a b", 'q"uo', "=no", "größe", 3, 0, -2, 0.5, True, False])
ODD_SETS = memberships(st.sampled_from(CATEGORICAL), st.sampled_from(['q"uo', "=1+1", "a"]))
OTHERS = (None, *CATEGORIES, *UNSEEN, "A", 'q"uo', "=1+1", False, 0, "0")


@st.composite
def ordinary_worlds(draw: st.DrawFn) -> TypedWorld:
    """Rules with ordinary numbers, and rows that are on no boundary; texts, numbers and Booleans in one column."""
    found = draw(decisions(ORDINARY | ODD_SETS, LABELS))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    columns = {name: np.where(rng.random(8) < 0.2, np.nan, rng.normal(size=8)) for name in NUMERIC}
    for name in CATEGORICAL:
        columns[name] = np.array([*(OTHERS[k] for k in rng.integers(len(OTHERS), size=8)), None], dtype=object)[:-1]
    return TypedWorld(found, columns)


def recalculated(books: list[bytes], folder: Path) -> list[Any]:
    """What the cells of each book hold after all formulas have been computed anew."""
    for k, book in enumerate(books):
        (folder / f"{k}.xlsx").write_bytes(book)
    if shutil.which("soffice"):
        return _by_libreoffice(len(books), folder)
    return [_by_formulas(folder / f"{k}.xlsx") for k in range(len(books))]


def _by_libreoffice(n: int, folder: Path) -> list[Any]:
    home = f"-env:UserInstallation={(folder.parent / 'office').as_uri()}"  # made once for all tests here
    files = [str(folder / f"{k}.xlsx") for k in range(n)]
    command = ["soffice", home, "--headless", "--norestore", "--convert-to", "xlsx", "--outdir", str(folder / "out")]
    subprocess.run([*command, *files], check=True, capture_output=True, timeout=300)
    return [_values(openpyxl.load_workbook(folder / "out" / f"{k}.xlsx", data_only=True)["rows"]) for k in range(n)]


def _values(sheet: Any) -> list[tuple[Any, ...]]:
    return list(sheet.iter_rows(values_only=True))


def _by_formulas(path: Path) -> list[tuple[Any, ...]]:
    formulas = pytest.importorskip("formulas", reason="neither LibreOffice nor the package formulas is here")
    rows = _values(openpyxl.load_workbook(path)["rows"])
    found = formulas.ExcelModel().loads(str(path)).finish().calculate()
    sheet = openpyxl.load_workbook(path)["rows"]
    values = []
    for i, row in enumerate(rows, start=1):
        cells = [sheet.cell(i, j + 1).coordinate for j in range(len(row))]
        values.append(tuple(_computed(found, path, at, cell) for at, cell in zip(cells, row, strict=True)))
    return values


def _computed(found: Any, path: Path, at: str, cell: Any) -> Any:
    if not isinstance(cell, str) or not cell.startswith("="):
        return cell
    value = found[f"'[{path.name}]ROWS'!{at}"].value[0, 0]
    return value.item() if isinstance(value, np.generic) else value


def said(rows: list[tuple[Any, ...]]) -> tuple[list[Any], list[Any]]:
    """The labels and the numbers of rules, from the last two columns."""
    assert rows[0][-2:] == ("rule", "prediction")
    return [row[-1] for row in rows[1:]], [row[-2] for row in rows[1:]]


def compare(worlds: list[TypedWorld], folder: Path) -> None:
    books = [workbook.write(world.rules, rows=world.columns) for world in worlds]
    for world, rows in zip(worlds, recalculated(books, folder), strict=True):
        labels, numbers = said(rows)
        assert numbers == world.first_rule.tolist(), str(world.rules)
        assert labels == world.rules.predict(world.columns).tolist(), str(world.rules)


@pytest.mark.parametrize("n", [4, pytest.param(40, marks=pytest.mark.slow)])
def test_the_workbook_says_what_the_rules_say(tmp_path: Path, n: int) -> None:
    worlds: list[TypedWorld] = []

    @settings(max_examples=n, deadline=None, database=None, suppress_health_check=[HealthCheck.differing_executors])
    @given(ordinary_worlds())
    def collect(world: TypedWorld) -> None:
        worlds.append(world)

    collect()
    compare(worlds, tmp_path)


@pytest.mark.parametrize("share", [0.25, pytest.param(1.0, marks=pytest.mark.slow)])
def test_rows_of_adult(tmp_path: Path, share: float) -> None:
    world = adult()
    ordinary = np.flatnonzero(~on_boundary(world))
    some = 400 if shutil.which("soffice") else 40  # the package is slow
    chosen = np.random.default_rng(0).choice(ordinary, size=int(share * some), replace=False)
    compare([TypedWorld(world.rules, {name: cells[chosen] for name, cells in world.columns.items()})], tmp_path)


def on_boundary(world: TypedWorld) -> np.ndarray[Any, Any]:
    """Rows whose sums are so near to a threshold that 15 digits do not tell."""
    table = world.rules.table(world.columns)
    sums = [literal for literal in world.rules.literals if isinstance(literal, Halfspace)]
    return np.any([np.abs(each.values(table) - each.threshold) < 1e-9 for each in sums], axis=0)


def test_codes_for_missing_values_typed_into_cells(tmp_path: Path) -> None:
    """A person who fills in a row may enter the code itself."""
    rules = RuleSet.parse("a if x + y > 1 or z not in {a} or w in {7, 1} else b").with_schema(schema(NUMBERS, True))
    book = openpyxl.load_workbook(io.BytesIO(workbook.write(rules)))
    entered = {"x": 7, "y": 3, "z": "c", "w": 7}
    for k, name in enumerate(excel.ordered_columns(rules), start=1):
        book["rows"].cell(2, k).value = entered[name]
    file = io.BytesIO()
    book.save(file)
    (rows,) = recalculated([file.getvalue()], tmp_path)
    assert said(rows) == (["b"], [0])
    assert rules.predict({name: [value] for name, value in entered.items()}).tolist() == ["b"]


def test_the_formula_says_what_the_workbook_says(tmp_path: Path) -> None:
    """Beside the columns of the rules: one cell with the formula for all of them."""
    rules = ClassRules.parse(
        'high if x - 2.5·y > 1 and z in {a, "q\\"uo"} or x > 2 else low if z not in {b} else "no one"'
    )
    columns = {"x": [4.0, 3.0, 0.5, np.nan, -1.0], "y": [1.0, 0.5, 0.1, 0.0, 0.0], "z": ["a", "b", "b", 'q"uo', None]}
    book = openpyxl.load_workbook(io.BytesIO(workbook.write(rules, rows=columns)))
    n = book["rows"].max_column
    for row in range(2, 7):
        book["rows"].cell(row, n - 1).value = "=0"
        book["rows"].cell(row, n).value = excel.write(rules, first=f"A{row}").strip()
    file = io.BytesIO()
    book.save(file)
    (rows,) = recalculated([file.getvalue()], tmp_path)
    assert said(rows)[0] == rules.predict(columns).tolist() == ["high", "high", "no one", "low", "no one"]


def test_cells_may_be_anywhere() -> None:
    rules = RuleSet.parse("1 if income - 2.1·debt <= 12.5 else 0")
    assert excel.write(rules, cells={"income": "[@income]", "debt": "Debt"}) == (
        "=IF(IF(COUNT([@income],Debt)=2,[@income]-2.1*Debt<=12.5,FALSE),1,0)\n"
    )
    with pytest.raises(ParameterError, match="cells does not say where column 'debt' is"):
        excel.write(rules, cells={"income": "B2"})
    with pytest.raises(ParameterError, match="first must be a cell such as 'A2', not 'here'"):
        excel.write(rules, first="here")
    with pytest.raises(ParameterError, match="first must be a cell such as 'A2', not 3"):
        excel.write(rules, first=3)
    with pytest.raises(ParameterError, match=r"cells must be a mapping such as .*, not 'B2'"):
        excel.write(rules, cells="B2")


@pytest.mark.parametrize("first", ["XFD2", "XFE2", "ZZZ2", "A1048577", "A9999999"])
def test_no_cell_is_beyond_the_sheet(first: str) -> None:
    rules = RuleSet.parse("yes if x - y > 0 else no")
    with pytest.raises(ParameterError, match=f"2 cells from {first} on do not fit: a sheet ends at XFD1048576"):
        excel.write(rules, first=first)
    assert excel.place(rules, "XFC1048576") == {"x": "XFC1048576", "y": "XFD1048576"}


@pytest.mark.parametrize("text", ["a b", "", "=B2", "x=", "x=B2,", "x=A1,x=B1"])
def test_cells_as_text_that_say_no_places_are_refused(text: str) -> None:
    with pytest.raises(ParameterError, match=r"cells .*(not|in) "):
        excel.read_cells(text)


@pytest.mark.slow
def test_the_same_rules_give_the_same_bytes_at_any_time() -> None:
    before = workbook.write(RuleSet.parse("yes if x > 1 else no"))
    time.sleep(2.1)  # the clock of an archive ticks every other second
    assert workbook.write(RuleSet.parse("yes if x > 1 else no")) == before


def test_no_two_columns_of_a_workbook_have_one_name() -> None:
    names = ("rule", "prediction", "rule 1", "rule (r2n)")
    rules = RuleSet(tuple(Rule((Halfspace.of({name: 1.0}, 1.0),)) for name in names))
    heads = next(openpyxl.load_workbook(io.BytesIO(workbook.write(rules)))["rows"].iter_rows(values_only=True))
    assert len(set(heads)) == len(heads) == 10
    assert heads[-2:] == ("rule (r2n) (r2n)", "prediction (r2n)")


def test_a_formula_that_excel_cannot_read_is_refused(tmp_path: Path) -> None:
    cities = ", ".join(f"city{k}" for k in range(600))
    rules = RuleSet.parse(f"yes if z in {{{cities}}} else no")
    with pytest.raises(
        ParameterError, match=r"the formula has [0-9]+ characters, but Excel reads at most 8192. Export a"
    ):
        excel.write(rules)
    with pytest.raises(ParameterError, match=r"the formula of rule 1 has [0-9]+ characters.*or split the rule"):
        workbook.write(rules)
    classes = " else ".join(f"c{k} if x > {99 - k}" for k in range(70))
    with pytest.raises(ParameterError, match=r"nested [0-9]+ deep, but Excel reads at most 64"):
        excel.write(ClassRules.parse(f"{classes} else none"))
    many = RuleSet.parse(f"yes if {' or '.join(f'x > {k} and x < {k}.5' for k in range(130))} else no")
    with pytest.raises(ParameterError, match="Export a workbook"):
        excel.write(many)
    compare([TypedWorld(many, {"x": np.array([2.2, 2.7, 129.3, -1.0])})], tmp_path)


def test_many_categories_are_asked_in_groups(tmp_path: Path) -> None:
    """OR takes no more than 255 arguments, and a text in a formula has no more than 255 characters."""
    numbers = RuleSet.parse(f"yes if x in {{{', '.join(str(3 * k) for k in range(400))}}} else no")
    long = RuleSet((*RuleSet.parse("yes if x in {a} else no").rules,), "y" * 300, "n" * 256)
    x = np.array([3.0, 1197.0, 1.0, 1200.0])
    compare([TypedWorld(numbers, {"x": x}), TypedWorld(long, {"x": np.array(["a", "b"], dtype=object)})], tmp_path)
    assert '("' + "y" * 255 + '"&"' + "y" * 45 + '")' in excel.write(long)


@pytest.mark.parametrize("text", ['yes if z in {""} else no', 'yes if z in {"\\u0001"} else no', '"" if x > 1 else no'])
def test_texts_that_no_cell_holds_are_refused(text: str) -> None:
    for write in (excel.write, workbook.write):
        with pytest.raises(ParameterError, match=r"blank .*Rename it"):
            write(RuleSet.parse(text))


@pytest.mark.parametrize("bound", [1.7e308, 5e-324])
def test_numbers_that_excel_has_not_are_refused(bound: float) -> None:
    with pytest.raises(ParameterError, match="beyond the numbers of Excel"):
        excel.write(RuleSet.parse(f"yes if x > {bound!r} else no"))


def test_any_column_name_and_no_formulas_in_disguise(tmp_path: Path) -> None:
    names = [*ODD_NAMES, "=1+1", "+1", "@SUM(A1)"]
    rules = RuleSet(tuple(Rule((Halfspace.of({name: 1.0}, 1.0),)) for name in names))
    columns = {name: np.where(np.arange(5) == k % 6, 2.0, 0.0) for k, name in enumerate(names)}
    compare([TypedWorld(rules, columns)], tmp_path)
    z = np.array(["=1+1", "2", "=HYPERLINK(1)"], dtype=object)
    book = openpyxl.load_workbook(
        io.BytesIO(workbook.write(RuleSet.parse('"=1" if "=z" in {"=1+1"} else "=2"'), rows={"=z": z}))
    )
    typed = {cell.coordinate for sheet in book for row in sheet.iter_rows() for cell in row if cell.data_type == "f"}
    assert typed == {"B2", "C2", "D2", "B3", "C3", "D3", "B4", "C4", "D4"}


CODED = ["_x000D_", "a_x0041_b", "_x0041_x0042_", "_x005F_", "_x005f_x000d_", "__x000D_", "_x41_", "_X0041_"]


def decoded(text: str) -> str:
    """What a cell of a workbook means; openpyxl gives most cells as they are written."""
    return re.sub("_x([0-9A-Fa-f]{4})_", lambda code: chr(int(code[1], 16)), text)


def test_texts_that_look_like_codes_of_characters_are_texts(tmp_path: Path) -> None:
    """In a cell `_x000D_` is a carriage return; a text that reads so has its underscore coded."""
    rules = RuleSet(tuple(Rule((Membership("_x0041_", (text,)),)) for text in CODED), "_x0059_", "_x004E_")
    world = TypedWorld(rules, {"_x0041_": np.array([*CODED, "\n", "aAb", "_"], dtype=object)})
    book = workbook.write(rules, rows=world.columns)
    with zipfile.ZipFile(io.BytesIO(book)) as parts:
        roots = [ElementTree.fromstring(parts.read(name)) for name in parts.namelist()]
    held = {decoded(cell.text) for root in roots for cell in root.iter(T)}
    assert held >= {*CODED, "aAb", "_x0041_", "_x0059_", "_x004E_", *map(str, rules.rules)}
    if shutil.which("soffice"):  # the package formulas does not read such codes
        labels, numbers = said(*recalculated([book], tmp_path))
        assert numbers == world.first_rule.tolist()
        assert [*map(decoded, labels)] == rules.predict(world.columns).tolist()


def test_the_rules_are_there_in_words() -> None:
    rules = ClassRules.parse("a if x/y > 2 or z is missing else b if w in {1} else c")
    book = openpyxl.load_workbook(io.BytesIO(workbook.write(rules)))
    assert book.sheetnames == ["rows", "rules"]
    words = _values(book["rules"])
    assert words[0] == ("rule", "if", "prediction")
    assert [row[1] for row in words[1:]] == [*map(str, rules.rules), "otherwise"]
    assert [row[2] for row in words[1:]] == ["a", "a", "b", "c"]


def test_only_what_fits_on_a_sheet() -> None:
    with pytest.raises(ParameterError, match="a sheet has room for 1048575 rows"):
        workbook.write(RuleSet.parse("yes if x > 1 else no"), rows={"x": np.zeros(1_048_576)})
