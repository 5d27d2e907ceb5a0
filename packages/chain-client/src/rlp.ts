// RLP, the encoding of everything that Ethereum hashes. Decoding accepts only what encoding produces.

import { fromRlp, toRlp } from 'viem/utils';
import { InvalidProofError } from './errors.js';
import type { Hex } from './results.js';

export type RlpItem = Hex | readonly RlpItem[];

export function encodeRlp(item: RlpItem): Hex {
  return toRlp(item);
}

/** Throws InvalidProofError when it is not RLP, or another encoding of the same content. */
export function decodeRlp(encoded: Hex): RlpItem {
  let item: RlpItem;
  try {
    item = fromRlp(encoded, 'hex');
  } catch (cause) {
    throw new InvalidProofError('the proof contains bytes that are not RLP', { cause });
  }
  if (toRlp(item) !== encoded) throw new InvalidProofError('the proof contains RLP that is not canonical');
  return item;
}

/** A number without leading zeros, as RLP requires; zero is empty. */
export function encodeNumber(quantity: Hex): Hex {
  const digits = quantity.slice(2).replace(/^0+/, '');
  return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`;
}

/** Throws InvalidProofError when it is not a number that JavaScript represents exactly. */
export function decodeNumber(item: RlpItem | undefined): number {
  const value = item === '0x' ? 0 : Number(item);
  if (typeof item !== 'string' || !Number.isSafeInteger(value)) {
    throw new InvalidProofError('the proof lacks a number where one must be');
  }
  return value;
}

/** Throws InvalidProofError when it is not exactly this many bytes. */
export function requireBytes(item: RlpItem | undefined, length: number): Hex {
  if (typeof item !== 'string' || item.length !== 2 + 2 * length) {
    throw new InvalidProofError(`the proof lacks ${length} bytes where they must be`);
  }
  return item;
}

export function requireList(item: RlpItem | undefined): readonly RlpItem[] {
  if (item === undefined || typeof item === 'string') {
    throw new InvalidProofError('the proof lacks a list where one must be');
  }
  return item;
}
