"""`plait explore` as a command: its address, how it ends, and what it says of a wrong line."""

import re
import signal
import socket
import subprocess
import urllib.request
from pathlib import Path

import pytest
from tests.cli.command import Command, start


def started(model: Path, *options: str) -> tuple[subprocess.Popen[str], str]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = start("explore", model, "--no-browser", *options, **pipes)
    assert process.stdout is not None
    address = re.search(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", process.stdout.readline())
    assert address is not None
    return process, address[0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it(philosophers: Path, number: signal.Signals) -> None:
    process, address = started(philosophers)
    with urllib.request.urlopen(address, timeout=30) as response:
        assert b"plait-session" in response.read()
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "interrupted\n")


def test_its_page_ends_it(philosophers: Path) -> None:
    process, address = started(philosophers)
    headers = {"Content-Type": "application/json"}
    asked = urllib.request.Request(f"{address}stop", b"{}", headers, method="POST")
    urllib.request.urlopen(asked, timeout=30).close()
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")


def test_a_port_that_is_taken_is_told(plait: Command, philosophers: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = plait("explore", philosophers, "--no-browser", "--port", port)
    assert result.status == 2
    assert f"cannot listen on port {port}: " in result.err


def test_wrong_lines_and_models(plait: Command, philosophers: Path, tmp_path: Path) -> None:
    assert plait("explore", philosophers, "--port", "70000").status == 2
    assert plait("explore", tmp_path / "none.gal", "--no-browser").status == 2
    (tmp_path / "m.gal").write_text("gal g {")
    assert "error" in plait("explore", tmp_path / "m.gal", "--no-browser").err
