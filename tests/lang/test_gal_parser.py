"""Reading GAL: the language, its traps, its lenient forms, imports, and hostile files."""

import random
from pathlib import Path

import pytest

from plait.errors import InputError
from plait.lang.gal import load, parse, parse_properties, print_model
from plait.logic.formula import Forall, Globally, Until
from plait.model.expr import (
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Deadlock,
    Enabled,
    Formula,
    Hop,
    Implies,
    IntExpr,
    Not,
    Or,
    Param,
    Truth,
    Var,
)
from plait.model.shape import shape_of
from plait.model.stmt import (
    Abort,
    AllCall,
    AnyCall,
    Assign,
    Call,
    Fixpoint,
    For,
    If,
    InstanceCall,
    NextCall,
)
from plait.model.types import (
    CompositeType,
    Constant,
    ElementaryType,
    Event,
    Instance,
    Interface,
    Label,
    Model,
    Parameter,
    Predicate,
    Property,
    Range,
    SetType,
    TypeParameter,
    Variable,
)

ONE, TWO = Const(1), Const(2)
x, y = Var("x"), Var("y")


def elementary(body: str) -> ElementaryType:
    model = parse(f"gal T {{ int x; int y; array [3] a; {body} }}", "m")
    assert isinstance(model.system, ElementaryType)
    return model.system


def event(text: str) -> Event:
    return elementary(text).events[0]


def prop(text: str, kind: str = "reachable") -> Formula | IntExpr | None:
    source = f"gal T {{ int x; int y; array [3] a; }} property p [{kind}] : {text};"
    return parse(source, "m").properties[0].body


def rejected(text: str, path: Path | None = None) -> str:
    with pytest.raises(InputError) as failure:
        parse(text, "m", path)
    found = failure.value.diagnostics[0]
    place = f"{found.span.line}:{found.span.column}: " if found.span else ""
    return place + found.message


# --- the language ---------------------------------------------------------------------------------


def test_every_published_file_reads_back_from_what_is_printed(data: Path) -> None:
    """The 47 files here; the two of the 465 that use `list` are refused below. covers: I92"""
    files = sorted(data.rglob("*.gal"))
    assert len(files) == 47
    for file in files:
        model = load(file)
        assert model.name == file.stem
        text = print_model(model)
        again = parse(text, model.name)
        assert again == model, file
        assert print_model(again) == text
        assert shape_of(model).width == len(shape_of(model).initial())


def test_declarations_become_constants_ranges_variables_and_events() -> None:
    text = """
        $N = 3; $M = -2;
        typedef ids = 0 .. $N - 1;
        /** what it is */
        gal T ($K = 1, $N = 4) {
          typedef own = -1 .. $K;
          int x = -5;
          int P.state;
          hotbit(ids) int h = 2;
          array [$N] a = (1, 2, 3, 4);
          hotbit(ids) array [2] b;
          predicate high = x > 3;
          transition t.0 (ids $i, own $j) [x == $i && y == $j] label "go"($i + 1, $j) {
            x = 1; x += 2; a[$i] -= x;
          }
          int y = 0;
          TRANSIENT = x == 9;
        }
    """
    t = elementary_only(parse(text, "m"))
    assert parse(text, "m").constants == (Constant("N", 3), Constant("M", -2))
    last = Binary("-", Param("N"), ONE)
    assert parse(text, "m").ranges == (Range("ids", Const(0), last),)
    assert t == ElementaryType(
        "T",
        constants=(Constant("K", 1), Constant("N", 4)),
        ranges=(Range("own", Const(-1), Param("K")),),
        events=(
            Event(
                "t.0",
                (Compare("==", x, Param("i")), Compare("==", y, Param("j"))),
                (
                    Assign(x, ONE),
                    Assign(x, Binary("+", x, TWO)),
                    Assign(Var("a", Param("i")), Binary("-", Var("a", Param("i")), x)),
                ),
                (Parameter("i", "ids"), Parameter("j", "own")),
                Label("go", (Binary("+", Param("i"), ONE), Param("j"))),
            ),
        ),
        variables=(
            Variable("x", (Const(-5),)),
            Variable("P.state"),
            Variable("h", (TWO,), hotbit="ids"),
            Variable("a", (ONE, TWO, Const(3), Const(4)), Param("N")),
            Variable("b", (), TWO, hotbit="ids"),
            Variable("y", (Const(0),)),
        ),
        predicates=(Predicate("high", Compare(">", x, Const(3))),),
        transient=Compare("==", x, Const(9)),
    )
    assert t.comment == "what it is"


