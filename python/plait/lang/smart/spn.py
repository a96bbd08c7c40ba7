"""Nets of SMART's language as models.

Arcs may have weights that depend on the marking; all weights are those of the marking before the
event. Immediate transitions (`firing(t:0)`) go before all others, and markings in which one is
enabled are passed through unseen. Rates and weights say when and how often, which is not asked
here.

Invariant: in an event, a place is assigned after all places whose new values depend on it. Where
there is no such order, as where two places change their tokens with each other, new values wait in
variables of their own, `next(p)`, which are 0 between events.
"""

from __future__ import annotations

from plait.errors import Span, error
from plait.model.expr import Binary, Compare, Const, Formula, IntExpr, Not, Or, Var, conjunction
from plait.model.node import nodes
from plait.model.shape import COUNTER
from plait.model.stmt import Assign, Statement
from plait.model.types import ElementaryType, Event, Model, Variable
from plait.records import dataclass, field

Weight = int | IntExpr


@dataclass(eq=False)
class Part:
    """A place or a transition of a net."""

    kind: str
    name: str
    span: Span | None


@dataclass
class _Transition:
    part: Part
    taken: dict[str, IntExpr] = field(default_factory=dict)
    put: dict[str, IntExpr] = field(default_factory=dict)
    inhibitors: list[tuple[str, IntExpr]] = field(default_factory=list)
    guard: list[Formula] = field(default_factory=list)
    immediate: bool = False


class NetBody:
    """What the statements of a net's body say."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._places: dict[str, tuple[Part, int]] = {}
        self._transitions: dict[str, _Transition] = {}
        self.levels: dict[int, list[str]] = {}
        self._levelled: set[str] = set()
        self._lowest = 1
        self._waiting: set[str] = set()

    def declare(self, part: Part) -> None:
        """A new place or transition."""
        if part.name in self._places or part.name in self._transitions:
            raise error(f"'{part.name}' is declared twice", part.span)
        if part.kind == "place":
            self._places[part.name] = part, 0
        else:
            self._transitions[part.name] = _Transition(part)

    def arc(self, one: Part, other: Part, weight: Weight, span: Span | None) -> None:
        """An arc from one to the other; those between the same two add up."""
        if {one.kind, other.kind} != {"place", "trans"}:
            raise error("an arc is between a place and a transition", span)
        incoming = one.kind == "place"
        place, event = (one, other) if incoming else (other, one)
        transition = self._transitions[event.name]
        rows = transition.taken if incoming else transition.put
        amount = _expression(weight)
        known = rows.get(place.name)
        rows[place.name] = amount if known is None else _sum(known, amount)

    def inhibit(self, place: Part, event: Part, weight: Weight, span: Span | None) -> None:
        """An inhibitor arc."""
        if (place.kind, event.kind) != ("place", "trans"):
            raise error("an inhibitor arc is from a place to a transition", span)
        row = (place.name, _expression(weight))
        self._transitions[event.name].inhibitors.append(row)

    def guard(self, event: Part, condition: Formula) -> None:
        """What must hold for the transition to fire."""
        self._transition(event).guard.append(condition)

    def fire(self, event: Part, *, immediate: bool) -> None:
        """When the transition fires."""
        self._transition(event).immediate = immediate

    def _transition(self, event: Part) -> _Transition:
        if event.kind != "trans":
            raise error(f"'{event.name}' is not a transition", event.span)
        return self._transitions[event.name]

    def start(self, place: Part, tokens: int, span: Span | None) -> None:
        """The tokens at the start."""
        if place.kind != "place":
            raise error(f"'{place.name}' is not a place", span)
        self._places[place.name] = place, tokens

    def put_in_level(self, level: int, place: Part, span: Span | None) -> None:
        """Give a place to a level of the diagrams; 1 is the lowest."""
        if place.kind != "place":
            raise error(f"'{place.name}' is not a place", span)
        if place.name in self._levelled:
            raise error(f"'{place.name}' has a level already", span)
        self._levelled.add(place.name)
        self.levels.setdefault(level, []).append(place.name)

    @property
    def free_level(self) -> int:
        """The lowest level that has no place yet."""
        while self._lowest in self.levels:
            self._lowest += 1
        return self._lowest

    @property
    def order(self) -> tuple[tuple[str, ...], ...]:
        """The levels, top first; places without a level come last, each by itself."""
        rest = [(name,) for name in self._places if name not in self._levelled]
        return (*(tuple(self.levels[k]) for k in sorted(self.levels, reverse=True)), *rest)

    # --- the model --------------------------------------------------------------------------------

    def model(self) -> Model:
        """The model of the net."""
        immediate = [t for t in self._transitions.values() if t.immediate]
        vanishing = [conjunction(self._enabled(t)) for t in immediate]
        events = []
        for transition in self._transitions.values():
            guard = self._enabled(transition)
            if not transition.immediate:
                guard += [Not(condition) for condition in vanishing]
            body = tuple(self._effect(transition))
            part = transition.part
            events.append(Event(part.name, guard=tuple(guard), body=body, span=part.span))
        variables = [
            Variable(name, (Const(tokens),), domain=COUNTER, span=part.span)
            for name, (part, tokens) in self._places.items()
        ]
        variables += [Variable(n, domain=COUNTER, hidden=True) for n in sorted(self._waiting)]
        transient = None
        if vanishing:
            transient = vanishing[0] if len(vanishing) == 1 else Or(tuple(vanishing))
        type_ = ElementaryType(
            self._name, events=tuple(events), variables=tuple(variables), transient=transient
        )
        return Model(self._name, (type_,), self._name)

    def _enabled(self, transition: _Transition) -> list[Formula]:
        found: list[Formula] = [
            Compare(">=", Var(place), amount) for place, amount in transition.taken.items()
        ]
        found += [Compare("<", Var(place), amount) for place, amount in transition.inhibitors]
        return found + transition.guard

    def _effect(self, transition: _Transition) -> list[Statement]:
        """The new tokens of all places, each from the marking before."""
        changed = list(dict.fromkeys((*transition.taken, *transition.put)))
        values: dict[str, IntExpr] = {}
        for place in changed:
            value: IntExpr = Var(place)
            if place in transition.taken:
                value = Binary("-", value, transition.taken[place])
            if place in transition.put:
                value = Binary("+", value, transition.put[place])
            if isinstance(transition.taken.get(place), Const) and (
                transition.taken.get(place) == transition.put.get(place)
            ):
                continue
            values[place] = value
        found: list[Statement] = []
        end: list[Statement] = []
        while values:
            used = {
                place: {n.name for n in nodes(value) if isinstance(n, Var)} - {place}
                for place, value in values.items()
            }
            ready = [
                p for p in values if not any(p in used[other] for other in values if other != p)
            ]
            found += [Assign(Var(place), values.pop(place)) for place in ready]
            if not ready:
                place = next(iter(values))
                later = f"next({place})"
                self._waiting.add(later)
                found.append(Assign(Var(later), values.pop(place)))
                end += [Assign(Var(place), Var(later)), Assign(Var(later), Const(0))]
        return found + end


def _expression(weight: Weight) -> IntExpr:
    return Const(weight) if isinstance(weight, int) else weight


def _sum(one: IntExpr, other: IntExpr) -> IntExpr:
    if isinstance(one, Const) and isinstance(other, Const):
        return Const(one.value + other.value)
    return Binary("+", one, other)


__all__ = ["NetBody", "Part"]
