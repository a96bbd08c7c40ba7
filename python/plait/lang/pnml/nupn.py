"""NUPN units: the `<toolspecific tool="nupn">` of a net, checked and kept as hierarchy information.

A nested-unit Petri net partitions its places into units that form a tree. The file's `safe` is a
claim that in every reachable marking each place holds at most one token and each unit is active at
most once along with its sub-units; nobody may rely on it without proof.

A section that contradicts itself or the net is refused: a place in two units or in none, an empty
unit, a unit with two parents, a cycle, units outside the root's tree, names that do not exist.
"""

from __future__ import annotations

from collections.abc import Iterable

from plait.errors import InputError, Span
from plait.hints import TYPE_CHECKING, Protocol
from plait.model.types import Unit, Units
from plait.records import dataclass

if TYPE_CHECKING:
    from plait.lang.xml import Attributes, Scope

Position = tuple[int, int]
Section = tuple[str, bool, str | None, Position, list[tuple[str, Position, list[str], list[str]]]]
"""A section as the native reader has it: the root, whether safe, the number of units announced,
where; of each unit its name, where, its places and the units below."""


class Locator(Protocol):
    """Who knows where things stand."""

    def position(self) -> Position:
        """The place that is being read."""

    def span(self, position: Position | None = None) -> Span:
        """The span at a place."""

    def error(self, message: str, position: Position | None = None) -> InputError:
        """An error at a place."""


@dataclass(slots=True)
class _Unit:
    name: str
    position: Position
    places: tuple[str, ...] = ()
    units: tuple[str, ...] = ()


class UnitsReader:
    """Reads one section on behalf of the PNML reader, and checks it when the net is known."""

    def __init__(self, reader: Locator) -> None:
        self._reader = reader
        self._position: Position | None = None
        self._root: str | None = None
        self._safe = False
        self._count: str | None = None
        self._found: dict[str, _Unit] = {}
        self._unit = _Unit("", (1, 1))

    def take(self, section: Section) -> None:
        """Use a section that was read already."""
        self._root, self._safe, self._count, self._position, units = section
        for name, position, places, below in units:
            self._found[name] = _Unit(name, position, tuple(places), tuple(below))

    def open(self, attributes: Attributes) -> Scope:
        """Called at `<toolspecific tool="nupn">`."""
        from plait.lang.xml import SKIP, Scope  # a section that was read already needs no XML

        places = Scope(text=True, finish=self._close_places)
        units = Scope(text=True, finish=self._close_units)
        unit = Scope(
            {"places": lambda tag, attributes: places, "subunits": lambda tag, attributes: units},
            self._close_unit,
        )

        def open_unit(tag: str, attributes: Attributes) -> Scope:
            self._open_unit(attributes)
            return unit

        structure = Scope({"unit": open_unit})

        def open_structure(tag: str, attributes: Attributes) -> Scope:
            self._open_structure(attributes)
            return structure

        return Scope({"size": lambda tag, attributes: SKIP, "structure": open_structure})

    def _open_structure(self, attributes: Attributes) -> None:
        if self._root is not None:
            raise self._reader.error("a second NUPN structure")
        if "root" not in attributes:
            raise self._reader.error("the NUPN structure names no root")
        self._root, self._position = attributes["root"], self._reader.position()
        self._safe = attributes.get("safe") == "true"
        self._count = attributes.get("units")

    def _open_unit(self, attributes: Attributes) -> None:
        name = attributes.get("id", "")
        if not name or name in self._found:
            problem = f"the NUPN unit '{name}' is there twice" if name else "a NUPN unit without id"
            raise self._reader.error(problem)
        self._unit = self._found[name] = _Unit(name, self._reader.position())

    def _close_places(self, text: str) -> None:
        self._unit.places += tuple(text.split())

    def _close_units(self, text: str) -> None:
        self._unit.units += tuple(text.split())

    def _close_unit(self, text: str) -> None:
        unit = self._unit
        if not unit.places and not unit.units:
            raise self._error(f"the NUPN unit '{unit.name}' is empty", unit)

    # --- checks -----------------------------------------------------------------------------------

    def units(self, places: Iterable[str]) -> Units | None:
        """The units of a net with these places; None when the file has none."""
        if self._root is None:
            return None
        self._check_places(dict.fromkeys(places))
        self._check_tree(self._root)
        count = str(len(self._found))
        if self._count is not None and self._count.strip() != count:
            raise self._reader.error(
                f"the NUPN structure announces {self._count} units and has {count}", self._position
            )
        span = self._reader.span
        units = tuple(
            Unit(u.name, u.places, u.units, span=span(u.position)) for u in self._found.values()
        )
        return Units(self._root, units, self._safe)

    def _check_places(self, known: dict[str, None]) -> None:
        named = [place for unit in self._found.values() for place in unit.places]
        if len(named) == len(known) and known.keys() == set(named):
            return  # each once: of a large net that is known at once
        owner: dict[str, str] = {}
        for unit in self._found.values():
            for place in unit.places:
                if place not in known:
                    raise self._error(
                        f"the NUPN unit '{unit.name}' names '{place}', which is no place", unit
                    )
                if place in owner:
                    raise self._error(
                        f"the place '{place}' is in the NUPN units '{owner[place]}' and "
                        f"'{unit.name}'",
                        unit,
                    )
                owner[place] = unit.name
        for place in known:
            if place not in owner:
                raise self._reader.error(f"the place '{place}' is in no NUPN unit", self._position)

    def _check_tree(self, root: str) -> None:
        parent: dict[str, str] = {}
        for unit in self._found.values():
            for below in unit.units:
                if below not in self._found:
                    raise self._error(
                        f"the NUPN unit '{unit.name}' names '{below}', which is no unit", unit
                    )
                if below in parent:
                    raise self._error(
                        f"the NUPN unit '{below}' is below '{parent[below]}' and '{unit.name}'",
                        unit,
                    )
                parent[below] = unit.name
        if root not in self._found:
            raise self._reader.error(f"the NUPN root '{root}' is no unit", self._position)
        reached = {root}
        stack = [root]
        while stack:
            for below in self._found[stack.pop()].units:
                if below not in reached:
                    reached.add(below)
                    stack.append(below)
        if root in parent:
            raise self._error(
                f"the NUPN root '{root}' is below '{parent[root]}'", self._found[parent[root]]
            )
        for unit in self._found.values():
            if unit.name not in reached:
                # With one parent each, a unit outside the root's tree stands alone or on a cycle.
                raise self._error(
                    f"the NUPN unit '{unit.name}' is not below the root '{root}'", unit
                )

    def _error(self, message: str, unit: _Unit) -> InputError:
        return self._reader.error(message, unit.position)
