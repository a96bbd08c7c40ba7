"""Linear programmes, given to HiGHS where it is installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plait.records import dataclass

Entry = tuple[int, float]
"""A column of a row, and its factor there."""


def is_installed() -> bool:
    """Whether there is a solver: it is a wheel of its own that a platform may lack."""
    try:
        import highspy  # noqa: F401
        import numpy as np  # noqa: F401
    except ImportError:
        return False
    return True


class Rows:
    """Rows of a programme as the solver has them; those that several programmes share stay made."""

    def __init__(self, rows: Sequence[Sequence[Entry]]) -> None:
        import numpy as np

        self.lengths: Any = np.array([len(row) for row in rows], dtype=np.int32)
        self.columns: Any = np.array([column for row in rows for column, _ in row], dtype=np.int32)
        self.factors: Any = np.array([factor for row in rows for _, factor in row], dtype=float)

    def followed_by(self, others: Rows) -> Rows:
        """These rows and then others."""
        import numpy as np

        both = Rows(())
        both.lengths = np.concatenate((self.lengths, others.lengths))
        both.columns = np.concatenate((self.columns, others.columns))
        both.factors = np.concatenate((self.factors, others.factors))
        return both


@dataclass(frozen=True, slots=True)
class Solution:
    """The least value of the objective, the columns that give it, and the duals of the rows."""

    objective: float
    values: list[float]
    duals: list[float]


def minimise(
    cost: Sequence[float],
    lower: Sequence[float],
    rows: Rows,
    limits: Sequence[tuple[float, float]],
    seconds: float,
) -> Solution | None:
    """The solution with columns from their lower bounds on and rows within their limits.

    None where there is none, or where it takes longer. What has no limit has an infinite one.
    """
    import highspy
    import numpy as np

    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(cost), len(limits)
    lp.col_cost_ = np.array(cost, dtype=float)
    lp.col_lower_ = np.array(lower, dtype=float)
    lp.col_upper_ = np.full(len(cost), np.inf)
    lp.row_lower_ = np.array([low for low, _ in limits], dtype=float)
    lp.row_upper_ = np.array([high for _, high in limits], dtype=float)
    starts = np.zeros(len(limits) + 1, dtype=np.int32)
    starts[1:] = np.cumsum(rows.lengths)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = starts
    lp.a_matrix_.index_, lp.a_matrix_.value_ = rows.columns, rows.factors
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("time_limit", max(0.01, seconds))
    solver.passModel(lp)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    found = solver.getSolution()
    objective = float(solver.getInfo().objective_function_value)
    return Solution(objective, list(found.col_value), list(found.row_dual))


__all__ = ["Entry", "Rows", "Solution", "is_installed", "minimise"]
