"""Sweeps: `-D N=2..6` is a run for each value, a table of all, and one document.

The limits are those of each run. A value that the model cannot have is a row that says so. If two
values in a row are refused with the same message, the value is not the reason, and the sweep ends.
An interrupt ends it, too, and what is known is printed.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from itertools import product

from plait.cli import reports
from plait.cli.output import OutputError, print_lines, say, write_json
from plait.cli.status import HOLDS, INTERRUPTED, UNKNOWN, VIOLATED, WRONG, status_of
from plait.engines.budget import forget_peak
from plait.errors import InputError, error
from plait.hints import TYPE_CHECKING
from plait.lang.files import stem
from plait.records import dataclass
from plait.report.checked import Checked
from plait.report.sweep import (
    Counted,
    Values,
    check_table,
    first_findings,
    states_table,
    sweep_document,
    values_text,
)

if TYPE_CHECKING:
    import argparse

MOST_RUNS = 1000


def sweep_check(arguments: argparse.Namespace) -> int:
    """Check with each of the values, and print a table and the first traces."""
    from plait.cli.check import checked

    runs: list[Checked] = []
    statuses: list[int] = []

    def one(point: argparse.Namespace) -> _Run:
        outcome = checked(point)
        failure = outcome.failure
        runs.append(outcome.found)
        statuses.append(status_of(outcome.found.answers))
        if isinstance(failure, InputError):
            return _Run(wrong=failure)
        return _Run(outcome.interrupted or isinstance(failure, KeyboardInterrupt))

    ended = _each(arguments, one)
    try:
        reports.write_sweep(arguments, runs, ended.interrupted)
    except OutputError as unwritten:
        say(f"error: {unwritten}")
        statuses.append(UNKNOWN)
    if runs and not reports.fill_output(arguments):
        findings = [] if arguments.quiet else first_findings(runs, full=arguments.full)
        print_lines([*check_table(runs), *findings])
    return ended.status(statuses)


def sweep_states(arguments: argparse.Namespace) -> int:
    """Count with each of the values, and print a table."""
    from plait.cli.states import counted

    if arguments.list is not None:
        raise error("--list is for one value of each parameter")
    runs: list[Counted] = []
    statuses: list[int] = []
    name = stem(arguments.model)

    def one(point: argparse.Namespace) -> _Run:
        nonlocal name
        values = tuple(point.defines)
        try:
            name, space, _ = counted(point)
        except InputError as wrong:
            runs.append(Counted(values, problem=wrong.render()))
            return _Run(wrong=wrong)
        runs.append(Counted(values, space))
        statuses.append(HOLDS if space.complete else UNKNOWN)
        return _Run(space.reason == "interrupted")

    ended = _each(arguments, one)
    try:
        if arguments.json is not None:
            write_json(sweep_document(name, runs, ended.interrupted), arguments.json)
    except OutputError as unwritten:
        say(f"error: {unwritten}")
        statuses.append(UNKNOWN)
    if runs and arguments.json != "-":
        print_lines(states_table(runs))
    return ended.status(statuses)


@dataclass(frozen=True, slots=True)
class _Run:
    """How a run ended."""

    interrupted: bool = False
    wrong: InputError | None = None


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a sweep ended."""

    interrupted: bool
    wrong: bool

    def status(self, statuses: list[int]) -> int:
        """The worst that happened; a violation is not hidden by what else went wrong."""
        if self.interrupted:
            return INTERRUPTED
        if VIOLATED in statuses:
            return VIOLATED
        if self.wrong:
            return WRONG
        return UNKNOWN if UNKNOWN in statuses or not statuses else HOLDS


def _each(arguments: argparse.Namespace, one: Callable[[argparse.Namespace], _Run]) -> _Ended:
    """Do one run after the other."""
    if arguments.checkpoint is not None:
        raise error("--checkpoint is for one value of each parameter")
    wrong: str | None = None
    before: str | None = None
    for values in _points(arguments):
        gc.collect()
        forget_peak()
        try:
            run = one(type(arguments)(**{**vars(arguments), "defines": list(values)}))
        except KeyboardInterrupt:
            run = _Run(interrupted=True)
        if run.interrupted:
            return _Ended(True, wrong is not None)
        if run.wrong is not None:
            wrong = run.wrong.render()
            if wrong == before:
                break
            say(f"with {values_text(values)}:\n{wrong}")
        before = None if run.wrong is None else wrong
    return _Ended(False, wrong is not None)


def _points(arguments: argparse.Namespace) -> Iterator[Values]:
    """All combinations of values; the last parameter changes first."""
    given = dict(arguments.defines)  # of two values for one parameter the second counts
    several = [value if isinstance(value, tuple) else (value,) for value in given.values()]
    runs = 1
    for values in several:
        runs *= len(values)
    if runs > MOST_RUNS:
        raise error(f"these are {runs:,} runs, and at most {MOST_RUNS:,} can be asked for")
    return (tuple(zip(given, point, strict=True)) for point in product(*several))


__all__ = ["sweep_check", "sweep_states"]
