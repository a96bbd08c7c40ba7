"""The Model Checking Contest's property files, read as a stream.

A file is a `<property-set>` of properties with an id and a formula in XML; TAPAAL writes the same
language. Formulas speak of a net: `tokens-count` sums places, `is-fireable` asks whether one of
several events is enabled, `place-bound` asks for the greatest sum of places. Places and transitions
are named by their ids, or by a human name that only one of them has. Of a net that was coloured
they speak as it was: a place counts the tokens of all its colours, a transition is fireable when
one of its bindings is (`plait.logic.folding`).

The kind of a property follows from its formula: `place-bound` is `bounds`; EF p is `reachable` and
AG p is `invariant` when p speaks of one state (their negations are `never p` and `reachable !p`);
the rest is `ctl` or `ltl`. The two logics differ on AX at a deadlock only, so a formula that
belongs to both is taken for LTL when the file or the property says so in its name and for CTL
otherwise; LTL formulas lose their outermost A.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from pathlib import Path
from typing import cast

from plait.errors import InputError, Source, Span, error
from plait.lang.xml import SKIP, SPACE, Attributes, Scope, XmlReader, read_file, source_of_bytes
from plait.logic.classify import is_ltl, is_state, why_not_ctl
from plait.logic.folding import Vocabulary
from plait.logic.formula import Exists, Finally, Forall, Globally, Next, Until
from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.model.expr import (
    FALSE,
    TRUE,
    And,
    ArithmeticOp,
    Binary,
    Compare,
    CompareOp,
    Const,
    Deadlock,
    Formula,
    Iff,
    Implies,
    IntExpr,
    Not,
    Or,
)
from plait.model.types import Declaration, ElementaryType, Model, Property, PropertyKind
from plait.records import dataclass, field

Operand = Formula | IntExpr


def load_properties(path: Path, model: Model) -> tuple[Property, ...]:
    """The properties in a file; located errors for what is wrong or not in the model."""
    found: list[Property] = []
    ltl = "ltl" in path.stem.lower()

    def read(source: Source, chunks: Iterable[bytes]) -> None:
        reader = PropertyReader(source, model, ltl)
        reader.read(chunks)
        found.extend(reader.properties)

    read_file(path, read)
    return tuple(found)


def parse_properties(data: bytes, model: Model, name: str) -> tuple[Property, ...]:
    """The properties in a document held in memory; `name` stands in messages for the file's."""
    reader = PropertyReader(source_of_bytes(data, name), model, "ltl" in Path(name).stem.lower())
    reader.read([data])
    return tuple(reader.properties)


@dataclass(slots=True)
class _Frame:
    """An operator whose operands are being read."""

    tag: str
    span: Span
    operands: list[Operand] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


