"""RFC 3161 time-stamp tokens: what they stamp, when, and whether a trusted authority signed them."""

from __future__ import annotations

import datetime
import hashlib
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat import asn1
from cryptography.hazmat.primitives import hashes
from cryptography.x509 import ObjectIdentifier

from .certificates import Certificate, SignatureError, find_algorithm, find_digest, is_trusted, read_if_possible, split, to_oid

_SIGNED_DATA = ObjectIdentifier("1.2.840.113549.1.7.2")
_TIMESTAMP = ObjectIdentifier("1.2.840.113549.1.9.16.1.4")
_CONTENT_TYPE = ObjectIdentifier("1.2.840.113549.1.9.3")
_MESSAGE_DIGEST = ObjectIdentifier("1.2.840.113549.1.9.4")
#: The attributes that name the signer's certificate, each with the hash that it has by default.
_SIGNING_CERTIFICATES: dict[ObjectIdentifier, hashes.HashAlgorithm] = {
    ObjectIdentifier("1.2.840.113549.1.9.16.2.12"): hashes.SHA1(),
    ObjectIdentifier("1.2.840.113549.1.9.16.2.47"): hashes.SHA256(),
}
#: As in ASN.1.
_BOOLEAN, _INTEGER, _OCTETS, _OID, _TIME, _SEQUENCE, _SET = 0x01, 0x02, 0x04, 0x06, 0x18, 0x30, 0x31
_CONTEXT_0, _CONTEXT_1 = 0xA0, 0xA1
#: The tag of a GeneralName that is a directory name.
_DIRECTORY_NAME = 0xA4
#: What may be behind the time.
_OPTIONAL = (_SEQUENCE, _BOOLEAN, _INTEGER, _CONTEXT_0, _CONTEXT_1)
_TRUTH_VALUES = (b"\x01\x01\x00", b"\x01\x01\xff")
#: PKIStatus: granted, and granted with modifications.
_GRANTED = (0, 1)
#: Authorities send two or three. Each is compared with the others.
_MAX_CERTIFICATES = 16
#: Those of public authorities are within a second. With less accuracy, the time says too little.
_MAX_ACCURACY_SECONDS = 60


class Timestamp(NamedTuple):
    """A token whose signature is valid, of a certificate for time-stamps."""

    time: datetime.datetime
    #: The certificate of the authority, and those above it in the token.
    path: list[Certificate]

    def is_trusted(self, roots: list[Certificate]) -> bool:
        return is_trusted(self.path, [root for root in roots if root.may_issue_timestamps], self.time)


def read_timestamp(token: bytes, data: bytes) -> Timestamp:
    """Reads and verifies a token, or the response of an authority that has one.

    :raises SignatureError: It is not a time-stamp of the data.
    """
    try:
        return _read(token, data)
    except SignatureError:
        raise
    except (ValueError, IndexError) as error:
        raise SignatureError("the time-stamp cannot be read") from error


def _read(token: bytes, data: bytes) -> Timestamp:
    kind, wrapped = split(_unwrap_response(token), _OID, _CONTEXT_0)
    (signed_data,) = split(wrapped, _SEQUENCE)
    _, _, content, *optional, signers = split(signed_data, _INTEGER, _SET, _SEQUENCE)
    content_kind, wrapped_stamp = split(content, _OID, _CONTEXT_0)
    (signer_info,) = split(signers, _SEQUENCE)
    if (to_oid(kind), to_oid(content_kind)) != (_SIGNED_DATA, _TIMESTAMP) or signers[0] != _SET:
        raise SignatureError("the time-stamp is not signed data")
    (encoded_stamp,) = split(wrapped_stamp, _OCTETS)
    stamp = asn1.decode_der(bytes, encoded_stamp)
    if [part[0] for part in optional] not in ([], [_CONTEXT_0], [_CONTEXT_1], [_CONTEXT_0, _CONTEXT_1]):
        raise SignatureError("the time-stamp has something that is not understood")
    certificates = [one for part in optional if part[0] == _CONTEXT_0 for der in split(part) for one in read_if_possible(der)]
    if len(certificates) > _MAX_CERTIFICATES:
        raise SignatureError("the time-stamp has too many certificates")
    signer = _find_signer(signer_info, stamp, certificates)
    version, _, imprint, _, time, *rest = split(stamp, _INTEGER, _OID, _SEQUENCE, _INTEGER, _TIME)
    algorithm, digest = split(imprint, _SEQUENCE, _OCTETS)
    if hashlib.new(find_digest(algorithm).name, data).digest() != asn1.decode_der(bytes, digest):
        raise SignatureError("the time-stamp is of something else")
    is_known = asn1.decode_der(int, version) == 1 and _are_known(rest)
    if not is_known or any(map(_is_too_inaccurate, rest)) or any(map(_is_critical, rest)):
        raise SignatureError("the time-stamp is not exact, or has something that is not understood")
    stamped_at = asn1.decode_der(asn1.GeneralizedTime, time).as_datetime()
    return Timestamp(stamped_at.replace(tzinfo=datetime.timezone.utc), _order(signer, certificates))


