"""State-space caching under partial-order reduction, and search without state matching."""

from itertools import pairwise
from random import Random

import pytest
from bench.reduction import philosophers

from plait.engines import Budget, Method, Reduction, check, states
from plait.engines.explicit.dependency import dependency
from plait.engines.explicit.reduction import PERSISTENT
from plait.lang.gal import parse
from plait.logic.parse import parse_formula
from plait.model.types import Model, Property
from plait.passes import flat
from plait.reference import Semantics
from plait.reference.traces import Word, members_from

PRESETS = ("none", "sleep", "ps", "ps+sleep", "ps+prov", "ps+sleep+prov", "stubborn")
DEADLOCK = Property("deadlock", kind="deadlock")


def stations(count: int, tosses: int) -> Model:
    """Each station tosses a coin some times and remembers how it fell; then it signs a common
    list, of which only the last two names are kept."""
    lines = ["gal stations { int list = 0;"]
    lines += [f"int pc{i} = 0; int h{i} = 0;" for i in range(count)]
    for i in range(count):
        lines += [
            f"transition t{i}_{k}_{b} [pc{i} == {k}] {{ h{i} = h{i} * 2 + {b}; pc{i} = {k + 1}; }}"
            for k in range(tosses)
            for b in (0, 1)
        ]
        sign = f"list = (list * 5 + {i + 1}) % 25; pc{i} = {tosses + 1};"
        lines.append(f"transition w{i} [pc{i} == {tosses}] {{ {sign} }}")
    return parse("\n".join([*lines, "}"]), "stations")


def executed(model: Model, preset: str, room: int, persistent: str = "guards") -> int:
    """The steps of a search with a cache of that size."""
    found = states(model, reduction=Reduction(preset, persistent), method=Method(cache=room))
    assert found.reason is None or found.reason.startswith("states were forgotten")
    count = found.stats["executed"]
    stored, cleared, matched = (found.stats[n] for n in ("stored", "cleared", "matched"))
    assert isinstance(count, int)
    assert isinstance(stored, int)
    assert isinstance(cleared, int)
    assert isinstance(matched, int)
    assert stored + cleared + matched == count + 1
    assert stored <= room
    return count


def test_where_coupling_is_loose_sleep_sets_make_a_cache_of_a_thirty_second_enough() -> None:
    """covers: P67"""
    model = stations(3, 2)
    whole = states(model, reduction=Reduction("ps+sleep", order="dfs"))
    assert whole.states is not None
    assert whole.arcs is not None
    room = whole.states // 32
    assert whole.arcs <= executed(model, "ps+sleep", room) < 1.1 * whole.arcs
    # Without a reduction the same cache is far too small: states are met again and again.
    plain = states(model)
    assert plain.arcs is not None
    assert executed(model, "none", room) > 10 * plain.arcs


def test_where_coupling_is_tight_a_small_cache_costs_many_visits() -> None:
    model = philosophers(6)
    whole = states(model, reduction=Reduction("ps+sleep", "overman", "dfs"))
    assert whole.states is not None
    assert whole.arcs is not None
    room = whole.states * 6 // 10
    assert executed(model, "ps+sleep", room, "overman") > 3 * whole.arcs


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_keeps_its_answers_with_a_cache(preset: str) -> None:
    """covers: P64, P73"""
    model = philosophers(4)
    asked = [
        DEADLOCK,
        parse_formula("never: pc0 == 3 && pc1 == 3 && pc2 == 3", model),
        parse_formula("reachable: pc2 == 3", model),
        parse_formula("never: pc0 == 2 && pc1 == 2", model),
    ]
    plain = check(model, asked, engine="explicit")
    for persistent in PERSISTENT:
        for room in (0, 30, 10_000):
            found = check(
                model,
                asked,
                reduction=Reduction(preset, persistent),
                method=Method(cache=room),
                budget=Budget(states=3_000),
            )
            for a, b in zip(found, plain, strict=True):
                assert a.verdict in (b.verdict, "unknown" if room < 100 else b.verdict)
                assert a.witness is None or a.replayed
    if preset != "none":
        assert any(note.startswith("reduction:") for note in found[0].notes)


