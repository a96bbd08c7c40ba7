"""Nets in TAPAAL's own forms: its files, and what it hands to its engine."""

from pathlib import Path

import pytest
from tests.cli.command import Command

from plait.api import System, load
from plait.engines import check
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


BEHIND = """<pnml><net id="turn" type="P/T net" active="true">
<place id="here" name="here" initialMarking="2" invariant="&lt; inf">
<type><structure><usersort declaration="who"/></structure></type>
<hlinitialMarking><structure><all><usersort declaration="who"/></all></structure></hlinitialMarking>
</place>
<place id="there" name="there" initialMarking="0" invariant="&lt; inf">
<type><structure><usersort declaration="who"/></structure></type></place>
<transition id="go" name="go" player="0" urgent="false"/>
<arc id="a" source="here" target="go" inscription="[0,inf)" type="timed" weight="1">
<hlinscription><structure><numberof><subterm><numberconstant value="1"/></subterm>
<subterm><variable refvariable="x"/></subterm></numberof></structure></hlinscription>
<arcpath id="0" xCoord="1" yCoord="1" arcPointType="false"/></arc>
<arc id="b" source="go" target="there" inscription="1" type="normal" weight="1">
<hlinscription><structure><numberof><subterm><numberconstant value="1"/></subterm>
<subterm><variable refvariable="x"/></subterm></numberof></structure></hlinscription></arc>
</net>
<declaration><structure><declarations><namedsort id="who" name="who"><cyclicenumeration>
<feconstant id="ann" name="ann"/><feconstant id="bob" name="bob"/><feconstant id="cat" name="cat"/>
</cyclicenumeration></namedsort><variabledecl id="x" name="x"><usersort declaration="who"/>
</variabledecl></declarations></structure></declaration>
<query active="true" name="all over" type="CTL"><formula><exists-path><finally><integer-eq>
<tokens-count><place>turn.there</place></tokens-count><integer-constant>3</integer-constant>
</integer-eq></finally></exists-path></formula></query>
</pnml>
"""
SHARED = """<pnml>
<shared-place name="table" initialMarking="1" invariant="&lt; inf"/>
<shared-transition name="meet" player="0" urgent="false"/>
<net id="Left" type="P/T net" active="true">
<place id="idle" name="idle" initialMarking="2" invariant="&lt; inf"/>
<place id="busy" name="busy" initialMarking="0" invariant="&lt; inf"/>
<place id="table" name="table" initialMarking="1" invariant="&lt; inf"/>
<transition id="take" name="take" urgent="false"/><transition id="meet" name="meet"/>
<arc id="a" source="idle" target="take" inscription="[0,inf)" type="timed" weight="1"/>
<arc id="b" source="table" target="take" inscription="[0,inf)" type="timed" weight="1"/>
<arc id="c" source="take" target="busy" inscription="1" type="normal" weight="1"/>
<arc id="d" source="busy" target="meet" inscription="[0,inf)" type="timed" weight="1"/>
</net>
<net id="Right" type="P/T net" active="true">
<place id="idle" name="idle" initialMarking="1" invariant="&lt; inf"/>
<place id="table" name="table" initialMarking="1" invariant="&lt; inf"/>
<transition id="meet" name="meet" urgent="false"/>
<arc id="a" source="idle" target="meet" inscription="[0,inf)" type="timed" weight="1"/>
<arc id="b" source="meet" target="table" inscription="1" type="normal" weight="1"/>
</net>
<net id="Off" type="P/T net" active="false">
<place id="table" name="table" initialMarking="1" invariant="&lt; inf"/>
<transition id="lose" name="lose"/>
<arc id="a" source="table" target="lose" inscription="[0,inf)" type="timed" weight="1"/>
</net>
<query active="true" name="met" query="EF (Left.idle = 1 and Right.idle = 0 and table = 1)"/>
<query active="true" name="met" query="AG not (Left.busy &gt;= 1 and table &gt;= 1)"/>
<query active="false" name="off" query="EF nowhere = 1"/>
<query active="true" name="wrong" query="EF Left.nowhere = 1"/>
<query active="true" name="luck" type="SMC"><smc/></query>
<query active="true" name="some run" type="LTL"><formula><exists-path><globally><finally>
<is-fireable><transition>meet</transition></is-fireable></finally></globally></exists-path>
</formula></query>
<query active="true" name="each run" type="LTL"><formula><all-paths><finally>
<is-fireable><transition>meet</transition></is-fireable></finally></all-paths></formula></query>
<k-bound bound="3"/><feature isGame="false" isTimed="false" isColored="false"/>
</pnml>
"""


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


