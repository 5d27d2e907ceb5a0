"""Verifies bundles offline: everything is recomputed from the bundle, and compared with what the caller knows."""

from __future__ import annotations

import datetime
import re
from typing import Any, Literal, NamedTuple

from .bundle_format import Bundle
from .canonical import hash_json
from .certificates import parse_roots
from .errors import sanitize
from .hashing import require_fingerprint
from .manifests import Manifest, ManifestError, NotUnderstoodError, read_manifest
from .proofs import ProofError, Registration, prove_registration

#: Clocks of services, time-stamp authorities and block producers differ by less.
_CLOCK_TOLERANCE = datetime.timedelta(minutes=5)
#: In seconds since 1970: blocks have dates.
_YEAR_10000 = 253_402_300_800
_NO_LICENSE = "None specified"

Source = Literal["bundle", "chain", "manifest"]
CheckName = Literal[
    "file", "proof", "block", "contract", "chain id", "metadata", "signature", "subject", "signer", "time-stamp", "times",
    "claims", "identity", "C2PA rules",
]  # fmt: skip


class Problem(NamedTuple):
    """A contradiction, attributed to the part that cannot be right."""

    #: `bundle`: its metadata, or what its maker says.
    source: Source
    #: For programs, as in the SDK for TypeScript.
    code: str
    reason: str
    #: The check that found it.
    check: CheckName


class Check(NamedTuple):
    """One check: whether it was made, and what it found."""

    name: CheckName
    state: Literal["passed", "failed", "not checked"]
    text: str


class Verification(NamedTuple):
    """The result. `checks` lists every check, those that were not made too, with the reason."""

    fingerprint: str
    #: `verified`: a source that the caller knows from elsewhere confirms, and nothing contradicts. `consistent`: the
    #: bundle agrees with itself, and all of it comes from its maker. `incomplete`: something could not be checked.
    verdict: Literal["verified", "consistent", "contradicted", "incomplete"]
    #: What confirms and was compared with what the caller knows from elsewhere.
    independent_sources: tuple[Literal["chain", "manifest"], ...]
    checks: tuple[Check, ...]
    problems: tuple[Problem, ...]
    #: What follows from the proof, if the chain has its block; None if it is not valid.
    registration: Registration | None
    #: The manifest, if its signature and hashes are valid.
    manifest: Manifest | None


class _Evidence(NamedTuple):
    bundle: Bundle
    fingerprint: str
    is_file_given: bool
    block_hash: str | None
    contract: str | None
    chain_id: int | None
    has_roots: bool
    registration: Registration | None
    #: Why there is no registration.
    proof_gap: str
    manifest: Manifest | None
    #: Why there is no manifest.
    manifest_gap: str
    is_manifest_understood: bool


def verify_bundle(
    bundle: Bundle,
    fingerprint: str | None = None,
    *,
    block_hash: str | None = None,
    contract: str | None = None,
    chain_id: int | None = None,
    trust_anchors: str | None = None,
    timestamp_anchors: str | None = None,
) -> Verification:
    """Verifies a bundle without any network.

    :param fingerprint: The fingerprint of your file. Default: the one in the bundle; the file is then not checked.
    :param block_hash: The hash that an explorer of the chain shows for the block of the proof.
    :param contract: The address of the registry's contract, as you know it from elsewhere than from the bundle.
    :param chain_id: The chain, as you know it.
    :param trust_anchors: PEM certificates of the authorities of signers that you trust.
    :param timestamp_anchors: Those of time-stamp authorities. Default: `trust_anchors`.
    :raises ValueError: An argument is malformed.
    """
    if fingerprint is not None:
        require_fingerprint(fingerprint)
    if block_hash is not None and re.fullmatch(r"0x[0-9a-fA-F]{64}", block_hash) is None:
        raise ValueError(f"{block_hash!r} is not the hash of a block")
    if contract is not None and re.fullmatch(r"0x[0-9a-fA-F]{40}", contract) is None:
        raise ValueError(f"{contract!r} is not the address of a contract")
    roots = [] if trust_anchors is None else parse_roots(trust_anchors)
    if trust_anchors is not None and not roots:
        raise ValueError("the trust anchors contain no certificate")
    stamp_roots = roots if timestamp_anchors is None else parse_roots(timestamp_anchors)
    subject = bundle.fingerprint if fingerprint is None else fingerprint
    registration, proof_gap = None, "the bundle has no proof"
    try:
        registration = bundle.proof and prove_registration(bundle.proof, bytes.fromhex(subject[2:]))
    except ProofError as error:
        proof_gap = str(error)
    manifest, manifest_gap, is_understood = None, "", True
    try:
        manifest = read_manifest(bundle.manifest, roots, stamp_roots, datetime.datetime.now(datetime.timezone.utc))
    except (ManifestError, NotUnderstoodError) as error:
        manifest_gap, is_understood = sanitize(str(error)), isinstance(error, ManifestError)
    return _conclude(
        _Evidence(
            bundle=bundle,
            fingerprint=subject,
            is_file_given=fingerprint is not None,
            block_hash=block_hash and block_hash.lower(),
            contract=contract and contract.lower(),
            chain_id=chain_id,
            has_roots=bool(roots),
            registration=registration,
            proof_gap=proof_gap,
            manifest=manifest,
            manifest_gap=manifest_gap,
            is_manifest_understood=is_understood,
        )
    )


