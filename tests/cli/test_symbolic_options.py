"""`--engine symbolic` at the command line: options, interrupts and limits inside one operation."""

import argparse
import json
import signal
import subprocess
from pathlib import Path

import pytest
from tests.cli.command import Command, start, wait_until_busy
from tests.engines.hard import hard

from plait import parse
from plait.cli import engine_options, states
from plait.lang.gal import print_model


@pytest.fixture
def hard_model(tmp_path: Path) -> Path:
    file = tmp_path / "hard.gal"
    file.write_text(print_model(hard(90, 45).model))
    return file


def test_the_strategy_and_the_order_are_reported(plait: Command, philosophers: Path) -> None:
    result = plait("states", philosophers, "--engine", "symbolic", "--order", "declared",
                   "--strategy", "chaining", "--gc", "strict:100")  # fmt: skip
    assert result.status == 0
    assert "engine          symbolic, chaining, order declared" in result.out
    assert "nodes  " in result.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--strategy", "magic"], "invalid choice: 'magic'"),
        (["--gc", "strict:0"], "'strict:0' is neither lazy nor strict:N"),
        (["--gc", "eager"], "'eager' is neither lazy nor strict:N"),
        (["--order", "magic"], "no variable order named 'magic' for this model"),
        (["--hierarchy", "magic"], "invalid choice: 'magic'"),
        (["--locals", "magic"], "invalid choice: 'magic'"),
    ],
)
def test_a_choice_that_does_not_exist_is_wrong_input(
    plait: Command, philosophers: Path, options: list[str], message: str
) -> None:
    result = plait("states", philosophers, "--engine", "symbolic", *options)
    assert result.status == 2
    assert message in result.err


@pytest.mark.parametrize("engine", ["auto", "explicit", "symbolic", "reference"])
@pytest.mark.parametrize("command", ["states", "check"])
def test_an_order_that_does_not_exist_is_wrong_whoever_answers(
    plait: Command, philosophers: Path, tmp_path: Path, command: str, engine: str
) -> None:
    named = plait(command, philosophers, "--engine", engine, "--order", "nonsense")
    assert (named.status, named.out) == (2, "")
    assert named.err.startswith("error: no variable order named 'nonsense' for this model\n")
    missing = plait(command, philosophers, "--engine", engine, "--order", f"file:{tmp_path}/no")
    assert (missing.status, missing.out) == (2, "")
    file = tmp_path / "wrong.order"
    file.write_text("#TYPE philosophers\nnobody\n#END\n")
    wrong = plait(command, philosophers, "--engine", engine, "--order", f"file:{file}")
    assert (wrong.status, wrong.out) == (2, "")
    assert wrong.err.startswith(f"{file}:2:1: error: no variable named 'nobody' in the model\n")


def test_the_command_counts_as_engines_do_unless_it_is_told_how() -> None:
    """Who asks for nothing gets lumped nets, whose counts need not all the states."""
    parser = argparse.ArgumentParser()
    states.configure(parser)

    def asked(*arguments: str) -> bool:
        return engine_options.tuning(parser.parse_args(["model.pnml", *arguments])).plain

    assert asked()
    assert asked("--engine", "symbolic")
    assert not asked("--order", "force")
    assert not asked("--strategy", "chaining")
    assert not asked("--hierarchy", "none")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_one_long_operation(hard_model: Path, number: signal.Signals) -> None:
    """T16 inside a single operation on diagrams."""
    process = start(
        "states", hard_model, "--engine", "symbolic", "--json", "-",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    wait_until_busy(process, 2.5)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    document = json.loads(out)
    assert (document["complete"], document["reason"]) == (False, "interrupted")


@pytest.mark.parametrize("cap", [64, pytest.param(96, marks=pytest.mark.soak)])
def test_a_memory_cap_ends_in_unknown(hard_model: Path, cap: int) -> None:
    """T14 for diagrams: the cap, a tenth of it and 64 MB besides are never passed."""
    process = start(
        "check", hard_model, "-f", "AG b[0] + b[1] <= 2", "--engine", "symbolic",
        "--memory", f"{cap}M", "--timeout", "900", "--json", "-",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    # Seconds on an idle machine; a busy one must not run out of time before it does of memory.
    out, err = process.communicate(timeout=1000)
    assert process.returncode == 3, err
    (answer,) = json.loads(out)["results"]
    assert (answer["verdict"], answer["reason"]) == ("unknown", "memory")
    assert answer["peak_memory_bytes"] <= (cap * 1.1 + 64) * 2**20


def test_time_runs_out_with_status_3(plait: Command, hard_model: Path) -> None:
    result = plait("states", hard_model, "--engine", "symbolic", "--timeout", "2", "--json", "-")
    assert result.status == 3
    assert json.loads(result.out)["reason"] == "timeout"


def test_the_command_tells_of_a_depth(plait: Command, tmp_path: Path) -> None:
    file = tmp_path / "count.gal"
    file.write_text("gal g { int x = 0; transition t [x < 9] { x = x + 1; } }")
    small = plait("states", file, "--depth", "4", "--json", "-")
    assert small.status == 3
    document = json.loads(small.out)
    assert (document["states"], document["complete"], document["reason"]) == ("5", False, "depth")
    whole = plait("states", file, "--depth", "9")
    assert whole.status == 0
    assert "depth           9" in whole.out
    both = plait("states", file, "--depth", "9", "--start", "x == 1")
    assert both.status == 2
    assert parse(file.read_text()).states(depth=2).states == 3
