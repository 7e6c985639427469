"""Whether the r2n of another source tree learns the same to the letter, and what each takes.

    python -m benchmarks.same OLD_TREE         # examples 1-5, a noisy table, iris
    python -m benchmarks.same OLD_TREE --big   # and one fold each of Magic and Adult

Each tree's r2n fits in a process of its own, from the same seeds, by one process and one thread. Rules, front,
predictions and probabilities are compared. Ends with 1 if one differs. Records nothing. Of the learner's parameters
only `random_state` and `n_jobs` are set: other ones may have other names there.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness.benchmark import Choice
from benchmarks.harness.clock import watch
from benchmarks.harness.command import parser_with
from benchmarks.harness.records import Record
from benchmarks.harness.stamp import PACKAGE
from benchmarks.splits import Split, fold_of, known_rule, sample_apart, sample_rows
from benchmarks.trees import environment_of, make_learner

COMPARED = ("rules", "front", "predictions", "probabilities")
INSIDE = "R2N_SAME_CASES"  # set for the processes that fit: which cases


# -- what is fitted ------------------------------------------------------------------------------------


def known(number: int) -> Split:
    return sample_rows(known_rule(f"example {number}"), 1_500, 500, number)


def noisy() -> Split:
    return sample_apart(known_rule("example 4"), 1_200, 500, (9, 10), flip=0.1)


def iris() -> Split:
    """Three classes, all rows."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True, as_frame=True)
    return Split(X, y, X, y)


SMALL: dict[str, Callable[[], Split]] = {
    **{f"example {number}": partial(known, number) for number in range(1, 6)},
    "example 4, 10% flipped": noisy,
    "iris": iris,
}
BIG = {name: partial(fold_of, name, 5, 0) for name in ("magic", "adult")}


def learned(rows: Split) -> Record:
    """All that is compared, and what it took."""
    model = make_learner(0)
    with watch() as spent:
        model.fit(rows.X, rows.y)
    fronts: Any = model.front_
    points = [point for front in fronts.values() for point in front] if isinstance(fronts, Mapping) else fronts
    return {
        "rules": str(model.rules_),
        "front": sorted(str(point.rules) for point in points),
        "predictions": digest(model.predict(rows.X_test)),
        "probabilities": digest(model.predict_proba(rows.X_test)),
        "cpu": round(spent.cpu, 2),
    }


def digest(values: Any) -> str:
    """A hash of an array: of each number all digits."""
    return hashlib.sha256(json.dumps(np.asarray(values).tolist()).encode()).hexdigest()


# -- two trees -----------------------------------------------------------------------------------------


def learn_in(package: Path, names: list[str]) -> subprocess.Popen[str]:
    """A process that fits with the r2n that lies in this folder, and prints a line for each case."""
    env = environment_of(package) | {INSIDE: json.dumps(names)}
    return subprocess.Popen([sys.executable, "-m", "benchmarks.same"], env=env, stdout=subprocess.PIPE, text=True)


def records_of(package: Path, names: list[str]) -> Iterator[Record]:
    """Case by case, what that r2n learned."""
    with learn_in(package, names) as process:
        assert process.stdout is not None
        yield from map(json.loads, process.stdout)
    if process.returncode:
        raise SystemExit(f"the fits with {package} ended with exit code {process.returncode}.")


def print_learned(names: list[str]) -> None:
    """Inside such a process: the fits, a line each."""
    import warnings

    warnings.simplefilter("ignore")  # constants, say: both trees warn, and what they learn is compared
    for name in names:
        print(json.dumps({"r2n": str(PACKAGE), **learned((SMALL | BIG)[name]())}), flush=True)


def compare(old: Path, names: list[str]) -> int:
    """Say of each case whether both learn the same; 1 if one does not."""
    differing = 0
    cpu = np.zeros(2)
    print(f"old: {old}\nnew: {PACKAGE}\n\n| case | CPU s, old | new | differs in |\n|---|---|---|---|")
    both = zip(names, records_of(old, names), records_of(PACKAGE, names), strict=True)
    for name, before, now in both:
        if Path(before["r2n"]) != old:
            raise SystemExit(f"r2n was imported from {before['r2n']}, not from {old}.")
        found = [what for what in COMPARED if before[what] != now[what]]
        differing += bool(found)
        cpu += before["cpu"], now["cpu"]
        print(f"| {name} | {before['cpu']:.1f} | {now['cpu']:.1f} | {', '.join(found)} |", flush=True)
    print(f"\n{differing} of {len(names)} cases differ. {cpu[0]:.1f} s of CPU, and now {cpu[1]:.1f} s.")
    return 1 if differing else 0


def main() -> None:
    if INSIDE in os.environ:
        print_learned(json.loads(os.environ[INSIDE]))
        return
    choices = (
        Choice("tree", "the other source tree: a folder with src/r2n", many=False),
        Choice("--big", "one fold each of Magic and Adult, too", of=bool),
        Choice("--only", "cases", tuple(SMALL | BIG)),
    )
    parser = parser_with("same", __doc__, choices)
    chosen = parser.parse_args()
    package = (Path(chosen.tree or "") / "src" / "r2n").resolve()
    if chosen.tree is None or not (package / "__init__.py").exists():
        parser.error(f"{chosen.tree} holds no src/r2n: name the root of another source tree of r2n")
    raise SystemExit(compare(package, chosen.only or [*SMALL, *(BIG if chosen.big else ())]))


if __name__ == "__main__":
    main()
