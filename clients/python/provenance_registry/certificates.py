"""X.509 certificates: the parts that a path to a trusted root needs."""

import base64
import datetime
import hashlib
import re
from typing import List, Optional, Tuple

from .keys import CURVES, EcKey, Ed25519Key, Key, RsaKey, verify_ecdsa, verify_ed25519, verify_pkcs1


class SignatureError(ValueError):
    """A signature is not valid, or not one of a trusted signer."""


def read_der(data: bytes, offset: int = 0) -> Tuple[int, int, int]:
    """Tag, start and end of the content of one element."""
    tag, length = data[offset], data[offset + 1]
    start = offset + 2
    if length & 0x80:
        size = length & 0x7F
        if not 0 < size <= 4:
            raise SignatureError("a certificate cannot be read")
        length = int.from_bytes(data[start : start + size], "big")
        start += size
    if start + length > len(data):
        raise SignatureError("a certificate cannot be read")
    return tag, start, start + length


def children(data: bytes) -> List[Tuple[int, bytes, bytes]]:
    """Tag, content and whole encoding of each element."""
    found, offset = [], 0
    while offset < len(data):
        tag, start, end = read_der(data, offset)
        found.append((tag, data[start:end], data[offset:end]))
        offset = end
    return found


def parse_oid(data: bytes) -> str:
    numbers, value = [], 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            numbers.append(value)
            value = 0
    first = min(numbers[0] // 40, 2)
    return ".".join(map(str, [first, numbers[0] - 40 * first, *numbers[1:]]))


def parse_time(tag: int, data: bytes) -> datetime.datetime:
    text = data.decode("ascii")
    if tag == 0x17:
        text = ("20" if int(text[:2]) < 50 else "19") + text
    return datetime.datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=datetime.timezone.utc)


def parse_key(data: bytes) -> Optional[Key]:
    """None if the type of the key is not known."""
    (_, algorithm, _), (_, bits, _) = children(data)
    names = [parse_oid(content) for tag, content, _ in children(algorithm) if tag == 6]
    key = bits[1:]
    if names[0] == "1.3.101.112" and len(key) == 32:
        return Ed25519Key(key)
    if names[0] in ("1.2.840.113549.1.1.1", "1.2.840.113549.1.1.10"):
        (_, n, _), (_, e, _) = children(children(key)[0][1])
        return RsaKey(int.from_bytes(n, "big"), int.from_bytes(e, "big"))
    if names[0] == "1.2.840.10045.2.1" and len(names) == 2 and names[1] in CURVES:
        curve = CURVES[names[1]]
        half = (curve.p.bit_length() + 7) // 8
        x, y = int.from_bytes(key[1 : 1 + half], "big"), int.from_bytes(key[1 + half :], "big")
        is_on_curve = (y * y - (x * x * x - 3 * x + curve.b)) % curve.p == 0
        if key[:1] == b"\x04" and len(key) == 1 + 2 * half and is_on_curve and max(x, y) < curve.p:
            return EcKey(curve, (x, y))
    return None


_ECDSA = {"1.2.840.10045.4.3.2": "sha256", "1.2.840.10045.4.3.3": "sha384", "1.2.840.10045.4.3.4": "sha512"}
_PKCS1 = {
    "1.2.840.113549.1.1.11": "sha256",
    "1.2.840.113549.1.1.12": "sha384",
    "1.2.840.113549.1.1.13": "sha512",
}


