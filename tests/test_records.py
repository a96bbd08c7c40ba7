"""Cheap data classes are data classes: what both decorators make behaves alike."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field, fields, is_dataclass, replace
from typing import Any, ClassVar, cast

import pytest

from plait import records

Decorator = Callable[..., Any]
BOTH = pytest.mark.parametrize("decorator", [dataclasses.dataclass, records.dataclass])


def shapes(dataclass: Decorator) -> tuple[Any, Any, Any]:
    """A class, one that extends it, and one that a standard data class extends."""

    @dataclass(frozen=True, slots=True)
    class Base:
        """The base."""

        count: ClassVar[int] = 7
        a: int
        span: int | None = field(default=None, compare=False, repr=False, kw_only=True)

    @dataclass(frozen=True, slots=True)
    class Derived(Base):
        """Derived."""

        b: str = "b"
        c: list[int] = field(default_factory=list, hash=False)
        d: tuple[int, ...] = ()

        def __post_init__(self) -> None:
            object.__setattr__(self, "d", (*self.d, self.a))

    @dataclasses.dataclass(frozen=True)
    class Standard(Derived):
        """A standard data class that extends one."""

        e: int = 5

    return Base, Derived, Standard


@BOTH
def test_constructors_take_what_they_should(decorator: Decorator) -> None:
    base, derived, standard = shapes(decorator)
    one = derived(1, "x", d=(4,), span=3)
    assert (one.a, one.b, one.c, one.d, one.span, one.count) == (1, "x", [], (4, 1), 3, 7)
    assert derived(1).c is not derived(1).c
    assert standard(1, e=2).e == 2
    for wrong in ((), (1, 2)):
        with pytest.raises(TypeError):
            base(*wrong)
    with pytest.raises(TypeError):
        base(1, other=2)


@BOTH
def test_instances_are_equal_where_their_fields_are(decorator: Decorator) -> None:
    base, derived, _ = shapes(decorator)
    assert base(1, span=2) == base(1, span=3)
    assert hash(base(1, span=2)) == hash(base(1, span=3))
    assert hash(derived(1, c=[2])) == hash(derived(1))
    assert base(1) != base(2)
    assert base(1) != derived(1)
    assert derived(1, c=[2]) != derived(1)
    assert len({base(1), base(1, span=4), base(2)}) == 2


@BOTH
def test_instances_are_shown_with_their_fields(decorator: Decorator) -> None:
    base, derived, _ = shapes(decorator)
    name = base.__qualname__
    assert repr(base(1, span=2)) == f"{name}(a=1)"
    assert repr(derived(1)).endswith(".Derived(a=1, b='b', c=[], d=(1,))")


@BOTH
def test_nothing_can_be_assigned_or_deleted(decorator: Decorator) -> None:
    base, derived, _ = shapes(decorator)
    for instance in (base(1), derived(1)):
        with pytest.raises(FrozenInstanceError):
            instance.a = 2
        with pytest.raises(FrozenInstanceError):
            del instance.a
        assert not hasattr(instance, "__dict__")


@BOTH
def test_the_standard_library_knows_them(decorator: Decorator) -> None:
    base, derived, standard = shapes(decorator)
    assert is_dataclass(base)
    assert [f.name for f in fields(derived)] == ["a", "span", "b", "c", "d"]
    assert [f.name for f in fields(standard)] == ["a", "span", "b", "c", "d", "e"]
    changed = replace(derived(1, span=2), b="y")
    assert (changed.a, changed.b, changed.span, changed.d) == (1, "y", 2, (1, 1))
    match derived(1, "z"):
        case derived(a, b):
            assert (a, b) == (1, "z")
        case _:
            pytest.fail("patterns match by position")
    assert copy.deepcopy(derived(1, span=2)).span == 2


@records.dataclass(frozen=True, slots=True)
class Kept:
    """At the top of a module, where `pickle` finds it."""

    a: int
    b: tuple[int, ...] = ()


def test_instances_can_be_pickled_before_any_is_made() -> None:
    assert pickle.loads(pickle.dumps(Kept(1, (2,)))) == Kept(1, (2,))


@BOTH
def test_methods_of_the_class_are_kept(decorator: Decorator) -> None:
    @decorator(frozen=True, slots=True)
    class Own:  # noqa: PLW1641 - the decorator adds a hash
        a: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own)

        def __repr__(self) -> str:
            return "own"

    @decorator(frozen=True, slots=True, eq=False, repr=False)
    class Same:
        a: int

    own, same = cast(Any, Own), cast(Any, Same)
    assert (own(1) == own(2), repr(own(1)), hash(own(1)) == hash(own(1))) == (True, "own", True)
    assert same(1) != same(1)
    assert "Same object at" in repr(same(1))


@BOTH
def test_other_data_classes_are_the_standard_ones(decorator: Decorator) -> None:
    @decorator
    class Plain:
        a: int

    @decorator(order=True, frozen=True)
    class Ordered:
        a: int

    plain, ordered = cast(Any, Plain), cast(Any, Ordered)
    changed = plain(1)
    changed.a = 2
    assert changed == plain(2)
    assert ordered(1) < ordered(2)


def test_a_field_outside_the_constructor_is_an_empty_slot_and_no_part_of_the_value() -> None:
    @records.dataclass(frozen=True, slots=True)
    class Kept:
        value: int
        cache: str = field(init=False)

    one, two = Kept(1), Kept(1)
    object.__setattr__(one, "cache", "seen")
    assert one == two
    assert hash(one) == hash(two)
    assert [f.name for f in fields(Kept)] == ["value"]
    assert not hasattr(two, "cache")
    assert not hasattr(replace(one, value=1), "cache")
    assert not hasattr(copy.copy(one), "cache")


@BOTH
def test_a_class_that_is_not_frozen_is_changed_and_has_no_hash(decorator: Decorator) -> None:
    @decorator(slots=True)
    class Changed:
        a: int
        b: list[int] = field(default_factory=list)

    changed = cast(Any, Changed)
    one, two = changed(1), changed(1, [])
    assert one == two
    assert repr(one).endswith("Changed(a=1, b=[])")
    one.a = 2
    assert one != two
    assert one.b is not two.b
    assert not hasattr(one, "__dict__")
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)
    assert copy.copy(one) == one


def many() -> tuple[Any, Any]:
    """The two kinds of a class with all kinds of fields."""

    def made(decorator: Decorator) -> Any:
        @decorator(frozen=True, slots=True)
        class Many:
            a: int
            b: int = 2
            c: list[int] = field(default_factory=list)
            d: int = field(default=4, kw_only=True)

        return Many

    return made(dataclasses.dataclass), made(records.dataclass)


CALLS: list[tuple[tuple[object, ...], dict[str, object]]] = [
    ((1,), {}), ((1, 3), {"d": 5}), ((), {"a": 1, "c": [6]}), ((), {}), ((1, 2, [], 4), {}),
    ((1,), {"a": 1}), ((1,), {"e": 1}), ((1,), {"d": None, "b": 7}),
]  # fmt: skip


@pytest.mark.parametrize("before", [0, records.FEW, records.FEW + 1])
@pytest.mark.parametrize("call", CALLS)
def test_the_first_constructor_and_the_compiled_one_are_the_standard_one(
    before: int, call: tuple[tuple[object, ...], dict[str, object]]
) -> None:
    standard, ours = many()
    for _ in range(before):
        ours(0)
    args, kwargs = call
    shown = [_shown(made, args, kwargs) for made in (standard, ours)]
    assert shown[0] == shown[1]


def _shown(made: Any, args: tuple[object, ...], kwargs: dict[str, object]) -> list[str]:
    """What an instance looks like, and again after a change; or why there is none."""
    try:
        one = made(*args, **kwargs)
    except TypeError as wrong:
        return [str(wrong)]
    again = records.replace(one, b=9)
    return [repr(one), repr(again), str(again.c is one.c)]


def test_fields_of_both_modules_mean_the_same() -> None:
    @records.dataclass(frozen=True)
    class Standard:
        a: list[int] = records.field(default_factory=list)
        b: int = records.field(default=3, repr=False)

    @records.dataclass(frozen=True, slots=True)
    class Ours:
        a: list[int] = field(default_factory=list)
        b: int = field(default=3, repr=False)

    for made in (Standard(), Ours()):
        assert (made.a, made.b, repr(made).endswith("(a=[])")) == ([], 3, True)
        assert records.replace(made, b=4).b == 4
