"""What a command on a small text imports: starting is most of what it costs."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"ast", "dataclasses", "difflib", "inspect", "typing", "plait.reference", "plait.smt"}
"""What takes as long to import as a small text takes to be read and counted."""
FOR_LINES = {"argparse", "gettext", "pathlib", "shutil", "textwrap", "urllib.parse"}
"""What only lines that are wrong, and some texts, need."""
FOR_LONG_WORK = {"fractions", "pickle", "signal", "threading", "plait.automata", "plait.smt"}
"""What only large models need, or properties of runs."""
FOR_TEXTS = {"enum", "re", "plait.compiler", "plait.model.expr", "plait.model.net", "plait.passes"}
"""What no net in a file needs whose states are counted."""
NET = """<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="p"><initialMarking><text>1</text></initialMarking></place><place id="q"/>
<transition id="t"/><arc id="a" source="p" target="t"/><arc id="b" source="t" target="q"/>
</page></net></pnml>"""
TEXTS = {
    "table.gal": "gal g { int x = 0; transition up [x < 3] { x += 1; } }",
    "steps.dve": "byte x; process P { state a; init a; trans a -> a { guard x < 3; "
    "effect x = x + 1; }; } system async;",
    "steps.pml": "byte x; active proctype P() { do :: x < 3 -> x++ :: else -> break od }",
}


def imported(command: str, text: Path, *options: str) -> tuple[int, bytes, set[str]]:
    """The status of a command, what it printed, and the modules that it imported."""
    code = (
        "import sys; before = set(sys.modules); from plait.cli.main import run;"
        "status = run(sys.argv[1:]);"
        "print(*sorted(set(sys.modules) - before), file=sys.stderr); sys.exit(status)"
    )
    line = [sys.executable, "-I", "-c", code, command, text, *options]
    run = subprocess.run(line, capture_output=True, check=False)
    return run.returncode, run.stdout, {*run.stderr.decode().split()}


@pytest.mark.parametrize("name", TEXTS)
def test_counting_the_states_of_a_text_imports_nothing_heavy(name: str, tmp_path: Path) -> None:
    text = tmp_path / name
    text.write_text(TEXTS[name])
    status, printed, modules = imported("states", text)
    assert status == 0
    assert printed.startswith(b"states ")
    assert not HEAVY & modules


@pytest.mark.parametrize("engine", ["auto", "explicit", "symbolic"])
def test_counting_the_states_of_a_net_imports_nothing_of_texts(engine: str, tmp_path: Path) -> None:
    net = tmp_path / "net.pnml"
    net.write_text(NET)
    status, printed, modules = imported("states", net, "--engine", engine)
    assert status == 0
    assert printed.startswith(b"states          2")
    assert "plait._core" in modules
    assert not (HEAVY | FOR_LINES | FOR_LONG_WORK | FOR_TEXTS) & modules


def test_checking_a_small_text_imports_nothing_for_large_models(tmp_path: Path) -> None:
    text = tmp_path / "table.gal"
    text.write_text(
        TEXTS["table.gal"] + "property low [never] : x > 3; property up [ctl] : AG EF (x == 3);"
    )
    status, printed, modules = imported("check", text)
    assert status == 0
    assert b"2 hold" in printed
    # Formulas on a small graph are the reference's.
    assert not (HEAVY - {"plait.reference"} | FOR_LINES | FOR_LONG_WORK) & modules
