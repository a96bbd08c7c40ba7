"""Transition compression: what a process does next by itself becomes a part of what it did before.

After Kurshan, Levin, Yenigün, *Compressing transitions for model checking* (CAV 2002), as Vander
Meulen's thesis restates it (2012, section 8.2), for chains and for hammocks (several events with
the same ends). At a location whose events are safe, not observed and always possible, the process
may go on at once: whoever brings it there does its next event, too, once for each that it may
choose; then nobody is ever at that location. Nothing observed changes in between, nobody else can
tell when it happens, and so the smaller program satisfies the same formulas of LTL without X. Where
there is a choice, CTL can tell when it is made: for it only *linear* events are joined, no two of
which are ever enabled together.

Invariant: a location is dropped only if no event leads from it to itself. So each step drops one
location of one process, and a cycle of such events keeps one of its locations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plait.automata.propositions import is_total
from plait.engines.partial.joint_guards import equalities
from plait.engines.partial.observed import observed
from plait.engines.partial.process_model import ProcessModels, Rule
from plait.model.expr import Const, Formula, conjuncts
from plait.model.rewritten import flat_type
from plait.model.shape import Shape, shape_of
from plait.model.stmt import Assign
from plait.model.types import ElementaryType, Event, Model, Process
from plait.passes.usage import usage_of
from plait.passes.walk import statements
from plait.program import compile_model
from plait.records import replace


def compressed(
    flat: Model, conditions: Sequence[Formula], rule: Rule = "local", *, linear: bool = False
) -> Model:
    """The flat model with locations dropped, for formulas without X over these conditions.

    They are formulas of LTL, or with `linear` of CTL, too.
    """
    seen = observed(conditions, flat_type(flat), compile_model(flat).titled)
    while seen is not None:
        smaller = _without_one(flat, seen, rule, linear)
        if smaller is None:
            break
        flat = smaller
    return flat


def _without_one(flat: Model, seen: set[str], rule: Rule, linear: bool) -> Model | None:
    """The model without one location of some process; None when none can be dropped."""
    type_ = flat_type(flat)
    shape = shape_of(flat)
    initial = tuple(shape.initial())
    for safe in ProcessModels(type_, shape).safe(seen, linear=linear, rule=rule):
        process = next(p for p in type_.processes if p.name == safe.name)
        if process.pc is None or not _moves_plainly(type_, process.pc):
            continue
        first = initial[shape.variables[process.pc].offset]
        for location, numbers in _places(type_, process, safe.events).items():
            onward = [type_.events[n] for n in numbers]
            if location == first:
                continue
            if not all(_is_free(e, shape, process.pc, location) for e in onward):
                continue
            if all(_target(e, process.pc) not in (None, location) for e in onward):
                events = tuple(_joined(type_, set(numbers), process.pc, location))
                return replace(flat, types=(replace(type_, events=events),))
    return None


def _places(type_: ElementaryType, process: Process, safe: Iterable[int]) -> dict[int, list[int]]:
    """The safe events of a process by their locations: at each, all or none."""
    found: dict[int, list[int]] = {}
    for number in safe:
        location = equalities(type_.events[number].guard)[process.pc or "", None]
        found.setdefault(location, []).append(number)
    return found


def _moves_plainly(type_: ElementaryType, pc: str) -> bool:
    """Whether all who write a location store a constant, and nobody does who is called."""
    for event in type_.events:
        if (pc, None) in usage_of(event).written:
            if event.label is not None or _target(event, pc) is None:
                return False
        elif pc in usage_of(event).written_somewhere:
            return False
    return True


def _target(event: Event, pc: str) -> int | None:
    """The constant that an event stores last as the location; None when that is not plain."""
    stores = [s for s in event.body if isinstance(s, Assign) and s.target.name == pc]
    others = tuple(s for s in event.body if s not in stores)
    if not stores or (pc, None) in usage_of(replace(event, body=others)).written:
        return None
    return stores[-1].value.value if isinstance(stores[-1].value, Const) else None


def _is_free(event: Event, shape: Shape, pc: str, location: int) -> bool:
    """Whether an event asks for nothing but the location, and has a successor there."""
    parts = [c for g in event.guard for c in conjuncts(g)]
    if not all(equalities([c]) == {(pc, None): location} for c in parts):
        return False
    return all(isinstance(s, Assign) and is_total(s, shape) for s in statements(event.body))


def _joined(type_: ElementaryType, dropped: set[int], pc: str, location: int) -> Iterable[Event]:
    """All events but those of the location, which go on where others lead to it."""
    onward = [type_.events[n] for n in sorted(dropped)]
    for number, event in enumerate(type_.events):
        if number in dropped:
            continue
        if event.label is not None or _target(event, pc) != location:
            yield event
            continue
        for k, following in enumerate(onward):
            body = (*event.body, *following.body)
            name = f"{event.name}_{following.name}_{k}"
            yield replace(event, name=name, display=f"{event.title}; {following.title}", body=body)


__all__ = ["compressed"]
