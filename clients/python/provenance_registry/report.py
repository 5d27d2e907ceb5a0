"""Describes the result of a verification in lines of text, as `provenance verify` does."""

from __future__ import annotations

from .bundles import Verification
from .errors import sanitize
from .facts import Fact

_LABELS = {
    "signedCopyOf": "Signed copy of",
    "mark": "Mark",
    "markId": "Mark id",
    "author": "Author",
    "authorId": "Author id",
    "license": "License",
    "allowAiTraining": "AI training",
    "data_mining": "Data mining",
    "ai_inference": "AI inference",
    "ai_training": "Non-generative training",
    "ai_generative_training": "Generative training",
    "since": "Since",
    "filename": "File name",
    "previousFingerprint": "Previous version",
    "fileSeen": "Possession",
}


def describe(result: Verification) -> list[str]:
    """A fact is in the list of the maker's word unless something that the caller named proves it."""
    lines = [f"{result.fingerprint} {result.verdict}"]
    if result.reason is not None:
        text = sanitize(result.reason.text)
        lines = [f"{lines[0]}: {text}"] if result.verdict == "incomplete" else [*lines, f"  {text}"]
    proven = [fact for fact in result.facts if "maker" not in fact.evidence]
    others = [fact for fact in result.facts if "maker" in fact.evidence]
    lines += _list_facts("Proven by what you named", proven)
    # Where something contradicts, the maker's word counts for nothing.
    lines += _list_facts("According to the maker", [] if result.verdict == "contradicted" else others)
    return [*lines, "  Checks", *(f"    {state:<12} {name:<11} {text}" for name, state, text in result.checks)]


def _list_facts(title: str, facts: list[Fact]) -> list[str]:
    rows = [f"    {_LABELS[fact.name]:<24} {_format(fact)}" for name in _LABELS for fact in facts if fact.name == name]
    return [f"  {title}", *rows] if rows else []


def _format(fact: Fact) -> str:
    texts: dict[tuple[str, object], str] = {
        ("allowAiTraining", True): "allowed",
        ("allowAiTraining", False): "forbidden",
        ("allowAiTraining", None): "not specified",
        ("fileSeen", True): "the service read the file",
        ("fileSeen", False): "not shown: only the fingerprint was sent",
    }
    value = texts.get((fact.name, fact.value), sanitize(str(fact.value)))
    return value if "maker" in fact.evidence else f"{value} ({', '.join(fact.evidence)})"
