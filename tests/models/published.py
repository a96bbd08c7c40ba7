"""The figures that the dissertation prints about the models of the library, and its errata.

Siminiceanu, Structural Model Checking (2003). State counts are printed with two or three digits,
some rounded and some cut off; `agrees` takes both. The exact numbers are in `plait.models.counts`.
"""

from __future__ import annotations

from plait.report.numbers import decimal

Printed = dict[str, dict[int, str]]

TABLES: dict[str, Printed] = {
    "3.1": {
        "philosophers": {50: "2.2e31", 100: "5.0e62", 1000: "9.2e626", 10_000: "4.3e6269"},
        "slotted-ring": {
            5: "5.3e4",
            10: "8.3e9",
            15: "1.5e15",
            50: "1.7e52",
            100: "2.6e105",
        },
        "round-robin": {
            10: "2.3e4",
            20: "4.7e7",
            30: "7.2e10",
            50: "1.3e17",
            100: "2.9e32",
            200: "7.2e62",
        },
        "fms": {
            5: "2.9e6",
            10: "2.5e9",
            15: "2.2e11",
            20: "6.0e12",
            25: "8.5e13",
            150: "4.8e23",
        },
    },
    "3.3": {
        "philosophers": {
            100: "4.97e62",
            200: "2.47e125",
            400: "6.10e250",
            600: "1.51e376",
            800: "3.72e501",
            1000: "9.18e626",
        },
        "slotted-ring": {
            10: "8.29e9",
            20: "2.73e20",
            30: "1.04e31",
            40: "4.16e41",
            50: "1.72e52",
        },
        "round-robin": {
            10: "2.30e4",
            25: "1.89e9",
            50: "1.27e17",
            100: "2.85e32",
            150: "4.82e47",
            200: "7.23e62",
        },
        "fms": {
            5: "2.90e6",
            10: "2.50e9",
            25: "8.54e13",
            50: "4.24e17",
            75: "6.98e19",
            100: "2.70e21",
        },
    },
    "4.1": {
        "philosophers": {
            20: "3.46e12",
            50: "2.23e31",
            100: "4.97e62",
            200: "2.47e125",
            5000: "6.53e3134",
        },
        "slotted-ring": {5: "5.39e4", 10: "8.29e9", 15: "1.46e15", 100: "2.60e105"},
        "round-robin": {
            10: "2.30e4",
            20: "4.72e7",
            30: "7.25e10",
            100: "2.85e32",
            150: "4.82e47",
        },
        "fms": {5: "1.92e4", 10: "2.50e9", 25: "8.54e13", 150: "4.84e23"},
    },
    "5.1": {
        "leader": {3: "8.49e2", 4: "1.15e4", 5: "1.50e5", 6: "1.89e6", 7: "2.39e7"},
        "philosophers": {20: "3.46e12", 50: "2.23e31", 100: "4.96e62", 500: "3.03e313"},
        "slotted-ring": {5: "5.38e5", 10: "8.29e9", 15: "1.46e15", 100: "3.03e105"},
        "round-robin": {5: "3.60e2", 10: "2.30e5", 15: "1.10e6", 100: "2.85e32"},
        "fms": {2: "3.44e3", 3: "4.86e4", 25: "8.54e13"},
    },
    "6.1": {
        "philosophers": {
            5: "1.3e3",
            10: "1.9e6",
            20: "3.5e12",
            25: "4.7e15",
            30: "6.4e18",
            1000: "9.2e626",
        },
        "kanban": {
            3: "5.8e4",
            5: "2.5e6",
            7: "4.2e7",
            10: "1.0e9",
            12: "5.5e9",
            50: "1.0e16",
        },
        "fms": {3: "4.9e4", 5: "2.9e6", 7: "6.6e7", 10: "2.5e9", 140: "2.0e23"},
        "round-robin": {
            10: "2.3e4",
            15: "1.1e6",
            20: "4.7e7",
            25: "1.8e9",
            30: "7.2e10",
            200: "7.2e62",
        },
    },
}
"""State counts by table, model and size, as they are printed."""

ERRATA = {
    ("4.1", "fms", 5): "2.90e6",
    ("5.1", "slotted-ring", 5): "5.39e4",
    ("5.1", "slotted-ring", 100): "2.60e105",
    ("5.1", "round-robin", 10): "2.30e4",
}
"""What should have been printed: the same sizes are right in the other tables."""

ARCS = {
    "philosophers": {2: 34, 3: 213, 4: 1204, 5: 6375, 6: 32_406},
    "fms": {1: 345, 2: 16_311, 3: 297_382},
    "slotted-ring": {2: 112, 3: 1536, 4: 20_352, 5: 263_040},
    "kanban": {1: 616, 2: 28_120, 3: 446_400},
    "leader": {2: 96, 3: 1743, 4: 29_424},
    "round-robin": {3: 111, 5: 1100, 6: 3072, 8: 20_992, 10: 128_000},
    "contest-philosophers": {5: 945},
    "producer-consumer": {1: 12},
    "three-places": {2: 9},
}
"""Arcs of the reachable graph by model and size."""

DISTANCES = {
    "philosophers": {n: 2 * n for n in range(2, 7)},
    "fms": {n: 14 * n for n in range(1, 4)},
    "slotted-ring": {2: 10, 3: 18, 4: 27, 5: 38},
    "kanban": {n: 14 * n for n in range(1, 4)},
    "leader": {2: 10, 3: 29, 4: 55},
    "round-robin": {n: 8 * n - 6 for n in (3, 5, 6, 8, 10)},
    "producer-consumer": {1: 5},
}
"""How far the farthest state is from the initial one."""


def deadlocks(model: str, n: int) -> int:
    """How many reachable states of a model are deadlocks."""
    return {
        "philosophers": 2,
        "doubled-philosophers": 2,
        "contest-philosophers": 2,
        "leader": n,
        "voters": 1,
        "three-places": 1,
    }.get(model, 0)


def agrees(count: int, printed: str) -> bool:
    """Whether a number has the printed digits, rounded or cut off."""
    mantissa, exponent = printed.split("e")
    digits = mantissa.replace(".", "")
    exact = decimal(count)
    cut = int(exact[: len(digits)])
    rounded = (int(exact[: len(digits) + 1].ljust(len(digits) + 1, "0")) + 5) // 10
    return len(exact) - 1 == int(exponent) and int(digits) in (cut, rounded)


def rows() -> list[tuple[str, str, int, str]]:
    """All printed counts, the errata corrected: table, model, size, digits."""
    return [
        (table, model, n, ERRATA.get((table, model, n), printed))
        for table, models in TABLES.items()
        for model, counts in models.items()
        for n, printed in counts.items()
    ]
