"""Constraints on steps read as assignments, where they are.

`TRANS` may relate old and new values in any way; one that nothing is known of is asked after all
values have been chosen freely. Most are not that wild. A conjunct that says which values one
variable gets, by equations, memberships and decisions between them, is an assignment. A disjunction
becomes ways to make the step, each with conjuncts of its own; so a relation that was written as
"this happens, or that" has an event for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from plait.hints import cast
from plait.lang.smv.evaluate import is_after
from plait.lang.smv.failures import outside_of
from plait.lang.smv.steps import reads
from plait.lang.smv.types import Type
from plait.lang.smv.values import (
    Cases,
    Either,
    Leaf,
    Tree,
    both,
    either,
    negation,
    outcomes,
)
from plait.model.expr import (
    FALSE,
    TRUE,
    And,
    Compare,
    Const,
    Formula,
    Iff,
    Not,
    Or,
    Var,
    conjuncts,
)
from plait.model.node import Node, nodes
from plait.records import dataclass

MOST_WAYS = 5_000
"""The most disjuncts that become events."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to make a step: values that are given, and conditions."""

    title: str
    given: dict[str, Tree]
    conditions: tuple[Formula, ...]


class Equations:
    """Finds assignments; `types` are those of the results that may be assigned so.

    A result is `next(x)` or an input. What an input gets speaks of the state before only, what
    `next(x)` gets also of inputs, so that no two wait for each other.
    """

    def __init__(self, types: Mapping[str, Type], inputs: Sequence[str]) -> None:
        self.types = types
        self.inputs = frozenset(inputs)

    def ways(self, constraints: Sequence[Formula]) -> Iterator[Way]:
        """The ways to keep to all constraints."""
        given: dict[str, Tree] = {}
        rest = list(self.taken(constraints, given))
        split = max(rest, key=_disjuncts, default=TRUE)
        if not 1 < _disjuncts(split) <= MOST_WAYS:
            yield Way("", given, tuple(rest))
            return
        others = [f for f in rest if f is not split]
        for disjunct in _opened(split):
            more = dict(given)
            left = list(self.taken([disjunct], more))
            yield Way(self._title(more, given), more, (*others, *left))

    def taken(self, constraints: Sequence[Formula], given: dict[str, Tree]) -> Iterator[Formula]:
        """What is left of constraints when assignments are put among those that are given."""
        for constraint in constraints:
            for part in conjuncts(constraint):
                found = self._decision(part)
                if found is None or found[0] in given or self._waits(*found):
                    yield part
                    continue
                result, tree = found
                inside = self._inside(result, tree)
                if inside is None:
                    yield part
                    continue
                given[result] = tree
                if inside is not TRUE:
                    yield inside

    def _title(self, given: Mapping[str, Tree], before: Mapping[str, Tree]) -> str:
        """The inputs that a way gives constants, as a part of the name of its event."""
        return "".join(
            f" {name}={tree.node.value}"
            for name, tree in given.items()
            if name in self.inputs and name not in before
            if isinstance(tree, Leaf) and isinstance(tree.node, Const)
        )

    def _inside(self, result: str, tree: Tree) -> Formula | None:
        """The condition that a tree gives a value of the type; None when that is no single one."""
        wrong = [both(path, outside_of(end, self.types[result])) for path, end in outcomes(tree)]
        outside = either(*wrong)
        if outside is not FALSE and _chooses(tree):
            return None
        return negation(outside)

    # --- decisions --------------------------------------------------------------------------------

    def _decision(self, formula: Formula) -> tuple[str, Tree] | None:
        """The result that a formula decides about, and what it becomes."""
        match formula:
            case Or(operands=(And(operands=first), And(operands=second))):
                found = self._alternative(first, second)
                if found is not None:
                    return found
        if isinstance(formula, Or):
            return self._choice(formula)
        return self._equation(formula)

    def _choice(self, formula: Or) -> tuple[str, Tree] | None:
        options: list[Tree] = []
        names = set()
        for operand in formula.operands:
            found = self._equation(operand)
            if found is None:
                return None
            names.add(found[0])
            options.append(found[1])
        return (names.pop(), Either(tuple(options))) if len(names) == 1 else None

    def _alternative(
        self, first: Sequence[Formula], second: Sequence[Formula]
    ) -> tuple[str, Tree] | None:
        """`c & A | !c & B`, where A and B decide about the same."""
        arms: list[tuple[Formula, Tree]] = []
        name: str | None = None
        while True:
            condition = first[0]
            if _speaks_of_next(condition) or second[0] != negation(condition):
                return None
            then = self._decision(both(*first[1:]))
            if then is None or (name is not None and then[0] != name):
                return None
            name = then[0]
            arms.append((condition, then[1]))
            match both(*second[1:]):
                case Or(operands=(And(operands=one), And(operands=two))) as below:
                    if two[0] == negation(one[0]) and not _speaks_of_next(one[0]):
                        first, second = one, two
                        continue
                case below:
                    pass
            last = self._decision(below)
            if last is None or last[0] != name:
                return None
            return name, Cases((*arms, (TRUE, last[1])))

    def _equation(self, formula: Formula) -> tuple[str, Tree] | None:
        match formula:
            case Compare(op="==", left=a, right=b):
                for one, other in ((a, b), (b, a)):
                    if (
                        isinstance(one, Var)
                        and one.name in self.types
                        and not _speaks_of_next(other)
                    ):
                        if self.types[one.name].kind == "boolean":
                            # The only comparison of a Boolean is that with 1.
                            return one.name, Leaf(TRUE)
                        return one.name, Leaf(other)
            case Iff(left=f, right=g):
                for this, that in ((f, g), (g, f)):
                    name = self._flag(this)
                    if name is not None and not _speaks_of_next(that):
                        return name, Leaf(that)
            case Not(operand=inner):
                name = self._flag(inner)
                if name is not None:
                    return name, Leaf(FALSE)
        return None

    def _flag(self, formula: Formula) -> str | None:
        match formula:
            case Compare(op="==", left=Var(name=name), right=Const(value=1)):
                if name in self.types and self.types[name].kind == "boolean":
                    return name
        return None

    def _waits(self, result: str, tree: Tree) -> bool:
        """Whether an input would have to wait for another one."""
        return result in self.inputs and not self.inputs.isdisjoint(reads(tree))


def _speaks_of_next(node: Node) -> bool:
    return any(isinstance(n, Var) and is_after(n.name) for n in nodes(node))


def _chooses(tree: Tree) -> bool:
    if isinstance(tree, Cases):
        return any(_chooses(below) for _, below in tree.arms)
    return not isinstance(tree, Leaf)


def _disjuncts(formula: Formula) -> int:
    return len(_opened(formula))


def _opened(formula: Formula) -> list[Formula]:
    """The disjuncts; those of disjunctions inside too."""
    found: list[Formula] = []
    stack = [formula]
    while stack:
        f = stack.pop()
        if isinstance(f, Or):
            stack.extend(reversed(f.operands))
        elif isinstance(f, And) and any(isinstance(o, Or) for o in f.operands):
            # Distributed over its last disjunction, as the writers of relations nest them.
            place = max(i for i, o in enumerate(f.operands) if isinstance(o, Or))
            inner = cast(Or, f.operands[place])
            others = [o for i, o in enumerate(f.operands) if i != place]
            if len(found) + len(stack) + len(inner.operands) > MOST_WAYS:
                found.append(f)
                continue
            stack.extend(both(*others, o) for o in reversed(inner.operands))
        else:
            found.append(f)
    return found
