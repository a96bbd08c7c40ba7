"""T28: no command connects to anything, starts a program or writes what nobody asked for."""

import json
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import ROOT

import plait
from plait.cli.main import COMMANDS

AUDITED = Path(__file__).with_name("audited.py")
NET = """<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="p"><initialMarking><text>1</text></initialMarking></place><place id="q"/>
<transition id="t"/><arc id="a" source="p" target="t"/><arc id="b" source="t" target="q"/>
</page></net></pnml>"""
MODELS = {
    "net.pnml": NET,
    "model.pnml": NET,
    "far.pnml": '<!DOCTYPE pnml SYSTEM "http://localhost:9/far.dtd">' + NET,
    "file.pnml": '<!DOCTYPE pnml [<!ENTITY secret SYSTEM "secret.txt">]>'
    + NET.replace("<text>1<", "<text>&secret;<"),
    "far.xml": """<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN'
'http://localhost:9/flat-1_2.dtd'><nta><declaration>int x;</declaration><template><name>P</name>
<location id="a"/><init ref="a"/><transition><source ref="a"/><target ref="a"/>
<label kind="guard">x &lt; 3</label><label kind="assignment">x++</label></transition></template>
<system>system P;</system></nta>""",
    "code.pml": 'c_code { system("touch stolen"); } active proctype P() { skip }',
    "secret.txt": "1",
}
"""What is in the folder besides the examples."""
GAL = "philosophers.gal"
LINES: list[tuple[int, str, list[str]]] = [
    (1, f"check {GAL} -p free", []),
    (1, f"check {GAL} -p free --engine symbolic --json a.json --html a.html", ["a.json", "a.html"]),
    (1, f"check {GAL} -p free --junit a.xml --sarif a.sarif", ["a.xml", "a.sarif"]),
    (1, f"check {GAL} -p free --diagram a.svg --witness w.json", ["a.svg", "w.json"]),
    (1, f"check {GAL} -p free --engine bounded --cross-check", []),
    (1, "check transfer.pml -f deadlock --threads 2 --store tree --successors compiled", []),
    (0, "check net.pnml -f bounds:q --memory 500M --timeout 60", []),
    (3, f"states {GAL} -D N=99 --engine explicit --timeout 0.5 --checkpoint saved", ["saved"]),
    (1, f"compare {GAL} -p free --depth 5 --timeout 60 --json t.json", ["t.json"]),
    (0, f"states {GAL} -D N=4..5", []),
    (0, f"states {GAL} --list 2", []),
    (3, "resume saved --timeout 0.5", ["saved"]),
    (0, f"simulate {GAL} --random 5 --seed 1", []),
    (0, f"explore {GAL} --no-browser", []),
    (0, f"graph {GAL} --trace free -o g.svg", ["g.svg"]),
    (0, "convert net.pnml -o n.gal", ["n.gal"]),
    (0, "models write philosophers -n 5 -o p.gal", ["p.gal"]),
    (0, f"dependency {GAL} --json d.json", ["d.json"]),
    (0, f"order {GAL} --order force --write p.order", ["p.order"]),
    (0, f"states {GAL} --engine symbolic --order file:p.order", []),
    (0, f"sets {GAL} card(reachable)", []),
    (0, "classes crossing.net --aut c.aut", ["c.aut"]),
    (0, "duration crossing.net true", []),
    (0, "smart sample.sm", []),
    (0, f"automaton {GAL} -f G(left[0]==1) --to hoa -o f.hoa", ["f.hoa"]),
    (0, "mcc StateSpace .", []),
    (1, "lsp", []),
    (0, "completion bash", []),
    # What the text of a model asks for is not done.
    (2, "states far.pnml", []),
    (2, "states file.pnml", []),
    (0, "states far.xml", []),
    (2, "states code.pml", []),
    (2, f"check {GAL} -f ../secret.txt", []),
]
"""Exit status, command line, and what it may write."""
HARMLESS = ("/dev/null", "/proc/self/clear_refs")
OWN = {"install": sys.prefix, "base": sys.base_prefix, **sysconfig.get_paths()}
"""Where the programs and libraries of Python are."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with models; another one is the home of the user."""
    path = tmp_path / "models"
    path.mkdir()
    for name, text in MODELS.items():
        (path / name).write_text(text)
    for name in (GAL, "crossing.net", "sample.sm", "protocols/transfer.pml"):
        shutil.copy(ROOT / "examples" / name, path)
    return path


