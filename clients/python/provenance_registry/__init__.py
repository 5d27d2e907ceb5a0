"""Checks fingerprints offline against the signed downloads of a content provenance registry."""

from .downloads import Downloads, DownloadError, update
from .filter import Filter, FormatError
from .signature import SignatureError
from .snapshot import AI_USES, Piece

__all__ = ["AI_USES", "DownloadError", "Downloads", "Filter", "FormatError", "Piece", "SignatureError", "update"]
