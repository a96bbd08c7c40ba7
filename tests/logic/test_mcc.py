"""The Model Checking Contest's property files: every operator, every kind, every mistake."""

import csv
from pathlib import Path

import pytest

from plait.errors import InputError
from plait.lang.gal import parse as parse_gal
from plait.lang.pnml import load, parse
from plait.logic.formula import Exists, Finally, Forall, Globally, Next, Until
from plait.logic.mcc import load_properties, parse_properties
from plait.model.expr import (
    FALSE,
    TRUE,
    And,
    Binary,
    Compare,
    Const,
    Deadlock,
    Enabled,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Var,
)
from plait.model.node import nodes
from plait.model.types import Model, Property
from plait.reference import Semantics

NET = parse(
    b"""<pnml><net id="n" type="ptnet">
    <place id="p"><name><text>first</text></name>
      <initialMarking><text>1</text></initialMarking></place>
    <place id="q"><name><text>same</text></name></place>
    <place id="r"><name><text>same</text></name></place>
    <transition id="t"><name><text>go</text></name></transition><transition id="u"/>
    <arc source="p" target="t"/><arc source="t" target="q"/>
    <arc source="q" target="u"/><arc source="u" target="p"/></net></pnml>""",
    "n.pnml",
)
P, Q = Var("p"), Var("q")
T = Enabled(("t",))


def document(formula: str, name: str = "x") -> bytes:
    return (
        f"<property-set>\n<property><id>{name}</id><description>d</description>\n"
        f"<formula>{formula}</formula></property></property-set>"
    ).encode()


def one(formula: str, name: str = "x", file: str = "f.xml") -> Property:
    (found,) = parse_properties(document(formula, name), NET, file)
    return found


def refusal(data: bytes, model: Model = NET) -> str:
    with pytest.raises(InputError) as caught:
        parse_properties(data, model, "f.xml")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None
    return f"{diagnostic.span.line}:{diagnostic.span.column}: {diagnostic.message}"


def wrap(tag: str, *content: str) -> str:
    return f"<{tag}>{''.join(content)}</{tag}>"


def ef(content: str) -> str:
    return wrap("exists-path", wrap("finally", content))


FIRE = "<is-fireable><transition>t</transition></is-fireable>"
TOKENS = "<tokens-count><place>p</place></tokens-count>"
TWO = "<integer-constant>2</integer-constant>"
SMALL = wrap("integer-le", TOKENS, TWO)
SMALL_P = Compare("<=", P, Const(2))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<true/>", TRUE),
        ("<false/>", FALSE),
        ("<deadlock/>", Deadlock()),
        ("<is-deadlock/>", Deadlock()),
        (FIRE, T),
        (
            wrap("is-fireable", "<transition>t</transition><transition>u</transition>"),
            Enabled(("t", "u")),
        ),
        (wrap("negation", FIRE), Not(T)),
        (wrap("conjunction", FIRE, SMALL, "<true/>"), And((T, SMALL_P, TRUE))),
        (wrap("conjunction", FIRE), T),
        (wrap("disjunction", FIRE, SMALL), Or((T, SMALL_P))),
        (wrap("exclusive-disjunction", FIRE, SMALL), Not(Iff(T, SMALL_P))),
        (wrap("implication", FIRE, SMALL), Implies(T, SMALL_P)),
        (wrap("equivalence", FIRE, SMALL), Iff(T, SMALL_P)),
        (wrap("integer-lt", TOKENS, TWO), Compare("<", P, Const(2))),
        (wrap("integer-ge", TOKENS, TWO), Compare(">=", P, Const(2))),
        (wrap("integer-gt", TOKENS, TWO), Compare(">", P, Const(2))),
        (wrap("integer-eq", TOKENS, TWO), Compare("==", P, Const(2))),
        (wrap("integer-ne", TOKENS, TWO), Compare("!=", P, Const(2))),
        (
            wrap("integer-eq", "<integer-constant> -3 </integer-constant>", TWO),
            Compare("==", Const(-3), Const(2)),
        ),
        (
            wrap("integer-le", wrap("tokens-count", "<place>p</place><place>q</place>"), TWO),
            Compare("<=", Binary("+", P, Q), Const(2)),
        ),
        (
            wrap("integer-le", wrap("integer-sum", TOKENS, TWO, TWO), TWO),
            Compare("<=", Binary("+", Binary("+", P, Const(2)), Const(2)), Const(2)),
        ),
        (
            wrap("integer-le", wrap("integer-product", TOKENS, TWO), TWO),
            Compare("<=", Binary("*", P, Const(2)), Const(2)),
        ),
        (
            wrap("integer-le", wrap("integer-difference", TOKENS, TWO, TOKENS), TWO),
            Compare("<=", Binary("-", Binary("-", P, Const(2)), P), Const(2)),
        ),
    ],
)
def test_a_state_formula_is_read(content: str, expected: Formula) -> None:
    found = one(ef(content))
    assert (found.kind, found.body) == ("reachable", expected)


