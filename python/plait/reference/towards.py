"""Whether an event leads from one state to another, without all the states that it leads to.

The step of a synchronous system chooses many values, and leads to as many states as these can be
combined to. A trace says which of them is meant. So the statements are executed as ever, but of the
states that have arrived only those are kept that agree with the one that is meant in every cell
that no later statement writes: the others end elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from plait.model.expr import Const
from plait.model.shape import State
from plait.model.stmt import Abort, Assign, Call, If, Statement
from plait.reference.components import Copy, Frame, Move
from plait.reference.execution import Execution
from plait.reference.expressions import cell_of


def leads(execution: Execution, move: Move, before: State, after: State) -> bool:
    """Whether the move leads from the one state to the other."""
    return arrival(execution, move, before, dict(enumerate(after))) is not None


def arrival(
    execution: Execution, move: Move, before: State, wanted: Mapping[int, int]
) -> State | None:
    """A state that the move leads to with the values that are wanted of some cells.

    The cells of which nothing is wanted do not matter to the others: of states that agree in all
    others one is followed.
    """

    def agrees(state: State, cells: Iterable[int]) -> bool:
        return all(state[c] == wanted[c] for c in cells if c in wanted)

    body = move.event.body
    frame = move.copies[0].frame
    written = [_written((s,), frame, before) for s in body]
    told = None not in written and len(move.copies) == 1 and frame.at.transient is None
    if not told or not _chooses(body):
        arrived = execution.execute(move, before)
        return next((s for s in arrived if agrees(s, wanted)), None)
    cells = [cells for cells in written if cells is not None]
    states = [before] if execution.guards_hold(move, before) else []
    last = {cell: place for place, some in enumerate(cells) for cell in some}
    if not agrees(before, (c for c in wanted if c not in last)):
        return None
    for place, statement in enumerate(body):
        done = [cell for cell in cells[place] if last[cell] == place]
        arrived = execution.executed(frame, (statement,), states)
        states = [s for s in arrived if agrees(s, done)]
        if len(wanted) < len(before):
            states = list({tuple(s[c] for c in wanted): s for s in states}.values())
    return states[0] if states else None


def _chooses(body: Sequence[Statement]) -> bool:
    """Whether statements may make a call, under a condition too."""
    waiting = list(body)
    while waiting:
        match waiting.pop():
            case Call():
                return True
            case If(then=then, otherwise=otherwise):
                waiting += (*then, *otherwise)
    return False


def _written(body: Sequence[Statement], frame: Frame, state: State) -> set[int] | None:
    """The cells that statements may write, by calls too; None when that takes more to tell."""
    cells: set[int] = set()
    called: set[str] = set()
    waiting = list(body)
    while waiting:
        match waiting.pop():
            case Assign(target=target) if target.index is None or isinstance(target.index, Const):
                cell = cell_of(target, frame, state)
                if cell is None:
                    return None
                cells.add(cell)
            case If(then=then, otherwise=otherwise):
                waiting += (*then, *otherwise)
            case Call(label=label, arguments=()):
                answering: list[Copy] = frame.at.labelled.get((label, ()), [])
                if any(copy.frame.env for copy in answering):
                    return None
                if label not in called:
                    called.add(label)
                    waiting += (s for copy in answering for s in copy.event.body)
            case Abort():
                pass
            case _:
                return None
    return cells


__all__ = ["arrival", "leads"]
