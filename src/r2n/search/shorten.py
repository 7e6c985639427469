"""Numbers as short as can be, without another prediction on any row."""

from __future__ import annotations

from collections.abc import Sequence

from r2n.rewrite.shorten import round_predictions
from r2n.rewrite.simplify import simplify
from r2n.rewrite.untie import untied, with_shorter_sets
from r2n.rules import NOTHING, Knowledge, RuleSet
from r2n.search.clock import is_past
from r2n.search.front import Front
from r2n.search.plan import Plan
from r2n.table import Table


def with_short_numbers(
    rules: RuleSet, table: Table, knowledge: Knowledge = NOTHING, most_literals: int | None = None
) -> RuleSet:
    """The same on every row of the table, as short as can be; what an expert gave stays, and what is forbidden."""
    learned = simplify(rules.with_rules(set(rules.rules) - set(knowledge.fixed)))
    given = frozenset(knowledge.literals)
    plain = with_shorter_sets(untied(learned, table, most_literals, given), given)
    short = simplify(round_predictions(plain, table, given))
    kept = short if all(map(knowledge.permits_rule, short.rules)) else learned
    return rules.with_rules((*knowledge.fixed, *kept.rules))


def shorten_points(front: Front, chosen: int, table: Table, plan: Plan) -> tuple[RuleSet, ...]:
    """The rules of every point with short numbers; if time is short, those near the one chosen."""
    short = [point.rules for point in front]
    for i in sorted(range(len(short)), key=lambda i: abs(i - chosen)):
        if not is_past(plan.clock.shorten):
            short[i] = with_short_numbers(short[i], table, plan.knowledge, plan.caps.literals)
    return tuple(short)


def drop_matched(front: Front, chosen: int, short: Sequence[RuleSet]) -> tuple[Front, int, tuple[RuleSet, ...]]:
    """Drop points that a later one, which errs less, matches in size now that it is short; the choice stays."""
    sizes = [rules.size for rules in short]
    kept = [i for i, size in enumerate(sizes) if i == chosen or size < min(sizes[i + 1 :], default=size + 1)]
    return Front(tuple(front[i] for i in kept)), kept.index(chosen), tuple(short[i] for i in kept)
