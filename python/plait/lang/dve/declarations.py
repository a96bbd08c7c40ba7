"""The first pass over a DVE text: everything that is declared, and where the rest stands.

An expression may name a process that is declared further down, so expressions are read only when
all names are known. This pass reads declarations and the arrows between states, and steps over the
bodies of transitions and over assertions; it keeps the index of the token where each begins.
"""

from __future__ import annotations

from collections.abc import Callable

from plait.errors import InputError, Span, error
from plait.hints import Literal
from plait.lang.lexer import END, NAME, Lexicon, Tokens
from plait.model.expr import IntExpr
from plait.model.findings import did_you_mean
from plait.model.shape import ARRAY_LIMIT, evaluate_constant
from plait.model.types import Domain
from plait.records import dataclass, field

LEXICON = Lexicon(
    punctuation=(
        *("->", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "+=", "-=", "++", "--"),
        *"{}()[];,:.=<>+-*/%&|^~!?",
    ),
    quotes='"',
)
"""DVE's tokens."""

KEYWORDS = frozenset(
    (
        *("process", "state", "init", "commit", "accept", "assert", "trans"),
        *("guard", "sync", "effect", "system", "async", "property"),
        *("byte", "int", "const", "channel", "true", "false", "and", "or", "not", "imply"),
    )
)
TypeName = Literal["byte", "int"]
DOMAINS: dict[TypeName, Domain] = {"byte": Domain(0, 255), "int": Domain(-(2**15), 2**15 - 1)}


@dataclass(frozen=True, slots=True)
class VariableText:
    """A variable; `full` is its name in the model, `P.x` for a local one."""

    name: str
    full: str
    type: TypeName
    size: int | None
    initial: tuple[int, ...]
    const: bool
    span: Span


@dataclass(frozen=True, slots=True)
class ChannelText:
    """A channel; `types` is None when it is declared without."""

    name: str
    full: str
    types: tuple[TypeName, ...] | None
    capacity: int
    span: Span


@dataclass(frozen=True, slots=True)
class TransitionText:
    """An arrow between two states of a process; `body` is the index of its `{`."""

    source: str
    target: str
    body: int
    span: Span


@dataclass(slots=True)
class ProcessText:
    """A process; states are numbered in the order of their declaration."""

    name: str
    span: Span
    names: dict[str, VariableText | ChannelText] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    initial: str = ""
    commit: list[str] = field(default_factory=list)
    accept: list[str] = field(default_factory=list)
    assertions: list[int] = field(default_factory=list)
    """The index of the first token after each `assert`."""
    transitions: list[TransitionText] = field(default_factory=list)
    mentions: list[tuple[str, Span]] = field(default_factory=list)
    """Every name of a state that the process uses, and where."""

    @property
    def pc(self) -> str:
        """The variable that holds its state; `state` is a keyword, so no other has this name."""
        return f"{self.name}.state"


@dataclass(slots=True)
class SystemText:
    """A whole text."""

    names: dict[str, VariableText | ChannelText] = field(default_factory=dict)
    processes: dict[str, ProcessText] = field(default_factory=dict)
    property: ProcessText | None = None


