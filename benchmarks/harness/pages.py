"""Pages: templates of jinja2, filled with figures from the records."""

import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmarks.harness.origins import Legend
from benchmarks.harness.records import Record
from benchmarks.harness.stamp import BENCHMARKS, ROOT

MARKS = ("<!-- table -->", "<!-- end of table -->")
WIDTH = 119


@dataclass(frozen=True)
class Page:
    """A page that is made from the records, or the part of a page that stands between marks."""

    path: str  # below the root of the repository
    template: str  # below templates/
    view: Callable[[], Mapping[str, Any]]  # what the template shows
    part: bool = False  # whether only what stands between the marks is made
    draw: Callable[[], None] | None = None  # the page's pictures

    def text(self) -> str:
        """The page as the records make it."""
        made = render(self.template, self.view())
        return between_marks((ROOT / self.path).read_text(encoding="utf-8"), made, self.path) if self.part else made

    def write(self) -> None:
        """The page, and its pictures."""
        if self.draw is not None:
            self.draw()
        (ROOT / self.path).write_text(self.text(), encoding="utf-8")


def render(template: str, figures: Mapping[str, Any]) -> str:
    """A template with these figures. `mark(records)` names the one origin of a row; two are refused."""
    legend = Legend()
    return ENVIRONMENT.get_template(template).render(figures, mark=legend.mark, legend=legend)


def between_marks(page: str, made: str, name: str) -> str:
    """The page with what stands between its marks made anew."""
    before, mark, rest = page.partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    if not (mark and end):
        raise ValueError(f"{name} lacks the marks {MARKS[0]} and {MARKS[1]} that its table stands between")
    return f"{before}{mark}\n{made}{end}{after}"


# -- what templates compute ----------------------------------------------------------------------------


def fold(text: str, later: str = "") -> str:
    """The text in lines of the page's width."""
    return "\n".join(textwrap.wrap(text, WIDTH, subsequent_indent=later))


def _values(records: Iterable[Record], name: str) -> list[float]:
    return [record[name] for record in records]


def _environment() -> Environment:
    found = Environment(
        loader=FileSystemLoader(BENCHMARKS / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Markdown
    )
    found.filters |= {
        "fold": fold,
        "digits": lambda value, n: f"{value:.{n}f}",
        "signed": lambda value, n: f"{value:+.{n}f}",
        "thousands": lambda value: f"{value:,.0f}",
        "short": lambda value: f"{value:g}",
        "mean": lambda records, name: float(np.mean(_values(records, name))),
        "deviation": lambda records, name: float(np.std(_values(records, name))),
        "median": lambda records, name: float(np.median(_values(records, name))),
        "least": lambda records, name: min(_values(records, name)),
        "most": lambda records, name: max(_values(records, name)),
    }
    return found


ENVIRONMENT = _environment()
