// Checkpoints of c2sp.org/tlog-checkpoint: a signed note that says how large the tree of a log is, and what its root is.

import { decodeHash, encodeBase64, parseDecimal } from '../encoding.js';
import { LogFormatError, LogProofError, WitnessesMissingError } from '../errors.js';
import type { TreeHead } from '../tree/proofs.js';
import type { VerifierKey } from './keys.js';
import { parseNote } from './note.js';
import { isQuorum, type LogPolicy } from './policy.js';
import { checkSignature } from './signatures.js';

export interface Checkpoint extends TreeHead {
  /** Identifies the log: host and path of its address. */
  readonly origin: string;
  /** Further lines of the text, which nothing here gives a meaning. */
  readonly extensions: readonly string[];
}

export interface Cosignature {
  readonly name: string;
  /** When the witness signed, in seconds since 1970: the witness's word. */
  readonly time: number;
}

export interface VerifiedCheckpoint extends Checkpoint {
  /** Of the policy's witnesses. */
  readonly cosignatures: readonly Cosignature[];
}

/** The text of a checkpoint, to be signed. */
export function formatCheckpoint({ origin, size, root }: Pick<Checkpoint, 'origin' | keyof TreeHead>): string {
  return `${origin}\n${size}\n${encodeBase64(root)}\n`;
}

/** @throws LogFormatError */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', size = '', root = '', ...rest] = text.split('\n');
  const end = rest.pop();
  if (origin === '' || end !== '' || rest.includes('')) {
    throw new LogFormatError('The checkpoint does not consist of three lines or more.');
  }
  return { origin, size: parseDecimal(size), root: decodeHash(root), extensions: rest };
}

/**
 * Verifies the signatures of a checkpoint. Those of unknown keys are ignored, as the format demands.
 * @throws LogProofError if a known key's signature is not valid, the log's is missing, or too few witnesses signed
 */
export async function verifyCheckpoint(note: string, policy: LogPolicy): Promise<VerifiedCheckpoint> {
  const { text, signatures } = parseNote(note);
  const checkpoint = parseCheckpoint(text);
  const cosignatures: Cosignature[] = [];
  const seen = new Set<VerifierKey>();
  const keys = [...policy.logKeys, ...policy.witnesses.map(({ key }) => key)];
  for (const { name, keyId, signature } of signatures) {
    const key = keys.find((known) => known.name === name && known.keyId === keyId);
    if (!key) continue;
    const checked = seen.has(key) ? undefined : await checkSignature(text, key, signature);
    if (!checked) throw new LogProofError(`The signature of ${name} is not valid, or is there twice.`);
    seen.add(key);
    if (checked.time !== undefined) cosignatures.push({ name, time: checked.time });
  }
  if (!policy.logKeys.some((key) => seen.has(key) && key.name === checkpoint.origin)) {
    throw new LogProofError('The checkpoint is not signed by the log.');
  }
  if (!isQuorum(policy.quorum, seen)) {
    const names = cosignatures.map(({ name }) => name).join(', ') || 'none';
    throw new WitnessesMissingError(
      `The checkpoint is not signed by as many witnesses as the policy demands; signed: ${names}.`,
    );
  }
  return { ...checkpoint, cosignatures };
}
