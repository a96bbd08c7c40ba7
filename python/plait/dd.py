"""Decision diagrams as a library: sets of sequences, and homomorphisms that map them.

A *sequence* gives a value to each of some variables. Variables are numbered; along a sequence the
numbers decrease, so the greatest is on top. A value is an integer, or an element of another set:
then the variable is *set-labelled*, and a diagram is a hierarchy of diagrams. Equal sets are one
object, whatever they were made from (DDD and SDD of Couvreur and Thierry-Mieg).

    >>> dd = Diagrams()
    >>> start = dd.point({2: 0, 1: 5})              # x (variable 2) is 0, y (variable 1) is 5
    >>> step = dd.increment(2, 1) @ dd.compare(2, "<", 3)
    >>> reached = (step | dd.identity).closure()(start)
    >>> len(reached)
    4
    >>> sorted(reached)
    [(0, 5), (1, 5), (2, 5), (3, 5)]

A homomorphism is a map with `h(a | b) == h(a) | h(b)`; `@` composes (the right one first), `|`
adds, `closure` applies until nothing changes, by saturation. Homomorphisms that only select have a
negation: `~h`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from typing import Any

from plait import _core
from plait.program import Compiled
from plait.records import dataclass

Sequence = tuple[Any, ...]
"""The values of a sequence, top first: integers, and tuples for set-labelled variables."""
BATCH = 1024
"""How many sequences an iteration fetches first; then twice as many each time."""


@dataclass(frozen=True, slots=True)
class Size:
    """The nodes of a diagram, those inside labels included, its edges, and its longest path."""

    integer_nodes: int
    set_nodes: int
    edges: int
    depth: int

    @property
    def nodes(self) -> int:
        """Nodes of both kinds."""
        return self.integer_nodes + self.set_nodes


class Diagrams:
    """A manager: everything made by one may be combined. Only one thread uses it at a time.

    Computations raise `plait._core.StoppedError` when a limit is met and stay usable; sets over
    different variables cannot be combined (`ValueError`).
    """

    def __init__(self, *, timeout: float | None = None, memory: int | None = None) -> None:
        self._core = _core.Diagrams()
        self._core.limit(timeout=timeout, memory=memory)

    def limit(self, *, timeout: float | None = None, memory: int | None = None) -> None:
        """The seconds and the resident bytes that what follows may use."""
        self._core.limit(timeout=timeout, memory=memory)

    # --- sets -------------------------------------------------------------------------------------

    @property
    def empty(self) -> Set:
        """The empty set."""
        return Set(self, self._core.empty())

    @property
    def unit(self) -> Set:
        """The set of the empty sequence: what ends every diagram."""
        return Set(self, self._core.unit())

    def node(self, variable: int, edges: Mapping[int, Set] | Iterable[tuple[Set, Set]]) -> Set:
        """The sequences that begin with a value of the variable and go on in the set it leads to.

        A mapping from integers makes an integer-labelled node; pairs of sets make a set-labelled
        one, and their labels may overlap.
        """
        if isinstance(edges, Mapping):
            pairs = [(value, self._own(below)) for value, below in edges.items()]
            return Set(self, self._core.integer_node(variable, pairs))
        labelled = [(self._own(label), self._own(below)) for label, below in edges]
        return Set(self, self._core.set_node(variable, labelled))

    def point(self, values: Mapping[int, int | Set]) -> Set:
        """One value for each variable; a set stands for any of its elements."""
        found = self.unit
        for variable in sorted(values):
            value = values[variable]
            if isinstance(value, Set):
                found = self.node(variable, [(value, found)])
            else:
                found = self.node(variable, {value: found})
        return found

    def _own(self, set: Set) -> _core.Diagram:
        return set._diagram

    @property
    def statistics(self) -> dict[str, int]:
        """Nodes, cache and collections so far."""
        return self._core.statistics()

    # --- homomorphisms ----------------------------------------------------------------------------

    @property
    def identity(self) -> Hom:
        """Everything to itself."""
        return Hom(self, 1)

    @property
    def zero(self) -> Hom:
        """Everything to the empty set."""
        return Hom(self, 0)

    def compare(self, variable: int, op: str, constant: int) -> Hom:
        """Keep the sequences where the comparison holds."""
        return Hom(self, self._core.compare(variable, op, constant))

    def compare_variables(self, left: int, op: str, right: int) -> Hom:
        """Keep the sequences where the comparison of two variables holds."""
        return Hom(self, self._core.compare_variables(left, op, right))

    def increment(self, variable: int, amount: int) -> Hom:
        """Add a constant (32 bits, wrapping around)."""
        return Hom(self, self._core.increment(variable, amount))

    def assign(self, variable: int, value: int) -> Hom:
        """Store a constant."""
        return Hom(self, self._core.store(variable, value))

    def local(self, hom: Hom, variable: int) -> Hom:
        """Map the value of a set-labelled variable."""
        return Hom(self, self._core.local(hom._of(self), variable))

    def inductive(self, definition: Inductive) -> Hom:
        """The homomorphism that an object of Python defines."""
        return Hom(self, self._core.inductive(_Asked(self, definition)))

    def within(self, set: Set) -> Hom:
        """Keep the sequences of a set."""
        return Hom(self, self._core.meet(self._own(set)))

    def events(self, program: Compiled, variables: list[int] | None = None) -> list[Hom]:
        """What the events of a compiled model do, one variable for each cell.

        Without a list the first cell is on top. This is the way to expressions of any kind.
        """
        width = program.shape.width
        chosen = variables if variables is not None else list(range(width, 0, -1))
        return [Hom(self, h) for h, _ in self._core.events(program.program, chosen, 0)]


class Set:
    """A set of sequences. `|`, `&`, `-`, `<=` and `==` mean what they mean for Python's sets."""

    __slots__ = ("_diagram", "_owner")

    def __init__(self, owner: Diagrams, diagram: _core.Diagram) -> None:
        self._owner = owner
        self._diagram = diagram

    def __or__(self, other: Set) -> Set:
        return Set(self._owner, self._owner._core.union(self._diagram, other._diagram))

    def __and__(self, other: Set) -> Set:
        return Set(self._owner, self._owner._core.intersection(self._diagram, other._diagram))

    def __sub__(self, other: Set) -> Set:
        return Set(self._owner, self._owner._core.difference(self._diagram, other._diagram))

    def __le__(self, other: Set) -> bool:
        return self._owner._core.is_subset(self._diagram, other._diagram)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Set) and self._diagram == other._diagram

    def __hash__(self) -> int:
        return hash(self._diagram)

    def __bool__(self) -> bool:
        return bool(self._diagram)

    def __len__(self) -> int:
        return self.count()

    def count(self) -> int:
        """How many sequences, exactly; `len` does the same up to 2^63."""
        return self._owner._core.count(self._diagram)

    def log10_count(self) -> tuple[float, int] | None:
        """The decimal logarithm of the count: (mantissa, power of ten); None for the empty set.

        For sets whose count has more digits than there is memory.
        """
        return self._owner._core.log10_count(self._diagram)

    def count_modulo(self, modulus: int) -> int:
        """The count modulo a number below 2^63: exact, however large the set is."""
        return self._owner._core.count_modulo(self._diagram, modulus)

    @property
    def size(self) -> Size:
        """How large its diagram is."""
        return Size(**self._owner._core.size(self._diagram))

    def pick(self, limit: int = 1) -> list[Sequence]:
        """Some sequences, at most so many."""
        return self._owner._core.pick(self._diagram, limit)

    def __iter__(self) -> Iterator[Sequence]:
        """All sequences, fetched in batches."""
        seen, wanted = 0, BATCH
        while True:
            batch = self.pick(wanted)
            yield from batch[seen:]
            if len(batch) < wanted:
                return
            seen, wanted = wanted, 2 * wanted

    def dot(self, names: Mapping[int, str] | None = None) -> str:
        """The diagram for Graphviz."""
        return self._owner._core.dot(self._diagram, list((names or {}).items()))

    def __repr__(self) -> str:
        return f"<Set with {self.size.nodes} nodes>"


