"""Runs command lines in one process and writes down what they ask of the operating system.

`python audited.py RECORD LINES`: LINES is a list of command lines in JSON. RECORD gets a line of
JSON for each event of `sys.addaudithook` that opens or changes a file, starts a program or uses a
socket, with the number of the command line; the copies that `fork` makes write into it as well.
What native code does is not seen here.
"""

import json
import os
import sys

CHANGES = (
    *("os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir"),
    *("os.symlink", "os.truncate", "os.utime"),
)
PROGRAMS = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "pty.spawn")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def main(record: str, lines: list[list[str]]) -> None:
    """Run the lines one after the other."""
    # One write for each event, so that those of several processes do not mix.
    out = os.open(record, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    number = -1

    def write(*entry: object) -> None:
        os.write(out, json.dumps([number, *entry], default=str).encode() + b"\n")

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if not isinstance(path, int):  # else it is open already
                written = isinstance(flags, int) and flags & WRITING
                write("writes" if written else "reads", os.path.abspath(os.fsdecode(path)))  # type: ignore[arg-type]
        elif event in CHANGES:
            paths = [os.path.abspath(os.fsdecode(a)) for a in arguments if isinstance(a, str)]
            for path in paths[: 2 if event in ("os.rename", "os.link") else 1]:
                write("writes", path)
        elif event in PROGRAMS:
            write("starts", arguments[0], arguments[1] if len(arguments) > 1 else None)
        elif event.startswith("socket."):
            write("connects", event, arguments[1:])

    sys.addaudithook(hook)
    from plait.app.server import Explorer
    from plait.cli.main import run

    Explorer.serve_forever = lambda *_, **__: None  # type: ignore[method-assign]
    for number, line in enumerate(lines):  # noqa: B007 - the hook looks at it
        write("status", run(line))


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
