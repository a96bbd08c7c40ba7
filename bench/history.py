"""What the dissertation printed: Siminiceanu, Structural Model Checking (2003), tables 3.1 to 4.1.

Its machine is not named. Memory of tables 3.2 and 4.1 is that of nodes alone. None: not run, out of
time or out of memory.
"""

from __future__ import annotations

STRATEGIES = ("bfs", "bfs-all", "chaining", "chaining-all", "forwarding", "saturation")
"""The columns of tables 3.1 and 3.2, in their order."""

Figures = tuple[float | None, ...]


def _figures(text: str) -> Figures:
    return tuple(None if t == "-" else float(t) for t in text.split())


SECONDS: dict[tuple[str, int], Figures] = {
    ("philosophers", 50): _figures("37.6 36.8 1.3 1.3 0.1 0.0"),
    ("philosophers", 100): _figures("644.1 630.4 5.4 5.3 0.3 0.2"),
    ("philosophers", 1000): _figures("- - 895.4 915.5 4.6 1.1"),
    ("philosophers", 10_000): _figures("- - - - 704.0 84.4"),
    ("slotted-ring", 5): _figures("0.2 0.3 0.1 0.1 0.0 0.0"),
    ("slotted-ring", 10): _figures("21.5 24.1 2.1 1.2 0.1 0.0"),
    ("slotted-ring", 15): _figures("745.4 771.5 18.5 8.9 0.5 0.1"),
    ("slotted-ring", 50): _figures("- - - - 120.3 2.9"),
    ("slotted-ring", 100): _figures("- - - - 4976.1 21.6"),
    ("round-robin", 10): _figures("0.2 0.3 0.1 0.1 0.0 0.0"),
    ("round-robin", 20): _figures("2.7 4.4 0.3 0.3 0.1 0.0"),
    ("round-robin", 30): _figures("16.4 26.7 0.7 0.7 0.3 0.1"),
    ("round-robin", 50): _figures("263.2 427.6 2.9 2.8 1.0 0.2"),
    ("round-robin", 100): _figures("- - 22.1 19.3 7.7 1.2"),
    ("round-robin", 200): _figures("- - - - 58.1 10.9"),
    ("fms", 5): _figures("0.7 0.7 0.1 0.1 0.0 0.0"),
    ("fms", 10): _figures("7.0 5.8 0.5 0.3 0.1 0.0"),
    ("fms", 15): _figures("41.0 30.5 1.9 1.0 0.2 0.0"),
    ("fms", 20): _figures("183.6 126.0 5.3 2.3 0.5 0.1"),
    ("fms", 25): _figures("677.2 437.9 12.9 5.1 1.0 0.1"),
    ("fms", 150): _figures("- - - - - 8.4"),
}
"""Table 3.1: seconds by strategy."""

MEGABYTES: dict[tuple[str, int], Figures] = {
    ("philosophers", 50): _figures("146.8 131.6 2.2 2.2 0.0 0.0"),
    ("philosophers", 100): _figures("999.9 999.9 8.9 8.9 0.2 0.2"),
    ("philosophers", 1000): _figures("- - 895.2 895.0 0.5 0.4"),
    ("philosophers", 10_000): _figures("- - - - 5.5 3.9"),
    ("slotted-ring", 5): _figures("0.8 1.1 0.3 0.2 0.0 0.0"),
    ("slotted-ring", 10): _figures("39.0 45.0 5.7 3.3 0.0 0.0"),
    ("slotted-ring", 15): _figures("344.3 375.4 35.1 20.2 0.1 0.1"),
    ("slotted-ring", 50): _figures("- - - - 4.2 2.2"),
    ("slotted-ring", 100): _figures("- - - - 44.5 14.8"),
    ("round-robin", 10): _figures("0.6 1.2 0.1 0.1 0.0 0.0"),
    ("round-robin", 20): _figures("5.9 12.8 0.5 0.5 0.0 0.0"),
    ("round-robin", 30): _figures("22.7 48.2 1.3 1.1 0.1 0.0"),
    ("round-robin", 50): _figures("126.7 257.7 4.3 3.8 0.2 0.1"),
    ("round-robin", 100): _figures("- - 22.1 20.0 0.7 0.4"),
    ("round-robin", 200): _figures("- - - - 2.7 1.4"),
    ("fms", 5): _figures("2.6 2.2 0.4 0.2 0.0 0.0"),
    ("fms", 10): _figures("18.2 14.7 2.3 1.3 0.0 0.0"),
    ("fms", 15): _figures("61.9 48.8 8.0 4.3 0.1 0.1"),
    ("fms", 20): _figures("154.0 119.4 20.2 10.3 0.1 0.1"),
    ("fms", 25): _figures("319.7 245.3 42.7 21.2 0.3 0.2"),
    ("fms", 150): _figures("- - - - - 30.7"),
}
"""Table 3.2: peak megabytes by strategy (999.9 stands for "more than")."""

COLLECTED: dict[str, tuple[int, ...]] = {
    "philosophers": (100, 200, 400, 600, 800, 1000),
    "slotted-ring": (10, 20, 30, 40, 50),
    "round-robin": (10, 25, 50, 100, 150, 200),
    "fms": (5, 10, 25, 50, 75, 100),
}
"""The sizes of table 3.3; its curves are lost, its order is: lazy is fastest, strict:1 smallest."""

LOCALS: dict[tuple[str, int], tuple[float, float, float, float, float | None]] = {
    ("philosophers", 20): (0.01, 0.01, 5, 4, 0.4),
    ("philosophers", 50): (0.03, 0.02, 14, 12, 13.1),
    ("philosophers", 100): (0.06, 0.05, 28, 25, 990.8),
    ("philosophers", 200): (0.15, 0.11, 57, 50, 18_129.3),
    ("philosophers", 5000): (65.55, 51.29, 1445, 1269, None),
    ("slotted-ring", 5): (0.01, 0.01, 5, 5, 0.1),
    ("slotted-ring", 10): (0.06, 0.04, 28, 27, 6.1),
    ("slotted-ring", 15): (0.18, 0.13, 80, 77, 2853.1),
    ("slotted-ring", 100): (41.72, 25.78, 15_753, 14_486, None),
    ("round-robin", 10): (0.01, 0.01, 6, 7, 0.2),
    ("round-robin", 20): (0.04, 0.03, 20, 21, 1.4),
    ("round-robin", 30): (0.09, 0.07, 41, 41, 5.6),
    ("round-robin", 100): (2.11, 1.55, 372, 372, 2836.5),
    ("round-robin", 150): (7.04, 5.07, 807, 807, None),
    ("fms", 5): (0.01, 0.01, 6, 9, 1.0),
    ("fms", 10): (0.02, 0.02, 26, 31, 41.6),
    ("fms", 25): (0.16, 0.11, 163, 239, 17_321.9),
    ("fms", 150): (18.50, 10.92, 16_140, 29_998, None),
}
"""Table 4.1: seconds on the fly and pregenerated, peak kilobytes of both, seconds of NuSMV."""
