"""Automata in the Hanoi format (HOA v1): read as claims, and written.

The format is that of Babiak, Blahoudek, Duret-Lutz, Klein, Křetínský, Müller, Parker and Strejček,
*The Hanoi Omega-Automata Format*, CAV 2015. Read are non-deterministic automata with labels on
states, on arcs, or implicit, and acceptance on states or arcs, whose condition is a conjunction of
`Inf(n)`: generalised Büchi, Büchi, or none. Others are refused where they say so. An atomic
proposition is a condition on states of the model, written as in a formula.

What is read is the automaton of the *violations*: a run that it accepts violates the property.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from plait.automata.automaton import Automaton
from plait.automata.claims import GuardedArc, claim_of
from plait.automata.hoa_tokens import tokens_of
from plait.automata.propositions import is_defined
from plait.errors import InputError, Span, error
from plait.logic.formula import NeverClaim
from plait.logic.nnf import nnf
from plait.logic.parse import parse_formula
from plait.model.expr import FALSE, TRUE, And, Formula, Not, Or, conjunction
from plait.model.text import quote, show, unquote
from plait.model.types import Model
from plait.records import dataclass, field

MOST_IMPLICIT = 10
"""Propositions up to which labels may be left out: then each state has an arc for every letter."""
MOST_SETS = 1000
"""Acceptance sets that are read; each is a copy of the automaton."""
# --- reading --------------------------------------------------------------------------------------


@dataclass(slots=True)
class _State:
    """A state of the body: its own label and marks, and its arcs."""

    label: Formula | None
    marks: int
    arcs: list[GuardedArc] = field(default_factory=list)
    labelled: bool | None = None
    """Whether its arcs have labels of their own."""


class _Reader:
    def __init__(self, text: str, name: str, model: Model) -> None:
        self.text = tokens_of(text, name)
        self.name = name
        self.model = model
        self.states: int | None = None
        self.starts: list[int] = []
        self.start_spans: list[Span] = []
        self.propositions: list[Formula] | None = None
        self.aliases: dict[str, Formula] = {}
        self.sets: int | None = None
        self.needed: list[int] | None = []
        """The sets of which each must be met again and again; None when nothing is accepted."""
        self.found: dict[int, _State] = {}
        self.targets: list[tuple[int, Span]] = []

    def read(self) -> NeverClaim:
        """The automaton as a claim."""
        text = self.text
        first = text.span()
        if text.next != "HOA:":
            text.expected("'HOA:'")
        text.at += 1
        version = text.take("word", "the version 'v1'")
        if re.fullmatch(r"v1(\.\d+)?", version) is None:
            text.fail(f"the version '{version}' of the format is not known", text.at - 1)
        while text.kind == "header":
            self._header()
        if not text.accept("--BODY--"):
            text.expected("a header item or '--BODY--'")
        if self.sets is None:
            text.fail("the header has no 'Acceptance:'", text.at - 1)
        while text.next not in ("--END--", "--ABORT--"):
            self._state()
        if text.accept("--ABORT--"):
            text.fail("the automaton was given up by who wrote it", text.at - 1)
        text.expect("--END--")
        if text.kind != "end":
            text.fail("there is something after the automaton; one is read at a time")
        self._check_numbers()
        return self._claim(first)

    # --- the header -------------------------------------------------------------------------------

    def _header(self) -> None:
        text = self.text
        item = text.next
        text.at += 1
        if item == "States:":
            self._once(self.states is None, item)
            self.states = text.number("the number of states")
        elif item == "Start:":
            self.start_spans.append(text.span())
            self.starts.append(text.number("the number of a state"))
            if text.next == "&":
                text.fail("an alternating automaton: it begins in several states at once")
        elif item == "AP:":
            self._once(self.propositions is None, item)
            self.propositions = self._read_propositions()
        elif item == "Alias:":
            name = text.take("alias", "a name such as '@a'")
            if name in self.aliases:
                text.fail(f"'{name}' has a meaning already", text.at - 1)
            self.aliases[name] = self._label()
        elif item == "Acceptance:":
            self._once(self.sets is None, item)
            self.sets = text.number("the number of acceptance sets")
            if self.sets > MOST_SETS:
                text.fail(f"{self.sets} acceptance sets; {MOST_SETS} are read", text.at - 1)
            self.needed = self._condition()
        elif item == "HOA:":
            text.fail("'HOA:' stands at the beginning only", text.at - 1)
        elif item[0].isupper():
            text.fail(
                f"the header item '{item}' is not known, and it may change what is accepted",
                text.at - 1,
            )
        else:
            while text.kind in ("word", "string", "number", "alias", "sign"):
                text.at += 1

    def _once(self, first: bool, item: str) -> None:
        if not first:
            self.text.fail(f"a second '{item}'", self.text.at - 1)

    def _read_propositions(self) -> list[Formula]:
        text = self.text
        count = text.number("the number of propositions")
        place = text.at - 1
        found: list[Formula] = []
        names: set[str] = set()
        while text.kind == "string":
            name = unquote(text.next)
            if name in names:
                text.fail(f"the proposition {text.next[:60]} is there twice")
            names.add(name)
            found.append(self._proposition(name))
            text.at += 1
        if len(found) != count:
            text.fail(f"{count} propositions are announced, {len(found)} follow", place)
        return found

    def _proposition(self, name: str) -> Formula:
        """The condition that a proposition is."""
        return state_condition(name, self.model, self.text.span(), self.name)

    def _condition(self) -> list[int] | None:
        """The acceptance condition; None when it is false."""
        text = self.text
        needed: list[int] = []
        empty = False
        depth = 0
        while True:
            while text.accept("("):
                depth += 1
            if text.kind == "word" and text.next in ("t", "f"):
                empty = empty or text.next == "f"
                text.at += 1
            elif text.kind == "word" and text.next == "Inf":
                text.at += 1
                needed.append(self._set())
            elif text.kind == "word" and text.next == "Fin":
                text.fail(
                    "acceptance with 'Fin' (co-Büchi, Rabin, Streett, parity) is not read",
                    hint="convert it to a generalised Büchi automaton, as `autfilt --tgba` does",
                )
            else:
                text.expected("'Inf(n)' or 't'")
            while depth and text.accept(")"):
                depth -= 1
            if text.next == "|":
                text.fail(
                    "acceptance with '|' is not read",
                    hint="convert it to a generalised Büchi automaton, as `autfilt --tgba` does",
                )
            if not text.accept("&"):
                break
        if depth:
            text.expected("')'")
        return None if empty else sorted(set(needed))

    def _set(self) -> int:
        text = self.text
        text.expect("(")
        if text.next == "!":
            text.fail("acceptance by the complement of a set is not read")
        number = text.number("the number of an acceptance set")
        self._known_set(number)
        text.expect(")")
        return number

    def _known_set(self, number: int) -> None:
        assert self.sets is not None
        if number >= self.sets:
            self.text.fail(
                f"there is no acceptance set {number}; there are {self.sets}", self.text.at - 1
            )

    # --- the body ---------------------------------------------------------------------------------

    def _state(self) -> None:
        text = self.text
        if text.next != "State:":
            text.expected("'State:' or '--END--'")
        text.at += 1
        label = self._bracketed() if text.next == "[" else None
        number = text.number("the number of a state")
        if number in self.found:
            text.fail(f"state {number} is there already", text.at - 1)
        if self.states is not None and number >= self.states:
            text.fail(f"there is no state {number}; there are {self.states}", text.at - 1)
        place = text.at - 1
        if text.kind == "string":
            text.at += 1
        state = self.found[number] = _State(label, self._marks())
        while text.kind == "number" or text.next == "[":
            self._arc(state)
        if state.labelled is False and label is None:
            self._implicit(state, number, place)

    def _arc(self, state: _State) -> None:
        text = self.text
        first = text.at
        guard: Formula = TRUE
        labelled = text.next == "["
        if labelled:
            if state.label is not None:
                text.fail("an arc has a label although its state has one")
            guard = self._bracketed()
        elif state.label is not None:
            guard = state.label
        if state.labelled not in (None, labelled):
            text.fail("some arcs of this state have labels, and some have none", first)
        state.labelled = labelled
        self.targets.append((text.number("the number of a state"), text.span(text.at - 1)))
        if text.next == "&":
            text.fail("an alternating automaton: an arc leads to several states at once")
        state.arcs.append(GuardedArc(guard, self.targets[-1][0], self._marks() | state.marks))

    def _implicit(self, state: _State, number: int, place: int) -> None:
        """One arc for each letter, in the order of binary numbers."""
        names = self.propositions or []
        if len(names) > MOST_IMPLICIT:
            self.text.fail(
                f"labels are left out with {len(names)} propositions; "
                f"that is read for {MOST_IMPLICIT} at most",
                place,
            )
        if len(state.arcs) != 1 << len(names):
            self.text.fail(
                f"state {number} has {len(state.arcs)} arcs without labels; with "
                f"{len(names)} propositions there must be {1 << len(names)}",
                place,
            )
        state.arcs = [
            GuardedArc(
                conjunction([p if i >> k & 1 else Not(p) for k, p in enumerate(names)]),
                arc.target,
                arc.marks,
            )
            for i, arc in enumerate(state.arcs)
        ]

    def _marks(self) -> int:
        text = self.text
        marks = 0
        if text.accept("{"):
            while text.kind == "number":
                number = text.number("the number of an acceptance set")
                self._known_set(number)
                marks |= 1 << number
            if not text.accept("}"):
                text.expected("an acceptance set or '}'")
        return marks

    def _bracketed(self) -> Formula:
        self.text.expect("[")
        label = self._label()
        if not self.text.accept("]"):
            self.text.expected("'&', '|' or ']'")
        return label

    def _label(self) -> Formula:
        """A Boolean expression, by two stacks: what waits for its right side, and what is known."""
        text = self.text
        waiting: list[str] = []
        known: list[Formula] = []
        depth = 0

        def reduce(power: int) -> None:
            while waiting and waiting[-1] != "(" and _POWER[waiting[-1]] >= power:
                sign = waiting.pop()
                if sign == "!":
                    known.append(_negated(known.pop()))
                    continue
                right, left = known.pop(), known.pop()
                joined = And if sign == "&" else Or
                known.append(joined((left, right)))

        while True:
            while text.next in ("!", "("):
                depth += text.next == "("
                waiting.append(text.next)
                text.at += 1
            known.append(self._label_atom())
            reduce(_POWER["!"])
            while depth and text.accept(")"):
                reduce(0)
                waiting.pop()
                depth -= 1
                reduce(_POWER["!"])
            if text.next not in ("&", "|") or text.kind != "sign":
                break
            reduce(_POWER[text.next])
            waiting.append(text.next)
            text.at += 1
        reduce(0)
        if waiting:
            text.expected("')'")
        return known[0]

    def _label_atom(self) -> Formula:
        text = self.text
        if text.kind == "word" and text.next in ("t", "f"):
            text.at += 1
            return TRUE if text.texts[text.at - 1] == "t" else FALSE
        if text.kind == "alias":
            alias = self.aliases.get(text.next)
            if alias is None:
                text.fail(f"the alias '{text.next}' has no meaning")
            text.at += 1
            return alias
        names = self.propositions or []
        number = text.number("the number of a proposition, 't', 'f' or an alias")
        if number >= len(names):
            text.fail(f"there is no proposition {number}; there are {len(names)}", text.at - 1)
        return names[number]

    # --- all of it --------------------------------------------------------------------------------

    def _check_numbers(self) -> None:
        """Every state that is named must be there."""
        named = [*self.targets, *zip(self.starts, self.start_spans, strict=True)]
        for number, span in named:
            if self.states is not None and number >= self.states:
                raise error(f"there is no state {number}; there are {self.states}", span)
            if self.states is None and number not in self.found:
                raise error(f"there is no state {number}", span)

    def _claim(self, span: Span) -> NeverClaim:
        if self.needed is None or not self.starts:
            return NeverClaim((), (), frozenset(), FALSE)
        place = {number: i for i, number in enumerate(self.needed)}
        arcs = {
            number: [GuardedArc(a.guard, a.target, _chosen(a.marks, place)) for a in state.arcs]
            for number, state in self.found.items()
        }
        return claim_of(self.starts, arcs, len(self.needed), span)


_POWER = {"|": 1, "&": 2, "!": 3}


def _negated(f: Formula) -> Formula:
    if f is TRUE or f is FALSE:
        return FALSE if f is TRUE else TRUE
    return f.operand if isinstance(f, Not) else Not(f)


def _chosen(marks: int, place: dict[int, int]) -> int:
    return sum(1 << i for number, i in place.items() if marks >> number & 1)


def state_condition(text: str, model: Model, span: Span, source: str) -> Formula:
    """The condition on states that a text states about the model; errors are told at `span`."""
    try:
        body = parse_formula(text, model, source=source, kind="reachable").body
    except InputError as wrong:
        first = wrong.diagnostics[0]
        raise error(f"in {quote(text[:60])}: {first.message}", span, first.hint) from None
    assert isinstance(body, Formula)
    return nnf(body)


def read_hoa(text: str, model: Model, name: str = "<automaton>") -> NeverClaim:
    """The claim that an automaton in the Hanoi format is, over the states of a model."""
    return _Reader(text, name, model).read()


# --- writing --------------------------------------------------------------------------------------


def write_hoa(
    automaton: Automaton, conditions: Sequence[Formula], name: str, *, stutters: bool = False
) -> str:
    """The automaton in the Hanoi format."""
    refuse_undefined(automaton, conditions)
    sets = automaton.acceptances
    named = {0: "all", 1: "Buchi"}.get(sets, f"generalized-Buchi {sets}")
    condition = "&".join(f"Inf({i})" for i in range(sets)) or "t"
    properties = "trans-labels explicit-labels trans-acc"
    lines = [
        "HOA: v1",
        f"name: {quote(name)}",
        f"States: {len(automaton.arcs)}",
        "Start: 0",
        " ".join([f"AP: {len(conditions)}", *(quote(show(c)) for c in conditions)]),
        f"acc-name: {named}",
        f"Acceptance: {sets} {condition}",
        f"properties: {properties}{' stutter-invariant' if stutters else ''}",
        "--BODY--",
    ]
    for state, row in enumerate(automaton.arcs):
        lines.append(f"State: {state}")
        for arc in row:
            bits = range(max(arc.positive.bit_length(), arc.negative.bit_length()))
            literals = [
                f"{'' if arc.positive >> b & 1 else '!'}{b}"
                for b in bits
                if (arc.positive | arc.negative) >> b & 1
            ]
            marks = " ".join(str(i) for i in range(sets) if arc.marks >> i & 1)
            ending = f" {{{marks}}}" if marks else ""
            lines.append(f"[{'&'.join(literals) or 't'}] {arc.target}{ending}")
    return "\n".join([*lines, "--END--", ""])


def refuse_undefined(automaton: Automaton, conditions: Sequence[Formula]) -> None:
    """An arc taken where a condition is *not true* cannot be written if it may be undefined.

    The conditions are those of a property, whose indices were checked when it was read.
    """
    negative = 0
    for row in automaton.arcs:
        for arc in row:
            negative |= arc.negative
    for bit, condition in enumerate(conditions):
        if negative >> bit & 1 and not is_defined(condition, checked=True):
            raise error(
                f"'{show(condition, 60)}' may be undefined, and then neither it nor its negation "
                "holds; the automaton needs to know when it does not hold",
                condition.span,
            )
