// Compares signed checkpoints of one log, and makes of a contradiction what proves it to others.

import {
  encodeBase64,
  encodeUtf8,
  formatVerifierKey,
  isSameBytes,
  type LogFileError,
  LogFormatError,
  type LogPolicy,
  LogProofError,
  type ProvenTree,
  proveConsistency,
  type TreeHead,
  type VerifiedCheckpoint,
  verifyCheckpoint,
} from '@provenance-registry/log';
import { type Finding, FoundError } from './findings.js';
import { type LogSource, SourceError } from './source.js';

/** Far more than 64 signatures. */
const MAX_CHECKPOINT_BYTES = 512 * 1024;
/** A bundle has half of it. */
const MAX_FILE_EVIDENCE_BYTES = 2 * 1024 * 1024;

export interface SignedCheckpoint extends VerifiedCheckpoint {
  readonly note: string;
  /** As messages name it. */
  readonly from: string;
}

/** @throws FoundError for a checkpoint without the signatures that it needs, SourceError if there is none */
export async function readCheckpoint(source: LogSource, policy: LogPolicy): Promise<SignedCheckpoint> {
  const bytes = await source.read('checkpoint', MAX_CHECKPOINT_BYTES);
  if (!bytes) throw new SourceError(`${source.address} has no checkpoint of a log.`);
  return openCheckpoint(Buffer.from(bytes).toString('utf8'), source.address, policy);
}

export async function openCheckpoint(note: string, from: string, policy: LogPolicy): Promise<SignedCheckpoint> {
  try {
    return { ...(await verifyCheckpoint(note, policy)), note, from };
  } catch (error) {
    if (!(error instanceof LogProofError || error instanceof LogFormatError)) throw error;
    const finding: Finding = {
      kind: 'bad-checkpoint',
      message: `The checkpoint of ${from} does not have the signatures that it needs: ${error.message}`,
      files: { 'checkpoint.txt': note, 'keys.txt': describeKeys(policy) },
    };
    throw new FoundError(finding, { cause: error });
  }
}

/** A finding unless the tree of the newer one begins with that of the older one. */
export async function findFork(
  openTree: () => Promise<ProvenTree>,
  newer: SignedCheckpoint,
  older: TreeHead & { readonly from: string; readonly note?: string },
  policy: LogPolicy,
  statement: Readonly<Record<string, string>> = {},
): Promise<Finding | undefined> {
  const isSameSize = older.size === newer.size;
  const tree = isSameSize ? undefined : await openTree();
  const root = tree ? await tree.readRoot(older.size) : newer.root;
  if (isSameBytes(root, older.root)) return undefined;
  const hashes = tree ? await proveConsistency(tree.asTree(), older.size) : [];
  const proof = {
    what: `In the tree of ${newer.size} leaves, the first ${older.size} have this root, as the hashes prove (RFC 6962, 2.1.2).`,
    size: older.size,
    root: encodeBase64(root),
    contradicts: encodeBase64(older.root),
    newSize: newer.size,
    newRoot: encodeBase64(newer.root),
    hashes: hashes.map(encodeBase64),
  };
  return {
    kind: 'fork',
    message: isSameSize
      ? `Two histories: ${older.from} and ${newer.from} have different roots for the same ${older.size} leaves.`
      : `Two histories: ${older.from} has ${older.size} leaves, with which the ${newer.size} leaves of ${newer.from} do not begin.`,
    files: {
      ...(older.note !== undefined && { 'checkpoint-1.txt': older.note }),
      ...statement,
      'checkpoint-2.txt': newer.note,
      'keys.txt': describeKeys(policy),
      ...(!isSameSize && { 'consistency.json': `${JSON.stringify(proof, undefined, 2)}\n` }),
    },
  };
}

/** A finding about files that are not those of the tree, as they are served. */
export async function describeBadFile(
  source: LogSource,
  error: LogFileError,
  checkpoint: SignedCheckpoint,
  policy: LogPolicy,
): Promise<Finding> {
  const paths = error.flaw === 'missing' ? [] : error.path.split(', ');
  const served = await Promise.all(
    paths.map(async (path) => {
      const bytes = await source.read(path, MAX_FILE_EVIDENCE_BYTES).catch(() => undefined);
      return [path.replaceAll('/', '_'), bytes ?? encodeUtf8('')] as const;
    }),
  );
  return {
    kind: 'bad-file',
    message: `${source.address}: ${error.message} Its checkpoint has ${checkpoint.size} leaves.`,
    files: { 'checkpoint.txt': checkpoint.note, 'keys.txt': describeKeys(policy), ...Object.fromEntries(served) },
  };
}

/** The keys by which anyone can check the signatures. */
export function describeKeys({ logKeys, witnesses }: LogPolicy): string {
  return [...logKeys, ...witnesses.map(({ key }) => key)].map((key) => `${formatVerifierKey(key)}\n`).join('');
}

/** When witnesses saw the checkpoint, at the latest: milliseconds since 1970; 0 without witnesses. */
export function witnessedAt({ cosignatures }: SignedCheckpoint): number {
  return Math.max(0, ...cosignatures.map(({ time }) => time * 1_000));
}

export function describeHead({ size, root }: TreeHead): string {
  return `${size} leaves, root ${encodeBase64(root)}`;
}
