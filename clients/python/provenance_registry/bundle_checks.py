"""Lists every check of a bundle: those that were made with what they found, and those that were not with the reason."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from .bundle_evidence import Check, Evidence, Problem, Source
from .errors import sanitize


def list_checks(evidence: Evidence, problems: List[Problem], is_manifest_confirmed: bool) -> List[Check]:
    return [
        _check_file(evidence, problems),
        *_check_chain(evidence, problems),
        *_check_manifest(evidence, problems, is_manifest_confirmed),
        _check_claims(evidence, problems, is_manifest_confirmed),
        Check("identity", "not checked", _identity_gap(evidence)),
        Check("C2PA rules", "not checked", "for all rules of C2PA on the content of assertions, use a C2PA validator"),
    ]


def _check(
    name: str, problems: List[Problem], failures: List[Tuple[Source, str]], gap: Optional[str], passed: str
) -> Check:
    """Failed if one of these problems was found; not checked if there is a gap."""
    reasons: Dict[Tuple[Source, str], str] = {(source, code): reason for source, code, reason in problems}
    failed = next((reasons[key] for key in failures if key in reasons), None)
    if failed is not None:
        return Check(name, "failed", failed)
    return Check(name, "passed", passed) if gap is None else Check(name, "not checked", gap)


def _proof_gap(evidence: Evidence) -> Optional[str]:
    return None if evidence.registration else evidence.proof_error or "the bundle has no proof"


def _manifest_gap(evidence: Evidence) -> Optional[str]:
    return None if evidence.manifest else evidence.manifest_gap or evidence.manifest_error or "it is not valid"


def _check_file(evidence: Evidence, problems: List[Problem]) -> Check:
    gap = None if evidence.is_file_given else "no fingerprint was given; that of the bundle was taken"
    is_other = evidence.bundle.fingerprint != evidence.fingerprint
    failures: List[Tuple[Source, str]] = [("manifest", "FINGERPRINT_MISMATCH")] if is_other else []
    return _check("file", problems, failures, gap, "the bundle is for this file")


def _check_chain(evidence: Evidence, problems: List[Problem]) -> List[Check]:
    bundle, registration = evidence.bundle, evidence.registration
    gap = _proof_gap(evidence)
    proven = ""
    if registration and bundle.proof:
        proven = (
            f"the contract 0x{bundle.proof.contract.hex()} logged the registration in block"
            f" {registration.block_number}, whose hash is {registration.block_hash}"
        )
    no_block = None if evidence.block_hash else "no block hash was given: compare it with an explorer of the chain"
    no_contract = None if evidence.contract else "no contract was given: its address comes from the bundle"
    no_metadata = None if bundle.metadata is not None else "the bundle has no metadata"
    return [
        _check("proof", problems, [("chain", "PROOF_INVALID")], gap, proven),
        _check("block", problems, [("chain", "BLOCK_MISMATCH")], gap or no_block, "its hash is the one that you compared"),
        _check("contract", problems, [("chain", "CONTRACT_MISMATCH")], gap or no_contract, "it is the one that you named"),
        _check(
            "chain id",
            problems,
            [("chain", "CHAIN_ID_MISMATCH")],
            gap or "a block does not name its chain: it is the one on which you find the block",
            "",
        ),
        _check(
            "metadata",
            problems,
            [("bundle", "METADATA_MISMATCH")],
            gap or no_metadata,
            "their hash is the one that the contract logged",
        ),
    ]


def _check_manifest(evidence: Evidence, problems: List[Problem], is_confirmed: bool) -> List[Check]:
    bundle, manifest = evidence.bundle, evidence.manifest
    gap = _manifest_gap(evidence)
    copy = "nothing but the bundle connects this copy with the manifest" if not is_confirmed and not problems else None
    other = "the bundle is for another file" if bundle.fingerprint != evidence.fingerprint else None
    no_roots = None if evidence.has_roots else "no trust anchors were given: anyone can make a certificate with this name"
    signer = f'"{sanitize(manifest.signed_by)}" has a certificate of an authority that you trust' if manifest else ""
    subject = "the manifest is for this file" if bundle.signed_copy_of is None else _describe_copy(bundle.signed_copy_of)
    return [
        _check(
            "signature",
            problems,
            [("manifest", "MANIFEST_INVALID")],
            gap,
            "the manifest, and those that it builds on, have not been changed since they were signed",
        ),
        _check(
            "subject",
            problems,
            [
                ("manifest", "FINGERPRINT_MISMATCH"),
                ("manifest", "MANIFEST_ID_MISMATCH"),
                ("bundle", "MANIFEST_ID_MISMATCH"),
                ("bundle", "FINGERPRINT_MISMATCH"),
            ],
            gap or other or copy,
            subject,
        ),
        _check("signer", problems, [("manifest", "UNTRUSTED_SIGNER")], gap or no_roots, signer),
        *_check_times(evidence, problems),
    ]


def _describe_copy(original: str) -> str:
    return f"the manifest is for {original}; the contract has it for this file too, as for a signed copy"


def _check_times(evidence: Evidence, problems: List[Problem]) -> List[Check]:
    manifest = evidence.manifest
    gap = _manifest_gap(evidence)
    stamp = manifest.timestamp if manifest else None
    whose = "an authority" if manifest and manifest.is_timestamp_independent else "an authority of the signer's own roots"
    no_stamp = None if stamp else "there is none of an authority below the given roots"
    is_copy = evidence.bundle.signed_copy_of is not None
    no_times = no_stamp or ("the time-stamp is of the registered file, not of this copy" if is_copy else None)
    blocked = "chain or manifest contradict" if any(one.source in ("chain", "manifest") for one in problems) else None
    return [
        _check("time-stamp", problems, [], gap or no_stamp, f"signed before {stamp}, says {whose}"),
        _check(
            "times",
            problems,
            [("chain", "TIME_MISMATCH")],
            _proof_gap(evidence) or gap or no_times or blocked,
            "the file was signed before it was written on chain",
        ),
    ]


def _check_claims(evidence: Evidence, problems: List[Problem], is_confirmed: bool) -> Check:
    no_metadata = None if evidence.bundle.metadata is not None else "the bundle has no metadata"
    unconfirmed = None if is_confirmed else "the manifest does not confirm"
    return _check(
        "claims",
        problems,
        [("bundle", "CLAIMS_MISMATCH")],
        _manifest_gap(evidence) or no_metadata or unconfirmed,
        "Mark, author, license, filename and AI training are the same in metadata and manifest, where both have them",
    )


def _identity_gap(evidence: Evidence) -> str:
    if evidence.manifest is None:
        return _manifest_gap(evidence) or ""
    if evidence.manifest.has_identity:
        return "the manifest has an identity credential, which this package does not check"
    return "the manifest has no identity credential"
