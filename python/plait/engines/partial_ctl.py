"""CTL without X by partial exploration: `evalCTLX` of Vander Meulen's thesis (2012, section 3.4).

As `ctl_ways` goes forward, with the reduced sets of `partial` in the place of the states reached
inside a constraint:

    H * E[q U f] != 0  iff  PE(H, q) * f != 0
    H * EG q     != 0  iff  some path stays in PE(H, q) * q for ever, by steps of all events

What no rule fits (an A operator where some state is to satisfy it, or the constraint `q` when it is
temporal) is computed backward on all reachable states, without reduction. A disjunction splits in
two questions; of a conjunction all operands but the most temporal one restrict H first.

A reduction drops states that only a next step can tell apart, so formulas with X are refused. One
place is safe: the outermost operators, which are asked of the initial states before anything is
reduced. There X is one step of all events.
"""

from __future__ import annotations

from collections.abc import Callable

from plait import _core
from plait.engines.ctl_ways import cut, text_of, truth
from plait.engines.partial import PartialExploration, States
from plait.engines.symbolic_ctl import SymbolicLabelling
from plait.errors import error
from plait.logic.evidence import Claim, Costs, along, costs, path_of
from plait.logic.formula import (
    Exists,
    Finally,
    Forall,
    Globally,
    Next,
    Release,
    Temporal,
    WeakUntil,
)
from plait.logic.nnf import nnf
from plait.logic.walk import subformulas
from plait.model.expr import And, Formula, Or
from plait.model.text import show

Question = tuple[States, str, Claim]
"""A set of states, its text, and a claim that may be true of some of them."""


def refuse_next(formula: Formula) -> None:
    """Raise a located error for a formula with an X that a reduction does not keep."""
    waiting = [nnf(formula)]
    while waiting:
        f = waiting.pop()
        if isinstance(f, And | Or):
            waiting.extend(f.operands)
        elif isinstance(f, Exists | Forall) and isinstance(f.operand, Next):
            waiting.append(f.operand.operand)
        elif isinstance(f, Temporal):
            for inner in subformulas(f):
                if isinstance(inner, Next):
                    raise error(
                        f"X in '{show(formula, limit=60)}' tells states apart that partial "
                        "exploration takes for one: it counts steps, and some are left out",
                        formula.span,
                        hint="use --strategy saturation with --ctl forward or backward",
                    )


class PartialCtl:
    """Decides CTL formulas of one model."""

    def __init__(
        self,
        explore: PartialExploration,
        select: Callable[[States, Formula], States],
        labelling: Callable[[], SymbolicLabelling],
        dead: Callable[[States], States] | None,
    ) -> None:
        """`select` gives the states of a set where a condition holds, `labelling` all reachable.

        `dead` gives those without successor, and is None when paths that end there do not count.
        """
        self.explore = explore
        self.core: _core.Symbolic = explore.core
        self.select = select
        self.labelling = labelling
        self.dead = dead
        self.forms: list[str] = []
        self.explorations = 0
        self.reached: States | None = None
        """The largest set that an exploration has found."""

    def holds(self, formula: Formula) -> bool:
        """Whether a formula that `refuse_next` lets pass holds in the initial state."""
        body = nnf(formula)
        return truth(body, costs(body), self._initially)

    def _initially(self, f: Formula) -> bool:
        initial = self.core.initial()
        if isinstance(f, Forall):
            return not self._meets(initial, (f, False))
        return self._meets(initial, (f, True))

    def _meets(self, start: States, root: Claim) -> bool:
        """Whether a claim is true of some state of a set."""
        cost = costs(root[0])
        pending: list[Question] = [(start, "Init", root)]
        while pending:
            here, text, claim = pending.pop()
            f, holds = claim
            if not here:
                continue
            if path_of(claim) is not None:
                found = self._onward(here, text, claim, cost)
                if found is None:
                    return True
                pending += found
            elif isinstance(f, And | Or) and f.operands and cost[id(f)] > 0:
                *others, last = sorted(f.operands, key=lambda g: cost[id(g)])
                if isinstance(f, And) == holds:
                    for g in others:
                        here = self._restricted(here, (g, holds), cost)
                        text = f"{text} * {text_of((g, holds))}"
                    others = []
                pending += [(here, text, (g, holds)) for g in (last, *reversed(others))]
            else:
                self.forms.append(f"{cut(f'{text} * {text_of(claim)}')} != 0")
                if self._restricted(here, claim, cost):
                    return True
        return False

    def _restricted(self, here: States, claim: Claim, cost: Costs) -> States:
        """The states of a set of which a claim is true."""
        f, holds = claim
        if cost[id(f)] == 0:
            true = self.select(here, f)
        else:
            true = self.core.intersection(here, self.labelling().label(f))
        return true if holds else self.core.difference(here, true)

    def _onward(self, here: States, text: str, claim: Claim, cost: Costs) -> list[Question] | None:
        """What remains to be asked where a path is to begin; None when an endless one does."""
        found = path_of(claim)
        assert found is not None
        operator, parts = found
        if operator is Next:
            image = self.explore.image(here, self.explore.events)
            return [(image, f"EY({cut(text)})", parts[0])]
        if operator is Finally:
            return [(self._explored(here, None), f"PE({cut(text)}, true)", parts[0])]
        stay, goal = along(operator, parts)
        ends = self._explored(here, lambda states: self._restricted(states, stay[0], cost))
        form = f"PE({cut(text)}, {text_of(stay[0])})"
        if operator in (Globally, WeakUntil, Release):
            self.forms.append(f"EH({cut(form)} * {text_of(stay[0])}) != 0")
            if self._is_endless(self._restricted(ends, stay[0], cost)):
                return None
        if not goal:
            return []
        for known in goal[1:]:
            ends = self._restricted(ends, known, cost)
            form = f"{form} * {text_of(known)}"
        return [(ends, form, goal[0])]

    def _explored(self, here: States, inside: Callable[[States], States] | None) -> States:
        self.explorations += 1
        found = self.explore(here, inside)
        if self.reached is None or self.core.count(found) > self.core.count(self.reached):
            self.reached = found
        return found

    def _is_endless(self, inside: States) -> bool:
        """Whether some path stays in a set for ever: by all events, not only those explored."""
        if self.dead is not None and self.dead(inside):
            return True
        left = inside
        while left:
            before = left
            left = self.core.intersection(left, self.explore.image(left, self.explore.events))
            if left == before:
                return True
        return False
