"""Data classes that cost little to define, and nothing to import.

The standard decorator writes the methods of a class as text and compiles each of them when the
class is defined. For a frozen class that is half a millisecond, and a command that counts the
states of a small net defines more than a hundred classes: it took longer to define them than to
answer. The standard module itself imports a parser of Python, a tokenizer and a disassembler, which
takes as long as starting Python does.

Here `dataclass` is the same decorator, and to a type checker it is the standard one; so are `field`
and `replace`. Of a class with slots the constructor is compiled when there are some instances, and
the other methods are shared by all classes; of any other class the standard decorator makes
what it always makes. The standard `fields`, `replace`, `field` and `is_dataclass` work, patterns
match, and either kind may extend the other. A field with `init=False` is no part of the value of
such a class: a slot that stays empty until its own methods fill it, which no copy and no other
instance has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from reprlib import recursive_repr
from types import MemberDescriptorType

from plait.hints import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace

_FIELDS = "__dataclass_fields__"
_STANDARD = "dataclasses"
FEW = 10
"""The instances of a class after which its constructor is compiled."""


class _Missing:
    """Stands for a default that a field does not have."""


MISSING: Any = _Missing()


class _Field:
    """A field of a class; what its attributes mean is what `dataclasses.field` says."""

    __slots__ = (
        "compare",
        "default",
        "default_factory",
        "hash",
        "init",
        "kw_only",
        "name",
        "repr",
        "type",
    )

    def __init__(
        self,
        *,
        default: Any = MISSING,
        default_factory: Any = MISSING,
        init: bool = True,
        repr: bool = True,
        hash: bool | None = None,
        compare: bool = True,
        kw_only: bool = False,
    ) -> None:
        self.name: str = ""
        self.type: object = None
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.hash = hash
        self.compare = compare
        self.kw_only = kw_only

    def standard(self) -> Any:
        """The same as the standard module has it."""
        import dataclasses

        options = {name: getattr(self, name) for name in _OPTIONS}
        made: Any = dataclasses.field(**{k: v for k, v in options.items() if v is not MISSING})
        made.name, made.type, made._field_type = self.name, self.type, dataclasses._FIELD  # type: ignore[attr-defined]
        return made


_OPTIONS = ("default", "default_factory", "init", "repr", "hash", "compare", "kw_only")


def _from_standard(f: Any) -> _Field:
    """A field of the standard module as one of ours."""
    import dataclasses

    options = {name: getattr(f, name) for name in _OPTIONS}
    made = _Field(**{k: v for k, v in options.items() if v is not dataclasses.MISSING})
    made.name, made.type = f.name, f.type
    return made


class _Fields:
    """The fields of a class of ours; whoever asks for them by their standard name is given standard
    ones."""

    def __init__(self, own: dict[str, _Field]) -> None:
        self.own = own
        self._standard: dict[str, Any] | None = None

    def __get__(self, instance: object, owner: type) -> dict[str, Any]:
        if self._standard is None:
            self._standard = {name: f.standard() for name, f in self.own.items()}
        return self._standard


class _Parameters:
    """What a standard data class asks of the classes that it extends."""

    frozen = True


class _Mutable:
    frozen = False


if not TYPE_CHECKING:
    field = _Field

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, repr=True, **others):
        """As `dataclasses.dataclass`."""

        def decorate(cls: type) -> type:
            if slots and not others:
                return _defined(cls, frozen, eq, repr)
            import dataclasses

            for name, value in list(cls.__dict__.items()):
                if isinstance(value, _Field):
                    setattr(cls, name, value.standard())
            standard = {"frozen": frozen, "slots": slots, "eq": eq, "repr": repr, **others}
            return dataclasses.dataclass(**standard)(cls)

        return decorate if cls is None else decorate(cls)

    def replace(instance, /, **changes):
        """As `dataclasses.replace`."""
        cls = type(instance)
        found = cls.__dict__.get(_FIELDS)
        if type(found) is not _Fields:
            found = _fields_of(cls)
            if not isinstance(found, _Fields):
                import dataclasses

                return dataclasses.replace(instance, **changes)
        known = {name: getattr(instance, name) for name in found.own}
        known.update(changes)
        return cls(**known)


def _fields_of(cls: type) -> Any:
    """What a class, or the nearest that it extends, says of its fields: `_Fields`, or a standard
    dictionary; None when it is no data class."""
    return next((b.__dict__[_FIELDS] for b in cls.__mro__ if _FIELDS in b.__dict__), None)


def _defined(cls: type, frozen: bool, eq: bool, repr: bool) -> type:
    """The class with slots, fields and methods."""
    inherited, own = _inherited(cls), _own_fields(cls)
    fields = {**inherited, **{name: f for name, f in own.items() if f.init}}
    body = {k: v for k, v in cls.__dict__.items() if k not in own}
    for name in ("__dict__", "__weakref__"):
        body.pop(name, None)
    if body.get("__hash__") is None and eq and frozen:
        # Python puts it there where a class says when its instances are equal.
        body.pop("__hash__", None)
    for name, method in _methods(list(fields.values()), frozen, eq, repr).items():
        body.setdefault(name, method)
    body |= {
        _FIELDS: _Fields(fields),
        "__dataclass_params__": _Parameters if frozen else _Mutable,
        "__slots__": tuple(name for name in own if name not in inherited),
        "__qualname__": cls.__qualname__,
    }
    made: Any = type(cls)(cls.__name__, cls.__bases__, body)
    if "__init__" not in body:
        made.__init__ = _first_constructor(made, list(fields.values()))
    return made  # type: ignore[no-any-return]


def _inherited(cls: type) -> dict[str, _Field]:
    fields: dict[str, _Field] = {}
    for base in cls.__mro__[-1:0:-1]:
        found = base.__dict__.get(_FIELDS, {})
        if isinstance(found, _Fields):
            fields.update(found.own)
        else:
            fields.update((name, _from_standard(f)) for name, f in found.items())
    return fields


def _own_fields(cls: type) -> dict[str, _Field]:
    fields: dict[str, _Field] = {}
    for name, annotation in cls.__annotations__.items():
        if str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            continue
        default = cls.__dict__.get(name, MISSING)
        if isinstance(default, _Field):
            made = default
        elif type(default).__module__ == _STANDARD:
            made = _from_standard(default)
        else:
            made = _Field(default=default)
        made.name, made.type = name, annotation
        fields[name] = made
    return fields


def _first_constructor(cls: Any, fields: list[_Field]) -> Callable[..., None]:
    """The constructor of the first few instances, which looks at the fields each time.

    To compile one takes as long as twenty instances. After the first few, and when its arguments
    are wrong, the class gets one that is compiled.
    """
    positional = [f.name for f in fields if not f.kw_only]
    names = {f.name for f in fields}
    needed = {f.name for f in fields if f.default is MISSING and f.default_factory is MISSING}
    made = 0

    def construct(self: object, *args: object, **kwargs: object) -> None:
        nonlocal made
        made += 1
        values = dict(zip(positional, args)) | kwargs  # noqa: B905 - too many are seen below
        right = len(values) == len(args) + len(kwargs) and needed <= values.keys() <= names
        if made > FEW or not right:
            cls.__init__ = _constructor(cls, fields)
            cls.__init__(self, *args, **kwargs)
            return
        for f in fields:
            if f.name in values:
                value = values[f.name]
            else:
                value = f.default if f.default_factory is MISSING else f.default_factory()
            object.__setattr__(self, f.name, value)
        if hasattr(cls, "__post_init__"):
            cls.__post_init__(self)

    return construct


def _constructor(cls: type, fields: list[_Field]) -> Callable[..., None]:
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
        slot = getattr(cls, f.name, None)
        if isinstance(slot, MemberDescriptorType):  # a quarter faster than to look for it each time
            scope[f"_put_{f.name}"] = slot.__set__
            body.append(f" _put_{f.name}(self, {value})")
        else:
            body.append(f" _put(self, {f.name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    exec(f"def __init__({', '.join(head)}):\n" + ("\n".join(body) or " pass"), scope)
    made: Callable[..., None] = scope["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


# ----- methods ------------------------------------------------------------------------------------


def _methods(fields: list[_Field], frozen: bool, eq: bool, repr: bool) -> dict[str, object]:
    """What a class has unless it says otherwise."""
    methods: dict[str, object] = {
        "__match_args__": tuple(f.name for f in fields if not f.kw_only),
        "__getstate__": _get_state,
        "__setstate__": _set_state,
    }
    if frozen:
        methods |= {"__setattr__": _set, "__delattr__": _delete}
    if repr:
        methods["__repr__"] = _repr
    if eq:
        methods["__eq__"] = _equality(_values(f.name for f in fields if f.compare))
        counts = (f.name for f in fields if (f.compare if f.hash is None else f.hash))
        methods["__hash__"] = _hash(_values(counts)) if frozen else None
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


def _known(self: object) -> dict[str, Any]:
    """The fields of an instance."""
    found = _fields_of(type(self))
    return found.own if isinstance(found, _Fields) else found


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f.name for f in _known(self).values() if f.repr)
    return f"{type(self).__qualname__}({', '.join(f'{n}={getattr(self, n)!r}' for n in shown)})"


def _set(self: object, name: str, value: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(self: object, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _get_state(self: Any) -> list[object]:
    return [getattr(self, name) for name in _known(self)]


def _set_state(self: Any, state: list[object]) -> None:
    for name, value in zip(_known(self), state, strict=True):
        object.__setattr__(self, name, value)


__all__ = ["dataclass", "field", "replace"]
