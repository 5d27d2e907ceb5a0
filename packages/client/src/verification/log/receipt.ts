// Reads receipts of the public log, and what the leaf in one says about a file.

import type { Fingerprint, LogReceipt } from '@provenance-registry/core';
import {
  encodeUtf8,
  type LeafContent,
  LogFormatError,
  LogProofError,
  type Opening,
  parseLeaf,
  parseOpening,
  portableHasher,
  SignatureUnsupportedError,
  verifyCheckpoint,
  verifyReceipt,
  WitnessesMissingError,
} from '@provenance-registry/log';
import type { RegistryClient } from '../../client.js';
import { ApiError } from '../../errors.js';
import { mirrorTexts, problems } from '../../explanations.js';
import type { DisclosureLog } from '../../lookups/disclosure.js';
import { undefinedIfNotFound } from '../../lookups/registryRecord.js';
import type { LogEvidence, ManifestEvidence, SourceResult } from '../evidence.js';
import type { LogKeys } from './logKeys.js';

/** As a reader of the Mark gets it with a credential; without one, or when it is refused, the public receipt. */
export async function fetchReceipt(
  client: RegistryClient,
  fingerprint: Fingerprint,
  log: DisclosureLog,
  { wait, signal }: { readonly wait?: number | undefined; readonly signal: AbortSignal | undefined },
): Promise<LogReceipt | undefined> {
  log.recordFingerprint();
  const readPublic = () => undefinedIfNotFound(() => client.getPublicReceipt({ fingerprint, wait }, { signal }));
  if (!client.hasCredential) return readPublic();
  try {
    return await client.getReceipt({ fingerprint, wait }, { signal });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return readPublic();
  }
}

/** `invalid` unless the log signed a checkpoint that covers this very leaf, and the leaf is that of a registration. */
export async function checkReceipt(
  { receipt, leaf, opening, anchor: statedAnchor }: LogReceipt,
  from: string,
  keys: LogKeys,
): Promise<SourceResult<LogEvidence>> {
  return orInvalid(async () => {
    const entry = encodeUtf8(leaf);
    const { index, checkpoint } = await verifyReceipt(receipt, entry, keys.policy);
    const parsed = parseLeaf(entry);
    if (parsed?.kind !== 'artifact' && parsed?.kind !== 'rendition') {
      return { kind: 'invalid', code: 'RECEIPT_INVALID', reason: problems.RECEIPT_INVALID.otherKind };
    }
    const { kind, content } = parsed;
    const { origin, size, cosignatures } = checkpoint;
    const terms = readTerms(content, opening);
    return {
      kind: 'found',
      value: {
        from,
        keyFrom: keys.from,
        keyStatedBy: keys.statedBy,
        origin,
        index,
        size,
        cosignatures,
        kind,
        leaf: content,
        terms,
        leafHash: portableHasher.hashLeaf(entry),
        statedContract: keys.contract,
        statedAnchor,
      },
    };
  });
}

/** That a copy has no leaf of the file, under a checkpoint that the log signed. */
export function checkMiss(checkpoint: string, keys: LogKeys): Promise<SourceResult<LogEvidence>> {
  return orInvalid(async () => {
    const { origin, size } = await verifyCheckpoint(checkpoint, keys.policy);
    return { kind: 'absent', reason: mirrorTexts.absent(origin, size) };
  });
}

/** `failed` if only witnesses are missing, or the platform cannot tell. */
async function orInvalid(check: () => Promise<SourceResult<LogEvidence>>): Promise<SourceResult<LogEvidence>> {
  try {
    return await check();
  } catch (error) {
    const isUndecided = error instanceof SignatureUnsupportedError || error instanceof WitnessesMissingError;
    if (isUndecided) return { kind: 'failed', reason: error.message };
    if (!(error instanceof LogProofError || error instanceof LogFormatError)) throw error;
    return { kind: 'invalid', code: 'RECEIPT_INVALID', reason: problems.RECEIPT_INVALID.proof(error.message) };
  }
}

/**
 * Roots vouch for every signer below them. So the log of one of them counts beside the manifest of the same one alone: another one
 * could otherwise add to what this one signed, or tie a file of its own to it.
 */
export function limitToSigner(
  log: SourceResult<LogEvidence>,
  manifest: Pick<ManifestEvidence, 'signer'> | undefined,
): SourceResult<LogEvidence> {
  if (log.kind !== 'found' || !log.value.keyStatedBy || !manifest) return log;
  if (log.value.keyStatedBy.subject === manifest.signer) return log;
  return { kind: 'found', value: { ...log.value, keyFrom: 'service', keyStatedBy: undefined } };
}

/** Undefined while the leaf hides them. */
function readTerms(leaf: LeafContent<'artifact'>, opening: unknown): Omit<Opening, 'salt'> | undefined {
  if (!('hidden' in leaf)) return leaf;
  return opening === undefined ? undefined : parseOpening(opening, leaf.hidden);
}