class Certificate:
    """The parts of an X.509 certificate that a path needs."""

    def __init__(self, der: bytes):
        try:
            self._parse(der)
        except SignatureError:
            raise
        except Exception as error:
            raise SignatureError("a certificate cannot be read") from error

    def _parse(self, der: bytes) -> None:
        self.der = der
        tag, start, end = read_der(der)
        if tag != 0x30 or end != len(der):
            raise SignatureError("a certificate cannot be read")
        (_, body, self._signed), (_, algorithm, _), (_, bits, _) = children(der[start:end])
        self._signature_algorithm = parse_oid(children(algorithm)[0][1])
        self._signature = bits[1:]
        fields = children(body)
        if fields[0][0] == 0xA0:
            if fields[0][1] != b"\x02\x01\x02":
                raise SignatureError("a certificate is not of version 3")
            fields = fields[1:]
        if parse_oid(children(fields[1][1])[0][1]) != self._signature_algorithm:
            raise SignatureError("a certificate cannot be read")
        self.serial = fields[0][1]
        self.issuer, self.subject = fields[2][2], fields[4][2]
        (begin_tag, begin, _), (end_tag, until, _) = children(fields[3][1])
        self.valid_from, self.valid_until = parse_time(begin_tag, begin), parse_time(end_tag, until)
        self.key = parse_key(fields[5][1])
        self.is_authority = False
        self.may_sign_certificates = True
        self.may_sign_data = True
        self.names_issuer_key = False
        self.purposes: List[str] = []
        for field_tag, content, _ in fields[6:]:
            if field_tag == 0xA3:
                self._parse_extensions(children(content)[0][1])

    def _parse_extensions(self, data: bytes) -> None:
        for tag, content, _ in children(data):
            parts = children(content)
            # Only the form that DER has: what other readers refuse is not accepted here.
            is_critical = len(parts) == 3
            if tag != 0x30 or [part[0] for part in parts] != ([6, 1, 4] if is_critical else [6, 4]):
                raise SignatureError("a certificate cannot be read")
            if is_critical and parts[1][1] != b"\xff":
                raise SignatureError("a certificate cannot be read")
            self._parse_extension(parse_oid(parts[0][1]), parts[-1][1], is_critical)

    def _parse_extension(self, name: str, value: bytes, is_critical: bool) -> None:
        tag, content, _ = children(value)[0]
        if name == "2.5.29.19":
            values = children(content)
            self.is_authority = bool(values) and values[0][0] == 1 and values[0][1] != b"\0"
        elif name == "2.5.29.15":
            if tag != 3 or len(content) < 2 or content[0] > 7 or content[-1] & ((1 << content[0]) - 1):
                raise SignatureError("a certificate cannot be read")
            self.may_sign_certificates = bool(content[1] & 0x04)
            self.may_sign_data = bool(content[1] & 0x80)
        elif name == "2.5.29.37":
            self.purposes = [parse_oid(item) for _, item, _ in children(content)]
        elif name == "2.5.29.35":
            self.names_issuer_key = tag == 0x30 and all(part[0] & 0x80 for part in children(content))
        elif is_critical:
            raise SignatureError("a certificate has an extension that is not understood")

    def name(self, oid: str) -> Optional[str]:
        """An attribute of the subject, such as its common name."""
        for _, attributes, _ in children(children(self.subject)[0][1]):
            for _, attribute, _ in children(attributes):
                (_, kind, _), (tag, value, _) = children(attribute)
                if parse_oid(kind) == oid:
                    return value.decode("utf-16-be" if tag == 0x1E else "utf-8", errors="replace")
        return None

    def is_valid_at(self, time: datetime.datetime) -> bool:
        return self.valid_from <= time <= self.valid_until

    def is_issued_by(self, issuer: "Certificate") -> bool:
        if self.issuer != issuer.subject or not (issuer.is_authority and issuer.may_sign_certificates):
            return False
        key, name = issuer.key, self._signature_algorithm
        if isinstance(key, Ed25519Key):
            return name == "1.3.101.112" and verify_ed25519(key, self._signed, self._signature)
        if isinstance(key, RsaKey):
            return name in _PKCS1 and verify_pkcs1(key, _PKCS1[name], self._signed, self._signature)
        if isinstance(key, EcKey) and name in _ECDSA:
            (_, r, _), (_, s, _) = children(children(self._signature)[0][1])
            digest = hashlib.new(_ECDSA[name], self._signed).digest()
            return verify_ecdsa(key, digest, int.from_bytes(r, "big"), int.from_bytes(s, "big"))
        return False


def is_trusted(path: List[Certificate], roots: List[Certificate], time: datetime.datetime) -> bool:
    """Whether each certificate is issued by the next, the last one by a root, and all are valid at that time."""
    is_path = all(certificate.is_issued_by(issuer) for certificate, issuer in zip(path, path[1:]))
    trusted = [root for root in roots if root.is_valid_at(time) and path[-1].is_issued_by(root)]
    return is_path and bool(trusted) and all(certificate.is_valid_at(time) for certificate in path)


def parse_roots(pem: str) -> List[Certificate]:
    """The certificates in a PEM file."""
    blocks = re.findall(r"-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----", pem)
    return [Certificate(base64.b64decode("".join(block.split()))) for block in blocks]
