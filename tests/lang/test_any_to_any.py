"""A model written in another language and read again has the states that it had."""

import pytest

from plait.cli.reached_domains import with_domains
from plait.engines import Budget, states
from plait.errors import InputError, LimitReached, PlaitError
from plait.lang import nusmv
from plait.lang.dve import parse as parse_dve
from plait.lang.dve.writer import print_model as print_dve
from plait.lang.etf import parse as parse_etf
from plait.lang.etf_writer import print_model as print_etf
from plait.lang.gal import parse as parse_gal
from plait.lang.promela import parse as parse_promela
from plait.lang.promela.writer import may_fail
from plait.lang.promela.writer import print_model as print_promela
from plait.lang.smv import parse as parse_smv
from plait.model.types import Model
from plait.records import replace
from plait.testing.choices import Seeded
from plait.testing.mix import SMALL
from plait.testing.random_models import model as random_model

LANGUAGES = {
    "dve": (print_dve, parse_dve, 0),
    "etf": (print_etf, parse_etf, 0),
    "smv": (nusmv.print_model, parse_smv, 0),
    # One more state, in which the process has not begun.
    "promela": (print_promela, parse_promela, 1),
}
LIMIT = 2000
SEEDS = range(80)


def figures(model: Model) -> tuple[int | None, int | None] | None:
    try:
        found = states(model, engine="explicit", budget=Budget(timeout=20, states=LIMIT))
    except (PlaitError, LimitReached):
        return None  # it goes wrong
    return (found.states, found.deadlocks) if found.complete else None


def bounded(model: Model) -> Model | None:
    try:
        return with_domains(model, Budget(20), "any language")
    except (PlaitError, LimitReached):
        return None


@pytest.mark.parametrize("language", LANGUAGES)
def test_random_models_keep_their_states(language: str) -> None:
    """Calls, branches, computed indices that may be outside, values that are swapped."""
    write, read, more = LANGUAGES[language]
    written = refused = 0
    for seed in SEEDS:
        made = replace(random_model(Seeded(40_000 + seed), SMALL), properties=())
        expected, ready = figures(made), bounded(made)
        if expected is None or ready is None:
            continue
        if language == "promela" and may_fail(ready):
            continue  # there an undefined value is an error at run time
        try:
            text = write(ready)
        except (InputError, LimitReached):
            refused += 1
            continue
        if len(text) > 50_000:
            continue
        try:
            again = read(text, "again")
        except InputError:
            refused += 1  # the reader minds what may leave 32 bits, where that is never reached
            continue
        written += 1
        found = figures(again)
        assert found == (expected[0] + more, expected[1]), f"seed {seed}:\n{text}"
    assert written > 20, (written, refused)


INDICES = """
gal g { array [2] a = (1, 0); int i = 0; int j = 3;
  transition follow [a[a[i]] != 9 && (j > 1 || a[j] == 0)] { a[i] = j % 3; }
  transition outside [!(a[j] == 1)] { j = 0; }
  transition around [j <= 3] { j = (j + 1) % 4; i = j % 2; a[i] = i; }
  transition either [true] { if (j >= 2 || a[j] == 2) { i = 0; } else { a[j] = i; j = a[0]; } }
}"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_index_outside_its_array_is_where_a_step_is_not(language: str) -> None:
    write, read, more = LANGUAGES[language]
    model = with_domains(parse_gal(INDICES, "g"), Budget(20), language)
    expected = figures(model)
    assert expected is not None
    assert expected[0] is not None
    assert expected[0] > 20
    assert figures(read(write(model), "again")) == (expected[0] + more, expected[1])


@pytest.mark.parametrize("language", LANGUAGES)
def test_values_that_change_places_are_kept(language: str) -> None:
    text = """gal s { int x = 1; int y = 2; int z = 3; int n = 0;
      transition turn [n < 4] { n = n + 1; self."shift"; }
      transition shift_up [x < y] label "shift" { z = x + 10 * z; z = z % 10; x = y; y = z; }
      transition shift_down [x >= y] label "shift" { self."swap"; z = y; }
      transition swap [true] label "swap" { x = x + y; y = x - y; x = x - y; }
    }"""
    write, read, more = LANGUAGES[language]
    model = with_domains(parse_gal(text, "s"), Budget(20), language)
    if language == "promela":
        assert not may_fail(model)
    expected = figures(model)
    assert expected is not None
    assert expected[0] is not None
    assert figures(read(write(model), "again")) == (expected[0] + more, expected[1])
