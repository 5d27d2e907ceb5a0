// Signs transactions of tens of thousands of bytes. viem's accounts hash them in JavaScript, which takes longer than
// everything else that the service does for a batch.

import { createKeccak } from 'hash-wasm';
import { parseSignature, serializeTransaction, type TransactionSerializableEIP1559 } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { Hex } from '../../domain/ports/index.js';

const hasher = await createKeccak(256);

export interface SignedTransaction {
  readonly hash: Hex;
  readonly raw: Hex;
}

export async function signTransaction(
  account: PrivateKeyAccount,
  transaction: TransactionSerializableEIP1559 & { readonly type: 'eip1559' },
): Promise<SignedTransaction> {
  const signature = await account.sign({ hash: keccak(serializeTransaction(transaction)) });
  const raw = serializeTransaction(transaction, parseSignature(signature));
  return { hash: keccak(raw), raw };
}

function keccak(bytes: Hex): Hex {
  return `0x${hasher
    .init()
    .update(Buffer.from(bytes.slice(2), 'hex'))
    .digest('hex')}`;
}