def elementary_only(model: Model) -> ElementaryType:
    (only,) = model.types
    assert isinstance(only, ElementaryType)
    return only


def test_statements_nest() -> None:
    body = event(
        """transition t [true] {
             if (x == 1) { abort; } else { x = 1; }
             if (x == 2) { } else if (y == 2) { y = 1; }
             for ($i : r) { a[$i] = 0; self."l"($i); }
             fixpoint { self."m"; }
           }
           typedef r = 0 .. 2;
           transition l (r $i) [true] label "l"($i) { }
           transition m [true] label "m" { }"""
    ).body
    assert body == (
        If(Compare("==", x, ONE), (Abort(),), (Assign(x, ONE),)),
        If(Compare("==", x, TWO), (), (If(Compare("==", y, TWO), (Assign(y, ONE),)),)),
        For("i", "r", (Assign(Var("a", Param("i")), Const(0)), Call("l", (Param("i"),)))),
        Fixpoint((Call("m"),)),
    )


def test_composites_hold_instances_and_synchronizations() -> None:
    model = parse(
        """gal T ($K = 1) { int x; transition l [true] label "l" { }
             typedef r = 0 .. 1; transition m (r $i) [true] label "m"($i) { x = $i; } }
           composite C ($N = 2) {
             typedef ids = 0 .. $N - 1;
             T t; T u($K = 3), v; T[$N] ts($K = -1);
             synchronization s (ids $i) [$i != 1] label "s" {
               t."l"; ts[$i]."m"($i); self."q";
               if ($i == 0) { u."l"; }
               for ($j : ids) { ts[$j]."l"; }
             }
             synchronization q label "q" { abort; }
             synchronization free label "" { }
           }
           main C;""",
        "m",
    )
    c = model.system
    assert isinstance(c, CompositeType)
    assert c.instances == (
        Instance("t", "T"),
        Instance("u", "T", bindings=(("K", 3),)),
        Instance("v", "T"),
        Instance("ts", "T", Param("N"), (("K", -1),)),
    )
    s, q, free = c.events
    i = Param("i")
    assert s.guard == (Compare("!=", i, ONE),)
    assert s.label == Label("s")
    assert s.body == (
        InstanceCall(Hop("t"), "l"),
        InstanceCall(Hop("ts", i), "m", (i,)),
        Call("q"),
        If(Compare("==", i, Const(0)), (InstanceCall(Hop("u"), "l"),)),
        For("j", "ids", (InstanceCall(Hop("ts", Param("j")), "l"),)),
    )
    assert q.body == (Abort(),)
    assert free.label is None


def test_sets_have_a_syntax_of_their_own() -> None:
    model = parse(
        """gal T ($K = 1) { transition a [true] label "a" { } transition b [true] label "b" { } }
           scalar S ($N = 3) [$N] of T($K = 2) {
             synchronization s { any."a"; all."b"; self."q"; }
             synchronization q label "q" { any.a; }
           }
           circular R [4] of S { synchronization r { next."q", "q"; if (1 > 0) { abort; } } }
           main R;""",
        "m",
    )
    s, r = model.types[1:]
    assert isinstance(s, SetType)
    assert isinstance(r, SetType)
    assert s.element == Instance("item", "T", Param("N"), (("K", 2),))
    assert not s.circular
    assert s.events[0].body == (AnyCall("a"), AllCall("b"), Call("q"))
    assert s.events[1].body == (AnyCall("a"),)
    assert r.circular
    assert r.events[0].body[0] == NextCall("q", (), "q", ())
    assert parse(print_model(model), "m") == model
    assert [p.title for p in shape_of(model).parts] == [f"item[{i}]" for i in range(4)]


