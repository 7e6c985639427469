"""What the pages name is there, and what is public is documented."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
import tomllib
import warnings
from collections.abc import Iterator
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpydoc.validate import validate
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from r2n import R2NClassifier, errors
from r2n.errors import R2NWarning
from r2n.learn.alternatives import Alternative, Alternatives
from r2n.learn.fronts import Fronts
from r2n.learn.stability import ConditionCount, Stability
from r2n.learn.tradeoff import OperatingPoint, TradeOff
from r2n.learn.trained import Restart, TrainedNetwork, Weights
from r2n.rewrite.rounding import Rounded

ROOT = Path(__file__).parent.parent
DESIGN = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
DECISIONS = " ".join((ROOT / "docs" / "decisions.md").read_text(encoding="utf-8").split())
COMMANDS = sorted(set(re.findall(r"`(pytest [^`]+)`", DECISIONS)))


def test_the_files_and_rooms_that_the_design_names_are_there() -> None:
    named = re.findall(r"`([a-z_]+/(?:[a-z_]+\.py)?)`", DESIGN)
    assert len(set(named)) > 10
    assert [name for name in named if not (ROOT / "src" / "r2n" / name).exists()] == []


def test_the_names_that_stand_beside_a_file_are_defined_in_it() -> None:
    """`rules/parse.py` (`parse_literal`) says that the function is there."""
    beside = re.findall(r"`([a-z_]+/[a-z_]+\.py)` \(([^)]*)\)", DESIGN)
    assert beside
    for file, names in beside:
        text = (ROOT / "src" / "r2n" / file).read_text(encoding="utf-8")
        for name in re.findall(r"`(?:\w+\.)?(\w+)`", names):
            assert re.search(rf"(def|class) {name}\b|^{name}\b.* = ", text, flags=re.MULTILINE), (file, name)


def test_every_room_has_a_line_in_the_design() -> None:
    rooms = {path.parent.name for path in (ROOT / "src" / "r2n").glob("*/__init__.py")}
    assert {room for room in rooms if f"`{room}/`" not in DESIGN} == set()


def list_tests(file: Path) -> Iterator[tuple[str, bool]]:
    """The tests in a file, and whether only `-m slow` runs them."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name, "pytest.mark.slow" in map(ast.unparse, node.decorator_list)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_tests_that_check_a_decision_are_there(command: str) -> None:
    paths, _, words = command.removeprefix("pytest ").partition(" -k ")
    slow = paths.startswith("-m slow ")
    for path in paths.removeprefix("-m slow ").split():
        files = [ROOT / path] if path.endswith(".py") else sorted((ROOT / path).rglob("test_*.py"))
        names = [name for file in files for name, is_slow in list_tests(file) if is_slow == slow]
        wanted = shlex.split(words)[0].split(" or ") if words else ["test"]
        for word in wanted:
            assert any(word in name for name in names), f"no test of {path} is called {word}"


