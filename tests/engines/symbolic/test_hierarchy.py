"""Diagrams that keep the hierarchy of a model: the same answers, other sizes."""

import json
from dataclasses import replace
from decimal import Decimal
from functools import cache
from itertools import pairwise
from pathlib import Path

import jsonschema
import pytest
from tests.cli.command import Command
from tests.models.test_library_counts import SMALL

import plait.report
from plait import passes
from plait.engines import check, states
from plait.engines.budget import Budget
from plait.engines.symbolic.hierarchical import Hierarchical
from plait.engines.symbolic.hierarchy import Encoding, UnsupportedError
from plait.engines.symbolic.tuning import Strategy, Tuning
from plait.errors import ModelError
from plait.lang import load
from plait.lang.gal import parse
from plait.model.types import Domain, ElementaryType, Model
from plait.model.vast import is_vast
from plait.models import ENTRIES, counts
from plait.passes.grouping import Grouping
from plait.report.answer import StateSpace

BOTH: tuple[Strategy, ...] = ("saturation", "rounds")
SCHEMAS = Path(plait.report.__file__).parent / "schema"


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """`plait ARGUMENTS` in this process."""
    return Command(capsys)


GROUPINGS = [
    Grouping(),
    Grouping("blocks", 2),
    Grouping("blocks", 5),
    Grouping("recursive", 2),
    Grouping("recursive", 3),
    Grouping("shallow", 2),
    Grouping("shallow", 4),
]
HIERARCHICAL = {
    name: [
        v
        for v in ENTRIES[name].variants
        if v in ("folded", "composite", "scalar", "circular", "groups")
    ]
    for name in SMALL
}
"""The variants of the library that have parts."""


def counted(name: str, n: int, grouping: Grouping, variant: str | None = None) -> StateSpace:
    entry = ENTRIES[name]
    model = entry.model(n, variant or entry.variants[0])
    return states(model, engine="symbolic", tuning=Tuning(grouping=grouping))


@cache
def flat_states(name: str, n: int, variant: str) -> StateSpace:
    return states(ENTRIES[name].model(n, variant), engine="symbolic")


@pytest.mark.parametrize("grouping", GROUPINGS, ids=str)
def test_the_models_of_the_library_have_the_same_states_with_every_hierarchy(
    grouping: Grouping,
) -> None:
    """covers: I79, I84, I86"""
    seen = 0
    for name, variants in HIERARCHICAL.items():
        for variant in variants:
            for n in SMALL[name]:
                space = counted(name, n, grouping, variant)
                flat = flat_states(name, n, variant)
                assert (space.states, space.deadlocks) == (flat.states, flat.deadlocks)
                assert space.max_value == flat.max_value
                assert not any("hierarchy" in note for note in space.notes)
                seen += 1
    assert seen > 10


def test_nodes_grow_by_a_constant_for_each_doubling() -> None:
    """Final and peak; covers: I13"""
    spaces = [counted("doubled-philosophers", n, Grouping()) for n in range(3, 12)]
    for key in ("final_nodes", "peak_nodes"):
        nodes = [int(str(s.stats[key])) for s in spaces]
        assert len({b - a for a, b in pairwise(nodes)}) == 1
    assert [s.states for s in spaces] == [counts.doubled_philosophers(n) for n in range(3, 12)]
    assert {s.deadlocks for s in spaces} == {2}


def test_two_to_the_thousandth_philosophers_are_counted() -> None:
    """L(3 * 2^1000) states: the magnitude, and the exact number modulo primes."""
    space = counted("doubled-philosophers", 1000, Grouping())
    assert space.complete
    assert space.states is None
    assert space.magnitude is not None
    told = Decimal(space.magnitude.mantissa).scaleb(space.magnitude.exponent)
    assert abs(told / counts.doubled_philosophers_log10(1000) - 1) < Decimal("1e-9")
    assert space.deadlocks == 2
    assert int(str(space.stats["final_nodes"])) < 10_000


@pytest.mark.parametrize("modulus", [2**61 - 1, 1_000_000_007, 97])
def test_the_number_of_two_to_the_thousandth_philosophers_is_right(modulus: int) -> None:
    encoding = Encoding(ENTRIES["doubled-philosophers"].model(1000, "folded"), Grouping())
    encoding.encode()
    reached = encoding.reachable()
    expected = counts.doubled_philosophers_modulo(1000, modulus)
    assert encoding.core.count_modulo(reached, modulus) == expected


def test_numbers_are_exact_as_long_as_they_can_be_written() -> None:
    space = counted("doubled-philosophers", 16, Grouping())
    assert space.states == counts.doubled_philosophers(16)
    assert space.magnitude is None


