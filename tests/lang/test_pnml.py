"""PNML place/transition nets: what is read, what it means, and that it is written back."""

import csv
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from plait.errors import InputError
from plait.lang.pnml import load, parse, print_model
from plait.model.expr import Binary, Compare, Const, Var
from plait.model.net import Net, NetEvent, Place, as_model, as_net
from plait.model.stmt import Assign
from plait.model.types import Domain, ElementaryType, Model, Unit, Units

HEAD = '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="ptnet">'
TAIL = "</net></pnml>"


def read(content: str) -> Model:
    return parse((HEAD + content + TAIL).encode(), "net.pnml")


def net(content: str) -> Net:
    found = as_net(read(content))
    assert isinstance(found, Net)
    return found


def system(model: Model) -> ElementaryType:
    assert isinstance(model.system, ElementaryType)
    return model.system


NODES = '<place id="p"/><place id="q"/><transition id="t"/>'


def test_a_net_becomes_variables_and_guarded_events() -> None:
    model = read(
        """
        <page id="g">
          <place id="p"><name><text>free</text></name>
            <initialMarking><text>3</text></initialMarking></place>
          <place id="q"/>
          <transition id="t"><name><text>take</text></name></transition>
          <arc id="a" source="p" target="t"><inscription><text>2</text></inscription></arc>
          <arc id="b" source="t" target="q"/>
        </page>"""
    )
    assert (model.name, model.main) == ("n", "n")
    p, q = system(model).variables
    assert (p.name, p.initial, p.domain, p.comment) == (
        "p",
        (Const(3),),
        Domain(0, 2**31 - 1),
        "free",
    )
    assert (q.name, q.initial, q.comment) == ("q", (Const(0),), None)
    (t,) = system(model).events
    assert (t.name, t.comment) == ("t", "take")
    assert t.guard == (Compare(">=", Var("p"), Const(2)),)
    assert t.body == (
        Assign(Var("p"), Binary("-", Var("p"), Const(2))),
        Assign(Var("q"), Binary("+", Var("q"), Const(1))),
    )
    assert str(t.span) == "net.pnml:6:11"
    assert str(t.guard[0].span) == "net.pnml:7:11"
    assert str(p.span) == "net.pnml:3:11"


@pytest.mark.parametrize(
    "arc",
    [
        '<arc source="p" target="t" type="{}"/>',
        '<arc source="p" target="t"><type value="{}"/></arc>',
        '<arc source="p" target="t"><type><text>{}</text></type></arc>',
        '<arc source="p" target="t"><arctype><text> {} </text></arctype></arc>',
        '<arc source="p" target="t"><type><value>{}</value></type></arc>',
    ],
)
@pytest.mark.parametrize(
    ("kind", "event"),
    [
        ("normal", NetEvent("t", pre=((0, 1),))),
        ("inhibitor", NetEvent("t", inhibitor=((0, 1),))),
        ("test", NetEvent("t", pre=((0, 1),), post=((0, 1),))),
        ("read", NetEvent("t", pre=((0, 1),), post=((0, 1),))),
        ("reset", NetEvent("t", reset=(0,))),
    ],
)
def test_the_kind_of_an_arc_is_read_in_every_dialect(arc: str, kind: str, event: NetEvent) -> None:
    assert net(NODES + arc.format(kind)).events == (event,)


