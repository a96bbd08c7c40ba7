"""Which variable orders and strategies are tried, and for how long each.

A ranking of orders is a guess, and a bad order costs any factor. So the first few get a moment
each, then a while each, before the best is trusted with all that is left: most models are done by
then, and a wrong guess costs little. If that one fills the memory, the others follow.

Saturation is the faster strategy where closed sets are regular, by a factor of some three, and
saturation in rounds where they are not, by any factor. So the first order has short turns of both,
and what takes longer is left to rounds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import zip_longest

from plait.engines.budget import Budget
from plait.engines.prepared import Prepared
from plait.engines.symbolic.orders import Merge, Order, Orders
from plait.engines.symbolic.tuning import AUTO, PARTIAL, Strategy, Tuning
from plait.errors import error
from plait.hints import TypeVar
from plait.model.rewritten import Rewritten
from plait.model.types import Model
from plait.records import replace

MOMENTS = (0.5, 3.0)
"""Seconds of the processor that an order may take before the next one is tried, in the first round
and the next."""
BRIEF_MOMENT = 0.1
"""Seconds of the processor for whoever has only a moment."""
T = TypeVar("T")
Turns = tuple[tuple[Strategy, float], ...]
TURNS: Turns = (("saturation", 0.15), ("rounds", 0.3), ("saturation", 1.0))
"""What the first order is tried with, and for how many seconds of the processor."""
BRIEF_TURNS: Turns = (("saturation", 0.05), ("rounds", 0.15), ("saturation", 0.5))
"""The same for whoever has only a moment."""
QUICK_RANKING = 0.05
"""Seconds of a quick ranking; an order that took longer to find is tried for longer."""
FIRST_PART = 3
"""The part of the time that is left which the first order may have."""
LEAST_MOMENT = 0.05
"""What is left of a moment below which it is over."""
CANDIDATES = 2
"""Orders to try, with cells that share levels and again with a level for each cell."""
DOWN = " down"
"""How the names of orders that were turned upside down end."""
SEPARATED = 3.0
"""An order that leaves few levels waiting is tried if it may need e^3 times fewer nodes."""


def attempts(
    prepared: Prepared,
    tuning: Tuning,
    budget: Budget,
    look: Callable[[], None] | None = None,
    *,
    brief: float = 0,
) -> Iterator[tuple[Order, Strategy, Budget]]:
    """Orders and strategies to try, each with what it may use; in the end each order with all that
    is left, for whoever has still time for another.

    `look` is called when a moment for each order was not enough, and may raise what it will. With
    `brief` there is one order, which has so many moments.
    """
    usual: Strategy = "saturation" if tuning.strategy in (AUTO, PARTIAL) else tuning.strategy
    turns: Turns = ((usual, MOMENTS[0]),)
    brief_turns: Turns = ((usual, BRIEF_MOMENT),)
    last = usual
    if tuning.strategy == AUTO:
        turns, brief_turns, last = TURNS, BRIEF_TURNS, "rounds"
    if tuning.order != "auto":
        order = order_asked_for(tuning, prepared.model, prepared.rewritten)
        for strategy, share in in_turn(tuning, budget):
            yield order, strategy, share
        return
    orders = Orders(prepared.rewritten.model, prepared.rewritten.net)
    tried: list[Order] = []
    began = time.process_time()
    for order in candidates(orders, tuning.merge, budget):
        if brief:
            for strategy, seconds in brief_turns:
                yield order, strategy, moment(brief * seconds, budget, 1)
            return
        if not tried:
            # To rank the others takes many times as long: that long the first is worth a try.
            patience = max(1.0, (time.process_time() - began) / QUICK_RANKING)
            for strategy, seconds in turns:
                share = moment(seconds * patience, budget, FIRST_PART)
                yield order, strategy, share
        else:
            yield order, last, moment(MOMENTS[0], budget)
        tried.append(order)
    if look is not None:
        look()
    for seconds in MOMENTS[1:]:
        for order in tried:
            yield order, last, moment(seconds, budget)
        if last != usual:
            yield tried[0], usual, moment(seconds, budget)
    for order in tried:
        yield order, last, budget


def in_turn(tuning: Tuning, budget: Budget) -> Iterator[tuple[Strategy, Budget]]:
    """The strategies to try where there is only one order, each with what it may use."""
    if tuning.strategy == AUTO:
        for strategy, seconds in TURNS:
            yield strategy, moment(seconds, budget, FIRST_PART)
        yield "rounds", budget
    else:
        yield "saturation" if tuning.strategy == PARTIAL else tuning.strategy, budget


def explored(explore: Callable[[Budget], T], share: Budget, budget: Budget) -> T:
    """What `explore` gives with this share of a budget; it gives "timeout" when that is used up.

    A moment is one of the processor: on a busy machine the clock runs ahead of it, and `explore`
    is called again for what is left.
    """
    while True:
        used = time.process_time()
        found = explore(share)
        if found != "timeout" or share is budget:
            return found
        left = (share.timeout or 0) - (time.process_time() - used)
        if left < LEAST_MOMENT or budget.remaining() == 0:
            return found
        share = moment(left, budget)


def candidates(orders: Orders, merge: Merge, budget: Budget) -> Iterator[Order]:
    """The orders to try, the best ranked first; the others are ranked when they are asked for.

    Each ranking may take the part of the time that is left which the first order may have, too.

    After the first comes its mirror image: it has the same score, and nothing tells which of the
    two is better, but often one of them is by half.

    Cells that share a level help nets only; and what a program with computed indices touches is
    partly a guess, so there the order of the declarations may be the better one.
    """
    merges: tuple[Merge, ...] = ("auto", "none") if merge == "auto" else (merge,)
    if not orders.is_net:
        merges = ("none",)

    def part() -> float | None:
        return budget.share(FIRST_PART).remaining()

    (first,) = orders.ranked(merges[0], 1, quick=True, timeout=part())
    yield first
    seen = {first.levels}
    mirrored = mirror_image(first)
    if mirrored.levels not in seen:
        seen.add(mirrored.levels)
        yield mirrored
    for order in orders.separated(merges[0], part()):
        if order.costs["separation"] < -SEPARATED and order.levels not in seen:
            seen.add(order.levels)
            yield order
    rankings = (orders.ranked(m, CANDIDATES, timeout=part()) for m in merges)
    by_rank = [order for same_rank in zip_longest(*rankings) for order in same_rank]
    if not orders.is_net:
        by_rank.append(Order("declared", orders.levels("none"), {}))
    for order in by_rank:
        if order is not None and order.levels not in seen:
            seen.add(order.levels)
            yield order


def mirror_image(order: Order) -> Order:
    """The order upside down, with the name by which the ranking knows it."""
    up = order.name.removesuffix(DOWN)
    name = up + DOWN if up == order.name else up
    return Order(name, order.levels[::-1], {})


def order_asked_for(tuning: Tuning, model: Model, rewritten: Rewritten) -> Order:
    """The order of a tuning that names one or a file with one; `rewritten` is the flat model."""
    if not isinstance(tuning.order, str):
        from plait.engines.symbolic.order_file import order_of

        return order_of(tuning.order, rewritten.model)
    if tuning.order.startswith("file:"):
        from plait.engines.symbolic.order_file import read_order

        return read_order(tuning.order.removeprefix("file:"), model, rewritten.model)
    return named_order(Orders(rewritten.model, rewritten.net), tuning.order, tuning.merge)


def named_order(orders: Orders, name: str, merge: Merge) -> Order:
    """The order of that name."""
    ranked = [*orders.ranked(merge), *orders.separated(merge)]
    for order in ranked:
        if name == order.name or name in order.also:
            return replace(order, name=name)
    known = ", ".join(sorted({n for order in ranked for n in (order.name, *order.also)}))
    raise error(f"no variable order named '{name}' for this model", hint=f"orders: {known}")


def moment(seconds: float, budget: Budget, part: int = 16) -> Budget:
    """So much time, but only a part of what is left."""
    return Budget(budget.moment(seconds, 1 / part), budget.memory, budget.states)


__all__ = [
    "attempts",
    "candidates",
    "explored",
    "in_turn",
    "mirror_image",
    "moment",
    "named_order",
    "order_asked_for",
]
