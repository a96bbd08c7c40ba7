"""The alarms of the runway safety monitor: the table by its definition, and what was found."""

from dataclasses import replace
from functools import cache
from itertools import product
from random import Random

import pytest

from plait.engines import check
from plait.engines.symbolic.tuning import Tuning
from plait.errors import InputError
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.net import Net, NetEvent, as_net
from plait.model.types import Model
from plait.models.alarms import (
    COLUMNS,
    FIXED,
    PUBLISHED_ALARMS,
    ROWS,
    SEEN,
    monitor,
    published_alarms,
)
from plait.models.runway import UNKNOWN
from plait.models.scenarios import (
    ALARM,
    CHASING,
    DONE,
    FALSE_ALARM,
    MISSED,
    SCENARIOS,
    SEPARATE,
    ask,
    classes,
    last_state,
    order,
    query,
    unwarned,
)
from plait.reference.semantics import Semantics
from plait.report.answer import Answer, Witness

GRID = (2, 3, 2)
ZERO = 2
"""The tokens of no speed along y."""


@cache
def net() -> Net:
    found = as_net(monitor(1, GRID))
    assert isinstance(found, Net)
    return found


def tuning(model: Model) -> Tuning:
    return Tuning(order=order(model))


# --- the table ------------------------------------------------------------------------------------


def danger(row: str, column: str, seen: dict[str, int], mine: int, other: int) -> bool:
    """Whether there is an alarm, as table 7.5 and the text have it."""
    before = max(seen["before_x"], seen["before_y"])
    now = max(seen["now_x"], seen["now_y"])
    opposite = (mine - ZERO) * (other - ZERO) < 0
    ahead = (mine - ZERO) * (seen["order"] - 1) > 0
    criteria = {
        "1": bool(seen["known"]) and now < before,
        "2": seen["now_x"] == 0 and ahead,
        "3": now <= 1,
        "6": True,
    }
    criteria["4"] = not opposite and criteria["3"]
    criteria["5"] = opposite and criteria["1"]
    cell = published_alarms()[row, column]
    if cell in ("-", "yes"):
        return cell == "yes"
    return any(all(criteria[c] for c in way.split("&")) for way in cell.split("|"))


def by_cell() -> dict[tuple[str, str], dict[str, list[NetEvent]]]:
    found: dict[tuple[str, str], dict[str, list[NetEvent]]] = {}
    for event in net().events:
        name, _, rest = event.name.partition(".")[0].partition("_")
        if name in ("alarm", "quiet"):
            row, _, column = rest.partition("_")
            found.setdefault((row, column), {"alarm": [], "quiet": []})[name].append(event)
    return found


def test_the_table_has_42_cells_and_each_its_events() -> None:
    """Checked against the table itself: what is enabled, and what it does.

    covers: S113
    """
    table = published_alarms()
    assert len(table) == 42 == len(ROWS) * len(COLUMNS)
    assert table["rollout", "taxi"] == "1&3&6"
    assert table["flythru", "rollout"] == "2&3"
    events, random = by_cell(), Random(42)
    assert events.keys() == table.keys()
    number = {p.name: i for i, p in enumerate(net().places)}
    ranges = {"before_x": 2, "now_x": 2, "before_y": 3, "now_y": 3, "known": 2, "order": 3}
    assert set(ranges) == set(SEEN)
    for (row, column), split in events.items():
        assert bool(split["alarm"]) == (table[row, column] != "-")
        assert bool(split["quiet"]) == (table[row, column] != "yes")
        raised = 0
        for _ in range(150):
            seen = {name: random.randrange(most) for name, most in ranges.items()}
            mine, other = random.randrange(5), random.randrange(5)
            tokens = {f"{name}_1": value for name, value in seen.items()}
            tokens |= {"vy_0": mine, "vy_1": other, "ph_done_0": 1, "ph_table_1": 1}
            tokens |= {f"st_{row}_0": 1, f"st_{column}_1": 1}
            marking = [0] * len(net().places)
            for name, value in tokens.items():
                marking[number[name]] = value
            able = {kind: [e for e in split[kind] if e.enabled(marking)] for kind in split}
            expected = danger(row, column, seen, mine, other)
            assert (bool(able["alarm"]), bool(able["quiet"])) == (expected, not expected)
            raised += expected
            for event in (*able["alarm"], *able["quiet"]):
                after = event.fire(marking)
                assert after[number["fl_alarm_1"]] == expected
                assert after[number["ph_done_1"]] == 1
                assert not any(after[number[f"{name}_1"]] for name in SEEN)
        assert raised > 0 or table[row, column] == "-"


