"""Random elementary types: variables, labels, guarded events, loops, fixpoints, transient states.

Most events are small variations of useful shapes (a guarded step, a token moved, a cyclic counter)
so that models do something; the rest is free.
"""

from __future__ import annotations

from plait.model.arithmetic import INT_MAX, INT_MIN, wrap32
from plait.model.expr import (
    Binary,
    Compare,
    Const,
    Formula,
    IntExpr,
    Not,
    Param,
    Var,
    conjunction,
    conjuncts,
)
from plait.model.stmt import Abort, Assign, Body, Call, Fixpoint, For, If, Statement
from plait.model.types import (
    Constant,
    Domain,
    ElementaryType,
    Event,
    Label,
    Parameter,
    Predicate,
    Range,
    Variable,
)
from plait.records import dataclass, field, replace
from plait.testing.choices import Choices
from plait.testing.features import parts
from plait.testing.mix import Mix
from plait.testing.random_expressions import Expressions, Named, Place, Queue, Scope

ODD_NAMES = ("label", "U", "property", "G", "x.y", "p.0", "main", "E", "self", "deadlock", "int")
"""Names that a printer has to escape, or that a parser could take for something else."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A label that a type answers to, and the values each of its arguments is meant to have."""

    name: str
    arguments: tuple[tuple[int, int], ...] = ()
    cheap: bool = False
    """Its events neither call nor repeat, so that a fixpoint over it stays affordable."""


@dataclass(frozen=True, slots=True)
class RangeInfo:
    """A range in scope, with the values it has under the default constants."""

    name: str
    low: int
    high: int


class Names:
    """Fresh names of one type; now and then an odd one."""

    def __init__(self, choices: Choices, odd: bool) -> None:
        self.choices = choices
        self.used: set[str] = set()
        self.odd = odd

    def fresh(self, stem: str) -> str:
        """A name not used before."""
        if self.odd and self.choices.chance(30):
            name = self.choices.pick(ODD_NAMES)
            if name not in self.used:
                self.used.add(name)
                return name
        number = 0
        while f"{stem}{number}" in self.used:
            number += 1
        self.used.add(f"{stem}{number}")
        return f"{stem}{number}"


@dataclass(slots=True)
class Draft:
    """An elementary type in the making."""

    choices: Choices
    mix: Mix
    names: Names
    constants: list[Constant] = field(default_factory=list)
    ranges: list[Range] = field(default_factory=list)
    known_ranges: list[RangeInfo] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    queues: list[Queue] = field(default_factory=list)
    named: list[Named] = field(default_factory=list)
    offers: list[Offer] = field(default_factory=list)
    """Labels that may be called from here on; events of a label call only labels made before it,
    so calls are acyclic."""
    events: list[Event] = field(default_factory=list)

    def scope(self, *extra: Named) -> Scope:
        """What expressions of this type may speak of."""
        return Scope(
            tuple(self.places),
            (*self.named, *extra),
            tuple(self.queues),
            self.mix.undefined,
            self.mix.wrap,
        )


def draft(choices: Choices, mix: Mix, shared: list[Named], ranges: list[RangeInfo]) -> Draft:
    """An empty type that sees these global constants and ranges."""
    names = Names(choices, choices.chance(mix.odd_names))
    return Draft(choices, mix, names, named=list(shared), known_ranges=list(ranges))


def elementary(draft: Draft, name: str, cells: int, open_labels: int) -> ElementaryType:
    """A type with at most `cells` cells and at least `open_labels` labels for the outside."""
    c, mix = draft.choices, draft.mix
    add_constants(draft)
    left = c.integer(min(2, cells), cells)
    while left > 0:
        left -= add_variable(draft, left)
    transient = _add_transient(draft) if c.chance(mix.transient) else None
    helpers = c.integer(1, 2) if c.chance(mix.calls) else 0
    for _ in range(max(open_labels, helpers)):
        _add_label(draft)
    writer = EventWriter(draft)
    for place in list(draft.places):
        if c.chance(mix.drivers):
            draft.events.append(writer.driver(draft.names.fresh("d"), place))
    for _ in range(c.integer(1, max(1, mix.events - len(draft.places)))):
        draft.events.append(writer.event(draft.names.fresh("t")))
    if transient is not None and c.chance(70):
        draft.events[:] = [_only_when_settled(e, transient) for e in draft.events]
    return finished(draft, name, transient)


def finished(draft: Draft, name: str, transient: Formula | None = None) -> ElementaryType:
    """The type as drafted."""
    predicates: tuple[Predicate, ...] = ()
    if draft.places and draft.choices.chance(10):
        condition = Expressions(draft.choices, replace(draft.scope(), queues=())).formula(1)
        predicates = (Predicate(draft.names.fresh("pred"), condition),)
    return ElementaryType(
        name,
        tuple(draft.constants),
        tuple(draft.ranges),
        tuple(draft.events),
        tuple(draft.variables),
        predicates=predicates,
        transient=transient,
    )


