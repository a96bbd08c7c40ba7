"""`import plait`: what a notebook shows, and that it says what the command says."""

import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import plait
from plait.errors import InputError
from plait.logic.formula import Finally
from plait.model.expr import TRUE, Compare, Const, Enabled, Var
from plait.model.types import Property
from plait.report.answer import Magnitude, StateSpace

LAMP = "gal lamp { int x; transition on [x == 0] { x = 1; } transition off [x == 1] { x = 0; } }\n"
NET = """\
<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="p"><initialMarking><text>2000000000</text></initialMarking></place>
<place id="q"><initialMarking><text>2000000000</text></initialMarking></place>
<transition id="t"/><arc id="a" source="p" target="t"/><arc id="b" source="t" target="p"/>
</page></net></pnml>
"""


def test_a_trace_shows_its_branches() -> None:
    answer = plait.parse(LAMP).check("EF (x == 1 && EX x == 0)")
    assert answer.witness is not None
    shown = answer.witness.show()
    assert "on" in shown.splitlines()[1]
    assert "in state 1 this holds: EX (x == 0)" in shown


def test_an_answer_is_a_line_in_a_notebook() -> None:
    system = plait.parse(LAMP)
    assert repr(system.check("never: x == 1")).startswith("<Answer formula: false, explicit, ")
    assert repr(system.check("never: x == 1")).endswith(" s, a trace of 1 step>")
    assert repr(system.check("bounds: x + 4")).startswith("<Answer formula: 5, explicit, ")
    unknown = repr(system.check("AG EF x == 1", engine="bounded"))
    assert "the bounded engine does not check ctl properties" in unknown


def test_an_answer_in_a_condition_says_whether_the_property_holds() -> None:
    lamp = plait.parse(LAMP)
    assert lamp.check("AG EF x == 1")
    assert not lamp.check("never: x == 1")
    assert lamp.check("reachable: x == 1")
    assert not lamp.check("reachable: x == 2")
    assert [a.verdict for a in map(lamp.check, ("G F x == 1", "G x == 0")) if a] == ["true"]


def test_an_answer_that_is_unknown_is_neither_true_nor_false() -> None:
    answer = plait.parse(LAMP).check("AG EF x == 1", engine="bounded")
    with pytest.raises(plait.UndecidedError, match=r"'formula' is unknown .the bounded") as raised:
        bool(answer)
    assert (
        raised.value.reason == answer.reason == "the bounded engine does not check ctl properties"
    )


def test_an_answer_that_is_a_number_is_neither_true_nor_false() -> None:
    for question in ("bounds: x", "bounds: x / (x - x)"):
        with pytest.raises(TypeError, match=r"asks for a number.*answer\.value"):
            bool(plait.parse(LAMP).check(question))


def test_a_notebook_shows_the_words_of_the_command() -> None:
    lamp = plait.parse(LAMP + "property never_on [never] : x > 0 && x < 2;")
    shown = lamp.check("never_on")._repr_html_()
    assert "<code>never x &gt; 0 &amp;&amp; x &lt; 2</code>" in shown
    assert ">violated</b>" in shown
    assert cells(shown)[-4:] == ["1", "on", "1", "x: 0 → 1"]
    assert "in the last state this is true" in shown
    assert "<pre" not in lamp.check("AG EF x == 1")._repr_html_()
    assert cells(lamp.states()._repr_html_())[:2] == ["states", "2"]


def cells(html: str) -> list[str]:
    """What stands in the cells of the tables of a text."""
    return [cell.text or "" for cell in ElementTree.fromstring(html).iter("td")]


def test_a_trace_is_a_line_and_is_printed_as_it_is_shown() -> None:
    lamp = plait.parse(LAMP)
    trace = lamp.check("never: x == 1").witness
    assert trace is not None
    assert (repr(trace), str(trace)) == ("<Witness 1 step>", trace.show())
    assert cells(trace._repr_html_()) == ["0", "initial state", "", "", "1", "on", "1", "x: 0 → 1"]
    assert repr(lamp.check("F G x == 1").witness) == "<Witness 3 steps, back to state 1>"


def test_answers_and_errors_travel_between_processes() -> None:
    lamp = plait.parse(LAMP)
    answer = lamp.check("never: x == 1")
    again = pickle.loads(pickle.dumps(answer))
    assert again == answer
    assert str(again.witness) == str(answer.witness)
    with pytest.raises(InputError) as wrong:
        lamp.check("never: y == 1")
    copied = pickle.loads(pickle.dumps(wrong.value))
    assert (type(copied), copied.render()) == (InputError, wrong.value.render())
    with pytest.raises(plait.UndecidedError) as open_:
        bool(lamp.check("AG EF x == 1", engine="bounded"))
    copied = pickle.loads(pickle.dumps(open_.value))
    assert (str(copied), copied.reason) == (str(open_.value), open_.value.reason)


