"""A component and its decomposition are one system, whatever partition is asked for."""

from dataclasses import replace
from pathlib import Path

import pytest

from plait import passes
from plait.cli.main import run
from plait.engines import check as ask
from plait.engines import states
from plait.errors import LimitReached, PlaitError
from plait.lang import load
from plait.lang.gal import parse, print_model
from plait.model.types import CompositeType, ElementaryType, Model, Unit, Units
from plait.model.validate import check
from plait.passes.decompose import Part, by_units, decompose
from plait.reference import Semantics
from plait.testing.choices import Choices, Seeded
from plait.testing.mix import COMPOSITES, DEFAULT, NETS, SMALL, Mix
from plait.testing.random_models import model as random_model

TEXT = """gal g {
  int a = 0; int b = 0; int c = 0; array [3] t = (1, 2, 0); array [2] u = (0, 1);
  transition local [a < 2] { a = a + 1; }
  transition both [a > 0 && c < 2] { a = a - 1; c = c + 1; t[0] = 3; }
  transition mixed [a + b < 3] { b = 1; }
  transition indexed [c == 1] { u[c] = 0; t[1] = t[2]; }
  transition calls [c == 2] { self."l"; c = 0; }
  transition one [b == 1] label "l" { b = 0; t[0] = 1; }
  transition two [a == 0] label "l" { t[0] = 2; }
}
property p [reachable] : a == 2 && t[0] == 3 && u[1] == 0;
property q [bounds] : a + b + c + t[0];
"""


def wish(choices: Choices, cells: list[str], depth: int) -> Part:
    """A random hierarchy over some of the cells."""

    def part(name: str, cells: list[str], depth: int) -> Part:
        if depth == 0 or len(cells) < 2:
            return Part(name, tuple(cells))
        heaps: list[list[str]] = [[] for _ in range(choices.integer(1, 4))]
        for cell in cells:
            choices.pick(heaps).append(cell)
        own, *others = heaps
        inside = (part(f"{name}{k}", h, depth - 1) for k, h in enumerate(others) if h)
        return Part(name, tuple(own), tuple(inside))

    return part("p", [c for c in cells if choices.integer(0, 9)], depth)


def same(model: Model, part: Part, limit: int = 300) -> Model | None:
    """The decomposed model after its states and verdicts were compared; None: too large."""
    flat = passes.flat(model, reduce=False).model
    made = decompose(flat, part)
    check(made.model)
    before, after = Semantics(flat), Semantics(made.model)

    def patience(states: int) -> None:
        if before.effort > 20_000:
            raise LimitReached(f"much work for {states} states")

    try:
        whole = before.reachable(limit, patience)
    except PlaitError:
        return None
    parts = after.reachable(limit)
    assert {made.lift(s) for s in parts.states} == set(whole.states)
    assert len(parts.states) == len(whole.states)
    assert parts.arc_count == whole.arc_count
    assert len(parts.deadlocks) == len(whole.deadlocks)
    for asked, qualified in zip(flat.properties, made.model.properties, strict=True):
        one = before.check(asked, graph=whole)
        other = after.check(qualified, graph=parts)
        assert (one.verdict, one.value) == (other.verdict, other.value), asked.name
    return made.model


def test_what_occurs_together_shares_a_part_and_the_rest_is_cut() -> None:
    """covers: I121, I123"""
    model = same(parse(TEXT, "g.gal"), Part("g"))
    assert model is not None
    leaves = {
        tuple(v.name for v in t.variables) for t in model.types if isinstance(t, ElementaryType)
    }
    # a + b and u[c] are read at one go, t[1] = t[2] too; u is used with a computed index.
    assert leaves == {("a", "b"), ("c", "u"), ("t_0",), ("t_1", "t_2")}
    free = {e.name: t.name for t in model.types for e in t.events if e.label is None}
    assert free["local"] == free["mixed"] == "a_part"
    assert free["both"] == free["calls"] == free["indexed"] == "g"


def test_a_partition_and_a_hierarchy_are_kept_where_that_is_sound() -> None:
    """covers: I121"""
    inner = Part("inner", (), (Part("left", ("a",)), Part("right", ("c", "t[0]"))))
    model = same(parse(TEXT, "g.gal"), Part("top", ("t[1]",), (inner,)))
    assert model is not None
    types = {t.name: t for t in model.types}
    top, below = types["top"], types["inner_part"]
    assert isinstance(top, CompositeType)
    assert isinstance(below, CompositeType)
    assert [i.name for i in top.instances] == ["inner", "cells"]
    assert [i.name for i in below.instances] == ["left", "right"]
    assert "both" in {e.name for e in below.events if e.label is None}
    assert parse(print_model(model), model.name) == model


