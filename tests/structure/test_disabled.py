"""Markings that enable nothing, as boxes: disjoint, and neither one too many nor one too few."""

from itertools import product
from random import Random

from plait.structure.disabled import Box, Needs, disabling

VALUES = range(4)


def inside(box: Box, marking: tuple[int, ...]) -> bool:
    least, below = box
    return all(marking[p] >= n for p, n in least.items()) and all(
        marking[p] < n for p, n in below.items()
    )


def enabled(needs: Needs, marking: tuple[int, ...]) -> bool:
    return all(marking[p] >= w for p, w in needs)


def test_each_deadlock_is_in_one_box_and_nothing_else_is() -> None:
    random = Random(7)
    for _ in range(120):
        places = random.randint(1, 4)
        events = [
            [(p, random.randint(1, 3)) for p in random.sample(range(places), k)]
            for k in (random.randint(1, places) for _ in range(random.randint(0, 5)))
        ]
        boxes = list(disabling(events))
        for marking in product(VALUES, repeat=places):
            dead = not any(enabled(needs, marking) for needs in events)
            assert sum(inside(box, marking) for box in boxes) == dead, (events, marking)


def test_an_event_that_needs_nothing_leaves_no_deadlock() -> None:
    assert list(disabling([[(0, 1)], []])) == []


def test_events_with_one_place_make_one_case() -> None:
    many = [[(p, 1)] for p in range(200)] + [[(p, 2), (p + 1, 1)] for p in range(199)]
    assert list(disabling(many)) == [({}, dict.fromkeys(range(200), 1))]
