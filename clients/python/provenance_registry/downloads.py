"""The downloads of a registry in a folder: fetched, checked, and asked. The `provenance` command uses the same folder."""

import bisect
import datetime
import hashlib
import json
import os
import re
import urllib.error
import urllib.request
from typing import Any, Dict, List, Optional

from .filter import Filter, FormatError
from .signature import SignatureError, parse_roots, verify_index
from .snapshot import Piece, Preferences

_INDEX_NAME = "index.jws"
_TIMEOUT_SECONDS = 60
#: An index lists some hundred files.
_MAX_INDEX_BYTES = 100_000_000
#: Room for a billion fingerprints.
_MAX_FILTER_BYTES = 1_200_000_000
_MAX_PIECE_BYTES = 5_000_000
#: Clocks differ by minutes. An index from the future would keep out all later ones.
_MAX_CLOCK_DIFFERENCE = datetime.timedelta(minutes=10)
_FILE_NAME = re.compile(r"[0-9a-f]{64}\.(filter|snapshot)(\.partial)?")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_FINGERPRINT = re.compile(r"0x[0-9a-f]{64}")


class DownloadError(Exception):
    """The downloads cannot be fetched, or are not there."""


def _is_file(value: Any, max_bytes: int) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("sha256"), str)
        and _SHA256.fullmatch(value["sha256"]) is not None
        and all(isinstance(value.get(name), int) and value[name] >= 0 for name in ("size", "count"))
        and value["size"] <= max_bytes
    )


def _check_index(index: Dict[str, Any], registry: str) -> None:
    pieces: Any = index.get("pieces")
    is_valid = (
        index.get("version") == 1
        and isinstance(index.get("filesUrl"), str)
        and re.match(r"https?://", index["filesUrl"]) is not None
        and _is_file(index.get("filter"), _MAX_FILTER_BYTES)
        and isinstance(pieces, list)
        and all(_is_file(piece, _MAX_PIECE_BYTES) for piece in pieces)
        and all(_FINGERPRINT.fullmatch(str(piece.get(end))) for piece in pieces for end in ("from", "to"))
    )
    if not is_valid:
        raise SignatureError("the index is not as documented")
    is_ordered = all(piece["from"] <= piece["to"] for piece in pieces) and all(
        one["to"] < other["from"] for one, other in zip(pieces, pieces[1:])
    )
    if not is_ordered:
        raise SignatureError("the pieces in the index are not in order")
    if index.get("registry") != registry:
        raise SignatureError(f"the index is of {index.get('registry')}, not of {registry}")
    latest = datetime.datetime.now(datetime.timezone.utc) + _MAX_CLOCK_DIFFERENCE
    if index["createdAt"] > latest.strftime("%Y-%m-%dT%H:%M:%S.%fZ"):
        raise SignatureError("the index is from the future")


def _verify(jws: str, registry: str, roots_pem: str) -> Dict[str, Any]:
    index = verify_index(jws, parse_roots(roots_pem))
    _check_index(index, registry)
    return index


def _read_verified(folder: str, name: str, entry: Dict[str, Any]) -> bytes:
    try:
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read(entry["size"] + 1)
    except FileNotFoundError as error:
        raise DownloadError(f"{name} is missing: update the downloads first") from error
    if len(data) != entry["size"] or hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise SignatureError(f"{name} is not the file that the index names")
    return data


