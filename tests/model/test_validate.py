"""Static checks: each error with its exact message and place."""

import pytest

from plait.errors import Diagnostic, InputError
from plait.lang.gal import parse
from plait.model.validate import check, validate


def wrong(text: str) -> list[str]:
    """The errors of a GAL text, each with its place."""
    with pytest.raises(InputError) as failure:
        parse(text, "m")
    return [placed(d) for d in failure.value.diagnostics]


def placed(d: Diagnostic) -> str:
    return f"{d.span.line}:{d.span.column}: {d.message}" if d.span else d.message


def inside(body: str) -> str:
    """An elementary type with three variables and a range; the body is its second line."""
    return f"gal T {{ int x; int y; array [3] a; typedef r = 0 .. 2;\n{body}\n}}"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        # names
        ("transition t [z == 1] { }", "2:15: undeclared variable 'z'"),
        ("transition t [true] { x = z; }", "2:27: undeclared variable 'z'"),
        ("transition t [true] { z = 1; }", "2:23: undeclared variable 'z'"),
        ("transition t [true] { a[z] = 1; }", "2:25: undeclared variable 'z'"),
        ("transition t [x == $z] { }", "2:20: undeclared parameter '$z'"),
        ("transition t (s $i) [x == $i] { }", "2:17: no range named 's'"),
        ("transition t [true] { for ($i : s) { } }", "2:23: no range named 's'"),
        ("hotbit(s) int h;", "2:15: no range named 's'"),
        ("int z = x;", "2:9: a constant is needed here, not the variable 'x'"),
        ("array [x] b;", "2:8: a constant is needed here, not the variable 'x'"),
        ("typedef s = 0 .. x;", "2:18: a constant is needed here, not the variable 'x'"),
        ("typedef s = 0 .. $z;", "2:18: undeclared parameter '$z'"),
        ("predicate p = z == 1;", "2:15: undeclared variable 'z'"),
        ("TRANSIENT = z == 1;", "2:13: undeclared variable 'z'"),
        # declared twice
        ("int x;", "2:5: name 'x' is declared twice"),
        ("array [1] x;", "2:11: name 'x' is declared twice"),
        ("predicate x = y == 1;", "2:11: name 'x' is declared twice"),
        ("typedef r = 0 .. 1;", "2:9: range 'r' is declared twice"),
        ("transition t { } transition t { }", "2:29: event 't' is declared twice"),
        (
            "transition t (r $i, r $i) [x == $i] { }",
            "2:23: the parameter '$i' is declared twice",
        ),
        (
            "transition t (r $i) [x == $i] { for ($i : r) { } }",
            "2:33: the parameter '$i' is declared twice",
        ),
        # arrays and scalars
        ("transition t [a == 1] { }", "2:15: 'a' is an array; an index is needed"),
        ("transition t [true] { a = 1; }", "2:23: 'a' is an array; an index is needed"),
        (
            "transition t [x[0] == 1] { }",
            "2:15: 'x' is not an array; it has no index",
        ),
        (
            "transition t [a[3] == 1] { }",
            "2:17: the index 3 is out of range for 'a': its cells are 0 .. 2",
        ),
        (
            "transition t [true] { a[-1] = 0; }",
            "2:25: the index -1 is out of range for 'a': its cells are 0 .. 2",
        ),
        (
            "transition t [true] { a[1 + 2] = 0; }",
            "2:25: the index 3 is out of range for 'a': its cells are 0 .. 2",
        ),
        ("array [-1] e;", "2:8: the size of 'e' is -1; it must be in 0 .. 16777216"),
        ("array [16777217] e;", "2:8: the size of 'e' is 16777217; it must be in 0 .. 16777216"),
        ("array [2] e = (1, 2, 3);", "2:11: 'e' has 2 cells but 3 initial values"),
        ("array [1 / 0] e;", "2:8: this constant is undefined"),
        # ranges
        (
            "hotbit(r) int h = 3;",
            "2:15: the initial value 3 of 'h' is outside the range 'r', 0 .. 2",
        ),
        (
            "typedef s = 1 .. 2; hotbit(s) int h;",
            "2:35: the initial value 0 of 'h' is outside the range 's', 1 .. 2",
        ),
        # labels and calls
        ('transition t [true] { self."l"; }', "2:23: type 'T' has no label 'l'"),
        ('transition t [true] { self.""; }', "2:23: the empty label cannot be called"),
        (
            'transition t label "l" { } transition u { self."l"(1); }',
            "2:43: label 'l' of type 'T' takes 0 arguments, not 1",
        ),
        (
            'transition t label "l" { } transition u label "l"(1) { }',
            "2:39: label 'l' has 1 argument here and 0 in an earlier event",
        ),
        ('transition t label ""(1) { }', "2:20: the empty label takes no arguments"),
        (
            'transition t label "l"(x) { }',
            "2:24: a constant or parameter is needed here, not the variable 'x'",
        ),
        (
            'transition t label "l"(1) { } transition u { self."l"(x); }',
            "2:55: a constant or parameter is needed here, not the variable 'x'",
        ),
        ('transition t label "l" { self."l"; }', "2:26: circular call of labels: l -> l"),
        (
            'transition t label "l" { self."m"; } transition u label "m" { if (x == 1) '
            '{ fixpoint { self."l"; } } }',
            "2:88: circular call of labels: l -> m -> l",
        ),
        # sizes
        (
            "typedef big = 1 .. 2000; transition t (big $i, big $j) [$i == $j] { }",
            "2:37: the parameters of 't' give 4000000 copies; the limit is 1000000",
        ),
        (
            "typedef big = 1 .. 2000; transition t { for ($i : big) { for ($j : big) "
            "{ x = 1; } } }",
            "2:37: the loops of 't' unroll to 4002001 statements; the limit is 1000000",
        ),
    ],
)
def test_a_wrong_elementary_type_is_refused(body: str, message: str) -> None:
    """covers: I94"""
    assert wrong(inside(body)) == [message]


