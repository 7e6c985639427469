"""What an expert says beforehand is checked at once and kept to the end."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r2n import NetworkSettings, R2NClassifier, RuleSet
from r2n.errors import Interrupted, ParameterError, ParseError, UnseenCategory
from r2n.rules import Halfspace, Knowledge, Rule, parse_literal, parse_rule, read_knowledge
from r2n.search import Caps, Labelled, Plan, refine
from r2n.table import Schema

QUICK: dict[str, Any] = {
    "network": NetworkSettings(restarts=2, epochs=60, gamma=0.9),
    "effort": "quick",
    "random_state": 0,
}


def people(n: int = 600, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": rng.gamma(4, 10, n),
            "debt": rng.gamma(2, 8, n),
            "region": rng.choice(["north", "south", "west"], n),
        }
    )
    good = (frame["income"] - 2 * frame["debt"] > 5) | ((frame["age"] > 60) & (frame["region"] == "west"))
    return frame, np.where(good.to_numpy() ^ (rng.random(n) < 0.05), "yes", "no")


def columns_of(rule: Rule) -> set[str]:
    return set(rule.columns)


@settings(max_examples=10)
@given(
    seed=st.integers(0, 10**6),
    excluded=st.sets(st.sampled_from(["age", "debt", "region"]), max_size=2),
    apart=st.sampled_from([(), (("income", "debt"),), (("income", "debt", "age"),), (("age", "region"),)]),
    signs=st.dictionaries(st.sampled_from(["income", "debt", "age"]), st.sampled_from([1, -1])),
    fixed=st.sampled_from([(), ("age > 50 and debt > 3",), ("region in {south}", "income + 0.123456·debt > 90.12345")]),
    literals=st.sets(
        st.sampled_from(["income - 2.0123456·debt > 5.0123456", "income + 9.87654·(region in {west}) > 31.4159265"])
    ),
    most_columns=st.integers(1, 3),
    most_literals=st.sampled_from([None, 1, 2]),
    room=st.sampled_from([None, 0, 2, 6]),
)
def test_what_is_promised_is_kept_through_refinement_rounding_and_simplification(
    seed: int,
    excluded: set[str],
    apart: tuple[tuple[str, ...], ...],
    signs: dict[str, int],
    fixed: tuple[str, ...],
    literals: set[str],
    most_columns: int,
    most_literals: int | None,
    room: int | None,
) -> None:
    frame, y = people(300, seed)
    frame = frame.mask(np.random.default_rng(seed).random(frame.shape) < 0.03)
    schema, table = Schema.learn(frame)
    keep = tuple(parse_rule(text) for text in fixed)
    limits = Knowledge(excluded=frozenset(excluded), apart=tuple(map(frozenset, apart)), signs=tuple(signs.items()))
    own = tuple(literal for literal in map(parse_literal, sorted(literals)) if limits.permits(literal))
    knowledge = replace(limits, fixed=keep, literals=own)
    most = None if room is None else sum(rule.size for rule in keep) + room
    caps = Caps(columns=most_columns, literals=most_literals, rules=len(keep) + 3, size=most)
    plan = Plan((1e-3, 1e-4), 1, caps, knowledge, escapes=3, teacher=False)
    counting = "yes if income - debt + 20·(region in {west}) > 12.3456 and age > 20 else no"
    plain = "yes if income - debt - age > 3 and region in {west} or age < 30 else no"
    starts = [(), RuleSet.parse(plain).rules, RuleSet.parse(counting).rules]
    rows = Labelled(table, y == "yes", np.ones(300))
    everything = np.arange(300)
    refined = refine(RuleSet((), "yes", "no", schema), rows, (everything, everything), starts, plan)
    for rules in (refined.rules, *(point.rules for point in refined.front)):
        assert set(keep) <= set(rules.rules)
        assert rules.n_rules <= len(keep) + 3
        assert most is None or rules.size <= most
        for rule in set(rules.rules) - set(keep):
            assert not columns_of(rule) & excluded
            assert all(len(columns_of(rule) & set(group)) < 2 for group in apart)
            assert most_literals is None or len(rule.literals) <= most_literals
            for literal in set(rule.literals) - set(own):
                assert literal.n_terms <= most_columns  # of a set, what it names counts in sizes
                if isinstance(literal, Halfspace):
                    assert all(signs.get(name, 0) * a >= 0 for name, a in literal.numbers)
                    assert not any(one.column in signs for one, _ in literal.sets)


def test_with_signs_more_of_a_column_never_changes_the_decision_the_other_way() -> None:
    frame, y = people()
    model = R2NClassifier(**QUICK, monotone={"debt": -1, "income": 1}).fit(frame, y)
    assert model.score(frame, y) > 0.85
    before = model.predict(frame) == "yes"
    after = model.predict(frame.assign(debt=frame["debt"] + 7.3, income=frame["income"] - 2.1)) == "yes"
    assert not (after & ~before).any()


def test_fixed_rules_stay_and_others_are_learned_beside_them() -> None:
    frame, y = people()
    fixed = "yes if age > 60 and region in {west} else no"
    model = R2NClassifier(**QUICK, fixed=fixed, max_rules=2).fit(frame, y)
    assert RuleSet.parse(fixed).rules[0] in model.rules_.rules
    assert model.rules_.n_rules == 2
    assert model.score(frame, y) > 0.9
    assert all(RuleSet.parse(fixed).rules[0] in point.rules.rules for point in model.front_)


@pytest.mark.parametrize(("most", "least"), [(3, 0.82), (4, 0.88), (5, 0.99)])
def test_what_may_be_read_beside_fixed_rules_is_used(most: int, least: float) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(2_000, 5)), columns=list("abcde"))
    y = ((frame["a"] > 2) & (frame["b"] < 0)) | (frame["c"] - 0.8 * frame["d"] + 0.5 * frame["e"] > 1)
    model = R2NClassifier(**QUICK, fixed=["a > 2 and b < 0"], max_size=most).fit(frame, y)
    assert model.rules_.size == most
    assert model.score(frame, y) > least


def test_an_experts_literals_and_start_are_used() -> None:
    frame, y = people()
    given_ = R2NClassifier(**QUICK, literals=["income - 2·debt > 5"], exclude=["income", "debt"])
    with pytest.raises(ParameterError, match="goes against exclude"):
        given_.fit(frame, y)
    model = R2NClassifier(**QUICK, literals=["income - 2·debt > 5"], max_columns=1).fit(frame, y)
    assert any(str(literal) == "income - 2·debt > 5" for literal in model.rules_.literals)
    long = "income - 2.0123456·debt > 5.0123456"  # as it was given, not rounded
    model = R2NClassifier(**QUICK, literals=[long], max_columns=1).fit(frame, y)
    assert any(str(literal) == long for literal in model.rules_.literals)
    start = RuleSet.parse("yes if income - 2·debt > 4 else no")
    hurried = R2NClassifier(random_state=0, effort="quick", time_limit=3.0, start=start, teacher=False)
    assert hurried.fit(frame, y).score(frame, y) > 0.85
    assert hurried.history_ == []


COUNTING = "income + 20·(region in {west}) - (age in {30, 31}) > 60"


@pytest.mark.parametrize(
    ("knowledge", "broken"),
    [
        ({"exclude": ["region"]}, "exclude"),
        ({"exclude": ["age"]}, "exclude"),
        ({"exclude": ["debt"]}, None),
        ({"apart": [("income", "region")]}, "apart"),
        ({"apart": [("age", "region")]}, "apart"),
        ({"apart": [("income", "debt")]}, None),
        ({"monotone": {"income": 1}}, None),
        ({"monotone": {"income": -1}}, "monotone"),
        ({"monotone": {"age": 1}}, "monotone"),  # a set of numbers goes neither up nor down
        ({"monotone": {"age": -1}}, "monotone"),
    ],
)
def test_sets_in_sums_are_read_and_have_no_sign(knowledge: dict, broken: str | None) -> None:
    schema, _ = Schema.learn(people(60)[0])
    blank = RuleSet((), "yes", "no", schema)
    if broken is None:
        assert read_knowledge(schema, blank, literals=[COUNTING], **knowledge).literals == (parse_literal(COUNTING),)
        assert read_knowledge(schema, blank, **knowledge).permits(parse_literal(COUNTING))
        return
    with pytest.raises(ParameterError) as error:
        read_knowledge(schema, blank, literals=[COUNTING], **knowledge)
    text = parse_literal(COUNTING).text(schema)
    assert str(error.value) == f"literals: `{text}` goes against {broken}. Change one of them."
    assert not read_knowledge(schema, blank, **knowledge).permits(parse_literal(COUNTING))
    if broken == "monotone":
        with pytest.raises(ParameterError, match="goes against monotone"):
            read_knowledge(schema, blank, fixed=[COUNTING], **knowledge)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("income + 2·(regoin in {west}) > 3", "line 1, column 13: {}: the schema has no column 'regoin'. Did you mean"),
        (
            "region + 2·(region in {west}) > 3",
            "line 1, column 1: {}: column 'region' holds categories, which cannot",
        ),
        ("income + 2·(region > 3", "line 1, column 12: {}: brackets hold a set that is counted, as in"),
        ("age in {old}", "line 1, column 9: {}: column 'age' holds numbers, and never 'old'. Compare it"),
        ("debt in {-9}", "line 1, column 10: {}: in column 'debt', -9 stands for a missing value. Write `debt is mis"),
        ("debt/change > 0.4", "line 1, column 6: {}: column 'change' goes down to -7, where a ratio turns round."),
    ],
)
@pytest.mark.parametrize("what", ["literals", "start", "fixed"])
def test_what_an_expert_writes_is_checked_at_its_place(what: str, text: str, message: str) -> None:
    frame = people(60)[0].assign(change=np.arange(60.0) - 7)
    schema, _ = Schema.learn(frame, missing_values={"debt": [-9]})
    blank = RuleSet((), "yes", "no", schema)
    with pytest.raises(ParseError) as error:
        read_knowledge(schema, blank, **{what: [text]})
    assert str(error.value).startswith(message.format(what))
    read_knowledge(schema, blank, **{what: ["debt/income > 0.4", "change is known"]})


def test_literals_that_are_no_text_are_checked_too() -> None:
    schema, _ = Schema.learn(people(60)[0])
    with pytest.raises(
        ParameterError, match=r"^literals: in `regoin in \{west\}`, the schema has no column 'regoin'\."
    ):
        read_knowledge(schema, None, literals=[parse_literal("regoin in {west}")])


@pytest.mark.parametrize(
    "expert", [{"fixed": ["region in {weest} and age > 60"]}, {"literals": ["income + 2·(region in {weest}) > 3"]}]
)
def test_a_category_that_no_row_has_is_told(expert: dict) -> None:
    """A warning: where rows are split, the other part may have it."""
    frame, y = people(200)
    with pytest.warns(UnseenCategory, match="column 'region' never held 'weest'. Did you mean 'west'") as told:
        R2NClassifier(**QUICK, **expert).fit(frame, y)
    assert told[0].filename == __file__


def test_a_fixed_rule_given_twice_is_one() -> None:
    frame, y = people(200)
    model = R2NClassifier(**QUICK, fixed=["age > 60", "age > 60.0"], max_rules=1).fit(frame, y)
    assert [str(rule) for rule in model.rules_.rules] == ["age > 60"]


def test_an_experts_sum_of_sets_is_learned_with() -> None:
    frame, _ = people()
    good = frame["income"] + 20 * (frame["region"] == "west") - 2 * frame["debt"] > 30
    text = "income - 2·debt + 20·(region in {west}) > 30"
    model = R2NClassifier(**QUICK, literals=[text], max_columns=1).fit(frame, np.where(good, "yes", "no"))
    assert any(str(literal) == text for literal in model.rules_.literals)
    assert model.score(frame, np.where(good, "yes", "no")) == 1.0


def test_of_more_classes_only_what_has_a_meaning_is_taken() -> None:
    frame, _ = people(60)
    y = np.array(["a", "b", "c"])[np.arange(60) % 3]
    model = R2NClassifier(**QUICK, exclude=["debt", "region"]).fit(frame, y)
    assert not {"debt", "region"} & set(model.rules_.columns)


def test_an_interrupted_network_keeps_to_what_was_promised() -> None:
    frame, y = people(300)
    seen = []

    def stop(record: object) -> None:
        seen.append(record)
        if len(seen) == 20:
            raise KeyboardInterrupt

    expert: dict[str, Any] = {
        "fixed": ["region in {west} and age > 70"],
        "monotone": {"debt": 1},
        "apart": [("income", "debt")],
    }
    with pytest.warns(Interrupted):
        model = R2NClassifier(network=NetworkSettings(restarts=1), callback=stop, random_state=0, **expert).fit(
            frame, y
        )
    fixed = parse_rule(expert["fixed"][0])
    assert fixed in model.rules_.rules
    promised = Knowledge(apart=(frozenset({"income", "debt"}),), signs=(("debt", 1),))
    assert all(promised.permits_rule(rule) for rule in model.rules_.rules if rule != fixed)


def test_an_excluded_column_has_no_influence() -> None:
    """Nor has it through a teacher: shuffled, it changes nothing."""
    rng = np.random.default_rng(0)
    frame, y = people(800)
    secret = np.where(rng.random(800) < 0.9, y, "no")  # a column that would tell the label
    models = [
        R2NClassifier(**QUICK, teacher=True, exclude=["secret"]).fit(frame.assign(secret=column), y)
        for column in (secret, rng.permutation(secret))
    ]
    assert models[0].rules_ == models[1].rules_


def test_the_readmes_example_of_an_experts_knowledge_fits() -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(R2NClassifier\(.*?\n\))\n```", text, flags=re.DOTALL)
    frame, y = people(600)
    frame = frame.assign(name=[f"p{k}" for k in range(len(frame))])
    model = eval(block).set_params(network=NetworkSettings(restarts=1), random_state=0, n_jobs=1).fit(frame, y)
    assert parse_rule("age > 60 and region in {west}") in model.rules_.rules
    assert model.rules_.n_rules <= 3
