"""The language server: which requests are answered, and when.

One thread has all that the server knows; others only put what comes into its queue: messages of
the editor, and of the processes that read texts and check properties. What is found in a text is
said of the version that was read or, if there is a newer one, not at all; a request that needs it
waits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO

from plait import __version__
from plait.hints import Any
from plait.lsp import features
from plait.lsp.checks import Check, Checks
from plait.lsp.documents import TOP, Document
from plait.lsp.features import CHECK, Known
from plait.lsp.findings import Findings, placed
from plait.lsp.protocol import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NOT_INITIALIZED,
    REQUEST_CANCELLED,
    Message,
    WrongMessageError,
    member,
    messages,
    write,
)
from plait.lsp.reading import Reading

CAPABILITIES: Message = {
    "positionEncoding": "utf-16",
    "textDocumentSync": {"openClose": True, "change": 2},
    "documentSymbolProvider": True,
    "definitionProvider": True,
    "hoverProvider": True,
    "codeActionProvider": True,
    "codeLensProvider": {"resolveProvider": False},
    "executeCommandProvider": {"commands": [CHECK], "workDoneProgress": True},
}
LATER = object()
"""The result of a request that is answered later."""
Answer = Callable[[], object]


class _Open:
    """A text that is open, and what was found in it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.read: int | None = None
        """The version that was read last."""
        self.known: Known | None = None
        """What was found when the text last made sense."""
        self.diagnostics: list[Message] = []
        self.findings = Findings(document.version)
        self.waiting: list[tuple[int | str, Answer]] = []

    def now(self) -> Known | None:
        """What is known, at the places of the text as it is now."""
        return None if self.known is None else self.known.now(self.document.lines)


