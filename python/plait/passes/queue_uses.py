"""Which events use a queue only as a queue.

Once a queue is lowered to cells, a send and a receive both touch its slots, and no look at cells
shows that the two commute wherever both are possible. So the pass that lowers queues says it of an
event: that it touches the slots of a queue by exactly one send at the end, or by exactly one
receive from the front, whenever it has a successor. Questions about the length are allowed besides,
for the length is a cell of its own; so is, for one that receives, the question in its guard whether
the front message is a certain one, which no send behind it can change. Other questions about the
messages are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from plait.model.expr import Hop, Poll
from plait.model.node import Node, nodes
from plait.model.stmt import Call, Match, Receive, Send, Settle
from plait.model.types import Event, QueueUse
from plait.passes.questions import Queue, Queues
from plait.passes.walk import reads, statements


def queue_uses(
    event: Event, channels: Mapping[str, Queues], answering: Mapping[str, Sequence[Event]]
) -> tuple[QueueUse, ...]:
    """The queues that the (not yet lowered) event uses only by one send or one receive.

    `answering` has the events of each label. What is called must leave such a queue alone.
    """
    if event.label is not None:
        return ()
    inner = _called(event, answering)
    if inner is None:
        return ()
    body = [s for e in (event, *inner) for s in statements(e.body)]
    used = Counter(s.channel.name for s in body if isinstance(s, Send | Receive))
    questions: list[Node] = [root for e in inner for root in e.guard]
    questions += [root for statement in body for root in reads(statement)]
    asked = {p.channel.name for root in questions for p in _polls(root)}
    in_guard = {p.channel.name for root in event.guard for p in _polls(root)}
    anywhere = {p.channel.name for root in event.guard for p in _polls(root) if p.anywhere}
    found = []
    for statement in event.body:
        if not isinstance(statement, Send | Receive) or not _is_plain(statement):
            continue
        name = statement.channel.name
        queue = _queue(channels.get(name), statement.channel)
        looks = name in asked or name in (in_guard if isinstance(statement, Send) else anywhere)
        if queue is not None and used[name] == 1 and not looks:
            slots = tuple(field.name for slot in queue.slots for field in slot)
            length = "" if queue.length is None else queue.length.name
            found.append(QueueUse(length, isinstance(statement, Send), slots))
    return tuple(found)


def _called(event: Event, answering: Mapping[str, Sequence[Event]]) -> list[Event] | None:
    """The events that this one may call, and those that they may; None if anything may follow."""
    found: dict[str, Event] = {}
    pending = [event]
    while pending:
        for statement in statements(pending.pop().body):
            if isinstance(statement, Settle):
                return None
            if isinstance(statement, Call):
                new = [e for e in answering.get(statement.label, ()) if e.name not in found]
                found.update((e.name, e) for e in new)
                pending += new
    return list(found.values())


def _polls(root: Node) -> Iterator[Poll]:
    return (n for n in nodes(root) if isinstance(n, Poll))


def _is_plain(statement: Send | Receive) -> bool:
    """At the end, or from the front."""
    if isinstance(statement, Send):
        return not statement.ordered
    searches = statement.anywhere and any(isinstance(p, Match) for p in statement.patterns)
    return not searches and not statement.keep


def _queue(queues: Queues | None, channel: Hop) -> Queue | None:
    """The queue that is meant, when there is only one."""
    if queues is None:
        return None
    choices = queues.choices(channel.index)
    return choices[0][1] if len(choices) == 1 else None
