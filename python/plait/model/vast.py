"""Models with so many parts that their hierarchy is better kept than flattened."""

from __future__ import annotations

from plait.model.types import ElementaryType, Model

MANY_INSTANCES = 10_000
"""From so many instances on a hierarchy is kept unless something else is asked for."""


def is_vast(model: Model) -> bool:
    """Whether the model has so many instances that it had better not be flattened."""
    if isinstance(model.system, ElementaryType):
        return False
    from plait.model.shape import parts_first, shape_of  # most models have no parts

    root = shape_of(model)
    counts: dict[int, int] = {}
    for shape in parts_first(root):
        counts[id(shape)] = 1 + sum(counts[id(p.shape)] for p in shape.parts)
    return counts[id(root)] > MANY_INSTANCES
