"""Reading symmetric nets: what the terms mean, and every wrong document refused at its place."""

import pytest
from tests.colour.nets import (
    DOT,
    SYMMETRIC,
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

from plait.colour.net import ColouredNet, size_of
from plait.colour.unfold import unfold
from plait.engines import states
from plait.errors import InputError
from plait.lang.pnml import parse
from plait.lang.pnml.reader import parse_net

C = enumeration("C", 3)
F = enumeration("F", 3, "finite")
CF = product("CF", "C", "F")
X, Y, Z = variable("x", "C"), variable("y", "C"), variable("z", "F")


def refusal(data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        parse(data, "f.pnml")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None
    assert caught.value.render()
    return f"{diagnostic.span.line}: {diagnostic.message}"


def marked(term: str, sort: str = "C") -> bytes:
    return document([C, F, CF, X, Y, Z], place("p", sort, term))


def guarded(guard: str) -> bytes:
    return document([C, F, CF, X, Y, Z], place("p", "C"), transition("t", guard))


def declared(*declarations: str) -> bytes:
    return document(declarations)


def ranged(start: str, end: str) -> str:
    return f'<namedsort id="R"><finiteintrange start="{start}" end="{end}"/></namedsort>'


def part_of(name: str) -> str:
    inside = f"<subterm>{var(name)}</subterm>"
    return f'<partitionelementof refpartition="P">{inside}</partitionelementof>'


PARTS = (
    '<partition id="P"><usersort declaration="C"/>'
    '<partitionelement id="low"><useroperator declaration="C0"/></partitionelement>'
    '<partitionelement id="high">{}</partitionelement></partition>'
)
NATURAL = '<numberconstant value="{}"><positive/></numberconstant>'

WRONG = {
    "a range that is too long": (
        declared(ranged("0", "2000000000")),
        "3: the range has 2000000001 colours; at most 10000000 are supported",
    ),
    "a range beyond the integers": (
        declared(ranged("0", "9" * 5000)),
        "3: the end is greater than 2147483647, the most that is supported",
    ),
    "an empty range": (declared(ranged("3", "2")), "3: the range 3..2 is empty"),
    "a range of words": (
        declared(ranged("one", "2")),
        "3: an integer is needed for 'start', not 'one'",
    ),
    "a range without end": (
        declared('<namedsort id="R"><finiteintrange start="1"/></namedsort>'),
        "3: <finiteintrange> has no attribute 'end'",
    ),
    "an empty enumeration": (
        declared('<namedsort id="E"><finiteenumeration/></namedsort>'),
        "3: an enumeration without constants",
    ),
    "something else in an enumeration": (
        declared('<namedsort id="E"><finiteenumeration><dot/></finiteenumeration></namedsort>'),
        "3: <finiteenumeration> holds empty <feconstant> elements only",
    ),
    "a product without components": (
        declared('<namedsort id="E"><productsort/></namedsort>'),
        "3: a product without components",
    ),
    "an enumeration inside a product": (
        declared(
            '<namedsort id="E"><productsort><finiteenumeration><feconstant id="a"/>'
            "</finiteenumeration></productsort></namedsort>"
        ),
        "3: the components of a product must be declared on their own",
    ),
    "a product of very many components": (
        declared('<namedsort id="D"><dot/></namedsort>', product("E", *["D"] * 101)),
        "3: the product has more than 100 components",
    ),
    "a sort that is declared by itself": (
        declared(product("A", "B"), product("B", "A")),
        "3: the sort 'A' is declared by itself",
    ),
    "a sort that is not declared": (declared(product("A", "B")), "3: no sort 'B' is declared"),
    "a sort declared twice": (declared(C, C), "3: 'C' is declared twice"),
    "a constant declared twice": (
        declared(C, C.replace('namedsort id="C"', 'namedsort id="D"')),
        "3: 'C0' is declared twice",
    ),
    "a variable declared twice": (declared(C, X, X), "3: 'x' is declared twice"),
    "a sort without an id": (
        declared("<namedsort><dot/></namedsort>"),
        "3: <namedsort> has no attribute 'id'",
    ),
    "a sort of nothing": (
        declared('<namedsort id="S"/>'),
        "3: <namedsort> must hold one element, and holds 0",
    ),
    "a sort of lists": (
        declared('<namedsort id="S"><list/></namedsort>'),
        "3: sorts of kind <list> are not supported",
    ),
    "an arbitrary declaration": (
        declared('<namedoperator id="f"/>'),
        "3: declarations by <namedoperator> are not supported",
    ),
    "no declarations in a declaration": (
        b'<pnml><net id="n" type="symmetricnet"><declaration><structure><dot/></structure>'
        b"</declaration></net></pnml>",
        "1: <declarations> is needed here, not <dot>",
    ),
    "a colour in two parts": (
        declared(C, PARTS.format(const("C0") + const("C1") + const("C2"))),
        "3: '0' is in two parts",
    ),
    "a colour in no part": (
        declared(C, PARTS.format(const("C1"))),
        "3: '2' is in none of the parts",
    ),
    "a part of another sort": (
        declared(C, F, PARTS.format(const("F1"))),
        "3: a constant of 'C' is needed here, not of 'F'",
    ),
    "a partition of a product": (
        declared(C, F, CF, PARTS.replace('declaration="C"', 'declaration="CF"').format("")),
        "3: only enumerations and ranges can be partitioned",
    ),
    "a place without type": (
        f'<pnml><net id="n" type="{SYMMETRIC}"><place id="p"/></net></pnml>'.encode(),
        "1: the place 'p' has no <type>",
    ),
    "a type without structure": (
        document([], '<place id="p"><type><text>dots</text></type></place>'),
        "4: <type> has no <structure>",
    ),
    "a second type": (
        document([C], place("p", "C").replace("</place>", place("p", "C")[14:])),
        "4: a second <type>",
    ),
    "a second structure": (
        document([C], place("p", "C").replace("</type>", "<structure/></type>")),
        "4: a second <structure>",
    ),
    "an uncoloured marking": (
        document([], '<place id="p"><initialMarking><text>1</text></initialMarking></place>'),
        "4: unexpected element <initialMarking> inside <place>",
    ),
    "an inscription in a place": (
        document([], '<place id="p"><hlinscription/></place>'),
        "4: <hlinscription> cannot stand here",
    ),
    "a marking of another sort": (
        marked(const("F1")),
        "4: 'C' is needed here, not 'F'",
    ),
    "a marking with a variable": (marked(var("x")), "4: an initial marking has no variables"),
    "a marking that is a condition": (
        marked(op("equality", const("C0"), const("C1"))),
        "4: colours are needed here, not a condition",
    ),
    "a marking that is a number": (
        marked(NATURAL.format(3)),
        "4: colours are needed here, not a number",
    ),
    "too many tokens of a colour": (
        marked(times(2147483647, times(2, const("C0")))),
        "4: this makes more than 2147483647 tokens of one colour",
    ),
    "too many tokens in a sum": (
        marked(op("add", times(2147483647, const("C0")), const("C0"))),
        "4: this makes more than 2147483647 tokens of one colour",
    ),
    "a negative number": (marked(times(-1, const("C0"))), "4: a natural number is needed here"),
    "fewer tokens than are subtracted": (
        marked(op("subtract", const("C0"), const("C1"))),
        "4: more tokens of the colour (1) are subtracted here than there are",
    ),
    "a subtraction of nothing": (
        marked(op("subtract", const("C0"))),
        "4: <subtract> needs two operands",
    ),
    "a sum of two sorts": (
        marked(op("add", const("C0"), const("F0"))),
        "4: 'C' is needed here, not 'F'",
    ),
    "a sum of nothing": (marked("<add/>"), "4: <add> needs an operand"),
    "a tuple of conditions": (
        marked(op("tuple", const("C0"), op("equality", const("C0"), const("C0")))),
        "4: a colour is needed here, not a condition",
    ),
    "an empty tuple": (marked("<tuple/>"), "4: a tuple without components"),
    "a tuple that is too short": (marked(const("C0"), "CF"), "4: 'C * F' is needed here, not 'C'"),
    "a count that is a colour": (
        marked(op("numberof", const("C0"), const("C0"))),
        "4: a number is needed here, not a colour",
    ),
    "an empty term": (
        marked("<numberof><subterm/></numberof>"),
        "4: <subterm> must hold one element, and holds 0",
    ),
    "all of a number": (marked("<all><positive/></all>"), "4: <all> needs a sort of colours"),
    "a successor of everything": (
        marked(op("successor", every("C"))),
        "4: <successor> needs a colour of an enumeration",
    ),
    "an unknown constant": (marked(const("nobody")), "4: no constant 'nobody' is declared"),
    "an unknown variable": (marked(var("nobody")), "4: no variable 'nobody' is declared"),
    "an unknown term": (marked("<magic/>"), "4: terms of kind <magic> are not supported"),
    "a number outside its range": (
        marked(
            '<finiteintrangeconstant value="9"><finiteintrange start="0" end="3"/>'
            "</finiteintrangeconstant>"
        ),
        "4: 9 is not in the range 0..3",
    ),
    "a guard that is a colour": (
        guarded(var("x")),
        "5: a condition is needed here, not a colour",
    ),
    "a comparison of two sorts": (
        guarded(op("equality", var("x"), var("z"))),
        "5: 'C' is needed here, not 'F'",
    ),
    "a comparison of a colour with a condition": (
        guarded(op("equality", var("x"), op("equality", var("x"), var("x")))),
        "5: a colour cannot be compared with a condition here",
    ),
    "an order of products": (
        guarded(op("lessthan", op("tuple", var("x"), var("z")), op("tuple", var("x"), var("z")))),
        "5: <lessthan> needs two colours of one enumeration or range",
    ),
    "a conjunction of colours": (
        guarded(op("and", var("x"), var("x"))),
        "5: a condition is needed here, not a colour",
    ),
    "a negation of two": (
        guarded(op("not", op("equality", var("x"), var("x")), op("equality", var("x"), var("x")))),
        "5: <not> needs 1 operand(s) and has 2",
    ),
    "an unknown partition": (
        guarded(part_of("x")),
        "5: no partition 'P' is declared",
    ),
    "a constant that is neither true nor false": (
        guarded('<booleanconstant value="maybe"/>'),
        "5: true or false is needed here, not 'maybe'",
    ),
    "an arc without inscription": (
        document([C], place("p", "C"), transition("t"), '<arc source="p" target="t"/>'),
        "6: this arc has no <hlinscription>",
    ),
    "an arc with a weight": (
        document(
            [C],
            place("p", "C"),
            transition("t"),
            '<arc source="p" target="t"><inscription><text>1</text></inscription></arc>',
        ),
        "6: this arc has no <hlinscription>",
    ),
    "a reset arc": (
        document([C, X], place("p", "C"), transition("t"), arc("p", "t", var("x"), "reset")),
        "6: reset arcs are not supported in high-level nets",
    ),
    "an arc to nowhere": (
        document([C, X], place("p", "C"), arc("p", "t", var("x"))),
        "5: this arc names 't', which is no node of the net",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_coloured_net_is_refused_at_its_place(case: str) -> None:
    data, message = WRONG[case]
    assert refusal(data) == message


def test_declarations_may_follow_what_uses_them_and_stand_on_pages() -> None:
    """The order of the file does not matter."""
    text = (
        f'<pnml><net id="n" type="{SYMMETRIC}"><page id="g">{place("p", "CF", every("CF"))}'
        f"<declaration><structure><declarations>{CF}{F}{C}</declarations></structure>"
        "</declaration></page></net></pnml>"
    )
    found = parse_net(text.encode(), "f.pnml")
    assert isinstance(found, ColouredNet)
    assert len(found.places[0].initial) == 9


@pytest.mark.parametrize(
    ("term", "colours"),
    [
        (every("C"), {(0,): 1, (1,): 1, (2,): 1}),
        (times(2, const("C1")), {(1,): 2}),
        (op("add", const("C1"), times(3, const("C1"))), {(1,): 4}),
        (op("subtract", every("C"), const("C1")), {(0,): 1, (2,): 1}),
        (op("successor", const("C2")), {(0,): 1}),
        (op("predecessor", op("predecessor", const("C0"))), {(1,): 1}),
        (op("scalarproduct", NATURAL.format(2), op("add", every("C"), const("C0"))),
         {(0,): 4, (1,): 2, (2,): 2}),
        (op("numberof", NATURAL.format(0), const("C0")), {}),
        (op("tuple", const("C2")), {(2,): 1}),
        ('<empty><usersort declaration="C"/></empty>', {}),
    ],
)  # fmt: skip
def test_terms_denote_bags(term: str, colours: dict[tuple[int, ...], int]) -> None:
    found = parse_net(marked(term), "f.pnml")
    assert isinstance(found, ColouredNet)
    assert dict(found.places[0].initial) == colours


@pytest.mark.parametrize(
    ("term", "colours"),
    [
        (op("tuple", const("high"), const("F2")), {(1, 2): 1, (2, 2): 1}),
        (op("tuple", op("add", const("low"), const("high")), const("F0")),
         {(0, 0): 1, (1, 0): 1, (2, 0): 1}),
        (op("tuple", times(2, const("high")), op("add", const("F1"), times(3, const("F0")))),
         {(1, 1): 2, (2, 1): 2, (1, 0): 6, (2, 0): 6}),
        (op("tuple", op("subtract", every("C"), const("high")), every("F")),
         {(0, 0): 1, (0, 1): 1, (0, 2): 1}),
        (op("tuple", '<empty><usersort declaration="C"/></empty>', const("F1")), {}),
    ],
)  # fmt: skip
def test_a_tuple_of_bags_is_a_bag_of_tuples(term: str, colours: dict[tuple[int, ...], int]) -> None:
    """And a part of a partition is the bag of its colours, as in VehicularWifi of the contest."""
    parts = PARTS.format(const("C1") + const("C2"))
    found = parse_net(document([C, F, CF, parts], place("p", "CF", term)), "f.pnml")
    assert isinstance(found, ColouredNet)
    assert dict(found.places[0].initial) == colours


def test_an_arc_may_carry_a_part_of_a_partition() -> None:
    parts = PARTS.format(const("C1") + const("C2"))
    net = parse(
        document(
            [C, parts],
            place("p", "C", every("C")),
            place("q", "C"),
            transition("t"),
            arc("p", "t", const("high")),
            arc("t", "q", op("add", const("high"), const("C0"))),
        ),
        "f.pnml",
    )
    space = states(net)
    assert (space.states, space.deadlocks, space.max_sum) == (2, 1, 4)


RANGE = (
    '<finiteintrangeconstant value="3"><finiteintrange start="1" end="3"/></finiteintrangeconstant>'
)


@pytest.mark.parametrize(("sort", "last"), [("C", const("C2")), ("F", const("F2")), ("R", RANGE)])
def test_after_the_last_colour_comes_the_first_in_all_enumerations(sort: str, last: str) -> None:
    """Nets of the contest were published with successors in sorts not declared to be cyclic."""
    found = net([C, F, ranged("1", "3")], place("p", sort, op("successor", last)))
    assert dict(found.places[0].initial) == {(0,): 1}


GUARDS = {
    "none": ("", 9),
    "equality": (op("equality", var("x"), var("y")), 3),
    "inequality": (op("inequality", var("x"), var("y")), 6),
    "order": (op("lessthan", var("x"), var("y")), 3),
    "order of constants": (op("greaterthanorequal", var("x"), const("C1")), 6),
    "successor": (op("equality", op("successor", var("x")), var("y")), 3),
    "predecessor": (op("equality", var("x"), op("predecessor", var("y"))), 3),
    "tuples": (
        op("equality", op("tuple", var("x"), var("y")), op("tuple", const("C0"), const("C1"))),
        1,
    ),
    "different tuples": (
        op("inequality", op("tuple", var("x"), var("y")), op("tuple", const("C0"), const("C1"))),
        8,
    ),
    "or": (op("or", op("equality", var("x"), const("C0")), op("equality", var("y"), var("x"))), 5),
    "not": (op("not", op("equality", var("x"), const("C0"))), 6),
    "imply": (
        op("imply", op("equality", var("x"), const("C0")), op("equality", var("y"), const("C0"))),
        7,
    ),
    "and": (
        op("and", op("lessthan", var("x"), var("y")), op("lessthan", var("y"), const("C2"))),
        1,
    ),
    "false": ('<booleanconstant value="false"/>', 0),
    "parts": (
        op(
            "equality",
            part_of("x"),
            const("high"),
        ),
        6,
    ),
    "an order of parts": (
        op(
            "gtp",
            part_of("x"),
            part_of("y"),
        ),
        2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", GUARDS)
def test_guards_choose_bindings(case: str) -> None:
    """Each binding takes the dot and leaves its own mark: one state for each, and the first."""
    guard, bindings = GUARDS[case]
    parts = PARTS.format(const("C1") + const("C2"))
    data = document(
        [C, X, Y, product("CC", "C", "C"), parts],
        place("start", "dot", DOT),
        place("seen", "CC"),
        transition("t", guard),
        arc("start", "t", DOT),
        arc("t", "seen", op("tuple", var("x"), var("y"))),
    )
    assert states(parse(data, "f.pnml")).states == 1 + bindings


def test_a_variable_of_a_product_is_one_for_each_component() -> None:
    found = net(
        [C, F, CF, variable("v", "CF")],
        place("p", "CF", every("CF")),
        place("q", "CF"),
        transition("t"),
        arc("p", "t", var("v")),
        arc("t", "q", var("v")),
    )
    assert [name for name, _ in found.events[0].variables] == ["v.1", "v.2"]


def test_a_product_has_more_colours_than_anybody_lists() -> None:
    sorts = [enumeration("B", 1000), product("B2", "B", "B"), product("B3", "B2", "B")]
    found = net(
        [*sorts, *(variable(v, "B") for v in "xyz")],
        place("p", "B3", op("tuple", const("B7"), const("B8"), const("B9"))),
        transition("turn"),
        arc("p", "turn", op("tuple", var("x"), var("y"), var("z"))),
        arc("turn", "p", op("tuple", var("y"), var("z"), var("x"))),
    )
    assert size_of(found.places[0].sort) == 1_000_000_000
    assert states(unfold(found)).states == 3


def test_inhibitor_and_test_arcs_carry_colours() -> None:
    """`t` needs its colour in `lamp` and none of it in `stop`, and changes neither."""
    data = document(
        [C, X],
        place("p", "C", every("C")),
        place("lamp", "C", op("add", const("C0"), const("C1"))),
        place("stop", "C", const("C1")),
        transition("t"),
        arc("p", "t", var("x")),
        arc("lamp", "t", var("x"), "test"),
        arc("stop", "t", var("x"), "inhibitor"),
    )
    assert states(parse(data, "f.pnml")).states == 2


def test_structures_may_be_nested_as_deep_as_any_element() -> None:
    term = const("C0")
    for _ in range(4000):
        term = op("successor", term)
    found = parse_net(marked(term), "f.pnml")
    assert isinstance(found, ColouredNet)
    assert dict(found.places[0].initial) == {(4000 % 3,): 1}


PLAIN = b"http://www.pnml.org/version-2009/grammar/ptnet"


def test_a_net_that_declares_colours_is_coloured_whatever_its_type() -> None:
    """TAPAAL writes its coloured nets so, and the constant of its sort of dots as an operator."""
    dots = '<namedsort id="dot" name="dot"><dot/></namedsort>'
    parts = (
        place("p", "C", every("C")),
        place("q", "dot"),
        transition("t"),
        arc("p", "t", times(1, var("x"))),
        arc("t", "q", times(1, const("dot"))),
    )
    data = document([C, X, dots], *parts)
    assert states(parse(data.replace(SYMMETRIC.encode(), PLAIN), "f.pnml")).states == 8
    late = document([C, X], place("p", "C")).replace(SYMMETRIC.encode(), PLAIN)
    moved = late.replace(b"<declaration>", b'<place id="o"/><declaration>')
    assert "<declaration> belongs to high-level nets, and this is none by its type" in refusal(
        moved
    )
