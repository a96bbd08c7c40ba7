"""Layered drawings: nothing overlaps, no arc runs through a box, and nothing is left to chance."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from plait.report.layered import Layout, Link, Route, distances, layered

Rectangle = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def random_graph(seed: int) -> tuple[list[tuple[float, float]], list[Link]]:
    """Nodes and links of any kind: forward, back, within a layer, loops, parallel."""
    chance = random.Random(seed)
    count = chance.randint(1, 25)
    boxes = [(float(chance.randint(20, 120)), float(chance.randint(18, 60))) for _ in range(count)]
    links = []
    for _ in range(chance.randint(0, 2 * count)):
        labelled = chance.random() < 0.7
        size = (float(chance.randint(10, 90)), 14.0 * chance.randint(1, 3)) if labelled else (0, 0)
        links.append(Link(chance.randrange(count), chance.randrange(count), *size))
    return boxes, links


def rectangles(
    boxes: list[tuple[float, float]], links: list[Link], found: Layout
) -> list[Rectangle]:
    """Where the nodes are, and then the labels."""
    placed = [
        (x - w / 2, y - h / 2, x + w / 2, y + h / 2)
        for (x, y), (w, h) in zip(found.nodes, boxes, strict=True)
    ]
    for link, route in zip(links, found.routes, strict=True):
        if link.width:
            x, y = route.label
            placed.append((x, y, x + link.width, y + link.height))
    return placed


def overlap(a: Rectangle, b: Rectangle) -> bool:
    slack = 0.01
    return min(a[2], b[2]) - max(a[0], b[0]) > slack and min(a[3], b[3]) - max(a[1], b[1]) > slack


def along(route: Route) -> list[tuple[float, float]]:
    """Points of a curve, close to each other."""
    found = []
    p = route.points
    for i in range(0, len(p) - 1, 3):
        for k in range(33):
            t = k / 32
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            found.append(
                (
                    sum(w * q[0] for w, q in zip(weights, p[i : i + 4], strict=True)),
                    sum(w * q[1] for w, q in zip(weights, p[i : i + 4], strict=True)),
                )
            )
    return found


def inside(point: tuple[float, float], box: Rectangle) -> bool:
    slack = 0.5
    x, y = point
    return box[0] + slack < x < box[2] - slack and box[1] + slack < y < box[3] - slack


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_boxes_and_labels_do_not_overlap_and_arcs_run_beside_them(seed: int, across: bool) -> None:
    boxes, links = random_graph(seed)
    found = layered(boxes, links, across=across)
    placed = rectangles(boxes, links, found)
    for a, b in combinations(placed, 2):
        assert not overlap(a, b)
    for left, top, right, bottom in placed:
        assert left > -0.01
        assert top > -0.01
        assert right < found.width + 0.01
        assert bottom < found.height + 0.01
    for route in found.routes:
        for point in along(route):
            assert not any(inside(point, box) for box in placed)


@pytest.mark.parametrize("across", [False, True])
def test_an_arc_begins_at_its_source_and_ends_at_its_target(across: bool) -> None:
    for seed in range(20):
        boxes, links = random_graph(seed)
        found = layered(boxes, links, across=across)
        placed = rectangles(boxes, links, found)
        for link, route in zip(links, found.routes, strict=True):
            for node, (x, y) in ((link.source, route.points[0]), (link.target, route.points[-1])):
                left, top, right, bottom = placed[node]
                assert left - 0.01 <= x <= right + 0.01
                assert top - 0.01 <= y <= bottom + 0.01


def test_a_node_stands_on_the_layer_of_its_distance() -> None:
    links = [Link(0, 1), Link(1, 2), Link(0, 2), Link(2, 0), Link(3, 2)]
    assert distances(4, links, [0]) == [0, 1, 1, 0]
    found = layered([(20.0, 20.0)] * 4, links)
    heights = [y for _, y in found.nodes]
    assert heights[0] < heights[1] == heights[2]
    assert heights[3] == heights[0]


def test_layers_may_be_given_and_need_not_be_dense() -> None:
    found = layered([(20.0, 20.0)] * 3, [Link(0, 1), Link(1, 2)], layers=[7, 5, 9])
    first, second, third = (y for _, y in found.nodes)
    assert second < first < third


def test_a_tree_has_no_crossings() -> None:
    links = [Link(0, 1), Link(0, 2), Link(2, 5), Link(1, 3), Link(2, 6), Link(1, 4)]
    found = layered([(20.0, 20.0)] * 7, links)
    xs = [x for x, _ in found.nodes]
    assert (xs[1] - xs[2]) * (max(xs[3], xs[4]) - min(xs[5], xs[6])) > 0


def test_nothing_is_a_drawing_too() -> None:
    assert layered([], []) == Layout((), (), 0.0, 0.0)
    assert layered([(10.0, 10.0)], []).nodes == ((5.0, 5.0),)


def test_equal_graphs_are_drawn_equally() -> None:
    boxes, links = random_graph(3)
    assert layered(boxes, links) == layered(list(boxes), list(links))


def test_a_large_graph_is_drawn() -> None:
    chance = random.Random(1)
    links = [Link(chance.randrange(i), i, 40.0, 14.0) for i in range(1, 500)]
    links += [Link(chance.randrange(500), chance.randrange(500), 40.0, 14.0) for _ in range(300)]
    boxes = [(60.0, 24.0)] * 500
    found = layered(boxes, links)
    assert len(found.nodes) == 500
    places = rectangles(boxes, [], Layout(found.nodes, (), 0.0, 0.0))
    assert not any(overlap(a, b) for a, b in combinations(places, 2))
