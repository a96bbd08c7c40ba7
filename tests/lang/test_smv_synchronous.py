"""Synchronous systems whose steps change many variables at once."""

from pathlib import Path

import pytest

import plait
from plait.engines import check, states
from plait.lang.smv import parse
from plait.logic.parse import parse_formula

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "smv"


def inverters(number: int) -> str:
    """A ring of inverters, each of which may take its time."""
    gates = "".join(f"  g{i} : inverter(g{(i - 1) % number}.out);\n" for i in range(number))
    return (
        "MODULE inverter(wire)\nVAR out : boolean;\n"
        "ASSIGN init(out) := FALSE; next(out) := !wire union out;\n"
        f"MODULE main\nVAR\n{gates}SPEC AG EF g0.out\nSPEC EF (g0.out & !g1.out)\n"
    )


def shift_register(number: int) -> str:
    """A register that inputs are shifted into."""
    bits = "".join(f"VAR s{k} : boolean;\n" for k in range(number))
    moves = "".join(
        f"  init(s{k}) := FALSE; next(s{k}) := {f's{k - 1}' if k else 'wire'};\n"
        for k in range(number)
    )
    return (
        f"MODULE main\nIVAR wire : boolean;\n{bits}ASSIGN\n{moves}"
        f"SPEC AG EF (s0 & s{number - 1})\nSPEC AG (s{number - 1} -> AX !s{number - 1})\n"
    )


def adder(number: int) -> str:
    """A sum of two inputs with a register behind each bit: bits come one after the other."""
    cells = []
    for i in range(number):
        wires = [f"a{i}", f"b{i}"]
        for k in range(i):
            cells += [f"d{i}_{k} : delay({wires[0]});", f"e{i}_{k} : delay({wires[1]});"]
            wires = [f"d{i}_{k}.out", f"e{i}_{k}.out"]
        carry = f"f{i - 1}.carry" if i else "FALSE"
        cells.append(f"f{i} : add({wires[0]}, {wires[1]}, {carry});")
    inputs = "".join(f"a{i} : boolean; b{i} : boolean; " for i in range(number))
    return (
        "MODULE delay(wire)\nVAR out : boolean;\nASSIGN init(out) := FALSE; next(out) := wire;\n"
        "MODULE add(a, b, c)\nVAR sum : boolean; carry : boolean;\nASSIGN init(sum) := FALSE;"
        " init(carry) := FALSE; next(sum) := a xor (b xor c); next(carry) := a & b | c & (a | b);\n"
        f"MODULE main\nIVAR {inputs}\nVAR {' '.join(cells)}\n"
        f"SPEC AG EF f{number - 1}.carry\nSPEC AG !(f{number - 1}.sum & f{number - 1}.carry)\n"
    )


def arbiter(number: int) -> str:
    """A token goes round; whoever waited since it was there last has its way, else the first."""
    cells = "".join(
        f"  e{i} : cell(e{(i - 1) % number}.token, {f'e{i - 1}.grant' if i else 'TRUE'},"
        f" {f'e{i + 1}.override' if i + 1 < number else 'FALSE'}, e0.override);\n"
        for i in range(number)
    )
    begins = "".join(f"init(e{i}.token) := {'FALSE' if i else 'TRUE'}; " for i in range(number))
    pairs = " & ".join(f"!(e{i}.ack & e{j}.ack)" for i in range(number) for j in range(i))
    return (
        "MODULE cell(token_in, grant_in, override_in, overridden)\n"
        "VAR token : boolean; waits : boolean; asks : boolean;\n"
        "ASSIGN next(token) := token_in; init(waits) := FALSE;"
        " next(waits) := asks & (waits | token);\n"
        "DEFINE override := token & waits & asks | override_in; grant := grant_in & !asks;"
        " ack := asks & (token & waits | grant_in & !overridden);\n"
        f"MODULE main\nVAR\n{cells}ASSIGN {begins}\n"
        f"SPEC AG ({pairs})\nSPEC AG (e1.asks -> AF e1.ack)\n"
    )


def lamps(number: int) -> str:
    """Lamps in a ring: one that is out stays so unless the one before it is out too."""
    cells = "".join(f"  l{i} : lamp(l{(i - 1) % number}.on);\n" for i in range(number))
    return (
        "MODULE lamp(before)\nVAR on : boolean;\nASSIGN init(on) := FALSE;\n"
        "next(on) := case before & !on : FALSE; TRUE : {FALSE, TRUE}; esac;\n"
        f"MODULE main\nVAR\n{cells}SPEC AG !(l{number - 1}.on & l{number // 2}.on)\n"
        f"SPEC AF l{number - 1}.on\n"
    )


@pytest.mark.parametrize(
    ("text", "number", "verdicts"),
    [
        (inverters(6), 64, ["false", "true"]),
        (shift_register(7), 128, ["true", "false"]),
        (adder(2), 48, ["true", "false"]),
        (lamps(6), 64, ["false", "false"]),
        (arbiter(3), 3 * 2**6, ["true", "false"]),
    ],
)
def test_small_systems_have_the_answers_of_the_reference(
    text: str, number: int, verdicts: list[str]
) -> None:
    model = parse(text)
    for engine in ("reference", "explicit", "symbolic"):
        assert states(model, engine=engine).states == number, engine
        assert [a.verdict for a in check(model, engine=engine)] == verdicts, engine


@pytest.mark.parametrize(
    ("text", "number", "verdicts"),
    [
        # Each step has 2^40 successors: none of them is looked at by itself.
        (inverters(40), 2**40, ["false", "true"]),
        (shift_register(40), 2**40, ["true", "false"]),
        (arbiter(12), 12 * 2**24, ["true", "false"]),
    ],
)
def test_large_systems_are_checked_on_diagrams(text: str, number: int, verdicts: list[str]) -> None:
    model = parse(text)
    assert states(model, engine="symbolic").states == number
    answers = check(model, engine="symbolic")
    assert [a.verdict for a in answers] == verdicts
    assert all(a.replayed for a in answers if a.witness is not None)


def test_a_step_that_chooses_under_a_condition_is_replayed() -> None:
    # A step has 2^40 successors, and a trace says which of them is meant.
    answers = check(parse(lamps(40)), engine="symbolic")
    assert [a.verdict for a in answers] == ["false", "false"]
    assert all(a.witness is not None and a.replayed for a in answers)


def test_a_step_with_constraints_is_possible_where_it_has_a_successor() -> None:
    cells = "".join(f"VAR x{i} : 0..2;\n" for i in range(9))
    begins = " & ".join(f"x{i} = 0" for i in range(9))
    follows = " & ".join(f"next(x{i}) + x{(i + 1) % 9} <= 2 & next(x{i}) >= x{i}" for i in range(9))
    model = parse(f"MODULE main\n{cells}INIT {begins}\nTRANS {follows}\nTRANS next(x0) != x0")
    asked = [parse_formula("deadlock", model)]
    by = {
        e: (states(model, engine=e), check(model, asked, engine=e))
        for e in ("explicit", "symbolic")
    }
    (seen, answers), (found, others) = by["explicit"], by["symbolic"]
    assert (found.states, found.deadlocks) == (seen.states, seen.deadlocks)
    assert [a.verdict for a in answers] == [a.verdict for a in others] == ["false"]


def test_the_ring_of_the_examples() -> None:
    system = plait.load(EXAMPLES / "ring.smv")
    assert system.states(engine="symbolic").states == system.states(engine="explicit").states
    verdicts = [a.verdict for a in system.check_all(engine="symbolic")]
    assert verdicts == ["true", "true", "false"]
