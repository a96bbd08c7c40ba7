"""The declarations of a Promela text: everything but the bodies of its processes.

Bodies are stepped over here and read once for each process that may exist
(`plait.lang.promela.bodies`), so that names can be resolved while reading.
"""

from __future__ import annotations

from collections.abc import Iterator

from plait.errors import Diagnostic, Span, error
from plait.lang.lexer import NAME, NUMBER, Tokens
from plait.lang.promela.expressions import PromelaExpressions, constant
from plait.lang.promela.symbols import (
    DOMAINS,
    ChannelShape,
    ChannelText,
    Field,
    Leaf,
    Scalar,
    Structure,
    Symbol,
    cells_of,
    leaves,
)
from plait.lang.promela.words import (
    CONSTANTS,
    KEYWORDS,
    OF_OTHERS,
    PROCTYPE,
    REFUSED,
    VISIBILITY,
)
from plait.lang.scope import Scope
from plait.model.expr import Const, IntExpr, Var
from plait.model.findings import did_you_mean
from plait.model.types import Domain, Words
from plait.records import dataclass, field, replace

LAST = "_last"
"""The variable of the process that moved last."""
CELL_LIMIT = 1_000_000
CHANNEL_LIMIT = 255
CAPACITY_LIMIT = 65_535
FIELD_LIMIT = 1000


@dataclass(frozen=True, slots=True)
class Proctype:
    """A `proctype`: where its parameters and its body begin, and how many start at once."""

    name: str
    span: Span
    parameters: int
    body: int
    active: int
    provided: int | None = None
    """Where the condition under which it may move begins."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A variable with its initial value as written."""

    symbol: Symbol
    initial: IntExpr | None
    cells: tuple[Leaf, ...]
    channel: ChannelShape | None = None


@dataclass(slots=True)
class SystemText:
    """All that a text declares."""

    doubts: dict[Span, Diagnostic] = field(default_factory=dict)
    """What is probably not meant, once for each place: a body is read for each of its processes."""
    scope: Scope[Symbol] = field(default_factory=Scope)
    variables: list[Declared] = field(default_factory=list)
    channels: list[ChannelText] = field(default_factory=list)
    messages: dict[str, int] = field(default_factory=dict)
    kinds: dict[str, list[str]] = field(default_factory=dict)
    """The symbolic constants of each kind; the first is 1."""
    structures: dict[str, Structure] = field(default_factory=dict)
    proctypes: dict[str, Proctype] = field(default_factory=dict)
    claims: list[tuple[str, int, Span]] = field(default_factory=list)
    """The `ltl` blocks: name and first token."""
    never: list[Proctype] = field(default_factory=list)
    """The never claims."""
    trace: Proctype | None = None
    """The trace assertion, named after its keyword: `trace` or `notrace`."""
    full_names: set[str] = field(default_factory=set)
    last: bool = False
    """Whether some expression asks for the process that moved last, `_last`."""
    counted: bool = False
    """Whether something asks how many processes there are, `_nr_pr`."""
    changed: frozenset[str] = frozenset()
    """Names of variables and fields that something may be assigned to."""

    def words(self, type_: Scalar) -> Words:
        """The names of the values of a type that have one."""
        if type_.name == "chan":
            return tuple((channel.number, channel.name) for channel in self.channels)
        if type_.name == "mtype":
            return tuple(enumerate(self.kinds.get(type_.kind, ()), start=1))
        return ()


