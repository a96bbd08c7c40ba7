"""CTL at the initial state: backward, forward, or as much forward as can be and the rest backward.

Forward after Iwashita, Nakata and Hirose (1996), with the deadlock rule of the contest: whether a
set of states meets the states of a formula is asked by going forward from the set,

    H * EX f      != 0  iff  EY(H) * f != 0
    H * E[q U f]  != 0  iff  FwdU(H, q) * f != 0,  where FwdU(H, q) = lfp Z. H + Next(Z * q)
    H * EG q      != 0  iff  FwdG(H, q) != 0,      the endless part of FwdU(H, q) * q, or a deadlock

until what is left is a condition, an A operator, or the constraint `q`: those are computed
backward. A disjunction splits in two questions; of a conjunction all but one operand, the one with
the most temporal operators, restrict H. Nothing is asked that the answer does not depend on: at the
initial state conjunctions and disjunctions end with the first operand that decides them, and the
outermost fixpoint with the initial state decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from plait.engines.symbolic.ctl import States, SymbolicLabelling
from plait.engines.symbolic.forward_questions import ForwardQuestions, Question, cut, text_of
from plait.engines.symbolic.tuning import CtlWay
from plait.errors import InputError
from plait.logic.classify import why_not_ctl
from plait.logic.evidence import Claim, Costs, along, costs, path_of
from plait.logic.formula import (
    Exists,
    Finally,
    Forall,
    Globally,
    Next,
    Release,
    WeakUntil,
)
from plait.logic.nnf import nnf
from plait.model.expr import And, Formula, Or
from plait.records import dataclass, field


@dataclass(slots=True)
class Decision:
    """Whether a formula holds initially, and the forward questions that were asked for it."""

    holds: bool
    forms: list[str] = field(default_factory=list)


def decide(labelling: SymbolicLabelling, formula: Formula, way: CtlWay) -> Decision:
    """Whether a CTL formula holds in the initial state."""
    wrong = why_not_ctl(formula)
    if wrong is not None:
        raise InputError(wrong)
    body = nnf(formula)
    if way in ("backward", "saturation") or labelling.fair:
        # What a fair path is going to do is not seen going forward.
        return Decision(truth(body, costs(body), lambda f: _backward(labelling, f)))
    forward = Forward(labelling, way)
    return Decision(truth(body, costs(body), forward.initially), forward.forms)


def truth(root: Formula, cost: Costs, leaf: Callable[[Formula], bool]) -> bool:
    """The truth of conjunctions and disjunctions, cheap operands first, as far as it takes."""
    frames: list[tuple[bool, Iterator[Formula]]] = []
    current = root
    while True:
        if isinstance(current, And | Or) and cost[id(current)] > 0:
            value = isinstance(current, And)
            operands = sorted(current.operands, key=lambda f: cost[id(f)])
            frames.append((value, iter(operands)))
        else:
            value = leaf(current)
        while frames:
            conjunction, rest = frames[-1]
            following = next(rest, None) if value == conjunction else None
            if following is not None:
                current = following
                break
            frames.pop()
        else:
            return value


def _backward(labelling: SymbolicLabelling, f: Formula) -> bool:
    """Whether an atom or a quantified formula holds initially."""
    if isinstance(f, Exists):
        return labelling.begins(labelling.path(f.operand))
    if isinstance(f, Forall):
        return not labelling.begins(labelling.dual(labelling.path(f.operand)))
    return bool(labelling.select(labelling.core.initial(), f))


class Forward(ForwardQuestions):
    """The states that paths lead to, by fixpoints inside a constraint."""

    def __init__(self, labelling: SymbolicLabelling, way: CtlWay) -> None:
        super().__init__(labelling.core)
        self.labelling = labelling
        self.way = way

    def _selected(self, here: States, condition: Formula) -> States:
        return self.labelling.select(here, condition)

    def _label(self, formula: Formula) -> States:
        return self.labelling.label(formula)

    def _onward(self, here: States, text: str, claim: Claim, cost: Costs) -> list[Question] | None:
        found = path_of(claim)
        assert found is not None
        operator, parts = found
        core = self.labelling.core
        if operator is Next:
            return [(core.successors(here), f"EY({cut(text)})", parts[0])]
        if operator is Finally:
            return [(self._reached(here), f"FwdU({cut(text)}, true)", parts[0])]
        stay, goal = along(operator, parts)
        inside = self._inside(here, self.labelling.claimed(stay[0]))
        form = f"{cut(text)}, {text_of(stay[0])}"
        if operator in (Globally, WeakUntil, Release):
            self._note(f"FwdG({form})")
            if self._is_endless(inside):
                return None
        if not goal:
            return []
        ends, form = core.union(here, core.successors(inside)), f"FwdU({form})"
        for known in goal[1:]:
            ends = core.intersection(ends, self.labelling.claimed(known))
            form = f"{form} * {text_of(known)}"
        return [(ends, form, goal[0])]

    def _reached(self, here: States) -> States:
        return self.labelling.core.eventually(self.labelling.all, here, forward=True)

    def _inside(self, here: States, stay: States) -> States:
        """The states of `stay` that paths inside it lead to from some states: FwdU(H, q) * q."""
        core = self.labelling.core
        return core.eventually(stay, core.intersection(here, stay), forward=True)

    def _is_endless(self, inside: States) -> bool:
        """Whether some path stays in a set for ever, all of which paths inside it lead to."""
        core = self.labelling.core
        if core.intersection(inside, self.labelling.deadlocks()):
            return True
        if self.way == "forward":
            return bool(core.with_endless_past(inside))
        nothing = self.labelling.nothing
        return bool(core.invariantly(inside, nothing, way=self.labelling.always, maximal=False))
