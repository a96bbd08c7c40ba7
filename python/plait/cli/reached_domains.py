"""Domains that hold in all reachable states, for languages in which every variable needs one."""

from __future__ import annotations

from plait import engines, passes
from plait.engines.budget import Budget
from plait.errors import LimitReached
from plait.lang.commands import written_out
from plait.model.expr import Const, Var
from plait.model.rewritten import flat_type
from plait.model.shape import COUNTER, cells_of
from plait.model.types import Domain, Model, Property, Variable
from plait.records import replace


def with_domains(model: Model, budget: Budget, language: str) -> Model:
    """The model as guarded commands, in which every variable has a domain: where it had none, or
    that of a place, the values that it reaches. What it passes through inside a step is none of
    them, so there is no such inside any more.

    `LimitReached` when these are not found within the budget, or have no end. A place keeps the
    domain that it has then.
    """
    flat = passes.flat(model, reduce=False).model
    type_ = flat_type(flat)
    asked = [
        Property(name, "bounds", Var(v.name) if v.size is None else Var(v.name, Const(k)))
        for v in type_.variables
        if v.domain in (None, COUNTER)
        for k, (name, _) in enumerate(cells_of(v))
    ]
    found: dict[str, tuple[int, int]] = {}
    places = {name for v in type_.variables if v.domain == COUNTER for name, _ in cells_of(v)}
    for answer in engines.check(flat, asked, budget=budget) if asked else ():
        least = answer.stats.get("min")
        if not isinstance(answer.value, int) or not isinstance(least, int):
            if answer.property.name in places:
                continue
            why = answer.reason or "its values have no end"
            raise LimitReached(f"no bounds were found for '{answer.property.name}': {why}")
        found[answer.property.name] = (least, answer.value)

    def bounded(v: Variable) -> Variable:
        names = [name for name, _ in cells_of(v)]
        if v.domain not in (None, COUNTER) or not found.keys() >= set(names):
            return v
        values = [bound for name in names for bound in found[name]]
        return replace(v, domain=Domain(min(values, default=0), max(values, default=0)))

    variables = tuple(map(bounded, type_.variables))
    commands = written_out(replace(type_, variables=variables), language)
    return replace(flat, types=(commands,))


__all__ = ["with_domains"]
