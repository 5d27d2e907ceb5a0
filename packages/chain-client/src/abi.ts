// The ABI of Solidity, as far as the registry needs it: arguments of one word and lists of them, and the values that the
// contract returns and logs. Each value takes one word of its parent, which has the value itself or says where it is.

import { hexToBytes } from '@noble/hashes/utils';
import { checksumAddress } from '@provenance-registry/core';
import type { Hex } from './results.js';

const WORD_BYTES = 32;

/** Bytes of fixed length, filled up on the right. */
export function encodeBytes(bytes: Hex, length: number): string {
  if (bytes.length !== 2 + 2 * length) throw new TypeError(`${bytes} does not have ${length} bytes`);
  return bytes
    .slice(2)
    .toLowerCase()
    .padEnd(2 * WORD_BYTES, '0');
}

/** A number or an address, filled up on the left. */
export function encodeNumber(value: bigint | number | Hex): string {
  return BigInt(value)
    .toString(16)
    .padStart(2 * WORD_BYTES, '0');
}

/** The only argument of a call: a list of `length` items, whose words follow each other. */
export function encodeList(length: number, words: readonly string[]): string {
  return [encodeNumber(WORD_BYTES), encodeNumber(length), ...words].join('');
}

/**
 * Encoded values, of which as many bytes may be read as there are: compilers put no two values in one place, and a short
 * encoding that does could stand for gigabytes.
 */
class Encoding {
  readonly #digits: string;
  #unreadBytes: number;

  constructor(data: Hex) {
    this.#digits = data.slice(2).toLowerCase();
    this.#unreadBytes = this.#digits.length / 2;
  }

  read(start: number, length: number): string {
    const digits = this.#digits.slice(2 * start, 2 * (start + length));
    this.#unreadBytes -= length;
    if (digits.length !== 2 * length || this.#unreadBytes < 0) throw new RangeError('the encoding ends too early');
    return digits;
  }

  readWord(start: number): string {
    return this.read(start, WORD_BYTES);
  }

  /** Imprecise beyond what any encoding can have, which `read` refuses. */
  readLength(start: number): number {
    return Number(`0x${this.readWord(start)}`);
  }
}

/** Reads a value whose word is at `position`; if that says where the value is, it counts from `base`. */
export type AbiType<T> = (encoding: Encoding, base: number, position: number) => T;
export type AbiTypes<T extends readonly unknown[]> = { readonly [K in keyof T]: AbiType<T[K]> };

/** Throws when the data is not the encoding of such values. */
export function decodeValues<T extends readonly unknown[]>(data: Hex, ...types: AbiTypes<T>): T {
  return readMembers(new Encoding(data), 0, types);
}

export const bytes =
  (length: number): AbiType<Hex> =>
  (encoding, _, position) =>
    `0x${encoding.readWord(position).slice(0, 2 * length)}`;

/** A number of any size. */
export const uint: AbiType<bigint> = (encoding, _, position) => BigInt(`0x${encoding.readWord(position)}`);

export const bool: AbiType<boolean> = (encoding, base, position) => {
  const value = uint(encoding, base, position);
  if (value > 1n) throw new RangeError('the encoding has a truth value that is neither true nor false');
  return value === 1n;
};

export const address: AbiType<Hex> = (encoding, _, position) =>
  checksumAddress(encoding.readWord(position).slice(-2 * 20));

export const string: AbiType<string> = (encoding, base, position) => {
  const start = base + encoding.readLength(position);
  const digits = encoding.read(start + WORD_BYTES, encoding.readLength(start));
  return new TextDecoder().decode(hexToBytes(digits));
};

export const list =
  <T>(item: AbiType<T>): AbiType<T[]> =>
  (encoding, base, position) => {
    const start = base + encoding.readLength(position);
    const length = encoding.readLength(start);
    const first = start + WORD_BYTES;
    const items: T[] = [];
    for (let index = 0; index < length; index += 1) items.push(item(encoding, first, first + index * WORD_BYTES));
    return items;
  };

/** A structure of which a member has no fixed length. */
export const struct =
  <T extends readonly unknown[]>(...types: AbiTypes<T>): AbiType<T> =>
  (encoding, base, position) =>
    readMembers(encoding, base + encoding.readLength(position), types);

function readMembers<T extends readonly unknown[]>(encoding: Encoding, base: number, types: AbiTypes<T>): T {
  const values = types.map((type, index) => type(encoding, base, base + index * WORD_BYTES));
  // A mapped tuple is an array to TypeScript; it has a value for each type.
  return values as unknown as T;
}
