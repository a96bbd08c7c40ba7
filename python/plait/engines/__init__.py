"""Engines: from a model and properties to answers, and from a model to the number of its states.

Callers need only `check` and `states`. Their arguments become one `Request`. `questions` says which
engine is asked about which property, and `search` how engines take turns on the reachable states.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.engines.budget import Budget, Listener, Progress, peak_memory
from plait.engines.explicit.method import Method
from plait.engines.explicit.reduction import Reduction
from plait.engines.names import BOUNDED
from plait.engines.request import ENGINES, Request, Tell, chosen_engine
from plait.engines.symbolic.tuning import Tuning
from plait.errors import error
from plait.hints import TYPE_CHECKING
from plait.records import replace

if TYPE_CHECKING:
    from plait.model.expr import Formula
    from plait.model.types import Model, Property
    from plait.report.answer import Answer, StateSpace


def check(
    model: Model,
    properties: Sequence[Property] | None = None,
    *,
    engine: str = "auto",
    tuning: Tuning | None = None,
    budget: Budget | None = None,
    listen: Listener | None = None,
    reduction: Reduction | None = None,
    method: Method | None = None,
    tell: Tell | None = None,
    fair: Sequence[Formula] = (),
    infinite: bool = False,
    weak: bool = False,
    depth: int | None = None,
    together: bool = False,
    repeated: bool = False,
) -> list[Answer]:
    """The answer to each property, in order; without a list, those of the model.

    With `fair` all properties must be CTL, and only paths on which each of these conditions holds
    again and again count. With `infinite`, no path of CTL that ends in a deadlock counts. With
    `weak` only runs of LTL count that are weakly fair to processes and parts.

    `depth` is the number of steps at which the bounded engine stops. With `together` it lets events
    that do not meet happen in one step.

    With `repeated` all properties must be LTL, and are asked as reachability of a repeated state.

    `tell` is called with answers as they come; all are in the list again.

    A property that only names a condition (`atom`) has no answer and is left out; so is, without a
    list, one that is asked only when it is named.

    Properties are taken to be sound ones of the model, as readers and `System.check` make sure;
    `plait.model.validate.check_properties` says what is wrong with others.
    """
    from plait.engines.questions import ask  # whoever counts states asks none

    request = Request(
        engine=chosen_engine(engine, tuning),
        tuning=tuning,
        budget=budget or Budget(),
        listen=listen,
        reduction=reduction,
        method=method,
        fair=tuple(fair),
        infinite=infinite,
        weak=weak,
        depth=depth,
        together=together,
        repeated=repeated,
    )
    if together and request.engine != BOUNDED:
        raise error("events happen together in bounded runs only", hint="use --engine bounded")
    if properties is None:
        properties = [p for p in model.properties if not p.optional]
    found = ask(model, [p for p in properties if p.kind != "atom"], request, tell)
    return [a if a.verdict != "unknown" else _spent(a, request.budget) for a in found]


def _spent(answer: Answer, budget: Budget) -> Answer:
    """An open answer with what was spent on it, whichever engine was the last that was asked."""
    seconds = max(answer.seconds, budget.elapsed)
    memory = max(answer.peak_memory_bytes, peak_memory())
    return replace(answer, seconds=seconds, peak_memory_bytes=memory)


def states(
    model: Model,
    *,
    engine: str = "auto",
    tuning: Tuning | None = None,
    budget: Budget | None = None,
    listen: Listener | None = None,
    reduction: Reduction | None = None,
    method: Method | None = None,
    depth: int | None = None,
) -> StateSpace:
    """The number of reachable states, arcs and deadlocks, and the greatest values.

    With `depth` only the states within so many steps are counted, on diagrams; the result is
    complete when these are all.

    When time or memory runs out, even before the search begins, the result is not complete and says
    why.
    """
    from plait.engines.counting import count

    request = Request(
        engine=chosen_engine(engine, tuning),
        tuning=tuning,
        budget=budget or Budget(),
        listen=listen,
        reduction=reduction,
        method=method,
        depth=depth,
    )
    return count(model, request)


__all__ = [
    "ENGINES",
    "Budget",
    "Listener",
    "Method",
    "Progress",
    "Reduction",
    "Tuning",
    "check",
    "states",
]
