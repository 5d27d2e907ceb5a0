"""Verifies bundles offline: everything is recomputed from the bundle, and compared with what the caller knows."""

from __future__ import annotations

import datetime
import re
from typing import NamedTuple, Sequence

from .bundle_format import Bundle
from .canonical import hash_json
from .certificates import parse_roots
from .checks import Check, list_checks
from .contradictions import Evidence, Named, Problem, find_problems
from .errors import sanitize
from .facts import Fact, FactSources, IndependentSource, Time, collect_facts, collect_times, find_since
from .hashing import require_fingerprint
from .manifests import Manifest, ManifestError, NotUnderstoodError, read_manifest
from .proofs import AnchorBlock, ProofError, Registration, prove_anchor, prove_registration
from .receipts import LoggedLeaf, ReceiptError, WitnessesMissingError, is_included, parse_log_keys, read_receipt
from .verdict import Findings, Reason, Verdict, decide_verdict


class Verification(NamedTuple):
    """The result. `checks` lists every check, those that were not made too, with the reason."""

    fingerprint: str
    #: `verified`: exactly these bytes are registered, and what the facts say about Mark, author, license and AI training
    #: was proven by what the caller named. `consistent`: nothing contradicts, but something of that is the word of the
    #: bundle's maker. `incomplete`: something could not be checked.
    verdict: Verdict
    #: Why it is not `verified`; None when it is.
    reason: Reason | None
    #: What confirms and was compared with what the caller knows from elsewhere.
    independent_sources: tuple[IndependentSource, ...]
    facts: tuple[Fact, ...]
    times: tuple[Time, ...]
    checks: tuple[Check, ...]
    problems: tuple[Problem, ...]
    #: What follows from the proof, if the chain has its block; None if it is not valid.
    registration: Registration | None
    #: The manifest, if its signature and hashes are valid.
    manifest: Manifest | None
    #: What the log has, if the receipt holds under a key that the caller named.
    leaf: LoggedLeaf | None
    #: The block before which the log had that leaf, if the chain has it.
    anchor: AnchorBlock | None


def verify_bundle(
    bundle: Bundle,
    fingerprint: str | None = None,
    *,
    block_hash: str | None = None,
    contract: str | None = None,
    chain_id: int | None = None,
    trust_anchors: str | None = None,
    timestamp_anchors: str | None = None,
    anchor_block_hash: str | None = None,
    log_contract: str | None = None,
    log_keys: Sequence[str] = (),
    witnesses: Sequence[str] = (),
    expect_mark: str | None = None,
) -> Verification:
    """Verifies a bundle without any network.

    :param fingerprint: The fingerprint of your file. Default: the one in the bundle; the file is then not checked.
    :param block_hash: The hash that an explorer of the chain shows for the block of the proof.
    :param contract: The address of the registry's contract, as you know it from elsewhere than from the bundle.
    :param chain_id: The chain, as you know it.
    :param trust_anchors: PEM certificates of the authorities of signers that you trust.
    :param timestamp_anchors: Those of time-stamp authorities. Default: `trust_anchors`.
    :param anchor_block_hash: The hash that an explorer of the chain shows for the block of the log's anchor.
    :param log_contract: The address of the contract that anchors the log, as you know it.
    :param log_keys: Verifier keys of the registry's public log, as you know them: the current one, and earlier ones.
    :param witnesses: Verifier keys of witnesses of the log, all of which have to have signed.
    :param expect_mark: The id of the Mark whose file it should be, or its exact name at registration.
    :raises ValueError: An argument is malformed.
    """
    if fingerprint is not None:
        require_fingerprint(fingerprint)
    for text in (block_hash, anchor_block_hash):
        if text is not None and re.fullmatch(r"0x[0-9a-fA-F]{64}", text) is None:
            raise ValueError(f"{text!r} is not the hash of a block")
    for text in (contract, log_contract):
        if text is not None and re.fullmatch(r"0x[0-9a-fA-F]{40}", text) is None:
            raise ValueError(f"{text!r} is not the address of a contract")
    if trust_anchors is not None and not parse_roots(trust_anchors):
        raise ValueError("the trust anchors contain no certificate")
    stamp_anchors = trust_anchors if timestamp_anchors is None else timestamp_anchors
    named = Named(
        fingerprint=fingerprint,
        block_hash=block_hash and block_hash.lower(),
        contract=contract and contract.lower(),
        chain_id=chain_id,
        anchor_block_hash=anchor_block_hash and anchor_block_hash.lower(),
        log_contract=log_contract and log_contract.lower(),
        has_roots=trust_anchors is not None,
        log_keys=parse_log_keys(log_keys, witnesses),
        mark=expect_mark,
    )
    return _conclude(_read_evidence(bundle, named, trust_anchors or "", stamp_anchors or ""))


def _read_evidence(bundle: Bundle, named: Named, roots: str, stamp_roots: str) -> Evidence:
    fingerprint = bundle.fingerprint if named.fingerprint is None else named.fingerprint
    registration, proof_gap, manifest, manifest_gap, is_understood = None, "the bundle has no proof", None, "", True
    try:
        registration = bundle.proof and prove_registration(bundle.proof, bytes.fromhex(fingerprint[2:]))
    except ProofError as error:
        proof_gap = str(error)
    now = datetime.datetime.now(datetime.timezone.utc)
    try:
        # Without roots of signers, there is nobody whose time-stamps count.
        manifest = read_manifest(bundle.manifest, parse_roots(roots), parse_roots(stamp_roots if roots else ""), now)
    except (ManifestError, NotUnderstoodError) as error:
        manifest_gap, is_understood = sanitize(str(error)), isinstance(error, ManifestError)
    leaf, log_gap, is_receipt_valid = None, "the bundle has no receipt of the public log", True
    if bundle.log is not None:
        log_gap = "no key of the log was given"
        try:
            leaf = read_receipt(bundle.log, named.log_keys) if named.log_keys else None
        except ReceiptError as error:
            log_gap, is_receipt_valid = str(error), isinstance(error, WitnessesMissingError)
    anchor, anchor_gap = _read_anchor(bundle, leaf)
    read = (registration, proof_gap, manifest, manifest_gap, is_understood, leaf, log_gap, is_receipt_valid)
    return Evidence(bundle, fingerprint, named, *read, anchor, anchor_gap or log_gap)


