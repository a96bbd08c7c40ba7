"""Sends and receives on one channel: which depend on each other, and which only enable."""

from plait.engines import Reduction, states
from plait.engines.explicit.dependency import Dependency, dependency
from plait.lang.promela import parse
from plait.passes import flat

TEXT = """
chan q = [2] of { byte };
active proctype S() { q!1 }
active proctype T() { q!2 }
active proctype R() { byte x; q?x }
active proctype U() { byte y; q?y }
"""


def _related(found: Dependency, rows: tuple[tuple[int, ...], ...], a: str, b: str) -> bool:
    return found.events.index(b) in rows[found.events.index(a)]


def test_two_sends_or_two_receives_are_dependent_and_one_of_each_only_enable() -> None:
    """covers: A37"""
    model = parse(TEXT, "queue")
    found = dependency(flat(model).model)
    sends, receives = ("S_0:3", "T_1:4"), ("R_2:5", "U_3:6")
    assert _related(found, found.conflict, *sends)
    assert _related(found, found.conflict, *receives)
    for send in sends:
        for receive in receives:
            # Where both are possible they commute; the relation that holds in every state has them,
            # since a send may enable a receive and a receive a send.
            assert not _related(found, found.conflict, send, receive)
            assert _related(found, found.depend, send, receive)
            assert _related(found, found.depend, receive, send)
    full = states(model, engine="explicit")
    reduced = states(model, engine="explicit", reduction=Reduction("ps", check=True))
    assert reduced.deadlocks == full.deadlocks
    assert (reduced.states or 0) < (full.states or 0)


def test_a_rendezvous_is_one_event_of_both_processes() -> None:
    model = parse(TEXT.replace("[2]", "[0]"), "rendezvous")
    found = dependency(flat(model).model)
    meetings = [e for e in found.events if "ends" not in e]
    assert len(meetings) == 4
    for a in meetings:
        for b in meetings:
            apart = not (set(_processes(a)) & set(_processes(b)))
            assert _related(found, found.conflict, a, b) != apart, (a, b)


def _processes(title: str) -> list[str]:
    return [part[0] for part in title.replace(",", " ").split() if part[:2] in _NAMES]


_NAMES = ("S_", "T_", "R_", "U_")
