"""The page about how sure a model is shows what is really said."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "sure.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_sessions_run_as_printed() -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    session = "\n".join(re.findall(r"```pycon\n(.*?)```", PAGE, flags=re.DOTALL))
    report: list[str] = []
    runner.run(doctest.DocTestParser().get_doctest(session, {}, "sure.md", "sure.md", 0), out=report.append)
    assert runner.tries > 10
    assert runner.failures == 0, "".join(report)
