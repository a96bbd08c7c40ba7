"""BEEM: the models of the benchmark give the states, edges, deadlocks and verdicts published.

In CI up to 100,000 states; the larger ones with `pytest -m soak`.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from plait import engines
from plait.lang.dve import load, parse
from plait.logic.parse import parse_formula
from plait.model.expr import Const
from plait.model.node import nodes
from plait.model.shape import shape_of
from plait.model.types import ElementaryType, Model, Property
from plait.passes import flat
from plait.program import compile_model

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
BEEM = DATA / "beem-dve"
SMALL = DATA / "dve-small"
CI_STATES = 100_000
GRAPH_STATES = 5_000
"""The largest model whose graph is built state by state in CI, for components and cycles."""
GRAPH_LIMIT = 130_000
"""The same for soak runs."""
UNLIKE = "anderson.1"
"""Counted by a DiVinE in which an overflow was an error; see the test of its own below."""
SHORTER = {("rether.4", "prop1"): 71}
"""Goals that are nearer than the 72 steps published: the trace is replayed by the reference."""


# --- the published answers ------------------------------------------------------------------------


@cache
def rows(family: Path) -> dict[str, dict[tuple[str, str], str]]:
    """By model, the expected value of each examination and property."""
    found: dict[str, dict[tuple[str, str], str]] = {}
    if (family / "expected.csv").exists():
        with (family / "expected.csv").open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                answers = found.setdefault(row["model"], {})
                answers[row["examination"], row["property_id"]] = row["expected"]
    return found


@cache
def texts(path: Path, column: str) -> dict[tuple[str, str], str]:
    """The formulas of a table, by model and property."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8") as file:
        return {(r["model"], r["property_id"]): r[column] for r in csv.DictReader(file)}


def states_of(model: str) -> int:
    """The published number of states."""
    return int(rows(BEEM)[model]["StateSpace", "STATES"])


def of_size(models: list[str], limit: int) -> list[object]:
    """Models as parameters: those above the limit are for soak runs."""
    return [
        pytest.param(m, marks=[pytest.mark.soak] if states_of(m.partition("/")[0]) > limit else [])
        for m in models
    ]


def beem(model: str) -> Model:
    """The model of that name."""
    return load(BEEM / "dve" / f"{model}.dve")


# --- state spaces ---------------------------------------------------------------------------------


def sizes(model: Model) -> dict[str, int | None]:
    """What the explicit engine counts, under the names of the tables; diagrams count no levels."""
    space = engines.states(model, engine="explicit")
    assert space.complete
    depth = space.stats["depth"]
    assert isinstance(depth, int)
    return {
        "STATES": space.states,
        "PRODUCT_STATES": space.states,
        "TRANSITIONS": space.arcs,
        "DEADLOCK_STATES": space.deadlocks,
        "BFS_LEVELS": depth + 1,
    }


def agree(model: Model, published: dict[tuple[str, str], str]) -> int:
    """Hold the counts against the published ones; how many there were."""
    counted = sizes(model)
    wanted = {
        name: int(value)
        for (examination, name), value in published.items()
        if examination == "StateSpace" and name in counted
    }
    assert {name: counted[name] for name in wanted} == wanted
    return len(wanted)


@pytest.mark.parametrize(
    "model", of_size([m for m in sorted(rows(BEEM)) if m != UNLIKE], CI_STATES)
)
def test_states_edges_deadlocks_and_levels_are_those_of_beem(model: str) -> None:
    """covers: I135"""
    assert agree(beem(model), rows(BEEM)[model]) >= 1


@pytest.mark.parametrize("model", [m for m in sorted(rows(SMALL)) if m.endswith(".dve")])
def test_small_models_of_other_tools_have_their_counts(model: str) -> None:
    """covers: I135"""
    if any(examination == "StateSpace" for examination, _ in rows(SMALL)[model]):
        agree(load(SMALL / model), rows(SMALL)[model])


def test_the_published_count_of_anderson_1_takes_an_overflow_for_an_error(data: Path) -> None:
    """BEEM has 347,039 states: those without an overflow, and three states of error.

    LTSmin wraps, as we do: its product of this very model has the states that ours has.
    """
    text = (data / "beem-dve" / "dve" / f"{UNLIKE}.dve").read_text(encoding="utf-8")
    assert sizes(parse(text, UNLIKE))["STATES"] == 352_664
    text = text.replace("p1 { effect", "p1 { guard next < 255; effect")
    text = text.replace("guard my_place == 2-1;", "guard my_place == 2-1 && next >= 2;")
    assert sizes(parse(text, UNLIKE))["STATES"] == states_of(UNLIKE) - 3


