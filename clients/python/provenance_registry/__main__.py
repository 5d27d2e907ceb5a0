"""`python3 -m provenance_registry update` and `filter`: the signed downloads of a registry, offline."""

import argparse
import json
import re
import sys
from typing import List, Optional

from .downloads import DownloadError, Downloads, update
from .filter import FormatError
from .signature import SignatureError

_FINGERPRINT = re.compile(r"(?:0x)?([0-9a-fA-F]{64})")


def _parse_arguments(arguments: Optional[List[str]]) -> argparse.Namespace:
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
    return parser.parse_args(arguments)


def _answer(downloads: Downloads, fingerprint: bytes, exact: bool) -> str:
    if not exact:
        return "maybe" if downloads.may_contain(fingerprint) else "no"
    preferences = downloads.find(fingerprint)
    return "no" if preferences is None else "registered " + json.dumps(preferences, separators=(",", ":"))


def _filter(downloads: Downloads, exact: bool) -> int:
    status = 0
    for number, line in enumerate(sys.stdin, 1):
        words = line.split()
        if not words:
            continue
        match = _FINGERPRINT.fullmatch(words[0])
        if match is None:
            print(f"line {number} is not a fingerprint", file=sys.stderr)
            status = 3
            continue
        fingerprint = bytes.fromhex(match.group(1))
        print(f"0x{fingerprint.hex()} {_answer(downloads, fingerprint, exact)}")
    return status


def main(arguments: Optional[List[str]] = None) -> int:
    """Exit codes: 0; 1: not what the registry signed; 3: not there, not reachable, or a line is not a fingerprint."""
    options = _parse_arguments(arguments)
    registry = options.registry.rstrip("/")
    try:
        with open(options.roots, encoding="ascii", errors="replace") as file:
            roots_pem = file.read()
        if options.command == "update":
            count = update(options.folder, registry, roots_pem, options.exact, options.allow_older)
            print(f"fetched {count} files")
            return 0
        return _filter(Downloads(options.folder, registry, roots_pem), options.exact)
    except (SignatureError, FormatError) as error:
        print(f"provenance_registry: the downloads are not used: {error}", file=sys.stderr)
        return 1
    except (DownloadError, OSError) as error:
        print(f"provenance_registry: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
