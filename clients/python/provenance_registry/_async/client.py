"""The client of a registry: its operations, and lookups that take several of them."""

from __future__ import annotations

import itertools
from typing import AsyncIterator, Iterable, Literal

from .. import models
from ..errors import InvalidResponseError, RegistryError
from ..exchange import LINES_PER_REQUEST
from ..hashing import require_fingerprint
from ..lookups import DISCLOSED, MAX_PAGES, MIN_PREFIX_DIGITS, Lookup, choose_digits, describe_entry, require_order
from .operations import AsyncOperations


class AsyncClient(AsyncOperations):
    """A client of one registry for asyncio, with the operations of `Client`.

    >>> async with AsyncClient("https://registry.example", credential=token) as client:
    ...     me = await client.get_me()
    """

    _prefix_digits = MIN_PREFIX_DIGITS

    async def look_up_many(self, fingerprints: Iterable[str]) -> AsyncIterator[Lookup]:
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
                yield {**result, "disclosure": DISCLOSED}

    async def look_up(
        self, fingerprint: str, *, lookup_by: Literal["prefix", "fingerprint"] = "prefix", details: bool = True
    ) -> Lookup:
        """What the service says about one fingerprint.

        :param lookup_by: `prefix`: the service lists all fingerprints that start with the same digits, and the comparison
            is made here. `fingerprint`: it is sent the fingerprint.
        :param details: Read the details of a match by the fingerprint, which tells the service which file it is.
        :raises ValueError: It is not a fingerprint.
        :raises InvalidResponseError: The service lists something else than was requested.
        """
        require_fingerprint(fingerprint)
        if lookup_by == "fingerprint":
            return await self._look_up_one(fingerprint)
        prefix, found = await self._find_by_prefix(fingerprint)
        is_read = details and found["match"] != "none"
        result: models.LookupResult = await self._look_up_one(fingerprint) if is_read else found
        return {**result, "disclosure": {"lookupBy": "prefix", "fingerprintDisclosed": is_read, "prefix": prefix}}

    async def _look_up_one(self, fingerprint: str) -> Lookup:
        response = await self.look_up_fingerprints(fingerprints=[fingerprint])
        if [result["fingerprint"] for result in response["results"]] != [fingerprint]:
            raise InvalidResponseError("the results of the lookup are not those of the requested fingerprints")
        return {**response["results"][0], "disclosure": DISCLOSED}

    async def _find_by_prefix(self, fingerprint: str) -> tuple[str, models.LookupResult]:
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
                raise InvalidResponseError("the service does not support lookups by prefix") from error
            require_order(bucket, prefix, cursor or "")
            found = found or next((one for one in bucket["entries"] if one["fingerprint"] == fingerprint), None)
            is_chain_known = is_chain_known and bucket["isChainKnown"]
            cursor = bucket["nextCursor"]
            if cursor is None:
                self._prefix_digits = choose_digits(bucket)
                return prefix, describe_entry(fingerprint, found, is_chain_known)
        raise InvalidResponseError(f"the service lists too many fingerprints that start with {prefix}")
