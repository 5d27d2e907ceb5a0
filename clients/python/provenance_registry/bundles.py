"""Verifies bundles offline: everything is recomputed from the bundle, and compared with what the caller knows."""

from __future__ import annotations

import datetime
import re
from typing import Any, Literal, NamedTuple

from .bundle_format import Bundle
from .canonical import hash_json
from .certificates import Certificate, parse_roots
from .errors import sanitize
from .hashing import require_fingerprint
from .manifests import Claims, Manifest, ManifestError, NotUnderstoodError, read_manifest
from .proofs import ProofError, Registration, prove_registration

#: Clocks of services, time-stamp authorities and block producers differ by less.
_CLOCK_TOLERANCE = datetime.timedelta(minutes=5)
#: In seconds since 1970: blocks have dates.
_YEAR_10000 = 253_402_300_800
_NO_LICENSE = "None specified"

Source = Literal["bundle", "chain", "manifest"]
Verdict = Literal["verified", "consistent", "contradicted", "incomplete"]


class Problem(NamedTuple):
    """A contradiction, attributed to the part that cannot be right."""

    #: `bundle`: its metadata, or what its maker says.
    source: Source
    #: For programs, as in the SDK for TypeScript.
    code: str
    reason: str
    #: The name of the check that found it.
    check: str


class Check(NamedTuple):
    """One check: whether it was made, and what it found."""

    name: str
    state: Literal["passed", "failed", "not checked"]
    text: str


class Verification(NamedTuple):
    """The result. `checks` lists every check, those that were not made too, with the reason."""

    fingerprint: str
    #: `verified`: a source that the caller knows from elsewhere confirms, and nothing contradicts. `consistent`: the
    #: bundle agrees with itself, and all of it comes from its maker. `incomplete`: something could not be checked.
    verdict: Verdict
    #: What confirms and was compared with what the caller knows from elsewhere.
    independent_sources: tuple[Literal["chain", "manifest"], ...]
    checks: tuple[Check, ...]
    problems: tuple[Problem, ...]
    #: What follows from the proof, if the chain has its block; None if it is not valid.
    registration: Registration | None
    #: The manifest, if its signature and hashes are valid.
    manifest: Manifest | None


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
    verifier = _Verifier(bundle, fingerprint, roots, stamp_roots)
    verifier.block_hash = block_hash and block_hash.lower()
    verifier.contract = contract and contract.lower()
    verifier.chain_id = chain_id
    return verifier.conclude()


def _bare_id(text: str) -> str:
    return text.removeprefix("urn:c2pa:").lower()


