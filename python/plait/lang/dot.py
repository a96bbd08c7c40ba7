"""Drawing a model's structure for Graphviz.

A net is drawn as a net: circles with their tokens, boxes, arcs with their weights, inhibitor arcs
with a small circle, test arcs without arrow heads, reset arcs with two. Another elementary type is
drawn as its dependency graph: which variables each event reads (dashed) and writes, and which
events it calls. A composite shows its instances and the synchronisations that move them; the types
it uses are drawn beside it, one frame each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plait.errors import Diagnostic
from plait.model.expr import Formula, Hop, IntExpr, Var
from plait.model.net import Net, NetEvent, as_net
from plait.model.node import nodes
from plait.model.stmt import (
    AllCall,
    AnyCall,
    Assign,
    Bind,
    Body,
    Call,
    Fixpoint,
    For,
    If,
    InstanceCall,
    Match,
    NextCall,
    Receive,
    Send,
    Settle,
    Statement,
)
from plait.model.text import show
from plait.model.types import (
    ComponentType,
    CompositeType,
    ElementaryType,
    Event,
    Instance,
    Model,
    SetType,
)


def print_model(model: Model) -> str:
    """The model as a DOT digraph."""
    net = as_net(model)
    body = _types(model) if isinstance(net, Diagnostic) else _net(net)
    lines = [f"digraph {quote(model.name)} {{", *(f"  {line}" for line in body), "}"]
    return "\n".join(lines) + "\n"


def quote(text: str) -> str:
    """The text as a DOT string that shows exactly it."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    plain = plain.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\\n")
    return '"' + plain.replace("\0", "\N{REPLACEMENT CHARACTER}") + '"'


# --- nets -----------------------------------------------------------------------------------------


def _net(net: Net) -> Iterator[str]:
    yield 'node [fontname="sans-serif", fontsize=10]; edge [fontname="sans-serif", fontsize=9];'
    for i, place in enumerate(net.places):
        tokens = _tokens(place.initial)
        yield f"p{i} [shape=circle, label={quote(tokens)}, xlabel={quote(place.name)}];"
    for i, event in enumerate(net.events):
        yield f"t{i} [shape=box, label={quote(event.title)}];"
    for i, event in enumerate(net.events):
        yield from _arcs(f"t{i}", event)


def _tokens(count: int) -> str:
    return "\N{BLACK CIRCLE}" * count if count <= 3 else str(count)


def _arcs(node: str, event: NetEvent) -> Iterator[str]:
    tested = dict(event.test)
    for p, w in event.test:
        yield f"p{p} -> {node} [{_weight(w)}dir=none, style=dashed];"
    for p, w in event.pre:
        if p not in tested:
            yield f"p{p} -> {node}{_attributes(_weight(w))};"
    for p, w in event.inhibitor:
        yield f"p{p} -> {node} [{_weight(w)}arrowhead=odot];"
    for p in event.reset:
        yield f"p{p} -> {node} [arrowhead=normalnormal];"
    for p, w in event.post:
        if p not in tested:
            yield f"{node} -> p{p}{_attributes(_weight(w))};"


def _weight(weight: int) -> str:
    return "" if weight == 1 else f'label="{weight}", '


def _attributes(text: str) -> str:
    text = text.rstrip(", ")
    return f" [{text}]" if text else ""


# --- types ----------------------------------------------------------------------------------------


def _types(model: Model) -> Iterator[str]:
    yield 'node [fontname="sans-serif", fontsize=10]; edge [fontname="sans-serif", fontsize=9];'
    main = model.system
    for i, type_ in enumerate([main, *(t for t in model.types if t is not main)]):
        yield f"subgraph cluster_{i} {{"
        yield f"  label={quote(_title(type_))};"
        if isinstance(type_, ElementaryType):
            lines = _elementary(type_, f"c{i}")
        else:
            lines = _composed(type_, f"c{i}")
        yield from (f"  {line}" for line in lines)
        yield "}"


def _title(type_: ComponentType) -> str:
    if isinstance(type_, CompositeType):
        return f"composite {type_.name}"
    if isinstance(type_, SetType):
        return f"{'circular' if type_.circular else 'scalar'} set {type_.name}"
    return type_.name


def _event_label(event: Event) -> str:
    parameters = ", ".join(f"{p.name}: {p.range}" for p in event.parameters)
    name = f"{event.title}({parameters})" if parameters else event.title
    return name if event.label is None else f"{name}\nlabel {event.label.name}"