def test_texts_of_other_languages_are_read() -> None:
    promela = "#define N 2\nbyte x; active [N] proctype P() { x++ }"
    assert plait.parse(promela, language="promela").check("bounds: x").value == 2
    assert plait.parse(promela, language="promela", N=3).check("bounds: x").value == 3
    assert plait.parse(NET, "net", "pnml").check("invariant: p + q > 0").verdict == "unknown"
    dve = "process P { state a, b; init a; trans a -> b { }; } system async;"
    assert plait.parse(dve, language="dve").check("reachable: P.b")
    with pytest.raises(InputError, match="no language named 'spin'\n  there are: gal, pnml, "):
        plait.parse(promela, language="spin")


def test_time_petri_nets_are_read_from_texts() -> None:
    net = plait.parse("tr t [1,2] p -> q\npl p (1)\n", "net", "tina")
    assert net.check("reachable: q == 1")


def test_an_expression_is_evaluated_along_a_trace() -> None:
    lamp = plait.parse(
        "gal g { int x; array [2] a; transition up [x < 3] { x += 1; a[0] = x * 2; } }"
    )
    witness = lamp.check("never: x == 3").witness
    assert witness is not None
    assert lamp.along(witness, "x + a[0]") == [0, 3, 6, 9]
    assert lamp.along(witness, "a[0] == 4") == [False, False, True, False]
    assert lamp.along(witness, "6 / x") == [None, 6, 3, 2]
    assert lamp.along(witness, "6 / x == 6") == [None, True, False, False]
    assert lamp.along(witness, "deadlock") == [False, False, False, True]
    for wrong, message in (
        ("y", "<expression>:1:1: type 'g' has no variable 'y'"),
        ("EF x == 1", "a state formula is needed here"),
        ("x +", "<expression>:1:4: expected a formula"),
        ("", "<expression>:1:1: expected a formula"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            lamp.along(witness, wrong)
    with pytest.raises(InputError, match="the trace is not one of model"):
        plait.parse("gal h { int x; }").along(witness, "x")


def test_a_trace_with_more_room_and_values_with_names_are_evaluated_too() -> None:
    text = """mtype = { idle, busy }; mtype m = idle; byte x, n;
    proctype Q() { x++; m = busy }
    active proctype P() { do :: n < 3 -> n++; run Q() :: else -> break od }"""
    system = plait.parse(text, language="promela")
    assert system.model.larger is not None
    model = system.model.larger()
    witness = plait.System(model).check("never: x == 3").witness
    assert witness is not None
    assert max(plait.System(model).along(witness, "x")) == 3
    assert system.along(witness, "x") == plait.System(model).along(witness, "x")
    assert system.along(witness, "m == busy")[0] is False
    smv = "MODULE main VAR t : {a, b}; ASSIGN init(t) := a; next(t) := b; INVARSPEC t = a"
    flip = plait.parse(smv, language="smv")
    [answer] = flip.check_all()
    assert answer.witness is not None
    assert flip.along(answer.witness, "t = b") == [False, True]


def test_a_shape_is_shown_in_a_line() -> None:
    assert repr(plait.parse("gal g { int x; array [3] a; }").shape) == "<Shape g: 4 cells>"


def test_an_error_shows_its_place_in_a_traceback() -> None:
    with pytest.raises(InputError) as wrong:
        plait.parse("gal g { int x; transition t [y == 1] { } }", "lamp.gal")
    assert str(wrong.value).startswith("lamp.gal:1:30: undeclared variable 'y'\n1 | gal g")


def test_a_misspelt_property_is_guessed() -> None:
    lamp = plait.parse(LAMP + "property always_on [invariant] : x == 1;")
    with pytest.raises(InputError, match=r"no property 'alwys_on'\n  did you mean 'always_on'\?"):
        lamp.check("alwys_on")
    with pytest.raises(InputError, match=r"no property 'other'\n  there are: always_on"):
        lamp.check("other")


@pytest.mark.parametrize("limits", [{"timeout": 0}, {"timeout": "1"}, {"memory": "1G"}])
def test_limits_that_are_none_are_refused(limits: dict[str, Any]) -> None:
    (name,) = limits
    with pytest.raises(InputError, match=f"the {name} is not a positive number of "):
        plait.parse(LAMP).check("deadlock", **limits)


def test_everything_public_is_found_without_being_used() -> None:
    code = "import plait; print(set(plait.__all__) <= set(dir(plait)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "True\n"


def test_the_size_of_a_state_space_is_a_line_whatever_its_size() -> None:
    space = plait.parse(LAMP).states()
    assert repr(space).startswith("<StateSpace 2 states, 2 arcs, 0 deadlocks, explicit, ")
    huge = StateSpace(True, None, 10**5000, "symbolic", deadlocks=1)
    assert repr(huge).endswith("(about 1.0000e5000) states, 1 deadlock, symbolic, 0.00 s>")
    vast = StateSpace(True, None, None, "symbolic", None, 2, 1, 1, magnitude=Magnitude(3.0, 40))
    assert repr(vast) == "<StateSpace about 10^3.00000e40 states, 2 deadlocks, symbolic, 0.00 s>"
    cut = StateSpace(False, "timeout", 7, "explicit", 9, 0, 1, 1)
    assert repr(cut).startswith("<StateSpace at least 7 states, at least 9 arcs, at least 0 ")


def test_a_sum_of_places_beyond_the_integers_is_unknown_as_for_the_command(tmp_path: Path) -> None:
    file = tmp_path / "net.pnml"
    file.write_text(NET)
    net = plait.load(file)
    for question in ("bounds: p + q", "invariant: p + q > 0", "never: p + q < 0"):
        answer = net.check(question)
        assert answer.verdict == "unknown"
        assert answer.reason == "a number of the question leaves the 32-bit integers"
    assert net.check("invariant: p == q").verdict == "true"


def test_what_makes_no_sense_is_an_input_error() -> None:
    text = "$N = 2;\n" + LAMP.replace("int x;", "int x; array [$N] a;")
    space = plait.parse(text, N=3).states()
    assert (space.states, space.count) == (2, 2)
    for values in ({"N": -1}, {"N": 2**40}, {"N": "x"}, {"N": 1.5}, {"M": 1}):
        with pytest.raises(InputError):
            plait.parse(text, **values)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="an atom only names a condition"):
        plait.parse(LAMP + "property lit [atom] : x == 1;").check("lit")


def test_fewer_than_no_steps_or_traces_are_an_input_error() -> None:
    lamp = plait.parse(LAMP)
    assert lamp.states(depth=0).states == 1
    assert lamp.traces("reachable: x == 1", 0) == []
    with pytest.raises(InputError, match="the depth is less than 0: -1"):
        lamp.states(depth=-1)
    with pytest.raises(InputError, match="the limit is less than 0: -1"):
        lamp.traces("reachable: x == 1", -1)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (
            Property("p", kind="reachable", body=Compare("==", Var("y"), Const(1))),
            "variable 'y'",
        ),
        (Property("p", kind="never", body=Enabled(("fly",))), "no event named 'fly'"),
        (Property("p", kind="ctl", body=Finally(TRUE)), "CTL needs A or E"),
        (Property("p", kind="bounds", body=TRUE), "'p' needs a number"),
        (Property("p", kind="invariant"), "'p' needs a formula"),
        (Property("p", kind="bounds", body=Const(2**40)), "does not fit in 32 bits"),
    ],
)
def test_a_property_made_by_hand_is_looked_at_like_one_in_a_text(
    question: Property, message: str
) -> None:
    lamp = plait.parse(LAMP)
    with pytest.raises(InputError, match=message):
        lamp.check(question)
    with pytest.raises(InputError, match=message):
        lamp.traces(question, 1)
    assert lamp.check(Property("p", kind="reachable", body=TRUE)).verdict == "true"


VAIN = """gal door { int open = 0; transition turn [open < 2] { open = 1 - open; } }
property shuts [ltl] : G (open == 2 -> F (open == 0));
property small [invariant] : open == 0 -> open < 2;"""


def test_what_holds_in_vain_is_told_as_on_the_command_line() -> None:
    door = plait.parse(VAIN)
    note = "shuts holds vacuously: its premise is true in no reachable state: open == 2"
    assert door.check("shuts").notes == (note,)
    assert door.check("small").notes == ()
    assert [a.notes for a in door.check_all()] == [(note,), ()]
    assert note in door.check("shuts")._repr_html_()
    unasked = door.check("AG (open == 3 -> AF (open == 0))", engine="symbolic")
    assert unasked.notes[0].endswith("reachable state: open == 3")
