"""Reading GAL: the language, its traps, its lenient forms, imports, and hostile files."""

from pathlib import Path

import pytest
from gal_texts import elementary, event, prop, rejected

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
    Label,
    Model,
    Parameter,
    Predicate,
    Property,
    Range,
    SetType,
    Variable,
)

ONE, TWO = Const(1), Const(2)
x, y = Var("x"), Var("y")


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


def test_a_companion_file_may_use_the_atoms_of_the_model() -> None:
    model = parse("gal T { int x; } property low [atom] : x < 3;", "m")
    low, lower = (Compare("<", Var("x"), Const(n)) for n in (3, 2))
    (found,) = parse_properties("property p [invariant] : low", "m.prop", model)
    assert found.body == low
    again = "property p [invariant] : low property low [atom] : x < 2"
    assert [p.body for p in parse_properties(again, "m.prop", model)] == [lower, lower]


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
