"""Input languages: one package each, chosen by the ending of the file or how it begins."""

from __future__ import annotations

import os

from plait.colour.forms import Form
from plait.hints import TYPE_CHECKING
from plait.lang.files import ensure_readable
from plait.model.types import Model

if TYPE_CHECKING:
    from pathlib import Path

LANGUAGES = {
    ".gal": "gal",
    ".pnml": "pnml",
    ".xml": "pnml",
    ".dve": "dve",
    ".mil": "milestones",
    **dict.fromkeys((".pml", ".prom", ".promela", ".pm"), "promela"),
}


def load(path: str | Path, form: Form = "auto") -> Model:
    """The model in a file; a located `InputError` when it is not one.

    `form` says what becomes of a coloured net (`plait.colour`).
    """
    ensure_readable(path)
    language = language_of(path)
    if language == "pnml":
        from plait.lang.pnml import load as load_pnml

        return load_pnml(path, form)
    from pathlib import Path  # most nets do without it

    path = Path(path)
    if language == "dve":
        from plait.lang.dve import load as load_dve

        return load_dve(path)
    if language == "milestones":
        from plait.lang.milestones import load as load_milestones

        return load_milestones(path)
    if language == "promela":
        from plait.lang.promela import load as load_promela

        return load_promela(path)
    from plait.lang.gal import load as load_gal

    return load_gal(path)


def language_of(path: str | Path) -> str:
    """The language of a file, by its ending or, where that says nothing, by how it begins."""
    known = LANGUAGES.get(os.path.splitext(path)[1].lower())
    if known is not None:
        return known
    with open(path, "rb") as file:
        return "pnml" if file.read(200).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else "gal"
