"""ITSXML: systems of ITS-tools in several files, each type in a language of its own.

The main file lists types, each with the formalism and format of the file that holds it, and says
which of them is the system. A composite has instances and
synchronisations, and arcs that say which labels of an instance a synchronisation calls, one after
the other; a scalar or circular set has one instance, its size, delegators that let all or any
instance move, and in a ring what an instance and the one behind it do together. Types are bound
late: a file may use types that are listed after it.

| formalism and format | what it is |
|---|---|
| `Time Petri Net`, `Romeo` | a time Petri net; its public transitions are labels, and time passes |
| `Time Petri Net`, `URomeo` | the same net without its times |
| `ITSComposite`, `Composite` | a composite |
| `Scalar Set Composite`, `Circular Set Composite`, `Composite` | a set |
| `PINS`, `ETF` | tables of a transition relation |
| `GAL`, `GAL` | a type in GAL |

Time passes in all timed parts of a composite or set at once; parts without time let it pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from plait.errors import InputError, Source, Span, error
from plait.lang import etf, romeo
from plait.lang.gal import load as load_gal
from plait.lang.xml import Attributes, Scope, XmlReader, read_file
from plait.model.expr import Const, Hop
from plait.model.shape import INSTANCE_LIMIT
from plait.model.stmt import AllCall, AnyCall, InstanceCall, NextCall, Statement
from plait.model.types import (
    ELAPSE,
    ComponentType,
    CompositeType,
    Event,
    Instance,
    Label,
    Model,
    SetType,
)
from plait.model.validate import check, instances_of
from plait.records import dataclass, replace
from plait.time.encoding import as_type
from plait.time.net import Interval, TimedNet
from plait.time.timing import Timing


@dataclass(frozen=True, slots=True)
class _Element:
    """An element of a file: its tag, its attributes, and where it is."""

    tag: str
    attributes: Attributes
    span: Span

    def text(self, name: str) -> str:
        """An attribute that must be there."""
        if name not in self.attributes:
            raise self.error(f"the attribute '{name}' is missing")
        return self.attributes[name]

    def labels(self, name: str) -> list[str]:
        """The labels of an attribute, between semicolons."""
        parts = (part.strip() for part in self.attributes.get(name, "").split(";"))
        return [part for part in parts if part]

    def error(self, message: str, hint: str | None = None) -> InputError:
        """What is wrong with the element."""
        return error(message, self.span, hint)


class _Reader(XmlReader):
    """All elements of a document, in order."""

    def __init__(self, source: Source) -> None:
        self.found: list[_Element] = []
        self._inside = Scope(other=self._element)
        super().__init__(source, Scope({"model": lambda *_: self._inside}))

    def _element(self, tag: str, attributes: Attributes) -> Scope:
        self.found.append(_Element(tag, attributes, self.span()))
        return self._inside


def _elements(path: Path) -> list[_Element]:
    found: list[_Element] = []

    def read(source: Source, chunks: Iterable[bytes]) -> None:
        reader = _Reader(source)
        reader.read(chunks)
        found.extend(reader.found)

    read_file(path, read)
    return found


def load(path: Path, timing: Timing | None = None) -> Model:
    """The system that a main file describes."""
    elements = _elements(path)
    types: dict[str, ComponentType] = {}
    for element in elements:
        if element.tag == "type":
            for type_ in _types(element, path.parent, timing or Timing()):
                if type_.name in types:
                    raise element.error(f"two types are named '{type_.name}'")
                types[type_.name] = type_
    main = next((e for e in elements if e.tag == "main"), None)
    if main is None and not types and any(e.tag == "instance" for e in elements):
        raise error(
            f"{path} is one type of a system of ITS-tools",
            hint="its main file, which lists the types, can be read",
        )
    if main is None:
        raise error(f"{path}: no type is the main one", Span(Source(str(path), path=path), 1, 1))
    name = main.text("type").removeprefix("./")
    if name not in types:
        known = ", ".join(sorted(types))
        raise main.error(f"no type is named '{name}'", hint=f"there are: {known}")
    model = Model(path.stem, tuple(_with_time(types)), name)
    check(model)
    return model


def _types(element: _Element, folder: Path, timing: Timing) -> list[ComponentType]:
    """The types that an element of the main file stands for, its own last."""
    name, path = element.text("name"), folder / element.text("path")
    kind = element.text("formalism"), element.text("format")
    if kind == ("GAL", "GAL"):
        model = load_gal(path)
        others = [t for t in model.types if t.name != model.main]
        return [*others, replace(model.system, name=name)]
    if kind == ("PINS", "ETF"):
        return [replace(etf.load(path).system, name=name)]
    if kind == ("Time Petri Net", "Romeo"):
        return [as_type(replace(romeo.load(path), name=name), timing)]
    if kind == ("Time Petri Net", "URomeo"):
        found = as_type(replace(_untimed(romeo.load(path)), name=name), timing)
        kept = tuple(e for e in found.events if not _is_time(e))
        return [replace(found, events=kept, predicates=())]
    reader = _COMPOSITES.get(kind)
    if reader is None:
        raise element.error(f"the formalism '{kind[0]}' in the format '{kind[1]}' is not read")
    return [reader(name, _elements(path))]


def _untimed(net: TimedNet) -> TimedNet:
    return replace(net, events=tuple(replace(e, interval=Interval()) for e in net.events))


def _is_time(event: Event) -> bool:
    return event.label is not None and event.label.name == ELAPSE


# --- composites and sets --------------------------------------------------------------------------


def _composite(name: str, elements: list[_Element]) -> ComponentType:
    """Instances, and synchronisations that call their labels."""
    names = _instances(elements)
    instances = tuple(
        Instance(names[e.text("id")], type=e.text("type"), span=e.span)
        for e in elements
        if e.tag == "instance"
    )
    bodies: dict[str, list[Statement]] = {
        e.text("id"): [] for e in elements if e.tag == "synchronization"
    }
    for element in elements:
        if element.tag != "arc":
            continue
        part, event = element.text("instance"), element.text("synchronization")
        labels = element.labels("labels")
        if not labels:
            continue  # it calls nothing, and what drew it may have joined it to anything
        if part not in names or event not in bodies:
            raise element.error("the arc joins no instance of this file and a synchronisation")
        bodies[event] += [InstanceCall(Hop(names[part]), label) for label in labels]
    used: dict[str, int] = {}
    events = tuple(
        _event(e, bodies[e.text("id")], e.attributes.get("label", ""), used)
        for e in elements
        if e.tag == "synchronization"
    )
    return CompositeType(name, events=events, instances=instances)


def _instances(elements: list[_Element]) -> dict[str, str]:
    """The names of the instances by their number; one that is not alone has its number in it."""
    given = [e.text("name") for e in elements if e.tag == "instance"]
    found = {}
    for element in elements:
        if element.tag == "instance":
            name, number = element.text("name"), element.text("id")
            if number in found:
                raise element.error(f"two instances have the number {number}")
            found[number] = name if given.count(name) == 1 else f"{name}_{number}"
    return found


def _event(element: _Element, body: list[Statement], label: str, used: dict[str, int]) -> Event:
    """An event named as its element is; a name that comes again gets a number."""
    name = element.attributes.get("name") or element.text("label")
    used[name] = used.get(name, 0) + 1
    title = name if used[name] == 1 else f"{name}_{used[name]}"
    return Event(title, body=tuple(body), label=Label(label) if label else None, span=element.span)


def _set(name: str, elements: list[_Element], circular: bool) -> ComponentType:
    """Instances of one type, and what all, any or neighbours of them do."""
    instance = next((e for e in elements if e.tag == "instance"), None)
    size = next((e for e in elements if e.tag == "size"), None)
    if instance is None or size is None:
        where = elements[0].span if elements else None
        raise error(f"the set '{name}' needs an instance and a size", where)
    text = size.text("size").strip()
    if not (text.isascii() and text.isdigit() and len(text) < 9 and 0 < int(text) < INSTANCE_LIMIT):
        raise size.error(f"'{text}' is not a number of instances")
    used: dict[str, int] = {}
    events = []
    for element in elements:
        if element.tag == "delegator":
            label = element.text("label")
            chosen = AnyCall if element.attributes.get("kind") == "ANY" else AllCall
            body: Statement = chosen(label)
        elif element.tag == "circular" and circular:
            body = _neighbours(element)
        else:
            continue
        public = element.attributes.get("visibility") == "public"
        events.append(_event(element, [body], element.text("label") if public else "", used))
    part = Instance(instance.text("name"), type=instance.text("type"), size=Const(int(text)))
    return SetType(name, events=tuple(events), element=part, circular=circular)


def _neighbours(element: _Element) -> Statement:
    here, behind = element.labels("current"), element.labels("successor")
    if len(here) > 1 or len(behind) > 1 or not (here or behind):
        raise element.error(
            "an instance and its successor move by one label each",
            hint="let one label of the instance's type stand for several",
        )
    if here and behind:
        return NextCall(here[0], (), behind[0], ())
    return AnyCall((here or behind)[0])


_COMPOSITES: dict[tuple[str, str], Callable[[str, list[_Element]], ComponentType]] = {
    ("ITSComposite", "Composite"): _composite,
    ("Scalar Set Composite", "Composite"): lambda name, found: _set(name, found, False),
    ("Circular Set Composite", "Composite"): lambda name, found: _set(name, found, True),
}


# --- time -----------------------------------------------------------------------------------------


def _with_time(types: dict[str, ComponentType]) -> Iterator[ComponentType]:
    """The types, those with timed parts with a step of time that all of these make."""
    timed = {name for name, t in types.items() if any(map(_is_time, t.events))}
    changed = True
    while changed:
        more = {
            n for n, t in types.items() if any(i.type in timed for i in instances_of(t))
        } - timed
        changed = bool(more)
        timed |= more
    for type_ in types.values():
        parts = [i for i in instances_of(type_) if i.type in timed]
        if not parts or any(map(_is_time, type_.events)):
            yield type_
            continue
        body: tuple[Statement, ...]
        if isinstance(type_, SetType):
            body = (AllCall(ELAPSE),)
        else:
            body = tuple(InstanceCall(Hop(i.name), ELAPSE) for i in parts)
        step = Event(ELAPSE, body=body, label=Label(ELAPSE))
        yield replace(type_, events=(*type_.events, step))


__all__ = ["load"]
