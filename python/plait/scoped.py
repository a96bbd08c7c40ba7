"""Context variables that hold a value during a block, and not a moment longer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from plait.hints import TypeVar

T = TypeVar("T")


@contextmanager
def scoped(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Let the variable hold the value until the block ends, whatever ends it.

    Ctrl-C may come right after the variable was set, so that is done within `try`.
    """
    before = variable.get()
    try:
        variable.set(value)
        yield
    finally:
        variable.set(before)
