"""The client of a registry: its operations, and lookups that take several of them."""

from __future__ import annotations

import itertools
from typing import AsyncIterator, Iterable

from .. import models
from ..errors import InvalidResponseError, RegistryError
from ..exchange import LINES_PER_REQUEST
from ..hashing import require_fingerprint
from ..private_lookup import MAX_PAGES, MIN_PREFIX_DIGITS, PrivateLookup, choose_digits, require_order
from .operations import AsyncOperations


class AsyncClient(AsyncOperations):
    """A client of one registry for asyncio, with the operations of `Client`.

    >>> async with AsyncClient("https://registry.example", credential=token) as client:
    ...     me = await client.get_me()
    """

    _prefix_digits = MIN_PREFIX_DIGITS

    async def look_up_many(self, fingerprints: Iterable[str]) -> AsyncIterator[models.LookupResult]:
        """What the service says about each fingerprint, in their order. They are taken and sent a thousand at a time.

        The service learns which files they belong to.

        :raises ValueError: One of them is not a fingerprint.
        """
        remaining = iter(fingerprints)
        while pending := list(itertools.islice(remaining, LINES_PER_REQUEST)):
            for fingerprint in pending:
                require_fingerprint(fingerprint)
            response = await self.look_up_fingerprints(fingerprints=pending)
            if [result["fingerprint"] for result in response["results"]] != pending:
                raise InvalidResponseError("the results of the lookup are not those of the requested fingerprints")
            for result in response["results"]:
                yield result

    async def look_up_privately(self, fingerprint: str) -> PrivateLookup:
        """Looks a fingerprint up without telling the service which one.

        The service lists all fingerprints that start with the same digits; the comparison is made here.

        :raises ValueError: It is not a fingerprint.
        :raises InvalidResponseError: The service lists something else than was requested.
        """
        require_fingerprint(fingerprint)
        prefix = fingerprint[2 : 2 + self._prefix_digits]
        found: models.PrefixEntry | None = None
        is_chain_known = True
        cursor: str | None = None
        # To the last page, also when the entry is found: where the client stops reading would tell more than the prefix.
        for _ in range(MAX_PAGES):
            try:
                bucket = await self.list_fingerprints(prefix, cursor=cursor)
            except RegistryError as error:
                if error.status != 404:
                    raise
                # The fingerprint is not sent instead: a service that wants it would only have to refuse.
                raise InvalidResponseError("the service has no private lookups") from error
            require_order(bucket, prefix, cursor or "")
            found = found or next((one for one in bucket["entries"] if one["fingerprint"] == fingerprint), None)
            is_chain_known = is_chain_known and bucket["isChainKnown"]
            cursor = bucket["nextCursor"]
            if cursor is None:
                self._prefix_digits = choose_digits(bucket)
                return PrivateLookup(prefix, found, is_chain_known)
        raise InvalidResponseError(f"the service lists too many fingerprints that start with {prefix}")
