"""Sums that count sets: written as a reader would write them, and decided as the rules do, missing values included."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from r2n import RuleSet
from r2n.errors import ParameterError
from r2n.export import dmn, export, markdown, onnx, pmml, workbook
from r2n.rewrite import expanded
from r2n.rules import Halfspace, Membership, Rule
from r2n.table import Column, Schema
from tests.export.engines import Transpiled
from tests.export.test_dmn import Reader, null
from tests.export.test_excel import recalculated, said
from tests.export.test_onnx import MARKER, run
from tests.export.test_pmml import NS
from tests.export.worlds import LARGEST, Shipped

RULES = RuleSet.parse("yes if income + 2000·(status in {married}) > 7100 else no")


def line_of(text: str, part: str) -> str:
    """The one line that holds this."""
    (line,) = [line for line in text.splitlines() if part in line]
    return line.strip()


@pytest.mark.parametrize(
    ("dialect", "income", "status", "compared"),
    [
        ("duckdb", 'CAST("income" AS DOUBLE)', '"status"', ","),  # before NULLIF's 'NaN'
        ("postgres", 'CAST("income" AS DOUBLE PRECISION)', '"status"', ","),
        ("bigquery", "WHEN CAST(`income` AS FLOAT64)", "`status`", " > 7100"),
    ],
)
def test_sql(dialect: str, income: str, status: str, compared: str) -> None:
    points = f"CASE WHEN {status} IN ('married') THEN 2000 WHEN NOT {status} IS NULL THEN 0 END"
    assert line_of(str(export(RULES, "sql", dialect=dialect)), "married") == f"{income} + {points}{compared}"


def test_a_sum_of_sets_alone_is_of_doubles_in_sql() -> None:
    """Two decimals would be added up exactly; what has no column of numbers is never NaN."""
    rules = RuleSet.parse("yes if 0.1·(a in {x}) + 0.2·(b not in {x}) > 0.3 else no")
    assert line_of(str(export(rules, "sql")), "0.1") == (
        """WHEN CAST(CASE WHEN "a" IN ('x') THEN 0.1 WHEN NOT "a" IS NULL THEN 0 END AS DOUBLE) """
        """+ CASE WHEN NOT "b" IN ('x') THEN 0.2 WHEN NOT "b" IS NULL THEN 0 END > 0.3"""
    )


FILLED = RuleSet.parse("yes if income - 2.1·(debt if known else 40) > 5 else no")
BOTH = RuleSet.parse("yes if (age if known else 30) + 2·(debt if known else 40) + 0.5·income > 5 else no")


@pytest.mark.parametrize(
    ("to", "part", "line"),
    [
        (
            "sql",
            "COALESCE",
            """CAST("income" AS DOUBLE) - 2.1 * COALESCE(NULLIF(CAST("debt" AS DOUBLE), 'NaN'), 40),""",
        ),
        ("python", "2.1", "number['income'] - 2.1 * (40.0 if cell['debt'] is None else number['debt']) > 5"),
        (
            "javascript",
            "2.1",
            'if (number("income") - 2.1 * (cell("debt") === null ? 40 : number("debt")) > 5) return 1;',
        ),
        (
            "latex",
            "2.1",
            r"\text{yes} & \text{if } \text{income} - 2.1\,(\text{debt} \text{ if known else } 40) > 5 \\",
        ),
        ("excel", "2.1", '=IF(IF(COUNT(B2)=1,B2-2.1*IF(COUNT(A2)=1,A2,40)>5,FALSE),"yes","no")'),
    ],
)
def test_what_is_filled_in_stands_in_its_place(to: str, part: str, line: str) -> None:
    assert line_of(str(export(FILLED, to)), part) == line


def test_what_is_filled_in_comes_after_what_is_known() -> None:
    """Where the place would change the sum's last bit."""
    assert line_of(str(export(BOTH, "python")), " > 5") == (
        "(0.0 if cell['age'] is None else number['age']) + 2 * (0.0 if cell['debt'] is None else number['debt'])"
        " + 0.5 * number['income'] + (30.0 if cell['age'] is None else 0.0)"
        " + (80.0 if cell['debt'] is None else 0.0) > 5"
    )


