// Receipts as they are hashed: RLP after the type of the transaction (EIP-2718), and without it for the first type.

import Type, { type Static } from 'typebox';
import { InvalidProofError } from './errors.js';
import { Data, Hash, type Hex, Quantity } from './results.js';
import { decodeRlp, encodeNumber, encodeRlp, type RlpItem, requireBytes, requireList } from './rlp.js';

/** Deposits from the chain below, in the OP stack. */
const DEPOSIT_TYPE = 0x7e;
/** EIP-2718: types end below the first byte of an RLP list. */
const MAX_TYPE = 0x7f;
const STATUS_SUCCESS = '0x01';

/** What the hash of a receipt covers, as nodes return it. */
export const ReceiptContentJson = Type.Object({
  transactionIndex: Quantity,
  type: Type.Optional(Quantity),
  status: Type.Optional(Quantity),
  /** Instead of the status, before Byzantium. */
  root: Type.Optional(Data),
  cumulativeGasUsed: Quantity,
  logsBloom: Data,
  logs: Type.Array(Type.Object({ address: Data, topics: Type.Array(Hash), data: Data })),
  /** The nonce of a deposit, which is hashed only together with the version. */
  depositNonce: Type.Optional(Quantity),
  depositReceiptVersion: Type.Optional(Quantity),
});
export type ReceiptContentJson = Static<typeof ReceiptContentJson>;

export interface Log {
  readonly address: string;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

export interface ReceiptContent {
  readonly isSuccess: boolean;
  readonly logs: readonly Log[];
}

/** Types of other chains are encoded like those of Ethereum; the root of the receipts shows whether that is right. */
export function encodeReceipt(json: ReceiptContentJson): Hex {
  const { type = '0x0', status, root, depositNonce, depositReceiptVersion } = json;
  const outcome = status === undefined ? (root ?? '0x') : encodeNumber(status);
  const logs = json.logs.map(({ address, topics, data }): RlpItem => [address, topics, data]);
  const isVersioned =
    Number(type) === DEPOSIT_TYPE && depositNonce !== undefined && depositReceiptVersion !== undefined;
  const deposit = isVersioned ? [depositNonce, depositReceiptVersion].map(encodeNumber) : [];
  const content = encodeRlp([outcome, encodeNumber(json.cumulativeGasUsed), json.logsBloom, logs, ...deposit]);
  return Number(type) === 0 ? content : `0x${Number(type).toString(16).padStart(2, '0')}${content.slice(2)}`;
}

/** Throws InvalidProofError when these bytes are not a receipt. */
export function decodeReceipt(receipt: Hex): ReceiptContent {
  const firstByte = Number.parseInt(receipt.slice(2, 4), 16);
  const content: Hex = firstByte <= MAX_TYPE ? `0x${receipt.slice(4)}` : receipt;
  const [status, , , logs] = requireList(decodeRlp(content));
  return { isSuccess: status === STATUS_SUCCESS, logs: requireList(logs).map(decodeLog) };
}

function decodeLog(item: RlpItem): Log {
  const [address, topics, data, ...others] = requireList(item);
  if (typeof data !== 'string' || others.length > 0) throw new InvalidProofError('the receipt has a malformed log');
  return {
    address: requireBytes(address, 20),
    topics: requireList(topics).map((topic) => requireBytes(topic, 32)),
    data,
  };
}
