"""`python3 -m provenance_registry`: the signed downloads of a registry and bundles, offline."""

from __future__ import annotations

import argparse
import datetime
import json
import pathlib
import re
import sys
from typing import Callable

from .bundle_format import BundleError, parse_bundle
from .bundles import verify_bundle
from .certificates import SignatureError
from .downloads import DownloadError, DownloadResult, Downloads, read_clock, update
from .filter import FormatError
from .hashing import FileChangedError, fingerprint
from .report import describe

#: As those of `provenance verify`.
_EXIT_CODES = {"verified": 0, "contradicted": 1, "incomplete": 3, "consistent": 4}
_INDEFINITE = 3


def _parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="provenance_registry", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, summary in (
        ("update", "fetch what has changed"),
        ("filter", "read fingerprints from standard input, print whether each is registered"),
    ):
        command = commands.add_parser(name, help=summary)
        command.add_argument("--registry", required=True, help="URL of the registry")
        command.add_argument("--roots", required=True, help="PEM file with the signer roots that you trust")
        command.add_argument("--folder", required=True, help="where the downloads are kept")
        command.add_argument("--exact", action="store_true", help="use the whole snapshot, not only the filter")
    commands.choices["update"].add_argument("--allow-older", action="store_true", help="accept older downloads")
    verify = commands.add_parser("verify", help="verify a bundle without any network")
    verify.add_argument("bundle", help="the bundle")
    verify.add_argument("file", nargs="?", help="the file that it is for")
    verify.add_argument("--roots", help="PEM file with the signer roots that you trust")
    verify.add_argument("--timestamp-roots", help="PEM file with the roots of time-stamp authorities; default: --roots")
    verify.add_argument("--block-hash", help="the hash of the block, as an explorer of the chain shows it")
    verify.add_argument("--contract", help="the address of the contract, as you know it")
    verify.add_argument("--anchor-block-hash", help="the same for the block of the log's anchor")
    verify.add_argument("--log-contract", help="the address of the contract that anchors the log, as you know it")
    verify.add_argument("--log-key", action="append", default=[], help="a key of the registry's public log, as you know it")
    verify.add_argument("--witness", action="append", default=[], help="the key of a witness that has to have signed")
    verify.add_argument("--expect-mark", help="the id of the Mark whose file it should be, or its exact name")
    return parser.parse_args(arguments)


def _filter(downloads: Downloads, exact: bool) -> int:
    status = 0
    for number, line in enumerate(sys.stdin, 1):
        words = line.split()
        match = re.fullmatch(r"(?:0x)?([0-9a-fA-F]{64})", words[0]) if words else None
        if match is not None:
            digest = bytes.fromhex(match.group(1))
            result = downloads.look_up(digest, exact)
            print(f"0x{digest.hex()} {_format(result, downloads.index['createdAt'])}")
            status = _INDEFINITE if result.is_stale else status
        elif words:
            print(f"line {number} is not a fingerprint", file=sys.stderr)
            status = _INDEFINITE
    return status


def _format(result: DownloadResult, created_at: str) -> str:
    preferences = "" if result.preferences is None else " " + json.dumps(result.preferences, separators=(",", ":"))
    return f"{result.match}{preferences}{f' out of date, as of {created_at}' if result.is_stale else ''}"


def _verify(options: argparse.Namespace) -> int:
    result = verify_bundle(
        parse_bundle(pathlib.Path(options.bundle).read_bytes()),
        None if options.file is None else fingerprint(options.file),
        block_hash=options.block_hash,
        contract=options.contract,
        trust_anchors=None if options.roots is None else _read_text(options.roots),
        timestamp_anchors=None if options.timestamp_roots is None else _read_text(options.timestamp_roots),
        anchor_block_hash=options.anchor_block_hash,
        log_contract=options.log_contract,
        log_keys=options.log_key,
        witnesses=options.witness,
        expect_mark=options.expect_mark,
    )
    print(*describe(result), sep="\n")
    return _EXIT_CODES[result.verdict]


def _read_text(path: str) -> str:
    return pathlib.Path(path).read_text("ascii", "replace")


def _use_downloads(options: argparse.Namespace, clock: Callable[[], datetime.datetime]) -> int:
    registry, roots_pem = options.registry.rstrip("/"), _read_text(options.roots)
    if options.command == "filter":
        return _filter(Downloads(options.folder, registry, roots_pem, clock), options.exact)
    snapshot, allow_older = options.exact, options.allow_older
    result = update(options.folder, registry, roots_pem, snapshot=snapshot, allow_older=allow_older, clock=clock)
    print(f"fetched {result.files} files{', which are out of date' if result.is_stale else ''}")
    return _INDEFINITE if result.is_stale else 0


def main(arguments: list[str] | None = None, clock: Callable[[], datetime.datetime] = read_clock) -> int:
    """Exit codes: 0; 1: not what the registry signed; 3: not there, out of date, not reachable, or a line is not a fingerprint.

    Those of `verify`: 0 verified, 1 contradicted, 2 wrong use, 3 could not be checked, 4 consistent.
    """
    options = _parse_arguments(arguments)
    try:
        return _verify(options) if options.command == "verify" else _use_downloads(options, clock)
    except (BundleError, FileChangedError, DownloadError, OSError) as error:
        print(f"provenance_registry: {error}", file=sys.stderr)
        return 3
    except ValueError as error:
        is_refusal = options.command != "verify" and isinstance(error, (SignatureError, FormatError))
        print(f"provenance_registry: {'the downloads are not used: ' if is_refusal else ''}{error}", file=sys.stderr)
        return 1 if is_refusal else 2


if __name__ == "__main__":
    sys.exit(main())
