"""The temporal operators: CTL, and LTL of the future."""

from __future__ import annotations

from collections.abc import Sequence

from plait.errors import Diagnostic, Span, error
from plait.lang.smv.expressions import BINARY_PAST, UNARY_CTL, UNARY_PAST
from plait.lang.smv.unsupported import Unsupported
from plait.logic.formula import Exists, Finally, Forall, Globally, Next, Release, Until
from plait.model.expr import Formula

_PATH = {"X": Next, "F": Finally, "G": Globally}


def temporal(
    operator: str, below: Sequence[Formula], span: Span | None, logic: str
) -> Formula | None:
    """A temporal operator over its operands; None when it is no temporal operator."""
    if operator in (*UNARY_CTL, "AU", "EU"):
        if logic != "ctl":
            raise error(f"'{operator}' belongs into a CTL formula", span)
        if len(below) == 2:
            path: Formula = Until(below[0], below[1], span=span)
        else:
            path = _PATH[operator[1]](below[0], span=span)
        return (Forall if operator[0] == "A" else Exists)(path, span=span)
    if operator in (*_PATH, "U", "V", *UNARY_PAST, *BINARY_PAST) and logic != "ltl":
        raise error(f"'{operator}' belongs into an LTL formula", span)
    if operator in (*UNARY_PAST, *BINARY_PAST):
        message = f"operators of the past, such as '{operator}', are not supported"
        raise Unsupported(Diagnostic(message, span))
    if operator in _PATH:
        return _PATH[operator](below[0], span=span)
    if operator == "U":
        return Until(below[0], below[1], span=span)
    if operator == "V":
        return Release(below[0], below[1], span=span)
    return None
