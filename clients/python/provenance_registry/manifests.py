"""Checks signed C2PA manifests of the kind that registries write, with the standard library.

This is not a complete C2PA validator. It checks signatures, certificates, time-stamps and the hashes of all assertions; what
it does not understand raises NotUnderstoodError, and is then told as not checked.
"""

from __future__ import annotations

import datetime
import hashlib
import hmac
import json
from typing import Any, Dict, List, NamedTuple, Optional, Set

from . import cbor
from .certificates import Certificate, SignatureError, is_trusted
from .jumbf import Box, JumbfError, parse_store
from .keys import verify_signature
from .signature import SIGNING_PURPOSES
from .timestamps import Timestamp, UnknownAlgorithmError, read_timestamp

#: The types of boxes have four letters, and this behind them.
_TYPE_END = bytes.fromhex("00110010800000aa00389b71")
_STORE_TYPE, _MANIFEST_TYPE, _UPDATE_TYPE = b"c2pa" + _TYPE_END, b"c2ma" + _TYPE_END, b"c2um" + _TYPE_END
_CLAIM, _SIGNATURE, _ASSERTIONS = "c2pa.claim.v2", "c2pa.signature", "c2pa.assertions"
_TYPES = {_CLAIM: b"c2cl" + _TYPE_END, _SIGNATURE: b"c2cs" + _TYPE_END, _ASSERTIONS: b"c2as" + _TYPE_END}
_DATA_HASH = "c2pa.hash.data"
_SOFT_BINDING = "c2pa.soft-binding"
_PREFIX = "self#jumbf="
_SIGN1_TAG = 18
_ALGORITHM_HEADER, _CERTIFICATES_HEADER = 1, 33
_ALGORITHMS = {-7: "ES256", -35: "ES384", -36: "ES512", -37: "PS256", -38: "PS384", -39: "PS512", -8: "EdDSA"}
_HASHES = ("sha256", "sha384", "sha512")
_MAX_CERTIFICATES = 8
_COMMON_NAME, _ORGANIZATION = "2.5.4.3", "2.5.4.10"


class ManifestError(ValueError):
    """The manifest is not valid."""


class NotUnderstoodError(Exception):
    """The manifest has something that this package does not check: it may be valid, or not."""


class Claims(NamedTuple):
    """What the manifest says about the file. None where it says nothing."""

    title: Optional[str]
    author: Optional[str]
    mark_name: Optional[str]
    mark_id: Optional[str]
    license: Optional[str]
    license_url: Optional[str]
    allow_ai_training: Optional[bool]
    #: The file that the parent's manifest was signed for.
    previous_fingerprint: Optional[str]


class Manifest(NamedTuple):
    """A manifest whose signature and hashes are valid."""

    label: str
    #: The whole-file hash that was signed; None when the manifest has none.
    fingerprint: Optional[str]
    soft_binding: Optional[str]
    signed_by: str
    #: Whether the signer's certificate leads to one of the roots.
    is_trusted: bool
    #: By an authority below one of the roots.
    timestamp: Optional[datetime.datetime]
    #: The authority has a root of its own.
    is_timestamp_independent: bool
    claims: Claims
    #: Whether there is an identity credential (CAWG), which is not checked here.
    has_identity: bool


def read_manifest(
    store: bytes, roots: List[Certificate], timestamp_roots: List[Certificate], now: datetime.datetime
) -> Manifest:
    """Checks the active manifest and those that it builds on.

    :param roots: Of signers. With none, signatures are checked all the same.
    :param timestamp_roots: Of time-stamp authorities.
    :raises ManifestError: It is not valid.
    :raises NotUnderstoodError: It has something that cannot be checked here.
    """
    try:
        box = parse_store(store)
        if box.type != _STORE_TYPE or not box.boxes:
            raise ManifestError("not a manifest store")
        labels = [manifest.label for manifest in box.boxes]
        if len(set(labels)) != len(labels):
            raise ManifestError("the manifest store has two manifests of one label")
        reader = _Reader(box, roots, timestamp_roots, now)
        return reader.read(box.boxes[-1])
    except (JumbfError, cbor.CborError, SignatureError) as error:
        raise ManifestError(str(error)) from error
    except (IndexError, KeyError, TypeError, UnicodeError, RecursionError, OverflowError) as error:
        raise ManifestError("the manifest cannot be read") from error


