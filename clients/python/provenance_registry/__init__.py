"""Client of a content provenance registry: its API, fingerprints, offline filters, and bundles verified offline."""

from .bundle_evidence import Check, Problem, Verification
from .bundle_format import Bundle, BundleError, parse_bundle
from .bundles import verify_bundle
from .calls import OMITTED, File
from .certificates import SignatureError
from .client import Client, PrivateLookup
from .downloads import DownloadError, Downloads, update
from .errors import FieldProblem, InvalidResponseError, ProvenanceError, RegistryError, ServiceUnreachableError
from .filter import Filter, FormatError
from .hashing import FileChangedError, fingerprint
from .server_sent_events import ServerSentEvent
from .snapshot import AI_USES, Piece

__all__ = [
    "AI_USES",
    "Bundle",
    "BundleError",
    "Check",
    "Client",
    "DownloadError",
    "Downloads",
    "FieldProblem",
    "File",
    "FileChangedError",
    "Filter",
    "FormatError",
    "InvalidResponseError",
    "OMITTED",
    "Piece",
    "PrivateLookup",
    "Problem",
    "ProvenanceError",
    "RegistryError",
    "ServerSentEvent",
    "ServiceUnreachableError",
    "SignatureError",
    "Verification",
    "fingerprint",
    "parse_bundle",
    "update",
    "verify_bundle",
]
