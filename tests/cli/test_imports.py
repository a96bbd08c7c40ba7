"""What a command on a small text imports: starting is most of what it costs."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"ast", "dataclasses", "difflib", "inspect", "typing", "plait.reference", "plait.smt"}
"""What takes as long to import as a small text takes to be read and counted."""
TEXTS = {
    "table.gal": "gal g { int x = 0; transition up [x < 3] { x += 1; } }",
    "steps.dve": "byte x; process P { state a; init a; trans a -> a { guard x < 3; "
    "effect x = x + 1; }; } system async;",
    "steps.pml": "byte x; active proctype P() { do :: x < 3 -> x++ :: else -> break od }",
}


@pytest.mark.parametrize("name", TEXTS)
def test_counting_the_states_of_a_text_imports_nothing_heavy(name: str, tmp_path: Path) -> None:
    code = (
        "import sys; before = set(sys.modules); from plait.cli.main import run;"
        "status = run(['states', sys.argv[1]]);"
        "print(*sorted(set(sys.modules) - before), file=sys.stderr); sys.exit(status)"
    )
    text = tmp_path / name
    text.write_text(TEXTS[name])
    command = [sys.executable, "-I", "-c", code, text]
    run = subprocess.run(command, capture_output=True, check=False)
    assert run.returncode == 0
    assert run.stdout.startswith(b"states ")
    assert not HEAVY & {*run.stderr.decode().split()}
