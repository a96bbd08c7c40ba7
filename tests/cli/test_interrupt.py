"""An interrupt that Python would drop or wrap still ends the command."""

import subprocess
import sys
from pathlib import Path

import pytest

BEGIN = """
import os, signal, sys, time, weakref
from plait.cli.interrupt import heed
heed()
def press(*_):
    os.kill(os.getpid(), signal.{signal})
    time.sleep(0)
class Thing: pass
"""
END = """
    time.sleep(60)
except KeyboardInterrupt:
    print("interrupted")
"""
PLACES = {
    "a callback": """
try:
    thing = Thing()
    watch = weakref.ref(thing, press)
    del thing
""",
    "the end of an object": """
try:
    Thing.__del__ = press
    Thing()
""",
    "an import": """
try:
    import pressing
""",
    "the making of a class in an import": """
try:
    import naming
""",
    "what a foreign function is called with": """
import ctypes
class Word(ctypes.c_int):
    @classmethod
    def from_param(cls, value):
        press()
        return cls(value)
absolute = ctypes.CDLL(None).abs
absolute.argtypes = [Word]
try:
    absolute(2)
""",
    "the open": """
try:
    press()
""",
}
MODULES = {
    "pressing.py": "from __main__ import press; press()",
    "naming.py": """
from __main__ import press
class Field:
    __set_name__ = press
class Record:
    field = Field()
""",
}


def said(script: Path) -> str:
    command = [sys.executable, script]
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=50
    ).stdout


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("place", PLACES)
def test_an_interrupt_is_heard_wherever_it_comes(place: str, number: str, tmp_path: Path) -> None:
    for name, text in MODULES.items():
        (tmp_path / name).write_text(text)
    script = tmp_path / "script.py"
    script.write_text(BEGIN.format(signal=number) + PLACES[place] + END)
    assert said(script) == "interrupted\n"


def test_what_is_ignored_stays_ignored(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        + BEGIN.format(signal="SIGINT")
        + "press()\nprint('went on')\n"
    )
    assert said(script) == "went on\n"


def test_a_deadline_is_kept_after_it_rang_where_an_object_ends(tmp_path: Path) -> None:
    """Python would print what was raised there, and go on."""
    script = tmp_path / "script.py"
    script.write_text(
        BEGIN.format(signal="SIGALRM")
        + """
from plait.cli.deadline import deadline
from plait.errors import LimitReached
Thing.__del__ = press
try:
    with deadline(1):
        Thing()
        time.sleep(60)
except LimitReached as limit:
    print(limit)
"""
    )
    assert said(script) == "timeout\n"
