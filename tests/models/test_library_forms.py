"""The models of the library in their forms: nets, composites, sets, GAL and PNML."""

from dataclasses import replace

import pytest
from tests.models.test_library_counts import SMALL

from plait.engines import check, states
from plait.errors import InputError
from plait.lang import gal, pnml
from plait.model.net import Net, as_net
from plait.model.shape import shape_of
from plait.model.types import CompositeType, ElementaryType, Model
from plait.model.validate import validate
from plait.models import ENTRIES, Entry, doubled_philosophers, entry, fms, leader, philosophers
from plait.models.decomposition import by_levels
from plait.reference import Semantics

TINY = {name: [n for n in sizes if n][:2] for name, sizes in SMALL.items()}
TINY |= {"fms": [1], "kanban": [1], "producers-consumers": [1]}
FORMS = [
    (e.name, v, n)
    for e in ENTRIES.values()
    for v in e.variants
    for n in (TINY[e.name] if e.size is not None else [None])
]


def net_of(model: Model) -> Net:
    found = as_net(model)
    assert isinstance(found, Net), found
    return found


@pytest.mark.parametrize(("name", "variant", "n"), FORMS)
def test_a_model_is_sound_and_the_reference_agrees(name: str, variant: str, n: int | None) -> None:
    model = ENTRIES[name].model(n, variant)
    assert validate(model) == []
    graph, space = Semantics(model).reachable(), states(model)
    found = (len(graph.states), graph.arc_count, len(graph.deadlocks))
    assert (space.states, space.arcs, space.deadlocks) == found


def without_domains(model: Model) -> Model:
    """Domains, units and processes are no part of GAL; everything else is."""
    types = tuple(
        replace(
            t,
            variables=tuple(replace(v, domain=None) for v in t.variables),
            events=tuple(replace(e, process=None) for e in t.events),
            units=None,
            processes=(),
        )
        if isinstance(t, ElementaryType)
        else t
        for t in model.types
    )
    return replace(model, types=types)


@pytest.mark.parametrize(("name", "variant", "n"), FORMS)
def test_gal_says_all_of_a_model(name: str, variant: str, n: int | None) -> None:
    """covers: I104"""
    model = ENTRIES[name].model(n, variant)
    assert gal.parse(gal.print_model(model), model.name) == without_domains(model)


@pytest.mark.parametrize("e", ENTRIES.values(), ids=lambda e: e.name)
def test_the_variants_that_are_nets_are_those_that_the_entry_names(e: Entry) -> None:
    for variant in e.variants:
        model = e.model(variant=variant)
        found = as_net(model)
        assert isinstance(found, Net) == (variant in e.nets), (variant, found)


@pytest.mark.parametrize(("name", "variant", "n"), [f for f in FORMS if f[1] in ("flat", "groups")])
def test_pnml_keeps_the_net_and_its_levels(name: str, variant: str, n: int | None) -> None:
    model = ENTRIES[name].model(n, variant)
    if variant not in ENTRIES[name].nets:
        with pytest.raises(InputError, match="not a place/transition net"):
            pnml.print_model(model)
        return
    net = net_of(model)
    again = net_of(pnml.parse(pnml.print_model(model).encode(), "net"))
    assert again == net
    assert again.units is not None
    levels = [u for u in again.units.units if u.places]
    assert sorted(p for u in levels for p in u.places) == sorted(p.name for p in net.places)


@pytest.mark.parametrize(
    ("name", "n", "levels"),
    [
        ("philosophers", 4, 2),
        ("philosophers", 5, 3),
        ("slotted-ring", 5, 5),
        ("round-robin", 5, 6),
        ("fms", 2, 19),
        ("kanban", 2, 4),
        ("leader", 3, 6),
        ("producer-consumer", 1, 3),
    ],
)
def test_levels_are_those_of_the_tables(name: str, n: int, levels: int) -> None:
    units = net_of(ENTRIES[name].model(n)).units
    assert units is not None
    assert sum(bool(u.places) for u in units.units) == levels
    assert not units.safe


