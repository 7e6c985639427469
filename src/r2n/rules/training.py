"""The training counts in a model file, read strictly. See docs/modelfile.md."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from r2n.errors import ModelFileError
from r2n.rules.anyrules import AnyRules
from r2n.rules.counts import MOST_WEIGHT, Baseline, other_classes
from r2n.rules.rule import Rule
from r2n.rules.ruleset import RuleSet
from r2n.rules.tally import Decided, HeldOutCount, RuleCount, Tally, owner_of
from r2n.table import Value
from r2n.table.cells import shown

MOST_ROWS = 2**53
ROUNDED = 1 + 1e-6  # how much more parts may weigh than the whole, for they were added in another order


def read_baseline(item: object, model: AnyRules, branches: Sequence[tuple[Value, tuple[Rule, ...]]]) -> Baseline | None:
    """Read the counts of the rules of a model: of these branches, which are in the order of the file."""
    if item is None:
        return None
    if not isinstance(item, dict):
        raise ModelFileError(f"training must be an object or null, not {shown(item)}.")
    optional = {"threshold"} & item.keys()
    check_fields(item, {"rows", "weight", "rules", "decided"} | optional, "training")
    owners = [(label, rule) for label, rules in branches for rule in rules]
    if not isinstance(item["rules"], list) or len(item["rules"]) != len(owners):
        raise ModelFileError(f"training must have counts, or null, for each of the {len(owners)} rules.")
    whole = _tally([item["rows"], item["weight"]], Tally(MOST_ROWS, MOST_WEIGHT))
    known: dict[Hashable, tuple[Value, Rule, RuleCount]] = {}
    for owner, counts in zip(owners, item["rules"], strict=True):
        counted = None if counts is None else _rule_count(counts, whole)
        if counted is not None and known.setdefault(owner_of(*owner), (*owner, counted))[2] != counted:
            raise ModelFileError("a rule stands twice, with different counts. Keep one of them.")
    decided = _decided(item["decided"], [*model.labels, model.default], len(model.classes), whole)
    if decided is not None and any(counted.alone is None for _, _, counted in known.values()):
        raise ModelFileError("training says what the rules decide, but not how many rows each of them covers alone.")
    threshold = _threshold(item.get("threshold", 0.5), isinstance(model, RuleSet))
    return Baseline(*whole, tuple(known.values()), decided, other_classes(model), threshold)


def _threshold(item: object, alone: bool) -> float:
    threshold = read_number(item)
    if not 0 < threshold < 1:
        raise ModelFileError(f"threshold must lie between 0 and 1, not at {shown(item)}.")
    if threshold != 0.5 and not alone:
        raise ModelFileError("threshold is for the counts of rules of one label, and these are of several.")
    return threshold


def _rule_count(counts: object, whole: Tally) -> RuleCount:
    match counts:
        case [covered, positives, alone, *held_out] if len(held_out) < 2:
            within = _tally(covered, whole)
            right, only = _tally(positives, within), None if alone is None else _tally(alone, within)
            return RuleCount(within, right, only, *(_held_out(each, whole, within, right) for each in held_out))
        case _:
            also = "and a list of three more if rows were held out"
            raise ModelFileError(f"the counts of a rule must be three pairs, {also}, not {shown(counts)}.")


def _held_out(item: object, whole: Tally, covered: Tally, positives: Tally) -> HeldOutCount:
    """Rows held out are training rows too: none of their counts is larger."""
    match item:
        case [rows, fired, right]:
            everyone = _tally(rows, whole)
            within = _tally(fired, _lesser(everyone, covered))
            return HeldOutCount(everyone, within, _tally(right, _lesser(within, positives)))
        case _:
            raise ModelFileError(f"the counts of a rule on rows held out must be three pairs, not {shown(item)}.")


def _lesser(one: Tally, other: Tally) -> Tally:
    return Tally(min(one.rows, other.rows), min(one.weight, other.weight))


def _decided(item: object, deciders: Sequence[Value], n_classes: int, whole: Tally) -> Decided | None:
    if item is None:
        return None
    if not isinstance(item, list) or [len(own) if isinstance(own, list) else -1 for own in item] != [n_classes] * len(
        deciders
    ):
        raise ModelFileError(
            f"decided must have a pair for each of the {n_classes} classes, for each of the {len(deciders) - 1} labels "
            f"that have rules and for the default."
        )
    read = tuple((label, tuple(_tally(each, whole) for each in own)) for label, own in zip(deciders, item, strict=True))
    tallies = [each for _, own in read for each in own]
    if sum(each.rows for each in tallies) > whole.rows or sum(each.weight for each in tallies) > whole.weight * ROUNDED:
        raise ModelFileError(f"the rules decide more than all {whole.rows} rows.")
    return read


def _tally(item: object, most: Tally) -> Tally:
    match item:
        case [rows, weight]:
            counted = Tally(_count(rows, most.rows), read_number(weight))
        case _:
            raise ModelFileError(f"a count must be a number of rows and their weight, not {shown(item)}.")
    if not 0 <= counted.weight <= most.weight * ROUNDED or (counted.rows == 0 and counted.weight > 0):
        raise ModelFileError(f"{counted.rows} rows cannot weigh {counted.weight}, if all weigh {most.weight}.")
    return counted


def _count(number: object, most: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= most:
        raise ModelFileError(f"a count must be a whole number from 0 to {most}, not {shown(number)}.")
    return number


def check_fields(item: Mapping[str, Any], fields: frozenset[str] | set[str], what: str) -> None:
    """Refuse an object that has not exactly these fields."""
    if set(item) != set(fields):
        found = ", ".join(map(shown, sorted(item)[:10])) + (", …" if len(item) > 10 else "")
        raise ModelFileError(f"{what} must have exactly the fields {sorted(fields)}, not {found or 'none'}.")


def read_number(number: object) -> float:
    """Read a finite number."""
    # A Boolean is an int to Python, but not a number here.
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ModelFileError(f"a number was expected, not {shown(number)}.")
    try:
        read = float(number)
    except OverflowError:
        read = math.inf
    if not math.isfinite(read):
        raise ModelFileError("a number is too large for a float.")
    return read
