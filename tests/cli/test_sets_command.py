"""`plait sets` at the command line."""

from pathlib import Path

from tests.cli.command import Command


def test_the_command_prints_a_line_a_query_and_the_states_that_are_asked_for(
    plait: Command, philosophers: Path, tmp_path: Path
) -> None:
    file = tmp_path / "queries.txt"
    file.write_text("# the past\ncard(forward(initialstate))\n")
    result = plait("sets", philosophers, "D := difference(reachable, prev(reachable))",
                   "printset(D)", "--file", file, "--print", "1")  # fmt: skip
    assert result.status == 0
    lines = result.out.splitlines()
    assert lines[0].startswith("D := difference(reachable, prev(reachable)): ")
    assert lines[1] == "printset(D) = true"
    assert "=1" in lines[2]
    assert lines[3].startswith("card(forward(initialstate)) = ")
    wrong = plait("sets", philosophers, "EXbra(reachable)")
    assert wrong.status == 2
    assert "did you mean 'EXbar'" in wrong.err


def test_an_error_is_where_the_query_stands(
    plait: Command, philosophers: Path, tmp_path: Path
) -> None:
    file = tmp_path / "queries.txt"
    file.write_text("# the past\ncard(reachable)\n\nA := EXbra(reachable)\n")
    result = plait("sets", philosophers, "--file", file)
    assert result.status == 2
    assert f"{file}:4:6: error: there is no set or function 'EXbra'" in result.err
    assert "4 | A := EXbra(reachable)" in result.err
    result = plait("sets", philosophers, "A := nope", "--file", file)
    assert "<query>:1:6: error: there is no set or function 'nope'" in result.err


def test_no_query_is_no_question(plait: Command, philosophers: Path, tmp_path: Path) -> None:
    file = tmp_path / "queries.txt"
    file.write_text("# nothing\n")
    for more in ([], ["--file", file]):
        result = plait("sets", philosophers, *more)
        assert result.status == 2
        assert "there is no query" in result.err


def test_queries_may_stand_behind_options(plait: Command, philosophers: Path) -> None:
    behind = plait("sets", philosophers, "--print", "1", "card(reachable)", "printset(reachable)")
    around = plait("sets", philosophers, "card(reachable)", "--print", "1", "printset(reachable)")
    before = plait("sets", philosophers, "card(reachable)", "printset(reachable)", "--print", "1")
    assert behind == around == before
    assert before.status == 0
    assert len(before.out.splitlines()) == 3
    wrong = plait("sets", philosophers, "--paths", "infinite", "card(reachable)", "--prnt", "1")
    assert wrong.status == 2
    assert "has no option --prnt" in wrong.err