def test_a_single_type_is_its_own_main_and_several_need_one() -> None:
    """covers: I103"""
    assert parse("gal T { }", "m").main == "T"
    two = "gal T { } gal U { }"
    assert parse(two + " main U;", "m").main == "U"
    assert rejected(two) == "1:15: there are several types and no 'main'"
    assert rejected(two + " main V;") == "1:26: no type named 'V'"


def test_global_type_and_instance_constants_have_their_scopes() -> None:
    """The parsing part of overriding. covers: I105"""
    model = parse(
        """$N = 1; $M = 5;
           gal T ($N = 2) { int x = $N; array [$M] a; }
           composite C { T t; T u($N = 3); }
           main C;""",
        "m",
    )
    assert shape_of(model).initial() == (2, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0)


# --- the traps of the grammar ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("guard", "tree"),
    [
        ("x & 1 == 0", (Compare("==", Binary("&", x, ONE), Const(0)),)),
        ("! x >= 1", (Not(Compare(">=", x, ONE)),)),
        ("(x) == 1 && (x == 1)", (Compare("==", x, ONE), Compare("==", x, ONE))),
        (
            "(x == 1) + 1 == 2",
            (Compare("==", Binary("+", AsInt(Compare("==", x, ONE)), ONE), TWO),),
        ),
        ("(x + 1) * 2 == 1", (Compare("==", Binary("*", Binary("+", x, ONE), TWO), ONE),)),
        ("x == -5", (Compare("==", x, Const(-5)),)),
        ("True", ()),
        ("False", (Truth(False),)),
        ("x == 1 -> y == 1", (Implies(Compare("==", x, ONE), Compare("==", y, ONE)),)),
        ("x == 1 || y == 1", (Or((Compare("==", x, ONE), Compare("==", y, ONE))),)),
        ("(x == 1 && y == 1)", (Compare("==", x, ONE), Compare("==", y, ONE))),
        ("true && true", (Truth(True),)),
    ],
)
def test_traps_one_two_three_seven_and_ten_in_guards(guard: str, tree: tuple[Formula, ...]) -> None:
    """covers: I93"""
    assert event(f"transition t [{guard}] {{ }}").guard == tree


def test_trap_four_until_is_loosest_under_a_quantifier_and_tight_without() -> None:
    """covers: I93"""
    p, q = Compare("==", x, ONE), Compare("==", y, ONE)
    assert prop("A x == 1 && y == 1 U y == 1", "ctl") == Forall(Until(And((p, q)), q))
    assert prop("(x == 1 U y == 1 && x == 1)", "ltl") == And((Until(p, q), p))


def test_trap_five_temporal_operators_take_a_negation_level_operand() -> None:
    """covers: I93"""
    p, q = Compare("==", x, ONE), Compare("==", y, ONE)
    assert prop("AG x == 1 && y == 1", "ctl") == And((Forall(Globally(p)), q))
    assert prop("AG !x == 1", "ctl") == Forall(Globally(Not(p)))


def test_trap_six_an_initialiser_has_as_many_values_as_the_array_or_none() -> None:
    """covers: I93"""
    assert elementary("array [2] b; array [0] c = ();").variables[3:] == (
        Variable("b", (), TWO),
        Variable("c", (), Const(0)),
    )
    text = "gal T { array [2] a = (1); }"
    assert rejected(text) == "1:19: 'a' has 2 cells but 1 initial value"


def test_trap_seven_ranges_are_not_swallowed_by_numbers_or_names() -> None:
    """covers: I93"""
    ranges = elementary("typedef r=-1..3; typedef s = 0..2;").ranges
    assert ranges == (Range("r", Const(-1), Const(3)), Range("s", Const(0), TWO))


