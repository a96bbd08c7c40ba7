"""What a place of a lumped net stands for: how many markings, and the greatest of them.

A place of the reduced net stands for some places of the original one. How its value is shared
among them is written as a tree of *parts*:

- a `Leaf` is a place of the original net, and has the value itself;
- a `Sum` has its value shared between two parts in every possible way;
- `Both` gives its value to one part, and another part the same value or its complement, up to a
  constant: `other = sign * value + constant`.

So E(v), the markings that a value stands for, is a product along the tree, and their number is a
table: sums are convolutions, `Both` multiplies entry by entry. A value that leaves some part below
zero stands for no marking at all: this is how capacities are said.

After B. Berthomieu, D. Le Botlan, S. Dal Zilio, *Counting Petri net markings from reduction
equations* (2020), where the equations are solved together; trees are those that tables can count.

Invariant: parts are numbered children first, and each is part of at most one other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Literal

from plait.records import dataclass

Table = list[int]
"""A number for each value from 0."""
MOST_ENTRIES = 4_000_000
"""Entries of all tables together: a place with two thousand million tokens is not counted so."""
FEW = 32
"""A table with so few entries that are not zero is multiplied entry by entry."""


class TooManyEntries(Exception):  # noqa: N818 - a way that leads nowhere, not a failure
    """The tables would be too large."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A place of the original net; its number is that of the part."""


@dataclass(frozen=True, slots=True)
class Sum:
    """Two parts that share the value."""

    left: int
    right: int


@dataclass(frozen=True, slots=True)
class Both:
    """A part with the value, and another one whose value follows from it."""

    main: int
    other: int
    sign: Literal[1, -1]
    constant: int


Part = Leaf | Sum | Both


class Parts:
    """All parts of one net."""

    def __init__(self, places: int) -> None:
        self.parts: list[Part] = [Leaf() for _ in range(places)]

    def add(self, part: Part) -> int:
        """The number of a new part."""
        self.parts.append(part)
        return len(self.parts) - 1

    def needs(self, roots: Mapping[int, int]) -> dict[int, int]:
        """The greatest value of each part below the roots, whose greatest values are given."""
        needs = dict(roots)
        for number in range(max(roots, default=-1), -1, -1):
            if number not in needs:
                continue
            most = needs[number]
            match self.parts[number]:
                case Sum(left, right):
                    needs[left] = needs[right] = most
                case Both(main, other, sign, constant):
                    needs[main] = most
                    needs[other] = max(0, constant + (most if sign > 0 else 0))
        return needs

    def fixed(self, roots: Mapping[int, int]) -> dict[int, int]:
        """The parts whose value follows from those of some roots alone, with their values."""
        fixed = dict(roots)
        for number in range(max(roots, default=-1), -1, -1):
            part = self.parts[number]
            if number in fixed and isinstance(part, Both):
                fixed[part.main] = fixed[number]
                fixed[part.other] = part.sign * fixed[number] + part.constant
        return fixed


