"""Whether a model depends on process numbers; if not, ends and runs of processes are inert.

A process that is at its end disappears once it is the youngest. If another one is run before, that
one gets a greater number; nothing else differs between the two orders. So where no statement asks
for a number, whatever can happen while a process lingers at its end can also happen, by as many
steps, after it is gone. In the same way a process that can do nothing but run another may as well
do it at once (`Translation.runs_alone` has what that needs besides). What asks for numbers:

- `_pid`, `_nr_pr`, `_last`, `enabled`, the value of `run`, and whatever names a process of another
  (`P[n]@label`, `P:x`);
- `provided`, which may keep a process at its end, and `timeout` inside a larger condition, which
  may be true just because somebody could still end (where it is a conjunct, it waits for the end);
- channels of processes that are run: they are known by numbers that follow from those of their
  processes. Whoever starts at once has a number that nothing changes; but if it has channels, its
  own end is not inert, for these are gone with it, nor is what puts that end off: a run by a
  process of a smaller number;
- the limit: where nobody knows how many processes there can be at once, running one too many is an
  error that needs those who linger.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from plait.lang.lexer import Tokens
from plait.lang.promela.declarations import SystemText
from plait.lang.promela.processes import Processes
from plait.lang.promela.statements import RunStep

ASKING = frozenset(["_pid", "_nr_pr", "_last", "enabled", "pc_value", "provided", "@"])
"""Words that speak of numbers, wherever they stand."""


def numbers_matter(tokens: Tokens, system: SystemText, processes: Processes) -> bool:
    """Whether a step of the system may depend on the numbers of processes."""
    if not processes.certain or processes.full:
        return True
    texts = tokens.texts
    if not ASKING.isdisjoint(texts):
        return True
    remote = any(
        text in system.proctypes and following in (":", "[") for text, following in pairwise(texts)
    )
    return remote or any(_asks(processes))


def _asks(processes: Processes) -> Iterator[bool]:
    for process, flow in processes.found:
        run = process.pid >= processes.initial or process.proctype.active == 0
        yield run and any(d.symbol.channels for d in process.variables)
        steps = (edge.step for at in flow.locations for edge in at.edges)
        yield any(isinstance(s, RunStep) and s.target is not None for s in steps)
