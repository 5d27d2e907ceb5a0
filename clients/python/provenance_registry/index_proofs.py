"""Proofs of the index of a public log: which leaf a fingerprint has, or that it has none."""

from __future__ import annotations

import hashlib
from typing import NamedTuple, Sequence

_HASH_BYTES = 32
#: A fingerprint, and the index of its leaf.
_RECORD_BYTES = 40
#: Sixteen buckets: those of four hexadecimal digits in an index of 20 bits.
_PREFIX_HEIGHT = 4
_MAX_NUMBER = 2**53 - 1


class IndexProofError(ValueError):
    """The proof does not prove what it should."""


class IndexHead(NamedTuple):
    """What an ``index`` leaf says."""

    #: The leaves of the log that the index covers: those before this one.
    size: int
    root: bytes
    #: Of a fingerprint: the number of its bucket.
    bits: int


def find_proven_leaf(fingerprint: bytes, records: bytes, siblings: Sequence[bytes], head: IndexHead) -> int | None:
    """The leaf of a fingerprint by the index with that head; None if the fingerprint is proven to have none.

    :param records: Those of its bucket, or of sixteen buckets, so that a client does not tell its file.
    :raises IndexProofError: The proof is not one of that index, or says nothing about the fingerprint.
    """
    height = head.bits - len(siblings)
    if len(fingerprint) != _HASH_BYTES or height not in (0, _PREFIX_HEIGHT) or len(records) % _RECORD_BYTES:
        raise IndexProofError("it does not have its form")
    split = [records[start : start + _RECORD_BYTES] for start in range(0, len(records), _RECORD_BYTES)]
    if any(one[:_HASH_BYTES] >= other[:_HASH_BYTES] for one, other in zip(split, split[1:])):
        raise IndexProofError("its records are not in order")
    prefix = _bucket_of(fingerprint, len(siblings))
    node = _hash_buckets(split, prefix << height, height, head.bits)
    for level, sibling in enumerate(siblings):
        if len(sibling) != _HASH_BYTES:
            raise IndexProofError("it has something else than a hash")
        node = _hash_node(sibling, node) if prefix >> level & 1 else _hash_node(node, sibling)
    if node != head.root:
        raise IndexProofError("it does not lead to the root of the index")
    found = next((record for record in split if record[:_HASH_BYTES] == fingerprint), None)
    if found is None:
        return None
    leaf_index = int.from_bytes(found[_HASH_BYTES:], "big")
    if leaf_index > _MAX_NUMBER or leaf_index >= head.size:
        raise IndexProofError("the index names a leaf that it does not cover")
    return leaf_index


def _hash_buckets(records: Sequence[bytes], first: int, height: int, bits: int) -> bytes:
    """The root of 2^``height`` buckets, the first of which has the number ``first``."""
    buckets = [b""] * (1 << height)
    for record in records:
        place = _bucket_of(record, bits) - first
        if not 0 <= place < len(buckets):
            raise IndexProofError("it has records of other buckets")
        buckets[place] += record
    nodes = [hashlib.sha256(b"\0" + bucket).digest() for bucket in buckets]
    while len(nodes) > 1:
        nodes = [_hash_node(left, right) for left, right in zip(nodes[::2], nodes[1::2])]
    return nodes[0]


def _bucket_of(fingerprint: bytes, bits: int) -> int:
    return int.from_bytes(fingerprint[:_HASH_BYTES], "big") >> (8 * _HASH_BYTES - bits)


def _hash_node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()
