"""The least time after which a condition can hold, in a model with steps of time.

The model gets a variable that counts steps of time, up to a horizon. Doubled horizons find one
within which the condition can be met, halving finds the least; each answer is that of the ordinary
engines, so a run that is shown is replayed, and that nothing is earlier is a search without a find.
Where the condition cannot be met at all, that is found first, without a horizon.
"""

from __future__ import annotations

from plait.engines import check
from plait.engines.budget import Budget
from plait.errors import LimitReached, error
from plait.model.expr import And, Binary, Compare, Const, Formula, Hop, Var
from plait.model.fresh import FreshNames
from plait.model.stmt import Assign, If, InstanceCall
from plait.model.types import (
    ELAPSE,
    ComponentType,
    CompositeType,
    Domain,
    ElementaryType,
    Event,
    Instance,
    Label,
    Model,
    Property,
    Variable,
)
from plait.records import dataclass, replace
from plait.report.answer import Answer

NOW = "now"
LAST = 2**30
"""The last horizon."""


@dataclass(frozen=True, slots=True)
class Earliest:
    """When a condition can hold at the earliest, and the answer that shows it."""

    time: int | None
    """None where it cannot hold, or where that stayed unknown, as the answer says."""
    answer: Answer


def earliest(
    model: Model, condition: Formula, *, engine: str = "auto", budget: Budget | None = None
) -> Earliest:
    """The least number of steps of time after which the condition holds in some state."""
    if not any(_is_elapse(e) for e in model.system.events):
        raise error(f"no time passes in '{model.name}': nothing is labelled '{ELAPSE}'")
    budget = budget or Budget()

    def ask(horizon: int | None, most: int = 0) -> Answer:
        if budget.remaining() == 0:
            raise LimitReached("timeout")
        if horizon is None:
            return check(model, [_reach(condition)], engine=engine, budget=budget)[0]
        timed, now = with_time(model, horizon)
        within = And((condition, Compare("<=", now, Const(most))))
        return check(timed, [_reach(within)], engine=engine, budget=budget)[0]

    found = ask(None)
    if found.verdict != "true":
        return Earliest(None, found)
    low, high = 0, 0
    while (found := ask(high + 1, high)).verdict == "false":
        low, high = high + 1, 2 * high + 1
        if high > LAST:
            raise LimitReached("states")
    while found.verdict == "true" and low < high:
        middle = (low + high) // 2
        earlier = ask(high + 1, middle)
        if earlier.verdict == "true":
            found, high = earlier, middle
        elif earlier.verdict == "false":
            low = middle + 1
        else:
            found = earlier
    return Earliest(high if found.verdict == "true" else None, found)


def _reach(condition: Formula) -> Property:
    return Property("earliest", "reachable", condition)


def _is_elapse(event: Event) -> bool:
    return event.label is not None and event.label.name == ELAPSE


def with_time(model: Model, horizon: int) -> tuple[Model, Var]:
    """The model with a count of the steps of time, which ends at the horizon, and the count."""
    system = model.system
    names = {v.name for v in getattr(system, "variables", ())}
    names |= {i.name for i in getattr(system, "instances", ())} | {t.name for t in model.types}
    name = FreshNames(names).fresh(NOW)
    domain = Domain(0, horizon)
    count = Variable(name, (Const(0),), domain=domain)
    own = Var(name)
    tick = If(Compare("<", own, Const(horizon)), (Assign(own, Binary("+", own, Const(1))),))
    if isinstance(system, ElementaryType):
        events = tuple(
            replace(e, body=(*e.body, tick)) if _is_elapse(e) else e for e in system.events
        )
        changed: ElementaryType | CompositeType = replace(
            system, events=events, variables=(*system.variables, count)
        )
        return _with(model, changed), own
    if isinstance(system, CompositeType):
        clock = ElementaryType(
            name, events=(Event("tick", body=(tick,), label=Label("tick")),), variables=(count,)
        )
        call = InstanceCall(Hop(name), "tick")
        events = tuple(
            replace(e, body=(*e.body, call)) if _is_elapse(e) else e for e in system.events
        )
        part = Instance(name, type=name)
        changed = replace(system, events=events, instances=(*system.instances, part))
        return _with(model, changed, clock), Var(name, None, (Hop(name),))
    raise error("time is counted in a component or a composite, not in a set of instances")


def _with(model: Model, system: ComponentType, *more: ComponentType) -> Model:
    types = tuple(system if t.name == system.name else t for t in model.types)
    return replace(model, types=(*more, *types))


__all__ = ["Earliest", "earliest", "with_time"]
