"""Who asks nothing in particular of a model with time is told where only time is left."""

from pathlib import Path

import pytest
from tests.cli.command import Command

NETS = {
    "once.net": "net once\ntr go [1,2] a -> b\npl a (1)\n",
    "once.xta": "process P() { clock x; state a { x <= 2 }, b; init a;"
    " trans a -> b { guard x >= 1; }; }\nsystem P;\n",
}
AGAIN = {
    "again.net": "net again\ntr go [1,2] a -> a\npl a (1)\n",
    "again.xta": "process P() { clock x; state a { x <= 2 }; init a;"
    " trans a -> a { guard x >= 1; assign x := 0; }; }\nsystem P;\n",
}


@pytest.fixture
def plait(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


@pytest.mark.parametrize("name", NETS)
def test_a_system_that_only_waits_is_stuck(name: str, plait: Command, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(NETS[name])
    result = plait("check", file)
    assert result.status == 1
    free, stuck, *_ = result.out.splitlines()
    assert free.split() == ["deadlock", "no", "deadlock", "holds"]
    assert stuck.startswith(
        "stuck     something but time can always happen, now or later  violated"
    )
    assert "stuck is violated: a trace of 2 steps" in result.out


@pytest.mark.parametrize("name", AGAIN)
def test_a_system_that_goes_on_is_not(name: str, plait: Command, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(AGAIN[name])
    result = plait("check", file)
    assert result.status == 0
    assert [line.split()[-1] for line in result.out.splitlines()[:2]] == ["holds", "holds"]


def test_of_a_model_without_time_deadlocks_are_asked_alone(plait: Command, tmp_path: Path) -> None:
    file = tmp_path / "g.gal"
    file.write_text("gal g { int x = 0; transition t [x < 2] { x = x + 1; } }")
    assert plait("check", file).out.splitlines()[1] == ""
