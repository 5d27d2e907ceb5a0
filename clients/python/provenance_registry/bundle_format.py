"""The format of bundles: what a file of evidence has. Described in docs/bundles.md."""

from __future__ import annotations

import base64
from typing import Any, NamedTuple

from .canonical import parse_json
from .schemas import is_valid


class BundleError(ValueError):
    """This is not a bundle."""


class Proof(NamedTuple):
    """What a contract logged, as the bundle has it."""

    chain_id: int
    contract: bytes
    header: bytes
    transaction_index: int
    receipt: bytes
    nodes: list[bytes]

    @property
    def contract_address(self) -> str:
        return f"0x{self.contract.hex()}"


class Anchor(NamedTuple):
    """The anchor of the log on chain, as the bundle has it."""

    proof: Proof
    #: The number of leaves that were anchored.
    size: int
    #: From the sibling of the leaf to the child of the root.
    hashes: list[bytes]


class Bundle(NamedTuple):
    """A bundle that has its documented form. Nothing in it has been verified."""

    version: int
    fingerprint: str
    #: The registered file, if the bundle is for a copy that the registry signed.
    signed_copy_of: str | None
    manifest_id: str
    manifest: bytes
    metadata: dict[str, Any] | None
    #: None when the file was not on chain, and in bundles of version 1.
    proof: Proof | None
    #: Receipt, leaf and opening; None when no checkpoint covered the file, and in bundles of versions 1 and 2.
    log: dict[str, Any] | None
    #: None when the log was not anchored on chain since.
    anchor: Anchor | None
    #: The maker's word.
    service: str


def parse_bundle(text: str | bytes) -> Bundle:
    """A bundle from the content of its file.

    :raises BundleError: It is not a bundle, or one of an unsupported version.
    """
    try:
        document = parse_json(text if isinstance(text, str) else text.decode("utf-8"))
    except ValueError as error:
        raise BundleError("this is not a bundle: it is not JSON") from error
    version = document.get("version") if isinstance(document, dict) else None
    if type(version) is int and version not in (1, 2, 3):
        raise BundleError(f"bundles of version {version} are not supported")
    try:
        if type(version) is not int or not is_valid(document, f"BundleV{version}"):
            raise ValueError
        return _parse(document)
    except ValueError as error:
        raise BundleError("this is not a bundle") from error


def _parse(document: dict[str, Any]) -> Bundle:
    is_old = document["version"] == 1
    log = document.get("log") if document["version"] == 3 else None
    manifest = base64.b64decode(document["manifest"], validate=True)
    # The last character has bits that are not part of the bytes: only zeros are accepted.
    if base64.b64encode(manifest).decode("ascii") != document["manifest"]:
        raise ValueError
    return Bundle(
        version=document["version"],
        fingerprint=document["fingerprint"],
        signed_copy_of=None if is_old else document.get("signedCopyOf"),
        manifest_id=document["manifestId"],
        manifest=manifest,
        metadata=document.get("artifact", {}).get("metadata") if is_old else document.get("metadata"),
        proof=None if is_old or "chain" not in document else _parse_proof(document["chain"]),
        log=log,
        anchor=None if log is None or "anchor" not in log else _parse_anchor(log["anchor"]),
        service=document["service"] if is_old else document["maker"]["service"],
    )


def _parse_proof(chain: dict[str, Any]) -> Proof:
    address, proof = chain["address"], chain["proof"]
    header, receipt, *nodes = (bytes.fromhex(text[2:]) for text in (proof["header"], proof["receipt"], *proof["nodes"]))
    return Proof(chain["chainId"], bytes.fromhex(address[2:]), header, proof["transactionIndex"], receipt, nodes)


def _parse_anchor(anchor: dict[str, Any]) -> Anchor:
    return Anchor(_parse_proof(anchor), anchor["size"], [bytes.fromhex(text[2:]) for text in anchor["hashes"]])
