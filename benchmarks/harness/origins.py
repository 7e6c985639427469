"""Which learner on which machine made a result. A row of a page is of one origin, and says of which."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.harness.records import Record

UNKNOWN = "?"
PACKAGES = ("python", "numpy", "jax", "scikit-learn")


class MixedOriginsError(ValueError):
    """Results of two learners, or of two machines, in one row."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What must be the same for results to stand in one row; None where a record does not say it."""

    learner: str | None
    machine: str | None
    packages: str

    @classmethod
    def of(cls, record: Record) -> "Origin":
        """Of r2n the hash of its source counts, of the others that of the benchmarks' methods.

        Records from before there were hashes have at most the revision of the checkout that they were started in.
        """
        versions, made = record.get("versions", {}), record.get("made_by")
        packages = ", ".join(f"{name} {versions[name]}" for name in PACKAGES if name in versions)
        if made is None:
            return cls(_of_revision(versions.get("revision")), None, packages)
        source = f"r2n {made['r2n']}, source {made['source']}"
        if not is_ours(record.get("method", "r2n")):
            source = f"methods of the benchmarks, source {made['methods']}"
        return cls(source, "; ".join([made["processor"], *made["blas"]]), packages)


def _of_revision(revision: str | None) -> str | None:
    if revision is None:
        return None
    changed = ", with changes" if revision.endswith("+") else ""
    return f"checkout at {revision.rstrip('+')}{changed}"


def is_ours(method: str) -> bool:
    """Whether a method learns with r2n."""
    return method in ("r2n", "capped", "network", "search", "paper") or method.startswith("literals ")


def of_newest_origin(records: Sequence[Record]) -> list[Record]:
    """Those of the origin of the last one; the others are of another learner or machine, and are left out."""
    return [record for record in records if Origin.of(record) == Origin.of(records[-1])]


def one_origin(records: Iterable[Record]) -> Origin:
    """The origin that these share.

    Raises
    ------
    MixedOriginsError
        If they are of two: they may not be averaged, nor stand in one row.
    """
    origins = list(dict.fromkeys(map(Origin.of, records)))
    match origins:
        case [origin]:
            return origin
        case []:
            raise ValueError("no records: a row needs one at least.")
        case _:
            names = "; ".join(f"{o.learner or 'not recorded'} on {o.machine or 'not recorded'}" for o in origins)
            raise MixedOriginsError(f"one row of {len(origins)} origins ({names}). Split it, or run its cells again.")


def are_comparable(*groups: Sequence[Record]) -> bool:
    """Whether all these are there and of one origin."""
    return all(groups) and len({Origin.of(record) for group in groups for record in group}) == 1


class Legend:
    """A mark for every origin that a page shows, and at its end what they stand for."""

    def __init__(self) -> None:
        self._marks: dict[Origin, str] = {}
        self._revisions: dict[Origin, dict[str, None]] = {}

    def mark(self, records: Sequence[Record]) -> str:
        """Of the one origin that these have."""
        origin = one_origin(records)
        if origin not in self._marks:
            known = sum(mark != UNKNOWN for mark in self._marks.values())
            self._marks[origin] = UNKNOWN if origin.learner is None else _letters(known)
        revisions = self._revisions.setdefault(origin, {})
        revisions.update(dict.fromkeys(_revision_of(r["made_by"]) for r in records if "made_by" in r))
        return self._marks[origin]

    def lines(self) -> Iterator[str]:
        """A mark and what it stands for, in the order of the marks; the unknown one last."""
        for origin, mark in sorted(self._marks.items(), key=lambda each: (each[1] == UNKNOWN, len(each[1]), each[1])):
            yield f"{mark}: {self._said_of(origin)}"

    def _said_of(self, origin: Origin) -> str:
        if origin.learner is None:
            return (
                "not recorded. The learner is an older one, and a row so marked may be of several; this code need "
                f"not give the same. {origin.packages}"
            )
        if origin.machine is None:
            return (
                f"{origin.learner}; which r2n was imported, the processor and the BLAS were not recorded. "
                f"{origin.packages}"
            )
        revisions = ", ".join(self._revisions[origin])
        return f"{origin.learner} ({revisions}); {origin.machine}; {origin.packages}"


def _letters(number: int) -> str:
    """a, b, …, z, aa, ab, …"""
    first, last = divmod(number, 26)
    return (_letters(first - 1) if first else "") + chr(ord("a") + last)


def _revision_of(made: Record) -> str:
    if made["revision"] is None:
        return "not of this checkout"
    return f"revision {made['revision']}{'' if made['clean'] else ', with changes'}"
