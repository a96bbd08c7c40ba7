"""Messages: a header that says how many bytes follow, and JSON.

(JSON-RPC 2.0, in the framing of the Language Server Protocol.) What is no message is told as a
`WrongMessageError` and passed over: reading goes on at the next header that makes sense.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import IO, TypeVar

from plait.hints import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
REQUEST_CANCELLED = -32800
MOST_BYTES = 64 * 2**20
"""Of a message; a longer one is passed over."""
LONGEST_LINE = 2**16
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*([0-9]{1,15})[ \t]*\r?\n", re.IGNORECASE)
_OTHER = re.compile(rb"[A-Za-z][A-Za-z-]*[ \t]*:[^\n]*\n")

Message = dict[str, Any]
T = TypeVar("T")


class WrongMessageError(Exception):
    """A message that cannot be answered as it was meant; `code` is that of the error."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def messages(stream: IO[bytes]) -> Iterator[Message | WrongMessageError]:
    """The messages of a stream until its end, and what is wrong where one is not."""
    while True:
        length, clean = _header(stream)
        if not clean:
            yield WrongMessageError(PARSE_ERROR, "this is no header of a message")
        if length is None:
            return
        if length > MOST_BYTES:
            if not _passed_over(stream, length):
                return
            yield WrongMessageError(INVALID_REQUEST, f"a message of {length} bytes is too long")
            continue
        content = stream.read(length)
        if len(content) < length:
            return
        yield _message(content)


def _header(stream: IO[bytes]) -> tuple[int | None, bool]:
    """The length of the next message, none at the end; and whether nothing else was there."""
    length, clean = None, True
    while line := stream.readline(LONGEST_LINE):
        if line in (b"\n", b"\r\n"):
            if length is not None:
                return length, clean
            clean = False
        elif found := _LENGTH.search(line):
            # What stands before it was left over from a message with a wrong length.
            clean = clean and length is None and found.start() == 0
            length = int(found[1])
        elif not _OTHER.fullmatch(line):
            clean = False
    return None, clean


def _passed_over(stream: IO[bytes], length: int) -> bool:
    """Whether so many bytes were there to be read."""
    while length > 0:
        part = stream.read(min(length, 2**16))
        if not part:
            return False
        length -= len(part)
    return True


def _message(content: bytes) -> Message | WrongMessageError:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return WrongMessageError(PARSE_ERROR, "the message is no JSON")
    if not isinstance(found, dict):
        return WrongMessageError(INVALID_REQUEST, "a message is an object")
    return found


def write(stream: IO[bytes], message: Message) -> None:
    """Write a message, all of it."""
    # Escaped, since half a character, which a text may have, cannot be written otherwise.
    content = json.dumps(message, separators=(",", ":")).encode("ascii")
    stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(content), content))
    stream.flush()


def member(params: object, kind: type[T], *names: str) -> T:
    """What stands in an object under these names, which must be of a kind."""
    for name in names:
        if not isinstance(params, dict) or name not in params:
            raise WrongMessageError(INVALID_PARAMS, f"'{'.'.join(names)}' is missing")
        params = params[name]
    if not isinstance(params, kind) or (isinstance(params, bool) and kind is not bool):
        raise WrongMessageError(INVALID_PARAMS, f"'{'.'.join(names)}' is no {kind.__name__}")
    return params


__all__ = ["Message", "WrongMessageError", "member", "messages", "write"]
