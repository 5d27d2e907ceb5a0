"""Calls of operations: sends requests, repeats what may be repeated, and reads responses."""

from __future__ import annotations

import asyncio
import itertools
from time import monotonic
from typing import Any, AsyncIterator, BinaryIO, Iterable, Self

import h11
import httpx

from ..errors import InvalidResponseError, ServiceUnreachableError
from ..events import EventParser, ServerSentEvent
from ..exchange import (
    LINES_PER_REQUEST,
    MAX_FILE_BYTES,
    MAX_JSON_BYTES,
    MAX_REDIRECTS,
    Connection,
    File,
    Operation,
    Request,
    TransientError,
    decode_json,
    http_options,
    media_type,
)
from ..schemas import require_response


class AsyncCaller:
    """Calls the operations of one registry.

    :param base_url: The URL of the service.
    :param credential: A user token or an API key. Without one, only public operations succeed.
    :param max_attempts: How often a request is sent at most when the service cannot be reached or responds with 5xx.
    :param timeout: In seconds, for each attempt. Default: what suits the operation.
    """

    def __init__(
        self, base_url: str, credential: str | None = None, *, max_attempts: int = 5, timeout: float | None = None
    ) -> None:
        self._connection = Connection(base_url, credential, max_attempts, timeout)
        self._http = httpx.AsyncClient(**http_options())

    @property
    def base_url(self) -> str:
        return self._connection.base_url

    async def aclose(self) -> None:
        """Closes the connections that are kept open."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _call_json(self, operation: Operation, **parts: Any) -> Any:
        _, content = await self._call(operation, "application/json", **parts)
        return require_response(decode_json(operation, content), operation.id)

    async def _call_without_result(self, operation: Operation, **parts: Any) -> None:
        await self._call(operation, "application/json", **parts)

    async def _call_text(self, operation: Operation, *, accept: str, **parts: Any) -> str:
        _, content = await self._call(operation, accept, **parts)
        return content.decode("utf-8", errors="replace")

    async def _call_file(self, operation: Operation, *, accept: str, **parts: Any) -> File:
        response, content = await self._call(operation, accept, MAX_FILE_BYTES, **parts)
        return File(content, media_type(response), dict(response.headers))

    async def _call_into(self, operation: Operation, target: BinaryIO, **parts: Any) -> int:
        """Writes a response of any size to a file while it arrives."""
        response, _ = await self._call(operation, "application/json", is_stream=True, **parts)
        size = 0
        try:
            async for piece in response.aiter_bytes():
                size += target.write(piece)
        except httpx.RequestError as error:
            raise ServiceUnreachableError(f"{operation.id}: the response is not complete: {error}") from error
        finally:
            await response.aclose()
        return size

    async def _call_lines(self, operation: Operation, lines: Iterable[Any], **parts: Any) -> AsyncIterator[Any]:
        """Takes the items and sends them a thousand at a time, one in each line."""
        remaining = iter(lines)
        while batch := list(itertools.islice(remaining, LINES_PER_REQUEST)):
            _, content = await self._call(operation, "application/x-ndjson", lines=batch, **parts)
            results = [decode_json(operation, line) for line in content.splitlines()]
            if len(results) != len(batch):
                raise InvalidResponseError(f"{operation.id} has {len(results)} results for {len(batch)} lines")
            for result in results:
                yield require_response(result, f"{operation.id}Line")

    async def _call_events(self, operation: Operation, **parts: Any) -> AsyncIterator[ServerSentEvent]:
        """A lost connection is made again, from the last event on."""
        header: dict[str, Any] = dict(parts.pop("header", {}))
        while True:
            response, _ = await self._call(operation, "text/event-stream", is_stream=True, header=header, **parts)
            parser = EventParser()
            try:
                if media_type(response) != "text/event-stream":
                    raise InvalidResponseError(f"the response to {operation.id} is not a stream of events")
                async for piece in response.aiter_bytes():
                    for event in parser.parse(piece):
                        header["last-event-id"] = event.id or header.get("last-event-id")
                        if event.data is not None:
                            yield event
            except httpx.RequestError:
                pass
            finally:
                await response.aclose()
            await asyncio.sleep(parser.pause_seconds)

    async def _call(
        self, operation: Operation, accept: str, max_bytes: int = MAX_JSON_BYTES, **parts: Any
    ) -> tuple[httpx.Response, bytes]:
        """The response and its content. The content of a stream has not been read, and the caller closes it."""
        request = self._connection.build(operation, accept, **parts)
        for number in itertools.count(1):
            try:
                return await self._attempt(request, number, max_bytes)
            except TransientError as error:
                await asyncio.sleep(request.choose_delay(error, number, self._connection.max_attempts))
        raise AssertionError("counting has no end")

    async def _attempt(self, request: Request, number: int, max_bytes: int) -> tuple[httpx.Response, bytes]:
        started_at, content = monotonic(), bytearray()
        try:
            with request.open() as arguments:
                response = await self._send(self._http.build_request(**arguments))
            if request.is_stream and response.is_success and media_type(response) != "text/html":
                return response, b""
            try:
                async for piece in response.aiter_bytes():
                    request.append(content, piece, max_bytes, started_at)
            finally:
                await response.aclose()
        except (httpx.RequestError, h11.LocalProtocolError) as error:
            raise self._connection.to_error(error) from error
        request.require_success(response, bytes(content), number)
        return response, bytes(content)

    async def _send(self, request: httpx.Request) -> httpx.Response:
        for _ in range(MAX_REDIRECTS + 1):
            response = await self._http.send(request, stream=True)
            if response.next_request is None:
                return response
            await response.aclose()
            request = self._connection.follow(request, response.next_request)
        raise InvalidResponseError(f"{self.base_url} redirects more than {MAX_REDIRECTS} times")
