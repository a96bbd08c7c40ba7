"""Checks many models in one process and prints, in JSON, what it holds at the start and at the end.

`python many_checks.py COUNT`: so many checks, after enough of them that everything is imported and
every cache has begun. Each is of a model read anew; some go wrong, some run out of time.
"""

import json
import os
import sys
import threading
from itertools import cycle, islice
from pathlib import Path

import plait
from plait.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
GAL = (ROOT / "examples" / "philosophers.gal").read_text()
PML = (ROOT / "examples" / "protocols" / "transfer.pml").read_text()
ENDLESS = "gal g { int x; int y; transition t [true] { x += 1; } transition u [true] { y += 1; } }"
NET = """<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="p"><initialMarking><text>3</text></initialMarking></place><place id="q"/>
<transition id="t"/><arc id="a" source="p" target="t"/><arc id="b" source="t" target="q"/>
</page></net></pnml>"""
ENGINES = ("auto", "explicit", "symbolic", "reference")
CHECKS = [
    *((GAL, "gal", "free", {"engine": e}) for e in ENGINES),
    *((GAL, "gal", "AG EF (right[0] == 1)", {"engine": e}) for e in ENGINES),
    *((GAL, "gal", "G F (left[0] == 1)", {"engine": e}) for e in ("explicit", "symbolic")),
    *((NET, "pnml", "bounds: p + q", {"engine": e}) for e in ENGINES),
    *((NET, "pnml", "F G (q == 3)", {"engine": e}) for e in ("auto", "symbolic")),
    *((PML, "promela", "deadlock", {"engine": e}) for e in ("auto", "explicit")),
    (GAL, "gal", "AG (nobody == 1)", {}),
    ("gal g { int x", "gal", "deadlock", {}),
    *((ENDLESS, "gal", "never: x + y < 0", {"timeout": 0.01, "engine": e}) for e in ENGINES[1:]),
    (ENDLESS, "gal", "F (x > 5)", {"memory": 100_000_000, "timeout": 0.02}),
]
BOUNDED = (GAL, "gal", "free", {"engine": "bounded"})
"""Works in a process of its own, which takes longer than all others together."""


def check(text: str, language: str, question: str, options: dict[str, object]) -> None:
    """One check; whatever comes of it."""
    try:
        answer = plait.parse(text, language=language).check(question, **options)  # type: ignore[arg-type]
    except InputError:
        return
    str(answer.witness)


def held() -> dict[str, int]:
    """What the process has."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        "bytes": pages * os.sysconf("SC_PAGESIZE"),
        "files": len(os.listdir("/proc/self/fd")),
        "threads": threading.active_count() + len(os.listdir("/proc/self/task")),
    }


def main(count: int) -> None:
    """Warm up, and then check."""
    for one in (*islice(cycle(CHECKS), 4 * len(CHECKS)), BOUNDED):
        check(*one)
    start = held()
    for number, one in enumerate(islice(cycle(CHECKS), count)):
        check(*one)
        if number % 500 == 0:
            check(*BOUNDED)
    try:
        os.waitpid(-1, os.WNOHANG)
        left = 1
    except ChildProcessError:
        left = 0
    print(json.dumps({"start": start, "end": held(), "children": left}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
