"""The structural engine: walks, siphons, the state equation and reduced nets.

Walks find states, the state equation and pairs of values show that there are none, and all take
seconds where the state space has 10^20 states. What they leave is asked of structurally reduced
nets (`reduced`).

None is complete, so the rest stays `unknown` and others go on with it. A trace is replayed on the
original model like any other; an answer of the state equation rests on a certificate that was
checked in exact integers (`plait.structure.certificate`).

All properties of a call share one turn (`turn`), and what was tried of a property in one turn is
not tried again in the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait.engines.budget import Budget, Listener, peak_memory
from plait.engines.evidence import Evidence
from plait.engines.nets.coverability import Coverability
from plait.engines.nets.question import EQUATION, NetQuestion
from plait.engines.nets.turn import Turn, wraps
from plait.engines.nets.value_pairs import ValuePairs
from plait.engines.nets.walks import WALK, NetWalks
from plait.engines.prepared import Prepared, prepare
from plait.engines.stopped import as_far_as_limits_let
from plait.model.net import Net
from plait.model.types import Model, Property
from plait.records import replace
from plait.report.answer import Answer
from plait.structure.equation import StateEquation
from plait.structure.programme import Programmes
from plait.structure.reductions import Reduced

ENGINE = "structural"


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
        self._programmes: Programmes | None = None
        self.siphons_tried = False
        self.pairs = ValuePairs()
        self.covering: dict[tuple[int, int | None], tuple[Reduced, Coverability]] = {}
        """Backward searches, by property and, of bounds, the value that was met."""
        self.settled: Callable[[Property], bool] = lambda _: False
        """Whether somebody else has answered a property meanwhile."""

    def check(
        self,
        properties: Sequence[Property],
        budget: Budget,
        listen: Listener | None = None,
        prepared: Prepared | None = None,
    ) -> list[Answer]:
        """The answers to properties of the kinds in `KINDS`, in order."""
        prepared = prepared or prepare(self.model, properties, budget)
        net = prepared.net
        turn = Turn(self, prepared, net if isinstance(net, Net) else None, budget, listen)
        questions = [
            turn.question(p, flat) for p, flat in zip(properties, prepared.properties, strict=True)
        ]
        with as_far_as_limits_let():
            turn.run(questions)  # what is found until then is an answer all the same
        seconds, memory = budget.elapsed, peak_memory()
        reason = "neither walks nor the state equation decide it"
        answers = (
            Answer(q.asked, "unknown", ENGINE, reason=reason) if q.answer is None else q.answer
            for q in questions
        )
        return [replace(a, seconds=seconds, peak_memory_bytes=memory) for a in answers]

    def unbounded(self, budget: Budget, prepared: Prepared | None = None) -> str | None:
        """Why the net has no bound, when walks find that within the budget; else None."""
        prepared = prepared or prepare(self.model, budget=budget)
        net = prepared.net
        if not isinstance(net, Net) or not net.ordinary or wraps(prepared):
            return None
        if self._bounded is None:
            seconds = budget.part(1 / 3, 10.0)
            every = dict.fromkeys(range(len(net.places)), 1)
            self._bounded = self.equation_of(net).bound(every, seconds) is not None
        if self._bounded:
            return None
        found = NetWalks(prepared, self.evidence, budget, self.next_seed).grow(net, 0.9)
        return None if found is None else found.why(net)

    def set_up(self, prepared: Prepared) -> None:
        """Make what each turn on the net needs."""
        if isinstance(prepared.net, Net):
            self.equation_of(prepared.net)

    def equation_of(self, net: Net) -> StateEquation:
        """The state equation of the net, set up once for all turns."""
        if self._programmes is None or self._programmes.net is not net:
            self._programmes = Programmes(net)
        return StateEquation(net, self._programmes)

    def next_seed(self) -> int:
        """Another seed for each walk, the same in every process."""
        self._seed += 1
        return self._seed

    def untried(self, question: NetQuestion, seconds: float) -> bool:
        """Whether the state equation has not had as long for the property before."""
        return self._tried.get(question.key, 0.0) < seconds

    def note(self, question: NetQuestion, seconds: float) -> None:
        """The state equation had so long for the property."""
        self._tried[question.key] = seconds


__all__ = ["ENGINE", "EQUATION", "WALK", "Structural"]
