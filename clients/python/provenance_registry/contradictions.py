"""Finds contradictions within a bundle, and between it and what the caller knows, in the words of the SDK for TypeScript."""

from __future__ import annotations

import datetime
import hashlib
from typing import Any, Iterable, Iterator, Literal, NamedTuple

from .bundle_format import Bundle, Proof
from .canonical import hash_json
from .errors import sanitize
from .facts import encode_ai_preferences, format_time, license_name, read_claims, read_metadata
from .manifests import Claims, Manifest
from .proofs import AnchorBlock, Registration
from .receipts import LoggedLeaf, LogKey

Source = Literal["bundle", "chain", "manifest", "log"]

#: Clocks of services, time-stamp authorities and block producers differ by less.
_CLOCK_TOLERANCE = datetime.timedelta(minutes=5)
#: For people.
_LABELS = {
    "mark": "name of the Mark",
    "markId": "Mark",
    "author": "author",
    "license": "license",
    "licenseUrl": "license URL",
    "allowAiTraining": "AI training preference",
    "filename": "filename",
    "previousFingerprint": "previous version",
}


class Problem(NamedTuple):
    """A contradiction, attributed to the part that cannot be right."""

    #: `bundle`: its metadata, or what its maker says.
    source: Source
    #: For programs, as in the SDK for TypeScript.
    code: str
    reason: str
    #: The name of the check that found it.
    check: str


class Named(NamedTuple):
    """What the caller knows from elsewhere than from the maker of the bundle. None: not named."""

    fingerprint: str | None
    block_hash: str | None
    contract: str | None
    chain_id: int | None
    anchor_block_hash: str | None
    log_contract: str | None
    has_roots: bool
    log_keys: list[LogKey]
    mark: str | None


class Evidence(NamedTuple):
    """The bundle, and what was read from it."""

    bundle: Bundle
    #: Of the caller's file, or else the one in the bundle.
    fingerprint: str
    named: Named
    registration: Registration | None
    #: Why there is none.
    proof_gap: str
    manifest: Manifest | None
    manifest_gap: str
    #: False: the manifest may be valid, but has something that this package does not check.
    is_manifest_understood: bool
    #: None without a key or a receipt that holds.
    leaf: LoggedLeaf | None
    log_gap: str
    is_receipt_valid: bool
    #: None without a leaf, or an anchor of a tree that has it.
    anchor: AnchorBlock | None
    anchor_gap: str

    @property
    def has_copy_link(self) -> bool:
        """Whether the entry of a signed copy names the manifest of the registered file, which then speaks for the copy."""
        registration, manifest = self.registration, self.manifest
        if registration is None or manifest is None or not self._is_of_original:
            return False
        return _bare_id(registration.manifest_id) == _bare_id(manifest.label)

    @property
    def is_anchored_by_named(self) -> bool:
        """Whether the anchor of the log is in the contract that the caller named."""
        anchor = self.bundle.anchor
        return anchor is not None and anchor.proof.contract_address == self.named.log_contract

    @property
    def is_linked_by_log(self) -> bool:
        """Whether the leaf of a signed copy has the hash of that manifest."""
        if self.leaf is None or self.leaf.content["fingerprint"] != self.fingerprint or not self._is_of_original:
            return False
        return bool(self.leaf.kind == "rendition" and self.leaf.content["manifest"] == self.manifest_digest)

    @property
    def manifest_digest(self) -> str:
        return f"0x{hashlib.sha256(self.bundle.manifest).hexdigest()}"

    @property
    def _is_of_original(self) -> bool:
        original, manifest = self.bundle.signed_copy_of, self.manifest
        return original not in (None, self.fingerprint) and manifest is not None and manifest.fingerprint == original


#: What must hold, the code if it does not, the name of the check, and the reason.
_Rule = tuple[bool, str, str, str]


def find_problems(evidence: Evidence) -> list[Problem]:
    """All contradictions, in the order of the SDK."""
    chain, manifest = _list_broken("chain", _chain_rules(evidence)), _list_broken("manifest", _manifest_rules(evidence))
    bundle = _list_broken("bundle", _bundle_rules(evidence, is_manifest_valid=not manifest))
    log = _list_broken("log", (*_log_rules(evidence, is_manifest_valid=not manifest), *_anchor_rules(evidence)))
    times = _list_broken("chain", () if chain or manifest else _time_rules(evidence))
    return [*bundle, *chain, *manifest, *log, *times]


def _list_broken(source: Source, rules: Iterable[_Rule]) -> list[Problem]:
    return [Problem(source, code, sanitize(reason), check) for holds, code, check, reason in rules if not holds]


