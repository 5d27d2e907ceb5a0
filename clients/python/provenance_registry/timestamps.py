"""RFC 3161 time-stamp tokens: what they stamp, when, and whether a trusted authority signed them."""

from __future__ import annotations

import datetime
import hashlib
from typing import List, NamedTuple, Optional, Tuple

from .certificates import Certificate, SignatureError, children, is_trusted, parse_oid
from .keys import EcKey, Ed25519Key, RsaKey, verify_ecdsa, verify_ed25519, verify_pkcs1

_SIGNED_DATA = "1.2.840.113549.1.7.2"
_TIMESTAMP = "1.2.840.113549.1.9.16.1.4"
_CONTENT_TYPE = "1.2.840.113549.1.9.3"
_MESSAGE_DIGEST = "1.2.840.113549.1.9.4"
_TIMESTAMPING_PURPOSE = "1.3.6.1.5.5.7.3.8"
_DIGESTS = {
    "2.16.840.1.101.3.4.2.1": "sha256",
    "2.16.840.1.101.3.4.2.2": "sha384",
    "2.16.840.1.101.3.4.2.3": "sha512",
}
_ECDSA = {"1.2.840.10045.4.3.2": "sha256", "1.2.840.10045.4.3.3": "sha384", "1.2.840.10045.4.3.4": "sha512"}
_RSA = {
    "1.2.840.113549.1.1.11": "sha256",
    "1.2.840.113549.1.1.12": "sha384",
    "1.2.840.113549.1.1.13": "sha512",
}
_RSA_ENCRYPTION = "1.2.840.113549.1.1.1"
_ED25519 = "1.3.101.112"

_Element = Tuple[int, bytes, bytes]


class UnknownAlgorithmError(Exception):
    """The token may be valid, but its signature cannot be verified here."""


class Timestamp(NamedTuple):
    """A token whose signature is valid."""

    time: datetime.datetime
    #: The certificate of the authority, and those above it in the token.
    path: List[Certificate]

    def is_trusted(self, roots: List[Certificate]) -> bool:
        return bool(roots) and is_trusted(self.path, roots, self.time)


def read_timestamp(token: bytes, data: bytes) -> Timestamp:
    """Reads and verifies a token.

    :raises SignatureError: It is not a time-stamp of the data.
    :raises UnknownAlgorithmError: Its signature cannot be verified here.
    """
    try:
        return _read(token, data)
    except (SignatureError, UnknownAlgorithmError):
        raise
    except Exception as error:
        raise SignatureError("the time-stamp cannot be read") from error


def _read(token: bytes, data: bytes) -> Timestamp:
    (content_type, wrapped) = children(_sole(token))
    if parse_oid(content_type[1]) != _SIGNED_DATA:
        raise SignatureError("the time-stamp is not signed data")
    parts = children(_sole(wrapped[1]))
    kind, content = children(parts[2][1])
    stamp = children(content[1])[0][1]
    certificates = [Certificate(one[2]) for part in parts if part[0] == 0xA0 for one in children(part[1])]
    signers = children(parts[-1][1])
    if parse_oid(kind[1]) != _TIMESTAMP or len(signers) != 1:
        raise SignatureError("the time-stamp does not have one signer")
    signer = _verify_signer(children(signers[0][1]), stamp, certificates)
    time = _read_stamp(stamp, data)
    return Timestamp(time, _order(signer, certificates))


def _sole(data: bytes) -> bytes:
    found = children(data)
    if len(found) != 1:
        raise SignatureError("the time-stamp cannot be read")
    return found[0][1]


def _read_stamp(stamp: bytes, data: bytes) -> datetime.datetime:
    fields = children(_sole(stamp))
    algorithm, hashed = children(fields[2][1])
    digest = _DIGESTS.get(parse_oid(children(algorithm[1])[0][1]))
    if digest is None:
        raise UnknownAlgorithmError("the hash in the time-stamp is of an unknown kind")
    if hashlib.new(digest, data).digest() != hashed[1]:
        raise SignatureError("the time-stamp is of something else")
    text, _, fraction = fields[4][1].decode("ascii").rstrip("Z").partition(".")
    time = datetime.datetime.strptime(text, "%Y%m%d%H%M%S").replace(tzinfo=datetime.timezone.utc)
    return time + datetime.timedelta(microseconds=int(fraction.ljust(6, "0")[:6] or "0"))


def _verify_signer(fields: List[_Element], stamp: bytes, certificates: List[Certificate]) -> Certificate:
    digest = _DIGESTS.get(parse_oid(children(fields[2][1])[0][1]))
    attributes, algorithm, signature = fields[3], fields[4], fields[5]
    if digest is None:
        raise UnknownAlgorithmError("the signature of the time-stamp is of an unknown kind")
    if attributes[0] != 0xA0:
        raise SignatureError("the time-stamp cannot be read")
    values = {parse_oid(children(one)[0][1]): children(children(one)[1][1]) for _, one, _ in children(attributes[1])}
    stated = values.get(_MESSAGE_DIGEST, [])
    kinds = values.get(_CONTENT_TYPE, [])
    is_of_stamp = [one[1] for one in stated] == [hashlib.new(digest, stamp).digest()]
    if not is_of_stamp or [parse_oid(one[1]) for one in kinds] != [_TIMESTAMP]:
        raise SignatureError("the signature of the time-stamp is of something else")
    # They are signed with the tag of a set.
    signed = b"\x31" + attributes[2][1:]
    name = parse_oid(children(algorithm[1])[0][1])
    if name not in (_ED25519, _RSA_ENCRYPTION, *_ECDSA, *_RSA):
        raise UnknownAlgorithmError("the signature of the time-stamp is of an unknown kind")
    for certificate in certificates:
        is_signer = _is_named(certificate, fields[1]) and _is_authority_for_stamps(certificate)
        if is_signer and _is_signed(certificate, name, digest, signed, signature[1]):
            return certificate
    raise SignatureError("the signature of the time-stamp is wrong")


def _is_authority_for_stamps(certificate: Certificate) -> bool:
    return _TIMESTAMPING_PURPOSE in certificate.purposes and certificate.may_sign_data and certificate.names_issuer_key


def _is_named(certificate: Certificate, identifier: _Element) -> bool:
    """By issuer and number, or by a key identifier, which the signature makes sure of."""
    tag, content, _ = identifier
    if tag != 0x30:
        return True
    (_, _, issuer), (_, serial, _) = children(content)
    return issuer == certificate.issuer and serial == certificate.serial


def _is_signed(certificate: Certificate, name: str, digest: str, data: bytes, signature: bytes) -> bool:
    key = certificate.key
    if isinstance(key, Ed25519Key):
        return name == _ED25519 and verify_ed25519(key, data, signature)
    if isinstance(key, EcKey) and name in _ECDSA:
        (_, r, _), (_, s, _) = children(_sole(signature))
        hashed = hashlib.new(_ECDSA[name], data).digest()
        return verify_ecdsa(key, hashed, int.from_bytes(r, "big"), int.from_bytes(s, "big"))
    if isinstance(key, RsaKey) and (name in _RSA or name == _RSA_ENCRYPTION):
        return verify_pkcs1(key, _RSA.get(name, digest), data, signature)
    return False


def _order(signer: Certificate, certificates: List[Certificate]) -> List[Certificate]:
    """The path upwards, as far as the token has it."""
    path = [signer]
    while len(path) <= len(certificates):
        issuer: Optional[Certificate] = next(
            (one for one in certificates if one not in path and path[-1].is_issued_by(one)), None
        )
        if issuer is None:
            break
        path.append(issuer)
    return path
