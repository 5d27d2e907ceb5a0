"""The format of bundles: what a file of evidence has. Described in docs/bundles.md."""

from __future__ import annotations

import base64
import datetime
import re
from typing import Any, Dict, List, NamedTuple, Optional, Pattern, Union

from . import models
from .canonical import parse_json
from .errors import InvalidResponseError
from .shapes import require_shape

_FINGERPRINT = re.compile(r"0x[0-9a-f]{64}")
_MANIFEST_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ADDRESS = re.compile(r"0x[0-9a-f]{40}")
_BYTES = re.compile(r"0x([0-9a-f]{2})*")
_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_IMAGE_CODE = re.compile(r"0x[0-9a-f]{16}")
_METADATA_FORMS = {
    "previousFingerprint": _FINGERPRINT,
    "pHash": _IMAGE_CODE,
    "dHash": _IMAGE_CODE,
    "pHashCenter90": _IMAGE_CODE,
    "pHashCenter80": _IMAGE_CODE,
}
_MAX_MANIFEST_CHARACTERS = 24 * 1024 * 1024
_MAX_HEADER_CHARACTERS = 2 + 2 * 65_536
_MAX_NODES = 11
_MAX_SAFE_INTEGER = 2**53 - 1


class BundleError(ValueError):
    """This is not a bundle."""


class Proof(NamedTuple):
    """The registration on chain, as the bundle has it."""

    chain_id: int
    contract: bytes
    header: bytes
    transaction_index: int
    receipt: bytes
    nodes: List[bytes]


class Bundle(NamedTuple):
    """A bundle that has its documented form. Nothing in it has been verified."""

    version: int
    fingerprint: str
    #: Of a copy that the registry signed: the registered file.
    signed_copy_of: Optional[str]
    manifest_id: str
    manifest: bytes
    metadata: Optional[Dict[str, Any]]
    #: None when the file was not on chain.
    proof: Optional[Proof]
    #: The maker's word.
    service: str


def parse_bundle(text: Union[str, bytes]) -> Bundle:
    """A bundle from the content of its file.

    :raises BundleError: It is not a bundle, or one of an unsupported version.
    """
    try:
        document = parse_json(text if isinstance(text, str) else text.decode("utf-8"))
    except ValueError as error:
        raise BundleError("this is not a bundle: it is not JSON") from error
    version = document.get("version") if isinstance(document, dict) else None
    if isinstance(version, bool) or not isinstance(version, int):
        raise BundleError("this is not a bundle")
    if version not in (1, 2):
        raise BundleError(f"bundles of version {version} are not supported")
    return _parse_old(document) if version == 1 else _parse(document)


def _parse(document: Dict[str, Any]) -> Bundle:
    required = ("format", "version", "fingerprint", "manifestId", "manifest", "maker")
    _require_members(document, required, ("signedCopyOf", "metadata", "chain"))
    _require(document["format"] == "provenance-bundle")
    maker = document["maker"]
    _require_members(maker, ("madeAt", "service"))
    _require(isinstance(maker["madeAt"], str) and _is_time(maker["madeAt"]) and isinstance(maker["service"], str))
    copied = document.get("signedCopyOf")
    _require("signedCopyOf" not in document or copied is not None)
    return Bundle(
        version=2,
        fingerprint=_text(document["fingerprint"], _FINGERPRINT),
        signed_copy_of=None if copied is None else _text(copied, _FINGERPRINT),
        manifest_id=_text(document["manifestId"], _MANIFEST_ID),
        manifest=_parse_base64(document["manifest"]),
        metadata=_parse_metadata(document["metadata"]) if "metadata" in document else None,
        proof=_parse_proof(document["chain"]) if "chain" in document else None,
        service=maker["service"],
    )


def _parse_old(document: Dict[str, Any]) -> Bundle:
    """Without a proof: of this version, only the manifest is evidence."""
    texts = ("madeAt", "service", "fingerprint", "manifestId", "manifest")
    _require(all(isinstance(document.get(name), str) for name in texts))
    metadata = None
    if "artifact" in document:
        artifact = document["artifact"]
        _require(isinstance(artifact, dict) and "metadata" in artifact)
        metadata = _parse_metadata(artifact["metadata"])
    if "chain" in document:
        chain = document["chain"]
        _require(isinstance(chain, dict) and isinstance(chain.get("address"), str))
        _text(chain["address"].lower(), _ADDRESS)
    return Bundle(
        version=1,
        fingerprint=_text(document["fingerprint"], _FINGERPRINT),
        signed_copy_of=None,
        manifest_id=document["manifestId"],
        manifest=_parse_base64(document["manifest"]),
        metadata=metadata,
        proof=None,
        service=document["service"],
    )


def _parse_proof(chain: Any) -> Proof:
    _require_members(chain, ("chainId", "address", "proof"))
    proof = chain["proof"]
    _require_members(proof, ("header", "transactionIndex", "receipt", "nodes"))
    nodes = proof["nodes"]
    _require(isinstance(nodes, list) and 1 <= len(nodes) <= _MAX_NODES)
    _require(isinstance(proof["header"], str) and len(proof["header"]) <= _MAX_HEADER_CHARACTERS)
    return Proof(
        chain_id=_number(chain["chainId"], 1, _MAX_SAFE_INTEGER),
        contract=bytes.fromhex(_text(chain["address"], _ADDRESS)[2:]),
        header=_parse_bytes(proof["header"]),
        transaction_index=_number(proof["transactionIndex"], 0, 2**32 - 1),
        receipt=_parse_bytes(proof["receipt"]),
        nodes=[_parse_bytes(node) for node in nodes],
    )


def _parse_metadata(value: Any) -> Dict[str, Any]:
    """Open: the hash covers members that a later version adds, too."""
    try:
        require_shape(value, models.ArtifactMetadata, "the bundle", is_closed=True)
    except InvalidResponseError as error:
        raise BundleError("this is not a bundle") from error
    for reference in ("author", "mark"):
        if reference in value:
            _text(value[reference]["id"], _UUID)
    for name, form in _METADATA_FORMS.items():
        if name in value:
            _text(value[name], form)
    _require("lastModified" not in value or _is_time(value["lastModified"]))
    return dict(value)


def _parse_base64(value: Any) -> bytes:
    _require(isinstance(value, str) and len(value) <= _MAX_MANIFEST_CHARACTERS)
    try:
        data = base64.b64decode(value, validate=True)
    except ValueError as error:
        raise BundleError("this is not a bundle") from error
    # The last character has bits that are not part of the bytes: only zeros are accepted.
    _require(base64.b64encode(data).decode("ascii") == value)
    return data


def _parse_bytes(value: Any) -> bytes:
    return bytes.fromhex(_text(value, _BYTES)[2:])


def _text(value: Any, form: "Pattern[str]") -> str:
    _require(isinstance(value, str) and form.fullmatch(value) is not None)
    return str(value)


def _number(value: Any, low: int, high: int) -> int:
    _require(isinstance(value, int) and not isinstance(value, bool) and low <= value <= high)
    return int(value)


def _is_time(text: str) -> bool:
    match = _TIME.fullmatch(text)
    if match is None:
        return False
    try:
        datetime.datetime.strptime(match.group(1).upper(), "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return False
    return True


def _require_members(value: Any, required: "tuple[str, ...]", optional: "tuple[str, ...]" = ()) -> None:
    """No others: what a reader ignores, other readers could take for proven."""
    _require(isinstance(value, dict))
    _require(set(required) <= set(value) <= set(required) | set(optional))


def _require(is_so: bool) -> None:
    if not is_so:
        raise BundleError("this is not a bundle")
