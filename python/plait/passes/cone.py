"""The cone of influence: a model without the variables that what is asked does not depend on.

A variable is kept when it is asked about, when a guard or a constraint reads it, since these decide
whether there is a step at all, and when the new value of one that is kept depends on it: by what is
assigned, or by the conditions under which it is (Clarke, Grumberg and Peled, *Model Checking*,
13.1). The rest is left out with all that assigns it.

Invariant: two states that agree in what is kept have, event by event, steps to states that agree in
it, and so has the state of the smaller model that they are cut to. That is a bisimulation: formulas
of CTL and LTL about what is kept, also with fairness about it, have the same answers, and there is
a deadlock where there was one. How many states there are does not stay the same.

Only of models whose assignments cannot fail (`Model.faultless`): elsewhere an assignment that is
left out might have taken a step away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from plait.model.expr import Var
from plait.model.node import Node, nodes
from plait.model.stmt import Abort, Assign, Body, Call, If, Statement
from plait.model.types import ElementaryType, Event, Model, Property
from plait.passes.walk import map_body, statements
from plait.records import replace


class Dependences:
    """What the variables of a model depend on."""

    def __init__(self, system: ElementaryType) -> None:
        self.system = system
        self.answering: dict[str, list[Event]] = {}
        for event in system.events:
            if event.label is not None:
                self.answering.setdefault(event.label.name, []).append(event)
        self.needs: dict[str, set[str]] = {}
        """The variables that the new value of each depends on."""
        self.deciding: set[str] = set()
        """The variables that decide whether there is a step."""
        self._under: dict[str, set[str]] = {}
        """The variables on which it depends whether a label is called."""
        for event in system.events:
            if event.label is None:
                self.deciding |= _names(event.guard)
                self._note(event.body, set())

    def kept(self, asked: Iterable[Node]) -> frozenset[str]:
        """The variables on which what is asked depends."""
        found: set[str] = set()
        waiting = [*self.deciding, *_names(asked)]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.needs.get(name, ())
        return frozenset(found)

    def _note(self, body: Body, under: set[str]) -> None:
        """Note what the statements do where these variables decide whether they are executed."""
        for statement in body:
            match statement:
                case Assign(target=target, value=value):
                    self.needs.setdefault(target.name, set()).update(_names((value,)), under)
                case If(condition=condition, then=then, otherwise=otherwise):
                    inside = under | _names((condition,))
                    self._note(then, inside)
                    self._note(otherwise, inside)
                case Abort():
                    self.deciding |= under
                case Call(label=label):
                    known = self._under.get(label)
                    if known is None or not under <= known:
                        self._under[label] = under | (known or set())
                        for event in self.answering[label]:
                            self._note(event.body, self._under[label])

    def cut(self, model: Model, kept: Collection[str]) -> Model:
        """The model with these variables only; nobody asks it anything yet."""
        idle = self._idle(kept)

        def change(statement: Statement) -> tuple[Statement, ...]:
            match statement:
                case Assign(target=target) if target.name not in kept:
                    return ()
                case If(then=(), otherwise=()):
                    return ()
                case Call(label=label) if label in idle:
                    return ()
            return (statement,)

        events = (
            replace(event, body=map_body(event.body, change))
            for event in self.system.events
            if event.label is None or event.label.name not in idle
        )
        variables = tuple(v for v in self.system.variables if v.name in kept)
        smaller = replace(self.system, variables=variables, events=tuple(events))
        return replace(model, types=(smaller,), properties=())

    def _idle(self, kept: Collection[str]) -> set[str]:
        """The labels whose events do nothing to what is kept, and take no step away."""
        busy: set[str] = set()
        while True:
            more = {
                label
                for label, events in self.answering.items()
                if label not in busy and any(self._does(e.body, kept, busy) for e in events)
            }
            if not more:
                return self.answering.keys() - busy
            busy |= more

    @staticmethod
    def _does(body: Body, kept: Collection[str], busy: Collection[str]) -> bool:
        for statement in statements(body):
            match statement:
                case Assign(target=target) if target.name in kept:
                    return True
                case Call(label=label) if label in busy:
                    return True
                case Abort():
                    return True
        return False


def dependences(model: Model) -> Dependences | None:
    """What depends on what, of a model of which variables can be left out."""
    if not model.faultless or len(model.types) != 1:
        return None
    system = model.types[0]
    if not isinstance(system, ElementaryType) or system.plain is not None:
        return None
    shaped = system.channels or system.processes or system.predicates or system.units
    if shaped or system.transient is not None or any(v.size for v in system.variables):
        return None
    labels = {e.label.name for e in system.events if e.label is not None}
    plain = all(
        not event.parameters
        and (event.label is None or not (event.guard or event.label.arguments))
        and all(_is_plain(statement, labels) for statement in statements(event.body))
        for event in system.events
    )
    return Dependences(system) if plain else None


def asked_by(properties: Iterable[Property]) -> Iterator[Node]:
    """The expressions of properties, those about their paths too."""
    for p in properties:
        if p.body is not None:
            yield p.body
        yield from p.fair


def _is_plain(statement: Statement, labels: Collection[str]) -> bool:
    match statement:
        case Assign(target=target):
            return target.index is None
        case Call(label=label):
            # A call that nobody answers would take a step away.
            return label in labels and not statement.arguments
    return isinstance(statement, If | Abort)


def _names(expressions: Iterable[Node]) -> set[str]:
    return {n.name for e in expressions for n in nodes(e) if isinstance(n, Var)}


__all__ = ["Dependences", "asked_by", "dependences"]
