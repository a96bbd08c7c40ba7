"""A model that no decision diagram makes small."""

import random

from plait import System, parse


def hard(bits: int = 56, events: int = 26) -> System:
    """Sums of random words over two values: no order of the variables gives a small diagram."""
    choose = random.Random(5)
    flips = [
        " ".join(f"b[{i}] = 1 - b[{i}];" for i in sorted(choose.sample(range(bits), bits // 3)))
        for _ in range(events)
    ]
    lines = "\n".join(f"transition t{n} {{ {flip} }}" for n, flip in enumerate(flips))
    zeros = ", ".join("0" for _ in range(bits))
    return parse(f"gal hard {{ array [{bits}] b = ({zeros}); {lines} }}")