# --- declarations ---------------------------------------------------------------------------------


def add_constants(draft: Draft) -> None:
    """Constants of the type and ranges over them."""
    c = draft.choices
    if c.chance(draft.mix.constants):
        name = f"K{len(draft.named)}"
        value = c.integer(1, 3)
        draft.constants.append(Constant(name, value))
        draft.named.append(Named(name, value, value, constant=True))
    if c.chance(draft.mix.parameters):
        draft.ranges.append(new_range(c, draft.names.fresh("r"), draft.named, draft.known_ranges))


def new_range(c: Choices, name: str, named: list[Named], known: list[RangeInfo]) -> Range:
    """A range between literals or constants, sometimes of one value."""
    low = c.pick((0, 0, 1, -1))
    if named and c.chance(50):
        constant = c.pick(named)
        shift = c.pick((0, -1, 1))
        high: IntExpr = Param(constant.name)
        if shift:
            high = Binary("+" if shift > 0 else "-", high, Const(1))
        top = constant.high + shift
        low = min(low, top)
    else:
        top = low + c.integer(0, 2)
        high = Const(top)
    known.append(RangeInfo(name, low, top))
    return Range(name, Const(low), high)


def add_variable(draft: Draft, most: int) -> int:
    """A scalar or an array; the number of its cells."""
    c, mix = draft.choices, draft.mix
    base, span = _values(draft)
    domain = Domain(base, base + span) if c.chance(mix.domains) else None
    if base + span > INT_MAX:
        domain = None
    name = draft.names.fresh("v")
    if c.chance(mix.arrays):
        size = c.integer(1, min(3, most)) if not c.chance(2) else 0
        by_name = [n for n in draft.named if n.low == n.high == size]
        expr: IntExpr = Param(by_name[0].name) if by_name and c.chance(60) else Const(size)
        literal = isinstance(expr, Const) and size > 0 and (c.chance(60) or base != 0)
        # GAL wants initial values of an array only when its size is a literal.
        if not literal:
            base, span = 0, min(span, 2)
            domain = None if domain is None else Domain(base, base + span)
        initial = tuple(Const(wrap32(base + c.integer(0, span))) for _ in range(size))
        draft.variables.append(Variable(name, initial if literal else (), expr, domain))
        if size > 0:
            draft.places.append(Place(name, base, span, size))
        return max(1, size)
    start = Const(wrap32(base + c.integer(0, span)))
    initial = () if base == 0 and c.chance(30) else (start,)
    draft.variables.append(Variable(name, initial, None, domain))
    draft.places.append(Place(name, base, span))
    return 1


def _values(draft: Draft) -> tuple[int, int]:
    """The values a new variable is meant to take: small, or around the wrap-around."""
    c = draft.choices
    span = c.weighted([(4, 1), (5, 2), (3, 3), (1, 4)])
    if c.chance(draft.mix.wrap):
        return c.pick((INT_MAX - span, INT_MIN, INT_MAX - 1, -(2**31) + 1)), span
    return c.weighted([(8, 0), (1, -1), (1, 1)]), span


def _add_transient(draft: Draft) -> Formula:
    """A predicate of states nobody sees, mostly one that every run leaves again."""
    c = draft.choices
    if draft.places and c.chance(3 * draft.mix.faults):
        # A comparison: GAL's readers take `TRANSIENT = false` for its absence.
        return Expressions(c, replace(draft.scope(), queues=())).comparison(c.pick(draft.places))
    name = draft.names.fresh("v")
    span = c.integer(1, 2)
    draft.variables.append(Variable(name, ()))
    draft.places.append(Place(name, 0, span))
    transient = Compare(">", Var(name), Const(0))
    down = Assign(Var(name), Binary("-", Var(name), Const(1)))
    for _ in range(c.integer(1, 2)):
        event = EventWriter(draft).event(draft.names.fresh("settle"), plain=True)
        guard = (transient, *event.guard) if c.chance(25) else (transient,)
        draft.events.append(replace(event, guard=guard, body=(*event.body, down)))
    # Only the events made so far may lower it below what they find; the others set it freely.
    return transient


def _only_when_settled(event: Event, transient: Formula) -> Event:
    """The event, kept from moving in transient states (so that they cannot go round in circles)."""
    if event.label is not None or transient in event.guard:
        return event
    return replace(event, guard=(*conjuncts(Not(transient)), *event.guard))


