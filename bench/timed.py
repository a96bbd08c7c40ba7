"""One search of one thread, timed from inside: `python timed.py MODEL SUCCESSORS`.

Prints, as JSON, the seconds of the processor until the search could begin (Python's start, reading
the text, the passes), those of the search with all that belongs to it, the states, and the bytes
that they take with the index and the search tree.
"""

from __future__ import annotations

import json
import sys
import time

from plait.engines.budget import Budget
from plait.engines.explicit.engine import Explicit
from plait.engines.explicit.method import Method
from plait.engines.prepared import prepare
from plait.lang import load


def main() -> None:
    file, successors = sys.argv[1:]
    model = load(file)
    prepared = prepare(model)
    engine = Explicit(model, method=Method(threads=1, successors=successors))
    start = time.process_time()
    found = engine.states(Budget(), prepared=prepared)
    search = time.process_time() - start
    size = found.stats["store_bytes"]
    json.dump({"start": start, "search": search, "states": found.states, "bytes": size}, sys.stdout)


if __name__ == "__main__":
    main()
