"""One turn of the structural engine: what is tried of the questions of a net, and in which order.

What is cheap and decides much comes first: siphons and traps, one linear programme for each bound,
random walks. Then the methods that look at one question at a time have a share each of the time
that is left. What was tried in vain is noted in the engine (`plait.engines.nets.engine`), so that
the next turn does not try it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from plait.engines.budget import Budget, Listener
from plait.engines.decisive import verdict
from plait.engines.nets import siphon_trap
from plait.engines.nets.coverability import ENGINE as COVERABILITY
from plait.engines.nets.equations import AtMost, Planned, Reachable, linear_question, solve
from plait.engines.nets.question import EQUATION, NetQuestion
from plait.engines.nets.reduced import PREFIX, Question, ReducedNets, Told
from plait.engines.nets.value_pairs import ENGINE as PAIRS
from plait.engines.nets.walks import TRACE_CELLS, WALK, NetWalks
from plait.engines.prepared import Prepared
from plait.hints import TYPE_CHECKING
from plait.model.arithmetic import INT_MAX
from plait.model.expr import Formula, IntExpr
from plait.model.net import Net
from plait.model.types import Property
from plait.records import replace
from plait.report.answer import Answer
from plait.structure import linear
from plait.structure.linear import Atom, Goal, Junction, Linear, NotLinear, atom
from plait.structure.upward import rises

if TYPE_CHECKING:
    from plait.engines.nets.engine import Structural

ALONE = 2.0
"""Seconds that a property needs at least for a reduced net of its own."""
SOLVED = 0.2
"""The part of a turn that a solver may take."""
PLANNED_FIRST, PLANNED = 0.05, 0.3
"""The parts of what is left of a turn for walks that follow solutions of the state equation: of
linear programmes, which lead there at once or not at all, and of the solver."""
PAIRED = 0.15
"""The part of what is left of a turn for pairs of values."""
SEARCHED_FIRST, SEARCHED = 0.2, 0.6
"""The parts of what is left of a turn for directed search, after linear programmes and in the
end."""
COVERED, WITHOUT_BOUND = 0.2, 0.4
"""The parts of what is left of a turn for backward search. Of a net that nothing is known to bound
hardly anything else shows that something is unreachable, so there its turn comes early."""
KEPT = 500_000
"""Demands of a backward search that is kept for the next turn."""
MANY = 100
"""Questions that do not make an answer wait which is there at once: whoever asks of each place of a
net may need no more."""
SOLVING = 0.3
"""Seconds that the solver needs at least: it must be loaded."""


class Turn:
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
        self.equation = None if net is None else engine.equation_of(net)
        self._tokens: tuple[int | None] | None = None
        if self.equation is not None and wraps(prepared):
            # Variables wrap around where places go on counting: it is a net if none gets there.
            tokens = self._most_tokens()
            if tokens is None or tokens > INT_MAX:
                self.net = net = self.equation = None
        self.linear = None if net is None else Linear(net, compiled.shape, compiled.titled)
        self.walks = NetWalks(prepared, engine.evidence, budget, engine.next_seed, listen)

    def question(self, asked: Property, flat: Property) -> NetQuestion:
        """The property in linear form, as far as it has one."""
        question = NetQuestion(asked, flat)
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

    def run(self, questions: Sequence[NetQuestion]) -> None:
        """Siphons, what is plain, conserved sets, bounds, walks, pairs, the state equation, search,
        walks by it, smaller nets."""
        self._siphons(questions)
        if self._at_once(questions) and len(questions) > MANY:
            return
        self._conserved(questions, 0.7)
        if self.equation is not None and self.equation.available:
            self._bounds(questions, 0.3)
        self._walk(questions, 0.15)
        self._pairs(questions)
        unlimited = any(map(self._can_cover, questions)) and self._most_tokens() is None
        if unlimited:
            self._cover(questions, WITHOUT_BOUND)
        solvable = self.equation is not None and self.equation.available
        if solvable:
            self._equations(questions)
            self._walk_by_plan(questions, PLANNED_FIRST)
        self._direct(questions, SEARCHED_FIRST)
        if not unlimited:
            self._cover(questions, COVERED)
        if solvable:
            self._solve(questions)
            self._walk_by_plan(questions, PLANNED)
            self._unbounded(questions)
            if not self.engine.nested:
                self._reduced(questions)
        self._direct(questions, SEARCHED)
        self._walk(questions, 0.9)

    def _siphons(self, questions: Sequence[NetQuestion]) -> None:
        """Ask siphons and traps, once, whether there is a deadlock."""
        asked = [q for q in questions if q.flat.kind == "deadlock" and q.answer is None]
        if not asked or self.net is None or self.engine.siphons_tried:
            return
        self.engine.siphons_tried = True
        if siphon_trap.has_no_deadlock(self.net, self.budget):
            for q in asked:
                q.answer = Answer(q.asked, "true", siphon_trap.ENGINE)

    def _at_once(self, questions: Sequence[NetQuestion]) -> bool:
        """Refute what has become false of every marking, as that a place changes which no event
        does; whether there was any."""
        open_ = (q for q in questions if q.answer is None and _is_false(q.goal))
        plain = [q for q in open_ if not self._may_wrap(q)]
        for q in plain:
            q.refute(EQUATION)
        return bool(plain)

    def _conserved(self, questions: Sequence[NetQuestion], share: float) -> None:
        """Refute that a place has more tokens than a set around it ever has: of nets with thousands
        of places, each of which is asked about, before anything that looks at all of the net."""
        least = self.budget.part(1 - share, 0.0)
        for q in questions:
            goal = q.goal
            if self.equation is None or self.budget.part(1.0, 1.0) <= least:
                return
            if q.answer is not None or not isinstance(goal, Atom) or self._may_wrap(q):
                continue
            (place, factor), *others = goal.coefficients
            bound = None if others or factor < 0 else self.equation.programmes.by_set(place)
            if bound is not None and factor * bound.value < goal.bound:
                q.refute(EQUATION)

    @cached_property
    def nets(self) -> ReducedNets:
        """The net reduced for one question or another."""
        assert self.net is not None
        return ReducedNets(self.prepared, self.net)

    def _walk(self, questions: Sequence[NetQuestion], share: float) -> None:
        self.walks.walk(questions, share)

    def _walk_by_plan(self, questions: Sequence[NetQuestion], share: float) -> None:
        self._walk([q for q in questions if q.plan is not None], share)

    def _pairs(self, questions: Sequence[NetQuestion]) -> None:
        """Ask which values places may have together: whether a goal, or more of a sum than was met,
        takes some that are not."""
        if self.net is None or not self.net.ordinary:
            return
        open_ = [q for q in questions if q.answer is None]
        goals = [(q, q.more() if q.goal is None else q.goal) for q in open_]
        left = [(q, goal) for q, goal in goals if goal is not None and not self._may_wrap(q)]
        if not left:
            return
        seconds = self.budget.part(PAIRED, 5.0)
        for i in self.engine.pairs.unreachable(self.net, [goal for _, goal in left], seconds):
            left[i][0].refute(PAIRS)

    # --- the state equation -----------------------------------------------------------------------

    def _equations(self, questions: Sequence[NetQuestion]) -> None:
        """A share of the time for each goal."""
        left = [q for q in questions if q.answer is None]
        for i, q in enumerate(left):
            remaining = self.budget.remaining()
            seconds = 10.0 if remaining is None else remaining * 0.4 / (len(left) - i)
            if remaining is not None and remaining <= 0.01:
                return
            if not self.engine.untried(q, seconds) or self.engine.settled(q.asked):
                continue
            self._refute(q, seconds)
            self.engine.note(q, seconds)

    def _bounds(self, questions: Sequence[NetQuestion], share: float) -> None:
        """What sums cannot exceed: one linear programme each, and walks know where to stop."""
        remaining = self.budget.remaining()
        least = 0.0 if remaining is None else remaining * (1 - share)
        for q in questions:
            remaining = self.budget.remaining()
            if remaining is not None and remaining <= least:
                return
            if q.answer is None and q.flat.kind == "bounds" and q.places is not None:
                self._bound(q)

    def _bound(self, q: NetQuestion) -> None:
        assert self.equation is not None
        if q.upper is None and q.places is not None and all(c > 0 for c in q.places.values()):
            bound = self.equation.bound(q.places, self._seconds())
            if bound is not None and bound + q.constant <= INT_MAX and q.constant >= 0:
                q.upper = bound + q.constant
        q.close()

    def _refute(self, q: NetQuestion, seconds: float) -> None:
        """Try to show that the goal is unreachable, or the greatest value met the greatest."""
        assert self.equation is not None
        if q.flat.kind == "bounds":
            more = q.more()
            if q.upper is None or q.lower is None or q.places is None or more is None:
                return
            # What has all that the sum may have has more than was met, too.
            if self.equation.unreachable(atom(q.places, q.upper - q.constant), seconds) is None:
                q.plan = self.equation.plan
                return
            q.upper -= 1
            if q.upper > q.lower and self.equation.unreachable(more, seconds) is not None:
                q.upper = q.lower
            q.close()
            return
        if q.goal is None or self._may_wrap(q):
            return
        if self.equation.unreachable(q.goal, seconds) is not None:
            q.refute(EQUATION)
        else:
            q.plan = self.equation.plan

    def _solve(self, questions: Sequence[NetQuestion]) -> None:
        """Put what linear programmes left to a solver of linear arithmetic."""
        assert self.net is not None
        seconds = self.budget.part(SOLVED, 10.0)
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
            if isinstance(found, Planned):
                q.plan = found.times
            elif isinstance(found, AtMost):
                q.upper = found.value + q.constant
                q.close()
            elif isinstance(found, Reachable):
                self._reached(q, found.events)
            else:
                q.refute(EQUATION, {"solver": "z3"})

    def _reached(self, q: NetQuestion, events: Sequence[int]) -> None:
        """Replay a run that a solution of the state equation turned out to be."""
        assert self.net is not None
        if len(events) * len(self.net.places) > TRACE_CELLS:
            return
        trace: list[tuple[int | None, tuple[int, ...]]] = [(None, self.net.initial)]
        for event in events:
            trace.append((event, self.net.events[event].fire(trace[-1][1])))
        witness = self.prepared.witness(trace)
        stats: dict[str, object] = {"solver": "z3", "max_sum": sum(trace[-1][1])}
        answer = Answer(q.asked, verdict(q.asked, found=True), EQUATION, stats=stats)
        (q.answer,) = self.engine.evidence.confirm_along(witness, [(answer, len(events))])

    def _solvable(self, q: NetQuestion) -> bool:
        if q.flat.kind == "bounds":
            known = q.places is not None and q.upper is not None and q.lower is not None
            return known and q.constant >= 0 and not self._may_wrap(q)
        return q.goal is not None and not self._may_wrap(q)

    # --- directed search --------------------------------------------------------------------------

    def _direct(self, questions: Sequence[NetQuestion], share: float) -> None:
        """Search for each goal by itself, on a net that is reduced for it."""
        left = [q for q in questions if q.answer is None and self._can_reduce(q)]
        if self.net is None or not self.net.ordinary or self.engine.nested:
            return
        for q, seconds in self._one_by_one(left, share):
            asked = Question(q.flat, q.goal, q.places, q.constant)
            told = self.nets.direct(asked, Budget(seconds, self.budget.memory, self.budget.states))
            if told is not None:
                self._tell(q, told)

    # --- coverability -----------------------------------------------------------------------------

    def _cover(self, questions: Sequence[NetQuestion], share: float) -> None:
        """Search backwards for each goal, as far as it stays true with more tokens."""
        left = [q for q in questions if self._can_cover(q)]
        for q, seconds in self._one_by_one(left, share):
            self._cover_one(q, Budget(seconds, self.budget.memory))

    def _cover_one(self, q: NetQuestion, budget: Budget) -> None:
        goal = q.goal if q.goal is not None else q.more()
        key = q.key, q.lower if q.goal is None else None
        asked = Question(q.flat, goal)
        before = self.engine.covering.pop(key, None)
        told, kept = self.nets.cover(asked, budget, before, self._may_wrap(q))
        if kept[1].size <= KEPT:
            self.engine.covering[key] = kept
        if told is None:
            return
        if told.answer.reason is not None:
            q.answer = replace(told.answer, property=q.asked)
        elif q.flat.kind != "bounds":
            self._tell(q, told)
        elif not told.found:
            q.refute(PREFIX + COVERABILITY)

    def _can_cover(self, q: NetQuestion) -> bool:
        if q.answer is not None or self.net is None or self.engine.nested:
            return False
        goal = q.goal if q.flat.kind != "bounds" else q.more()
        if goal is None or q.flat.kind == "deadlock" or q.flat.body is None:
            return False
        return rises(q.flat.body) or not self._may_wrap(q)

    # --- nets without bound -----------------------------------------------------------------------

    def _unbounded(self, questions: Sequence[NetQuestion]) -> None:
        """Say of sums that nothing bounds that they have no bound, where a walk shows it."""
        open_ = [q for q in questions if q.answer is None and q.places and q.upper is None]
        for _ in range(3 if open_ else 0):
            assert self.net is not None
            found = self.walks.grow(self.net, 0.05)
            if found is None:
                return
            for q in open_:
                assert q.places is not None
                gain = sum(c * found.gain.get(p, 0) for p, c in q.places.items())
                if q.answer is None and gain > 0 and min(q.places.values()) > 0:
                    q.answer = Answer(q.asked, "unknown", WALK, reason=found.why(self.net))

    # --- reduced nets -----------------------------------------------------------------------------

    def _reduced(self, questions: Sequence[NetQuestion]) -> None:
        """Put what is left to reduced nets: together if there is little time, else one by one."""
        nets = self.nets
        left = [q for q in questions if q.answer is None and self._can_reduce(q)]
        remaining = self.budget.remaining()
        alone = remaining is None or remaining * 0.7 > len(left) * ALONE
        groups: list[list[NetQuestion]] = [[q] for q in left if alone or q.flat.kind == "deadlock"]
        if not alone:
            groups.append([q for q in left if q.flat.kind != "deadlock"])
        groups = [group for group in groups if group]
        for i, group in enumerate(groups):
            if all(self.engine.settled(q.asked) for q in group):
                continue
            seconds = self.budget.part(0.7 / (len(groups) - i), 20.0)
            if seconds <= 0.05:
                return
            budget = Budget(seconds, self.budget.memory, self.budget.states)
            asked = [Question(q.flat, q.goal, q.places, q.constant) for q in group]
            for q, told in zip(group, nets.check(asked, budget, self.listen), strict=True):
                if told is not None:
                    self._tell(q, told)

    def _can_reduce(self, q: NetQuestion) -> bool:
        if q.flat.kind == "bounds":
            return q.places is not None and not self._may_wrap(q)
        return q.goal is not None and linear.fits(q.goal) and not self._may_wrap(q)

    def _tell(self, q: NetQuestion, told: Told) -> None:
        """Take over what a reduced net told."""
        engine = PREFIX + told.answer.engine
        if q.flat.kind == "bounds":
            shown = {k: v for k, v in told.answer.stats.items() if k in ("min", "max")}
            value = told.answer.value
            q.answer = Answer(q.asked, "true", engine, value=value, stats=shown)
            return
        answer = Answer(q.asked, verdict(q.asked, found=told.found), engine)
        if told.note is not None:
            answer = replace(answer, notes=(f"{q.asked.name}: {told.note}",))
        if told.witness is not None:
            last = sum(told.witness.states[-1])
            answer = replace(answer, stats={"max_sum": last})
            length = len(told.witness.steps)
            (answer,) = self.engine.evidence.confirm_along(told.witness, [(answer, length)])
        q.answer = answer

    def _one_by_one(
        self, questions: Sequence[NetQuestion], share: float
    ) -> Iterator[tuple[NetQuestion, float]]:
        """Each question with its part of a share of the time; what it leaves is for the rest."""
        whole = Budget(self.budget.part(share, 20.0))
        for i, q in enumerate(questions):
            seconds = whole.share(len(questions) - i).timeout or 0.0
            if self.engine.settled(q.asked):
                continue
            if seconds <= 0.005:
                return
            yield q, seconds

    def _may_wrap(self, q: NetQuestion) -> bool:
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
        return self.budget.part(1 / 2, 10.0)


def _is_false(goal: Goal | None) -> bool:
    return isinstance(goal, Junction) and not goal.every and not goal.parts


def wraps(prepared: Prepared) -> bool:
    """Whether some variable has no domain, and so wraps around at the end of the integers."""
    return any(domain is None for domain in prepared.compiled.shape.domains())


__all__ = ["Turn", "wraps"]
