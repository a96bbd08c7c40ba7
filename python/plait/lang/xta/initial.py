"""The initial state of a network: its invariants hold, or there is no such state.

States that violate an invariant do not exist (Uppaal's manual, on locations). A step into one is
not possible; a network that would begin in one has no behaviour at all, and is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.errors import error
from plait.lang.xta.automata import Automaton
from plait.model.expr import TRUE, Formula, Var
from plait.model.node import nodes
from plait.model.shape import shape_of
from plait.model.text import show
from plait.model.types import Model
from plait.passes.folding import Folder


def check_initial(model: Model, automata: Sequence[Automaton]) -> None:
    """Refuse an invariant of an initial location that does not hold at the beginning."""
    begin = _beginning(model)
    for a in automata:
        location = a.locations[a.initial]
        for formula in location.invariant:
            if begin.formula(formula) != TRUE:
                message = (
                    f"the invariant of '{a.name}.{location.name}', where the process begins, does "
                    "not hold in the initial state"
                )
                raise error(message, formula.span or location.span, _values(formula, begin))


def _beginning(model: Model) -> Folder:
    """What is known at the beginning: the initial values."""
    shape = shape_of(model)
    state = shape.initial()
    scalars: dict[str, int] = {}
    cells: dict[tuple[str, int], int] = {}
    for name, slot in shape.variables.items():
        if slot.size is None:
            scalars[name] = state[slot.offset]
        else:
            cells |= {(name, i): state[slot.offset + i] for i in range(slot.size)}
    sizes = {name: slot.size for name, slot in shape.variables.items()}
    return Folder(sizes=sizes, constants=scalars, cells=cells)


def _values(formula: Formula, begin: Folder) -> str | None:
    """The variables in a formula with their values."""
    found = {show(n): show(begin.integer(n)) for n in nodes(formula) if isinstance(n, Var)}
    if not found:
        return None
    return f"there {', '.join(f'{name} = {value}' for name, value in found.items())}"


__all__ = ["check_initial"]
