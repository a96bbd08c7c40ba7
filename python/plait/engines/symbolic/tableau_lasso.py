"""A run that violates an LTL formula, from the sets of a product with its tableau (`tableau`).

To each pair of the hull leads a fair path inside the hull that has no beginning. So the cycle of a
lasso is sought backward: from some pair one step back, then to a pair of each fairness set that was
not met on the way, and then a path is sought forward that closes it. If there is none, the search
goes on from the pair it has come to: that one lies before all that was left, so that this ends.
(The mirror image of Clarke, Grumberg, McMillan, Zhao, 1995: images need no reachable states.)

Paths are found layer by layer, then one pair of each layer is chosen, from the last to the first;
which state of the tableau comes before a pair is known (`Tableau.before`).
"""

from __future__ import annotations

from collections.abc import Sequence

from plait import _core
from plait.engines.symbolic.tableau import Pairs, TableauProduct
from plait.model.shape import State, Trace

Pair = tuple[int, State]
"""A state of the tableau and one of the model."""
Hop = tuple[int | None, Pair]
"""A pair, and the event that leads to it; None where a deadlock repeats."""


class TableauLasso:
    """Makes a run of a product; `inside` are the pairs that it may go through."""

    def __init__(self, product: TableauProduct, inside: Pairs) -> None:
        self._product = product
        self._core = product.core
        self._inside = inside

    def run(self, heads: Sequence[_core.StateSet], hull: Pairs) -> tuple[Trace, int]:
        """The steps of the run, and the place of the state that it goes back to.

        `heads` are the states after no step, one step, ... up to those where the formula is asked;
        the hull is that of fair paths, and not empty.
        """
        cycle = self._cycle(hull)
        product = self._product
        goal = self._pairs([pair for _, pair in cycle])
        layers = self._layers(product.begins(heads[-1]), self._inside, goal)
        assert layers is not None, "the hull is reached inside"
        knot = self._pick(product.intersection(layers[-1], goal))
        way = self._back(knot, layers[:-1])
        trace = self._head(way[0][1][1], heads)
        self._go(trace, way[1:])
        loop = len(trace) - 1
        place = next(i for i, (_, pair) in enumerate(cycle) if pair == knot)
        self._go(trace, [*cycle[place + 1 :], *cycle[: place + 1]])
        # All of the cycle is the repetition of a deadlock, or nothing of it.
        return trace, loop if len(trace) - 1 > loop else len(trace) - 1

    def _cycle(self, hull: Pairs) -> list[Hop]:
        """Pairs around a fair cycle, each with the event to it; the first one follows the last."""
        product = self._product
        end = self._pick(hull)
        while True:
            # Backward from `end`; `hops` are what follows `start` on the way to `end`.
            event, start = self._before(hull, end)
            hops: list[Hop] = [(event, end)]
            for until in product.tableau.untils:
                fair = product.fair(hull, until)
                if any(self._holds(fair, pair) for pair in (start, *(p for _, p in hops))):
                    continue
                layers = self._layers(fair, hull, self._pairs([start]))
                assert layers is not None, "a path that has no beginning is fair"
                way = self._back(start, layers[:-1])
                hops = [*way[1:], *hops]
                start = way[0][1]
            if start == end:
                return hops
            layers = self._layers(self._pairs([end]), hull, self._pairs([start]))
            if layers is not None:
                return [*self._back(start, layers[:-1])[1:], *hops]
            end = start

    # --- paths ------------------------------------------------------------------------------------

    def _layers(self, start: Pairs, inside: Pairs, goal: Pairs) -> list[Pairs] | None:
        """The pairs after 0, 1, ... steps inside that were not met before, until one is a goal."""
        product = self._product
        layers = [product.intersection(start, inside)]
        seen = layers[0]
        while layers[-1]:
            if product.intersection(layers[-1], goal):
                return layers
            image = product.intersection(product.image(layers[-1], product.events), inside)
            layers.append(product.difference(image, seen))
            seen = product.union(seen, layers[-1])
        return None

    def _back(self, pair: Pair, layers: Sequence[Pairs]) -> list[Hop]:
        """A path through the layers, one pair of each, to a pair; the first has no event."""
        hops: list[Hop] = []
        for layer in reversed(layers):
            event, before = self._before(layer, pair)
            hops.append((event, pair))
            pair = before
        return [(None, pair), *reversed(hops)]

    def _before(self, pairs: Pairs, pair: Pair) -> tuple[int | None, Pair]:
        """A pair of a set with a step to another one, and the event of the step."""
        t, state = pair
        single = self._core.single(state)
        before = self._product.tableau_before(t, single)
        states = pairs.of[before]
        if self._product.is_dead(single) and self._core.contains(states, state):
            return None, (before, state)
        found = self._core.step_back(states, state)
        assert found is not None, "a pair of a layer comes from the one before"
        return found[0], (before, tuple(found[1]))

    def _head(self, state: State, heads: Sequence[_core.StateSet]) -> Trace:
        """A path of so many steps as there are heads to a state of the last."""
        steps: Trace = []
        for states in reversed(heads[:-1]):
            found = self._core.step_back(states, state)
            if found is not None:  # else it is a deadlock that repeats
                steps.append((found[0], state))
                state = tuple(found[1])
        return [(None, state), *reversed(steps)]

    def _go(self, trace: Trace, hops: Sequence[Hop]) -> None:
        trace.extend((event, state) for event, (_, state) in hops if event is not None)

    # --- single pairs -----------------------------------------------------------------------------

    def _pick(self, pairs: Pairs) -> Pair:
        t, states = next(iter(pairs.of.items()))
        return t, tuple(self._core.pick(states, 1)[0])

    def _holds(self, pairs: Pairs, pair: Pair) -> bool:
        t, state = pair
        return t in pairs.of and self._core.contains(pairs.of[t], state)

    def _pairs(self, some: Sequence[Pair]) -> Pairs:
        found: dict[int, _core.StateSet] = {}
        for t, state in some:
            single = self._core.single(state)
            known = found.get(t)
            found[t] = single if known is None else self._core.union(known, single)
        return Pairs(found)


__all__ = ["TableauLasso"]
