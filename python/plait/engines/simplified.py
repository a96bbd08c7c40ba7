"""Temporal properties as simpler ones: facts put in, taken apart, answered piece by piece.

A CTL or LTL formula on a large net is often decided by less than its nesting suggests. Conditions
that are true of every reachable state, or of none, become constants (`facts`), and so do
sub-formulas whose needs (`plait.logic.approximate`) no reachable state meets. The rest is
simplified by equivalences (`plait.logic.temporal_rules`), and what the initial state decides is
decided. A formula that is then a Boolean combination is taken apart. Its parts about reachable
states go to the engines for these, and the answers of the parts make that of the whole by strong
Kleene logic, as soon as they suffice. If every run of a net ends, the value of a formula in its
deadlocks decides more (`plait.logic.at_end`), and a question for a state that satisfies a formula
is often answered by a state that satisfies a sufficient condition for it.

Invariant: in the initial state each property holds exactly when its simpler form does, and that
form is about the same model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from plait.automata.propositions import is_defined
from plait.engines.atoms import prepared_for
from plait.engines.briefly import briefly
from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.nets.facts import Facts
from plait.engines.request import Tell
from plait.engines.safety import as_safety
from plait.engines.stopped import as_far_as_limits_let
from plait.logic.approximate import needs, stays
from plait.logic.at_end import suffices, where_runs_end
from plait.logic.formula import Exists, Finally, NeverClaim
from plait.logic.nnf import nnf
from plait.logic.single_path import shown_by_a_path
from plait.logic.temporal_rules import asks_deadlock, initially, of_states, simplified
from plait.logic.walk import conditions as conditions_of
from plait.logic.walk import subformulas
from plait.model.expr import And, Deadlock, Formula, Not, Or, Truth
from plait.model.net import Net, as_net
from plait.model.node import nodes
from plait.model.types import Model, Property
from plait.records import replace
from plait.report.answer import Answer, Verdict

ENGINE = "simplification"
PART = 0.15
"""The part of the time that facts may take."""
SOME = 0.4
"""The part of that for what some run leaves from everywhere."""
FIRST = 0.7
"""... and for conditions by themselves."""
SECONDS = 10.0
"""... and so many seconds where there is no limit."""
LEFT = 0.5
"""The part of what is left then for what no run stays in."""
MOST_NEEDS = 200
"""Sub-formulas whose needs are looked at."""
MOST_NODES = 50_000
"""Nodes of all conditions that are looked at."""
SMALL = 200
"""Conditions that a need may be made of."""
WALKED = 0.08
"""The part of the time for walks that show a CTL property by one path."""
ROUNDS = 8
"""... and their rounds."""
SOUGHT = 0.08
"""The part of the time for states that suffice for a CTL property."""
ENDINGS = 3
"""How often it is looked at what follows from all runs having an end."""
Ask = Callable[[Sequence[Property], Tell], list[Answer]]
"""Answers properties, telling each answer as it comes."""


def is_simplified(p: Property) -> bool:
    """Whether a property is one that may become simpler.

    Its conditions have a value in every state: where one is undefined it is as false as its
    negation, and that the negation never holds does not tell that the condition always does.
    """
    if p.kind not in ("ctl", "ltl") or not isinstance(p.body, Formula):
        return False
    if isinstance(p.body, NeverClaim) or as_safety(p) is not None:
        return False
    # A constant index was looked at when the property was read.
    return all(is_defined(f, checked=True) for f in conditions_of(nnf(p.body)))


def simpler(model: Model, properties: Sequence[Property], budget: Budget) -> list[Formula]:
    """A body for each CTL or LTL property that is as true initially as its own."""
    bodies = []
    for p in properties:
        assert isinstance(p.body, Formula)
        bodies.append(simplified(nnf(p.body), linear=p.kind == "ltl"))
    facts = Facts(model)
    share = Budget(budget.part(PART, SECONDS), budget.memory)
    with as_far_as_limits_let():
        some = replace(share, timeout=(share.timeout or 0) * SOME)
        bodies = _leaving(facts, properties, bodies, some, by_some=True)
        bodies = _endings(facts, properties, bodies, share)
        begun = replace(share, timeout=(share.timeout or 0) * FIRST)
        first, known = _conditions(facts, bodies, begun)
        bodies = _with(bodies, properties, known)
        bodies = [initially(body, first.get) for body in bodies]
        rest = share.remaining() or 0.0
        every = Budget(rest * LEFT, budget.memory)
        bodies = _leaving(facts, properties, bodies, every, by_some=False)
        bodies = _with(bodies, properties, _needs(facts, bodies, first, share))
        return _endings(facts, properties, bodies, share)
    return bodies


def _with(
    bodies: Sequence[Formula], properties: Sequence[Property], known: dict[int, bool]
) -> list[Formula]:
    """The bodies with what is known of sub-formulas, by identity, put in."""
    return [
        simplified(body, lambda f: known.get(id(f)), linear=p.kind == "ltl")
        for body, p in zip(bodies, properties, strict=True)
    ]


def _endings(
    facts: Facts, properties: Sequence[Property], bodies: list[Formula], budget: Budget
) -> list[Formula]:
    """The bodies with what follows from every run having an end, where each has one."""
    for _ in range(ENDINGS):
        made = zip(properties, bodies, strict=True)
        known = [where_runs_end(body, linear=p.kind == "ltl") for p, body in made]
        if not any(known) or not facts.every_run_ends(budget):
            break
        made = zip(properties, bodies, strict=True)
        bodies = [_with([b], [p], k)[0] for (p, b), k in zip(made, known, strict=True)]
    return bodies


def _conditions(
    facts: Facts, bodies: Sequence[Formula], budget: Budget
) -> tuple[dict[Formula, bool], dict[int, bool]]:
    """What conditions are initially, and which are so in all states; those by identity."""
    asking = {id(f): g for body in bodies for f, g in _of_one_state(body)}
    small = {id(g) for g in _affordable({id(g): g for g in asking.values()}.values())}
    asking = {number: g for number, g in asking.items() if id(g) in small}
    distinct = list(dict.fromkeys(asking.values()))
    asked = [g for f in distinct for g in (f, nnf(Not(f)))]
    seen = facts.look(asked, budget)
    first: dict[Formula, bool] = {}
    always: dict[Formula, bool] = {}
    for i, f in enumerate(distinct):
        holds, fails = seen[2 * i], seen[2 * i + 1]
        if holds.initially is not None:
            first[f] = holds.initially
        if holds.never or fails.never:
            always[f] = fails.never
    return first, {number: always[f] for number, f in asking.items() if f in always}


def _of_one_state(body: Formula) -> Iterator[tuple[Formula, Formula]]:
    """The parts of a formula that speak of one state, each with the condition that it is."""
    for f in conditions_of(body):
        if not isinstance(f, Truth):
            yield f, f
    for f in subformulas(body):
        condition = asks_deadlock(f)
        if condition is not None:
            yield f, condition


def _needs(
    facts: Facts, bodies: Sequence[Formula], first: dict[Formula, bool], budget: Budget
) -> dict[int, bool]:
    """Sub-formulas, by identity, that are true or false in all states since they need what none is.

    What a condition needs is the condition itself, which has been looked at.
    """
    asked: list[tuple[int, bool, Formula]] = []
    for body in bodies:
        for number, need in needs(body).items():
            for value, f in ((False, need.holds), (True, need.fails)):
                composed = isinstance(f, And | Or) and len(f.operands) <= SMALL
                if composed and f not in first and len(asked) < MOST_NEEDS:
                    asked.append((number, value, f))
    small = {id(f) for f in _affordable(f for _, _, f in asked)}
    asked = [(number, value, f) for number, value, f in asked if id(f) in small]
    distinct = list(dict.fromkeys(f for _, _, f in asked))
    seen = dict(zip(distinct, facts.look(distinct, budget), strict=True)) if distinct else {}
    return {number: value for number, value, f in asked if seen[f].never}


def _leaving(
    facts: Facts,
    properties: Sequence[Property],
    bodies: Sequence[Formula],
    budget: Budget,
    *,
    by_some: bool,
) -> list[Formula]:
    """The bodies without the operators that ask whether runs stay somewhere where they do not.

    Those are looked at for which it is enough that some run leaves, or those for which all must.
    """
    asked = [
        stay
        for p, body in zip(properties, bodies, strict=True)
        for stay in stays(body, linear=p.kind == "ltl")
        if stay.by_some == by_some
    ][:MOST_NEEDS]
    small = {id(f) for f in _affordable(stay.where for stay in asked)}
    distinct = list(dict.fromkeys(stay.where for stay in asked if id(stay.where) in small))
    if not distinct:
        return list(bodies)
    look = facts.sometimes_left if by_some else facts.always_left
    left = dict(zip(distinct, look(distinct, budget), strict=True))
    gone = {stay.operator: stay.otherwise for stay in asked if left.get(stay.where)}
    values = {number: value for number, value in gone.items() if isinstance(value, bool)}
    instead = {number: kind for number, kind in gone.items() if not isinstance(kind, bool)}
    return [
        simplified(body, lambda f: values.get(id(f)), linear=p.kind == "ltl", instead=instead)
        for body, p in zip(bodies, properties, strict=True)
    ]


def _affordable(formulas: Iterable[Formula]) -> Iterator[Formula]:
    """The first formulas that are not too large all together; sums of thousands of places are."""
    left = MOST_NODES
    for f in formulas:
        size = sum(1 for _ in islice(nodes(f), left + 1))
        if size <= left:
            left -= size
            yield f


class _Whole:
    """A property, and the parts that its simpler form is a Boolean combination of."""

    def __init__(self, p: Property, body: Formula) -> None:
        self.property = p
        self.body = body
        self.parts: dict[int, Property] = {}
        splits = (And, Or) if p.kind == "ctl" else (And,)
        stack = [body]
        while stack:
            f = stack.pop()
            if isinstance(f, splits):
                stack.extend(f.operands)
            elif not isinstance(f, Truth):
                part = replace(p, name=f"{p.name} {len(self.parts) + 1}", body=of_states(f))
                # As a condition a deadlock reads all places, which only a question about reachable
                # states is worth.
                asked = part if as_safety(part) is not None else replace(part, body=f)
                self.parts[id(f)] = asked
        self.found: dict[int, Answer] = {}

    def verdict(self) -> Verdict:
        """What the answers so far make of it."""
        values: dict[int, bool | None] = {}
        stack: list[tuple[Formula, bool]] = [(self.body, False)]
        while stack:
            f, expanded = stack.pop()
            if isinstance(f, Truth):
                values[id(f)] = f.value
            elif id(f) in self.parts:
                answer = self.found.get(id(f))
                known = answer is not None and answer.verdict != "unknown"
                values[id(f)] = bool(answer) if known else None
            elif expanded:
                assert isinstance(f, And | Or)
                below = [values[id(g)] for g in f.operands]
                decisive = isinstance(f, Or)
                if decisive in below:
                    values[id(f)] = decisive
                else:
                    values[id(f)] = None if None in below else not decisive
            else:
                assert isinstance(f, And | Or)
                stack.append((f, True))
                stack.extend((g, False) for g in f.operands)
        value = values[id(self.body)]
        return "unknown" if value is None else "true" if value else "false"

    def answer(self) -> Answer:
        """The answer to the property, as far as there is one."""
        found = list(self.found.values())
        verdict = self.verdict()
        if not found:
            return Answer(self.property, verdict, ENGINE)
        telling = [a for a in found if a.verdict != "unknown"]
        open_ = [a for a in found if a.verdict == "unknown"]
        last = open_[0] if verdict == "unknown" else telling[-1]
        sums = [n for a in found if isinstance(n := a.stats.get("max_sum"), int)]
        stats = {**last.stats, **({"max_sum": max(sums)} if sums else {})}
        witness = last.witness if len(self.parts) == 1 else None
        return replace(last, property=self.property, verdict=verdict, stats=stats, witness=witness)


def _walk_for(model: Model, parts: Sequence[Property], budget: Budget, tell: Tell) -> None:
    """Look for single paths that show a CTL property, or its negation (`shown_by_a_path`)."""
    from plait.engines.explicit.run_walks import RunWalks  # which only these need

    asked: list[tuple[Property, bool, Property]] = []
    for p in parts:
        assert isinstance(p.body, Formula)
        for verdict, body in ((True, p.body), (False, nnf(Not(p.body)))):
            path = shown_by_a_path(body) if p.kind == "ctl" and as_safety(p) is None else None
            if path is not None:
                asked.append((p, verdict, Property(p.name, kind="ltl", body=nnf(Not(path)))))
    if not asked or not isinstance(as_net(model), Net):
        return
    share = Budget(budget.part(WALKED, SECONDS), budget.memory)

    def hear(place: int, answer: Answer) -> None:
        p, verdict, _ = asked[place]
        if answer.verdict == "false":
            tell(replace(answer, property=p, verdict="true" if verdict else "false", witness=None))

    walks = RunWalks(Evidence(model, shows_runs=False), [q for _, _, q in asked])
    with as_far_as_limits_let():
        walks.check(range(len(asked)), share, hear, ROUNDS)


def _seek_for(model: Model, parts: Sequence[Property], budget: Budget, tell: Tell) -> None:
    """Look for states that suffice for what a property, or its negation, asks some state for."""
    from plait.engines.nets.engine import Structural  # which only these need

    shows: dict[Formula, list[tuple[Property, Verdict]]] = {}
    for p in parts:
        if p.kind != "ctl" or as_safety(p) is not None:
            continue
        assert isinstance(p.body, Formula)
        for body in (p.body, nnf(Not(p.body))):
            verdict: Verdict = "true" if body is p.body else "false"
            if isinstance(body, Exists) and isinstance(body.operand, Finally):
                enough = suffices(body)[id(body)]
                if not isinstance(enough, Truth):
                    shows.setdefault(enough, []).append((p, verdict))
    if not shows or not isinstance(as_net(model), Net):
        return
    share = Budget(budget.part(SOUGHT, SECONDS), budget.memory)
    # Whether there is any deadlock has ways of its own.
    asked = [
        Property(f"state {i}", "deadlock") if f == Deadlock() else Property(f"{i}", "reachable", f)
        for i, f in enumerate(shows)
    ]
    with as_far_as_limits_let():
        found = Structural(model).check(asked, share)
        for of, answer in zip(shows.values(), found, strict=True):
            if answer.verdict == ("false" if answer.property.kind == "deadlock" else "true"):
                for p, verdict in of:
                    tell(replace(answer, property=p, verdict=verdict, witness=None))


def check_simplified(
    model: Model, properties: Sequence[Property], budget: Budget, ask: Ask, tell: Tell | None
) -> list[Answer]:
    """The answers, in order, by what diagrams tell in a moment or `ask` of the simpler parts."""
    spoken = [
        f
        for p in properties
        if is_simplified(p) and isinstance(p.body, Formula)
        for f in (*conditions_of(nnf(p.body)), Deadlock())
    ]
    known: dict[int, Answer] = {}

    def hear(answer: Answer) -> None:
        known[id(answer.property)] = answer
        if tell is not None:
            tell(answer)

    with prepared_for(model, spoken):
        briefly(model, properties, budget, hear)
        left = [p for p in properties if id(p) not in known]
        if left:
            for p, answer in zip(left, _check(model, left, budget, ask, tell), strict=True):
                known[id(p)] = answer
    return [known[id(p)] for p in properties]


def _check(
    model: Model, properties: Sequence[Property], budget: Budget, ask: Ask, tell: Tell | None
) -> list[Answer]:
    places = [i for i, p in enumerate(properties) if is_simplified(p)]
    bodies = simpler(model, [properties[i] for i in places], budget)
    wholes = [_Whole(properties[i], body) for i, body in zip(places, bodies, strict=True)]
    simple = set(places)
    others = [p for i, p in enumerate(properties) if i not in simple]
    unchanged = set(map(id, others))
    owners: dict[int, tuple[_Whole, int]] = {}
    done: set[int] = set()

    def say(whole: _Whole) -> None:
        if id(whole) not in done and whole.verdict() != "unknown":
            done.add(id(whole))
            if tell is not None:
                tell(whole.answer())

    def hear(answer: Answer) -> None:
        if id(answer.property) in unchanged and tell is not None:
            tell(answer)
        if id(answer.property) in owners:
            whole, number = owners[id(answer.property)]
            whole.found[number] = answer
            say(whole)

    def still_open() -> list[Property]:
        """The parts whose answers are wanted."""
        waiting = [whole for whole in wholes if id(whole) not in done]
        return [p for w in waiting for n, p in w.parts.items() if n not in w.found]

    for whole in wholes:
        say(whole)
        for number, part in whole.parts.items():
            owners[id(part)] = (whole, number)
    _walk_for(model, still_open(), budget, hear)
    _seek_for(model, still_open(), budget, hear)
    parts = still_open()
    found = ask([*others, *parts], hear)
    for part, answer in zip(parts, found[len(others) :], strict=True):
        whole, number = owners[id(part)]
        if number not in whole.found or whole.found[number].verdict == "unknown":
            whole.found[number] = answer
        say(whole)
    answers = dict(zip((i for i in range(len(properties)) if i not in simple), found, strict=False))
    answers |= {i: whole.answer() for i, whole in zip(places, wholes, strict=True)}
    return [answers[i] for i in range(len(properties))]


__all__ = ["check_simplified", "is_simplified", "simpler"]
