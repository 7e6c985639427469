"""The README's picture: the toy rule of the paper's introduction, as r2n and as RIPPER see it.

python -m benchmarks.toy --again   # draws docs/toy.png anew; appends to results/toy.jsonl
"""

from argparse import Namespace
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd

from benchmarks.fits import learner, share_alike
from benchmarks.harness.benchmark import Benchmark
from benchmarks.harness.case import Case
from benchmarks.harness.command import main
from benchmarks.harness.records import Record
from benchmarks.harness.stamp import ROOT
from benchmarks.methods.baselines import Ripper
from benchmarks.splits import known_rule, sample_rows

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

FIGURE = ROOT / "docs" / "toy.png"


def cases(_: Namespace) -> list[Case]:
    return [Case({"rule": "toy"}, run)]


def run() -> Record:
    """Both learners, and the picture of what they found."""
    rows = sample_rows(known_rule("toy"), 8_000, 2_000, 0)
    X, X_test = (pd.DataFrame(part, columns=["x0", "x1"]) for part in (rows.X, rows.X_test))
    model = learner(random_state=0).fit(X, rows.y)
    ripper = Ripper().fit(X, rows.y)
    counts = {
        "r2n": (model.rules_.n_rules, len(model.rules_.literals)),
        "RIPPER": (len(ripper.rule_lengths()), sum(ripper.rule_lengths())),
    }
    learners: dict[str, Any] = {"r2n": model, "RIPPER": ripper}
    titles = {
        f"{name}: {counted(counts[name][0], 'rule')}, {counted(counts[name][1], 'literal')}\n"
        f"accuracy {share_alike(each.predict(X_test), rows.y_test):.4f}": each
        for name, each in learners.items()
    }
    draw(titles)
    return {"titles": list(titles), "rules": str(model.rules_)}


def draw(learners: dict[str, Any]) -> None:
    """The regions of each learner, under its title, and the true boundary."""
    side = (np.arange(600) + 0.5) / 600
    grid = pd.DataFrame({f"x{k}": part.ravel() for k, part in enumerate(np.meshgrid(side, side))})
    figure, panels = plt.subplots(1, 2, figsize=(8.4, 4.3), sharey=True, layout="constrained")
    for panel, (title, learned) in zip(panels, learners.items(), strict=True):
        region = learned.predict(grid).reshape(600, 600)
        panel.contourf(side, side, region, levels=[-0.5, 0.5, 1.5], colors=["#f2f2f2", "#7fb38a"])
        panel.contour(side, side, region, levels=[0.5], colors="black", linewidths=1.4)
        panel.plot([0.5, 0.5, 1], [0, 0.5, 1], color="#b3261e", linestyle="--", linewidth=1.2)
        panel.set(title=title, xlabel="x0", aspect="equal", xlim=(0, 1), ylim=(0, 1))
    panels[0].set_ylabel("x1")
    handles = [
        Line2D([], [], color="black", linewidth=1.4, label="learned boundary"),
        Line2D([], [], color="#b3261e", linestyle="--", linewidth=1.2, label="true boundary"),
    ]
    panels[0].legend(handles=handles, loc="upper left")
    figure.savefig(FIGURE, dpi=150)


def counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


TOY = Benchmark(name="toy", about=__doc__, key=("rule",), cases=cases, usual={"rule": "toy"})

if __name__ == "__main__":
    main(TOY)
