"""What else there is to know: undefined steps, in the same words from every engine; dead events."""

import re

import pytest

from plait.engines import check, states
from plait.engines.budget import Budget
from plait.errors import Source, Span
from plait.lang.dve import parse as parse_dve
from plait.lang.gal import parse
from plait.lang.pnml import parse as parse_pnml
from plait.logic.parse import parse_formula
from plait.model.plain import plain_of
from plait.model.types import ElementaryType, Model, Property, names_of
from plait.records import replace
from plait.reference import Semantics
from plait.testing import mix
from plait.testing.choices import Seeded
from plait.testing.findings import by_reference
from plait.testing.random_models import model as model_of

SOURCE = """
gal quotients {
  int x = 0; int y = 0; array [2] t = (0, 0);
  transition divide [x < 3] { y = 6 / x; x += 1; }
  transition start [x == 0] { x = 1; }
  transition store [x >= 1 && y < 9] { t[x] = 1; y = 9; }
}
"""
EXPECTED = (
    "event divide: 1 step left out, where an operation is undefined "
    "(division by zero, an index outside its array, a shift beyond 31)",
    "event store: 4 steps left out, where an operation is undefined "
    "(division by zero, an index outside its array, a shift beyond 31)",
)


@pytest.mark.parametrize("engine", ["explicit", "reference"])
def test_a_count_tells_the_steps_that_were_left_out(engine: str) -> None:
    assert states(parse(SOURCE, "quotients"), engine=engine).notes == EXPECTED


@pytest.mark.parametrize("engine", ["explicit", "reference"])
def test_an_answer_tells_the_steps_that_were_left_out(engine: str) -> None:
    """The replay of a witness executes steps again and counts nothing twice.

    The search ends when it has its answer, so the question is one that needs every state.
    """
    model = parse(SOURCE, "quotients")
    bounds = parse_formula("bounds: x", model)
    answers = check(model, [Property("free", kind="deadlock"), bounds], engine=engine)
    assert [a.verdict for a in answers] == ["false", "true"]
    assert [a.notes for a in answers] == [EXPECTED, EXPECTED]


def test_a_model_without_undefined_steps_has_no_notes() -> None:
    model = parse("gal m { int x = 0; transition t [x < 3] { x += 1; } }", "m")
    assert states(model, engine="reference").notes == ()


DEAD = """
gal dead {
  typedef I = 0..2;
  int x = 0; array [3] a = (0, 0, 0);
  transition up [x < 3] { x += 1; self."done"; }
  transition reset [x > 3] { x = 0; }
  transition set(I $i) [a[$i] == 0 && $i < 2] { a[$i] = 1; }
  transition gone(I $i) [a[$i] == 2] { a[$i] = 1; }
  transition finish label "done" { a[2] = 0; }
}
"""


def test_events_that_no_run_executes_are_told_after_a_complete_search() -> None:
    model = parse(DEAD, "dead")
    told = ("never executed: reset (line 6), gone (line 8)",)
    assert states(model, engine="explicit").notes == told
    (answer,) = check(model, [parse_formula("never: x > 3", model)], engine="explicit")
    assert (answer.verdict, answer.notes) == ("true", told)
    (answer,) = check(model, [parse_formula("never: x > 0", model)], engine="explicit")
    assert (answer.verdict, answer.notes) == ("false", ())


PLAIN = """<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="p"><initialMarking><text>1</text></initialMarking></place>
<place id="q"/><place id="empty"/>
<transition id="go"/>
<transition id="two"/>
<transition id="starved"/>
<arc id="a" source="p" target="go"/><arc id="b" source="go" target="q"/>
<arc id="c" source="q" target="two"><inscription><text>2</text></inscription></arc>
<arc id="d" source="empty" target="starved"/><arc id="e" source="starved" target="p"/>
</page></net></pnml>"""
"""What the search is given of it has no `starved`, since nothing ever marks `empty`."""


def test_events_of_plain_nets_that_never_happen_are_told() -> None:
    model = parse_pnml(PLAIN.encode(), "n")
    assert plain_of(model) is not None
    told = ("never executed: two (line 6), starved (line 7)",)
    assert states(model, engine="explicit").notes == told
    assert states(model).notes == told
    (answer,) = check(model, [parse_formula("bounds: q", model)], engine="explicit")
    assert (answer.value, answer.notes) == (1, told)
    (answer,) = check(model, [parse_formula("never: q == 1", model)], engine="explicit")
    assert (answer.verdict, answer.notes) == ("false", ())


def test_a_long_list_of_events_is_cut() -> None:
    events = "".join(f"transition t{i} [x == {i}] {{ x += 1; }}\n" for i in range(2, 22))
    model = parse(f"gal many {{ int x = 0;\n{events} transition s [x < 1] {{ x += 1; }} }}", "m")
    (note,) = states(model, engine="explicit").notes
    assert note.startswith("never executed: t2 (line 2), t3 (line 3), ")
    assert note.endswith("t13 (line 13), and 8 more")


def test_halves_of_a_rendezvous_are_executed_with_it() -> None:
    text = """channel c, d; byte x;
process P { state a, b; init a; trans a -> b { sync c!; }, b -> a { sync d!; }; }
process Q { state a, b; init a; trans a -> b { sync c?; }, b -> a { guard x > 0; sync d?; }; }
system async;"""
    (note,) = states(parse_dve(text, "pair"), engine="explicit").notes
    assert note == "never executed: P.b->a (line 2), Q.b->a (line 3)"


@pytest.mark.parametrize("preset", [mix.GAL, mix.CHANNELS, mix.NETS, mix.SMALL])
@pytest.mark.parametrize("engine", ["explicit", "auto"])
def test_what_is_never_executed_is_so_for_the_reference(preset: mix.Mix, engine: str) -> None:
    noted = 0
    for seed in range(60):
        made = model_of(Seeded(seed), preset)
        system = made.system
        if not isinstance(system, ElementaryType):
            continue
        # Names may be odd; the lines say which events are meant.
        source = Source("m", "")
        events = [replace(e, span=Span(source, i, 1)) for i, e in enumerate(system.events)]
        placed = replace(system, events=tuple(events))
        made = replace(made, types=tuple(placed if t is system else t for t in made.types))
        if by_reference(made, 500).outcome != "complete":
            continue
        found = states(made, engine=engine, budget=Budget(10.0))
        told = [n for n in found.notes if n.startswith("never executed: ")]
        never = [int(n) for n in re.findall(r"\(line (\d+)\)", "".join(told))]
        executed = {name for title in _executed(made) for name in names_of(title)}
        assert not executed & {events[i].title for i in never}, (seed, told)
        noted += len(never)
    assert noted > 0


def _executed(model: Model) -> set[str]:
    """The titles of the events on the arcs of the graph."""
    semantics = Semantics(model)
    start = semantics.shape.initial()
    waiting, seen, titles = [start], {start}, set()
    while waiting:
        for title, state in semantics.successors(waiting.pop()):
            titles.add(title)
            if state not in seen:
                seen.add(state)
                waiting.append(state)
    return titles
