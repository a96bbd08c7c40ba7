"""Small pieces of SVG: escaped text, how wide it is, and one style for all drawings.

A drawing stands by itself: no script, no font, no image from elsewhere. Texts are set in a fixed
pitch, so that what they take is known without asking who draws them. Colours are classes, for
light and for dark surroundings; the paper is drawn, too, so that a drawing can be read where
nobody knows of either.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from html import escape

from plait.report.layered import number

SIZE = 11
"""Of letters, in pixels."""
ADVANCE = 0.602
"""The width of a letter by its size, as most fonts of fixed pitch have it."""
LINE = 14.0
"""From a line of text to the next."""
FONT = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace"
LIGHT = {
    "paper": "fill:#fff",
    "box": "fill:#f6f7f9;stroke:#5b6472",
    "ink": "fill:#1d232c",
    "faint": "fill:#66707f",
    "line": "stroke:#5b6472",
    "rule": "stroke:#b9c0cb",
    "head": "fill:#5b6472",
    "bad": "fill:#fde4e1;stroke:#b3261e",
    "warn": "fill:#a3241b",
    "hot": "stroke:#c8501e",
    "hothead": "fill:#c8501e",
    "hottext": "fill:#a63f12",
    "c0": "fill:#dcebfb",
    "c1": "fill:#e2f3dc",
    "c2": "fill:#fbeecb",
    "c3": "fill:#ece2f8",
    "c4": "fill:#d9f2ef",
    "c5": "fill:#fae3ee",
}
DARK = {
    "paper": "fill:#14181e",
    "box": "fill:#1f252e;stroke:#8d97a6",
    "ink": "fill:#e6e9ee",
    "faint": "fill:#9aa4b2",
    "line": "stroke:#8d97a6",
    "rule": "stroke:#434c59",
    "head": "fill:#8d97a6",
    "bad": "fill:#4a1f1c;stroke:#ff8a80",
    "warn": "fill:#ff8a80",
    "hot": "stroke:#ff9d66",
    "hothead": "fill:#ff9d66",
    "hottext": "fill:#ffb38a",
    "c0": "fill:#1d3650",
    "c1": "fill:#23401c",
    "c2": "fill:#4a3c12",
    "c3": "fill:#38284f",
    "c4": "fill:#17423d",
    "c5": "fill:#4a2438",
}
COLOURS = 6
"""How many classes there are for what belongs together."""


def document(width: float, height: float, title: str, body: Iterable[str]) -> str:
    """A whole drawing."""
    w, h = number(width), number(height)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plait" width="{w}" height="{h}" '
        f'viewBox="0 0 {w} {h}" role="img">'
    )
    paper = f'<rect class="paper" width="{w}" height="{h}"/>'
    lines = [head, f"<title>{clean(title)}</title>", style(), paper, *body, "</svg>"]
    return "\n".join(lines) + "\n"


def style() -> str:
    """The classes, which hold inside drawings of ours only."""
    rules = [
        f".plait text{{font:{SIZE}px {FONT};white-space:pre}}",
        ".plait .strong{font-weight:bold}",
        ".plait .line,.plait .hot,.plait .rule{fill:none;stroke-width:1.1}",
        ".plait .hot{stroke-width:2.2}",
        ".plait .box{stroke-width:1.1}",
        ".plait .open{stroke-dasharray:4 3}",
        ".plait .dashed{stroke-dasharray:5 4}",
    ]
    rules += _rules(LIGHT)
    rules.append(f"@media (prefers-color-scheme:dark){{{''.join(_rules(DARK))}}}")
    return f"<style>{''.join(rules)}</style>"


def _rules(colours: dict[str, str]) -> list[str]:
    return [f".plait .{name}{{{rule}}}" for name, rule in colours.items()]


def clean(text: str) -> str:
    """The text for XML, where some characters must not be, however they are written."""
    return escape("".join(c if _is_allowed(c) else "\N{REPLACEMENT CHARACTER}" for c in text))


def _is_allowed(letter: str) -> bool:
    code = ord(letter)
    return letter in "\t\n" or (code >= 0x20 and not 0x7F <= code < 0xA0 and not _is_odd(code))


def _is_odd(code: int) -> bool:
    """Half of a pair, or no character at all."""
    return 0xD800 <= code < 0xE000 or code & 0xFFFE == 0xFFFE


def columns(text: str) -> int:
    """How many letters wide a text is set."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def measure(lines: Sequence[str]) -> tuple[float, float]:
    """The width and the height of some lines of text."""
    return max(map(columns, lines), default=0) * SIZE * ADVANCE, len(lines) * LINE


def shorten(text: str, limit: int) -> str:
    """The text in one line, cut to so many letters."""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def fold(words: Sequence[str], width: int, most: int) -> list[str]:
    """Words in lines of about that width, at most so many; dots stand for what is left out."""
    lines: list[str] = []
    for word in words:
        word = shorten(word, width)
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        elif len(lines) < most:
            lines.append(word)
        else:
            last = lines[-1]
            lines[-1] = (last if len(last) <= width - 2 else last[: width - 2]) + " …"
            break
    return lines


def words(
    x: float, y: float, lines: Sequence[str], kind: str = "ink", anchor: str = "start"
) -> Iterable[str]:
    """Lines of text from the upper edge `y` on."""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    for i, line in enumerate(lines):
        base = number(y + i * LINE + LINE - 3.5)
        yield f'<text class="{kind}" x="{number(x)}" y="{base}"{place}>{clean(line)}</text>'


def arrow(x: float, y: float, dx: float, dy: float, kind: str = "head") -> str:
    """An arrow head that ends there, in this direction, which is of length 1."""
    long, wide = 7.0, 3.2
    back_x, back_y = x - long * dx, y - long * dy
    corners = (
        (x, y),
        (back_x - wide * dy, back_y + wide * dx),
        (back_x + wide * dy, back_y - wide * dx),
    )
    points = " ".join(f"{number(a)},{number(b)}" for a, b in corners)
    return f'<polygon class="{kind}" points="{points}"/>'


__all__ = [
    "COLOURS",
    "LINE",
    "arrow",
    "clean",
    "columns",
    "document",
    "fold",
    "measure",
    "shorten",
    "words",
]
