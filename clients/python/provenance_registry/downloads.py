"""The downloads of a registry in a folder: fetched, checked, and asked. The `provenance` command uses the same folder."""

from __future__ import annotations

import bisect
import datetime
import hashlib
import json
import pathlib
import re
from typing import Any, Callable, Literal, NamedTuple

import httpx

from .certificates import SignatureError, parse_roots
from .exchange import http_options
from .filter import Filter, FormatError
from .schemas import is_valid
from .signed_index import parse_time, verify_index
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
#: How old downloads may be if their index does not say when the next ones are published.
_MAX_AGE = datetime.timedelta(days=2)
_FILE_NAME = re.compile(r"[0-9a-f]{64}\.(filter|snapshot)(\.partial)?")


class DownloadError(Exception):
    """The downloads cannot be fetched, or are not there."""


class DownloadResult(NamedTuple):
    """What the downloads say about a fingerprint."""

    #: `no`: not registered when the downloads were made. `maybe`: by the filter, wrong for one in 256. `registered`: by the
    #: snapshot.
    match: Literal["no", "maybe", "registered"]
    #: From the snapshot: the AI preferences of a registered fingerprint.
    preferences: Preferences | None
    #: There should be newer downloads by now: nothing of this is definite.
    is_stale: bool


def read_clock() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)


def is_stale(index: dict[str, Any], now: datetime.datetime) -> bool:
    """Whether the next downloads should have been published by now. Clocks may differ."""
    if "nextAt" not in index:
        return now - parse_time(index["createdAt"]) > _MAX_AGE
    return now > parse_time(index["nextAt"]) + _MAX_CLOCK_DIFFERENCE


def _verify(jws: str, registry: str, roots_pem: str, now: datetime.datetime) -> dict[str, Any]:
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
    created_at = parse_time(index["createdAt"])
    if created_at > now + _MAX_CLOCK_DIFFERENCE or ("nextAt" in index and parse_time(index["nextAt"]) <= created_at):
        raise SignatureError("the index is from the future, or after the next one")
    return index


def _require_content(data: bytes, name: str, entry: dict[str, Any]) -> bytes:
    if len(data) != entry["size"] or hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise SignatureError(f"{name} is not the file that the index names")
    return data


class Downloads:
    """The downloads of one registry. Everything is checked against its signed index before it is used.

    >>> downloads = Downloads("downloads", "https://registry.example", open("roots.pem").read())
    >>> downloads.look_up(fingerprint).match
    """

    def __init__(
        self, folder: str, registry: str, roots_pem: str, clock: Callable[[], datetime.datetime] = read_clock
    ) -> None:
        self._clock = clock
        self._folder = pathlib.Path(folder)
        try:
            jws = (self._folder / _INDEX_NAME).read_text("ascii", "replace")
        except FileNotFoundError as error:
            raise DownloadError("there are no downloads in this folder: update them first") from error
        self.index = _verify(jws, registry, roots_pem, clock())
        self._filter = Filter(self._read("filter", self.index["filter"]))
        if self._filter.count != self.index["filter"]["count"]:
            raise FormatError("the filter has another count than the index says")
        self._starts: list[str] = [piece["from"] for piece in self.index["pieces"]]
        self._pieces: dict[str, Piece] = {}

    def look_up(self, fingerprint: bytes, exact: bool = False) -> DownloadResult:
        """:param exact: Whether to use the whole snapshot, which must be there, instead of the filter alone."""
        stale = is_stale(self.index, self._clock())
        if fingerprint not in self._filter:
            return DownloadResult("no", None, stale)
        if not exact:
            return DownloadResult("maybe", None, stale)
        preferences = self._find(fingerprint)
        return DownloadResult("no" if preferences is None else "registered", preferences, stale)

    def _find(self, fingerprint: bytes) -> Preferences | None:
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


class UpdateResult(NamedTuple):
    """What an update has fetched."""

    #: How many were not there yet.
    files: int
    #: The registry should have made newer ones by now.
    is_stale: bool


def update(
    folder: str,
    registry: str,
    roots_pem: str,
    *,
    snapshot: bool = False,
    allow_older: bool = False,
    clock: Callable[[], datetime.datetime] = read_clock,
) -> UpdateResult:
    """Fetches what has changed. The previous downloads stay usable until it is complete."""
    now = clock()
    with httpx.Client(**http_options(is_environment_used=True), timeout=_TIMEOUT_SECONDS, follow_redirects=True) as http:
        body = _fetch(http, f"{registry}/api/v1/public/downloads", _MAX_INDEX_BYTES)
        try:
            jws = str(json.loads(body)["jws"])
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise SignatureError("the index is not as documented") from error
        index = _verify(jws, registry, roots_pem, now)
        target = pathlib.Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        if not allow_older:
            _require_newer(target, index, roots_pem, now)
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
    return UpdateResult(fetched, is_stale(index, now))


def _require_newer(folder: pathlib.Path, index: dict[str, Any], roots_pem: str, now: datetime.datetime) -> None:
    """A server could hide what was registered since by serving an earlier index, whose signature is as good."""
    try:
        stored = _verify((folder / _INDEX_NAME).read_text("ascii", "replace"), index["registry"], roots_pem, now)
    except (FileNotFoundError, SignatureError):
        return
    if stored["createdAt"] > index["createdAt"]:
        raise SignatureError(f"the index is of {index['createdAt']}, older than the one that is here")