class Declarer:
    """Reads declarations of variables, of one process or of none."""

    def __init__(
        self, tokens: Tokens, system: SystemText, scope: Scope[Symbol], prefix: str
    ) -> None:
        self.tokens = tokens
        self.system = system
        self.scope = scope
        self.prefix = prefix
        self.pid: int | None = None

    # --- names ------------------------------------------------------------------------------------

    def symbol(self, name: str) -> Symbol | None:
        """The variable of that name."""
        return self.scope.find(name)

    def message(self, name: str) -> int | None:
        """The value of a symbolic constant."""
        return self.system.messages.get(name)

    def unknown(self, name: str, span: Span) -> Exception:
        """The error for a name that means nothing."""
        known = [*self.system.messages, *self.scope.known(), *CONSTANTS]
        hint = OF_OTHERS.get(name) or did_you_mean(name, known)
        return error(f"'{name}' is not declared", span, hint)

    def last(self) -> IntExpr:
        """The process that moved last; from now on the model keeps it."""
        self.system.last = True
        return Var(LAST)

    def started(self, span: Span) -> IntExpr:
        """The process that the `run` at the cursor starts; most places have none."""
        raise error("'run' is a statement, or stands in the value of an assignment", span)

    def expressions(self) -> PromelaExpressions:
        """A reader of expressions here."""
        return PromelaExpressions(self.tokens, self)

    def constant(self, what: str, low: int, high: int) -> int:
        """A constant expression at the cursor, within bounds."""
        first = self.tokens.at
        found = self.expressions().number()
        value = self._first_value(found) if isinstance(found, Var) else constant(found)
        if value is None:
            raise self.tokens.fail(f"{what} must be a constant", first)
        if not low <= value <= high:
            raise self.tokens.fail(f"{what} must be between {low} and {high}, not {value}", first)
        return value

    def _first_value(self, var: Var) -> int | None:
        """The value that a variable of the text begins with, which SPIN takes for a constant."""
        for declared in self.system.variables:
            if declared.symbol.full == var.name and declared.initial is not None:
                return constant(declared.initial)
        return None

    # --- declarations -----------------------------------------------------------------------------

    def starts(self) -> bool:
        """Whether a declaration stands at the cursor."""
        text = self.tokens.next
        if text in VISIBILITY:
            return True
        if text in DOMAINS or text == "unsigned":
            return self.tokens.kind(1) == NAME or self.tokens.peek() == ":"
        return text in self.system.structures and self.tokens.kind(1) == NAME

    def type(self) -> Scalar | Structure:
        """A type at the cursor."""
        tokens = self.tokens
        name = tokens.next
        if name in DOMAINS:
            tokens.at += 1
            kind = ""
            if name == "mtype" and tokens.next == ":":
                kind = tokens.peek(1)
                tokens.at += 2
            return Scalar(name, DOMAINS[name], kind)
        if name == "unsigned":
            tokens.at += 1
            return Scalar(name, Domain(0, 0))
        if name in self.system.structures:
            tokens.at += 1
            return self.system.structures[name]
        raise tokens.expected("a type")

    def declaration(self) -> Iterator[Declared]:
        """`type x = 1, a[3] = 0, c = [2] of { byte }`."""
        tokens = self.tokens
        while tokens.next in VISIBILITY:
            tokens.at += 1
        type_ = self.type()
        while True:
            yield self.declarator(type_)
            if not tokens.accept(","):
                return

    def declarator(self, type_: Scalar | Structure) -> Declared:
        """One name with its shape and its value, behind its type."""
        tokens = self.tokens
        index = tokens.at
        name = self.new_name()
        span = tokens.span(index)
        type_, size = self._shape(type_)
        initial: IntExpr | None = None
        channel: ChannelShape | None = None
        full = self._full(name)
        more: tuple[IntExpr, ...] = ()
        if tokens.accept("="):
            if isinstance(type_, Structure):
                raise tokens.fail("a structure cannot have an initial value")
            if type_.name == "chan" and tokens.next == "[":
                channel = self._channel_shape()
            elif tokens.next == "{" and size is not None:
                initial, *rest = self._list(size)
                more = tuple(rest)
            else:
                first = tokens.at
                initial = self.expressions().number()
                self.doubt(initial, type_, first)
        symbol = Symbol(name, full, type_, size, span)
        cells = tuple(leaves(symbol, initial, channel))
        if more:
            cells = (replace(cells[0], more=more),)
        if sum(leaf.cells for leaf in cells) > CELL_LIMIT:
            raise error(f"'{name}' has more than {CELL_LIMIT} cells", span)
        symbol, cells = self._with_channels(symbol, cells)
        self.scope.declare(name, symbol, span)
        return Declared(symbol, initial, cells, channel)

    def doubt(self, value: IntExpr, type_: Scalar, first: int) -> None:
        """Warn of a constant that a variable of this type cannot have; `first` is its token."""
        number = constant(value)
        low, high = type_.domain.low, type_.domain.high
        if number is None or low <= number <= high or type_.name == "chan":
            return
        span = self.tokens.statement(first)
        message = f"{number} does not fit in '{type_.name}' and becomes "
        found = Diagnostic(message + str((number - low) % (high - low + 1) + low), span)
        self.system.doubts[span] = replace(found, severity="warning")

    def _with_channels(
        self, symbol: Symbol, cells: tuple[Leaf, ...]
    ) -> tuple[Symbol, tuple[Leaf, ...]]:
        """The variable with the channels that it is declared with.

        A cell that nobody assigns to is a constant of the model; others begin with their channels.
        """
        kept: list[Leaf] = []
        found: list[ChannelText] = []
        constants: dict[str, range] = {}
        for leaf in cells:
            if leaf.channel is None:
                kept.append(leaf)
                continue
            changed = leaf.full.rpartition(".")[2].partition("~")[0] in self.system.changed
            own = self._channels(leaf, leaf.channel, "~channel" if changed else "")
            found.extend(own)
            if changed:
                first, *more = (Const(c.number, span=leaf.span) for c in own)
                kept.append(replace(leaf, initial=first, more=tuple(more)))
            else:
                constants[leaf.full] = range(own[0].number, own[0].number + len(own))
        if not found:
            return symbol, cells
        return replace(symbol, channels=tuple(found), constants=constants), tuple(kept)

    def _list(self, size: int) -> list[IntExpr]:
        """`{ 1, 2 }`, the values of an array."""
        tokens = self.tokens
        first = tokens.at
        tokens.at += 1
        found = [self.expressions().number()]
        while tokens.accept(","):
            found.append(self.expressions().number())
        tokens.expect("}", "or ',' after a value")
        if len(found) > size:
            raise tokens.fail(f"there are {len(found)} values for {size} cells", first)
        return found

    def new_name(self) -> str:
        """The name of something that is being declared."""
        name = self.tokens.next
        if self.tokens.kind() != NAME or name in KEYWORDS or name == "_":
            known = name in KEYWORDS
            hint = f"'{name}' is a word of the language, and no name" if known else None
            raise self.tokens.expected("a name", hint)
        if name in self.system.messages:
            raise self.tokens.fail(f"'{name}' is a symbolic constant already")
        self.tokens.at += 1
        return name

    def _full(self, name: str) -> str:
        full = f"{self.prefix}{name}"
        number = 1
        while full in self.system.full_names:
            number += 1
            full = f"{self.prefix}{name}~{number}"
        self.system.full_names.add(full)
        return full

    def _shape(self, type_: Scalar | Structure) -> tuple[Scalar | Structure, int | None]:
        """The width of an unsigned variable or the size of an array, behind the name."""
        tokens = self.tokens
        if isinstance(type_, Scalar) and type_.name == "unsigned":
            tokens.expect(":", "and a number of bits after an unsigned variable")
            if tokens.kind() != NUMBER:
                raise tokens.expected("a number of bits")
            tokens.at += 1
            bits = tokens.number(tokens.at - 1)
            if not 1 <= bits <= 31:
                raise tokens.fail("an unsigned variable has 1 to 31 bits", tokens.at - 1)
            type_ = Scalar("unsigned", Domain(0, 2**bits - 1))
        if tokens.accept("["):
            size = self.constant("the size of an array", 1, CELL_LIMIT)
            tokens.expect("]", "after the size of the array")
            return type_, size
        return type_, None

    def _channel_shape(self) -> ChannelShape:
        """`[2] of { byte, mtype }`."""
        tokens = self.tokens
        tokens.expect("[")
        capacity = self.constant("the capacity of a channel", 0, CAPACITY_LIMIT)
        tokens.expect("]", "after the capacity")
        tokens.expect("of", "after the capacity")
        tokens.expect("{")
        types: list[Scalar] = []
        while True:
            type_ = self.type()
            if isinstance(type_, Scalar) and type_.name == "unsigned":
                type_, _ = self._shape(type_)
            for _, kind, _ in cells_of("", type_, ()):
                types.append(kind)
                if len(types) > FIELD_LIMIT:
                    message = f"a message has more than {FIELD_LIMIT} fields"
                    raise tokens.fail(message, tokens.at - 1)
            if not tokens.accept(","):
                break
        tokens.expect("}", "after the types of the fields")
        return ChannelShape(capacity, tuple(types))

    def _channels(self, leaf: Leaf, shape: ChannelShape, mark: str) -> list[ChannelText]:
        """The channels of the cells of a variable, named after it and the mark."""
        found: list[ChannelText] = []
        for k in range(leaf.cells):
            number = len(self.system.channels) + 1
            if number > CHANNEL_LIMIT:
                raise error(f"there are more than {CHANNEL_LIMIT} channels", leaf.span)
            name = f"{leaf.full}{mark}[{k}]" if leaf.dimensions else f"{leaf.full}{mark}"
            channel = ChannelText(number, name, shape.capacity, shape.types, leaf.span)
            self.system.channels.append(channel)
            found.append(channel)
        return found