def test_trap_eight_lenient_forms_are_accepted() -> None:
    """covers: I93"""
    lenient = """gal T { int a=1, b=0; transition t { self.reset; }
                   transition r label "reset" { a = 0; } }
                 composite C { T t; T[2] u; synchronization s { t.reset; u[1].reset; } } main C;"""
    strict = """gal T { int a=1; int b=0; transition t [true] { self."reset"; }
                  transition r [true] label "reset" { a = 0; } }
                composite C { T t; T[2] u;
                  synchronization s label "" { t."reset"; u[1]."reset"; } }
                main C;"""
    assert parse(lenient, "m") == parse(strict, "m")


def test_trap_nine_a_single_equals_sign_compares_in_properties() -> None:
    """covers: I93"""
    assert prop("x = 1") == Compare("==", x, ONE)


def test_trap_eleven_a_synchronization_may_have_a_guard_over_parameters() -> None:
    """covers: I93"""
    text = "typedef r = 0..1; composite C { synchronization s (r $i) [$i == 1] { } }"
    assert parse(text, "m").system.events[0].guard == (Compare("==", Param("i"), ONE),)
    text = "gal T { int x; } composite C { T t; synchronization s [x == 1] { } } main C;"
    message = "a constant or parameter is needed here, not the variable 'x'"
    assert rejected(text) == f"1:56: {message}"


def test_qualified_names_end_before_a_label() -> None:
    text = """gal T { int P.0; int P.state; transition leave.clock [P.0 == P.state] label "l" { } }
              composite C { T t.1; synchronization s { t.1."l"; } } main C;"""
    model = parse(text, "m")
    assert model.system.events[0].body == (InstanceCall(Hop("t.1"), "l"),)
    assert parse(print_model(model), "m") == model


def test_keywords_are_names_where_they_make_no_sense_as_keywords() -> None:
    text = """gal gal { int if; int ^int; int label; int A; int self.x; array [2] E; int abort;
                transition transition [if == A && E[0] - A > 0] label "label" {
                  if = 1; abort = 2; self.x = 3; label += 1; } }
              composite composite { gal main; synchronization for { main."label"; } }
              main gal;
              property property [ctl] : A A == 1 U ^E[1] == 2;
              property p2 [reachable] : A - 1 == 0 && E[1] == 1;"""
    model = parse(text, "m")
    a = Var("A")
    e = Var("E", ONE)
    until = Until(Compare("==", a, ONE), Compare("==", e, TWO))
    assert model.property("property").body == Forall(until)
    assert parse(print_model(model), "m") == model


def test_a_name_that_is_no_identifier_stands_in_quotes() -> None:
    text = """gal "my type" { int "p-1" = 1; array [2] 'q r';
                transition "t 1" ["p-1" > 0] { "p-1" -= 1; 'q r'[0] += 1; } }
              property "some name" [bounds] : "p-1" + "q r"[1];"""
    model = parse(text, "m")
    assert model.system.events[0].name == "t 1"
    assert parse(print_model(model), "m") == model


def test_byte_order_marks_and_all_line_ends_are_accepted() -> None:
    text = "gal T { // comment\n int x; }"
    for variant in ("\ufeff" + text, text.replace("\n", "\r\n"), text.replace("\n", "\r")):
        assert parse(variant, "m") == parse(text, "m")


def test_a_latin_1_comment_does_not_hurt(tmp_path: Path) -> None:
    file = tmp_path / "old.gal"
    file.write_bytes("gal T { /** première */ int x; }".encode("latin-1"))
    assert elementary_only(load(file)).variables[0].comment == "première"


def test_documentation_comments_are_kept_with_what_they_precede() -> None:
    t = elementary("/** the count */ int n; /** go */ transition t [true] { /** note */ x = 1; }")
    assert t.variables[3].comment == "the count"
    assert t.events[0].comment == "go"
    assert elementary_only(parse(print_model(Model("m", (t,), "T")), "m")).events[0].comment == "go"


# --- properties -----------------------------------------------------------------------------------


