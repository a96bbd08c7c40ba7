"""A model made ready for CTL formulas, which stay in terms of the original model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from plait.engines.budget import Budget
from plait.engines.prepared import Prepared, prepare
from plait.logic.nnf import nnf
from plait.logic.walk import conditions as conditions_of
from plait.model.expr import Formula
from plait.model.types import Model, Property


def prepare_formulas(
    model: Model, properties: Sequence[Property], budget: Budget, fair: Sequence[Formula] = ()
) -> tuple[Prepared, dict[Formula, Formula]]:
    """The model made ready, and what has become of the state formulas in CTL properties.

    They are properties of their own, after those that were asked: so a CTL formula stays in terms
    of the original model, and only its conditions go through the passes.
    """
    found: dict[Formula, None] = dict.fromkeys(fair)
    for p in properties:
        if p.kind == "ctl" and isinstance(p.body, Formula):
            found.update(dict.fromkeys(conditions_of(nnf(p.body))))
    leaves = [Property(f"condition {i}", "reachable", f) for i, f in enumerate(found)]
    prepared = prepare(model, [*properties, *leaves], budget)
    flat = [p.body for p in prepared.properties[len(properties) :]]
    made = zip(found, flat, strict=True)
    return prepared, {f: body for f, body in made if isinstance(body, Formula)}


class Formulas:
    """A model made ready for CTL formulas: once, whoever asks about them next.

    Formulas stay in terms of the original model, in negation normal form; only their conditions go
    through the passes.
    """

    def __init__(
        self, model: Model, properties: Sequence[Property], budget: Budget | None = None
    ) -> None:
        self.model = model
        self.budget = budget
        self.asked = tuple(properties)
        self.bodies = {id(p): nnf(p.body) for p in properties if isinstance(p.body, Formula)}

    def body(self, p: Property) -> Formula:
        """The formula of one of the properties, in negation normal form."""
        return self.bodies[id(p)]

    def flat(self, condition: Formula) -> Formula:
        """What has become of a condition of one of the bodies."""
        found = self._by_identity.get(id(condition))
        return self.conditions.get(condition, condition) if found is None else found

    @property
    def prepared(self) -> Prepared:
        """The model, flat and compiled."""
        return self._made[0]

    @property
    def conditions(self) -> dict[Formula, Formula]:
        """What has become of the conditions."""
        return self._made[1]

    @cached_property
    def _leaves(self) -> list[Formula]:
        return [f for body in self.bodies.values() for f in conditions_of(body)]

    @cached_property
    def _made(self) -> tuple[Prepared, dict[Formula, Formula]]:
        distinct = list(dict.fromkeys(self._leaves))
        asked = [Property(f"condition {i}", "reachable", f) for i, f in enumerate(distinct)]
        prepared = prepare(self.model, asked, self.budget)
        made = zip(distinct, (p.body for p in prepared.properties), strict=True)
        return prepared, {f: body for f, body in made if isinstance(body, Formula)}

    @cached_property
    def _by_identity(self) -> dict[int, Formula]:
        """Large sums are not hashed and compared again for every question."""
        return {id(f): self.conditions[f] for f in self._leaves}
