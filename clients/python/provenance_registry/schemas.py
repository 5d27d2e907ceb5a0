"""Checks JSON values against the schemas of the API and of bundles, before a program relies on them."""

from __future__ import annotations

import datetime
import json
import re
from importlib import resources
from typing import Any

from .errors import InvalidResponseError

#: Generated from the API document, with the operations' responses by their ids.
_SCHEMAS: dict[str, Any] = dict(
    map(json.loads, resources.files(__package__).joinpath("schemas.jsonl").read_text("utf-8").splitlines())
)
_TYPES: dict[str, Any] = {
    "string": str, "boolean": bool, "integer": int, "number": (int, float), "null": type(None), "array": list, "object": dict,
}  # fmt: skip


def require_response(value: Any, name: str) -> Any:
    """The value. Members that a later version adds are accepted, and so are strings that it adds to an enumeration.

    :raises InvalidResponseError: It has another form.
    """
    problem = _find_problem(value, _SCHEMAS[name], False)
    if problem is not None:
        raise InvalidResponseError(f"the response to {name} does not have the documented form at {problem or '/'}")
    return value


def is_valid(value: Any, name: str) -> bool:
    """Whether the value has exactly this form."""
    return _find_problem(value, _SCHEMAS[name], True) is None


def _find_problem(value: Any, schema: Any, is_closed: bool, pointer: str = "") -> str | None:
    """Where the value has another form; None if it has this one."""
    if "$ref" in schema:
        return _find_problem(value, _SCHEMAS[schema["$ref"].rpartition("/")[2]], is_closed, pointer)
    if "anyOf" in schema:
        problems = [_find_problem(value, option, is_closed, pointer) for option in schema["anyOf"]]
        return None if None in problems else max((one or "" for one in problems), key=len)
    types = schema.get("type", [])
    if types and not any(_has_type(value, one) for one in ([types] if isinstance(types, str) else types)):
        return pointer
    values = [schema["const"]] if "const" in schema else schema.get("enum", [value])
    if value not in values and (is_closed or not isinstance(value, str)):
        return pointer
    if is_closed and not _is_within_limits(value, schema):
        return pointer
    items: list[tuple[Any, Any, Any]] = []
    if isinstance(value, list) and "items" in schema:
        items = [(index, item, schema["items"]) for index, item in enumerate(value)]
    if isinstance(value, dict):
        known: dict[str, Any] = schema.get("properties", {})
        others: Any = next(iter(schema.get("patternProperties", {}).values()), {})
        missing = [name for name in schema.get("required", ()) if name not in value]
        if missing or (is_closed and schema.get("additionalProperties") is False and not value.keys() <= known.keys()):
            return f"{pointer}/{missing[0]}" if missing else pointer
        items = [(name, member, known.get(name, others)) for name, member in value.items()]
    found = (_find_problem(item, form, is_closed, f"{pointer}/{name}") for name, item, form in items)
    return next((problem for problem in found if problem is not None), None)


def _has_type(value: Any, name: str) -> bool:
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def _is_within_limits(value: Any, schema: Any) -> bool:
    if isinstance(value, str):
        is_long = len(value) > schema.get("maxLength", len(value))
        is_time = schema.get("format") != "date-time" or _is_time(value)
        return not is_long and is_time and re.fullmatch(schema.get("pattern", r"(?s:.*)"), value) is not None
    if isinstance(value, list):
        return bool(schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)))
    if isinstance(value, (int, float)):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    return True


#: What RFC 9557 lets a time end with.
_TIME_ENDING = re.compile(
    r"(\[!?(((?!\.{1,2}[/\]])[A-Za-z._][A-Za-z._0-9+-]{0,13}(/(?!\.{1,2}[/\]])[A-Za-z._][A-Za-z._0-9+-]{0,13})*)"
    r"|[+-]([01][0-9]|2[0-3]):[0-5][0-9])\])?(\[!?[a-z_][a-z_0-9-]*=[A-Za-z0-9]+(-[A-Za-z0-9]+)*\])*"
)


def _is_time(text: str) -> bool:
    time, bracket, ending = text.partition("[")
    form = r"(\d{4})(-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|([+-])(\d\d):(\d\d))"
    match = re.fullmatch(form, time, re.I | re.A)
    if match is None or _TIME_ENDING.fullmatch(bracket + ending) is None:
        return False
    year, day = match.group(1, 2)
    hour, minute, second = (int(part) for part in match.group(3, 4, 5))
    offset_hour, offset_minute = (int(part or 0) for part in match.group(9, 10))
    try:
        # The year 0 is a leap year like 2000.
        datetime.date.fromisoformat(("2000" if year == "0000" else year) + day)
    except ValueError:
        return False
    if hour > 23 or minute > 59 or second > 60 or offset_hour > 23 or offset_minute > 59:
        return False
    # A leap second is the last one of a day in UTC.
    minutes = hour * 60 + minute - (-1 if match.group(8) == "-" else 1) * (offset_hour * 60 + offset_minute)
    return second < 60 or minutes % 1440 == 1439