def globally(content: str) -> str:
    return wrap("globally", content)


def until(left: str, right: str) -> str:
    return wrap("until", wrap("before", left), wrap("reach", right))


@pytest.mark.parametrize(
    ("content", "kind", "body"),
    [
        (ef(FIRE), "reachable", T),
        (wrap("possibility", FIRE), "reachable", T),
        (wrap("all-paths", globally(FIRE)), "invariant", T),
        (wrap("invariant", FIRE), "invariant", T),
        (wrap("negation", ef(FIRE)), "never", T),
        (wrap("impossibility", FIRE), "never", T),
        (wrap("negation", wrap("all-paths", globally(FIRE))), "reachable", Not(T)),
        (wrap("all-paths", wrap("finally", FIRE)), "ctl", Forall(Finally(T))),
        (wrap("exists-path", globally(FIRE)), "ctl", Exists(Globally(T))),
        (wrap("exists-path", wrap("next", FIRE)), "ctl", Exists(Next(T))),
        (wrap("all-paths", until(FIRE, SMALL)), "ctl", Forall(Until(T, SMALL_P))),
        (ef(ef(FIRE)), "ctl", Exists(Finally(Exists(Finally(T))))),
        (wrap("conjunction", ef(FIRE), FIRE), "ctl", And((Exists(Finally(T)), T))),
        (FIRE, "ctl", T),
        (wrap("all-paths", FIRE), "ctl", T),
        (wrap("all-paths", wrap("finally", globally(FIRE))), "ltl", Finally(Globally(T))),
        (wrap("all-paths", wrap("negation", globally(FIRE))), "ltl", Not(Globally(T))),
        (globally(wrap("finally", FIRE)), "ltl", Globally(Finally(T))),
        (
            "<is-live><level>l4</level><transition>t</transition></is-live>",
            "ctl",
            Forall(Globally(Exists(Finally(T)))),
        ),
        ("<is-live><level>l1</level><transition>t</transition></is-live>", "reachable", T),
        ("<is-live><level>L0</level><transition>t</transition></is-live>", "invariant", Not(T)),
        (wrap("place-bound", "<place>p</place><place>q</place>"), "bounds", Binary("+", P, Q)),
    ],
)
def test_the_kind_follows_from_the_formula(content: str, kind: str, body: Formula) -> None:
    found = one(content)
    assert (found.name, found.kind, found.body) == ("x", kind, body)
    assert found.comment == "d"
    assert str(found.span) == "f.xml:2:1"


def test_a_formula_of_both_logics_is_ltl_where_the_name_says_so() -> None:
    content = wrap("all-paths", wrap("next", FIRE))
    assert one(content).kind == "ctl"
    assert one(content, name="N-LTLFireability-00").body == Next(T)
    assert one(content, file="LTLFireability.xml").kind == "ltl"
    assert one(ef(ef(FIRE)), name="N-LTLFireability-00").kind == "ctl"


def test_places_and_events_have_ids_and_perhaps_unique_names() -> None:
    content = wrap("integer-le", "<tokens-count><place>first</place></tokens-count>", TWO)
    assert one(ef(content)).body == SMALL_P
    assert one(ef(FIRE.replace(">t<", ">\n go <"))).body == T


