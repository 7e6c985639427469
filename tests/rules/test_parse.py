"""The parser: what it takes, and what it says when it does not."""

from __future__ import annotations

import pickle

import pytest

from r2n.errors import ParseError
from r2n.rules import RuleSet, parse_literal, parse_rule, parse_ruleset

# -- more than `str` writes -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("generous", "plain"),
    [
        ("0.5 < x", "x > 0.5"),
        ("-0.5 >= x - y", "x - y <= -0.5"),
        ("2*x > 1", "2·x > 1"),
        ("+x > +1", "x > 1"),
        ("x ≥ 1", "x >= 1"),
        ("x ≤ 1", "x <= 1"),
        ("x > .5", "x > 0.5"),
        ("x > 5.", "x > 5"),
        ("x > 1E-3", "x > 0.001"),
        ("x>1", "x > 1"),
        ('"x" > 1', "x > 1"),
        ("z = a", "z in {a}"),
        ("z == a", "z in {a}"),
        ("z != a", "z not in {a}"),
        ("z = 3", "z in {3}"),
        ("z = 3.0", "z in {3}"),
        ("z = -2.5", "z in {-2.5}"),
        ("z = true", "z in {True}"),
        ('z = "true"', 'z in {"true"}'),
        ("z IN {b,\na}", "z in {a, b}"),
        ("z Not In {a}", "z not in {a}"),
        ("z IS MISSING", "z is missing"),
        ("p/q > 0.5", "p - 0.5·q > 0"),
        ("p/q < 0.5", "p - 0.5·q < 0"),
        ("p/q > -2", "p + 2·q > 0"),
        ("b - a > 0", "a - b < 0"),
        ("2*(z IN {b,\na})+x>=3", "x + 2·(z in {a, b}) >= 3"),
        ("3 < -( z Not In {a} ) - y", "y + (z not in {a}) < -3"),
        ("+(z in {a}) > .5", "(z in {a}) > 0.5"),
        ("0·(z in {a}) + x > 1", "x > 1"),
    ],
)
def test_generous_readings(generous: str, plain: str) -> None:
    assert str(parse_literal(generous)) == plain


def test_rule_sets_are_read_in_any_layout() -> None:
    plain = RuleSet.parse("yes if x > 1 and z in {a} or y > 2 else no")
    assert parse_ruleset("  yes\nIF x>1\tAND z=a,\n or y > 2,\n\nELSE no\n") == plain
    assert parse_ruleset("yes if true and x > 1 and z in {a} or y > 2 else no") == plain
    assert parse_ruleset("yes if false else no").rules == ()
    assert parse_rule("true").literals == ()


def test_labels_of_every_type() -> None:
    for text, label, default in [
        ("1 if x > 0 else -1", 1, -1),
        ("True if x > 0 else false", True, False),
        ('"if" if x > 0 else "3"', "if", "3"),
        ("0.5 if x > 0 else 1.0", 0.5, 1.0),
    ]:
        rules = RuleSet.parse(text)
        assert (rules.label, rules.default) == (label, default)
        assert (type(rules.label), type(rules.default)) == (type(label), type(default))


def test_long_texts_do_not_exhaust_the_stack() -> None:
    n = 12_000
    assert RuleSet.parse("yes if " + " or ".join(f"x > {i}" for i in range(n)) + " else no").n_rules == n
    assert len(parse_rule(" and ".join(f"x{i} > 0" for i in range(n))).literals) == n
    with pytest.raises(ParseError):
        parse_rule("(" * n)
    with pytest.raises(ParseError):
        parse_rule("-" * n)


# -- what is refused --------------------------------------------------------------------------------

