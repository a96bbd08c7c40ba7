"""Time on the command line: checks, classes, the least time, conversion."""

import json
from pathlib import Path

from tests.cli.command import Command
from tests.conftest import ROOT

CROSSING = ROOT / "examples" / "crossing.net"


def test_a_time_petri_net_is_checked_like_any_model(plait: Command) -> None:
    result = plait(
        "check", CROSSING, "-f", "never: on == 1 && down == 0", "-f", "reachable: gone == 1"
    )
    assert result.status == 0
    assert "elapse" in result.out
    assert "enter.clock: 2 → 3" in result.out
    units = plait("states", CROSSING)
    essential = plait("states", CROSSING, "--time", "essential")
    counts = [int(r.out.split()[1]) for r in (units, essential)]
    assert counts[1] < counts[0]


def test_classes_are_counted_and_written(plait: Command, tmp_path: Path) -> None:
    file = tmp_path / "graph.aut"
    result = plait("classes", CROSSING, "--aut", file, "--json", tmp_path / "graph.json")
    assert result.status == 0
    found = json.loads((tmp_path / "graph.json").read_text())
    assert result.out.split()[:2] == ["classes", str(found["classes"])]
    head, *arcs = file.read_text().splitlines()
    assert head == f"des(0,{found['arcs']},{found['classes']})"
    assert len(arcs) == found["arcs"]
    assert arcs[0] == '(0,"announce",1)'


def test_other_models_have_no_classes(plait: Command, philosophers: Path) -> None:
    result = plait("classes", philosophers)
    assert result.status == 2
    assert "is not a time Petri net" in result.err


def test_the_least_time_is_printed_with_a_run(plait: Command, philosophers: Path) -> None:
    result = plait("duration", CROSSING, "gone == 1", "--json", "-")
    assert result.status == 0
    assert json.loads(result.out)["time"] == 5
    result = plait("duration", CROSSING, "gone == 1")
    assert result.out.startswith("least time  5\n")
    assert "now: 4 → 5" in result.out
    assert plait("duration", CROSSING, "gone == 2").status == 1
    timeless = plait("duration", philosophers, "left[0] == 1")
    assert timeless.status == 2
    assert "no time passes in" in timeless.err


def test_nets_with_and_without_times_are_converted(plait: Command, tmp_path: Path) -> None:
    written = tmp_path / "crossing.xml"
    assert plait("convert", CROSSING, "--to", "romeo", "-o", written).status == 0
    assert plait("classes", written).out == plait("classes", CROSSING).out
    again = tmp_path / "again.net"
    assert plait("convert", written, "--to", "tina", "-o", again).status == 0
    assert plait("classes", again).out == plait("classes", CROSSING).out
    net = tmp_path / "net.pnml"
    assert (
        plait("models", "write", "philosophers", "-n", "2", "--to", "pnml", "-o", net).status == 0
    )
    assert plait("convert", net, "--to", "tina", "-o", again).status == 0
    states = [plait("states", file).out.split()[1] for file in (net, again)]
    assert states[0] == states[1]


def test_a_warning_says_what_became_of_strict_bounds(plait: Command, tmp_path: Path) -> None:
    file = tmp_path / "strict.net"
    file.write_text("tr t ]1,4[ p -> q\npl p (1)\n")
    result = plait("states", file)
    assert result.status == 0
    assert (
        f"{file}:1:6: warning: time is discrete: the strict bounds are read as [2,3]" in result.err
    )