class _Signature(NamedTuple):
    path: List[Certificate]
    is_trusted: bool
    timestamp: Optional[Timestamp]
    is_independent: bool


class _Reader:
    def __init__(
        self, store: Box, roots: List[Certificate], timestamp_roots: List[Certificate], now: datetime.datetime
    ) -> None:
        self._store = store
        self._roots = roots
        # An authority of the signer's own root is the same party.
        known = {root.der for root in roots}
        self._other_roots = [root for root in timestamp_roots if root.der not in known]
        self._now = now
        self._checked: Set[str] = set()

    def read(self, manifest: Box) -> Manifest:
        self._checked.add(manifest.label)
        claim, claim_bytes = _read_claim(manifest)
        signature = self._verify(_require_box(manifest, _SIGNATURE).payload(b"cbor"), claim_bytes)
        assertions = self._check_assertions(manifest, claim)
        previous = self._check_ingredients(assertions)
        leaf = signature.path[0]
        names = [name for name in (leaf.name(_COMMON_NAME), leaf.name(_ORGANIZATION)) if name is not None]
        return Manifest(
            label=manifest.label,
            fingerprint=_read_file_hash(assertions),
            soft_binding=_read_soft_binding(assertions),
            signed_by=", ".join(names),
            is_trusted=signature.is_trusted,
            timestamp=signature.timestamp.time if signature.timestamp else None,
            is_timestamp_independent=signature.is_independent,
            claims=_read_claims(claim, assertions, previous),
            has_identity=any(label.startswith("cawg.identity") for label in assertions),
        )

    def _verify(self, data: bytes, claim: bytes) -> _Signature:
        """The COSE signature over the claim, and the certificate that made it."""
        message = cbor.decode(data)
        if isinstance(message, cbor.Tagged) and message.tag == _SIGN1_TAG:
            message = message.value
        if not isinstance(message, list) or len(message) != 4 or message[2] is not None:
            raise ManifestError("the signature is not a detached COSE_Sign1")
        protected, unprotected, _, signature = message
        header = cbor.decode(protected)
        algorithm = _ALGORITHMS.get(header.get(_ALGORITHM_HEADER))
        if algorithm is None:
            raise ManifestError("the signature has an algorithm that C2PA does not allow")
        if _CERTIFICATES_HEADER not in header:
            raise NotUnderstoodError("the certificates are not in the protected header")
        chain = header[_CERTIFICATES_HEADER]
        encoded = chain if isinstance(chain, list) else [chain]
        if not 0 < len(encoded) <= _MAX_CERTIFICATES:
            raise ManifestError("the signature has no certificate, or too many")
        path = [Certificate(one) for one in encoded]
        leaf = path[0]
        if leaf.key is None:
            raise ManifestError("the key of the signer is of a kind that C2PA does not allow")
        signed = _to_be_signed("Signature1", protected, claim)
        if not verify_signature(leaf.key, algorithm, signed, signature):
            raise ManifestError("the signature of the claim is wrong")
        if leaf.is_authority or not leaf.may_sign_data or not SIGNING_PURPOSES.intersection(leaf.purposes):
            raise ManifestError("the certificate is not one of a signer")
        timestamp, is_independent = self._read_timestamp(protected, unprotected, signature)
        time = timestamp.time if timestamp else self._now
        if not leaf.is_valid_at(time):
            raise ManifestError("the certificate of the signer was not valid when it signed")
        trusted = bool(self._roots) and is_trusted(path, self._roots, time)
        return _Signature(path, trusted, timestamp, is_independent)

    def _read_timestamp(
        self, protected: bytes, unprotected: Any, signature: bytes
    ) -> "tuple[Optional[Timestamp], bool]":
        """None unless an authority below a root stamped the signature. One that is not valid makes the manifest invalid."""
        container = unprotected.get("sigTst2") if isinstance(unprotected, dict) else None
        tokens = container.get("tstTokens") if isinstance(container, dict) else None
        if not isinstance(tokens, list) or len(tokens) != 1 or not isinstance(tokens[0], dict):
            return None, False
        stamped = _to_be_signed("CounterSignature", protected, cbor.encode_bytes(signature))
        try:
            timestamp = read_timestamp(tokens[0].get("val", b""), stamped)
        except UnknownAlgorithmError as error:
            raise NotUnderstoodError(str(error)) from error
        if timestamp.is_trusted(self._other_roots):
            return timestamp, True
        return (timestamp, False) if timestamp.is_trusted(self._roots) else (None, False)

    def _check_assertions(self, manifest: Box, claim: Dict[str, Any]) -> Dict[str, Any]:
        """The content of each assertion, by label. All are hashed in the claim, and the claim has no others."""
        default = claim.get("alg", "sha256")
        stored = _require_box(manifest, _ASSERTIONS)
        assertions: Dict[str, Any] = {}
        for reference in [*claim["created_assertions"], *claim.get("gathered_assertions", [])]:
            prefixes = (f"{_PREFIX}{_ASSERTIONS}/", f"{_PREFIX}/c2pa/{manifest.label}/{_ASSERTIONS}/")
            prefix = next((one for one in prefixes if reference["url"].startswith(one)), None)
            if prefix is None:
                raise ManifestError("the claim refers to something that is not its own assertion")
            label = reference["url"][len(prefix) :]
            box = stored.find(label)
            if box is None or label in assertions:
                raise ManifestError(f"the assertion {label} is missing, or there twice")
            _require_hash(reference, default, box, label)
            assertions[label] = _decode_assertion(box)
        if len(stored.boxes) != len(assertions) or stored.payloads:
            raise ManifestError("there are assertions that the claim does not have")
        return assertions

    def _check_ingredients(self, assertions: Dict[str, Any]) -> Optional[str]:
        """The manifests that this one builds on are checked, too. Returns the file that the parent's was signed for."""
        previous: Optional[str] = None
        for label, content in assertions.items():
            if not label.startswith("c2pa.ingredient"):
                continue
            if not label.startswith("c2pa.ingredient.v3") or not isinstance(content, dict):
                raise NotUnderstoodError(f"it has an ingredient of another version ({label})")
            if "activeManifest" not in content:
                continue
            parent = self._find(content["activeManifest"]["url"])
            _require_hash(content["activeManifest"], "sha256", parent, parent.label)
            if "claimSignature" in content:
                _require_hash(content["claimSignature"], "sha256", _require_box(parent, _SIGNATURE), _SIGNATURE)
            if parent.label in self._checked:
                raise NotUnderstoodError("two manifests build on the same one")
            fingerprint = self.read(parent).fingerprint
            if content.get("relationship") == "parentOf" and previous is None:
                previous = fingerprint
        return previous

    def _find(self, url: str) -> Box:
        label = url[len(_PREFIX) + len("/c2pa/") :] if url.startswith(f"{_PREFIX}/c2pa/") else ""
        box = self._store.find(label)
        if box is None:
            raise ManifestError("a manifest that this one builds on is missing")
        return box


