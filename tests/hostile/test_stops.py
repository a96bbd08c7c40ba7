"""T14 and T16: a run that is stopped, by memory, time or a signal, is soon gone and says so."""

import json
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate as validate_json
from tests.cli.command import Command
from tests.conftest import ROOT
from tests.hostile.child import honest, run

from plait.cli import options
from plait.engines import budget
from plait.errors import LimitReached

SCHEMAS = ROOT / "python" / "plait" / "report" / "schema"
PHILOSOPHERS = (ROOT / "examples" / "philosophers.gal").read_text()

GREEDY = {
    "philosophers": PHILOSOPHERS.replace("$N = 4", "$N = 40"),
    "a counter": "gal g { int x; transition t [true] { x += 1; } }",
    "wide states": """gal g { typedef r = 0 .. 99; array [100] a;
        transition t (r $i) [a[$i] < 1000000] { a[$i] += 12345; } }""",
    "huge states": """gal g { int i; array [200000] a;
        transition t [true] { a[i] = i + 1; i = (i + 7919) % 200000; } }""",
    "many successors": """typedef r = 0 .. 999; gal g { int x; int y;
        transition t (r $i) [true] { x = x * 1000 + $i; y = y + 1; } }""",
}


ENDLESS = (
    GREEDY["philosophers"],
    # Long to read and to rewrite, and then endless.
    "gal g { int x; "
    + "".join(f"transition a{i} [x == {i}] {{ x = {i + 1}; }}\n" for i in range(8000))
    + "transition t [true] { x += 1; } }",
)


SEARCHES = ((), ("--threads", "2"), ("--search", "dfs"), ("--search", "dfs", "--threads", "2"))


def at_length(few: int) -> list[Any]:
    """Seeds: a few for every run; together with these, 500 for the soak, of all searches."""
    more = (pytest.param(seed, marks=pytest.mark.soak) for seed in range(few, 500))
    return [*range(few), *more]


def document(text: str, schema: str) -> dict[str, Any]:
    """The JSON document, checked against its schema."""
    parsed: dict[str, Any] = json.loads(text)
    validate_json(parsed, json.loads((SCHEMAS / schema).read_text()))
    return parsed


