"""The contest's examinations that come without a formula file, as ordinary properties.

Each is a list of properties and a rule that makes one verdict of theirs. The rules are
three-valued: one counterexample decides although the other properties are still unknown.

Of a coloured net they speak as it was: a place is the number of its tokens of any colour, a
transition happens when one of its bindings does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from plait.logic.folding import Vocabulary
from plait.logic.formula import Exists, Finally, Forall, Globally
from plait.model.expr import Compare, Const
from plait.model.types import Model, Property
from plait.records import dataclass

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


def _deadlock(_model: Model) -> list[Property]:
    return [Property("ReachabilityDeadlock", kind="deadlock")]


def _one_safe(model: Model) -> list[Property]:
    """Every place holds at most one token, of whatever colour."""
    net = Vocabulary(model)
    return [
        Property(p.name, kind="invariant", body=Compare("<=", net.tokens((p.name,)), Const(1)))
        for p in net.places
    ]


def _quasi_live(model: Model) -> list[Property]:
    """Every transition can be executed some time, with some binding."""
    net = Vocabulary(model)
    return [Property(e.name, kind="reachable", body=net.fireable((e.name,))) for e in net.events]


def _live(model: Model) -> list[Property]:
    """From every state, every transition can be executed some time, with some binding."""
    net = Vocabulary(model)
    return [
        Property(
            e.name, kind="ctl", body=Forall(Globally(Exists(Finally(net.fireable((e.name,))))))
        )
        for e in net.events
    ]


def not_live(model: Model) -> list[Property]:
    """Properties of which a false one shows that some transition is not live.

    A net with a deadlock, or with a transition that can never be executed, has no need for a
    temporal engine.
    """
    return [*_quasi_live(model), *_deadlock(model)]


def _stable(model: Model) -> list[Property]:
    """For each place: the number of its tokens never changes."""
    net = Vocabulary(model)
    return [
        Property(
            p.name,
            kind="invariant",
            body=Compare("==", net.tokens((p.name,)), Const(net.initially(p.name))),
        )
        for p in net.places
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
