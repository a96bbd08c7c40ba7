"""An editor, as far as a language server can tell: it starts `plait lsp` and talks to it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

Message = dict[str, Any]
PATIENCE = 60.0
CLIENT = {
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
    }
}


class Editor:
    """A server and what it has said so far; whatever it says beyond its protocol is an error."""

    def __init__(self, *options: str, folder: Path | None = None, safely: bool = False) -> None:
        """With `safely` as the installed command is started, without looking into the folder."""
        self.process = subprocess.Popen(
            [sys.executable, *(["-P"] if safely else []), "-m", "plait", "lsp", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            env=dict(os.environ),
        )
        self.said: list[Message] = []
        """What came that nobody has taken yet."""
        self._coming: SimpleQueue[Message | None] = SimpleQueue()
        self._requests = 0
        Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        out = self.process.stdout
        assert out is not None
        while head := out.readline():
            assert head.startswith(b"Content-Length: "), head
            assert out.readline() == b"\r\n"
            message = json.loads(out.read(int(head.split(b":")[1])))
            assert message.pop("jsonrpc") == "2.0"
            self._coming.put(message)
        self._coming.put(None)

    # --- saying -----------------------------------------------------------------------------------

    def raw(self, content: bytes) -> None:
        """Write bytes, whatever they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(content)
        self.process.stdin.flush()

    def send(self, message: object) -> None:
        """Send anything that is JSON."""
        content = json.dumps(message).encode()
        self.raw(b"Content-Length: %d\r\n\r\n%b" % (len(content), content))

    def tell(self, method: str, params: object = None) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: object = None) -> int:
        """Send a request and do not wait; its number."""
        self._requests += 1
        message = {"jsonrpc": "2.0", "id": self._requests, "method": method, "params": params}
        self.send(message)
        return self._requests

    # --- hearing ----------------------------------------------------------------------------------

    def wait(self, wanted: Any, seconds: float = PATIENCE) -> Message:
        """The first message that is wanted; what comes before is kept."""
        for i, message in enumerate(self.said):
            if wanted(message):
                return self.said.pop(i)
        end = time.monotonic() + seconds
        while True:
            message = self._coming.get(timeout=max(0.01, end - time.monotonic()))
            assert message is not None, "the server has ended"
            if wanted(message):
                return message
            self.said.append(message)

    def response(self, number: int | str | None) -> Message:
        """The response to a request."""
        return self.wait(lambda m: "method" not in m and m["id"] == number)

    def ask(self, method: str, params: object = None) -> Any:
        """The result of a request; it must have one."""
        response = self.response(self.request(method, params))
        assert "error" not in response, response
        return response["result"]

    def refused(self, method: str, params: object = None) -> int:
        """The code of the error that answers a request."""
        code: int = self.response(self.request(method, params))["error"]["code"]
        return code

    def heard(self, method: str) -> Message:
        """The parameters of the next notification of this kind."""
        params: Message = self.wait(lambda m: m.get("method") == method)["params"]
        return params

    def diagnostics(self, uri: str, version: int) -> list[Message]:
        """The diagnostics of a version; those of older ones are passed over."""

        def wanted(message: Message) -> bool:
            if message.get("method") != "textDocument/publishDiagnostics":
                return False
            params = message["params"]
            return params["uri"] == uri and params.get("version") == version

        found: list[Message] = self.wait(wanted)["params"]["diagnostics"]
        return found

    def silence(self, seconds: float) -> list[Message]:
        """What comes within some time."""
        end = time.monotonic() + seconds
        with contextlib.suppress(Empty):
            while (rest := end - time.monotonic()) > 0:
                message = self._coming.get(timeout=rest)
                assert message is not None, "the server has ended"
                self.said.append(message)
        found, self.said = self.said, []
        return found

    # --- what editors do --------------------------------------------------------------------------

    def start(self, **capabilities: object) -> Editor:
        """Shake hands."""
        self.ask("initialize", {"processId": None, "capabilities": CLIENT | capabilities})
        self.tell("initialized", {})
        return self

    def open(self, uri: str, text: str, language: str = "gal", version: int = 1) -> None:
        """Open a text."""
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, *changes: object) -> None:
        """Change it: by texts, or by a range and a text."""
        events = [{"text": c} if isinstance(c, str) else c for c in changes]
        identifier = {"uri": uri, "version": version}
        self.tell("textDocument/didChange", {"textDocument": identifier, "contentChanges": events})

    def about(self, method: str, uri: str, **more: object) -> Any:
        """Ask something about a text."""
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": uri}, **more})

    def end(self) -> int:
        """Say goodbye; the exit status."""
        self.ask("shutdown")
        self.tell("exit")
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        """End it in any way."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.kill()
        self.process.wait()


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> Message:
    """A change of a part of a text."""
    places = [{"line": line, "character": at} for line, at in (start, end)]
    return {"range": {"start": places[0], "end": places[1]}, "text": text}
