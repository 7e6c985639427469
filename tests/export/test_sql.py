"""SQL: numbers to the last bit, names and texts of any kind, and what is refused."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pytest
import sqlglot

from r2n import RuleSet
from r2n.errors import ParameterError
from r2n.export import export
from r2n.export._sqlnumbers import number
from r2n.export.sql import DIALECTS
from r2n.rules import ClassRules, Halfspace, Membership, Missing, Rule
from r2n.table import Column, Schema
from tests.export.engines import DuckDB, PostgreSQL

RULES = RuleSet.parse("yes if income - 2.1·debt > 12.5 or region in {north} else no")


def doubles() -> list[float]:
    """Random bits, and decimals of few and of many digits: SQLite itself misreads some of either."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2**63, 200).view(np.float64)
    decimals = [float(f"{x:.{d}g}") for x, d in zip(rng.random(2_000) * 1e4, rng.integers(1, 18, 2_000), strict=True)]
    known = [0.0, 8.2993093, 0.047718, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e22, 1e23, 2.0**53]
    return [x for x in [*bits.tolist(), *decimals, *known] if math.isfinite(x)]


def written(dialect: str) -> list[str]:
    return [f"({number(x, dialect).sql(dialect)}, {number(-x, dialect).sql(dialect)})" for x in doubles()]


def test_duckdb_reads_every_number_exactly() -> None:
    rows = duckdb.sql(f"SELECT a::DOUBLE, b::DOUBLE FROM (VALUES {', '.join(written('duckdb'))}) AS t(a, b)").fetchall()
    assert rows == [(x, -x) for x in doubles()]


def test_sqlite_reads_every_number_exactly() -> None:
    connection = sqlite3.connect(":memory:")
    rows = [connection.execute(f"SELECT {pair[1:-1]}").fetchone() for pair in written("sqlite")]
    assert rows == [(x, -x) for x in doubles()]


def test_postgresql_reads_every_number_exactly(postgres_engine: PostgreSQL) -> None:
    values = ", ".join(written("postgres"))
    request = f"SELECT a::float8 FROM (VALUES {values}) AS t(a, b);\n\\echo -- end --"
    lines = postgres_engine.ask(request, last="-- end --\n").split("\n")[:-1]
    assert list(map(float, lines)) == doubles()


def test_postgresql_stops_rather_than_answer_where_a_product_leaves_the_range(postgres_engine: PostgreSQL) -> None:
    rules = RuleSet.parse("yes if x - 2·y > 0 else no")
    with pytest.raises(AssertionError, match="out of range"):
        postgres_engine.decide(rules, {"x": [0.0], "y": [-1.7e308]}, {"x": "number", "y": "number"})


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("form", ["case", "rule", "condition", "view"])
def test_every_dialect_and_form_parses(dialect: str, form: str) -> None:
    options = {"table": "sales.people", "view": "scored"} if form == "view" else {}
    text = str(export(RULES, "sql", dialect=dialect, form=form, **options))
    found = sqlglot.parse_one(text, dialect=DIALECTS[dialect])
    assert {column.name for column in found.find_all(sqlglot.exp.Column)} == set(RULES.columns)


def test_constant_rules_are_constants() -> None:
    always, never = RuleSet((Rule(),), 1, 0), RuleSet((), 1, 0)
    assert [export(never, "sql", form=form) for form in ("case", "rule")] == ["0\n", "0\n"]
    for rules, truth in ((always, True), (never, False)):
        assert duckdb.sql(f"SELECT {export(rules, 'sql', form='condition')}").fetchall() == [(truth,)]


def test_labels_of_several_types_become_text() -> None:
    rules = ClassRules.parse('2 if x > 2 else True if x > 1 else "other" if x > 0 else 0.5')
    said = duckdb.sql(f"SELECT {export(rules, 'sql')} FROM (VALUES (3), (2), (1), (0)) AS t(x)").fetchall()
    assert [label for (label,) in said] == ["2", "True", "other", "0.5"]
    alike = RuleSet.parse('1 if x > 3 else "1"')
    said = duckdb.sql(f"SELECT {export(alike, 'sql')} FROM (VALUES (4), (0)) AS t(x)").fetchall()
    assert [label for (label,) in said] == ["1", '"1"']


