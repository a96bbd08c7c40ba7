"""Tina's nets: the textual format (`.net`) read and written, the graphical one (`.ndr`) and scripts
(`.tpn`) read.

(Berthomieu, Ribet, Vernadat: "The tool TINA", 2004; the formats are those of its manual pages.)
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from plait.errors import Source
from plait.lang.files import read_text
from plait.lang.tina.ndr import read_ndr
from plait.lang.tina.net import read_net
from plait.lang.tina.script import read_script
from plait.lang.tina.writer import print_net
from plait.time.gather import Gather
from plait.time.net import TimedNet

Format = Literal["net", "graphical", "script"]
FORMATS: dict[str, Format] = {".ndr": "graphical", ".tpn": "script"}


def load(path: str | Path) -> TimedNet:
    """The net in a file, in the format that its ending tells."""
    path = Path(path)
    return parse(read_text(path), path.stem, path)


def parse(
    text: str, name: str = "net", path: Path | None = None, form: Format | None = None
) -> TimedNet:
    """The net that a text describes, in the format that the ending of its file tells if none is
    given; a located `InputError` when it does not."""
    if form is None:
        form = FORMATS.get(path.suffix.lower(), "net") if path is not None else "net"
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    source = Source(str(path) if path is not None else name, text, path)
    if form == "script":
        return read_script(source, text, name)
    net = Gather(name)
    (read_ndr if form == "graphical" else read_net)(source, text, net)
    return net.net()


__all__ = ["load", "parse", "print_net"]
