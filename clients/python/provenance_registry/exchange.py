"""Requests and responses without I/O: what `Client` and `AsyncClient` share."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import os
import random
import re
import secrets
import ssl
import time
import urllib.parse
from typing import Any, BinaryIO, Iterator, Mapping, NamedTuple

import h11
import httpx

from .errors import FieldProblem, InvalidResponseError, RegistryError, ServiceUnreachableError, sanitize
from .version import __version__

MAX_JSON_BYTES = 16 << 20
MAX_FILE_BYTES = 64 << 20
#: Results of so many lines are far below the largest response that is accepted.
LINES_PER_REQUEST = 1_000
MAX_REDIRECTS = 5
_FIRST_DELAY_SECONDS = 1.0
MAX_DELAY_SECONDS = 30.0
#: For files over slow connections: longer than the service waits for one.
_UPLOAD_SECONDS = 900.0
#: The service sends a comment more often, so that a quiet stream differs from a lost one.
_STREAM_SECONDS = 90.0
_REQUEST_TIMEOUT = 408
#: Servers close idle connections after some seconds.
_MAX_IDLE_SECONDS = 4.0

#: A file to send: its bytes, its path, or a file opened in binary mode, which is sent from its beginning.
Content = bytes | os.PathLike[str] | BinaryIO


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
    #: Whether a second request after a lost response does no harm.
    is_repeatable: bool = False
    #: Statuses of a repetition that mean that the first request did it.
    done_statuses: tuple[int, ...] = ()
    has_idempotency_key: bool = False
    #: In seconds.
    timeout: float = 30
    #: The array of the body whose items have idempotency keys of their own.
    keyed_items: str | None = None


class File(NamedTuple):
    """A response that is a file."""

    content: bytes
    media_type: str
    #: By name in lower case.
    headers: Mapping[str, str]


class TransientError(Exception):
    """A failure that another attempt may not have."""

    def __init__(self, reason: str, retry_after: float = 0, is_unprocessed: bool = False) -> None:
        super().__init__(reason)
        self.retry_after = retry_after
        self.is_unprocessed = is_unprocessed


#: Reading the certificates of the system takes longer than a request.
_create_tls_context = functools.cache(ssl.create_default_context)


def http_options(is_environment_used: bool = False) -> dict[str, Any]:
    """Options of httpx clients. Credentials are not sent through proxies that the environment names."""
    return {
        "trust_env": is_environment_used,
        "verify": _create_tls_context(),
        "limits": httpx.Limits(keepalive_expiry=_MAX_IDLE_SECONDS),
        "headers": {"User-Agent": f"provenance-registry-python/{__version__}", "Accept-Encoding": "identity"},
    }


class Connection:
    """The address of a registry, and how requests to it are made.

    :raises ValueError: The URL or the credential is malformed.
    """

    def __init__(self, base_url: str, credential: str | None, max_attempts: int, timeout: float | None) -> None:
        parts = urllib.parse.urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"{base_url} is not an http or https URL")
        if parts.username is not None:
            raise ValueError("the URL of a registry has no user name: pass the token as `credential`")
        # Files and secrets of the environment often end with a line feed.
        credential = None if credential is None else credential.strip()
        if credential is not None and not re.fullmatch(r"[\x21-\x7e]+", credential):
            raise ValueError("the credential is empty or has characters that no token has: check where it was read from")
        self.base_url = base_url.rstrip("/")
        self.max_attempts = max_attempts
        self._credential = credential
        self._timeout = timeout

    def build(
        self,
        operation: Operation,
        accept: str,
        *,
        path: Mapping[str, object] = {},
        query: Mapping[str, object] = {},
        header: Mapping[str, object] = {},
        body: Mapping[str, object] | None = None,
        nullable: tuple[str, ...] = (),
        file: Content | None = None,
        lines: list[Any] | None = None,
        is_stream: bool = False,
    ) -> Request:
        """The request of a call. Its idempotency keys are the same for all attempts."""

        def fill(match: re.Match[str]) -> str:
            # A dot segment would be another path.
            text = urllib.parse.quote(str(path[match.group(1)]), safe="")
            return text.replace(".", "%2E") if text in (".", "..") else text

        headers = {"Accept": accept}
        if operation.needs_credential and self._credential is not None:
            headers["Authorization"] = f"Bearer {self._credential}"
        if operation.has_idempotency_key:
            headers["idempotency-key"] = secrets.token_hex(16)
        wait = query.get("wait")
        own = _STREAM_SECONDS if is_stream else operation.timeout if file is None else _UPLOAD_SECONDS
        return Request(
            operation=operation,
            url=self.base_url + re.sub(r"\{(\w+)\}", fill, operation.path),
            query={name: _to_text(value) for name, value in _present(query).items()},
            headers={**headers, **{name: str(value) for name, value in _present(header).items()}},
            fields=None if body is None else _with_keys(operation, _present(body, nullable)),
            file=file,
            lines=lines and [_with_key(line) if operation.keyed_items else line for line in lines],
            timeout=(self._timeout or own) + (wait if isinstance(wait, (int, float)) else 0),
            is_stream=is_stream,
            # A signed copy counts also when its response is lost, and an Artifact can have a few only.
            needs_proof=operation.method != "GET" and accept.startswith("image/"),
        )

    def follow(self, request: httpx.Request, redirected: httpx.Request) -> httpx.Request:
        """A redirect within the origin, which has the credential already."""
        url, base = redirected.url, httpx.URL(self.base_url)
        if (url.scheme, url.host, url.port) != (base.scheme, base.host, base.port):
            origin = f"{url.scheme}://{url.netloc.decode()}"
            raise InvalidResponseError(f"{self.base_url} redirects to {origin}; use that URL if you trust it")
        if request.method != "GET":
            raise InvalidResponseError(f"{self.base_url} redirects to {url}; check the URL of the service")
        return redirected

    def to_error(self, error: httpx.RequestError | h11.LocalProtocolError) -> Exception:
        """What a failed exchange means."""
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, ssl.SSLCertVerificationError):
                return ServiceUnreachableError(f"the certificate of {self.base_url} is not trusted: {cause}")
            cause = cause.__cause__ or cause.__context__
        if isinstance(error, h11.LocalProtocolError):
            return ValueError(f"the file changed while it was sent: {error}")
        is_unprocessed = isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
        return TransientError(str(error) or type(error).__name__, is_unprocessed=is_unprocessed)


@dataclasses.dataclass(frozen=True)
class Request:
    """One call, however often it is sent."""

    operation: Operation
    url: str
    query: dict[str, str]
    headers: dict[str, str]
    fields: dict[str, Any] | None
    file: Content | None
    lines: list[Any] | None
    timeout: float
    is_stream: bool
    #: Whether it is repeated only if it cannot have been processed.
    needs_proof: bool

    @contextlib.contextmanager
    def open(self) -> Iterator[dict[str, Any]]:
        """The arguments of `httpx.Client.build_request`. Files are read while they are sent, behind the fields."""
        with contextlib.ExitStack() as opened:
            body: dict[str, Any] = {} if self.fields is None else {"json": self.fields}
            headers = self.headers
            if self.lines is not None:
                body = {"content": b"".join(json.dumps(line).encode() + b"\n" for line in self.lines)}
                headers = {**headers, "Content-Type": "application/x-ndjson"}
            elif self.file is not None:
                file = self.file
                if isinstance(file, os.PathLike):
                    file = opened.enter_context(open(file, "rb"))
                fields = {name: _to_text(value) for name, value in (self.fields or {}).items()}
                body = {"data": fields, "files": {"file": ("file", file, "application/octet-stream")}}
            yield {
                "method": self.operation.method,
                "url": self.url,
                "params": self.query or None,
                "headers": headers,
                "timeout": self.timeout,
                **body,
            }

    def choose_delay(self, error: TransientError, number: int, max_attempts: int) -> float:
        """Half to all of 1, 2, 4, … seconds: the jitter spreads out clients that failed at the same time.

        :raises ServiceUnreachableError: That was the last attempt.
        """
        is_readable_again = isinstance(self.file, (bytes, os.PathLike, type(None))) or self.file.seekable()
        may_repeat = error.is_unprocessed if self.needs_proof else self.operation.is_repeatable
        if not may_repeat or not is_readable_again or number >= max_attempts:
            times = "" if number == 1 else f" after {number} attempts"
            raise ServiceUnreachableError(f"{self.operation.id} failed{times}: {error}", error.retry_after) from error
        delay: float = _FIRST_DELAY_SECONDS * 2 ** (number - 1) * (1 + random.random()) / 2
        return min(max(delay, error.retry_after), MAX_DELAY_SECONDS)

    def append(self, content: bytearray, piece: bytes, max_bytes: int, started_at: float) -> None:
        """Adds a piece of a response that must be complete within the timeout."""
        content += piece
        if len(content) > max_bytes:
            raise InvalidResponseError(f"the response is larger than {max_bytes} bytes")
        if time.monotonic() > started_at + self.timeout:
            raise TransientError(f"no complete response within {self.timeout:g} s")

    def require_success(self, response: httpx.Response, content: bytes, number: int) -> None:
        status = response.status_code
        if 200 <= status < 300 and media_type(response) == "text/html":
            raise InvalidResponseError(f"{response.url.host} responded with a web page instead of data")
        if 200 <= status < 300 or (number > 1 and status in self.operation.done_statuses):
            return
        if status >= 500 or status == _REQUEST_TIMEOUT:
            after = response.headers.get("retry-after", "")
            seconds = float(after) if re.fullmatch(r"\d{1,6}", after) else 0.0
            raise TransientError(f"the service responded with {status}", seconds)
        try:
            refusal = json.loads(content)
            problems = [
                FieldProblem(sanitize(problem["path"]), sanitize(problem["message"]))
                for problem in refusal.get("problems", [])
            ]
            raise RegistryError(sanitize(refusal["code"]), sanitize(refusal["error"]), status, problems)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            reason = f"the error response ({status}) to {self.operation.id} does not have the documented form"
            raise InvalidResponseError(reason) from error


def media_type(response: httpx.Response) -> str:
    return str(response.headers.get("content-type", "")).split(";")[0].strip().lower()


def decode_json(operation: Operation, text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidResponseError(f"the response to {operation.id} is not JSON") from error


def _present(values: Mapping[str, Any], nullable: tuple[str, ...] = ()) -> dict[str, Any]:
    """What was given. None is a value of nullable fields, and OMITTED says that there is none."""
    return {
        name: value
        for name, value in values.items()
        if (value is not None or name in nullable) and not isinstance(value, Omitted)
    }


def _to_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _with_keys(operation: Operation, fields: dict[str, Any]) -> dict[str, Any]:
    if operation.keyed_items is None:
        return fields
    return {**fields, operation.keyed_items: [_with_key(item) for item in fields[operation.keyed_items]]}


def _with_key(item: Mapping[str, Any]) -> dict[str, Any]:
    return {"idempotencyKey": secrets.token_hex(16), **item}
