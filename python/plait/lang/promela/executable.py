"""When the statements of a process are executable, as conditions of the model."""

from __future__ import annotations

from collections.abc import Iterator

from plait.errors import error
from plait.hints import TypeVar
from plait.lang.promela.bodies import ProcessText
from plait.lang.promela.channels import Channels, Types, disjunction, matches
from plait.lang.promela.declarations import Declared, SystemText
from plait.lang.promela.flow import Edge, Flow, Location, find_label
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
    NonProgress,
    ProcessEnabled,
    RemoteLabel,
    RemoteVariable,
    Started,
    Timeout,
)
from plait.model.expr import (
    FALSE,
    TRUE,
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Formula,
    IntExpr,
    Not,
    Var,
    conjunction,
)
from plait.model.findings import did_you_mean
from plait.model.node import Node, nodes, rewrite
from plait.records import dataclass, replace

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


_Receiver = tuple[Place, Edge, ReceiveStep, Formula | None]
"""A receive, where it stands, and the condition that it means a certain channel."""


class Executability:
    """All processes of a text, and what each of them can execute in a state."""

    def __init__(self, system: SystemText, processes: Processes) -> None:
        self.system = system
        self.processes = processes
        self.types = Types()
        self.channels = Channels(system.channels, self.types)
        self.places = [Place(p, f, at) for p, f in processes.found for at in f.locations]
        self.timeout: Formula | None = None
        self.constants = {
            name: value for p, _ in processes.found for name, value in p.constants.items()
        }
        self._candidates: dict[int, list[tuple[ChannelText, Formula | None]]] = {}
        self._waiting: dict[int, list[_Receiver]] = {}

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
                return self.channels.length(replace(node, channel=self._known(node.channel)))
            case ChannelTest():
                return self.channels.test(replace(node, channel=self._known(node.channel)))
            case RemoteLabel():
                return self._remote(node)
            case RemoteVariable():
                return self._variable_of(node)
            case NonProgress():
                return Not(disjunction(self.at_labels("progress")))
            case ProcessEnabled():
                return self._enabled_process(node)
            case Started():
                return Var(COUNT)  # a new process gets the number of those that there are
            case Timeout():
                return self._timeout() if timeouts else FALSE
        return node

    def _remote(self, node: RemoteLabel) -> Formula:
        found: list[Formula] = []
        for process, flow in self.processes.of(node.process):
            label = find_label(node.label, flow.labels)
            if label is None:
                message = f"process '{node.process}' has no label '{node.label}'"
                raise error(message, node.span, did_you_mean(node.label, flow.labels))
            location = flow.labels[label]
            here = Place(process, flow, location).here if location.number else FALSE
            if isinstance(node.pid, Const):
                here = here if node.pid.value == process.pid else FALSE
            elif node.pid is not None:
                here = And((Compare("==", node.pid, Const(process.pid)), here))
            found.append(here)
        if not found:
            raise error(f"there is no process '{node.process}'", node.span)
        return disjunction([here for here in found if here != FALSE])

    def _variable_of(self, node: RemoteVariable) -> IntExpr:
        """The variable of a process, chosen by its number."""
        found: list[tuple[int, Var]] = []
        for process, _ in self.processes.of(node.process):
            for declared in (*process.parameters, *process.variables):
                if declared.symbol.name != node.name:
                    continue
                found.append((process.pid, _cell_of(declared, node)))
                break
        if not found:
            message = f"there is no process '{node.process}' with a variable '{node.name}'"
            raise error(message, node.span)
        if node.pid is None or isinstance(node.pid, Const):
            pid = found[0][0] if node.pid is None else node.pid.value
            chosen = dict(found).get(pid)
            if chosen is None or (node.pid is None and len(found) > 1):
                message = f"which process '{node.process}' is meant?"
                raise error(message, node.span, f"one of {', '.join(str(p) for p, _ in found)}")
            return chosen
        total: IntExpr | None = None
        for pid, var in found:
            mine = AsInt(Compare("==", node.pid, Const(pid), span=node.span))
            part = Binary("*", mine, var, span=node.span)
            total = part if total is None else Binary("+", total, part, span=node.span)
        assert total is not None
        return total

    def at_labels(self, prefix: str) -> list[Formula]:
        """Some process is at a label that begins so: one condition for each place."""
        return [
            place.here
            for place in self.places
            if any(label.startswith(prefix) for label in place.location.labels)
        ]

    def _enabled_process(self, node: ProcessEnabled) -> Formula:
        found: list[Formula] = []
        for place in self.places:
            able = self.executable(place)
            if able == FALSE:
                continue
            mine = Compare("==", node.pid, Const(place.process.pid), span=node.span)
            found.append(And(tuple(p for p in (mine, place.here, able) if p != TRUE)))
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
        found = [TRUE] if TRUE in found else [f for f in found if f != FALSE]
        provided = self.provided(place, timeouts=False)
        if not provided or not found:
            return disjunction(found)
        return conjunction([p for p in (*provided, disjunction(found)) if p != TRUE])

    def provided(self, place: Place, timeouts: bool = True) -> list[Formula]:
        """What the process needs for every step; a `d_step` that has begun is one."""
        clause = place.process.provided
        if clause is None or place.location.deterministic:
            return []
        return [self.resolved(clause, timeouts=timeouts)]

    def youngest(self, process: ProcessText) -> Formula:
        """No younger process exists."""
        return Compare("==", Var(COUNT), Const(process.pid + 1))

    def enabled(self, place: Place, edge: Edge, timeouts: bool = False) -> Formula:
        """Whether one statement could be executed now, not counting those that wait for all."""
        step = edge.step
        match step:
            case Condition():
                return self.resolved(step.holds, timeouts)
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

    def held_back(self, place: Place, edge: Edge) -> Formula:
        """Whether something is tried before the statement and can be executed.

        SPIN forgets that an escape can be, when it then tries a rendezvous of the same escape and
        nobody receives it: of the first statements of an escape, the last that is tried decides.
        """
        timeouts = isinstance(edge.step, Condition) and any(
            isinstance(node, Timeout) for node in nodes(edge.step.holds)
        )
        found: list[Formula] = []
        for group in edge.before:
            passed: list[Formula] = []
            for other in reversed(group):
                able = self.enabled(place, other, timeouts)
                if able != FALSE:
                    found.append(conjunction((able, *passed)) if passed else able)
                passed.extend(Not(f) for f in self._unanswered(place, other))
        return disjunction(found)

    def _unanswered(self, place: Place, edge: Edge) -> list[Formula]:
        """The ways in which a send by rendezvous has no partner."""
        if not isinstance(edge.step, SendStep):
            return []
        found: list[Formula] = []
        for text, given in self.candidates(edge.step):
            if not text.capacity:
                alone = Not(self.passes(place, edge.step, text))
                found.append(alone if given is None else conjunction((given, alone)))
        return found

    def rivals(self, edge: Edge, text: ChannelText) -> list[tuple[ReceiveStep, Formula | None]]:
        """The receives of escapes around a receive by rendezvous, which are tried before it.

        Who is offered a message does nothing but receive it, so no other escape is tried then.
        """
        return [
            (self.in_model(other.step), given)
            for group in edge.before
            for other in group
            if isinstance(other.step, ReceiveStep)
            for meant, given in self.candidates(other.step)
            if meant.number == text.number
        ]

    def watchful(
        self, place: Place, send: SendStep, text: ChannelText
    ) -> Iterator[tuple[Edge, Formula]]:
        """The receives that have rivals, and whether none of these takes what is sent."""
        for other, edge, _, _ in self._receivers(text):
            rivals = self.rivals(edge, text)
            if not rivals or other.process is place.process:
                continue
            taken = [
                fits if given is None else conjunction((given, fits))
                for fits, given in ((matches(receive, send), given) for receive, given in rivals)
            ]
            if TRUE not in taken:
                yield edge, Not(disjunction(taken))

    def candidates(self, step: SendStep | ReceiveStep) -> list[tuple[ChannelText, Formula | None]]:
        """The channels that a statement may mean, each with the condition that it does."""
        known = self._candidates.get(id(step))
        if known is None:
            arity = len(step.values) if isinstance(step, SendStep) else len(step.patterns)
            channel = self._known(self.number(step.channel))
            known = self.channels.candidates(channel, arity, step.span, exact=True)
            self._candidates[id(step)] = known
        return known

    def misfit(self, step: SendStep | ReceiveStep) -> Formula:
        """A message is passed that has fewer or more fields than the channel carries."""
        text = self.channels.misfit(step, self._known(self.number(step.channel)))
        if text is None:
            return FALSE
        if text.capacity:
            found = self.in_model(step)
            if isinstance(found, SendStep):
                return self.channels.can_send(found, text)
            return self.channels.can_receive(found, text)
        if isinstance(step, SendStep):
            return TRUE
        senders = [
            place.here
            for place in self.places
            for edge in place.location.edges
            if isinstance(edge.step, SendStep)
            and any(meant is text for meant, _ in self.candidates(edge.step))
        ]
        return disjunction(senders) if senders else FALSE

    def _known(self, channel: IntExpr) -> IntExpr:
        """The channel itself where the variable can hold no other."""
        if isinstance(channel, Var) and channel.name in self.constants:
            return Const(self.constants[channel.name], span=channel.span)
        return channel

    def passes(self, place: Place, step: SendStep | ReceiveStep, text: ChannelText) -> Formula:
        """Whether a message can go through a channel now."""
        step = self.in_model(step)
        if isinstance(step, ReceiveStep):
            return self.channels.can_receive(step, text) if text.capacity else FALSE
        if text.capacity:
            return self.channels.can_send(step, text)
        partners: list[Formula] = []
        for other, _, receive, given in self._receivers(text):
            if other.process is place.process:
                continue
            parts = [other.here, matches(receive, step)]
            parts.extend(self.provided(other, timeouts=False))
            if given is not None:
                parts.append(given)
            partners.append(And(tuple(p for p in parts if p != TRUE)))
        return disjunction(partners)

    def _receivers(self, text: ChannelText) -> list[_Receiver]:
        """The receives that may mean a rendezvous channel; looked for once."""
        if not self._waiting:
            self._waiting = {t.number: [] for t in self.system.channels}
            for place in self.places:
                for edge in place.location.edges:
                    if isinstance(edge.step, ReceiveStep):
                        receive = self.in_model(edge.step)
                        for found, given in self.candidates(edge.step):
                            self._waiting[found.number].append((place, edge, receive, given))
        return self._waiting[text.number]

    def in_model(self, step: Message) -> Message:
        """The step with its expressions in terms of the model."""
        if isinstance(step, SendStep):
            return replace(step, values=tuple(self.number(v) for v in step.values))
        patterns = tuple(self.number(p) if isinstance(p, IntExpr) else p for p in step.patterns)
        return replace(step, patterns=patterns)


def _cell_of(declared: Declared, node: RemoteVariable) -> Var:
    """The variable of another process, or the cell of its array."""
    leaf = declared.cells[0] if len(declared.cells) == 1 else None
    if leaf is not None and leaf.dimensions == () and node.cell is None:
        return Var(leaf.full, span=node.span)
    if leaf is None or len(leaf.dimensions) != 1 or node.cell is None:
        raise error("only plain variables of another process can be read", node.span)
    if not 0 <= node.cell < leaf.dimensions[0]:
        raise error(f"'{node.name}' has no cell {node.cell}", node.span)
    return Var(leaf.full, Const(node.cell, span=node.span), span=node.span)
