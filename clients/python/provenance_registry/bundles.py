"""Verifies bundles offline: everything is recomputed from the bundle, and compared with what the caller knows."""

from __future__ import annotations

import datetime
import re
from typing import Any, Dict, List, Literal, Optional, Tuple

from .bundle_checks import list_checks
from .bundle_evidence import Evidence, Problem, Verification
from .bundle_format import Bundle
from .canonical import canonical_json
from .certificates import Certificate, parse_roots
from .errors import sanitize
from .hashing import require_fingerprint
from .keccak import keccak256
from .manifests import Claims, Manifest, ManifestError, NotUnderstoodError, read_manifest
from .proofs import ProofError, Registration, prove_registration

#: Clocks of services, time-stamp authorities and block producers differ by less.
_CLOCK_TOLERANCE = datetime.timedelta(minutes=5)
_NO_LICENSE = "None specified"
_BLOCK_HASH = re.compile(r"0x[0-9a-fA-F]{64}")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")


def verify_bundle(
    bundle: Bundle,
    fingerprint: Optional[str] = None,
    *,
    block_hash: Optional[str] = None,
    contract: Optional[str] = None,
    chain_id: Optional[int] = None,
    trust_anchors: Optional[str] = None,
    timestamp_anchors: Optional[str] = None,
) -> Verification:
    """Verifies a bundle without any network.

    :param fingerprint: Of your file. Without it, the one in the bundle is taken, and the file is told as not checked.
    :param block_hash: The hash that an explorer of the chain shows for the block of the proof.
    :param contract: The address of the registry's contract, as you know it from elsewhere than from the bundle.
    :param chain_id: The chain, as you know it.
    :param trust_anchors: PEM certificates of the authorities of signers that you trust.
    :param timestamp_anchors: Those of time-stamp authorities. Default: `trust_anchors`.
    :raises ValueError: An argument is malformed.
    """
    if fingerprint is not None:
        require_fingerprint(fingerprint)
    if block_hash is not None and _BLOCK_HASH.fullmatch(block_hash) is None:
        raise ValueError(f"{block_hash!r} is not the hash of a block")
    if contract is not None and _ADDRESS.fullmatch(contract) is None:
        raise ValueError(f"{contract!r} is not the address of a contract")
    roots = [] if trust_anchors is None else parse_roots(trust_anchors)
    if trust_anchors is not None and not roots:
        raise ValueError("the trust anchors contain no certificate")
    stamp_roots = roots if timestamp_anchors is None else parse_roots(timestamp_anchors)
    subject = bundle.fingerprint if fingerprint is None else fingerprint
    registration, proof_error = _read_proof(bundle, subject)
    manifest, manifest_error, manifest_gap = _read_manifest(bundle, roots, stamp_roots)
    evidence = Evidence(
        bundle=bundle,
        fingerprint=subject,
        is_file_given=fingerprint is not None,
        block_hash=None if block_hash is None else block_hash.lower(),
        contract=None if contract is None else contract.lower(),
        chain_id=chain_id,
        has_roots=bool(roots),
        registration=registration,
        proof_error=proof_error,
        manifest=manifest,
        manifest_error=manifest_error,
        manifest_gap=manifest_gap,
    )
    return _conclude(evidence)


def _read_proof(bundle: Bundle, fingerprint: str) -> Tuple[Optional[Registration], Optional[str]]:
    if bundle.proof is None:
        return None, None
    _, contract, header, index, receipt, nodes = bundle.proof
    try:
        subject = bytes.fromhex(fingerprint[2:])
        return prove_registration(header, index, receipt, nodes, contract, subject), None
    except ProofError as error:
        return None, str(error)


def _read_manifest(
    bundle: Bundle, roots: List[Certificate], stamp_roots: List[Certificate]
) -> Tuple[Optional[Manifest], Optional[str], Optional[str]]:
    now = datetime.datetime.now(datetime.timezone.utc)
    try:
        return read_manifest(bundle.manifest, roots, stamp_roots, now), None, None
    except ManifestError as error:
        return None, sanitize(str(error)), None
    except NotUnderstoodError as error:
        return None, None, sanitize(str(error))


