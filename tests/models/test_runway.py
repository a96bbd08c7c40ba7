"""The runway safety monitor: its levels, motion, statuses, and the law of its counts."""

from itertools import product

import pytest

from plait.api import System
from plait.logic.parse import parse_formula
from plait.model.net import Net, NetEvent, as_net
from plait.model.types import ElementaryType
from plait.models.runway import PUBLISHED, STATUSES, matrix_lines, runway, status_matrix

SMALL = (2, 2, 2)
SPEEDS = 2


@pytest.fixture(scope="module")
def net() -> Net:
    found = as_net(runway(0, SMALL, SPEEDS))
    assert isinstance(found, Net)
    return found


def test_there_are_five_levels_an_aircraft() -> None:
    """covers: S108"""
    model = runway(2, (3, 4, 5), 1)
    assert isinstance(as_net(model), Net)
    assert isinstance(model.system, ElementaryType)
    units = model.system.units
    assert units is not None
    levels = [u for u in units.units if u.name != units.root]
    kinds = ("phase", "status", "x", "y", "z")
    assert [u.name for u in levels] == [f"{kind}_{i}" for i in range(3) for kind in kinds]
    assert set(levels[7].places) == {"x_1", "vx_1"}
    assert set(levels[6].places) == {"fl_alarm_1", *(f"st_{s}_1" for s in STATUSES)}


def test_states_multiply_and_diagrams_add_up() -> None:
    """covers: S109"""
    found = [System(runway(n, SMALL, SPEEDS)).states(engine="symbolic") for n in range(3)]
    one = found[0].states
    assert one is not None
    assert [s.states for s in found] == [one, one**2, one**3]
    nodes = [s.stats["final_nodes"] for s in found]
    assert nodes == [nodes[0], 2 * nodes[0], 3 * nodes[0]]  # type: ignore[operator]


def status(z: int, speeds: tuple[int, int, int], change: int, old: str) -> str:
    """The status as the definition has it."""
    vx, vy, vz = speeds
    if z == 0:
        return "out"
    if z > 1:
        return "flythru" if vx else ("climbout" if vz > 0 else "land")
    if vx or abs(vy) <= 1:
        return "taxi"
    return {-1: "rollout", 0: "taxi" if old == "out" else old, 1: "takeoff"}[change]


def test_the_status_is_the_one_that_the_definition_gives(net: Net) -> None:
    """covers: S110"""
    number = {p.name: i for i, p in enumerate(net.places)}
    judging = [e for e in net.events if "->" in e.name]
    span = range(-SPEEDS, SPEEDS + 1)
    for z, vx, vy, vz, change, old in product((0, 1, 2), span, span, span, (-1, 0, 1), STATUSES):
        marking = [0] * len(net.places)
        at = {"ph_status": 1, f"st_{old}": 1, "x": min(z, 1), "y": min(z, 1), "z": z}
        at |= {"vx": vx + SPEEDS, "vy": vy + SPEEDS, "vz": vz + SPEEDS, "ay": change + 1}
        for name, tokens in at.items():
            marking[number[f"{name}_0"]] = tokens
        able = [e for e in judging if e.enabled(marking)]
        assert len(able) == 1
        after = able[0].fire(marking)
        marked = [s for s in STATUSES if after[number[f"st_{s}_0"]]]
        assert marked == [status(z, (vx, vy, vz), change, old)]


def test_only_outside_has_zero_coordinates_and_no_move_is_against_the_heading(net: Net) -> None:
    """covers: S111"""
    system = System(runway(0, SMALL, SPEEDS))
    inside = "x_0 >= 1 && y_0 >= 1 && z_0 >= 1"
    outside = "x_0 == 0 && y_0 == 0 && z_0 == 0"
    assert system.check(f"invariant: ({inside}) || ({outside})").verdict == "true"
    one = " + ".join(f"st_{s}_0" for s in STATUSES)
    assert system.check(f"invariant: {one} == 1").verdict == "true"
    number = {p.name: i for i, p in enumerate(net.places)}
    moves = 0
    for event, axis in product(net.events, "xyz"):
        if event.name[0] != axis or event.name[1] not in "+-":
            continue
        step = dict(event.change).get(number[f"{axis}_0"], 0)
        low, high = needed(event, number[f"v{axis}_0"])
        moves += 1
        assert step == 0 or (low > SPEEDS if step > 0 else high < SPEEDS)
    assert moves == 3 * (4 * 2 + 1) * 5


def needed(event: NetEvent, place: int) -> tuple[int, int]:
    """The least and the most tokens with which an event is enabled."""
    return dict(event.pre).get(place, 0), dict(event.inhibitor).get(place, 10**9) - 1


def test_the_table_of_statuses_is_recomputed_and_differences_are_shown(net: Net) -> None:
    """covers: S112"""
    found = status_matrix(runway(0, SMALL, SPEEDS))
    assert found == by_search(net)
    lines = matrix_lines(found)
    assert lines[0].split() == list(STATUSES)
    for old, line in zip(STATUSES, lines[1:], strict=True):
        name, *cells = line.split()
        assert name == old
        for new, cell in zip(STATUSES, cells, strict=True):
            assert cell.strip("[]") == ("X" if new in found[old] else "-")
            assert cell.startswith("[") == ((new in found[old]) != (new in PUBLISHED[old]))


def by_search(net: Net) -> dict[str, tuple[str, ...]]:
    """The same by visiting all markings."""
    phases = [i for i, p in enumerate(net.places) if p.name.startswith("ph_")]
    by_phase = {
        p: [e for e in net.events if dict(e.pre).get(p, 0) > dict(e.post).get(p, 0)] for p in phases
    }
    seen, waiting = {net.initial}, [net.initial]
    pairs: set[tuple[str, str]] = set()
    while waiting:
        marking = waiting.pop()
        (phase,) = [p for p in phases if marking[p]]
        for event in by_phase[phase]:
            if event.enabled(marking):
                if "->" in event.name:
                    old, _, new = event.name.partition(".")[0].partition("->")
                    pairs.add((old, new))
                after = event.fire(marking)
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
    return {old: tuple(new for new in STATUSES if (old, new) in pairs) for old in STATUSES}


def test_a_zone_without_room_is_refused() -> None:
    from plait.errors import InputError

    with pytest.raises(InputError, match="two boxes"):
        runway(1, (1, 2, 2))
    asked = parse_formula("reachable: x_1 == 3", runway(1))
    assert System(runway(1)).check(asked).verdict == "true"
