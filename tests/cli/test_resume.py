"""Checkpoints (T12): kill -9, go on, same figures; what is damaged or foreign is refused."""

import fcntl
import json
import os
import random
import resource
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import Command, start
from tests.conftest import ROOT

PHILOSOPHERS = ROOT / "examples" / "philosophers.gal"
EACH = 0.02
"""Seconds between two checkpoints here."""


def arguments(command: str, n: int, folder: Path, *more: str) -> list[str]:
    question = ["-f", "left[0] <= 1", "-f", "bounds: left[1]"] if command == "check" else []
    return [
        command, str(PHILOSOPHERS), "-D", f"N={n}", "--engine", "explicit", *question,
        "--checkpoint", str(folder), "--checkpoint-interval", str(EACH), *more,
    ]  # fmt: skip


def figures(text: str) -> Any:
    """What must be the same after any number of interruptions."""
    document = json.loads(text)
    compiled = ("compiled_events", "compiled_bytes", "compile_seconds")
    left_out = ("seconds", "peak_memory_bytes", "store_bytes", "checkpoints", *compiled)

    def strip(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: strip(v) for k, v in value.items() if k not in left_out}
        return [strip(v) for v in value] if isinstance(value, list) else value

    return strip(document)


def killed(folder: Path, command: str, n: int, moment: float, *more: str) -> bool:
    """Whether the run was killed before its end, once it had written a checkpoint."""
    process = start(*arguments(command, n, folder, *more, "-q"), stdout=-3, stderr=-3)
    search = folder / "search"
    while process.poll() is None and not search.exists():
        time.sleep(0.005)
    time.sleep(moment)
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


KILLED = pytest.mark.parametrize(
    ("command", "more"),
    [
        ("states", ()),
        ("states", ("--store", "tree")),
        ("states", ("--threads", "2")),
        ("check", ()),
    ],
)


@KILLED
def test_a_run_that_was_killed_goes_on_and_ends_with_the_same_figures(
    plait: Command, tmp_path: Path, command: str, more: tuple[str, ...]
) -> None:
    kill_and_resume(plait, tmp_path, command, more, attempts=3)


def kill_and_resume(
    plait: Command, tmp_path: Path, command: str, more: tuple[str, ...], *, attempts: int
) -> None:
    n = 14
    whole = plait(*arguments(command, n, tmp_path / "whole", *more, "--json", "-"))
    assert whole.status == 0
    rng = random.Random(f"{command} {more} {attempts}")
    interrupted = 0
    for attempt in range(attempts):
        folder = tmp_path / str(attempt)
        interrupted += killed(folder, command, n, rng.uniform(0, 0.3), *more)
        if not (folder / "command.json").exists():
            continue  # it came to its end
        result = plait("resume", folder, "--threads", str(1 + attempt % 2), "--json", "-")
        assert result.status == 0, result.err
        assert figures(result.out) == figures(whole.out)
        assert not (folder / "search").exists()
    assert interrupted > attempts // 4


@pytest.mark.soak
@KILLED
def test_of_two_hundred_kills_none_changes_a_figure(
    plait: Command, tmp_path: Path, command: str, more: tuple[str, ...]
) -> None:
    """T12 at full size: 50 kills of each kind."""
    kill_and_resume(plait, tmp_path, command, more, attempts=50)


def saved(plait: Command, folder: Path, *more: str) -> Path:
    """A checkpoint of a search that has not come to its end.

    On a busy machine the time may be over before the search begins, and there is nothing to keep.
    """
    for seconds in (0.7, 3, 12, 48):
        result = plait(*arguments("states", 24, folder, "--timeout", str(seconds), *more))
        assert result.status == 3
        if (folder / "search").exists():
            return folder
        shutil.rmtree(folder)
    raise AssertionError("no search was begun")


