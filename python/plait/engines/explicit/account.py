"""What a search tells besides its answers: its figures, and notes on what limits or weakens it."""

from __future__ import annotations

from plait import _core
from plait.engines.explicit.method import Method
from plait.engines.explicit.reduction import Parts
from plait.engines.notes import (
    never_executed,
    never_fired,
    undefined_steps,
    unreached_code,
    with_called,
)
from plait.engines.prepared import Prepared
from plait.model.plain import plain_of
from plait.records import dataclass


@dataclass(frozen=True, slots=True)
class Account:
    """What was found of a model, under which reduction and by which method."""

    found: _core.Exploration
    prepared: Prepared
    parts: Parts
    method: Method

    @property
    def max_sum(self) -> int:
        """The greatest sum of all cells; those that the passes removed are constants and count."""
        first = self.found.state(0)
        return self.found.max_sum + sum(self.prepared.lift(first)) - sum(first)

    # --- figures ----------------------------------------------------------------------------------

    def stats(self) -> dict[str, object]:
        """The figures, by their names in the JSON document."""
        found, method = self.found, self.method
        stats: dict[str, object] = {
            "states": found.states,
            "arcs": found.arcs,
            "deadlocks": found.deadlocks,
            "depth": found.depth,
            "max_sum": self.max_sum,
            "bits_per_state": found.bits_per_state,
            "store_bytes": found.bytes,
            "complete": found.complete and not method.is_approximate,
            **self._compiled(),
            **self._reduced(),
        }
        if method.store != "exact":
            stats["store"] = method.store
        if method.cache is not None:
            stats |= {
                "cache": method.cache,
                "stored": found.stored,
                "cleared": found.cleared,
                "matched": found.matched,
                "executed": found.executed,
            }
        if method.cache == 0:
            stats |= {"completed_runs": found.deadlocks, "blocked_runs": found.blocked}
        if method.is_approximate:
            stats["omission"] = found.omission
        if method.checkpoint is not None:
            stats["checkpoints"] = found.checkpoints
        return stats

    def _compiled(self) -> dict[str, object]:
        """What of the events became machine code, if anything did."""
        if self.found.compiled is None:
            return {}
        events, size, seconds = self.found.compiled
        return {"compiled_events": events, "compiled_bytes": size, "compile_seconds": seconds}

    def _reduced(self) -> dict[str, object]:
        found, parts = self.found, self.parts
        if not (parts.reduces or parts.depth_first or parts.check):
            return {}
        stats: dict[str, object] = {"matched": found.matched}
        if parts.sleep:
            stats["asleep"] = found.asleep
        if parts.reduces:
            stats |= {"reduction": parts.name, "reduced_states": found.reduced}
        if parts.check:
            stats["tested_independences"] = found.tested
        return stats

    # --- notes ------------------------------------------------------------------------------------

    def notes(self) -> tuple[str, ...]:
        """What the user should know, in whole sentences."""
        found, prepared = self.found, self.prepared
        titles = prepared.compiled.titles
        undefined = undefined_steps(zip(titles, found.undefined, strict=True))
        notes = (*undefined, *self._on_reduction(), *self._on_method())
        every = found.complete and not self.method.is_approximate
        if not every or (self.parts.keeps == "deadlocks" and not found.widened):
            return notes
        plain = plain_of(prepared.model)
        if plain is not None:  # what never happens may not even have been given to the search
            fired = zip(titles, found.fired, strict=True)
            return (*notes, *never_fired(plain, {title for title, count in fired if count}))
        events = prepared.compiled.events
        counted = zip(events, found.fired, found.called, strict=True)
        executed = with_called([e for e, fired, called in counted if fired or called], events)
        # Of an event whose steps were all left out, that has been told.
        tried = {title for title, steps in zip(titles, found.undefined, strict=True) if steps}
        model = prepared.model
        return (*notes, *unreached_code(model, executed), *never_executed(model, executed | tried))

    def _on_reduction(self) -> tuple[str, ...]:
        found, parts = self.found, self.parts
        if not parts.reduces:
            return parts.notes
        notes = parts.notes
        if found.widened:
            why = "reduction widened by the proviso: an event may be an error of the model"
            notes = (*notes, f"{why} (a value outside its domain, a fixpoint, a block that fails)")
        if not found.reduced:
            return (*notes, f"reduction: {parts.name}; it left nothing out")
        kept = "every state is visited" if parts.keeps == "states" else "fewer states are visited"
        note = (
            f"reduction: {parts.name}; {kept}, "
            f"{found.reduced:,} of {found.states:,} with only some of their events"
        )
        return (*notes, note)

    def _on_method(self) -> tuple[str, ...]:
        notes = []
        checkpoint = self.method.checkpoint
        if checkpoint is not None and self.found.checkpoint_error is not None:
            wrong = f"{checkpoint.search}: {self.found.checkpoint_error}"
            notes.append(f"no checkpoint could be written to {wrong}")
        if self.method.cache is not None:
            notes.append(self._on_cache(self.method.cache))
        return tuple(notes)

    def _on_cache(self, capacity: int) -> str:
        """How the cache did: much matching with much forgetting means that time will explode."""
        found = self.found
        if capacity == 0:
            return (
                f"no state matching: {found.states:,} visits, {found.deadlocks:,} runs completed, "
                f"{found.blocked:,} ended because everything slept"
            )
        share = found.matched / max(1, found.executed)
        depth = (found.depth + 1) / capacity
        note = (
            f"cache: {found.stored:,} states kept, {found.cleared:,} forgotten, {share:.0%} of the "
            f"steps led to a known state, the stack took up to {depth:.0%} of the cache"
        )
        if found.cleared and (share > 0.5 or depth > 0.5):
            note += "; a larger cache or a reduction would save many visits"
        return note


def approximation(found: _core.Exploration, what: str = "") -> str:
    """Why a search that may miss states shows nothing."""
    chance = f"{found.omission:.1g}" if found.omission < 1 else "1"
    return (
        f"approximate search: {what}{found.states:,} states, "
        f"others missing with a probability of at most about {chance}"
    )


__all__ = ["Account", "approximation"]
