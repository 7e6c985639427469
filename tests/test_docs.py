"""What the pages name is there: files of the tree, and tests that check a decision."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("command", COMMANDS)
def test_the_tests_that_check_a_decision_are_there(command: str) -> None:
    paths, _, words = command.removeprefix("pytest ").partition(" -k ")
    for path in paths.split():
        files = [ROOT / path] if path.endswith(".py") else sorted((ROOT / path).rglob("test_*.py"))
        names = [name for file in files for name in re.findall(r"def (test_\w+)", file.read_text(encoding="utf-8"))]
        wanted = shlex.split(words)[0].split(" or ") if words else ["test"]
        for word in wanted:
            assert any(word in name for name in names), f"no test of {path} is called {word}"


def test_the_modules_of_benchmarks_that_pages_name_are_there() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    text = " ".join(" ".join(page.read_text(encoding="utf-8").split()) for page in pages)
    for name in set(re.findall(r"python -m benchmarks\.(\w+)", text)):
        assert (ROOT / "benchmarks" / f"{name}.py").exists() or (ROOT / "benchmarks" / name).is_dir(), name
