// RLP, the encoding of everything that Ethereum hashes. Decoding accepts only what encoding produces.

import { InvalidProofError } from './errors.js';
import type { Hex } from './results.js';

export type RlpItem = Hex | readonly RlpItem[];

/** The first byte of an empty string and of an empty list; greater ones tell the length. Smaller ones are bytes themselves. */
const STRING_BYTE = 0x80;
const LIST_BYTE = 0xc0;
/** Of a longer string or list, the first byte tells how many bytes the length takes. */
const MAX_SHORT_LENGTH = 55;
/** A receipt has logs, and those have topics: nothing that is hashed here has lists in more lists. */
const MAX_DEPTH = 4;

export function encodeRlp(item: RlpItem): Hex {
  return `0x${encodeItem(item)}`;
}

function encodeItem(item: RlpItem): string {
  if (typeof item !== 'string') return encodeLength(item.map(encodeItem).join(''), LIST_BYTE);
  const digits = item.slice(2).toLowerCase();
  const isSmallByte = digits.length === 2 && Number.parseInt(digits, 16) < STRING_BYTE;
  return isSmallByte ? digits : encodeLength(digits, STRING_BYTE);
}

function encodeLength(digits: string, firstByte: number): string {
  const length = digits.length / 2;
  if (length <= MAX_SHORT_LENGTH) return (firstByte + length).toString(16) + digits;
  const lengthDigits = encodeNumber(`0x${length.toString(16)}`).slice(2);
  return (firstByte + MAX_SHORT_LENGTH + lengthDigits.length / 2).toString(16) + lengthDigits + digits;
}

/** Throws InvalidProofError when it is not RLP, or another encoding of the same content. */
export function decodeRlp(encoded: Hex): RlpItem {
  const [item, ...others] = decodeItems(encoded.slice(2), 0);
  if (item === undefined || others.length > 0) throw notRlpError();
  if (encodeRlp(item) !== encoded) throw new InvalidProofError('the proof contains RLP that is not canonical');
  return item;
}

/** The items that follow each other in these digits. */
function decodeItems(digits: string, depth: number): RlpItem[] {
  if (depth > MAX_DEPTH) throw notRlpError();
  const items: RlpItem[] = [];
  let position = 0;
  const take = (length: number): string => {
    const taken = digits.slice(position, position + 2 * length);
    if (taken.length !== 2 * length) throw notRlpError();
    position += 2 * length;
    return taken;
  };
  while (position < digits.length) {
    const byte = take(1);
    const first = Number.parseInt(byte, 16);
    if (first < STRING_BYTE) {
      items.push(`0x${byte}`);
      continue;
    }
    const isList = first >= LIST_BYTE;
    const short = first - (isList ? LIST_BYTE : STRING_BYTE);
    const length = short <= MAX_SHORT_LENGTH ? short : Number.parseInt(take(short - MAX_SHORT_LENGTH), 16);
    const content = take(length);
    items.push(isList ? decodeItems(content, depth + 1) : `0x${content}`);
  }
  return items;
}

function notRlpError(): InvalidProofError {
  return new InvalidProofError('the proof contains bytes that are not RLP');
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
