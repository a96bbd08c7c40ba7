"""The runway safety monitor: aircraft on and near a runway, and what the monitor takes them for.

Siminiceanu, Structural Model Checking (2003), chapter 7, after Green's protocol for NASA (2002).
The zone around the runway is a grid of boxes; (0, 0, 0) is outside, and no other location has a
zero coordinate. In each cycle an aircraft moves along x, y and z, one after the other, to the same
or the next box, as its heading allows, and gets new speeds; it enters by one of five faces, not
from below, with a speed that points inward. Then the monitor computes its status:

    out       outside                            takeoff   ground, fast along y, faster than before
    taxi      ground, slow or moving across      rollout   ground, fast along y, slower than before
    climbout  in the air, straight, rising       land      in the air, straight, not rising
    flythru   in the air, moving across

On the ground, fast and as fast as before, it keeps the status it had; one that was out taxies. A
speed v is v + speeds tokens; the change of the speed along y is 0, 1 or 2 tokens: slower, the same,
faster. Five levels an aircraft: the phase; status and alarm; x, y and z each with its speed.

Departs from the original where that is not known: an aircraft without speed does not move; on
entering the change of speed counts as none; aircraft do not wait for each other between phases, as
the published counts suggest. The phase of alarms is in `plait.models.alarms`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from plait.errors import LimitReached, error
from plait.logic.parse import parse_formula
from plait.model.net_builder import NetBuilder, NetPlace
from plait.model.types import Model
from plait.models.arguments import check_size
from plait.records import dataclass

STATUSES = ("out", "taxi", "takeoff", "rollout", "climbout", "land", "flythru")
PHASES = ("x", "y", "z", "ey", "ez", "eyt", "top", "ylow", "yhigh", "status")
PUBLISHED = {
    "out": ("out", "taxi", "climbout", "land", "flythru"),
    "taxi": ("out", "taxi", "takeoff", "rollout", "climbout", "flythru"),
    "takeoff": ("out", "taxi", "takeoff", "rollout", "climbout", "flythru"),
    "rollout": ("out", "taxi", "takeoff", "rollout"),
    "climbout": ("out", "climbout", "land", "flythru"),
    "land": ("out", "taxi", "takeoff", "rollout", "climbout", "land", "flythru"),
    "flythru": ("out", "taxi", "takeoff", "rollout", "climbout", "land", "flythru"),
}
"""Table 7.1: what may follow each status in one cycle."""
TAXI_SPEED = 1
UNKNOWN = 3
"""The step along x of an aircraft that has just entered."""
LEAST, MOST = 0, 1_000

Grid = tuple[int, int, int]
Box = Mapping[str, tuple[int, int]]
"""Of some places, by their names, the least and the most tokens."""


def runway(n: int = 1, grid: Grid = (3, 5, 3), speeds: int = 2) -> Model:
    """Ownship and n targets in a grid of boxes, without the phase of alarms."""
    check_size(n, LEAST, MOST)
    if min(grid) < 2 or speeds < 1:
        raise error("the grid is at least two boxes wide, and there is a speed")
    net = NetBuilder("runway")
    for number in range(n + 1):
        Aircraft(net, number, grid, (speeds, speeds, speeds)).build("x")
    return net.model()


@dataclass(frozen=True, slots=True)
class _Axis:
    """A coordinate and the speed along it; where it is kept, the last step as well."""

    name: str
    at: str
    speed: str
    most: int
    step: str | None = None


class Aircraft:
    """The places, levels and events of an aircraft; a `vehicle` stays on the ground.

    With `phases` beyond those of motion and status, or `statuses` beyond those that are computed,
    there are places for them. With `steps` the last step along x and y is kept: 0, 1 or 2 tokens
    for back, none or forth; after entering it is unknown, `UNKNOWN` tokens for x.
    """

    def __init__(
        self,
        net: NetBuilder,
        number: int,
        grid: Grid,
        speeds: tuple[int, int, int],
        *,
        phases: Sequence[str] = (),
        statuses: Sequence[str] = (),
        steps: bool = False,
        vehicle: bool = False,
    ) -> None:
        self.net, self.number, self.vehicle = net, number, vehicle
        self.speeds = dict(zip("xyz", speeds, strict=True))
        self.places: dict[str, NetPlace] = {}
        self.phase = {p: self._place(f"ph_{p}", int(p == "x")) for p in (*PHASES, *phases)}
        marked = (*STATUSES, *statuses)
        self.status = {s: self._place(f"st_{s}", int(s == "out")) for s in marked}
        alarm = self._place("fl_alarm")
        most = dict(zip("xyz", grid, strict=True)) | ({"z": 1} if vehicle else {})
        self.axes = {
            name: _Axis(
                name,
                self._place(name),
                self._place(f"v{name}", self.speeds[name]),
                most[name],
                self._place(f"s{name}", 1) if steps and name != "z" else None,
            )
            for name in "xyz"
        }
        self.change = self._place("ay", 1)
        x, y, z = self.axes.values()
        levels: dict[str, Iterable[str]] = {
            "phase": self.phase.values(),
            "status": (*self.status.values(), alarm),
            "x": (x.at, x.speed, *([x.step] if x.step else ())),
            "y": (y.at, y.speed, self.change, *([y.step] if y.step else ())),
            "z": (z.at, z.speed),
        }
        for name, places in levels.items():
            net.level(f"{name}_{number}", [self.places[p] for p in places])

    def _place(self, name: str, tokens: int = 0) -> str:
        self.places[name] = self.net.place(f"{name}_{self.number}", tokens)
        return name

    def build(self, after: str) -> None:
        """Motion, then status; `after` is the phase that follows."""
        for axis, then in (("x", "y"), ("y", "z"), ("z", "status")):
            self._move(self.axes[axis], then)
            self._leave(self.axes[axis])
        self._enter()
        self._judge(after)

    def _event(
        self,
        name: str,
        phases: tuple[str, str],
        box: Box,
        add: Mapping[str, int],
        *,
        empties: Sequence[str] = (),
        gives: Sequence[tuple[str, int]] = (),
    ) -> None:
        """An event of a phase, inside a box, that adds tokens or takes some."""
        at = self.places
        before, after = (at[self.phase[p]] for p in phases)
        less = [(at[p], -d) for p, d in add.items() if d < 0]
        more = [(at[p], d) for p, d in (*add.items(), *gives) if d > 0]
        self.net.event(
            f"{name}_{self.number}",
            [before, *less],
            [after, *more],
            reads=[(at[p], low) for p, (low, _) in box.items() if low > 0],
            below=[(at[p], high + 1) for p, (_, high) in box.items()],
            empties=[at[p] for p in empties],
        )

    def _speeds(self, axis: _Axis) -> range:
        if self.vehicle and axis.name == "z":
            return range(1)
        return range(-self.speeds[axis.name], self.speeds[axis.name] + 1)

    def _exactly(self, axis: _Axis, speed: int) -> tuple[int, int]:
        return (speed + self.speeds[axis.name], speed + self.speeds[axis.name])

    # --- motion -----------------------------------------------------------------------------------

    def _move(self, axis: _Axis, after: str) -> None:
        """To the same or the next box, as the heading allows; then any speed."""
        for speed in self._speeds(axis):
            for step in {0, (speed > 0) - (speed < 0)}:
                low, high = max(1, 1 - step), min(axis.most, axis.most - step)
                for new in self._speeds(axis):
                    box = {axis.speed: self._exactly(axis, speed), axis.at: (low, high)}
                    add = {axis.at: step, axis.speed: new - speed}
                    name = f"{axis.name}{step:+d}_{speed:+d}{new:+d}"
                    known: dict[str, int] = {}
                    if axis.name == "y":
                        known[self.change] = 1 + (new > speed) - (new < speed)
                    if axis.step:
                        known[axis.step] = 1 + step
                    self._event(
                        name,
                        (axis.name, after),
                        box,
                        add,
                        empties=list(known),
                        gives=[(place, tokens) for place, tokens in known.items() if tokens],
                    )

    def _leave(self, axis: _Axis) -> None:
        """Out of the zone, all coordinates at once; nothing leaves through the ground."""
        for direction in (1, -1):
            if axis.name == "z" and (direction < 0 or self.vehicle):
                continue
            edge = axis.most if direction > 0 else 1
            zero = self.speeds[axis.name]
            speeds = (zero + 1, 2 * zero) if direction > 0 else (0, zero - 1)
            axes = self.axes.values()
            known = [self.change, *(a.step for a in axes if a.step)]
            self._event(
                f"leave_{axis.name}{direction:+d}",
                (axis.name, "status"),
                {axis.at: (edge, edge), axis.speed: speeds},
                {},
                empties=[*(a.at for a in axes), *(a.speed for a in axes), *known],
                gives=[
                    *((a.speed, self.speeds[a.name]) for a in axes),
                    *((place, 1) for place in known),
                ],
            )

    def _enter(self) -> None:
        """By a face, then the free coordinates; until they are chosen they are 1."""
        x, y, z = self.axes.values()
        outside = {x.at: (0, 0)}
        first = {y.at: 1, z.at: 1} | ({x.step: UNKNOWN - 1} if x.step else {})
        self._event("stay", ("x", "status"), outside, {})
        for speed in self._speeds(x):
            if speed:
                place = 1 if speed > 0 else x.most
                add = {**first, x.at: place, x.speed: speed}
                self._event(f"enter_x{speed:+d}", ("x", "ey"), outside, add)
            for face in ("ylow", "yhigh") if self.vehicle else ("ylow", "yhigh", "eyt"):
                for place in range(1, x.most + 1):
                    add = {**first, x.at: place, x.speed: speed}
                    self._event(f"enter_{face}_{place}{speed:+d}", ("x", face), outside, add)
        for speed in self._speeds(y):
            for phase, after in (("ey", "ez"), ("eyt", "top")):
                for place in range(1, y.most + 1):
                    add = {y.at: place - 1, y.speed: speed}
                    self._event(f"{phase}_{place}{speed:+d}", (phase, after), {}, add)
            if speed > 0:
                self._event(f"ylow{speed:+d}", ("ylow", "ez"), {}, {y.speed: speed})
            if speed < 0:
                add = {y.at: y.most - 1, y.speed: speed}
                self._event(f"yhigh{speed:+d}", ("yhigh", "ez"), {}, add)
        for speed in self._speeds(z):
            for place in range(1, z.most + 1):
                add = {z.at: place - 1, z.speed: speed}
                self._event(f"ez_{place}{speed:+d}", ("ez", "status"), {}, add)
            if speed < 0:
                add = {z.at: z.most - 1, z.speed: speed}
                self._event(f"top{speed:+d}", ("top", "status"), {}, add)

    # --- status -----------------------------------------------------------------------------------

    def _boxes(self) -> Iterable[tuple[str | None, Box]]:
        """For each status where it is computed; none where the old one is kept."""
        x, y, z = self.axes.values()
        zero, last = self.speeds["y"], 2 * self.speeds["y"]
        level, across_most = self.speeds["z"], self.speeds["x"]
        ground, air, inside = {z.at: (1, 1)}, {z.at: (2, z.most)}, {x.at: (1, x.most)}
        straight = {x.speed: (across_most, across_most)}
        across = [{x.speed: (0, across_most - 1)}, {x.speed: (across_most + 1, 2 * across_most)}]
        slow = {y.speed: (max(0, zero - TAXI_SPEED), min(last, zero + TAXI_SPEED))}
        fast = []
        if zero > TAXI_SPEED:
            ends = ((0, zero - TAXI_SPEED - 1), (zero + TAXI_SPEED + 1, last))
            fast = [{y.speed: end} for end in ends]
        yield "out", {x.at: (0, 0)}
        if self.vehicle:
            yield "taxi", inside
            return
        for sideways in across:
            yield "taxi", {**inside, **ground, **sideways}
            yield "flythru", {**inside, **air, **sideways}
        yield "taxi", {**inside, **ground, **straight, **slow}
        for speed in fast:
            for status, change in (("rollout", 0), (None, 1), ("takeoff", 2)):
                box = {**inside, **ground, **straight, **speed, self.change: (change, change)}
                yield status, box
        yield "climbout", {**inside, **air, **straight, z.speed: (level + 1, 2 * level)}
        yield "land", {**inside, **air, **straight, z.speed: (0, level)}

    def _judge(self, after: str) -> None:
        for number, (status, box) in enumerate(self._boxes()):
            for old in STATUSES:
                new = status or ("taxi" if old == "out" else old)
                add = {} if new == old else {self.status[old]: -1, self.status[new]: 1}
                where = {**box, self.status[old]: (1, 1)}
                self._event(f"{old}->{new}.{number}", ("status", after), where, add)


# --- the table of statuses ------------------------------------------------------------------------


def status_matrix(model: Model, number: int = 0) -> dict[str, tuple[str, ...]]:
    """What may follow each status of an aircraft in one cycle: computed as table 7.1 was."""
    from plait.engines import check

    names = [e.name for e in model.system.events if e.name.endswith(f"_{number}")]
    pairs = [(old, new) for old in STATUSES for new in STATUSES]
    asked = []
    for old, new in pairs:
        events = [name for name in names if name.startswith(f"{old}->{new}.")]
        listed = ", ".join(f'"{name}"' for name in events)
        asked.append(parse_formula(f"reachable: enabled({listed})", model))
    answers = check(model, asked, engine="symbolic")
    found: dict[str, list[str]] = {old: [] for old in STATUSES}
    for (old, new), answer in zip(pairs, answers, strict=True):
        if answer.verdict == "unknown":
            raise LimitReached(answer.reason or "memory")
        if answer.verdict == "true":
            found[old].append(new)
    return {old: tuple(after) for old, after in found.items()}


def matrix_lines(found: Mapping[str, Sequence[str]]) -> list[str]:
    """The matrix in the format of table 7.1; what differs from it is in brackets."""
    width = max(map(len, STATUSES))
    lines = [" ".join(f"{s:>{width}}" for s in ("", *STATUSES))]
    for old in STATUSES:
        cells = []
        for new in STATUSES:
            text = "X" if new in found[old] else "-"
            cells.append(text if (new in found[old]) == (new in PUBLISHED[old]) else f"[{text}]")
        lines.append(" ".join(f"{c:>{width}}" for c in (old, *cells)))
    return lines


__all__ = ["PUBLISHED", "STATUSES", "matrix_lines", "runway", "status_matrix"]
