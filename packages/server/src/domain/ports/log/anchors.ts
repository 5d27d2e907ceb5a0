// Ports for the anchors of the public log: what may be anchored, and what its contract on chain has confirmed.

import type { Hex } from '../artifacts/chain.js';
import type { TreeSize } from './sequence.js';

/** The contract that takes the anchors. */
export interface LogContract {
  readonly chainId: number;
  readonly address: Hex;
}

export interface LogAnchor extends TreeSize {
  readonly transactionHash: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly blockTime: Date;
}

export interface LogAnchors {
  /** Undefined: there is none. */
  readLast(contract: LogContract): Promise<LogAnchor | undefined>;
  save(contract: LogContract, anchors: readonly LogAnchor[]): Promise<void>;
}

/** The published log, as far as it is anchored. */
export interface AnchoredLog {
  /** The head that everybody can read, with its signature checked; undefined before the first. */
  readPublished(): Promise<TreeSize | undefined>;
  /** The consistency proof between two heads, unless the log does not begin with the earlier one. */
  prove(from: TreeSize, to: TreeSize): Promise<readonly Uint8Array[] | 'contradiction'>;
}
