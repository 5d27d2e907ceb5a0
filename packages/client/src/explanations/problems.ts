// Contradictions between the sources of a verification, and what else is to be known about them.

import { safeText } from '../sanitize.js';
import type { Notice, ProblemCode } from '../verification/types.js';
import type { ByCode } from './byCode.js';

export const problems = {
  UNKNOWN_TO_SERVICE: (manifestId: unknown) =>
    safeText`The service has no record of this file, but the chain has the manifest ${manifestId} for it.`,
  NOT_ON_CHAIN: {
    stated: 'The service says that this file is registered on chain, but the contract has no entry for it.',
    curated: 'The service says that it registered this file on chain, but the curated registry has no entry for it.',
    proven: 'The bundle has a proof that this file is on chain, but the contract has no entry for it.',
  },
  RECORD_MISSING: 'The service says that it registered this file, but does not have the record.',
  MANIFEST_MISSING: 'The service does not have the signed manifest of this file, although it must have published it.',
  FINGERPRINT_MISMATCH: {
    bundle: (fingerprint: string) => safeText`The bundle is for another file: ${fingerprint}.`,
    manifest: (fingerprint: unknown) => safeText`The manifest is for another file: ${fingerprint}.`,
    softBinding: (fingerprint: unknown) =>
      safeText`The soft binding in the manifest is for another file: ${fingerprint}.`,
    log: (fingerprint: string) => safeText`The receipt of the log is for another file: ${fingerprint}.`,
    record: 'The service returned the record of another file.',
    ownManifest: (original: string) =>
      safeText`The service says that this file is a signed copy of ${original}, but the manifest is for this file itself.`,
    content: (original: string) =>
      safeText`The service says that this file is a signed copy of ${original}, but no intact manifest inside this file says so.`,
  },
  MANIFEST_ID_MISMATCH: {
    manifest: (expected: unknown, found: string) => safeText`The manifest should be ${expected}, but it is ${found}.`,
    log: (expected: unknown, found: string) => safeText`The manifest should be ${expected}, but the log has ${found}.`,
    record: (looked: string, recorded: string) =>
      safeText`The service names the manifest ${looked} in its lookup, but ${recorded} in its record.`,
    files: (record: string, files: string) =>
      safeText`The record of the service is of ${record}, but names the files of ${files}.`,
    chain: (stated: string, entry: string) =>
      safeText`The service names the manifest ${stated}, but the chain has ${entry}.`,
  },
  RECORD_MISMATCH: (name: string) => `The service shows another ${name} than the one that it recorded with this file.`,
  METADATA_MISMATCH: 'The record (author, Mark, license, filename, …) does not match the hash on chain.',
  CLAIMS_MISMATCH: {
    field: (name: string, recorded: unknown, signed: unknown) =>
      safeText`The service says that the ${name} is "${recorded}", but the signed manifest says "${signed}".`,
    previous: (recorded: unknown, signed: unknown) =>
      safeText`The service says that the previous version is ${recorded ?? 'none'}, but the signed manifest says ${signed}.`,
  },
  STATUS_MISMATCH: (status: unknown) =>
    safeText`The service says that the registration is ${status}, but it is on chain.`,
  TIME_MISMATCH: {
    chain: (block: string, signed: string) =>
      safeText`The entry on chain is of ${block}, before the manifest was signed (${signed}).`,
    certificate: (block: string, since: string) =>
      safeText`The entry on chain is of ${block}, before the certificate of the manifest's signer began (${since}).`,
    manifest: (recorded: string, signed: string) =>
      safeText`The service says that it recorded the file at ${recorded}, but the manifest was signed at ${signed}.`,
    record: (recorded: string, block: string) =>
      safeText`The service says that it recorded the file at ${recorded}, after it was on chain (${block}).`,
  },
  SOURCE_MISMATCH: (stated: unknown, entry: string) =>
    safeText`The service says that the entry on chain is ${stated}, but it is ${entry}.`,
  REGISTRANT_MISMATCH: {
    service: (stated: unknown, entry: unknown) =>
      safeText`The service says that ${stated} wrote the entry on chain, but it was ${entry}.`,
    sender: (entry: string, sender: string) =>
      safeText`The contract says that ${entry} wrote the entry, but ${sender} sent the transaction.`,
  },
  TRANSACTION_MISMATCH: (stated: unknown, found: unknown) =>
    safeText`The service says that the transaction ${stated} registered this file, but it was ${found}.`,
  CHAIN_ID_MISMATCH: {
    node: (named: number, node: number) => `You named chain ${named}, but the node is on chain ${node}.`,
    bundle: (named: unknown, bundle: number) => `You named chain ${named}, but the bundle is of chain ${bundle}.`,
    bundleNode: (bundle: number, node: number) => `The bundle is of chain ${bundle}, but the node is on chain ${node}.`,
    service: (stated: unknown, node: number) =>
      safeText`The service says that its chain is ${stated}, but the node is on chain ${node}.`,
  },
  CONTRACT_MISMATCH: {
    bundle: (named: unknown, proof: string) => safeText`You named the contract ${named}, but the proof is of ${proof}.`,
    node: (stated: string, cause: string) =>
      safeText`The service names the contract ${stated}, but ${cause} on this chain.`,
    service: (stated: string, named: string) =>
      safeText`The service names the contract ${stated}, but you named ${named}.`,
  },
  BLOCK_MISMATCH: {
    compared: (compared: unknown, proven: string) =>
      `You compared the block ${compared}, but the proof leads to ${proven}.`,
    proof: (proven: unknown) => safeText`The proof leads to the block ${proven}, which the node does not have there.`,
    anchor: (proven: unknown) =>
      safeText`The anchor of the log leads to the block ${proven}, which the node does not have there.`,
    missing: 'The node does not have the block of its receipt.',
    entry: 'The time or the number of the entry is not the one of its block.',
  },
  ENTRY_MISMATCH: {
    proof: 'The node has another entry for this file than the proof in the bundle.',
    log: 'The entry in the contract differs from the log of its registration.',
  },
  NODE_MISMATCH: 'The nodes disagree about this file.',
  PROOF_INVALID: (cause: string) => cause,
  MANIFEST_INVALID: {
    failures: (failures: readonly string[]) => safeText`The manifest is not valid: ${failures.join(', ')}.`,
    unbound: 'The manifest is not bound to a whole file.',
  },
  MANIFEST_UNREADABLE: (cause: string) => cause,
  RECEIPT_INVALID: {
    proof: (cause: string) => safeText`The receipt of the log does not hold: ${cause}`,
    otherKind: 'The receipt of the log is not that of a registration.',
  },
  ANCHOR_INVALID: {
    proof: (cause: string) => safeText`The anchor of the log does not hold: ${cause}`,
    otherTree: 'The tree that the contract of the log anchored does not have this leaf at its place.',
  },
  LEAF_MISMATCH: {
    manifest: 'The log has another signed manifest for this file.',
    metadata: 'The record (author, Mark, license, filename, …) does not match the hash in the log.',
    metadataOnChain: 'The log has another hash of the metadata than the chain.',
    signed: (name: string) => `The log has other values than the signed manifest: ${name}.`,
    recorded: (name: string) => `The log has other values than the record of the service: ${name}.`,
  },
  UNTRUSTED_SIGNER: (signer: string) => safeText`It was signed by "${signer}", which is not a signer that you trust.`,
} as const satisfies ByCode<ProblemCode>;

export const notices = {
  STATUS_BEHIND: 'The entry is on chain, but the service does not count it as final yet.',
  TIMES_DIFFER: (block: string, source: 'timestamp' | 'service', signed: string) =>
    safeText`The entry on chain is of ${block}. According to ${source === 'service' ? 'the service' : "the manifest's time-stamp"}, the file was registered at ${signed}, more than an hour before.`,
  NODE_BEHIND: 'One of the nodes does not have the entry yet.',
  BLOCK_UNKNOWN: 'The node does not show the block of the registration, so that its time is not confirmed.',
  SIGNER_NOT_PUBLISHED: (signer: string) =>
    safeText`The manifest was signed by "${signer}", which is not a signer that the service publishes.`,
  IDENTITY_NOT_CONFIRMED: "The manifest states an identity in the service's name that could not be confirmed.",
  REQUIRED: {
    source: (source: string) => `The ${source} is required, but does not confirm independently of the service.`,
    copy: (source: string) => `The ${source} does not confirm that this is a copy of the file.`,
  },
} as const satisfies ByCode<Notice['code']>;
