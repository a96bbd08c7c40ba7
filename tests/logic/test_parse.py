"""Formulas as text: notations, kinds, references, the dialect of its-ctl, and wrong formulas."""

import csv
from pathlib import Path

import pytest

from plait.engines import check
from plait.errors import InputError
from plait.lang import dve, promela
from plait.lang.gal import load, parse
from plait.logic.formula import (
    Exists,
    Finally,
    Forall,
    Globally,
    Next,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
)
from plait.logic.parse import parse_ctl, parse_formula
from plait.model.expr import (
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Deadlock,
    Empty,
    Enabled,
    Formula,
    Full,
    Hop,
    Iff,
    Implies,
    IntExpr,
    Length,
    Not,
    Or,
    Param,
    Truth,
    Var,
)
from plait.model.text import show
from plait.model.types import ElementaryType, Model, Property, Variable
from plait.model.validate import validate
from plait.testing.choices import Seeded
from plait.testing.mix import GAL
from plait.testing.random_models import model as random_model

ONE = Const(1)
FLAT = parse(
    """$N = 2;
       gal T { int p; int q; int r; int A; int F; int U; array [3] a; int P.q; array [2] E;
         predicate pos = p > 0 && q > 0;
         transition go [true] { p = 1; } }
       property known [atom] : r == 1;""",
    "flat",
)
NESTED = parse(
    """gal T { int x; array [2] a; predicate pos = x > 0; typedef r = 0 .. 1;
         transition t (r $i) [x == $i] { } }
       composite C { T u; T[2] t; synchronization s { } } composite D { C c; } main D;""",
    "nested",
)
p, q, r = (Compare("==", Var(n), ONE) for n in "pqr")


def body(text: str, model: Model = FLAT) -> Formula | IntExpr | None:
    return parse_formula(text, model).body


