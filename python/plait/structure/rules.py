"""Reductions that remove places and events one by one.

Each rule says what it needs and what it keeps. *Markings* means: the reachable markings of the
observed places stay the same set (so every question about them does). *Deadlocks* means: the
reduced net can reach a deadlock exactly when the net can. *Everything* means that markings which
agree on the places that are left have the same steps, events apart; *moves* that they have the same
steps after repetitions (see `reductions`). The rules are those of Murata (1989),
Berthelot (1987), Bønneland, Dyhr, Jensen, Johannsen and Srba ("Stubborn versus structural
reductions for Petri nets", 2019) and Thierry-Mieg ("Structural reductions revisited", 2020); each
is argued here for nets without inhibitor and reset arcs, where more tokens never disable an event.

Every rule is a function of a draft that says whether it changed it.
"""

from __future__ import annotations

from collections.abc import Collection

from plait.structure.draft import Draft, DraftEvent

MANY = 200
"""Arcs of a place beyond which it is not compared with others."""


def dead_events(draft: Draft) -> bool:
    """Remove events that need a place which nothing can mark. Keeps everything.

    Places that are marked, or that an event fills all of whose inputs may be marked, may be marked;
    the others are an unmarked siphon.
    """
    marked = {p for p, tokens in draft.initial.items() if tokens}
    missing = {n: sum(1 for p in e.pre if p not in marked) for n, e in draft.events.items()}
    ready = [n for n, count in missing.items() if not count]
    alive = set(ready)
    while ready:
        for p in draft.events[ready.pop()].post:
            if p not in marked:
                marked.add(p)
                for n in draft.consumers[p]:
                    missing[n] -= 1
                    if not missing[n] and n not in alive:
                        alive.add(n)
                        ready.append(n)
    dead = [n for n in draft.events if n not in alive]
    # A place that never gains tokens allows what it has at first and no more.
    for p, tokens in draft.initial.items():
        if all(draft.events[n].change(p) <= 0 for n in draft.producers[p]):
            dead += [n for n in draft.consumers[p] if draft.events[n].pre[p] > tokens]
    for n in set(dead):
        draft.remove_event(n)
    return bool(dead)


def useless_events(draft: Draft, observed: Collection[int]) -> bool:
    """Remove events that put nothing new and change no observed place. Keeps markings.

    A sequence stays executable without them, and ends with as many tokens or more, observed places
    equal. This takes out events without effect and those that only consume.
    """
    useless = [
        n
        for n, e in draft.events.items()
        if all(e.pre.get(p, 0) >= w for p, w in e.post.items())
        and not any(p in observed and e.change(p) for p in e.pre)
    ]
    for n in useless:
        draft.remove_event(n)
    return bool(useless)


def idle_events(draft: Draft) -> bool:
    """Remove events that change nothing. Keeps moves: what is lost is that one may stay."""
    idle = [n for n, e in draft.events.items() if not e.changes()]
    for n in idle:
        draft.remove_event(n)
    return bool(idle)


def dominated_events(draft: Draft) -> bool:
    """Remove an event where another has the same effect and needs no more. Keeps everything.

    Parallel events are the case of equal needs.
    """
    alike: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for n, e in draft.events.items():
        alike.setdefault(e.changes(), []).append(n)
    removed = False
    for group in alike.values():
        kept: list[DraftEvent] = []
        for n in sorted(group, key=lambda n: (sum(draft.events[n].pre.values()), n)):
            event = draft.events[n]
            if len(kept) < MANY and any(_needs_no_more(k, event) for k in kept):
                draft.remove_event(n)
                removed = True
            else:
                kept.append(event)
    return removed


def _needs_no_more(a: DraftEvent, b: DraftEvent) -> bool:
    return all(b.pre.get(p, 0) >= w for p, w in a.pre.items())


def free_places(draft: Draft, observed: Collection[int]) -> bool:
    """Remove places that never restrict, since no event lowers them. Keeps everything.

    Their first tokens are enough for every event: sinks, constants, places that only grow.
    """
    free = [
        p
        for p, tokens in draft.initial.items()
        if p not in observed
        and all(
            draft.events[n].pre[p] <= tokens and draft.events[n].change(p) >= 0
            for n in draft.consumers[p]
        )
    ]
    for p in free:
        draft.remove_place(p)
    return bool(free)


def constant_tests(draft: Draft) -> bool:
    """Remove the arcs of places that no event changes and whose tokens suffice. Keeps everything.

    For observed places, which stay as constants; events that need more are dead.
    """
    changed = False
    for p, tokens in draft.initial.items():
        touching = draft.consumers[p] | draft.producers[p]
        if touching and all(draft.events[n].change(p) == 0 for n in touching):
            for n in list(draft.consumers[p]):
                event = draft.events[n]
                if event.pre[p] <= tokens:
                    del event.pre[p], event.post[p]
                    draft.consumers[p].discard(n)
                    draft.producers[p].discard(n)
                    changed = True
    return changed


def implicit_places(draft: Draft, observed: Collection[int]) -> bool:
    """Remove a place that another one restricts more. Keeps everything.

    Place p is implicit beside q when no event adds less to p than to q, so that
    `m(p) - m(q) >= c` with c the first difference, and every event needs of p at most what it needs
    of q and c more. Parallel places are the case of equal arcs.
    """
    removed = False
    for p in list(draft.initial):
        if p in observed or len(draft.consumers[p]) > MANY:
            continue
        needy = min(draft.consumers[p], default=None)
        if needy is None:
            continue
        if len(draft.events[needy].pre) > MANY:
            continue
        for q in list(draft.events[needy].pre):
            if q != p and _restricts_more(draft, q, p):
                draft.remove_place(p)
                removed = True
                break
    return removed


def _restricts_more(draft: Draft, q: int, p: int) -> bool:
    c = draft.initial[p] - draft.initial[q]
    if len(draft.producers[q]) + len(draft.consumers[q]) > 2 * MANY:
        return False
    for n in draft.consumers[p]:
        event = draft.events[n]
        if event.pre[p] > event.pre.get(q, 0) + c:
            return False
    return all(
        draft.events[n].change(p) >= draft.events[n].change(q) for n in draft.touching((p, q))
    )


def slice_off(draft: Draft, observed: Collection[int]) -> bool:
    """Keep the events that can influence an observed place, and what these need.

    The closure: an event that changes a place inside is inside, and with it all its inputs. What is
    outside takes tokens from nothing inside and gives none. So the inside does what it would do
    alone, and the steps of the outside are repetitions: keeps markings and moves.
    """
    inside = {p for p in observed if p in draft.initial}
    stack = list(inside)
    events: set[int] = set()
    while stack:
        p = stack.pop()
        for n in draft.producers[p] | draft.consumers[p]:
            if n not in events and draft.events[n].change(p):
                events.add(n)
                fresh = draft.events[n].pre.keys() - inside
                inside |= fresh
                stack.extend(fresh)
    outside = [n for n in draft.events if n not in events]
    for n in outside:
        draft.remove_event(n)
    gone = [p for p in draft.initial if p not in inside]
    for p in gone:
        draft.remove_place(p)
    return bool(outside or gone)
