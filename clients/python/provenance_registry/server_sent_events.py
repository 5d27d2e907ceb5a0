"""Reads a stream of server-sent events."""

from __future__ import annotations

from typing import Iterator, List, NamedTuple, Optional

from .errors import InvalidResponseError

#: An event has one JSON object.
_MAX_LINE_BYTES = 1 << 20
_MAX_EVENT_LINES = 10_000


class ServerSentEvent(NamedTuple):
    """One event of a stream."""

    #: Pass it as `last_event_id` to go on after this event.
    id: Optional[str]
    type: str
    #: JSON, for the events of a registry; None when only `id` or `retry` were sent.
    data: Optional[str]
    #: In seconds: how long to wait before the connection is made again.
    retry: Optional[float] = None


def parse_events(pieces: Iterator[bytes]) -> Iterator[ServerSentEvent]:
    """The events in a body while it arrives; what follows the last empty line is not an event."""
    event = _Event()
    for line in _lines(pieces):
        if line == "":
            if event.has_content:
                yield event.finish()
            event = _Event()
        else:
            event.add(line)


class _Event:
    def __init__(self) -> None:
        self._id: Optional[str] = None
        self._type = "message"
        self._data: List[str] = []
        self._retry: Optional[float] = None

    @property
    def has_content(self) -> bool:
        return bool(self._data) or self._id is not None or self._retry is not None

    def add(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self._data.append(value)
            if len(self._data) > _MAX_EVENT_LINES:
                raise InvalidResponseError("an event is too long")
        elif name == "event":
            self._type = value
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and value.isascii() and value.isdigit() and len(value) < 8:
            self._retry = int(value) / 1000

    def finish(self) -> ServerSentEvent:
        data = "\n".join(self._data) if self._data else None
        return ServerSentEvent(self._id, self._type, data, self._retry)


def _lines(pieces: Iterator[bytes]) -> Iterator[str]:
    """Lines end with a line feed, a carriage return, or both."""
    rest = b""
    after_return = False
    for piece in pieces:
        if after_return and piece.startswith(b"\n"):
            piece = piece[1:]
        after_return = piece.endswith(b"\r")
        *whole, rest = (rest + piece).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        if len(rest) > _MAX_LINE_BYTES:
            raise InvalidResponseError("a line of the stream is too long")
        for line in whole:
            yield line.decode("utf-8", errors="replace")
