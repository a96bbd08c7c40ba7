"""The state graph of a model, or a part of it.

The reference executes the original model, state by state, since a picture needs no more states than
it can list. There are three ways to choose a part: breadth first from the initial state, up to a
number of states or of steps; around a state, forward and backward; along a trace that an engine
found, with the states nearest to it. For every state it is known whether something was left out, so
that a picture can say so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from plait.engines import check
from plait.engines.budget import Budget, Listener, Progress, resident_memory
from plait.errors import LimitReached, error
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.room import ensure_room_for
from plait.model.shape import State
from plait.model.types import Model, Property
from plait.model.watch import watched_by
from plait.records import dataclass, field, replace
from plait.reference import Graph, Semantics
from plait.report.answer import Answer, Step, Witness
from plait.report.state_graph import Drawn, StateGraph, drawn_graph
from plait.report.trace import title as shown_title
from plait.report.view import Item, StateView

LIMIT = 300
"""So many nodes are drawn, unless another number is given."""
EXPLORED = 100_000
"""So many states are looked at where states are grouped, or one among them is looked for."""
TICK = 256
"""States between two words about how far it is."""
Look = Callable[[int, int], None]
AROUND = 2
"""So many steps around a state."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be seen of a state graph."""

    limit: int = LIMIT
    depth: int | None = None
    around: str | None = None
    """A condition: the first state where it holds; or the number of a state."""
    trace: str | Witness | None = None
    """A property, or a formula, whose trace is shown; or the trace."""
    group: tuple[str, ...] = ()
    show: tuple[str, ...] = ()
    components: bool = False


def state_graph(
    model: Model,
    wanted: Wanted,
    budget: Budget | None = None,
    listen: Listener | None = None,
) -> StateGraph:
    """The graph that is wanted; where time or memory ends, what is known of it by then."""
    budget = Budget() if budget is None else budget
    look = _look(budget, listen)
    semantics = Semantics(model)
    view = StateView(semantics.shape)
    shown = _items(view, wanted.show, "show")
    groups = _items(view, wanted.group, "group")
    if wanted.around is not None and wanted.trace is not None:
        raise error("a graph is drawn around a state or along a trace, not both")
    answer, witness = _trace(model, wanted.trace, budget, listen)
    begin = _beginnings(semantics, model)
    if wanted.around is not None:
        nodes = None if groups else wanted.limit
        part = _around(semantics, model, begin, wanted, look, limit=nodes)
    else:
        limit = EXPLORED if groups else wanted.limit
        part = _along(semantics, begin, witness, limit=limit, depth=wanted.depth, look=look)
    numbers = part.graph.number
    drawn = Drawn(
        name=model.name,
        view=view,
        states=part.graph.states,
        arcs=part.graph.arcs,
        parents=part.graph.parents,
        hidden=part.hidden,
        initial={numbers[s] for s in begin if s in numbers},
        centre=part.centre,
        numbers=part.numbers,
        notes=() if answer is None else (_told(answer),),
        partial=part.told(),
        stopped=part.reason,
        trace=witness,
        titles=lambda event: _shown(semantics, event),
    )
    return drawn_graph(
        drawn, shown=shown, groups=groups, limit=wanted.limit, components=wanted.components
    )


def _shown(semantics: Semantics, event: str) -> str:
    """An event as traces show it: of a process, the statement."""
    move = semantics.event(event)
    return shown_title(Step(event, (), move.process, move.span))


def _items(view: StateView, names: Iterable[str], what: str) -> list[Item]:
    found: dict[str, Item] = {}
    for name in names:
        items = view.chosen(name)
        if not items and name == "processes":
            raise error("the model has no processes to group its states by")
        if not items:
            from difflib import get_close_matches

            known = [item.name for item in view.items]
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"there are: {', '.join(known[:20])}"
            raise error(f"--{what}: the model has no variable named '{name}'", hint=hint)
        found |= {item.name: item for item in items}
    return list(found.values())


