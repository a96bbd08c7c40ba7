"""The native reader of PNML: what it gives is what the reader in Python gives, or nothing."""

import pickle
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.hostile.mutations import Mutator

from plait.engines import Tuning, check, states
from plait.engines.prepared import prepare
from plait.engines.symbolic.orders import Orders
from plait.errors import InputError, LimitReached
from plait.lang.pnml import load, native, print_model, reader
from plait.model.expr import Binary, Compare, Const, Var
from plait.model.net import as_net
from plait.model.plain import plain_of
from plait.model.types import ElementaryType, Model, Property
from plait.passes import LOWERING, REDUCING, flat, run
from plait.program import compile_model

SEEDS = Path(__file__).parents[1] / "hostile" / "seeds"
HEAD = '<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">'
TAIL = "</page></net></pnml>"
NUPN = """<?xml version="1.0" encoding="UTF-8"?>
<!-- units --><pnml><net id=" u " type='x#ptnet'><name><text>any</text></name><page id="g">
<place id="p"><name><text>caf\u00e9 &lt;1&gt;</text></name>\r
<initialMarking value="2"/></place><place id='q'><graphics><position x="1"/></graphics>
<initialMarking><text> Default,0 </text></initialMarking></place>\u00e4\t<transition id="t"/>
<arc id="a" source="p" target="t" type="read"/><arc id="b" source="t" target="q"/>
<arc source="q" target="t"><type><text>test</text></type><inscription><text>2</text>
</inscription></arc><toolspecific tool="nupn" version="1.1"><size places="2"/>
<structure units="2" root="r" safe="true"><unit id="r"><places>p</places><subunits>s</subunits>
</unit><unit id="s"><places>\tq\n</places><subunits/></unit></structure></toolspecific>
</page></net></pnml>
"""
WORDS = b"""
place transition arc page net pnml name text value inscription initialMarking id
source target type tool nupn unit units root places subunits structure toolspecific
graphics capacity read test inhibitor reset normal ptnet symmetricnet referencePlace
ref < > </ /> <!-- --> <![CDATA[ ]]> <?xml <!DOCTYPE &amp; &#65; &x; " ' = p q t
""".split()


def text_of(chance: random.Random, dead: bool, bounded: bool = False) -> str:
    """A net as text; with `dead` some places have too few tokens, and some are only tested.

    With `bounded` an event takes as many tokens as it puts, or more.
    """
    places, events = chance.randrange(1, 8), chance.randrange(7)
    parts = []
    for p in range(places):
        tokens = chance.choice([0, 0, 1, 2]) if dead else chance.choice([1, 2, 3])
        name = chance.choice(["", "", f"<name><text>place {p}</text></name>"])
        marking = f"<initialMarking><text>{tokens}</text></initialMarking>"
        parts.append(f'<place id="m{p % 3}.p{p}">{name}{marking}</place>')
    parts.extend(f'<transition id="t{e}"/>' for e in range(events))
    for number in range(chance.randrange(4 * events + 1)):
        place, event = chance.randrange(places), chance.randrange(events)
        ends = [f"m{place % 3}.p{place}", f"t{event}"]
        if chance.random() < 0.5:
            ends.reverse()
        kind = ' type="test"' if ends[1] == f"t{event}" and chance.random() < 0.2 else ""
        weight = chance.choice(["", "", "<inscription><text>2</text></inscription>"])
        arc = f'<arc id="a{number}" source="{ends[0]}" target="{ends[1]}"{kind}>{weight}</arc>'
        parts.append(arc)
        if bounded and ends[0] == f"t{event}":
            other = chance.randrange(places)
            parts.append(f'<arc source="m{other % 3}.p{other}" target="t{event}">{weight}</arc>')
    chance.shuffle(parts)
    return HEAD + chance.choice(["", "\n", " \r\n"]).join(parts) + TAIL


