"""Sums of places: in a net they have no end, in the language of models they wrap around.

An answer about a net whose question adds up more tokens than a 32-bit integer holds is not one, and
becomes `unknown`: a wrong bound is worse than none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from plait.model.arithmetic import INT_MAX
from plait.model.expr import Binary, Var
from plait.model.node import nodes
from plait.report.answer import Answer

REASON = "a sum of places leaves the 32-bit integers"


def doubt_sums(answers: Sequence[Answer]) -> list[Answer]:
    """The answers about a net, without those that a wrapped sum may have made."""
    return [_doubted(a) if a.verdict != "unknown" and _may_wrap(a) else a for a in answers]


def _doubted(a: Answer) -> Answer:
    stats = {name: figure for name, figure in a.stats.items() if name not in ("min", "max")}
    return Answer(a.property, "unknown", a.engine, reason=REASON, stats=stats, seconds=a.seconds)


def _may_wrap(a: Answer) -> bool:
    """Whether the question computes with places beyond the 32-bit integers in a state seen."""
    total = a.stats.get("max_sum")
    if a.property.body is None or not isinstance(total, int):
        return False
    operators = set()
    places: Counter[Var] = Counter()
    for node in nodes(a.property.body):
        if isinstance(node, Binary):
            operators.add(node.op)
        elif isinstance(node, Var):
            places[node] += 1
    if not operators:
        return False
    # All places together hold `total` tokens; only a place that is named again adds to that.
    most = total * max(places.values(), default=0)
    return most > INT_MAX or (not operators <= {"+", "-"} and most * most > INT_MAX)
