// The request by which a log asks a witness for its cosignature (c2sp.org/tlog-witness), and what the witness has to check.

import { decodeHash, encodeBase64, parseDecimal } from '../encoding.js';
import { LogFormatError, LogProofError } from '../errors.js';
import { portableHasher, type TreeHasher } from '../tree/hasher.js';
import { isConsistent, MAX_PROOF_HASHES, type TreeHead } from '../tree/proofs.js';
import { parseCheckpoint, type VerifiedCheckpoint, verifyCheckpoint } from './checkpoint.js';
import type { VerifierKey } from './keys.js';
import { MAX_NOTE_LENGTH, parseNote } from './note.js';

/** Of a response that says which size the witness knows. */
export const WITNESS_SIZE_TYPE = 'text/x.tlog.size';
/** A line with the size, and one for each hash of the proof; in characters. */
const MAX_HEAD_LENGTH = 64 * 64;
export const MAX_WITNESS_REQUEST_LENGTH = MAX_HEAD_LENGTH + MAX_NOTE_LENGTH;

export interface WitnessRequest {
  /** What the witness has signed last, as far as the log knows. */
  readonly oldSize: number;
  /** That the tree of the checkpoint begins with that one. */
  readonly proof: readonly Uint8Array[];
  /** The note. */
  readonly checkpoint: string;
}

export function formatWitnessRequest({ oldSize, proof, checkpoint }: WitnessRequest): string {
  return `${[`old ${oldSize}`, ...proof.map(encodeBase64)].join('\n')}\n\n${checkpoint}`;
}

/** @throws LogFormatError */
export function parseWitnessRequest(text: string): WitnessRequest {
  if (text.length > MAX_WITNESS_REQUEST_LENGTH) throw new LogFormatError('The request is too long.');
  const end = text.indexOf('\n\n');
  const [size = '', ...proof] = text.slice(0, Math.max(end, 0)).split('\n');
  if (!size.startsWith('old ')) throw new LogFormatError('The request does not begin with the old size.');
  if (proof.length > MAX_PROOF_HASHES) throw new LogFormatError('The request has too many hashes.');
  return {
    oldSize: parseDecimal(size.slice('old '.length)),
    proof: proof.map(decodeHash),
    checkpoint: text.slice(end + 2),
  };
}

/** Why a witness does not sign, with the status that the specification has for it. */
export class WitnessRefusal extends Error {
  constructor(
    readonly status: 400 | 403 | 404 | 409 | 422,
    message: string,
    /** The size that the witness has signed. */
    readonly size?: number,
  ) {
    super(message);
  }
}

/**
 * Decides whether a witness that has signed `known` last may sign the checkpoint of a request.
 * @throws WitnessRefusal, LogFormatError
 */
export async function requireExtension(
  { oldSize, proof, checkpoint: note }: WitnessRequest,
  logKeys: readonly VerifierKey[],
  readKnown: (origin: string) => TreeHead | undefined,
  hasher: TreeHasher = portableHasher,
): Promise<VerifiedCheckpoint & { readonly text: string }> {
  const { text } = parseNote(note);
  const { origin, size, root } = parseCheckpoint(text);
  const keys = logKeys.filter(({ name }) => name === origin);
  if (keys.length === 0) throw new WitnessRefusal(404, `The log ${origin} is not known here.`);
  const checkpoint = await verifyCheckpoint(note, { logKeys: keys, witnesses: [], quorum: undefined }).catch(
    (error: unknown) => {
      if (!(error instanceof LogProofError)) throw error;
      throw new WitnessRefusal(403, error.message);
    },
  );
  if (oldSize > size) throw new WitnessRefusal(400, 'The checkpoint is smaller than the old size.');
  const known = readKnown(origin) ?? { size: 0, root: hasher.emptyRoot };
  if (oldSize !== known.size) {
    throw new WitnessRefusal(409, `Size ${known.size} was signed here, not ${oldSize}.`, known.size);
  }
  if (!isConsistent(known, { size, root }, proof, hasher)) {
    throw new WitnessRefusal(422, 'The checkpoint does not extend what was signed here.');
  }
  return { ...checkpoint, text };
}
