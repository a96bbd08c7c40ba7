"""Functions from sequences to numbers as a library: edge-valued diagrams (EV+).

A sequence has a label (a number from 0 on) for each of the variables n, n - 1, ..., 1, in this
order. The value of a sequence is the sum of what stands on its way, infinite where there is none;
of each node some edge has the value 0, so equal functions are one object (Ciardo and Siminiceanu,
FMCAD 2002). Distances are such functions: `minimum` is what a step of a shortest-path algorithm
does, `maximum` what a target set does to it.

    >>> ev = Functions()
    >>> nothing = ev.constant(0)
    >>> f = ev.node(1, {0: nothing, 1: nothing + 2})       # 0 -> 0, 1 -> 2
    >>> g = ev.node(1, {1: nothing, 2: nothing + 7})       # 1 -> 0, 2 -> 7
    >>> both = f.minimum(g)
    >>> [both.value(label) for label in (0, 1, 2, 3)]
    [0, 0, 7, None]
    >>> f.maximum(g).value(1), (f + 3).least, f + 3 == ev.node(1, {0: nothing + 3, 1: nothing + 5})
    (2, 3, True)
"""

from __future__ import annotations

from collections.abc import Mapping

from plait import _core


class Functions:
    """A forest: functions made by one may be combined. It only grows."""

    def __init__(self) -> None:
        self._core = _core.Functions()

    @property
    def nowhere(self) -> Function:
        """The function that is infinite everywhere."""
        return Function(self, None)

    def constant(self, value: int) -> Function:
        """The number, for the empty sequence: what ends every function."""
        return Function(self, self._core.terminal(value))

    def node(self, variable: int, edges: Mapping[int, Function]) -> Function:
        """The function of the sequences that begin with one of these labels of the variable.

        The functions that the labels lead to are of the variable one below; labels that are not
        named, and those that lead nowhere, have the value infinity.
        """
        pairs = [(label, f._of(self)) for label, f in edges.items()]
        finite = [(label, f) for label, f in pairs if f is not None]
        return Function(self, self._core.node(variable, finite))


class Function:
    """A function; `+` adds a number to all finite values."""

    __slots__ = ("_owner", "_stored")

    def __init__(self, owner: Functions, stored: _core.Function | None) -> None:
        self._owner = owner
        self._stored = stored

    def _of(self, owner: Functions) -> _core.Function | None:
        if owner is not self._owner:
            raise ValueError("a function of another forest")
        return self._stored

    def __add__(self, amount: int) -> Function:
        if self._stored is None:
            return self
        return Function(self._owner, self._owner._core.plus(self._stored, amount))

    def minimum(self, other: Function) -> Function:
        """The lesser value of each sequence."""
        stored = self._owner._core.minimum(self._stored, other._of(self._owner))
        return Function(self._owner, stored)

    def maximum(self, other: Function) -> Function:
        """The greater value of each sequence: finite where both are."""
        stored = self._owner._core.maximum(self._stored, other._of(self._owner))
        return Function(self._owner, stored)

    def value(self, *labels: int) -> int | None:
        """The value of a sequence, greatest variable first; None where it is infinite."""
        if self._stored is None:
            return None
        return self._owner._core.value(self._stored, labels)

    @property
    def least(self) -> int | None:
        """The least value; None where all are infinite."""
        return None if self._stored is None else self._stored.least

    @property
    def greatest(self) -> int | None:
        """The greatest finite value; None where there is none."""
        return None if self._stored is None else self._stored.greatest

    @property
    def nearest(self) -> tuple[int, ...] | None:
        """A sequence with the least value; None where all are infinite."""
        if self._stored is None:
            return None
        return tuple(self._owner._core.nearest(self._stored))

    @property
    def histogram(self) -> dict[int, int]:
        """How many sequences have each value that some sequence has."""
        if self._stored is None:
            return {}
        least, counts = self._owner._core.histogram(self._stored)
        return {least + i: count for i, count in enumerate(counts) if count}

    @property
    def nodes(self) -> int:
        """How many nodes its diagram has, terminals not counted."""
        return 0 if self._stored is None else self._owner._core.size(self._stored)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Function)
            and self._owner is other._owner
            and self._stored == other._stored
        )

    def __hash__(self) -> int:
        return hash((id(self._owner), self._stored))


__all__ = ["Function", "Functions"]
