"""What a model reveals of its training rows: nothing of columns that its rules do not read."""

import io
import json
import pickle
import struct
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from r2n import NetworkSettings, R2NClassifier, load
from r2n.errors import R2NError
from r2n.explain import check, explain, smallest_change
from r2n.export import export, formats
from r2n.prove import Domain
from r2n.rules import Halfspace

READ = ["age", "income", "region"]
TEXTS = ["secret-name", "secret-mail"]
NUMBERS = [987654.321, -123456.789, 70000017.0, 80000021.0]  # the ends of columns, and categories that are numbers


def secret_table(n_rows: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns that decide, and columns of secrets that do not."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({
        "name": [f"secret-name-{i}" for i in range(n_rows)],  # never read
        "age": rng.integers(18, 80, n_rows),
        "account": 0.0,  # never read
        "mail": [f"secret-mail-{i}" for i in range(n_rows)],  # excluded
        "income": rng.normal(40, 10, n_rows).round(2),
        "salary": 0.0,  # excluded
        "badge": np.arange(n_rows) + 70000000,  # categories, never read
        "card": np.arange(n_rows) + 80000000,  # categories, excluded
        "region": rng.choice(["north", "west", "south"], n_rows),
    })  # fmt: skip
    X.loc[7, "account"], X.loc[9, "salary"] = NUMBERS[:2]
    return X, (0.9 * X.age - X.income + 8 * (X.region == "west")).to_numpy()


def fit(X: Any, y: np.ndarray) -> R2NClassifier:
    model = R2NClassifier(
        network=NetworkSettings(restarts=2, epochs=30, gamma=0.8), effort="quick", teacher=False,
        random_state=0, max_size=6, exclude=["mail", "salary", "card"], categorical=["badge", "card", "name"],
        missing_values={"name": ["secret-name-17"]},
    ).fit(X, y)  # fmt: skip
    read = {name for each in (*model.front_, *model.alternatives_) for name in each.rules.columns}
    assert {*read, *model.rules_.columns} <= set(READ), "the secrets are noise"
    return model.set_params(missing_values=None)  # which the caller gave, and gets back


@pytest.fixture(scope="module", params=["two classes, pandas", "three classes, polars"])
def case(request: pytest.FixtureRequest) -> tuple[R2NClassifier, Any, np.ndarray]:
    X, score = secret_table()
    if request.param.startswith("two"):
        return fit(X, np.where(score > 5, "yes", "no")), X, np.where(score > 5, "yes", "no")
    y = np.array(["low", "mid", "top"])[np.digitize(score, [-5, 15])]
    table = pl.from_pandas(X)
    return fit(table, y), table, y