def test_every_split_event_tests_levels_one_by_one() -> None:
    """All of them are events of a net, whose tests are about single places.

    covers: S113
    """
    split = [e for cell in by_cell().values() for kind in cell.values() for e in kind]
    assert len(split) > 42
    assert all(e.pre and e.post for e in split)


@pytest.mark.parametrize(("axis", "most"), [("x", 2), ("y", 3)])
def test_distances_before_and_now_are_seen(axis: str, most: int) -> None:
    number = {p.name: i for i, p in enumerate(net().places)}
    looks = [e for e in net().events if e.name.startswith(f"look_{axis}")]
    steps = (0, 1, 2, UNKNOWN) if axis == "x" else (0, 1, 2)
    places = [
        (at, step)
        for at, step in product(range(1, most + 1), steps)
        if step == UNKNOWN or 1 <= at - step + 1 <= most
    ]
    for (mine, one), (other, two) in product(places, repeat=2):
        marking = [0] * len(net().places)
        tokens = {f"{axis}_0": mine, f"s{axis}_0": one, f"{axis}_1": other, f"s{axis}_1": two}
        for name, value in {**tokens, "ph_done_0": 1, f"ph_seen_{axis}_1": 1}.items():
            marking[number[name]] = value
        (able,) = [e for e in looks if e.enabled(marking)]
        after = able.fire(marking)
        seen = {name: after[number[f"{name}_1"]] for name in SEEN}
        assert seen[f"now_{axis}"] == abs(mine - other)
        known = UNKNOWN not in (one, two)
        if known:
            assert seen[f"before_{axis}"] == abs((mine - one) - (other - two))
        if axis == "x":
            assert seen["known"] == known
        else:
            assert seen["order"] == 1 + (other > mine) - (other < mine)


def test_cells_may_be_changed_and_zones_without_room_are_refused() -> None:
    assert len(FIXED) == 9
    assert set(FIXED.values()) == {"2&3|1"}
    assert PUBLISHED_ALARMS.count("2&3") == 9
    calm = as_net(monitor(1, (2, 2, 2), alarms=dict.fromkeys(published_alarms(), "-")))
    assert isinstance(calm, Net)
    assert not [e for e in calm.events if e.name.startswith("alarm_")]
    with pytest.raises(InputError, match="two boxes"):
        monitor(1, (1, 2, 2))
    with pytest.raises(InputError, match="no cell for 'taxi' and 'out'"):
        monitor(1, GRID, alarms={("taxi", "out"): "1"})
    with pytest.raises(InputError, match=r"'7' in '1.7' is none of the criteria"):
        monitor(1, GRID, alarms={("taxi", "land"): "1|7"})
    with pytest.raises(InputError, match="no question named"):
        query("anything")


# --- what was found -------------------------------------------------------------------------------


@cache
def published() -> Model:
    return monitor(1, GRID)


def confirmed(answer: Answer, model: Model, condition: str) -> None:
    """A run that is shown, was replayed, and ends where the condition holds."""
    assert answer.verdict == "true"
    assert answer.witness is not None
    assert answer.replayed
    assert "ph_done" in answer.witness.show()
    assert holds(model, condition, last_state(answer.witness))


