"""Instantiation: constants, ranges, loops, parameters and parametric labels disappear.

The order is that of the literature on parametric GAL: substitute constants, unroll loops,
instantiate parameters one at a time (`plait.passes.parameters`), turn labels with arguments into
plain ones, remove labelled events that nobody calls. A type that is used with different values for
its constants becomes several types. In composites and sets `if` and `abort` are decided here: what
remains is sequences of calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from plait.errors import error
from plait.hints import cast
from plait.model.expr import FALSE, TRUE, Compare, Const, Formula, Hop, IntExpr
from plait.model.fresh import FreshNames
from plait.model.shape import Shape, evaluate_constant, shape_of
from plait.model.stmt import (
    Abort,
    AllCall,
    AnyCall,
    Body,
    Call,
    Fixpoint,
    If,
    InstanceCall,
    NextCall,
    Statement,
)
from plait.model.types import (
    ELAPSE,
    ComponentType,
    CompositeType,
    ElementaryType,
    Event,
    Instance,
    Label,
    Model,
    Property,
    SetType,
    Variable,
)
from plait.passes.folding import UNDEFINED, UNKNOWN, Folder
from plait.passes.parameters import Budget, copies
from plait.passes.rewritten import Rewritten
from plait.passes.walk import called, map_body, statements
from plait.records import dataclass, replace

LabelKey = tuple[str, tuple[int, ...]]


def instantiate(model: Model) -> Rewritten:
    """The model without constants, ranges, parameters, loops and label arguments.

    Its properties are simplified under the constants of the main type; cells stay as they are.
    """
    root = shape_of(model)
    order = _sub_types_first(root)
    names = FreshNames()
    budget = Budget()
    concrete: dict[int, _Concrete] = {}
    for shape in order:
        builder = _Builder(shape, names.fresh(_wish(shape, names)), concrete, budget)
        concrete[id(shape)] = builder.build()
    _keep_called(root, order, concrete)
    top = concrete[id(root)].type
    return Rewritten(
        Model(
            model.name,
            tuple(concrete[id(s)].type for s in order),
            top.name,
            properties=_properties(model.properties, root.constants),
        )
    )


@dataclass(slots=True)
class _Concrete:
    """An instantiated type, and the plain name of each of its labels."""

    type: ComponentType
    labels: Mapping[LabelKey, str]


def _sub_types_first(root: Shape) -> list[Shape]:
    """Every shape below the root once, parts before the whole."""
    order: list[Shape] = []
    done: set[int] = set()
    stack: list[tuple[Shape, bool]] = [(root, False)]
    while stack:
        shape, expanded = stack.pop()
        if id(shape) in done:
            continue
        if expanded:
            done.add(id(shape))
            order.append(shape)
        else:
            stack.append((shape, True))
            stack.extend((s, False) for s in reversed(_inner(shape)) if id(s) not in done)
    return order


def _inner(shape: Shape) -> list[Shape]:
    """The distinct shapes of the parts."""
    return list({id(p.shape): p.shape for p in shape.parts}.values())


def _wish(shape: Shape, names: FreshNames) -> str:
    """The name of the type; when it is taken, with the values of its constants."""
    name = shape.type.name
    if name not in names.taken or not shape.type.constants:
        return name
    return "_".join([name, *(str(shape.constants[c.name]) for c in shape.type.constants)])


def _properties(
    properties: tuple[Property, ...], constants: Mapping[str, int]
) -> tuple[Property, ...]:
    if not constants:
        return properties
    folder = Folder(constants)
    return tuple(
        p if p.body is None else replace(p, body=cast(Formula | IntExpr, folder.simplify(p.body)))
        for p in properties
    )


class _Builder:
    """Instantiates one shape; the types of its parts are in `concrete` already."""

    def __init__(
        self, shape: Shape, name: str, concrete: Mapping[int, _Concrete], budget: Budget
    ) -> None:
        self.shape = shape
        self.name = name
        self.concrete = concrete
        self.budget = budget
        self.folder = Folder(shape.constants)

    def build(self) -> _Concrete:
        """The type under its new name, and the names of its labels."""
        type_ = self.shape.type
        events = self._instantiated(type_)
        labels = _plain_labels(events)
        if isinstance(type_, ElementaryType):
            events = _Caller(labels, events).resolve()
            return _Concrete(self._elementary(type_, tuple(events)), labels)
        events = [
            replace(e, label=_plain(e, labels), body=tuple(self._calls(e.body, labels)))
            for e in events
        ]
        # A synchronisation that starts with `abort` can never happen.
        events = [e for e in events if not (e.body and isinstance(e.body[0], Abort))]
        if not isinstance(type_, SetType) or not self.shape.parts:
            inner = {p.name: p.shape for p in self.shape.parts}
            declared = type_.instances if isinstance(type_, CompositeType) else ()
            instances = tuple(self._instance(i, inner[i.name]) for i in declared if i.name in inner)
            return _Concrete(
                CompositeType(
                    self.name, events=tuple(events), instances=instances, span=type_.span
                ),
                labels,
            )
        return _Concrete(
            SetType(
                self.name,
                events=tuple(events),
                element=self._instance(type_.element, self.shape.parts[0].shape),
                circular=type_.circular,
                span=type_.span,
            ),
            labels,
        )

    def _instantiated(self, type_: ComponentType) -> list[Event]:
        """The copies of all events, under names of their own."""
        names = FreshNames(e.name for e in type_.events)
        found: list[Event] = []
        plain = isinstance(type_, ElementaryType)
        constants, ranges = self.shape.constants, self.shape.ranges
        for event in type_.events:
            for copy in copies(event, constants, ranges, self.budget, plain=plain):
                if event.parameters:
                    values = copy.title[len(event.title) + 1 : -1].replace("-", "m")
                    wish = f"{event.name}_{values.replace(', ', '_')}"
                    copy = replace(copy, name=names.fresh(wish))
                if copy.label is not None and copy.label.name == "":
                    copy = replace(copy, label=None)
                elif copy.label is not None and copy.label.arguments:
                    arguments = tuple(self.folder.integer(a) for a in copy.label.arguments)
                    if UNDEFINED in arguments:
                        continue  # nobody can call it
                    copy = replace(copy, label=Label(copy.label.name, arguments))
                found.append(copy)
        return found

    def _elementary(self, type_: ElementaryType, events: tuple[Event, ...]) -> ElementaryType:
        predicates, transient = type_.predicates, type_.transient
        if self.shape.constants:
            predicates = tuple(
                replace(p, condition=self.folder.formula(p.condition)) for p in predicates
            )
            transient = None if transient is None else self.folder.formula(transient)
        return replace(
            type_,
            name=self.name,
            constants=(),
            ranges=(),
            events=events,
            variables=tuple(self._variable(v) for v in type_.variables),
            channels=tuple(
                replace(c, size=None if c.size is None else Const(self._size(c.name)))
                for c in type_.channels
            ),
            predicates=predicates,
            transient=transient,
        )

    def _size(self, channel: str) -> int:
        size = self.shape.channels[channel].size
        assert size is not None
        return size

    def _variable(self, variable: Variable) -> Variable:
        size = self.shape.variables[variable.name].size
        return replace(
            variable,
            initial=tuple(
                e if isinstance(e, Const) else Const(evaluate_constant(e, self.shape.constants))
                for e in variable.initial
            ),
            size=None if size is None else Const(size),
            hotbit=None,
        )

    def _instance(self, instance: Instance, inner: Shape) -> Instance:
        size = None
        if instance.size is not None:
            size = Const(evaluate_constant(instance.size, self.shape.constants))
        type_ = self.concrete[id(inner)].type.name
        return replace(instance, size=size, type=type_, bindings=(), type_arguments=())

    def _calls(self, body: Body, labels: Mapping[LabelKey, str]) -> Iterator[Statement]:
        """The body of a synchronisation with plain labels, up to the first `abort`."""
        for statement in body:
            for call in self._call(statement, labels):
                yield call
                if isinstance(call, Abort):
                    return

    def _call(self, statement: Statement, labels: Mapping[LabelKey, str]) -> Iterator[Statement]:
        match statement:
            case If(condition=condition, then=then, otherwise=otherwise):
                if condition is UNKNOWN:
                    yield Abort(span=statement.span)
                elif condition in (TRUE, FALSE):
                    branch = then if condition == TRUE else otherwise
                    yield from self._calls(branch, labels)
                else:
                    raise error(
                        "in a composite a condition may use constants and parameters only",
                        condition.span or statement.span,
                    )
            case Fixpoint(body=block):
                yield Fixpoint(tuple(self._calls(block, labels)), span=statement.span)
            case Call():
                yield _plain_call(statement, labels)
            case InstanceCall(instance=hop):
                part = self.shape.part.get((hop.name, _index(hop)))
                if part is None:
                    yield Abort(span=statement.span)
                else:
                    inner = self.concrete[id(part.shape)].labels
                    yield _plain_call(statement, inner)
            case AllCall() if not self.shape.parts:
                return  # of no instances at all, all have moved
            case AnyCall() | AllCall():
                yield _plain_call(statement, self._element_labels())
            case NextCall():
                yield self._next_call(statement)
            case _:
                yield statement

    def _element_labels(self) -> Mapping[LabelKey, str]:
        parts = self.shape.parts
        return self.concrete[id(parts[0].shape)].labels if parts else {}

    def _next_call(self, statement: NextCall) -> Statement:
        labels = self._element_labels()
        keys = (
            _key(statement.label, statement.arguments),
            _key(statement.next_label, statement.next_arguments),
        )
        found = [labels[k] for k in keys if k is not None and k in labels]
        if len(found) < 2:
            return Abort(span=statement.span)
        return NextCall(found[0], (), found[1], (), span=statement.span)


def _index(hop: Hop) -> int | None:
    """The index of an instance; one that is undefined is out of range."""
    if hop.index is None:
        return None
    if hop.index is UNDEFINED:
        return -1
    if not isinstance(hop.index, Const):
        raise error("a constant is needed here", hop.index.span or hop.span)
    return hop.index.value


def _values(arguments: Sequence[IntExpr]) -> tuple[int, ...]:
    return tuple(evaluate_constant(a, {}) for a in arguments)


def _key(label: str, arguments: Sequence[IntExpr]) -> LabelKey | None:
    """The label with its values; None when one of them is undefined."""
    return None if UNDEFINED in arguments else (label, _values(arguments))


def _plain_labels(events: Sequence[Event]) -> dict[LabelKey, str]:
    """A plain name for each label: `name_1_2`, or one near to it when that is taken."""
    keys = dict.fromkeys(
        (e.label.name, _values(e.label.arguments)) for e in events if e.label is not None
    )
    names = FreshNames(name for name, values in keys if not values)
    names.taken.add(ELAPSE)
    return {
        (name, values): names.fresh("_".join([name, *map(str, values)])) if values else name
        for name, values in keys
    }


def _plain(event: Event, labels: Mapping[LabelKey, str]) -> Label | None:
    if event.label is None or not event.label.arguments:
        return event.label
    return Label(labels[event.label.name, _values(event.label.arguments)])


def _plain_call(
    call: Call | InstanceCall | AnyCall | AllCall, labels: Mapping[LabelKey, str]
) -> Statement:
    key = _key(call.label, call.arguments)
    plain = None if key is None else labels.get(key)
    if plain is None:
        return Abort(span=call.span)
    return replace(call, label=plain, arguments=()) if call.arguments else call


class _Caller:
    """Resolves the calls inside an elementary type.

    A call whose argument is computed from variables becomes the call of a fresh label, with one
    event for each tuple of values that the label is defined for, guarded by equality.
    """

    def __init__(self, labels: dict[LabelKey, str], events: list[Event]) -> None:
        self.labels = labels
        self.events = events
        self.folder = Folder()
        self.names = FreshNames(e.name for e in events)
        self.label_names = FreshNames((ELAPSE, *labels.values(), *(n for n, _ in labels)))
        self.added: list[Event] = []

    def resolve(self) -> list[Event]:
        if not any(
            (e.label and e.label.arguments)
            or any(isinstance(s, Call) and s.arguments for s in statements(e.body))
            for e in self.events
        ):
            return self.events
        resolved = [
            replace(e, label=_plain(e, self.labels), body=map_body(e.body, self._statement))
            for e in self.events
        ]
        return resolved + self.added

    def _statement(self, statement: Statement) -> tuple[Statement, ...]:
        if not isinstance(statement, Call) or not statement.arguments:
            return (statement,)
        arguments = tuple(self.folder.integer(a) for a in statement.arguments)
        statement = replace(statement, arguments=arguments)
        if UNDEFINED in arguments:
            return (Abort(span=statement.span),)
        if all(isinstance(a, Const) for a in statement.arguments):
            return (_plain_call(statement, self.labels),)
        return (self._dispatch(statement),)

    def _dispatch(self, call: Call) -> Call:
        fresh = self.label_names.fresh(f"{call.label}.computed")
        for (name, values), plain in self.labels.items():
            if name == call.label and len(values) == len(call.arguments):
                guard = tuple(
                    Compare("==", argument, Const(value))
                    for argument, value in zip(call.arguments, values, strict=True)
                )
                self.added.append(
                    Event(
                        self.names.fresh(f"{call.label}.computed"),
                        guard=guard,
                        body=(Call(plain, span=call.span),),
                        label=Label(fresh),
                        span=call.span,
                    )
                )
        return Call(fresh, span=call.span)


def _keep_called(root: Shape, order: list[Shape], concrete: dict[int, _Concrete]) -> None:
    """Remove labelled events that no event can call; the environment calls `elapse` of the root."""
    wanted: dict[int, set[str]] = {id(s): set() for s in order}
    wanted[id(root)].add(ELAPSE)
    for shape in reversed(order):
        this = concrete[id(shape)]
        by_label: dict[str, list[Event]] = {}
        for event in this.type.events:
            if event.label is not None:
                by_label.setdefault(event.label.name, []).append(event)
        pending = [e for e in this.type.events if e.label is None]
        live = wanted[id(shape)]
        pending.extend(e for label in live for e in by_label.get(label, ()))
        while pending:
            event = pending.pop()
            for label in called(event.body):
                if label not in live:
                    live.add(label)
                    pending.extend(by_label.get(label, ()))
            _note_calls(event.body, shape, wanted)
        if any(label not in live for label in by_label):
            kept = tuple(e for e in this.type.events if e.label is None or e.label.name in live)
            this.type = replace(this.type, events=kept)


def _note_calls(body: Body, shape: Shape, wanted: dict[int, set[str]]) -> None:
    """Add the labels of parts that the body calls."""
    if not shape.parts:
        return
    element = id(shape.parts[0].shape)
    for statement in statements(body):
        match statement:
            case InstanceCall(instance=hop, label=label):
                wanted[id(shape.part[hop.name, _index(hop)].shape)].add(label)
            case AnyCall(label=label) | AllCall(label=label):
                wanted[element].add(label)
            case NextCall():
                wanted[element].update((statement.label, statement.next_label))
            case _:
                pass
