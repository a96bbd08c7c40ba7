"""What is asked besides the question itself: the engine, the limits, the paths that count.

A `Request` is made once, when `plait.engines` is called, and passed on unchanged. To ask again
about another model, under more conditions or with less time, use `replace`.
"""

from __future__ import annotations

from collections.abc import Callable

from plait.engines.budget import Budget, Listener
from plait.engines.names import BOUNDED, SYMBOLIC
from plait.engines.symbolic.tuning import PARTIAL, Tuning
from plait.errors import error
from plait.hints import TYPE_CHECKING, Literal, get_args
from plait.model.vast import is_vast
from plait.records import dataclass, field
from plait.report.answer import Answer

if TYPE_CHECKING:
    from plait.engines.explicit.method import Method
    from plait.engines.explicit.reduction import Reduction
    from plait.model.expr import Formula
    from plait.model.types import Model

EngineName = Literal["auto", "explicit", "symbolic", "bounded", "reference"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)
Tell = Callable[[Answer], None]
"""Is called with an answer as soon as there is one."""


@dataclass(frozen=True, slots=True)
class Request:
    """What `plait.engines.check` and `plait.engines.states` were told; see there."""

    engine: str = "auto"
    tuning: Tuning | None = None
    budget: Budget = field(default_factory=Budget)
    listen: Listener | None = None
    reduction: Reduction | None = None
    method: Method | None = None
    fair: tuple[Formula, ...] = ()
    infinite: bool = False
    weak: bool = False
    depth: int | None = None
    together: bool = False
    repeated: bool = False

    @property
    def goes_ahead(self) -> bool:
        """Whether partial exploration is wanted."""
        return self.tuning is not None and self.tuning.strategy == PARTIAL

    @property
    def is_local(self) -> bool:
        """Whether CTL is to be looked at on as few explicit states as decide it."""
        return self.tuning is not None and self.tuning.ctl == "local"

    @property
    def shows_runs(self) -> bool:
        """Whether somebody wants to see why an answer is what it is."""
        return self.tuning is None or self.tuning.witnesses

    @property
    def is_alone(self) -> bool:
        """Whether nothing may be asked in another process: the processors have been given away."""
        return self.method is not None and self.method.threads is not None

    @property
    def wants_verdicts(self) -> bool:
        """Whether any engine may give the answers, in any way, and nobody wants to see why."""
        ways = self.tuning == Tuning(witnesses=False) and not self.repeated
        of_all_paths = not (self.fair or self.infinite or self.weak)
        unasked = self.reduction is None and self.method is None
        return self.engine == "auto" and ways and of_all_paths and unasked


def chosen_engine(name: str, tuning: Tuning | None) -> str:
    """The engine, which partial exploration chooses: one of sets of states, or of bounded runs."""
    if name not in ENGINES:
        raise error(f"no engine named '{name}'", hint=f"engines here: {', '.join(ENGINES)}")
    if tuning is None or tuning.strategy != PARTIAL or name in (SYMBOLIC, BOUNDED):
        return name
    if name != "auto":
        hint = "use --engine symbolic or bounded"
        raise error(f"the {name} engine has no strategy 'partial'", hint=hint)
    return SYMBOLIC


def check_order(model: Model, tuning: Tuning | None) -> None:
    """Refuse an order or parts that there are not, also when no engine would come to need them."""
    if tuning is None or is_vast(model):
        return
    if tuning.order != "auto":
        from plait.engines.symbolic.attempts import order_asked_for
        from plait.passes import flat

        order_asked_for(tuning, model, flat(model))
    if tuning.parts is not None:
        from plait.engines.symbolic.order_file import parts_in_file
        from plait.passes import flat

        parts_in_file(tuning.parts, model, flat(model, reduce=False).model)


__all__ = ["ENGINES", "EngineName", "Request", "Tell", "check_order", "chosen_engine"]