def _add_label(draft: Draft) -> None:
    """One or two events that answer to a new label, possibly with an argument."""
    c = draft.choices
    writer = EventWriter(draft)
    name = f"lab{len(draft.offers)}" if not c.chance(5) else f"do it {len(draft.offers)}"
    arity = c.weighted([(6, 0), (3, 1), (1, 2)]) if c.chance(draft.mix.parameters + 20) else 0
    added: list[tuple[tuple[int, int], ...]] = []
    for _ in range(c.integer(1, 3)):
        event = writer.event(draft.names.fresh("f"), identity=c.chance(25), needs=arity)
        arguments, values = writer.label_arguments(event, arity)
        draft.events.append(replace(event, label=Label(name, arguments)))
        added.append(values)
    spans = tuple((min(v[i][0] for v in added), max(v[i][1] for v in added)) for i in range(arity))
    made = [p for e in draft.events[-len(added) :] for s in e.body for p in parts(s)]
    cheap = not any(isinstance(p, Call | Fixpoint) for p in made)
    draft.offers.append(Offer(name, spans, cheap))


# --- events ---------------------------------------------------------------------------------------


class EventWriter:
    """Writes events of one draft."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.choices = draft.choices
        self.mix = draft.mix

    def event(
        self, name: str, *, plain: bool = False, identity: bool = False, needs: int = 0
    ) -> Event:
        """An event; `plain` ones have no parameters and no calls, `identity` ones do nothing,
        and one that a label with arguments needs has mostly a parameter for each."""
        c = self.choices
        parameters: tuple[Parameter, ...] = ()
        bound: list[Named] = []
        if self.draft.known_ranges and not plain and c.chance(80 if needs else self.mix.parameters):
            count = max(1, needs) if not c.chance(15) else needs + 1
            chosen = [c.pick(self.draft.known_ranges) for _ in range(min(2, count))]
            parameters = tuple(Parameter(f"p{i}", range=r.name) for i, r in enumerate(chosen))
            bound = [Named(f"p{i}", r.low, r.high) for i, r in enumerate(chosen)]
        scope = self.draft.scope(*bound)
        if identity:
            return Event(name, (), (), parameters)
        if plain:
            return Event(name, (), (self.assign(Expressions(c, scope)),), parameters)
        guard, body = self._shape(scope)
        if c.chance(20):
            guard = (*guard, *conjuncts(Expressions(c, scope).formula(1)))
        return Event(name, guard, body, parameters)

    def driver(self, name: str, place: Place) -> Event:
        """An event that keeps one place moving, so that the state space does not stay tiny."""
        c = self.choices
        e = Expressions(c, self.draft.scope())
        here = e.read(place, 0)
        if c.chance(50):
            guard = (e.comparison(c.pick(e.scope.places)),) if c.chance(40) else ()
            return Event(name, guard, (self._turn(place, here),))
        conditions, step = _step(place, here, 1)
        if c.chance(60):
            back = Assign(here, Const(wrap32(place.base)))
            return Event(name, (), (If(conjunction(conditions), (step,), (back,)),))
        return Event(name, conditions, (step,))

    def label_arguments(
        self, event: Event, arity: int
    ) -> tuple[tuple[IntExpr, ...], tuple[tuple[int, int], ...]]:
        """Arguments of the event's label (its parameters where it has some) and their values."""
        known = {r.name: r for r in self.draft.known_ranges}
        arguments: list[IntExpr] = []
        values: list[tuple[int, int]] = []
        for i in range(arity):
            if i < len(event.parameters):
                r = known[event.parameters[i].range]
                shifted = self.choices.chance(15)
                own = Param(event.parameters[i].name)
                arguments.append(Binary("+", own, Const(1)) if shifted else own)
                values.append((r.low + shifted, r.high + shifted))
            else:
                value = self.choices.integer(0, 2)
                arguments.append(Const(value))
                values.append((value, value))
        return tuple(arguments), tuple(values)

    # --- useful shapes ---

    def _shape(self, scope: Scope) -> tuple[tuple[Formula, ...], Body]:
        """A guard and a body that do something."""
        c = self.choices
        e = Expressions(c, scope)
        if not scope.places:
            return (), self.body(scope, 1)
        how = c.weighted([(3, "jump"), (3, "count"), (2, "turn"), (3, "move"), (4, "free")])
        if how == "free":
            return conjuncts(e.formula(1)), self.body(scope, 2)
        place = c.pick(scope.places)
        here = e.read(place)
        more = self.body(scope, 1) if c.chance(40) else ()
        if how == "jump":
            guard = Compare(c.pick(("==", "!=")), here, e.value(place.base, place.span, 0))
            return (guard,), (Assign(here, e.value(place.base, place.span, 1)), *more)
        if how == "turn":
            return conjuncts(e.formula(1)) if c.chance(50) else (), (self._turn(place, here), *more)
        up = _step(place, here, 1)
        if how == "count" or len(scope.places) == 1:
            return up[0], (up[1], *more)
        other = c.pick([p for p in scope.places if p is not place])
        down = _step(other, e.read(other), -1)
        return (*up[0], *down[0]), (up[1], down[1], *more)

    def _turn(self, place: Place, here: Var) -> Statement:
        """A cyclic counter."""
        modulus, base = Const(place.span + 1), Const(wrap32(place.base))
        offset: IntExpr = here if place.base == 0 else Binary("-", here, base)
        by = Const(self.choices.integer(1, 2))
        turned = Binary("%", Binary("+", offset, by), modulus)
        return Assign(here, turned if place.base == 0 else Binary("+", turned, base))

    # --- bodies ---

    def body(self, scope: Scope, depth: int) -> Body:
        """A short sequence of statements."""
        count = self.choices.weighted([(5, 1), (4, 2), (2, 3)])
        return tuple(self.statement(scope, depth) for _ in range(count))

    def statement(self, scope: Scope, depth: int) -> Statement:
        """Any statement of an elementary type."""
        c, mix = self.choices, self.mix
        e = Expressions(c, scope)
        if depth > 0 and c.chance(22):
            otherwise = self.body(scope, depth - 1) if c.chance(50) else ()
            return If(e.formula(1), self.body(scope, depth - 1), otherwise)
        if depth > 0 and self.draft.known_ranges and c.chance(mix.parameters // 2):
            r = c.pick(self.draft.known_ranges)
            name = f"i{depth}"
            inner = scope.binding(Named(name, r.low, r.high))
            return For(name, r.name, self.body(inner, depth - 1))
        if self.draft.offers and c.chance(mix.calls // 2):
            return call(c, e, c.pick(self.draft.offers))
        if depth > 0 and scope.places and c.chance(mix.fixpoints):
            return self._fixpoint(scope)
        if c.chance(mix.aborts):
            return Abort()
        return self.assign(e)

    def assign(self, e: Expressions) -> Statement:
        """A value for a place, nearly always one that it is meant to take."""
        c = self.choices
        if not e.scope.places:
            return Abort()
        place = c.pick(e.scope.places)
        if c.chance(self.mix.faults):
            return Assign(e.read(place), e.value(place.base - 1, place.span + 2, 2))
        return Assign(e.read(place), e.value(place.base, place.span, 2))

    def _fixpoint(self, scope: Scope) -> Statement:
        """Mostly one that settles: a bounded climb, or a call one of whose answers is identity."""
        c = self.choices
        e = Expressions(c, scope)
        cheap = [o for o in self.draft.offers if o.cheap]
        if cheap and c.chance(50):
            return Fixpoint((call(c, e, c.pick(cheap)),))
        if c.chance(4 * self.mix.faults):
            return Fixpoint((self.assign(e),))
        place = c.pick(scope.places)
        conditions, step = _step(place, e.read(place, 0), 1)
        return Fixpoint((If(conjunction(conditions), (step,)),))


def call(c: Choices, e: Expressions, offer: Offer) -> Call:
    """A call of an offered label; now and then with values that nobody answers to."""
    return Call(offer.name, call_arguments(c, e, offer))


def call_arguments(c: Choices, e: Expressions, offer: Offer) -> tuple[IntExpr, ...]:
    """Arguments for a label: parameters in scope or literals."""
    constant = Expressions(c, Scope(named=e.scope.named))
    arguments: list[IntExpr] = []
    for low, high in offer.arguments:
        if e.scope.named and c.chance(50):
            arguments.append(Param(c.pick(e.scope.named).name))
        else:
            arguments.append(constant.value(low, max(0, high - low), 0))
    return tuple(arguments)


def _step(place: Place, here: Var, by: int) -> tuple[tuple[Formula, ...], Statement]:
    """One up (or down), and the conditions under which that stays among the place's values.

    They fail outside the place's values too, so that repeating the step always comes to an end.
    """
    one = Const(1)
    moved = Assign(here, Binary("+", here, one) if by > 0 else Binary("-", here, one))
    base, end = place.base, place.base + place.span
    if end > INT_MAX:
        offset = Binary("-", here, Const(base))
        low, high = (0, place.span - 1) if by > 0 else (1, place.span)
        return (Compare(">=", offset, Const(low)), Compare("<=", offset, Const(high))), moved
    return (Compare("<", here, Const(end)) if by > 0 else Compare(">", here, Const(base)),), moved


__all__ = [
    "Draft",
    "EventWriter",
    "Names",
    "Offer",
    "RangeInfo",
    "add_constants",
    "add_variable",
    "call_arguments",
    "draft",
    "elementary",
    "finished",
    "new_range",
]
