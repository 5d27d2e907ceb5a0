"""JSON as JavaScript reads it, and the hash of its canonical form (RFC 8785)."""

from __future__ import annotations

import json
from typing import Any

import rfc8785
from Crypto.Hash import keccak

_MAX_SAFE_INTEGER = 2**53 - 1


def parse_json(text: str) -> Any:
    """Numbers are whole where they are in JavaScript, and have its precision. :raises ValueError: It is not JSON."""
    try:
        return json.loads(text, parse_int=_parse_number, parse_float=_parse_number, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def _parse_number(text: str) -> int | float:
    value = float(text)
    return int(value) if value.is_integer() and abs(value) <= _MAX_SAFE_INTEGER else value


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
