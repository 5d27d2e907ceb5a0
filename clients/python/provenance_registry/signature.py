"""Verifies the signed index: a compact JWS whose certificates lead to a trusted root. Standard library only."""

import base64
import datetime
import json
import re
from typing import Any, Dict, List

from .certificates import Certificate, SignatureError, is_trusted, parse_roots
from .keys import verify_signature

__all__ = ["SIGNING_PURPOSES", "SignatureError", "parse_roots", "verify_index"]

INDEX_TYPE = "provenance-downloads+json"
_ALGORITHMS = ("ES256", "ES384", "ES512", "PS256", "EdDSA")
_MAX_CERTIFICATES = 8
#: Purposes of certificates that may sign C2PA claims.
SIGNING_PURPOSES = {"1.3.6.1.5.5.7.3.4", "1.3.6.1.5.5.7.3.36", "1.3.6.1.4.1.62558.2.1"}


def _decode(part: str) -> bytes:
    if not re.fullmatch(r"[A-Za-z0-9_-]*", part):
        raise SignatureError("the index is not a signature")
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except ValueError as error:
        raise SignatureError("the index is not a signature") from error


def _decode_object(part: str) -> Dict[str, Any]:
    try:
        value = json.loads(_decode(part).decode("utf-8"))
    except ValueError as error:
        raise SignatureError("the index is not a signature") from error
    if not isinstance(value, dict):
        raise SignatureError("the index is not a signature")
    return value


def verify_index(jws: str, roots: List[Certificate]) -> Dict[str, Any]:
    """The payload of a signed index. Raises SignatureError unless a certificate below one of the roots signed it."""
    parts = jws.split(".")
    if len(parts) != 3:
        raise SignatureError("the index is not a signature")
    header = _decode_object(parts[0])
    if header.get("typ") != INDEX_TYPE or "crit" in header:
        raise SignatureError("the header of the index is not as documented")
    encoded = header.get("x5c")
    if not isinstance(encoded, list) or not 0 < len(encoded) <= _MAX_CERTIFICATES:
        raise SignatureError("the header of the index is not as documented")
    try:
        path = [Certificate(base64.b64decode(str(item), validate=True)) for item in encoded]
    except ValueError as error:
        raise SignatureError("a certificate of the index cannot be read") from error
    leaf = path[0]
    signed = f"{parts[0]}.{parts[1]}".encode("ascii")
    algorithm = header.get("alg")
    if leaf.key is None or algorithm not in _ALGORITHMS:
        raise SignatureError("the signature of the index is wrong")
    if not verify_signature(leaf.key, algorithm, signed, _decode(parts[2])):
        raise SignatureError("the signature of the index is wrong")
    index = _decode_object(parts[1])
    try:
        time = datetime.datetime.strptime(str(index.get("createdAt")), "%Y-%m-%dT%H:%M:%S.%fZ")
    except ValueError as error:
        raise SignatureError("the index is not as documented") from error
    _require_path(path, roots, time.replace(tzinfo=datetime.timezone.utc))
    return index


def _require_path(path: List[Certificate], roots: List[Certificate], time: datetime.datetime) -> None:
    leaf = path[0]
    if leaf.is_authority or not SIGNING_PURPOSES.intersection(leaf.purposes):
        raise SignatureError("the certificate of the index is not one of a signer")
    if not is_trusted(path, roots, time):
        raise SignatureError("the certificate of the index leads to no trusted root")
