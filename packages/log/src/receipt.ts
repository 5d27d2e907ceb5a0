// Receipts: that an entry is in the log, as a text of c2sp.org/tlog-proof that needs nothing but the entry and keys.

import { decodeBase64, decodeHash, encodeBase64, parseDecimal } from './encoding.js';
import { LogFormatError, LogProofError } from './errors.js';
import { parseCheckpoint, type VerifiedCheckpoint, verifyCheckpoint } from './notes/checkpoint.js';
import { MAX_NOTE_LENGTH, parseNote } from './notes/note.js';
import type { LogPolicy } from './notes/policy.js';
import { portableHasher, type TreeHasher } from './tree/hasher.js';
import { type InclusionProof, isIncluded, MAX_PROOF_HASHES } from './tree/proofs.js';

const FIRST_LINE = 'c2sp.org/tlog-proof@v1';
/** More than 63 hashes in base64, and more extra data than any known application has; in characters. */
const MAX_HEAD_LENGTH = 64 * 1024;

export interface Receipt extends InclusionProof {
  /** Whatever an application adds. Nothing signs it. */
  readonly extra?: Uint8Array;
  /** The note as the log published it. */
  readonly checkpoint: string;
}

export interface VerifiedReceipt {
  readonly index: number;
  readonly checkpoint: VerifiedCheckpoint;
}

export function formatReceipt({ extra, index, hashes, checkpoint }: Receipt): string {
  const lines = [
    FIRST_LINE,
    ...(extra ? [`extra ${encodeBase64(extra)}`] : []),
    `index ${index}`,
    ...hashes.map(encodeBase64),
  ];
  return `${lines.join('\n')}\n\n${checkpoint}`;
}

/** @throws LogFormatError */
export function parseReceipt(text: string): Receipt {
  if (text.length > MAX_HEAD_LENGTH + MAX_NOTE_LENGTH) throw new LogFormatError('The receipt is too long.');
  const end = text.indexOf('\n\n');
  const [first, ...lines] = text.slice(0, Math.max(end, 0)).split('\n');
  if (first !== FIRST_LINE) throw new LogFormatError(`The receipt does not begin with ${FIRST_LINE}.`);
  const extra = lines[0]?.startsWith('extra ') ? lines.shift() : undefined;
  const [index = '', ...hashes] = lines;
  if (!index.startsWith('index ')) throw new LogFormatError('The receipt has no index.');
  if (hashes.length > MAX_PROOF_HASHES) throw new LogFormatError('The receipt has too many hashes.');
  return {
    ...(extra !== undefined && { extra: decodeBase64(extra.slice('extra '.length)) }),
    index: parseDecimal(index.slice('index '.length)),
    hashes: hashes.map(decodeHash),
    checkpoint: text.slice(end + 2),
  };
}

/**
 * Verifies that an entry is in the log. Extra data are refused: nothing signs them, and our receipts have none.
 * @throws LogFormatError, or LogProofError if the receipt does not prove it
 */
export async function verifyReceipt(
  text: string,
  entry: Uint8Array,
  policy: LogPolicy,
  hasher: TreeHasher = portableHasher,
): Promise<VerifiedReceipt> {
  const receipt = parseReceipt(text);
  if (receipt.extra) throw new LogProofError('The receipt has data that nothing signs.');
  // Before the signatures, which cost ten times as much.
  const head = parseCheckpoint(parseNote(receipt.checkpoint).text);
  if (!isIncluded(hasher.hashLeaf(entry), receipt, head, hasher)) {
    throw new LogProofError('The entry is not at that place of the log.');
  }
  const checkpoint = await verifyCheckpoint(receipt.checkpoint, policy);
  return { index: receipt.index, checkpoint };
}
