"""Time may be over at any call of the diagrams: the answer is unknown then, never an error.

A clock stops a computation where it happens to be. Here calls are stopped in their turn: the first
one of a run, in the next run the second, until a run has no more; of long runs, some of the later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import pytest

from plait import _core, parse
from plait.engines import Budget, Tuning, check, states
from plait.engines.symbolic.tuning import (
    ALWAYS_WAYS,
    CTL_WAYS,
    LTL_WAYS,
    AlwaysWay,
    CtlWay,
    LtlWay,
)
from plait.logic.parse import parse_formula
from plait.report.answer import Answer

TEXT = """
gal g {
  int a = 0; int b = 0; int c = 3;
  transition up [a < 3 && c > 0] { a += 1; c -= 1; }
  transition over [a > 0 && b < 2] { a -= 1; b += 1; }
  transition back [b > 0] { b -= 1; c += 1; }
  transition end [b == 2 && c == 1] { b = 0; c = 0; a = 0; }
}
"""
UNLIMITED = {"limit", "statistics", "is_net", "undefined", "fixpoint_rounds"}
"""What computes nothing."""


class Fuse:
    """Lets so many calls pass, refuses the next one, and lets all others pass again."""

    def __init__(self) -> None:
        self.left: int | None = None
        self.blown = False

    def burn(self) -> None:
        if self.left is None or self.blown:
            return
        if self.left == 0:
            self.blown = True
            raise _core.StoppedError("timeout")
        self.left -= 1


@pytest.fixture
def fuse(monkeypatch: pytest.MonkeyPatch) -> Fuse:
    """Every diagram that is made from now on is behind this fuse."""
    fuse = Fuse()
    native = _core.Symbolic

    class Fused:
        def __init__(self, *given: object, **named: object) -> None:
            self.native = native(*given, **named)  # type: ignore[arg-type]

        def __getattr__(self, name: str) -> object:
            found = getattr(self.native, name)
            if name in UNLIMITED or not callable(found):
                return found

            def call(*given: object, **named: object) -> object:
                fuse.burn()
                return found(*given, **named)

            return call

    monkeypatch.setattr(_core, "Symbolic", Fused)
    return fuse


def runs(fuse: Fuse, ask: Callable[[], Iterable[Answer]]) -> Iterator[tuple[Answer, Answer]]:
    """Each answer of an undisturbed run, with that of a run which is stopped at its n-th call."""
    undisturbed = list(ask())
    for calls in chain(range(60), range(60, 10_000, 17)):
        fuse.left, fuse.blown = calls, False
        yield from zip(undisturbed, ask(), strict=True)
        if not fuse.blown:
            return
    raise AssertionError("a run that never ends")


def ask(formula: str, tuning: Tuning) -> list[Answer]:
    system = parse(TEXT)
    p = parse_formula(formula, system.model)
    return check(system.model, [p], engine="symbolic", tuning=tuning, budget=Budget(timeout=60))


def compare(fuse: Fuse, formula: str, tuning: Tuning) -> None:
    told = 0
    for before, after in runs(fuse, lambda: ask(formula, tuning)):
        assert before.verdict != "unknown"
        assert after.verdict in (before.verdict, "unknown")
        assert after.verdict != "unknown" or after.reason == "timeout"
        told += after.verdict == "unknown"
    assert told, "no call mattered"


@pytest.mark.parametrize("way", LTL_WAYS)
@pytest.mark.parametrize("formula", ["G F (a == 3)", "F (b > 0) -> G (c <= 3)"])
def test_linear_time(fuse: Fuse, formula: str, way: LtlWay) -> None:
    compare(fuse, formula, Tuning(ltl=way))


@pytest.mark.parametrize("way", CTL_WAYS)
@pytest.mark.parametrize("always", ALWAYS_WAYS)
@pytest.mark.parametrize("formula", ["AG EF (a == 3)", "E[c > 0 U EG (b < 2)]", "AF deadlock"])
def test_branching_time(fuse: Fuse, formula: str, way: CtlWay, always: AlwaysWay) -> None:
    compare(fuse, formula, Tuning(ctl=way, always=always))


@pytest.mark.parametrize("formula", ["AG a + b + c == 3", "EF b == 2", "AG !deadlock"])
@pytest.mark.parametrize("witnesses", [True, False])
def test_states_that_are_met(fuse: Fuse, formula: str, witnesses: bool) -> None:
    compare(fuse, formula, Tuning(witnesses=witnesses))


def test_counting(fuse: Fuse) -> None:
    model = parse(TEXT).model
    whole = states(model, engine="symbolic")
    for calls in range(10_000):
        fuse.left, fuse.blown = calls, False
        space = states(model, engine="symbolic", budget=Budget(timeout=60))
        if not fuse.blown:
            assert calls > 0
            break
        figures = (space.arcs, space.deadlocks, space.max_value, space.max_sum)
        right = (whole.arcs, whole.deadlocks, whole.max_value, whole.max_sum)
        assert all(mine in (None, other) for mine, other in zip(figures, right, strict=True))
        assert not space.complete or space.states == whole.states
        # An attempt that was stopped may be followed by one that is not.
        assert space.reason == "timeout" or (space.complete and figures == right)
