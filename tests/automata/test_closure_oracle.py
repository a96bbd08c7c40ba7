"""The textbook construction by closures and atoms, an oracle for the tableau.

Formulas are nested tuples over `not`, `and`, `next` and `until`. An automaton state is an atom (a
maximal consistent subset of the closure) together with the untils that are still owed; an arc
reads the propositions of the atom that it leaves (Clarke, Grumberg, Peled, *Model Checking*, 1999).
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest
from words import accepts, bit, random_word

from plait.automata import Arc, Automaton, satisfying
from plait.logic.formula import Next, Until
from plait.model.expr import TRUE, And, Formula, Not

Tree = tuple[object, ...]
State = tuple[frozenset[Tree], frozenset[Tree]]
P: Tree = ("p", 0)
Q: Tree = ("p", 1)
ALL: Tree = ("true",)


def negated(f: Tree) -> Tree:
    return f[1] if f[0] == "not" else ("not", f)  # type: ignore[return-value]


def both(f: Tree, g: Tree) -> Tree:
    return ("and", f, g)


def implies(f: Tree, g: Tree) -> Tree:
    return negated(both(f, negated(g)))


def eventually(f: Tree) -> Tree:
    return ("until", ALL, f)


def always(f: Tree) -> Tree:
    return negated(eventually(negated(f)))


def closure(root: Tree) -> set[Tree]:
    """The smallest set with the formula, closed under sub-formulas and single negation."""
    found: set[Tree] = set()
    stack = [root]
    while stack:
        f = stack.pop()
        if f not in found:
            found |= {f, negated(f)}
            positive = f[1] if f[0] == "not" else f
            assert isinstance(positive, tuple)
            if positive[0] in ("and", "next", "until"):
                stack.extend(positive[1:])  # type: ignore[arg-type]
    return found


def atoms(formulas: set[Tree]) -> list[frozenset[Tree]]:
    """The maximal propositionally consistent subsets."""
    basic = [f for f in sorted(formulas, key=repr) if f[0] in ("p", "next", "until")]
    inner = sorted((f for f in formulas if f[0] == "and"), key=lambda f: len(repr(f)))
    found = []
    for choice in itertools.product((True, False), repeat=len(basic)):
        chosen = {f if value else negated(f) for f, value in zip(basic, choice, strict=True)}
        if ALL in formulas:
            chosen.add(ALL)
        for f in inner:
            chosen.add(f if f[1] in chosen and f[2] in chosen else negated(f))
        found.append(frozenset(chosen))
    return found


def oracle(root: Tree) -> Automaton:
    """The product of the local and the eventuality automaton, as far as it is reached."""
    formulas = closure(root)
    nexts = [f for f in formulas if f[0] == "next"]
    untils = [f for f in formulas if f[0] == "until"]
    places = atoms(formulas)

    def follows(a: frozenset[Tree], b: frozenset[Tree]) -> bool:
        return all((f in a) == (f[1] in b) for f in nexts) and all(
            (f in a) == (f[2] in a or (f[1] in a and f in b)) for f in untils
        )

    def owed(before: frozenset[Tree], atom: frozenset[Tree]) -> frozenset[Tree]:
        goals = before or {f for f in untils if f in atom}
        return frozenset(f for f in goals if f[2] not in atom)

    start: list[State] = [(a, frozenset()) for a in places if root in a]
    numbers: dict[State, int] = {state: n for n, state in enumerate(start, start=1)}
    queue = list(start)
    rows: list[tuple[Arc, ...]] = []
    bits = sorted(f[1] for f in formulas if f[0] == "p")  # type: ignore[type-var]
    for atom, before in queue:
        positive = sum(1 << b for b in bits if ("p", b) in atom)  # type: ignore[operator]
        negative = sum(1 << b for b in bits if ("p", b) not in atom)  # type: ignore[operator]
        row = []
        for target in ((b, owed(before, atom)) for b in places if follows(atom, b)):
            if target not in numbers:
                numbers[target] = len(numbers) + 1
                queue.append(target)
            row.append(Arc(positive, negative, numbers[target], int(not before)))
        rows.append(tuple(row))
    # One more state in front, for there may be several to begin in.
    first = tuple(arc for n in range(len(start)) for arc in rows[n])
    return Automaton((first, *rows), 1)


TABLE: list[tuple[Tree, int, int, int]] = [
    (eventually(Q), 6, 4, 6),
    (always(negated(Q)), 6, 4, 2),
    (("until", negated(P), Q), 6, 8, 12),
    (always(eventually(P)), 8, 8, 6),
    (eventually(always(P)), 8, 8, 12),
    (always(implies(P, eventually(Q))), 12, 16, 12),
    (always(implies(P, ("next", eventually(Q)))), 14, 32, 24),
]


def formula(tree: Tree) -> Formula:
    """The same in our terms."""
    head, *below = tree
    if head == "true":
        return TRUE
    if head == "p":
        assert isinstance(below[0], int)
        return bit(below[0])
    parts = [formula(f) for f in below]  # type: ignore[arg-type]
    make: dict[object, Callable[..., Formula]] = {"not": Not, "next": Next, "until": Until}
    return And(tuple(parts)) if head == "and" else make[head](*parts)


@pytest.mark.parametrize(("tree", "closed", "consistent", "states"), TABLE)
def test_closures_atoms_and_products_have_the_sizes_of_the_table(
    tree: Tree, closed: int, consistent: int, states: int
) -> None:
    """covers: A19, A22"""
    assert len(closure(tree)) == closed
    assert len(atoms(closure(tree))) == consistent
    assert len(oracle(tree).arcs) - 1 == states


@pytest.mark.parametrize("tree", [row[0] for row in TABLE])
def test_the_tableau_is_never_larger_than_the_closure_construction(tree: Tree) -> None:
    """covers: A25"""
    assert len(satisfying(formula(tree)).automaton.arcs) < len(oracle(tree).arcs)


def random_tree(choice: random.Random, size: int) -> Tree:
    if size <= 1:
        return choice.choice((P, Q, ALL))
    if choice.random() < 0.5:
        inner = random_tree(choice, size - 1)
        return negated(inner) if choice.random() < 0.6 else ("next", inner)
    left = choice.randint(1, max(1, size - 2))
    a, b = random_tree(choice, left), random_tree(choice, max(1, size - 1 - left))
    return ("until", a, b) if choice.random() < 0.6 else both(a, b)


@pytest.mark.parametrize("seed", range(3))
def test_the_tableau_accepts_what_the_closure_construction_accepts(seed: int) -> None:
    """covers: A25"""
    choice = random.Random(seed)
    for _ in range(15):
        tree = random_tree(choice, choice.randint(2, 7))
        slow, quick = oracle(tree), satisfying(formula(tree))
        for _ in range(8):
            letters, loop = random_word(choice, 4, 2)
            read = [sum(1 << i for i, b in enumerate(letter) if b) for letter in letters]
            assert slow.accepts(read, loop) == accepts(quick, (letters, loop)), tree
