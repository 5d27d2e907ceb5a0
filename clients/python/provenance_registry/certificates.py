"""X.509 certificates of signers and time-stamp authorities, and the signatures that their keys make."""

from __future__ import annotations

import datetime
from typing import Annotated, NamedTuple

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat import asn1
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.x509.oid import ExtendedKeyUsageOID, ExtensionOID, NameOID, SignatureAlgorithmOID

_CURVES = ("secp256r1", "secp384r1", "secp521r1")
#: Smaller keys can be factored.
_MIN_RSA_BITS = 2048
_UNDERSTOOD = (
    ExtensionOID.BASIC_CONSTRAINTS,
    ExtensionOID.KEY_USAGE,
    ExtensionOID.EXTENDED_KEY_USAGE,
    ExtensionOID.AUTHORITY_KEY_IDENTIFIER,
    ExtensionOID.SUBJECT_KEY_IDENTIFIER,
    ExtensionOID.CERTIFICATE_POLICIES,
)
#: Purposes of certificates that may sign C2PA claims.
_SIGNING_PURPOSES = {
    ExtendedKeyUsageOID.EMAIL_PROTECTION,
    x509.ObjectIdentifier("1.3.6.1.5.5.7.3.36"),
    x509.ObjectIdentifier("1.3.6.1.4.1.62558.2.1"),
}
#: Purposes that such a certificate must not have as well.
_OTHER_PURPOSES = {
    ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE,
    ExtendedKeyUsageOID.TIME_STAMPING,
    ExtendedKeyUsageOID.OCSP_SIGNING,
}
#: Usages of keys beside signatures.
_OTHER_USAGES = ("key_encipherment", "data_encipherment", "key_agreement", "key_cert_sign", "crl_sign")


class SignatureError(ValueError):
    """A signature is not valid, or not one of a trusted signer."""


class Algorithm(NamedTuple):
    """An algorithm of signatures."""

    scheme: str
    digest: hashes.HashAlgorithm
    #: The only curve of the algorithm. Its signatures are two numbers without DER.
    curve: str | None = None
    #: That of RSA-PSS; that of the digest if it is not stated.
    salt_length: int | None = None


_DIGESTS = {"256": hashes.SHA256(), "384": hashes.SHA384(), "512": hashes.SHA512()}
#: Algorithms of JOSE (RFC 7518, RFC 8037). Ed25519 has a digest of its own, SHA-512.
JOSE_ALGORITHMS = {
    "EdDSA": Algorithm("Ed25519", _DIGESTS["512"]),
    **{f"PS{bits}": Algorithm("PSS", digest) for bits, digest in _DIGESTS.items()},
    **{f"ES{bits}": Algorithm("ECDSA", digest, curve) for (bits, digest), curve in zip(_DIGESTS.items(), _CURVES)},
}
#: Algorithms of certificates and of CMS.
X509_ALGORITHMS = {
    SignatureAlgorithmOID.ED25519: Algorithm("Ed25519", _DIGESTS["512"]),
    **{getattr(SignatureAlgorithmOID, f"ECDSA_WITH_SHA{bits}"): Algorithm("ECDSA", _DIGESTS[bits]) for bits in _DIGESTS},
    **{getattr(SignatureAlgorithmOID, f"RSA_WITH_SHA{bits}"): Algorithm("PKCS1", _DIGESTS[bits]) for bits in _DIGESTS},
}


#: Algorithms whose name does not say which hash they use: it is stated beside it, or in the parameters.
_RSA, _RSA_PSS, _MGF1 = (x509.ObjectIdentifier(f"1.2.840.113549.1.1.{number}") for number in (1, 10, 8))
_HASHES: dict[x509.ObjectIdentifier, hashes.HashAlgorithm] = {
    x509.ObjectIdentifier(f"2.16.840.1.101.3.4.2.{number}"): digest for number, digest in enumerate(_DIGESTS.values(), 1)
}
#: As in ASN.1.
_INTEGER, _OID, _SEQUENCE, _CONTEXT_0, _CONTEXT_1, _CONTEXT_2 = 0x02, 0x06, 0x30, 0xA0, 0xA1, 0xA2
_NULL = b"\x05\x00"
#: What RSA-PSS means by leaving the length of the salt out.
_DEFAULT_SALT_LENGTH = 20


@asn1.sequence
class _List:
    items: Annotated[list[asn1.TLV], asn1.Implicit(0)]


def split(element: bytes, *tags: int) -> list[bytes]:
    """The elements of a sequence or set in DER. Sets are read as lists, because not all authorities sort them.

    :param tags: Those that the first elements must have.
    """
    wrapped = b"\x30" + asn1.encode_der(b"\xa0" + element[1:])[1:]
    items = [item.tag_bytes + asn1.encode_der(bytes(item.data))[1:] for item in asn1.decode_der(_List, wrapped).items]
    if tags != tuple(item[0] for item in items[: len(tags)]):
        raise ValueError("an element is missing, or has another tag")
    return items


