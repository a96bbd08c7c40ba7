"""For each clock and location the value from which on no test tells its values apart.

A clock that only one process uses is capped at each location just above the largest number with
which it may still be compared before it is set anew; where there is none its cap is 0 (clock
activity: Daws, Yovine: "Reducing the number of clock variables of timed automata", 1996; caps by
location: Behrmann, Bouyer, Fleury, Larsen: "Static guard analysis in timed automata verification",
2003). One that several use has one cap everywhere. What is asked counts as compared anywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from plait.lang.xta.automata import Automaton, Greatest, clock_test
from plait.model.expr import Compare, Formula
from plait.model.node import nodes
from plait.model.stmt import Assign


class Caps:
    """The caps of the clocks of some automata, about which formulas are asked."""

    def __init__(
        self,
        automata: Sequence[Automaton],
        owners: dict[str, str | None],
        greatest: Greatest,
        asked: Sequence[Formula],
    ) -> None:
        self._greatest = greatest
        self._asked = asked
        self._top = dict.fromkeys(owners, 0)
        self._at: dict[tuple[str, str], int] = {}
        for formulas in (*map(_formulas, automata), asked):
            for formula in formulas:
                for clock, value in _tests(formula, owners, greatest):
                    if owners[clock] is None:
                        self._top[clock] = max(self._top[clock], value + 1)
        for clock, owner in owners.items():
            if owner is not None:
                (a,) = [a for a in automata if a.name == owner]
                self._local(clock, a)

    def _local(self, clock: str, a: Automaton) -> None:
        """The largest constant before the clock is set anew, backwards along the edges."""

        def largest(formulas: Iterable[Formula]) -> int:
            found = (v for f in formulas for _, v in _tests(f, (clock,), self._greatest))
            return max((v + 1 for v in found), default=0)

        asked = largest(self._asked)
        caps = {name: max(largest(loc.invariant), asked) for name, loc in a.locations.items()}
        changed = True
        while changed:
            changed = False
            for edge in a.edges:
                is_set = any(isinstance(s, Assign) and s.target.name == clock for s in edge.updates)
                cap = max(largest(edge.guard), 0 if is_set else caps[edge.target])
                if cap > caps[edge.source]:
                    caps[edge.source] = cap
                    changed = True
        for name, cap in caps.items():
            self._at[clock, name] = cap
        self._top[clock] = max(caps.values(), default=0)

    def at(self, clock: str, location: str) -> int:
        """The cap of a clock at a location of its process."""
        return self._at[clock, location]

    def top(self, clock: str) -> int:
        """The largest value of a clock."""
        return self._top[clock]


def _formulas(a: Automaton) -> Iterator[Formula]:
    for location in a.locations.values():
        yield from location.invariant
    for edge in a.edges:
        yield from edge.guard


def _tests(
    formula: Formula, clocks: Collection[str], greatest: Greatest
) -> Iterator[tuple[str, int]]:
    """The clocks of a formula and the greatest numbers with which they are compared."""
    for node in nodes(formula):
        if isinstance(node, Compare):
            found = clock_test(node, clocks, greatest)
            if found is not None:
                yield found[0], max(found[1], 0)


__all__ = ["Caps"]
