// The JSON of blocks, logs and receipts, as nodes return them.

import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { InvalidResultError } from './errors.js';

/** Bytes as `0x` and hexadecimal digits. */
export type Hex = `0x${string}`;

const hex = (pattern: string) => Type.Unsafe<Hex>(Type.String({ pattern }));

/** A number that JavaScript represents exactly: a block number, a count, a time. */
export const Quantity = hex('^0x[0-9a-f]{1,13}$');
/** Any 256-bit number: an amount of wei or gas. */
export const Amount = hex('^0x[0-9a-f]{1,64}$');
export const Address = hex('^0x[0-9a-fA-F]{40}$');
export const Hash = hex('^0x[0-9a-f]{64}$');
export const Data = hex('^0x(?:[0-9a-fA-F]{2})*$');

export const BlockJson = Type.Object({ number: Quantity, hash: Hash, timestamp: Quantity });
export type BlockJson = Static<typeof BlockJson>;

export const LogJson = Type.Object({
  address: Type.String(),
  topics: Type.Array(Hash),
  data: Data,
  blockNumber: Quantity,
  blockHash: Hash,
  transactionHash: Hash,
});
export type LogJson = Static<typeof LogJson>;

export const ReceiptJson = Type.Object({
  transactionHash: Hash,
  blockHash: Hash,
  blockNumber: Quantity,
  logs: Type.Array(LogJson),
});
export type ReceiptJson = Static<typeof ReceiptJson>;

/** The form that nodes expect of numbers. */
export function toQuantity(number: bigint | number): Hex {
  return `0x${number.toString(16)}`;
}

export function parseResult<T extends Type.TSchema>(schema: T, result: unknown): Static<T> {
  if (!Check(schema, result)) throw new InvalidResultError('the node returned a result of the wrong form');
  return result;
}
