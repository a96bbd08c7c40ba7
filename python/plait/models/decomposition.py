"""A net as a composite with one part a level: its units become its hierarchy.

Each level becomes a type with the places of the level. An event that touches one level stays there
and is free; one that touches several is split into a labelled event for each, which a
synchronisation of the composite calls in the order of the levels. Tests and changes of a net belong
to one place each, so the pieces commute and every partition of the places is legal: the Kronecker
consistency of structural model checking, and the condition under which ITS-tools decomposes a GAL.

Invariant: states correspond one to one (the cells are the same, in the order of the levels), and so
do arcs, since an event of the net remains one event of the composite.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from plait.errors import error
from plait.model.expr import Enabled, Formula, Hop, IntExpr, Var
from plait.model.net import Effect, EventComposer, Net, effects_of
from plait.model.node import Node, rewrite
from plait.model.shape import COUNTER
from plait.model.stmt import InstanceCall
from plait.model.types import (
    CompositeType,
    ElementaryType,
    Event,
    Instance,
    Label,
    Model,
    Property,
    Unit,
    Variable,
)
from plait.records import replace


def by_levels(net: Net, properties: Iterable[Property] = ()) -> Model:
    """The composite whose parts are the units of the net, named like them."""
    if net.units is None:
        raise error(f"the net '{net.name}' says nothing about levels")
    levels = [u for u in net.units.units if u.places]
    level_of = {place: level for level, unit in enumerate(levels) for place in unit.places}
    place_levels = [level_of[p.name] for p in net.places]
    number = {p.name: i for i, p in enumerate(net.places)}
    parts = [_Part(unit, net, number) for unit in levels]
    synchronisations: list[Event] = []
    titles: dict[str, str] = {}
    for event in net.events:
        effects: dict[int, list[tuple[int, Effect]]] = {}
        for place, effect in effects_of(event):
            effects.setdefault(place_levels[place], []).append((place, effect))
        shared = len(effects) > 1
        for level, local in sorted(effects.items()):
            parts[level].add(event.name, local, shared)
        if len(effects) == 1:
            titles[event.title] = f"{levels[next(iter(effects))].name}.{event.name}"
        else:
            titles[event.title] = event.name
            calls = (InstanceCall(Hop(levels[k].name), _label(event.name)) for k in sorted(effects))
            synchronisations.append(Event(event.name, body=tuple(calls)))
    types = tuple(part.type() for part in parts)
    instances = tuple(Instance(u.name, type=t.name) for u, t in zip(levels, types, strict=True))
    main = CompositeType(net.name, events=tuple(synchronisations), instances=instances)
    owner = {place: levels[level].name for place, level in level_of.items()}
    asked = tuple(_asked(p, owner, titles) for p in properties)
    return Model(net.name, (*types, main), main.name, properties=asked)


class _Part:
    """One level: its places, and the pieces of events on them."""

    def __init__(self, unit: Unit, net: Net, number: Mapping[str, int]) -> None:
        self.name = unit.name
        self.local = {number[place]: i for i, place in enumerate(unit.places)}
        self.compose = EventComposer(unit.places)
        self.events: list[Event] = []
        self.variables = tuple(
            Variable(p, (self.compose.constant(net.places[number[p]].initial),), domain=COUNTER)
            for p in unit.places
        )

    def add(self, name: str, effects: Iterable[tuple[int, Effect]], shared: bool) -> None:
        local = [(self.local[place], effect) for place, effect in effects]
        event = self.compose.event(name, local)
        self.events.append(replace(event, label=Label(_label(name))) if shared else event)

    def type(self) -> ElementaryType:
        return ElementaryType(
            f"{self.name}_part", events=tuple(self.events), variables=self.variables
        )


def _label(event: str) -> str:
    """The label of the pieces; a name that ends in a number is kept for labels with arguments."""
    return f"{event} piece"


def _meant(event: str, titles: Mapping[str, str]) -> list[str]:
    """The new titles of an event; named without arguments, it is all of that name."""
    if event in titles:
        return [titles[event]]
    return [new for old, new in titles.items() if old.startswith(f"{event}(")]


def _asked(property: Property, owner: Mapping[str, str], titles: Mapping[str, str]) -> Property:
    """The property with places qualified by their part, and events called by their new titles."""

    def qualified(node: Node) -> Node:
        match node:
            case Var(name=name, index=None) if name in owner:
                return Var(name, None, (Hop(owner[name]),), span=node.span)
            case Var(name=name):
                raise error(f"the net has no place named '{name}'", node.span)
            case Enabled(events=events):
                return Enabled(tuple(t for e in events for t in _meant(e, titles)), span=node.span)
        return node

    if property.body is None:
        return property
    return replace(property, body=cast(Formula | IntExpr, rewrite(property.body, qualified)))
