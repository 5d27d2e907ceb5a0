"""Calls of operations: builds requests, repeats what may be repeated, and reads responses."""

from __future__ import annotations

import contextlib
import dataclasses
import http.client
import json
import random
import re
import secrets
import ssl
import time
import urllib.parse
from typing import Any, BinaryIO, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, TypeVar

from .connections import Connections, NotConnectedError, Request, Response
from .errors import FieldProblem, InvalidResponseError, RegistryError, ServiceUnreachableError, sanitize
from .server_sent_events import ServerSentEvent, parse_events
from .shapes import require_shape
from .uploads import Content, Source, as_body, as_form

__all__ = ["Caller", "Content", "File", "OMITTED", "Omitted", "Operation", "ServerSentEvent"]

_MAX_ATTEMPTS = 5
_FIRST_DELAY_SECONDS = 1.0
_MAX_DELAY_SECONDS = 30.0
_MIN_PAUSE_SECONDS = 0.1
#: For files over slow connections: longer than the service waits for one.
_UPLOAD_SECONDS = 900.0
_DOWNLOAD_SECONDS = 60.0
_MAX_JSON_BYTES = 16 << 20
_MAX_FILE_BYTES = 64 << 20
#: A line has one result.
_MAX_LINE_BYTES = 1 << 20
#: The service sends a comment more often, so that a quiet stream differs from a lost one.
_STREAM_SECONDS = 90.0
_REQUEST_TIMEOUT = 408

T = TypeVar("T")


class Omitted:
    """The type of `OMITTED`: a field that is not sent, where None is a value."""


OMITTED = Omitted()


@dataclasses.dataclass(frozen=True)
class Operation:
    """How an operation is called."""

    id: str
    method: str
    path: str
    needs_credential: bool = False
    #: A second request after a lost response does no harm.
    is_repeatable: bool = False
    #: Of a repetition: the first request did it.
    done_statuses: "tuple[int, ...]" = ()
    has_idempotency_key: bool = False
    #: In seconds.
    timeout: float = 30
    #: The array of the body whose items have idempotency keys of their own.
    keyed_items: Optional[str] = None
    #: A file alone may be the body.
    takes_raw_file: bool = False


class File(NamedTuple):
    """A response that is a file."""

    content: bytes
    media_type: str
    #: By name in lower case.
    headers: Mapping[str, str]


class _TransientError(Exception):
    def __init__(self, reason: str, retry_after: float = 0, is_unprocessed: bool = False) -> None:
        super().__init__(reason)
        self.retry_after = retry_after
        self.is_unprocessed = is_unprocessed