def _read_claim(manifest: Box) -> "tuple[Dict[str, Any], bytes]":
    if manifest.type == _UPDATE_TYPE:
        raise NotUnderstoodError("it is an update manifest")
    if manifest.type != _MANIFEST_TYPE:
        raise ManifestError("a box of the store is not a manifest")
    data = _require_box(manifest, _CLAIM).payload(b"cbor")
    claim = cbor.decode(data)
    if not isinstance(claim, dict):
        raise ManifestError("the claim is not an object")
    if "created_assertions" not in claim and "assertions" in claim:
        raise NotUnderstoodError("its claim is of another version")
    if claim.get("redacted_assertions"):
        raise NotUnderstoodError("it has redacted assertions")
    if claim["signature"] not in (f"{_PREFIX}/c2pa/{manifest.label}/{_SIGNATURE}", f"{_PREFIX}{_SIGNATURE}"):
        raise ManifestError("the claim names another signature")
    return claim, data


def _require_box(parent: Box, name: str) -> Box:
    """By its type, as c2pa-rs finds it: labels of these boxes are not signed."""
    found = [box for box in parent.boxes if box.type == _TYPES[name]]
    if len(found) != 1:
        raise ManifestError(f"{name} is missing, or there twice")
    return found[0]


def _require_hash(reference: Dict[str, Any], default: str, box: Box, label: str) -> None:
    name = reference.get("alg", default)
    if name not in _HASHES:
        raise ManifestError(f"the hash of {label} has an algorithm that C2PA does not allow")
    if not hmac.compare_digest(hashlib.new(name, box.content).digest(), reference["hash"]):
        raise ManifestError(f"{label} is not what was signed")


