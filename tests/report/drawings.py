"""What tests of drawings share: is it well-formed, does it stand by itself, what does it say."""

from __future__ import annotations

import re
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
ELSEWHERE = re.compile(r"""(?:href|src)\s*=|url\(|@import|<script|<foreignObject|<image|<iframe""")


def read_svg(text: str) -> ElementTree.Element:
    """The tree of a drawing that stands by itself."""
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert ELSEWHERE.search(text) is None
    assert set(re.findall(r"https?://[^\"'\s<]*", text)) <= {"http://www.w3.org/2000/svg"}
    return root


def texts(root: ElementTree.Element) -> list[str]:
    """What is written in a drawing."""
    return [e.text or "" for e in root.iter(f"{SVG}text")]


def classes(root: ElementTree.Element) -> list[str]:
    """The classes of its elements, each by itself."""
    return [c for e in root.iter() for c in (e.get("class") or "").split()]
