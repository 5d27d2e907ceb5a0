// The encodings that all formats of a log share. Each value has one accepted spelling, so that no two texts mean the same.

import { LogFormatError } from './errors.js';

export const HASH_BYTES = 32;

const base64Form = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const decimalForm = /^(?:0|[1-9][0-9]{0,15})$/;
/** With the flag `u`, a surrogate that is part of a pair does not match. */
const loneSurrogate = /\p{Surrogate}/u;

const encoder = new TextEncoder();
/** Without `ignoreBOM`, a byte order mark would be dropped, and the text would not be the one that was signed. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function encodeBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Standard base64 with padding, whose unused bits are zero. */
export function decodeBase64(text: string): Uint8Array {
  if (!base64Form.test(text)) throw new LogFormatError('This is not base64.');
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = binary.charCodeAt(index);
  if (encodeBase64(bytes) !== text) throw new LogFormatError('Unused bits of the base64 are not zero.');
  return bytes;
}

export function decodeHash(text: string): Uint8Array {
  const hash = decodeBase64(text);
  if (hash.length !== HASH_BYTES) throw new LogFormatError('A hash does not have 32 bytes.');
  return hash;
}

/** A decimal number without leading zeros, up to the largest that is exact here: 2⁵³ − 1. */
export function parseDecimal(text: string): number {
  const value = decimalForm.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new LogFormatError('This is not a decimal number below 2⁵³.');
  return value;
}

export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  if (loneSurrogate.test(text)) throw new LogFormatError('The text is not valid Unicode.');
  return encoder.encode(text);
}

/** Decodes text as it was signed. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new LogFormatError('The text is not valid UTF-8.');
  }
}

export function isSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
