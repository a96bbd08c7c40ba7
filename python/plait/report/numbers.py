"""Numbers of any size as text, also with more than Python's limit of 4,300 digits."""

from __future__ import annotations

_CHUNK = 4_000


def decimal(n: int) -> str:
    """All the digits of an integer."""
    if n < 0:
        return "-" + decimal(-n)
    if n.bit_length() < 3 * _CHUNK:
        return str(n)
    # Halve the number of digits until the pieces are small; the number of digits is 0.30103 a bit.
    half = n.bit_length() * 30_103 // 200_000
    high, low = divmod(n, 10**half)
    return decimal(high) + decimal(low).rjust(half, "0")


def grouped(n: int) -> str:
    """The digits in groups of three, and for a very large number its magnitude besides."""
    digits = decimal(abs(n))
    first = len(digits) % 3
    groups = ([digits[:first]] if first else []) + [
        digits[i : i + 3] for i in range(first, len(digits), 3)
    ]
    text = ("-" if n < 0 else "") + ",".join(groups)
    if len(digits) <= 15:
        return text
    return f"{text} (about {digits[0]}.{digits[1:5]}e{len(digits) - 1})"


def brief(n: int) -> str:
    """The same for a table: of a very large number the magnitude alone."""
    return grouped(n).partition("(about ")[2].removesuffix(")") or grouped(n)


def size(amount: int) -> str:
    """An amount of memory: `412 MB`."""
    value = float(amount)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"
