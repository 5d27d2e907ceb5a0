"""Proofs in bundles: from the hash of a block to what a transaction in it logged. Described in docs/bundles.md."""

from __future__ import annotations

from typing import NamedTuple, Sequence

from .bundle_format import Proof
from .canonical import keccak256

#: Bytes, or a list of such items.
RlpItem = bytes | list["RlpItem"]

_MIN_HEADER_FIELDS = 15
_RECEIPTS_ROOT, _NUMBER, _TIMESTAMP = 5, 8, 11
#: EIP-2718: types of transactions end below the first byte of an RLP list.
_MAX_TRANSACTION_TYPE = 0x7F
#: Nothing in a proof has lists in more than four lists.
_MAX_DEPTH = 16
_MAX_NUMBER = 2**53 - 1
#: In seconds since 1970: blocks have dates.
_YEAR_10000 = 253_402_300_800
_BINDING_TOPIC = keccak256(b"SoftBindingRegistered(bytes32,string[],string)")
_ANCHOR_TOPIC = keccak256(b"Anchored(uint64,bytes32)")
_METADATA_TOPIC = keccak256(b"ManifestRegistered(bytes32,bytes,bytes32)")


class ProofError(ValueError):
    """The proof does not prove what it should."""


class Registration(NamedTuple):
    """What follows from a proof, if the chain has its block."""

    block_hash: str
    block_number: int
    #: In seconds since 1970.
    block_time: int
    manifest_id: str
    manifest_hash: str


class AnchorBlock(NamedTuple):
    """What follows from the proof of an anchor, if the chain has its block."""

    block_hash: str
    block_number: int
    #: In seconds since 1970.
    block_time: int
    #: Of the tree that was anchored.
    root: bytes


def prove_registration(proof: Proof, fingerprint: bytes) -> Registration:
    """:raises ProofError: The proof is not valid, or of another registration."""
    block = _prove_receipt(proof)
    return Registration(*block, *_find_registration(proof.receipt, proof.contract, fingerprint))


def prove_anchor(proof: Proof, size: int) -> AnchorBlock:
    """:raises ProofError: The proof is not valid, or of another anchor."""
    block = _prove_receipt(proof)
    for address, topics, data in _list_logs(proof.receipt):
        if address == proof.contract and topics == [_ANCHOR_TOPIC, size.to_bytes(32, "big")] and len(data) == 32:
            return AnchorBlock(*block, data)
    raise ProofError("the transaction in the proof did not anchor that many leaves")


def _prove_receipt(proof: Proof) -> tuple[str, int, int]:
    """Hash, number and time of the block that has the receipt."""
    fields = _require_list(decode_rlp(proof.header))
    if len(fields) < _MIN_HEADER_FIELDS:
        raise ProofError("the proof has no block header")
    number, time = (int.from_bytes(_require_bytes(fields[index]), "big") for index in (_NUMBER, _TIMESTAMP))
    if max(number, time) > _MAX_NUMBER:
        raise ProofError("the proof has a number that is too large")
    if time >= _YEAR_10000:
        raise ProofError("the block has no date")
    if _walk(_require_bytes(fields[_RECEIPTS_ROOT], 32), proof.nodes, proof.transaction_index) != proof.receipt:
        raise ProofError("the receipt is not the one that the proof leads to")
    return f"0x{keccak256(proof.header).hex()}", number, time


