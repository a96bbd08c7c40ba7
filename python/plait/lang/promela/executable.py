"""When the statements of a process can be executed, in terms of the model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from plait.errors import error
from plait.lang.promela.bodies import ProcessText
from plait.lang.promela.channels import Channels, Types, disjunction, matches
from plait.lang.promela.declarations import SystemText
from plait.lang.promela.flow import Edge, Flow, Location
from plait.lang.promela.processes import Processes
from plait.lang.promela.statements import (
    Condition,
    ElseStep,
    ReceiveStep,
    SendStep,
)
from plait.lang.promela.symbols import (
    ChannelLength,
    ChannelTest,
    ChannelText,
    RemoteLabel,
    Timeout,
)
from plait.model.expr import (
    FALSE,
    TRUE,
    And,
    Compare,
    Const,
    Formula,
    IntExpr,
    Not,
    Var,
    conjunction,
)
from plait.model.node import Node, rewrite

Message = TypeVar("Message", bound=SendStep | ReceiveStep)
COUNT = "_nr_pr"


@dataclass(frozen=True, slots=True)
class Place:
    """A location of a process, with what traces and guards need of it."""

    process: ProcessText
    flow: Flow
    location: Location

    @property
    def pc(self) -> str:
        """The variable that says where the process is."""
        return f"{self.process.name}._pc"

    @property
    def here(self) -> Formula:
        """The process is here."""
        return Compare("==", Var(self.pc), Const(self.location.number), span=self.location.span)


class Executability:
    """All processes of a text, and what each of them can execute in a state."""

    def __init__(self, system: SystemText, processes: Processes) -> None:
        self.system = system
        self.processes = processes
        self.types = Types()
        self.channels = Channels(system.channels, self.types)
        self.places = [Place(p, f, at) for p, f in processes.found for at in f.locations]
        self.timeout: Formula | None = None

    def resolved(self, formula: Formula, timeouts: bool = True) -> Formula:
        """The formula in terms of the model: channels by name, timeouts and labels spelt out."""
        found = rewrite(formula, lambda node: self._resolve(node, timeouts))
        assert isinstance(found, Formula)
        return found

    def number(self, expr: IntExpr) -> IntExpr:
        """The expression in terms of the model."""
        found = rewrite(expr, lambda node: self._resolve(node, True))
        assert isinstance(found, IntExpr)
        return found

    def _resolve(self, node: Node, timeouts: bool) -> Node:
        match node:
            case ChannelLength():
                return self.channels.length(node)
            case ChannelTest():
                return self.channels.test(node)
            case RemoteLabel():
                return self._remote(node)
            case Timeout():
                return self._timeout() if timeouts else FALSE
        return node

    def _remote(self, node: RemoteLabel) -> Formula:
        found: list[Formula] = []
        for process, flow in self.processes.of(node.process):
            if node.label not in flow.labels:
                raise error(f"process '{node.process}' has no label '{node.label}'", node.span)
            here = Place(process, flow, flow.labels[node.label]).here
            if node.pid is not None:
                here = And((Compare("==", node.pid, Const(process.pid)), here))
            found.append(here)
        if not found:
            raise error(f"there is no process '{node.process}'", node.span)
        return disjunction(found)

    def _timeout(self) -> Formula:
        """No process can execute anything but a timeout."""
        if self.timeout is None:
            stuck: list[Formula] = []
            for place in self.places:
                able = self.executable(place)
                if able != FALSE:
                    stuck.append(Not(And((place.here, able))))
            self.timeout = conjunction(stuck)
        return self.timeout

    def executable(self, place: Place) -> Formula:
        """Whether the process could execute something here if it had the control."""
        found = [self.enabled(place, e) for e in place.location.edges]
        if place.location is place.flow.end:
            found.append(self.youngest(place.process))
        if any(f == TRUE for f in found):
            return TRUE
        return disjunction([f for f in found if f != FALSE])

    def youngest(self, process: ProcessText) -> Formula:
        """No younger process exists."""
        return Compare("==", Var(COUNT), Const(process.pid + 1))

    def enabled(self, place: Place, edge: Edge) -> Formula:
        """Whether one statement could be executed now; timeouts apart."""
        step = edge.step
        match step:
            case Condition():
                return self.resolved(step.holds, timeouts=False)
            case ElseStep():
                return Not(self.any(place, edge.siblings))
            case SendStep() | ReceiveStep():
                ways = []
                for text, given in self.candidates(step):
                    able = self.passes(place, step, text)
                    if able != FALSE:
                        ways.append(able if given is None else conjunction((given, able)))
                return disjunction(ways)
        return TRUE

    def any(self, place: Place, edges: tuple[Edge, ...]) -> Formula:
        """Whether one of some statements could be executed now."""
        return disjunction([self.enabled(place, e) for e in edges])

    def candidates(self, step: SendStep | ReceiveStep) -> list[tuple[ChannelText, Formula | None]]:
        """The channels that a statement may mean, each with the condition that it does."""
        arity = len(step.values) if isinstance(step, SendStep) else len(step.patterns)
        return self.channels.candidates(self.number(step.channel), arity, step.span)

    def passes(self, place: Place, step: SendStep | ReceiveStep, text: ChannelText) -> Formula:
        """Whether a message can go through a channel now."""
        step = self.in_model(step)
        if isinstance(step, ReceiveStep):
            return self.channels.can_receive(step, text) if text.capacity else FALSE
        if text.capacity:
            return self.channels.can_send(step, text)
        partners: list[Formula] = []
        for other in self.places:
            if other.process is place.process:
                continue
            for edge in other.location.edges:
                receive = edge.step
                if not isinstance(receive, ReceiveStep):
                    continue
                if len(receive.patterns) != len(step.values):
                    continue
                receive = self.in_model(receive)
                for found, given in self.candidates(receive):
                    if found is text:
                        parts = [other.here, matches(receive, step)]
                        if given is not None:
                            parts.append(given)
                        partners.append(And(tuple(p for p in parts if p != TRUE)))
        return disjunction(partners)

    def in_model(self, step: Message) -> Message:
        """The step with its expressions in terms of the model."""
        if isinstance(step, SendStep):
            return replace(step, values=tuple(self.number(v) for v in step.values))
        patterns = tuple(self.number(p) if isinstance(p, IntExpr) else p for p in step.patterns)
        return replace(step, patterns=patterns)