# --- the trace ------------------------------------------------------------------------------------


def _trace(
    model: Model, trace: str | Witness | None, budget: Budget, listen: Listener | None
) -> tuple[Answer | None, Witness | None]:
    """The trace to be shown, and the answer that it comes from."""
    if trace is None or isinstance(trace, Witness):
        return None, trace
    ensure_room_for(model, trace)
    asked = next((p for p in model.properties if p.name == trace), None)
    (answer,) = check(model, [asked or _formula(trace, model)], budget=budget, listen=listen)
    return answer, answer.witness


def _formula(text: str, model: Model) -> Property:
    found = parse_formula(text, model)
    if found.kind == "atom":
        raise error("an atom only names a condition; there is nothing to check", found.span)
    return found


def _told(answer: Answer) -> str:
    from plait.report.text import verdict_text

    name, said = answer.property.name, verdict_text(answer)
    if answer.witness is None:
        return f"{name}: {said}; there is no trace to show"
    steps = len(answer.witness.steps)
    return f"{name}: {said}, shown by the thick trace of {steps} step{'' if steps == 1 else 's'}"


def _beginnings(semantics: Semantics, model: Model) -> list[State]:
    """The initial states: the one there is, or those that it merely chooses among."""
    if model.begins is None:
        return [semantics.initial]
    return list(dict.fromkeys(state for _, state in semantics.successors(semantics.initial)))


def _look(budget: Budget, listen: Listener | None) -> Look:
    """Looks at the budget for each state, with how many are known and how many were looked at."""

    def look(states: int, done: int) -> None:
        budget.check()
        if listen is not None and done % TICK == 0:
            memory, seconds = resident_memory(), budget.elapsed
            listen(Progress("states", states, 0, states - done, memory, seconds))

    return look


# --- parts ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Part:
    """States and the arcs between them; `hidden` counts the arcs of each that lead elsewhere.

    Of states that were not looked at any more, when time or memory ended, `hidden` is -1.
    """

    graph: Graph
    hidden: list[int] = field(default_factory=list)
    numbers: list[int] | None = None
    """Those of the states in the whole graph, where they are others."""
    centre: int | None = None
    where: str = ""
    """Which part it is, if it was chosen."""
    reason: str | None = None

    def told(self) -> str | None:
        """What is not there."""
        if self.reason is not None:
            from plait.report.text import reason_text

            return f"{self.where or 'the first states only'} ({reason_text(self.reason)})"
        if self.where or any(self.hidden):
            return self.where or f"the first {len(self.graph.states)} states only"
        return None


def _along(
    semantics: Semantics,
    begin: Sequence[State],
    witness: Witness | None,
    *,
    limit: int,
    depth: int | None,
    look: Look,
) -> _Part:
    """The states nearest to a trace, which is there in full, or to where everything begins."""
    passed = () if witness is None else witness.states
    # The one that merely chooses where to begin is none of them.
    trace = [s for s in passed if s != semantics.initial or s in begin]
    others = [s for s in begin if s not in trace]
    room = max(0, limit - len(trace))
    part = _explored(semantics, [*trace, *others[:room]], max(limit, len(trace)), depth, look)
    if len(others) > room:
        kept = sum(s in part.graph.number for s in begin)
        part.where = f"{kept} of {len(begin)} initial states, and what is near"
    elif depth is not None and any(part.hidden) and len(part.graph.states) < limit:
        steps = f"within {depth} step{'' if depth == 1 else 's'}"
        part.where = f"the states {steps} {'of the trace' if trace else 'only'}"
    return part


