"""Whether a set of states meets the states of a claim, asked by going forward from the set.

A claim about paths leads to questions about the states that they lead to, in one way or another
(`_onward`): by fixpoints inside a constraint (`ctl_ways`), or by partial exploration
(`partial.ctl`). The rest is the same for both. A disjunction splits in two questions; of a
conjunction all but one operand, the one with the most temporal operators, restrict the set first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from plait import _core
from plait.engines.symbolic.ctl import States
from plait.logic.evidence import Claim, Costs, costs, path_of
from plait.logic.formula import Forall
from plait.model.expr import And, Formula, Or
from plait.model.text import show

LONGEST_FORM = 500
"""A forward form with more characters than this is cut."""
Question = tuple[States, str, Claim]
"""A set of states, its text, and a claim that may be true of some of them."""


class ForwardQuestions(ABC):
    """Questions about the initial state, asked forward; `forms` has them as text."""

    def __init__(self, core: _core.Symbolic) -> None:
        self.core = core
        self.forms: list[str] = []

    def initially(self, f: Formula) -> bool:
        """Whether an atom or a quantified formula holds initially."""
        initial = self.core.initial()
        # There is one initial state: it satisfies a formula or it does not.
        if isinstance(f, Forall):
            return not self._meets(initial, (f, False))
        return self._meets(initial, (f, True))

    def _meets(self, start: States, root: Claim) -> bool:
        """Whether a claim is true of some state of a set."""
        cost = costs(root[0])
        pending: list[Question] = [(start, "Init", root)]
        while pending:
            here, text, claim = pending.pop()
            if not here:
                continue
            f, holds = claim
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
                self._note(f"{text} * {text_of(claim)}")
                if self._restricted(here, claim, cost):
                    return True
        return False

    def _restricted(self, here: States, claim: Claim, cost: Costs) -> States:
        """The states of a set of which a claim is true."""
        f, holds = claim
        if cost[id(f)] == 0:
            true = self._selected(here, f)
        else:
            true = self.core.intersection(here, self._label(f))
        return true if holds else self.core.difference(here, true)

    @abstractmethod
    def _onward(self, here: States, text: str, claim: Claim, cost: Costs) -> list[Question] | None:
        """What remains to be asked where a path is to begin; None when an endless one does."""

    @abstractmethod
    def _selected(self, here: States, condition: Formula) -> States:
        """The states of a set where a condition holds."""

    @abstractmethod
    def _label(self, formula: Formula) -> States:
        """All reachable states where a temporal formula holds."""

    def _note(self, form: str) -> None:
        self.forms.append(f"{cut(form)} != 0")


def text_of(claim: Claim) -> str:
    """A claim as a factor of a forward form."""
    formula, holds = claim
    return show(formula) if holds else f"!({show(formula)})"


def cut(text: str) -> str:
    """A form, cut where it is too long to be read."""
    return text if len(text) <= LONGEST_FORM else text[:LONGEST_FORM] + "…"
