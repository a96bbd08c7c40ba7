"""Where the cells of a state are."""

import pytest

from plait.errors import InputError
from plait.model import (
    Channel,
    CompositeType,
    Const,
    Constant,
    Domain,
    ElementaryType,
    Instance,
    Model,
    Param,
    SetType,
    Variable,
    shape_of,
)


def philosopher() -> ElementaryType:
    return ElementaryType(
        "phil",
        constants=(Constant("start", 5),),
        variables=(Variable("x", (Param("start"),)), Variable("a", size=Const(2))),
        channels=(Channel("ch", 2, (None,)),),
    )


def test_cells_come_in_declaration_order_depth_first() -> None:
    pair = CompositeType(
        "pair",
        instances=(
            Instance("p", type="phil", size=Const(2)),
            Instance("q", type="phil", bindings=(("start", 9),)),
        ),
    )
    shape = shape_of(Model("m", (philosopher(), pair), "pair"))
    names = list(shape.cells())
    assert names[:6] == [
        "p[0]:x",
        "p[0]:a[0]",
        "p[0]:a[1]",
        "p[0]:ch.length",
        "p[0]:ch.0.0",
        "p[0]:ch.1.0",
    ]
    assert names[6] == "p[1]:x"
    assert names[12] == "q:x"
    assert shape.width == len(names) == len(shape.initial()) == len(list(shape.domains())) == 18
    assert shape.initial()[0] == 5
    assert shape.initial()[12] == 9


def test_equal_instances_share_one_shape_so_that_two_to_the_thousand_fit() -> None:
    types = [philosopher()]
    below = "phil"
    for level in range(1000):
        name = f"table{level}"
        types.append(
            CompositeType(name, instances=(Instance("l", type=below), Instance("r", type=below)))
        )
        below = name
    shape = shape_of(Model("m", tuple(types), below))
    assert shape.width == 6 * 2**1000


def test_a_set_has_as_many_parts_as_it_says() -> None:
    ring = SetType(
        "ring",
        constants=(Constant("N", 3),),
        element=Instance("item", type="phil", size=Param("N")),
        circular=True,
    )
    shape = shape_of(Model("m", (philosopher(), ring), "ring"))
    assert [p.title for p in shape.parts] == ["item[0]", "item[1]", "item[2]"]


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ((CompositeType("c", instances=(Instance("i", type="c"),)),), "type 'c' contains itself"),
        ((CompositeType("c", instances=(Instance("i", type="d"),)),), "no type named 'd'"),
        (
            (ElementaryType("c", variables=(Variable("a", size=Const(-1)),)),),
            "the size of 'a' is -1; it must be in 0 .. 16777216",
        ),
        (
            (ElementaryType("c", variables=(Variable("a", (Const(1),), size=Const(2)),)),),
            "'a' has 2 cells but 1 initial values",
        ),
        (
            (ElementaryType("c", variables=(Variable("a", (Const(7),), domain=Domain(0, 5)),)),),
            "the initial value 7 of 'a' is outside its domain 0..5",
        ),
        (
            (ElementaryType("c", variables=(Variable("a", size=Param("N")),)),),
            "undeclared parameter '$N'",
        ),
    ],
)
def test_a_shape_that_makes_no_sense_is_refused(types: tuple, message: str) -> None:
    with pytest.raises(InputError) as failure:
        shape_of(Model("m", types, "c"))
    assert str(failure.value) == message


def test_two_types_that_contain_each_other_are_refused() -> None:
    a = CompositeType("a", instances=(Instance("i", type="b"),))
    b = CompositeType("b", instances=(Instance("i", type="a"),))
    with pytest.raises(InputError, match="contains itself"):
        shape_of(Model("m", (a, b), "a"))
