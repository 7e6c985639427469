"""What README, help and docstrings must say of the method, of its figures, and of what a seed promises."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from r2n import R2NClassifier
from r2n.cli import app

ROOT = Path(__file__).parents[2]


def plain(path: str) -> str:
    """A page with its lines joined."""
    return " ".join((ROOT / path).read_text(encoding="utf-8").split())


@pytest.mark.parametrize("page", ["README.md", "docs/results.md"])
def test_the_pages_say_that_constants_were_chosen_on_these_folds(page: str) -> None:
    assert "were chosen while looking at these very seeds and folds" in plain(page)


def test_the_readme_says_how_rules_are_found_and_names_the_teacher() -> None:
    text = plain("README.md")
    how = text[text.index("## How rules are found") : text.index("## On your own table")]
    assert re.findall(r"(\d)\. \*\*", how) == ["1", "2", "3", "4"]
    for words in ("network", "no rules", "gradient boosting", "did not see the row", "`teacher=False`", "`max_rules`"):
        assert words in how
    assert (
        text.index("docs/toy.png")
        < text.index("```pycon")
        < text.index("<!-- table -->")
        < text.index("## Two commands")
    )


def test_wherever_a_seed_promises_the_same_rules_the_machine_is_named() -> None:
    said = " ".join(CliRunner().invoke(app, ["fit", "--help"], env={"COLUMNS": "200"}).output.split())
    for text in (said, str(R2NClassifier.__doc__)):
        assert "The same seed gives the same rules on the same machine" in " ".join(text.split())
    assert "give the same rules on the same machine" in plain("README.md")
