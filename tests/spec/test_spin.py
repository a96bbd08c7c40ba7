"""The Promela pages of the manual against SPIN itself, where it is installed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from literate import Block, Case, names, read_page
from tests.lang.spin import AVAILABLE, Run, Spin

from plait.lang import load

PAGES = sorted((Path(__file__).parent / "promela").glob("*.md"))
CASES = [c for page in PAGES for c in read_page(page) if c.of("expect")]
LINE = re.compile(r"(?:(?P<states>states) |(?P<name>[^:]+): )(?P<value>true|false|\d+)")


@pytest.mark.soak
@pytest.mark.skipif(not AVAILABLE, reason="spin or gcc is not installed")
@pytest.mark.parametrize("case", CASES, ids=names(CASES))
def test_the_pages_say_what_spin_says(case: Case, tmp_path: Path) -> None:
    folder = tmp_path / "spin"
    folder.mkdir()
    path = case.write(tmp_path)
    spin = Spin(path, folder)
    assert spin.refused is None, spin.refused
    kinds = {p.name: p.kind for p in load(path).properties}
    for block in case.of("expect"):
        _compare(spin, block, kinds, agrees=block.settings.get("spin") != "otherwise")


def _compare(spin: Spin, block: Block, kinds: Mapping[str, str], *, agrees: bool) -> None:
    """SPIN says what the block says, or, where the page says so, of each verdict the opposite."""
    lines = [t for _, t in block.statements()]
    found = {m["name"] or "states": m["value"] for t in lines if (m := LINE.fullmatch(t))}
    assertions = [v for n, v in found.items() if n.startswith(("assertion", "d_step"))]
    for name, value in found.items():
        if name == "states":
            counted = spin.run("-E", "-A", "-c0", build=("-DSAFETY", "-DNOCLAIM"))
            assert counted.states == int(value), name
        elif not name.startswith(("assertion", "d_step", "deadlocks")):
            same = _violated(spin, name, kinds[name]) == (value == "false")
            assert same == agrees, name
    if assertions:
        safety = spin.safety()
        wrong = safety.assertion or safety.has("block in d_step")
        assert wrong == ("false" in assertions)


def _violated(spin: Spin, name: str, kind: str) -> bool:
    """Whether SPIN finds an error of that kind."""
    if name == "invalid end state":
        return spin.safety().has("invalid end state")
    if name == "event trace":
        return spin.safety().has("event_trace error")
    if name == "run-time error":
        return spin.safety().mistake
    if name == "acceptance cycle":
        return spin.acceptance().has("acceptance cycle", "accept stutter")
    if name == "non-progress cycle":
        return spin.progress().has("non-progress cycle")
    assert kind == "ltl", name
    run: Run = spin.claim(None if name == "never claim" else name)
    return bool(run.errors)