WRONG = {
    "a missing place": (
        ef(SMALL.replace(">p<", "> pp<")),
        "3:66: the net has no place 'pp'",
    ),
    "a missing transition": (
        ef(FIRE.replace(">t<", ">x<")),
        "3:57: the net has no transition 'x'",
    ),
    "a place where an event is needed": (
        ef("<is-fireable><place>p</place></is-fireable>"),
        "3:45: <place> cannot stand inside <is-fireable>",
    ),
    "an ambiguous name": (
        ef(SMALL.replace(">p<", ">same<")),
        "3:65: several places have the name 'same'; use an id",
    ),
    "an empty quantifier": (
        "<all-paths/>",
        "3:10: <all-paths> needs 1 operand(s) and has 0",
    ),
    "a quantifier over two": (
        wrap("all-paths", FIRE, FIRE),
        "3:10: <all-paths> needs 1 operand(s) and has 2",
    ),
    "fireable of nothing": (ef("<is-fireable/>"), "3:32: <is-fireable> names no transition"),
    "tokens of nothing": (
        ef(wrap("integer-le", "<tokens-count/>", TWO)),
        "3:44: <tokens-count> names no place",
    ),
    "an empty formula": ("", "3:1: <formula> needs 1 operand(s) and has 0"),
    "two formulas in one": (FIRE + FIRE, "3:1: <formula> needs 1 operand(s) and has 2"),
    "an unknown operator": ("<magic/>", "3:10: unknown operator <magic>"),
    "an empty conjunction": (
        ef("<conjunction/>"),
        "3:32: <conjunction> needs at least 1 operand(s) and has 0",
    ),
    "a number as a formula": (
        ef(TOKENS),
        "3:23: <finally> needs formulas, and <tokens-count> is a number",
    ),
    "a formula as a number": (
        ef(wrap("integer-le", FIRE, TWO)),
        "3:32: <integer-le> needs numbers, and <is-fireable> is a formula",
    ),
    "a number alone": (TOKENS, "3:1: <formula> needs formulas, and <tokens-count> is a number"),
    "a comparison of three": (
        ef(wrap("integer-le", TWO, TWO, TWO)),
        "3:32: <integer-le> needs 2 operand(s) and has 3",
    ),
    "a broken constant": (
        ef(SMALL.replace(">2<", "> 1.5<")),
        "3:108: an integer is needed here, not '1.5'",
    ),
    "a large constant": (
        ef(SMALL.replace(">2<", f">{10**30}<")),
        "3:107: the constant does not fit in 32 bits",
    ),
    "a very large constant": (
        ef(SMALL.replace(">2<", f">{'9' * 100_000}<")),
        "3:107: the constant does not fit in 32 bits",
    ),
    "until without reach": (
        wrap("all-paths", wrap("until", wrap("before", FIRE))),
        "3:21: <until> needs one <before> and then one <reach>",
    ),
    "until without before": (
        wrap("all-paths", wrap("until", FIRE)),
        "3:28: <is-fireable> cannot stand inside <until>",
    ),
    "before without until": (
        wrap("all-paths", wrap("before", FIRE)),
        "3:21: <before> cannot stand inside <all-paths>",
    ),
    "a bound inside a formula": (
        ef("<place-bound><place>p</place></place-bound>"),
        "3:32: <place-bound> must be a whole formula",
    ),
    "an operator inside an atom": (
        ef("<is-fireable><true/></is-fireable>"),
        "3:45: <true> cannot stand inside <is-fireable>",
    ),
    "a formula of CTL*": (
        wrap("exists-path", wrap("finally", globally(FIRE))),
        "3:32: this is neither CTL nor LTL: 'G' has no path quantifier; "
        "CTL needs A or E directly before it",
    ),
    "an old level of liveness": (
        "<is-live><level>l2</level><transition>t</transition></is-live>",
        "3:10: <is-live> of level 'l2' is not supported; l0, l1 and l4 are",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_formula_is_refused_at_its_place(case: str) -> None:
    content, expected = WRONG[case]
    assert refusal(document(content)) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "1:1: not well-formed XML: the file holds no element"),
        (b"<pnml/>", "1:1: unexpected element <pnml> as the document's root"),
        (b"<!DOCTYPE x><property-set/>", "1:1: document type declarations are refused"),
        (
            b"<property-set><property><formula><true/></formula></property></property-set>",
            "1:15: this property has no id",
        ),
        (
            b"<property-set><property><id>a</id></property></property-set>",
            "1:15: the property 'a' has no formula",
        ),
        (
            b"<property-set><property><id> </id></property></property-set>",
            "1:30: an empty id",
        ),
        (
            document("<true/>").replace(b"</property-set>", b"<property><id> x</id>"),
            "3:53: the property 'x' is there twice",
        ),
        (
            document("<true/>").replace(b"</property>", b"<formula/></property>"),
            "3:27: a second formula in one property",
        ),
    ],
)
def test_a_wrong_document_is_refused_at_its_place(data: bytes, expected: str) -> None:
    assert refusal(data) == expected


def test_a_misspelt_place_is_hinted_at() -> None:
    with pytest.raises(InputError) as caught:
        one(ef(SMALL.replace(">p<", ">pp<")))
    assert caught.value.diagnostics[0].hint == "did you mean 'p'?"


def test_a_composite_has_no_places() -> None:
    model = parse_gal("gal g { int x = 0; } composite c { g i; } main c;", "c.gal")
    with pytest.raises(InputError, match="speak of a net; 'c' is none"):
        parse_properties(document("<true/>"), model, "f.xml")


