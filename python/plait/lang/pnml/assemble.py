"""From the places, transitions, references and arcs of a file to a `Model`.

References are followed here, once everything is known: a document may use a node before it declares
it, and chains of references may be as long as the file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from plait.errors import Source, Span, error
from plait.model.arithmetic import INT_MAX
from plait.model.net import Effect, EventComposer
from plait.model.shape import COUNTER
from plait.model.types import ElementaryType, Event, Model, Units, Variable
from plait.records import dataclass, replace

ArcKind = Literal["normal", "inhibitor", "test", "reset"]
Position = tuple[int, int]


class Arc(NamedTuple):
    """An arc as it stands in the file; the ends are ids of nodes or of references to them."""

    source: str
    target: str
    weight: int
    kind: ArcKind
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference node."""

    target: str
    to_place: bool
    position: Position


@dataclass(frozen=True, slots=True)
class Node:
    """A place (with its tokens) or a transition."""

    name: str
    tokens: int
    comment: str | None
    position: Position


class Assembler:
    """Collects the parts of one net."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.places: dict[str, Node] = {}
        self.transitions: dict[str, Node] = {}
        self.references: dict[str, Reference] = {}
        self.arcs: list[Arc] = []

    def rename(self, full: Callable[[str], str]) -> None:
        """Call all nodes so far by other names."""
        for nodes in (self.places, self.transitions):
            renamed = [replace(node, name=full(node.name)) for node in nodes.values()]
            nodes.clear()
            nodes.update({node.name: node for node in renamed})
        for i, arc in enumerate(self.arcs):
            self.arcs[i] = arc._replace(source=full(arc.source), target=full(arc.target))

    def model(self, name: str, span: Span, units: Units | None) -> Model:
        """The net as a model with one elementary type."""
        meant = self._resolve()
        arcs = self._arcs_by_transition(meant)
        compose = EventComposer(list(self.places))
        variables = tuple(
            Variable(
                p.name,
                (compose.constant(p.tokens),),
                domain=COUNTER,
                span=self._span(p.position),
                comment=p.comment,
            )
            for p in self.places.values()
        )
        index = {place: i for i, place in enumerate(self.places)}
        events = tuple(
            self._event(t, arcs.pop(t.name, []), meant, index, compose)
            for t in self.transitions.values()
        )
        net = ElementaryType(name, events=events, variables=variables, units=units, span=span)
        return Model(name, (net,), name)

    def _span(self, position: Position) -> Span:
        return Span(self.source, *position)

    # --- references -------------------------------------------------------------------------------

    def _resolve(self) -> dict[str, str]:
        """The node that each reference finally means."""
        meant: dict[str, str] = {}
        for start in self.references:
            path: dict[str, None] = {}
            at = start
            while at in self.references and at not in meant:
                if at in path:
                    raise error(
                        f"the reference '{at}' refers to itself",
                        self._span(self.references[at].position),
                    )
                path[at] = None
                at = self.references[at].target
            at = meant.get(at, at)
            for name in path:
                self._check_reference(name, at)
                meant[name] = at
        return meant

    def _check_reference(self, name: str, node: str) -> None:
        reference = self.references[name]
        found = self.places if reference.to_place else self.transitions
        if node not in found:
            kind = "place" if reference.to_place else "transition"
            exists = node in self.places or node in self.transitions
            what = f"'{node}', which is no {kind}" if exists else f"'{node}', which does not exist"
            raise error(f"the reference '{name}' means {what}", self._span(reference.position))

    # --- arcs -------------------------------------------------------------------------------------

    def _arcs_by_transition(self, meant: dict[str, str]) -> dict[str, list[Arc]]:
        groups: dict[str, list[Arc]] = {}
        places, transitions = self.places, self.transitions
        for arc in self.arcs:
            source = meant.get(arc.source, arc.source)
            target = meant.get(arc.target, arc.target)
            if source in places and target in transitions:
                groups.setdefault(target, []).append(arc)
            elif source in transitions and target in places:
                if arc.kind != "normal":
                    raise error(
                        f"an arc of kind '{arc.kind}' leads from a place to a transition, not back",
                        self._span((arc.line, arc.column)),
                    )
                groups.setdefault(source, []).append(arc)
            else:
                raise self._bad_arc(arc, source, target)
        self.arcs.clear()
        return groups

    def _bad_arc(self, arc: Arc, source: str, target: str) -> Exception:
        span = self._span((arc.line, arc.column))
        for end in (source, target):
            if end not in self.places and end not in self.transitions:
                return error(f"this arc names '{end}', which is no node of the net", span)
        kind = "place" if source in self.places else "transition"
        return error(f"this arc leads from the {kind} '{source}' to the {kind} '{target}'", span)

    def _event(
        self,
        node: Node,
        arcs: list[Arc],
        meant: dict[str, str],
        index: dict[str, int],
        compose: EventComposer,
    ) -> Event:
        effects: dict[int, Effect] = {}
        for source, target, weight, kind, line, column in arcs:
            source = meant.get(source, source)
            incoming = source in index
            place = index[source if incoming else meant.get(target, target)]
            effect = effects.get(place)
            if effect is None:
                effect = effects[place] = Effect(Span(self.source, line, column))
            if not incoming:
                effect.put += weight
            elif kind == "normal":
                effect.taken += weight
            elif kind == "test":
                effect.tested = max(effect.tested, weight)
            elif kind == "inhibitor":
                effect.below = weight if effect.below is None else min(effect.below, weight)
            else:
                effect.reset = True
            if effect.taken > INT_MAX or effect.put > INT_MAX:
                raise error(
                    f"parallel arcs add up to more than {INT_MAX}", Span(self.source, line, column)
                )
        return compose.event(node.name, effects.items(), self._span(node.position), node.comment)
