"""The file transfer protocol of Godefroid's thesis, beside its figures and SPIN's."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from plait.engines import Reduction, states
from plait.lang.promela import load

SPIN = 350_622
THESIS = 249_994
"""States of PS+SLEEP."""


@pytest.mark.soak
def test_the_file_transfer_is_reduced_below_the_thesis(data: Path, tmp_path: Path) -> None:
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
    assert (reduced.states or 0) < THESIS < SPIN