class Caller:
    """Calls the operations of one registry.

    :param base_url: The URL of the service.
    :param credential: A user token or an API key. Without one, only public operations succeed.
    :param max_attempts: How often a request is sent at most when the service cannot be reached or responds with 5xx.
    :param timeout: Of each attempt, in seconds, in place of what suits the operation.
    """

    def __init__(
        self,
        base_url: str,
        credential: Optional[str] = None,
        *,
        max_attempts: int = _MAX_ATTEMPTS,
        timeout: Optional[float] = None,
    ) -> None:
        if credential is not None and not re.fullmatch(r"[\x21-\x7e]+", credential):
            raise ValueError("a credential has printable ASCII characters only")
        self._connections = Connections(base_url)
        self._credential = credential
        self._max_attempts = max_attempts
        self._timeout = timeout

    @property
    def base_url(self) -> str:
        return self._connections.base_url

    def close(self) -> None:
        """Closes the connections that are kept open."""
        self._connections.close()

    def __enter__(self: T) -> T:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call_json(self, operation: Operation, shape: Any, **parts: Any) -> Any:
        def read(response: Response) -> Any:
            return require_shape(_parse_json(operation, response), shape, operation.id)

        return self._call(operation, "application/json", read, **parts)

    def _call_without_result(self, operation: Operation, **parts: Any) -> None:
        self._call(operation, "application/json", lambda response: response.read(_MAX_JSON_BYTES), **parts)

    def _call_text(self, operation: Operation, *, accept: str, **parts: Any) -> str:
        return self._call(operation, accept, lambda response: response.read(_MAX_JSON_BYTES).decode("utf-8"), **parts)

    def _call_file(self, operation: Operation, *, accept: str, **parts: Any) -> File:
        def read(response: Response) -> File:
            return File(response.read(_MAX_FILE_BYTES), response.media_type, response.headers)

        # A signed copy counts also when its response is lost, and an Artifact can have a few only.
        only_unprocessed = operation.method != "GET"
        return self._call(operation, accept, read, only_unprocessed=only_unprocessed, **parts)

    def _call_into(self, operation: Operation, target: BinaryIO, **parts: Any) -> int:
        """Writes a response of any size to a file while it arrives."""
        response = self._call(operation, "application/json", lambda started: started, is_stream=True, **parts)
        size = 0
        try:
            for piece in response.pieces(is_stream=True):
                target.write(piece)
                size += len(piece)
        except (OSError, http.client.HTTPException) as error:
            raise ServiceUnreachableError(f"{operation.id}: the response is not complete: {error}") from error
        return size

    def _call_lines(self, operation: Operation, shape: Any, lines: Iterable[Any], **parts: Any) -> Iterator[Any]:
        """Sends a line for each item while results arrive. It is sent once: the items cannot be taken again."""
        headers = self._headers(operation, "application/x-ndjson", parts.get("header", {}))
        headers["Content-Type"] = "application/x-ndjson"
        target = self._target(operation, parts.get("path", {}), parts.get("query", {}))
        keyed = operation.keyed_items is not None
        pieces = (json.dumps(_with_key(line) if keyed else line).encode() + b"\n" for line in lines)
        request = Request(operation.method, target, headers, None, self._timeout or operation.timeout)
        try:
            response = self._connections.open_duplex(request, pieces)
            with contextlib.closing(response):
                self._require_success(operation, response)
                for line in _split_lines(response.pieces(is_stream=True)):
                    yield require_shape(_decode_json(operation, line), shape, operation.id)
        except (_TransientError, OSError, http.client.HTTPException) as error:
            raise ServiceUnreachableError(f"{operation.id} failed: {error}") from error

    def _call_events(self, operation: Operation, **parts: Any) -> Iterator[ServerSentEvent]:
        """A lost connection is made again, from the last event on."""
        header: Dict[str, Any] = dict(parts.pop("header", {}))
        while True:
            response = self._call(
                operation, "text/event-stream", lambda started: started, is_stream=True, header=header, **parts
            )
            pause = _FIRST_DELAY_SECONDS
            with contextlib.closing(response):
                if response.media_type != "text/event-stream":
                    raise InvalidResponseError(f"the response to {operation.id} is not a stream of events")
                try:
                    for event in parse_events(response.pieces(is_stream=True)):
                        header["last-event-id"] = event.id or header.get("last-event-id")
                        if event.retry is not None:
                            pause = max(_MIN_PAUSE_SECONDS, min(event.retry, _MAX_DELAY_SECONDS))
                        if event.data is not None:
                            yield event
                except (OSError, http.client.HTTPException):
                    pass
            time.sleep(pause)

    def _call(
        self,
        operation: Operation,
        accept: str,
        read: Callable[[Response], T],
        *,
        path: Mapping[str, object] = {},
        query: Mapping[str, object] = {},
        header: Mapping[str, object] = {},
        body: Optional[Mapping[str, object]] = None,
        nullable: "tuple[str, ...]" = (),
        file: Optional[Content] = None,
        only_unprocessed: bool = False,
        is_stream: bool = False,
    ) -> T:
        target = self._target(operation, path, query)
        headers = self._headers(operation, accept, header)
        source = None if file is None else Source(file)
        fields = _with_keys(operation, _present(body, nullable)) if body is not None else None
        timeout = self._choose_timeout(operation, query, source is not None, is_stream)

        def attempt(number: int) -> T:
            upload_headers, content = _build_body(operation, fields, source)
            request = Request(operation.method, target, {**headers, **upload_headers}, content, timeout)
            response = self._send(request)
            if number > 1 and response.status in operation.done_statuses:
                response.close()
                return None  # type: ignore[return-value]  # such operations have no result
            self._require_success(operation, response)
            try:
                return read(response)
            except (OSError, http.client.HTTPException) as error:
                raise _TransientError(str(error) or type(error).__name__) from error

        may_repeat = (operation.is_repeatable or only_unprocessed) and (source is None or source.is_repeatable)
        return self._repeat(operation, attempt, may_repeat, only_unprocessed)

    def _repeat(
        self, operation: Operation, attempt: Callable[[int], T], may_repeat: bool, only_unprocessed: bool
    ) -> T:
        """Waits half to all of 1, 2, 4, … seconds: the jitter spreads out clients that failed at the same time."""
        number = 1
        while True:
            try:
                return attempt(number)
            except _TransientError as error:
                is_final = not may_repeat or (only_unprocessed and not error.is_unprocessed)
                if is_final or number >= self._max_attempts:
                    times = "" if number == 1 else f" after {number} attempts"
                    message = f"{operation.id} failed{times}: {error}"
                    raise ServiceUnreachableError(message, error.retry_after) from error
                delay = _FIRST_DELAY_SECONDS * 2 ** (number - 1) * (1 + random.random()) / 2
                time.sleep(min(max(delay, error.retry_after), _MAX_DELAY_SECONDS))
                number += 1

    def _send(self, request: Request) -> Response:
        try:
            return self._connections.send(request)
        except ssl.SSLCertVerificationError as error:
            raise ServiceUnreachableError(f"the certificate of {self.base_url} is not trusted: {error}") from error
        except NotConnectedError as error:
            raise _TransientError(str(error), is_unprocessed=True) from error
        except (OSError, http.client.HTTPException) as error:
            raise _TransientError(str(error) or type(error).__name__) from error

    def _choose_timeout(
        self, operation: Operation, query: Mapping[str, object], has_file: bool, is_stream: bool
    ) -> float:
        wait = query.get("wait")
        waiting = float(wait) if isinstance(wait, (int, float)) else 0.0
        own = _STREAM_SECONDS if is_stream else _UPLOAD_SECONDS if has_file else operation.timeout
        return (self._timeout or own) + waiting

    def _target(self, operation: Operation, path: Mapping[str, object], query: Mapping[str, object]) -> str:
        def fill(match: "re.Match[str]") -> str:
            # A dot segment would be another path.
            text = urllib.parse.quote(str(path[match.group(1)]), safe="")
            return text.replace(".", "%2E") if text in (".", "..") else text

        filled = self._connections.base_path + re.sub(r"\{(\w+)\}", fill, operation.path)
        pairs = [(name, _to_text(value)) for name, value in _present(query).items()]
        return f"{filled}?{urllib.parse.urlencode(pairs)}" if pairs else filled

    def _headers(self, operation: Operation, accept: str, header: Mapping[str, object]) -> Dict[str, str]:
        headers = {"Accept": accept}
        if operation.needs_credential and self._credential is not None:
            headers["Authorization"] = f"Bearer {self._credential}"
        if operation.has_idempotency_key:
            headers["idempotency-key"] = secrets.token_hex(16)
        return {**headers, **{name: str(value) for name, value in _present(header).items()}}

    def _require_success(self, operation: Operation, response: Response) -> None:
        if 200 <= response.status < 300:
            if response.media_type == "text/html":
                response.close()
                raise InvalidResponseError(f"{self.base_url} responded with a web page instead of data")
            return
        try:
            text = response.read(_MAX_JSON_BYTES)
        except (OSError, http.client.HTTPException) as error:
            raise _TransientError(f"the service responded with {response.status}") from error
        if response.status >= 500 or response.status == _REQUEST_TIMEOUT:
            after = response.headers.get("retry-after", "")
            seconds = float(after) if re.fullmatch(r"\d{1,6}", after) else 0.0
            raise _TransientError(f"the service responded with {response.status}", seconds)
        raise _to_error(operation, response.status, text)


