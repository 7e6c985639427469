"""Reads inputs in processes with limits, and says what came of each.

Run as a program: every line of the standard input is a JSON list of inputs, each with its `kind`, its `text`, and
whether what is read must be written and read `again`. Every line of the output lists how they ended. To start a process
for each input would cost a second each: here r2n is imported once, and the inputs of a line are read in a fork of that
process, which a hang or a flood of memory ends without harm to the others.
"""

import json
import os
import resource
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any, TypedDict

SECONDS = 2.0  # of processor time for one input
BYTES = 200e6  # beyond what the process held before
MESSAGE = 2000  # bytes of an error's message
PATIENCE = 240.0  # seconds of wall time, for a reader that waits and does not work


class Input(TypedDict):
    """What is to be read, by whom; a file's bytes are given as characters of Latin-1."""

    kind: str
    text: str
    again: bool


class Ending(TypedDict, total=False):
    """How it ended: read, refused (with a message), raised (what it should not), or died."""

    end: str
    seconds: float
    bytes: int
    message: str
    problem: str | None


def complaint(ending: Ending) -> str | None:
    """What is wrong with an ending, in words; None if it is within the budget."""
    if ending["end"] in ("raised", "died") or ending["problem"] is not None:
        return f"{ending['end']}: {ending['problem']}"
    if ending["seconds"] > SECONDS:
        return f"{ending['end']} in {ending['seconds']:.2f} s"
    if ending["bytes"] > BYTES:
        return f"{ending['end']} with {ending['bytes'] / 1e6:.0f} MB"
    return None


# -- reading -----------------------------------------------------------------------------------------


def read(kind: str, text: str) -> object:
    """What the text is read as; `kind` says by whom."""
    from r2n.rules import ClassRules, LevelRules, RuleSet
    from r2n.rules.parse import parse_literal, parse_rule

    readers: dict[str, Callable[[str], object]] = {
        "file": _read_file,
        "rules": RuleSet.parse,
        "rules with schema": _read_with_schema,
        "classes": ClassRules.parse,
        "levels": LevelRules.parse,
        "rule": parse_rule,
        "literal": parse_literal,
    }
    return readers[kind](text)


def _read_file(text: str) -> object:
    from r2n.rules import load

    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(text.encode("latin-1"))
        file.flush()
        return load(file.name)


def _read_with_schema(text: str) -> object:
    """The columns stand before the text: a JSON list of them in its first line."""
    from r2n.rules import RuleSet
    from r2n.table import Schema

    columns, _, rules = text.partition("\n")
    return RuleSet.parse(rules, Schema.from_json(json.loads(columns)))


def ending_of(one: Input) -> Ending:
    """How the reading of one input ended, in this process."""
    from r2n.errors import R2NError

    held, started = _peak(), time.process_time()
    found: object = None
    error: BaseException | None = None
    try:
        found = read(one["kind"], one["text"])
    except BaseException as raised:  # also MemoryError: what is raised is the outcome
        error = raised
    took: Ending = {"seconds": time.process_time() - started, "bytes": max(_peak() - held, 0), "problem": None}
    if error is None:
        return {**took, "end": "read", "problem": _read_again(found) if one["again"] else None}
    if not isinstance(error, R2NError):
        return {**took, "end": "raised", "problem": f"{type(error).__name__}: {str(error)[:300]}"}
    message = str(error).encode("utf-8", "surrogatepass")
    long = f"a message of {len(message)} bytes" if len(message) > MESSAGE else None
    return {**took, "end": "refused", "problem": long, "message": message[:MESSAGE].decode("utf-8", "replace")}


def _read_again(found: Any) -> str | None:
    """What is wrong with what was read, if it is rules: they must be written and read again as the same."""
    from r2n.rules import AnyRules
    from r2n.rules.document import from_text
    from r2n.rules.modelfile import to_text

    if not isinstance(found, AnyRules):
        return None
    try:
        again = from_text(to_text(found))
        if type(again) is not type(found) or again != found:
            return "saved and loaded, the rules are others"
        if again.schema != found.schema:
            return "saved and loaded, the columns are others"
        if _counts(again) != _counts(found):
            return f"saved and loaded, the training counts are others: {_counts(found)}, {_counts(again)}"[:300]
        if to_text(again) != to_text(found):
            return "saved twice, the text is another"
    except Exception as error:
        return f"saved and loaded, {type(error).__name__}: {str(error)[:300]}"
    return None


def _counts(rules: Any) -> list[object]:
    counted = rules.baseline
    return [] if counted is None else [counted, counted.fits(rules)]


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


# -- in a process of its own -------------------------------------------------------------------------


def endings_apart(inputs: Sequence[Input]) -> list[Ending]:
    """How the reading of each ended, in another process; if that dies, each is read in one of its own."""
    found = _in_fork(inputs)
    if isinstance(found, list):
        return found
    if len(inputs) > 1:
        return [ending for one in inputs for ending in endings_apart([one])]
    return [{"end": "died", "problem": found}]


def _in_fork(inputs: Sequence[Input]) -> list[Ending] | str:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _set_limits()
        line = json.dumps([ending_of(one) for one in inputs])
        with os.fdopen(writing, "w") as pipe:
            pipe.write(line)
        os._exit(0)
    os.close(writing)
    line = _all_of(reading, child)
    _, status = os.waitpid(child, 0)
    if line:
        found: list[Ending] = json.loads(line)
        return found
    return f"the process ended with status {status} (9: it took too long)"


def _set_limits() -> None:
    """More than the budget, which is looked at input by input: they end what would not end."""
    seconds = int(30 * SECONDS)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as file:
            mapped = int(file.read().split()[0]) * resource.getpagesize()
        most = mapped + int(10 * BYTES)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _all_of(pipe: int, child: int) -> str:
    ends = time.monotonic() + PATIENCE
    parts: list[bytes] = []
    with os.fdopen(pipe, "rb", buffering=0) as stream:
        while True:
            if not select.select([stream], [], [], max(ends - time.monotonic(), 0.0))[0]:
                os.kill(child, signal.SIGKILL)
                return ""
            piece = stream.read(1 << 16)
            if not piece:
                return b"".join(parts).decode()
            parts.append(piece)


if __name__ == "__main__":
    ending_of({"kind": "rules", "text": "yes if x > 1 else no", "again": True})  # all is imported before the first fork
    for each in sys.stdin:
        print(json.dumps(endings_apart(json.loads(each))), flush=True)
