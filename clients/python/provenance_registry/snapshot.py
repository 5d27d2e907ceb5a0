"""Pieces of the snapshot: fingerprints in ascending order with the AI preferences of their Artifacts."""

import json
import struct
from typing import Any, Dict, Iterator, Optional, Tuple

from .filter import FormatError

AI_USES = ("data_mining", "ai_inference", "ai_training", "ai_generative_training")
_PERMISSIONS = (None, "allowed", "notAllowed", "constrained")

_HEADER = struct.Struct("<8sII")
_MAGIC = b"PRSP\x01\0\0\0"
_RECORD_BYTES = 33

#: For each use None (not specified), or a dictionary with `use` and, if constrained, `constraint`.
Preferences = Dict[str, Optional[Dict[str, str]]]


class Piece:
    """One piece of the snapshot."""

    def __init__(self, data: bytes):
        if len(data) < _HEADER.size:
            raise FormatError("not a piece of a known version")
        magic, self.count, text_bytes = _HEADER.unpack_from(data)
        if magic != _MAGIC:
            raise FormatError("not a piece of a known version")
        text_start = _HEADER.size + self.count * _RECORD_BYTES
        if text_start + text_bytes != len(data):
            raise FormatError("the piece does not have the size that its header states")
        self._data = data
        for index in range(1, self.count):
            if self._fingerprint(index - 1) >= self._fingerprint(index):
                raise FormatError("records are not in order")
        self._constraints = _parse_constraints(data[text_start:])

    def _fingerprint(self, index: int) -> bytes:
        start = _HEADER.size + index * _RECORD_BYTES
        return self._data[start : start + 32]

    def _preferences(self, index: int) -> Preferences:
        byte = self._data[_HEADER.size + index * _RECORD_BYTES + 32]
        texts = self._constraints.get(str(index), {})
        preferences: Preferences = {}
        for position, name in enumerate(AI_USES):
            use = _PERMISSIONS[byte >> 2 * position & 3]
            preferences[name] = None if use is None else {"use": use}
            if use == "constrained" and name in texts:
                preferences[name] = {"use": use, "constraint": texts[name]}
        return preferences

    def find(self, fingerprint: bytes) -> Optional[Preferences]:
        """The preferences of a fingerprint; None if it is not in this piece."""
        low, high = 0, self.count
        while low < high:
            middle = (low + high) // 2
            found = self._fingerprint(middle)
            if found == fingerprint:
                return self._preferences(middle)
            if found < fingerprint:
                low = middle + 1
            else:
                high = middle
        return None

    def __iter__(self) -> Iterator[Tuple[bytes, Preferences]]:
        for index in range(self.count):
            yield self._fingerprint(index), self._preferences(index)


def _parse_constraints(data: bytes) -> Dict[str, Dict[str, str]]:
    if not data:
        return {}
    try:
        constraints: Any = json.loads(data.decode("utf-8"))
    except ValueError as error:
        raise FormatError("the texts of the piece cannot be read") from error
    is_valid = isinstance(constraints, dict) and all(
        isinstance(texts, dict) and all(isinstance(text, str) for text in texts.values())
        for texts in constraints.values()
    )
    if not is_valid:
        raise FormatError("the texts of the piece cannot be read")
    return dict(constraints)
