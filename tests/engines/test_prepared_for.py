"""A net made ready once for all that is asked about some conditions."""

from random import Random

import pytest
from tests.structure.random_ordinary import markings, ordinary_net

from plait.engines import atoms
from plait.engines import prepared as module
from plait.engines.atoms import prepared_for
from plait.engines.prepared import Prepared, prepare
from plait.lang.gal import parse
from plait.model.expr import And, Compare, Const, Deadlock, Enabled, Formula, Not, Or, Var
from plait.model.net import Net, as_model
from plait.model.types import Property
from plait.reference import Semantics


def condition(random: Random, net: Net, atoms: list[Formula], depth: int) -> Formula:
    if depth == 0:
        return random.choice(atoms)
    parts = [condition(random, net, atoms, depth - 1) for _ in range(2)]
    return random.choice([And(tuple(parts)), Or(tuple(parts)), Not(parts[0])])


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Prepared]:
    """What was made ready from the model itself."""
    found: list[Prepared] = []
    whole = module.prepare_anew

    def noted(*arguments: object) -> Prepared:
        found.append(whole(*arguments))  # type: ignore[arg-type]
        return found[-1]

    for place in (module, atoms):
        monkeypatch.setattr(place, "prepare_anew", noted)
    return found


def test_questions_made_of_known_conditions_are_the_same_in_every_state(
    made: list[Prepared],
) -> None:
    asked = 0
    for seed in range(40):
        random = Random(f"ready {seed}")
        net = ordinary_net(random, places=4, events=4)
        reached = markings(net, 60)
        if reached is None:
            continue
        model, places, events = as_model(net), net.places, net.events
        atoms: list[Formula] = [Deadlock(), Enabled((random.choice(events).name,))]
        atoms += [
            Compare(random.choice([">=", "<", "=="]), Var(p.name), Const(random.randint(0, 2)))
            for p in places[:3]
        ]
        questions = [
            Property(f"{i}", "reachable", condition(random, net, atoms, 2)) for i in range(4)
        ]
        made.clear()
        with prepared_for(model, atoms):
            ready = [prepare(model, questions[:2]), prepare(model, questions[2:])]
            assert prepare(model, [Property("ends", "deadlock")]).net is not None
        assert len(made) == 1
        for prepared, some in zip(ready, (questions[:2], questions[2:]), strict=True):
            flat = Semantics(prepared.rewritten.model)
            truth = {prepared.lift(m): m for m in flat.reachable().states}
            assert set(truth) == set(map(tuple, reached))
            for before, after in zip(some, prepared.properties, strict=True):
                for marking, small in truth.items():
                    holds = Semantics(model).holds(before.body, marking)
                    assert flat.holds(after.body, small) == holds
                    asked += 1
    assert asked > 200


def test_other_questions_and_models_are_made_ready_by_themselves(made: list[Prepared]) -> None:
    net = ordinary_net(Random("others"), places=4, events=4)
    model = as_model(net)
    known, other = (Compare(">=", Var(p.name), Const(1)) for p in net.places[:2])
    with prepared_for(model, [known]):
        prepare(model, [Property("known", "reachable", Not(known))])
        assert len(made) == 1
        prepare(model, [Property("other", "reachable", And((known, other)))])
        assert len(made) == 2
        prepare(model, [Property("most", "bounds", Var(net.places[0].name))])
        assert len(made) == 3
    prepare(model, [Property("known", "reachable", known)])
    assert len(made) == 4
    gal = parse("gal g { int x = 0; transition t [x < 3] { x = x * 2 + 1; } }", "g.gal")
    known = Compare(">=", Var("x"), Const(1))
    with prepared_for(gal, [known]):
        prepare(gal, [Property("known", "reachable", known)])
    assert len(made) == 6  # once to see that it is no net
