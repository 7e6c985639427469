"""Rules in other languages: one file of this package is one format.

A format is a module with a `SUFFIX` for its files and a function `write(rules, *, named options with
defaults)` that gives text or bytes. If it has `HELP`, that says of each option what it means. It is found
by its name: adding a format edits nothing else. Modules whose name starts with an underscore are no formats.

A format is given rule sets and rules for several classes. Risk levels become one of these before, by the option
`value`; unless the format says `HOLDS_LEVELS`, and is given them as they are. A format that can write several values
of each row at once has a function `write_all({value: rules}, *, the same options)`.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, cast

from r2n.errors import ParameterError
from r2n.export._plain import advice, check_texts
from r2n.rules import AnyRules, LevelRules
from r2n.rules.levels import VIEWS
from r2n.table.cells import shown

ALL, TOGETHER = "all", ("level", "number", "share")  # how several values of a row are asked for, and which these are

__all__ = ["describe", "export", "formats", "gives_bytes", "options_of", "read_options", "suffix_of"]


def formats() -> tuple[str, ...]:
    """List the names of all formats.

    Returns
    -------
    tuple of str
        The names, sorted.

    Examples
    --------
    >>> "json" in formats()
    True
    """
    return tuple(sorted(found.name for found in pkgutil.iter_modules(__path__) if not found.name.startswith("_")))


def export(rules: AnyRules, to: str, **options: Any) -> str | bytes:
    """Write rules in another language, with the same meaning.

    Parameters
    ----------
    rules : RuleSet, ClassRules or LevelRules
        The rules.
    to : str
        The format, one of `formats()`.
    **options : object
        Options of the format, see `describe`. Of risk levels, `value` says what is written of each row: `level` (the
        name, by default), `number` (1 is the highest), `share`, `label`, or in SQL `all` of the first three.

    Returns
    -------
    str or bytes
        The content of a file.

    Raises
    ------
    ParameterError
        If there is no such format or option, the rules do not fit the format, or a package that it needs is not
        installed.

    Examples
    --------
    >>> from r2n import RuleSet
    >>> print(export(RuleSet.parse("yes if x > 3 else no"), "json").splitlines()[1])
     "format": "r2n rule set",
    """
    if not isinstance(rules, AnyRules):
        raise ParameterError(f"rules are exported, not {type(rules).__name__}. Of a fitted model, give model.rules_.")
    module, value = _module(to), options.pop("value", None)
    known = options_of(to)
    for name in options:
        if name not in known:
            raise ParameterError(f"{to} has no option {shown(name)}.{advice(name, known, 'Its options')}")
    check_texts(options.values())
    write, shown_rules = _what_to_write(module, rules.without_unread(), value)
    try:
        return cast("str | bytes", write(shown_rules, **options))
    except ModuleNotFoundError as error:
        raise ParameterError(
            f"writing {to} needs the package {error.name}, which is not installed. Run: pip install 'r2n[export]'"
        ) from error


def _what_to_write(module: ModuleType, rules: AnyRules, value: object) -> tuple[Callable[..., object], object]:
    """Choose the function of a format that writes these rules, and what it is given of risk levels."""
    if not isinstance(rules, LevelRules) or _holds_levels(module):
        if value is not None:
            whose = "a model file holds the levels themselves" if isinstance(rules, LevelRules) else "these have none"
            raise ParameterError(f"value says what is written of risk levels, and {whose}. Leave it out.")
        return module.write, rules
    if value == ALL and hasattr(module, "write_all"):
        return module.write_all, {each: rules.view(each) for each in TOGETHER}
    return module.write, rules.view("level" if value is None else cast(str, value))


def _holds_levels(module: ModuleType) -> bool:
    return bool(getattr(module, "HOLDS_LEVELS", False))


def suffix_of(to: str) -> str:
    """Return how the names of a format's files end.

    Parameters
    ----------
    to : str
        The format.

    Returns
    -------
    str
        The suffix, with its dot.

    Raises
    ------
    ParameterError
        If there is no such format.

    Examples
    --------
    >>> suffix_of("json")
    '.json'
    """
    return cast(str, _module(to).SUFFIX)


def gives_bytes(to: str) -> bool:
    """Check whether a format is written as bytes, not as text.

    Parameters
    ----------
    to : str
        The format.

    Returns
    -------
    bool
        Whether `export` returns bytes.

    Raises
    ------
    ParameterError
        If there is no such format.

    Examples
    --------
    >>> gives_bytes("workbook"), gives_bytes("sql")
    (True, False)
    """
    return inspect.signature(_module(to).write, eval_str=False).return_annotation in (bytes, "bytes")


def describe(to: str) -> tuple[str, dict[str, str]]:
    """Describe a format and its options, for a help page: by what the docstring of its `write` calls it.

    Parameters
    ----------
    to : str
        The format.

    Returns
    -------
    text : str
        What the format is.
    options : dict
        For each option what it means, and its default.

    Raises
    ------
    ParameterError
        If there is no such format.

    Examples
    --------
    >>> describe("json")
    ('The content of a model file.', {})
    >>> describe("javascript")[1]["module"]
    'esm, commonjs or none: how the functions are exported [default: none]'
    """
    text = (inspect.getdoc(_module(to).write) or "").partition(">>>")[0]
    known: Mapping[str, str] = getattr(_module(to), "HELP", {})
    defaults = {name: f" [default: {value}]" if value else "" for name, value in options_of(to).items()}
    options = {name: known.get(name, "") + default for name, default in defaults.items()}
    if not _holds_levels(_module(to)):
        values = [*VIEWS, *([ALL] if hasattr(_module(to), "write_all") else [])]
        options["value"] = f"what is written of risk levels: {', '.join(values)} [default: {VIEWS[0]}]"
    return " ".join(text.replace("`", "").split()), options


def options_of(to: str) -> dict[str, Any]:
    """Return the options of a format with their defaults.

    Parameters
    ----------
    to : str
        The format.

    Returns
    -------
    dict
        The default of each option.

    Raises
    ------
    ParameterError
        If there is no such format.

    Examples
    --------
    >>> options_of("javascript")
    {'module': 'none'}
    """
    _, *parameters = inspect.signature(_module(to).write).parameters.values()
    return {parameter.name: parameter.default for parameter in parameters}


def read_options(to: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """Read options from text, as a command line gives them, in the types of their defaults.

    Parameters
    ----------
    to : str
        The format.
    texts : mapping
        The text of each option.

    Returns
    -------
    dict
        The value of each option.

    Raises
    ------
    ParameterError
        If there is no such format, or a text is no value of the option's type.

    Examples
    --------
    >>> read_options("javascript", {"module": "esm"})
    {'module': 'esm'}
    """
    defaults = options_of(to)
    own = getattr(_module(to), "READ", {})  # how a format reads an option whose default does not say it
    return {
        name: own[name](text) if name in own else _read(name, text, defaults.get(name)) for name, text in texts.items()
    }


def _read(name: str, text: str, default: object) -> object:
    readers: dict[type, Callable[[str], object]] = {bool: _read_bool, int: int, float: float}
    read = readers.get(type(default), str)
    try:
        return read(text)
    except (ValueError, KeyError):
        raise ParameterError(f"{name} must be like {default!r}, not {shown(text)}.") from None


def _read_bool(text: str) -> bool:
    return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[text.lower()]


def _module(to: str) -> ModuleType:
    if to not in formats():
        raise ParameterError(f"there is no format {shown(to)}.{advice(str(to), formats(), 'The formats')}")
    return import_module(f"{__name__}.{to}")
