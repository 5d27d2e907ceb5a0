"""Lists every check of a bundle, those that were not made too."""

from __future__ import annotations

import datetime
from typing import Literal, NamedTuple, Sequence

from .contradictions import Evidence, Problem
from .errors import sanitize
from .facts import format_time


class Check(NamedTuple):
    """One check: whether it was made, and what it found."""

    name: str
    state: Literal["passed", "failed", "not checked"]
    text: str


def list_checks(evidence: Evidence, problems: Sequence[Problem], is_manifest_confirmed: bool) -> tuple[Check, ...]:
    """Every check: failed if it found a problem, not checked if there is a gap."""
    failures = {problem.check: problem.reason for problem in reversed(problems)}
    manifest_rows = _list_manifest_rows(evidence, problems, is_manifest_confirmed)
    rows = (*_list_chain_rows(evidence), *_list_log_rows(evidence), *manifest_rows)
    return tuple(
        Check(name, "failed", failures[name])
        if name in failures
        else Check(name, "not checked" if gap else "passed", gap or text)
        for name, gap, text in rows
    )


#: The name, the reason why it was not made, if any, and what a passed check found.
_Row = tuple[str, str, str]


def _list_chain_rows(evidence: Evidence) -> list[_Row]:
    bundle, named, registration = evidence.bundle, evidence.named, evidence.registration
    no_proof = "" if registration else evidence.proof_gap
    is_entered = uncompared = ""
    if registration and bundle.proof:
        block = f"block {registration.block_number}, whose hash is {registration.block_hash}"
        is_entered = f"the contract {bundle.proof.contract_address} registered this file in {block}, which you compared"
        uncompared = f"the proof leads to {block}: compare it with an explorer of the chain"
    no_file = _unless(named.fingerprint, "no fingerprint was given; that of the bundle was taken")
    no_contract = _unless(named.contract, "no contract was given: its address comes from the bundle")
    no_chain = "a block does not name its chain: it is the one on which you find the block"
    no_metadata = _unless(bundle.metadata is not None, "the bundle has no metadata")
    return [
        ("file", no_file, "the bundle is for this file"),
        ("chain", no_proof or _unless(named.block_hash, uncompared), is_entered),
        ("contract", no_proof or no_contract, "it is the one that you named"),
        ("chain id", no_proof or no_chain, ""),
        ("metadata", no_proof or no_metadata, "their hash is the one in the proof"),
    ]


def _list_log_rows(evidence: Evidence) -> list[_Row]:
    leaf = evidence.leaf
    text = "" if leaf is None else f"the log {leaf.origin} has this file as leaf {leaf.leaf_index}, under a signed checkpoint of {leaf.size} leaves"
    return [("log", _unless(leaf, evidence.log_gap), text), _describe_anchor(evidence)]


def _describe_anchor(evidence: Evidence) -> _Row:
    anchor, block, named = evidence.bundle.anchor, evidence.anchor, evidence.named
    if anchor is None or block is None:
        return ("anchor", evidence.anchor_gap, "")
    time = datetime.datetime.fromtimestamp(block.block_time, datetime.timezone.utc)
    found = f"block {block.block_number}, {format_time(time)}, whose hash is {block.block_hash}"
    uncompared = f"the proof leads to {found}: compare it with an explorer of the chain"
    no_contract = f"the contract {anchor.proof.contract_address} is not one that you named: its address comes from the bundle"
    gap = _unless(named.anchor_block_hash, uncompared) or _unless(evidence.is_anchored_by_named, no_contract)
    return ("anchor", gap, f"in the log before {found}, by the contract {anchor.proof.contract_address}")


def _list_manifest_rows(evidence: Evidence, problems: Sequence[Problem], is_confirmed: bool) -> list[_Row]:
    bundle, manifest, copied = evidence.bundle, evidence.manifest, evidence.bundle.signed_copy_of
    no_manifest = "" if manifest else evidence.manifest_gap
    no_proof = "" if evidence.registration else evidence.proof_gap
    is_blocked = any(problem.source != "bundle" for problem in problems)
    is_other = _unless(bundle.fingerprint == evidence.fingerprint, "the bundle is for another file")
    no_link = _unless(is_confirmed or is_blocked, "nothing but the bundle connects this copy with the manifest")
    subject = f"{copied}; the proof has it for this file too, as for a signed copy" if copied else "this file"
    no_roots = _unless(evidence.named.has_roots, "no trust anchors were given: anyone can make a certificate with this name")
    signer = f'"{sanitize(manifest.signed_by)}" has a certificate of an authority that you trust' if manifest else ""
    stamp = manifest.timestamp if manifest else None
    no_stamp = no_manifest or _unless(stamp, "there is none that is valid, of an authority below the given roots")
    is_own = manifest is not None and not manifest.is_timestamp_independent
    is_dependent = _unless(not is_own, "its authority has the roots of the signer: it is the same party")
    stamped = f"an authority that you trust says that it was signed before {format_time(stamp)}" if stamp else ""
    of_original = _unless(not copied, "the time-stamp is of the registered file, not of this copy")
    no_metadata = _unless(bundle.metadata is not None, "the bundle has no metadata")
    unchanged = "the manifest has not been changed since it was signed, nor have those that it builds on"
    same = "Mark, author, license, filename and AI training are the same in metadata and manifest, where both have them"
    has_identity = manifest is not None and manifest.has_identity
    identity = "an identity credential, which this package does not check" if has_identity else "no identity credential"
    contradicted = _unless(not is_blocked, "chain or manifest contradict")
    return [
        ("signature", no_manifest, unchanged),
        ("subject", no_manifest or is_other or no_link, f"the manifest is for {subject}"),
        ("signer", no_manifest or no_roots, signer),
        ("time-stamp", no_stamp or is_dependent, stamped),
        ("times", no_proof or no_stamp or of_original or contradicted, "the time-stamp is not after the time of the block"),
        ("claims", no_manifest or no_metadata or _unless(is_confirmed, "the manifest does not confirm"), same),
        ("identity", no_manifest or f"the manifest has {identity}", ""),
        ("C2PA rules", "for all rules of C2PA on the content of assertions, use a C2PA validator", ""),
    ]


def _unless(condition: object, gap: str) -> str:
    return "" if condition else gap
