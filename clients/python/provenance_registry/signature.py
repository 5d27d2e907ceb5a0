"""Verifies the signed index: a compact JWS whose certificates lead to a trusted root. Standard library only.

Only public data is handled here, so that nothing needs to run in constant time.
"""

import base64
import datetime
import hashlib
import hmac
import json
import re
from typing import Dict, List, NamedTuple, Optional, Tuple, Union

INDEX_TYPE = "provenance-downloads+json"
_MAX_CERTIFICATES = 8


class SignatureError(ValueError):
    """The index is not one that the trusted registry signed."""


# Keys and signatures


class _Curve(NamedTuple):
    name: str
    p: int
    b: int
    n: int
    g: Tuple[int, int]


_P256 = _Curve(
    "P-256",
    0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF,
    0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
    0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    (
        0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
        0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
    ),
)
_P384 = _Curve(
    "P-384",
    2**384 - 2**128 - 2**96 + 2**32 - 1,
    0xB3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875AC656398D8A2ED19D2A85C8EDD3EC2AEF,
    0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973,
    (
        0xAA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A385502F25DBF55296C3A545E3872760AB7,
        0x3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C00A60B1CE1D7E819D7A431D7C90EA0E5F,
    ),
)
_P521 = _Curve(
    "P-521",
    2**521 - 1,
    0x0051953EB9618E1C9A1F929A21A0B68540EEA2DA725B99B315F3B8B489918EF109E156193951EC7E937B1652C0BD3BB1BF073573DF883D2C34F1EF451FD46B503F00,
    0x01FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409,
    (
        0x00C6858E06B70404E9CD9E3ECB662395B4429C648139053FB521F828AF606B4D3DBAA14B5E77EFE75928FE1DC127A2FFA8DE3348B3C1856A429BF97E7E31C2E5BD66,
        0x011839296A789A3BC0045C8A5FB42C7D1BD998F54449579B446817AFBD17273E662C97EE72995EF42640C550B9013FAD0761353C7086A272C24088BE94769FD16650,
    ),
)
_CURVES = {"1.2.840.10045.3.1.7": _P256, "1.3.132.0.34": _P384, "1.3.132.0.35": _P521}


class _EcKey(NamedTuple):
    curve: _Curve
    point: Tuple[int, int]


class _RsaKey(NamedTuple):
    n: int
    e: int


class _Ed25519Key(NamedTuple):
    data: bytes


_Key = Union[_EcKey, _RsaKey, _Ed25519Key]


def _ec_add(curve: _Curve, one, other):
    """Points are None (infinity) or pairs; a is -3 on all of these curves."""
    if one is None:
        return other
    if other is None:
        return one
    (x1, y1), (x2, y2) = one, other
    p = curve.p
    if x1 == x2:
        if (y1 + y2) % p == 0:
            return None
        slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, p) % p
    else:
        slope = (y2 - y1) * pow(x2 - x1, -1, p) % p
    x3 = (slope * slope - x1 - x2) % p
    return x3, (slope * (x1 - x3) - y1) % p


def _ec_multiply(curve: _Curve, factor: int, point):
    result = None
    while factor:
        if factor & 1:
            result = _ec_add(curve, result, point)
        point = _ec_add(curve, point, point)
        factor >>= 1
    return result


def _verify_ecdsa(key: _EcKey, digest: bytes, r: int, s: int) -> bool:
    curve = key.curve
    if not (0 < r < curve.n and 0 < s < curve.n):
        return False
    number = int.from_bytes(digest, "big")
    number >>= max(0, 8 * len(digest) - curve.n.bit_length())
    inverse = pow(s, -1, curve.n)
    point = _ec_add(
        curve,
        _ec_multiply(curve, number * inverse % curve.n, curve.g),
        _ec_multiply(curve, r * inverse % curve.n, key.point),
    )
    return point is not None and point[0] % curve.n == r


_ED_P = 2**255 - 19
_ED_L = 2**252 + 27742317777372353535851937790883648493
_ED_D = -121665 * pow(121666, -1, _ED_P) % _ED_P


