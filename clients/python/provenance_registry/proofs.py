"""Proofs in bundles: from the hash of a block to what a transaction in it logged. Described in docs/bundles.md."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence, Tuple, Union

from .keccak import keccak256

#: Bytes, or a list of such items.
RlpItem = Union[bytes, "List[RlpItem]"]

_MIN_HEADER_FIELDS = 15
_RECEIPTS_ROOT, _NUMBER, _TIMESTAMP = 5, 8, 11
#: EIP-2718: types of transactions end below the first byte of an RLP list.
_MAX_TRANSACTION_TYPE = 0x7F
#: Nothing in a proof has lists in more than four lists.
_MAX_DEPTH = 16
_MAX_NUMBER = 2**53 - 1
_BINDING_TOPIC = keccak256(b"SoftBindingRegistered(bytes32,string[],string)")
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


class _Log(NamedTuple):
    address: bytes
    topics: List[bytes]
    data: bytes


def prove_registration(
    header: bytes, transaction_index: int, receipt: bytes, nodes: Sequence[bytes], contract: bytes, fingerprint: bytes
) -> Registration:
    """:raises ProofError: The proof is not valid, or of another registration."""
    fields = _require_list(decode_rlp(header))
    if len(fields) < _MIN_HEADER_FIELDS:
        raise ProofError("the proof has no block header")
    root = _require_bytes(fields[_RECEIPTS_ROOT], 32)
    number, timestamp = _require_number(fields[_NUMBER]), _require_number(fields[_TIMESTAMP])
    if _walk(root, nodes, transaction_index) != receipt:
        raise ProofError("the receipt is not the one that the proof leads to")
    manifest_id, manifest_hash = _find_registration(_decode_logs(receipt), contract, fingerprint)
    return Registration(f"0x{keccak256(header).hex()}", number, timestamp, manifest_id, manifest_hash)


def _walk(root: bytes, nodes: Sequence[bytes], index: int) -> bytes:
    """The receipt to which the nodes of the trie lead."""
    expected = root
    path = encode_rlp(_encode_number(index)).hex()
    for position, node in enumerate(nodes):
        if keccak256(node) != expected:
            raise ProofError("a node of the proof does not have the expected hash")
        fields = _require_list(decode_rlp(node))
        if len(fields) == 17:
            if path == "":
                raise ProofError("the proof is of another transaction")
            expected, path = _require_bytes(fields[int(path[0], 16)], 32), path[1:]
            continue
        if len(fields) != 2 or not all(isinstance(field, bytes) for field in fields):
            raise ProofError("the proof has a node of an unknown kind")
        is_leaf, digits = _decode_path(_require_bytes(fields[0]))
        if is_leaf:
            if digits != path:
                raise ProofError("the proof is of another transaction")
            if position != len(nodes) - 1:
                raise ProofError("the proof has nodes after the receipt")
            return _require_bytes(fields[1])
        if digits == "" or not path.startswith(digits):
            raise ProofError("the proof is of another transaction")
        expected, path = _require_bytes(fields[1], 32), path[len(digits) :]
    raise ProofError("the proof does not lead to a receipt")


def _decode_path(encoded: bytes) -> Tuple[bool, str]:
    """Whether the node is a leaf, and its digits."""
    digits = encoded.hex()
    flag = digits[:1]
    if flag not in ("0", "1", "2", "3") or (flag in ("0", "2") and digits[1:2] != "0"):
        raise ProofError("the proof has a node of an unknown kind")
    return flag in ("2", "3"), digits[1:] if flag in ("1", "3") else digits[2:]


def _decode_logs(receipt: bytes) -> List[_Log]:
    content = receipt[1:] if receipt and receipt[0] <= _MAX_TRANSACTION_TYPE else receipt
    fields = _require_list(decode_rlp(content))
    if len(fields) < 4:
        raise ProofError("the receipt has no logs")
    return [_decode_log(_require_list(item)) for item in _require_list(fields[3])]


def _decode_log(fields: List[RlpItem]) -> _Log:
    if len(fields) != 3:
        raise ProofError("the receipt has a malformed log")
    topics = [_require_bytes(topic, 32) for topic in _require_list(fields[1])]
    return _Log(_require_bytes(fields[0], 20), topics, _require_bytes(fields[2]))


def _find_registration(logs: List[_Log], contract: bytes, fingerprint: bytes) -> Tuple[str, str]:
    """Two events make a registration: the manifest's id is in one, the hash of the metadata in the other."""
    own = [log for log in logs if log.address == contract and log.topics[1:2] == [fingerprint]]
    bindings = [_decode_binding(log) for log in own if log.topics[0] == _BINDING_TOPIC and len(log.topics) == 2]
    hashes = [
        log.data[:32] for log in own if log.topics[0] == _METADATA_TOPIC and len(log.topics) == 3 and len(log.data) >= 32
    ]
    manifest_id = next((one for one in bindings if one is not None), None)
    if manifest_id is None or not hashes:
        raise ProofError("the transaction in the proof did not register this file in the contract")
    return manifest_id, f"0x{hashes[0].hex()}"


