"""The quotient of a flat model: each of its events ends in a canonical state.

What permutations do is written as statements, so that every engine can execute it: exchanging
values by way of one more cell, which is 0 between events, and renumbering references. After the
body of an event each element that makes the state less is applied, in turn, until none does:

    fixpoint { if (g1.s < s) { s = g1.s } if (g2.s < s) { s = g2.s } ... }

A state of the quotient has the cells of the model, and then that one more.

The quotient of the reachable states is bisimilar to all of them where conditions are symmetric
(Emerson and Sistla, "Symmetry and model checking", 1996): safety, LTL and CTL keep their answers.

For diagrams, where a set of states is made canonical at once (`plait.engines.symbolic.orbits`), the
elements are events of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.model.expr import And, AsInt, Binary, Compare, Const, Formula, IntExpr, Or, Var
from plait.model.fresh import FreshNames
from plait.model.rewritten import flat_type
from plait.model.shape import shape_of
from plait.model.stmt import Assign, Body, Call, Fixpoint, If
from plait.model.types import ElementaryType, Event, Label, Model, Variable
from plait.records import replace
from plait.symmetry.group import Permutation


def quotient(flat: Model, elements: Sequence[Permutation]) -> Model:
    """The model with events that end in canonical states."""
    writer = _Writer(flat)
    labels = FreshNames(e.label.name for e in writer.type.events if e.label is not None)
    label = labels.fresh("canonise")
    choices = tuple(If(writer.reduces(g), writer.applied(g)) for g in elements)
    name = FreshNames(e.name for e in writer.type.events).fresh("canonise")
    canonise = Event(name, body=(Fixpoint(choices),), label=Label(label))
    events = (
        replace(e, body=(*e.body, Call(label)), queues=(), last=False) if e.label is None else e
        for e in writer.type.events
    )
    return writer.model((*events, canonise))


def with_elements(flat: Model, elements: Sequence[Permutation]) -> Model:
    """The model with two more events for each element, after all others.

    The first makes a state less, if the element does; the second applies the element to any.
    """
    writer = _Writer(flat)
    names = FreshNames(e.name for e in writer.type.events)
    added: list[Event] = []
    for number, g in enumerate(elements):
        body = writer.applied(g)
        less = names.fresh(f"less_{number}")
        added.append(Event(less, guard=(writer.reduces(g),), body=body))
        added.append(Event(names.fresh(f"element_{number}"), body=body))
    # Guards say when nothing else is possible; the mark would promise it of the elements too.
    events = (replace(e, idle=False, last=False) for e in writer.type.events)
    return writer.model((*events, *added))


class _Writer:
    """Permutations of the cells of a flat model as conditions and statements."""

    def __init__(self, flat: Model) -> None:
        self.flat = flat
        self.type = flat_type(flat)
        shape = shape_of(flat)
        self._cells: list[Var] = []
        for name, slot in shape.variables.items():
            if slot.size is None:
                self._cells.append(Var(name))
            else:
                self._cells += [Var(name, Const(i)) for i in range(slot.size)]
        self._spare = Var(FreshNames(shape.variables).fresh("exchanged"))

    def model(self, events: Sequence[Event]) -> Model:
        """The model with other events, and with the cell by way of which values are exchanged."""
        variables = (*self.type.variables, Variable(self._spare.name))
        type_ = ElementaryType(self.type.name, variables=variables, events=tuple(events))
        return replace(self.flat, types=(type_,))

    def reduces(self, g: Permutation) -> Formula:
        """The condition that `g.s < s`: where they first differ, it is less."""
        found: Formula | None = None
        for cell in reversed(g.moved):
            new, old = self._value(g, cell, self._cells[g.source[cell]]), self._cells[cell]
            less = Compare("<", new, old)
            found = less if found is None else Or((less, And((Compare("==", new, old), found))))
        assert found is not None
        return found

    def applied(self, g: Permutation) -> Body:
        """The statements that make `g.s` of a state."""
        body: list[Assign] = []
        done: set[int] = set()
        for first in g.moved:
            if first in done:
                continue
            circle = [first]
            while g.source[circle[-1]] != first:
                circle.append(g.source[circle[-1]])
            done.update(circle)
            if len(circle) > 1:
                body.append(Assign(self._spare, self._cells[first]))
            for cell in circle:
                source = self._cells[g.source[cell]]
                value = self._spare if len(circle) > 1 and cell == circle[-1] else source
                body.append(Assign(self._cells[cell], self._value(g, cell, value)))
        if any(a.target is self._spare for a in body):
            body.append(Assign(self._spare, Const(0)))
        return tuple(body)

    def _value(self, g: Permutation, cell: int, value: IntExpr) -> IntExpr:
        """A value as it comes to a cell: with another number, if it is a reference."""
        found = value
        for number, new in g.renumber.get(cell, {}).items():
            here = AsInt(Compare("==", value, Const(number)))
            found = Binary("+", found, Binary("*", here, Const(new - number)))
        return found


__all__ = ["quotient", "with_elements"]
