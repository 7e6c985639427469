"""The page about costs shows what is really found."""

import doctest
import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "costs.md").read_text(encoding="utf-8")


def test_the_sessions_run_as_printed() -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    session = "\n".join(re.findall(r"```pycon\n(.*?)```", PAGE, flags=re.DOTALL))
    report: list[str] = []
    runner.run(doctest.DocTestParser().get_doctest(session, {}, "costs.md", "costs.md", 0), out=report.append)
    assert runner.tries > 10
    assert runner.failures == 0, "".join(report)