REFUSED = [
    (
        "yes if x0 > and x1 < 3 else no",
        "line 1, column 13: expected the threshold, a number, not 'and'.\n"
        "    yes if x0 > and x1 < 3 else no\n"
        "                ^",
    ),
    (
        "yes if x0 > 1\n    or x1 ~ 3\nelse no",
        "line 2, column 11: '~' has no meaning here. Put names with odd characters in double quotes.\n"
        "        or x1 ~ 3\n"
        "              ^",
    ),
    (
        "yes if x + x > 1 else no",
        "line 1, column 8: column 'x' comes twice in a sum. Add its coefficients up.\n"
        "    yes if x + x > 1 else no\n"
        "           ^",
    ),
    (
        "yes if hours per week > 40 else no",
        "line 1, column 14: expected a comparison (>, <, >=, <=, in, is) or another term, not 'per'.\n"
        "    yes if hours per week > 40 else no\n"
        "                 ^",
    ),
    (
        "yes if x > 1e999 else no",
        "line 1, column 12: this number is too large for a float.\n"
        "    yes if x > 1e999 else no\n"
        "               ^",
    ),
    (
        "yes if in > 1 else no",
        'line 1, column 8: expected a column (a column of this name is written "in"), not \'in\'.\n'
        "    yes if in > 1 else no\n"
        "           ^",
    ),
    (
        "yes if x > 1",
        "line 1, column 13: expected `else` and the default label, or `and` or `or`, not the end.\n"
        "    yes if x > 1\n"
        "                ^",
    ),
    (
        "yes if x > 1 else yes",
        "line 1, column 19: the label and the default are both 'yes'. Give two that differ.\n"
        "    yes if x > 1 else yes\n"
        "                      ^",
    ),
    (
        "",
        "line 1, column 1: expected a label, not the end.\n"
        "    \n"
        "    ^",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[text for text, _ in REFUSED])
def test_messages_point_at_the_place(text: str, message: str) -> None:
    with pytest.raises(ParseError) as error:
        RuleSet.parse(text)
    assert str(error.value) == message


NO_BRACKETS = (
    "brackets hold a set that is counted, as in `income + 2000·(status in {married}) > 7100`, or a column that is "
    "filled, as in `income - 2·(debt if known else 40) > 5`, and nothing else: rules are joined by `or`, and literals "
    "in a rule by `and`."
)


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ('"abc > 1', 1, 'this quote is never closed. Add a " at the end of the name.'),
        ("'abc' > 1", 1, '\' does not quote here. Use "double quotes".'),
        ('"a\\q" > 1', 3, 'this is not a JSON string. Escape it as \\n, \\" or \\u0041.'),
        ("(x > 1)", 1, NO_BRACKETS),
        ("2·(x) > 1", 3, NO_BRACKETS),
        ("((z in {a})) > 1", 1, NO_BRACKETS),
        ("x + (z is known) > 1", 5, NO_BRACKETS),
        ("x + (2·y) > 1", 5, NO_BRACKETS),
        ("x > 1 and (y > 1 or z > 2)", 11, NO_BRACKETS),
        ("(", 1, NO_BRACKETS),
        ("(z in {a} > 1", 11, "expected `)` after a set that is counted, not '>'."),
        ("(z in {a}, w in {b}) > 1", 10, "expected `)` after a set that is counted, not ','."),
        ("(z in {a)} > 1", 9, "expected `}` or a comma after a category, not ')'."),
        ("(z not {a}) > 1", 8, "expected `in` after `not`, not '{'."),
        ("(2 in {a}) > 1", 2, "expected a column, not '2'."),
        ("(if in {a}) > 1", 2, "expected a column (a column of this name is written \"if\"), not 'if'."),
        ("(a in {x}) + 3", 15, "expected `·` (or *) between a coefficient and its column, not the end."),
        ("(a in {x})", 11, "expected a comparison (>, <, >=, <=, in, is) or another term, not the end."),
        ("(a in {x}) in {b}", 12, "expected a comparison (>, <, >=, <=, in, is) or another term, not 'in'."),
        ("2(a in {x}) > 1", 2, "expected `·` (or *) between a coefficient and its column, not '('."),
        ("x > 1)", 6, "expected `and`, `or` or the end, not ')'."),
        ("x > (z in {a})", 5, "expected the threshold, a number, not '('."),
        ("x/(z in {a}) > 1", 3, "expected a column, not '('."),
        ("x > 0 and (z in {a}) - (z in {a}) > 1", 11,
         "the set `z in {a}` comes twice in a sum. Add its coefficients up."),
        ("y > 0 and x + 1e101·(z in {a}) > 1", 11,
         "the coefficient of `z in {a}` must be from -1e+100 to 1e+100, not 1e+101."),
        ("0·(z in {a}) > 1", 1, "a halfspace needs at least one column with a coefficient other than 0."),
        ("!x", 1, "there is no `!` here, only `!=`."),
        ("z in a", 6, "expected `{` and categories after `in`, not 'a'."),
        ("z in {}", 7, "expected a category, not '}'."),
        ("z in {a b}", 9, "expected `}` or a comma after a category, not 'b'."),
        ("z in {if}", 7, "expected a category (this word as a category is written \"if\"), not 'if'."),
        ("z not {a}", 7, "expected `in` after `not`, not '{'."),
        ("z is gone", 6, "expected `known` or `missing` after `is`, not 'gone'."),
        ("5x > 1", 2, "expected `·` (or *) between a coefficient and its column, not 'x'."),
        ("2·3 > 1", 3, "expected a column, not '3'."),
        ("p/q >= 1", 5, "expected `>` or `<` after a ratio, not '>='."),
        ("p/q/r > 1", 4, "expected `>` or `<` after a ratio, not '/'."),
        ("x > y", 5, "expected the threshold, a number, not 'y'."),
        ("x - 1 > 2", 7, "expected `·` (or *) between a coefficient and its column, not '>'."),
        ("x > 1 y", 7, "expected `and`, `or` or the end, not 'y'."),
        ("x > 1 and", 10, "expected a column, not the end."),
        ('x > "1"', 5, 'expected the threshold, a number, not "1".'),
        ("0·x > 1", 1, "a halfspace needs at least one column with a coefficient other than 0."),
        ("x >= -1.7976931348623157e308", 1, "the threshold must be finite, not -inf."),
        ("z = " + "9" * 5000, 5, "this number has too many digits."),
        ("p/p > 1", 1, "column 'p' comes twice in a sum. Add its coefficients up."),
    ],
)  # fmt: skip
def test_problems(text: str, column: int, problem: str) -> None:
    with pytest.raises(ParseError) as error:
        parse_rule(text)
    assert (error.value.line, error.value.column, error.value.problem) == (1, column, problem)


def test_true_is_not_a_literal() -> None:
    with pytest.raises(ParseError, match="a literal was expected, but `true` is a rule without any"):
        parse_literal("true")


def test_long_lines_are_cut_around_the_place() -> None:
    with pytest.raises(ParseError) as error:
        parse_rule("x > 1 and " * 1000 + "y ~ 3" + " and x > 1" * 1000)
    _, shown, caret = str(error.value).split("\n")
    assert len(shown) < 140
    assert shown[caret.index("^")] == "~"


def test_errors_survive_pickling() -> None:
    with pytest.raises(ParseError) as error:
        parse_rule("x ~ 1")
    again = pickle.loads(pickle.dumps(error.value))
    assert str(again) == str(error.value)
    assert (again.line, again.column) == (1, 3)
