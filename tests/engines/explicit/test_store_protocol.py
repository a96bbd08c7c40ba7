"""The store without locks, as a model: every interleaving of its steps, checked by Plait (T11).

Threads bring records to an array of slots with linear probing. Each step of the model is one atomic
access to memory. What the model does not show is the order in which accesses become visible to
other threads: that is argued in `shared.rs`, and rests on one pair of operations, the swap that
publishes a number and the read that finds it.
"""

from __future__ import annotations

import pytest

from plait.engines import Reduction, check
from plait.lang.promela import parse
from plait.report.answer import Answer


def protocol(records: tuple[int, ...], slots: int, broken: str = "") -> str:
    """Threads that insert these records, one each; all records have the same hash."""
    publish = "atomic { if :: slot[s] == 0 -> slot[s] = mine + 1; won = 1 :: else -> won = 0 fi }"
    if broken == "no swap":  # a look and a write instead of a compare-and-swap
        publish = "if :: slot[s] == 0 -> slot[s] = mine + 1; won = 1 :: else -> won = 0 fi"
    write = "record[mine] = value;"
    before, after = (write, "") if broken != "late" else ("", write)
    spare = "spares = spares + 1;" if broken != "lost" else ""
    starts = "\n".join(f"  run insert({value});" for value in records)
    return f"""
byte slot[{slots}]; byte record[{len(records)}]; byte numbers; byte new[4]; byte spares; byte done;

proctype insert(byte value) {{
  byte s, mine, other, won; bit has;
  do
  :: other = slot[s];
     if
     :: other == 0 ->
        if
        :: !has -> atomic {{ mine = numbers; numbers = numbers + 1 }} has = 1; {before}
        :: else
        fi;
        {publish}
        if
        :: won -> {after} atomic {{ new[value] = new[value] + 1 }} break
        :: else -> other = slot[s]
        fi
     :: else
     fi;
     if
     :: record[other - 1] == value -> if :: has -> atomic {{ {spare} skip }} :: else fi; break
     :: else -> s = s + 1; assert(s < {slots})
     fi
  od;
  atomic {{ done = done + 1 }}
}}

init {{ atomic {{
{starts}
}} }}

#define once(v) (new[v] <= 1)
#define all_done (done == {len(records)})
ltl unique {{ [] (once(1) && once(2) && once(3)) }}
ltl found {{ [] (all_done -> {" && ".join(f"new[{v}] == 1" for v in sorted(set(records)))}) }}
ltl no_hole {{ [] (all_done -> numbers == {len(set(records))} + spares) }}
"""


def answers(text: str, reduction: str = "none") -> dict[str, Answer]:
    model = parse(text, "store")
    found = check(model, model.properties, engine="explicit", reduction=Reduction(reduction))
    return {a.property.name: a for a in found}


def wrong(found: dict[str, Answer]) -> set[str]:
    assert all(a.verdict != "unknown" for a in found.values())
    return {name for name, a in found.items() if a.verdict == "false"}


@pytest.mark.parametrize("records", [(1, 1), (1, 2), (1, 1, 2)], ids=str)
def test_no_interleaving_stores_a_record_twice_or_not_at_all(records: tuple[int, ...]) -> None:
    for reduction in ("none", "ps+prov"):
        assert wrong(answers(protocol(records, len(set(records)) + 1), reduction)) == set()


@pytest.mark.soak
@pytest.mark.parametrize("records", [(1, 1, 1), (1, 2, 3), (1, 1, 2, 2)], ids=str)
def test_nor_do_more_threads(records: tuple[int, ...]) -> None:
    assert wrong(answers(protocol(records, len(set(records)) + 1), "ps+prov")) == set()


@pytest.mark.parametrize(
    ("broken", "lost"),
    [("no swap", "unique"), ("late", "unique"), ("lost", "no_hole")],
)
def test_a_broken_protocol_is_seen_to_be_broken(broken: str, lost: str) -> None:
    """Without the swap, with the record written after it is published, with spares forgotten."""
    assert lost in wrong(answers(protocol((1, 1), 3, broken)))