def _walk(root: bytes, nodes: Sequence[bytes], index: int) -> bytes:
    """The receipt to which the nodes of the trie lead."""
    expected = root
    key = index.to_bytes((index.bit_length() + 7) // 8, "big")
    # The RLP of the index: small numbers are their own.
    path = (key if 0 < index < 0x80 else bytes([0x80 + len(key)]) + key).hex()
    for position, node in enumerate(nodes):
        if keccak256(node) != expected:
            raise ProofError("a node of the proof does not have the expected hash")
        fields = _require_list(decode_rlp(node))
        if len(fields) == 17:
            if path == "":
                raise ProofError("the proof is of another transaction")
            expected, path = _require_bytes(fields[int(path[0], 16)], 32), path[1:]
            continue
        if len(fields) != 2:
            raise ProofError("the proof has a node of an unknown kind")
        is_leaf, digits = _decode_path(_require_bytes(fields[0]).hex())
        if path != digits if is_leaf else digits == "" or not path.startswith(digits):
            raise ProofError("the proof is of another transaction")
        if is_leaf:
            if position != len(nodes) - 1:
                raise ProofError("the proof has nodes after the receipt")
            return _require_bytes(fields[1])
        expected, path = _require_bytes(fields[1], 32), path[len(digits) :]
    raise ProofError("the proof does not lead to a receipt")


def _decode_path(encoded: str) -> tuple[bool, str]:
    """Whether the node is a leaf, and its digits."""
    flag = encoded[:1]
    if flag not in ("0", "1", "2", "3") or (flag in ("0", "2") and encoded[1:2] != "0"):
        raise ProofError("the proof has a node of an unknown kind")
    return flag in ("2", "3"), encoded[1:] if flag in ("1", "3") else encoded[2:]


def _find_registration(receipt: bytes, contract: bytes, fingerprint: bytes) -> tuple[str, str]:
    """Two events make a registration: the manifest's id is in one, the hash of the metadata in the other."""
    bindings, hashes = [], []
    for address, topics, data in _list_logs(receipt):
        if address != contract or topics[1:2] != [fingerprint]:
            continue
        if topics[0] == _BINDING_TOPIC and len(topics) == 2:
            bindings += _decode_binding(data)
        elif topics[0] == _METADATA_TOPIC and len(topics) == 3 and len(data) >= 32:
            hashes.append(f"0x{data[:32].hex()}")
    if not bindings or not hashes:
        raise ProofError("the transaction in the proof did not register this file in the contract")
    return bindings[0], hashes[0]


def _list_logs(receipt: bytes) -> list[tuple[bytes, list[bytes], bytes]]:
    """Address, topics and data of each."""
    is_typed = receipt and receipt[0] <= _MAX_TRANSACTION_TYPE
    fields = _require_list(decode_rlp(receipt[1:] if is_typed else receipt))
    if len(fields) < 4:
        raise ProofError("the receipt has no logs")
    found = []
    for log in map(_require_list, _require_list(fields[3])):
        if len(log) != 3:
            raise ProofError("the receipt has a malformed log")
        topics = [_require_bytes(topic, 32) for topic in _require_list(log[1])]
        found.append((_require_bytes(log[0], 20), topics, _require_bytes(log[2])))
    return found


def _decode_binding(data: bytes) -> list[str]:
    """The last of `(string[], string)`; nothing when it is not as a contract writes it."""
    try:
        endpoints = _read_number(data, 0)
        for index in range(min(_read_number(data, endpoints), len(data))):
            _read_text(data, endpoints + 32 + _read_number(data, endpoints + 32 + 32 * index))
        return [_read_text(data, _read_number(data, 32))]
    except ProofError:
        return []


def _read_number(data: bytes, start: int) -> int:
    if start + 32 > len(data):
        raise ProofError("the receipt has a malformed log")
    return int.from_bytes(data[start : start + 32], "big")


def _read_text(data: bytes, start: int) -> str:
    end = start + 32 + _read_number(data, start)
    if end > len(data):
        raise ProofError("the receipt has a malformed log")
    return data[start + 32 : end].decode("utf-8", "replace")


def decode_rlp(data: bytes) -> RlpItem:
    """The item. Only what encoding produces is accepted, so that the same content has one form."""
    item, end = _decode_item(data, 0, 0)
    if end != len(data):
        raise ProofError("bytes follow the RLP in the proof")
    return item


def _decode_item(data: bytes, start: int, depth: int) -> tuple[RlpItem, int]:
    if start >= len(data) or depth > _MAX_DEPTH:
        raise ProofError("the proof contains bytes that are not RLP")
    first = data[start]
    if first < 0x80:
        return data[start : start + 1], start + 1
    is_list = first >= 0xC0
    size = max(0, first - (0xC0 if is_list else 0x80) - 55)
    begin = start + 1 + size
    length = int.from_bytes(data[start + 1 : begin], "big") if size else first - (0xC0 if is_list else 0x80)
    end = begin + length
    if end > len(data) or (size and (length < 56 or data[start + 1] == 0)):
        raise ProofError("the proof contains bytes that are not RLP")
    if not is_list:
        if length == 1 and data[begin] < 0x80:
            raise ProofError("the proof contains RLP that is not canonical")
        return data[begin:end], end
    items: list[RlpItem] = []
    while begin < end:
        item, begin = _decode_item(data, begin, depth + 1)
        items.append(item)
    if begin != end:
        raise ProofError("the proof contains bytes that are not RLP")
    return items, end


def _require_list(item: RlpItem) -> list[RlpItem]:
    if isinstance(item, bytes):
        raise ProofError("the proof lacks a list where one must be")
    return item


def _require_bytes(item: RlpItem, length: int | None = None) -> bytes:
    if not isinstance(item, bytes) or (length is not None and len(item) != length):
        raise ProofError("the proof lacks bytes where they must be")
    return item
