"""Limits of one question must not be those of the next, wherever the first was interrupted."""

import sys
from contextvars import ContextVar
from types import FrameType
from typing import Any

import plait.scoped
from plait.scoped import scoped

STATE: ContextVar[str] = ContextVar("state", default="free")


def use() -> None:
    with scoped(STATE, "taken"):
        assert STATE.get() == "taken"


def interrupted_at(count: int) -> bool:
    """Whether there was a line of that number, counted from the start, to be interrupted at."""
    left = count

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename != plait.scoped.__file__:
            return trace
        if event == "line":
            left -= 1
            if left < 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        use()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def test_a_value_does_not_outlive_its_block_wherever_that_is_interrupted() -> None:
    outlived = []
    count = 0
    while interrupted_at(count):
        if STATE.get() != "free":
            outlived.append(count)
            STATE.set("free")
        count += 1
    assert count >= 4
    # Only the line that gives the value back must be reached.
    assert set(outlived) <= {count - 1}