def test_an_odd_philosopher_sits_alone_at_the_bottom() -> None:
    units = net_of(philosophers(5)).units
    assert units is not None
    assert [len(u.places) for u in units.units] == [0, 6, 12, 12]


def test_numbers_of_events_are_those_of_the_tables() -> None:
    """4N, 8N, 6N, 20, 16 and N^2 + 13N."""
    found = {e.name: len(net_of(e.model(n)).events) for e, n in ((entry(m), 5) for m in EVENTS)}
    assert found == EVENTS


EVENTS = {
    "philosophers": 20,
    "slotted-ring": 40,
    "round-robin": 30,
    "fms": 20,
    "kanban": 16,
    "leader": 5 * 5 + 13 * 5,
}


# --- hierarchies ----------------------------------------------------------------------------------


def test_a_composite_by_levels_has_one_part_a_level() -> None:
    model = fms(3, "composite")
    assert isinstance(model.system, CompositeType)
    assert [i.name for i in model.system.instances] == [f"level_{k}" for k in range(1, 20)]
    local = {e.name for t in model.types[:-1] for e in t.events if e.label is None}
    assert local == set()
    assert {e.name for e in model.system.events} == {e.name for e in net_of(fms(3)).events}


def test_events_of_one_level_stay_there() -> None:
    model = fms(3, "groups")
    parts = by_levels(net_of(model))
    local = {e.name for t in parts.types[:-1] for e in t.events if e.label is None}
    assert "tM1" in local
    assert "tx" in local
    assert "tP1j" not in local
    assert states(parts).states == states(model).states


def test_properties_of_variants_have_the_same_answers() -> None:
    for name in ("philosophers", "slotted-ring", "round-robin", "fms", "kanban", "leader"):
        e = ENTRIES[name]
        n = max(TINY[name])
        verdicts = []
        for variant in e.variants:
            if not variant.startswith("flush"):
                answers = check(e.model(n, variant))
                verdicts.append([(a.property.name, a.verdict, a.value) for a in answers])
        assert all(v == verdicts[0] for v in verdicts), name


def test_thousand_doublings_are_a_thousand_types() -> None:
    model = doubled_philosophers(1000)
    assert len(model.types) == 1002
    assert shape_of(model).width == 6 * 2**1000
    text = gal.print_model(model)
    assert len(text) < 1_000_000
    assert gal.parse(text, model.name) == model


def test_the_doubled_philosophers_are_the_philosophers() -> None:
    for n in (0, 1, 2, 3):
        folded, plain = states(doubled_philosophers(n)), states(philosophers(2**n))
        assert (folded.states, folded.arcs, folded.deadlocks) == (
            plain.states,
            plain.arcs,
            plain.deadlocks,
        )


def test_a_set_is_as_small_as_its_text() -> None:
    assert gal.print_model(philosophers(1000)).count("transition ") == 4000
    assert len(gal.print_model(philosophers(100_000, "circular"))) < 2_000


# --- arguments ------------------------------------------------------------------------------------


def test_a_size_outside_the_model_is_refused() -> None:
    with pytest.raises(InputError, match="at least 2, not 1"):
        leader(1)
    with pytest.raises(InputError, match="at most 9000, not 10000"):
        doubled_philosophers(10_000)
    with pytest.raises(InputError, match="must be an integer"):
        philosophers(True)
    with pytest.raises(InputError, match="'swap' has no size"):
        entry("swap").model(3)


def test_an_unknown_name_or_variant_gets_a_suggestion() -> None:
    with pytest.raises(InputError) as problem:
        entry("philosopher")
    assert problem.value.diagnostics[0].hint == "did you mean 'philosophers'?"
    with pytest.raises(InputError) as problem:
        philosophers(3, "circle")
    assert problem.value.diagnostics[0].hint == "did you mean 'circular'?"
    with pytest.raises(InputError) as problem:
        philosophers(3, "x")
    assert problem.value.diagnostics[0].hint == "there are: flat, composite, circular"


def test_both_spellings_of_a_name_are_known() -> None:
    assert entry("slotted_ring") is entry("slotted-ring")


def test_the_library_is_part_of_the_package() -> None:
    import plait

    assert plait.System(plait.models.philosophers(4)).states().states == 322