# --- reachability and deadlocks -------------------------------------------------------------------


def questions(name: str, model: Model) -> Iterator[tuple[Property, bool]]:
    """The questions about a model that have an answer."""
    for (examination, asked), expected in rows(BEEM)[name].items():
        goal = texts(BEEM / "reachability-goals.csv", "predicate").get((name, asked))
        if examination == "Reachability" and goal is not None:
            yield parse_formula(f"reachable: {goal}", model, asked), expected == "TRUE"
        elif examination == "ReachabilityDeadlock":
            yield parse_formula("deadlock", model, asked), expected == "FALSE"


@pytest.mark.parametrize("name", of_size(sorted(rows(BEEM)), CI_STATES))
def test_goals_and_deadlocks_are_reached_as_published(name: str) -> None:
    model = beem(name)
    asked = list(questions(name, model))
    # A walk would find some of them sooner, but not on the shortest way.
    answers = engines.check(model, [p for p, _ in asked], engine="explicit")
    assert [a.verdict for a in answers] == [str(expected).lower() for _, expected in asked]
    for answer in answers:
        goal = answer.property.name
        length = rows(BEEM)[name].get(("Reachability", f"{goal}:shortest-path-length"))
        if length is not None:
            assert answer.witness is not None
            assert len(answer.witness.steps) == SHORTER.get((name, goal), int(length))
            assert answer.replayed


# --- components and acceptance cycles -------------------------------------------------------------


class Graph:
    """The states of a model and their successors, each a row of numbers."""

    def __init__(self, model: Model) -> None:
        rewritten = flat(model)
        program = compile_model(rewritten.model).program
        first = program.initial()
        numbers = {first: 0}
        found = [first]
        self.successors: list[list[int]] = []
        for state in found:
            after = []
            for _, target in program.successors(state):
                number = numbers.setdefault(target, len(found))
                if number == len(found):
                    found.append(target)
                after.append(number)
            self.successors.append(after)
        self.states = [rewritten.lift(s) for s in found]

    def components(self) -> list[int]:
        """The strongly connected component of each state, by Tarjan's algorithm."""
        count = len(self.successors)
        index, low, component = [0] * count, [0] * count, [-1] * count
        open_states = [0]
        index[0] = low[0] = clock = 1
        work = [(0, iter(self.successors[0]))]
        finished = 0
        while work:
            state, rest = work[-1]
            for after in rest:
                if not index[after]:
                    clock += 1
                    index[after] = low[after] = clock
                    open_states.append(after)
                    work.append((after, iter(self.successors[after])))
                    break
                if component[after] < 0:
                    low[state] = min(low[state], index[after])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[state])
                if low[state] == index[state]:
                    while component[state] < 0:
                        component[open_states.pop()] = finished
                    finished += 1
        return component

    def has_cycle_through(self, cell: int, values: set[int]) -> bool:
        """Whether some state with one of these values in a cell lies on a cycle."""
        component = self.components()
        size = Counter(component)
        return any(
            self.states[i][cell] in values and (size[component[i]] > 1 or i in after)
            for i, after in enumerate(self.successors)
        )


@pytest.mark.parametrize(
    "model",
    of_size(
        [m for m, r in sorted(rows(BEEM).items()) if ("StateSpace", "SCC_COUNT") in r],
        GRAPH_STATES,
    ),
)
def test_the_graph_has_the_components_of_beem(model: str) -> None:
    component = Graph(beem(model)).components()
    assert max(component) + 1 == int(rows(BEEM)[model]["StateSpace", "SCC_COUNT"])


@pytest.mark.parametrize(
    "model",
    [
        "ltsmin/iprotocol.2.prop4.dve",
        pytest.param("ltsmin/anderson.1.prop4.dve", marks=pytest.mark.soak),
    ],
)
def test_the_product_has_the_components_that_ltsmin_finds(model: str, data: Path) -> None:
    graph = Graph(load(data / "dve-small" / model))
    component = graph.components()
    assert max(component) + 1 == int(rows(SMALL)[model]["StateSpace", "PRODUCT_SCC_COUNT"])


def products() -> list[str]:
    """Every property with a process that accepts its violations."""
    return [f"{m}/{p}" for m, r in sorted(rows(BEEM).items()) for e, p in r if e == "LTL"]


