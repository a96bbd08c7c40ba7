"""Languages in which a variable needs a range get the bounds of the places of a net."""

from pathlib import Path

import pytest
from tests.cli.command import Command

NET = """<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="ring" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="p">
<place id="a"><initialMarking><text>3</text></initialMarking></place><place id="b"/>
<transition id="t"/><transition id="back"/>
<arc id="1" source="a" target="t"/><arc id="2" source="t" target="b"/>
<arc id="3" source="b" target="back"/>
<arc id="4" source="back" target="a"><inscription><text>{}</text></inscription></arc>
</page></net></pnml>
"""


@pytest.fixture
def plait(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


@pytest.mark.parametrize("language", ["dve", "smv"])
def test_a_bounded_net_is_written_with_its_bounds(
    language: str, plait: Command, tmp_path: Path
) -> None:
    net, written = tmp_path / "ring.pnml", tmp_path / f"ring.{language}"
    net.write_text(NET.format(1))
    result = plait("convert", net, "--to", language, "-o", written)
    assert result.status == 0
    assert result.err.startswith("note: the domains of variables without one are those")
    counted = [plait("states", file).out.split()[1] for file in (net, written)]
    assert counted[0] == "4"
    assert language == "smv" or counted[1] == "4"  # an action is a part of a state of NuSMV
    assert "2147483647" not in written.read_text()
    assert language == "dve" or "  a : 0..3;\n  b : 0..3;\n" in written.read_text()


def test_an_unbounded_net_is_written_with_what_an_integer_may_be(
    plait: Command, tmp_path: Path
) -> None:
    net = tmp_path / "ring.pnml"
    net.write_text(NET.format(2))
    result = plait("convert", net, "--to", "smv")
    assert result.status == 0
    assert result.err.startswith("note: of some places no bounds were found")
    assert "  a : 0..2147483647;\n" in result.out
    assert plait("convert", net, "--to", "dve").status == 2
