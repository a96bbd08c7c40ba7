"""A property of a net in linear form, and what is known about its answer so far."""

from __future__ import annotations

from plait.engines.decisive import verdict
from plait.model.expr import IntExpr
from plait.model.types import Property
from plait.records import dataclass
from plait.report.answer import Answer
from plait.structure.linear import Coefficients, Goal, atom

EQUATION = "state-equation"


@dataclass(slots=True)
class NetQuestion:
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
    plan: list[tuple[int, int]] | None = None
    """How often events occur in a solution of the state equation that satisfies the goal; for
    `bounds`, in which the sum has all that it can have."""
    answer: Answer | None = None

    @property
    def key(self) -> int:
        """By which what was tried is remembered."""
        return id(self.asked)

    @property
    def integer(self) -> IntExpr:
        """For `bounds`: the expression."""
        assert isinstance(self.flat.body, IntExpr)
        return self.flat.body

    def more(self) -> Goal | None:
        """For `bounds`: that the sum has more than was met; None when it is none, or none was."""
        if self.places is None or self.lower is None or self.flat.kind != "bounds":
            return None
        return atom(self.places, self.lower + 1 - self.constant)

    def most(self) -> Goal | None:
        """For `bounds`: that the sum has all that it can have, where a solution says how."""
        if self.places is None or self.upper is None or self.plan is None:
            return None
        return atom(self.places, self.upper - self.constant)

    def close(self, engine: str = EQUATION) -> None:
        """The bound is known when what was met is all that can be, as the engine says."""
        if self.upper is not None and self.upper == self.lower:
            stats: dict[str, object] = {"max": self.upper}
            self.answer = Answer(self.asked, "true", engine, value=self.upper, stats=stats)

    def refute(self, engine: str, stats: dict[str, object] | None = None) -> None:
        """Nothing reachable satisfies the goal, or has more of the sum than was met."""
        if self.flat.kind == "bounds":
            self.upper = self.lower
            self.close(engine)
        else:
            self.answer = Answer(
                self.asked, verdict(self.asked, found=False), engine, stats=stats or {}
            )


__all__ = ["EQUATION", "NetQuestion"]
