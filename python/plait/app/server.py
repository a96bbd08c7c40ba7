"""The web server of the explorer, for one user on this machine.

- It listens on the loopback address only.
- Every address begins with a token that only who started it knows; other pages in the browser, and
  other users of the machine, do not.
- A request whose `Host` is not ours comes from a page that made its own name mean this machine (DNS
  rebinding), one whose `Origin` is not ours from another page: both are refused.
- It has one page and the questions of the session; there are no files to get out of.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from threading import Thread

from plait.app.session import BusyError, Session
from plait.app.walk import WalkError
from plait.errors import InputError, LimitReached
from plait.hints import Any
from plait.report.text import reason_text

LOOPBACK = "127.0.0.1"
MOST_BYTES = 8 * 2**20
"""Of a question: a path may be long."""
SLOWEST = 30.0
"""Seconds that a connection may say nothing."""
STOP = "stop"
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Explorer(ThreadingTCPServer):
    """Serves one session until it is stopped.

    `HTTPServer` would look up the name of the address it is bound to, and so might ask the network.
    """

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def __init__(self, session: Session, port: int = 0, token: str | None = None) -> None:
        self.session = session
        self.token = token or secrets.token_urlsafe(24)
        super().__init__((LOOPBACK, port), _Handler)
        self.server_port: int = self.server_address[1]
        self.hosts = {f"{name}:{self.server_port}" for name in (LOOPBACK, "localhost")}

    @property
    def url(self) -> str:
        """The address of the page, with the token."""
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"

    def stop(self) -> None:
        """Let `serve_forever` return; from any thread, and without waiting for it."""
        Thread(target=self.shutdown, daemon=True).start()

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that went away is no news."""


class _RefusedError(Exception):
    """A request is not answered."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: Explorer
    protocol_version = "HTTP/1.1"
    server_version = "plait"
    sys_version = ""
    timeout = SLOWEST

    def do_GET(self) -> None:
        self._answered(self._get)

    def do_POST(self) -> None:
        self._answered(self._post)

    def _answered(self, answer: Callable[[], None]) -> None:
        try:
            answer()
        except _RefusedError as refused:
            # What is left of the request is not read.
            self.close_connection = True
            self._send(refused.status, {"error": str(refused)})

    def _get(self) -> None:
        if self._asked() != "":
            raise _RefusedError(HTTPStatus.NOT_FOUND, "there is nothing here")
        self._write(HTTPStatus.OK, "text/html; charset=utf-8", self.server.session.page().encode())

    def _post(self) -> None:
        name = self._asked()
        origin = self.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in self.server.hosts:
            raise _RefusedError(HTTPStatus.FORBIDDEN, "another page asks")
        if self.headers.get_content_type() != "application/json":
            raise _RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a question is JSON")
        question = self.server.session.questions.get(name)
        if question is None and name != STOP:
            raise _RefusedError(HTTPStatus.NOT_FOUND, "there is no such question")
        body = self._body()
        if question is None:
            self._send(HTTPStatus.OK, {})
            self.server.stop()
            return
        self._send(*_result(question, body))

    def _asked(self) -> str:
        """What is asked for, by somebody who may."""
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1 or hosts[0].lower() not in self.server.hosts:
            raise _RefusedError(
                HTTPStatus.MISDIRECTED_REQUEST, "this is not the host that is asked"
            )
        token, slash, name = self.path.removeprefix("/").partition("/")
        given, wanted = token.encode(errors="replace"), self.server.token.encode()
        if not slash or not secrets.compare_digest(given, wanted):
            raise _RefusedError(HTTPStatus.FORBIDDEN, "the address needs its token")
        return name

    def _body(self) -> dict[str, Any]:
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit() or len(length) > 12:
            raise _RefusedError(HTTPStatus.LENGTH_REQUIRED, "the length of the question is missing")
        if int(length) > MOST_BYTES:
            raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the question is too long")
        try:
            body = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "the question is no JSON") from None
        if not isinstance(body, dict):
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "a question is an object")
        return body

    def _send(self, status: HTTPStatus, document: dict[str, Any]) -> None:
        self._write(status, "application/json", json.dumps(document).encode())

    def _write(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged: the address has the token in it."""


def _result(
    question: Callable[[dict[str, Any]], dict[str, Any]], body: dict[str, Any]
) -> tuple[HTTPStatus, dict[str, Any]]:
    """The answer to a question; whatever happens, it is one that can be shown."""
    try:
        return HTTPStatus.OK, question(body)
    except BusyError:
        return HTTPStatus.CONFLICT, {"error": "a check is running already"}
    except WalkError as wrong:
        return HTTPStatus.BAD_REQUEST, {"error": str(wrong)}
    except InputError as wrong:
        return HTTPStatus.UNPROCESSABLE_ENTITY, {"error": wrong.render()}
    except LimitReached as limit:
        return HTTPStatus.SERVICE_UNAVAILABLE, {"error": reason_text(limit.reason)}
    except MemoryError:
        return HTTPStatus.SERVICE_UNAVAILABLE, {"error": reason_text("memory")}
    except BaseException as failure:
        # Also what the native core raises in a panic, which is no `Exception`.
        told = f"internal error: {type(failure).__name__}: {failure}"
        return HTTPStatus.INTERNAL_SERVER_ERROR, {"error": told}


__all__ = ["Explorer"]
