"""Markdown and LaTeX: what stands in them can be read back, and nothing in a name or category breaks out."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from r2n.errors import ParameterError
from r2n.export import latex, markdown
from r2n.rules import ClassRules, Known, Membership, Rule, RuleSet, rename_columns
from r2n.table import Column, Schema
from tests.export.typed_worlds import decisions
from tests.strategies import ODD_NAMES, any_literals, values

any_decisions = decisions(any_literals, values)


# -- Markdown ---------------------------------------------------------------------------------------


def cells_of(text: str) -> list[list[str]]:
    """The cells of the table, as a reader of Markdown sees them."""
    rows: list[list[str]] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            rows[-1].append("".join(child.content for child in token.children))
    return rows


@settings(deadline=None)
@given(any_decisions)
def test_a_markdown_table_reads_back_as_the_rules(rules: RuleSet | ClassRules) -> None:
    head, *lines, otherwise = cells_of(markdown.write(rules))
    assert head == ["rule", "if", "prediction"]
    assert [line[0] for line in lines] == [str(k + 1) for k in range(rules.n_rules)]
    assert otherwise[:2] == ["", "otherwise"]
    if isinstance(rules, RuleSet) and rules.n_rules:
        assert {label for _, _, label in lines} == {lines[0][2]}
        text = f"{lines[0][2]} if {' or '.join(line[1] for line in lines)} else {otherwise[2]}"
        assert RuleSet.parse(text) == rules
    else:
        assert RuleSet.parse(f"t if {' or '.join(line[1] for line in lines) or 'false'} else f").rules == (
            RuleSet(rules.rules).rules
        )


@pytest.mark.parametrize("name", ["a|b", "`", "``", "a`|`b", "\\|", "|", "*a*", "<b>", "&amp;", " x ", "[a](b)", "\\"])
def test_what_markdown_has_a_use_for_stays_as_it_is(name: str) -> None:
    rules = RuleSet((Rule((Membership(name, (name, "other")), Known(f"{name}!"))),), name, f"not {name}")
    _, (_, condition, label), (*_, default) = cells_of(markdown.write(rules))
    assert RuleSet.parse(f"{label} if {condition} else {default}") == rules


def test_a_title_is_plain_text() -> None:
    text = markdown.write(RuleSet.parse("yes if x > 1 else no"), title="*Who*\n# gets <b>in</b>? `a_b`")
    heading, inline, *_ = MarkdownIt("commonmark").parse(text)
    assert heading.tag == "h1"
    assert "".join(child.content for child in inline.children) == "*Who* # gets <b>in</b>? `a_b`"


def test_ratios_are_printed_where_the_schema_allows_them() -> None:
    schema = Schema((Column("p", "numeric", 0.0, 9.0), Column("q", "numeric", 1.0, 9.0)))
    assert "`p/q > 0.5`" in markdown.write(RuleSet.parse("yes if p - 0.5·q > 0 else no").with_schema(schema))


# -- LaTeX ------------------------------------------------------------------------------------------

UNESCAPED = {escaped: char for char, escaped in latex._ESCAPES.items()}
ESCAPED = re.compile("|".join(map(re.escape, sorted(UNESCAPED, key=len, reverse=True))))


@given(st.text() | st.sampled_from(ODD_NAMES))
def test_no_special_character_is_left_raw(text: str) -> None:
    written = latex.escape(text)
    assert not set(ESCAPED.sub("", written)) & set("\\{}$&#^_~%<>\"'`|-")
    assert ESCAPED.sub(lambda found: UNESCAPED[found[0]], written) == text


WORDS = "begin end text symbol land in notin ge le cdot hline textbackslash textasciicircum textasciitilde textless "
WORDS += "textgreater textbar textquotesingle textasciigrave textperiodcentered"
COMMANDS = {f"\\{word}" for word in [*WORDS.split(), *"[],\\#$%&_{}"]}


@settings(deadline=None)
@given(any_decisions, st.sampled_from(["cases", "table"]))
def test_latex_is_built_of_known_commands(rules: RuleSet | ClassRules, form: str) -> None:
    text = latex.write(rules, form=form)
    assert set(re.findall(r"\\(?:[A-Za-z]+|.)", text)) <= COMMANDS
    bare = re.sub(r"\\(?:[A-Za-z]+|.)", "", text)
    assert bare.count("{") == bare.count("}")
    assert all(char.isprintable() or char == "\n" for char in bare)
    assert text.count("\n") == rules.n_rules + (6 if form == "cases" else 4)
    assert all(line.count("&") - line.count(r"\&") == 1 + (form == "table") for line in lines_of(text))


def lines_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("  ")]


def test_latex_compiles(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no pdflatex here")
    names = [name for name in ODD_NAMES if all(ord(char) < 0x250 for char in name)]
    parts = [latex.write(each, form=form) for each in worlds(names) for form in ("cases", "table")]
    document = "\n\n".join([r"\documentclass{article}\usepackage{amsmath}\begin{document}", *parts, r"\end{document}"])
    (tmp_path / "rules.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "-draftmode", "rules.tex"]
    done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


def worlds(names: list[str]) -> list[Any]:
    rules = RuleSet.parse("yes if x - 2.5e-7·y > 1e22 and z not in {a} and 3·(z in {b}) > 1 else no")
    odd = [rename_columns(rules, {"x": name, "y": f"{name}2", "z": f"{name}3"}) for name in names]
    several = ClassRules.parse('"a&b" if x is missing or true else 3 if x is known and y in {"#"} else True')
    return [*odd, RuleSet(), several]


def test_latex_says_what_is_printed() -> None:
    rules = ClassRules.parse("a if x - 2.5·y < 3 or z in {p, q} else b if x is missing else c")
    assert latex.write(rules, form="table").splitlines() == [
        r"\begin{tabular}{rll}",
        r"  rule & if & prediction \\ \hline",
        r"  1 & $\text{x} - 2.5\,\text{y} < 3$ & $\text{a}$ \\",
        r"  2 & $\text{z} \in \{\text{p}, \text{q}\}$ & $\text{a}$ \\",
        r"  3 & $\text{x} \text{ is missing}$ & $\text{b}$ \\",
        r"   & otherwise & $\text{c}$ \\",
        r"\end{tabular}",
    ]
    assert r"& \text{or } \text{z} \in" in latex.write(rules)
    with pytest.raises(ParameterError, match="form must be one of"):
        latex.write(rules, form="poem")
