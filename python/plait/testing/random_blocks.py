"""Random systems of processes with atomic blocks, some of them started by others with a parameter.

`who` says who has the control: 0 anybody, p + 1 process p, and -1 nobody any more. States in which
a process has it are transient, as inside an atomic block of Promela. A block may be blocked in its
middle, come back to a place where it was (an error of the model, if it does so for ever), or halt
the system.
"""

from __future__ import annotations

from plait.model.expr import (
    Binary,
    Compare,
    Const,
    Empty,
    Formula,
    Full,
    Hop,
    IntExpr,
    Not,
    Or,
    Var,
)
from plait.model.stmt import Assign, Bind, Call, Match, Receive, Send, Statement
from plait.model.types import (
    Channel,
    Domain,
    ElementaryType,
    Event,
    Label,
    Model,
    Process,
    Variable,
)
from plait.testing.choices import Choices

WHO = "who"
DATA = ("x", "y")
QUEUE = "q"
CALLED = "step"
PROCESSES = 3


def blocks(choices: Choices, name: str = "blocks") -> Model:
    """Three processes of which the first one is there from the beginning."""
    writer = _Writer(choices)
    locations = [choices.integer(3, 5) for _ in range(PROCESSES)]
    events = [e for p in range(PROCESSES) for e in writer.process(p, locations[p])]
    events += [writer.called() for _ in range(2)]
    variables = [Variable(WHO, (Const(0),), domain=Domain(-1, PROCESSES))]
    variables += [Variable(v, (Const(0),), domain=Domain(0, 2)) for v in DATA]
    for p in range(PROCESSES):
        started = p == 0 or choices.chance(25)
        variables.append(Variable(f"pc{p}", (Const(int(started)),), domain=Domain(0, locations[p])))
        variables.append(Variable(f"par{p}", (Const(choices.integer(0, 1)),)))
    type_ = ElementaryType(
        name,
        variables=tuple(variables),
        channels=(Channel(QUEUE, choices.integer(1, 2), (None,)),),
        events=tuple(events),
        transient=Compare(">", Var(WHO), Const(0)),
        processes=tuple(Process(f"proc{p}", pc=f"pc{p}") for p in range(PROCESSES)),
    )
    return Model(name, types=(type_,), main=name)


class _Writer:
    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.number = 0

    def process(self, p: int, locations: int) -> list[Event]:
        """One or two events from each location but 0, where the process is not there."""
        inside = [False, False, *(self.choices.chance(50) for _ in range(locations - 1))]
        return [
            self._event(p, location, inside)
            for location in range(1, locations + 1)
            for _ in range(self.choices.weighted([(3, 1), (4, 2)]))
        ]

    def called(self) -> Event:
        """An event that others execute in their middle, where it may ask who has the control."""
        c = self.choices
        self.number += 1
        asked = Compare(c.pick(["<=", ">="]), Var(c.pick([WHO, "pc0", "x"])), Const(1))
        body = (Assign(Var("y"), Const(c.integer(0, 2))),)
        return Event(f"e{self.number}", (asked,), body, label=Label(CALLED))

    def _event(self, p: int, location: int, inside: list[bool]) -> Event:
        c = self.choices
        self.number += 1
        free: Formula = Compare("==", Var(WHO), Const(0))
        if inside[location] or c.chance(20):
            free = Or((free, Compare("==", Var(WHO), Const(p + 1))))
        guard = [Compare("==", Var(f"pc{p}"), Const(location)), free]
        body = [self._statement(p) for _ in range(c.integer(0, 2))]
        if c.chance(40):
            guard.append(self._condition(p))
        if c.chance(25):
            guard, body = self._start(p, guard, body)
        backwards = c.chance(15)
        target = c.integer(0, location) if backwards else min(location + 1, len(inside) - 1)
        kept = p + 1 if inside[target] else 0
        if c.chance(4):
            kept = -1
        move: list[Statement] = [
            Assign(Var(f"pc{p}"), Const(target)),
            Assign(Var(WHO), Const(kept)),
        ]
        body = [*move, *body] if c.chance(20) else [*body, *move]
        return Event(f"e{self.number}", tuple(guard), tuple(body), process=f"proc{p}")

    def _condition(self, p: int) -> Formula:
        c = self.choices
        if c.chance(25):
            asked = Empty(Hop(QUEUE)) if c.chance(50) else Full(Hop(QUEUE))
            return Not(asked) if c.chance(50) else asked
        read = Var(c.pick([*DATA, f"par{p}"]))
        return Compare(c.pick(["==", "!=", "<"]), read, Const(c.integer(0, 2)))

    def _statement(self, p: int) -> Statement:
        c = self.choices
        kind = c.integer(0, 6)
        if kind == 6:
            return Call(CALLED)
        if kind == 0:
            return Send(Hop(QUEUE), (Var(c.pick(DATA)),))
        if kind == 1:
            bind = Bind(Var(c.pick(DATA))) if c.chance(70) else Match(Const(c.integer(0, 2)))
            return Receive(Hop(QUEUE), (bind,))
        read = Var(c.pick([*DATA, f"par{p}"]))
        value: IntExpr = Binary("%", Binary("+", read, Const(1)), Const(3))
        return Assign(Var(c.pick(DATA)), Const(c.integer(0, 2)) if c.chance(50) else value)

    def _start(
        self, p: int, guard: list[Formula], body: list[Statement]
    ) -> tuple[list[Formula], list[Statement]]:
        """Another process begins, mostly with its parameter in the same event."""
        c = self.choices
        other = c.pick([q for q in range(PROCESSES) if q != p])
        started: list[Statement] = [Assign(Var(f"pc{other}"), Const(1))]
        if c.chance(92):
            started.append(Assign(Var(f"par{other}"), Const(c.weighted([(15, 2), (1, 1)]))))
        absent = Compare("==", Var(f"pc{other}"), Const(0))
        return [*guard, absent], [*body, *(reversed(started) if c.chance(50) else started)]
