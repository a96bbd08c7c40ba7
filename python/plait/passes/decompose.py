"""Decomposition: one component becomes a composite, along a partition or a hierarchy of its cells.

Section 7.6 of the specification of ITS-tools. Each part gets a type with its variables. An event is
cut into *pieces*, one for each part that it touches, which carry a label that a synchronisation
calls; an event that touches one part stays there and is free.

**Soundness.** The pieces of an event must commute. So variables that occur together in one conjunct
or one statement (a block is one statement) share a part, whatever was asked for: each such class
goes where its first variable was wanted. A call of a label whose events touch several parts stays
in the synchronisation, between the pieces before it and those after it; a call inside a block is
possible only within one part, so all that it may touch is in the class of the block. Arrays that
are used with constant indices alone are cut into their cells, others stay whole.

States correspond one to one, and so do arcs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, pairwise

from plait.hints import cast
from plait.model.expr import Const, Enabled, Formula, Hop, IntExpr, Var
from plait.model.fresh import FreshNames
from plait.model.node import Node, rewrite
from plait.model.shape import Shape, State, shape_of
from plait.model.stmt import Body, Call, InstanceCall, Statement
from plait.model.types import (
    CompositeType,
    ElementaryType,
    Event,
    Instance,
    Label,
    Model,
    Property,
    Units,
    Variable,
)
from plait.passes.coupling import Coupling
from plait.passes.rewritten import Rewritten
from plait.passes.walk import (
    called,
    map_body,
    map_expressions,
    variables_of,
)
from plait.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Part:
    """A wish: these cells together, by the names that traces show, and these parts inside."""

    name: str
    cells: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()


def by_units(units: Units) -> Part:
    """The wish that NUPN units express, nested as they are."""
    made: dict[str, Part] = {}
    named = {unit.name: unit for unit in units.units}
    order = [units.root]
    for name in order:
        order.extend(below for below in named[name].units if below in named)
    for name in reversed(order):
        unit = named[name]
        inside = tuple(made[below] for below in unit.units if below in made)
        made[name] = Part(name, unit.places, inside)
    return made[units.root]


def decompose(model: Model, wish: Part) -> Rewritten:
    """A flat model as a composite that comes as near to the wish as its events allow.

    Cells that the wish does not name become parts of their own.
    """
    return _Decomposition(model, wish).rewritten()


# --- the tree -------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _Node:
    """A part of the result: a type of variables, or a composite of others."""

    name: str
    above: _Node | None
    type_name: str = ""
    below: list[_Node] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    depth: int = 0

    @property
    def path(self) -> tuple[_Node, ...]:
        """From just below the root to here."""
        found: list[_Node] = []
        node = self
        while node.above is not None:
            found.append(node)
            node = node.above
        return tuple(reversed(found))

    def add(self, name: str, names: FreshNames) -> _Node:
        node = _Node(names.fresh(name), self, depth=self.depth + 1)
        self.below.append(node)
        return node

    def type(self) -> ElementaryType | CompositeType:
        events = tuple(self.events)
        if not self.below:
            return ElementaryType(self.type_name, events=events, variables=tuple(self.variables))
        instances = tuple(Instance(node.name, type=node.type_name) for node in self.below)
        return CompositeType(self.type_name, events=events, instances=instances)


def _lowest(leaves: Iterable[_Node]) -> _Node:
    """The lowest node above (or at) all of these."""
    found, *others = leaves
    for other in others:
        while found is not other:
            if found.depth >= other.depth:
                assert found.above is not None
                found = found.above
            else:
                assert other.above is not None
                other = other.above
    return found


# --- the decomposition ----------------------------------------------------------------------------


class _Decomposition:
    def __init__(self, model: Model, wish: Part) -> None:
        self.model = model
        self.coupling = coupling = Coupling(model)
        self.system, self.shape = coupling.system, coupling.shape
        self.whole, self.labelled = coupling.whole, coupling.labelled
        self.initial = self.shape.initial()
        self.root = _Node(wish.name, None)
        self.leaf: dict[str, _Node] = {}
        """Where each atom (variable, or cell of an array that is cut) is."""
        self.names: dict[str, str] = {}
        """What each atom is called there."""
        self._build(wish)
        self.local: dict[str, _Node] = {}
        self.local = self._local_labels()
        self.titles: dict[str, str] = {}

    def rewritten(self) -> Rewritten:
        pieces = (self._label(number) for number in count())
        for event in self.system.events:
            self._place(event, pieces)
        types = self._types()
        properties = tuple(self._asked(p) for p in self.model.properties)
        made = replace(self.model, types=types, main=self.root.type_name, properties=properties)
        return Rewritten(made, self._lift(shape_of(made)))

    # --- the parts ---

    def _build(self, wish: Part) -> None:
        """The tree: each class of atoms where its first atom was wanted, empty parts left out."""
        wanted = self._wanted(wish)
        made: dict[tuple[int, ...], _Node] = {(): self.root}
        inside: dict[int, FreshNames] = {}
        variables: dict[int, FreshNames] = {}

        def node(path: tuple[int, ...], names: tuple[str, ...]) -> _Node:
            if path not in made:
                above = node(path[:-1], names[:-1])
                taken = inside.setdefault(id(above), FreshNames())
                made[path] = above.add(names[-1], taken)
            return made[path]

        for number, (atom, variable, cell) in enumerate(self.coupling.atoms()):
            first = self.coupling.first(atom)
            cells = f"{first}[0]" if first in self.whole else first
            path, titles = wanted.get(cells) or ((-1 - number,), (first,))
            leaf = node((*path, 0), (*titles, "cells")) if path in self._inner else None
            leaf = leaf or node(path, titles)
            wanted.setdefault(cells, (path, titles))
            self.leaf[atom] = leaf
            name = variables.setdefault(id(leaf), FreshNames()).fresh(_plain(atom))
            self.names[atom] = name
            leaf.variables.append(self._variable(atom, name, variable, cell))
        if not self.leaf:
            self.root.add("empty", FreshNames())

    def _wanted(self, wish: Part) -> dict[str, tuple[tuple[int, ...], tuple[str, ...]]]:
        """Where each atom is wanted: the numbers on the way to its part, and their names."""
        self._inner: set[tuple[int, ...]] = set()
        found: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {}
        stack: list[tuple[Part, tuple[int, ...], tuple[str, ...]]] = [(wish, (), ())]
        while stack:
            part, path, names = stack.pop()
            if part.parts or not path:
                self._inner.add(path)
            for cell in part.cells:
                found.setdefault(cell, (path, names))
            for number, below in reversed(list(enumerate(part.parts, start=1))):
                stack.append((below, (*path, number), (*names, below.name)))
        return found

    def _variable(self, atom: str, name: str, variable: Variable, cell: int) -> Variable:
        size = self.shape.variables[variable.name].size if atom in self.whole else None
        cells = self.initial[cell : cell + (1 if size is None else size)]
        initial = tuple(Const(value) for value in cells)
        return Variable(
            name,
            initial,
            None if size is None else Const(size),
            variable.domain,
            span=variable.span,
        )

    # --- labels inside a part ---

    def _local_labels(self) -> dict[str, _Node]:
        """The labels whose events, with all that they call, touch one part only."""
        places: dict[str, set[int]] = {}
        leaves = {id(leaf): leaf for leaf in (*self.leaf.values(), self._leaf_of(()))}
        for label, events in self.labelled.items():
            atoms = (a for e in events for a in self.coupling.touched_by(e) if a in self.leaf)
            places[label] = {id(self.leaf[a]) for a in atoms}
            held = self.coupling.held(label)
            if held in self.leaf:
                places[label].add(id(self.leaf[held]))
            elif label in self.coupling.bound:
                places[label].add(id(self._leaf_of(())))
        changed = True
        while changed:
            changed = False
            for label, events in self.labelled.items():
                for other in {c for e in events for c in called(e.body) if c in self.labelled}:
                    more = places[other] - places[label]
                    places[label] |= more
                    changed = changed or bool(more)
        return {label: leaves[next(iter(at))] for label, at in places.items() if len(at) == 1}

    # --- events ---

    def _place(self, event: Event, labels: Iterator[str]) -> None:
        if event.label is not None and event.label.name in self.local:
            leaf = self.local[event.label.name]
            leaf.events.append(self._piece(event, event.guard, event.body, event.label))
            return
        segments = self._segments(event)
        leaves = {id(leaf): leaf for pieces, _ in segments for leaf in pieces}
        calls = [call for _, call in segments if call is not None]
        if len(leaves) == 1 and not calls and event.label is None:
            (leaf,) = leaves.values()
            leaf.events.append(self._piece(event, event.guard, event.body))
            self._named(event, leaf)
            return
        free = event.label is None and not calls and leaves
        at = _lowest(leaves.values()) if free else self.root
        body: list[Statement] = []
        for pieces, call in segments:
            label = next(labels)
            for leaf, (guard, block) in pieces.items():
                leaf.events.append(self._piece(event, tuple(guard), tuple(block), Label(label)))
            body.extend(self._routed(at, list(pieces), event, label))
            if call is not None:
                body.append(call)
        at.events.append(Event(event.name, body=tuple(body), label=event.label, span=event.span))
        self._named(event, at)

    def _segments(
        self, event: Event
    ) -> list[tuple[dict[_Node, tuple[list[Formula], list[Statement]]], Call | None]]:
        """The pieces up to each call that stays in the synchronisation, and that call."""
        pieces: dict[_Node, tuple[list[Formula], list[Statement]]] = {}
        segments: list[tuple[dict[_Node, tuple[list[Formula], list[Statement]]], Call | None]] = []
        for conjunct in event.guard:
            leaf = self._leaf_of(map(self.coupling.atom, variables_of((conjunct,))))
            pieces.setdefault(leaf, ([], []))[0].append(conjunct)
        for statement in event.body:
            spanning = isinstance(statement, Call) and (
                statement.label in self.labelled and statement.label not in self.local
            )
            if spanning:
                segments.append((pieces, cast(Call, statement)))
                pieces = {}
            else:
                leaf = self._leaf_of(self.coupling.touched(statement))
                pieces.setdefault(leaf, ([], []))[1].append(statement)
        segments.append((pieces, None))
        return segments

    def _leaf_of(self, touched: Iterable[str]) -> _Node:
        """The part of a conjunct or statement; anywhere, if it touches nothing."""
        for atom in touched:
            if atom in self.leaf:
                return self.leaf[atom]
            label = atom.removeprefix("call ")
            if label in self.local:
                return self.local[label]
        return next(iter(self.leaf.values()), self.root.below[0])

    def _routed(
        self, at: _Node, leaves: Sequence[_Node], event: Event, label: str
    ) -> Iterator[Statement]:
        """The calls at a node, and synchronisations on the way from it to the pieces."""
        ways: dict[_Node, list[_Node]] = {}
        for leaf in leaves:
            path = (at, *leaf.path[at.depth :])
            for above, below in pairwise(path):
                calls = ways.setdefault(above, [])
                if below not in calls:
                    calls.append(below)
        for node, parts in ways.items():
            body = tuple(InstanceCall(Hop(part.name), label) for part in parts)
            if node is at:
                yield from body
            else:
                node.events.append(Event(event.name, body=body, label=Label(label)))

    def _piece(
        self, event: Event, guard: tuple[Formula, ...], body: Body, label: Label | None = None
    ) -> Event:
        def to(node: Node) -> Node:
            return rewrite(node, self._renamed)

        def changed(statement: Statement) -> Iterator[Statement]:
            yield map_expressions(statement, to, to)

        conjuncts = tuple(cast(Formula, to(c)) for c in guard)
        return Event(event.name, conjuncts, map_body(body, changed), label=label, span=event.span)

    def _renamed(self, node: Node) -> Node:
        if not isinstance(node, Var):
            return node
        atom = self.coupling.atom(node)
        return Var(self.names[atom], node.index if atom in self.whole else None, span=node.span)

    def _label(self, number: int) -> str:
        return f"piece {number} of {self.root.name}"

    def _named(self, event: Event, at: _Node) -> None:
        if event.label is None:
            self.titles[event.title] = ".".join((*(n.name for n in at.path), event.name))

    # --- the result ---

    def _types(self) -> tuple[ElementaryType | CompositeType, ...]:
        order = [self.root]
        for node in order:
            order.extend(node.below)
        names = FreshNames()
        for node in order:
            node.type_name = names.fresh(f"{node.name}_part" if node.above else node.name)
            events = FreshNames()
            node.events = [replace(e, name=events.fresh(e.name)) for e in node.events]
        return tuple(node.type() for node in reversed(order))

    def _asked(self, p: Property) -> Property:
        def change(node: Node) -> Node:
            if isinstance(node, Var):
                path = tuple(Hop(n.name) for n in self.leaf[self.coupling.atom(node)].path)
                return replace(cast(Var, self._renamed(node)), path=path)
            if isinstance(node, Enabled):
                meant = (new for e in node.events for new in self._meant(e))
                return Enabled(tuple(meant), span=node.span)
            return node

        if p.body is None:
            return p
        return replace(p, body=cast("Formula | IntExpr", rewrite(p.body, change)))

    def _meant(self, title: str) -> list[str]:
        """The new titles of an event; named without arguments, it is all of that name."""
        if title in self.titles:
            return [self.titles[title]]
        return [new for old, new in self.titles.items() if old.startswith(f"{title}(")]

    def _lift(self, made: Shape) -> _Lift:
        place = {name: number for number, name in enumerate(made.cells())}
        cells: list[int] = []
        for atom, variable, _ in self.coupling.atoms():
            where = "".join(f"{n.name}:" for n in self.leaf[atom].path) + self.names[atom]
            if atom in self.whole:
                size = self.shape.variables[variable.name].size or 0
                cells.extend(place[f"{where}[{i}]"] for i in range(size))
            else:
                cells.append(place[where])
        return _Lift(tuple(cells))


@dataclass(frozen=True, slots=True)
class _Lift:
    """From a state of the parts to the state of the whole."""

    cells: tuple[int, ...]

    def __call__(self, state: State) -> State:
        return tuple(state[cell] for cell in self.cells)


def _plain(atom: str) -> str:
    """The cell of an array as the name of a variable."""
    return atom.replace("[", "_").removesuffix("]")


__all__ = ["Part", "by_units", "decompose"]