def nets(count: int, bounded: bool = False) -> Iterator[Model]:
    """Plain nets, some of them with what never happens."""
    for seed in range(count):
        data = text_of(random.Random(seed), dead=seed % 2 == 0, bounded=bounded).encode()
        model = native.parse(data, "net.pnml")
        assert model is not None
        yield model


def system(model: Model) -> ElementaryType:
    assert isinstance(model.system, ElementaryType)
    return model.system


def copied(model: Model) -> Model:
    """The same model in Python's objects only."""
    copy = replace(model, types=(replace(system(model)),))
    assert plain_of(copy) is None
    assert copy == model
    return copy


def places_in_file(model: Model) -> list[object]:
    """All that equality does not look at."""
    found: list[object] = [str(model.system.span)]
    type_ = system(model)
    units = type_.units.units if type_.units else ()
    declared = (*type_.variables, *type_.events, *units)
    found.extend((d.name, str(d.span), d.comment) for d in declared)
    for event in type_.events:
        found.extend(str(part.span) for part in (*event.guard, *event.body))
    return found


def outcome(data: bytes) -> tuple[Model | None, str]:
    """The net that the reader in Python finds, or its message."""
    try:
        found = reader.parse_net(data, "net.pnml")
    except InputError as problem:
        return None, problem.render()
    return (found, "") if isinstance(found, Model) else (None, "coloured")


def natively(data: bytes) -> tuple[Model | None, str]:
    """The net that the native reader finds, or its message if it does not decline."""
    try:
        return native.parse(data, "net.pnml"), ""
    except InputError as problem:
        return None, problem.render()


def assert_alike(data: bytes) -> bool:
    """The readers agree; whether the native one read it."""
    found, refused = natively(data)
    if found is None and not refused:
        return False
    expected, message = outcome(data)
    assert refused == message
    assert found == expected
    if found is None or expected is None:
        return False
    assert places_in_file(found) == places_in_file(expected)
    return True


def test_both_readers_give_the_same_model_of_random_nets() -> None:
    for seed in range(150):
        data = text_of(random.Random(seed), dead=seed % 2 == 0).encode()
        assert assert_alike(data)
        model, _ = outcome(data)
        assert model is not None
        assert assert_alike(print_model(model).encode())


def test_units_entities_comments_and_kinds_of_arcs_are_read_alike() -> None:
    assert assert_alike(NUPN.encode())
    model = native.parse(NUPN.encode(), "net.pnml")
    assert model is not None
    assert model.name == "u"
    p, q = system(model).variables
    assert (p.initial, p.comment, q.initial) == ((Const(2),), "café <1>", (Const(0),))
    (event,) = system(model).events
    assert event.guard == (
        Compare(">=", Var("p"), Const(1)),
        Compare(">=", Var("q"), Const(2)),
    )
    units = system(model).units
    assert units is not None
    assert units.safe
    assert [(u.places, u.units) for u in units.units] == [(("p",), ("s",)), (("q",), ())]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<places>p</places>", "<places>p x</places>"),
        ("<places>p</places>", "<places>p q</places>"),
        ("<subunits>s</subunits>", "<subunits/>"),
        ('units="2"', 'units="3"'),
        ('root="r"', 'root="x"'),
        ('<unit id="s">', '<unit id="r">'),
    ],
)
def test_units_that_contradict_the_net_are_refused_with_the_same_words(old: str, new: str) -> None:
    data = NUPN.replace(old, new).encode()
    expected, message = outcome(data)
    assert expected is None
    found, refused = natively(data)
    assert found is None
    assert refused in ("", message)


def test_what_the_native_reader_takes_from_a_mutated_file_is_what_it_says() -> None:
    texts = [
        NUPN.encode(),
        (SEEDS / "cycle.pnml").read_bytes(),
        (SEEDS / "pages.pnml").read_bytes(),
    ]
    texts += [text_of(random.Random(seed), dead=True).encode() for seed in range(3)]
    mutator = Mutator(texts, WORDS, random.Random(5))
    read = sum(assert_alike(mutator.next()) for _ in range(1500))
    assert read >= 50


