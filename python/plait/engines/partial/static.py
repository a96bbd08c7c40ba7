"""Static partial-order reduction: a smaller program in the place of a reduced search.

After Kurshan, Levin, Minea, Peled, Yenigün, *Static partial order reduction* (TACAS 1998), as
Vander Meulen's thesis restates it (2012, section 8.2). Which events of a process go first is chosen
once, from the text. Events that would close a cycle in the control of their process are *sticky*
and never go first, nor do those that are visible; so nobody goes first for ever, and no cycle has
to be watched for when the program is executed. Of the others, the *safe* ones of the first process
that can do one hide the events of everybody else:

    an event of the i-th process that goes first    where no process before it can go first
    any other event                                 where no process can go first

The result is a program again, which has the same runs up to repetitions of what is observed: any
engine may be asked about any formula of LTL without X. A choice that goes first is made before what
others do; CTL can tell, so that for it only *linear* events go first, no two of which are ever
enabled together.

Invariant: at one location either all events of a process go first or none does, so that those which
are enabled there are a persistent set (`process_model`); and an event that goes first has a
successor wherever its guard is true, or all others would wait for it in vain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from plait.automata.propositions import is_defined, is_total
from plait.engines.partial.joint_guards import equalities
from plait.engines.partial.observed import observed
from plait.engines.partial.process_model import ProcessModels, Rule
from plait.model.expr import And, Const, Formula, Not, Or
from plait.model.rewritten import flat_type
from plait.model.shape import Shape, shape_of
from plait.model.stmt import Assign
from plait.model.types import ElementaryType, Event, Model, Process
from plait.passes.walk import statements
from plait.program import compile_model
from plait.records import replace

Edges = dict[int, set[int]]
"""The locations that events lead to from each location."""


def static_order(
    flat: Model, conditions: Iterable[Formula], rule: Rule = "local", *, linear: bool = False
) -> Model:
    """The flat model with fewer events enabled, for formulas without X over these conditions.

    They are formulas of LTL, or with `linear` of CTL, too.
    """
    type_ = flat_type(flat)
    seen = observed(conditions, type_, compile_model(flat).titled)
    if seen is None:
        return flat  # every step is observed
    shape = shape_of(flat)
    groups: list[set[int]] = []
    for process in ProcessModels(type_, shape).safe(seen, linear=linear, rule=rule):
        declared = next(p for p in type_.processes if p.name == process.name)
        first = _without_sticky(type_, shape, declared, process.events)
        if first:
            groups.append(first)
    if not groups:
        return flat
    return replace(flat, types=(replace(type_, events=tuple(_guarded(type_, groups))),))


def _without_sticky(
    type_: ElementaryType, shape: Shape, process: Process, safe: Iterable[int]
) -> set[int]:
    """The safe events that may go first: location by location, as long as control has no cycle."""
    places: dict[int, list[int]] = {}
    for number in safe:
        location = equalities(type_.events[number].guard).get((process.pc or "", None))
        if location is not None:
            places.setdefault(location, []).append(number)
    edges: Edges = {}
    kept: set[int] = set()
    for location, numbers in sorted(places.items()):
        events = [type_.events[n] for n in numbers]
        targets = [_target(event, process.pc or "", location) for event in events]
        if not all(_is_plain(event, shape) for event in events):
            continue
        known = {t for t in targets if t is not None}
        if None in targets or any(location in _reached(edges, t) for t in known):
            continue
        edges[location] = known
        kept |= set(numbers)
    return kept


def _is_plain(event: Event, shape: Shape) -> bool:
    """Whether the guard of an event has a value everywhere, and a successor where it is true."""
    body = (s for s in statements(event.body))
    return all(is_defined(g, shape=shape) for g in event.guard) and all(
        isinstance(s, Assign) and is_total(s, shape) for s in body
    )


def _target(event: Event, pc: str, location: int) -> int | None:
    """Where an event leaves its process; None when that is not seen at once."""
    found: int | None = location
    for s in statements(event.body):
        if isinstance(s, Assign) and s.target.name == pc:
            found = s.value.value if isinstance(s.value, Const) else None
    return found


def _reached(edges: Mapping[int, set[int]], start: int) -> set[int]:
    """The locations that control may come to, this one included."""
    found, waiting = {start}, [start]
    while waiting:
        new = edges.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def _guarded(type_: ElementaryType, groups: list[set[int]]) -> Iterable[Event]:
    """The events, each only where none that it has to wait for is enabled."""
    quiet = [Not(Or(tuple(And(type_.events[n].guard) for n in sorted(group)))) for group in groups]
    for number, event in enumerate(type_.events):
        if event.label is not None:
            yield event
            continue
        place = next((i for i, g in enumerate(groups) if number in g), len(groups))
        yield replace(event, guard=(*event.guard, *quiet[:place]))


__all__ = ["static_order"]