COMPOSITE = """gal T ($K = 1) { int x; transition l [true] label "l" { }
  typedef r = 0 .. 1; transition m (r $i) [true] label "m"($i) { x = $i; } }
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("composite C { U u; } main C;", "3:17: no type named 'U'"),
        ("composite C { T t; T t; } main C;", "3:22: instance 't' is declared twice"),
        ("composite C { T t($M = 1); } main C;", "3:17: type 'T' has no constant '$M'"),
        (
            "composite C { T t($K = 1, $K = 2); } main C;",
            "3:17: the constant '$K' is bound twice",
        ),
        (
            'composite C { T t; synchronization s { u."l"; } } main C;',
            "3:40: undeclared instance 'u'",
        ),
        (
            'composite C { T t; synchronization s { t."k"; } } main C;',
            "3:40: type 'T' has no label 'k'",
        ),
        (
            'composite C { T t; synchronization s { t."m"; } } main C;',
            "3:40: label 'm' of type 'T' takes 1 argument, not 0",
        ),
        (
            'composite C { T t; synchronization s { t.""; } } main C;',
            "3:40: the empty label cannot be called",
        ),
        (
            'composite C { T t; synchronization s { t[0]."l"; } } main C;',
            "3:40: 't' is not an array; it has no index",
        ),
        (
            'composite C { T[2] t; synchronization s { t."l"; } } main C;',
            "3:43: 't' is an array; an index is needed",
        ),
        (
            'composite C { T[2] t; synchronization s { t[2]."l"; } } main C;',
            "3:45: the index 2 is out of range for 't': its cells are 0 .. 1",
        ),
        (
            'composite C { T t; synchronization s label "s" { self."s"; } } main C;',
            "3:50: circular call of labels: s -> s",
        ),
        (
            'composite C { T t; synchronization s { if (x == 1) { t."l"; } } } main C;',
            "3:44: a constant or parameter is needed here, not the variable 'x'",
        ),
        ("composite C { C c; } main C;", "3:17: type 'C' contains itself"),
        (
            "composite C { D d; } composite D { T t; E e; } composite E { C c; } main C;",
            "3:64: type 'C' contains itself",
        ),
        ("scalar S [2] of S { } main S;", "3:17: type 'S' contains itself"),
        ("scalar S [2] of U { } main S;", "3:17: no type named 'U'"),
        (
            "scalar S [-2] of T { } main S;",
            "3:11: the size of 'item' is -2; it must be in 0 .. 16777216",
        ),
        (
            'scalar S [2] of T { synchronization s { any."k"; } } main S;',
            "3:41: type 'T' has no label 'k'",
        ),
        (
            'scalar S [2] of T { synchronization s { next."l", "l"; } } main S;',
            "3:41: only a circular set has a next instance",
        ),
        (
            'circular S [2] of T { synchronization s { next."l", "m"; } } main S;',
            "3:43: label 'm' of type 'T' takes 1 argument, not 0",
        ),
        ("gal T { } main T;", "3:5: type 'T' is declared twice"),
        ("$N = 1; $N = 2; main T;", "3:9: constant '$N' is declared twice"),
        ("typedef q = 0..1; typedef q = 0..2; main T;", "3:27: range 'q' is declared twice"),
        ("typedef q = 0..$Z; main T;", "3:16: undeclared parameter '$Z'"),
        ("interface I { } interface I { } main T;", "3:27: interface 'I' is declared twice"),
        (
            "composite C<A extends I> { A a; } main T;",
            "3:13: no interface named 'I'",
        ),
        (
            'interface I { "l"; } composite C<A extends I> { A a; synchronization s { a."k"; } } '
            "main T;",
            "3:74: type 'A' has no label 'k'",
        ),
    ],
)
def test_a_wrong_composition_is_refused(text: str, message: str) -> None:
    """covers: I94, I82"""
    assert wrong(COMPOSITE + text) == [message]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("[reachable] : z == 1", "3:26: type 'T' has no variable 'z'"),
        ("[reachable] : t:x == 1", "3:26: type 'T' has no instance 't'"),
        ("[reachable] : a[x] == 1", "3:28: an index in a property must be constant"),
        (
            "[reachable] : a[3] == 1",
            "3:28: the index 3 is out of range for 'a': its cells are 0 .. 2",
        ),
        ("[reachable] : a == 1", "3:26: 'a' is an array; an index is needed"),
        ("[reachable] : x[0] == 1", "3:26: 'x' is not an array; it has no index"),
        ("[reachable] : $N == 1", "3:26: undeclared parameter '$N'"),
        ("[reachable] : x", "3:26: a condition is needed here, but 'x' is a number"),
        ("[bounds] : x == 1", "3:23: a number is needed here, but this is a condition"),
        (
            "[reachable] : F x == 1",
            "3:26: 'F' speaks of paths; a state formula is needed here",
        ),
        (
            "[ctl] : F x == 1",
            "3:20: 'F' has no path quantifier; CTL needs A or E directly before it",
        ),
        (
            "[ltl] : AF x == 1",
            "3:20: 'A' quantifies over paths; an LTL formula has none",
        ),
        ("[ctl] : A x == 1", "3:20: 'A' needs a path formula: 'AG p', 'A[p U q]', ..."),
        ("[ctl] : (AG x == 1) + 1 == 2", "3:21: a temporal formula cannot be used as a number"),
        ('[reachable] : enabled("u")', "3:26: no event named 'u'"),
    ],
)
def test_a_wrong_property_is_refused(body: str, message: str) -> None:
    """covers: I94"""
    text = "gal T { int x; array [3] a;\ntransition t { } }\nproperty p " + body + ";"
    assert wrong(text) == [message]


def test_properties_have_different_names() -> None:
    text = "gal T { } property p [deadlock]; property p [deadlock];"
    assert wrong(text) == ["1:43: property 'p' is declared twice"]


def test_all_errors_come_at_once_each_once() -> None:
    text = inside("transition t [z == 1 && z == 2] { w = 1; a = 2; } transition t { }")
    assert wrong(text) == [
        "2:62: event 't' is declared twice",
        "2:15: undeclared variable 'z'",
        "2:25: undeclared variable 'z'",
        "2:35: undeclared variable 'w'",
        "2:42: 'a' is an array; an index is needed",
    ]


def test_a_flood_of_errors_is_cut() -> None:
    found = wrong(inside("transition t { " + "z = 1; " * 1000 + "}"))
    assert len(found) == 101
    assert found[-1] == "and 900 more errors"


def test_a_misspelt_name_is_guessed() -> None:
    with pytest.raises(InputError) as failure:
        parse("gal T { int counter; transition t [countr == 1] { } }", "m")
    assert failure.value.diagnostics[0].hint == "did you mean 'counter'?"


def test_doubtful_things_are_warnings() -> None:
    """covers: I94"""
    body = 'transition t (r $i) label "l_1" { } transition u label "l_2" { } typedef s = 1 .. 0;'
    model = parse(inside(body), "m")
    assert [(placed(d), d.severity) for d in validate(model)] == [
        ("2:74: the range 's' is empty: 1 .. 0", "warning"),
        ("2:17: the parameter '$i' is not used", "warning"),
        ("2:12: label 'l_1' (and 1 more) ends in '_' and a number", "warning"),
    ]
    check(model)


def test_an_index_is_wrong_only_if_it_is_wrong_in_every_instance() -> None:
    text = """gal T ($N = 1) { array [$N] a; transition t [a[2] == 0] { } }
              composite C { T t($N = 1); T u($N = %d); } main C;"""
    parse(text % 3, "m")
    message = "1:48: the index 2 is out of range for 'a': its cells are 0 .. 0"
    assert wrong(text % 2) == [message]


def test_hierarchies_have_a_limit() -> None:
    deep = "gal T0 { } " + " ".join(f"composite T{i + 1} {{ T{i} t; }}" for i in range(10_001))
    with pytest.raises(InputError, match="types are nested deeper than 10000 levels"):
        parse(deep + " main T10001;", "m")


def test_a_cycle_in_a_long_chain_of_labels_is_found_without_recursion() -> None:
    chain = " ".join(
        f'transition t{i} label "l{i}" {{ self."l{(i + 1) % 20_000}"; }}' for i in range(20_000)
    )
    (message,) = wrong(f"gal T {{ {chain} }}")
    shown = "l0 -> l1 -> l2 -> l3 -> ... -> l19998 -> l19999 -> l0"
    assert message.endswith(f"circular call of labels: {shown}")


def test_an_expression_of_100000_terms_is_checked() -> None:
    text = "gal T { int x; transition t [" + " + ".join(["x"] * 100_000) + " == z] { } }"
    assert wrong(text) == ["1:400031: undeclared variable 'z'"]
