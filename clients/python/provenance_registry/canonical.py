"""JSON as JavaScript reads it, and its canonical form (RFC 8785)."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Union

_MAX_SAFE_INTEGER = 2**53 - 1
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_json(text: str) -> Any:
    """Numbers are whole where they are in JavaScript, and have its precision. :raises ValueError: It is not JSON."""
    try:
        return json.loads(text, parse_int=_parse_number, parse_float=_parse_number, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def _parse_number(text: str) -> Union[int, float]:
    value = float(text)
    return int(value) if value.is_integer() and abs(value) <= _MAX_SAFE_INTEGER else value


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def canonical_json(value: Any) -> str:
    """Sorted keys, no white space."""
    if isinstance(value, dict):
        # RFC 8785 compares UTF-16 code units.
        names = sorted(value, key=_code_units)
        return "{" + ",".join(f"{_quote(name)}:{canonical_json(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical_json, value)) + "]"
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, float):
        return _format_number(value)
    return json.dumps(value)


def _code_units(name: str) -> bytes:
    return name.encode("utf-16-be", "surrogatepass")


def _quote(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", quoted)


def _format_number(value: float) -> str:
    """As JavaScript writes numbers: digits as `repr` has them, in its own places."""
    if math.isinf(value):
        return "null"
    if value == 0:
        return "0"
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    # The value is 0.DIGITS times ten to this power.
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len((whole + fraction).lstrip("0")))
    digits = digits.rstrip("0")
    sign = "-" if value < 0 else ""
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"
