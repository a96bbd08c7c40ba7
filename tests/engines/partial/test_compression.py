"""Transition compression: fewer locations, and the same formulas without X."""

from pathlib import Path

import pytest
from tests.cli.command import Command
from tests.engines.partial.smaller_programs import asked, compare, reduced

from plait.engines import states
from plait.engines.partial.compression import compressed
from plait.lang import load
from plait.lang.milestones import parse
from plait.model.rewritten import flat_type
from plait.models import producers_consumers
from plait.reference import Semantics

HAMMOCK = """
VARIABLE g : 2 := 0; END
LOCAL A
  ACTION tell; left; right; on; END
  VARIABLE pc : 2 := 0; x : 1 := 0; END
  CASE
    [0] [tell] true : pc := 1; g := g + 1;
    [1] [left] true : pc := 2; x := 0;
    [1] [right] true : pc := 2; x := 1;
    [2] [on] true : pc := 0;
  END
END
GLOBAL PROC a : A[2]; END CASE END END
"""


def test_chains_and_hammocks_become_one_event() -> None:
    """Of three locations one is left: the choice of `x` and the way back are part of `tell`.

    covers: M101
    """
    model = parse(HAMMOCK)
    flat, less = reduced(model, "G F (g == 1)", compressed)
    assert len(flat_type(flat).events) == 8
    titles = [e.title for e in flat_type(less).events]
    assert titles[:2] == ["a[0].tell; a[0].left; a[0].on", "a[0].tell; a[0].right; a[0].on"]
    assert len(titles) == 4
    assert states(flat).states == 4 * 36
    assert states(less).states == 4 * 4
    flat, less = reduced(producers_consumers(2), "G F (buffer > 1)", compressed)
    assert (states(flat).states, states(less).states < 1_000) == (51_859, True)


def test_the_smaller_program_satisfies_the_same_formulas() -> None:
    """covers: M101"""
    compare(compressed, range(1, 50), about=("g",), nonlinear=20)


def test_what_is_not_always_possible_stays_an_event_of_its_own() -> None:
    """A process that has chosen 0 stays where it is; it does not go on as if it had chosen 1."""
    model = parse(HAMMOCK.replace("[on] true", "[on] x == 1"))
    text = "G F (g == 0)"
    flat, less = reduced(model, text, compressed)
    titles = {e.title for e in flat_type(less).events}
    assert titles >= {"a[0].on", "a[1].on", "a[0].tell; a[0].left"}
    for program_ in (flat, less):
        verdict = Semantics(program_).check(asked(program_, text)).verdict
        assert verdict == "false", "both may stop while g is 2"


def test_the_command_writes_the_smaller_program(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source, target = tmp_path / "hammock.mil", tmp_path / "less.gal"
    source.write_text(HAMMOCK)
    line = ("convert", source, "--to", "gal", "-o", target, "--compress", "G F (g == 1)")
    assert Command(capsys)(*line).status == 0
    assert states(load(target)).states == 4 * 4
