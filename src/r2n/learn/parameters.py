"""How a parameter is declared: its type, its default and what its values must be, in one place."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from r2n.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Check:
    """What a value must be, in words and as a test."""

    words: str
    holds: Callable[[Any], bool]


def parameter(default: Any, check: Check | None = None) -> Any:
    """Declare a field of a dataclass as a parameter; without a check, what reads its value refuses what is wrong."""
    return field(default=default, metadata={} if check is None else {"check": check})


def checks_of(owner: Any) -> dict[str, Check]:
    """The checks that a dataclass declares with its parameters."""
    return {each.name: each.metadata["check"] for each in fields(owner) if "check" in each.metadata}


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, float | np.floating) and math.isfinite(value))


def number(words: str, holds: Callable[[Any], bool]) -> Check:
    """A finite number with a condition."""
    return Check(f"a number {words}", lambda value: _is_number(value) and holds(value))


def whole(least: int) -> Check:
    """A whole number of at least `least`."""
    return Check(
        f"a whole number of at least {least}",
        lambda value: _is_whole(value) and value >= least,
    )


def one_of(*choices: Any) -> Check:
    """One of a few named choices."""
    return Check(f"one of {', '.join(map(repr, choices))}", lambda value: isinstance(value, str) and value in choices)


def optional(check: Check) -> Check:
    """None, or what the check says."""
    return Check(f"None or {check.words}", lambda value: value is None or check.holds(value))


def either(first: Check, second: Check) -> Check:
    """What one of two checks says."""
    return Check(f"{first.words} or {second.words}", lambda value: first.holds(value) or second.holds(value))


BOOLEAN = Check("True or False", lambda value: isinstance(value, bool | np.bool_))
CALLABLE = Check("a function", callable)
NAMES = Check(
    "a collection of column names",
    lambda value: (
        isinstance(value, Collection) and not isinstance(value, str) and all(isinstance(v, str) for v in value)
    ),
)
SEED = Check(
    "None, a whole number from 0 to 2**32 - 1, or a numpy RandomState",
    lambda value: (
        value is None
        or value is np.random
        or (_is_whole(value) and 0 <= value < 2**32)
        or isinstance(value, np.random.RandomState)
    ),
)
JOBS = Check("a whole number other than 0", lambda value: _is_whole(value) and value != 0)
PENALTY = number("of at least 0", lambda value: value >= 0)


def check_parameters(parameters: Mapping[str, Any], checks: Mapping[str, Check]) -> None:
    """Refuse the first parameter whose value has no meaning.

    >>> check_parameters({"epochs": 0}, {"epochs": whole(1)})
    Traceback (most recent call last):
    ...
    r2n.errors.ParameterError: epochs must be a whole number of at least 1, not 0.
    """
    for name, check in checks.items():
        if not check.holds(parameters[name]):
            raise ParameterError(f"{name} must be {check.words}, not {parameters[name]!r}.")
