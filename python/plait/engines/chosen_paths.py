"""Properties that state themselves which paths count, and the variables that only they use.

NuSMV's FAIRNESS is a part of the model, not of the command line: a property of CTL has the
conditions that must be true infinitely often on its paths (`Property.fair`). Properties with the
same conditions are asked together, with these conditions added to those of the user. A condition
about who made the last step reads a *ghost*, a variable that the model writes for it and that is
otherwise no part of the state. Properties that read no ghost are asked of the model without it.

If paths must only be infinite, and there is no deadlock, all paths count. So deadlocks are asked
for first: all engines know plain properties, few know fair ones.

If a first step chooses the state to begin in, the state before it is not one of the system: bounds
ignore it, and it is no deadlock.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from plait.engines.request import Request, Tell
from plait.errors import InputError
from plait.model.expr import AsInt, Binary, Compare, Const, Deadlock, Formula, IntExpr, Not, Var
from plait.model.ghosts import ghosts
from plait.model.node import Node, nodes
from plait.model.stmt import Assign, Statement
from plait.model.types import ElementaryType, Model, Property
from plait.passes.walk import map_body
from plait.records import replace
from plait.report.answer import Answer

Ask = Callable[[Model, Sequence[Property], Request, Tell | None], list[Answer]]
"""Asks properties that say nothing of their paths."""
ENDLESS = Not(Deadlock())
"""The condition of paths that do not end."""


def check_on_paths(
    model: Model, asked: Sequence[Property], request: Request, ask: Ask, tell: Tell | None
) -> list[Answer]:
    """The answers, those of properties with the same paths together."""
    seen = ghosts(model)
    without = without_ghosts(model)
    answers: dict[int, Answer] = {}
    groups: dict[tuple[tuple[Formula, ...], bool], list[int]] = {}
    for i, p in enumerate(asked):
        if p.refused:
            answers[i] = Answer(p, "unknown", "none", reason=p.refused)
            continue
        groups.setdefault((p.fair, looks_at(p, seen)), []).append(i)
    for (fair, looks), members in groups.items():
        about = replace(with_ghosts(model) if looks else without, begins=None)
        if ENDLESS in fair and _never_ends(about, request, ask):
            fair = tuple(f for f in fair if f != ENDLESS)
        questions = [replace(asked[i], fair=()) for i in members]
        plain = {id(q): i for q, i in zip(questions, members, strict=True)}

        def tell_of(answer: Answer, plain: dict[int, int] = plain) -> None:
            if tell is not None and id(answer.property) in plain:
                tell(replace(answer, property=asked[plain[id(answer.property)]]))

        try:
            found = ask(about, questions, replace(request, fair=(*request.fair, *fair)), tell_of)
        except InputError as no:
            if not fair or request.fair:
                raise
            # The text asks for fairness and not the user: the other properties have answers.
            reason = no.diagnostics[0].message
            found = [Answer(q, "unknown", request.engine, reason=reason) for q in questions]
        for i, answer in zip(members, found, strict=True):
            if model.begins is not None and answer.property.kind == "bounds":
                answer = _after_the_choice(about, model.begins, answer, request, ask)
            if model.begins is not None and answer.property.kind == "deadlock":
                answer = _of_a_state(about, model.begins, answer, request, ask)
            answers[i] = replace(answer, property=asked[i], stats=_counted(answer.stats, model))
    return [answers[i] for i in range(len(asked))]


def _counted(stats: dict[str, object], model: Model) -> dict[str, object]:
    """The statistics without the state that only chooses where to begin."""
    states = stats.get("states")
    if model.begins is None or not isinstance(states, int) or states == 0:
        return stats
    return {**stats, "states": states - 1}


def _after_the_choice(
    model: Model, chosen: str, answer: Answer, request: Request, ask: Ask
) -> Answer:
    """Bounds without the value of the state that only chooses where to begin.

    Where that is the least or the greatest value, bounds are asked again with the other end in its
    place, which is the value of some other state.
    """
    least, greatest = answer.stats.get("min"), answer.value
    body = answer.property.body
    if not isinstance(body, IntExpr) or least == greatest:
        return answer
    from plait.reference import Semantics

    semantics = Semantics(model)
    value = semantics.value(body, semantics.initial)
    if value is None or value not in (least, greatest):
        return answer
    other = least if value == greatest else greatest
    if not isinstance(other, int):
        return answer
    begun = Compare("==", Var(chosen), Const(1))
    after, before = Binary("*", AsInt(begun), body), Binary("*", AsInt(Not(begun)), Const(other))
    asked = replace(answer.property, body=Binary("+", after, before))
    return ask(model, [asked], request, None)[0]


def _of_a_state(model: Model, chosen: str, answer: Answer, request: Request, ask: Ask) -> Answer:
    """A deadlock where it is one of a state of the system: where there is none to begin in, the
    state that only chooses has no successor, and there is no state that could be a deadlock."""
    witness = answer.witness
    if answer.verdict != "false" or (witness is not None and witness.steps):
        return answer
    begun = Property("begun", "never", Compare("==", Var(chosen), Const(1)))
    (never,) = ask(model, [begun], replace(request, fair=(), repeated=False), None)
    return answer if never.verdict != "true" else replace(never, property=answer.property)


def _never_ends(model: Model, request: Request, ask: Ask) -> bool:
    """Whether no reachable state is a deadlock."""
    of_states = replace(request, fair=(), repeated=False)
    return ask(model, [Property("deadlock", "deadlock")], of_states, None)[0].verdict == "true"


def looks_at(p: Property, names: Collection[str]) -> bool:
    """Whether a property speaks of one of some variables."""
    if not names:
        return False
    asked = [p.body, *p.fair] if isinstance(p.body, Node) else p.fair
    return any(isinstance(n, Var) and n.name in names for f in asked for n in nodes(f))


def spoken_of(model: Model, p: Property) -> Model:
    """The model that a property speaks of, whose states its traces show."""
    looks = looks_at(p, ghosts(model))
    return replace(with_ghosts(model) if looks else without_ghosts(model), begins=None)


def with_ghosts(model: Model) -> Model:
    """The model whose ghosts are variables like all others."""
    system = model.system
    assert isinstance(system, ElementaryType)
    variables = tuple(replace(v, ghost=False) if v.ghost else v for v in system.variables)
    return replace(model, types=(replace(system, variables=variables),))


def without_ghosts(model: Model) -> Model:
    """The model without the variables that only properties look at."""
    names = ghosts(model)
    system = model.system
    if not names or not isinstance(system, ElementaryType):
        return model

    def change(statement: Statement) -> tuple[Statement, ...]:
        written = isinstance(statement, Assign) and statement.target.name in names
        return () if written else (statement,)

    events = tuple(replace(e, body=map_body(e.body, change)) for e in system.events)
    variables = tuple(v for v in system.variables if v.name not in names)
    return replace(model, types=(replace(system, variables=variables, events=events),))
