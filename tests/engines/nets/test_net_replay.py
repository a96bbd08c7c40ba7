"""Runs of nets replayed as nets: what the reference says of them, right or spoiled."""

from random import Random

from tests.engines.random_runs import atom, linear
from tests.structure.random_ordinary import ordinary_net

from plait.engines import Tuning, check
from plait.engines.evidence import Evidence
from plait.engines.nets.replay import NetReplay
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.types import Model, Property
from plait.reference import ReplayError, Semantics
from plait.report.answer import Answer, Step, Witness


def walk(random: Random, net: Net, steps: int) -> Witness:
    """A run of the net, as long as it goes."""
    marking, found = net.initial, []
    for _ in range(steps):
        enabled = [e for e in net.events if e.enabled(marking)]
        if not enabled:
            break
        event = random.choice(enabled)
        marking = event.fire(marking)
        found.append(Step(event.title, marking))
    return Witness(net.initial, tuple(found))


def spoiled(random: Random, run: Witness) -> Witness:
    """The same with one token more somewhere, or with the name of another event."""
    steps = list(run.steps)
    at = random.randrange(len(steps))
    if random.random() < 0.5:
        state = list(steps[at].state)
        state[random.randrange(len(state))] += 1
        steps[at] = Step(steps[at].event, tuple(state))
    else:
        steps[at] = Step(random.choice(steps).event, steps[at].state)
    return Witness(run.initial, tuple(steps))


def test_markings_decide_properties_as_the_reference_says() -> None:
    seen = {True: 0, False: 0}
    for seed in range(120):
        random = Random(f"decides {seed}")
        net = ordinary_net(random, places=4, events=5)
        model, run = as_model(net), walk(random, net, 8)
        kinds = ("reachable", "invariant", "never", "deadlock")
        asked = [
            (Property("p", kind, None if kind == "deadlock" else atom(random, net)), length)
            for kind in kinds
            for length in range(len(run.steps) + 1)
        ]
        found = NetReplay(model).decides(asked, run)
        assert found is not None
        for (p, length), mine in zip(asked, found, strict=True):
            part = Witness(run.initial, run.steps[:length])
            assert mine == _confirms(model, p, part), (seed, p)
            seen[mine] += 1
        evidence = Evidence(model, shows_runs=False)
        answers = evidence.confirm_along(run, [(Answer(p, "true", "walk"), n) for p, n in asked])
        assert [a.replayed for a in answers] == found
        assert {a.verdict for a in answers if not a.replayed} <= {"unknown"}
    assert min(seen.values()) > 200


def test_a_run_that_nobody_sees_is_replayed_without_the_reference() -> None:
    for seed in range(40):
        random = Random(f"unseen {seed}")
        net = ordinary_net(random, places=4, events=5)
        model, run = as_model(net), walk(random, net, 8)
        if not run.steps:
            continue
        p = Property("p", "reachable", atom(random, net))
        for witness in (run, spoiled(random, run)):
            unseen = Evidence(model, shows_runs=False)
            found = unseen.confirm(Answer(p, "true", "explicit", witness=witness))
            assert (found.verdict == "true") == _confirms(model, p, witness), seed
            assert "semantics" not in vars(unseen)


def test_what_is_no_run_decides_nothing() -> None:
    refused = 0
    for seed in range(150):
        random = Random(f"spoiled {seed}")
        net = ordinary_net(random, places=4, events=5)
        model, run = as_model(net), walk(random, net, 8)
        if not run.steps:
            continue
        other = spoiled(random, run)
        p = Property("p", "reachable", atom(random, net))
        length = len(other.steps)
        mine = NetReplay(model).decides([(p, length)], other)
        assert mine == [_confirms(model, p, other)], seed
        refused += _is_no_run(model, other)
    assert refused > 50


def test_lassos_violate_formulas_as_the_reference_says() -> None:
    seen = {True: 0, False: 0}
    for seed in range(300):
        random = Random(f"lassos {seed}")
        net = ordinary_net(random, places=4, events=5)
        model, run = as_model(net), walk(random, net, 12)
        lasso = _closed(net, run)
        if lasso is None:
            continue
        body = linear(random, net, 3)
        mine = NetReplay(model).violates(body, lasso)
        assert mine == (not Semantics(model).holds_on_lasso(body, lasso)), (seed, body)
        seen[bool(mine)] += 1
        if len(lasso.steps) > 1 and _is_no_run(model, other := spoiled(random, lasso)):
            assert not NetReplay(model).violates(body, Witness(other.initial, other.steps, loop=0))
    assert min(seen.values()) > 20


def _closed(net: Net, run: Witness) -> Witness | None:
    """The run up to where it comes back to a marking, or ends."""
    states = run.states
    for end, state in enumerate(states):
        first = states.index(state)
        if first < end:
            return Witness(run.initial, run.steps[:end], loop=first)
    ended = not any(e.enabled(states[-1]) for e in net.events)
    return Witness(run.initial, run.steps, loop=len(run.steps)) if ended else None


def _confirms(model: Model, p: Property, part: Witness) -> bool:
    assert p.body is None or isinstance(p.body, Formula)
    if _is_no_run(model, part):
        return False
    return Semantics(model).decides(p, part.states[-1])


def _is_no_run(model: Model, run: Witness) -> bool:
    try:
        Semantics(model).replay(run)
    except ReplayError:
        return True
    return False


def test_sums_that_wrap_around_are_left_to_the_reference() -> None:
    """Beyond the integers the inequality of a condition is not the condition."""
    most, loop = 2**31 - 1, NetEvent("t", ((1, 1),), ((1, 1),))
    model = as_model(Net("full", (Place("p", most), Place("q", 1)), (loop,)))
    texts = ("reachable: p + p < 0", "invariant: p + q > 0", "ltl: G F p + q > 0")
    asked = [parse_formula(text, model) for text in texts]
    for shown in (True, False):
        tuning = Tuning(witnesses=shown)
        found = check(model, asked, engine="explicit", tuning=tuning)
        assert [a.verdict for a in found] == ["true", "false", "false"], shown
        assert all(a.replayed for a in found)
