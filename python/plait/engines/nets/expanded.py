"""Witnesses of reduced nets, told of the net: trees of paths, expanded step by step.

An event of a reduced net stands for a sequence of events, its trail (`plait.structure.draft`). So a
path of the reduced net is a path of the net with markings in between, and each of these is
stuttering bisimilar to the marking before the step or to the one after it. What follows from that:

- a path to a goal ends where what must hold until then no longer does: that marking is like the
  last one already, and what is left of the trail begins the branches that begin there;
- a branch that begins after a step begins, longer by the rest of the trail, at the markings in
  between as well, if what it needs holds on the way;
- a cycle is one of the net if the places that were left out come back to what they were, as they do
  where the net is bounded; a deadlock leads to a deadlock by what `Reduced.finish` lists.

Nothing here has to be believed: the reference replays every path and evaluates what it shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from plait.engines.prepared import Prepared
from plait.logic.evidence import PATHS, Claim, along, path_of
from plait.logic.formula import Exists, Forall, Next
from plait.logic.walk import operands
from plait.model.expr import And, Formula, Or
from plait.model.shape import State
from plait.records import dataclass
from plait.report.answer import Branch, Step, Witness
from plait.structure.linear import Goal, holds
from plait.structure.reductions import Reduced, TooLong

Pair = tuple[Formula, Formula]
"""A formula about the net, and the same about the reduced net."""
CELLS = 4_000_000
"""Cells of all states of a tree together; a larger one is not written out."""
TOO_LONG = "its paths are too long to be written out"


class NoWitness(Exception):  # noqa: N818 - told in a note, not a failure
    """The net has no such path, or one too long to be written out; the message says which."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """A tree of paths of the net, and whether branches are missing that the reduced one has."""

    witness: Witness
    cut: bool


def expand_witness(
    witness: Witness,
    reduced: Reduced,
    prepared: Prepared,
    pair: Pair,
    goals: Mapping[int, Goal],
) -> Expansion:
    """The tree of the reduced net as one of the net.

    `goals` are the conditions, by identity, of the formula in negation normal form. Raises
    `NoWitness` where the first path has no counterpart.
    """
    expander = _Expander(reduced, prepared, goals)
    prefix = (e for trail in reduced.prefix for e in trail.events())
    root = expander.path(witness, pair, prefix, reduced.original.initial)
    return Expansion(root, expander.cut)


@dataclass(slots=True)
class _Run:
    """A path of the net: its markings, its events, and where the reduced states lie on it."""

    markings: list[State]
    events: list[int]
    places: list[int]
    loop: int | None = None

    def rest(self, at: int, number: int) -> list[int]:
        """The events from a marking to the reduced state of that number."""
        return self.events[at : self.places[number]]


class _Expander:
    def __init__(self, reduced: Reduced, prepared: Prepared, goals: Mapping[int, Goal]) -> None:
        self.reduced = reduced
        self.prepared = prepared
        self.goals = goals
        self.number = {e.name: i for i, e in enumerate(reduced.net.events)}
        self.cells = 0
        self.paths = 0
        self.cut = False

    def path(
        self,
        witness: Witness,
        pair: Pair,
        before: Iterable[int],
        start: State,
        between: bool = False,
    ) -> Witness:
        """A path for the formula that executes `before` first, with its branches.

        Where it begins at a marking `between` two of the reduced net it may not be one.
        """
        claim: Claim = (pair[0], witness.shows is not None)
        self.paths += 1
        run = self._run(witness, before, start)
        end = 0 if path_of(claim) is None else self._end(run, claim, between)
        # Branches are as deep as a tree has paths, which is not many.
        branches = tuple(self._branches(witness, pair, run, end))
        events = self.prepared.compiled.events
        steps = tuple(
            Step(events[e].title, self.prepared.lift(m))
            for e, m in zip(run.events[:end], run.markings[1 : end + 1], strict=True)
        )
        return Witness(
            self.prepared.lift(start),
            steps,
            run.loop,
            branches,
            shows=pair[0] if claim[1] else None,
            refutes=None if claim[1] else pair[0],
        )

    # --- one path ---------------------------------------------------------------------------------

    def _run(self, witness: Witness, before: Iterable[int], start: State) -> _Run:
        run = _Run([start], [], [])
        self._execute(run, before)
        run.places.append(len(run.events))
        for step in witness.steps:
            self._execute(run, self.reduced.trails[self.number[step.event]].events())
            run.places.append(len(run.events))
        if witness.loop is None:
            return run
        if witness.loop == len(witness.steps):
            try:
                self._execute(run, self.reduced.finishing(run.markings[-1]))
            except TooLong:
                raise NoWitness(TOO_LONG) from None
            run.loop = len(run.events)
            return run
        run.loop = run.places[witness.loop]
        if run.markings[run.loop] != run.markings[-1]:
            raise NoWitness("what goes on for ever is no cycle of the net: some places only grow")
        return run

    def _execute(self, run: _Run, events: Iterable[int]) -> None:
        for e in events:
            marking = self.reduced.original.events[e].fire(run.markings[-1])
            run.events.append(e)
            run.markings.append(marking)
            self.cells += len(marking)
            if self.cells > CELLS:
                raise NoWitness(TOO_LONG)

    def _end(self, run: _Run, claim: Claim, between: bool) -> int:
        """Where the path ends: where what must hold until then does not, or at its own end."""
        found = path_of(claim)
        assert found is not None
        stay, goal = along(*found)
        last = len(run.events)
        end = next((i for i in range(last) if self._fails(stay, run.markings[i])), last)
        if between:
            wrong = self._fails(goal, run.markings[end])
            wrong |= run.loop is not None and (end < last or self._fails(stay, run.markings[end]))
            if wrong or (found[0] is Next and last != 1):
                raise NoWitness("no path of the net")
        return last if run.loop is not None else end

    def _fails(self, claims: Sequence[Claim], marking: State) -> bool:
        return any(self._truth(c, marking) is False for c in claims)

    # --- branches ---------------------------------------------------------------------------------

    def _branches(self, witness: Witness, pair: Pair, run: _Run, end: int) -> Iterator[Branch]:
        inside = self._inside(pair)
        for branch in witness.branches:
            below = branch.witness
            claimed = below.refutes if below.shows is None else below.shows
            pairs = [p for p in inside if p[1] == claimed]
            first = 0 if branch.at == 0 else run.places[branch.at - 1] + 1
            last = min(run.places[branch.at], end)
            for at in (last, *range(first, last)):
                for p in pairs:
                    rest = run.rest(at, branch.at)
                    made = self._branch(below, p, rest, run.markings[at], at < last)
                    if made is not None:
                        yield Branch(at, made)

    def _branch(
        self, below: Witness, pair: Pair, rest: Sequence[int], start: State, between: bool
    ) -> Witness | None:
        if self.paths >= PATHS:
            self.cut = True
            return None
        try:
            return self.path(below, pair, rest, start, between)
        except NoWitness:
            self.cut = True
            return None

    def _inside(self, pair: Pair) -> list[Pair]:
        """The quantified formulas inside, not those inside these."""
        found: list[Pair] = []
        stack = [pair]
        while stack:
            f, g = stack.pop()
            if id(f) in self.goals:
                continue
            if isinstance(f, Exists | Forall) and f is not pair[0]:
                found.append((f, g))
            else:
                stack.extend(zip(operands(f), operands(g), strict=True))
        return found[::-1]

    # --- conditions -------------------------------------------------------------------------------

    def _truth(self, claim: Claim, marking: State) -> bool | None:
        """The truth of a claim as far as conditions tell it, by strong Kleene logic."""
        values: dict[int, bool | None] = {}
        stack = [(claim[0], False)]
        while stack:
            f, expanded = stack.pop()
            goal = self.goals.get(id(f))
            if goal is not None:
                values[id(f)] = holds(goal, marking)
            elif isinstance(f, And | Or) and not expanded:
                stack.append((f, True))
                stack += [(g, False) for g in operands(f)]
            elif isinstance(f, And | Or):
                below = [values[id(g)] for g in operands(f)]
                decisive = isinstance(f, Or)
                known = None if None in below else not decisive
                values[id(f)] = decisive if decisive in below else known
            else:
                values[id(f)] = None
        value = values[id(claim[0])]
        return value if claim[1] or value is None else not value


__all__ = ["Expansion", "NoWitness", "expand_witness"]
