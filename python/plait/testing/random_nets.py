"""Random place/transition nets: weighted, read, inhibitor and reset arcs, bounded on purpose."""

from __future__ import annotations

from plait.model.arithmetic import INT_MAX
from plait.model.expr import Binary, Compare, Const, Formula, Var
from plait.model.stmt import Assign, Statement
from plait.model.types import Domain, ElementaryType, Event, Variable
from plait.testing.choices import Choices
from plait.testing.random_composites import Written
from plait.testing.random_expressions import Place


def net(choices: Choices, name: str) -> Written:
    """A net whose events consume about as much as they produce."""
    c = choices
    count = c.integer(4, 7)
    places = tuple(f"p{i}" for i in range(count))
    tokens = [c.weighted([(3, 0), (4, 1), (2, 2), (1, 3)]) for _ in places]
    variables = tuple(
        Variable(p, (Const(n),) if n else (), None, Domain(0, INT_MAX))
        for p, n in zip(places, tokens, strict=True)
    )
    events = tuple(_event(c, f"t{i}", places) for i in range(c.integer(2, 9)))
    made = ElementaryType(name, (), (), events, variables)
    most = max(1, sum(tokens))
    observed = tuple(Place(p, 0, min(4, most)) for p in places)
    return Written(made, (), observed, tuple(e.name for e in events), (), count)


def _event(c: Choices, name: str, places: tuple[str, ...]) -> Event:
    """Arcs of one event: inputs, outputs of about the same weight, rarely a special arc."""
    inputs = {p: c.weighted([(6, 1), (1, 2)]) for p in c.some(places, 1, 1 if c.chance(60) else 2)}
    total = sum(inputs.values())
    outputs: dict[str, int] = {}
    for _ in range(total - (1 if c.chance(8) else 0)):
        p = c.pick(places)
        outputs[p] = outputs.get(p, 0) + 1
    guard: list[Formula] = [Compare(">=", Var(p), Const(w)) for p, w in inputs.items()]
    body: list[Statement] = []
    rest = [p for p in places if p not in inputs]
    if rest and c.chance(12):
        guard.append(Compare("<", Var(c.pick(rest)), Const(c.integer(1, 2))))
    if rest and c.chance(6):
        # A source of tokens, kept finite by an inhibitor arc on what it fills.
        filled = c.pick(rest)
        guard.append(Compare("<", Var(filled), Const(2)))
        outputs = {filled: 1}
    if rest and c.chance(6):
        body.append(Assign(Var(c.pick(rest)), Const(0)))
    if c.chance(8):
        p = c.pick(places)
        outputs[p] = outputs.get(p, 0) + inputs.get(p, 0)
    for p in places:
        effect = outputs.get(p, 0) - inputs.get(p, 0)
        if effect:
            op = Binary("+" if effect > 0 else "-", Var(p), Const(abs(effect)))
            body.append(Assign(Var(p), op))
    return Event(name, tuple(guard), tuple(body))