def _decode_assertion(box: Box) -> Any:
    if [name for name, _ in box.payloads] == [b"cbor"]:
        return cbor.decode(box.payloads[0][1])
    if [name for name, _ in box.payloads] == [b"json"]:
        try:
            return json.loads(box.payloads[0][1])
        except ValueError as error:
            raise ManifestError(f"{box.label} is not JSON") from error
    # Files, such as thumbnails: their hash has been compared.
    return None


def _to_be_signed(context: str, protected: bytes, payload: bytes) -> bytes:
    """Sig_structure of RFC 9052."""
    return cbor.encode_list(
        cbor.encode_text(context), cbor.encode_bytes(protected), cbor.encode_bytes(b""), cbor.encode_bytes(payload)
    )


def _read_file_hash(assertions: Dict[str, Any]) -> Optional[str]:
    """Of the whole file: a hash with exclusions is one of something else."""
    content = assertions.get(_DATA_HASH)
    if not isinstance(content, dict) or content.get("alg") != "sha256" or content.get("exclusions"):
        return None
    return _to_fingerprint(content.get("hash"))


def _read_soft_binding(assertions: Dict[str, Any]) -> Optional[str]:
    content = assertions.get(_SOFT_BINDING)
    blocks = content.get("blocks") if isinstance(content, dict) else None
    if not isinstance(blocks, list) or len(blocks) != 1 or not isinstance(blocks[0], dict):
        return None
    return _to_fingerprint(blocks[0].get("value"))


def _to_fingerprint(value: Any) -> Optional[str]:
    return f"0x{value.hex()}" if isinstance(value, bytes) and len(value) == 32 else None


def _read_claims(claim: Dict[str, Any], assertions: Dict[str, Any], previous: Optional[str]) -> Claims:
    found = assertions.get("cawg.metadata")
    metadata: Dict[str, Any] = found if isinstance(found, dict) else {}

    def first(name: str) -> Optional[str]:
        values = metadata.get(name)
        return values[0] if isinstance(values, list) and values and isinstance(values[0], str) else None

    def text(name: str) -> Optional[str]:
        value = metadata.get(name)
        return value if isinstance(value, str) else None

    identifier = text("dc:identifier")
    title = claim.get("dc:title")
    return Claims(
        title=title if isinstance(title, str) else None,
        author=first("dc:creator"),
        mark_name=first("dc:publisher"),
        mark_id=identifier.removeprefix("urn:uuid:") if identifier is not None else None,
        license=text("dc:rights"),
        license_url=text("xmpRights:WebStatement"),
        allow_ai_training=_read_training(assertions.get("cawg.training-mining")),
        previous_fingerprint=previous,
    )


def _read_training(content: Any) -> Optional[bool]:
    """True only if both kinds of training are allowed, False if one is not."""
    entries = content.get("entries") if isinstance(content, dict) else None
    if not isinstance(entries, dict):
        return None
    uses = [entries.get(f"cawg.{name}") for name in ("ai_training", "ai_generative_training")]
    permissions = [use.get("use") if isinstance(use, dict) else None for use in uses]
    if any(one in ("notAllowed", "constrained") for one in permissions):
        return False
    return True if permissions == ["allowed", "allowed"] else None
