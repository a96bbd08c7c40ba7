"""The control flow of a process: locations and the statements that lead from one to the next.

As in SPIN, the options of a choice start at the location of the choice, jumps are no steps of their
own (unless an option consists of nothing else), and a step inside `atomic` or `d_step` keeps the
control when it ends inside the same block, or when a `goto` leads into the middle of another.

`unless` adds the first statements of its escape to each location of its main part, where they are
tried before everything else: also before options beside it, where the main part begins an option.
Of several escapes at a choice, that of the last option is tried first, and one around the whole
choice before that of its first option. Inside `d_step` escapes are not tried: it is one step.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from plait.errors import Span, error
from plait.lang.promela.statements import (
    Choice,
    Condition,
    ElseStep,
    Jump,
    SendStep,
    Sequence,
    Step,
    Unless,
)
from plait.model.expr import TRUE
from plait.model.findings import did_you_mean
from plait.records import dataclass, field, replace

UNLESS_LIMIT = 25
"""How deep `unless` may be nested; each location has the escapes of all around it."""


@dataclass(eq=False, slots=True)
class Location:
    """A point between two statements; `alias` is where a jump leads that stands here."""

    span: Span
    atoms: frozenset[int] = frozenset()
    deterministic: bool = False
    edges: list[Edge] = field(default_factory=list)
    alias: Location | None = None
    order: int = 0
    """The number that SPIN gives to the statement: that of a compound one is behind its parts'."""
    inside: bool = False
    """A statement of `atomic` behind which others follow."""
    number: int = 0
    name: str = ""
    labels: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False, slots=True)
class Edge:
    """A statement and where it leads. `siblings` are the options beside an `else`."""

    step: Step
    target: Location
    atoms: frozenset[int]
    siblings: tuple[Edge, ...] = ()
    before: tuple[Group, ...] = ()
    """What is tried before: earlier options in `d_step`, the escapes of an `unless`."""
    settled: bool = False
    """An `else` inside `d_step`, where its siblings are those of its own choice for good."""
    inside: bool = False
    """The statement is one of `atomic` behind which others follow."""
    escapes: tuple[Escape, ...] = ()
    """The escapes around it, the outermost first; `_escapes` and `_ranked` make edges of them."""


Group = tuple[Edge, ...]
"""Statements of which none holds another back: the first ones of an escape."""


@dataclass(frozen=True, eq=False, slots=True)
class Escape:
    """What follows an `unless`, and a step to it where it has no first statement."""

    entry: Location
    skip: Edge

    def edges(self, ready: Mapping[int, list[Edge]]) -> Group:
        """Its first statements; of a jump those that stand where it leads.

        They are copied when the location is, with the escapes around them if these were copied
        before.
        """
        entry, _ = resolve(self.entry)
        found = ready.get(id(entry), entry.edges)
        return tuple(replace(e, escapes=()) for e in found) or (self.skip,)


@dataclass(slots=True)
class Flow:
    """The locations of a process that can be reached; the last one is the closing brace."""

    start: Location
    end: Location
    locations: list[Location]
    labels: dict[str, Location]
    _entering: dict[int, list[Edge]] = field(default_factory=dict)
    _held: set[int] = field(default_factory=set)

    def entering(self, location: Location) -> list[Edge]:
        """The statements that lead to a location."""
        self._look()
        return self._entering.get(id(location), [])

    def entered_exclusively(self, location: Location) -> bool:
        """Whether the process may be there inside a block."""
        self._look()
        return id(location) in self._held

    def _look(self) -> None:
        """Find out, once, what leads to each location."""
        if self._entering:
            return
        for at in self.locations:
            for edge in at.edges:
                target, _ = resolve(edge.target)
                self._entering.setdefault(id(target), []).append(edge)
                if keeps_control(edge):
                    self._held.add(id(target))


def resolve(location: Location) -> tuple[Location, bool]:
    """Where one really is, jumps followed; and whether there were some."""
    jumped = False
    while location.alias is not None:
        location, jumped = location.alias, True
    return location, jumped


def base_name(label: str) -> str:
    """A label as written, without the use of an inline that it belongs to."""
    return label.partition("~")[0]


def find_label(name: str, labels: Collection[str]) -> str | None:
    """The label that a name means: in the same use of an inline, in one around it, or anywhere."""
    while name not in labels:
        around, mark, _ = name.rpartition("~")
        if not mark:
            return next((label for label in labels if base_name(label) == name), None)
        name = around
    return name


def is_mark(label: str) -> bool:
    """Whether a label means something by its name."""
    return label.startswith(("accept", "end", "progress"))


