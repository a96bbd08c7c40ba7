"""Watch expressions in the script of a page mean what they mean in a property.

They are run by `node`, where there is one: the only test that needs more than Python.
"""

import json
import random
import shutil
import subprocess

import pytest

from plait.errors import InputError
from plait.lang.gal import parse
from plait.logic.parse import parse_formula
from plait.reference import Semantics
from plait.report.page import WEB
from plait.report.view import StateView

NODE = shutil.which("node")
MODEL = """gal g { int x = 3; int y = -7; int z = 0; array [3] a = (4, 0, -2147483648);
transition t [x < 3] { x += 1; } }"""
CARD: dict[str, object] = {
    "model": "g",
    "words": [[[0, "idle"], [1, "busy"], [2, "69#2"]], [[5, "req"]]],
    "items": [
        {"name": "p[0]:pc", "words": 0},
        {"name": "q", "width": 1, "fields": [1]},
        {"name": "wide", "width": 2, "fields": [1, None]},
    ],
    "processes": [{"name": "p[0].P", "pc": "p[0]:pc"}],
    "lanes": ["p[0].P"],
    "actions": [],
    "sources": [],
    "questions": [],
}
STATE = {
    "x": 2,
    "i": 1,
    "a[0]": 7,
    "a[1]": 9,
    "p[0]:pc": 1,
    "user_2._pc": 4,
    "p[0]:a[1]": 6,
    "s[1].at.x[2]": 12,
    "q": [5, 6],
    "wide": [5, 1, 6, 2],
    "odd name </script>": 8,
    "__proto__": 5,
    "constructor": 3,
}
DRIVER = """
const { card, state, expressions } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const trace = new Trace(new Card(card), { initial: state, steps: [], loop: null });
const scope = scopeOf(trace);
console.log(JSON.stringify(expressions.map((text) => {
  try {
    return { value: compileExpression(text, scope)(trace.values(0)) };
  } catch (failure) {
    if (!(failure instanceof ExpressionError)) { throw failure; }
    return { error: failure.message };
  }
})));
"""


def evaluated(state: dict[str, object], expressions: list[str]) -> list[dict[str, object]]:
    """What the script makes of expressions in a state."""
    if NODE is None:
        pytest.skip("there is no node to run the script of the page")
    script = "".join((WEB / f"{name}.js").read_text() for name in ("expression", "trace"))
    asked = json.dumps({"card": CARD, "state": state, "expressions": expressions})
    run = subprocess.run(
        [NODE, "-e", '"use strict";' + script + DRIVER],
        input=asked,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    found: list[dict[str, object]] = json.loads(run.stdout)
    return found


def random_expression(chance: random.Random, depth: int, boolean: bool) -> str:
    """A text in the grammar of GAL, with few parentheses: precedence is what is tested."""

    def inner(boolean: bool) -> str:
        return random_expression(chance, depth - 1, boolean)

    if boolean:
        if depth == 0 or chance.random() < 0.4:
            return f"{inner(False)} {chance.choice(COMPARISONS)} {inner(False)}"
        form = chance.choice(["{} {} {}", "({} {} {})", "!{2}", "!({0} {1} {2})"])
        return form.format(inner(True), chance.choice(CONNECTIVES), inner(True))
    if depth <= 0:
        return chance.choice(LEAVES)
    form = chance.choice(["{} {} {}", "{} {} {}", "({} {} {})", "-({0})", "~{0}", "a[{0}]"])
    return form.format(inner(False), chance.choice(ARITHMETIC), inner(False))


COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]
CONNECTIVES = ["&&", "||", "->", "<->"]
ARITHMETIC = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "**"]
LEAVES = ["x", "y", "z", "a[0]", "a[1]", "a[2]", "0", "1", "2", "31", "2147483647", "a[z + 2]"]


def test_expressions_mean_what_they_mean_in_properties() -> None:
    model = parse(MODEL, "g.gal")
    semantics = Semantics(model)
    state = StateView(semantics.shape).values(semantics.initial)
    chance = random.Random(7)
    asked, wanted = [], []
    while len(asked) < 3000:
        text = random_expression(chance, chance.choice([1, 2, 3]), boolean=True)
        try:
            body = parse_formula(text, model, kind="reachable").body
        except InputError:
            continue  # a condition where GAL wants a number; the page is less strict
        asked.append(text)
        wanted.append({"value": semantics.truth(body, semantics.initial)})  # type: ignore[arg-type]
    assert {w["value"] for w in wanted} == {True, False, None}
    assert list(zip(asked, evaluated(dict(state), asked), strict=True)) == list(
        zip(asked, wanted, strict=True)
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("q[0] + x == 7", True),
        ("a[i] + a[i - 1]", 16),
        ("a[2]", None),
        ("q[2]", None),
        ("p[0]:pc == busy", True),
        ("p[0].pc != idle", True),
        ('"69#2" == p[0].pc', False),
        ("p[i - 1]:a[1]", 6),
        ("s[i].at.x[i + 1]", 12),
        ("s[0].at.x[0]", None),
        ("user_2._pc", 4),
        ("len(q) == 2 && nempty(q) && !empty(q)", True),
        ("len(wide)", 2),
        ("wide[1][1]", 2),
        ("wide[0]", [5, 1]),
        ("q == q and not x == 3", True),
        ('"odd name </script>" * 2', 16),
        ("__proto__ + constructor", 8),
        ("-2147483648 - 1", 2147483647),
        ("1 / 0 == 1 || x == 2", True),
        ("1 / 0 == 1", None),
        ("2 ** 3 ** 2", 64),
        ("true -> x = 2", True),
    ],
)
def test_names_and_queues(text: str, value: object) -> None:
    assert evaluated(STATE, [text]) == [{"value": value}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x +", "column 4: something is missing at the end"),
        ("x $", "column 3: '$' is not expected here"),
        ("quue[0]", "column 1: there is no array 'quue'"),
        ("x + toString", "column 5: there is no 'toString'"),
        ("idle", "column 1: there is no 'idle'"),
        ("a == 1", "column 1: 'a' is an array and needs an index"),
        ("(x", "column 3: ')' is expected at the end"),
        ("x x", "column 3: 'x' is not expected here"),
        ("alert(1)", "column 6: '(' is not expected here"),
        ("9999999999", "column 1: 9999999999 is no 32-bit integer"),
        ("(" * 3000, "column 2001: more than 2000 characters"),
        ("(" * 1999 + "x", "column 2001: ')' is expected at the end"),
        ("😀", "column 1: '😀' is not expected here"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, message: str) -> None:
    (found,) = evaluated(STATE, [text])
    assert found == {"error": message}