class Declarations(Declarer):
    """Reads the whole text."""

    def __init__(self, tokens: Tokens) -> None:
        system = SystemText(changed=_changed(tokens))
        super().__init__(tokens, system, system.scope, "")

    def read(self) -> SystemText:
        """Everything that is declared outside bodies."""
        tokens = self.tokens
        while tokens.next:
            if tokens.accept(";"):
                continue
            text = tokens.next
            if text in REFUSED:
                raise tokens.fail(REFUSED[text])
            if text == "mtype" and self._symbols():
                continue
            if text == "typedef":
                self._typedef()
            elif text in ("active", *PROCTYPE):
                self._proctype()
            elif text == "init":
                self._process("init", 1)
            elif text == "ltl":
                self._ltl()
            elif text == "never":
                self._never()
            elif text in ("trace", "notrace"):
                self._trace()
            elif self.starts():
                self.system.variables.extend(self.declaration())
            else:
                channel = "a channel is declared 'chan c = [2] of { byte }'"
                raise tokens.expected("a declaration", channel if tokens.next == "of" else None)
        if not any(p.active for p in self.system.proctypes.values()):
            raise tokens.fail("no process is started", hint="add 'init' or 'active'")
        return self.system

    def _symbols(self) -> bool:
        """`mtype = { a, b }`: the last of a list has the smallest value, as in SPIN.

        Each kind, `mtype:name`, counts from 1.
        """
        tokens = self.tokens
        ahead = 1 if tokens.peek(1) != ":" else 3
        kind = tokens.peek(2) if ahead == 3 else ""
        if tokens.peek(ahead) == "=":
            ahead += 1
        if tokens.peek(ahead) != "{":
            return False
        tokens.at += ahead + 1
        names = [self.new_name()]
        while not tokens.accept("}"):
            if not tokens.accept(","):  # which may be left out
                names.append(self.new_name())
        known = self.system.kinds.setdefault(kind, [])
        if len(known) + len(names) > 255:
            raise tokens.fail("there are more than 255 symbolic constants", tokens.at - 1)
        for name in reversed(names):
            known.append(name)
            self.system.messages[name] = len(known)
        return True

    def _typedef(self) -> None:
        tokens = self.tokens
        tokens.at += 1
        name = self.new_name()
        tokens.expect("{", "after the name of the type")
        inner = Declarer(tokens, SystemText(structures=self.system.structures), Scope(), "")
        inner.system.messages = self.system.messages
        fields: list[Field] = []
        while not tokens.accept("}"):
            if tokens.accept(";"):
                continue
            for d in inner.declaration():
                shape = d.channel
                fields.append(Field(d.symbol.name, d.symbol.type, d.symbol.size, d.initial, shape))
        self.system.structures[name] = Structure(name, tuple(fields))

    def _proctype(self) -> None:
        tokens = self.tokens
        active = 0
        if tokens.accept("active"):
            active = 1
            if tokens.accept("["):
                active = self.constant("the number of processes", 0, 255)
                tokens.expect("]", "after the number of processes")
        if tokens.next not in PROCTYPE:
            raise tokens.expected("'proctype'")
        tokens.at += 1
        self._process("", active)

    def _process(self, name: str, active: int) -> None:
        tokens = self.tokens
        span = tokens.span()
        if name:
            tokens.at += 1
        else:
            name = self.new_name()
        if name in self.system.proctypes and name != "init":
            raise error(f"process '{name}' is declared twice", span)
        parameters = tokens.at
        if name != "init":
            tokens.expect("(", "after the name of the process")
            self._skip(")")
        if tokens.next == "priority":
            raise tokens.fail("priorities are not supported")
        provided = None
        if tokens.accept("provided"):
            tokens.expect("(", "after 'provided'")
            provided = tokens.at
            self._skip(")")
        body = tokens.at
        tokens.expect("{", "before the body of the process")
        self._skip("}")
        key = name
        while (
            key in self.system.proctypes
        ):  # each further 'init' is a process of its own, as in SPIN
            key += "~"
        self.system.proctypes[key] = Proctype(name, span, parameters, body, active, provided)

    def _ltl(self) -> None:
        tokens = self.tokens
        span = tokens.span()
        tokens.at += 1
        name = f"ltl_{len(self.system.claims)}"
        if tokens.next != "{":
            name = self.new_name()
        tokens.expect("{", "before the formula")
        self.system.claims.append((name, tokens.at, span))
        self._skip("}")

    def _never(self) -> None:
        tokens = self.tokens
        span = tokens.span()
        tokens.at += 1
        name = "never claim" if tokens.next == "{" else self.new_name()
        if any(claim.name == name for claim in self.system.never):
            raise error("a second never claim", span, "give each of them a name: never name { }")
        start = tokens.at
        tokens.expect("{", "before the body of the claim")
        self._skip("}")
        self.system.never.append(Proctype(name, span, start, start, 0))

    def _trace(self) -> None:
        tokens = self.tokens
        span = tokens.span()
        if self.system.trace is not None:
            raise error("a second trace assertion", span)
        name = tokens.next
        tokens.at += 1
        start = tokens.at
        tokens.expect("{", "before the body of the assertion")
        self._skip("}")
        self.system.trace = Proctype(name, span, start, start, 0)

    def _skip(self, close: str) -> None:
        """Step behind the bracket that closes what was just opened."""
        tokens = self.tokens
        start = tokens.at - 1
        depth = 1
        opening = tokens.texts[start]
        while depth:
            text = tokens.next
            if not text:
                raise tokens.fail(f"this '{opening}' is not closed", start)
            depth += text == opening
            depth -= text == close
            tokens.at += 1


def _changed(tokens: Tokens) -> frozenset[str]:
    """The names that stand in front of `=` (but not of a channel), or behind a `?`."""
    found: set[str] = set()
    texts, kinds = tokens.texts, tokens.kinds
    receiving = False
    for at, text in enumerate(texts):
        if text == "=" and texts[at + 1] != "[":
            name, depth = at - 1, 0
            while name > 0:  # over an index
                depth += (texts[name] == "]") - (texts[name] == "[")
                if depth == 0 and texts[name] != "[":
                    break
                name -= 1
            found.add(texts[name])
        elif text in ("?", "??"):
            receiving = True
        elif receiving and kinds[at] == NAME:
            found.add(text)
        elif receiving and kinds[at] != NUMBER and text not in _PATTERN:
            receiving = False
    return frozenset(found)


_PATTERN = frozenset((*",()[]<>.", "-"))
"""What stands between the names of what is received."""
