"""Replay of witnesses for CTL: every path of the tree, and what it is said to show.

A path shows that an E operator holds, or that an A operator does not, by what is true of its
states. Conditions are evaluated; an operator inside is true where a branch shows it. What no branch
shows is not known, and a path that depends on it shows its operator in part; but what is known to
be false is an error.
"""

from __future__ import annotations

from collections.abc import Callable

from plait.hints import Literal
from plait.logic.evidence import Claim, along, path_of
from plait.logic.formula import Exists, Forall, Globally, Next, Release, WeakUntil
from plait.logic.nnf import nnf
from plait.logic.walk import operands
from plait.model.expr import And, Formula, Or
from plait.model.shape import State
from plait.model.types import Property
from plait.reference.components import Frame
from plait.reference.execution import Execution
from plait.reference.replay import ReplayError, replay_steps
from plait.report.answer import Witness

Truth = bool | None
Decide = Callable[[Claim, State], Truth]


def confirm_branches(
    execution: Execution, prop: Property, witness: Witness
) -> Literal[True] | None:
    """Replay a tree of paths; True when it shows all of the answer, None when it shows a part."""
    assert isinstance(prop.body, Formula)
    if witness.initial != execution.initial:
        raise ReplayError(0, "the trace does not begin in the initial state")
    claim = _claim(witness)
    if claim is None or claim[0] != nnf(prop.body):
        raise ReplayError(0, f"the witness is not one for '{prop.name}'")
    known: dict[Claim, set[State]] = {}

    def decide(claim: Claim, state: State) -> Truth:
        return _truth(execution, known, claim, state)

    for path in _leaves_first(witness):
        replay_steps(execution, path)
        said = _claim(path)
        if said is None:
            raise ReplayError(0, "a branch does not say what it shows")
        if path_of(said) is not None and _shown(said, path, decide):
            known.setdefault(said, set()).add(path.initial)
        elif path_of(said) is None and path is not witness:
            raise ReplayError(0, "a branch is for no operator that a path can show")
    value = decide(claim, witness.initial)
    if value is False:
        raise ReplayError(0, f"the paths do not show that '{prop.name}' is decided by them")
    return value


def _claim(witness: Witness) -> Claim | None:
    if witness.shows is not None:
        return witness.shows, True
    return None if witness.refutes is None else (witness.refutes, False)


def _leaves_first(root: Witness) -> list[Witness]:
    """All paths of a tree, each after its branches, which must begin where they say."""
    found, stack = [], [root]
    while stack:
        path = stack.pop()
        found.append(path)
        for branch in path.branches:
            if not 0 <= branch.at <= len(path.steps):
                raise ReplayError(0, f"a branch begins at state {branch.at}, which does not exist")
            if branch.witness.initial != path.states[branch.at]:
                raise ReplayError(branch.at, "a branch does not begin in the state of its path")
            stack.append(branch.witness)
    return found[::-1]


def _shown(claim: Claim, path: Witness, decide: Decide) -> bool:
    """Whether a path shows an operator; False when it does in part."""
    found = path_of(claim)
    assert found is not None
    operator, parts = found
    stay, goal = along(operator, parts)
    endless = path.loop is not None
    if endless and operator not in (Globally, WeakUntil, Release):
        raise ReplayError(len(path.steps), "a lasso does not show that something comes")
    if not endless and not goal:
        raise ReplayError(len(path.steps), "a path that ends does not show what is for ever")
    if operator is Next and len(path.steps) != 1:
        raise ReplayError(len(path.steps), "the next state is one step away")
    asked = [(c, s) for s in (path.states if endless else path.states[:-1]) for c in stay]
    if not endless:
        asked += [(c, path.states[-1]) for c in goal]
    values = [decide(c, s) for c, s in asked]
    if False in values:
        wrong = asked[values.index(False)][1]
        raise ReplayError(path.states.index(wrong), "the path does not show what it is said to")
    return None not in values


def _truth(
    execution: Execution, known: dict[Claim, set[State]], claim: Claim, state: State
) -> Truth:
    """The truth of a claim in a state, by strong Kleene logic from what is known."""
    values: dict[int, Truth] = {}
    stack = [(claim[0], False)]
    frame = Frame(execution.main)
    while stack:
        f, expanded = stack.pop()
        if isinstance(f, And | Or) and not expanded:
            stack.append((f, True))
            stack += [(g, False) for g in operands(f)]
        elif isinstance(f, And | Or):
            below = [values[id(g)] for g in operands(f)]
            decisive = isinstance(f, Or)
            if decisive in below:
                values[id(f)] = decisive
            else:
                values[id(f)] = None if None in below else not decisive
        elif isinstance(f, Exists | Forall):
            holds = isinstance(f, Exists)
            shown = state in known.get((f, holds), ())
            values[id(f)] = holds if shown else None
        else:
            values[id(f)] = frame.truth(f, state) is True
    value = values[id(claim[0])]
    return value if claim[1] or value is None else not value
