"""A model whose names try to get out of wherever they are written."""

import plait
from plait.model.builder import Elementary, ask, system

NAMES = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "<!-- --><!--<script>",
    "new\nline\ttab\0nul",
    "emoji 😀👩‍🚀",
    "right \u202eto left\u202c \u200f",
    "__proto__",
    "constructor",
    "a'b`${alert(3)}`",
    "&lt;&amp;\u2028\u2029",
    "\\u003c/script\\u003e",
)


def hostile() -> plait.System:
    """A deadlock after as many steps as there are names, each a variable, an event, a process."""
    bad = Elementary(NAMES[0])
    pc = bad.variable(NAMES[1] + " pc", 0)
    bad.process(NAMES[1], pc, [f"{n} at" for n in NAMES] + ["end"])
    for i, name in enumerate(NAMES):
        cell = bad.variable(name, 0)
        done = [cell.set(1), pc.set(i + 1)]
        bad.event(f"{name} event", when=[pc == i, cell == 0], do=done, process=NAMES[1])
    stuck = ask(NAMES[2], "deadlock")
    return plait.System(system(bad, name=NAMES[0], properties=[stuck]))
