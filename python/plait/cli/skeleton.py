"""What the skeleton of a coloured net tells about it, before its colours are looked at.

Only the conclusions that `plait.colour.skeleton` argues for are drawn; everything else stays open.
The skeleton gets a small part of the time: it is tiny, or it is no help.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from plait.cli.deadline import deadline
from plait.colour.skeleton import telling, told_bound
from plait.engines import check
from plait.engines.budget import Budget
from plait.engines.prepared import KINDS
from plait.engines.safety import as_safety
from plait.engines.tokens import doubt_sums
from plait.errors import PlaitError
from plait.model.types import Model, Property
from plait.report.answer import Answer

ENGINE = "skeleton"
LONGEST = 10.0
"""Seconds that it may take at most."""
PART = 4
"""It may take the fourth part of the time that is left."""


def skeleton_answers(
    skeleton: Model, properties: Sequence[Property], engine: str, limits: Budget
) -> dict[str, Answer]:
    """The answers that hold for the coloured net, too, by the name of the property."""
    asked: dict[str, Property] = {}
    for p in properties:
        safety = p if p.kind in KINDS else as_safety(p)
        if safety is not None and telling(safety) != "unknown":
            asked[p.name] = safety
    if not asked:
        return {}
    share = limits.share(PART)
    seconds = min(LONGEST, share.timeout) if share.timeout is not None else LONGEST
    budget = replace(share, timeout=seconds)
    try:
        with deadline(seconds):
            found = doubt_sums(check(skeleton, list(asked.values()), engine=engine, budget=budget))
    except (PlaitError, MemoryError):
        return {}
    if any(a.reason == "interrupted" for a in found):
        raise KeyboardInterrupt
    original = {p.name: p for p in properties}
    return {
        a.property.name: Answer(
            original[a.property.name], a.verdict, ENGINE, value=a.value, seconds=a.seconds
        )
        for a in found
        if _tells(skeleton, asked[a.property.name], a)
    }


def _tells(skeleton: Model, p: Property, a: Answer) -> bool:
    if a.verdict == "unknown":
        return False
    if p.kind == "bounds":
        return isinstance(a.value, int) and told_bound(skeleton, p, a.value)
    return a.verdict == telling(p)
