"""The hunt: random models, the reference on one side, a subject on the other.

Every difference comes with its seed and with the smallest model that still shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from plait.engines.prepared import prepared_once
from plait.errors import InputError, PlaitError
from plait.model.types import Model, Property
from plait.model.validate import check
from plait.records import dataclass, replace
from plait.testing.choices import Seeded
from plait.testing.features import features
from plait.testing.findings import Findings, Subject, by_reference, differences
from plait.testing.mix import DEFAULT, Mix
from plait.testing.random_models import model
from plait.testing.shrink import shrink
from plait.testing.tally import Tally

LIMIT = 1000
"""Models with more states are left out (and counted): the reference is slow on purpose."""
EFFORT = 50_000
"""So are models on which it executes more statements: one in a hundred takes half of the time."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A subject that differs from the reference, or that crashed."""

    seed: int | None
    subject: str
    differences: list[str]
    model: Model

    def __str__(self) -> str:
        head = f"{self.subject} differs from the reference (seed {self.seed}):"
        return "\n".join([head, *(f"  {d}" for d in self.differences), text(self.model)])


def hunt(
    seeds: Iterable[int],
    subjects: Mapping[str, Subject],
    tally: Tally,
    *,
    mix: Mix = DEFAULT,
    limit: int = LIMIT,
    effort: int | None = EFFORT,
    asks: Callable[[Property], bool] = lambda p: True,
) -> Iterator[Failure]:
    """The failures of the subjects on the models of these seeds; `tally` counts what was compared.

    `asks` chooses the properties that are put to the subjects at all.
    """
    for seed in seeds:
        made = model(Seeded(seed), mix)
        made = replace(made, properties=tuple(p for p in made.properties if asks(p)))
        yield from compare(made, subjects, tally, seed=seed, limit=limit, effort=effort)


def compare(
    made: Model,
    subjects: Mapping[str, Subject],
    tally: Tally,
    *,
    seed: int | None = None,
    limit: int = LIMIT,
    effort: int | None = EFFORT,
    shrinking: bool = True,
) -> Iterator[Failure]:
    """The failures of the subjects on one model, shrunk (unless somebody else does that)."""
    check(made)
    expected = by_reference(made, limit, effort)
    count(tally, made, expected)
    if expected.outcome == "too large":
        return
    failed = _first_failure(made, expected, subjects, tally, limit)
    if failed is not None:
        name, found = failed
        if shrinking:
            made = shrink(made, _still_fails(subjects[name], found, limit))
            found = _differences(made, by_reference(made, limit), subjects[name], limit) or found
        yield Failure(seed, name, found, made)


def _first_failure(
    made: Model, expected: Findings, subjects: Mapping[str, Subject], tally: Tally, limit: int
) -> tuple[str, list[str]] | None:
    """The first subject that differs, and where; the model is made ready once for all of them."""
    with prepared_once():
        for name, subject in subjects.items():
            if found := _differences(made, expected, subject, limit):
                return name, found
            if name in ("explicit", "symbolic") and expected.outcome == "complete":
                asked = [p for p in made.properties if p.name in expected.distances]
                tally["traces replayed"] += len(asked)
    return None


def _differences(made: Model, expected: Findings, subject: Subject, limit: int) -> list[str]:
    """Where the subject differs; an exception of its own is a difference, not an end."""
    try:
        return differences(made, expected, subject(made, limit))
    except BaseException as failure:
        if isinstance(failure, KeyboardInterrupt | SystemExit | MemoryError):
            raise
        return [f"{type(failure).__name__}: {failure}"]


def _still_fails(subject: Subject, found: list[str], limit: int) -> Callable[[Model], bool]:
    """The same kind of failure on a valid model that the reference can execute."""
    kind = _kind(found)

    def fails(candidate: Model) -> bool:
        try:
            check(candidate)
            expected = by_reference(candidate, limit)
        except PlaitError:
            return False
        if expected.outcome == "too large":
            return False
        again = _differences(candidate, expected, subject, limit)
        return bool(again) and _kind(again) == kind

    return fails


def _kind(found: list[str]) -> str:
    """What a difference is about: its first word, so that shrinking does not slip to another."""
    return found[0].partition(" ")[0]


def count(tally: Tally, made: Model, found: Findings) -> None:
    """Add a compared model, as the reference sees it, to the tally."""
    if found.outcome == "too large":
        tally["models too large"] += 1
        return
    tally["models"] += 1
    tally.update(f"with {name}" for name in features(made))
    if found.outcome != "complete":
        tally["models gone wrong"] += 1
        return
    tally["models explored"] += 1
    tally.size(found.figures["states"] or 0)
    tally["models with a deadlock"] += bool(found.figures["deadlocks"])
    tally["bounds"] += len(found.bounds)
    kinds = {p.name: p.kind for p in made.properties}
    for name, verdict in found.verdicts.items():
        tally.verdict(kinds[name], verdict)


def text(made: Model) -> str:
    """The model as GAL where it has words for it, else as Python."""
    from plait.lang.gal.printer import print_model

    try:
        return print_model(made)
    except InputError:
        return repr(made)