def _decode_binding(log: _Log) -> Optional[str]:
    """The last of `(string[], string)`; None when it is not as a contract writes it."""
    data = log.data
    try:
        endpoints = _read_number(data, 0)
        count = _read_number(data, endpoints)
        for index in range(min(count, len(data))):
            _read_text(data, endpoints + 32 + _read_number(data, endpoints + 32 + 32 * index))
        return _read_text(data, _read_number(data, 32))
    except (ProofError, UnicodeDecodeError):
        return None


def _read_number(data: bytes, start: int) -> int:
    if start + 32 > len(data):
        raise ProofError("the receipt has a malformed log")
    return int.from_bytes(data[start : start + 32], "big")


def _read_text(data: bytes, start: int) -> str:
    end = start + 32 + _read_number(data, start)
    if end > len(data):
        raise ProofError("the receipt has a malformed log")
    return data[start + 32 : end].decode("utf-8")


# RLP. Only what encoding produces is accepted, so that the same content has one form.


def encode_rlp(item: RlpItem) -> bytes:
    if isinstance(item, bytes):
        return item if len(item) == 1 and item[0] < 0x80 else _prefix(0x80, len(item)) + item
    content = b"".join(map(encode_rlp, item))
    return _prefix(0xC0, len(content)) + content


def _prefix(base: int, length: int) -> bytes:
    if length < 56:
        return bytes([base + length])
    size = _encode_number(length)
    return bytes([base + 55 + len(size)]) + size


def _encode_number(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def decode_rlp(data: bytes) -> RlpItem:
    item, end = _decode_item(data, 0, 0)
    if end != len(data) or encode_rlp(item) != data:
        raise ProofError("the proof contains RLP that is not canonical")
    return item


def _decode_item(data: bytes, start: int, depth: int) -> Tuple[RlpItem, int]:
    if start >= len(data) or depth > _MAX_DEPTH:
        raise ProofError("the proof contains bytes that are not RLP")
    first = data[start]
    if first < 0x80:
        return data[start : start + 1], start + 1
    base = 0x80 if first < 0xC0 else 0xC0
    size = max(0, first - base - 55)
    begin = start + 1 + size
    length = int.from_bytes(data[start + 1 : begin], "big") if size else first - base
    end = begin + length
    if end > len(data):
        raise ProofError("the proof contains bytes that are not RLP")
    if base == 0x80:
        return data[begin:end], end
    items: List[RlpItem] = []
    while begin < end:
        item, begin = _decode_item(data, begin, depth + 1)
        items.append(item)
    if begin != end:
        raise ProofError("the proof contains bytes that are not RLP")
    return items, end


def _require_list(item: RlpItem) -> List[RlpItem]:
    if isinstance(item, bytes):
        raise ProofError("the proof lacks a list where one must be")
    return item


def _require_bytes(item: RlpItem, length: Optional[int] = None) -> bytes:
    if not isinstance(item, bytes) or (length is not None and len(item) != length):
        raise ProofError("the proof lacks bytes where they must be")
    return item


def _require_number(item: RlpItem) -> int:
    number = int.from_bytes(_require_bytes(item), "big")
    if number > _MAX_NUMBER:
        raise ProofError("the proof has a number that is too large")
    return number
