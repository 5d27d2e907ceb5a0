"""Private lookups: what the service is told, and what its lists must be."""

from __future__ import annotations

from typing import NamedTuple

from . import models
from .errors import InvalidResponseError

#: The digits of a private lookup, as long as the service has not said how many suit its size.
MIN_PREFIX_DIGITS = 4
_MAX_PREFIX_DIGITS = 8
#: A bucket has one page, unless it was filled on purpose.
MAX_PAGES = 32


class PrivateLookup(NamedTuple):
    """The result of a private lookup."""

    #: The digits that the service was told, without `0x`. It learned nothing else.
    prefix: str
    #: None when the service has nothing for the fingerprint.
    entry: models.PrefixEntry | None
    #: Whether the result covers the chain up to its latest blocks.
    is_chain_known: bool


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
