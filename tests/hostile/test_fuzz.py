"""T17: mutated texts of every kind we read. Only an `InputError` or `LimitReached` may come out.

CI asks `PLAIT_FUZZ` texts (10,000), the soak a hundred times as many. Each failure prints the seed
and the text, and belongs into `KEPT` once it is understood.
"""

import json
import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.command import Command
from tests.conftest import ROOT
from tests.hostile.mutations import Mutator

from plait.cli.deadline import deadline
from plait.engines import Budget, check, states
from plait.errors import InputError, LimitReached
from plait.lang import load
from plait.lang.gal import parse, parse_properties, print_model
from plait.logic.mcc import load_properties
from plait.logic.parse import parse_formula
from plait.model.types import Model, Property
from plait.model.validate import validate

TEXTS = int(os.environ.get("PLAIT_FUZZ", "10000"))
SOAK = 100
SHARDS = 4

SEEDS = ROOT / "tests" / "hostile" / "seeds"
GAL = [path.read_bytes() for path in sorted(SEEDS.glob("*.gal"))]
PNML = [path.read_bytes() for path in sorted(SEEDS.glob("*.pnml"))]
MCC = [path.read_bytes() for path in sorted(SEEDS.glob("*.xml"))]
PROP = [path.read_bytes() for path in sorted(SEEDS.glob("*.prop"))]
FORMULAS = (SEEDS / "formulas.txt").read_bytes().splitlines()
BASE = """gal g { int x; int y; transition t [x < 2] { x += 1; } transition u [y < x] { y += 1; } }
"""
GAL_WORDS = b"""gal composite scalar circular of interface extends main import typedef int
array alias
hotbit transition predicate synchronization label self any all next if else for fixpoint
abort TRANSIENT true false property reachable invariant never bounds ctl ltl atom deadlock
enabled A E U AG AF AX EG EF EX F G X W M R [ ] ( ) { } ; : , . .. = == != < > <= >= + - *
/ % ** << >> & | ^ ~ ! && || -> <-> += -= $N
$i x a "go" ""
""".split()
PNML_WORDS = b"""<place <transition <arc <page <net </place> </page> </net> </pnml> /> >
<text> </text> id=
ref= source= target= "p" "t" "q" "u0" type= value= "reset" "inhibitor" "test"
<inscription> <initialMarking> <referencePlace <referenceTransition <toolspecific
<!DOCTYPE <?x &lt; &#0; <![CDATA[ xmlns=""".split()
MCC_WORDS = b"""<property> </property> <formula> </formula> <all-paths> </all-paths> <exists-path>
<globally> </globally> <finally> </finally> <next> <until> <before> <reach> <negation>
<conjunction> <disjunction> <integer-le> <integer-sum> <tokens-count> <place> p t q
<transition> <is-fireable> <deadlock/> <true/> <false/> <integer-constant> <place-bound>
<id>""".split()


def one_of_ours(read: Callable[[], object], text: bytes) -> object | None:
    """What the reader gives, or None where it refuses; any other exception is a failure."""
    try:
        return read()
    except LimitReached:
        return None
    except InputError as refused:
        if not refused.diagnostics or not refused.render().strip():
            raise AssertionError(f"refused without a word: {text!r}") from refused
        return None
    except BaseException as failure:
        failure.add_note(f"while reading {text!r}")
        raise


def counted_alike(model: Model, limits: Budget) -> None:
    """The native search and the reference count alike, where the budget suffices."""
    figures = states(model, budget=limits)
    if figures.complete:
        same = states(model, engine="reference", budget=limits)
        for name in ("states", "arcs", "deadlocks", "max_value", "max_sum"):
            assert getattr(figures, name) == getattr(same, name), name


def _asked(model: Model, text: bytes) -> None:
    """The whole chain with a small budget: answers are answers, and two engines count alike."""

    def ask() -> None:
        limits = Budget(timeout=2.0, memory=2**31, states=500)
        few = model.properties[:3] or (Property("d", kind="deadlock"),)
        for answer in check(replace(model, properties=()), few, budget=limits):
            assert answer.verdict in ("true", "false", "unknown")
            assert "internal error" not in (answer.reason or "")
        print_model(model)
        counted_alike(model, limits)

    # As the command does it: one step of the reference, a growing fixpoint say, sees no clock.
    with deadline(10):
        one_of_ours(ask, text)


def _texts(shard: int) -> tuple[int, random.Random]:
    return TEXTS // SHARDS // 5, random.Random(f"plait {shard}")


@pytest.mark.parametrize("shard", range(SHARDS))
def test_mutated_gal_is_read_or_refused(shard: int) -> None:
    count, chance = _texts(shard)
    fuzz_gal(count * 2, chance)


