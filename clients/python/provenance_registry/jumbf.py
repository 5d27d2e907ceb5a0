"""The boxes of a manifest store (JUMBF, ISO 19566-5)."""

from __future__ import annotations

from typing import NamedTuple

_MAX_DEPTH = 8
_MAX_BOXES = 10_000
#: Flags of descriptions. The box can be referred to, and has a label.
_LABELED, _HAS_ID, _HAS_HASH, _HAS_PRIVATE_BOX = 0x03, 0x04, 0x08, 0x10


class JumbfError(ValueError):
    """The bytes are not such boxes."""


class Box(NamedTuple):
    """A superbox: a label, and content boxes or further superboxes."""

    label: str
    #: The type of its content: 16 bytes.
    type: bytes
    #: All bytes behind its own header, which hashed URIs cover.
    content: bytes
    #: The type and the payload of each content box.
    payloads: list[tuple[bytes, bytes]]
    boxes: list[Box]
    #: Whether its description has nothing but type and label. No signature covers the rest of that of a claim.
    is_plain: bool

    def find(self, label: str) -> Box | None:
        """The box of this label; None also if there is more than one, which is then not the one that was meant."""
        found = [box for box in self.boxes if box.label == label]
        return found[0] if len(found) == 1 else None

    def payload(self, kind: bytes) -> bytes:
        """The payload of its only content box, which must be of this type."""
        if [name for name, _ in self.payloads] != [kind] or self.boxes or not self.is_plain:
            raise JumbfError(f"{self.label} does not have one box of the expected type")
        return self.payloads[0][1]

    def require_collection(self) -> None:
        """:raises JumbfError: It has something else than superboxes."""
        if self.payloads or not self.is_plain:
            raise JumbfError(f"{self.label} has additional content")


def parse_store(data: bytes) -> Box:
    """The manifest store. Nothing may follow it."""
    if data[4:8] != b"jumb" or int.from_bytes(data[:4], "big") != len(data):
        raise JumbfError("not a manifest store")
    return _parse_superbox(data[8:], 0, [0])


def _parse_superbox(content: bytes, depth: int, counter: list[int]) -> Box:
    counter[0] += 1
    if depth > _MAX_DEPTH or counter[0] > _MAX_BOXES:
        raise JumbfError("too many boxes")
    (kind, description), *parts = _split(content) or [(b"", b"")]
    # Type, flags, label; then what the flags announce: an id, a hash, and a private box.
    end = description.find(b"\0", 17)
    if kind != b"jumd" or end < 0 or description[16] & _LABELED != _LABELED:
        raise JumbfError("a box has no description with a label")
    rest = len(description) - end - 1 - (4 if description[16] & _HAS_ID else 0) - (32 if description[16] & _HAS_HASH else 0)
    if rest < 0 or bool(rest) != bool(description[16] & _HAS_PRIVATE_BOX):
        raise JumbfError("a description has something else than it announces")
    payloads = [(name, payload) for name, payload in parts if name != b"jumb"]
    boxes = [_parse_superbox(payload, depth + 1, counter) for name, payload in parts if name == b"jumb"]
    return Box(description[17:end].decode("utf-8"), description[:16], content, payloads, boxes, description[16] == _LABELED)


def _split(data: bytes) -> list[tuple[bytes, bytes]]:
    parts, start = [], 0
    while start < len(data):
        size = int.from_bytes(data[start : start + 4], "big")
        # 0 (to the end) and 1 (64 bits) are not used in manifests.
        if start + 8 > len(data) or size < 8 or start + size > len(data):
            raise JumbfError("a box does not have the size that it states")
        parts.append((data[start + 4 : start + 8], data[start + 8 : start + size]))
        start += size
    return parts
