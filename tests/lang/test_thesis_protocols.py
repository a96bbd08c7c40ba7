"""The public protocols of Godefroid's thesis: full and reduced, beside its figures and SPIN's.

The file transfer is among the published models. The data transfer (`Examples/dtp.pml` of SPIN) is
not: `PLAIT_SPIN_EXAMPLES` names a folder that has it.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from plait.engines import Reduction, states
from plait.lang.promela import load

EXAMPLES = Path(os.environ.get("PLAIT_SPIN_EXAMPLES", "/nowhere"))
SPIN = {"dtp": 47_126, "pftp": 350_622}
THESIS = {"dtp": 9_904, "pftp": 249_994}
"""States of PS for the data transfer, of PS+SLEEP for the file transfer."""


@pytest.mark.soak
def test_the_file_transfer_is_reduced_below_the_thesis(data: Path, tmp_path: Path) -> None:
    """covers: P71 (PFTP)"""
    book = data / "promela" / "spin" / "Book_1991"
    for header in book.glob("*.h"):
        shutil.copy(header, tmp_path)
    text = (book / "p330.pml").read_text()
    lossy = re.sub(r"(#define\s+LOSS\s+)0", r"\g<1>1", text)
    assert lossy != text
    (tmp_path / "p330.pml").write_text(lossy)
    model = load(tmp_path / "p330.pml")
    full = states(model, engine="explicit")
    assert full.states == 446_981
    reduced = states(model, engine="explicit", reduction=Reduction("ps+sleep", order="dfs"))
    assert reduced.deadlocks == full.deadlocks
    assert (reduced.states or 0) < THESIS["pftp"] < SPIN["pftp"]


@pytest.mark.soak
@pytest.mark.skipif(not (EXAMPLES / "dtp.pml").is_file(), reason="PLAIT_SPIN_EXAMPLES is not set")
def test_the_data_transfer_has_the_states_and_arcs_of_the_thesis() -> None:
    """covers: P69, P71"""
    model = load(EXAMPLES / "dtp.pml")
    full = states(model, engine="explicit")
    # The thesis, as SPIN, counts the initial state as a step.
    assert (full.states, (full.arcs or 0) + 1) == (251_409, 648_467)
    reduced = states(model, engine="explicit", reduction=Reduction("ps", order="dfs"))
    assert reduced.deadlocks == full.deadlocks
    assert (reduced.states or 0) <= THESIS["dtp"] < SPIN["dtp"]
