"""Wrong nets in PNML: each gets its exact located message, status 2, never a traceback (T19)."""

from pathlib import Path

import pytest
from tests.cli.command import Command, refuse_located

GRAMMAR = "http://www.pnml.org/version-2009/grammar"


def net(nodes: str, kind: str = "ptnet") -> str:
    """A net of a kind with these nodes, on its second line."""
    head = f'<pnml xmlns="{GRAMMAR}/pnml"><net id="n" type="{GRAMMAR}/{kind}"><page id="g">'
    return f"{head}\n{nodes}\n</page></net></pnml>\n"


# What is wrong, the text, and the message after the name of the file.
ROWS: list[tuple[str, str | bytes, str]] = [
    ("an empty net file", "", "1:1: error: not well-formed XML: the file holds no element"),
    ("not XML at all", "hello", "1:1: error: not well-formed XML: syntax error"),
    (
        "an entity bomb",
        '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>\n'
        "<pnml>&b;</pnml>",
        "1:1: error: document type declarations are refused",
    ),
    (
        "an external entity",
        '<!DOCTYPE x SYSTEM "file:///etc/passwd">\n<pnml/>',
        "1:1: error: document type declarations are refused",
    ),
    (
        "an undeclared entity",
        net('<place id="p&what;"/>'),
        "2:1: error: not well-formed XML: undefined entity",
    ),
    (
        "a truncated net",
        net("<place id=").split("\n</page>")[0],
        "2:1: error: not well-formed XML: "
        "the file ends in the middle of a tag, comment or character",
    ),
    (
        "a mismatched tag",
        "<pnml><net></pnml>",
        "1:14: error: not well-formed XML: mismatched tag",
    ),
    (
        "another root",
        "<html/>",
        "1:1: error: unexpected element <html> as the document's root",
    ),
    (
        "no net",
        '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"/>',
        "1:62: error: the file holds no net",
    ),
    (
        "a place without colours in a coloured net",
        net('<place id="p"/><transition id="t"/>', "symmetricnet"),
        "2:1: error: the place 'p' has no <type>",
    ),
    (
        "an unknown net type",
        net('<place id="p"/><transition id="t"/>', "mynet"),
        "1:61: error: unknown type of net 'http://www.pnml.org/version-2009/grammar/mynet'",
    ),
    (
        "an arc to nowhere",
        net('<place id="p"/><transition id="t"/><arc id="a" source="p" target="q"/>'),
        "2:36: error: this arc names 'q', which is no node of the net",
    ),
    (
        "an arc between places",
        net(
            '<place id="p"/><transition id="t"/><place id="q"/><arc id="a" source="p" target="q"/>'
        ),
        "2:51: error: this arc leads from the place 'p' to the place 'q'",
    ),
    (
        "a duplicate id",
        net('<place id="p"/><place id="p"/>'),
        "2:16: error: the id 'p' is used twice; first in line 2",
    ),
    (
        "a negative weight",
        net(
            '<place id="p"/><transition id="t"/><arc id="a" source="p" target="t">'
            "<inscription><text>-1</text></inscription></arc>"
        ),
        "2:89: error: a natural number is needed here, not '-1'",
    ),
    (
        "a fractional weight",
        net(
            '<place id="p"/><transition id="t"/><arc id="a" source="p" target="t">'
            "<inscription><text>1.5</text></inscription></arc>"
        ),
        "2:89: error: a natural number is needed here, not '1.5'",
    ),
    (
        "a huge marking",
        net('<place id="p"><initialMarking><text>10000000000</text></initialMarking></place>'),
        "2:37: error: the number is greater than 2147483647, the most that is supported",
    ),
    (
        "a marking that is a word",
        net('<place id="p"><initialMarking><text>many</text></initialMarking></place>'),
        "2:37: error: a natural number is needed here, not 'many'",
    ),
    (
        "a reference to itself",
        net('<referencePlace id="r" ref="r"/>'),
        "2:1: error: the reference 'r' refers to itself",
    ),
    (
        "UTF-16 declared but not used",
        '<?xml version="1.0" encoding="UTF-16"?>\n<pnml/>',
        "1:31: error: not well-formed XML: encoding specified in XML declaration is incorrect",
    ),
]


@pytest.mark.parametrize(
    ("text", "message"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_a_wrong_net_is_located(
    plait: Command, tmp_path: Path, text: str | bytes, message: str
) -> None:
    """covers: I94"""
    refuse_located(plait, tmp_path / "model.pnml", text, message)


NAMED = """<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
 <net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
  <place id="p1"><name><text>idle worker</text></name></place>
  <transition id="t1"><name><text>begin</text></name></transition>
  <arc id="a" source="p1" target="t1"/>
 </page></net>
</pnml>
"""


@pytest.mark.parametrize(
    ("formula", "hint"),
    [
        ('"idle worker" > 1', "formulas use ids, and 'idle worker' is the name of 'p1'"),
        ('enabled("begin")', "formulas use ids, and 'begin' is the name of 't1'"),
    ],
)
def test_who_calls_a_node_by_its_name_is_told_its_id(
    plait: Command, tmp_path: Path, formula: str, hint: str
) -> None:
    net = tmp_path / "net.pnml"
    net.write_text(NAMED)
    result = plait("check", net, "-f", formula)
    assert result.status == 2
    assert result.err.splitlines()[-1].strip() == hint