# --- size -----------------------------------------------------------------------------------------


def test_a_hundred_thousand_properties_are_read() -> None:
    body = ef(FIRE)
    data = "".join(
        f"<property><id>x{i}</id><formula>{body}</formula></property>" for i in range(100_000)
    )
    found = parse_properties(f"<property-set>{data}</property-set>".encode(), NET, "f.xml")
    assert len(found) == 100_000


def test_a_sum_of_a_hundred_thousand_places_is_read() -> None:
    places = wrap("tokens-count", "<place>p</place>" * 100_000)
    body = one(ef(wrap("integer-le", places, wrap("integer-sum", TOKENS * 50_000)))).body
    assert body is not None
    assert sum(isinstance(n, Binary) for n in nodes(body)) == 99_999 + 49_999


def test_a_deep_formula_is_read_and_a_deeper_one_refused() -> None:
    def deep(levels: int) -> bytes:
        return document(ef("<negation>" * levels + FIRE + "</negation>" * levels))

    (found,) = parse_properties(deep(9_990), NET, "f.xml")
    assert isinstance(found.body, Not)
    assert "elements are nested deeper than 10000 levels" in refusal(deep(100_000))


def test_a_file_cut_anywhere_is_refused(data: Path) -> None:
    folder = data / "mcc" / "Philosophers-PT-000005"
    model = load(folder / "model.pnml")
    text = (folder / "CTLFireability.xml").read_bytes()
    end = text.rindex(b">")
    for cut in range(0, end, max(1, end // 300)):
        assert "not well-formed XML: the file " in refusal(text[:cut], model)


# --- published files ------------------------------------------------------------------------------

KINDS = {
    "ReachabilityCardinality": {"reachable", "invariant"},
    "ReachabilityFireability": {"reachable", "invariant"},
    "UpperBounds": {"bounds"},
    "CTLCardinality": {"ctl", "reachable", "invariant", "never"},
    "CTLFireability": {"ctl", "reachable", "invariant", "never"},
    "LTLCardinality": {"ltl", "invariant"},
    "LTLFireability": {"ltl", "invariant"},
}


def test_every_published_property_file_of_a_net_is_read(data: Path) -> None:
    count = 0
    for path in sorted(data.glob("mcc/*-PT-*/model.pnml")):
        model = load(path)
        for examination, kinds in KINDS.items():
            found = load_properties(path.parent / f"{examination}.xml", model)
            assert len(found) == 16
            assert {p.kind for p in found} <= kinds, path
            count += len(found)
    assert count == 29 * 7 * 16


def test_the_properties_of_another_model_are_refused(data: Path) -> None:
    model = load(data / "mcc" / "FMS-PT-00002" / "model.pnml")
    other = data / "mcc" / "Philosophers-PT-000005" / "UpperBounds.xml"
    with pytest.raises(InputError) as caught:
        load_properties(other, model)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == "the net has no place 'Fork_1'"
    assert str(diagnostic.span) == f"{other}:8:16"


def answers(path: Path) -> dict[tuple[str, str], str]:
    with path.open(encoding="utf-8") as file:
        return {(r["model"], r["property_id"]): r["expected"] for r in csv.DictReader(file)}


def test_the_reference_gives_the_stated_answers_of_small_nets_with_inhibitors(data: Path) -> None:
    expected = answers(data / "pnml-small" / "expected.csv")
    checked = 0
    for folder in sorted((data / "pnml-small" / "tapaal").iterdir())[::6]:
        model = load(folder / "model.pnml")
        semantics = Semantics(model)
        for p in load_properties(folder / "query.xml", model):
            answer = semantics.check(p, limit=20_000)
            assert answer.verdict.upper() == expected[f"tapaal/{folder.name}", p.name], p.name
            checked += 1
    assert checked > 30


@pytest.mark.parametrize("examination", ["ReachabilityCardinality", "UpperBounds"])
def test_the_reference_gives_the_published_answers_of_a_contest_net(
    data: Path, examination: str
) -> None:
    expected = answers(data / "mcc" / "expected.csv")
    folder = data / "mcc" / "CircularTrains-PT-012"
    model = load(folder / "model.pnml")
    semantics = Semantics(model)
    for p in load_properties(folder / f"{examination}.xml", model):
        answer = semantics.check(p, limit=10_000)
        given = answer.value if p.kind == "bounds" else answer.verdict.upper()
        assert str(given) == expected[folder.name, p.name], p.name
