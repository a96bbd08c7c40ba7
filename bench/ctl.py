"""EU and EG on the nets of the dissertation: tables 5.1 and 5.2 again, with the printed figures.

Siminiceanu, Structural Model Checking (2003); the captions of the two tables are interchanged there
(here 5.1 is EG and 5.2 is EU). The nets have the levels of their source, all sets are restricted to
the reachable states, and paths are infinite, as there. Seconds are those of the operator alone,
after the states are known; those of the generation are beside them. `PLAIT_BENCH_SECONDS` is the
limit of each computation (10 s). Printed iterations of EUsat include the first saturation.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

from bench.measure import limits
from plait import _core
from plait.engines.budget import Budget
from plait.engines.prepared import prepare
from plait.engines.symbolic.ctl import PathFormula, SymbolicLabelling
from plait.engines.symbolic.reach import reach
from plait.engines.symbolic.tuning import Tuning
from plait.logic.formula import Exists
from plait.logic.nnf import nnf
from plait.model.expr import Formula
from plait.models import entry

LIMIT = limits(10)[0]
UNTIL = ("traditional", "classified", "constrained")
"""EUtrad, EUsat, and saturation inside the constraint, which is younger than the dissertation."""

EU: dict[tuple[str, int], tuple[str, str]] = {
    ("leader", 3): ("43/0.02", "22/0.02"),
    ("leader", 4): ("62/0.36", "38/0.27"),
    ("leader", 5): ("81/3.74", "52/3.09"),
    ("leader", 6): ("101/46.90", "66/35.67"),
    ("leader", 7): ("121/690.85", "85/416.85"),
    ("philosophers", 20): ("40/0.03", "4/0.02"),
    ("philosophers", 50): ("100/0.17", "4/0.06"),
    ("philosophers", 100): ("200/0.67", "4/0.14"),
    ("philosophers", 500): ("1000/19.09", "4/0.77"),
    ("slotted-ring", 5): ("33/0.01", "9/0.00"),
    ("slotted-ring", 10): ("63/0.01", "9/0.01"),
    ("slotted-ring", 15): ("93/0.37", "9/0.02"),
    ("slotted-ring", 100): ("603/-", "9/1.60"),
    ("round-robin", 5): ("19/0.00", "6/0.00"),
    ("round-robin", 10): ("39/0.01", "11/0.01"),
    ("round-robin", 15): ("59/0.03", "16/0.01"),
    ("round-robin", 100): ("399/13.32", "101/4.67"),
    ("fms", 2): ("31/0.04", "6/0.01"),
    ("fms", 3): ("46/0.16", "8/0.02"),
    ("fms", 25): ("376/-", "52/1010.85"),
}
"""Table 5.2 as printed: iterations and seconds of EUtrad and of EUsat."""

EG: dict[tuple[str, int], tuple[str, str, str]] = {
    ("leader", 3): ("0.04", "0.2", "0.02"),
    ("leader", 4): ("0.27", "232.8", "0.11"),
    ("leader", 5): ("1.49", "18023.6", "0.44"),
    ("leader", 6): ("7.35", "-", "1.64"),
    ("leader", 7): ("40.64", "-", "7.15"),
    ("philosophers", 20): ("0.02", "0.1", "0.01"),
    ("philosophers", 50): ("0.07", "0.9", "0.02"),
    ("philosophers", 100): ("0.15", "9.0", "0.05"),
    ("philosophers", 500): ("1.01", "-", "0.28"),
    ("slotted-ring", 5): ("0.00", "0.0", "0.00"),
    ("slotted-ring", 10): ("0.05", "0.6", "0.01"),
    ("slotted-ring", 15): ("0.17", "4.7", "0.01"),
    ("slotted-ring", 100): ("39.70", "-", "0.62"),
    ("round-robin", 5): ("<.005", "0.0", "<.005"),
    ("round-robin", 10): ("0.01", "0.3", "<.005"),
    ("round-robin", 15): ("0.02", "1.2", "0.01"),
    ("round-robin", 100): ("1.98", "-", "1.29"),
    ("fms", 2): ("0.01", "0.2", "<.005"),
    ("fms", 3): ("0.02", "1.0", "0.01"),
    ("fms", 25): ("17.98", "-", "50.38"),
}
"""Table 5.1 as printed: seconds of SMART's generation, of NuSMV's EG after its own, of EGtrad."""

QUERIES = {
    "leader": ("elected_without_preference", "never_elected"),
    "philosophers": ("first_before_second", "starvation"),
    "slotted-ring": ("ag_before_bf", "never_hg"),
    "round-robin": ("send_before_load", "cycles"),
    "fms": ("a_machine_until_all_finished", "never_all_finished"),
}
"""The EU and the EG query of each net."""


@dataclass(frozen=True)
class Net:
    """A net of the literature, its states computed."""

    labelling: SymbolicLabelling
    seconds: float

    def query(self, body: object) -> PathFormula:
        """The operands of a query as sets."""
        assert isinstance(body, Formula)
        formula = nnf(body)
        assert isinstance(formula, Exists)
        return self.labelling.path(formula.operand)


def generated(name: str, n: int) -> tuple[Net, PathFormula, PathFormula]:
    """A net with its states, and its two queries."""
    model = entry(name).model(n, "flat")
    asked = [model.property(q) for q in QUERIES[name]]
    prepared = prepare(model, asked)
    start = time.perf_counter()
    tuning = Tuning(merge="units", order="declared")
    diagrams = reach(prepared, tuning, Budget(6 * LIMIT))
    seconds = time.perf_counter() - start
    net = Net(SymbolicLabelling(prepared.compiled, diagrams.core, diagrams.reached), seconds)
    eu, eg = (net.query(p.body) for p in prepared.properties)
    return net, eu, eg


def figure(net: Net, operation: str, sets: tuple[_core.StateSet, ...], way: str) -> str:
    """Rounds and seconds of one operator, or why there are none."""
    core = net.labelling.core
    core.limit(timeout=LIMIT)
    start = time.perf_counter()
    try:
        if operation == "EU":
            core.eventually(*sets, way=way)  # type: ignore[arg-type]
        else:
            nothing = net.labelling.nothing
            core.invariantly(sets[0], nothing, way=way, maximal=False)  # type: ignore[arg-type]
    except _core.StoppedError as stop:
        return str(stop.args[0])
    return f"{core.fixpoint_rounds}/{time.perf_counter() - start:.2f}"


def main() -> None:
    sys.set_int_max_str_digits(0)
    print("Tables 5.1 (EG) and 5.2 (EU): rounds/seconds; [printed: SMART's, NuSMV's]")
    heads = [*(f"EU {way}" for way in UNTIL), "[EUtrad]", "[EUsat]", "EG", "[EGtrad]", "[NuSMV]"]
    print(f"{'net':<14}{'N':>5}  {'states in':>9}  " + "".join(f"{h:>17}" for h in heads))
    given_up: set[str] = set()
    for (name, n), (eu_trad, eu_sat) in EU.items():
        if name in given_up:
            continue
        try:
            net, until, always = generated(name, n)
        except _core.StoppedError:
            given_up.add(name)
            print(f"{name:<14}{n:>5}  the states take more than {6 * LIMIT:.0f} s")
            continue
        row = [figure(net, "EU", until.operands, way) for way in UNTIL]
        smart, nusmv, eg = EG[name, n]
        row += [f"[{eu_trad}]", f"[{eu_sat}]"]
        row += [figure(net, "EG", always.operands, "traditional"), f"[{eg}]", f"[{nusmv}]"]
        print(
            f"{name:<14}{n:>5}  {net.seconds:>7.2f} s  "
            + "".join(f"{cell:>17}" for cell in row)
            + f"   (generation printed: {smart} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()
