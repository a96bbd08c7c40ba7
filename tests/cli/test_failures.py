"""T27: never status 0 without an answer, whatever fails; and T16: it stops when it is told to."""

import importlib
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest
from tests.cli.command import Command, start, wait_until_busy

from plait import engines
from plait.cli.deadline import deadline
from plait.engines import bounded, branching
from plait.engines.explicit import engine as explicit
from plait.errors import LimitReached
from plait.reference import ReplayError, Semantics
from plait.smt.found import Found, Reached


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (MemoryError(), "memory"),
        (LimitReached("timeout"), "timeout"),
        (KeyboardInterrupt(), "interrupted"),
    ],
)
def test_an_engine_that_stops_gives_unknown_for_every_property(
    plait: Command,
    philosophers: Path,
    monkeypatch: pytest.MonkeyPatch,
    failure: BaseException,
    reason: str,
) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise failure

    monkeypatch.setattr(explicit._core, "explore", fail)
    result = plait(
        "check", philosophers, "-p", "free", "-p", "neighbours",
        "--engine", "explicit", "--json", "-",
    )  # fmt: skip
    assert result.status == (130 if reason == "interrupted" else 3)
    results = json.loads(result.out)["results"]
    assert [(r["name"], r["verdict"], r["reason"]) for r in results] == [
        ("free", "unknown", reason),
        ("neighbours", "unknown", reason),
    ]


@pytest.mark.parametrize(
    ("failure", "status"), [(LimitReached("timeout"), 1), (KeyboardInterrupt(), 130)]
)
def test_what_was_answered_before_the_end_is_told(
    plait: Command,
    philosophers: Path,
    monkeypatch: pytest.MonkeyPatch,
    failure: BaseException,
    status: int,
) -> None:
    def fail(*_arguments: object) -> None:
        raise failure

    monkeypatch.setattr(branching.Branching, "check", fail)
    result = plait("check", philosophers, "-p", "hungry", "-p", "free", "--json", "-")
    assert result.status == status
    hungry, free = json.loads(result.out)["results"]
    reason = "interrupted" if status == 130 else "timeout"
    assert (hungry["verdict"], hungry["reason"]) == ("unknown", reason)
    assert (free["verdict"], len(free["witness"]["steps"])) == ("false", 4)


