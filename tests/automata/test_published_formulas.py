"""Pairs of formulas that another translator's tests state to be the same, and satisfiability."""

from __future__ import annotations

import csv
import itertools
import re

import pytest
from tests.conftest import DATA
from words import is_empty, letter_of

from plait.automata import Arc, Automaton, satisfying, violating
from plait.automata.translate import Translation
from plait.logic.formula import Finally, Globally, Next, Release, StrongRelease, Until, WeakUntil
from plait.logic.walk import is_atom, subformulas
from plait.model.expr import FALSE, TRUE, And, Compare, Const, Formula, Iff, Implies, Not, Or, Var

TOKEN = re.compile(r"\s*(<->|<=>|->|=>|\[\]|<>|&&|\|\||[()!~&|^XFGURWM]|[a-z]\w*|[01]\b)")
UNARY = {"X": Next, "F": Finally, "G": Globally, "[]": Globally, "<>": Finally, "!": Not, "~": Not}
BINARY = {"U": Until, "R": Release, "W": WeakUntil, "M": StrongRelease}
POWERS = ({"<->", "<=>"}, {"->", "=>"}, {"^"}, {"|", "||"}, {"&", "&&"}, set(BINARY))
"""From the weakest to the strongest; all of them from the right, which is the same for most."""


def read(text: str) -> Formula:
    """A formula; `ValueError` for what is not understood."""
    tokens: list[str] = []
    at = 0
    while at < len(text.rstrip()):
        found = TOKEN.match(text, at)
        if found is None:
            raise ValueError(text)
        tokens.append(found[1])
        at = found.end()
    formula = _binary(tokens, 0)
    if tokens:
        raise ValueError(text)
    return formula


def _binary(tokens: list[str], power: int) -> Formula:
    if power == len(POWERS):
        return _unary(tokens)
    left = _binary(tokens, power + 1)
    if not tokens or tokens[0] not in POWERS[power]:
        return left
    operator = tokens.pop(0)
    right = _binary(tokens, power)
    if operator in BINARY:
        return BINARY[operator](left, right)
    if power == 0:
        return Iff(left, right)
    if power == 1:
        return Implies(left, right)
    if power == 2:
        return Not(Iff(left, right))
    return Or((left, right)) if power == 3 else And((left, right))


def _unary(tokens: list[str]) -> Formula:
    if not tokens:
        raise ValueError("nothing")
    token = tokens.pop(0)
    if token in UNARY:
        return UNARY[token](_unary(tokens))
    if token == "(":
        inside = _binary(tokens, 0)
        if not tokens or tokens.pop(0) != ")":
            raise ValueError("no end")
        return inside
    if token in ("true", "1", "false", "0"):
        return TRUE if token in ("true", "1") else FALSE
    if not token[0].islower():
        raise ValueError(token)
    return Compare("==", Var(token), Const(1))


def rows(name: str) -> list[dict[str, str]]:
    file = DATA / "ltl" / name
    if not file.is_file():
        return []
    with file.open() as lines:
        return list(csv.DictReader(lines))


def names(*formulas: Formula) -> list[str]:
    atoms = (f for g in formulas for f in subformulas(g) if is_atom(f))
    found = {f.left.name for f in atoms if isinstance(f, Compare) and isinstance(f.left, Var)}
    return sorted(found)


def common(one: Translation, other: Translation, bits: list[str]) -> Automaton:
    """The product over the letters of these bits."""
    letters = [
        dict(zip(bits, values, strict=True))
        for values in itertools.product((False, True), repeat=len(bits))
    ]
    read_by = [[letter_of(t, letter) for letter in letters] for t in (one, other)]
    numbers = {(0, 0): 0}
    queue = [(0, 0)]
    table: list[tuple[Arc, ...]] = []
    for a, b in queue:
        row: set[Arc] = set()
        for x, y in itertools.product(one.automaton.arcs[a], other.automaton.arcs[b]):
            pairs = zip(*read_by, strict=True)
            if any(x.reads(here) and y.reads(there) for here, there in pairs):
                target = (x.target, y.target)
                if target not in numbers:
                    numbers[target] = len(numbers)
                    queue.append(target)
                marks = x.marks | y.marks << one.automaton.acceptances
                row.add(Arc(0, 0, numbers[target], marks))
        table.append(tuple(sorted(row, key=lambda arc: (arc.target, arc.marks))))
    return Automaton(tuple(table), one.automaton.acceptances + other.automaton.acceptances)


def test_formulas_that_are_the_same_have_the_same_language() -> None:
    """None satisfies one and violates the other."""
    compared = 0
    for row in rows("equivalences.csv"):
        try:
            f, g = read(row["formula_1"]), read(row["formula_2"])
        except ValueError:
            continue
        bits = names(f, g)
        if len(bits) > 5:
            continue
        compared += 1
        for one, other in ((f, g), (g, f)):
            both = common(satisfying(one), violating(other), bits)
            assert is_empty(both), row
    if not compared:
        pytest.skip("the folder of published formulas is not there")
    assert compared > 200


def test_formulas_are_satisfiable_where_it_is_said() -> None:
    expected = {r["property_id"]: r["expected"] for r in rows("expected.csv")}
    found = {}
    for row in rows("satisfiability.csv"):
        formula = read(row["formula"])
        language = satisfying(formula)
        both = common(language, satisfying(TRUE), names(formula))
        found[row["property_id"]] = str(not is_empty(both)).upper()
    if not found:
        pytest.skip("the folder of published formulas is not there")
    assert found == {name: expected[name] for name in found}
