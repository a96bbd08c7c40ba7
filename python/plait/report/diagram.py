"""A trace as a sequence diagram: a lifeline a process, steps as boxes, messages as arrows.

It is what message sequence charts are (ITU Z.120), with one row for each step, so that two boxes
are never beside each other unless they happen together, and no label meets a box.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from plait.report.answer import Answer, Witness
from plait.report.lanes import Lanes, Message, Row, lanes_of
from plait.report.layered import number
from plait.report.svg import LINE, arrow, clean, document, measure, shorten, words
from plait.report.text import verdict_text

WIDEST, MOST = 40, 3
"""The letters in a line of a box, and its lines."""
NAME, TEXT = 24, 30
"""The letters of the name of a lane, and beside an arrow."""
GAP = 34.0
"""Between the boxes of two lanes."""
SPACE = 12.0
"""Between two rows."""
MARGIN = 16.0
LOOP = "\N{CLOCKWISE OPEN CIRCLE ARROW}"
STUB = 34.0
"""The length of an arrow to nobody."""


class Diagram:
    """The sequence diagram of a trace; a notebook shows it."""

    def __init__(self, witness: Witness, title: str = "") -> None:
        self.witness = witness
        self.title = title

    @cached_property
    def lanes(self) -> Lanes:
        """Who does what, and who sends it to whom."""
        return lanes_of(self.witness)

    def svg(self) -> str:
        """The diagram as a drawing that stands by itself."""
        return _Drawing(self.lanes, self.title).svg()

    def text(self) -> str:
        """The diagram as text: a column a process."""
        return "\n".join(_text(self.lanes))

    def _repr_html_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        steps, lanes = len(self.lanes.rows), len(self.lanes.names)
        return f"<Diagram {steps} step{'s'[: steps != 1]}, {lanes} lane{'s'[: lanes != 1]}>"


def diagrams(answers: Sequence[Answer]) -> list[Diagram]:
    """A diagram for each trace that an answer shows; of a tree, for the path that begins it."""
    found = []
    for a in answers:
        if a.witness is not None:
            branches = "; the branches of its tree are left out" if a.witness.branches else ""
            title = f"{a.property.name}: {verdict_text(a)}{branches}"
            found.append(a.witness.diagram(title))
    return found


def _shown(cell: Sequence[str]) -> tuple[str, ...]:
    """The lines of a box: what happens, and what that changes."""
    lines = [shorten(text, WIDEST) for text in cell[:MOST]]
    if len(cell) > MOST:
        lines[-1] = f"and {len(cell) - MOST + 1} more changes"
    return tuple(lines)


class _Drawing:
    def __init__(self, lanes: Lanes, title: str) -> None:
        self.lanes = lanes
        self.title = title
        self.cells = [
            {lane: _shown(cell) for lane, cell in row.cells.items()} for row in lanes.rows
        ]
        self.heads = [shorten(name, NAME) for name in lanes.names]
        self.widths = [self._width(lane) for lane in range(len(lanes.names))]
        self.places = ["" if r.line is None else f"line {r.line}" for r in lanes.rows]
        self.aside = MARGIN + measure([str(len(lanes.rows))])[0] + 10
        self.left = self.aside + measure(self.places)[0] + 14
        self.xs = self._places()
        self.tops: list[float] = []
        self.heights: list[float] = []
        self.first = MARGIN + (LINE + 10 if title else 0) + 24 + SPACE
        y = self.first
        for i, row in enumerate(self.cells):
            y += LINE + 4 if lanes.loop == i else 0
            self.tops.append(y)
            self.heights.append(max((measure(c)[1] + 8 for c in row.values()), default=22.0))
            y += self.heights[-1] + SPACE
        self.end = y

    def _width(self, lane: int) -> float:
        boxes = [measure(row[lane])[0] for row in self.cells if lane in row]
        return max([*boxes, measure([self.heads[lane]])[0]], default=0.0) + 14

    def _places(self) -> list[float]:
        """The middle of each lane: boxes have room, and so has what is written between them."""
        gaps = [GAP] * len(self.widths)
        for m in sorted(self.lanes.messages, key=_span):
            if m.target is None:
                gaps[m.source] = max(gaps[m.source], STUB + 14 + self._label(m))
                continue
            low, high = sorted((m.source, m.target))
            room = sum(gaps[low:high]) + sum(self.widths[low + 1 : high])
            at = low if m.source == low else high - 1
            gaps[at] += max(0.0, self._label(m) + 30 - room)
        xs, x = [], self.left
        for width, gap in zip(self.widths, gaps, strict=True):
            xs.append(x + width / 2)
            x += width + gap
        self.right = x - (gaps[-1] if gaps else 0.0)
        if any(m.target is None and m.source == len(xs) - 1 for m in self.lanes.messages):
            self.right = x
        return xs

    @staticmethod
    def _label(m: Message) -> float:
        return measure([shorten(m.text, TEXT)])[0]

    def svg(self) -> str:
        """The whole of it."""
        body: list[str] = []
        if self.title:
            body += words(MARGIN, MARGIN, [self.title], "ink strong")
        for x, width, head in zip(self.xs, self.widths, self.heads, strict=True):
            top = self.first - SPACE
            body.append(f'<path class="rule" d="M{number(x)} {number(top)}V{number(self.end)}"/>')
            body.append(_box(x, top - 24, width, 22, "box c0"))
            body += words(x, top - 20, [head], "ink strong", "middle")
        for message in self.lanes.messages:
            body += self._message(message)
        for i, row in enumerate(self.lanes.rows):
            body += self._row(i, row)
        body += self._loop()
        last = self.end + (LINE + 6 if self.lanes.loop is not None else 0)
        wide = measure([self.title, *self._closing()])[0] + MARGIN
        return document(max(self.right, wide) + MARGIN, last + 4, self.title or "trace", body)

    def _row(self, i: int, row: Row) -> Iterator[str]:
        top, height = self.tops[i], self.heights[i]
        yield f"<g><title>{clean(row.details)}</title>"
        base = top + height / 2 - LINE / 2
        yield from words(self.aside - 10, base, [str(row.number)], "faint", "end")
        yield from words(self.aside, base, [self.places[i]], "faint")
        for lane, lines in self.cells[i].items():
            tall = measure(lines)[1] + 8
            upper = top + (height - tall) / 2
            width = max(measure([line])[0] for line in lines) + 14
            yield _box(self.xs[lane], upper, width, tall, "box")
            yield from words(self.xs[lane], upper + 4, lines[:1], "ink", "middle")
            yield from words(self.xs[lane], upper + 4 + LINE, lines[1:], "faint", "middle")
        yield "</g>"

    def _edge(self, row: int, lane: int, side: float) -> float:
        """Where an arrow meets the box of a lane in a row: on its left (-1) or right (1)."""
        lines = self.cells[row].get(lane, ())
        return self.xs[lane] + side * (measure(lines)[0] + 14) / 2

    def _middle(self, row: int) -> float:
        return self.tops[row] + self.heights[row] / 2

    def _message(self, m: Message) -> Iterator[str]:
        y, label = self._middle(m.row), [shorten(m.text, TEXT)]
        if m.target is None or m.arrives is None:
            x = self._edge(m.row, m.source, 1.0)
            end = x + STUB
            yield f'<path class="line dashed" d="M{number(x)} {number(y)}H{number(end - 7)}"/>'
            yield f'<circle class="box" cx="{number(end - 3.5)}" cy="{number(y)}" r="3.5"/>'
            yield from words(end + 4, y - LINE / 2, label, "faint")
            return
        side = 1.0 if self.xs[m.target] > self.xs[m.source] else -1.0
        x, end = self._edge(m.row, m.source, side), self._edge(m.arrives, m.target, -side)
        low = self._middle(m.arrives)
        dashed = " dashed" if m.kind == "joint" else ""
        if m.kind == "queued":
            # Beside the boxes of its two lanes, whatever they do on the way.
            out = self.xs[m.source] + side * (self.widths[m.source] / 2 + 3)
            into = self.xs[m.target] - side * (self.widths[m.target] / 2 + 12)
            path = f"M{number(x)} {number(y)}H{number(out)}L{number(into)} {number(low)}"
            yield f'<path class="line" d="{path}H{number(end)}"/>'
            yield arrow(end, low, side, 0.0)
            start = "start" if side > 0 else "end"
            yield from words(out + side * 6, y - LINE, label, "faint", start)
            return
        path = f"M{number(x)} {number(y)}H{number(end)}"
        yield f'<path class="line{dashed}" d="{path}"/>'
        if m.kind == "met":
            yield arrow(end, low, side, 0.0)
        if m.text:
            yield from words((x + end) / 2, y - LINE - 1, label, "faint", "middle")

    def _closing(self) -> list[str]:
        return [] if self.lanes.loop is None else [f"{LOOP} {_closing(self.lanes)}"]

    def _loop(self) -> Iterator[str]:
        """Where a lasso comes back to, and that it does."""
        loop = self.lanes.loop
        if loop is not None and loop < len(self.tops):
            yield from self._rule(self.tops[loop] - LINE - 6, f"{LOOP} state {loop}")
        for text in self._closing():
            yield from self._rule(self.end - 6, text)

    def _rule(self, y: float, text: str) -> Iterator[str]:
        across = f"M{number(MARGIN)} {number(y)}H{number(self.right)}"
        yield f'<path class="hot dashed" d="{across}"/>'
        yield from words(MARGIN, y + 2, [text], "hottext")


def _closing(lanes: Lanes) -> str:
    if lanes.loop == len(lanes.rows):
        return "no event can follow: this state repeats for ever"
    return f"the same state as {lanes.loop}: this repeats for ever"


def _span(m: Message) -> int:
    return 0 if m.target is None else abs(m.target - m.source)


def _box(x: float, top: float, width: float, height: float, kind: str) -> str:
    return (
        f'<rect class="{kind}" x="{number(x - width / 2)}" y="{number(top)}" '
        f'width="{number(width)}" height="{number(height)}" rx="3"/>'
    )


# --- as text --------------------------------------------------------------------------------------


def _text(lanes: Lanes) -> Iterator[str]:
    """A line for each step, a column for each lane; arrows say what is sent and received."""
    cells = [_marked(lanes, i, row) for i, row in enumerate(lanes.rows)]
    widths = [
        max([len(shorten(name, NAME)), *(len(row[lane]) for row in cells if lane in row)])
        for lane, name in enumerate(lanes.names)
    ]
    numbers = len(str(len(lanes.rows)))
    places = [
        f"{r.number:>{numbers}}  " + ("" if r.line is None else f"line {r.line}")
        for r in lanes.rows
    ]
    margin = max(map(len, places), default=0)
    heads = (f"{shorten(n, NAME):<{w}}" for n, w in zip(lanes.names, widths, strict=True))
    yield f"  {'':<{margin}}  {'  '.join(heads)}".rstrip()
    for i, row in enumerate(cells):
        mark = LOOP if lanes.loop == i else " "
        columns = (f"{row.get(lane, '·'):<{w}}" for lane, w in enumerate(widths))
        yield f"{mark} {places[i]:<{margin}}  {'  '.join(columns)}".rstrip()
    if lanes.loop is not None:
        yield f"{LOOP} {_closing(lanes)}"


def _marked(lanes: Lanes, number: int, row: Row) -> dict[int, str]:
    texts = {lane: shorten(cell[0], WIDEST) for lane, cell in row.cells.items()}
    for m in lanes.messages:
        if m.kind == "met" and m.row == number and m.target is not None:
            texts[m.source] += f" → {lanes.names[m.target]}"
            texts[m.target] = f"{texts[m.target]} ← {lanes.names[m.source]}"
        elif m.kind == "queued" and m.row == number:
            texts[m.source] += f"  ! {shorten(m.text, TEXT)}"
        elif m.kind == "queued" and m.arrives == number and m.target is not None:
            texts[m.target] += f"  ? {shorten(m.text, TEXT)}"
    return texts


__all__ = ["Diagram", "diagrams"]
