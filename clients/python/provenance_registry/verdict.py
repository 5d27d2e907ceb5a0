"""Decides what the verdict about a bundle is, and why it is not `verified`, as the SDK for TypeScript does."""

from __future__ import annotations

from typing import Literal, NamedTuple, Sequence

from .facts import Fact

Verdict = Literal["verified", "consistent", "contradicted", "incomplete"]

#: What people act on. The rest may be the maker's word, and is then shown as that.
_REGISTRANT_FACTS = ("mark", "markId", "author", "license", "allowAiTraining")


class Reason(NamedTuple):
    """Why a verification is not `verified`."""

    #: For programs, as in the SDK for TypeScript.
    code: str
    text: str


class Findings(NamedTuple):
    """What is decided on."""

    #: What the first contradiction is.
    contradiction: str | None
    #: Why nothing, or not everything, could be checked.
    gap: str | None
    facts: Sequence[Fact]
    #: Why the block of an anchor that the caller compared was not used; None if it was, or none was compared.
    unused_anchor_hash: str | None
    #: Why the keys of the log that the caller named were not used; None if they were, or none were named.
    unused_log_keys: str | None
    independent_sources: Sequence[str]
    has_proof: bool
    is_block_compared: bool
    #: The contract in the bundle, if the caller has not named it.
    unnamed_contract: str | None
    expected_mark: str | None


def decide_verdict(findings: Findings) -> tuple[Verdict, Reason | None]:
    """A bundle is `verified` when none of the rules applies."""
    if findings.contradiction is not None:
        return "contradicted", Reason("CONTRADICTED", findings.contradiction)
    if findings.unused_anchor_hash is not None:
        text = f"A source that you named could not be used: {findings.unused_anchor_hash}"
        return "incomplete", Reason("SOURCE_UNUSABLE", text)
    if findings.gap is not None:
        return "incomplete", Reason("SOURCES_UNAVAILABLE", f"Not enough sources could be checked: {findings.gap}")
    # A hash that was compared with a proof that is not there has confirmed nothing.
    if findings.is_block_compared and not findings.has_proof:
        return "incomplete", Reason("REQUIRED", "The chain is required, but does not confirm independently of the service.")
    return _decide_on_mark(findings) or _decide_on_sources(findings)


def _decide_on_mark(findings: Findings) -> tuple[Verdict, Reason] | None:
    """Also where the Mark is the maker's word: then nothing says that it is the expected one."""
    expected, found = findings.expected_mark, {fact.name: fact.value for fact in findings.facts}
    stated = [found[name] for name in ("mark", "markId") if name in found]
    if expected is None or expected in stated:
        return None
    if not stated:
        text = "Whether it is registered under the expected Mark is not known: its Mark is hidden."
        return "incomplete", Reason("MARK_HIDDEN", text)
    return "contradicted", Reason("UNEXPECTED_MARK", f"It is registered under the Mark {stated[0]}, not under {expected}.")


def _decide_on_sources(findings: Findings) -> tuple[Verdict, Reason | None]:
    contract, unused = findings.unnamed_contract, findings.unused_log_keys
    if unused is not None and not findings.independent_sources:
        return "incomplete", Reason("SOURCE_UNUSABLE", f"A source that you named could not be used: {unused}")
    if findings.independent_sources:
        if all("maker" not in fact.evidence for fact in findings.facts if fact.name in _REGISTRANT_FACTS):
            return "verified", None
        text = "The entry is confirmed, but who registered the file, or its license, is the service's word."
        return "consistent", Reason("REGISTRANT_NOT_PROVEN", text)
    if findings.is_block_compared and contract is not None:
        text = f"The address of the contract, {contract}, comes from the bundle: "
        text += "compare it with one that you know from elsewhere."
        return "consistent", Reason("CONTRACT_NOT_NAMED", text)
    if findings.has_proof:
        text = "The bundle agrees with itself, but the block of its proof was not compared with the chain."
        return "consistent", Reason("BLOCK_NOT_COMPARED", text)
    text = "Everything agrees, but all of it comes from one party: this is not an independent confirmation."
    return "consistent", Reason("NOTHING_NAMED", text)