def _elementary(type_: ElementaryType, prefix: str) -> Iterator[str]:
    """Variables, channels and events, with what each event reads, writes and calls."""
    ids: dict[str, str] = {}
    for v in type_.variables:
        ids[v.name] = f"{prefix}v{len(ids)}"
        size = "" if v.size is None else f"[{show(v.size, limit=40)}]"
        start = ", ".join(show(e, limit=40) for e in v.initial[:4])
        more = ", ..." if len(v.initial) > 4 else ""
        label = f"{v.name}{size}" + (f" = {start}{more}" if start else "")
        yield f"{ids[v.name]} [shape=ellipse, label={quote(label)}];"
    for c in type_.channels:
        ids[c.name] = f"{prefix}v{len(ids)}"
        size = "" if c.size is None else f"[{show(c.size, limit=40)}]"
        label = f"{c.name}{size} of {c.capacity}"
        yield f"{ids[c.name]} [shape=cds, label={quote(label)}];"
    by_label = _by_label(type_, prefix)
    for i, event in enumerate(type_.events):
        node = f"{prefix}e{i}"
        yield f"{node} [shape=box, label={quote(_event_label(event))}];"
        reads, writes, calls = dependencies(event)
        for name in reads:
            if name in ids and name not in writes:
                yield f"{ids[name]} -> {node} [style=dashed];"
        for name in writes:
            if name in ids:
                both = " [dir=both]" if name in reads else ""
                yield f"{node} -> {ids[name]}{both};"
        for label in calls:
            for called in by_label.get(label, []):
                yield f"{node} -> {called} [style=dotted, label={quote(label)}];"


def dependencies(event: Event) -> tuple[dict[str, None], dict[str, None], dict[str, None]]:
    """The names that the event reads, those it writes and the labels it calls, in order."""
    reads: dict[str, None] = {}
    writes: dict[str, None] = {}
    calls: dict[str, None] = {}
    for part in event.guard:
        _read(part, reads)
    for statement in statements(event.body):
        match statement:
            case Assign(target=target, value=value):
                writes[target.name] = None
                _read(value, reads)
                _read(target.index, reads)
            case If(condition=condition):
                _read(condition, reads)
            case Settle(condition=condition, label=label):
                _read(condition, reads)
                calls[label] = None
            case Call(label=label, arguments=arguments):
                calls[label] = None
                _read_all(arguments, reads)
            case Send(channel=channel, values=values):
                writes[channel.name] = None
                _read(channel.index, reads)
                _read_all(values, reads)
            case Receive(channel=channel, patterns=patterns):
                writes[channel.name] = reads[channel.name] = None
                _read(channel.index, reads)
                for pattern in patterns:
                    if isinstance(pattern, Bind):
                        writes[pattern.target.name] = None
                        _read(pattern.target.index, reads)
                    elif isinstance(pattern, Match):
                        _read(pattern.value, reads)
    return reads, writes, calls


def _read(root: Formula | IntExpr | None, reads: dict[str, None]) -> None:
    for node in nodes(root) if root is not None else ():
        if isinstance(node, Var | Hop):
            reads[node.name] = None


def _read_all(roots: Iterable[IntExpr], reads: dict[str, None]) -> None:
    for root in roots:
        _read(root, reads)


def statements(body: Body) -> Iterator[Statement]:
    """All statements, those inside blocks after the one that holds them."""
    for statement in body:
        yield statement
        match statement:
            case If(then=then, otherwise=otherwise):
                yield from statements(then)
                yield from statements(otherwise)
            case For(body=inner) | Fixpoint(body=inner):
                yield from statements(inner)


def _by_label(type_: ComponentType, prefix: str) -> dict[str, list[str]]:
    """The nodes of the events that answer each label."""
    found: dict[str, list[str]] = {}
    for i, event in enumerate(type_.events):
        if event.label is not None:
            found.setdefault(event.label.name, []).append(f"{prefix}e{i}")
    return found


def _composed(type_: ComponentType, prefix: str) -> Iterator[str]:
    """Instances and synchronisations; an edge says which label moves which instance."""
    ids: dict[str, str] = {}
    for instance in _instances(type_):
        ids[instance.name] = f"{prefix}i{len(ids)}"
        size = "" if instance.size is None else f"[{show(instance.size, limit=40)}]"
        label = f"{instance.name}{size}: {instance.type}"
        yield f"{ids[instance.name]} [shape=component, label={quote(label)}];"
    by_label = _by_label(type_, prefix)
    for i, event in enumerate(type_.events):
        node = f"{prefix}e{i}"
        yield f"{node} [shape=box, label={quote(_event_label(event))}];"
        for statement in statements(event.body):
            for target, label in _moves(statement, ids, by_label):
                yield f"{node} -> {target} [label={quote(label)}];"


def _instances(type_: ComponentType) -> tuple[Instance, ...]:
    if isinstance(type_, CompositeType):
        return type_.instances
    assert isinstance(type_, SetType)
    return (type_.element,)


def _moves(
    statement: Statement, ids: dict[str, str], by_label: dict[str, list[str]]
) -> Iterator[tuple[str, str]]:
    """The nodes that a statement of a synchronisation moves, and by what."""
    element = next(iter(ids.values()), "")
    match statement:
        case InstanceCall(instance=instance, label=label):
            index = "" if instance.index is None else f"[{show(instance.index, limit=40)}] "
            if instance.name in ids:
                yield ids[instance.name], f"{index}{label}"
        case Call(label=label):
            yield from ((node, label) for node in by_label.get(label, []))
        case AnyCall(label=label):
            yield element, f"any {label}"
        case AllCall(label=label):
            yield element, f"all {label}"
        case NextCall(label=label, next_label=next_label):
            yield element, f"i: {label}, i+1: {next_label}"
