"""JSON as JavaScript reads it, and the hash of its canonical form (RFC 8785)."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import rfc8785
from Crypto.Hash import keccak

_MAX_SAFE_INTEGER = 2**53 - 1
#: Of arrays and objects within each other.
_MAX_DEPTH = 64
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_json(text: str) -> Any:
    """JSON that all languages read alike (RFC 7493). Numbers are whole where they are in JavaScript, and have its precision.

    :raises ValueError: It is not such JSON.
    """
    try:
        value = json.loads(text, parse_int=_parse_number, parse_float=_parse_number, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error
    _require_interoperable(value, _MAX_DEPTH)
    return value


def _parse_number(text: str) -> int | float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number is too large")
    return int(value) if value.is_integer() and abs(value) <= _MAX_SAFE_INTEGER else value


def _require_interoperable(value: Any, depth: int) -> None:
    if isinstance(value, str) and _SURROGATE.search(value):
        raise ValueError("a text is not valid Unicode")
    if isinstance(value, (list, dict)):
        if depth == 0:
            raise ValueError("the JSON is nested too deeply")
        for member in (*value.keys(), *value.values()) if isinstance(value, dict) else value:
            _require_interoperable(member, depth - 1)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def hash_json(value: Any) -> str | None:
    """The keccak-256 of the canonical form; None if there is no such form."""
    try:
        return f"0x{keccak256(rfc8785.dumps(value)).hex()}"
    except rfc8785.CanonicalizationError:
        return None


def keccak256(data: bytes) -> bytes:
    """The hash of Ethereum. SHA3-256 of `hashlib` pads in another way, and is another hash."""
    return keccak.new(digest_bits=256, data=data).digest()
