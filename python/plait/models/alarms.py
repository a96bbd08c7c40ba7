"""The runway safety monitor with its alarms; what was asked about it is in `scenarios`.

Siminiceanu, Structural Model Checking (2003), sections 7.2.4 and 7.3. When ownship and a target
have moved and have their statuses (`plait.models.runway`), the monitor raises the target's alarm or
not, by a table: for each status of ownship and of the target it has a condition made of six
criteria. Then all begin the next cycle, without alarms.

The monitor looks at a target in three phases, so that each event is about few levels: along x,
along y, and at the table. The first two put the distances before and now on places of the target,
which the third takes away again; its conditions are split into terms (`plait.passes.splitting`),
each of which is an event of the net.

The distance of two aircraft is the greater of those along x and y, in boxes; the minimum separation
(900 feet) is more than the height of the zone (400), so height does not separate. It is lost at one
box or none, as in the published excerpt. It is closing when it is less than before, which is known
of aircraft that were in the zone before: each keeps its last step along x and y. Of two aircraft
that do not head against each other the direction is the same.

Departs from the original where that is not known: how far, how near and in which direction, as
above; every box of the zone is on or near the runway; `pretakeoff` has a row in the table and a
place, but no definition, so it never is. Aircraft wait for each other at the end of a cycle, and a
target's alarm for the status of ownship, as the text says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from plait.errors import error
from plait.model.builder import Bool
from plait.model.expr import FALSE, TRUE, And, Or
from plait.model.net_builder import NetBuilder, NetPlace
from plait.model.types import Model
from plait.models.arguments import check_size
from plait.models.runway import UNKNOWN, Aircraft, Grid
from plait.passes.splitting import terms

ROWS = ("taxi", "pretakeoff", "takeoff", "climbout", "land", "rollout", "flythru")
COLUMNS = ("taxi", "takeoff", "climbout", "land", "rollout", "flythru")
PUBLISHED_ALARMS = """
    -      1&6  1&6  1&6  1&3&6  -
    2&6    yes  1|4  yes  yes    2&3
    1&6    4|5  4|5  4|5  1|4    2&3
    1&6    4|5  4|5  4|5  4|5    2&3
    1&6    4|5  4|5  4|5  1|4    2&3
    1&3&6  1|4  1|4  1|4  4|5    2&3
    -      2&3  2&3  2&3  2&3    -
"""
"""Table 7.5: when there is an alarm, for each status of ownship (rows) and the target (columns).