def _conclude(evidence: _Evidence) -> Verification:
    registration, manifest = evidence.registration, evidence.manifest
    of_manifest = _find_manifest_problems(evidence)
    problems = [*_find_bundle_problems(evidence, not of_manifest), *_find_chain_problems(evidence), *of_manifest]
    problems += _compare_times(evidence, problems)
    sources = {problem.source for problem in problems}
    is_chain_confirmed = registration is not None and "chain" not in sources
    is_linked = is_chain_confirmed and _names_original(evidence)
    is_subject = manifest is not None and (manifest.fingerprint == evidence.fingerprint or is_linked)
    is_manifest_confirmed = is_subject and "manifest" not in sources
    # What links a copy is independent of the maker only if block and contract are.
    is_link_independent = not is_linked or None not in (evidence.block_hash, evidence.contract)
    is_signer_known = manifest is not None and manifest.is_trusted and is_link_independent
    independent: list[Literal["chain", "manifest"]] = []
    if is_chain_confirmed and evidence.block_hash is not None:
        independent.append("chain")
    if is_manifest_confirmed and is_signer_known:
        independent.append("manifest")
    # What could not be checked may be wrong. A hash that was compared with a proof that is not there confirmed nothing.
    is_block_missing = evidence.block_hash is not None and "chain" not in independent
    is_incomplete = not (is_chain_confirmed or is_manifest_confirmed) or not evidence.is_manifest_understood
    verdict: Literal["verified", "consistent", "contradicted", "incomplete"] = "verified" if independent else "consistent"
    if problems:
        verdict = "contradicted"
    elif is_incomplete or is_block_missing:
        verdict = "incomplete"
    checks = tuple(_list_checks(evidence, problems, is_manifest_confirmed))
    return Verification(
        evidence.fingerprint, verdict, tuple(independent), checks, tuple(problems), registration, manifest
    )


def _names_original(evidence: _Evidence) -> bool:
    """Whether the entry of a signed copy names the manifest of the registered file, which then speaks for the copy."""
    original, registration, manifest = evidence.bundle.signed_copy_of, evidence.registration, evidence.manifest
    if original is None or original == evidence.fingerprint or manifest is None or manifest.fingerprint != original:
        return False
    return registration is not None and _bare_id(registration.manifest_id) == _bare_id(manifest.label)


def _bare_id(text: str) -> str:
    return text.removeprefix("urn:c2pa:").lower()


#: Whether it holds, and the problem if it does not.
_Rule = tuple[bool, Source, str, CheckName, str]


def _apply(rules: list[_Rule]) -> list[Problem]:
    return [Problem(source, code, sanitize(reason), check) for holds, source, code, check, reason in rules if not holds]


def _find_bundle_problems(evidence: _Evidence, is_manifest_valid: bool) -> list[Problem]:
    bundle, registration, manifest = evidence.bundle, evidence.registration, evidence.manifest
    rules: list[_Rule] = []
    if registration is not None:
        is_named = _bare_id(registration.manifest_id) == _bare_id(bundle.manifest_id)
        reason = f"the bundle names the manifest {bundle.manifest_id}, but the chain has {registration.manifest_id}"
        rules.append((is_named, "bundle", "MANIFEST_ID_MISMATCH", "subject", reason))
        is_hashed = bundle.metadata is None or hash_json(bundle.metadata) == registration.manifest_hash
        reason = "the metadata (author, Mark, license, filename, …) do not match the hash on chain"
        rules.append((is_hashed, "bundle", "METADATA_MISMATCH", "metadata", reason))
    if manifest is not None and is_manifest_valid and bundle.metadata is not None:
        for name in _compare_claims(bundle.metadata, manifest):
            reason = f"the metadata have another {name} than the signed manifest"
            rules.append((False, "bundle", "CLAIMS_MISMATCH", "claims", reason))
    is_signed_itself = manifest is not None and manifest.fingerprint == evidence.fingerprint == bundle.fingerprint
    reason = f"the bundle says that this file is a signed copy of {bundle.signed_copy_of}, but the manifest is for itself"
    is_copy = bundle.signed_copy_of is not None
    rules.append((not (is_copy and is_signed_itself), "bundle", "FINGERPRINT_MISMATCH", "subject", reason))
    return _apply(rules)


