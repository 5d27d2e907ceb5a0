// Constants of the registry contract, as its Solidity source has them.

/** What `c2paSpecVersion()` returns: the C2PA specification that the contract implements. */
export const SPEC_VERSION = '2.2.0';

/** keccak-256 of "REGISTRAR_ROLE": the role that writes to the curated registry. */
export const REGISTRAR_ROLE = '0xedcc084d3dcd65a1f7f23c65c46722faca6953d28e43150a467cf43e5c309238';

/** What `curatedManifestIds` returns for a fingerprint that is not registered. */
export const ZERO_MANIFEST_ID = '0x00000000000000000000000000000000';

export const MAX_ENDPOINTS = 8;
/** Bytes. */
export const MAX_ENDPOINT_LENGTH = 256;
/** Bytes. */
export const MAX_MANIFEST_ID_LENGTH = 128;
