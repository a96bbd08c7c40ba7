"""The names of the forms that a coloured net can take (see `plait.colour.choice`)."""

from __future__ import annotations

from plait.hints import Literal, get_args

Form = Literal["auto", "unfolded", "parametric", "separated", "counted"]
FORMS: tuple[Form, ...] = get_args(Form)
