"""`python -m bench [NAME ...]`: run the benchmarks of these names, or all but the long ones."""

from __future__ import annotations

import sys

from bench import (
    beside_spin,
    compare,
    counts,
    ctl,
    distances,
    explicit,
    mcc,
    reduction,
    stores,
    symbolic,
    texts,
    threads,
)

BENCHMARKS = {
    "explicit": explicit.main,
    "texts": texts.main,
    "stores": stores.main,
    "threads": threads.main,
    "reduction": reduction.main,
    "beside-spin": beside_spin.main,
    "symbolic": symbolic.main,
    "rivals": compare.main,
    "ctl": ctl.main,
    "distances": distances.main,
    "counts": counts.main,
    "mcc": mcc.main,
}
LONG = ("counts", "mcc", "beside-spin", "texts")


def main() -> None:
    names = sys.argv[1:] or [name for name in BENCHMARKS if name not in LONG]
    for name in names:
        if name not in BENCHMARKS:
            raise SystemExit(f"no benchmark named {name}; there are: {', '.join(BENCHMARKS)}")
        print(f"== {name}\n", flush=True)
        BENCHMARKS[name]()


if __name__ == "__main__":
    main()