def _read_anchor(bundle: Bundle, leaf: LoggedLeaf | None) -> tuple[AnchorBlock | None, str]:
    """The block, or why there is none."""
    anchor = bundle.anchor
    if leaf is None:
        return None, ""
    if anchor is None:
        return None, "the bundle has no anchor of the log"
    try:
        block = prove_anchor(anchor.proof, anchor.size)
    except ProofError as error:
        return None, str(error)
    is_covered = is_included(leaf.leaf_hash, leaf.leaf_index, anchor.size, anchor.hashes, block.root)
    return (block, "") if is_covered else (None, "the tree that was anchored does not have this leaf at its place")


def _conclude(evidence: Evidence) -> Verification:
    bundle, named, registration = evidence.bundle, evidence.named, evidence.registration
    problems = find_problems(evidence)
    blamed = {problem.source for problem in problems}
    manifest = evidence.manifest if "manifest" not in blamed else None
    leaf = evidence.leaf if "log" not in blamed else None
    is_chain_valid = registration is not None and "chain" not in blamed
    is_chain_named = is_chain_valid and None not in (named.block_hash, named.contract)
    link = _find_link(evidence, "chain" not in blamed, is_chain_named)
    if manifest is not None and manifest.fingerprint != evidence.fingerprint and link is None:
        manifest = None
    # What links a copy with the manifest is independent of the maker only if chain or log are.
    is_signer_known = manifest is not None and manifest.is_trusted and (link is None or is_chain_named or "log" in link)
    found: dict[IndependentSource, bool] = {"chain": is_chain_named, "manifest": is_signer_known, "log": leaf is not None}
    independent = tuple(source for source, is_independent in found.items() if is_independent)
    is_hashed = is_chain_valid and bundle.metadata is not None and _is_hashed(evidence)
    is_logged = leaf is not None and bundle.metadata is not None and hash_json(bundle.metadata) == leaf.content["metadata"]
    is_bundle_proven = is_hashed or is_logged
    sources = FactSources(
        metadata=bundle.metadata if is_bundle_proven or "bundle" not in blamed else None,
        metadata_carriers=(*(("chain",) if is_hashed else ()), *(("log",) if is_logged else ())),
        registration=registration if is_chain_valid else None,
        manifest=manifest,
        anchor=None if leaf is None else evidence.anchor,
        is_anchor_named=named.anchor_block_hash is not None and evidence.is_anchored_by_named,
        terms=None if leaf is None else leaf.terms,
        signed_copy_of=bundle.signed_copy_of if link is not None or "bundle" not in blamed else None,
        link=link,
        carriers=independent,
    )
    times = collect_times(sources)
    # Where something contradicts, the maker's word alone counts for nothing.
    facts = [fact for fact in collect_facts(sources) if not problems or "maker" not in fact.evidence] + find_since(times)
    is_confirmed = manifest is not None or leaf is not None or (is_chain_valid and named.block_hash is not None)
    findings = Findings(
        contradiction=problems[0].reason if problems else None,
        gap=_find_gap(evidence, is_confirmed),
        facts=facts,
        unused_anchor_hash=evidence.anchor_gap if named.anchor_block_hash and evidence.anchor is None else None,
        unused_log_keys=evidence.log_gap if named.log_keys and evidence.leaf is None else None,
        independent_sources=independent,
        has_proof=registration is not None,
        is_block_compared=named.block_hash is not None,
        unnamed_contract=bundle.proof.contract_address if bundle.proof and named.contract is None else None,
        expected_mark=named.mark,
    )
    verdict, reason = decide_verdict(findings)
    return Verification(
        fingerprint=evidence.fingerprint,
        verdict=verdict,
        reason=reason,
        independent_sources=independent,
        facts=tuple(facts),
        times=tuple(times),
        checks=list_checks(evidence, problems, manifest is not None),
        problems=tuple(problems),
        registration=registration,
        manifest=evidence.manifest,
        leaf=evidence.leaf,
        anchor=evidence.anchor,
    )


def _find_link(evidence: Evidence, is_chain_valid: bool, is_chain_named: bool) -> tuple[IndependentSource, ...] | None:
    """What connects a copy with the manifest of the registered file, by a source that the caller named if there is one."""
    if evidence.is_linked_by_log and not is_chain_named:
        return ("log", "manifest")
    return ("chain", "manifest") if evidence.has_copy_link and is_chain_valid else None


def _is_hashed(evidence: Evidence) -> bool:
    return evidence.registration is not None and hash_json(evidence.bundle.metadata) == evidence.registration.manifest_hash


def _find_gap(evidence: Evidence, is_confirmed: bool) -> str | None:
    """What could not be checked may be wrong."""
    if not evidence.is_manifest_understood:
        return evidence.manifest_gap
    return None if is_confirmed else "nothing but the bundle connects this copy with the manifest"
