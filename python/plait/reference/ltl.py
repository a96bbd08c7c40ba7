"""LTL: a run of the graph that violates the formula is searched in a product with its tableau.

The runs of the graph are infinite: a deadlock repeats for ever. To satisfy a formula from now on is
to satisfy some things now and some from the next state on. `expand` writes a set of formulas in
this way: it gives the alternatives whose present part holds in a given state, each as the set of
formulas for the rest of the run together with the eventualities (F, U, M) that it *postpones*. The
product has nodes (state, formulas that the run must satisfy from here). A run satisfies the formula
iff there is a path in the product along it on which no eventuality is postponed for ever: for every
eventuality infinitely many arcs do not postpone it. Such a path exists iff there is one that ends
in a cycle, and so in a strongly connected component whose arcs do not all postpone the same
eventuality. (This is Couvreur's tableau, FM 1999, with the automaton unfolded along the graph.)

Negations are pushed to the atoms first, and an atom that is undefined does not hold. A violating
run is one that satisfies the dual formula, in which each atom is replaced by its failing to hold
(which is not its negation, when it is undefined).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from plait.errors import InputError
from plait.logic.classify import why_not_ltl
from plait.logic.formula import (
    Finally,
    Globally,
    NeverClaim,
    Next,
    Release,
    StrongRelease,
    Temporal,
    Until,
    WeakUntil,
)
from plait.logic.nnf import DUAL, nnf
from plait.logic.walk import fold_formula, subformulas
from plait.model.expr import And, Formula, Or
from plait.records import dataclass
from plait.reference.claim import Alternative, Atom, ClaimReader, Obligations, accepts_lasso
from plait.reference.graph import Graph
from plait.reference.movers import Movers
from plait.report.answer import Witness

Node = tuple[int, Obligations]
Hop = tuple[str | None, Node]
"""A step to a node, and the event where it matters which one it is."""
TICK = 256
"""How many nodes of the product are built between two ticks."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A formula of the tableau: its operator, and the numbers of its operands; or an atom."""

    operator: type[Formula] | None
    operands: tuple[int, ...] = ()
    atom: Formula | None = None


class Tableau:
    """The dual of a formula in negation normal form, and how sets of its formulas unfold."""

    def __init__(self, formula: Formula, holds: Atom) -> None:
        self.holds = holds
        self.rules: list[Rule] = []
        self._valuations: dict[int, Obligations] = {}
        self._expansions: dict[tuple[Obligations, Obligations], list[Alternative]] = {}
        self._numbers: dict[Rule, int] = {}
        self.root = fold_formula(formula, self._dual)
        self.eventualities: Obligations = frozenset(
            n for n, r in enumerate(self.rules) if r.operator in (Finally, Until, StrongRelease)
        )

    def _dual(self, f: Formula, below: list[int]) -> int:
        match f:
            case And():
                rule = Rule(Or, tuple(below))
            case Or():
                rule = Rule(And, tuple(below))
            case Temporal():
                rule = Rule(DUAL[type(f)], tuple(below))
            case _:
                rule = Rule(None, atom=f)
        if rule not in self._numbers:
            self._numbers[rule] = len(self.rules)
            self.rules.append(rule)
        return self._numbers[rule]

    def expand(self, obligations: Obligations, state: int) -> list[Alternative]:
        """The alternatives of satisfying all these formulas by a run that begins in this state.

        They depend on the state by the truth of the atoms only.
        """
        if state not in self._valuations:
            atoms = ((n, r.atom) for n, r in enumerate(self.rules) if r.atom is not None)
            self._valuations[state] = frozenset(n for n, a in atoms if self.holds(a, state))
        true = self._valuations[state]
        if (obligations, true) not in self._expansions:
            found = _least(set(self._alternatives(obligations, true)))
            self._expansions[obligations, true] = found
        return self._expansions[obligations, true]

    def _alternatives(self, obligations: Obligations, true: Obligations) -> Iterator[Alternative]:
        nothing: Obligations = frozenset()
        stack = [(tuple(sorted(obligations)), nothing, nothing, nothing)]
        while stack:
            todo, done, later, postponed = stack.pop()
            if not todo:
                yield later, postponed
            elif todo[0] in done:
                stack.append((todo[1:], done, later, postponed))
            else:
                for now, next_, late in self._unfold(todo[0], true):
                    entry = (now + todo[1:], done | {todo[0]}, later | next_, postponed | late)
                    stack.append(entry)

    def _unfold(
        self, number: int, true: Obligations
    ) -> list[tuple[tuple[int, ...], Obligations, Obligations]]:
        """One formula: alternatives of (formulas for now, formulas for later, postponed)."""
        rule, none, itself = self.rules[number], frozenset[int](), frozenset({number})
        if rule.atom is not None:
            return [] if number in true else [((), none, none)]
        f, g = (rule.operands[0], rule.operands[-1]) if rule.operands else (0, 0)
        if rule.operator is And:
            return [(rule.operands, none, none)]
        if rule.operator is Or:
            return [((operand,), none, none) for operand in rule.operands]
        if rule.operator is Next:
            return [((), frozenset({f}), none)]
        if rule.operator is Finally:
            return [((f,), none, none), ((), itself, itself)]
        if rule.operator is Globally:
            return [((f,), itself, none)]
        if rule.operator is Until:
            return [((g,), none, none), ((f,), itself, itself)]
        if rule.operator is WeakUntil:
            return [((g,), none, none), ((f,), itself, none)]
        if rule.operator is Release:
            return [((f, g), none, none), ((g,), itself, none)]
        assert rule.operator is StrongRelease
        return [((f, g), none, none), ((g,), itself, itself)]


