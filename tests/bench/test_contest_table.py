"""The table of the contest's answers: its order, its rows taken up again, its sums."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from bench.checkers import Checker, formulas, its_text, plain, race
from bench.mcc import Pair, Score

from bench import mcc
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.net_builder import NetBuilder

ANSWERS = {"f0": "TRUE", "f1": "FALSE", "f2": "TRUE"}


def silent(name: str, examination: str) -> Checker:
    """A program that knows one examination and answers nothing."""
    return Checker(name, (examination,), True, lambda *_: {})


def test_a_run_goes_on_after_the_rows_of_an_unfinished_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[tuple[str, str]] = []

    def measured(folder: Path, examination: str, *rest: object) -> Pair:
        model = folder.name
        ran.append((model, examination))
        others = (None, Score(1, 0, 2.0))
        return Pair(model, examination, 3, rest[-1], Score(2, 1, 4.0), others, "")  # type: ignore[arg-type]

    checkers = [silent("deaf", "UpperBounds"), silent("blind", "OneSafe")]
    models = {("a", "OneSafe"): ANSWERS, ("b", "OneSafe"): ANSWERS, ("b", "Liveness"): ANSWERS}
    monkeypatch.setattr(mcc, "known", lambda family: models if family == "mcc" else {})
    monkeypatch.setattr(mcc, "measured", measured)
    monkeypatch.setattr(mcc, "present", lambda: checkers)
    monkeypatch.delenv("PLAIT_BENCH_BEFORE", raising=False)
    mcc.main()
    whole = capsys.readouterr()
    assert sorted(ran) == sorted(models)
    assert "| all | 3 | 0 | 9 | 6 | 3 | 0 | 0 | 0 | 9 | 3 | 0 |" in whole.out

    (tmp_path / "table.md").write_text("\n".join(whole.err.splitlines()[:2]))
    monkeypatch.setenv("PLAIT_BENCH_BEFORE", str(tmp_path / "table.md"))
    again = list(ran)
    ran.clear()
    mcc.main()
    assert ran == again[2:]
    assert capsys.readouterr().out == whole.out


def test_what_a_short_limit_left_open_is_run_again_with_the_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[tuple[str, float]] = []

    def measured(folder: Path, examination: str, *rest: object) -> Pair:
        model = folder.name
        limit = rest[-1]
        assert isinstance(limit, float)
        ran.append((model, limit))
        right = {"quick": 3, "slow": 3 if limit > 5 else 1, "hard": 2}[model]
        return Pair(model, examination, 3, limit, Score(right, 0, 1.0), (), "")

    models = {(name, "OneSafe"): ANSWERS for name in ("quick", "slow", "hard")}
    monkeypatch.setattr(mcc, "known", lambda family: models if family == "mcc" else {})
    monkeypatch.setattr(mcc, "measured", measured)
    monkeypatch.setattr(mcc, "present", list)
    monkeypatch.setattr(mcc, "LIMITS", (5.0, 60.0))
    monkeypatch.delenv("PLAIT_BENCH_BEFORE", raising=False)
    mcc.main()
    assert sorted(ran[:3]) == [("hard", 5.0), ("quick", 5.0), ("slow", 5.0)]
    assert sorted(ran[3:]) == [("hard", 60.0), ("slow", 60.0)]
    table = capsys.readouterr().out
    assert "| slow | OneSafe | 3 | 60 | 3 |  | 1.0 |  |" in table
    assert "| all | 3 | 2 | 9 | 8 | 0 |" in table


def test_another_program_is_asked_again_for_what_it_did_not_answer(tmp_path: Path) -> None:
    texts = "".join(f"<property><id>{name}</id></property>" for name in ANSWERS)
    space = 'xmlns="http://mcc.lip6.fr/"'
    (tmp_path / "OneSafe.xml").write_text(f"<property-set {space}>{texts}</property-set>")
    assert formulas(tmp_path / "OneSafe.xml") == list(ANSWERS)
    asked: list[list[int]] = []

    def ask(_folder: Path, _examination: str, numbers: Sequence[int], _: float) -> dict[str, str]:
        asked.append(list(numbers))
        return {f"f{numbers[0]}": "TRUE"}

    checker = Checker("slow", ("OneSafe",), False, ask)
    given, _ = checker.answers(tmp_path, "OneSafe", 20.0)
    assert asked == [[0, 1, 2], [1], [2]]
    assert given == dict.fromkeys(ANSWERS, "TRUE")
    assert mcc.compared(given, ANSWERS, 1.0) == Score(2, 1, 1.0)


def test_formulas_are_written_as_its_ctl_reads_them() -> None:
    builder = NetBuilder("net")
    p, q = builder.place("p", 1), builder.place("q-1")
    builder.event("go", takes=[p], gives=[(q, 2)])
    model = builder.model()
    text = 'ctl: A[!("q-1" >= 2) U (E X enabled(go)) || deadlock]'
    asked = parse_formula(text, model)
    assert isinstance(asked.body, Formula)
    assert its_text(asked.body, builder.net()) == (
        'A ((!("q_1 >= 2")) U ((EX (("p >= 1"))) + (!(EX (TRUE)))))'
    )


def test_names_of_gal_lose_their_quotes_and_labels_do_not() -> None:
    text = (
        'transition "a-1" ["b c" == 0] label "x y" { self."z-2"; } synchronization s label "" { }'
    )
    assert plain(text) == (
        'transition a_1 [b_c == 0] label "x y" { self."z-2"; } synchronization s label "" { }'
    )


def test_a_race_is_over_when_one_has_said_enough_or_time_is_up(tmp_path: Path) -> None:
    slow = ["sleep", "1000"]
    quick = ["sh", "-c", "echo answer; exec sleep 1000"]
    assert race([slow, quick], tmp_path, 1000.0, lambda text: "answer" in text) == ["", "answer\n"]
    assert race([slow, slow], tmp_path, 0.0, bool) == ["", ""]
    assert race([["echo", "a"], ["echo", "b"]], tmp_path, 1000.0, lambda _: False) == ["a\n", "b\n"]


def test_several_limits_are_given_to_the_command() -> None:
    """All benchmarks read their limits when they are imported."""
    script = "from bench.__main__ import BENCHMARKS; from bench import mcc; print(mcc.LIMITS)"
    environment = {**os.environ, "PLAIT_BENCH_SECONDS": "5 60"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "(5.0, 60.0)\n"