def _build_body(
    operation: Operation, fields: Optional[Dict[str, Any]], source: Optional[Source]
) -> "tuple[Dict[str, str], Any]":
    if source is not None and operation.takes_raw_file:
        return as_body(source)
    if source is not None:
        return as_form(source, {name: _to_text(value) for name, value in (fields or {}).items()})
    if fields is None:
        # Without a length, servers wait for a body of a POST.
        return ({} if operation.method in ("GET", "DELETE") else {"Content-Length": "0"}), None
    content = json.dumps(fields).encode()
    return {"Content-Type": "application/json", "Content-Length": str(len(content))}, content


def _present(values: Mapping[str, Any], nullable: "tuple[str, ...]" = ()) -> Dict[str, Any]:
    """What was given. Of nullable fields, None is a value, and OMITTED says that there is none."""
    return {
        name: value
        for name, value in values.items()
        if (value is not None or name in nullable) and not isinstance(value, Omitted)
    }


def _to_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value)


def _with_keys(operation: Operation, fields: Dict[str, Any]) -> Dict[str, Any]:
    """Items get keys, the same for all attempts, so that a repetition registers nothing twice."""
    if operation.keyed_items is None:
        return fields
    return {**fields, operation.keyed_items: [_with_key(item) for item in fields[operation.keyed_items]]}


def _with_key(item: Mapping[str, Any]) -> Dict[str, Any]:
    return {"idempotencyKey": secrets.token_hex(16), **item}


def _parse_json(operation: Operation, response: Response) -> Any:
    return _decode_json(operation, response.read(_MAX_JSON_BYTES))


def _decode_json(operation: Operation, text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidResponseError(f"the response to {operation.id} is not JSON") from error


def _to_error(operation: Operation, status: int, text: bytes) -> Exception:
    try:
        refusal = json.loads(text)
        problems = [
            FieldProblem(sanitize(problem["pointer"]), sanitize(problem["expected"]))
            for problem in refusal.get("problems", [])
        ]
        return RegistryError(sanitize(refusal["code"]), sanitize(refusal["error"]), status, problems)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return InvalidResponseError(f"the error response ({status}) to {operation.id} does not have the documented form")


def _split_lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    rest: List[bytes] = []
    size = 0
    for piece in pieces:
        *whole, last = piece.split(b"\n")
        for line in whole:
            yield b"".join([*rest, line])
            rest, size = [], 0
        rest.append(last)
        size += len(last)
        if size > _MAX_LINE_BYTES:
            raise InvalidResponseError("a line of the response is too long")
    if any(rest):
        raise ConnectionError("the response ends within a line")
