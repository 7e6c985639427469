"""The package of formats: found by name, options checked, advice given."""

from pathlib import Path

import pytest

import r2n.export
from r2n import RuleSet, load
from r2n.errors import ParameterError
from r2n.export import export, formats, options_of, read_options, suffix_of
from r2n.rules import ClassRules
from r2n.rules.modelfile import from_text

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
        export("yes if x > 3 else no", "json")  # type: ignore[arg-type]


def test_the_json_export_is_the_model_file(tmp_path: Path) -> None:
    for rules in (RULES, CLASSES):
        rules.save(tmp_path / "model.json")
        text = export(rules, "json")
        assert text == (tmp_path / "model.json").read_text(encoding="utf-8")
        assert from_text(str(text)) == load(tmp_path / "model.json") == rules


def test_options_given_as_text_take_the_type_of_their_default(monkeypatch: pytest.MonkeyPatch) -> None:
    defaults = {"wide": False, "digits": 3, "share": 0.5, "title": None, "name": "a"}
    monkeypatch.setattr(r2n.export, "options_of", lambda to: defaults)
    given = {"wide": "Yes", "digits": "12", "share": "1e-3", "title": "7", "name": "b"}
    assert read_options("any", given) == {"wide": True, "digits": 12, "share": 1e-3, "title": "7", "name": "b"}
    assert read_options("any", {"strange": "x"}) == {"strange": "x"}, "which export refuses, with advice"
    for name, text in (("wide", "perhaps"), ("digits", "1.5"), ("share", "half")):
        with pytest.raises(ParameterError, match=f"{name} must be like"):
            read_options("any", {name: text})
