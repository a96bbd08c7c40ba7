"""`python -m bench [NAME ...]`: run the benchmarks of these names, or all."""

from __future__ import annotations

import sys

from bench import explicit, reduction, symbolic

BENCHMARKS = {
    "explicit": explicit.main,
    "reduction": reduction.main,
    "symbolic": symbolic.main,
}


def main() -> None:
    names = sys.argv[1:] or list(BENCHMARKS)
    for name in names:
        if name not in BENCHMARKS:
            raise SystemExit(f"no benchmark named {name}; there are: {', '.join(BENCHMARKS)}")
        print(f"== {name}")
        BENCHMARKS[name]()


main()
