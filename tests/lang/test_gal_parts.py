"""GAL in several parts: imports, templates, aliases, predicates."""

from pathlib import Path

import pytest
from gal_texts import TEMPLATE, elementary, rejected

from plait.errors import InputError
from plait.lang.gal import load, parse, print_model
from plait.model.expr import (
    AsInt,
    Binary,
    Compare,
    Const,
    Not,
    Or,
    Var,
)
from plait.model.shape import shape_of
from plait.model.stmt import (
    Assign,
)
from plait.model.types import (
    CompositeType,
    Constant,
    Interface,
    Predicate,
    TypeParameter,
)

ONE, TWO = Const(1), Const(2)
x, y = Var("x"), Var("y")


def test_imports_bring_types_constants_and_ranges(tmp_path: Path) -> None:
    """covers: I101"""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "base.gal").write_text("$N = 2; typedef r = 0..$N; interface I { }")
    (tmp_path / "t.gal").write_text('import "sub/base.gal"; gal T { array [$N] a; }')
    (tmp_path / "u.gal").write_text(
        'import "sub/base.gal"; gal U { } main U; property p [deadlock];'
    )
    main = tmp_path / "main.gal"
    main.write_text('import "t.gal"; import "u.gal"; composite C { T t; U u; } main C;')
    model = load(main)
    assert [t.name for t in model.types] == ["T", "U", "C"]
    assert model.constants == (Constant("N", 2),)
    assert model.interfaces == (Interface("I"),)
    assert model.properties == ()
    assert shape_of(model).width == 2
    assert parse(print_model(model), "main") == model


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("/etc/passwd", "1:8: only files in this folder or below it can be imported"),
        ("C:\\\\x.gal", "1:8: only files in this folder or below it can be imported"),
        ("../up.gal", "1:8: only files in this folder or below it can be imported"),
        ("sub/../../up.gal", "1:8: only files in this folder or below it can be imported"),
        ("", "1:8: an import needs the name of a file"),
        ("a\\u0000b", "1:8: an import needs the name of a file"),
    ],
)
def test_an_import_stays_in_its_folder(tmp_path: Path, target: str, message: str) -> None:
    """covers: I101"""
    assert rejected(f'import "{target}"; gal T {{ }}', tmp_path / "m.gal") == message


def test_an_import_that_cannot_be_read_is_located(tmp_path: Path) -> None:
    text = 'import "gone.gal"; gal T { }'
    assert rejected(text, tmp_path / "m.gal").endswith("gone.gal: there is no such file")
    (tmp_path / "gone.gal").mkdir()
    assert rejected(text, tmp_path / "m.gal").endswith("it is not an ordinary file")
    message = "this text does not come from a file, so it cannot import one"
    assert rejected(text) == f"1:8: {message}"


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.gal").write_text("gal S { }")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link.gal").symlink_to(tmp_path / "secret.gal")
    message = rejected('import "link.gal"; gal T { }', tmp_path / "in" / "m.gal")
    assert message == "1:8: only files in this folder or below it can be imported"


def test_import_cycles_and_long_chains_are_found(tmp_path: Path) -> None:
    """covers: I101"""
    (tmp_path / "a.gal").write_text('import "b.gal";')
    (tmp_path / "b.gal").write_text('import "a.gal";')
    with pytest.raises(InputError, match=r"import each other: a\.gal -> b\.gal -> a\.gal"):
        load(tmp_path / "a.gal")
    for i in range(60):
        (tmp_path / f"c{i}.gal").write_text(f'import "c{i + 1}.gal";')
    with pytest.raises(InputError, match="nested deeper than 50 files"):
        load(tmp_path / "c0.gal")


