"""The downloads of a registry in a folder: fetched, checked, and asked. The `provenance` command uses the same folder."""

from __future__ import annotations

import bisect
import datetime
import hashlib
import json
import pathlib
import re
from typing import Any

import httpx

from .certificates import SignatureError, parse_roots
from .exchange import http_options
from .filter import Filter, FormatError
from .schemas import is_valid
from .signed_index import verify_index
from .snapshot import Piece, Preferences

_INDEX_NAME = "index.jws"
_TIMEOUT_SECONDS = 60
#: An index lists some hundred files.
_MAX_INDEX_BYTES = 100_000_000
#: Enough for a billion fingerprints.
_MAX_FILTER_BYTES = 1_200_000_000
_MAX_PIECE_BYTES = 5_000_000
#: Clocks differ by minutes. An index from the future would keep out all later ones.
_MAX_CLOCK_DIFFERENCE = datetime.timedelta(minutes=10)
_FILE_NAME = re.compile(r"[0-9a-f]{64}\.(filter|snapshot)(\.partial)?")


class DownloadError(Exception):
    """The downloads cannot be fetched, or are not there."""


def _verify(jws: str, registry: str, roots_pem: str) -> dict[str, Any]:
    index = verify_index(jws, parse_roots(roots_pem))
    if not is_valid(index, "DownloadIndex") or re.match(r"https?://", index["filesUrl"]) is None:
        raise SignatureError("the index is not as documented")
    pieces = index["pieces"]
    if index["filter"]["size"] > _MAX_FILTER_BYTES or any(piece["size"] > _MAX_PIECE_BYTES for piece in pieces):
        raise SignatureError("the index is not as documented")
    ends = [piece[end] for piece in pieces for end in ("from", "to")]
    is_ordered = all(piece["from"] <= piece["to"] for piece in pieces)
    if not is_ordered or any(end >= start for end, start in zip(ends[1::2], ends[2::2])):
        raise SignatureError("the pieces in the index are not in order")
    if index["registry"] != registry:
        raise SignatureError(f"the index is of {index['registry']}, not of {registry}")
    latest = datetime.datetime.now(datetime.timezone.utc) + _MAX_CLOCK_DIFFERENCE
    if index["createdAt"] > latest.strftime("%Y-%m-%dT%H:%M:%S.%fZ"):
        raise SignatureError("the index is from the future")
    return index


def _require_content(data: bytes, name: str, entry: dict[str, Any]) -> bytes:
    if len(data) != entry["size"] or hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise SignatureError(f"{name} is not the file that the index names")
    return data


class Downloads:
    """The downloads of one registry. Everything is checked against its signed index before it is used.

    >>> downloads = Downloads("downloads", "https://registry.example", open("roots.pem").read())
    >>> downloads.may_contain(fingerprint)
    """

    def __init__(self, folder: str, registry: str, roots_pem: str):
        self._folder = pathlib.Path(folder)
        try:
            jws = (self._folder / _INDEX_NAME).read_text("ascii", "replace")
        except FileNotFoundError as error:
            raise DownloadError("there are no downloads in this folder: update them first") from error
        self.index = _verify(jws, registry, roots_pem)
        self._filter = Filter(self._read("filter", self.index["filter"]))
        if self._filter.count != self.index["filter"]["count"]:
            raise FormatError("the filter has another count than the index says")
        self._starts: list[str] = [piece["from"] for piece in self.index["pieces"]]
        self._pieces: dict[str, Piece] = {}

    def may_contain(self, fingerprint: bytes) -> bool:
        """False: certainly not registered when the downloads were made. True: maybe, wrong for one in 256."""
        return fingerprint in self._filter

    def find(self, fingerprint: bytes) -> Preferences | None:
        """The AI preferences of a registered fingerprint; None if it was not registered. Needs the snapshot."""
        if fingerprint not in self._filter:
            return None
        text = "0x" + fingerprint.hex()
        position = bisect.bisect_right(self._starts, text) - 1
        if position < 0 or text > self.index["pieces"][position]["to"]:
            return None
        return self._open_piece(self.index["pieces"][position]).find(fingerprint)

    def _open_piece(self, entry: dict[str, Any]) -> Piece:
        sha256 = entry["sha256"]
        if sha256 not in self._pieces:
            self._pieces[sha256] = Piece(self._read("snapshot", entry))
            if self._pieces[sha256].count != entry["count"]:
                raise FormatError("a piece has another count than the index says")
        return self._pieces[sha256]

    def _read(self, kind: str, entry: dict[str, Any]) -> bytes:
        name = f"{entry['sha256']}.{kind}"
        try:
            with (self._folder / name).open("rb") as file:
                return _require_content(file.read(entry["size"] + 1), name, entry)
        except FileNotFoundError as error:
            raise DownloadError(f"{name} is missing: update the downloads first") from error


def _fetch(http: httpx.Client, url: str, max_bytes: int) -> bytes:
    content = bytearray()
    try:
        with http.stream("GET", url) as response:
            response.raise_for_status()
            for piece in response.iter_bytes():
                content += piece
                if len(content) > max_bytes:
                    raise SignatureError(f"{url} is larger than it should be")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise DownloadError(f"could not fetch {url}: {error}") from error
    return bytes(content)


def _write(path: pathlib.Path, data: bytes) -> None:
    partial = path.with_name(f"{path.name}.partial")
    partial.write_bytes(data)
    partial.replace(path)


def update(folder: str, registry: str, roots_pem: str, snapshot: bool = False, allow_older: bool = False) -> int:
    """Fetches what has changed; returns the number of files. The previous downloads stay usable until it is complete."""
    with httpx.Client(**http_options(is_environment_used=True), timeout=_TIMEOUT_SECONDS, follow_redirects=True) as http:
        body = _fetch(http, f"{registry}/api/v1/public/downloads", _MAX_INDEX_BYTES)
        try:
            jws = str(json.loads(body)["jws"])
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise SignatureError("the index is not as documented") from error
        index = _verify(jws, registry, roots_pem)
        target = pathlib.Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        if not allow_older:
            _require_newer(target, index, registry, roots_pem)
        files = {f"{index['filter']['sha256']}.filter": index["filter"]}
        pieces = {f"{piece['sha256']}.snapshot": piece for piece in index["pieces"]}
        fetched = 0
        for name, entry in {**files, **(pieces if snapshot else {})}.items():
            path = target / name
            if not path.exists() or path.stat().st_size != entry["size"]:
                data = _fetch(http, f"{index['filesUrl']}/{name}", entry["size"])
                _write(path, _require_content(data, name, entry))
                fetched += 1
    _write(target / _INDEX_NAME, jws.encode("ascii"))
    for path in target.iterdir():
        if _FILE_NAME.fullmatch(path.name) and path.name not in files and path.name not in pieces:
            path.unlink()
    return fetched


def _require_newer(folder: pathlib.Path, index: dict[str, Any], registry: str, roots_pem: str) -> None:
    """A server could hide what was registered since by serving an earlier index, whose signature is as good."""
    try:
        stored = _verify((folder / _INDEX_NAME).read_text("ascii", "replace"), registry, roots_pem)
    except (FileNotFoundError, SignatureError):
        return
    if stored["createdAt"] > index["createdAt"]:
        raise SignatureError(f"the index is of {index['createdAt']}, older than the one that is here")
