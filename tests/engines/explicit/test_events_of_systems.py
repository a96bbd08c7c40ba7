"""What becomes of processes, channels and blocks before reductions see them, and what is left of
reductions where everything depends on everything."""

import pytest

from plait.engines import Reduction, check, states
from plait.engines.explicit.dependency import Dependency, Touch, dependency
from plait.engines.explicit.reduction import PERSISTENT
from plait.lang.gal import parse
from plait.lang.promela import parse as parse_promela
from plait.logic.parse import parse_formula
from plait.model.types import Model
from plait.passes import flat

PRESETS = ("sleep", "ps", "ps+sleep", "ps+prov", "ps+sleep+prov")


def analysed(model: Model) -> Dependency:
    return dependency(flat(model).model)


def touches(found: Dependency, event: str) -> dict[str, Touch]:
    return {t.cell: t for t in found.touches[found.events.index(event)]}


def test_what_a_body_does_after_a_write_is_seen_as_one_operation() -> None:
    """covers: P3"""
    model = parse(
        """gal g { int x = 0; int y = 0; int z = 0;
        transition twice [x < 6] { x = x + 1; x = x + 1; }
        transition after [z == 0] { x = 1; y = x + 1; z = 1; }
        transition other [y < 4] { y = y + 1; } }""",
        "g",
    )
    found = analysed(model)
    twice = touches(found, "twice")["x"]
    assert (twice.effect, twice.amount, twice.reads) == ("add", 2, False)
    # `after` writes x and looks at it: whatever that is taken for, no order is claimed that is not.
    for a, b in (("twice", "after"), ("after", "other")):
        assert found.events.index(b) in found.conflict[found.events.index(a)]
    full = states(model)
    for preset in PRESETS:
        reduced = states(model, reduction=Reduction(preset, check=True))
        assert reduced.deadlocks == full.deadlocks


def test_a_send_is_disabled_on_a_full_channel_and_a_receive_on_an_empty_one() -> None:
    """covers: P4"""
    text = """chan q = [2] of { byte }; byte x;
        active proctype A() { do :: q!1 od } active proctype B() { do :: q?x od }"""
    model = parse_promela(text, "queue")
    found = analysed(model)
    (send,) = (e for e in found.events if e.startswith("A_0"))
    (receive,) = (e for e in found.events if e.startswith("B_1"))
    assert touches(found, send)["q.length"].values == [(0, 1)]
    allowed = touches(found, receive)["q.length"].values
    assert allowed is not None
    assert allowed[0][0] == 1
    asked = parse_formula("invariant: q.length <= 2", flat(model).model)
    assert check(flat(model).model, [asked], engine="explicit")[0].verdict == "true"


def test_a_rendezvous_is_one_event_of_both_processes() -> None:
    """covers: P5"""
    text = """chan r = [0] of { byte }; byte x;
        active proctype A() { x = 1; r!7 } active proctype B() { byte v; r?v; x = v }"""
    model = parse_promela(text, "meeting")
    found = analysed(model)
    (meeting,) = (e for e in found.events if " & " in e)
    moved = touches(found, meeting)
    assert moved["A_0._pc"].effect == moved["B_1._pc"].effect == "add"
    assert (moved["B_1.v"].effect, moved["B_1.v"].amount) == ("set", 7)
    # Each waits for the other: x is 1 until they have met.
    assert (
        check(model, [parse_formula("never: x == 7 && A_0._pc == 1", model)])[0].verdict == "true"
    )
    assert check(model, [parse_formula("reachable: x == 7", model)])[0].verdict == "true"


def test_events_with_overlapping_guards_are_each_executed() -> None:
    """covers: P6"""
    model = parse(
        """gal g { int x = 0; transition one [x == 0] { x = 1; }
        transition two [x <= 0] { x = 2; } transition same [x < 1] { x = 2; } }""",
        "g",
    )
    for reduction in (Reduction(), *(Reduction(preset, order="dfs") for preset in PRESETS)):
        found = states(model, reduction=reduction)
        assert (found.states, found.arcs, found.deadlocks) == (3, 3, 2)


def test_an_atomic_block_is_one_event_with_all_that_it_uses() -> None:
    """covers: P7"""
    text = """chan q = [3] of { byte }; byte x, y, z;
        active proctype A() { atomic { q!1; x = 1; y = y + 2 } }
        active proctype B() { byte v; q?v; z = v } active proctype C() { y = y + 1 }"""
    model = parse_promela(text, "atomic")
    found = analysed(model)
    blocks = [e for e in found.events if e.startswith("A_0") and "ends" not in e]
    assert len(blocks) == 1
    used = touches(found, blocks[0])
    assert {"q.length", "x", "y", "A_0._pc"} <= used.keys()
    assert (used["x"].effect, used["x"].amount) == ("set", 1)
    block = found.events.index(blocks[0])
    by_title = {e: n for n, e in enumerate(found.events)}
    receive = next(n for e, n in by_title.items() if e.startswith("B_1"))
    assert receive not in found.conflict[block]  # where both can, a send and a receive accord
    assert receive in found.depend[block]
    for preset in PRESETS:
        reduced = states(model, reduction=Reduction(preset, check=True))
        assert reduced.deadlocks == states(model).deadlocks


def ring(count: int) -> Model:
    """Every step of every process reads and writes the one variable that all share."""
    lines = ["gal ring { int x = 0;", *(f"int pc{i} = 0;" for i in range(count))]
    for i in range(count):
        for k in range(3):
            step = f"x = (x * 2 + {i + k}) % 7; pc{i} = {(k + 1) % 3};"
            lines.append(f"transition t{i}_{k} [pc{i} == {k}] {{ {step} }}")
    return parse("\n".join([*lines, "}"]), "ring")


@pytest.mark.parametrize("preset", PRESETS)
def test_where_everything_depends_on_everything_a_reduction_is_the_plain_search(
    preset: str,
) -> None:
    """covers: P75 (the work, in states and arcs; figures of time are those of `make bench`)"""
    model = ring(3)
    plain = states(model)
    for persistent in PERSISTENT:
        found = states(model, reduction=Reduction(preset, persistent, "dfs"))
        assert (found.states, found.arcs) == (plain.states, plain.arcs)
        assert found.stats["reduced_states"] == 0
        assert found.stats.get("asleep", 0) == 0
