"""Model files as test files: each property of a model is a test.

Nothing is collected unless somebody asks: `pytest --plait` takes the files whose endings are those
of models, and the setting `plait_files` names the files by patterns. A property that is violated
fails with its trace, one that is unknown fails with its reason, and a model that is wrong is an
error of the collection that shows the place.

Whoever has Plait installed loads this in every run of pytest, so it imports nothing but pytest
before there is a model to read.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from plait.api import System
    from plait.model.types import Property
    from plait.report.answer import Answer

ENDINGS = (
    *(".gal", ".pnml", ".tapn", ".pml", ".prom", ".promela", ".dve", ".mil", ".smv", ".etf"),
    *(".xta", ".ta", ".ndr", ".tpn"),
)
"""What `--plait` collects; endings that files of other kinds have, too, are for `plait_files`."""
TIMEOUT = 60.0
"""Seconds that a property has unless somebody says otherwise."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options and settings."""
    group = parser.getgroup("plait", "models checked by Plait")
    group.addoption(
        "--plait",
        action="store_true",
        help="collect the properties of models: files that end in " + ", ".join(ENDINGS),
    )
    group.addoption(
        "--plait-timeout",
        metavar="S",
        type=float,
        help=f"seconds for each property (default: the setting plait_timeout, else {TIMEOUT:.0f})",
    )
    parser.addini("plait_files", "patterns of model files to be collected", type="args", default=[])
    parser.addini("plait_timeout", "seconds for each property of a model", default=str(TIMEOUT))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ModelFile | None:
    """Take a file that was asked for."""
    config = parent.config
    asked = config.getoption("--plait") and file_path.suffix.lower() in ENDINGS
    if asked or any(_matches(file_path, p, config.rootpath) for p in config.getini("plait_files")):
        found: ModelFile = ModelFile.from_parent(parent, path=file_path)
        return found
    return None


def _matches(path: Path, pattern: str, root: Path) -> bool:
    """Whether a file has such a name, or below the root such a path where it has a slash."""
    if "/" not in pattern:
        return fnmatch(path.name, pattern)
    return path.is_relative_to(root) and fnmatch(path.relative_to(root).as_posix(), pattern)


class ModelFile(pytest.File):
    """A model, whose properties are its tests; without any it is one about deadlocks."""

    def collect(self) -> Iterator[PropertyItem]:
        """Read the model."""
        import plait
        from plait.model.types import Property

        try:
            system = plait.load(self.path)
        except plait.InputError as wrong:
            raise self.CollectError(wrong.render()) from None
        properties = [p for p in system.properties if p.kind != "atom" and not p.optional]
        for p in properties or [Property("deadlock", kind="deadlock")]:
            yield PropertyItem.from_parent(self, name=p.name, system=system, asked=p)


class PropertyItem(pytest.Item):
    """A property of a model."""

    def __init__(self, *, system: System, asked: Property, **facts: Any) -> None:
        super().__init__(**facts)
        self.system = system
        self.asked = asked

    def runtest(self) -> None:
        """Ask whether it holds; what is counted or found is kept with the result."""
        from plait.report.identity import identity
        from plait.report.text import verdict_text

        answer = self.system.check(self.asked, timeout=_timeout(self.config))
        if answer.reason == "interrupted":
            raise KeyboardInterrupt
        self.user_properties.extend(("note", note) for note in answer.notes)
        if self.asked.kind == "bounds":
            self.user_properties.append(("bounds", verdict_text(answer)))
        if answer.verdict == "false":
            self.user_properties.append(("counterexample", identity(answer)))
        if answer.verdict != "true":
            raise PropertyError(answer)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The trace alone: where in our program it was found is of no interest."""
        from plait.errors import InputError

        if isinstance(excinfo.value, PropertyError):
            return str(excinfo.value)
        if isinstance(excinfo.value, InputError):
            return excinfo.value.render()
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[PathLike[str] | str, int | None, str]:
        """Where the property stands."""
        span = self.asked.span
        own = span is not None and span.source.name == str(self.path)
        return self.path, span.line - 1 if own and span is not None else None, self.name


class PropertyError(AssertionError):
    """A property is violated, or unknown: the message is what is known of it."""

    def __init__(self, answer: Answer) -> None:
        from plait.errors import printable
        from plait.report.text import finding_lines, notes

        lines = [*finding_lines(answer), *notes([answer])]
        super().__init__("\n".join(map(printable, lines)))
        self.answer = answer


def _timeout(config: pytest.Config) -> float:
    given = config.getoption("--plait-timeout")
    try:
        seconds = float(config.getini("plait_timeout") if given is None else given)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise pytest.UsageError("plait_timeout is not a positive number of seconds")
    return seconds