@pytest.mark.parametrize(
    ("arcs", "event"),
    [
        # parallel ordinary arcs add up, and an arc in and one out leave the difference
        (
            [("p", "t", "", 1), ("p", "t", "", 2), ("t", "p", "", 1)],
            NetEvent("t", ((0, 3),), ((0, 1),)),
        ),
        # an inhibitor beside an ordinary arc: both conditions
        ([("p", "t", "", 1), ("p", "t", "inhibitor", 3)], NetEvent("t", ((0, 1),), (), ((0, 3),))),
        # contradictory conditions are a dead event, not an error
        ([("p", "t", "", 2), ("p", "t", "inhibitor", 1)], NetEvent("t", ((0, 2),), (), ((0, 1),))),
        # several inhibitors: the strictest
        (
            [("p", "t", "inhibitor", 5), ("p", "t", "inhibitor", 3)],
            NetEvent("t", inhibitor=((0, 3),)),
        ),
        # a test and an input are conditions of their own: the greater counts
        ([("p", "t", "test", 3), ("p", "t", "", 1)], NetEvent("t", ((0, 3),), ((0, 2),))),
        # take, then reset, then put
        (
            [("p", "t", "", 2), ("p", "t", "reset", 1), ("t", "p", "", 4)],
            NetEvent("t", ((0, 2),), ((0, 4),), (), (0,)),
        ),
        # a self-loop remains a test
        ([("p", "t", "", 1), ("t", "p", "", 1)], NetEvent("t", ((0, 1),), ((0, 1),))),
    ],
)
def test_arcs_on_one_pair_are_combined(
    arcs: list[tuple[str, str, str, int]], event: NetEvent
) -> None:
    text = "".join(
        f'<arc source="{s}" target="{t}"{f" type={k!r}" if k else ""}>'
        f"<inscription><text>{w}</text></inscription></arc>"
        for s, t, k, w in arcs
    )
    assert net(NODES + text).events == (event,)


def test_reset_means_consume_then_empty_then_produce() -> None:
    event = NetEvent("t", ((0, 2),), ((0, 4),), (), (0,))
    assert event.fire((9,)) == (4,)
    assert not event.enabled((1,))


def test_references_lead_through_pages_to_the_node_they_mean() -> None:
    found = net(
        """<page id="one"><place id="p"/><page id="two"><referencePlace id="r" ref="s"/>
        <transition id="t"/><arc source="r" target="u"/></page></page>
        <page id="three">
          <referencePlace id="s" ref="p"/><referenceTransition id="u" ref="t"/></page>
        """
    )
    assert found.places == (Place("p"),)
    assert found.events == (NetEvent("t", pre=((0, 1),)),)


def test_pipe_spells_numbers_its_own_way() -> None:
    model = parse(
        b"""<?xml version="1.0" encoding="ISO-8859-1"?><pnml><net id="Net-One" type="P/T net">
        <token id="Default" enabled="true" red="0" green="0" blue="0"/>
        <place id="P0"><graphics><position x="1" y="2"/></graphics><name><value>P0</value></name>
          <initialMarking><value>Default,2</value></initialMarking>
          <capacity><value>0</value></capacity></place>
        <transition id="T0">
          <orientation><value>0</value></orientation><rate><value>1.0</value></rate>
          <timed><value>false</value></timed><infiniteServer><value>false</value></infiniteServer>
          <priority><value>1</value></priority></transition>
        <arc id="P0 to T0" source="P0" target="T0"><graphics/>
          <inscription><value>Default,2</value></inscription><tagged><value>false</value></tagged>
          <arcpath id="0" x="1" y="1" curvePoint="false"/><type value="normal"/></arc>
        </net></pnml>""",
        "pipe.pnml",
    )
    found = as_net(model)
    assert isinstance(found, Net)
    assert found.places == (Place("P0", 2),)
    assert found.events == (NetEvent("T0", pre=((0, 2),)),)


@pytest.mark.parametrize(
    "text", [" 3 ", "\n3\n", "3<!-- three -->", "<![CDATA[3]]>", "&#51;", "003"]
)
def test_a_number_is_what_xml_makes_of_its_text(text: str) -> None:
    marking = f'<place id="p"><initialMarking><text>{text}</text></initialMarking></place>'
    assert net(marking).places == (Place("p", 3),)


@pytest.mark.parametrize(
    "document",
    [
        '<pnml><net id="n" type="ptnet"><place id="é"/></net></pnml>'.encode("utf-16"),
        b"\xef\xbb\xbf" + '<pnml><net id="n" type="ptnet"><place id="é"/></net></pnml>'.encode(),
        (
            '<?xml version="1.0" encoding="ISO-8859-1"?>'
            '<pnml><net id="n"><place id="é"/></net></pnml>'
        ).encode("latin-1"),
        '<x:pnml xmlns:x="u"><x:net id="n"><x:place id="é"/></x:net></x:pnml>'.encode(),
        '<pnml>\r<net id="n" type="P/T net">\r<place id="é"/>\r</net>\r</pnml>'.encode(),
    ],
    ids=["utf-16", "byte order mark", "latin-1", "prefix", "carriage returns"],
)
def test_encodings_line_ends_and_prefixes_do_not_matter(document: bytes) -> None:
    assert [v.name for v in system(parse(document, "x")).variables] == ["é"]


