"""The forms of a coloured net are one net: random nets, by the definition and in every form."""

from collections.abc import Sequence
from itertools import product as tuples

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from tests.colour.nets import (
    DOT,
    arc,
    const,
    document,
    enumeration,
    every,
    net,
    op,
    place,
    product,
    times,
    transition,
    var,
    variable,
)

from plait.cli.skeleton import skeleton_answers
from plait.colour.bindings import Condition
from plait.colour.choice import as_model
from plait.colour.forms import Form
from plait.colour.net import Colour, ColouredNet
from plait.colour.parametric import copies, parametric, separated
from plait.colour.skeleton import skeleton, telling
from plait.colour.unfold import TooLarge, unfold
from plait.engines import Budget, check, states
from plait.lang.gal import parse as parse_gal
from plait.lang.gal import print_model
from plait.lang.pnml.reader import parse_net
from plait.logic.examinations import GLOBAL
from plait.logic.folding import Vocabulary
from plait.model.expr import And, Compare, Const, Formula, Not, Or
from plait.model.net import Net, as_net
from plait.model.types import ElementaryType, Model, Property
from plait.passes import flat

DECLARED = [
    enumeration("C", 3),
    enumeration("F", 2, "finite"),
    product("CF", "C", "F"),
    variable("x", "C"),
    variable("y", "C"),
    variable("z", "F"),
]
SORTS = {"p": "C", "q": "C", "r": "CF", "d": "dot"}
C_TERMS = [var("x"), var("y"), op("successor", var("x")), op("predecessor", var("y")), const("C1")]
F_TERMS = [var("z"), op("successor", var("z")), const("F0")]
GUARDS = [
    "",
    "",
    op("equality", var("x"), var("y")),
    op("inequality", var("x"), var("y")),
    op("lessthan", var("x"), var("y")),
    op("equality", op("successor", var("x")), var("y")),
    op("or", op("equality", var("z"), const("F1")), op("lessthanorequal", var("x"), const("C1"))),
    op("and", op("inequality", var("x"), const("C0")), op("equality", var("z"), const("F0"))),
    op("not", op("equality", var("x"), var("y"))),
]


def colours(sort: str) -> st.SearchStrategy[str]:
    if sort == "C":
        return st.sampled_from(C_TERMS)
    if sort == "CF":
        pairs = st.tuples(st.sampled_from([*C_TERMS, every("C")]), st.sampled_from(F_TERMS))
        return pairs.map(lambda pair: op("tuple", *pair))
    return st.just(DOT)


def bags(sort: str) -> st.SearchStrategy[str]:
    summands = st.lists(
        st.builds(times, st.integers(1, 2), colours(sort)), min_size=1, max_size=2
    ).map(lambda terms: op("add", *terms))
    if sort == "C":
        rest = st.sampled_from(C_TERMS).map(lambda term: op("subtract", every("C"), term))
        return st.one_of(summands, summands, st.just(every("C")), rest)
    return summands


def arcs(name: str) -> st.SearchStrategy[list[str]]:
    def one(of: str) -> st.SearchStrategy[str]:
        takes = colours(SORTS[of]).map(lambda term: arc(of, name, term))
        many = bags(SORTS[of]).map(lambda bag: arc(of, name, bag))
        puts = colours(SORTS[of]).map(lambda bag: arc(name, of, bag))
        tests = bags(SORTS[of]).map(lambda bag: arc(of, name, bag, "test"))
        stops = bags(SORTS[of]).map(lambda bag: arc(of, name, bag, "inhibitor"))
        return st.one_of(takes, many, puts, puts, tests, stops)

    first = st.tuples(st.sampled_from("pq"), st.sampled_from(C_TERMS))
    more = st.lists(st.sampled_from(sorted(SORTS)).flatmap(one), max_size=3)
    return st.builds(lambda a, rest: [arc(a[0], name, a[1]), *rest], first, more)