def _least(alternatives: set[Alternative]) -> list[Alternative]:
    """Without those that ask all that another one asks and postpone all that it postpones.

    Whatever run satisfies such an alternative satisfies the other one too, with no more postponed.
    """
    ordered = sorted(alternatives, key=lambda a: (len(a[0]), len(a[1]), sorted(a[0]), sorted(a[1])))
    kept: list[Alternative] = []
    for later, postponed in ordered:
        if not any(less <= later and fewer <= postponed for less, fewer in kept):
            kept.append((later, postponed))
    return kept


def violation(
    graph: Graph,
    formula: Formula,
    holds: Atom,
    tick: Callable[[], None] | None = None,
    movers: Movers | None = None,
) -> Witness | None:
    """A lasso from the initial state on which an LTL formula does not hold, if there is one.

    With `movers` only runs count that are weakly fair to them: each is one more eventuality, which
    an arc postpones when the mover is ready and does not move.

    `tick` is called again and again while the product is built, and may raise to end the search.
    """
    wrong = why_not_ltl(formula)
    if wrong is not None:
        raise InputError(wrong)
    tableau = (
        ClaimReader(formula, holds)
        if isinstance(formula, NeverClaim)
        else Tableau(nnf(formula), holds)
    )
    product = _Product(graph, tableau, tick, movers)
    for component in product.components():
        if product.is_accepting(component):
            return product.lasso(component)
    return None


