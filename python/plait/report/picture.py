"""A graph as a picture: boxes with text, arcs with labels, in layers from top to bottom.

State graphs, automata and nets say what their nodes and arcs look like; how they are placed is
`plait.report.layered`, how they are written `plait.report.svg`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plait.hints import Literal
from plait.records import dataclass
from plait.report.layered import Layout, Link, Point, Route, is_wider, layered, number
from plait.report.svg import COLOURS, LINE, arrow, clean, document, measure, words

MARGIN = 16.0
START = 20.0
"""The length of the arrow that points to where everything begins."""
Shape = Literal["box", "round", "circle"]
Head = Literal["arrow", "circle", "none", "double"]


@dataclass(frozen=True, slots=True)
class Node:
    """What stands at a node.

    `start` has an arrow from nowhere, `hot` a strong border; `bad` is a warning, `double` a second
    border, `open` a broken one. Nodes of the same `group` have the same colour.
    """

    lines: tuple[str, ...] = ()
    tooltip: str = ""
    shape: Shape = "box"
    below: tuple[str, ...] = ()
    """Text under the shape."""
    begins: str = ""
    """Text beside the arrow from nowhere."""
    start: bool = False
    hot: bool = False
    bad: bool = False
    double: bool = False
    open: bool = False
    group: int | None = None


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arc and what is written beside it."""

    source: int
    target: int
    lines: tuple[str, ...] = ()
    tooltip: str = ""
    hot: bool = False
    dashed: bool = False
    head: Head = "arrow"


@dataclass(frozen=True, slots=True)
class Picture:
    """Nodes, arrows, and what is said above them; `warnings` so that nobody misses it."""

    title: str
    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    layers: tuple[int, ...] | None = None
    roots: tuple[int, ...] | None = None
    """Where layers begin to count: where everything begins, unless it is said."""

    def svg(self) -> str:
        """The picture, as a document that stands by itself."""
        sizes = [_size(n) for n in self.nodes]
        faces = [_shape(n)[0] for n in self.nodes]
        links = [Link(a.source, a.target, *_label(a)) for a in self.arrows]
        roots = self.roots or [i for i, n in enumerate(self.nodes) if n.start]
        boxes = [(w, h) for w, h, _ in sizes]
        # Text below a shape, or above it, would be in the way of arcs from the side.
        upright = any(n.below or n.begins for n in self.nodes)
        across = not upright and is_wider(boxes, links, roots, self.layers)
        layout = layered(
            boxes, links, roots, self.layers, across=across, faces=None if across else faces
        )
        above = self._above()
        wide = max((measure([text])[0] for text, _ in above), default=0.0)
        room = START if any(n.start for n in self.nodes) else 0.0
        left = MARGIN + (room if across else 0.0)
        top = MARGIN + len(above) * LINE + (8 if above else 0) + (0.0 if across else room)
        width = max(layout.width + left, wide + MARGIN) + MARGIN
        body = [line for i, (text, kind) in enumerate(above) for line in _said(i, text, kind)]
        body.append(f'<g transform="translate({number(left)} {number(top)})">')
        body += _draw(self, layout, sizes, across)
        body.append("</g>")
        return document(width, layout.height + top + MARGIN, self.title, body)

    def _repr_html_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<Picture {self.title}>"

    def _above(self) -> list[tuple[str, str]]:
        said = [(self.title, "ink strong")] if self.title else []
        said += [(text, "faint") for text in self.notes]
        return said + [(text, "warn strong") for text in self.warnings]


Size = tuple[float, float, float]
"""Width and height of a node, and how much of the height its shape takes."""


def _said(row: int, text: str, kind: str) -> Iterator[str]:
    yield from words(MARGIN, MARGIN + row * LINE, [text], kind)


def _shape(node: Node) -> tuple[float, float]:
    """The width and the height of the shape of a node."""
    width, height = measure(node.lines)
    if node.shape == "circle":
        width = height = max(22.0, width + 12, height + 8)
    else:
        width, height = max(26.0, width + 14), max(20.0, height + 8)
    return (width + 6, height + 6) if node.double else (width, height)


