"""The directed search for the goals of a net: nearest first, and only what the goal calls for.

The search is native (`plait_explicit::directed`): stubborn sets that are closed from the goal, in
an order that the cost of missing tokens gives. It finds goals that are many steps away, and shows
that there is none where the part of the net that the goal calls for has few enough markings.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait import _core
from plait.engines.budget import Budget
from plait.errors import LimitReached
from plait.model.arithmetic import INT_MAX
from plait.model.net import Net
from plait.records import dataclass
from plait.structure.linear import Coefficients, Goal, atom, fold_goal

ENGINE = "directed"
LARGEST = 2_000
"""Nodes of a goal, which are looked at in every marking."""
Node = tuple[bool | None, Sequence[tuple[int, int]], int, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Led:
    """What a directed search came to: a way to the goal, or that there is none; or neither."""

    events: list[int] | None = None
    nowhere: bool = False


class DirectedSearch:
    """A net without inhibitor and reset arcs, made ready once for many goals."""

    def __init__(self, net: Net) -> None:
        assert net.ordinary
        self._net = net
        self._initial = list(net.initial)
        self._events = [(e.pre, e.change) for e in net.events]
        weights = (w for e in net.events for _, w in (*e.pre, *e.post))
        self._fits = all(n <= INT_MAX for n in (*net.initial, *weights))

    def search(self, goal: Goal, budget: Budget) -> Led:
        """Look for a marking that satisfies the goal."""
        nodes = _nodes(goal)
        if not self._fits or len(nodes) > LARGEST:
            return Led()
        events, reason, _, _ = _core.directed(
            self._initial,
            self._events,
            nodes,
            timeout=budget.remaining(),
            memory=budget.memory,
            max_states=budget.states,
        )
        if reason == "interrupted":
            raise LimitReached("interrupted")
        return Led(events, events is None and reason is None)

    def greatest(self, places: Coefficients, budget: Budget) -> int | None:
        """The greatest value of a sum of places: more is sought until there is no more."""
        marking: tuple[int, ...] = self._net.initial
        while budget.remaining() != 0:
            met = sum(c * marking[p] for p, c in places.items())
            led = self.search(atom(places, met + 1), budget)
            if led.nowhere:
                return met
            if led.events is None:
                break
            marking = self._net.initial
            for event in led.events:
                marking = self._net.events[event].fire(marking)
        return None


def _nodes(goal: Goal) -> list[Node]:
    """The goal for the native search: parts first, shared ones once."""
    nodes: list[Node] = []

    def number(node: Node) -> int:
        nodes.append(node)
        return len(nodes) - 1

    fold_goal(
        goal,
        lambda a: number((None, a.coefficients, a.bound, ())),
        lambda every, parts: number((every, (), 0, parts)),
    )
    return nodes


__all__ = ["ENGINE", "DirectedSearch", "Led"]
