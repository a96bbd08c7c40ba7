"""The hunter itself: models are valid and varied, Hypothesis can drive them, failures shrink."""

from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from strategies import models

from plait.model.shape import shape_of
from plait.model.stmt import Assign, Fixpoint, NextCall, Send, Settle
from plait.model.types import Model
from plait.model.validate import check
from plait.testing import mix
from plait.testing.choices import Seeded
from plait.testing.features import STATEMENTS, features, parts
from plait.testing.findings import Findings, Outcome, by_reference
from plait.testing.hunt import compare, hunt
from plait.testing.random_models import model
from plait.testing.shrink import shrink, size
from plait.testing.subjects import SUBJECTS, explicit
from plait.testing.tally import Tally, merged

WRONG: Outcome = "wrong model"


def test_the_same_seed_gives_the_same_model() -> None:
    assert model(Seeded(7)) == model(Seeded(7))
    assert model(Seeded(7)) != model(Seeded(8))


def test_every_model_is_valid_and_has_an_initial_state() -> None:
    for preset in (mix.DEFAULT, mix.GAL, mix.COMPOSITES, mix.CHANNELS, mix.NETS, mix.SMALL):
        for seed in range(60):
            made = model(Seeded(seed), preset)
            check(made)
            shape = shape_of(made)
            assert len(shape.initial()) == shape.width


def test_every_feature_occurs_among_a_few_hundred_models() -> None:
    seen: set[str] = set()
    for seed in range(400):
        seen |= features(model(Seeded(seed)))
    wanted = set(STATEMENTS.values()) | {
        "arrays",
        "arrays of channels",
        "arrays of instances",
        "bindings",
        "channels",
        "composites",
        "computed indices",
        "conditions as integers",
        "counters",
        "domains",
        "elapse",
        "enabled and deadlock atoms",
        "labels with arguments",
        "parameters",
        "polls",
        "processes",
        "rendezvous",
        "rings",
        "scalar sets",
        "transient",
        "wrap-around",
    }
    assert wanted <= seen


@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(models(mix.SMALL))
def test_models_that_hypothesis_draws_agree_too(made: Model) -> None:
    safety = tuple(p for p in made.properties if p.kind not in ("ctl", "ltl"))
    asked = replace(made, properties=safety)
    failures = list(compare(asked, {"explicit": explicit}, Tally(), limit=300, shrinking=False))
    assert not failures, str(failures[0])


# --- a hunt finds what is planted -----------------------------------------------------------------


def with_one_state_too_many(made: Model, limit: int) -> Findings:
    """A subject that is wrong about models with a fixpoint."""
    found = by_reference(made, limit)
    if any(isinstance(p, Fixpoint) for p in parts(made)) and found.outcome == "complete":
        found.figures["states"] = (found.figures["states"] or 0) + 1
    found.witnesses.clear()
    return found


def test_a_planted_fault_is_found_and_shrunk_to_a_few_lines() -> None:
    faulty = {"planted": with_one_state_too_many}
    failures = list(hunt(range(60), faulty, Tally(), mix=mix.SMALL, limit=100))
    assert failures
    smallest = min(failures, key=lambda f: size(f.model))
    assert size(smallest.model) <= 12
    assert any(isinstance(p, Fixpoint) for p in parts(smallest.model))
    assert "expected 1, got 2" in str(smallest)
    assert "fixpoint" in str(smallest)


def test_a_crash_is_a_failure_with_its_seed() -> None:
    def crashes(made: Model, limit: int) -> Findings:
        raise ZeroDivisionError("planted")

    failures = list(hunt(range(3), {"crashing": crashes}, Tally(), mix=mix.NETS, limit=100))
    assert failures
    assert "ZeroDivisionError: planted" in str(failures[0])
    assert f"seed {failures[0].seed}" in str(failures[0])


def test_a_search_that_dives_may_miss_an_error_before_its_limit_but_not_call_the_model_right() -> (
    None
):
    seeds = range(100)
    wrong = [m for m in (model(Seeded(s)) for s in seeds) if by_reference(m, 100).outcome == WRONG]

    def says(outcome: Outcome) -> list[str]:
        said = {"says": lambda *_: Findings(outcome)}
        found = (compare(m, said, Tally(), limit=100, shrinking=False) for m in wrong)
        return [str(failure) for failures in found for failure in failures]

    assert wrong
    assert not says("too large")
    assert len(says("complete")) == len(wrong)


def test_shrinking_keeps_what_fails_and_drops_the_rest() -> None:
    def has_a_send(made: Model) -> bool:
        return any(isinstance(p, Send) for p in parts(made))

    made = next(m for m in (model(Seeded(s), mix.CHANNELS) for s in range(50)) if has_a_send(m))
    small = shrink(made, has_a_send)
    assert has_a_send(small)
    assert size(small) < 10 < size(made)


# --- counting -------------------------------------------------------------------------------------


def test_a_tally_counts_what_was_compared() -> None:
    tally = Tally()
    assert not list(hunt(range(5), {"explicit": SUBJECTS["explicit"]}, tally, mix=mix.NETS))
    assert tally["models"] + tally["models too large"] == 5
    assert tally["verdicts"] == tally["verdicts true"] + tally["verdicts false"] > 0
    assert f"{tally['verdicts']} verdicts compared" in tally.report()


def test_tallies_add_up() -> None:
    assert merged([{"models": 2}, {"models": 3, "verdicts": 1}]) == {"models": 5, "verdicts": 1}


def test_no_language_writes_what_only_passes_make() -> None:
    for seed in range(100):
        made = list(parts(model(Seeded(seed))))
        assert not any(isinstance(p, Settle) for p in made)
        assert any(isinstance(p, Assign | NextCall) for p in made)