def test_a_timeout_leaves_a_checkpoint_and_a_second_run_asks_for_resume(
    plait: Command, tmp_path: Path
) -> None:
    folder = saved(plait, tmp_path / "s")
    again = plait(*arguments("states", 24, folder))
    assert again.status == 2
    assert "plait resume" in again.err
    on = plait("resume", folder, "--timeout", "0.3", "--json", "-")
    assert on.status == 3
    assert json.loads(on.out)["reason"] == "timeout"


@pytest.mark.parametrize("damages", [12, pytest.param(100, marks=pytest.mark.soak)])
def test_a_damaged_or_foreign_checkpoint_is_refused_by_name(
    plait: Command, tmp_path: Path, damages: int
) -> None:
    """Each damage is a bit that is flipped, and then the file cut off there: T12 wants 200."""
    folder = saved(plait, tmp_path / "s")
    search, command = folder / "search", folder / "command.json"
    good, told = search.read_bytes(), command.read_text()
    rng = random.Random(5)

    def refused(file: Path) -> None:
        result = plait("resume", folder)
        assert result.status == 2, result.out
        assert str(file) in result.err
        assert "Traceback" not in result.err

    for _ in range(damages):
        place = rng.randrange(len(good))
        flipped = bytearray(good)
        flipped[place] ^= 1 << rng.randrange(8)
        search.write_bytes(flipped)
        refused(search)
        search.write_bytes(good[:place])
        refused(search)
    for rubbish in (b"", b"\0" * 4096, os.urandom(1000)):
        search.write_bytes(rubbish)
        refused(search)
    search.write_bytes(good)
    for text in ("", "{", "[]", "null", '{"format": 99}', '{"format": 1, "arguments": 3}'):
        command.write_text(text)
        refused(command)
    command.write_text(told.replace("N=24", "N=23"))
    refused(search)
    command.unlink()
    refused(command)


def test_only_checks_and_counts_are_resumed(plait: Command, tmp_path: Path) -> None:
    (tmp_path / "command.json").write_text(
        json.dumps({"format": 1, "folder": "/", "arguments": ["models", "list"]})
    )
    result = plait("resume", tmp_path)
    assert result.status == 2
    assert "cannot" in result.err or "not one that can" in result.err
    assert plait("resume", tmp_path / "nothing").status == 2


def test_two_runs_do_not_share_a_folder(plait: Command, tmp_path: Path) -> None:
    folder = saved(plait, tmp_path / "s")
    with (folder / "lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = plait("resume", folder)
    assert result.status == 2
    assert "another run" in result.err


@pytest.mark.parametrize(
    "wrong",
    [
        ("--store", "bitstate"),
        ("--store", "automaton"),
        ("--search", "dfs"),
        ("--reduction", "sleep"),
    ],
)
def test_searches_that_cannot_be_saved_are_refused(
    plait: Command, tmp_path: Path, wrong: tuple[str, str]
) -> None:
    result = plait(*arguments("states", 4, tmp_path / "s", *wrong))
    assert result.status == 2
    assert "checkpoints need" in result.err or "needs breadth-first" in result.err
    result = plait(
        "states", PHILOSOPHERS, "--engine", "symbolic", "--checkpoint", tmp_path / "t"
    )  # fmt: skip
    assert result.status == 2


def test_a_checkpoint_that_cannot_be_written_is_a_note_and_the_answer_stays(
    plait: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / "search.partial").mkdir()  # nothing can be written there
    result = plait(*arguments("states", 13, folder))
    assert result.status == 0
    assert "no checkpoint could be written to" in result.out


def test_a_disk_without_room_is_a_note_and_the_answer_stays(tmp_path: Path) -> None:
    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    process = start(*arguments("states", 13, tmp_path / "s"), stdout=-1, preexec_fn=no_room)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "no checkpoint could be written to" in out
    assert "states          94,642" in out
    assert not list(tmp_path.glob("s/search*"))


def test_the_folder_may_move_with_its_model(plait: Command, tmp_path: Path) -> None:
    folder = saved(plait, tmp_path / "s")
    shutil.move(folder, tmp_path / "t")
    result = plait("resume", tmp_path / "t", "--timeout", "0.2")
    assert result.status == 3
