"""The client of a registry: its operations, and lookups that take several of them."""

from __future__ import annotations

import itertools
from typing import Iterable, Iterator, List, NamedTuple, Optional

from . import models
from .errors import InvalidResponseError, RegistryError
from .hashing import require_fingerprint
from .operations import Operations

#: Also with the longest conditions of AI preferences, far below the largest response that is accepted.
_FINGERPRINTS_PER_CALL = 1_000
#: The digits of a private question, as long as the service has not said how many suit its size.
_MIN_PREFIX_DIGITS = 4
_MAX_PREFIX_DIGITS = 8
#: A bucket has one page, unless it was filled on purpose.
_MAX_PAGES = 32


class PrivateLookup(NamedTuple):
    """The answer to a private question."""

    #: The digits that the service was asked for, without `0x`. It learned nothing else.
    prefix: str
    #: None when the service has nothing for the fingerprint.
    entry: Optional[models.PrefixEntry]
    #: Whether the answer covers the chain up to its latest blocks.
    is_chain_known: bool


class Client(Operations):
    """A client of one registry. Threads may share it.

    >>> with Client("https://registry.example", credential=token) as client:
    ...     client.get_me()["user"]["name"]
    """

    _prefix_digits = _MIN_PREFIX_DIGITS

    def look_up_many(self, fingerprints: Iterable[str]) -> Iterator[models.LookupResult]:
        """What the service says about each fingerprint, in their order. They are taken and sent a thousand at a time.

        The service learns which files they belong to.

        :raises ValueError: One of them is not a fingerprint.
        """
        remaining = iter(fingerprints)
        while pending := list(itertools.islice(remaining, _FINGERPRINTS_PER_CALL)):
            for fingerprint in pending:
                require_fingerprint(fingerprint)
            yield from self._look_up(pending)

    def _look_up(self, fingerprints: List[str]) -> List[models.LookupResult]:
        results = self.look_up_fingerprints(fingerprints=fingerprints)["results"]
        if [result["fingerprint"] for result in results] != fingerprints:
            raise InvalidResponseError("the results of the lookup are not those of the fingerprints that were asked for")
        return results

    def look_up_privately(self, fingerprint: str) -> PrivateLookup:
        """Looks a fingerprint up without telling the service which one.

        It is asked for all fingerprints that start with the same digits; the comparison is made here.

        :raises ValueError: It is not a fingerprint.
        :raises InvalidResponseError: The service lists something else than it was asked for.
        """
        require_fingerprint(fingerprint)
        prefix = fingerprint[2 : 2 + self._prefix_digits]
        found: Optional[models.PrefixEntry] = None
        is_chain_known = True
        cursor: Optional[str] = None
        # To the last page, also when the entry is found: where the client stops reading would tell more than the prefix.
        for _ in range(_MAX_PAGES):
            bucket = self._list(prefix, cursor)
            _require_order(bucket, prefix, cursor or "")
            found = found or next((one for one in bucket["entries"] if one["fingerprint"] == fingerprint), None)
            is_chain_known = is_chain_known and bucket["isChainKnown"]
            cursor = bucket["nextCursor"]
            if cursor is None:
                self._prefix_digits = max(_MIN_PREFIX_DIGITS, min(bucket["digits"], _MAX_PREFIX_DIGITS))
                return PrivateLookup(prefix, found, is_chain_known)
        raise InvalidResponseError(f"the service lists too many fingerprints that start with {prefix}")

    def _list(self, prefix: str, cursor: Optional[str]) -> models.FingerprintBucket:
        """The fingerprint is not sent instead: a service that wants it would only have to refuse."""
        try:
            return self.list_fingerprints(prefix, cursor=cursor)
        except RegistryError as error:
            if error.status != 404:
                raise
            raise InvalidResponseError("the service does not answer private questions") from error


def _require_order(bucket: models.FingerprintBucket, prefix: str, previous: str) -> None:
    """Every entry once, in order: a list that repeats itself could go on forever, and hide entries."""
    for entry in bucket["entries"]:
        listed = entry["fingerprint"]
        if bucket["prefix"] != prefix or not listed.startswith(f"0x{prefix}") or listed <= previous:
            raise InvalidResponseError("the service lists fingerprints that it was not asked for")
        previous = listed
    if bucket["nextCursor"] is not None and bucket["nextCursor"] < previous:
        raise InvalidResponseError("the pages of the list overlap")
