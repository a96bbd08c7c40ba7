"""Sets of states: every function against its definition on the explicit graph, and reversed."""

from pathlib import Path
from random import Random

import pytest

from plait import parse
from plait.engines.budget import Budget
from plait.engines.symbolic.state_sets import Value, evaluate
from plait.errors import InputError
from plait.logic.set_queries import ARITY, CONSTANTS, ENDS, parse_queries
from plait.model.shape import State
from plait.model.types import Model
from plait.models import entry
from plait.reference import Semantics

Arcs = dict[State, set[State]]


def random_graph(seed: int) -> Model:
    """A random graph of at most nine states over two variables, with deadlocks and sources."""
    random = Random(f"sets {seed}")
    events = "\n".join(
        f"transition t{i} [x == {random.randrange(3)} && y == {random.randrange(3)}]"
        f" {{ x = {random.randrange(3)}; y = {random.randrange(3)}; }}"
        for i in range(random.randrange(6, 16))
    )
    go = "\n".join(f"transition g{i} [x == 0 && y == 0] {{ x = {i}; }}" for i in (1, 2))
    return parse(f"gal g {{ int x = 0; int y = 0; {events} {go} }} main g;").model


def graph(model: Model) -> Arcs:
    semantics = Semantics(model)
    arcs: Arcs = {}
    pending = [semantics.initial]
    while pending:
        state = pending.pop()
        if state not in arcs:
            arcs[state] = {s for _, s in semantics.successors(state)}
            pending.extend(arcs[state])
    return arcs


def reverse(arcs: Arcs) -> Arcs:
    back: Arcs = {s: set() for s in arcs}
    for s, after in arcs.items():
        for t in after:
            back[t].add(s)
    return back


class Explicit:
    """The eight operators by definition, on one direction of the arcs."""

    def __init__(self, arcs: Arcs, maximal: bool) -> None:
        self.arcs, self.maximal = arcs, maximal
        self.all = set(arcs)

    def ex(self, p: set[State]) -> set[State]:
        return {s for s, after in self.arcs.items() if after & p}

    def eu(self, p: set[State], q: set[State]) -> set[State]:
        found = set(q)
        while more := {s for s in p - found if self.arcs[s] & found}:
            found |= more
        return found

    def eg(self, p: set[State]) -> set[State]:
        ends = {s for s in p if self.maximal and not self.arcs[s]}
        found = set(p)
        while less := {s for s in found - ends if not self.arcs[s] & found}:
            found -= less
        return found

    def value(self, name: str, p: set[State], q: set[State]) -> set[State]:
        no = self.all.__sub__
        dual = {"AX": "EX", "AF": "EG", "AG": "EF"}
        if name in dual:
            return no(self.value(dual[name], no(p), q))
        if name == "AU":
            return no(self.eu(no(q), no(p) & no(q)) | self.eg(no(q)))
        if name == "EU":
            return self.eu(p, q)
        return {"EX": self.ex, "EG": self.eg, "EF": lambda p: self.eu(self.all, p)}[name](p)


def values(model: Model, *texts: str, infinite: bool = False, most: int = 99) -> list[Value]:
    return evaluate(model, parse_queries(list(texts)), Budget(), infinite=infinite, most=most)


def members(model: Model, text: str, infinite: bool = False) -> set[State]:
    (value,) = values(model, f"printset({text})", infinite=infinite)
    assert value.members is not None
    return set(value.members)


SETS = ("potential(x != 1)", "potential(x != 1), potential(y == 2)")
OPERATORS = ("EX", "AX", "EF", "AF", "EG", "AG", "EU", "AU")


@pytest.mark.parametrize("infinite", [False, True])
def test_the_operators_of_the_past_are_those_of_the_reversed_graph(infinite: bool) -> None:
    """covers: S65, S75, S76"""
    differ = set()
    for seed in range(30):
        model = random_graph(seed)
        arcs = graph(model)
        p, q = {s for s in arcs if s[0] != 1}, {s for s in arcs if s[1] == 2}
        future, past = Explicit(arcs, not infinite), Explicit(reverse(arcs), not infinite)
        expected = {}
        for name in OPERATORS:
            sets = SETS[name[1] == "U"]
            expected[f"printset({name}({sets}))"] = future.value(name, p, q)
            expected[f"printset({name}bar({sets}))"] = past.value(name, p, q)
            differ |= {name} if future.value(name, p, q) != past.value(name, p, q) else set()
        for value in values(model, *expected, infinite=infinite):
            assert value.members is not None
            assert set(value.members) == expected[value.query.text], (seed, value.query.text)
    assert differ == set(OPERATORS)


