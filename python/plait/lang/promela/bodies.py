"""The parameters and the body of one process, read into statements with names resolved."""

from __future__ import annotations

from plait.errors import Span, error
from plait.lang.lexer import NAME, Tokens
from plait.lang.promela import macros
from plait.lang.promela.declarations import (
    Declared,
    Declarer,
    Proctype,
    SystemText,
)
from plait.lang.promela.expressions import PromelaExpressions, expressions_follow
from plait.lang.promela.statements import (
    Assertion,
    Assignment,
    Choice,
    Condition,
    ElseStep,
    Jump,
    ReceiveStep,
    RunStep,
    SendStep,
    Sequence,
    Step,
    Target,
    Unless,
    without_needless_skips,
)
from plait.lang.promela.symbols import (
    DOMAINS,
    ChannelLength,
    Leaf,
    Scalar,
    Started,
    Structure,
    Symbol,
    leaves,
)
from plait.lang.promela.words import KEYWORDS
from plait.lang.scope import Scope
from plait.model.expr import TRUE, Binary, Compare, Const, Formula, IntExpr, Var
from plait.records import dataclass, field, replace

INT = Scalar("int", DOMAINS["int"])
BLOCK_LIMIT = 200
"""How deep blocks may be nested."""
SELECT_LIMIT = 32
"""How far the constant bounds of a `select` may be apart for it to be one choice, as in SPIN."""
_CLOSERS = ("}", "::", "fi", "od", "")
_LOOPS = ("for", "select", macros.COUNTED_SELECT)
_REFUSED = {
    "unless": "'unless' must follow a statement",
    "c_code": "embedded C is not supported",
    "c_expr": "embedded C is not supported",
    "set_priority": "priorities are not supported",
    "return": "inlines that return a value are not supported",
}


@dataclass(slots=True)
class ProcessText:
    """One process that may exist: a proctype under a process number."""

    proctype: Proctype
    pid: int
    name: str
    parameters: list[Declared] = field(default_factory=list)
    variables: list[Declared] = field(default_factory=list)
    body: Sequence | None = None
    constants: dict[str, int] = field(default_factory=dict)
    """The parameters whose values are known beforehand and do not change."""
    provided: Formula | None = None
    """The condition under which the process may move."""


