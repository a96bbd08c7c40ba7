"""What a pass gives back, where the passes look for it.

It is part of the model's own package: a model that no pass changes is told so without importing the
passes (`plait.model.settled`), which is a good part of the time that a small net takes.
"""

from plait.model.rewritten import (
    Lift,
    Pass,
    Rewritten,
    flat_type,
    restoring,
    run,
    same_state,
    without_collection,
)

__all__ = [
    "Lift",
    "Pass",
    "Rewritten",
    "flat_type",
    "restoring",
    "run",
    "same_state",
    "without_collection",
]
