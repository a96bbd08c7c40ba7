"""Events of processes, and who may execute one: the control that `atomic` and `d_step` give.

`_exclusive` is 0 while any process may move. Inside a block it is the number of the process plus 1,
and only this process moves. These states are transient: as in SPIN, what is between the steps of a
block is no state of its own, and no claim sees it. After an error inside a block the value is
`HALTED`: nobody moves any more.

An event whose guard requires `timeout` is marked `idle`: it is possible only where no process can
do anything else, so no event without the mark is. That holds as long as `timeout` stands in guards
only as a requirement: with `timeout || x` somewhere, no event is marked.
"""

from __future__ import annotations

from plait.errors import Span
from plait.lang.promela.declarations import LAST, SystemText
from plait.lang.promela.executable import Executability, Place
from plait.lang.promela.flow import Edge, keeps_control, resolve
from plait.lang.promela.processes import Processes
from plait.model.expr import TRUE, And, Compare, Const, Formula, Or, Var, conjuncts
from plait.model.node import nodes
from plait.model.stmt import Assign, Body, Statement
from plait.model.types import Domain, Event, Variable

EXCLUSIVE = "_exclusive"
HALTED = -1


class Events(Executability):
    """What every event of a process has: its place, the control, its title."""

    def __init__(self, system: SystemText, processes: Processes) -> None:
        super().__init__(system, processes)
        self.titles: dict[str, int] = {}
        self.mixed = False
        """Some guard uses `timeout` in another way than by requiring it."""
        self.exclusive = any(
            keeps_control(e) for place in self.places for e in place.location.edges
        )

    def control(self) -> list[Variable]:
        """The variable of the control, and the one of the last process that moved."""
        found: list[Variable] = []
        if self.exclusive:
            held = Domain(HALTED, 256)
            found.append(Variable(EXCLUSIVE, (Const(0),), domain=held, hidden=True))
        if self.system.last:
            found.append(Variable(LAST, (Const(0),), domain=Domain(0, 255)))
        return found

    def transient(self) -> Formula | None:
        """The states that are none."""
        return Compare(">", Var(EXCLUSIVE), Const(0)) if self.exclusive else None

    def event(
        self,
        place: Place,
        span: Span,
        guard: list[Formula],
        body: Body,
        *,
        alone: bool = True,
        stays: bool = False,
        title: str = "",
    ) -> Event:
        """An event of a process; `alone` when it needs the control to be executed.

        One that `stays` is no step, and happens where the process must not move.
        """
        title = title or f"{place.process.name}:{span.line}"
        number = self.titles.get(title, 0) + 1
        self.titles[title] = number
        parts: list[Formula] = [place.here]
        if self.exclusive and alone:
            parts.append(self._free(place))
        required = guard if stays else [*self.provided(place), *guard]
        idle = any(self._requires_timeout(formula) for formula in required)
        for formula in required:
            parts.extend(conjuncts(formula))
        return Event(
            title if number == 1 else f"{title}#{number}",
            guard=tuple(parts),
            body=body,
            process=place.process.name,
            span=span,
            idle=idle,
        )

    def _requires_timeout(self, formula: Formula) -> bool:
        """Whether `timeout` is one of the conjuncts; if it is inside of one, that is noted."""
        timeout = self.timeout
        if timeout is None or timeout is TRUE:
            return False
        found = False
        pending: list[Formula] = [formula]
        while pending:
            part = pending.pop()
            if part is timeout:
                found = True
            elif isinstance(part, And):
                pending.extend(part.operands)
            elif any(node is timeout for node in nodes(part)):
                self.mixed = True
        return found

    def _free(self, place: Place) -> Formula:
        """Nobody else has the control."""
        free: Formula = Compare("==", Var(EXCLUSIVE), Const(0))
        if self.entered_exclusively(place):
            return Or((free, Compare("==", Var(EXCLUSIVE), Const(place.process.pid + 1))))
        return free

    def entered_exclusively(self, place: Place) -> bool:
        """Whether the process may be here inside a block."""
        return place.flow.entered_exclusively(place.location)

    def arrive(self, place: Place, edge: Edge) -> Body:
        """The process goes on, and keeps or gives back the control, which is said last."""
        target, _ = resolve(edge.target)
        moved: list[Statement] = [Assign(Var(place.pc), Const(target.number), span=edge.step.span)]
        if not target.deterministic:  # `d_step` is one step
            moved.extend(self.moved_last(place, edge.step.span))
        if self.exclusive:
            kept = place.process.pid + 1 if keeps_control(edge) else 0
            moved.append(Assign(Var(EXCLUSIVE), Const(kept), span=edge.step.span))
        return tuple(moved)

    def moved_last(self, place: Place, span: Span) -> Body:
        """The process is the last one that moved, if somebody asks."""
        if not self.system.last:
            return ()
        return (Assign(Var(LAST), Const(place.process.pid), span=span),)