def _bundle_rules(evidence: Evidence, is_manifest_valid: bool) -> Iterator[_Rule]:
    bundle, registration, manifest = evidence.bundle, evidence.registration, evidence.manifest
    if registration is not None:
        reason = f"The bundle names the manifest {bundle.manifest_id}, but the chain has {registration.manifest_id}."
        is_named = _bare_id(registration.manifest_id) == _bare_id(bundle.manifest_id)
        yield is_named, "MANIFEST_ID_MISMATCH", "subject", reason
        is_hashed = bundle.metadata is None or hash_json(bundle.metadata) == registration.manifest_hash
        reason = "The record (author, Mark, license, filename, …) does not match the hash on chain."
        yield is_hashed, "METADATA_MISMATCH", "metadata", reason
    yield from _compare_with_log(evidence)
    if bundle.fingerprint != evidence.fingerprint or manifest is None:
        return
    if is_manifest_valid and bundle.metadata is not None:
        for name, recorded, signed in _compare_claims(bundle.metadata, manifest.claims):
            reason = f'The bundle says that the {name} is "{recorded}", but the signed manifest says "{signed}".'
            yield False, "CLAIMS_MISMATCH", "claims", reason
    original, is_signed_itself = bundle.signed_copy_of, manifest.fingerprint == evidence.fingerprint
    reason = f"The bundle says that this file is a signed copy of {original}, but the manifest is for this file itself."
    yield original is None or not is_signed_itself, "FINGERPRINT_MISMATCH", "subject", reason


def _chain_rules(evidence: Evidence) -> Iterator[_Rule]:
    proof, registration, named = evidence.bundle.proof, evidence.registration, evidence.named
    if proof is None or registration is None:
        yield proof is None, "PROOF_INVALID", "chain", f"The proof is not valid: {evidence.proof_gap}."
        return
    own = (named.block_hash, named.contract, named.chain_id)
    yield from _compare_with_named(proof, registration.block_hash, own, ("chain", "contract", "chain id"))


def _compare_with_named(
    proof: Proof, block_hash: str, named: tuple[str | None, str | None, int | None], checks: tuple[str, str, str]
) -> Iterator[_Rule]:
    own, contract, chain_id = named
    reason = f"You compared the block {own}, but the proof leads to {block_hash}."
    yield own in (None, block_hash), "BLOCK_MISMATCH", checks[0], reason
    reason = f"You named the contract {contract}, but the proof is of {proof.contract_address}."
    yield contract in (None, proof.contract_address), "CONTRACT_MISMATCH", checks[1], reason
    reason = f"You named chain {chain_id}, but the bundle is of chain {proof.chain_id}."
    yield chain_id in (None, proof.chain_id), "CHAIN_ID_MISMATCH", checks[2], reason


def _manifest_rules(evidence: Evidence) -> Iterator[_Rule]:
    bundle, manifest, registration = evidence.bundle, evidence.manifest, evidence.registration
    if bundle.fingerprint != evidence.fingerprint:
        yield False, "FINGERPRINT_MISMATCH", "file", f"The bundle is for another file: {bundle.fingerprint}."
        return
    if manifest is None:
        reason = f"The manifest is not valid: {evidence.manifest_gap}."
        yield not evidence.is_manifest_understood, "MANIFEST_INVALID", "signature", reason
        return
    hashed, bound = manifest.fingerprint, manifest.soft_binding
    subjects = (None, hashed if hashed is not None and hashed == bundle.signed_copy_of else evidence.fingerprint)
    expected = registration.manifest_id if registration else bundle.manifest_id
    yield hashed is not None, "MANIFEST_INVALID", "signature", "The manifest is not bound to a whole file."
    yield hashed in subjects, "FINGERPRINT_MISMATCH", "subject", f"The manifest is for another file: {hashed}."
    reason = f"The soft binding in the manifest is for another file: {bound}."
    yield bound in subjects, "FINGERPRINT_MISMATCH", "subject", reason
    reason = f"The manifest should be {expected}, but it is {manifest.label}."
    yield _bare_id(manifest.label) == _bare_id(expected), "MANIFEST_ID_MISMATCH", "subject", reason
    reason = f'It was signed by "{manifest.signed_by}", which is not a signer that you trust.'
    yield manifest.is_trusted or not evidence.named.has_roots, "UNTRUSTED_SIGNER", "signer", reason


def _compare_with_log(evidence: Evidence) -> Iterator[_Rule]:
    metadata, leaf = evidence.bundle.metadata, evidence.leaf
    if leaf is None:
        return
    if metadata is not None:
        reason = "The record (author, Mark, license, filename, …) does not match the hash in the log."
        yield hash_json(metadata) == leaf.content["metadata"], "METADATA_MISMATCH", "log", reason
    is_same = (leaf.kind == "rendition") == (evidence.bundle.signed_copy_of is not None)
    yield is_same, "LEAF_MISMATCH", "log", "The log has other values than the record of the service: signed copy."
    if metadata is None:
        return
    recorded = {"mark": read_metadata(metadata).get("markId"), "license": metadata.get("licenseKey")}
    for name, label in (("mark", "Mark"), ("license", "license")):
        is_same = leaf.terms is None or recorded[name] in (None, leaf.terms[name])
        yield is_same, "LEAF_MISMATCH", "log", f"The log has other values than the record of the service: {label}."