class PropertyReader(XmlReader):
    """The state of reading one property file; see `load_properties`."""

    def __init__(self, source: Source, model: Model, ltl: bool) -> None:
        super().__init__(source, Scope({"property-set": lambda tag, attributes: self._set}))
        system = model.system
        if not isinstance(system, ElementaryType):
            raise error(f"property files of this kind speak of a net; '{system.name}' is none")
        self.properties: list[Property] = []
        self._ltl = ltl
        self._seen: set[str] = set()
        self._vocabulary = Vocabulary(model)
        self._places = _Names("place", self._vocabulary.places)
        self._events = _Names("transition", self._vocabulary.events)
        self._constants: dict[int, Const] = {}
        # The property that is open.
        self._span = Span(source, 1, 1)
        self._id: str | None = None
        self._description: str | None = None
        self._formula: tuple[PropertyKind, Operand] | None = None
        self._frames: list[_Frame] = []
        self._level = ""
        self._define_scopes()

    def _define_scopes(self) -> None:
        id = Scope(text=True, finish=self._close_id)
        description = Scope(text=True, finish=self._close_description, other=_skip)
        self._property = Scope(
            {
                "id": lambda tag, attributes: id,
                "description": lambda tag, attributes: description,
                "formula": self._open_formula,
            },
            self._close_property,
            other=_skip,
        )
        self._set = Scope({"property": self._open_property})
        name = Scope(text=True, finish=self._close_name)
        level = Scope(text=True, finish=self._close_level)
        self._name_scopes = {"place": name, "transition": name, "level": level}
        self._constant = Scope(text=True, finish=self._close_constant)
        self._operator = Scope(finish=self._close_operator, other=self._open_operator)
        self._root = Scope(finish=self._close_formula, other=self._open_operator)

    # --- properties -------------------------------------------------------------------------------

    def _open_property(self, tag: str, attributes: Attributes) -> Scope:
        self._span = self.span()
        self._id, self._description, self._formula = None, None, None
        return self._property

    def _close_id(self, text: str) -> None:
        name = text.strip(SPACE)
        if not name or self._id is not None:
            raise self.error("an empty id" if not name else "a second id", self.text_position())
        if name in self._seen:
            raise self.error(f"the property '{name}' is there twice", self.text_position())
        self._seen.add(name)
        self._id = name

    def _close_description(self, text: str) -> None:
        self._description = text.strip(SPACE) or None

    def _open_formula(self, tag: str, attributes: Attributes) -> Scope:
        if self._formula is not None:
            raise self.error("a second formula in one property")
        self._frames = [_Frame("formula", self.span())]
        return self._root

    def _close_formula(self, text: str) -> None:
        frame = self._frames.pop()
        self._expect(frame, 1, 1)
        body = frame.operands[0]
        ltl = self._ltl or (self._id is not None and "ltl" in self._id.lower())
        if frame.tags[0] == "place-bound":
            self._formula = "bounds", body
        else:
            (formula,) = self._formulas(frame)
            self._formula = _classified(formula, ltl)

    def _close_property(self, text: str) -> None:
        if self._id is None:
            raise error("this property has no id", self._span)
        if self._formula is None:
            raise error(f"the property '{self._id}' has no formula", self._span)
        kind, body = self._formula
        self.properties.append(
            Property(self._id, kind, body, span=self._span, comment=self._description)
        )

    # --- formulas: a stack of operators, so that nesting costs no recursion -----------------------

    def _open_operator(self, tag: str, attributes: Attributes) -> Scope:
        above = self._frames[-1].tag
        if tag in self._name_scopes:
            if tag not in _NAMES.get(above, ()):
                raise self.error(f"<{tag}> cannot stand inside <{above}>")
            return self._name_scopes[tag]
        if above in _NAMES:
            raise self.error(f"<{tag}> cannot stand inside <{above}>")
        if (tag in ("before", "reach")) is not (above == "until"):
            raise self.error(f"<{tag}> cannot stand inside <{above}>")
        if tag == "integer-constant":
            return self._constant
        if tag not in _BUILDERS:
            raise self.error(f"unknown operator <{tag}>")
        if tag == "place-bound" and above != "formula":
            raise self.error("<place-bound> must be a whole formula")
        self._frames.append(_Frame(tag, self.span()))
        return self._operator

    def _close_operator(self, text: str) -> None:
        frame = self._frames.pop()
        self._add(frame.tag, _BUILDERS[frame.tag](self, frame))

    def _close_constant(self, text: str) -> None:
        digits = text.strip(SPACE)
        if not re.fullmatch(r"-?[0-9]+", digits, re.ASCII):
            raise self.error(
                f"an integer is needed here, not '{digits[:40]}'", self.text_position()
            )
        if len(digits.lstrip("-0")) > 10 or not INT_MIN <= int(digits) <= INT_MAX:
            raise self.error("the constant does not fit in 32 bits", self.text_position())
        value = int(digits)
        self._add("integer-constant", self._constants.setdefault(value, Const(value)))

    def _close_name(self, text: str) -> None:
        self._frames[-1].names.append(self._resolve(text.strip(SPACE)))

    def _close_level(self, text: str) -> None:
        self._level = text.strip(SPACE).lower()

    def _resolve(self, name: str) -> str:
        known = self._events if self._frames[-1].tag in _EVENT_ATOMS else self._places
        return known.resolve(name, self.span(self.text_position(), max(1, len(name))))

    def _add(self, tag: str, operand: Operand) -> None:
        self._frames[-1].operands.append(operand)
        self._frames[-1].tags.append(tag)

    # --- building ---------------------------------------------------------------------------------

    def _expect(self, frame: _Frame, least: int, most: int | None) -> None:
        count = len(frame.operands)
        if count < least or (most is not None and count > most):
            wanted = f"{least}" if most == least else f"at least {least}"
            raise error(f"<{frame.tag}> needs {wanted} operand(s) and has {count}", frame.span)

    def _formulas(self, frame: _Frame) -> list[Formula]:
        for operand, tag in zip(frame.operands, frame.tags, strict=True):
            if not isinstance(operand, Formula):
                raise error(f"<{frame.tag}> needs formulas, and <{tag}> is a number", frame.span)
        return cast(list[Formula], frame.operands)

    def _integers(self, frame: _Frame) -> list[IntExpr]:
        for operand, tag in zip(frame.operands, frame.tags, strict=True):
            if not isinstance(operand, IntExpr):
                raise error(f"<{frame.tag}> needs numbers, and <{tag}> is a formula", frame.span)
        return cast(list[IntExpr], frame.operands)

    def _sum_of_places(self, frame: _Frame) -> IntExpr:
        if not frame.names:
            raise error(f"<{frame.tag}> names no place", frame.span)
        return self._vocabulary.tokens(frame.names, frame.span)

    def _fireable(self, frame: _Frame) -> Formula:
        if not frame.names:
            raise error(f"<{frame.tag}> names no transition", frame.span)
        return self._vocabulary.fireable(frame.names, frame.span)

    def _live(self, frame: _Frame) -> Formula:
        """The old `is-live`: each of the transitions has that level of liveness."""
        if not frame.names:
            raise error(f"<{frame.tag}> names no transition", frame.span)
        atoms = [self._vocabulary.fireable((name,), frame.span) for name in frame.names]
        match self._level:
            case "l0":
                parts: list[Formula] = [Forall(Globally(Not(f))) for f in atoms]
            case "l1":
                parts = [Exists(Finally(f)) for f in atoms]
            case "l4":
                parts = [Forall(Globally(Exists(Finally(f)))) for f in atoms]
            case _:
                raise error(
                    f"<is-live> of level '{self._level}' is not supported; l0, l1 and l4 are",
                    frame.span,
                )
        return parts[0] if len(parts) == 1 else And(tuple(parts), span=frame.span)


