"""Messages out of a stream of bytes, whatever the bytes are."""

from __future__ import annotations

import io
import json
import random

import pytest

from plait.lsp import protocol
from plait.lsp.protocol import WrongMessageError, member, messages, write


def framed(content: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(content), content)


def found(content: bytes) -> list[object]:
    """The messages, and the codes of what is none."""
    read = messages(io.BytesIO(content))
    return [m.code if isinstance(m, WrongMessageError) else m for m in read]


def test_what_is_written_is_read() -> None:
    stream = io.BytesIO()
    said = [{"a": "ü😀\ud800"}, {"b": [1, None, True]}, {}]
    for message in said:
        write(stream, message)
    assert found(stream.getvalue()) == said


def test_headers_may_say_more_and_in_any_case() -> None:
    kind = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
    assert found(kind + b"content-length:2\n\n{}") == [{}]
    assert found(b"Content-Length: 2\r\n" + kind + b"\r\n{}") == [{}]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b'{"a": nope}', -32700),
        (b"\xff\xfe\xfd", -32700),
        (b"9" * 10_000, -32700),
        (b"[" * 1_000_000, -32700),
        (b"[]", -32600),
        (b'[{"jsonrpc": "2.0", "method": "exit"}]', -32600),
        (b"null", -32600),
        (b'"text"', -32600),
    ],
)
def test_what_is_no_message_is_told_and_passed_over(content: bytes, code: int) -> None:
    assert found(framed(content) + framed(b'{"next": 1}')) == [code, {"next": 1}]


@pytest.mark.parametrize(
    "junk",
    [
        b"hello\r\n",
        b"\r\n\r\n",
        b"Content-Length: many\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"{}\n{}\n",
        b'"rest of a message"}',
        b"Content-Length: 7\r\nContent-Length: 7",
        b"x" * 200_000 + b"\n",
    ],
)
def test_reading_goes_on_behind_junk(junk: bytes) -> None:
    assert found(junk + framed(b'{"next": 1}')) == [-32700, {"next": 1}]


def test_a_message_that_is_too_long_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MOST_BYTES", 1000)
    long = framed(b'"' + b"x" * 100_000 + b'"')
    assert found(long + framed(b'{"next": 1}')) == [-32600, {"next": 1}]
    assert found(long[:50_000]) == []


def test_a_stream_may_end_anywhere() -> None:
    whole = framed(b'{"a": 1}')
    for end in range(len(whole)):
        assert found(whole[:end]) in ([], [-32700])


def test_no_bytes_make_it_fail() -> None:
    chance = random.Random(5)
    pieces = [b"Content-Length: ", b"2", b"40", b"\r\n", b"\n", b"{}", b"{", b"\xff", b":", b" "]
    for _ in range(500):
        content = b"".join(chance.choice(pieces) for _ in range(chance.randrange(40)))
        for item in found(content):
            assert item in (-32700, -32600) or isinstance(item, dict)


def test_members_have_the_kind_that_is_asked_for() -> None:
    params = {"a": {"b": 1, "c": True, "d": "x"}}
    assert member(params, int, "a", "b") == 1
    assert member(params, bool, "a", "c") is True
    for kind, names in ((int, "ac"), (int, "ad"), (str, "ab"), (str, "ax"), (str, "abx")):
        with pytest.raises(WrongMessageError) as wrong:
            member(params, kind, *names)
        assert wrong.value.code == -32602
    with pytest.raises(WrongMessageError):
        member(json.loads("null"), int, "a")