CASED = RuleSet.parse("a if x > 3 and X < 2 else b")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_columns_that_differ_only_in_case_are_refused_where_they_are_one(dialect: str) -> None:
    hidden = RuleSet.parse("a if x > 3 else b", Schema((Column("x", "numeric"), Column("X", "numeric"))))
    for rules in (CASED, hidden):
        if DIALECTS[dialect] in ("postgres", "snowflake"):
            assert '"x"' in str(export(rules, "sql", dialect=dialect))
        else:
            with pytest.raises(ParameterError, match=r"differ only in case, and .* takes them for one\. Rename"):
                export(rules, "sql", dialect=dialect)


def test_postgresql_tells_columns_by_case(postgres_engine: PostgreSQL) -> None:
    decided = postgres_engine.decide(CASED, {"x": [4, 4, 1], "X": [1, 4, 1]}, {"x": "number", "X": "number"})
    assert [label for label, _ in decided] == ["a", "b", "b"]


def test_dialects_are_named_in_any_case() -> None:
    assert export(RULES, "sql", dialect="DuckDB") == export(RULES, "sql")
    assert export(RULES, "sql", dialect="postgres") == export(RULES, "sql", dialect="PostgreSQL")


def test_columns_of_any_numeric_type_are_read_as_doubles() -> None:
    """2⁵³ + 1 is no double, and a decimal is another number than the float that is written alike."""
    rules = RuleSet.parse("yes if big > 9007199254740992 or tenth > 0.1 or single > 0.1 else no")
    cells = "CAST(9007199254740993 AS BIGINT), CAST(0.1 AS DECIMAL(20, 10)), CAST(0.1 AS FLOAT)"
    text = str(export(rules, "sql", form="rule"))
    said = duckdb.sql(f"SELECT {text} FROM (SELECT {cells}) AS t(big, tenth, single)").fetchall()
    table = {"big": np.array([9007199254740993]), "tenth": [0.1], "single": np.array([0.1], dtype=np.float32)}
    assert said == [(1 + rules.fires(table)[0].tolist().index(True),)] == [(2,)]


def test_a_column_that_is_not_there_is_an_error_in_sqlite_too() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute('CREATE TABLE t ("revenue" REAL)')
    with pytest.raises(sqlite3.OperationalError, match="no such column: income"):
        connection.execute(f"SELECT {export(RULES, 'sql', dialect='sqlite')} FROM t")


def test_categories_of_an_enum_that_does_not_know_them(duckdb_engine: DuckDB) -> None:
    text = export(RuleSet.parse("yes if z in {b, never} else no"), "sql")
    said = duckdb_engine.connection.sql(f"SELECT {text} FROM (SELECT CAST('b' AS ENUM ('a', 'b')) AS z)").fetchall()
    assert said == [("yes",)]


X = Schema((Column("x", "numeric"),))


def many_rules(n: int) -> RuleSet:
    return RuleSet(tuple(Rule((Halfspace.of({"x": -1.0}, -float(k)),)) for k in range(n)), "a", "b", X)


def many_literals(n: int) -> RuleSet:
    return RuleSet((Rule(tuple(Halfspace.of({"x": 1.0}, float(k)) for k in range(n))),), "a", "b", X)


@pytest.mark.parametrize("make", [many_rules, many_literals])
def test_sqlite_reads_a_thousand_rules_or_literals(make: Callable[[int], RuleSet]) -> None:
    rules, columns = make(1_050), {"x": [-1.0, 700.5, 1048.5, 1049.5, None]}
    cells = ", ".join("(NULL)" if cell is None else f"({cell})" for cell in columns["x"])
    query = f"WITH t(x) AS (VALUES {cells}) SELECT {export(rules, 'sql', dialect='sqlite')} FROM t"
    said = sqlite3.connect(":memory:").execute(query).fetchall()
    assert [label for (label,) in said] == rules.predict(columns).tolist()


def test_a_hundred_rules_stand_in_a_row_and_more_in_brackets() -> None:
    few, more = (str(export(many_rules(n), "sql")).split() for n in (100, 101))
    assert "(" not in few
    assert (few.count("OR"), more.count("OR"), more.count("(")) == (99, 100, 1)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_sum_too_deep_for_databases_is_refused(dialect: str) -> None:
    names = [f"x{k}" for k in range(1_000)]
    schema = Schema(tuple(Column(name, "numeric") for name in names))
    rules = RuleSet((Rule((Halfspace.of(dict.fromkeys(names, 1.5), 3.0),)),), "a", "b", schema)
    with pytest.raises(ParameterError, match=r"1000 levels deep, but databases read 1000.*max_columns, or export to"):
        export(rules, "sql", dialect=dialect)


