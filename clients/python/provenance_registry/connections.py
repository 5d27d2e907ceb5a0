"""HTTP connections to one registry: kept open between requests, used by one thread at a time."""

from __future__ import annotations

import http.client
import select
import socket
import ssl
import threading
import time
import urllib.parse
from typing import Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Union

from .errors import InvalidResponseError

#: One more would hardly ever be used: a program with more threads opens further connections, and closes them again.
_MAX_IDLE = 8
#: Servers close idle connections after some seconds.
_MAX_IDLE_SECONDS = 4.0
_MAX_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_CHUNK_BYTES = 65_536
#: A failed request tells why in a few lines.
_MAX_ERROR_BYTES = 1_000_000

Body = Union[bytes, Iterable[bytes], None]


class NotConnectedError(OSError):
    """No connection was made: the service cannot have processed the request."""


class Request(NamedTuple):
    """One request."""

    method: str
    #: Path and query.
    target: str
    headers: Mapping[str, str]
    body: Body
    #: In seconds, for the whole exchange; of a stream, for each part of it.
    timeout: float


class Connections:
    """The connections to one origin."""

    def __init__(self, base_url: str) -> None:
        parts = urllib.parse.urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"{base_url} is not an http or https URL")
        if parts.username is not None:
            raise ValueError("a URL of a registry has no user name")
        self.base_url = base_url.rstrip("/")
        self.base_path = parts.path.rstrip("/")
        self._is_encrypted = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port
        self._tls = ssl.create_default_context() if self._is_encrypted else None
        self._idle: List[http.client.HTTPConnection] = []
        self._released_at: Dict[int, float] = {}
        self._lock = threading.Lock()

    def send(self, request: Request) -> "Response":
        """Sends a request. Redirects are followed within the origin alone, which sees the credential already."""
        target = request.target
        for _ in range(_MAX_REDIRECTS + 1):
            response = self._exchange(request._replace(target=target))
            location = response.headers.get("location")
            if response.status not in _REDIRECTS or location is None:
                return response
            response.close()
            target = self._follow(target, location, request.method)
        raise InvalidResponseError(f"{self.base_url} redirects more than {_MAX_REDIRECTS} times")

    def _follow(self, target: str, location: str, method: str) -> str:
        url = urllib.parse.urljoin(f"{self.base_url[: len(self.base_url) - len(self.base_path)]}{target}", location)
        parts = urllib.parse.urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if not self.base_url.startswith(origin) or self.base_url[len(origin) :] != self.base_path:
            raise InvalidResponseError(f"{self.base_url} redirects to {origin}; use that URL if you trust it")
        if method != "GET":
            raise InvalidResponseError(f"{self.base_url} redirects to {url}; check the URL of the service")
        return urllib.parse.urlunsplit(("", "", parts.path, parts.query, ""))

    def _exchange(self, request: Request) -> "Response":
        deadline = time.monotonic() + request.timeout
        connection = self._take(request.timeout)
        try:
            connection.putrequest(request.method, request.target, skip_accept_encoding=True)
            for name, value in request.headers.items():
                connection.putheader(name, value)
            is_chunked = request.headers.get("Transfer-Encoding") == "chunked"
            connection.endheaders()
            try:
                for piece in _pieces(request.body):
                    connection.send(_frame(piece) if is_chunked else piece)
                if is_chunked:
                    connection.send(b"0\r\n\r\n")
            except (BrokenPipeError, ConnectionResetError):
                # A server that refuses early says why before it closes.
                pass
            return Response(self, connection, connection.getresponse(), deadline, request.timeout)
        except BaseException:
            connection.close()
            raise

    def open_duplex(self, request: Request, pieces: Iterator[bytes]) -> "Response":
        """Sends a body of any length in a thread of its own, so that the response is read while it arrives."""
        connection = self._take(request.timeout)
        failures: List[BaseException] = []

        def write() -> None:
            try:
                for piece in pieces:
                    connection.send(_frame(piece))
                connection.send(b"0\r\n\r\n")
            except (OSError, ValueError) as error:
                failures.append(error)
            except BaseException as error:  # the caller's iterator failed: without an end, the request counts as broken
                failures.append(error)
                _shut(connection)

        try:
            connection.putrequest(request.method, request.target, skip_accept_encoding=True)
            for name, value in {**request.headers, "Transfer-Encoding": "chunked"}.items():
                connection.putheader(name, value)
            connection.endheaders()
            threading.Thread(target=write, daemon=True).start()
            response = connection.getresponse()
        except BaseException as error:
            _shut(connection)
            connection.close()
            caller = [failure for failure in failures if not isinstance(failure, OSError)]
            raise caller[0] if caller else error
        return Response(self, connection, response, None, request.timeout, failures)

    def _take(self, timeout: float) -> http.client.HTTPConnection:
        with self._lock:
            while self._idle:
                connection = self._idle.pop()
                if self._is_usable(connection):
                    connection.timeout = timeout
                    connection.sock.settimeout(timeout)
                    return connection
                connection.close()
        if self._tls is None:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        else:
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._tls)
        try:
            connection.connect()
        except ssl.SSLError:
            raise
        except OSError as error:
            raise NotConnectedError(str(error)) from error
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _is_usable(self, connection: http.client.HTTPConnection) -> bool:
        """Whether the server has closed it meanwhile shows in something to read."""
        released_at = self._released_at.pop(id(connection), 0.0)
        if connection.sock is None or time.monotonic() - released_at > _MAX_IDLE_SECONDS:
            return False
        return not select.select([connection.sock], [], [], 0)[0]

    def release(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < _MAX_IDLE and connection.sock is not None:
                self._released_at[id(connection)] = time.monotonic()
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        with self._lock:
            for connection in self._idle:
                connection.close()
            self._idle.clear()
            self._released_at.clear()


class Response:
    """A response whose body is read on demand. Reading it to its end, or `close`, ends the exchange."""

    def __init__(
        self,
        connections: Connections,
        connection: http.client.HTTPConnection,
        response: http.client.HTTPResponse,
        deadline: Optional[float],
        timeout: float,
        failures: Optional[List[BaseException]] = None,
    ) -> None:
        self.status = response.status
        self.headers: Dict[str, str] = {name.lower(): value for name, value in response.getheaders()}
        self._connections = connections
        self._connection = connection
        self._response = response
        self._deadline = deadline
        self._timeout = timeout
        self._failures = failures
        self._is_released = False

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").split(";")[0].strip().lower()

    def read(self, max_bytes: int) -> bytes:
        """The whole body."""
        limit = max_bytes if 200 <= self.status < 300 else min(max_bytes, _MAX_ERROR_BYTES)
        pieces, size = [], 0
        for piece in self.pieces():
            size += len(piece)
            if size > limit:
                self.close()
                raise InvalidResponseError(f"the response is larger than {limit} bytes")
            pieces.append(piece)
        return b"".join(pieces)

    def pieces(self, is_stream: bool = False) -> Iterator[bytes]:
        """The body while it arrives, complete or with an error."""
        received = 0
        expected = self._response.length
        try:
            while True:
                self._limit_time(is_stream)
                piece = self._response.read1(_CHUNK_BYTES)
                if not piece:
                    break
                received += len(piece)
                yield piece
            if expected is not None and received < expected:
                raise ConnectionError("the connection was lost before the end of the response")
            if any(not isinstance(failure, OSError) for failure in self._failures or []):
                raise ConnectionError("the request was not complete")
        except GeneratorExit:
            self.close()
            raise
        except BaseException as error:
            self.close()
            caller = [failure for failure in self._failures or [] if not isinstance(failure, OSError)]
            raise caller[0] if caller else error
        # The connection must see the end of the response before it takes another request.
        self._response.close()
        if self._response.will_close or self._failures is not None:
            self.close()
        else:
            self._is_released = True
            self._connections.release(self._connection)

    def _limit_time(self, is_stream: bool) -> None:
        # After the last byte of a connection that closes, there is no socket any more.
        if self._connection.sock is None:
            return
        if is_stream or self._deadline is None:
            self._connection.sock.settimeout(self._timeout)
            return
        remaining = self._deadline - time.monotonic()
        if remaining <= 0:
            raise TimeoutError(f"no complete response within {self._timeout:g} s")
        self._connection.sock.settimeout(remaining)

    def close(self) -> None:
        """Ends the exchange early. Without effect after its end, when the connection may serve another one."""
        if self._is_released:
            return
        _shut(self._connection)
        self._response.close()
        self._connection.close()


def _shut(connection: http.client.HTTPConnection) -> None:
    """Wakes a thread that waits for this connection."""
    try:
        if connection.sock is not None:
            connection.sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def _pieces(body: Body) -> Iterable[bytes]:
    if body is None:
        return ()
    return (body,) if isinstance(body, bytes) else body


def _frame(piece: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(piece), piece) if piece else b""
