"""T8: whatever a certificate says, what its checker accepts holds of every marking there is.

Most certificates here are wrong: their numbers are drawn, or are those of a right one with a number
changed. So each condition of a checker is the only one in the way of something false now and then.
"""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from random_ordinary import Marking, markings, ordinary_net

from plait.model.net import Net, NetEvent
from plait.structure.certificate import (
    Adding,
    Bound,
    Ceiling,
    Refutation,
    check_bound,
    check_ceiling,
    check_refutation,
    is_marked_trap,
    never_increases,
    takes_away,
)
from plait.structure.linear import Atom

SEEDS = 1500


def with_special_arcs(random: Random, net: Net) -> Net:
    """Some events of the net inhibited, some with places that they empty."""

    def special(event: NetEvent) -> NetEvent:
        place = random.randrange(len(net.places))
        if random.random() < 0.5:
            return replace(event, inhibitor=((place, random.randint(1, 2)),))
        return replace(event, reset=(place,))

    return replace(net, events=[special(e) if random.random() < 0.4 else e for e in net.events])


def some_net(random: Random) -> Net:
    """A small net, one in three with special arcs."""
    net = ordinary_net(random, places=4, events=4)
    return with_special_arcs(random, net) if random.random() < 0.35 else net


def drawn(random: Random, net: Net, low: int) -> dict[int, int]:
    """Weights of some places, mostly alike."""
    usual = random.choice([1, 1, 2, 2, low or 1])
    values = [usual, usual, usual, 0, random.randint(low, 3)]
    return {p: w for p in range(len(net.places)) if (w := random.choice(values))}


def weighed(weights: dict[int, int], marking: Marking) -> int:
    return sum(w * marking[p] for p, w in weights.items())


def drawn_atom(random: Random, net: Net, low: int) -> Atom:
    weights = tuple(sorted(drawn(random, net, low).items()))
    return Atom(weights, random.randint(0, 4))


@pytest.mark.parametrize("block", range(3))
def test_an_accepted_certificate_says_nothing_false(block: int) -> None:
    seen: Counter[tuple[str, bool]] = Counter()

    def told(what: str, accepted: bool, true: bool) -> None:
        seen[what, accepted] += 1
        assert true or not accepted, (what, seed)

    for seed in range(block * SEEDS, (block + 1) * SEEDS):
        random = Random(seed)
        net = some_net(random)
        reachable = markings(net, 150)
        if reachable is None:
            continue
        adding = Adding(net) if net.ordinary and random.random() < 0.5 else None
        for low in (0, -1):
            weights, asked = drawn(random, net, low), drawn(random, net, low)
            most = max(weighed(asked, m) for m in reachable)
            bound = Bound(weights, random.choice([1, 1, 2, 0, -1]), most - random.choice([0, 0, 1]))
            told("bound", check_bound(net, asked, bound, adding), most <= bound.value)

            atoms = [drawn_atom(random, net, low) for _ in range(random.randint(1, 2))]
            factors = [(a, random.choice([1, 1, 2, -1])) for a in atoms]
            needed = {p: random.choice([0, 0, 0, 0, 1, -1]) for p in range(len(net.places))}
            for a, f in factors:
                for p, c in a.coefficients:
                    needed[p] += f * c
            needed = {p: w for p, w in needed.items() if w}
            given = atoms if random.random() < 0.9 else atoms[1:]
            apart = not any(all(a.holds(m) for a in given) for m in reachable)
            told("refutation", check_refutation(net, given, Refutation(needed, factors)), apart)

            inside = random.sample(range(len(net.places)), random.randint(1, len(net.places)))
            trap = Atom(tuple((p, 1) for p in sorted(inside)), 1)
            if random.random() < 0.2:
                trap = replace(trap, bound=random.choice([0, 2]))
            least = min(weighed(dict(trap.coefficients), m) for m in reachable)
            told("trap", is_marked_trap(net, inside), least >= 1)
            most = max(weighed(weights, m) for m in reachable)
            traps = [(trap, random.choice([0, 1, 1, 1, -1]))]
            low_value = most - random.choice([0, 0, 1])
            ceiling = Ceiling(weights, random.choice([traps, traps, []]), low_value)
            told("ceiling", check_ceiling(net, ceiling), most <= ceiling.value)
    for what in ("bound", "refutation", "trap", "ceiling"):
        assert min(seen[what, True], seen[what, False]) >= 25, seen


def test_sums_that_never_grow_or_always_shrink_do_so_in_every_step() -> None:
    """Of every step from any marking, since events that are never executed count as well."""
    seen: Counter[tuple[str, bool]] = Counter()
    for seed in range(2 * SEEDS):
        random = Random(seed)
        net = some_net(random)
        numbers = random.sample(range(len(net.events)), random.randint(1, len(net.events)))
        for low in (0, -2):
            weights = drawn(random, net, low)
            adding = Adding(net) if net.ordinary and random.random() < 0.5 else None
            kept = never_increases(net, weights, adding)
            signed = random.random() < 0.5
            fewer = takes_away(net, weights, numbers, signed=signed)
            seen["kept", kept] += 1
            seen["fewer", fewer] += 1
            assert not fewer or signed or min(weights.values(), default=0) >= 0
            for number, event in enumerate(net.events):
                for _ in range(10):
                    marking = tuple(random.randint(0, 4) for _ in net.places)
                    if not event.enabled(marking):
                        continue
                    gain = weighed(weights, event.fire(marking)) - weighed(weights, marking)
                    assert gain <= 0 or not kept, (seed, event)
                    assert gain < 0 or not fewer or number not in numbers, (seed, event)
    for what in ("kept", "fewer"):
        assert min(seen[what, True], seen[what, False]) >= 25, seen
