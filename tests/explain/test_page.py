"""The page about explanations shows what is really said."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from r2n.cli.app import app
from r2n.rules import Baseline, RuleSet
from r2n.table import Schema

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "explain.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["explain.md", "levels.md"])
def test_the_sessions_run_as_printed(page: str) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    session = "\n".join(re.findall(r"```pycon\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), flags=re.DOTALL))
    report: list[str] = []
    runner.run(doctest.DocTestParser().get_doctest(session, {}, page, page, 0), out=report.append)
    assert runner.tries > 10
    assert runner.failures == 0, "".join(report)


def test_the_commands_say_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    then = pd.DataFrame(
        {"income": [20, 30, 12, 40, 25, 11], "debt": [5, 8, 1, 12, 9, 2], "savings": [1, 2, 41, 8, 45, 9]}
    )
    schema, _ = Schema.learn(then)
    rules = RuleSet.parse("yes if income - 2·debt > 12.5 or savings > 40 else no", schema)
    rules.with_baseline(Baseline.count(rules, then, rules.predict(then))).save("model.json")
    rules.without(2).with_rule("savings > 50").save("edited.json")
    later = pd.DataFrame(
        {"income": [30, 30, 12, 40, 25, 11], "debt": [5, 8, 1, 12, 9, 2], "savings": [1, 2, 45, 60, 55, 9]}
    )
    later.assign(paid=["yes", "yes", "no", "yes", "yes", "no"]).to_csv("later.csv", index=False)
    (console,) = re.findall(r"```console\n(.*?)```", PAGE, flags=re.DOTALL)
    parts = re.split(r"^\$ r2n (.*)\n", console, flags=re.MULTILINE)[1:]
    for command, said in zip(parts[::2], parts[1::2], strict=True):
        done = CliRunner().invoke(app, shlex.split(command), catch_exceptions=False)
        assert done.stdout == said
    assert len(parts) == 6
