"""The figures of docs/results.md, from the results: shapes and line styles tell apart what colours do."""

from collections.abc import Callable
from typing import Any

import matplotlib as mpl

from benchmarks.harness.stamp import ROOT
from benchmarks.protocol import EXPERIMENTS, METHODS
from benchmarks.views.summary import Evaluation, mean_front

mpl.use("Agg")
import matplotlib.pyplot as plt

DOCS = ROOT / "docs"
# Okabe and Ito's colours; what is alike in grey has another shape or line.
STYLE = {
    "r2n": ("#000000", "o", "-"),
    "capped": ("#000000", "$○$", "-"),
    "network": ("#0072B2", "s", "--"),
    "search": ("#0072B2", "o", ":"),
    "paper": ("#56B4E9", "D", "-."),
    "drnet": ("#D55E00", "^", ":"),
    "ripper": ("#009E73", "v", ":"),
    "ripper-raw": ("#009E73", "<", ":"),
    "brcg": ("#CC79A7", "P", ":"),
    "tree": ("#E69F00", "X", ":"),
    "oblique-3": ("#882255", "d", ":"),
    "oblique-4": ("#882255", "p", ":"),
    "ydf": ("#332288", "h", ":"),
    "contree": ("#AA8800", "H", ":"),
    "figs": ("#8C6D1F", "*", ":"),
    "mlp": ("#999999", "", "--"),
    "ebm": ("#777777", "", ":"),
    "boosting": ("#444444", "", "-."),
}
SHOWN = 0.12  # of accuracy below the best: the smallest rule sets are left out, or the others could not be told apart


def draw_all(evaluation: Evaluation) -> None:
    """Figure 3, and the fronts."""
    with plt.rc_context({"font.size": 9, "axes.grid": True, "grid.alpha": 0.3}):
        draw_figure_3(evaluation)
        draw_fronts(evaluation)


def draw_figure_3(evaluation: Evaluation) -> None:
    """Accuracy and rules over λ; accuracy over rows and over noise."""
    figure, panels = plt.subplots(2, 2, figsize=(10, 7.6), layout="constrained")
    _curves(panels[0, 0], evaluation, "penalty", "accuracy")
    _curves(panels[0, 1], evaluation, "penalty", "n_rules")
    _curves(panels[1, 0], evaluation, "rows", "accuracy")
    _curves(panels[1, 1], evaluation, "noise", "accuracy", on_noisy_labels)
    for panel in (*panels[0], panels[1, 0]):
        panel.set_xscale("log")
    noise = EXPERIMENTS["noise"]["vary"]["flip"]
    panels[1, 1].plot(noise, [1.0 - share for share in noise], color="#b3261e", linestyle=(0, (6, 3)), linewidth=1.2)
    panels[1, 1].annotate("best possible", (0.15, 0.85), (0.02, 0.75), arrowprops={"arrowstyle": "->"})
    labels = (
        ("λ", "accuracy"),
        ("λ", "rules"),
        ("rows to learn from", "accuracy"),
        ("share of labels turned over", "accuracy on labels as noisy"),
    )
    for panel, (x, y) in zip(panels.flat, labels, strict=True):
        panel.set(xlabel=x, ylabel=y)
    handles, names = panels[1, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=3)
    figure.savefig(DOCS / "figure3.png", dpi=130)
    plt.close(figure)


def on_noisy_labels(flip: float, accuracy: float) -> float:
    """What is to be expected where labels are turned over, of an accuracy on clean ones."""
    return (1.0 - 2.0 * flip) * accuracy + flip


def _as_it_is(value: float, mean: float) -> float:
    return mean


def _curves(
    panel: Any,
    evaluation: Evaluation,
    experiment: str,
    what: str,
    shown: Callable[[float, float], float] = _as_it_is,
) -> None:
    stated = EXPERIMENTS[experiment]
    values = next(iter(stated["vary"].values()))
    for method in stated["methods"]:
        colour, marker, line = STYLE[method]
        for table, filled in zip(stated["tables"], (True, False), strict=True):
            points = [(value, evaluation.of(experiment, table, method, value).mean(what)) for value in values]
            drawn = [(value, shown(value, mean)) for value, mean in points if mean is not None]
            panel.plot(
                *zip(*drawn, strict=True) if drawn else ([], []),
                color=colour,
                marker=marker,
                linestyle=line,
                markerfacecolor=colour if filled else "white",
                label=f"{METHODS[method]['title']}, {table}",
            )


def draw_fronts(evaluation: Evaluation) -> None:
    """For each of the nine tables the front of r2n, and the others as points or lines."""
    tables = [("known", table) for table in EXPERIMENTS["known"]["tables"]]
    tables += [("real", table) for table in ("magic", "heloc", "adult", "house")]
    figure, panels = plt.subplots(3, 3, figsize=(11, 10), layout="constrained")
    for panel, (experiment, table) in zip(panels.flat, tables, strict=True):
        _front(panel, evaluation, experiment, table)
        panel.set(title=table, xscale="log", xlim=(0.8, 2_500))
    for panel in panels[-1]:
        panel.set_xlabel("size: columns mentioned")
    for panel in panels[:, 0]:
        panel.set_ylabel("accuracy on other rows")
    shown = {
        name: handle for panel in panels.flat for handle, name in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    figure.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=4)
    figure.savefig(DOCS / "fronts.png", dpi=120)
    plt.close(figure)


def _front(panel: Any, evaluation: Evaluation, experiment: str, table: str) -> None:
    sizes, accuracies = mean_front(evaluation.of(experiment, table, "r2n").done)
    panel.plot(sizes, accuracies, color="black", marker=".", linewidth=1.2, label="r2n, its front")
    points = []
    for method in EXPERIMENTS[experiment]["methods"]:
        summary = evaluation.of(experiment, table, method)
        accuracy, size = summary.accuracy, summary.mean("size")
        if accuracy is None:
            continue
        colour, marker, line = STYLE[method]
        title = METHODS[method]["title"]
        if size is None:
            panel.axhline(accuracy, color=colour, linestyle=line, linewidth=1.1, label=title)
        else:
            points.append((max(size, 1.0), accuracy, {"color": colour, "marker": marker, "label": title}))
    bottom = max([*accuracies, *(accuracy for _, accuracy, _ in points)], default=1.0) - SHOWN
    for size, accuracy, look in points:
        below = accuracy < bottom
        hollow = {"markerfacecolor": "white", "markersize": 11, "zorder": 2} if look["marker"] == "$○$" else {}
        panel.plot([size], [max(accuracy, bottom)], linestyle="", **{"markersize": 8, "zorder": 3} | look | hollow)
        if below:
            panel.annotate(f"{accuracy:.2f} ↓", (size, bottom), (6, 2), textcoords="offset points", fontsize=7)
    panel.set_ylim(bottom=max(panel.get_ylim()[0], bottom - 0.004))
