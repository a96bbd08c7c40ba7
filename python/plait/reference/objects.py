"""Objects that processes share, by definition: operations, and when they disturb each other.

An object has values and operations; an operation takes an input and gives an output and a new
value, or is undefined. Two operations are *dependent* in a value when one changes whether the other
is defined, or when both are and the order shows in an output or in the final value (Godefroid's
thesis, definitions 3.13 and 3.18). A *table* says for two operations and a value whether they are
taken to be dependent. Here a table is checked against the definition, and what persistent sets need
is derived from it:

| relation | meaning |
|---|---|
| `can_be_dependent` | dependent in some value |
| `do_not_accord` | dependent in some value where both are defined |
| `first_to_interfere` | from a value on, the second may be the first to be dependent with it |

A new type of object is a new `ObjectType`, and nothing else: no search knows what an object is. The
native core has no tables, it computes the same relations from what events do to cells; tests hold
it against these (see `tests/reference/test_reference_objects.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from plait.records import dataclass

Value = Any
"""The value of an object: anything that can be compared and hashed."""
Result = tuple[Any, Value] | None
"""Output and new value; None where the operation is undefined."""
Table = Callable[[str, str, Value], bool]
"""Whether two operations are taken to be dependent in a value."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What it does with an input and a value; the inputs are all that there are."""

    apply: Callable[[Any, Value], Result]
    inputs: Sequence[Any] = (None,)


@dataclass(frozen=True, slots=True)
class ObjectType:
    """All values, and the operations by name."""

    values: Sequence[Value]
    operations: Mapping[str, Operation]

    def pairs(self) -> Iterator[tuple[str, str]]:
        """All pairs of operations."""
        return ((a, b) for a in self.operations for b in self.operations)

    def results(self, name: str, value: Value) -> list[tuple[Any, tuple[Any, Value]]]:
        """The inputs for which the operation is defined, with what it does."""
        operation = self.operations[name]
        found = ((i, operation.apply(i, value)) for i in operation.inputs)
        return [(i, result) for i, result in found if result is not None]

    def defined(self, name: str, value: Value) -> bool:
        """Whether the operation is defined for some input."""
        return bool(self.results(name, value))

    def dependent(self, a: str, b: str, value: Value) -> bool:
        """Whether the two are dependent in the value, by the definition."""
        return self._disturbs(a, b, value) or self._disturbs(b, a, value)

    def _disturbs(self, a: str, b: str, value: Value) -> bool:
        first, second = self.operations[a], self.operations[b]
        for i, (out_a, after_a) in self.results(a, value):
            for j in second.inputs:
                alone, then = second.apply(j, value), second.apply(j, after_a)
                if (alone is None) != (then is None):
                    return True
                if alone is None or then is None:
                    continue
                late = first.apply(i, alone[1])
                if late is None or (late[0], then[0]) != (out_a, alone[0]) or late[1] != then[1]:
                    return True
        return False

    # --- what a table gives -----------------------------------------------------------------------

    def unsound(self, table: Table) -> list[tuple[str, str, Value]]:
        """Where the table says independent and the definition does not."""
        return [
            (a, b, v)
            for a, b in self.pairs()
            for v in self.values
            if not table(a, b, v) and self.dependent(a, b, v)
        ]

    def can_be_dependent(self, table: Table, a: str, b: str) -> bool:
        """Dependent in some value."""
        return any(table(a, b, v) for v in self.values)

    def do_not_accord(self, table: Table, a: str, b: str) -> bool:
        """Dependent in some value where both are defined."""
        return any(table(a, b, v) for v in self.values if self.defined(a, v) and self.defined(b, v))

    def first_to_interfere(self, table: Table, a: str, b: str, value: Value) -> bool:
        """Whether operations that are independent of `a` lead to a value where `b` is defined and
        dependent with it."""
        seen = {value}
        pending = [value]
        while pending:
            now = pending.pop()
            if self.defined(b, now) and table(a, b, now):
                return True
            for name in self.operations:
                if not table(a, name, now):
                    for _, (_, after) in self.results(name, now):
                        if after not in seen:
                            seen.add(after)
                            pending.append(after)
        return False

    def not_weakly_uniform(self, table: Table) -> list[tuple[str, str, str, Value]]:
        """Where the table breaks the condition of sleep sets with the proviso (definition 6.6).

        Each is `(a, b, c, value)`: `a` and then `b` are possible in the value, `c` is too and is
        independent of both where they are executed; `a` and `b` are dependent there, and no longer
        after `c`.
        """
        return [
            (a, b, c, v)
            for v in self.values
            for a in self.operations
            for c in self.operations
            if not table(a, c, v)
            for b in self.operations
            if table(a, b, v) and self._breaks(table, a, b, c, v)
        ]

    def _breaks(self, table: Table, a: str, b: str, c: str, value: Value) -> bool:
        befores = [after for _, (_, after) in self.results(a, value)]
        reached = any(self.defined(b, s) and not table(b, c, s) for s in befores)
        after_c = [after for _, (_, after) in self.results(c, value)]
        return reached and any(not table(a, b, s) for s in after_c)


# --- the types of the thesis ----------------------------------------------------------------------


def boolean() -> ObjectType:
    """A boolean variable that is read, written and complemented."""
    return ObjectType(
        (0, 1),
        {
            "Write": Operation(lambda i, v: (None, i), (0, 1)),
            "Compl": Operation(lambda _, v: (None, 1 - v)),
            "Read": Operation(lambda _, v: (v, v)),
        },
    )


def fifo(capacity: int, messages: Sequence[int] = (0, 1)) -> ObjectType:
    """A bounded queue; its values are the messages that wait, the first one first."""
    values: list[tuple[int, ...]] = [()]
    for queue in values:
        if len(queue) < capacity:
            values.extend((*queue, m) for m in messages)
    return ObjectType(
        tuple(values),
        {
            "Send": Operation(
                lambda m, q: (None, (*q, m)) if len(q) < capacity else None, tuple(messages)
            ),
            "Receive": Operation(lambda _, q: (q[0], q[1:]) if q else None),
            "Length": Operation(lambda _, q: (len(q), q)),
            "Empty": Operation(lambda _, q: (not q, q)),
            "Full": Operation(lambda _, q: (len(q) == capacity, q)),
        },
    )


def semaphore(most: int) -> ObjectType:
    """A counting semaphore."""
    return ObjectType(
        tuple(range(most + 1)),
        {
            "P": Operation(lambda _, n: (None, n - 1) if n > 0 else None),
            "V": Operation(lambda _, n: (None, n + 1) if n < most else None),
        },
    )


def fifo_table(capacity: int, *, widened: bool = False) -> Table:
    """The conditional table of a queue (examples 3.19 and 3.20); `widened` is weakly uniform."""

    def table(a: str, b: str, queue: Value) -> bool:
        n = len(queue)
        cells = {
            ("Send", "Send"): n < capacity,
            ("Receive", "Send"): n in (0, capacity),
            ("Length", "Send"): n < capacity,
            ("Empty", "Send"): n == 0,
            ("Full", "Send"): n < capacity if widened else n == capacity - 1,
            ("Receive", "Receive"): n > 0,
            ("Length", "Receive"): n > 0,
            ("Empty", "Receive"): n > 0 if widened else n == 1,
            ("Full", "Receive"): n == capacity,
        }
        first, second = sorted((a, b))
        return cells.get((first, second), False)

    return table
