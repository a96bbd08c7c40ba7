"""A never claim, read along the runs of a graph: the tableau of `plait.reference.ltl` by hand.

A claim is in one location at a time, so the formulas that the rest of the run must satisfy are
replaced by that location, and there is one eventuality: to be accepting again. An arc that leaves a
location which is not accepting postpones it (Holzmann, The SPIN Model Checker, 2004, chapter 6).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from plait.logic.formula import NeverClaim
from plait.model.expr import Formula

Atom = Callable[[Formula, int], bool]
"""Whether an atom, or a negated one, holds in a state of the graph (or at a place of a lasso)."""
Obligations = frozenset[int]
"""Formulas, by their numbers in a tableau; here a location of the claim."""
Alternative = tuple[Obligations, Obligations]
"""What is to hold from the next state on, and which eventualities are postponed."""
ACCEPTANCE = 0
"""The only eventuality."""


class ClaimReader:
    """The moves of a claim, in the form of a tableau."""

    def __init__(self, claim: NeverClaim, holds: Atom) -> None:
        self.claim = claim
        self.holds = holds
        self.root = 0
        self.eventualities: Obligations = frozenset({ACCEPTANCE})
        self.arcs: dict[int, list[tuple[Formula, int]]] = {}
        for (source, target), guard in zip(claim.arcs, claim.guards, strict=True):
            self.arcs.setdefault(source, []).append((guard, target))

    def expand(self, obligations: Obligations, state: int) -> list[Alternative]:
        """The moves of the claim that a state allows."""
        (location,) = obligations
        accepting = self.accepting(location, state)
        late = frozenset[int]() if accepting else self.eventualities
        targets = dict.fromkeys(
            target for guard, target in self.arcs.get(location, ()) if self.holds(guard, state)
        )
        return [(frozenset({target}), late) for target in targets]

    def accepting(self, location: int, state: int) -> bool:
        """Whether the claim accepts here."""
        return location in self.claim.accepting or self.holds(self.claim.also, state)


def accepts_lasso(claim: NeverClaim, length: int, loop: int, holds: Atom) -> bool:
    """Whether the infinite word `0 .. length-1` that goes back to `loop` is accepted.

    From each location that the claim can be in when the loop begins, it is told which it can be in
    after one turn, and whether it accepts on the way. The word is accepted when these turns have a
    cycle with such a turn.
    """
    reader = ClaimReader(claim, holds)

    def read(places: range, start: Iterable[tuple[int, bool]]) -> set[tuple[int, bool]]:
        """Locations after these places, each with whether the claim accepted at one of them."""
        here = set(start)
        for place in places:
            here = {
                (target, seen or reader.accepting(location, place))
                for location, seen in here
                for later, _ in reader.expand(frozenset({location}), place)
                for target in later
            }
        return here

    def turns_from(start: Iterable[int]) -> dict[int, set[tuple[int, bool]]]:
        """What a turn of the loop leads to, from these locations and all that follow."""
        found: dict[int, set[tuple[int, bool]]] = {}
        stack = list(start)
        while stack:
            location = stack.pop()
            if location not in found:
                found[location] = read(range(loop, length), [(location, False)])
                stack.extend(target for target, _ in found[location])
        return found

    turns = turns_from(location for location, _ in read(range(loop), [(0, False)]))
    return any(
        seen and location in _reached(turns, target)
        for location, after in turns.items()
        for target, seen in after
    )


def _reached(turns: Mapping[int, set[tuple[int, bool]]], start: int) -> set[int]:
    """The locations at the beginnings of turns, from one of them on."""
    found = {start}
    stack = [start]
    while stack:
        new = {target for target, _ in turns[stack.pop()]} - found
        found |= new
        stack.extend(new)
    return found
