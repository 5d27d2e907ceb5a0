"""What a bundle shows, and the result of its verification."""

from __future__ import annotations

from typing import Literal, NamedTuple, Optional, Tuple

from .bundle_format import Bundle
from .manifests import Manifest
from .proofs import Registration

Source = Literal["bundle", "chain", "manifest"]
State = Literal["passed", "failed", "not checked"]


class Problem(NamedTuple):
    """A contradiction, attributed to the part that cannot be right."""

    #: `bundle`: its metadata, or what its maker says.
    source: Source
    #: For programs, as in the SDK for TypeScript.
    code: str
    reason: str


class Check(NamedTuple):
    """One check: whether it was made, and what it found."""

    name: str
    state: State
    text: str


class Verification(NamedTuple):
    """The result. `checks` lists every check, those that were not made too, with the reason."""

    fingerprint: str
    #: `verified`: a source that the caller knows from elsewhere confirms, and nothing contradicts. `consistent`: the
    #: bundle agrees with itself, and all of it comes from its maker. `incomplete`: something could not be checked.
    verdict: Literal["verified", "consistent", "contradicted", "incomplete"]
    #: What confirms and was compared with what the caller knows from elsewhere.
    independent_sources: Tuple[Literal["chain", "manifest"], ...]
    checks: Tuple[Check, ...]
    problems: Tuple[Problem, ...]
    #: What follows from the proof, if the chain has its block; None if it is not valid.
    registration: Optional[Registration]
    #: The manifest, if its signature and hashes are valid.
    manifest: Optional[Manifest]


class Evidence(NamedTuple):
    bundle: Bundle
    fingerprint: str
    is_file_given: bool
    block_hash: Optional[str]
    contract: Optional[str]
    chain_id: Optional[int]
    has_roots: bool
    registration: Optional[Registration]
    proof_error: Optional[str]
    manifest: Optional[Manifest]
    manifest_error: Optional[str]
    #: Why the manifest could not be checked.
    manifest_gap: Optional[str]
