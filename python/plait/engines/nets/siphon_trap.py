"""Answers that siphons and traps give: no deadlock, and liveness of free-choice nets.

Nothing is searched but sets of places (`plait.structure.siphons`), so the answer does not depend on
how many states there are.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.engines.budget import Budget
from plait.logic.formula import Exists, Finally, Forall, Globally
from plait.model.expr import Enabled, Formula, conjuncts
from plait.model.net import Net, as_net
from plait.model.types import Model, Property
from plait.report.answer import Answer
from plait.structure.siphons import (
    deadlock_siphon,
    first_to_die,
    is_free_choice,
    live_free_choice,
    takes_single_tokens,
)

ENGINE = "siphon-trap"
SECONDS = 2.0
"""The most time for one search for siphons."""


def has_no_deadlock(net: Net, budget: Budget) -> bool:
    """Whether siphons and traps show that no deadlock can be reached."""
    if not takes_single_tokens(net):
        return False
    return deadlock_siphon(net, _seconds(budget)).none


def liveness(model: Model, budget: Budget) -> bool | None:
    """Whether every event of a free-choice net can happen again from everywhere; None: unknown."""
    net = as_net(model)
    if not isinstance(net, Net) or not is_free_choice(net):
        return None
    return live_free_choice(net, _seconds(budget))


def asks_liveness(p: Property) -> bool:
    """Whether a property asks if some events can happen again from everywhere."""
    return bool(_asked(p))


def _asked(p: Property) -> list[tuple[str, ...]]:
    """The events of which a property asks whether one can happen again from everywhere.

    It may ask that of several groups, which must all pass.
    """
    found: list[tuple[str, ...]] = []
    for f in conjuncts(p.body) if isinstance(p.body, Formula) else ():
        match f:
            case Forall(
                operand=Globally(operand=Exists(operand=Finally(operand=Enabled(events=e))))
            ):
                found.append(e)
            case _:
                return []
    return found if all(found) else []


def live_answers(model: Model, properties: Sequence[Property], budget: Budget) -> list[Answer]:
    """The answers to those properties that ask for liveness, if the net is live; else unknown."""
    asked = any(map(asks_liveness, properties))
    live = asked and liveness(model, budget) is True
    return [
        Answer(p, "true", ENGINE) if live and asks_liveness(p) else _unknown(p) for p in properties
    ]


def not_live_answers(model: Model, properties: Sequence[Property], budget: Budget) -> list[Answer]:
    """The answers to properties that ask for liveness, if the net is not live and it shows where.

    A property fails that asks for all events; and so does one that asks for events which are not
    live where any is not. There is no trace to show it.
    """
    groups = [_asked(p) for p in properties]
    net = as_net(model)
    if not any(groups) or not isinstance(net, Net) or liveness(model, budget) is not False:
        return [_unknown(p) for p in properties]
    numbers: dict[str, set[int]] = {}
    for n, e in enumerate(net.events):
        for name in (e.name, e.title):
            numbers.setdefault(name, set()).add(n)
    dying = _dying(net, budget)
    answers = []
    for p, asked in zip(properties, groups, strict=True):
        known = all(name in numbers for group in asked for name in group)
        sets = [set[int]().union(*(numbers[name] for name in g)) for g in asked] if known else []
        whole = all({n} in sets for n in range(len(net.events)))
        false = bool(sets) and (whole or any(dying.issuperset(s) for s in sets))
        answers.append(Answer(p, "false", ENGINE) if false else _unknown(p))
    return answers


def _dying(net: Net, budget: Budget) -> frozenset[int]:
    """The events that are not live where any is not, if the net has a bound."""
    from plait.structure.equation import StateEquation  # most nets are not of this kind

    equation = StateEquation(net)
    every = dict.fromkeys(range(len(net.places)), 1)
    if not equation.available or equation.bound(every, _seconds(budget)) is None:
        return frozenset()
    return first_to_die(net)


def _unknown(p: Property) -> Answer:
    return Answer(p, "unknown", ENGINE, reason="siphons and traps do not decide it")


def _seconds(budget: Budget) -> float:
    return budget.moment(SECONDS, 1 / 4)


__all__ = [
    "ENGINE",
    "asks_liveness",
    "has_no_deadlock",
    "live_answers",
    "liveness",
    "not_live_answers",
]