class Server:
    """A language server on a pair of streams."""

    def __init__(self, source: IO[bytes], target: IO[bytes], seconds: float) -> None:
        """A check may take so many seconds."""
        self._source, self._target = source, target
        self._events: SimpleQueue[Any] = SimpleQueue()
        self._reading = Reading(self._events, self._was_read)
        self._checks = Checks(self._events, seconds, self._was_checked)
        self._open: dict[str, _Open] = {}
        self._last: str | None = None
        """The text that was opened or changed last."""
        self._client: Message = {}
        self._phase = "new"
        self._status: int | None = None
        self._requests: dict[str, Callable[[Any, int | str], object]] = {
            "initialize": self._initialize,
            "shutdown": self._shutdown,
            "textDocument/documentSymbol": self._outline,
            "textDocument/definition": self._definition,
            "textDocument/hover": self._hover,
            "textDocument/codeLens": self._lenses,
            "textDocument/codeAction": self._actions,
            "workspace/executeCommand": self._execute,
        }
        self._notifications: dict[str, Callable[[Any], None]] = {
            "textDocument/didOpen": self._opened,
            "textDocument/didChange": self._changed,
            "textDocument/didClose": self._closed,
            "$/cancelRequest": self._cancel,
            "window/workDoneProgress/cancel": self._cancel_progress,
        }

    def run(self) -> int:
        """Serve until the editor has had enough: 0 if it said so in time, else 1."""
        Thread(target=self._listen, daemon=True).start()
        try:
            while self._status is None:
                wait = min(self._reading.turn(), self._checks.turn())
                with suppress(Empty):
                    self._handle(*self._events.get(timeout=max(wait, 0.0)))
        except OSError:  # nobody reads any more
            self._status = 1
        finally:
            self._reading.close()
            self._checks.close()
        return self._status

    def _listen(self) -> None:
        with suppress(OSError, ValueError):
            for message in messages(self._source):
                self._events.put((None, message))
        self._events.put((None, None))

    def _handle(self, source: Any, message: Any) -> None:
        if source is not None:
            _ = self._reading.take(source, message) or self._checks.take(source, message)
        elif message is None:
            self._exit()
        elif isinstance(message, WrongMessageError):
            self._fail(None, message)
        else:
            self._receive(message)

    # --- messages ---------------------------------------------------------------------------------

    def _receive(self, message: Message) -> None:
        method, request = message.get("method"), message.get("id")
        if method is None and ("result" in message or "error" in message):
            return  # we ask nothing that needs an answer
        valid = isinstance(request, int | str) and not isinstance(request, bool)
        if not isinstance(method, str) or message.get("jsonrpc") != "2.0":
            wrong = WrongMessageError(INVALID_REQUEST, "this is no request of JSON-RPC 2.0")
            self._fail(request if valid else None, wrong)
        elif "id" not in message:
            self._notified(method, message.get("params"))
        elif not valid:
            self._fail(None, WrongMessageError(INVALID_REQUEST, "'id' is no number and no text"))
        else:
            assert isinstance(request, int | str)
            self._respond(request, lambda: self._asked(method, message.get("params"), request))

    def _asked(self, method: str, params: object, request: int | str) -> object:
        handler = self._requests.get(method)
        if self._phase == "new" and method != "initialize":
            raise WrongMessageError(NOT_INITIALIZED, "the first request is 'initialize'")
        if self._phase != "new" and method == "initialize":
            raise WrongMessageError(INVALID_REQUEST, "'initialize' comes once")
        if self._phase == "ending":
            raise WrongMessageError(INVALID_REQUEST, "nothing is answered after 'shutdown'")
        if handler is None:
            raise WrongMessageError(METHOD_NOT_FOUND, f"there is no method '{method[:100]}'")
        return handler(params, request)

    def _notified(self, method: str, params: object) -> None:
        handler = self._notifications.get(method)
        if method == "exit":
            self._exit()
        elif handler is not None and self._phase == "running":
            try:
                handler(params)
            except WrongMessageError as wrong:
                self._say("window/logMessage", 1, f"{method}: {wrong}")

    def _respond(self, request: int | str, answer: Answer) -> None:
        """Send the answer, or what is wrong; nothing where it comes later."""
        try:
            result = answer()
        except WrongMessageError as wrong:
            self._fail(request, wrong)
        except Exception as failure:
            said = f"internal error: {type(failure).__name__}: {failure}"
            self._fail(request, WrongMessageError(INTERNAL_ERROR, said))
        else:
            if result is not LATER:
                self._send({"id": request, "result": result})

    def _fail(self, request: int | str | None, wrong: WrongMessageError) -> None:
        self._send({"id": request, "error": {"code": wrong.code, "message": str(wrong)}})

    def _say(self, method: str, kind: int, text: str) -> None:
        self._tell(method, {"type": kind, "message": text})

    def _tell(self, method: str, params: Message) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: Message) -> None:
        write(self._target, {"jsonrpc": "2.0", **message})

    # --- beginning and end ------------------------------------------------------------------------

    def _initialize(self, params: object, _request: int | str) -> object:
        found = params.get("capabilities") if isinstance(params, dict) else None
        self._client = found if isinstance(found, dict) else {}
        self._phase = "running"
        return {
            "capabilities": CAPABILITIES,
            "serverInfo": {"name": "plait", "version": __version__},
        }

    def _shutdown(self, _params: object, _request: int | str) -> None:
        self._phase = "ending"
        self._reading.close()
        self._checks.close()

    def _exit(self) -> None:
        self._status = 0 if self._phase == "ending" else 1

    def _can(self, *names: str) -> bool:
        """Whether the editor says that it can do something."""
        found: object = self._client
        for name in names:
            found = found.get(name) if isinstance(found, dict) else None
        return found is True

    # --- texts ------------------------------------------------------------------------------------

    def _opened(self, params: object) -> None:
        uri = member(params, str, "textDocument", "uri")
        called = member(params, str, "textDocument", "languageId")
        version = member(params, int, "textDocument", "version")
        text = member(params, str, "textDocument", "text")
        if uri in self._open:
            self._forget(uri)
        self._open[uri] = _Open(Document(uri, called, version, text))
        self._last = uri
        self._reading.soon(self._open[uri].document, 0)

    def _changed(self, params: object) -> None:
        opened = self._document(params)
        version = member(params, int, "textDocument", "version")
        changes = member(params, list, "contentChanges")
        document = opened.document
        document.version = version
        for change in changes:
            document.edit(change)
        opened.findings = Findings(version)
        self._last = document.uri
        self._reading.soon(document, *([0.0] if opened.waiting else []))

    def _closed(self, params: object) -> None:
        uri = self._document(params).document.uri
        self._forget(uri)
        self._tell("textDocument/publishDiagnostics", {"uri": uri, "diagnostics": []})

    def _forget(self, uri: str) -> None:
        opened = self._open.pop(uri)
        opened.document.closed = True
        for request, _ in opened.waiting:
            self._send({"id": request, "result": None})

    def _document(self, params: object) -> _Open:
        uri = member(params, str, "textDocument", "uri")
        if uri not in self._open:
            raise WrongMessageError(INVALID_PARAMS, f"'{uri[:200]}' is not open")
        return self._open[uri]

    def _was_read(
        self, document: Document, version: int, lines: Sequence[str], found: Message
    ) -> None:
        opened = self._open[document.uri]
        opened.read = version
        if "symbols" in found:
            opened.known = Known(lines, found["symbols"], found["asks"])
        if "failed" in found:
            doubt = {"range": TOP, "severity": 2, "source": "plait", "message": found["failed"]}
            opened.diagnostics = [doubt]
        else:
            opened.diagnostics = found["diagnostics"]
        self._publish(opened)
        waiting, opened.waiting = opened.waiting, []
        for request, answer in waiting:
            self._respond(request, answer)

    def _publish(self, opened: _Open) -> None:
        """Say what is wrong with the version that was read, which is the newest."""
        document = opened.document
        shown = [*opened.diagnostics, *opened.findings.diagnostics()]
        related = self._can("textDocument", "publishDiagnostics", "relatedInformation")
        self._tell(
            "textDocument/publishDiagnostics",
            {
                "uri": document.uri,
                "version": document.version,
                "diagnostics": [placed(d, document.uri, related) for d in shown],
            },
        )

    # --- features ---------------------------------------------------------------------------------

    def _when_read(
        self, opened: _Open, request: int | str, answer: Callable[[Known], object]
    ) -> object:
        """The answer from what is known of the newest version, as soon as that was read."""

        def answered() -> object:
            known = opened.now()
            return None if known is None else answer(known)

        if opened.read == opened.document.version:
            return answered()
        opened.waiting.append((request, answered))
        self._reading.soon(opened.document, 0)
        return LATER

    def _outline(self, params: object, request: int | str) -> object:
        opened = self._document(params)
        nested = self._can("textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport")
        return self._when_read(
            opened, request, lambda known: features.outline(known, opened.document, nested)
        )

    def _definition(self, params: object, request: int | str) -> object:
        return self._named(params, request, features.definition)

    def _hover(self, params: object, request: int | str) -> object:
        return self._named(params, request, features.hover)

    def _named(
        self,
        params: object,
        request: int | str,
        answer: Callable[[features.Name, Known, Document], object],
    ) -> object:
        opened = self._document(params)
        # Where the cursor is now; the text may change before it was read.
        name = features.name_at(opened.document, member(params, dict, "position"))
        if name is None:
            return None
        return self._when_read(opened, request, lambda known: answer(name, known, opened.document))

    def _lenses(self, params: object, request: int | str) -> object:
        opened = self._document(params)
        return self._when_read(
            opened, request, lambda known: features.lenses(known, opened.document)
        )

    def _actions(self, params: object, request: int | str) -> object:
        opened = self._document(params)
        ends = [opened.document.place(member(params, dict, "range", e)) for e in ("start", "end")]
        first, last = (line for line, _ in ends)
        return self._when_read(
            opened, request, lambda known: features.actions(known, opened.document, first, last)
        )

    # --- checks -----------------------------------------------------------------------------------

    def _execute(self, params: object, request: int | str) -> object:
        """Check a property of a text; without a name all of them, without a text the last one."""
        command = member(params, str, "command")
        assert isinstance(params, dict)
        given = params.get("arguments") or [self._last]
        if command != CHECK:
            raise WrongMessageError(INVALID_PARAMS, f"there is no command '{command[:100]}'")
        match given:
            case [str() as uri]:
                name = None
            case [str() as uri, str() | None as name]:
                pass
            case _:
                raise WrongMessageError(INVALID_PARAMS, "a check takes a text and a property")
        document = self._document({"textDocument": {"uri": uri}}).document
        token = params.get("workDoneToken")
        check = Check(request, document, document.version, document.text, name, token)
        self._checks.add(check)
        self._progress(check, kind="begin", title=f"checking {check.title}", cancellable=True)
        return LATER

    def _progress(self, check: Check, **value: object) -> None:
        if isinstance(check.token, int | str):
            self._tell("$/progress", {"token": check.token, "value": value})

    def _was_checked(self, check: Check, found: Message) -> None:
        self._progress(check, kind="end")
        opened = self._open.get(check.document.uri)
        findings = Findings(check.version)
        kind, text = findings.add(check.title, found)
        self._say("window/showMessage", kind, text)
        if "report" in found:
            self._say("window/logMessage", 4, found["report"])
        if (
            opened is not None
            and opened.document is check.document
            and opened.document.version == check.version
        ):
            opened.findings.update(findings)
            if opened.read == check.version:  # else it is said when it was read
                self._publish(opened)
        self._send({"id": check.request, "result": findings.verdicts})

    # --- cancelling -------------------------------------------------------------------------------

    def _cancel(self, params: object) -> None:
        request = params.get("id") if isinstance(params, dict) else None
        for opened in self._open.values():
            if any(r == request for r, _ in opened.waiting):
                opened.waiting = [w for w in opened.waiting if w[0] != request]
                self._cancelled(request)
        self._end_checks(lambda check: check.request == request)

    def _cancel_progress(self, params: object) -> None:
        token = params.get("token") if isinstance(params, dict) else None
        self._end_checks(lambda check: token is not None and check.token == token)

    def _end_checks(self, wanted: Callable[[Check], bool]) -> None:
        for check in self._checks.cancel(wanted):
            self._progress(check, kind="end")
            self._cancelled(check.request)

    def _cancelled(self, request: Any) -> None:
        self._fail(request, WrongMessageError(REQUEST_CANCELLED, "the request was cancelled"))


__all__ = ["Server"]