@st.composite
def nets(draw: st.DrawFn) -> ColouredNet:
    """A net of four places whose events never add tokens, so that its space is finite."""
    initial = {
        "p": [op("add", every("C"), every("C")), op("add", times(2, const("C0")), const("C2"))],
        "q": [every("C"), const("C1"), ""],
        "r": [every("CF"), op("tuple", every("C"), const("F1")), ""],
        "d": [times(2, DOT), ""],
    }
    parts = [place(n, sort, draw(st.sampled_from(initial[n]))) for n, sort in SORTS.items()]
    for number in range(draw(st.integers(1, 3))):
        parts.append(transition(f"t{number}", draw(st.sampled_from(GUARDS))))
        parts.extend(draw(arcs(f"t{number}")))
    found = net(DECLARED, *parts)
    for event in found.events:
        change = {"in": -1, "out": 1, "inhibitor": 0}
        assume(sum(change[a.kind] * a.bag.size for a in event.arcs) <= 0)
    return found


Marking = tuple[frozenset[tuple[Colour, int]], ...]


def by_definition(found: ColouredNet) -> tuple[int, int, int]:
    """States, arcs and deadlocks, with every tuple of colours tried as a binding."""
    first: Marking = tuple(frozenset(p.initial.items()) for p in found.places)
    steps = [
        (event, dict(zip(names, values, strict=True)))
        for event in found.events
        for names in [[v for v, _ in event.variables]]
        for values in tuples(*(range(sort.size) for _, sort in event.variables))
        if all(Condition(g).holds(dict(zip(names, values, strict=True))) for g in event.guard)
    ]
    seen, queue, count, dead = {first}, [first], 0, 0
    for marking in queue:
        before = count
        for event, binding in steps:
            now = [dict(m) for m in marking]
            put: list[tuple[int, dict[Colour, int]]] = []
            enabled = True
            for a in event.arcs:
                bag = a.bag.colours(binding, found.places[a.place].sort)
                if a.kind == "inhibitor":
                    held = dict(marking[a.place])
                    enabled &= all(held.get(c, 0) < n for c, n in bag.items())
                elif a.kind == "out":
                    put.append((a.place, bag))
                else:
                    for c, n in bag.items():
                        now[a.place][c] = now[a.place].get(c, 0) - n
            if not enabled or any(n < 0 for m in now for n in m.values()):
                continue
            for p, bag in put:
                for c, n in bag.items():
                    now[p][c] = now[p].get(c, 0) + n
            after = tuple(frozenset((c, n) for c, n in m.items() if n) for m in now)
            count += 1
            if after not in seen:
                seen.add(after)
                queue.append(after)
        assume(len(seen) < 150)
        dead += count == before
    return len(seen), count, dead


@settings(max_examples=60, deadline=None, phases=[Phase.generate])
@given(nets())
def test_random_nets_have_one_space_in_every_form(found: ColouredNet) -> None:
    """covers: I110"""
    expected = by_definition(found)
    spaces = {}
    for form in ("unfolded", "parametric", "separated"):
        spaces[form] = states(as_model(found, form))
        assert spaces[form].complete
    assert (
        spaces["unfolded"].states,
        spaces["unfolded"].arcs,
        spaces["unfolded"].deadlocks,
    ) == expected
    figures = {(s.states, s.deadlocks, s.max_sum, s.max_value) for s in spaces.values()}
    assert len(figures) == 1
    assert spaces["parametric"].arcs == expected[1]


def questions(model: Model) -> list[Property]:
    """Counts and enabledness of one net in whatever form: the same names, the same meaning."""
    known = Vocabulary(model)

    def small(places: Sequence[str], most: int) -> Formula:
        return Compare("<=", known.tokens(places), Const(most))

    def can(*events: str) -> Formula:
        return known.fireable(events)

    first = known.events[0].name
    last = known.events[-1].name
    bodies: dict[str, Formula] = {
        **{f"{p.name}{n}": small([p.name], n) for p in known.places for n in (0, 1, 3)},
        "pq": small(["p", "q"], 5),
        "stuck": Not(can(first)),
        "either": Or((can(first), can(last))),
        "both": And((can(first), Not(can(last)))),
        "full": And((can(first), Not(small(["p"], 2)))),
    }
    return [
        *(Property(f"AG {n}", kind="invariant", body=f) for n, f in bodies.items()),
        *(Property(f"EF {n}", kind="reachable", body=f) for n, f in bodies.items()),
        *(Property(f"never {n}", kind="never", body=f) for n, f in bodies.items()),
        *(Property(f"max {n}", kind="bounds", body=known.tokens([n])) for n in SORTS),
        *GLOBAL["StableMarking"].properties(model),
        *GLOBAL["OneSafe"].properties(model),
    ]


