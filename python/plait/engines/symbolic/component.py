"""Types as instantiable transition systems: one interface, whatever a type is made of.

ITS specification, 5.1: a type has an initial state, labels, and for each label the homomorphism
`Succ(label)` that maps a set of its states to their successors under that label; a condition on its
states is a selector. A type that offers these can be a part of a composite, and nobody asks whether
it is elementary, a composite or a set.

Here a type of a model is flattened and written over the variables of diagrams (`plait.dd`), the
first cell on top. To keep the hierarchy instead is for `plait.engines.symbolic.hierarchy`.
"""

from __future__ import annotations

from collections.abc import Iterable

from plait.dd import Diagrams, Hom, Set, union
from plait.errors import error
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.fresh import FreshNames
from plait.model.rewritten import flat_type
from plait.model.shape import shape_of
from plait.model.stmt import Call
from plait.model.types import Event, Model, Property
from plait.passes import flat
from plait.program import compile_model
from plait.records import replace


class Component:
    """A type of a model: the one of that name, or the main one."""

    def __init__(self, model: Model, type_name: str | None = None) -> None:
        main = model.type(model.main if type_name is None else type_name)
        self.model = replace(model, main=main.name, properties=())
        self.diagrams = Diagrams()
        self.labels: tuple[str, ...] = tuple(_plain_labels(main.events))
        """The labels without arguments, which others may call."""
        # The passes drop what nobody calls; so each label is called, by an event of its own.
        names = FreshNames(e.name for e in main.events)
        self._callers = {names.fresh("succ"): label for label in self.labels}
        callers = tuple(Event(name, body=(Call(label),)) for name, label in self._callers.items())
        called = replace(main, events=(*main.events, *callers))
        types = tuple(called if t is main else t for t in model.types)
        self._flat = flat(replace(self.model, types=types), reduce=False).model
        self._events = flat_type(self._flat).events
        self._homs = self.diagrams.events(compile_model(self._flat))

    @property
    def cells(self) -> tuple[str, ...]:
        """The names of the cells of a state, in their order."""
        return tuple(shape_of(self._flat).cells())

    @property
    def initial(self) -> Set:
        """The initial state alone."""
        return self.state(shape_of(self._flat).initial())

    def state(self, values: tuple[int, ...]) -> Set:
        """The set of one state."""
        width = len(values)
        return self.diagrams.point({width - i: value for i, value in enumerate(values)})

    @property
    def events(self) -> dict[str, Hom]:
        """What each event does, by its title; events of one title are added."""
        found: dict[str, Hom] = {}
        for event, hom in zip(self._events, self._homs, strict=True):
            if event.name not in self._callers:
                found[event.title] = found[event.title] | hom if event.title in found else hom
        return found

    def successors(self, label: str | None = None) -> Hom:
        """`Succ(label)`; without a label, what the type does by itself."""
        if label is not None and label not in self.labels:
            raise error(
                f"no label '{label}' here", hint=f"labels: {', '.join(self.labels) or 'none'}"
            )
        chosen = (
            hom
            for event, hom in zip(self._events, self._homs, strict=True)
            if event.label is None and self._callers.get(event.name) == label
        )
        return union([self.diagrams.zero, *chosen])

    def predicate(self, condition: str | Formula) -> Hom:
        """Keeps the states where the condition is true, and so has a negation: `~`."""
        if isinstance(condition, str):
            asked = parse_formula(condition, self.model, "predicate", kind="reachable")
        else:
            asked = Property("predicate", "reachable", condition)
        made = flat(replace(self.model, properties=(asked,)), reduce=False).model
        (p,) = made.properties
        assert isinstance(p.body, Formula)
        type_ = flat_type(made)
        # An event that asks for the condition and does nothing is the selector itself.
        asking = replace(type_, events=(Event("predicate", guard=(p.body,)),))
        alone = replace(made, types=(asking,), properties=())
        return self.diagrams.events(compile_model(alone))[0]

    def reachable(self) -> Set:
        """What the type reaches by itself."""
        return (self.successors() | self.diagrams.identity).closure()(self.initial)


def _plain_labels(events: Iterable[Event]) -> dict[str, None]:
    labels = (e.label for e in events if e.label is not None)
    return dict.fromkeys(label.name for label in labels if not label.arguments)


__all__ = ["Component"]