def test_both_readers_give_the_same_model_of_the_nets_of_the_contest(data: Path) -> None:
    found = sorted((data / "mcc").glob("*-PT-*/model.pnml"))
    small = [path for path in found if path.stat().st_size < 60_000]
    assert small
    assert sum(assert_alike(path.read_bytes()) for path in small) == len(small)


def test_a_file_and_its_text_are_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "some.pnml"
    path.write_bytes(NUPN.replace('id=" u "', "").encode())
    model = load(path)
    assert plain_of(model) is not None
    assert model.name == "some"
    assert model == native.parse(path.read_bytes(), "some.pnml")
    assert system(model).events[0].span is not None
    assert str(system(model).events[0].span) == f"{path}:5:68"


# --- what is made of a net ------------------------------------------------------------------------


def is_made(model: Model, part: str) -> bool:
    """Whether variables or events have been made of a net."""
    try:
        getattr(ElementaryType, part).__get__(model.system)
    except AttributeError:
        return False
    return True


def test_counting_states_makes_no_events_and_no_variables() -> None:
    (model,) = nets(1, bounded=True)
    space = states(model, engine="symbolic")
    assert not is_made(model, "events")
    assert not is_made(model, "variables")
    again = states(copied(model), engine="symbolic")
    assert space.states == again.states
    assert is_made(model, "events")


def test_a_plain_net_has_the_program_of_its_events() -> None:
    for model in nets(60):
        plain, slow = compile_model(model), compile_model(copied(model))
        assert plain.program.initial() == slow.program.initial()
        state, chance = plain.program.initial(), random.Random(7)
        for _ in range(10):
            found = plain.program.successors(list(state))
            assert found == slow.program.successors(list(state))
            if not found:
                break
            state = chance.choice(found)[1]
        assignments = sum(len(e.body) for e in slow.events)
        for number in range(assignments + 1):
            assert plain.statement_event(number) == slow.statement_event(number)
            assert str(plain.statement_span(number)) == str(slow.statement_span(number))
        assert plain.events == slow.events
        for event in slow.events:
            assert plain.titled(event.title) == slow.titled(event.title)


def test_the_rows_and_orders_of_a_plain_net_are_those_of_its_events() -> None:
    for model in nets(60):
        copy = copied(model)
        assert as_net(model) == as_net(copy)
        plain, slow = Orders(model), Orders(copy)
        assert plain.levels() == slow.levels()
        assert plain.ranked() == slow.ranked()


def questions(model: Model) -> tuple[Property, ...]:
    """Some of what can be asked about the places of a net."""
    names = [v.name for v in system(model).variables]
    first, last = Var(names[0]), Var(names[-1])
    return (
        Property("one", "reachable", Compare(">=", Binary("+", first, last), Const(2))),
        Property("two", "invariant", Compare("<=", last, first)),
        Property("three", "bounds", Binary("+", Binary("+", first, last), Const(1))),
        Property("four", "deadlock"),
    )


def test_what_never_happens_in_a_plain_net_goes_as_the_passes_would_have_it() -> None:
    smaller = 0
    for model in nets(150):
        for properties in ((), questions(model)):
            asked = replace(model, properties=properties)
            found = flat(asked)
            expected = run(copied(asked), (*LOWERING, *REDUCING))
            assert plain_of(found.model) is not None
            assert found.model == expected.model
            state = tuple(range(len(system(found.model).variables)))
            assert found.lift(state) == expected.lift(state)
        smaller += len(system(found.model).variables) < len(system(model).variables)
    assert smaller >= 20


def test_a_plain_net_has_the_answers_of_its_events() -> None:
    for model in nets(40, bounded=True):
        copy, asked = copied(model), questions(model)
        tuning = Tuning(order="auto")
        for engine in ("explicit", "symbolic"):
            found = check(model, asked, engine=engine, tuning=tuning)
            again = check(copy, asked, engine=engine, tuning=tuning)
            assert [(a.verdict, a.value) for a in found] == [(a.verdict, a.value) for a in again]


