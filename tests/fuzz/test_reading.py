"""Whatever is in a model file or in a text of rules: it is read, or refused in a few words, at once, in little memory.

What was read is written and read again as the same. The corpus in tests/corpus is kept: an input that ever made trouble
goes there, into `read` or `refused`, by what must come of it. Texts whose name begins with `classes` are rules for
several classes, of those that begin with `levels` risk levels; those that begin with `schema` have a line of columns
before them.
"""

import json
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pytest

from tests.fuzz.giants import GIANTS
from tests.fuzz.mutations import mutate
from tests.fuzz.reading import Ending, Input, complaint

pytest.importorskip("resource", reason="the limits of processes are those of Unix")

HERE = Path(__file__).parent
CORPUS = sorted(path for path in (HERE.parent / "corpus").rglob("*") if path.suffix in (".json", ".txt"))

# Giants that once took longer, or more, than they may: these are read at full size in every run.
ONCE_TOO_MUCH = (
    "terms_the_last_repeated",
    "name_unknown_of_many_letters",
    "names_unknown_and_alike",
    "set_of_equal_hash",
    "rule_of_literals_of_equal_hash",
    "rules_of_fills_of_equal_hash",
    "rules_with_counts_and_fills_of_equal_hash",
    "classes_of_equal_hash",
    "classes_with_all_that_they_decide",
    "levels_many",
    "levels_the_last_repeated",
    "text_of_levels",
    "rules_empty",
    "text_of_rules",
    "text_of_as_many_rules_as_are_read",
    "text_of_terms_the_last_repeated",
    "text_of_brackets",
    "categories_known_to_the_last",
    "ratio_over_a_long_name",
)


class Reader:
    """The program that reads inputs in processes of their own."""

    def __init__(self) -> None:
        # As a file: `tests` may be the name of another package too.
        command = [sys.executable, "-W", "error", str(HERE / "reading.py")]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def endings(self, inputs: Sequence[Input]) -> list[Ending]:
        """How the reading of each ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(inputs), file=self._process.stdin, flush=True)
        found: list[Ending] = json.loads(self._process.stdout.readline())
        return found

    def close(self) -> None:
        self._process.communicate()
        assert self._process.returncode == 0


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    found = Reader()
    yield found
    found.close()


def kind_of(path: Path) -> str:
    if path.suffix == ".json":
        return "file"
    return {"classes": "classes", "levels": "levels", "schema": "rules with schema"}.get(
        path.stem.split("-")[0], "rules"
    )


def as_input(kind: str, data: bytes, again: bool = True) -> Input:
    text = data.decode("latin-1") if kind == "file" else data.decode("utf-8", "surrogateescape")
    return {"kind": kind, "text": text, "again": again}


def giant(name: str, size: int, again: bool) -> Input:
    kind, text = GIANTS[name](size)
    return as_input(kind, text.encode("utf-8"), again)


# -- the corpus --------------------------------------------------------------------------------------


def test_the_corpus_is_read_or_refused_as_it_was(reader: Reader) -> None:
    endings = reader.endings([as_input(kind_of(path), path.read_bytes()) for path in CORPUS])
    found = {path.relative_to(HERE.parent): ending for path, ending in zip(CORPUS, endings, strict=True)}
    assert {str(path): words for path, ending in found.items() if (words := complaint(ending))} == {}
    assert {str(path): ending for path, ending in found.items() if ending["end"] != path.parent.name} == {}


def test_the_corpus_is_small_and_has_both() -> None:
    assert sum(path.stat().st_size for path in CORPUS) < 300_000
    assert {(path.parent.name, path.suffix) for path in CORPUS} == {
        (end, suffix) for end in ("read", "refused") for suffix in (".json", ".txt")
    }


def mutants(seed: int) -> Iterator[tuple[str, Input]]:
    """Damaged inputs without end, and what each was made of."""
    rng = random.Random(seed)
    contents = {path: path.read_bytes() for path in CORPUS}
    while True:
        path = rng.choice(CORPUS)
        alike = [data for other, data in contents.items() if other.suffix == path.suffix]
        kind = "rules" if kind_of(path) == "rules with schema" else kind_of(path)  # its columns are the test's own
        yield path.name, as_input(kind, mutate(contents[path], alike, rng))


def check_mutants(reader: Reader, seed: int, times: int) -> None:
    ends = {"read": 0, "refused": 0}
    damaged = mutants(seed)
    for _ in range(times // 200):
        some = list(islice(damaged, 200))
        for (name, one), ending in zip(some, reader.endings([one for _, one in some]), strict=True):
            assert complaint(ending) is None, f"{complaint(ending)}\nfrom {name}, {one['kind']}: {one['text'][:5000]!r}"
            ends[ending["end"]] += 1
    assert min(ends.values()) > times / 100  # what is damaged is neither all broken nor all whole


def test_damaged_inputs_are_read_or_refused(reader: Reader) -> None:
    check_mutants(reader, seed=0, times=1_000)


@pytest.mark.slow
def test_many_damaged_inputs_are_read_or_refused(reader: Reader) -> None:
    check_mutants(reader, seed=1, times=60_000)


# -- giants ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_giants_are_read_or_refused_within_their_budget(reader: Reader) -> None:
    small = {name: reader.endings([giant(name, 60_000, again=False)])[0] for name in GIANTS}
    large = {name: reader.endings([giant(name, 1_000_000, again=False)])[0] for name in ONCE_TOO_MUCH}
    assert {name: words for name, ending in (small | large).items() if (words := complaint(ending))} == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", GIANTS)
def test_giants_of_a_megabyte_are_read_or_refused_and_saved_and_loaded(reader: Reader, name: str) -> None:
    one = giant(name, 1_000_000, again=True)
    assert len(one["text"]) < 1_100_000
    (ending,) = reader.endings([one])
    assert complaint(ending) is None, ending


def test_fifteen_megabytes_of_empty_lists_are_refused_at_once(reader: Reader) -> None:
    lists = ",".join(["[]"] * 5_000_000)
    for text in (f"[{lists}]", f'{{"format": "r2n rule set", "rules": [{lists}]}}'):
        (ending,) = reader.endings([as_input("file", text.encode(), again=False)])
        assert complaint(ending) is None
        assert "values, but only 2,000,000 are read" in ending["message"]


# -- the budget itself -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ({"end": "read", "seconds": 2.5, "bytes": 0, "problem": None}, "read in 2.50 s"),
        ({"end": "refused", "seconds": 0.5, "bytes": 300_000_000, "problem": None}, "refused with 300 MB"),
        ({"end": "raised", "seconds": 0.0, "bytes": 0, "problem": "KeyError: 'x'"}, "raised: KeyError: 'x'"),
        ({"end": "died", "problem": "status 9"}, "died: status 9"),
        ({"end": "refused", "seconds": 0.1, "bytes": 0, "problem": None}, None),
    ],
)
def test_what_is_over_the_budget_is_said(ending: Ending, words: str | None) -> None:
    assert complaint(ending) == words
