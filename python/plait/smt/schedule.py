"""Which relation a step of a bounded run takes: the schedule of bounded partial exploration.

A *cycle* lets each of `processes` processes do up to `ahead` of its safe events, one process after
the other, then one step of any event. All runs of one length take the same relation at the same
depth, which leaves a solver little to choose: most of a run follows by propagation. Vander Meulen,
*Combining Partial Order Reduction with Symbolic Model Checking* (2012), definition 5.5 (not its
listing 5.1, which prints another process at most depths).

Without processes, or with none ahead, every step is one of any event: bounded model checking.
"""

from __future__ import annotations

from collections.abc import Iterator

from plait.records import dataclass


@dataclass(frozen=True, slots=True)
class Schedule:
    """The relations of the steps of a run."""

    processes: int = 0
    """How many processes have safe events."""
    ahead: int = 0
    """How many of them each may do in a cycle."""
    first: int = 0
    """Steps of any event before the first cycle: what a formula with X at its head looks at."""

    @property
    def cycle(self) -> int:
        """The steps of a cycle."""
        return self.processes * self.ahead + 1

    def process(self, depth: int) -> int | None:
        """Whose safe events the step from a depth is one of; None where it is one of any event."""
        at = (depth - self.first) % self.cycle
        return None if depth < self.first or at == self.cycle - 1 else at // self.ahead

    def last_full(self, bound: int) -> int | None:
        """The last depth before a bound from which a step of any event goes out.

        A run may close a cycle of states only around such a step: what all processes do without end
        by themselves would put off all others for ever.
        """
        return next((d for d in reversed(range(bound)) if self.process(d) is None), None)

    def bounds(self, most: int | None = None) -> Iterator[int]:
        """The lengths of runs to look at: whole cycles, and what is most.

        Nothing that a formula may ask changes but by a step of any event, which ends a cycle.
        """
        bound = self.first
        while most is None or bound < most:
            yield bound
            bound += self.cycle
        if most is not None:
            yield most

    def cycles(self, bound: int) -> int:
        """How many cycles a run of that length has begun."""
        return -(-max(0, bound - self.first) // self.cycle)
