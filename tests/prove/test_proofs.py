"""Proven simplification on readable examples; what is asked for, how long, and what is shown meanwhile."""

from __future__ import annotations

import doctest
import re
import time
from inspect import signature
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from r2n.errors import ParameterError
from r2n.explain import smallest_change
from r2n.prove import PROOFS, Domain, Prover, equivalent, find_row, prove_simpler
from r2n.prove.search import holds
from r2n.rules import ClassRules, RuleSet, parse_literal, parse_rule
from r2n.runtime.progress import ProofBar
from r2n.table import Schema, Value

FIXTURE = Path(__file__).parent.parent / "fixtures" / "proofs.txt"


def read_fixture() -> list[tuple[str, Domain, str, str]]:
    """Title, domain, before and after of each block."""
    blocks = FIXTURE.read_text(encoding="utf-8").strip().split("\n\n")[1:]
    read = []
    for block in blocks:
        title, body = block.split("\n", 1)
        domain, rules = ("\n" + body).split("\n---\n")
        before, after = rules.split("\n=>\n")
        read.append((title.removeprefix("# "), Domain.parse(domain), before, after))
    return read


@pytest.mark.parametrize(("title", "domain", "before", "after"), read_fixture(), ids=lambda each: str(each)[:40])
def test_before_and_after(title: str, domain: Domain, before: str, after: str) -> None:
    rules = RuleSet.parse(before)
    assert str(rules.simplified(domain)) == after
    assert rules.equivalent(RuleSet.parse(after), domain)


def test_the_fixture_is_read_whole() -> None:
    assert len(read_fixture()) == FIXTURE.read_text(encoding="utf-8").count("\n=>\n") > 10


@pytest.mark.parametrize("prove", PROOFS, ids=lambda prove: prove.__name__)
def test_each_proof_has_something_to_do(prove: Any) -> None:
    cases = [(RuleSet.parse(before), domain) for _, domain, before, _ in read_fixture()]
    assert any(prove(rules, Prover(domain, rules.literals)) != rules for rules, domain in cases)


def test_labels_and_schema_stay() -> None:
    schema, _ = Schema.learn({"x": [0.5, 3.0], "y": [1.0, 2.0]})
    rules = RuleSet.parse("a if x > 1 and y > 1 and x + y > 1.5 else b").with_schema(schema)
    simple = rules.simplified()
    assert (str(simple), simple.schema) == ("a if x > 1 and y > 1\nelse b", schema)
    assert str(rules.simplified(Domain.of(schema))) == "a if x > 1 and y > 1\nelse b"


def test_a_class_is_asked_only_where_those_before_it_do_not_hold() -> None:
    rules = ClassRules.parse('0 if x < 15 else 1 if "x;y" > 0.6 and x > 14 else 2 if "x;y" < 0.6 and x > 14 else 2')
    shorter = rules.simplified({"x": "0..99 known"})
    assert str(shorter) == '0 if x < 15\nelse 1 if "x;y" > 0.6\nelse 2'
    assert rules.equivalent(shorter, {"x": "0..99 known"})
    covered = ClassRules.parse("a if x > 1 else b if x > 2 or y > 1 and x > 0 else c")
    assert str(covered.simplified()) == "a if x > 1\nelse b if x > 0 and y > 1\nelse c"
    default = ClassRules.parse("a if x > 1 else a")
    assert default.simplified() == default
    typed = ClassRules.parse("a if x > 1 else true if x > 0 else 1")
    assert typed.simplified() == typed


def test_one_time_limit_for_function_and_method() -> None:
    for method, function in ((RuleSet.simplified, prove_simpler), (RuleSet.equivalent, equivalent)):
        limits = {signature(each).parameters["time_limit"].default for each in (method, function)}
        assert len(limits) == 1


def test_rules_of_several_classes_are_simplified_class_by_class() -> None:
    rules = ClassRules.parse("small if x < 1 and x + y < 9 else large if x > 1 and x > 0 else middle")
    domain = Domain.read({"x": "0..5", "y": "0..5 known"})
    assert str(rules.simplified(domain)) == "small if x < 1\nelse large if x > 1\nelse middle"


