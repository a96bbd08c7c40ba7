"""The compiled program as others would use it: a next-state function with its dependency matrix."""

import csv
from collections import deque
from pathlib import Path

from plait._core import ProgramError
from plait.engines.explicit.dependency import dependency
from plait.errors import PlaitError
from plait.lang import load
from plait.model.types import Model
from plait.passes import flat
from plait.program import compile_model
from plait.testing.choices import Seeded
from plait.testing.mix import DEFAULT
from plait.testing.random_models import model as random_model


def explored(model: Model, limit: int = 2000) -> tuple[int, int] | None:
    """States and arcs by the next-state function alone; each arc is held against the matrix.

    An event changes only cells that the matrix says it writes, and what it does depends only on the
    cells that the matrix says it touches.
    """
    compiled = compile_model(model)
    matrix = dependency(model)
    number = {name: i for i, name in enumerate(compiled.shape.cells())}
    touched = [{number[t.cell] for t in row} for row in matrix.touches]
    written = [{number[t.cell] for t in row if t.effect != "keep"} for row in matrix.touches]
    # Several events may have one title.
    executed = [number for number, event in enumerate(compiled.events) if event.label is None]
    row_of = {number: row for row, number in enumerate(executed)}
    assert matrix.events == tuple(compiled.events[number].title for number in executed)
    first = compiled.program.initial()
    seen, queue, arcs = {first}, deque([first]), 0
    moves: dict[tuple[int, tuple[int, ...]], set[tuple[int, ...]]] = {}
    while queue:
        state = queue.popleft()
        done: dict[int, set[tuple[int, ...]]] = {row: set() for row in range(len(touched))}
        for event, successor in compiled.program.successors(state):
            row = row_of[event]
            changed = {i for i, (a, b) in enumerate(zip(state, successor, strict=True)) if a != b}
            assert changed <= written[row]
            done[row].add(tuple(successor[i] for i in sorted(touched[row])))
            arcs += 1
            if successor not in seen:
                seen.add(successor)
                queue.append(successor)
        for row, effects in done.items():
            inputs = tuple(state[i] for i in sorted(touched[row]))
            assert moves.setdefault((row, inputs), effects) == effects
        if len(seen) > limit:
            return None
    return len(seen), arcs


def test_published_models_have_their_states_by_the_next_state_function_alone(data: Path) -> None:
    """covers: I142"""
    compared = 0
    with (data / "gal" / "expected.csv").open() as rows:
        known = {
            row["model"]: int(row["expected"])
            for row in csv.DictReader(rows)
            if row["property_id"] == "STATES" and row["expected"].isdigit()
        }
    for name, expected in sorted(known.items()):
        if expected <= 1500:
            found = explored(flat(load(data / "gal" / f"{name}.gal")).model)
            assert found is not None
            assert found[0] == expected
            compared += 1
    assert compared >= 5


def test_the_matrix_of_random_models_says_what_events_touch() -> None:
    compared = 0
    for seed in range(60):
        try:
            compared += explored(flat(random_model(Seeded(seed), DEFAULT)).model, 150) is not None
        except (PlaitError, ProgramError):
            continue  # too large for a matrix, or it goes wrong when it is executed
    assert compared >= 25
