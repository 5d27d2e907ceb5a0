"""Files as bodies of requests: read while they are sent, never as a whole."""

from __future__ import annotations

import os
import secrets
from typing import BinaryIO, Dict, Iterator, Mapping, NamedTuple, Optional, Union

#: A file to send: its bytes, its path, or a file opened in binary mode, which is read from where it is.
Content = Union[bytes, "os.PathLike[str]", BinaryIO]

_CHUNK_BYTES = 1 << 20


class Upload(NamedTuple):
    """A body and the headers that describe it."""

    headers: Dict[str, str]
    pieces: Iterator[bytes]


class Source:
    """What is sent, as often as needed."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._start: Optional[int] = None
        if not isinstance(content, (bytes, os.PathLike)):
            self._start = content.tell() if content.seekable() else None

    @property
    def is_repeatable(self) -> bool:
        return isinstance(self._content, (bytes, os.PathLike)) or self._start is not None

    @property
    def name(self) -> str:
        name: object = getattr(self._content, "name", "file")
        if isinstance(self._content, os.PathLike):
            name = self._content
        return os.path.basename(os.fspath(name)) if isinstance(name, (str, os.PathLike)) else "file"

    def size(self) -> Optional[int]:
        """None if it cannot be known before."""
        if isinstance(self._content, bytes):
            return len(self._content)
        if isinstance(self._content, os.PathLike):
            return os.stat(self._content).st_size
        if self._start is None:
            return None
        end = self._content.seek(0, os.SEEK_END)
        self._content.seek(self._start)
        return end - self._start

    def pieces(self, size: Optional[int]) -> Iterator[bytes]:
        """As many bytes as were announced: what a file has gained since would be taken for another request."""
        sent = 0
        for piece in self._read():
            sent += len(piece)
            if size is not None and sent > size:
                break
            yield piece
        if size is not None and sent != size:
            raise ValueError("the file changed while it was sent")

    def _read(self) -> Iterator[bytes]:
        if isinstance(self._content, bytes):
            yield self._content
        elif isinstance(self._content, os.PathLike):
            with open(self._content, "rb") as file:
                yield from _read(file)
        else:
            if self._start is not None:
                self._content.seek(self._start)
            yield from _read(self._content)


def _read(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK_BYTES):
        yield chunk


def as_body(source: Source) -> Upload:
    """The file alone."""
    size = source.size()
    return Upload({"Content-Type": "application/octet-stream", **_length(size, 0)}, source.pieces(size))


def as_form(source: Source, fields: Mapping[str, str]) -> Upload:
    """The file behind the fields: a server that reads the form as it arrives then knows them."""
    boundary = secrets.token_hex(16)
    head = b"".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{_escape(name)}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    )
    head += (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{_escape(source.name)}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    ).encode(errors="surrogateescape")
    tail = f"\r\n--{boundary}--\r\n".encode()
    size = source.size()

    def pieces() -> Iterator[bytes]:
        yield head
        yield from source.pieces(size)
        yield tail

    length = _length(size, len(head) + len(tail))
    return Upload({"Content-Type": f"multipart/form-data; boundary={boundary}", **length}, pieces())


def _length(size: Optional[int], rest: int) -> Dict[str, str]:
    return {"Transfer-Encoding": "chunked"} if size is None else {"Content-Length": str(size + rest)}


def _escape(text: str) -> str:
    return text.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
