"""Checks signed C2PA manifests of the kind that registries write.

This is not a complete C2PA validator. It checks signature, certificates, time-stamps and the hashes of all assertions and of
the manifests that it builds on; what it does not understand raises NotUnderstoodError, and is then told as not checked.
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
from .snapshot import AI_USES
from .timestamps import read_timestamp

#: The types of boxes have four letters, and this behind them.
_TYPE_END = bytes.fromhex("00110010800000aa00389b71")
_STORE_TYPE, _MANIFEST_TYPE, _UPDATE_TYPE = b"c2pa" + _TYPE_END, b"c2ma" + _TYPE_END, b"c2um" + _TYPE_END
_CLAIM, _OLD_CLAIM, _SIGNATURE, _ASSERTIONS = "c2pa.claim.v2", "c2pa.claim", "c2pa.signature", "c2pa.assertions"
_TYPES = {_CLAIM: b"c2cl" + _TYPE_END, _SIGNATURE: b"c2cs" + _TYPE_END, _ASSERTIONS: b"c2as" + _TYPE_END}
#: Boxes that a manifest may have beside those.
_OTHER_COLLECTIONS = {"c2pa.credentials", "c2pa.databoxes"}
_PREFIX = "self#jumbf="
_SIGN1_TAG = 18
_ALGORITHM_HEADER, _CERTIFICATES_HEADER, _OLD_CERTIFICATES_HEADER = 1, 33, "x5chain"
_ALGORITHMS = {-7: "ES256", -35: "ES384", -36: "ES512", -37: "PS256", -38: "PS384", -39: "PS512", -8: "EdDSA"}
_HASHES = ("sha256", "sha384", "sha512")
_MAX_CERTIFICATES = 8
_PERMISSIONS = ("allowed", "notAllowed", "constrained")


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
    #: For each use of which it says something: `allowed`, `notAllowed`, or `constrained: ` and the conditions.
    ai_preferences: dict[str, str]
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
    #: Of an authority below one of the roots, when the certificate of the signer was valid.
    timestamp: datetime.datetime | None
    #: When the certificate of the signer began.
    certified_since: datetime.datetime
    #: Whether that authority has a root of its own.
    is_timestamp_independent: bool
    claims: Claims
    #: Whether there is an identity credential (CAWG), which is not checked here.
    has_identity: bool


class _Signature(NamedTuple):
    signed_by: str
    is_trusted: bool
    timestamp: datetime.datetime | None
    certified_since: datetime.datetime
    is_independent: bool


def read_manifest(
    store: bytes, roots: list[Certificate], timestamp_roots: list[Certificate], now: datetime.datetime
) -> Manifest:
    """Checks the active manifest, and that those that it builds on have not changed since.

    :param roots: The roots of signers. With none, signatures are checked all the same.
    :param timestamp_roots: The roots of time-stamp authorities.
    :raises ManifestError: It is not valid.
    :raises NotUnderstoodError: It has something that cannot be checked here.
    """
    try:
        box = parse_store(store)
        box.require_collection()
        labels = {manifest.label for manifest in box.boxes}
        if (box.type, box.label) != (_STORE_TYPE, "c2pa") or not labels or len(labels) != len(box.boxes):
            raise ManifestError("not a manifest store, or one with two manifests of one label")
        reader = _Reader(box, roots, timestamp_roots, now)
        manifest = reader.read(box.boxes[-1])
        if reader.checked != labels:
            raise ManifestError("a manifest is not part of the history")
        return manifest
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
        self._other_roots = [root for root in timestamp_roots if not any(map(root.shares_key, roots))]
        self._now = now
        #: Labels of the manifests that were read.
        self.checked: set[str] = set()

    def read(self, manifest: Box) -> Manifest:
        claim, claim_bytes = _read_claim(manifest)
        signature = self._verify(_require_box(manifest, _SIGNATURE).payload(b"cbor"), claim_bytes)
        assertions = _check_assertions(manifest, claim)
        previous = self._check_history(manifest)
        blocks = _to_object(assertions.get("c2pa.soft-binding")).get("blocks")
        return Manifest(
            label=manifest.label,
            fingerprint=_read_file_hash(assertions.get("c2pa.hash.data")),
            soft_binding=_to_fingerprint(_to_object(_sole(blocks)).get("value")),
            signed_by=signature.signed_by,
            is_trusted=signature.is_trusted,
            timestamp=signature.timestamp,
            certified_since=signature.certified_since,
            is_timestamp_independent=signature.is_independent,
            claims=_read_claims(claim, assertions, previous),
            has_identity=any(label.startswith("cawg.identity") for label in assertions),
        )

    def _verify(self, data: bytes, claim: bytes) -> _Signature:
        """The COSE signature over the claim, and the certificate that made it."""
        protected, header, unprotected, signature = _read_sign1(data)
        stated: Any = header.get(_ALGORITHM_HEADER)
        algorithm = _ALGORITHMS.get(stated)
        if algorithm is None:
            raise ManifestError("the signature has an algorithm that C2PA does not allow")
        chain: Any = header.get(_CERTIFICATES_HEADER, header.get(_OLD_CERTIFICATES_HEADER))
        if chain is None and _OLD_CERTIFICATES_HEADER in unprotected:
            raise NotUnderstoodError("the certificates are not in the protected header")
        encoded = chain if isinstance(chain, list) else [chain]
        if not 0 < len(encoded) <= _MAX_CERTIFICATES:
            raise ManifestError("the signature has no certificate, or too many")
        path = [Certificate(one) for one in encoded]
        leaf = path[0]
        if not leaf.has_signed(_to_be_signed("Signature1", protected, claim), signature, JOSE_ALGORITHMS[algorithm]):
            raise ManifestError("the signature of the claim is wrong")
        if not leaf.may_sign_claims:
            raise ManifestError("the certificate is not one of a signer")
        stamped = {"sigTst2": cbor.encode(signature), "sigTst": claim}
        timestamp, is_independent = self._find_timestamp(protected, unprotected, stamped, leaf)
        times = [self._now] if timestamp is None else [self._now, timestamp]
        if not any(map(leaf.is_valid_at, times)):
            raise ManifestError("the certificate of the signer was not valid when it signed")
        is_signer_trusted = any(is_trusted(path, self._roots, time) for time in times)
        return _Signature(leaf.subject, is_signer_trusted, timestamp, leaf.not_before, is_independent)

    def _find_timestamp(
        self, protected: bytes, unprotected: dict[Any, Any], stamped: dict[str, bytes], leaf: Certificate
    ) -> tuple[datetime.datetime | None, bool]:
        """The earliest time-stamp of an authority below a root, of one with a root of its own if there is one.

        One that is not valid, or that is of a time when the certificate was not, dates nothing.
        """
        found = []
        for name, payload in stamped.items():
            # C2PA allows one: which one of several counts would depend on the reader.
            token = _sole(_to_object(unprotected.get(name)).get("tstTokens"))
            data = _to_be_signed("CounterSignature", protected, payload)
            try:
                timestamp = read_timestamp(_to_bytes(_to_object(token).get("val")), data)
            except SignatureError:
                continue
            is_independent = timestamp.is_trusted(self._other_roots)
            if leaf.is_valid_at(timestamp.time) and (is_independent or timestamp.is_trusted(self._roots)):
                found.append((not is_independent, timestamp.time))
        is_dependent, time = min(found, default=(True, None))
        return time, not is_dependent

    def _check_history(self, manifest: Box) -> str | None:
        """Compares the manifests that this one builds on with their hashes in it, which cover all of their bytes.

        What their signers say is not shown, so their signatures are not checked: they may never have been valid.

        :returns: The file that the parent's was signed for.
        """
        self.checked.add(manifest.label)
        _require_form(manifest)
        previous: str | None = None
        for box in _require_box(manifest, _ASSERTIONS).boxes:
            content = _read_ingredient(box) if box.label.startswith("c2pa.ingredient") else {}
            # Called so in C2PA 1.
            reference = content.get("activeManifest", content.get("c2pa_manifest"))
            if reference is None:
                continue
            prefix, _, name = reference["url"].rpartition("/")
            parent = self._store.find(name) if prefix == f"{_PREFIX}/c2pa" else None
            if parent is None:
                raise ManifestError("a manifest that this one builds on is missing")
            _require_hash(reference, "sha256", parent)
            if "claimSignature" in content:
                _require_hash(content["claimSignature"], "sha256", _require_box(parent, _SIGNATURE))
            if parent.label not in self.checked:
                self._check_history(parent)
            if content.get("relationship") == "parentOf" and previous is None:
                hashed = _require_box(parent, _ASSERTIONS).find("c2pa.hash.data")
                previous = _read_file_hash(_decode_assertion(hashed)) if hashed else None
        return previous


def _read_sign1(data: bytes) -> tuple[bytes, dict[Any, Any], dict[Any, Any], bytes]:
    """The protected header as it is signed and as it is, the other one, and the signature."""
    message = cbor.decode(data)
    parts = message.value if isinstance(message, cbor.Tagged) and message.tag == _SIGN1_TAG else None
    if not isinstance(parts, list) or len(parts) != 4:
        raise ManifestError("the signature is not a COSE_Sign1")
    protected, unprotected, payload, signature = parts
    header = cbor.decode(protected)
    if payload is not None or not isinstance(header, dict) or not isinstance(unprotected, dict):
        raise ManifestError("the signature is not a detached COSE_Sign1")
    if any(isinstance(name, bytes) for name in (*header, *unprotected)):
        raise ManifestError("a header of the signature has a name that is neither a text nor a number")
    return protected, header, unprotected, signature


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
    if len(stored.boxes) != len(assertions):
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
    """By its type, as c2pa-rs finds it. Its label is not signed: other readers find the box by that."""
    found = [box for box in parent.boxes if box.type == _TYPES[name]]
    if len(found) != 1 or found[0].label not in (name, _OLD_CLAIM if name == _CLAIM else name):
        raise ManifestError(f"{name} is missing, or there twice")
    return found[0]


def _require_form(manifest: Box) -> None:
    """Signatures cover claims and what these refer to, so nothing else may be in it."""
    manifest.require_collection()
    _require_box(manifest, _ASSERTIONS).require_collection()
    others = [box for box in manifest.boxes if box.type not in _TYPES.values()]
    labels = {box.label for box in others}
    if len(labels) != len(others) or not labels <= _OTHER_COLLECTIONS:
        raise ManifestError("a manifest has an unknown box")
    for box in others:
        box.require_collection()


def _read_ingredient(box: Box) -> dict[Any, Any]:
    """Other signers write them in other forms."""
    try:
        return _to_object(_decode_assertion(box))
    except cbor.CborError as error:
        raise NotUnderstoodError(f"an ingredient has an unknown form: {error}") from error


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


def _to_bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else b""


def _to_text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _to_fingerprint(value: Any) -> str | None:
    return f"0x{value.hex()}" if isinstance(value, bytes) and len(value) == 32 else None


def _read_file_hash(assertion: Any) -> str | None:
    """One with exclusions is not one of the whole file."""
    hashed = _to_object(assertion)
    is_whole = hashed.get("alg") == "sha256" and not hashed.get("exclusions")
    return _to_fingerprint(hashed.get("hash")) if is_whole else None


def _read_claims(claim: dict[str, Any], assertions: dict[str, Any], previous: str | None) -> Claims:
    metadata = _to_object(assertions.get("cawg.metadata"))
    creators, publishers = (metadata.get(name) for name in ("dc:creator", "dc:publisher"))
    identifier = _to_text(metadata.get("dc:identifier"))
    entries = _to_object(_to_object(assertions.get("cawg.training-mining")).get("entries"))
    uses = {name: _to_object(entries.get(f"cawg.{name}")) for name in AI_USES}
    return Claims(
        title=_to_text(claim.get("dc:title")),
        author=_to_text(creators[0]) if isinstance(creators, list) and creators else None,
        mark_name=_to_text(publishers[0]) if isinstance(publishers, list) and publishers else None,
        mark_id=identifier.removeprefix("urn:uuid:") if identifier is not None else None,
        license=_to_text(metadata.get("dc:rights")),
        license_url=_to_text(metadata.get("xmpRights:WebStatement")),
        allow_ai_training=_read_training(uses["ai_training"].get("use"), uses["ai_generative_training"].get("use")),
        ai_preferences={name: _format_use(entry) for name, entry in uses.items() if entry.get("use") in _PERMISSIONS},
        previous_fingerprint=previous,
    )


def _format_use(entry: dict[Any, Any]) -> str:
    condition = _to_text(entry.get("constraint_info"))
    return str(entry["use"]) if condition is None else f"{entry['use']}: {condition}"


def _read_training(*permissions: Any) -> bool | None:
    """True only if both kinds of training are allowed, False if one is not."""
    if any(one in ("notAllowed", "constrained") for one in permissions):
        return False
    return True if permissions == ("allowed", "allowed") else None
