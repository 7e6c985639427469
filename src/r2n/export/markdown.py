"""Markdown: a table with a line for each rule, as GitHub and most others show it.

Rules and labels are in code spans, written as they are printed, so that they can be read back.
"""

from __future__ import annotations

import re

from r2n.export._typed import cases
from r2n.rules import ClassRules, RuleSet
from r2n.rules.text import write_value

SUFFIX = ".md"
HELP = {
    "title": "a heading above the table",
}


def write(rules: RuleSet | ClassRules, *, title: str = "") -> str:
    """A table of the rules in the order in which they are asked, under a title if one is given.

    >>> print(write(RuleSet.parse("yes if income - 2.1·debt > 12.5 and region in {north} or x > 3 else no")), end="")
    | rule | if | prediction |
    |-----:|:---|:-----------|
    | 1 | `x > 3` | `yes` |
    | 2 | `income - 2.1·debt > 12.5` **and** `region in {north}` | `yes` |
    |   | otherwise | `no` |
    """
    lines = [f"# {_plain(title)}", ""] if title else []
    lines += ["| rule | if | prediction |", "|-----:|:---|:-----------|"]
    for case in cases(rules):
        literals = [_code(literal.text(rules.schema)) for literal in case.rule.literals]
        condition = " **and** ".join(literals) or _code("true")
        lines.append(f"| {case.number} | {condition} | {_code(write_value(case.label))} |")
    lines.append(f"|   | otherwise | {_code(write_value(rules.default))} |")
    return "\n".join(lines) + "\n"


def _code(text: str) -> str:
    """Write a code span in a table's cell: in more backticks than the text has in a row, and with | escaped."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")


def _plain(text: str) -> str:
    """Write text on one line, with nothing in it that Markdown would take for more."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~&$])", r"\\\1", " ".join(text.split()))