def nupn(structure: str) -> str:
    return (
        f'<page id="g"><place id="p"/><place id="q"/><toolspecific tool="nupn" version="1.1">'
        f'<size places="2" transitions="0" arcs="0"/>{structure}</toolspecific></page>'
    )


def test_nupn_units_are_kept_as_hierarchy_information() -> None:
    model = read(
        nupn(
            '<structure units="3" root="u" safe="true">'
            '<unit id="u"><places/><subunits>v w</subunits></unit>'
            '<unit id="v"><places>p</places><subunits/></unit>'
            '<unit id="w"><places>q</places></unit></structure>'
        )
    )
    units = Units("u", (Unit("u", (), ("v", "w")), Unit("v", ("p",)), Unit("w", ("q",))), True)
    assert system(model).units == units
    assert system(parse(print_model(model).encode(), "again")).units == units


def test_names_that_are_no_ids_come_back_from_the_writer_as_names() -> None:
    ids = {
        'a"b': "a_b",
        "<&>": "___",
        "two words": "two_words",
        "é\N{SNOWMAN}": "é_",
        "line\nend": "line_end",
        "tab\there": "tab_here",
        "fork[0]": "fork_0",
        "p[1].fork[12]": "p_1.fork_12",
        "0": "_0",
        "-x": "_-x",
        "": "_",
        "t": "t",
        "t-2": "t-2",
    }
    before = Net("n", tuple(Place(n, i) for i, n in enumerate(ids)), (NetEvent("t", ((0, 1),)),))
    after = as_net(parse(print_model(as_model(before)).encode(), "again"))
    assert isinstance(after, Net)
    assert after.places == tuple(Place(id, i) for i, id in enumerate(ids.values()))
    assert [p.comment or p.name for p in after.places[:-3]] == list(ids)[:-3]
    # an event may not have the id of a place
    assert after.events == (NetEvent("t-3", ((0, 1),)),)


NCNAME = re.compile(r"[A-Za-z_\u00c0-\u02ff][-.0-9A-Za-z_\u00c0-\u02ff]*")


def ids_of(document: str) -> list[str]:
    """The ids of the elements that the standard knows: those of units belong to a tool."""
    return [
        element.attrib["id"]
        for element in ElementTree.fromstring(document).iter()
        if "id" in element.attrib and not element.tag.endswith("unit")
    ]


def test_every_id_is_an_xml_name_and_unique() -> None:
    """In the standard's schema an id is an `xs:ID`."""
    names = ["fork[0]", "fork_0", "fork 0", "page", "n", "arc-1", "fork_0-2"]
    places = tuple(Place(n, 1) for n in names)
    events = tuple(NetEvent(n, ((i, 1),), ((0, 2),)) for i, n in enumerate(names))
    document = print_model(as_model(Net("n", places, events)))
    ids = ids_of(document)
    assert len(ids) == 2 + 2 * len(names) + 2 * len(names)
    assert len(set(ids)) == len(ids)
    assert all(NCNAME.fullmatch(id) for id in ids)
    again = parse(document.encode(), "again")
    # A name that can be an id keeps it, whatever comes before it.
    kept = [v.name for v in system(again).variables]
    assert [a for a, b in zip(kept, names, strict=True) if a == b] == names[1:2] + names[3:]


def test_units_name_the_ids_of_their_places() -> None:
    places = (Place("a[0]"), Place("a[1]"), Place("b c"))
    tree = (Unit("all of it", (), ("u[1]", "u 1")), Unit("u[1]", ("a[0]", "b c")))
    units = Units("all of it", (*tree, Unit("u 1", ("a[1]",))))
    again = parse(print_model(as_model(Net("n", places, (), units))).encode(), "again")
    assert system(again).units == Units(
        "all_of_it",
        (
            Unit("all_of_it", (), ("u_1", "u_1-2")),
            Unit("u_1", ("a_0", "b_c")),
            Unit("u_1-2", ("a_1",)),
        ),
    )


