"""Permutations of the cells of a state, and what they make of states.

A permutation `g` puts the value of one cell into another: `(g.s)_i = s_{g^-1(i)}`. Cells that hold
*references*, numbers of what is permuted, get the number that their object has afterwards: both the
objects and the references to them move.

States are compared cell by cell, and the canonical one of an orbit is the least. With a set `H` of
permutations, `canonical` applies whichever makes the state less until none does:

- for all permutations of n things, exchanges of neighbours are enough, if the cells of each thing
  are in the same order: that is sorting;
- for rotations all of them are needed; the result is the least rotation;
- in general some orbits keep several states that no element of `H` makes less. That is a correct
  reduction, only larger. `H` is *monotonic* when that cannot happen: whenever some product of its
  elements makes a state less, one of them does.

Invariant: `canonical` ends, since each step makes the state less within a finite orbit, and stays
in the orbit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product

from plait.errors import LimitReached
from plait.model.shape import State
from plait.records import dataclass, field

MOST_ELEMENTS = 50_000
"""Larger groups are not listed."""


@dataclass(frozen=True, slots=True)
class Permutation:
    """Where the value of each cell comes from, and what becomes of references in it."""

    source: tuple[int, ...]
    renumber: Mapping[int, Mapping[int, int]] = field(default_factory=dict)
    """For each cell that holds references: the new number of each that has one."""

    @classmethod
    def identity(cls, width: int) -> Permutation:
        """The permutation that moves nothing."""
        return cls(tuple(range(width)))

    @property
    def target(self) -> tuple[int, ...]:
        """Where the value of each cell goes."""
        found = [0] * len(self.source)
        for cell, source in enumerate(self.source):
            found[source] = cell
        return tuple(found)

    @property
    def moved(self) -> tuple[int, ...]:
        """The cells whose values may change, in order."""
        return tuple(i for i, s in enumerate(self.source) if s != i or self.renumber.get(i))

    def apply(self, state: Sequence[int]) -> State:
        """The state after it."""
        found = [state[s] for s in self.source]
        for cell, numbers in self.renumber.items():
            found[cell] = numbers.get(found[cell], found[cell])
        return tuple(found)

    def after(self, first: Permutation) -> Permutation:
        """What `first` does and then this one."""
        source = tuple(first.source[s] for s in self.source)
        renumber: dict[int, dict[int, int]] = {}
        for cell, middle in enumerate(self.source):
            then, mine = first.renumber.get(middle, {}), self.renumber.get(cell, {})
            both = {v: mine.get(w, w) for v, w in then.items()}
            both |= {v: w for v, w in mine.items() if v not in then}
            both = {v: w for v, w in both.items() if v != w}
            if both:
                renumber[cell] = both
        return Permutation(source, renumber)

    def inverse(self) -> Permutation:
        """What takes it back."""
        target = self.target
        renumber = {
            self.source[cell]: {w: v for v, w in numbers.items()}
            for cell, numbers in self.renumber.items()
        }
        return Permutation(target, renumber)

    def key(self) -> object:
        """Equal for equal permutations."""
        numbers = ((c, tuple(sorted(m.items()))) for c, m in self.renumber.items())
        return self.source, tuple(sorted(n for n in numbers if n[1]))


def canonical(elements: Sequence[Permutation], state: Sequence[int]) -> State:
    """A state of the orbit that no element makes less."""
    return canonised(elements, state)[0]


def canonised(
    elements: Sequence[Permutation], state: Sequence[int]
) -> tuple[State, list[Permutation]]:
    """A state of the orbit that no element makes less, and what led there, the first one first."""
    found = tuple(state)
    applied: list[Permutation] = []
    reduced = True
    while reduced:
        reduced = False
        for g in elements:
            less = g.apply(found)
            if less < found:
                found, reduced = less, True
                applied.append(g)
    return found, applied


def orbit(
    elements: Sequence[Permutation], state: Sequence[int], tick: Callable[[], None] = lambda: None
) -> Iterator[State]:
    """All states that products of the elements make of one."""
    seen = {tuple(state)}
    stack = [tuple(state)]
    while stack:
        tick()
        here = stack.pop()
        yield here
        for g in elements:
            after = g.apply(here)
            if after not in seen:
                seen.add(after)
                stack.append(after)


def generated(elements: Sequence[Permutation]) -> list[Permutation]:
    """All products of the elements; `LimitReached` when they are too many to list."""
    if not elements:
        return []
    found = [Permutation.identity(len(elements[0].source))]
    seen = {found[0].key()}
    for g in found:
        for h in elements:
            both = h.after(g)
            if both.key() not in seen:
                seen.add(both.key())
                found.append(both)
                if len(found) > MOST_ELEMENTS:
                    raise LimitReached(f"the group has more than {MOST_ELEMENTS:,} elements")
    return found


def not_reduced(
    elements: Sequence[Permutation],
    values: Sequence[Iterable[int]],
    tick: Callable[[], None] = lambda: None,
) -> State | None:
    """A state that some product of the elements makes less, but no element.

    `values` are those of each cell; all combinations are tried, so this is for small states. None
    when there is no such state: the elements are monotonic on these values.
    """
    group = generated(elements)
    for state in product(*(tuple(v) for v in values)):
        tick()
        if any(h.apply(state) < state for h in elements):
            continue
        if any(g.apply(state) < state for g in group):
            return state
    return None


def is_monotonic(
    elements: Sequence[Permutation],
    values: Sequence[Iterable[int]],
    tick: Callable[[], None] = lambda: None,
) -> bool:
    """Whether canonical states are the least of their orbits, tried on states of these values."""
    return not_reduced(elements, values, tick) is None


def exchanges(width: int, blocks: Sequence[Sequence[int]]) -> list[Permutation]:
    """The exchanges of neighbouring blocks of cells: they generate all orders of the blocks."""
    found = []
    for one, other in pairwise(blocks):
        source = list(range(width))
        for a, b in zip(one, other, strict=True):
            source[a], source[b] = b, a
        found.append(Permutation(tuple(source)))
    return found


def rotations(width: int, blocks: Sequence[Sequence[int]]) -> list[Permutation]:
    """The rotations of a ring of blocks of cells, without the one that moves nothing."""
    found = []
    for by in range(1, len(blocks)):
        source = list(range(width))
        for place, block in enumerate(blocks):
            for cell, other in zip(block, blocks[(place + by) % len(blocks)], strict=True):
                source[cell] = other
        found.append(Permutation(tuple(source)))
    return found


__all__ = [
    "Permutation",
    "canonical",
    "canonised",
    "exchanges",
    "generated",
    "is_monotonic",
    "not_reduced",
    "orbit",
    "rotations",
]
