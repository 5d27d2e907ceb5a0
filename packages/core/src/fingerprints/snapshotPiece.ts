// A piece of the snapshot of all registered fingerprints: fingerprints in ascending order, each with the AI preferences of
// its Artifact in one byte, then the texts of constraints.

import { utf8ToBytes } from '@noble/hashes/utils';
import Type from 'typebox';
// Loads in a third of the time that `typebox/value` takes.
import { Check } from 'typebox/schema';
import {
  type AiPreference,
  type AiPreferences,
  aiPermissions,
  aiUses,
  fillAiPreferences,
} from '../metadata/aiPreferences.js';

/** Available in Node and in browsers. */
declare class TextDecoder {
  constructor(encoding: string, options: { fatal: boolean });
  decode(bytes: Uint8Array): string;
}

/** `PRSP`, version 1 and three zero bytes. */
const MAGIC = [0x50, 0x52, 0x53, 0x50, 1, 0, 0, 0] as const;
/** Magic, number of records, length of the texts. */
const HEADER_BYTES = 16;
const FINGERPRINT_BYTES = 32;
const RECORD_BYTES = FINGERPRINT_BYTES + 1;

/** A piece of two megabytes is quick to fetch again, and ten million fingerprints fit into one for each first byte. */
export const MAX_PIECE_RECORDS = 65_536;
/** Limit of the texts for the same reason: constraints are untrusted text of any length. */
export const MAX_TEXT_BYTES = 2_000_000;
/** What readers accept: the limits above, with one more record and its texts. */
export const MAX_PIECE_BYTES = 5_000_000;

/** Texts by number of the record and use. */
const Constraints = Type.Record(Type.String(), Type.Record(Type.String(), Type.String()));

const noPreferences = fillAiPreferences(() => null);

/** Collects the records of one piece. */
export class PieceBuilder {
  readonly #records: Uint8Array[] = [];
  readonly #texts: string[] = [];
  #textBytes = 0;
  #last: Uint8Array | undefined;

  get count(): number {
    return this.#records.length;
  }

  get isFull(): boolean {
    return this.count >= MAX_PIECE_RECORDS || this.#textBytes >= MAX_TEXT_BYTES;
  }

  /** Adds fingerprints in strictly ascending order; throws otherwise. Null: not specified, or not public. */
  add(fingerprint: Uint8Array, preferences: AiPreferences | null): void {
    if (this.#last && compareBytes(this.#last, fingerprint) >= 0) throw new RangeError('records are not in order');
    this.#last = fingerprint;
    const record = new Uint8Array(RECORD_BYTES);
    record.set(fingerprint);
    if (preferences) {
      record[FINGERPRINT_BYTES] = encodeUses(preferences);
      this.#addTexts(preferences);
    }
    this.#records.push(record);
  }

  #addTexts(preferences: AiPreferences): void {
    const constraints = aiUses.flatMap((use) => {
      const text = preferences[use]?.constraint;
      return text === undefined ? [] : [[use, text]];
    });
    if (constraints.length === 0) return;
    const text = `"${this.count}":${JSON.stringify(Object.fromEntries(constraints))}`;
    this.#texts.push(text);
    this.#textBytes += utf8ToBytes(text).length;
  }

  finish(): Uint8Array<ArrayBuffer> {
    const texts = this.#texts.length === 0 ? new Uint8Array() : utf8ToBytes(`{${this.#texts.join(',')}}`);
    const bytes = new Uint8Array(HEADER_BYTES + this.count * RECORD_BYTES + texts.length);
    const header = new DataView(bytes.buffer);
    bytes.set(MAGIC);
    header.setUint32(8, this.count, true);
    header.setUint32(12, texts.length, true);
    for (const [index, record] of this.#records.entries()) bytes.set(record, HEADER_BYTES + index * RECORD_BYTES);
    bytes.set(texts, bytes.length - texts.length);
    return bytes;
  }
}

export interface SnapshotPiece {
  readonly count: number;
  /** They are in ascending order. */
  fingerprintAt(index: number): Uint8Array;
  /** The preferences of a fingerprint; undefined if it is not in this piece. */
  find(fingerprint: Uint8Array): AiPreferences | undefined;
}

/** Throws unless the bytes are exactly one piece. Keeps them. */
export function parsePiece(bytes: Uint8Array): SnapshotPiece {
  if (bytes.length < HEADER_BYTES || MAGIC.some((byte, index) => bytes[index] !== byte)) {
    throw new RangeError('not a piece of a known version');
  }
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = header.getUint32(8, true);
  const textBytes = header.getUint32(12, true);
  const textStart = HEADER_BYTES + count * RECORD_BYTES;
  if (textStart + textBytes !== bytes.length) {
    throw new RangeError('the piece does not have the size that its header states');
  }
  const recordAt = (index: number) => bytes.subarray(HEADER_BYTES + index * RECORD_BYTES);
  for (let index = 1; index < count; index += 1) {
    if (compareBytes(recordAt(index - 1), recordAt(index)) >= 0) throw new RangeError('records are not in order');
  }
  const constraints = parseConstraints(bytes.subarray(textStart));

  return {
    count,
    fingerprintAt: (index) => recordAt(index).subarray(0, FINGERPRINT_BYTES),
    find(fingerprint) {
      let [low, high] = [0, count];
      while (low < high) {
        const middle = (low + high) >>> 1;
        const order = compareBytes(recordAt(middle), fingerprint);
        if (order === 0) return decodeUses(recordAt(middle)[FINGERPRINT_BYTES] ?? 0, constraints[middle] ?? {});
        if (order < 0) low = middle + 1;
        else high = middle;
      }
      return undefined;
    },
  };
}

function parseConstraints(bytes: Uint8Array): Record<string, Record<string, string>> {
  if (bytes.length === 0) return {};
  const constraints = parseJson(bytes);
  if (!Check(Constraints, constraints)) throw new RangeError('the texts of the piece cannot be read');
  return constraints;
}

/** Undefined if it is not JSON. */
function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** Two bits for each use, the first one lowest: 0 for not specified. */
function encodeUses(preferences: AiPreferences): number {
  return aiUses.reduce((byte, use, index) => {
    const preference = preferences[use];
    return preference ? byte | ((aiPermissions.indexOf(preference.use) + 1) << (2 * index)) : byte;
  }, 0);
}

function decodeUses(byte: number, constraints: Readonly<Record<string, string>>): AiPreferences {
  if (byte === 0) return noPreferences;
  return fillAiPreferences((name): AiPreference | null => {
    const use = aiPermissions[((byte >> (2 * aiUses.indexOf(name))) & 3) - 1];
    if (!use) return null;
    const constraint = constraints[name];
    return use === 'constrained' && constraint !== undefined ? { use, constraint } : { use };
  });
}

/** Compares the first 32 bytes. */
function compareBytes(one: Uint8Array, other: Uint8Array): number {
  for (let index = 0; index < FINGERPRINT_BYTES; index += 1) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