def _unwrap_response(token: bytes) -> bytes:
    """A response begins with its status, a token with its type."""
    first, *rest = split(token)
    if first[0] != _SEQUENCE:
        return token
    if asn1.decode_der(int, split(first)[0]) not in _GRANTED or len(rest) != 1:
        raise SignatureError("the authority refused the time-stamp, or sent something else as well")
    return rest[0]


def _find_signer(signer_info: bytes, stamp: bytes, certificates: list[Certificate]) -> Certificate:
    _, name, digest_algorithm, attributes, signature_algorithm, encoded, *rest = split(signer_info, _INTEGER)
    digest = find_digest(digest_algorithm)
    pairs = [(to_oid(kind), split(value)) for kind, value in (split(one, _OID, _SET) for one in split(attributes))]
    values = dict(pairs)
    hashed = asn1.encode_der(hashlib.new(digest.name, stamp).digest())
    is_of_stamp = values.get(_MESSAGE_DIGEST) == [hashed] and values.get(_CONTENT_TYPE) == [asn1.encode_der(_TIMESTAMP)]
    if attributes[0] != _CONTEXT_0 or [part[0] for part in rest] not in ([], [_CONTEXT_1]):
        raise SignatureError("the signature of the time-stamp cannot be read")
    if not is_of_stamp or len(values) != len(pairs) or any(len(one) != 1 for one in values.values()):
        raise SignatureError("the signature of the time-stamp is of something else")
    algorithm = find_algorithm(signature_algorithm, digest)
    # They are signed with the tag of a set.
    signed, signature = bytes([_SET]) + attributes[1:], asn1.decode_der(bytes, encoded)
    for one in certificates:
        is_named = _is_named(one, name) and _is_signing_certificate(one, values)
        if is_named and one.may_sign_timestamps and one.has_signed(signed, signature, algorithm):
            return one
    raise SignatureError("the signature of the time-stamp is wrong")


def _is_named(certificate: Certificate, name: bytes) -> bool:
    """By issuer and number, or by a key identifier, which the signature makes sure of."""
    return name[0] != _SEQUENCE or split(name) == [certificate.issuer, asn1.encode_der(certificate.serial)]


def _is_signing_certificate(certificate: Certificate, values: dict[ObjectIdentifier, list[bytes]]) -> bool:
    """Whether the signed attributes name it: otherwise, another certificate of the same key could stand for it."""
    named = [(values[kind], digest) for kind, digest in _SIGNING_CERTIFICATES.items() if kind in values]
    for (value,), digest in named:
        # The first of the list, with its algorithm if that is not the default.
        first = split(split(split(value)[0])[0])
        algorithm = find_digest(first.pop(0)) if first[0][0] == _SEQUENCE else digest
        hashed, *issuer_serial = first
        if asn1.decode_der(bytes, hashed) != hashlib.new(algorithm.name, certificate.der).digest():
            return False
        if issuer_serial and not _is_issuer_serial(issuer_serial, certificate):
            return False
    return bool(named)


def _is_issuer_serial(elements: list[bytes], certificate: Certificate) -> bool:
    names, serial = split(elements[0], _SEQUENCE, _INTEGER)
    issuers = [split(name)[0] for name in split(names) if name[0] == _DIRECTORY_NAME]
    return len(elements) == 1 and certificate.issuer in issuers and asn1.decode_der(int, serial) == certificate.serial


def _are_known(parts: list[bytes]) -> bool:
    """Accuracy, ordering, nonce, name of the authority and extensions, in this order; each may be missing."""
    places = [_OPTIONAL.index(part[0]) if part[0] in _OPTIONAL else -1 for part in parts]
    is_exact = all(part in _TRUTH_VALUES for part in parts if part[0] == _BOOLEAN)
    return -1 not in places and places == sorted(set(places)) and is_exact


def _is_too_inaccurate(part: bytes) -> bool:
    """Its accuracy is the only sequence behind the time."""
    if part[0] != _SEQUENCE or part == b"\x30\x00":
        return False
    first = split(part)[0]
    return first[0] == _INTEGER and asn1.decode_der(int, first) > _MAX_ACCURACY_SECONDS


def _is_critical(part: bytes) -> bool:
    """Extensions of time-stamps; none is known."""
    return part[0] == _CONTEXT_1 and any(field[0] == _BOOLEAN for extension in split(part) for field in split(extension))


def _order(signer: Certificate, certificates: list[Certificate]) -> list[Certificate]:
    """The path upwards, as far as the token has it."""
    path = [signer]
    issuers = [one for one in certificates if one.may_issue_timestamps]
    while issuer := next((one for one in issuers if one not in path and path[-1].is_issued_by(one)), None):
        path.append(issuer)
    return path