@pytest.mark.parametrize("megabytes", [64, pytest.param(128, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", GREEDY)
def test_memory_stays_under_its_cap(name: str, megabytes: int, tmp_path: Path) -> None:
    """T14: peak <= cap + 10 % + 64 MB, status 3, a valid document with the reason."""
    model = tmp_path / "model.gal"
    model.write_text(GREEDY[name])
    limit = ["--memory", f"{megabytes}M"]
    result = run(["states", model, "--engine", "explicit", *limit, "--json", "-"])
    honest(result)
    assert result.status == 3
    found = document(result.out, "states.json")
    assert (found["complete"], found["reason"]) == (False, "memory")
    assert result.peak <= megabytes * 1.1e6 + 64e6 + megabytes * 0.05e6


WIDE = """gal g { int x; int y; int n;
    transition t [true] { x = x * 5 + 3; }
    transition s [true] { n = n ^ x; }
    transition u [y < 5] { y += 2; } }
property p [never] : y == 7;
"""
"""Nodes with millions of edges, on which one walk takes for ever and fills the memory."""


@pytest.mark.parametrize(
    ("limit", "reason"), [("--timeout=2", "timeout"), ("--memory=128M", "memory")]
)
def test_wide_nodes_keep_the_limits(limit: str, reason: str, tmp_path: Path) -> None:
    """T14 and T16 for diagrams whose nodes are what grows."""
    model = tmp_path / "model.gal"
    model.write_text(WIDE)
    result = run(["check", model, "--engine", "symbolic", limit, "--json", "-"])
    honest(result)
    assert result.status == 3
    (answer,) = document(result.out, "check.json")["results"]
    assert (answer["verdict"], answer["reason"]) == ("unknown", reason)
    if reason == "memory":
        assert result.peak <= 128e6 * 1.15 + 64e6


def test_a_temporal_property_stays_under_the_cap_too(tmp_path: Path) -> None:
    model = tmp_path / "model.gal"
    model.write_text(GREEDY["philosophers"])
    limit = ["--engine", "reference", "--memory", "96M"]
    result = run(["check", model, "-p", "hungry", *limit, "--json", "-"])
    honest(result)
    assert result.status == 3
    (answer,) = document(result.out, "check.json")["results"]
    assert (answer["verdict"], answer["reason"]) == ("unknown", "memory")
    assert result.peak <= 96e6 * 1.15 + 64e6


@pytest.mark.parametrize("seed", at_length(12))
def test_a_signal_at_any_moment_ends_the_run_within_two_seconds(seed: int, tmp_path: Path) -> None:
    """T16: also while the parts are imported, the model is read, the passes run."""
    chance = random.Random(seed)
    model = tmp_path / "model.gal"
    model.write_text(chance.choice(ENDLESS))
    command = chance.choice(["states", "check"])
    # An interpreter that has not begun to run Python yet is ended by the signal itself.
    delay = chance.uniform(0.15, 3.0)
    number = chance.choice([signal.SIGINT, signal.SIGTERM])
    engine = ["--engine", "explicit", *SEARCHES[seed % len(SEARCHES)]]
    result = run([command, model, *engine, "--json", "-"], signal_after=(delay, number))
    assert result.status in (130, -number), (result.status, result.err, delay)
    assert "Traceback" not in result.err, (delay, result.err)
    assert result.seconds - delay < 4.0, "two seconds, and as many for a loaded machine"
    if result.out:
        document(result.out, f"{command}.json")


MARKED = """
import plait.cli.main
from plait.__main__ import command
def run(arguments):
    try:
        exec("raise KeyboardInterrupt")  # marks the interpreter, though it is caught
    except KeyboardInterrupt:
        {outcome}
plait.cli.main.run = run
command()
"""


@pytest.mark.parametrize("outcome", ["return 130", "raise"])
def test_an_interrupt_within_code_made_from_text_still_ends_with_our_status(
    outcome: str, tmp_path: Path
) -> None:
    """As while a dataclass is made: CPython would end itself by SIGINT on its way out."""
    (tmp_path / "marked.py").write_text(MARKED.format(outcome=outcome))
    child = subprocess.run([sys.executable, "-m", "marked"], cwd=tmp_path, check=False)
    assert child.returncode == 130


@pytest.mark.parametrize("seed", at_length(8))
def test_a_timeout_at_any_moment_ends_the_run_within_two_seconds(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    model = tmp_path / "model.gal"
    model.write_text(chance.choice(ENDLESS))
    command = chance.choice(["states", "check"])
    seconds = chance.choice([0.001, 0.05, chance.uniform(0.1, 2)])
    limit = ["--engine", "explicit", "--timeout", f"{seconds:.3f}"]
    limit += SEARCHES[seed % len(SEARCHES)]
    result = run([command, model, *limit, "--json", "-"])
    honest(result)
    assert result.status in (1, 3), "a deadlock may be found first"
    assert result.seconds - seconds < 6.0, "start-up, and a loaded machine"
    found = document(result.out, f"{command}.json")
    if command == "states":
        assert (found["complete"], found["reason"]) == (False, "timeout")
    else:
        assert all(r["verdict"] != "true" or r["stats"] for r in found["results"])


@pytest.mark.parametrize("text", ["1e9", "1e18", "1e300", "99999999999999999999"])
def test_a_timeout_of_ages_is_no_limit(plait: Command, tmp_path: Path, text: str) -> None:
    model = tmp_path / "model.gal"
    model.write_text("gal g { int x; transition t [x < 3] { x += 1; } }")
    assert plait("states", model, "--timeout", text).status == 0
    assert (
        plait("check", model, "-f", "EF x == 3", "-f", "AF x == 3", "--timeout", text).status == 0
    )


@pytest.mark.parametrize(
    ("failure", "status", "reason"),
    [
        (LimitReached("timeout"), 3, "timeout"),
        (MemoryError(), 3, "memory"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_a_stop_while_the_model_is_read_still_gives_a_document(
    plait: Command,
    monkeypatch: pytest.MonkeyPatch,
    failure: BaseException,
    status: int,
    reason: str,
) -> None:
    def fail(*_arguments: object) -> None:
        raise failure

    monkeypatch.setattr(options, "load_model", fail)
    result = plait("states", "model.gal", "--json", "-")
    assert result.status == status
    found = document(result.out, "states.json")
    assert (found["complete"], found["reason"], found["states"]) == (False, reason, "0")

    result = plait("check", "model.gal", "--json", "-")
    assert result.status == status
    assert document(result.out, "check.json")["results"] == []


def test_the_peak_of_memory_is_our_own(tmp_path: Path) -> None:
    """A large parent, such as a test suite, must not be counted as the memory of its child."""
    ballast = bytearray(400_000_000)
    ballast[::4096] = b"x" * len(ballast[::4096])
    model = tmp_path / "model.gal"
    model.write_text("gal g { int x; transition t [x < 3] { x += 1; } }")
    found = json.loads(run(["states", model, "--json", "-"]).out)
    assert found["peak_memory_bytes"] < 100_000_000 < len(ballast)
    assert budget.peak_memory() > 400_000_000