def test_the_other_names_are_those_of_their_definitions() -> None:
    """covers: S77"""
    pairs = {
        "prev(P)": "EX(P)",
        "next(P)": "EXbar(P)",
        "backward(P)": "EF(P)",
        "forward(P)": "EFbar(P)",
        "addprev(P)": "union(P, EX(P))",
        "addnext(P)": "union(P, EXbar(P))",
        "reachable": "forward(initialstate)",
        "complement(P)": "difference(reachable, P)",
    }
    for seed in range(8):
        model = random_graph(seed)
        texts = ["P := potential(x == 2)", *(f"equal({a}, {b})" for a, b in pairs.items())]
        assert [v.value for v in values(model, *texts)[1:]] == [True] * len(pairs)
    # Not by being all the same.
    assert len({frozenset(members(model, a.replace("P", "initialstate"))) for a in pairs}) > 4


def test_sets_are_compared_counted_and_listed() -> None:
    """covers: S78, S38"""
    model = next(
        m for m in map(random_graph, range(99)) if len(members(m, "potential(x == 1)")) > 1
    )
    arcs = graph(model)
    some = {s for s in arcs if s[0] == 1}
    assert 1 < len(some) < len(arcs)
    queries = {
        "card(reachable)": len(arcs),
        "card(potential(x == 1))": len(some),
        "card(nostates)": 0,
        "includes(reachable, potential(x == 1))": True,
        "includes(potential(x == 1), reachable)": False,
        "includes(nostates, nostates)": True,
        "equal(reachable, union(potential(x == 1), potential(x != 1)))": True,
        "neq(reachable, potential(x == 1))": True,
        "neq(nostates, nostates)": False,
        "printset(nostates)": False,
    }
    found = {v.query.text: v.value for v in values(model, *queries)}
    assert found == queries
    assert members(model, "potential(x == 1)") == some
    (short,) = values(model, "printset(reachable)", most=2)
    assert short.value is True
    assert short.members is not None
    assert len(short.members) == 2
    assert set(short.members) < set(arcs)


@pytest.mark.parametrize(("name", "n", "dead"), [("philosophers", 6, 2), ("slotted-ring", 3, 0)])
def test_the_idiom_for_deadlocks_finds_them(name: str, n: int, dead: int) -> None:
    """covers: S79"""
    model = entry(name).model(n, "flat")
    found = values(
        model,
        "U := reachable",
        "NotAbsorb := prev(potential(true))",
        "Absorb := difference(U, NotAbsorb)",
        "neq(Absorb, nostates)",
        "card(Absorb)",
        "Stable := EG(NotAbsorb)",
        "includes(AU(Stable, NotAbsorb), Stable)",
    )
    assert [v.value for v in found[3:5]] == [dead > 0, dead]
    assert found[6].value is True


def test_ten_thousand_nested_functions_are_no_trouble() -> None:
    model = random_graph(1)
    deep = "addnext(" * 10_000 + "initialstate" + ")" * 10_000
    assert [v.value for v in values(model, f"equal({deep}, reachable)")] == [True]


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("EX(", "a set was expected here", 4),
        ("EX(reachable", "',' or ')' was expected here", 13),
        ("EX(reachable, reachable)", "'EX' has 1 argument", 1),
        ("EU(reachable)", "'EU' has 2 arguments", 1),
        ("EX reachable", "'EX' needs arguments in parentheses", 4),
        ("reachible", "there is no set or function 'reachible'", 1),
        ("union(card(reachable), reachable)", "'card' is no set", 7),
        ("n := card(reachable)", "only a set can have a name", 6),
        ("EX := reachable", "'EX' has a meaning already", 1),
        ("reachable reachable", "the query should end here", 11),
        ("potential(x == (1)", "the condition has no end", 1),
        ("", "a set was expected here", 1),
    ],
)
def test_what_is_wrong_with_a_query_is_said_with_its_place(
    text: str, message: str, column: int
) -> None:
    with pytest.raises(InputError) as wrong:
        parse_queries([text])
    (diagnostic,) = wrong.value.diagnostics
    assert diagnostic.message == message
    assert diagnostic.span is not None
    assert diagnostic.span.column == column


def test_every_function_is_named_in_the_documentation() -> None:
    page = (Path(__file__).parents[3] / "docs" / "techniques" / "sets.md").read_text()
    for name in (*ARITY, *CONSTANTS, "potential"):
        assert f"`{name}" in page or f" {name}" in page, name
    assert set(ENDS) < set(ARITY)
