"""What was asked about the alarms of the runway safety monitor, and what was found.

Siminiceanu, Structural Model Checking (2003), section 7.3. An alarm is missed when, all being done,
separation is lost without one while somebody takes off or lands (`missed`). The queries ask whether
that can happen at all, whether it can happen in the cycle that loses separation, and whether it can
happen when there never was an alarm before; the false alarms are the same the other way round.

The second query is contradictory as it is printed: of a state in which all is done it asks for a
way on which all is *not* done until separation is lost. Here the way begins with the next state.

What is found falls into classes. `classes` goes through them: it asks, looks which class the last
state of the run belongs to, and asks again with that class masked, until nothing is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from plait.engines import check
from plait.engines.symbolic.tuning import Tuning
from plait.errors import LimitReached, error
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.shape import State
from plait.model.types import ElementaryType, Model
from plait.records import replace
from plait.reference.semantics import Semantics
from plait.report.answer import Answer, Witness

DONE = "(ph_done_0 == 1 && ph_done_1 == 1)"
NEAR = (
    "(x_0 >= 1 && x_1 >= 1 && x_0 - x_1 <= 1 && x_1 - x_0 <= 1 && y_0 - y_1 <= 1 && y_1 - y_0 <= 1)"
)
SEPARATE = f"(x_0 >= 1 && x_1 >= 1 && !{NEAR})"
ALARM = "(fl_alarm_1 == 1)"
TRACKED = "(st_taxi_0 + st_flythru_0 == 0 || st_taxi_1 + st_flythru_1 == 0)"
MISSED = f"({DONE} && {TRACKED} && {NEAR} && !{ALARM})"
"""Separation is lost, and there is no alarm."""
FALSE_ALARM = f"({DONE} && {TRACKED} && {SEPARATE} && {ALARM})"
QUERIES = {
    "memory-less": "EF ({missed})",
    "losing": f"EF ({DONE} && {TRACKED} && {SEPARATE} && EX E [!{DONE} U {{missed}}])",
    "strong": f"E [!{ALARM} U {{missed}}]",
}
"""The published ones: a missed alarm; in the cycle that loses separation; without any before."""
DUAL = {
    "false alarm": f"EF {FALSE_ALARM}",
    "needless alarm": f"EF ({FALSE_ALARM} && !EX E [!{DONE} U ({DONE} && {NEAR})])",
}
"""What the source left for later: an alarm while all are separate; also in the next cycle."""
SCENARIOS = {
    "crossing": "(st_flythru_0 + st_flythru_1 >= 1)",
    "entering": "(sx_0 == 3 || sx_1 == 3)",
    "taxiing": "(st_taxi_0 + st_taxi_1 >= 1)",
    "abreast": "true",
}
"""Classes of missed alarms: the other one flies across (scenario 2); both or one have just entered
(example 3); the other one taxies (scenarios 1, 3, 4 and 5); all the rest."""
CHASING = (
    "(st_takeoff_0 == 1 && vy_0 > {fast}"
    " && z_1 == 1 && vx_1 == {straight} && vy_1 > {fast} && ay_1 == 2)"
)
"""Scenario 5: ownship takes off, and on the ground the target goes faster and faster as it does."""


def query(name: str, masks: Sequence[str] = (), also: str = "true") -> str:
    """One of the questions; what `masks` say of the missed alarm is left out, `also` must hold."""
    if name in DUAL:
        return DUAL[name]
    if name not in QUERIES:
        raise error(f"no question named '{name}'", hint=", ".join((*QUERIES, *DUAL)))
    parts = [MISSED, also, *(f"!{mask}" for mask in masks)]
    return QUERIES[name].format(missed=f"({' && '.join(parts)})")


def unwarned(model: Model) -> Model:
    """The model without the events that raise an alarm: all that can happen before the first one.

    A missed alarm satisfies the strong query just when it can be reached here, since nothing else
    puts a token on an alarm.
    """
    system = model.system
    quiet = tuple(e for e in system.events if not e.name.startswith("alarm_"))
    return replace(model, types=(replace(system, events=quiet),))


def order(model: Model) -> tuple[tuple[str, ...], ...]:
    """A variable order for one target: mirror images, what they are compared by in the middle."""
    system = model.system
    assert isinstance(system, ElementaryType)
    assert system.units is not None
    level = {unit.name: unit.places for unit in system.units.units}
    own = ("phase", "status", "z", "x", "y")
    target = ("y", "x", "seen", "z", "status", "phase")
    return tuple(level[f"{kind}_0"] for kind in own) + tuple(level[f"{kind}_1"] for kind in target)


def ask(model: Model, text: str, tuning: Tuning | None = None) -> Answer:
    """The answer to a question, by decision diagrams where it is said how to tune them."""
    asked = [parse_formula(text, model)]
    (answer,) = check(model, asked, engine="symbolic" if tuning else "auto", tuning=tuning)
    if answer.verdict == "unknown":
        raise LimitReached(answer.reason or "memory")
    return answer


def classes(
    model: Model,
    name: str,
    known: Mapping[str, str] = SCENARIOS,
    tuning: Tuning | None = None,
) -> Iterator[tuple[str, Answer]]:
    """Every class of missed alarms that a query finds, each with its answer."""
    masked: dict[str, str] = {}
    while (answer := ask(model, query(name, tuple(masked.values())), tuning)).verdict == "true":
        assert answer.witness is not None
        last = last_state(answer.witness)
        title = next(t for t, mask in known.items() if _holds(mask, model, last))
        masked[title] = known[title]
        yield title, answer


def last_state(witness: Witness) -> State:
    """Where a run ends: that of its last branch, if it has any."""
    while witness.branches:
        witness = witness.branches[-1].witness
    return witness.states[-1]


def _holds(text: str, model: Model, state: State) -> bool:
    body = parse_formula(text, model).body
    assert isinstance(body, Formula)
    return Semantics(model).holds(body, state)


__all__ = [
    "ALARM",
    "CHASING",
    "DONE",
    "DUAL",
    "FALSE_ALARM",
    "MISSED",
    "QUERIES",
    "SCENARIOS",
    "SEPARATE",
    "ask",
    "classes",
    "last_state",
    "order",
    "query",
    "unwarned",
]
