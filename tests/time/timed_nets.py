"""Random time Petri nets, and their meaning written down a second time: by markings and clocks."""

from collections.abc import Iterator
from itertools import product

from hypothesis import strategies as st

from plait.time.net import ArcKind, Interval, TimedArc, TimedEvent, TimedNet, TimedPlace
from plait.time.timing import Clocks

INTERVALS = ((0, 0), (0, None), (0, 2), (1, 1), (1, 3), (2, None), (2, 2))
KINDS: tuple[ArcKind, ...] = ("in", "in", "out", "out", "test", "inhibitor", "reset")
State = tuple[tuple[int, ...], tuple[int, ...]]
"""A marking, and for each transition how long it has been enabled, as far as it matters."""


@st.composite
def timed_nets(draw: st.DrawFn, *, choices: bool = True) -> TimedNet:
    """Nets of a few places and transitions with arcs of every kind; transitions without input and
    ever more tokens are rare, since what is unbounded is left out by the tests."""
    size = draw(st.integers(2, 4))
    places = tuple(TimedPlace(f"p{i}", draw(st.integers(0, 2))) for i in range(size))
    events = []
    for number in range(draw(st.integers(1, 4))):
        earliest, latest = draw(st.sampled_from(INTERVALS))
        arcs = [TimedArc("in", (draw(st.integers(0, size - 1)),))]
        for _ in range(draw(st.integers(1, 3))):
            kind = draw(st.sampled_from(KINDS))
            place = draw(st.integers(0, size - 1))
            more = choices and kind in ("in", "out") and draw(st.integers(0, 5)) == 0
            of = (place, (place + 1) % size) if more else (place,)
            weight = 0 if kind == "reset" else draw(st.integers(1, 2))
            arcs.append(TimedArc(kind, of, weight))
        events.append(TimedEvent(f"t{number}", Interval(earliest, latest), tuple(arcs)))
    return TimedNet("net", places, tuple(events))


def enabled(event: TimedEvent, marking: tuple[int, ...]) -> bool:
    """Whether some choice of places lets the transition fire."""
    return bool(list(firings(event, marking)))


def firings(
    event: TimedEvent, marking: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The markings between and after, for each choice of places."""
    moving = [arc for arc in event.arcs if arc.kind in ("in", "out", "test")]
    if any(marking[p] >= arc.weight for arc in event.of("inhibitor") for p in arc.places):
        return
    for chosen in product(*(arc.places for arc in moving)):
        pairs = list(zip(moving, chosen, strict=True))
        between = list(marking)
        for arc, place in pairs:
            if arc.kind == "in":
                between[place] -= arc.weight
        tested = all(marking[p] >= a.weight for a, p in pairs if a.kind == "test")
        if min(between) < 0 or not tested:
            continue
        for arc in event.of("reset"):
            between[arc.places[0]] = 0
        after = list(between)
        for arc, place in pairs:
            if arc.kind == "out":
                after[place] += arc.weight
        yield tuple(between), tuple(after)


Step = tuple[int, tuple[int, ...], State]
"""The number of a transition (-1: time), the marking between, and the state after."""


def space(net: TimedNet, clocks: Clocks, most: int) -> tuple[set[State], set[tuple[State, Step]]]:
    """The reachable states and the steps from them; `OverflowError` where there are more states."""
    first = tuple(p.initial for p in net.places), (0,) * len(net.events)
    seen, waiting = {first}, [first]
    arcs: set[tuple[State, Step]] = set()
    while waiting:
        state = waiting.pop()
        for step in steps(net, state, clocks):
            arcs.add((state, step))
            after = step[2]
            if after not in seen:
                seen.add(after)
                waiting.append(after)
        if len(seen) > most:
            raise OverflowError
    return seen, arcs


def steps(net: TimedNet, state: State, clocks: Clocks) -> Iterator[Step]:
    """One unit of time, and all firings."""
    marking, ages = state
    late = [
        e.interval.latest is not None and enabled(e, marking) and age >= e.interval.latest
        for e, age in zip(net.events, ages, strict=True)
    ]
    if not any(late):
        older = tuple(
            min(age + 1, e.interval.clock or 0) if enabled(e, marking) else 0
            for e, age in zip(net.events, ages, strict=True)
        )
        yield -1, marking, (marking, older)
    for number, event in enumerate(net.events):
        if ages[number] < event.interval.earliest:
            continue
        for between, after in firings(event, marking):
            kept = [
                n != number
                and enabled(e, after)
                and (enabled(e, between) if clocks == "intermediate" else True)
                for n, e in enumerate(net.events)
            ]
            left = tuple(age if k else 0 for age, k in zip(ages, kept, strict=True))
            yield number, between, (after, left)
