"""The folder of a checkpoint: the search, the command that began it, and a lock.

The native core writes `search` from time to time, whole or not at all. `command.json` says what to
do again on `plait resume`. One process at a time works in a folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from plait.engines.explicit.method import INTERVAL
from plait.errors import InputError, error
from plait.hints import TYPE_CHECKING
from plait.records import dataclass

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where a search is written to, how often, and whether it goes on from what is there."""

    folder: Path
    interval: float = INTERVAL
    resume: bool = False

    @property
    def search(self) -> Path:
        """The file with the search."""
        return self.folder / "search"

    @property
    def command(self) -> Path:
        """The file with the command."""
        return self.folder / "command.json"

    @property
    def resumes(self) -> bool:
        """Whether there is something to go on from; a run may have ended before its first one."""
        return self.resume and self.search.exists()

    @contextmanager
    def held(self, arguments: Sequence[str]) -> Iterator[None]:
        """The folder, made if need be, locked, and with this command in it."""
        import fcntl  # few runs are checkpointed

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as failure:
            raise _wrong(self.folder, failure.strerror or str(failure)) from None
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise _wrong(self.folder, "another run is using it") from None
            if not self.resume:
                self._begin(arguments)
            yield
        finally:
            os.close(lock)

    def _begin(self, arguments: Sequence[str]) -> None:
        if self.search.exists():
            raise error(
                f"{self.folder} holds a checkpoint already",
                hint=f"plait resume {self.folder} goes on with it; remove it to begin anew",
            )
        import json

        document = {"format": FORMAT, "folder": os.getcwd(), "arguments": list(arguments)}
        try:
            self.command.write_text(json.dumps(document), encoding="utf-8")
        except OSError as failure:
            raise _wrong(self.command, failure.strerror or str(failure)) from None

    def clear(self) -> None:
        """Remove what is no longer needed, since the search is at its end."""
        for file in (self.search, self.command):
            file.unlink(missing_ok=True)


def begun(folder: Path) -> tuple[list[str], Path]:
    """The command that a checkpoint belongs to, and where it was given."""
    import json
    from pathlib import Path

    file = Checkpoint(folder).command
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise _wrong(file, "there is no checkpoint here") from None
    except OSError as failure:
        raise _wrong(file, failure.strerror or str(failure)) from None
    except (ValueError, RecursionError):
        raise _wrong(file, "it is damaged or incomplete") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _wrong(file, f"it is not of format {FORMAT}")
    arguments, where = document.get("arguments"), document.get("folder")
    if not isinstance(arguments, list) or not isinstance(where, str):
        raise _wrong(file, "it is damaged or incomplete")
    return [str(a) for a in arguments], Path(where)


def unusable(checkpoint: Checkpoint, why: str) -> InputError:
    """A checkpoint that cannot be gone on from."""
    return _wrong(checkpoint.search, why)


def _wrong(file: Path, why: str) -> InputError:
    return error(f"{file}: {why}")
