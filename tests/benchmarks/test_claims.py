"""What README, help and docstrings must say of the method, of its figures, and of what a seed promises."""

import json
import re
import statistics
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchmarks.protocol import EXPERIMENTS
from r2n import R2NClassifier
from r2n.cli.app import app

ROOT = Path(__file__).parents[2]


def plain(path: str) -> str:
    """A page with its lines joined."""
    return " ".join((ROOT / path).read_text(encoding="utf-8").split())


def test_the_pages_say_on_what_constants_were_chosen() -> None:
    assert "were chosen while looking at these very seeds and folds" in plain("docs/results.md")
    said = "were chosen while looking at these very seeds of the synthetic rules, and at other folds of the real tables"
    assert said in plain("README.md")
    assert EXPERIMENTS["unseen"]["fold_seed"] != EXPERIMENTS["real"].get("fold_seed", 0)


def test_the_readme_says_how_rules_are_found_and_names_the_teacher() -> None:
    text = plain("README.md")
    how = text[text.index("## How rules are found") : text.index("## On your own table")]
    assert re.findall(r"(\d)\. \*\*", how) == ["1", "2", "3", "4"]
    for words in ("network", "no rules", "gradient boosting", "did not see", "`teacher=False`", "`max_rules`"):
        assert words in how, words
    assert (
        text.index("docs/toy.png")
        < text.index("```pycon")
        < text.index("<!-- table -->")
        < text.index("## Two commands")
    )


def test_wherever_a_seed_promises_the_same_rules_the_machine_is_named() -> None:
    said = " ".join(CliRunner().invoke(app, ["fit", "--help"], env={"COLUMNS": "200"}).output.split())
    assert "The same seed gives the same rules on the same machine" in said
    docstring = " ".join(str(R2NClassifier.__doc__).split())
    assert "Set it to get the same rules again on the same machine with the same packages" in docstring
    assert "give the same rules on the same machine" in plain("README.md")


@pytest.mark.parametrize(
    ("experiment", "method", "table"),
    [
        *(("known", "r2n", f"example {k}") for k in range(1, 6)),
        *(
            ("unseen", method, name)
            for method in ("r2n", "capped")
            for name in ("magic", "heloc", "adult", "adult, test", "house")
        ),
    ],
)
def test_the_readmes_figures_of_r2n_are_the_means_of_the_newest_learners_records(
    experiment: str, method: str, table: str
) -> None:
    """Counted here from the file itself, not by the code that makes the page."""
    lines = (ROOT / "benchmarks/results/evaluation.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    wanted = {"experiment": experiment, "method": method, "table": table}
    cell = [r for r in records if all(r[key] == value for key, value in wanted.items()) and "accuracy" in r]

    def stamp(record: dict[str, Any]) -> Any:
        made = record.get("made_by")
        return (made["source"], made["processor"], made["blas"]) if made else record["versions"].get("revision")

    last = {r["repeat"]: r for r in cell}.values()
    of_one = [r for r in last if stamp(r) == stamp(cell[-1])]
    means = [statistics.fmean(r[key] for r in of_one) for key in ("accuracy", "n_rules", "literals_per_rule") if of_one]
    (shown,) = (
        line for line in (ROOT / "README.md").read_text("utf-8").splitlines() if line.startswith(f"| {table} |")
    )
    expected = f"{means[0]:.4f} · {means[1]:.1f} × {means[2]:.1f}" if means else "—"
    assert shown.split(" | ")[1 + (method == "capped")] == expected