def test_all_kinds_of_property_are_read() -> None:
    """The reading part: they are evaluated elsewhere. covers: I102"""
    model = parse(
        """gal T { int x; int y; transition t [true] { } }
           property r [reachable] : x == 1;
           property i [invariant] : x == 1;
           property n [never] : x == 1;
           property b [bounds] : x + y;
           property c [ctl] : AG (x == 1);
           property l [ltl] : G (x == 1);
           property a [atom] : x == 1;
           property free [deadlock];
           property "named by text" [invariant] : !deadlock && enabled("t");
           property uses [reachable] : a && y == 1;""",
        "m",
    )
    one = Compare("==", x, ONE)
    assert [(p.name, p.kind) for p in model.properties] == [
        *[("r", "reachable"), ("i", "invariant"), ("n", "never"), ("b", "bounds"), ("c", "ctl")],
        *[("l", "ltl"), ("a", "atom"), ("free", "deadlock")],
        *[("named by text", "invariant"), ("uses", "reachable")],
    ]
    assert model.property("free").body is None
    assert model.property("named by text").body == And((Not(Deadlock()), Enabled(("t",))))
    assert model.property("uses").body == And((one, Compare("==", y, ONE)))
    assert parse(print_model(model), "m") == model


def test_properties_reach_into_instances_by_colons_and_dots() -> None:
    model = parse(
        """gal T { int x; array [2] a; int P.q; predicate pos = x > 0; }
           composite C { T[2] t; T u; }
           composite D { C c; C d.e; }
           main D;
           property p [reachable] : c:t[1]:a[0] == 1;
           property q [reachable] : c.u.x == 1 && d.e.u.P.q == 1 && c.t[1].a[0] == 1;
           property r [reachable] : c:t[0]:pos;""",
        "m",
    )
    c = Hop("c")
    cell = Compare("==", Var("a", Const(0), (c, Hop("t", ONE))), ONE)
    assert model.property("p").body == cell
    inner = Compare("==", Var("x", None, (c, Hop("u"))), ONE)
    dotted = Compare("==", Var("P.q", None, (Hop("d.e"), Hop("u"))), ONE)
    assert model.property("q").body == And((inner, dotted, cell))
    assert model.property("r").body == Compare(
        ">", Var("x", None, (c, Hop("t", Const(0)))), Const(0)
    )
    assert parse(print_model(model), "m") == model


def test_a_predicate_of_a_part_sees_the_constants_of_its_instance() -> None:
    model = parse(
        """gal T ($N = 1) { int x; predicate full = x == $N; }
           composite C { T t; T u($N = 7); } main C;
           property p [reachable] : t:full && u:full;""",
        "m",
    )
    full = Compare("==", Var("x", None, (Hop("t"),)), ONE)
    other = Compare("==", Var("x", None, (Hop("u"),)), Const(7))
    assert model.property("p").body == And((full, other))


def test_a_companion_file_holds_properties_only(data: Path) -> None:
    folder = data / "gal" / "cgal"
    model = load(folder / "cache_l1.gal")
    text = (folder / "cache_l1.prop").read_text()
    (found,) = parse_properties(text, "cache_l1.prop", model)
    body = Compare("==", Var("tstate", None, (Hop("tester"),)), Const(4))
    assert found == Property("success4", "reachable", body)


def test_properties_of_a_companion_file_need_no_semicolons() -> None:
    model = parse("gal T { int x; }", "m")
    text = """import "m.gal";
              property Philo-5-ctl [reachable] : x == 1
              property two [invariant] : (x == 1 && x == 2) ; property three [deadlock]"""
    names = [p.name for p in parse_properties(text, "m.prop", model)]
    assert names == ["Philo-5-ctl", "two", "three"]
    with pytest.raises(InputError, match="expected 'property', found 'gal'"):
        parse_properties("gal T { }", "m.prop", model)


def test_all_wrong_properties_are_reported_together() -> None:
    text = "gal T { int x; } property p [reachable] : z == 1; property q [never] : x; "
    with pytest.raises(InputError) as failure:
        parse(text, "m")
    assert [d.message for d in failure.value.diagnostics] == [
        "type 'T' has no variable 'z'",
        "a condition is needed here, but 'x' is a number",
    ]


# --- imports, interfaces, templates, aliases, predicates ------------------------------------------


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


