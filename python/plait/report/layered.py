"""Layered drawings of directed graphs: where nodes stand and how arcs run, as plain numbers.

The framework is that of Sugiyama, Tagawa and Toda (1981), in its four steps:

1. *Layers.* A node stands on the layer of its distance from the roots, so that a reader of a state
   graph counts steps from the top. An arc to a higher layer is drawn against the flow; no other
   cycle removal is needed.
2. *Properness.* Between any two layers of nodes there is one for labels. An arc becomes a chain of
   vertices, one on each layer that it passes, and the first of them after its source is as wide as
   its label. An arc between two nodes of a layer hangs below it, from a vertex of its own.
3. *Order.* Vertices of a layer are sorted by the medians and the barycentres of their neighbours,
   down and up in turn; the order with fewest crossings is kept, and neighbours that cross less the
   other way round are exchanged (`plait.report.crossings`).
4. *Coordinates* are those of Brandes and Köpf (`plait.report.coordinates`).

Invariants: boxes of nodes and labels do not overlap, and no arc runs through either, since within
the height of a layer arcs are vertical and have a place of their own. Equal input gives equal
output.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plait.records import dataclass, field
from plait.report.coordinates import coordinates
from plait.report.crossings import ordered

GAP, NARROW = 16.0, 8.0
"""Between neighbours of a layer; the second across the page, where texts are above each other."""
LEVEL = 13.0
"""Between a layer and the next, at least."""
SLOPE, STEEPEST = 0.05, 160.0
"""More than that where arcs go far to the side: so much of the way, at most."""
LOOP = 22.0
"""How far an arc from a node to itself leaves it."""
LEAST_LOOP = 16.0
"""The height of such an arc, at least."""
HOOK, HANGING = 7.0, 9.0
"""Half the width, and the height, of the end of an arc that hangs below a layer."""
PORTS = 15.0
"""Between the ends of arcs at one side of a node, at most."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Link:
    """An arc between two nodes, by their numbers, and the size of its label."""

    source: int
    target: int
    width: float = 0.0
    height: float = 0.0


@dataclass(frozen=True, slots=True)
class Route:
    """How an arc runs: a point, and three for each cubic curve that follows.

    The last curve arrives in the direction `heading`. `label` is the left upper corner of the
    label.
    """

    points: tuple[Point, ...]
    heading: Point
    label: Point

    @property
    def path(self) -> str:
        """The curve as the `d` of an SVG path."""
        (x, y), *rest = self.points
        texts = [f"{number(x)} {number(y)}" for x, y in rest]
        curves = (f"C{', '.join(texts[i : i + 3])}" for i in range(0, len(texts), 3))
        return f"M{number(x)} {number(y)}{''.join(curves)}"


@dataclass(frozen=True, slots=True)
class Layout:
    """The centres of the nodes, the routes of the links, and the size of it all, from (0, 0)."""

    nodes: tuple[Point, ...]
    routes: tuple[Route, ...]
    width: float
    height: float


def layered(
    boxes: Sequence[tuple[float, float]],
    links: Sequence[Link],
    roots: Iterable[int] = (0,),
    layers: Sequence[int] | None = None,
    *,
    across: bool = False,
    faces: Sequence[float] | None = None,
) -> Layout:
    """Draw a graph from the sizes of its nodes, width and height, and its links.

    `layers` says which layer each node is on, else it is the distance from the roots. They follow
    each other downward, or `across` the page from left to right. `faces` are how wide nodes are
    where arcs meet them, if that is less than what they need.
    """
    if not boxes:
        return Layout((), (), 0.0, 0.0)
    given = distances(len(boxes), links, roots) if layers is None else layers
    dense = {layer: i for i, layer in enumerate(sorted(set(given)))}
    rows = [dense[layer] for layer in given]
    if not across:
        return _Drawing(boxes, links, rows, faces=faces).layout()
    # The same drawing of boxes that lie on their sides, seen from there.
    turned = [Link(k.source, k.target, k.height, k.width) for k in links]
    lying = [(h, w) for w, h in boxes]
    return _turned(_Drawing(lying, turned, rows, turned=True, faces=faces).layout())