def test_python() -> None:
    assert line_of(str(export(RULES, "python")), "married") == (
        "cell['status'] is not None and number['income'] + (2000.0 if cell['status'] in {'married'} else 0.0) > 7100"
    )


def test_javascript() -> None:
    assert line_of(str(export(RULES, "javascript")), "married") == (
        'if (cell("status") !== null '
        '&& number("income") + (["married"].includes(cell("status")) ? 2000 : 0) > 7100) return 1;'
    )


def test_latex() -> None:
    assert line_of(str(export(RULES, "latex")), "married") == (
        r"\text{yes} & \text{if } \text{income} + 2000\,[\text{status} \in \{\text{married}\}] > 7100 \\"
    )


def test_excel() -> None:
    assert export(RULES, "excel") == (
        '=IF(IF(AND(COUNT(A2)=1,B2<>""),A2+IF(AND(ISTEXT(B2),EXACT(B2,"married")),2000,0)>7100,FALSE),"yes","no")\n'
    )


def test_a_mirrored_sum_is_printed_with_a_positive_start() -> None:
    rules = RuleSet.parse("yes if -income - 2000·(status not in {married}) + 5·(status in {old}) > -7100 else no")
    assert line_of(str(export(rules, "javascript")), "married") == (
        'if (cell("status") !== null && number("income") - (["old"].includes(cell("status")) ? 5 : 0) '
        '+ (![null, "married"].includes(cell("status")) ? 2000 : 0) < 7100) return 1;'
    )


# -- by hand ----------------------------------------------------------------------------------------

SCHEMA = Schema(
    (
        Column("x", "numeric", missing_values=(-9,)),
        Column("z", "categorical", categories=("p", "q"), missing_values=("?",)),
        Column("f", "categorical", categories=(False, True)),
        Column("i", "numeric"),
    )
)
CELLS: dict[str, Any] = {
    "x": [5100.0, math.nextafter(5100, math.inf), 9000.0, 9000.0, math.nan, -9.0, 7100.5, -8000.0, LARGEST, -LARGEST],
    "z": ["p", "p", None, "?", "p", "p", "new", "q", "q", "p"],
    "f": [True, False, None, True, True, False, False, None, True, True],
    "i": [1, 2, 3, None, 1, 1, None, 2, 2, 1],
}
TYPES = {"x": "number", "z": "text", "f": "boolean", "i": "integer"}
SUMS = {
    # Above 7100 only with the points, and never where z or x is missing or a code for it.
    "x + 2000·(z in {p}) > 7100": [0, 1, 0, 0, 0, 0, 1, 0, 1, 0],
    # A missing z adds no points, but is not below either.
    "-2000·(z in {p}) - x > 7100": [0, 0, 0, 0, 0, 0, 0, 1, 0, 1],
    "5·(z not in {p}) > -1": [1, 1, 0, 0, 1, 1, 1, 1, 1, 1],
    # In decimals the sum would be 0.3.
    "0.1·(z in {p}) + 0.2·(f in {True}) > 0.3": [1, 0, 0, 0, 1, 0, 0, 0, 0, 1],
    # Whole numbers would not be rounded: the sum of floats is 2⁵³, both times.
    "9007199254740992·(z in {p}) + (i in {1}) > 9007199254740992": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    # What the column cannot hold is in no row of it, but the row must be known.
    '(i in {"1"}) > -0.5': [1, 1, 1, 0, 1, 1, 0, 1, 1, 1],
    "(z not in {7}) > 0.5": [1, 1, 0, 0, 1, 1, 1, 1, 1, 1],
    "i - 3·(i not in {1, 3}) > 0": [1, 0, 1, 0, 1, 1, 0, 0, 0, 1],
    # A number that is missing, or a code for it, counts as what it is filled with; one that is not filled as nothing.
    "(x if known else 8000) > 7100": [0, 0, 1, 1, 1, 1, 1, 0, 1, 0],
    "i + (x if known else 3) > 4.5": [1, 1, 1, 0, 0, 0, 0, 0, 1, 0],
    "(i if known else 2) - (x if known else 1) + 3·(z in {p}) > 2.5": [0, 0, 0, 0, 1, 1, 0, 1, 0, 1],
}