def _compare_claims(metadata: dict[str, Any], manifest: Manifest) -> list[str]:
    """What differs. The manifest of a private Mark claims nothing about author, Mark, license and filename."""
    claims = manifest.claims
    has_claims = claims.mark_id is not None
    mark, author, license_ = (metadata.get(name) or {} for name in ("mark", "author", "license"))
    pairs: list[tuple[str, Any, Any]] = [
        ("Mark", mark.get("id"), claims.mark_id),
        ("name of the Mark", mark.get("name"), claims.mark_name),
        ("author", author.get("name"), claims.author),
        ("license", license_.get("name"), (claims.license or _NO_LICENSE) if has_claims else None),
        ("license URL", license_.get("url"), claims.license_url),
        ("filename", metadata.get("filename"), claims.title),
    ]
    differing = [name for name, recorded, signed in pairs if None not in (recorded, signed) and recorded != signed]
    if has_claims and "allowAiTraining" in metadata and metadata["allowAiTraining"] is not claims.allow_ai_training:
        differing.append("AI training preference")
    if claims.previous_fingerprint not in (None, metadata.get("previousFingerprint")):
        differing.append("previous version")
    return differing


def _find_chain_problems(evidence: _Evidence) -> list[Problem]:
    proof, registration = evidence.bundle.proof, evidence.registration
    if proof is None:
        return []
    if registration is None:
        return [Problem("chain", "PROOF_INVALID", f"the proof is not valid: {evidence.proof_gap}", "proof")]
    pins: list[tuple[object, object, str, CheckName, str]] = [
        (evidence.block_hash, registration.block_hash, "BLOCK_MISMATCH", "block", "you compared the block {}, but the proof leads to {}"),
        (evidence.contract, f"0x{proof.contract.hex()}", "CONTRACT_MISMATCH", "contract", "you named the contract {}, but the proof is of {}"),
        (evidence.chain_id, proof.chain_id, "CHAIN_ID_MISMATCH", "chain id", "you named chain {}, but the bundle is of chain {}"),
    ]  # fmt: skip
    return _apply([(own in (None, found), "chain", code, check, text.format(own, found)) for own, found, code, check, text in pins])


def _find_manifest_problems(evidence: _Evidence) -> list[Problem]:
    bundle, manifest = evidence.bundle, evidence.manifest
    if bundle.fingerprint != evidence.fingerprint:
        reason = f"the bundle is for another file: {bundle.fingerprint}"
        return [Problem("manifest", "FINGERPRINT_MISMATCH", reason, "file")]
    if manifest is None:
        reason = f"the manifest is not valid: {evidence.manifest_gap}"
        return _apply([(not evidence.is_manifest_understood, "manifest", "MANIFEST_INVALID", "signature", reason)])
    is_of_original = bundle.signed_copy_of is not None and manifest.fingerprint == bundle.signed_copy_of
    subject = bundle.signed_copy_of if is_of_original else evidence.fingerprint
    expected = evidence.registration.manifest_id if evidence.registration else bundle.manifest_id
    hashed, bound = manifest.fingerprint, manifest.soft_binding
    other, stranger = "the manifest is for another file", "which is not a signer that you trust"
    return _apply(
        [
            (hashed is not None, "manifest", "MANIFEST_INVALID", "signature", "the manifest is not bound to a whole file"),
            (hashed in (None, subject), "manifest", "FINGERPRINT_MISMATCH", "subject", f"{other}: {hashed}"),
            (bound in (None, subject), "manifest", "FINGERPRINT_MISMATCH", "subject", f"{other} by its soft binding: {bound}"),
            (
                _bare_id(manifest.label) == _bare_id(expected),
                *("manifest", "MANIFEST_ID_MISMATCH", "subject"),
                f"the manifest should be {expected}, but it is {manifest.label}",
            ),
            (
                manifest.is_trusted or not evidence.has_roots,
                *("manifest", "UNTRUSTED_SIGNER", "signer"),
                f'it was signed by "{manifest.signed_by}", {stranger}',
            ),
        ]
    )