class Downloads:
    """The downloads of one registry. Everything is checked against its signed index before it is used.

    >>> downloads = Downloads("downloads", "https://registry.example", open("roots.pem").read())
    >>> downloads.may_contain(fingerprint)
    """

    def __init__(self, folder: str, registry: str, roots_pem: str):
        self._folder = folder
        try:
            with open(os.path.join(folder, _INDEX_NAME), encoding="ascii", errors="replace") as file:
                jws = file.read()
        except FileNotFoundError as error:
            raise DownloadError("there are no downloads in this folder: update them first") from error
        self.index = _verify(jws, registry, roots_pem)
        entry = self.index["filter"]
        self._filter = Filter(_read_verified(folder, f"{entry['sha256']}.filter", entry))
        if self._filter.count != entry["count"]:
            raise FormatError("the filter has another count than the index says")
        self._starts: List[str] = [piece["from"] for piece in self.index["pieces"]]
        self._pieces: Dict[str, Piece] = {}

    def may_contain(self, fingerprint: bytes) -> bool:
        """False: certainly not registered when the downloads were made. True: maybe, wrong for one in 256."""
        return fingerprint in self._filter

    def find(self, fingerprint: bytes) -> Optional[Preferences]:
        """The AI preferences of a registered fingerprint; None if it was not registered. Needs the snapshot."""
        if fingerprint not in self._filter:
            return None
        text = "0x" + fingerprint.hex()
        position = bisect.bisect_right(self._starts, text) - 1
        if position < 0 or text > self.index["pieces"][position]["to"]:
            return None
        return self._open_piece(self.index["pieces"][position]).find(fingerprint)

    def _open_piece(self, entry: Dict[str, Any]) -> Piece:
        sha256 = entry["sha256"]
        if sha256 not in self._pieces:
            piece = Piece(_read_verified(self._folder, f"{sha256}.snapshot", entry))
            if piece.count != entry["count"]:
                raise FormatError("a piece has another count than the index says")
            self._pieces[sha256] = piece
        return self._pieces[sha256]


def _fetch(url: str, max_bytes: int) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS) as response:
            data: bytes = response.read(max_bytes + 1)
    except (OSError, urllib.error.URLError) as error:
        raise DownloadError(f"could not fetch {url}: {error}") from error
    if len(data) > max_bytes:
        raise SignatureError(f"{url} is larger than it should be")
    return data


def _write(path: str, data: bytes) -> None:
    with open(path + ".partial", "wb") as file:
        file.write(data)
    os.replace(path + ".partial", path)


def update(folder: str, registry: str, roots_pem: str, snapshot: bool = False, allow_older: bool = False) -> int:
    """Fetches what has changed; returns the number of files. The previous downloads stay usable until it is complete."""
    body = _fetch(f"{registry}/api/v1/public/downloads", _MAX_INDEX_BYTES)
    try:
        jws = json.loads(body)["jws"]
        index = _verify(jws, registry, roots_pem)
    except (KeyError, TypeError, ValueError) as error:
        raise error if isinstance(error, SignatureError) else SignatureError("the index is not as documented") from error
    os.makedirs(folder, exist_ok=True)
    if not allow_older:
        _require_newer(folder, index, registry, roots_pem)
    files = {f"{index['filter']['sha256']}.filter": index["filter"]}
    pieces = {f"{piece['sha256']}.snapshot": piece for piece in index["pieces"]}
    fetched = 0
    for name, entry in {**files, **(pieces if snapshot else {})}.items():
        path = os.path.join(folder, name)
        if os.path.exists(path) and os.path.getsize(path) == entry["size"]:
            continue
        data = _fetch(f"{index['filesUrl']}/{name}", entry["size"])
        if len(data) != entry["size"] or hashlib.sha256(data).hexdigest() != entry["sha256"]:
            raise SignatureError(f"{name} is not the file that the index names")
        _write(path, data)
        fetched += 1
    _write(os.path.join(folder, _INDEX_NAME), jws.encode("ascii"))
    for name in os.listdir(folder):
        if _FILE_NAME.fullmatch(name) and name not in files and name not in pieces:
            os.remove(os.path.join(folder, name))
    return fetched


def _require_newer(folder: str, index: Dict[str, Any], registry: str, roots_pem: str) -> None:
    """A server could hide what was registered since by serving an earlier index, whose signature is as good."""
    try:
        with open(os.path.join(folder, _INDEX_NAME), encoding="ascii", errors="replace") as file:
            stored = _verify(file.read(), registry, roots_pem)
    except (FileNotFoundError, SignatureError):
        return
    if stored["createdAt"] > index["createdAt"]:
        raise SignatureError(f"the index is of {index['createdAt']}, older than the one that is here")
