"""What a pass gives back: the new model, and the way back for its states."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from plait.hints import TYPE_CHECKING
from plait.model.types import ElementaryType, Model
from plait.records import dataclass, field

if TYPE_CHECKING:
    from plait.model.net import Net
    from plait.model.shape import State

Lift = Callable[["State"], "State"]
Pass = Callable[[Model], "Rewritten"]


def same_state(state: State) -> State:
    """The lift of a pass that leaves the cells as they are."""
    return state


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A model after a pass. `lift` turns one of its states into the state before the pass."""

    model: Model
    lift: Lift = same_state
    net: Net | None = field(default=None, compare=False, repr=False)
    """The net that the model is, where that was found out on the way."""


def run(model: Model, passes: Iterable[Pass]) -> Rewritten:
    """The passes one after the other; the lift goes all the way back."""
    lifts: list[Lift] = []
    with without_collection():
        for rewriting in passes:
            step = rewriting(model)
            model = step.model
            if step.lift is not same_state:
                lifts.append(step.lift)
    if len(lifts) < 2:
        return Rewritten(model, lifts[0] if lifts else same_state)

    def lift(state: State) -> State:
        for one in reversed(lifts):
            state = one(state)
        return state

    return Rewritten(model, lift)


@contextmanager
def without_collection() -> Iterator[None]:
    """No search for cyclic garbage: trees have no cycles, and a large model is searched for long.

    It doubles the speed of the passes on a net of 100,000 events.
    """
    enabled = gc.isenabled()
    try:
        gc.disable()
        yield
    finally:
        if enabled:
            gc.enable()


def flat_type(model: Model) -> ElementaryType:
    """The only type of a flat model; `ValueError` for any other model."""
    type_ = model.system
    if (
        not isinstance(type_, ElementaryType)
        or type_.channels
        or type_.transient is not None
        or (type_.plain is None and any(e.parameters for e in type_.events))
    ):
        raise ValueError("a flat model is needed here; see plait.passes.flat")
    return type_


def restoring(template: State, kept: tuple[int, ...]) -> Lift:
    """The lift of a pass that removed constant cells: cell `kept[i]` now has number i."""
    if len(kept) == len(template) and kept == tuple(range(len(kept))):
        return same_state

    def lift(state: State) -> State:
        cells = list(template)
        for position, value in zip(kept, state, strict=True):
            cells[position] = value
        return tuple(cells)

    return lift
