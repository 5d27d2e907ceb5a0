// Which chain the service uses, as its settings say.

import type { PrivateKeyAccount } from 'viem/accounts';
import { privateKeyToAccount } from 'viem/accounts';
import type { ChainOutbox, Hex } from '../domain/ports/index.js';

export type ChainSource = DevelopmentSource | NodeSource;

export interface DevelopmentSource {
  readonly kind: 'development';
  readonly folder: string;
  readonly port: number;
  /** The origin of the pages that may call the chain; undefined: none. */
  readonly origin?: string;
  readonly adminKey: Hex;
  readonly writingKey: Hex;
  /** False: this process only reads. */
  readonly writes: boolean;
  /** False: another process that runs the chain is about to end, because only one can have the embedded database. */
  readonly joins: boolean;
  readonly onFault: (error: unknown) => void;
}

export interface NodeSource {
  readonly kind: 'node';
  readonly url: string;
  /** Undefined: any, but always the same. */
  readonly chainId: number | undefined;
  readonly registry: Hex;
  /** Undefined: the public log is not anchored. */
  readonly logContract: Hex | undefined;
  /** Undefined: this process only reads. */
  readonly writingKey: Hex | undefined;
}

export interface ChainConnection {
  /** May contain a password. */
  readonly url: string;
  /** Lower case. */
  readonly registry: Hex;
  /** Lower case. Undefined: the public log is not anchored. */
  readonly logContract: Hex | undefined;
  readonly writer: PrivateKeyAccount | undefined;
  close(): Promise<void>;
}

/** The node or the key is not the one that the settings ask for. The message begins with the setting to check. */
export class WrongChainError extends Error {
  override readonly name = 'WrongChainError';
}

export function connectionToNode({ url, registry, logContract, writingKey }: NodeSource): ChainConnection {
  const writer = writingKey && accountOfKey(writingKey);
  return {
    url,
    registry: toLowerCase(registry),
    logContract: logContract && toLowerCase(logContract),
    writer,
    close: async () => {},
  };
}

export function accountOfKey(privateKey: Hex): PrivateKeyAccount {
  try {
    return privateKeyToAccount(privateKey);
  } catch {
    // Without its cause, which contains the key.
    throw new WrongChainError('CHAIN_PRIVATE_KEY: not a valid private key');
  }
}

/** Throws WrongChainError when the node is not on the configured chain, or not on the one that was used before. */
export async function requireExpectedChain(
  source: ChainSource,
  queue: Pick<ChainOutbox, 'listUsedChains'>,
  chainId: number,
): Promise<void> {
  const expected = source.kind === 'node' ? source.chainId : undefined;
  if (expected !== undefined && expected !== chainId) {
    throw new WrongChainError(`CHAIN_ID: it is ${expected}, and the node is on chain ${chainId}`);
  }
  const used = await queue.listUsedChains();
  if (expected !== undefined || used.length === 0 || used.includes(chainId)) return;
  const before = `this database has written to chain ${used.join(', ')}`;
  throw new WrongChainError(
    source.kind === 'node'
      ? `RPC_URL: the node is on chain ${chainId}, and ${before}; set CHAIN_ID if that is intended`
      : `RPC_URL: it is not set, and ${before}`,
  );
}

/** The URL of the development chain as clients may see it. */
export function withoutPassword(text: string): string {
  return new URL(text).origin;
}

export function toLowerCase(address: Hex): Hex {
  return `0x${address.slice(2).toLowerCase()}`;
}
