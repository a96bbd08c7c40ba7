"""From the parts of a file to a `ColouredNet`, once everything is read.

Arcs of kind `test` take tokens and put the same ones back; arcs of kind `reset` have no meaning for
bags of colours and are refused. An arc without an inscription carries one dot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from plait.colour.net import (
    DOT,
    ArcKind,
    Bag,
    Basic,
    Colour,
    ColouredArc,
    ColouredEvent,
    ColouredNet,
    ColouredPlace,
    Every,
    Fixed,
    Sort,
    Summand,
)
from plait.errors import Source, Span, error
from plait.lang.pnml.assemble import Arc, Assembler, Node, Position
from plait.lang.pnml.sorts import Declarations
from plait.lang.pnml.structure import Element
from plait.lang.pnml.terms import Terms, component_names
from plait.model.expr import Formula, conjuncts

MARKING_LIMIT = 2_000_000
"""The most colours that are marked initially, all places together."""


class ColouredAssembler(Assembler):
    """Collects the parts of one symmetric net."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.declarations: list[Element] = []
        self.types: dict[str, Element] = {}
        self.markings: dict[str, Element] = {}
        self.conditions: dict[str, Element] = {}
        self.inscriptions: dict[Position, Element] = {}
        """The bag of an arc, by the place of the arc in the file."""
        self._declared = Declarations()
        self._terms = Terms(self._declared)
        self._basics: dict[str, Basic] = {}
        self._marked = 0

    def rename(self, full: Callable[[str], str]) -> None:
        """Call all nodes so far by other names."""
        super().rename(full)
        self.types = {full(name): element for name, element in self.types.items()}
        self.markings = {full(name): element for name, element in self.markings.items()}
        self.conditions = {full(name): element for name, element in self.conditions.items()}

    def net(self, name: str, span: Span) -> ColouredNet:
        """The net."""
        self._declared.declare(self.declarations)
        meant = self._resolve()
        arcs = self._arcs_by_transition(meant)
        places = tuple(self._place(node) for node in self.places.values())
        index = {place.name: number for number, place in enumerate(places)}
        self._basics = {
            component: basic
            for id, (_, sort) in self._declared.variables.items()
            for component, basic in zip(component_names(id, sort), sort, strict=True)
        }
        events = tuple(
            self._coloured_event(node, arcs.pop(node.name, []), meant, index, places)
            for node in self.transitions.values()
        )
        return ColouredNet(name, places, events, span)

    # --- places -----------------------------------------------------------------------------------

    def _place(self, node: Node) -> ColouredPlace:
        span = self._span(node.position)
        if node.name not in self.types:
            raise error(f"the place '{node.name}' has no <type>", span)
        sort = self._declared.sort(self.types[node.name].only_child())
        initial: Mapping[Colour, int] = {}
        if node.name in self.markings:
            bag, variables = self._terms.bag(self.markings[node.name], sort)
            if variables:
                raise error("an initial marking has no variables", bag.span)
            initial = self._initial(bag, sort)
        return ColouredPlace(node.name, sort, initial, span, node.comment)

    def _initial(self, bag: Bag, sort: Sort) -> Mapping[Colour, int]:
        self._marked += sum(size_of_terms(s) for s in bag)
        if self._marked > MARKING_LIMIT:
            raise error(f"more than {MARKING_LIMIT} colours are marked initially", bag.span)
        return bag.colours({}, sort)

    # --- events -----------------------------------------------------------------------------------

    def _coloured_event(
        self,
        node: Node,
        arcs: list[Arc],
        meant: dict[str, str],
        index: dict[str, int],
        places: tuple[ColouredPlace, ...],
    ) -> ColouredEvent:
        variables: dict[str, None] = {}
        guard: tuple[Formula, ...] = ()
        if node.name in self.conditions:
            condition, used = self._terms.condition(self.conditions[node.name])
            guard = conjuncts(condition)
            variables.update(dict.fromkeys(used))
        coloured: list[ColouredArc] = []
        for arc in arcs:
            source = meant.get(arc.source, arc.source)
            place = index[source if source in index else meant.get(arc.target, arc.target)]
            bag, used = self._bag(arc, places[place].sort)
            variables.update(dict.fromkeys(used))
            span = Span(self.source, arc.line, arc.column)
            kinds = self._kinds(arc, source in index)
            coloured.extend(ColouredArc(place, kind, bag, span) for kind in kinds)
        return ColouredEvent(
            node.name,
            tuple((v, self._basics[v]) for v in variables),
            guard,
            tuple(coloured),
            self._span(node.position),
            node.comment,
        )

    def _kinds(self, arc: Arc, incoming: bool) -> tuple[ArcKind, ...]:
        span = Span(self.source, arc.line, arc.column)
        if not incoming:
            return ("out",)
        match arc.kind:
            case "normal":
                return ("in",)
            case "test":
                return ("in", "out")
            case "inhibitor":
                return ("inhibitor",)
        raise error("reset arcs are not supported in high-level nets", span)

    def _bag(self, arc: Arc, sort: Sort) -> tuple[Bag, list[str]]:
        position = (arc.line, arc.column)
        if position in self.inscriptions:
            bag, used = self._terms.bag(self.inscriptions[position], sort)
        elif sort == (DOT,):
            bag, used = Bag((Summand(1, (Fixed(0),)),), self._span(position)), []
        else:
            raise error("this arc has no <hlinscription>", self._span(position))
        return bag, used


def size_of_terms(summand: Summand) -> int:
    """How many different colours the terms of a summand make."""
    size = 1
    for term in summand.terms:
        size *= term.size if isinstance(term, Every) else 1
    return size
