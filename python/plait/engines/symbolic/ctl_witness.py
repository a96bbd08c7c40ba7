"""Witnesses for CTL from diagrams: paths between states, found layer by layer.

The tree is grown by `plait.logic.evidence`; here its paths are found. A path to a goal is a
shortest one. A lasso goes, by a shortest path, to the nearest deadlock, or to the nearest state
that may lie on a cycle (it has an endless past and an endless future inside); if it does not, it
goes on to the next, strictly later in the order of components, so that this ends. The way around is
a shortest one.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.engines.prepared import Prepared
from plait.engines.symbolic.ctl import PathFormula, States, SymbolicLabelling
from plait.logic.evidence import Claim, Shown, grow
from plait.logic.formula import Globally
from plait.model.expr import Formula
from plait.model.shape import State
from plait.report.answer import Branch, Step, Witness

Hops = list[tuple[object, State]]


def witness_of(
    labelling: SymbolicLabelling, prepared: Prepared, claim: Claim
) -> tuple[Witness, bool] | None:
    """The paths that show what is claimed of the initial state, and whether some are cut.

    None when no path can show a part of it.
    """
    initial = tuple(prepared.compiled.program.initial())
    tree = grow(SymbolicPaths(labelling), claim, initial)
    return None if tree is None else (_witness(prepared, tree.root), tree.cut)


def _witness(prepared: Prepared, shown: Shown[State]) -> Witness:
    branches = tuple(Branch(at, _witness(prepared, below)) for at, below in shown.branches)
    events = prepared.compiled.events
    steps = tuple(
        Step(events[event].title, prepared.lift(state))
        for event, state in shown.hops
        if isinstance(event, int)
    )
    formula, holds = shown.claim
    return Witness(
        prepared.lift(shown.hops[0][1]),
        steps,
        shown.loop,
        branches,
        shows=formula if holds else None,
        refutes=None if holds else formula,
    )


class SymbolicPaths:
    """Paths through reachable states that satisfy claims."""

    def __init__(self, labelling: SymbolicLabelling) -> None:
        self.labelling = labelling
        self.core = labelling.core
        self._known: dict[tuple[int, bool], tuple[Formula, States]] = {}

    def states(self, claims: Sequence[Claim]) -> States:
        """The states of which all claims are true."""
        found = self.labelling.all
        for claim in claims:
            key = (id(claim[0]), claim[1])
            if key not in self._known:
                self._known[key] = (claim[0], self.labelling.claimed(claim))
            found = self.core.intersection(found, self._known[key][1])
        return found

    def is_true(self, claim: Claim, state: State) -> bool:
        """Whether a claim is true of a state."""
        return self.core.contains(self.states([claim]), state)

    def path(
        self, state: State, stay: Sequence[Claim], goal: Sequence[Claim], moved: bool
    ) -> Hops | None:
        """A shortest path to the goal, in `stay` until there; with `moved` not of zero steps."""
        found = self.core.path(state, self.states(stay), self.states(goal), moved=moved)
        return None if found is None else list(found)

    def lasso(self, state: State, stay: Sequence[Claim]) -> tuple[Hops, int] | None:
        """A path to a cycle or deadlock in `stay`, and a shortest way around the cycle."""
        core = self.core
        inside = self.labelling.some(PathFormula(Globally, (self.states(stay),)))
        if not core.contains(inside, state):
            return None
        hops: Hops = [(None, state)]
        dead = core.intersection(inside, self.labelling.deadlocks())
        from_here = core.single(state)
        while True:
            reached = core.eventually(inside, from_here, forward=True)
            endless = core.invariantly(
                core.with_endless_past(reached), self.labelling.nothing, maximal=False
            )
            ends = core.union(core.intersection(reached, dead), endless)
            found = core.path(hops[-1][1], inside, ends)
            assert found is not None
            hops += found[1:]
            last = hops[-1][1]
            if core.contains(dead, last):
                return hops, len(hops) - 1
            around = core.path(last, inside, core.single(last), moved=True)
            if around is not None:
                return [*hops, *around[1:]], len(hops) - 1
            # On no cycle, so all that follows it is a later part; one step there is a shortest.
            from_here = core.intersection(core.successors(core.single(last)), inside)
            onward = core.path(last, inside, from_here, moved=True)
            assert onward is not None
            hops += onward[1:]
            from_here = core.single(hops[-1][1])
