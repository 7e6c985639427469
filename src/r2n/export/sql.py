"""SQL that decides as the rules do, to the last bit and the last NULL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

from r2n.errors import ParameterError
from r2n.export._plain import advice, decisions
from r2n.export._sqlite import quoting
from r2n.export._sqlliterals import SQLWriter, check_depth, check_text, depth_of, names_of
from r2n.export._sqlnumbers import as_double, number
from r2n.export._types import type_of_values
from r2n.rules import ClassRules, RuleSet
from r2n.rules.text import write_value
from r2n.table import Value
from r2n.table.cells import shown

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.dialects.dialect import Dialect

SUFFIX = ".sql"
HELP = {
    "dialect": "duckdb, postgresql, sqlite, snowflake, bigquery or spark",
    "form": "case (the label), rule (the number of the rule), condition, or view",
    "table": "the table that a view reads",
    "view": "the name of the view",
    "prediction": "the name of the view's column of labels",
    "rule": "the name of the view's column of rule numbers",
}

# By the names that people use, those of sqlglot.
DIALECTS = {name: name for name in ("duckdb", "postgres", "sqlite", "snowflake", "bigquery", "spark")}
DIALECTS["postgresql"] = "postgres"

T = TypeVar("T")


def write(
    rules: RuleSet | ClassRules,
    *,
    dialect: str = "duckdb",
    form: str = "case",
    table: str | None = None,
    view: str | None = None,
    prediction: str | None = None,
    rule: str | None = None,
) -> str:
    """The rules in SQL, in one of four forms.

    `case` gives the label, `rule` the number of the first rule that is true (0 if none is), `condition` true or false
    and never NULL; `view` makes a view of the `table` that has two more columns, `prediction` and `rule`.

    >>> rules = RuleSet.parse("yes if income - 2.1·debt < 12.5 or region in {north, west} else no")
    >>> print(write(rules), end="")
    CASE
      WHEN CAST("income" AS DOUBLE) - 2.1 * CAST("debt" AS DOUBLE) < 12.5
      OR "region" IN ('north', 'west')
      THEN 'yes'
      ELSE 'no'
    END
    """
    writer = SQLWriter(rules, _choose("dialect", dialect, DIALECTS))
    make = _choose("form", form, FORMS)
    found = make(writer, _names(form, table=table, view=view, prediction=prediction, rule=rule))
    check_depth(depth_of(found))
    return _lay_out(found, quoting(writer.dialect)) + "\n"


def write_all(
    models: Mapping[str, RuleSet | ClassRules],
    *,
    dialect: str = "duckdb",
    form: str = "case",
    table: str | None = None,
    view: str | None = None,
    prediction: str | None = None,
    rule: str | None = None,
) -> str:
    """What several models with the same rules say of a row: `case` gives an expression of each name, `view` a column.

    >>> rules = RuleSet.parse("yes if x is missing else no")
    >>> print(write_all({"said": rules, "opposite": RuleSet(rules.rules, "no", "yes")}, dialect="postgresql"), end="")
    CASE WHEN "x" IS NULL THEN 'yes' ELSE 'no' END AS "said",
    CASE WHEN "x" IS NULL THEN 'no' ELSE 'yes' END AS "opposite"
    """
    writers = {name: SQLWriter(rules, _choose("dialect", dialect, DIALECTS)) for name, rules in models.items()}
    writer, given = next(iter(writers.values())), _names(form, table=table, view=view, rule=rule)
    if form not in ("case", "view") or prediction is not None:
        raise ParameterError("several values are written with form='case' or form='view', each under its own name.")
    taken = {name.lower() for name in (*names_of(writer.rules), given.get("rule", "rule"))} & set(models)
    if taken:
        raise ParameterError(f"there is a column {shown(min(taken))} already. Write one value, and name its column.")
    columns = [_case(each, {}).as_(name, quoted=True) for name, each in writers.items()]
    found = columns if form == "case" else [_make_view(writer, given, columns)]
    for each in found:
        check_depth(depth_of(each))
    return ",\n".join(_lay_out(each, quoting(writer.dialect)) for each in found) + "\n"


def _names(form: str, **names: str | None) -> dict[str, str]:
    """Keep the names that were given, which only a view has."""
    given = {name: text for name, text in names.items() if text is not None}
    if given and form != "view":
        raise ParameterError(f"{', '.join(given)}: only a view has names, not form={shown(form)}. Write form='view'.")
    return given


def _lay_out(found: exp.Expr, dialect: str | type[Dialect]) -> str:
    """Write on several lines, unless a name or a text has lines of its own, or a word that sqlglot marks lines with."""
    plain = found.sql(dialect=dialect)
    return found.sql(dialect=dialect, pretty=plain.isprintable() and "__SQLGLOT__" not in plain)


def _condition(writer: SQLWriter, _: Mapping[str, str]) -> exp.Expr:
    from sqlglot import exp

    if isinstance(writer.rules, ClassRules):
        raise ParameterError(
            "rules for several classes are no single condition. Write form='case', or one class alone: rules[label]."
        )
    return exp.Coalesce(this=writer.any_of(writer.rules.rules), expressions=[writer.boolean(False)])


def _case(writer: SQLWriter, _: Mapping[str, str]) -> exp.Expr:
    rules = writer.rules
    labels = _labels([*rules.labels, rules.default], writer)
    whens = [
        (writer.any_of(found), label) for (_, found), label in zip(rules.branches, labels[:-1], strict=True) if found
    ]
    return _choice(whens, labels[-1])


def _rule(writer: SQLWriter, _: Mapping[str, str]) -> exp.Expr:
    from sqlglot import exp

    asked = enumerate((rule for rule, _ in decisions(writer.rules)), start=1)
    return _choice([(writer.rule(rule), exp.Literal.number(k)) for k, rule in asked], exp.Literal.number(0))


def _view(writer: SQLWriter, names: Mapping[str, str]) -> exp.Expr:
    return _make_view(writer, names, [_case(writer, {}).as_(_new_column(writer, names, "prediction"))])


def _make_view(writer: SQLWriter, names: Mapping[str, str], columns: Iterable[exp.Expr]) -> exp.Expr:
    from sqlglot import exp

    if "table" not in names:
        raise ParameterError("a view needs the name of the table that it reads. Give table='…'.")
    table, view = (_table(names.get(what, "predictions"), writer.dialect) for what in ("table", "view"))
    if _same(table, view):
        raise ParameterError(f"the view would have the name of the table it reads, {view.sql()}. Give view='…'.")
    query = exp.select(
        exp.Star(),
        *columns,
        _rule(writer, {}).as_(_new_column(writer, names, "rule")),
    ).from_(table)
    return exp.Create(this=view, kind="VIEW", expression=query)


FORMS: dict[str, Callable[[SQLWriter, Mapping[str, str]], exp.Expr]] = {
    "case": _case,
    "rule": _rule,
    "condition": _condition,
    "view": _view,
}


def _choice(whens: list[tuple[exp.Expr, exp.Expr]], default: exp.Expr) -> exp.Expr:
    """Choose the first whose condition is true; what is NULL is not."""
    from sqlglot import exp

    if not whens:
        return default
    found = exp.Case()
    for condition, result in whens:
        found = found.when(condition, result, copy=False)
    return found.else_(default, copy=False)


def _labels(labels: list[Value], writer: SQLWriter) -> list[exp.Expr]:
    """Write the labels in one type: if they have several, as text that keeps them apart, 3 and "3" with its quotes."""
    from sqlglot import exp

    match type_of_values(labels):
        case "boolean":
            return [writer.boolean(bool(label)) for label in labels]
        case "number" if not any(isinstance(label, bool) for label in labels):
            return [_number(label, writer.dialect) for label in labels if not isinstance(label, str)]
        case "text":
            return [exp.Literal.string(check_text(str(label))) for label in labels]
        case _:
            return [exp.Literal.string(check_text(write_value(label))) for label in labels]


def _number(label: float, dialect: str) -> exp.Expr:
    from sqlglot import exp

    return exp.Literal.number(label) if isinstance(label, int) else as_double(number(label, dialect))


def _new_column(writer: SQLWriter, names: Mapping[str, str], what: str) -> exp.Identifier:
    from sqlglot import exp

    name = names.get(what, what)
    if name.lower() in {other.lower() for other in names_of(writer.rules)}:
        raise ParameterError(f"the table has a column {shown(name)} already. Name the new one otherwise: {what}='…'.")
    if not name or (what == "rule" and name.lower() == names.get("prediction", "prediction").lower()):
        raise ParameterError(f"{what} must be a name of its own, not {shown(name)}. Name the column otherwise.")
    return exp.to_identifier(check_text(name), quoted=True)


def _table(name: str, dialect: str) -> exp.Table:
    """Read a table's name as one writes it in SQL, such as `people`, `sales.people` or `"my table"`."""
    import sqlglot
    from sqlglot import exp

    try:
        parts = sqlglot.parse_one(name, into=exp.Table, dialect=dialect).parts
    except (sqlglot.ParseError, sqlglot.TokenError):
        parts = []
    plain = [part.sql(dialect) for part in parts if isinstance(part, exp.Identifier)]
    # Whatever else stood there (an alias, a comment, a call) is no name.
    if not plain or "".join(plain) != "".join(name.split(".")):
        raise ParameterError(
            f'{shown(name)} is no name of a table. Write it as in SQL: people, sales.people, "my table".'
        )
    return exp.to_table(name, dialect=dialect)


def _same(table: exp.Table, other: exp.Table) -> bool:
    return [part.name.lower() for part in table.parts] == [part.name.lower() for part in other.parts]


def _choose(what: str, name: str, choices: Mapping[str, T]) -> T:
    found = choices.get(str(name).lower())
    if found is None:
        raise ParameterError(f"there is no {what} {shown(name)}.{advice(str(name).lower(), choices, f'The {what}s')}")
    return found
