"""The page about teachers, groups and new rows shows what is really said."""

import doctest
import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "groups.md").read_text(encoding="utf-8")


def test_the_sessions_run_as_printed() -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    session = "\n".join(re.findall(r"```pycon\n(.*?)```", PAGE, flags=re.DOTALL))
    report: list[str] = []
    runner.run(doctest.DocTestParser().get_doctest(session, {}, "groups.md", "groups.md", 0), out=report.append)
    assert runner.tries > 10
    assert runner.failures == 0, "".join(report)


def test_the_table_shows_the_records() -> None:
    lines = (ROOT / "benchmarks" / "results" / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    records = [r for r in map(json.loads, lines) if r["task"] == "gap" and r["seed"] == 2027]
    found = {(r["fold"], r["most"]): (r["gap"], r["accuracy"]) for r in records}  # of each the newest
    rows = [
        list(map(float, row)) for row in re.findall(r"^\| (\d) \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", PAGE, re.M)
    ]
    assert len(rows) == 5
    for fold, *shown in rows:
        (gap, accuracy), (bounded, cost) = found[fold, None], found[fold, 0.08]
        assert [f"{each:.3f}" for each in shown] == [f"{each:.3f}" for each in (gap, bounded, accuracy, cost)]
        assert bounded < 0.08