def _size(node: Node) -> Size:
    """What a node needs, and how much of the height its shape takes."""
    width, height = _shape(node)
    wide, high = measure(node.below)
    aside = 2 * (measure([node.begins])[0] + 8) if node.begins else 0.0
    return max(width, wide, aside), height + high, height


def _label(a: Arrow) -> tuple[float, float]:
    return measure(a.lines)


def _draw(picture: Picture, layout: Layout, sizes: Sequence[Size], across: bool) -> Iterator[str]:
    # What is marked comes last, over the rest.
    drawn = sorted(zip(picture.arrows, layout.routes, strict=True), key=lambda a: a[0].hot)
    for a, route in drawn:
        yield from _arrow(a, route)
    for node, centre, size in zip(picture.nodes, layout.nodes, sizes, strict=True):
        yield from _node(node, centre, size, across)


def _arrow(a: Arrow, route: Route) -> Iterator[str]:
    kind = "hot" if a.hot else "line"
    yield "<g>"
    if a.tooltip:
        yield f"<title>{clean(a.tooltip)}</title>"
    dashed = " dashed" if a.dashed else ""
    yield f'<path class="{kind}{dashed}" d="{route.path}"/>'
    yield from _head(a, route)
    if a.lines:
        yield from words(*route.label, a.lines, "hottext" if a.hot else "faint")
    yield "</g>"


def _head(a: Arrow, route: Route) -> Iterator[str]:
    (x, y), (dx, dy) = route.points[-1], route.heading
    kind = "hothead" if a.hot else "head"
    if a.head == "circle":
        place = f'cx="{number(x - 3.5 * dx)}" cy="{number(y - 3.5 * dy)}" r="3.5"'
        yield f'<circle class="box" {place}/>'
    elif a.head != "none":
        yield arrow(x, y, dx, dy, kind)
        if a.head == "double":
            yield arrow(x - 6 * dx, y - 6 * dy, dx, dy, kind)


def _node(node: Node, centre: Point, size: Size, across: bool) -> Iterator[str]:
    _, height, shape = size
    width = _shape(node)[0]
    x, y = centre[0], centre[1] - (height - shape) / 2
    yield "<g>"
    if node.tooltip:
        yield f"<title>{clean(node.tooltip)}</title>"
    colour = "" if node.group is None else f" c{node.group % COLOURS}"
    kind = f"box{colour}{' bad' if node.bad else ''}{' open' if node.open else ''}"
    yield _outline(node.shape, (x, y), width, shape, kind)
    if node.double:
        yield _outline(node.shape, (x, y), width - 6, shape - 6, "line")
    if node.hot:
        yield _outline(node.shape, (x, y), width, shape, "hot")
    if node.start:
        dx, dy = (1.0, 0.0) if across else (0.0, 1.0)
        end_x, end_y = x - dx * width / 2, y - dy * shape / 2
        far_x, far_y = number(end_x - START * dx), number(end_y - START * dy)
        yield f'<path class="line" d="M{far_x} {far_y}L{number(end_x)} {number(end_y)}"/>'
        yield f'<circle class="head" cx="{far_x}" cy="{far_y}" r="2.6"/>'
        yield arrow(end_x, end_y, dx, dy)
        if node.begins:
            yield from words(x + 7, end_y - START - 3, [node.begins], "ink strong")
    yield from words(x, y - len(node.lines) * LINE / 2, node.lines, "ink", "middle")
    if node.below:
        yield from words(x, y + shape / 2, node.below, "faint", "middle")
    yield "</g>"


def _outline(shape: Shape, centre: Point, width: float, height: float, kind: str) -> str:
    x, y = centre
    if shape == "circle":
        return (
            f'<circle class="{kind}" cx="{number(x)}" cy="{number(y)}" r="{number(height / 2)}"/>'
        )
    radius = number(min(8.0, height / 2)) if shape == "round" else "1.5"
    return (
        f'<rect class="{kind}" x="{number(x - width / 2)}" y="{number(y - height / 2)}" '
        f'width="{number(width)}" height="{number(height)}" rx="{radius}"/>'
    )


__all__ = ["Arrow", "Node", "Picture"]
