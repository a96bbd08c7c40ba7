"""Agglomeration: two events that can always be taken together become one.

Let p be a place, not observed, H the events that put tokens on it and F those that take from it, no
event in both. Berthelot ("Transformations and decompositions of nets", 1987) names two cases, in
the form of Thierry-Mieg ("Structural reductions revisited", 2020):

**Post-agglomeration.** Every f in F needs w tokens of p and nothing else, and changes no observed
place; every h in H puts a multiple k w of tokens on p, with k = 1 or F of a single event. In any
sequence each f can be moved to directly after the h whose tokens it takes, since it waits for
nothing else, and what is left on p can be taken off at the end. The events `h f^k` replace both.
Keeps markings and deadlocks: in a deadlock p has less than w tokens, and `h f^k` is enabled where h
is. Tokens that p has at first are taken off at first, if F is a single event.

**Pre-agglomeration.** Every h in H puts v tokens on p and does nothing else than take tokens, none
of them from observed places; p is empty at first; every f takes j v tokens of p, with j = 1 or H of
a single event. In any sequence each h can be delayed to directly before the f that takes its
tokens: nothing else wants what it gives, and what it takes stays where it is. An h whose tokens
nobody takes is left out. The events `h^j f` replace both. Keeps markings (this is Thierry-Mieg's
free agglomeration).

For deadlocks an h must not be enabled in vain: v = 1 and j = 1, and nobody but h takes from the
inputs of h, of which there is at least one. Then executing every h that is enabled in a deadlock of
the reduced net, as often as possible, ends in a deadlock of the net: no f becomes enabled, since
`h f` was not, and nobody else misses the tokens. The other way round, leaving out the h whose
tokens lie on p in a deadlock enables nothing: `h f` would need an f that the token on p had enabled
before.

**Paths.** Branching time sees when a choice is made, so agglomeration must make none:

- post, with a single f: a marking m and the one where f has been executed as often as it can be,
  n, are stuttering bisimilar. f changes nothing observed, needs nothing that another takes, and
  every other event that m enables n enables; m gets to n in steps that repeat. f is not executed
  for ever, since it takes from p and does not put there: what goes on for ever in one does in the
  other. If m is a deadlock it is n; if n is one then m leads to it.
- pre, with a single h, if nobody but h takes from the inputs of h, of which there is at least one:
  the same with n the marking where the h whose tokens are on p have not been executed. No event but
  f can tell them apart, and where m enables f, n enables `h^j f`; where n enables `h^j f`, m does f
  after as many h as are missing. Again h is not executed for ever, and deadlocks lead to deadlocks.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from plait.model.arithmetic import INT_MAX
from plait.structure.draft import Draft, DraftEvent, Row, Trail

Kept = Literal["markings", "deadlocks", "paths"]
GROWTH = 8
"""A place is agglomerated when the new events are not more than the old, or than this."""


def agglomerate(draft: Draft, observed: Collection[int], keeps: Kept, most: int) -> bool:
    """Agglomerate wherever it is allowed, as long as there are not more than `most` events."""
    changed = False
    for p in list(draft.initial):
        if p in observed or len(draft.events) > most:
            continue
        before, after = draft.producers[p], draft.consumers[p]
        if not before or not after or before & after:
            continue
        pairs = len(before) * len(after)
        if pairs > max(len(before) + len(after), GROWTH):
            continue
        changed |= _post(draft, p, observed, keeps) or _pre(draft, p, observed, keeps)
    return changed


def _post(draft: Draft, p: int, observed: Collection[int], keeps: Kept) -> bool:
    before = [draft.events[n] for n in sorted(draft.producers[p])]
    after = [draft.events[n] for n in sorted(draft.consumers[p])]
    weight = after[0].pre[p]
    single = len(after) == 1
    if keeps == "paths" and not single:
        return False
    if not all(
        len(f.pre) == 1 and f.pre[p] == weight and not any(q in observed for q in f.post)
        for f in after
    ):
        return False
    if not all(h.post[p] % weight == 0 and (single or h.post[p] == weight) for h in before):
        return False
    tokens = draft.initial[p] // weight
    if tokens and not single:
        return False
    made = []
    for h in before:
        times = h.post[p] // weight
        for f in after:
            post: Row = {q: w for q, w in h.post.items() if q != p}
            for q, w in f.post.items():
                post[q] = post.get(q, 0) + times * w
            trail = Trail(parts=((h.trail, 1), (f.trail, times)))
            made.append(DraftEvent(dict(h.pre), post, trail))
    first = {q: draft.initial[q] + tokens * w for q, w in after[0].post.items()}
    if not _fits(made) or (tokens and any(value > INT_MAX for value in first.values())):
        return False
    if tokens:
        draft.prefix.append(Trail(parts=((after[0].trail, tokens),)))
        draft.initial.update(first)
    _replace(draft, p, made)
    return True


def _pre(draft: Draft, p: int, observed: Collection[int], keeps: Kept) -> bool:
    before = [draft.events[n] for n in sorted(draft.producers[p])]
    after = [draft.events[n] for n in sorted(draft.consumers[p])]
    weight = before[0].post[p]
    single = len(before) == 1
    if draft.initial[p] or not all(
        len(h.post) == 1 and h.post[p] == weight and not any(q in observed for q in h.pre)
        for h in before
    ):
        return False
    if not all(f.pre[p] % weight == 0 and (single or f.pre[p] == weight) for f in after):
        return False
    if keeps == "deadlocks" and (weight != 1 or any(f.pre[p] != 1 for f in after)):
        return False
    if keeps == "paths" and not single:
        return False
    if keeps != "markings" and not all(
        h.pre and all(len(draft.consumers[q]) == 1 for q in h.pre) for h in before
    ):
        return False
    made = []
    for h in before:
        for f in after:
            times = f.pre[p] // weight
            pre: Row = {q: w for q, w in f.pre.items() if q != p}
            for q, w in h.pre.items():
                pre[q] = pre.get(q, 0) + times * w
            trail = Trail(parts=((h.trail, times), (f.trail, 1)))
            made.append(DraftEvent(pre, dict(f.post), trail))
    if not _fits(made):
        return False
    if keeps != "markings":
        draft.finish.append(tuple(h.trail for h in before))
    _replace(draft, p, made)
    return True


def _fits(events: list[DraftEvent]) -> bool:
    """Whether all weights are integers of the models."""
    return all(w <= INT_MAX for e in events for w in (*e.pre.values(), *e.post.values()))


def _replace(draft: Draft, p: int, made: list[DraftEvent]) -> None:
    """Put these events in the place of those around p, and remove p."""
    for n in list(draft.producers[p] | draft.consumers[p]):
        draft.remove_event(n)
    draft.remove_place(p)
    for event in made:
        draft.add(event)
