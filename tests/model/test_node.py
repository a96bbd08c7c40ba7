"""Trees without recursion."""

from plait.model.expr import (
    TRUE,
    And,
    Binary,
    Compare,
    Const,
    Formula,
    Hop,
    IntExpr,
    Not,
    Param,
    Poll,
    Unary,
    Var,
    conjuncts,
)
from plait.model.node import Node, fold, nodes, rewrite

DEPTH = 100_000


def deep(leaf: int) -> Formula:
    f: Formula = Compare("==", Var("x"), Const(leaf))
    for _ in range(DEPTH):
        f = Not(f)
    return f


def test_trees_of_a_hundred_thousand_levels_compare_hash_and_fold() -> None:
    a, b, c = deep(1), deep(1), deep(2)
    assert a == b
    assert hash(a) == hash(b)
    assert a != c

    def height(_node: Node, below: list[int]) -> int:
        return 1 + max(below, default=0)

    assert fold(a, height) == DEPTH + 2
    assert sum(1 for _ in nodes(a)) == DEPTH + 3


def test_hashes_tell_conditions_on_other_places_apart() -> None:
    """That a process is not stuck at a place: a guard may have hundreds of them."""
    busy = Compare("==", Var("x"), Const(1))
    found = {hash(Not(And((Compare("==", Var("pc"), Const(k)), busy)))) for k in range(100)}
    assert len(found) == 100


def test_equality_ignores_where_a_node_stood_and_sees_every_datum() -> None:
    assert Var("x") == Var("x")
    assert Var("x") != Var("x", Const(0))
    assert Var("x", None, (Hop("p"),)) != Var("x", None, (Hop("q"),))
    assert Var("x", None, (Hop("p"),)) != Var("x", Const(1))
    assert Poll(Hop("c"), (None, Const(1))) != Poll(Hop("c"), (Const(1), None))
    assert Const(1) != Param("1")


def test_rewriting_keeps_what_it_does_not_touch() -> None:
    left: IntExpr = Unary("-", Var("y"))
    whole = Binary("+", left, Var("x"))

    def change(node: Node) -> Node:
        return Const(7) if node == Var("x") else node

    result = rewrite(whole, change)
    assert result == Binary("+", left, Const(7))
    assert isinstance(result, Binary)
    assert result.left is left


def test_a_shared_part_is_folded_once() -> None:
    shared: IntExpr = Var("x")
    for _ in range(200):
        shared = Binary("+", shared, shared)
    visits = 0

    def count(_node: Node, _below: list[None]) -> None:
        nonlocal visits
        visits += 1

    fold(shared, count)
    assert visits == 201


def test_conjuncts_open_nested_conjunctions_and_drop_true() -> None:
    a, b, c = (Compare("==", Var(n), Const(0)) for n in "abc")
    assert conjuncts(And((a, And((TRUE, b)), c))) == (a, b, c)
    assert conjuncts(TRUE) == ()