def wrong(text: str, model: Model = FLAT) -> str:
    with pytest.raises(InputError) as failure:
        parse_formula(text, model)
    (found,) = failure.value.diagnostics
    assert found.span is not None
    assert found.span.source.name == "<formula>"
    return f"{found.span.column}: {found.message}"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("G p == 1", Globally(p)),
        ("[] p == 1", Globally(p)),
        ("<> p == 1", Finally(p)),
        ("[]<>p == 1", Globally(Finally(p))),
        ("X X !p == 1", Next(Next(Not(p)))),
        ("p == 1 U q == 1", Until(p, q)),
        ("p == 1 W q == 1", WeakUntil(p, q)),
        ("p == 1 R q == 1", Release(p, q)),
        ("p == 1 M q == 1", StrongRelease(p, q)),
        ("p == 1 U q == 1 U r == 1", Until(p, Until(q, r))),
        ("F p == 1 U q == 1", Until(Finally(p), q)),
        ("!p == 1 U q == 1", Until(Not(p), q)),
        ("p == 1 && q == 1 U r == 1", And((p, Until(q, r)))),
        ("G (p == 1 -> F q == 1)", Globally(Implies(p, Finally(q)))),
        ("G p == 1 -> F q == 1 <-> r == 1", Implies(Globally(p), Iff(Finally(q), r))),
        ("F p = 1", Finally(p)),
        ("GF p = 1", Globally(Finally(p))),
        ("!FG(p = 1)", Not(Finally(Globally(p)))),
        ("XX p = 1 U q = 1", Until(Next(Next(p)), q)),
    ],
)
def test_ltl_notations(text: str, tree: Formula) -> None:
    found = parse_formula(text, FLAT)
    assert found == Property("formula", "ltl", tree)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("AG p == 1", Forall(Globally(p))),
        ("A G p == 1", Forall(Globally(p))),
        ("A[] p == 1", Forall(Globally(p))),
        ("E<> p == 1", Exists(Finally(p))),
        ("EX !p == 1", Exists(Next(Not(p)))),
        ("AG EF p == 1", Forall(Globally(Exists(Finally(p))))),
        ("AG p == 1 && q == 1", And((Forall(Globally(p)), q))),
        ("A p == 1 U q == 1", Forall(Until(p, q))),
        ("A[p == 1 U q == 1]", Forall(Until(p, q))),
        ("E(p == 1 U q == 1)", Exists(Until(p, q))),
        ("E (p == 1) U (q == 1)", Exists(Until(p, q))),
        ("E(p == 1 U q == 1) && r == 1", And((Exists(Until(p, q)), r))),
        ("A[p == 1 && q == 1 U r == 1]", Forall(Until(And((p, q)), r))),
        ("E(p == 1 && q == 1 U r == 1)", Exists(Until(And((p, q)), r))),
        ("A p == 1 && q == 1 U r == 1 -> p == 1", Forall(Until(And((p, q)), Implies(r, p)))),
        ("A (E p == 1 U q == 1) U r == 1", Forall(Until(Exists(Until(p, q)), r))),
        ("p == 1 -> A q == 1 W r == 1", Implies(p, Forall(WeakUntil(q, r)))),
        ("A (F p == 1) || r == 1", Or((Forall(Finally(p)), r))),
        (
            "E[P.q == 1 U q == 1 and r == 1]",
            Exists(Until(Compare("==", Var("P.q"), ONE), And((q, r)))),
        ),
    ],
)
def test_ctl_notations(text: str, tree: Formula) -> None:
    found = parse_formula(text, FLAT)
    assert found == Property("formula", "ctl", tree)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("not p == 1 and q == 1 or r == 1", Or((And((Not(p), q)), r))),
        ("p == 1 /\\ q == 1 \\/ r == 1", Or((And((p, q)), r))),
        ("p == 1 && q == 1 /\\ r == 1", And((p, q, r))),
        ("p == 1 => q == 1 <=> r == 1", Implies(p, Iff(q, r))),
        ("p = 1", p),
        ("(p == 1) + (q == 1) == 1", Compare("==", Binary("+", AsInt(p), AsInt(q)), ONE)),
        ("a[$N] == 1", Compare("==", Var("a", Param("N")), ONE)),
        ("true", Truth(True)),
        ("!deadlock", Not(Deadlock())),
        ('enabled("go")', Enabled(("go",))),
        ("enabled(go)", Enabled(("go",))),
        ("pos", And((Compare(">", Var("p"), Const(0)), Compare(">", Var("q"), Const(0))))),
        ("known && p == 1", And((r, p))),
        (
            "(pos) + 1 == 2",
            Compare(
                "==",
                Binary(
                    "+",
                    AsInt(
                        FLAT_POS := And(
                            (Compare(">", Var("p"), Const(0)), Compare(">", Var("q"), Const(0)))
                        )
                    ),
                    ONE,
                ),
                Const(2),
            ),
        ),
        # operator letters that are names here
        ("A == 1", Compare("==", Var("A"), ONE)),
        ("F - 1 == 1", Compare("==", Binary("-", Var("F"), ONE), ONE)),
        ("U == 1", Compare("==", Var("U"), ONE)),
        ("E[1] == 1", Compare("==", Var("E", ONE), ONE)),
        ('"A" == 1', Compare("==", Var("A"), ONE)),
        ("^F == 1", Compare("==", Var("F"), ONE)),
    ],
)
def test_state_formulas_are_invariants(text: str, tree: Formula) -> None:
    found = parse_formula(text, FLAT)
    assert found == Property("formula", "invariant", tree)


def test_operator_letters_may_be_operators_and_names_in_one_formula() -> None:
    a, f, u = (Compare("==", Var(n), ONE) for n in "AFU")
    assert body("A A == 1 U U == 1") == Forall(Until(a, u))
    assert body("F F == 1") == Finally(f)
    assert body("AG A == 1") == Forall(Globally(a))
    assert body("A G A == 1") == Forall(Globally(a))
    assert body("F U == 1") == Finally(u)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("reachable: p == 1", Property("formula", "reachable", p)),
        ("never: p == 1", Property("formula", "never", p)),
        ("invariant: p == 1", Property("formula", "invariant", p)),
        ("atom: p == 1", Property("formula", "atom", p)),
        ("bounds: p + q", Property("formula", "bounds", Binary("+", Var("p"), Var("q")))),
        ("ctl: p == 1", Property("formula", "ctl", p)),
        ("ltl: p == 1", Property("formula", "ltl", p)),
        ("deadlock", Property("formula", "deadlock")),
        ("deadlock:", Property("formula", "deadlock")),
        ("deadlock: deadlock", Property("formula", "deadlock")),
        ("never: deadlock;", Property("formula", "never", Deadlock())),
    ],
)
def test_a_text_may_start_with_its_kind(text: str, expected: Property) -> None:
    assert parse_formula(text, FLAT) == expected


def test_a_formula_has_the_name_it_is_given_and_knows_its_source() -> None:
    found = parse_formula("p == 1", FLAT, "mine", "file.txt")
    assert found.name == "mine"
    assert str(found.span) == "file.txt:1:1"