def is_wider(
    boxes: Sequence[tuple[float, float]],
    links: Sequence[Link],
    roots: Iterable[int] = (0,),
    layers: Sequence[int] | None = None,
) -> bool:
    """Whether a drawing with layers downward would be longer than one across, about."""
    given = distances(len(boxes), links, roots) if layers is None else layers
    sides: list[float] = []
    for turn in (False, True):
        lengths: dict[float, float] = {}
        depths: dict[float, float] = {}
        placed = [(float(at), size) for at, size in zip(given, boxes, strict=True)]
        placed += [(given[k.source] + 0.5, (k.width, k.height)) for k in links]
        for at, (width, height) in placed:
            along, deep = (height, width) if turn else (width, height)
            lengths[at] = lengths.get(at, 0.0) + along + (NARROW if turn else GAP)
            depths[at] = max(depths.get(at, 0.0), deep + 2 * LEVEL)
        sides.append(max(*lengths.values(), sum(depths.values())))
    return sides[0] > sides[1]


def _turned(layout: Layout) -> Layout:
    def turn(point: Point) -> Point:
        return point[1], point[0]

    routes = (
        Route(tuple(map(turn, r.points)), turn(r.heading), turn(r.label)) for r in layout.routes
    )
    return Layout(tuple(map(turn, layout.nodes)), tuple(routes), layout.height, layout.width)


def distances(count: int, links: Sequence[Link], roots: Iterable[int]) -> list[int]:
    """The distance of each node from the nearest of the roots.

    What they do not lead to is, node by node, a root of its own.
    """
    after: list[list[int]] = [[] for _ in range(count)]
    for link in links:
        after[link.source].append(link.target)
    found: dict[int, int] = {}
    for some in (tuple(roots), *((node,) for node in range(count))):
        queue = [root for root in dict.fromkeys(some) if root not in found]
        found |= dict.fromkeys(queue, 0)
        for node in queue:
            for target in after[node]:
                if target not in found:
                    found[target] = found[node] + 1
                    queue.append(target)
    return [found[node] for node in range(count)]


