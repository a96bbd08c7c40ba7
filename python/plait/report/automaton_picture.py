"""A Büchi automaton as a picture: states as circles, letters beside arcs, acceptance in braces."""

from __future__ import annotations

from collections.abc import Sequence

from plait.automata.automaton import Automaton
from plait.automata.files import arc_text
from plait.model.expr import Formula
from plait.report.picture import Arrow, Node, Picture
from plait.report.svg import fold, shorten

WIDTH, LINES = 44, 4
"""The text beside an arc: letters in a line, and lines for each letter of the automaton."""


def automaton_picture(automaton: Automaton, conditions: Sequence[Formula], name: str) -> Picture:
    """The picture of an automaton over these conditions."""
    nodes = tuple(Node((str(i),), shape="circle", start=i == 0) for i in range(len(automaton.arcs)))
    labels: dict[tuple[int, int], list[str]] = {}
    for state, row in enumerate(automaton.arcs):
        for arc in row:
            text = arc_text(automaton, arc, conditions)
            labels.setdefault((state, arc.target), []).append(text)
    arrows = tuple(_arrow(*ends, texts) for ends, texts in labels.items())
    sets = automaton.acceptances
    note = "any infinite run is accepted"
    if sets:
        numbers = ", ".join(f"{{{i}}}" for i in range(sets))
        note = f"a run is accepted if it takes arcs of {numbers} again and again"
    return Picture(name, nodes, arrows, (note,))


def _arrow(source: int, target: int, texts: Sequence[str]) -> Arrow:
    lines = [line for text in texts for line in fold(text.split(" "), WIDTH, LINES)]
    shown = [shorten(line, WIDTH + 2) for line in lines]
    return Arrow(source, target, tuple(shown), "\n".join(texts))


__all__ = ["automaton_picture"]