@pytest.mark.parametrize(
    ("text", "name", "index", "path"),
    [
        ("c:u:x", "x", None, (Hop("c"), Hop("u"))),
        ("c.u.x", "x", None, (Hop("c"), Hop("u"))),
        ("c.u:x", "x", None, (Hop("c"), Hop("u"))),
        ("c:t[1]:a[0]", "a", Const(0), (Hop("c"), Hop("t", ONE))),
        ("c.t[1].a[0]", "a", Const(0), (Hop("c"), Hop("t", ONE))),
        ('"c.u.x"', "x", None, (Hop("c"), Hop("u"))),
        ('"c.t[1].a[0]"', "a", Const(0), (Hop("c"), Hop("t", ONE))),
    ],
)
def test_references_lead_into_instances(
    text: str, name: str, index: IntExpr | None, path: tuple[Hop, ...]
) -> None:
    assert body(f"{text} == 1", NESTED) == Compare("==", Var(name, index, path), ONE)


def test_a_part_has_predicates_and_events_too() -> None:
    inside = (Hop("c"), Hop("u"))
    assert body("c.u.pos", NESTED) == Compare(">", Var("x", None, inside), Const(0))
    titles = ("c.u.t", "c.t[1].t(0)", "c.s")
    text = "enabled({})".format(", ".join(f'"{t}"' for t in titles))
    assert body(text, NESTED) == Enabled(titles)


def test_names_of_places_need_not_be_identifiers() -> None:
    place = Variable("p-1")
    net = Model("net", (ElementaryType("net", variables=(place,)),), "net")
    assert body('"p-1" >= 1', net) == Compare(">=", Var("p-1"), ONE)
    shown = show(Compare(">=", Var("p-1"), ONE))
    assert body(shown, net) == Compare(">=", Var("p-1"), ONE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1: expected a formula, found the end of the text"),
        ("p", "1: a formula is needed here, but this is a number"),
        ("p ==", "5: expected a formula, found the end of the text"),
        ("p == 1 q", "8: expected an operator or the end of the formula, found 'q'"),
        ("z == 1", "1: type 'T' has no variable 'z'"),
        ("p:x == 1", "1: type 'T' has no instance 'p'"),
        ("what: p == 1", "1: type 'T' has no instance 'what'"),
        ("a == 1", "1: 'a' is an array; an index is needed"),
        ("p[0] == 1", "1: 'p' is not an array; it has no index"),
        ("a[3] == 1", "3: the index 3 is out of range for 'a': its cells are 0 .. 2"),
        ("a[p] == 1", "3: an index in a property must be constant"),
        ("$Z == 1", "1: undeclared parameter '$Z'"),
        ("G EF p == 1", "1: 'G' has no path quantifier; CTL needs A or E directly before it"),
        ("ctl: F p == 1", "6: 'F' has no path quantifier; CTL needs A or E directly before it"),
        ("ltl: AF p == 1", "6: 'A' quantifies over paths; an LTL formula has none"),
        ("reachable: F p == 1", "12: 'F' speaks of paths; a state formula is needed here"),
        ("A p == 1", "1: 'A' needs a path formula: 'AG p', 'A[p U q]', ..."),
        ("E(p == 1)", "1: 'E' needs a path formula: 'EG p', 'E[p U q]', ..."),
        ("bounds: p == 1", "9: a number is needed here, but this is a condition"),
        ("bounds: (AG p == 1) + 1", "10: a temporal formula cannot be used as a number"),
        ('enabled("stop")', "1: no event named 'stop'"),
        ("enabled(", "9: expected the name of an event, found the end of the text"),
        ("a[", "3: expected a formula, found the end of the text"),
        ("A[p == 1 U q == 1", "18: expected an operator or ']', found the end of the text"),
        ("(p == 1", "8: expected an operator or ')', found the end of the text"),
        ("p < q < r", "1: comparisons cannot be chained"),
        ("deadlock: p == 1", "11: expected an operator or the end of the formula, found 'p'"),
        ("p == 99999999999", "6: the constant 99999999999 does not fit in 32 bits"),
        ("p == 1 ☃", "8: unexpected character '☃' (U+2603)"),
    ],
)
def test_a_wrong_formula_is_refused_with_its_place(text: str, message: str) -> None:
    assert wrong(text) == message


def test_a_computed_index_is_answered_by_what_to_write_instead() -> None:
    with pytest.raises(InputError) as refused:
        parse_formula("a[p + 1] == 1", FLAT)
    hint = "speak of each cell: p + 1 == 0 && a[0] == ... || ..."
    assert refused.value.diagnostics[0].hint == hint


