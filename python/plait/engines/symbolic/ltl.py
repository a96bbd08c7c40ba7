"""LTL on diagrams: which states begin a run that an automaton accepts, location by location.

For each location of the automaton of the violations there is a set: the reachable states in which a
run may begin that the automaton, being there, accepts. The components of the automaton are taken
from the last to the first, so that what lies behind a component is known when it is computed:

- where no cycle of a component can accept, the set is a least fixpoint: E [loop U goal] location by
  location, until nothing changes;
- a location all of whose loops have every mark is accepting by itself: E [loop W goal];
- any other component takes the fixpoint of Emerson and Lei, *Efficient model checking in fragments
  of the propositional mu-calculus* (LICS 1986): the greatest sets from each of whose states, for
  each acceptance set, a path leads to an arc of it that ends in the sets again.

Most automata of short formulas have one location to a component, and each of them is one or two
fixpoints of CTL by saturation (`ctl`); the strength of a component decides what it costs
(Renault, Duret-Lutz, Kordon, Poitrenaud, *Strength-based decomposition of the property Büchi
automaton for faster model checking*, TACAS 2013). The automaton is no part of the diagrams.

A deadlock repeats for ever: it is a predecessor of itself. Invariant: a set never holds a state
that no accepted run begins with, except while the fixpoint of its own component is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from plait import _core
from plait.automata import Automaton, TooLarge, violating
from plait.automata.automaton import Arc
from plait.automata.components import components
from plait.automata.translate import Translation
from plait.engines.budget import Budget, Listener, peak_memory
from plait.engines.evidence import Evidence
from plait.engines.prepared import prepare
from plait.engines.symbolic.ctl import States, SymbolicLabelling
from plait.engines.symbolic.reach import ENGINE, Diagrams, reach
from plait.engines.symbolic.tuning import (
    PARTIAL,
    STUTTERING_WAYS,
    TABLEAU_WAYS,
    LtlWay,
    Tuning,
)
from plait.errors import LimitReached
from plait.model.expr import Formula
from plait.model.shape import State
from plait.model.types import Property
from plait.records import replace
from plait.report.answer import Answer

Sets = dict[int, States]
"""A set of states for each location of a component."""
STUTTERING_ONLY = (
    "is for formulas that cannot tell a state from its repetition, and this one has X, or is an "
    "automaton that may tell it; --ltl slap, bcz, el, owcty and backward answer it"
)


class Acceptance:
    """The states of a model that begin runs which an automaton accepts."""

    def __init__(self, labelling: SymbolicLabelling, translation: Translation) -> None:
        self.labelling = labelling
        self.core = labelling.core
        self.automaton: Automaton = translation.automaton
        self._bits = translation.conditions
        self.ends = labelling.deadlocks()
        """The deadlocks among the reachable states."""
        self._labels: dict[tuple[int, int], States] = {}
        self.sets: Sets = {}

    def begins(self) -> bool:
        """Whether the automaton accepts a run from the initial state."""
        arcs = self.automaton.arcs
        for component in components([[a.target for a in row] for row in arcs]):
            self.sets.update(self._component(component))
        return self.core.holds_initially(self.sets[0])

    @property
    def needed(self) -> list[int]:
        """What a run must have again and again: each mark; without marks, any arc."""
        return [1 << i for i in range(self.automaton.acceptances)] or [0]

    def recurrent(self, rows: dict[int, list[Arc]]) -> Sets | None:
        """The states from which a path along arcs of a component has all marks for ever.

        None when no cycle of the component can have them.
        """
        if not self._may_accept(rows):
            return None
        if self._accepts_always(rows):
            ((q, row),) = rows.items()
            stay = self._union(map(self.label, row))
            nothing = self.labelling.nothing
            return {q: self.core.invariantly(stay, nothing, way=self.labelling.always)}
        return self._again_and_again(rows)

    def _may_accept(self, rows: dict[int, list[Arc]]) -> bool:
        """Whether the arcs of a component have all marks together."""
        marks = 0
        for arc in (a for row in rows.values() for a in row):
            marks |= arc.marks
        return marks == self.automaton.all_marks and any(rows.values())

    def _accepts_always(self, rows: dict[int, list[Arc]]) -> bool:
        """Whether a component is one location all of whose arcs have all marks."""
        every = self.automaton.all_marks
        return len(rows) == 1 and all(a.marks == every for row in rows.values() for a in row)

    # --- one component ----------------------------------------------------------------------------

    def _component(self, component: Sequence[int]) -> Sets:
        """The sets of its locations, when those of all that it leads to are known."""
        inside = set(component)
        rows = {q: [a for a in self.automaton.arcs[q] if a.target in inside] for q in component}
        behind = {
            q: self.steps((a for a in self.automaton.arcs[q] if a.target not in inside), self.sets)
            for q in component
        }
        if not self._may_accept(rows):
            return self._until(rows, behind)
        if self._accepts_always(rows):
            (q,) = component
            stay = self._union(map(self.label, rows[q]))
            return {q: self.core.invariantly(stay, behind[q], way=self.labelling.always)}
        again = self._again_and_again(rows)
        return self._until(rows, {q: self.core.union(behind[q], again[q]) for q in component})

    def _until(self, rows: dict[int, list[Arc]], goals: Sets) -> Sets:
        """The states from which a path along arcs of the component leads to a goal."""
        loops = {
            q: self._union(self.label(a) for a in row if a.target == q) for q, row in rows.items()
        }
        found = dict(goals)
        changed = True
        while changed:
            changed = False
            for q, row in rows.items():
                onward = self.steps((a for a in row if a.target != q), found)
                goal = self.core.union(found[q], onward)
                after = self.labelling.core.eventually(loops[q], goal, way=self.labelling.until)
                if after != found[q]:
                    found[q] = after
                    # A location by itself is done after one fixpoint.
                    changed = len(rows) > 1
        return found

    def _again_and_again(self, rows: dict[int, list[Arc]]) -> Sets:
        """The states from which a path along arcs of the component has each mark for ever."""
        left = {q: self._union(map(self.label, row)) for q, row in rows.items()}
        needed = self.needed
        stable = 0
        while stable < len(needed):
            for mark in needed:
                goals = {
                    q: self.steps((a for a in row if a.marks & mark == mark), left)
                    for q, row in rows.items()
                }
                leads = self._until(rows, goals)
                before = left
                left = {q: self.core.intersection(left[q], leads[q]) for q in rows}
                stable = stable + 1 if left == before else 0
                if stable >= len(needed):
                    break
        return left

    # --- arcs -------------------------------------------------------------------------------------

    def steps(self, arcs: Iterable[Arc], to: Sets) -> States:
        """The states that the arcs may read before a step into the sets they lead to."""
        return self._union(
            self.core.intersection(self.label(a), self._before(to[a.target])) for a in arcs
        )

    def _before(self, states: States) -> States:
        ends = self.core.intersection(states, self.ends)
        return self.core.union(self.core.predecessors(states), ends)

    def label(self, arc: Arc) -> States:
        """The states that an arc reads."""
        key = (arc.positive, arc.negative)
        if key not in self._labels:
            found = self.labelling.all
            for bit, condition in enumerate(self._bits):
                if arc.positive >> bit & 1:
                    found = self.core.intersection(found, self.labelling.label(condition))
                if arc.negative >> bit & 1:
                    found = self.core.difference(found, self.labelling.label(condition))
            self._labels[key] = found
        return self._labels[key]

    def _union(self, sets: Iterable[States]) -> States:
        found = self.labelling.nothing
        for states in sets:
            found = self.core.union(found, states)
        return found


def accepted(
    labelling: SymbolicLabelling, translation: Translation, way: LtlWay
) -> tuple[bool, Acceptance]:
    """Whether the automaton accepts a run from the initial state, and the product that tells it."""
    if way == "backward":
        product = Acceptance(labelling, translation)
        return product.begins(), product
    if way in ("el", "owcty"):
        from plait.engines.symbolic.hull import ForwardHull

        hull = ForwardHull(labelling, translation)
        return hull.accepts(way), hull
    if way == "tgta":
        from plait.engines.symbolic.testing_hull import TgtaHull

        tested = TgtaHull(labelling, translation)
        return tested.accepts("el"), tested
    if way in ("sog", "sop"):
        from plait.engines.symbolic.observation import Observation

        observed = Observation(labelling, translation)
        return observed.sog() if way == "sog" else observed.sop(), observed
    from plait.engines.symbolic.hybrids import Hybrid

    hybrid = Hybrid(labelling, translation)
    if way == "bcz":
        return hybrid.bcz(), hybrid
    found = hybrid.slap("none" if way == "slap" else "fst" if way == "slap-fst" else "fsa")
    return found, hybrid


class SymbolicLinear:
    """LTL properties of one model, on its diagrams."""

    def __init__(
        self,
        evidence: Evidence,
        tuning: Tuning | None = None,
        listen: Listener | None = None,
        *,
        brief: float = 0,
    ) -> None:
        """With `brief`, states are found in so many moments or not at all."""
        self.brief = brief
        self.evidence = evidence
        self.tuning = tuning or Tuning()
        self.listen = listen
        self._largest: int | None = None
        """The most tokens, or the greatest sum of all cells, of the states that were looked at."""

    def check(
        self,
        properties: Sequence[Property],
        budget: Budget,
        tell: Callable[[int, Answer], None] | None = None,
        settled: Callable[[int], bool] = lambda _: False,
    ) -> list[Answer]:
        """The answers, in order; `tell` hears each that is known as soon as it is.

        What is `settled` meanwhile is not asked any more.
        """
        if self.tuning.strategy == PARTIAL or self.tuning.ltl in TABLEAU_WAYS:
            from plait.engines.partial.ltl import TableauLinear

            return TableauLinear(self.evidence, self.tuning, self.listen).check(
                properties, budget, tell
            )
        answers: dict[int, Answer] = {}
        asked = self._translated(properties, budget, answers)
        if not asked:
            return [answers[i] for i in range(len(properties))]
        try:
            diagrams, labelling = self.reached(asked.values(), budget)
        except _core.StoppedError as stop:
            return [
                answers.get(i, Answer(p, "unknown", ENGINE, reason=stop.args[0]))
                for i, p in enumerate(properties)
            ]
        # A question that takes more than its share waits until all others are answered.
        for last in (False, True):
            left = [i for i in asked if i not in answers]
            for position, i in enumerate(left):
                if settled(i):
                    answers[i] = Answer(properties[i], "unknown", ENGINE, reason="answered")
                    continue
                share = budget if last else budget.share(max(len(left) - position, 2))
                diagrams.limit(share)
                answer = self._asked(properties[i], asked[i], labelling, diagrams, budget)
                if answer.reason == "timeout" and not last:
                    continue
                answers[i] = answer
                if tell is not None and answer.verdict != "unknown":
                    tell(i, answer)
        return [answers[i] for i in range(len(properties))]

    def _translated(
        self, properties: Sequence[Property], budget: Budget, answers: dict[int, Answer]
    ) -> dict[int, Translation]:
        """The automata of the properties; where one is out of reach, `answers` says why."""
        asked: dict[int, Translation] = {}
        for i, p in enumerate(properties):
            assert isinstance(p.body, Formula)
            try:
                found = violating(p.body, budget.check)
            except (TooLarge, LimitReached) as limit:
                answers[i] = Answer(p, "unknown", ENGINE, reason=limit.reason)
                continue
            if self.tuning.ltl in STUTTERING_WAYS and found.has_next:
                reason = f"{self.tuning.ltl} {STUTTERING_ONLY}"
                answers[i] = Answer(p, "unknown", ENGINE, reason=reason)
            else:
                asked[i] = found
        return asked

    def _asked(
        self,
        p: Property,
        translation: Translation,
        labelling: SymbolicLabelling,
        diagrams: Diagrams,
        budget: Budget,
    ) -> Answer:
        """The answer to one property within the limits of the diagrams."""
        started = budget.elapsed
        try:
            accepts, product = accepted(labelling, translation, self.tuning.ltl)
        except LimitReached as limit:
            return Answer(p, "unknown", ENGINE, reason=limit.reason)
        except _core.StoppedError as stop:
            return Answer(p, "unknown", ENGINE, reason=stop.args[0])
        answer = self._answer(p, accepts, translation, budget, started)
        return self._shown(answer, product, diagrams) if accepts else answer

    def _answer(
        self, p: Property, accepts: bool, of: Translation, budget: Budget, started: float
    ) -> Answer:
        return Answer(
            p,
            "false" if accepts else "true",
            ENGINE,
            seconds=budget.elapsed - started,
            peak_memory_bytes=peak_memory(),
            stats={
                "automaton_states": len(of.automaton.arcs),
                "automaton_arcs": of.automaton.arc_count,
                "acceptance_sets": of.automaton.acceptances,
                "max_sum": self._largest,
            },
        )

    def _shown(self, answer: Answer, product: Acceptance, diagrams: Diagrams) -> Answer:
        """The answer with a run, if one is to be shown and is found in time."""
        note = f"{answer.property.name}: diagrams tell that a run violates it, and show none"
        if not self.evidence.shows_runs:
            return replace(answer, notes=(note,))
        prepared = diagrams.prepared
        try:
            found = self._run(product, prepared.compiled.program)
            if found is None:
                reason = f"internal error: {self.tuning.ltl} finds a run, and there is none"
                return replace(answer, verdict="unknown", reason=reason)
            trace, loop = found
        except _core.StoppedError as stop:
            if stop.args[0] == "interrupted":
                return replace(answer, verdict="unknown", reason="interrupted")
            return replace(answer, notes=(note,))
        witness = replace(prepared.witness(trace), loop=loop)
        return self.evidence.confirm_run(replace(answer, witness=witness))

    def _run(
        self, product: Acceptance, program: _core.Program
    ) -> tuple[Sequence[tuple[int | None, State]], int] | None:
        """A run that violates the property: from the nodes of SLAP, or from the sets of states."""
        if self.tuning.ltl.startswith("slap"):
            from plait.engines.symbolic.hybrids import Hybrid
            from plait.engines.symbolic.slap_lasso import SlapLasso

            assert isinstance(product, Hybrid)
            return SlapLasso(product, program).run()
        from plait.engines.symbolic.ltl_lasso import Lasso

        if self.tuning.ltl != "backward" and not product.begins():
            return None
        return Lasso(product, program).run()

    def reached(
        self, asked: Iterable[Translation], budget: Budget
    ) -> tuple[Diagrams, SymbolicLabelling]:
        """The reachable states, and what the conditions of the automata have become."""
        conditions = list(dict.fromkeys(c for t in asked for c in t.conditions))
        leaves = [Property(f"condition {i}", "reachable", c) for i, c in enumerate(conditions)]
        prepared = prepare(self.evidence.model, leaves)
        diagrams = reach(prepared, self.tuning, budget, self.listen, brief=self.brief)
        self._largest = diagrams.max_sum()
        made = zip(conditions, (p.body for p in prepared.properties), strict=True)
        return diagrams, SymbolicLabelling(
            prepared.compiled,
            diagrams.core,
            diagrams.reached,
            always=self.tuning.always,
            conditions={c: body for c, body in made if isinstance(body, Formula)},
        )


__all__ = ["Acceptance", "SymbolicLinear"]