def _conclude(evidence: Evidence) -> Verification:
    manifest_problems = _find_manifest_problems(evidence)
    problems = [
        *_find_bundle_problems(evidence, not manifest_problems),
        *_find_chain_problems(evidence),
        *manifest_problems,
    ]
    problems += _compare_times(evidence, problems)
    sources = {problem.source for problem in problems}
    is_chain_confirmed = evidence.registration is not None and "chain" not in sources
    link = _find_link(evidence) if is_chain_confirmed else None
    is_linked = evidence.manifest is not None and (
        evidence.manifest.fingerprint == evidence.fingerprint or link is not None
    )
    is_manifest_confirmed = is_linked and "manifest" not in sources
    independent: List[Literal["chain", "manifest"]] = []
    if is_chain_confirmed and evidence.block_hash is not None:
        independent.append("chain")
    is_signer_known = evidence.manifest is not None and evidence.manifest.is_trusted
    if is_manifest_confirmed and is_signer_known and (link is None or link):
        independent.append("manifest")
    verdict = _decide(evidence, problems, independent, is_chain_confirmed or is_manifest_confirmed)
    checks = list_checks(evidence, problems, is_manifest_confirmed)
    return Verification(
        fingerprint=evidence.fingerprint,
        verdict=verdict,
        independent_sources=tuple(independent),
        checks=tuple(checks),
        problems=tuple(problems),
        registration=evidence.registration,
        manifest=evidence.manifest,
    )


def _decide(
    evidence: Evidence, problems: List[Problem], independent: List[Any], is_anything_confirmed: bool
) -> Literal["verified", "consistent", "contradicted", "incomplete"]:
    if problems:
        return "contradicted"
    # What could not be checked may be wrong. A hash that was compared with a proof that is not there confirmed nothing.
    is_block_missing = evidence.block_hash is not None and "chain" not in independent
    if not is_anything_confirmed or evidence.manifest_gap is not None or is_block_missing:
        return "incomplete"
    return "verified" if independent else "consistent"


def _find_link(evidence: Evidence) -> Optional[bool]:
    """How the manifest of the registered file speaks for its signed copy: the entry of the copy names it.

    None if it does not; else whether that is independent of the maker.
    """
    bundle, registration, manifest = evidence.bundle, evidence.registration, evidence.manifest
    original = bundle.signed_copy_of
    if original is None or original == evidence.fingerprint or manifest is None or manifest.fingerprint != original:
        return None
    if registration is None or _bare_id(registration.manifest_id) != _bare_id(manifest.label):
        return None
    return evidence.block_hash is not None and evidence.contract is not None


def _bare_id(text: str) -> str:
    return text.removeprefix("urn:c2pa:").lower()


def _find_bundle_problems(evidence: Evidence, is_manifest_valid: bool) -> List[Problem]:
    bundle, registration, manifest = evidence.bundle, evidence.registration, evidence.manifest
    problems: List[Problem] = []
    if registration is not None:
        if _bare_id(registration.manifest_id) != _bare_id(bundle.manifest_id):
            reason = f"the bundle names the manifest {bundle.manifest_id}, but the chain has {registration.manifest_id}"
            problems.append(Problem("bundle", "MANIFEST_ID_MISMATCH", sanitize(reason)))
        if bundle.metadata is not None and _hash(bundle.metadata) != registration.manifest_hash:
            reason = "the metadata (author, Mark, license, filename, …) do not match the hash on chain"
            problems.append(Problem("bundle", "METADATA_MISMATCH", reason))
    if manifest is not None and is_manifest_valid and bundle.metadata is not None:
        problems += _compare_claims(bundle.metadata, manifest.claims)
    is_signed_itself = manifest is not None and manifest.fingerprint == evidence.fingerprint
    if bundle.signed_copy_of is not None and is_signed_itself and bundle.fingerprint == evidence.fingerprint:
        reason = f"the bundle says that this file is a signed copy of {bundle.signed_copy_of}, but the manifest is for itself"
        problems.append(Problem("bundle", "FINGERPRINT_MISMATCH", reason))
    return problems


def _hash(metadata: Dict[str, Any]) -> str:
    return f"0x{keccak256(canonical_json(metadata).encode('utf-8')).hex()}"


def _compare_claims(metadata: Dict[str, Any], claims: Claims) -> List[Problem]:
    """The manifest of a private Mark claims nothing about author, Mark, license and filename."""
    has_claims = claims.mark_id is not None
    mark, author, license_ = (metadata.get(name) or {} for name in ("mark", "author", "license"))
    missing = object()
    pairs: List[Tuple[str, Any, Any]] = [
        ("Mark", mark.get("id"), claims.mark_id),
        ("name of the Mark", mark.get("name"), claims.mark_name),
        ("author", author.get("name"), claims.author),
        ("license", license_.get("name"), (claims.license or _NO_LICENSE) if has_claims else None),
        ("license URL", license_.get("url"), claims.license_url),
        ("filename", metadata.get("filename"), claims.title),
    ]
    differing = [name for name, recorded, signed in pairs if None not in (recorded, signed) and recorded != signed]
    training = metadata.get("allowAiTraining", missing)
    if training is not missing and has_claims and training is not claims.allow_ai_training:
        differing.append("AI training preference")
    previous = claims.previous_fingerprint
    if previous is not None and previous != metadata.get("previousFingerprint"):
        differing.append("previous version")
    return [
        Problem("bundle", "CLAIMS_MISMATCH", f"the metadata have another {name} than the signed manifest")
        for name in differing
    ]


