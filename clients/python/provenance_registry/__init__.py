"""Client of a content provenance registry: its API, fingerprints, offline filters, and bundles verified offline."""

from ._async.client import AsyncClient as AsyncClient
from ._sync.client import Client as Client
from .bundle_format import Bundle as Bundle, BundleError as BundleError, parse_bundle as parse_bundle
from .bundles import Verification as Verification, verify_bundle as verify_bundle
from .certificates import SignatureError as SignatureError
from .checks import Check as Check
from .contradictions import Problem as Problem
from .downloads import DownloadError as DownloadError, DownloadResult as DownloadResult, Downloads as Downloads
from .downloads import UpdateResult as UpdateResult, update as update
from .errors import FieldProblem as FieldProblem, InvalidResponseError as InvalidResponseError
from .errors import ProvenanceError as ProvenanceError, RegistryError as RegistryError
from .errors import ServiceUnreachableError as ServiceUnreachableError
from .events import ServerSentEvent as ServerSentEvent
from .exchange import OMITTED as OMITTED, File as File
from .facts import Fact as Fact, Time as Time
from .filter import Filter as Filter, FormatError as FormatError
from .hashing import FileChangedError as FileChangedError, fingerprint as fingerprint
from .lookups import Disclosure as Disclosure
from .lookups import Lookup as Lookup
from .receipts import LoggedLeaf as LoggedLeaf
from .snapshot import AI_USES as AI_USES, Piece as Piece
from .verdict import Reason as Reason
from .version import __version__ as __version__
