"""Checks that a JSON value has the form of a type in `models`, before a program relies on it."""

from __future__ import annotations

import functools
import types
from typing import Any, Dict, Literal, NotRequired, Tuple, Union, get_args, get_origin, get_type_hints, is_typeddict

from . import models
from .errors import InvalidResponseError


def require_shape(value: Any, shape: Any, operation: str, is_closed: bool = False) -> Any:
    """The value. Members that a later version adds are accepted, and so are strings that it adds to an enumeration.

    :param is_closed: Enumerations have no other values.
    """
    problem = _find_problem(value, shape, "", is_closed)
    if problem is None:
        return value
    raise InvalidResponseError(f"the response to {operation} does not have the documented form at {problem or '/'}")


@functools.lru_cache(maxsize=None)
def _members(shape: Any) -> Dict[str, Tuple[Any, bool]]:
    """Type of each member, and whether it is required."""
    hints = get_type_hints(shape, vars(models), include_extras=True)
    return {
        name: (get_args(hint)[0], False) if get_origin(hint) is NotRequired else (hint, True)
        for name, hint in hints.items()
    }


_SCALARS: Dict[Any, Any] = {str: str, bool: bool, int: int, float: (int, float), type(None): type(None)}


def _find_problem(value: Any, shape: Any, pointer: str, is_closed: bool) -> Union[str, None]:
    """Where the value has another form; None if it has this one."""
    if shape is Any:
        return None
    if shape is None:
        shape = type(None)
    origin, arguments = get_origin(shape), get_args(shape)
    if origin in (Union, types.UnionType):
        problems = [_find_problem(value, option, pointer, is_closed) for option in arguments]
        return None if None in problems else max((one or "" for one in problems), key=len)
    if origin is Literal:
        is_allowed = value in arguments or (not is_closed and isinstance(value, str) and isinstance(arguments[0], str))
        return None if is_allowed else pointer
    if origin is list:
        return _find_in(enumerate(value), arguments[0], pointer, is_closed) if isinstance(value, list) else pointer
    if origin is dict:
        return _find_in(value.items(), arguments[1], pointer, is_closed) if isinstance(value, dict) else pointer
    if is_typeddict(shape):
        return _find_in_object(value, shape, pointer, is_closed)
    kind = _SCALARS[shape]
    is_number = shape in (int, float)
    return pointer if not isinstance(value, kind) or (is_number and isinstance(value, bool)) else None


def _find_in(items: Any, shape: Any, pointer: str, is_closed: bool) -> Union[str, None]:
    for name, value in items:
        problem = _find_problem(value, shape, f"{pointer}/{name}", is_closed)
        if problem is not None:
            return problem
    return None


def _find_in_object(value: Any, shape: Any, pointer: str, is_closed: bool) -> Union[str, None]:
    if not isinstance(value, dict):
        return pointer
    for name, (member, is_required) in _members(shape).items():
        if name not in value:
            if is_required:
                return f"{pointer}/{name}"
            continue
        problem = _find_problem(value[name], member, f"{pointer}/{name}", is_closed)
        if problem is not None:
            return problem
    return None
