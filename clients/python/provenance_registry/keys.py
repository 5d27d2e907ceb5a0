"""Verifies signatures with the standard library alone: ECDSA, Ed25519 and RSA.

Only public data is handled here, so that nothing needs to run in constant time.
"""

import hashlib
import hmac
from typing import NamedTuple, Optional, Tuple, Union


class Curve(NamedTuple):
    name: str
    p: int
    b: int
    n: int
    g: Tuple[int, int]


_P256 = Curve(
    "P-256",
    0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF,
    0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
    0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    (
        0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
        0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
    ),
)
_P384 = Curve(
    "P-384",
    2**384 - 2**128 - 2**96 + 2**32 - 1,
    0xB3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875AC656398D8A2ED19D2A85C8EDD3EC2AEF,
    0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973,
    (
        0xAA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A385502F25DBF55296C3A545E3872760AB7,
        0x3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C00A60B1CE1D7E819D7A431D7C90EA0E5F,
    ),
)
_P521 = Curve(
    "P-521",
    2**521 - 1,
    0x0051953EB9618E1C9A1F929A21A0B68540EEA2DA725B99B315F3B8B489918EF109E156193951EC7E937B1652C0BD3BB1BF073573DF883D2C34F1EF451FD46B503F00,
    0x01FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409,
    (
        0x00C6858E06B70404E9CD9E3ECB662395B4429C648139053FB521F828AF606B4D3DBAA14B5E77EFE75928FE1DC127A2FFA8DE3348B3C1856A429BF97E7E31C2E5BD66,
        0x011839296A789A3BC0045C8A5FB42C7D1BD998F54449579B446817AFBD17273E662C97EE72995EF42640C550B9013FAD0761353C7086A272C24088BE94769FD16650,
    ),
)
CURVES = {"1.2.840.10045.3.1.7": _P256, "1.3.132.0.34": _P384, "1.3.132.0.35": _P521}


class EcKey(NamedTuple):
    curve: Curve
    point: Tuple[int, int]


class RsaKey(NamedTuple):
    n: int
    e: int


class Ed25519Key(NamedTuple):
    data: bytes


Key = Union[EcKey, RsaKey, Ed25519Key]


#: A point of a curve; None is infinity.
_Point = Optional[Tuple[int, int]]


def _ec_add(curve: Curve, one: _Point, other: _Point) -> _Point:
    """On all of these curves, a is -3."""
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


def _ec_multiply(curve: Curve, factor: int, point: _Point) -> _Point:
    result: _Point = None
    while factor:
        if factor & 1:
            result = _ec_add(curve, result, point)
        point = _ec_add(curve, point, point)
        factor >>= 1
    return result


def verify_ecdsa(key: EcKey, digest: bytes, r: int, s: int) -> bool:
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


#: In extended coordinates (RFC 8032, 5.1.4), which need no division to be added.
_EdPoint = Tuple[int, int, int, int]


def _ed_point(point: Tuple[int, int]) -> _EdPoint:
    x, y = point
    return x, y, 1, x * y % _ED_P


def _ed_add(one: _EdPoint, other: _EdPoint) -> _EdPoint:
    (x1, y1, z1, t1), (x2, y2, z2, t2) = one, other
    a = (y1 - x1) * (y2 - x2) % _ED_P
    b = (y1 + x1) * (y2 + x2) % _ED_P
    c = 2 * t1 * t2 * _ED_D % _ED_P
    d = 2 * z1 * z2 % _ED_P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _ED_P, g * h % _ED_P, f * g % _ED_P, e * h % _ED_P


def _ed_multiply(factor: int, point: _EdPoint) -> _EdPoint:
    result = (0, 1, 1, 0)
    while factor:
        if factor & 1:
            result = _ed_add(result, point)
        point = _ed_add(point, point)
        factor >>= 1
    return result


def _ed_is_same(one: _EdPoint, other: _EdPoint) -> bool:
    return (one[0] * other[2] - other[0] * one[2]) % _ED_P == 0 and (one[1] * other[2] - other[1] * one[2]) % _ED_P == 0


def _ed_decode(data: bytes) -> _Point:
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


_ED_BASE = (
    0x216936D3CD6E53FEC0A4E231FDD6DC5C692CC7609525A7B2C9562D608F25D51A,
    0x6666666666666666666666666666666666666666666666666666666666666658,
)


def verify_ed25519(key: Ed25519Key, data: bytes, signature: bytes) -> bool:
    if len(signature) != 64:
        return False
    point, commitment = _ed_decode(key.data), _ed_decode(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if point is None or commitment is None or s >= _ED_L:
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + key.data + data).digest(), "little") % _ED_L
    expected = _ed_add(_ed_point(commitment), _ed_multiply(challenge, _ed_point(point)))
    return _ed_is_same(_ed_multiply(s, _ed_point(_ED_BASE)), expected)


_MIN_RSA_BITS = 2048
#: Larger ones would keep the processor busy for minutes.
_MAX_RSA_BITS = 16_384


def _rsa_recover(key: RsaKey, signature: bytes) -> Optional[bytes]:
    size = (key.n.bit_length() + 7) // 8
    number = int.from_bytes(signature, "big")
    if not _MIN_RSA_BITS <= key.n.bit_length() <= _MAX_RSA_BITS or key.e.bit_length() > 64:
        return None
    if len(signature) != size or number >= key.n:
        return None
    return pow(number, key.e, key.n).to_bytes(size, "big")


_DIGEST_PREFIXES = {
    "sha256": bytes.fromhex("3031300d060960864801650304020105000420"),
    "sha384": bytes.fromhex("3041300d060960864801650304020205000430"),
    "sha512": bytes.fromhex("3051300d060960864801650304020305000440"),
}


def verify_pkcs1(key: RsaKey, digest_name: str, data: bytes, signature: bytes) -> bool:
    recovered = _rsa_recover(key, signature)
    if recovered is None:
        return False
    encoded = _DIGEST_PREFIXES[digest_name] + hashlib.new(digest_name, data).digest()
    padding = b"\xff" * (len(recovered) - len(encoded) - 3)
    return recovered == b"\0\x01" + padding + b"\0" + encoded


def verify_pss(key: RsaKey, digest_name: str, data: bytes, signature: bytes) -> bool:
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


_ALGORITHM_CURVES = {"ES256": (_P256, "sha256"), "ES384": (_P384, "sha384"), "ES512": (_P521, "sha512")}


def verify_signature(key: Key, algorithm: str, data: bytes, signature: bytes) -> bool:
    """Whether the key signed the data, by an algorithm of JOSE (RFC 7518, RFC 8037)."""
    if algorithm == "EdDSA" and isinstance(key, Ed25519Key):
        return verify_ed25519(key, data, signature)
    if algorithm in ("PS256", "PS384", "PS512") and isinstance(key, RsaKey):
        return verify_pss(key, f"sha{algorithm[2:]}", data, signature)
    curve, digest_name = _ALGORITHM_CURVES.get(algorithm, (None, ""))
    if curve is None or not isinstance(key, EcKey) or key.curve is not curve:
        return False
    half = (curve.n.bit_length() + 7) // 8
    if len(signature) != 2 * half:
        return False
    r, s = int.from_bytes(signature[:half], "big"), int.from_bytes(signature[half:], "big")
    return verify_ecdsa(key, hashlib.new(digest_name, data).digest(), r, s)
