"""A whole text: its names, its variables, its templates, and the processes of its system."""

from __future__ import annotations

from collections.abc import Mapping

from plait.errors import Span
from plait.hints import TYPE_CHECKING
from plait.lang.scope import Scope
from plait.lang.xta.symbols import (
    INT,
    WIDE,
    Clock,
    Constant,
    Data,
    Named,
    Number,
    Parameter,
    Symbol,
    cells,
)
from plait.model.expr import IntExpr, Var
from plait.model.node import nodes
from plait.model.shape import evaluate_constant
from plait.model.types import Domain
from plait.passes.folding import Folder
from plait.records import dataclass, field

if TYPE_CHECKING:
    from plait.passes.intervals import Intervals

_SIZED = {
    **{f"int{n}": Domain(-(2 ** (n - 1)), 2 ** (n - 1) - 1) for n in (8, 16, 32)},
    **{f"uint{n}": Domain(0, 2**n - 1) for n in (8, 16)},
}
KNOWN: dict[str, Symbol] = {
    **{f"{name}_t": Named(Number(domain)) for name, domain in _SIZED.items()},
    **{f"INT{n}_MIN": Constant(_SIZED[f"int{n}"].low) for n in (8, 16, 32)},
    **{f"{name.upper()}_MAX": Constant(domain.high) for name, domain in _SIZED.items()},
}
"""Names that mean something in every text."""
assert KNOWN["int16_t"] == Named(Number(INT))
assert KNOWN["int32_t"] == Named(Number(WIDE))


@dataclass(frozen=True, slots=True)
class Template:
    """A process with parameters; `body` is the index of the token after its `{`.

    One that is made from another, as `Q(int i) = P(i, 2);`, has it as its `base`; `given` is the
    index of the token where the arguments for that one begin.
    """

    name: str
    parameters: tuple[Parameter, ...]
    body: int
    span: Span
    base: Template | None = None
    given: int = 0


@dataclass(frozen=True, slots=True)
class Instance:
    """A template and what its parameters stand for."""

    name: str
    template: Template
    arguments: dict[str, Symbol]
    span: Span


@dataclass(slots=True)
class Network:
    """A whole text."""

    scope: Scope[Symbol] = field(default_factory=lambda: Scope(Scope(None, dict(KNOWN))))
    data: list[Data] = field(default_factory=list)
    scratch: dict[str, Data] = field(default_factory=dict)
    """Variables for what an update remembers while it runs; between events they do not change."""
    clocks: dict[str, Clock] = field(default_factory=dict)
    """By their full names."""
    timers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The clocks of arrays, row after row, by the names of the arrays."""
    own: dict[str, Data] = field(default_factory=dict)
    """The variables of functions, which are no variables of the model."""
    templates: dict[str, Template] = field(default_factory=dict)
    instances: dict[str, Instance] = field(default_factory=dict)
    system: list[Instance] = field(default_factory=list)
    levels: dict[str, int] = field(default_factory=dict)
    """The priorities of channels by name, `c` or `c[2]`; that of all others has no name."""
    ranks: dict[str, int] = field(default_factory=dict)
    """The priorities of processes by name."""
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)
    sizes: dict[str, int | None] = field(default_factory=dict)
    """Of all variables of the model; None for one that is no array."""
    table: dict[tuple[str, int], int] = field(default_factory=dict)
    """The cells of constant arrays."""

    def declare(self, data: Data, constant: bool = False) -> None:
        """Let the model have a variable."""
        self.data.append(data)
        self._know(data)
        if constant:
            self.table |= {(data.full, i): value for i, value in enumerate(data.initial)}

    def remember(self, data: Data) -> None:
        """Let the model have a variable for what an update remembers."""
        self.scratch[data.full] = data
        self._know(data)

    def _know(self, data: Data) -> None:
        self.ranges[data.full] = (data.domain.low, data.domain.high)
        self.sizes[data.full] = cells(data.dimensions) if data.dimensions else None

    @property
    def folder(self) -> Folder:
        """Simplifies expressions; the cells of constant arrays are numbers."""
        return Folder(sizes=self.sizes, cells=self.table)

    def intervals(self, local: Mapping[str, tuple[int, int]] | None = None) -> Intervals:
        """What is known of values from the ranges of variables, and of some more than that."""
        from plait.passes.intervals import Intervals  # most texts need none

        return Intervals(self.ranges, self.sizes, local)

    def greatest(self, expression: IntExpr) -> int | None:
        """The greatest value that an expression over data may have; none where it has clocks."""
        names = {n.name for n in nodes(expression) if isinstance(n, Var)}
        if not names:
            return evaluate_constant(expression, {})
        if not names.isdisjoint(self.clocks):
            return None
        found = self.intervals().integer(expression)
        return 0 if found is None else found[1]


__all__ = ["Instance", "Network", "Template"]
