"""`python -m plait.testing`: hunt from a shell, for as long as you like.

    python -m plait.testing --count 10000 --first 0 --subject explicit --mix DEFAULT

Prints every failure with its seed and its smallest model, then what was compared. The exit status
is 1 when something differed.
"""

from __future__ import annotations

import argparse
import sys

from plait.testing import mix as mixes
from plait.testing.hunt import LIMIT, hunt
from plait.testing.subjects import SUBJECTS, searchable
from plait.testing.tally import Tally

MIXES = ("DEFAULT", "GAL", "COMPOSITES", "CHANNELS", "NETS", "SMALL")


def main() -> int:
    """Hunt and report."""
    parser = argparse.ArgumentParser(prog="python -m plait.testing", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=1000, help="how many models")
    parser.add_argument("--limit", type=int, default=LIMIT, help="leave out larger state spaces")
    parser.add_argument("--mix", choices=MIXES, default="DEFAULT")
    parser.add_argument("--subject", choices=[*SUBJECTS, "all"], default="explicit")
    asked = parser.parse_args()
    subjects = SUBJECTS if asked.subject == "all" else {asked.subject: SUBJECTS[asked.subject]}
    tally = Tally()
    failures = 0
    for failure in hunt(
        range(asked.first, asked.first + asked.count),
        subjects,
        tally,
        mix=getattr(mixes, asked.mix),
        limit=asked.limit,
        asks=searchable if asked.subject == "explicit" else lambda p: True,
    ):
        failures += 1
        print(failure, flush=True)
    print(tally.report())
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
