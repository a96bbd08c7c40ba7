"""Which permutations of the cells to try: those of the numbers in their names.

Instances of a set, elements of arrays, places of a net that stand for colours: parts that are alike
have names that differ in a number only. Cells whose names are the same but for one number are a
*family*, and families with the same numbers belong together: first those whose names begin alike,
up to the number (`p[0]:idle`, `p[0]:busy`); then all of them (`think_1`, `eat_1`, `fork_1`).

For each such choice two permutations are tried (`digest`): the rotation by one, and the exchange of
the first two numbers. Together they generate all permutations: a *scalar* set. Where only the
rotation is a symmetry it is a *circular* one.

A symmetry may have to renumber references: cells that hold numbers of the parts. Those are tried
that are compared with, or assigned, each of the numbers, and are used in no other way than
references are; or those that the caller names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from math import factorial, prod

from plait.hints import Literal
from plait.model.expr import Compare, Const, Var
from plait.model.node import Node, nodes
from plait.model.rewritten import flat_type
from plait.model.shape import shape_of
from plait.model.stmt import Assign, If, Settle
from plait.model.types import Model
from plait.passes.walk import statements
from plait.records import dataclass, replace
from plait.symmetry.digest import SymmetryTest
from plait.symmetry.group import Permutation, orbit

Kind = Literal["scalar", "circular"]
NUMBER = re.compile(r"(?<!\d)\d{1,9}(?!\d)")
"""Numbers of parts; longer ones are something else."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Parts that have numbers: the families of cells that belong to them."""

    title: str
    numbers: tuple[int, ...]
    families: tuple[tuple[int, ...], ...]
    """For each family its cells, in the order of the numbers."""
    references: tuple[int, ...] = ()
    """Cells that hold numbers of the parts."""

    def permutation(self, width: int, places: Sequence[int]) -> Permutation:
        """The permutation that puts the part at `places[i]` to the place `i`."""
        source = list(range(width))
        for family in self.families:
            for i, place in enumerate(places):
                source[family[i]] = family[place]
        renumbered = {
            self.numbers[place]: self.numbers[i] for i, place in enumerate(places) if i != place
        }
        return Permutation(tuple(source), dict.fromkeys(self.references, renumbered))

    def rotations(self, width: int) -> list[Permutation]:
        """All rotations but the one that moves nothing."""
        n = len(self.numbers)
        return [self.permutation(width, [(i + by) % n for i in range(n)]) for by in range(1, n)]

    def exchange(self, width: int, one: int, other: int) -> Permutation:
        """The exchange of two parts."""
        places = list(range(len(self.numbers)))
        places[one], places[other] = other, one
        return self.permutation(width, places)

    def exchanges(self, width: int) -> list[Permutation]:
        """The exchanges of neighbours, in the order in which the cells of the parts begin.

        States are compared cell by cell, so in that order they sort.
        """
        return [self.exchange(width, one, other) for one, other in pairwise(self.order)]

    @property
    def order(self) -> list[int]:
        """The parts in the order in which their cells begin."""
        return sorted(range(len(self.numbers)), key=lambda i: min(f[i] for f in self.families))

    @property
    def is_aligned(self) -> bool:
        """Whether all parts have their cells in one order, and all families theirs in that of the
        parts: then exchanges of neighbours compare by the same cells, and sort."""
        ranked = {
            tuple(sorted(range(len(self.families)), key=lambda f: self.families[f][i]))
            for i in range(len(self.numbers))
        }
        ordered = all(
            f[one] < f[other] for f in self.families for one, other in pairwise(self.order)
        )
        return len(ranked) == 1 and ordered