class Declarations:
    """Reads the declarations of a text; `constant` reads an expression over constants."""

    def __init__(
        self, tokens: Tokens, constant: Callable[[SystemText, ProcessText | None], IntExpr]
    ) -> None:
        self.tokens = tokens
        self.constant = constant
        self.system = SystemText()

    def read(self) -> SystemText:
        """The whole text, up to its end."""
        tokens = self.tokens
        while tokens.next != "system":
            match tokens.next:
                case "byte" | "int" | "const":
                    self._variables(None)
                case "channel":
                    self._channels(None)
                case "process":
                    self._process()
                case "property":
                    raise tokens.fail(
                        "properties are given as a process: 'system async property P;'"
                    )
                case _:
                    what = "a variable, a channel, a process or 'system'"
                    words = ("byte", "int", "const", "channel", "process")
                    raise tokens.expected(what, words=words)
        self._system()
        return self.system

    # --- the system -------------------------------------------------------------------------------

    def _system(self) -> None:
        """`system async property P;`, at the end."""
        tokens = self.tokens
        tokens.at += 1
        if tokens.next == "sync":
            raise tokens.fail(
                "synchronous systems are not supported",
                hint="in 'system async' one process moves at a time, or two over a channel",
            )
        tokens.expect("async", "after 'system'")
        if tokens.accept("property"):
            span = tokens.span()
            name = self._word("the name of the property process")
            if name not in self.system.processes:
                hint = did_you_mean(name, self.system.processes)
                raise error(f"no process named '{name}'", span, hint)
            self.system.property = self.system.processes[name]
        tokens.expect(";", "after the system")
        if tokens.kind() != END:
            raise tokens.expected("the end of the text")
        if not self.system.processes:
            raise tokens.fail("the system has no process", tokens.at - 1)

    # --- names ------------------------------------------------------------------------------------

    def _word(self, what: str) -> str:
        """A name that is no keyword."""
        tokens = self.tokens
        if tokens.kind() != NAME:
            raise tokens.expected(what)
        if tokens.next in KEYWORDS:
            raise tokens.fail(f"expected {what}, but '{tokens.next}' is a keyword")
        tokens.at += 1
        return tokens.texts[tokens.at - 1]

    def _declared(self, name: str, process: ProcessText | None, span: Span) -> None:
        """Names are unique in a process, and outside; inside they hide what is outside."""
        if process is None:
            known = name in self.system.names or name in self.system.processes
        else:
            known = name in process.names or name in process.states
        if known:
            raise error(f"'{name}' is declared twice", span)

    # --- variables and channels -------------------------------------------------------------------

    def _type(self) -> TypeName:
        tokens = self.tokens
        for name in DOMAINS:
            if tokens.accept(name):
                return name
        raise tokens.expected("'byte' or 'int'")

    def _variables(self, process: ProcessText | None) -> None:
        """`const byte a = 1, b[3] = {1, 2, 3};`."""
        tokens = self.tokens
        const = tokens.accept("const")
        type_ = self._type()
        names = self.system.names if process is None else process.names
        while True:
            variable = self._variable(process, type_, const)
            names[variable.name] = variable
            if not tokens.accept(","):
                break
        tokens.expect(";", "after the declaration")

    def _variable(self, process: ProcessText | None, type_: TypeName, const: bool) -> VariableText:
        tokens = self.tokens
        span = tokens.span()
        name = self._word("the name of a variable")
        self._declared(name, process, span)
        size = self._size(process) if tokens.accept("[") else None
        initial: tuple[int, ...] = ()
        if tokens.accept("="):
            initial = self._initial(process, type_, size)
        elif const:
            raise error(f"the constant '{name}' has no value", span)
        full = name if process is None else f"{process.name}.{name}"
        return VariableText(name, full, type_, size, initial, const, span)

    def _size(self, process: ProcessText | None) -> int:
        """The size of an array, behind its `[`."""
        size = self._value(process)
        if not 1 <= size <= ARRAY_LIMIT:
            message = f"the size of an array must be in 1 .. {ARRAY_LIMIT}, not {size}"
            raise self.tokens.fail(message, self.tokens.at - 1)
        self.tokens.expect("]", "after the size")
        return size

    def _initial(
        self, process: ProcessText | None, type_: TypeName, size: int | None
    ) -> tuple[int, ...]:
        """The value of a variable, or those of an array: missing ones are 0.

        Generated models write more values than the array has cells; the others mean nothing.
        """
        tokens = self.tokens
        if size is None:
            return (wrapped(self._value(process), type_),)
        tokens.expect("{", "before the values of the array")
        values: list[int] = []
        while not tokens.accept("}"):
            if values:
                tokens.expect(",", "or '}'")
            values.append(wrapped(self._value(process), type_))
        return tuple([*values, *[0] * (size - len(values))][:size])

    def _value(self, process: ProcessText | None) -> int:
        return evaluate_constant(self.constant(self.system, process), {})

    def _channels(self, process: ProcessText | None) -> None:
        """`channel a, b;` or `channel {byte, int} c[3];`."""
        tokens = self.tokens
        tokens.at += 1
        types = self._fields() if tokens.next == "{" else None
        names = self.system.names if process is None else process.names
        while True:
            span = tokens.span()
            name = self._word("the name of a channel")
            self._declared(name, process, span)
            capacity = self._capacity(process, types) if tokens.accept("[") else 0
            full = name if process is None else f"{process.name}.{name}"
            names[name] = ChannelText(name, full, types, capacity, span)
            if not tokens.accept(","):
                break
        tokens.expect(";", "after the declaration")

    def _fields(self) -> tuple[TypeName, ...]:
        """`{byte, int}`."""
        tokens = self.tokens
        tokens.at += 1
        types = [self._type()]
        while tokens.accept(","):
            types.append(self._type())
        tokens.expect("}", "after the types of the channel")
        return tuple(types)

    def _capacity(self, process: ProcessText | None, types: tuple[TypeName, ...] | None) -> int:
        tokens = self.tokens
        first = tokens.at
        capacity = self._value(process)
        if not 0 <= capacity <= 2**16:
            message = f"the capacity of a channel must be in 0 .. {2**16}, not {capacity}"
            raise tokens.fail(message, first)
        if capacity and types is None:
            hint = "say what it carries: 'channel {byte} c[1];'"
            raise tokens.fail("a channel with a buffer needs types", first, hint)
        tokens.expect("]", "after the capacity")
        return capacity

    # --- processes --------------------------------------------------------------------------------

    def _process(self) -> None:
        """`process P { ... }`."""
        tokens = self.tokens
        tokens.at += 1
        span = tokens.span()
        name = self._word("the name of a process")
        self._declared(name, None, span)
        process = ProcessText(name, span)
        if tokens.next == "(":
            raise tokens.fail("processes with parameters are not supported")
        opening = tokens.expect("{", f"after 'process {name}'")
        while not tokens.accept("}"):
            self._part(process, opening)
        if not process.states:
            raise error(f"process '{name}' has no states", span)
        if not process.initial:
            raise error(f"process '{name}' has no initial state", span, "add 'init' and its name")
        for mentioned, place in process.mentions:
            if mentioned not in process.states:
                raise unknown_state(process, mentioned, place)
        self.system.processes[name] = process

    def _part(self, process: ProcessText, opening: int) -> None:
        """One part of a process, each introduced by its keyword."""
        tokens = self.tokens
        keyword = tokens.next
        match keyword:
            case "byte" | "int" | "const":
                self._variables(process)
                return
            case "channel":
                self._channels(process)
                return
            case "trans":
                self._transitions(process)
                return
            case "assert":
                process.assertions.append(tokens.at + 1)
                self._skip(";", tokens.at)
                return
            case "state" | "init" | "commit" | "accept":
                tokens.at += 1
            case _:
                raise self._unexpected(process, opening)
        if keyword == "state":
            self._states(process)
        elif keyword == "init":
            self._check_once(process)
            process.initial = self._state(process)
        else:
            named = process.commit if keyword == "commit" else process.accept
            named.append(self._state(process))
            while tokens.accept(","):
                named.append(self._state(process))
        tokens.expect(";", f"after '{keyword}'")

    def _unexpected(self, process: ProcessText, opening: int) -> InputError:
        tokens = self.tokens
        what = "'state', 'init', 'trans' or another part of the process"
        if tokens.kind() == END:
            line = tokens.span(opening).line
            hint = f"process '{process.name}', opened at line {line}, is not closed"
            return tokens.expected("'}'", hint)
        return tokens.expected(what)

    def _check_once(self, process: ProcessText) -> None:
        if process.initial:
            raise self.tokens.fail(f"process '{process.name}' has two initial states")

    def _states(self, process: ProcessText) -> None:
        """`state a, b, c`."""
        tokens = self.tokens
        while True:
            span = tokens.span()
            name = self._word("the name of a state")
            self._declared(name, process, span)
            process.states[name] = len(process.states)
            if not tokens.accept(","):
                return

    def _transitions(self, process: ProcessText) -> None:
        """`trans a -> b { ... }, -> c { ... };`: without a source it is that of the one before."""
        tokens = self.tokens
        tokens.at += 1
        source = ""
        while tokens.next != ";":
            first = tokens.at
            if tokens.next != "->":
                source = self._state(process)
            elif not source:
                raise tokens.fail("the first transition needs a source state")
            tokens.expect("->", "after the source state")
            target = self._state(process)
            span = tokens.span(first, tokens.at - 1)
            body = tokens.at
            if tokens.next != "{":
                raise tokens.expected("'{' after the target state")
            self._skip("}", body)
            process.transitions.append(TransitionText(source, target, body, span))
            if not tokens.accept(","):
                break
        tokens.expect(";", "or ',' after the transition")

    def _skip(self, end: str, opening: int) -> None:
        """Step behind the token that ends what begins at `opening`; brackets inside are matched."""
        tokens = self.tokens
        depth = 0
        index = opening
        texts = tokens.texts
        while True:
            index += 1
            text = texts[index]
            if text == end and not depth:
                break
            # A list of values holds no semicolon: its bracket is not closed.
            unclosed = text == ";" and depth > 0
            depth += (text == "{") - (text == "}")
            if depth < 0 or unclosed or tokens.kinds[index] == END:
                tokens.at = index
                raise tokens.expected("'}'" if unclosed else f"'{end}'")
        tokens.at = index + 1

    def _state(self, process: ProcessText) -> str:
        """The name of a state, which may be declared further down."""
        span = self.tokens.span()
        name = self._word("the name of a state")
        process.mentions.append((name, span))
        return name


def unknown_state(process: ProcessText, name: str, span: Span) -> InputError:
    """The error that a process has no such state."""
    hint = did_you_mean(name, process.states)
    return error(f"process '{process.name}' has no state '{name}'", span, hint)


def wrapped(value: int, type_: TypeName) -> int:
    """The value that a variable of the type holds after the assignment."""
    return value & 255 if type_ == "byte" else (value + 2**15) % 2**16 - 2**15


__all__ = [
    "DOMAINS",
    "KEYWORDS",
    "LEXICON",
    "ChannelText",
    "Declarations",
    "ProcessText",
    "SystemText",
    "TransitionText",
    "TypeName",
    "VariableText",
    "unknown_state",
    "wrapped",
]
