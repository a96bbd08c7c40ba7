"""A walk through a model: states along a path, and what can happen where it ends.

A path is a list of events, each with a number that tells the states apart that it leads to. It is
what the browser has in its address, so that whoever has the address has the walk. The reference
semantics is what runs, as in `plait simulate`. The states along the latest path are kept, and of
another path only what is different is executed.

Everything ends within some time, whatever the model is: an event may lead to a million states, and
there may be a million events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from time import monotonic

from plait.engines.evidence import Evidence
from plait.errors import InputError, LimitReached, NoRoomError, PlaitError
from plait.hints import Any
from plait.model.shape import State
from plait.model.types import Model
from plait.model.watch import watched_by
from plait.records import dataclass
from plait.reference.components import Move
from plait.report.answer import Step, Witness
from plait.report.card import moves_card
from plait.report.data import path_document
from plait.report.explain import blocked_events
from plait.report.text import reason_text
from plait.report.trace import title

Path = tuple[tuple[str, int], ...]
"""Events with the number of the state among those that each leads to."""
SHOWN = 200
"""Events that are offered; of more, those that are looked for by name."""
PATIENCE = 4.0
"""Seconds that are enough to find out what can be executed."""
GLANCE = 1.0
"""Seconds that one event may take before it is said to lead to too many states."""
TRIES = 20
"""Events that a random step tries before it looks at all of them."""
MOST_CHOICES = 10_000
"""States that it then chooses from."""
MOST_EXPLAINED = 20_000
"""Events of a model in which those that cannot be executed are explained."""
TOO_MANY = "leads to too many states to list them"


class WalkError(PlaitError):
    """A path is none of this model."""


@dataclass(frozen=True, slots=True)
class Option:
    """An event that can be executed, and one of the states it leads to."""

    event: str
    number: int
    state: State


@dataclass(frozen=True, slots=True)
class Options:
    """What can be executed in a state: all of it, if it is `complete`.

    `count` is the number of states found, of which few are options. `faults` are events that cannot
    be executed to their end, with what goes wrong.
    """

    found: tuple[Option, ...]
    count: int
    complete: bool
    faults: tuple[tuple[str, str], ...]


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `LimitReached` once the time is over, wherever executions look."""
    end = monotonic() + seconds

    def check() -> None:
        if monotonic() > end:
            raise LimitReached("timeout")

    with watched_by(check):
        yield


