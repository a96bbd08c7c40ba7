"""A state graph as it is shown: a picture, a text for Graphviz, a document in JSON.

A node is a state, or with groups all states that agree on some items. Events that lead from one
node to another are one arc.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import islice, pairwise

from plait.automata.components import components
from plait.hints import Any
from plait.model.shape import State
from plait.records import dataclass, replace
from plait.report.answer import Witness
from plait.report.picture import Arrow, Node, Picture
from plait.report.state_labels import label_lines, word
from plait.report.svg import fold, shorten
from plait.report.view import Item, StateView

EVENTS, LETTERS = 4, 30
"""The events beside an arc, and the letters of each; all are in the tooltip."""
VALUES = 100
"""The values in a tooltip."""
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class StateNode:
    """A state, or a group of so many `states`; `hidden` arcs lead to what is not shown."""

    number: int
    lines: tuple[str, ...]
    values: dict[str, str]
    states: int | None = None
    initial: bool = False
    deadlocks: int = 0
    marked: bool = False
    centre: bool = False
    hidden: int = 0
    component: int | None = None


@dataclass(frozen=True, slots=True)
class StateArc:
    """All events between two nodes; `marked` if the trace goes there."""

    source: int
    target: int
    events: tuple[str, ...]
    marked: bool = False
    labels: tuple[str, ...] = ()
    """How the events are shown, where they are statements of processes."""

    @property
    def shown(self) -> tuple[str, ...]:
        """What is written beside the arc."""
        return self.labels or self.events


@dataclass(frozen=True, slots=True)
class StateGraph:
    """What is shown of the states of a model. `partial` says what is not."""

    name: str
    nodes: tuple[StateNode, ...]
    arcs: tuple[StateArc, ...]
    notes: tuple[str, ...] = ()
    partial: str | None = None
    stopped: str | None = None
    """Why the states were not all looked at, if time or memory ended."""
    grouped: tuple[str, ...] = ()
    """The items that the states of a node agree on."""

    def svg(self) -> str:
        """The graph as a drawing that stands by itself."""
        return self._picture().svg()

    def dot(self) -> str:
        """The graph for Graphviz."""
        from plait.lang.dot import quote

        lines = [f"digraph {quote(self.name)} {{"]
        label = "\n".join((self._title(), *self.notes, *self._warnings()))
        lines.append(f'  label={quote(label)}; labelloc=t; node [shape=box, fontname="monospace"];')
        for i, node in enumerate(self.nodes):
            looks = [f"label={quote(chr(10).join(_lines(node)))}"]
            looks += ["peripheries=2"] if node.initial else []
            looks += ['color="#b3261e"'] if node.deadlocks else []
            looks += ["penwidth=2.5"] if node.marked else []
            looks += ["style=dashed"] if node.hidden else []
            lines.append(f"  n{i} [{', '.join(looks)}];")
        for arc in self.arcs:
            looks = [f"label={quote(chr(10).join(arc.shown))}"]
            looks += ["penwidth=2.5"] if arc.marked else []
            lines.append(f"  n{arc.source} -> n{arc.target} [{', '.join(looks)}];")
        return "\n".join([*lines, "}", ""])

    def data(self) -> dict[str, Any]:
        """The graph as a document for JSON; arcs name nodes by their place in the list."""
        from plait import __version__

        return {
            "schema": SCHEMA,
            "model": self.name,
            "plait": __version__,
            "partial": self.partial,
            "grouped": list(self.grouped),
            "notes": list(self.notes),
            "nodes": [
                {
                    "number": n.number,
                    "values": n.values,
                    "states": n.states or 1,
                    "initial": n.initial,
                    "deadlocks": n.deadlocks,
                    "marked": n.marked,
                    "hidden": n.hidden,
                    "component": n.component,
                }
                for n in self.nodes
            ],
            "arcs": [
                {
                    "source": a.source,
                    "target": a.target,
                    "events": list(a.events),
                    "marked": a.marked,
                }
                for a in self.arcs
            ],
        }

    def _repr_html_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        about = "" if self.partial is None else f", partial: {self.partial}"
        return f"<StateGraph {self._title()}{about}>"

    def _title(self) -> str:
        states, deadlocks = (
            sum(n.states or 1 for n in self.nodes),
            sum(n.deadlocks for n in self.nodes),
        )
        parts = [_count(len(self.nodes), "group")] if self.grouped else []
        parts += [_count(states, "state"), _count(len(self.arcs), "arc")]
        parts += [_count(deadlocks, "deadlock")] if deadlocks else []
        return f"{self.name}: {', '.join(parts)}"

    def _warnings(self) -> tuple[str, ...]:
        return () if self.partial is None else (f"partial: {self.partial}",)

    def _picture(self) -> Picture:
        repeated = any(n.component is not None for n in self.nodes)
        shaded = ("states of one colour lead to each other",) if repeated else ()
        broken = any(n.hidden for n in self.nodes)
        dashed = ("arcs that are not shown leave nodes with a broken border",) if broken else ()
        return Picture(
            self._title(),
            tuple(_node(n) for n in self.nodes),
            tuple(_arrow(a) for a in self.arcs),
            (*self.notes, *shaded, *dashed),
            self._warnings(),
        )


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _lines(node: StateNode) -> tuple[str, ...]:
    if node.states is None:
        return (str(node.number), *node.lines)
    dead = f", {_count(node.deadlocks, 'deadlock')}" if node.deadlocks else ""
    return (*node.lines, _count(node.states, "state") + dead)


def _node(node: StateNode) -> Node:
    single = node.states is None
    facts = [f"state {node.number}" if single else _lines(node)[-1]]
    facts += ["initial"] if node.initial else []
    facts += ["deadlock"] if node.deadlocks and single else []
    if node.hidden:
        more = _count(node.hidden, "arc") if node.hidden > 0 else "its arcs"
        facts.append(f"{more} not shown")
    values = [f"{name} = {value}" for name, value in islice(node.values.items(), VALUES)]
    if len(node.values) > VALUES:
        values.append(f"and {len(node.values) - VALUES} more")
    return Node(
        _lines(node),
        "\n".join((", ".join(facts), *values)),
        shape="round",
        start=node.initial,
        hot=node.marked or node.centre,
        bad=bool(node.deadlocks),
        open=bool(node.hidden),
        group=node.component,
    )


def _arrow(arc: StateArc) -> Arrow:
    shown = [shorten(text, LETTERS) for text in arc.shown[:EVENTS]]
    if len(arc.events) > EVENTS:
        shown[-1] = f"and {len(arc.events) - EVENTS + 1} more"
    return Arrow(arc.source, arc.target, tuple(shown), "\n".join(arc.events), hot=arc.marked)


# --- from states to nodes -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Drawn:
    """The states to be drawn, the arcs between them, and what is known of them."""

    name: str
    view: StateView
    states: Sequence[State]
    arcs: Sequence[Sequence[tuple[str, int]]]
    parents: Sequence[tuple[int, str] | None]
    hidden: Sequence[int]
    """For each state how many arcs lead elsewhere; -1 where nobody has looked."""
    initial: Collection[int] = (0,)
    centre: int | None = None
    numbers: Sequence[int] | None = None
    notes: tuple[str, ...] = ()
    partial: str | None = None
    stopped: str | None = None
    trace: Witness | None = None
    titles: Callable[[str], str] = str
    """How an event is shown."""


def drawn_graph(
    drawn: Drawn,
    *,
    shown: Sequence[Item] = (),
    groups: Sequence[Item] = (),
    limit: int,
    components: bool = False,
) -> StateGraph:
    """The graph of these states, or of groups of them, of which at most so many are drawn."""
    notes = drawn.notes
    if groups:
        nodes = _grouped(drawn, groups)
    else:
        lines, changes = label_lines(drawn.view, drawn.states, drawn.parents, shown)
        nodes = _single(drawn, lines)
        notes += ("nodes say what changed on the shortest way there",) if changes else ()
    home = _homes(drawn, groups)
    partial = drawn.partial
    if len(nodes) > limit and groups:
        cut = f"the first {limit} of {len(nodes)} groups"
        partial = cut if partial is None else f"{cut}, of {partial}"
    nodes = nodes[:limit] if groups else nodes
    arcs, away = _arcs(drawn, home, len(nodes))
    nodes = [replace(n, hidden=n.hidden + away.get(i, 0)) for i, n in enumerate(nodes)]
    if components:
        nodes = _with_components(nodes, arcs)
    names = tuple(item.name for item in groups)
    return StateGraph(drawn.name, tuple(nodes), tuple(arcs), notes, partial, drawn.stopped, names)


def _single(drawn: Drawn, lines: Sequence[tuple[str, ...]]) -> list[StateNode]:
    marked = set() if drawn.trace is None else set(drawn.trace.states)
    return [
        StateNode(
            i if drawn.numbers is None else drawn.numbers[i],
            lines[i],
            drawn.view.full(state),
            initial=i in drawn.initial,
            deadlocks=int(not drawn.arcs[i] and not drawn.hidden[i]),
            marked=state in marked,
            centre=i == drawn.centre,
            hidden=drawn.hidden[i],
        )
        for i, state in enumerate(drawn.states)
    ]


def _homes(drawn: Drawn, groups: Sequence[Item]) -> list[int]:
    """The node of each state."""
    if not groups:
        return list(range(len(drawn.states)))
    known: dict[tuple[str, ...], int] = {}
    keys = (tuple(item.text(s) for item in groups) for s in drawn.states)
    return [known.setdefault(key, len(known)) for key in keys]


def _grouped(drawn: Drawn, groups: Sequence[Item]) -> list[StateNode]:
    members: dict[int, list[int]] = {}
    for state, node in enumerate(_homes(drawn, groups)):
        members.setdefault(node, []).append(state)
    marked = set() if drawn.trace is None else set(drawn.trace.states)
    nodes = []
    for node, inside in members.items():
        first = drawn.states[inside[0]]
        hidden = [drawn.hidden[i] for i in inside]
        nodes.append(
            StateNode(
                node,
                tuple(fold([word(item, first) for item in groups], 26, 6)),
                {item.name: item.text(first) for item in groups},
                states=len(inside),
                initial=any(i in drawn.initial for i in inside),
                deadlocks=sum(not drawn.arcs[i] and not drawn.hidden[i] for i in inside),
                marked=any(drawn.states[i] in marked for i in inside),
                centre=drawn.centre in inside,
                hidden=-1 if min(hidden) < 0 else sum(hidden),
            )
        )
    return nodes


def _arcs(drawn: Drawn, home: Sequence[int], count: int) -> tuple[list[StateArc], dict[int, int]]:
    """The arcs between nodes, and how many lead from each to nodes that are not drawn."""
    events: dict[tuple[int, int], dict[str, None]] = {}
    away: dict[int, int] = {}
    for source, row in enumerate(drawn.arcs):
        for title, target in row:
            a, b = home[source], home[target]
            if a < count and b < count:
                events.setdefault((a, b), {})[title] = None
            elif a < count:
                away[a] = away.get(a, 0) + 1
    marked: set[tuple[int, int]] = set()
    if drawn.trace is not None:
        place = {state: home[i] for i, state in enumerate(drawn.states)}
        known = [place[state] for state in drawn.trace.states if state in place]
        marked = set(pairwise(known))
    arcs = [
        StateArc(a, b, tuple(e), (a, b) in marked, tuple(dict.fromkeys(map(drawn.titles, e))))
        for (a, b), e in events.items()
    ]
    return arcs, away


def _with_components(nodes: Sequence[StateNode], arcs: Sequence[StateArc]) -> list[StateNode]:
    """The nodes with the numbers of the strongly connected components that have several."""
    after: list[list[int]] = [[] for _ in nodes]
    for arc in arcs:
        after[arc.source].append(arc.target)
    # One more node, from which all others are reached.
    after.append(list(range(len(nodes))))
    found = [sorted(c) for c in components(after, len(nodes)) if len(c) > 1]
    number = {node: i for i, c in enumerate(sorted(found)) for node in c}
    return [replace(node, component=number.get(i)) for i, node in enumerate(nodes)]


__all__ = ["Drawn", "StateArc", "StateGraph", "StateNode", "drawn_graph"]
