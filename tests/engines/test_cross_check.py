"""Cross-checking: a second engine confirms, contradicts, or cannot tell."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from plait.cli.main import run
from plait.engines import Budget
from plait.engines.cross_check import confirmers, cross_checked
from plait.engines.explicit.engine import Explicit
from plait.model.types import Property
from plait.report.answer import Answer, Verdict

P, Q = Property("p", kind="deadlock"), Property("q", kind="bounds")


def saying(**said: tuple[str, int | None]):  # type: ignore[no-untyped-def]
    """Engines that give the same answer to whatever they are asked; and who was asked."""
    asked: list[str] = []

    def ask(properties: Sequence[Property], engine: str, _: Budget) -> list[Answer]:
        asked.append(engine)
        verdict, value = said.get(engine, ("unknown", None))
        reason = verdict if verdict == "interrupted" else None
        known: Verdict = verdict if verdict in ("true", "false") else "unknown"  # type: ignore[assignment]
        return [Answer(p, known, engine, value=value, reason=reason) for p in properties]

    return ask, asked


def test_who_confirms_belongs_to_another_family() -> None:
    for engine, others in {
        "explicit": ["symbolic", "reference"],
        "local": ["symbolic", "reference"],
        "symbolic": ["explicit", "reference"],
        "structural-reduction+symbolic": ["explicit", "reference"],
        "structural-reduction+local": ["symbolic", "reference"],
        "state-equation": ["symbolic", "explicit", "reference"],
        "reference": ["symbolic", "explicit"],
    }.items():
        assert confirmers(Answer(P, "true", engine)) == others


def test_the_same_answer_confirms() -> None:
    """covers: I143"""
    ask, asked = saying(symbolic=("true", 3))
    (answer,) = cross_checked([Answer(Q, "true", "explicit", value=3)], Budget(), ask)
    assert answer.stats["confirmed_by"] == "symbolic"
    assert asked == ["symbolic"]


@pytest.mark.parametrize("second", [("false", None), ("true", 4)])
def test_another_answer_makes_it_unknown(second: tuple[str, int | None]) -> None:
    ask, _ = saying(symbolic=second)
    (answer,) = cross_checked([Answer(Q, "true", "explicit", value=3)], Budget(), ask)
    assert answer.verdict == "unknown"
    assert answer.reason is not None
    assert answer.reason.startswith("internal error: two engines disagree: explicit says 3")


def test_who_cannot_tell_is_followed_by_another_and_silence_is_noted() -> None:
    ask, asked = saying(reference=("true", None))
    (answer,) = cross_checked([Answer(P, "true", "local")], Budget(), ask)
    assert answer.stats["confirmed_by"] == "reference"
    assert asked == ["symbolic", "reference"]
    ask, asked = saying()
    (answer,) = cross_checked([Answer(P, "true", "local")], Budget(), ask)
    assert answer.verdict == "true"
    assert "no second engine" in answer.notes[0]
    unknown = Answer(P, "unknown", "local", reason="timeout")
    assert cross_checked([unknown], Budget(), ask) == [unknown]


def test_an_interrupt_ends_the_questions() -> None:
    ask, asked = saying(symbolic=("interrupted", None))
    found = cross_checked(
        [Answer(P, "true", "local"), Answer(Q, "true", "symbolic")], Budget(), ask
    )
    assert found[0].reason == "interrupted"
    assert asked == ["symbolic"]


MODEL = """
gal g { int x = 0; transition up [x < 3] { x = x + 1; } transition down [x > 0] { x = x - 1; } }
main g;
property r [reachable] : x == 3;
property b [bounds] : x;
property c [ctl] : AG EF x == 0;
property l [ltl] : G (x < 4);
"""


def test_every_kind_of_answer_is_confirmed_at_the_command_line(tmp_path: Path) -> None:
    """covers: I143"""
    model, result = tmp_path / "g.gal", tmp_path / "r.json"
    model.write_text(MODEL)
    assert run(["check", str(model), "-q", "--cross-check", "--json", str(result)]) == 0
    answers = json.loads(result.read_text())["results"]
    families = {"explicit": 1, "local": 1, "symbolic": 2, "reference": 3}
    for a in answers:
        assert families[a["engine"]] != families[a["stats"]["confirmed_by"]]


def test_an_engine_that_lies_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "g.gal"
    model.write_text(MODEL)

    def lie(_: Explicit, properties: Sequence[Property], *rest: object) -> list[Answer]:
        return [Answer(p, "false", "explicit") for p in properties]

    monkeypatch.setattr(Explicit, "check", lie)
    assert run(["check", str(model), "-p", "r", "--cross-check"]) == 3
    assert (
        "two engines disagree: explicit says false, symbolic says true" in capsys.readouterr().out
    )
