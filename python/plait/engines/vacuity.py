"""Vacuity: properties that hold only because their premise is never true.

`AG (request -> AF grant)` holds in every system without requests, also if the request was misspelt
(antecedent failure: Beatty and Bryant 1994; Beer, Ben-David, Eisner and Rodeh 1997, who found it in
one of five properties of hardware). So for a property that holds, Plait asks as a question of its
own whether the premises of its implications are true in any reachable state.

A note is made only of what is certain: a premise that is true in no reachable state. It changes
neither a verdict nor an exit status, and takes a small part of the time that the answers took.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait.engines.budget import Budget
from plait.engines.stopped import is_interrupted
from plait.errors import PlaitError
from plait.logic.classify import is_state
from plait.logic.formula import Forall, Globally, Next
from plait.model.expr import Formula, Implies, conjuncts
from plait.model.text import show
from plait.model.types import Property
from plait.records import replace
from plait.report.answer import Answer

PART = 4
"""It may take this part of the time that the answers took..."""
LEAST = 0.2
"""... or so many seconds, if that is more..."""
REMAINING = 10
"""... and in no case more than this part of the time that is left."""
LONGEST = 200
"""Characters of a premise in a note."""
Ask = Callable[[Sequence[Property], Budget], Sequence[Answer]]
Words = Callable[[Formula], Formula]


def with_vacuity(
    answers: Sequence[Answer], limits: Budget, ask: Ask, words: Words = lambda f: f
) -> list[Answer]:
    """The answers, with a note for each premise that is never true.

    `ask` asks whether conditions are reachable; `words` puts a formula as the model's language has
    it.
    """
    found = {i: premises(a.property) for i, a in enumerate(answers) if a.verdict == "true"}
    distinct = list(dict.fromkeys(f for some in found.values() for f in some))
    if not distinct:
        return list(answers)
    asked = [Property("premise", kind="reachable", body=f) for f in distinct]
    try:
        told = ask(asked, _share(limits))
    except (PlaitError, MemoryError):
        return list(answers)  # a note less, and the answers are whole
    if is_interrupted(told):
        raise KeyboardInterrupt
    never = {f for f, a in zip(distinct, told, strict=True) if a.verdict == "false"}

    def noted(answer: Answer, parts: Sequence[Formula]) -> Answer:
        notes = (_note(answer.property, words(f)) for f in parts if f in never)
        return replace(answer, notes=(*answer.notes, *notes))

    return [noted(a, found.get(i, ())) for i, a in enumerate(answers)]


def premises(p: Property) -> list[Formula]:
    """The conditions on states under which alone a property demands something, in any state."""
    if not isinstance(p.body, Formula) or p.kind not in ("invariant", "ctl", "ltl"):
        return []
    found: dict[Formula, None] = {}
    for part in conjuncts(_demanded(p.body)):
        match part:
            case Forall(operand=Globally(operand=f)) | Globally(operand=f):
                always = f
            case _ if p.kind == "invariant":
                always = part
            case _:
                continue  # it speaks of the first state only
        for demand in conjuncts(always):
            while isinstance(demand, Implies) and is_state(demand.left):
                found[demand.left] = None
                demand = demand.right
    return list(found)


def _demanded(body: Formula) -> Formula:
    """The formula behind what a language puts before it: assumptions about runs, such as fairness
    in NuSMV, and a first step, where that chooses the initial state."""
    while True:
        match body:
            case Forall(operand=Next(operand=f)) | Next(operand=f):
                body = f
            case Implies(left=left, right=right) if not is_state(left):
                body = right
            case _:
                return body


def _note(p: Property, premise: Formula) -> str:
    text = show(premise, LONGEST)
    return f"{p.name} holds vacuously: its premise is true in no reachable state: {text}"


def _share(limits: Budget) -> Budget:
    seconds = max(LEAST, limits.elapsed / PART)
    remaining = limits.remaining()
    if remaining is not None:
        seconds = min(seconds, remaining / REMAINING)
    return Budget(seconds, limits.memory, limits.states)


__all__ = ["premises", "with_vacuity"]
