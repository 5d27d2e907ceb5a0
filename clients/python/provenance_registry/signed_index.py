"""Verifies the signed index of the downloads: a compact JWS whose certificates lead to a trusted root."""

from __future__ import annotations

import base64
import datetime
import json
import re
from typing import Any

from .certificates import JOSE_ALGORITHMS, Certificate, SignatureError, is_trusted

_INDEX_TYPE = "provenance-downloads+json"
_ALGORITHMS = ("ES256", "ES384", "ES512", "PS256", "EdDSA")
_MAX_CERTIFICATES = 8


def parse_time(value: Any) -> datetime.datetime:
    """:raises SignatureError: It is not a time as the index has it."""
    try:
        return datetime.datetime.strptime(str(value), "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)
    except ValueError as error:
        raise SignatureError("the index is not as documented") from error


def verify_index(jws: str, roots: list[Certificate]) -> dict[str, Any]:
    """The payload of a signed index.

    :raises SignatureError: No certificate below one of the roots signed it.
    """
    if re.fullmatch(r"[\w-]*\.[\w-]*\.[\w-]*", jws, re.ASCII) is None:
        raise SignatureError("the index is not a signature")
    signed, _, _ = jws.rpartition(".")
    try:
        encoded_header, payload, signature = (base64.urlsafe_b64decode(f"{part}==") for part in jws.split("."))
        header, index = json.loads(encoded_header), json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise SignatureError("the index is not a signature") from error
    if not isinstance(header, dict) or not isinstance(index, dict):
        raise SignatureError("the index is not a signature")
    encoded = header.get("x5c")
    is_known = header.get("typ") == _INDEX_TYPE and "crit" not in header
    if not is_known or not isinstance(encoded, list) or not 0 < len(encoded) <= _MAX_CERTIFICATES:
        raise SignatureError("the header of the index is not as documented")
    try:
        path = [Certificate(base64.b64decode(str(item), validate=True)) for item in encoded]
    except ValueError as error:
        raise SignatureError("the index is not as documented") from error
    leaf, algorithm = path[0], header.get("alg")
    if algorithm not in _ALGORITHMS or not leaf.has_signed(signed.encode(), signature, JOSE_ALGORITHMS[algorithm]):
        raise SignatureError("the signature of the index is wrong")
    if not leaf.may_sign_indexes:
        raise SignatureError("the certificate of the index is not one of a signer")
    if not is_trusted(path, roots, parse_time(index.get("createdAt"))):
        raise SignatureError("the certificate of the index leads to no trusted root")
    return dict(index)
