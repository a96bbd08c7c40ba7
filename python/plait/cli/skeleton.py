"""Answers from the skeleton of a coloured net, before its colours are used.

Only the conclusions that `plait.colour.skeleton` justifies are drawn; everything else stays open.
The skeleton gets a small part of the time, since it is either tiny or no help. For temporal
properties, it finds conditions that are true in no state, or in all: the state equation sees them
among a few places instead of thousands.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.cli.deadline import deadline
from plait.colour.skeleton import is_kept, telling, told_bound
from plait.engines import check
from plait.engines.budget import Budget
from plait.engines.nets.facts import Facts
from plait.engines.nets.tokens import doubt_sums
from plait.engines.prepared import KINDS
from plait.engines.safety import as_safety
from plait.errors import LimitReached, PlaitError
from plait.logic.nnf import nnf
from plait.logic.temporal_rules import simplified
from plait.logic.walk import conditions_in_places
from plait.model.expr import Formula, Not
from plait.model.types import Model, Property
from plait.records import replace
from plait.report.answer import Answer

ENGINE = "skeleton"
LONGEST = 10.0
"""Seconds that it may take at most."""
FACTS_PART = 20
"""Facts may take this part of it."""
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


def skeleton_facts(
    skeleton: Model, properties: Sequence[Property], limits: Budget
) -> dict[str, list[bool | None]]:
    """Which conditions of temporal properties are true in all states of the net, or in none.

    By the name of the property: a value, if one is known, for each condition of its normal form, in
    their order, which is the same whatever form the net has.
    """
    asked: list[tuple[str, int, bool, Formula]] = []
    found: dict[str, list[bool | None]] = {}
    for p in properties:
        if p.kind in ("ctl", "ltl") and isinstance(p.body, Formula):
            # Each as often as it stands there: two transitions without bindings are two conditions
            # of the skeleton and both `false` in the net; who counts that once gives the conditions
            # behind them the facts of others.
            conditions = conditions_in_places(nnf(p.body))
            found[p.name] = [None] * len(conditions)
            for place, condition in enumerate(conditions):
                for value, f in ((False, condition), (True, nnf(Not(condition)))):
                    if is_kept(f):
                        asked.append((p.name, place, value, f))
    distinct = list(dict.fromkeys(f for *_, f in asked))
    share = limits.share(FACTS_PART)
    budget = share if share.timeout is not None else replace(share, timeout=LONGEST)
    try:
        seen = dict(zip(distinct, Facts(skeleton).look(distinct, budget), strict=True))
    except LimitReached as limit:
        if limit.reason == "interrupted":
            raise KeyboardInterrupt from None
        return {}
    for name, place, value, f in asked:
        if seen[f].never:
            found[name][place] = value
    return found


def with_facts(p: Property, facts: Sequence[bool | None]) -> Property:
    """A temporal property with what is known of its conditions put in."""
    if not any(value is not None for value in facts) or not isinstance(p.body, Formula):
        return p
    body = nnf(p.body)
    conditions = conditions_in_places(body)
    if len(conditions) != len(facts):
        return p  # facts of something else
    known = {id(f): value for f, value in zip(conditions, facts, strict=True) if value is not None}
    simpler = simplified(body, lambda f: known.get(id(f)), linear=p.kind == "ltl")
    return replace(p, body=simpler)


def _tells(skeleton: Model, p: Property, a: Answer) -> bool:
    if a.verdict == "unknown":
        return False
    if p.kind == "bounds":
        return isinstance(a.value, int) and told_bound(skeleton, p, a.value)
    return a.verdict == telling(p)
