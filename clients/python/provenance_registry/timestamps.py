"""RFC 3161 time-stamp tokens: what they stamp, when, and whether a trusted authority signed them."""

from __future__ import annotations

import datetime
import hashlib
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat import asn1
from cryptography.hazmat.primitives import hashes
from cryptography.x509 import ObjectIdentifier

from .certificates import X509_ALGORITHMS, Algorithm, Certificate, SignatureError, is_trusted, split

_SIGNED_DATA = ObjectIdentifier("1.2.840.113549.1.7.2")
_TIMESTAMP = ObjectIdentifier("1.2.840.113549.1.9.16.1.4")
_CONTENT_TYPE = ObjectIdentifier("1.2.840.113549.1.9.3")
_MESSAGE_DIGEST = ObjectIdentifier("1.2.840.113549.1.9.4")
_RSA_ENCRYPTION = ObjectIdentifier("1.2.840.113549.1.1.1")
_DIGESTS: dict[str, hashes.HashAlgorithm] = {
    "2.16.840.1.101.3.4.2.1": hashes.SHA256(),
    "2.16.840.1.101.3.4.2.2": hashes.SHA384(),
    "2.16.840.1.101.3.4.2.3": hashes.SHA512(),
}


class UnknownAlgorithmError(Exception):
    """The token may be valid, but its signature cannot be verified here."""


class Timestamp(NamedTuple):
    """A token whose signature is valid."""

    time: datetime.datetime
    #: The certificate of the authority, and those above it in the token.
    path: list[Certificate]

    def is_trusted(self, roots: list[Certificate]) -> bool:
        return bool(roots) and is_trusted(self.path, roots, self.time)


def read_timestamp(token: bytes, data: bytes) -> Timestamp:
    """Reads and verifies a token.

    :raises SignatureError: It is not a time-stamp of the data.
    :raises UnknownAlgorithmError: Its signature cannot be verified here.
    """
    try:
        return _read(token, data)
    except SignatureError:
        raise
    except (ValueError, IndexError) as error:
        raise SignatureError("the time-stamp cannot be read") from error


def _read(token: bytes, data: bytes) -> Timestamp:
    kind, wrapped = split(token)
    (signed_data,) = split(wrapped)
    _, _, content, *optional, signers = split(signed_data)
    content_kind, wrapped_stamp = split(content)
    (signer_info,) = split(signers)
    if (_to_oid(kind), _to_oid(content_kind)) != (_SIGNED_DATA, _TIMESTAMP):
        raise SignatureError("the time-stamp is not signed data")
    stamp = asn1.decode_der(bytes, split(wrapped_stamp)[0])
    certificates = [Certificate(one) for part in optional if part[0] == 0xA0 for one in split(part)]
    signer = _find_signer(signer_info, stamp, certificates)
    _, _, imprint, _, time, *_ = split(stamp)
    algorithm, digest = split(imprint)
    if hashlib.new(_find_digest(algorithm).name, data).digest() != asn1.decode_der(bytes, digest):
        raise SignatureError("the time-stamp is of something else")
    stamped_at = asn1.decode_der(asn1.GeneralizedTime, time).as_datetime()
    return Timestamp(stamped_at.replace(tzinfo=datetime.timezone.utc), _order(signer, certificates))


def _find_signer(signer_info: bytes, stamp: bytes, certificates: list[Certificate]) -> Certificate:
    _, name, digest_algorithm, attributes, signature_algorithm, encoded, *_ = split(signer_info)
    digest = _find_digest(digest_algorithm)
    values = {_to_oid(kind): split(value) for kind, value in map(split, split(attributes))}
    hashed = asn1.encode_der(hashlib.new(digest.name, stamp).digest())
    is_of_stamp = values.get(_MESSAGE_DIGEST) == [hashed] and values.get(_CONTENT_TYPE) == [asn1.encode_der(_TIMESTAMP)]
    if attributes[0] != 0xA0 or not is_of_stamp:
        raise SignatureError("the signature of the time-stamp is of something else")
    algorithm_name = _to_oid(split(signature_algorithm)[0])
    is_plain_rsa = algorithm_name == _RSA_ENCRYPTION
    algorithm = Algorithm("PKCS1", digest) if is_plain_rsa else X509_ALGORITHMS.get(algorithm_name)
    if algorithm is None:
        raise UnknownAlgorithmError("the signature of the time-stamp is of an unknown kind")
    # They are signed with the tag of a set.
    signed, signature = b"\x31" + attributes[1:], asn1.decode_der(bytes, encoded)
    for one in certificates:
        if _is_named(one, name) and one.may_sign_timestamps and one.has_signed(signed, signature, algorithm):
            return one
    raise SignatureError("the signature of the time-stamp is wrong")


def _is_named(certificate: Certificate, name: bytes) -> bool:
    """By issuer and number, or by a key identifier, which the signature makes sure of."""
    return name[0] != 0x30 or split(name) == [certificate.issuer, asn1.encode_der(certificate.serial)]


def _find_digest(algorithm: bytes) -> hashes.HashAlgorithm:
    digest = _DIGESTS.get(_to_oid(split(algorithm)[0]).dotted_string)
    if digest is None:
        raise UnknownAlgorithmError("the time-stamp has a hash of an unknown kind")
    return digest


def _order(signer: Certificate, certificates: list[Certificate]) -> list[Certificate]:
    """The path upwards, as far as the token has it."""
    path = [signer]
    while issuer := next((one for one in certificates if one not in path and path[-1].is_issued_by(one)), None):
        path.append(issuer)
    return path


def _to_oid(element: bytes) -> ObjectIdentifier:
    return asn1.decode_der(x509.ObjectIdentifier, element)