class _Product:
    """The product of a graph and a tableau."""

    def __init__(
        self,
        graph: Graph,
        tableau: Tableau | ClaimReader,
        tick: Callable[[], None] | None = None,
        movers: Movers | None = None,
    ) -> None:
        self.graph = graph
        self.tableau = tableau
        self.movers = movers
        self.eventualities = tableau.eventualities
        if movers is not None:
            self.eventualities |= {_starving(mover) for mover in range(len(movers.names))}
        self.start: Node = (0, frozenset({tableau.root}))
        self.arcs: dict[Node, list[tuple[Obligations, Node]]] = {}
        self.titles: dict[tuple[Node, Obligations, Node], str] = {}
        """The event of an arc, where it matters which one it is."""
        stack = [self.start]
        while stack:
            node = stack.pop()
            if node not in self.arcs:
                if tick is not None and len(self.arcs) % TICK == 0:
                    tick()
                self.arcs[node] = list(self._arcs(*node))
                stack.extend(target for _, target in self.arcs[node])

    def _arcs(self, state: int, obligations: Obligations) -> Iterator[tuple[Obligations, Node]]:
        if self.movers is not None:
            yield from self._fair_arcs(self.movers, state, obligations)
            return
        after = dict.fromkeys(n for _, n in self.graph.arcs[state]) or [state]
        for later, postponed in self.tableau.expand(obligations, state):
            yield from ((postponed, (n, later)) for n in after)

    def _fair_arcs(
        self, movers: Movers, state: int, obligations: Obligations
    ) -> Iterator[tuple[Obligations, Node]]:
        """The arcs by each event: those who are ready and do not move have to wait for a move."""
        arcs, states = self.graph.arcs[state], self.graph.states
        ready = movers.ready(title for title, _ in arcs)
        for later, postponed in self.tableau.expand(obligations, state):
            if not arcs:
                yield postponed, (state, later)
            for title, n in arcs:
                waiting = ready - movers.moving(states[state], title, states[n])
                late = postponed.union(map(_starving, waiting))
                self.titles.setdefault(((state, obligations), late, (n, later)), title)
                yield late, (n, later)

    def components(self) -> Iterator[set[Node]]:
        """The strongly connected components (Tarjan's algorithm with an explicit stack)."""
        index: dict[Node, int] = {}
        low: dict[Node, int] = {}
        open_: dict[Node, None] = {}
        calls = [(self.start, iter(self.arcs[self.start]))]
        while calls:
            node, arcs = calls[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                open_[node] = None
            for _, target in arcs:
                if target not in index:
                    calls.append((target, iter(self.arcs[target])))
                    break
                if target in open_:
                    low[node] = min(low[node], index[target])
            else:
                calls.pop()
                if calls:
                    parent = calls[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    component = set()
                    while node not in component:
                        component.add(open_.popitem()[0])
                    yield component

    def is_accepting(self, component: set[Node]) -> bool:
        """Whether a cycle through all of the component postpones no eventuality for ever."""
        always = [p for n in component for p, target in self.arcs[n] if target in component]
        return bool(always) and not frozenset.intersection(self.eventualities, *always)

    def lasso(self, component: set[Node]) -> Witness:
        """A path to the component and a cycle in it that leaves no eventuality postponed."""
        prefix: list[Hop] = []
        if self.start not in component:
            everywhere = set(self.arcs)
            prefix += self._follow(self.start, everywhere, lambda p, target: target in component)
        knot = prefix[-1][1] if prefix else self.start
        cycle: list[Hop] = []
        for e in sorted(self.eventualities):
            here = cycle[-1][1] if cycle else knot
            cycle += self._follow(here, component, partial(_not_postponed, e))
        if not cycle or cycle[-1][1] != knot:
            here = cycle[-1][1] if cycle else knot
            cycle += self._follow(here, component, lambda p, target: target == knot)
        path = [0, *(state for _, (state, _) in prefix + cycle)]
        titles = [title for title, _ in prefix + cycle]
        if not self.graph.arcs[knot[0]]:
            end = path.index(knot[0])
            return self.graph.walk(path[: end + 1], titles, loop=end)
        return self.graph.walk(path, titles, loop=len(prefix))

    def _follow(
        self, start: Node, inside: set[Node], wanted: Callable[[Obligations, Node], bool]
    ) -> list[Hop]:
        """The steps from `start` along a shortest path inside that ends with a wanted arc."""
        came_from: dict[Node, tuple[Node, Obligations]] = {}
        queue = deque([start])
        while queue:
            node = queue.popleft()
            for postponed, target in self.arcs[node]:
                if target not in inside:
                    continue
                if wanted(postponed, target):
                    path = [(self.titles.get((node, postponed, target)), target)]
                    while node != start:
                        before, late = came_from[node]
                        path.append((self.titles.get((before, late, node)), node))
                        node = before
                    return path[::-1]
                if target not in came_from and target != start:
                    came_from[target] = (node, postponed)
                    queue.append(target)
        raise AssertionError("a strongly connected component has such a path")


def _starving(mover: int) -> int:
    """The number of the eventuality that a mover moves, or is not ready."""
    return -1 - mover


def _not_postponed(eventuality: int, postponed: Obligations, target: Node) -> bool:
    return eventuality not in postponed


# --- the direct evaluation on a lasso -------------------------------------------------------------


def holds_on_lasso(formula: Formula, length: int, loop: int, holds: Atom) -> bool:
    """Whether an LTL formula holds on the infinite word `0 .. length-1` that goes back to `loop`.

    The truth of every sub-formula at every place, by the fixpoint that defines its operator.
    """
    if isinstance(formula, NeverClaim):
        return not accepts_lasso(formula, length, loop, holds)

    normal = nnf(formula)
    # Place by place, since what is enabled in a state is worked out for all atoms at once.
    leaves = [f for f in subformulas(normal) if not isinstance(f, And | Or | Temporal)]
    known: dict[int, list[bool]] = {id(leaf): [] for leaf in leaves}
    for place in range(length):
        for leaf in leaves:
            known[id(leaf)].append(holds(leaf, place))

    def visit(f: Formula, below: list[list[bool]]) -> list[bool]:
        match f:
            case And():
                return [all(b[i] for b in below) for i in range(length)]
            case Or():
                return [any(b[i] for b in below) for i in range(length)]
            case Next():
                return [below[0][i + 1 if i + 1 < length else loop] for i in range(length)]
            case Temporal():
                return _fixpoint(type(f), below, length, loop)
            case _:
                return known[id(f)]

    return fold_formula(normal, visit)[0]


def _fixpoint(
    operator: type[Temporal], below: Sequence[list[bool]], length: int, loop: int
) -> list[bool]:
    f, g = below[0], below[-1]
    stay, goal = {
        Finally: ([True] * length, f),
        Globally: (f, [False] * length),
        Until: (f, g),
        WeakUntil: (f, g),
        Release: (g, [a and b for a, b in zip(f, g, strict=True)]),
        StrongRelease: (g, [a and b for a, b in zip(f, g, strict=True)]),
    }[operator]
    truth = [operator in (Globally, WeakUntil, Release)] * length
    settled = False
    while not settled:
        settled = True
        # From the end, where most of it is decided: a few rounds do for the longest of words.
        for i in reversed(range(length)):
            after = truth[i + 1 if i + 1 < length else loop]
            better = goal[i] or (stay[i] and after)
            settled = settled and better == truth[i]
            truth[i] = better
    return truth
