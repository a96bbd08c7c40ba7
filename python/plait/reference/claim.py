"""A never claim, read along the runs of a graph: the tableau of `plait.reference.ltl` by hand.

A claim is in one location at a time, so the formulas that the rest of the run must satisfy are
replaced by that location, and there is one eventuality: to be accepting again. An arc that leaves a
location which is not accepting postpones it (Holzmann, The SPIN Model Checker, 2004, chapter 6).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

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

    It is when an accepting pair of place and location can be reached, and reached again.
    """
    reader = ClaimReader(claim, holds)

    def after(pair: tuple[int, int]) -> Iterator[tuple[int, int]]:
        place, location = pair
        next_place = place + 1 if place + 1 < length else loop
        for later, _ in reader.expand(frozenset({location}), place):
            (target,) = later
            yield next_place, target

    def reached(start: tuple[int, int]) -> dict[tuple[int, int], None]:
        """What can be reached by one step or more."""
        found = dict.fromkeys(after(start))
        queue = list(found)
        for pair in queue:
            for target in after(pair):
                if target not in found:
                    found[target] = None
                    queue.append(target)
        return found

    start = (0, 0)
    pairs = [start, *reached(start)]
    return any(reader.accepting(c, p) and (p, c) in reached((p, c)) for p, c in pairs)
