"""State spaces counted by a lumped net have the figures that exploring the net itself gives."""

from random import Random

import pytest

from plait.engines import rounds, states
from plait.engines.budget import Budget
from plait.engines.prepared import prepare
from plait.engines.symbolic import counted, reach
from plait.engines.symbolic.counted import Counted, NotCountable, lumped_net
from plait.engines.symbolic.engine import Symbolic
from plait.engines.symbolic.tuning import Tuning
from plait.errors import LimitReached
from plait.lang.gal import parse
from plait.model.arithmetic import INT_MAX
from plait.model.net import Net, NetEvent, Place, Row, as_model
from plait.model.types import Model
from plait.models import fms, kanban, philosophers
from plait.report.answer import StateSpace
from plait.report.text import states_lines


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lump at once, however little that helps."""
    monkeypatch.setattr(counted, "WORTH", 0.99)
    monkeypatch.setattr(reach, "attempts", _looking_first(reach.attempts))


def _looking_first(attempts):
    def looking(prepared, tuning, budget, look=None, *, brief=False):
        if look is not None:
            look()
        return attempts(prepared, tuning, budget, brief=brief)

    return looking


def figures(space: StateSpace) -> tuple[object, ...]:
    assert space.complete
    return space.states, space.arcs, space.deadlocks, space.max_value, space.max_sum


def both(model: Model) -> tuple[StateSpace, StateSpace]:
    """By the lumped net, and state by state."""
    lumped = Symbolic(model).states(Budget())
    return lumped, states(model, engine="explicit")


def worked_net(random: Random) -> Net:
    """Parts that workers move on, with forks and joins that lumping leaves."""
    count = random.randint(5, 9)
    places = tuple(Place(f"p{i}", random.choice([0, 0, 1, 2, 3])) for i in range(count))
    events: list[NetEvent] = []

    def add(pre: list[int], post: list[int]) -> None:
        rows = (tuple(sorted((p, row.count(p)) for p in set(row))) for row in (pre, post))
        events.append(NetEvent(f"t{len(events)}", *rows))

    for _ in range(random.randint(2, 5)):
        x, m, p, y = random.sample(range(count), 4)
        match random.randrange(4):
            case 0:
                add([x], [y])
            case 1:
                add([x, m], [p])
                add([p], [y, m])
            case 2:
                add([x], [p, y])
                add([p, y], [m])
            case _:
                add([x, y], [p, m])
    return Net("worked", places, tuple(events))


@pytest.mark.usefixtures("eager")
def test_figures_of_random_nets_are_those_of_the_states_one_by_one() -> None:
    random, compared, partly, stuck = Random(3), 0, 0, 0
    while compared < 20:
        net = worked_net(random)
        model = as_model(net)
        one_by_one = states(model, engine="explicit", budget=Budget(states=2000))
        if not one_by_one.complete:
            continue
        space = Symbolic(model).states(Budget())
        if "lumped_places" not in space.stats:
            continue
        compared += 1
        partly += space.stats["lumped_places"] != 0
        assert space.states == one_by_one.states, net
        for name in ("arcs", "max_value", "max_sum"):
            assert getattr(space, name) in (getattr(one_by_one, name), None), (name, net)
        assert space.arcs is not None
        assert space.deadlocks == one_by_one.deadlocks, net
        stuck += one_by_one.deadlocks > 1
    assert partly > 3
    assert stuck > 3


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("model", [kanban(2), fms(2)])
def test_figures_of_the_known_nets_are_those_of_the_states_one_by_one(model: Model) -> None:
    lumped, one_by_one = both(model)
    assert lumped.stats["lumped_places"] == 0
    assert figures(lumped) == figures(one_by_one)


def test_arcs_and_greatest_values_are_found_for_thousands_of_tokens() -> None:
    prepared = prepare(kanban(2000))
    found = lumped_net(prepared, Budget())
    assert found is not None
    space = Counted(*found, Symbolic(kanban(2000)), Budget())
    # From the answers of the Model Checking Contest for Kanban-PT-02000.
    assert space.states() == 2875887617083828264033450546613401
    assert space.arcs() == 45935258493915411328232248601277400
    assert (space.max_value(), space.max_sum()) == (2000, 8000)
    assert space.deadlocks() == 0


@pytest.mark.usefixtures("eager")
def test_deadlocks_with_too_many_cases_stay_uncounted(monkeypatch: pytest.MonkeyPatch) -> None:
    places = tuple(Place(f"p{i}", n) for i, n in enumerate((2, 3, 2, 0, 0)))
    loop = NetEvent("back", ((3, 1),), ((0, 1),))
    events = (
        NetEvent("move", ((0, 1),), ((3, 1),)),
        loop,
        NetEvent("ab", ((1, 1), (2, 1)), ((4, 1),)),
    )
    model = as_model(Net("n", places, events))
    assert Symbolic(model).states(Budget()).deadlocks == 0
    without_loop = as_model(Net("n", places, (events[0], events[2])))
    assert Symbolic(without_loop).states(Budget()).deadlocks == 1
    monkeypatch.setattr(counted, "MOST_CASES", 0)
    space = Symbolic(without_loop).states(Budget())
    assert (space.complete, space.states, space.deadlocks) == (True, 9, None)


@pytest.mark.usefixtures("eager")
def test_a_model_that_does_not_lump_is_explored_as_it_is() -> None:
    space = Symbolic(philosophers(3)).states(Budget())
    assert "lumped_places" not in space.stats
    assert space.deadlocks is not None


@pytest.mark.usefixtures("eager")
def test_an_order_or_strategy_that_was_asked_for_is_used_without_lumping() -> None:
    space = Symbolic(kanban(2), tuning=Tuning(strategy="chaining")).states(Budget())
    assert "lumped_places" not in space.stats
    assert space.deadlocks == 0


@pytest.mark.usefixtures("eager")
def test_events_of_one_title_and_effect_leave_the_arcs_uncounted() -> None:
    places = tuple(Place(f"p{i}", n) for i, n in enumerate((2, 0, 1)))
    move = NetEvent("a", ((0, 1),), ((1, 1),), display="move")
    other = NetEvent("b", ((0, 1), (2, 1)), ((1, 1), (2, 1)), display="move")
    space = Symbolic(as_model(Net("n", places, (move, other)))).states(Budget())
    assert "lumped_places" in space.stats
    assert (space.states, space.arcs) == (3, None)


def test_no_table_is_made_for_millions_of_tokens() -> None:
    """A list with an entry for each number of tokens would take more than any memory."""
    ring = Net(
        "ring",
        (Place("p", 30_000_000), Place("q")),
        (NetEvent("t", ((0, 1),), ((1, 1),)), NetEvent("u", ((1, 1),), ((0, 1),))),
    )
    model = as_model(ring)
    found = lumped_net(prepare(model), Budget())
    assert found is not None
    with pytest.raises(NotCountable):
        Counted(*found, Symbolic(model), Budget())


def net_of(initial: tuple[int, ...], *events: tuple[Row, Row]) -> Net:
    places = tuple(Place(f"p{i}", n) for i, n in enumerate(initial))
    return Net("n", places, tuple(NetEvent(f"t{i}", *rows) for i, rows in enumerate(events)))


RING: tuple[tuple[Row, Row], ...] = (((0, 1),), ((1, 1),)), (((1, 1),), ((0, 1),))
"""Two places that are merged."""


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(
    "net",
    [
        pytest.param(
            net_of((1, 0, 2, 30_000_000), *RING, (((2, 1), (3, 1)), ())),
            id="the table of a place would have millions of entries",
        ),
        pytest.param(
            net_of((0, 2, 1, 0), *RING, (((0, INT_MAX), (1, 2), (2, 1)), ((3, 1),))),
            id="the weights of a merged place are no integers",
        ),
        pytest.param(
            net_of((1, 0, 1, 0, 0), *RING, (((0, INT_MAX), (1, 2), (2, 1)), ((3, 1), (4, 2)))),
            id="... of an event that never happens",
        ),
        pytest.param(
            net_of(
                (INT_MAX - 1, 0, 0, 0, 1),
                (((0, INT_MAX - 1), (4, 1)), ((1, INT_MAX - 1), (2, 2))),
                (((2, 2),), ((3, 2),)),
                (((3, 1),), ((2, 1),)),
                (((2, 1),), ((3, 1),)),
            ),
            id="merged places have more than the greatest integer",
        ),
    ],
)
def test_where_a_lumped_net_has_too_many_tokens_the_net_is_explored_as_it_is(net: Net) -> None:
    lumped, one_by_one = both(as_model(net))
    assert figures(lumped) == figures(one_by_one)


@pytest.mark.usefixtures("eager")
def test_variables_that_wrap_around_are_no_places() -> None:
    """q would be left out as a sum of others, but beyond 2^31-1 it keeps b from happening."""
    text = """gal g {{ int p = 1; int r = 0; int q = {};
        transition a [p >= 1 && q >= 1] {{ p = p - 1; r = r + 1; q = q + 3; }}
        transition b [r >= 1 && q >= 3] {{ r = r - 1; p = p + 1; q = q - 3; }} }} main g;"""
    wrapping, one_by_one = both(parse(text.format(INT_MAX - 1), "wraps.gal"))
    assert figures(wrapping) == figures(one_by_one)
    assert (wrapping.states, wrapping.arcs) == (2, 1)
    counting, one_by_one = both(parse(text.format(7), "counts.gal"))
    assert "lumped_places" in counting.stats
    assert figures(counting) == figures(one_by_one)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counting arcs takes longer than the first turn with diagrams; all turns, by their number."""
    turns: list[int] = []
    in_time = Counted.arcs

    def arcs(counted: Counted) -> int | None:
        turns.append(len(turns) + 1)
        if turns == [1]:
            raise LimitReached("timeout")
        return in_time(counted)

    monkeypatch.setattr(Counted, "arcs", arcs)
    monkeypatch.setattr(rounds, "TURNS", ((10, 2.0), *rounds.TURNS[1:]))
    return turns


def test_a_figure_that_takes_too_long_gets_a_longer_turn(eager: None, impatient: list[int]) -> None:
    model = kanban(3)
    space = states(model)
    assert impatient == [1, 2]
    assert space.engine == "symbolic"
    assert space.reason is None
    assert figures(space) == figures(states(model, engine="explicit"))


def test_figures_left_out_are_told_with_the_reason(eager: None, impatient: list[int]) -> None:
    space = states(kanban(3), engine="symbolic")
    assert space.complete
    assert space.states == 58_400
    assert space.arcs is None
    assert space.reason == "timeout"
    assert states_lines(space)[-1] == "some figures are missing: out of time"
