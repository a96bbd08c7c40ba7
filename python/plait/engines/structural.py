"""The structural engine: what walks, siphons, the state equation and smaller nets tell of a net.

Walks find states, the state equation shows that there are none, and both take seconds where the
state space has 10^20 states. What they leave is asked of structurally reduced nets (`reduced`).
None is complete, so the rest stays `unknown` and others go on with it. A trace is replayed on the
original model like any other; an answer of the state equation rests on a certificate that was
checked in exact integers (`plait.structure.certificate`).

All properties of a call share the walks, and what was tried of a property in one turn is not tried
again in the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from plait import _core
from plait.engines import siphon_trap
from plait.engines.budget import Budget, Listener, Progress, peak_memory
from plait.engines.equations import AtMost, Reachable, linear_question, solve
from plait.engines.evidence import Evidence
from plait.engines.prepared import Prepared, prepare
from plait.engines.reduced import PREFIX, Question, ReducedNets, Told
from plait.errors import LimitReached
from plait.model.arithmetic import INT_MAX
from plait.model.expr import Formula, IntExpr
from plait.model.net import Net, as_net
from plait.model.types import Model, Property
from plait.report.answer import Answer, Verdict
from plait.structure import linear
from plait.structure.equation import StateEquation
from plait.structure.growth import Growth, growth
from plait.structure.linear import Coefficients, Goal, Linear, NotLinear
from plait.structure.measure import measure

ENGINE = "structural"
WALK = "walk"
EQUATION = "state-equation"
TRACE_CELLS = 4_000_000
"""Cells of all states of a trace together: what its replay may take."""
LONGEST = 1 << 17
"""Steps of a run, however few cells a state has."""
STEPS = 3_000_000
"""Steps a second, beyond which walks are only repeating themselves."""
ALONE = 2.0
"""Seconds that a property needs at least for a reduced net of its own."""
SOLVED = 0.2
"""The part of a turn that a solver may take."""
SOLVING = 0.3
"""Seconds that the solver needs at least: it must be loaded."""
MEASURED = 500
"""Inequalities of a goal up to which walks are guided towards it."""


@dataclass(slots=True)
class _Question:
    """A property of a net in linear form, and what is known of it."""

    asked: Property
    flat: Property
    goal: Goal | None = None
    """The condition whose reachability decides it; None when it is not linear."""
    places: Coefficients | None = None
    constant: int = 0
    """For `bounds`: the sum of places; None when it is none."""
    upper: int | None = None
    lower: int | None = None
    """For `bounds`: what the greatest value is at most and at least."""
    answer: Answer | None = None

    @property
    def key(self) -> int:
        return id(self.asked)


class Structural:
    """A model for walks and, if it is a net, the state equation; keeps what it finds out."""

    def __init__(
        self, model: Model, evidence: Evidence | None = None, nested: bool = False
    ) -> None:
        self.model = model
        self.evidence = evidence or Evidence(model)
        self.nested = nested
        """The model is a reduced net already."""
        self._seed = 0
        self._bounded: bool | None = None
        """Whether weights bound all tokens together."""
        self.solved: dict[int, float] = {}
        """Seconds that the solver had for each property."""
        self._tried: dict[int, float] = {}
        """Seconds that the state equation had for each property without success."""
        self.siphons_tried = False

    def check(
        self,
        properties: Sequence[Property],
        budget: Budget,
        listen: Listener | None = None,
        prepared: Prepared | None = None,
    ) -> list[Answer]:
        """The answers to properties of the kinds in `KINDS`, in order."""
        prepared = prepared or prepare(self.model, properties)
        net = as_net(prepared.rewritten.model)
        turn = _Turn(self, prepared, net if isinstance(net, Net) else None, budget, listen)
        questions = [
            turn.question(p, flat) for p, flat in zip(properties, prepared.properties, strict=True)
        ]
        try:
            turn.run(questions)
        except LimitReached as limit:
            # What was found until then is an answer all the same.
            if limit.reason == "interrupted":
                raise
        seconds, memory = budget.elapsed, peak_memory()
        unknown = "neither walks nor the state equation decide it"
        return [
            replace(
                q.answer or Answer(q.asked, "unknown", ENGINE, reason=unknown),
                seconds=seconds,
                peak_memory_bytes=memory,
            )
            for q in questions
        ]

    def unbounded(self, budget: Budget, prepared: Prepared | None = None) -> str | None:
        """Why the net has no bound, when walks find that within the budget; else None."""
        prepared = prepared or prepare(self.model)
        net = as_net(prepared.rewritten.model)
        if not isinstance(net, Net) or not net.ordinary or _wraps(prepared):
            return None
        if self._bounded is None:
            remaining = budget.remaining()
            seconds = 10.0 if remaining is None else remaining / 3
            every = dict.fromkeys(range(len(net.places)), 1)
            self._bounded = StateEquation(net).bound(every, seconds) is not None
        if self._bounded:
            return None
        found = _Turn(self, prepared, net, budget, None).grow(0.9)
        return None if found is None else found.why(net)

    def next_seed(self) -> int:
        """Another seed for each walk, the same in every process."""
        self._seed += 1
        return self._seed

    def untried(self, question: _Question, seconds: float) -> bool:
        """Whether the state equation has not had as long for the property before."""
        return self._tried.get(question.key, 0.0) < seconds

    def note(self, question: _Question, seconds: float) -> None:
        """The state equation had so long for the property."""
        self._tried[question.key] = seconds


class _Turn:
    """One turn of the engine on a prepared model."""

    def __init__(
        self,
        engine: Structural,
        prepared: Prepared,
        net: Net | None,
        budget: Budget,
        listen: Listener | None,
    ) -> None:
        self.engine = engine
        self.prepared = prepared
        self.net = net
        self.budget = budget
        self.listen = listen
        compiled = prepared.compiled
        self.equation = None if net is None else StateEquation(net)
        self._tokens: tuple[int | None] | None = None
        if self.equation is not None and _wraps(prepared):
            # Variables wrap around where places go on counting: it is a net if none gets there.
            tokens = self._most_tokens()
            if tokens is None or tokens > INT_MAX:
                self.net = net = self.equation = None
        self.linear = None if net is None else Linear(net, compiled.shape, compiled.titled)

    def question(self, asked: Property, flat: Property) -> _Question:
        """The property in linear form, as far as it has one."""
        question = _Question(asked, flat)
        if self.linear is None or self.net is None:
            return question
        try:
            if flat.kind == "deadlock":
                question.goal = linear.deadlocked(self.net)
            elif flat.kind == "bounds":
                assert isinstance(flat.body, IntExpr)
                question.places, question.constant = self.linear.sum((flat.body, 1))
            else:
                assert isinstance(flat.body, Formula)
                question.goal = self.linear.goal(flat.body, flat.kind != "invariant")
        except NotLinear:
            question.goal = None
        return question

    def run(self, questions: Sequence[_Question]) -> None:
        """Siphons, bounds, a short walk, the state equation, reduced nets, a longer walk."""
        self._siphons(questions)
        if self.equation is not None and self.equation.available:
            self._bounds(questions, 0.3)
        self._walk(questions, 0.15)
        if self.equation is not None and self.equation.available:
            self._equations(questions)
            self._solve(questions)
            self._unbounded(questions)
            if not self.engine.nested:
                self._reduced(questions)
        self._walk(questions, 0.9)

    def _siphons(self, questions: Sequence[_Question]) -> None:
        """Ask siphons and traps, once, whether there is a deadlock."""
        asked = [q for q in questions if q.flat.kind == "deadlock" and q.answer is None]
        if not asked or self.net is None or self.engine.siphons_tried:
            return
        self.engine.siphons_tried = True
        if siphon_trap.has_no_deadlock(self.net, self.budget):
            for q in asked:
                q.answer = Answer(q.asked, "true", siphon_trap.ENGINE)

    # --- walks ------------------------------------------------------------------------------------

    def _walk(self, questions: Sequence[_Question], share: float) -> None:
        left = [q for q in questions if q.answer is None]
        remaining = self.budget.remaining()
        if not left or (remaining is not None and remaining <= 0.01):
            return
        if self.listen is not None:
            self.listen(Progress(WALK, memory=peak_memory(), seconds=self.budget.elapsed))
        goals = [q for q in left if q.flat.kind != "bounds"]
        values = [q for q in left if q.flat.kind == "bounds"]
        compiled = self.prepared.compiled
        width = max(1, compiled.shape.width)
        seconds = 2.0 if remaining is None else remaining * share
        try:
            found = _core.walk(
                compiled.program,
                goals=[self._native_goal(q) for q in goals],
                measures=[self._measure(q) for q in goals],
                values=[compiled.integer(_body(q)) for q in values],
                enough=[_clamped(q.upper) for q in values],
                seed=self.engine.next_seed(),
                timeout=seconds,
                steps=int(seconds * STEPS),
                length=max(200, min(LONGEST, TRACE_CELLS // width)),
            )
        except _core.ProgramError as failure:
            raise self.prepared.located(failure) from None
        if found.reason == "interrupted":
            raise LimitReached("interrupted")
        self._confirm(found, goals)
        for q, best in zip(values, found.values, strict=True):
            if best is not None and (q.lower is None or best[0] > q.lower):
                q.lower = best[0]
            self._close(q)

    def _native_goal(self, q: _Question) -> int:
        """The goal for the walk; spelled out by places it is looked at only when one changes.

        Sums stay as they are written, since they must wrap around as they do there.
        """
        body = q.flat.body
        if q.goal is None or not isinstance(body, Formula) or not linear.fits(q.goal):
            return self.prepared.goal(q.flat)
        if linear.wraps_from(body) is not None:
            return self.prepared.goal(q.flat)
        return measure(self.prepared.compiled.program, q.goal).holds

    def _measure(self, q: _Question) -> int | None:
        if q.goal is None or q.flat.kind == "deadlock" or linear.size(q.goal) > MEASURED:
            return None
        if not linear.fits(q.goal):
            return None
        return measure(self.prepared.compiled.program, q.goal).distance

    def _confirm(self, found: _core.Walks, goals: Sequence[_Question]) -> None:
        """Replay each run once, for all that was found on it."""
        runs: dict[int, list[tuple[int, _Question]]] = {}
        for q, place in zip(goals, found.goals, strict=True):
            if place is not None:
                runs.setdefault(place[0], []).append((place[1], q))
        for run, on_it in runs.items():
            longest = max(position for position, _ in on_it)
            states = found.trace(run, longest)
            steps, kept = _without_cycles(states, {position for position, _ in on_it})
            witness = self.prepared.witness(steps)
            answers = []
            for position, q in on_it:
                verdict: Verdict = "true" if q.asked.kind == "reachable" else "false"
                stats: dict[str, object] = {"max_sum": sum(witness.states[kept[position]])}
                answers.append((Answer(q.asked, verdict, WALK, stats=stats), kept[position]))
            confirmed = self.engine.evidence.confirm_along(witness, answers)
            for (_, q), answer in zip(on_it, confirmed, strict=True):
                q.answer = answer

    # --- the state equation -----------------------------------------------------------------------

    def _equations(self, questions: Sequence[_Question]) -> None:
        """A share of the time for each goal."""
        left = [q for q in questions if q.answer is None]
        for i, q in enumerate(left):
            remaining = self.budget.remaining()
            seconds = 10.0 if remaining is None else remaining * 0.4 / (len(left) - i)
            if remaining is not None and remaining <= 0.01:
                return
            if not self.engine.untried(q, seconds):
                continue
            self._refute(q, seconds)
            self.engine.note(q, seconds)

    def _bounds(self, questions: Sequence[_Question], share: float) -> None:
        """What sums cannot exceed: one linear programme each, and walks know where to stop."""
        remaining = self.budget.remaining()
        least = 0.0 if remaining is None else remaining * (1 - share)
        for q in questions:
            remaining = self.budget.remaining()
            if remaining is not None and remaining <= least:
                return
            if q.answer is None and q.flat.kind == "bounds" and q.places is not None:
                self._bound(q)

    def _bound(self, q: _Question) -> None:
        assert self.equation is not None
        if q.upper is None and q.places is not None and all(c > 0 for c in q.places.values()):
            bound = self.equation.bound(q.places, self._seconds())
            if bound is not None and bound + q.constant <= INT_MAX and q.constant >= 0:
                q.upper = bound + q.constant
        self._close(q)

    def _refute(self, q: _Question, seconds: float) -> None:
        """Try to show that the goal is unreachable, or the greatest value met the greatest."""
        assert self.equation is not None
        if q.flat.kind == "bounds":
            if q.upper is None or q.lower is None or q.places is None:
                return
            more = linear.atom(q.places, q.lower + 1 - q.constant)
            if self.equation.unreachable(more, seconds) is not None:
                q.upper = q.lower
            self._close(q)
            return
        if q.goal is None or self._may_wrap(q):
            return
        if self.equation.unreachable(q.goal, seconds) is not None:
            verdict: Verdict = "false" if q.asked.kind == "reachable" else "true"
            q.answer = Answer(q.asked, verdict, EQUATION)

    def _solve(self, questions: Sequence[_Question]) -> None:
        """Put what linear programmes left to a solver of linear arithmetic."""
        assert self.net is not None
        remaining = self.budget.remaining()
        seconds = 10.0 if remaining is None else remaining * SOLVED
        left = [q for q in questions if q.answer is None and self._solvable(q)]
        left = [q for q in left if self.engine.solved.get(q.key, 0.0) < seconds]
        if seconds < SOLVING or not left:
            return
        for q in left:
            self.engine.solved[q.key] = seconds
        asked = [linear_question(q.goal, q.places, q.lower, q.upper, q.constant) for q in left]
        budget = Budget(seconds, self.budget.memory)
        for found in solve(self.net, asked, budget):
            q = left[found.number]
            if isinstance(found, AtMost):
                q.upper = found.value + q.constant
                self._close(q)
            elif isinstance(found, Reachable):
                self._reached(q, found.events)
            else:
                verdict: Verdict = "false" if q.asked.kind == "reachable" else "true"
                q.answer = Answer(q.asked, verdict, EQUATION, stats={"solver": "z3"})

    def _reached(self, q: _Question, events: Sequence[int]) -> None:
        """Replay a run that a solution of the state equation turned out to be."""
        assert self.net is not None
        if len(events) * len(self.net.places) > TRACE_CELLS:
            return
        trace: list[tuple[int | None, tuple[int, ...]]] = [(None, self.net.initial)]
        for event in events:
            trace.append((event, self.net.events[event].fire(trace[-1][1])))
        witness = self.prepared.witness(trace)
        verdict: Verdict = "true" if q.asked.kind == "reachable" else "false"
        stats: dict[str, object] = {"solver": "z3", "max_sum": sum(trace[-1][1])}
        answer = Answer(q.asked, verdict, EQUATION, stats=stats)
        (q.answer,) = self.engine.evidence.confirm_along(witness, [(answer, len(events))])

    def _solvable(self, q: _Question) -> bool:
        if q.flat.kind == "bounds":
            known = q.places is not None and q.upper is not None and q.lower is not None
            return known and q.constant >= 0 and not self._may_wrap(q)
        return q.goal is not None and not self._may_wrap(q)

    # --- nets without bound -----------------------------------------------------------------------

    def grow(self, share: float) -> Growth | None:
        """A run of the net that can be repeated for ever and adds tokens, if walks find one."""
        assert self.net is not None
        remaining = self.budget.remaining()
        seconds = 2.0 if remaining is None else remaining * share
        compiled = self.prepared.compiled
        try:
            found = _core.walk(
                compiled.program,
                goals=[],
                measures=[],
                values=[],
                enough=[],
                growth=True,
                seed=self.engine.next_seed(),
                timeout=seconds,
                steps=int(seconds * STEPS),
                length=LONGEST,
            )
        except _core.ProgramError:
            return None  # an error of the model, which a search will tell
        if found.reason == "interrupted":
            raise LimitReached("interrupted")
        if found.growth is None:
            return None
        (run, first), (_, last) = found.growth
        events = found.events(run, last)
        return growth(self.net, events[:first], events[first:])

    def _unbounded(self, questions: Sequence[_Question]) -> None:
        """Say of sums that nothing bounds that they have no bound, where a walk shows it."""
        open_ = [q for q in questions if q.answer is None and q.places and q.upper is None]
        for _ in range(3 if open_ else 0):
            found = self.grow(0.05)
            if found is None or self.net is None:
                return
            for q in open_:
                assert q.places is not None
                gain = sum(c * found.gain.get(p, 0) for p, c in q.places.items())
                if q.answer is None and gain > 0 and min(q.places.values()) > 0:
                    q.answer = Answer(q.asked, "unknown", WALK, reason=found.why(self.net))

    # --- reduced nets -----------------------------------------------------------------------------

    def _reduced(self, questions: Sequence[_Question]) -> None:
        """Put what is left to reduced nets: together if there is little time, else one by one."""
        assert self.net is not None
        nets = ReducedNets(self.prepared, self.net)
        left = [q for q in questions if q.answer is None and self._can_reduce(q)]
        remaining = self.budget.remaining()
        alone = remaining is None or remaining * 0.7 > len(left) * ALONE
        groups: list[list[_Question]] = [[q] for q in left if alone or q.flat.kind == "deadlock"]
        if not alone:
            groups.append([q for q in left if q.flat.kind != "deadlock"])
        groups = [group for group in groups if group]
        for i, group in enumerate(groups):
            remaining = self.budget.remaining()
            seconds = 20.0 if remaining is None else remaining * 0.7 / (len(groups) - i)
            if seconds <= 0.05:
                return
            budget = Budget(seconds, self.budget.memory, self.budget.states)
            asked = [Question(q.flat, q.goal, q.places, q.constant) for q in group]
            for q, told in zip(group, nets.check(asked, budget, self.listen), strict=True):
                if told is not None:
                    self._tell(q, told)

    def _can_reduce(self, q: _Question) -> bool:
        if q.flat.kind == "bounds":
            return q.places is not None and not self._may_wrap(q)
        return q.goal is not None and linear.fits(q.goal) and not self._may_wrap(q)

    def _tell(self, q: _Question, told: Told) -> None:
        """Take over what a reduced net told."""
        engine = PREFIX + told.answer.engine
        if q.flat.kind == "bounds":
            shown = {k: v for k, v in told.answer.stats.items() if k in ("min", "max")}
            value = told.answer.value
            q.answer = Answer(q.asked, "true", engine, value=value, stats=shown)
            return
        verdict: Verdict = "true" if told.found == (q.asked.kind == "reachable") else "false"
        answer = Answer(q.asked, verdict, engine)
        if told.note is not None:
            answer = replace(answer, notes=(f"{q.asked.name}: {told.note}",))
        if told.witness is not None:
            last = sum(told.witness.states[-1])
            answer = replace(answer, stats={"max_sum": last})
            length = len(told.witness.steps)
            (answer,) = self.engine.evidence.confirm_along(told.witness, [(answer, length)])
        q.answer = answer

    def _close(self, q: _Question) -> None:
        """The bound is known when what was met is all that can be."""
        if q.upper is not None and q.lower is not None and q.upper == q.lower:
            q.answer = Answer(q.asked, "true", EQUATION, value=q.upper, stats={"max": q.upper})

    def _may_wrap(self, q: _Question) -> bool:
        """Whether a sum of the question may leave the 32-bit integers, for all that is known."""
        if q.flat.body is None:
            return False
        limit = linear.wraps_from(q.flat.body)
        if limit is None:
            return False
        tokens = self._most_tokens()
        return tokens is None or tokens >= limit

    def _most_tokens(self) -> int | None:
        """A bound of all tokens together, if there is a certificate of one."""
        if self._tokens is None:
            assert self.equation is not None
            every = dict.fromkeys(range(len(self.equation.net.places)), 1)
            self._tokens = (self.equation.bound(every, self._seconds()),)
        return self._tokens[0]

    def _seconds(self) -> float:
        remaining = self.budget.remaining()
        return 10.0 if remaining is None else remaining / 2


def _wraps(prepared: Prepared) -> bool:
    """Whether some variable has no domain, and so wraps around at the end of the integers."""
    return any(domain is None for domain in prepared.compiled.shape.domains())


def _body(q: _Question) -> IntExpr:
    assert isinstance(q.flat.body, IntExpr)
    return q.flat.body


def _clamped(value: int | None) -> int | None:
    return None if value is None or value > INT_MAX else value


def _without_cycles(
    trace: Sequence[tuple[int | None, tuple[int, ...]]], marks: set[int]
) -> tuple[list[tuple[int | None, tuple[int, ...]]], dict[int, int]]:
    """The trace with what leads back to a state left out, unless a mark lies inside.

    Also the new position of each mark.
    """
    kept: list[tuple[int | None, tuple[int, ...]]] = []
    place: dict[tuple[int, ...], int] = {}
    floor = 0
    moved: dict[int, int] = {}
    for position, (event, state) in enumerate(trace):
        seen = place.get(state)
        if seen is not None and seen >= floor and seen < len(kept) and kept[seen][1] == state:
            del kept[seen + 1 :]
        else:
            kept.append((event, state))
            place[state] = len(kept) - 1
        if position in marks:
            floor = len(kept) - 1
            moved[position] = floor
    return kept, moved


__all__ = ["ENGINE", "EQUATION", "WALK", "Structural"]
