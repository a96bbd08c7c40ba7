"""The server of the explorer: who is served, who is not, and what a browser gets to see."""

import http.client
import json
import re
import socket
import threading
from collections.abc import Iterator

import pytest
from tests.report.hostile_names import NAMES, hostile
from tests.report.test_html import check_contained

from plait.app.server import MOST_BYTES, Explorer
from plait.app.session import CARD, SESSION, Session

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def explorer() -> Iterator[Explorer]:
    with Explorer(Session(hostile().model)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


class Client:
    """Asks one server."""

    def __init__(self, server: Explorer) -> None:
        self.server = server

    def __call__(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, str, dict[str, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=30)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.read().decode(), dict(response.headers)
        finally:
            connection.close()

    def ask(self, question: str, body: object) -> tuple[int, dict[str, object]]:
        path = f"/{self.server.token}/{question}"
        status, text, _ = self("POST", path, json.dumps(body).encode(), JSON)
        found: dict[str, object] = json.loads(text)
        return status, found


@pytest.fixture
def client(explorer: Explorer) -> Client:
    return Client(explorer)


def test_the_page_needs_the_token(client: Client) -> None:
    token = client.server.token
    assert len(token) >= 32
    status, text, headers = client("GET", f"/{token}/")
    assert status == 200
    page = check_contained(text)
    assert page.data(SESSION)["model"] == NAMES[0]
    assert "connect-src 'self'" in text
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Frame-Options"] == "DENY"
    for path in ("/", f"/{token}", f"/{token[:-1]}/", f"/{token}x/", "/x/", "//", "/%20/"):
        assert client("GET", path)[0] == 403, path
        assert client("POST", path + "here", b"{}", JSON)[0] == 403 or path == f"/{token}"


def test_there_is_nothing_else_to_get(client: Client) -> None:
    token = client.server.token
    for path in ("..", "../../etc/passwd", "%2e%2e/", "here", "page.css", "../", "?x", "stop"):
        status, text, _ = client("GET", f"/{token}/{path}")
        assert status in (403, 404)
        assert "root:" not in text
    assert client.ask("nothing", {})[0] == 404
    assert client("PUT", f"/{token}/")[0] == 501


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", "0.0.0.0:{port}"],
)
def test_another_host_is_refused(client: Client, host: str) -> None:
    path = f"/{client.server.token}/"
    named = host.format(port=client.server.server_port)
    assert client("GET", path, headers={"Host": named})[0] == 421
    assert client("POST", path + "here", b"{}", {**JSON, "Host": named})[0] == 421


def test_our_own_names_are_known(client: Client) -> None:
    for name in ("127.0.0.1", "localhost", "LOCALHOST"):
        host = f"{name}:{client.server.server_port}"
        assert client("GET", f"/{client.server.token}/", headers={"Host": host})[0] == 200


def test_another_page_cannot_ask(client: Client) -> None:
    path = f"/{client.server.token}/here"
    body = b'{"path": []}'
    for origin in ("http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"):
        assert client("POST", path, body, {**JSON, "Origin": origin})[0] == 403
    ours = f"http://127.0.0.1:{client.server.server_port}"
    assert client("POST", path, body, {**JSON, "Origin": ours})[0] == 200
    assert client("POST", path, body, {"Content-Type": "text/plain"})[0] == 415
    assert client("POST", path, body)[0] == 415


def test_only_this_machine_is_served(explorer: Explorer) -> None:
    assert explorer.server_address[0] == "127.0.0.1"
    assert explorer.url == f"http://127.0.0.1:{explorer.server_port}/{explorer.token}/"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b"\xff\xfe", 400),
        (b"[" * 200_000, 400),
        (b"{}", 400),
        (b'{"path": 3}', 400),
        (b'{"path": [3]}', 400),
        (b'{"path": [["x", 0]]}', 400),
        (b'{"path": [["x", -1]]}', 400),
        (b'{"path": [["x", true]]}', 400),
        (b'{"path": [["x", 1e99]]}', 400),
        (b'{"path": [[null, 0]]}', 400),
        (b'{"path": [], "words": {}}', 400),
    ],
)
def test_a_bad_question_is_told(client: Client, body: bytes, status: int) -> None:
    found, text, _ = client("POST", f"/{client.server.token}/here", body, JSON)
    assert found == status
    assert isinstance(json.loads(text)["error"], str)


def test_lengths_are_checked_before_anything_is_read(client: Client) -> None:
    path = f"/{client.server.token}/here"
    assert client("POST", path, b"", {**JSON, "Content-Length": str(MOST_BYTES + 1)})[0] == 413
    assert client("POST", path, b"", {**JSON, "Content-Length": "-1"})[0] == 411
    assert client("POST", path, b"", {**JSON, "Content-Length": "9" * 40})[0] == 411


def test_a_line_that_is_no_request_ends_the_connection_only(client: Client) -> None:
    for line in (b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"A" * 70_000):
        with socket.create_connection(("127.0.0.1", client.server.server_port), 10) as raw:
            raw.sendall(line)
            raw.shutdown(socket.SHUT_WR)
            while raw.recv(4096):
                pass
    assert client.ask("here", {"path": []})[0] == 200


def test_a_walk_over_hostile_names(client: Client) -> None:
    path = []
    for name in NAMES:
        status, here = client.ask("here", {"path": path})
        assert status == 200
        (option,) = here["enabled"]  # type: ignore[misc]
        assert option["event"] == f"{name} event"
        path.append([option["event"], option["number"]])
    status, document = client.ask("walk", {"path": path})
    assert status == 200
    assert len(document["steps"]) == len(NAMES)  # type: ignore[arg-type]
    assert client.ask("around", {"path": path})[0] == 200


def test_properties_are_asked_and_wrong_formulas_told(client: Client) -> None:
    status, found = client.ask("check", {"question": NAMES[2]})
    assert status == 200
    assert found["result"]["verdict"] == "false"  # type: ignore[index]
    status, loaded = client.ask("load", {"number": found["number"]})
    assert status == 200
    assert len(loaded["path"]) == len(NAMES)  # type: ignore[arg-type]
    status, wrong = client.ask("check", {"question": "EF ("})
    assert status == 422
    assert "expected a formula" in str(wrong["error"])
    assert client.ask("check", {"question": " "})[0] == 422
    assert client.ask("check", {"question": "deadlock", "seconds": -1})[0] == 400


def test_one_check_at_a_time(client: Client) -> None:
    lock = client.server.session._checking
    with lock:
        status, told = client.ask("check", {"question": "deadlock"})
    assert status == 409
    assert told == {"error": "a check is running already"}


def test_an_internal_error_is_an_answer(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: object) -> None:
        raise ZeroDivisionError("<b>no</b>")

    monkeypatch.setattr(client.server.session.walk, "states", fail)
    status, told = client.ask("here", {"path": []})
    assert status == 500
    assert told == {"error": "internal error: ZeroDivisionError: <b>no</b>"}


def test_names_are_data_in_the_page(client: Client) -> None:
    text = client("GET", f"/{client.server.token}/")[1]
    blocks = re.findall(r'json" id="[^"]*">(.*?)</script>', text)
    assert len(blocks) == 2
    assert all(b.isascii() and not set("<>&") & set(b) for b in blocks)
    card = check_contained(text).data(CARD)
    assert [p["name"] for p in card["processes"]] == [NAMES[1]]


def test_the_page_can_end_the_server() -> None:
    with Explorer(Session(hostile().model)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        assert Client(server).ask("stop", {}) == (200, {})
        thread.join(30)
        assert not thread.is_alive()
