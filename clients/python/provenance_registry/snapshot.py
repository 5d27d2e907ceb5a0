"""Pieces of the snapshot: fingerprints in ascending order with the AI preferences of their Artifacts."""

import bisect
import json
import struct
from typing import Any, Iterator

from .filter import FormatError

AI_USES = ("data_mining", "ai_inference", "ai_training", "ai_generative_training")
#: By their codes.
PERMISSIONS = (None, "allowed", "notAllowed", "constrained")

_HEADER = struct.Struct("<8sII")
_MAGIC = b"PRSP\x01\0\0\0"
_RECORD_BYTES = 33

#: For each use None (not specified), or a dictionary with `use` and, if constrained, `constraint`.
Preferences = dict[str, dict[str, str] | None]


class Piece:
    """One piece of the snapshot."""

    def __init__(self, data: bytes):
        if len(data) < _HEADER.size or not data.startswith(_MAGIC):
            raise FormatError("not a piece of a known version")
        header: tuple[bytes, int, int] = _HEADER.unpack_from(data)
        _, self.count, text_bytes = header
        end = _HEADER.size + self.count * _RECORD_BYTES
        if end + text_bytes != len(data):
            raise FormatError("the piece does not have the size that its header states")
        records = [data[start : start + _RECORD_BYTES] for start in range(_HEADER.size, end, _RECORD_BYTES)]
        self._fingerprints = [record[:32] for record in records]
        self._permissions = bytes(record[32] for record in records)
        if any(one >= other for one, other in zip(self._fingerprints, self._fingerprints[1:])):
            raise FormatError("records are not in order")
        self._constraints = _parse_constraints(data[end:])

    def _preferences(self, index: int) -> Preferences:
        texts = self._constraints.get(str(index), {})
        preferences: Preferences = {}
        for position, name in enumerate(AI_USES):
            use = PERMISSIONS[self._permissions[index] >> 2 * position & 3]
            preferences[name] = None if use is None else {"use": use}
            if use == "constrained" and name in texts:
                preferences[name] = {"use": use, "constraint": texts[name]}
        return preferences

    def find(self, fingerprint: bytes) -> Preferences | None:
        """The preferences of a fingerprint; None if it is not in this piece."""
        index = bisect.bisect_left(self._fingerprints, fingerprint)
        return self._preferences(index) if self._fingerprints[index : index + 1] == [fingerprint] else None

    def __iter__(self) -> Iterator[tuple[bytes, Preferences]]:
        return ((fingerprint, self._preferences(index)) for index, fingerprint in enumerate(self._fingerprints))


def _parse_constraints(data: bytes) -> dict[str, dict[str, str]]:
    try:
        constraints: Any = json.loads(data.decode("utf-8")) if data else {}
        if all(isinstance(text, str) for texts in constraints.values() for text in texts.values()):
            return dict(constraints)
    except (ValueError, AttributeError) as error:
        raise FormatError("the texts of the piece cannot be read") from error
    raise FormatError("the texts of the piece cannot be read")