def _find_chain_problems(evidence: Evidence) -> List[Problem]:
    bundle, registration = evidence.bundle, evidence.registration
    if evidence.proof_error is not None:
        return [Problem("chain", "PROOF_INVALID", f"the proof is not valid: {evidence.proof_error}")]
    if registration is None or bundle.proof is None:
        return []
    address = f"0x{bundle.proof.contract.hex()}"
    rules = [
        (
            evidence.block_hash in (None, registration.block_hash),
            "BLOCK_MISMATCH",
            f"you compared the block {evidence.block_hash}, but the proof leads to {registration.block_hash}",
        ),
        (
            evidence.contract in (None, address),
            "CONTRACT_MISMATCH",
            f"you named the contract {evidence.contract}, but the proof is of {address}",
        ),
        (
            evidence.chain_id in (None, bundle.proof.chain_id),
            "CHAIN_ID_MISMATCH",
            f"you named chain {evidence.chain_id}, but the bundle is of chain {bundle.proof.chain_id}",
        ),
    ]
    return [Problem("chain", code, reason) for holds, code, reason in rules if not holds]


def _find_manifest_problems(evidence: Evidence) -> List[Problem]:
    bundle, manifest = evidence.bundle, evidence.manifest
    if bundle.fingerprint != evidence.fingerprint:
        reason = f"the bundle is for another file: {bundle.fingerprint}"
        return [Problem("manifest", "FINGERPRINT_MISMATCH", reason)]
    if evidence.manifest_error is not None:
        return [Problem("manifest", "MANIFEST_INVALID", f"the manifest is not valid: {evidence.manifest_error}")]
    if manifest is None:
        return []
    is_of_original = bundle.signed_copy_of is not None and manifest.fingerprint == bundle.signed_copy_of
    subject = bundle.signed_copy_of if is_of_original else evidence.fingerprint
    expected = evidence.registration.manifest_id if evidence.registration else bundle.manifest_id
    rules = [
        (manifest.fingerprint is not None, "MANIFEST_INVALID", "the manifest is not bound to a whole file"),
        (
            manifest.fingerprint in (None, subject),
            "FINGERPRINT_MISMATCH",
            f"the manifest is for another file: {manifest.fingerprint}",
        ),
        (
            manifest.soft_binding in (None, subject),
            "FINGERPRINT_MISMATCH",
            f"the soft binding in the manifest is for another file: {manifest.soft_binding}",
        ),
        (
            _bare_id(manifest.label) == _bare_id(expected),
            "MANIFEST_ID_MISMATCH",
            f"the manifest should be {expected}, but it is {manifest.label}",
        ),
        (
            manifest.is_trusted or not evidence.has_roots,
            "UNTRUSTED_SIGNER",
            f'it was signed by "{manifest.signed_by}", which is not a signer that you trust',
        ),
    ]
    return [Problem("manifest", code, sanitize(reason)) for holds, code, reason in rules if not holds]


def _compare_times(evidence: Evidence, problems: List[Problem]) -> List[Problem]:
    """A file is signed before it is written on chain. The time-stamp of a registered file says nothing about its copy."""
    registration, manifest = evidence.registration, evidence.manifest
    if registration is None or manifest is None or manifest.timestamp is None:
        return []
    is_excluded = any(problem.source in ("chain", "manifest") for problem in problems)
    if is_excluded or manifest.fingerprint != evidence.fingerprint:
        return []
    block_time = _to_time(registration.block_time)
    if block_time is not None and manifest.timestamp - block_time <= _CLOCK_TOLERANCE:
        return []
    reason = f"the entry on chain is of {block_time}, before the manifest was signed ({manifest.timestamp})"
    return [Problem("chain", "TIME_MISMATCH", reason)]


def _to_time(seconds: int) -> Optional[datetime.datetime]:
    """None if there is no such date."""
    try:
        return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    except (OverflowError, OSError, ValueError):
        return None