def test_an_interrupt_of_the_solver_keeps_the_runs_that_it_found(
    plait: Command, philosophers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def apart(work: Callable[[], Iterator[Found]], *_arguments: object) -> Iterator[Found]:
        for found in work():
            yield found
            if isinstance(found, Reached):
                raise KeyboardInterrupt

    monkeypatch.setattr(bounded, "apart", apart)
    asked = ["-p", "free", "-f", "never: fork[0] == 2"]
    result = plait("check", philosophers, *asked, "--engine", "bounded", "--json", "-")
    assert result.status == 130
    free, never = json.loads(result.out)["results"]
    assert (free["verdict"], len(free["witness"]["steps"])) == ("false", 4)
    assert (never["verdict"], never["reason"]) == ("unknown", "interrupted")


@pytest.mark.parametrize("failure", [RuntimeError("rubbish"), RecursionError(), AssertionError()])
def test_an_engine_that_breaks_is_an_internal_error(
    plait: Command, philosophers: Path, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise failure

    for command in ("check", "states"):
        with monkeypatch.context() as patch:
            patch.setattr(explicit._core, "explore", fail)
            result = plait(command, philosophers)
        assert result.status == 3
        assert result.out == ""
        assert result.err.startswith("internal error: ")
        assert "Traceback" not in result.err


def test_a_panic_of_the_native_core_is_an_internal_error(
    plait: Command, philosophers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D6: a panic is raised as a class that is no `Exception`."""

    class PanicException(BaseException):
        pass

    def fail(*_arguments: object, **_options: object) -> None:
        raise PanicException("index out of bounds")

    monkeypatch.setattr(explicit._core, "explore", fail)
    result = plait("check", philosophers)
    assert result.status == 3
    assert "internal error: PanicException: index out of bounds" in result.err


def test_a_trace_that_does_not_replay_is_never_an_answer(
    plait: Command, philosophers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Semantics, *_arguments: object, **_options: object) -> None:
        raise ReplayError(1, "made up")

    monkeypatch.setattr(Semantics, "confirm", refuse)
    result = plait("check", philosophers, "-p", "free", "--json", "-")
    assert result.status == 3
    (answer,) = json.loads(result.out)["results"]
    assert answer["verdict"] == "unknown"
    assert answer["witness"] is None
    assert "does not replay" in answer["reason"]


def test_a_wrong_pass_is_caught_by_the_replay(
    plait: Command, philosophers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lift that mixes up two cells must not give a wrong trace."""
    from plait import passes

    right = passes.flat

    def wrong(*arguments: object, **options: object) -> object:
        rewritten = right(*arguments, **options)  # type: ignore[arg-type]
        lift = rewritten.lift
        return passes.Rewritten(rewritten.model, lambda s: (lift(s)[1], lift(s)[0], *lift(s)[2:]))

    monkeypatch.setattr(passes, "flat", wrong)
    result = plait("check", philosophers, "-p", "free", "--json", "-")
    assert result.status == 3
    assert "does not replay" in json.loads(result.out)["results"][0]["reason"]


def test_no_answers_are_no_success() -> None:
    from plait.cli.status import status_of

    assert status_of([]) == 3


@pytest.mark.parametrize("command", ["check", "states", "convert"])
def test_a_file_that_cannot_grow_is_a_failure(
    philosophers: Path, tmp_path: Path, command: str
) -> None:
    extra = ["--to", "gal"] if command == "convert" else []
    with (tmp_path / "full").open("w") as full:
        process = start(
            command, philosophers, *extra, stdout=full, stderr=subprocess.PIPE,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
        )  # fmt: skip
        _, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "cannot write" in err
    assert "Traceback" not in err


def test_a_closed_pipe_is_a_failure(philosophers: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    process = start("states", philosophers, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "Traceback" not in err


def test_an_unwritable_result_is_a_failure(plait: Command, philosophers: Path) -> None:
    result = plait("check", philosophers, "--json", "/nowhere/result.json")
    assert result.status == 3
    assert result.err == (
        "error: cannot write to /nowhere/result.json: No such file or directory\n"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_gives_what_is_known_and_status_130(
    philosophers: Path, number: signal.Signals
) -> None:
    process = start(
        "states", philosophers, "-D", "N=40", "--engine", "explicit", "--json", "-",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    wait_until_busy(process)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    document = json.loads(out)
    assert (document["complete"], document["reason"]) == (False, "interrupted")
    assert int(document["states"]) > 0


def test_an_interrupt_while_checking_still_writes_the_document(philosophers: Path) -> None:
    process = start(
        "check", philosophers, "-D", "N=40", "-p", "neighbours",
        "--engine", "explicit", "--json", "-",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    wait_until_busy(process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    (answer,) = json.loads(out)["results"]
    assert (answer["verdict"], answer["reason"]) == ("unknown", "interrupted")


def test_an_interrupt_of_the_search_ends_the_temporal_properties_too(philosophers: Path) -> None:
    """The search returns what it has; the reference must not start on the others then."""
    process = start(
        "check", philosophers, "-D", "N=40", "-f", "deadlock", "-f", "AF left[0] == 1",
        "-p", "neighbours", "--engine", "explicit", "--json", "-",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    wait_until_busy(process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=10)
    assert process.returncode == 130
    reasons = [r["reason"] for r in json.loads(out)["results"] if r["verdict"] == "unknown"]
    assert reasons
    assert set(reasons) == {"interrupted"}


def test_an_unknown_engine_is_refused(plait: Command, philosophers: Path) -> None:
    assert plait("check", philosophers, "--engine", "magic").status == 2
    assert "magic" not in engines.ENGINES


def test_a_deadline_rings_in_the_main_thread_and_does_nothing_in_others() -> None:
    with pytest.raises(LimitReached, match="timeout"), deadline(0.01):
        signal.pause()
    passed = []

    def work() -> None:
        with deadline(0.01):
            passed.append(True)

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert passed == [True]


def test_a_deadline_waits_until_an_import_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python turns what `__set_name__` raises into a RuntimeError."""
    (tmp_path / "slowly_imported.py").write_text(
        "import signal\n"
        "class Named:\n"
        "    def __set_name__(self, owner, name):\n"
        "        signal.pause()\n"
        "class Owner:\n"
        "    named = Named()\n"
        "done = True\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def work() -> None:
        importlib.import_module("slowly_imported")
        signal.pause()

    with pytest.raises(LimitReached, match="timeout"), deadline(0.01):
        work()
    assert sys.modules["slowly_imported"].done
