"""Walks through a net: runs that find goals, greatest values, and growth without bound.

All questions share the walks, and each run that found something is replayed once for all that was
found on it, without the cycles on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait import _core
from plait.engines.budget import Budget, Listener, Progress, peak_memory
from plait.engines.decisive import verdict
from plait.engines.evidence import Evidence
from plait.engines.nets.question import NetQuestion
from plait.engines.prepared import Prepared
from plait.errors import LimitReached
from plait.model.arithmetic import INT_MAX
from plait.model.expr import Formula
from plait.model.net import Net
from plait.records import dataclass
from plait.report.answer import Answer
from plait.structure import linear
from plait.structure.growth import Growth, growth
from plait.structure.measure import measure

WALK = "walk"
TRACE_CELLS = 4_000_000
"""Cells of all states of a trace together: what its replay may take."""
LONGEST = 1 << 17
"""Steps of a run, however few cells a state has."""
STEPS = 3_000_000
"""Steps a second, beyond which walks are only repeating themselves."""
MEASURED = 500
"""Inequalities of a goal up to which walks are guided towards it."""


@dataclass(frozen=True, slots=True)
class NetWalks:
    """Walks through a prepared model, within a budget."""

    prepared: Prepared
    evidence: Evidence
    budget: Budget
    next_seed: Callable[[], int]
    """Another seed for each walk."""
    listen: Listener | None = None

    def walk(self, questions: Sequence[NetQuestion], share: float) -> None:
        """Look for what is left of the questions in a share of the time."""
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
        aims = [(measure(compiled.program, g), q) for q in values if (g := q.most()) is not None]
        try:
            found = _core.walk(
                compiled.program,
                goals=[*map(self._native_goal, goals), *(aim.holds for aim, _ in aims)],
                measures=[*map(self._measure, goals), *(aim.distance for aim, _ in aims)],
                values=[compiled.integer(q.integer) for q in values],
                enough=[_clamped(q.upper) for q in values],
                plans=[q.plan for q in (*goals, *(q for _, q in aims))],
                seed=self.next_seed(),
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
            q.close()

    def _native_goal(self, q: NetQuestion) -> int:
        """The goal for the walk; spelled out by places it is looked at only when one changes.

        Sums stay as they are written, since they must wrap around as they do there.
        """
        body = q.flat.body
        if q.goal is None or not isinstance(body, Formula) or not linear.fits(q.goal):
            return self.prepared.goal(q.flat)
        if linear.wraps_from(body) is not None:
            return self.prepared.goal(q.flat)
        return measure(self.prepared.compiled.program, q.goal).holds

    def _measure(self, q: NetQuestion) -> int | None:
        if q.goal is None or q.flat.kind == "deadlock" or linear.size(q.goal) > MEASURED:
            return None
        if not linear.fits(q.goal):
            return None
        return measure(self.prepared.compiled.program, q.goal).distance

    def _confirm(self, found: _core.Walks, goals: Sequence[NetQuestion]) -> None:
        """Replay each run once, for all that was found on it."""
        runs: dict[int, list[tuple[int, NetQuestion]]] = {}
        for q, place in zip(goals, found.goals, strict=False):  # the rest are greatest values
            if place is not None:
                runs.setdefault(place[0], []).append((place[1], q))
        for run, on_it in runs.items():
            longest = max(position for position, _ in on_it)
            states = found.trace(run, longest)
            steps, kept = _without_cycles(states, {position for position, _ in on_it})
            witness = self.prepared.witness(steps)
            answers = []
            for position, q in on_it:
                stats: dict[str, object] = {"max_sum": sum(witness.states[kept[position]])}
                answers.append(
                    (
                        Answer(q.asked, verdict(q.asked, found=True), WALK, stats=stats),
                        kept[position],
                    )
                )
            confirmed = self.evidence.confirm_along(witness, answers)
            for (_, q), answer in zip(on_it, confirmed, strict=True):
                q.answer = answer

    def grow(self, net: Net, share: float) -> Growth | None:
        """A run of the net that can be repeated for ever and adds tokens, if walks find one."""
        seconds = self.budget.part(share, 2.0)
        compiled = self.prepared.compiled
        try:
            found = _core.walk(
                compiled.program,
                goals=[],
                measures=[],
                values=[],
                enough=[],
                growth=True,
                seed=self.next_seed(),
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
        return growth(net, events[:first], events[first:])


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


__all__ = ["TRACE_CELLS", "WALK", "NetWalks"]
