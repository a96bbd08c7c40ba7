"""Place/transition nets inside the semantic core: recognising them and writing them as events.

A net is a model whose variables are counters and whose events test and change them by constants.
`as_net` finds that structure in any elementary type, however its guards and bodies are spelled, or
says what stands against it; `as_model` is the way back. Passes that live on the structure
(reductions, the state equation, siphons) work on `Net`; everything else on the `Model`.

**Meaning.** An event with rows `pre`, `post`, `inhibitor` and places `reset` is enabled in a
marking m when m(p) >= pre(p) and m(p) < inhibitor(p) for all p. Executing it takes pre(p) tokens
from every p, then empties the places of `reset`, then puts post(p) tokens on every p. A test (read)
arc of weight w is the pair pre(p) = post(p) = w, which in an interleaving semantics is the same.

**Exactness.** `as_net(model)` has the same reachable states and arcs as the model as long as no
counter exceeds 2^31-1: a guard must exclude that a counter becomes negative, and nothing is
recognised that relies on wrap-around. Beyond 2^31-1 a net goes on counting, a variable of a GAL
wraps, a place read from a file ends the search with `unknown`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plait.errors import Diagnostic, InputError, Span, error
from plait.model.arithmetic import INT_MAX, apply_binary, apply_unary, compare, wrap32
from plait.model.expr import (
    NEGATED,
    And,
    Binary,
    Compare,
    CompareOp,
    Const,
    Formula,
    IntExpr,
    Not,
    Param,
    Truth,
    Unary,
    Var,
)
from plait.model.node import Node, fold
from plait.model.plain import plain_of
from plait.model.shape import COUNTER, Shape, evaluate_constant, shape_of
from plait.model.stmt import Assign, Statement
from plait.model.types import ElementaryType, Event, Model, Property, Units, Variable
from plait.records import dataclass, field, replace

Row = tuple[tuple[int, int], ...]
"""A sparse row: (place, weight) pairs, ascending by place, every weight positive."""


@dataclass(frozen=True, slots=True)
class Place:
    """A counter; its index in `Net.places` is that of its cell in the states of the model."""

    name: str
    initial: int = 0
    span: Span | None = field(default=None, compare=False, repr=False)
    comment: str | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NetEvent:
    """What an event needs and does, by place (see the module's text for the meaning)."""

    name: str
    pre: Row = ()
    post: Row = ()
    inhibitor: Row = ()
    reset: tuple[int, ...] = ()
    display: str = field(default="", compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)
    comment: str | None = field(default=None, compare=False, repr=False)
    _change: Row = field(init=False)

    @property
    def title(self) -> str:
        """The name under which traces know the event (see `Event.title`)."""
        return self.display or self.name

    @property
    def test(self) -> Row:
        """The places that are only tested: as many tokens put back as taken."""
        post = dict(self.post)
        return tuple((p, w) for p, w in self.pre if post.get(p) == w and p not in self.reset)

    @property
    def change(self) -> Row:
        """The net change of each place, where it is a constant other than 0 (so not at resets)."""
        try:
            return self._change
        except AttributeError:  # which a dozen techniques ask for, of every event
            found = dict(self.post)
            for p, w in self.pre:
                found[p] = found.get(p, 0) - w
            change = tuple([(p, d) for p, d in sorted(found.items()) if d and p not in self.reset])
            object.__setattr__(self, "_change", change)
            return change

    def enabled(self, marking: Sequence[int]) -> bool:
        """Whether the event can be executed in the marking."""
        return all(marking[p] >= w for p, w in self.pre) and all(
            marking[p] < w for p, w in self.inhibitor
        )

    def fire(self, marking: Sequence[int]) -> tuple[int, ...]:
        """The marking after the event, which must be enabled."""
        after = list(marking)
        for p, w in self.pre:
            after[p] -= w
        for p in self.reset:
            after[p] = 0
        for p, w in self.post:
            after[p] += w
        return tuple(after)


@dataclass(frozen=True, slots=True)
class Net:
    """A place/transition net with inhibitor and reset arcs, one sparse row per event."""

    name: str
    places: tuple[Place, ...]
    events: tuple[NetEvent, ...]
    units: Units | None = None

    @property
    def initial(self) -> tuple[int, ...]:
        """The initial marking."""
        return tuple(p.initial for p in self.places)

    @property
    def ordinary(self) -> bool:
        """Whether it is a plain P/T net: no inhibitor and no reset arc."""
        return not any(e.inhibitor or e.reset for e in self.events)


def as_net(model: Model) -> Net | Diagnostic:
    """The net that the model is, or what keeps it from being one.

    Events keep their order and names, and the places are the cells of the state in their order.
    """
    plain = plain_of(model)
    if plain is not None:
        return plain.net
    system = model.system
    alone = len(model.types) == 1 and not (model.constants or model.ranges)
    if alone and isinstance(system, ElementaryType) and system.net is not None:
        return system.net
    try:
        net = _Recogniser(model).net()
    except InputError as problem:
        return problem.diagnostics[0]
    if alone:  # whoever asks about other properties of this type asks it again
        object.__setattr__(system, "net", net)
    return net


def as_model(net: Net, properties: tuple[Property, ...] = ()) -> Model:
    """The net as a flat model: one variable a place, one event an event."""
    compose = EventComposer([p.name for p in net.places])
    events = []
    for e in net.events:
        event = compose.event(e.name, effects_of(e), e.span, e.comment)
        events.append(replace(event, display=e.display))
    variables = tuple(
        Variable(
            p.name, (compose.constant(p.initial),), domain=COUNTER, span=p.span, comment=p.comment
        )
        for p in net.places
    )
    system = ElementaryType(net.name, events=tuple(events), variables=variables, units=net.units)
    return Model(net.name, (system,), net.name, properties=properties)


# --- events from arcs -----------------------------------------------------------------------------


@dataclass(slots=True)
class Effect:
    """What one event does with one place, while it is being put together from arcs."""

    span: Span | None = None
    taken: int = 0
    put: int = 0
    tested: int = 0
    below: int | None = None
    reset: bool = False


def effects_of(event: NetEvent) -> list[tuple[int, Effect]]:
    """What the event does with each place, ascending by place."""
    effects: dict[int, Effect] = {}
    for p, w in event.pre:
        effects.setdefault(p, Effect(event.span)).taken = w
    for p, w in event.post:
        effects.setdefault(p, Effect(event.span)).put = w
    for p, w in event.inhibitor:
        effects.setdefault(p, Effect(event.span)).below = w
    for p in event.reset:
        effects.setdefault(p, Effect(event.span)).reset = True
    return sorted(effects.items(), key=lambda pair: pair[0])


class EventComposer:
    """Writes effects on places as guards and assignments, sharing equal `Var` and `Const` nodes."""

    def __init__(self, places: Sequence[str]) -> None:
        self._variables = [Var(name) for name in places]
        self._constants: dict[int, Const] = {}

    def constant(self, value: int) -> Const:
        """The shared node of this value."""
        node = self._constants.get(value)
        if node is None:
            node = self._constants[value] = Const(value)
        return node

    def event(
        self,
        name: str,
        effects: Iterable[tuple[int, Effect]],
        span: Span | None = None,
        comment: str | None = None,
    ) -> Event:
        """The event with these effects, whose conjuncts and assignments follow their order."""
        guard: list[Formula] = []
        body: list[Statement] = []
        constant = self.constant
        for place, effect in effects:
            var, where = self._variables[place], effect.span
            needed = max(effect.taken, effect.tested)
            if needed:
                guard.append(Compare(">=", var, constant(needed), span=where))
            if effect.below is not None:
                guard.append(Compare("<", var, constant(effect.below), span=where))
            change = effect.put - effect.taken
            if effect.reset:
                body.append(Assign(var, constant(effect.put), span=where))
            elif change > 0:
                body.append(Assign(var, Binary("+", var, constant(change)), span=where))
            elif change < 0:
                body.append(Assign(var, Binary("-", var, constant(-change)), span=where))
        return Event(name, tuple(guard), tuple(body), span=span, comment=comment)


# --- recognising ----------------------------------------------------------------------------------

_MIRRORED: dict[CompareOp, CompareOp] = {
    "==": "==",
    "!=": "!=",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
}


@dataclass(slots=True)
class _Cell:
    """What is known of one place while an event is read: low <= value < high before it, and the
    value after it, `base + change`, where `base` is the value before or, when fixed, 0."""

    low: int = 0
    high: int | None = None
    fixed: bool = False
    change: int = 0
    assigned: Span | None = None


class _Recogniser:
    def __init__(self, model: Model) -> None:
        self.model = model
        system = model.system
        if not isinstance(system, ElementaryType):
            raise error(f"'{system.name}' is composed of instances; flatten it first", system.span)
        if system.channels:
            raise error("a net has no channels", system.channels[0].span)
        if system.transient is not None:
            raise error("a net has no transient states", system.transient.span)
        self.system = system
        self.shape: Shape = shape_of(model)
        self.constants = self.shape.constants
        self.names = list(self.shape.cells())

    def net(self) -> Net:
        places = tuple(self.places())
        events = tuple(self.event(e) for e in self.system.events)
        return Net(self.system.name, places, events, self.system.units)

    def places(self) -> Iterable[Place]:
        initial = self.shape.initial()
        for v in self.system.variables:
            if v.domain is not None and (v.domain.low > 0 or v.domain.high < INT_MAX):
                raise error(f"'{v.name}' has a bounded domain; a place has none", v.span)
            slot = self.shape.variables[v.name]
            for cell in range(slot.offset, slot.offset + (1 if slot.size is None else slot.size)):
                if initial[cell] < 0:
                    raise error(f"'{self.names[cell]}' starts negative: {initial[cell]}", v.span)
                yield Place(self.names[cell], initial[cell], v.span, v.comment)

    def event(self, event: Event) -> NetEvent:
        if event.label is not None:
            raise error(f"'{event.name}' has a label; a net's events are free", event.span)
        if event.parameters:
            raise error(f"'{event.name}' has parameters; instantiate it first", event.span)
        cells: dict[int, _Cell] = {}
        for part in event.guard:
            self.guard(part, cells)
        for statement in event.body:
            self.statement(statement, cells)
        return self.rows(event, sorted(cells.items()))

    def rows(self, event: Event, cells: list[tuple[int, _Cell]]) -> NetEvent:
        pre, post, inhibitor, reset = [], [], [], []
        for p, c in cells:
            if c.fixed and c.high == c.low + 1:
                # The guard fixes the value before: a constant after it is a constant change.
                c.fixed, c.change = False, c.change - c.low
            after = c.change if c.fixed else c.low + c.change
            if after < 0:
                reason = f"the guard only ensures that it is at least {c.low}"
                if c.fixed:
                    reason = f"it is set to {after}"
                raise error(
                    f"'{self.names[p]}' may become negative in '{event.name}': {reason}",
                    c.assigned or event.span,
                )
            if c.low:
                pre.append((p, c.low))
            if after:
                post.append((p, after))
            if c.high is not None:
                inhibitor.append((p, c.high))
            if c.fixed:
                reset.append(p)
        return NetEvent(
            event.name,
            tuple(pre),
            tuple(post),
            tuple(inhibitor),
            tuple(reset),
            event.display,
            event.span,
            event.comment,
        )

    # --- guards: conjunctions of `place op constant` ------------------------------------------

    def guard(self, formula: Formula, cells: dict[int, _Cell]) -> None:
        stack: list[tuple[Formula, bool]] = [(formula, True)]
        while stack:
            f, positive = stack.pop()
            if isinstance(f, And) and positive:
                stack.extend((g, True) for g in reversed(f.operands))
            elif isinstance(f, Not):
                stack.append((f.operand, not positive))
            elif isinstance(f, Compare):
                self.comparison(f, f.op if positive else NEGATED[f.op], cells)
            elif not (isinstance(f, Truth) and f.value is positive):
                raise error("not a conjunction of comparisons of a place with a constant", f.span)

    def comparison(self, f: Compare, op: CompareOp, cells: dict[int, _Cell]) -> None:
        left, right = f.left, f.right
        if not isinstance(left, Var):
            left, right, op = right, left, _MIRRORED[op]
        if not isinstance(left, Var):
            if not compare(op, self.value(left), self.value(right)):
                raise error("this never holds", f.span)
            return
        bound = self.value(right)
        cell = cells.setdefault(self.cell(left), _Cell())
        match op:
            case ">=":
                low, high = bound, None
            case ">":
                low, high = bound + 1, None
            case "<":
                low, high = 0, bound
            case "<=":
                low, high = 0, bound + 1
            case "==":
                low, high = bound, bound + 1
            case "!=":
                if bound > 0:
                    raise error("a net cannot test that a place is not a constant above 0", f.span)
                low, high = 1 if bound == 0 else 0, None
        if low > INT_MAX or (high is not None and high <= 0):
            raise error("this never holds: places are in 0..2147483647", f.span)
        cell.low = max(cell.low, low)
        if high is not None and high <= INT_MAX:
            cell.high = high if cell.high is None else min(cell.high, high)

    # --- bodies: sequences of `place = place + constant` and `place = constant` ---------------

    def statement(self, statement: Statement, cells: dict[int, _Cell]) -> None:
        if not isinstance(statement, Assign):
            kind = type(statement).__name__.lower()
            raise error(f"a net's events only assign; this is '{kind}'", statement.span)
        place = self.cell(statement.target)
        source, change = self.affine(statement.value)
        if source is not None and source != place:
            raise error(
                f"'{self.names[place]}' is assigned from '{self.names[source]}'", statement.span
            )
        cell = cells.setdefault(place, _Cell())
        if source is None:
            cell.fixed, cell.change = True, change
        else:
            cell.change = wrap32(cell.change + change)
        cell.assigned = statement.span
        least = cell.change if cell.fixed else cell.low + cell.change
        if least < 0 and self.shape.variables[statement.target.name].domain is not None:
            raise error(f"'{self.names[place]}' may become negative here", statement.span)

    def affine(self, value: IntExpr) -> tuple[int | None, int]:
        """The value as a place (or none) plus a constant."""
        if isinstance(value, Binary) and isinstance(value.left, Var):
            right = value.right
            if isinstance(right, Const) and value.op in ("+", "-"):
                change = right.value if value.op == "+" else -right.value
                return self.cell(value.left), wrap32(change)
        return fold(value, self.affine_step)

    def affine_step(
        self, node: Node, below: list[tuple[int | None, int]]
    ) -> tuple[int | None, int]:
        match node:
            case Const(value=value):
                return None, value
            case Param():
                return None, self.value(node)
            case Var():
                return self.cell(node), 0
            case Unary(op=op) if below[0][0] is None:
                return None, apply_unary(op, below[0][1])
            case Binary(op=op):
                (a, x), (b, y) = below
                if a is None and b is None:
                    result = apply_binary(op, x, y)
                    if result is not None:
                        return None, result
                elif op == "+" and (a is None or b is None):
                    return (b if a is None else a), wrap32(x + y)
                elif op == "-" and b is None:
                    return a, wrap32(x - y)
        raise error("not a place plus a constant", node.span)

    # --- names and constants ------------------------------------------------------------------

    def cell(self, var: Var) -> int:
        slot = self.shape.variables.get(var.name)
        if slot is None or var.path:
            raise error(f"no variable named '{var.name}'", var.span)
        if slot.size is None:
            if var.index is not None:
                raise error(f"'{var.name}' is not an array", var.span)
            return slot.offset
        if var.index is None:
            raise error(f"'{var.name}' is an array", var.span)
        index = self.value(var.index)
        if not 0 <= index < slot.size:
            raise error(f"'{var.name}' has no cell {index}", var.span)
        return slot.offset + index

    def value(self, expr: IntExpr) -> int:
        if isinstance(expr, Const):
            return expr.value
        return evaluate_constant(expr, self.constants)
