"""What TAPAAL writes as attributes, in its own files (`.tapn`) and for its engine.

Tokens, weights and intervals are attributes there, and an arc may be called by what it does
(`inputArc`). What is read are the nets without time, which TAPAAL keeps in the same form: tokens of
any age may be taken and may stay. There a transport arc, which keeps the age of its token, is an
ordinary one. Several nets in a file are one: places and transitions that they share are the same,
all others are called by their nets, as in TAPAAL's queries.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

BEGINS = frozenset(("initialMarking", "invariant"))
"""Attributes of a place by which a net of TAPAAL is known."""
ARCS = ("inputArc", "outputArc", "inhibitorArc")
"""Arcs that are called by what they do."""
KINDS = {"timed": "normal", "transport": "normal", "tapnInhibitor": "inhibitor"}
_ANY_AGE = re.compile(r"\[0,inf\)(:\d+)?|\d*")
_FOR_EVER = re.compile(r"(< ?inf)?")
SHARED = ("shared-place", "shared-transition")
"""What says before the nets of a file which of their nodes are one."""
OUTSIDE = ("query", "k-bound", "feature", "constant")
"""What stands behind the net, and names of numbers."""


def with_time(attributes: Mapping[str, str]) -> str | None:
    """The attribute that says something about time; none where the element has none."""
    said = {
        "invariant": _FOR_EVER.fullmatch(attributes.get("invariant", "").strip()) is None,
        "inscription": _ANY_AGE.fullmatch(attributes.get("inscription", "")) is None,
        "urgent": attributes.get("urgent", "false") != "false",
    }
    return next((name for name, timed in said.items() if timed), None)


def weight(attributes: Mapping[str, str]) -> str | None:
    """The weight of an arc, where it is an attribute."""
    return attributes.get("weight") if "inscription" in attributes else None


def kind(tag: str, attributes: Mapping[str, str]) -> str | None:
    """The kind of an arc, where an attribute or its name says it."""
    said = attributes.get("type")
    if said is None:
        return "inhibitor" if tag == "inhibitorArc" else None
    return KINDS.get(said, said)


__all__ = ["ARCS", "BEGINS", "OUTSIDE", "SHARED", "kind", "weight", "with_time"]
