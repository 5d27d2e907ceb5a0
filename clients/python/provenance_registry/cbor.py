"""Decodes and encodes the part of CBOR (RFC 8949) that C2PA manifests have: definite lengths, no undefined values."""

from __future__ import annotations

import struct
from typing import Any, Dict, List, NamedTuple, Tuple

_MAX_DEPTH = 32


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


def _decode(data: bytes, start: int, depth: int) -> Tuple[Any, int]:
    if start >= len(data) or depth > _MAX_DEPTH:
        raise CborError("the value is not complete, or nested too deeply")
    major, info = data[start] >> 5, data[start] & 0x1F
    if major == 7:
        return _decode_simple(data, start, info)
    number, start = _decode_number(data, start, info)
    if major == 0:
        return number, start
    if major == 1:
        return -1 - number, start
    if major in (2, 3):
        end = start + number
        if end > len(data):
            raise CborError("the value is not complete")
        content = data[start:end]
        return (content if major == 2 else _decode_text(content)), end
    if major == 6:
        value, end = _decode(data, start, depth + 1)
        return Tagged(number, value), end
    return _decode_items(data, start, number, depth, is_map=major == 5)


def _decode_number(data: bytes, start: int, info: int) -> Tuple[int, int]:
    if info < 24:
        return info, start + 1
    size = {24: 1, 25: 2, 26: 4, 27: 8}.get(info)
    if size is None or start + 1 + size > len(data):
        raise CborError("a length is not definite, or not complete")
    return int.from_bytes(data[start + 1 : start + 1 + size], "big"), start + 1 + size


def _decode_simple(data: bytes, start: int, info: int) -> Tuple[Any, int]:
    if info in (20, 21, 22):
        return {20: False, 21: True, 22: None}[info], start + 1
    form = {25: ">e", 26: ">f", 27: ">d"}.get(info)
    if form is None or start + 1 + struct.calcsize(form) > len(data):
        raise CborError("a simple value is not understood")
    return struct.unpack_from(form, data, start + 1)[0], start + 1 + struct.calcsize(form)


def _decode_text(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CborError("a text is not UTF-8") from error


def _decode_items(data: bytes, start: int, count: int, depth: int, is_map: bool) -> Tuple[Any, int]:
    items: List[Any] = []
    for _ in range(2 * count if is_map else count):
        item, start = _decode(data, start, depth + 1)
        items.append(item)
    if not is_map:
        return items, start
    members: Dict[Any, Any] = {}
    for name, value in zip(items[::2], items[1::2]):
        if not isinstance(name, (str, int)) or name in members:
            raise CborError("a name is not a text or a number, or there twice")
        members[name] = value
    return members, start


def encode_bytes(data: bytes) -> bytes:
    return _encode_head(2, len(data)) + data


def encode_text(text: str) -> bytes:
    content = text.encode("utf-8")
    return _encode_head(3, len(content)) + content


def encode_list(*encoded: bytes) -> bytes:
    return _encode_head(4, len(encoded)) + b"".join(encoded)


def _encode_head(major: int, number: int) -> bytes:
    if number < 24:
        return bytes([major << 5 | number])
    for info, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if number < 1 << 8 * size:
            return bytes([major << 5 | info]) + number.to_bytes(size, "big")
    raise CborError("a length is too large")