def test_a_changed_copy_of_a_plain_net_is_not_plain() -> None:
    (model,) = nets(1)
    changed = replace(system(model), events=())
    assert changed.plain is None
    assert changed.events == ()
    assert plain_of(replace(model, types=(changed,))) is None
    asked = replace(model, properties=(Property("d", "deadlock"),))
    assert plain_of(asked) is plain_of(model) is not None


def test_a_plain_net_goes_through_pickle_as_its_events() -> None:
    (model,) = nets(1)
    back = pickle.loads(pickle.dumps(model))
    assert back == model
    assert plain_of(back) is None


def test_an_error_at_run_time_is_told_at_its_arc() -> None:
    text = (
        HEAD + '<place id="p"><initialMarking><text>2147483647</text></initialMarking></place>'
        '<transition id="t"/>\n <arc source="t" target="p"/>' + TAIL
    )
    model = native.parse(text.encode(), "net.pnml")
    assert model is not None
    compiled = prepare(model).compiled
    assert compiled.statement_event(0) == 0
    assert str(compiled.statement_span(0)) == "net.pnml:2:2"
    assert compiled.statement_span(1) is None
    assert compiled.statement_event(1) is None
    with pytest.raises(LimitReached, match=r"p leaves the 32-bit integers \(event t\)"):
        states(model, engine="explicit")


HEAVY = {
    "argparse", "ast", "dataclasses", "enum", "inspect", "json", "numpy", "pathlib", "re", "signal",
    "subprocess", "threading", "typing", "xml.parsers.expat",
}  # fmt: skip
"""What takes longer to import than a small net takes to be counted."""


@pytest.mark.parametrize("engine", ["auto", "symbolic"])
def test_counting_the_states_of_a_plain_net_imports_next_to_nothing(
    engine: str, tmp_path: Path
) -> None:
    code = (
        "import sys; before = set(sys.modules); from plait.cli.main import run;"
        "run(['states', sys.argv[1], '--engine', sys.argv[2]]);"
        "print(*sorted(set(sys.modules) - before), file=sys.stderr)"
    )
    net = tmp_path / "net.pnml"
    net.write_text(
        HEAD + '<place id="p"><initialMarking><text>3</text></initialMarking></place>'
        '<place id="q"/><transition id="t"/><arc source="p" target="t"/>'
        '<arc source="t" target="q"/>' + TAIL
    )
    command = [sys.executable, "-I", "-c", code, net, engine]
    run = subprocess.run(command, capture_output=True, check=False)
    assert run.stdout.split()[:2] == [b"states", b"4"]
    imported = run.stderr.decode().split()
    assert not HEAVY & {*imported}
    assert "plait.lang.pnml.native" in imported, run.stderr.decode()
    apart = ("plait.passes", "plait.automata", "plait.reference", "plait.lang.pnml.reader")
    assert not [m for m in imported if m.startswith(apart)]
    assert [m for m in imported if m.startswith("plait.colour.")] == ["plait.colour.forms"]


def test_what_is_left_of_a_net_is_made_once(tmp_path: Path) -> None:
    file = tmp_path / "model.pnml"
    file.write_text(
        f'{HEAD}<place id="p"><initialMarking><text>1</text></initialMarking></place>'
        '<place id="q"/><place id="never"/><transition id="t"/><transition id="u"/>'
        '<arc id="a" source="p" target="t"/><arc id="b" source="t" target="q"/>'
        f'<arc id="c" source="never" target="u"/><arc id="d" source="u" target="p"/>{TAIL}'
    )
    model = load(file)
    conditions = [Compare(">=", Var(name), Const(1)) for name in "pq"]
    first, second = (prepare(model, [Property("r", "reachable", c)]).net for c in conditions)
    assert first is not None
    assert len(first.places) == 2
    assert first is second