def test_a_name_that_xml_cannot_hold_is_refused_by_the_writer() -> None:
    with pytest.raises(InputError, match="has characters that XML cannot hold"):
        print_model(as_model(Net("n", (Place("a\x01"),), ())))


# --- published files ------------------------------------------------------------------------------


def published(data: Path) -> list[Path]:
    return sorted(data.rglob("*.pnml"))


def test_every_published_net_is_read_and_written_back_or_refused_for_its_kind(data: Path) -> None:
    refused: dict[str, list[str]] = {}
    for path in published(data):
        try:
            model = load(path)
        except InputError as problem:
            (diagnostic,) = problem.diagnostics
            assert diagnostic.span is not None
            refused.setdefault(diagnostic.message, []).append(path.parent.name)
            continue
        before = as_net(model)
        assert isinstance(before, Net), path
        after = as_net(parse(print_model(model).encode(), str(path)))
        assert isinstance(after, Net), path
        # Some nets have ids with blanks, which an id cannot have.
        assert after.name == before.name.replace(" ", "_"), path
        assert replace(after, name=before.name) == before, path
        assert as_net(as_model(before)) == before, path
    assert refused == {
        "<delay> belongs to nets with time, which are not supported": ["pnml_examples"]
    }


def explore(found: Net, limit: int) -> dict[str, int]:
    """States, arcs and token counts by the definition."""
    seen = {found.initial}
    queue = [found.initial]
    arcs = 0
    for marking in queue:
        for event in found.events:
            if event.enabled(marking):
                arcs += 1
                after = event.fire(marking)
                if after not in seen:
                    assert len(seen) < limit
                    seen.add(after)
                    queue.append(after)
    return {
        "STATES": len(seen),
        "TRANSITIONS": arcs,
        "MAX_TOKEN_PER_MARKING": max(map(sum, seen)),
        "MAX_TOKEN_IN_PLACE": max(map(max, seen)),
    }


def test_state_spaces_have_the_published_sizes(data: Path) -> None:
    """covers: I133"""
    expected: dict[Path, dict[str, int]] = {}
    for family in ("mcc", "pnml-small"):
        for row in csv.DictReader((data / family / "expected.csv").open(encoding="utf-8")):
            if row["examination"] == "StateSpace" and row["expected"].isdigit():
                path = data / family / row["model"]
                path = path if path.suffix == ".pnml" else path / "model.pnml"
                if "-COL-" not in row["model"]:
                    expected.setdefault(path, {})[row["property_id"]] = int(row["expected"])
    small = {path: sizes for path, sizes in expected.items() if sizes["STATES"] <= 2_500}
    assert len(small) >= 15
    for path, sizes in small.items():
        found = as_net(load(path))
        assert isinstance(found, Net)
        explored = explore(found, 10_000)
        assert {name: explored[name] for name in sizes} == sizes, path
    philosophers = small[data / "mcc" / "Philosophers-PT-000005" / "model.pnml"]
    assert philosophers["STATES"] == 3**5


def big_net(size: int) -> bytes:
    """A document of about this many bytes."""
    parts, length = [HEAD + '<page id="page">\n'], 0
    while length < size:
        i = len(parts)
        parts.append(
            f'<place id="p{i}">\n  <name><text>place {i}</text></name>\n'
            f"  <initialMarking><text>{i % 3}</text></initialMarking>\n</place>\n"
            f'<transition id="t{i}">\n  <name><text>t{i}</text></name>\n</transition>\n'
            f'<arc id="a{i}" source="p{i}" target="t{i}">\n'
            f"  <inscription><text>{i % 4 + 1}</text></inscription>\n</arc>\n"
            f'<arc id="b{i}" source="t{i}" target="p{i // 2 + 1}"/>\n'
        )
        length += len(parts[-1])
    return "".join([*parts, "</page>", TAIL]).encode()


def test_a_large_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "big.pnml"
    path.write_bytes(big_net(5_000_000))
    model = load(path)
    assert len(system(model).variables) == len(system(model).events) > 10_000
