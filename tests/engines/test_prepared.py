"""A model is made ready once for many engines, where somebody says so, and only there."""

from __future__ import annotations

from plait.engines.prepared import prepare, prepared_once
from plait.lang.gal import parse

TEXT = """gal g { int x; int y = 3; transition t [x < 3] { x += 1; } }
property p [never] : x == 4;
property q [never] : x == 3;
"""


def test_within_the_block_the_same_question_finds_the_model_ready() -> None:
    model = parse(TEXT, "g.gal")
    first, second = model.properties
    with prepared_once():
        ready = prepare(model, [first])
        assert prepare(model, (first,)) is ready
        others = [prepare(model), prepare(model, [second]), prepare(model, [first, second])]
        others.append(prepare(parse(TEXT, "g.gal"), [first]))
        assert all(other is not ready for other in others)
        assert [p.name for p in others[1].properties] == ["q"]
        with prepared_once():
            assert prepare(model, [first]) is not ready
        assert prepare(model, [first]) is ready
    assert prepare(model, [first]) is not ready


def test_what_is_kept_is_never_that_of_another_property_in_the_same_place() -> None:
    """A property that is gone leaves its address to the next one."""
    model = parse(TEXT, "g.gal")
    with prepared_once():
        for _ in range(50):
            (name,) = (
                p.name for p in prepare(model, parse(TEXT, "g.gal").properties[:1]).properties
            )
            assert name == "p"
            (name,) = (
                p.name for p in prepare(model, parse(TEXT, "g.gal").properties[1:]).properties
            )
            assert name == "q"
