// Asks witnesses to sign the checkpoints of the log, as c2sp.org/tlog-witness says.

import {
  checkSignature,
  decodeTile,
  formatTilePath,
  formatWitnessRequest,
  HashTile,
  isQuorum,
  type LogPolicy,
  type NoteSignature,
  parseNote,
  parseSignatures,
  proveConsistency,
  type TreeHead,
  type VerifierKey,
  WITNESS_SIZE_TYPE,
} from '@provenance-registry/log';
import type { LogFiles } from '../domain/ports/index.js';
import { treeHasher } from './hasher.js';

/** Of all requests to a witness for one checkpoint. */
const TIMEOUT_MS = 1_000;
/** Some signatures; a witness may have several keys. */
const MAX_RESPONSE_BYTES = 16 * 1024;
/** A size that the witness has, and one more when it has another. */
const MAX_REQUESTS = 2;

export interface WitnessesOptions {
  readonly policy: WitnessPolicy;
  readonly files: Pick<LogFiles, 'read'>;
  /** Told when a witness begins or ceases to sign; the reason of the latter. */
  readonly onChange: (name: string, failure: string | undefined) => void;
  readonly count: (name: string, outcome: 'signed' | 'failed') => void;
}

/** Whose cosignatures are asked for, and how many are enough. */
export interface WitnessPolicy extends Pick<LogPolicy, 'quorum'> {
  readonly witnesses: readonly { readonly key: VerifierKey; readonly url: string }[];
}

interface Witness {
  readonly key: VerifierKey;
  readonly url: string;
  /** What it has signed last, as far as this process knows. */
  size: number;
  failure: string | undefined;
}

export type AskedWitnesses = Pick<CheckpointWitnesses, 'collect' | 'isQuorum'>;

class WitnessError extends Error {}

export class CheckpointWitnesses {
  readonly #witnesses: readonly Witness[];

  constructor(private readonly options: WitnessesOptions) {
    this.#witnesses = options.policy.witnesses.map(({ key, url }) => ({ key, url, size: 0, failure: undefined }));
  }

  /** The valid signatures of witnesses that have not signed yet. All are asked at once, and none for longer than a second. */
  async collect(note: string, head: TreeHead, known: readonly NoteSignature[]): Promise<NoteSignature[]> {
    const missing = this.#witnesses.filter(({ key }) => !known.some((signature) => isOf(signature, key)));
    const answers = await Promise.all(missing.map((witness) => this.#ask(witness, note, head)));
    return answers.filter((signature) => signature !== undefined);
  }

  /** For valid signatures. */
  isQuorum(signatures: readonly NoteSignature[]): boolean {
    const keys = this.#witnesses.map(({ key }) => key);
    const signed = keys.filter((key) => signatures.some((signature) => isOf(signature, key)));
    return isQuorum(this.options.policy.quorum, new Set(signed));
  }

  async #ask(witness: Witness, note: string, head: TreeHead): Promise<NoteSignature | undefined> {
    const { onChange, count } = this.options;
    let failure: string | undefined;
    let signature: NoteSignature | undefined;
    try {
      signature = await this.#request(witness, note, head, AbortSignal.timeout(TIMEOUT_MS));
    } catch (error) {
      failure = describeFailure(error);
    }
    count(witness.key.name, failure === undefined ? 'signed' : 'failed');
    if (failure !== witness.failure) onChange(witness.key.name, failure);
    witness.failure = failure;
    return signature;
  }

  async #request(witness: Witness, note: string, head: TreeHead, signal: AbortSignal): Promise<NoteSignature> {
    for (let requests = 0; requests < MAX_REQUESTS; requests += 1) {
      const body = formatWitnessRequest({
        oldSize: witness.size,
        proof: await this.#prove(witness.size, head),
        checkpoint: note,
      });
      const response = await fetch(`${witness.url.replace(/\/$/, '')}/add-checkpoint`, {
        method: 'POST',
        body,
        redirect: 'error',
        signal,
      });
      const text = await readText(response);
      if (response.status === 200) {
        const signature = await findSignature(text, parseNote(note).text, witness.key);
        witness.size = head.size;
        return signature;
      }
      if (response.status !== 409 || response.headers.get('content-type') !== WITNESS_SIZE_TYPE) {
        throw new WitnessError(`it answers ${response.status}`);
      }
      const size = /^(0|[1-9]\d{0,15})\n$/.exec(text)?.[1];
      if (size === undefined) throw new WitnessError('it answers 409 without a size');
      if (Number(size) > head.size)
        throw new WitnessError(`it has signed ${size} leaves of this log, which has ${head.size}`);
      witness.size = Number(size);
    }
    throw new WitnessError('it answers 409 for the size that it has told');
  }

  async #prove(oldSize: number, { size }: TreeHead): Promise<Uint8Array[]> {
    const readTile = async (position: Parameters<typeof formatTilePath>[0]) => {
      const path = formatTilePath(position);
      const bytes = await this.options.files.read(path);
      if (!bytes) throw new WitnessError(`the file ${path} is missing`);
      return new HashTile(decodeTile(bytes, position.width), treeHasher);
    };
    return proveConsistency({ size, readTile, hasher: treeHasher }, oldSize);
  }
}

/** The witnesses whose signatures of this note are valid. */
export async function findWitnesses(note: string, keys: readonly VerifierKey[]): Promise<ReadonlySet<VerifierKey>> {
  const { text, signatures } = parseNote(note);
  const found = new Set<VerifierKey>();
  for (const key of keys) {
    const own = signatures.find((signature) => isOf(signature, key));
    if (own && (await checkSignature(text, key, own.signature))) found.add(key);
  }
  return found;
}

async function findSignature(lines: string, text: string, key: VerifierKey): Promise<NoteSignature> {
  const own = parseSignatures(lines).find((signature) => isOf(signature, key));
  // A time of zero says that there is none.
  if (!own || !(await checkSignature(text, key, own.signature))?.time) {
    throw new WitnessError('its response has no valid signature of its key');
  }
  return own;
}

function isOf({ name, keyId }: NoteSignature, key: VerifierKey): boolean {
  return name === key.name && keyId === key.keyId;
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_RESPONSE_BYTES) throw new WitnessError('its response is too long');
  }
  return Buffer.concat(chunks).toString('utf8');
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'it did not answer within a second';
  // That of fetch has the reason in its cause.
  return error.cause instanceof Error ? error.cause.message : error.message;
}