def test_templates_are_made_concrete_where_they_are_instantiated() -> None:
    """covers: I101"""
    text = TEMPLATE + "composite M { Twice<Ant> a; Pair<Bee, Bee>[2] b($N = 1); } main M;"
    model = parse(text, "m")
    assert [t.name for t in model.types] == [
        *["Bee", "Ant", "Pair", "Twice", "M"],
        *["Twice<Ant>", "Pair<Ant, Ant>", "Pair<Ant, Bee>", "Pair<Bee, Bee>"],
    ]
    pair = model.type("Pair")
    assert isinstance(pair, CompositeType)
    assert pair.type_parameters == (
        TypeParameter("T", ("Worker", "Any")),
        TypeParameter("U", ("Worker",)),
    )
    # Twice<Ant> is 2 * 2 + 2 and 2 * 2 + 1 cells; the two pairs of bees have 1 + 1 each.
    assert shape_of(model).width == 6 + 5 + 2 * 2
    assert parse(print_model(model), "m") == model


@pytest.mark.parametrize(
    ("main", "message"),
    [
        ("Pair<Bee> p;", "template 'Pair' takes 2 type arguments, not 1"),
        ("Pair p;", "template 'Pair' takes 2 type arguments, not 0"),
        ("Pair<Bee, Cat> p;", "no type named 'Cat'"),
        ("Bee<Ant> p;", "'Bee' is not a template"),
        ("Pair<Bee, Lazy> p;", "type 'Lazy' has no label 'rest' with 1 argument"),
    ],
)
def test_a_template_argument_must_fit(main: str, message: str) -> None:
    """covers: I101"""
    lazy = 'gal Lazy { transition w [true] label "work" { } }'
    text = f"{TEMPLATE} {lazy} composite M {{ {main} }} main M;"
    with pytest.raises(InputError) as failure:
        parse(text, "m")
    assert message in [d.message for d in failure.value.diagnostics]


def test_templates_that_give_too_many_types_are_refused() -> None:
    types = " ".join(f"gal T{i} {{ }}" for i in range(10))
    formal = ", ".join(f"P{i}" for i in range(10))
    swapped = ", ".join(["P1", "P0", *(f"P{i}" for i in range(2, 10))])
    turned = ", ".join([*(f"P{i}" for i in range(1, 10)), "P0"])
    actual = ", ".join(f"T{i}" for i in range(10))
    text = f"""{types} composite C<{formal}> {{ C<{swapped}> a; C<{turned}> b; }}
               composite M {{ C<{actual}> c; }} main M;"""
    with pytest.raises(InputError, match="templates give more than 10000 types"):
        parse(text, "m")


def test_aliases_and_predicates_are_expanded_where_they_are_used() -> None:
    """covers: I101"""
    t = elementary(
        """alias sum = x + y; alias twice = sum * 2;
           transition t [late && twice > 3 && early] { x = sum; y = (early) + 1; }
           predicate early = x < 1;
           predicate late = x > 5 || !early;"""
    )
    early = Compare("<", x, ONE)
    total = Binary("+", x, y)
    late = Or((Compare(">", x, Const(5)), Not(early)))
    assert t.predicates == (Predicate("early", early), Predicate("late", late))
    assert t.events[0].guard == (late, Compare(">", Binary("*", total, TWO), Const(3)), early)
    assert t.events[0].body == (
        Assign(x, total),
        Assign(y, Binary("+", AsInt(early), ONE)),
    )


def test_wrong_aliases_are_refused() -> None:
    assert rejected("gal T { int x; alias n = z; }") == "1:26: undeclared variable 'z'"
    text = "gal T { int x; alias n = x; transition t [true] { n = 1; } }"
    assert rejected(text) == "1:51: cannot assign to the alias 'n'"
    text = "gal T { int x; predicate n = x > 0; transition t [true] { n = 1; } }"
    assert rejected(text) == "1:59: cannot assign to the predicate 'n'"


def test_aliases_cannot_explode() -> None:
    doubling = "".join(f"alias a{i + 1} = a{i} + a{i};" for i in range(60))
    text = f"gal T {{ int x; alias a0 = x; {doubling} transition t [a60 == 1] {{ }} }}"
    with pytest.raises(InputError, match="expand to more than 2000000 terms"):
        parse(text, "m")
