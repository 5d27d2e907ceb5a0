"""Checks signed C2PA manifests of the kind that registries write.

This is not a complete C2PA validator. It checks signatures, certificates, time-stamps and the hashes of all assertions; what
it does not understand raises NotUnderstoodError, and is then told as not checked.
"""

from __future__ import annotations

import datetime
import hashlib
import hmac
import json
from typing import Any, NamedTuple

from . import cbor
from .certificates import JOSE_ALGORITHMS, Certificate, SignatureError, is_trusted
from .jumbf import Box, JumbfError, parse_store
from .timestamps import UnknownAlgorithmError, read_timestamp

#: The types of boxes have four letters, and this behind them.
_TYPE_END = bytes.fromhex("00110010800000aa00389b71")
_STORE_TYPE, _MANIFEST_TYPE, _UPDATE_TYPE = b"c2pa" + _TYPE_END, b"c2ma" + _TYPE_END, b"c2um" + _TYPE_END
_CLAIM, _SIGNATURE, _ASSERTIONS = "c2pa.claim.v2", "c2pa.signature", "c2pa.assertions"
_TYPES = {_CLAIM: b"c2cl" + _TYPE_END, _SIGNATURE: b"c2cs" + _TYPE_END, _ASSERTIONS: b"c2as" + _TYPE_END}
_PREFIX = "self#jumbf="
_SIGN1_TAG = 18
_ALGORITHM_HEADER, _CERTIFICATES_HEADER = 1, 33
_ALGORITHMS = {-7: "ES256", -35: "ES384", -36: "ES512", -37: "PS256", -38: "PS384", -39: "PS512", -8: "EdDSA"}
_HASHES = ("sha256", "sha384", "sha512")
_MAX_CERTIFICATES = 8


class ManifestError(ValueError):
    """The manifest is not valid."""


class NotUnderstoodError(Exception):
    """The manifest has something that this package does not check: it may be valid, or not."""


class Claims(NamedTuple):
    """What the manifest says about the file. None where it says nothing."""

    title: str | None
    author: str | None
    mark_name: str | None
    mark_id: str | None
    license: str | None
    license_url: str | None
    allow_ai_training: bool | None
    #: The file that the parent's manifest was signed for.
    previous_fingerprint: str | None


class Manifest(NamedTuple):
    """A manifest whose signature and hashes are valid."""

    label: str
    #: The whole-file hash that was signed; None when the manifest has none.
    fingerprint: str | None
    soft_binding: str | None
    signed_by: str
    #: Whether the signer's certificate leads to one of the roots.
    is_trusted: bool
    #: By an authority below one of the roots.
    timestamp: datetime.datetime | None
    #: Whether the authority has a root of its own.
    is_timestamp_independent: bool
    claims: Claims
    #: Whether there is an identity credential (CAWG), which is not checked here.
    has_identity: bool


class _Signature(NamedTuple):
    signed_by: str
    is_trusted: bool
    timestamp: datetime.datetime | None
    is_independent: bool


def read_manifest(
    store: bytes, roots: list[Certificate], timestamp_roots: list[Certificate], now: datetime.datetime
) -> Manifest:
    """Checks the active manifest and those that it builds on.

    :param roots: The roots of signers. With none, signatures are checked all the same.
    :param timestamp_roots: The roots of time-stamp authorities.
    :raises ManifestError: It is not valid.
    :raises NotUnderstoodError: It has something that cannot be checked here.
    """
    try:
        box = parse_store(store)
        labels = [manifest.label for manifest in box.boxes]
        if box.type != _STORE_TYPE or not labels or len(set(labels)) != len(labels):
            raise ManifestError("not a manifest store, or one with two manifests of one label")
        return _Reader(box, roots, timestamp_roots, now).read(box.boxes[-1])
    except (JumbfError, cbor.CborError, SignatureError) as error:
        raise ManifestError(str(error)) from error
    except (AttributeError, IndexError, KeyError, TypeError, UnicodeError, RecursionError, OverflowError) as error:
        raise ManifestError("the manifest cannot be read") from error


