"""Who moves in a step: the processes that it names, else those whose variables it changes."""

from __future__ import annotations

from plait.model.shape import State
from plait.report.answer import Step
from plait.report.view import Item, StateView


class Movers:
    """Whom the items of a state belong to: processes, or the largest parts that are several."""

    def __init__(self, view: StateView | None) -> None:
        self.view = view
        items = () if view is None else view.items
        self.processes = {item.process for item in items if item.process}
        paths = [item.name.split(":")[:-1] for item in items]
        deepest = max(map(len, paths), default=0)
        several = (d for d in range(1, deepest) if len({tuple(p[:d]) for p in paths}) > 1)
        self.depth = next(several, deepest)
        named = (self.owner(item) for item in items)
        self.known = list(dict.fromkeys(name for name in named if name))
        """All of them, in the order of the model."""

    def owner(self, item: Item) -> str:
        """Whom an item belongs to; nobody where this is empty."""
        if item.process:
            return item.process
        owner = item.name.rpartition(".")[0]
        if owner in self.processes:
            return owner
        return ".".join(item.name.split(":")[:-1][: self.depth])

    def of(self, step: Step, before: State) -> list[str]:
        """Who moves in a step; nobody where this is empty."""
        if step.process is not None:
            return [step.process] if step.process in self.processes else step.process.split(" & ")
        changed = () if self.view is None else self.view.changed(before, step.state)
        found = list(dict.fromkeys(name for name in map(self.owner, changed) if name))
        return found or [name for name in self.known if step.event.startswith(f"{name}.")]


__all__ = ["Movers"]
