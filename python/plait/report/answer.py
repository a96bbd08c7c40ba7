"""Answers: what an engine says about one property, and the evidence for it.

States here are states of the *original* model (tuples of cells, see `plait.model.shape`), whatever
passes the engine worked behind.
"""

from __future__ import annotations

from plait.hints import TYPE_CHECKING, Literal
from plait.records import dataclass, field
from plait.report.numbers import grouped

if TYPE_CHECKING:
    from plait.errors import Span
    from plait.model.expr import Formula
    from plait.model.shape import State
    from plait.model.types import Property
    from plait.report.diagram import Diagram
    from plait.report.view import StateView

Verdict = Literal["true", "false", "unknown"]
CUT = "{}: the witness is too large to be shown in full; some of its branches are left out"
"""The note of an answer with such a witness."""


@dataclass(frozen=True, slots=True)
class Step:
    """One event of a trace and the state it leads to."""

    event: str
    state: State
    process: str | None = None
    span: Span | None = field(default=None, compare=False)
    """Where the event is written."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A path from the initial state; with `loop` a lasso; with `branches` a tree of paths.

    `states[0]` is the initial state and `states[i]` the one after step i. In a lasso the last
    state equals `states[loop]`; a deadlock that repeats for ever is a lasso whose `loop` is the
    last state itself.

    For CTL it shows that a formula holds (`shows`, in negation normal form), or that it does not
    (`refutes`). Where an operator inside decides in some state of the path, and a path can show
    that, a branch begins there.
    """

    initial: State
    steps: tuple[Step, ...]
    loop: int | None = None
    branches: tuple[Branch, ...] = ()
    shows: Formula | None = None
    refutes: Formula | None = None
    view: StateView | None = field(default=None, compare=False, repr=False)
    """The names of the cells, for showing the trace."""

    def show(self, full: bool = False) -> str:
        """The trace as text: each event with what it changed, or with `full` whole states.

        The branches of a tree follow, each further in.
        """
        from plait.report.trace import render_tree

        return "\n".join(render_tree(self, full=full))

    def diagram(self, title: str = "") -> Diagram:
        """The trace as a sequence diagram: a lifeline for each process, arrows for messages."""
        from plait.report.diagram import Diagram

        return Diagram(self, title)

    def __str__(self) -> str:
        return self.show()

    def __repr__(self) -> str:
        parts = [_steps(self.steps)]
        if self.loop is not None:
            parts.append(f"back to state {self.loop}")
        if self.branches:
            parts.append(f"{len(self.branches)} branch{'' if len(self.branches) == 1 else 'es'}")
        return f"<Witness {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        from plait.report.notebook import witness_html

        return witness_html(self)

    @property
    def states(self) -> tuple[State, ...]:
        """All states in order, the initial one first."""
        return (self.initial, *(s.state for s in self.steps))


@dataclass(frozen=True, slots=True)
class Branch:
    """A path that begins in the state of another path with that number."""

    at: int
    witness: Witness


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one property. It is true if the property holds.

    In a condition (`if answer:`), an unknown answer raises `UndecidedError`. For `bounds`, `value`
    is the greatest value; the least is in `stats`.
    """

    property: Property
    verdict: Verdict
    engine: str
    value: int | str | None = None
    reason: str | None = None
    seconds: float = 0.0
    peak_memory_bytes: int = 0
    stats: dict[str, object] = field(default_factory=dict)
    witness: Witness | None = None
    replayed: bool = False
    explanation: tuple[str, ...] = ()
    """Lines that say why the last state of the witness decides the property."""
    notes: tuple[str, ...] = ()
    """Remarks for the user, such as that the property holds vacuously."""

    def __bool__(self) -> bool:
        # An open question is no 'no': it would pass for a violation, or its negation for a proof.
        name = self.property.name
        if self.verdict == "unknown":
            from plait.errors import UndecidedError

            why = "" if self.reason is None else f" ({self.reason})"
            message = f"'{name}' is unknown{why}, neither true nor false: look at answer.verdict"
            raise UndecidedError(message, self.reason)
        if self.property.kind == "bounds":
            raise TypeError(f"'{name}' asks for a number, not whether: look at answer.value")
        return self.verdict == "true"

    def __repr__(self) -> str:
        said = str(self.verdict if self.value is None else self.value)
        parts = [f"{self.property.name}: {said}"]
        if self.verdict == "unknown" and self.reason is not None:
            parts.append(self.reason)
        parts += [self.engine, f"{self.seconds:.2f} s"]
        if self.witness is not None:
            parts.append(f"a trace of {_steps(self.witness.steps)}")
        return f"<Answer {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        from plait.report.notebook import answer_html

        return answer_html(self)


def _steps(steps: tuple[Step, ...]) -> str:
    return f"{len(steps)} step{'' if len(steps) == 1 else 's'}"


class Answers(list[Answer]):
    """The answers to several properties, in order: a list that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        from plait.report.notebook import answers_html

        return answers_html(self)


@dataclass(frozen=True, slots=True)
class Magnitude:
    """A number with too many digits: its decimal logarithm is mantissa * 10^exponent."""

    mantissa: float
    exponent: int

    def __str__(self) -> str:
        if -4 <= self.exponent <= 15:
            return f"10^{self.mantissa * 10.0**self.exponent:.6g}"
        return f"10^{self.mantissa:.5f}e{self.exponent}"


@dataclass(frozen=True, slots=True)
class StateSpace:
    """The answer of `plait states`. Counts are lower bounds unless `complete`.

    `reason` says why it is not complete, or why some figures other than the states are missing.
    If the number of states has too many digits, `states` is None and `magnitude` describes it.
    """

    complete: bool
    reason: str | None
    states: int | None
    engine: str
    arcs: int | None = None
    deadlocks: int | None = None
    max_value: int | None = None
    max_sum: int | None = None
    seconds: float = 0.0
    peak_memory_bytes: int = 0
    stats: dict[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    magnitude: Magnitude | None = None

    @property
    def count(self) -> int | None:
        """Another name for `states`."""
        return self.states

    def __repr__(self) -> str:
        # Python refuses to print a count of more than 4,300 digits.
        about = "" if self.complete else "at least "
        states = f"about {self.magnitude}" if self.states is None else grouped(self.states)
        parts = [f"{about}{states} state{'' if self.states == 1 else 's'}"]
        for figure, name in ((self.arcs, "arc"), (self.deadlocks, "deadlock")):
            if figure is not None:
                parts.append(f"{about}{grouped(figure)} {name}{'' if figure == 1 else 's'}")
        if self.reason is not None:
            parts.append(self.reason)
        return f"<StateSpace {', '.join((*parts, self.engine, f'{self.seconds:.2f} s'))}>"

    def _repr_html_(self) -> str:
        from plait.report.notebook import states_html

        return states_html(self)


__all__ = ["Answer", "Answers", "Branch", "Magnitude", "StateSpace", "Step", "Verdict", "Witness"]
