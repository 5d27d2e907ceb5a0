"""The binary fuse filter: "no" for certain, or "maybe" with one error in 256."""

import struct

_HEADER = struct.Struct("<8sQIII4s")
_MAGIC = b"PRBF\x01\0\0\0"
_MAX_SEGMENT_LENGTH = 262_144
_MASK_64 = (1 << 64) - 1


class FormatError(ValueError):
    """The bytes are not what they should be."""


class Filter:
    """A filter over fingerprints.

    >>> may_be_registered = fingerprint in Filter(data)
    """

    def __init__(self, data: bytes):
        if len(data) < _HEADER.size or not data.startswith(_MAGIC):
            raise FormatError("not a filter of a known version")
        header: tuple[bytes, int, int, int, int, bytes] = _HEADER.unpack_from(data)
        _, self._seed, length, segment_count, self.count, reserved = header
        if length.bit_count() != 1 or length > _MAX_SEGMENT_LENGTH or segment_count == 0:
            raise FormatError("the filter has impossible sizes")
        size = (segment_count + 2) * length
        if len(data) - _HEADER.size != size or self.count > size or reserved != b"\0\0\0\0":
            raise FormatError("the filter does not have the size that its header states")
        self._segment_length = length
        self._range = segment_count * length
        self._data = data

    def __contains__(self, fingerprint: bytes) -> bool:
        """False: certainly not registered. True: maybe."""
        if self.count == 0:
            return False
        # MurmurHash3's finalizer of the first 8 bytes and the seed.
        value = (int.from_bytes(fingerprint[:8], "big") + self._seed) & _MASK_64
        value ^= value >> 33
        value = value * 0xFF51AFD7ED558CCD & _MASK_64
        value ^= value >> 33
        value = value * 0xC4CEB9FE1A85EC53 & _MASK_64
        value ^= value >> 33
        length = self._segment_length
        mask = length - 1
        first = value * self._range >> 64
        second = (first + length) ^ (value >> 18 & mask)
        third = (first + 2 * length) ^ (value & mask)
        data = self._data
        # 32 bytes of header come first.
        return data[first + 32] ^ data[second + 32] ^ data[third + 32] == (value ^ value >> 32) & 0xFF
