"""The README's picture: the toy rule of the paper's introduction, as r2n and as RIPPER see it.

python -m benchmarks.toy    # writes docs/toy.png
"""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd

from benchmarks.baselines import Ripper
from benchmarks.records import append
from benchmarks.summary import share_alike
from r2n import R2NClassifier
from r2n.datasets import toy

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

FIGURE = Path(__file__).parent.parent / "docs" / "toy.png"


def main() -> None:
    numbers, y = toy().sample(10_000, random_state=0)
    X = pd.DataFrame(numbers, columns=["x0", "x1"])
    model = R2NClassifier(random_state=0).fit(X[:8_000], y[:8_000])
    ripper = Ripper().fit(X[:8_000], y[:8_000])
    side = (np.arange(600) + 0.5) / 600
    grid = pd.DataFrame({f"x{k}": part.ravel() for k, part in enumerate(np.meshgrid(side, side))})
    assert ripper.n_rules is not None
    assert ripper.literals_per_rule is not None
    titles = (
        f"r2n: {counted(model.rules_.n_rules, 'rule')}, {len(model.rules_.literals)} literals",
        f"RIPPER: {counted(ripper.n_rules, 'rule')}, {round(ripper.n_rules * ripper.literals_per_rule)} literals",
    )
    figure, panels = plt.subplots(1, 2, figsize=(8.4, 4.3), sharey=True, layout="constrained")
    learners: tuple[Any, ...] = (model, ripper)
    for panel, learner, title in zip(panels, learners, titles, strict=True):
        region = learner.predict(grid).reshape(600, 600)
        panel.contourf(side, side, region, levels=[-0.5, 0.5, 1.5], colors=["#f2f2f2", "#7fb38a"])
        panel.contour(side, side, region, levels=[0.5], colors="black", linewidths=1.4)
        panel.plot([0.5, 0.5, 1], [0, 0.5, 1], color="#b3261e", linestyle="--", linewidth=1.2)
        accuracy = share_alike(learner.predict(X[8_000:]), y[8_000:])
        panel.set(title=f"{title}\naccuracy {accuracy:.4f}", xlabel="x0", aspect="equal", xlim=(0, 1), ylim=(0, 1))
    panels[0].set_ylabel("x1")
    handles = [
        Line2D([], [], color="black", linewidth=1.4, label="learned boundary"),
        Line2D([], [], color="#b3261e", linestyle="--", linewidth=1.2, label="true boundary"),
    ]
    panels[0].legend(handles=handles, loc="upper left")
    figure.savefig(FIGURE, dpi=150)
    append("toy", {"titles": [panel.get_title() for panel in panels], "rules": str(model.rules_)})
    print(f"{FIGURE.name}: {titles}\n{model.rules_}")


def counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


if __name__ == "__main__":
    main()
