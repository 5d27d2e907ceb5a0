"""Reads a stream of server-sent events."""

from __future__ import annotations

from typing import Iterator, NamedTuple

from .errors import InvalidResponseError

#: An event has one JSON object.
_MAX_EVENT_BYTES = 1 << 20
_MIN_PAUSE_SECONDS, _MAX_PAUSE_SECONDS = 0.1, 30.0


class ServerSentEvent(NamedTuple):
    """One event of a stream."""

    #: Pass it as `last_event_id` to go on after this event.
    id: str | None
    type: str
    #: JSON, for the events of a registry; None when only an id was sent.
    data: str | None


class EventParser:
    """Parses a stream while it arrives. What follows the last empty line is not an event."""

    def __init__(self) -> None:
        self._rest = b""
        self._fields: dict[str, str] = {}
        #: How long to wait before the connection is made again.
        self.pause_seconds = 1.0

    def parse(self, piece: bytes) -> Iterator[ServerSentEvent]:
        """The events that the piece completes. Lines end with a line feed, a carriage return, or both."""
        pending = self._rest + piece
        # A line feed that belongs to the last carriage return may come with the next piece.
        end = len(pending) - 1 if pending.endswith(b"\r") else len(pending)
        *lines, rest = pending[:end].replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest = rest + pending[end:]
        if len(self._rest) + len(self._fields.get("data", "")) > _MAX_EVENT_BYTES:
            raise InvalidResponseError("an event of the stream is too long")
        for line in lines:
            if line:
                self._add(line.decode("utf-8", errors="replace"))
                continue
            fields, self._fields = self._fields, {}
            if "data" in fields or "id" in fields:
                yield ServerSentEvent(fields.get("id"), fields.get("event", "message"), fields.get("data"))

    def _add(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "retry" and value.isascii() and value.isdigit() and len(value) < 8:
            self.pause_seconds = max(_MIN_PAUSE_SECONDS, min(int(value) / 1000, _MAX_PAUSE_SECONDS))
        elif name == "data" and "data" in self._fields:
            self._fields["data"] += f"\n{value}"
        elif name != "id" or "\0" not in value:
            self._fields[name] = value