TEMPLATE = """
    interface Worker { "work"; "rest"(0); }
    interface Any { }
    typedef bit = 0 .. 1;
    gal Bee { int x; transition w [true] label "work" { x = 1; }
              transition r (bit $i) [true] label "rest"($i) { x = $i; } }
    gal Ant ($K = 1) { int x; int y; transition w [true] label "work" { x = $K; }
              transition r (bit $i) [true] label "rest"($i) { y = $i; } }
    composite Pair<T extends Worker, Any, U extends Worker> ($N = 2) {
      T[$N] t; U u; synchronization go label "go" { t[0]."work"; u."rest"(1); } }
    composite Twice<V extends Worker> { Pair<V, V> p; Pair<V, Bee> q; }
"""


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


# --- wrong and hostile texts ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: expected a type such as 'gal Name { ... }', found the end of the text"),
        (
            "// nothing",
            "1:1: expected a type such as 'gal Name { ... }', found the end of the text",
        ),
        (
            "hello",
            "1:1: expected 'gal', 'composite', 'main', 'property' or another declaration, "
            "found 'hello'",
        ),
        ("gal", "1:4: expected the name of the type, found the end of the text"),
        ("gal T", "1:6: expected '{', found the end of the text"),
        ("gal T {", "1:8: expected a declaration or '}', found the end of the text"),
        ("gal T { x = 1; }", "1:9: expected a declaration or '}', found 'x'"),
        ("gal T { $N = 1; }", "1:9: expected a declaration or '}', found '$N'"),
        ("gal T { int x }", "1:15: expected ';' after the declaration, found '}'"),
        ("gal T { int 3; }", "1:13: expected the name of a variable, found '3'"),
        ("gal T { list q = (1); }", "1:9: the list type of early GAL is not supported"),
        ("gal T { array a; }", "1:15: expected '[', found 'a'"),
        ("gal T { transition t [true { } }", "1:28: expected ']' or an operator, found '{'"),
        (
            "gal T { transition t x { } }",
            "1:22: expected a guard '[...]', '{' or 'label', found 'x'",
        ),
        ("gal T { transition t { x 1; } }", "1:26: expected '=', '+=' or '-=', found '1'"),
        ("gal T { transition t { x = 1 } }", "1:30: expected ';' after the assignment, found '}'"),
        ("gal T { transition t { $x = 1; } }", "1:24: cannot assign to the parameter '$x'"),
        ('gal T { transition t { p."l"; } }', "1:24: only 'self' can be called here, not 'p'"),
        ("gal T { transition t { if (true) x = 1; } }", "1:34: expected '{', found 'x'"),
        (
            "gal T { transition t { x = 1; ",
            "1:30: expected a statement or '}', found the end of the text",
        ),
        ("gal T { TRANSIENT = true; TRANSIENT = true; }", "1:27: TRANSIENT is given twice"),
        ("gal T { hotbit(r) x; }", "1:19: expected 'int' or 'array', found 'x'"),
        ("gal T { } main T; main T;", "1:19: 'main' is given twice"),
        (
            "gal T { } main T",
            "1:17: expected ';' after the name of the main type, found the end of the text",
        ),
        ('gal T { } import "x";', "1:11: imports come before everything else"),
        (
            "gal T { } property p [foo] : true;",
            "1:23: expected a kind of property (reachable, "
            "invariant, never, deadlock, bounds, ctl, ltl, atom), found 'foo'",
        ),
        ("gal T { } property p [ctl] true;", "1:28: expected ':', found 'true'"),
        (
            "gal T { } property p [ctl] : true",
            "1:34: expected an operator or ';', found the end of the text",
        ),
        ("composite C { 5 }", "1:15: expected an instance, a synchronization or '}', found '5'"),
        ("composite C { T; }", "1:16: expected the name of the instance, found ';'"),
        (
            "composite C { synchronization s { x = 1; } }",
            "1:35: a synchronization has no variables to assign",
        ),
        ("composite C<T extends> { }", "1:22: expected the name of an interface, found '>'"),
        ("scalar S of T { }", "1:10: expected '[' and the number of instances, found 'of'"),
        ("scalar S [2] of T { T t; }", "1:21: expected a synchronization or '}', found 'T'"),
        (
            'scalar S [2] of T { synchronization s { p."l"; } }',
            "1:41: only 'any', 'all', 'next' and 'self' can be called here, not 'p'",
        ),
        (
            'scalar S [2] of T { synchronization s { next."l"; } }',
            "1:49: expected ',' and the label of the next instance, found ';'",
        ),
        ("$N = x;", "1:6: expected a number, found 'x'"),
        (
            "$N = 10000000000000000000000000000000;",
            "1:6: the constant 10000000000000000000000000000000 does not fit in 32 bits",
        ),
        (
            "gal T { int x = 10000000000000000000000000000000; }",
            "1:17: the constant 10000000000000000000000000000000 does not fit in 32 bits",
        ),
        ("gal T { int é; }", "1:13: unexpected character 'é' (U+00E9)"),
        ("\x00\x01\x02", "1:1: unexpected character U+0000; is this a text file?"),
        ("gal T { /* int x; }", "1:9: this comment is not closed"),
        ('gal T { } property "p', "1:20: this string is not closed on its line"),
    ],
)
def test_a_wrong_text_is_refused_with_its_place(text: str, message: str) -> None:
    assert rejected(text) == message


