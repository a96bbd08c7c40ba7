"""Ends and runs of processes of which nobody can tell whether they have happened (`Event.inert`).

Reduction executes such an event before all others. Random texts in which processes run others and
end are searched with it and without; texts that can tell are not marked.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.differential.blocks import SOAK, SOAK_FIRST, blocks
from tests.lang.random_families import family
from tests.lang.spin import AVAILABLE, Spin
from tests.lang.test_promela_programs import agrees

from plait.engines import Budget, Reduction, check, states
from plait.engines.explicit.method import Method
from plait.engines.prepared import KINDS, prepare
from plait.errors import InputError, PlaitError
from plait.lang.promela import load, parse
from plait.model.expr import And, Compare, Const, Deadlock, Formula, Var
from plait.model.types import Model, Property
from plait.passes.rewritten import flat_type
from plait.report.answer import Answer

LIMIT = 30_000
PRESETS = ("ps", "ps+prov")
ALGORITHMS = ("conflicts", "overman", "stubborn", "conditional", "guards", "deletion", "minimal")
ORDERS = ("dfs", "bfs")


def marked(model: Model, asked: list[Property] | None = None) -> set[str]:
    """The titles of the inert events, as a search for what is asked has them."""
    ready = prepare(model, model.properties if asked is None else asked)
    return {e.title for e in flat_type(ready.rewritten.model).events if e.inert}


def equals(name: str, value: int) -> Formula:
    return Compare("==", Var(name), Const(value))


def own_questions(seed: int) -> list[Property]:
    """Questions about what is shared, and whether there is a deadlock."""
    chance = random.Random(f"questions {seed}")
    found = [Property("dead", "deadlock")]
    for k in range(3):
        parts = [equals("x", chance.randint(0, 2)), equals("y", chance.randint(0, 2))]
        parts += [Deadlock()] * (chance.random() < 0.4)
        found.append(Property(f"own {k}", "reachable", And(tuple(parts))))
    return found


def unreached(answers: list[Answer]) -> set[str]:
    return {n for a in answers for n in a.notes if n.startswith("unreached")}


def differing(seed: int, figures: dict[str, int]) -> list[str]:
    """What reductions say otherwise than the full search about one text."""
    chance = random.Random(f"reductions {seed}")
    try:
        model = parse(family(seed), f"family {seed}")
    except InputError:
        return []  # a rendezvous inside `d_step`, and the like
    own = chance.random() < 0.5
    asked = own_questions(seed) if own else list(model.properties)
    full = check(model, asked, engine="explicit", budget=Budget(states=LIMIT))
    verdicts = [a.verdict for a in full]
    if "unknown" in verdicts:
        return []  # too large, or it goes wrong where nobody asks
    found = []
    for threads in (1, 1, 2):
        preset, order = chance.choice(PRESETS), chance.choice(ORDERS)
        reduction = Reduction(preset, chance.choice(ALGORITHMS), order=order)
        reduced = check(
            model,
            asked,
            engine="explicit",
            reduction=reduction,
            method=Method(threads=threads, exhaustive=True),
            budget=Budget(states=LIMIT),
        )
        if [a.verdict for a in reduced] != verdicts or not all(
            a.replayed for a in reduced if a.witness is not None
        ):
            found.append(f"{seed}: {reduction}, {threads} threads: {verdicts}, {reduced}")
        if not own and "true" in verdicts and unreached(reduced) != unreached(full):
            found.append(f"{seed}: {reduction}: {unreached(full)}, {unreached(reduced)}")
    figures["compared"] += len(verdicts)
    figures["violated"] += verdicts.count("false")
    figures["inert"] += bool(marked(model, asked))
    return found


def hunt(seeds: range) -> None:
    figures = dict.fromkeys(("compared", "violated", "inert"), 0)
    assert [line for seed in seeds for line in differing(seed, figures)] == []
    assert figures["inert"] > len(seeds) // 3
    assert figures["violated"] > figures["compared"] // 10


@blocks(0, 40, 10)
def test_what_is_asked_of_families_has_the_answers_of_the_full_search(seeds: range) -> None:
    hunt(seeds)


@pytest.mark.soak
@blocks(SOAK_FIRST, SOAK // 10, 50)
def test_what_is_asked_of_more_families_has_the_answers_of_the_full_search(seeds: range) -> None:
    hunt(seeds)


@pytest.mark.soak
@pytest.mark.skipif(not AVAILABLE, reason="spin or gcc is not installed")
@blocks(SOAK_FIRST, SOAK // 100, 50)
def test_spin_says_the_same_about_families(seeds: range, tmp_path: Path) -> None:
    path, compared = tmp_path / "text.pml", 0
    for seed in seeds:
        text = family(seed)
        if "lent" in text:
            continue  # SPIN looks at what stands in the place of a channel that is gone
        try:
            model = parse(text, f"family {seed}")
            space = states(model, budget=Budget(states=LIMIT))
        except PlaitError:
            continue
        path.write_text(text)
        folder = tmp_path / str(seed)
        folder.mkdir()
        spin = Spin(path, folder)
        if spin.refused is None and space.complete:
            compared += agrees(spin, model, space.states, text)
    assert compared > len(seeds) // 3


PLAIN = """
byte x;
proctype Q(byte v) {{ {q} }}
init {{ {init} }}
"""
BLIND = {
    "ends and runs": ("x = v", "run Q(1); run Q(2); x == 1"),
    "a timeout as a condition": ("timeout; x = v", "run Q(1); run Q(2)"),
}
TELLING = {
    "its own number": ("assert(_pid < 2)", "run Q(1); run Q(2)"),
    "the number of processes": ("_nr_pr == 2; x = v", "run Q(1); run Q(2)"),
    "the number of a child": ("x = v", "byte p; p = run Q(1); run Q(p)"),
    "a label of another": ("L: x = v", "run Q(1); run Q(2); Q[1]@L"),
    "a variable of another": ("x = v", "run Q(1); run Q(2); x == Q[1]:v"),
    "who moved last": ("x = v", "run Q(1); run Q(2); _last == 1"),
    "who may move": ("x = v", "run Q(1); run Q(2) } active proctype R() provided (x < 2) { skip"),
    "a timeout inside": ("!timeout; x = v", "run Q(1); run Q(2)"),
    "a channel of its own": ("chan c = [1] of { byte }; c!v", "run Q(1); run Q(2)"),
    "no limit": ("x = v", "do :: run Q(1) od"),
}


@pytest.mark.parametrize("case", BLIND)
def test_ends_and_runs_are_inert_where_nobody_asks_for_numbers(case: str) -> None:
    q, init = BLIND[case]
    titles = marked(parse(PLAIN.format(q=q, init=init)))
    assert {"Q_1 ends", "init_0 ends"} <= titles
    assert any(t.startswith("init_0:") for t in titles)  # the runs


@pytest.mark.parametrize("case", TELLING)
def test_no_event_is_inert_where_somebody_asks(case: str) -> None:
    q, init = TELLING[case]
    assert marked(parse(PLAIN.format(q=q, init=init))) == set()


def test_a_question_may_ask_too() -> None:
    model = parse(PLAIN.format(q="x = v", init="run Q(1); run Q(2)"))
    shared = Property("shared", "reachable", equals("x", 2))
    assert marked(model, [shared])
    for name in ("Q_1.v", "Q_1._pc", "_nr_pr"):
        assert not marked(model, [shared, Property("numbered", "reachable", equals(name, 1))])
    assert not marked(model, [])


WAITING = """
byte x;
proctype P() {{ x = 2 }}
init {{ {step} }}
"""


@pytest.mark.parametrize(
    ("step", "inert"),
    [
        ("run P()", True),
        ("x = 1; run P(); x = 3", True),
        ("if :: run P() :: x == 2 fi", False),
        ("atomic { x = 1; run P() }", False),
        ("{ run P() } unless { x == 1 }", False),
    ],
)
def test_a_run_is_inert_where_the_process_can_do_nothing_else(step: str, inert: bool) -> None:
    titles = marked(parse(WAITING.format(step=step)))
    assert (len([t for t in titles if not t.endswith("ends")]) == 1) == inert


def test_a_process_is_not_run_at_once_where_a_partner_would_be_missed() -> None:
    """Whether `else` is possible depends on whether the partner is there."""
    text = """
    chan c = [0] of { byte };
    byte x;
    proctype P() { byte v; c?v }
    active proctype Q() { if :: c!1 :: else -> x = 1 fi }
    init { run P() }
    """
    model = parse(text)
    asked = [Property("else", "reachable", equals("x", 1))]
    assert all(title.endswith("ends") for title in marked(model, asked))
    for order in ORDERS:
        reduction = Reduction("ps+prov", order=order)
        [answer] = check(model, asked, engine="explicit", reduction=reduction)
        assert answer.verdict == "true"


LENT = """
chan lent = [1] of { chan };
byte x;
active proctype P() { run Q() }
active proctype Lender() { chan own = [1] of { byte }; own!1; lent!own }
proctype Q() { chan c; lent?c; empty(c); x = 1 }
"""


@pytest.mark.parametrize("order", ORDERS)
def test_a_process_is_not_run_at_once_where_that_would_keep_messages_of_another(order: str) -> None:
    """The lender can end, and its message be gone, only before there is a younger process."""
    model = parse(LENT)
    asked = [Property("gone", "reachable", equals("x", 1))]
    assert {title for title in marked(model, asked) if not title.endswith("ends")} == set()
    for preset in PRESETS:
        reduction = Reduction(preset, order=order)
        [answer] = check(model, asked, engine="explicit", reduction=reduction)
        assert answer.verdict == "true"


def test_a_process_is_run_at_once_by_whoever_is_younger_than_those_with_channels() -> None:
    lines = LENT.strip().splitlines()
    lines[2:4] = reversed(lines[2:4])
    assert any(t.startswith("P_1:") for t in marked(parse("\n".join(lines))))


STORED = {"p96.1": 16, "p96.2": 36, "p97.1": 6, "p97.2": 11, "p105.1": 28, "p116": 24, "p320": 60}
"""States that SPIN (6.5.2) stores with its reduction, `-o1 -o2 -o3 -c0`."""


@pytest.mark.parametrize("name", STORED)
def test_where_processes_end_no_more_states_are_kept_than_by_spin(name: str, data: Path) -> None:
    folder = data / "promela" / "spin" / "Book_1991"
    model = load(next(p for p in sorted(folder.iterdir()) if p.stem == name))
    asked = [p for p in model.properties if p.kind in KINDS]
    full = check(model, asked, engine="explicit")
    reduced = check(
        model,
        asked,
        engine="explicit",
        reduction=Reduction("ps+prov", order="dfs"),
        method=Method(exhaustive=True),
    )
    assert [a.verdict for a in reduced] == [a.verdict for a in full]
    assert int(str(reduced[0].stats["states"])) <= STORED[name]


TRACED = """
chan a = [1] of { byte };
chan b = [1] of { byte };
trace { do :: b!1; a!1 od }
active proctype A() { xs a; a!1 }
active proctype B() { xs b; b!1 }
"""


@pytest.mark.parametrize("order", ORDERS)
def test_orders_that_a_trace_assertion_tells_apart_are_kept(order: str) -> None:
    """SPIN (6.5.2) says that this text has no errors, and with `-DNOREDUCE` that it has one."""
    model = parse(TRACED)
    asked = [model.property("event trace")]
    for preset in PRESETS:
        reduction = Reduction(preset, order=order)
        [answer] = check(model, asked, engine="explicit", reduction=reduction)
        assert answer.verdict == "false"
