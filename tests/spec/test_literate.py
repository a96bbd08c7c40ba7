"""Every model of the manual gives the answers that the manual prints, from every engine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from literate import Block, Case, PageError, names, read_page

from plait import engines
from plait.engines.prepared import KINDS
from plait.errors import InputError, ModelError
from plait.lang import gal, load, pnml
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.net import as_net
from plait.model.types import Model, Property
from plait.model.validate import check, validate
from plait.reference import Semantics
from plait.report.answer import Answer, StateSpace

PAGES = sorted(Path(__file__).parent.glob("*/*.md"))
CASES = [case for page in PAGES for case in read_page(page)]
ENGINES = ("reference", "auto")
"""The oracle, and what a user gets: the native search wherever it can answer."""
COUNT = re.compile(r"(?P<what>states|arcs|deadlocks|max_value|max_sum) (?P<value>-?\d+)")
VERDICT = re.compile(r"(?P<name>[^:]+): (?P<verdict>true|false|undefined|-?\d+\.\.-?\d+)")
TRACE = re.compile(r"trace (?P<name>[^:]+):(?P<events>.*)")
LEFT_OUT = re.compile(r"left out (?P<event>[^:]+): (?P<count>\d+)")


@pytest.mark.parametrize("case", CASES, ids=names(CASES))
def test_the_manual_tells_the_truth(case: Case, tmp_path: Path) -> None:
    path = case.write(tmp_path)
    if errors := case.of("error"):
        _refused(errors[0], path)
        return
    model = _load(path)
    _warns(case, model, path)
    _comes_back_when_printed(model, path)
    for block in case.of("printed"):
        assert gal.print_model(model) == block.text
    for block in case.of("expect"):
        # `spin` says what SPIN thinks of it (`test_spin`), all others are constants.
        constants = {name: int(value) for name, value in block.settings.items() if name != "spin"}
        _meets(case, block, _with_constants(model, constants))
    for block in case.of("formula"):
        _satisfies(case, block, model)
    for block in case.of("bounded"):
        _unrolls(case, block, model)
    for block in case.of("values"):
        _evaluates(case, block, model)


# --- wrong models ---------------------------------------------------------------------------------


def _load(path: Path) -> Model:
    model = load(path)
    check(model)
    return model


def _refused(block: Block, path: Path) -> None:
    """The model is refused with these diagnostics, when it is read or when it is executed."""
    expected = block.text.rstrip("\n")
    try:
        model = _load(path)
    except InputError as failure:
        found = failure
    else:
        with pytest.raises(ModelError) as seen:
            engines.states(model)
        with pytest.raises(ModelError) as meant:
            engines.states(model, engine="reference")
        assert _places(seen.value) == _places(meant.value)
        found = seen.value
    assert _told(found, path) == expected


def _places(failure: InputError) -> list[str]:
    return [str(d.span) for d in failure.diagnostics]


def _warns(case: Case, model: Model, path: Path) -> None:
    expected = "\n".join(b.text.rstrip("\n") for b in case.of("warning"))
    warnings = [d for d in validate(model) if d.severity == "warning"]
    assert _told(InputError(*warnings), path) == expected


def _told(failure: InputError, path: Path) -> str:
    """What the command line prints, with the bare name of the file."""
    return failure.render().replace(f"{path.parent}/", "")


# --- right models ---------------------------------------------------------------------------------


def _with_constants(model: Model, constants: dict[str, int]) -> Model:
    if constants:
        model = model.with_constants(constants)
        check(model)
    return model


def _comes_back_when_printed(model: Model, path: Path) -> None:
    if path.suffix == ".gal":
        assert gal.parse(gal.print_model(model), model.name, path) == model
    elif path.suffix == ".pnml":
        # Test arcs are written as an arc in and an arc out: the same net in other words.
        printed = pnml.print_model(model).encode()
        assert as_net(pnml.parse(printed, path.name)) == as_net(model)


def _meets(case: Case, block: Block, model: Model) -> None:
    for engine in ENGINES:
        space = engines.states(model, engine=engine)
        asked = model.properties  # also those that are asked only by name
        answers = {a.property.name: a for a in engines.check(model, asked, engine=engine)}
        assert all(_from_native(a) for a in answers.values()) or engine == "reference"
        linear = [p for p in asked if p.kind == "ltl"] if engine == "auto" else []
        for native in engines.check(model, linear, engine="explicit"):
            assert native.verdict == answers[native.property.name].verdict, case.place
        for line, text in block.statements():
            where = f"{case.page.name}:{line} ({engine}): {text}"
            _meets_line(text, where, model, space, answers)


def _meets_line(
    text: str, where: str, model: Model, space: StateSpace, answers: dict[str, Answer]
) -> None:
    if found := COUNT.fullmatch(text):
        assert getattr(space, found["what"]) == int(found["value"]), where
    elif found := LEFT_OUT.fullmatch(text):
        assert _left_out(model, space, found["event"]) == int(found["count"]), where
    elif found := TRACE.fullmatch(text):
        _has_trace(model, answers[found["name"].strip()], found["events"], where)
    elif found := VERDICT.fullmatch(text):
        name = found["name"].strip()
        assert name in answers, where
        assert _answer_text(answers[name]) == found["verdict"], where
    else:
        raise PageError(f"{where}: this is not an expectation")


def _unrolls(case: Case, block: Block, model: Model) -> None:
    """What the bounded engine finds within some depth."""
    depth = int(block.settings["depth"])
    answers = {a.property.name: a for a in engines.check(model, engine="bounded", depth=depth)}
    for line, text in block.statements():
        name, _, expected = text.partition(": ")
        answer = answers[name]
        if answer.witness is not None:
            found = f"{answer.verdict} after {len(answer.witness.steps)} steps"
        elif answer.verdict == "unknown":
            found = f"unknown ({answer.reason})"
        else:
            found = answer.notes[0].partition(": ")[2]
        assert found == expected, f"{case.page.name}:{line}: {text}"


def _from_native(answer: Answer) -> bool:
    """Whether the native search answered, as far as it can."""
    return answer.engine == "explicit" or answer.property.kind not in KINDS


def _left_out(model: Model, space: StateSpace, event: str) -> int:
    """How many steps of an event an undefined operation swallowed."""
    if space.engine == "reference":
        semantics = Semantics(model)
        semantics.reachable()
        return semantics.undefined[event]
    notes = (re.match(rf"event {re.escape(event)}: (\d+) step", note) for note in space.notes)
    return sum(int(note[1]) for note in notes if note is not None)


def _answer_text(answer: Answer) -> str:
    """`true`, `false`, `0..5`, or `undefined` for a value that never was one."""
    if answer.property.kind != "bounds":
        return answer.verdict
    if answer.value is None:
        return "undefined"
    assert answer.verdict == "true", answer.reason
    return f"{answer.stats['min']}..{answer.value}"


def _has_trace(model: Model, answer: Answer, events: str, where: str) -> None:
    """The trace found is as short as the one told, and the one told leads to the same end."""
    told = [e.strip() for e in _split(events)]
    assert answer.witness is not None, where
    assert answer.replayed, where
    assert len(answer.witness.steps) == len(told), f"{where}: {answer.witness.show()}"
    semantics = Semantics(model)
    reached = {semantics.initial}
    for event in told:
        reached = {s for state in reached for e, s in semantics.successors(state) if e == event}
        assert reached, f"{where}: '{event}' cannot be executed there"
    assert any(_decides(semantics, answer.property, state) for state in reached), where


def _decides(semantics: Semantics, p: Property, state: tuple[int, ...]) -> bool:
    """Whether a state settles the property: a goal that is reached, an invariant that fails."""
    if p.kind == "deadlock":
        return not semantics.successors(state)
    assert isinstance(p.body, Formula)
    if p.kind == "ltl":
        return not semantics.successors(state)
    return semantics.holds(p.body, state) != (p.kind == "invariant")


def _split(events: str) -> Iterator[str]:
    """The events of a trace: commas inside parentheses belong to the arguments."""
    depth, start = 0, 0
    for i, c in enumerate(events):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            yield events[start:i]
            start = i + 1
    if events.strip():
        yield events[start:]


def _satisfies(case: Case, block: Block, model: Model) -> None:
    for line, text in block.statements():
        formula, arrow, verdict = text.rpartition("=>")
        if not arrow:
            raise PageError(f"{case.page.name}:{line}: 'formula => true' is expected")
        asked = parse_formula(formula.strip(), model)
        where = f"{case.page.name}:{line}: {text}"
        textbook = "textbook" in block.arguments
        if asked.kind == "ctl":
            local = engines.Tuning(ctl="local")
            [answer] = engines.check(model, [asked], tuning=local, infinite=textbook)
            assert (_answer_text(answer), answer.engine) == (verdict.strip(), "local"), where
        if textbook:
            answer = Semantics(model).check(asked, textbook=True)
            assert _answer_text(answer) == verdict.strip(), where
            continue
        for engine in (*ENGINES, *(("explicit",) if asked.kind == "ltl" else ())):
            [answer] = engines.check(model, [asked], engine=engine)
            assert _answer_text(answer) == verdict.strip(), where
            assert _from_native(answer) or engine == "reference", where


def _evaluates(case: Case, block: Block, model: Model) -> None:
    """The expressions of a `values` block, as bounds over the initial state alone."""
    for line, text in block.statements():
        expression, _, value = (part.strip() for part in text.rpartition("=>"))
        asked = parse_formula(f"bounds: {expression}", model)
        for engine in ENGINES:
            [answer] = engines.check(model, [asked], engine=engine)
            expected = value if value == "undefined" else f"{value}..{value}"
            assert _answer_text(answer) == expected, f"{case.page.name}:{line}: {text}"