def test_a_thousand_voters_need_few_nodes_when_they_are_grouped() -> None:
    """2^1000 states; the encodings are ranked as published; covers: I87, I88"""
    sizes = {}
    styles = (Grouping("blocks", 5), Grouping("recursive", 5), Grouping("shallow", 5))
    for grouping in (Grouping(), *styles):
        space = counted("voters", 1000, grouping)
        assert space.states == 2**1000
        assert space.deadlocks == 1
        sizes[grouping.style] = int(str(space.stats["final_nodes"]))
    assert sizes == {"declared": 1001, "blocks": 206, "recursive": 21, "shallow": 21}


def test_a_hundred_thousand_philosophers_of_the_contest_are_counted_exactly() -> None:
    """3^100000 states, 1.335e47712: a regular encoding has few nodes; covers: I149"""
    space = counted("contest-philosophers", 100_000, Grouping("recursive"), "circular")
    assert space.states == 3**100_000
    assert int(str(space.stats["final_nodes"])) < 500


def test_sequences_of_choices_are_not_multiplied_out() -> None:
    """Thirty-six synchronisations for 3^12 outcomes; covers: I81"""
    answers = [(i, label) for i in range(12) for label in "abc"]
    text = """
    gal cell {
      int x = 0 ;
      transition a [x == 0] label "a" { x = 1 ; }
      transition b [x == 0] label "b" { x = 2 ; }
      transition c [x == 0] label "c" { x = 3 ; }
    }
    composite row {
    """
    text += "".join(f"cell p{i} ; " for i in range(12))
    text += "".join(
        f'synchronization s{i}{label} label "l{i}" {{ p{i}."{label}" ; }} ' for i, label in answers
    )
    text += "synchronization go { " + "".join(f'self."l{i}" ; ' for i in range(12)) + "} }"
    model = parse(text + " main row ;", "row")
    flat = passes.flat(model).model
    assert isinstance(flat.system, ElementaryType)
    assert len(flat.system.events) <= 2 * len(answers) + 1
    for tuning in (Tuning(), Tuning(grouping=Grouping())):
        space = states(model, engine="symbolic", tuning=tuning)
        assert space.states == 3**12 + 1
        # Deadlocks of a hierarchy are found by words of labels, and here there are too many.
        assert space.deadlocks == (3**12 if tuning.grouping is None else None)
        assert int(str(space.stats["peak_nodes"])) < 2000


@pytest.mark.parametrize("name", ["PhiloFork.gal", "frogs.gal", "train4.mod.gal", "phils.mod.gal"])
def test_published_composites_have_the_same_states(name: str, data: Path) -> None:
    """covers: I84"""
    model = load(data / "gal" / "cgal" / name)
    kept = states(model, engine="symbolic", tuning=Tuning(grouping=Grouping()))
    flat = states(model, engine="symbolic")
    assert kept.complete
    assert kept.states == flat.states
    assert kept.deadlocks in (None, flat.deadlocks)


def with_domain(model: Model, name: str, domain: Domain) -> Model:
    """The model with a domain for the first variable of a type."""
    type_ = model.type(name)
    assert isinstance(type_, ElementaryType)
    bounded = replace(type_, variables=(replace(type_.variables[0], domain=domain),))
    return replace(model, types=tuple(bounded if t is type_ else t for t in model.types))


@pytest.mark.parametrize("strategy", BOTH)
def test_a_part_that_leaves_its_domain_is_an_error_that_names_the_event(strategy: Strategy) -> None:
    text = """
    gal cell { int x = 0 ; transition up [true] label "up" { x = x + 1 ; } }
    composite pair { cell a ; cell b ; synchronization go { a."up" ; b."up" ; } }
    main pair ;
    """
    model = with_domain(parse(text, "cells"), "cell", Domain(0, 3))
    with pytest.raises(ModelError, match="event up assigns a value outside the domain"):
        Hierarchical(model, Grouping(), Tuning(strategy=strategy)).states(Budget())


@pytest.mark.parametrize("strategy", BOTH)
@pytest.mark.parametrize("parts", ["cell a ; stuck b ;", "stuck b ; cell a ;"])
def test_what_would_go_wrong_after_a_step_that_nobody_takes_is_no_error(
    parts: str, strategy: Strategy
) -> None:
    text = f"""
    gal cell {{
      int x = 0 ;
      transition go [x == 0] label "go" {{ x = 1 ; }}
      transition away [x == 1] {{ x = 2 ; }}
    }}
    gal stuck {{ int y = 0 ; transition never [y == 1] label "never" {{ y = 0 ; }} }}
    composite pair {{ {parts} synchronization go {{ a."go" ; b."never" ; }} }}
    main pair ;
    """
    model = with_domain(parse(text, "cells"), "cell", Domain(0, 1))
    space = Hierarchical(model, Grouping(), Tuning(strategy=strategy)).states(Budget())
    assert (space.complete, space.states) == (True, 1)


