"""Hypothesis drives the same generator: every choice is drawn, so that failures shrink."""

from collections.abc import Callable

from hypothesis import strategies as st

from plait.model.types import Model
from plait.testing.choices import Choices
from plait.testing.mix import DEFAULT, Mix
from plait.testing.random_models import model


class Drawn(Choices):
    """Choices drawn from Hypothesis, which tries the low end of each when it shrinks."""

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        return low if low == high else self._draw(st.integers(low, high))


@st.composite
def models(draw: Callable[[st.SearchStrategy[int]], int], mix: Mix = DEFAULT) -> Model:
    """Closed, valid models."""
    return model(Drawn(draw), mix)
