"""How a parameter is declared: its type, its default and what its values must be, in one place."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from r2n.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Requirement:
    """What a value must be, in words and as a test."""

    words: str
    holds: Callable[[Any], bool]


def parameter(default: Any, requirement: Requirement | None = None) -> Any:
    """Declare a field of a dataclass as a parameter; without a requirement, the code that reads it checks it."""
    return field(default=default, metadata={} if requirement is None else {"requirement": requirement})


def requirements_of(owner: Any) -> dict[str, Requirement]:
    """What a dataclass requires of its parameters."""
    return {each.name: each.metadata["requirement"] for each in fields(owner) if "requirement" in each.metadata}


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, float | np.floating) and math.isfinite(value))


def number(words: str, holds: Callable[[Any], bool]) -> Requirement:
    """A finite number with a condition."""
    return Requirement(f"a number {words}", lambda value: _is_number(value) and holds(value))


def whole(least: int) -> Requirement:
    """A whole number of at least `least`."""
    return Requirement(
        f"a whole number of at least {least}",
        lambda value: _is_whole(value) and value >= least,
    )


def one_of(*choices: Any) -> Requirement:
    """One of a few named choices."""
    return Requirement(
        f"one of {', '.join(map(repr, choices))}", lambda value: isinstance(value, str) and value in choices
    )


def optional(requirement: Requirement) -> Requirement:
    """None, or what is required."""
    return Requirement(f"None or {requirement.words}", lambda value: value is None or requirement.holds(value))


def either(first: Requirement, second: Requirement) -> Requirement:
    """One of two requirements."""
    return Requirement(f"{first.words} or {second.words}", lambda value: first.holds(value) or second.holds(value))


BOOLEAN = Requirement("True or False", lambda value: isinstance(value, bool | np.bool_))
CALLABLE = Requirement("a function", callable)
NAMES = Requirement(
    "a collection of column names",
    lambda value: (
        isinstance(value, Collection) and not isinstance(value, str) and all(isinstance(v, str) for v in value)
    ),
)
SEED = Requirement(
    "None, a whole number from 0 to 2**32 - 1, or a numpy RandomState",
    lambda value: (
        value is None
        or value is np.random
        or (_is_whole(value) and 0 <= value < 2**32)
        or isinstance(value, np.random.RandomState)
    ),
)
JOBS = Requirement("a whole number other than 0", lambda value: _is_whole(value) and value != 0)
PENALTY = number("of at least 0", lambda value: value >= 0)


def check_parameters(parameters: Mapping[str, Any], requirements: Mapping[str, Requirement]) -> None:
    """Refuse the first parameter whose value has no meaning.

    >>> check_parameters({"epochs": 0}, {"epochs": whole(1)})
    Traceback (most recent call last):
    ...
    r2n.errors.ParameterError: epochs must be a whole number of at least 1, not 0.
    """
    for name, requirement in requirements.items():
        if not requirement.holds(parameters[name]):
            raise ParameterError(f"{name} must be {requirement.words}, not {parameters[name]!r}.")
