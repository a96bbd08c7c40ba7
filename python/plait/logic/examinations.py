"""The contest's examinations that come without a formula file, as ordinary properties.

Each is a list of properties and a rule that makes one verdict of theirs. The rules are
three-valued: one counterexample decides although the other properties are still unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from plait.errors import error
from plait.logic.formula import Exists, Finally, Forall, Globally
from plait.model.expr import Compare, Const, Enabled, Var, conjunction
from plait.model.shape import shape_of
from plait.model.types import ElementaryType, Model, Property

Verdict = Literal["true", "false", "unknown"]

FORMULAS = (
    "ReachabilityCardinality",
    "ReachabilityFireability",
    "CTLCardinality",
    "CTLFireability",
    "LTLCardinality",
    "LTLFireability",
    "UpperBounds",
)
"""The examinations whose formulas are in a file of their name."""


@dataclass(frozen=True, slots=True)
class GlobalExamination:
    """Properties of a net, and the verdict that their verdicts make."""

    properties: Callable[[Model], list[Property]]
    verdict: Callable[[Sequence[Verdict]], Verdict]


def _net(model: Model) -> ElementaryType:
    if not isinstance(model.system, ElementaryType):
        raise error("this examination needs a net")
    return model.system


def _deadlock(_model: Model) -> list[Property]:
    return [Property("ReachabilityDeadlock", kind="deadlock")]


def _one_safe(model: Model) -> list[Property]:
    """Every place holds at most one token."""
    safe = [Compare("<=", Var(v.name), Const(1)) for v in _net(model).variables]
    return [Property("OneSafe", kind="invariant", body=conjunction(safe))]


def _quasi_live(model: Model) -> list[Property]:
    """Every event can be executed some time."""
    return [
        Property(e.name, kind="reachable", body=Enabled((e.title,))) for e in _net(model).events
    ]


def _live(model: Model) -> list[Property]:
    """From every state, every event can be executed some time."""
    return [
        Property(e.name, kind="ctl", body=Forall(Globally(Exists(Finally(Enabled((e.title,)))))))
        for e in _net(model).events
    ]


def _stable(model: Model) -> list[Property]:
    """For each place: it never changes."""
    initial = shape_of(model).initial()
    return [
        Property(v.name, kind="invariant", body=Compare("==", Var(v.name), Const(tokens)))
        for v, tokens in zip(_net(model).variables, initial, strict=True)
    ]


def _all(verdicts: Sequence[Verdict]) -> Verdict:
    if "false" in verdicts:
        return "false"
    return "unknown" if "unknown" in verdicts else "true"


def _any(verdicts: Sequence[Verdict]) -> Verdict:
    if "true" in verdicts:
        return "true"
    return "unknown" if "unknown" in verdicts else "false"


def _none(verdicts: Sequence[Verdict]) -> Verdict:
    negated: dict[Verdict, Verdict] = {"true": "false", "false": "true", "unknown": "unknown"}
    return negated[_all(verdicts)]


GLOBAL = {
    "ReachabilityDeadlock": GlobalExamination(_deadlock, _none),
    "OneSafe": GlobalExamination(_one_safe, _all),
    "QuasiLiveness": GlobalExamination(_quasi_live, _all),
    "Liveness": GlobalExamination(_live, _all),
    "StableMarking": GlobalExamination(_stable, _any),
}
"""The examinations without a file. ReachabilityDeadlock asks whether a deadlock *is* reachable."""
