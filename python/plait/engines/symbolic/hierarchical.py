"""The engine that keeps the hierarchy of a model: how many states there are, and deadlocks.

What it cannot tell (arcs, values of expressions, traces) flat diagrams can, as long as they fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from plait import _core
from plait.engines.budget import OF_DIAGRAMS, Budget, Listener, peak_memory, teller
from plait.engines.stopped import stopped_space
from plait.engines.symbolic.attempts import explored, in_turn
from plait.engines.symbolic.hierarchy import Encoding
from plait.engines.symbolic.tuning import Strategy, Tuning
from plait.errors import Diagnostic, ModelError
from plait.model.types import Model, Property
from plait.passes.grouping import Grouping
from plait.program import Compiled
from plait.report.answer import Answer, Magnitude, StateSpace

ENGINE = "symbolic"
EXACT_DIGITS = 1_000_000
"""Numbers with more digits are told by their magnitude."""


class Hierarchical:
    """A model for diagrams that keep its hierarchy; may be used for several calls."""

    def __init__(self, model: Model, grouping: Grouping, tuning: Tuning | None = None) -> None:
        """Of the tuning, the strategy (saturation, or in rounds) and the collections count."""
        self.model = model
        self.grouping = grouping
        self.tuning = tuning or Tuning()

    def states(self, budget: Budget, listen: Listener | None = None) -> StateSpace:
        """The number of states and of deadlocks; `UnsupportedError` where flat ones are needed."""
        encoding = Encoding(self.model, self.grouping)
        core = encoding.core
        self._limit(core, budget, listen)
        try:
            encoding.encode()
            reached, strategy = self._reachable(encoding, budget, listen)
            states = size_of(core, reached)
            dead = self._dead(encoding, reached)
        except _core.StoppedError as stop:
            return stopped_space(ENGINE, stop.args[0], budget)
        except _core.ProgramError as failure:
            raise self._located(encoding, failure) from None
        limits = core.integer_bounds(reached)
        size = core.size(reached)
        return StateSpace(
            complete=True,
            reason=None,
            states=states if isinstance(states, int) else None,
            magnitude=None if isinstance(states, int) else states,
            deadlocks=dead if isinstance(dead, int) else None,
            max_value=limits[1] if limits and encoding.root.width else None,
            engine=ENGINE,
            seconds=budget.elapsed,
            peak_memory_bytes=peak_memory(),
            stats={
                "strategy": strategy,
                "order": f"hierarchy {self.grouping}",
                "types": len(encoding.order),
                "final_nodes": size["integer_nodes"] + size["set_nodes"],
                "integer_nodes": size["integer_nodes"],
                "set_nodes": size["set_nodes"],
                **core.statistics(),
            },
            notes=_undefined(encoding),
        )

    def check(
        self, properties: Sequence[Property], budget: Budget, listen: Listener | None, reason: str
    ) -> list[Answer]:
        """Whether there are deadlocks; other properties stay unknown, for that reason."""
        asked = any(p.kind == "deadlock" for p in properties)
        space = self.states(budget, listen) if asked else None
        answers = []
        for p in properties:
            if p.kind != "deadlock" or space is None:
                answers.append(Answer(p, "unknown", ENGINE, reason=reason))
            elif space.deadlocks is None:
                answers.append(Answer(p, "unknown", ENGINE, reason=space.reason or reason))
            else:
                notes = (f"{p.name}: no trace, since the hierarchy of the model is kept",)
                answers.append(
                    Answer(
                        p,
                        "false" if space.deadlocks else "true",
                        ENGINE,
                        seconds=budget.elapsed,
                        peak_memory_bytes=space.peak_memory_bytes,
                        stats=space.stats,
                        notes=notes if space.deadlocks else (),
                    )
                )
        return answers

    def _reachable(
        self, encoding: Encoding, budget: Budget, listen: Listener | None
    ) -> tuple[_core.Diagram, Strategy]:
        """The reachable states and the strategy that found them, both having turns (`attempts`).

        They share what is cached: a closed set is the same, however it was found.
        """

        def explore(strategy: Strategy, share: Budget) -> _core.Diagram | str:
            self._limit(encoding.core, share, listen)
            try:
                return encoding.reachable(rounds=strategy == "rounds")
            except _core.StoppedError as stop:
                return str(stop.args[0])

        reason = "timeout"
        for asked, share in in_turn(self.tuning, budget):
            strategy: Strategy = "rounds" if asked == "rounds" else "saturation"
            found = explored(partial(explore, strategy), share, budget)
            if not isinstance(found, str):
                self._limit(encoding.core, budget, listen)
                return found, strategy
            reason = found
            if reason == "interrupted":
                break
        raise _core.StoppedError(reason)

    def _dead(self, encoding: Encoding, reached: _core.Diagram) -> int | Magnitude | None:
        movable = encoding.system.movable
        if movable is None:
            return None
        core = encoding.core
        return size_of(core, core.difference(reached, core.apply(movable, reached)))

    def _limit(self, core: _core.Diagrams, budget: Budget, listen: Listener | None) -> None:
        core.limit(
            timeout=budget.remaining(),
            memory=budget.memory,
            strict=self.tuning.strict,
            progress=teller(ENGINE, listen, budget, OF_DIAGRAMS),
        )

    def _located(self, encoding: Encoding, failure: _core.ProgramError) -> ModelError:
        kind, _, statement, _ = failure.args
        what = {
            "domain": "assigns a value outside the domain of its variable",
            "fixpoint": "has a fixpoint that never settles",
            "settle": "leads into a cycle of transient states",
        }[kind]
        title, span = "an event", None
        if kind == "domain" and statement is not None:
            first, compiled = _program_of(encoding, statement)
            event = compiled.statement_event(statement - first)
            span = compiled.statement_span(statement - first)
            if event is not None:
                title = f"event {compiled.events[event].title}"
        return ModelError(Diagnostic(f"{title} {what}", span))


def size_of(core: _core.Diagrams, set: _core.Diagram) -> int | Magnitude:
    """The size of a set: exact, or when it has too many digits its magnitude."""
    log = core.log10_count(set)
    if log is None:
        return 0
    mantissa, exponent = log
    if exponent > 15 or mantissa * 10.0**exponent > EXACT_DIGITS:
        return Magnitude(mantissa, exponent)
    return core.count(set)


def _program_of(encoding: Encoding, statement: int) -> tuple[int, Compiled]:
    return max((p for p in encoding.programs if p[0] <= statement), key=lambda p: p[0])


def _undefined(encoding: Encoding) -> tuple[str, ...]:
    """Notes about statements that an undefined operation left without effect."""
    notes = []
    for statement in encoding.core.undefined():
        first, compiled = _program_of(encoding, statement)
        event = compiled.statement_event(statement - first)
        title = "an event" if event is None else f"event {compiled.events[event].title}"
        notes.append(
            f"{title}: some steps left out, where an operation is undefined (division by zero, "
            "an index outside its array, a shift beyond 31)"
        )
    return tuple(dict.fromkeys(notes))