def test_the_modules_of_benchmarks_that_pages_name_are_there() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    text = " ".join(" ".join(page.read_text(encoding="utf-8").split()) for page in pages)
    for name in set(re.findall(r"python -m benchmarks\.(\w+)", text)):
        assert (ROOT / "benchmarks" / f"{name}.py").exists() or (ROOT / "benchmarks" / name).is_dir(), name


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions are compared with what they print by tests/test_house.py; these blocks print little."""
    monkeypatch.chdir(tmp_path)  # where the model is saved
    rng = np.random.default_rng(0)
    ages, sums = rng.integers(18, 80, 200), rng.uniform(1, 100, (2, 200)).round()
    words = {"region": rng.choice(["north", "west"], 200), "name": [f"n{i % 9}" for i in range(200)]}
    frame = pd.DataFrame({"age": ages, "income": sums[0], "debt": sums[1], **words})
    labels = np.where((sums[0] - 0.5 * sums[1] > 20) | (ages > 70), "yes", "no")
    names: dict[str, Any] = {"frame": frame, "labels": labels, "new_frame": frame[:50], "new_labels": labels[:50]}
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    used, answers, parameters, settings = blocks
    exec(used, names)
    assert names["rules"] == names["m"].rules_
    expert = eval(f"({parameters})", names).set_params(network=None, effort="quick", n_jobs=None)
    assert expert.fit(frame, labels).rules_.n_rules > 0
    names["R2NClassifier"] = partial(R2NClassifier, network=None, effort="quick", random_state=0)
    numbers = make_column_transformer((OrdinalEncoder(), ["region", "name"]), remainder="passthrough")
    names["boosting"] = make_pipeline(numbers, GradientBoostingClassifier(random_state=0)).fit(frame, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", R2NWarning)  # so few rows promise little
        exec(answers, names)
    assert names["m"].fidelity_ > 0.8
    names["R2NClassifier"] = R2NClassifier
    exec(settings, names)
    assert names["m"].network is None


# -- docstrings -------------------------------------------------------------------------------------

PUBLIC_MODULES = (
    "r2n",
    "r2n.datasets",
    "r2n.errors",
    "r2n.explain",
    "r2n.export",
    "r2n.prove",
    "r2n.rules",
    "r2n.table",
)
RETURNED = (
    Rounded,
    Fronts,
    Alternatives,
    OperatingPoint,
    TradeOff,
    Alternative,
    Stability,
    ConditionCount,
    Restart,
    TrainedNetwork,
    Weights,
)  # by the rules' methods, and in fitted models
with (ROOT / "pyproject.toml").open("rb") as file:
    CHECKS = set(tomllib.load(file)["tool"]["numpydoc_validation"]["checks"]) - {"all"}


def members_of(kind: type) -> Iterator[tuple[str, bool]]:
    """The names of a class's own public members, where they are defined; and whether each is called."""
    for name in dir(kind):
        owner = next((base for base in kind.__mro__ if name in vars(base)), object)
        if name.startswith("_") or not owner.__module__.startswith("r2n"):
            continue
        member = inspect.getattr_static(kind, name)
        called = isinstance(member, staticmethod | classmethod) or inspect.isfunction(member)
        if called or isinstance(member, property | cached_property):
            yield f"{owner.__module__}.{owner.__qualname__}.{name}", called


def public_objects() -> dict[str, bool]:
    """Every public class, function and member by its full name; and whether an example is due."""
    found: dict[str, bool] = {}
    exported = [getattr(module, name) for module in map(import_module, PUBLIC_MODULES) for name in module.__all__]
    for thing in (*exported, *RETURNED):
        if not (inspect.isclass(thing) or inspect.isfunction(thing)):
            continue  # a constant, or the name of a type
        own_init = "__init__" in vars(thing) if inspect.isclass(thing) else False
        plain_error = inspect.isclass(thing) and issubclass(thing, Exception) and not own_init
        found[f"{thing.__module__}.{thing.__qualname__}"] = not plain_error
        found |= dict(members_of(thing)) if inspect.isclass(thing) and not plain_error else {}
    return found


PUBLIC = public_objects()


def problems_of(name: str, example: bool) -> list[tuple[str, str]]:
    """What numpydoc finds; a property, or an error that takes a message, is described by its sentences alone."""
    skipped = CHECKS | (set() if example else {"EX01", "PR01", "RT01"})
    return [(code, text) for code, text in validate(name)["errors"] if code not in skipped]


def test_every_public_module_says_what_is_public() -> None:
    for module in map(import_module, PUBLIC_MODULES):
        assert module.__all__
        assert [name for name in module.__all__ if not hasattr(module, name)] == []
    assert len(PUBLIC) > 200


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_the_docstring_is_complete(name: str) -> None:
    """Parameters, Returns or Yields, Examples: in numpydoc's form, in the order of the signature."""
    assert problems_of(name, PUBLIC[name]) == []


def undocumented(first: int, second: int) -> int:
    """Add two numbers.

    Parameters
    ----------
    first : int
        One number.

    Returns
    -------
    int
        The sum.

    Examples
    --------
    >>> 1 + 1
    2
    """
    return first + second


def test_a_parameter_that_a_docstring_leaves_out_is_found() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(errors, "undocumented", undocumented, raising=False)
        found = problems_of("r2n.errors.undocumented", example=True)
    assert [code for code, _ in found] == ["PR01"]
    assert "second" in found[0][1]