def keeps_control(edge: Edge) -> bool:
    """Whether the process keeps the exclusive control after the step."""
    target, jumped = resolve(edge.target)
    return bool(edge.atoms & target.atoms) or bool(jumped and edge.atoms and target.atoms)


@dataclass(frozen=True, slots=True)
class _Context:
    atoms: frozenset[int] = frozenset()
    deterministic: bool = False
    leave: Location | None = None
    escapes: int = 0
    whole: bool = False
    """The statements end with the last one of the outermost block `atomic` around them."""
    final: bool = False
    """The statement is that last one."""

    @property
    def inside(self) -> bool:
        """Whether a statement of `atomic` stands here behind which others follow."""
        return bool(self.atoms) and not self.deterministic and not self.final


class FlowBuilder:
    """Builds the flow of one process, from its last statement to its first."""

    def __init__(self, body: Sequence, end: Span, asked: frozenset[str] = frozenset()) -> None:
        self.body = body
        self.asked = asked
        """The labels that others ask for: a jump there is a step, so that one can be there."""
        self.end = Location(end)
        self.labels: dict[str, Location] = {}
        self.jumps: list[tuple[str, Location, Span]] = []
        self.blocks = 0
        self.choices: dict[int, Location] = {}
        """The choice for the location of the first statement of each option."""
        self.made: list[Location] = []
        """All locations, in the order in which they were made."""
        self.orders = _orders(body)

    def build(self) -> Flow:
        """The flow."""
        start = self._sequence(self.body.steps, self.end, _Context())
        for label, location, span in self.jumps:
            location.alias = self._label(label, span)
        for _, location, span in self.jumps:
            self._check_loop(location, span)
        self._wait_at_jumps()
        self._escape()
        start, _ = resolve(start)
        found = list(_reachable(start))
        if self.end not in found:
            found.append(self.end)
        found.sort(key=lambda at: at is self.end)
        for location in found:
            _check_else(location)
        seen: dict[str, int] = {}
        for number, location in enumerate(found):
            name = "end" if location is self.end else str(location.span.line)
            seen[name] = seen.get(name, 0) + 1
            location.name = name if seen[name] == 1 else f"{name}#{seen[name]}"
            location.number = number + 1
        labels = {name: self._labelled(at) for name, at in self.labels.items()}
        for name, at in labels.items():
            at.labels.append(name)
        return Flow(start, self.end, found, labels)

    def _label(self, name: str, span: Span) -> Location:
        """What a jump leads to: the label of the same use of an inline, of one around, or any."""
        found = find_label(name, self.labels)
        if found is None:
            known = [base_name(label) for label in self.labels]
            shown = base_name(name)
            raise error(f"no label '{shown}'", span, did_you_mean(shown, known))
        return self.labels[found]

    def _escape(self) -> None:
        """Adds the escapes to all locations, one after the other in the order of SPIN."""
        ready: dict[int, list[Edge]] = {}
        tried: list[list[Edge]] = []
        self.made.sort(key=lambda at: at.order)
        for at in self.made:
            groups = _escapes(at.edges, ready)
            ready[id(at)] = [*(e for group in groups for e in group), *at.edges]
            tried.append(_ranked(groups, at.edges))
        for at, edges in zip(self.made, tried, strict=True):
            at.edges[:] = edges

    def _labelled(self, location: Location) -> Location:
        """Where a process is said to be at a label.

        It waits at a choice, never at the first statement of an option, unless a jump leads there.
        """
        at, _ = resolve(location)
        while at.number == 0 and id(at) in self.choices:
            at, _ = resolve(self.choices[id(at)])
        return at

    def _check_loop(self, location: Location, span: Span) -> None:
        """A jump to itself is a step that goes on for ever."""
        seen = {id(location)}
        at = location
        while at.alias is not None:
            at = at.alias
            if id(at) in seen:
                location.alias = None
                location.edges.append(Edge(Condition(span, TRUE), location, location.atoms))
                return
            seen.add(id(at))

    def _sequence(self, steps: tuple[Step, ...], after: Location, context: _Context) -> Location:
        rest = replace(context, whole=False, final=False)
        for k, step in reversed(list(enumerate(steps))):
            final = context.whole and k == len(steps) - 1
            after = self._step(step, after, replace(rest, final=True) if final else rest)
        return after

    def _step(self, step: Step, after: Location, context: _Context) -> Location:
        location = self._unlabelled(step, after, context)
        for label in step.labels:
            if label in self.labels:
                raise error(f"label '{label}' is defined twice", step.span)
            if location is after:
                location = self._location(step, context)
                skip = Condition(step.span, TRUE)
                location.edges.append(Edge(skip, after, context.atoms))
            self.labels[label] = location
        return location

    def _unlabelled(self, step: Step, after: Location, context: _Context) -> Location:
        match step:
            case Sequence(kind="block"):
                inner = replace(context, whole=context.final)
                first = self._sequence(step.steps, after, inner)
                return self._entry(step, first, after, context)
            case Sequence():
                self.blocks += 1
                atoms = context.atoms | {self.blocks}
                fixed = context.deterministic or step.kind == "d_step"
                whole = context.final or not context.atoms
                inner = replace(context, atoms=atoms, deterministic=fixed, whole=whole)
                first = self._sequence(step.steps, after, inner)
                return self._entry(step, first, after, context)
            case Choice():
                return self._choice(step, self._behind(step, after, context), context)
            case Jump():
                return self._jump(step, context)
            case Unless():
                return self._unless(step, self._behind(step, after, context), context)
        location = self._location(step, context)
        location.edges.append(Edge(step, after, context.atoms, inside=context.inside))
        return location

    def _behind(self, step: Step, after: Location, context: _Context) -> Location:
        """Where a choice or an `unless` ends; inside `atomic` a jump from there to what follows."""
        if not context.atoms or context.deterministic:
            return after
        location = self._location(step, context)
        location.alias = after
        return location

    def _wait_at_jumps(self) -> None:
        """Makes steps of the jumps that a rendezvous inside `atomic` leads to.

        A send gives the control away, and a process without it stops at a jump out of the block, or
        to its last statement: going on is a step. With the control nobody sees it.
        """
        stops: dict[int, Location] = {}
        for at in list(self.made):
            for k, edge in enumerate(at.edges):
                stop = edge.target
                while stop.alias is not None and stop.alias.inside:
                    stop = stop.alias
                if not isinstance(edge.step, SendStep) or not edge.inside or stop.alias is None:
                    continue
                if id(stop) not in stops:
                    skip = Edge(Condition(stop.span, TRUE), stop.alias, stop.atoms)
                    stops[id(stop)] = replace(stop, alias=None, edges=[skip])
                    self.made.append(stops[id(stop)])
                at.edges[k] = replace(edge, target=stops[id(stop)])

    def _entry(self, step: Step, first: Location, after: Location, context: _Context) -> Location:
        """The entry of a block: a location of its own, outside the block.

        A loop inside comes back to its own location, and a jump to the entry leaves the block.
        """
        if first is after or first.alias is not None or not first.edges:
            return first
        location = self._location(step, context)
        location.span, location.inside = first.span, bool(context.atoms)
        location.edges.extend(first.edges)
        return location

    def _location(self, step: Step, context: _Context) -> Location:
        order = self.orders.get(id(step), 0)
        location = Location(step.span, context.atoms, context.deterministic, order=order)
        location.inside = context.inside
        self.made.append(location)
        return location

    def _unless(self, step: Unless, after: Location, context: _Context) -> Location:
        if context.escapes >= UNLESS_LIMIT:
            raise error(f"'unless' is nested more than {UNLESS_LIMIT} deep", step.span)
        known = len(self.made)
        main = step.main
        context = replace(context, final=False)
        inner = replace(context, escapes=context.escapes + 1)
        if isinstance(main, Sequence) and main.kind == "block" and not main.labels:
            first = self._sequence(main.steps, after, inner)  # the braces are no block here
        else:
            first = self._step(main, after, inner)
        inside = self.made[known:]
        entry = self._step(step.escape, after, context)
        skip = Edge(Condition(step.escape.span, TRUE), entry, context.atoms)
        escape = Escape(entry, skip)
        for location in inside:
            if location.deterministic != context.deterministic:
                continue
            outermost = [replace(e, escapes=(escape, *e.escapes)) for e in location.edges]
            # Inside `d_step` the order of the edges is the order of trying.
            if context.deterministic:
                outermost = _ranked(_escapes(outermost, {}), outermost)
            location.edges[:] = outermost
        return first

    def _jump(self, step: Jump, context: _Context) -> Location:
        location = self._location(step, context)
        if step.label is not None:
            self.jumps.append((step.label, location, step.span))
        elif context.leave is None:
            raise error("'break' outside 'do'", step.span)
        else:
            location.alias = context.leave
        # A jump is no step, but one that a label marks is: cycles and end states may pass there.
        asked = any(base_name(label) in self.asked for label in step.labels)
        if not asked and not any(map(is_mark, step.labels)):
            return location
        here = self._location(step, context)
        here.edges.append(Edge(Condition(step.span, TRUE), location, context.atoms))
        return here

    def _choice(self, step: Choice, after: Location, context: _Context) -> Location:
        location = self._location(step, context)
        location.inside = bool(context.atoms)
        inner = replace(context, leave=after) if step.repeats else context
        back = location if step.repeats else after
        found: list[Edge] = []
        fallback: list[Edge] = []
        for option in step.options:
            first = option.steps[0]
            if isinstance(first, ElseStep):
                rest = self._sequence(option.steps[1:], back, inner)
                fallback.append(Edge(first, rest, context.atoms))
                if len(fallback) > 1:
                    raise error("a second 'else' in this choice", first.span)
                continue
            if isinstance(first, Jump) and not first.labels:
                self._sequence(option.steps[1:], back, inner)  # which a jump may lead to
                entry = self._sequence(option.steps[:1], back, inner)
                edges = [Edge(Condition(first.span, TRUE), entry, context.atoms)]
            else:
                entry = self._sequence(option.steps, back, inner)
                self.choices[id(entry)] = location
                edges = entry.edges
                if not edges:
                    edges = [Edge(Condition(first.span, TRUE), entry, context.atoms)]
            if context.deterministic:
                earlier = tuple((e,) for e in found)
                edges = [replace(e, before=(*earlier, *e.before)) for e in edges]
            found.extend(edges)
        location.edges.extend(found)
        siblings, settled = tuple(found), context.deterministic
        location.edges.extend(replace(e, siblings=siblings, settled=settled) for e in fallback)
        return location


