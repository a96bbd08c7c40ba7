"""The identity of a counterexample: the same in two runs if it is the same counterexample.

Two counterexamples are the same if they violate the same property by the same events in the same
order, with the same loop and the same branches. The identity is a short digest of just that:

- the name of the property, and not its text: another wording that is violated by the same run needs
  no new look. A formula given on the command line has no name, so its text is used;
- the titles of the events and their processes, and no places, since lines move when the file is
  edited. If a language names statements by their lines, as Promela does for statements and
  assertions, the text of the line is taken instead of its number, without its spaces;
- no values, since a variable that is added would change them. The one exception is a run of a
  system without processes whose events all have one title, such as the steps of a synchronous
  system: there, what changes is all that distinguishes two runs.

So another name for an event or the property, or another way to the same state, makes another
counterexample.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from plait.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from plait.errors import Span
    from plait.report.answer import Answer, Witness

DIGITS = 12
"""Enough hexadecimal digits that no project sees two counterexamples with the same."""
GIVEN = "<formula>"
"""The source of a formula that was given by itself."""


def identity(a: Answer) -> str:
    """The short identity of an answer with its witness."""
    from hashlib import sha256  # most runs write no document

    parts = [_unplaced(a.property.name, a.property.span), a.verdict]
    if a.property.span is not None and a.property.span.source.name == GIVEN:
        from plait.report.data import formula_text

        parts.append(formula_text(a.property))
    if a.witness is not None:
        parts += _tree(a.witness)
    # No part can pass for two: each has its length before it.
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def _tree(witness: Witness) -> Iterator[str]:
    """What happens on each path, and where it begins and goes back to."""
    paths = [(0, 0, witness)]
    for depth, _, path in paths:
        paths += [(depth + 1, b.at, b.witness) for b in path.branches]
    steps = [step for *_, path in paths for step in path.steps]
    alike = len({s.event for s in steps}) == 1 and not any(s.process for s in steps)
    titles: dict[
        tuple[str, Span | None], str
    ] = {}  # a run may execute an event many thousand times
    for depth, at, path in paths:
        yield f"path {depth} {at} {path.loop}"
        before = path.initial
        for step in path.steps:
            key = (step.event, step.span)
            if key not in titles:
                titles[key] = _unplaced(step.event, step.span)
            yield from (step.process or "", titles[key])
            if alike and path.view is not None:
                yield from path.view.changes(before, step.state)
            before = step.state


def _unplaced(title: str, span: Span | None) -> str:
    """A title with the text of a line in place of its number, where it is called by its own."""
    if span is None or not re.search(rf"(:|line ){span.line}(?!\d)", title):
        return title

    def text(number: re.Match[str]) -> str:
        return number[1] + " ".join((span.source.line(int(number[2])) or "").split())

    return re.sub(r"(:|line )(\d{1,9})(?!\d)", text, title)


__all__ = ["identity"]