def test_what_is_not_decided_in_its_time_is_kept() -> None:
    rules = RuleSet.parse("yes if x > 3 and y > 3 and x + y > 5 else no")
    assert prove_simpler(rules, time_limit=0.0) == rules
    assert prove_simpler(rules, steps=0) == rules
    assert find_row(Domain(), rules.literals, steps=0).undecided


@pytest.mark.parametrize("proof_only", [True, False])
def test_what_only_rounding_could_decide_is_undecided(proof_only: bool) -> None:
    """Of real numbers x > 3 follows; of floats it might not, by the last bit."""
    domain = Domain.read({"x": "0..9 known", "y": "0..9 known"})
    true = [parse_literal("x + y > 5"), parse_literal("x - y > 1")]
    assert find_row(domain, true, [parse_literal("x > 3")], proof_only=proof_only).undecided
    assert find_row(domain, true, [parse_literal("x > 2.999999999")], proof_only=proof_only).impossible


def test_integers_beyond_all_floats_are_told_apart_by_sets_alone() -> None:
    """2⁵³ + 1 is no float: its column reads 2⁵³, but as a category it is itself."""
    big = 2**53
    true = [parse_literal(f"x not in {{{big}}}"), parse_literal(f"x >= {big}"), parse_literal(f"x <= {big}")]
    assert not find_row(Domain(), true).impossible
    column = {"x": np.array([big + 1, None], dtype=object)[:1]}
    assert parse_rule(" and ".join(map(str, true))).literals
    assert RuleSet((parse_rule(f"x not in {{{big}}} and x >= {big} and x <= {big}"),)).truth(column).all()
    assert find_row(
        Domain(), [parse_literal("x not in {3}"), parse_literal("x >= 3"), parse_literal("x <= 3")]
    ).impossible


def test_overflow_is_no_proof() -> None:
    """Their sum is infinite, or no number at all: what holds of ordinary numbers may not hold there."""
    rules = RuleSet.parse("yes if x + y + w > 1 and -x - y - w > 1 or x + y - w > 0 and w - x - y > -1 else no")
    largest = 1.7976931348623157e308
    x, y, w = (column.ravel() for column in np.meshgrid(*[[-largest, -1.0, 0.0, 0.5, 1.0, largest]] * 3))
    table = {"x": x, "y": y, "w": w}
    assert (rules.simplified().truth(table) == rules.truth(table)).all()


def test_next_to_the_smallest_floats_weights_overflow() -> None:
    rules = RuleSet.parse("yes if x > -1 or x + 5e-324·y > 0 or x > 0 and x is missing else no")
    domain = Domain.parse("x: ..5e-324 known\ny: ..0 known")
    assert str(rules.simplified(domain)) == "yes if x > -1\nelse no"


def test_where_sums_overflow_reals_prove_nothing() -> None:
    """The second follows from the first up to 1e300 and beyond; but in the end it is inf - inf, and so false."""
    first, second = parse_literal("a - 2·c > 1"), parse_literal("4·a - 4·c > 0.5")
    assert find_row(Domain.parse("a: 0..1e300 known\nc: 0..1e300 known"), [first], [second]).impossible
    largest = 1.7976931348623157e308
    row = {"a": largest, "c": largest / 3}
    assert holds(first, row)
    assert not holds(second, row)
    assert not find_row(Domain.parse("a: 0.. known\nc: 0.. known"), [first], [second]).impossible


def test_where_sums_lose_digits_reals_prove_nothing() -> None:
    """1e16 + 1 - 1e16 is 0 in floats; and so large only on the positive side."""
    true = [parse_literal("a - c > -0.1"), parse_literal("a > -5"), parse_literal("b > 0.9"), parse_literal("b < 2")]
    false = parse_literal("a + b - c > 0.5")
    row = {"a": 1e16, "b": 1.0, "c": 1e16}
    assert all(holds(literal, row) for literal in true)
    assert not holds(false, row)
    assert not find_row(Domain.parse("a: known\nb: known\nc: known"), true, [false]).impossible
    small = Domain.read({"a": "-9..9 known", "b": "-9..9 known", "c": "-9..9 known"})
    assert find_row(small, true, [false]).impossible