class _Verifier:
    """Compares the parts of a bundle with each other and with what the caller knows."""

    block_hash: str | None
    contract: str | None
    chain_id: int | None
    registration: Registration | None = None
    #: Why there is no registration.
    proof_gap = "the bundle has no proof"
    manifest: Manifest | None = None
    #: Why there is no manifest.
    manifest_gap = ""
    is_manifest_understood = True

    def __init__(
        self, bundle: Bundle, fingerprint: str | None, roots: list[Certificate], stamp_roots: list[Certificate]
    ) -> None:
        self.bundle = bundle
        self.fingerprint = bundle.fingerprint if fingerprint is None else fingerprint
        self.is_file_given = fingerprint is not None
        self.has_roots = bool(roots)
        self.problems: list[Problem] = []
        try:
            self.registration = bundle.proof and prove_registration(bundle.proof, bytes.fromhex(self.fingerprint[2:]))
        except ProofError as error:
            self.proof_gap = str(error)
        now = datetime.datetime.now(datetime.timezone.utc)
        try:
            self.manifest = read_manifest(bundle.manifest, roots, stamp_roots, now)
        except (ManifestError, NotUnderstoodError) as error:
            self.manifest_gap, self.is_manifest_understood = sanitize(str(error)), isinstance(error, ManifestError)

    def conclude(self) -> Verification:
        registration, manifest = self.registration, self.manifest
        self._check_manifest()
        self._check_chain()
        self._check_metadata(is_manifest_valid=not self._has_problem("manifest"))
        self._compare_times()
        is_chain_confirmed = registration is not None and not self._has_problem("chain")
        is_linked = is_chain_confirmed and self._names_original()
        is_subject = manifest is not None and (manifest.fingerprint == self.fingerprint or is_linked)
        is_manifest_confirmed = is_subject and not self._has_problem("manifest")
        # What links a copy is independent of the maker only if block and contract are.
        is_link_independent = not is_linked or None not in (self.block_hash, self.contract)
        is_signer_known = manifest is not None and manifest.is_trusted and is_link_independent
        independent: list[Literal["chain", "manifest"]] = []
        if is_chain_confirmed and self.block_hash is not None:
            independent.append("chain")
        if is_manifest_confirmed and is_signer_known:
            independent.append("manifest")
        # What could not be checked may be wrong. A hash compared with a proof that is not there confirmed nothing.
        is_block_missing = self.block_hash is not None and "chain" not in independent
        is_complete = self.is_manifest_understood and (is_chain_confirmed or is_manifest_confirmed)
        verdict: Verdict = "verified" if independent else "consistent"
        if self.problems:
            verdict = "contradicted"
        elif is_block_missing or not is_complete:
            verdict = "incomplete"
        checks, problems = self._list_checks(is_manifest_confirmed), tuple(self.problems)
        return Verification(self.fingerprint, verdict, tuple(independent), checks, problems, registration, manifest)

    def _has_problem(self, *sources: Source) -> bool:
        return any(problem.source in sources for problem in self.problems)

    def _require(self, holds: bool, source: Source, code: str, check: str, reason: str) -> None:
        if not holds:
            self.problems.append(Problem(source, code, sanitize(reason), check))

    def _names_original(self) -> bool:
        """Whether the entry of a signed copy names the manifest of the registered file, which then speaks for the copy."""
        original, registration, manifest = self.bundle.signed_copy_of, self.registration, self.manifest
        if original is None or original == self.fingerprint or manifest is None or manifest.fingerprint != original:
            return False
        return registration is not None and _bare_id(registration.manifest_id) == _bare_id(manifest.label)

    def _check_manifest(self) -> None:
        bundle, manifest = self.bundle, self.manifest
        if bundle.fingerprint != self.fingerprint:
            reason = f"the bundle is for another file: {bundle.fingerprint}"
            return self._require(False, "manifest", "FINGERPRINT_MISMATCH", "file", reason)
        if manifest is None:
            reason = f"the manifest is not valid: {self.manifest_gap}"
            return self._require(not self.is_manifest_understood, "manifest", "MANIFEST_INVALID", "signature", reason)
        hashed, bound = manifest.fingerprint, manifest.soft_binding
        subjects = (None, self.fingerprint if hashed is None or hashed != bundle.signed_copy_of else hashed)
        expected = self.registration.manifest_id if self.registration else bundle.manifest_id
        reason = "the manifest is not bound to a whole file"
        self._require(hashed is not None, "manifest", "MANIFEST_INVALID", "signature", reason)
        reason = f"the manifest is for another file: {hashed}"
        self._require(hashed in subjects, "manifest", "FINGERPRINT_MISMATCH", "subject", reason)
        reason = f"the soft binding in the manifest is for another file: {bound}"
        self._require(bound in subjects, "manifest", "FINGERPRINT_MISMATCH", "subject", reason)
        reason = f"the manifest should be {expected}, but it is {manifest.label}"
        is_named = _bare_id(manifest.label) == _bare_id(expected)
        self._require(is_named, "manifest", "MANIFEST_ID_MISMATCH", "subject", reason)
        reason = f'it was signed by "{manifest.signed_by}", which is not a signer that you trust'
        self._require(manifest.is_trusted or not self.has_roots, "manifest", "UNTRUSTED_SIGNER", "signer", reason)

    def _check_chain(self) -> None:
        proof, registration = self.bundle.proof, self.registration
        if proof is None or registration is None:
            reason = f"the proof is not valid: {self.proof_gap}"
            return self._require(proof is None, "chain", "PROOF_INVALID", "proof", reason)
        own, found = self.block_hash, registration.block_hash
        reason = f"you compared the block {own}, but the proof leads to {found}"
        self._require(own in (None, found), "chain", "BLOCK_MISMATCH", "block", reason)
        own, found = self.contract, f"0x{proof.contract.hex()}"
        reason = f"you named the contract {own}, but the proof is of {found}"
        self._require(own in (None, found), "chain", "CONTRACT_MISMATCH", "contract", reason)
        reason = f"you named chain {self.chain_id}, but the bundle is of chain {proof.chain_id}"
        self._require(self.chain_id in (None, proof.chain_id), "chain", "CHAIN_ID_MISMATCH", "chain id", reason)

    def _check_metadata(self, is_manifest_valid: bool) -> None:
        bundle, registration, manifest = self.bundle, self.registration, self.manifest
        if registration is not None:
            is_named = _bare_id(registration.manifest_id) == _bare_id(bundle.manifest_id)
            reason = f"the bundle names the manifest {bundle.manifest_id}, but the chain has {registration.manifest_id}"
            self._require(is_named, "bundle", "MANIFEST_ID_MISMATCH", "subject", reason)
            is_hashed = bundle.metadata is None or hash_json(bundle.metadata) == registration.manifest_hash
            reason = "the metadata (author, Mark, license, filename, …) do not match the hash on chain"
            self._require(is_hashed, "bundle", "METADATA_MISMATCH", "metadata", reason)
        if manifest is not None and is_manifest_valid and bundle.metadata is not None:
            for name in _compare_claims(bundle.metadata, manifest.claims):
                reason = f"the metadata have another {name} than the signed manifest"
                self._require(False, "bundle", "CLAIMS_MISMATCH", "claims", reason)
        original = bundle.signed_copy_of
        is_signed_itself = manifest is not None and manifest.fingerprint == self.fingerprint == bundle.fingerprint
        reason = f"the bundle says that this file is a signed copy of {original}, but the manifest is for itself"
        self._require(original is None or not is_signed_itself, "bundle", "FINGERPRINT_MISMATCH", "subject", reason)

    def _compare_times(self) -> None:
        """A file is signed before it is written on chain. The time-stamp of a registered file is not one of its copy."""
        registration, manifest = self.registration, self.manifest
        stamp = manifest.timestamp if manifest is not None and manifest.fingerprint == self.fingerprint else None
        if registration is None or stamp is None or self._has_problem("chain", "manifest"):
            return
        is_later = (stamp - _CLOCK_TOLERANCE).timestamp() <= registration.block_time < _YEAR_10000
        reason = f"the block has the time {registration.block_time}, before the manifest was signed ({stamp})"
        self._require(is_later, "chain", "TIME_MISMATCH", "times", reason)

    def _list_checks(self, is_manifest_confirmed: bool) -> tuple[Check, ...]:
        """Every check: failed if it found a problem, not checked if there is a gap."""
        bundle, registration, manifest, copied = self.bundle, self.registration, self.manifest, self.bundle.signed_copy_of
        proven = subject = signer = stamped = ""
        if registration and bundle.proof:
            proven = f"the contract 0x{bundle.proof.contract.hex()} logged the registration in block"
            proven += f" {registration.block_number}, whose hash is {registration.block_hash}"
        if manifest:
            subject = f"{copied}; the contract has it for this file too, as for a signed copy" if copied else "this file"
            signer = f'"{sanitize(manifest.signed_by)}" has a certificate of an authority that you trust'
            whose = "an authority" if manifest.is_timestamp_independent else "an authority of the signer's own roots"
            stamped = f"signed before {manifest.timestamp}, says {whose}" if manifest.timestamp else ""
        is_other, is_blocked = bundle.fingerprint != self.fingerprint, self._has_problem("chain", "manifest")
        has_identity = manifest is not None and manifest.has_identity
        no_proof = "" if registration else self.proof_gap
        no_manifest = "" if manifest else self.manifest_gap
        no_metadata = _unless(bundle.metadata is not None, "the bundle has no metadata")
        no_link = _unless(is_manifest_confirmed or is_blocked, "nothing but the bundle connects this copy with the manifest")
        no_stamp = no_manifest or _unless(stamped != "", "there is none of an authority below the given roots")
        is_stamp_of_copy = _unless(not copied, "the time-stamp is of the registered file, not of this copy")
        # The name, the reason why it was not made, if any, and what a passed check found.
        rows = (
            (
                "file",
                _unless(self.is_file_given, "no fingerprint was given; that of the bundle was taken"),
                "the bundle is for this file",
            ),
            ("proof", no_proof, proven),
            (
                "block",
                no_proof or _unless(self.block_hash, "no block hash was given: compare it with an explorer of the chain"),
                "its hash is the one that you compared",
            ),
            (
                "contract",
                no_proof or _unless(self.contract, "no contract was given: its address comes from the bundle"),
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
                no_manifest or _unless(not is_other, "the bundle is for another file") or no_link,
                f"the manifest is for {subject}",
            ),
            (
                "signer",
                no_manifest or _unless(self.has_roots, "no trust anchors were given: anyone can make a certificate with this name"),
                signer,
            ),
            ("time-stamp", no_stamp, stamped),
            (
                "times",
                no_proof or no_stamp or is_stamp_of_copy or _unless(not is_blocked, "chain or manifest contradict"),
                "the file was signed before it was written on chain",
            ),
            (
                "claims",
                no_manifest or no_metadata or _unless(is_manifest_confirmed, "the manifest does not confirm"),
                "Mark, author, license, filename and AI training are the same in metadata and manifest, where both have them",
            ),
            (
                "identity",
                no_manifest
                or _unless(not has_identity, "the manifest has an identity credential, which this package does not check")
                or "the manifest has no identity credential",
                "",
            ),
            ("C2PA rules", "for all rules of C2PA on the content of assertions, use a C2PA validator", ""),
        )
        failures = {problem.check: problem.reason for problem in reversed(self.problems)}
        return tuple(
            Check(name, "failed", failures[name])
            if name in failures
            else Check(name, "not checked" if gap else "passed", gap or text)
            for name, gap, text in rows
        )


def _unless(condition: object, gap: str) -> str:
    return "" if condition else gap


def _compare_claims(metadata: dict[str, Any], claims: Claims) -> list[str]:
    """What differs. The manifest of a private Mark claims nothing about author, Mark, license and filename."""
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