def test_labels_without_answer_block_a_synchronisation_and_two_answers_are_a_choice() -> None:
    """covers: I79, I80"""
    text = """
    gal cell {
      int x = 0 ;
      transition one [x == 0] label "go" { x = 1 ; }
      transition two [x == 0] label "go" { x = 2 ; }
      transition never [false] label "never" { x = 3 ; }
    }
    composite pair {
      cell a ; cell b ;
      synchronization both { a."go" ; b."go" ; }
      synchronization no { a."go" ; b."never" ; }
    }
    main pair ;
    """
    space = states(parse(text, "cells"), engine="symbolic", tuning=Tuning(grouping=Grouping()))
    assert (space.states, space.deadlocks) == (5, 4)


def test_time_passes_for_the_main_type_alone() -> None:
    """`elapse` of the main type happens on its own, that of a part only when it is called."""
    text = """
    gal clock {
      int t = 0 ;
      transition tick [t < 3] label "elapse" { t = t + 1 ; }
    }
    composite pair {
      clock a ; clock b ;
      synchronization tick label "elapse" { a."elapse" ; b."elapse" ; }
    }
    main pair ;
    """
    space = states(parse(text, "cells"), engine="symbolic", tuning=Tuning(grouping=Grouping()))
    assert (space.states, space.deadlocks) == (4, 1)


def test_memory_and_time_end_a_computation_without_an_answer() -> None:
    model = ENTRIES["doubled-philosophers"].model(200, "folded")
    space = Hierarchical(model, Grouping()).states(Budget(timeout=0.0))
    assert (space.complete, space.reason) == (False, "timeout")


def test_the_command_tells_the_magnitude(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "table.gal"
    path.write_text(command("models", "write", "doubled-philosophers", "-n", "300").out)
    text = command("states", path, "-q")
    assert text.status == 0
    log10 = counts.doubled_philosophers_log10(300)
    assert f"about 10^{log10:.5e}".replace("e+", "e") in text.out
    document = json.loads(command("states", path, "-q", "--json", "-").out)
    jsonschema.validate(document, json.loads((SCHEMAS / "states.json").read_text()))
    assert document["states"] is None
    told = Decimal(document["magnitude"]["mantissa"]).scaleb(document["magnitude"]["exponent"])
    assert abs(told / log10 - 1) < Decimal("1e-9")


def test_the_command_takes_a_hierarchy_and_its_width(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "hall.gal"
    path.write_text(command("models", "write", "voters", "-n", "100").out)
    for name in ("declared", "blocks:5", "recursive", "recursive:4", "shallow:3"):
        out = command("states", path, "-q", "--engine", "symbolic", "--hierarchy", name).out
        assert f"{2**100:,}" in out
        assert f"hierarchy {name}" in out
    for wrong in ("recursive:1", "recursive:x", "deep"):
        assert command("states", path, "--hierarchy", wrong).status == 2


def test_only_models_with_very_many_parts_keep_their_hierarchy_unasked() -> None:
    assert is_vast(ENTRIES["doubled-philosophers"].model(14, "folded"))
    assert not is_vast(ENTRIES["doubled-philosophers"].model(5, "folded"))
    assert not is_vast(ENTRIES["philosophers"].model(1000, "flat"))
    space = states(ENTRIES["doubled-philosophers"].model(14, "folded"))
    assert (space.states, space.deadlocks) == (counts.doubled_philosophers(14), 2)


def test_what_the_encoding_cannot_say_is_answered_by_the_flat_engine() -> None:
    text = """
    gal cell {
      int x = 0 ;
      transition up [x < 2] label "up" { fixpoint { if (x < 2) { x = x + 1 ; } } }
    }
    composite pair { cell a ; cell b ; synchronization go { a."up" ; b."up" ; } }
    main pair ;
    """
    model = parse(text, "cells")
    with pytest.raises(UnsupportedError):
        Encoding(model, Grouping())
    space = states(model, engine="symbolic", tuning=Tuning(grouping=Grouping()))
    assert space.states == states(model, engine="explicit").states == 2
    assert any("hierarchy is not kept" in note for note in space.notes)


def test_deadlocks_are_found_where_nothing_can_be_flattened() -> None:
    model = ENTRIES["doubled-philosophers"].model(100, "folded")
    (answer,) = check(model)
    assert (answer.property.kind, answer.verdict, answer.witness) == ("deadlock", "false", None)
    assert any("no trace" in note for note in answer.notes)
