"""SPIN as an oracle: what `spin` and the verifier that it writes say about a Promela text.

Used where `spin` and a C compiler are installed; everywhere else the recorded figures stand for it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

AVAILABLE = shutil.which("spin") is not None and shutil.which("gcc") is not None
PLAIN = ("-o1", "-o2", "-o3")
"""No data-flow analysis, no dead variables, no merging of statements: every step is a state."""
_STATES = re.compile(r"^\s*([\d.e+]+) states, stored", re.MULTILINE)
_ERROR = re.compile(r"^pan:\d+: (.*?)(?: \(at depth -?\d+\))?$", re.MULTILINE)
_MISTAKES = (
    *("invalid array index", "uninitialized chan", "too few parameters"),
    *("missing pars in receive", "too many fields in recv"),
)


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of a verifier printed."""

    output: str
    status: int

    @property
    def states(self) -> int:
        """How many states were stored."""
        found = _STATES.search(self.output)
        assert found is not None, self.output
        return round(float(found[1]))

    @property
    def complete(self) -> bool:
        """Whether the whole state space was searched."""
        return not re.search("Search not completed|max search depth", self.output)

    @property
    def errors(self) -> list[str]:
        """The messages about errors."""
        return _ERROR.findall(self.output)

    @property
    def crashed(self) -> bool:
        """Whether the verifier was ended by a signal, as a division by zero does."""
        return self.status < 0

    def has(self, *words: str) -> bool:
        """Whether some error is one of these."""
        return any(word in error for error in self.errors for word in words)

    @property
    def errors_but_ends(self) -> list[str]:
        """The messages about errors other than invalid end states."""
        return [e for e in self.errors if e != "invalid end state"]

    @property
    def mistake(self) -> bool:
        """An error at run time."""
        return self.crashed or self.has(*_MISTAKES)

    @property
    def assertion(self) -> bool:
        """A violated assertion of the text."""
        return any(
            "assertion violated" in e and not any(m in e for m in _MISTAKES) for e in self.errors
        )


class Spin:
    """A text in a folder of its own; verifiers are built as they are needed."""

    def __init__(self, path: Path, folder: Path, options: tuple[str, ...] = PLAIN) -> None:
        self.folder = folder
        self.built: set[str] = set()
        for other in path.parent.glob("*.h"):
            shutil.copy(other, folder / other.name)
        shutil.copy(path, folder / "model.pml")
        found = self._call("spin", "-a", *options, "model.pml", timeout=60)
        self.refused = found.output if found.status else None

    def _call(self, *command: str, timeout: float) -> Run:
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, timeout=timeout, check=False
        )
        return Run(done.stdout + done.stderr, done.returncode)

    def run(self, *arguments: str, build: tuple[str, ...] = (), timeout: float = 120) -> Run:
        """What the verifier says, built with these options; without partial-order reduction."""
        name = "pan" + "".join(sorted(build))
        if name not in self.built:
            flags = ("-O1", "-w", "-DNOREDUCE", *build, "-o", name, "pan.c")
            made = self._call("gcc", *flags, timeout=120)
            assert made.status == 0, made.output
            self.built.add(name)
        return self._call(f"./{name}", "-m1000000", *arguments, timeout=timeout)

    def safety(self, timeout: float = 120) -> Run:
        """Assertions and invalid end states, every error, no claim."""
        return self.run("-c0", build=("-DSAFETY", "-DNOCLAIM"), timeout=timeout)

    def claim(self, name: str | None = None, timeout: float = 120) -> Run:
        """A claim, by name where there are several: errors are its violations."""
        chosen = () if name is None else ("-N", name)
        return self.run("-a", *chosen, timeout=timeout)

    def acceptance(self, timeout: float = 120) -> Run:
        """Acceptance cycles of the processes alone."""
        return self.run("-a", "-E", "-A", build=("-DNOCLAIM",), timeout=timeout)

    def progress(self, timeout: float = 120) -> Run:
        """Cycles without progress."""
        return self.run("-l", "-E", "-A", build=("-DNP", "-DNOCLAIM"), timeout=timeout)
