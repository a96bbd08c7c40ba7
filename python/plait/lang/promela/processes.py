"""Which processes may exist: under which numbers the proctypes of a text can run.

A process gets the smallest number that is free, and only the youngest can disappear; so its number
is the number of processes at its start. A process is modelled once for each number that it can
have. Where the runs of the first processes can be followed before anything is explored, these are
few; where nothing is run in a loop, they follow from who runs whom (`ancestry`); otherwise every
number is possible, and there is room for `PROCESS_LIMIT` processes at first. Where a run needs
more, the text is read again with twice the room (`plait.model.room`), up to the 255 that SPIN
allows. Running one more than these is an error at run time, as in SPIN.
"""

from __future__ import annotations

import math
from collections.abc import Collection

from plait.errors import error
from plait.lang.lexer import Tokens
from plait.lang.promela.ancestry import Descendant, descendants, reaches, run_edges
from plait.lang.promela.bodies import BodyReader, ProcessText
from plait.lang.promela.channels import Types
from plait.lang.promela.declarations import CHANNEL_LIMIT, Proctype, SystemText
from plait.lang.promela.expressions import constant
from plait.lang.promela.flow import Edge, Flow, FlowBuilder, Location, keeps_control, resolve
from plait.lang.promela.statements import (
    Assignment,
    Condition,
    ElseStep,
    ReceiveStep,
    RunStep,
    SendStep,
    Target,
)
from plait.model.expr import Const, Formula, IntExpr, Var
from plait.model.node import Node, rewrite
from plait.records import dataclass, field

PROCESS_LIMIT = 12
"""How many processes there can be at first when their number is not known beforehand."""
MOST_PROCESSES = 255
"""How many there can be at once at all."""
MOST_PAIRS = 200_000
"""How many events of two processes of unknown numbers there may be, and so how far room grows: one
runs the other, or sends through a channel of the other."""
SMALL = 40
"""Up to so many locations of the proctypes that are run, there can be twice as many processes."""
WALK_LIMIT = 20_000
_Start = tuple[str, tuple[int | None, ...]]
"""A proctype that is run, and the arguments as far as they are known."""


@dataclass(slots=True)
class Processes:
    """All processes that may exist, by number, and how many can exist at once."""

    found: list[tuple[ProcessText, Flow]] = field(default_factory=list)
    limit: int = 0
    initial: int = 0
    more: int | None = None
    """How much room to try where `limit` is a guess and turns out to be too little."""
    certain: bool = True
    """There can never be more than `limit` at once."""

    @property
    def full(self) -> bool:
        """Whether as many can exist as are allowed: running one more is an error at run time."""
        return self.limit == MOST_PROCESSES

    def of(self, proctype: str) -> list[tuple[ProcessText, Flow]]:
        """Those of one proctype."""
        return [(p, f) for p, f in self.found if p.proctype.name == proctype]


def plan(tokens: Tokens, system: SystemText, room: int | None = None) -> Processes:
    """Read every process that may exist; of an unknown number as many as there is `room` for."""
    return _Planner(tokens, system, room).plan()


