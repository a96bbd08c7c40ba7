"""In which order, and for how long, engines are asked about the reachable states.

Small state spaces are explored fastest state by state, large regular ones as diagrams, and nobody
knows in advance which a model has. So `auto` lets engines take turns: an explicit search of limited
size, the same under a partial-order reduction if there are processes, walks and the state equation,
diagrams for a while, bounded runs and induction. What this first round leaves open is asked in
longer turns, the last of which has all the time that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from plait.engines.budget import Budget
from plait.engines.explicit.method import Method
from plait.engines.explicit.reduction import Reduction
from plait.engines.names import BOUNDED, EXPLICIT, SYMBOLIC, WALKS
from plait.errors import LimitReached
from plait.hints import TYPE_CHECKING
from plait.model.plain import plain_of
from plait.model.types import ElementaryType, Model
from plait.model.vast import is_vast
from plait.records import replace

if TYPE_CHECKING:
    from plait.engines.prepared import Prepared
    from plait.engines.request import Request

STRUCTURAL = "structural"
FIRST_STATES = 200_000
"""The states of the first explicit search; it takes well under a second."""
REDUCED = "explicit, reduced"
"""The explicit search under a partial-order reduction that nobody asked for."""
FEW_STATES = 3_000
"""The states of a net that are counted one by one before diagrams have a moment: no more time than
diagrams take to begin."""
BRIEF = "symbolic, briefly"
"""Diagrams in the best ranked order alone, for a moment: most nets need no more."""
TURNS = ((FIRST_STATES, 2.0), (3_000_000, 20.0), (50_000_000, 300.0))
"""For each round: the states of an explicit search, and the seconds of what comes after it."""
WIDE = 1000
"""The cells of a state from which on a turn has fewer states, so that all of them together are as
large as they would be: a search that is to last a moment must not fill the memory."""
TOO_WIDE = 4000
"""The places of a net from which on a first turn state by state is left out: making it ready takes
longer than most diagrams do. Of other models with so many cells diagrams may be hopeless."""
BOUNDED_PART = 10
"""The part of the time that is left for a turn of the bounded engine: it rarely helps a search that
only needs more time."""

EVERY = (EXPLICIT, REDUCED, STRUCTURAL, SYMBOLIC, BOUNDED)
"""The engines of a round."""
COUNTING = (EXPLICIT, SYMBOLIC, STRUCTURAL)
"""Those that count states. Diagrams hold most nets before a linear programme is even begun that
tells whether they have a bound."""
STATE_SPACE = (EXPLICIT, REDUCED, SYMBOLIC)
SINGLE_RUNS = (STRUCTURAL, BOUNDED)
"""Those that look at all states, and those that look for a run or a proof: two that work beside
each other."""
LAST = (REDUCED, EXPLICIT, STRUCTURAL)
"""Those that have what is left of the time in the end."""


class Rounds:
    """The turns of the engines on one model."""

    def __init__(
        self, model: Model, request: Request, ready: Callable[[], Prepared], nested: bool = False
    ) -> None:
        """`ready` makes the model ready for questions about no property in particular."""
        self.budget = request.budget
        self._model = model
        self._engine = request.engine
        self._tuning = request.tuning
        self._reduction = request.reduction
        self._method = request.method or Method()
        self._ready = ready
        self._nested = nested

    @property
    def takes_turns(self) -> bool:
        """Whether nothing was asked for that leaves only one engine."""
        few = self.budget.states is not None and self.budget.states <= FIRST_STATES
        if self._engine != "auto" or self._method.search == "walk" or is_vast(self._model):
            return False
        explicit_only = few or self._method.needs_explicit
        return not explicit_only and self._reduction in (None, Reduction())

    def asked(self) -> Iterator[tuple[str, Budget]]:
        """The engines where only some can be asked."""
        if self._method.search == "walk":
            yield WALKS, self.budget
        elif self._engine != "auto":
            yield self._engine, self.budget
        elif is_vast(self._model) and not self._method.needs_explicit:
            # State by state is the last resort, if that many parts fit in memory at all.
            yield SYMBOLIC, self.budget
            yield EXPLICIT, self.budget
        else:
            yield EXPLICIT, self.budget

    def stages(self, names: Sequence[str] = EVERY) -> Iterator[tuple[str, Budget]]:
        """These engines in their order, one at a time, each with what it may use."""
        if not self.takes_turns:
            yield from self.asked()
            return
        if self._is_wide_net:
            # Diagrams first: all others take longer than most of them even to begin.
            names = (SYMBOLIC, *(name for name in names if name != SYMBOLIC))
        yield from self.round(1, names)
        yield from self.later(names)

    def counting(self) -> Iterator[tuple[str, Budget]]:
        """The engines that count states: of nets first a few one by one, and a moment of diagrams.

        A first turn of `FIRST_STATES` takes a hundred times as long as the diagrams of most nets.
        """
        chosen = self._tuning is not None and not self._tuning.plain
        if self.takes_turns and not chosen and not self._is_wide_net and self._is_net:
            first = self.budget.share(2 * len(TURNS) + 1)
            yield EXPLICIT, replace(first, states=FEW_STATES * WIDE // max(WIDE, self._width))
            yield BRIEF, self.budget.share(2 * len(TURNS) + 1)
        yield from self.stages(COUNTING)

    def later(self, names: Sequence[str]) -> Iterator[tuple[str, Budget]]:
        """The rounds after the first."""
        for turn in range(2, len(TURNS) + 1):
            yield from self.round(turn, names)
        for name in names:
            if name in LAST:
                yield name, self.budget

    def round(self, turn: int, names: Sequence[str]) -> Iterator[tuple[str, Budget]]:
        """The engines of these names in their order, each with what it may use."""
        count, seconds = TURNS[turn - 1]
        for name in names:
            if name == BOUNDED:
                if self._nested:
                    continue
                share, most = self.budget.share(BOUNDED_PART), seconds / 2
            else:
                # Half of the time is for the rounds to come.
                share = self.budget.share(2 * (len(TURNS) - turn) + 3)
                most = seconds / 2 if name == STRUCTURAL else seconds
                if name == SYMBOLIC and self._is_wide_net:
                    most *= 3  # what makes it ready counts, too
            if name in (EXPLICIT, REDUCED):
                if turn == 1 and self._is_wide_net:
                    continue
                share = replace(share, states=count * WIDE // max(WIDE, self._width))
                most *= 2  # for models whose steps take long, and machines that do other things
            time = most if share.timeout is None else min(most, share.timeout)
            yield name, replace(share, timeout=time, whole=self.budget)

    @cached_property
    def _width(self) -> int:
        """The cells of a state."""
        plain = plain_of(self._model)
        if plain is not None:
            return plain.core.width
        from plait.model.shape import shape_of

        return shape_of(self._model).width

    @cached_property
    def _is_wide_net(self) -> bool:
        """Whether diagrams should come first."""
        return plain_of(self._model) is not None and self._width > TOO_WIDE

    @cached_property
    def _is_net(self) -> bool:
        """Whether the model is a net, of whose processes nobody asks which lines are executed."""
        if plain_of(self._model) is not None:
            return True
        if isinstance(self._model.system, ElementaryType) and self._model.system.processes:
            return False
        try:
            ready = self._ready()
        except LimitReached:
            return False  # as each engine will say
        return ready.net is not None