def holds(model: Model, condition: str, state: tuple[int, ...]) -> bool:
    body = parse_formula(condition, model).body
    assert isinstance(body, Formula)
    return Semantics(model).holds(body, state)


def test_an_alarm_can_be_missed() -> None:
    """covers: S114"""
    model = published()
    answer = ask(model, query("memory-less"), tuning(model))
    confirmed(answer, model, MISSED)


@pytest.mark.parametrize("name", ["losing", "strong"])
def test_the_other_published_queries_are_true_too(name: str) -> None:
    """covers: S114"""
    model = published()
    (answer,) = check(model, [parse_formula(query(name), model)], engine="explicit")
    confirmed(answer, model, MISSED)
    assert answer.witness is not None
    states = run(answer.witness)
    if name == "strong":
        assert not any(holds(model, ALARM, state) for state in states)
    else:
        *_, before, last = [state for state in states if holds(model, DONE, state)]
        assert last == states[-1]
        assert holds(model, SEPARATE, before)


def run(witness: Witness) -> list[tuple[int, ...]]:
    """The states of a path and of what branches off at its end."""
    states = list(witness.states)
    while witness.branches:
        (branch,) = witness.branches
        assert branch.at == len(witness.states) - 1
        witness = branch.witness
        states += witness.states[1:]
    return states


def test_an_alarm_on_closing_in_leaves_no_crossing_unwarned() -> None:
    """Scenario 2. Alarms change no motion, so it was the only one that the query found.

    covers: S115
    """
    model = published()
    crossing = query("losing", also=SCENARIOS["crossing"])
    (before,) = check(model, [parse_formula(crossing, model)], engine="explicit")
    confirmed(before, model, f"{MISSED} && {SCENARIOS['crossing']}")
    fixed = monitor(1, GRID, alarms=FIXED)
    quick = replace(tuning(fixed), ctl="forward", witnesses=False)
    assert ask(fixed, query("losing"), quick).verdict == "false"


def test_vehicles_that_are_taken_for_aircraft_chase_nobody_unwarned() -> None:
    """Scenario 5: while ownship takes off, another one goes with it, faster and faster.

    covers: S116
    """
    vehicles = monitor(1, GRID, vehicles=True)
    chasing = CHASING.format(straight=1, fast=ZERO + 1)
    (answer,) = check(
        vehicles, [parse_formula(query("strong", also=chasing), vehicles)], engine="explicit"
    )
    assert answer.verdict == "true"
    for model, verdict in ((vehicles, "true"), (published(), "false")):
        silent = unwarned(model)
        found = ask(silent, query("memory-less", also=chasing), tuning(silent))
        assert found.verdict == verdict


def test_one_class_of_missed_alarms_is_found_after_the_other() -> None:
    """Each class is masked when it was found, until none is left.

    covers: S117
    """
    model = unwarned(monitor(1, (2, 2, 2)))
    found = list(classes(model, "memory-less", tuning=tuning(model)))
    names = [title for title, _ in found]
    assert len(names) > 1
    assert len(set(names)) == len(names)
    assert {"crossing", "taxiing"} <= set(names)
    masked: list[str] = []
    for title, answer in found:
        confirmed(answer, model, MISSED)
        assert answer.witness is not None
        last = last_state(answer.witness)
        assert holds(model, SCENARIOS[title], last)
        assert not any(holds(model, mask, last) for mask in masked)
        masked.append(SCENARIOS[title])


def test_false_alarms_are_found_too() -> None:
    """With three boxes along the runway nobody comes closer without coming too close.

    covers: S118
    """
    model = published()
    assert ask(model, query("false alarm"), tuning(model)).verdict == "false"
    longer = monitor(1, (2, 4, 2))
    (answer,) = check(longer, [parse_formula(query("needless alarm"), longer)], engine="explicit")
    confirmed(answer, longer, FALSE_ALARM)
