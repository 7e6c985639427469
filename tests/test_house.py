"""The structure of the house: who imports whom, what is public, what stays light, what the README shows."""

import ast
import doctest
import json
import math
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

import r2n

ROOT = Path(__file__).parent.parent
SOURCE = Path(r2n.__file__).parent

# Only from lower rungs; modules on one rung do not see each other.
RUNGS = (
    {"errors", "words"},
    {"runtime"},
    {"table"},
    {"network", "rules"},
    {"rewrite"},
    {"datasets", "prove", "search"},
    {"explain", "export", "learn"},
    {"estimator", "presets"},
    {"cli"},
)
HEIGHT = {room: height for height, rooms in enumerate(RUNGS) for room in rooms}
FACADE = SOURCE / "rules" / "facade.py"  # methods of models that load what they need when they are called

MOST_LINES, MOST_LINES_OF_FUNCTION = 350, 45  # of a module as it stands; of a function without its docstring


def files() -> list[Path]:
    return [path for path in sorted(SOURCE.rglob("*.py")) if path != SOURCE / "__init__.py"]


def module_of(path: Path) -> str:
    parts = ["r2n", *path.relative_to(SOURCE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    return module.split(".")[1]


def without_type_checking(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node, of functions too, except what only a type checker reads."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"):
            yield node
            yield from without_type_checking(node)


def imports_of(path: Path) -> set[str]:
    """The r2n modules that a file imports, anywhere in it, as far down as they are named."""
    found = set()
    for node in without_type_checking(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "r2n":
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                found.add(name if name in MODULES or node.module == "r2n" else str(node.module))
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("r2n.")}
    return found


MODULES = {module_of(path): path for path in files()}


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_modules_import_only_from_lower_rungs(path: Path) -> None:
    room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    assert room in HEIGHT, f"{room} has no rung: put it on the ladder"
    public = {f"r2n.{name}" for name in r2n.__all__}
    for module in imports_of(path) - public if path != FACADE else ():
        other = room_of(module)
        assert other == room or HEIGHT[other] < HEIGHT[room], f"{room} must not import {module}"


def test_every_rung_is_a_room() -> None:
    rooms = {path.relative_to(SOURCE).parts[0].removesuffix(".py") for path in files()}
    assert rooms == set(HEIGHT)


def cycles_in(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Modules that lead back to themselves, each group once."""

    def reachable(start: str) -> set[str]:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            for module in graph.get(waiting.pop(), ()):
                if module not in seen:
                    seen.add(module)
                    waiting.append(module)
        return seen

    reach = {module: reachable(module) for module in graph}
    groups = {frozenset(b for b in reach[a] if a in reach.get(b, ())) for a in graph if a in reach[a]}
    return sorted(map(sorted, groups))


def test_no_modules_import_each_other_lazily_or_not() -> None:
    """A room's own modules import each other, not the room: its `__init__` only collects names for others."""
    graph = {module: imports_of(path) & set(MODULES) for module, path in MODULES.items() if path != FACADE}
    assert cycles_in(graph) == []


def test_a_cycle_is_found() -> None:
    assert cycles_in({"a": ["b"], "b": ["c"], "c": ["b"], "d": ["a"]}) == [["b", "c"]]


def lines_of(node: ast.AST) -> int:
    return (getattr(node, "end_lineno", 0) or 0) - getattr(node, "lineno", 0) + 1


def docstring_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return lines_of(function.body[0]) if ast.get_docstring(function, clean=False) is not None else 0


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_modules_and_functions_are_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    lengths = [(node.name, lines_of(node) - docstring_lines(node)) for node in functions]
    assert [(name, lines) for name, lines in lengths if lines > MOST_LINES_OF_FUNCTION] == []


def test_no_two_classes_share_a_name() -> None:
    places: dict[str, list[str]] = {}
    for path in files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(str(path.relative_to(SOURCE)))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


# Against rounding, or the limit of a number's format: not chosen by trying.
TOLERANCES = {
    "descent.py": {"LEAST_GAIN"},
    "columns.py": {"LARGEST"},
    "problem.py": {"COST_BITS"},
    "logistic.py": {"FARTHEST", "LEAST", "LEAST_RIDGE", "LAST_RIDGE", "SMALL_STEP"},
}


def constants_of(tree: ast.Module) -> set[str]:
    """The names that a module gives, outside of functions and classes, to values in which a number is written."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            written = [each.value for each in ast.walk(node.value) if isinstance(each, ast.Constant)]
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(type(value) in (int, float) for value in written):
                found |= {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    return found


def test_constants_are_found() -> None:
    tree = ast.parse("A: int = 2**24\nB, C = (1, -2.5)\nD = {'x': f(3)}\nE = 'four'\nF = True\ndef g(): H = 5")
    assert constants_of(tree) == {"A", "B", "C", "D"}


@pytest.mark.parametrize("path", sorted((SOURCE / "search").glob("*.py")), ids=lambda path: path.name)
def test_the_constants_of_the_search_stand_in_its_plan(path: Path) -> None:
    found = constants_of(ast.parse(path.read_text(encoding="utf-8")))
    assert path.name == "plan.py" or found == TOLERANCES.get(path.name, set())


def kernels_in(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    return {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and "compiled" in map(ast.unparse, node.decorator_list)
    }


@pytest.mark.parametrize("path", sorted((SOURCE / "search").glob("*.py")), ids=lambda path: path.name)
def test_a_kernel_reads_nothing_of_other_files(path: Path) -> None:
    """Kept machine code does not notice when they change."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("r2n")
        for alias in node.names
    }
    for name, kernel in kernels_in(tree).items():
        read = {each.id for statement in kernel.body for each in ast.walk(statement) if isinstance(each, ast.Name)}
        assert not read & imported, name


def test_every_constant_of_the_plan_names_its_benchmark() -> None:
    """In the comment beside it or in those above it; or says that there is none."""
    benchmarks = "".join(
        (ROOT / "benchmarks" / f"{name}.py").read_text(encoding="utf-8") for name in ("refine", "answers")
    )
    lines = (SOURCE / "search" / "plan.py").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if re.match(r"[A-Z][A-Z_, ]+ = ", line):
            above = number
            while lines[above - 1].startswith("#"):
                above -= 1
            comment = " ".join(lines[above : number + 1])
            named = re.findall(r"\b((?:refine|answers) \w+)", comment)
            assert named or "no benchmark" in comment.lower(), line
            assert all(f"{each} " in benchmarks for each in named), line


def test_the_package_names_of_the_top_are_for_the_command_line_alone() -> None:
    public = {f"r2n.{name}" for name in r2n.__all__}
    using = {path.name for path in files() if imports_of(path) & public}
    assert using <= {"app.py"}


def test_public_names() -> None:
    assert r2n.__all__ == ["LevelRules", "NetworkSettings", "R2NClassifier", "RuleSet", "__version__", "load"]
    for name in r2n.__all__:
        assert getattr(r2n, name) is not None
        assert name in dir(r2n)
    with pytest.raises(AttributeError, match="no attribute 'R2N'"):
        r2n.R2N  # noqa: B018


def loaded_after(code: str) -> set[str]:
    """The top-level packages that a fresh interpreter has loaded after running the code."""
    script = f"import sys, json\n{code}\nprint(json.dumps(sorted({{name.split('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


HEAVY = {"jax", "optax", "sklearn", "scipy", "pandas", "narwhals", "rich", "typer", "pyarrow"}


def test_importing_r2n_loads_numpy_alone() -> None:
    assert loaded_after("import r2n") & HEAVY == set()


def test_loading_and_predicting_needs_numpy_alone(tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    r2n.RuleSet.parse("yes if x0 - 2·x1 > 0 and c in {a} else no").save(model)
    code = f"import r2n\nr2n.load({str(model)!r}).predict({{'x0': [1.0], 'x1': [0.1], 'c': ['a']}})"
    assert loaded_after(code) & HEAVY == set()


def test_probabilities_of_a_saved_model_need_numpy_alone(tmp_path: Path) -> None:
    rules = r2n.RuleSet.parse("yes if x0 - 2·x1 > 0 and c in {a} else no")
    X = {"x0": [1.0, 0.0], "x1": [0.1, 1.0], "c": ["a", "b"]}
    rules.counted(X, ["yes", "no"], [2.5, 1.0]).save(tmp_path / "model.json")
    code = f"import r2n\nprint(r2n.load({str(tmp_path / 'model.json')!r}).predict_proba({X!r}).shape)"
    assert loaded_after(code) & (HEAVY | {"polars"}) == set()


def test_risk_levels_of_a_saved_model_need_numpy_alone(tmp_path: Path) -> None:
    rules = r2n.LevelRules.parse("high 60 % if x0 - 2·x1 > 0 and c in {a} low 5 % else yes from 50 %, else no")
    rules.save(tmp_path / "model.json")
    code = f"import r2n\nrules = r2n.load({str(tmp_path / 'model.json')!r})\n"
    code += "X = {'x0': [1.0], 'x1': [0.1], 'c': ['a']}\n"
    code += "print(rules, rules.predict(X), rules.predict_level(X), rules.predict_proba(X), rules.at(0.1).predict(X))"
    assert loaded_after(code) & (HEAVY | {"polars"}) == set()


def test_the_readme_session_runs_as_printed() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    sessions = re.findall(r"```pycon\n(.*?)```", text, flags=re.DOTALL)
    assert sessions, "the README must show a session"
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    names: dict[str, object] = {}
    for number, session in enumerate(sessions):
        test = doctest.DocTestParser().get_doctest(session, names, f"README session {number}", "README.md", 0)
        report: list[str] = []
        runner.run(test, out=report.append, clear_globs=False)
        names |= test.globs
        assert runner.failures == 0, "".join(report)
    assert runner.tries > 0


def test_the_readme_names_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "pip install . && r2n demo" in text
    assert 'pip install ".[test]" && python -m pytest' in text


def test_links_between_documents_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_files_are_written_in_one_place() -> None:
    """Whole or not at all: by `outputs`. Workbooks and Parquet are made in memory."""
    writers = {"write_text", "write_bytes", "touch", "savefig", "to_csv"}
    for path in files():
        if path.name in ("outputs.py", "store.py"):  # the store of programs bounds and repairs its own folder
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            given = [*node.args[:2], *(each.value for each in node.keywords if each.arg == "mode")]
            modes = {each.value for each in given if isinstance(each, ast.Constant)}
            opens = name == "open" and any(isinstance(mode, str) and set(mode) & set("wax+") for mode in modes)
            formats = path.name == "commands.py" and name == "write_text"  # click's, which formats a help page
            assert formats or not (opens or name in writers), f"{path.name}, line {node.lineno}"


FORBIDDEN = {"eval", "exec", "compile", "__import__", "pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle"}


@pytest.mark.parametrize("path", [*files(), SOURCE / "__init__.py"], ids=lambda path: str(path.relative_to(SOURCE)))
def test_nothing_is_evaluated_or_unpickled(path: Path) -> None:
    """Names that are called, and modules that are imported: text is data, never code."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: set[str] = set()
        if isinstance(node, ast.Name):
            names = {node.id}
        elif isinstance(node, ast.Import):
            names = {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {(node.module or "").split(".")[0], *(alias.name for alias in node.names)}
        assert not names & FORBIDDEN, f"line {node.lineno}"  # type: ignore[attr-defined]


def test_the_presets_are_parameters() -> None:
    from r2n import presets

    known = set(r2n.R2NClassifier().get_params(deep=False))
    for preset in (presets.PAPER_SYNTHETIC, presets.PAPER_REAL, presets.PUBLISHED_SYNTHETIC, presets.PUBLISHED_REAL):
        network = preset["network"]
        assert set(preset) <= known
        assert r2n.R2NClassifier(**preset).network is network
        assert (network.n_literals, network.n_rules) == (10, 25)
        assert preset["max_columns"] is None  # the paper bounds nothing
        assert (network.batch_size, network.gamma, network.learning_rate) == (100, 0.995, 1e-3)
    for paper, published in (
        (presets.PAPER_SYNTHETIC["network"], presets.PUBLISHED_SYNTHETIC["network"]),
        (presets.PAPER_REAL["network"], presets.PUBLISHED_REAL["network"]),
    ):
        assert paper.epochs * paper.restarts == 250_000
        cold = math.log(published.temperature_floor) / math.log(published.gamma)
        assert published.epochs == math.ceil(1.2 * cold)  # the authors' code stops by itself
        assert published.penalty == paper.penalty
        assert (published.optimizer, published.clip_gradient, published.drop_below) == ("amsgrad", 1.0, 0.0)
    assert (presets.PAPER_SYNTHETIC["network"].penalty, presets.PAPER_REAL["network"].penalty) == (1e-2, 1e-3)


def test_no_registry_and_no_machine_is_named_anywhere() -> None:
    """Files that are shipped or read speak of the product alone."""
    words = re.compile(r"/work/|/root/|/tmp/|pypi\.org|files\.pythonhosted|registry\.npmjs", re.IGNORECASE)
    for path in [*files(), *ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "pyproject.toml"]:
        assert not words.search(path.read_text(encoding="utf-8")), path.name
