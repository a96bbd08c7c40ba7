"""What is said about the last state of a witness, also of a formula that is nested deeply."""

import plait
from plait.engines import check
from plait.lang.dve import parse as parse_dve
from plait.lang.gal import parse
from plait.lang.promela import parse as parse_promela
from plait.lang.smv import parse as parse_smv
from plait.logic.parse import parse_formula
from plait.model.builder import Composite, Elementary, system
from plait.model.expr import Formula
from plait.model.node import nodes
from plait.model.shape import State, shape_of
from plait.model.text import show
from plait.reference import Semantics
from plait.report.answer import Branch, Step, Witness
from plait.report.explain import explain
from plait.report.view import StateView

MODEL = "gal g { int x = 2; int z; transition t [x < 2] { x += 1; } }\n"
DEEP = 1_000


class Counting(Semantics):
    """The semantics, with the nodes counted that are evaluated."""

    evaluated = 0

    def truth(self, formula: Formula, state: State) -> bool | None:
        self.evaluated += sum(1 for _ in nodes(formula))
        return super().truth(formula, state)


def explanation(text: str) -> tuple[list[str], float]:
    """The lines about a formula that holds at first, and how often each node was evaluated."""
    model = parse(MODEL, "g.gal")
    asked = parse_formula(f"reachable: {text}", model)
    assert isinstance(asked.body, Formula)
    semantics = Counting(model)
    lines = explain(semantics, asked, Witness(semantics.initial, ()))
    return lines, semantics.evaluated / sum(1 for _ in nodes(asked.body))


def test_an_explanation_evaluates_each_part_of_a_nested_formula_once() -> None:
    text = "x == 2"
    for _ in range(DEEP):
        text = f"x < 7 && (x == 9 && x / z > 0 || {text})"
    lines, often = explanation(text)
    assert often <= 1
    assert lines == [
        "in the last state this is true:",
        "  x < 7   (x = 2)",
        "  x == 2   (x = 2)",
    ]


def test_of_a_disjunction_the_first_part_that_is_true_is_told() -> None:
    told = ["in the last state this is true:", "  x == 2   (x = 2)"]
    assert explanation("1 / z == 1 || (x == 3 || x == 2) || x > 0")[0] == told
    assert explanation("!(1 / z == 1) || x == 2")[0] == told


def test_what_would_fill_the_screen_is_cut() -> None:
    many = " + ".join(f"a[{i}]" for i in range(300))
    model = parse("gal g { array [300] a; transition t [a[0] < 1] { a[0] = 1; } }", "g.gal")
    asked = parse_formula(f"reachable: {many} == 1", model)
    semantics = Semantics(model)
    state = (1, *[0] * 299)
    step = Step("t", state)
    _, line = explain(semantics, asked, Witness(semantics.initial, (step,)))
    assert line.startswith("  a[0] + a[1] + ")
    assert "...   (a[0] = 1, a[1] = 0, " in line
    assert line.endswith("a[39] = 0, and 260 more)")
    nested = f"{'EX (' * 300}a[0] == 1{')' * 300}"
    shown = parse_formula(nested, model).body
    assert isinstance(shown, Formula)
    branch = Branch(0, Witness(semantics.initial, (step,), shows=shown))
    tree = Witness(semantics.initial, (step,), branches=(branch,))
    assert all(len(row) < 600 for row in tree.show().splitlines())
    assert "in state 0 this holds: EX EX EX " in tree.show()


DVE = """\
int x = 0;
process A { state idle, busy, stuck; init idle;
  trans idle -> busy { effect x = 1; }, busy -> stuck { guard x == 1; effect x = 2; }; }
process B { state p, q; init q; trans p -> q { guard A.idle || x == 3; }; }
system async;
"""


def test_locations_are_named_as_in_traces() -> None:
    asked = plait.System(parse_dve(DVE, "a.dve"))
    stuck = asked.check("deadlock")
    assert "A.state: busy → stuck" in stuck.witness.show()
    assert stuck.explanation == (
        "no process can go on:",
        "  A  stuck  has nothing left to do",
        "  B  q      has nothing left to do",
    )
    assert asked.check("never: A.stuck && x == 2").explanation == (
        "in the last state this is true:",
        "  A.state == stuck   (A.state = stuck)",
        "  x == 2   (x = 2)",
    )
    assert asked.check("invariant: A.state < 2").explanation[1:] == (
        "  A.state < stuck   (A.state = stuck)",
    )
    assert asked.check("AG !A.stuck").explanation[1:] == ("  A.state != stuck   (A.state = stuck)",)
    branching = asked.check("EF (A.busy && EX A.stuck)").witness
    assert "this holds: EX (A.state == stuck)" in branching.show()


def test_a_number_is_no_location_where_two_components_name_it_differently() -> None:
    top, parts = Composite("top"), []
    for name, locations in (("a", ["idle", "busy"]), ("b", ["near", "far"])):
        part = Elementary(name)
        pc = part.variable("pc", 1)
        part.process(name, pc, locations)
        part.event("stop", when=pc == 1)
        top.instance(f"the_{name}", part)
        parts.append(part)
    view = StateView(shape_of(system(top, *parts)))
    assert show(view.with_names((pc == 1).node, ["the_a:pc"])) == "pc == busy"
    assert show(view.with_names((pc == 1).node, ["the_b:pc", "x"])) == "pc == far"
    assert show(view.with_names((pc == 2).node, ["the_b:pc"])) == "pc == 2"
    assert show(view.with_names((pc == 1).node)) == "pc == 1"


def test_words_of_an_enumeration_are_named_as_in_traces() -> None:
    text = """MODULE main
    VAR light : {red, green}; INIT light = red; TRANS next(light) = green
    INVARSPEC light != green"""
    (answer,) = plait.System(parse_smv(text, "m")).check_all()
    assert "light: red → green" in answer.witness.show()
    assert answer.explanation[1:] == ("  light != green   (light = green)",)


def test_symbolic_constants_and_channels_of_promela_are_shown_by_name() -> None:
    text = """
    mtype = { req, ack, nak };
    mtype:fruit = { apple, pear };
    chan to = [2] of { mtype, byte };
    chan back = [1] of { mtype };
    active proctype A() {
        mtype last[2];
        mtype:fruit f = pear;
        to!req,1; back?last[1]; f = apple; assert(last[1] == nak)
    }
    active proctype B() { chan c; byte n; to?req(n); c = back; c!ack }
    """
    model = parse_promela(text, "names.pml")
    answer, *_ = check(model, model.properties)
    assert answer.witness is not None
    shown = answer.witness.show()
    assert "to: [] → [(req, 1)]" in shown
    assert "B_1.c: 0 → back" in shown
    assert "back: [] → [ack]" in shown
    assert "A_0.last[1]: 0 → ack" in shown
    assert "A_0.f: pear → apple" in shown
