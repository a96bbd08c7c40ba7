"""Random Promela texts with loops inside blocks: compiled, interpreted, and the reference."""

import pytest
from tests.differential.blocks import SOAK, SOAK_FIRST, blocks

from plait.engines import Method, states
from plait.errors import ModelError
from plait.lang.promela import parse
from plait.testing.choices import Seeded
from plait.testing.random_loops import loops


def compare(seed: int) -> bool:
    """Whether the text could be executed, and all agree on it."""
    model = parse(loops(Seeded(seed)), f"loops_{seed}")
    found = {}
    for successors in ("interpreted", "compiled"):
        method = Method(threads=1, successors=successors)
        try:
            space = states(model, engine="explicit", method=method)
        except ModelError as failure:
            found[successors] = [str(failure)]
            continue
        found[successors] = [space.states, space.arcs, space.deadlocks, space.notes]
        assert bool(space.stats.get("compiled_events")) == (successors == "compiled")
    assert found["compiled"] == found["interpreted"], loops(Seeded(seed))
    if len(found["compiled"]) == 1:
        with pytest.raises(ModelError):
            states(model, engine="reference")
        return False
    expected = states(model, engine="reference")
    figures = [expected.states, expected.arcs, expected.deadlocks]
    assert found["compiled"][:3] == figures, loops(Seeded(seed))
    return True


@blocks(0, 60, 20)
def test_compiled_loops_have_the_states_of_the_interpreter_and_the_reference(seeds: range) -> None:
    assert sum(map(compare, seeds)) >= 10


@pytest.mark.soak
@blocks(SOAK_FIRST, SOAK // 20, 100)
def test_more_compiled_loops_have_the_states_of_the_interpreter(seeds: range) -> None:
    assert sum(map(compare, seeds)) >= 50
