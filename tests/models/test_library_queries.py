"""The CTL queries of the dissertation's tables hold in as many states as the oracles say.

Sets are restricted to the reachable states, and paths are infinite: at a deadlock EG is false.
"""

import pytest

from plait.models import ENTRIES
from plait.reference import Semantics
from plait.reference.ctl import Labelling

SIZES = [
    ("philosophers", "first_before_second", {3: 52, 4: 230, 5: 984}),
    ("philosophers", "starvation", {3: 62, 4: 282, 5: 1214}),
    ("slotted-ring", "ag_before_bf", {3: 415}),
    ("slotted-ring", "never_hg", {3: 492}),
    ("round-robin", "send_before_load", {5: 220}),
    ("round-robin", "cycles", {5: 360}),
    ("fms", "a_machine_until_all_finished", {2: 3444}),
    ("fms", "never_all_finished", {2: 3443}),
    ("leader", "elected_without_preference", {3: 391}),
    ("leader", "never_elected", {3: 777}),
]


@pytest.mark.parametrize(
    ("name", "query", "n", "size"),
    [(m, q, n, s) for m, q, sizes in SIZES for n, s in sizes.items()],
)
def test_a_query_holds_in_the_published_number_of_states(
    name: str, query: str, n: int, size: int
) -> None:
    model = ENTRIES[name].model(n)
    semantics = Semantics(model)
    graph = semantics.reachable()
    body = model.property(query).body
    labelling = Labelling(graph, semantics._atoms(graph), textbook=True)
    assert len(labelling.states(body)) == size


def test_the_queries_of_another_tool_on_the_manufacturing_system() -> None:
    """libITS publishes these answers for five parts; they are the same for two."""
    from plait.engines import check

    model = ENTRIES["fms"].model(2)
    asked = ["one_finished", "two_third_machines", "done_or_finished", "first_step", "free"]
    answers = check(model, [model.property(p) for p in asked])
    assert [a.verdict for a in answers] == ["false", "true", "true", "true", "true"]
