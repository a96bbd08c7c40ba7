"""Input languages: one package each, chosen by the ending of the file or how it begins."""

from __future__ import annotations

import os

from plait.colour.forms import Form
from plait.errors import Diagnostic, InputError, Source, error
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
    ".tapn": "pnml",
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
TEXTS = (
    *("gal", "pnml", "promela", "dve", "milestones", "smv", "xta", "etf", "prod", "cami"),
    *TIMED,
)
"""Languages that can be read from a text alone."""
_SHARED = (".xml", ".net")
"""Endings that several languages have."""
_XML = ("pnml", "romeo", "itsxml")
"""Languages that are written in XML, always."""
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
    try:
        return _read(path, language, form, timing)
    except InputError as failure:
        raise _with_language(failure, path, language, _beginning(path)) from None


def parse(text: str, name: str, language: str, path: Path | None = None) -> Model:
    """The model in a text of one of the languages in `TEXTS`.

    `path` is the file that the text is of, though it need not be what is there now: other files
    are found from there.
    """
    if language not in TEXTS:
        raise error(f"no language named '{language}'", hint=f"there are: {', '.join(TEXTS)}")
    try:
        return _parsed(text, name, language, path)
    except InputError as failure:
        if path is None:
            raise
        raise _with_language(failure, path, language, _start(text)) from None


def _parsed(text: str, name: str, language: str, path: Path | None) -> Model:
    """The model in a text of a language."""
    if language in TIMED:
        from plait.time.encoding import as_model

        return as_model(parse_timed(text, name, language, path))
    from importlib import import_module

    module = import_module(f"plait.lang.{language}")
    model: Model
    if language == "pnml":
        model = module.parse(_bytes(text), name if path is None else str(path))
    elif path is None:
        model = module.parse(text, name)
    elif language in ("etf", "prod", "cami"):
        model = module.parse(text, name, Source(str(path), text, path))
    else:
        model = module.parse(text, name, path)
    return model


def parse_timed(text: str, name: str, language: str, path: Path | None = None) -> TimedNet:
    """The time Petri net in a text of one of the languages in `TIMED`."""
    if language == "romeo":
        from plait.lang.romeo import parse as parse_romeo

        return parse_romeo(_bytes(text), name, path)
    from plait.lang.tina import parse as parse_tina

    return parse_tina(text, name, path)


def _bytes(text: str) -> bytes:
    """The text as a document has it; what is half a character is refused by who reads that."""
    return text.encode(errors="surrogatepass")


def _read(path: str | Path, language: str, form: Form, timing: Timing | None) -> Model:
    """The model in a file of a language."""
    if language == "pnml":
        from plait.lang.pnml import load as load_pnml

        return load_pnml(path, form)
    if language == "gal":
        from plait.lang.gal import load as load_gal

        return load_gal(path)
    if language in TIMED:
        from plait.time.encoding import as_model

        return as_model(load_timed(path), timing)
    if language == "smart":
        raise error(f"{path} is a program in SMART's language", hint="plait smart runs it")
    from importlib import import_module
    from pathlib import Path  # most models do without it

    if language == "itsxml":
        from plait.lang.itsxml import load as load_itsxml

        return load_itsxml(Path(path), timing)
    model: Model = import_module(f"plait.lang.{language}").load(Path(path))
    return model


def _with_language(
    failure: InputError, path: str | Path, language: str, start: bytes
) -> InputError:
    """The error with a word on why the file was read as it was, where another may be meant."""
    ending = os.path.splitext(path)[1].lower()
    known = f"known are {', '.join(sorted(LANGUAGES))}"
    if ending not in LANGUAGES and language == "gal":
        message = f"{path} was read as GAL, since its name ends as those of no language do"
        hint = known
    elif start.startswith(b"<") and language not in _XML and ending != ".xml":
        message = f"{path} looks like XML, but its name ends in {ending}"
        hint = "the name of a net in PNML ends in .pnml"
    elif start and b"<" not in start and language in _XML:
        message = f"{path} does not look like XML, but its name ends in {ending}"
        hint = known
    else:
        return failure
    return InputError(*failure.diagnostics, Diagnostic(message, hint=hint, severity="warning"))


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
    if (known is not None and ending not in _SHARED) or not os.path.isfile(path):
        return known or "gal"
    return _language(known, _beginning(path))


def language_of_text(path: str | Path, text: str) -> str | None:
    """The language of a text in a file, or to be in it; None where neither of them tells."""
    ending = os.path.splitext(path)[1].lower()
    known = LANGUAGES.get(ending)
    if known is not None and ending not in _SHARED:
        return known
    start = _start(text)
    return None if known is None and not start.startswith(b"<") else _language(known, start)


def _language(known: str | None, start: bytes) -> str:
    """What the beginning of a file tells; `known` is what its ending does."""
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


def _beginning(path: str | Path) -> bytes:
    """What a file begins with, but for spaces."""
    with open(path, "rb") as file:
        return file.read(1000).lstrip(b"\xef\xbb\xbf \t\r\n")


def _start(text: str) -> bytes:
    """What a text begins with, but for spaces."""
    return _bytes(text[:1000].lstrip("\ufeff \t\r\n"))
