"""Input languages: one package each, chosen by the ending of the file or by its first characters."""

from __future__ import annotations

import stat
from pathlib import Path

from plait.errors import error
from plait.model.types import Model

LANGUAGES = {".gal": "gal", ".pnml": "pnml", ".xml": "pnml"}
SIZE_LIMIT = 2 * 1024**3
"""The largest file that is read, in bytes."""


def load(path: str | Path) -> Model:
    """The model in a file; a located `InputError` when it is not one."""
    path = Path(path)
    _readable(path)
    language = LANGUAGES.get(path.suffix.lower()) or _sniff(path)
    if language == "pnml":
        from plait.lang.pnml import load as load_pnml

        return load_pnml(path)
    from plait.lang.gal import load as load_gal

    return load_gal(path)


def _readable(path: Path) -> None:
    """Refuse what is not an ordinary file of a sensible size before anything blocks on it."""
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            kind = "a folder" if stat.S_ISDIR(facts.st_mode) else "not an ordinary file"
            raise error(f"cannot read {path}: it is {kind}")
        if facts.st_size > SIZE_LIMIT:
            raise error(f"cannot read {path}: it is larger than {SIZE_LIMIT // 1024**3} GiB")
        with path.open("rb"):
            pass
    except (OSError, ValueError) as failure:
        reason = getattr(failure, "strerror", None) or str(failure)
        raise error(f"cannot read {path}: {reason}") from None


def _sniff(path: Path) -> str:
    with path.open("rb") as file:
        return "pnml" if file.read(200).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else "gal"
