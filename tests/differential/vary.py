"""What a run says about random models: verdicts, counts and lengths of traces, as JSON.

`python -m tests.differential.vary FIRST COUNT`: a process of its own has other hashes, in the
native core always and in Python as PYTHONHASHSEED says. Within it, one thread and several agree.
"""

from __future__ import annotations

import json
import sys

from plait.engines import Budget, Method, Reduction, check, states
from plait.errors import PlaitError
from plait.model.types import Model
from plait.testing.choices import Seeded
from plait.testing.mix import CHANNELS, DEFAULT, NETS
from plait.testing.random_models import model as random_model
from plait.testing.subjects import searchable

MIXES = (DEFAULT, CHANNELS, NETS)
LIMIT = Budget(states=3000)
THREADS = (1, 2)


def told(model: Model, method: Method, reduction: Reduction, *, lengths: bool) -> object:
    """Counts of the whole space, and for each property the verdict and the length of its trace."""
    asked = [p for p in model.properties if searchable(p)]
    options = {"engine": "explicit", "method": method, "reduction": reduction, "budget": LIMIT}
    try:
        space = states(model, **options)  # type: ignore[arg-type]
        if not space.complete:
            return None  # how far it came depends on the order
        answers = check(model, asked, **options)  # type: ignore[arg-type]
    except PlaitError as error:
        return type(error).__name__
    found = [
        (a.verdict, len(a.witness.steps) if lengths and a.witness is not None else None)
        for a in answers
    ]
    return [space.states, space.arcs, space.deadlocks, space.max_value, found]


def main(first: int, count: int) -> list[object]:
    """The words of this process about so many models; it fails where threads differ."""
    words: list[object] = []
    for seed in range(first, first + count):
        model = random_model(Seeded(seed), MIXES[seed % len(MIXES)])
        methods = [Method(threads=n, alone=0) for n in THREADS]
        wide = [told(model, m, Reduction(), lengths=True) for m in methods]
        deep = [told(model, m, Reduction(order="dfs"), lengths=False) for m in methods]
        assert wide[0] == wide[1], (seed, wide)
        assert deep[0] == deep[1], (seed, deep)
        words.append([seed, wide[0], deep[0]])
    return words


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]))))