@dataclass(frozen=True, slots=True)
class Symmetry:
    """Parts whose numbers do not matter, or only up to rotation."""

    kind: Kind
    parts: Candidate
    elements: tuple[Permutation, ...]
    """Exchanges of neighbours, or all rotations."""

    @property
    def generators(self) -> tuple[Permutation, ...]:
        """Few elements of which all others are products."""
        width = len(self.elements[0].source)
        around = self.parts.rotations(width)[0]
        return (self.parts.exchange(width, 0, 1), around) if self.kind == "scalar" else (around,)

    @property
    def is_monotonic(self) -> bool:
        """Whether an orbit has one canonical state only; known of parts without references."""
        return self.kind == "circular" or self.parts.is_aligned

    def size(self, state: Sequence[int]) -> int:
        """How many states the symmetry makes of one; only for parts without references."""
        values = self._values(state)
        if self.kind == "scalar":
            found = factorial(self.count)
            for times in Counter(values).values():
                found //= factorial(times)
            return found
        steps = (by for by in range(1, self.count) if values[by:] + values[:by] == values)
        return next(steps, self.count)

    def least(self, state: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """What the parts hold, the same for all states of an orbit."""
        values = self._values(state)
        if self.kind == "scalar":
            return tuple(sorted(values))
        return min(tuple(values[by:] + values[:by]) for by in range(self.count))

    def _values(self, state: Sequence[int]) -> list[tuple[int, ...]]:
        """What each part holds."""
        return [tuple(state[f[i]] for f in self.parts.families) for i in range(self.count)]

    @property
    def count(self) -> int:
        """How many parts there are."""
        return len(self.parts.numbers)

    @property
    def title(self) -> str:
        """How messages call it."""
        held = " and what refers to them" if self.parts.references else ""
        return f"{self.parts.title}{held}: {self.kind} set of {self.count}"


@dataclass(frozen=True, slots=True)
class Found:
    """The symmetries of a model, and why other permutations that were tried are none."""

    symmetries: tuple[Symmetry, ...]
    failures: tuple[str, ...]


def elements_of(symmetries: Iterable[Symmetry]) -> list[Permutation]:
    """The elements of all of them."""
    return [g for s in symmetries for g in s.elements]


def counted(
    symmetries: Sequence[Symmetry],
    states: Iterable[Sequence[int]],
    tick: Callable[[], None] = lambda: None,
) -> tuple[int, int]:
    """How many orbits some canonical states belong to, and how many states those have together.

    They are counted by a formula where each symmetry moves cells of its own, else they are looked
    at state by state. An orbit may have several canonical states.
    """
    moved = [c for s in symmetries for f in s.parts.families for c in f]
    if len(set(moved)) == len(moved) and not any(s.parts.references for s in symmetries):
        if all(s.is_monotonic for s in symmetries):
            sizes = [prod(s.size(state) for s in symmetries) for state in states]
            return len(sizes), sum(sizes)
        kept = sorted(set(range(len(symmetries[0].elements[0].source))) - set(moved))
        known: dict[object, int] = {}
        for state in states:
            orbit_of = tuple(state[c] for c in kept), *(s.least(state) for s in symmetries)
            known[orbit_of] = prod(s.size(state) for s in symmetries)
        return len(known), sum(known.values())
    least: dict[tuple[int, ...], int] = {}
    for state in states:
        whole = list(orbit(elements_of(symmetries), state, tick))
        least[min(whole)] = len(whole)
    return len(least), sum(least.values())


def symmetries(flat: Model, references: Iterable[str] = (), only: Kind | None = None) -> Found:
    """The symmetries of a flat model that the names of its cells suggest.

    `references` are names of cells that hold numbers of parts; `only` keeps those of one kind.
    """
    search = _Search(flat, frozenset(references), only)
    found: list[Symmetry] = []
    failures: list[str] = []
    taken: set[tuple[int, ...]] = set()
    for candidate in _candidates(list(shape_of(flat).cells())):
        if any(family in taken for family in candidate.families):
            continue
        symmetry, why = search.tried(candidate)
        if symmetry is None:
            failures.append(f"{candidate.title}: {why}")
        else:
            found.append(symmetry)
            taken.update(candidate.families)
    return Found(tuple(found), tuple(failures))


def _candidates(names: Sequence[str]) -> Iterator[Candidate]:
    """The choices of families, those whose names begin alike first."""
    families: dict[tuple[str, str], dict[int, int]] = {}
    for cell, name in enumerate(names):
        for match in NUMBER.finditer(name):
            key = name[: match.start()], name[match.end() :]
            families.setdefault(key, {})[int(match[0])] = cell
    by_prefix: dict[tuple[str, tuple[int, ...]], list[tuple[int, ...]]] = {}
    by_place: dict[tuple[int, tuple[int, ...]], list[tuple[int, ...]]] = {}
    by_numbers: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for (prefix, suffix), cells in families.items():
        numbers = tuple(sorted(cells))
        if len(numbers) > 1:
            family = tuple(cells[n] for n in numbers)
            by_prefix.setdefault((prefix, numbers), []).append(family)
            by_place.setdefault((len(NUMBER.findall(suffix)), numbers), []).append(family)
            by_numbers.setdefault(numbers, []).append(family)
    for (prefix, numbers), chosen in by_prefix.items():
        yield Candidate(prefix.rstrip("[_.:(") or "parts", numbers, tuple(chosen))
    # How many numbers follow tells which of several in a name is meant.
    together = [(numbers, chosen) for (_, numbers), chosen in by_place.items()]
    for numbers, chosen in (*together, *by_numbers.items()):
        cells_of = [c for family in chosen for c in family]
        if len(set(cells_of)) == len(cells_of):
            title = f"all with the numbers {numbers[0]} to {numbers[-1]}"
            yield Candidate(title, numbers, tuple(chosen))


class _Search:
    """Tries candidates on one model."""

    def __init__(self, flat: Model, references: frozenset[str], only: Kind | None) -> None:
        self._flat = flat
        self._shape = shape_of(flat)
        self._only = only
        self._test = SymmetryTest(flat)
        self._named = [
            cell
            for cell, name in enumerate(self._shape.cells())
            if name.partition("[")[0] in references
        ]

    def tried(self, candidate: Candidate) -> tuple[Symmetry | None, str]:
        """A symmetry of the candidate, without references or with them; or why there is none."""
        choices = [candidate]
        held = tuple(self._named or self._held(candidate))
        if held:
            choices.append(replace(candidate, references=held))
        reason = ""
        for choice in choices:
            symmetry, why = self._kind(choice)
            if symmetry is not None:
                return symmetry, ""
            reason = reason or why
        return None, reason

    def _kind(self, choice: Candidate) -> tuple[Symmetry | None, str]:
        """A scalar set, else a circular one, as far as they are looked for."""
        width = self._shape.width
        rotations = choice.rotations(width)
        why = self._test.why_none(rotations[0])
        if why is not None:
            return None, why
        if self._only != "circular":
            why = self._test.why_none(choice.exchange(width, 0, 1))
            if why is None:
                return Symmetry("scalar", choice, tuple(choice.exchanges(width))), ""
            if self._only == "scalar":
                return None, why
        return Symmetry("circular", choice, tuple(rotations)), ""

    def _held(self, candidate: Candidate) -> list[int]:
        """Cells that may hold numbers of the parts: all of a family, if one has each of them."""
        wanted, usage = set(candidate.numbers), self._usage
        stems = {stem for stem, values in usage.values.items() if wanted <= values} - usage.other
        return [
            cell
            for name, slot in self._shape.variables.items()
            if _stem(name) in stems
            for cell in slot.cells
        ]

    @cached_property
    def _usage(self) -> _Usage:
        usage = _Usage()
        for event in flat_type(self._flat).events:
            for guard in event.guard:
                usage.read(guard)
            for statement in statements(event.body):
                match statement:
                    case Assign():
                        usage.assigned(statement)
                    case If(condition=condition) | Settle(condition=condition):
                        usage.read(condition)
        return usage


class _Usage:
    """How variables are used, those together whose names differ in numbers only."""

    def __init__(self) -> None:
        self.values: dict[str, set[int]] = {}
        """The constants that they are compared for equality with, or assigned."""
        self.other: set[str] = set()
        """Those that are used as no reference is."""

    def assigned(self, statement: Assign) -> None:
        """An assignment, and what it reads."""
        self._pair(statement.target, statement.value)
        self.read(statement.value)
        self.read(statement.target)

    def read(self, root: Node) -> None:
        """All variables in an expression."""
        for node in nodes(root):
            if isinstance(node, Compare) and node.op in ("==", "!="):
                self._pair(node.left, node.right)
                self._pair(node.right, node.left)
            elif not isinstance(node, Var):
                self.other.update(_stem(c.name) for c in node.children() if isinstance(c, Var))

    def _pair(self, variable: Node, value: Node) -> None:
        if not isinstance(variable, Var):
            return
        if isinstance(value, Const):
            self.values.setdefault(_stem(variable.name), set()).add(value.value)
        elif not isinstance(value, Var):
            self.other.add(_stem(variable.name))


def _stem(name: str) -> str:
    return NUMBER.sub("#", name)


__all__ = ["Candidate", "Found", "Kind", "Symmetry", "counted", "elements_of", "symmetries"]
