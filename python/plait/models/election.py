"""Randomised leader election in a unidirectional ring.

After Itai, Rodeh: Symmetry breaking in distributed networks (1981); Siminiceanu, Structural Model
Checking (2003), appendix B.5. In each round an active process flips a coin; it drops out iff it
chose 0 and the neighbour it reads from, k = i + 1, chose 1. Inactive processes relay. A counter
that goes around finds a single survivor: when it has counted n - 1 inactive ones, the process is
leader.

The places of a process are its status, its preference `pref`, its counter `c` (both emptied by
"flush arcs", which are reset arcs here), and which messages it has received and sent. n^2 + 13n
events; n deadlocks, one a leader. Two levels a process, the status below the messages, process 0 at
the bottom. (The listing once writes recv_none for rec_none.)
"""

from __future__ import annotations

from plait.model.builder import ask
from plait.model.net_builder import NetBuilder, NetPlace
from plait.model.types import Model
from plait.models.arguments import check_size, check_variant
from plait.models.decomposition import by_levels
from plait.models.questions import exists_always, exists_until

VARIANTS = ("flat", "composite")
LEAST, MOST = 2, 500
STATUS = ("st_choose", "st_wait", "st_active", "st_inactive", "st_leader", "pref", "c")
MESSAGES = ("rec_none", "rec_choice", "rec_counter", "sent_none", "sent_choice", "sent_counter")
MARKED = ("st_choose", "rec_none", "sent_none")
"""The places that start with a token."""


def leader(n: int = 3, variant: str = "flat") -> Model:
    """Randomised leader election in a ring of n processes."""
    check_size(n, LEAST, MOST)
    check_variant(variant, VARIANTS)
    net = NetBuilder("leader")
    processes = [
        {p: net.place(f"{p}_{i}", int(p in MARKED)) for p in STATUS + MESSAGES} for i in range(n)
    ]
    for i, own in enumerate(processes):
        other = processes[(i + 1) % n]
        _choices(net, i, own, other)
        _counting(net, i, own, other, n)
        _relaying(net, i, own, other, n)
    for i, own in enumerate(processes):
        net.level(f"status_{i}", [own[name] for name in STATUS])
        net.level(f"messages_{i}", [own[name] for name in MESSAGES])
    elected = processes[0]["st_leader"] >= 1
    asked = [
        ask("elected", "reachable", elected),
        ask("one_leader", "never", elected & (processes[1]["st_leader"] >= 1)),
        # Tables 5.1 and 5.2.
        exists_always("never_elected", ~elected),
        exists_until("elected_without_preference", processes[1]["pref"] == 0, elected),
    ]
    return net.model(asked) if variant == "flat" else by_levels(net.net(), asked)


Places = dict[str, NetPlace]


def _choices(net: NetBuilder, i: int, own: Places, other: Places) -> None:
    """An active process chooses, sends its choice, and compares it with its neighbour's."""
    start, wait, pref = own["st_choose"], own["st_wait"], own["pref"]
    for value in (0, 1):
        net.event(
            f"pick_value{value}_{i}",
            takes=[start],
            gives=[wait, (pref, value)],
            reads=[own["sent_none"], own["rec_none"]],
            empties=[pref],
        )
    net.event(f"send_pref_{i}", takes=[own["sent_none"]], gives=[own["sent_choice"]], reads=[wait])
    takes = [wait, own["rec_none"]]
    stays = [own["st_active"], own["rec_choice"]]
    leaves = [own["st_inactive"], own["rec_choice"]]
    sent, silent = own["sent_choice"], other["sent_none"]
    net.event(f"recv_stay_active0_{i}", takes, stays, reads=[sent], below=[other["pref"], silent])
    net.event(f"recv_stay_active1_{i}", takes, stays, reads=[pref, sent], below=[silent])
    net.event(
        f"recv_become_inactive_{i}",
        takes,
        leaves,
        reads=[sent, other["pref"]],
        below=[silent, pref],
    )


def _counting(net: NetBuilder, i: int, own: Places, other: Places, n: int) -> None:
    """An active process sends a new counter, and reads what its neighbour counted."""
    net.event(
        f"send_new_counter_{i}",
        takes=[own["sent_choice"]],
        gives=[own["sent_counter"]],
        reads=[own["st_active"]],
    )
    takes = [own["st_active"], own["rec_choice"], other["sent_counter"]]
    net.event(
        f"recv_counter_{i}",
        takes,
        gives=[own["st_choose"], own["rec_none"], other["sent_none"]],
        below=[own["sent_choice"], (other["c"], n - 1)],
        empties=[own["pref"], own["c"], other["c"]],
    )
    net.event(
        f"become_leader_{i}",
        takes=[*takes, (other["c"], n - 1)],
        gives=[own["st_leader"], own["rec_none"], other["sent_none"]],
    )


def _relaying(net: NetBuilder, i: int, own: Places, other: Places, n: int) -> None:
    """An inactive process passes on the preference of its neighbour, and the counter plus one."""
    inactive, pref, silent = own["st_inactive"], own["pref"], other["sent_none"]
    net.event(
        f"i_recv_pref0_{i}",
        takes=[own["rec_none"]],
        gives=[own["rec_choice"]],
        reads=[inactive],
        below=[silent, other["pref"]],
        empties=[pref, own["c"]],
    )
    net.event(
        f"i_recv_pref1_{i}",
        takes=[own["rec_none"]],
        gives=[own["rec_choice"], pref],
        reads=[inactive, other["pref"]],
        below=[silent],
        empties=[pref, own["c"]],
    )
    net.event(
        f"i_send_pref_{i}",
        takes=[own["sent_none"]],
        gives=[own["sent_choice"]],
        reads=[inactive],
        below=[own["rec_none"]],
    )
    net.event(
        f"i_send_counter_{i}",
        takes=[own["rec_counter"], own["sent_choice"]],
        gives=[own["rec_none"], own["sent_counter"]],
        reads=[inactive],
        empties=[pref],
    )
    for m in range(n):
        net.event(
            f"inc_counter_{m}_{i}",
            takes=[own["rec_choice"], other["sent_counter"], (other["c"], m)],
            gives=[own["rec_counter"], silent, (own["c"], m + 1)],
            reads=[inactive],
            below=[silent, (other["c"], m + 1)],
        )
