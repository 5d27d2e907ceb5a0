"""The errors of the client."""

from __future__ import annotations

from typing import NamedTuple


class FieldProblem(NamedTuple):
    """A field that the service rejected."""

    #: A JSON Pointer into the body; for parameters, `/` and their name.
    path: str
    #: What is wrong with it, for people: a sentence.
    message: str


class ProvenanceError(Exception):
    """The base class of all errors of the client."""


class RegistryError(ProvenanceError):
    """The service refused the request. Branch on `code`; the text may change.

    >>> error.code, error.status
    ('NOT_FOUND', 404)
    """

    def __init__(self, code: str, message: str, status: int, problems: list[FieldProblem]) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        #: Every invalid field, if the fields are the reason.
        self.problems = problems


class ServiceUnreachableError(ProvenanceError):
    """No response, or only failures of the service, after all attempts."""

    def __init__(self, message: str, retry_after: float = 0) -> None:
        super().__init__(message)
        #: The delay in seconds that the service asked for, or 0.
        self.retry_after = retry_after


class InvalidResponseError(ProvenanceError):
    """A response that does not have its documented form: another service is at that address, or it is of an earlier version."""


def sanitize(text: str) -> str:
    """Text of a service without what changes a terminal or the order of letters."""
    return "".join(one if one.isprintable() and one not in "\u200e\u200f\u061c" else "\ufffd" for one in text)
