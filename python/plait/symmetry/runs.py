"""A run of the quotient as a run of the model.

The quotient goes from a canonical state by an event of the model and then by permutations to the
next one. So there is a permutation `g` for each state of the run that takes it to a state of the
model. The first is the identity; where the event led to `u`, and permutations `p` from there to the
next canonical state, the model goes on to `g.u`, and `g` becomes `g` after the inverse of `p`
(Emerson and Sistla, 1996). That is right also where an orbit has several canonical states.

A lasso of the quotient comes back to the same canonical state, but the model perhaps to another
state of the orbit; then it goes around again, until it is in a state it was in.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from plait import _core
from plait.model.shape import State, Trace
from plait.program import follow
from plait.report.answer import Witness
from plait.symmetry.group import Permutation, canonised


class Unfolded:
    """Runs of the model, made step by step from canonical states."""

    def __init__(self, program: _core.Program, elements: Sequence[Permutation]) -> None:
        self._program = program
        self._elements = elements

    def run(self, states: Sequence[State], loop: int | None) -> tuple[Trace, int | None]:
        """The run of the model, and where it goes back to, if it is a lasso."""
        here = Permutation.identity(len(states[0]))
        trace: Trace = [(None, states[0])]
        for before, after in pairwise(states):
            here = self._step(trace, here, before, after)
        if loop is None or loop == len(states) - 1:
            return trace, None if loop is None else len(trace) - 1
        around = states[loop:]
        starts = [loop]
        while True:
            known = [n for n in starts if trace[n][1] == trace[-1][1] and n < len(trace) - 1]
            if known:
                return trace, known[0]
            starts.append(len(trace) - 1)
            for before, after in pairwise(around):
                here = self._step(trace, here, before, after)

    def _step(self, trace: Trace, g: Permutation, before: State, after: State) -> Permutation:
        """Append the step that the model makes; the permutation of the state that follows."""
        for _, made in self._program.successors(before):
            least, applied = canonised(self._elements, made)
            if least == after:
                follow(self._program, trace, g.apply(made))
                for p in applied:
                    g = g.after(p.inverse())
                return g
        raise AssertionError("a step of the quotient is one of the model and permutations")


def canonical_states(witness: Witness) -> list[State]:
    """The states of a run of the quotient, without the cell that it has besides."""
    return [state[:-1] for state in witness.states]


__all__ = ["Unfolded", "canonical_states"]
