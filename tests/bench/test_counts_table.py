"""The table of published counts can be taken up again where a run was ended."""

from pathlib import Path

import pytest

from bench import counts


def test_a_run_goes_on_after_the_rows_of_an_unfinished_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run: list[str] = []

    def measured(family: str, model: str, states: str, place: Path) -> tuple[str, str]:
        run.append(model)
        return f"| {model} | {states} | right | force | 0.10 | 7 | 24 |", "right"

    models = {"gal": [("a", "3"), ("b", "+inf")], "mcc": [("c", "5"), ("d", "6")]}
    monkeypatch.setattr(counts, "published", lambda family: iter(models.get(family, [])))
    monkeypatch.setattr(counts, "measured", measured)
    monkeypatch.delenv("PLAIT_BENCH_BEFORE", raising=False)
    counts.main()
    whole = capsys.readouterr().out
    assert run == ["a", "b", "c", "d"]
    assert whole.rstrip().endswith("4 right.")

    kept = ["| a | 3 | unknown (time) | | 60.00 | | |", "| c | 5 | WRONG | force | 0.10 | 7 | 24 |"]
    unfinished = tmp_path / "table.md"
    unfinished.write_text("\n".join([*whole.splitlines()[:2], *kept]))
    monkeypatch.setenv("PLAIT_BENCH_BEFORE", str(unfinished))
    run.clear()
    counts.main()
    again = capsys.readouterr().out
    assert run == ["b", "d"]
    assert [row for row in again.splitlines() if row in kept] == kept
    assert again.rstrip().endswith("1 WRONG, 2 right, 1 unknown.")


def test_what_an_engine_does_not_count_is_asked_of_all_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {"few": {"symbolic"}, "many": {"auto"}, "most": set()}

    def asked(engine: str, _family: str, model: str, _states: str, _place: Path) -> tuple[str, str]:
        return f"| {model} by {engine} |", "right" if engine in known[model] else "unknown"

    monkeypatch.setattr(counts, "asked", asked)
    monkeypatch.setattr(counts, "ENGINE", "symbolic")
    found = [counts.measured("mcc", model, "5", tmp_path) for model in known]
    assert found == [
        ("| few by symbolic |", "right"),
        ("| many by auto |", "right"),
        ("| most by symbolic |", "unknown"),
    ]
