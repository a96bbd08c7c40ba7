"""Ghost variables and fairness conditions, which few models have; so this imports little.

A *ghost* is a variable that the model writes and only properties look at; where none does, it is no
part of the state. `plait.engines.chosen_paths` deals with all of it.
"""

from __future__ import annotations

from plait.hints import TYPE_CHECKING
from plait.model.types import ElementaryType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.model.types import Model, Property


def ghosts(model: Model) -> frozenset[str]:
    """The variables that only properties look at."""
    if len(model.types) != 1 or not isinstance(model.types[0], ElementaryType):
        return frozenset()
    if model.types[0].plain is not None:
        return frozenset()
    return frozenset(v.name for v in model.types[0].variables if v.ghost)


def is_ordinary(model: Model, asked: Sequence[Property]) -> bool:
    """Whether nobody says anything of paths, there are no ghosts, and all states are counted."""
    said = any(p.fair or p.refused for p in asked)
    return not said and model.begins is None and not ghosts(model)
