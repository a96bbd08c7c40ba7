"""A model as a picture: a net as a net, processes as automata, anything else by what it touches.

- A *net* has circles for places, with their tokens, and boxes for events; a test arc is broken and
  has no head, an inhibitor arc ends with a small circle, a reset arc has two heads. Of a time Petri
  net, events have their intervals; arcs that may take from one of several places are broken.
- A *process* has a node for each location that its program can be in, and an arc for each event
  that takes it from one to another. Processes with the same program are drawn once.
- Of other models events are drawn with the variables that they read (broken lines) and write; of a
  composite, events with the parts that they move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plait.errors import Diagnostic, error
from plait.lang.dot import dependencies, statements
from plait.model.expr import Compare, Const, Formula, Or, Var, conjuncts
from plait.model.net import Net, NetEvent, as_net
from plait.model.shape import Shape, shape_of
from plait.model.stmt import Assign, InstanceCall
from plait.model.types import CompositeType, ElementaryType, Event, Model, Process
from plait.report.answer import Step
from plait.report.picture import Arrow, Head, Node, Picture
from plait.report.svg import shorten
from plait.report.trace import action
from plait.time.net import TimedNet

LETTERS = 34
MOST = 1_500
"""Larger pictures take long to be drawn, and nobody reads them."""
DOTS = 4
"""More tokens are a number."""


def model_picture(model: Model) -> Picture:
    """The picture of a model; an error where it would be too large to be read."""
    return _within(model_picture_of(model), model.name)


def timed_picture(net: TimedNet) -> Picture:
    """A time Petri net, with the intervals of its events."""
    count = len(net.places)
    places = [_place(p.name, p.initial) for p in net.places]
    boxes = [
        Node((shorten(e.name, LETTERS), str(e.interval)), f"{e.name} {e.interval}")
        for e in net.events
    ]
    arrows = []
    for box, event in enumerate(net.events, start=count):
        for arc in event.arcs:
            looks: Head = _HEADS.get(arc.kind, "arrow")
            dashed = arc.kind == "test" or len(arc.places) > 1
            for place in arc.places:
                ends = (box, place) if arc.kind == "out" else (place, box)
                weight = () if arc.kind == "reset" else _weight(arc.weight)
                arrows.append(Arrow(*ends, weight, dashed=dashed, head=looks))
    marked = tuple(i for i, p in enumerate(net.places) if p.initial)[:1]
    title = f"{net.name}: {_count(count, 'place')}, {_count(len(boxes), 'event')}"
    found = Picture(title, (*places, *boxes), tuple(arrows), roots=marked)
    return _within(found, net.name)


_HEADS: dict[str, Head] = {"test": "none", "inhibitor": "circle", "reset": "double"}


def model_picture_of(model: Model) -> Picture:
    """The same, of any size."""
    net = as_net(model)
    if not isinstance(net, Diagnostic):
        return _net(net, model.name)
    system = model.system
    if isinstance(system, ElementaryType) and any(p.locations for p in system.processes):
        return _processes(system, shape_of(model), model.name)
    return _touched(model)


def _within(picture: Picture, name: str) -> Picture:
    size = len(picture.nodes) + len(picture.arrows)
    if size > 2 * MOST:
        raise error(
            f"'{name}' has {len(picture.nodes)} nodes and {len(picture.arrows)} arcs, too many "
            "for a picture",
            hint="--to dot writes any number of them",
        )
    return picture


# --- nets -----------------------------------------------------------------------------------------


def _net(net: Net, name: str) -> Picture:
    places = [_place(p.name, p.initial) for p in net.places]
    count = len(places)
    boxes = [Node((shorten(e.title, LETTERS),), e.title) for e in net.events]
    arrows = [a for i, e in enumerate(net.events) for a in _arcs(count + i, e)]
    # From one place with tokens the net unfolds as it runs; from all of them it would be flat.
    marked = tuple(i for i, p in enumerate(net.places) if p.initial)[:1]
    title = f"{name}: {_count(count, 'place')}, {_count(len(boxes), 'event')}"
    return Picture(title, (*places, *boxes), tuple(arrows), roots=marked)


def _place(name: str, tokens: int) -> Node:
    shown = (_tokens(tokens),) if tokens else ()
    return Node(shown, f"{name} = {tokens}", shape="circle", below=(shorten(name, LETTERS),))


def _tokens(count: int) -> str:
    return "\N{BLACK CIRCLE}" * count if count <= DOTS else str(count)


def _arcs(box: int, event: NetEvent) -> Iterator[Arrow]:
    tested = dict(event.test)
    for p, w in event.pre:
        head: Head = "none" if p in tested else "arrow"
        yield Arrow(p, box, _weight(w), dashed=p in tested, head=head)
    for p, w in event.inhibitor:
        yield Arrow(p, box, _weight(w), head="circle")
    for p in event.reset:
        yield Arrow(p, box, head="double")
    for p, w in event.post:
        if p not in tested:
            yield Arrow(box, p, _weight(w))


def _weight(weight: int) -> tuple[str, ...]:
    return () if weight == 1 else (str(weight),)


# --- processes ------------------------------------------------------------------------------------


def _processes(system: ElementaryType, shape: Shape, name: str) -> Picture:
    """The automata of the programs that processes execute, side by side."""
    initial = shape.initial()
    programs: dict[tuple[str, tuple[str, ...]], list[Process]] = {}
    for p in system.processes:
        if p.pc is not None and p.locations:
            programs.setdefault((p.program or p.name, p.locations), []).append(p)
    nodes: list[Node] = []
    arrows: list[Arrow] = []
    for same in programs.values():
        first = same[0]
        assert first.pc is not None
        start = initial[shape.variables[first.pc].offset]
        moves = _moves(system, first)
        if first.by_lines:  # what does not exist is nowhere
            moves = {ends: texts for ends, texts in moves.items() if 0 not in ends}
            start = start or _started(system, first)
        used = _used(moves, start)
        number = {place: len(nodes) + i for i, place in enumerate(used)}
        names = ", ".join(p.name for p in same)
        for place in used:
            lines = [first.locations[place]] if place < len(first.locations) else [str(place)]
            begins = shorten(names, LETTERS) if place == start else ""
            nodes.append(Node(tuple(lines), shape="round", start=place == start, begins=begins))
        for (source, target), texts in moves.items():
            if source in number and target in number:
                shown = tuple(shorten(text, LETTERS) for text in texts)
                arrows.append(Arrow(number[source], number[target], shown, "\n".join(texts)))
    title = f"{name}: {_count(len(system.processes), 'process')}"
    return Picture(title.replace("processs", "processes"), tuple(nodes), tuple(arrows))


def _started(system: ElementaryType, process: Process) -> int:
    """The location at which others start a process; 0 if nobody does."""
    others = (e for e in system.events if e.process != process.name)
    assert process.pc is not None
    return next((t for e in others for t in _targets(e, process.pc) if t), 0)


def _used(moves: dict[tuple[int, int], list[str]], start: int) -> list[int]:
    """The locations that the first one leads to; all where somebody else starts the process."""
    after: dict[int, list[int]] = {}
    for source, target in moves:
        after.setdefault(source, []).append(target)
    if start not in after:
        return sorted({start, *(place for ends in moves for place in ends)})
    found = {start: None}
    for place in (queue := [start]):
        new = [t for t in after.get(place, ()) if t not in found]
        found |= dict.fromkeys(new)
        queue += dict.fromkeys(new)
    return sorted(found)


def _moves(system: ElementaryType, process: Process) -> dict[tuple[int, int], list[str]]:
    """The statements between each two locations of a process, as far as its events show them."""
    assert process.pc is not None
    found: dict[tuple[int, int], list[str]] = {}
    for event in system.events:
        if event.process != process.name:
            continue
        text = action(Step(event.title, (), process.name, event.span))
        for source in _sources(event.guard, process.pc):
            for target in _targets(event, process.pc) or [source]:
                texts = found.setdefault((source, target), [])
                if text not in texts:
                    texts.append(text)
    return found


def _sources(guard: Sequence[Formula], pc: str) -> list[int]:
    """The locations in which a guard can hold, where it says so."""
    for part in (c for g in guard for c in conjuncts(g)):
        choices = part.operands if isinstance(part, Or) else (part,)
        found = [_location(c, pc) for c in choices]
        if found and all(f is not None for f in found):
            return [f for f in found if f is not None]
    return []


def _location(formula: Formula, pc: str) -> int | None:
    match formula:
        case Compare(op="==", left=Var(name=name, index=None), right=Const(value=value)):
            return value if name == pc else None
        case Compare(op="==", left=Const(value=value), right=Var(name=name, index=None)):
            return value if name == pc else None
    return None


def _targets(event: Event, pc: str) -> list[int]:
    """The last locations that an event can set."""
    found = [
        s.value.value
        for s in statements(event.body)
        if isinstance(s, Assign) and s.target.name == pc and isinstance(s.value, Const)
    ]
    return list(dict.fromkeys(found))


# --- anything else --------------------------------------------------------------------------------


def _touched(model: Model) -> Picture:
    """Events and what they read, write or move."""
    system = model.system
    things: dict[str, int] = {}
    nodes: list[Node] = []
    if isinstance(system, ElementaryType):
        names = [*(v.name for v in system.variables), *(c.name for c in system.channels)]
    elif isinstance(system, CompositeType):
        names = [i.name for i in system.instances]
    else:
        names = []
    for thing in names:
        things[thing] = len(nodes)
        nodes.append(Node((shorten(thing, LETTERS),), thing, shape="round", group=0))
    arrows: list[Arrow] = []
    for event in system.events:
        box = len(nodes)
        nodes.append(Node((shorten(event.title, LETTERS),), event.title))
        reads, writes, _ = dependencies(event)
        moved = dict.fromkeys(
            s.instance.name for s in statements(event.body) if isinstance(s, InstanceCall)
        )
        arrows += [Arrow(things[n], box, dashed=True) for n in reads if n in things]
        arrows += [Arrow(box, things[n]) for n in (*writes, *moved) if n in things]
    title = f"{model.name}: {_count(len(system.events), 'event')}"
    notes = ("events, what they read (broken lines), and what they write or move",)
    return Picture(title, tuple(nodes), tuple(arrows), notes, roots=tuple(things.values()))


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


__all__ = ["model_picture", "model_picture_of", "timed_picture"]