def test_blocks_nest_200_deep_and_no_deeper() -> None:
    def nested(depth: int) -> str:
        inside = depth - 1
        return f"gal T {{ int x; transition t {'{ if (true) ' * inside}{{ x = 1; {'}' * depth} }}"

    deep = parse(nested(200), "m")
    assert parse(print_model(deep), "m") == deep
    assert rejected(nested(201)).endswith("blocks are nested deeper than 200 levels")
    chain = "if (true) { } " + "else if (true) { } " * 300
    message = rejected(f"gal T {{ transition t {{ {chain} }} }}")
    assert message.endswith("blocks are nested deeper than 200 levels")


def test_a_file_that_cannot_be_read_is_an_input_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "gone.gal", Path("/dev/zero")):
        with pytest.raises(InputError, match="cannot read"):
            load(path)


def test_a_truncated_file_is_refused_or_still_a_model(data: Path) -> None:
    text = (data / "gal" / "cgal" / "PhiloFork.gal").read_text()
    refusals = [refusal(text[: step * len(text) // 200]) for step in range(200)]
    assert all("<input>" in r for r in refusals if r is not None)
    assert sum(r is not None for r in refusals) > 150


def refusal(text: str) -> str | None:
    """How a text is refused, or None when it is a model, which must then print and read back."""
    try:
        model = parse(text, "<input>")
    except InputError as failure:
        return failure.render()
    assert parse(print_model(model), "<input>") == model
    return None


def test_mutated_files_never_raise_anything_but_input_errors(data: Path) -> None:
    """Bytes and tokens of published files changed at random, 3000 times, always the same ones."""
    rng = random.Random(7)
    names = [
        "cgal/PhiloFork.gal",
        "gal/loyd.gal",
        "cgal/fischer.mod.gal",
        "beem-flat/adding.1.flat.gal",
    ]
    sources = [(data / "gal" / n).read_bytes() for n in names] + [TEMPLATE.encode()]
    words = (
        b"{ } ( ) [ ] ; , : . .. = == -> $ $i self any \" ' /* */ // 99999999999 -1 ^ A U [] int if"
    )
    pieces = words.split(b" ")
    refused = 0
    for _ in range(3000):
        text = bytearray(rng.choice(sources))
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(text))
            match rng.randrange(4):
                case 0:
                    text[at] = rng.randrange(256)
                case 1:
                    del text[at : at + rng.randint(1, 30)]
                case 2:
                    text[at:at] = b" " + rng.choice(pieces) + b" "
                case _:
                    other = rng.randrange(len(text))
                    text[at:at] = text[other : other + rng.randint(1, 60)]
        refused += refusal(bytes(text).decode("utf-8", "replace")) is not None
    assert refused > 1000