def _explored(
    semantics: Semantics,
    seeds: Sequence[State],
    limit: int,
    depth: int | None,
    look: Look,
) -> _Part:
    """The states nearest to the seeds, up to a number of states and of steps."""
    graph = Graph()
    for seed in seeds:
        graph.add(seed, None)
    part = _Part(graph)
    level = [0] * len(graph.states)
    for source, state in enumerate(graph.states):
        row: list[tuple[str, int]] = []
        hidden = 0
        try:
            look(len(graph.states), source)
            # One step may lead to very many states.
            with watched_by(partial(look, len(graph.states), source)):
                arcs = semantics.successors(state)
        except LimitReached as stop:
            part.reason = stop.reason
            break
        for title, successor in arcs:
            known = graph.number.get(successor)
            if known is None and (len(graph.states) >= limit or level[source] == depth):
                hidden += 1
                continue
            if known is None:
                known = graph.add(successor, (source, title))
                level.append(level[source] + 1)
            row.append((title, known))
        graph.arcs.append(row)
        part.hidden.append(hidden)
    missing = len(graph.states) - len(graph.arcs)
    graph.arcs += [[] for _ in range(missing)]
    part.hidden += [-1] * missing
    return part


def _around(
    semantics: Semantics,
    model: Model,
    begin: Sequence[State],
    wanted: Wanted,
    look: Look,
    *,
    limit: int | None,
) -> _Part:
    """The states around one, forward and backward, of those that can be reached."""
    assert wanted.around is not None
    whole = _along(semantics, begin, None, limit=EXPLORED, depth=None, look=look)
    centre = _centre(semantics, model, wanted.around, whole)
    depth = AROUND if wanted.depth is None else wanted.depth
    kept = _near(whole.graph, centre, depth, len(whole.graph.states) if limit is None else limit)
    steps = f"{depth} step{'' if depth == 1 else 's'}"
    part = _restricted(whole, sorted(kept))
    part.centre = part.graph.number[whole.graph.states[centre]]
    if len(kept) < len(whole.graph.states) or any(whole.hidden):
        every = len(whole.graph.states)
        more = "more than " if any(whole.hidden) else ""
        part.where = f"{len(kept)} of {more}{every} states, within {steps} of state {centre}"
    return part


def _centre(semantics: Semantics, model: Model, around: str, whole: _Part) -> int:
    states = whole.graph.states
    if around.isascii() and around.isdigit():
        number = int(around[:12])
        if number >= len(states):
            raise error(f"there is no state {around}: they are numbered up to {len(states) - 1}")
        return number
    body = parse_formula(around, model, "around", kind="reachable").body
    assert isinstance(body, Formula)
    found = next((i for i, s in enumerate(states) if semantics.holds(body, s)), None)
    if found is None:
        looked = f" among the first {len(states)}" if any(whole.hidden) else ""
        raise error(f"no reachable state{looked} satisfies '{around}'")
    return found


def _near(graph: Graph, centre: int, depth: int, limit: int) -> set[int]:
    """The nearest states along arcs in either direction."""
    before: list[list[int]] = [[] for _ in graph.states]
    for source, row in enumerate(graph.arcs):
        for _, target in row:
            before[target].append(source)
    level = {centre: 0}
    queue = [centre]
    for state in queue:
        if level[state] == depth:
            break
        for other in (*(t for _, t in graph.arcs[state]), *before[state]):
            if other not in level and len(queue) < limit:
                level[other] = level[state] + 1
                queue.append(other)
    return set(queue)


def _restricted(whole: _Part, kept: Sequence[int]) -> _Part:
    """The part of a part that has these states only."""
    place = {number: i for i, number in enumerate(kept)}
    graph = Graph()
    hidden = []
    for number in kept:
        parent = whole.graph.parents[number]
        known = parent is not None and parent[0] in place
        graph.add(
            whole.graph.states[number],
            (place[parent[0]], parent[1]) if parent is not None and known else None,
        )
        row = whole.graph.arcs[number]
        graph.arcs.append([(title, place[t]) for title, t in row if t in place])
        away = len(row) - len(graph.arcs[-1])
        hidden.append(
            whole.hidden[number] if whole.hidden[number] < 0 else whole.hidden[number] + away
        )
    return replace(whole, graph=graph, hidden=hidden, numbers=list(kept))


__all__ = ["LIMIT", "Wanted", "state_graph"]
