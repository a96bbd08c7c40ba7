"""What becomes of a coloured net."""

from __future__ import annotations

from typing import Literal, get_args

from plait.colour.net import ColouredNet
from plait.colour.unfold import unfold
from plait.model.types import Model

Form = Literal["auto", "unfolded", "parametric"]
FORMS: tuple[Form, ...] = get_args(Form)


def as_model(net: ColouredNet, form: Form = "auto") -> Model:
    """The net in that form."""
    return unfold(net)
