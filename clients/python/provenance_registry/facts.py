"""The facts about a file and their times, each with the evidence that carries it."""

from __future__ import annotations

import datetime
from typing import Any, Literal, NamedTuple

from .manifests import Claims, Manifest
from .proofs import Registration

IndependentSource = Literal["chain", "manifest"]
Evidence = Literal["chain", "manifest", "maker"]

#: Where the metadata have what the manifest may state too.
_PLACES = {
    "mark": ("mark", "name"),
    "markId": ("mark", "id"),
    "author": ("author", "name"),
    "authorId": ("author", "id"),
    "license": ("license", "name"),
    "licenseUrl": ("license", "url"),
    "allowAiTraining": ("allowAiTraining",),
    "filename": ("filename",),
    "previousFingerprint": ("previousFingerprint",),
}
_NO_LICENSE = "None specified"


class Fact(NamedTuple):
    """What is known about a file. Names and values are those of the SDK for TypeScript."""

    name: str
    #: What the source states: sanitize texts before you show them.
    value: str | bool | None
    #: `chain` and `manifest` only if you named what proves them; otherwise it is the word of the bundle's maker.
    evidence: tuple[Evidence, ...]


class Time(NamedTuple):
    """A time that evidence carries."""

    source: Literal["block", "timestamp"]
    #: ISO 8601, UTC.
    at: str
    #: Whether it is proven by what you named; otherwise it is the word of the bundle's maker.
    is_independent: bool


class FactSources(NamedTuple):
    """Only evidence that nothing contradicts."""

    metadata: dict[str, Any] | None
    #: Whether their hash is the one in the proof.
    are_metadata_on_chain: bool
    registration: Registration | None
    manifest: Manifest | None
    #: The registered file of which this one is a copy, and whether the proof connects it with the manifest.
    signed_copy_of: str | None
    is_linked: bool
    #: The sources that are independent of the bundle's maker.
    carriers: tuple[IndependentSource, ...]


def read_metadata(metadata: dict[str, Any] | None) -> dict[str, Any]:
    """What the metadata state, by the names of the facts."""
    found = {}
    for name, (*way, last) in _PLACES.items():
        place: Any = metadata
        for key in way:
            place = place.get(key) if isinstance(place, dict) else None
        if isinstance(place, dict) and last in place:
            found[name] = place[last]
    return found


def read_claims(claims: Claims) -> dict[str, Any]:
    """What the manifest states, by the names of the facts. That of a Mark says that something is not specified by leaving it out."""
    stated = {
        "mark": claims.mark_name,
        "markId": claims.mark_id,
        "author": claims.author,
        "license": claims.license or (None if claims.mark_id is None else _NO_LICENSE),
        "licenseUrl": claims.license_url,
        "allowAiTraining": claims.allow_ai_training,
        "filename": claims.title,
        "previousFingerprint": claims.previous_fingerprint,
    }
    is_left_out = claims.mark_id is not None and claims.allow_ai_training is None
    return {name: value for name, value in stated.items() if value is not None or (name == "allowAiTraining" and is_left_out)}


def collect_facts(sources: FactSources) -> list[Fact]:
    """In the order of the SDK, without the time."""
    recorded = read_metadata(sources.metadata)
    stated = {} if sources.manifest is None else read_claims(sources.manifest.claims)
    facts: list[Fact] = []
    if sources.signed_copy_of is not None:
        # Entry and manifest carry it together: one without the other is not enough.
        is_carried = sources.is_linked and len(sources.carriers) == 2
        facts.append(Fact("signedCopyOf", sources.signed_copy_of, sources.carriers if is_carried else ("maker",)))
    for name in _PLACES:
        if name != "licenseUrl" and (name in recorded or name in stated):
            value = recorded[name] if name in recorded else stated[name]
            is_stated = name in stated and stated[name] == value
            facts.append(_to_fact(sources, name, value, name in recorded and sources.are_metadata_on_chain, is_stated))
    if sources.manifest is not None:
        facts += [_to_fact(sources, use, text, False, True) for use, text in sources.manifest.claims.ai_preferences.items()]
    # Metadata that are on chain say it by leaving it out, too.
    seen = (sources.metadata or {}).get("fileSeen", False if sources.are_metadata_on_chain else None)
    return facts if seen is None else [*facts, _to_fact(sources, "fileSeen", seen, sources.are_metadata_on_chain, False)]


def _to_fact(sources: FactSources, name: str, value: str | bool | None, is_on_chain: bool, is_stated: bool) -> Fact:
    carried: dict[IndependentSource, bool] = {"chain": is_on_chain, "manifest": is_stated}
    return Fact(name, value, tuple(source for source in sources.carriers if carried[source]) or ("maker",))


def collect_times(sources: FactSources) -> list[Time]:
    """Earliest first. The time-stamp of the registered file says nothing about when a copy was made."""
    times = []
    if sources.manifest is not None and sources.manifest.timestamp is not None and not sources.is_linked:
        manifest = sources.manifest
        times.append(Time("timestamp", format_time(sources.manifest.timestamp), manifest.is_timestamp_independent))
    if sources.registration is not None:
        block_time = datetime.datetime.fromtimestamp(sources.registration.block_time, datetime.timezone.utc)
        times.append(Time("block", format_time(block_time), "chain" in sources.carriers))
    return sorted(times, key=lambda time: time.at)


def find_since(times: list[Time]) -> list[Fact]:
    """The earliest independent time; without one, the maker's word."""
    since = next((time for time in times if time.is_independent), times[0] if times else None)
    if since is None:
        return []
    source: Evidence = "chain" if since.source == "block" else "manifest"
    return [Fact("since", since.at, (source if since.is_independent else "maker",))]


def format_time(time: datetime.datetime) -> str:
    """As JavaScript does."""
    return f"{time.astimezone(datetime.timezone.utc).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
