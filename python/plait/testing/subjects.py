"""The subjects of a hunt: each engine, and each pass, behind the same face.

A later engine joins by giving `Findings` for a model; it need not answer everything, but what it
answers is compared.
"""

from __future__ import annotations

from plait import passes
from plait.engines.budget import Budget
from plait.engines.explicit import KINDS, Explicit
from plait.model.types import Model
from plait.passes.rewritten import Pass
from plait.testing.findings import Findings, Subject, by_reference, guarded


@guarded
def explicit(model: Model, limit: int) -> Findings:
    """The native breadth-first search, behind all passes."""
    engine = Explicit(model)
    space = engine.states(Budget(states=limit))
    if not space.complete:
        return Findings("too large", space.reason or "")
    found = Findings(
        "complete",
        figures={
            "states": space.states,
            "arcs": space.arcs,
            "deadlocks": space.deadlocks,
            "max_value": space.max_value,
            "max_sum": space.max_sum,
        },
    )
    asked = [p for p in model.properties if p.kind in KINDS]
    for p, answer in zip(asked, engine.check(asked, Budget(states=limit)), strict=True):
        if p.kind == "bounds":
            low, high = answer.stats.get("min"), answer.value
            known = isinstance(low, int) and isinstance(high, int)
            found.bounds[p.name] = (low, high) if known else None  # type: ignore[assignment]
        else:
            found.verdicts[p.name] = answer.verdict
        if answer.witness is not None:
            found.witnesses[p.name] = answer.witness
    return found


def behind(*rewriting: Pass) -> Subject:
    """The reference on the model that the passes give: states and all verdicts must be the same."""

    @guarded
    def answer(model: Model, limit: int) -> Findings:
        found = by_reference(passes.run(model, rewriting).model, limit)
        # A pass may remove cells that never change, so sums and maxima are not compared.
        found.figures.pop("max_value", None)
        found.figures.pop("max_sum", None)
        found.distances.clear()
        return found

    return answer
