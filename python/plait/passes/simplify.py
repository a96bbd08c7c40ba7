"""Simplification of a flat model: what can be computed before the search is.

Constant folding and algebra (`folding`), dead and single branches, calls that nobody or only one
event answers (`bodies`), updates that cancel (`updates`), labelled events that nobody calls or that
are there twice, and cells that never change (`constants`). A constant found may make an event
impossible, which may make another cell constant, so the whole is repeated; after the first round
only the events that mention something new are looked at again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from plait.hints import cast
from plait.model.expr import Formula, IntExpr
from plait.model.shape import shape_of
from plait.model.types import ElementaryType, Event, Model, Property
from plait.passes.bodies import BodySimplifier
from plait.passes.constants import Constants, constants_of, remove
from plait.passes.folding import Folder
from plait.passes.rewritten import Rewritten, flat_type
from plait.passes.updates import Limits
from plait.passes.usage import Usage, Usages, cells_of
from plait.records import replace

ROUNDS = 100
"""Rounds after which the model is taken as simple enough."""


def simplify(model: Model) -> Rewritten:
    """The flat model, simplified; `lift` restores the cells that were constant.

    Properties are simplified along, so the bounds of a sum with constants in it stay right.
    """
    return _Simplifier(model, flat_type(model)).run()


def simplify_again(model: Model, new: Iterable[Event], other: Iterable[str]) -> Rewritten:
    """As `simplify`, where all was simple but these events, and what answers these labels is other.

    Of the other events only those are looked at that what is found then concerns.
    """
    return _Simplifier(model, flat_type(model)).run({id(e) for e in new}, set(other))


class _Simplifier:
    def __init__(self, model: Model, type_: ElementaryType) -> None:
        self.model = model
        self.type = type_
        self.shape = shape_of(model)
        self.initial = self.shape.initial()
        self.sizes = {name: slot.size for name, slot in self.shape.variables.items()}
        self.limits = self._limits()
        self.constants = Constants()
        self.properties = model.properties
        self.read = Usages()
        self.usages: dict[int, tuple[Event, Usage]] = {}

    def run(self, new: set[int] | None = None, other: Set[str] = frozenset()) -> Rewritten:
        """Simplify until nothing changes; `new`: which events may not be simple yet, if not all.

        `other` are labels that were answered by other events when the rest was simplified.
        """
        events = list(self.type.events)
        stale = {id(e) for e in events} if new is None else new
        changed: set[str] = set()
        for _ in range(ROUNDS):
            folder = self._folder()
            events = self._round(folder, events, stale, changed, set(other))
            self.properties = self._simple_properties(folder)
            stale, other = set(), frozenset()
            before = self.constants
            used = [self._usage(e) for e in events]
            found = constants_of(self.shape, self.initial, used, self._asked())
            # What has been substituted is not read any more, but is constant all the same.
            self.constants = replace(found, cells={**before.cells, **found.cells})
            changed = {n for n in self.constants.scalars if n not in before.scalars}
            changed.update(n for n, i in self.constants.cells if (n, i) not in before.cells)
            if not changed:
                break
        else:
            # The last constants found have not been substituted: leave their cells alone.
            self.constants = before
        written = {cell for e in events for cell in self._usage(e).written}
        type_ = replace(self.type, events=tuple(events))
        removal = remove(type_, self.properties, self.shape, self.constants, written)
        model = replace(self.model, types=(removal.type,), properties=removal.properties)
        return Rewritten(model, removal.lift)

    def _limits(self) -> Limits:
        domains = {}
        unruly: set[str] = set()
        for name, slot in self.shape.variables.items():
            if slot.domain is None:
                continue
            first = [self.initial[cell] for cell in slot.cells]
            if all(slot.domain.low <= value <= slot.domain.high for value in first):
                domains[name] = slot.domain
            else:
                unruly.add(name)
        return Limits(domains, frozenset(unruly))

    def _usage(self, event: Event) -> Usage:
        known = self.usages.get(id(event))
        if known is None:
            known = self.usages[id(event)] = (event, self.read.of(event))
        return known[1]

    # --- properties -------------------------------------------------------------------------------

    def _folder(self) -> Folder:
        return Folder({}, self.sizes, self.constants.scalars, self.constants.cells)

    def _simple_properties(self, folder: Folder) -> tuple[Property, ...]:
        return tuple(
            p
            if p.body is None
            else replace(p, body=cast(Formula | IntExpr, folder.simplify(p.body)))
            for p in self.properties
        )

    def _asked(self) -> Usage:
        """What the properties read."""
        read, somewhere = cells_of(p.body for p in self.properties if p.body is not None)
        none: frozenset[str] = frozenset()
        return Usage(frozenset(read), frozenset(), frozenset(somewhere), none, none)

    # --- events -----------------------------------------------------------------------------------

    def _round(
        self,
        folder: Folder,
        events: list[Event],
        stale: set[int],
        changed: set[str],
        other: set[str],
    ) -> list[Event]:
        """The events simplified, those that are called before those that call them.

        Simplified are the stale ones, those with variables that have changed, and those that call
        `other` labels: whose events have changed, in this round too.
        """
        labelled: dict[str, list[Event]] = {}
        for event in events:
            if event.label is not None:
                labelled.setdefault(event.label.name, []).append(event)
        answers: dict[str, list[Event]] = {}
        simplifier = BodySimplifier(folder, self.limits, answers)
        result: dict[int, Event] = {}

        def simple(event: Event) -> Event | None:
            if id(event) not in stale:
                usage = self._usage(event)
                if changed.isdisjoint(usage.names) and other.isdisjoint(usage.called):
                    return event
            return simplifier.event(event)

        for label in self._called_first(labelled):
            kept: dict[object, Event] = {}
            for event in labelled[label]:
                new = simple(event)
                if new is not None and kept.setdefault((new.guard, new.body), new) is new:
                    result[id(event)] = new
                if new is not event:
                    other.add(label)
            answers[label] = list(kept.values())
            if any(map(simplifier.may_fail, answers[label])):
                simplifier.risky.add(label)
        for event in events:
            if event.label is None:
                new = simple(event)
                if new is not None:
                    result[id(event)] = new
        return self._live([result[id(e)] for e in events if id(e) in result])

    def _called_first(self, labelled: dict[str, list[Event]]) -> Iterator[str]:
        """The labels, each after those that its events call (circular calls are refused before)."""
        done: set[str] = set()
        for root in labelled:
            stack = [(root, False)]
            while stack:
                label, expanded = stack.pop()
                if expanded:
                    yield label
                elif label not in done and label in labelled:
                    done.add(label)
                    stack.append((label, True))
                    below = dict.fromkeys(
                        c for e in labelled[label] for c in sorted(self._usage(e).called)
                    )
                    stack.extend((c, False) for c in below if c not in done)

    def _live(self, events: Sequence[Event]) -> list[Event]:
        """The events without those whose label nobody calls."""
        labelled: dict[str, list[Event]] = {}
        pending: list[Event] = []
        for event in events:
            if event.label is None:
                pending.append(event)
            else:
                labelled.setdefault(event.label.name, []).append(event)
        if not labelled:
            return list(events)
        live: set[str] = set()
        while pending:
            for label in self._usage(pending.pop()).called:
                if label not in live:
                    live.add(label)
                    pending.extend(labelled.get(label, ()))
        return [e for e in events if e.label is None or e.label.name in live]
