"""T17 for the languages with processes: mutated Promela, DVE and Milestones.

Only errors of ours may come out. What is read is asked with a small budget, and the native search
and the reference must count alike.
"""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.hostile.mutations import Mutator
from tests.hostile.test_fuzz import SEEDS, SHARDS, SOAK, TEXTS, counted_alike, one_of_ours

from plait.cli.deadline import deadline
from plait.engines import Budget, check, states
from plait.lang import load
from plait.model.types import Model

PROMELA = [path.read_bytes() for path in sorted(SEEDS.glob("*.pml"))]
DVE = [path.read_bytes() for path in sorted(SEEDS.glob("*.dve"))]
PROMELA_WORDS = b"""active proctype init never ltl inline typedef mtype chan byte bit bool short
int unsigned
if fi do od :: -> else goto break atomic d_step unless assert run for select in of skip true false
timeout len full empty nfull nempty eval provided priority _pid _nr_pr _last np_ enabled pc_value
hidden local show xr xs printf [] <> U W V X always eventually until @ ? ! ?? !! .. #define #if
#endif #include end0: accept: progress: { } ( ) [ ] ; , . = ++ -- N P Q n q""".split()
DVE_WORDS = b"""process state init trans guard sync effect channel byte int commit accept assert
system async sync not and or imply const { } [ ] ( ) ; , -> ? ! . = == n a c d P Q s t""".split()
MILESTONES = [path.read_bytes() for path in sorted(SEEDS.glob("*.mil"))]
MILESTONES_WORDS = b"""ACTION VARIABLE LOCAL CASE SYNC END MAIN GLOBAL PROC CTL LTL true false
pc x g p q P meet work [ ] ( ) : := ; , . 0 1 2 31 32 A E F G U X AG EF & | ! -> <-> + - * / %
==""".split()
LANGUAGES = {
    "pml": (PROMELA, PROMELA_WORDS),
    "dve": (DVE, DVE_WORDS),
    "mil": (MILESTONES, MILESTONES_WORDS),
}


def _asked(model: Model, text: bytes) -> None:
    def ask() -> None:
        limits = Budget(timeout=2.0, memory=2**31, states=300)
        for answer in check(model, model.properties[:4], budget=limits):
            assert "internal error" not in (answer.reason or "")
        counted_alike(model, limits)

    with deadline(10):
        one_of_ours(ask, text)


def _fuzz(language: str, count: int, chance: random.Random, folder: Path) -> None:
    seeds, words = LANGUAGES[language]
    mutator = Mutator(seeds, words, chance)
    path = folder / f"model.{language}"
    for number in range(count):
        text = mutator.next()
        path.write_bytes(text)
        model = one_of_ours(lambda: load(path), text)
        if isinstance(model, Model) and number % 4 == 0:
            _asked(model, text)


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("language", LANGUAGES)
def test_mutated_processes_are_read_or_refused(language: str, shard: int, tmp_path: Path) -> None:
    chance = random.Random(f"processes {shard}")
    _fuzz(language, TEXTS // SHARDS // 20, chance, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(SOAK))
def test_many_more_mutated_processes(seed: int, tmp_path: Path) -> None:
    for language in LANGUAGES:
        _fuzz(language, TEXTS // 10, random.Random(f"soak {seed}"), tmp_path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_seeds_of_processes_are_right(language: str, tmp_path: Path) -> None:
    """Mutations of nonsense find nothing: every seed is read and answered."""
    seeds: Sequence[bytes] = LANGUAGES[language][0]
    for text in seeds:
        path = tmp_path / f"model.{language}"
        path.write_bytes(text)
        model = load(path)
        assert states(model, budget=Budget(timeout=10.0, states=2000)).states > 5
        for answer in check(model, budget=Budget(timeout=10.0, states=20_000)):
            assert answer.verdict in ("true", "false"), answer.reason
