"""The language in which a file is written: the one that is asked for, else that of its ending."""

from __future__ import annotations

from collections.abc import Collection

from plait.errors import error

ENDINGS = {
    "gal": "gal",
    "pnml": "pnml",
    "dve": "dve",
    "etf": "etf",
    "smv": "smv",
    "pml": "promela",
    "promela": "promela",
    "net": "tina",
    "dot": "dot",
    "svg": "svg",
}


def language_to_write(
    asked: str | None, file: str, known: Collection[str], usual: str | None = None
) -> str:
    """What to write to a file; the `usual` language where its name tells nothing."""
    told = asked or ENDINGS.get(file.rpartition(".")[2].lower(), usual)
    if told is not None and told in known:
        return told
    endings = ", ".join(f".{e}" for e, language in ENDINGS.items() if language in known)
    message = "--to is missing" if file == "-" else f"'{file}' does not say what to write"
    raise error(message, hint=f"say --to, or write to a file that ends with one of {endings}")


__all__ = ["language_to_write"]