def _compare_times(evidence: _Evidence, problems: list[Problem]) -> list[Problem]:
    """A file is signed before it is written on chain. The time-stamp of a registered file says nothing about its copy."""
    registration, manifest = evidence.registration, evidence.manifest
    if registration is None or manifest is None or manifest.timestamp is None:
        return []
    if manifest.fingerprint != evidence.fingerprint or any(problem.source != "bundle" for problem in problems):
        return []
    is_later = (manifest.timestamp - _CLOCK_TOLERANCE).timestamp() <= registration.block_time < _YEAR_10000
    reason = f"the block has the time {registration.block_time}, before the manifest was signed ({manifest.timestamp})"
    return _apply([(is_later, "chain", "TIME_MISMATCH", "times", reason)])


def _list_checks(evidence: _Evidence, problems: list[Problem], is_manifest_confirmed: bool) -> list[Check]:
    """Every check: failed if it found a problem, not checked if there is a gap."""
    bundle, registration, manifest = evidence.bundle, evidence.registration, evidence.manifest
    no_proof = "" if registration else evidence.proof_gap
    no_manifest = "" if manifest else evidence.manifest_gap
    no_metadata = "" if bundle.metadata is not None else "the bundle has no metadata"
    no_link = "" if is_manifest_confirmed or problems else "nothing but the bundle connects this copy with the manifest"
    is_other = bundle.fingerprint != evidence.fingerprint
    is_blocked = any(problem.source != "bundle" for problem in problems)
    copied = bundle.signed_copy_of
    stamp = manifest.timestamp if manifest else None
    no_stamp = "" if stamp else "there is none of an authority below the given roots"
    whose = "an authority" if manifest and manifest.is_timestamp_independent else "an authority of the signer's own roots"
    block = f"block {registration.block_number}, whose hash is {registration.block_hash}" if registration else ""
    contract = bundle.proof.contract.hex() if bundle.proof else ""
    signer = sanitize(manifest.signed_by) if manifest else ""
    identity = "the manifest has an identity credential, which this package does not check"
    # The name, the first gap that is not empty, and what a passed check found.
    rows: list[tuple[CheckName, str, str]] = [
        (
            "file",
            "" if evidence.is_file_given else "no fingerprint was given; that of the bundle was taken",
            "the bundle is for this file",
        ),
        ("proof", no_proof, f"the contract 0x{contract} logged the registration in {block}"),
        (
            "block",
            no_proof or ("" if evidence.block_hash else "no block hash was given: compare it with an explorer of the chain"),
            "its hash is the one that you compared",
        ),
        (
            "contract",
            no_proof or ("" if evidence.contract else "no contract was given: its address comes from the bundle"),
            "it is the one that you named",
        ),
        ("chain id", no_proof or "a block does not name its chain: it is the one on which you find the block", ""),
        ("metadata", no_proof or no_metadata, "their hash is the one that the contract logged"),
        (
            "signature",
            no_manifest,
            "the manifest, and those that it builds on, have not been changed since they were signed",
        ),
        (
            "subject",
            no_manifest or ("the bundle is for another file" if is_other else no_link),
            f"the manifest is for {copied}; the contract has it for this file too, as for a signed copy"
            if copied
            else "the manifest is for this file",
        ),
        (
            "signer",
            no_manifest or ("" if evidence.has_roots else "no trust anchors were given: anyone can make a certificate with this name"),
            f'"{signer}" has a certificate of an authority that you trust',
        ),
        ("time-stamp", no_manifest or no_stamp, f"signed before {stamp}, says {whose}"),
        (
            "times",
            no_proof or no_manifest or no_stamp
            or ("the time-stamp is of the registered file, not of this copy" if copied else "")
            or ("chain or manifest contradict" if is_blocked else ""),
            "the file was signed before it was written on chain",
        ),
        (
            "claims",
            no_manifest or no_metadata or ("" if is_manifest_confirmed else "the manifest does not confirm"),
            "Mark, author, license, filename and AI training are the same in metadata and manifest, where both have them",
        ),
        ("identity", no_manifest or (identity if manifest and manifest.has_identity else "the manifest has no identity credential"), ""),
        ("C2PA rules", "for all rules of C2PA on the content of assertions, use a C2PA validator", ""),
    ]  # fmt: skip
    reasons: dict[str, str] = {}
    for problem in problems:
        reasons.setdefault(problem.check, problem.reason)
    return [
        Check(name, "failed", reasons[name]) if name in reasons
        else Check(name, "not checked", gap) if gap
        else Check(name, "passed", text)
        for name, gap, text in rows
    ]  # fmt: skip
