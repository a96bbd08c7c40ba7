"""The diagrams of a net whose program nobody has built are those of its program."""

from random import Random

import pytest

from plait._core import PlainNet, Program, Symbolic

NETS = 60


def document(random: Random) -> bytes:
    """A small net with loops and test arcs in which tokens never become more."""
    places, events = random.randint(2, 5), random.randint(1, 6)
    lines = ["<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/ptnet'>"]
    for place in range(places):
        tokens = random.randint(0, 2)
        marking = f"<initialMarking><text>{tokens}</text></initialMarking>"
        lines.append(f"<place id='p{place}'>{marking}</place>")
    for event in range(events):
        lines.append(f"<transition id='t{event}'/>")
        taken = random.choices(range(places), k=random.randint(1, 3))
        lines += [f"<arc source='p{place}' target='t{event}'/>" for place in taken]
        put = random.choices(range(places), k=random.randint(0, len(taken)))
        lines += [f"<arc source='t{event}' target='p{place}'/>" for place in put]
        if random.random() < 0.3:
            tested = random.randrange(places)
            lines.append(f"<arc source='p{tested}' target='t{event}' type='test'/>")
    lines.append("</net></pnml>")
    return "".join(lines).encode()


def diagrams(random: Random, *, built: bool) -> tuple[Program, Symbolic, int]:
    """A net in diagrams, each cell a level; its program built before them, or only if need be."""
    net = PlainNet.parse(document(random))
    assert net is not None
    program = net.program()
    if built:
        program.truth(True)
    return program, Symbolic(program, [[cell] for cell in range(net.width)]), net.width


def figures(symbolic: Symbolic) -> tuple[object, ...]:
    symbolic.explore()
    counts = symbolic.count(), symbolic.arcs(), symbolic.count_deadlocks()
    return *counts, symbolic.cell_bounds(), symbolic.sum_bounds(), symbolic.is_net


def questions(program: Program, symbolic: Symbolic, width: int) -> tuple[object, ...]:
    """What needs the program: conditions, bounds of a sum, traces, pairs, steps both ways."""
    last = program.load(width - 1)
    marked = symbolic.select(
        program, symbolic.reach(), program.compare(">=", last, program.const(1))
    )
    both = program.binary("+", last, program.load(0))
    dead = symbolic.select(program, symbolic.reach(), program.deadlock())
    return (
        symbolic.count(marked),
        symbolic.extrema(program, symbolic.reach(), both),
        symbolic.trace(marked),
        symbolic.count(dead),
        symbolic.successor_pairs(),
        symbolic.count(symbolic.predecessors(marked)),
        program.initial(),
        sorted(program.successors(program.initial())),
    )


def test_figures_and_questions_do_not_depend_on_when_the_program_is_built() -> None:
    with_states = 0
    for seed in range(NETS):
        late = diagrams(Random(seed), built=False)
        early = diagrams(Random(seed), built=True)
        assert late[0].initial() == early[0].initial()
        assert figures(late[1]) == figures(early[1])
        assert questions(*late) == questions(*early)
        with_states += late[1].count() > 3
    assert with_states > NETS // 6


def test_two_diagrams_of_an_unbuilt_program_are_of_one_program() -> None:
    program, upright, width = diagrams(Random(3), built=False)
    other = Symbolic(program, [[cell] for cell in reversed(range(width))])
    assert figures(upright)[:3] == figures(other)[:3]
    assert questions(program, upright, width) == questions(program, other, width)


def test_a_condition_of_another_net_is_refused() -> None:
    program, symbolic, _ = diagrams(Random(1), built=False)
    foreign, _, _ = diagrams(Random(1), built=False)
    symbolic.explore()
    with pytest.raises(ValueError, match="another program"):
        symbolic.select(foreign, symbolic.reach(), foreign.truth(True))
    assert symbolic.select(program, symbolic.reach(), program.truth(True)) == symbolic.reach()
