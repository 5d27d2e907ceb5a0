"""Receipts of a public log: that a leaf is in the tree whose root the log signed. The formats are those of C2SP (tlog-proof,
tlog-checkpoint, signed-note) and of RFC 6962."""

from __future__ import annotations

import base64
import datetime
import hashlib
import re
from typing import Any, NamedTuple, Sequence

import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .canonical import parse_json
from .schemas import is_valid

_PROOF_LINE = "c2sp.org/tlog-proof@v1"
_LEAF_LINE = "provenance-leaf/1 "
_MAX_LEAF_BYTES = 4096
#: Of trees with up to 2⁵³ − 1 leaves.
_MAX_PROOF_HASHES = 63
_MAX_NUMBER = 2**53 - 1
_HASH_BYTES = 32
_LOG_KEY = 1
_WITNESS_KEY = 4
_TIME_BYTES = 8
#: A reader has to accept 16.
_MAX_SIGNATURES = 64
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f]")


class ReceiptError(ValueError):
    """The receipt does not prove what it should."""


class WitnessesMissingError(ReceiptError):
    """The log signed, and a witness did not: it may sign later."""


class LogKey(NamedTuple):
    """The verifier key of a log, or of a witness."""

    name: str
    key_id: bytes
    public_key: bytes
    is_witness: bool = False


class LoggedLeaf(NamedTuple):
    """What the log has for a file, if the caller's key is that of the log."""

    origin: str
    #: Its place in the log, from 0.
    leaf_index: int
    #: The number of leaves that the checkpoint covers.
    size: int
    #: `rendition`: the log has the file as a signed copy.
    kind: str
    content: dict[str, Any]
    #: Mark, AI preferences and license; None if the leaf hides them and nothing opens it.
    terms: dict[str, Any] | None
    #: In the tree.
    leaf_hash: bytes


def parse_log_keys(texts: Sequence[str], witnesses: Sequence[str] = ()) -> list[LogKey]:
    """Keys one of which has to sign, and those of witnesses, all of which have to.

    :raises ValueError: They are not the keys of one log and of witnesses.
    """
    keys = [_parse_key(text, _LOG_KEY) for text in texts]
    if len({key.name for key in keys}) > 1:
        raise ValueError("the keys are not those of one log")
    if witnesses and not keys:
        raise ValueError("witnesses are named, and no key of their log")
    keys += [_parse_key(text, _WITNESS_KEY) for text in witnesses]
    if len({key.public_key for key in keys}) < len(keys):
        raise ValueError("a key is there twice")
    return keys


def _parse_key(text: str, kind: int) -> LogKey:
    owner = "log" if kind == _LOG_KEY else "witness"
    match = re.fullmatch(r"([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})", text)
    if match is None:
        raise ValueError(f"{text!r} is not the verifier key of a {owner}")
    name, key_id, typed = match.group(1), bytes.fromhex(match.group(2)), base64.b64decode(match.group(3))
    if typed[0] != kind or key_id != hashlib.sha256(f"{name}\n".encode() + typed).digest()[:4]:
        raise ValueError(f"{text!r} is not the verifier key of a {owner}")
    return LogKey(name, key_id, typed[1:], kind == _WITNESS_KEY)


def read_receipt(log: dict[str, Any], keys: Sequence[LogKey]) -> LoggedLeaf:
    """What the receipt proves, whoever the file is.

    :raises ReceiptError: It does not hold under the keys, or is not that of a registration.
    """
    try:
        entry = log["leaf"].encode("utf-8")
        index, size, origin = verify_receipt(log["receipt"], entry, keys)
        kind, content = _parse_leaf(entry)
        return LoggedLeaf(origin, index, size, kind, content, _read_terms(content, log.get("opening")), _hash_leaf(entry))
    except UnicodeEncodeError as error:
        raise ReceiptError("it is not valid Unicode") from error


def verify_receipt(receipt: str, entry: bytes, keys: Sequence[LogKey]) -> tuple[int, int, str]:
    """Where the entry is, how many entries the checkpoint covers, and the name of the log.

    :raises ReceiptError: It is not there, or no key signed the checkpoint.
    """
    head, separator, checkpoint = receipt.partition("\n\n")
    lines = head.split("\n")
    if not separator or len(lines) < 2 or lines[0] != _PROOF_LINE or not lines[1].startswith("index "):
        raise ReceiptError("it does not have its form")
    index = _parse_number(lines[1].removeprefix("index "))
    hashes = [_decode_hash(line) for line in lines[2:]]
    text, signatures = _parse_note(checkpoint)
    origin, size, root = _parse_checkpoint(text)
    if not is_included(_hash_leaf(entry), index, size, hashes, root):
        raise ReceiptError("the leaf is not at that place of the log")
    _require_signatures(text, signatures, keys, origin)
    return index, size, origin


def _hash_leaf(entry: bytes) -> bytes:
    return hashlib.sha256(b"\0" + entry).digest()


def is_included(leaf_hash: bytes, index: int, size: int, hashes: Sequence[bytes], root: bytes) -> bool:
    """Whether a leaf is at that index of the tree with this root."""
    return len(hashes) <= _MAX_PROOF_HASHES and _climb(leaf_hash, index, size, hashes) == root


def _climb(leaf_hash: bytes, index: int, size: int, hashes: Sequence[bytes]) -> bytes | None:
    """The root to which the hashes lead (RFC 9162, section 2.1.3.2)."""
    if index >= size:
        return None
    node, last, root = index, size - 1, leaf_hash
    for part in hashes:
        if last == 0:
            return None
        if node & 1 or node == last:
            root = hashlib.sha256(b"\1" + part + root).digest()
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            root = hashlib.sha256(b"\1" + root + part).digest()
        node, last = node >> 1, last >> 1
    return root if last == 0 else None