class _Reader:
    def __init__(
        self, store: Box, roots: list[Certificate], timestamp_roots: list[Certificate], now: datetime.datetime
    ) -> None:
        self._store = store
        self._roots = roots
        # An authority of the signer's own root is the same party.
        self._other_roots = [root for root in timestamp_roots if root not in roots]
        self._now = now
        self._checked: set[str] = set()

    def read(self, manifest: Box) -> Manifest:
        self._checked.add(manifest.label)
        claim, claim_bytes = _read_claim(manifest)
        signature = self._verify(_require_box(manifest, _SIGNATURE).payload(b"cbor"), claim_bytes)
        assertions = _check_assertions(manifest, claim)
        previous = self._check_ingredients(assertions)
        hashed = _to_object(assertions.get("c2pa.hash.data"))
        # A hash with exclusions is not one of the whole file.
        is_whole = hashed.get("alg") == "sha256" and not hashed.get("exclusions")
        blocks = _to_object(assertions.get("c2pa.soft-binding")).get("blocks")
        return Manifest(
            label=manifest.label,
            fingerprint=_to_fingerprint(hashed.get("hash")) if is_whole else None,
            soft_binding=_to_fingerprint(_to_object(_sole(blocks)).get("value")),
            signed_by=signature.signed_by,
            is_trusted=signature.is_trusted,
            timestamp=signature.timestamp,
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
        if not leaf.has_signed(_to_be_signed("Signature1", protected, claim), signature, JOSE_ALGORITHMS[algorithm]):
            raise ManifestError("the signature of the claim is wrong")
        if not leaf.may_sign_claims or not leaf.may_sign_data:
            raise ManifestError("the certificate is not one of a signer")
        timestamp, is_independent = self._read_timestamp(protected, unprotected, signature)
        time = timestamp or self._now
        if not leaf.is_valid_at(time):
            raise ManifestError("the certificate of the signer was not valid when it signed")
        return _Signature(leaf.subject, is_trusted(path, self._roots, time), timestamp, is_independent)

    def _read_timestamp(
        self, protected: bytes, unprotected: Any, signature: bytes
    ) -> tuple[datetime.datetime | None, bool]:
        """None unless an authority below a root stamped the signature. One that is not valid makes the manifest invalid."""
        token = _sole(_to_object(_to_object(unprotected).get("sigTst2")).get("tstTokens"))
        if not isinstance(token, dict):
            return None, False
        stamped = _to_be_signed("CounterSignature", protected, cbor.encode(signature))
        try:
            timestamp = read_timestamp(token.get("val", b""), stamped)
        except UnknownAlgorithmError as error:
            raise NotUnderstoodError(str(error)) from error
        is_independent = timestamp.is_trusted(self._other_roots)
        return (timestamp.time if is_independent or timestamp.is_trusted(self._roots) else None), is_independent

    def _check_ingredients(self, assertions: dict[str, Any]) -> str | None:
        """The manifests that this one builds on are checked, too. Returns the file that the parent's was signed for."""
        previous: str | None = None
        for label, content in assertions.items():
            if not label.startswith("c2pa.ingredient"):
                continue
            if not label.startswith("c2pa.ingredient.v3") or not isinstance(content, dict):
                raise NotUnderstoodError(f"it has an ingredient of another version ({label})")
            if "activeManifest" not in content:
                continue
            prefix, _, name = content["activeManifest"]["url"].rpartition("/")
            parent = self._store.find(name) if prefix == f"{_PREFIX}/c2pa" else None
            if parent is None:
                raise ManifestError("a manifest that this one builds on is missing")
            _require_hash(content["activeManifest"], "sha256", parent)
            if "claimSignature" in content:
                _require_hash(content["claimSignature"], "sha256", _require_box(parent, _SIGNATURE))
            if parent.label in self._checked:
                raise NotUnderstoodError("two manifests build on the same one")
            fingerprint = self.read(parent).fingerprint
            if content.get("relationship") == "parentOf" and previous is None:
                previous = fingerprint
        return previous


def _check_assertions(manifest: Box, claim: dict[str, Any]) -> dict[str, Any]:
    """The content of each assertion, by label. All are hashed in the claim, and the claim has no others."""
    stored = _require_box(manifest, _ASSERTIONS)
    folders = (f"{_PREFIX}{_ASSERTIONS}", f"{_PREFIX}/c2pa/{manifest.label}/{_ASSERTIONS}")
    assertions: dict[str, Any] = {}
    for reference in [*claim["created_assertions"], *claim.get("gathered_assertions", [])]:
        folder, _, label = reference["url"].rpartition("/")
        if folder not in folders:
            raise ManifestError("the claim refers to something that is not its own assertion")
        box = stored.find(label)
        if box is None or label in assertions:
            raise ManifestError(f"the assertion {label} is missing, or there twice")
        _require_hash(reference, claim.get("alg", "sha256"), box)
        assertions[label] = _decode_assertion(box)
    if len(stored.boxes) != len(assertions) or stored.payloads:
        raise ManifestError("there are assertions that the claim does not have")
    return assertions


def _read_claim(manifest: Box) -> tuple[dict[str, Any], bytes]:
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


def _require_hash(reference: dict[str, Any], default: str, box: Box) -> None:
    name = reference.get("alg", default)
    if name not in _HASHES:
        raise ManifestError(f"the hash of {box.label} has an algorithm that C2PA does not allow")
    if not hmac.compare_digest(hashlib.new(name, box.content).digest(), reference["hash"]):
        raise ManifestError(f"{box.label} is not what was signed")


def _decode_assertion(box: Box) -> Any:
    kinds = [name for name, _ in box.payloads]
    if kinds == [b"cbor"]:
        return cbor.decode(box.payloads[0][1])
    try:
        # Files, such as thumbnails, have no content to read: their hash has been compared.
        return json.loads(box.payloads[0][1]) if kinds == [b"json"] else None
    except ValueError as error:
        raise ManifestError(f"{box.label} is not JSON") from error


def _to_be_signed(context: str, protected: bytes, payload: bytes) -> bytes:
    """Sig_structure of RFC 9052."""
    return cbor.encode([context, protected, b"", payload])


def _to_object(value: Any) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}


