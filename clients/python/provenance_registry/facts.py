"""The facts about a file and their times, each with the evidence that carries it."""

from __future__ import annotations

import datetime
from typing import Any, Literal, NamedTuple

from .licenses import LICENSE_NAMES
from .manifests import Claims, Manifest
from .proofs import AnchorBlock, Registration
from .snapshot import AI_USES, PERMISSIONS

IndependentSource = Literal["chain", "manifest", "log"]
Evidence = Literal["chain", "manifest", "log", "maker"]

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
    #: `chain`, `manifest` and `log` only if you named what proves them; otherwise it is the word of the bundle's maker.
    evidence: tuple[Evidence, ...]


class Time(NamedTuple):
    """A time that evidence carries."""

    #: `anchor`: of the block on chain before which the log had the file.
    source: Literal["block", "timestamp", "anchor"]
    #: ISO 8601, UTC.
    at: str
    #: Whether it is proven by what you named; otherwise it is the word of the bundle's maker.
    is_independent: bool


class FactSources(NamedTuple):
    """Only evidence that nothing contradicts."""

    metadata: dict[str, Any] | None
    #: The sources that have their hash.
    metadata_carriers: tuple[IndependentSource, ...]
    registration: Registration | None
    manifest: Manifest | None
    anchor: AnchorBlock | None
    #: Whether the caller compared its block and named the contract.
    is_anchor_named: bool
    #: Mark, AI preferences and license, as the log has them.
    terms: dict[str, Any] | None
    #: The registered file of which this one is a copy, and what connects it with the manifest.
    signed_copy_of: str | None
    link: tuple[IndependentSource, ...] | None
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


def license_name(key: str) -> str | None:
    """None for a license that was added later."""
    return LICENSE_NAMES.get(key)


def encode_ai_preferences(preferences: dict[str, str]) -> list[int]:
    """As leaves of the log have them: without conditions."""
    return [PERMISSIONS.index(preferences[use].partition(":")[0]) if use in preferences else 0 for use in AI_USES]


def read_terms(terms: dict[str, Any] | None) -> dict[str, Any]:
    """What the leaf states, by the names of the facts. It leaves out the conditions of a constrained use."""
    if terms is None:
        return {}
    uses = {use: PERMISSIONS[code] for use, code in zip(AI_USES, terms["ai"]) if PERMISSIONS[code] not in (None, "constrained")}
    name = license_name(terms["license"])
    return {"markId": terms["mark"], **({} if name is None else {"license": name}), **uses}


def collect_facts(sources: FactSources) -> list[Fact]:
    """In the order of the SDK, without the time."""
    recorded, logged = read_metadata(sources.metadata), read_terms(sources.terms)
    stated = {} if sources.manifest is None else {**read_claims(sources.manifest.claims), **sources.manifest.claims.ai_preferences}
    facts: list[Fact] = []
    if sources.signed_copy_of is not None:
        # Both carry it together: one without the other is not enough.
        is_carried = sources.link is not None and set(sources.link) <= set(sources.carriers)
        facts.append(Fact("signedCopyOf", sources.signed_copy_of, sources.link if sources.link and is_carried else ("maker",)))
    for name in (*_PLACES, *AI_USES):
        found = next((place for place in (recorded, stated, logged) if name in place), None)
        if name != "licenseUrl" and found is not None:
            value = found[name]
            by_metadata = sources.metadata_carriers if name in recorded else ()
            is_stated = name in stated and stated[name] == value
            is_logged = "log" in by_metadata or (name in logged and logged[name] == value)
            facts.append(_to_fact(sources, name, value, {"chain": "chain" in by_metadata, "manifest": is_stated, "log": is_logged}))
    # Metadata whose hash chain or log have say it by leaving it out, too.
    seen = (sources.metadata or {}).get("fileSeen", False if sources.metadata_carriers else None)
    carried: dict[IndependentSource, bool] = {source: True for source in sources.metadata_carriers}
    return facts if seen is None else [*facts, _to_fact(sources, "fileSeen", seen, carried)]


def _to_fact(sources: FactSources, name: str, value: str | bool | None, carried: dict[IndependentSource, bool]) -> Fact:
    return Fact(name, value, tuple(source for source in sources.carriers if carried.get(source)) or ("maker",))


def collect_times(sources: FactSources) -> list[Time]:
    """Earliest first. The time-stamp of the registered file says nothing about when a copy was made."""
    times = []
    if sources.manifest is not None and sources.manifest.timestamp is not None and sources.link is None:
        manifest = sources.manifest
        times.append(Time("timestamp", format_time(sources.manifest.timestamp), manifest.is_timestamp_independent))
    if sources.registration is not None:
        times.append(Time("block", _format_seconds(sources.registration.block_time), "chain" in sources.carriers))
    if sources.anchor is not None:
        times.append(Time("anchor", _format_seconds(sources.anchor.block_time), sources.is_anchor_named))
    return sorted(times, key=lambda time: time.at)


_EVIDENCE: dict[str, Evidence] = {"block": "chain", "timestamp": "manifest", "anchor": "log"}


def find_since(times: list[Time]) -> list[Fact]:
    """The earliest independent time; without one, the maker's word."""
    since = next((time for time in times if time.is_independent), times[0] if times else None)
    if since is None:
        return []
    return [Fact("since", since.at, (_EVIDENCE[since.source] if since.is_independent else "maker",))]


def _format_seconds(seconds: int) -> str:
    return format_time(datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc))


def format_time(time: datetime.datetime) -> str:
    """As JavaScript does."""
    return f"{time.astimezone(datetime.timezone.utc).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
