"""Simplification, rule by rule: what goes, what must stay, and what the lift puts back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rewriting import assert_same, events, gal, properties

from plait.model.expr import Const, Var
from plait.model.shape import shape_of
from plait.model.stmt import Assign
from plait.model.types import Domain, ElementaryType, Event, Model, Variable
from plait.passes import LOWERING, Rewritten, flat, run, simplify
from plait.reference import Semantics


def simple(text: str) -> Rewritten:
    """The model simplified; its meaning is checked on the way."""
    model = gal(text)
    assert_same(model, [*LOWERING, simplify])
    return run(model, [*LOWERING, simplify])


def simple_events(body: str) -> list[str]:
    return events(simple(f"gal M {{ int x = 0; int y = 0; {body} }}").model)


MOVE = "transition move [x + y < 9] { x = x + 1; y = 2 * x; }"
"""Keeps x and y from being constant."""
MOVED = "move [x + y < 9] { x = x + 1; y = x * 2; }"


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ("a [x == 1 && 1 == 1] { y = 1 + 1; }", "a [x == 1] { y = 2; }"),
        ("a [x == 1 && 1 == 2] { y = 1; }", None),
        ("a [x == 1 && 1 / 0 == 2] { y = 1; }", None),
        ("a [x == 1] { y = 1; abort; x = 2; }", None),
        ('a [x == 1] { y = 1; self."nobody"; }', None),
        ("a [x == 1] { if (2 > 1) { y = 1; } else { y = 2; } }", "a [x == 1] { y = 1; }"),
        ("a [x == 1] { if (y == 1) { x = 2; } else { x = 2; } }", "a [x == 1] { x = 2; }"),
        ("a [x == 1] { if (y == 1) { } else { } x = 2; }", "a [x == 1] { x = 2; }"),
        (
            "a [x == 1] { if (y / x == 1) { } else { } x = 2; }",
            "a [x == 1] { if (y / x == 1) { } x = 2; }",
        ),
        ("a [x == 1] { x = x; y = y + 0; }", "a [x == 1] {}"),
        ("a [x == 1] { fixpoint { } x = 2; }", "a [x == 1] { x = 2; }"),
        (
            "a [x == 1] { if (y == 2) { x = 2; } else { abort; } }",
            "a [x == 1 && y == 2] { x = 2; }",
        ),
        ("a [x == 1] { x = 2; if (y == 2) { abort; } }", "a [x == 1 && y != 2] { x = 2; }"),
        (
            "a [x == 1] { x = 2; if (x == y) { abort; } }",
            "a [x == 1 && y != 2] { x = 2; }",
        ),
        # Undefined in every state: it stays, so that the user can be told.
        ("a [x == 1] { y = 1 / 0; x = 2; }", "a [x == 1] { y = 1 / 0; }"),
    ],
)
def test_dead_code_is_removed(event: str, expected: str | None) -> None:
    """covers: I113"""
    nobody = 'transition nobody [1 == 2] label "nobody" { x = 5; }'
    assert simple_events(f"{MOVE} transition {event} {nobody}") == (
        [MOVED] if expected is None else [MOVED, expected]
    )


@pytest.mark.parametrize("store", ["x = 7;", 'self."seven";'])
def test_a_body_that_may_be_an_error_of_the_model_is_not_dropped(store: str) -> None:
    model = gal(
        f"""gal M {{ int x = 0; transition a [x == 0] {{ {store} abort; }}
        transition b [x == 0] label "seven" {{ x = 7; }}
        transition c [x < 3] label "seven" {{ x = 6; }} }}"""
    )
    assert events(flat(model).model) == []
    type_ = model.system
    assert isinstance(type_, ElementaryType)
    (x,) = type_.variables
    bounded = replace(model, types=(replace(type_, variables=(replace(x, domain=Domain(0, 5)),)),))
    assert assert_same(bounded, [flat]) == "model error"


def test_equal_events_of_a_label_are_fused() -> None:
    """covers: I115"""
    found = simple_events(f"""{MOVE}
        transition a [x == 1] label "l" {{ y = 3; }}
        transition b [x == 1] label "l" {{ y = 3; }}
        transition c [x == 1] label "l" {{ y = 4; }}
        transition call [true] {{ self."l"; }}
        transition free1 [x == 1] {{ y = 3; }}
        transition free2 [x == 1] {{ y = 3; }}""")
    assert [e for e in found if 'label "l"' in e] == [
        'a [x == 1] label "l" { y = 3; }',
        'c [x == 1] label "l" { y = 4; }',
    ]
    assert len([e for e in found if e.startswith("free")]) == 2


def test_a_call_of_a_single_event_is_written_out() -> None:
    found = simple_events(f"""{MOVE}
        transition low [y == 0] label "low" {{ y = 5; }}
        transition mid [true] label "mid" {{ self."low"; x = 0; }}
        transition top [x == 1] {{ self."mid"; }}""")
    assert found == [MOVED, "top [x == 1 && y == 0] { y = 5; x = 0; }"]


def test_a_fixpoint_is_never_moved_into_its_caller() -> None:
    """A call is executed state by state, a fixpoint on the whole set: they must not be mixed."""
    model = gal("""
        gal M { int x = 0; int y = 0;
          transition pick1 [true] label "pick" { x = 1; }
          transition pick2 [true] label "pick" { x = 2; }
          transition same [true] label "more" { }
          transition more [x < 3] label "more" { x = x + 1; }
          transition loop [true] label "loop" { fixpoint { self."more"; } }
          transition all [y == 0] { self."pick"; self."loop"; y = x; } }
        """)
    assert_same(model, [flat])
    assert any("fixpoint" in e and "loop" in e for e in events(flat(model).model))


# --- updates that cancel --------------------------------------------------------------------------


def bounded(body: str, low: int | None, high: int | None, guard: str = "x >= 0") -> Model:
    """A model with a domain for x, in which x takes all values from 0 to 3."""
    model = gal(f"""
        gal M {{ int x = 0; int y = 0;
          transition up [x < 3] {{ x = x + 1; }}
          transition down [x > 0] {{ x = x - 1; y = (y + 1) % 3; }}
          transition a [{guard}] {{ {body} }} }}
        """)
    if low is None or high is None:
        return model
    type_ = model.system
    assert isinstance(type_, ElementaryType)
    x, y = type_.variables
    new = replace(type_, variables=(replace(x, domain=Domain(low, high)), y))
    return replace(model, types=(new,))


@pytest.mark.parametrize(
    ("body", "guard", "domain", "expected"),
    [
        ("x = x - 1; x = x + 1;", "y == 0", None, "{}"),
        ("x = x - 1; y = 0; x = x + 1;", "y == 0", None, "{ y = 0; }"),
        ("x = x + 2; x = x + 3; x = x - 1;", "x == 0", None, "{ x = x + 4; }"),
        # What looks at x in between sees the first update.
        ("x = x - 1; y = x; x = x + 1;", "y == 0", None, "{ x = x - 1; y = x; x = x + 1; }"),
        (
            "x = x - 1; if (x == 0) { y = 1; } x = x + 1;",
            "y == 0",
            None,
            "{ x = x - 1; if (x == 0) { y = 1; } x = x + 1; }",
        ),
        # With a domain the guard must say that the value in between is inside.
        ("x = x - 1; x = x + 1;", "x >= 1", (0, 3), "{}"),
        ("x = x - 1; x = x + 1;", "x > 0 && y == 0", (0, 3), "{}"),
        ("x = x - 1; x = x + 1;", "y == 0", (0, 3), "{ x = x - 1; x = x + 1; }"),
        ("x = x + 1; x = x - 1;", "x < 3", (0, 3), "{}"),
        ("x = x + 1; x = x - 1;", "x <= 3", (0, 3), "{ x = x + 1; x = x - 1; }"),
        # Both ends inside means everything between is; but the second must be reached.
        ("x = x + 1; y = 1; x = x + 1;", "x < 2", (0, 9), "{ y = 1; x = x + 2; }"),
        (
            "x = x + 1; y = 1 / y; x = x + 1;",
            "x < 2",
            (0, 3),
            "{ y = 1 / y; x = x + 2; }",
        ),
        (
            "x = x + 1; y = 1 / y; x = x + 1;",
            "y <= 2",
            (0, 3),
            "{ x = x + 1; y = 1 / y; x = x + 1; }",
        ),
    ],
)
def test_updates_of_one_cell_are_merged_where_that_is_sound(
    body: str, guard: str, domain: tuple[int, int] | None, expected: str
) -> None:
    """covers: I115"""
    low, high = domain or (None, None)
    model = bounded(body, low, high, guard)
    assert_same(model, [*LOWERING, simplify])
    found = events(run(model, [*LOWERING, simplify]).model)
    assert [e for e in found if e.startswith("a ")] == [f"a [{guard}] {expected}"]


# --- constants ------------------------------------------------------------------------------------


def test_cells_that_never_change_become_constants_and_the_lift_puts_them_back() -> None:
    """covers: I114, I46"""
    new = simple("""
        gal M { int x = 0; int limit = 3; array [4] t = (5, 6, 7, 8); array [2] table = (1, 2);
          int chain = 4;
          transition a [x < limit && t[0] == 5] { x = x + 1; t[2] = x; }
          transition b [t[1] == 0] { chain = 1; t[0] = 9; limit = 1; }
          transition c [chain == 1] { t[3] = 1; }
          transition d [x == 1] { x = table[x] - 1; } }
        property sum [bounds] : x + limit + t[0] + t[1] + t[2];
        property far [reachable] : t[3] == 8 && t[2] == 2 && chain == 4;
        property table [reachable] : table[1] == 2 && x == 2;
        """)
    variables = [v.name for v in new.model.system.variables]  # type: ignore[attr-defined]
    # t is read and written with constant indexes only, the table is looked up.
    assert variables == ["x", "t.2", "table"]
    assert events(new.model) == [
        "a [x < 3] { x = x + 1; t.2 = x; }",
        "d [x == 1] { x = table[x] - 1; }",
    ]
    assert properties(new.model)[0] == "property sum [bounds] : x + 14 + t.2;"
    assert new.lift(shape_of(new.model).initial()) == (0, 3, 5, 6, 7, 8, 1, 2, 4)


def test_a_write_with_a_computed_index_spoils_the_array() -> None:
    new = simple("""
        gal M { int x = 0; array [3] t = (0, 0, 0);
          transition a [x < 2 && t[2] == 0] { t[x] = 1; x = x + 1; } }
        property p [reachable] : t[2] == 1;
        """)
    assert [v.name for v in new.model.system.variables] == ["x", "t"]  # type: ignore[attr-defined]


def test_a_model_may_be_constant_as_a_whole() -> None:
    new = simple("""
        gal M { int x = 3; int k = 0; transition a [k == 2] { x = 1; } }
        property p [bounds] : x;
        """)
    assert shape_of(new.model).width == 0
    assert new.lift(()) == (3, 0)
    assert Semantics(new.model).check(new.model.properties[0]).value == 3


def test_an_array_that_something_assigns_outside_stays() -> None:
    """The assignment is kept to be counted, so its array must be there."""
    model = gal("gal M { int x = 0; transition a [x < 2] { x = x + 1; } }")
    type_ = model.system
    assert isinstance(type_, ElementaryType)
    beyond = Event("b", body=(Assign(Var("t", Const(5)), Const(1)),))
    array = Variable("t", size=Const(2))
    model = replace(
        model,
        types=(
            replace(type_, variables=(*type_.variables, array), events=(*type_.events, beyond)),
        ),
    )
    assert_same(model, [flat])
    semantics = Semantics(flat(model).model)
    semantics.reachable()
    assert semantics.undefined["b"] > 0


@pytest.mark.parametrize("size", [0, 1])
def test_a_condition_that_is_always_undefined_names_no_constant(size: int) -> None:
    """It is kept to be counted, even without branches; the variable of its index is gone."""
    new = simple(f"""
        gal M {{ int k = 5; int x = 0; array [{size}] t;
          transition a [x < 2] {{ x = x + 1; }}
          transition b [true] {{ if (t[k] != 0) {{ }} }} }}
        """)
    assert events(new.model)[1] == "b { if (1 / 0 == 0) { } }"
    semantics = Semantics(flat(new.model).model)
    assert len(semantics.reachable().states) == 3
    assert semantics.undefined["b"] > 0


def test_simplifying_twice_changes_nothing() -> None:
    model = gal("""
        gal M { int x = 0; int k = 1; array [2] t = (0, 1);
          transition a [x < 3 && k == 1] label "a" { x = x + k; t[0] = t[0] + 1 - 1; }
          transition b [true] { self."a"; if (t[1] == 1) { x = x; } } }
        """)
    once = run(model, [*LOWERING, simplify]).model
    assert simplify(once).model == once


def test_temporal_properties_keep_their_meaning_with_constants_and_undefined_atoms() -> None:
    model = gal("""
        gal M { int x = 0; int k = 0; array [2] t = (0, 0);
          transition a [x < 2] { x = x + 1; t[x - 1] = 1; }
          transition b [x == 2] { x = 0; } }
        property one [ctl] : AG (! (x / k == 1)) ;
        property two [ctl] : EF (x == 2 && k == 0);
        property three [ltl] : G F (x == 2 || k == 1);
        property four [ltl] : F (! (t[0] == 1 && k == 0));
        property five [invariant] : ! (x / k == 1);
        property six [never] : x / k == 1 || k == 1;
        """)
    assert_same(model, [flat])
