"""Tina's nets: the textual format (`.net`) read and written, the graphical one (`.ndr`) read.

(Berthomieu, Ribet, Vernadat: "The tool TINA", 2004; the formats are those of its manual pages.)
"""

from __future__ import annotations

from pathlib import Path

from plait.errors import Source, error
from plait.lang.files import read_text
from plait.lang.tina.ndr import read_ndr
from plait.lang.tina.net import read_net
from plait.lang.tina.writer import print_net
from plait.time.net import TimedNet


def load(path: str | Path) -> TimedNet:
    """The net in a file, graphical where its name says so."""
    path = Path(path)
    if path.suffix.lower() == ".tpn":
        raise error(
            f"{path} is a script that puts nets together, which is not read",
            hint="Tina writes the net that it makes: tina -NET, or put nets together in Python",
        )
    return parse(read_text(path), path.stem, path, graphical=path.suffix.lower() == ".ndr")


def parse(
    text: str, name: str = "net", path: Path | None = None, *, graphical: bool = False
) -> TimedNet:
    """The net that a text describes; a located `InputError` when it does not."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    source = Source(str(path) if path is not None else name, text, path)
    return (read_ndr if graphical else read_net)(source, text, name)


__all__ = ["load", "parse", "print_net"]