class _Planner:
    def __init__(self, tokens: Tokens, system: SystemText, room: int | None) -> None:
        self.tokens = tokens
        self.system = system
        self.room = room
        self.processes = Processes()
        self.known: dict[tuple[str, int], Flow] = {}
        self.read: dict[tuple[str, int], ProcessText] = {}
        self.unbounded = False
        self.asked = _asked_labels(tokens)
        self.before: list[int] = []
        """Of each that is run, where all runs are followed: how many may be run before."""
        self.declared = 0
        """How many channels are declared outside of processes that are run."""

    def plan(self) -> Processes:
        """The processes that start at once, then those that they run."""
        processes = self.processes
        for proctype in self.system.proctypes.values():
            for _ in range(proctype.active):
                flow = self._add(proctype, processes.initial)
                process = self.read[proctype.name, processes.initial]
                processes.found.append((process, flow))
                processes.initial += 1
        if processes.initial > MOST_PROCESSES:
            raise error(f"more than {MOST_PROCESSES} processes start at once")
        first = list(processes.found)
        self.declared = len(self.system.channels)
        sequence, exact = self._runs(first)
        processes.limit = min(processes.initial + len(sequence), MOST_PROCESSES)
        lowest = min((p.pid for p, f in first if run_edges(f)), default=0) + 1
        wanted = {(p.proctype.name, p.pid) for p, _ in first}
        if not self.unbounded:
            processes.found = list(first)
        for before, (name, values) in zip(self.before, sequence, strict=False):
            highest = processes.initial + before
            for pid in range(highest if exact else lowest, min(highest + 1, MOST_PROCESSES)):
                if (name, pid) not in wanted:
                    wanted.add((name, pid))
                    flow = self._add(self.system.proctypes[name], pid)
                    process = self.read[name, pid]
                    if exact:
                        process.constants.update(_constants(process, flow, values))
                    processes.found.append((process, flow))
        processes.found.sort(key=lambda pair: pair[0].pid)
        return processes

    def _add(self, proctype: Proctype, pid: int) -> Flow:
        key = (proctype.name, pid)
        if key not in self.known:
            reader = BodyReader(self.tokens, self.system, proctype, pid, f"{proctype.name}_{pid}")
            process = reader.read()
            assert process.body is not None
            asked = frozenset(label for name, label in self.asked if name == proctype.name)
            flow = FlowBuilder(process.body, self.tokens.span(self.tokens.at - 1), asked).build()
            self.known[key] = flow
            self.read[key] = process
        return self.known[key]

    def _runs(self, first: list[tuple[ProcessText, Flow]]) -> tuple[list[_Start], bool]:
        """What is run, in order of the numbers; and whether these numbers are certain."""
        spawners = [(p, f) for p, f in first if run_edges(f)]
        if not spawners:
            return [], True
        each: list[tuple[list[_Start], list[int]]] = []
        exact = len(spawners) == 1 and spawners[0][0].pid == self.processes.initial - 1
        for process, flow in spawners:
            walked = _Walk(process, flow).run()
            if walked is None:
                sites = run_edges(flow)
                if any(reaches(t, at) for at, t, _ in sites):
                    return self._everything(), False
                each.append(([(name, ()) for _, _, name in sites], _before(sites)))
                exact = False
            else:
                each.append((walked.started, list(range(len(walked.started)))))
                exact = exact and (walked.uninterrupted or len(walked.started) == 1)
        sequence = [start for starts, _ in each for start in starts]
        probes = [self._probe(name) for name in dict.fromkeys(name for name, _ in sequence)]
        if any(run_edges(f) for f in probes):
            return self._everything(), False
        mortal = any(reaches(f.start, f.end) for f in probes)
        walked_alone = len(spawners) == 1 and spawners[0][0].pid == self.processes.initial - 1
        if walked_alone and not mortal:
            exact = exact or _Walk(*spawners[0]).run() is not None
        # What other processes run may come before as a whole.
        for starts, own in each:
            self.before.extend(len(sequence) - len(starts) + k for k in own)
        return sequence, exact

    def _probe(self, name: str) -> Flow:
        """The flow of a proctype, whatever its number."""
        return self._add(self.system.proctypes[name], self.processes.initial)

    def _everything(self) -> list[_Start]:
        """Any proctype that is run somewhere, under each number that it may have."""
        self.unbounded = True
        initial = self.processes.initial
        names: dict[str, None] = {}
        queue = [f for _, f in self.processes.found]
        for flow in queue:
            for _, _, name in run_edges(flow):
                if name not in names:
                    names[name] = None
                    queue.append(self._probe(name))
        family = self._family(initial)
        if family is not None:
            self._forget_probes()
            for one in family:
                for pid in range(one.lowest, one.highest + 1):
                    self._find(one.proctype, pid)
            return [(one.proctype, ()) for one in family]
        self.processes.certain = False
        limit = self._limit(names)
        for pid in range(1, limit):
            for name in names:
                self._find(name, pid)
        return [(next(iter(names)), ())] * (limit - initial)

    def _limit(self, names: Collection[str]) -> int:
        """How many processes there is room for, where all of these may run under any number."""
        flows = [self._probe(name) for name in names]
        size = sum(len(flow.locations) for flow in flows)
        sites = sum(len(run_edges(flow)) for flow in flows)
        own = len(self.system.channels) - self.declared
        pairs = max(sites + 2 * own * sum(map(_open_messages, flows)), 1)
        most = min(math.isqrt(2 * MOST_PAIRS // pairs), MOST_PROCESSES)
        if own:  # each of them declares its channels
            most = min(most, 1 + (CHANNEL_LIMIT - self.declared) // own)
        wanted = self.room or (PROCESS_LIMIT if size > SMALL else 2 * PROCESS_LIMIT)
        limit = min(max(min(wanted, most), self.processes.initial + 1), MOST_PROCESSES)
        if limit < most:
            self.processes.more = min(2 * limit, most)
        return limit

    def _family(self, initial: int) -> list[Descendant] | None:
        """All that can ever be run, where these are not too many."""
        if any(p.provided is not None for p in self.read.values()):
            return None  # such a process may stop in the middle of a block
        first = [(p.pid, f) for p, f in self.processes.found]
        most = max(self.room or 0, 2 * PROCESS_LIMIT)
        return descendants(first, self._probe, initial, most - initial)

    def _find(self, name: str, pid: int) -> None:
        """The proctype may run under this number."""
        flow = self._add(self.system.proctypes[name], pid)
        process = self.read[name, pid]
        if all(process is not p for p, _ in self.processes.found):
            self.processes.found.append((process, flow))

    def _forget_probes(self) -> None:
        """Processes that were read to see what they run, with the channels that they declared."""
        kept = {(p.proctype.name, p.pid) for p, _ in self.processes.found}
        for key in self.known.keys() - kept:
            del self.known[key], self.read[key]
        del self.system.channels[self.declared :]


def _before(sites: list[tuple[Location, Location, str]]) -> list[int]:
    """How many of some runs, none of which happens twice, may happen before each."""
    return [
        sum(reaches(target, at) for _, target, _ in sites)  # none comes before itself
        for at, _, _ in sites
    ]


def _open_messages(flow: Flow) -> int:
    """How many statements send or receive through a channel that is not known beforehand."""
    steps = (edge.step for at in flow.locations for edge in at.edges)
    messages = (step for step in steps if isinstance(step, SendStep | ReceiveStep))
    return sum(not isinstance(step.channel, Const) for step in messages)


def _constants(process: ProcessText, flow: Flow, values: tuple[int | None, ...]) -> dict[str, int]:
    """The parameters that are known at the start and never changed: above all, channels."""
    changed: set[str] = set()
    for at in flow.locations:
        for edge in at.edges:
            step = edge.step
            if isinstance(step, Assignment | RunStep) and step.target is not None:
                changed.add(step.target.var.name)
            elif isinstance(step, ReceiveStep):
                changed |= {p.var.name for p in step.patterns if isinstance(p, Target)}
    found: dict[str, int] = {}
    parameters = [leaf for declared in process.parameters for leaf in declared.cells]
    for leaf, value in zip(parameters, values, strict=False):
        domain = leaf.type.domain
        if leaf.full not in changed and value is not None and domain.low <= value <= domain.high:
            found[leaf.full] = value
    return found


def _asked_labels(tokens: Tokens) -> set[tuple[str, str]]:
    """The proctypes and labels of all `P@label` and `P[n]@label` of a text."""
    found: set[tuple[str, str]] = set()
    texts = tokens.texts
    for at, text in enumerate(texts):
        if text != "@":
            continue
        name, depth = at - 1, 0
        while name >= 0:
            depth += (texts[name] == "]") - (texts[name] == "[")
            if depth == 0 and texts[name] != "[":
                break
            name -= 1
        found.add((texts[max(name, 0)], texts[at + 1]))
    return found


@dataclass(slots=True)
class _Walked:
    started: list[_Start]
    uninterrupted: bool


class _Walk:
    """Follows a process that depends on its own variables only, to see what it runs."""

    def __init__(self, process: ProcessText, flow: Flow) -> None:
        self.flow = flow
        self.stoppable = process.provided is not None
        self.values: dict[tuple[str, int], int | None] = {}
        for declared in (*process.parameters, *process.variables):
            for leaf in declared.cells:
                for k in range(leaf.cells):
                    initial = leaf.value(k) or Const(0)
                    # What does not fit is cut to the type.
                    self.values[leaf.full, k] = constant(Types().wrap(initial, leaf.type.domain))

    def run(self) -> _Walked | None:
        """What is run, in order; None when it depends on more."""
        at = self.flow.start
        sites = [site for site, _, _ in run_edges(self.flow)]
        started: list[_Start] = []
        kept = True
        uninterrupted = True
        for _ in range(WALK_LIMIT):
            if not any(reaches(at, site) for site in sites):
                return _Walked(started, uninterrupted)
            possible = [e for e in at.edges if self._executable(e) is not False]
            if len(possible) != 1:
                return None
            edge = possible[0]
            step = edge.step
            # Others may get the control before a step that may have to wait.
            kept = kept and not self.stoppable and self._executable(edge) is True
            if isinstance(step, RunStep):
                uninterrupted = uninterrupted and (kept or not started)
                started.append((step.process, tuple(map(self._value, step.arguments))))
                kept = True
            self._effect(step)
            kept = kept and keeps_control(edge)
            at, _ = resolve(edge.target)
        return None

    def _executable(self, edge: Edge) -> bool | None:
        """Whether the step can be executed; None where that depends on more."""
        match edge.step:
            case Condition(holds=holds):
                value = self._value(holds)
                return None if value is None else value != 0
            case ElseStep():
                others = [self._executable(e) for e in edge.siblings]
                return False if any(others) else None if None in others else True
            case SendStep() | ReceiveStep():
                return None
        return True

    def _effect(self, step: object) -> None:
        if isinstance(step, Assignment) and step.target is not None:
            self._store(step.target, self._value(step.value))
        elif isinstance(step, RunStep) and step.target is not None:
            self._store(step.target, None)
        elif isinstance(step, ReceiveStep):
            for pattern in step.patterns:
                if isinstance(pattern, Target):
                    self._store(pattern, None)

    def _store(self, target: Target, value: int | None) -> None:
        index = 0 if target.var.index is None else self._value(target.var.index)
        domain = target.type.domain
        if value is not None and not domain.low <= value <= domain.high:
            value = None
        for key in self.values:
            if key[0] == target.var.name and (index is None or key[1] == index):
                self.values[key] = value if index is not None else None

    def _value(self, expr: IntExpr | Formula) -> int | None:
        def change(node: Node) -> Node:
            if isinstance(node, Var):
                index = 0 if node.index is None else constant(node.index)
                value = None if index is None else self.values.get((node.name, index))
                return node if value is None else Const(value, span=node.span)
            return node

        return constant(rewrite(expr, change))
