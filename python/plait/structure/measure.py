"""How far a marking is from a goal, as a native expression that guides walks.

An inequality `s >= b` is `max(0, b - s)` away, a conjunction as far as its parts together, a
disjunction as far as the nearest part (Dijkstra's Steps-to-Work of a condition; as in the heuristic
of Bønneland, Jensen, Larsen and Muñiz for TAPAAL). 0 exactly where the goal holds, apart from
wrap-around: the measure only guides, the condition beside it decides.
"""

from __future__ import annotations

from typing import NamedTuple

from plait._core import Program
from plait.structure.linear import Atom, Goal, fold_goal


class Measured(NamedTuple):
    """Native expressions of one goal."""

    holds: int
    distance: int


def measure(program: Program, goal: Goal) -> Measured:
    """The goal as a native condition, and how far away it is."""
    return fold_goal(
        goal, lambda a: _atom(program, a), lambda every, parts: _junction(program, every, parts)
    )


def _atom(program: Program, a: Atom) -> Measured:
    total: int | None = None
    for place, coefficient in a.coefficients:
        term = program.load(place)
        if coefficient != 1:
            term = program.binary("*", program.const(coefficient), term)
        total = term if total is None else program.binary("+", total, term)
    assert total is not None
    bound = program.const(a.bound)
    holds = program.compare(">=", total, bound)
    short = program.binary("-", bound, total)
    distance = program.binary("*", program.as_int(program.negate(holds)), short)
    return Measured(holds, distance)


def _junction(program: Program, every: bool, parts: list[Measured]) -> Measured:
    holds = [p.holds for p in parts]
    if every:
        distance = program.const(0)
        for part in parts:
            distance = program.binary("+", distance, part.distance)
        return Measured(program.conjunction(holds), distance)
    distance = parts[0].distance if parts else program.const(1)
    for part in parts[1:]:
        nearer = program.compare("<", part.distance, distance)
        change = program.binary("-", part.distance, distance)
        change = program.binary("*", program.as_int(nearer), change)
        distance = program.binary("+", distance, change)
    return Measured(program.disjunction(holds), distance)