def test_sorts_may_be_declared_behind_the_net() -> None:
    net = System(parse(BEHIND.encode(), "net.tapn"))
    assert net.states().states == 8
    assert [(a.property.name, a.verdict) for a in check(net.model)] == [("all over", "true")]
    with pytest.raises(InputError, match="<type> belongs to high-level nets"):
        parse(BEHIND.replace("initialMarking", "tokens").replace("invariant", "x").encode(), "n")


def test_nets_that_share_places_and_transitions_are_one() -> None:
    net = System(parse(SHARED.encode(), "net.tapn"))
    places = {v.name for v in net.model.system.variables}
    assert places == {"Left.idle", "Left.busy", "table", "Right.idle"}
    assert {e.name for e in net.model.system.events} == {"Left.take", "meet"}
    # One takes the table and meets the other, who puts it back; then it is taken once more.
    assert (net.states().states, net.states().deadlocks) == (4, 1)


def test_nets_that_share_nothing_are_side_by_side() -> None:
    second = FILE[FILE.index("<net") : FILE.index("</net>") + 6].replace('id="shop"', 'id="other"')
    assert counts(FILE.replace("</net>", f"</net>{second}"))[0] == 9 * 9


def test_the_queries_of_a_file_are_its_properties() -> None:
    model = parse(SHARED.encode(), "net.tapn")
    answers = {a.property.name: a for a in check(model)}
    found = {name: answer.verdict for name, answer in answers.items()}
    assert found == {
        **dict.fromkeys(("met", "met 2", "each run"), "true"),
        **dict.fromkeys(("wrong", "luck", "some run"), "unknown"),
    }
    assert answers["wrong"].reason is not None
    assert "nowhere" in answers["wrong"].reason
    assert answers["luck"].reason == "queries of the category SMC are not read"
    assert answers["some run"].reason == "LTL is asked of all runs"
    game = parse(SHARED.replace('isGame="false"', 'isGame="true"').encode(), "net.tapn")
    assert {a.verdict for a in check(game)} == {"unknown"}
    assert not parse(SHARED.encode(), "net.pnml").properties


@pytest.mark.parametrize(
    ("query", "verdict"),
    [
        ("EF out=2 and in = 1", "holds"),
        ("AG (work <= 2 or not true)", "violated"),
        ('EF ("in" >= 3 and !(deadlock))', "holds"),
        ("AG !(deadlock)\n", "violated"),
    ],
)
def test_a_query_may_stand_in_a_file_of_its_own(
    query: str, verdict: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    net, file = tmp_path / "shop.pnml", tmp_path / "ask.q"
    net.write_text(ENGINE)
    file.write_text(query)
    done = Command(capsys)("check", net, "--properties", file, "-q")
    assert done.out.split("\n")[0] == f"ask  {query.strip()}  {verdict}"


def test_a_file_of_queries_is_for_nets_and_timed_automata(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    net, file = tmp_path / "shop.pnml", tmp_path / "ask.q"
    net.write_text(ENGINE)
    file.write_text("EF nowhere = 1")
    done = Command(capsys)("check", net, "--properties", file)
    assert done.status == 2
    assert f"{file}:1:4: error" in done.err
    other = tmp_path / "shop.dve"
    other.write_text("system async;")
    done = Command(capsys)("check", other, "--properties", file)
    assert done.status == 2
    assert "there are no timed automata and no net" in done.err
