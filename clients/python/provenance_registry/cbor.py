"""Decodes the part of CBOR (RFC 8949) that C2PA manifests have: definite lengths, no undefined values, no name twice."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

_MAX_DEPTH = 32
_SIZES = {24: 1, 25: 2, 26: 4, 27: 8}
_FLOATS = {25: ">e", 26: ">f", 27: ">d"}


class CborError(ValueError):
    """The bytes are not CBOR of this kind."""


class Tagged(NamedTuple):
    """A value with a tag."""

    tag: int
    value: Any


def decode(data: bytes) -> Any:
    """The value; nothing may follow it."""
    value, end = _decode(data, 0, 0)
    if end != len(data):
        raise CborError("bytes follow the value")
    return value


def _decode(data: bytes, start: int, depth: int) -> tuple[Any, int]:
    if start >= len(data) or depth > _MAX_DEPTH:
        raise CborError("the value is not complete, or nested too deeply")
    major, info = data[start] >> 5, data[start] & 0x1F
    end = start + 1 + _SIZES.get(info, 0)
    if info > 27 or end > len(data):
        raise CborError("a length is not definite, or not complete")
    number = int.from_bytes(data[start + 1 : end], "big") if info > 23 else info
    if major == 7:
        return _decode_simple(info, data[start + 1 : end]), end
    if major < 2:
        return (-1 - number if major else number), end
    if major < 4:
        content = data[end : end + number]
        if len(content) != number:
            raise CborError("the value is not complete")
        return (_decode_text(content) if major == 3 else content), end + number
    if major == 6:
        value, end = _decode(data, end, depth + 1)
        return Tagged(number, value), end
    items: list[Any] = []
    for _ in range(2 * number if major == 5 else number):
        item, end = _decode(data, end, depth + 1)
        items.append(item)
    return (items if major == 4 else _to_map(items)), end


def _decode_simple(info: int, content: bytes) -> Any:
    if info in (20, 21, 22):
        return (False, True, None)[info - 20]
    if info not in _FLOATS:
        raise CborError("a simple value is not understood")
    return struct.unpack(_FLOATS[info], content)[0]


def _decode_text(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CborError("a text is not UTF-8") from error


def _to_map(items: list[Any]) -> dict[Any, Any]:
    names = items[::2]
    if not all(isinstance(name, (str, int, bytes)) for name in names) or len(set(names)) != len(names):
        raise CborError("a name is not a text, a number or bytes, or there twice")
    return dict(zip(names, items[1::2]))


def encode(value: str | bytes | list[Any]) -> bytes:
    """The encoding of a text, of bytes, or of a list of them."""
    major = 4 if isinstance(value, list) else 3 if isinstance(value, str) else 2
    content = value.encode("utf-8") if isinstance(value, str) else value
    size = len(content)
    info, width = next((info, width) for info, width in ((size, 0), *_SIZES.items()) if info < 24 or size < 1 << 8 * width)
    head = bytes([major << 5 | info]) + size.to_bytes(width, "big") if width else bytes([major << 5 | size])
    return head + (b"".join(map(encode, content)) if isinstance(content, list) else content)
