"""Names of `typing` for the modules that every command imports, without `typing` itself.

With the modules it needs, regular expressions among them, it takes half as long to import as Python
takes to start, and annotations need none of it at run time. To a type checker these names are the
standard ones. At run time a `Literal` is the tuple of its values, and the others stand for nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
"""As in `typing`: what type checkers take for true."""

if TYPE_CHECKING:
    from typing import Any, Generic, Literal, NoReturn, Protocol, Self, TypeVar, cast, get_args
else:
    Any = NoReturn = Self = object

    class Literal:
        """`Literal["a", "b"]`, as a tuple."""

        def __class_getitem__(cls, values):
            return values if isinstance(values, tuple) else (values,)

    class Generic:
        """`Generic[T]`, a class like any other."""

        def __class_getitem__(cls, _variables):
            return object

    class Protocol(Generic):
        """`Protocol` and `Protocol[T]`, classes like any other."""

    class TypeVar:
        """A type variable, which nobody looks at."""

        def __init__(self, _name, **_bounds):
            pass

    def get_args(literal):
        """The values of a literal type."""
        return literal

    def cast(_type, value):
        """The value, which a type checker takes for one of that type."""
        return value


__all__ = [
    "TYPE_CHECKING",
    "Any",
    "Generic",
    "Literal",
    "NoReturn",
    "Protocol",
    "Self",
    "TypeVar",
    "cast",
    "get_args",
]
