"""PNML from hell: every wrong document is refused at its place, with its reason, and at once."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from plait.errors import Diagnostic, InputError
from plait.lang.pnml import load, parse
from plait.model.types import ElementaryType, Model

HEAD = '<pnml>\n<net id="n" type="ptnet">\n'
TAIL = "\n</net></pnml>"
NODES = '<place id="p"/><place id="q"/><transition id="t"/><transition id="u"/>\n'
MOST = "the number is greater than 2147483647, the most that is supported"
BOMB = '<!DOCTYPE b [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
PARAMETER_BOMB = "<!DOCTYPE b [<!ENTITY % a \"<!ENTITY c 'x'>\"> %a;]>"


def refusal(document: str | bytes) -> str:
    data = document if isinstance(document, bytes) else document.encode()
    with pytest.raises(InputError) as caught:
        parse(data, "f.pnml")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None
    assert caught.value.render()
    return f"{diagnostic.span.line}:{diagnostic.span.column}: {diagnostic.message}"


def system(model: Model) -> ElementaryType:
    assert isinstance(model.system, ElementaryType)
    return model.system


def marking(text: str) -> str:
    return f'<place id="p">\n<initialMarking><text>{text}</text></initialMarking></place>'


def weight(text: str) -> str:
    return f'{NODES}<arc source="p" target="t"><inscription><text>{text}</text></inscription></arc>'


def units(structure: str, attributes: str = 'units="2" root="u"') -> str:
    return (
        '<place id="p"/><place id="q"/><toolspecific tool="nupn">\n'
        f"<structure {attributes}>\n{structure}</structure></toolspecific>"
    )


WRONG_NETS = {
    "an entity that is not declared": (
        '<place id="p"><name><text>&lol;</text></name></place>',
        "3:27: not well-formed XML: undefined entity",
    ),
    "an entity in an attribute": (
        '<place id="&lol;"/>',
        "3:1: not well-formed XML: undefined entity",
    ),
    "a node used twice": (
        '<place id="p"/>\n <place id="p"/>',
        "4:2: the id 'p' is used twice; first in line 3",
    ),
    "a place and a transition of one id": (
        '<place id="p"/>\n<transition id="p"/>',
        "4:1: the id 'p' is used twice; first in line 3",
    ),
    "two arcs of one id": (
        NODES + '<arc id="a" source="p" target="t"/>\n<arc id="a" source="q" target="t"/>',
        "5:1: the id 'a' is used twice; first in line 4",
    ),
    "a place without id": ("<place/>", "3:1: this <place> has no id"),
    "a transition with an empty id": (
        '<transition id=""/>',
        "3:1: this <transition> has no id",
    ),
    "an arc from place to place": (
        NODES + '<arc source="p" target="q"/>',
        "4:1: this arc leads from the place 'p' to the place 'q'",
    ),
    "an arc from transition to transition": (
        NODES + '<arc source="t" target="u"/>',
        "4:1: this arc leads from the transition 't' to the transition 'u'",
    ),
    "an arc to nowhere": (
        NODES + '<arc source="p" target="x"/>',
        "4:1: this arc names 'x', which is no node of the net",
    ),
    "an arc from nowhere": (
        NODES + '  <arc source="x" target="t"/>',
        "4:3: this arc names 'x', which is no node of the net",
    ),
    "an arc without target": (NODES + '<arc source="p"/>', "4:1: this arc has no target"),
    "an inhibitor arc backwards": (
        NODES + '<arc source="t" target="p" type="inhibitor"/>',
        "4:1: an arc of kind 'inhibitor' leads from a place to a transition, not back",
    ),
    "an arc of unknown kind": (
        NODES + '<arc source="p" target="t"><type value="magic"/></arc>',
        "4:28: arcs of kind 'magic' are not supported",
    ),
    "a timed arc": (
        NODES + '<arc source="p" target="t" type="timed"/>',
        "4:1: arcs of kind 'timed' are not supported",
    ),
    "a transport arc": (
        NODES + '<arc source="p" target="t" type="transport"/>',
        "4:1: arcs of kind 'transport' are not supported",
    ),
    "an arc of two kinds": (
        NODES + '<arc source="p" target="t" type="normal"><type value="reset"/></arc>',
        "4:42: the arc is 'normal' by its attribute and 'reset' by its <type>",
    ),
    "parallel arcs beyond 32 bits": (
        NODES
        + '<arc source="p" target="t"><inscription><text>2147483647</text></inscription></arc>\n'
        '<arc source="p" target="t"/>',
        "5:1: parallel arcs add up to more than 2147483647",
    ),
    "weight 0": (weight("0"), "4:47: the number must be at least 1"),
    "a negative weight": (weight("-1"), "4:47: a natural number is needed here, not '-1'"),
    "a broken weight": (weight("1.5"), "4:47: a natural number is needed here, not '1.5'"),
    "a signed weight": (weight(" +1"), "4:48: a natural number is needed here, not '+1'"),
    "a weight in Arabic digits": (
        weight("\u0661\u0662"),
        "4:47: a natural number is needed here, not '\u0661\u0662'",
    ),
    "a weight in superscript": (weight("²"), "4:47: a natural number is needed here, not '²'"),
    "an empty weight": (weight(""), "4:47: a natural number is needed here, not ''"),
    "weight 10^30": (weight("1" + "0" * 30), f"4:47: {MOST}"),
    "marking 2^31": (marking("2147483648"), f"4:23: {MOST}"),
    "marking 2^63": (marking(str(2**63)), f"4:23: {MOST}"),
    "marking 10^100": (marking("1" + "0" * 100), f"4:23: {MOST}"),
    "a negative marking": (marking("-1"), "4:23: a natural number is needed here, not '-1'"),
    "a marking on another line": (
        marking("\n\n  many\n"),
        "6:3: a natural number is needed here, not 'many'",
    ),
    "a marking between wide spaces": (
        marking("\u00a01"),
        "4:23: a natural number is needed here, not '\u00a01'",
    ),
    "a marking without text": (
        '<place id="p"><initialMarking>1</initialMarking></place>',
        "3:32: <initialMarking> has no <text>",
    ),
    "two markings": (
        '<place id="p"><initialMarking><text>1</text></initialMarking><initialMarking/></place>',
        "3:62: a second <initialMarking>",
    ),
    "two texts": (
        '<place id="p"><initialMarking><text>1</text><text>2</text></initialMarking></place>',
        "3:52: a second text in <initialMarking>",
    ),
    "an element inside a text": (
        marking("<b>1</b>"),
        "4:23: unexpected element <b> inside <text>",
    ),
    "a capacity": (
        '<place id="p"><capacity><value>3</value></capacity></place>',
        "3:32: places with a capacity are not supported",
    ),
    "different priorities": (
        '<transition id="t"><priority><value>1</value></priority></transition>'
        '<transition id="u">\n<priority><value>2</value></priority></transition>',
        "4:18: transitions that differ in <priority> are not supported",
    ),
    "a delay": (
        '<transition id="t"><delay/></transition>',
        "3:20: <delay> belongs to nets with time, which are not supported",
    ),
    "a place of TAPAAL's timed format": (
        '<place id="p" initialMarking="1" invariant="&lt;= 3"/>',
        '3:1: a place with invariant="<= 3" belongs to a net with time',
    ),
    "a coloured marking": (
        '<place id="p"><hlinitialMarking/></place>',
        "3:15: <hlinitialMarking> belongs to high-level nets, and this is none by its type",
    ),
    "a coloured place": (
        '<place id="p"><type><text>dots</text></type></place>',
        "3:15: <type> belongs to high-level nets, and this is none by its type",
    ),
    "a guard": (
        '<transition id="t"><condition/></transition>',
        "3:20: <condition> belongs to high-level nets, and this is none by its type",
    ),
    "an unknown element": (
        '<place id="p"><magic/></place>',
        "3:15: unexpected element <magic> inside <place>",
    ),
    "a place inside a place": (
        '<place id="p"><place id="q"/></place>',
        "3:15: unexpected element <place> inside <place>",
    ),
    "a reference to a page": (
        '<referencePage id="g" ref="g"/>',
        "3:1: unexpected element <referencePage> inside <net>",
    ),
    "a reference to itself": (
        '<referencePlace id="r" ref="r"/>',
        "3:1: the reference 'r' refers to itself",
    ),
    "two references in a circle": (
        '<referencePlace id="r" ref="s"/>\n<referencePlace id="s" ref="r"/>',
        "3:1: the reference 'r' refers to itself",
    ),
    "a reference to nothing": (
        '<referencePlace id="r" ref="x"/>',
        "3:1: the reference 'r' means 'x', which does not exist",
    ),
    "a reference without ref": (
        '<referencePlace id="r"/>',
        "3:1: this <referencePlace> has no ref",
    ),
    "a reference place to a transition": (
        NODES + '<referencePlace id="r" ref="t"/>',
        "4:1: the reference 'r' means 't', which is no place",
    ),
    "units that overlap": (
        units(
            '<unit id="u"><places>p q</places><subunits>v</subunits></unit>\n'
            '<unit id="v"><places>q</places></unit>'
        ),
        "6:1: the place 'q' is in the NUPN units 'u' and 'v'",
    ),
    "a unit that names one place twice": (
        units('<unit id="u"><places>p p q</places></unit>', 'root="u"'),
        "5:1: the place 'p' is in the NUPN units 'u' and 'u'",
    ),
    "an empty unit": (
        units('<unit id="u"><places>p q</places><subunits>v</subunits></unit>\n<unit id="v"/>'),
        "6:1: the NUPN unit 'v' is empty",
    ),
    "units in a circle": (
        units(
            '<unit id="u"><places>p q</places></unit>\n'
            '<unit id="v"><subunits>w</subunits></unit><unit id="w"><subunits>v</subunits></unit>',
            'root="u"',
        ),
        "6:1: the NUPN unit 'v' is not below the root 'u'",
    ),
    "a root below another unit": (
        units(
            '<unit id="u"><places>p q</places><subunits>v</subunits></unit>\n'
            '<unit id="v"><subunits>u</subunits></unit>'
        ),
        "6:1: the NUPN root 'u' is below 'v'",
    ),
    "a unit with two parents": (
        units(
            '<unit id="u"><places>p</places><subunits>v w</subunits></unit>\n'
            '<unit id="v"><subunits>w</subunits></unit><unit id="w"><places>q</places></unit>',
            'root="u"',
        ),
        "6:1: the NUPN unit 'w' is below 'u' and 'v'",
    ),
    "a unit with unknown places": (
        units('<unit id="u"><places>p x q</places></unit>', 'root="u"'),
        "5:1: the NUPN unit 'u' names 'x', which is no place",
    ),
    "a unit with unknown units": (
        units('<unit id="u"><places>p q</places><subunits>x</subunits></unit>', 'root="u"'),
        "5:1: the NUPN unit 'u' names 'x', which is no unit",
    ),
    "a place in no unit": (
        units('<unit id="u"><places>p</places></unit>', 'root="u"'),
        "4:1: the place 'q' is in no NUPN unit",
    ),
    "an unknown root": (
        units('<unit id="u"><places>p q</places></unit>', 'root="x"'),
        "4:1: the NUPN root 'x' is no unit",
    ),
    "a wrong number of units": (
        units('<unit id="u"><places>p q</places></unit>', 'root="u" units="7"'),
        "4:1: the NUPN structure announces 7 units and has 1",
    ),
}

WRONG_DOCUMENTS: dict[str, tuple[str | bytes, str]] = {
    "an empty file": ("", "1:1: not well-formed XML: the file holds no element"),
    "white space": (" \n ", "2:2: not well-formed XML: the file holds no element"),
    "no XML": ("gal g { }", "1:1: not well-formed XML: syntax error"),
    "binary": (bytes(range(256)), "1:1: not well-formed XML: invalid token"),
    "zeroes": (b"\0" * 1000, "1:1: not well-formed XML: invalid token"),
    "a NUL": (HEAD + "\0" + TAIL, "3:1: not well-formed XML: invalid token"),
    "an entity bomb": (BOMB + HEAD + TAIL, "1:1: document type declarations are refused"),
    "an entity bomb behind a comment": (
        "<?xml version='1.0'?>\n<!-- x -->\n  " + BOMB + HEAD + TAIL,
        "3:3: document type declarations are refused",
    ),
    "a bomb of parameter entities": (
        PARAMETER_BOMB + HEAD + TAIL,
        "1:1: document type declarations are refused",
    ),
    "a large entity used often": (
        f'<!DOCTYPE b [<!ENTITY a "{"x" * 100_000}">]><pnml>' + "&a;" * 50_000 + "</pnml>",
        "1:1: document type declarations are refused",
    ),
    "an external entity of the file system": (
        '<!DOCTYPE pnml [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + HEAD + "&x;" + TAIL,
        "1:1: document type declarations are refused",
    ),
    "an external DTD": (
        '<!DOCTYPE pnml SYSTEM "http://localhost/x.dtd">' + HEAD + TAIL,
        "1:1: document type declarations are refused",
    ),
    "a bare DOCTYPE": ("<!DOCTYPE pnml>", "1:1: document type declarations are refused"),
    "a DOCTYPE in UTF-16": (
        ("\n" + BOMB + HEAD + TAIL).encode("utf-16"),
        "2:1: document type declarations are refused",
    ),
    "a DOCTYPE inside": (
        HEAD + "<!DOCTYPE pnml>" + TAIL,
        "3:3: not well-formed XML: invalid token",
    ),
    "another root": ("<html/>", "1:1: unexpected element <html> as the document's root"),
    "no net": ("<pnml>\n</pnml>", "2:8: the file holds no net"),
    "two nets": (
        '<pnml><net id="a" type="ptnet"/>\n<net id="b" type="ptnet"/></pnml>',
        "2:1: a second net: a file must hold exactly one",
    ),
    "an arc between nets": (
        '<pnml><net id="a" type="ptnet"><place id="p"/></net>\n<net id="b"><arc source="p"/></net>'
        "</pnml>",
        "2:1: a second net: a file must hold exactly one",
    ),
    "an unknown type": (
        '<pnml><net id="a" type="http://example.org/magic"/></pnml>',
        "1:7: unknown type of net 'http://example.org/magic'",
    ),
    "a time Petri net": (
        '<pnml><net id="a" type="timed-arc"/></pnml>',
        "1:7: nets with time are not supported: the type of this net is 'timed-arc'",
    ),
    "an unknown encoding": (
        '<?xml version="1.0" encoding="klingon"?>' + HEAD + TAIL,
        "1:1: the encoding 'klingon' is not supported",
    ),
    "an encoding of several bytes": (
        '<?xml version="1.0" encoding="big5"?>' + HEAD + TAIL,
        "1:1: the encoding 'big5' is not supported",
    ),
    "an encoding that is no text": (
        '<?xml version="1.0" encoding="hex"?>' + HEAD + TAIL,
        "1:1: the encoding 'hex' is not supported",
    ),
    "an encoding that Python lacks": (
        '<?xml version="1.0" encoding="iso-8859-99"?>' + HEAD + TAIL,
        "1:1: the encoding 'iso-8859-99' is not supported",
    ),
    "UTF-16 declared, UTF-8 written": (
        '<?xml version="1.0" encoding="UTF-16"?>' + HEAD + TAIL,
        "1:31: not well-formed XML: encoding specified in XML declaration is incorrect",
    ),
    "UTF-8 declared, Latin-1 written": (
        ('<?xml version="1.0" encoding="UTF-8"?>' + HEAD + '<place id="é"/>' + TAIL).encode(
            "latin-1"
        ),
        "3:12: not well-formed XML: invalid token",
    ),
    "UTF-32": ((HEAD + TAIL).encode("utf-32-le"), "1:2: not well-formed XML: invalid token"),
    "an error in a UTF-16 file": (
        (HEAD + '<place id="é"/> <b/>' + TAIL).encode("utf-16"),
        "3:17: unexpected element <b> inside <net>",
    ),
    "an error behind carriage returns": (
        "<pnml>\r<net>\r\r  <b/></net></pnml>",
        "4:3: unexpected element <b> inside <net>",
    ),
    "wrong nesting": ("<pnml><net></pnml></net>", "1:14: not well-formed XML: mismatched tag"),
    "text behind the root": (
        "<pnml><net/></pnml>\nrubbish",
        "2:1: not well-formed XML: junk after document element",
    ),
    "an attribute used twice": (
        '<pnml><net id="a" id="b"/></pnml>',
        "1:19: not well-formed XML: duplicate attribute",
    ),
    "an end inside an element": (
        HEAD + '<place id="p">',
        "3:15: not well-formed XML: the file ends inside <place>",
    ),
    "an end inside a tag": (
        HEAD + '<place id="p',
        "3:1: not well-formed XML: the file ends in the middle of a tag, comment or character",
    ),
    "an end inside a comment": (
        HEAD + "<!-- ",
        "3:1: not well-formed XML: the file ends in the middle of a tag, comment or character",
    ),
    "10,001 levels": (
        HEAD + '<page id="g">' * 10_001 + "</page>" * 10_001 + TAIL,
        "3:129975: elements are nested deeper than 10000 levels",
    ),
    "a million levels": (
        HEAD + '<page id="g">' * 1_000_000,
        "3:129975: elements are nested deeper than 10000 levels",
    ),
    "a million levels of a tool": (
        HEAD + "<toolspecific>" + "<x>" * 1_000_000,
        "3:30006: elements are nested deeper than 10000 levels",
    ),
}


@pytest.mark.parametrize("case", WRONG_NETS)
def test_a_wrong_net_is_refused_at_its_place(case: str) -> None:
    content, expected = WRONG_NETS[case]
    assert refusal(HEAD + content + TAIL) == expected


@pytest.mark.parametrize("case", WRONG_DOCUMENTS)
def test_a_wrong_document_is_refused_at_its_place(case: str) -> None:
    document, expected = WRONG_DOCUMENTS[case]
    assert refusal(document) == expected


def chain(length: int, end: str) -> str:
    links = [f'<referencePlace id="r{i}" ref="r{i + 1}"/>' for i in range(length - 1)]
    return "".join([*links, f'<referencePlace id="r{length - 1}" ref="{end}"/>'])


def test_a_chain_of_a_hundred_thousand_references_is_followed() -> None:
    content = NODES + chain(100_000, "p") + '<arc source="r0" target="t"/>'
    model = parse((HEAD + content + TAIL).encode(), "f.pnml")
    assert len(system(model).events[0].guard) == 1


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ("x", "3:1: the reference 'r0' means 'x', which does not exist"),
        ("r0", "3:1: the reference 'r0' refers to itself"),
    ],
)
def test_a_long_chain_that_leads_nowhere_is_refused(end: str, expected: str) -> None:
    assert refusal(HEAD + chain(100_000, end) + TAIL) == expected


@pytest.mark.parametrize(
    "content",
    [
        lambda: '<page id="g"/>' * 1_000_000,
        lambda: '<page id="g">' * 2_049 + "</page>" * 2_049,
        lambda: '<place id="p"><name><text>' + "a" * 20_000_000 + "</text></name></place>",
        lambda: marking("0" * 20_000_000 + "1"),
        lambda: '<place id="p" ' + " ".join(f'a{i}="1"' for i in range(200_000)) + "/>",
        lambda: "<!--" + "a" * 20_000_000 + "-->",
        lambda: "<toolspecific>" + "<x/>" * 500_000 + "</toolspecific>",
    ],
    ids=["pages", "depth", "long name", "long number", "attributes", "long comment", "tool data"],
)
def test_a_document_that_is_only_excessive_is_read(content: Callable[[], str]) -> None:
    document = (HEAD + content() + TAIL).encode()
    parse(document, "f.pnml")


def test_a_false_claim_of_safety_is_kept_as_a_claim() -> None:
    content = units('<unit id="u"><places>p q</places></unit>', 'root="u" safe="true"')
    content = content.replace('<place id="p"/>', marking("5"))
    found = system(parse((HEAD + content + TAIL).encode(), "f.pnml"))
    assert found.units is not None
    assert found.units.safe


@pytest.fixture(scope="session")
def sample(data: Path) -> bytes:
    return (data / "mcc" / "AutoFlight-PT-02a" / "model.pnml").read_bytes()


def test_a_file_cut_at_any_of_a_thousand_places_is_refused(sample: bytes) -> None:
    end = sample.rindex(b">")
    for cut in range(0, end, max(1, end // 1_000)):
        assert "not well-formed XML: the file " in refusal(sample[:cut])


def test_a_damaged_file_is_read_or_refused_and_nothing_else(sample: bytes) -> None:
    rng = random.Random(7)
    refused: list[Diagnostic] = []
    for _ in range(1_500):
        damaged = bytearray(sample)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(damaged))
            match rng.randrange(4):
                case 0:
                    damaged[at] = rng.randrange(256)
                case 1:
                    damaged[at] ^= 1 << rng.randrange(8)
                case 2:
                    del damaged[at : at + rng.randint(1, 40)]
                case _:
                    start = rng.randrange(len(damaged))
                    damaged[at:at] = damaged[start : start + rng.randint(1, 200)]
        try:
            parse(bytes(damaged), "f.pnml")
        except InputError as problem:
            refused.extend(problem.diagnostics)
    assert len(refused) > 500
    assert all(diagnostic.span is not None for diagnostic in refused)


def test_a_file_that_cannot_be_opened_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*: No such file or directory"):
        load(tmp_path / "missing.pnml")
    with pytest.raises(InputError, match=r"cannot read .*: Is a directory"):
        load(tmp_path)


def test_a_diagnostic_shows_the_line_of_a_file_read_as_a_stream(tmp_path: Path) -> None:
    path = tmp_path / "net.pnml"
    path.write_text(HEAD + weight("0") + TAIL, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load(path)
    assert caught.value.render().splitlines()[1:] == [
        '4 | <arc source="p" target="t"><inscription><text>0</text></inscription></arc>',
        "                                                  ^",
    ]