LIGHT = """mtype = { red, green };
mtype light = red;
chan c = [2] of { byte };
chan d[2] = [1] of { byte };
active proctype P() {
  byte n;
  do :: light == red -> light = green; c!n :: light == green -> light = red; c?n od
}"""
CLERKS = """int a;
process One { state idle, got; init idle; trans idle -> got { }; }
process Two { state idle, gone; init idle; trans idle -> gone { }; }
system async;"""


def test_values_are_compared_with_their_names() -> None:
    light = promela.parse(LIGHT)
    red = body("light == 2", light)
    assert red in (body("light == red", light), body("light == green", light))
    assert body("light != red && red <= light", light) == body("light != 2 && 2 <= light", light)
    clerks = dve.parse(CLERKS)
    assert body("One.state == got", clerks) == body("One.state == 1", clerks)
    assert body("Two.state = gone implies a == 0", clerks) == body(
        "Two.state == 1 -> a == 0", clerks
    )


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("a == got", "6: type 'clerks' has no variable 'got'", "did you mean 'One.got'?"),
        (
            "One.state == gone",
            "14: type 'clerks' has no variable 'gone'",
            "did you mean 'Two.gone'?",
        ),
        ("idle", "1: type 'clerks' has no variable 'idle'", "'One.idle' or 'Two.idle'"),
        ("AF idle == got", "4: type 'clerks' has no variable 'idle'", "'One.idle' or 'Two.idle'"),
        (
            "One.state == got + 1",
            "14: type 'clerks' has no variable 'got'",
            "did you mean 'One.got'?",
        ),
    ],
)
def test_a_name_of_a_value_that_is_compared_with_nothing_of_it(
    text: str, message: str, hint: str
) -> None:
    with pytest.raises(InputError) as failure:
        body(text, dve.parse(CLERKS, "clerks"))
    (found,) = failure.value.diagnostics
    assert found.span is not None
    assert f"{found.span.column}: {found.message}" == message
    assert hint in (found.hint or "")


def test_a_name_of_a_value_alone_is_told_where_it_belongs() -> None:
    with pytest.raises(InputError, match="it is a value of 'light': write light == green"):
        body("EF green", promela.parse(LIGHT))


def test_channels_are_asked_for_their_length() -> None:
    light = promela.parse(LIGHT)
    assert body("len(c) < 2", light) == Compare("<", Length(Hop("c")), Const(2))
    assert body("nempty(d[1]) && !full(c)", light) == And(
        (Not(Empty(Hop("d[1]"))), Not(Full(Hop("c"))))
    )
    asked = [
        parse_formula(t, light)
        for t in ("len(c) < 2", "EF full(d[0])", "G (nempty(c) -> F empty(c))")
    ]
    for engine in ("explicit", "symbolic", "reference"):
        assert [a.verdict for a in check(light, asked, engine=engine)] == ["true", "false", "true"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("len(e) == 0", "5: type 'light' has no channel 'e'"),
        ("len(d[2]) == 0", "5: type 'light' has no channel 'd[2]'"),
        ("len(d[n]) == 0", "7: expected the number of a channel, found 'n'"),
        ("len(c == 0", "7: expected ')', found '=='"),
        ("len(1) == 0", "5: expected the name of a channel, found '1'"),
        ("c[0] == 1", "1: type 'light' has no variable 'c'"),
        ("n == 1", "1: type 'light' has no variable 'n'"),
        ("P[0]:n == 1", "1: type 'light' has no instance 'P'"),
    ],
)
def test_wrong_questions_about_channels_and_processes(text: str, message: str) -> None:
    assert wrong(text, promela.parse(LIGHT, "light")) == message


def test_an_instance_is_no_variable() -> None:
    assert wrong("c == 1", NESTED) == "1: 'c' is an instance, not a variable"
    assert wrong("c:t:x == 1", NESTED) == "1: 't' is an array; an index is needed"
    assert wrong("c:t[2]:x == 1", NESTED).endswith("out of range for 't': its cells are 0 .. 1")


# --- the dialect of its-ctl -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("p==1 + q==1", Or((p, q))),
        ("(p==1 * q==1) + r==1", Or((And((p, q)), r))),
        ("!(p==1) + (q==1 * r==1)", Or((Not(p), And((q, r))))),
        ("AG(p==1) * EF(q==1)", And((Forall(Globally(p)), Exists(Finally(q))))),
        ("E((p==1 * q==1) U (q==1 + r==1))", Exists(Until(And((p, q)), Or((q, r))))),
        ("p==1 & q==1 | r==1", Or((And((p, q)), r))),
        ("~(p==1)", Not(p)),
        ('("p"==1)&&("q"==1)', And((p, q))),
        ("AG(EX(TRUE))", Forall(Globally(Exists(Next(Truth(True)))))),
        ("p = 1 + FALSE", Or((p, Truth(False)))),
    ],
)
def test_sums_and_products_of_conditions_are_disjunctions_and_conjunctions(
    text: str, tree: Formula
) -> None:
    assert body(text) == tree