def _log_rules(evidence: Evidence, is_manifest_valid: bool) -> Iterator[_Rule]:
    bundle, leaf, registration = evidence.bundle, evidence.leaf, evidence.registration
    if leaf is None:
        reason = f"The receipt of the log does not hold: {evidence.log_gap}."
        yield evidence.is_receipt_valid, "RECEIPT_INVALID", "log", reason
        return
    content, expected = leaf.content, registration.manifest_id if registration else bundle.manifest_id
    reason = f"The receipt of the log is for another file: {content['fingerprint']}."
    yield content["fingerprint"] == evidence.fingerprint, "FINGERPRINT_MISMATCH", "log", reason
    reason = f"The manifest should be {expected}, but the log has {content['id']}."
    yield _bare_id(content["id"]) == _bare_id(expected), "MANIFEST_ID_MISMATCH", "log", reason
    is_on_chain = registration is None or content["metadata"] == registration.manifest_hash
    yield is_on_chain, "LEAF_MISMATCH", "log", "The log has another hash of the metadata than the chain."
    if not is_manifest_valid or evidence.manifest is None:
        return
    is_manifest = content["manifest"] == evidence.manifest_digest
    yield is_manifest, "LEAF_MISMATCH", "log", "The log has another signed manifest for this file."
    claims, terms = evidence.manifest.claims, leaf.terms
    if terms is None or claims.mark_id is None:
        return
    same = {
        "Mark": terms["mark"] == claims.mark_id,
        "license": license_name(terms["license"]) in (None, read_claims(claims)["license"]),
        "AI preferences": terms["ai"] == encode_ai_preferences(claims.ai_preferences),
    }
    for name, holds in same.items():
        yield holds, "LEAF_MISMATCH", "log", f"The log has other values than the signed manifest: {name}."


def _anchor_rules(evidence: Evidence) -> Iterator[_Rule]:
    anchor, named = evidence.bundle.anchor, evidence.named
    if evidence.leaf is None or anchor is None:
        return
    if evidence.anchor is None:
        yield False, "ANCHOR_INVALID", "anchor", f"The anchor of the log does not hold: {evidence.anchor_gap}."
        return
    # An anchor in another contract is one, such as in the contract before: it counts as the maker's word.
    own = (named.anchor_block_hash, None, named.chain_id)
    yield from _compare_with_named(anchor.proof, evidence.anchor.block_hash, own, ("anchor", "anchor", "anchor"))


def _time_rules(evidence: Evidence) -> Iterator[_Rule]:
    """A file is signed before it is written on chain. The time-stamp of a registered file is not one of its copy."""
    registration, manifest = evidence.registration, evidence.manifest
    if registration is None or manifest is None:
        return
    block_time = datetime.datetime.fromtimestamp(registration.block_time, datetime.timezone.utc)
    entered = f"The entry on chain is of {format_time(block_time)}, before"
    if manifest.timestamp is not None and manifest.fingerprint == evidence.fingerprint:
        reason = f"{entered} the manifest was signed ({format_time(manifest.timestamp)})."
        yield manifest.timestamp - block_time <= _CLOCK_TOLERANCE, "TIME_MISMATCH", "times", reason
    reason = f"{entered} the certificate of the manifest's signer began ({format_time(manifest.certified_since)})."
    yield manifest.certified_since - block_time <= _CLOCK_TOLERANCE, "TIME_MISMATCH", "times", reason


def _bare_id(text: str) -> str:
    return text.removeprefix("urn:c2pa:").lower()


def _compare_claims(metadata: dict[str, Any], claims: Claims) -> Iterator[tuple[str, str, str]]:
    """What differs. The manifest of a private Mark claims nothing about author, Mark, license and filename."""
    recorded, signed = read_metadata(metadata), read_claims(claims)
    for name, label in _LABELS.items():
        if claims.mark_id is None and name in ("license", "allowAiTraining"):
            continue
        one, other = recorded.get(name), signed.get(name)
        is_both = None not in (one, other) or (name == "allowAiTraining" and name in recorded)
        if (is_both and one != other) or (name == "previousFingerprint" and other not in (None, one)):
            yield label, _to_text(one), _to_text(other)


def _to_text(value: str | bool | None) -> str:
    return value if isinstance(value, str) else {None: "none", True: "true", False: "false"}[value]
