"""The values of options: how they are read, and the errors for wrong ones."""

from __future__ import annotations

from collections.abc import Callable

from plait.engines.symbolic.orders import MERGES, Merge
from plait.errors import InputError
from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.model.grouping import STYLES, Grouping
from plait.records import dataclass

UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
LEAST_MEMORY = 2**20
MOST_MEMORY = 2**60
"""More bytes than this, which no machine has, are no limit."""
LONGEST = 1e9
"""More seconds than this, some thirty years, are no limit; clocks and timers overflow later."""

MOST_VALUES = 1000
"""How many values a parameter may be given at once."""


def _invalid(message: str) -> Exception:
    """What the type of a value raises, for `argparse` to tell."""
    from argparse import ArgumentTypeError

    return ArgumentTypeError(message)


def _is_number(text: str, digits: int) -> bool:
    """Whether a text is a decimal number of at most so many digits."""
    return text.isascii() and text.isdigit() and len(text) <= digits


def define(text: str) -> tuple[str, int]:
    """A constant and its value: `NAME=VALUE`."""
    name, value = _defined(text)
    return name, _integer(value)


def sweep(text: str) -> tuple[str, int | tuple[int, ...]]:
    """A constant and its value, or its values: `N=2..6`, `N=2,4,8`."""
    name, value = _defined(text)
    if ".." not in value and "," not in value:
        return name, _integer(value)
    found: dict[int, None] = {}
    for part in value.split(","):
        first, dots, last = part.partition("..")
        least, most = _integer(first), _integer(last if dots else first)
        if least > most:
            raise _invalid(f"there is no value in '{part}'")
        if most - least >= MOST_VALUES:
            raise _invalid(f"'{part}' has more than {MOST_VALUES} values")
        found.update(dict.fromkeys(range(least, most + 1)))
    if len(found) > MOST_VALUES:
        raise _invalid(f"'{value}' has more than {MOST_VALUES} values")
    return name, tuple(found)


def _defined(text: str) -> tuple[str, str]:
    """The name and the value in `NAME=VALUE`."""
    import re  # regular expressions are for lines that need them

    name, sign, value = text.partition("=")
    if not sign or not re.fullmatch(r"\$?[A-Za-z_]\w*", name):
        raise _invalid(f"'{text}' is not NAME=VALUE")
    return name.removeprefix("$"), value


def _integer(text: str) -> int:
    import re

    if not re.fullmatch(r"[+-]?[0-9]{1,12}", text) or not INT_MIN <= int(text) <= INT_MAX:
        raise _invalid(f"'{text}' is not a 32-bit integer")
    return int(text)


def count(least: int, most: int) -> Callable[[str], int]:
    """A whole number within limits."""

    def read(text: str) -> int:
        if not _is_number(text, 19) or not least <= int(text) <= most:
            raise _invalid(f"'{text}' is not a number from {least} to {most}")
        return int(text)

    return read


def seconds(text: str) -> float:
    """A positive number of seconds."""
    try:
        # Python reads more as numbers than people write: 1_0, and digits of any script.
        value = float(text if text.isascii() and "_" not in text else "")
    except ValueError:
        raise _invalid(f"'{text}' is not a number of seconds") from None
    if not 0 < value < float("inf"):
        raise _invalid(f"{text} is not a positive number of seconds")
    return min(value, LONGEST)


def memory(text: str) -> int:
    """An amount of memory in bytes: `500M`, `2G`."""
    import re

    match = re.fullmatch(r"([0-9]{1,15})(?:\.([0-9]{1,3}))?\s*([KMGT]?)i?B?", text, re.IGNORECASE)
    if match is None:
        raise _invalid(f"'{text}' is not an amount of memory such as 500M or 2G")
    amount = int(float(f"{match[1]}.{match[2] or 0}") * UNITS[match[3].upper()])
    if amount < LEAST_MEMORY:
        raise _invalid(f"{text} is less than 1M")
    return min(amount, MOST_MEMORY)


@dataclass(frozen=True, slots=True)
class PartsFile:
    """A file that says how to cut a model into parts."""

    path: str


def hierarchy(text: str) -> Merge | Grouping | PartsFile:
    """Which cells share a level, how the hierarchy of the model is kept, or a file with one."""
    if text.startswith("file:"):
        return PartsFile(text.removeprefix("file:"))
    for merge in MERGES:
        if text == merge:
            return merge
    name, colon, width = text.partition(":")
    for style in STYLES:
        if name == style and (not colon or _is_number(width, 7)):
            try:
                return Grouping(style, int(width)) if colon else Grouping(style)
            except InputError as wrong:
                raise _invalid(wrong.diagnostics[0].message) from None
    known = ", ".join((*MERGES, *STYLES, "file:PATH"))
    raise _invalid(f"invalid choice: '{text}' (choose from {known})")


def policy(text: str) -> int | None:
    """When garbage is collected: `lazy`, or `strict:N`."""
    if text == "lazy":
        return None
    name, _, nodes = text.partition(":")
    if name != "strict" or not _is_number(nodes, 15) or int(nodes) == 0:
        raise _invalid(f"'{text}' is neither lazy nor strict:N")
    return int(nodes)


__all__ = ["PartsFile", "count", "define", "hierarchy", "memory", "policy", "seconds", "sweep"]
