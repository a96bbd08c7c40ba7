"""Random place/transition nets without inhibitor and reset arcs, and all their markings."""

from random import Random

from plait.model.net import Net, NetEvent, Place, Row
from plait.structure.linear import Atom, Goal, atom, junction

Marking = tuple[int, ...]


def ordinary_net(random: Random, places: int = 6, events: int = 7) -> Net:
    """A net whose events consume about as much as they produce; now and then one that grows."""
    count = random.randint(2, places)
    made = tuple(Place(f"p{i}", random.choice([0, 0, 1, 1, 2, 3])) for i in range(count))
    return Net("random", made, tuple(_event(random, i, count) for i in range(_few(random, events))))


def _few(random: Random, most: int) -> int:
    return random.randint(1, most)


def _event(random: Random, number: int, places: int) -> NetEvent:
    taken = [random.randrange(places) for _ in range(random.choice([0, 1, 1, 1, 2, 2, 3]))]
    more = random.choice([-1, -1, 0, 0, 0, 0, 0, 0, 1]) if taken else random.choice([0, 1])
    put = [random.randrange(places) for _ in range(max(0, len(taken) + more))]
    if random.random() < 0.2 and taken:
        put[:1] = taken[:1]  # a test
    return NetEvent(f"t{number}", _row(taken), _row(put))


def _row(places: list[int]) -> Row:
    return tuple(sorted((p, places.count(p)) for p in set(places)))


def markings(net: Net, limit: int = 400) -> list[Marking] | None:
    """The reachable markings; None when there are more than the limit."""
    found = {net.initial: None}
    queue = [net.initial]
    for marking in queue:
        for event in net.events:
            if event.enabled(marking):
                after = event.fire(marking)
                if after not in found:
                    if len(found) >= limit:
                        return None
                    found[after] = None
                    queue.append(after)
    return queue


def random_goal(random: Random, places: int, depth: int = 2) -> Goal:
    """A small tree of inequalities."""
    if depth and random.random() < 0.6:
        parts = [random_goal(random, places, depth - 1) for _ in range(random.randint(1, 3))]
        return junction(random.random() < 0.5, parts)
    chosen = random.sample(range(places), min(places, random.randint(1, 3)))
    return atom({p: random.choice([-2, -1, 1, 1, 2]) for p in chosen}, random.randint(-3, 4))


def satisfies(goal: Goal, marking: Marking) -> bool:
    """Whether a marking satisfies a goal, by definition."""
    if isinstance(goal, Atom):
        return goal.holds(marking)
    verdicts = (satisfies(part, marking) for part in goal.parts)
    return all(verdicts) if goal.every else any(verdicts)