def test_what_stands_before_a_call_happens_before_it() -> None:
    """`l` needs what was assigned before its call, and must not see what comes after it."""
    text = """gal g { int a = 0; int b = 0; int c = 0;
      transition e [b < 2] { a = 1; self."l"; a = 0; c = 2; }
      transition one [a == 1] label "l" { b = b + 1; c = 1; }
      transition two [c == 2] label "l" { a = 1; b = 2; } }"""
    model = same(parse(text, "g.gal"), Part("g"))
    assert model is not None
    assert len(Semantics(model).reachable().states) == 3


def test_the_decomposition_is_explored_with_its_hierarchy() -> None:
    model = parse(TEXT, "g.gal")
    made = decompose(passes.flat(model, reduce=False).model, Part("g")).model
    counts = {states(m, engine=e).states for m in (model, made) for e in ("explicit", "symbolic")}
    assert len(counts) == 1
    assert [a.verdict for a in ask(made)] == [a.verdict for a in ask(model)]


@pytest.mark.parametrize("mix", [SMALL, DEFAULT, COMPOSITES, NETS], ids=["a", "b", "c", "d"])
def test_random_hierarchies_of_random_models_change_nothing(mix: Mix) -> None:
    """Arrays, calls, calls in blocks, fixpoints, transient states, parts of parts.

    covers: I124
    """
    compared = cut = 0
    for seed in range(40):
        choices = Seeded(seed)
        model = random_model(choices, mix)
        safety = tuple(p for p in model.properties if p.kind not in ("ctl", "ltl"))
        flat = passes.flat(replace(model, properties=safety), reduce=False).model
        cells = list(Semantics(flat).shape.cells())
        made = same(flat, wish(choices, cells, choices.integer(0, 3)), 100)
        compared += made is not None
        cut += made is not None and len(made.types) > 2
    assert compared >= 18
    assert cut >= 10


def test_units_inside_units_become_parts_inside_parts() -> None:
    """covers: I122"""
    units = Units(
        "root",
        (
            Unit("root", (), ("one", "two")),
            Unit("one", ("a",), ("deep",)),
            Unit("deep", ("b",)),
            Unit("two", ("c",)),
        ),
    )
    assert by_units(units) == Part(
        "root",
        (),
        (Part("one", ("a",), (Part("deep", ("b",)),)), Part("two", ("c",))),
    )


def test_a_published_net_is_cut_into_its_units(data: Path) -> None:
    """covers: I122"""
    net = load(data / "mcc" / "AutoFlight-PT-02a" / "model.pnml")
    (system,) = net.types
    assert isinstance(system, ElementaryType)
    assert system.units is not None
    made = decompose(passes.flat(net, reduce=False).model, by_units(system.units)).model
    assert len(made.types) > 10
    found, expected = states(made), states(net)
    assert (found.states, found.arcs, found.deadlocks) == (
        expected.states,
        expected.arcs,
        expected.deadlocks,
    )


def test_the_command_cuts_a_model(tmp_path: Path) -> None:
    """By what is sound alone, or by the lines of a file of variables."""
    source, target = tmp_path / "g.gal", tmp_path / "parts.gal"
    source.write_text(TEXT, encoding="utf-8")
    lines = tmp_path / "lines.order"
    lines.write_text("a b\nc u[0] u[1] t[0]\n", encoding="utf-8")
    flat = passes.flat(parse(TEXT, "g"), reduce=False).model
    parts = (Part("part0", ("a", "b")), Part("part1", ("c", "u[0]", "u[1]", "t[0]")))
    rest = (Part("part2", ("t[1]",)), Part("part3", ("t[2]",)))
    for how, asked in (("finest", Part("g")), (f"file:{lines}", Part("g", (), parts + rest))):
        asking = ["convert", str(source), "--to=gal", f"--decompose={how}", "-o", str(target)]
        assert run(asking) == 0
        assert parse(target.read_text(encoding="utf-8"), "g") == decompose(flat, asked).model
    assert run([*asking[:3], "--decompose=units"]) == 2
    assert run([*asking[:3], "--decompose=thirds"]) == 2
