"""Random nets of equal parts, each with places of its own, around some common places."""

from collections.abc import Iterator
from random import Random

from tests.structure.random_ordinary import markings

from plait.model.expr import Binary, Compare, Const, IntExpr, Var
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.shape import shape_of
from plait.passes import flat

LOCAL, COMMON = 2, 2
MOST = 120
"""More markings are not looked at."""


def subjects(name: str, count: int, *, ring: bool) -> Iterator[tuple[Random, int, Net]]:
    """So many random nets with parts that do something."""
    seed = 0
    while count:
        random = Random(f"{name} {ring} {seed}")
        seed += 1
        parts = random.randint(2, 4)
        net = symmetric_net(random, parts, ring=ring)
        if net is not None and any(
            cell.startswith("l") for cell in shape_of(flat(as_model(net)).model).cells()
        ):
            count -= 1
            yield random, parts, net


def symmetric_net(random: Random, parts: int, *, ring: bool) -> Net | None:
    """A net that looks the same from each part; None when it has too many markings.

    In a ring, a part may take tokens from its own places and put them to those of the next one.
    """
    marked = random.randrange(LOCAL)
    places = [Place(f"l{k}_{i}", int(k == marked)) for i in range(parts) for k in range(LOCAL)]
    places += [Place(f"common {'ab'[k]}", random.randint(0, 1)) for k in range(COMMON)]
    events: list[NetEvent] = []
    for number in range(random.randint(3, 5)):
        templates = [_side(random, ring) for _ in range(2)]
        for i in range(parts):
            takes, gives = (_arcs(t, i, parts) for t in templates)
            events.append(NetEvent(f"e{number}.{i}", takes, gives))
    random.shuffle(events)
    net = Net("symmetric", tuple(places), tuple(events))
    return None if markings(net, MOST) is None else net


def _side(random: Random, ring: bool) -> list[tuple[str, int, int]]:
    """What an event takes or gives: of a local place here or at the next part, of a common one."""
    found = [("here", random.randrange(LOCAL), 1)]
    if ring and random.random() < 0.5:
        found = [("next", random.randrange(LOCAL), 1)]
    if random.random() < 0.4:
        found.append(("common", random.randrange(COMMON), 1))
    return found


def _arcs(template: list[tuple[str, int, int]], i: int, parts: int) -> tuple[tuple[int, int], ...]:
    found = []
    for where, k, weight in template:
        part = (i + 1) % parts if where == "next" else i
        found.append((parts * LOCAL + k if where == "common" else part * LOCAL + k, weight))
    return tuple(found)


def condition(random: Random, net: Net, parts: int) -> Compare:
    """A condition that looks the same from each part."""
    total: IntExpr = Var(net.places[parts * LOCAL + random.randrange(COMMON)].name)
    if random.random() < 0.8:
        k = random.randrange(LOCAL)
        order = list(range(parts))
        random.shuffle(order)
        total = Var(f"l{k}_{order[0]}")
        for i in order[1:]:
            total = Binary("+", total, Var(f"l{k}_{i}"))
    return Compare(random.choice(["<=", ">=", "=="]), total, Const(random.randint(0, 3)))