def _escapes(edges: list[Edge], ready: Mapping[int, list[Edge]]) -> list[Group]:
    """The escapes from a location, in the order in which SPIN tries them.

    It tries the first statements of an escape from the last to the first, and so an `else` among
    them before those that it should wait for.
    """
    known = {id(edge.step) for edge in edges}
    groups: list[Group] = []
    for edge in edges:
        for escape in reversed(edge.escapes):
            group = tuple(e for e in escape.edges(ready)[::-1] if id(e.step) not in known)
            known.update(id(e.step) for e in group)
            groups.insert(0, group)
    return groups


def _ranked(groups: list[Group], edges: list[Edge]) -> list[Edge]:
    """The escapes and the edges of a location, each with what is tried before it."""
    listed = _beside_else([e for group in (*groups, tuple(edges)) for e in group])
    found: list[Edge] = []
    tried: tuple[Group, ...] = ()
    for group in (*groups, tuple(edges)):
        now = tuple(listed[len(found) : len(found) + len(group)])
        found.extend(replace(e, before=(*tried, *e.before), escapes=()) for e in now)
        tried = (*tried, now)
    return found


def _beside_else(edges: list[Edge]) -> list[Edge]:
    """The edges with `else` only where nothing that is tried before it can be executed.

    A choice that begins an option is a part of the choice around it, and so is its `else`: SPIN
    tries it after the options before, and goes on with those behind it. But `d_step` is a step of
    its own.
    """
    return [
        replace(e, siblings=tuple(edges[:i])) if _is_open_else(e) else e
        for i, e in enumerate(edges)
    ]


