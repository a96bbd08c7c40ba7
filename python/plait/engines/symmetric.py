"""Questions about a model, answered on its quotient by symmetries (`plait.symmetry`).

A symmetry may be used for a property when all conditions of the property are symmetric too; for
each property all such symmetries are used, and a property that no symmetry of the model leaves as
it is, is refused. The quotient is a model like any other, so every engine can be asked. Only for
sets of states on diagrams, where states are made canonical together, there is a way of its own
(`symbolic.orbits`).

A run of the quotient is turned into one of the model, and the reference replays it on the model as
it was read. Trees of paths for CTL are not turned back: their answers come without a witness.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from plait import _core
from plait.engines.budget import Budget, Listener, peak_memory
from plait.engines.chosen_paths import without_ghosts
from plait.engines.decisive import verdict
from plait.engines.evidence import Evidence
from plait.engines.explicit.method import Method
from plait.engines.prepared import KINDS, Prepared, prepare
from plait.engines.safety import as_safety
from plait.engines.stopped import stopped_space
from plait.engines.symbolic.tuning import Tuning
from plait.errors import LimitReached, error
from plait.hints import TYPE_CHECKING
from plait.model.expr import Formula, IntExpr
from plait.model.ghosts import is_ordinary
from plait.model.shape import State, Trace, shape_of
from plait.model.types import Model, Property
from plait.model.watch import watched_by
from plait.program import with_events
from plait.records import dataclass, replace
from plait.report.answer import Answer, StateSpace
from plait.symmetry.digest import Digests
from plait.symmetry.find import Found, Symmetry, counted, elements_of, symmetries
from plait.symmetry.quotient import quotient
from plait.symmetry.runs import Unfolded, canonical_states
from plait.symmetry.tuning import SymmetryTuning

if TYPE_CHECKING:
    from plait.engines.symbolic.orbits import Orbits

NOT_SYMMETRIC = "it tells parts apart that are symmetric in the model: ask without symmetries"
CLAIM = "an automaton is not asked of a quotient: ask without symmetries"


@dataclass(frozen=True, slots=True)
class How:
    """How an engine shall work."""

    tuning: Tuning = Tuning()
    method: Method | None = None
    listen: Listener | None = None


@dataclass(frozen=True, slots=True)
class _Question:
    """A property, and what has become of it and of its conditions in the flat model.

    A temporal formula that only asks about reachable states is asked as such.
    """

    asked: Property
    flat: Property
    conditions: tuple[Formula | IntExpr, ...]


class Symmetric:
    """A model, its symmetries, and its quotients."""

    def __init__(
        self,
        model: Model,
        properties: Sequence[Property],
        wanted: SymmetryTuning,
        budget: Budget,
    ) -> None:
        """`InputError` when the model has no symmetry that is found."""
        self._evidence = Evidence(model)
        self._budget = budget
        self._asked = tuple(properties)
        properties = [as_safety(p) or p for p in properties]
        leaves = [_leaves(p) for p in properties]
        asked = [p for some in leaves for p in some]
        self.prepared: Prepared = prepare(model, asked, budget)
        self.flat = replace(self.prepared.rewritten.model, properties=())
        flat = iter(self.prepared.properties)
        self.questions = [
            _question(p, [next(flat) for _ in some])
            for p, some in zip(properties, leaves, strict=True)
        ]
        with watched_by(budget.check):
            self.found: Found = symmetries(
                self.flat,
                _named(self.flat, wanted.references),
                None if wanted.kind == "auto" else wanted.kind,
            )
        if not self.found.symmetries:
            tried = "; ".join(self.found.failures[:3])
            raise error(
                "no symmetry of the model was found",
                hint=f"tried: {tried}" if tried else "no cells have names that differ in a number",
            )

    # --- properties -------------------------------------------------------------------------------

    def check(self, engine: str, how: How) -> list[Answer]:
        """The answers, in order."""
        answers: dict[int, Answer] = {}
        together: dict[tuple[int, ...], list[int]] = {}
        for i, question in enumerate(self.questions):
            kept = self._kept(question)
            if question.flat.kind == "ltl" and not question.conditions:
                answers[i] = Answer(question.asked, "unknown", engine, reason=CLAIM)
            elif not kept:
                answers[i] = Answer(question.asked, "unknown", engine, reason=NOT_SYMMETRIC)
            else:
                together.setdefault(kept, []).append(i)
        for numbers, places in together.items():
            used = [self.found.symmetries[n] for n in numbers]
            questions = [self.questions[i] for i in places]
            found = self._check(questions, used, engine, how)
            answers |= dict(zip(places, found, strict=True))
        return [replace(answers[i], property=p) for i, p in enumerate(self._asked)]

    def _kept(self, question: _Question) -> tuple[int, ...]:
        """The numbers of the symmetries that a question does not break."""
        return tuple(
            n
            for n, after in enumerate(self._digests)
            if all(
                self._plain.condition(c) == digests.condition(c)
                for digests in after
                for c in question.conditions
            )
        )

    @cached_property
    def _plain(self) -> Digests:
        return Digests(self.flat)

    @cached_property
    def _digests(self) -> list[list[Digests]]:
        return [[Digests(self.flat, g) for g in s.generators] for s in self.found.symmetries]

    def _check(
        self,
        questions: Sequence[_Question],
        used: Sequence[Symmetry],
        engine: str,
        how: How,
    ) -> list[Answer]:
        on_sets = [q for q in questions if engine == "symbolic" and q.flat.kind in KINDS]
        answers: dict[int, Answer] = {}
        if on_sets:
            answers |= self._on_diagrams(on_sets, used, how)
        others = [q for q in questions if id(q) not in answers]
        if others:
            from plait.engines import check

            found = check(
                quotient(self.flat, elements_of(used)),
                [q.flat for q in others],
                engine=engine,
                tuning=how.tuning,
                method=how.method,
                budget=self._budget,
                listen=how.listen,
            )
            answers |= {id(q): self._told(q, a, used) for q, a in zip(others, found, strict=True)}
        note = "; ".join(s.title for s in used)
        return [
            replace(a, notes=(*a.notes, f"{a.property.name}: on the quotient by {note}"))
            for a in (answers[id(q)] for q in questions)
        ]

    def _told(self, question: _Question, answer: Answer, used: Sequence[Symmetry]) -> Answer:
        """An answer of the quotient as one of the model."""
        told = replace(answer, property=question.asked, witness=None, notes=(), explanation=())
        told = replace(told, replayed=False)
        if answer.witness is None or answer.verdict == "unknown" or question.asked.kind == "ctl":
            return told
        unfolded = Unfolded(self.prepared.compiled.program, elements_of(used))
        trace, loop = unfolded.run(canonical_states(answer.witness), answer.witness.loop)
        return self._shown(told, trace, loop)

    def _shown(self, answer: Answer, trace: Trace, loop: int | None = None) -> Answer:
        witness = replace(self.prepared.witness(trace), loop=loop)
        return self._evidence.confirm_run(replace(answer, witness=witness))

    # --- diagrams ---------------------------------------------------------------------------------

    def _on_diagrams(
        self, questions: Sequence[_Question], used: Sequence[Symmetry], how: How
    ) -> dict[int, Answer]:
        """The answers to questions about canonical states, by the identity of the question."""
        from plait.engines.symbolic.orbits import Orbits

        reason = None
        try:
            orbits = Orbits(self.flat, elements_of(used), how.tuning, self._budget, how.listen)
            stats: dict[str, object] = {"states": orbits.core.count(orbits.states)}
            return {id(q): self._decided(q, orbits, stats) for q in questions}
        except _core.StoppedError as stop:
            reason = str(stop.args[0])
        except LimitReached as limit:
            reason = limit.reason
        return {id(q): Answer(q.asked, "unknown", "symbolic", reason=reason) for q in questions}

    def _decided(self, question: _Question, orbits: Orbits, stats: dict[str, object]) -> Answer:
        p = question.flat
        answer = Answer(
            question.asked,
            "true",
            "symbolic",
            seconds=self._budget.elapsed,
            peak_memory_bytes=peak_memory(),
            stats=stats,
        )
        if p.kind == "bounds":
            assert isinstance(p.body, IntExpr)
            limits = orbits.extrema(p.body)
            figures = {} if limits is None else {"min": limits[0], "max": limits[1]}
            value = None if limits is None else limits[1]
            return replace(answer, value=value, stats={**stats, **figures})
        goal = orbits.goal(p)
        answer = replace(answer, verdict=verdict(p, found=bool(goal)))
        states = orbits.run(goal) if goal else None
        if states is None:
            return answer
        return self._shown(answer, with_events(self.prepared.compiled.program, states))

    # --- states -----------------------------------------------------------------------------------

    def states(self, engine: str, tuning: Tuning, listen: Listener | None) -> StateSpace:
        """The orbits of the reachable states, and how many states they have together."""
        used = self.found.symmetries
        notes = tuple(f"symmetry: {s.title}" for s in used)
        try:
            if engine == "symbolic":
                space = self._diagram_states(used, tuning, listen)
            else:
                space = self._explicit_states(used)
            return replace(space, notes=(*notes, *space.notes))
        except _core.StoppedError as stop:
            return stopped_space(engine, str(stop.args[0]), self._budget)
        except LimitReached as limit:
            return stopped_space(engine, limit.reason, self._budget)

    def _explicit_states(self, used: Sequence[Symmetry]) -> StateSpace:
        budget = self._budget
        prepared = prepare(quotient(self.flat, elements_of(used)), (), budget)
        try:
            found = _core.explore(
                prepared.compiled.program,
                goals=[],
                bounds=[],
                stop_when_decided=False,
                timeout=budget.remaining(),
                memory=budget.memory,
                max_states=budget.states,
            )
        except _core.ProgramError as failure:
            raise prepared.located(failure) from None

        def states() -> Iterator[State]:
            for number in range(found.states):
                if number % 1000 == 0:
                    budget.check()
                yield prepared.lift(found.state(number))[:-1]

        sizes = counted(used, states(), budget.check)
        return self._space(found.states, sizes, found.deadlocks, "explicit", found.reason)

    def _diagram_states(
        self, used: Sequence[Symmetry], tuning: Tuning, listen: Listener | None
    ) -> StateSpace:
        from plait.engines.symbolic.orbits import Orbits

        orbits = Orbits(self.flat, elements_of(used), tuning, self._budget, listen)
        core = orbits.core
        total = core.count(orbits.closure(orbits.states))
        dead = core.count(orbits.deadlocks())
        return self._space(core.count(orbits.states), (None, total), dead, "symbolic", None)

    def _space(
        self,
        states: int,
        sizes: tuple[int | None, int],
        deadlocks: int,
        engine: str,
        reason: str | None,
    ) -> StateSpace:
        orbits, total = sizes
        known = {} if orbits is None else {"orbits": orbits}
        return StateSpace(
            complete=reason is None,
            reason=reason,
            states=states,
            deadlocks=deadlocks,
            engine=engine,
            seconds=self._budget.elapsed,
            peak_memory_bytes=peak_memory(),
            stats={**known, "states_of_the_orbits": total},
            notes=(f"{states:,} canonical states stand for {total:,} states",),
        )


def _leaves(p: Property) -> list[Property]:
    """The property itself, or the conditions of a temporal formula as properties."""
    if p.kind in KINDS or not isinstance(p.body, Formula):
        return [p]
    from plait.logic.formula import NeverClaim
    from plait.logic.nnf import nnf
    from plait.logic.walk import conditions

    if isinstance(p.body, NeverClaim):
        return []
    return [Property(p.name, "reachable", f) for f in conditions(nnf(p.body))]


def _question(p: Property, flat: Sequence[Property]) -> _Question:
    if p.kind in KINDS:
        (made,) = flat
        conditions = () if made.body is None else (made.body,)
        return _Question(p, made, conditions)
    from plait.logic.nnf import nnf
    from plait.logic.walk import conditions as conditions_of
    from plait.logic.walk import fold_temporal

    if not flat:
        return _Question(p, p, ())
    assert isinstance(p.body, Formula)
    normal = nnf(p.body)
    made_of: dict[int, Formula] = {}
    for condition, made in zip(conditions_of(normal), flat, strict=True):
        assert isinstance(made.body, Formula)
        made_of[id(condition)] = made.body

    def visit(f: Formula, below: list[Formula]) -> Formula:
        return f.with_children(below) if below else made_of[id(f)]

    body = fold_temporal(normal, visit)
    return _Question(p, replace(p, body=body), tuple(made_of.values()))


def _named(flat: Model, references: Iterable[str]) -> tuple[str, ...]:
    """The references, which must be variables."""
    names = tuple(references)
    cells = {cell.partition("[")[0] for cell in shape_of(flat).cells()}
    for name in names:
        if name not in cells:
            hint = f"there are: {', '.join(sorted(cells)[:8])}"
            raise error(f"no variable named '{name}' could hold references", hint=hint)
    return names


def check_symmetric(
    model: Model,
    properties: Sequence[Property] | None = None,
    wanted: SymmetryTuning | None = None,
    *,
    engine: str = "auto",
    tuning: Tuning | None = None,
    method: Method | None = None,
    budget: Budget | None = None,
    listen: Listener | None = None,
) -> list[Answer]:
    """The answer to each property, in order, on the quotient by the symmetries of the model."""
    if properties is None:
        properties = [p for p in model.properties if not p.optional]
    asked = [p for p in properties if p.kind != "atom"]
    if not is_ordinary(model, asked):
        raise error("symmetries are for properties of all paths, and this model has fair ones")
    symmetric = Symmetric(model, asked, wanted or SymmetryTuning(), budget or Budget())
    return symmetric.check(engine, How(tuning or Tuning(), method, listen))


def symmetric_states(
    model: Model,
    wanted: SymmetryTuning | None = None,
    *,
    engine: str = "auto",
    tuning: Tuning | None = None,
    budget: Budget | None = None,
    listen: Listener | None = None,
) -> StateSpace:
    """How many orbits the reachable states have, and in the statistics, how many states those."""
    if model.begins is not None:
        raise error("symmetries are for models that begin in one state")
    model = without_ghosts(model)
    symmetric = Symmetric(model, (), wanted or SymmetryTuning(), budget or Budget())
    return symmetric.states(engine, tuning or Tuning(), listen)


__all__ = ["How", "Symmetric", "check_symmetric", "symmetric_states"]
