"""The result of a lookup, what the service is told, and what its lists must be."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from . import models
from .errors import InvalidResponseError

#: The digits of a lookup by prefix, as long as the service has not said how many suit its size.
MIN_PREFIX_DIGITS = 4
_MAX_PREFIX_DIGITS = 8
#: A bucket has one page, unless it was filled on purpose.
MAX_PAGES = 32


class Disclosure(TypedDict):
    """What the service was told to look a file up."""

    lookupBy: Literal["prefix", "fingerprint"]
    #: Whether the service learned which file was looked up.
    fingerprintDisclosed: bool
    #: The digits that were sent, without `0x`; absent when the whole fingerprint was sent.
    prefix: NotRequired[str]


class Lookup(models.LookupResult):
    """What the service says about a file, of which nothing is checked: the same as in the TypeScript SDK."""

    disclosure: Disclosure


#: Of lookups that send the fingerprint.
DISCLOSED: Disclosure = {"lookupBy": "fingerprint", "fingerprintDisclosed": True}


def describe_entry(fingerprint: str, entry: models.PrefixEntry | None, is_chain_known: bool) -> models.LookupResult:
    """What a list tells about one of its fingerprints."""
    if entry is None:
        return {"fingerprint": fingerprint, "match": "none", "isChainKnown": is_chain_known}
    found: models.LookupResult = {"fingerprint": fingerprint, "match": "artifact", "manifestId": entry["manifestId"]}
    return {**found, "match": "chain", "source": entry["source"]} if "source" in entry else found


def choose_digits(bucket: models.FingerprintBucket) -> int:
    return max(MIN_PREFIX_DIGITS, min(bucket["digits"], _MAX_PREFIX_DIGITS))


def require_order(bucket: models.FingerprintBucket, prefix: str, previous: str) -> None:
    """Every entry once, in order: a list that repeats itself could go on forever, and hide entries."""
    for entry in bucket["entries"]:
        listed = entry["fingerprint"]
        if bucket["prefix"] != prefix or not listed.startswith(f"0x{prefix}") or listed <= previous:
            raise InvalidResponseError("the service lists fingerprints that were not requested")
        previous = listed
    if bucket["nextCursor"] is not None and bucket["nextCursor"] < previous:
        raise InvalidResponseError("the pages of the list overlap")