def product(name: str) -> Model:
    """The model together with the process of its property."""
    return load(BEEM / "ltl-product" / f"{name.replace('/', '.')}.dve")


def smaller_products(limit: int) -> list[str]:
    """Those of models with fewer states."""
    return [name for name in products() if states_of(name.split("/")[0]) < limit]


@pytest.mark.parametrize("name", of_size(smaller_products(GRAPH_LIMIT), GRAPH_STATES))
def test_a_property_holds_when_the_product_has_no_acceptance_cycle(name: str) -> None:
    model, asked = name.split("/")
    together = product(name)
    (accepting,) = (p for p in type_of(together).predicates if p.name == "LTL_property.accept")
    values = {n.value for n in nodes(accepting.condition) if isinstance(n, Const)}
    cell = shape_of(together).variables["LTL_property.state"].offset
    violated = Graph(together).has_cycle_through(cell, values)
    assert violated == (rows(BEEM)[model]["LTL", asked] == "FALSE")


def test_every_product_of_beem_is_read(data: Path) -> None:
    for name in products():
        (asked,) = (p for p in product(name).properties if p.kind == "ltl")
        assert asked.name == "LTL_property"
    assert len(products()) == len(list((data / "beem-dve" / "ltl-product").glob("*.dve")))


@pytest.mark.parametrize("name", smaller_products(600))
def test_the_property_process_is_a_property_of_the_model(name: str) -> None:
    model, asked = name.split("/")
    (answer,) = engines.check(product(name))
    assert answer.verdict == rows(BEEM)[model]["LTL", asked].lower()


# --- temporal formulas ----------------------------------------------------------------------------


def formula(text: str, model: Model) -> str:
    """A formula of its-ltl: atoms `process=location` and `variable=value`, operators run together.

    `XG"P=s"` becomes `X G (P.s)`.
    """
    processes = {p.name for p in type_of(model).processes}

    def atom(found: re.Match[str]) -> str:
        name, value = found[1], found[2]
        return f" ({name}.{value}) " if name in processes else f" ({name} == {value}) "

    text = re.sub(r"[XFG]{2,}", lambda found: " ".join(found[0]), text)
    return re.sub(r'"([^"=]+)=+([^"]+)"', atom, text)


def queries() -> list[tuple[str, str]]:
    """The formulas about models that the reference can build."""
    known = texts(BEEM / "ltl-queries.csv", "formula")
    return [key for key in known if states_of(key[0]) < 800]


@pytest.mark.parametrize(("name", "asked"), queries())
def test_some_run_satisfies_a_formula_as_its_ltl_says(name: str, asked: str) -> None:
    model = beem(name)
    text = formula(texts(BEEM / "ltl-queries.csv", "formula")[name, asked], model)
    (answer,) = engines.check(model, [parse_formula(f"ltl: !({text})", model)])
    expected = rows(BEEM)[name]["LTL-exists-run", asked]
    assert answer.verdict == ("false" if expected == "TRUE" else "true")


@pytest.mark.parametrize("asked", ["ltl-1", "ltl-2"])
def test_a_formula_about_deadlocks_has_the_answer_of_spot(asked: str, data: Path) -> None:
    model = load(data / "dve-small" / "spot" / "finite.dve")
    key = "spot/finite.dve"
    text = formula(texts(SMALL / "formulas.csv", "formula")[key, asked], model)
    (answer,) = engines.check(
        model, [parse_formula(f"ltl: {text.replace('dead', 'deadlock')}", model)]
    )
    assert answer.verdict == rows(SMALL)[key]["LTL", asked].lower()


def test_the_invariants_of_ltsmin_hold_where_it_says(data: Path) -> None:
    key = "ltsmin/elevator.3.dve"
    model = load(data / "dve-small" / key)
    true, false = "elevator.3.inv", "elevator.3-false.inv"
    wanted = [rows(SMALL)[key]["Invariant", name].lower() for name in (true, false)]
    asked = [
        "invariant: Person_2.in_elevator -> !(floor_queue_2[0] == 2)",
        "invariant: floor_queue_2[0] == 2",
    ]
    answers = engines.check(model, [parse_formula(text, model) for text in asked])
    assert [a.verdict for a in answers] == wanted


def type_of(model: Model) -> ElementaryType:
    """The only type of a model read from DVE."""
    assert isinstance(model.system, ElementaryType)
    return model.system