@settings(max_examples=25, deadline=None, phases=[Phase.generate])
@given(nets())
def test_forms_agree_on_properties_and_the_skeleton_is_right_when_it_tells(
    found: ColouredNet,
) -> None:
    verdicts = []
    forms: tuple[Form, ...] = ("unfolded", "separated")
    for form in forms:
        model = as_model(found, form)
        answers = check(model, questions(model), budget=Budget(states=20_000))
        assume(all(a.verdict != "unknown" for a in answers))
        verdicts.append({a.property.name: (a.verdict, a.value) for a in answers})
    assert verdicts[0] == verdicts[1]
    plain = skeleton(found)
    told = skeleton_answers(plain, questions(plain), "auto", Budget(timeout=20, states=20_000))
    assert {n: (a.verdict, a.value) for n, a in told.items()} == {n: verdicts[0][n] for n in told}


def test_the_skeleton_tells_what_it_can_and_nothing_else() -> None:
    """One token of C walks from p to q; with colours it never can, because the guard forbids it."""
    found = net(
        DECLARED,
        place("p", "C", const("C0")),
        place("q", "C"),
        transition("t", op("equality", var("x"), const("C2"))),
        arc("p", "t", var("x")),
        arc("t", "q", var("x")),
    )
    plain = skeleton(found)
    known = Vocabulary(plain)
    asked = [
        Property("sum", kind="invariant", body=Compare("<=", known.tokens(["p", "q"]), Const(1))),
        Property("q", kind="invariant", body=Compare("==", known.tokens(["q"]), Const(0))),
        Property("two", kind="reachable", body=Compare("==", known.tokens(["q"]), Const(2))),
        Property("one", kind="reachable", body=Compare("==", known.tokens(["q"]), Const(1))),
        Property("p", kind="bounds", body=known.tokens(["p"])),
        Property("more", kind="bounds", body=known.tokens(["q"])),
        Property("dead", kind="deadlock"),
        Property("can", kind="invariant", body=known.fireable(["t"])),
    ]
    told = skeleton_answers(plain, asked, "auto", Budget(timeout=20))
    assert {n: (a.verdict, a.value) for n, a in told.items()} == {
        "sum": ("true", None),
        "two": ("false", None),
        "p": ("true", 1),
    }
    assert telling(asked[-1]) == "unknown"
    unfolded = unfold(found)
    (deadlock,) = check(unfolded, GLOBAL["ReachabilityDeadlock"].properties(unfolded))
    assert deadlock.verdict == "false"
    assert states(unfolded).states == 1


def vending(size: int) -> bytes:
    """Three variables that draw from one place: the unfolding is a product, the separated form a
    sum."""
    return document(
        [enumeration("O", size), *(variable(v, "O") for v in "abc")],
        place("box", "O", every("O")),
        place("sold", "dot"),
        transition("t"),
        arc("box", "t", op("add", var("a"), var("b"), var("c"))),
        arc("t", "sold", DOT),
    )


@pytest.mark.parametrize("form", ["unfolded", "parametric", "separated"])
def test_tokens_of_equal_colours_are_added_up(form: Form) -> None:
    """Three different colours are needed although each variable alone would find its own.

    covers: I111
    """
    for size, expected in ((2, 1), (3, 2), (4, 1 + 4)):
        found = parse_net(vending(size), "f.pnml")
        assert isinstance(found, ColouredNet)
        assert states(as_model(found, form)).states == expected


INHIBITORS = {
    "summands of one colour add up": (op("add", times(2, var("x")), var("y")), 1 + 3),
    "a colour that is subtracted is free": (op("subtract", every("C"), const("C0")), 1 + 9),
    "one of every colour": (every("C"), 1),
}


