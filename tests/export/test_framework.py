"""The package of formats: found by name, options checked, advice given."""

import subprocess
import sys
from pathlib import Path

import pytest

import r2n.export
from r2n import RuleSet, load
from r2n.errors import ParameterError
from r2n.export import export, formats, options_of, read_options, suffix_of
from r2n.rules import ClassRules, Membership, Rule
from r2n.rules.document import from_text

RULES = RuleSet.parse("yes if x - 2·y > 3 or z in {a} else no")
CLASSES = ClassRules.parse("a if x > 1 else b if x > 0 else c")


def test_every_file_without_an_underscore_is_a_format() -> None:
    files = {path.stem for path in Path(r2n.export.__file__).parent.glob("*.py")}
    assert set(formats()) == {name for name in files if not name.startswith("_")}
    assert {"sql", "python", "javascript", "json"} <= set(formats())


@pytest.mark.parametrize("to", formats())
def test_every_format_keeps_the_contract(to: str) -> None:
    assert suffix_of(to).startswith(".")
    assert "rules" not in options_of(to)
    for rules in (RULES, CLASSES):
        assert isinstance(export(rules, to), str | bytes)
        assert export(rules, to) == export(rules, to), "the same rules give the same bytes"


@pytest.mark.parametrize(
    ("to", "options", "message"),
    [
        ("sqll", {}, "there is no format 'sqll'. Did you mean 'sql'? The formats are: .*json"),
        ("_plain", {}, "there is no format '_plain'"),
        ("../json", {}, "there is no format"),
        ("sql", {"dialekt": "duckdb"}, "sql has no option 'dialekt'. Did you mean 'dialect'? Its options are: "),
        ("json", {"indent": 2}, "json has no option 'indent'. Its options are: none."),
    ],
)
def test_unknown_formats_and_options_are_refused(to: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message.replace("?", r"\?")):
        export(RULES, to, **options)


def test_only_rules_are_exported() -> None:
    with pytest.raises(ParameterError, match=r"give model\.rules_"):
        export("yes if x > 3 else no", "json")


LONE = "a\ud800"


def test_an_option_that_no_file_can_hold_is_refused() -> None:
    with pytest.raises(ParameterError, match="a lone half of a UTF-16 pair"):
        export(RULES, "markdown", title=LONE)


def test_messages_stay_short_however_long_the_names_are() -> None:
    rules = RuleSet((Rule((Membership("z" * 100_000, ("a" * 100_000, 1)),)),))
    with pytest.raises(ParameterError) as refused:
        export(rules, "sql")
    assert len(str(refused.value)) < 2_000
    with pytest.raises(ParameterError) as refused:
        export(RULES, "sql" * 100_000)
    assert len(str(refused.value)) < 2_000


def test_the_json_export_is_the_model_file(tmp_path: Path) -> None:
    for rules in (RULES, CLASSES):
        rules.save(tmp_path / "model.json")
        text = export(rules, "json")
        assert text == (tmp_path / "model.json").read_text(encoding="utf-8")
        assert from_text(str(text)) == load(tmp_path / "model.json") == rules


@pytest.mark.parametrize(
    ("default", "text", "value"),
    [(False, "Yes", True), (True, "0", False), (3, "12", 12), (0.5, "1e-3", 1e-3), (None, "7", "7"), ("a", "b", "b")],
)
def test_options_given_as_text_take_the_type_of_their_default(default: object, text: str, value: object) -> None:
    assert r2n.export._read("option", text, default) == value


@pytest.mark.parametrize(("default", "text"), [(False, "perhaps"), (3, "1.5"), (0.5, "half")])
def test_texts_of_another_type_are_refused(default: object, text: str) -> None:
    with pytest.raises(ParameterError, match=f"option must be like {default!r}, not '{text}'"):
        r2n.export._read("option", text, default)


def test_options_of_a_format_are_read_and_unknown_ones_left_to_export() -> None:
    assert read_options("sql", {"dialect": "sqlite", "strange": "x"}) == {"dialect": "sqlite", "strange": "x"}


def test_a_package_that_is_not_installed_is_named_with_advice() -> None:
    code = (
        "import sys; sys.modules['sqlglot'] = None\n"
        "from r2n import RuleSet\nfrom r2n.errors import ParameterError\nfrom r2n.export import export\n"
        "try:\n    export(RuleSet.parse('yes if x > 1 else no'), 'sql')\n"
        "except ParameterError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (
        "writing sql needs the package sqlglot, which is not installed. Run: pip install 'r2n[export]'" in done.stdout
    )


def test_exporting_source_code_needs_numpy_alone() -> None:
    code = (
        "import sys\nfrom r2n import RuleSet\nfrom r2n.export import export, formats\n"
        "[export(RuleSet.parse('yes if x > 1 else no'), to) for to in ('python', 'javascript', 'json')]\n"
        "print([name for name in ('sqlglot', 'scipy', 'pandas', 'narwhals', 'sklearn', 'jax') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