def _is_open_else(edge: Edge) -> bool:
    return isinstance(edge.step, ElseStep) and not edge.settled


def _check_else(location: Location) -> None:
    edges = [e for e in location.edges if _is_open_else(e)]
    if len(edges) > 1:
        raise error("a second 'else' in this choice", edges[1].step.span)


def _orders(body: Sequence) -> dict[int, int]:
    """The order in which SPIN numbers statements: that in which they end in the text.

    One with a label in front of an `unless` is that of the whole.
    """
    found: dict[int, int] = {}
    pending: list[tuple[Step, bool]] = [(body, False)]
    while pending:
        step, done = pending.pop()
        if not done:
            pending.append((step, True))
            pending.extend((part, False) for part in reversed(_parts(step)))
            continue
        found[id(step)] = len(found) + 1
        if isinstance(step, Unless) and step.main.labels:
            found[id(step.main)] = len(found)
    return found


def _parts(step: Step) -> tuple[Step, ...]:
    match step:
        case Sequence():
            return step.steps
        case Choice():
            return step.options
        case Unless():
            return (step.main, step.escape)
    return ()


def _reachable(start: Location) -> Iterator[Location]:
    seen = {id(start)}
    queue = [start]
    for location in queue:
        yield location
        for edge in location.edges:
            target, _ = resolve(edge.target)
            if id(target) not in seen:
                seen.add(id(target))
                queue.append(target)