@pytest.mark.parametrize("form", ["unfolded", "parametric", "separated"])
@pytest.mark.parametrize("case", INHIBITORS)
def test_an_inhibitor_asks_for_each_colour_of_its_bag(case: str, form: Form) -> None:
    """`p` holds two tokens of C0; each binding that may happen leaves a mark of its own."""
    bag, expected = INHIBITORS[case]
    tokens = times(1 if case.startswith("a colour") else 2, const("C0"))
    data = document(
        [*DECLARED, product("CC", "C", "C")],
        place("p", "C", tokens),
        place("once", "dot", DOT),
        place("seen", "CC"),
        transition("t", op("imply", op("equality", var("x"), var("x")), ONE_OF_THEM[case])),
        arc("once", "t", DOT),
        arc("p", "t", bag, "inhibitor"),
        arc("t", "seen", op("tuple", var("x"), var("y"))),
    )
    found = parse_net(data, "f.pnml")
    assert isinstance(found, ColouredNet)
    assert states(as_model(found, form)).states == expected


ANY = '<booleanconstant value="true"/>'
ONE_OF_THEM = {
    # (C0, C0) asks for three and may happen; (C0, y) asks for two, (x, C0) for one: they may not.
    "summands of one colour add up": op("lessthan", var("y"), const("C2")),
    "a colour that is subtracted is free": ANY,
    "one of every colour": ANY,
}


def test_the_smaller_form_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """covers: I110"""
    monkeypatch.setattr("plait.colour.unfold.BINDING_LIMIT", 5_000)
    large = parse_net(vending(20), "f.pnml")
    assert isinstance(large, ColouredNet)
    with pytest.raises(TooLarge) as caught:
        as_model(large, "unfolded")
    (diagnostic,) = caught.value.diagnostics
    assert "more than 5000 events" in diagnostic.message
    assert copies(parametric(large)) == 20**3
    chosen = as_model(large)
    assert chosen == separated(large)
    assert copies(chosen) == 20 + 20 + 20
    small = parse_net(vending(4), "f.pnml")
    assert isinstance(small, ColouredNet)
    assert as_model(small) == unfold(small)


def test_the_separated_form_has_fewer_transitions_and_the_same_verdicts() -> None:
    """covers: I134"""
    found = parse_net(vending(4), "f.pnml")
    assert isinstance(found, ColouredNet)
    verdicts = []
    for form in ("unfolded", "separated"):
        model = as_model(found, form)  # type: ignore[arg-type]
        asked = [Property("deadlock", kind="deadlock")]
        for examination in ("OneSafe", "StableMarking", "QuasiLiveness"):
            asked += GLOBAL[examination].properties(model)
        answers = check(model, asked)
        verdicts.append({a.property.name: a.verdict for a in answers})
    assert verdicts[0] == verdicts[1]
    assert set(verdicts[0].values()) == {"true", "false"}
    assert copies(separated(found)) < copies(parametric(found))


def test_the_plain_parametric_form_is_a_net_again_when_it_is_instantiated() -> None:
    """Summed guards fold to numbers, so engines that know nets know it too."""
    found = parse_net(vending(3), "f.pnml")
    assert isinstance(found, ColouredNet)
    assert isinstance(as_net(flat(parametric(found)).model), Net)


@pytest.mark.parametrize("form", ["parametric", "separated"])
def test_parametric_forms_can_be_written_and_read_as_gal(form: Form) -> None:
    """covers: I107"""
    found = parse_net(vending(4), "f.pnml")
    assert isinstance(found, ColouredNet)
    model = as_model(found, form)
    again = parse_gal(print_model(model), "again.gal")
    assert states(again).states == states(model).states == 5
    assert isinstance(again.system, ElementaryType)


def test_what_is_subtracted_may_be_too_much_where_the_guard_rules_it_out() -> None:
    """All colours but two that the guard keeps apart, as in PhilosophersDyn of the contest."""
    pair = op("add", var("x"), var("y"))
    found = parse_net(
        document(
            [enumeration("C", 3), variable("x", "C"), variable("y", "C")],
            place("p", "C", every("C")),
            place("q", "C"),
            place("r", "C"),
            transition("t", op("inequality", var("x"), var("y"))),
            arc("p", "t", pair),
            arc("t", "q", op("subtract", every("C"), var("x"), var("y"))),
            arc("t", "r", pair),
        ),
        "f.pnml",
    )
    assert isinstance(found, ColouredNet)
    counts = {states(form(found)).states for form in (unfold, parametric, separated)}
    assert counts == {1 + 3}
