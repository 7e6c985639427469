"""LaTeX: the rules as a formula by cases, or as a table with a line for each rule. Needs the package amsmath.

Names of other alphabets than Latin need an engine that has them (XeLaTeX or LuaLaTeX, and a font).
"""

from __future__ import annotations

from collections.abc import Callable

from r2n.errors import ParameterError
from r2n.export._typed import cases
from r2n.rules import ClassRules, Filled, Halfspace, Key, Known, Literal, Membership, Missing, Rule, RuleSet
from r2n.rules.terms import Terms
from r2n.rules.text import join_signed, split_number, write_name, write_value
from r2n.table import Value
from r2n.table.cells import shown

SUFFIX = ".tex"
HELP = {
    "form": "cases (a formula) or table",
    "prediction": "what the label is called",
}

# What TeX takes for more than itself, or (after it) for part of a ligature.
_ESCAPES = {char: f"\\{char}" for char in "#$%&_{}"} | {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "-": "{-}",
    "·": r"\textperiodcentered{}",
}
_RELATIONS = {">": ">", "<": "<", ">=": r"\ge", "<=": r"\le"}


def write(rules: RuleSet | ClassRules, *, form: str = "cases", prediction: str = "prediction") -> str:
    r"""The rules as a formula (`form="cases"`) or as a table (`form="table"`), to be put into a document.

    >>> print(write(RuleSet.parse("yes if income - 2.1·debt > 12.5 and region in {north} else no")), end="")
    \[
    \text{prediction} =
    \begin{cases}
      \text{yes} & \text{if } \text{income} - 2.1\,\text{debt} > 12.5 \land \text{region} \in \{\text{north}\} \\
      \text{no} & \text{otherwise}
    \end{cases}
    \]
    """
    forms: dict[str, Callable[[RuleSet | ClassRules, str], list[str]]] = {"cases": _cases, "table": _table}
    if form not in forms:
        raise ParameterError(f"form must be one of {sorted(forms)}, not {shown(form)}.")
    return "\n".join(forms[form](rules, prediction)) + "\n"


def _cases(rules: RuleSet | ClassRules, prediction: str) -> list[str]:
    lines, said = [], None
    for case in cases(rules):
        # The label stands at its first rule; the others are joined to it by "or".
        start = rf"{value(case.label)} & \text{{if }}" if case.label != said else r" & \text{or }"
        lines.append(f"  {start} {rule(case.rule)} \\\\")
        said = case.label
    lines.append(rf"  {value(rules.default)} & \text{{otherwise}}")
    return [r"\[", rf"\text{{{escape(prediction)}}} =", r"\begin{cases}", *lines, r"\end{cases}", r"\]"]


def _table(rules: RuleSet | ClassRules, prediction: str) -> list[str]:
    lines = [rf"rule & if & {escape(prediction)} \\ \hline"]
    lines += [rf"{case.number} & ${rule(case.rule)}$ & ${value(case.label)}$ \\" for case in cases(rules)]
    lines.append(rf" & otherwise & ${value(rules.default)}$ \\")
    return [r"\begin{tabular}{rll}", *(f"  {line}" for line in lines), r"\end{tabular}"]


# -- rules ------------------------------------------------------------------------------------------


def rule(conjunction: Rule) -> str:
    """Write a conjunction, in mathematics."""
    return r" \land ".join(map(_literal, conjunction.literals)) or r"\text{true}"


def _literal(literal: Literal) -> str:
    match literal:
        case Halfspace():
            read = literal.comparison()
            return f"{_sum(read.terms)} {_RELATIONS[read.operator]} {number(read.bound)}"
        case Membership(column, values, negated):
            relation = r"\notin" if negated else r"\in"
            return rf"{name(column)} {relation} \{{{', '.join(map(value, values))}\}}"
        case Missing(column):
            return rf"{name(column)} \text{{ is missing}}"
        case Known(column):
            return rf"{name(column)} \text{{ is known}}"


def _sum(terms: Terms) -> str:
    return join_signed((a < 0.0, _product(key, abs(a))) for key, a in terms)


def _product(key: Key, a: float) -> str:
    """Write a term; a set in Iverson's brackets, which are 1 where it holds and else 0."""
    match key:
        case str():
            factor = name(key)
        case Filled(column, fill):
            factor = rf"({name(column)} \text{{ if known else }} {number(fill)})"
        case Membership():
            factor = f"[{_literal(key)}]"
    return factor if a == 1.0 else rf"{number(a)}\,{factor}"


def number(value: float) -> str:
    r"""Write a number, with its power of ten as one.

    >>> print(number(-0.25), number(1e22), number(2.5e-7))
    -0.25 10^{22} 2.5 \cdot 10^{-7}
    """
    mantissa, exponent = split_number(value)
    if exponent is None:
        return mantissa
    power = f"10^{{{exponent}}}"
    return {"1": power, "-1": f"-{power}"}.get(mantissa, rf"{mantissa} \cdot {power}")


def name(column: str) -> str:
    """Write a column's name; quote it as a printed rule does if it is empty or has what cannot be shown."""
    return rf"\text{{{escape(column if column.strip() and column.isprintable() else write_name(column))}}}"


def value(category: Value) -> str:
    """Write a category or label, quoted as in a printed rule where its type would not be seen."""
    return rf"\text{{{escape(write_value(category))}}}"


def escape(text: str) -> str:
    r"""Escape text so that TeX shows it as it is.

    >>> print(escape("50% of a_b"))
    50\% of a\_b
    """
    return "".join(_ESCAPES.get(char, char) for char in text)