class Tables:
    """How many markings the values of some parts stand for.

    `most` gives the greatest value of each part that stands by itself in the lumped net, `fixed`
    the value of those that keep one; the tables of these have an entry for that value only.
    """

    def __init__(
        self,
        parts: Parts,
        most: Mapping[int, int],
        fixed: Mapping[int, int],
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        self.parts = parts.parts
        self.roots = {**most, **fixed}
        self.needs = parts.needs(self.roots)
        if sum(self.needs.values()) > MOST_ENTRIES:
            raise TooManyEntries
        self._fixed = parts.fixed(fixed)
        self._tick = tick
        self._above = _above(self.parts, self.needs)
        self._known: dict[int, Table] = {}
        for number in sorted(self.needs):
            self._known[number] = self._made(number, self._known, (0, None))

    def __getitem__(self, part: int) -> Table:
        return self._known[part]

    def where(
        self, least: Mapping[int, int], below: Mapping[int, int] | None = None
    ) -> dict[int, Table]:
        """The tables that change when some leaves have at least so many tokens, and some fewer
        than so many; roots only."""
        below = below or {}
        touched: set[int] = set()
        for leaf in (*least, *below):
            number: int | None = leaf if leaf in self.needs else None
            while number is not None and number not in touched:
                touched.add(number)
                number = self._above.get(number)
        known = _Layered(self._known)
        for number in sorted(touched):
            within = least.get(number, 0), below.get(number)
            known.own[number] = self._made(number, known, within)
        return {number: known.own[number] for number in touched if number in self.roots}

    def _made(
        self,
        number: int,
        known: Mapping[int, Table] | _Layered,
        within: tuple[int, int | None],
    ) -> Table:
        self._tick()
        most, fixed = self.needs[number], self._fixed.get(number)
        match self.parts[number]:
            case Sum(left, right) if fixed is not None:
                pairs = zip(known[left], reversed(known[right][: fixed + 1]), strict=False)
                return [0] * fixed + [sum(a * b for a, b in pairs)]
            case Sum(left, right):
                return convolve(known[left], known[right], most)
            case Both(main, other, sign, constant):
                beside = known[other]
                return [
                    count * _at(beside, sign * value + constant)
                    for value, count in enumerate(known[main])
                ]
            case _:
                least, below = within
                end = most + 1 if below is None else below
                return [int(least <= value < end) for value in range(most + 1)]

    # --- the greatest values ------------------------------------------------------------------

    def greatest_leaves(self) -> dict[int, list[int | None]] | None:
        """For each value of a root the greatest value of a leaf below; None: nobody knows."""
        tops: dict[int, list[int | None]] = {}
        for number in sorted(self.needs):
            self._tick()
            counts = self._known[number]
            found: list[int | None]
            match self.parts[number]:
                case Sum(left, right):
                    ends = self._interval(left), self._interval(right)
                    if ends[0] is None or ends[1] is None:
                        return None
                    a = _best_share(tops[left], ends[0], ends[1], len(counts))
                    b = _best_share(tops[right], ends[1], ends[0], len(counts))
                    found = [_larger(x, y) for x, y in zip(a, b, strict=True)]
                case Both(main, other, sign, constant):
                    beside = tops[other]
                    found = [
                        _larger(top, _at_or_none(beside, sign * value + constant))
                        for value, top in enumerate(tops[main])
                    ]
                case _:
                    found = list(range(len(counts)))
            tops[number] = [top if n else None for top, n in zip(found, counts, strict=True)]
        return {number: tops[number] for number in self.roots}

    def greatest_sums(self, factors: Mapping[int, int]) -> dict[int, list[int | None]] | None:
        """For each value of a root the greatest sum of the parts below, each times its factor."""
        sums: dict[int, list[int | None]] = {}
        for number in sorted(self.needs):
            self._tick()
            counts, factor = self._known[number], factors.get(number, 0)
            found: list[int | None] | None
            match self.parts[number]:
                case Sum(left, right):
                    ends = self._interval(left), self._interval(right)
                    if ends[0] is None or ends[1] is None:
                        return None
                    found = _best_sum(sums[left], ends[0], sums[right], ends[1], len(counts))
                    if found is None:
                        return None
                case Both(main, other, sign, constant):
                    beside = sums[other]
                    found = [
                        _added(x, _at_or_none(beside, sign * value + constant))
                        for value, x in enumerate(sums[main])
                    ]
                case _:
                    found = [0] * len(counts)
            sums[number] = [
                x + factor * value if n and x is not None else None
                for value, (x, n) in enumerate(zip(found, counts, strict=True))
            ]
        return {number: sums[number] for number in self.roots}

    def _interval(self, number: int) -> tuple[int, int] | None:
        """The values that stand for something, if they have no gap; (0, -1) if there are none."""
        counts = self._known[number]
        some = [value for value, n in enumerate(counts) if n]
        if not some:
            return 0, -1
        low, high = some[0], some[-1]
        return (low, high) if len(some) == high - low + 1 else None


class _Layered:
    """Tables before those that others hold."""

    def __init__(self, below: Mapping[int, Table]) -> None:
        self.own: dict[int, Table] = {}
        self._below = below

    def __getitem__(self, number: int) -> Table:
        own = self.own.get(number)
        return self._below[number] if own is None else own


def _above(parts: Sequence[Part], numbers: Iterable[int]) -> dict[int, int]:
    """The part that each one is part of."""
    above: dict[int, int] = {}
    for number in numbers:
        match parts[number]:
            case Sum(left, right):
                above[left] = above[right] = number
            case Both(main, other):
                above[main] = above[other] = number
    return above


def _at(table: Table, value: int) -> int:
    return table[value] if 0 <= value < len(table) else 0


def _at_or_none(table: Sequence[int | None], value: int) -> int | None:
    return table[value] if 0 <= value < len(table) else None


def _larger(a: int | None, b: int | None) -> int | None:
    return a if b is None else b if a is None else max(a, b)


def _added(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


# --- sums of all pairs ----------------------------------------------------------------------------


def convolve(a: Table, b: Table, most: int) -> Table:
    """The sums of `a[x] * b[v - x]` for each v up to `most`."""
    a, b = a[: most + 1], b[: most + 1]
    for one, other in ((a, b), (b, a)):
        some = [(x, count) for x, count in enumerate(other) if count]
        if len(some) <= FEW:
            found = [0] * (most + 1)
            for x, count in some:
                for y, n in enumerate(one[: most + 1 - x], x):
                    found[y] += count * n
            return found
        least = _least_of_step(other, most)
        if least is not None and len(one) == most + 1:
            return [0] * least + _running_sums(one[: most + 1 - least])
    # As numbers in a large base, the product of two tables is one multiplication (Kronecker).
    bits = max(a).bit_length() + max(b).bit_length() + min(len(a), len(b)).bit_length()
    width = bits // 8 + 1
    product = (_packed(a, width) * _packed(b, width)).to_bytes((len(a) + len(b)) * width, "little")
    found = [
        int.from_bytes(product[at : at + width], "little")
        for at in range(0, (len(a) + len(b) - 1) * width, width)
    ]
    return (found + [0] * (most + 1))[: most + 1]


def _least_of_step(table: Table, most: int) -> int | None:
    """The value from which on a table has ones, zeros below; None for any other table."""
    least = table.index(1) if 1 in table else len(table)
    step = not any(table[:least]) and table[least:] == [1] * (len(table) - least)
    return least if step and len(table) == most + 1 else None


def _running_sums(table: Table) -> Table:
    sums, total = [], 0
    for n in table:
        total += n
        sums.append(total)
    return sums


def _packed(table: Table, width: int) -> int:
    return int.from_bytes(b"".join(n.to_bytes(width, "little") for n in table), "little")


# --- the best of all pairs ------------------------------------------------------------------------


def _best_share(
    tops: Sequence[int | None], own: tuple[int, int], other: tuple[int, int], length: int
) -> list[int | None]:
    """For each value the greatest of `tops` over what this part may have of it.

    Both ends of what it may have grow with the value, so a queue of falling entries tells.
    """
    best: list[int | None] = []
    falling: deque[int] = deque()
    following = own[0]
    for value in range(length):
        first, last = max(own[0], value - other[1]), min(own[1], value - other[0])
        while following <= last:
            top = tops[following]
            while falling and (tops[falling[-1]] or 0) <= (top or 0):
                falling.pop()
            falling.append(following)
            following += 1
        while falling and falling[0] < first:
            falling.popleft()
        best.append(tops[falling[0]] if falling and first <= last else None)
    return best


def _best_sum(
    a: Sequence[int | None],
    a_ends: tuple[int, int],
    b: Sequence[int | None],
    b_ends: tuple[int, int],
    length: int,
) -> list[int | None] | None:
    """For each value v the greatest `a[x] + b[v - x]`, where gains fall; None where they do not.

    The best share of concave functions takes the largest gains first, whosever they are.
    """
    best: list[int | None] = [None] * length
    if a_ends[1] < a_ends[0] or b_ends[1] < b_ends[0]:
        return best
    gains = []
    for table, (low, high) in ((a, a_ends), (b, b_ends)):
        values = [x for x in table[low : high + 1] if x is not None]
        steps = [y - x for x, y in pairwise(values)]
        if any(x < y for x, y in pairwise(steps)):
            return None
        gains.extend(steps)
    gains.sort(reverse=True)
    first = a_ends[0] + b_ends[0]
    at = (a[a_ends[0]] or 0) + (b[b_ends[0]] or 0)
    for value in range(first, length):
        best[value] = at
        if value - first == len(gains):
            break
        at += gains[value - first]
    return best


__all__ = ["Both", "Leaf", "Part", "Parts", "Sum", "Table", "Tables", "TooManyEntries", "convolve"]