def _ed_add(one, other):
    (x1, y1), (x2, y2) = one, other
    product = _ED_D * x1 * x2 * y1 * y2 % _ED_P
    x3 = (x1 * y2 + x2 * y1) * pow(1 + product, -1, _ED_P)
    y3 = (y1 * y2 + x1 * x2) * pow(1 - product, -1, _ED_P)
    return x3 % _ED_P, y3 % _ED_P


def _ed_multiply(factor: int, point):
    result = (0, 1)
    while factor:
        if factor & 1:
            result = _ed_add(result, point)
        point = _ed_add(point, point)
        factor >>= 1
    return result


def _ed_decode(data: bytes):
    number = int.from_bytes(data, "little")
    y, sign = number & (2**255 - 1), number >> 255
    if y >= _ED_P:
        return None
    square = (y * y - 1) * pow(_ED_D * y * y + 1, -1, _ED_P) % _ED_P
    x = pow(square, (_ED_P + 3) // 8, _ED_P)
    if (x * x - square) % _ED_P != 0:
        x = x * pow(2, (_ED_P - 1) // 4, _ED_P) % _ED_P
    if (x * x - square) % _ED_P != 0 or (x == 0 and sign):
        return None
    return (_ED_P - x if x & 1 != sign else x), y


_ED_BASE = _ed_decode((4 * pow(5, -1, _ED_P) % _ED_P).to_bytes(32, "little"))


def _verify_ed25519(key: _Ed25519Key, data: bytes, signature: bytes) -> bool:
    if len(signature) != 64:
        return False
    point, commitment = _ed_decode(key.data), _ed_decode(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if point is None or commitment is None or s >= _ED_L:
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + key.data + data).digest(), "little") % _ED_L
    return _ed_multiply(s, _ED_BASE) == _ed_add(commitment, _ed_multiply(challenge, point))


def _rsa_recover(key: _RsaKey, signature: bytes) -> Optional[bytes]:
    size = (key.n.bit_length() + 7) // 8
    number = int.from_bytes(signature, "big")
    if len(signature) != size or number >= key.n or key.n.bit_length() < 2048:
        return None
    return pow(number, key.e, key.n).to_bytes(size, "big")


_DIGEST_PREFIXES = {
    "sha256": bytes.fromhex("3031300d060960864801650304020105000420"),
    "sha384": bytes.fromhex("3041300d060960864801650304020205000430"),
    "sha512": bytes.fromhex("3051300d060960864801650304020305000440"),
}


def _verify_pkcs1(key: _RsaKey, digest_name: str, data: bytes, signature: bytes) -> bool:
    recovered = _rsa_recover(key, signature)
    if recovered is None:
        return False
    encoded = _DIGEST_PREFIXES[digest_name] + hashlib.new(digest_name, data).digest()
    padding = b"\xff" * (len(recovered) - len(encoded) - 3)
    return recovered == b"\0\x01" + padding + b"\0" + encoded


def _verify_pss(key: _RsaKey, digest_name: str, data: bytes, signature: bytes) -> bool:
    recovered = _rsa_recover(key, signature)
    if recovered is None:
        return False
    digest = hashlib.new(digest_name, data).digest()
    bits = key.n.bit_length() - 1
    encoded = recovered[len(recovered) - (bits + 7) // 8 :]
    block, hashed = encoded[: -len(digest) - 1], encoded[-len(digest) - 1 : -1]
    if encoded[-1] != 0xBC or any(recovered[: len(recovered) - len(encoded)]):
        return False
    mask = b""
    while len(mask) < len(block):
        mask += hashlib.new(digest_name, hashed + (len(mask) // len(digest)).to_bytes(4, "big")).digest()
    unmasked = bytearray(a ^ b for a, b in zip(block, mask))
    unmasked[0] &= 0xFF >> (8 * len(encoded) - bits)
    salt = bytes(unmasked[-len(digest) :])
    if unmasked[: -len(digest)] != bytes(len(block) - len(digest) - 1) + b"\x01":
        return False
    return hmac.compare_digest(hashed, hashlib.new(digest_name, bytes(8) + digest + salt).digest())


_JWS_CURVES = {"ES256": (_P256, "sha256"), "ES384": (_P384, "sha384"), "ES512": (_P521, "sha512")}


def _verify_jws(key: _Key, algorithm: str, data: bytes, signature: bytes) -> bool:
    if algorithm == "EdDSA" and isinstance(key, _Ed25519Key):
        return _verify_ed25519(key, data, signature)
    if algorithm == "PS256" and isinstance(key, _RsaKey):
        return _verify_pss(key, "sha256", data, signature)
    curve, digest_name = _JWS_CURVES.get(algorithm, (None, ""))
    if curve is None or not isinstance(key, _EcKey) or key.curve is not curve:
        return False
    half = (curve.n.bit_length() + 7) // 8
    if len(signature) != 2 * half:
        return False
    r, s = int.from_bytes(signature[:half], "big"), int.from_bytes(signature[half:], "big")
    return _verify_ecdsa(key, hashlib.new(digest_name, data).digest(), r, s)


# Certificates


def _read_der(data: bytes, offset: int = 0) -> Tuple[int, int, int]:
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


def _children(data: bytes) -> List[Tuple[int, bytes, bytes]]:
    """Tag, content and whole encoding of each element."""
    found, offset = [], 0
    while offset < len(data):
        tag, start, end = _read_der(data, offset)
        found.append((tag, data[start:end], data[offset:end]))
        offset = end
    return found


def _parse_oid(data: bytes) -> str:
    numbers, value = [], 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            numbers.append(value)
            value = 0
    first = min(numbers[0] // 40, 2)
    return ".".join(map(str, [first, numbers[0] - 40 * first, *numbers[1:]]))


def _parse_time(tag: int, data: bytes) -> datetime.datetime:
    text = data.decode("ascii")
    if tag == 0x17:
        text = ("20" if int(text[:2]) < 50 else "19") + text
    return datetime.datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=datetime.timezone.utc)


def _parse_key(data: bytes) -> Optional[_Key]:
    """None if the type of the key is not known."""
    (_, algorithm, _), (_, bits, _) = _children(data)
    names = [_parse_oid(content) for tag, content, _ in _children(algorithm) if tag == 6]
    key = bits[1:]
    if names[0] == "1.3.101.112" and len(key) == 32:
        return _Ed25519Key(key)
    if names[0] in ("1.2.840.113549.1.1.1", "1.2.840.113549.1.1.10"):
        (_, n, _), (_, e, _) = _children(_children(key)[0][1])
        return _RsaKey(int.from_bytes(n, "big"), int.from_bytes(e, "big"))
    if names[0] == "1.2.840.10045.2.1" and len(names) == 2 and names[1] in _CURVES:
        curve = _CURVES[names[1]]
        half = (curve.p.bit_length() + 7) // 8
        x, y = int.from_bytes(key[1 : 1 + half], "big"), int.from_bytes(key[1 + half :], "big")
        is_on_curve = (y * y - (x * x * x - 3 * x + curve.b)) % curve.p == 0
        if key[:1] == b"\x04" and len(key) == 1 + 2 * half and is_on_curve and max(x, y) < curve.p:
            return _EcKey(curve, (x, y))
    return None


#: Purposes of certificates that may sign C2PA claims.
_SIGNING_PURPOSES = {"1.3.6.1.5.5.7.3.4", "1.3.6.1.5.5.7.3.36", "1.3.6.1.4.1.62558.2.1"}
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
        tag, start, end = _read_der(der)
        if tag != 0x30 or end != len(der):
            raise SignatureError("a certificate cannot be read")
        (_, body, self._signed), (_, algorithm, _), (_, bits, _) = _children(der[start:end])
        self._signature_algorithm = _parse_oid(_children(algorithm)[0][1])
        self._signature = bits[1:]
        fields = _children(body)
        if fields[0][0] == 0xA0:
            fields = fields[1:]
        if _parse_oid(_children(fields[1][1])[0][1]) != self._signature_algorithm:
            raise SignatureError("a certificate cannot be read")
        self.issuer, self.subject = fields[2][2], fields[4][2]
        (begin_tag, begin, _), (end_tag, until, _) = _children(fields[3][1])
        self.valid_from, self.valid_until = _parse_time(begin_tag, begin), _parse_time(end_tag, until)
        self.key = _parse_key(fields[5][1])
        self.is_authority = False
        self.may_sign_certificates = True
        self.purposes: List[str] = []
        for field_tag, content, _ in fields[6:]:
            if field_tag == 0xA3:
                self._parse_extensions(_children(content)[0][1])

    def _parse_extensions(self, data: bytes) -> None:
        for _, content, _ in _children(data):
            parts = _children(content)
            name, value = _parse_oid(parts[0][1]), parts[-1][1]
            is_critical = len(parts) == 3 and parts[1][1] != b"\0"
            if name == "2.5.29.19":
                values = _children(_children(value)[0][1])
                self.is_authority = bool(values) and values[0][0] == 1 and values[0][1] != b"\0"
            elif name == "2.5.29.15":
                bits = _children(value)[0][1]
                self.may_sign_certificates = len(bits) > 1 and bool(bits[1] & 0x04)
            elif name == "2.5.29.37":
                self.purposes = [_parse_oid(item) for _, item, _ in _children(_children(value)[0][1])]
            elif is_critical:
                raise SignatureError("a certificate has an extension that is not understood")

    def is_valid_at(self, time: datetime.datetime) -> bool:
        return self.valid_from <= time <= self.valid_until

    def is_issued_by(self, issuer: "Certificate") -> bool:
        if self.issuer != issuer.subject or not (issuer.is_authority and issuer.may_sign_certificates):
            return False
        key, name = issuer.key, self._signature_algorithm
        if isinstance(key, _Ed25519Key):
            return name == "1.3.101.112" and _verify_ed25519(key, self._signed, self._signature)
        if isinstance(key, _RsaKey):
            return name in _PKCS1 and _verify_pkcs1(key, _PKCS1[name], self._signed, self._signature)
        if isinstance(key, _EcKey) and name in _ECDSA:
            (_, r, _), (_, s, _) = _children(_children(self._signature)[0][1])
            digest = hashlib.new(_ECDSA[name], self._signed).digest()
            return _verify_ecdsa(key, digest, int.from_bytes(r, "big"), int.from_bytes(s, "big"))
        return False


def parse_roots(pem: str) -> List[Certificate]:
    """The certificates in a PEM file."""
    blocks = re.findall(r"-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----", pem)
    return [Certificate(base64.b64decode("".join(block.split()))) for block in blocks]


# The index


def _decode(part: str) -> bytes:
    if not re.fullmatch(r"[A-Za-z0-9_-]*", part):
        raise SignatureError("the index is not a signature")
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except ValueError as error:
        raise SignatureError("the index is not a signature") from error


def _decode_object(part: str) -> Dict:
    try:
        value = json.loads(_decode(part).decode("utf-8"))
    except ValueError as error:
        raise SignatureError("the index is not a signature") from error
    if not isinstance(value, dict):
        raise SignatureError("the index is not a signature")
    return value


def verify_index(jws: str, roots: List[Certificate]) -> Dict:
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
    if leaf.key is None or not _verify_jws(leaf.key, str(header.get("alg")), signed, _decode(parts[2])):
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
    if leaf.is_authority or not _SIGNING_PURPOSES.intersection(leaf.purposes):
        raise SignatureError("the certificate of the index is not one of a signer")
    is_path = all(certificate.is_issued_by(issuer) for certificate, issuer in zip(path, path[1:]))
    trusted = [root for root in roots if root.is_valid_at(time) and path[-1].is_issued_by(root)]
    if not is_path or not trusted or not all(certificate.is_valid_at(time) for certificate in path):
        raise SignatureError("the certificate of the index leads to no trusted root")