def environment(home: Path) -> dict[str, str]:
    """No more than Python needs, and no place to write to except one that is looked at."""
    path = Path(plait.__file__).parents[1]
    return {"HOME": str(home), "TMPDIR": str(home), "PYTHONPATH": str(path)}


def changed(folder: Path, before: dict[Path, bytes]) -> Iterator[Path]:
    """What is new or different in a folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and before.get(path) != path.read_bytes():
            yield path


def test_commands_touch_only_what_they_are_told_to(folder: Path) -> None:
    assert {line.split()[0] for _, line, _ in LINES} == set(COMMANDS)
    before = {path: path.read_bytes() for path in folder.rglob("*")}
    record, home = folder.parent / "record", folder.parent / "home"
    home.mkdir()
    lines = json.dumps([line.split() for _, line, _ in LINES])
    subprocess.run(
        [sys.executable, "-B", AUDITED, record, lines],
        cwd=folder,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    seen: list[dict[str, list[Any]]] = [{} for _ in LINES]
    for number, what, *more in map(json.loads, record.read_text().splitlines()):
        if number >= 0:
            seen[number].setdefault(what, []).append(more)
    own = str(Path(plait.__file__).parents[1])
    readable = [str(folder), *OWN.values(), own, "/proc", "/sys", *HARMLESS]
    for (status, line, files), found in zip(LINES, seen, strict=True):
        assert found["status"] == [[status]], line
        targets = [str(folder / f) for f in files]
        for (path,) in found.get("writes", ()):
            assert path in HARMLESS or path.startswith(tuple(targets)), line
        for (path,) in found.get("reads", ()):
            assert path.startswith(tuple(readable)), line
            assert not path.endswith("secret.txt"), line
        if not line.startswith("lsp"):
            assert "starts" not in found, line
        if line.startswith("explore"):
            asked = [(event, arguments) for event, arguments in found["connects"]]
            assert [event for event, _ in asked] == ["socket.__new__", "socket.bind"]
            assert asked[1][1] == [["127.0.0.1", 0]]
        else:
            assert "connects" not in found, line
    allowed = {folder / f for _, _, files in LINES for f in files}
    for path in changed(folder, before):
        assert allowed & {path, *path.parents}, path
    assert list(home.rglob("*")) == []


STRACE = shutil.which("strace")
CALLS = (
    *("network", "execve", "open", "openat", "creat", "mkdir", "mkdirat", "unlink", "unlinkat"),
    *("rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat"),
)
WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")


@pytest.mark.skipif(STRACE is None, reason="there is no strace")
@pytest.mark.parametrize(
    ("line", "files"),
    [
        (f"states {GAL} -D N=99 --engine explicit --timeout 1 --checkpoint saved", ["saved"]),
        (f"compare {GAL} -p free --depth 5 --timeout 60 --json t.json", ["t.json"]),
        ("check net.pnml -f bounds:q -f deadlock --threads 2 --successors compiled", []),
        ("states net.pnml", []),
    ],
)
def test_native_code_touches_no_more(folder: Path, line: str, files: list[str]) -> None:
    """The same in terms of system calls: those of the native core and of solvers are seen, too."""
    assert STRACE is not None
    record, home = folder.parent / "record", folder.parent / "home"
    home.mkdir()
    traced = [STRACE, "-f", "-qq", "-y", "-e", f"trace={','.join(CALLS)}", "-o", record]
    run = subprocess.run(
        [*traced, sys.executable, "-B", "-m", "plait", *line.split()],
        cwd=folder,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if "PTRACE" in run.stderr or "ptrace" in run.stderr:
        pytest.skip("strace may not trace here")
    calls = [call.split(None, 1)[1] for call in record.read_text().splitlines()]
    calls = [call for call in calls if not call.startswith(("<...", "+++", "---"))]
    assert [call for call in calls if call.startswith("execve(")][1:] == []
    opened = 0
    for call in calls:
        name, arguments = call.split("(", 1)
        if name.startswith("open"):
            opened += 1
            if not WRITING.search(arguments):
                continue
        elif name == "execve":
            continue
        else:
            assert name in CALLS, call  # else of the network
        paths = [folder / p for p in re.findall(r'"([^"]*)"', arguments)]
        for path in paths:
            allowed = (*HARMLESS, *(str(folder / f) for f in files))
            assert str(path).startswith(allowed), call
    assert opened > 10
    assert list(home.rglob("*")) == []
