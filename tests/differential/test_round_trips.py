"""What is printed is read back as the same: models in GAL and PNML, formulas (T18)."""

from dataclasses import replace

import pytest
from blocks import SOAK, SOAK_FIRST, Record, blocks, no_failures

from plait.errors import InputError
from plait.lang import pnml
from plait.lang.gal.parser import parse
from plait.lang.gal.printer import print_model
from plait.logic.parse import parse_formula
from plait.model.net import Net, as_net
from plait.model.text import show
from plait.model.types import ElementaryType, Model, Property
from plait.model.validate import check
from plait.testing.choices import Seeded
from plait.testing.features import features
from plait.testing.findings import by_reference, differences
from plait.testing.hunt import text
from plait.testing.mix import DEFAULT, GAL, NETS
from plait.testing.random_formulas import Formulas
from plait.testing.random_models import model, observed
from plait.testing.shrink import shrink
from plait.testing.tally import Tally


def without_what_gal_cannot_say(made: Model) -> Model:
    """Domains, processes and units are no part of GAL; everything else is."""
    types = tuple(
        replace(
            t,
            variables=tuple(replace(v, domain=None) for v in t.variables),
            processes=(),
            units=None,
        )
        if isinstance(t, ElementaryType)
        else t
        for t in made.types
    )
    return replace(made, types=types)


def gal_round_trip_fails(made: Model) -> bool:
    try:
        check(made)
    except InputError:
        return False
    return not survives_gal(made)


def survives_gal(made: Model) -> bool:
    written = print_model(made)
    try:
        return parse(written, made.name) == made
    except InputError:
        return False


def gal_round_trips(seeds: range, tally: Tally) -> list[str]:
    failures = []
    for seed in seeds:
        made = without_what_gal_cannot_say(model(Seeded(seed), DEFAULT if seed % 4 else GAL))
        if {"channels", "rendezvous"} & features(made):
            continue
        tally["models"] += 1
        tally.update(f"with {name}" for name in features(made))
        if not survives_gal(made):
            smallest = shrink(made, gal_round_trip_fails)
            failures.append(f"seed {seed} is not read back as it was:\n{text(smallest)}")
    return failures


@blocks(0, 1300, 260)
def test_a_model_printed_as_gal_is_read_back_as_the_same_model(
    seeds: range, record_property: Record
) -> None:
    tally = Tally()
    no_failures(list(gal_round_trips(seeds, tally)), tally, record_property)


@pytest.mark.soak
@blocks(SOAK_FIRST, 5 * SOAK, 5000)
def test_a_model_printed_as_gal_is_read_back_as_the_same_model_at_length(
    seeds: range, record_property: Record
) -> None:
    tally = Tally()
    no_failures(list(gal_round_trips(seeds, tally)), tally, record_property)


# --- nets -----------------------------------------------------------------------------------------


@blocks(20_000, 300, 100)
def test_a_net_survives_pnml_with_its_structure_and_its_answers(
    seeds: range, record_property: Record
) -> None:
    """Model to net to PNML and back: the same net, and the reference sees the same states."""
    tally = Tally()
    failures = []
    for seed in seeds:
        made = model(Seeded(seed), NETS)
        net = as_net(made)
        assert isinstance(net, Net), f"seed {seed}: {net}\n{text(made)}"
        again = pnml.parse(pnml.print_model(made).encode(), made.name)
        back = replace(again, properties=made.properties)
        tally["models"] += 1
        tally.update(f"with {name}" for name in features(made))
        if as_net(back) != net:
            failures.append(f"seed {seed}: another net came back\n{text(made)}")
        elif seed % 3 == 0:
            found = differences(made, by_reference(made, 500), by_reference(back, 500))
            failures.extend(f"seed {seed}: {d}\n{text(made)}" for d in found)
    no_failures(failures, tally, record_property)


# --- formulas -------------------------------------------------------------------------------------


def formula_round_trips(seeds: range, each: int, tally: Tally) -> list[str]:
    failures = []
    for seed in seeds:
        choices = Seeded(seed)
        made = model(choices, GAL)
        formulas = Formulas(choices, observed(made))
        for number in range(each):
            p = formulas.property(f"f{number}", temporal=70)
            tally["formulas"] += 1
            tally[f"with {p.kind}"] += 1
            written = p.kind if p.body is None else f"{p.kind}: {show(p.body)}"
            problem = formula_problem(made, p, written)
            if problem:
                failures.append(f"seed {seed}: {written}\n  {problem}")
    return failures


def formula_problem(made: Model, p: Property, written: str) -> str | None:
    try:
        again = parse_formula(written, made, p.name)
    except InputError as failure:
        return failure.render()
    if again != p:
        return f"comes back as {'nothing' if again.body is None else show(again.body)}"
    return None


@blocks(30_000, 300, 75)
def test_a_formula_printed_is_read_back_as_the_same_formula(
    seeds: range, record_property: Record
) -> None:
    """12,000 formulas, most of them CTL and LTL."""
    tally = Tally()
    failures = formula_round_trips(seeds, 40, tally)
    no_failures(failures[:20], tally, record_property)
    assert tally["formulas"] == 40 * len(seeds)


@pytest.mark.soak
@blocks(SOAK_FIRST, SOAK // 20, 100)
def test_a_formula_printed_is_read_back_as_the_same_formula_at_length(
    seeds: range, record_property: Record
) -> None:
    tally = Tally()
    no_failures(formula_round_trips(seeds, 100, tally)[:20], tally, record_property)
