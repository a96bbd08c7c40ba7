"""Small texts in GAL, read or refused."""

from pathlib import Path

import pytest

from plait.errors import InputError
from plait.lang.gal import parse
from plait.model.expr import (
    Const,
    Formula,
    IntExpr,
    Var,
)
from plait.model.types import (
    ElementaryType,
    Event,
)

ONE, TWO = Const(1), Const(2)
x, y = Var("x"), Var("y")

TEMPLATE = """
    interface Worker { "work"; "rest"(0); }
    interface Any { }
    typedef bit = 0 .. 1;
    gal Bee { int x; transition w [true] label "work" { x = 1; }
              transition r (bit $i) [true] label "rest"($i) { x = $i; } }
    gal Ant ($K = 1) { int x; int y; transition w [true] label "work" { x = $K; }
              transition r (bit $i) [true] label "rest"($i) { y = $i; } }
    composite Pair<T extends Worker, Any, U extends Worker> ($N = 2) {
      T[$N] t; U u; synchronization go label "go" { t[0]."work"; u."rest"(1); } }
    composite Twice<V extends Worker> { Pair<V, V> p; Pair<V, Bee> q; }
"""


def elementary(body: str) -> ElementaryType:
    model = parse(f"gal T {{ int x; int y; array [3] a; {body} }}", "m")
    assert isinstance(model.system, ElementaryType)
    return model.system


def event(text: str) -> Event:
    return elementary(text).events[0]


def prop(text: str, kind: str = "reachable") -> Formula | IntExpr | None:
    source = f"gal T {{ int x; int y; array [3] a; }} property p [{kind}] : {text};"
    return parse(source, "m").properties[0].body


def rejected(text: str, path: Path | None = None) -> str:
    with pytest.raises(InputError) as failure:
        parse(text, "m", path)
    found = failure.value.diagnostics[0]
    place = f"{found.span.line}:{found.span.column}: " if found.span else ""
    return place + found.message