class Hom:
    """A homomorphism; call it on a set."""

    __slots__ = ("_number", "_owner")

    def __init__(self, owner: Diagrams, number: int) -> None:
        self._owner = owner
        self._number = number

    def _of(self, owner: Diagrams) -> int:
        if owner is not self._owner:
            raise ValueError("a homomorphism of other diagrams")
        return self._number

    def __call__(self, set: Set) -> Set:
        """The image of a set."""
        return Set(self._owner, self._owner._core.apply(self._number, set._diagram))

    def __or__(self, other: Hom) -> Hom:
        """The union of the images."""
        terms = [self._number, other._of(self._owner)]
        return Hom(self._owner, self._owner._core.sum(terms))

    def __matmul__(self, other: Hom) -> Hom:
        """This one after the other."""
        terms = [self._number, other._of(self._owner)]
        return Hom(self._owner, self._owner._core.compose(terms))

    def __invert__(self) -> Hom:
        """What a selector drops; `ValueError` for what is none."""
        return Hom(self._owner, self._owner._core.negate(self._number))

    def closure(self) -> Hom:
        """Applied until nothing changes. With the identity in the sum: all that can be reached."""
        return Hom(self._owner, self._owner._core.fixpoint(self._number))

    @property
    def is_selector(self) -> bool:
        """Whether images are known to be subsets of their arguments."""
        return self._owner._core.is_selector(self._number)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Hom) and self._owner is other._owner and self._number == other._number
        )

    def __hash__(self) -> int:
        return hash((id(self._owner), self._number))


