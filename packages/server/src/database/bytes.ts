// Converts between the database's bytes and `0x` with hexadecimal digits.

import type { Hex } from '../domain/ports/index.js';

export function bytes(text: Hex): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}

export function hex(data: Uint8Array): Hex {
  return `0x${Buffer.from(data.buffer, data.byteOffset, data.length).toString('hex')}`;
}

/** An array of bytes as a parameter, from hexadecimal digits. As text: the driver would convert each element to bytes and back. */
export function byteArray(digits: readonly string[]): string {
  return `{${digits.map((one) => `"\\\\x${one}"`).join()}}`;
}