class Walk:
    """Walks through one model."""

    def __init__(self, model: Model) -> None:
        self.room = 0
        """How often the model was exchanged for one with more room."""
        self._use(model)

    def _use(self, model: Model) -> None:
        self.model = model
        self.evidence = Evidence(model)
        self.semantics = self.evidence.semantics
        self.view = self.evidence.view
        self._path: list[tuple[str, int]] = []
        self._states: list[State] = [self.semantics.initial]

    def in_room(self, ask: Callable[[], Any]) -> Any:
        """What is found in as much room as that takes; see `plait.model.room`."""
        while True:
            try:
                return ask()
            except NoRoomError:
                if not self._grow():
                    raise

    def _grow(self) -> bool:
        if self.model.larger is None:
            return False
        self._use(self.model.larger())
        self.room += 1
        return True

    # --- along a path -----------------------------------------------------------------------------

    def states(self, path: Path) -> list[State]:
        """The states along a path, the initial one first."""
        same = 0
        while same < min(len(path), len(self._path)) and path[same] == self._path[same]:
            same += 1
        if same < len(path):
            self._cut(same)
            for step in path[same:]:
                self._keep(step, self._after(self._states[-1], *step))
        return self._states[: len(path) + 1]

    def _cut(self, length: int) -> None:
        del self._path[length:], self._states[length + 1 :]

    def _keep(self, step: tuple[str, int], after: State) -> None:
        self._path.append(step)
        self._states.append(after)

    def _after(self, state: State, event: str, number: int) -> State:
        at = len(self._path) + 1
        if not self.semantics.knows(event):
            raise WalkError(f"step {at}: the model has no event '{event}'")
        with within(PATIENCE):
            found = self.semantics.execute(self.semantics.event(event), state)
        if number >= len(found):
            raise WalkError(f"step {at}: '{event}' cannot be executed there")
        return found[number]

    def document(self, path: Path, known: int = 0) -> dict[str, Any]:
        """The path as a witness is written, without the first `known` steps."""
        return path_document(self._witness(path, known))

    def moves(self, path: Path, known: int = 0) -> dict[str, Any]:
        """Who moves in each step but the first `known`, and the messages along the whole path."""
        return moves_card(self._witness(path), known)

    def _witness(self, path: Path, known: int = 0) -> Witness:
        states = self.states(path)
        steps = zip(path[known:], states[known + 1 :], strict=True)
        witness = Witness(states[known], tuple(Step(event, s) for (event, _), s in steps))
        return self.evidence.annotate(witness)

    # --- where it ends ----------------------------------------------------------------------------

    def options(
        self, state: State, words: str = "", most: int = SHOWN, seconds: float = PATIENCE
    ) -> Options:
        """What can be executed; only events with these words in their names, if there are any."""
        wanted = words.lower().split()
        end, count, complete = monotonic() + seconds, 0, True
        found: list[Option] = []
        faults: list[tuple[str, str]] = []
        for move in self.semantics.moves:
            if wanted and not all(word in move.title.lower() for word in wanted):
                continue
            if monotonic() > end:
                complete = False
                break
            try:
                states = self._executed(move, state)
            except NoRoomError:
                raise
            except (InputError, LimitReached) as failure:
                if len(faults) < most:
                    faults.append((move.title, _said(failure)))
                continue
            count += len(states)
            rest = states[: max(0, most - len(found))]
            found += [Option(move.title, k, s) for k, s in enumerate(rest)]
        return Options(tuple(found), count, complete, tuple(faults))

    def _executed(self, move: Move, state: State) -> list[State]:
        with within(GLANCE):
            return self.semantics.execute(move, state)

    def here(self, path: Path, words: str = "") -> dict[str, Any]:
        """What can happen at the end of a path, and why the rest cannot."""
        state = self.states(path)[-1]
        options = self.options(state, words)
        found: dict[str, Any] = {
            "enabled": [self._option(o, state) for o in options.found],
            "count": options.count,
            "complete": options.complete,
            "faults": [{"event": event, "text": text} for event, text in options.faults],
            "blocked": None,
            "more": 0,
        }
        if options.complete and len(self.semantics.moves) <= MOST_EXPLAINED:
            try:
                with within(GLANCE):
                    blocked, more = blocked_events(self.semantics, state, self.view)
                found["blocked"] = [
                    {"event": e.title, "process": e.copy.event.process, "reasons": reasons}
                    for e, reasons in blocked
                ]
                found["more"] = more
            except (InputError, LimitReached):
                pass  # it is told that nothing can be said about them
        return found

    def _option(self, option: Option, before: State) -> dict[str, Any]:
        witness = self.evidence.annotate(Witness(before, (Step(option.event, option.state),)))
        step: dict[str, Any] = path_document(witness)["steps"][0]
        return step | {"number": option.number}

    def events(self) -> Iterator[Step]:
        """What may be executed, or is half of what may be, with who does it and where it stands."""
        for m in self.semantics.moves:
            yield Step(m.title, (), m.process, m.span)
        for copy in (c for at in self.semantics.components for c in at.free):
            if copy.rendezvous is not None:
                yield Step(copy.title, (), copy.event.process, copy.event.span)

    def title(self, event: str) -> str:
        """An event as traces call it: who does what."""
        move = self.semantics.event(event)
        return title(Step(event, (), move.process, move.span))

    def random(self, path: Path, steps: int, chance: Random) -> Path:
        """The path with so many random steps more; fewer where nothing can happen, or in time."""
        end, state = monotonic() + PATIENCE, self.states(path)[-1]
        self._cut(len(path))
        while len(self._path) < len(path) + steps and monotonic() < end:
            taken = self._random_step(state, chance)
            if taken is None:
                break
            state = taken.state
            self._keep((taken.event, taken.number), state)
        return tuple(self._path)

    def _random_step(self, state: State, chance: Random) -> Option | None:
        """Something that can be executed; None where nothing can."""
        # Mostly a few tries find one, without looking at all the others.
        for _ in range(TRIES if self.semantics.moves else 0):
            move = chance.choice(self.semantics.moves)
            try:
                states = self._executed(move, state)
            except NoRoomError:
                raise
            except (InputError, LimitReached):
                continue
            if states:
                number = chance.randrange(len(states))
                return Option(move.title, number, states[number])
        found = self.options(state, most=MOST_CHOICES).found
        return chance.choice(found) if found else None

    def along(self, steps: Sequence[Step]) -> Path:
        """The path that a trace from the initial state is."""
        # The trace may have been found in more room than the walk has needed so far.
        while steps and len(steps[0].state) != len(self.semantics.initial) and self._grow():
            pass
        self._cut(0)
        for step in steps:
            with within(PATIENCE):
                move = self.semantics.event(step.event)
                found = self.semantics.execute(move, self._states[-1])
            self._keep((step.event, found.index(step.state)), step.state)
        return tuple(self._path)


def _said(failure: PlaitError) -> str:
    if isinstance(failure, LimitReached):
        return TOO_MANY if failure.reason == "timeout" else reason_text(failure.reason)
    return str(failure)


__all__ = ["Option", "Options", "Path", "Walk", "WalkError", "within"]