def _parse_note(note: str) -> tuple[str, list[tuple[str, bytes]]]:
    text, separator, lines = note.rpartition("\n\n")
    if not separator or not lines.endswith("\n") or _CONTROLS.search(note):
        raise ReceiptError("its checkpoint is not a signed note")
    signatures = [_parse_signature(line) for line in lines[:-1].split("\n")]
    if len(signatures) > _MAX_SIGNATURES:
        raise ReceiptError("its checkpoint has too many signatures")
    return f"{text}\n", signatures


def _parse_signature(line: str) -> tuple[str, bytes]:
    match = re.fullmatch(r"— ([^+\s]+) ([A-Za-z0-9+/=]+)", line)
    signature = b"" if match is None else _decode_base64(match.group(2))
    if match is None or len(signature) < 5:
        raise ReceiptError("a line of its checkpoint is not a signature")
    return match.group(1), signature


def _parse_checkpoint(text: str) -> tuple[str, int, bytes]:
    origin, size, root, *rest = [*text.split("\n"), "", ""]
    if not origin or "" in rest[:-3]:
        raise ReceiptError("its checkpoint does not have three lines")
    return origin, _parse_number(size), _decode_hash(root)


def _require_signatures(text: str, signatures: list[tuple[str, bytes]], keys: Sequence[LogKey], origin: str) -> None:
    seen: list[LogKey] = []
    for name, signature in signatures:
        key = next((one for one in keys if (one.name, one.key_id) == (name, signature[:4])), None)
        if key is None:
            continue
        if key in seen or not _is_signed(text, signature[4:], key):
            raise ReceiptError(f"the signature of {name} is not valid, or is there twice")
        seen.append(key)
    if not any(key.name == origin and not key.is_witness for key in seen):
        raise ReceiptError("the checkpoint is not signed by the log")
    missing = [key.name for key in keys if key.is_witness and key not in seen]
    if missing:
        raise WitnessesMissingError(f"the checkpoint is not signed by the witness {missing[0]}")


def _is_signed(text: str, signature: bytes, key: LogKey) -> bool:
    if key.is_witness:
        time = int.from_bytes(signature[:_TIME_BYTES], "big")
        signature, text = signature[_TIME_BYTES:], f"cosignature/v1\ntime {time}\n{text}"
        if time > _MAX_NUMBER:
            return False
    try:
        Ed25519PublicKey.from_public_bytes(key.public_key).verify(signature, text.encode("utf-8"))
    except InvalidSignature:
        return False
    return True


def _parse_leaf(entry: bytes) -> tuple[str, dict[str, Any]]:
    line, _, text = entry.decode("utf-8").partition("\n")
    if len(entry) > _MAX_LEAF_BYTES or line not in (f"{_LEAF_LINE}artifact", f"{_LEAF_LINE}rendition"):
        raise ReceiptError("it is not that of a registration")
    try:
        content = parse_json(text)
        is_canonical = rfc8785.dumps(content) == text.encode("utf-8")
    except (ValueError, rfc8785.CanonicalizationError) as error:
        raise ReceiptError("its leaf is not canonical JSON") from error
    if not is_canonical or not is_valid(content, "Leaf") or not _is_time(content["time"]):
        raise ReceiptError("its leaf does not have its form")
    return line.removeprefix(_LEAF_LINE), dict(content)


def _is_time(text: str) -> bool:
    """Whether it is a time as JavaScript writes it; the year 0 is one there."""
    if re.fullmatch(r"\d{4}-\d\d-\d\dT([01]\d|2[0-3]):\d\d:\d\d\.\d{3}Z", text, re.ASCII) is None:
        return False
    try:
        # A leap year like the year 0.
        return bool(datetime.datetime.fromisoformat(re.sub("^0000", "2000", text[:-1])))
    except ValueError:
        return False


def _read_terms(content: dict[str, Any], opening: dict[str, Any] | None) -> dict[str, Any] | None:
    if "hidden" not in content:
        return {name: content[name] for name in ("mark", "ai", "license")}
    if opening is None:
        return None
    if not is_valid(opening, "Opening"):
        raise ReceiptError("its opening does not have its form")
    terms = {name: value for name, value in opening.items() if name != "salt"}
    label, salt = f"{_LEAF_LINE}hidden\n".encode(), bytes.fromhex(opening["salt"][2:])
    if f"0x{hashlib.sha256(label + salt + rfc8785.dumps(terms)).hexdigest()}" != content["hidden"]:
        raise ReceiptError("its leaf hides something else than its opening says")
    return terms


def _parse_number(text: str) -> int:
    value = int(text) if re.fullmatch(r"0|[1-9][0-9]{0,15}", text, re.ASCII) else _MAX_NUMBER + 1
    if value > _MAX_NUMBER:
        raise ReceiptError("it has something else than a number")
    return value


def _decode_hash(text: str) -> bytes:
    decoded = _decode_base64(text)
    if len(decoded) != _HASH_BYTES:
        raise ReceiptError("it has something else than a hash")
    return decoded


def _decode_base64(text: str) -> bytes:
    """Each value has one accepted spelling."""
    try:
        decoded = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise ReceiptError("it has something else than base64") from error
    if base64.b64encode(decoded).decode("ascii") != text:
        raise ReceiptError("it has something else than base64")
    return decoded
