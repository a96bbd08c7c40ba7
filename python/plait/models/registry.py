"""What the library holds: each model with its size, its variants, where it comes from."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator

from plait.errors import error
from plait.model.types import Model
from plait.models import (
    cards,
    contest,
    counts,
    dining,
    doubling,
    election,
    factory,
    figures,
    joint,
    ring,
    robin,
    voting,
)
from plait.models.arguments import suggestion
from plait.records import dataclass

DISSERTATION = "Siminiceanu, Structural Model Checking, 2003"
MILESTONES = "Vander Meulen, Combining Partial Order Reduction with Symbolic Model Checking, 2012"
HABILITATION = "Thierry-Mieg, From Symbolic Verification To Domain Specific Languages, 2016"


@dataclass(frozen=True, slots=True)
class Size:
    """The parameter n of a model."""

    meaning: str
    default: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A model of the library."""

    name: str
    build: Callable[..., Model]
    source: str
    size: Size | None
    variants: tuple[str, ...]
    """The first one is the default."""
    nets: tuple[str, ...] = ("flat",)
    """The variants that are place/transition nets, which PNML can say."""
    states: Callable[[int], int | None] | None = None
    """How many reachable states there are, where that is known."""

    def model(self, n: int | None = None, variant: str | None = None) -> Model:
        """The model of a size and variant, or of the default ones."""
        chosen = self.variants[0] if variant is None else variant
        if self.size is None:
            if n is not None:
                raise error(f"'{self.name}' has no size")
            return self.build(variant=chosen)
        return self.build(self.size.default if n is None else n, chosen)

    @property
    def summary(self) -> str:
        """The model in a line."""
        return _paragraphs(self.build.__doc__)[0].replace("\n", " ").rstrip(".")

    @property
    def description(self) -> str:
        """What is to be known of the model: its text in the library."""
        own = _paragraphs(self.build.__doc__)
        if len(own) > 1:
            return "\n\n".join(own)
        return "\n\n".join(_paragraphs(sys.modules[self.build.__module__].__doc__))


def _paragraphs(doc: str | None) -> list[str]:
    return inspect.cleandoc(doc or "").split("\n\n")


def _up_to(limit: int, states: Callable[[int], int | None]) -> Callable[[int], int | None]:
    """The count, where computing it is no work of its own."""
    return lambda n: states(n) if n <= limit else None


def _of(module: object, meaning: str, default: int) -> Size:
    return Size(meaning, default, getattr(module, "LEAST", 0), getattr(module, "MOST", 0))


def _entries() -> Iterator[Entry]:
    yield Entry(
        "philosophers",
        dining.philosophers,
        f"{DISSERTATION}, appendix B.1",
        _of(dining, "philosophers", 4),
        dining.VARIANTS,
        states=counts.philosophers,
    )
    yield Entry(
        "doubled-philosophers",
        doubling.doubled_philosophers,
        f"{HABILITATION}, section I.3.2",
        _of(doubling, "doublings: 2^n philosophers", 3),
        doubling.VARIANTS,
        nets=(),
        states=_up_to(20, counts.doubled_philosophers),
    )
    yield Entry(
        "contest-philosophers",
        contest.contest_philosophers,
        "Model Checking Contest, Philosophers",
        _of(contest, "philosophers", 5),
        contest.VARIANTS,
        states=counts.contest_philosophers,
    )
    yield Entry(
        "slotted-ring",
        ring.slotted_ring,
        f"{DISSERTATION}, appendix B.3",
        _of(ring, "nodes", 5),
        ring.VARIANTS,
        states=_up_to(2_000, counts.slotted_ring),
    )
    yield Entry(
        "round-robin",
        robin.round_robin,
        f"{DISSERTATION}, appendix B.6",
        _of(robin, "processes", 5),
        robin.VARIANTS,
        states=counts.round_robin,
    )
    yield Entry(
        "fms",
        factory.fms,
        f"{DISSERTATION}, appendix B.2",
        _of(factory, "parts of each kind", 2),
        factory.VARIANTS,
        nets=("flat", "groups"),
        states=_up_to(20_000, counts.fms),
    )
    yield Entry(
        "kanban",
        cards.kanban,
        f"{DISSERTATION}, appendix B.4",
        _of(cards, "cards in each cell", 3),
        cards.VARIANTS,
        states=_up_to(20_000, counts.kanban),
    )
    yield Entry(
        "leader",
        election.leader,
        f"{DISSERTATION}, appendix B.5",
        _of(election, "processes", 3),
        election.VARIANTS,
        states=counts.leader,
    )
    yield Entry(
        "voters",
        voting.voters,
        f"{HABILITATION}, section V.2.5",
        _of(voting, "voters", 10),
        voting.VARIANTS,
        states=counts.voters,
    )
    yield Entry(
        "producer-consumer",
        figures.producer_consumer,
        f"{DISSERTATION}, figure 3.3",
        _of(figures, "tokens of each", 1),
        figures.VARIANTS,
        states=counts.producer_consumer,
    )
    yield Entry(
        "fork-join",
        figures.fork_join,
        f"{DISSERTATION}, appendix A",
        _of(figures, "tokens", 1),
        figures.VARIANTS,
        states=counts.fork_join,
    )
    yield Entry(
        "three-places",
        figures.three_places,
        f"{DISSERTATION}, figure 2.1",
        _of(figures, "tokens", 2),
        figures.VARIANTS,
        states=counts.three_places,
    )
    yield Entry(
        "two-places",
        figures.two_places,
        f"{DISSERTATION}, figure 4.1",
        _of(figures, "tokens", 1),
        figures.VARIANTS,
        states=counts.two_places,
    )
    yield Entry(
        "producers-consumers",
        joint.producers_consumers,
        f"{MILESTONES}, section 7.5",
        _of(joint, "producers, and as many consumers", 2),
        joint.VARIANTS,
        nets=(),
        states=counts.producers_consumers,
    )
    yield Entry(
        "running-example",
        joint.running_example,
        f"{MILESTONES}, section 2.1",
        None,
        joint.VARIANTS,
        nets=(),
    )
    yield Entry("swap", figures.swap, f"{DISSERTATION}, figure 3.6", None, ("flat",), nets=())


ENTRIES: dict[str, Entry] = {e.name: e for e in _entries()}


def entry(name: str) -> Entry:
    """The model of that name, in either spelling: `slotted-ring` or `slotted_ring`."""
    found = ENTRIES.get(name.replace("_", "-"))
    if found is None:
        hint = suggestion(name, list(ENTRIES))
        raise error(f"the library has no model named '{name}'", hint=hint)
    return found
