"""Fingerprints of files."""

from __future__ import annotations

import hashlib
import os
import re
from typing import BinaryIO


class FileChangedError(ValueError):
    """The file changed while it was hashed, so that the fingerprint would match no version of it."""


def fingerprint(file: str | os.PathLike[str] | BinaryIO) -> str:
    """The fingerprint of a file: `0x` and its SHA-256. It is read in pieces, so that files of any size can be hashed.

    :param file: The path, or a file opened in binary mode, which is read from where it is to its end.
    :raises FileChangedError: The file at the path changed meanwhile.

    >>> fingerprint("photo.jpg")
    '0x9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
    """
    if not isinstance(file, (str, os.PathLike)):
        return _hash(file)
    with open(file, "rb", buffering=0) as opened:
        before = os.fstat(opened.fileno())
        result = _hash(opened)
        after = os.fstat(opened.fileno())
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise FileChangedError(f"{os.fspath(file)} changed while it was hashed")
    return result


def _hash(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(1 << 20):
        digest.update(chunk)
    return f"0x{digest.hexdigest()}"


def require_fingerprint(text: str) -> None:
    """:raises ValueError: The text is not a fingerprint."""
    if re.fullmatch(r"0x[0-9a-f]{64}", text) is None:
        raise ValueError(f"{text[:80]!r} is not a fingerprint: 0x and 64 lower-case hexadecimal digits")
