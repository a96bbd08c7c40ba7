"""Which of its forms a coloured net takes.

The *unfolded* net is what most engines and reductions know best, so it is taken when it can be had
within its limits and is not much larger than the *separated* parametric model. Otherwise that one
is taken: its size is a sum where that of the unfolding is a product. The plain *parametric* model
is the one to read. The *counted* one has fewer states, one for each orbit of those of the net.
"""

from __future__ import annotations

from collections.abc import Callable

from plait.colour.forms import Form
from plait.colour.net import ColouredNet
from plait.colour.parametric import copies, parametric, separated
from plait.colour.unfold import BINDING_LIMIT, TooLarge, unfold
from plait.model.types import ElementaryType, Model

WORTH = 10
"""How many times smaller, in events, the separated model must be to be taken."""
LARGE = 1_000
"""So many events of an unfolding are never too many."""


WORTH_COUNTING = 3
"""So many objects of a class, where nobody asks for the counted form: two have two orders only."""


def as_model(net: ColouredNet, form: Form = "auto") -> Model:
    """The net in that form; `auto` chooses between unfolded and separated."""
    made: dict[Form, Callable[[ColouredNet], Model]] = {
        "auto": _smaller,
        "unfolded": unfold,
        "parametric": parametric,
        "separated": separated,
        "counted": _counted,
    }
    return made[form](net)


def fewest_states(net: ColouredNet, seconds: float) -> Model:
    """The net for questions that no permutation of colours changes.

    It is unfolded, or separated, when counting objects would take more seconds.
    """
    from plait.colour.counters import counted  # brings a solver, which few nets need

    try:
        return counted(net, WORTH_COUNTING, smaller=True, seconds=seconds)
    except TooLarge:
        return _smaller(net)


def _counted(net: ColouredNet) -> Model:
    from plait.colour.counters import counted

    return counted(net)


def _smaller(net: ColouredNet) -> Model:
    try:
        unfolded = unfold(net)
    except TooLarge as limit:
        try:
            other = separated(net)
        except TooLarge:
            raise limit from None
        if copies(other) > BINDING_LIMIT:
            raise
        return other
    system = unfolded.system
    assert isinstance(system, ElementaryType)
    if len(system.events) > LARGE:
        try:
            other = separated(net)
        except TooLarge:
            return unfolded
        if copies(other) * WORTH < len(system.events):
            return other
    return unfolded
