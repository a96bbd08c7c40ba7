"""When places may be lumped: rules whose conditions are local, each with its argument.

R is the set of reachable markings of the net as it is, R' that of the net after the rule. A rule
may be used when R is the set of all markings that those of R' stand for. One inclusion is always
plain, since an event of the net is one of the lumped net. For the other one it is enough that,
whenever an event happens in R', it can happen from some marking that the one before stands for,
and that from there every marking can be reached that the one after stands for.

- **Loops.** If from every marking of R one token can be moved from p to q, and from q to p, then p
  and q are merged: before an event the tokens are moved to where it needs them, and after it to
  where they are wanted. A token can be moved by
  - events that one token alone can be carried by: p -> q itself, or p -> Z, Z -> q and longer runs
    from one token on p to one on q, since more tokens elsewhere disable nothing;
  - two events x + M -> P, P -> y + M (x is worked on by M), if M and the places that hold it
    always have a token together. If M has one, the two happen in turn; if P has one, in the other
    order; if another P' has one and P' -> Z + M, Z + M -> P' exist, these go around the two.
- **Chains.** If q is only ever filled by events p -> q, and is empty at first, then p and q are
  merged: before an event just what it needs is moved to q, so that after it q is empty, and then
  as much is moved as is wanted.
- **Capacities.** Let P be filled only by events b + M -> P and emptied only by events P -> Y + M,
  and let M have no other business than to be tested for at most K tokens, K >= 1 being what M and
  P have together. If P is empty at first, or if P -> b + M exists, then b is merged with P, which
  never has more than K, and M has what is missing: before an event P has just what the event takes
  from it, and after it P is filled as much as is wanted.
- **Twins.** If each event changes q as it changes p, and what it needs of q is there when what it
  needs of p is, then q is explained by p.
- **Constants.** A place that no event changes is left out.

Places that keep no event from happening for other reasons are found by `redundancy`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from plait.model.net import Net
from plait.structure.lumped import Arcs, Event, Lumped
from plait.structure.parts import Both
from plait.structure.redundancy import Redundancy

Tick = Callable[[], None]
TOKENS, MARKINGS = 6, 60
"""How far the runs of a single token are followed: tokens at a time, and markings."""


def lump(net: Net, tick: Tick = lambda: None) -> Lumped:
    """An ordinary net lumped as far as the rules go. `tick` is called often, and may raise."""
    lumped = Lumped.of(net)
    local = (_constants, _twins, _chains, _loops, _capacities)
    redundancy = Redundancy(lumped, tick)
    while True:
        while sum(rule(lumped, tick) for rule in local):
            pass
        if not lumped.initial or not redundancy.remove():
            return lumped


# --- constants and twins --------------------------------------------------------------------------


def _constants(net: Lumped, tick: Tick) -> bool:
    tick()
    fixed = [place for place in net.initial if not net.changes(place)]
    for place in fixed:
        net.fix(place)
    return bool(fixed)


def _twins(net: Lumped, tick: Tick) -> bool:
    tick()
    alike: dict[Hashable, list[int]] = {}
    for place in sorted(net.initial):
        alike.setdefault(tuple(net.changes(place).items()), []).append(place)
    found = False
    for places in alike.values():
        kept: list[int] = []
        for place in places:
            tick()
            for at, other in enumerate(kept):
                if _explains(net, other, place):
                    kept[at] = net.attach(other, place, 1)
                elif _explains(net, place, other):
                    kept[at] = net.attach(place, other, 1)
                else:
                    continue
                found = True
                break
            else:
                kept.append(place)
    return found


def _explains(net: Lumped, place: int, other: int) -> bool:
    """Whether what events need of `other` is there when what they need of `place` is."""
    more = net.initial[other] - net.initial[place]
    return all(
        event.pre.get(other, 0) <= event.pre.get(place, 0) + more
        for event in net.using(other)
        if other in event.pre
    )


# --- chains ---------------------------------------------------------------------------------------


def _chains(net: Lumped, tick: Tick) -> bool:
    found = False
    for event in net.events:
        while (between := event.transfer) is not None and _is_chain(net, *between):
            tick()
            net.merge(between)
            found = True
    return found


def _is_chain(net: Lumped, p: int, q: int) -> bool:
    return not net.initial[q] and all(
        event.transfer == (p, q) for event in net.using(q) if q in event.post
    )


# --- loops ----------------------------------------------------------------------------------------


def _loops(net: Lumped, tick: Tick) -> bool:
    moves: dict[int, set[int]] = {}
    for p, q in _moves(net, tick):
        if p != q:
            moves.setdefault(p, set()).add(q)
    tick()
    together = [places for places in _strongly_connected(moves) if len(places) > 1]
    for places in together:
        net.merge(sorted(places))
    return bool(together)


def _moves(net: Lumped, tick: Tick) -> Iterator[tuple[int, int]]:
    """Pairs of places between which a token can be moved from every reachable marking."""
    active = [event for event in net.events if event.active]
    starting: dict[int, list[Event]] = {}
    for event in active:
        for place in event.pre:
            starting.setdefault(place, []).append(event)
    for place in net.initial:
        tick()
        for target in _carried(place, starting):
            yield place, target
    yield from _worked_on(net, active)


def _carried(place: int, starting: dict[int, list[Event]]) -> Iterator[int]:
    """The places to which one token alone gets, as far as a short search sees."""
    first = {place: 1}
    seen = {_key(first)}
    waiting = [first]
    for marking in waiting:
        for event in {id(e): e for p in marking for e in starting.get(p, ())}.values():
            if any(marking.get(p, 0) < w for p, w in event.pre.items()):
                continue
            after = dict(marking)
            for p, w in event.pre.items():
                after[p] -= w
            for p, w in event.post.items():
                after[p] = after.get(p, 0) + w
            after = {p: n for p, n in after.items() if n}
            if _key(after) in seen or sum(after.values()) > TOKENS or len(seen) > MARKINGS:
                continue
            seen.add(_key(after))
            waiting.append(after)
            if (target := _single(after)) is not None:
                yield target


def _worked_on(net: Lumped, active: list[Event]) -> Iterator[tuple[int, int]]:
    """The moves by x + M -> P, P -> y + M."""
    out: dict[int, list[Event]] = {}
    for event in active:
        if (place := _single(event.pre)) is not None:
            out.setdefault(place, []).append(event)
    held: dict[int, set[int]] = {}
    for event in active:
        holder = _single(event.post)
        if holder is None or all(e.post != event.pre for e in out.get(holder, ())):
            continue
        for worker, weight in event.pre.items():
            if weight == 1:
                held.setdefault(worker, set()).add(holder)
    for event in active:
        holder = _single(event.post)
        if holder is None or len(event.pre) != 2 or set(event.pre.values()) != {1}:
            continue
        for worker in event.pre:
            (source,) = set(event.pre) - {worker}
            # What gives the worker back and one other token.
            given = [
                target
                for e in out.get(holder, ())
                if len(e.post) == 2 and set(e.post.values()) == {1} and worker in e.post
                for target in e.post
                if target not in (worker, source)
            ]
            if given and _always_some(net, worker, holder, held.get(worker, set())):
                for target in given:
                    yield source, target


def _always_some(net: Lumped, worker: int, holder: int, others: set[int]) -> bool:
    """Whether the worker and those who hold it and can let go always have a token together."""
    for places in ({worker, holder} | others, {worker, holder}):
        events = {number for place in places for number in net.users[place]}
        lost = (
            sum(net.events[number].effect(place) for place in places) < 0
            for number in events
            if not net.events[number].dead
        )
        if sum(net.initial[place] for place in places) >= 1 and not any(lost):
            return True
    return False


def _single(arcs: Arcs) -> int | None:
    """The place of which one token is taken or given, if that is all."""
    if len(arcs) != 1:
        return None
    ((place, weight),) = arcs.items()
    return place if weight == 1 else None


def _key(arcs: Arcs) -> Hashable:
    return frozenset(arcs.items())


def _strongly_connected(graph: dict[int, set[int]]) -> Iterator[list[int]]:
    """The strongly connected components (Tarjan), without recursion."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    placed: set[int] = set()
    for start, first in graph.items():
        if start in number:
            continue
        number[start] = low[start] = len(number)
        stack.append(start)
        work = [(start, iter(sorted(first)))]
        while work:
            node, following = work[-1]
            for other in following:
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    work.append((other, iter(sorted(graph.get(other, ())))))
                    break
                if other not in placed:
                    low[node] = min(low[node], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    component: list[int] = []
                    while not component or component[-1] != node:
                        component.append(stack.pop())
                        placed.add(component[-1])
                    yield component


# --- capacities -----------------------------------------------------------------------------------


def _capacities(net: Lumped, tick: Tick) -> bool:
    found = False
    for event in net.events:
        if not event.active or set(event.pre.values()) != {1} or len(event.pre) != 2:
            continue
        holder = _single(event.post)
        if holder is None or holder in event.pre:
            continue
        tick()
        for worker in event.pre:
            (source,) = set(event.pre) - {worker}
            if _is_capacity(net, source, worker, holder):
                _limit(net, source, worker, holder)
                found = True
                break
    return found


def _is_capacity(net: Lumped, source: int, worker: int, holder: int) -> bool:
    capacity = net.initial[worker] + net.initial[holder]
    enters = {source: 1, worker: 1}
    if capacity < 1:
        return False
    returns = False
    for event in net.using(holder):
        if holder in event.post:
            if event.post != {holder: 1} or event.pre != enters:
                return False
        elif event.pre != {holder: 1} or event.post.get(worker) != 1:
            return False
        else:
            returns |= event.post == enters
    for event in net.using(worker):
        if holder in event.pre or holder in event.post:
            continue
        tested = event.pre.get(worker, 0)
        if tested != event.post.get(worker, 0) or tested > capacity:
            return False
    return returns or not net.initial[holder]


def _limit(net: Lumped, source: int, worker: int, holder: int) -> None:
    """Merge a place with the one after it, and let the rest of the capacity follow from that."""
    held = net.attach(holder, worker, -1)
    assert isinstance(net.parts.parts[held], Both)
    net.merge((source, held))


__all__ = ["lump"]
