"""The arguments of the generators: a size, and which form of the model is meant."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from plait.errors import error


def check_size(n: int, least: int, most: int) -> int:
    """The size, if it is one that the model has; otherwise an `InputError` says which are."""
    if isinstance(n, bool) or not isinstance(n, int):
        raise error(f"the size must be an integer, not {n!r}")
    if n < least:
        raise error(f"the size must be at least {least}, not {n}")
    if n > most:
        raise error(f"the size must be at most {most}, not {n}")
    return n


def check_variant(variant: str, known: Sequence[str]) -> str:
    """The variant, if it is known; otherwise an `InputError` with the nearest one."""
    if variant not in known:
        raise error(f"there is no variant '{variant}'", hint=suggestion(variant, known))
    return variant


def suggestion(name: str, known: Sequence[str]) -> str:
    """What may have been meant, or all there is."""
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean '{near[0]}'?" if near else f"there are: {', '.join(known)}"
