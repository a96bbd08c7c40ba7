"""The benchmarks compare with other programs honestly: same nets, same counts, real times."""

import os
import stat
import sys
from pathlib import Path

import pytest
from bench.compare import counted
from bench.measure import run
from bench.rivals import BOUNDS, RIVALS, Case, same_number, smart_text

from bench import history
from plait.engines import states
from plait.models import ENTRIES
from plait.report.answer import StateSpace
from plait.report.text import states_lines


@pytest.mark.parametrize(
    ("printed", "count", "same"),
    [
        ("3461452808002", 3_461_452_808_002, True),
        ("3.46145e+12", 3_461_452_808_002, True),
        ("3.46145e12", 3_461_452_808_002, True),
        ("3.46245e+12", 3_461_452_808_002, False),
        ("3.46145e+13", 3_461_452_808_002, False),
        ("322", 322, True),
        ("322.0", 322, True),
        ("323", 322, False),
    ],
)
def test_counts_are_compared_by_digits(printed: str, count: int, same: bool) -> None:
    assert same_number(printed, count) is same


def script(folder: Path, name: str, text: str) -> None:
    """A program of that name that prints a text."""
    file = folder / name
    file.write_text(f"#!{sys.executable}\nprint({text!r})\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


@pytest.mark.parametrize(
    ("rival", "program", "text"),
    [
        ("its-reach", "its-reach", " Total reachable state count : 58400"),
        ("its-reach", "its-reach", "Model ,|S| ,Time\nreachable,58400,0.01"),
        ("pnml2lts-sym", "pnml2lts-sym", "pnml2lts-sym: state space has 58400 states"),
        ("smart", "smart", "states 58400"),
        ("pnmc", "pnmc", "58400 state(s)"),
        ("MEDDLY", "kanban", "Done\nExactly 58400 states"),
    ],
)
def test_a_program_on_the_path_is_run_and_its_count_is_found(
    rival: str,
    program: str,
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script(tmp_path, program, text)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    (found,) = [r for r in RIVALS if r.name == rival]
    best = found.best(Case("kanban", 3), tmp_path, 60)
    assert best is not None
    assert best[1] == "58400"
    assert same_number(best[1], states(ENTRIES["kanban"].model(3)).states)


def test_the_seconds_of_a_search_are_those_that_a_program_prints() -> None:
    rivals = {r.name: r for r in RIVALS}
    table = "Model ,|S| ,Time ,Mem(kb) ,fin. SDD\nkanban,1.00593e+09,0.006912,3932,2,257\n"
    assert rivals["its-reach"].searched(table) == 0.006912
    phases = (
        "Next-state function construction took 2.5000e-04 seconds\n"
        "Reachability set construction took 0.50 seconds\n"
    )
    assert rivals["MEDDLY"].searched(phases) == pytest.approx(0.50025)
    assert rivals["MEDDLY"].searched(phases.partition("\n")[0]) is None
    assert rivals["smart"].searched(phases) is None


def test_what_plait_prints_is_read_as_a_count() -> None:
    for count in (34, 10**40 + 7):
        space = StateSpace(True, None, count, "symbolic", 1, 1, 1, 1)
        text = "".join(f"{line}\n" for line in states_lines(space))
        assert counted(text) == count
    cut = StateSpace(False, "timeout", 34, "symbolic")
    assert counted("".join(f"{line}\n" for line in states_lines(cut))) is None


def test_a_program_that_fails_or_never_ends_has_no_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "smart"
    file.write_text(f"#!{sys.executable}\nprint('states 58400')\nraise SystemExit(1)\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    (smart,) = [r for r in RIVALS if r.name == "smart"]
    assert smart.best(Case("kanban", 3), tmp_path, 60) is None
    ended = run([sys.executable, "-c", "while True: pass"], tmp_path, 0.3)
    assert ended.status < 0


def test_nets_with_arcs_that_a_program_does_not_know_are_left_out(tmp_path: Path) -> None:
    for rival in RIVALS:
        if rival.name != "MEDDLY":
            assert rival.commands(Case("leader", 3), tmp_path) == []


@pytest.mark.parametrize("model", BOUNDS)
def test_the_declared_bounds_hold(model: str) -> None:
    """With too small a bound, SMART would count fewer states."""
    n = 3
    space = states(ENTRIES[model].model(n))
    assert space.max_value is not None
    assert space.max_value <= BOUNDS[model](n)
    text = smart_text(Case(model, n).net(), BOUNDS[model](n))
    net = Case(model, n).net()
    assert text.count("arcs(") == sum(len(e.pre) + len(e.post) for e in net.events)
    assert text.count("bound(") == len(net.places)


def test_every_row_of_the_history_has_a_figure_for_each_strategy() -> None:
    assert history.SECONDS.keys() == history.MEGABYTES.keys()
    for figures in (*history.SECONDS.values(), *history.MEGABYTES.values()):
        assert len(figures) == len(history.STRATEGIES)