def test_a_cache_that_holds_everything_counts_like_the_same_search_without_one() -> None:
    model = philosophers(5)
    for preset in PRESETS:
        stored = states(model, reduction=Reduction(preset, "overman", "dfs"))
        cached = states(model, reduction=Reduction(preset, "overman"), method=Method(cache=1000))
        assert (cached.states, cached.arcs) == (stored.states, stored.arcs)
        assert cached.deadlocks == stored.deadlocks == 1


# --- without state matching -----------------------------------------------------------------------


def straight_lines(seed: int) -> Model:
    """Processes that each do a few things once: an acyclic model."""
    random = Random(seed)
    processes = random.choice((2, 3))
    steps = {2: 4, 3: 2}[processes]
    lines = ["gal lines { int x = 0; int y = 0; int z = 0;"]
    lines += [f"int pc{i} = 0;" for i in range(processes)]
    for i in range(processes):
        for k in range(steps):
            a, b = random.choice("xyz"), random.choice("xyz")
            what = random.choice((f"{a} = {a} + 1;", f"{a} = {k};", f"{a} = {b} + 1;", ""))
            guard = random.choice(("", "", f"&& {b} < 2", f"&& {b} == 0"))
            lines.append(
                f"transition t{i}_{k} [pc{i} == {k} {guard}] {{ {what} pc{i} = {k + 1}; }}"
            )
    return parse("\n".join([*lines, "}"]), "lines")


def maximal_traces(model: Model) -> int:
    """How many classes the runs to a deadlock fall into, by exchanging neighbours."""
    small = flat(model).model
    found, execution = dependency(small), Semantics(small)
    assert [m.title for m in execution.moves] == list(found.events)

    def step(state: tuple[int, ...], event: int) -> tuple[int, ...]:
        (after,) = execution.execute(execution.moves[event], state)
        return after

    def enabled(state: tuple[int, ...]) -> list[int]:
        return [e for e, m in enumerate(execution.moves) if execution.execute(m, state)]

    def dependent(state: tuple[int, ...], a: int, b: int) -> bool:
        return b in found.conflict[a] or b not in enabled(state)

    runs: set[Word] = set()
    pending: list[tuple[Word, tuple[int, ...]]] = [((), execution.initial)]
    while pending:
        word, state = pending.pop()
        events = enabled(state)
        if not events:
            runs.add(word)
        pending.extend(((*word, e), step(state, e)) for e in events)
    traces = 0
    while runs:
        runs -= members_from(next(iter(runs)), execution.initial, step, dependent)
        traces += 1
    return traces


def test_without_state_matching_one_run_is_completed_for_each_maximal_trace() -> None:
    """covers: P38"""
    blocked, fewer = 0, 0
    for seed in range(25):
        model = straight_lines(seed)
        traces = maximal_traces(model)
        for reduction in (
            Reduction("sleep"),
            Reduction("ps+sleep"),
            Reduction("ps+sleep", "overman"),
        ):
            found = states(model, reduction=reduction, method=Method(cache=0))
            assert found.stats["completed_runs"] == traces, (seed, reduction)
            assert found.stats["stored"] == found.stats["matched"] == 0
            wasted = found.stats["blocked_runs"]
            assert isinstance(wasted, int)
            blocked += wasted
        every = states(model, method=Method(cache=0)).stats["completed_runs"]
        assert isinstance(every, int)
        fewer += traces < every
    assert blocked
    assert fewer > 10


def test_a_search_without_state_matching_ends_on_cycles_too() -> None:
    model = philosophers(2)
    found = check(model, [DEADLOCK], method=Method(cache=0), reduction=Reduction("ps+sleep"))
    assert (found[0].verdict, found[0].replayed) == ("false", True)
    assert found[0].witness is not None
    assert all(a.state != b.state for a, b in pairwise(found[0].witness.steps))
    space = states(model, method=Method(cache=0))
    assert any(note.startswith("no state matching") for note in space.notes)