1 distance closing; 2 in the path of takeoff or landing; 3 below minimum separation; 4 in the same
direction and below minimum separation; 5 in opposite directions and closing; 6 on or near the
runway, taxiing or not moving. `&` is and, `|` is or, `-` is never.
"""
FIXED = {(row, "flythru"): "2&3|1" for row in ROWS if row not in ("taxi", "flythru")} | {
    ("flythru", column): "2&3|1" for column in COLUMNS if column not in ("taxi", "flythru")
}
"""What the designers changed: an alarm as well when the distance to one that flies through is
closing."""
SEEN = ("before_x", "now_x", "before_y", "now_y", "known", "order")
LEAST, MOST = 1, 100
Table = Mapping[tuple[str, str], str]
Box = list[tuple[NetPlace, tuple[int, int]]]
"""Of some places the least and the most tokens."""


def published_alarms() -> dict[tuple[str, str], str]:
    """Table 7.5 by cells."""
    lines = [line.split() for line in PUBLISHED_ALARMS.strip().splitlines()]
    return {
        (row, column): cell
        for row, cells in zip(ROWS, lines, strict=True)
        for column, cell in zip(COLUMNS, cells, strict=True)
    }


def monitor(
    n: int = 1,
    grid: Grid = (3, 4, 2),
    speeds: tuple[int, int, int] = (1, 2, 1),
    *,
    alarms: Table | None = None,
    vehicles: bool = False,
) -> Model:
    """Ownship, n targets and the monitor.

    `speeds` are the greatest along x, y and z. `alarms` takes the place of cells of the published
    table. With `vehicles` the targets stay on the ground and are always taken for taxiing, as in
    the protocol at first.
    """
    check_size(n, LEAST, MOST)
    if min(grid) < 2 or min(speeds) < 1:
        raise error("the grid is at least two boxes wide, and there is a speed")
    table = published_alarms() | dict(alarms or {})
    for row, column in table:
        if row not in ROWS or column not in COLUMNS:
            raise error(f"the table has no cell for '{row}' and '{column}'")
    net = NetBuilder("monitor")
    own = Aircraft(net, 0, grid, speeds, phases=("done",), statuses=("pretakeoff",), steps=True)
    own.build("done")
    targets = []
    for number in range(1, n + 1):
        target = Aircraft(
            net,
            number,
            grid,
            speeds,
            phases=("seen_x", "seen_y", "table", "done"),
            steps=True,
            vehicle=vehicles,
        )
        target.build("seen_x")
        Monitor(net, own, target).build(table)
        targets.append(target)
    fleet = [own, *targets]
    net.event(
        "next",
        [a.places["ph_done"] for a in fleet],
        [a.places["ph_x"] for a in fleet],
        empties=[a.places["fl_alarm"] for a in fleet],
    )
    return net.model()


class Monitor:
    """What is decided about one target."""

    def __init__(self, net: NetBuilder, own: Aircraft, target: Aircraft) -> None:
        self.net, self.own, self.target = net, own, target
        number = target.number
        self.farthest = {axis: own.axes[axis].most - 1 for axis in "xy"}
        self.seen = {name: net.place(f"{name}_{number}") for name in SEEN}
        """What is seen of the pair: the distances before and now, whether those before are known,
        and whether the target is behind (0), beside (1) or ahead (2) along y."""
        net.level(f"seen_{number}", self.seen.values())
        self.vy = own.places["vy"], target.places["vy"]
        self.zero = own.speeds["y"]
        self._used: dict[str, int] = {}

    def build(self, table: Table) -> None:
        """The events of the three phases; nothing is seen where one of the two is out."""
        own, target = self.own.places, self.target.places
        for who in (own, target):
            self._event("out", ("seen_x", "done"), [(who["x"], (0, 0))])
        for axis, phases in (("x", ("seen_x", "seen_y")), ("y", ("seen_y", "table"))):
            for mine, other in product(self._positions(axis), repeat=2):
                self._look(axis, phases, mine, other)
        for (row, column), cell in table.items():
            where = [(own[f"st_{row}"], (1, 1)), (target[f"st_{column}"], (1, 1))]
            danger = self.condition(cell)
            for name, condition, alarm in (("alarm", danger, 1), ("quiet", ~danger, 0)):
                for term in self.split(condition):
                    box = [*where, *term]
                    self._event(f"{name}_{row}_{column}", ("table", "done"), box, alarm=alarm)

    def split(self, condition: Bool) -> Iterator[Box]:
        """Ranges of places such that a condition holds just where all of one of them are kept."""
        places = {p.name: p for p in (*self.seen.values(), *self.vy)}
        domain = {p.name: self._domain(name) for name, p in self.seen.items()}
        domain |= {p.name: (0, 2 * self.zero) for p in self.vy}
        for term in terms(condition.node, domain):
            yield [(places[name], bounds) for name, bounds in term.ranges.items()]

    def _domain(self, name: str) -> tuple[int, int]:
        if name in ("known", "order"):
            return (0, 1 if name == "known" else 2)
        return (0, self.farthest[name[-1]])

    # --- what is seen -----------------------------------------------------------------------------

    def _positions(self, axis: str) -> Iterator[tuple[int, int | None]]:
        """Where an aircraft may be along an axis, and where it was."""
        most = self.own.axes[axis].most
        for at in range(1, most + 1):
            for before in (at - 1, at, at + 1):
                if 1 <= before <= most:
                    yield at, before
            if axis == "x":
                yield at, None

    def _look(
        self,
        axis: str,
        phases: tuple[str, str],
        mine: tuple[int, int | None],
        other: tuple[int, int | None],
    ) -> None:
        box: Box = []
        name = f"look_{axis}"
        for who, (at, before) in ((self.own, mine), (self.target, other)):
            step = UNKNOWN if before is None else 1 + at - before
            box += [(who.places[axis], (at, at)), (who.places[f"s{axis}"], (step, step))]
            name += f"_{at}{'u' if before is None else '-=+'[step]}"
        now, before = abs(mine[0] - other[0]), None
        if mine[1] is not None and other[1] is not None:
            before = abs(mine[1] - other[1])
        gives = {f"now_{axis}": now, f"before_{axis}": before or 0}
        if axis == "x":
            gives["known"] = int(before is not None)
        else:
            gives["order"] = 1 + (other[0] > mine[0]) - (other[0] < mine[0])
        self._event(name, phases, box, gives=gives)

    def _event(
        self,
        name: str,
        phases: tuple[str, str],
        box: Box,
        *,
        gives: Mapping[str, int] | None = None,
        alarm: int = 0,
    ) -> None:
        """An event of a phase; only while ownship is done, and what was seen is forgotten last."""
        target = self.target.places
        before, after = (target[f"ph_{p}"] for p in phases)
        new = [(self.seen[p], tokens) for p, tokens in (gives or {}).items() if tokens]
        self._used[name] = self._used.get(name, 0) + 1
        self.net.event(
            f"{name}.{self._used[name]}_{self.target.number}",
            [before],
            [after, *new, *([target["fl_alarm"]] if alarm else [])],
            reads=[self.own.places["ph_done"], *((p, low) for p, (low, _) in box if low)],
            below=[(p, high + 1) for p, (_, high) in box],
            empties=self.seen.values() if phases[1] == "done" else (),
        )

    # --- criteria ---------------------------------------------------------------------------------

    def condition(self, cell: str) -> Bool:
        """The condition of a cell of the table, on what is seen and on the directions."""
        if cell in ("-", "yes"):
            return Bool(TRUE if cell == "yes" else FALSE)
        meaning = {
            "1": self._closing(),
            "2": self._in_path(),
            "3": self._near(),
            "4": ~self._opposite() & self._near(),
            "5": self._opposite() & self._closing(),
            "6": Bool(TRUE),
        }
        for criterion in cell.replace("|", "&").split("&"):
            if criterion not in meaning:
                raise error(f"'{criterion}' in '{cell}' is none of the criteria 1 to 6")
        ways = [[meaning[c] for c in way.split("&")] for way in cell.split("|")]
        return _any(Bool(And(tuple(c.node for c in way))) for way in ways)

    def _near(self) -> Bool:
        """The distance is at most one box."""
        return (self.seen["now_x"] <= 1) & (self.seen["now_y"] <= 1)

    def _closing(self) -> Bool:
        """The distance is less than before: below some k now, and not before."""
        seen = self.seen
        closer = _any(
            ((seen["before_x"] >= k) | (seen["before_y"] >= k))
            & (seen["now_x"] < k)
            & (seen["now_y"] < k)
            for k in range(1, max(self.farthest.values()) + 1)
        )
        return (seen["known"] == 1) & closer

    def _in_path(self) -> Bool:
        """The target is straight ahead of ownship."""
        vy, order = self.vy[0], self.seen["order"]
        ahead = ((vy > self.zero) & (order == 2)) | ((vy < self.zero) & (order == 0))
        return (self.seen["now_x"] == 0) & ahead

    def _opposite(self) -> Bool:
        """They head against each other along the runway."""
        mine, other = self.vy
        zero = self.zero
        return ((mine > zero) & (other < zero)) | ((mine < zero) & (other > zero))


def _any(parts: Iterable[Bool]) -> Bool:
    return Bool(Or(tuple(p.node for p in parts)))