def test_no_domain_and_no_literals() -> None:
    assert find_row(Domain()).row == {}
    assert find_row(Domain(), [], [parse_rule("true")]).impossible
    assert find_row(Domain.read({"n": "integer 0.2..0.8"}), [parse_literal("n > 0")]).impossible
    assert RuleSet().simplified() == RuleSet()


def test_answers_do_not_depend_on_when_they_are_asked() -> None:
    rules = RuleSet.parse("yes if x + y > 3 and x - y > 1 and x > 1.5 or x - 2·y > 4 and y > 1 and x > 5.5 else no")
    domain = Domain.read({"x": (0, 9), "y": (0, 9)})
    answers = [rules.simplified(domain) for _ in range(3)]
    assert all(a == b for a, b in pairwise(answers))


def test_the_page_shows_what_is_so() -> None:
    text = (Path(__file__).parent.parent.parent / "docs" / "proofs.md").read_text(encoding="utf-8")
    sessions = "\n".join(re.findall(r"```pycon\n(.*?)```", text, flags=re.DOTALL))
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    runner.run(doctest.DocTestParser().get_doctest(sessions, {}, "proofs.md", None, 0), out=report.append)
    assert runner.tries > 5
    assert runner.failures == 0, "".join(report)


def test_progress_is_drawn_past_a_second_and_not_before(capfd: pytest.CaptureFixture[str]) -> None:
    with ProofBar() as bar:
        bar.update(7)
        assert bar._bar is None
        time.sleep(1.05)
        bar.update(5)
        assert bar._bar is not None
        assert "2 questions, size 5" in bar._bar.tasks[0].description
    with ProofBar(shown=False) as silent:
        silent._began -= 5.0
        silent.update(3)
        assert silent._bar is None
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(("codes", "cells"), [([0], [True, False]), ([1, -9], [False, True]), ([False], [0, 1, 2])])
def test_a_code_of_another_type_stands_for_nothing(codes: list[Value], cells: list[Value]) -> None:
    """To Python 0 and False are equal: a proof that took one for the other would be wrong."""
    schema, _ = Schema.learn({"f": cells, "x": range(len(cells))}, missing_values={"f": codes})
    assert all(type(code) is not bool and code not in (0, 1) for code in schema.column("f").missing_values)
    rules = RuleSet.parse(f"yes if f in {{{cells[0]}}} else no", schema)
    rows = {"f": cells, "x": range(len(cells))}
    assert rules.predict(rows).tolist() == ["yes", *["no"] * (len(cells) - 1)]
    assert rules.simplified().predict(rows).tolist() == rules.predict(rows).tolist()
    assert not rules.equivalent(RuleSet((), "yes", "no", schema))
    assert smallest_change(rules, {"f": cells[1]}, domain={"f": set(cells)}).row == {"f": cells[0]}
    assert Schema.from_json(schema.to_json()) == schema


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"time_limit": "a"}, "time_limit must be a number of seconds, 0 or more, not 'a'."),
        ({"time_limit": -1}, "time_limit must be a number of seconds, 0 or more, not -1."),
        ({"time_limit": float("nan")}, "time_limit must be a number of seconds, 0 or more, not nan."),
        ({"time_limit": True}, "time_limit must be a number of seconds, 0 or more, not True."),
        ({"steps": -1}, "steps must be a whole number, 0 or more, not -1."),
        ({"steps": 2.5}, "steps must be a whole number, 0 or more, not 2.5."),
    ],
)
def test_limits_are_checked(limits: dict[str, Any], message: str) -> None:
    rules = RuleSet.parse("yes if x > 3 else no")
    for ask in (lambda: prove_simpler(rules, **limits), lambda: equivalent(rules, rules, **limits)):
        with pytest.raises(ParameterError, match=re.escape(message)):
            ask()
