"""How the equal parts of a set are grouped where hierarchy is kept (`plait.passes.grouping`)."""

from __future__ import annotations

from plait.errors import error
from plait.hints import Literal, get_args
from plait.records import dataclass

Style = Literal["declared", "blocks", "recursive", "shallow"]
"""How sets are grouped: not at all; in one layer of blocks of `width` parts; recursively into
`width` groups; recursively, with blocks of `width` parts at the bottom."""
STYLES: tuple[Style, ...] = get_args(Style)
LEAST_WIDTH, MOST_WIDTH = 2, 2**20


@dataclass(frozen=True, slots=True)
class Grouping:
    """A style and its width."""

    style: Style = "declared"
    width: int = 2

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise error(f"no grouping named '{self.style}'", hint=f"known: {', '.join(STYLES)}")
        if not LEAST_WIDTH <= self.width <= MOST_WIDTH:
            raise error(f"the width of groups is {self.width}, not {LEAST_WIDTH} .. {MOST_WIDTH}")

    def __str__(self) -> str:
        return self.style if self.style == "declared" else f"{self.style}:{self.width}"

    def split(self, size: int, outermost: bool) -> tuple[int, ...]:
        """The sizes of the groups that a group of that size is made of; all 1 for parts."""
        width = self.width
        if self.style == "declared" or size <= width:
            return (1,) * size
        if self.style == "blocks":
            return _evenly(size, size // width) if outermost else (1,) * size
        if self.style == "recursive":
            return _evenly(size, width)
        # Whole blocks at the bottom, as evenly as they go.
        blocks = -(-size // width)
        counts = _evenly(blocks, min(width, blocks))
        sizes = [width * count for count in counts]
        sizes[-1] -= sum(sizes) - size
        return tuple(sizes)


def _evenly(size: int, count: int) -> tuple[int, ...]:
    small, larger = divmod(size, count)
    return (small + 1,) * larger + (small,) * (count - larger)


__all__ = ["STYLES", "Grouping", "Style"]