def _skip(tag: str, attributes: Attributes) -> Scope:
    return SKIP


# --- the operators --------------------------------------------------------------------------------

_Builder = Callable[[PropertyReader, _Frame], Operand]
_EVENT_ATOMS = ("is-fireable", "is-live")
_NAMES = {
    "tokens-count": ("place",),
    "place-bound": ("place",),
    "is-fireable": ("transition",),
    "is-live": ("transition", "level"),
}
"""The operators that hold names, and in which elements."""


def _connective(least: int, most: int | None, make: Callable[..., Formula]) -> _Builder:
    """An operator on formulas; `make` is called with the operands and the span."""

    def build(reader: PropertyReader, frame: _Frame) -> Operand:
        reader._expect(frame, least, most)
        return make(*reader._formulas(frame), span=frame.span)

    return build


def _nary(kind: type[And] | type[Or]) -> Callable[..., Formula]:
    def make(*operands: Formula, span: Span) -> Formula:
        return operands[0] if len(operands) == 1 else kind(operands, span=span)

    return make


def _exclusive(*operands: Formula, span: Span) -> Formula:
    return reduce(lambda a, b: Not(Iff(a, b, span=span), span=span), operands)


def _same(operand: Formula, span: Span) -> Formula:
    return operand


def _until(reader: PropertyReader, frame: _Frame) -> Operand:
    if frame.tags != ["before", "reach"]:
        raise error("<until> needs one <before> and then one <reach>", frame.span)
    left, right = reader._formulas(frame)
    return Until(left, right, span=frame.span)


def _comparison(op: CompareOp) -> _Builder:
    def build(reader: PropertyReader, frame: _Frame) -> Operand:
        reader._expect(frame, 2, 2)
        left, right = reader._integers(frame)
        return Compare(op, left, right, span=frame.span)

    return build


def _arithmetic(op: ArithmeticOp) -> _Builder:
    def build(reader: PropertyReader, frame: _Frame) -> Operand:
        reader._expect(frame, 2 if op == "-" else 1, None)
        return _chain(op, reader._integers(frame), frame.span)

    return build


def _chain(op: ArithmeticOp, operands: Sequence[IntExpr], span: Span) -> IntExpr:
    return reduce(lambda a, b: Binary(op, a, b, span=span), operands)


