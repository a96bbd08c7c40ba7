"""Goals that stay true with more tokens: what places must have at least, and what is weaker.

A marking *covers* a demand if every place has at least as many tokens. A goal without inequalities
that more tokens violate is a finite set of demands, one of which must be covered. Of other goals
the rest is left out, `a - b >= 2` becoming `a >= 2`; what is left follows from the goal, so where
it is unreachable, so is the goal (`exact` says whether anything was left out).

A sum of places that must be large is a place of its own: events take from it and put on it, with
the factors of the sum, what they take from its places and put there. It always has the value of the
sum, so it keeps no event from occurring, and the demand is one, where the minimal markings of a sum
may be millions.
"""

from __future__ import annotations

from plait.model.expr import Binary, Compare, Const, IntExpr, Unary, Var
from plait.model.net import Net, NetEvent, Place, Row
from plait.model.node import Node, nodes
from plait.records import dataclass, replace
from plait.structure.linear import Atom, Goal, fold_goal

MOST = 100_000
"""Demands that a goal may become."""
LARGEST = 1 << 40
"""Weights, tokens and demands of the native search are less than this."""
Demand = tuple[tuple[int, int], ...]
"""Places, ascending, each with the tokens that it must have at least."""
_Sum = tuple[tuple[int, int], ...]


class _TooManyError(Exception):
    """The goal has more demands than are worth looking at."""


@dataclass(frozen=True, slots=True)
class Upward:
    """A net, with places for sums behind its own, and the demands one of which must be covered."""

    net: Net
    demands: tuple[Demand, ...]
    exact: bool
    """Whether the goal is no stronger than that, and every run of the net is one of the model."""


def upward(net: Net, goal: Goal, wraps: bool = False) -> Upward | None:
    """What of the goal stays true with more tokens; None when that is nothing, or too much.

    With `wraps` a sum may wrap around, and so be negative although no place is.
    Inhibitor arcs are left out of the net, too: it has all the runs that it had, and perhaps more.
    """
    reading = _Reading(len(net.places), wraps)
    try:
        demands = fold_goal(goal, reading.leaf, reading.inner)
    except _TooManyError:
        return None
    if any(not d for d in demands) and not reading.exact:
        return None
    extended = _with_sums(net, list(reading.sums))
    if extended is None or not _fits(extended, demands):
        return None
    exact = reading.exact and not any(e.inhibitor for e in net.events)
    return Upward(extended, tuple(demands), exact)


class _Reading:
    """Demands of parts of a goal, and the sums that occur in them."""

    def __init__(self, width: int, wraps: bool) -> None:
        self.width = width
        self.wraps = wraps
        self.sums: dict[_Sum, int] = {}
        self.exact = True

    def leaf(self, atom: Atom) -> list[Demand]:
        raising = tuple((p, c) for p, c in atom.coefficients if c > 0)
        if not raising and atom.bound > 0 and not self.wraps:
            return []  # no place has fewer than no tokens
        if len(raising) < len(atom.coefficients):
            self.exact = False
        if atom.bound <= 0 or not raising:
            return [()]
        if len(raising) == 1:
            ((place, factor),) = raising
            return [((place, -(-atom.bound // factor)),)]
        return [((self.sums.setdefault(raising, self.width + len(self.sums)), atom.bound),)]

    def inner(self, every: bool, parts: list[list[Demand]]) -> list[Demand]:
        if not every:
            return _minimal([d for part in parts for d in part])
        found: list[Demand] = [()]
        for part in parts:
            if len(found) * len(part) > MOST:
                raise _TooManyError
            found = _minimal([_both(d, e) for d in found for e in part])
        return found


def _both(one: Demand, other: Demand) -> Demand:
    """What covers both."""
    needs = dict(one)
    for p, n in other:
        needs[p] = max(n, needs.get(p, 0))
    return tuple(sorted(needs.items()))


def _minimal(demands: list[Demand]) -> list[Demand]:
    """Without those that are above others, where these are not too many to be compared."""
    if len(demands) > MOST:
        raise _TooManyError
    demands = sorted(set(demands), key=lambda d: (len(d), d))
    if len(demands) > 100:
        return demands if demands[0] else [()]  # the search compares them faster
    kept: list[Demand] = []
    for demand in demands:
        needs = dict(demand)
        if not any(all(needs.get(p, 0) >= n for p, n in less) for less in kept):
            kept.append(demand)
    # One with as many places may be below one that came before it.
    return [d for d in kept if not any(e != d and _both(d, e) == d for e in kept)]


def _with_sums(net: Net, sums: list[_Sum]) -> Net | None:
    """The net without inhibitor arcs, and with a place for each sum; None where a part is reset."""
    inhibited = any(e.inhibitor for e in net.events)
    if not sums and not inhibited:
        return net
    summed = {p for s in sums for p, _ in s}
    if any(p in summed for e in net.events for p in e.reset):
        return None
    places, width = [*net.places], len(net.places)
    for number, s in enumerate(sums):
        initial = sum(c * net.places[p].initial for p, c in s)
        places.append(Place(f"sum {number}", initial))

    def event(e: NetEvent) -> NetEvent:
        return replace(e, pre=row(e.pre), post=row(e.post), inhibitor=())

    def row(weights: Row) -> Row:
        at = dict(weights)
        more = ((width + i, sum(c * at.get(p, 0) for p, c in s)) for i, s in enumerate(sums))
        return (*weights, *((p, w) for p, w in more if w))

    return Net(net.name, tuple(places), tuple(event(e) for e in net.events))


def _fits(net: Net, demands: list[Demand]) -> bool:
    """Whether the native search has room for these numbers."""
    numbers = [p.initial for p in net.places]
    numbers += [w for e in net.events for _, w in (*e.pre, *e.post)]
    numbers += [n for d in demands for _, n in d]
    return max(numbers, default=0) < LARGEST


def rises(body: Node) -> bool:
    """Whether a marking that satisfies a comparison does so although sums may wrap around.

    In 32 bits a sum of places without negative factors may only become smaller by wrapping around.
    So where it is compared with a constant, whatever it is at least then, it is at least before.
    """
    if isinstance(body, IntExpr):
        return _is_positive(body)
    comparisons = (n for n in nodes(body) if isinstance(n, Compare))
    return all(_rises(c.left, c.right) or _rises(c.right, c.left) for c in comparisons)


def _rises(one: IntExpr, other: IntExpr) -> bool:
    if isinstance(one, Var) and isinstance(other, Var):
        return True  # nothing is added
    return isinstance(other, Const) and _is_positive(one)


def _is_positive(root: IntExpr) -> bool:
    """Whether only additions and factors above 0 make it up, and no constant below 0."""
    for node in nodes(root):
        if isinstance(node, Const) and node.value < 0:
            return False
        if isinstance(node, Unary) or (isinstance(node, Binary) and node.op not in ("+", "*")):
            return False
    return True


__all__ = ["Demand", "Upward", "rises", "upward"]
