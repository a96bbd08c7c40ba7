"""Sections "State spaces" and "Files and surroundings": what is around the model is hostile too."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.command import Command, start
from tests.hostile.child import honest, run
from tests.hostile.nets import net

SMALL = "gal g { int x; transition t [x < 3] { x += 1; } }\n"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "model.gal"
    path.write_text(SMALL)
    return path


@pytest.mark.parametrize(
    "text",
    [
        net({"p": 1}, ["t"], [("p", "t"), ("t", "p", 2)]),
        net({"p": 0}, ["t"], [("t", "p")]),
        net({"p": 1, "q": 0}, ["t", "u"], [("p", "t"), ("t", "q", 2), ("q", "u"), ("u", "p", 2)]),
        net({"p": 10**9, "q": 0}, ["t"], [("p", "t"), ("t", "q")]),
    ],
    ids=["growing", "from nothing", "doubling", "bounded at 10^9"],
)
def test_a_net_that_cannot_be_exhausted_never_gets_a_bound(
    plait: Command, tmp_path: Path, text: str
) -> None:
    """31 published bounds gave 0 for infinity."""
    path = tmp_path / "net.pnml"
    path.write_text(text)
    for question in ("bounds: p", "never: p < 0", "AF p < 0"):
        result = plait("check", path, "-f", question, "--timeout", "0.5", "--json", "-")
        (answer,) = json.loads(result.out)["results"]
        # No firing count makes a place negative: the state equation tells without the states.
        told = {"never: p < 0": "true", "AF p < 0": "false"}.get(question)
        expected = told if answer["verdict"] == told else "unknown"
        if "1000000000" in text and question == "bounds: p" and answer["verdict"] == "true":
            # The first marking already meets what the invariant p + q allows.
            assert answer["value"] == 10**9
            continue
        assert (answer["verdict"], answer["value"]) == (expected, None)
        assert result.status == {"true": 0, "false": 1, "unknown": 3}[expected]
    result = plait("states", path, "--timeout", "0.5")
    assert result.status == 3
    assert "at least" in result.out


def test_a_net_bounded_at_a_billion_in_one_step_is_answered(plait: Command, tmp_path: Path) -> None:
    path = tmp_path / "net.pnml"
    path.write_text(net({"p": 10**9, "q": 0}, ["t"], [("p", "t", 10**9), ("t", "q", 10**9)]))
    result = plait("check", path, "-f", "bounds: q", "-f", "bounds: p + q")
    assert result.status == 0
    assert "0..1000000000" in result.out
    assert "1000000000..1000000000" in result.out


def test_doubling_wraps_to_zero_in_the_language_of_models(plait: Command, tmp_path: Path) -> None:
    path = tmp_path / "model.gal"
    path.write_text("gal g { int p = 1; transition t [p > 0] { p = p * 2; } }")
    result = plait("check", path, "-f", "bounds: p")
    assert result.status == 0
    assert "-2147483648..1073741824" in result.out


def test_keys_that_fall_into_one_bucket_stay_apart(plait: Command, tmp_path: Path) -> None:
    """States that differ in one bit each, far apart: 2^16 of them, none lost."""
    path = tmp_path / "model.gal"
    path.write_text(
        "typedef r = 0 .. 15; gal g { array [16] a;"
        " transition t (r $i) [true] { a[$i] = -2147483648 - a[$i]; } }"
    )
    result = plait("states", path, "--json", "-")
    figures = json.loads(result.out)
    assert (figures["states"], figures["arcs"]) == (str(2**16), str(16 * 2**16))


@pytest.mark.parametrize("command", ["check", "states", "simulate", "convert"])
@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("missing", "No such file"),
        ("folder", "it is a folder"),
        ("fifo", "not an ordinary file"),
        ("device", "not an ordinary file"),
        ("loop", "symbolic link"),
        ("sparse", "larger than"),
        ("empty name", "cannot read"),
    ],
)
def test_what_is_no_file_is_refused(
    plait: Command, tmp_path: Path, command: str, what: str, message: str
) -> None:
    path: str | Path = tmp_path / "it"
    match what:
        case "folder":
            (tmp_path / "it").mkdir()
        case "fifo":
            os.mkfifo(path)
        case "device":
            path = "/dev/zero"
        case "loop":
            (tmp_path / "it").symlink_to(path)
        case "sparse":
            path = tmp_path / "it.gal"
            path.touch()
            os.truncate(path, 5 * 2**30)
        case "empty name":
            path = ""
    extra = ["--to", "gal"] if command == "convert" else []
    result = plait(command, path, *extra)
    assert result.status == 2
    assert message in result.err


@pytest.mark.parametrize(
    "name", ["a\nb.gal", "-x.gal", "ü \N{SNOWMAN}.gal", "\udcff.gal", "a'b\".gal"]
)
def test_a_file_may_have_any_name(plait: Command, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(SMALL)
    assert plait("states", "--", path).status == 0
    path.write_text("gal g {")
    result = plait("states", "--", path)
    assert result.status == 2
    assert len(result.err.splitlines()) <= 3, "a name does not break the message into lines"


@pytest.mark.parametrize(
    "options",
    [
        ["--timeout", "0"], ["--timeout", "-1"], ["--timeout", "1e400"], ["--timeout", "nan"],
        ["--timeout", "x"], ["--memory", "1"], ["--memory", "1K"], ["--memory", "1" + "0" * 30],
        ["--memory", "-1M"], ["--memory", "nan"], ["-D", "N"], ["-D", "N="], ["-D", "=1"],
        ["-D", "N=2147483648"], ["-D", "N=1"], ["-p", "nobody"], ["-f", ""], ["--engine", "x"],
        ["--properties", "nowhere"], ["--frobnicate"], ["--tim", "3"], ["second.gal"],
    ],
)  # fmt: skip
def test_a_wrong_option_is_refused_by_its_own_command(
    plait: Command, small: Path, options: list[str]
) -> None:
    result = plait("check", small, *options)
    assert result.status == 2
    assert "error: " in result.err
    assert "usage:" not in result.err


@pytest.mark.parametrize("locale", ["C", "POSIX", "tr_TR.UTF-8"])
def test_the_locale_changes_nothing(small: Path, locale: str) -> None:
    environment = {**os.environ, "LC_ALL": locale, "LANG": locale, "PYTHONUTF8": "0"}
    result = subprocess.run(
        [sys.executable, "-m", "plait", "check", small, "-f", "F x == 3"],
        env=environment, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert result.returncode == 0
    assert b"holds" in result.stdout


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_closed_stream_is_no_success_without_an_answer(small: Path, closed: int) -> None:
    command = f'exec "{sys.executable}" -m plait check "{small}" -f "F x == 3" {closed}>&-'
    result = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, check=False)
    assert b"Traceback" not in result.stderr
    if closed == 1:
        assert result.returncode == 3
    else:
        assert (result.returncode, b"holds" in result.stdout) == (0, True)


def test_a_run_that_was_paused_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "model.gal"
    path.write_text("gal g { int x; transition t [x < 2000000] { x += 1; } }")
    process = start("states", path, "--json", "-", stdout=subprocess.PIPE)
    time.sleep(0.7)
    process.send_signal(signal.SIGSTOP)
    time.sleep(0.3)
    process.send_signal(signal.SIGCONT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert json.loads(out)["states"] == "2000001"


def test_a_second_interrupt_is_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "model.gal"
    path.write_text("gal g { int x; transition t [true] { x += 1; } }")
    process = start("states", path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode in (130, -signal.SIGINT)
    assert "Traceback" not in err


def test_a_file_cut_while_it_is_named_by_an_import_is_located(tmp_path: Path) -> None:
    (tmp_path / "other.gal").write_text("gal part { int x;")
    path = tmp_path / "model.gal"
    path.write_text('import "other.gal";\ncomposite c { part p; } main c;\n')
    result = run(["states", path])
    honest(result)
    assert result.status == 2
    assert "other.gal:1:18: error:" in result.err
