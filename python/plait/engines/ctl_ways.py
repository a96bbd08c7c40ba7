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
from dataclasses import dataclass, field
from typing import Literal, get_args

from plait.engines.symbolic_ctl import States, SymbolicLabelling
from plait.errors import InputError
from plait.logic.classify import why_not_ctl
from plait.logic.formula import (
    Exists,
    Finally,
    Forall,
    Globally,
    Next,
    Release,
    StrongRelease,
    Temporal,
    Until,
    WeakUntil,
)
from plait.logic.nnf import nnf
from plait.logic.walk import fold_formula
from plait.model.expr import And, Formula, Not, Or
from plait.model.text import show

CtlWay = Literal["auto", "backward", "forward", "saturation"]
CTL_WAYS: tuple[CtlWay, ...] = get_args(CtlWay)
LONGEST_FORM = 500
"""A forward form with more characters than this is cut."""

Costs = dict[int, int]
"""How many temporal operators each sub-formula has, by identity."""


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
    if way in ("backward", "saturation"):
        return Decision(_truth(body, costs(body), lambda f: _backward(labelling, f)))
    forward = Forward(labelling, way)
    return Decision(_truth(body, costs(body), forward.initially), forward.forms)


def costs(formula: Formula) -> Costs:
    """How many temporal operators each sub-formula has, each occurrence counted."""
    found: Costs = {}

    def visit(f: Formula, below: list[int]) -> int:
        found[id(f)] = min(sum(below) + isinstance(f, Temporal), 10**9)
        return found[id(f)]

    fold_formula(formula, visit)
    return found


def _truth(root: Formula, cost: Costs, leaf: Callable[[Formula], bool]) -> bool:
    """The truth of conjunctions and disjunctions, cheap operands first, as far as it takes."""
    frames: list[tuple[bool, Iterator[Formula]]] = []
    current = root
    while True:
        if isinstance(current, And | Or):
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


class Forward:
    """Questions about the initial state, asked forward."""

    def __init__(self, labelling: SymbolicLabelling, way: CtlWay) -> None:
        self.labelling = labelling
        self.way = way
        self.forms: list[str] = []

    def initially(self, f: Formula) -> bool:
        """Whether an atom or a quantified formula holds initially."""
        initial = self.labelling.core.initial()
        if isinstance(f, Forall):
            # There is one initial state: it satisfies a formula or its negation.
            return not self._meets(initial, nnf(Not(f)))
        if isinstance(f, Exists):
            return self._meets(initial, f)
        return bool(self.labelling.select(initial, f))

    def _meets(self, start: States, root: Formula) -> bool:
        """Whether some state of a set satisfies a formula."""
        cost = costs(root)
        pending = [(start, "Init", root)]
        while pending:
            here, text, f = pending.pop()
            if not here:
                continue
            match f:
                case Or(operands=operands):
                    cheap_first = sorted(operands, key=lambda g: cost[id(g)])
                    pending += [(here, text, g) for g in reversed(cheap_first)]
                case And(operands=operands) if operands:
                    *others, last = sorted(operands, key=lambda g: cost[id(g)])
                    for g in others:
                        here = self._restricted(here, g, cost)
                        text = f"{text} * {show(g)}"
                    pending.append((here, text, last))
                case Exists(operand=path):
                    found = self._onward(here, text, path)
                    if found is None:
                        return True
                    pending += found
                case _:
                    self._note(f"{text} * {show(f)}")
                    if self._restricted(here, f, cost):
                        return True
        return False

    def _restricted(self, here: States, f: Formula, cost: Costs) -> States:
        if cost[id(f)] == 0:
            return self.labelling.select(here, f)
        return self.labelling.core.intersection(here, self.labelling.label(f))

    def _onward(
        self, here: States, text: str, path: Formula
    ) -> list[tuple[States, str, Formula]] | None:
        """What remains to be asked where a path formula is to begin; None when one does."""
        labelling = self.labelling
        goals: Formula | None
        match path:
            case Next(operand=f):
                return [(labelling.core.successors(here), f"EY({_cut(text)})", f)]
            case Finally(operand=f):
                return [(self._reached(here), f"FwdU({_cut(text)}, true)", f)]
            case Until(left=stay, right=goal) | WeakUntil(left=stay, right=goal):
                goals = goal
            case StrongRelease(left=goal, right=stay) | Release(left=goal, right=stay):
                goals = And((goal, stay))
            case Globally(operand=stay):
                goals = None
            case _:
                raise AssertionError(f"no path operator: {type(path).__name__}")
        inside = self._inside(here, labelling.label(stay))
        form = f"{_cut(text)}, {show(stay)}"
        if isinstance(path, Globally | WeakUntil | Release):
            self._note(f"FwdG({form})")
            if self._is_endless(here, inside):
                return None
        if goals is None:
            return []
        ends = labelling.core.union(here, labelling.core.successors(inside))
        return [(ends, f"FwdU({form})", goals)]

    def _reached(self, here: States) -> States:
        return self.labelling.core.eventually(self.labelling.all, here, forward=True)

    def _inside(self, here: States, stay: States) -> States:
        """The states of `stay` that paths inside it lead to from some states: FwdU(H, q) * q."""
        core = self.labelling.core
        return core.eventually(stay, core.intersection(here, stay), forward=True)

    def _is_endless(self, here: States, inside: States) -> bool:
        """Whether some path stays in a set for ever, all of which paths inside it lead to."""
        core = self.labelling.core
        if core.intersection(inside, core.deadlocks()):
            return True
        if self.way == "forward":
            return bool(core.with_endless_past(inside))
        nothing = self.labelling.nothing
        return bool(core.invariantly(inside, nothing, way=self.labelling.always))

    def _note(self, form: str) -> None:
        self.forms.append(f"{_cut(form)} != 0")


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_FORM else text[:LONGEST_FORM] + "…"
