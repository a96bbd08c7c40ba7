"""The state equation: goals that no marking within reach of any firing count satisfies.

A goal is a tree of conjunctions and disjunctions of inequalities. A conjunction is refuted by one
certificate (`programme`). Otherwise the linear programme gives a marking that solves the state
equation. If it leaves a trap empty that must be marked, that is learnt (`traps`); a disjunction
that it violates is split into its parts, and when it violates none, a place with a fraction of a
token is split into fewer and more, since markings are whole. Each leaf of that tree has a
refutation of its own, checked in exact integers, so the whole is a proof; the tree is given up when
it grows beyond `CASES` or the time is over.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

from plait.model.net import Net
from plait.records import dataclass
from plait.structure.certificate import Bound, Refutation, initially
from plait.structure.linear import Atom, Goal, Junction, fold_goal, truth
from plait.structure.programme import Counts, Programmes
from plait.structure.traps import Traps

CASES = 2000
"""Linear programmes that one goal may take."""
TRAPS = 200
"""Traps that are remembered."""
FRACTION = 1e-6


@dataclass(frozen=True, slots=True)
class Proof:
    """Why a goal is unreachable: a refutation for each of the cases.

    The inequalities of a case may be those of marked traps, too. There are no cases when a bound of
    a place, which has a certificate of its own, tells it already.
    """

    leaves: tuple[tuple[tuple[Atom, ...], Refutation], ...]


class StateEquation:
    """Questions to the state equation of one net."""

    def __init__(self, net: Net, programmes: Programmes | None = None) -> None:
        """`programmes` are those of the net, which take long to be set up where it has many events;
        unlike what is found out by them they can be kept for other questions."""
        self.net = net
        self.programmes = programmes or Programmes(net)
        self._bounds: dict[tuple[tuple[int, int], ...], Bound | None] = {}
        self._by_place: dict[int, int] = {}
        self._traps: Traps | None = None
        self._trapped: list[Atom] = []
        """What traps that are marked at first say of every reachable marking."""
        self.plan: list[tuple[int, int]] | None = None
        """How often events occur in a solution for the last goal that was not refuted."""

    @property
    def available(self) -> bool:
        """Whether the net is of the kind that it speaks of, and there is a solver."""
        return self.programmes.available

    def bound(self, coefficients: Mapping[int, int], seconds: float) -> int | None:
        """A number that the sum never exceeds; None when there is no proof of one."""
        key = tuple(sorted(coefficients.items()))
        if key not in self._bounds:
            self._bounds[key] = self.programmes.bound(coefficients, seconds)
            self._note(self._bounds[key])
        found = self._bounds[key]
        return None if found is None else found.value

    def place_bound(self, place: int, seconds: float) -> int | None:
        """A number of tokens that the place never exceeds; None when there is no proof of one."""
        if place not in self._by_place:
            self.bound({place: 1}, seconds)
        return self._by_place.get(place)

    def longest_run(self, seconds: float) -> int | None:
        """A number of steps that no run exceeds; None when there is no proof of one."""
        weights = self.programmes.decreasing(seconds)
        return None if weights is None else initially(self.net, weights)

    def _note(self, found: Bound | None) -> None:
        """Weights that bound one sum bound every place that they weigh."""
        if found is None or any(w < 0 for w in found.weights.values()):
            return
        total = initially(self.net, found.weights)
        for p, w in found.weights.items():
            if not w:
                continue
            # No weight is negative, so a place has at most all of the sum.
            most = total // w
            self._by_place[p] = min(most, self._by_place.get(p, most))

    def unreachable(self, goal: Goal, seconds: float, cases: int = CASES) -> Proof | None:
        """A proof that no reachable marking satisfies the goal; None when none was found."""
        self.plan = None
        if not self.available:
            return None
        if isinstance(goal, Atom) and len(goal.coefficients) == 1:
            ((place, factor),) = goal.coefficients
            most = self.place_bound(place, seconds) if factor > 0 else None
            if most is not None and factor * most < goal.bound:
                return Proof(())
        end = time.monotonic() + seconds
        leaves: list[tuple[tuple[Atom, ...], Refutation]] = []
        stack: list[tuple[tuple[Atom, ...], tuple[Junction, ...]]] = []
        if not _push(stack, (), (), goal):
            return Proof(())
        while stack:
            given, choices = stack.pop()
            cases -= 1
            left = end - time.monotonic()
            if cases < 0 or left <= 0:
                return None
            known = (*given, *self._trapped)
            found = self.programmes.refute(known, left)
            if isinstance(found, Refutation):
                leaves.append((known, found))
                continue
            if found is not None:
                self.plan = found.plan()
                if self._exclude(found):
                    stack.append((given, choices))
                    continue
            if found is None or not self._split(stack, given, choices, found):
                return None
        self.plan = None
        return Proof(tuple(leaves))

    def _exclude(self, found: Counts) -> bool:
        """Learn a trap that this marking leaves empty; whether there is one."""
        if self._traps is None:
            self._traps = Traps(self.net)
        trap = self._traps.excluding(found.marking)
        if trap is None or trap in self._trapped or len(self._trapped) >= TRAPS:
            return False
        self._trapped.append(trap)
        return True

    def _split(
        self,
        stack: list[tuple[tuple[Atom, ...], tuple[Junction, ...]]],
        given: tuple[Atom, ...],
        choices: tuple[Junction, ...],
        found: Counts,
    ) -> bool:
        """Put the cases that exclude this marking on the stack; whether there were any."""
        marking = found.marking
        for i, choice in enumerate(choices):
            if not _nearly(choice, marking):
                rest = choices[:i] + choices[i + 1 :]
                for part in choice.parts:
                    _push(stack, given, rest, part)
                return True
        for p, tokens in enumerate(marking):
            if abs(tokens - round(tokens)) > FRACTION:
                low = math.floor(tokens)
                stack.append(((*given, Atom(((p, -1),), -low)), choices))
                stack.append(((*given, Atom(((p, 1),), low + 1)), choices))
                return True
        return False


def _push(
    stack: list[tuple[tuple[Atom, ...], tuple[Junction, ...]]],
    given: tuple[Atom, ...],
    choices: tuple[Junction, ...],
    goal: Goal,
) -> bool:
    """Put the case `given and choices and goal` on the stack, unless it is plainly false."""
    inequalities, disjunctions = list(given), list(choices)
    parts: list[Goal] = [goal]
    while parts:
        part = parts.pop()
        if isinstance(part, Atom):
            inequalities.append(part)
        elif part.every:
            parts.extend(part.parts)
        elif not part.parts:
            return False
        else:
            disjunctions.append(part)
    stack.append((tuple(inequalities), tuple(disjunctions)))
    return True


def _nearly(goal: Goal, marking: list[float]) -> bool:
    """Whether the marking satisfies the goal up to rounding."""

    def leaf(part: Atom) -> bool:
        return sum(c * marking[p] for p, c in part.coefficients) >= part.bound - FRACTION

    return fold_goal(goal, leaf, truth)