def find_digest(identifier: bytes) -> hashes.HashAlgorithm:
    """:raises SignatureError: It is none that is accepted."""
    name, *parameters = split(identifier, _OID)
    digest = _HASHES.get(to_oid(name))
    if digest is None or parameters not in ([], [_NULL]):
        raise SignatureError("there is a hash of an unknown kind")
    return digest


def find_algorithm(identifier: bytes, digest: hashes.HashAlgorithm | None = None) -> Algorithm:
    """The algorithm of a signature.

    :param digest: The hash that is stated beside it.
    :raises SignatureError: It is none that is accepted, or has another hash.
    """
    encoded, *parameters = split(identifier, _OID)
    name = to_oid(encoded)
    if name == _RSA_PSS:
        algorithm: Algorithm | None = _read_pss(parameters)
    else:
        algorithm = Algorithm("PKCS1", digest) if name == _RSA and digest is not None else X509_ALGORITHMS.get(name)
        if parameters and (parameters != [_NULL] or algorithm is None or algorithm.scheme != "PKCS1"):
            raise SignatureError("the parameters of a signature cannot be read")
    # Ed25519 has a hash of its own.
    is_other = digest is not None and algorithm is not None and algorithm.digest.name != digest.name
    if algorithm is None or (is_other and algorithm.scheme != "Ed25519"):
        raise SignatureError("there is a signature of an unknown kind")
    return algorithm


def _read_pss(parameters: list[bytes]) -> Algorithm:
    fields = split(parameters[0], _CONTEXT_0, _CONTEXT_1)
    if len(parameters) != 1 or [field[0] for field in fields[2:]] not in ([], [_CONTEXT_2]):
        raise SignatureError("the parameters of a signature cannot be read")
    (hashed,), (mask,) = split(fields[0], _SEQUENCE), split(fields[1], _SEQUENCE)
    generator, mask_hash = split(mask, _OID, _SEQUENCE)
    digest = find_digest(hashed)
    if to_oid(generator) != _MGF1 or find_digest(mask_hash).name != digest.name:
        raise SignatureError("there is a signature of an unknown kind")
    salt_length = asn1.decode_der(int, split(fields[2], _INTEGER)[0]) if len(fields) > 2 else _DEFAULT_SALT_LENGTH
    return Algorithm("PSS", digest, salt_length=salt_length)


def to_oid(element: bytes) -> x509.ObjectIdentifier:
    return asn1.decode_der(x509.ObjectIdentifier, element)


