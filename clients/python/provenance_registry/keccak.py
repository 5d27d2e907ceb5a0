"""keccak-256, the hash of Ethereum. SHA3-256 of `hashlib` pads in another way, and is another hash."""

from __future__ import annotations

from typing import List

_RATE_BYTES = 136
_MASK = (1 << 64) - 1


def _round_constants() -> List[int]:
    """By the linear-feedback shift register of the specification."""
    constants = []
    register = 1
    for _ in range(24):
        constant = 0
        for exponent in range(7):
            if register & 1:
                constant |= 1 << ((1 << exponent) - 1)
            register <<= 1
            if register & 0x100:
                register ^= 0x171
        constants.append(constant)
    return constants


_CONSTANTS = _round_constants()
#: For the step that rotates and moves lanes: where each goes from the previous one, and by how many bits.
_LANES = [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1]
_ROTATIONS = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44]


def _rotate(value: int, bits: int) -> int:
    return (value << bits | value >> (64 - bits)) & _MASK


def _permute(lanes: List[int]) -> None:
    for constant in _CONSTANTS:
        columns = [lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] for x in range(5)]
        for x in range(5):
            change = columns[x - 1] ^ _rotate(columns[(x + 1) % 5], 1)
            for y in range(0, 25, 5):
                lanes[x + y] ^= change
        moving = lanes[1]
        for lane, bits in zip(_LANES, _ROTATIONS):
            lanes[lane], moving = _rotate(moving, bits), lanes[lane]
        for y in range(0, 25, 5):
            row = lanes[y : y + 5]
            for x in range(5):
                lanes[y + x] = row[x] ^ (~row[(x + 1) % 5] & _MASK & row[(x + 2) % 5])
        lanes[0] ^= constant


def keccak256(data: bytes) -> bytes:
    """The hash, of 32 bytes."""
    padded = bytearray(data)
    padded.append(0x01)
    padded.extend(bytes(-len(padded) % _RATE_BYTES))
    padded[-1] |= 0x80
    lanes = [0] * 25
    for start in range(0, len(padded), _RATE_BYTES):
        for index in range(_RATE_BYTES // 8):
            position = start + 8 * index
            lanes[index] ^= int.from_bytes(padded[position : position + 8], "little")
        _permute(lanes)
    return b"".join(lane.to_bytes(8, "little") for lane in lanes[:4])
