"""Formulas over a few bits, ultimately periodic words over them, and automata, all at random."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence

from plait.automata import Arc, Automaton
from plait.automata.simplify import accepting_components
from plait.automata.translate import Translation
from plait.logic.formula import (
    Finally,
    Globally,
    Next,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
)
from plait.logic.walk import fold_formula
from plait.model.expr import (
    TRUE,
    And,
    Compare,
    Const,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Truth,
    Var,
)
from plait.reference.ltl import holds_on_lasso

UNARY = (Next, Finally, Globally)
BINARY = (Until, WeakUntil, Release, StrongRelease)
Letter = tuple[bool, ...]
Word = tuple[Sequence[Letter], int]
"""Letters, and the place that the word goes back to after the last."""


def bit(number: int, value: bool = True) -> Formula:
    """The bit of that number is set, or it is not."""
    return Compare("==" if value else "!=", Var(f"b{number}"), Const(1))


def random_formula(choice: random.Random, size: int, bits: int) -> Formula:
    """A formula of about that size."""
    if size <= 1:
        if choice.random() < 0.05:
            return TRUE
        return bit(choice.randrange(bits), choice.random() < 0.6)
    if choice.random() < 0.45:
        return choice.choice((*UNARY, Finally, Globally, Not))(
            random_formula(choice, size - 1, bits)
        )
    left = choice.randint(1, max(1, size - 2))
    a = random_formula(choice, left, bits)
    b = random_formula(choice, max(1, size - 1 - left), bits)
    how = choice.choice((*BINARY, And, Or, Implies, Iff))
    return how((a, b)) if how in (And, Or) else how(a, b)  # type: ignore[arg-type, call-arg]


def random_word(choice: random.Random, longest: int, bits: int) -> Word:
    """A word of up to that many letters."""
    length = choice.randint(1, longest)
    letters = [tuple(choice.random() < 0.5 for _ in range(bits)) for _ in range(length)]
    return letters, choice.randrange(length)


def all_words(longest: int, bits: int) -> Iterator[Word]:
    """Every word of up to that many letters."""
    alphabet = list(itertools.product((False, True), repeat=bits))
    for length in range(1, longest + 1):
        for letters in itertools.product(alphabet, repeat=length):
            for loop in range(length):
                yield letters, loop


def holds(formula: Formula, word: Word) -> bool:
    """Whether a formula holds on a word, by the reference."""
    letters, loop = word
    return holds_on_lasso(formula, len(letters), loop, lambda f, i: _is_true(f, letters[i]))


def _is_true(atom: Formula, letter: Letter) -> bool:
    if isinstance(atom, Truth):
        return atom.value
    assert isinstance(atom, Compare)
    assert isinstance(atom.left, Var)
    return letter[int(atom.left.name[1:])] == (atom.op == "==")


def accepts(translation: Translation, word: Word) -> bool:
    """Whether the automaton of a formula accepts a word."""
    letters, loop = word

    def is_true(condition: Formula, letter: Letter) -> bool:
        def visit(f: Formula, below: list[bool]) -> bool:
            if isinstance(f, And | Or):
                return all(below) if isinstance(f, And) else any(below)
            return _is_true(f, letter)

        return fold_formula(condition, visit)

    conditions = list(enumerate(translation.conditions))
    read = [sum(1 << i for i, c in conditions if is_true(c, letter)) for letter in letters]
    return translation.automaton.accepts(read, loop)


def letter_of(translation: Translation, letter: Mapping[str, bool]) -> int:
    """A letter, given by the names of its bits, as the automaton reads it."""

    def visit(f: Formula, below: list[bool]) -> bool:
        if isinstance(f, And | Or):
            return all(below) if isinstance(f, And) else any(below)
        if isinstance(f, Truth):
            return f.value
        assert isinstance(f, Compare)
        assert isinstance(f.left, Var)
        return letter[f.left.name] == (f.op == "==")

    conditions = enumerate(translation.conditions)
    return sum(1 << i for i, c in conditions if fold_formula(c, visit))


def random_automaton(choice: random.Random, size: int, bits: int) -> Automaton:
    """An automaton with up to two acceptance sets and few arcs."""
    acceptances = choice.randrange(3)

    def arc() -> Arc:
        signs = [choice.choice((None, None, True, False)) for _ in range(bits)]
        positive = sum(1 << i for i, s in enumerate(signs) if s is True)
        negative = sum(1 << i for i, s in enumerate(signs) if s is False)
        marks = choice.randrange(1 << acceptances)
        return Arc(positive, negative, choice.randrange(size), marks)

    rows = [tuple(arc() for _ in range(choice.choice((0, 1, 1, 2, 2, 3)))) for _ in range(size)]
    return Automaton(tuple(rows), acceptances)


def is_empty(automaton: Automaton) -> bool:
    """Whether it accepts no word."""
    return not accepting_components(automaton)


def product(one: Automaton, other: Automaton) -> Automaton:
    """The automaton of the words that both accept; each brings its own acceptance sets."""
    numbers = {(0, 0): 0}
    queue = [(0, 0)]
    rows = []
    for a, b in queue:
        row = []
        for x, y in itertools.product(one.arcs[a], other.arcs[b]):
            positive, negative = x.positive | y.positive, x.negative | y.negative
            if positive & negative:
                continue
            target = (x.target, y.target)
            if target not in numbers:
                numbers[target] = len(numbers)
                queue.append(target)
            marks = x.marks | y.marks << one.acceptances
            row.append(Arc(positive, negative, numbers[target], marks))
        rows.append(tuple(row))
    return Automaton(tuple(rows), one.acceptances + other.acceptances)
