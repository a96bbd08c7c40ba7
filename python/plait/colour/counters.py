"""The counted form of a coloured net: objects without names, counted by how they are marked.

Where colours are objects (`objects`), the tokens that name one of them are its local state, and a
marking of the net is the tokens that name none and, for each object, its local state. Which object
has which does not matter to anybody who asks for the tokens of a place together, or whether a
transition has a binding. So the net becomes a place/transition net with a place for each local
state, in which there are as many tokens as there are objects in that state: its markings are the
orbits of markings under all permutations of the objects of each class, and its steps are theirs. An
event moves the objects that it looks at from their local states to others.

(Counters for processes that are all alike: German, Sistla: "Reasoning about systems with many
processes", 1992; Emerson, Trefler: "From asymmetry to full symmetry", 1999. Since the result is a
net, every engine and every reduction for nets works on orbits, not only a search state by state.)

The map from markings to orbits is a functional bisimulation: a step of the net is one of the
counted net, and for a step of the counted net every marking in the orbit has a binding that makes
it, with whichever of the objects in the local states that are asked for. It keeps the sums of
tokens and the transitions that are enabled, so all of CTL*, deadlocks and bounds.

Local states are closed under what events may do to an object, whatever else they need. What keeps
them finite are bounds of the places, proved by the state equation for the net without colours: an
object with more tokens in a place than are there ever is in no reachable marking.

Local states that nothing can tell apart, such as those that remember what nobody asks for, share a
place: they are merged by bisimilarity of the automaton that an object is.

Invariant: every local state of a reachable marking has a place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from math import inf, prod
from time import monotonic
from typing import NamedTuple

from plait.colour.net import DOT, Basic, Colour, ColouredEvent, ColouredNet, ColouredPlace
from plait.colour.objects import Candidates, Cell, Few, Kind, Local, local
from plait.colour.skeleton import skeleton
from plait.colour.unfold import TooLarge, Unfolding, too_large
from plait.errors import Diagnostic
from plait.model.arithmetic import INT_MAX
from plait.model.fresh import READABLE, FreshNames
from plait.model.net import Effect, EventComposer, Net, as_net
from plait.model.shape import COUNTER
from plait.model.types import ElementaryType, Event, Folded, Folding, Model, Variable
from plait.records import dataclass, replace
from plait.structure.equation import StateEquation

LOCAL_LIMIT = 2_000
"""The most local states."""
EVENT_LIMIT = 20_000
"""The most events."""
TRIAL_LIMIT = 2_000_000
"""The most pairs of a local state and what an event does to an object that are looked at."""
PART_LIMIT = 200_000
"""The most tokens, over all local states."""
SECONDS = 10.0
"""For the bounds of all places."""


Arcs = tuple[tuple[int, int], ...]
"""Weights by the number of the cell, ascending."""


class NoObjects(TooLarge):
    """No colours of the net are objects, or there is no bound for their local states."""


def counted(
    net: ColouredNet, least: int = 2, *, smaller: bool = False, seconds: float = inf
) -> Model:
    """The net with objects counted, where there are so many of a class.

    `TooLarge` where there are none, where it takes more `seconds`, or where there are too many
    local states: with `smaller`, more than there may be places for the tokens that name an object
    when the net is unfolded.
    """
    deadline = monotonic() + seconds
    failure: TooLarge = NoObjects(Diagnostic("no colours are alike in all that happens", net.span))
    if not Candidates(net, least).best:
        raise failure
    limits = _limits(net, deadline)
    candidates = Candidates(limits.net, least)
    for chosen in candidates.choices():
        try:
            few = candidates.few(chosen)
            most = min(LOCAL_LIMIT, few.cells) if smaller else LOCAL_LIMIT
            return _Counters(few, limits, most).model()
        except TooLarge as limit:
            failure = limit
    raise failure


@dataclass(frozen=True, slots=True)
class Limits:
    """What the state equation proves of the net without colours."""

    net: ColouredNet
    """The net with the events that may happen."""
    events: tuple[ColouredEvent, ...]
    """All events, also those that take more tokens from a place than are there ever."""
    tokens: list[int]
    """For each place a number of tokens that it never exceeds; their sum is an integer, too."""
    deadline: float
    """The time until which the net must be made."""


def _limits(net: ColouredNet, deadline: float) -> Limits:
    """The limits; events that are found dead are left out, until no more are."""
    until = min(deadline, monotonic() + SECONDS)
    every = net.events
    while True:
        tokens = _bounds(net, until)
        alive = tuple(event for event in net.events if _can_happen(event, tokens))
        if len(alive) == len(net.events):
            return Limits(net, every, tokens, deadline)
        net = replace(net, events=alive)


def _bounds(net: ColouredNet, deadline: float) -> list[int]:
    plain = as_net(skeleton(net))
    equation = StateEquation(plain) if isinstance(plain, Net) else None
    found: list[int] = []
    for number, place in enumerate(net.places):
        bound = None
        seconds = deadline - monotonic()
        if equation is not None and equation.available and seconds > 0:
            bound = equation.place_bound(number, seconds)
        if bound is None or bound > INT_MAX:
            raise NoObjects(Diagnostic(f"there is no proof that '{place.name}' is bounded"))
        found.append(bound)
    if sum(found) > INT_MAX:
        raise NoObjects(Diagnostic(f"there may be more than {INT_MAX} tokens", net.span))
    return found


def _can_happen(event: ColouredEvent, tokens: Sequence[int]) -> bool:
    needed: Counter[int] = Counter()
    for arc in event.arcs:
        if arc.kind == "in":
            needed[arc.place] += arc.bag.size
    return all(count <= tokens[place] for place, count in needed.items())


class Role(NamedTuple):
    """What an event does to one object: which it must be, what it takes from it and gives it."""

    kind: Kind
    taken: Local
    put: Local


class Pattern(NamedTuple):
    """What an event does for some bindings, which differ in the names of objects only."""

    event: int
    shown: tuple[str, ...]
    taken: tuple[tuple[Cell, int], ...]
    put: tuple[tuple[Cell, int], ...]
    roles: tuple[Role, ...]


class _Counters:
    """Makes the counted net."""

    def __init__(self, few: Few, limits: Limits, most: int) -> None:
        self._few = few
        self._net = few.net
        self._limits = limits
        self._most = most
        self._unfolding = Unfolding(few.net)
        self._patterns = list(dict.fromkeys(self._found()))
        self._after: dict[Role, dict[Local, Local]] = {
            role: {} for pattern in self._patterns for role in pattern.roles
        }
        self._states: dict[tuple[Kind, Local], int] = {}
        """The place of each local state; those that nothing can tell apart share one."""
        self._close()
        self._merge()

    # --- what events do ---------------------------------------------------------------------------

    def _found(self) -> Iterator[Pattern]:
        for number, event in enumerate(self._net.events):
            for binding in sorted(self._unfolding.bindings[number]):
                yield self._pattern(number, event, binding)

    def _pattern(self, number: int, event: ColouredEvent, binding: tuple[int, ...]) -> Pattern:
        values = dict(zip((name for name, _ in event.variables), binding, strict=True))
        taken, put = Counter[Cell](), Counter[Cell]()
        objects: dict[tuple[int, int], tuple[Counter[Cell], Counter[Cell]]] = {}
        for arc in event.arcs:
            at = self._few.at.get(arc.place)
            for colour, count in arc.bag.colours(values, self._net.places[arc.place].sort).items():
                own, rest = (taken, put), colour
                if at is not None:
                    position, group = at
                    rest = colour[:position] + colour[position + 1 :]
                    key = (group, colour[position])
                    own = objects.setdefault(key, (Counter(), Counter()))
                own[arc.kind == "out"][arc.place, rest] += count
        named = {id(basic) for basic in self._objects}
        shown = tuple(
            basic.colour(values[name]) for name, basic in event.variables if id(basic) not in named
        )
        roles = sorted(
            Role(self._few.kind[group][colour], local(before), local(after))
            for (group, colour), (before, after) in objects.items()
        )
        return Pattern(number, shown, local(taken), local(put), tuple(roles))

    @property
    def _objects(self) -> Iterator[Basic]:
        """The sorts of objects."""
        for p, (position, _) in self._few.at.items():
            yield self._net.places[p].sort[position]

    # --- local states -----------------------------------------------------------------------------

    def _close(self) -> None:
        """All local states that an object may come to, and what each role makes of them."""
        roles: dict[tuple[Kind, Cell | None], list[Role]] = {}
        for role in self._after:
            # A role is looked at where the first cell that it takes from is marked.
            needed = role.taken[0][0] if role.taken else None
            roles.setdefault((role.kind, needed), []).append(role)
        trials = 0
        waiting = list(self._few.initial)
        self._states = {state: i for i, state in enumerate(waiting)}
        while waiting:
            kind, marking = waiting.pop()
            keys: list[Cell | None] = [None, *(cell for cell, _ in marking)]
            possible = [role for key in keys for role in roles.get((kind, key), ())]
            trials += len(possible)
            if trials > TRIAL_LIMIT or monotonic() > self._limits.deadline:
                raise too_large("objects have too many ways", self._net.span)
            for role in possible:
                after = self._moved(marking, role)
                if after is None:
                    continue
                self._after[role][marking] = after
                if (kind, after) not in self._states:
                    self._states[kind, after] = len(self._states)
                    waiting.append((kind, after))
            if len(self._states) > self._most:
                raise too_large(f"more than {self._most} local states", self._net.span)

    def _moved(self, marking: Local, role: Role) -> Local | None:
        """The local state after a role; None where the role or the state cannot be."""
        cells = Counter(dict(marking))
        if any(cells[cell] < count for cell, count in role.taken):
            return None
        for cell, count in role.taken:
            cells[cell] -= count
        for cell, count in role.put:
            cells[cell] += count
        after = local(cells)
        if any(count > self._limits.tokens[place] for place, count in _tokens(after)):
            return None
        return after

    def _merge(self) -> None:
        """Local states with as many tokens in each place and the same future become one.

        This is bisimilarity of the automaton of an object. A step is named by the event and what
        else it does; where it moves several objects, by which of them this one is.
        """
        labels: dict[Role, list[tuple[object, ...]]] = {role: [] for role in self._after}
        for number, pattern in enumerate(self._patterns):
            if len(pattern.roles) == 1:
                label: tuple[object, ...] = (pattern.event, pattern.taken, pattern.put)
                labels[pattern.roles[0]].append(label)
            else:
                for position, role in enumerate(pattern.roles):
                    labels[role].append((number, position))
        numbers: dict[object, int] = {}
        steps: dict[tuple[Kind, Local], list[tuple[int, tuple[Kind, Local]]]]
        steps = {state: [] for state in self._states}
        for role, moves in self._after.items():
            names = [numbers.setdefault(label, len(numbers)) for label in labels[role]]
            for before, after in moves.items():
                steps[role.kind, before] += [(name, (role.kind, after)) for name in names]
        found = _numbered({s: (s[0], _tokens(s[1])) for s in self._states})
        while True:
            finer = _numbered(
                {
                    s: (found[s], frozenset((name, found[after]) for name, after in moves))
                    for s, moves in steps.items()
                }
            )
            if max(finer.values()) == max(found.values()):
                self._states = finer
                return
            found = finer

    # --- the net ----------------------------------------------------------------------------------

    def model(self) -> Model:
        """The counted net."""
        net = self._net
        names = FreshNames(numbered=READABLE)
        index: dict[Cell, int] = {}
        initial: list[int] = []
        cells: list[str] = []
        for p, place in enumerate(net.places):
            if p in self._few.at:
                continue
            for colour in sorted(self._unfolding.colours(p)):
                index[p, colour] = len(cells)
                cells.append(names.fresh(_cell_name(place, place.sort, colour)))
                initial.append(place.initial.get(colour, 0))
        first = len(cells)
        for _, marking in self._first_of_each:
            cells.append(names.fresh(self._state_name(marking)))
            initial.append(0)
        for state, count in self._few.initial.items():
            initial[first + self._states[state]] += count
        compose = EventComposer(cells)
        variables = tuple(
            Variable(name, (compose.constant(value),), domain=COUNTER)
            for name, value in zip(cells, initial, strict=True)
        )
        events, transitions = self._events(compose, index, first, cells)
        system = ElementaryType(
            net.name,
            events=events,
            variables=variables,
            folding=Folding(tuple(self._places(index, first, cells)), transitions),
            span=net.span,
        )
        return Model(net.name, (system,), net.name)

    @property
    def _first_of_each(self) -> list[tuple[Kind, Local]]:
        """A local state for each place."""
        found: dict[int, tuple[Kind, Local]] = {}
        for state, number in self._states.items():
            found.setdefault(number, state)
        return list(found.values())

    def _state_name(self, marking: Local) -> str:
        parts = []
        for (p, rest), count in marking:
            place, (position, _) = self._net.places[p], self._few.at[p]
            sort = place.sort[:position] + place.sort[position + 1 :]
            name = _cell_name(place, sort, rest)
            parts.append(name if count == 1 else f"{count}_{name}")
        return "-".join(parts) or "nowhere"

    def _places(self, index: dict[Cell, int], first: int, cells: Sequence[str]) -> Iterator[Folded]:
        """What has become of the places: a local state counts for each of its tokens."""
        own: list[list[str]] = [[] for _ in self._net.places]
        for (p, _), number in index.items():
            own[p].append(cells[number])
        spent = 0
        for number, (_, marking) in enumerate(self._first_of_each):
            for p, count in _tokens(marking):
                spent += count
                if spent > PART_LIMIT:
                    raise too_large(f"more than {PART_LIMIT} tokens of objects", self._net.span)
                own[p].extend([cells[first + number]] * count)
        for place, parts in zip(self._net.places, own, strict=True):
            yield Folded(place.name, tuple(parts), span=place.span, comment=place.comment)

    def _events(
        self, compose: EventComposer, index: dict[Cell, int], first: int, cells: Sequence[str]
    ) -> tuple[tuple[Event, ...], tuple[Folded, ...]]:
        names = FreshNames(numbered=READABLE)
        displays = FreshNames(numbered=READABLE)
        events: list[Event] = []
        seen: set[tuple[int, Arcs, Arcs]] = set()
        for pattern in self._patterns:
            coloured = self._net.events[pattern.event]
            ways = prod(len(self._after[role]) for role in pattern.roles)
            if len(events) + ways > EVENT_LIMIT:
                raise too_large(f"more than {EVENT_LIMIT} events", coloured.span)
            for taken, put in self._moves(pattern, index, first):
                key = (pattern.event, _sorted(taken), _sorted(put))
                if key in seen:
                    continue
                seen.add(key)
                effects: dict[int, Effect] = {}
                for cell, count in taken.items():
                    effects.setdefault(cell, Effect(coloured.span)).taken = count
                for cell, count in put.items():
                    effects.setdefault(cell, Effect(coloured.span)).put = count
                objects = [cells[c] for c in sorted(taken.elements()) if c >= first]
                event = compose.event(
                    names.fresh("_".join((coloured.name, *pattern.shown, *objects))),
                    sorted(effects.items()),
                    coloured.span,
                )
                shown = ", ".join((*pattern.shown, *objects))
                display = displays.fresh(f"{coloured.name}({shown})" if shown else coloured.name)
                events.append(replace(event, display=display))
        alive = {self._net.events[number].name for number, _, _ in seen}
        folded = tuple(
            Folded(e.name, (e.name,) if e.name in alive else (), span=e.span, comment=e.comment)
            for e in self._limits.events
        )
        return tuple(events), folded

    def _moves(
        self, pattern: Pattern, index: dict[Cell, int], first: int
    ) -> Iterator[tuple[Counter[int], Counter[int]]]:
        """What the bindings of a pattern take and put."""
        if any(cell not in index for cell, _ in pattern.taken):
            return
        for choice in product(*(self._after[role].items() for role in pattern.roles)):
            taken = Counter({index[cell]: count for cell, count in pattern.taken})
            put = Counter({index[cell]: count for cell, count in pattern.put})
            for role, (before, after) in zip(pattern.roles, choice, strict=True):
                taken[first + self._states[role.kind, before]] += 1
                put[first + self._states[role.kind, after]] += 1
            yield taken, put


def _tokens(marking: Local) -> tuple[tuple[int, int], ...]:
    """The tokens of an object by place."""
    tokens: Counter[int] = Counter()
    for (place, _), count in marking:
        tokens[place] += count
    return tuple(sorted(tokens.items()))


def _numbered(keys: dict[tuple[Kind, Local], object]) -> dict[tuple[Kind, Local], int]:
    """Numbers for the keys, in the order in which they come."""
    numbers: dict[object, int] = {}
    return {state: numbers.setdefault(key, len(numbers)) for state, key in keys.items()}


def _sorted(arcs: Counter[int]) -> Arcs:
    return tuple(sorted(arcs.items()))


def _cell_name(place: ColouredPlace, sort: Sequence[Basic], colour: Colour) -> str:
    shown = [s.colour(c) for s, c in zip(sort, colour, strict=True) if s is not DOT]
    return "_".join((place.name, *shown))


__all__ = ["NoObjects", "counted"]
