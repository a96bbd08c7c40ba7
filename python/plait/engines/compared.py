"""All methods that apply to a property, one after the other, for a table that compares them.

The names are those of the literature, mostly of Vander Meulen's thesis (2012, section 7.1). BFS and
PE search states; FWD and BWD ask temporal formulas forward and backward; evalCTLX and evalLTLX do
so on what partial exploration leaves; BMC and BPE look at runs of a bounded length. Each is what
`plait check` does with some options, which are shown as well. So all guarantees for answers hold:
runs are replayed, limits are kept, and what is not known stays `unknown`. Each method works in a
process of its own, so that its memory does not include what others have left behind.

Invariant: two methods never contradict each other. If they do, an internal error is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from plait.engines import check
from plait.engines.apart import POLL, Apart, Died, apart
from plait.engines.budget import Budget, Listener, Progress, resident_memory
from plait.engines.evidence import Evidence
from plait.engines.explicit.reduction import Reduction
from plait.engines.names import BOUNDED
from plait.engines.symbolic.tuning import Tuning
from plait.errors import InputError, LimitReached
from plait.model.types import Model, Property
from plait.records import dataclass, field, replace
from plait.report.answer import Answer

NO_TIME = 1e-9
GRACE = 1.0
"""Seconds after its time that a method has to say how far it came."""
SAFETY = ("reachable", "never", "invariant", "deadlock")


@dataclass(frozen=True, slots=True)
class Way:
    """A method: its name, what `plait check` has to be told, and what it is for."""

    name: str
    options: str
    kinds: tuple[str, ...]
    engine: str
    tuning: Tuning = field(default_factory=Tuning)
    reduction: Reduction | None = None


WAYS = (
    Way("BFS", "--engine symbolic --strategy bfs", SAFETY, "symbolic", Tuning(strategy="bfs")),
    Way("saturation", "--engine symbolic", SAFETY, "symbolic"),
    Way("PE", "--strategy partial", SAFETY, "symbolic", Tuning(strategy="partial")),
    Way("FWD", "--engine symbolic --ctl forward", ("ctl",), "symbolic", Tuning(ctl="forward")),
    Way("BWD", "--engine symbolic --ctl backward", ("ctl",), "symbolic", Tuning(ctl="backward")),
    Way("evalCTLX", "--strategy partial", ("ctl",), "symbolic", Tuning(strategy="partial")),
    Way("local", "--engine explicit --ctl local", ("ctl",), "explicit", Tuning(ctl="local")),
    Way("FWD", "--engine symbolic --ltl tableau", ("ltl",), "symbolic", Tuning(ltl="tableau")),
    Way(
        "BWD",
        "--engine symbolic --ltl tableau-backward",
        ("ltl",),
        "symbolic",
        Tuning(ltl="tableau-backward"),
    ),
    Way("evalLTLX", "--strategy partial", ("ltl",), "symbolic", Tuning(strategy="partial")),
    Way(
        "evalLTLX(BWD)",
        "--strategy partial --ltl tableau-backward",
        ("ltl",),
        "symbolic",
        Tuning(strategy="partial", ltl="tableau-backward"),
    ),
    Way("automaton", "--engine symbolic", ("ltl",), "symbolic"),
    Way("explicit", "--engine explicit", (*SAFETY, "ltl"), "explicit"),
    Way(
        "explicit, reduced",
        "--engine explicit --reduction stubborn",
        (*SAFETY, "ltl"),
        "explicit",
        reduction=Reduction("stubborn"),
    ),
    Way("BMC", "--engine bounded", (*SAFETY, "ltl"), "bounded"),
    Way(
        "BPE",
        "--engine bounded --strategy partial",
        (*SAFETY, "ltl"),
        "bounded",
        Tuning(strategy="partial"),
    ),
)


@dataclass(frozen=True, slots=True)
class Row:
    """What a method said of a property; without an answer, why it cannot be asked."""

    way: Way
    answer: Answer | None
    refusal: str | None = None


def ways_for(p: Property) -> list[Way]:
    """The methods for a property of its kind."""
    return [way for way in WAYS if p.kind in way.kinds]


def compared(
    model: Model,
    p: Property,
    budget: Callable[[], Budget],
    *,
    depth: int | None = None,
    listen: Listener | None = None,
) -> Iterator[Row]:
    """What each method says of a property, as it comes; each has a budget of its own."""
    ways = ways_for(p)
    for way in ways:  # so that none of them pays for what it takes to load an engine
        if way.engine != BOUNDED:  # whose solver would be in everybody's memory
            asked(model, p, way, Budget(NO_TIME))
    for way in ways:
        row = _alone(model, p, way, budget(), depth=depth, listen=listen)
        yield row
        if row.answer is not None and row.answer.reason == "interrupted":
            return


def _alone(
    model: Model,
    p: Property,
    way: Way,
    budget: Budget,
    *,
    depth: int | None,
    listen: Listener | None,
) -> Row:
    """What a method says in a process of its own, which ends itself when its budget is used up."""

    def tick(memory: int) -> None:
        if listen is not None:
            listen(Progress(way.name, memory=memory, seconds=budget.elapsed))

    def work() -> Iterator[Row]:
        yield _told(asked(model, p, way, budget, depth=depth))

    timeout = None if budget.timeout is None else budget.timeout + GRACE
    memory = None if budget.memory is None else budget.memory + resident_memory()
    try:
        (row,) = apart(work, replace(budget, timeout=timeout, memory=memory), tick, [p, way])
        return row
    except KeyboardInterrupt:
        reason = "interrupted"
    except LimitReached as limit:
        reason = limit.reason
    except Died as death:
        reason = str(death)
    return Row(way, Answer(p, "unknown", way.engine, reason=reason, seconds=budget.elapsed))


def _told(row: Row) -> Row:
    """The row without a witness, which may be too deep to be written out."""
    return row if row.answer is None else replace(row, answer=replace(row.answer, witness=None))


def asked(
    model: Model,
    p: Property,
    way: Way,
    budget: Budget,
    *,
    depth: int | None = None,
    listen: Listener | None = None,
) -> Row:
    """What one method says of a property."""
    try:
        (answer,) = check(
            model,
            [p],
            engine=way.engine,
            tuning=way.tuning,
            reduction=way.reduction,
            budget=budget,
            depth=depth,
            listen=listen,
        )
    except LimitReached as limit:
        answer = Answer(p, "unknown", way.engine, reason=limit.reason, seconds=budget.elapsed)
    except InputError as refusal:
        return Row(way, None, str(refusal).splitlines()[0])
    return Row(way, answer)


def first(
    model: Model,
    p: Property,
    budget: Budget,
    *,
    ways: Sequence[Way] | None = None,
    depth: int | None = None,
) -> Row | None:
    """What the method says that knows first; all work beside each other, and then the rest ends.

    No direction of search is the best one everywhere, and nobody knows before which will be.
    """
    chosen = ways_for(p) if ways is None else ways
    view = Evidence(model).view
    # A model may be too deep to be written out; those who work beside us have it, too.
    racing: dict[int, Apart[tuple[int, Row]]] = {}

    def work(number: int) -> Iterator[tuple[int, Row]]:
        yield number, _told(asked(model, p, chosen[number], budget, depth=depth))

    try:
        for number in range(len(chosen)):
            racing[number] = Apart(partial(work, number), budget, [p, view, *chosen])
        while racing:
            for number, process in list(racing.items()):
                row = _known(process)
                if row is not None:
                    return row
                if not process.running:
                    racing.pop(number).close()
            budget.check()
    finally:
        for process in racing.values():
            process.close()
    return None


def _known(process: Apart[tuple[int, Row]]) -> Row | None:
    """What a process has found out, if it has."""
    try:
        process.memory()
        for _, row in process.take(POLL / 4):
            if row.answer is not None and row.answer.verdict != "unknown":
                return row
    except (Died, LimitReached):
        process.close()
    return None


def contradiction(rows: Sequence[Row]) -> str | None:
    """What is wrong with us, if two methods say the opposite of each other."""
    said = {row.answer.verdict: row.way.name for row in rows if row.answer is not None}
    if "true" in said and "false" in said:
        return f"internal error: {said['true']} and {said['false']} contradict each other"
    return None


__all__ = ["WAYS", "Row", "Way", "asked", "compared", "contradiction", "first", "ways_for"]