def number(value: float) -> str:
    """A coordinate as text, to a tenth."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


@dataclass(slots=True)
class _Vertex:
    """A node, or a part of an arc, on a layer; arcs pass through `x`."""

    layer: int
    left: float
    right: float
    height: float = 0.0
    node: bool = False
    up: list[int] = field(default_factory=list)
    down: list[int] = field(default_factory=list)
    x: float = 0.0


class _Drawing:
    def __init__(
        self,
        boxes: Sequence[tuple[float, float]],
        links: Sequence[Link],
        layers: Sequence[int],
        *,
        turned: bool = False,
        faces: Sequence[float] | None = None,
    ) -> None:
        """Labels are right of their arcs, and where the drawing is `turned`, left: above them."""
        self.turned = turned
        self.faces = [w for w, _ in boxes] if faces is None else faces
        self.boxes = boxes
        self.links = links
        self.vertices = [
            _Vertex(2 * layer, w / 2, w / 2, h, node=True)
            for layer, (w, h) in zip(layers, boxes, strict=True)
        ]
        self.chains: list[list[int]] = []
        """For each link its vertices from top to bottom, the nodes included; loops have none."""
        self.loops: dict[int, list[int]] = {}
        """The links from each node to itself, which stand one below the other beside it."""
        for i, link in enumerate(links):
            self.chains.append(self._loop(i, link) if self._is_loop(link) else self._chain(link))
        self.tops: list[float] = []
        self.bottoms: list[float] = []

    @staticmethod
    def _is_loop(link: Link) -> bool:
        return link.source == link.target

    def _loop(self, number: int, link: Link) -> list[int]:
        node = self.vertices[link.source]
        loops = self.loops.setdefault(link.source, [])
        loops.append(number)
        half = self.faces[link.source] / 2
        node.right = max(node.right, half + LOOP + (link.width + 6 if link.width else 0))
        node.height = max(node.height, sum(self._loop_height(i) for i in loops))
        return []

    def _loop_height(self, number: int) -> float:
        return max(LEAST_LOOP, self.links[number].height) + 2

    def _chain(self, link: Link) -> list[int]:
        """The vertices of a link that is no loop, with their neighbours."""
        top, bottom = link.source, link.target
        first, last = self.vertices[top].layer, self.vertices[bottom].layer
        if first == last:
            half = max(link.width / 2, HOOK + 3)
            hanging = self._add(_Vertex(first + 1, half, half, link.height + HANGING))
            self._join(top, hanging)
            self._join(bottom, hanging)
            return [top, hanging, bottom]
        labelled = first + 1 if first < last else first - 1
        if first > last:
            top, bottom, first, last = bottom, top, last, first
        chain = [top]
        for layer in range(first + 1, last):
            vertex = _Vertex(layer, 4.0, 4.0)
            if layer == labelled and link.width:
                vertex.height = link.height
                if self.turned:
                    vertex.left = link.width + 1
                else:
                    vertex.right = link.width + 5
            chain.append(self._add(vertex))
            self._join(chain[-2], chain[-1])
        self._join(chain[-1], bottom)
        return [*chain, bottom]

    def _add(self, vertex: _Vertex) -> int:
        self.vertices.append(vertex)
        return len(self.vertices) - 1

    def _join(self, upper: int, lower: int) -> None:
        self.vertices[upper].down.append(lower)
        self.vertices[lower].up.append(upper)

    # --- coordinates ------------------------------------------------------------------------------

    def layout(self) -> Layout:
        """All of it."""
        up, down = [v.up for v in self.vertices], [v.down for v in self.vertices]
        rows = ordered([v.layer for v in self.vertices], up, down)
        extents = [(v.left, v.right) for v in self.vertices]
        inner = [not v.node for v in self.vertices]
        gap = NARROW if self.turned else GAP
        xs = coordinates(rows, up, down, extents, inner=inner, gap=gap)
        for vertex, x in zip(self.vertices, xs, strict=True):
            vertex.x = x
        self._stack(rows)
        ports = self._ports()
        routes = tuple(self._route(i, link, ports) for i, link in enumerate(self.links))
        nodes = tuple((v.x, self._middle(v)) for v in self.vertices[: len(self.boxes)])
        width = max(v.x + v.right for v in self.vertices)
        return Layout(nodes, routes, width, self.bottoms[-1])

    def _stack(self, rows: Sequence[Sequence[int]]) -> None:
        """The heights of the layers, one below the other."""
        y = 0.0
        for row in rows:
            if self.tops:
                ways = [
                    abs(self.vertices[v].x - self.vertices[u].x)
                    for v in row
                    for u in self.vertices[v].up
                ]
                y += LEVEL + min(STEEPEST, SLOPE * max(ways, default=0.0))
            self.tops.append(y)
            y += max((self.vertices[v].height for v in row), default=0.0)
            self.bottoms.append(y)

    def _middle(self, vertex: _Vertex) -> float:
        return (self.tops[vertex.layer] + self.bottoms[vertex.layer]) / 2

    def _ports(self) -> dict[tuple[int, int], float]:
        """Where the first and the last vertex of each chain is met: by link and node, an x."""
        sides: dict[tuple[int, bool], list[tuple[float, int]]] = {}
        for i, chain in enumerate(self.chains):
            if chain:
                for node, beside in ((chain[0], chain[1]), (chain[-1], chain[-2])):
                    other = self.vertices[beside]
                    below = other.layer > self.vertices[node].layer
                    sides.setdefault((node, below), []).append((other.x, i))
        ports: dict[tuple[int, int], float] = {}
        for (node, _), ends in sides.items():
            width, x = self.faces[node], self.vertices[node].x
            gap = min(PORTS, 0.7 * width / max(1, len(ends) - 1))
            for place, (_, link) in enumerate(sorted(ends)):
                ports[link, node] = x + gap * (place - (len(ends) - 1) / 2)
        return ports

    def _route(self, i: int, link: Link, ports: dict[tuple[int, int], float]) -> Route:
        chain = self.chains[i]
        if not chain:
            return self._loop_route(i, link)
        begin, end = ports[i, chain[0]], ports[i, chain[-1]]
        if self.vertices[chain[0]].layer == self.vertices[chain[-1]].layer:
            return self._hanging_route(link, chain, begin, end)
        curve = _Curve((begin, self._edge(chain[0], below=True)))
        curve.down_to(begin, self.bottoms[self.vertices[chain[0]].layer])
        label = (begin, 0.0)
        for number in chain[1:-1]:
            vertex = self.vertices[number]
            curve.swing_to(vertex.x, self.tops[vertex.layer])
            curve.down_to(vertex.x, self.bottoms[vertex.layer])
            if vertex.height:
                aside = -link.width - 1 if self.turned else 5.0
                label = (vertex.x + aside, self._middle(vertex) - link.height / 2)
        curve.swing_to(end, self.tops[self.vertices[chain[-1]].layer])
        curve.down_to(end, self._edge(chain[-1], below=False))
        points = curve.points
        if chain[0] == link.source:
            return Route(tuple(points), (0.0, 1.0), label)
        return Route(tuple(reversed(points)), (0.0, -1.0), label)

    def _edge(self, node: int, *, below: bool) -> float:
        """The upper or the lower edge of a node."""
        half = self.boxes[node][1] / 2
        return self._middle(self.vertices[node]) + (half if below else -half)

    def _hanging_route(self, link: Link, chain: list[int], begin: float, end: float) -> Route:
        """An arc between two nodes of a layer, through the vertex below them."""
        hanging = self.vertices[chain[1]]
        floor, top = self.bottoms[hanging.layer - 1], self.tops[hanging.layer]
        # It goes to the side above the labels of its layer and bends in a place of its own.
        bend = HOOK if begin <= end else -HOOK
        curve = _Curve((begin, self._edge(chain[0], below=True)))
        curve.down_to(begin, floor)
        curve.swing_to(hanging.x - bend, top)
        low = top + HANGING
        curve.points += [(hanging.x - bend, low), (hanging.x + bend, low), (hanging.x + bend, top)]
        curve.swing_to(end, floor)
        edge = self._edge(chain[-1], below=True)
        curve.points += [(end, floor), (end, edge), (end, edge)]
        return Route(tuple(curve.points), (0.0, -1.0), (hanging.x - link.width / 2, low))

    def _loop_route(self, i: int, link: Link) -> Route:
        """An arc that leaves a node on its right and comes back."""
        node, height = self.vertices[link.source], self.boxes[link.source][1]
        loops = self.loops[link.source]
        heights = [self._loop_height(number) for number in loops]
        place = loops.index(i)
        x, middle = node.x + self.faces[link.source] / 2, self._middle(node)
        y = middle - sum(heights) / 2 + sum(heights[:place]) + heights[place] / 2
        step = min(16.0, (height - 4) / len(loops)) / 2
        at = middle + 2 * step * (place - (len(loops) - 1) / 2)
        far = x + LOOP - 4
        rise = LEAST_LOOP / 2 + 1
        points = (
            (x, at - step / 2),
            (x + 8, at - step / 2),
            (far - 3, y - rise),
            (far - 3, y),
            (far - 3, y + rise),
            (x + 8, at + step / 2),
            (x, at + step / 2),
        )
        return Route(points, (-1.0, 0.0), (far + 2, y - link.height / 2))


class _Curve:
    """A curve that goes down: straight, or to another x."""

    def __init__(self, start: Point) -> None:
        self.points = [start]

    def down_to(self, x: float, y: float) -> None:
        """Go straight down."""
        before = self.points[-1][1]
        if y - before > 0.05:
            self.points += [(x, before + (y - before) / 3), (x, y - (y - before) / 3), (x, y)]

    def swing_to(self, x: float, y: float) -> None:
        """Go there, vertical at both ends."""
        before = self.points[-1]
        middle = (before[1] + y) / 2
        self.points += [(before[0], middle), (x, middle), (x, y)]


__all__ = ["Layout", "Link", "Route", "distances", "is_wider", "layered", "number"]
