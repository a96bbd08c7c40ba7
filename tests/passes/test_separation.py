"""Parameter separation: fewer copies, the same behaviour, nothing moved that does not commute."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from plait.engines import Budget, states
from plait.lang.gal import parse
from plait.model.types import ElementaryType, Model
from plait.passes import instantiate
from plait.passes.separation import separate

LIMIT = Budget(states=2_000)


def events(model: Model) -> int:
    system = instantiate(model).model.system
    assert isinstance(system, ElementaryType)
    return len(system.events)


def space(model: Model) -> tuple[int, int | None]:
    found = states(model, budget=LIMIT)
    assert found.complete
    return found.states, found.deadlocks


INDEPENDENT = """
gal boxes {
    typedef r = 0 .. 4;
    array [5] a = (1, 0, 0, 1, 0);
    array [5] b = (1, 1, 0, 0, 0);
    array [5] c = (0, 0, 0, 0, 1);
    transition t (r $x, r $y, r $z) [a[$x] == 1 && b[$y] == 1 && c[$z] == 0] {
        a[$x] = 0;
        b[$y] = 0;
        c[$z] = 1;
    }
}
"""
CHAIN = """
gal chain {
    typedef r = 0 .. 3;
    array [4] a = (0, 0, 0, 0);
    array [4] b = (0, 0, 0, 0);
    transition t (r $x, r $y, r $z) [$x != $y && $y < $z && a[$x] == 0 && b[$z] == 0] {
        a[$x] = 1;
        b[$z] = 1;
    }
}
"""
VENDING = """
gal vending {
    typedef r = 0 .. 1;
    array [2] slots = (1, 1);
    int sold = 0;
    transition t (r $x, r $y, r $z) [slots[$x] > 0 && slots[$y] > 0 && slots[$z] > 0] {
        slots[$x] -= 1;
        slots[$y] -= 1;
        slots[$z] -= 1;
        sold += 1;
    }
}
"""


def test_independent_parameters_cost_a_sum() -> None:
    """covers: I110"""
    model = parse(INDEPENDENT, "boxes.gal")
    apart = separate(model).model
    assert (events(model), events(apart)) == (125, 15)
    assert space(apart) == space(model)


def test_a_parameter_with_one_neighbour_moves_to_a_label_that_carries_it() -> None:
    """covers: I107, I110"""
    model = parse(CHAIN, "chain.gal")
    apart = separate(model).model
    assert events(apart) < events(model)
    assert space(apart) == space(model)


def test_what_does_not_commute_is_not_separated() -> None:
    """The plain model lets one colour be taken three times; separating it would change that.

    covers: I111
    """
    model = parse(VENDING, "vending.gal")
    assert separate(model).model == model
    assert space(model)[0] > 1


def test_in_the_sense_of_nets_three_tokens_must_be_there() -> None:
    """covers: I111"""
    model = parse(VENDING, "vending.gal")
    net = separate(model, net=True).model
    assert net != model
    assert space(net) == (1, 1)
    assert events(net) < events(model)


def test_equal_parameters_are_merged() -> None:
    """covers: I112"""
    text = VENDING.replace("[slots", "[$x == $y && $y == $z && slots")
    model = parse(text, "merged.gal")
    apart = separate(model).model
    system = apart.system
    assert isinstance(system, ElementaryType)
    assert [p.name for p in system.events[0].parameters] == ["x"]
    assert space(apart) == space(model)


def test_parameters_of_different_ranges_are_not_merged() -> None:
    text = INDEPENDENT.replace("typedef r", "typedef s = 0 .. 2; typedef r").replace(
        "r $y, r $z) [", "s $y, r $z) [$x == $y && "
    )
    model = parse(text, "ranges.gal")
    assert space(separate(model).model) == space(model)


@pytest.mark.parametrize(
    "body",
    [
        "a[$x] = b[$y]; b[$y] = 2;",
        "b[$y] = 2; a[$x] = 1; if (b[0] == 2) { a[1] = 3; }",
        "a[$x] = (a[$x] + 1) % 3; a[$y] = (a[$y] * 2) % 4; a[$z] = 1 - a[$z];",
        "a[$x] = 1; if (a[$y] == 1) { abort; } b[$z] = 1;",
        "for ($i : r) { a[$i] = b[$x]; } b[$y] = $z;",
    ],
)
def test_bodies_that_depend_on_their_order_keep_their_meaning(body: str) -> None:
    text = f"""
    gal order {{
        typedef r = 0 .. 2;
        array [3] a = (0, 0, 0);
        array [3] b = (0, 1, 0);
        transition t (r $x, r $y, r $z) [a[$x] < 3 && b[$y] < 3 && a[$y] > 0 - 3] {{ {body} }}
        transition back [true] {{ a[0] = 0; b[0] = 0; }}
    }}
    """
    model = parse(text, "order.gal")
    assert space(separate(model).model) == space(model)


CELLS = st.sampled_from(["a[$x]", "a[$y]", "b[$x]", "b[$y]", "b[$z]", "c", "a[0]"])
CONDITIONS = st.one_of(
    st.builds("{} < 2".format, CELLS),
    st.builds("{} == {}".format, CELLS, CELLS),
    st.sampled_from(["$x == $y", "$y != $z", "$x < $z", "$y == $z"]),
)
STATEMENTS = st.one_of(
    st.builds("{} = {};".format, CELLS, CELLS),
    st.builds("{0} += 1;".format, CELLS),
    st.builds("{0} -= 1;".format, CELLS),
    st.builds("{} = {};".format, CELLS, st.sampled_from(["0", "$x", "$z", "($y + 1) % 3"])),
    st.builds("if ({}) {{ {} = 1; }}".format, CONDITIONS, CELLS),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(CONDITIONS, max_size=3), st.lists(STATEMENTS, min_size=1, max_size=4))
def test_random_events_keep_their_states_and_deadlocks(guard: list[str], body: list[str]) -> None:
    """The bounds in the guard keep the spaces small.

    covers: I110
    """
    bounds = "a[$x] < 2 && b[$y] < 2 && b[$z] < 2 && a[$y] > 0 - 2 && b[$x] > 0 - 2 && c < 2"
    text = f"""
    gal random {{
        typedef r = 0 .. 1;
        array [2] a = (0, 1);
        array [2] b = (1, 0);
        int c = 0;
        transition t (r $x, r $y, r $z) [{" && ".join([bounds, *guard])}] {{ {" ".join(body)} }}
    }}
    """
    model = parse(text, "random.gal")
    assume(states(model, budget=LIMIT).complete)
    assert space(separate(model).model) == space(model)
