"""Wrong command lines: one line says what is wrong and who knows more; status 2."""

from pathlib import Path

import pytest
from tests.cli.command import Command


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--timeout", "0"], "0 is not a positive number of seconds"),
        (["--timeout", "-1"], "-1 is not a positive number of seconds"),
        (["--timeout", "1e400"], "1e400 is not a positive number of seconds"),
        (["--timeout", "NaN"], "NaN is not a positive number of seconds"),
        (["--timeout", "soon"], "'soon' is not a number of seconds"),
        (["--timeout", "1_0"], "'1_0' is not a number of seconds"),
        (["--timeout", "\u0663"], "'\u0663' is not a number of seconds"),
        (["--memory", "1"], "1 is less than 1M"),
        (["--memory", "1K"], "1K is less than 1M"),
        (["--memory", "1" + "0" * 30], "is not an amount of memory such as 500M or 2G"),
        (["--memory", "much"], "'much' is not an amount of memory such as 500M or 2G"),
        (["-D", "N"], "'N' is not NAME=VALUE"),
        (["-D", "N=two"], "'two' is not a 32-bit integer"),
        (["-D", "N=99999999999"], "'99999999999' is not a 32-bit integer"),
        (["--engine", "magic"], "invalid choice: 'magic'"),
        (["--colour"], "plait check has no option --colour; did you mean --colours?"),
        (["--tim=3"], "plait check has no option --tim; did you mean --time?"),
        (["--frobnicate"], "plait check has no option --frobnicate (see"),
        (["more", "files"], "plait check has no use for 'more' 'files' (see"),
    ],
)
def test_a_wrong_option_is_refused_in_one_line(
    plait: Command, philosophers: Path, options: list[str], message: str
) -> None:
    result = plait("check", philosophers, *options)
    assert result.status == 2
    assert result.err.startswith("error: ")
    assert result.err.endswith(" (see plait check --help)\n")
    assert result.err.count("\n") == 1
    assert message in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chek", "m.gal"], "no command 'chek'; did you mean check?"),
        (["m.gal"], "no command 'm.gal'"),
        ([__file__], f"no command '{__file__}'; to check a model: plait check {__file__}"),
        (["-a", "m.pml"], "options such as -a stand behind a command"),
        (["--timeout", "3", "check"], "options such as --timeout stand behind a command"),
        (["help", "chek"], "no command 'chek'; did you mean check?"),
    ],
)
def test_a_wrong_command_is_refused_in_one_line(
    plait: Command, arguments: list[str], message: str
) -> None:
    result = plait(*arguments)
    assert (result.status, result.err) == (2, f"error: {message} (see plait --help)\n")


def test_a_line_without_a_command_shows_which_there_are(plait: Command) -> None:
    result = plait()
    assert (result.status, result.out) == (2, "")
    assert result.err == plait("--help").out


def test_help_may_be_asked_for_by_a_word(plait: Command) -> None:
    assert plait("help") == plait("--help")
    assert plait("help", "states") == plait("states", "--help")
    assert plait("help", "states").status == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-D", "M=3"], "the model has no parameter 'M'"),
        (["-p", "fre"], "the model has no property named 'fre'"),
        (["-f", "AG (nobody == 1)"], "has no variable 'nobody'"),
        (["-f", "AG ("], "expected a formula, found the end of the text"),
        (["-f", ""], "expected"),
        (["-f", 'enabled("takeLef(0)")'], "did you mean 'takeLeft'?"),
        (["-f", "GFleft[0] == 1"], "did you mean 'G F left'?"),
        (["-f", "is-fireable(takeLeft)"], "is asked by 'enabled(\"event\")'"),
        (["-f", "tokens-count(left) <= 1"], "a place is a variable, as in 'place <= 3'"),
        (["-f", "invarint: left[0] == 1"], "did you mean 'invariant'?"),
        (["-f", "left[0] ≤ 1"], "  it is written <=\n"),
        (["-f", "□ left[0] == 1"], "  it is written []\n"),
        (["-f", "EF dead"], "a state where no event can be executed is a 'deadlock'"),
        (["-p", "deadlock"], "every model can be asked for it by -f deadlock"),
        (["-p", "nobody"], "there are: free, neighbours"),
        (["-D", "M=2"], "there are: N"),
        (["-f", "atom: fork[0] == 1"], "an atom only names a condition"),
        (["--properties", "nowhere.prop"], "cannot read nowhere.prop"),
    ],
)
def test_a_wrong_question_is_refused(
    plait: Command, philosophers: Path, options: list[str], message: str
) -> None:
    result = plait("check", philosophers, *options)
    assert result.status == 2
    assert message in result.err
    assert "Traceback" not in result.err


def test_a_name_that_begins_with_a_dash_can_be_given(
    plait: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-x.gal").write_text("gal g { int x = 0; transition t [x == 0] { x = 1 - x; } }\n")
    assert plait("states", "--", "-x.gal").status == 0


def test_two_documents_do_not_go_to_one_stream(plait: Command, philosophers: Path) -> None:
    result = plait("check", philosophers, "--json", "-", "--witness", "-")
    assert (result.status, result.out) == (2, "")
    assert "two documents" in result.err
