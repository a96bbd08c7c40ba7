"""Decisive states: one shows that a `reachable` property holds, or that an invariant does not."""

from __future__ import annotations

from plait.model.types import Property
from plait.report.answer import Verdict


def verdict(asked: Property, *, found: bool) -> Verdict:
    """The verdict where a decisive state was found, or it is known that there is none."""
    return "true" if found == (asked.kind == "reachable") else "false"


def sought(asked: Property) -> str:
    """What a decisive state is, in words."""
    return "state reached" if asked.kind == "reachable" else "violation"


__all__ = ["sought", "verdict"]