def _atom(value: Formula) -> _Builder:
    def build(reader: PropertyReader, frame: _Frame) -> Operand:
        reader._expect(frame, 0, 0)
        return value

    return build


_BUILDERS: dict[str, _Builder] = {
    "invariant": _connective(1, 1, lambda f, span: Forall(Globally(f, span=span), span=span)),
    "possibility": _connective(1, 1, lambda f, span: Exists(Finally(f, span=span), span=span)),
    "impossibility": _connective(
        1, 1, lambda f, span: Not(Exists(Finally(f, span=span), span=span), span=span)
    ),
    "all-paths": _connective(1, 1, Forall),
    "exists-path": _connective(1, 1, Exists),
    "globally": _connective(1, 1, Globally),
    "finally": _connective(1, 1, Finally),
    "next": _connective(1, 1, Next),
    "until": _until,
    "before": _connective(1, 1, _same),
    "reach": _connective(1, 1, _same),
    "negation": _connective(1, 1, Not),
    "conjunction": _connective(1, None, _nary(And)),
    "disjunction": _connective(1, None, _nary(Or)),
    "exclusive-disjunction": _connective(2, None, _exclusive),
    "implication": _connective(2, 2, Implies),
    "equivalence": _connective(2, 2, Iff),
    "true": _atom(TRUE),
    "false": _atom(FALSE),
    "deadlock": _atom(Deadlock()),
    "is-deadlock": _atom(Deadlock()),
    "is-fireable": PropertyReader._fireable,
    "is-live": PropertyReader._live,
    "integer-le": _comparison("<="),
    "integer-lt": _comparison("<"),
    "integer-ge": _comparison(">="),
    "integer-gt": _comparison(">"),
    "integer-eq": _comparison("=="),
    "integer-ne": _comparison("!="),
    "integer-sum": _arithmetic("+"),
    "integer-product": _arithmetic("*"),
    "integer-difference": _arithmetic("-"),
    "tokens-count": PropertyReader._sum_of_places,
    "place-bound": PropertyReader._sum_of_places,
}


# --- kinds and names ------------------------------------------------------------------------------


def _classified(formula: Formula, prefer_ltl: bool) -> tuple[PropertyKind, Formula]:
    """The kind of a property with this formula, and its body."""
    match formula:
        case Exists(operand=Finally(operand=p)) if is_state(p):
            return "reachable", p
        case Forall(operand=Globally(operand=p)) if is_state(p):
            return "invariant", p
        case Not(operand=Exists(operand=Finally(operand=p))) if is_state(p):
            return "never", p
        case Not(operand=Forall(operand=Globally(operand=p))) if is_state(p):
            return "reachable", Not(p, span=p.span)
        case Forall(operand=p) | Exists(operand=p) if is_state(p):
            formula = p
    path = formula.operand if isinstance(formula, Forall) else formula
    problem = why_not_ctl(formula)
    if (prefer_ltl or problem is not None) and is_ltl(path):
        return "ltl", path
    if problem is not None:
        raise error(f"this is neither CTL nor LTL: {problem.message}", problem.span)
    return "ctl", formula


class _Names:
    """Places or transitions by id and, where only one has it, by human name."""

    def __init__(self, kind: str, nodes: Sequence[Declaration]) -> None:
        self._kind = kind
        self._ids = {n.name for n in nodes}
        self._aliases: dict[str, str | None] = {}
        for n in nodes:
            if n.comment is not None:
                self._aliases[n.comment] = None if n.comment in self._aliases else n.name

    def resolve(self, name: str, span: Span) -> str:
        """The id that is meant; a located error when there is none."""
        if name in self._ids:
            return name
        if name not in self._aliases:
            raise self._unknown(name, span)
        id = self._aliases[name]
        if id is None:
            raise error(f"several {self._kind}s have the name '{name}'; use an id", span)
        return id

    def _unknown(self, name: str, span: Span) -> InputError:
        shown = name if len(name) <= 80 else name[:80] + "..."
        near = []
        if len(self._ids) <= 10_000 and len(name) <= 80:
            near = difflib.get_close_matches(name, sorted(self._ids), n=1)
        hint = f"did you mean '{near[0]}'?" if near else None
        return error(f"the net has no {self._kind} '{shown}'", span, hint)
