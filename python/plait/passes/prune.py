"""Removal of what no reachable state executes, as far as interval analysis can tell.

The analysis (`plait.passes.domains`) executes events abstractly from the initial values; an event
that it never gets to execute is never executed. A labelled event goes too when every event that
calls it does. Inside the events that stay, a branch goes when its condition is decided by the
ranges of the variables, which hold in the middle of an event as well.

A net without inhibitor and reset arcs is looked at in a simpler way first, which is much faster.
Where every event is possible there is nothing to remove.
"""

from __future__ import annotations

from plait.model.net import Net, as_net
from plait.model.settled import may_all_happen
from plait.model.stmt import Body, If, Settle, Statement
from plait.model.types import Event, Model
from plait.passes.domains import domains
from plait.passes.folding import Folder
from plait.passes.intervals import Intervals
from plait.passes.rewritten import Rewritten, flat_type
from plait.passes.simplify import simplify_again
from plait.passes.walk import map_body
from plait.records import replace


def prune(model: Model) -> Rewritten:
    """The flat model without impossible events and branches; simplified again if there were any.

    What it has done is simplified, and what follows from it: the model was simple before.
    """
    type_ = flat_type(model)
    net = as_net(model)
    if isinstance(net, Net) and net.ordinary and may_all_happen(net):
        return Rewritten(model)
    found = domains(model)
    branches = _Branches(Intervals(found.ranges, found.sizes), Folder(sizes=found.sizes))
    kept: list[Event] = []
    new: list[Event] = []
    other: set[str] = set()
    for number, event in enumerate(type_.events):
        left = branches.event(event) if number in found.possible else None
        if left is not event and event.label is not None:
            other.add(event.label.name)
        if left is not None:
            kept.append(left)
            if left is not event:
                new.append(left)
    if not new and len(kept) == len(type_.events):
        return Rewritten(model)
    pruned = replace(model, types=(replace(type_, events=tuple(kept)),))
    return simplify_again(pruned, new, other)


class _Branches:
    """Decides conditions by ranges that hold everywhere."""

    def __init__(self, known: Intervals, folder: Folder) -> None:
        self.known = known
        self.folder = folder

    def event(self, event: Event) -> Event:
        """The event with decided branches replaced."""
        if not any(isinstance(s, If | Settle) for s in event.body):
            return event
        body = map_body(event.body, self._statement)
        return event if body is event.body else replace(event, body=body)

    def _statement(self, statement: Statement) -> Body:
        match statement:
            case Settle(condition=condition):
                return (statement,) if self.known.may_hold(condition) else ()
            case If(condition=condition, then=then, otherwise=otherwise):
                may_refuse, may_choose = self.known.truths(condition)
                # An undefined condition has neither branch, so it must not be replaced by one.
                if may_refuse == may_choose or not self.folder.total(condition):
                    return (statement,)
                return then if may_choose else otherwise
            case _:
                return (statement,)