def _sole(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else None


def _to_text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _to_fingerprint(value: Any) -> str | None:
    return f"0x{value.hex()}" if isinstance(value, bytes) and len(value) == 32 else None


def _read_claims(claim: dict[str, Any], assertions: dict[str, Any], previous: str | None) -> Claims:
    metadata = _to_object(assertions.get("cawg.metadata"))
    creators, publishers = (metadata.get(name) for name in ("dc:creator", "dc:publisher"))
    identifier = _to_text(metadata.get("dc:identifier"))
    return Claims(
        title=_to_text(claim.get("dc:title")),
        author=_to_text(creators[0]) if isinstance(creators, list) and creators else None,
        mark_name=_to_text(publishers[0]) if isinstance(publishers, list) and publishers else None,
        mark_id=identifier.removeprefix("urn:uuid:") if identifier is not None else None,
        license=_to_text(metadata.get("dc:rights")),
        license_url=_to_text(metadata.get("xmpRights:WebStatement")),
        allow_ai_training=_read_training(assertions.get("cawg.training-mining")),
        previous_fingerprint=previous,
    )


def _read_training(content: Any) -> bool | None:
    """True only if both kinds of training are allowed, False if one is not."""
    entries = _to_object(_to_object(content).get("entries"))
    permissions = [_to_object(entries.get(f"cawg.{name}")).get("use") for name in ("ai_training", "ai_generative_training")]
    if any(one in ("notAllowed", "constrained") for one in permissions):
        return False
    return True if permissions == ["allowed", "allowed"] else None