class BodyReader(Declarer):
    """Reads one process."""

    def __init__(
        self, tokens: Tokens, system: SystemText, proctype: Proctype, pid: int | None, name: str
    ) -> None:
        super().__init__(tokens, system, Scope(system.scope), f"{name}.")
        self.pid = pid
        self.process = ProcessText(proctype, -1 if pid is None else pid, name)
        self.at_start = True
        """Whether no statement was read yet: initial values are then those of the start."""
        self.depth = 0
        self.steps: list[Step] = []
        """The steps so far of the innermost block or option that is being read."""
        self.runs: list[RunStep] | None = None
        """The `run` in the value that is being read, where there may be one."""

    def read(self) -> ProcessText:
        """Parameters, then the body."""
        tokens, process = self.tokens, self.process
        tokens.at = process.proctype.parameters
        if tokens.accept("("):
            while not tokens.accept(")"):
                if not tokens.accept(";") and not tokens.accept(","):
                    self._parameters()
        if process.proctype.provided is not None:
            tokens.at = process.proctype.provided
            process.provided = self.expressions().condition()
            tokens.expect(")", "after the condition")
        tokens.at = process.proctype.body
        span = tokens.span()
        tokens.expect("{")
        steps = self._sequence()
        tokens.expect("}", "or a statement")
        process.body = Sequence(span, tuple(steps))
        return process

    def _parameters(self) -> None:
        """`byte a, b`: up to the `;` or the next type."""
        tokens = self.tokens
        type_ = self.type()
        while True:
            declared = self.declarator(type_)
            if declared.initial is not None or declared.symbol.size is not None:
                raise error("a parameter is a variable without a value", declared.symbol.span)
            if declared.symbol.channels or any(leaf.dimensions for leaf in declared.cells):
                message = "a structure with arrays or channels of its own cannot be a parameter"
                raise error(message, declared.symbol.span)
            self.process.parameters.append(declared)
            if tokens.next != "," or tokens.kind(1) != NAME or tokens.peek() in KEYWORDS:
                return
            tokens.at += 1

    # --- sequences --------------------------------------------------------------------------------

    def _sequence(self) -> list[Step]:
        """Statements and declarations up to the end of the block."""
        tokens = self.tokens
        steps: list[Step] = []
        around, self.steps = self.steps, steps
        while True:
            while tokens.next in (";", "->"):
                tokens.at += 1
            if tokens.next in _CLOSERS:
                self.steps = around
                return steps
            if self.starts():
                steps.extend(self._declared())
                continue
            if tokens.next in ("xr", "xs"):
                self._exclusive()
                continue
            step = self._labelled()
            self.at_start = False
            while tokens.next == "unless":
                span = tokens.span()
                tokens.at += 1
                step = Unless(span, step, self._labelled())
            steps.append(step)
            if tokens.next not in (";", "->", *_CLOSERS) and not self._separated():
                raise tokens.expected("';' or '->'")

    def _separated(self) -> bool:
        """Whether the next statement needs no mark: behind a block or `else`, or on a new line."""
        tokens = self.tokens
        before, after = tokens.span(tokens.at - 1), tokens.span()
        same = before.line == after.line and before.source is after.source
        return tokens.texts[tokens.at - 1] in ("}", "else") or not same

    def _declared(self) -> list[Step]:
        """A declaration. At the start of a body it is no step; elsewhere it assigns, as in SPIN."""
        steps: list[Step] = []
        for d in self.declaration():
            if self.at_start and self.depth == 0:
                self.process.variables.append(d)
                continue
            self.process.variables.append(replace(d, cells=tuple(map(_without_value, d.cells))))
            if len(d.cells) != 1 or isinstance(d.symbol.type, Structure):
                continue
            leaf = d.cells[0]
            if leaf.more:
                message = "a list of values must be declared before the first statement"
                raise error(message, d.symbol.span)
            index = Const(0, span=leaf.span) if leaf.dimensions else None
            target = Target(Var(leaf.full, index, span=leaf.span), leaf.type)
            value = d.initial if d.channel is None else leaf.initial
            value = Const(0, span=leaf.span) if value is None else value
            steps.append(Assignment(d.symbol.span, target, value))
        return steps

    def _exclusive(self) -> None:
        """`xr c, d`: a promise that only helps SPIN's reduction."""
        tokens = self.tokens
        tokens.at += 1
        self.expressions().number()
        while tokens.accept(","):
            self.expressions().number()

    def _labelled(self) -> Step:
        tokens = self.tokens
        labels: list[str] = []
        while tokens.kind() == NAME and tokens.peek() == ":" and not self._process_above():
            if tokens.next in KEYWORDS:
                raise tokens.expected("a label")
            labels.append(tokens.next)
            tokens.at += 2
        if tokens.next in _LOOPS:
            return self._loop(tokens.next, tuple(labels))
        # A label that nothing follows stands in front of a 'skip'.
        alone = labels and tokens.next and tokens.next in (";", "->", *_CLOSERS)
        step = Condition(tokens.span(), TRUE) if alone else self._step()
        return replace(step, labels=tuple(labels)) if labels else step

    def _process_above(self) -> bool:
        """Whether the cursor is at the name of a process above: `P:x` is a variable of it."""
        found = self.system.proctypes.get(self.tokens.next)
        return found is not None and found.body <= self.tokens.at

    # --- statements -------------------------------------------------------------------------------

    def _step(self) -> Step:
        tokens = self.tokens
        text, span, first = tokens.next, tokens.span(), tokens.at
        if text in _REFUSED:
            raise tokens.fail(_REFUSED[text])
        match text:
            case "if" | "do":
                return self._choice(text == "do")
            case "atomic" | "d_step" | "{":
                tokens.at += text != "{"
                return self._block(span, "block" if text == "{" else text)
            case "goto":
                tokens.at += 1
                if tokens.kind() != NAME:
                    raise tokens.expected("a label")
                tokens.at += 1
                return Jump(span, tokens.texts[tokens.at - 1])
            case "break":
                tokens.at += 1
                return Jump(span, None)
            case "else":
                tokens.at += 1
                return ElseStep(span)
            case "assert":
                tokens.at += 1
                holds = self.expressions().condition()
                return Assertion(tokens.statement(first), holds)
            case "printf" | "printm":
                self._print()
                return Condition(tokens.statement(first), TRUE, prints=True)
            case "run":
                started = self._run(span)
                return replace(started, span=tokens.statement(first))
        return self._simple()

    def _block(self, span: Span, kind: str) -> Sequence:
        tokens = self.tokens
        tokens.expect("{")
        self.depth += 1
        if self.depth > BLOCK_LIMIT:
            raise error(f"blocks are nested more than {BLOCK_LIMIT} deep", span)
        outer, self.scope = self.scope, Scope(self.scope)
        steps = self._sequence()
        self.scope = outer
        self.depth -= 1
        tokens.expect("}", "or a statement")
        return Sequence(span, tuple(steps), kind)

    def _choice(self, repeats: bool) -> Choice:
        tokens = self.tokens
        span = tokens.span()
        word, close = ("do", "od") if repeats else ("if", "fi")
        tokens.at += 1
        self.depth += 1
        if self.depth > BLOCK_LIMIT:
            raise error(f"blocks are nested more than {BLOCK_LIMIT} deep", span)
        options: list[Sequence] = []
        if tokens.next != "::":
            raise tokens.expected(f"'::' after '{word}'")
        while tokens.next == "::":
            start = tokens.span()
            tokens.at += 1
            # An option is no block: what it declares is known behind the choice too, as in SPIN.
            steps = self._sequence()
            if not steps:
                raise tokens.expected("a statement")
            options.append(Sequence(start, without_needless_skips(steps)))
        self.depth -= 1
        tokens.expect(close, "or '::'")
        return Choice(span, tuple(options), repeats)

    def _loop(self, word: str, labels: tuple[str, ...]) -> Step:
        """`for (i : a .. b) { }`, `for (i in array) { }`, `select (i : a .. b)`, as SPIN does.

        The first value is assigned before the whole statement: outside of an `unless`, and in front
        of the labels. Only a `select` between literals is written out as text, behind its labels.
        """
        tokens = self.tokens
        span = tokens.span()
        tokens.at += 1
        tokens.expect("(", f"after '{word}'")
        first = tokens.at
        fields = self._targets()
        target = fields[0]
        # SPIN makes a choice of it only where the variable is a name of letters and digits, and no
        # bound is a symbolic constant.
        plain = tokens.at == first + 1 and tokens.texts[first].isalnum()
        low: IntExpr = Const(0, span=span)
        if tokens.accept("in"):
            found = self.symbol(tokens.next)
            if found is None or found.size is None or tokens.peek() != ")":
                return self._messages(fields, span, labels)
            tokens.at += 1
            high: IntExpr = Const(found.size - 1, span=span)
        elif len(fields) > 1:
            raise tokens.fail("a whole structure cannot be used here", first)
        else:
            tokens.expect(":", "or 'in' after the variable")
            plain = plain and self.message(tokens.next) is None
            low = self.expressions().number()
            tokens.expect("..", "between the bounds")
            plain = plain and self.message(tokens.next) is None
            high = self.expressions().number()
        tokens.expect(")", "after the bounds")
        count = target.var
        more = Assignment(span, target, Binary("+", count, Const(1), span=span))
        leave = Sequence(span, (Jump(span, None),))
        among = _literals(low, high)
        written = word == "select" and plain and bool(among)
        if written and len(among) <= SELECT_LIMIT + 1:
            return replace(_select(target, among, span), labels=labels)
        if word != "for":
            below = Condition(span, Compare("<", count, high, span=span))
            options = (Sequence(span, (below, more)), leave)
        else:
            within = Condition(span, Compare("<=", count, high, span=span))
            body = self._block(span, "block")
            leave = Sequence(span, (ElseStep(span), Jump(span, None)))
            options = (Sequence(span, (within, *body.steps, more)), leave)
        start = Assignment(span, target, low)
        self.steps.append(replace(start, labels=labels) if written else start)
        return Choice(span, options, True, labels=() if written else labels)

    def _targets(self) -> list[Target]:
        """The variable at the cursor, or all fields of a structure."""
        first, expressions = self.tokens.at, self.expressions()
        return [self._as_target(found, expressions, first) for found in expressions.fields()]

    def _messages(self, fields: list[Target], span: Span, labels: tuple[str, ...]) -> Choice:
        """`for (x in c) { }`: each message is taken, and sent again behind the others."""
        tokens = self.tokens
        channel = self.expressions().number()
        tokens.expect(")", "after the channel")
        count = self._count(span)
        below = Condition(span, Compare("<", count.var, ChannelLength(channel, span=span)))
        take = ReceiveStep(span, channel, tuple(fields), False, False)
        back = SendStep(span, channel, tuple(f.var for f in fields), False)
        body = self._block(span, "block")
        more = Assignment(span, count, Binary("+", count.var, Const(1), span=span))
        turn = Sequence(span, (below, take, back, *body.steps, more))
        leave = Sequence(span, (ElseStep(span), Jump(span, None)))
        self.steps.append(Assignment(span, count, Const(0, span=span)))
        return Choice(span, (turn, leave), True, labels=labels)

    def _count(self, span: Span) -> Target:
        """The hidden variable that counts messages; loops of the same block share it."""
        name = "for~"
        symbol = self.scope.names.get(name)
        if symbol is None:
            symbol = Symbol(name, self._full(name), INT, None, span)
            self.scope.names[name] = symbol
            cells = tuple(leaves(symbol, None))
            self.process.variables.append(Declared(symbol, None, cells))
        return Target(Var(symbol.full, span=span), INT)

    def _print(self) -> None:
        tokens = self.tokens
        tokens.at += 1
        tokens.expect("(", "after 'printf'")
        depth = 1
        while depth:
            if not tokens.next:
                raise tokens.expected("')'")
            if tokens.next == "run":  # what is printed is not looked at, but SPIN would run that
                super().started(tokens.span(tokens.at))
            depth += (tokens.next == "(") - (tokens.next == ")")
            tokens.at += 1

    def started(self, span: Span) -> IntExpr:
        """The process that a `run` at the cursor starts, in the value of an assignment."""
        runs, self.runs = self.runs, None  # none in its own arguments
        if runs is None:
            return super().started(span)
        if runs:
            raise error("a second 'run' in this statement", span)
        self.runs = [self._run(span)]
        return Started(span=span)

    def _run(self, span: Span) -> RunStep:
        tokens = self.tokens
        tokens.expect("run")
        name = tokens.next
        if name not in self.system.proctypes or name == "init":
            raise tokens.expected("the name of a proctype")
        tokens.at += 1
        tokens.expect("(", "after the name of the process")
        arguments: list[IntExpr] = []
        if not tokens.accept(")"):
            arguments.extend(self.expressions().fields())
            while tokens.accept(","):
                arguments.extend(self.expressions().fields())
            tokens.expect(")", "or ',' after the argument")
        if tokens.next == "priority":
            raise tokens.fail("priorities are not supported")
        return RunStep(span, name, tuple(arguments))

    # --- assignments, channels, conditions --------------------------------------------------------

    def _simple(self) -> Step:
        tokens = self.tokens
        first = tokens.at
        operator = self._operator_behind_name()
        if operator in ("=", "++", "--"):
            return self._assignment(operator)
        if operator in ("!", "!!", "?", "??"):
            return self._channel(operator)
        holds = self.expressions().condition()
        if tokens.next == "=":
            arrow = tokens.peek(1) == ">"
            hint = "an arrow is written '->'" if arrow else "a comparison is written '=='"
            raise tokens.expected("';' or '->'", hint)
        return Condition(tokens.statement(first), holds)

    def _operator_behind_name(self) -> str:
        """The token behind `a[i].b` at the cursor, `""` where there is something else."""
        tokens = self.tokens
        at = tokens.at
        if tokens.kinds[at] != NAME:
            return ""
        while True:
            at += 1
            if tokens.texts[at] == "[":
                depth = 0
                while True:
                    depth += (tokens.texts[at] == "[") - (tokens.texts[at] == "]")
                    if depth == 0 or not tokens.texts[at]:
                        break
                    at += 1
                at += 1
            if at >= len(tokens.texts) or tokens.texts[at] != ".":
                break
            at += 1
        if at >= len(tokens.texts):
            return ""
        text = tokens.texts[at]
        if text in ("?", "??") and tokens.texts[at + 1] == "[":
            return ""
        return text

    def _target(self, expressions: PromelaExpressions) -> Target:
        first = self.tokens.at
        found = expressions.parse().node
        return self._as_target(found, expressions, first)

    def _as_target(self, found: object, expressions: PromelaExpressions, first: int) -> Target:
        if not isinstance(found, Var):
            raise self.tokens.fail("only a variable without initial channel can be changed", first)
        if found.name not in expressions.types:
            raise self.tokens.fail(f"'{found.name}' cannot be changed", first)
        return Target(found, expressions.types[found.name])

    def _assignment(self, operator: str) -> Step:
        tokens = self.tokens
        first = tokens.at
        nowhere = operator == "=" and tokens.accept("_")
        target = None if nowhere else self._target(self.expressions())
        tokens.at += 1
        span = tokens.statement(first)
        if operator == "=":
            self.runs = []
            behind = tokens.at
            value = self.expressions().number()
            if target is not None:
                self.doubt(value, target.type, behind)
            runs, self.runs = self.runs, None
            if runs:
                whole = tokens.statement(first)
                return replace(runs[0], span=whole, target=target, value=value)
            return Assignment(tokens.statement(first), target, value)
        assert target is not None
        one = Const(1, span=span)
        value = Binary("+" if operator == "++" else "-", target.var, one, span=span)
        return Assignment(span, target, value)

    def _channel(self, operator: str) -> Step:
        tokens = self.tokens
        first = tokens.at
        channel = self.expressions().number()
        tokens.at += 1
        if operator in ("!", "!!"):
            values = self.expressions().fields()
            if expressions_follow(tokens):
                tokens.at += 1
                values.extend(self.expressions().fields())
                while tokens.accept(","):
                    values.extend(self.expressions().fields())
                tokens.expect(")", "after the fields")
            while tokens.accept(","):
                values.extend(self.expressions().fields())
            span = tokens.statement(first)
            return SendStep(span, channel, tuple(values), operator == "!!")
        keep = tokens.accept("<")
        expressions = self.expressions()
        found = expressions.patterns(">" if keep else "")
        patterns: list[Target | IntExpr | None] = [
            self._as_target(p, expressions, first) if isinstance(p, Var) else p for p in found
        ]
        span = tokens.statement(first)
        return ReceiveStep(span, channel, tuple(patterns), operator == "??", keep)


def _literals(low: IntExpr, high: IntExpr) -> range:
    """The values between two literals; SPIN does not work out `N-1` or `-1` here."""
    if not isinstance(low, Const) or not isinstance(high, Const) or low.value < 0:
        return range(0)
    return range(low.value, high.value + 1)


def _select(target: Target, among: range, span: Span) -> Sequence:
    """`select` between near constants: one choice, as SPIN makes it."""
    values = [Assignment(span, target, Const(v, span=span)) for v in among]
    options = tuple(Sequence(span, (v,)) for v in values)
    return Sequence(span, (Choice(span, options, False),))


def _without_value(leaf: Leaf) -> Leaf:
    return replace(leaf, initial=None, more=())


__all__ = ["BodyReader", "ProcessText"]