class Certificate:
    """An X.509 certificate whose critical extensions are all understood."""

    def __init__(self, der: bytes) -> None:
        self.der = der
        try:
            self._x509 = x509.load_der_x509_certificate(der)
            extensions = {one.oid: one for one in self._x509.extensions}
            self._key = self._x509.public_key()
            body, algorithm, _ = split(der)
            has_version = split(body)[0].startswith(b"\xa0")
            if split(body)[2 if has_version else 1] != algorithm:
                raise ValueError("it names two algorithms")
            self.serial, self.issuer = self._x509.serial_number, self._x509.issuer.public_bytes()
        except Exception as error:  # of several types, some of them not ValueErrors
            raise SignatureError("a certificate cannot be read") from error
        self._algorithm = algorithm
        # Names are not compared with constraints, so those count where they are not critical, too.
        is_limited = ExtensionOID.NAME_CONSTRAINTS in extensions
        if is_limited or any(one.critical and oid not in _UNDERSTOOD for oid, one in extensions.items()):
            raise SignatureError("a certificate has an extension that is not understood")
        constraints, usage, purposes, self._issuer_key, *_ = (
            extensions[oid].value if oid in extensions else None for oid in _UNDERSTOOD
        )
        self._is_authority = isinstance(constraints, x509.BasicConstraints) and constraints.ca
        self._max_authorities = constraints.path_length if isinstance(constraints, x509.BasicConstraints) else None
        self._usage = usage if isinstance(usage, x509.KeyUsage) else None
        self._is_for_signatures = self._usage is None or self._usage.digital_signature or self._usage.content_commitment
        self._purposes = set(purposes) if isinstance(purposes, x509.ExtendedKeyUsage) else set()
        self._are_purposes_critical = bool(self._purposes) and extensions[ExtensionOID.EXTENDED_KEY_USAGE].critical

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and self._x509 == other._x509

    def shares_key(self, other: Certificate) -> bool:
        return self._key == other._key

    @property
    def may_sign_indexes(self) -> bool:
        """Whether it is a certificate of a signer."""
        return not self._is_authority and bool(_SIGNING_PURPOSES & self._purposes)

    @property
    def may_sign_claims(self) -> bool:
        """Whether it also has the extensions that C2PA requires, and no other purposes."""
        is_profile = self._usage is not None and self._issuer_key is not None and not _OTHER_PURPOSES & self._purposes
        return self.may_sign_indexes and is_profile and self._is_for_signatures

    @property
    def may_sign_timestamps(self) -> bool:
        """Whether it is for time-stamps and for nothing else (RFC 3161)."""
        is_alone = self._usage is None or not any(getattr(self._usage, name) for name in _OTHER_USAGES)
        is_purpose = self._purposes == {ExtendedKeyUsageOID.TIME_STAMPING} and self._are_purposes_critical
        return is_purpose and is_alone and self._is_for_signatures and not self._is_authority

    @property
    def may_issue_timestamps(self) -> bool:
        """Whether an authority with this certificate may issue those of time-stamp authorities."""
        allowed = {ExtendedKeyUsageOID.TIME_STAMPING, ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE}
        return not self._purposes or bool(allowed & self._purposes)

    @property
    def subject(self) -> str:
        """The common name and the organization."""
        names = (self._x509.subject.get_attributes_for_oid(oid) for oid in (NameOID.COMMON_NAME, NameOID.ORGANIZATION_NAME))
        return ", ".join(str(found[0].value) for found in names if found)

    @property
    def not_before(self) -> datetime.datetime:
        return self._x509.not_valid_before_utc

    def is_valid_at(self, time: datetime.datetime) -> bool:
        return self.not_before <= time <= self._x509.not_valid_after_utc

    def is_issued_by(self, issuer: Certificate, authorities_below: int = 0) -> bool:
        """:param authorities_below: How many authorities are below the issuer in the path."""
        may_sign = issuer._is_authority and (issuer._usage is None or issuer._usage.key_cert_sign)
        is_too_long = issuer._max_authorities is not None and authorities_below > issuer._max_authorities
        if not may_sign or is_too_long:
            return False
        try:
            algorithm = find_algorithm(self._algorithm)
            self._x509.verify_directly_issued_by(issuer._x509)
        except (InvalidSignature, ValueError, TypeError):
            return False
        return issuer.has_signed(self._x509.tbs_certificate_bytes, self._x509.signature, algorithm)

    def has_signed(self, data: bytes, signature: bytes, algorithm: Algorithm) -> bool:
        """Whether its key signed the data."""
        scheme, digest, curve, salt_length = algorithm
        key = self._key
        try:
            if isinstance(key, ed25519.Ed25519PublicKey) and scheme == "Ed25519":
                key.verify(signature, data)
            elif isinstance(key, rsa.RSAPublicKey) and scheme in ("PSS", "PKCS1") and key.key_size >= _MIN_RSA_BITS:
                pss = padding.PSS(padding.MGF1(digest), digest.digest_size if salt_length is None else salt_length)
                key.verify(signature, data, pss if scheme == "PSS" else padding.PKCS1v15(), digest)
            elif isinstance(key, ec.EllipticCurvePublicKey) and scheme == "ECDSA" and curve in (None, key.curve.name):
                if key.curve.name not in _CURVES:
                    return False
                key.verify(signature if curve is None else _to_der(signature, key.key_size), data, ec.ECDSA(digest))
            else:
                return False
        except InvalidSignature:
            return False
        return True


def _to_der(signature: bytes, key_bits: int) -> bytes:
    half = (key_bits + 7) // 8
    if len(signature) != 2 * half:
        raise InvalidSignature
    return encode_dss_signature(int.from_bytes(signature[:half], "big"), int.from_bytes(signature[half:], "big"))


def is_trusted(path: list[Certificate], roots: list[Certificate], time: datetime.datetime) -> bool:
    """Whether each certificate is issued by the next, the last one by a root, and all are valid at that time."""
    if len(path) > 1 and path[-1] in roots:
        *path, root = path
        roots = [root]
    steps = enumerate(zip(path, path[1:]))
    is_path = all(certificate.is_issued_by(issuer, depth) for depth, (certificate, issuer) in steps)
    has_root = any(root.is_valid_at(time) and path[-1].is_issued_by(root, len(path) - 1) for root in roots)
    return is_path and has_root and all(certificate.is_valid_at(time) for certificate in path)


def parse_roots(pem: str) -> list[Certificate]:
    """The certificates in a PEM file."""
    if "-----BEGIN CERTIFICATE-----" not in pem:
        return []
    try:
        found = x509.load_pem_x509_certificates(pem.encode())
    except ValueError as error:
        raise SignatureError("a certificate cannot be read") from error
    return [one for each in found for one in read_if_possible(each.public_bytes(serialization.Encoding.DER))]


def read_if_possible(der: bytes) -> list[Certificate]:
    """A certificate that cannot be read leads to no root and vouches for nobody, and does no harm."""
    try:
        return [Certificate(der)]
    except SignatureError:
        return []
