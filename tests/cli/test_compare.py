"""`plait compare`: all methods that apply, in one table; and the one that answers first."""

import json
from pathlib import Path

import pytest
from tests.cli.command import Command

from plait.cli import compare
from plait.engines import Budget, compared
from plait.engines.compared import WAYS, Row, Way, asked, contradiction, first, ways_for
from plait.lang.gal import parse
from plait.logic.parse import parse_formula
from plait.model.types import Model, Property
from plait.models import running_example
from plait.report.answer import Answer

EXAMPLES = Path(__file__).parents[2] / "examples" / "milestones"


def test_one_command_asks_every_method_and_tabulates_what_they_say(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """covers: M95"""
    table = tmp_path / "table.json"
    command = Command(capsys)
    line = ("compare", EXAMPLES / "running.mil", "--depth", "18", "--json", table)
    done = command(*line, "-p", "ctl-1", "-p", "ltl-1", "-f", "deadlock", "-f", "EF EX g == 1")
    assert done.status == 1
    found = {
        p["name"]: {m["method"]: m for m in p["methods"]}
        for p in json.loads(table.read_text())["properties"]
    }
    assert list(found) == ["ctl-1", "ltl-1", "formula 1", "formula 2"]
    assert {m["verdict"] for m in found["ctl-1"].values()} == {"true"}
    assert {"FWD", "BWD", "evalCTLX"} <= set(found["ctl-1"])
    linear = {"FWD", "BWD", "evalLTLX", "evalLTLX(BWD)", "BMC", "BPE", "explicit", "automaton"}
    assert linear <= set(found["ltl-1"])
    assert {m["verdict"] for m in found["ltl-1"].values()} == {"false"}
    assert all(m["replayed"] for m in found["ltl-1"].values())
    assert {"BFS", "PE", "BMC", "BPE"} <= set(found["formula 1"])
    assert found["formula 1"]["PE"]["verdict"] == "true"
    assert found["formula 2"]["evalCTLX"]["verdict"] is None
    assert "X in" in found["formula 2"]["evalCTLX"]["refused"]
    lines = done.out.splitlines()
    heads = [text for text in lines if text.startswith("  method")]
    assert len(heads) == 4
    (row,) = [text for text in lines if text.startswith("  evalLTLX(BWD)")]
    assert row.split()[1] == "violated"
    assert "--strategy partial --ltl tableau-backward" in row


def test_the_memory_of_a_method_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an earlier method used stays in the process, and would be told of all later ones."""
    model, large = running_example(), 256 << 20
    p = parse_formula("never: g == 2", model)

    def greedy(model: Model, p: Property, way: Way, budget: Budget, **others: object) -> Row:
        if way is WAYS[0]:
            bytearray(large)[::4096] = b"x" * (large // 4096)
        return asked(model, p, way, budget)

    monkeypatch.setattr(compared, "asked", greedy)
    monkeypatch.setattr(compared, "ways_for", lambda p: WAYS[:2])
    first, second = compared.compared(model, p, Budget)
    assert first.answer is not None
    assert second.answer is not None
    assert first.answer.peak_memory_bytes > second.answer.peak_memory_bytes + large // 2


def test_every_method_is_what_its_options_say(capsys: pytest.CaptureFixture[str]) -> None:
    command = Command(capsys)
    texts = {"ltl": "F G g == 1", "ctl": "AG EF g == 1"}
    for way in WAYS:
        text = next((texts[k] for k in way.kinds if k in texts), "never: g == 2")
        path, model = EXAMPLES / "running.mil", running_example()
        done = command("check", path, "-f", text, "-q", "--depth", "5", *way.options.split())
        assert done.status in (0, 1, 3), done.err
        prop = parse_formula(text, model)
        answer = asked(model, prop, way, Budget(), depth=5).answer
        assert answer is not None
        expected = {"true": 0, "false": 1, "unknown": 3}[answer.verdict]
        assert done.status == expected, way.name


def test_methods_that_contradict_each_other_are_our_error() -> None:
    p = running_example().properties[1]
    said = [Row(WAYS[0], Answer(p, "true", "a")), Row(WAYS[1], Answer(p, "unknown", "b"))]
    assert contradiction(said) is None
    said.append(Row(WAYS[2], Answer(p, "false", "c")))
    assert contradiction(said) == "internal error: BFS and PE contradict each other"


def test_the_first_answer_is_that_of_the_direction_that_ends() -> None:
    """Neither could be waited for alone: on each model one of the two would take years.

    covers: M98
    """
    # Forward, one image a step, there are 2^30 steps; backward it is seen at once.
    deep = parse(
        "gal g { int a; array [30] b = ("
        + ", ".join(["0"] * 30)
        + "); "
        + " ".join(
            f"transition c{i} [b[{i}] == 0 {' '.join(f'&& b[{j}] == 1' for j in range(i))}] "
            f"{{ b[{i}] = 1; {' '.join(f'b[{j}] = 0;' for j in range(i))} }}"
            for i in range(30)
        )
        + " transition again [a == 0] { a = 0; } }",
        "deep",
    )
    again = parse_formula("ltl: G F (a == 0)", deep)
    # Backward, all states must be known, and there are 2^32; forward two of them are enough.
    endless = parse("gal g { int x; int y; transition t [true] { x += 1; y = x * x; } }", "m")
    soon = parse_formula("ltl: (x == 0) U (x == 1)", endless)
    for model, prop, winner in ((deep, again, "BWD"), (endless, soon, "FWD")):
        ways = [way for way in ways_for(prop) if way.name in ("FWD", "BWD")]
        row = first(model, prop, Budget(timeout=120), ways=ways)
        assert row is not None
        assert row.answer is not None
        assert (row.way.name, row.answer.verdict) == (winner, "true")


def test_the_command_takes_the_first_answer(capsys: pytest.CaptureFixture[str]) -> None:
    done = Command(capsys)("compare", EXAMPLES / "running.mil", "-p", "ltl-1", "--first")
    assert done.status == 1
    assert [line.split()[1] for line in done.out.splitlines()[2:]] == ["violated"]


def test_a_method_that_finds_no_end_is_stopped_unasked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No run of any length shows that something is never so, and no induction proves it."""
    monkeypatch.setattr(compare, "EACH", 2.0)
    table = EXAMPLES.parent / "philosophers.gal"
    done = Command(capsys)("compare", table, "-p", "neighbours", "-p", "hungry")
    assert done.status == 1
    tables = done.out.split("\n\n")
    assert [t.splitlines()[0] for t in tables] == [
        "neighbours: never right[0] == 1 && right[1] == 1",
        "hungry: AG EF (right[0] == 1)",
    ]
    (bounded,) = [t for t in tables[0].splitlines() if t.split()[0] == "BMC"]
    assert "unknown" in bounded
    assert "out of time" in bounded
