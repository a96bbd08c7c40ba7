"""Nets in TAPAAL's own forms: its files, and what it hands to its engine."""

from pathlib import Path

import pytest

from plait.api import System, load
from plait.errors import InputError
from plait.lang.pnml import parse

FILE = """<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<pnml xmlns="http://www.informatik.hu-berlin.de/top/pnml/ptNetb">
  <net active="true" id="shop" type="P/T net">
    <place id="in" initialMarking="3" invariant="&lt; inf" name="in" positionX="1"/>
    <place id="work" initialMarking="0" invariant="&lt; inf" name="work"/>
    <place id="out" initialMarking="0" invariant="&lt; inf" name="out"/>
    <transition angle="90" id="take" name="take" player="0" priority="0" urgent="false"/>
    <transition angle="90" id="give" name="give" player="0" priority="0" urgent="false"/>
    <arc id="a" inscription="[0,inf)" source="in" target="take" type="timed" weight="1"/>
    <arc id="b" inscription="1" source="take" target="work" type="normal" weight="2"/>
    <arc id="c" inscription="[0,inf)" source="work" target="take" type="tapnInhibitor" weight="3"/>
    <arc id="d" inscription="[0,inf):1" source="work" target="give" type="transport" weight="2"/>
    <arc id="d" inscription="[0,inf):1" source="give" target="out" type="transport" weight="2"/>
  </net>
  <query active="true" name="q"><formula><deadlock/></formula></query>
  <k-bound bound="3"/>
  <feature isGame="false" isTimed="false" isColored="false"/>
</pnml>
"""
ENGINE = """<pnml><net id="ComposedModel" type="P/T net">
<place id="in" name="in" invariant="&lt; inf" initialMarking="3" ><graphics/></place>
<place id="work" name="work" invariant="&lt; inf" initialMarking="0" ></place>
<place id="out" name="out" invariant="&lt; inf" initialMarking="0" ></place>
<transition player="0" id="take" name="take" urgent="false"></transition>
<transition player="0" id="give" name="give" urgent="false"></transition>
<inputArc source="in" target="take"><inscription><value>1</value></inscription></inputArc>
<outputArc source="take" target="work"><inscription><value>2</value></inscription></outputArc>
<inhibitorArc source="work" target="take"><inscription><value>3</value></inscription></inhibitorArc>
<inputArc source="work" target="give"><inscription><value>2</value></inscription></inputArc>
<outputArc source="give" target="out"><inscription><value>2</value></inscription></outputArc>
</net></pnml>
"""
PLAIN = """<pnml><net id="shop" type="ptnet">
<place id="in"><initialMarking><text>3</text></initialMarking></place>
<place id="work"/><place id="out"/><transition id="take"/><transition id="give"/>
<arc id="a" source="in" target="take"/>
<arc id="b" source="take" target="work"><inscription><text>2</text></inscription></arc>
<arc id="c" source="work" target="take" type="inhibitor">
<inscription><text>3</text></inscription></arc>
<arc id="d" source="work" target="give"><inscription><text>2</text></inscription></arc>
<arc id="e" source="give" target="out"><inscription><text>2</text></inscription></arc>
</net></pnml>
"""


COLOURS = """<pnml><net id="ComposedModel" type="P/T net">
<declaration><structure><declarations>
<namedsort id="c" name="c"><cyclicenumeration>
<feconstant id="x" name="x"/><feconstant id="y" name="y"/>
</cyclicenumeration></namedsort></declarations></structure></declaration>
<place id="p" name="p" initialMarking="2">
<type><structure><usersort declaration="c"/></structure></type>
<hlinitialMarking><structure><all><usersort declaration="c"/></all></structure></hlinitialMarking>
</place>
<transition player="0" id="t" name="t"><placeHolder/></transition>
<inputArc source="p" target="t"><inscription><value>2</value></inscription>WHICH</inputArc>
</net></pnml>
"""
BOTH = (
    "<hlinscription><structure><all><usersort declaration='c'/></all></structure></hlinscription>"
)


def counts(text: str) -> tuple[int | None, int | None, int | None]:
    """States, arcs and deadlocks of a net."""
    space = System(parse(text.encode(), "net.pnml")).states()
    return space.states, space.arcs, space.deadlocks


@pytest.mark.parametrize("text", [FILE, ENGINE])
def test_a_net_without_time_is_read(text: str) -> None:
    assert counts(text) == counts(PLAIN) == (9, 10, 1)


def test_its_files_are_known_by_their_ending(tmp_path: Path) -> None:
    path = tmp_path / "shop.tapn"
    path.write_text(FILE)
    assert load(path).states().states == 9


def test_an_arc_with_both_inscriptions_has_that_of_the_colours() -> None:
    assert counts(COLOURS.replace("WHICH", BOTH)) == (2, 1, 1)
    with pytest.raises(InputError, match="has an <hlinscription>"):
        counts(COLOURS.replace("WHICH", ""))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("&lt; inf", "&lt;= 5", '4:5: a place with invariant="<= 5"'),
        ("[0,inf)", "[1,4]", '9:5: an arc with inscription="[1,4]"'),
        ('urgent="false"', 'urgent="true"', '7:5: a transition with urgent="true"'),
        ('weight="2"', 'weight="N"', "10:5: a natural number is needed here, not 'N'"),
        ('type="timed"', 'type="shared"', "9:5: arcs of kind 'shared' are not supported"),
    ],
)
def test_what_says_something_about_time_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        counts(FILE.replace(old, new, 1))
    assert f"net.pnml:{message}" in str(raised.value)


def test_arcs_do_not_stand_before_the_places() -> None:
    arc = '<arc id="e" inscription="[1,4]" source="in" target="take" type="normal"/>'
    with pytest.raises(InputError, match="stand before the arcs"):
        counts(FILE.replace('P/T net">', f'P/T net">{arc}'))
