"""From a Milestones text to a model: one elementary type, a process for each instance.

A local command becomes an event of its process. A global action becomes an event for each of its
global commands, together with one command of each process that joins it. Such a command knows only
the variables of its process, and a global one assigns only global variables; so the global command
may come first, and what a process does may be left to a labelled event where it has a choice: the
events are as many as the commands, not as many as their combinations.

A variable without initial value may have any. A model has one initial state, so there is a step
before: `init` chooses the values, bit by bit, and nothing else can happen first. The formulas of
the text speak of the states after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from plait.errors import error
from plait.lang.milestones.parallel import at_once, scratch
from plait.lang.milestones.texts import (
    PC,
    SELF,
    Assignment,
    CommandText,
    InstancesText,
    SystemText,
    VariableText,
    local_name,
)
from plait.logic.formula import Forall, Next
from plait.model.expr import Binary, Compare, Const, Formula, IntExpr, Var, conjuncts
from plait.model.node import Node, rewrite
from plait.model.stmt import Assign, Body, Call
from plait.model.types import (
    Domain,
    ElementaryType,
    Event,
    Label,
    Model,
    Process,
    Property,
    Variable,
)
from plait.records import replace

INIT = "init"
"""The event that chooses initial values."""
CHOSEN = "init.chosen"
"""Whether it has happened; no variable of a text has a dot in it without an index."""
MOST_COMMANDS = 1_000_000
"""The most commands of all processes together."""


def translate(system: SystemText, name: str) -> Model:
    """The model of a text."""
    return _Translation(system, name).model()


class _Translation:
    def __init__(self, system: SystemText, name: str) -> None:
        self.system = system
        self.name = name
        self.processes = [(i, k) for i in system.instances.values() for k in range(i.size)]
        commands = sum(len(i.type.commands) for i, _ in self.processes)
        if commands > MOST_COMMANDS:
            last = next(reversed(system.instances.values()))
            raise error(f"all processes together have {commands} commands, too many", last.span)
        self.variables = list(self._declared())
        self.open = [(v, bits) for v, text, bits in self._texts() if text.initial is None]
        self.highest = {v: 2**bits - 1 for v, _, bits in self._texts()}
        self.scratches: list[int] = []
        """The greatest value that each scratch variable has to hold."""
        self.names: dict[str, int] = {}

    def model(self) -> Model:
        """The whole model."""
        events = [*self._init(), *self._local_events(), *self._global_events()]
        type_ = ElementaryType(
            self.name,
            variables=(*self.variables, *self._extra()),
            processes=tuple(
                Process(_process(i, k), local_name(i.name, k, PC), program=i.type.name, span=i.span)
                for i, k in self.processes
            ),
            events=tuple(events),
        )
        properties = tuple(self._property(p) for p in self.system.properties)
        return Model(self.name, (type_,), self.name, properties=properties)

    # --- variables --------------------------------------------------------------------------------

    def _texts(self) -> Iterator[tuple[str, VariableText, int]]:
        """All variables: global ones, then those of each process, as they are declared."""
        for v in self.system.variables.values():
            yield v.name, v, v.bits
        for i, k in self.processes:
            for v in i.type.variables.values():
                yield local_name(i.name, k, v.name), v, v.bits

    def _declared(self) -> Iterator[Variable]:
        for name, text, bits in self._texts():
            initial = (Const(text.initial or 0),)
            yield Variable(name, initial, domain=Domain(0, 2**bits - 1), span=text.span)

    def _extra(self) -> Iterator[Variable]:
        """What the translation needs besides."""
        for number, high in enumerate(self.scratches):
            yield Variable(scratch(number), (Const(0),), domain=Domain(0, high))
        if self.open:
            yield Variable(CHOSEN, (Const(0),), domain=Domain(0, 1))

    # --- initial values ---------------------------------------------------------------------------

    def _init(self) -> Iterator[Event]:
        """The choice of initial values: each bit of each variable is 0 or 1."""
        if not self.open:
            return
        body: list[Call | Assign] = []
        for name, bits in self.open:
            label = f"{INIT}.{name}"
            body += [Call(label)] * bits
            doubled = Binary("*", Var(name), Const(2))
            for value, bit in ((doubled, 0), (Binary("+", doubled, Const(1)), 1)):
                more = (Assign(Var(name), value),)
                yield Event(f"{label}.{bit}", body=more, label=Label(label))
        body.append(Assign(Var(CHOSEN), Const(1)))
        yield Event(INIT, guard=(Compare("==", Var(CHOSEN), Const(0)),), body=tuple(body))

    def _begun(self) -> tuple[Formula, ...]:
        """What every other event needs."""
        return (Compare("==", Var(CHOSEN), Const(1)),) if self.open else ()

    def _property(self, p: Property) -> Property:
        """The property, of the states after the choice."""
        if not self.open:
            return p
        body = Next(cast(Formula, p.body), span=p.span)
        return replace(p, body=Forall(body, span=p.span) if p.kind == "ctl" else body)

    # --- events -----------------------------------------------------------------------------------

    def _local_events(self) -> Iterator[Event]:
        """The local commands of all processes."""
        for i, k in self.processes:
            for command in i.type.commands:
                if command.action not in i.type.actions:
                    continue
                own = _instantiated(command, i, k)
                title = local_name(i.name, k, command.action)
                yield Event(
                    self._fresh(title),
                    guard=(*self._begun(), *_guard(own, i, k)),
                    body=self._at_once(own.assignments),
                    process=_process(i, k),
                    span=command.span,
                )

    def _global_events(self) -> Iterator[Event]:
        """The global commands, each with what the processes that join its action do."""
        for action in self.system.actions:
            own = [c for c in self.system.commands if c.action == action]
            joined = [(i, k) for i, k in self.processes if action in i.type.sync]
            offers = [[c for c in i.type.commands if c.action == action] for i, _ in joined]
            if not own or not all(offers):
                continue  # it can never happen
            guard: list[Formula] = []
            assignments: list[Assignment] = []
            calls: list[Call] = []
            for (i, k), commands in zip(joined, offers, strict=True):
                if len(commands) == 1:
                    made = _instantiated(commands[0], i, k)
                    guard += _guard(made, i, k)
                    assignments += made.assignments
                    continue
                label = local_name(i.name, k, action)
                calls.append(Call(label))
                yield from self._answers(commands, i, k, label)
            for command in own:
                body = self._at_once((*command.assignments, *assignments))
                yield Event(
                    self._fresh(action),
                    guard=(*self._begun(), *conjuncts(command.guard), *guard),
                    body=(*body, *calls),
                    span=command.span,
                )

    def _answers(
        self, commands: list[CommandText], i: InstancesText, k: int, label: str
    ) -> Iterator[Event]:
        """The commands among which a process that joins an action can choose."""
        for command in commands:
            made = _instantiated(command, i, k)
            yield Event(
                self._fresh(label),
                guard=_guard(made, i, k),
                body=self._at_once(made.assignments),
                label=Label(label),
                span=command.span,
            )

    def _at_once(self, assignments: tuple[Assignment, ...]) -> Body:
        body, aside = at_once(assignments)
        for number, target in enumerate(aside):
            if number == len(self.scratches):
                self.scratches.append(0)
            self.scratches[number] = max(self.scratches[number], self.highest[target])
        return body

    def _fresh(self, title: str) -> str:
        """A name of its own for each command of an action."""
        self.names[title] = self.names.get(title, 0) + 1
        return title if self.names[title] == 1 else f"{title}#{self.names[title]}"


def _process(i: InstancesText, k: int) -> str:
    return f"{i.name}[{k}]"


def _instantiated(command: CommandText, i: InstancesText, k: int) -> CommandText:
    """The command with the variables of one process."""

    def own(name: str) -> str:
        if not name.startswith(SELF):
            return name
        return local_name(i.name, k, name.removeprefix(SELF))

    def change(node: Node) -> Node:
        return Var(own(node.name), span=node.span) if isinstance(node, Var) else node

    return replace(
        command,
        guard=cast(Formula, rewrite(command.guard, change)),
        assignments=tuple(
            Assignment(own(a.target), cast(IntExpr, rewrite(a.value, change)), a.span)
            for a in command.assignments
        ),
    )


def _guard(command: CommandText, i: InstancesText, k: int) -> tuple[Formula, ...]:
    """The program counter and the guard of a command of one process."""
    assert command.location is not None
    counter = Var(local_name(i.name, k, PC), span=command.span)
    here = Compare("==", counter, Const(command.location), span=command.span)
    return (here, *conjuncts(command.guard))
