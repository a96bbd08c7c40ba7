"""The truth of goals along runs is what it is in each marking by itself."""

from itertools import pairwise
from random import Random

from plait.structure.along import changes, truths
from plait.structure.linear import FALSE, TRUE, Atom, Goal, Junction, holds


def goal(random: Random, places: int, depth: int, known: list[Goal]) -> Goal:
    """A goal that shares parts with those made before."""
    if known and random.random() < 0.2:
        return random.choice(known)
    if depth == 0 or random.random() < 0.2:
        some = random.sample(range(places), random.randint(1, min(3, places)))
        made: Goal = Atom(
            tuple((p, random.choice((-2, -1, 1, 1, 2))) for p in some), random.randint(-2, 3)
        )
    else:
        parts = [goal(random, places, depth - 1, known) for _ in range(random.randint(0, 4))]
        made = Junction(random.random() < 0.5, tuple(parts))
    known.append(made)
    return made


def run(random: Random, places: int, steps: int) -> list[tuple[int, ...]]:
    """Markings of which each differs from the one before in a few places."""
    markings = [tuple(random.randint(0, 3) for _ in range(places))]
    for _ in range(steps):
        after = list(markings[-1])
        for place in random.sample(range(places), random.randint(0, 2)):
            after[place] = random.randint(0, 3)
        markings.append(tuple(after))
    return markings


def test_what_is_kept_up_is_what_holds() -> None:
    flips = 0
    for seed in range(200):
        random = Random(f"along {seed}")
        markings = run(random, 5, 30)
        asked = goal(random, 5, 4, [])
        found = list(truths(asked, markings, changes(markings)))
        assert found == [holds(asked, m) for m in markings]
        flips += sum(a != b for a, b in pairwise(found))
    assert flips > 100


def test_constants_and_runs_of_no_step() -> None:
    assert list(truths(TRUE, [(0,)], [])) == [True]
    assert list(truths(FALSE, [(0,), (1,)], [[0]])) == [False, False]


def test_a_part_that_occurs_twice_counts_twice() -> None:
    atom = Atom(((0, 1),), 1)
    both = Junction(True, (atom, atom))
    markings = [(0,), (1,), (0,)]
    assert list(truths(both, markings, changes(markings))) == [False, True, False]
