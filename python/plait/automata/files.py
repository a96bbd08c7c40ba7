"""Automata in files: which format a text has, and pictures for dot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from plait.automata.automaton import Arc, Automaton
from plait.automata.hoa import read_hoa
from plait.automata.never import read_never
from plait.errors import Source, Span, error
from plait.lang.files import read_text
from plait.logic.formula import NeverClaim
from plait.model.expr import Formula
from plait.model.text import quote, show
from plait.model.types import Model, Property

_COMMENTS = re.compile(r"(?:\s|/\*.*?\*/|#[^\n]*)*", re.DOTALL)


def read_claim(text: str, model: Model, name: str) -> NeverClaim:
    """The claim in a text: an automaton in the Hanoi format, or a never claim."""
    start = _COMMENTS.match(text)
    rest = text[start.end() if start else 0 :]
    if rest.startswith("HOA:"):
        return read_hoa(text, model, name)
    if re.match(r"never\b", rest):
        return read_never(text, model, name)
    raise error(
        "this is no automaton: it begins neither with 'HOA:' nor with 'never'",
        Span(Source(name, text), 1, 1),
    )


def load_claim(path: Path, model: Model) -> Property:
    """The property that no run is accepted by the automaton in a file."""
    claim = read_claim(read_text(path), model, str(path))
    return Property(path.stem, "ltl", claim)


def write_dot(automaton: Automaton, conditions: Sequence[Formula], name: str) -> str:
    """The automaton as a graph for dot; acceptance sets are numbers in braces."""
    lines = ["digraph automaton {", f"  label={quote(name)};", "  rankdir=LR;"]
    lines += ['  start [shape=point, label=""];', "  start -> 0;"]
    for state, row in enumerate(automaton.arcs):
        lines.append(f"  {state} [shape=circle];")
        for arc in row:
            label = quote(arc_text(automaton, arc, conditions))
            lines.append(f"  {state} -> {arc.target} [label={label}];")
    return "\n".join([*lines, "}", ""])


def arc_text(automaton: Automaton, arc: Arc, conditions: Sequence[Formula]) -> str:
    """What an arc reads, with the acceptance sets it belongs to as numbers in braces."""
    literals = [show(c) for b, c in enumerate(conditions) if arc.positive >> b & 1]
    literals += [f"!({show(c)})" for b, c in enumerate(conditions) if arc.negative >> b & 1]
    marks = ",".join(str(i) for i in range(automaton.acceptances) if arc.marks >> i & 1)
    return (" && ".join(literals) or "true") + (f" {{{marks}}}" if marks else "")