NUL = "a\0b"
TEXT = Schema((Column("z", "categorical", categories=("a", "b")),))
MIXED = Schema((Column("z", "categorical", categories=("a", 1)),))


@pytest.mark.parametrize(
    ("rules", "options", "message"),
    [
        (RULES, {"dialect": "oracle"}, "there is no dialect 'oracle'. The dialects are: bigquery, duckdb"),
        (RULES, {"dialect": "Postgre"}, r"there is no dialect 'Postgre'\. Did you mean 'postgres'\?"),
        (RULES, {"form": "haiku"}, "there is no form 'haiku'. The forms are: case, condition, rule, view"),
        (RULES, {"form": "view", "table": "predictions"}, "name of the table it reads, predictions"),
        (RULES, {"form": "view", "table": '"S".t', "view": "s.T"}, "name of the table it reads"),
        (RULES, {"form": "view", "table": "people", "prediction": "p", "rule": "P"}, "a name of its own, not 'P'"),
        (RULES, {"form": "view", "table": "people", "prediction": "Rule"}, "a name of its own, not 'rule'"),
        (RULES, {"form": "view", "table": "people", "prediction": ""}, "a name of its own, not ''"),
        (RULES, {"form": "view"}, "needs the name of the table"),
        (RULES, {"table": "people"}, "table: only a view has names, not form='case'"),
        (RULES, {"form": "rule", "prediction": "p"}, "prediction: only a view has names"),
        (RULES, {"form": "view", "table": "people; DROP TABLE people"}, "is no name of a table"),
        (RULES, {"form": "view", "table": "(SELECT 1) AS t"}, "is no name of a table"),
        (RULES, {"form": "view", "table": "people p"}, "is no name of a table"),
        (RULES, {"form": "view", "table": "read_csv('people.csv')"}, "is no name of a table"),
        (RULES, {"form": "view", "table": ""}, "is no name of a table"),
        (RULES, {"form": "view", "table": "people", "view": "a -- b"}, "is no name of a table"),
        (RULES, {"form": "view", "table": "people", "rule": "Region"}, "has a column 'Region' already"),
        (ClassRules.parse("a if x > 1 else b"), {"form": "condition"}, "no single condition. Write form='case'"),
        (RuleSet.parse('yes if z in {a, 1} else no'), {}, "column 'z' holds text and numbers"),
        (RuleSet.parse("yes if z in {a} or z > 1 else no"), {}, "column 'z' holds text and numbers"),
        (RuleSet.parse("yes if z in {a} else no").with_schema(MIXED), {}, "column 'z' holds text and numbers"),
        (RuleSet.parse("yes if z > 1 else no").with_schema(TEXT), {}, "compared as a number, but holds text"),
        (RuleSet.parse(f"yes if x in {{{2**53 + 1}}} else no"), {}, "too many digits"),
        (RuleSet((Rule((Halfspace.of({"": 1}, 0),)),)), {}, "the empty name"),
        (RuleSet((Rule((Missing(NUL),)),)), {}, "a character that SQL cannot write"),
        (RuleSet((Rule((Membership("z", (NUL,)),)),)), {}, "a character that SQL cannot write"),
        (RuleSet((), NUL, "b"), {}, "a character that SQL cannot write"),
    ],
)  # fmt: skip
def test_what_sql_cannot_say_is_refused(rules: Any, options: dict[str, str], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        export(rules, "sql", **options)


def test_a_view_takes_names_as_sql_writes_them() -> None:
    connection = duckdb.connect()
    connection.execute('CREATE TABLE "my people" (income DOUBLE, debt DOUBLE, region TEXT, rule TEXT)')
    connection.execute("INSERT INTO \"my people\" VALUES (0, 0, 'north', 'old'), (NULL, 0, NULL, 'old')")
    names = {"table": '"my people"', "view": "scored", "prediction": "it's", "rule": "number"}
    connection.execute(str(export(RULES, "sql", form="view", **names)))
    assert connection.execute('SELECT "it\'s", number FROM scored').fetchall() == [("yes", 2), ("no", 0)]