def test_ordinary_arithmetic_is_left_alone() -> None:
    total = Compare(">=", Binary("+", Var("p"), Var("q")), ONE)
    assert body("p + q >= 1") == total
    counted = Binary("+", AsInt(p), Var("q"))
    assert body("(p == 1) + q >= 1") == Compare(">=", counted, ONE)
    assert body("p & q == 1") == Compare("==", Binary("&", Var("p"), Var("q")), ONE)


def test_the_published_formulas_are_read_the_same_in_both_notations(data: Path) -> None:
    """The files have `("a">=1)&&...`, the table `(a>=1 * ...)`."""
    folder = data / "gal"
    with (folder / "formulas.csv").open() as file:
        rows = list(csv.DictReader(file))
    compared = 0
    for path in sorted(folder.rglob("*.ctl")):
        model = load(path.with_suffix(".gal"))
        wanted = str(path.with_suffix("").relative_to(folder))
        table = [row for row in rows if row["model"] == wanted]
        properties = parse_ctl(path.read_text(), model, path.name)
        assert len(properties) == len(table)
        for found, row in zip(properties, table, strict=True):
            assert found.kind == "ctl"
            assert parse_formula(row["formula"], model).body == found.body
            compared += 1
    assert compared == 47
    assert parse_formula("Check.state==1", load(folder / "gal" / "frogs.gal")).kind == "invariant"


def test_formulas_of_a_file_have_names_and_places() -> None:
    text = (
        '# import "x";\n#property first \nEF (p == 1);\n\nAG (q == 1)\n && AF (r == 1);\nEX p == 1'
    )
    first, second, third = parse_ctl(text, FLAT, "x.ctl")
    assert [first.name, second.name, third.name] == ["first", "ctl-01", "ctl-02"]
    assert str(second.span) == "x.ctl:5:1"
    with pytest.raises(InputError) as failure:
        parse_ctl("# c\n\nEF (z == 1);", FLAT, "x.ctl")
    assert str(failure.value.diagnostics[0].span) == "x.ctl:3:5"


def test_a_formula_of_a_file_is_asked_of_the_initial_state() -> None:
    """Also one that speaks of no path: in a formula of its own that would be an invariant."""
    (found,) = parse_ctl("p == 1;", FLAT)
    assert found == Property("ctl-00", "ctl", p)
    model = parse("gal T { int p = 1; transition t [true] { p = 0; } }", "once")
    (holds,) = check(model, parse_ctl("p == 1;", model))
    assert holds.verdict == "true"


def test_several_formulas_of_a_file_may_stand_in_a_line() -> None:
    text = 'EF ("p" == 1); AF\n(q == 1);p == 1 +\n# c\nr == 1;\n\n'
    found = parse_ctl(text, FLAT, "x.ctl")
    assert [f.body for f in found] == [Exists(Finally(p)), Forall(Finally(q)), Or((p, r))]
    assert [str(f.span) for f in found] == ["x.ctl:1:1", "x.ctl:1:16", "x.ctl:2:10"]


# --- size -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "!" * 20_000 + "(p == 1)",
        "X " * 20_000 + "p == 1",
        "AX " * 20_000 + "p == 1",
        "p == 1 U " * 5_000 + "q == 1",
        " && ".join(["p == 1"] * 10_000),
        "A (" * 3_000 + "p == 1" + " U q == 1)" * 3_000,
    ],
    ids=["not", "next", "ax", "until", "and", "nested quantifiers"],
)
def test_long_and_deep_formulas_are_read_and_printed(text: str) -> None:
    found = parse_formula(text, FLAT)
    assert isinstance(found.body, Formula)
    assert len(show(found.body)) > 10_000


def test_formulas_of_random_models_read_back_from_their_text() -> None:
    compared = 0
    for seed in range(100):
        model = random_model(Seeded(seed), GAL)
        if any(d.severity == "error" for d in validate(model)):
            continue  # constant indexes out of range, made on purpose
        for asked in model.properties:
            if asked.body is not None:
                text = f"{asked.kind}: {show(asked.body)}"
                assert body(text, model) == asked.body, text
                compared += 1
    assert compared > 300
