"""Engines: from a model and properties to answers.

`check` chooses an engine for each property. Safety properties, and temporal ones that are safety
questions in disguise, go to the native search together; other CTL and LTL properties go to the
reference, which builds the whole graph and therefore has a limit on its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

from plait.engines import explicit
from plait.engines.budget import Budget, Listener, Progress
from plait.engines.evidence import Evidence
from plait.engines.explicit import Explicit
from plait.engines.graph import GraphEngine
from plait.engines.prepared import KINDS
from plait.engines.reduction import Reduction
from plait.engines.safety import as_safety
from plait.errors import LimitReached, error
from plait.model.types import Model, Property
from plait.report.answer import Answer, StateSpace

EngineName = Literal["auto", "explicit", "reference"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)


def check(
    model: Model,
    properties: Sequence[Property] | None = None,
    *,
    engine: str = "auto",
    budget: Budget | None = None,
    listen: Listener | None = None,
    reduction: Reduction | None = None,
) -> list[Answer]:
    """The answer to each property, in order; without a list, those of the model.

    A property that only names a condition (`atom`) has no answer and is left out; so is, without a
    list, one that is asked only when it is named.
    """
    _known(engine)
    budget = budget or Budget()
    if properties is None:
        properties = [p for p in model.properties if not p.optional]
    asked = [p for p in properties if p.kind != "atom"]
    evidence = Evidence(model)
    graph = GraphEngine(evidence, budget, listen)
    answers: dict[int, Answer] = {}
    if engine != "reference":
        searched = {i: s for i, p in enumerate(asked) if (s := _for_search(p)) is not None}
        if searched:
            search = Explicit(model, evidence, reduction)
            found = _guarded_search(search, list(searched.values()), budget, listen)
            answers = {
                i: replace(a, property=asked[i]) for i, a in zip(searched, found, strict=True)
            }
    left = [i for i in range(len(asked)) if i not in answers]
    interrupted = any(a.reason == "interrupted" for a in answers.values())
    for position, i in enumerate(left):
        if interrupted:
            # The native search ends quietly on Ctrl-C; nothing else must begin after it.
            answers[i] = Answer(asked[i], "unknown", "none", reason="interrupted")
        elif engine == "explicit":
            reason = f"the explicit engine does not check {asked[i].kind} properties"
            answers[i] = Answer(asked[i], "unknown", engine, reason=reason)
        else:
            answers[i] = graph.check(asked[i], waiting=len(left) - position)
    return [answers[i] for i in range(len(asked))]


def states(
    model: Model,
    *,
    engine: str = "auto",
    budget: Budget | None = None,
    listen: Listener | None = None,
    reduction: Reduction | None = None,
) -> StateSpace:
    """The number of reachable states, arcs and deadlocks, and the greatest values."""
    _known(engine)
    budget = budget or Budget()
    if engine == "reference":
        return GraphEngine(Evidence(model), budget, listen).states()
    return Explicit(model, reduction=reduction).states(budget, listen)


def _known(engine: str) -> None:
    if engine not in ENGINES:
        raise error(f"no engine named '{engine}'", hint=f"engines here: {', '.join(ENGINES)}")


def _for_search(p: Property) -> Property | None:
    return p if p.kind in KINDS else as_safety(p)


def _guarded_search(
    search: Explicit,
    properties: Sequence[Property],
    budget: Budget,
    listen: Listener | None,
) -> list[Answer]:
    """The search, with a limit that it meets turned into `unknown` for every property."""
    try:
        return search.check(properties, budget, listen)
    except LimitReached as limit:
        return [Answer(p, "unknown", explicit.ENGINE, reason=limit.reason) for p in properties]


__all__ = ["ENGINES", "Budget", "Listener", "Progress", "Reduction", "check", "states"]
