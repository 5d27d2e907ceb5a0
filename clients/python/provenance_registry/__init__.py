"""Client of a content provenance registry: its API, fingerprints, offline filters, and bundles verified offline."""

from ._async.client import AsyncClient as AsyncClient
from ._sync.client import Client as Client
from .bundle_format import Bundle as Bundle, BundleError as BundleError, parse_bundle as parse_bundle
from .bundles import Check as Check, Problem as Problem, Verification as Verification, verify_bundle as verify_bundle
from .certificates import SignatureError as SignatureError
from .downloads import DownloadError as DownloadError, Downloads as Downloads, update as update
from .errors import FieldProblem as FieldProblem, InvalidResponseError as InvalidResponseError
from .errors import ProvenanceError as ProvenanceError, RegistryError as RegistryError
from .errors import ServiceUnreachableError as ServiceUnreachableError
from .events import ServerSentEvent as ServerSentEvent
from .exchange import OMITTED as OMITTED, File as File
from .filter import Filter as Filter, FormatError as FormatError
from .hashing import FileChangedError as FileChangedError, fingerprint as fingerprint
from .private_lookup import PrivateLookup as PrivateLookup
from .snapshot import AI_USES as AI_USES, Piece as Piece
from .version import __version__ as __version__
