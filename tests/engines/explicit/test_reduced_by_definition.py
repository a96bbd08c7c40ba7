"""The native reduced searches against those of the reference: every counter, and trace automata."""

from itertools import product
from random import Random

import pytest
from tests.conftest import ROOT

from plait.engines import Reduction, states
from plait.engines.explicit.dependency import dependency
from plait.engines.explicit.trace_automaton import trace_automaton
from plait.errors import InputError, LimitReached
from plait.lang import load
from plait.lang.gal import parse
from plait.model.types import Model
from plait.passes import flat
from plait.reference import Semantics
from plait.reference.reduced import ReducedSearch, Relations, Run

PRESETS = ("none", "sleep", "ps", "ps+sleep", "ps+prov", "ps+sleep+prov")


def relations(model: Model) -> tuple[Relations, list[int]]:
    """The relations of a flat model, and the cells of its processes."""
    found = dependency(model)
    cells = Semantics(model).cells
    known = Relations(
        [frozenset(row) for row in found.conflict],
        [frozenset(row) for row in found.depend],
        [frozenset(row) for row in found.shared],
        found.active,
    )
    return known, [cells.index(name) for name in found.processes]


def by_reference(model: Model, preset: str, persistent: str, order: str) -> Run:
    small = flat(model).model
    known, controls = relations(small)
    words = preset.split("+")
    search = ReducedSearch(
        Semantics(small),
        known,
        lambda state, process: state[controls[process]] if process < len(controls) else 0,
        persistent=persistent if "ps" in words else None,
        sleep="sleep" in words,
        proviso="prov" in words,
    )
    return search.depth_first() if order == "dfs" else search.breadth_first()


def agree(model: Model, preset: str, persistent: str, order: str) -> Run:
    found = states(model, reduction=Reduction(preset, persistent, order))
    run = by_reference(model, preset, persistent, order)
    assert found.complete
    told = (found.states, found.arcs, found.deadlocks)
    assert told == (len(run.slept), len(run.arcs), len(run.deadlocks)), (preset, persistent, order)
    if order == "dfs":
        assert (found.stats["matched"], found.stats["depth"]) == (run.matched, run.depth)
    if "sleep" in preset:
        assert found.stats["asleep"] == run.asleep
    return run


def processes(seed: int) -> Model:
    """Three processes that go round, with variables they share."""
    random = Random(seed)
    lines = ["gal random { int x = 0; int y = 1; int z = 0; int pc0 = 0; int pc1 = 0; int pc2 = 0;"]
    for number in range(random.randint(6, 10)):
        i, source, target = number % 3, random.randrange(2), random.randrange(2)
        a, b, k = random.choice("xyz"), random.choice("xyz"), random.randrange(2)
        what = random.choice((f"{a} = {k};", f"{a} = {k};", f"{a} = 1 - {b};", ""))
        guard = random.choice(("", "", f"&& {b} == {k}", f"&& {b} != {k}"))
        head = f"transition e{number} [pc{i} == {source} {guard}]"
        lines.append(f"{head} {{ {what} pc{i} = {target}; }}")
    return parse("\n".join([*lines, "}"]), "random")


def test_all_counters_are_those_of_the_reference() -> None:
    """covers: P76, P34, P44

    Of the visits that wait until a state is left one may do nothing: those behind it must not be
    lost, which the arcs of some of these models show.
    """
    again = 0
    for seed in range(25):
        model = processes(seed)
        for preset, persistent in product(PRESETS, ("conflicts", "overman")):
            run = agree(model, preset, persistent, "dfs")
            again += sum(v.again for v in run.visits)
        agree(model, PRESETS[seed % 5], "overman", "bfs")
    assert again > 20


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("preset", PRESETS)
def test_the_philosophers_are_counted_as_the_reference_counts_them(count: int, preset: str) -> None:
    """covers: P76"""
    model = load(ROOT / "examples" / "philosophers.gal").with_constants({"N": count})
    for persistent in ("conflicts", "overman"):
        agree(model, preset, persistent, "dfs")


# --- trace automata -------------------------------------------------------------------------------


def test_the_executed_graph_is_a_trace_automaton_of_the_whole_one() -> None:
    """covers: P51"""
    for seed in range(12):
        model = processes(seed)
        whole = trace_automaton(model, Reduction("none", order="dfs"))
        for persistent in ("overman", "guards"):
            reduced = trace_automaton(model, Reduction("ps+sleep+prov", persistent, "dfs"))
            assert len(reduced.arcs) <= len(whole.arcs)
            assert reduced.automaton.missing(whole.arcs, 4) is None, (seed, persistent)


IGNORING = """gal ignoring { int a = 0; int x = 0; int b = 0; int y = 0;
    transition t1 [a == 0] { x = 1; a = 1; } transition t2 [a == 1] { x = 0; a = 0; }
    transition t3 [b == 0] { y = 1; b = 1; } }"""


def test_a_run_is_represented_by_another_order_of_its_events() -> None:
    model = parse(IGNORING, "ignoring")
    reduced = trace_automaton(model)
    for titles in (["t1", "t3", "t2"], ["t3", "t1"], ["t1", "t2", "t1", "t3"]):
        assert reduced.represents(titles)
    assert not reduced.represents(["t2"])
    assert not reduced.represents(["t3", "t3"])
    without = trace_automaton(model, Reduction("ps", order="dfs"))
    assert not without.represents(["t1", "t3"])
    with pytest.raises(InputError, match="no event 't9'"):
        reduced.represents(["t9"])
    with pytest.raises(LimitReached):
        trace_automaton(model, Reduction("none", order="dfs"), limit=2)