def world(text: str) -> Shipped:
    return Shipped(RuleSet.parse(f"yes if {text} else no").with_schema(SCHEMA), CELLS, TYPES)


@pytest.mark.parametrize("text", SUMS)
@pytest.mark.parametrize("name", ["duckdb", "sqlite", "postgres", "python", "node"])
def test_sums_by_hand(text: str, name: str, request: pytest.FixtureRequest) -> None:
    asked = world(text)
    assert [number for _, number in asked.expected] == SUMS[text]
    engine = request.getfixturevalue(f"{name}_engine")
    assert engine.decide(asked.rules, asked.columns, asked.types) == asked.expected


@pytest.mark.parametrize("text", SUMS)
@pytest.mark.parametrize("dialect", ["snowflake", "bigquery", "spark"])
def test_sums_by_hand_in_other_dialects_read_back(text: str, dialect: str) -> None:
    """Without NaN, which BigQuery compares otherwise than DuckDB, where its SQL is run."""
    asked = world(text)
    rows = {name: [None if cell != cell else cell for cell in cells] for name, cells in CELLS.items()}
    assert Transpiled(dialect).decide(asked.rules, rows, TYPES) == asked.expected


@pytest.mark.parametrize("text", SUMS)
def test_sums_by_hand_in_onnx_and_dmn(text: str) -> None:
    rules = world(text).rules
    columns = {name: objects(cells) for name, cells in CELLS.items()}
    assert_array_equal(run(onnx.write(rules, missing=MARKER), columns)[1], SUMS[text])
    reader = Reader(dmn.write(rules))
    rows = [dict(zip(CELLS, map(null, row), strict=True)) for row in zip(*CELLS.values(), strict=True)]
    assert [reader.decide(row)[1] for row in rows] == SUMS[text]


def test_sums_by_hand_in_workbooks(tmp_path: Path) -> None:
    """Not where 15 digits do not tell."""
    texts = [text for text in SUMS if "0.1" not in text and "9007199254740992" not in text]
    rows = [0, 2, 3, 4, 5, 6, 7]
    cells = {name: objects([column[k] for k in rows]) for name, column in CELLS.items()}
    books = [workbook.write(world(text).rules, rows=cells) for text in texts]
    for text, found in zip(texts, recalculated(books, tmp_path), strict=True):
        assert said(found)[1] == [SUMS[text][k] for k in rows], text


def objects(cells: list[Any]) -> np.ndarray[Any, Any]:
    return np.array([*cells, None], dtype=object)[:-1]


# -- formats that are told case by case -------------------------------------------------------------

SEVERAL = RuleSet.parse("yes if income + 2000·(status in {married}) > 7100 or income < 100 else no")


def test_rules_told_case_by_case_keep_their_number_and_words() -> None:
    root = ElementTree.fromstring(pmml.write(SEVERAL))
    assert [found.get("id") for found in root.iter(f"{NS}SimpleRule")] == ["1", "2"]
    words = [found.get("value") for found in root.iter(f"{NS}Extension")]
    assert words == [str(rule) for rule in SEVERAL.rules]
    reader = Reader(dmn.write(SEVERAL))
    assert [number for _, (_, number) in reader.lines] == ["1", "2", "2", "0"]
    assert reader.decide({"income": 6000.0, "status": "married"}) == ("yes", 2)
    assert reader.decide({"income": 6000.0, "status": None}) == ("no", 0)


def test_rules_are_written_as_they_are_given_in_sums_or_case_by_case() -> None:
    assert "(status in {married})" in str(export(RULES, "markdown"))
    assert export(expanded(RULES), "markdown") == markdown.write(expanded(RULES))


def test_many_sets_are_many_terms_not_many_cases() -> None:
    sets = {Membership(f"z{k}", ("a",)): float(k + 1) for k in range(20)}
    rules = RuleSet((Rule((Halfspace.of({"x": 1.0, **sets}, 100.0),)),), "yes", "no")  # type: ignore[misc]
    for to in ("sql", "python", "javascript", "latex", "excel", "workbook", "onnx"):
        assert len(export(rules, to)) < 20_000
    with pytest.raises(ParameterError, match="more cases than can be looked at"):
        export(rules, "pmml")