def found_in(content: str | bytes) -> list[object]:
    """The secrets in a text, or in a file: as text, or as the bytes of a number."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    if data.startswith(b"PK\x03\x04"):  # a workbook
        with zipfile.ZipFile(io.BytesIO(data)) as files:
            data = b"".join(files.read(name) for name in files.namelist())
    found: list[object] = [text for text in TEXTS if text.encode() in data]
    for number in NUMBERS:
        forms = [repr(number).removesuffix(".0"), f"{number:.6g}", f"{number:,.3f}"]
        codes = [struct.pack(form, number) for form in ("<d", ">d", "<f", ">f")]
        if number.is_integer():
            codes += [struct.pack(form, int(number)) for form in ("<q", ">q", "<i", ">i")]
        found += [number for form in (*(form.encode() for form in forms), *codes) if form in data]
    return found


def models_of(model: R2NClassifier) -> Iterator[R2NClassifier]:
    yield model
    yield from [model.pick(0), model.pick(-1)] if len(model.classes_) == 3 else [model.pick(0)]
    yield from [model.pick(alternative=0)] if len(model.alternatives_) else []


def test_the_secrets_would_be_found(case: tuple) -> None:
    _, X, _ = case
    everything = pickle.dumps(X.to_dict() if isinstance(X, pd.DataFrame) else X.to_dict(as_series=False))
    assert set(found_in(everything)) == {*TEXTS, *NUMBERS}
    assert found_in("about 987654 of them")


def test_files_and_pickles_hold_no_secret(case: tuple, tmp_path: Path) -> None:
    model, _, _ = case
    for each in models_of(model):
        each.rules_.save(tmp_path / "m.json")
        assert not found_in((tmp_path / "m.json").read_bytes())
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            assert not found_in(pickle.dumps(each, protocol))
            assert not found_in(pickle.dumps(each.rules_, protocol))
        assert not found_in(pickle.dumps(each.front_))
        assert not found_in(pickle.dumps(each.alternatives_))
        assert not found_in(repr(vars(each)))
        assert not found_in(repr(vars(each._picks)))
        columns = json.loads((tmp_path / "m.json").read_text())["columns"]
        assert [column["name"] for column in columns] == [*each.feature_names_in_]
        for column in columns:
            if column["name"] not in each.rules_.columns:
                del column["name"], column["kind"]
                assert column == {"low": None, "high": None, "categories": [], "missing": True, "missing_values": [],
                                  "integer": False}  # fmt: skip


def test_counts_hold_what_the_page_says_and_no_more(case: tuple, tmp_path: Path) -> None:
    """Sums over rows: of every rule, and of every class that each label decides."""
    model, X, y = case
    for each in models_of(model):
        each.rules_.save(tmp_path / "m.json")
        counts = json.loads((tmp_path / "m.json").read_text())["training"]
        assert list(counts) == ["rows", "weight", "rules", "decided"]
        assert (counts["rows"], counts["weight"]) == (len(y), float(len(y)))
        assert [[len(pair) for pair in rule] for rule in counts["rules"]] == [[2, 2, 2, 3]] * each.rules_.n_rules
        assert [[len(pair) for pair in rule[3]] for rule in counts["rules"]] == [[2, 2, 2]] * each.rules_.n_rules
        n_classes = len(model.classes_)
        assert np.shape(counts["decided"]) == (len(each.rules_.labels) + 1, n_classes, 2)
        totals = np.sum(counts["decided"], axis=0)[:, 0]
        assert totals.tolist() == [np.sum(np.asarray(y) == label) for label in each.rules_.classes]
        counted = each.rules_.counted(X, np.asarray(y)).baseline
        known: Any = each.rules_.baseline
        seen = tuple((label, rule, n._replace(held_out=None)) for label, rule, n in known.rules)
        assert replace(known, rules=seen) == counted
        edited = each.rules_.with_rule("age > 200", *each.rules_.labels[:1] * (n_classes > 2))
        edited.save(tmp_path / "m.json")
        counts = json.loads((tmp_path / "m.json").read_text())["training"]
        assert counts["decided"] is None
        assert all(rule is None or rule[2] is None for rule in counts["rules"])


@pytest.mark.parametrize("to", formats())
def test_exports_hold_no_secret(case: tuple, to: str) -> None:
    model, _, _ = case
    for each in models_of(model):
        write: Any = partial(export, each.rules_, to)
        content = raised(write) or [write()]
        assert not found_in(content[0])


def test_what_is_shown_holds_no_secret(case: tuple) -> None:
    model, X, y = case
    frame = X if isinstance(X, pd.DataFrame) else X.to_pandas()
    rules, row = model.rules_, frame[READ].iloc[3].to_dict()
    other = model.pick(0).rules_
    shown = [
        str(model), repr(model), model._repr_html_inner(), str(model._repr_mimebundle_()), str(rules), repr(rules),
        rules._repr_html_(), repr(rules.schema), repr(rules.baseline), str(Domain.of(rules.schema)),
        str(Domain.beyond(rules.schema)), repr(model.front_),
        model.front_.frame().to_csv(), repr(model.alternatives_), model.alternatives_.frame().to_csv(),
        repr(model.network_), repr(model.schema_),
        str(explain(rules, row)), str(smallest_change(rules, row)),
        str(check(rules, X, y)), rules.to_frame().to_csv(),
         str(rules.diff(other, X)), str(rules.equivalent(other)), str(rules.simplified()),
        str(model.get_feature_names_out()), repr(model.moves_), repr(model.history_), repr(model.steps_),
    ]  # fmt: skip
    assert not [secret for text in shown for secret in found_in(text)]


def bad_inputs(X: pd.DataFrame) -> Iterator[Any]:
    yield X.drop(columns=["name"])
    yield X.drop(columns=["age"])
    yield X[X.columns[::-1]]
    yield X.rename(columns={"mail": "male"})
    yield X.to_numpy()[:, :4]
    for name in X.columns:
        for value in ("text", 3.5, True, float("inf"), [1]):
            yield X.assign(**{name: pd.Series([value] * len(X), dtype=object)})


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_errors_hold_no_secret(case: tuple, tmp_path: Path) -> None:
    model, X, _ = case
    frame = X if isinstance(X, pd.DataFrame) else X.to_pandas()
    model.rules_.save(tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    predictors = [model.predict, model.predict_proba, loaded.predict, loaded.predict_proba]
    said = []
    for content in bad_inputs(frame.head(20).replace(r"^secret", "other", regex=True).assign(badge=1, card=2)):
        for predict in predictors:
            said += raised(lambda predict=predict, content=content: predict(content))  # type: ignore[misc]
    for text in ("name = x", "nam = x", "badge > 3", "region = sout", "age = old", "account/salary > 3", "mail > 2"):
        rules = model.rules_["low"] if len(model.classes_) == 3 else model.rules_
        said += raised(lambda text=text, rules=rules: rules.with_rule(text))  # type: ignore[misc]
    assert len(said) > 10
    assert not [secret for words in said for secret in found_in(words)]


def raised(call: Callable[[], object]) -> list[str]:
    try:
        call()
    except R2NError as error:
        return [str(error)]
    return []


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_a_model_that_forgot_decides_as_before(case: tuple, tmp_path: Path) -> None:
    model, X, _ = case
    model.rules_.save(tmp_path / "m.json")
    loaded, again = load(tmp_path / "m.json"), pickle.loads(pickle.dumps(model))
    frame = X if isinstance(X, pd.DataFrame) else X.to_pandas()
    names = [name for name in frame.columns if name in model.rules_.columns]
    expected = model.predict(X)
    assert len(set(expected.tolist())) > 1
    for content in (
        X,
        frame,
        frame.to_numpy(),
        frame[names],
        frame[names].to_dict("list"),
        frame.assign(name=3, mail=None),
    ):
        np.testing.assert_array_equal(loaded.predict(content), expected)
        np.testing.assert_array_equal(loaded.predict_proba(content), model.predict_proba(X))
    for content in (X, frame.to_numpy(), frame.assign(name=3, mail=None), frame[names].to_dict("list")):
        np.testing.assert_array_equal(again.predict(content), expected)
        np.testing.assert_array_equal(again.predict_proba(content), model.predict_proba(X))
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing"):
        model.predict(X[names])  # as scikit-learn has it
    sums = [each for each in loaded.literals if isinstance(each, Halfspace)]
    read = {name for each in sums for name in each.compared}
    assert {c.name for c in loaded.schema.columns if np.isfinite(c.low)} == read