def fuzz_gal(count: int, chance: random.Random) -> None:
    mutator = Mutator(GAL, GAL_WORDS, chance)
    for number in range(count):
        text = mutator.next()

        def read(text: bytes = text) -> Model:
            model = parse(text.decode("utf-8", "replace"), "model.gal")
            validate(model)
            return model

        model = one_of_ours(read, text)
        if isinstance(model, Model) and number % 4 == 0:
            _asked(model, text)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_mutated_nets_are_read_or_refused(shard: int, tmp_path: Path) -> None:
    count, chance = _texts(shard)
    fuzz_pnml(count, chance, tmp_path)


def fuzz_pnml(count: int, chance: random.Random, folder: Path) -> None:
    mutator = Mutator(PNML, PNML_WORDS, chance)
    path = folder / "net.pnml"
    for number in range(count):
        text = mutator.next()
        path.write_bytes(text)
        model = one_of_ours(lambda: load(path), text)
        if isinstance(model, Model) and number % 4 == 0:
            _asked(model, text)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_mutated_properties_are_read_or_refused(shard: int, tmp_path: Path) -> None:
    count, chance = _texts(shard)
    fuzz_properties(count, chance, tmp_path)


def fuzz_properties(count: int, chance: random.Random, folder: Path) -> None:
    path = folder / "net.pnml"
    path.write_bytes(PNML[0])
    model = load(path)
    base = parse(BASE, "base.gal")
    contest = Mutator(MCC, MCC_WORDS, chance)
    ours = Mutator(PROP, GAL_WORDS, chance)
    path = folder / "CTLCardinality.xml"
    for number in range(count // 2):
        asked = number % 4 == 0
        text = contest.next()
        path.write_bytes(text)
        found = one_of_ours(lambda: load_properties(path, model), text)
        if isinstance(found, tuple) and found and asked:
            _asked(replace(model, properties=found), text)
        text = ours.next()
        decoded = text.decode("utf-8", "replace")
        found = one_of_ours(
            lambda decoded=decoded: tuple(parse_properties(decoded, "p.prop", base)), text
        )
        if isinstance(found, tuple) and found and asked:
            _asked(replace(base, properties=found), text)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_mutated_formulas_are_read_or_refused(shard: int) -> None:
    count, chance = _texts(shard)
    fuzz_formulas(count, chance)


def fuzz_formulas(count: int, chance: random.Random) -> None:
    base = parse(BASE, "base.gal")
    mutator = Mutator(FORMULAS, [w for w in GAL_WORDS if b"{" not in w], chance)
    for _ in range(count):
        text = mutator.next()
        decoded = text.decode("utf-8", "replace")
        found = one_of_ours(lambda decoded=decoded: parse_formula(decoded, base), text)
        if isinstance(found, Property) and found.kind != "atom":
            _asked(replace(base, properties=(found,)), text)


@pytest.mark.parametrize("seed", range(60))
def test_the_command_ends_with_a_status_of_ours(plait: Command, tmp_path: Path, seed: int) -> None:
    chance = random.Random(f"command {seed}")
    language, seeds, words = chance.choice([("gal", GAL, GAL_WORDS), ("pnml", PNML, PNML_WORDS)])
    path = tmp_path / f"model.{language}"
    path.write_bytes(Mutator(seeds, words, chance).next())
    command = chance.choice(["check", "states", "convert", "simulate"])
    extra = {
        "check": ["--timeout", "2", "--json", "-"],
        "states": ["--timeout", "2", "--json", "-"],
        "convert": ["--to", chance.choice(["gal", "pnml", "dot"])],
        "simulate": ["--random", "5", "--seed", "1"],
    }[command]
    result = plait(command, path, *extra)
    assert result.status in {0, 1, 2, 3}, path.read_bytes()
    assert "internal error" not in result.err, path.read_bytes()
    if result.status == 2:
        assert "error: " in result.err
    elif "--json" in extra:
        json.loads(result.out)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(SOAK))
def test_many_more_mutations(seed: int, tmp_path: Path) -> None:
    chance = random.Random(f"soak {seed}")
    count = TEXTS // 5
    fuzz_gal(count * 2, chance)
    fuzz_pnml(count, chance, tmp_path)
    fuzz_properties(count, chance, tmp_path)
    fuzz_formulas(count, chance)


def test_the_seeds_themselves_are_right(tmp_path: Path) -> None:
    """Mutations of nonsense find nothing: every seed is read and answered."""
    for text in GAL:
        model = parse(text.decode(), "model.gal")
        assert [d for d in validate(model) if d.severity == "error"] == []
        _asked(model, text)
    for text in PNML:
        path = tmp_path / "net.pnml"
        path.write_bytes(text)
        _asked(load(path), text)
    path = tmp_path / "net.pnml"
    path.write_bytes(PNML[0])
    contest = tmp_path / "Reachability.xml"
    contest.write_bytes(MCC[0])
    assert len(load_properties(contest, load(path))) == 3
    base = parse(BASE, "base.gal")
    assert len(parse_properties(PROP[0].decode(), "p.prop", base)) == 5
    for text in FORMULAS:
        parse_formula(text.decode(), base)
