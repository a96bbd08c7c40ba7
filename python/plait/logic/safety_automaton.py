"""Safety properties as automata over events: what may happen, in which order.

A prefix-closed language is given by an automaton all of whose states accept: a run is allowed as
long as the automaton can follow the events that it watches. `observed` completes it with one state
for "it could not", which is the accepting state of the complement, and adds it to a model as one
more process that moves together with the watched events. Then the property is that this process
never gets there: a question about a local state, which every reduction with the proviso keeps
(Godefroid's thesis, section 6.4).

    alternate = SafetyAutomaton("out", {("out", "in"): "in", ("in", "out"): "out"})
    model, never_wrong = observed(model, alternate)
    check(model, [never_wrong], reduction=Reduction("ps+sleep+prov"))
"""

from __future__ import annotations

from collections.abc import Mapping

from plait.errors import error
from plait.model.expr import Compare, Const, Var
from plait.model.stmt import Assign
from plait.model.types import Domain, ElementaryType, Event, Model, Property, Variable
from plait.passes import flat
from plait.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class SafetyAutomaton:
    """From where, under which event (by title) to where; it watches the events that it names."""

    initial: str
    arcs: Mapping[tuple[str, str], str]
    also: frozenset[str] = frozenset()
    """Events that are watched although no arc has them: they are never allowed."""

    @property
    def states(self) -> tuple[str, ...]:
        """All states, the initial one first."""
        named = [self.initial, *(s for s, _ in self.arcs), *self.arcs.values()]
        return tuple(dict.fromkeys(named))

    @property
    def alphabet(self) -> frozenset[str]:
        """The events that it watches."""
        return self.also | {event for _, event in self.arcs}

    def allows(self, titles: list[str]) -> bool:
        """Whether it can follow a run."""
        state: str | None = self.initial
        for title in titles:
            if title in self.alphabet and state is not None:
                state = self.arcs.get((state, title))
        return state is not None


def observed(
    model: Model, automaton: SafetyAutomaton, name: str = "observer"
) -> tuple[Model, Property]:
    """The model, made flat, with the automaton as a process, and that it never fails to follow.

    The property is called like the variable with the number of the state of the automaton. A
    watched event is told in traces with that number: `enter [observer == 1]`.
    """
    small = flat(model).model
    (kind,) = small.types
    assert isinstance(kind, ElementaryType)
    unknown = automaton.alphabet - {e.title for e in kind.events if e.label is None}
    if unknown:
        raise error(f"no event that can happen is called {', '.join(sorted(unknown))}")
    if any(v.name == name for v in kind.variables):
        raise error(f"the model has a '{name}'", hint="give the observer another name")
    numbers = {state: n for n, state in enumerate(automaton.states)}
    wrong = len(numbers)
    variable = Variable(name, initial=(Const(0),), domain=Domain(0, wrong))
    events: list[Event] = []
    for event in kind.events:
        if event.label is not None or event.title not in automaton.alphabet:
            events.append(event)
            continue
        for state, number in numbers.items():
            target = automaton.arcs.get((state, event.title))
            after = wrong if target is None else numbers[target]
            events.append(_moving(event, name, number, after))
        events.append(_moving(event, name, wrong, wrong))
    watched = replace(kind, variables=(*kind.variables, variable), events=tuple(events))
    body = Compare("==", Var(name), Const(wrong))
    return replace(small, types=(watched,)), Property(name, kind="never", body=body)


def _moving(event: Event, name: str, before: int, after: int) -> Event:
    """The event where the automaton is in one state and goes to another."""
    at = Compare("==", Var(name), Const(before))
    step = () if before == after else (Assign(Var(name), Const(after)),)
    return replace(
        event,
        name=f"{event.name}_{name}_{before}",
        guard=(at, *event.guard),
        body=(*event.body, *step),
        display=f"{event.title} [{name} == {before}]",
        origin=event.sources,
    )
