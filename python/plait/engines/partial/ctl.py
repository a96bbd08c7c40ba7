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
from plait.engines.partial.exploration import PartialExploration, States
from plait.engines.symbolic.ctl import SymbolicLabelling
from plait.engines.symbolic.ctl_ways import truth
from plait.engines.symbolic.forward_questions import ForwardQuestions, Question, cut, text_of
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


class PartialCtl(ForwardQuestions):
    """Decides CTL formulas of one model."""

    def __init__(
        self,
        core: _core.Symbolic,
        explore: PartialExploration[States],
        select: Callable[[States, Formula], States],
        labelling: Callable[[], SymbolicLabelling],
        dead: Callable[[States], States] | None,
    ) -> None:
        """`select` gives the states of a set where a condition holds, `labelling` all reachable.

        `dead` gives those without successor, and is None when paths that end there do not count.
        """
        super().__init__(core)
        self.explore = explore
        self.select = select
        self.labelling = labelling
        self.dead = dead
        self.explorations = 0
        self.reached: States | None = None
        """The largest set that an exploration has found."""

    def holds(self, formula: Formula) -> bool:
        """Whether a formula that `refuse_next` lets pass holds in the initial state."""
        body = nnf(formula)
        return truth(body, costs(body), self.initially)

    def _selected(self, here: States, condition: Formula) -> States:
        return self.select(here, condition)

    def _label(self, formula: Formula) -> States:
        return self.labelling().label(formula)

    def _onward(self, here: States, text: str, claim: Claim, cost: Costs) -> list[Question] | None:
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
            self._note(f"EH({cut(form)} * {text_of(stay[0])})")
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
