"""LTL and never claims on the fly: the product of the native graph and an automaton.

The automaton accepts the runs that violate the property (`plait.automata`); the native core looks
for one of them in its product with the model, and explores no more of the model than the automaton
asks for. All properties of a call share the graph. A run that is found is lifted to the original
model and replayed there by the reference before it is believed.

A reduction (`plait.engines.explicit.reduction`) is used for the properties that cannot tell a state
from its repetition; for others it is left out, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from plait import _core
from plait.automata import Automaton, TooLarge, violating
from plait.automata.translate import Translation
from plait.engines.budget import Budget, Listener, peak_memory, teller
from plait.engines.evidence import Evidence
from plait.engines.explicit.conjunction import Combined, conjuncts
from plait.engines.explicit.engine import Explicit
from plait.engines.explicit.method import Method
from plait.engines.explicit.reduction import Reduction, ample_for
from plait.engines.notes import undefined_steps
from plait.engines.prepared import Prepared, prepare
from plait.errors import LimitReached, error
from plait.model.expr import Formula, Var
from plait.model.types import Property
from plait.records import dataclass, field, replace
from plait.report.answer import Answer

if TYPE_CHECKING:
    from plait.reference.movers import Movers

ENGINE = "explicit"
TOO_LARGE = "the formula is too large for this engine"
"""How the reason of `unknown` begins when only the reference can help."""


@dataclass(slots=True)
class _Question:
    """A property that goes to the native core."""

    place: int
    property: Property
    translation: Translation
    ample: str | None = None
    notes: tuple[str, ...] = ()


MOST_SETS = 64
"""Acceptance sets of the native core, those of fairness included."""


NativeMovers = tuple[int, list[int], list[tuple[int, int]]]
"""How many movers, the bits of each event, and locations whose change is a move of these bits."""
Ready = tuple[Prepared, dict[Formula, int], NativeMovers | None]
"""A model made ready, the numbers of its native conditions, and who moves."""


@dataclass(slots=True, eq=False)
class Kept:
    """What several searches of the same properties need."""

    translations: dict[Formula, Translation] = field(default_factory=dict)
    ready: dict[tuple[tuple[Formula, ...], bool], Ready] = field(default_factory=dict)
    """By the conditions, and whether the events are in the opposite order."""


@dataclass(frozen=True, slots=True)
class LinearTime:
    """LTL properties of one model, for the explicit engine."""

    evidence: Evidence
    budget: Budget
    listen: Listener | None = None
    reduction: Reduction = field(default_factory=Reduction)
    method: Method = field(default_factory=Method)
    backwards: bool = False
    """The events in the opposite order: the youngest process moves first."""
    kept: Kept = field(default_factory=Kept)
    """What the next search of the same properties finds ready."""

    def fits(self, properties: Sequence[Property], budget: Budget) -> bool:
        """Whether what the conditions of the properties depend on has no more states than that."""
        try:
            found = [self._question(0, p) for p in properties]
            prepared, _, _ = self._prepared([q for q in found if isinstance(q, _Question)])
            engine = Explicit(self.evidence.model, self.evidence)
            return engine.states(budget, prepared=prepared).complete
        except LimitReached:
            return False

    def check(
        self, properties: Sequence[Property], tell: Callable[[int, Answer], None] | None = None
    ) -> list[Answer]:
        """The answers, in order; `tell` hears each that is known as soon as it is."""
        if self.reduction.preset in ("none", "sleep"):
            return self._check(properties, tell)
        split = [conjuncts(p) for p in properties]
        owner = [place for place, parts in enumerate(split) for _ in parts]
        whole = [Combined(p, len(parts)) for p, parts in zip(properties, split, strict=True)]
        answers: dict[int, Answer] = {}

        def add(part: int, answer: Answer) -> None:
            place = owner[part]
            found = whole[place].add(answer)
            if found is not None:
                answers[place] = found
                if tell is not None and found.verdict != "unknown":
                    tell(place, found)

        told: set[int] = set()

        def hear(part: int, answer: Answer) -> None:
            told.add(part)
            add(part, answer)

        found = self._check([p for parts in split for p in parts], hear)
        for part, answer in enumerate(found):
            if part not in told:
                add(part, answer)
        return [answers[place] for place in range(len(properties))]

    def _check(
        self, properties: Sequence[Property], tell: Callable[[int, Answer], None] | None = None
    ) -> list[Answer]:
        """The same, each property as a whole."""
        answers: dict[int, Answer] = {}

        def add(place: int, answer: Answer) -> None:
            answers[place] = replace(answer, peak_memory_bytes=peak_memory())
            if tell is not None and answer.verdict != "unknown":
                tell(place, answers[place])

        questions = []
        for place, p in enumerate(properties):
            question = self._question(place, p)
            if isinstance(question, Answer):
                add(place, question)
            else:
                questions.append(question)
        for ample in dict.fromkeys(q.ample for q in questions):
            group = [q for q in questions if q.ample == ample]
            waiting = sum(q.place not in answers for q in questions)
            share = self.budget if waiting == len(group) else self._share(len(group), waiting)
            self._search(group, ample, share, add)
        return [answers[place] for place in range(len(properties))]

    def _share(self, some: int, waiting: int) -> Budget:
        remaining = self.budget.remaining()
        part = None if remaining is None else remaining * some / waiting
        return Budget(part, self.budget.memory, self.budget.states)

    def _question(self, place: int, p: Property) -> _Question | Answer:
        """The automaton of a property; or its answer, when that is seen at once."""
        assert isinstance(p.body, Formula)
        start = self.budget.elapsed
        try:
            found = self.kept.translations.get(p.body)
            if found is None:
                found = violating(p.body, self.budget.check)
                self.kept.translations[p.body] = found
        except TooLarge as limit:
            return Answer(p, "unknown", ENGINE, reason=f"{TOO_LARGE}: {limit.reason}")
        except LimitReached as limit:
            return Answer(p, "unknown", ENGINE, reason=limit.reason)
        if not found.automaton.arc_count:
            seconds = self.budget.elapsed - start
            note = "no run at all violates it"
            stats = _automaton_stats(found.automaton)
            return Answer(p, "true", ENGINE, seconds=seconds, stats=stats, notes=(note,))
        ample, notes = ample_for(self.reduction, stutters=not found.has_next)
        if self.method.needs_explicit:
            notes = (*notes, "LTL is checked depth-first with an exact store and no checkpoints")
        return _Question(place, p, found, ample, notes)

    def _search(
        self,
        questions: Sequence[_Question],
        ample: str | None,
        budget: Budget,
        add: Callable[[int, Answer], None],
    ) -> None:
        try:
            prepared, conditions, fair = self._prepared(questions)
        except LimitReached as limit:
            for q in questions:
                add(q.place, Answer(q.property, "unknown", ENGINE, reason=limit.reason))
            return
        questions = list(self._fitting(questions, fair, add))
        if not questions:
            return
        before = budget.elapsed

        def answered(number: int, found: _core.LinearAnswer) -> None:
            nonlocal before
            question = questions[number]
            answer = self._answer(question, found, prepared)
            if fair is not None:
                answer = replace(answer, stats={**answer.stats, "fair_to": fair[0]})
            now = budget.elapsed
            add(question.place, replace(answer, seconds=now - before))
            before = now

        try:
            _core.linear(
                prepared.compiled.program,
                [native_automaton(q.translation, conditions) for q in questions],
                answered,
                fair=fair,
                timeout=budget.remaining(),
                memory=budget.memory,
                max_states=budget.states,
                progress=teller(ENGINE, self.listen, self.budget),
                successors=self.method.successors,
                ample=ample,
                nested=self.method.cycles == "nested",
                build_first=self.method.build_first,
            )
        except _core.ProgramError as failure:
            raise prepared.located(failure) from None
        except _core.TooLargeError as failure:
            raise error(str(failure), hint="use --reduction none") from None

    def _fitting(
        self,
        questions: Sequence[_Question],
        fair: NativeMovers | None,
        add: Callable[[int, Answer], None],
    ) -> Iterator[_Question]:
        """The questions whose acceptance sets, with those of fairness, are not too many."""
        for q in questions:
            sets = q.translation.automaton.acceptances
            if fair is None or sets + fair[0] <= MOST_SETS:
                yield q
                continue
            reason = f"{TOO_LARGE}: {sets} acceptance sets, and fairness to {fair[0]} processes"
            reason += f" or parts; there can be {MOST_SETS} together"
            add(q.place, Answer(q.property, "unknown", ENGINE, reason=reason))

    def _prepared(self, questions: Sequence[_Question]) -> Ready:
        """The model made ready, the native conditions of the automata, and who moves.

        Each condition is a property of its own: the formulas stay in terms of the original model,
        and only their conditions go through the passes. So are the locations of processes.
        """
        conditions = list(dict.fromkeys(c for q in questions for c in q.translation.conditions))
        key = tuple(conditions), self.backwards
        if key not in self.kept.ready:
            self.kept.ready[key] = self._prepared_anew(conditions)
        return self.kept.ready[key]

    def _prepared_anew(self, conditions: Sequence[Formula]) -> Ready:
        asked = [Property(f"condition {i}", "reachable", c) for i, c in enumerate(conditions)]
        movers = self.evidence.semantics.movers if self.evidence.weak else None
        places = () if movers is None else movers.places
        asked += [Property(f"location {i}", "bounds", Var(pc)) for i, _, pc in places]
        opposite = self.kept.ready.get((tuple(conditions), not self.backwards))
        if opposite is not None:
            prepared = opposite[0].backwards()
        else:
            prepared = prepare(self.evidence.model, asked, self.budget)
            prepared = prepared.backwards() if self.backwards else prepared
        native = {}
        for condition, p in zip(conditions, prepared.properties, strict=False):
            assert isinstance(p.body, Formula)
            native[condition] = prepared.compiled.formula(p.body)
        return prepared, native, None if movers is None else _native_movers(movers, prepared)

    def _answer(self, question: _Question, found: _core.LinearAnswer, prepared: Prepared) -> Answer:
        p = question.property
        titles = prepared.compiled.titles
        notes = (
            *question.notes,
            *undefined_steps(zip(titles, found.undefined, strict=False)),
            *_reduction_notes(question.ample, found),
        )
        answer = Answer(p, "true", ENGINE, stats=_stats(question, found, prepared), notes=notes)
        if found.accepting is None:
            return replace(answer, verdict="unknown", reason=found.reason)
        if not found.accepting:
            return answer
        if found.lasso is None:
            reason = "a run that violates it was seen, but not found again in time"
            return replace(answer, verdict="unknown", reason=reason)
        steps, repeats = found.lasso
        witness = replace(prepared.witness(steps), loop=repeats)
        return self.evidence.confirm_run(replace(answer, verdict="false", witness=witness))


def _native_movers(movers: Movers, prepared: Prepared) -> NativeMovers:
    """The movers that have events, as the native core takes them."""
    compiled = prepared.compiled
    titles = [None if e.label is not None else e.title for e in compiled.events]
    moves = [frozenset[int]() if t is None else movers.of.get(t, frozenset()) for t in titles]
    bit = {mover: 1 << i for i, mover in enumerate(sorted(frozenset[int]().union(*moves)))}
    places = []
    located = prepared.properties[len(prepared.properties) - len(movers.places) :]
    for (mover, _, _), p in zip(movers.places, located, strict=True):
        if mover in bit and not isinstance(p.body, Formula) and p.body is not None:
            places.append((bit[mover], compiled.integer(p.body)))
    return len(bit), [sum(bit[m] for m in of) for of in moves], places


def native_automaton(
    translation: Translation, conditions: dict[Formula, int]
) -> tuple[list[int], list[list[tuple[list[int], list[int], int, int]]], int, bool]:
    """The automaton as the native core takes it."""
    rows = [
        [(_bits(a.positive), _bits(a.negative), a.target, a.marks) for a in row]
        for row in translation.automaton.arcs
    ]
    ids = [conditions[c] for c in translation.conditions]
    return ids, rows, translation.automaton.acceptances, translation.ends_only


def _bits(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def _automaton_stats(automaton: Automaton) -> dict[str, object]:
    return {
        "automaton_states": len(automaton.arcs),
        "automaton_arcs": automaton.arc_count,
        "acceptance_sets": automaton.acceptances,
    }


def _stats(question: _Question, found: _core.LinearAnswer, prepared: Prepared) -> dict[str, object]:
    first = prepared.compiled.program.initial()
    removed = sum(prepared.lift(first)) - sum(first)
    stats = {
        "states": found.states,
        "product_states": found.nodes,
        "product_arcs": found.arcs,
        "expansions": found.expansions,
        "depth": found.depth,
        "letters": found.letters,
        "max_sum": found.max_sum + removed,
        "bytes": found.bytes,
        **_automaton_stats(question.translation.automaton),
    }
    if question.ample is not None:
        stats |= {"reduction": f"ample sets ({question.ample})", "reduced_states": found.reduced}
    return stats


def _reduction_notes(ample: str | None, found: _core.LinearAnswer) -> tuple[str, ...]:
    if ample is None:
        return ()
    if not found.reducible:
        return ("no reduction: every event may change what the formula asks for",)
    if not found.reduced:
        return (f"reduction: ample sets ({ample}); it left nothing out",)
    return (
        f"reduction: ample sets ({ample}); fewer states are visited, "
        f"{found.reduced:,} of {found.states:,} with only some of their events",
    )
