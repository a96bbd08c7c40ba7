"""Input languages: one package each, chosen by the ending of the file or how it begins."""

from __future__ import annotations

from pathlib import Path

from plait.lang.files import ensure_readable
from plait.model.types import Model

LANGUAGES = {".gal": "gal", ".pnml": "pnml", ".xml": "pnml"}


def load(path: str | Path) -> Model:
    """The model in a file; a located `InputError` when it is not one."""
    path = Path(path)
    ensure_readable(path)
    language = LANGUAGES.get(path.suffix.lower()) or _sniff(path)
    if language == "pnml":
        from plait.lang.pnml import load as load_pnml

        return load_pnml(path)
    from plait.lang.gal import load as load_gal

    return load_gal(path)


def _sniff(path: Path) -> str:
    with path.open("rb") as file:
        return "pnml" if file.read(200).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else "gal"