class Inductive(ABC):
    """A homomorphism by induction: what becomes of the first edge, and what is applied below.

    The image of the sequences that begin with `value` is, for each pair `(new, below)` that `at`
    gives, `new` followed by the images of the rest under `below`, of which only the variables below
    this one count. Variables above the greatest of `variables` are skipped without a question.
    Results are kept: `at` is asked about one edge of one node once, however many sequences go over
    it.
    """

    name: str
    """With `parameters` what tells it from others: equal ones mean the same homomorphism."""
    parameters: tuple[int, ...] = ()
    variables: Iterable[int]
    """The variables that it does not skip."""
    selector: bool = False
    """Whether all that it does is to drop sequences; then it has a negation."""
    end: bool = True
    """Whether it keeps the empty sequence."""

    @abstractmethod
    def at(self, variable: int, value: int) -> Iterable[tuple[int, Below]]:
        """New values, each with what is applied below; a tuple is composed, the last one first."""


Below = Hom | Inductive | tuple[Hom | Inductive, ...]


class _Asked:
    """A definition as the native core asks it: homomorphisms by their numbers."""

    def __init__(self, owner: Diagrams, definition: Inductive) -> None:
        self._owner = owner
        self._definition = definition
        self.name = definition.name
        self.parameters = list(definition.parameters)
        self.variables = list(definition.variables)
        self.selector = definition.selector
        self.end = definition.end

    def at(self, variable: int, value: int) -> list[tuple[int, list[int | _Asked]]]:
        """The pairs, with what is below as a list to be composed."""
        found = []
        for new, below in self._definition.at(variable, value):
            parts = below if isinstance(below, tuple) else (below,)
            found.append((new, [self._part(part) for part in parts]))
        return found

    def _part(self, part: Hom | Inductive) -> int | _Asked:
        return part._of(self._owner) if isinstance(part, Hom) else _Asked(self._owner, part)


def union(homs: Iterable[Hom]) -> Hom:
    """The sum of homomorphisms of one manager, at least one."""
    return reduce(Hom.__or__, homs)


__all__ = ["Diagrams", "Hom", "Inductive", "Set", "Size", "union"]
