"""How many processes there is room for, where nobody knows beforehand how many there can be."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from plait import api, engines
from plait.cli.main import run
from plait.engines import Budget, Reduction
from plait.errors import Diagnostic, NoRoomError
from plait.lang.promela import parse
from plait.lang.promela.processes import MOST_PROCESSES, PROCESS_LIMIT
from plait.model.room import with_room
from plait.model.types import Model, Property
from plait.reference import Semantics
from plait.report.answer import Answer, Witness

CHAIN = """
byte last;
proctype P(short d) {{
  if :: d > 0 -> run P(d - 1) :: else -> last = _pid; assert(last != 30) fi
}}
init {{ run P({length}) }}
"""
NESTED = """
proctype double(byte n; chan up) {
  chan down = [1] of { byte };
  byte half;
  if
  :: n == 0 -> up!0
  :: n > 0 -> run double(n - 1, down); down?half; up!half + 2
  fi
}
init {
  chan c = [1] of { byte };
  byte result, i;
  do
  :: i < 12 -> run double(6, c); c?result; i++
  :: else -> break
  od;
  assert(result != 12)
}
"""


def _written(folder: Path, text: str) -> Path:
    path = folder / "chain.pml"
    path.write_text(text)
    return path


def test_a_text_that_needs_more_room_is_read_again_with_more(tmp_path: Path) -> None:
    model = parse(CHAIN.format(length=29))
    with pytest.raises(NoRoomError):
        engines.states(model)
    with pytest.raises(NoRoomError):
        engines.states(model, engine="reference")
    system = api.load(_written(tmp_path, CHAIN.format(length=29)))
    assert system.states().states == 94  # as SPIN
    failing = system.check(system.properties[0])
    assert failing.property.name == "assertion at line 4 of P"
    assert failing.verdict == "false"
    assert failing.replayed
    assert failing.explanation == (
        "in the last state this is not true:",
        "  last != 30   (last = 30)",
    )


def test_the_command_line_tells_what_happens_in_the_larger_room(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(_written(tmp_path, CHAIN.format(length=29)))
    assert run(["states", path]) == 0
    assert "94" in capsys.readouterr().out
    assert run(["check", path, "-q"]) == 1
    told = capsys.readouterr().out
    assert "assertion at line 4 of P" in told
    assert run(["check", path, "-q", "-p", "assertion at line 4 of P"]) == 1


def test_a_small_text_keeps_its_small_room() -> None:
    model = parse(CHAIN.format(length=3))
    assert len(model.system.processes) == 2 * PROCESS_LIMIT
    asked = []
    with_room(model, asked.append)
    assert asked == [model]


def test_room_grows_to_what_is_allowed_and_one_process_more_is_an_error_at_run_time() -> None:
    text = "proctype P() { skip; false }\ninit { do :: run P() od }"
    rooms = [parse(text)]
    while (larger := rooms[-1].larger) is not None:
        rooms.append(larger())
    assert [len(model.system.processes) for model in rooms] == [24, 48, 96, 192, MOST_PROCESSES]
    assert all(all(p.name != "run-time error" for p in model.properties) for model in rooms[:-1])
    full = rooms[-1].property("run-time error")
    state = list(Semantics(rooms[-1]).initial)
    assert not Semantics(rooms[-1]).decides(full, tuple(state))
    [answer] = engines.check(rooms[-1], [full], reduction=Reduction(order="dfs"))
    assert answer.verdict == "false"
    assert answer.replayed
    assert answer.witness is not None
    assert len(answer.witness.steps) >= MOST_PROCESSES - 1


def test_a_loop_of_known_length_may_run_too_many() -> None:
    """SPIN: 765 states, `too many processes`."""
    text = """
    byte n;
    proctype P(short d) { n > 0 }
    init { short i; for (i : 1 .. 300) { run P(i) } }
    """
    model = parse(text)
    assert model.larger is None
    assert engines.states(model, engine="explicit").states == 765
    [answer] = engines.check(model, [model.property("run-time error")], engine="explicit")
    assert answer.verdict == "false"


def test_depth_first_processes_end_before_others_run_more() -> None:
    """Of 84 processes that may linger there are only eight at once where they do not."""
    model = parse(NESTED)
    asked = model.property("assertion at line 17 of init")
    [answer] = engines.check(model, [asked], engine="explicit", reduction=Reduction(order="dfs"))
    assert answer.verdict == "false"
    assert answer.replayed


def test_what_a_trace_has_shown_in_less_room_stays_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(_written(tmp_path, CHAIN.format(length=29)))

    def ask(
        model: Model, asked: Sequence[Property], *, tell: Callable[[Answer], None], **_: object
    ) -> list[Answer]:
        if len(model.system.processes) == 2 * PROCESS_LIMIT:
            witness = Witness(Semantics(model).initial, ())
            tell(Answer(asked[0], "false", "explicit", witness=witness))
            raise NoRoomError(Diagnostic("there is too little"))
        return [Answer(p, "unknown", "explicit", reason="timeout") for p in asked]

    monkeypatch.setattr("plait.cli.check.check", ask)
    assert run(["check", path, "-q"]) == 1
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith("assertion at line 4 of P ")
    assert first.endswith("violated")
    assert second.endswith("unknown (out of time)")


def test_a_run_that_needs_more_than_all_room_is_soon_found() -> None:
    text = """
    #define MAX 3
    byte busy, served;
    chan done = [MAX] of { pid };
    proctype Job(byte k) { served = (served + k) % 4; done!_pid; busy-- }
    active proctype Pool() {
      pid p;
      do
      :: busy < MAX -> busy++; run Job(busy)
      :: done?p
      :: served == 3 && busy == 0 -> break
      od
    }
    """
    model = parse(text, room=MOST_PROCESSES)
    asked = [model.property("run-time error")]
    limits = Budget(states=20_000)
    [answer] = engines.check(
        model, asked, engine="explicit", reduction=Reduction(order="dfs"), budget=limits
    )
    assert answer.verdict == "false"
