"""Data classes that cost little to define.

The standard decorator writes the methods of a class as text and compiles each of them when the
class is defined. For a frozen class that is half a millisecond, and a command that counts the
states of a small net defines more than a hundred classes: it took longer to define them than to
answer.

Here `dataclass` is the same decorator, and to a type checker it is the standard one. Of a frozen
class with slots the constructor is compiled when the first instance is made, and the other methods
are shared by all classes; of any other class the standard decorator makes what it always makes.
`fields`, `replace` and `is_dataclass` work, patterns match, and either kind may extend the other.
A field with `init=False` is no part of the value of such a class: a slot that stays empty until its
own methods fill it, which no copy and no other instance has.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, FrozenInstanceError, field
from inspect import get_annotations
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

_FIELDS = "__dataclass_fields__"
_PLAIN: object = dataclasses._FIELD  # type: ignore[attr-defined]
"""What marks a field that is neither a class variable nor an argument of the constructor alone."""


class _Parameters:
    """What a standard data class asks of the classes that it extends."""

    frozen = True


if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, repr=True, **others):
        """As `dataclasses.dataclass`."""

        def decorate(cls: type) -> type:
            if frozen and slots and not others:
                return _defined(cls, eq, repr)
            standard = {"frozen": frozen, "slots": slots, "eq": eq, "repr": repr, **others}
            return dataclasses.dataclass(**standard)(cls)

        return decorate if cls is None else decorate(cls)


def _defined(cls: type, eq: bool, repr: bool) -> type:
    """The class with slots, fields and methods."""
    inherited, own = _inherited(cls), _own_fields(cls)
    hidden = {name for name, f in own.items() if not f.init}
    fields = {**inherited, **{name: f for name, f in own.items() if name not in hidden}}
    body = {k: v for k, v in cls.__dict__.items() if k not in own}
    for name in ("__dict__", "__weakref__"):
        body.pop(name, None)
    if body.get("__hash__") is None and eq:
        # Python puts it there where a class says when its instances are equal.
        body.pop("__hash__", None)
    for name, method in _methods(list(fields.values()), eq, repr).items():
        body.setdefault(name, method)
    body |= {
        _FIELDS: fields,
        "__dataclass_params__": _Parameters,
        "__slots__": tuple(name for name in own if name not in inherited),
        "__qualname__": cls.__qualname__,
    }
    made: Any = type(cls)(cls.__name__, cls.__bases__, body)
    if "__init__" not in body:

        def first(self: object, *args: object, **kwargs: object) -> None:
            made.__init__ = _constructor(made, list(fields.values()))
            made.__init__(self, *args, **kwargs)

        made.__init__ = first
    return made  # type: ignore[no-any-return]


def _inherited(cls: type) -> dict[str, Field[Any]]:
    fields: dict[str, Field[Any]] = {}
    for base in cls.__mro__[-1:0:-1]:
        fields.update(getattr(base, _FIELDS, {}))
    return fields


def _own_fields(cls: type) -> dict[str, Field[Any]]:
    fields: dict[str, Field[Any]] = {}
    for name, annotation in get_annotations(cls).items():
        if str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            continue
        default = cls.__dict__.get(name, MISSING)
        made: Any = default if isinstance(default, Field) else field(default=default)
        made.name, made.type, made._field_type = name, annotation, _PLAIN
        if made.kw_only is MISSING:
            made.kw_only = False
        fields[name] = made
    return fields


def _constructor(cls: type, fields: list[Field[Any]]) -> Callable[..., None]:
    """The constructor: positional fields, then those by keyword only."""
    scope: dict[str, Any] = {"_put": object.__setattr__, "_missing": MISSING}
    head, body = ["self"], []
    for f in sorted(fields, key=lambda f: bool(f.kw_only)):
        if f.kw_only and "*" not in head:
            head.append("*")
        value = f.name
        if f.default_factory is not MISSING:
            scope[f"_make_{f.name}"] = f.default_factory
            head.append(f"{f.name}=_missing")
            value = f"_make_{f.name}() if {f.name} is _missing else {f.name}"
        elif f.default is not MISSING:
            scope[f"_default_{f.name}"] = f.default
            head.append(f"{f.name}=_default_{f.name}")
        else:
            head.append(f.name)
        body.append(f" _put(self, {f.name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    exec(f"def __init__({', '.join(head)}):\n" + ("\n".join(body) or " pass"), scope)
    made: Callable[..., None] = scope["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


# ----- methods ------------------------------------------------------------------------------------


def _methods(fields: list[Field[Any]], eq: bool, repr: bool) -> dict[str, object]:
    """What a class has unless it says otherwise."""
    methods: dict[str, object] = {
        "__match_args__": tuple(f.name for f in fields if not f.kw_only),
        "__setattr__": _set,
        "__delattr__": _delete,
        "__getstate__": _get_state,
        "__setstate__": _set_state,
    }
    if repr:
        methods["__repr__"] = _repr
    if eq:
        methods["__eq__"] = _equality(_values(f.name for f in fields if f.compare))
        counts = (f.compare if f.hash is None else f.hash for f in fields)
        methods["__hash__"] = _hash(
            _values(f.name for f, c in zip(fields, counts, strict=True) if c)
        )
    return methods


def _values(names: Iterable[str]) -> Callable[[object], object]:
    """The values of some fields of an instance, as one object."""
    found = tuple(names)
    return attrgetter(*found) if found else lambda _: ()


def _equality(values: Callable[[object], object]) -> Callable[[object, object], object]:
    def equal(self: object, other: object) -> object:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return equal


def _hash(values: Callable[[object], object]) -> Callable[[object], int]:
    return lambda self: hash(values(self))


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f.name for f in getattr(self, _FIELDS).values() if f.repr)
    return f"{type(self).__qualname__}({', '.join(f'{n}={getattr(self, n)!r}' for n in shown)})"


def _set(self: object, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _get_state(self: Any) -> list[object]:
    return [getattr(self, name) for name in getattr(self, _FIELDS)]


def _set_state(self: Any, state: list[object]) -> None:
    for name, value in zip(getattr(self, _FIELDS), state, strict=True):
        object.__setattr__(self, name, value)


__all__ = ["dataclass", "field"]
