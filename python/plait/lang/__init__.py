"""Input languages: one package each, chosen by the ending of the file or how it begins."""

from __future__ import annotations

import os

from plait.colour.forms import Form
from plait.errors import Diagnostic, InputError, error
from plait.hints import TYPE_CHECKING
from plait.lang.files import ensure_readable
from plait.model.types import Model

if TYPE_CHECKING:
    from pathlib import Path

    from plait.time.net import TimedNet
    from plait.time.timing import Timing

LANGUAGES = {
    ".gal": "gal",
    ".pnml": "pnml",
    ".xml": "pnml",
    ".dve": "dve",
    ".mil": "milestones",
    ".etf": "etf",
    ".sm": "smart",
    ".cami": "cami",
    ".smv": "smv",
    **dict.fromkeys((".pml", ".prom", ".promela", ".pm"), "promela"),
    **dict.fromkeys((".net", ".ndr", ".tpn"), "tina"),
    **dict.fromkeys((".xta", ".ta"), "xta"),
}
TIMED = ("tina", "romeo")
"""Languages of time Petri nets."""
NETS = ("pnml", "prod", "cami")
"""Languages of nets without time."""
_ITSXML = (b"<types", b"<instance", b"<delegator", b"<synchronization")
"""Elements near the beginning of main files of ITS-tools, and of the parts that they name."""
_PROD = (b"#place", b"#trans", b"#queue")
"""How nets of PROD begin, whose files end as those of Tina do; there they would be comments."""


def load(path: str | Path, form: Form = "auto", timing: Timing | None = None) -> Model:
    """The model in a file; a located `InputError` when it is not one.

    `form` says what becomes of a coloured net (`plait.colour`), `timing` how time passes in a time
    Petri net (`plait.time`).
    """
    ensure_readable(path)
    language = language_of(path)
    if language == "pnml":
        from plait.lang.pnml import load as load_pnml

        return load_pnml(path, form)
    if language in TIMED:
        from plait.time.encoding import as_model

        return as_model(load_timed(path), timing)
    if language == "gal":
        from plait.lang.gal import load as load_gal

        try:
            return load_gal(path)
        except InputError as failure:
            raise _with_language(failure, path) from None
    from pathlib import Path  # most models do without it

    path = Path(path)
    if language == "dve":
        from plait.lang.dve import load as load_dve

        return load_dve(path)
    if language == "itsxml":
        from plait.lang.itsxml import load as load_itsxml

        return load_itsxml(path, timing)
    if language == "smart":
        raise error(f"{path} is a program in SMART's language", hint="plait smart runs it")
    if language == "etf":
        from plait.lang.etf import load as load_etf

        return load_etf(path)
    if language == "prod":
        from plait.lang.prod import load as load_prod

        return load_prod(path)
    if language == "cami":
        from plait.lang.cami import load as load_cami

        return load_cami(path)
    if language == "milestones":
        from plait.lang.milestones import load as load_milestones

        return load_milestones(path)
    if language == "smv":
        from plait.lang.smv import load as load_smv

        return load_smv(path)
    if language == "xta":
        from plait.lang.xta import load as load_xta

        return load_xta(path)
    from plait.lang.promela import load as load_promela

    return load_promela(path)


def _with_language(failure: InputError, path: str | Path) -> InputError:
    """The error with a word on why the file was read as GAL, where its name does not say so."""
    if os.path.splitext(path)[1].lower() in LANGUAGES:
        return failure
    message = f"{path} was read as GAL, since its name ends as those of no language do"
    return InputError(
        *failure.diagnostics,
        Diagnostic(message, hint=f"known are {', '.join(sorted(LANGUAGES))}", severity="warning"),
    )


def load_timed(path: str | Path) -> TimedNet:
    """The time Petri net in a file."""
    ensure_readable(path)
    if language_of(path) == "romeo":
        from plait.lang.romeo import load as load_romeo

        return load_romeo(path)
    from plait.lang.tina import load as load_tina

    return load_tina(path)


def language_of(path: str | Path) -> str:
    """The language of a file, by its ending or, where that says too little, by how it begins."""
    ending = os.path.splitext(path)[1].lower()
    known = LANGUAGES.get(ending)
    if (known is not None and ending not in (".xml", ".net")) or not os.path.isfile(path):
        return known or "gal"
    with open(path, "rb") as file:
        start = file.read(1000).lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith((b"//", b"/*", *_PROD)) and any(word in start for word in _PROD):
        return "prod"
    if start.startswith((b"DB()", b"DE()")):
        return "cami"
    if b"<nta" in start or b"<!DOCTYPE nta" in start:
        return "xta"
    if b"<TPN" in start:
        return "romeo"
    if b"<model" in start and any(word in start for word in _ITSXML):
        return "itsxml"
    return known or ("pnml" if start.startswith(b"<") else "gal")
