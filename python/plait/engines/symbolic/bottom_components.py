"""AG EF on diagrams: what can happen again from everywhere, by bottom components.

Every path of a finite graph can be prolonged into a *bottom component*, a strongly connected set of
states that no path leaves. So `AG EF f` holds exactly if each bottom component has a state of `f`,
whatever `f` is: to find the components once answers many such questions, as whether each event of a
net is live, where a backward fixpoint for each would take as many fixpoints.

A component is found as by Xie and Beerel (2000): the states that a state leads to, without those
that lead back to it, are looked at next, until all lead back. Then what leads to that component is
put aside. Deadlocks are components of one state each, and are looked at together, since there may
be very many.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from plait.engines.symbolic.ctl import States, SymbolicLabelling
from plait.logic.formula import Exists, Finally, Forall, Globally
from plait.model.expr import Formula
from plait.records import dataclass


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A CTL formula as a question about bottom components."""

    goal: Formula
    """In negation normal form."""
    holds: bool
    """The formula is AG EF goal; if not it is EF AG goal, which fails if its negation recurs."""


def recurrence(formula: Formula) -> Recurrence | None:
    """A formula in negation normal form as AG EF or EF AG of another, if it is one."""
    match formula:
        case Forall(Globally(Exists(Finally(goal)))):
            return Recurrence(goal, True)
        case Exists(Finally(Forall(Globally(goal)))):
            return Recurrence(goal, False)
    return None


def verdicts(
    labelling: SymbolicLabelling, asked: Mapping[int, Recurrence]
) -> Iterator[tuple[int, bool]]:
    """Whether each formula holds in the initial state, as soon as that is known."""
    goals: dict[int, States] = {}
    for number, question in asked.items():
        states = labelling.label(question.goal)
        goals[number] = states if question.holds else labelling.complement(states)
    for missed in _missed(labelling, goals):
        yield missed, not asked[missed].holds
        del goals[missed]
    for number in goals:
        yield number, asked[number].holds


def _missed(labelling: SymbolicLabelling, goals: Mapping[int, States]) -> Iterator[int]:
    """The numbers of the sets that some bottom component has no state of.

    Whoever is told a number takes its set away from `goals`.
    """
    core, left = labelling.core, labelling.all
    dead = core.deadlocks()
    if dead:
        yield from [n for n, goal in goals.items() if core.difference(dead, goal)]
        left = core.difference(left, core.eventually(labelling.all, dead))
    while left and goals:
        component = _bottom_component(labelling, left)
        yield from [n for n, goal in goals.items() if not core.intersection(component, goal)]
        left = core.difference(left, core.eventually(labelling.all, component))


def _bottom_component(labelling: SymbolicLabelling, states: States) -> States:
    """A bottom component inside a set that no path leaves and that is not empty."""
    core = labelling.core
    if core.holds_initially(states):  # and so are all that are reachable
        state, led_to = core.initial(), states
    else:
        state, led_to = _some_state(labelling, states, states)
    while rest := core.difference(led_to, core.eventually(led_to, state)):
        state, led_to = _some_state(labelling, rest, led_to)
    return led_to


def _some_state(
    labelling: SymbolicLabelling, states: States, inside: States
) -> tuple[States, States]:
    """One of some states, and what it leads to, all of which is inside a set that is known."""
    core = labelling.core
    state = core.single(core.pick(states, 1)[0])
    return state, core.eventually(inside, state, forward=True)


__all__ = ["Recurrence", "recurrence", "verdicts"]
